/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.h - syscall records made in user space
 *
 * Runs the capture program of a call on another process's memory and builds
 * the record that the module would write, so that the decoder can be tested
 * natively.
 */
#ifndef NATIVE_DECODE_ENGINE_H
#define NATIVE_DECODE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "ktracer.h"

#define ENGINE_DATA (KTR_CAP_MAX * 2)

struct engine {
	pid_t pid;		/* whose memory */
	struct ktr_row row;
	struct ktr_op op[KTR_OPS_MAX];
	uint64_t args[6];
	uint64_t sp;		/* stack pointer at entry */
	int64_t ret;
	uint64_t start;
	unsigned int flags;	/* KTR_SYS_F_* */
	unsigned int ncaps;
	int netlink;		/* protocol of the socket of the call, or -1 */
	uint32_t io_max, io_total;
	uint32_t at[KTR_OPS_MAX];	/* section of an operation + 1, 0: none */
	size_t len;		/* of data */
	unsigned char data[ENGINE_DATA] __attribute__((aligned(8)));
	unsigned char rec[ENGINE_DATA + 256] __attribute__((aligned(8)));
};

void engine_entry(struct engine *e, pid_t pid, unsigned int abi, int nr,
		  const uint64_t args[6], uint64_t sp, unsigned int strsize,
		  unsigned int datasize);
/* The record of the finished call. */
const struct ktr_rec *engine_exit(struct engine *e, int64_t ret);
const struct ktr_rec *engine_begun(struct engine *e);

#endif
