// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading capture files. The bytes are anybody's: lengths are bounded before
 * anything is allocated, and sums decide what is whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capfile.h"
#include "crc32c.h"
#include "events.h"
#include "writelock.h"

#define SECOND 1000000000ULL
#define DAY (86400 * SECOND)

static size_t get(struct cap_reader *r, void *p, size_t n)
{
	size_t got = fread(p, 1, n, r->in);

	r->offset += got;
	return got;
}

static int foreign(const char *name, struct fault *f)
{
	return fault_set(f, ST_DAMAGED, "%s is no capture file: `ktrctl record -o FILE` and `ktrace -f FILE` make them",
			 name);
}

static int check_header(const struct ktr_file_header *h, const char *name,
			struct fault *f)
{
	if (memcmp(h->magic, KTR_FILE_MAGIC, sizeof(h->magic)))
		return foreign(name, f);
	if (h->endian != KTR_FILE_ENDIAN)
		return fault_set(f, ST_DAMAGED, "%s was recorded on a machine of the other byte order: report it there",
				 name);
	if (h->version != KTR_FILE_VERSION || h->wire > KTR_VERSION || h->features)
		return fault_set(f, ST_DAMAGED, "%s was recorded by a newer ktrctl (file %u, wire %u): use that one",
				 name, h->version, h->wire);
	if (h->header_size < sizeof(*h) || h->header_size > 4096 ||
	    h->header_size % 8)
		return fault_set(f, ST_DAMAGED, "%s is damaged at offset 0: bad header",
				 name);
	return 0;
}

int cap_look(int fd)
{
	struct ktr_file_header h;
	struct fault f;
	ssize_t n = pread(fd, &h, sizeof(h), 0);

	if (n < 0)
		return -errno;
	return !n || (n == sizeof(h) && !check_header(&h, "", &f)) ? 0 : -EUCLEAN;
}

static int read_header(struct cap_reader *r, const char *name, struct fault *f)
{
	char skip[8];
	int err;

	if (get(r, &r->header, sizeof(r->header)) != sizeof(r->header)) {
		if (!r->offset)
			return fault_set(f, ST_DAMAGED, "%s is empty: nothing was recorded into it",
					 name);
		/* So short a file is judged by what is there. */
		if (memcmp(r->header.magic, KTR_FILE_MAGIC, 8))
			return foreign(name, f);
		return fault_set(f, ST_DAMAGED, "%s is cut at offset %llu: nothing was recorded, its disk was full, or its writer was stopped",
				 name, (unsigned long long)r->offset);
	}
	err = check_header(&r->header, name, f);
	while (!err && r->offset < r->header.header_size)
		if (get(r, skip, sizeof(skip)) != sizeof(skip))
			err = fault_set(f, ST_DAMAGED, "%s is cut at offset %llu: nothing was recorded, its disk was full, or its writer was stopped",
					name, (unsigned long long)r->offset);
	return err;
}

int cap_open_stream(struct cap_reader *r, FILE *in, const char *name,
		    struct fault *f)
{
	memset(r, 0, sizeof(*r));
	r->in = in;
	return read_header(r, name, f);
}

/*
 * Whoever writes the file may take back what is not whole yet and write something else
 * there, so it is read anew, and nothing of it is kept in a buffer.
 */
static bool look_again(struct cap_reader *r, uint64_t at)
{
	if (!r->more || !r->more(r->arg, at))
		return false;
	clearerr(r->in);
	r->offset = at;
	return !fseeko(r->in, at, SEEK_SET);
}

int cap_open_growing(struct cap_reader *r, int fd, const char *name,
		     bool (*more)(void *arg, uint64_t at), void *arg, struct fault *f)
{
	int own = dup(fd), err;

	memset(r, 0, sizeof(*r));
	r->more = more;
	r->arg = arg;
	r->in = own < 0 ? NULL : fdopen(own, "r");
	if (!r->in) {
		if (own >= 0)
			close(own);
		return fault_set(f, ST_LOST, "%s: out of memory", name);
	}
	setvbuf(r->in, NULL, _IONBF, 0);
	rewind(r->in);
	do
		err = read_header(r, name, f);
	while (err && feof(r->in) && look_again(r, 0));
	return err;
}

int cap_open_fd(const char *path, struct fault *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		close(fd);
		errno = EISDIR;
		fd = -1;
	}
	if (fd < 0)
		fault_set(f, ST_USAGE, "cannot read %s: %s", path, strerror(errno));
	return fd;
}

int cap_open(struct cap_reader *r, const char *path, struct fault *f)
{
	bool growing = false;
	FILE *in = stdin;
	int err, fd;

	memset(r, 0, sizeof(*r));
	if (strcmp(path, "-")) {
		fd = cap_open_fd(path, f);
		if (fd < 0)
			return -1;
		in = fdopen(fd, "r");
		if (!in) {
			close(fd);
			return fault_set(f, ST_LOST, "%s: out of memory", path);
		}
		growing = writelock_held_on(fd);
	}
	err = cap_open_stream(r, in, path, f);
	r->growing = growing;
	if (err)
		cap_close(r);
	return err;
}

void cap_close(struct cap_reader *r)
{
	if (r->in && r->in != stdin)
		fclose(r->in);
	free(r->payload);
	memset(r, 0, sizeof(*r));
}

static void note_damage(struct cap_reader *r, uint64_t at)
{
	if (!r->damaged)
		r->damage = at;
	r->damaged = true;
}

static bool good_header(const struct ktr_file_block *b)
{
	return b->magic == KTR_FILE_BLOCK_MAGIC &&
	       b->header_crc == crc32c(0, b,
					 offsetof(struct ktr_file_block,
						  header_crc)) &&
	       b->length <= KTR_FILE_BLOCK_MAX;
}

/*
 * Find the next header; blocks stand at multiples of 8, so a window moves on
 * by 8 over what is none. False: the end.
 */
static bool next_header(struct cap_reader *r)
{
	unsigned char *b = (unsigned char *)&r->block;
	uint64_t at = r->offset;
	size_t got = get(r, b, sizeof(r->block));

	while (got == sizeof(r->block)) {
		if (good_header(&r->block))
			return true;
		note_damage(r, at);
		memmove(b, b + 8, sizeof(r->block) - 8);
		got = sizeof(r->block) - 8 +
		      get(r, b + sizeof(r->block) - 8, 8);
	}
	if (got && !r->damaged) {
		note_damage(r, at);
		r->cut = true;
	}
	return false;
}

static int have_room(struct cap_reader *r, size_t n)
{
	void *p;

	if (n <= r->size && r->payload)
		return 0;
	p = realloc(r->payload, n ? n : 8);
	if (!p)
		return -ENOMEM;
	r->payload = p;
	r->size = n;
	return 0;
}

/* Whole records from the start of a block. Return: how many bytes they have. */
static size_t whole_records(const unsigned char *p, size_t len, uint64_t *records)
{
	const struct ktr_rec *rec;
	size_t done = 0;

	while (len - done >= sizeof(*rec)) {
		rec = (const struct ktr_rec *)(p + done);
		if (rec->len8 < 2 || rec->len8 * 8u > len - done)
			break;
		done += rec->len8 * 8u;
		++*records;
	}
	return done;
}

/* Could it follow one of that time? Where interrupts nest the times differ by little. */
static bool is_likely(const struct ktr_rec *rec, uint64_t before)
{
	return ev_by_kind(rec->kind) && rec->time + SECOND >= before &&
	       (!before || rec->time < before + DAY);
}

/*
 * The sum of a block that is cut says nothing. Somebody may have taken bytes out of its
 * midst: what is there then is no record.
 */
static size_t likely_records(struct cap_reader *r, size_t len)
{
	const struct ktr_rec *rec;
	uint64_t before = 0, n = 0;
	size_t whole = whole_records(r->payload, len, &n), at;

	for (at = 0; at < whole; at += rec->len8 * 8u) {
		rec = (const struct ktr_rec *)(r->payload + at);
		if (!is_likely(rec, before))
			break;
		before = rec->time;
	}
	rec = (const struct ktr_rec *)(r->payload + at);
	r->garbled = at < whole || (len - at >= sizeof(*rec) && !is_likely(rec, before));
	return at;
}

/* What is there of a cut block is good as far as its records are whole. */
static int cut_block(struct cap_reader *r, uint64_t at, size_t got)
{
	size_t whole = 0;

	r->cut = true;
	r->block.length = got < r->block.length ? got : r->block.length;
	if (r->block.type == KTR_FILE_DATA)
		whole = likely_records(r, r->block.length);
	if (r->garbled)
		r->block.length = whole;
	note_damage(r, whole ? at + sizeof(r->block) + whole : at);
	return whole ? 1 : 0;
}

static bool take_payload(struct cap_reader *r, size_t n)
{
	return !have_room(r, n) && get(r, r->payload, n) == n &&
	       crc32c(0, r->payload, r->block.length) == r->block.payload_crc;
}

void cap_visit(struct cap_reader *r, enum ktr_file_type type,
	       void (*fn)(void *arg, const void *p, size_t n), void *arg)
{
	struct cap_reader back = *r;
	long at = ftell(r->in);
	size_t n;

	if (at < 0)
		return;
	while (next_header(r)) {
		n = (r->block.length + 7) & ~7ULL;
		if (r->block.type != type) {
			if (fseek(r->in, n, SEEK_CUR))
				break;
			r->offset += n;
		} else if (take_payload(r, n)) {
			fn(arg, r->payload, r->block.length);
		}
	}
	back.payload = r->payload;
	back.size = r->size;
	*r = back;
	clearerr(r->in);
	fseek(r->in, at, SEEK_SET);
}

/* The block that the end of the file cuts, if one is: r->block. Return: its offset or 0. */
static uint64_t find_torn(struct cap_reader *r, uint64_t size)
{
	while (next_header(r)) {
		if (r->offset + r->block.length > size)
			return r->offset - sizeof(r->block);
		/* Who appends fills up what is left of the filling. */
		r->offset += (r->block.length + 7) & ~7ULL;
		if (fseeko(r->in, r->offset, SEEK_SET))
			break;
	}
	return 0;
}

static int put_all(int fd, const void *p, size_t n)
{
	ssize_t done = write(fd, p, n);

	return done == (ssize_t)n ? 0 : done < 0 ? -errno : -ENOSPC;
}

/* It is left with the records that are whole, and behind it something that is no block. */
static int mend_torn(struct cap_reader *r, int fd, uint64_t at, uint64_t size)
{
	size_t n = size - at - sizeof(r->block), whole = 0;
	uint64_t nothing = 0;
	int err = have_room(r, n);

	if (err)
		return err;
	if (fseeko(r->in, at + sizeof(r->block), SEEK_SET) || get(r, r->payload, n) != n)
		return -EIO;
	if (r->block.type == KTR_FILE_DATA)
		whole = likely_records(r, n);
	if (ftruncate(fd, at))
		return -errno;
	r->block.length = whole;
	r->block.payload_crc = crc32c(0, r->payload, whole);
	r->block.header_crc = crc32c(0, &r->block,
				     offsetof(struct ktr_file_block, header_crc));
	if (whole)
		err = put_all(fd, &r->block, sizeof(r->block)) ?: put_all(fd, r->payload, whole);
	return err ?: put_all(fd, &nothing, sizeof(nothing));
}

int cap_mend(int fd)
{
	int own = dup(fd), err = 0;
	struct cap_reader r;
	struct stat st;
	struct fault f;
	uint64_t at;
	FILE *in;

	in = own < 0 ? NULL : fdopen(own, "r");
	if (!in || fstat(fd, &st)) {
		err = -errno;
		if (in)
			fclose(in);
		else if (own >= 0)
			close(own);
		return err;
	}
	rewind(in);
	if (cap_open_stream(&r, in, "", &f)) {
		err = -EUCLEAN;
	} else {
		at = find_torn(&r, st.st_size);
		if (at)
			err = mend_torn(&r, fd, at, st.st_size);
	}
	cap_close(&r);
	return err;
}

/* From where the last block ended to where something whole begins. */
static void note_hole(struct cap_reader *r, uint64_t start, uint64_t end)
{
	r->hole_at = start;
	r->hole = end - start;
}

static int next_block(struct cap_reader *r)
{
	uint64_t start = r->offset, at;
	size_t n, got;

	r->hole = 0;
	while (next_header(r)) {
		at = r->offset - sizeof(r->block);
		n = (r->block.length + 7) & ~7ULL;
		if (have_room(r, n))
			return -ENOMEM;
		got = get(r, r->payload, n);
		if (got < n) {
			note_hole(r, start, at);
			return cut_block(r, at, got);
		}
		if (crc32c(0, r->payload, r->block.length) !=
		    r->block.payload_crc) {
			note_damage(r, at);
			continue;
		}
		if (r->block.type == KTR_FILE_FOOTER)
			r->footer = true;
		note_hole(r, start, at);
		return 1;
	}
	/* Behind a footer, or in front of an end that is cut. */
	note_hole(r, start, r->damaged && !r->cut ? r->offset : start);
	if (!r->footer && !r->damaged) {
		note_damage(r, r->offset);
		r->cut = true;
	}
	return 0;
}

int cap_next(struct cap_reader *r)
{
	struct cap_reader back;
	int ret;

	for (;;) {
		back = *r;
		ret = next_block(r);
		if (!r->more || ret < 0 || (ret && !r->cut))
			return ret;
		back.payload = r->payload;
		back.size = r->size;
		*r = back;
		r->hole = 0;
		if (!look_again(r, r->offset))
			return 0;
	}
}

void cap_count(const char *path, uint64_t *records)
{
	struct cap_reader r = { 0 };
	struct stat st;
	struct fault f;
	FILE *in;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	in = fopen(path, "re");
	if (!in)
		return;
	if (cap_open_stream(&r, in, path, &f)) {
		cap_close(&r);
		return;
	}
	*records = 0;
	while (cap_next(&r) == 1)
		if (r.block.type == KTR_FILE_DATA)
			whole_records(r.payload, r.block.length, records);
	cap_close(&r);
}
