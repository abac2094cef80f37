/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fmt_syscall.h - syscall records as text and JSON */
#ifndef KTR_FMT_SYSCALL_H
#define KTR_FMT_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>
#include "buf.h"
#include "ktracer.h"
#include "view.h"

/* One captured section: header and the bytes behind it. */
struct sys_cap {
	const struct ktr_cap *h;
	const unsigned char *p;
};

/* A syscall or syscall_begun record, taken apart; it points into the record. */
struct sys_rec {
	const struct ktr_rec *rec;
	int nr;
	unsigned int abi;
	unsigned int flags;	/* KTR_SYS_F_* */
	unsigned int nargs;	/* words that are there */
	uint64_t args[6];	/* compat: upper halves zero */
	int64_t ret;		/* compat: an error is sign-extended, else 32 bits */
	uint64_t start;
	uint64_t blocked;	/* ns; with KTR_SYS_F_TIMES only */
	uint64_t runnable;
	int resumed;		/* restart_syscall: the call that goes on; -1: the caller says */
	uint64_t ip;		/* of the caller, if it was recorded; else 0 */
	bool begun;		/* from a syscall_begun record: no result */
	unsigned int ncaps;
	struct sys_cap cap[2 * KTR_OPS_MAX];
};

/* Checks every bound; the record's len8 must be backed by that much memory. */
int sys_parse(const struct ktr_rec *rec, struct sys_rec *out);	/* -EBADMSG */

/*
 * entry + exit + ret is strace's line. entry: `read(3, `, what is known before
 * the call returns; exit: what the kernel filled in, and `)`; ret: ` = 3`,
 * ` = -1 ENOENT (No such file or directory)`, ` = ?`. The caller pads so that
 * the `=` stands in column view->col or behind, that is, ret is written when
 * the line is at least view->col - 1 long, and adds <time>.
 */
void fmt_syscall_name(struct buf *b, const struct sys_rec *r);
void fmt_syscall_entry(struct buf *b, const struct view *v,
		       const struct sys_rec *r);
void fmt_syscall_exit(struct buf *b, const struct view *v,
		      const struct sys_rec *r);
void fmt_syscall_ret(struct buf *b, const struct view *v,
		     const struct sys_rec *r);

/*
 * Whether memory that the entry shows is not in the record: of a begun record
 * that was cut short, or that came before the kernel had read it.
 */
bool fmt_syscall_lacks(const struct sys_rec *r);

/* -e read=, write=: lines of their own, below the call's. */
void fmt_dump(struct buf *b, const struct view *v, const struct sys_rec *r);

/*
 * Members without the outer braces: "name", "nr", "abi", "args" {...}, and of
 * a finished call "ret", on failure "errno", "dur" (ns); "blocked",
 * "runnable" where known. A value is a number, a string (flags, enums,
 * addresses "0x..", text), an array or an object. One that needs a remark is an
 * object {"value":..., "cut":true, "len":N, "late":true} or {"addr":"0x..",
 * "unreadable":true}; bytes that are not UTF-8 are {"hex":"00ff.."}.
 */
void json_syscall(struct buf *b, const struct view *v,
		  const struct sys_rec *r);

#endif
