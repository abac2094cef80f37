/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Capture files, as `ktrctl record` and the module itself write them.
 *
 *	struct ktr_file_header
 *	{ struct ktr_file_block, payload, filled up to a multiple of 8 } ...
 *
 * Blocks stand in the order of the rounds in which the rings were read: data,
 * data, ..., round. A round block of time T says that every record older than T
 * stands before it, so that a reader can sort round by round. A file ends with
 * a footer, unless its writer was killed. All is in the byte order of the
 * machine that wrote it, which "endian" tells.
 *
 * KTR_CMD_FILE   session (KTR_A_SESSION or KTR_A_NAME), KTR_A_FD u32: a regular
 *   file, open for writing with O_APPEND and without O_DIRECT. From then on a
 *   thread of the module is the session's reader and appends data and round
 *   blocks, until the session ends; then a footer. The header, and whatever else
 *   is to stand at the start, the caller has written. What may be written is
 *   decided by the rights of who opened the file and by the caller's
 *   RLIMIT_FSIZE. A write that fails stops the session; the kernel log says why,
 *   and KTR_CMD_SESSION_GET, which now answers KTR_A_FILE_BYTES u64 (written),
 *   KTR_A_FILE_ERROR u32 (errno, 0: none) and KTR_A_FILE_MISSING u64 (records that
 *   an error has kept out of the file) too, and KTR_A_FILE_NAME, the path
 *   that the file has now as the asking task sees it, with " (deleted)" behind one that
 *   is in no directory any more; after an error the one that it had then. A session that ends with
 *   such an error leaves an entry in the dump of KTR_CMD_SESSION_GET:
 *   KTR_A_STATE is KTR_STATE_ENDED, and there are KTR_A_SESSION, _NAME, _OWNER,
 *   _PRIVILEGED and the four of the file. Of each user the last 16 are kept,
 *   until KTR_CMD_SESSION_DEL, or a new session of the same name. Who ends a
 *   session whose error was told already leaves none.
 *   Where it is room that there is none of (ENOSPC, EDQUOT, EFBIG), the last block is
 *   made shorter, or taken back, and the file ends as files do: with a lost record, of
 *   reason KTR_LOSS_FILE, that counts what is missing, and a footer. If that cannot
 *   be done either, and after all other errors, it ends somewhere in a block.
 *   KTR_A_FLAGS u32 KTR_FILE_F_*; with KTR_FILE_F_TRY nothing is done but to say
 *   whether the file would be taken: who asks before he writes its start spoils none.
 *   Errors: EBADF not open so; EINVAL no regular file, or one of a file system that
 *   keeps no data (procfs, sysfs and their kind); EBUSY the session has a
 *   reader; ETXTBSY another session writes the file; EOPNOTSUPP its rings are
 *   overwritten.
 *   A session with KTR_SESSION_F_UNTIL_IDLE ends by itself when its last target
 *   has ended, and, if it never had one, when the socket whose KTR_CMD_SESSION_NEW
 *   made it is closed for good.
 *   Who cuts the file, to nothing or to a part, finds it begun anew with the next
 *   records: what it began with in front of any record when it was given here, as far
 *   as the descriptor may read, else a header; if more than nothing was left, filled up
 *   to a multiple of 8; then the clock, what is recorded, the label and the targets.
 *   The footer counts what stands behind the last cut.
 */
#ifndef _UAPI_KTRACER_FILE_H
#define _UAPI_KTRACER_FILE_H

#include <linux/types.h>

/* KTR_A_FLAGS of KTR_CMD_FILE */
#define KTR_FILE_F_TRY		(1u << 0)
#define KTR_FILE_F__ALL		1u

#define KTR_FILE_MAGIC		"KTRCAP\r\n"
#define KTR_FILE_VERSION	1
#define KTR_FILE_ENDIAN		0x01020304u
#define KTR_FILE_BLOCK_MAGIC	0x4252544bu	/* "KTRB" */
#define KTR_FILE_BLOCK_MAX	(16u << 20)	/* bytes of payload */

struct ktr_file_header {
	char magic[8];
	__u32 endian;
	__u16 version;
	__u16 header_size;
	__u32 wire;		/* KTR_VERSION of the records */
	__u32 reserved0;
	__u64 features;		/* what a reader must know; none so far */
	__u64 reserved[4];
};

enum ktr_file_type {
	KTR_FILE_META = 1,	/* JSON object: where and how this was recorded */
	KTR_FILE_DATA,		/* whole records of one ring */
	KTR_FILE_ROUND,		/* no payload; time */
	KTR_FILE_SYMBOLS,	/* "address name module" lines */
	KTR_FILE_FOOTER,	/* struct ktr_file_footer; the last one */
	KTR_FILE_FUNCTIONS,	/* "@address", then what the tool noted of that function, a line each */
	KTR_FILE_MAPS,		/* "tgid start end offset dev ino path" lines of what was mapped at an attach */
	KTR_FILE_IMAGES,	/* "build-id dev ino path" lines of files that were mapped */
};

struct ktr_file_block {
	__u32 magic;
	__u16 type;		/* enum ktr_file_type; unknown ones are skipped */
	__u16 flags;		/* 0 */
	__u32 cpu;
	__u32 ring;
	__u64 length;		/* of the payload, without the filling */
	__u64 time;		/* round blocks: T */
	__u32 payload_crc;	/* CRC-32C */
	__u32 header_crc;	/* of all before */
};

struct ktr_file_footer {
	__u64 records;
	__u64 lost;
	__u64 kinds[64];	/* records by kind */
};

#endif
