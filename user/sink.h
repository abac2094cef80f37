/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where text goes: standard error, a file, a pipe, or a file per thread. */
#ifndef KTR_SINK_H
#define KTR_SINK_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "buf.h"
#include "fault.h"

struct sink {
	int fd;
	bool own_fd;
	FILE *pipe;		/* -o '|command' */
	struct buf b;		/* not yet written */
	int error;		/* errno of the first failed write */
	/* The line under way. */
	size_t mark;		/* b.len when it was last measured */
	size_t col;		/* its width up to there; 0: none */
	uint32_t tid;		/* whose */
	uint64_t last_time;	/* -r: of the line before */
	uint64_t lines;		/* that were ended */
};

void sink_init(struct sink *s, int fd);
/* path: a file; "|command"; "-": standard output. */
int sink_open(struct sink *s, const char *path, bool append, struct fault *f);
/* Can files of threads be made whose names begin with @prefix? */
int sink_look(const char *prefix, struct fault *f);
/* Write what is there. Return: 0 or -errno, also of an earlier failure. */
int sink_flush(struct sink *s);
/* Flush if it is getting long. */
int sink_ease(struct sink *s);
/*
 * Of a pipe: all goes out, and the command ends. Return: its exit status, 126 and 127
 * where there was none to run; 0: it is no pipe.
 */
int sink_end_pipe(struct sink *s);
void sink_close(struct sink *s);

/* Width of the line under way. */
size_t sink_col(struct sink *s);
void sink_begin_line(struct sink *s, uint32_t tid);
void sink_end_line(struct sink *s);

#endif
