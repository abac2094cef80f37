// SPDX-License-Identifier: GPL-2.0-or-later
/* list, status, start, stop, clear: named sessions as a whole. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "events.h"
#include "fwait.h"
#include "json.h"
#include "sesspids.h"
#include "setup.h"

static const char *state_name(unsigned int state)
{
	static const char *const names[] = { "stopped", "running", "ended" };

	return state < 3 ? names[state] : "?";
}

static const char *mode_name(unsigned int mode)
{
	return mode == KTR_MODE_OVERWRITE ? "overwrite" : "discard";
}

static const char *reason_name(unsigned int reason)
{
	static const char *const names[] = {
		"full", "evicted", "big", "nested", "memory", "file",
	};

	return reason < __KTR_LOSS_LAST ? names[reason] : "?";
}

static uint64_t sum_lost(const struct ctl_session *s)
{
	uint64_t n = 0;
	unsigned int i, k;

	for (i = 0; i < s->ncpu; i++)
		for (k = 0; k < s->cpu[i].nloss; k++)
			n += s->cpu[i].loss[k].count;
	return n;
}

static uint64_t sum(const struct ctl_session *s, size_t member)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < s->ncpu; i++)
		n += *(uint64_t *)((char *)&s->cpu[i] + member);
	return n;
}

#define SUM(s, member) sum(s, offsetof(struct ctl_cpu, member))

static void json_mask(struct buf *b, const char *name, uint64_t mask)
{
	unsigned int k;

	json_name(b, name);
	buf_putc(b, '[');
	for (k = 0; k < 64; k++) {
		if (!(mask & 1ULL << k) || !ev_by_kind(k))
			continue;
		json_sep(b);
		json_str(b, ev_by_kind(k)->name);
	}
	buf_putc(b, ']');
}

static void json_loss(struct buf *b, const struct ctl_cpu *c)
{
	const struct ev_desc *d;
	unsigned int k;

	json_name(b, "loss");
	buf_putc(b, '[');
	for (k = 0; k < c->nloss; k++) {
		d = ev_by_kind(c->loss[k].kind);
		json_sep(b);
		buf_putc(b, '{');
		json_text(b, "ring", c->loss[k].ring == KTR_RING_DATA ?
			  "data" : "control");
		json_text(b, "kind", d ? d->name : "unknown");
		json_text(b, "reason", reason_name(c->loss[k].reason));
		json_udec(b, "count", c->loss[k].count);
		buf_putc(b, '}');
	}
	buf_putc(b, ']');
}

static void json_cpus(struct buf *b, const struct ctl_session *s)
{
	const struct ctl_cpu *c;
	unsigned int i;

	json_name(b, "cpus");
	buf_putc(b, '[');
	for (i = 0; i < s->ncpu; i++) {
		c = &s->cpu[i];
		json_sep(b);
		buf_putc(b, '{');
		json_udec(b, "cpu", c->nr);
		json_udec(b, "recorded", c->recorded);
		json_udec(b, "bytes", c->bytes);
		json_udec(b, "unread", c->unread);
		json_udec(b, "evicted", c->evicted);
		json_loss(b, c);
		buf_putc(b, '}');
	}
	buf_putc(b, ']');
}

static const char *file_of(const struct ctl_session *s)
{
	return s->file_name ? s->file_name : "";
}

static void json_session(struct buf *b, struct ctl *ctl, const struct ctl_session *s)
{
	json_sep(b);
	buf_putc(b, '{');
	json_udec(b, "id", s->id);
	if (s->name[0]) {
		json_name(b, "name");
		json_bytes(b, s->name, strlen(s->name));
	}
	json_text(b, "state", state_name(s->state));
	json_text(b, "mode", mode_name(s->mode));
	json_udec(b, "owner", s->owner);
	json_udec(b, "plain", s->plain);
	json_udec(b, "buf_size", s->buf_size);
	json_udec(b, "ctl_size", s->ctl_size);
	json_udec(b, "total_bytes", s->total_bytes);
	json_udec(b, "watermark", s->watermark);
	json_udec(b, "flush_ms", s->flush_ms);
	json_udec(b, "generation", s->generation);
	json_udec(b, "targets", s->ntargets);
	sesspids_json(b, ctl, s);
	json_udec(b, "syscalls", s->nsyscalls);
	json_udec(b, "functions", s->nfuncs);
	json_udec(b, "functions_returning", s->nrets);
	json_udec(b, "returns_missed", s->rets_missed);
	json_udec(b, "returns_inside", s->rets_inside);
	json_udec(b, "hooks_missed", s->hooks_missed);
	json_udec(b, "graphs", s->ngraphs);
	json_udec(b, "graph_functions", s->nbelow);
	if (s->nwaits)
		fwaits_json(b, ctl, (struct ctl_ref){ .id = s->id });
	json_udec(b, "graph_missed", s->graph_missed);
	json_udec(b, "filter", s->filter_len);
	json_udec(b, "reader", s->reader);
	json_hex(b, "signals", s->signals);
	json_mask(b, "events", s->events);
	json_mask(b, "probes", s->probes);
	json_udec(b, "recorded", SUM(s, recorded));
	json_udec(b, "unread", SUM(s, unread));
	json_udec(b, "lost", sum_lost(s));
	json_udec(b, "evicted", SUM(s, evicted));
	json_udec(b, "not_followed", s->not_followed);
	if (s->written) {
		json_udec(b, "written", s->file_bytes);
		json_udec(b, "write_error", s->file_error);
		json_udec(b, "write_missing", s->file_missing);
	}
	if (s->written || s->file_name) {
		json_name(b, "file");
		json_bytes(b, file_of(s), strlen(file_of(s)));
	}
	json_udec(b, "refused", s->refused);
	json_cpus(b, s);
	buf_putc(b, '}');
}

/* The name is whatever its user chose. */
static void text_failure(struct buf *b, const struct ctl_session *s)
{
	buf_puts(b, "could not write ");
	json_str(b, file_of(s));
	buf_printf(b, ": %s, %llu %s missing there", strerror(s->file_error),
		   (unsigned long long)s->file_missing,
		   s->file_missing == 1 ? "record is" : "records are");
}

static void text_reader(struct buf *b, const struct ctl_session *s)
{
	if (s->file_error) {
		buf_puts(b, ", ");
		text_failure(b, s);
	} else if (s->written) {
		buf_printf(b, ", %llu bytes written to ",
			   (unsigned long long)s->file_bytes);
		json_str(b, file_of(s));
	} else if (s->reader) {
		buf_puts(b, ", being read");
		if (s->file_name) {
			buf_puts(b, " into ");
			json_str(b, s->file_name);
		}
	}
}

/* What is left of a session whose end came after its failure. */
static bool is_remains(const struct ctl_session *s)
{
	return s->file_error && s->state == KTR_STATE_ENDED;
}

static void text_owner(struct buf *b, const struct ctl_session *s)
{
	if (s->plain)
		buf_printf(b, ", #%u of user %u", s->id, s->owner);
	buf_putc(b, '\n');
}

static void text_session(struct buf *b, struct ctl *ctl, const struct ctl_session *s)
{
	char id[16];

	snprintf(id, sizeof(id), "#%u", s->id);
	if (is_remains(s)) {
		buf_printf(b, "%-16s %-8s ", s->name[0] ? s->name : id, state_name(s->state));
		text_failure(b, s);
		text_owner(b, s);
		return;
	}
	buf_printf(b, "%-16s %-8s %-9s %4u targets %4u syscalls %5u functions  ",
		   s->name[0] ? s->name : id, state_name(s->state),
		   mode_name(s->mode), s->ntargets, s->nsyscalls, s->nfuncs);
	if (s->nwaits) {
		buf_puts(b, "modules ");
		fwaits_text(b, ctl, (struct ctl_ref){ .id = s->id });
		buf_puts(b, ", ");
	}
	if (s->rets_missed)
		buf_printf(b, "%llu returns missed, ",
			   (unsigned long long)s->rets_missed);
	if (s->hooks_missed)
		buf_printf(b, "%llu hooked calls missed, ",
			   (unsigned long long)s->hooks_missed);
	if (s->graph_missed)
		buf_printf(b, "%llu calls of graphs missed, ",
			   (unsigned long long)s->graph_missed);
	buf_printf(b, "%llu recorded, %llu bytes unread, lost %llu",
		   (unsigned long long)SUM(s, recorded),
		   (unsigned long long)SUM(s, unread),
		   (unsigned long long)sum_lost(s));
	if (SUM(s, evicted))
		buf_printf(b, ", %llu overwritten", (unsigned long long)SUM(s, evicted));
	text_reader(b, s);
	sesspids_text(b, ctl, s);
	text_owner(b, s);
}

static void text_mask(struct buf *b, const char *what, uint64_t mask)
{
	unsigned int k;

	buf_printf(b, "  %s:", what);
	for (k = 0; k < 64; k++)
		if (mask & 1ULL << k && ev_by_kind(k))
			buf_printf(b, " %s", ev_by_kind(k)->name);
	buf_putc(b, '\n');
}

static void text_loss(struct buf *b, const struct ctl_cpu *c)
{
	const struct ev_desc *d;
	unsigned int k;

	for (k = 0; k < c->nloss; k++) {
		d = ev_by_kind(c->loss[k].kind);
		buf_printf(b, "    lost %llu %s (%s, %s ring)\n",
			   (unsigned long long)c->loss[k].count,
			   d ? d->name : "unknown",
			   reason_name(c->loss[k].reason),
			   c->loss[k].ring == KTR_RING_DATA ? "data" :
							      "control");
	}
}

static void text_details(struct buf *b, const struct ctl_session *s)
{
	const struct ctl_cpu *c;
	unsigned int i;

	buf_puts(b, "  rings: ");
	setup_size(b, s);
	buf_printf(b, ", %llu bytes in all; owner uid %u; generation %u\n",
		   (unsigned long long)s->total_bytes, s->owner,
		   s->generation);
	text_mask(b, "events", s->events);
	text_mask(b, "probes attached", s->probes);
	buf_printf(b, "  filter: %u comparisons, %llu records refused by it; %llu children not followed\n",
		   s->filter_len, (unsigned long long)s->refused,
		   (unsigned long long)s->not_followed);
	for (i = 0; i < s->ncpu; i++) {
		c = &s->cpu[i];
		buf_printf(b, "  CPU %u: %llu recorded, %llu bytes, %llu unread, %llu evicted\n",
			   c->nr, (unsigned long long)c->recorded,
			   (unsigned long long)c->bytes,
			   (unsigned long long)c->unread,
			   (unsigned long long)c->evicted);
		text_loss(b, c);
	}
}

/* Whom tracing slows down, by enum ktr_narrow_state: in text and in JSON. */
static const char *narrow_name(unsigned int narrow, bool json)
{
	static const char *const names[][2] = {
		{ "nobody", "idle" },
		{ "targets alone", "on" },
		{ "all threads (module parameter)", "off-param" },
		{ "all threads (another tracer uses the same tracepoints)",
		  "off-others" },
		{ "all threads (ftrace was off when the module was loaded)", "off-hook" },
		{ "all threads (unsure who else traces)", "off-unsure" },
	};

	return narrow < sizeof(names) / sizeof(names[0]) ? names[narrow][json] :
							   "?";
}

static void put_info(struct buf *b, const struct ctl_info *i, bool json)
{
	if (!json) {
		buf_printf(b, "module %s, interface %u, %u CPUs; rings use %llu of %llu bytes\n",
			   i->release, i->version, i->ncpus,
			   (unsigned long long)i->used_bytes,
			   (unsigned long long)i->max_bytes);
		if (i->privileged)
			buf_printf(b, "syscall tracing slows down: %s\n",
				   narrow_name(i->narrow, false));
		buf_printf(b, "kernel.ktrace: genio_size %u, request_pool %u\n",
			   i->genio_size, i->request_pool);
		return;
	}
	json_name(b, "module");
	buf_putc(b, '{');
	json_text(b, "release", i->release);
	json_udec(b, "interface", i->version);
	json_udec(b, "cpus", i->ncpus);
	json_udec(b, "used_bytes", i->used_bytes);
	json_udec(b, "max_bytes", i->max_bytes);
	json_udec(b, "genio_size", i->genio_size);
	json_udec(b, "request_pool", i->request_pool);
	if (i->privileged)
		json_text(b, "narrow", narrow_name(i->narrow, true));
	json_mask(b, "events", i->events);
	buf_putc(b, '}');
}

/* A name is ours: root's sessions and each plain user's have theirs apart. */
static bool chosen(const struct ctl *ctl, const struct opts *o, const struct ctl_session *s)
{
	const char *name = o->session ? o->session : "default";

	if (o->all)
		return true;
	if (o->mine)
		return s->owner == getuid();
	if (*name == '#')
		return s->id == strtoul(name + 1, NULL, 10);
	return !strcmp(s->name, name) && s->plain == ctl_plain(ctl);
}

static int no_session(const char *name, struct fault *f)
{
	return fault_set(f, ST_USAGE, "no session named %s: `ktrctl list` shows those there are",
			 name);
}

/* Connect and take all sessions. */
static int get_all(struct ctl **ctl, struct ctl_session **list, size_t *n,
		   struct fault *f)
{
	int err = setup_open(ctl, f);

	if (err)
		return err;
	err = ctl_session_list(*ctl, list, n);
	if (!err)
		return 0;
	setup_fault(*ctl, err, "sessions", f);
	ctl_close(*ctl);
	return -EINVAL;
}

int cmd_list(const struct command *cmd, struct opts *o)
{
	struct ctl_session *list;
	struct ctl *ctl;
	struct fault f;
	struct buf b;
	size_t i, n;

	(void)cmd;
	if (get_all(&ctl, &list, &n, &f))
		return cmd_fail(&f);
	buf_init(&b);
	if (o->out.json)
		buf_putc(&b, '[');
	for (i = 0; i < n; i++)
		(o->out.json ? json_session : text_session)(&b, ctl, &list[i]);
	if (o->out.json)
		buf_puts(&b, "]\n");
	fwrite(b.p, 1, b.len, stdout);
	buf_free(&b);
	ctl_session_list_free(list, n);
	ctl_close(ctl);
	return ST_OK;
}

/* By status: all, unless one is named. */
static bool asked(const struct ctl *ctl, const struct opts *o, const struct ctl_session *s)
{
	return !o->session || chosen(ctl, o, s);
}

static int find_asked(const struct ctl *ctl, const struct opts *o,
		      const struct ctl_session *list, size_t n, struct fault *f)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (asked(ctl, o, &list[i]))
			return 0;
	return o->session ? no_session(o->session, f) : 0;
}

static void put_status(struct buf *b, struct ctl *ctl, const struct opts *o,
		       const struct ctl_info *info,
		       const struct ctl_session *list, size_t n)
{
	size_t i;

	if (o->out.json)
		buf_putc(b, '{');
	put_info(b, info, o->out.json);
	if (o->out.json) {
		json_name(b, "sessions");
		buf_putc(b, '[');
	}
	for (i = 0; i < n; i++) {
		if (!asked(ctl, o, &list[i]))
			continue;
		if (o->out.json) {
			json_session(b, ctl, &list[i]);
			continue;
		}
		text_session(b, ctl, &list[i]);
		if (!is_remains(&list[i]))
			text_details(b, &list[i]);
	}
	if (o->out.json)
		buf_puts(b, "]}\n");
}

int cmd_status(const struct command *cmd, struct opts *o)
{
	struct ctl_session *list;
	struct ctl_info info;
	struct ctl *ctl;
	struct fault f;
	struct buf b;
	size_t n;
	int err;

	(void)cmd;
	if (get_all(&ctl, &list, &n, &f))
		return cmd_fail(&f);
	err = ctl_info(ctl, &info);
	if (err)
		setup_fault(ctl, err, "module", &f);
	else
		err = find_asked(ctl, o, list, n, &f);
	buf_init(&b);
	if (!err)
		put_status(&b, ctl, o, &info, list, n);
	fwrite(b.p, 1, b.len, stdout);
	buf_free(&b);
	ctl_session_list_free(list, n);
	ctl_close(ctl);
	return err ? cmd_fail(&f) : ST_OK;
}

typedef int (*session_fn)(struct ctl *ctl, struct ctl_ref ref, const struct opts *o);

/* Do it to every session the options choose. */
static int for_chosen(const struct command *cmd, struct opts *o, session_fn fn)
{
	struct ctl_session *list;
	struct ctl *ctl;
	struct fault f = { 0 };
	size_t i, n, done = 0;
	int err;

	if (!!o->session + o->mine + o->all > 1)
		return cmd_usage("%s: which sessions? Use one of -s, --mine and --all", cmd->name);
	err = get_all(&ctl, &list, &n, &f);
	if (err)
		return cmd_fail(&f);
	for (i = 0; i < n && !err; i++) {
		if (!chosen(ctl, o, &list[i]))
			continue;
		err = fn(ctl, (struct ctl_ref){ .id = list[i].id }, o);
		/* It has ended; of many that is none. */
		if (err == -ENOENT && (o->all || o->mine))
			err = 0;
		done++;
		if (err)
			setup_fault(ctl, err, list[i].name, &f);
	}
	if (!err && !done && !o->all && !o->mine)
		err = no_session(o->session ? o->session : "default", &f);
	ctl_session_list_free(list, n);
	ctl_close(ctl);
	return err ? cmd_fail(&f) : ST_OK;
}

static int start_one(struct ctl *ctl, struct ctl_ref ref, const struct opts *o)
{
	struct ctl_set set = {
		.set = CTL_SET_STATE | (o->sel.filter.n ? CTL_SET_FILTER : 0),
		.state = KTR_STATE_RUNNING,
		.filter = o->sel.filter.p, .nfilter = o->sel.filter.n,
	};

	return ctl_session_set(ctl, ref, &set);
}

static int stop_one(struct ctl *ctl, struct ctl_ref ref, const struct opts *o)
{
	struct ctl_set set = { .set = CTL_SET_STATE, .state = KTR_STATE_STOPPED };

	(void)o;
	return ctl_session_set(ctl, ref, &set);
}

int cmd_start(const struct command *cmd, struct opts *o)
{
	return for_chosen(cmd, o, strcmp(cmd->name, "stop") ? start_one : stop_one);
}

static int clear_one(struct ctl *ctl, struct ctl_ref ref, const struct opts *o)
{
	(void)o;
	return ctl_session_del(ctl, ref);
}

int cmd_clear(const struct command *cmd, struct opts *o)
{
	return for_chosen(cmd, o, clear_one);
}
