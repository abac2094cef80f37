/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptions of all kinds of records, expanded from the event table. */
#ifndef KTR_EVENTS_H
#define KTR_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ktracer.h"

enum ev_format {
	EVF_NONE,
	EVF_DEC, EVF_HEX, EVF_NS, EVF_DUR, EVF_TID, EVF_UID, EVF_SIGNO,
	EVF_SIGCODE, EVF_ERRNO, EVF_SYM, EVF_MASK, EVF_COMM, EVF_STR,
	EVF_BYTES, EVF_CAPTURE, EVF_SIGINFO, EVF_STACK, EVF_ENUM, EVF_FLAGS,
	EVF_HIDE,
};

enum ev_group {
	EVG_CONTROL, EVG_PROCESS, EVG_MARKER, EVG_SYSCALL, EVG_SIGNAL,
	EVG_SCHED, EVG_FUNCTION, EVG_LOOKUP, EVG_FAULT, EVG_SYSCTL, EVG_DENIED,
	EVG_MAP,
	EVG__LAST
};

struct ev_field {
	const char *name;
	uint16_t offset;		/* from the end of struct ktr_rec */
	uint8_t size;
	bool sign;
	enum ev_format format;
};

struct ev_desc {
	unsigned int kind;
	const char *name;
	enum ev_group group;
	enum ktr_ring_id ring;
	const char *source;		/* tracepoint, or a word in parentheses */
	const struct ev_field *(*fields)(unsigned int *n);
	unsigned int fixed;		/* bytes of the fixed fields */
	const char *tail;		/* NULL: none */
	enum ev_format tail_format;
};

/* NULL: no such kind. */
const struct ev_desc *ev_by_kind(unsigned int kind);
const struct ev_desc *ev_by_name(const char *name, size_t len);

const char *ev_group_name(enum ev_group group);
/* All kinds of a group as bits; 0 if there is no group of that name. */
uint64_t ev_group_mask(const char *name, size_t len);

/*
 * A list of kinds and groups, separated by commas or white space, as a mask.
 * Return: 0, or -EINVAL with the first unknown word in *bad, *len.
 */
int ev_parse_mask(const char *list, uint64_t *mask, const char **bad,
		  size_t *len);

/* Bytes of the stack at its end; 0: it has none, or nonsense. */
static inline size_t ev_stack_len(const struct ktr_rec *rec)
{
	struct ktr_stack_end end;

	if (!(rec->flags & KTR_REC_STACK) || rec->len8 < 3)
		return 0;
	memcpy(&end, (const char *)rec + rec->len8 * 8u - sizeof(end), sizeof(end));
	if (end.words > rec->len8 - 2 ||
	    end.words != end.kernel + end.user + end.regs + end.copied + 1)
		return 0;
	return end.words * 8u;
}

/* Payload of a record without its stack, and how long it is. */
static inline const unsigned char *ev_payload(const struct ktr_rec *rec)
{
	return (const unsigned char *)(rec + 1);
}

static inline size_t ev_payload_len(const struct ktr_rec *rec)
{
	return rec->len8 < 2 ? 0 : rec->len8 * 8u - sizeof(*rec) - ev_stack_len(rec);
}

/* The payload as its struct; NULL if the record is too short for it. */
#define EV_AS(name, rec) \
	((rec)->kind == KTR_KIND_##name && \
	 ev_payload_len(rec) >= sizeof(struct ktr_ev_##name) ? \
	 (const struct ktr_ev_##name *)ev_payload(rec) : NULL)

/*
 * The same of a birth, in @room. Modules before 0.1.0 wrote it without the child's
 * flags: they are 0 then.
 */
const struct ktr_ev_task_new *ev_task_new(const struct ktr_rec *rec,
					  struct ktr_ev_task_new *room);
/*
 * The same of an end: modules before 0.1.0 wrote it without the last call, whose
 * number is -1 then, as where the module does not know it.
 */
const struct ktr_ev_exit *ev_exit(const struct ktr_rec *rec, struct ktr_ev_exit *room);
static inline bool ev_has_child_flags(const struct ktr_rec *rec)
{
	return ev_payload_len(rec) >= sizeof(struct ktr_ev_task_new);
}

/* It left the CPU although it had work to do: no wait, and not its end. */
static inline bool ev_could_run_on(const struct ktr_ev_sched_out *ev)
{
	return !(ev->flags & KTR_OUT_F_DEAD) && (!ev->state || ev->flags & KTR_OUT_F_PREEMPT);
}

/* Bytes of a record's tail; 0 if it has none or is too short. */
size_t ev_tail(const struct ev_desc *d, const struct ktr_rec *rec,
	       const unsigned char **tail);

/* What a value of an ENUM field is called; NULL: the number has to do. */
const char *ev_enum_name(const struct ev_desc *d, const struct ev_field *f, uint64_t value);

/* An integer field, sign extended. */
uint64_t ev_value(const struct ev_field *f, const unsigned char *payload);

#endif
