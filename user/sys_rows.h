/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys_rows.h - the rows of user/tables by number */
#ifndef KTR_SYS_ROWS_H
#define KTR_SYS_ROWS_H

#include "sys_table.h"

/* Classes, as strace has them. */
enum {
	C_FILES		= 1 << 0,
	C_PROCESS	= 1 << 1,
	C_NET		= 1 << 2,
	C_SIGNAL	= 1 << 3,
	C_IPC		= 1 << 4,
	C_DESC		= 1 << 5,
	C_MEMORY	= 1 << 6,
	C_CREDS		= 1 << 7,
	C_CLOCKS	= 1 << 8,
	C_PURE		= 1 << 9,
	C_STAT		= 1 << 10,
	C_LSTAT		= 1 << 11,
	C_FSTAT		= 1 << 12,
	C_STAT_LIKE	= 1 << 13,
	C_STATFS	= 1 << 14,
	C_FSTATFS	= 1 << 15,
	C_STATFS_LIKE	= 1 << 16,
};

struct sys_rows {
	const struct sys_desc *const *desc;	/* by number, NULL: none */
	int n;
};

extern const struct sys_rows sys_rows[__KTR_ABI_LAST];

#endif
