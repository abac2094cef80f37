// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_aio.c - asynchronous requests, struct iocb, and where pointers to it lie */
#include <linux/aio_abi.h>
#include <string.h>
#include "consts.h"
#include "fmt.h"

/* Both ABIs lay it out alike. */
typedef struct native_iocb iocb_t;

static bool is_vector(unsigned int op)
{
	return op == IOCB_CMD_PREADV || op == IOCB_CMD_PWRITEV;
}

static bool is_transfer(unsigned int op)
{
	return op == IOCB_CMD_PREAD || op == IOCB_CMD_PWRITE;
}

static void put_op(struct fmt *f, unsigned int op)
{
	if (xlat_name(&xlat_aio_ops, op)) {
		fmt_enum(f, &xlat_aio_ops, op);
		return;
	}
	fmt_udec(f, op);
	if (!f->json && f->v->xlat != VIEW_RAW)
		buf_printf(f->b, " /* %s */", xlat_aio_ops.unknown);
}

/* What is written is in the record, if there was room for it. */
static void put_data(struct fmt *f, const iocb_t *cb, const struct mem *data)
{
	fmt_name(f, "aio_buf");
	if (cb->aio_lio_opcode == IOCB_CMD_PWRITE && data->len)
		fmt_data(f, data, cb->aio_nbytes);
	else
		fmt_addr(f, cb->aio_buf);
}

static void put_request(struct fmt *f, const iocb_t *cb, const struct mem *data)
{
	if (cb->aio_lio_opcode == IOCB_CMD_POLL) {
		fmt_name(f, "aio_buf");
		fmt_flags(f, &xlat_poll_flags, cb->aio_buf);
	} else if (is_transfer(cb->aio_lio_opcode) ||
		   is_vector(cb->aio_lio_opcode)) {
		put_data(f, cb, data);
		fmt_name(f, "aio_nbytes");
		fmt_udec(f, cb->aio_nbytes);
		fmt_name(f, "aio_offset");
		fmt_dec(f, cb->aio_offset);
		if (!cb->aio_flags)
			return;
		fmt_name(f, "aio_flags");
		fmt_flags(f, &xlat_aio_flags, cb->aio_flags);
		if (!(cb->aio_flags & IOCB_FLAG_RESFD))
			return;
		fmt_name(f, "aio_resfd");
		fmt_word(f, K_FD, NULL, cb->aio_resfd, 4);
	}
}

static void put_iocb(struct fmt *f, const struct mem *m, uint64_t addr,
		     const struct mem *data)
{
	iocb_t cb;

	if (m->len < sizeof(cb))
		return fmt_addr(f, addr);
	memcpy(&cb, m->p, sizeof(cb));
	fmt_open(f, '{');
	if (cb.aio_data) {
		fmt_name(f, "aio_data");
		fmt_hex(f, cb.aio_data);
	}
	if (cb.aio_key) {
		fmt_name(f, "aio_key");
		fmt_udec(f, cb.aio_key);
	}
	if (cb.aio_rw_flags) {
		fmt_name(f, "aio_rw_flags");
		fmt_flags(f, &xlat_rwf_flags, cb.aio_rw_flags);
	}
	fmt_name(f, "aio_lio_opcode");
	put_op(f, cb.aio_lio_opcode);
	if (cb.aio_reqprio) {
		fmt_name(f, "aio_reqprio");
		if (cb.aio_flags & IOCB_FLAG_IOPRIO)
			fmt_word(f, K_IOPRIO, NULL, (uint16_t)cb.aio_reqprio, 4);
		else
			fmt_dec(f, cb.aio_reqprio);
	}
	fmt_name(f, "aio_fildes");
	fmt_word(f, K_FD, NULL, cb.aio_fildes, 4);
	if (data)	/* else only which one is meant counts */
		put_request(f, &cb, data);
	fmt_close(f, '}');
}

void fmt_iocb(struct fmt *f, const struct mem *m, uint64_t addr)
{
	put_iocb(f, m, addr, NULL);
}

void fmt_iocbs(struct fmt *f, const struct sys_arg *a, unsigned int reg,
	       const struct mem *m)
{
	unsigned int word = f->abi == KTR_ABI_COMPAT ? 4 : 8;
	uint64_t count = fmt_count(f, a, false), i;

	fmt_open(f, '[');
	for (i = 0; i < count && (i + 1) * word <= m->len; i++) {
		unsigned int role = ROLE_NAME + 2 * i;
		struct mem cb = { 0 }, data = { 0 };

		if (i >= f->v->strsize && !f->v->verbose)
			break;
		if (i < IOCBS_KEPT) {
			cb = fmt_mem(f, reg, role, false);
			data = fmt_mem(f, reg, role + 1, false);
		}
		fmt_sep(f);
		put_iocb(f, &cb, fmt_load(m->p + i * word, word), &data);
	}
	if (i < count)
		fmt_rest(f, m, i, fmt_reg(f, reg) + i * word);
	fmt_close(f, ']');
}
