// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's own reader: whoever set a trace may go, and it goes on.
 *
 * One thread per session takes the rings round by round, as ktrctl does, and
 * appends blocks to the file. It alone moves the consumers' positions. All
 * fields are the thread's but those that are read to tell the state.
 */
#include <linux/completion.h>
#include <linux/crc32.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "../uapi/ktracer_file.h"
#include "channel.h"
#include "filestart.h"
#include "writer.h"

#define SPAN_MAX (1u << 20)	/* bytes of records in a block, but for the last of them */
#define SETTLE_TRIES 200
#define TORN_TRIES 8

static DEFINE_MUTEX(writers_lock);
static LIST_HEAD(writers);

struct ktr_writer {
	struct list_head node;	/* writers_lock */
	struct ktr_channel *ch;
	/* The thread's, which lets go of it after an error; writers_lock to look from outside. */
	struct file *file;
	char *path;		/* that it had then; writers_lock */
	struct ktr_filestart start;
	u64 max_size;		/* of the file */
	u64 end;		/* where the file ended when it was written last */
	bool torn;		/* it was cut between two pieces of a block; the second is at: */
	u64 torn_at;
	errseq_t since;		/* errors of its disk that were before */
	const struct ktr_writer_ops *ops;
	void *arg;		/* theirs */
	struct task_struct *thread;
	struct completion started;
	u64 horizon;		/* all that is older has been written */
	u64 bytes;		/* others read it */
	int error;		/* errno; others read it */
	struct ktr_file_footer foot;
};

/* What was taken before and then did not get to the disk is known only now. */
static int disk_error(struct ktr_writer *w)
{
	return -filemap_check_wb_err(w->file->f_mapping, w->since);
}

static void note_place(struct ktr_writer *w, u64 at)
{
	if (w->torn || at >= w->end)
		return;
	w->torn = true;
	w->torn_at = at;
}

/* After an error nothing more is written: a file that has holes cannot be read. */
static void append(struct ktr_writer *w, const void *p, size_t n)
{
	while (n && !w->error) {
		loff_t pos = i_size_read(file_inode(w->file));
		ssize_t done = pos + n > w->max_size ? -EFBIG :
			       kernel_write(w->file, p, n, &pos);

		if (done <= 0) {
			WRITE_ONCE(w->error, done ? -done : EIO);
			return;
		}
		note_place(w, pos - done);
		w->end = pos;
		p += done;
		n -= done;
		WRITE_ONCE(w->bytes, w->bytes + done);
	}
}

static void write_block(struct ktr_writer *w, enum ktr_file_type type, u32 cpu, u32 ring,
			u64 time, const void *p, size_t n)
{
	static const char fill[8];
	struct ktr_file_block b = {
		.magic = KTR_FILE_BLOCK_MAGIC, .type = type, .cpu = cpu, .ring = ring,
		.length = n, .time = time, .payload_crc = ktr_crc32c(p, n),
	};

	b.header_crc = ktr_crc32c(&b, offsetof(struct ktr_file_block, header_crc));
	if (!w->error)
		WRITE_ONCE(w->error, disk_error(w));
	/* Somebody may have written something into it: blocks are looked for at multiples of 8. */
	append(w, fill, -i_size_read(file_inode(w->file)) & 7);
	append(w, &b, sizeof(b));
	append(w, p, n);
	append(w, fill, -n & 7);
}

/* The footer tells of what stands in the file. */
static void count(struct ktr_writer *w, const void *p, size_t n)
{
	const struct ktr_rec *rec;
	size_t at;

	for (at = 0; at < n; at += rec->len8 * 8) {
		rec = p + at;
		w->foot.kinds[rec->kind & 63]++;
		w->foot.records++;
		if (rec->kind == KTR_KIND_lost)
			w->foot.lost += ((const struct ktr_ev_lost *)(rec + 1))->count;
	}
}

/*
 * Somebody has cut the file: what it began with, if that is gone too, and then what
 * must be known of the records to come, all of which are from the horizon on.
 */
static void begin_anew(struct ktr_writer *w)
{
	u32 len = 0;
	void *facts;

	/* What a block's second half has left there is of no use. */
	if (w->torn)
		WRITE_ONCE(w->error, -vfs_truncate(&w->file->f_path, w->torn_at));
	w->torn = false;
	w->end = i_size_read(file_inode(w->file));
	memset(&w->foot, 0, sizeof(w->foot));
	if (!w->end)
		append(w, w->start.p, w->start.len);
	facts = w->ops->facts(w->arg, w->horizon, &len);
	if (IS_ERR(facts)) {
		WRITE_ONCE(w->error, -PTR_ERR(facts));
		return;
	}
	write_block(w, KTR_FILE_DATA, 0, KTR_RING_CONTROL, 0, facts, len);
	count(w, facts, len);
	kvfree(facts);
}

static bool was_cut(const struct ktr_writer *w)
{
	return w->torn || i_size_read(file_inode(w->file)) < w->end;
}

/* Who cuts it without end has no whole file. */
static void put_block(struct ktr_writer *w, enum ktr_file_type type, u32 cpu, u32 ring,
		      u64 time, const void *p, size_t n)
{
	int tries = 0;

	do {
		if (was_cut(w) && !w->error)
			begin_anew(w);
		write_block(w, type, cpu, ring, time, p, n);
	} while (w->torn && !w->error && ++tries < TORN_TRIES);
	if (!w->error && type == KTR_FILE_DATA)
		count(w, p, n);
}

/* Whole records from @pos on, a block's worth. */
static u32 span(const struct ktr_ring *r, u64 pos, u64 end)
{
	u32 n = 0;

	while (pos + n != end && n < SPAN_MAX)
		n += ktr_ring_at(r, pos + n)->len8 * 8;
	return n;
}

static void drain(struct ktr_writer *w, struct ktr_ring *r, u32 cpu, u32 id)
{
	u64 pos = ktr_ring_consumed(r);
	/* Pairs with the producer's release in ktr_ring_publish(). */
	u64 end = smp_load_acquire(&r->prod->committed);

	while (pos != end && !w->error) {
		u32 n = span(r, pos, end);

		put_block(w, KTR_FILE_DATA, cpu, id, 0, ktr_ring_at(r, pos), n);
		pos += n;
		/* Pairs with the acquire in ktr_ring_consumed(). */
		smp_store_release(&r->cons->consumed, pos);
		cond_resched();
	}
}

/* Refused records that no later one was there to tell of. */
static void put_trailing(struct ktr_writer *w, struct ktr_ring *r, u32 cpu, u32 id)
{
	struct {
		struct ktr_rec rec;
		struct ktr_ev_lost ev;
	} lost;

	if (!ktr_ring_take_lost(r, &lost.rec))
		return;
	lost.rec.time = ktr_clock_ns();
	put_block(w, KTR_FILE_DATA, cpu, id, 0, &lost, sizeof(lost));
}

/* A reservation under way is done in microseconds, unless its CPU is taken away. */
static bool settle(const struct ktr_ring *r)
{
	u64 reserved = READ_ONCE(r->prod->reserved);
	int i;

	/* Pairs with the producer's release in ktr_ring_publish(). */
	for (i = 0; smp_load_acquire(&r->prod->committed) < reserved; i++) {
		if (i == SETTLE_TRIES)
			return false;
		usleep_range(20, 100);
	}
	return true;
}

static void write_ring(struct ktr_writer *w, struct ktr_ring *r, u32 cpu, u32 id, bool last)
{
	drain(w, r, cpu, id);
	if (last)
		put_trailing(w, r, cpu, id);
}

/*
 * The time, then all reservations: once each is committed, all that is older
 * than that time can be seen (uapi/ktracer.h).
 */
static void write_round(struct ktr_writer *w, bool last)
{
	u64 now = ktr_clock_ns();
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < __KTR_RING_LAST; i++)
			if (!settle(&per_cpu_ptr(w->ch->cpu, cpu)->ring[i]))
				now = w->horizon;
	/* First what explains the others, for who reads a file that ends within the round. */
	for (i = __KTR_RING_LAST - 1; i >= 0; i--)
		for_each_possible_cpu(cpu)
			write_ring(w, &per_cpu_ptr(w->ch->cpu, cpu)->ring[i], cpu, i, last);
	w->horizon = now;
	put_block(w, KTR_FILE_ROUND, 0, 0, now, NULL, 0);
}

static bool is_wanted(struct ktr_writer *w)
{
	return ktr_channel_poll(w->ch) & EPOLLIN || kthread_should_stop();
}

/* For kfree(); NULL: there is no memory, or it is too long. */
static char *path_of(const struct file *file)
{
	char *buf = kmalloc(PATH_MAX, GFP_KERNEL), *path, *copy = NULL;

	if (!buf)
		return NULL;
	path = d_path(&file->f_path, buf, PATH_MAX);
	if (!IS_ERR(path))
		copy = kstrdup(path, GFP_KERNEL_ACCOUNT);
	kfree(buf);
	return copy;
}

/* Others may write the file from now on, and who reads it need not wait for more. */
static void let_go(struct ktr_writer *w)
{
	struct file *file = w->file;

	mutex_lock(&writers_lock);
	w->path = path_of(file);
	w->file = NULL;
	list_del(&w->node);
	mutex_unlock(&writers_lock);
	fput(file);
}

static int write_all(void *data)
{
	struct ktr_writer *w = data;
	/* What the file system grants is what its opener may do. */
	const struct cred *cred = get_cred(w->file->f_cred);
	const struct cred *old = override_creds(cred);

	complete(&w->started);
	while (!kthread_should_stop() && !w->error) {
		wait_event_interruptible(w->ch->wait, is_wanted(w));
		write_round(w, false);
	}
	if (!w->error) {
		write_round(w, true);
		put_block(w, KTR_FILE_FOOTER, 0, 0, 0, &w->foot, sizeof(w->foot));
	}
	revert_creds(old);
	put_cred(cred);
	if (w->error) {
		w->ops->failed(w->arg, w->error);
		let_go(w);
	}
	wait_event_interruptible(w->ch->wait, kthread_should_stop());
	return 0;
}

int ktr_writer_check(const struct file *file)
{
	if (!S_ISREG(file_inode(file)->i_mode))
		return -EINVAL;
	/*
	 * Those of procfs, sysfs and their kind are calls in the guise of files. They keep
	 * nothing that could be brought to a disk, were there one, or run as a program:
	 * what keeps data has fsync(), also in memory alone, and so has kernfs, which says
	 * of itself that nothing in it can be a program.
	 */
	if (!file->f_op->fsync || file_inode(file)->i_sb->s_iflags & SB_I_NOEXEC)
		return -EINVAL;
	if (!(file->f_mode & FMODE_WRITE) || !(file->f_mode & FMODE_CAN_WRITE) ||
	    !(file->f_flags & O_APPEND) || file->f_flags & O_DIRECT)
		return -EBADF;
	return 0;
}

bool ktr_is_writer(const struct task_struct *task)
{
	return task->flags & PF_KTHREAD && kthread_func((struct task_struct *)task) == write_all;
}

/* Two would tear each other's blocks. False: another writes the file. */
static bool enlist(struct ktr_writer *w)
{
	struct ktr_writer *other;
	bool alone = true;

	mutex_lock(&writers_lock);
	list_for_each_entry(other, &writers, node)
		alone &= file_inode(other->file) != file_inode(w->file);
	if (alone)
		list_add(&w->node, &writers);
	mutex_unlock(&writers_lock);
	return alone;
}

static void dismiss(struct ktr_writer *w)
{
	if (w->file) {
		mutex_lock(&writers_lock);
		list_del(&w->node);
		mutex_unlock(&writers_lock);
		fput(w->file);
	}
	ktr_filestart_free(&w->start);
	kfree(w->path);
	kfree(w);
}

struct ktr_writer *ktr_writer_new(struct ktr_channel *ch, struct file *file,
				  const struct ktr_writer_ops *ops, void *arg)
{
	struct ktr_writer *w;
	int ret = ktr_writer_check(file);

	if (ret)
		return ERR_PTR(ret);
	w = kzalloc(sizeof(*w), GFP_KERNEL_ACCOUNT);
	if (!w)
		return ERR_PTR(-ENOMEM);
	w->ch = ch;
	w->file = get_file(file);
	ret = enlist(w) ? 0 : -ETXTBSY;
	if (ret)
		goto err_free;
	ret = ktr_filestart_read(&w->start, file);
	if (ret)
		goto err_dismiss;
	w->end = i_size_read(file_inode(file));
	w->max_size = rlimit(RLIMIT_FSIZE);
	w->since = filemap_sample_wb_err(file->f_mapping);
	w->ops = ops;
	w->arg = arg;
	init_completion(&w->started);
	w->thread = kthread_run(write_all, w, "ktracer-writer");
	if (!IS_ERR(w->thread)) {
		/* A thread that is stopped before it has begun never runs at all. */
		wait_for_completion(&w->started);
		return w;
	}
	ret = PTR_ERR(w->thread);
err_dismiss:
	dismiss(w);
	return ERR_PTR(ret);

err_free:
	fput(w->file);
	kfree(w);
	return ERR_PTR(ret);
}

u32 ktr_writer_error(const struct ktr_writer *w)
{
	return w ? READ_ONCE(w->error) : 0;
}

struct ktr_writer_state ktr_writer_state(struct ktr_writer *w)
{
	struct ktr_writer_state state = {
		.bytes = READ_ONCE(w->bytes), .error = ktr_writer_error(w),
	};

	mutex_lock(&writers_lock);
	state.path = w->file ? path_of(w->file) : kstrdup(w->path ?: "", GFP_KERNEL);
	mutex_unlock(&writers_lock);
	return state;
}

struct ktr_writer_state ktr_writer_end(struct ktr_writer *w)
{
	struct ktr_writer_state state = {};

	if (!w)
		return state;
	kthread_stop(w->thread);
	state.bytes = w->bytes;
	state.error = w->error;
	swap(state.path, w->path);
	dismiss(w);
	return state;
}
