// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of kernel addresses: how far each reaches. */
#include <string.h>

#include "ksyms.h"
#include "tap.h"

static struct ksyms ks;

static const char *name_of(uint64_t addr)
{
	static struct buf b;

	buf_reset(&b);
	ksyms_format(&ks, &b, addr);
	return buf_str(&b);
}

static void fill(void)
{
	ksyms_init(&ks);
	ks.loaded = true;
	ksyms_add(&ks, 0xffffffff81000000, "_stext", NULL);
	ksyms_add(&ks, 0xffffffff81000100, "do_sys_poll", NULL);
	ksyms_add(&ks, 0xffffffff81008000, "_etext", NULL);
	ksyms_add(&ks, 0xffffffffc0001000, "first", "one");
	ksyms_add(&ks, 0xffffffffc0004010, "cleanup_module", "one");
	ksyms_add(&ks, 0xffffffffc0009000, "other", "two");
	ksyms_add(&ks, 0xffffffffc000a000, "lonely", "three");
}

static void inside(void)
{
	CHECK(!strcmp(name_of(0xffffffff81000100), "do_sys_poll"));
	CHECK(!strcmp(name_of(0xffffffff81007fff), "do_sys_poll+0x7eff"));
	CHECK(!strcmp(name_of(0xffffffffc0003abc), "first+0x2abc [one]"));
	CHECK(!strcmp(name_of(0xffffffffc0004fff), "cleanup_module+0xfef [one]"));
	CHECK(!strcmp(name_of(0xffffffffc000a0ff), "lonely+0xff [three]"));
}

/* Trampolines and other code stand between modules, and behind the last. */
static void outside(void)
{
	CHECK(!strcmp(name_of(0xffffffffc0005000), "0xffffffffc0005000"));
	CHECK(!strcmp(name_of(0xffffffffc0008fff), "0xffffffffc0008fff"));
	CHECK(!strcmp(name_of(0xffffffffc000b000), "0xffffffffc000b000"));
	CHECK(!strcmp(name_of(0xffffffffc002c886), "0xffffffffc002c886"));
	CHECK(!strcmp(name_of(0xffffffff81009000), "0xffffffff81009000"));
	CHECK(!strcmp(name_of(0x1000), "0x1000"));
}

/* Nor does one reach over a megabyte of its own module. */
static void far_apart(void)
{
	ksyms_add(&ks, 0xffffffffc0400000, "z", "three");
	CHECK(!strcmp(name_of(0xffffffffc00a0000), "lonely+0x96000 [three]"));
	CHECK(!strcmp(name_of(0xffffffffc0200000), "0xffffffffc0200000"));
}

static void put(struct buf *b, uint32_t offset, const char *name)
{
	buf_write(b, &offset, sizeof(offset));
	buf_write(b, name, strlen(name) + 1);
}

/* A module comes to stand where "two" stood: as its records tell, in two parts. */
static void module_came(void)
{
	struct ktr_ev_module_text ev = {
		.start = 0xffffffffc0009000, .size = 0x1000, .name = "four",
	};
	struct buf b;

	buf_init(&b);
	put(&b, 0x10, "come");
	put(&b, 0x2000, "too_far");
	ev.len = b.len;
	ksyms_module_text(&ks, &ev, (const unsigned char *)b.p, b.len);
	CHECK(!strcmp(name_of(0xffffffffc0009000), "0xffffffffc0009000"));
	CHECK(!strcmp(name_of(0xffffffffc0009014), "come+0x4 [four]"));
	CHECK(!strcmp(name_of(0xffffffffc000a000), "lonely [three]"));
	buf_reset(&b);
	put(&b, 0x100, "more");
	ev.more = 1;
	ev.len = b.len + 1000;	/* it lies */
	ksyms_module_text(&ks, &ev, (const unsigned char *)b.p, b.len);
	CHECK(!strcmp(name_of(0xffffffffc0009014), "come+0x4 [four]"));
	CHECK(!strcmp(name_of(0xffffffffc0009101), "more+0x1 [four]"));
	/* A name without an end, and one that could not be written down. */
	buf_reset(&b);
	put(&b, 0x200, "bad name");
	ksyms_module_text(&ks, &ev, (const unsigned char *)b.p, b.len);
	ksyms_module_text(&ks, &ev, (const unsigned char *)b.p, 6);
	CHECK(!strcmp(name_of(0xffffffffc0009201), "more+0x101 [four]"));
	buf_free(&b);
}

int main(void)
{
	fill();
	RUN(inside);
	RUN(outside);
	RUN(far_apart);
	RUN(module_came);
	ksyms_free(&ks);
	return tap_done();
}
