// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files below /proc/sys that are read or written: which variable, which way,
 * and the bytes that went over. These are taken from the caller's buffer when
 * the kernel is through with it, so the page is there. Plain users may not have
 * these events: see permit.c.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include "hooked.h"
#include "targets.h"

#define VALUE_MAX 256

struct access {
	const struct file *file;	/* the caller's, while the call lasts */
	const void *buf;
	bool user;			/* buf is the task's memory, not the kernel's */
	bool write;
};

static bool is_wanted(const struct ktr_target *t)
{
	return !ktr_target_armed(t) && ktr_wants(t->stream, KTR_KIND_sysctl);
}

static bool entered(const KTR_HOOK_REGS *regs, void *data)
{
	struct access *a = data;
	const struct iov_iter *iter;
	const struct kiocb *iocb;
	struct ktr_target *t;

	/* Most tasks are no targets: this is all they pay. */
	if (likely(hlist_empty(ktr_target_bucket(current))))
		return false;
	iocb = (const struct kiocb *)ktr_hook_argument(regs, 0);
	iter = (const struct iov_iter *)ktr_hook_argument(regs, 1);
	*a = (struct access){
		.file = iocb->ki_filp, .write = ktr_hook_argument(regs, 2),
		.user = user_backed_iter(iter),
	};
	if (a->user)
		a->buf = (const void __force *)ktr_iter_base(iter);
	else if (iov_iter_is_kvec(iter))
		a->buf = iter->kvec->iov_base + iter->iov_offset;
	ktr_for_each_privileged(t, current)
		if (is_wanted(t))
			return true;
	return false;
}

/*
 * As sysctl(8) writes it: dots between the parts, slashes for dots in one. The
 * dentries are pinned by the open file, and have no other name ever.
 */
static void put_name(char *name, u32 size, const struct dentry *d)
{
	char *end = name + size - 1, *at = end;
	u32 i;

	/* Up to "sys", which is below the root of the file system. */
	for (; !IS_ROOT(d) && !IS_ROOT(d->d_parent); d = d->d_parent) {
		if (at - name < d->d_name.len + 1)
			break;
		if (at != end)
			*--at = '.';
		for (i = d->d_name.len; i--; )
			*--at = d->d_name.name[i] == '.' ? '/' : d->d_name.name[i];
	}
	memmove(name, at, end - at);
	memset(name + (end - at), 0, size - (end - at));
}

/* Return: how many of the @len bytes there are. */
static u32 get_value(u8 *value, const struct access *a, u32 len)
{
	long ret = -EFAULT;

	len = min_t(u32, len, VALUE_MAX);
	if (a->user)
		ret = copy_from_user_nofault(value, (const void __user __force *)a->buf, len);
	else if (a->buf)
		ret = copy_from_kernel_nofault(value, a->buf, len);
	return ret ? 0 : len;
}

static void accessed(struct ktr_target *t, const struct access *a, s64 ret, const u8 *value,
		     u32 n)
{
	u32 room = round_up(n, 8);
	struct ktr_ev_sysctl *ev;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_sysctl, task_pid_nr(t->task),
			     sizeof(*ev) + room);
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->what = a->write ? KTR_SYSCTL_WRITE : KTR_SYSCTL_READ;
	ev->len = n;
	ev->ret = ret;
	put_name(ev->name, sizeof(ev->name), a->file->f_path.dentry);
	memcpy(ev + 1, value, n);
	memset((u8 *)(ev + 1) + n, 0, room - n);
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

static void left(unsigned long result, void *data)
{
	const struct access *a = data;
	s64 ret = (s64)result;
	u8 value[VALUE_MAX];
	struct ktr_target *t;
	u32 n;

	/* The end of the file is no value. */
	if (!ret && !a->write)
		return;
	n = ret > 0 ? get_value(value, a, min_t(s64, ret, VALUE_MAX)) : 0;
	ktr_for_each_privileged(t, current)
		if (is_wanted(t))
			accessed(t, a, ret, value, n);
}

struct ktr_hook ktr_hook_sysctl = {
	.name = "proc_sys_call_handler",
	.entered = entered,
	.left = left,
	.data_size = sizeof(struct access),
};
