// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "meta.h"
#include "recmaps.h"
#include "report.h"

/* A round larger than this, of a file that lies, is sorted in parts. */
#define HOLD_BYTES (1024ULL << 20)
#define CPU_LIMIT 16384

static bool is_bookkeeping(const struct ktr_rec *rec)
{
	const struct ev_desc *d = ev_by_kind(rec->kind);

	return !d || d->group == EVG_CONTROL || d->ring == KTR_RING_CONTROL;
}

static int show(void *arg, const struct ktr_rec *rec, unsigned int src)
{
	struct report *p = arg;
	const struct ktr_ev_lost *lost = EV_AS(lost, rec);
	const struct select *sel = p->sel;
	const struct proc *proc = procs_find(&p->out.procs, rec->tid);

	p->records++;
	if (lost)
		p->lost += lost->count;
	if (!select_pass(sel, rec, proc ? proc->tgid : 0))
		return 0;
	out_record(&p->out, rec, src / 2);
	if (!is_bookkeeping(rec) && ++p->shown == sel->limit)
		p->enough = true;
	return p->enough ? 1 : p->out.error;
}

static void note_damage(struct report *p, uint64_t at)
{
	if (!p->r.damaged)
		p->r.damage = at;
	p->r.damaged = true;
}

/* What was shown is older than what is missing there, what follows may not be. */
static void tell_hole(struct report *p, uint64_t at, uint64_t bytes)
{
	if (!bytes)
		return;
	p->missing_bytes += bytes;
	p->holes++;
	out_hole(&p->out, at, bytes);
}

static int take_data(struct report *p)
{
	const struct ktr_file_block *b = &p->r.block;
	uint64_t at = p->r.offset - b->length;
	long n;

	if (b->cpu >= CPU_LIMIT || b->ring >= __KTR_RING_LAST) {
		note_damage(p, at);
		tell_hole(p, at, b->length);
		return 0;
	}
	n = merge_add(&p->mg, b->cpu * 2 + b->ring, p->r.payload, b->length);
	if (n < 0)
		return n;
	if ((uint64_t)n < b->length && !p->r.cut) {
		note_damage(p, at + n);
		tell_hole(p, at + n, b->length - n);
	}
	return p->mg.bytes > HOLD_BYTES ?
	       merge_run(&p->mg, UINT64_MAX, show, p) : 0;
}

/* A block's bytes with a NUL behind them. */
static char *text_of(const void *p, size_t n)
{
	char *text = malloc(n + 1);

	if (text) {
		memcpy(text, p, n);
		text[n] = '\0';
	}
	return text;
}

static void take_symbols(void *arg, const void *block, size_t n)
{
	struct report *p = arg;
	char *text = text_of(block, n);
	char *rest = text, *line, *name, *module, *end;
	uint64_t addr;

	while (text && (line = strsep(&rest, "\n"))) {
		addr = strtoull(line, &end, 16);
		if (!addr || *end != ' ')
			continue;
		name = end + 1;
		module = strchr(name, ' ');
		if (module)
			*module++ = '\0';
		ksyms_add(&p->out.syms, addr, name, module);
	}
	free(text);
}

static void take_maps(struct report *p)
{
	char *text = text_of(p->r.payload, p->r.block.length);

	if (text)
		spaces_take(&p->out.spaces, text);
	free(text);
}

static void take_images(void *arg, const void *block, size_t n)
{
	struct report *p = arg;
	char *text = text_of(block, n);

	if (text)
		recmaps_take(&p->out.spaces.images, text);
	free(text);
}

static void take_meta(struct report *p)
{
	char *text = text_of(p->r.payload, p->r.block.length);

	/* The module writes no names: those of the kernel that runs are the same. */
	if (text && !p->out.syms.n && meta_is_of_this_boot(text))
		p->out.syms.lazy = true;
	if (!p->header)
		out_header(&p->out, text);
	p->header = true;
	free(text);
}

static void take_footer(struct report *p)
{
	const struct ktr_file_footer *foot = (const void *)p->r.payload;

	if (p->r.block.length >= sizeof(*foot))
		p->whole = foot->records;
}

static int take_block(struct report *p)
{
	int err = 0;

	switch (p->r.block.type) {
	case KTR_FILE_META:
		take_meta(p);
		break;
	case KTR_FILE_DATA:
		err = take_data(p);
		break;
	case KTR_FILE_ROUND:
		err = merge_run(&p->mg, p->r.block.time, show, p);
		out_tick(&p->out, p->r.block.time);
		break;
	case KTR_FILE_MAPS:
		take_maps(p);
		break;
	case KTR_FILE_FUNCTIONS:
		fnsigs_read(&p->out.sigs, (const char *)p->r.payload, p->r.block.length);
		break;
	case KTR_FILE_FOOTER:
		take_footer(p);
		break;
	case KTR_FILE_SYMBOLS:
		/* Most stand at the end; from a pipe they come too late. */
		take_symbols(p, p->r.payload, p->r.block.length);
		break;
	}
	return err;
}

int report_run(struct report *p)
{
	int err = 0, more;

	cap_visit(&p->r, KTR_FILE_SYMBOLS, take_symbols, p);
	cap_visit(&p->r, KTR_FILE_IMAGES, take_images, p);
	while (!err && (more = cap_next(&p->r)) > 0) {
		tell_hole(p, p->r.hole_at, p->r.hole);
		err = take_block(p);
	}
	if (!err && more < 0)
		err = more;
	if (!err)
		err = merge_run(&p->mg, UINT64_MAX, show, p);
	if (!err)
		tell_hole(p, p->r.hole_at, p->r.hole);
	return err;
}

void report_free(struct report *p)
{
	merge_free(&p->mg);
	out_close(&p->out);
	cap_close(&p->r);
}
