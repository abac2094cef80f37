/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between out_kdump.c, kdump_event.c and kdump_task.c only: one line. */
#ifndef KTR_KDUMP_LINE_H
#define KTR_KDUMP_LINE_H

#include "out.h"

struct where {
	struct out *o;
	struct proc *p;
	struct sink *s;		/* of the line that was begun */
	uint64_t time;
	unsigned int cpu;	/* on which it was recorded */
};

/* Process, name and kind. False: such lines are not wanted. */
bool kdump_begin(struct where *w, enum kdump_line line);
void kdump_end(struct where *w);
void kdump_ns(struct sink *s, uint64_t ns);	/* "0.000001234 " */
uint64_t kdump_since(uint64_t time, uint64_t before);

/* Of those records that kdump_event.c and kdump_task.c know. False: of another, or broken. */
bool kdump_event(struct where *w, const struct ktr_rec *rec);
bool kdump_task(struct where *w, const struct ktr_rec *rec);

#endif
