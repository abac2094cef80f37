// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capfile.h"
#include "ctl.h"
#include "events.h"
#include "facility.h"
#include "meta.h"
#include "opts.h"
#include "own.h"
#include "parent.h"
#include "reader.h"
#include "setup.h"
#include "writelock.h"

#define STRING_BYTES 1024	/* of paths and other strings */
#define GENIO_BYTES 4096	/* of input and output; kernel.ktrace.genio_size bounds it too */
#define TRIES 200		/* for a session that is just ending, 10 ms each */
#define WAIT_NS 2000000000ULL	/* for one that may be ending; a try is slow where they end slowly */
#define LONG_WAIT_NS 60000000000ULL	/* for one that is known to be */

/* Points that are made from the records of calls. */
#define CALL_POINTS (KTRFAC_SYSCALL | KTRFAC_SYSRET | KTRFAC_GENIO | KTRFAC_STRUCT | \
		     KTRFAC_STRUCT_ARRAY)

struct target {
	unsigned int kind;	/* enum ktr_target_kind */
	uint32_t id;
	unsigned int flags;	/* KTR_TARGET_F_DESCEND or 0 */
};

struct trace {
	struct ctl *ctl;
	struct ctl_session s;
	struct ctl_ref ref;
	char name[KTR_NAME_MAX];
	int fd;
	bool made;		/* the session is new */
	unsigned int left_out;	/* processes that are not his */
};

uint32_t facility_letters(const char *letters)
{
	static const struct {
		char letter;
		uint32_t points;
	} known[] = {
		{ 'c', KTRFAC_SYSCALL | KTRFAC_SYSRET },
		{ 'f', KTRFAC_FAULT | KTRFAC_FAULTEND }, { 'i', KTRFAC_GENIO },
		{ 'n', KTRFAC_NAMEI }, { 'p', KTRFAC_CAPFAIL }, { 's', KTRFAC_PSIG },
		{ 't', KTRFAC_STRUCT | KTRFAC_STRUCT_ARRAY }, { 'u', KTRFAC_USER },
		{ 'w', KTRFAC_CSW }, { 'y', KTRFAC_SYSCTL }, { '+', FACILITY_DEFAULT },
	};
	uint32_t points = KTRFAC_PROCCTOR | KTRFAC_PROCDTOR;
	size_t i;

	for (; *letters; letters++) {
		for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (known[i].letter == *letters)
				break;
		if (i == sizeof(known) / sizeof(known[0]))
			return 0;
		points |= known[i].points;
	}
	return points;
}

/* The kinds of records that trace points need, besides births and ends. */
static const struct {
	uint32_t points;
	uint64_t kinds;
} needs[] = {
	{ CALL_POINTS, 1ULL << KTR_KIND_syscall | 1ULL << KTR_KIND_syscall_begun },
	{ KTRFAC_NAMEI, 1ULL << KTR_KIND_namei },
	/* The kernel delivers what kills as SIGKILL: what it was is known from the sending. */
	{ KTRFAC_PSIG, 1ULL << KTR_KIND_signal_deliver | 1ULL << KTR_KIND_signal_generate },
	{ KTRFAC_CSW, 1ULL << KTR_KIND_sched_out | 1ULL << KTR_KIND_sched_in },
	{ KTRFAC_USER, 1ULL << KTR_KIND_marker },
	{ KTRFAC_SYSCTL, 1ULL << KTR_KIND_sysctl },
	{ KTRFAC_CAPFAIL, 1ULL << KTR_KIND_cap_fail | 1ULL << KTR_KIND_denied },
	{ KTRFAC_FAULT, 1ULL << KTR_KIND_fault },
	{ KTRFAC_FAULTEND, 1ULL << KTR_KIND_fault_end },
};

static uint64_t events_of(uint32_t points)
{
	uint64_t kinds = ev_group_mask("control", 7) | ev_group_mask("process", 7);
	size_t i;

	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (points & needs[i].points)
			kinds |= needs[i].kinds;
	return kinds;
}

/* Less the points that are not for plain users. Return: 0, or -EPERM: none is left. */
static int leave_out(struct ctl *ctl, uint32_t *points)
{
	uint32_t asked = *points & ~(KTRFAC_PROCCTOR | KTRFAC_PROCDTOR | KTRFAC_INHERIT);
	struct ctl_info info;
	int err = ctl_info(ctl, &info);
	size_t i;

	if (err || info.privileged)
		return err;
	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (!(needs[i].kinds & info.events))
			*points &= ~needs[i].points;
	return asked && !(asked & *points) ? -EPERM : 0;
}

/* What is captured of calls: structs and strings always, data on demand. */
static int set_calls(struct trace *t, uint32_t points)
{
	struct view view = VIEW_DEFAULT;
	struct sysset all;
	struct fault f;

	sysset_all(&all);
	view.strsize = STRING_BYTES;
	view.io.all = points & KTRFAC_GENIO ? GENIO_BYTES : 0;
	return setup_calls(t->ctl, t->ref, &all, &view, 0, KTR_ROWS_F_EMPTY, &f) ? -ENOMEM : 0;
}

/* Put the session's trace points in force. */
static int set_points(struct trace *t, uint32_t points)
{
	struct ctl_set set = {
		.set = CTL_SET_EVENTS | CTL_SET_LABEL, .events = events_of(points),
		.label = points,
	};
	uint32_t changed = t->s.label ^ points;
	int err = 0;

	if (points & CALL_POINTS && (t->made || changed & CALL_POINTS))
		err = set_calls(t, points);
	return err ?: ctl_session_set(t->ctl, t->ref, &set);
}

/* Of these, what is no regular file could do things when it is opened. */
static int open_file(const char *path, struct stat *st)
{
	int flags = O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd;

	if (lstat(path, st))
		return -errno;
	if (S_ISLNK(st->st_mode))
		return -ELOOP;
	if (!S_ISREG(st->st_mode))
		return -EACCES;
	fd = open(path, O_WRONLY | flags);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, st) && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return -EACCES;
}

static void name_session(char name[KTR_NAME_MAX], const struct stat *st)
{
	snprintf(name, KTR_NAME_MAX, KTR_FACILITY_PREFIX "%x:%x:%llu", major(st->st_dev),
		 minor(st->st_dev), (unsigned long long)st->st_ino);
}

/* One that could not write its file writes it no more: it makes room for another. */
static int find_session(struct trace *t)
{
	int err = ctl_session_get(t->ctl, (struct ctl_ref){ .name = t->name }, &t->s);

	if (err || !t->s.file_error)
		return err;
	err = ctl_session_del(t->ctl, (struct ctl_ref){ .id = t->s.id });
	ctl_session_free(&t->s);
	return err ?: -ESHUTDOWN;
}

/* Make the file's session, or find it. */
static int take_session(struct trace *t)
{
	struct ctl_new n = {
		.name = t->name, .fd = -1, .mode = KTR_MODE_DISCARD,
		.flags = KTR_SESSION_F_UNTIL_IDLE | KTR_SESSION_F_KEEP_SELF,
	};
	int tries, err;

	for (tries = 0; tries < TRIES; tries++) {
		err = ctl_session_new(t->ctl, &n, &t->s);
		t->made = !err;
		if (err == -EEXIST)
			err = find_session(t);
		if (!err) {
			t->ref.id = t->s.id;
			return 0;
		}
		if (err != -ENOENT && err != -ESHUTDOWN)
			return err;
		usleep(10000);
	}
	return err;
}

/* What stands at the start of a file; then it is the module's. */
static int hand_over(struct trace *t, const struct stat *st)
{
	struct cap_writer w;
	struct opts o;
	struct buf b;
	int err = 0;

	if (t->s.written)
		return 0;
	err = writelock_take(t->fd);
	/* Who may only read does not decide about it: the module lets one write a file. */
	if (err == -EDEADLK)
		err = 0;
	if (!err && !st->st_size) {
		opts_init(&o);
		buf_init(&b);
		cap_begin(&w, t->fd);
		meta_make(&b, &o, &t->s);
		err = cap_put(&w, KTR_FILE_META, 0, 0, 0, b.p, b.len);
		err = cap_finish(&w) ?: err;
		buf_free(&b);
		opts_free(&o);
	}
	if (!err)
		err = ctl_file(t->ctl, t->ref, t->fd);
	/* Another caller was quicker; or another session writes it. */
	return err == -EBUSY ? 0 : err == -ETXTBSY ? -EAGAIN : err;
}

static int add_target(struct trace *t, const struct target *who, uint32_t points)
{
	struct own o = {
		.kind = who->kind, .id = who->id, .what = "",
		.flags = who->flags | (points & KTRFAC_INHERIT ? KTR_TARGET_F_FOLLOW : 0),
	};
	struct fault f;
	int err = own_attach(t->ctl, t->ref, &o, &f);

	t->left_out = o.left_out;
	return err == -EACCES ? -EPERM : err;
}

static int start(struct trace *t, const struct stat *st, const struct target *who, uint32_t points)
{
	struct ctl_set run = { .set = CTL_SET_STATE, .state = KTR_STATE_RUNNING };
	uint32_t all = t->s.label | points;
	int err = set_points(t, all);

	if (!err)
		err = hand_over(t, st);
	if (!err)
		err = ctl_session_set(t->ctl, t->ref, &run);
	if (!err)
		err = add_target(t, who, all);
	if (err && t->made)
		ctl_session_del(t->ctl, t->ref);
	return err;
}

/* A trace of ours into the file ends just now: its disk may be slow. */
static bool is_ending(const struct trace *t)
{
	struct ctl_session *list;
	bool found = false;
	size_t i, n;

	if (ctl_session_list(t->ctl, &list, &n))
		return false;
	for (i = 0; i < n && !found; i++)
		found = !strcmp(list[i].name, t->name) && list[i].state == KTR_STATE_ENDED &&
			!list[i].file_error;
	ctl_session_list_free(list, n);
	return found;
}

static int set(struct ctl *ctl, const char *file, const struct target *who, uint32_t points,
	       unsigned int *left_out)
{
	struct trace t = { .ctl = ctl };
	uint64_t begin = reader_now(), took = 0;
	struct stat st;
	int err = leave_out(ctl, &points);

	if (err)
		return err;
	t.fd = open_file(file, &st);
	if (t.fd < 0)
		return t.fd;
	name_session(t.name, &st);
	for (; took < WAIT_NS || (took < LONG_WAIT_NS && is_ending(&t));
	     took = reader_now() - begin) {
		err = take_session(&t);
		if (!err)
			err = start(&t, &st, who, points);
		ctl_session_free(&t.s);
		/*
		 * Its last process ended meanwhile, and the session with it, or the
		 * one before writes the end of its records.
		 */
		if (err != -ENOENT && err != -ESHUTDOWN && err != -EAGAIN)
			break;
		usleep(10000);
		fstat(t.fd, &st);
	}
	close(t.fd);
	*left_out = t.left_out;
	return err == -EAGAIN ? -EBUSY : err;
}

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

static int clear_file(struct ctl *ctl, const char *file)
{
	char name[KTR_NAME_MAX];
	struct stat st;
	int tries = 0, err, fd = open_file(file, &st);
	bool ending;

	if (fd < 0)
		return fd;
	close(fd);
	name_session(name, &st);
	do {
		err = end_traces(ctl, name, &ending);
	} while (!err && ending && ++tries < TRIES && !usleep(10000));
	return err;
}

static bool is_one(const struct target *who, uint32_t tgid)
{
	return who->kind == KTR_TARGET_PGRP ? getpgid(tgid) == (pid_t)who->id : tgid == who->id;
}

static bool is_meant(const struct target *who, uint32_t tgid)
{
	for (; tgid; tgid = parent_of(tgid)) {
		if (is_one(who, tgid))
			return true;
		if (!(who->flags & KTR_TARGET_F_DESCEND))
			break;
	}
	return false;
}

static int has_target(struct trace *t, const struct target *who)
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

/* Of one session; that it ends just now is fine. */
static int clear_one(struct ctl *ctl, const struct ctl_session *s, const struct target *who,
		     uint32_t points)
{
	struct trace t = { .ctl = ctl, .s = *s, .ref.id = s->id };
	uint32_t left = s->label & ~points;
	int err;

	if (!(left & KTRFAC_ALL)) {
		err = ctl_target_del(ctl, t.ref, who->kind, who->id, who->flags, NULL);
	} else {
		err = has_target(&t, who);
		if (err > 0)
			err = set_points(&t, left);
	}
	if (err > 0 || err == -ENOENT || err == -ESHUTDOWN || err == -ESRCH)
		err = 0;
	return err;
}

/* What is told of a trace that could not write its file goes with all traces. */
static int clear_session(struct ctl *ctl, const struct ctl_session *s, const struct target *who,
			 uint32_t points)
{
	bool all = who->id == 1 && who->flags & KTR_TARGET_F_DESCEND &&
		   (points & KTRFAC_ALL) == KTRFAC_ALL;

	if (s->label)
		return clear_one(ctl, s, who, points);
	if (all && s->state == KTR_STATE_ENDED && s->file_error)
		ctl_session_del(ctl, (struct ctl_ref){ .id = s->id });
	return 0;
}

static int clear(struct ctl *ctl, const struct target *who, uint32_t points)
{
	size_t i, n, len = strlen(KTR_FACILITY_PREFIX);
	struct ctl_session *list;
	int err = ctl_session_list(ctl, &list, &n);

	if (err)
		return err;
	for (i = 0; i < n; i++)
		if (!strncmp(list[i].name, KTR_FACILITY_PREFIX, len))
			err = clear_session(ctl, &list[i], who, points) ?: err;
	ctl_session_list_free(list, n);
	return err;
}

/* No such process, not: one that is somebody else's. */
static int find(int ops, int pid, struct target *who)
{
	*who = (struct target){
		.kind = pid < 0 ? KTR_TARGET_PGRP : KTR_TARGET_PID,
		.id = pid < 0 ? -(unsigned int)pid : (unsigned int)pid,
		.flags = ops & KTRFLAG_DESCEND ? KTR_TARGET_F_DESCEND : 0,
	};
	return !pid || (kill(pid, 0) && errno == ESRCH) ? -ESRCH : 0;
}

static int apply(struct ctl *ctl, const char *file, int ops, uint32_t points, int pid,
		 unsigned int *left_out)
{
	struct target who;
	int err;

	if (KTROP(ops) == KTROP_CLEARFILE)
		return file ? clear_file(ctl, file) : -EFAULT;
	err = find(ops, pid, &who);
	if (err)
		return err;
	if (KTROP(ops) == KTROP_CLEAR)
		return clear(ctl, &who, points);
	return file ? set(ctl, file, &who, points, left_out) : -EFAULT;
}

static bool is_sound(int ops, uint32_t points)
{
	if (ops & ~(3 | KTRFLAG_DESCEND) || KTROP(ops) > KTROP_CLEARFILE ||
	    points & ~(KTRFAC_ALL | KTRFAC_INHERIT))
		return false;
	return points || KTROP(ops) == KTROP_CLEARFILE;
}

int facility_apply(const char *file, int ops, int points, int pid, unsigned int *left_out)
{
	struct ctl *ctl;
	int err;

	if (!is_sound(ops, points))
		return -EINVAL;
	/* Not there, or this is another kernel than it was made for. */
	if (ctl_open(&ctl))
		return -ENOSYS;
	*left_out = 0;
	err = apply(ctl, file, ops, points, pid, left_out);
	ctl_close(ctl);
	return err == -EOPNOTSUPP ? -ENOSYS : err;
}
