/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netlink.h - rows of tables/netlink_*.h: messages by type, attributes by set
 *
 * A set of attributes is a table of names, and for those that are more than
 * bytes how they are shown.
 */
#ifndef KTR_NETLINK_H
#define KTR_NETLINK_H

#include "fmt.h"

enum nl_kind {
	NL_BYTES,
	NL_WORD,		/* ekind and tab as of a field; size bytes of it */
	NL_TICKS,		/* of a clock */
	NL_STR,			/* with a NUL as its last byte */
	NL_KINDNAME,		/* IFLA_INFO_KIND: up to the first NUL */
	NL_HWADDR,		/* 52:54:00:12:34:56 */
	NL_ADDR,		/* of the family of the message */
	NL_IN6,
	NL_STRUCT,		/* tab is its layout */
	NL_SIZED,		/* the same; what there is of it */
	NL_NEST,		/* tab is a set */
	NL_WORDS,		/* an array of words; tab: names of the elements */
	NL_FAMILIES,		/* IFLA_AF_SPEC: by address family */
	NL_LINKDATA,		/* IFLA_INFO_DATA: by the kind in front of it */
	NL_NEXTHOPS,		/* RTA_MULTIPATH */
};

#define NL_ANY_TYPE 0x3fff	/* of a row: any that has none */

struct nl_attr {
	uint16_t type;
	uint8_t kind;		/* enum nl_kind */
	uint8_t ekind;		/* enum sys_kind */
	uint8_t size;
	uint8_t less;		/* NL_WORDS: names are of numbers higher by that */
	const void *tab;
};

struct nl_set {
	const struct xlat *names;	/* NULL: numbers */
	const struct nl_attr *attrs;
	unsigned int n;
};

/* Messages of types "first" and up: a struct, then attributes. */
struct nl_msg {
	uint16_t first, last;
	const struct sys_layout *head;
	const struct nl_set *set;
};

#define NLSET(name)	extern const struct nl_set nlset_##name;
#define NLATTR(...)
#define NLSET_END(name, names)
#include "tables/netlink_sets.h"
#undef NLSET
#undef NLATTR
#undef NLSET_END

extern const struct nl_msg nl_route_msgs[];
extern const unsigned int nl_route_msgs_n;

/* fmt_nlattr.c: n bytes of attributes; family: of the message they are of */
void fmt_nlattrs(struct fmt *f, const struct nl_set *set,
		 const unsigned char *p, size_t n, unsigned int family);
/* A port, in network order. */
void fmt_nlport(struct fmt *f, const void *p);
/* Bytes that nobody knows more about. */
void fmt_nlbytes(struct fmt *f, const void *p, size_t n);
/*
 * Before item @i of a list that is in brackets if it has @more than one; @array, false
 * at first, says whether it is. False: here the list is cut, as strings are.
 */
bool fmt_nlitem(struct fmt *f, unsigned int i, bool more, bool *array);

/* fmt_netlink.c: messages; total: bytes there were, of which n are known */
void fmt_netlink(struct fmt *f, int protocol, const unsigned char *p, size_t n,
		 uint64_t total);

/* fmt_nldiag.c: what NETLINK_SOCK_DIAG is about; false: none of ours */
bool fmt_nldiag(struct fmt *f, unsigned int type, const unsigned char *p,
		size_t n);

#endif
