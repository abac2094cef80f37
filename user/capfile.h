/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Capture files.
 *
 *	struct cap_header
 *	{ struct cap_block, payload, filled up to a multiple of 8 } ...
 *
 * Blocks are written in the order of the rounds in which the rings were read:
 * data, data, ..., round. A round block of time T says that every record older
 * than T stands before it, so that a reader can sort round by round. A file
 * ends with a footer, unless its writer was killed.
 */
#ifndef KTR_CAPFILE_H
#define KTR_CAPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "buf.h"
#include "fault.h"
#include "ktracer.h"

#define CAP_MAGIC		"KTRCAP\r\n"
#define CAP_VERSION		1
#define CAP_ENDIAN		0x01020304u
#define CAP_BLOCK_MAGIC		0x4252544bu	/* "KTRB" */
#define CAP_BLOCK_MAX		(16u << 20)	/* bytes of payload */

struct cap_header {
	char magic[8];
	uint32_t endian;
	uint16_t version;
	uint16_t header_size;
	uint32_t wire;		/* KTR_VERSION of the records */
	uint32_t reserved0;
	uint64_t features;	/* what a reader must know; none so far */
	uint64_t reserved[4];
};

enum cap_type {
	CAP_META = 1,	/* JSON object: where and how this was recorded */
	CAP_DATA,	/* whole records of one ring */
	CAP_ROUND,	/* no payload; time */
	CAP_SYMBOLS,	/* "address name module" lines */
	CAP_FOOTER,	/* struct cap_footer; the last one */
};

struct cap_block {
	uint32_t magic;
	uint16_t type;		/* enum cap_type; unknown ones are skipped */
	uint16_t flags;		/* 0 */
	uint32_t cpu;
	uint32_t ring;
	uint64_t length;	/* of the payload, without the filling */
	uint64_t time;		/* round blocks: T */
	uint32_t payload_crc;	/* CRC-32C */
	uint32_t header_crc;	/* of all before */
};

struct cap_footer {
	uint64_t records;
	uint64_t lost;
	uint64_t kinds[64];	/* records by kind */
};

/* ---- writing ---- */

struct cap_writer {
	int fd;
	bool own_fd;
	int error;		/* errno of the first failed write */
	uint64_t bytes;
	struct buf b;		/* small blocks wait here for their like */
};

/* path "-": standard output. */
int cap_create(struct cap_writer *w, const char *path, struct fault *f);
int cap_put(struct cap_writer *w, enum cap_type type, unsigned int cpu,
	    unsigned int ring, uint64_t time, const void *p, size_t n);
int cap_flush(struct cap_writer *w);	/* 0 or -errno */
int cap_finish(struct cap_writer *w);	/* flushes and closes */

/* ---- reading ---- */

struct cap_reader {
	FILE *in;
	uint64_t offset;	/* of the next byte */
	struct cap_header header;
	struct cap_block block;
	unsigned char *payload;
	size_t size;		/* of the memory at payload */
	uint64_t damage;	/* offset of the first damage */
	bool damaged;
	bool cut;		/* the file just ends */
	bool footer;		/* one was met */
};

/* path "-": standard input. A file of another kind or version is a fault. */
int cap_open(struct cap_reader *r, const char *path, struct fault *f);
int cap_open_stream(struct cap_reader *r, FILE *in, const char *name,
		    struct fault *f);

/*
 * The next whole block: r->block and r->payload. Damaged stretches are passed
 * over; of a data block that the end of the file cuts, what is there is given.
 * Return: 1, 0 at the end, -ENOMEM.
 */
int cap_next(struct cap_reader *r);

/*
 * Visit all whole blocks of one type first, passing over the others, and come
 * back to where the reader was. Not for what cannot be sought in.
 */
void cap_visit(struct cap_reader *r, enum cap_type type,
	       void (*fn)(void *arg, const void *p, size_t n), void *arg);
void cap_close(struct cap_reader *r);

#endif
