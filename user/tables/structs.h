/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * structs.h - how structs are shown: their fields in the order of printing
 *
 *   LAYOUT(name)                    begins the rows of a layout
 *   F(struct, member, KIND, ...)      a field; what follows are more members of
 *                                   struct sys_field: V, .flags = FF_*, .bits =
 *   FN(struct, "text", member, KIND)  a field that is called otherwise
 *   LAYOUT_END(name, struct)        of memory.h, whose size it has
 *
 * V marks a field that only -v shows. T(x) is a table of constants, S(x) the
 * layout of a struct inside.
 */
#include "structs_time.h"
#include "structs_file.h"
#include "structs_proc.h"
#include "structs_ipc.h"
#include "structs_calls.h"
#include "structs_bpf.h"
#include "structs_net.h"
#include "structs_netlink.h"
#include "structs_new.h"
