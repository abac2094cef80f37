// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "events.h"
#include "recmaps.h"
#include "spaces.h"

void recmaps_free(struct recmaps *r)
{
	images_free(&r->images);
	buf_free(&r->maps);
	buf_free(&r->ids);
}

/* At once: later the file may be another. */
static void note_image(struct recmaps *r, const char *path, uint32_t dev, uint64_t ino)
{
	struct image *first = r->images.first, *img;
	const char *id;

	if (*path != '/' || strchr(path, '\n'))
		return;
	img = images_get(&r->images, path, dev, ino);
	if (r->images.first == first)
		return;		/* it is known */
	id = image_build_id(img);
	if (id)
		buf_printf(&r->ids, "%s %x %" PRIx64 " %s\n", id, dev, ino, path);
	image_close(img);
}

static void note_mapped(struct recmaps *r, const struct ktr_rec *rec)
{
	const struct ktr_ev_mapped *ev = EV_AS(mapped, rec);
	const unsigned char *p;
	size_t n = ev_tail(ev_by_kind(rec->kind), rec, &p);

	if (ev && n && !p[n - 1] && !(ev->flags & KTR_MAP_F_DELETED))
		note_image(r, (const char *)p, ev->dev, ev->ino);
}

static void note_lines(struct recmaps *r, char *text)
{
	uint32_t dev;
	uint64_t ino;
	char *line;
	int at;

	while ((line = strsep(&text, "\n"))) {
		at = 0;
		if (sscanf(line, "%*x %*x %*x %*x %" SCNx32 " %" SCNx64 " %n", &dev, &ino, &at) == 2)
			note_image(r, line + at, dev, ino);
	}
}

void recmaps_running(struct recmaps *r, uint32_t tgid)
{
	struct buf b;

	buf_init(&b);
	spaces_tell(&b, tgid);
	buf_write(&r->maps, b.p, b.len);
	buf_str(&b);
	if (b.len)
		note_lines(r, b.p);
	buf_free(&b);
}

static void note_attached(struct recmaps *r, const struct ktr_rec *rec)
{
	const struct ktr_ev_task *ev = EV_AS(task, rec);

	if (ev && ev->flags & KTR_TASK_F_ATTACHED && rec->tid == ev->tgid)
		recmaps_running(r, ev->tgid);
}

void recmaps_note(struct recmaps *r, const void *span, size_t len)
{
	const struct ktr_rec *rec;
	size_t at;

	for (at = 0; at < len; at += rec->len8 * 8u) {
		rec = (const struct ktr_rec *)((const char *)span + at);
		if (rec->kind == KTR_KIND_mapped)
			note_mapped(r, rec);
		else if (rec->kind == KTR_KIND_task)
			note_attached(r, rec);
	}
}

static int put(struct cap_writer *w, enum ktr_file_type type, struct buf *b)
{
	int err = 0;

	if (b->len && b->len <= KTR_FILE_BLOCK_MAX)
		err = cap_put(w, type, 0, 0, 0, b->p, b->len);
	buf_reset(b);
	return err;
}

int recmaps_put(struct recmaps *r, struct cap_writer *w)
{
	int err = put(w, KTR_FILE_MAPS, &r->maps);

	return err ?: put(w, KTR_FILE_IMAGES, &r->ids);
}

void recmaps_take(struct images *is, char *text)
{
	char *line, id[129];
	uint32_t dev;
	uint64_t ino;
	int at;

	while ((line = strsep(&text, "\n"))) {
		at = 0;
		if (sscanf(line, "%128s %" SCNx32 " %" SCNx64 " %n", id, &dev, &ino, &at) == 3 &&
		    line[at] == '/')
			images_expect(is, line + at, dev, ino, id);
	}
}
