/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kdump.h - records in the words of FreeBSD's kdump(1) */
#ifndef KTR_KDUMP_H
#define KTR_KDUMP_H

#include <stdbool.h>
#include <stdint.h>
#include "buf.h"
#include "fmt_syscall.h"
#include "view.h"

/* Kinds of lines, by the letters of kdump -t. */
enum kdump_line {
	KD_CALL, KD_RET, KD_NAMI, KD_GIO, KD_PSIG, KD_CSW, KD_USER, KD_STRU,
	KD_PCTR, KD_PDTR, KD_PFLT, KD_PRET, KD_CAP, KD_SCTL, KD_FUNC, KD_OTHER,
	KD_END,
	KD__LAST
};

struct kdump_view {
	bool decimal;		/* -d: numbers in decimal */
	bool plain;		/* -n: constants and errors as numbers */
	bool elapsed;		/* -E: time since the first line */
	bool threads;		/* -H: the thread's number too */
	bool cpus;		/* -c: the CPU, too */
	bool no_data;		/* -s: I/O without its bytes */
	bool numbers;		/* -S: the number of a call too */
	bool abi;		/* -A: the ABI of a call too */
	uint32_t max_data;	/* -m: bytes of one I/O; 0: all there are */
	uint32_t hide;		/* bit of enum kdump_line: not these */
	uint32_t pid;		/* -p: this process alone; 0: all */
};

/* Letters as of kdump -t: what they leave out, in ->hide; -1: not such a letter. */
int kdump_letters(const char *letters, uint32_t *hide);

const char *kdump_word(enum kdump_line line);	/* "CALL" */

/* Bytes as vis(3) shows them: no line ends, no escapes. */
void kdump_text(struct buf *b, const void *p, size_t n);

/* `openat(AT_FDCWD,0x7ffc2f0a,0x80000<O_CLOEXEC>)` */
void kdump_call(struct buf *b, const struct view *v, const struct kdump_view *kv,
		const struct sys_rec *r);
/* `openat 3`, `openat -1 errno 2 No such file or directory` */
void kdump_ret(struct buf *b, const struct kdump_view *kv, const struct sys_rec *r);

/*
 * What a call's captured memory tells, in kdump's order: NAMI and STRU before
 * it returns (@out false), GIO and STRU after. @fn is called with a text for
 * each; it is valid until @fn returns.
 */
typedef void (*kdump_fn)(void *arg, enum kdump_line line, const struct buf *text);
void kdump_memory(const struct view *v, const struct kdump_view *kv,
		  const struct sys_rec *r, bool out, kdump_fn fn, void *arg);

/* The same as it lies in memory, for those who read records and not lines. */
struct kdump_item {
	enum kdump_line line;	/* KD_NAMI, KD_GIO or KD_STRU */
	const char *name;	/* of a struct */
	size_t size;		/* of one of several; 0: it is one */
	int fd;			/* KD_GIO, as the next two */
	bool wrote;
	uint64_t moved;		/* that went over, all of it */
	const void *p;
	size_t n;
};

typedef void (*kdump_item_fn)(void *arg, const struct kdump_item *item);
void kdump_items(const struct sys_rec *r, bool out, kdump_item_fn fn, void *arg);

#endif
