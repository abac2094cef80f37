/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fmt.h - inside of the formatters: one walk over a record for text and JSON
 *
 * The printers of values know both forms through the few words of fmt_out.c;
 * what has only a text form is written between fmt_text_begin and _end, which
 * make a string of it in JSON.
 */
#ifndef KTR_FMT_H
#define KTR_FMT_H

#include <stdbool.h>
#include "buf.h"
#include "fmt_syscall.h"
#include "sys_layouts.h"
#include "view.h"

#define ARGS_MAX 8

/* An argument as it is to be shown: variants chosen, conditions met. */
struct fmt_arg {
	const struct sys_arg *a;
	unsigned int reg;
};

/* Which moment's descriptors are meant. */
enum fmt_fds {
	FDS_ENTRY,
	FDS_EXIT,		/* what is not known of it: entry */
	FDS_NONE,		/* numbers only */
};

struct fmt {
	struct buf *b;
	const struct view *v;
	const struct sys_rec *r;	/* NULL: siginfo only */
	bool json;
	bool raw;		/* -e raw=: all of it in numbers */
	bool failed;		/* the result is an error */
	enum fmt_fds fds;
	unsigned int abi;
	const struct sys_desc *desc;
	const struct sys_variant *var;	/* that fits, or NULL */
	struct sys_plan plan;
	struct fmt_arg arg[ARGS_MAX];
	unsigned int nargs;
	unsigned int room;	/* bytes there are of the struct; 0: all */
	struct view own;	/* v, for JSON */
	struct sys_rec sub;	/* r, with the arguments of a call inside it */
};

/* Captured memory. */
struct mem {
	const unsigned char *p;
	size_t len;
	unsigned int flags;	/* KTR_CAP_F_* */
	unsigned int count;	/* elements of a vector */
	bool have;		/* there is a section, readable or not */
};

/* fmt_out.c: the few words that know text from JSON */
void fmt_sep(struct fmt *f);			/* a comma, unless first */
void fmt_open(struct fmt *f, char bracket);	/* { or [ */
void fmt_close(struct fmt *f, char bracket);
void fmt_name(struct fmt *f, const char *name);	/* of a member, with separator */
void fmt_more(struct fmt *f);			/* there is more: text only */
/* Of a list of which n are shown: the same, and if nobody can read it, where it is. */
void fmt_rest(struct fmt *f, const struct mem *m, uint64_t n, uint64_t addr);
size_t fmt_text_begin(struct fmt *f);
void fmt_text_end(struct fmt *f, size_t from);
void fmt_dec(struct fmt *f, int64_t v);
void fmt_udec(struct fmt *f, uint64_t v);
void fmt_hex(struct fmt *f, uint64_t v);	/* text in JSON too: "0x1f" */
void fmt_addr(struct fmt *f, uint64_t v);	/* NULL, in JSON null */
void fmt_bad(struct fmt *f, uint64_t addr, bool told);

/* fmt_string.c */
void fmt_quote(struct buf *b, const struct view *v, const void *p, size_t n);
/* Whether -x shows such a string in hex. */
bool fmt_in_hex(const struct view *v, const void *p, size_t n);
/* A string of n bytes of which all may be shown; cut: there was more. */
void fmt_bytes(struct fmt *f, const void *p, size_t n, bool cut);
/* As far as -s goes; total: what there really was. */
void fmt_data(struct fmt *f, const struct mem *m, uint64_t total);
void fmt_chars(struct fmt *f, const void *p, size_t size);

/* A path in < >: those two are escaped, nothing is put around it. */
void fmt_quote_name(struct buf *b, const struct view *v, const void *p,
		    size_t n);

/* fmt_fd.c */
void fmt_fd_name(struct fmt *f, int fd);	/* <...>, if asked for and known */
/* Of the socket that it is; -1: none of netlink, or not known. */
int fmt_netlink_protocol(const struct fmt *f, int fd);
void json_fds(struct fmt *f);			/* "fds":[..], if there are any */

/* fmt_flags.c */
void fmt_word_list(struct fmt *f, struct buf *text);	/* JSON: "A|B" as a list */
void fmt_enum(struct fmt *f, const struct xlat *x, uint64_t v);
void fmt_flags(struct fmt *f, const struct xlat *x, uint64_t v);
void fmt_xlat_enum(struct buf *b, const struct view *v, const struct xlat *x,
		   uint64_t val);
void fmt_xlat_flags(struct buf *b, const struct view *v, const struct xlat *x,
		    uint64_t val);

/* fmt_word.c: what fits a register */
void fmt_word(struct fmt *f, unsigned int kind, const void *tab, uint64_t v,
	      unsigned int size);
uint64_t fmt_sign(uint64_t v, unsigned int size);	/* extended */
void fmt_time_comment(struct fmt *f, int64_t sec, int64_t nsec, int digits);
void fmt_sigset(struct fmt *f, uint64_t mask);
void fmt_wstatus(struct fmt *f, unsigned int status);
void fmt_ioprio(struct fmt *f, uint32_t v);	/* without its number */

void fmt_raw_bytes(struct fmt *f, const void *p, unsigned int n);

/* fmt_special.c: words that need more than a table */
void fmt_ioctl(struct fmt *f, uint32_t cmd);
void fmt_futex_op(struct fmt *f, uint32_t op);
void fmt_wake_op(struct fmt *f, uint32_t v);
void fmt_clone_flags(struct fmt *f, uint64_t flags);
void fmt_negerr(struct buf *b, uint32_t v);
void fmt_quota_cmd(struct fmt *f, uint32_t v);
void fmt_swap_flags(struct fmt *f, uint32_t v);
void fmt_ifindex(struct fmt *f, uint32_t index);
void fmt_eth_proto(struct fmt *f, uint16_t proto);
void fmt_eth_field(struct fmt *f, uint16_t proto);
void fmt_proto(struct fmt *f, uint32_t proto);
void fmt_optname(struct fmt *f, const struct sys_opt_names *own,
		 uint32_t name);
const struct xlat *fmt_opt_names(uint32_t level);

/* fmt_struct.c */
uint64_t fmt_load(const void *p, unsigned int size);
void fmt_layout(struct fmt *f, const struct sys_layout *l, const void *p);
void fmt_sized(struct fmt *f, const struct sys_layout *l,
	       const unsigned char *p, size_t n, uint64_t size);
void fmt_fields(struct fmt *f, const struct sys_layout *l, const void *p);
void fmt_elem(struct fmt *f, unsigned int kind, const void *tab,
	      const void *p, unsigned int size);

/* fmt_mem.c: memory behind a register */
struct mem fmt_mem(const struct fmt *f, unsigned int reg, unsigned int role,
		   bool out);
uint64_t fmt_count(struct fmt *f, const struct sys_arg *a, bool out);
/* Bytes behind @a whose length the call was told and told back: the smaller of both. */
int fmt_written(struct fmt *f, const struct sys_arg *a);
void fmt_mem_arg(struct fmt *f, const struct sys_arg *a, unsigned int reg,
		 bool out);
/* Whether the call has written that memory, as its result tells. */
bool fmt_cond_met(const struct fmt *f, const struct sys_arg *a);
/* An array: of @count elements at @addr what @m has; the size is @a's. */
void fmt_list(struct fmt *f, const struct sys_arg *a, const struct mem *m,
	      uint64_t addr, uint64_t count);
#define ADDRESSES (~0ull - 1)	/* as "bytes": where they are, not what */
/* netlink: the protocol whose messages they are; -1: any bytes */
void fmt_iov(struct fmt *f, const struct mem *m, uint64_t addr, uint64_t count,
	     uint64_t bytes, int netlink);

/* fmt_net.c */
/* 16 bytes, as the call that makes them of text; with @name also as where it puts them. */
void fmt_in6(struct fmt *f, const void *p, const char *name);
void fmt_sockaddr(struct fmt *f, const struct mem *m, uint64_t addr, int len);
void fmt_msghdr(struct fmt *f, unsigned int reg, bool out);
void fmt_mmsghdr(struct fmt *f, const struct sys_arg *a, unsigned int reg,
		 bool out);
unsigned int fmt_hwaddr_len(unsigned int type, unsigned int room);
void fmt_ifconf(struct fmt *f, unsigned int reg, const unsigned char *p);

/* fmt_sockopt.c */
void fmt_optval(struct fmt *f, const struct sys_arg *a, unsigned int reg,
		bool out);

/* fmt_nlattr.c */
void fmt_hwaddr(struct fmt *f, const void *addr, size_t n);
/* As -X says; as bytes all that there is room for. */
void fmt_hwaddr_raw(struct fmt *f, const void *addr, size_t n, size_t room);

/* fmt_bpf.c */
void fmt_fprog(struct fmt *f, unsigned int reg, const unsigned char *p);

/* fmt_attr.c */
void fmt_bpf_field(struct fmt *f, const struct sys_field *fd, const void *base);

/* fmt_aio.c */
void fmt_iocb(struct fmt *f, const struct mem *m, uint64_t addr);
void fmt_iocbs(struct fmt *f, const struct sys_arg *a, unsigned int reg,
	       const struct mem *m);

/* fmt_clone.c */
void fmt_clone3(struct fmt *f, unsigned int reg, bool out);
bool fmt_clone3_gives(const struct fmt *f, unsigned int reg);	/* it asks for any */

/* fmt_sets.c */
void fmt_handle(struct fmt *f, const struct sys_arg *a, unsigned int reg);
/* most: no more than that many, counted down; NULL: all */
void fmt_fdset(struct fmt *f, const struct mem *m, uint64_t nfds,
	       unsigned int *most);
void fmt_cpuset(struct fmt *f, const struct mem *m, uint64_t len);
void fmt_caps(struct fmt *f, const struct mem *m);

/* fmt_perf.c */
void fmt_perf_attr(struct fmt *f, const struct mem *m, uint64_t addr);
void fmt_dirents(struct fmt *f, const struct sys_arg *a,
		 const struct mem *m, uint64_t addr);

/* fmt_siginfo.c */
void fmt_siginfo_fields(struct fmt *f, const void *info, size_t len);

/* fmt_ret.c */
bool fmt_error(const struct sys_rec *r, int *err);	/* the result is one */
bool fmt_restart(const struct sys_rec *r);

/* fmt_args.c: which arguments there are, and their order */
void fmt_setup(struct fmt *f, struct buf *b, const struct view *v,
	       const struct sys_rec *r, bool json);
/* tmp: for one without a name */
const char *fmt_call_name(const struct fmt *f, char tmp[32]);
uint64_t fmt_reg(const struct fmt *f, unsigned int reg);
uint64_t fmt_arg_value(const struct fmt *f, const struct sys_arg *a,
		       unsigned int reg, unsigned int *size);

#endif
