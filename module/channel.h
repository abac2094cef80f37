/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The channel: two rings per possible CPU, their memory, who is woken when,
 * and what was lost.
 */
#ifndef _KTR_CHANNEL_H
#define _KTR_CHANNEL_H

#include <linux/mm_types.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "emit.h"
#include "users.h"

/* For all deferred work of the module; made and destroyed by main.c. */
extern struct workqueue_struct *ktr_wq;

struct ktr_channel {
	struct ktr_cpu __percpu *cpu;
	u64 size[__KTR_RING_LAST];
	u64 watermark;
	u64 bytes;		/* accounted */
	u32 mode;
	u32 flush_ms;
	wait_queue_head_t wait;
	struct delayed_work flush;
	bool flush_due;		/* set by the flush work, cleared by poll */
	bool ended;		/* no producer will come again */
	bool idle;		/* no targets left, of some */
	struct ktr_user *user;	/* who pays, too; NULL: nobody */
};

struct ktr_channel_opts {
	u64 buf_size, ctl_size, watermark;
	u32 mode, flush_ms;
	bool big;
	struct ktr_user *user;	/* who pays, too; NULL: nobody */
};

int ktr_channel_init(struct ktr_channel *ch, const struct ktr_channel_opts *o);
/* Frees the rings. No probe may find the channel any more, no mapping be left. */
void ktr_channel_uninit(struct ktr_channel *ch);

__poll_t ktr_channel_poll(struct ktr_channel *ch);
void ktr_channel_end(struct ktr_channel *ch);
/* Do not wait for watermark or delay: wake the reader if there is anything. */
void ktr_channel_flush(struct ktr_channel *ch);
void ktr_channel_idle(struct ktr_channel *ch, bool idle);
int ktr_channel_mmap(struct ktr_channel *ch, struct vm_area_struct *vma);
void ktr_channel_drain(struct ktr_channel *ch);
/*
 * All sessions pay for what they hold out of one purse, and a plain user's out of
 * his; -EDQUOT: one is empty.
 */
int ktr_channel_charge(u64 bytes, bool big, struct ktr_user *user);
void ktr_channel_uncharge(u64 bytes, struct ktr_user *user);
/* What the sysctl request_pool says now. */
#define KTR_REQUEST_BYTES 256
extern unsigned int ktr_request_pool;
void ktr_channel_pool(struct ktr_channel *ch);
u64 ktr_channel_used_bytes(void);
u64 ktr_channel_max_bytes(void);

#endif
