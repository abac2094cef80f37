// SPDX-License-Identifier: GPL-2.0-only
#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include "ring.h"
#include "tracefile.h"

#define TORN_TRIES 8
/* What an end takes: the lost record, the end of a round and the footer, each in its block. */
#define END_BYTES (3 * sizeof(struct ktr_file_block) + KTR_RING_LOST_LEN + \
		   sizeof(struct ktr_file_footer) + 8)
/* Of these there are some whenever a session is changed: nobody misses them. */
#define OWN_KINDS (BIT_ULL(KTR_KIND_clock) | BIT_ULL(KTR_KIND_change))

struct lost_rec {
	struct ktr_rec rec;
	struct ktr_ev_lost ev;
};

static u64 size_of(const struct ktr_tracefile *t)
{
	return i_size_read(file_inode(t->file));
}

/* What was taken before and then did not get to the disk is known only now. */
static int disk_error(struct ktr_tracefile *t)
{
	return -filemap_check_wb_err(t->file->f_mapping, t->since);
}

static bool has_no_room(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

static void note_torn(struct ktr_tracefile *t, u64 at)
{
	if (t->torn || at >= t->end)
		return;
	t->torn = true;
	t->torn_at = at;
}

/* As far as it may grow. */
static ssize_t write_some(struct ktr_tracefile *t, const void *p, size_t n, loff_t *pos)
{
	u64 room = *pos < t->max_size ? t->max_size - *pos : 0;

	return room ? kernel_write(t->file, p, min_t(u64, n, room), pos) : -EFBIG;
}

/* After an error nothing more is written: a file that has holes cannot be read. */
static void append(struct ktr_tracefile *t, const void *p, size_t n)
{
	while (n && !t->error) {
		loff_t pos = size_of(t);
		ssize_t done = write_some(t, p, n, &pos);

		if (done <= 0) {
			t->error = done ? -done : EIO;
			return;
		}
		note_torn(t, pos - done);
		t->end = pos;
		p += done;
		n -= done;
		WRITE_ONCE(t->bytes, t->bytes + done);
	}
}

static void write_block(struct ktr_tracefile *t, enum ktr_file_type type, u32 cpu, u32 ring,
			u64 time, const void *p, size_t n)
{
	static const char fill[8];
	struct ktr_file_block b = {
		.magic = KTR_FILE_BLOCK_MAGIC, .type = type, .cpu = cpu, .ring = ring,
		.length = n, .time = time, .payload_crc = ktr_crc32c(p, n),
	};

	if (!t->error)
		t->error = disk_error(t);
	if (t->error)
		return;
	b.header_crc = ktr_crc32c(&b, offsetof(struct ktr_file_block, header_crc));
	t->whole = size_of(t);
	/* Somebody may have written something into it: blocks are looked for at multiples of 8. */
	append(t, fill, -t->whole & 7);
	append(t, &b, sizeof(b));
	append(t, p, n);
	append(t, fill, -n & 7);
	if (!t->error)
		t->whole = t->end;
}

/* The footer tells of what stands in the file. */
static void count(struct ktr_file_footer *foot, const void *p, size_t n)
{
	const struct ktr_rec *rec;
	size_t at;

	for (at = 0; at < n; at += rec->len8 * 8) {
		rec = p + at;
		foot->kinds[rec->kind & 63]++;
		foot->records++;
		if (rec->kind == KTR_KIND_lost)
			foot->lost += ((const struct ktr_ev_lost *)(rec + 1))->count;
	}
}

static void add(struct ktr_ev_lost *to, const struct ktr_ev_lost *ev)
{
	if (!ev->count)
		return;
	to->first = to->count ? min(to->first, ev->first) : ev->first;
	to->last = max(to->last, ev->last);
	to->kinds |= ev->kinds;
	to->count += ev->count;
}

void ktr_tracefile_lose(struct ktr_tracefile *t, const struct ktr_ev_lost *ev)
{
	add(&t->missing, ev);
}

/* What a lost record tells of is missing with it. */
static void add_records(struct ktr_ev_lost *to, const void *p, size_t n)
{
	const struct ktr_rec *rec;
	size_t at;

	for (at = 0; at < n; at += rec->len8 * 8) {
		struct ktr_ev_lost ev;

		rec = p + at;
		ev = (struct ktr_ev_lost){
			.count = !(OWN_KINDS >> (rec->kind & 63) & 1),
			.first = rec->time, .last = rec->time,
			.kinds = BIT_ULL(rec->kind & 63),
		};
		add(to, rec->kind == KTR_KIND_lost ?
		    (const struct ktr_ev_lost *)(rec + 1) : &ev);
	}
}

static struct ktr_tracefile_place here(const struct ktr_tracefile *t)
{
	return (struct ktr_tracefile_place){ .at = t->end, .round = t->round, .foot = t->foot };
}

static void note_place(struct ktr_tracefile *t)
{
	if (t->end - t->near.at < END_BYTES)
		return;
	t->far = t->near;
	t->near = here(t);
}

/* Nothing that stands in front of it is taken back. */
static void begin_places(struct ktr_tracefile *t)
{
	t->whole = t->end;
	t->near = here(t);
	t->far = t->near;
}

/* Never to more than there is: that would be a hole. */
static void cut(struct ktr_tracefile *t, u64 at)
{
	u64 size = size_of(t);
	int ret = size > at ? vfs_truncate(&t->file->f_path, at) : 0;

	if (ret)
		t->error = -ret;
	else if (size > at)
		WRITE_ONCE(t->bytes, t->bytes - min(t->bytes, size - at));
	t->end = size_of(t);
}

/*
 * Somebody has cut the file: what it began with, if that is gone too, and then what
 * must be known of the records to come, all of which are from the last round on.
 */
static void begin_anew(struct ktr_tracefile *t)
{
	u32 len = 0;
	void *facts;

	/* What a block's second half has left there is of no use. */
	if (t->torn)
		cut(t, t->torn_at);
	t->torn = false;
	t->end = size_of(t);
	memset(&t->foot, 0, sizeof(t->foot));
	if (!t->end)
		append(t, t->start.p, t->start.len);
	begin_places(t);
	facts = t->facts(t->arg, &len);
	if (IS_ERR(facts)) {
		t->error = -PTR_ERR(facts);
		return;
	}
	write_block(t, KTR_FILE_DATA, 0, KTR_RING_CONTROL, 0, facts, len);
	if (!t->error) {
		count(&t->foot, facts, len);
		begin_places(t);
	}
	kvfree(facts);
}

static bool was_cut(const struct ktr_tracefile *t)
{
	return t->torn || size_of(t) < t->end;
}

/* Is it room alone that is missing? What a disk has lost before is not mended by an end. */
static bool can_end(struct ktr_tracefile *t)
{
	return has_no_room(t->error) && !was_cut(t) && !disk_error(t);
}

/* How many bytes of whole records fit in front of an end. */
static size_t fitting(const void *p, size_t n, u64 room)
{
	size_t len = 0, next;

	while (len < n) {
		next = len + ((const struct ktr_rec *)(p + len))->len8 * 8;
		if (next > room)
			break;
		len = next;
	}
	return len;
}

/* There is no more room: the block once more, with as many of its records as there is. */
static size_t write_fitting(struct ktr_tracefile *t, u32 cpu, u32 ring, const void *p, size_t n)
{
	u64 room = t->end > t->whole ? t->end - t->whole : 0, taken = 7 + sizeof(struct ktr_file_block) + END_BYTES;
	int error = t->error;

	n = room > taken ? fitting(p, n, room - taken) : 0;
	if (!n)
		return 0;
	t->error = 0;
	cut(t, t->whole);
	write_block(t, KTR_FILE_DATA, cpu, ring, 0, p, n);
	if (t->error)
		n = 0;
	t->error = error;
	return n;
}

/* Who cuts it without end has no whole file. Return: whether this block was tried. */
static bool put_block(struct ktr_tracefile *t, enum ktr_file_type type, u32 cpu, u32 ring,
		      u64 time, const void *p, size_t n)
{
	int tries = 0;

	do {
		if (was_cut(t))
			begin_anew(t);
		if (t->error)
			return false;
		note_place(t);
		write_block(t, type, cpu, ring, time, p, n);
	} while (t->torn && !t->error && ++tries < TORN_TRIES);
	return true;
}

/* How many bytes of whole records stand in the file though their block is not whole. */
static size_t half_written(const struct ktr_tracefile *t, const void *p, size_t n)
{
	u64 start = round_up(t->whole, 8) + sizeof(struct ktr_file_block);

	return !was_cut(t) && t->end > start ? fitting(p, n, t->end - start) : 0;
}

/* Behind an error that came with this block, or before it. Return: bytes in a whole block. */
static size_t put_rest(struct ktr_tracefile *t, bool tried, u32 cpu, u32 ring, const void *p, size_t n)
{
	size_t len = 0, half = 0;

	t->reached = t->end;
	if (tried && can_end(t))
		len = write_fitting(t, cpu, ring, p, n);
	if (tried && !len)
		half = half_written(t, p, n);
	add_records(&t->partial, p, half);
	add_records(&t->missing, p + len + half, n - len - half);
	return len;
}

static void put_data(struct ktr_tracefile *t, u32 cpu, u32 ring, const void *p, size_t n)
{
	bool tried = put_block(t, KTR_FILE_DATA, cpu, ring, 0, p, n);

	count(&t->foot, p, t->error ? put_rest(t, tried, cpu, ring, p, n) : n);
}

void ktr_tracefile_put(struct ktr_tracefile *t, enum ktr_file_type type, u32 cpu, u32 ring,
		       u64 time, const void *p, size_t n)
{
	if (t->error) {
		if (type == KTR_FILE_DATA)
			add_records(&t->missing, p, n);
		return;
	}
	if (type == KTR_FILE_DATA)
		put_data(t, cpu, ring, p, n);
	else
		put_block(t, type, cpu, ring, time, p, n);
	if (type == KTR_FILE_ROUND && !t->error)
		t->round = time;
}

void ktr_tracefile_put_footer(struct ktr_tracefile *t)
{
	put_block(t, KTR_FILE_FOOTER, 0, 0, 0, &t->foot, sizeof(t->foot));
}

static bool has_end_behind(const struct ktr_tracefile *t, u64 at)
{
	return t->reached >= at && t->reached - at >= END_BYTES;
}

/* What stands there is of kinds that nobody misses, or missing from now on. */
static void go_back(struct ktr_tracefile *t, const struct ktr_tracefile_place *to, u64 now)
{
	struct ktr_ev_lost ev = {
		.count = t->foot.lost - to->foot.lost, .first = to->round, .last = now,
	};
	int k;

	cut(t, to->at);
	if (t->error)
		return;
	for (k = 0; k < 64; k++) {
		u64 n = t->foot.kinds[k] - to->foot.kinds[k];

		if (!n || k == KTR_KIND_lost || OWN_KINDS >> k & 1)
			continue;
		ev.count += n;
		ev.kinds |= BIT_ULL(k);
	}
	t->foot = to->foot;
	add(&t->missing, &ev);
	add(&t->missing, &t->partial);
}

static void write_end(struct ktr_tracefile *t, u64 now)
{
	struct lost_rec lost = {
		.rec = { .len8 = sizeof(lost) / 8, .kind = KTR_KIND_lost, .time = now },
		.ev = t->missing,
	};

	lost.ev.reasons = BIT_ULL(KTR_LOSS_FILE);
	if (lost.ev.count) {
		write_block(t, KTR_FILE_DATA, 0, KTR_RING_CONTROL, 0, &lost, sizeof(lost));
		count(&t->foot, &lost, sizeof(lost));
	}
	/* The lost record is older than its end: who follows the file is to see it. */
	write_block(t, KTR_FILE_ROUND, 0, 0, now + 1, NULL, 0);
	write_block(t, KTR_FILE_FOOTER, 0, 0, 0, &t->foot, sizeof(t->foot));
}

void ktr_tracefile_put_end(struct ktr_tracefile *t, u64 now)
{
	const struct ktr_tracefile_place last = {
		.at = t->whole, .round = t->round, .foot = t->foot,
	};
	const struct ktr_tracefile_place *const to[] = { &last, &t->near, &t->far };
	int error = t->error, i = 0;

	if (!can_end(t))
		return;
	t->reached = max(t->reached, t->end);
	while (i < ARRAY_SIZE(to) && !has_end_behind(t, to[i]->at))
		i++;
	t->error = 0;
	go_back(t, i < ARRAY_SIZE(to) ? to[i] : &last, now);
	if (!t->error && i < ARRAY_SIZE(to))
		write_end(t, now);
	t->error = error;
}

int ktr_tracefile_open(struct ktr_tracefile *t, struct file *file)
{
	int ret = ktr_filestart_read(&t->start, file);

	if (ret)
		return ret;
	t->file = file;
	t->end = size_of(t);
	t->max_size = rlimit(RLIMIT_FSIZE);
	t->since = filemap_sample_wb_err(file->f_mapping);
	begin_places(t);
	return 0;
}

void ktr_tracefile_free(struct ktr_tracefile *t)
{
	ktr_filestart_free(&t->start);
}
