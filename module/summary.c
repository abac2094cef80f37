// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting calls where they return, and functions without returns where they are
 * entered.
 *
 * Each CPU has an open-addressing table that never grows: a key that finds no
 * room within KTR_SUM_TRIES places is counted as missed. Nothing is taken out
 * but by beginning a new epoch, to which all slots of older ones are free; so
 * nobody has to be waited for. An interrupt that counts may nest anywhere: a slot
 * is taken by an exchange, and each number changes in one instruction.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include "channel.h"
#include "summary.h"
#include "targets.h"

#define KTR_SUM_TRIES 64
/* Of a slot whose key is being written; no epoch. */
#define KTR_SUM_TAKING U32_MAX

static u64 key_of(const struct ktr_summary *s, const struct ktr_target *t)
{
	u64 who = 0;

	if (s->flags & (KTR_SUM_F_TGID | KTR_SUM_F_TID))
		who = (u64)task_tgid_nr(t->task) << 32;
	if (s->flags & KTR_SUM_F_TID)
		who |= task_pid_nr(t->task);
	return who;
}

static void slot_clear(struct ktr_sum_slot *slot, u64 who, u64 what, local_t *hist)
{
	slot->who = who;
	slot->what = what;
	local_set(&slot->calls, 0);
	local_set(&slot->errors, 0);
	local_set(&slot->wall, 0);
	local_set(&slot->cpu, 0);
	slot->wall_min = U64_MAX;
	slot->wall_max = 0;
	if (hist)
		memset(hist, 0, KTR_SUM_BUCKETS * sizeof(*hist));
}

/* False: who nested here has just taken it. */
static bool slot_take(struct ktr_sum_slot *slot, u32 was, u32 epoch, u64 who, u64 what,
		      local_t *hist)
{
	if (was == KTR_SUM_TAKING || cmpxchg_local(&slot->epoch, was, KTR_SUM_TAKING) != was)
		return false;
	slot_clear(slot, who, what, hist);
	/* Pairs with the acquire in collect(). */
	smp_store_release(&slot->epoch, epoch);
	return true;
}

/*
 * The key's slot on this CPU, taken if it is new; NULL: no room. One that is just
 * being taken is passed over; if it is for the same key, there are two in the end,
 * which merge() makes one.
 */
static struct ktr_sum_slot *slot_get(const struct ktr_summary *s, struct ktr_sum_cpu *c,
				     u32 epoch, u64 who, u64 what)
{
	u32 mask = (1u << s->bits) - 1, tries = min_t(u32, KTR_SUM_TRIES, mask + 1);
	u32 at = hash_64(who * 31 + what, s->bits);

	for (; tries--; at = (at + 1) & mask) {
		struct ktr_sum_slot *slot = &c->slot[at];
		u32 was = READ_ONCE(slot->epoch);

		if (was != epoch) {
			if (slot_take(slot, was, epoch, who, what,
				      c->hist ? c->hist + at * KTR_SUM_BUCKETS : NULL))
				return slot;
		} else if (slot->what == what && slot->who == who) {
			return slot;
		}
	}
	return NULL;
}

static u64 off_cpu(const struct ktr_target *t)
{
	return t->state & KTR_T_SWITCHED ? t->call_blocked + t->call_runnable : 0;
}

static bool returned(const struct ktr_call *call)
{
	if (call->ev.flags & KTR_SYS_F_NO_EXIT)
		return false;
	return !(call->ev.flags & KTR_SYS_F_KILLED) || call->ev.flags & KTR_SYS_F_FATAL;
}

static void lower(u64 *least, u64 v)
{
	u64 was = READ_ONCE(*least), now;

	for (; v < was; was = now) {
		now = cmpxchg_local(least, was, v);
		if (now == was)
			return;
	}
}

static void raise(u64 *most, u64 v)
{
	u64 was = READ_ONCE(*most), now;

	for (; v > was; was = now) {
		now = cmpxchg_local(most, was, v);
		if (now == was)
			return;
	}
}

static void add_time(struct ktr_sum_cpu *c, struct ktr_sum_slot *slot, u64 wall)
{
	u32 b;

	local_add(wall, &slot->wall);
	lower(&slot->wall_min, wall);
	raise(&slot->wall_max, wall);
	if (!c->hist)
		return;
	b = wall ? min_t(u32, ilog2(wall), KTR_SUM_BUCKETS - 1) : 0;
	local_inc(&c->hist[(slot - c->slot) * KTR_SUM_BUCKETS + b]);
}

void ktr_summary_count(struct ktr_summary *s, const struct ktr_target *t, u64 end)
{
	const struct ktr_call *call = &t->call;
	struct ktr_sum_cpu *c = this_cpu_ptr(s->cpu);
	u64 wall = end - call->ev.start, off = off_cpu(t);
	u32 epoch = READ_ONCE(s->epoch);
	struct ktr_sum_slot *slot;

	if (!returned(call))
		return;
	slot = slot_get(s, c, epoch, key_of(s, t), (u64)call->ev.abi << 32 | (u32)call->ev.nr);
	if (!slot) {
		local_inc(&c->missed);
		return;
	}
	local_inc(&slot->calls);
	local_add(IS_ERR_VALUE((unsigned long)call->ev.ret), &slot->errors);
	local_add(wall > off ? wall - off : 0, &slot->cpu);
	add_time(c, slot, wall);
}

void ktr_summary_function(struct ktr_summary *s, const struct ktr_target *t, u64 ip, s64 wall)
{
	struct ktr_sum_cpu *c = this_cpu_ptr(s->cpu);
	u32 epoch = READ_ONCE(s->epoch);
	struct ktr_sum_slot *slot = slot_get(s, c, epoch, key_of(s, t), ip);

	if (!slot) {
		local_inc(&c->missed);
		return;
	}
	local_inc(&slot->calls);
	if (wall >= 0)
		add_time(c, slot, wall);
}

static void cpus_free(struct ktr_summary *s)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu_ptr(s->cpu, cpu)->slot);
		kvfree(per_cpu_ptr(s->cpu, cpu)->hist);
	}
}

static int cpus_alloc(struct ktr_summary *s)
{
	size_t n = 1u << s->bits;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ktr_sum_cpu *c = per_cpu_ptr(s->cpu, cpu);

		c->slot = kvcalloc(n, sizeof(*c->slot), GFP_KERNEL_ACCOUNT);
		if (!c->slot)
			return -ENOMEM;
		if (!(s->flags & KTR_SUM_F_HIST))
			continue;
		c->hist = kvcalloc(n, KTR_SUM_BUCKETS * sizeof(*c->hist), GFP_KERNEL_ACCOUNT);
		if (!c->hist)
			return -ENOMEM;
	}
	return 0;
}

static u64 bytes_of(const struct ktr_summary *s)
{
	u64 one = sizeof(struct ktr_sum_slot);

	if (s->flags & KTR_SUM_F_HIST)
		one += KTR_SUM_BUCKETS * sizeof(local_t);
	return (one << s->bits) * num_possible_cpus();
}

struct ktr_summary *ktr_summary_new(u32 flags, u32 slots, bool big, struct ktr_user *user)
{
	struct ktr_summary *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->flags = flags;
	s->bits = ilog2(roundup_pow_of_two(slots));
	s->epoch = 1;
	s->bytes = bytes_of(s);
	s->user = user;
	ret = ktr_channel_charge(s->bytes, big, user);
	if (ret)
		goto err_free;
	ret = -ENOMEM;
	s->cpu = alloc_percpu_gfp(struct ktr_sum_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!s->cpu)
		goto err_uncharge;
	ret = cpus_alloc(s);
	if (ret)
		goto err_free_cpus;
	return s;

err_free_cpus:
	cpus_free(s);
	free_percpu(s->cpu);
err_uncharge:
	ktr_channel_uncharge(s->bytes, s->user);
err_free:
	kfree(s);
	return ERR_PTR(ret);
}

void ktr_summary_free(struct ktr_summary *s)
{
	if (!s)
		return;
	cpus_free(s);
	free_percpu(s->cpu);
	ktr_channel_uncharge(s->bytes, s->user);
	kfree(s);
}

static u64 missed(const struct ktr_summary *s)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += local_read(&per_cpu_ptr(s->cpu, cpu)->missed);
	return sum;
}

void ktr_summary_clear(struct ktr_summary *s)
{
	if (!s)
		return;
	WRITE_ONCE(s->epoch, s->epoch + 1 < KTR_SUM_TAKING ? s->epoch + 1 : 1);
	s->missed_before = missed(s);
}

u64 ktr_summary_missed(const struct ktr_summary *s)
{
	return missed(s) - s->missed_before;
}

/* A row of the wire under construction; hist is there with KTR_SUM_F_HIST. */
struct row {
	struct ktr_sum_row r;
	u64 hist[];
};

/* Addresses of functions are in the upper half; no number of a call is. */
static bool is_function(u64 what)
{
	return what >> 63;
}

static void row_from(struct row *row, const struct ktr_sum_slot *slot, const local_t *hist)
{
	int i;

	row->r = (struct ktr_sum_row){
		.tgid = slot->who >> 32, .tid = (u32)slot->who,
		.calls = local_read(&slot->calls), .errors = local_read(&slot->errors),
		.wall = local_read(&slot->wall), .wall_min = READ_ONCE(slot->wall_min),
		.wall_max = READ_ONCE(slot->wall_max), .cpu = local_read(&slot->cpu),
	};
	if (is_function(slot->what)) {
		row->r.ip = slot->what;
	} else {
		row->r.nr = (s32)slot->what;
		row->r.abi = slot->what >> 32;
	}
	for (i = 0; hist && i < KTR_SUM_BUCKETS; i++)
		row->hist[i] = local_read(&hist[i]);
}

/* Slots of the epoch on one CPU; those beyond @room are left for the next time. */
static void collect(const struct ktr_summary *s, const struct ktr_sum_cpu *c,
		    struct ktr_sum_rows *rows, u32 room)
{
	u32 i;

	for (i = 0; i < 1u << s->bits && rows->n < room; i++) {
		/* Pairs with the release in slot_take(). */
		if (smp_load_acquire(&c->slot[i].epoch) != s->epoch)
			continue;
		row_from((void *)(rows->row + (size_t)rows->n++ * rows->size), &c->slot[i],
			 c->hist ? c->hist + i * KTR_SUM_BUCKETS : NULL);
	}
}

static int by_key(const void *a, const void *b)
{
	const struct ktr_sum_row *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->ip != y->ip)
		return x->ip < y->ip ? -1 : 1;
	if (x->abi != y->abi)
		return x->abi < y->abi ? -1 : 1;
	return x->nr == y->nr ? 0 : x->nr < y->nr ? -1 : 1;
}

static void row_add(struct row *to, const struct row *from, bool hist)
{
	int i;

	to->r.calls += from->r.calls;
	to->r.errors += from->r.errors;
	to->r.wall += from->r.wall;
	to->r.wall_min = min(to->r.wall_min, from->r.wall_min);
	to->r.wall_max = max(to->r.wall_max, from->r.wall_max);
	to->r.cpu += from->r.cpu;
	for (i = 0; hist && i < KTR_SUM_BUCKETS; i++)
		to->hist[i] += from->hist[i];
}

/* Rows of one key stand next to each other: make them one. */
static void merge(struct ktr_sum_rows *rows, bool hist)
{
	struct row *last = NULL;
	u32 i, n = 0;

	for (i = 0; i < rows->n; i++) {
		struct row *row = (void *)(rows->row + (size_t)i * rows->size);

		if (last && !by_key(last, row)) {
			row_add(last, row, hist);
			continue;
		}
		last = (void *)(rows->row + (size_t)n++ * rows->size);
		if (last != row)
			memcpy(last, row, rows->size);
	}
	rows->n = n;
}

static u32 used_slots(const struct ktr_summary *s)
{
	u32 i, n = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct ktr_sum_cpu *c = per_cpu_ptr(s->cpu, cpu);

		for (i = 0; i < 1u << s->bits; i++)
			n += READ_ONCE(c->slot[i].epoch) == s->epoch;
	}
	return n;
}

int ktr_summary_rows(const struct ktr_summary *s, struct ktr_sum_rows *rows)
{
	u32 room = used_slots(s);
	int cpu;

	rows->n = 0;
	rows->size = sizeof(struct ktr_sum_row);
	if (s->flags & KTR_SUM_F_HIST)
		rows->size += KTR_SUM_BUCKETS * sizeof(u64);
	rows->row = kvcalloc(max(room, 1u), rows->size, GFP_KERNEL_ACCOUNT);
	if (!rows->row)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		collect(s, per_cpu_ptr(s->cpu, cpu), rows, room);
	sort(rows->row, rows->n, rows->size, by_key, NULL);
	merge(rows, s->flags & KTR_SUM_F_HIST);
	return 0;
}

void ktr_summary_rows_free(struct ktr_sum_rows *rows)
{
	kvfree(rows->row);
	rows->row = NULL;
}
