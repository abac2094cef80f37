// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "cmd.h"
#include "json.h"
#include "meta.h"

static void put_machine(struct buf *b)
{
	struct utsname u;

	uname(&u);
	json_text(b, "kernel", u.release);
	json_text(b, "build", u.version);
	json_text(b, "arch", u.machine);
	json_text(b, "host", u.nodename);
}

/* `"boot":"..."`; nothing if the kernel does not say. */
static void put_boot(struct buf *b)
{
	FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");
	char id[64] = "";

	if (!in)
		return;
	if (fscanf(in, "%63s", id) == 1)
		json_text(b, "boot", id);
	fclose(in);
}

static void put_clock(struct buf *b)
{
	struct timespec mono, real;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	json_text(b, "clock", "monotonic");
	json_udec(b, "started", mono.tv_sec * 1000000000ULL + mono.tv_nsec);
	json_udec(b, "started_realtime",
		  real.tv_sec * 1000000000ULL + real.tv_nsec);
}

void meta_make(struct buf *b, const struct opts *o,
	       const struct ctl_session *s)
{
	size_t k;
	int i;

	buf_putc(b, '{');
	json_text(b, "ktrctl", KTRCTL_VERSION);
	put_machine(b);
	put_boot(b);
	put_clock(b);
	json_name(b, "command");
	buf_putc(b, '[');
	for (i = 0; i < o->argc; i++) {
		json_sep(b);
		json_bytes(b, o->argv[i], strlen(o->argv[i]));
	}
	buf_putc(b, ']');
	json_name(b, "pids");
	buf_putc(b, '[');
	for (k = 0; k < o->sel.pids.n; k++) {
		json_sep(b);
		buf_udec(b, o->sel.pids.pid[k]);
	}
	buf_putc(b, ']');
	json_udec(b, "cpus", s->ncpus);
	json_udec(b, "buffer", s->buf_size);
	json_text(b, "mode", s->mode == KTR_MODE_OVERWRITE ? "overwrite" :
							     "discard");
	json_udec(b, "strsize", o->view.strsize);
	buf_putc(b, '}');
}

/* What others have written stands there escaped: it cannot look the same. */
bool meta_is_of_this_boot(const char *meta)
{
	struct buf b;
	bool same;

	buf_init(&b);
	put_boot(&b);
	same = b.len && strstr(meta, buf_str(&b));
	buf_free(&b);
	return same;
}
