// SPDX-License-Identifier: GPL-2.0-or-later
/* sys_layouts.c - tables/structs.h as data */
#include <asm/signal.h>
#include <asm/siginfo.h>
#include <asm/termbits.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <linux/stat.h>
#include <stddef.h>
#include "consts.h"
#include "sys_layouts.h"

#define PART(t, m, ...) { .tab = &xlat_##t, .mask = m, ##__VA_ARGS__ }

/* struct termios packs small numbers between its flags. */
static const struct sys_part tty_iflag_parts[] = {
	PART(tty_iflags, 0),
};

static const struct sys_part tty_oflag_parts[] = {
	PART(tty_nl, NLDLY), PART(tty_cr, CRDLY),
	PART(tty_tab, TABDLY), PART(tty_bs, BSDLY),
	PART(tty_vt, VTDLY), PART(tty_ff, FFDLY),
	PART(tty_oflags, 0),
};

static const struct sys_part tty_cflag_parts[] = {
	PART(tty_baud, CBAUD), PART(tty_baud, CIBAUD, .shift_name = "IBSHIFT", .shift = IBSHIFT),
	PART(tty_size, CSIZE),
	PART(tty_cflags, 0),
};

static const struct sys_part tty_lflag_parts[] = {
	PART(tty_lflags, 0),
};

#define V		.flags = FF_VERBOSE
#define T(table)	.tab = &xlat_##table
#define S(layout)	.tab = &layout_##layout
#define LAYOUT(name) static const struct sys_field fields_##name[] = {
#define FN(l, text, member, k, ...) {				\
	.name = text, .kind = K_##k,				\
	.off = { offsetof(struct native_##l, member),		\
		 offsetof(struct compat_##l, member) },		\
	.size = { sizeof(((struct native_##l *)0)->member),	\
		  sizeof(((struct compat_##l *)0)->member) },	\
	##__VA_ARGS__ },
#define F(l, member, k, ...) FN(l, #member, member, k, ##__VA_ARGS__)
#define LAYOUT_END(name_, l, ...) };				\
	const struct sys_layout layout_##name_ = {		\
		.name = #name_,					\
		.size = { sizeof(struct native_##l),		\
			  sizeof(struct compat_##l) },		\
		.nfields = sizeof(fields_##name_) /			\
			   sizeof(fields_##name_[0]),		\
		.fields = fields_##name_, ##__VA_ARGS__			\
	};
#include "tables/structs.h"
