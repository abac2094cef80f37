// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_special.c - words that are made of several parts */
#include <arpa/inet.h>
#include <linux/futex.h>
#include <linux/ioctl.h>
#include <string.h>
#include <sys/socket.h>
#include "consts.h"
#include "fmt.h"
#include "fmt_signal.h"
#include "ifname.h"

/* Every word here is a raw number, a name, or both. */
static bool named(struct fmt *f, uint64_t v)
{
	if (f->v->xlat != VIEW_ABBREV)
		buf_hex(f->b, v);
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " /* ");
	return f->v->xlat != VIEW_RAW;
}

static void named_end(struct fmt *f)
{
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " */");
}

static void put_ioc(struct buf *b, uint32_t cmd)
{
	static const char *const dirs[] = {
		"_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE",
	};

	buf_printf(b, "_IOC(%s, ", dirs[_IOC_DIR(cmd)]);
	buf_hex(b, _IOC_TYPE(cmd));
	buf_puts(b, ", ");
	buf_hex(b, _IOC_NR(cmd));
	buf_puts(b, ", ");
	buf_hex(b, _IOC_SIZE(cmd));
	buf_putc(b, ')');
}

void fmt_ioctl(struct fmt *f, uint32_t cmd)
{
	size_t from = fmt_text_begin(f);
	const char *name = xlat_name(&xlat_ioctl_cmds, cmd);

	if (named(f, cmd)) {
		if (name)
			buf_puts(f->b, name);
		else
			put_ioc(f->b, cmd);
		named_end(f);
	}
	fmt_text_end(f, from);
}

void fmt_futex_op(struct fmt *f, uint32_t op)
{
	size_t from = fmt_text_begin(f);
	uint32_t bits = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
	const char *name = xlat_name(&xlat_futex_cmds, op & ~bits);

	if (named(f, op)) {
		if (name)
			buf_puts(f->b, name);
		else
			buf_printf(f->b, "%#x /* FUTEX_??? */", op);
		if (name && op & FUTEX_PRIVATE_FLAG)
			buf_puts(f->b, "_PRIVATE");
		if (name && op & FUTEX_CLOCK_REALTIME)
			buf_puts(f->b, "|FUTEX_CLOCK_REALTIME");
		named_end(f);
	}
	fmt_text_end(f, from);
}

void fmt_wake_op(struct fmt *f, uint32_t v)
{
	size_t from = fmt_text_begin(f);
	uint32_t op = v >> 28 & 7, cmp = v >> 24 & 15;
	const char *op_name = xlat_name(&xlat_futex_wake_ops, op);
	const char *cmp_name = xlat_name(&xlat_futex_wake_cmps, cmp);

	if (named(f, v)) {
		if (v >> 31)
			buf_puts(f->b, "FUTEX_OP_OPARG_SHIFT<<28|");
		if (op_name)
			buf_printf(f->b, "%s<<28|", op_name);
		else
			buf_printf(f->b, "%#x<<28 /* FUTEX_OP_??? */|", op);
		buf_hex(f->b, v >> 12 & 0xfff);
		buf_puts(f->b, "<<12|");
		if (cmp_name)
			buf_printf(f->b, "%s<<24|", cmp_name);
		else
			buf_printf(f->b, "%#x<<24 /* FUTEX_OP_CMP_??? */|",
				   cmp);
		buf_hex(f->b, v & 0xfff);
		named_end(f);
	}
	fmt_text_end(f, from);
}

/* The signal at the child's end shares the word with the flags. */
void fmt_clone_flags(struct fmt *f, uint64_t v)
{
	uint64_t flags = v & ~0xffull;
	int sig = v & 0xff;
	char tmp[16];

	if (flags)
		fmt_xlat_flags(f->b, f->v, &xlat_clone_flags, flags);
	if (flags && sig)
		buf_putc(f->b, '|');
	if (sig && f->v->xlat == VIEW_ABBREV)
		buf_puts(f->b, sig_name(sig, tmp));
	else if (sig || !flags)
		buf_dec(f->b, sig);
	if (sig && f->v->xlat == VIEW_VERBOSE)
		buf_printf(f->b, " /* %s */", sig_name(sig, tmp));
}

void fmt_negerr(struct buf *b, uint32_t v)
{
	const char *name = xlat_name(&xlat_errnos, -v);

	if (name)
		buf_printf(b, "-%s", name);
	else
		buf_dec(b, (int)v);
}

/* The command, and whose quotas. */
void fmt_quota_cmd(struct fmt *f, uint32_t v)
{
	struct view names = *f->v;

	names.xlat = VIEW_ABBREV;
	if (f->v->xlat != VIEW_ABBREV)
		buf_udec(f->b, v);
	if (f->v->xlat == VIEW_RAW)
		return;
	buf_puts(f->b, f->v->xlat == VIEW_VERBOSE ? " /* QCMD(" : "QCMD(");
	fmt_xlat_enum(f->b, &names, &xlat_quota_cmds, v >> 8);
	buf_puts(f->b, ", ");
	fmt_xlat_enum(f->b, &names, &xlat_quota_types, v & 0xff);
	buf_puts(f->b, f->v->xlat == VIEW_VERBOSE ? ") */" : ")");
}

/* The lower bits are a priority. */
void fmt_swap_flags(struct fmt *f, uint32_t v)
{
	if (v & ~0x7fffu) {
		fmt_xlat_flags(f->b, f->v, &xlat_swap_flags, v & ~0x7fffu);
		buf_putc(f->b, '|');
	}
	buf_udec(f->b, v & 0x7fff);
}

/* JSON has numbers, which mean the same tomorrow. */
void fmt_ifindex(struct fmt *f, uint32_t index)
{
	const char *name = NULL;

	if (f->v->interfaces && !f->json)
		name = ifname_of(index);
	if (!name)
		return fmt_udec(f, index);
	if (f->v->xlat != VIEW_ABBREV)
		buf_udec(f->b, index);
	if (f->v->xlat == VIEW_RAW)
		return;
	buf_puts(f->b, f->v->xlat == VIEW_VERBOSE ? " /* if_nametoindex(" :
						    "if_nametoindex(");
	fmt_quote(f->b, f->v, name, strlen(name));
	buf_puts(f->b, f->v->xlat == VIEW_VERBOSE ? ") */" : ")");
}

/* Of a frame, in network order. */
void fmt_eth_proto(struct fmt *f, uint16_t proto)
{
	size_t from = fmt_text_begin(f);

	buf_puts(f->b, "htons(");
	fmt_xlat_enum(f->b, f->v, &xlat_eth_types, ntohs(proto));
	buf_putc(f->b, ')');
	fmt_text_end(f, from);
}

/* The same in memory, which -X shows as the bytes that it is. */
void fmt_eth_field(struct fmt *f, uint16_t proto)
{
	size_t from = fmt_text_begin(f);
	struct view names = *f->v;

	if (f->v->xlat != VIEW_ABBREV)
		fmt_raw_bytes(f, &proto, sizeof(proto));
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " /* ");
	names.xlat = VIEW_ABBREV;
	if (f->v->xlat != VIEW_RAW) {
		buf_puts(f->b, "htons(");
		fmt_xlat_enum(f->b, &names, &xlat_eth_types, ntohs(proto));
		buf_putc(f->b, ')');
	}
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " */");
	fmt_text_end(f, from);
}

/* As strace: the number always stands in front. */
static void put_ax25(struct fmt *f, uint32_t proto)
{
	struct view both = *f->v;
	const struct view *was = f->v;

	if (!f->json)
		both.xlat = VIEW_VERBOSE;
	f->v = &both;
	fmt_enum(f, &xlat_ax25_protocols, proto);
	f->v = was;
}

/* How each family of sockets numbers its protocols. */
void fmt_proto(struct fmt *f, uint32_t proto)
{
	static const struct {
		uint32_t family;
		const struct xlat *names;
	} families[] = {
		{ AF_INET, &xlat_inet_protocols },
		{ AF_INET6, &xlat_inet_protocols },
		{ AF_NETLINK, &xlat_netlink_protocols },
		{ AF_IRDA, &xlat_irda_protocols },
		{ AF_CAN, &xlat_can_protocols },
		{ AF_BLUETOOTH, &xlat_bt_protocols },
		{ AF_RXRPC, &xlat_addrfams },
		{ AF_ISDN, &xlat_isdn_protocols },
		{ AF_PHONET, &xlat_phonet_protocols },
		{ AF_CAIF, &xlat_caif_protocols },
		{ AF_NFC, &xlat_nfc_protocols },
		{ AF_KCM, &xlat_kcm_protocols },
		{ AF_SMC, &xlat_smc_protocols },
	};
	uint32_t family = fmt_reg(f, 0);

	if (family == AF_AX25)
		return put_ax25(f, proto);
	if (family == AF_PACKET)
		return fmt_eth_proto(f, proto);
	for (unsigned int i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (families[i].family == family)
			return fmt_enum(f, families[i].names, proto);
	fmt_udec(f, proto);
}

const struct xlat *fmt_opt_names(uint32_t level)
{
	static const struct {
		uint32_t level;
		const struct xlat *names;
	} levels[] = {
		{ SOL_SOCKET, &xlat_so_options },
		{ 0, &xlat_ip_options },
		{ 6, &xlat_tcp_options },
		{ 17, &xlat_udp_options },
		{ 41, &xlat_ipv6_options },
		{ SOL_PACKET, &xlat_packet_options },
		{ SOL_NETLINK, &xlat_netlink_options },
	};

	for (unsigned int i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (levels[i].level == level)
			return levels[i].names;
	return NULL;
}

static const struct sys_opt_names *find_names(const struct sys_opt_names *n,
					      uint32_t level, uint32_t name)
{
	for (; n && n->names; n++)
		if (n->level == level && xlat_name(n->names, name))
			return n;
	return NULL;
}

/* own: those that the call alone has, getsockopt or setsockopt. */
void fmt_optname(struct fmt *f, const struct sys_opt_names *own, uint32_t name)
{
	uint32_t level = fmt_reg(f, 1);
	const struct xlat *x = fmt_opt_names(level);

	own = find_names(own, level, name);
	if (own)
		x = own->names;
	if (x)
		fmt_enum(f, x, name);
	else
		fmt_udec(f, name);
}
