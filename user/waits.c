// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "waits.h"

/* Functions of the scheduler, in which everybody waits. */
static bool is_scheduler(const char *name)
{
	static const char *const begins[] = {
		"schedule", "__schedule", "io_schedule", "preempt_schedule",
		"wait_for_completion", "__wait_for_common",
	};
	size_t i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

uint64_t waits_at(struct ksyms *syms, const unsigned char *stack, size_t len)
{
	const struct ksym *sym;
	uint64_t at;

	for (; len >= sizeof(at); stack += sizeof(at), len -= sizeof(at)) {
		memcpy(&at, stack, sizeof(at));
		sym = ksyms_find(syms, at);
		if (sym && !is_scheduler(ksyms_name(syms, sym)))
			return at;
	}
	return 0;
}

const char *waits_name(struct ksyms *syms, uint64_t at)
{
	const struct ksym *sym = at ? ksyms_find(syms, at) : NULL;

	return sym ? ksyms_name(syms, sym) : "";
}
