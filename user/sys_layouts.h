/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sys_layouts.h - the structs of tables/memory.h and the layouts of structs.h */
#ifndef KTR_SYS_LAYOUTS_H
#define KTR_SYS_LAYOUTS_H

#include <stdint.h>
#include "sys_table.h"

/* 64 bits lie on 4-byte boundaries on i386. */
typedef int64_t compat_s64 __attribute__((aligned(4)));
typedef uint64_t compat_u64 __attribute__((aligned(4)));

#define ABI(name) native_##name
#define ABI_IS_64 1
#define WORD int64_t
#define UWORD uint64_t
#define LL int64_t
#define ULL uint64_t
#include "tables/memory.h"
#undef ABI
#undef ABI_IS_64
#undef WORD
#undef UWORD
#undef LL
#undef ULL

#define ABI(name) compat_##name
#define ABI_IS_64 0
#define WORD int32_t
#define UWORD uint32_t
#define LL compat_s64
#define ULL compat_u64
#include "tables/memory.h"
#undef ABI
#undef ABI_IS_64
#undef WORD
#undef UWORD
#undef LL
#undef ULL

#define LAYOUT(name) extern const struct sys_layout layout_##name;
#define F(name, member, kind, ...)
#define FN(name, text, member, kind, ...)
#define LAYOUT_END(name, type, ...)
#include "tables/structs.h"
#undef LAYOUT
#undef F
#undef FN
#undef LAYOUT_END

#endif
