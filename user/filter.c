// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "fmt_signal.h"
#include "sys.h"

#define STACK_MAX 32	/* results that may wait at a time, in the kernel too */
#define DEPTH_MAX 64

/* Beyond enum ktr_field: becomes a test of number and ABI. */
#define FIELD_NAME 100

struct parser {
	struct filter *fl;
	const char *expr;
	const char *p;
	unsigned int depth;
	struct fault *f;
};

static const struct {
	const char *name;
	int field;
} fields[] = {
	{ "nr", KTR_FIELD_NR },		{ "abi", KTR_FIELD_ABI },
	{ "ret", KTR_FIELD_RET },	{ "errno", KTR_FIELD_ERRNO },
	{ "dur", KTR_FIELD_DUR },	{ "fd", KTR_FIELD_FD },
	{ "tid", KTR_FIELD_TID },	{ "arg0", KTR_FIELD_ARG0 },
	{ "arg1", KTR_FIELD_ARG1 },	{ "arg2", KTR_FIELD_ARG2 },
	{ "arg3", KTR_FIELD_ARG3 },	{ "arg4", KTR_FIELD_ARG4 },
	{ "arg5", KTR_FIELD_ARG5 },	{ "name", FIELD_NAME },
};

static const struct {
	const char *text;
	int op;
} ops[] = {	/* longer ones first */
	{ "==", KTR_PRED_EQ }, { "!=", KTR_PRED_NE }, { "<=", KTR_PRED_LE },
	{ ">=", KTR_PRED_GE }, { "<", KTR_PRED_LT }, { ">", KTR_PRED_GT },
	{ "=", KTR_PRED_EQ },
};

static int push(struct filter *fl, int op, int field, int64_t value,
		struct fault *f)
{
	struct ktr_pred *p = &fl->p[fl->n];

	if (fl->n == KTR_PREDS_MAX)
		return fault_set(f, ST_USAGE, "filter is too long: at most %d comparisons and operators",
				 KTR_PREDS_MAX);
	memset(p, 0, sizeof(*p));
	p->op = op;
	p->field = field;
	p->value = value;
	fl->n++;
	return 0;
}

static int bad(struct parser *ps, const char *what)
{
	if (!*ps->p)
		return fault_set(ps->f, ST_USAGE, "filter: %s at the end of '%.200s'",
				 what, ps->expr);
	return fault_set(ps->f, ST_USAGE, "filter: %s at '%.40s' in '%.200s'",
			 what, ps->p, ps->expr);
}

static void skip_space(struct parser *ps)
{
	while (isspace((unsigned char)*ps->p))
		ps->p++;
}

static bool eat(struct parser *ps, const char *text)
{
	skip_space(ps);
	if (strncmp(ps->p, text, strlen(text)))
		return false;
	ps->p += strlen(text);
	return true;
}

static size_t word(const struct parser *ps)
{
	size_t n = 0;

	while (isalnum((unsigned char)ps->p[n]) || ps->p[n] == '_')
		n++;
	return n;
}

static bool take_word(struct parser *ps, char *dst, size_t size)
{
	size_t n;

	skip_space(ps);
	n = word(ps);
	if (!n || n >= size)
		return false;
	memcpy(dst, ps->p, n);
	dst[n] = '\0';
	ps->p += n;
	return true;
}

static int take_field(struct parser *ps)
{
	const char *at;
	char name[32];
	size_t i;

	skip_space(ps);
	at = ps->p;
	if (take_word(ps, name, sizeof(name)))
		for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			if (!strcmp(fields[i].name, name))
				return fields[i].field;
	ps->p = at;
	return bad(ps, "expected a field (nr abi ret errno dur fd tid arg0..arg5 name)");
}

static int take_op(struct parser *ps)
{
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (eat(ps, ops[i].text))
			return ops[i].op;
	skip_space(ps);
	if (ps->p[0] == '&' && ps->p[1] != '&') {
		ps->p++;
		return KTR_PRED_BITS;
	}
	return -ENOENT;
}

static int take_unit(struct parser *ps, int field, int64_t *v)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};
	size_t i, n = word(ps);

	if (!n)
		return 0;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == n &&
		    !memcmp(units[i].name, ps->p, n))
			break;
	if (i == sizeof(units) / sizeof(units[0]))
		return bad(ps, field == KTR_FIELD_DUR ? "unknown unit (ns us ms s)" : "bad number");
	if (field != KTR_FIELD_DUR)
		return bad(ps, "a unit of time goes with dur only");
	if (__builtin_mul_overflow(*v, units[i].ns, v))
		return bad(ps, "number too large");
	ps->p += n;
	return 0;
}

static int take_number(struct parser *ps, int field, int64_t *v)
{
	unsigned long long u;
	char *end;

	errno = 0;
	u = strtoull(ps->p, &end, 0);
	if (errno || end == ps->p)
		return bad(ps, "bad number");
	ps->p = end;
	*v = (int64_t)u;
	return take_unit(ps, field, v);
}

static int take_name(struct parser *ps, int field, int64_t *v)
{
	const char *at = ps->p;
	char name[64];
	int n = -1;

	if (!take_word(ps, name, sizeof(name)))
		return bad(ps, "expected a value");
	if (field == KTR_FIELD_ERRNO || field == KTR_FIELD_RET)
		n = errno_number(name);
	else if (field == KTR_FIELD_NR)
		n = sys_number(KTR_ABI_NATIVE, name);
	else if (field == KTR_FIELD_ABI)
		n = !strcmp(name, "native") ? KTR_ABI_NATIVE :
		    !strcmp(name, "compat") ? KTR_ABI_COMPAT : -1;
	if (n < 0) {
		ps->p = at;
		return bad(ps, "unknown name");
	}
	*v = n;
	return 0;
}

/* What can never be: a call's result is minus the error, errno is the error. */
static int check_sign(struct parser *ps, int field, bool minus, bool name)
{
	if (field == KTR_FIELD_RET && name && !minus)
		return fault_set(ps->f, ST_USAGE, "filter: ret of a call that failed is minus the error: use -%.*s, or errno for ret, in '%.200s'",
				 (int)word(ps), ps->p, ps->expr);
	if (field == KTR_FIELD_ERRNO && minus)
		return bad(ps, "errno is positive: leave out the minus");
	return 0;
}

static int take_value(struct parser *ps, int field, int64_t *v)
{
	bool minus = eat(ps, "-");
	int err;

	skip_space(ps);
	err = check_sign(ps, field, minus, isalpha((unsigned char)*ps->p));
	if (err)
		return err;
	err = isdigit((unsigned char)*ps->p) ? take_number(ps, field, v) :
					       take_name(ps, field, v);
	if (!err && minus)
		*v = (int64_t)(0 - (uint64_t)*v);
	return err;
}

static int push_call(struct parser *ps, unsigned int abi, int nr)
{
	int err = push(ps->fl, KTR_PRED_EQ, KTR_FIELD_NR, nr, ps->f);

	if (!err)
		err = push(ps->fl, KTR_PRED_EQ, KTR_FIELD_ABI, abi, ps->f);
	return err ?: push(ps->fl, KTR_PRED_AND, 0, 0, ps->f);
}

/* `name == openat`: the number depends on the ABI. */
static int test_name(struct parser *ps)
{
	int op = take_op(ps), native, compat, err = 0;
	const char *at;
	char name[64];

	if (op != KTR_PRED_EQ && op != KTR_PRED_NE)
		return bad(ps, "name can be compared with == and != only");
	skip_space(ps);
	at = ps->p;
	if (!take_word(ps, name, sizeof(name)))
		return bad(ps, "expected the name of a syscall");
	native = sys_number(KTR_ABI_NATIVE, name);
	compat = sys_number(KTR_ABI_COMPAT, name);
	if (native < 0 && compat < 0) {
		ps->p = at;
		return bad(ps, "unknown syscall");
	}
	if (native >= 0)
		err = push_call(ps, KTR_ABI_NATIVE, native);
	if (!err && compat >= 0)
		err = push_call(ps, KTR_ABI_COMPAT, compat);
	if (!err && native >= 0 && compat >= 0)
		err = push(ps->fl, KTR_PRED_OR, 0, 0, ps->f);
	if (!err && op == KTR_PRED_NE)
		err = push(ps->fl, KTR_PRED_NOT, 0, 0, ps->f);
	return err;
}

static int test(struct parser *ps)
{
	int field = take_field(ps), op, err;
	int64_t v = 0;

	if (field < 0)
		return field;
	if (field == FIELD_NAME)
		return test_name(ps);
	op = take_op(ps);
	if (op < 0)
		return push(ps->fl, KTR_PRED_NE, field, 0, ps->f);
	err = take_value(ps, field, &v);
	return err ?: push(ps->fl, op, field, v, ps->f);
}

static int parse_or(struct parser *ps);

static int unary(struct parser *ps)
{
	int err;

	if (++ps->depth > DEPTH_MAX)
		return bad(ps, "nested too deep");
	skip_space(ps);
	if (ps->p[0] == '!' && ps->p[1] != '=') {
		ps->p++;
		err = unary(ps);
		if (!err)
			err = push(ps->fl, KTR_PRED_NOT, 0, 0, ps->f);
	} else if (eat(ps, "(")) {
		err = parse_or(ps);
		if (!err && !eat(ps, ")"))
			err = bad(ps, "expected )");
	} else {
		err = test(ps);
	}
	ps->depth--;
	return err;
}

static int parse_and(struct parser *ps)
{
	int err = unary(ps);

	while (!err && eat(ps, "&&")) {
		err = unary(ps);
		if (!err)
			err = push(ps->fl, KTR_PRED_AND, 0, 0, ps->f);
	}
	return err;
}

static int parse_or(struct parser *ps)
{
	int err = parse_and(ps);

	while (!err && eat(ps, "||")) {
		err = parse_and(ps);
		if (!err)
			err = push(ps->fl, KTR_PRED_OR, 0, 0, ps->f);
	}
	return err;
}

/* Join what was added behind "before" with what was there. */
static int join(struct filter *fl, unsigned int before, struct fault *f)
{
	int err = 0;

	if (before)
		err = push(fl, KTR_PRED_AND, 0, 0, f);
	if (!err && !filter_valid(fl))
		err = fault_set(f, ST_USAGE, "filter is nested too deep: simplify it");
	return err;
}

int filter_add(struct filter *fl, const char *expr, struct fault *f)
{
	struct parser ps = { .fl = fl, .expr = expr, .p = expr, .f = f };
	unsigned int before = fl->n;
	int err = parse_or(&ps);

	skip_space(&ps);
	if (!err && *ps.p)
		err = bad(&ps, "expected && or ||");
	return err ?: join(fl, before, f);
}

int filter_add_errno(struct filter *fl, const char *list, struct fault *f)
{
	static const char sep[] = ", \t\n";
	bool none = *list == '!';
	unsigned int before = fl->n, terms = 0;
	char name[32];
	size_t n;
	int e, err = 0;

	list += none;
	while (!err && *(list += strspn(list, sep))) {
		n = strcspn(list, sep);
		snprintf(name, sizeof(name), "%.*s", (int)n, list);
		list += n;
		e = n < sizeof(name) ? errno_number(name) : -1;
		if (e <= 0)
			return fault_set(f, ST_USAGE, "--errno: unknown error name %s: use names as errno(3) has them, such as ENOENT",
					 name);
		err = push(fl, KTR_PRED_EQ, KTR_FIELD_ERRNO, e, f);
		if (!err && terms++)
			err = push(fl, KTR_PRED_OR, 0, 0, f);
	}
	if (!err && !terms)
		return fault_set(f, ST_USAGE, "--errno: names are missing, such as ENOENT,EACCES");
	if (!err && none)
		err = push(fl, KTR_PRED_NOT, 0, 0, f);
	return err ?: join(fl, before, f);
}

int filter_add_failed(struct filter *fl, bool failed, struct fault *f)
{
	unsigned int before = fl->n;
	int err = push(fl, failed ? KTR_PRED_NE : KTR_PRED_EQ, KTR_FIELD_ERRNO,
		       0, f);

	return err ?: join(fl, before, f);
}

int filter_add_paths(struct filter *fl, struct fault *f)
{
	unsigned int before = fl->n;
	int err = push(fl, KTR_PRED_BITS, KTR_FIELD_PATH, -1, f);

	return err ?: join(fl, before, f);
}

bool filter_valid(const struct filter *fl)
{
	unsigned int i, depth = 0;

	for (i = 0; i < fl->n; i++) {
		if (fl->p[i].op == KTR_PRED_AND || fl->p[i].op == KTR_PRED_OR) {
			if (depth < 2)
				return false;
			depth--;
		} else if (fl->p[i].op == KTR_PRED_NOT) {
			if (depth < 1)
				return false;
		} else if (++depth > STACK_MAX) {
			return false;
		}
	}
	return !fl->n || depth == 1;
}

static bool compare(const struct ktr_pred *p, int64_t v)
{
	switch (p->op) {
	case KTR_PRED_EQ:
		return v == p->value;
	case KTR_PRED_NE:
		return v != p->value;
	case KTR_PRED_LT:
		return v < p->value;
	case KTR_PRED_LE:
		return v <= p->value;
	case KTR_PRED_GT:
		return v > p->value;
	case KTR_PRED_GE:
		return v >= p->value;
	case KTR_PRED_BITS:
		return v & p->value;
	}
	return false;
}

bool filter_pass(const struct filter *fl,
		 const int64_t values[__KTR_FIELD_LAST])
{
	bool stack[STACK_MAX + 1];
	unsigned int i, n = 0;

	for (i = 0; i < fl->n; i++) {
		const struct ktr_pred *p = &fl->p[i];

		if (p->op == KTR_PRED_AND) {
			n--;
			stack[n - 1] &= stack[n];
		} else if (p->op == KTR_PRED_OR) {
			n--;
			stack[n - 1] |= stack[n];
		} else if (p->op == KTR_PRED_NOT) {
			stack[n - 1] = !stack[n - 1];
		} else {
			stack[n++] = compare(p, values[p->field]);
		}
	}
	return !n || stack[0];
}
