// SPDX-License-Identifier: GPL-2.0-or-later
/* ifname.c - names of network interfaces, asked for as seldom as will do */
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "ifname.h"

#define SLOTS 16
#define FRESH_MS 200	/* they come, go and are renamed */

struct slot {
	unsigned int index;
	bool used, known;
	int64_t until;
	char name[IF_NAMESIZE];
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

/* A message of the kernel may name many, one by one: a socket for each is dear. */
const char *ifname_of(unsigned int index)
{
	static _Thread_local struct slot slots[SLOTS];
	struct slot *s = &slots[index % SLOTS];
	int64_t now = now_ms();

	if (!index)
		return NULL;
	if (!s->used || s->index != index || now >= s->until) {
		s->known = if_indextoname(index, s->name);
		s->index = index;
		s->used = true;
		s->until = now + FRESH_MS;
	}
	return s->known ? s->name : NULL;
}
