// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory and wakeups of the rings.
 *
 * Memory of one ring: consumer's page, producer's page, then the data pages
 * mapped twice in a row, so that a record never wraps:
 *
 *	[cons][prod][d0 d1 ... dn][d0 d1 ... dn]
 *
 * Wakeups: ring.wake_at is the position at which a producer queues the CPU's
 * irq_work. When the reader has drained everything and sleeps, it is the next
 * record: that starts the flush delay and moves wake_at to the watermark. So
 * there are two irq_works in a reader's round, never one per record, and none
 * while nothing happens.
 */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "channel.h"

static unsigned long max_mib = 1024;
module_param(max_mib, ulong, 0644);
MODULE_PARM_DESC(max_mib, "MiB that the rings of all sessions may take together, half of the memory at most");

static atomic64_t used_bytes;

unsigned int ktr_request_pool;

struct workqueue_struct *ktr_wq;

#define HEAD_PAGES 2	/* consumer, producer */

/*
 * A position that was given out before may still be filled up to. The long way
 * is taken next, which looks at the room again.
 */
void ktr_channel_pool(struct ktr_channel *ch)
{
	u64 pool = (u64)READ_ONCE(ktr_request_pool) * KTR_REQUEST_BYTES;
	u64 size = ch->size[KTR_RING_DATA];
	int cpu;

	if (ch->mode == KTR_MODE_OVERWRITE)
		return;
	pool = pool ? clamp(pool, KTR_BUF_MIN, size) : size;
	for_each_possible_cpu(cpu) {
		struct ktr_ring *r = &per_cpu_ptr(ch->cpu, cpu)->ring[KTR_RING_DATA];

		WRITE_ONCE(r->room, pool);
		WRITE_ONCE(r->limit, 0);
	}
}

u64 ktr_channel_used_bytes(void)
{
	return atomic64_read(&used_bytes);
}

u64 ktr_channel_max_bytes(void)
{
	/* Rings cannot be swapped out, whatever an administrator thinks a machine has. */
	return min((u64)READ_ONCE(max_mib) << 20, (u64)totalram_pages() << PAGE_SHIFT >> 1);
}

struct ktr_rec *ktr_emit_slow(struct ktr_cpu *c, unsigned int ring, u8 kind, u32 len)
{
	struct ktr_ring *r = &c->ring[ring];
	struct ktr_rec *rec;
	u32 why = 0;

	rec = ktr_ring_reserve_slow(r, len, kind, &why);
	if (!rec) {
		ktr_local_count(&c->loss[ring][kind & 63][why]);
		ktr_ring_refused(r, kind, why, ktr_clock_ns());
	} else if (why == KTR_RING_LOST) {
		ktr_ring_lost(rec)->time = ktr_clock_ns();
	}
	return rec;
}

struct ktr_rec *ktr_emit_begin_long(struct ktr_stream *st, unsigned int ring, u8 kind, u32 tid,
				    u32 len)
{
	struct ktr_cpu *c = ktr_emit_cpu(st);
	struct ktr_rec *rec;

	if (len <= KTR_RING_SHORT - sizeof(*rec))
		return ktr_emit_begin_short(st, c, ring, kind, ktr_emit_context(), tid, len);
	ktr_ring_enter(&c->ring[ring]);
	rec = ktr_emit_slow(c, ring, kind, sizeof(*rec) + len);
	if (!rec)
		return NULL;
	rec->flags = READ_ONCE(st->rec_flags) | ktr_emit_context();
	rec->tid = tid;
	rec->time = ktr_clock_ns();
	return rec;
}

/*
 * Wake the reader, or see to it that the flush work does. wake_at goes out of
 * reach first: whatever irq_work_queue() is traced by does not come here again.
 */
static void kick(struct ktr_cpu *c, struct ktr_ring *r)
{
	WRITE_ONCE(r->wake_at, U64_MAX);
	irq_work_queue(&c->wake);
}

void ktr_emit_end_slow(struct ktr_cpu *c, unsigned int ring)
{
	struct ktr_ring *r = &c->ring[ring];

	if (ktr_ring_commit_slow(r) >= READ_ONCE(r->wake_at))
		kick(c, r);
}

static u64 ring_unread(const struct ktr_ring *r)
{
	return READ_ONCE(r->prod->committed) - ktr_ring_consumed(r);
}

static bool over_watermark(const struct ktr_channel *ch, const struct ktr_ring *r)
{
	return ring_unread(r) >= min(ch->watermark, READ_ONCE(r->room) / 4);
}

/* Runs in hard irq on the producer's CPU. */
static void wake_work(struct irq_work *work)
{
	struct ktr_cpu *c = container_of(work, struct ktr_cpu, wake);
	struct ktr_channel *ch = c->channel;
	bool wake = false;
	int i;

	for (i = 0; i < __KTR_RING_LAST; i++) {
		struct ktr_ring *r = &c->ring[i];

		if (over_watermark(ch, r))
			wake = true;
		else
			WRITE_ONCE(r->wake_at, READ_ONCE(r->prod->committed) +
				   min(ch->watermark, READ_ONCE(r->room) / 4));
	}
	if (wake)
		wake_up_interruptible_poll(&ch->wait, EPOLLIN);
	else
		queue_delayed_work(ktr_wq, &ch->flush,
				   msecs_to_jiffies(ch->flush_ms));
}

static bool anything_unread(struct ktr_channel *ch)
{
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < __KTR_RING_LAST; i++)
			if (ring_unread(&per_cpu_ptr(ch->cpu, cpu)->ring[i]))
				return true;
	return false;
}

void ktr_channel_flush(struct ktr_channel *ch)
{
	if (!anything_unread(ch))
		return;
	WRITE_ONCE(ch->flush_due, true);
	wake_up_interruptible_poll(&ch->wait, EPOLLIN);
}

static void flush_work_fn(struct work_struct *work)
{
	ktr_channel_flush(container_of(to_delayed_work(work), struct ktr_channel, flush));
}

/*
 * Ask to be woken. A producer may commit just before it can see the new
 * wake_at: the flush work looks again, once.
 */
static bool arm(struct ktr_channel *ch)
{
	bool ready = false;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < __KTR_RING_LAST; i++) {
			struct ktr_ring *r = &per_cpu_ptr(ch->cpu, cpu)->ring[i];
			u64 seen = READ_ONCE(r->prod->committed);

			ready |= over_watermark(ch, r);
			WRITE_ONCE(r->wake_at, ring_unread(r) ?
				   seen + min(ch->watermark, READ_ONCE(r->room) / 4) :
				   seen + 1);
		}
	}
	return ready;
}

__poll_t ktr_channel_poll(struct ktr_channel *ch)
{
	__poll_t mask = READ_ONCE(ch->ended) || READ_ONCE(ch->idle) ? EPOLLHUP : 0;

	if (arm(ch))
		return mask | EPOLLIN;
	if (xchg(&ch->flush_due, false) && anything_unread(ch))
		return mask | EPOLLIN;
	if (mask)
		return mask | (anything_unread(ch) ? EPOLLIN : 0);
	queue_delayed_work(ktr_wq, &ch->flush,
			   msecs_to_jiffies(ch->flush_ms));
	return 0;
}

void ktr_channel_end(struct ktr_channel *ch)
{
	WRITE_ONCE(ch->ended, true);
	wake_up_interruptible_poll(&ch->wait, EPOLLHUP | EPOLLIN);
}

void ktr_channel_idle(struct ktr_channel *ch, bool idle)
{
	WRITE_ONCE(ch->idle, idle);
	if (idle)
		wake_up_interruptible_poll(&ch->wait, EPOLLHUP | EPOLLIN);
}

static void ring_free(struct ktr_cpu *c, int id)
{
	struct ktr_ring_mem *m = &c->mem[id];
	u32 i;

	if (m->base)
		vunmap(m->base);
	for (i = 0; i < m->npages; i++)
		__free_page(m->pages[i]);
	kvfree(m->pages);
	memset(m, 0, sizeof(*m));
}

/* Fills m->pages; what was got when an error comes is ring_free()'s. */
static int ring_pages(struct ktr_ring_mem *m, u32 ndata, int node)
{
	/* Room for the second mapping of the data pages. */
	m->pages = kvcalloc(HEAD_PAGES + 2 * ndata, sizeof(*m->pages), GFP_KERNEL);
	if (!m->pages)
		return -ENOMEM;
	while (m->npages < HEAD_PAGES + ndata) {
		struct page *page = alloc_pages_node(node, GFP_KERNEL_ACCOUNT |
						     __GFP_ZERO | __GFP_NOWARN |
						     __GFP_RETRY_MAYFAIL, 0);

		if (!page)
			return -ENOMEM;
		m->pages[m->npages++] = page;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	memcpy(m->pages + m->npages, m->pages + HEAD_PAGES, ndata * sizeof(*m->pages));
	return 0;
}

static int ring_alloc(struct ktr_channel *ch, struct ktr_cpu *c, int id)
{
	struct ktr_ring_mem *m = &c->mem[id];
	u32 ndata = ch->size[id] >> PAGE_SHIFT;
	u32 mode = id == KTR_RING_DATA ? ch->mode : KTR_MODE_DISCARD;
	int ret;

	ret = ring_pages(m, ndata, cpu_to_node(c->cpu));
	if (ret)
		goto err_free;
	m->base = vmap(m->pages, HEAD_PAGES + 2 * ndata, VM_MAP | VM_USERMAP,
		       PAGE_KERNEL);
	if (!m->base) {
		ret = -ENOMEM;
		goto err_free;
	}
	ktr_ring_init(&c->ring[id], m->base + PAGE_SIZE, m->base,
		      m->base + HEAD_PAGES * PAGE_SIZE, ch->size[id], mode, c->cpu);
	return 0;

err_free:
	ring_free(c, id);
	return ret;
}

static void cpus_free(struct ktr_channel *ch)
{
	int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < __KTR_RING_LAST; i++)
			ring_free(per_cpu_ptr(ch->cpu, cpu), i);
}

static int cpus_alloc(struct ktr_channel *ch)
{
	int cpu, i, ret;

	for_each_possible_cpu(cpu) {
		struct ktr_cpu *c = per_cpu_ptr(ch->cpu, cpu);

		c->cpu = cpu;
		c->channel = ch;
		init_irq_work(&c->wake, wake_work);
		for (i = 0; i < __KTR_RING_LAST; i++) {
			ret = ring_alloc(ch, c, i);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int ktr_channel_charge(u64 bytes, bool big, struct ktr_user *user)
{
	int ret = ktr_user_charge(user, bytes);

	if (ret)
		return ret;
	if (atomic64_add_return(bytes, &used_bytes) <= ktr_channel_max_bytes() || big)
		return 0;
	ktr_channel_uncharge(bytes, user);
	return -EDQUOT;
}

void ktr_channel_uncharge(u64 bytes, struct ktr_user *user)
{
	atomic64_sub(bytes, &used_bytes);
	ktr_user_uncharge(user, bytes);
}

int ktr_channel_init(struct ktr_channel *ch, const struct ktr_channel_opts *o)
{
	u64 data = roundup_pow_of_two(max_t(u64, o->buf_size, PAGE_SIZE));
	u64 ctl = roundup_pow_of_two(max_t(u64, o->ctl_size, PAGE_SIZE));
	int ret;

	ch->size[KTR_RING_DATA] = data;
	ch->size[KTR_RING_CONTROL] = ctl;
	ch->watermark = o->watermark ?: data / 4;
	ch->mode = o->mode;
	ch->flush_ms = o->flush_ms;
	ch->bytes = (data + ctl + 2 * HEAD_PAGES * PAGE_SIZE) * num_possible_cpus();
	init_waitqueue_head(&ch->wait);
	INIT_DELAYED_WORK(&ch->flush, flush_work_fn);

	ch->user = o->user;
	ret = ktr_channel_charge(ch->bytes, o->big, o->user);
	if (ret)
		return ret;
	ch->cpu = alloc_percpu_gfp(struct ktr_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!ch->cpu) {
		ret = -ENOMEM;
		goto err_uncharge;
	}
	ret = cpus_alloc(ch);
	if (ret)
		goto err_free_cpus;
	return 0;

err_free_cpus:
	cpus_free(ch);
	free_percpu(ch->cpu);
	ch->cpu = NULL;
err_uncharge:
	ktr_channel_uncharge(ch->bytes, ch->user);
	return ret;
}

void ktr_channel_uninit(struct ktr_channel *ch)
{
	int cpu;

	/*
	 * Probes are gone: only irq_works that were queued before may still
	 * run, and they queue the flush work; so in this order.
	 */
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(ch->cpu, cpu)->wake);
	cancel_delayed_work_sync(&ch->flush);
	cpus_free(ch);
	free_percpu(ch->cpu);
	ch->cpu = NULL;
	ktr_channel_uncharge(ch->bytes, ch->user);
}

/* Throw away what is unread. Caller: the session, no reader bound. */
void ktr_channel_drain(struct ktr_channel *ch)
{
	int cpu, i;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < __KTR_RING_LAST; i++) {
			struct ktr_ring *r = &per_cpu_ptr(ch->cpu, cpu)->ring[i];

			/* Pairs with the acquire in ktr_ring_consumed(). */
			smp_store_release(&r->cons->consumed,
					  READ_ONCE(r->prod->committed));
		}
	}
}

static int map_ring(struct ktr_channel *ch, struct vm_area_struct *vma,
		    const struct ktr_ring_mem *m, int id, u64 part)
{
	u64 len = vma->vm_end - vma->vm_start;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	/* Nor later, by mprotect. */
	vm_flags_clear(vma, VM_MAYEXEC);
	if (part == 0) {
		if (len != PAGE_SIZE)
			return -EINVAL;
		return remap_vmalloc_range(vma, m->base, 0);
	}
	if (part != KTR_PAGE || len != PAGE_SIZE + 2 * ch->size[id])
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_clear(vma, VM_MAYWRITE);
	return remap_vmalloc_range(vma, m->base, 1);
}

int ktr_channel_mmap(struct ktr_channel *ch, struct vm_area_struct *vma)
{
	u64 off = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 which = off >> 33;
	u64 cpu = which / __KTR_RING_LAST;
	int id = which % __KTR_RING_LAST;

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	return map_ring(ch, vma, &per_cpu_ptr(ch->cpu, cpu)->mem[id], id,
			off & ((1ULL << 33) - 1));
}
