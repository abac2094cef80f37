// SPDX-License-Identifier: GPL-2.0-or-later
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
	put_clock(b);
	json_name(b, "command");
	buf_putc(b, '[');
	for (i = 0; i < o->argc; i++) {
		json_sep(b);
		json_str(b, o->argv[i]);
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
