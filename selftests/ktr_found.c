// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "ktr_found.h"

off_t ktr_found_size(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? -1 : st.st_size;
}

static uint32_t crc32c(const void *p, size_t n)
{
	const unsigned char *b = p;
	static uint32_t table[256];
	uint32_t crc;
	int i, k;

	for (i = 0; i < 256 && !table[255]; i++) {
		crc = i;
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
		table[i] = crc;
	}
	for (crc = ~0u; n--; b++)
		crc = table[(crc ^ *b) & 255] ^ crc >> 8;
	return ~crc;
}

/* Return: whether it consists of whole records. */
static bool count(struct ktr_found *f, const unsigned char *p, size_t len)
{
	while (len) {
		const struct ktr_rec *rec = (const void *)p;
		const struct ktr_ev_syscall *call = (const void *)(rec + 1);
		const struct ktr_ev_lost *lost = (const void *)(rec + 1);

		if (len < sizeof(*rec) || !rec->len8 || rec->len8 * 8U > len)
			return false;
		f->kinds[rec->kind & 63]++;
		if (rec->kind == KTR_KIND_syscall && call->nr == SYS_getppid)
			f->calls++;
		if (rec->kind == KTR_KIND_lost) {
			f->lost += lost->count;
			f->lost_first = lost->first;
		}
		p += rec->len8 * 8;
		len -= rec->len8 * 8;
	}
	return true;
}

/* @p: the payload of @b. Return: whether it is what was written. */
static bool take(struct ktr_found *f, const struct ktr_file_block *b, const unsigned char *p)
{
	bool good = b->magic == KTR_FILE_BLOCK_MAGIC && !f->footer &&
		    b->header_crc == crc32c(b, offsetof(struct ktr_file_block, header_crc)) &&
		    b->payload_crc == crc32c(p, b->length);

	f->blocks++;
	if (good && b->type == KTR_FILE_DATA)
		good = count(f, p, b->length);
	f->rounds += b->type == KTR_FILE_ROUND;
	f->footer = b->type == KTR_FILE_FOOTER;
	if (f->footer)
		memcpy(&f->foot, p, sizeof(f->foot));
	return good;
}

bool ktr_found_go_on(struct ktr_follower *w)
{
	off_t end = ktr_found_size(w->fd);
	struct ktr_file_block b;
	unsigned char *p;
	bool good = true;
	size_t n;

	while (good && pread(w->fd, &b, sizeof(b), w->at) == sizeof(b)) {
		n = (b.length + 7) & ~7ULL;
		if (w->at + (off_t)(sizeof(b) + n) > end)
			break;
		p = malloc(n + 1);
		good = pread(w->fd, p, n, w->at + sizeof(b)) == n && take(&w->found, &b, p);
		free(p);
		w->at += sizeof(b) + n;
	}
	return good;
}

bool ktr_found_look(const char *path, struct ktr_found *f)
{
	struct ktr_follower w = { .fd = open(path, O_RDONLY) };
	struct ktr_file_header h;
	bool good;

	w.found.header = pread(w.fd, &h, sizeof(h), 0) == sizeof(h) &&
			 !memcmp(h.magic, KTR_FILE_MAGIC, sizeof(h.magic));
	w.at = w.found.header ? h.header_size : 0;
	good = ktr_found_go_on(&w);

	close(w.fd);
	*f = w.found;
	return good;
}
