// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_net.c - socket addresses, messages, options */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include "consts.h"
#include "fmt.h"
#include "fmt_signal.h"
/* It has macros with names of members: after these. */
#include <linux/if_arp.h>

#define IPX_BYTES 16
#define IN6_LEAST 24	/* an AF_INET6 address without its scope */
#define UNIX_MOST 110	/* struct sockaddr_un: what is behind it is no path */

void fmt_in6(struct fmt *f, const void *p, const char *name)
{
	size_t from = fmt_text_begin(f);
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, p, text, sizeof(text));
	if (f->v->xlat != VIEW_ABBREV)
		fmt_raw_bytes(f, p, 16);
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " /* ");
	if (f->v->xlat != VIEW_RAW) {
		buf_puts(f->b, "inet_pton(AF_INET6, ");
		fmt_quote(f->b, f->v, text, strlen(text));
		if (name && f->v->xlat == VIEW_ABBREV)
			buf_printf(f->b, ", &%s", name);
		buf_putc(f->b, ')');
	}
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " */");
	fmt_text_end(f, from);
}

static void put_unix(struct fmt *f, const unsigned char *path, size_t n)
{
	if (!n)
		return;
	fmt_name(f, "sun_path");
	if (path[0]) {
		fmt_bytes(f, path, strnlen((const char *)path, n), false);
	} else if (f->json) {
		fmt_bytes(f, path, n, false);
	} else {
		buf_putc(f->b, '@');
		fmt_bytes(f, path + 1, n - 1, false);
	}
}

/* Strace's way with the bytes of a link layer's address; of "len" there are "n". */
static void put_node(struct fmt *f, const char *name, const unsigned char *p,
		     size_t n, size_t len)
{
	fmt_name(f, name);
	if (f->json)
		return fmt_bytes(f, p, n, n < len);
	fmt_open(f, '[');
	for (size_t i = 0; i < n; i++) {
		fmt_sep(f);
		buf_printf(f->b, "%#02x", p[i]);
	}
	if (n < len)
		fmt_more(f);
	fmt_close(f, ']');
}

/* As many bytes of an address as it says, or as there are. */
static void put_linklayer(struct fmt *f, const unsigned char *p, size_t n)
{
	const size_t head = 12;
	size_t len = p[11], shown = len < n - head ? len : n - head;

	fmt_open(f, '{');
	fmt_fields(f, &layout_sockaddr_ll, p);
	if (shown)
		put_node(f, "sll_addr", p + head, shown, len);
	fmt_close(f, '}');
}

/* A struct sockaddr_ipx. Linux has had none since 5.15, but requests still may. */
static void put_ipx(struct fmt *f, const unsigned char *p)
{
	size_t from;

	fmt_name(f, "sipx_port");
	fmt_word(f, K_PORT, NULL, fmt_load(p + 2, 2), 2);
	fmt_name(f, "sipx_network");
	fmt_word(f, K_HTONLX, NULL, fmt_load(p + 4, 4), 4);
	put_node(f, "sipx_node", p + 8, 6, 6);
	fmt_name(f, "sipx_type");
	if (f->json)
		return fmt_udec(f, p[14]);
	from = fmt_text_begin(f);
	buf_printf(f->b, "%#02x", p[14]);
	fmt_text_end(f, from);
}

static const struct sys_layout *in6_layout(const unsigned char *p)
{
	struct in6_addr addr;

	memcpy(&addr, p + offsetof(struct sockaddr_in6, sin6_addr), sizeof(addr));
	if (IN6_IS_ADDR_LINKLOCAL(&addr) || IN6_IS_ADDR_MC_LINKLOCAL(&addr))
		return &layout_sockaddr_in6_link;
	return &layout_sockaddr_in6;
}

static const struct sys_layout *family_layout(unsigned int family,
					      const unsigned char *p, size_t len)
{
	const struct sys_layout *l = family == AF_INET ? &layout_sockaddr_in :
		family == AF_INET6 ? in6_layout(p) :
		family == AF_NETLINK ? &layout_sockaddr_nl :
		family == AF_PACKET ? &layout_sockaddr_ll : NULL;

	if (!l || len < (family == AF_INET6 ? IN6_LEAST : l->size[0]))
		return NULL;
	return l;
}

void fmt_sockaddr(struct fmt *f, const struct mem *m, uint64_t addr, int len)
{
	size_t n = len < 0 ? 0 : m->len < (size_t)len ? m->len : (size_t)len;
	unsigned char whole[128] = { 0 };
	const struct sys_layout *l;
	unsigned int family;

	if (n < 2)
		return fmt_addr(f, addr);
	if (n > sizeof(whole))
		n = sizeof(whole);
	memcpy(whole, m->p, n);
	family = fmt_load(whole, 2);
	if (family == AF_UNIX && n > UNIX_MOST)
		n = UNIX_MOST;
	l = family_layout(family, whole, n);
	if (l == &layout_sockaddr_ll)
		return put_linklayer(f, whole, n);
	if (l && family == AF_INET6 && n == IN6_LEAST) {
		fmt_open(f, '{');
		f->room = n;
		fmt_fields(f, l, whole);
		f->room = 0;
		return fmt_close(f, '}');
	}
	if (l)
		return fmt_layout(f, l, whole);
	fmt_open(f, '{');
	fmt_name(f, "sa_family");
	fmt_enum(f, &xlat_addrfams, family);
	if (family == AF_UNIX) {
		put_unix(f, whole + 2, n - 2);
	} else if (family == AF_IPX && n >= IPX_BYTES) {
		put_ipx(f, whole);
	} else if (n > 2) {
		fmt_name(f, "sa_data");
		fmt_bytes(f, whole + 2, n - 2, false);
	}
	fmt_close(f, '}');
}

/* What a control message carries. */
static void put_cmsg_data(struct fmt *f, uint32_t level, uint32_t type,
			  const unsigned char *p, size_t n)
{
	struct mem m = { .p = p, .len = n };

	if (level != SOL_SOCKET || type < SCM_RIGHTS ||
	    type > SCM_CREDENTIALS) {
		fmt_data(f, &m, n);
	} else if (type == SCM_CREDENTIALS && n >= sizeof(struct ucred)) {
		fmt_layout(f, &layout_ucred, p);
	} else {
		fmt_open(f, '[');
		for (size_t i = 0; i + 4 <= n; i += 4) {
			fmt_sep(f);
			fmt_word(f, K_FD, NULL, fmt_load(p + i, 4), 4);
		}
		fmt_close(f, ']');
	}
}

static void put_cmsg(struct fmt *f, const unsigned char *p, size_t len,
		     unsigned int word)
{
	uint32_t level = fmt_load(p + word, 4), type = fmt_load(p + word + 4, 4);

	fmt_open(f, '{');
	fmt_name(f, "cmsg_len");
	fmt_udec(f, fmt_load(p, word));
	fmt_name(f, "cmsg_level");
	fmt_enum(f, &xlat_sock_levels, level);
	fmt_name(f, "cmsg_type");
	if (level == SOL_SOCKET)
		fmt_enum(f, &xlat_scm_types, type);
	else
		fmt_hex(f, type);
	if (len > word + 8) {
		fmt_name(f, "cmsg_data");
		put_cmsg_data(f, level, type, p + word + 8, len - word - 8);
	}
	fmt_close(f, '}');
}

/* A whole message at least; else only its address can be shown. */
static bool first_fits(const struct fmt *f, const struct mem *m)
{
	unsigned int word = f->abi == KTR_ABI_COMPAT ? 4 : 8;
	uint64_t len = m->len >= word + 8 ? fmt_load(m->p, word) : 0;

	return len >= word + 8 && len <= m->len;
}

static void put_control(struct fmt *f, const struct mem *m)
{
	unsigned int word = f->abi == KTR_ABI_COMPAT ? 4 : 8;
	size_t at = 0;

	fmt_open(f, '[');
	while (m->len - at >= word + 8) {
		uint64_t len = fmt_load(m->p + at, word);

		if (len < word + 8 || len > m->len - at)
			break;
		fmt_sep(f);
		put_cmsg(f, m->p + at, len, word);
		at += (len + word - 1) & ~(uint64_t)(word - 1);
		if (at > m->len)
			break;
	}
	if (at < m->len)
		fmt_more(f);
	fmt_close(f, ']');
}

/* The members of a message header, in the width of its ABI. */
struct message {
	uint64_t name, iov, iovlen, control, controllen;
	int namelen;
	uint32_t flags;
};

static struct message load_message(const struct fmt *f, const void *p)
{
	struct native_msghdr n;
	struct compat_msghdr c;

	if (f->abi == KTR_ABI_NATIVE) {
		memcpy(&n, p, sizeof(n));
		return (struct message){ n.msg_name, n.msg_iov, n.msg_iovlen,
			n.msg_control, n.msg_controllen, n.msg_namelen,
			n.msg_flags };
	}
	memcpy(&c, p, sizeof(c));
	return (struct message){ c.msg_name, c.msg_iov, c.msg_iovlen,
		c.msg_control, c.msg_controllen, c.msg_namelen, c.msg_flags };
}

static void put_part(struct fmt *f, uint64_t addr, const struct mem *m)
{
	if (m->have)
		fmt_bad(f, addr, addr && m->flags & KTR_CAP_F_UNREADABLE &&
				 !f->failed && !f->r->begun);
	else
		fmt_addr(f, addr);
}

static void put_message(struct fmt *f, const void *p, unsigned int reg,
			unsigned int role, bool out, int namelen_in,
			uint64_t bytes)
{
	struct message h = load_message(f, p);
	struct mem m = fmt_mem(f, reg, role, out);
	int netlink = -1;

	fmt_open(f, '{');
	fmt_name(f, "msg_name");
	if (m.len >= 2 && h.namelen >= 2 && fmt_load(m.p, 2) == AF_NETLINK)
		netlink = fmt_netlink_protocol(f, fmt_reg(f, 0));
	if (m.len >= 2 && h.namelen >= 2)
		fmt_sockaddr(f, &m, h.name, out && namelen_in < h.namelen ?
					    namelen_in : h.namelen);
	else
		put_part(f, h.name, &m);
	fmt_name(f, "msg_namelen");
	if (out && namelen_in != h.namelen && !f->json) {
		fmt_dec(f, namelen_in);
		buf_puts(f->b, " => ");
	}
	fmt_dec(f, h.namelen);
	m = fmt_mem(f, reg, role + 1, out);
	fmt_name(f, "msg_iov");
	if (m.len || (h.iov && !h.iovlen))
		fmt_iov(f, &m, h.iov, h.iovlen, bytes, netlink);
	else
		put_part(f, h.iov, &m);
	fmt_name(f, "msg_iovlen");
	fmt_udec(f, h.iovlen);
	m = fmt_mem(f, reg, role + 2, out);
	if (h.controllen) {
		fmt_name(f, "msg_control");
		if (first_fits(f, &m))
			put_control(f, &m);
		else
			put_part(f, h.control, &m);
	}
	fmt_name(f, "msg_controllen");
	fmt_udec(f, h.controllen);
	fmt_name(f, "msg_flags");
	fmt_flags(f, &xlat_msg_flags, h.flags);
	fmt_close(f, '}');
}

void fmt_msghdr(struct fmt *f, unsigned int reg, bool out)
{
	struct mem m = fmt_mem(f, reg, ROLE_DATA, out);
	struct mem in = fmt_mem(f, reg, ROLE_DATA, false);
	unsigned int size = layout_msghdr.size[f->abi];
	uint64_t addr = fmt_reg(f, reg);
	int namelen = 0;

	if (in.len >= size)
		namelen = load_message(f, in.p).namelen;
	if (out && f->failed && in.len >= size) {
		fmt_open(f, '{');
		fmt_name(f, "msg_namelen");
		fmt_dec(f, namelen);
		return fmt_close(f, '}');
	}
	if (m.len < size || (out && f->failed))
		return fmt_addr(f, addr);
	if (in.len < size)
		namelen = load_message(f, m.p).namelen;
	put_message(f, m.p, reg, ROLE_NAME, out, namelen,
		    out && f->r->ret >= 0 ? (uint64_t)f->r->ret : ~0ull);
}

/* The room for the name of message @i before the call; unknown: what @p says. */
static int namelen_was(struct fmt *f, unsigned int reg, uint64_t i, const void *p)
{
	struct mem in = fmt_mem(f, reg, ROLE_DATA, false);
	unsigned int size = layout_mmsghdr.size[f->abi];

	if ((i + 1) * size <= in.len)
		p = in.p + i * size;
	return load_message(f, p).namelen;
}

void fmt_mmsghdr(struct fmt *f, const struct sys_arg *a, unsigned int reg,
		 bool out)
{
	struct mem m = fmt_mem(f, reg, ROLE_DATA, out);
	unsigned int size = layout_mmsghdr.size[f->abi];
	const struct sys_field *len = &layout_mmsghdr.fields[0];
	uint64_t count = fmt_count(f, a, out), i;

	if (fmt_reg(f, reg) && !count && !(out && f->failed)) {
		fmt_open(f, '[');
		return fmt_close(f, ']');
	}
	if (!m.len || (out && f->failed)) {
		fmt_addr(f, fmt_reg(f, reg));
		return;
	}
	fmt_open(f, '[');
	for (i = 0; i < count && (i + 1) * size <= m.len; i++) {
		const unsigned char *p = m.p + i * size;
		uint32_t bytes = fmt_load(p + len->off[f->abi], 4);

		if (i >= f->v->strsize && !f->v->verbose)
			break;
		fmt_sep(f);
		fmt_open(f, '{');
		fmt_name(f, "msg_hdr");
		put_message(f, p, reg, ROLE_NAME + (i < 3 ? i : 3) * ROLE_NEXT,
			    out, namelen_was(f, reg, i, p),
			    out ? bytes : ~0ull);
		if (out) {
			fmt_name(f, "msg_len");
			fmt_udec(f, bytes);
		}
		fmt_close(f, '}');
	}
	if (i < count)
		fmt_rest(f, &m, i, fmt_reg(f, reg) + i * size);
	fmt_close(f, ']');
}

/* Bytes of an address of such hardware, as far as there is room. */
unsigned int fmt_hwaddr_len(unsigned int type, unsigned int room)
{
	static const struct {
		uint16_t type;
		uint8_t len;
	} known[] = {
		{ ARPHRD_NETROM, 7 }, { ARPHRD_AX25, 7 }, { ARPHRD_ETHER, 6 },
		{ ARPHRD_IEEE802, 6 }, { ARPHRD_LOOPBACK, 6 },
		{ ARPHRD_FDDI, 6 }, { ARPHRD_HIPPI, 6 },
		{ ARPHRD_IEEE80211, 6 }, { ARPHRD_IEEE80211_PRISM, 6 },
		{ ARPHRD_IEEE80211_RADIOTAP, 6 }, { ARPHRD_ARCNET, 1 },
		{ ARPHRD_LOCALTLK, 1 }, { ARPHRD_PHONET, 1 },
		{ ARPHRD_PHONET_PIPE, 1 }, { ARPHRD_CAIF, 1 },
		{ ARPHRD_DLCI, 2 }, { ARPHRD_EUI64, 8 },
		{ ARPHRD_IEEE802154, 8 }, { ARPHRD_IEEE802154_MONITOR, 8 },
		{ ARPHRD_6LOWPAN, 8 }, { ARPHRD_VSOCKMON, 8 },
		{ ARPHRD_ROSE, 5 }, { ARPHRD_X25, 5 }, { ARPHRD_TUNNEL, 4 },
		{ ARPHRD_SIT, 4 }, { ARPHRD_IPDDP, 4 }, { ARPHRD_IPGRE, 4 },
		{ ARPHRD_PIMREG, 4 }, { ARPHRD_IRDA, 4 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].type == type && known[i].len < room)
			return known[i].len;
	return room;
}

static void put_iflen(struct fmt *f, int len, int unit)
{
	fmt_dec(f, len);
	if (len > 0 && len % unit == 0 && !f->json)
		buf_printf(f->b, " /* %d * sizeof(struct ifreq) */",
			   len / unit);
}

/*
 * How much room for addresses there was, and how much of it is used. What is there
 * is not fetched: that would be done for each ioctl.
 */
void fmt_ifconf(struct fmt *f, unsigned int reg, const unsigned char *p)
{
	const struct sys_field *fd = layout_ifconf.fields;
	struct mem in = fmt_mem(f, reg, ROLE_DATA, false);
	uint64_t buf = fmt_load(p + fd[1].off[f->abi], fd[1].size[f->abi]);
	int len = fmt_load(p, 4), unit = layout_ifreq.size[f->abi];
	int was = in.len >= 4 ? (int)fmt_load(in.p, 4) : len;

	fmt_open(f, '{');
	fmt_name(f, "ifc_len");
	if (buf && was != len && !f->json) {
		put_iflen(f, was, unit);
		buf_puts(f->b, " => ");
	}
	put_iflen(f, len, unit);
	fmt_name(f, "ifc_buf");
	if (buf && !f->failed && !len) {
		fmt_open(f, '[');
		fmt_close(f, ']');
	} else {
		fmt_addr(f, buf);
	}
	fmt_close(f, '}');
}
