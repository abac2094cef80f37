// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's own reader: whoever set a trace may go, and it goes on.
 *
 * One thread per session takes the rings round by round, as ktrctl does, and
 * appends blocks to the file. It alone moves the consumers' positions. All
 * fields are the thread's but those that are read to tell the state.
 */
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include "channel.h"
#include "tracefile.h"
#include "writer.h"

#define SPAN_MAX (1u << 20)	/* bytes of records in a block, but for the last of them */
#define SETTLE_TRIES 200

static DEFINE_MUTEX(writers_lock);
static LIST_HEAD(writers);

struct ktr_writer {
	struct list_head node;	/* writers_lock */
	struct ktr_channel *ch;
	/* The thread's, which lets go of it after an error; writers_lock to look from outside. */
	struct file *file;
	char *path;		/* that it had then; writers_lock */
	struct ktr_tracefile out;
	const struct ktr_writer_ops *ops;
	void *arg;		/* theirs */
	struct task_struct *thread;
	struct completion started;
	u64 missing;		/* before the error; others read it */
	int error;		/* errno; others read it */
};

static void *facts_now(void *arg, u32 *len)
{
	struct ktr_writer *w = arg;

	return w->ops->facts(w->arg, w->out.round, len);
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

	while (pos != end) {
		u32 n = span(r, pos, end);

		ktr_tracefile_put(&w->out, KTR_FILE_DATA, cpu, id, 0, ktr_ring_at(r, pos), n);
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
	ktr_tracefile_put(&w->out, KTR_FILE_DATA, cpu, id, 0, &lost, sizeof(lost));
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
				now = w->out.round;
	/* First what explains the others, for who reads a file that ends within the round. */
	for (i = __KTR_RING_LAST - 1; i >= 0; i--)
		for_each_possible_cpu(cpu)
			write_ring(w, &per_cpu_ptr(w->ch->cpu, cpu)->ring[i], cpu, i, last);
	ktr_tracefile_put(&w->out, KTR_FILE_ROUND, 0, 0, now, NULL, 0);
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

/*
 * What was refused is looked at without being taken: producers of what nobody misses
 * are left. One of them may take it into its ring just then, hence a second look there.
 */
static void lose_ring(struct ktr_writer *w, struct ktr_ring *r, u32 cpu, u32 id)
{
	struct ktr_ev_lost ev;
	int tries = 0;

	do {
		settle(r);
		drain(w, r, cpu, id);
		ev = (struct ktr_ev_lost){
			.count = READ_ONCE(r->pend_count),
			.first = READ_ONCE(r->pend_first),
			.last = READ_ONCE(r->pend_last),
			.kinds = READ_ONCE(r->pend_kinds),
		};
		/* A producer reserves before it takes, in ktr_ring_reserve_slow(). */
		smp_rmb();
	} while (READ_ONCE(r->prod->reserved) != ktr_ring_consumed(r) && ++tries < SETTLE_TRIES);
	ktr_tracefile_lose(&w->out, &ev);
}

/* What is in the rings, or was refused there, will not be in the file. */
static void lose_rest(struct ktr_writer *w)
{
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < __KTR_RING_LAST; i++)
			lose_ring(w, &per_cpu_ptr(w->ch->cpu, cpu)->ring[i], cpu, i);
}

/* It cannot be written any more. Others hear of it when the file is as it will stay. */
static void give_up(struct ktr_writer *w)
{
	w->ops->halt(w->arg);
	lose_rest(w);
	ktr_tracefile_put_end(&w->out, ktr_clock_ns());
	WRITE_ONCE(w->missing, w->out.missing.count);
	/* Pairs with the acquire in ktr_writer_state(). */
	smp_store_release(&w->error, w->out.error);
	w->ops->failed(w->arg, w->error, w->missing);
}

static int write_all(void *data)
{
	struct ktr_writer *w = data;
	/* What the file system grants is what its opener may do. */
	const struct cred *cred = get_cred(w->file->f_cred);
	const struct cred *old = override_creds(cred);

	complete(&w->started);
	while (!kthread_should_stop() && !w->out.error) {
		wait_event_interruptible(w->ch->wait, is_wanted(w));
		write_round(w, false);
	}
	if (!w->out.error) {
		write_round(w, true);
		ktr_tracefile_put_footer(&w->out);
	}
	if (w->out.error)
		give_up(w);
	revert_creds(old);
	put_cred(cred);
	if (w->error)
		let_go(w);
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

/* Under writers_lock. */
static bool is_written(const struct file *file)
{
	const struct ktr_writer *w;

	list_for_each_entry(w, &writers, node)
		if (file_inode(w->file) == file_inode(file))
			return true;
	return false;
}

bool ktr_writer_has(const struct file *file)
{
	bool has;

	mutex_lock(&writers_lock);
	has = is_written(file);
	mutex_unlock(&writers_lock);
	return has;
}

/* Two would tear each other's blocks. False: another writes the file. */
static bool enlist(struct ktr_writer *w)
{
	bool alone;

	mutex_lock(&writers_lock);
	alone = !is_written(w->file);
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
	ktr_tracefile_free(&w->out);
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
	w->out.facts = facts_now;
	w->out.arg = w;
	w->out.round = ktr_clock_ns();
	ret = ktr_tracefile_open(&w->out, file);
	if (ret)
		goto err_dismiss;
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
		.bytes = READ_ONCE(w->out.bytes),
		/* Pairs with the release in give_up(). */
		.error = smp_load_acquire(&w->error),
	};

	state.missing = READ_ONCE(w->missing);
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
	state.bytes = w->out.bytes;
	state.error = w->error;
	state.missing = w->missing;
	swap(state.path, w->path);
	dismiss(w);
	return state;
}
