/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any record by its description: what has no form of its own. */
#ifndef KTR_OUT_GENERIC_H
#define KTR_OUT_GENERIC_H

#include "out.h"

/* `=== name {field=value, ...} ===` */
void generic_text(struct buf *b, struct out *o, const struct ktr_rec *rec);

/* {"addr":"0x...","sym":"name+0x1c"} of a kernel address. */
void generic_json_sym(struct buf *b, struct out *o, uint64_t addr);

/* Members of a JSON object: all fields and the tail. */
void generic_json(struct buf *b, struct out *o, const struct ktr_rec *rec);

#endif
