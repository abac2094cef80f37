// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record: the rings' bytes into a file, as they are. Nothing is formatted or
 * sorted here, and memory does not grow with the trace.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "addrset.h"
#include "capfile.h"
#include "cmd.h"
#include "detach.h"
#include "events.h"
#include "meta.h"
#include "recmaps.h"
#include "run.h"
#include "tracee.h"

#define PROGRESS_NS 1000000000ULL
#define SYMBOLS_NS 250000000ULL

struct record {
	struct run run;
	struct reader rd;
	struct cap_writer w;
	struct opts *o;
	struct ksyms syms;
	struct fnsigs sigs;
	struct addrset addrs;
	struct addrset named;	/* symbols that the file has */
	size_t nseen;		/* of addrs, when symbols were written last */
	size_t nunknown;	/* of these, without a symbol then */
	uint64_t next_symbols;	/* not before; CLOCK_MONOTONIC */
	bool note_addrs;	/* some kind has addresses */
	struct recmaps maps;
	bool progress;		/* standard error is a terminal */
	bool progressed;	/* an open line is there */
	uint64_t next_progress;
	uint64_t lost;
	uint64_t safe;		/* records in the file after a whole round */
	uint64_t events;	/* written, without bookkeeping */
	uint64_t cut[64];	/* read beyond the limit, not written; by kind */
	uint64_t ncut;
	bool full;		/* --max-size: a record had no room */
	struct fault f;
};

static bool is_event(const struct ktr_rec *rec)
{
	const struct ev_desc *d = ev_by_kind(rec->kind);

	return d && d->group != EVG_CONTROL && d->ring == KTR_RING_DATA;
}

static void cut_one(struct record *r, const struct ktr_rec *rec)
{
	r->cut[rec->kind & 63]++;
	r->ncut++;
}

static bool enough(const struct record *r, const struct ktr_rec *rec)
{
	return r->o->sel.limit && is_event(rec) && r->events == r->o->sel.limit;
}

/* How much of a span there is room for; the rest is counted as cut. */
static size_t cut_span(struct record *r, const unsigned char *p, size_t len)
{
	uint64_t room = cap_room(&r->w);
	const struct ktr_rec *rec;
	size_t at, fits = 0;

	for (at = 0; at < len; at += rec->len8 * 8u) {
		rec = (const struct ktr_rec *)(p + at);
		if (at + rec->len8 * 8u > room)
			r->full = true;
		if (r->full || enough(r, rec)) {
			cut_one(r, rec);
			continue;
		}
		r->events += is_event(rec);
		if (fits == at)
			fits = at + rec->len8 * 8u;
		else
			cut_one(r, rec);
	}
	return fits;
}

static int write_span(void *arg, const struct ring_read *ring,
		      const unsigned char *p, size_t len)
{
	struct record *r = arg;

	if (r->o->sel.limit || r->w.max)
		len = cut_span(r, p, len);
	if (!len)
		return 0;
	if (r->note_addrs)
		addrset_note(&r->addrs, p, len);
	if (r->o->sel.stack.user && ring->ring == KTR_RING_CONTROL)
		recmaps_note(&r->maps, p, len);
	return cap_put(&r->w, KTR_FILE_DATA, ring->cpu, ring->ring, 0, p, len);
}

static void show_progress(struct record *r)
{
	uint64_t now = reader_now();

	if (!r->progress || now < r->next_progress)
		return;
	r->next_progress = now + PROGRESS_NS;
	r->progressed = true;
	fprintf(stderr, "\rktrctl: %llu records, lost %llu, %llu bytes ",
		(unsigned long long)(reader_records(&r->rd) - r->ncut),
		(unsigned long long)reader_lost(&r->rd),
		(unsigned long long)r->w.bytes);
}

/* Those that the file does not have yet. */
static int write_symbols(struct record *r)
{
	const struct ksym *s;
	struct buf b;
	size_t i, had;
	int err = 0;

	if (r->addrs.n == r->nseen || !ksyms_load(&r->syms))
		return 0;
	r->nseen = r->addrs.n;
	r->nunknown = 0;
	buf_init(&b);
	for (i = 0; i < r->addrs.size; i++) {
		if (!r->addrs.slots[i])
			continue;
		s = ksyms_find(&r->syms, r->addrs.slots[i]);
		r->nunknown += !s;
		if (!s)
			continue;
		had = r->named.n;
		addrset_add(&r->named, s->addr);
		if (r->named.n == had)
			continue;
		buf_printf(&b, "%llx %s %s\n", (unsigned long long)s->addr,
			   ksyms_name(&r->syms, s), ksyms_module(&r->syms, s));
	}
	if (b.len && b.len <= KTR_FILE_BLOCK_MAX)
		err = cap_put(&r->w, KTR_FILE_SYMBOLS, 0, 0, 0, b.p, b.len);
	buf_free(&b);
	return err;
}

/* A writer that is killed leaves the names of all but the last moment. */
static int keep_symbols(struct record *r)
{
	uint64_t now = reader_now();

	if (now < r->next_symbols)
		return 0;
	r->next_symbols = now + SYMBOLS_NS;
	return write_symbols(r);
}

/* Modules may have come since the kernel's symbols were read. */
static int write_last_symbols(struct record *r)
{
	int err = write_symbols(r);

	if (err || !r->nunknown)
		return err;
	ksyms_free(&r->syms);
	ksyms_init(&r->syms);
	r->nseen = 0;
	return write_symbols(r);
}

static int write_footer(struct record *r)
{
	struct ktr_file_footer foot = { 0 };
	unsigned int i, k;

	foot.records = reader_records(&r->rd) - r->ncut;
	foot.lost = r->lost;
	for (i = 0; i < r->rd.nrings; i++)
		for (k = 0; k < 64; k++)
			foot.kinds[k] += r->rd.rings[i].kinds[k];
	for (k = 0; k < 64; k++)
		foot.kinds[k] -= r->cut[k];
	return cap_put(&r->w, KTR_FILE_FOOTER, 0, 0, 0, &foot, sizeof(foot));
}

/* Its records come later, and it may have ended by then. */
static void know_maps(struct run *run, uint32_t pid)
{
	struct record *r = run->arg;

	if (r->o->sel.stack.user)
		recmaps_running(&r->maps, pid);
}

static int record_round(struct run *run, bool last)
{
	struct record *r = run->arg;
	int err = reader_round(&r->rd, write_span, r);

	if (!err && last)
		err = reader_trailing(&r->rd, true, write_span, r);
	/* Before what it is about is shown: at the end of this round. */
	if (!err && !last)
		err = keep_symbols(r);
	if (!err)
		err = recmaps_put(&r->maps, &r->w);
	if (!err)
		err = cap_put(&r->w, KTR_FILE_ROUND, 0, 0, r->rd.horizon, NULL, 0);
	if (last) {
		r->lost = reader_lost(&r->rd);
		if (!err)
			err = write_last_symbols(r);
		if (!err)
			err = write_footer(r);
	}
	/* A writer that is killed leaves all that is older than a round. */
	if (!err)
		err = cap_flush(&r->w);
	if (!err)
		r->safe = reader_records(&r->rd) - r->ncut;
	show_progress(r);
	/* Names that the file lacks are not waited for by anybody else. */
	run->tick_ms = r->addrs.n != r->nseen ? SYMBOLS_NS / 1000000 : r->progress ? 1000 : 0;
	if (r->o->sel.limit && r->events >= r->o->sel.limit)
		run->stop = run->limited = true;
	if (r->full || r->w.full)
		run->stop = run->full = true;
	return err;
}

int write_sigs(struct cap_writer *w, const struct fnsigs *sigs)
{
	struct buf b;
	int err = 0;

	buf_init(&b);
	fnsigs_write(sigs, &b);
	if (b.len && b.len <= KTR_FILE_BLOCK_MAX)
		err = cap_put(w, KTR_FILE_FUNCTIONS, 0, 0, 0, b.p, b.len);
	buf_free(&b);
	return err;
}

/* Hooked functions are known from the start, wherever the writer is killed. */
static int write_head(struct record *r, const struct ctl_session *s)
{
	uint64_t *addrs = NULL;
	struct buf b;
	size_t i, n = 0;
	int err;

	buf_init(&b);
	meta_make(&b, r->o, s);
	err = cap_put(&r->w, KTR_FILE_META, 0, 0, 0, b.p, b.len);
	buf_free(&b);
	if (!err && r->sigs.n)
		err = write_sigs(&r->w, &r->sigs);
	if (!err && r->o->sel.nfuncs &&
	    !ctl_func_get(r->run.ctl, r->run.ref, 0, &addrs, &n)) {
		for (i = 0; i < n; i++)
			addrset_add(&r->addrs, addrs[i]);
		err = write_symbols(r);
	}
	free(addrs);
	return err ?: cap_flush(&r->w);
}

/* What a reader cannot do without is there, whatever the file may have. */
static int limit_file(struct record *r)
{
	r->w.max = r->o->sel.max_size;
	if (cap_room(&r->w))
		return 0;
	return fault_set(&r->f, ST_USAGE,
			 "--max-size: the head of %s alone has %llu bytes: use more",
			 r->o->out.file, (unsigned long long)r->w.bytes);
}

static void say_size(const struct ctl_session *s)
{
	struct buf b;

	buf_init(&b);
	setup_size(&b, s);
	cmd_message("%s", buf_str(&b));
	buf_free(&b);
}

/* For list; what it does not know it does not show. */
static void tell_path(struct record *r)
{
	char path[PATH_MAX];
	struct ctl_set set = { .set = CTL_SET_SAVED, .saved = path };

	if (strcmp(r->o->out.file, "-") && realpath(r->o->out.file, path))
		ctl_session_set(r->run.ctl, r->run.ref, &set);
}

static int prepare(struct record *r)
{
	struct ctl_session s = { 0 };
	struct opts *o = r->o;
	int err = tracee_prepare(&r->run, o, &r->f);

	if (!err)
		err = tracee_session(&r->run, o, 0, &r->syms, &r->sigs, &s, &r->f);
	if (!err)
		err = cap_create(&r->w, o->out.file, false, &r->f);
	if (err)
		goto out;
	r->note_addrs = s.nfuncs || o->sel.stack.kernel || select_events(&o->sel) &
		(ev_group_mask("function", 8) | ev_group_mask("sched", 5));
	tell_path(r);
	if (!(o->out.quiet & QUIET_ATTACH))
		say_size(&s);
	err = write_head(r, &s);
	if (err)
		fault_set(&r->f, ST_LOST, "cannot write %s: %s", o->out.file,
			  strerror(-err));
	else
		err = limit_file(r) ?:
		      tracee_attach(&r->run, o, KTR_TARGET_PID, &r->f);
out:
	ctl_session_free(&s);
	return err;
}

static void end_progress(struct record *r)
{
	if (r->progressed)
		fputc('\n', stderr);
}

/*
 * What found no room is lost, too. Of a file it can be seen what is there; of a pipe
 * it is what was surely written.
 */
static uint64_t count_written(struct record *r, uint64_t given)
{
	uint64_t there = r->safe;

	if (strcmp(r->o->out.file, "-"))
		cap_count(r->o->out.file, &there);
	r->lost += given > there ? given - there : 0;
	return there;
}

static int finish(struct record *r)
{
	uint64_t n = reader_records(&r->rd) - r->ncut;
	int status, err = cap_finish(&r->w);

	if (err)
		n = count_written(r, n);
	cmd_message("%llu records, lost %llu, %llu bytes in %s%s%s",
		    (unsigned long long)n, (unsigned long long)r->lost,
		    (unsigned long long)r->w.bytes, r->o->out.file,
		    err ? ": no more could be written: " : "", err ? strerror(-err) : "");
	tracee_missed(&r->run);
	status = tracee_status(&r->run, r->o, r->lost);
	return status || !err ? status : ST_LOST;
}

static int check(const struct command *cmd, const struct opts *o)
{
	if (!o->out.file)
		return cmd_usage("record: -o FILE is missing");
	if (o->out.separate || o->out.append)
		return cmd_usage("record: -A and -ff have no meaning here: report has them");
	if (o->sel.status != STATUS_ALL && !o->sel.filter.n)
		return cmd_usage("record: -e status= is for report here, but for successful or failed alone");
	return tracee_check(cmd, o);
}

int cmd_record(const struct command *cmd, struct opts *o)
{
	struct record r = {
		.o = o, .progress = isatty(STDERR_FILENO),
		.run = { .sel = &o->sel, .round = record_round, .sigfd = -1,
			 .child.go = -1 },
		.rd.fd = -1, .w.fd = -1,
	};
	int status = check(cmd, o);

	if (status)
		return status;
	if (o->detach)
		return record_detached(o);
	r.run.rd = &r.rd;
	r.run.arg = &r;
	r.run.joined = know_maps;
	if (r.progress)
		r.run.tick_ms = 1000;
	ksyms_init(&r.syms);
	if (setup_open(&r.run.ctl, &r.f))
		return cmd_fail(&r.f);
	if (prepare(&r)) {
		child_cancel(&r.run.child);
		status = cmd_fail(&r.f);
	} else if (run_loop(&r.run, &r.f)) {
		status = cmd_fail(&r.f);
	} else {
		end_progress(&r);
		tracee_limit(&r.run);
		tracee_end(&r.run);
		status = finish(&r);
	}
	reader_close(&r.rd);
	addrset_free(&r.addrs);
	addrset_free(&r.named);
	recmaps_free(&r.maps);
	ksyms_free(&r.syms);
	fnsigs_free(&r.sigs);
	ctl_close(r.run.ctl);
	return status;
}
