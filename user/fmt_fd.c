// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_fd.c - what descriptors refer to, as the kernel found it at the call */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/stat.h>
#include "consts.h"
#include "fmt.h"
#include "json.h"

/* One descriptor of a section. */
struct fd_info {
	struct ktr_fd e;
	struct ktr_fd_sock s;	/* zero unless it is a socket */
	const unsigned char *name;
	bool exit;
};

/* The next one at *at; false at the end, or if the section is broken. */
static bool next(const struct sys_cap *c, size_t *at, struct fd_info *i)
{
	size_t len = c->h->len, n = *at;

	if (len - n < sizeof(i->e))
		return false;
	memcpy(&i->e, c->p + n, sizeof(i->e));
	n += sizeof(i->e);
	memset(&i->s, 0, sizeof(i->s));
	if (i->e.kind == KTR_FD_SOCKET) {
		if (len - n < sizeof(i->s))
			return false;
		memcpy(&i->s, c->p + n, sizeof(i->s));
		n += sizeof(i->s);
	}
	if (i->e.len > len - n)
		return false;
	i->name = c->p + n;
	i->exit = c->h->flags & KTR_CAP_F_EXIT;
	n += (i->e.len + 7u) & ~7u;
	*at = n < len ? n : len;
	return true;
}

/* Operations for descriptors stand behind all that the row itself needs. */
static bool is_fds(const struct fmt *f, const struct sys_cap *c)
{
	return f->desc && c->h->op >= f->plan.n;
}

static bool find(const struct fmt *f, int fd, bool exit, struct fd_info *i)
{
	for (unsigned int n = 0; f->r && n < f->r->ncaps; n++) {
		size_t at = 0;

		if (!is_fds(f, &f->r->cap[n]))
			continue;
		while (next(&f->r->cap[n], &at, i))
			if (i->e.fd == fd && i->exit == exit)
				return true;
	}
	return false;
}

/* Protocols whose addresses strace looks up; of others it says "socket". */
static bool is_known(const char *proto, size_t n)
{
	static const char *const names[] = {
		"UNIX", "UNIX-STREAM", "TCP", "UDP", "UDPLITE", "DCCP", "SCTP",
		"L2TP/IP", "PING", "RAW", "TCPv6", "UDPv6", "UDPLITEv6",
		"DCCPv6", "SCTPv6", "L2TP/IPv6", "PINGv6", "RAWv6", "NETLINK",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], proto, n))
			return true;
	return false;
}

static void put_inet(struct buf *b, const struct ktr_fd_sock *s,
		     const unsigned char *addr, uint16_t port)
{
	const char *ob = s->family == AF_INET6 ? "[" : "";
	const char *cb = s->family == AF_INET6 ? "]" : "";
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(s->family, addr, text, sizeof(text));
	buf_printf(b, "%s%s%s:%u", ob, text, cb, ntohs(port));
}

static bool has_peer(const struct ktr_fd_sock *s)
{
	static const unsigned char zero[16];

	return s->dport || memcmp(s->dst, zero, sizeof(zero));
}

static void put_unix(struct fmt *f, const struct fd_info *i)
{
	const unsigned char *p = i->name;
	size_t n = i->e.len;

	buf_udec(f->b, i->e.ino);
	if (i->s.peer)
		buf_printf(f->b, "->%u", i->s.peer);
	if (!n)
		return;
	buf_puts(f->b, *p ? "," : ",@");
	if (!*p) {
		p++;
		n--;
	}
	fmt_quote(f->b, f->v, p, strnlen((const char *)p, n));
}

static void put_netlink(struct buf *b, const struct ktr_fd_sock *s)
{
	const char *name = xlat_name(&xlat_netlink_protocols, s->protocol);

	if (name && !strncmp(name, "NETLINK_", 8))
		buf_printf(b, "%s:%u", name + 8, s->peer);
	else
		buf_udec(b, s->protocol);
}

/* TCP:[127.0.0.1:80->127.0.0.1:4000], or the inode while it has no address. */
static void put_socket(struct fmt *f, const struct fd_info *i)
{
	size_t n = strnlen(i->s.proto, sizeof(i->s.proto));
	const char *name = i->s.proto;
	bool inet = i->s.family == AF_INET || i->s.family == AF_INET6;

	if (!is_known(name, n)) {
		name = "socket";
		n = 6;
		inet = false;
	}
	buf_printf(f->b, "<%.*s:[", (int)n, name);
	if (n != 6 && i->s.family == AF_UNIX) {
		put_unix(f, i);
	} else if (i->s.family == AF_NETLINK && i->s.peer) {
		put_netlink(f->b, &i->s);
	} else if (inet && i->s.sport) {
		put_inet(f->b, &i->s, i->s.src, i->s.sport);
		if (has_peer(&i->s)) {
			buf_puts(f->b, "->");
			put_inet(f->b, &i->s, i->s.dst, i->s.dport);
		}
	} else {
		buf_udec(f->b, i->e.ino);
	}
	buf_puts(f->b, "]>");
}

int fmt_netlink_protocol(const struct fmt *f, int fd)
{
	struct fd_info i;

	if (!find(f, fd, false, &i) || i.e.kind != KTR_FD_SOCKET ||
	    i.s.family != AF_NETLINK)
		return -1;
	return i.s.protocol;
}

static bool is_device(const struct ktr_fd *e)
{
	return S_ISCHR(e->mode) || S_ISBLK(e->mode);
}

static void put_path(struct fmt *f, const struct fd_info *i, bool device)
{
	const struct ktr_fd *e = &i->e;

	buf_putc(f->b, '<');
	if (e->kind == KTR_FD_SOCKET)
		buf_printf(f->b, "socket:[%llu]", (unsigned long long)e->ino);
	else
		fmt_quote_name(f->b, f->v, i->name, e->len);
	if (device)
		buf_printf(f->b, "<%s %u:%u>", S_ISBLK(e->mode) ? "block" :
			   "char", e->rdev >> 20, e->rdev & 0xfffff);
	if (e->flags & KTR_FD_F_DELETED && e->fd == KTR_FD_CWD)
		buf_puts(f->b, " (deleted)");
	buf_putc(f->b, '>');
	if (e->flags & KTR_FD_F_DELETED && e->fd != KTR_FD_CWD)
		buf_puts(f->b, "(deleted)");
}

/* A pidfd of a process that is no more: -xx leaves its name as it is. */
static void put_ended(struct buf *b, const struct fd_info *i)
{
	const struct view plain = VIEW_DEFAULT;

	buf_putc(b, '<');
	fmt_quote_name(b, &plain, i->name, i->e.len);
	buf_putc(b, '>');
}

void fmt_fd_name(struct fmt *f, int fd)
{
	unsigned int how = f->v->decode_fds;
	struct fd_info i;

	if (f->json || !how || f->fds == FDS_NONE)
		return;
	if (!(f->fds == FDS_EXIT && find(f, fd, true, &i)) &&
	    !find(f, fd, false, &i))
		return;
	if (i.e.kind == KTR_FD_NONE)
		return;
	if (i.e.kind == KTR_FD_SOCKET && how & VIEW_FD_SOCKET)
		put_socket(f, &i);
	else if (i.e.kind == KTR_FD_PIDFD && how & VIEW_FD_PIDFD && i.e.pid > 0)
		buf_printf(f->b, "<pid:%d>", i.e.pid);
	else if (i.e.flags & KTR_FD_F_NO_NAME)
		return;
	else if (i.e.kind == KTR_FD_PIDFD && how & VIEW_FD_PIDFD)
		put_ended(f->b, &i);
	else if (is_device(&i.e) && how & VIEW_FD_DEV)
		put_path(f, &i, true);
	else if (how & VIEW_FD_PATH)
		put_path(f, &i, false);
}

static void json_inet(struct fmt *f, const char *name,
		      const struct ktr_fd_sock *s, const unsigned char *addr,
		      uint16_t port)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(s->family, addr, text, sizeof(text));
	json_name(f->b, name);
	fmt_open(f, '{');
	json_text(f->b, "addr", text);
	json_udec(f->b, "port", ntohs(port));
	fmt_close(f, '}');
}

static void json_socket(struct fmt *f, const struct fd_info *i)
{
	char proto[sizeof(i->s.proto) + 1] = "";

	memcpy(proto, i->s.proto, sizeof(i->s.proto));
	json_text(f->b, "proto", proto);
	json_name(f->b, "family");
	fmt_enum(f, &xlat_addrfams, i->s.family);
	json_udec(f->b, "type", i->s.type);
	json_udec(f->b, "protocol", i->s.protocol);
	if (i->s.family == AF_UNIX) {
		if (i->s.peer)
			json_udec(f->b, "peer", i->s.peer);
	} else if (i->s.family == AF_NETLINK) {
		json_udec(f->b, "portid", i->s.peer);
	} else if (i->s.sport) {
		json_inet(f, "src", &i->s, i->s.src, i->s.sport);
		if (has_peer(&i->s))
			json_inet(f, "dst", &i->s, i->s.dst, i->s.dport);
	}
	if (i->e.len) {
		json_name(f->b, "name");
		json_bytes(f->b, i->name, i->e.len);
	}
}

static const char *kind_name(const struct ktr_fd *e)
{
	switch (e->kind) {
	case KTR_FD_NONE: return "closed";
	case KTR_FD_SOCKET: return "socket";
	case KTR_FD_PIDFD: return "pidfd";
	}
	if (S_ISCHR(e->mode))
		return "char";
	if (S_ISBLK(e->mode))
		return "block";
	if (S_ISFIFO(e->mode))
		return "pipe";
	return S_ISDIR(e->mode) ? "dir" : S_ISREG(e->mode) ? "file" : "other";
}

static void json_flag(struct fmt *f, const char *name)
{
	json_name(f->b, name);
	buf_puts(f->b, "true");
}

static void json_fd(struct fmt *f, const struct fd_info *i)
{
	const struct ktr_fd *e = &i->e;

	fmt_open(f, '{');
	json_dec(f->b, "fd", e->fd);
	json_text(f->b, "at", i->exit ? "exit" : "entry");
	json_text(f->b, "kind", kind_name(e));
	if (e->kind == KTR_FD_SOCKET) {
		json_socket(f, i);
	} else if (e->kind != KTR_FD_NONE && !(e->flags & KTR_FD_F_NO_NAME)) {
		json_name(f->b, "path");
		json_bytes(f->b, i->name, e->len);
	}
	if (e->flags & KTR_FD_F_DELETED)
		json_flag(f, "deleted");
	if (e->flags & KTR_FD_F_NO_NAME)
		json_flag(f, "unnamed");
	if (e->kind == KTR_FD_PIDFD)
		json_dec(f->b, "pid", e->pid);
	if (e->kind != KTR_FD_NONE) {
		json_udec(f->b, "ino", e->ino);
		json_udec(f->b, "dev_major", e->dev >> 20);
		json_udec(f->b, "dev_minor", e->dev & 0xfffff);
	}
	if (is_device(e)) {
		json_udec(f->b, "rdev_major", e->rdev >> 20);
		json_udec(f->b, "rdev_minor", e->rdev & 0xfffff);
	}
	fmt_close(f, '}');
}

void json_fds(struct fmt *f)
{
	bool any = false;

	for (unsigned int n = 0; n < f->r->ncaps; n++) {
		struct fd_info i;
		size_t at = 0;

		if (!is_fds(f, &f->r->cap[n]))
			continue;
		while (next(&f->r->cap[n], &at, &i)) {
			if (!any) {
				json_name(f->b, "fds");
				fmt_open(f, '[');
			}
			any = true;
			fmt_sep(f);
			json_fd(f, &i);
		}
	}
	if (any)
		fmt_close(f, ']');
}
