// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_clone.c - what clone3 takes and gives */
#include <linux/sched.h>
#include <stddef.h>
#include <string.h>
#include "fmt.h"

#define LEVELS_MAX 32	/* of pid namespaces, with a number in each */

/* The same in both ABIs; what is behind the caller's struct is zero. */
static struct native_clone_args args_of(const struct mem *m)
{
	struct native_clone_args a = { 0 };

	memcpy(&a, m->p, m->len < sizeof(a) ? m->len : sizeof(a));
	return a;
}

/* Whether all is there that the caller says he has. */
static bool have_args(const struct fmt *f, unsigned int reg, const struct mem *m)
{
	uint64_t size = fmt_reg(f, reg + 1);

	if (f->abi == KTR_ABI_COMPAT)
		size = (uint32_t)size;
	return size >= CLONE_ARGS_SIZE_VER0 && m->have &&
	       m->len >= (size < sizeof(struct native_clone_args) ? size :
			  sizeof(struct native_clone_args));
}

static void put_tids(struct fmt *f, unsigned int reg, uint64_t addr, uint64_t n)
{
	struct mem m = fmt_mem(f, reg, ROLE_CONTROL, false);

	if (!addr || !n || n > LEVELS_MAX || m.len < 4) {
		fmt_addr(f, addr);
		return;
	}
	fmt_open(f, '[');
	for (uint64_t i = 0; i < n && i < m.len / 4; i++) {
		fmt_sep(f);
		fmt_dec(f, (int32_t)fmt_load(m.p + i * 4, 4));
	}
	if (m.len / 4 < n)
		fmt_rest(f, &m, m.len / 4, addr + m.len / 4 * 4);
	fmt_close(f, ']');
}

/* What no version of the struct that is known has. */
static void put_tail(struct fmt *f, const struct mem *m)
{
	unsigned int known = sizeof(struct native_clone_args);
	unsigned int n = m->len - known;
	bool zero = true;

	for (size_t i = known; i < m->len; i++)
		zero &= !m->p[i];
	if (zero || f->json)
		return;
	fmt_sep(f);
	buf_printf(f->b, "/* bytes %u..%zu */ ", known, m->len - 1);
	fmt_raw_bytes(f, m->p + known, n < f->v->strsize ? n : f->v->strsize);
	if (n > f->v->strsize)
		buf_puts(f->b, "...");
}

static void put_in(struct fmt *f, unsigned int reg, const struct mem *m)
{
	struct native_clone_args a = args_of(m);

	fmt_open(f, '{');
	fmt_fields(f, &layout_clone_args, &a);
	if (a.set_tid || a.set_tid_size) {
		fmt_name(f, "set_tid");
		put_tids(f, reg, a.set_tid, a.set_tid_size);
		fmt_name(f, "set_tid_size");
		fmt_udec(f, a.set_tid_size);
	}
	if (a.cgroup || (m->len > offsetof(struct native_clone_args, cgroup) &&
			 a.flags & CLONE_INTO_CGROUP)) {
		fmt_name(f, "cgroup");
		fmt_udec(f, a.cgroup);
	}
	if (m->len > sizeof(a))
		put_tail(f, m);
	fmt_close(f, '}');
}

/* An int that the kernel was to put at an address. */
static void put_given(struct fmt *f, unsigned int reg, unsigned int role,
		      unsigned int kind, uint64_t addr)
{
	struct mem m = fmt_mem(f, reg, role, true);

	if (m.len < 4) {
		fmt_addr(f, addr);
		return;
	}
	fmt_open(f, '[');
	fmt_word(f, kind, NULL, fmt_load(m.p, 4), 4);
	fmt_close(f, ']');
}

bool fmt_clone3_gives(const struct fmt *f, unsigned int reg)
{
	struct mem m = fmt_mem(f, reg, ROLE_DATA, false);

	return !f->v->addresses && have_args(f, reg, &m) &&
	       args_of(&m).flags & (CLONE_PIDFD | CLONE_PARENT_SETTID);
}

static void put_out(struct fmt *f, unsigned int reg, const struct mem *m)
{
	struct native_clone_args a = args_of(m);

	fmt_open(f, '{');
	if (a.flags & CLONE_PIDFD) {
		fmt_name(f, "pidfd");
		put_given(f, reg, ROLE_IOV, K_FD, a.pidfd);
	}
	if (a.flags & CLONE_PARENT_SETTID) {
		fmt_name(f, "parent_tid");
		put_given(f, reg, ROLE_NAME, K_PID, a.parent_tid);
	}
	fmt_close(f, '}');
}

void fmt_clone3(struct fmt *f, unsigned int reg, bool out)
{
	struct mem m = fmt_mem(f, reg, ROLE_DATA, false);

	if (f->v->addresses)
		fmt_addr(f, fmt_reg(f, reg));
	else if (!have_args(f, reg, &m))
		fmt_bad(f, fmt_reg(f, reg), m.flags & KTR_CAP_F_UNREADABLE &&
					    !f->r->begun && !f->failed);
	else if (out)
		put_out(f, reg, &m);
	else
		put_in(f, reg, &m);
}
