// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One JSON object per line. The schema is Documentation/json.rst. Bookkeeping
 * records are not left out: programs want them.
 */
#include <string.h>

#include "events.h"
#include "json.h"
#include "out.h"
#include "out_generic.h"
#include "stack.h"

static const char *const contexts[] = { "task", "softirq", "irq", "nmi" };

static struct buf *begin(struct sink *s, const char *event)
{
	buf_putc(&s->b, '{');
	json_text(&s->b, "event", event);
	return &s->b;
}

static void end(struct sink *s)
{
	buf_puts(&s->b, "}\n");
}

static void put_common(struct buf *b, const struct ktr_rec *rec,
		       const struct proc *p, unsigned int cpu)
{
	unsigned int ctx = rec->flags & KTR_REC_CTX_MASK;

	json_udec(b, "time", rec->time);
	/* Those that say it themselves are of the scheduler. */
	if (rec->kind != KTR_KIND_sched_out && rec->kind != KTR_KIND_sched_in)
		json_udec(b, "cpu", cpu);
	if (ctx)
		json_text(b, "ctx", contexts[ctx]);
	json_udec(b, "gen", rec->flags >> KTR_REC_GEN_SHIFT);
	if (!rec->tid)
		return;
	json_udec(b, "tid", rec->tid);
	if (!p)
		return;
	/* Records that have a tgid of their own say it themselves. */
	if (p->tgid && (rec->kind == KTR_KIND_syscall ||
			rec->kind == KTR_KIND_syscall_begun))
		json_udec(b, "tgid", p->tgid);
	if (p->comm[0] && rec->kind != KTR_KIND_task &&
	    rec->kind != KTR_KIND_task_new && rec->kind != KTR_KIND_exec &&
	    rec->kind != KTR_KIND_rename) {
		json_name(b, "comm");
		json_bytes(b, p->comm, strlen(p->comm));
	}
}

static void put_call(struct buf *b, struct out *o, const struct ktr_rec *rec)
{
	struct sys_rec r;

	if (sys_parse(rec, &r)) {
		generic_json(b, o, rec);
		return;
	}
	json_udec(b, "flags", r.flags);
	if (r.ip) {
		json_name(b, "ip");
		buf_printf(b, "\"0x%llx\"", (unsigned long long)r.ip);
	}
	json_sep(b);
	json_syscall(b, &o->view, &r);
}

static void json_record(struct out *o, const struct ktr_rec *rec,
			unsigned int cpu)
{
	const struct ev_desc *d = ev_by_kind(rec->kind);
	struct proc *p;
	struct sink *s;
	struct buf *b;

	procs_note(&o->procs, rec);
	p = procs_get(&o->procs, rec->tid);
	s = out_sink(o, p);
	b = begin(s, d ? d->name : "unknown");
	if (!d)
		json_udec(b, "kind", rec->kind);
	put_common(b, rec, p, cpu);
	if (d && d->group == EVG_SYSCALL)
		put_call(b, o, rec);
	else
		generic_json(b, o, rec);
	stack_json(b, o, rec);
	end(s);
	out_ease(o, s);
	procs_after(&o->procs, rec);
}

static void json_tick(struct out *o, uint64_t now)
{
	o->now = now;
}

static void put_thread(struct buf *b, const struct proc_count *c)
{
	json_sep(b);
	buf_putc(b, '{');
	json_udec(b, "tid", c->tid);
	json_udec(b, "tgid", c->tgid);
	json_name(b, "comm");
	json_bytes(b, c->comm, strlen(c->comm));
	json_udec(b, "reason", c->reason);
	json_udec(b, "recorded", c->recorded);
	json_udec(b, "lost", c->lost);
	json_udec(b, "syscalls_lost", c->syscalls_lost);
	buf_putc(b, '}');
}

static void json_footer(struct out *o, uint64_t records, uint64_t lost)
{
	struct buf *b;
	size_t i;

	if (o->opts.separate)
		return;
	b = begin(&o->sink, "summary");
	json_udec(b, "records", records);
	json_udec(b, "lost", lost);
	json_name(b, "threads");
	buf_putc(b, '[');
	for (i = 0; i < o->procs.ncounts; i++)
		put_thread(b, &o->procs.counts[i]);
	buf_putc(b, ']');
	end(&o->sink);
}

/* meta: members of an object, made by meta_make() or read from a file. */
static void json_header(struct out *o, const char *meta)
{
	struct buf *b;

	if (o->opts.separate)
		return;
	b = begin(&o->sink, "header");
	json_udec(b, "schema", 1);
	if (meta && *meta) {
		json_name(b, "meta");
		buf_puts(b, meta);
	}
	end(&o->sink);
}

static void json_hole(struct out *o, uint64_t at, uint64_t bytes)
{
	struct buf *b;

	if (o->opts.separate)
		return;
	b = begin(&o->sink, "damaged");
	json_udec(b, "offset", at);
	json_udec(b, "bytes", bytes);
	end(&o->sink);
}

const struct out_ops out_json_ops = {
	.header = json_header,
	.record = json_record,
	.tick = json_tick,
	.footer = json_footer,
	.hole = json_hole,
};
