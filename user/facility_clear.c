// SPDX-License-Identifier: GPL-2.0-or-later
/* The ends of traces into files: of a file, of processes, of all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "facility_trace.h"
#include "own.h"
#include "parent.h"
#include "writelock.h"

/*
 * Of that file: one's own, and for who is privileged everybody's. *ending: one of them
 * is ended by somebody else.
 */
static int end_traces(struct ctl *ctl, const char *name, bool *ending)
{
	struct ctl_session *list;
	size_t i, n;
	int one, err = ctl_session_list(ctl, &list, &n);

	*ending = false;
	for (i = 0; !err && i < n; i++) {
		if (strcmp(list[i].name, name))
			continue;
		one = ctl_session_del(ctl, (struct ctl_ref){ .id = list[i].id });
		if (one == -ENOENT || one == -ESHUTDOWN)
			*ending = true;
		else
			err = one;
	}
	if (n)
		ctl_session_list_free(list, n);
	return err;
}

/* Another's goes on: to who may not end it nothing else tells so than its lock. */
static int check_ended(struct ctl *ctl, int fd)
{
	struct ctl_info info;
	int err = ctl_info(ctl, &info);

	if (err || info.privileged)
		return err;
	return writelock_held_on(fd) ? -EBUSY : 0;
}

int facility_clear_file(struct ctl *ctl, const char *file)
{
	char name[KTR_NAME_MAX];
	struct stat st;
	int tries = 0, err, fd = facility_open(file, &st);
	bool ending;

	if (fd < 0)
		return fd;
	facility_name(name, &st);
	do {
		err = end_traces(ctl, name, &ending);
	} while (!err && ending && ++tries < FACILITY_TRIES && !usleep(10000));
	if (!err)
		err = check_ended(ctl, fd);
	close(fd);
	return err;
}

static bool is_one(const struct facility_target *who, uint32_t tgid)
{
	return who->kind == KTR_TARGET_PGRP ? getpgid(tgid) == (pid_t)who->id : tgid == who->id;
}

static bool is_meant(const struct facility_target *who, uint32_t tgid)
{
	for (; tgid; tgid = parent_of(tgid)) {
		if (is_one(who, tgid))
			return true;
		if (!(who->flags & KTR_TARGET_F_DESCEND))
			break;
	}
	return false;
}

static int has_target(struct facility_trace *t, const struct facility_target *who)
{
	struct ctl_target *list;
	size_t i, n;
	int err = ctl_target_list(t->ctl, t->ref, &list, &n);
	bool found = false;

	for (i = 0; !err && i < n && !found; i++)
		found = is_meant(who, list[i].tgid);
	free(list);
	return err ?: found;
}

/* Of one session. Return: 1: it had such a process; 0; or -errno. */
static int clear_one(struct ctl *ctl, const struct ctl_session *s,
		     const struct facility_target *who, uint32_t points)
{
	struct facility_trace t = { .ctl = ctl, .s = *s, .ref.id = s->id };
	uint32_t left = s->label & ~points;
	int err;

	if (!s->label)
		return 0;
	if (!(left & KTRFAC_ALL)) {
		err = ctl_target_del(ctl, t.ref, who->kind, who->id, who->flags, NULL);
		return err ?: 1;
	}
	err = has_target(&t, who);
	return err > 0 ? facility_set_points(&t, left) ?: 1 : err;
}

/*
 * Every process of it, whether they can be seen from here or not. One without any, of
 * whoever makes it just now or has left it behind, goes as well, and so does what is
 * told of one that could not write its file.
 */
static int end_all_of(struct ctl *ctl, const struct ctl_session *s)
{
	int err;

	if (s->state == KTR_STATE_ENDED && !s->file_error)
		return 0;
	err = s->ntargets ? ctl_target_del_all(ctl, (struct ctl_ref){ .id = s->id }, NULL) :
			    -ESRCH;
	if (err == -ESRCH)
		err = ctl_session_del(ctl, (struct ctl_ref){ .id = s->id });
	return err ?: 1;
}

/* By number. */
struct ended {
	uint32_t *id;
	size_t n;
};

static bool means_all(const struct facility_target *who, uint32_t points)
{
	return who->kind == KTR_TARGET_PID && who->id == 1 &&
	       who->flags & KTR_TARGET_F_DESCEND && (points & KTRFAC_ALL) == KTRFAC_ALL;
}

/* Some trace of those that were cleared has no process any more, and has not ended yet. */
static bool is_ending(const struct ctl_session *list, size_t n, const struct ended *e)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < e->n; k++)
			if (list[i].id == e->id[k] && !list[i].ntargets && !list[i].file_error)
				return true;
	return false;
}

/* Until none of them can be seen, as long as a disk answers in a fair time. */
static void wait_ended(struct ctl *ctl, const struct ended *e)
{
	struct ctl_session *list;
	int tries = 0;
	bool more;
	size_t n;

	do {
		if (!e->n || ctl_session_list(ctl, &list, &n))
			return;
		more = is_ending(list, n, e);
		ctl_session_list_free(list, n);
	} while (more && ++tries < FACILITY_TRIES && !usleep(10000));
}

static int clear_each(struct ctl *ctl, const struct facility_target *who, uint32_t points)
{
	size_t i, n, len = strlen(KTR_FACILITY_PREFIX);
	bool all = means_all(who, points);
	struct ctl_session *list;
	int one, found = 0, err = ctl_session_list(ctl, &list, &n);
	struct ended ended = { 0 };

	if (err)
		return err;
	/* Without memory nobody is waited for. */
	ended.id = calloc(n ? n : 1, sizeof(*ended.id));
	for (i = 0; i < n; i++) {
		if (strncmp(list[i].name, KTR_FACILITY_PREFIX, len))
			continue;
		one = all ? end_all_of(ctl, &list[i]) : clear_one(ctl, &list[i], who, points);
		found |= one > 0;
		if ((all || one > 0) && ended.id)
			ended.id[ended.n++] = list[i].id;
		/* That it ends just now is fine. */
		if (one < 0 && one != -ENOENT && one != -ESHUTDOWN && one != -ESRCH)
			err = one;
	}
	ctl_session_list_free(list, n);
	wait_ended(ctl, &ended);
	free(ended.id);
	return err ?: found;
}

/* Where there was nothing to clear, that is no success for who may not do it at all. */
int facility_clear(struct ctl *ctl, const struct facility_target *who, uint32_t points)
{
	struct ctl_info info;
	int err = clear_each(ctl, who, points);

	if (err || means_all(who, points))
		return err < 0 ? err : 0;
	err = ctl_info(ctl, &info);
	if (err || info.privileged)
		return err;
	return own_may(&(struct own){ .kind = who->kind, .id = who->id, .flags = who->flags });
}
