// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_mem.c - what lies behind the registers, from the captured sections */
#include <string.h>
#include "netlink.h"
#include "json.h"

#define MOST_BYTES 4096	/* that bpf takes */

static int find_op(const struct fmt *f, unsigned int reg, unsigned int role,
		   bool out)
{
	for (unsigned int i = 0; i < f->plan.n; i++) {
		const struct sys_tag *t = &f->plan.tag[i];

		if (t->reg == reg && t->role == role && t->out == out)
			return i;
	}
	return -1;
}

/* What was read late stands behind what failed; it may be an empty string. */
static bool is_better(const struct mem *m, const struct ktr_cap *h)
{
	return h->len > m->len || (m->flags & KTR_CAP_F_UNREADABLE &&
				   !(h->flags & KTR_CAP_F_UNREADABLE));
}

struct mem fmt_mem(const struct fmt *f, unsigned int reg, unsigned int role,
		   bool out)
{
	int op = find_op(f, reg, role, out);
	struct mem m = { 0 };

	for (unsigned int i = 0; op >= 0 && i < f->r->ncaps; i++) {
		const struct sys_cap *c = &f->r->cap[i];

		if (c->h->op != op || (m.have && !is_better(&m, c->h)))
			continue;
		m.have = true;
		m.p = c->p;
		m.len = c->h->len;
		m.flags = c->h->flags;
		m.count = c->h->count;
	}
	return m;
}

/* Elements or bytes that an argument says it has. */
uint64_t fmt_count(struct fmt *f, const struct sys_arg *a, bool out)
{
	unsigned int shift = a->shift;
	uint64_t n;

	if (a->ref == REF_CONST) {
		n = a->size;
	} else if (a->ref == REF_RET) {
		n = f->r->ret > 0 ? f->r->ret : 0;
		if (a->room1 && n > fmt_reg(f, a->room1 - 1))
			n = fmt_reg(f, a->room1 - 1);
	} else if (a->ref == REF_RET1) {
		n = f->r->ret > 0 ? f->r->ret - 1 : 0;
	} else if (a->ref & REF_PTR) {
		struct mem m = fmt_mem(f, a->ref & 7, ROLE_DATA, out);

		n = m.len >= 4 ? fmt_load(m.p, 4) : 0;
	} else {
		n = fmt_reg(f, a->ref);
		if (f->abi == KTR_ABI_COMPAT)
			n = (uint32_t)n;
	}
	if (a->less && n)
		n--;
	if (a->ekind == K_HEX16 && f->abi == KTR_ABI_COMPAT)
		shift = 5;
	return shift ? (n + (1ull << shift) - 1) >> shift : n;
}

/*
 * A caller's buffer may be smaller than what the kernel had for it. How large it
 * was is unknown of a call whose beginning was not seen.
 */
int fmt_written(struct fmt *f, const struct sys_arg *a)
{
	int told = fmt_count(f, a, false), had = fmt_count(f, a, true);
	bool seen = fmt_mem(f, a->ref & 7, ROLE_DATA, false).len >= 4;

	return seen && told < had ? told : had;
}

/* Strings and iovecs: the next element, false at the end. */
static bool next_elem(struct mem *m, struct ktr_elem *e,
		      const unsigned char **bytes)
{
	size_t step;

	if (m->len < sizeof(*e))
		return false;
	memcpy(e, m->p, sizeof(*e));
	if (e->len > m->len - sizeof(*e))
		e->len = m->len - sizeof(*e);
	*bytes = m->p + sizeof(*e);
	step = sizeof(*e) + (((size_t)e->len + 7) & ~(size_t)7);
	if (step > m->len)
		step = m->len;
	m->p += step;
	m->len -= step;
	return true;
}

void fmt_iov(struct fmt *f, const struct mem *mem, uint64_t addr, uint64_t count,
	     uint64_t bytes, int netlink)
{
	unsigned int size = f->abi == KTR_ABI_COMPAT ? 8 : 16;
	const unsigned char *p;
	struct mem m = *mem;
	struct ktr_elem e;
	uint64_t n = 0;

	fmt_open(f, '[');
	while (n < count && (n < f->v->strsize || f->v->verbose) &&
	       next_elem(&m, &e, &p)) {
		uint64_t total = e.size < bytes ? e.size : bytes;
		struct mem data = { .p = p, .len = e.len, .have = true };

		if (data.len > total)
			data.len = total;
		if (bytes < ADDRESSES)
			bytes -= total;
		n++;
		fmt_sep(f);
		fmt_open(f, '{');
		fmt_name(f, "iov_base");
		if (e.addr && !total && bytes != ADDRESSES)
			fmt_bytes(f, "", 0, false);
		else if (!e.addr || bytes == ADDRESSES ||
		    (e.flags & (KTR_CAP_F_UNREADABLE | KTR_CAP_F_CUT) &&
		     !e.len))
			fmt_addr(f, e.addr);
		else if (netlink >= 0)
			fmt_netlink(f, netlink, p, data.len, total);
		else
			fmt_data(f, &data, total);
		fmt_name(f, "iov_len");
		fmt_udec(f, e.size);
		fmt_close(f, '}');
	}
	if (n < count)
		fmt_rest(f, mem, n, addr + n * size);
	fmt_close(f, ']');
}

/* There was no room for any of it. */
static bool has_no_room(const struct ktr_elem *e)
{
	return e->flags & KTR_CAP_F_CUT && !e->len;
}

static void json_no_room(struct fmt *f, uint64_t addr)
{
	fmt_open(f, '{');
	json_hex(f->b, "addr", addr);
	json_name(f->b, "cut");
	buf_puts(f->b, "true");
	fmt_close(f, '}');
}

static void put_strings(struct fmt *f, const struct mem *mem, uint64_t addr)
{
	unsigned int word = f->abi == KTR_ABI_COMPAT ? 4 : 8;
	const unsigned char *p;
	struct mem m = *mem;
	struct ktr_elem e;
	unsigned int n = 0;

	fmt_open(f, '[');
	while ((n < f->v->strsize || f->v->verbose) &&
	       next_elem(&m, &e, &p)) {
		struct mem data = { .p = p, .len = e.len };

		if (has_no_room(&e) && !f->json)
			break;
		fmt_sep(f);
		n++;
		if (e.flags & KTR_CAP_F_UNREADABLE && !e.len)
			fmt_addr(f, e.addr);
		else if (has_no_room(&e))
			json_no_room(f, e.addr);
		else
			fmt_data(f, &data, e.flags & KTR_CAP_F_CUT ?
					   e.len + 1ull : e.len);
	}
	if (n < mem->count || mem->flags & KTR_CAP_F_CUT)
		fmt_more(f);
	else if (mem->flags & KTR_CAP_F_UNREADABLE)
		fmt_rest(f, mem, n, addr + n * word);
	fmt_close(f, ']');
}

static void put_env(struct fmt *f, const struct mem *m, uint64_t addr)
{
	bool cut = m->flags & KTR_CAP_F_UNREADABLE;

	if (f->json) {
		fmt_open(f, '{');
		json_hex(f->b, "addr", addr);
		json_udec(f->b, "count", m->count);
		json_name(f->b, "value");
		put_strings(f, m, addr);
		fmt_close(f, '}');
	} else if (f->v->verbose && (m->len || !m->count)) {
		put_strings(f, m, addr);
	} else {
		fmt_addr(f, addr);
		buf_printf(f->b, " /* %u var%s%s */", m->count,
			   m->count == 1 ? "" : "s",
			   cut ? ", unterminated" : "");
	}
}

static void put_string(struct fmt *f, const struct sys_arg *a,
		       const struct mem *m)
{
	struct mem s = *m;
	bool ended;

	s.len = strnlen((const char *)m->p, m->len);
	ended = s.len < m->len || !(m->flags & (KTR_CAP_F_CUT |
						KTR_CAP_F_UNREADABLE));
	if (a->kind == K_PATH && !f->json) {
		fmt_bytes(f, s.p, s.len, !ended);
	} else if (a->size && s.len > a->size && !f->json) {
		s.len = a->size;
		fmt_data(f, &s, s.len + 1);
	} else {
		fmt_data(f, &s, ended ? s.len : s.len + 1);
	}
}

static bool trims(const struct fmt *f, const struct sys_arg *a)
{
	return !f->json && (a->trim || (a->trim_text && !f->v->hexstr));
}

static void put_buffer(struct fmt *f, const struct sys_arg *a,
		       const struct mem *m, bool out)
{
	const struct view *was = f->v;
	struct view hex = *was;
	uint64_t count = fmt_count(f, a, out);
	size_t shown = m->len;
	int protocol = fmt_netlink_protocol(f, fmt_reg(f, 0));

	if (shown > count)
		shown = count;
	if (protocol >= 0 && shown) {
		fmt_netlink(f, protocol, m->p, shown, count);
		return;
	}
	if (shown > f->v->strsize)
		shown = f->v->strsize;

	if (a->hex && !f->json) {
		hex.hexstr = 2;
		f->v = &hex;
	}
	if (trims(f, a) && shown && !m->p[shown - 1])
		fmt_bytes(f, m->p, shown - 1, false);
	else
		fmt_data(f, m, count);
	f->v = was;
}

/* pselect6 takes a signal set and its size packed in a struct. */
static void put_argpack(struct fmt *f, unsigned int reg,
			const unsigned char *p)
{
	unsigned int word = f->abi == KTR_ABI_COMPAT ? 4 : 8;
	uint64_t size = fmt_load(p + word, word);
	struct mem set = fmt_mem(f, reg, ROLE_NAME, false);

	fmt_open(f, '{');
	fmt_name(f, "sigmask");
	if (set.len == 8 && size == 8)
		fmt_sigset(f, fmt_load(set.p, 8));
	else
		fmt_addr(f, fmt_load(p, word));
	fmt_name(f, "sigsetsize");
	fmt_udec(f, size);
	fmt_close(f, '}');
}

/* A struct or a value in brackets. */
static void put_pointed(struct fmt *f, const struct sys_arg *a,
			unsigned int reg, const void *tab,
			const unsigned char *p)
{
	unsigned int size = sys_elem_size(f->abi, a);
	bool bare = a->ekind == K_STRUCT || a->ekind == K_SIGSET ||
		    a->ekind == K_OLDSIGSET;

	if (tab == &layout_sigset_argpack)
		return put_argpack(f, reg, p);
	if (tab == &layout_sock_fprog)
		return fmt_fprog(f, reg, p);
	if (tab == &layout_ifconf)
		return fmt_ifconf(f, reg, p);
	if (!bare)
		fmt_open(f, '[');
	if (a->ekind == K_SIGSET && a->ref && fmt_reg(f, a->ref) < 8)
		return fmt_sigset(f, fmt_load(p, 8) &
				     ((1ull << 8 * fmt_reg(f, a->ref)) - 1));
	fmt_elem(f, a->ekind, tab, p, size);
	if (!bare)
		fmt_close(f, ']');
}

void fmt_list(struct fmt *f, const struct sys_arg *a, const struct mem *m,
	      uint64_t addr, uint64_t count)
{
	unsigned int size = sys_elem_size(f->abi, a);
	uint64_t n = m->len / size;

	if (n > count)
		n = count;
	if (!f->v->verbose && n > f->v->strsize)
		n = f->v->strsize;
	fmt_open(f, '[');
	for (uint64_t i = 0; i < n; i++) {
		fmt_sep(f);
		fmt_elem(f, a->ekind, i && a->ekind == K_FLAGS && a->out ?
				     a->out : a->tab,
			 m->p + i * size, size);
	}
	if (n < count)
		fmt_rest(f, m, n, addr + n * size);
	fmt_close(f, ']');
}

/* The type, a word, and as much text as the caller said. */
static void put_msgbuf(struct fmt *f, const struct sys_arg *a,
		       const struct mem *m, bool out)
{
	unsigned int word = f->abi == KTR_ABI_COMPAT ? 4 : 8;
	struct mem text = { .p = m->p + word, .len = m->len - word };
	uint64_t count = fmt_count(f, a, out);

	if (text.len > count)
		text.len = count;
	fmt_open(f, '{');
	fmt_name(f, "mtype");
	fmt_dec(f, fmt_sign(fmt_load(m->p, word), word));
	fmt_name(f, "mtext");
	fmt_data(f, &text, count);
	fmt_close(f, '}');
}

/* A struct whose size is told beside it. */
static bool is_sized(const struct sys_arg *a)
{
	return a->kind == K_PTR && a->ekind == K_STRUCT && a->ref;
}

static size_t min_len(const struct mem *m, uint64_t count)
{
	return m->len < count ? m->len : count;
}

/* The first member; of what bpf takes, all that is known. */
static size_t least_of(const struct sys_layout *l, uint64_t size)
{
	if (!l->dots)
		return 4;
	return size < l->size[0] ? size : l->size[0];
}

/* Bytes without which nothing can be shown. */
static size_t least(struct fmt *f, const struct sys_arg *a, bool out)
{
	switch (a->kind) {
	case K_PTR:
		return is_sized(a) ? least_of(a->tab, fmt_count(f, a, out)) :
				     sys_elem_size(f->abi, a);
	case K_SIGINFO:
		return 16;
	case K_MSGBUF:
		return f->abi == KTR_ABI_COMPAT ? 4 : 8;
	case K_PERFATTR:
		return 8;
	default:
		return 0;
	}
}

static void put_mem(struct fmt *f, const struct sys_arg *a, unsigned int reg,
		    const struct mem *m, bool out)
{
	uint64_t addr = fmt_reg(f, reg), count;

	switch (a->kind) {
	case K_PATH:
	case K_STR:
		return put_string(f, a, m);
	case K_BUF:
		return put_buffer(f, a, m, out);
	case K_PATHBUF:
		if (a->ref == REF_RET)
			return fmt_data(f, m, fmt_count(f, a, out));
		count = fmt_count(f, a, out);
		return fmt_bytes(f, m->p, m->len < count ? m->len : count,
				 m->len < count);
	case K_PTR:
		if (is_sized(a))
			return fmt_sized(f, out && a->out ? a->out : a->tab,
					 m->p, min_len(m, fmt_count(f, a, out)),
					 fmt_count(f, a, out));
		return put_pointed(f, a, reg, out && a->out ? a->out : a->tab,
				   m->p);
	case K_VEC:
		return fmt_list(f, a, m, addr, fmt_count(f, a, out));
	case K_ARGV:
		return put_strings(f, m, addr);
	case K_ENVP:
		return put_env(f, m, addr);
	case K_IOV:
		return fmt_iov(f, m, addr, fmt_count(f, a, out), !out ? ~0ull :
			       f->failed ? ADDRESSES : (uint64_t)f->r->ret, -1);
	case K_SOCKADDR:
		return fmt_sockaddr(f, m, addr, out ? fmt_written(f, a) :
					      (int)fmt_count(f, a, out));
	case K_FDSET:
		return fmt_fdset(f, m, fmt_count(f, a, out), NULL);
	case K_CPUSET:
		return fmt_cpuset(f, m, fmt_count(f, a, out));
	case K_DIRENTS:
		return fmt_dirents(f, a, m, addr);
	case K_SIGINFO:
		return fmt_siginfo_fields(f, m->p, m->len);
	case K_IOCB:
		return fmt_iocb(f, m, addr);
	case K_IOCBS:
		return fmt_iocbs(f, a, reg, m);
	case K_MSGBUF:
		return put_msgbuf(f, a, m, out);
	case K_CAPS:
		return fmt_caps(f, m);
	case K_PERFATTR:
		return fmt_perf_attr(f, m, addr);
	default:
		return fmt_hex(f, addr);
	}
}

/* Whether the size that came with it is one the kernel takes. */
static bool fits(struct fmt *f, const struct sys_arg *a, unsigned int reg)
{
	if (a->late && a->when == W_IN && f->failed && !is_sized(a))
		return false;
	if (a->kind == K_PTR && a->ekind == K_SIGSET && a->ref)
		return fmt_reg(f, a->ref) <= 8 && fmt_reg(f, a->ref) >=
		       (f->abi == KTR_ABI_COMPAT ? 4 : 8);
	if (a->tab == &layout_statfs64 && reg == 2)
		return fmt_reg(f, 1) == layout_statfs64.size[1];
	if ((a->kind == K_VEC || a->kind == K_BUF) && a->size &&
	    a->ref != REF_CONST)
		return fmt_count(f, a, false) <= a->size;
	if (a->kind == K_IOCBS && (int64_t)fmt_sign(fmt_count(f, a, false),
			f->abi == KTR_ABI_COMPAT ? 4 : 8) < 0)
		return false;
	if (a->show == SHOW_CLOSED && fmt_reg(f, a->if_reg) & a->if_value)
		return false;
	if (a->show == SHOW_ROOM && !fmt_reg(f, a->if_reg))
		return false;
	if (is_sized(a) && fmt_count(f, a, false) <
			   ((const struct sys_layout *)a->tab)->least)
		return false;
	if (is_sized(a) && ((const struct sys_layout *)a->tab)->dots &&
	    fmt_count(f, a, false) > MOST_BYTES)
		return false;
	if (a->tab == &layout_open_how)
		return fmt_reg(f, reg + 1) >= layout_open_how.size[f->abi];
	if (a->kind == K_FDSET)
		return (int)fmt_reg(f, a->ref) <= 1024;
	return true;
}

bool fmt_cond_met(const struct fmt *f, const struct sys_arg *a)
{
	if (a->kind == K_IOV)
		return true;
	switch (a->cond) {
	case IF_POS:
		return !f->failed && f->r->ret > 0;
	case IF_RESTART:
		return fmt_restart(f->r);
	case IF_ALWAYS:
		return true;
	default:
		return !f->failed && !(f->r->flags & KTR_SYS_F_NO_EXIT);
	}
}

/* {mask=[INT]} */
static void put_sigframe(struct fmt *f)
{
	struct mem m = fmt_mem(f, REG_STACK, ROLE_DATA, false);

	fmt_open(f, '{');
	fmt_name(f, "mask");
	if (m.len >= 4)
		fmt_sigset(f, fmt_load(m.p, m.len >= 8 ? 8 : 4));
	else
		buf_puts(f->b, f->json ? "null" : "?");
	fmt_close(f, '}');
}

/* What strace does not take for a structure. */
static bool is_text(const struct sys_arg *a)
{
	return a->kind == K_PATH || a->kind == K_STR || a->kind == K_BUF ||
	       a->kind == K_PATHBUF;
}

void fmt_mem_arg(struct fmt *f, const struct sys_arg *a, unsigned int reg,
		 bool out)
{
	uint64_t addr = fmt_reg(f, reg);
	struct mem m;

	if (a->kind == K_SIGFRAME)
		return put_sigframe(f);
	if (a->kind == K_FHANDLE)
		return fmt_handle(f, a, reg);
	if (a->kind == K_CLONE3)
		return fmt_clone3(f, reg, out);
	if (a->kind == K_MSGHDR)
		return fmt_msghdr(f, reg, out);
	if (a->kind == K_MMSGHDR)
		return fmt_mmsghdr(f, a, reg, out);
	if (a->kind == K_OPTVAL)
		return fmt_optval(f, a, reg, out);
	if (a->kind == K_BPFATTR || (a->kind == K_ANY && a->ekind == K_ADDR))
		return fmt_addr(f, addr);
	if (a->kind == K_ANY)
		return fmt_hex(f, addr);
	if (f->v->addresses && !is_text(a))
		return fmt_addr(f, addr);
	if (!addr || (out && !fmt_cond_met(f, a)) || !fits(f, a, reg))
		return fmt_addr(f, addr);
	if (a->kind == K_BUF && !fmt_count(f, a, out))
		return fmt_bytes(f, "", 0, false);
	m = fmt_mem(f, reg, ROLE_DATA, out);
	if (!m.have)
		return fmt_addr(f, addr);
	/* Of an environment that is not shown there are no bytes, but a count. */
	if ((m.flags & KTR_CAP_F_UNREADABLE && !m.len && !(a->kind == K_ENVP && m.count)) ||
	    m.len < least(f, a, out))
		return fmt_bad(f, addr, !f->r->begun && !f->failed);
	put_mem(f, a, reg, &m, out);
}
