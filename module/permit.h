/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may do what. A caller is privileged, or a plain user, who owns sessions
 * of his own and traces in them what ptrace would let him.
 */
#ifndef _KTR_PERMIT_H
#define _KTR_PERMIT_H

#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/types.h>
#include "../uapi/ktracer.h"

struct file;
struct mm_struct;
struct netlink_ext_ack;

/* Who asks: opener and caller both. */
struct ktr_who {
	bool privileged;
	const struct cred *cred;	/* the caller's: good while he runs */
};

/*
 * Who uses @opened, a descriptor of the device or of a socket. -EPERM: somebody
 * who may nothing, since another user opened it, or plain users are shut out.
 */
int ktr_permit_who(const struct file *opened, struct ktr_who *who, struct netlink_ext_ack *ack);
/* Nothing but opener and caller's privilege. */
bool ktr_permit_privileged(const struct file *opened);

/* Kinds of events that sessions of plain users may record. */
u64 ktr_permit_plain_kinds(void);

/* The same user: neither may anything that the other may not. */
bool ktr_permit_same_user(const struct cred *a, const struct cred *b);

/*
 * The address space of /proc/PID/mem open as @fd, which the kernel grants to
 * those who may ptrace, its security modules included. It counts if it was
 * opened by @owner's user. Keeps @file, to be put by the caller, and so the
 * address of the result. ERR_PTR(-EBADF, -EPERM).
 */
struct mm_struct *ktr_permit_mem(int fd, const struct cred *owner, struct file **file);

/*
 * Whether a session of @owner's may have @task, whose address space must be @mm.
 * *exec_id: of the program it runs. 0; -ESTALE: it has another; -EACCES.
 */
int ktr_permit_attach(const struct cred *owner, struct task_struct *task,
		      const struct mm_struct *mm, u64 *exec_id);

/* Ids, capabilities and namespace of @task are within @owner's. Preemption off. */
bool ktr_permit_cred(const struct cred *owner, const struct task_struct *task);
/* A file for @owner's trace. 0; -EPERM: another's; -EACCES: it may be on no disk of ours. */
int ktr_permit_file(const struct cred *owner, const struct file *file);
/* The running task's program may be looked into by its user. */
bool ktr_permit_program(void);

/* Names and numbers of @task may be shown to @owner (NULL: to everybody). */
static inline bool ktr_permit_shows(const struct cred *owner, const struct task_struct *task)
{
	return !owner || ktr_permit_cred(owner, task);
}

void ktr_permit_init(void);

#endif
