/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record --detach: the module writes the file, and the tracer goes. */
#ifndef KTR_DETACH_H
#define KTR_DETACH_H

#include "cmd.h"

/* Return: the exit status; the trace goes on behind it. */
int record_detached(struct opts *o);

struct cap_writer;
struct fnsigs;
/* Signatures as a block; in cmd_record.c. */
int write_sigs(struct cap_writer *w, const struct fnsigs *sigs);

#endif
