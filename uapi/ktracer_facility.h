/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Operations and trace points of ktrace(), with the values that they have where
 * that is a system call. A session made by ktrace() has its trace points as its
 * label (KTR_A_LABEL): the low 32 bits.
 */
#ifndef _UAPI_KTRACER_FACILITY_H
#define _UAPI_KTRACER_FACILITY_H

/* Kinds of records; each is the number of a bit among the trace points. */
#define KTR_SYSCALL		1
#define KTR_SYSRET		2
#define KTR_NAMEI		3
#define KTR_GENIO		4
#define KTR_PSIG		5
#define KTR_CSW			6
#define KTR_USER		7
#define KTR_STRUCT		8
#define KTR_SYSCTL		9
#define KTR_PROCCTOR		10
#define KTR_PROCDTOR		11
#define KTR_CAPFAIL		12
#define KTR_FAULT		13
#define KTR_FAULTEND		14
#define KTR_STRUCT_ARRAY	15
/* In a record's type: records of this thread were lost before it. */
#define KTR_DROP		0x8000

#define KTRFAC_SYSCALL		(1 << KTR_SYSCALL)
#define KTRFAC_SYSRET		(1 << KTR_SYSRET)
#define KTRFAC_NAMEI		(1 << KTR_NAMEI)
#define KTRFAC_GENIO		(1 << KTR_GENIO)
#define KTRFAC_PSIG		(1 << KTR_PSIG)
#define KTRFAC_CSW		(1 << KTR_CSW)
#define KTRFAC_USER		(1 << KTR_USER)
#define KTRFAC_STRUCT		(1 << KTR_STRUCT)
#define KTRFAC_SYSCTL		(1 << KTR_SYSCTL)
#define KTRFAC_PROCCTOR		(1 << KTR_PROCCTOR)
#define KTRFAC_PROCDTOR		(1 << KTR_PROCDTOR)
#define KTRFAC_CAPFAIL		(1 << KTR_CAPFAIL)
#define KTRFAC_FAULT		(1 << KTR_FAULT)
#define KTRFAC_FAULTEND		(1 << KTR_FAULTEND)
#define KTRFAC_STRUCT_ARRAY	(1 << KTR_STRUCT_ARRAY)
#define KTRFAC_ALL		0xfffe
#define KTRFAC_INHERIT		0x40000000	/* children to come too */

#define KTROP_SET		0
#define KTROP_CLEAR		1
#define KTROP_CLEARFILE		2
#define KTROP(ops)		(3 & (ops))
#define KTRFLAG_DESCEND		4		/* all descendants there are now */

/* Sessions of ktrace() begin so; then device and inode of the file. */
#define KTR_FACILITY_PREFIX	"ktrace:"

#endif
