// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdump(1)'s form: a line for each thing that happened, with process and name
 * in front. A call's lines are written when its record comes: at its return,
 * or, if it blocks, those of its beginning when it begins.
 */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "inorder.h"
#include "kdump_line.h"
#include "out.h"
#include "out_generic.h"
#include "waits.h"

#include "ktracer_facility.h"

static const struct {
	const char *word;
	const char *letters;	/* of kdump -t that choose it */
	uint32_t points;	/* of ktrace() that ask for it */
} lines[KD__LAST] = {
	[KD_CALL] = { "CALL", "c", KTRFAC_SYSCALL },
	[KD_RET] = { "RET ", "c", KTRFAC_SYSRET },
	[KD_NAMI] = { "NAMI", "n", KTRFAC_NAMEI },
	[KD_GIO] = { "GIO ", "i", KTRFAC_GENIO },
	[KD_PSIG] = { "PSIG", "s", KTRFAC_PSIG },
	[KD_CSW] = { "CSW ", "w", KTRFAC_CSW },
	[KD_USER] = { "USER", "u", KTRFAC_USER },
	[KD_STRU] = { "STRU", "t", KTRFAC_STRUCT | KTRFAC_STRUCT_ARRAY },
	[KD_PCTR] = { "PCTR", "x", KTRFAC_PROCCTOR },
	[KD_PDTR] = { "PDTR", "X", KTRFAC_PROCDTOR },
	[KD_PFLT] = { "PFLT", "f", KTRFAC_FAULT },
	[KD_PRET] = { "PRET", "f", KTRFAC_FAULTEND },
	[KD_CAP] = { "CAP ", "p", KTRFAC_CAPFAIL },
	[KD_SCTL] = { "SCTL", "y", KTRFAC_SYSCTL },
	[KD_FUNC] = { "FUNC", "k", 0 },
	[KD_OTHER] = { "EVNT", "o", 0 },
	[KD_END] = { "END ", "", 0 },
};

const char *kdump_word(enum kdump_line line)
{
	return lines[line].word;
}

static bool is_flood(enum kdump_line line)
{
	return line == KD_CSW || line == KD_PFLT || line == KD_PRET || line == KD_CAP;
}

/* "+": all but what comes in floods. */
int kdump_letters(const char *letters, uint32_t *hide)
{
	/* Where a trace ends is told whatever else is wanted. */
	uint32_t show = 1u << KD_END, had;
	unsigned int i;

	for (; *letters; letters++) {
		had = show;
		for (i = 0; i < KD__LAST; i++)
			if (*letters == '+' ? !is_flood(i) :
			    strchr(lines[i].letters, *letters) != NULL)
				show |= 1u << i;
		if (show == had && !strchr("cfiknopstuwxXy+", *letters))
			return -1;
	}
	*hide = ~show;
	return 0;
}

void kdump_ns(struct sink *s, uint64_t ns)
{
	buf_printf(&s->b, "%llu.%09llu ", (unsigned long long)(ns / 1000000000),
		   (unsigned long long)(ns % 1000000000));
}

/* A call's beginning may be told after what came later on another CPU. */
uint64_t kdump_since(uint64_t time, uint64_t before)
{
	return before && time > before ? time - before : 0;
}

static void put_time(struct out *o, struct sink *s, uint64_t time)
{
	if (!o->first)
		o->first = time;
	if (o->opts.stamp != STAMP_NONE)
		kdump_ns(s, time + o->procs.wall);
	if (o->opts.kdump.elapsed)
		kdump_ns(s, kdump_since(time, o->first));
	if (o->opts.relative)
		kdump_ns(s, kdump_since(time, s->last_time));
	s->last_time = time;
}

/* Names are anybody's: they hold no line ends and no escapes when shown. */
static void put_comm(struct buf *b, const char *comm)
{
	size_t from = b->len;

	kdump_text(b, comm, strlen(comm));
	if (b->len - from < 8)
		buf_pad(b, ' ', 8 - (b->len - from));
	buf_putc(b, ' ');
}

/* Process, name and kind. False: such lines are not wanted. */
bool kdump_begin(struct where *w, enum kdump_line line)
{
	const struct kdump_view *kv = &w->o->opts.kdump;
	uint32_t pid = w->p->tgid ? w->p->tgid : w->p->tid;
	struct buf *b;

	if (kv->hide & 1u << line || (kv->pid && kv->pid != pid))
		return false;
	if (w->o->points && lines[line].points && !(w->o->points & lines[line].points))
		return false;
	w->s = out_sink(w->o, w->p);
	b = &w->s->b;
	buf_printf(b, "%6u ", pid);
	if (kv->threads)
		buf_printf(b, "%6u ", w->p->tid);
	put_comm(b, procs_named(w->p, w->time));
	if (kv->cpus)
		buf_printf(b, "%3u ", w->cpu);
	put_time(w->o, w->s, w->time);
	buf_puts(b, kdump_word(line));
	buf_puts(b, "  ");
	return true;
}

void kdump_end(struct where *w)
{
	buf_putc(&w->s->b, '\n');
}

static void put_line(void *arg, enum kdump_line line, const struct buf *text)
{
	struct where *w = arg;

	/* The kernel's own names were recorded: these are the same. */
	if (line == KD_NAMI && w->o->recorded & 1ULL << KTR_KIND_namei)
		return;
	if (!kdump_begin(w, line))
		return;
	buf_write(&w->s->b, text->p, text->len);
	kdump_end(w);
}

static void put_begin(void *arg, struct proc *p, const struct sys_rec *r, unsigned int cpu)
{
	struct out *o = arg;
	struct where w = { .o = o, .p = p, .time = r->start, .cpu = cpu };

	if (kdump_begin(&w, KD_CALL)) {
		kdump_call(&w.s->b, &o->view, &o->opts.kdump, r);
		kdump_end(&w);
	}
	kdump_memory(&o->view, &o->opts.kdump, r, false, put_line, &w);
}

static void put_return(void *arg, struct proc *p, const struct sys_rec *r, unsigned int cpu)
{
	struct out *o = arg;
	struct where w = { .o = o, .p = p, .time = r->rec->time, .cpu = cpu };

	kdump_memory(&o->view, &o->opts.kdump, r, true, put_line, &w);
	if (kdump_begin(&w, KD_RET)) {
		kdump_ret(&w.s->b, &o->opts.kdump, r);
		kdump_end(&w);
	}
}

static void put_wait(struct where *w)
{
	buf_printf(&w->s->b, "\"%s\"", waits_name(&w->o->syms, w->p->waits_at));
}

static bool put_out(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_sched_out *ev = EV_AS(sched_out, rec);
	const unsigned char *stack;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &stack);

	if (!ev)
		return false;
	w->p->waits_at = waits_at(&w->o->syms, stack, len);
	w->p->preempted = ev_could_run_on(ev);
	if (!kdump_begin(w, KD_CSW))
		return true;
	buf_puts(&w->s->b, w->p->preempted ? "stop user " : "stop kernel ");
	put_wait(w);
	kdump_end(w);
	return true;
}

static bool put_in(struct where *w)
{
	if (!kdump_begin(w, KD_CSW))
		return true;
	buf_puts(&w->s->b, w->p->preempted ? "resume user " : "resume kernel ");
	put_wait(w);
	kdump_end(w);
	return true;
}

static bool put_user(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_marker *ev = EV_AS(marker, rec);
	const unsigned char *text;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &text);

	if (!ev || !kdump_begin(w, KD_USER))
		return ev;
	len = ev->len < len ? ev->len : len;
	buf_printf(&w->s->b, "%zu \"", len);
	kdump_text(&w->s->b, text, len);
	buf_putc(&w->s->b, '"');
	kdump_end(w);
	return true;
}

static bool is_missing_in_file(const struct ktr_rec *rec)
{
	const struct ktr_ev_lost *ev = EV_AS(lost, rec);

	return ev && ev->reasons >> KTR_LOSS_FILE & 1;
}

/* kdump knows a flag alone; we know how many. */
static bool put_lost(struct where *w, const struct ktr_rec *rec)
{
	const struct ktr_ev_lost *ev = EV_AS(lost, rec);

	if (!ev)
		return false;
	buf_printf(&w->o->sink.b, "Events dropped: %llu", (unsigned long long)ev->count);
	if (is_missing_in_file(rec))
		buf_puts(&w->o->sink.b, ", the file had no room for them\n");
	else
		buf_printf(&w->o->sink.b, " on CPU %u\n", w->cpu);
	return true;
}

static void put_other(struct where *w, const struct ktr_rec *rec,
		      enum kdump_line line)
{
	if (!kdump_begin(w, line))
		return;
	generic_text(&w->s->b, w->o, rec);
	kdump_end(w);
}

/* False: not of a kind that has lines of its own, or not as such a kind is. */
static bool put_known(struct where *w, const struct ktr_rec *rec)
{
	switch (rec->kind) {
	case KTR_KIND_sched_out:
		return put_out(w, rec);
	case KTR_KIND_sched_in:
		return put_in(w);
	case KTR_KIND_marker:
		return put_user(w, rec);
	case KTR_KIND_lost:
		return put_lost(w, rec);
	default:
		return kdump_event(w, rec) || kdump_task(w, rec);
	}
}

/* Bookkeeping, and signals that were sent, which kdump tells when they arrive. */
static uint64_t quiet(const struct out *o)
{
	uint64_t kinds = 1ULL << KTR_KIND_clock | 1ULL << KTR_KIND_change |
			 1ULL << KTR_KIND_task | 1ULL << KTR_KIND_exec |
			 1ULL << KTR_KIND_rename | 1ULL << KTR_KIND_target_end |
			 1ULL << KTR_KIND_module_text | 1ULL << KTR_KIND_signal_generate;

	return kinds & ~o->opts.show;
}

/* What is recorded from now on, and what ktrace() was asked for. */
static void note_change(struct out *o, const struct ktr_rec *rec)
{
	const struct ktr_ev_change *ev = EV_AS(change, rec);

	if (!ev)
		return;
	if (ev->what == KTR_CHANGE_START || ev->what == KTR_CHANGE_EVENTS)
		o->recorded = ev->value;
	else if (ev->what == KTR_CHANGE_LABEL)
		o->points = ev->value;
}

/* A module that came or went, and nothing of it is missing. */
static bool is_fine(const struct ktr_rec *rec)
{
	const struct ktr_ev_module *ev = EV_AS(module, rec);

	return ev && !ev->err;
}

static void put_record(void *arg, struct proc *p, const struct ktr_rec *rec, unsigned int cpu)
{
	struct out *o = arg;
	struct where w = { .o = o, .p = p, .time = rec->time, .cpu = cpu };

	note_change(o, rec);
	if (put_known(&w, rec) || is_fine(rec) || (rec->kind < 64 && quiet(o) & 1ULL << rec->kind))
		return;
	put_other(&w, rec, rec->kind == KTR_KIND_function ? KD_FUNC : KD_OTHER);
}

static struct inorder inorder_of(struct out *o)
{
	static const struct inorder_fns fns = { put_begin, put_return, put_record };

	return (struct inorder){ &o->procs, &o->recorded, quiet(o), &fns, o };
}

static void kdump_record(struct out *o, const struct ktr_rec *rec, unsigned int cpu)
{
	struct inorder in = inorder_of(o);

	/* The trace ends there: nothing that waits comes behind it. */
	if (is_missing_in_file(rec))
		inorder_all(&in);
	procs_note(&o->procs, rec);
	inorder_take(&in, rec, cpu);
	procs_after(&o->procs, rec);
	out_ease(o, &o->sink);
}

static void kdump_tick(struct out *o, uint64_t now)
{
	struct inorder in = inorder_of(o);

	o->now = now;
	inorder_late(&in, now);
}

static void kdump_footer(struct out *o, uint64_t records, uint64_t lost)
{
	struct inorder in = inorder_of(o);

	inorder_all(&in);
	(void)records;
	(void)lost;
}

/* As of events that were dropped. */
static void kdump_hole(struct out *o, uint64_t at, uint64_t bytes)
{
	struct inorder in = inorder_of(o);

	inorder_all(&in);
	buf_printf(&o->sink.b, "File damaged: %llu bytes at offset %llu\n",
		   (unsigned long long)bytes, (unsigned long long)at);
}

static void kdump_header(struct out *o, const char *meta)
{
	(void)o;
	(void)meta;
}

const struct out_ops out_kdump_ops = {
	.header = kdump_header,
	.record = kdump_record,
	.tick = kdump_tick,
	.footer = kdump_footer,
	.hole = kdump_hole,
};
