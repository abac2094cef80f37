/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TAP for native tests:
 *
 *	static void adds_up(void)
 *	{
 *		CHECK(1 + 1 == 2);
 *		CHECK_EQ(2 * 2, 4);
 *	}
 *
 *	int main(void)
 *	{
 *		RUN(adds_up);
 *		return tap_done();
 *	}
 *
 * A case goes on after a failed check, REQUIRE() leaves it. Random numbers have
 * a fixed seed, which KTR_SEED changes.
 */
#ifndef NATIVE_TAP_H
#define NATIVE_TAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tap {
	unsigned int number;
	unsigned int failed;
	unsigned int complaints;	/* in the case that runs */
	const char *skip;
	uint64_t seed;
};

static struct tap tap;

#define TAP_COMPLAINTS_MAX 10

#define CHECK(cond) tap_check(cond, __FILE__, __LINE__, #cond)
#define CHECK_EQ(a, b) \
	tap_check_eq((long long)(a), (long long)(b), __FILE__, __LINE__, \
		     #a " == " #b)
#define REQUIRE(cond) do { if (!CHECK(cond)) return; } while (0)
#define RUN(fn) tap_run(#fn, fn)

static inline bool tap_check(bool good, const char *file, int line,
			     const char *what)
{
	if (!good && tap.complaints++ < TAP_COMPLAINTS_MAX)
		printf("# %s:%d: not so: %s\n", file, line, what);
	return good;
}

static inline bool tap_check_eq(long long a, long long b, const char *file,
				int line, const char *what)
{
	if (a != b && tap.complaints++ < TAP_COMPLAINTS_MAX)
		printf("# %s:%d: not so: %s (%lld, %lld)\n", file, line, what,
		       a, b);
	return a == b;
}

static inline void tap_skip(const char *why)
{
	tap.skip = why;
}

/* Each case starts from the same seed, so that it can be run alone. */
static inline void tap_reseed(void)
{
	const char *text = getenv("KTR_SEED");

	tap.seed = (text ? strtoull(text, NULL, 0) : 1) * 2654435761u + 88172645;
}

/* xorshift64*: good enough for tests, the same everywhere */
static inline uint64_t tap_random(void)
{
	tap.seed ^= tap.seed >> 12;
	tap.seed ^= tap.seed << 25;
	tap.seed ^= tap.seed >> 27;
	return tap.seed * 2685821657736338717u;
}

static inline uint64_t tap_below(uint64_t n)
{
	return tap_random() % n;
}

static inline void tap_run(const char *name, void (*fn)(void))
{
	const char *only = getenv("KTR_CASE");

	if (only && strcmp(only, name))
		return;
	tap.complaints = 0;
	tap.skip = NULL;
	tap_reseed();
	fn();
	tap.number++;
	if (tap.complaints) {
		tap.failed++;
		printf("not ok %u %s\n", tap.number, name);
	} else if (tap.skip) {
		printf("ok %u %s # SKIP %s\n", tap.number, name, tap.skip);
	} else {
		printf("ok %u %s\n", tap.number, name);
	}
	fflush(stdout);
}

static inline int tap_done(void)
{
	printf("1..%u\n", tap.number);
	return tap.failed ? 1 : 0;
}

#endif
