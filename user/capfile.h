/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capture files: uapi/ktracer_file.h says what is in them. */
#ifndef KTR_CAPFILE_H
#define KTR_CAPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "buf.h"
#include "fault.h"
#include "ktracer.h"
#include "ktracer_file.h"

/* ---- writing ---- */

struct cap_writer {
	int fd;
	bool own_fd;
	int error;		/* errno of the first failed write */
	uint64_t bytes;
	uint64_t max;		/* the file may have so many bytes; 0: any number */
	bool full;		/* something had no room */
	struct buf b;		/* small blocks wait here for their like */
};

/* Into an open file; it stays the caller's. */
void cap_begin(struct cap_writer *w, int fd);
/*
 * path "-": standard output. A file is this writer's alone until all who have it close it.
 * @read_too: open it for that besides, if that may be.
 */
int cap_create(struct cap_writer *w, const char *path, bool read_too, struct fault *f);
/* What there is no room for is left out, and the writer is full. */
int cap_put(struct cap_writer *w, enum ktr_file_type type, unsigned int cpu,
	    unsigned int ring, uint64_t time, const void *p, size_t n);
/* The payload of one more block that there is room for, with the file's end. */
uint64_t cap_room(const struct cap_writer *w);
int cap_flush(struct cap_writer *w);	/* 0 or -errno */
int cap_finish(struct cap_writer *w);	/* flushes and closes */
void cap_abandon(struct cap_writer *w);	/* closes; what waits is not written */

/* ---- reading ---- */

struct cap_reader {
	FILE *in;
	uint64_t offset;	/* of the next byte */
	struct ktr_file_header header;
	struct ktr_file_block block;
	unsigned char *payload;
	size_t size;		/* of the memory at payload */
	uint64_t damage;	/* offset of the first damage */
	bool damaged;
	bool cut;		/* the file just ends */
	bool garbled;		/* and what is in front of its end are no records */
	bool footer;		/* one was met */
	uint64_t hole_at;	/* in front of the block: bytes that are damaged */
	uint64_t hole;		/* how many; 0: none */
	bool growing;		/* it is being written */
	/*
	 * At the end of what there is, with the offset of the block that is not whole yet:
	 * true if it is to be read once more from there. NULL: the end is the end.
	 */
	bool (*more)(void *arg, uint64_t at);
	void *arg;
};

/*
 * path "-": standard input. A file of another kind or version is a fault. One whose
 * writer is just about to end is waited for.
 */
int cap_open(struct cap_reader *r, const char *path, struct fault *f);
/* A descriptor to read it; -1: a fault. A directory is one. */
int cap_open_fd(const char *path, struct fault *f);
/* Can blocks be appended to it? -EUCLEAN: it is neither empty nor such a file. */
int cap_look(int fd);
/*
 * A file that was cut says in its last block how much is to come, and would take what is
 * appended for that. Make it end behind the last whole record, in something that is told
 * as damage. @fd: as cap_look() wants it, with O_RDWR and O_APPEND, and nobody else may
 * write the file. Return: 0, also if it is not cut, or -errno.
 */
int cap_mend(int fd);
int cap_open_stream(struct cap_reader *r, FILE *in, const char *name,
		    struct fault *f);
/* A regular file that somebody may still be writing, from its beginning; @fd stays the caller's. */
int cap_open_growing(struct cap_reader *r, int fd, const char *name,
		     bool (*more)(void *arg, uint64_t at), void *arg, struct fault *f);

/*
 * The next whole block: r->block and r->payload. Damaged stretches are passed
 * over, r->hole is the last; of a data block that the end of the file cuts, what
 * is there is given.
 * Return: 1, 0 at the end, -ENOMEM.
 */
int cap_next(struct cap_reader *r);

/*
 * Visit all whole blocks of one type first, passing over the others, and come
 * back to where the reader was. Not for what cannot be sought in.
 */
void cap_visit(struct cap_reader *r, enum ktr_file_type type,
	       void (*fn)(void *arg, const void *p, size_t n), void *arg);
void cap_close(struct cap_reader *r);

/* How many whole records report would find in a file; what is not read is no fault. */
void cap_count(const char *path, uint64_t *records);

#endif
