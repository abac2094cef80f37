// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device. Its node is open to all, since every check is made here: both opener
 * and caller must be privileged, or the one user whose session it is.
 *
 * A descriptor binds once, so "session" is written once, under bind_lock, and
 * read with acquire; the reference it holds lasts until release, which comes
 * after the last mapping has gone.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "device.h"
#include "permit.h"
#include "session.h"

struct open_file {
	struct mutex bind_lock;
	struct ktr_session *session;
	bool reads;		/* bind_lock */
	bool owns;		/* the session ends with this descriptor */
};

static struct ktr_session *bound(struct open_file *of)
{
	/* Pairs with the release in bind(). */
	return smp_load_acquire(&of->session);
}

static int ktr_dev_open(struct inode *inode, struct file *file)
{
	struct open_file *of = kzalloc(sizeof(*of), GFP_KERNEL_ACCOUNT);

	if (!of)
		return -ENOMEM;
	mutex_init(&of->bind_lock);
	file->private_data = of;
	return nonseekable_open(inode, file);
}

static int ktr_dev_release(struct inode *inode, struct file *file)
{
	struct open_file *of = file->private_data;

	if (of->session) {
		if (of->reads)
			ktr_session_read_end(of->session);
		if (of->owns)
			ktr_session_end(of->session);
		ktr_session_put(of->session);
	}
	kfree(of);
	return 0;
}

/* The caller may use what @file is bound to, if it is bound; @who may be NULL. */
static int check(struct file *file, struct ktr_who *who)
{
	struct ktr_session *s = bound(file->private_data);
	struct ktr_who mine;
	int ret;

	who = who ?: &mine;
	ret = ktr_permit_who(file, who, NULL);
	if (ret)
		return ret;
	return !s || ktr_session_is_his(s, who) ? 0 : -EPERM;
}

/* Takes over the caller's reference to @s when it returns 0. */
static int bind(struct open_file *of, struct ktr_session *s, bool reads, bool owns)
{
	int ret = -EBUSY;

	mutex_lock(&of->bind_lock);
	if (of->session)
		goto out;
	ret = reads ? ktr_session_read_begin(s, task_tgid_nr(current)) : 0;
	if (ret)
		goto out;
	of->reads = reads;
	of->owns = owns;
	smp_store_release(&of->session, s);	/* pairs with bound() */
out:
	mutex_unlock(&of->bind_lock);
	return ret;
}

static const struct file_operations fops;

int ktr_device_adopt(int fd, struct ktr_session *s)
{
	struct file *file = fget(fd);
	struct ktr_who who;
	int ret;

	if (!file)
		return -EBADF;
	ret = -EBADF;
	if (file->f_op != &fops)
		goto out;
	ret = ktr_permit_who(file, &who, NULL);
	if (!ret && !ktr_session_is_his(s, &who))
		ret = -EPERM;
	if (ret)
		goto out;
	kref_get(&s->ref);
	ret = bind(file->private_data, s, true, true);
	if (ret)
		ktr_session_put(s);
out:
	fput(file);
	return ret;
}

static int read_bind(struct ktr_bind *b, void __user *arg)
{
	if (copy_from_user(b, arg, sizeof(*b)))
		return -EFAULT;
	if (b->size != sizeof(*b))
		return -EINVAL;
	if (b->flags & ~KTR_BIND_F__ALL)
		return -EOPNOTSUPP;
	if (strnlen(b->name, sizeof(b->name)) == sizeof(b->name))
		return -EINVAL;
	if (!b->session == !b->name[0])
		return -EINVAL;
	return 0;
}

static long ioc_bind(struct open_file *of, const struct ktr_who *who, void __user *arg)
{
	struct ktr_session *s;
	struct ktr_bind b;
	int ret;

	ret = read_bind(&b, arg);
	if (ret)
		return ret;
	s = ktr_session_find(b.session, b.session ? NULL : b.name, who);
	if (!s)
		return -ENOENT;
	b.session = s->id;
	b.ncpus = nr_cpu_ids;
	b.buf_size = s->channel.size[KTR_RING_DATA];
	b.ctl_size = s->channel.size[KTR_RING_CONTROL];
	ret = -EFAULT;
	if (copy_to_user(arg, &b, sizeof(b)))
		goto err_put;
	ret = bind(of, s, !(b.flags & KTR_BIND_F_MARK), false);
	if (ret)
		goto err_put;
	return 0;

err_put:
	ktr_session_put(s);
	return ret;
}

static long ktr_dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct open_file *of = file->private_data;
	struct ktr_who who;
	int ret = check(file, &who);

	if (ret)
		return ret;
	switch (cmd) {
	case KTR_IOC_BIND:
		return ioc_bind(of, &who, (void __user *)arg);
	case KTR_IOC_FLUSH:
		if (!bound(of))
			return -ENOTCONN;
		ktr_channel_flush(&of->session->channel);
		return 0;
	}
	return -ENOTTY;
}

static int ktr_dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct open_file *of = file->private_data;
	struct ktr_session *s = bound(of);
	int ret = check(file, NULL);

	if (ret)
		return ret;
	if (!s || !of->reads)
		return -ENOTCONN;
	return ktr_channel_mmap(&s->channel, vma);
}

static __poll_t ktr_dev_poll(struct file *file, poll_table *wait)
{
	struct open_file *of = file->private_data;
	struct ktr_session *s = bound(of);

	if (!s || !of->reads)
		return EPOLLERR;
	poll_wait(file, &s->channel.wait, wait);
	return ktr_channel_poll(&s->channel);
}

static ssize_t ktr_dev_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	struct open_file *of = file->private_data;
	struct ktr_session *s = bound(of);
	int ret = check(file, NULL);
	void *text;

	if (ret)
		return ret;
	if (len > KTR_MARK_MAX)
		return -EINVAL;
	text = memdup_user(from, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (s)
		ret = ktr_session_mark(s, text, len);
	else
		ktr_session_mark_own(text, len);
	kfree(text);
	return ret ?: len;
}

static const struct file_operations fops = {
	.owner		= THIS_MODULE,
	.open		= ktr_dev_open,
	.release	= ktr_dev_release,
	.unlocked_ioctl	= ktr_dev_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= ktr_dev_mmap,
	.poll		= ktr_dev_poll,
	.write		= ktr_dev_write,
};

static struct miscdevice dev = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "ktracer",
	.fops	= &fops,
	.mode	= 0666,
};

int ktr_device_init(void)
{
	return misc_register(&dev);
}

void ktr_device_exit(void)
{
	misc_deregister(&dev);
}
