// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks of records.
 *
 * Runs where the event is made: any context, any lock held, preemption off. Nothing
 * is allocated, nothing sleeps; the program's memory is read without faults, what is
 * not there ends the walk. The kernel's unwinder and the copies may be traced
 * functions: a bit for each CPU and context says that a walk is under way, and a
 * record made by it has no stack. The bit also guards the room of its context.
 */
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>
#include "capture.h"
#include "stack.h"

#define CONTEXTS	4	/* task, softirq, irq, nmi */
#define OWN_MAX		12	/* frames of this module, on top of the others */
#define REGS		17	/* DWARF's 16 and the return address */

struct room {
	unsigned long kernel[KTR_STACK_FRAMES_MAX + OWN_MAX];
	u64 user[KTR_STACK_FRAMES_MAX];
};

struct rooms {
	struct room of[CONTEXTS];
};

static struct rooms __percpu *rooms;
static DEFINE_MUTEX(rooms_lock);
static DEFINE_PER_CPU(u8, walking);
/* Of each context, written and read in it alone, with preemption off. */
static DEFINE_PER_CPU(unsigned long[CONTEXTS], from);

/* A stack that has been looked at. */
struct found {
	const unsigned long *kernel;
	const u64 *user;
	const struct pt_regs *regs;	/* NULL: the program's stack is not wanted, or there is none */
	struct ktr_stack_end end;
};

#define DATA_RING_data		1ULL
#define DATA_RING_control	0ULL
#define KTR_EVENT(number, name, group, ring, source) | DATA_RING_##ring << (number)
static const u64 data_kinds = 0
#include "../uapi/ktracer_events.h"
;

/* A sched_in is made by the task before; a lost record by nobody. */
u64 ktr_stack_kinds(void)
{
	return data_kinds & ~(1ULL << KTR_KIND_lost | 1ULL << KTR_KIND_sched_in);
}

int ktr_stack_check(const struct ktr_stack_want *want, bool plain, struct netlink_ext_ack *ack)
{
	if (want->kinds & ~ktr_stack_kinds()) {
		NL_SET_ERR_MSG_MOD(ack, "stack: a kind of event that can have none");
		return -EOPNOTSUPP;
	}
	if (want->kernel > KTR_STACK_FRAMES_MAX || want->user > KTR_STACK_FRAMES_MAX ||
	    want->copy > KTR_STACK_COPY_MAX || want->copy % 8) {
		NL_SET_ERR_MSG_MOD(ack, "stack: more than KTR_STACK_FRAMES_MAX or KTR_STACK_COPY_MAX, or no whole words");
		return -EINVAL;
	}
	if (!plain || !want->kernel)
		return 0;
	NL_SET_ERR_MSG_MOD(ack, "the kernel's stack needs CAP_SYS_ADMIN or CAP_PERFMON");
	return -EPERM;
}

int ktr_stack_prepare(void)
{
	struct rooms __percpu *new;
	int ret = 0;

	mutex_lock(&rooms_lock);
	if (!rooms) {
		new = alloc_percpu(struct rooms);
		if (new)
			/* Seen by whoever sees that a session takes stacks. */
			smp_store_release(&rooms, new);
		else
			ret = -ENOMEM;
	}
	mutex_unlock(&rooms_lock);
	return ret;
}

void ktr_stack_exit(void)
{
	free_percpu(rooms);
}

bool ktr_stack_walking(void)
{
	return this_cpu_read(walking) & 1 << ktr_emit_context();
}

void __ktr_stack_from(unsigned long ip)
{
	this_cpu_write(from[ktr_emit_context()], ip);
}

/* Bytes behind the place where a function calls ftrace that it goes on at. */
#define CALL_MAX		16

/* How many frames lie before the one that is asked for; 0: it is not seen. */
static u32 frames_before(const unsigned long *frame, u32 n, unsigned long ip)
{
	u32 i;

	for (i = 0; ip && i < n && i < OWN_MAX; i++)
		if (frame[i] - ip <= CALL_MAX)
			return i;
	return 0;
}

/* Without the tracer's own frames; those of what called it are for the reader to know. */
static void look_kernel(struct found *f, struct room *room, u32 max, unsigned long top)
{
	u32 n = stack_trace_save(room->kernel, max + OWN_MAX, 0);
	u32 own = frames_before(room->kernel, n, top);

	while (own < n && within_module(room->kernel[own], THIS_MODULE))
		own++;
	f->kernel = room->kernel + own;
	n -= own;
	if (n > max) {
		n = max;
		f->end.flags |= KTR_STACK_F_KERNEL_CUT;
	}
	f->end.kernel = n;
}

/* A frame: where the next one is, and where this function returns to. */
static bool read_frame(u64 at, bool compat, u64 *next, u64 *ret)
{
	u64 wide[2];
	u32 small[2];

	if (compat) {
		if (ktr_read_current(small, at, sizeof(small), NULL))
			return false;
		*next = small[0];
		*ret = small[1];
		return true;
	}
	if (ktr_read_current(wide, at, sizeof(wide), NULL))
		return false;
	*next = wide[0];
	*ret = wide[1];
	return true;
}

static void look_top(struct found *f, struct room *room, u64 sp, bool compat)
{
	u64 top = 0;

	if (ktr_read_current(&top, sp, compat ? 4 : 8, NULL))
		return;
	room->user[f->end.user++] = top;
	f->end.flags |= KTR_STACK_F_TOP;
}

/*
 * Frame pointers only go up, so that the walk ends whatever the program has put
 * there. A null one is the end, as the start of a program sets it.
 */
static void look_user(struct found *f, struct room *room, const struct pt_regs *regs, u32 max)
{
	bool compat = f->end.flags & KTR_STACK_F_COMPAT;
	u64 fp = regs->bp, low = regs->sp, next, ret;

	f->user = room->user;
	room->user[f->end.user++] = regs->ip;
	if (f->end.user < max)
		look_top(f, room, regs->sp, compat);
	while (fp) {
		if (f->end.user >= max) {
			f->end.flags |= KTR_STACK_F_USER_CUT;
			break;
		}
		if (fp < low || fp % (compat ? 4 : 8) || !read_frame(fp, compat, &next, &ret)) {
			f->end.flags |= KTR_STACK_F_USER_BAD;
			break;
		}
		if (!ret)
			break;
		room->user[f->end.user++] = ret;
		low = fp + 1;
		fp = next;
	}
}

/* How much of the stack can be read, at most @max bytes; above the start there is nothing. */
static u32 readable(const struct pt_regs *regs, u32 max)
{
	u64 sp = round_down(regs->sp, 8), start = READ_ONCE(current->mm->start_stack), word;
	u32 n = 0;

	if (sp <= start && start - sp < max)
		max = round_up(start - sp + 16, 8);
	while (n < max) {
		if (ktr_read_current(&word, sp + n, sizeof(word), NULL))
			break;
		n += min_t(u64, max - n, PAGE_SIZE - (sp + n) % PAGE_SIZE);
	}
	return n;
}

/* Registers of the running task's program; NULL: it has none. */
static const struct pt_regs *program_regs(void)
{
	const struct pt_regs *regs;

	/* In an NMI it may be between two address spaces. */
	if (!current->mm || current->flags & PF_KTHREAD || in_nmi())
		return NULL;
	regs = task_pt_regs(current);
	return user_mode((struct pt_regs *)regs) ? regs : NULL;
}

static void look_program(struct found *f, struct room *room, const struct ktr_stack_want *want)
{
	const struct pt_regs *regs = program_regs();
	u32 user = READ_ONCE(want->user), copy = READ_ONCE(want->copy);

	if (!regs)
		return;
	if (regs->cs == __USER32_CS)
		f->end.flags |= KTR_STACK_F_COMPAT;
	if (user)
		look_user(f, room, regs, user);
	if (!copy)
		return;
	f->regs = regs;
	f->end.regs = REGS;
	f->end.copied = readable(regs, copy) / 8;
}

static u64 *put_regs(u64 *to, const struct pt_regs *r)
{
	const u64 regs[REGS] = {
		r->ax, r->dx, r->cx, r->bx, r->si, r->di, r->bp, r->sp,
		r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->ip,
	};

	memcpy(to, regs, sizeof(regs));
	return to + REGS;
}

static void put_copy(u64 *to, u64 sp, u32 n)
{
	u32 done = 0, some;

	for (; done < n; done += some) {
		some = min_t(u64, n - done, PAGE_SIZE - (sp + done) % PAGE_SIZE);
		/* It may have gone since it was looked for. */
		if (ktr_read_current((u8 *)to + done, sp + done, some, NULL))
			memset((u8 *)to + done, 0, some);
	}
}

/* @to: as many words as there are. */
static void put(u64 *to, const struct found *f)
{
	u32 i;

	for (i = 0; i < f->end.kernel; i++)
		*to++ = f->kernel[i];
	for (i = 0; i < f->end.user; i++)
		*to++ = f->user[i];
	if (f->regs) {
		to = put_regs(to, f->regs);
		put_copy(to, round_down(f->regs->sp, 8), f->end.copied * 8);
		to += f->end.copied;
	}
	memcpy(to, &f->end, sizeof(f->end));
}

/* Whose record it is has made the event himself. */
static bool is_own(u32 tid)
{
	return tid == task_pid_nr(current);
}

static struct ktr_rec *begin(struct ktr_stream *st, struct room *room, u8 kind, u32 tid, u32 len,
			     unsigned long top)
{
	u32 kernel = READ_ONCE(st->stack.kernel), bytes;
	struct found f = {};
	struct ktr_rec *rec;

	/* A call that an attach found is begun by another task, which has no part in it. */
	if (kernel && (is_own(tid) || kind != KTR_KIND_syscall_begun))
		look_kernel(&f, room, kernel, top);
	if (is_own(tid))
		look_program(&f, room, &st->stack);
	f.end.words = f.end.kernel + f.end.user + f.end.regs + f.end.copied + 1;
	bytes = f.end.words * 8;
	/* A record that the ring can take counts for more than its stack. */
	if (f.end.words == 1 ||
	    sizeof(*rec) + len + bytes > ktr_emit_cpu(st)->ring[KTR_RING_DATA].max_len)
		bytes = 0;
	rec = ktr_emit_begin_long(st, KTR_RING_DATA, kind, tid, len + bytes);
	if (!rec || !bytes)
		return rec;
	rec->flags |= KTR_REC_STACK;
	put((u64 *)((u8 *)(rec + 1) + len), &f);
	return rec;
}

struct ktr_rec *ktr_emit_begin_stack(struct ktr_stream *st, u8 kind, u32 tid, u32 len)
{
	/* Pairs with ktr_stack_prepare(). */
	struct rooms __percpu *r = smp_load_acquire(&rooms);
	u8 ctx = ktr_emit_context();
	unsigned long top = this_cpu_xchg(from[ctx], 0);
	struct ktr_rec *rec;

	if (!r || this_cpu_read(walking) & 1 << ctx)
		return ktr_emit_begin_long(st, KTR_RING_DATA, kind, tid, len);
	this_cpu_or(walking, 1 << ctx);
	barrier();
	rec = begin(st, &this_cpu_ptr(r)->of[ctx], kind, tid, len, top);
	barrier();
	this_cpu_and(walking, ~(1 << ctx));
	return rec;
}
