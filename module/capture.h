/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The capture engine: small programs that say what memory of the caller goes
 * into a record, the table that holds one per syscall, and the buffers they
 * write into.
 */
#ifndef _KTR_CAPTURE_H
#define _KTR_CAPTURE_H

#include <linux/irq_work.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "../uapi/ktracer.h"

struct task_struct;
struct netlink_ext_ack;
struct ktr_user;

struct ktr_prog {
	/* What a call's record begins with: number, ABI, nargs, zeroes. */
	union {
		u64 head;
		struct {
			s32 nr;
			u8 abi, flags, nargs, ncaps;
		};
	};
	u8 nops;
	u8 fd_arg;
	bool more;		/* there is more to do at entry than for most */
	/* Operations, by their bits: at entry, at exit; limits, which are at entry too. */
	u16 entry, exit, limits;
	u32 seq;		/* of the first table that had such a one for this call */
	struct ktr_op op[];
};

/* Never changed once probes can see it; freed after a grace period. */
struct ktr_table {
	u32 seq;		/* no two tables have the same */
	bool others;		/* record numbers without a row */
	u32 nrows;
	u32 need;		/* bytes that the hungriest row may capture */
	struct ktr_prog *prog[__KTR_ABI_LAST][KTR_SYSCALLS_MAX];
};

struct ktr_capbuf {
	u32 size;		/* of data */
	u32 len;		/* used */
	unsigned char data[];
};

#define KTR_RETRY_ALL 0xffff	/* of ktr_call.retry: nothing was run at entry */

/* Bytes of one transfer's data that are kept, whatever a program says. */
extern unsigned int ktr_genio_size;

/*
 * One call under way. Written by its own task in syscall probes only, with
 * preemption off; read by it in sched_switch too.
 */
struct ktr_call {
	struct ktr_ev_syscall ev;	/* as it goes into the record */
	u64 args[6];
	struct ktr_capbuf *buf;		/* owned; NULL: nothing captured */
	u64 sp;				/* the caller's stack at entry; 0: unknown */
	u64 ip;				/* where it goes on */
	u32 prog_seq;			/* of the program that began it */
	u16 retry;			/* operations that failed at entry; all bits: none was run */
	u32 io_max;			/* of a limited program: bytes of I/O */
	u32 io_total;			/* the same: of all elements of an iovec */
	u16 has;			/* operations that have a section, with off and got */
	u32 off[KTR_OPS_MAX];		/* where an operation's bytes begin */
	u32 got[KTR_OPS_MAX];		/* how many they are */
};

/* How the engine reads: at the call itself without faults, or from afar. */
typedef int (*ktr_reader_fn)(void *dst, u64 addr, u32 len, void *ctx);
int ktr_read_current(void *dst, u64 addr, u32 len, void *unused);

/* Capture what @prog says for entry, or for exit; sections go to call->buf. */
void ktr_capture_entry(const struct ktr_prog *prog, struct ktr_call *call,
		       ktr_reader_fn rd, void *ctx);
void ktr_capture_exit(const struct ktr_prog *prog, struct ktr_call *call);
/* In the middle of the call: what was not there at its entry. */
void ktr_capture_again(const struct ktr_prog *prog, struct ktr_call *call);

/* In force while a session has none: no rows. */
extern struct ktr_table ktr_table_none;
/* For numbers without a row, where they are asked for. */
extern const struct ktr_prog ktr_prog_other;

/* The row for a call, or NULL: not recorded. */
static __always_inline const struct ktr_prog *
ktr_table_find(const struct ktr_table *t, unsigned int abi, long nr)
{
	const struct ktr_prog *prog = NULL;

	if (likely((unsigned long)nr < KTR_SYSCALLS_MAX)) {
		/* A branch that is not taken, and no arithmetic. */
		if (unlikely(abi != KTR_ABI_NATIVE))
			prog = t->prog[KTR_ABI_COMPAT][nr];
		else
			prog = t->prog[KTR_ABI_NATIVE][nr];
	}
	if (unlikely(!prog) && t->others)
		return &ktr_prog_other;
	return prog;
}

/* Sort the operations, once they are there. */
void ktr_prog_seal(struct ktr_prog *p);

struct ktr_table *ktr_table_copy(const struct ktr_table *from);
void ktr_table_free(struct ktr_table *t);
/* Take rows in or out; @data is from the user. -EINVAL is explained in @ack. */
int ktr_table_add(struct ktr_table *t, const void *data, u32 len,
		  struct netlink_ext_ack *ack);
int ktr_table_del(struct ktr_table *t, const void *data, u32 len,
		  struct netlink_ext_ack *ack);
void ktr_table_seal(struct ktr_table *t, const struct ktr_table *old);

/*
 * Buffers. Taken and given back by probes without locks (a slot is exchanged),
 * filled up by work.
 */
#define KTR_POOL_SLOTS 64

struct ktr_pool {
	struct ktr_capbuf *__percpu *spare; /* what a CPU gave back and takes again */
	struct ktr_capbuf *slot[KTR_POOL_SLOTS];
	u32 size;		/* of new buffers; 0: none needed */
	u32 mask;		/* slots in use, less one */
	struct ktr_user *user;	/* who pays for every buffer; fixed, NULL: nobody */
	struct irq_work kick;
	struct work_struct fill;
};

int ktr_pool_init(struct ktr_pool *p);
void ktr_pool_uninit(struct ktr_pool *p);
int ktr_pool_resize(struct ktr_pool *p, u32 size);
struct ktr_capbuf *ktr_pool_get(struct ktr_pool *p);
void ktr_pool_put(struct ktr_pool *p, struct ktr_capbuf *buf);
/* Instead of giving it back. */
void ktr_pool_free(struct ktr_pool *p, struct ktr_capbuf *buf);

#endif
