// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "consts.h"
#include "events.h"

#define IS_SIGNED(type) ((type)-1 < (type)1)

/* One function per kind that knows its fields. */
#define KTR_EVENT(number, name, group, ring, source) \
static const struct ev_field *fields_##name(unsigned int *n) \
{ \
	typedef struct ktr_ev_##name T; \
	static const struct ev_field f[] = {
#define KTR_FIELD(type, name, format) \
		{ #name, offsetof(T, name), sizeof(type), IS_SIGNED(type), \
		  EVF_##format },
#define KTR_TEXT(name, size, format) \
		{ #name, offsetof(T, name), size, false, EVF_##format },
#define KTR_EVENT_END(name) \
	}; \
	*n = sizeof(f) / sizeof(f[0]); \
	return f; \
}
#include "ktracer_events.h"

#define RING_OF_data KTR_RING_DATA
#define RING_OF_control KTR_RING_CONTROL

static const struct ev_desc descs[KTR_KIND_MAX + 1] = {
#define KTR_EVENT(number, id, grp, rng, src) \
	[number] = { .kind = number, .name = #id, .group = EVG_##grp, \
		     .ring = RING_OF_##rng, .source = src, \
		     .fields = fields_##id, .fixed = sizeof(struct ktr_ev_##id),
#define KTR_TAIL(id, format) .tail = #id, .tail_format = EVF_##format,
#define KTR_EVENT_END(id) },
#include "ktracer_events.h"
};

static const char *const groups[EVG__LAST] = {
	[EVG_CONTROL] = "control",	[EVG_PROCESS] = "process",
	[EVG_MARKER] = "marker",	[EVG_SYSCALL] = "syscall",
	[EVG_SIGNAL] = "signal",	[EVG_SCHED] = "sched",
	[EVG_FUNCTION] = "function",	[EVG_LOOKUP] = "lookup",
	[EVG_FAULT] = "fault",		[EVG_SYSCTL] = "sysctl",
	[EVG_DENIED] = "denied",	[EVG_MAP] = "map",
};

static bool same(const char *s, const char *word, size_t len)
{
	return strlen(s) == len && !memcmp(s, word, len);
}

const struct ev_desc *ev_by_kind(unsigned int kind)
{
	return kind <= KTR_KIND_MAX && descs[kind].name ? &descs[kind] : NULL;
}

const struct ev_desc *ev_by_name(const char *name, size_t len)
{
	unsigned int k;

	for (k = 0; k <= KTR_KIND_MAX; k++)
		if (descs[k].name && same(descs[k].name, name, len))
			return &descs[k];
	return NULL;
}

const char *ev_group_name(enum ev_group group)
{
	return group < EVG__LAST ? groups[group] : "?";
}

uint64_t ev_group_mask(const char *name, size_t len)
{
	uint64_t mask = 0;
	unsigned int k;

	for (k = 0; k <= KTR_KIND_MAX; k++)
		if (descs[k].name && same(groups[descs[k].group], name, len))
			mask |= 1ULL << k;
	return mask;
}

int ev_parse_mask(const char *list, uint64_t *mask, const char **bad,
		  size_t *len)
{
	static const char sep[] = ", \t\n";
	const struct ev_desc *d;
	uint64_t bits;

	*mask = 0;
	for (list += strspn(list, sep); *list; list += strspn(list, sep)) {
		*len = strcspn(list, sep);
		/* A group wins over the kind of the same name: it is more. */
		bits = ev_group_mask(list, *len);
		d = ev_by_name(list, *len);
		if (!bits && d)
			bits = 1ULL << d->kind;
		if (!bits) {
			*bad = list;
			return -EINVAL;
		}
		*mask |= bits;
		list += *len;
	}
	return 0;
}

/* What is there of a payload, over what is in @room. At least @least bytes, or false. */
static bool copy_payload(const struct ktr_rec *rec, void *room, size_t size, size_t least)
{
	size_t len = ev_payload_len(rec);

	if (len < least)
		return false;
	memcpy(room, ev_payload(rec), len < size ? len : size);
	return true;
}

const struct ktr_ev_task_new *ev_task_new(const struct ktr_rec *rec,
					  struct ktr_ev_task_new *room)
{
	if (rec->kind != KTR_KIND_task_new)
		return NULL;
	*room = (struct ktr_ev_task_new){ 0 };
	return copy_payload(rec, room, sizeof(*room),
			    offsetof(struct ktr_ev_task_new, flags)) ? room : NULL;
}

const struct ktr_ev_exit *ev_exit(const struct ktr_rec *rec, struct ktr_ev_exit *room)
{
	if (rec->kind != KTR_KIND_exit)
		return NULL;
	*room = (struct ktr_ev_exit){ .nr = -1 };
	return copy_payload(rec, room, sizeof(*room),
			    offsetof(struct ktr_ev_exit, nr)) ? room : NULL;
}

size_t ev_tail(const struct ev_desc *d, const struct ktr_rec *rec,
	       const unsigned char **tail)
{
	size_t len = ev_payload_len(rec);

	*tail = ev_payload(rec) + d->fixed;
	return d->tail && len > d->fixed ? len - d->fixed : 0;
}

static const struct {
	uint8_t kind;
	const char *field;
	const char *names[6];
} enums[] = {
	{ KTR_KIND_fault, "access", {
		[KTR_FAULT_READ] = "read", [KTR_FAULT_WRITE] = "write",
		[KTR_FAULT_EXEC] = "exec" } },
	{ KTR_KIND_fault_end, "result", {
		[KTR_FAULT_OK] = "ok", [KTR_FAULT_RETRY] = "retry",
		[KTR_FAULT_SIGSEGV] = "sigsegv", [KTR_FAULT_SIGBUS] = "sigbus",
		[KTR_FAULT_OOM] = "oom" } },
	{ KTR_KIND_sysctl, "what", {
		[KTR_SYSCTL_READ] = "read", [KTR_SYSCTL_WRITE] = "write" } },
	{ KTR_KIND_module, "what", { [KTR_MODULE_CAME] = "came", [KTR_MODULE_WENT] = "went" } },
	{ KTR_KIND_denied, "by", { [KTR_DENIED_SECCOMP] = "seccomp" } },
};

const char *ev_enum_name(const struct ev_desc *d, const struct ev_field *f, uint64_t value)
{
	size_t i;

	if (d->kind == KTR_KIND_cap_fail && !strcmp(f->name, "cap"))
		return xlat_name(&xlat_caps, value);
	for (i = 0; i < sizeof(enums) / sizeof(enums[0]); i++)
		if (enums[i].kind == d->kind && !strcmp(enums[i].field, f->name))
			return value < 6 ? enums[i].names[value] : NULL;
	return NULL;
}

uint64_t ev_value(const struct ev_field *f, const unsigned char *payload)
{
	const unsigned char *p = payload + f->offset;
	uint32_t w;
	uint64_t x;
	uint16_t h;

	switch (f->size) {
	case 1:
		return f->sign ? (uint64_t)(int8_t)*p : *p;
	case 2:
		memcpy(&h, p, 2);
		return f->sign ? (uint64_t)(int16_t)h : h;
	case 4:
		memcpy(&w, p, 4);
		return f->sign ? (uint64_t)(int32_t)w : w;
	case 8:
		memcpy(&x, p, 8);
		return x;
	}
	return 0;
}
