// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a trace file begins with: its header and what its maker has written behind that,
 * so that it can be written once more when somebody has emptied the file.
 */
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../uapi/ktracer.h"
#include "../uapi/ktracer_file.h"
#include "filestart.h"

#define START_MAX 65536u	/* it is kept for as long as the file is written */

static bool is_header(const struct ktr_file_header *h, size_t n)
{
	return n >= sizeof(*h) && !memcmp(h->magic, KTR_FILE_MAGIC, sizeof(h->magic)) &&
	       h->header_size >= sizeof(*h) && h->header_size <= n && !(h->header_size & 7);
}

/* Of what has been read: the header and the whole blocks in front of any record. */
static size_t start_len(const void *p, size_t n)
{
	size_t at = is_header(p, n) ? ((const struct ktr_file_header *)p)->header_size : 0;

	while (at && n - at >= sizeof(struct ktr_file_block)) {
		const struct ktr_file_block *b = p + at;
		size_t room = n - at - sizeof(*b);

		if (b->magic != KTR_FILE_BLOCK_MAGIC || b->type == KTR_FILE_DATA ||
		    b->type == KTR_FILE_ROUND || b->type == KTR_FILE_FOOTER ||
		    b->length > room || round_up(b->length, 8) > room)
			break;
		at += sizeof(*b) + round_up(b->length, 8);
	}
	return at;
}

static size_t read_start(struct file *file, void *p)
{
	loff_t pos = 0;
	ssize_t n = file->f_mode & FMODE_READ ? kernel_read(file, p, START_MAX, &pos) : 0;

	return n > 0 ? start_len(p, n) : 0;
}

/* Without more than a reader must know: who may only write a file, or writes other things. */
static void make_start(struct ktr_filestart *s)
{
	struct ktr_file_header *h = s->p;

	*h = (struct ktr_file_header){
		.endian = KTR_FILE_ENDIAN, .version = KTR_FILE_VERSION,
		.header_size = sizeof(*h), .wire = KTR_VERSION,
	};
	memcpy(h->magic, KTR_FILE_MAGIC, sizeof(h->magic));
	s->len = sizeof(*h);
}

int ktr_filestart_read(struct ktr_filestart *s, struct file *file)
{
	void *buf = kvmalloc(START_MAX, GFP_KERNEL);
	int ret = -ENOMEM;

	if (!buf)
		return ret;
	s->len = read_start(file, buf);
	s->p = kvmalloc(max(s->len, sizeof(struct ktr_file_header)), GFP_KERNEL_ACCOUNT);
	if (!s->p)
		goto out;
	ret = 0;
	if (s->len)
		memcpy(s->p, buf, s->len);
	else
		make_start(s);
out:
	kvfree(buf);
	return ret;
}

void ktr_filestart_free(struct ktr_filestart *s)
{
	kvfree(s->p);
	s->p = NULL;
}
