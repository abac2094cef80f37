/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was printed into a file, and whether it is what was to be. */
#ifndef NATIVE_OUT_TEXT_H
#define NATIVE_OUT_TEXT_H

#include <stdio.h>
#include <string.h>
#include "out.h"
#include "tap.h"

/* Closes it. Good until the next one. */
static inline const char *out_text(struct out *out, const char *path)
{
	static char text[8192];
	size_t n = 0;
	FILE *f;

	out_footer(out, 0, 0);
	out_flush(out);
	out_close(out);
	f = fopen(path, "re");
	if (CHECK(f)) {
		n = fread(text, 1, sizeof(text) - 1, f);
		CHECK(!ferror(f));
		fclose(f);
	}
	text[n] = '\0';
	return text;
}

static inline void out_text_is(struct out *out, const char *path, const char *want)
{
	const char *text = out_text(out, path);

	if (!CHECK(!strcmp(text, want)))
		printf("# %s", text);
}

#endif
