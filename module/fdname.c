// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a descriptor of the running task refers to, at this moment.
 *
 * Runs at entry and exit of syscalls only, where the task holds no lock of the
 * kernel: d_path() and the sockets' state take spinlocks (of the directory
 * cache if a rename is under way, of the mount tree, of fs_struct, of a UNIX
 * socket). In a probe that can hit anywhere, the one interrupted may hold them.
 * None of them is taken in interrupts, and none is held across a sleep, so
 * preemption may be off here.
 *
 * d_path() itself does not sleep: it walks the cache under RCU and asks no
 * filesystem but those that make names up (pipes, sockets, anonymous inodes),
 * which print into the buffer.
 */
#include <linux/bottom_half.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kdev_t.h>
#include <linux/magic.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/af_unix.h>
#include <net/sock.h>
#include "fdname.h"

static const char gone[] = " (deleted)";

static u32 dev_of(dev_t dev)
{
	return MAJOR(dev) << 20 | MINOR(dev);
}

static void put_inode(struct ktr_fd *e, const struct inode *inode)
{
	e->mode = inode->i_mode;
	e->ino = inode->i_ino;
	e->rdev = dev_of(inode->i_rdev);
	e->dev = dev_of(inode->i_sb->s_dev);
}

/*
 * d_path() says so only in its text, where a file could be called that. It is
 * true only of an entry that is in no directory.
 */
static void put_path(struct ktr_fd *e, const struct path *path, char *dst, u32 max)
{
	const u32 suffix = sizeof(gone) - 1;
	char *name = d_path(path, dst, max);
	u32 len;

	if (IS_ERR(name)) {
		e->flags |= KTR_FD_F_NO_NAME;
		return;
	}
	len = strlen(name);
	if (len > suffix && d_unhashed(path->dentry) &&
	    !memcmp(name + len - suffix, gone, suffix)) {
		len -= suffix;
		e->flags |= KTR_FD_F_DELETED;
	}
	memmove(dst, name, len);
	e->len = len;
}

/* The path cannot go while fs_struct, whose it is, is locked. */
static void put_cwd(struct ktr_fd *e, char *dst, u32 max)
{
	struct fs_struct *fs = current->fs;

	ktr_fs_lock(fs);
	e->kind = KTR_FD_FILE;
	put_inode(e, d_inode(fs->pwd.dentry));
	put_path(e, &fs->pwd, dst, max);
	ktr_fs_unlock(fs);
}

/*
 * Words that other threads may change meanwhile, each whole: the addresses of
 * a socket that is being connected may not belong together yet.
 */
static void put_inet(struct ktr_fd_sock *s, const struct sock *sk)
{
	s->sport = htons(READ_ONCE(sk->sk_num));
	s->dport = READ_ONCE(sk->sk_dport);
	if (sk->sk_family == AF_INET) {
		memcpy(s->src, &sk->sk_rcv_saddr, 4);
		memcpy(s->dst, &sk->sk_daddr, 4);
	}
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6) {
		memcpy(s->src, &sk->sk_v6_rcv_saddr, 16);
		memcpy(s->dst, &sk->sk_v6_daddr, 16);
	}
#endif
}

/* Its lock keeps the other end; its own address is set once and stays. */
static void put_unix(struct ktr_fd *e, struct ktr_fd_sock *s, struct sock *sk,
		     char *dst, u32 max)
{
	const struct unix_address *addr;
	struct sock *peer;

	/* Pairs with the release by which bind() shows an address that is whole. */
	addr = smp_load_acquire(&unix_sk(sk)->addr);
	unix_state_lock(sk);
	peer = unix_peer(sk);
	if (peer)
		s->peer = sock_i_ino(peer);
	unix_state_unlock(sk);
	if (!addr)
		return;
	e->len = addr->len - offsetof(struct sockaddr_un, sun_path);
	if (e->len > max) {
		e->len = 0;
		e->flags |= KTR_FD_F_NO_NAME;
		return;
	}
	memcpy(dst, addr->name->sun_path, e->len);
}

/*
 * The port id is in no header. Asking the socket is harmless for this family:
 * others lock the socket for it, and sleep.
 */
static void put_netlink(struct ktr_fd_sock *s, struct socket *sock)
{
	struct sockaddr_storage addr = {};

	if (READ_ONCE(sock->ops)->getname(sock, (struct sockaddr *)&addr, 0) > 0)
		s->peer = ((struct sockaddr_nl *)&addr)->nl_pid;
}

static void put_socket(struct ktr_fd *e, struct socket *sock, struct ktr_fd_sock *s, u32 max)
{
	struct sock *sk = sock->sk;

	memset(s, 0, sizeof(*s));
	e->kind = KTR_FD_SOCKET;
	s->type = sock->type;
	if (!sk)
		return;
	s->family = sk->sk_family;
	s->protocol = sk->sk_protocol;
	s->state = READ_ONCE(sk->sk_state);
	memcpy(s->proto, sk->sk_prot_creator->name,
	       strnlen(sk->sk_prot_creator->name, sizeof(s->proto)));
	switch (sk->sk_family) {
	case AF_INET:
	case AF_INET6:
		return put_inet(s, sk);
	case AF_UNIX:
		return put_unix(e, s, sk, (char *)(s + 1), max);
	case AF_NETLINK:
		return put_netlink(s, sock);
	}
}

static bool is_pidfd(const struct file *file, const struct ktr_fd *e, const char *name)
{
	return file->f_path.dentry->d_sb->s_magic == KTR_PIDFD_MAGIC &&
	       e->len == 18 && !memcmp(name, "anon_inode:[pidfd]", 18);
}

static void put_file(struct ktr_fd *e, struct file *file, char *dst, u32 max)
{
	e->kind = KTR_FD_FILE;
	put_path(e, &file->f_path, dst, max);
	if (is_pidfd(file, e, dst)) {
		struct pid *pid = ktr_pidfd_pid(file);

		e->kind = KTR_FD_PIDFD;
		e->pid = pid_has_task(pid, PIDTYPE_PID) ? pid_nr(pid) : -1;
	}
}

/*
 * Another thread may have closed it: ours is the last reference then, and what
 * the end of the file does must not wait until this task comes out of its call.
 * With softirqs off fput() gives it to a worker.
 */
static void put_back(struct file *file)
{
	local_bh_disable();
	fput(file);
	local_bh_enable();
}

static enum ktr_io_kind socket_kind(struct file *file)
{
	const struct socket *sock = sock_from_file(file);

	return sock && sock->sk && sock->sk->sk_family == AF_NETLINK ? KTR_IO_NETLINK :
								       KTR_IO_SOCKET;
}

enum ktr_io_kind ktr_fd_io_kind(int fd)
{
	struct file *file = fget_raw(fd);
	enum ktr_io_kind kind = KTR_IO_OTHER;
	umode_t mode;

	if (!file)
		return kind;
	mode = file_inode(file)->i_mode;
	if (S_ISSOCK(mode))
		kind = socket_kind(file);
	else if (S_ISFIFO(mode))
		kind = KTR_IO_PIPE;
	else if (S_ISCHR(mode))
		kind = KTR_IO_CHAR;
	else if (S_ISREG(mode) || S_ISDIR(mode) || S_ISBLK(mode))
		kind = KTR_IO_FILE;
	put_back(file);
	return kind;
}

u32 ktr_fdname(int fd, void *dst, u32 max)
{
	struct ktr_fd *e = dst;
	u32 used = sizeof(*e);
	struct socket *sock;
	struct file *file;

	*e = (struct ktr_fd){ .fd = fd, .kind = KTR_FD_NONE };
	if (fd == KTR_FD_CWD) {
		put_cwd(e, (char *)(e + 1), max);
		return used + e->len;
	}
	file = fget_raw(fd);
	if (!file)
		return used;
	put_inode(e, file_inode(file));
	sock = sock_from_file(file);
	if (sock) {
		used += sizeof(struct ktr_fd_sock);
		put_socket(e, sock, (struct ktr_fd_sock *)(e + 1), max);
	} else {
		put_file(e, file, (char *)(e + 1), max);
	}
	put_back(file);
	return used + e->len;
}
