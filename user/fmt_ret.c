// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_ret.c - results, and what strace shows in parentheses behind them */
#include <string.h>
#include "consts.h"
#include "fmt.h"
#include "fmt_signal.h"

#define MAX_ERRNO 4095

static const struct {
	int code;
	const char *name, *text;
} restarts[] = {
	{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
	{ 513, "ERESTARTNOINTR", "To be restarted" },
	{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
	{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
};

bool fmt_error(const struct sys_rec *r, int *err)
{
	if (r->ret >= 0 || r->ret < -MAX_ERRNO)
		return false;
	*err = -r->ret;
	return true;
}

static const char *restart_text(int err, const char **name)
{
	for (size_t i = 0; i < sizeof(restarts) / sizeof(restarts[0]); i++)
		if (restarts[i].code == err) {
			*name = restarts[i].name;
			return restarts[i].text;
		}
	return NULL;
}

bool fmt_restart(const struct sys_rec *r)
{
	const char *name;
	int err;

	return fmt_error(r, &err) && restart_text(err, &name);
}

static void put_error(struct buf *b, int err)
{
	const char *name, *text = restart_text(err, &name);

	if (text) {
		buf_printf(b, "? %s (%s)", name, text);
		return;
	}
	name = xlat_name(&xlat_errnos, err);
	if (!name)
		buf_printf(b, "-1 (errno %d)", err);
	else
		buf_printf(b, "-1 %s (%s)", name, strerror(err));
}

static const struct fmt_arg *find_arg(const struct fmt *f, unsigned int kind,
				      bool aux)
{
	for (unsigned int i = 0; i < f->nargs; i++)
		if (f->arg[i].a->kind == kind && f->arg[i].a->aux == aux)
			return &f->arg[i];
	return NULL;
}

/* "left {tv_sec=..}", what remains of a time-out. */
static void put_left(struct fmt *f)
{
	const struct fmt_arg *at = find_arg(f, K_PTR, true);
	struct mem m;

	if (!at || !fmt_reg(f, at->reg))
		return;
	m = fmt_mem(f, at->reg, ROLE_DATA, true);
	if (m.len < sys_elem_size(f->abi, at->a))
		return;
	fmt_sep(f);
	buf_puts(f->b, "left ");
	fmt_layout(f, at->a->tab, m.p);
}

/* Those of the descriptors that have something. */
static void put_poll(struct fmt *f)
{
	const struct fmt_arg *at = find_arg(f, K_VEC, true);
	const struct sys_layout *l = &layout_pollfd_out;
	unsigned int size = l->size[f->abi], shown = 0;
	uint64_t count;
	struct mem m;

	if (!at)
		return;
	m = fmt_mem(f, at->reg, ROLE_DATA, true);
	count = fmt_count(f, at->a, true);
	buf_puts(f->b, " ([");
	for (uint64_t i = 0; i < count && i < m.len / size; i++) {
		const unsigned char *p = m.p + i * size;

		if (!fmt_load(p + l->fields[1].off[f->abi], 2))
			continue;
		if (shown == f->v->strsize && !f->v->verbose)
			break;
		fmt_sep(f);
		fmt_layout(f, l, p);
		shown++;
	}
	/* There are as many as the result says, also beyond what was kept. */
	if (shown < (uint64_t)f->r->ret)
		fmt_more(f);
	buf_putc(f->b, ']');
	put_left(f);
	buf_putc(f->b, ')');
}

/* The sets of select, and what is left of the time. */
static void put_sets_left(struct fmt *f)
{
	static const char *const names[] = { "in ", "out ", "except " };
	unsigned int most = f->r->ret;

	buf_puts(f->b, " (");
	for (unsigned int i = 0; i < f->nargs; i++) {
		const struct fmt_arg *at = &f->arg[i];
		struct mem m;
		size_t from;

		if (at->a->kind != K_FDSET || !fmt_reg(f, at->reg) ||
		    at->reg < 1 || at->reg > 3)
			continue;
		m = fmt_mem(f, at->reg, ROLE_DATA, true);
		from = f->b->len;
		fmt_sep(f);
		buf_puts(f->b, names[at->reg - 1]);
		fmt_fdset(f, &m, fmt_count(f, at->a, true), &most);
		if (f->b->p[f->b->len - 2] == '[')	/* none */
			f->b->len = from;
	}
	put_left(f);
	if (f->b->p[f->b->len - 1] == '(')
		f->b->len -= 2;
	else
		buf_putc(f->b, ')');
}

static void put_flags(struct fmt *f, const struct xlat *x, const char *text)
{
	static const struct view names = VIEW_DEFAULT;	/* -X has no say here */
	bool only_names = text && !*text;

	buf_hex(f->b, f->r->ret);
	if (!f->r->ret && !x->head)
		return;
	if (only_names && f->v->xlat == VIEW_RAW)
		return;
	buf_printf(f->b, " (%s", text ? text : "");
	fmt_xlat_flags(f->b, x->head || only_names ? &names : f->v, x,
		       f->r->ret);
	buf_putc(f->b, ')');
}

static void put_date(struct fmt *f, int64_t t)
{
	size_t at = f->b->len;

	fmt_time_comment(f, t, 0, 9);
	if (f->b->len == at)
		return;
	f->b->len -= 3;		/* " / * .. * /" becomes " (..)" */
	memmove(f->b->p + at + 2, f->b->p + at + 4, f->b->len - at - 4);
	memcpy(f->b->p + at, " (", 2);
	f->b->len -= 2;
	buf_putc(f->b, ')');
}

/* The slot that set_thread_area chose. */
static void put_tls(struct fmt *f)
{
	struct mem m = fmt_mem(f, 0, ROLE_DATA, true);

	if (m.len >= 4)
		buf_printf(f->b, " (entry_number=%u)",
			   (unsigned int)fmt_load(m.p, 4));
}

/* What follows a decimal result in parentheses. */
static void put_aux(struct fmt *f, unsigned int kind, const struct xlat *tab,
		    int64_t ret)
{
	static const struct view names = VIEW_DEFAULT;
	char tmp[16];

	switch (kind) {
	case R_POLICY:
		buf_puts(f->b, " (");
		fmt_xlat_enum(f->b, &names, tab, (uint32_t)ret);
		return buf_putc(f->b, ')');
	case R_SIGNO:
		if (ret > 0 && ret <= 64)
			buf_printf(f->b, " (%s)", sig_name(ret, tmp));
		return;
	case R_TIME:
		return put_date(f, ret);
	case R_IOPRIO:
		if (f->v->xlat == VIEW_RAW)
			return;
		buf_puts(f->b, " (");
		fmt_ioprio(f, ret);
		return buf_putc(f->b, ')');
	case R_TLS:
		return put_tls(f);
	case R_POLL:
	case R_SELECT:
	case R_MMSG:
		if (!ret)
			return buf_puts(f->b, " (Timeout)");
		if (kind == R_POLL)
			return put_poll(f);
		return put_sets_left(f);
	default:
		return;
	}
}

static void put_result(struct fmt *f, unsigned int kind,
		       const struct xlat *tab, const char *text)
{
	bool compat = f->abi == KTR_ABI_COMPAT;
	int64_t ret = compat ? (int32_t)f->r->ret : f->r->ret;
	const char *name;

	f->fds = kind == R_FD ? FDS_EXIT : FDS_NONE;
	switch (kind) {
	case R_HEX:
		return buf_hex(f->b, compat ? (uint32_t)ret : (uint64_t)ret);
	case R_UDEC:
		return buf_udec(f->b, compat ? (uint32_t)ret : (uint64_t)ret);
	case R_OCT:
		return buf_oct(f->b, ret, 3);
	case R_PID:
		return fmt_word(f, K_PID, NULL, ret, 4);
	case R_FD:
		return fmt_word(f, K_FD, NULL, ret, 4);
	case R_MASK:
		buf_hex(f->b, (uint32_t)ret);
		buf_printf(f->b, " (%s", text);
		fmt_sigset(f, (uint32_t)ret);
		return buf_putc(f->b, ')');
	case R_SIGHAND:
		buf_hex(f->b, (uint32_t)ret);
		if (ret == 0 || ret == 1)
			buf_puts(f->b, ret ? " (SIG_IGN)" : " (SIG_DFL)");
		return;
	case R_FLAGS:
		return put_flags(f, tab, text);
	case R_ENUM:
		name = xlat_name(tab, ret);
		buf_hex(f->b, ret);
		if (name)
			buf_printf(f->b, " (%s)", name);
		return;
	default:
		buf_dec(f->b, ret);
		put_aux(f, kind, tab, ret);
	}
}

void fmt_syscall_ret(struct buf *b, const struct view *v,
		     const struct sys_rec *r)
{
	struct fmt f;
	int err;

	if (r->begun)
		return;
	fmt_setup(&f, b, v, r, false);
	buf_puts(b, " = ");
	if (r->flags & KTR_SYS_F_NO_EXIT)
		buf_putc(b, '?');
	else if (fmt_error(r, &err))
		put_error(b, err);
	else if (f.raw)
		put_result(&f, R_HEX, NULL, NULL);
	else if (f.var)
		put_result(&f, f.var->ret, f.var->ret_tab, f.var->ret_text);
	else if (f.desc)
		put_result(&f, f.desc->ret, f.desc->ret_tab,
			   f.desc->ret_text);
	else
		put_result(&f, R_DEC, NULL, NULL);
}
