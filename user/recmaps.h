/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a capture file has to know of mappings beyond the records: those that were
 * there before, and which files they are of.
 */
#ifndef KTR_RECMAPS_H
#define KTR_RECMAPS_H

#include "capfile.h"
#include "images.h"

struct recmaps {
	struct images images;
	struct buf maps;		/* lines not yet written */
	struct buf ids;
};

void recmaps_free(struct recmaps *r);
/* Whole records of a control ring. */
void recmaps_note(struct recmaps *r, const void *span, size_t len);
/* What a process that runs has now. */
void recmaps_running(struct recmaps *r, uint32_t tgid);
/* Write what was noted. Return: 0 or -errno. */
int recmaps_put(struct recmaps *r, struct cap_writer *w);
/* The build-ids that a file tells. */
void recmaps_take(struct images *is, char *text);

#endif
