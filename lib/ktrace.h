/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libktrace - ktrace(2) and utrace(2) on Linux, and reading what they recorded.
 * ktrace(3) is the manual.
 */
#ifndef KTRACER_KTRACE_H
#define KTRACER_KTRACE_H

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <sys/types.h>
#include <ktracer/ktracer_facility.h>

#ifdef __cplusplus
extern "C" {
#endif

int ktrace(const char *tracefile, int ops, int trpoints, int pid);
int utrace(const void *addr, size_t len);

#ifndef MAXCOMLEN
#define MAXCOMLEN 16
#endif

struct ktr_header {
	int		ktr_len;		/* bytes of the record behind */
	short		ktr_type;		/* KTR_SYSCALL and so on; KTR_DROP */
	pid_t		ktr_pid;
	char		ktr_comm[MAXCOMLEN + 1];
	struct timeval	ktr_time;
	long		ktr_tid;
};

/* What stands behind the header, by type. Text has no NUL at its end. */

struct ktr_syscall {			/* KTR_SYSCALL */
	short	ktr_code;		/* its number */
	short	ktr_narg;
	int	ktr_abi;		/* 0: 64 bits, 1: 32, 2: x32 */
	long	ktr_args[];
};

struct ktr_sysret {			/* KTR_SYSRET */
	short	ktr_code;
	short	ktr_eosys;
	int	ktr_error;		/* an errno, or 0 */
	long	ktr_retval;
};

/*
 * KTR_NAMEI: the path. KTR_USER: the bytes. KTR_STRUCT: the struct's name, a NUL, its
 * bytes as the caller had them.
 */

struct ktr_struct_array {		/* KTR_STRUCT_ARRAY: then as KTR_STRUCT */
	size_t	struct_size;		/* of one of several */
};

struct ktr_genio {			/* KTR_GENIO: then the data */
	int	ktr_fd;
	int	ktr_rw;			/* 0 read, 1 written */
	long	ktr_moved;		/* that went over; the data may be fewer */
};

struct ktr_psig {			/* KTR_PSIG */
	int		signo;		/* of a process that it ends: once, in one thread */
	int		code;		/* 0 also if it is not known */
	unsigned long	action;		/* SIG_DFL, SIG_IGN, or an address */
	unsigned long	mask;
};

struct ktr_csw {			/* KTR_CSW */
	int	out;			/* 1 when it leaves the CPU */
	int	user;			/* 1: it could have run on */
	char	wait[64];		/* the kernel's function it waits in; "": not known */
};

struct ktr_sysctl {			/* KTR_SYSCTL: then the value */
	int	write;
	int	error;			/* an errno, or 0 */
	char	name[128];
};

struct ktr_proc_ctor {			/* KTR_PROCCTOR */
	pid_t	child;
	pid_t	parent;
	unsigned long	flags;		/* of clone() */
	int	abi;			/* of the program, as in a call; -1: not known */
};

struct ktr_proc_dtor {			/* KTR_PROCDTOR */
	int	status;			/* as wait() tells it */
};

struct ktr_cap_fail {			/* KTR_CAPFAIL */
	int	cap;			/* CAP_*; -1: a call that seccomp refused */
	int	code;			/* the call it happened in; -1: none */
	int	error;			/* that a refused call returned */
};

struct ktr_fault {			/* KTR_FAULT */
	unsigned long	vaddr;
	int		type;		/* PROT_READ, PROT_WRITE or PROT_EXEC */
	int		user;		/* 0: the kernel touched it */
};

struct ktr_faultend {			/* KTR_FAULTEND */
	int	result;			/* 0, or the signal that it leads to */
	int	major;
	long	nsec;			/* that it took */
};

/* Reading a trace file. */
struct ktr_file;

struct ktr_file *ktr_open(const char *path);
/*
 * 1: the next record, whose bytes are good until the next call; 0: the end;
 * -1 and errno: EUCLEAN, the file is damaged, and it may be read on.
 */
int ktr_read(struct ktr_file *file, struct ktr_header *header, const void **record);
void ktr_close(struct ktr_file *file);

#ifdef __cplusplus
}
#endif

#endif
