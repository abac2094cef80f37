/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktracer_capture.h - what is captured of a call: programs that say what, and
 * the sections that they make. Part of ktracer.h.
 */
#ifndef _UAPI_KTRACER_CAPTURE_H
#define _UAPI_KTRACER_CAPTURE_H

#include <linux/types.h>

/*
 * CAPTURE tails: "nargs" words u64, then (KTR_SYS_F_TIMES) two more, then
 * sections, each a struct ktr_cap and len bytes, filled up to a multiple of 8.
 */
struct ktr_cap {
	__u8 op;		/* index of the operation in its row */
	__u8 flags;		/* KTR_CAP_F_* */
	__u16 count;		/* elements, for vectors */
	__u32 len;		/* bytes that follow, without the filling */
};

#define KTR_CAP_F_LATE		(1u << 0)	/* unreadable at entry, read at exit */
#define KTR_CAP_F_UNREADABLE	(1u << 1)	/* nothing (more) could be read */
#define KTR_CAP_F_CUT		(1u << 2)	/* there was more */
#define KTR_CAP_F_EXIT		(1u << 3)	/* read at exit */
#define KTR_CAP_F_NULL		(1u << 4)	/* the base was a null pointer */
#define KTR_CAP_F_MEMORY	(1u << 5)	/* no capture buffer at entry */
#define KTR_CAP_F_IP		(1u << 6)	/* u64: where the caller goes on */

/* Strings and iovecs: "count" of these, each with its bytes, filled up to 8. */
struct ktr_elem {
	__u64 addr;
	__u64 size;		/* iov_len; 0 for strings */
	__u32 len;		/* bytes that follow, without the filling */
	__u32 flags;		/* KTR_CAP_F_* */
};

enum ktr_form {
	KTR_FORM_BYTES,		/* length bytes */
	KTR_FORM_STR,		/* up to the NUL, which is not stored */
	KTR_FORM_STRV,		/* a vector of string pointers that ends with a null */
	KTR_FORM_IOV,		/* a vector of struct iovec: its bytes */
	KTR_FORM_FD,		/* what descriptors refer to; syscall programs only */
	KTR_FORM_IP,		/* the caller's instruction pointer; base and length count for nothing */
	KTR_FORM_LIMIT,		/* bounds others, makes no section; at entry, syscall programs only */
	__KTR_FORM_LAST
};

/*
 * KTR_FORM_FD: the section has "count" of these, each with what follows it,
 * filled up to 8. It tells what the descriptor meant at that moment, entry or
 * exit, to the calling task; an operation of the entry that could not run then
 * (no buffer, a call seen from outside) is not run later, since the number
 * could mean something else by then.
 */
enum ktr_fd_kind {
	KTR_FD_NONE,		/* no such descriptor; left out of vectors */
	KTR_FD_FILE,		/* anything with a path, or a name such as "pipe:[7]" */
	KTR_FD_SOCKET,		/* struct ktr_fd_sock follows; the name is a UNIX socket's own */
	KTR_FD_PIDFD,		/* and "pid" is set */
};

#define KTR_FD_CWD		(-100)	/* as a number: the working directory */

#define KTR_FD_F_DELETED	(1u << 0)	/* no longer in any directory; the name is the last one */
#define KTR_FD_F_NO_NAME	(1u << 1)	/* too long for the room there was */

struct ktr_fd {
	__s32 fd;
	__u8 kind;		/* enum ktr_fd_kind */
	__u8 flags;		/* KTR_FD_F_* */
	__u16 len;		/* bytes of the name, last of all; paths as the task's root shows them */
	__u32 mode;		/* as in st_mode */
	__u32 rdev;		/* of a device file: major << 20 | minor */
	__u32 dev;		/* of the filesystem, the same */
	__s32 pid;		/* in the initial pid namespace; -1: reaped */
	__u64 ino;
};

struct ktr_fd_sock {
	__u16 family;
	__u16 type;
	__u16 protocol;
	__u16 state;		/* TCP_* */
	char proto[16];		/* the kernel's name, "TCPv6", "UNIX-STREAM"; without a NUL if as long */
	__u8 src[16];		/* AF_INET: four bytes, AF_INET6: sixteen, network order */
	__u8 dst[16];
	__be16 sport;		/* 0: bound to nothing */
	__be16 dport;
	__u32 peer;		/* AF_UNIX: inode of the other end, 0: none; AF_NETLINK: port id */
};

/* Where a base or a length comes from. */
enum ktr_src {
	KTR_SRC_CONST,		/* length: the constant "len" */
	KTR_SRC_ARG,		/* argument "ref" */
	KTR_SRC_RET,		/* the result; nothing is captured if it is an error; as a base: FD only */
	KTR_SRC_WORD,		/* word of the ABI's size in "ref"'s capture at "off" */
	KTR_SRC_U32,		/* 32 bits there; as a base: FD only */
	KTR_SRC_STACK,		/* base: the caller's stack pointer plus "base_off", at entry */
	KTR_SRC_ARG_AT,		/* base, functions only: argument "ref" plus "add" */
	KTR_SRC_WORD_AT,	/* the same: 64 bits in "ref"'s capture at "off", plus "add" */
	__KTR_SRC_LAST
};

#define KTR_OP_F_EXIT		(1u << 0)	/* run at exit, not at entry */
#define KTR_OP_F_IF_OK		(1u << 1)	/* at exit: only if the result is not an error */
/* Bit 2 had a meaning that nothing used; it stays refused. */
#define KTR_OP_F_PATH		(1u << 3)	/* a string that is a path, FD: what certainly is one: KTR_FIELD_PATH looks at it */
#define KTR_OP_F_IO		(1u << 4)	/* bytes or an iovec: KTR_FORM_LIMIT has a say */
#define KTR_OP_F_NETLINK	(1u << 5)	/* FD: only if KTR_FORM_LIMIT found KTR_IO_NETLINK */
#define KTR_OP_F__ALL		59u

/*
 * One operation of a capture program. Bytes read: min(length * elem, max), for
 * STRV and IOV length is the number of elements (STRV: at most), and max bounds
 * each element, total the bytes of all; an IOV read at exit with len_src
 * KTR_SRC_ARG stops after the result's number of bytes.
 *
 * FD: the descriptor is the base itself, argument or result, or there are
 * length of them in what "base_ref" captured, from base_off on, elem bytes
 * apart (0: the capture is a set with a bit for each, length bits long), as far
 * as the capture goes and at most KTR_FDS_MAX. max bounds each name, total all.
 */
#define KTR_FDS_MAX		64

/*
 * LIMIT: if the descriptor in argument "base_ref" is of one of the kinds that
 * "elem" has bits for, operations flagged KTR_OP_F_IO read at most max bytes,
 * an iovec that many of each element, and total of all (0: max). Of more than
 * one that fits the last counts; they are looked at before all others, wherever
 * they stand. In a call that is seen from outside the smallest of them counts.
 */
enum ktr_io_kind {
	KTR_IO_FILE,		/* regular files, directories, block devices */
	KTR_IO_SOCKET,
	KTR_IO_PIPE,
	KTR_IO_CHAR,		/* character devices: terminals */
	KTR_IO_OTHER,		/* eventfd and the like; no descriptor at all */
	KTR_IO_NETLINK,		/* sockets of AF_NETLINK; they are none of KTR_IO_SOCKET */
	__KTR_IO_LAST
};

struct ktr_op {
	__u8 flags;		/* KTR_OP_F_* */
	__u8 form;		/* enum ktr_form */
	__u8 base_src;		/* ARG, WORD, STACK; FD: ARG, RET, U32 */
	__u8 base_ref;
	__u16 base_off;
	__u8 len_src;		/* any of enum ktr_src */
	__u8 len_ref;
	__u16 len_off;
	__u16 elem;		/* 0 counts as 1 */
	__u32 len;		/* KTR_SRC_CONST */
	__u32 max;		/* at most KTR_CAP_MAX */
	__u32 total;		/* vectors: bytes of all elements; 0: max */
	__s32 add;		/* bytes from a pointer to the base, where base_src says so */
};

/* A row of the session's syscall table: record this call, thus. */
struct ktr_row {
	__u16 nr;
	__u8 abi;		/* enum ktr_abi */
	__u8 nargs;		/* argument words to store, at most 6 */
	__u8 nops;		/* operations that follow, at most KTR_OPS_MAX */
	__u8 fd_arg;		/* argument that is a descriptor, for the predicate; 255: none */
	__u16 reserved;
};

/*
 * What a kernel function's record shows beyond the call: this row, followed by nops
 * operations and by note_len bytes that the module keeps for whoever reads the
 * records, filled up to a multiple of 8. Operations are of form BYTES or STR, with
 * KTR_SRC_ARG_AT or KTR_SRC_WORD_AT as base and a constant or an argument as length,
 * and run at entry. Addresses of the kernel are read as such, those of user space in
 * the memory of the running task, and neither may fault.
 */
struct ktr_func_row {
	__u64 addr;		/* of its entry */
	__u8 nargs;		/* registers to store, at most 6 */
	__u8 nops;		/* at most KTR_OPS_MAX */
	__u16 note_len;		/* at most KTR_FUNC_NOTE_MAX */
	__u32 reserved;
};

#define KTR_FUNC_NOTE_MAX	4096
#define KTR_FUNC_CAP_MAX	2048u	/* bytes captured for one call */
#define KTR_FUNC_ROWS_MAX	4096	/* functions of a session that have a row */

/*
 * Tail of a function's record, if it has one: this, nargs words, ncaps sections as
 * of CAPTURE tails, then nstack addresses, the caller's first.
 */
struct ktr_func_tail {
	__u8 nargs;
	__u8 ncaps;
	__u8 nstack;
	__u8 flags;		/* KTR_FUNC_F_* */
	__u32 reserved;
};

#endif
