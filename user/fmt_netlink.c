// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_netlink.c - netlink messages by the protocol of their socket */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include "consts.h"
#include "netlink.h"

#define HEAD NLMSG_HDRLEN

/* One message, of which n bytes are known. */
struct message {
	unsigned int len, type, flags, seq, pid;
	const unsigned char *p;
	size_t n;
	bool cut;		/* it has more than is known */
};

static void put_message(struct fmt *f, int protocol, const struct message *m);

static struct message load(const unsigned char *p, size_t n, uint64_t total)
{
	struct native_nlmsghdr h;
	struct message m = { .p = p, .n = n };

	memcpy(&h, p, sizeof(h));
	m.len = h.nlmsg_len;
	m.type = h.nlmsg_type;
	m.flags = h.nlmsg_flags;
	m.seq = h.nlmsg_seq;
	m.pid = h.nlmsg_pid;
	if (m.len <= n)
		m.n = m.len;
	else
		m.cut = n < total;
	return m;
}

/* NETLINK_GENERIC: only nlctrl is known, which tells the others' numbers. */
static const struct xlat *types_of(int protocol)
{
	switch (protocol) {
	case NETLINK_ROUTE: return &xlat_rtm_types;
	case NETLINK_SOCK_DIAG: return &xlat_diag_types;
	case NETLINK_AUDIT: return &xlat_audit_types;
	case NETLINK_XFRM: return &xlat_xfrm_types;
	case NETLINK_SELINUX: return &xlat_selinux_types;
	case NETLINK_CRYPTO: return &xlat_crypto_types;
	case NETLINK_GENERIC: return &xlat_genl_ids;
	default: return &xlat_nl_types;
	}
}

/* Subsystem and message of it in a byte each. */
static void put_netfilter_type(struct fmt *f, unsigned int type)
{
	size_t from = fmt_text_begin(f);

	fmt_xlat_enum(f->b, f->v, &xlat_nfnl_subsys, type >> 8);
	buf_printf(f->b, "<<8|%s", type & 0xff ? "" : "0");
	if (type & 0xff)
		buf_hex(f->b, type & 0xff);
	fmt_text_end(f, from);
}

static void put_type(struct fmt *f, int protocol, unsigned int type)
{
	if (type < NLMSG_MIN_TYPE)
		fmt_enum(f, &xlat_nl_types, type);
	else if (protocol == NETLINK_NETFILTER &&
		 xlat_name(&xlat_nfnl_batch, type))
		fmt_enum(f, &xlat_nfnl_batch, type);
	else if (protocol == NETLINK_NETFILTER)
		put_netfilter_type(f, type);
	else
		fmt_enum(f, types_of(protocol), type);
}

/* Some bits mean one thing in requests to make and another in those to list. */
static const struct xlat *flags_of(int protocol, unsigned int type)
{
	static const struct xlat *const by_verb[] = {
		&xlat_nl_new_flags, &xlat_nl_delete_flags, &xlat_nl_get_flags,
		&xlat_nl_flags,
	};

	if (type < NLMSG_MIN_TYPE)
		return type == NLMSG_ERROR ? &xlat_nl_ack_flags :
					     &xlat_nl_flags;
	if (protocol == NETLINK_SOCK_DIAG)
		return &xlat_nl_get_flags;
	if (protocol == NETLINK_ROUTE && type == RTM_DELACTION)
		return &xlat_nl_get_flags;
	if (protocol == NETLINK_ROUTE)
		return by_verb[type & 3];
	return &xlat_nl_flags;
}

static void put_head(struct fmt *f, int protocol, const struct message *m)
{
	fmt_open(f, '{');
	fmt_name(f, "nlmsg_len");
	fmt_udec(f, m->len);
	fmt_name(f, "nlmsg_type");
	put_type(f, protocol, m->type);
	fmt_name(f, "nlmsg_flags");
	fmt_flags(f, flags_of(protocol, m->type), m->flags);
	fmt_name(f, "nlmsg_seq");
	fmt_udec(f, m->seq);
	fmt_name(f, "nlmsg_pid");
	fmt_dec(f, (int32_t)m->pid);
	fmt_close(f, '}');
}

/* What was asked for, of n bytes. Return: the bytes it takes. */
static size_t put_asked(struct fmt *f, int protocol, const struct message *m,
			const unsigned char *p, size_t n)
{
	struct message of;

	fmt_name(f, "msg");
	of = load(p, n, n);
	of.n = m->flags & NLM_F_CAPPED ? HEAD : of.len;
	if (of.n > n)
		of.n = n;
	put_message(f, protocol, &of);
	return NLMSG_ALIGN(of.n);
}

static void put_code(struct fmt *f, int32_t code)
{
	const char *name = xlat_name(&xlat_errnos, -(int64_t)code);

	if (f->json || f->v->xlat == VIEW_ABBREV)
		return fmt_word(f, K_NEGERR, NULL, (uint32_t)code, 4);
	fmt_dec(f, code);
	if (name && f->v->xlat == VIEW_VERBOSE)
		buf_printf(f->b, " /* -%s */", name);
}

/* An answer: a code, what it is about, and perhaps words about it. */
static void put_error(struct fmt *f, int protocol, const struct message *m,
		      const unsigned char *p, size_t n)
{
	bool words = m->flags & NLM_F_ACK_TLVS;
	size_t asked;

	if (n < 4 + HEAD)
		return fmt_nlbytes(f, p, n);
	if (words)
		fmt_open(f, '[');
	fmt_open(f, '{');
	fmt_name(f, "error");
	put_code(f, fmt_load(p, 4));
	p += 4;
	n -= 4;
	asked = put_asked(f, protocol, m, p, n);
	fmt_close(f, '}');
	if (words && asked < n) {
		fmt_sep(f);
		fmt_nlattrs(f, &nlset_nlmsgerr, p + asked, n - asked, 0);
	}
	if (words)
		fmt_close(f, ']');
}

/* A message without a row: only its first byte is sure to be what it says. */
static void put_family(struct fmt *f, const unsigned char *p, size_t n)
{
	fmt_open(f, '{');
	fmt_name(f, "family");
	fmt_enum(f, &xlat_addrfams, p[0]);
	if (n > 1) {
		fmt_name(f, "data");
		fmt_nlbytes(f, p + 1, n - 1);
	}
	fmt_close(f, '}');
}

static void put_body(struct fmt *f, const struct sys_layout *head,
		     const struct nl_set *set, const unsigned char *p,
		     size_t n)
{
	size_t size = NLMSG_ALIGN(head->size[0]);

	if (n < head->size[0]) {
		fmt_open(f, '{');
		fmt_name(f, head->fields[0].name);
		fmt_word(f, head->fields[0].kind, head->fields[0].tab,
			 fmt_load(p, 1), 1);
		fmt_more(f);
		return fmt_close(f, '}');
	}
	fmt_layout(f, head, p);
	if (n > size) {
		fmt_sep(f);
		fmt_nlattrs(f, set, p + size, n - size, p[0]);
	}
}

static void put_route(struct fmt *f, unsigned int type, const unsigned char *p,
		      size_t n)
{
	for (unsigned int i = 0; i < nl_route_msgs_n; i++) {
		const struct nl_msg *r = &nl_route_msgs[i];

		if (type >= r->first && type <= r->last)
			return put_body(f, r->head, r->set, p, n);
	}
	put_family(f, p, n);
}

static bool put_netfilter(struct fmt *f, unsigned int type,
			  const unsigned char *p, size_t n)
{
	if (n < sizeof(struct nfgenmsg))
		return false;
	fmt_open(f, '{');
	fmt_fields(f, &layout_nfgenmsg, p);
	fmt_name(f, "res_id");
	fmt_nlport(f, p + 2);
	fmt_close(f, '}');
	p += sizeof(struct nfgenmsg);
	n -= sizeof(struct nfgenmsg);
	if (n) {
		fmt_sep(f);
		if (xlat_name(&xlat_nfnl_batch, type))
			fmt_nlbytes(f, p, n);
		else
			fmt_nlattrs(f, &nlset_none, p, n, 0);
	}
	return true;
}

static bool put_known(struct fmt *f, int protocol, unsigned int type,
		      const unsigned char *p, size_t n)
{
	switch (type < NLMSG_MIN_TYPE ? -1 : protocol) {
	case NETLINK_ROUTE:
		put_route(f, type, p, n);
		return true;
	case NETLINK_SOCK_DIAG:
		if (!fmt_nldiag(f, type, p, n))
			put_family(f, p, n);
		return true;
	case NETLINK_NETFILTER:
		return put_netfilter(f, type, p, n);
	default:
		return false;
	}
}

static void put_payload(struct fmt *f, int protocol, const struct message *m)
{
	const unsigned char *p = m->p + HEAD;
	size_t n = m->n - HEAD;

	if (m->type == NLMSG_ERROR)
		put_error(f, protocol, m, p, n);
	else if (m->type == NLMSG_DONE && n == 4)
		fmt_dec(f, (int32_t)fmt_load(p, 4));
	else if (!put_known(f, protocol, m->type, p, n))
		fmt_nlbytes(f, p, n);
}

static void put_message(struct fmt *f, int protocol, const struct message *m)
{
	bool more = m->len > HEAD && (m->n > HEAD || m->cut);

	if (more)
		fmt_open(f, '[');
	put_head(f, protocol, m);
	if (more && m->cut) {
		fmt_more(f);
	} else if (more) {
		fmt_sep(f);
		put_payload(f, protocol, m);
	}
	if (more)
		fmt_close(f, ']');
}

/* The kernel's are text; those of udev begin with a header of its own. */
static void put_uevent(struct fmt *f, const unsigned char *p, size_t n,
		       uint64_t total)
{
	const struct sys_layout *l = &layout_uevent_monitor;
	struct mem m = { .p = p, .len = n, .have = true };

	if (n < l->size[0] || memcmp(p, "libudev", 8))
		return fmt_data(f, &m, total);
	fmt_layout(f, l, p);
	if (n > l->size[0]) {
		m.p += l->size[0];
		m.len -= l->size[0];
		fmt_sep(f);
		fmt_data(f, &m, total - l->size[0]);
	}
}

void fmt_netlink(struct fmt *f, int protocol, const unsigned char *p, size_t n,
		 uint64_t total)
{
	bool array = false;

	if (protocol == NETLINK_KOBJECT_UEVENT)
		return put_uevent(f, p, n, total);
	if (n < HEAD)
		return fmt_nlbytes(f, p, n);
	for (unsigned int i = 0;; i++) {
		struct message m = load(p, n, total);
		size_t step = NLMSG_ALIGN((size_t)m.len);
		bool more = m.len >= HEAD && step < total;

		if (!fmt_nlitem(f, i, more, &array))
			break;
		put_message(f, protocol, &m);
		if (!more)
			break;
		if (step >= n || n - step < HEAD) {
			if (step < n && n == total) {
				fmt_sep(f);
				fmt_nlbytes(f, p + step, n - step);
			} else {
				fmt_more(f);
			}
			break;
		}
		p += step;
		n -= step;
		total -= step;
	}
	if (array)
		fmt_close(f, ']');
}
