// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may do what.
 *
 * ptrace_may_access() is exported to nobody, and what it asks (security modules,
 * Yama) cannot be asked by hand. But the kernel asks it itself when somebody
 * opens /proc/PID/mem, and the open file remembers the address space. So an open
 * one is a plain user's right to a task as long as that has this address space.
 *
 * From then on a task is judged here, by what a module can see: ids,
 * capabilities, user namespace, and at each exec whether the program may be
 * looked into.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/moduleparam.h>
#include <linux/netlink.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include "permit.h"

static bool users = true;
module_param(users, bool, 0644);
MODULE_PARM_DESC(users, "whether users without privilege may trace their own processes (default on)");

/* Of /proc/PID/mem; NULL: not learned, so nobody can show his right. */
static const struct file_operations *mem_fops __ro_after_init;

/*
 * What sessions of plain users may record, by the group in the event table. A
 * group that is not here does not compile: who adds one has to decide.
 *
 * Yes only for what the task's owner could see with ptrace or in /proc: no
 * kernel addresses, no kernel memory, nothing of other users. The probe of a
 * kind that is allowed hides what is not (ktr_permit_shows()).
 */
#define PLAIN_CONTROL	1
#define PLAIN_PROCESS	1
#define PLAIN_MARKER	1
#define PLAIN_SYSCALL	1
#define PLAIN_SIGNAL	1
#define PLAIN_SCHED	1	/* without the kernel's stack */
#define PLAIN_LOOKUP	1	/* without names that come from program files */
#define PLAIN_MAP	1	/* his own, as in /proc/PID/maps */
#define PLAIN_FUNCTION	0
#define PLAIN_FAULT	0
#define PLAIN_SYSCTL	0
#define PLAIN_DENIED	0

#define KTR_EVENT(number, name, group, ring, source) | (u64)PLAIN_##group << (number)
static const u64 plain_kinds = 0
#include "../uapi/ktracer_events.h"
;

u64 ktr_permit_plain_kinds(void)
{
	return plain_kinds;
}

static bool both_have(const struct file *opened, int cap)
{
	return file_ns_capable(opened, &init_user_ns, cap) && ns_capable(&init_user_ns, cap);
}

bool ktr_permit_privileged(const struct file *opened)
{
	return both_have(opened, CAP_PERFMON) || both_have(opened, CAP_SYS_ADMIN);
}

bool ktr_permit_same_user(const struct cred *a, const struct cred *b)
{
	return uid_eq(a->euid, b->euid) && a->user_ns == b->user_ns;
}

int ktr_permit_who(const struct file *opened, struct ktr_who *who, struct netlink_ext_ack *ack)
{
	who->cred = current_cred();
	who->privileged = ktr_permit_privileged(opened);
	if (who->privileged)
		return 0;
	if (!READ_ONCE(users)) {
		NL_SET_ERR_MSG_MOD(ack, "CAP_SYS_ADMIN or CAP_PERFMON is needed (parameter users=0)");
		return -EPERM;
	}
	if (ktr_permit_same_user(opened->f_cred, who->cred))
		return 0;
	NL_SET_ERR_MSG_MOD(ack, "another user has opened this descriptor");
	return -EPERM;
}

struct mm_struct *ktr_permit_mem(int fd, const struct cred *owner, struct file **file)
{
	struct file *f = fget(fd);
	int ret = -EBADF;

	if (!f)
		return ERR_PTR(ret);
	if (!mem_fops || f->f_op != mem_fops || !f->private_data)
		goto err_put;
	/* What another user was granted is no right of this one. */
	ret = -EPERM;
	if (!ktr_permit_same_user(f->f_cred, owner))
		goto err_put;
	*file = f;
	return f->private_data;

err_put:
	fput(f);
	return ERR_PTR(ret);
}

/* As ptrace: the same namespace, or one below that this user has made. */
static bool within_ns(const struct cred *owner, const struct cred *cred)
{
	struct user_namespace *ns = cred->user_ns;

	if (ns == owner->user_ns)
		return cap_issubset(cred->cap_permitted, owner->cap_permitted);
	for (; ns->level > owner->user_ns->level; ns = ns->parent)
		if (ns->parent == owner->user_ns)
			return uid_eq(ns->owner, owner->euid);
	return false;
}

bool ktr_permit_cred(const struct cred *owner, const struct task_struct *task)
{
	const struct cred *cred = rcu_dereference_sched(task->real_cred);

	return uid_eq(cred->uid, owner->euid) && uid_eq(cred->euid, owner->euid) &&
	       uid_eq(cred->suid, owner->euid) && gid_eq(cred->gid, owner->egid) &&
	       gid_eq(cred->egid, owner->egid) && gid_eq(cred->sgid, owner->egid) &&
	       within_ns(owner, cred);
}

/*
 * It is written with the opener's rights: they must be no others than his. The module's
 * thread waits for the disk: the server of a FUSE mount is a process of anybody, and what
 * is mounted in a user namespace may lie on such a one.
 */
int ktr_permit_file(const struct cred *owner, const struct file *file)
{
	const struct super_block *sb = file_inode(file)->i_sb;

	if (!ktr_permit_same_user(file->f_cred, owner))
		return -EPERM;
	if (strstarts(sb->s_type->name, "fuse") ||
	    (sb->s_user_ns != &init_user_ns && sb->s_magic != TMPFS_MAGIC))
		return -EACCES;
	return 0;
}

bool ktr_permit_program(void)
{
	return ktr_task_dumpable(current);
}

/*
 * An exec changes the address space, then exec_id, then the credentials. They are
 * looked at in another order, so that one that comes in between is met here or
 * seen by the next probe.
 */
int ktr_permit_attach(const struct cred *owner, struct task_struct *task,
		      const struct mm_struct *mm, u64 *exec_id)
{
	int ret = 0;

	*exec_id = READ_ONCE(task->self_exec_id);
	smp_mb();		/* pairs with the locks of an exec, as said above */
	task_lock(task);	/* a spinlock: preemption is off */
	if (task->mm != mm)
		ret = -ESTALE;
	else if (task->flags & PF_KTHREAD || !ktr_permit_cred(owner, task) ||
		 !ktr_task_dumpable(task))
		ret = -EACCES;
	task_unlock(task);
	return ret;
}

/* The module's own: that of who loads it. */
void __init ktr_permit_init(void)
{
	struct file *f = filp_open("/proc/self/mem", O_RDONLY, 0);

	if (IS_ERR(f)) {
		pr_warn("cannot open /proc/self/mem (%ld): only privileged users may trace\n",
			PTR_ERR(f));
		return;
	}
	if (file_inode(f)->i_sb->s_magic == PROC_SUPER_MAGIC && f->private_data == current->mm)
		mem_fops = f->f_op;
	else
		pr_warn("this kernel's /proc/self/mem is not known: only privileged users may trace\n");
	filp_close(f, NULL);
}
