/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of tasks and signals, for tests that say in give() where they go. */
#ifndef NATIVE_GIVE_H
#define NATIVE_GIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "events.h"

static void give(unsigned int kind, uint32_t tid, const void *payload, size_t n);

#define GIVE(name, tid, ...) do { \
	struct ktr_ev_##name ev_ = { __VA_ARGS__ }; \
	give(KTR_KIND_##name, tid, &ev_, sizeof(ev_)); \
} while (0)

static inline void sent(uint32_t tid, int sig, int code)
{
	GIVE(signal_generate, tid, .sig = sig, .code = code);
}

static inline void ended(uint32_t tid, unsigned int code, bool last)
{
	GIVE(exit, tid, .code = code, .flags = last ? KTR_EXIT_F_GROUP : 0);
	GIVE(target_end, tid, .reason = KTR_END_EXIT, .tgid = 7);
}

#endif
