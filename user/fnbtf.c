// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's BTF and its modules', and the functions in it. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fnwalk.h"

#define MODULES_MAX 32

struct fnbtf {
	struct btf *vmlinux;
	struct {
		char name[64];
		struct btf *btf;	/* NULL: it has none */
	} mod[MODULES_MAX];
	unsigned int nmods;
};

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

struct fnbtf *fnbtf_open(void)
{
	struct fnbtf *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	libbpf_set_print(quiet);
	b->vmlinux = btf__load_vmlinux_btf();
	if (b->vmlinux)
		return b;
	free(b);
	return NULL;
}

void fnbtf_close(struct fnbtf *b)
{
	unsigned int i;

	if (!b)
		return;
	for (i = 0; i < b->nmods; i++)
		btf__free(b->mod[i].btf);
	btf__free(b->vmlinux);
	free(b);
}

static struct btf *btf_of(struct fnbtf *b, const char *module)
{
	unsigned int i;

	if (!*module)
		return b->vmlinux;
	for (i = 0; i < b->nmods; i++)
		if (!strcmp(b->mod[i].name, module))
			return b->mod[i].btf;
	if (i == MODULES_MAX || strlen(module) >= sizeof(b->mod[0].name))
		return NULL;
	strcpy(b->mod[i].name, module);
	b->mod[i].btf = btf__load_module_btf(module, b->vmlinux);
	b->nmods++;
	return b->mod[i].btf;
}

/* The first of that name, in order. */
static size_t lower(const struct fn_want *w, size_t n, const char *name)
{
	size_t lo = 0, mid;

	while (lo < n) {
		mid = (lo + n) / 2;
		if (strcmp(w[mid].name, name) < 0)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

/* Two of a name are as good as one if they are of one type. */
static void note_func(struct fn_want *w, size_t n, const char *module, const char *name,
		      int proto)
{
	size_t i;

	for (i = lower(w, n, name); i < n && !strcmp(w[i].name, name); i++)
		if (!strcmp(w[i].module, module))
			w[i].id = !w[i].id || w[i].id == proto ? proto : -1;
}

static void find_in(struct fnbtf *b, const char *module, struct fn_want *w, size_t n)
{
	const struct btf *btf = btf_of(b, module);
	unsigned int id = *module ? btf__type_cnt(b->vmlinux) : 1, end;
	const struct btf_type *t;

	if (!btf)
		return;
	for (end = btf__type_cnt(btf); id < end; id++) {
		t = btf__type_by_id(btf, id);
		if (t && btf_is_func(t))
			note_func(w, n, module, btf__name_by_offset(btf, t->name_off),
				  t->type);
	}
}

void fnbtf_find(struct fnbtf *b, struct fn_want *w, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < i && strcmp(w[k].module, w[i].module); k++)
			;
		if (k == i)
			find_in(b, w[i].module, w, n);
	}
}

int fnbtf_make(struct fnbtf *b, const struct fn_want *w, bool args, unsigned int strsize,
	       struct fn_made *m, struct fault *f)
{
	struct making k = { .btf = btf_of(b, w->module), .m = m, .strsize = strsize };
	const struct btf_type *proto;

	memset(&m->row, 0, sizeof(m->row));
	m->row.addr = w->addr;
	buf_reset(&m->note);
	proto = w->id > 0 && w->nsyms < 2 && k.btf ? btf__type_by_id(k.btf, w->id) : NULL;
	if (!proto || !btf_is_func_proto(proto))
		return -ENOENT;
	fnmake_ret(&k, proto);
	return args ? fnmake_args(&k, w, proto, f) : 0;
}
