// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capture buffers. A probe takes one by exchanging a slot with NULL and gives
 * it back by exchanging NULL with it; who finds too few asks for work, which
 * may sleep and fills the slots. Nobody waits for anybody.
 *
 * Each CPU has a spare beside the slots. Nobody else looks at it, so that its
 * exchange needs no lock on the bus, and mostly it is all that is needed.
 */
#include <linux/atomic.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "capture.h"
#include "channel.h"
#include "users.h"

#define OWN 8		/* slots at which a CPU looks first */

static struct ktr_capbuf *buf_alloc(struct ktr_pool *p, u32 size)
{
	struct ktr_capbuf *buf;

	if (ktr_user_charge(p->user, size))
		return NULL;
	buf = kmalloc(sizeof(*buf) + size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!buf) {
		ktr_user_uncharge(p->user, size);
		return NULL;
	}
	buf->size = size;
	buf->len = 0;
	return buf;
}

void ktr_pool_free(struct ktr_pool *p, struct ktr_capbuf *buf)
{
	if (!buf)
		return;
	ktr_user_uncharge(p->user, buf->size);
	kfree(buf);
}

/*
 * Where the running CPU begins to look. It goes on to the others' slots: tasks
 * move, so buffers taken on one CPU are given back on another.
 */
static u32 first_slot(void)
{
	return raw_smp_processor_id() * OWN;
}

static int fill(struct ktr_pool *p)
{
	u32 size = READ_ONCE(p->size);
	u32 i;

	for (i = 0; size && i <= p->mask; i++) {
		struct ktr_capbuf *buf;

		if (READ_ONCE(p->slot[i]))
			continue;
		buf = buf_alloc(p, size);
		if (!buf)
			return -ENOMEM;
		if (cmpxchg(&p->slot[i], NULL, buf))
			ktr_pool_free(p, buf);
	}
	return 0;
}

static void fill_work(struct work_struct *work)
{
	/* What cannot be had now is asked for again by the next probe in need. */
	fill(container_of(work, struct ktr_pool, fill));
}

/* Hard irq: a probe may hold the run queue's lock, the work queue may need it. */
static void kick_work(struct irq_work *work)
{
	queue_work(ktr_wq, &container_of(work, struct ktr_pool, kick)->fill);
}

int ktr_pool_init(struct ktr_pool *p)
{
	p->spare = alloc_percpu_gfp(struct ktr_capbuf *, GFP_KERNEL_ACCOUNT);
	if (!p->spare)
		return -ENOMEM;
	p->mask = min_t(u32, KTR_POOL_SLOTS, roundup_pow_of_two(OWN * num_possible_cpus())) - 1;
	init_irq_work(&p->kick, kick_work);
	INIT_WORK(&p->fill, fill_work);
	return 0;
}

static void empty(struct ktr_pool *p)
{
	int i;

	for (i = 0; i < KTR_POOL_SLOTS; i++)
		ktr_pool_free(p, xchg(&p->slot[i], NULL));
}

/* No probe may find the pool any more. */
void ktr_pool_uninit(struct ktr_pool *p)
{
	int cpu;

	WRITE_ONCE(p->size, 0);
	irq_work_sync(&p->kick);
	cancel_work_sync(&p->fill);
	empty(p);
	for_each_possible_cpu(cpu)
		ktr_pool_free(p, *per_cpu_ptr(p->spare, cpu));
	free_percpu(p->spare);
}

/* Buffers of the old size that are in use or spare are freed when that ends. */
int ktr_pool_resize(struct ktr_pool *p, u32 size)
{
	u32 old = p->size;
	int ret;

	if (size == old)
		return 0;
	WRITE_ONCE(p->size, size);
	empty(p);
	ret = fill(p);
	if (!ret)
		return 0;
	/* As before; what cannot be had now the next probe in need asks for. */
	WRITE_ONCE(p->size, old);
	empty(p);
	fill(p);
	return ret;
}

static struct ktr_capbuf *take(struct ktr_pool *p, u32 i)
{
	struct ktr_capbuf **slot = &p->slot[i & p->mask], *buf;

	if (!READ_ONCE(*slot))
		return NULL;
	buf = xchg(slot, NULL);
	if (!buf || likely(buf->size == READ_ONCE(p->size)))
		return buf;
	ktr_pool_free(p, buf);
	return NULL;
}

static noinline struct ktr_capbuf *get_from_slots(struct ktr_pool *p)
{
	struct ktr_capbuf *buf = NULL;
	u32 first = first_slot(), i;

	for (i = 0; !buf && i <= p->mask; i++)
		buf = take(p, first + i);
	/* Ask for more before there are none: many calls block with theirs. */
	if (unlikely(i > OWN / 2) && READ_ONCE(p->size))
		irq_work_queue(&p->kick);
	return buf;
}

static noinline void put_into_slots(struct ktr_pool *p, struct ktr_capbuf *buf)
{
	u32 first = first_slot(), i;

	for (i = 0; i <= p->mask; i++) {
		struct ktr_capbuf **slot = &p->slot[(first + i) & p->mask];

		if (!READ_ONCE(*slot) && !cmpxchg(slot, NULL, buf))
			return;
	}
	ktr_pool_free(p, buf);
}

struct ktr_capbuf *ktr_pool_get(struct ktr_pool *p)
{
	struct ktr_capbuf *buf = this_cpu_xchg(*p->spare, NULL);

	if (unlikely(buf && buf->size != READ_ONCE(p->size))) {
		ktr_pool_free(p, buf);
		buf = NULL;
	}
	if (unlikely(!buf))
		buf = get_from_slots(p);
	if (likely(buf))
		buf->len = 0;
	return buf;
}

void ktr_pool_put(struct ktr_pool *p, struct ktr_capbuf *buf)
{
	if (unlikely(buf->size != READ_ONCE(p->size)))
		ktr_pool_free(p, buf);
	else if (this_cpu_cmpxchg(*p->spare, NULL, buf))
		put_into_slots(p, buf);
}
