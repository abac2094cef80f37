// SPDX-License-Identifier: GPL-2.0-or-later
/* kdump_event.c - page faults, sysctls, refusals and lookups in kdump(1)'s lines */
#include <string.h>
#include "consts.h"
#include "events.h"
#include "kdump_line.h"

static bool put_fault(struct where *w, const struct ktr_rec *rec)
{
	static const char *const access[] = {
		[KTR_FAULT_READ] = "VM_PROT_READ", [KTR_FAULT_WRITE] = "VM_PROT_WRITE",
		[KTR_FAULT_EXEC] = "VM_PROT_EXECUTE",
	};
	const struct ktr_ev_fault *ev = EV_AS(fault, rec);

	if (!ev || ev->access > KTR_FAULT_EXEC)
		return false;
	if (!kdump_begin(w, KD_PFLT))
		return true;
	buf_printf(&w->s->b, "0x%llx %s %s", (unsigned long long)ev->address,
		   access[ev->access], ev->flags & KTR_FAULT_F_USER ? "user" : "kernel");
	kdump_end(w);
	return true;
}

/* FreeBSD's words for what became of it; then what Linux tells besides. */
static bool put_fault_end(struct where *w, const struct ktr_rec *rec)
{
	static const char *const results[] = {
		[KTR_FAULT_OK] = "KERN_SUCCESS", [KTR_FAULT_RETRY] = "KERN_RESTART",
		[KTR_FAULT_SIGSEGV] = "KERN_PROTECTION_FAILURE",
		[KTR_FAULT_SIGBUS] = "KERN_OUT_OF_BOUNDS",
		[KTR_FAULT_OOM] = "KERN_RESOURCE_SHORTAGE",
	};
	const struct ktr_ev_fault_end *ev = EV_AS(fault_end, rec);

	if (!ev || ev->result > KTR_FAULT_OOM)
		return false;
	if (!kdump_begin(w, KD_PRET))
		return true;
	buf_printf(&w->s->b, "%s %s ", results[ev->result],
		   ev->flags & KTR_FAULT_F_MAJOR ? "major" : "minor");
	kdump_ns(w->s, kdump_since(rec->time, ev->start));
	w->s->b.len--;
	kdump_end(w);
	return true;
}

static bool put_sysctl(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_sysctl *ev = EV_AS(sysctl, rec);
	const unsigned char *value;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &value);

	if (!ev || !kdump_begin(w, KD_SCTL))
		return ev;
	buf_putc(&w->s->b, '"');
	kdump_text(&w->s->b, ev->name, strnlen(ev->name, sizeof(ev->name)));
	buf_printf(&w->s->b, "\" %s", ev->what == KTR_SYSCTL_WRITE ? "new" : "old");
	if (ev->ret < 0) {
		buf_printf(&w->s->b, " errno %lld", -(long long)ev->ret);
	} else {
		buf_puts(&w->s->b, " \"");
		kdump_text(&w->s->b, value, ev->len < len ? ev->len : len);
		buf_puts(&w->s->b, ev->ret > ev->len ? "\"..." : "\"");
	}
	kdump_end(w);
	return true;
}

static bool put_cap(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_cap_fail *ev = EV_AS(cap_fail, rec);
	const char *name;
	char tmp[32];

	if (!ev || !kdump_begin(w, KD_CAP))
		return ev;
	name = xlat_name(&xlat_caps, ev->cap);
	if (name)
		buf_printf(&w->s->b, "operation requires %s", name);
	else
		buf_printf(&w->s->b, "operation requires capability %u", ev->cap);
	if (ev->nr >= 0)
		buf_printf(&w->s->b, " in %s", sys_name(ev->abi, ev->nr, tmp));
	if (ev->flags & KTR_CAPFAIL_F_NOAUDIT)
		buf_puts(&w->s->b, " (only asked)");
	kdump_end(w);
	return true;
}

static bool put_denied(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_denied *ev = EV_AS(denied, rec);
	char tmp[32];

	if (!ev || !kdump_begin(w, KD_CAP))
		return ev;
	buf_printf(&w->s->b, "system call not allowed: %s", sys_name(ev->abi, ev->nr, tmp));
	if (ev->err)
		buf_printf(&w->s->b, " errno %d", ev->err);
	kdump_end(w);
	return true;
}

static bool put_namei(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_namei *ev = EV_AS(namei, rec);
	const unsigned char *name;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &name);

	if (!ev || !kdump_begin(w, KD_NAMI))
		return ev;
	buf_putc(&w->s->b, '"');
	kdump_text(&w->s->b, name, strnlen((const char *)name, len));
	buf_putc(&w->s->b, '"');
	kdump_end(w);
	return true;
}

bool kdump_event(struct where *w, const struct ktr_rec *rec)
{
	switch (rec->kind) {
	case KTR_KIND_fault:
		return put_fault(w, rec);
	case KTR_KIND_fault_end:
		return put_fault_end(w, rec);
	case KTR_KIND_sysctl:
		return put_sysctl(w, rec);
	case KTR_KIND_cap_fail:
		return put_cap(w, rec);
	case KTR_KIND_denied:
		return put_denied(w, rec);
	case KTR_KIND_namei:
		return put_namei(w, rec);
	}
	return false;
}
