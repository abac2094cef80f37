// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session and the kernel modules that it waits for. What it gains and loses by them
 * is told by records, and so are the names of what is in their text: a reader may have
 * asked the kernel for those before the module came, or after it has gone.
 */
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "kmod_text.h"
#include "session.h"

/* Of symbols, in one record. */
#define PART_BYTES 2048

int ktr_session_wait(struct ktr_session *s, const struct ktr_wait_ask *ask)
{
	int ret = -ESHUTDOWN;

	mutex_lock(&s->lock);
	if (s->state != KTR_STATE_ENDED)
		ret = ktr_waits_change(&s->waits, ask);
	if (!ret)
		ktr_graph_expect(&s->functions.graph, ktr_waits_for_graphs(&s->waits));
	if (!ret && ask->op == KTR_FUNCTIONS_ADD_GRAPHS)
		s->functions.graph.depth = ask->depth;
	mutex_unlock(&s->lock);
	return ret;
}

bool ktr_session_waits_for(struct ktr_session *s, const char *name)
{
	bool yes;

	mutex_lock(&s->lock);
	yes = s->state != KTR_STATE_ENDED && ktr_waits_find(&s->waits, name);
	mutex_unlock(&s->lock);
	return yes;
}

/* As a change, it is told also while the session is stopped. */
static void *begin(struct ktr_session *s, u8 kind, u32 len)
{
	struct ktr_rec *rec = ktr_emit_begin(&s->stream, KTR_RING_CONTROL, kind, 0, len);

	return rec ? memset(rec + 1, 0, len) : NULL;
}

static void tell_module(struct ktr_session *s, const char *name, const struct ktr_ev_module *from)
{
	struct ktr_ev_module *ev;

	preempt_disable();
	ev = begin(s, KTR_KIND_module, sizeof(*ev));
	if (ev) {
		*ev = *from;
		strscpy(ev->name, name, sizeof(ev->name));
		ktr_emit_end(&s->stream, KTR_RING_CONTROL);
	}
	preempt_enable();
}

/* As many symbols of @span as fit, from the @at-th on. Return: the next. */
static u32 pack(const struct ktr_kmod_text *t, const struct ktr_span *span, u32 at, char *buf,
		u32 *len)
{
	for (*len = 0; at < t->n; at++) {
		const struct ktr_kmod_symbol *sym = &t->symbol[at];
		u32 offset = sym->addr - span->from, n = strlen(sym->name) + 1;

		if (!ktr_span_has(span, sym->addr))
			continue;
		if (*len + sizeof(offset) + n > PART_BYTES)
			break;
		memcpy(buf + *len, &offset, sizeof(offset));
		memcpy(buf + *len + sizeof(offset), sym->name, n);
		*len += sizeof(offset) + n;
	}
	return at;
}

static void tell_part(struct ktr_session *s, const char *name, const struct ktr_span *span,
		      bool more, const char *buf, u32 len)
{
	struct ktr_ev_module_text *ev;

	preempt_disable();
	ev = begin(s, KTR_KIND_module_text, sizeof(*ev) + round_up(len, 8));
	if (ev) {
		ev->start = span->from;
		ev->size = span->to - span->from;
		ev->more = more;
		ev->len = len;
		strscpy(ev->name, name, sizeof(ev->name));
		memcpy(ev + 1, buf, len);
		ktr_emit_end(&s->stream, KTR_RING_CONTROL);
	}
	preempt_enable();
}

static void tell_text(struct ktr_session *s, const char *name, const struct ktr_kmod_text *t,
		      const struct ktr_span *span)
{
	char *buf = kmalloc(PART_BYTES, GFP_KERNEL);
	bool more = false;
	u32 at = 0, len;

	while (buf && at < t->n) {
		at = pack(t, span, at, buf, &len);
		if (!len)
			break;
		tell_part(s, name, span, more, buf, len);
		more = true;
	}
	kfree(buf);
}

/* Those that are wanted so; *addr is to be freed. -ENOMEM. */
static int pick(const struct ktr_wait *wait, const struct ktr_kmod_text *t,
		enum ktr_functions_op op, u64 **addr)
{
	u32 i, n = 0;

	*addr = kvmalloc_array(t->n, sizeof(**addr), GFP_KERNEL);
	if (!*addr)
		return -ENOMEM;
	for (i = 0; i < t->n; i++) {
		const struct ktr_kmod_symbol *sym = &t->symbol[i];

		if (sym->traceable && ktr_wait_wants(wait, sym->name, op))
			(*addr)[n++] = sym->addr;
	}
	return n;
}

/*
 * All that are wanted so, or none. ftrace may have dropped some: where a weak function
 * was, which another has replaced.
 */
static void hook(struct ktr_session *s, const struct ktr_wait *wait,
		 const struct ktr_kmod_text *t, enum ktr_functions_op op, struct ktr_ev_module *ev)
{
	struct ktr_functions_ask ask = {
		.op = op, .depth = s->functions.graph.depth,
	};
	u32 before = ktr_functions_count(&s->functions), n;
	u64 *addr;
	int ret = pick(wait, t, op, &addr);

	n = max(ret, 0);
	if (n)
		ret = ktr_functions_test(addr, &n);
	if (!ret && n)
		ret = ktr_session_functions_locked(s, addr, n, &ask);
	if (ret < 0 && ret != -EEXIST) {
		ev->err = -ret;
		ev->failed += n;
	}
	ev->hooked += ktr_functions_count(&s->functions) - before;
	kvfree(addr);
}

void ktr_session_module_comes(struct ktr_session *s, const char *name,
			      const struct ktr_kmod_text *t, int error)
{
	struct ktr_ev_module ev = { .what = KTR_MODULE_CAME, .err = -error };
	const struct ktr_wait *wait;
	enum ktr_functions_op op;

	mutex_lock(&s->lock);
	wait = s->state != KTR_STATE_ENDED ? ktr_waits_find(&s->waits, name) : NULL;
	if (wait) {
		for (op = KTR_FUNCTIONS_ADD; t->n && op <= KTR_FUNCTIONS_ADD_GRAPHS; op++)
			hook(s, wait, t, op, &ev);
		tell_module(s, name, &ev);
		tell_text(s, name, t, &t->core);
		tell_text(s, name, t, &t->init);
	}
	mutex_unlock(&s->lock);
}

void ktr_session_module_goes(struct ktr_session *s, const char *name,
			     const struct ktr_span *span)
{
	struct ktr_ev_module ev = { .what = KTR_MODULE_WENT };

	mutex_lock(&s->lock);
	if (s->state != KTR_STATE_ENDED) {
		ev.hooked = ktr_functions_sweep(&s->functions, span);
		ktr_session_sweep_frows(s, span);
		if (ev.hooked)
			ktr_session_tell(s, KTR_CHANGE_FUNCS,
					 ktr_functions_count(&s->functions));
		if (name && (ev.hooked || ktr_waits_find(&s->waits, name)))
			tell_module(s, name, &ev);
	}
	mutex_unlock(&s->lock);
}
