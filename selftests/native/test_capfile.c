// SPDX-License-Identifier: GPL-2.0-or-later
/* Capture files: round trip, cut and damaged ones, order of the report. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crc32c.h"
#include "report.h"
#include "tap.h"

#define NRECS 400

struct rec {
	struct ktr_rec h;
	struct ktr_ev_marker ev;
	char text[16];
};

static char path[64], copy[80];

static void make_rec(struct rec *r, unsigned int i, uint64_t time)
{
	memset(r, 0, sizeof(*r));
	r->h.len8 = sizeof(*r) / 8;
	r->h.kind = KTR_KIND_marker;
	r->h.tid = 100 + i % 3;
	r->h.time = time;
	r->ev.len = sprintf(r->text, "mark %u.", i);
}

/* Two CPUs, four rounds; in each the CPUs' records are interleaved in time. */
static void write_file(bool footer)
{
	struct ktr_file_footer foot = { .records = NRECS };
	struct cap_writer w;
	struct rec recs[NRECS / 8];
	unsigned int round, cpu, i, per = NRECS / 8;
	struct fault f;

	REQUIRE(!cap_create(&w, path, false, &f));
	CHECK_EQ(cap_put(&w, KTR_FILE_META, 0, 0, 0, "{\"a\":1}", 7), 0);
	for (round = 0; round < 4; round++) {
		for (cpu = 0; cpu < 2; cpu++) {
			for (i = 0; i < per; i++) {
				unsigned int n = (round * per + i) * 2 + cpu;

				make_rec(&recs[i], n, 1000 + n);
			}
			CHECK_EQ(cap_put(&w, KTR_FILE_DATA, cpu, 0, 0, recs,
					 sizeof(recs)), 0);
		}
		CHECK_EQ(cap_put(&w, KTR_FILE_ROUND, 0, 0,
				 1000 + (round + 1) * per * 2, NULL, 0), 0);
	}
	if (footer)
		cap_put(&w, KTR_FILE_FOOTER, 0, 0, 0, &foot, sizeof(foot));
	CHECK_EQ(cap_finish(&w), 0);
}

struct result {
	bool opened;
	bool damaged, cut;
	uint64_t damage;
	uint64_t records;
	unsigned int lines;
	bool in_order;
	unsigned int holes;	/* marked in the text */
	unsigned int before;	/* lines before the last of them */
	unsigned long long hole_at, hole;
	uint64_t missing;	/* records, as far as the file says */
};

/* Count the markers in the report's text and look at their numbers. */
static void read_text(const char *name, struct result *res)
{
	FILE *in = fopen(name, "r");
	unsigned int n, last = 0;
	char line[256], *at;

	res->in_order = true;
	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "--- damaged file: %llu bytes at offset %llu are", &res->hole,
			   &res->hole_at) == 2 ||
		    sscanf(line, "# damaged file: %llu bytes at offset %llu are", &res->hole,
			   &res->hole_at) == 2 ||
		    sscanf(line, "File damaged: %llu bytes at offset %llu", &res->hole,
			   &res->hole_at) == 2) {
			res->before = res->lines;
			res->holes++;
		}
		at = strstr(line, "mark ");
		if (!at || sscanf(at, "mark %u.", &n) != 1)
			continue;
		if (res->lines++ && n <= last)
			res->in_order = false;
		last = n;
	}
	if (in)
		fclose(in);
}

static struct result report_as(const char *file, struct out_opts opts)
{
	static const struct view view = VIEW_DEFAULT;
	char text[96];
	struct report r = { 0 };
	struct result res = { 0 };
	struct select sel;
	struct fault f;

	sprintf(text, "%s.txt", path);
	opts.file = text;
	select_init(&sel);
	r.sel = &sel;
	if (cap_open(&r.r, file, &f))
		return res;
	res.opened = true;
	if (out_open(&r.out, &opts, &view, &f))
		return res;
	report_run(&r);
	res.damaged = r.r.damaged;
	res.cut = r.r.cut;
	res.damage = r.r.damage;
	res.records = r.records;
	res.missing = r.whole > r.records ? r.whole - r.records : 0;
	CHECK_EQ(r.holes, r.missing_bytes ? 1 : 0);
	report_free(&r);
	read_text(text, &res);
	unlink(text);
	select_free(&sel);
	return res;
}

static struct result report(const char *file)
{
	return report_as(file, (struct out_opts){ 0 });
}

static size_t load(unsigned char **p)
{
	FILE *in = fopen(path, "r");
	long n;

	fseek(in, 0, SEEK_END);
	n = ftell(in);
	rewind(in);
	*p = malloc(n);
	if (fread(*p, 1, n, in) != (size_t)n)
		abort();
	fclose(in);
	return n;
}

static void save(const unsigned char *p, size_t n)
{
	FILE *to = fopen(copy, "w");

	if (fwrite(p, 1, n, to) != n)
		abort();
	fclose(to);
}

static void append_bytes(const unsigned char *p, size_t n)
{
	FILE *to = fopen(copy, "a");

	if (fwrite(p, 1, n, to) != n)
		abort();
	fclose(to);
}

static void sums(void)
{
	unsigned char b[100];
	size_t i, n;

	CHECK_EQ(crc32c(0, "123456789", 9), 0xe3069283);
	for (i = 0; i < sizeof(b); i++)
		b[i] = tap_random();
	for (n = 0; n < sizeof(b); n++)
		CHECK_EQ(crc32c(0, b, n), crc32c_plain(0, b, n));
}

static void round_trip(void)
{
	struct result res;

	write_file(true);
	res = report(path);
	CHECK(res.opened && !res.damaged);
	CHECK_EQ(res.records, NRECS);
	CHECK_EQ(res.lines, NRECS);
	CHECK(res.in_order);
}

/* A writer that was killed leaves no footer: all is there, and it is said. */
static void killed_writer(void)
{
	struct result res;

	write_file(false);
	res = report(path);
	CHECK_EQ(res.lines, NRECS);
	CHECK(res.damaged && res.cut);
}

/* How many records of the file stand whole in front of that place. */
static uint64_t first_missing(const unsigned char *p, uint64_t end)
{
	uint64_t at = sizeof(struct ktr_file_header), data, stop, n = 0;
	const struct ktr_file_block *b;
	const struct ktr_rec *rec;

	for (; at + sizeof(*b) <= end; at = data + ((b->length + 7) & ~7ULL)) {
		b = (const void *)(p + at);
		data = at + sizeof(*b);
		stop = b->type == KTR_FILE_DATA ? data + b->length : data;
		stop = stop < end ? stop : end;
		for (uint64_t i = data; i < stop; n++, i += rec->len8 * 8u) {
			rec = (const void *)(p + i);
			if (i + rec->len8 * 8u > stop)
				break;
		}
	}
	return n;
}

/* Cut anywhere: nothing but whole records, and never fewer for more bytes. */
static void cut_anywhere(void)
{
	unsigned int last = 0;
	unsigned char *p;
	struct result res;
	size_t n, at;

	write_file(true);
	n = load(&p);
	for (at = 0; at < n; at += 1 + tap_below(41)) {
		save(p, at);
		res = report(copy);
		if (at < sizeof(struct ktr_file_header)) {
			CHECK(!res.opened);
			continue;
		}
		CHECK(res.damaged && res.cut && res.damage <= at);
		CHECK_EQ(res.records, first_missing(p, res.damage));
		CHECK(res.in_order && res.lines >= last);
		last = res.lines;
		/* At most one record and a block's head are not used. */
		CHECK(res.records * sizeof(struct rec) +
		      16 * sizeof(struct ktr_file_block) + sizeof(struct rec) +
		      sizeof(struct ktr_file_header) + sizeof(struct ktr_file_footer) >= at);
	}
	CHECK(last > NRECS * 9 / 10);
	free(p);
}

static uint64_t records_of(const char *name)
{
	uint64_t n = 0;

	cap_count(name, &n);
	return n;
}

/* Some more records, as the module appends them. */
static void append(int fd, unsigned int n)
{
	static const char fill[8];
	struct rec recs[NRECS / 8];
	off_t size = lseek(fd, 0, SEEK_END);
	struct cap_writer w;
	unsigned int i;

	REQUIRE(write(fd, fill, -size & 7) == (-size & 7));
	cap_begin(&w, dup(fd));
	buf_reset(&w.b);
	for (i = 0; i < n; i++)
		make_rec(&recs[i], NRECS + i, 1000 + NRECS + i);
	CHECK_EQ(cap_put(&w, KTR_FILE_DATA, 0, 0, 0, recs, n * sizeof(*recs)), 0);
	CHECK_EQ(cap_put(&w, KTR_FILE_ROUND, 0, 0, 2000 + NRECS, NULL, 0), 0);
	CHECK_EQ(cap_finish(&w), 0);
}

/* Cut anywhere and mended: all that could be read still can, and what is appended. */
static void appended_to_a_cut(void)
{
	const size_t meta = sizeof(struct ktr_file_header) + sizeof(struct ktr_file_block) + 7;
	struct stat st, now;
	unsigned char *p;
	struct result res;
	uint64_t before;
	size_t n, at;
	int fd;

	write_file(true);
	n = load(&p);
	for (at = sizeof(struct ktr_file_header); at < n;
	     at = at < meta ? at + 1 : at + 1 + tap_below(41)) {
		save(p, at);
		before = records_of(copy);
		fd = open(copy, O_RDWR | O_APPEND);
		REQUIRE(fd >= 0 && !fstat(fd, &st));
		CHECK_EQ(cap_mend(fd), 0);
		CHECK_EQ(records_of(copy), before);
		/* Of a block that lacks its filling alone nothing is taken. */
		if (at == meta)
			CHECK_EQ(lseek(fd, 0, SEEK_END), at);
		/* Once is enough. */
		REQUIRE(!fstat(fd, &st));
		CHECK_EQ(cap_mend(fd), 0);
		REQUIRE(!fstat(fd, &now));
		CHECK_EQ(now.st_size, st.st_size);
		append(fd, 5);
		close(fd);
		CHECK_EQ(records_of(copy), before + 5);
		res = report(copy);
		CHECK(res.opened && res.damaged);
		CHECK_EQ(res.lines, before + 5);
	}
	free(p);
}

/* A whole file is left as it is. */
static void nothing_to_mend(void)
{
	unsigned char *p, *q;
	size_t n;
	int fd;

	write_file(true);
	n = load(&p);
	save(p, n);
	fd = open(copy, O_RDWR | O_APPEND);
	REQUIRE(fd >= 0);
	CHECK_EQ(cap_mend(fd), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_END), n);
	q = malloc(n);
	REQUIRE(q && pread(fd, q, n, 0) == (ssize_t)n);
	CHECK(!memcmp(p, q, n));
	close(fd);
	free(p);
	free(q);
}

/* A block of the third round is gone: marked behind the first two. */
static void a_hole_is_marked(void)
{
	const size_t block = sizeof(struct ktr_file_block);
	const size_t data = block + NRECS / 8 * sizeof(struct rec);
	const size_t at = sizeof(struct ktr_file_header) + block + 8 + 2 * (2 * data + block);
	unsigned char *p;
	struct result res;
	size_t n;

	write_file(true);
	n = load(&p);
	p[at + data / 2] ^= 1;
	save(p, n);
	free(p);
	res = report(copy);
	CHECK(res.damaged && !res.cut);
	CHECK_EQ(res.holes, 1);
	CHECK_EQ(res.hole_at, at);
	CHECK_EQ(res.hole, data);
	CHECK_EQ(res.before, NRECS / 2);
	CHECK_EQ(res.missing, NRECS / 8);
	/* In the other forms for people, too. */
	res = report_as(copy, (struct out_opts){ .as_kdump = true });
	CHECK(res.holes == 1 && res.hole_at == at && res.hole == data);
	CHECK_EQ(res.before, NRECS / 2);
	res = report_as(copy, (struct out_opts){ .as_ftrace = true });
	CHECK(res.holes == 1 && res.hole_at == at && res.hole == data);
}

/*
 * Bytes are taken out of a last block's midst: that can be seen by what is there then. The
 * record that has lost them is whole by its length.
 */
static void shortened(void)
{
	const uint64_t base = 5000 * 1000000000ULL;
	struct rec recs[NRECS];
	unsigned char *p;
	struct result res;
	struct cap_writer w;
	struct fault f;
	size_t n, at, gone;
	unsigned int i;

	for (i = 0; i < NRECS; i++)
		make_rec(&recs[i], i, base + i);
	REQUIRE(!cap_create(&w, path, false, &f));
	CHECK_EQ(cap_put(&w, KTR_FILE_DATA, 0, 0, 0, recs, sizeof(recs)), 0);
	CHECK_EQ(cap_finish(&w), 0);
	n = load(&p);
	for (i = 0; i < 200; i++) {
		gone = 1 + tap_below(1000);
		if (gone % sizeof(*recs) == 0)
			continue;
		at = tap_below(sizeof(recs) - gone - 2 * sizeof(*recs));
		save(p, n - sizeof(recs) + at);
		append_bytes(p + n - sizeof(recs) + at + gone, sizeof(recs) - at - gone);
		at /= sizeof(*recs);
		res = report(copy);
		CHECK(res.damaged);
		CHECK(res.records >= at && res.records <= at + 1);
	}
	free(p);
}

/* One byte changed: at most its block is lost, the offset names it. */
static void damaged_anywhere(void)
{
	unsigned char *p, good;
	struct result res;
	size_t n, at;

	write_file(true);
	n = load(&p);
	for (at = sizeof(struct ktr_file_header); at < n; at += 1 + tap_below(97)) {
		good = p[at];
		p[at] ^= 1 + tap_below(255);
		save(p, n);
		p[at] = good;
		res = report(copy);
		CHECK(res.opened);
		/* The filling behind a payload counts for nothing. */
		if (res.damaged) {
			CHECK(res.damage <= at);
			CHECK(res.lines >= NRECS - NRECS / 8);
			CHECK_EQ(res.holes, 1);
			CHECK(res.hole_at <= at && at < res.hole_at + res.hole);
		} else {
			CHECK_EQ(res.lines, NRECS);
		}
	}
	free(p);
}

static void not_ours(void)
{
	struct ktr_file_header h = {
		.endian = KTR_FILE_ENDIAN, .version = KTR_FILE_VERSION,
		.header_size = sizeof(h), .wire = KTR_VERSION,
	};
	struct cap_reader r;
	struct fault f;

	memcpy(h.magic, KTR_FILE_MAGIC, sizeof(h.magic));
	h.version++;
	save((unsigned char *)&h, sizeof(h));
	CHECK(cap_open(&r, copy, &f) && f.status == ST_DAMAGED &&
	      strstr(f.text, "newer"));
	h.version--;
	h.features = 4;
	save((unsigned char *)&h, sizeof(h));
	CHECK(cap_open(&r, copy, &f) && strstr(f.text, "newer"));
	h.features = 0;
	h.endian = __builtin_bswap32(KTR_FILE_ENDIAN);
	save((unsigned char *)&h, sizeof(h));
	CHECK(cap_open(&r, copy, &f) && strstr(f.text, "byte order"));
	save((unsigned char *)"#!/bin/sh\n", 10);
	CHECK(cap_open(&r, copy, &f) && strstr(f.text, "no capture file"));
	save((unsigned char *)"", 0);
	CHECK(cap_open(&r, copy, &f) && f.status == ST_DAMAGED && strstr(f.text, "is empty"));
	CHECK(cap_open(&r, "/nonexistent/file", &f) && f.status == ST_USAGE);
	CHECK(cap_open(&r, "/", &f) && f.status == ST_USAGE && strstr(f.text, "directory"));
}

static void large_blocks(void)
{
	size_t n = 3u << 20, at, count = 0;
	unsigned char *p = calloc(1, n);
	struct cap_reader r;
	struct cap_writer w;
	struct fault f;

	for (at = 0; at < n; at++)
		p[at] = at * 7 >> 3;
	REQUIRE(!cap_create(&w, path, false, &f));
	CHECK_EQ(cap_put(&w, KTR_FILE_DATA, 3, 1, 0, p, 100), 0);
	CHECK_EQ(cap_put(&w, KTR_FILE_DATA, 3, 1, 0, p, n), 0);
	CHECK_EQ(cap_put(&w, KTR_FILE_DATA, 3, 1, 0, p, 33), 0);
	CHECK_EQ(cap_finish(&w), 0);
	REQUIRE(!cap_open(&r, path, &f));
	while (cap_next(&r) == 1) {
		CHECK(r.block.cpu == 3 && r.block.ring == 1);
		CHECK(!memcmp(r.payload, p, r.block.length));
		count += r.block.length;
	}
	CHECK_EQ(count, n + 133);
	cap_close(&r);
	free(p);
}

/* Blocks of n bytes until the file is full, then what its writer ends it with. */
static void fill(size_t n)
{
	static unsigned char p[100000];
	struct ktr_file_footer foot = { 0 };
	struct cap_writer w;
	struct fault f;
	uint64_t size;

	REQUIRE(!cap_create(&w, path, false, &f));
	CHECK_EQ(cap_room(&w), UINT64_MAX);
	w.max = 300000;
	while (!w.full) {
		CHECK_EQ(cap_put(&w, KTR_FILE_DATA, 0, 0, 0, p, n), 0);
		CHECK_EQ(cap_put(&w, KTR_FILE_ROUND, 0, 0, 0, NULL, 0), 0);
	}
	size = w.bytes + w.b.len;
	CHECK_EQ(cap_put(&w, KTR_FILE_DATA, 0, 0, 0, p, 8), 0);
	CHECK_EQ(w.bytes + w.b.len, size);
	cap_put(&w, KTR_FILE_ROUND, 0, 0, 0, NULL, 0);
	cap_put(&w, KTR_FILE_FOOTER, 0, 0, 0, &foot, sizeof(foot));
	CHECK_EQ(cap_finish(&w), 0);
	CHECK(w.bytes <= w.max);
	CHECK(w.bytes + n + 1000 > w.max);
}

static void full_file(void)
{
	struct cap_reader r;
	struct fault f;
	size_t n;

	for (n = 8; n <= 90000; n = n * 3 + 8)
		fill(n);
	REQUIRE(!cap_open(&r, path, &f));
	while (cap_next(&r) == 1)
		;
	CHECK(r.footer && !r.cut && !r.damaged);
	cap_close(&r);
}

int main(void)
{
	sprintf(path, "/tmp/test_capfile.%d", getpid());
	sprintf(copy, "%s.copy", path);
	RUN(sums);
	RUN(round_trip);
	RUN(killed_writer);
	RUN(cut_anywhere);
	RUN(appended_to_a_cut);
	RUN(nothing_to_mend);
	RUN(a_hole_is_marked);
	RUN(shortened);
	RUN(damaged_anywhere);
	RUN(not_ours);
	RUN(large_blocks);
	RUN(full_file);
	unlink(path);
	unlink(copy);
	return tap_done();
}
