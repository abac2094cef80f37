/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - the words that the rows of syscalls_*.h and variants.h are made of
 *
 * Each is one argument: its name, then what the kind needs, then any of
 * IF(reg, mask), NAMED, REG(n), LATE, AUX and WHEN(cond). A register is
 * given by its number; the arguments take the registers in turn.
 */
#define ARG(n, k, ...)	{ .name = #n, .kind = k, ##__VA_ARGS__ },

#define IF(r, m)	.show = SHOW_BITS, .if_reg = r, .if_value = (uint32_t)(m)
#define IF_ALL(r, m)	.show = SHOW_ALL, .if_reg = r, .if_value = (uint32_t)(m)
/* not looked into if */
#define CLOSED_IF(r, m)	.show = SHOW_CLOSED, .if_reg = r, \
	.if_value = (uint32_t)(m)
#define IF_EQ(r, v)	.show = SHOW_EQUAL, .if_reg = r, .if_value = v
#define IF_OUTSIDE(r, a, b)	.show = SHOW_OUTSIDE, .if_reg = r, .if_value = (b) << 16 | (a)
#define IF_DEV(r)	.show = SHOW_DEVICE, .if_reg = r
#define IF_ROOM(r)	.show = SHOW_ROOM, .if_reg = r
#define NAMED		.named = true
#define REG(r)		.reg1 = (r) + 1
#define LATE		.late = true
#define AUX		.aux = true
#define WHEN(c)		.cond = IF_##c
/* beside the result, a limit of the length */
#define ROOM(r)		.room1 = (r) + 1
#define LEN(n)		.size = (n), .ref = REF_CONST

/* Words */
#define DEC(n, ...)	ARG(n, K_DEC, ##__VA_ARGS__)
#define UDEC(n, ...)	ARG(n, K_UDEC, ##__VA_ARGS__)
#define INT(n, ...)	ARG(n, K_INT, ##__VA_ARGS__)
#define UINT(n, ...)	ARG(n, K_UINT, ##__VA_ARGS__)
#define PID(n, ...)	ARG(n, K_PID, ##__VA_ARGS__)
#define HEX(n, ...)	ARG(n, K_HEX, ##__VA_ARGS__)
#define HEX32(n, ...)	ARG(n, K_HEX32, ##__VA_ARGS__)
#define ADDR(n, ...)	ARG(n, K_ADDR, ##__VA_ARGS__)
#define FD(n, ...)	ARG(n, K_FD, ##__VA_ARGS__)
#define DIRFD(n, ...)	ARG(n, K_DIRFD, ##__VA_ARGS__)
#define MODE(n, ...)	ARG(n, K_MODE, ##__VA_ARGS__)
#define FILEMODE(n, ...)	ARG(n, K_FILEMODE, ##__VA_ARGS__)
#define SIGNO(n, ...)	ARG(n, K_SIGNO, ##__VA_ARGS__)
#define UID(n, ...)	ARG(n, K_UID, ##__VA_ARGS__)
#define UID16(n, ...)	ARG(n, K_UID16, ##__VA_ARGS__)
#define DEV(n, ...)	ARG(n, K_DEV, ##__VA_ARGS__)
#define LLONG(n, ...)	ARG(n, K_LLONG, ##__VA_ARGS__)
#define LLPAIR(n, ...)	ARG(n, K_LLPAIR, ##__VA_ARGS__)
#define CLOCK(n, ...)	ARG(n, K_CLOCKID, ##__VA_ARGS__)
#define SKIP(n, ...)	ARG(n, K_SKIP, ##__VA_ARGS__)
#define ENUM(n, t, ...)	ARG(n, K_ENUM, .tab = &xlat_##t, ##__VA_ARGS__)
#define FLAGS(n, t, ...)	ARG(n, K_FLAGS, .tab = &xlat_##t, ##__VA_ARGS__)
/* as wide as a register */
#define ENUML(n, t, ...)	ENUM(n, t, .ekind = K_DEC, ##__VA_ARGS__)
#define FLAGSL(n, t, ...)	FLAGS(n, t, .ekind = K_DEC, ##__VA_ARGS__)

#define SIGHAND(n, ...)	ARG(n, K_SIGHAND, ##__VA_ARGS__)
#define LLSEEK(n, ...)	ARG(n, K_LLSEEK, ##__VA_ARGS__)
#define STRAT(n, ...)	ARG(n, K_STRAT, ##__VA_ARGS__)

/* Text and bytes */
#define PATH(n, ...)	ARG(n, K_PATH, .when = W_IN, ##__VA_ARGS__)
#define PATH_OUT(n, ...) \
	ARG(n, K_PATHBUF, .when = W_OUT, .ref = REF_RET, ##__VA_ARGS__)
#define PATH_OUT1(n, ...) \
	ARG(n, K_PATHBUF, .when = W_OUT, .ref = REF_RET1, WHEN(POS), \
	    ##__VA_ARGS__)
#define STR(n, ...)	ARG(n, K_STR, .when = W_IN, ##__VA_ARGS__)
#define BUF_IN(n, r, ...) \
	ARG(n, K_BUF, .when = W_IN, .ref = r, ##__VA_ARGS__)
#define BUF_OUT(n, ...) \
	ARG(n, K_BUF, .when = W_OUT, .ref = REF_RET, ##__VA_ARGS__)
#define ARGV(n, ...)	ARG(n, K_ARGV, .when = W_IN, ##__VA_ARGS__)
#define ENVP(n, ...)	ARG(n, K_ENVP, .when = W_IN, ##__VA_ARGS__)
#define IOV_IN(n, r, ...) \
	ARG(n, K_IOV, .when = W_IN, .ref = r, ##__VA_ARGS__)
#define IOV_OUT(n, r, ...) \
	ARG(n, K_IOV, .when = W_OUT, .ref = r, ##__VA_ARGS__)

/* One struct, one value, several */
#define STRUCT(n, w, l, ...) \
	ARG(n, K_PTR, .when = w, .ekind = K_STRUCT, .tab = &layout_##l, \
	    ##__VA_ARGS__)
#define S_IN(n, l, ...)	STRUCT(n, W_IN, l, ##__VA_ARGS__)
#define S_OUT(n, l, ...)	STRUCT(n, W_OUT, l, ##__VA_ARGS__)
#define S_INOUT(n, l, ...)	STRUCT(n, W_INOUT, l, ##__VA_ARGS__)
/* shown again, beside the result, as what is left of it */
#define S_INLEFT(n, l, ...)	STRUCT(n, W_INOUT, l, AUX, ##__VA_ARGS__)
/* as many bytes of it as register r says */
#define S_SIZED(n, w, l, r, ...)	STRUCT(n, w, l, .ref = r, ##__VA_ARGS__)
#define S_LIST(n, w, l, r, ...) \
	ARG(n, K_VEC, .when = w, .ekind = K_STRUCT, .ref = r, \
	    .tab = &layout_##l, ##__VA_ARGS__)
#define VALUE(n, w, k, b64, b32, ...) \
	ARG(n, K_PTR, .when = w, .ekind = k, .esize = { b64, b32 }, \
	    ##__VA_ARGS__)
#define INT_IN(n, ...)	VALUE(n, W_IN, K_INT, 4, 4, ##__VA_ARGS__)
#define INT_OUT(n, ...)	VALUE(n, W_OUT, K_INT, 4, 4, ##__VA_ARGS__)
#define UID_OUT(n, ...)	VALUE(n, W_OUT, K_UID, 4, 4, ##__VA_ARGS__)
#define UID16_OUT(n, ...)	VALUE(n, W_OUT, K_UID16, 2, 2, ##__VA_ARGS__)
#define LONG_OUT(n, ...)	VALUE(n, W_OUT, K_DEC, 8, 4, ##__VA_ARGS__)
#define ULONG_OUT(n, ...)	VALUE(n, W_OUT, K_UDEC, 8, 4, ##__VA_ARGS__)
#define ADDR_OUT(n, ...)	VALUE(n, W_OUT, K_ADDR, 8, 4, ##__VA_ARGS__)
#define HEX_OUT(n, ...)	VALUE(n, W_OUT, K_HEX, 8, 4, ##__VA_ARGS__)
#define OFF_INOUT(n, ...)	VALUE(n, W_INOUT, K_UDEC, 8, 4, ##__VA_ARGS__)
#define OFF64_IN(n, ...)	VALUE(n, W_IN, K_DEC, 8, 8, ##__VA_ARGS__)
#define OFF64_INOUT(n, ...)	VALUE(n, W_INOUT, K_UDEC, 8, 8, ##__VA_ARGS__)
#define OFF64_OUT(n, ...)	VALUE(n, W_OUT, K_DEC, 8, 8, ##__VA_ARGS__)
#define LENP(n, ...)	VALUE(n, W_INOUT, K_INT, 4, 4, LATE, ##__VA_ARGS__)
#define LIST(n, w, k, b64, b32, r, ...) \
	ARG(n, K_VEC, .when = w, .ekind = k, .esize = { b64, b32 }, \
	    .ref = r, ##__VA_ARGS__)
#define FDS_OUT(n, ...) \
	LIST(n, W_OUT, K_FD, 4, 4, REF_CONST, .size = 2, ##__VA_ARGS__)

/* bit sets of memory nodes, words of them for a number of bits */
#define NODES(n, w, r, ...) \
	LIST(n, w, K_HEX16, 8, 4, r, .shift = 6, .less = true, ##__VA_ARGS__)

/* Signals, sockets and the like */
#define SIGSET(n, w, r, ...) \
	ARG(n, K_PTR, .when = w, .ekind = K_SIGSET, .esize = { 8, 8 }, \
	    .ref = r, ##__VA_ARGS__)
#define OLDSIGSET(n, w, ...)	VALUE(n, w, K_OLDSIGSET, 4, 4, ##__VA_ARGS__)
#define SIGSET_IN(n, r, ...)	SIGSET(n, W_IN, r, ##__VA_ARGS__)
#define SIGSET_OUT(n, r, ...)	SIGSET(n, W_OUT, r, ##__VA_ARGS__)
/* bytes of a signal mask so far above the stack pointer */
#define SIGFRAME(n, off64, off32, bytes) \
	ARG(n, K_SIGFRAME, .when = W_IN, .esize = { off64, off32 }, \
	    .size = bytes)
#define SIGINFO_IN(n, ...)	ARG(n, K_SIGINFO, .when = W_IN, ##__VA_ARGS__)
#define SIGINFO_OUT(n, ...)	ARG(n, K_SIGINFO, .when = W_OUT, ##__VA_ARGS__)
#define SA_IN(n, r, ...) \
	ARG(n, K_SOCKADDR, .when = W_IN, .ref = r, ##__VA_ARGS__)
#define SA_OUT(n, r, ...) \
	ARG(n, K_SOCKADDR, .when = W_OUT, .ref = REF_PTR | r, ##__VA_ARGS__)
#define MSG_IN(n, ...)	ARG(n, K_MSGHDR, .when = W_IN, ##__VA_ARGS__)
#define MSG_OUT(n, ...)	ARG(n, K_MSGHDR, .when = W_OUT, ##__VA_ARGS__)
#define MMSG_IN(n, r, ...) \
	ARG(n, K_MMSGHDR, .when = W_IN, .ref = r, ##__VA_ARGS__)
#define MMSG_OUT(n, r, ...) \
	ARG(n, K_MMSGHDR, .when = W_OUT, .ref = r, ##__VA_ARGS__)
#define MSGBUF(n, w, r, ...) \
	ARG(n, K_MSGBUF, .when = w, .ref = r, ##__VA_ARGS__)
#define OPT_IN(n, r, ...) \
	ARG(n, K_OPTVAL, .when = W_IN, .ref = r, ##__VA_ARGS__)
#define OPT_OUT(n, r, ...) \
	ARG(n, K_OPTVAL, .when = W_OUT, .ref = REF_PTR | r, ##__VA_ARGS__)
/* as many words as the version in the header, register 0, has */
#define CAPS(n, w, ...)	ARG(n, K_CAPS, .when = w, ##__VA_ARGS__)
#define FDSET(n, r, ...) \
	ARG(n, K_FDSET, .when = W_INOUT, .ref = r, AUX, ##__VA_ARGS__)
#define WSTATUS(n, ...) \
	VALUE(n, W_OUT, K_WSTATUS, 4, 4, WHEN(POS), ##__VA_ARGS__)
#define CPUS(n, w, r, ...) \
	ARG(n, K_CPUSET, .when = w, .ref = r, ##__VA_ARGS__)
#define DIRENTS(n, l, ...) \
	ARG(n, K_DIRENTS, .when = W_OUT, .ref = REF_RET, \
	    .tab = &layout_##l, ##__VA_ARGS__)
/* Whatever the variant makes of it: n bytes are kept of what it points to. */
#define ANY(n, w, bytes, ...) \
	ARG(n, K_ANY, .when = w, LEN(bytes), ##__VA_ARGS__)
