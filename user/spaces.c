// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "events.h"
#include "spaces.h"
#include "unwind.h"

struct space {
	struct space *next;
	uint32_t tgid;
	bool starting;		/* a program; its first mapping has been told */
	struct mapping *map;	/* by address, none over another */
	size_t n, room;
	uint64_t version;
};

static void free_space(struct space *s)
{
	free(s->map);
	free(s);
}

void spaces_free(struct spaces *ss)
{
	struct space *s;
	size_t i;

	for (i = 0; i < SPACES_CHAINS; i++)
		while ((s = ss->chain[i])) {
			ss->chain[i] = s->next;
			free_space(s);
		}
	unwind_free(ss->unwinders);
	images_free(&ss->images);
}

static struct space **slot_of(struct spaces *ss, uint32_t tgid)
{
	struct space **p = &ss->chain[tgid % SPACES_CHAINS];

	while (*p && (*p)->tgid != tgid)
		p = &(*p)->next;
	return p;
}

static struct space *get(struct spaces *ss, uint32_t tgid)
{
	struct space **p = slot_of(ss, tgid);

	if (*p)
		return *p;
	*p = calloc(1, sizeof(**p));
	if (!*p)
		abort();
	(*p)->tgid = tgid;
	return *p;
}

static void drop(struct spaces *ss, uint32_t tgid)
{
	struct space **p = slot_of(ss, tgid), *s = *p;

	if (!s)
		return;
	*p = s->next;
	free_space(s);
}

/* The first that ends above the address. */
static size_t place_of(const struct space *s, uint64_t addr)
{
	return s->n ? bound_above(&s->map->end, s->n, sizeof(*s->map), addr) : 0;
}

static void insert(struct space *s, size_t at, const struct mapping *m)
{
	struct mapping *p;

	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 16;
		p = realloc(s->map, s->room * sizeof(*p));
		if (!p)
			abort();
		s->map = p;
	}
	memmove(s->map + at + 1, s->map + at, (s->n - at) * sizeof(*s->map));
	s->map[at] = *m;
	s->n++;
}

/* Whatever was there before is gone, in whole or in part. */
static void clear(struct space *s, uint64_t start, uint64_t end)
{
	size_t at = place_of(s, start), gone = 0;
	struct mapping rest;

	if (at < s->n && s->map[at].start < start) {
		rest = s->map[at];
		s->map[at++].end = start;
		if (rest.end > end) {
			rest.offset += end - rest.start;
			rest.start = end;
			insert(s, at, &rest);
			return;
		}
	}
	while (at + gone < s->n && s->map[at + gone].end <= end)
		gone++;
	/* Also: where there is no array yet, nothing is computed from it. */
	if (gone)
		memmove(s->map + at, s->map + at + gone,
			(s->n - at - gone) * sizeof(*s->map));
	s->n -= gone;
	if (at < s->n && s->map[at].start < end) {
		s->map[at].offset += end - s->map[at].start;
		s->map[at].start = end;
	}
}

static void add(struct spaces *ss, struct space *s, const struct mapping *m)
{
	if (m->start >= m->end)
		return;
	s->version = ++ss->versions;
	clear(s, m->start, m->end);
	insert(s, place_of(s, m->start), m);
}

static void note_mapped(struct spaces *ss, const struct ktr_rec *rec,
			const struct ktr_ev_mapped *ev)
{
	struct mapping m = { .start = ev->start, .end = ev->end, .offset = ev->offset };
	struct space *s = get(ss, ev->tgid);
	const unsigned char *p;
	size_t n = ev_tail(ev_by_kind(rec->kind), rec, &p);
	char path[4096];

	if (ev->flags & KTR_MAP_F_EXEC && !s->starting) {
		s->n = 0;
		s->version = ++ss->versions;
		s->starting = true;
	}
	n = n ? strnlen((const char *)p, n) : 0;
	if (n >= sizeof(path))
		n = 0;
	memcpy(path, p, n);
	path[n] = '\0';
	/* A file that is gone is not the one that has its name now. */
	if (ev->flags & KTR_MAP_F_DELETED)
		snprintf(path + n, sizeof(path) - n, " (deleted)");
	if (n)
		m.image = images_get(&ss->images, path, ev->dev, ev->ino);
	add(ss, s, &m);
}

/* A child that is no thread has what its parent had. */
static void note_new(struct spaces *ss, const struct ktr_ev_task_new *ev)
{
	struct space *from, *to;

	if (ev->clone_flags & CLONE_THREAD || ev->child_tgid == ev->parent_tgid)
		return;
	drop(ss, ev->child_tgid);
	from = *slot_of(ss, ev->parent_tgid);
	if (!from || !from->n)
		return;
	to = get(ss, ev->child_tgid);
	to->map = malloc(from->n * sizeof(*to->map));
	if (!to->map)
		abort();
	memcpy(to->map, from->map, from->n * sizeof(*to->map));
	to->n = from->n;
	to->room = from->n;
	to->version = from->version;
}

void spaces_read(struct spaces *ss, uint32_t tgid)
{
	struct buf b;

	buf_init(&b);
	spaces_tell(&b, tgid);
	buf_str(&b);		/* a NUL behind it */
	if (b.len)
		spaces_take(ss, b.p);
	buf_free(&b);
}

void spaces_note(struct spaces *ss, const struct ktr_rec *rec)
{
	const struct ktr_ev_mapped *mapped = EV_AS(mapped, rec);
	struct ktr_ev_task_new room;
	const struct ktr_ev_task_new *new = ev_task_new(rec, &room);
	const struct ktr_ev_task *task = EV_AS(task, rec);
	const struct ktr_ev_exec *exec = EV_AS(exec, rec);
	struct ktr_ev_exit exit;
	const struct ktr_ev_exit *out = ev_exit(rec, &exit);

	if (mapped)
		note_mapped(ss, rec, mapped);
	else if (new)
		note_new(ss, new);
	else if (exec)
		get(ss, exec->tgid)->starting = false;
	else if (task && ss->live && task->flags & KTR_TASK_F_ATTACHED &&
		 rec->tid == task->tgid)
		spaces_read(ss, task->tgid);
	else if (out && out->flags & KTR_EXIT_F_GROUP)
		drop(ss, rec->tid);
}

const struct mapping *spaces_find(struct spaces *ss, uint32_t tgid, uint64_t addr)
{
	struct space *s = *slot_of(ss, tgid);
	size_t at = s ? place_of(s, addr) : 0;

	return s && at < s->n && s->map[at].start <= addr ? &s->map[at] : NULL;
}

const struct mapping *spaces_all(struct spaces *ss, uint32_t tgid, size_t *n)
{
	const struct space *s = *slot_of(ss, tgid);

	*n = s ? s->n : 0;
	return s ? s->map : NULL;
}

uint64_t spaces_version(struct spaces *ss, uint32_t tgid)
{
	const struct space *s = *slot_of(ss, tgid);

	return s ? s->version : 0;
}

void spaces_take(struct spaces *ss, char *text)
{
	uint32_t tgid, dev, last = 0;
	char *line, *path;
	struct mapping m;
	uint64_t ino;
	int at;

	while ((line = strsep(&text, "\n"))) {
		m.image = NULL;
		if (sscanf(line, "%" SCNx32 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx32
			   " %" SCNx64 "%n", &tgid, &m.start, &m.end, &m.offset, &dev, &ino,
			   &at) != 6)
			continue;
		path = line + at + (line[at] == ' ');
		if (*path == '/')
			m.image = images_get(&ss->images, path, dev, ino);
		if (tgid != last)
			drop(ss, tgid);
		last = tgid;
		add(ss, get(ss, tgid), &m);
	}
}

void spaces_tell(struct buf *b, uint32_t tgid)
{
	unsigned int dev_major, dev_minor;
	uint64_t start, end, offset, ino;
	char name[32], rights[8], *line = NULL;
	size_t room = 0;
	FILE *f;
	int at;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/maps", tgid);
	f = fopen(name, "re");
	if (!f)
		return;
	while (getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		at = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n",
			   &start, &end, rights, &offset, &dev_major, &dev_minor, &ino, &at) != 7 ||
		    rights[2] != 'x')
			continue;
		buf_printf(b, "%" PRIx32 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %x %" PRIx64 " %s\n",
			   tgid, start, end, offset, dev_major << 20 | dev_minor, ino, line + at);
	}
	free(line);
	fclose(f);
}
