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
#include "writer.h"

#define SPAN_MAX (1u << 20)	/* bytes of records in a block, but for the last of them */
#define SETTLE_TRIES 200

static DEFINE_MUTEX(writers_lock);
static LIST_HEAD(writers);

struct ktr_writer {
	struct list_head node;	/* writers_lock */
	struct ktr_channel *ch;
	struct file *file;
	u64 max_size;		/* of the file */
	errseq_t since;		/* errors of its disk that were before */
	void (*failed)(void *arg, int error);
	void *arg;
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
		p += done;
		n -= done;
		WRITE_ONCE(w->bytes, w->bytes + done);
	}
}

static void put_block(struct ktr_writer *w, enum ktr_file_type type, u32 cpu, u32 ring,
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
	append(w, &b, sizeof(b));
	append(w, p, n);
	append(w, fill, -n & 7);
}

/* Whole records from @pos on, a block's worth; they are counted. */
static u32 span(struct ktr_writer *w, const struct ktr_ring *r, u64 pos, u64 end)
{
	u32 n = 0;

	while (pos + n != end && n < SPAN_MAX) {
		const struct ktr_rec *rec = ktr_ring_at(r, pos + n);

		w->foot.kinds[rec->kind & 63]++;
		n += rec->len8 * 8;
	}
	return n;
}

static void drain(struct ktr_writer *w, struct ktr_ring *r, u32 cpu, u32 id)
{
	u64 pos = ktr_ring_consumed(r);
	/* Pairs with the producer's release in ktr_ring_publish(). */
	u64 end = smp_load_acquire(&r->prod->committed);

	while (pos != end && !w->error) {
		u32 n = span(w, r, pos, end);

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
	w->foot.kinds[KTR_KIND_lost]++;
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
	for_each_possible_cpu(cpu) {
		for (i = 0; i < __KTR_RING_LAST; i++) {
			struct ktr_ring *r = &per_cpu_ptr(w->ch->cpu, cpu)->ring[i];

			drain(w, r, cpu, i);
			if (last)
				put_trailing(w, r, cpu, i);
		}
	}
	w->horizon = now;
	put_block(w, KTR_FILE_ROUND, 0, 0, now, NULL, 0);
}

static void put_footer(struct ktr_writer *w)
{
	int cpu, i;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < __KTR_RING_LAST; i++) {
			const struct ktr_ring_prod *p = per_cpu_ptr(w->ch->cpu, cpu)->ring[i].prod;

			w->foot.records += p->records;
			w->foot.lost += p->refused;
		}
	}
	put_block(w, KTR_FILE_FOOTER, 0, 0, 0, &w->foot, sizeof(w->foot));
}

static bool is_wanted(struct ktr_writer *w)
{
	return ktr_channel_poll(w->ch) & EPOLLIN || kthread_should_stop();
}

static int write_all(void *data)
{
	struct ktr_writer *w = data;
	/* What the file system grants is what its opener may do. */
	const struct cred *old = override_creds(w->file->f_cred);

	complete(&w->started);
	while (!kthread_should_stop() && !w->error) {
		wait_event_interruptible(w->ch->wait, is_wanted(w));
		write_round(w, false);
	}
	if (!w->error) {
		write_round(w, true);
		put_footer(w);
	}
	if (w->error)
		w->failed(w->arg, w->error);
	wait_event_interruptible(w->ch->wait, kthread_should_stop());
	revert_creds(old);
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
	mutex_lock(&writers_lock);
	list_del(&w->node);
	mutex_unlock(&writers_lock);
	fput(w->file);
	kfree(w);
}

struct ktr_writer *ktr_writer_new(struct ktr_channel *ch, struct file *file,
				  void (*failed)(void *arg, int error), void *arg)
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
	if (!enlist(w)) {
		fput(w->file);
		kfree(w);
		return ERR_PTR(-ETXTBSY);
	}
	w->max_size = rlimit(RLIMIT_FSIZE);
	w->since = filemap_sample_wb_err(file->f_mapping);
	w->failed = failed;
	w->arg = arg;
	init_completion(&w->started);
	w->thread = kthread_run(write_all, w, "ktracer-writer");
	if (!IS_ERR(w->thread)) {
		/* A thread that is stopped before it has begun never runs at all. */
		wait_for_completion(&w->started);
		return w;
	}
	ret = PTR_ERR(w->thread);
	dismiss(w);
	return ERR_PTR(ret);
}

u32 ktr_writer_error(const struct ktr_writer *w)
{
	return w ? READ_ONCE(w->error) : 0;
}

struct ktr_writer_state ktr_writer_state(const struct ktr_writer *w)
{
	struct ktr_writer_state state = {
		.bytes = READ_ONCE(w->bytes), .error = ktr_writer_error(w),
	};

	snprintf(state.name, sizeof(state.name), "%pD", w->file);
	return state;
}

struct ktr_writer_state ktr_writer_end(struct ktr_writer *w)
{
	struct ktr_writer_state state = {};

	if (!w)
		return state;
	kthread_stop(w->thread);
	state = ktr_writer_state(w);
	dismiss(w);
	return state;
}
