// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "addrset.h"
#include "events.h"
#include "stack.h"

#define SIZE_MIN 256
#define SIZE_MAX_SLOTS 131072

void addrset_free(struct addrset *s)
{
	free(s->slots);
	memset(s, 0, sizeof(*s));
}

static inline size_t first_slot(const struct addrset *s, uint64_t addr)
{
	return (addr * 0x9e3779b97f4a7c15ULL >> 40) & (s->size - 1);
}

static size_t slot(const struct addrset *s, uint64_t addr)
{
	size_t i = first_slot(s, addr);

	while (s->slots[i] && s->slots[i] != addr)
		i = (i + 1) & (s->size - 1);
	return i;
}

/* More symbols than the bound stay numbers. */
static int grow(struct addrset *s)
{
	struct addrset bigger = { .size = s->size ? s->size * 2 : SIZE_MIN };
	size_t i;

	if (bigger.size > SIZE_MAX_SLOTS)
		return -1;
	bigger.slots = calloc(bigger.size, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	for (i = 0; i < s->size; i++)
		if (s->slots[i])
			bigger.slots[slot(&bigger, s->slots[i])] = s->slots[i];
	bigger.n = s->n;
	free(s->slots);
	*s = bigger;
	return 0;
}

void addrset_add(struct addrset *s, uint64_t addr)
{
	size_t i;

	if (!addr || (s->n >= s->size / 2 && grow(s)))
		return;
	i = slot(s, addr);
	if (s->slots[i])
		return;
	s->slots[i] = addr;
	s->n++;
}

/* Nearly all were met before, and stand where they belong. */
static inline void note(struct addrset *s, uint64_t addr)
{
	if (!s->size || s->slots[first_slot(s, addr)] != addr)
		addrset_add(s, addr);
}

static void note_stack(struct addrset *s, const struct ktr_rec *rec)
{
	const unsigned char *p;
	uint64_t addr;
	size_t n = ev_tail(ev_by_kind(rec->kind), rec, &p);

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&addr, p, 8);
		note(s, addr);
	}
}

static void note_kernel(struct addrset *s, const struct ktr_rec *rec)
{
	struct stack stack;
	unsigned int i;

	for (i = 0; stack_of(rec, &stack) && i < stack.nkernel; i++)
		note(s, stack.kernel[i]);
}

/* The commonest kinds by themselves: this is done for each record. */
static inline void note_record(struct addrset *s, const struct ktr_rec *rec)
{
	const struct ktr_ev_function *fn = (const void *)(rec + 1);

	/* Both begin with the same two addresses. */
	if ((rec->kind == KTR_KIND_function ||
	     rec->kind == KTR_KIND_function_return) &&
	    rec->len8 * 8u >= sizeof(*rec) + sizeof(*fn)) {
		note(s, fn->ip);
		note(s, fn->parent);
	} else if (rec->kind == KTR_KIND_graph && EV_AS(graph, rec)) {
		note(s, EV_AS(graph, rec)->ip);
	} else if (rec->kind == KTR_KIND_sched_out && EV_AS(sched_out, rec)) {
		note_stack(s, rec);
	}
	if (rec->flags & KTR_REC_STACK)
		note_kernel(s, rec);
}

void addrset_note(struct addrset *s, const void *span, size_t len)
{
	const unsigned char *p = span, *end = p + len;
	const struct ktr_rec *rec;

	for (; p < end; p += rec->len8 * 8u) {
		rec = (const struct ktr_rec *)p;
		note_record(s, rec);
	}
}
