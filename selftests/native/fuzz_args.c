// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line, from bytes: the first chooses the command. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define ARGS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct command *choose(uint8_t byte)
{
	unsigned int n = 0;

	while (commands[n].name)
		n++;
	return &commands[byte % n];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1], *text;
	const struct command *c;
	struct fault f = { 0 };
	struct opts o;
	size_t at;
	int argc = 0;

	if (size < 2)
		return 0;
	c = choose(data[0]);
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	argv[argc++] = (char *)c->name;
	for (at = 0; at < size - 1 && argc < ARGS_MAX; at += strlen(text + at) + 1)
		argv[argc++] = text + at;
	argv[argc] = NULL;
	opts_init(&o);
	if (opts_parse(&o, c->classes, argc, argv, &f) && !f.status)
		abort();	/* a refusal says why */
	if (!filter_valid(&o.sel.filter) && !f.status)
		abort();
	opts_free(&o);
	free(text);
	return 0;
}
