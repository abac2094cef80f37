/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys_table.h - what the rows of user/tables are made of
 *
 * A row describes a call by kinds of a closed vocabulary. Capture program,
 * text and JSON all come from it. tables/words.h has the words that rows are
 * written with.
 */
#ifndef KTR_SYS_TABLE_H
#define KTR_SYS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "sys.h"
#include "xlat.h"

enum sys_kind {
	K_NONE,
	/* Words: in a register, a field or an element */
	K_DEC,			/* signed, as wide as it is */
	K_UDEC,
	K_INT,			/* the lower 32 bits */
	K_PID,			/* the same, of a process or thread */
	K_UINT,
	K_HEX,			/* 0x1f, 0 */
	K_HEX32,
	K_HEX08,		/* 0x00001f, 00000000 */
	K_HEX16,		/* 0x0000000000001f, as wide as a word */
	K_ADDR,			/* NULL or hex */
	K_FD,
	K_DIRFD,
	K_MODE,			/* 0644 */
	K_FILEMODE,		/* S_IFREG|0644 */
	K_SIGNO,
	K_SIGHAND,		/* SIG_DFL */
	K_UID,			/* -1 or unsigned */
	K_UID16,
	K_DEV,			/* makedev(0x8, 0x1) */
	K_LLONG,		/* 64 bits: two words on compat */
	K_ULLONG,
	K_LLFLAGS,
	K_LLPAIR,		/* 64 bits, two words on both */
	K_LLSEEK,		/* 64 bits, the upper word first */
	K_PAGEOFF,		/* pages, shown as bytes */
	K_ENUM,
	K_FLAGS,
	K_PORT,			/* htons(80) */
	K_ETHPROTO,		/* htons(ETH_P_IP) */
	K_IFINDEX,		/* if_nametoindex("lo") */
	K_HTONL,
	K_HTONLX,		/* htonl(0xfeedcafe) */
	K_INADDR,		/* inet_addr("127.0.0.1") */
	K_CLOCKID,
	K_WSTATUS,
	K_FUTEXOP,
	K_WAKEOP,
	K_CLONEFLAGS,
	K_CLONETID,		/* a thread, or its descriptor: by clone's flags */
	K_IOCTL,
	K_IOPRIO,
	K_AMBIENT,		/* a capability, if the word before is not CLEAR_ALL */
	K_PTRACER,		/* a pid or PR_SET_PTRACER_ANY */
	K_KEYSERIAL,		/* of a key: a number, KEY_SPEC_.. if negative */
	K_BOOL,			/* the lowest bit */
	K_OCT,
	K_IPCCMD,		/* IPC_64|IPC_STAT */
	K_IPCFLAGS,		/* IPC_CREAT|0600 */
	K_OLDSIGSET,		/* a word */
	K_SIGFRAME,		/* {mask=[]}: of the frame a handler returns from */
	K_PROTO,		/* of a socket: by its family */
	K_OPTNAME,		/* by its level */
	K_TIMESTAMP,		/* seconds, the date behind in a comment */
	K_PERSONA,
	K_FILETIME,		/* the same, the next field has the ns */
	K_TIMESPEC,		/* the same, behind the struct */
	K_TICKS,		/* of a clock, the seconds in a comment */
	K_RLIM,			/* 8192*1024, RLIM64_INFINITY */
	K_SIGEV,		/* a signal, if the next field says that one is sent */
	K_SIGVAL,		/* {sival_int=1, sival_ptr=0x1} */
	K_CAPMASK,		/* 1<<CAP_CHOWN|1<<CAP_KILL */
	K_ERRNO,		/* EIO, else a number */
	K_NEGERR,		/* -EIO, else a number */
	K_QUOTACMD,		/* QCMD(Q_SYNC, USRQUOTA) */
	K_SWAPFLAGS,		/* SWAP_FLAG_PREFER|5 */
	K_KVERSION,		/* KERNEL_VERSION(6, 12, 0) */
	K_SIGINT,		/* a signal in a long */
	K_SKIP,			/* not shown */
	/* In fields and elements only */
	K_CHARS,		/* text in a fixed array */
	K_BYTES,		/* a fixed array of bytes */
	K_HWADDR,		/* 52:54:00:12:34:56 */
	K_NAMED_BYTES,		/* [[VINTR]=0x3, ..] */
	K_PARTS,		/* constants in groups of bits: struct sys_part */
	K_BITS,			/* ekind bits from bit n */
	K_STRUCT,
	K_ARRAY,		/* n of ekind */
	K_SIGSET,		/* 8 bytes */
	K_IN6ADDR,		/* inet_pton(AF_INET6, "::1", &NAME) */
	K_FSID,			/* {val=[0x1, 0x2]} */
	K_DIAGID,		/* the ends of a socket, of the family in front */
	K_BEHIND,		/* what one of bpf's attributes points to: enum behind */
	K_AFTER,		/* one of them, ekind, as the call left it */
	K_CHANGED,		/* one of them, a number => what the call made of it */
	/* Memory behind a register */
	K_PATH,
	K_STR,
	K_STRAT,		/* a string that is not captured */
	K_BUF,			/* length: ref */
	K_PATHBUF,		/* filled with a path, length: result */
	K_PTR,			/* to one ekind: {..} or [..]; a struct: of ref bytes */
	K_VEC,			/* to ref of ekind: [..] */
	K_ARGV,
	K_ENVP,
	K_IOV,			/* ref: register of the count */
	K_SOCKADDR,		/* ref: register of the length, or of a pointer to it */
	K_OPTVAL,		/* the same */
	K_MSGHDR,
	K_MMSGHDR,
	K_MSGBUF,		/* {mtype=1, mtext=".."}: ref, register of the text's length */
	K_FDSET,
	K_CPUSET,
	K_DIRENTS,
	K_SIGINFO,
	K_CLONE3,
	K_CAPS,
	K_PERFATTR,		/* struct perf_event_attr */
	K_FHANDLE,		/* of a file: its size, its type, bytes */
	K_IOCB,			/* of an asynchronous request */
	K_IOCBS,		/* ref of pointers to such */
	K_BPFATTR,		/* what bpf takes: ref bytes */
	K_ANY,			/* as a variant says */
};

/* When the memory is read, and for what results it is shown. */
enum sys_when {
	W_IN = 1,
	W_OUT = 2,		/* if the call succeeds */
	W_INOUT = 3,		/* in => out */
};

enum sys_cond {
	IF_OK,			/* result is no error */
	IF_POS,			/* result above 0 */
	IF_RESTART,		/* interrupted */
	IF_ALWAYS,
};

/* Where a count or length is: a register (ref), or */
#define REF_CONST	0x10	/* "size" */
#define REF_RET		0x11
#define REF_RET1	0x12	/* result less one */
#define REF_PTR		0x20	/* | register: the int behind it */

enum sys_if {
	SHOW_ALWAYS,
	SHOW_BITS,		/* register if_reg has a bit of if_value */
	SHOW_EQUAL,
	SHOW_OUTSIDE,		/* it is below the low half of if_value, or above the high one */
	SHOW_ALL,		/* it has all bits of if_value */
	SHOW_CLOSED,		/* as an address only, if SHOW_BITS would hold */
	SHOW_DEVICE,		/* it is the mode of a device file */
	SHOW_ROOM,		/* as an address only, if register if_reg is 0 */
};

struct sys_arg {
	const char *name;
	uint8_t kind;		/* enum sys_kind */
	uint8_t ekind;		/* of elements; of ENUM, FLAGS: K_DEC if as wide as a register */
	uint8_t when;		/* enum sys_when */
	uint8_t cond;		/* enum sys_cond */
	uint8_t ref;
	uint8_t reg1;		/* register + 1; 0: the one after the last */
	uint8_t show;		/* enum sys_if */
	uint8_t if_reg;
	uint8_t room1;		/* REF_RET: register + 1 of what there was room for; 0: enough */
	uint8_t shift;		/* of the count: elements are count >> shift, rounded up */
	uint16_t esize[2];	/* bytes of an element that is no struct, by ABI */
	bool named;		/* printed as name=value */
	bool late;		/* shown at exit only, though it goes in too */
	bool hex;		/* bytes that are no text */
	bool less;		/* the count is one too many */
	bool trim;		/* a NUL at the end of what is shown is not shown */
	bool trim_text;		/* the same, except among bytes in hex */
	bool numbered;		/* a constant's number first, its name in a comment */
	bool prog;		/* its second word points to a BPF program */
	bool aux;		/* what comes out is shown beside the result */
	uint32_t if_value;
	uint32_t size;		/* count or bytes with REF_CONST; else a bound */
	const void *tab;	/* xlat or layout */
	const void *out;	/* layout of what comes out, if another; of a list of flags: for all but the first */
};

struct sys_field {
	const char *name;
	uint8_t kind;
	uint8_t ekind;
	uint8_t flags;		/* FF_* */
	uint8_t n;		/* K_ARRAY: elements */
	uint16_t off[2];	/* by ABI */
	uint16_t size[2];
	uint8_t since;		/* in a layout with dots: only if there are more bytes */
	uint8_t enum1;		/* only if the layout's first enum is one less; 0: always */
	uint32_t bits;		/* only if the layout's first flags have one of them; 0: always */
	const void *tab;
};

/* Text and lists that bpf's attributes point to. */
enum behind {
	BEHIND_PATH,
	BEHIND_NAME,
	BEHIND_LICENSE,
	BEHIND_LOG,
	BEHIND_BTF,
	BEHIND_BUF,
	BEHIND_IDS,
};

#define FF_VERBOSE	1	/* only with -v */
#define FF_DEV		2	/* only for a device file */
#define FF_NODEV	4	/* not for one */
#define FF_NONZERO	8	/* only if not zero */
#define FF_BARE		16	/* without its name */
#define FF_NATIVE		64	/* x86-64 has it, i386 not */
#define FF_SIZED		128	/* only if the first field, a size, covers it */
#define FF_IF_FD		32	/* only if the first field is not negative */

/* A word of several constants: a table for some bits; the last one, without a mask, for the rest. */
struct sys_part {
	const struct xlat *tab;
	uint32_t mask;
	const char *shift_name;	/* if not zero it is "B50<<IBSHIFT" */
	unsigned int shift;
};

/* Names of one level of socket options; a list ends with no names. */
struct sys_opt_names {
	uint32_t level;
	const struct xlat *names;
};

struct sys_layout {
	const char *name;
	uint16_t size[2];
	uint16_t nfields;
	uint16_t least;		/* FF_SIZED: with a smaller size only that is shown */
	bool dots;		/* what is behind it is only told of */
	const struct sys_field *fields;
};

enum sys_ret {
	R_DEC,
	R_PID,
	R_UDEC,
	R_HEX,
	R_OCT,
	R_FD,
	R_NONE,			/* does not return */
	R_FLAGS,		/* 0x8002 (flags O_RDWR) */
	R_ENUM,			/* 1 (SCHED_FIFO) */
	R_SIGNO,		/* 10 (SIGUSR1) */
	R_TIME,
	R_IOPRIO,
	R_POLICY,		/* as R_ENUM, in decimal */
	R_MMSG,
	R_MASK,			/* 0x3 (mask [HUP INT]) */
	R_SIGHAND,		/* 0 (SIG_DFL) */
	R_TLS,
	R_POLL,
	R_SELECT,
};

/* What the arguments behind a selector mean for one value of it. */
struct sys_variant {
	uint64_t key;
	uint8_t ret;
	uint8_t nargs;
	const struct sys_arg *args;
	const struct xlat *ret_tab;
	const char *ret_text;
	const char *name;	/* of the call it is; it has all the arguments */
};

struct sys_variants {
	const struct sys_variant *v;
	uint16_t n;
	uint8_t reg;		/* the selector */
	uint32_t mask;		/* its bits that count */
};

/* Calls inside a call: their arguments are words that a register points to. */
struct sys_sub {
	uint32_t key;		/* in register 0; ANY_KEY */
	const struct sys_desc *desc;
};

#define ANY_KEY	(~0u)

struct sys_subs {
	const struct sys_sub *sub;
	uint8_t n;
	uint8_t reg;
};

struct sys_desc {
	const char *name;
	uint8_t ret;		/* enum sys_ret */
	uint8_t nargs;
	uint32_t classes;
	const struct sys_arg *args;
	const struct xlat *ret_tab;
	const char *ret_text;
	bool resumes;		/* goes on with an interrupted call */
	const struct sys_variants *variants;
	const struct sys_subs *subs;
};

/* Registers that an argument takes, and the first of them after "next". */
unsigned int sys_arg_words(unsigned int abi, const struct sys_arg *a);
unsigned int sys_arg_reg(const struct sys_arg *a, unsigned int next);

/* Bytes of one element, by ABI. */
unsigned int sys_elem_size(unsigned int abi, const struct sys_arg *a);

/* Which part of an argument an operation of the capture program fetches. */
enum sys_role {
	ROLE_DATA,
	ROLE_NAME,		/* what it points to: of msghdr and mmsghdr the name */
	ROLE_IOV,
	ROLE_CONTROL,
	ROLE_NEXT = 3,		/* of mmsghdr: name, iov, control of the next one */
	ROLE_BEHIND = 8,	/* | enum behind: of bpf */
};

#define REG_BLOCK	6	/* in a tag: the arguments in memory */
#define REG_STACK	7	/* in a tag: on the stack */
#define IOCBS_KEPT	4	/* requests that are fetched, each in two parts */

struct sys_tag {
	uint8_t reg;
	uint8_t role;
	bool out;
};

struct sys_plan {
	unsigned int n;
	struct ktr_op op[KTR_OPS_MAX];
	struct sys_tag tag[KTR_OPS_MAX];
};

/*
 * The operations of a row and what each is for; their order depends on the row
 * alone.
 */
void sys_plan(unsigned int abi, const struct sys_desc *desc,
	      unsigned int strsize, unsigned int datasize,
	      struct sys_plan *plan);

/*
 * sys_fds.c: operations that name the descriptors of a call, put behind those
 * of the plan as far as there is room. Return: how many.
 */
unsigned int sys_plan_fds(unsigned int abi, const struct sys_desc *desc,
			  const struct sys_plan *plan,
			  struct ktr_op ops[KTR_OPS_MAX]);

/* The first descriptor among the arguments, for predicates; 255: none. */
unsigned int sys_fd_arg(unsigned int abi, const struct sys_desc *desc);

/*
 * sys_io.c: bound what the plan keeps of I/O, also by the kind of the descriptor
 * in register fd_reg. usual: where no limit is given. Return: operations now.
 */
unsigned int sys_plan_io(unsigned int abi, const struct sys_desc *desc,
			 const struct sys_plan *plan, unsigned int fd_reg,
			 const struct io_limits *limits, uint32_t usual,
			 struct ktr_op ops[KTR_OPS_MAX], unsigned int n);

/* The protocol of a netlink socket, whose bytes are messages. */
unsigned int sys_plan_netlink(const struct sys_desc *desc, unsigned int fd_reg,
			      struct ktr_op ops[KTR_OPS_MAX], unsigned int n);

#endif
