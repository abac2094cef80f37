// SPDX-License-Identifier: GPL-2.0-or-later
/* Predicates: what they mean, what is refused, and their bounds. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "sys.h"
#include "tap.h"

static int64_t values[__KTR_FIELD_LAST];

static bool says(const char *expr)
{
	static struct filter fl;
	struct fault f = { 0 };

	fl.n = 0;
	if (filter_add(&fl, expr, &f)) {
		printf("# %s\n", f.text);
		CHECK(!"the filter was refused");
		return false;
	}
	CHECK(filter_valid(&fl));
	return filter_pass(&fl, values);
}

static bool refused(const char *expr, const char *word)
{
	static struct filter fl;
	struct fault f = { 0 };

	fl.n = 0;
	if (!filter_add(&fl, expr, &f))
		return false;
	CHECK_EQ(f.status, ST_USAGE);
	if (!strstr(f.text, word))
		printf("# no \"%s\" in: %s\n", word, f.text);
	return strstr(f.text, word) != NULL;
}

static void set_values(void)
{
	values[KTR_FIELD_NR] = sys_number(KTR_ABI_NATIVE, "openat");
	values[KTR_FIELD_ABI] = KTR_ABI_NATIVE;
	values[KTR_FIELD_RET] = -2;
	values[KTR_FIELD_ERRNO] = ENOENT;
	values[KTR_FIELD_DUR] = 1500000;
	values[KTR_FIELD_FD] = 3;
	values[KTR_FIELD_TID] = 4711;
	values[KTR_FIELD_ARG1] = 0x42;
}

static void comparisons(void)
{
	set_values();
	CHECK(says("ret < 0"));
	CHECK(says("ret == -2") && !says("ret == 2"));
	CHECK(says("ret<=-2&&ret>=-2"));
	CHECK(says("ret = -ENOENT"));
	CHECK(says("errno == ENOENT") && says("errno != EACCES"));
	CHECK(says("dur > 1ms") && !says("dur > 2ms"));
	CHECK(says("dur >= 1500us") && says("dur < 1s") && says("dur > 10ns"));
	CHECK(says("arg1 & 2") && !says("arg1 & 1"));
	CHECK(says("arg1 == 0x42") && says("arg1 == 0102") && says("arg1"));
	CHECK(!says("arg2") && says("!arg2"));
	CHECK(says("tid == 4711 && fd == 3"));
	CHECK(says("abi == native") && !says("abi == compat"));
	CHECK(says("nr == openat") && !says("nr == close"));
	CHECK(says("name == openat") && !says("name != openat"));
	CHECK(says("name != close"));
}

static void numbers_of_both_abis(void)
{
	set_values();
	values[KTR_FIELD_ABI] = KTR_ABI_COMPAT;
	values[KTR_FIELD_NR] = sys_number(KTR_ABI_COMPAT, "openat");
	CHECK(says("name == openat"));
	values[KTR_FIELD_ABI] = KTR_ABI_NATIVE;
	CHECK(!says("name == openat"));
}

static void precedence(void)
{
	set_values();
	/* && binds tighter than ||, ! tighter than both. */
	CHECK(says("ret < 0 || fd == 9 && fd == 8"));
	CHECK(!says("(ret < 0 || fd == 9) && fd == 8"));
	CHECK(says("!(fd == 8) && !fd == 0"));
	CHECK(says("fd == 8 || fd == 9 || fd == 3"));
	CHECK(says("!!fd"));
	CHECK(says("  (  ( fd==3 ) )  "));
}

static void refusals(void)
{
	CHECK(refused("", "field"));
	CHECK(refused("fd ==", "value"));
	CHECK(refused("fd == x", "unknown name"));
	CHECK(refused("fd == 3 4", "expected && or ||"));
	CHECK(refused("(fd == 3", "expected )"));
	CHECK(refused("foo == 3", "field"));
	CHECK(refused("fd > 1ms", "dur only"));
	CHECK(refused("fd == 3 &&", "field"));
	CHECK(refused("fd == 3x", "bad number"));
	CHECK(refused("dur > 99999999999999999s", "too large"));
	CHECK(refused("fd == 99999999999999999999999", "bad number"));
	CHECK(refused("name < openat", "== and !="));
	CHECK(refused("name == nosuchcall", "unknown syscall"));
	CHECK(refused("errno == ENOSUCH", "unknown name"));
	/* What could never be true. */
	CHECK(refused("ret == ENOENT", "use -ENOENT, or errno"));
	CHECK(refused("fd == 3 && ret!=EACCES", "use -EACCES, or errno"));
	CHECK(refused("errno == -ENOENT", "leave out the minus"));
	CHECK(refused("errno == -2", "leave out the minus"));
	CHECK(refused("dur > 5x", "unknown unit"));
	/* Where it is wrong is quoted as all else is. */
	CHECK(refused("fd == 3 4", "at '4' in 'fd == 3 4'"));
	CHECK(refused("fd ==", "at the end of 'fd =='"));
}

static void bounds(void)
{
	char text[8192];
	size_t n = 0;
	int i;

	/* A chain needs two waiting results, however long it is. */
	for (i = 0; i < 120; i++)
		n += sprintf(text + n, "%sfd == %d", i ? " || " : "", i);
	set_values();
	CHECK(says(text));
	for (; i < 300; i++)
		n += sprintf(text + n, " || fd == %d", i);
	CHECK(refused(text, "too long"));

	/* One nested to the right needs one more for each level. */
	for (n = 0, i = 0; i < 31; i++)
		n += sprintf(text + n, "fd == 3 && (");
	n += sprintf(text + n, "fd");
	memset(text + n, ')', 31);
	text[n + 31] = '\0';
	CHECK(says(text));
	for (n = 0, i = 0; i < 40; i++)
		n += sprintf(text + n, "fd == 3 && (");
	n += sprintf(text + n, "fd");
	memset(text + n, ')', 40);
	text[n + 40] = '\0';
	CHECK(refused(text, "nested too deep"));
	memset(text, '(', 5000);
	text[5000] = '\0';
	CHECK(refused(text, "nested too deep"));
	memset(text, '!', 5000);
	CHECK(refused(text, "nested too deep"));
}

static void errno_lists(void)
{
	struct filter fl = { .n = 0 };
	struct fault f;

	set_values();
	CHECK_EQ(filter_add_errno(&fl, "EACCES,ENOENT EPERM", &f), 0);
	CHECK(filter_pass(&fl, values));
	fl.n = 0;
	CHECK_EQ(filter_add_errno(&fl, "!ENOENT", &f), 0);
	CHECK(!filter_pass(&fl, values));
	/* Conditions add up. */
	fl.n = 0;
	CHECK_EQ(filter_add(&fl, "fd == 3", &f), 0);
	CHECK_EQ(filter_add_errno(&fl, "EACCES", &f), 0);
	CHECK(!filter_pass(&fl, values));
	fl.n = 0;
	CHECK_EQ(filter_add_failed(&fl, true, &f), 0);
	CHECK_EQ(filter_add(&fl, "fd == 3", &f), 0);
	CHECK(filter_pass(&fl, values));
	fl.n = 0;
	CHECK(filter_add_errno(&fl, "ENOSUCH", &f) &&
	      strstr(f.text, "ENOSUCH"));
	CHECK(filter_add_errno(&fl, "", &f));
	CHECK(filter_add_errno(&fl, "!", &f));
}

static void unbalanced(void)
{
	struct filter fl = { .n = 1, .p = { { .op = KTR_PRED_AND } } };

	CHECK(!filter_valid(&fl));
	fl.p[0].op = KTR_PRED_NOT;
	CHECK(!filter_valid(&fl));
	fl.p[0].op = KTR_PRED_EQ;
	CHECK(filter_valid(&fl));
	fl.n = 2;
	CHECK(!filter_valid(&fl));
	fl.n = 0;
	CHECK(filter_valid(&fl));
	CHECK(filter_pass(&fl, values));
}

int main(void)
{
	RUN(comparisons);
	RUN(numbers_of_both_abis);
	RUN(precedence);
	RUN(refusals);
	RUN(bounds);
	RUN(errno_lists);
	RUN(unbalanced);
	return tap_done();
}
