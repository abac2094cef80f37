// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of a session. Hooking thousands takes seconds, in which the kernel
 * cannot be interrupted: they go down in blocks, and between these somebody who
 * has enough is heard. What was done until then is taken back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ending.h"
#include "fwait.h"
#include "setup.h"

#define BLOCK 2048

struct job {
	struct ctl *ctl;
	struct ctl_ref ref;
	unsigned int flags;	/* KTR_FUNCS_F_* of what is added */
	struct funcset todo;
};

static int test(void *arg, uint64_t *addrs, size_t *n, struct fault *f)
{
	struct job *j = arg;
	int err = ctl_func_test(j->ctl, j->ref, addrs, n);

	return err ? setup_fault(j->ctl, err, "functions", f) : 0;
}

/* What of the set is (there), or is not in the session yet. */
static int pick(struct job *j, const struct funcset *set, bool there)
{
	unsigned int flags = there ? 0 : j->flags;
	struct funcset now = { 0 };
	size_t i;
	int err = ctl_func_get(j->ctl, j->ref, flags, &now.addr, &now.n);

	if (err)
		return err;
	funcset_sort(&now);
	for (i = 0; i < set->n; i++)
		if (funcset_has(&now, set->addr[i]) == there)
			funcset_add(&j->todo, set->addr[i]);
	funcset_free(&now);
	return 0;
}

static int add_blocks(struct job *j, const char *pattern, struct fault *f)
{
	size_t done = 0, n;
	int err = 0;

	while (done < j->todo.n && !err) {
		n = j->todo.n - done < BLOCK ? j->todo.n - done : BLOCK;
		err = ctl_func_add(j->ctl, j->ref, j->todo.addr + done, n,
				   j->flags);
		done += n;
		if (err)
			setup_fault(j->ctl, err, pattern, f);
		else if (done < j->todo.n)
			err = ending_fault(pattern, f);
	}
	return err;
}

static int del(struct job *j, const char *pattern, const struct funcset *set,
	       struct fault *f)
{
	int err = pick(j, set, true);

	if (!err && !j->todo.n)
		return fault_set(f, ST_USAGE, "%s: none of them is traced by this session",
				 pattern);
	if (!err)
		err = ctl_func_del(j->ctl, j->ref, j->todo.addr, j->todo.n);
	return err ? setup_fault(j->ctl, err, pattern, f) : 0;
}

void setup_pattern(struct buf *b, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		buf_printf(b, "%s%s", i ? "," : "", list[i]);
}

/* A list of patterns, each to be taken away. */
static void put_minus(struct buf *b, const char *list)
{
	static const char sep[] = ", \t\n";
	size_t n;

	for (list += strspn(list, sep); *list; list += strspn(list, sep)) {
		n = strcspn(list, sep);
		buf_puts(b, ",!");
		buf_write(b, list, n);
		list += n;
	}
}

/* All there is but the tracer itself and what is to be left out. */
static void below_pattern(struct buf *b, const struct funcs_wanted *want)
{
	size_t i;

	buf_puts(b, "*,!:mod:ktracer");
	for (i = 0; i < want->nexclude; i++)
		put_minus(b, want->exclude[i]);
}

/* A name that leads to nothing takes nothing away. */
static int check_excluded(const struct funcs_wanted *want, struct funcs_in *in,
			  struct fault *f)
{
	struct funcset set;
	size_t i;
	int err = 0;

	for (i = 0; i < want->nexclude && !err; i++) {
		funcset_init(&set);
		err = funcs_resolve(in, want->exclude[i], &set, f);
		funcset_free(&set);
	}
	return err;
}

/* First what graphs begin with alone: the module says at once if it has none. */
static int add_below(struct job *begins, struct job *below, const char *pattern,
		     const struct funcs_wanted *want, struct funcs_in *in, struct fault *f)
{
	struct buf all;
	int err = check_excluded(want, in, f) ?: add_blocks(begins, pattern, f);

	if (err)
		return err;
	buf_init(&all);
	below_pattern(&all, want);
	err = funcs_resolve(in, buf_str(&all), &below->todo, f);
	buf_free(&all);
	return err ?: add_blocks(below, pattern, f);
}

static int add_graph(struct job *begins, struct job *below, const char *pattern,
		     const struct funcs_wanted *want, struct funcs_in *in, struct fault *f)
{
	int err = add_below(begins, below, pattern, want, in, f) ?: ending_fault(pattern, f);

	/* All may be of modules that are not loaded yet. */
	if (err || !begins->todo.n)
		return err;
	err = ctl_graph_add(begins->ctl, begins->ref, begins->todo.addr, begins->todo.n,
			    want->depth);
	return err ? setup_fault(begins->ctl, err, pattern, f) : 0;
}

int setup_funcs_permitted(const struct ctl *ctl, struct fault *f)
{
	return ctl_plain(ctl) ?
	       fault_set(f, ST_DENIED, "functions: not permitted: run as root or with CAP_PERFMON") :
	       0;
}

static void note_absent(const struct fwaits *ws, struct buf *notes)
{
	struct buf absent;
	size_t n;

	buf_init(&absent);
	n = fwaits_absent(ws, &absent);
	if (n)
		buf_printf(notes, "%s%s%s not loaded: %s", notes->len ? "; " : "",
			   buf_str(&absent), n == 1 ? " is" : " are",
			   n == 1 ? "its functions are added when it is" :
				    "their functions are added when they are");
	buf_free(&absent);
}

/* First of all: what is loaded meanwhile is added by the kernel. */
static int wait_for(struct fwaits *ws, struct ctl *ctl, struct ctl_ref ref, const char *pattern,
		    struct buf *notes, struct fault *f)
{
	int err = fwaits_parse(ws, pattern, f);

	if (err)
		return err;
	err = fwaits_add(ws, ctl, ref);
	if (err)
		return setup_fault(ctl, err, "modules", f);
	note_absent(ws, notes);
	return 0;
}

/* Of such a module graphs begin with what the pattern means; below is all of it. */
static int wait_for_graphs(struct fwaits *begins, struct fwaits *below, struct job *j,
			   const char *pattern, const struct funcs_wanted *want,
			   struct buf *notes, struct fault *f)
{
	struct buf all;
	int err;

	buf_init(&all);
	below_pattern(&all, want);
	err = fwaits_parse(begins, pattern, f) ?: fwaits_same(below, begins, buf_str(&all), f);
	buf_free(&all);
	if (err)
		return err;
	err = fwaits_add(below, j->ctl, j->ref) ?: fwaits_add(begins, j->ctl, j->ref);
	if (err)
		return setup_fault(j->ctl, err, "modules", f);
	note_absent(begins, notes);
	return 0;
}

static int add_funcs(struct job *j, struct ksyms *ks, const char *pattern,
		     const struct funcs_wanted *want, struct funcset *set, struct fnsigs *sigs,
		     struct fault *f)
{
	struct funcs_in in = { .ks = ks, .test = test, .arg = j, .waits = true };
	int err = funcs_resolve(&in, pattern, set, f);

	if (!err)
		err = pick(j, set, false) ? setup_fault(j->ctl, -ENOMEM, pattern, f) : 0;
	/* First what they show: whoever reads hears of it when they are added. */
	if (!err && (want->args.args || want->ret != FUNC_ENTRIES))
		err = setup_args(j->ctl, j->ref, ks, &want->args, set, sigs, f);
	if (!err)
		err = add_blocks(j, pattern, f);
	set->fresh = j->todo.n;
	if (err && j->todo.n)
		ctl_func_del(j->ctl, j->ref, j->todo.addr, j->todo.n);
	return err;
}

int setup_funcs(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks,
		const char *pattern, const struct funcs_wanted *want, struct funcset *set,
		struct fnsigs *sigs, struct fault *f)
{
	struct job j = {
		.ctl = ctl, .ref = ref,
		.flags = want->ret == FUNC_ENTRIES ? 0 : KTR_FUNCS_F_RET,
	};
	struct fwaits ws = { .flags = j.flags };
	int err = setup_funcs_permitted(ctl, f) ?:
		  wait_for(&ws, ctl, ref, pattern, &sigs->notes, f) ?:
		  add_funcs(&j, ks, pattern, want, set, sigs, f);

	if (err)
		fwaits_undo(&ws, ctl, ref);
	set->waits = ws.n;
	fwaits_free(&ws);
	funcset_free(&j.todo);
	return err;
}

int setup_funcs_del(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks,
		    const char *pattern, struct funcset *set, struct fault *f)
{
	struct job j = { .ctl = ctl, .ref = ref };
	struct funcs_in in = { .ks = ks, .test = test, .arg = &j, .waits = true };
	struct fwaits ws = { 0 };
	int err = fwaits_parse(&ws, pattern, f) ?: funcs_resolve(&in, pattern, set, f), n;

	if (!err) {
		n = fwaits_del(&ws, pattern, ctl, ref);
		err = n < 0 ? setup_fault(ctl, n, pattern, f) : del(&j, pattern, set, f);
		set->waits = n > 0 ? n : 0;
	}
	/* What was not there need not be taken away. */
	if (err && set->waits && !j.todo.n)
		err = 0;
	set->n = j.todo.n;
	fwaits_free(&ws);
	funcset_free(&j.todo);
	return err;
}

int setup_graph(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks,
		const char *pattern, const struct funcs_wanted *want, struct funcset *set,
		struct buf *notes, struct fault *f)
{
	struct job begins = { .ctl = ctl, .ref = ref, .flags = KTR_FUNCS_F_GRAPH };
	struct job below = { .ctl = ctl, .ref = ref, .flags = KTR_FUNCS_F_BELOW };
	struct funcs_in in = { .ks = ks, .test = test, .arg = &begins, .waits = true };
	struct fwaits later = { .flags = KTR_FUNCS_F_GRAPH, .depth = want->depth };
	struct fwaits later_below = { .flags = KTR_FUNCS_F_BELOW };
	int err = setup_funcs_permitted(ctl, f) ?:
		  wait_for_graphs(&later, &later_below, &begins, pattern, want, notes, f) ?:
		  funcs_resolve(&in, pattern, set, f);

	if (!err)
		err = pick(&begins, set, false) ? setup_fault(ctl, -ENOMEM, pattern, f) : 0;
	set->fresh = begins.todo.n;
	if (!err && (begins.todo.n || fwaits_any_added(&later))) {
		begins.flags = KTR_FUNCS_F_BELOW;
		err = add_graph(&begins, &below, pattern, want, &in, f);
		/* Without them nothing stays hooked, unless other graphs need it. */
		if (err && begins.todo.n)
			ctl_graph_del(ctl, ref, begins.todo.addr, begins.todo.n);
	}
	if (err) {
		fwaits_undo(&later, ctl, ref);
		fwaits_undo(&later_below, ctl, ref);
	}
	set->waits = later.n;
	fwaits_free(&later);
	fwaits_free(&later_below);
	funcset_free(&begins.todo);
	funcset_free(&below.todo);
	return err;
}
