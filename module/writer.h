/* SPDX-License-Identifier: GPL-2.0-only */
/* A session's records into a regular file, by a thread of the module. */
#ifndef _KTR_WRITER_H
#define _KTR_WRITER_H

#include <linux/types.h>
#include "../uapi/ktracer.h"

struct task_struct;
struct file;
struct ktr_channel;
struct ktr_writer;

/* What the writer's thread asks of whose it is; all may sleep. */
struct ktr_writer_ops {
	/*
	 * Once, when a write fails: behind it nothing is recorded any more but what the
	 * session tells of itself.
	 */
	void (*halt)(void *arg);
	/* Then, when all is known: the errno, and how many records are not in the file. */
	void (*failed)(void *arg, int error, u64 missing);
	/*
	 * Records that must stand before those that come next, since the file has been
	 * cut: as of @time; for kvfree(), or an error.
	 */
	void *(*facts)(void *arg, u64 time, u32 *len);
};

/**
 * ktr_writer_new() - begin to write
 * @ch: whose rings; it outlives the writer, and nobody else reads it
 * @file: a regular file, open for appending; it is referenced. What may be
 *	written is decided by the rights of who opened it and the limit on file
 *	sizes of who runs now.
 * @ops: called by the writer's thread
 * @arg: for @ops
 *
 * Context: may sleep.
 * Return: the writer, or what ktr_writer_check() says, -ETXTBSY (another writer
 * writes it), -ENOMEM.
 */
struct ktr_writer *ktr_writer_new(struct ktr_channel *ch, struct file *file,
				  const struct ktr_writer_ops *ops, void *arg);

/*
 * May it be one's file? -EINVAL: it is no regular file, or of a file system that
 * keeps no data; -EBADF: not open for appending.
 */
int ktr_writer_check(const struct file *file);
/* Does one write it now? */
bool ktr_writer_has(const struct file *file);

struct ktr_writer_state {
	u64 bytes;		/* written */
	u32 error;		/* errno by which it ended, 0 */
	u64 missing;		/* records that are not in the file because of that */
	char *path;		/* of the file, for kfree(); NULL: not known */
};
/*
 * The path is the one that the file has now, as the running task sees it; of one that
 * cannot be written any more, the one that it had then.
 */
struct ktr_writer_state ktr_writer_state(struct ktr_writer *w);
/* The error alone; NULL has none. */
u32 ktr_writer_error(const struct ktr_writer *w);

/*
 * Write what is left, and the footer; NULL is none. No producer of the channel
 * is left. Not by the writer's thread. Return: how it ended; the path if by an error.
 */
struct ktr_writer_state ktr_writer_end(struct ktr_writer *w);

/* Is @task the thread of a writer, whosever? It would tell of its own writing. */
bool ktr_is_writer(const struct task_struct *task);

#endif
