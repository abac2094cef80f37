/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscalls.h - the table of syscalls: data, included with any meaning of SYS
 *
 *   SYS(name, ABI, CLASSES, RESULT, ARGUMENTS)
 *
 * ABI: B both, N x86-64 only, C i386 only. CLASSES: of C_*, joined by "|" (or
 * 0). RESULT: of R_*. ARGUMENTS: words of words.h, no commas between them.
 * SYSV: with variants.h; SYSI: with subcalls.h, whose own rows have the ABI S.
 * A name may have one row for N and one for C. The numbers are not here: they
 * come from the kernel's headers (scripts/gen-syscalls).
 */
#include "syscalls_file.h"
#include "syscalls_desc.h"
#include "syscalls_mem.h"
#include "syscalls_proc.h"
#include "syscalls_signal.h"
#include "syscalls_net.h"
#include "syscalls_time.h"
#include "syscalls_sys.h"
#include "syscalls_old.h"
#include "syscalls_new.h"
