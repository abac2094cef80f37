// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_decode.c - the decoder on records that nobody wrote */
#include <stdlib.h>
#include <string.h>
#include "fmt_signal.h"
#include "fmt_syscall.h"
#include "sys.h"

#define REC_BYTES 8192

/* Bytes of the input, zeros behind its end. */
struct input {
	const uint8_t *p;
	size_t n;
};

static uint64_t take(struct input *in, size_t n)
{
	uint64_t v = 0;

	if (n > in->n)
		n = in->n;
	memcpy(&v, in->p, n);
	in->p += n;
	in->n -= n;
	return v;
}

struct out {
	unsigned char bytes[REC_BYTES] __attribute__((aligned(8)));
	size_t n;
};

static void put(struct out *o, const void *p, size_t n)
{
	if (n > sizeof(o->bytes) - o->n)
		n = sizeof(o->bytes) - o->n;
	memcpy(o->bytes + o->n, p, n);
	o->n += n;
}

static void put_cap(struct out *o, struct input *in)
{
	struct ktr_cap h = {
		.op = take(in, 1) % KTR_OPS_MAX, .flags = take(in, 1),
		.count = take(in, 1), .len = take(in, 1),
	};
	unsigned char data[256] = { 0 };

	if (h.len > in->n)
		h.len = in->n;
	memcpy(data, in->p, h.len);
	in->p += h.len;
	in->n -= h.len;
	put(o, &h, sizeof(h));
	put(o, data, (h.len + 7) & ~7u);
}

/* A record that is well formed, of any call with any contents. */
static void build(struct out *o, struct input *in)
{
	bool begun = take(in, 1) & 1;
	struct ktr_ev_syscall e = {
		.nr = take(in, 2) % 512, .abi = take(in, 1) & 1,
		.flags = take(in, 1) & 31, .nargs = take(in, 1) % 7,
		.ncaps = take(in, 1) % 8, .ret = take(in, 8),
	};
	struct ktr_ev_syscall_begun g = {
		.nr = e.nr, .abi = e.abi, .flags = e.flags, .nargs = e.nargs,
		.ncaps = e.ncaps,
	};
	struct ktr_rec *rec = (void *)o->bytes;
	uint64_t word;

	o->n = sizeof(*rec);
	if (begun)
		put(o, &g, sizeof(g));
	else
		put(o, &e, sizeof(e));
	for (int i = 0; i < e.nargs + (e.flags & KTR_SYS_F_TIMES ? 2 : 0);
	     i++) {
		word = take(in, 1);
		if (word > 200)
			word = take(in, 8);
		put(o, &word, 8);
	}
	for (int i = 0; i < e.ncaps; i++)
		put_cap(o, in);
	*rec = (struct ktr_rec){
		.len8 = o->n / 8,
		.kind = begun ? KTR_KIND_syscall_begun : KTR_KIND_syscall,
	};
}

static void show(const struct ktr_rec *rec, unsigned int how)
{
	struct view v = VIEW_DEFAULT;
	struct buf b = { 0 };
	struct sys_rec r;

	v.verbose = how & 1;
	v.xlat = (how >> 1) % 3;
	v.hexstr = how >> 3 & 1;
	if (sys_parse(rec, &r))
		return;
	fmt_syscall_entry(&b, &v, &r);
	fmt_syscall_exit(&b, &v, &r);
	fmt_syscall_ret(&b, &v, &r);
	buf_reset(&b);
	json_syscall(&b, &v, &r);
	buf_free(&b);
}

static void show_siginfo(const uint8_t *p, size_t n)
{
	struct view v = VIEW_DEFAULT;
	struct buf b = { 0 };

	fmt_siginfo(&b, &v, p, n < 48 ? n : 48);
	json_siginfo(&b, &v, p, n < 48 ? n : 48);
	buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct input in = { p, n };
	unsigned int how = take(&in, 1);
	struct ktr_rec *rec;
	struct out o;

	if ((how & 0xe0) == 0x60) {
		show_siginfo(in.p, in.n);
		return 0;
	}
	if (how & 0x80) {	/* bytes as they come, in just as much memory */
		n = in.n / 8 * 8;
		if (n < sizeof(*rec) || n > KTR_REC_MAX)
			return 0;
		rec = malloc(n);
		memcpy(rec, in.p, n);
		rec->len8 = n / 8;
		if (how & 0x40)
			rec->kind = KTR_KIND_syscall;
	} else {
		build(&o, &in);
		rec = malloc(o.n);
		memcpy(rec, o.bytes, o.n);
	}
	show(rec, how);
	free(rec);
	return 0;
}
