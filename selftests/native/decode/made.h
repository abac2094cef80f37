/* SPDX-License-Identifier: GPL-2.0-or-later */
/* made.h - records made by hand, and the line that comes of them */
#ifndef NATIVE_DECODE_MADE_H
#define NATIVE_DECODE_MADE_H

#include <stdint.h>
#include <string.h>
#include "fmt.h"
#include "tap.h"

static struct buf out;

static const char *text(void)
{
	return buf_str(&out);
}

static void is(const char *want, const char *what)
{
	if (strcmp(text(), want) && tap.complaints++ < TAP_COMPLAINTS_MAX)
		printf("# %s: %s, not %s\n", what, text(), want);
	buf_reset(&out);
}

/* Records made by hand */
struct made {
	unsigned char bytes[4096] __attribute__((aligned(8)));
	size_t n;
	struct ktr_ev_syscall *e;
};

static void make(struct made *m, unsigned int abi, int nr, int64_t ret,
		 unsigned int nargs, const uint64_t *args)
{
	struct ktr_rec *rec = (void *)m->bytes;

	memset(m, 0, sizeof(*m));
	m->e = (void *)(rec + 1);
	*m->e = (struct ktr_ev_syscall){
		.nr = nr, .abi = abi, .nargs = nargs, .ret = ret, .start = 100,
	};
	m->n = sizeof(*rec) + sizeof(*m->e);
	memcpy(m->bytes + m->n, args, nargs * 8);
	m->n += nargs * 8;
	*rec = (struct ktr_rec){ .len8 = m->n / 8, .tid = 7, .time = 350,
				 .kind = KTR_KIND_syscall };
}

static void cap(struct made *m, unsigned int op, unsigned int flags,
		const void *p, size_t n)
{
	struct ktr_cap h = { .op = op, .flags = flags, .len = n };

	memcpy(m->bytes + m->n, &h, sizeof(h));
	memcpy(m->bytes + m->n + sizeof(h), p, n);
	m->n += sizeof(h) + ((n + 7) & ~(size_t)7);
	m->e->ncaps++;
	((struct ktr_rec *)m->bytes)->len8 = m->n / 8;
}

static void line_as(struct made *m, const struct view *v)
{
	struct sys_rec r;

	buf_reset(&out);
	if (!CHECK_EQ(sys_parse((void *)m->bytes, &r), 0))
		return;
	fmt_syscall_entry(&out, v, &r);
	fmt_syscall_exit(&out, v, &r);
	fmt_syscall_ret(&out, v, &r);
}

#endif
