// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What functions show: their signatures, and the rows that make the module capture
 * what is behind them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fnbtf.h"
#include "setup.h"

struct args {
	struct ctl *ctl;
	struct ctl_ref ref;
	struct ksyms *ks;
	const struct args_wanted *want;
	struct fnsigs *sigs;
	struct fn_want *w;
	size_t n;
	struct fn_made made;
	struct buf rows;
	size_t unknown;		/* functions of which BTF knows nothing */
	const char *first;	/* of them */
	struct fault *f;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct fn_want *)a)->name, ((const struct fn_want *)b)->name);
}

#define BLANKS " \t\n"

/* Of what --args is given: `raw`, or `FUNC(a, b)`. */
struct spec {
	const char *name, *in;
	size_t nname, nin;
	bool raw;
};

/* The next of them, if p is not at the end; what follows it, NULL: it is none. */
static const char *next_spec(const char *p, struct spec *s)
{
	const char *end, *close;

	s->name = p;
	s->nname = strcspn(p, "(," BLANKS);
	end = p + s->nname;
	end += strspn(end, BLANKS);
	s->raw = s->nname == 3 && !memcmp(p, "raw", 3) && *end != '(';
	if (s->raw)
		return end;
	close = *end == '(' ? strchr(end, ')') : NULL;
	if (!close || !s->nname)
		return NULL;
	s->in = end + 1;
	s->nin = close - end - 1;
	return close + 1;
}

static const char *skip_commas(const char *p)
{
	return p + strspn(p, "," BLANKS);
}

int args_check(const char *list, bool *raw, struct fault *f)
{
	const char *p = list;
	struct spec s;

	while (p && *(p = skip_commas(p))) {
		p = next_spec(p, &s);
		*raw = *raw || (p && s.raw);
	}
	if (!p)
		return fault_set(f, ST_USAGE, "--args: '%s' is not FUNC(ARG, ARG->MEMBER, ...), nor raw",
				 list);
	return 0;
}

/* The functions of that name get a spec; it must be one that is traced. */
static int give_spec(struct args *a, const struct spec *s)
{
	size_t i, hits = 0;

	for (i = 0; i < a->n; i++) {
		if (strlen(a->w[i].name) != s->nname || memcmp(a->w[i].name, s->name, s->nname))
			continue;
		free((char *)a->w[i].spec);
		a->w[i].spec = strndup(s->in, s->nin);
		hits++;
	}
	if (hits)
		return 0;
	return fault_set(a->f, ST_USAGE, "--args: %.*s is not among the functions that are traced here",
			 (int)s->nname, s->name);
}

static int give_specs(struct args *a)
{
	struct spec s;
	const char *p;
	size_t i;
	int err = 0;

	for (i = 0; i < a->want->nspecs && !err; i++)
		for (p = a->want->specs[i]; p && *(p = skip_commas(p)) && !err;) {
			p = next_spec(p, &s);
			if (p && !s.raw)
				err = give_spec(a, &s);
		}
	return err;
}

/* How often the kernel has functions of these names, in one look at all symbols. */
static void count_symbols(struct args *a)
{
	size_t i, lo, hi, mid;

	for (i = 0; i < a->ks->n; i++) {
		const char *name = ksyms_name(a->ks, &a->ks->syms[i]);

		for (lo = 0, hi = a->n; lo < hi;) {
			mid = (lo + hi) / 2;
			if (strcmp(a->w[mid].name, name) < 0)
				lo = mid + 1;
			else
				hi = mid;
		}
		for (; lo < a->n && !strcmp(a->w[lo].name, name); lo++)
			if (!strcmp(a->w[lo].module, ksyms_module(a->ks, &a->ks->syms[i])))
				a->w[lo].nsyms++;
	}
}

static int collect(struct args *a, const struct funcset *set)
{
	const struct ksym *sym;
	size_t i;

	a->w = calloc(set->n ? set->n : 1, sizeof(*a->w));
	if (!a->w || !ksyms_load(a->ks))
		return -ENOENT;
	for (i = 0; i < set->n; i++) {
		sym = ksyms_find(a->ks, set->addr[i]);
		if (!sym)
			continue;
		a->w[a->n++] = (struct fn_want){
			.addr = set->addr[i], .name = ksyms_name(a->ks, sym),
			.module = ksyms_module(a->ks, sym),
		};
	}
	qsort(a->w, a->n, sizeof(*a->w), by_name);
	count_symbols(a);
	return 0;
}

static int send_rows(struct args *a)
{
	int err = a->rows.len ? ctl_func_rows_add(a->ctl, a->ref, a->rows.p, a->rows.len) : 0;

	buf_reset(&a->rows);
	return err ? setup_fault(a->ctl, err, "--args", a->f) : 0;
}

static int queue_row(struct args *a)
{
	struct fn_made *m = &a->made;
	size_t nops = m->row.nops * sizeof(m->ops[0]);
	size_t size = sizeof(m->row) + nops + m->note.len + 8;

	if (m->note.len > KTR_FUNC_NOTE_MAX)
		return fault_set(a->f, ST_USAGE, "--args: there is too much to show of one function");
	if (a->rows.len + size > KTR_ROWS_BYTES_MAX && send_rows(a))
		return -EINVAL;
	m->row.note_len = m->note.len;
	buf_write(&a->rows, &m->row, sizeof(m->row));
	buf_write(&a->rows, m->ops, nops);
	buf_write(&a->rows, m->note.p, m->note.len);
	while (a->rows.len & 7)
		buf_putc(&a->rows, '\0');
	return 0;
}

/* Return: -ENOENT: nothing is known. */
static int make(struct args *a, struct fnbtf *btf, const struct fn_want *w)
{
	int err = -ENOENT;

	memset(&a->made.row, 0, sizeof(a->made.row));
	a->made.row.addr = w->addr;
	if (!w->spec && fnsys_make(w->name, a->want->strsize, &a->made))
		return 0;
	if (btf)
		err = fnbtf_make(btf, w, a->want->args, a->want->strsize, &a->made, a->f);
	if (err == -ENOENT && w->spec)
		return fault_set(a->f, ST_USAGE, "--args: what %s takes is not known: no BTF tells it, or there are more than one of that name",
				 w->name);
	if (err != -ENOENT || !a->want->args)
		return err;
	if (!a->unknown++)
		a->first = w->name;
	if (!a->want->raw)
		return err;
	fnraw_make(&a->made);
	return 0;
}

static int make_all(struct args *a, struct fnbtf *btf)
{
	size_t i;
	int err = 0;

	if (btf)
		fnbtf_find(btf, a->w, a->n);
	for (i = 0; i < a->n && !err; i++) {
		err = make(a, btf, &a->w[i]);
		if (err == -ENOENT) {
			err = 0;
			continue;
		}
		if (!err && a->want->args)
			err = queue_row(a);
		if (!err)
			fnsigs_add(a->sigs, a->w[i].addr, a->made.note.p, a->made.note.len);
	}
	return err ?: a->want->args ? send_rows(a) : 0;
}

static void note_unknown(const struct args *a)
{
	if (a->unknown && !a->want->raw)
		buf_printf(&a->sigs->notes, "%s%s%s: the kernel's BTF does not tell the arguments%s: --args=raw shows registers",
			    a->sigs->notes.len ? "; " : "", a->first, a->unknown > 1 ? " and others" : "",
			    a->unknown > 1 ? " of these" : "");
}

int setup_args(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks,
	       const struct args_wanted *want, const struct funcset *set,
	       struct fnsigs *sigs, struct fault *f)
{
	struct args a = {
		.ctl = ctl, .ref = ref, .ks = ks, .want = want, .sigs = sigs, .f = f,
	};
	struct fnbtf *btf;
	size_t i;
	int err;

	if (set->n > KTR_FUNC_ROWS_MAX)
		return !want->args ? 0 :
		       fault_set(f, ST_USAGE, "--args: %zu functions are too many: at most %u show their arguments",
				 set->n, KTR_FUNC_ROWS_MAX);
	err = collect(&a, set);
	if (err) {
		free(a.w);
		return want->args ? fault_set(f, ST_DENIED, "--args: the names in /proc/kallsyms are hidden: run as root") : 0;
	}
	btf = fnbtf_open();
	err = give_specs(&a);
	if (!err)
		err = make_all(&a, btf);
	if (!err)
		note_unknown(&a);
	for (i = 0; i < a.n; i++)
		free((char *)a.w[i].spec);
	free(a.w);
	buf_free(&a.rows);
	buf_free(&a.made.note);
	fnbtf_close(btf);
	return err;
}

static int take_row(void *arg, const void *data, size_t len)
{
	const struct ktr_func_row *row = data;
	size_t at = sizeof(*row);

	if (len < at)
		return 0;
	at += row->nops * sizeof(struct ktr_op);
	if (len < at + row->note_len)
		return 0;
	fnsigs_add(arg, row->addr, (const char *)data + at, row->note_len);
	return 0;
}

void setup_sigs(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks, struct fnsigs *sigs)
{
	struct args_wanted want = { 0 };
	struct funcset set = { 0 };
	struct fault f;

	if (!ctl_func_get(ctl, ref, KTR_FUNCS_F_RET, &set.addr, &set.n) && set.n)
		setup_args(ctl, ref, ks, &want, &set, sigs, &f);
	funcset_free(&set);
	ctl_func_rows_get(ctl, ref, take_row, sigs);
}
