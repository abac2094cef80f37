// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "capfile.h"
#include "ctl.h"
#include "events.h"
#include "facility.h"
#include "facility_trace.h"
#include "meta.h"
#include "opts.h"
#include "own.h"
#include "reader.h"
#include "setup.h"
#include "writelock.h"

#define STRING_BYTES 1024	/* of paths and other strings */
#define GENIO_BYTES 4096	/* of input and output; kernel.ktrace.genio_size bounds it too */
#define LEAST_BUFFER (64ULL << 10)
#define LEAST_ROOM 2048		/* bytes of a file: a beginning, some records and an end */
#define WAIT_NS 2000000000ULL	/* for one that may be ending; a try is slow where they end slowly */
#define LEAST 10			/* so often it is tried in any case */
#define LONG_WAIT_NS 60000000000ULL	/* for one that is known to be */

/* Points that are made from the records of calls. */
#define CALL_POINTS (KTRFAC_SYSCALL | KTRFAC_SYSRET | KTRFAC_GENIO | KTRFAC_STRUCT | \
		     KTRFAC_STRUCT_ARRAY)

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

static uint32_t points_of(char letter)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].letter == letter)
			return known[i].points;
	return 0;
}

uint32_t facility_letters(const char *letters, char *bad)
{
	uint32_t points = KTRFAC_PROCCTOR | KTRFAC_PROCDTOR, more;

	for (; *letters; letters++) {
		more = points_of(*letters);
		if (!more) {
			*bad = *letters;
			return 0;
		}
		points |= more;
	}
	return points;
}

void facility_named(const char *letters, uint32_t points, char *to)
{
	for (; *letters; letters++)
		if (*letters != '+' && points_of(*letters) & points)
			*to++ = *letters;
	*to = '\0';
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
static int set_calls(struct facility_trace *t, uint32_t points)
{
	struct view view = VIEW_DEFAULT;
	struct ctl_session now = { 0 };
	struct sysset all;
	struct fault f;
	int err;

	sysset_all(&all);
	view.strsize = STRING_BYTES;
	view.io.all = points & KTRFAC_GENIO ? GENIO_BYTES : 0;
	if (!setup_calls(t->ctl, t->ref, &all, &view, 0, KTR_ROWS_F_EMPTY, &f))
		return 0;
	/* The fault is words; one that somebody has ended meanwhile is made again. */
	err = ctl_session_get(t->ctl, t->ref, &now);
	ctl_session_free(&now);
	return err ?: -ENOMEM;
}

int facility_set_points(struct facility_trace *t, uint32_t points)
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
int facility_open(const char *path, struct stat *st)
{
	int flags = O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd;

	if (lstat(path, st))
		return -errno;
	if (S_ISLNK(st->st_mode))
		return -ELOOP;
	if (!S_ISREG(st->st_mode))
		return -EACCES;
	/* To be looked at, too, by who may read it. */
	fd = open(path, O_RDWR | flags);
	if (fd < 0 && errno == EACCES)
		fd = open(path, O_WRONLY | flags);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, st) && S_ISREG(st->st_mode))
		return fd;
	close(fd);
	return -EACCES;
}

void facility_name(char name[KTR_NAME_MAX], const struct stat *st)
{
	snprintf(name, KTR_NAME_MAX, KTR_FACILITY_PREFIX "%x:%x:%llu", major(st->st_dev),
		 minor(st->st_dev), (unsigned long long)st->st_ino);
}

/* One that could not write its file writes it no more: it makes room for another. */
static int find_session(struct facility_trace *t)
{
	int err = ctl_session_get(t->ctl, (struct ctl_ref){ .name = t->name }, &t->s);

	if (err || !t->s.file_error)
		return err;
	err = ctl_session_del(t->ctl, (struct ctl_ref){ .id = t->s.id });
	ctl_session_free(&t->s);
	return err ?: -ESHUTDOWN;
}

static int find_or(struct facility_trace *t, int refused)
{
	int err = find_session(t);

	return err == -ENOENT && refused != -EEXIST ? refused : err;
}

/* Make the file's session, or find it. */
static int take_session(struct facility_trace *t, uint64_t buf_size)
{
	struct ctl_new n = {
		.name = t->name, .fd = -1, .mode = KTR_MODE_DISCARD,
		.flags = KTR_SESSION_F_UNTIL_IDLE | KTR_SESSION_F_KEEP_SELF,
		.buf_size = buf_size,
	};
	int tries, err;

	for (tries = 0; tries < FACILITY_TRIES; tries++) {
		err = ctl_session_new(t->ctl, &n, &t->s);
		t->made = !err;
		/* He may have no more of them, and needs none if it is there. */
		if (err == -EEXIST || err == -EDQUOT || err == -EUSERS)
			err = find_or(t, err);
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

/*
 * Bytes of a ring. All rings take an eighth of what is left: buffers of calls may take
 * as much, and the rest is for the traces to come.
 */
static uint64_t fair_size(struct ctl *ctl)
{
	uint64_t size = KTR_BUF_DEFAULT, left;
	struct ctl_info i;

	if (ctl_info(ctl, &i))
		return size;
	/* The bound can be lowered at any time, and passed on request. */
	left = i.max_bytes > i.used_bytes ? i.max_bytes - i.used_bytes : 0;
	while (size > LEAST_BUFFER && 8 * size * i.ncpus > left)
		size /= 2;
	return size;
}

/* Where memory is short rings are smaller: they and the buffers of calls share it. */
static int take_with_points(struct facility_trace *t, uint32_t points)
{
	uint64_t size = fair_size(t->ctl);
	bool found;
	int err;

	do {
		err = take_session(t, size);
		found = !err && !t->made;
		if (!err)
			err = facility_set_points(t, t->s.label | points);
		if (err && t->made)
			ctl_session_del(t->ctl, t->ref);
		if (err)
			ctl_session_free(&t->s);
		size /= 2;
		/* One that is there keeps its rings. */
	} while (!found && (err == -EDQUOT || err == -ENOMEM) && size >= LEAST_BUFFER);
	return err;
}

/* What stands at the start of a file. */
static int write_start(struct facility_trace *t)
{
	struct cap_writer w;
	struct opts o;
	struct buf b;
	int err;

	opts_init(&o);
	buf_init(&b);
	cap_begin(&w, t->fd);
	meta_make(&b, &o, &t->s);
	err = cap_put(&w, KTR_FILE_META, 0, 0, 0, b.p, b.len);
	err = cap_finish(&w) ?: err;
	buf_free(&b);
	opts_free(&o);
	return err;
}

static bool can_read(int fd)
{
	return (fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY;
}

/* Blocks stand at multiples of 8: what is appended is to be found, whatever is in front. */
static int go_on(int fd)
{
	static const char fill[8];
	int err = can_read(fd) ? cap_mend(fd) : 0;
	struct stat st;
	size_t n;

	if (err)
		return err;
	if (fstat(fd, &st))
		return -errno;
	n = -st.st_size & 7;
	return write(fd, fill, n) == (ssize_t)n ? 0 : -EIO;
}

/* Behind something else records could not be read. */
static int check_content(int fd, const struct stat *st)
{
	return st->st_size && can_read(fd) ? cap_look(fd) : 0;
}

/*
 * Who has no room for that has no trace; with less the module could not even say so. What
 * the file holds stays as it is, whoever is killed here. Not all file systems can be asked.
 */
static int try_room(int fd)
{
	struct rlimit limit;
	struct stat st;
	int ret;

	if (fstat(fd, &st) || getrlimit(RLIMIT_FSIZE, &limit))
		return -errno;
	/* A write that passes it would be answered by a signal, which kills. */
	if (limit.rlim_cur < (rlim_t)st.st_size + LEAST_ROOM)
		return -EFBIG;
	do
		ret = fallocate(fd, FALLOC_FL_KEEP_SIZE, st.st_size, LEAST_ROOM);
	while (ret && errno == EINTR);
	return ret && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) ? -errno : 0;
}

static int begin_file(struct facility_trace *t, const struct stat *st)
{
	int err = 0;

	if (t->empty)
		err = ftruncate(t->fd, 0) ? -errno : 0;
	if (!err)
		err = try_room(t->fd);
	if (!err)
		err = st->st_size && !t->empty ? go_on(t->fd) : write_start(t);
	t->of_file = err;
	return err;
}

/*
 * Then the file is the module's. It is asked before, since what is written to a file
 * of procfs or its kind is an order.
 */
static int hand_over(struct facility_trace *t, const struct stat *st)
{
	int err;

	if (t->s.written)
		return 0;
	err = ctl_file_try(t->ctl, t->ref, t->fd);
	if (!err && !t->empty)
		err = check_content(t->fd, st);
	if (!err)
		err = writelock_take(t->fd);
	/* Who may only read does not decide about it: the module lets one write a file. */
	if (err == -EDEADLK)
		err = 0;
	if (!err)
		err = begin_file(t, st);
	if (!err)
		err = ctl_file(t->ctl, t->ref, t->fd);
	if (err == -EINVAL)
		return -EACCES;
	/* Another caller was quicker; or another session writes it. */
	return err == -EBUSY ? 0 : err == -ETXTBSY ? -EAGAIN : err;
}

static int add_target(struct facility_trace *t, const struct facility_target *who, uint32_t points)
{
	struct own o = {
		.kind = who->kind, .id = who->id, .what = "",
		.flags = who->flags | (points & KTRFAC_INHERIT ? KTR_TARGET_F_FOLLOW : 0) |
			 (t->from_exec ? KTR_TARGET_F_EXEC_ARM : 0),
	};
	struct fault f;
	int err = own_attach(t->ctl, t->ref, &o, &f);

	t->left_out = o.left_out;
	return err == -EACCES ? -EPERM : err;
}

static int start(struct facility_trace *t, const struct stat *st, const struct facility_target *who, uint32_t points)
{
	struct ctl_set run = { .set = CTL_SET_STATE, .state = KTR_STATE_RUNNING };
	int err = hand_over(t, st);

	if (!err) {
		err = ctl_session_set(t->ctl, t->ref, &run);
		/* It could not write its file, which is told in a moment: then it makes room. */
		if (err == -EIO && !t->made)
			err = -EAGAIN;
	}
	if (!err)
		err = add_target(t, who, t->s.label | points);
	if (err && t->made)
		ctl_session_del(t->ctl, t->ref);
	return err;
}

/* A trace of ours into the file ends just now: its disk may be slow. */
static bool is_ending(const struct facility_trace *t)
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

/* Again while its last process, and the session with it, ended meanwhile. */
static int try_set(struct facility_trace *t, struct stat *st, const struct facility_target *who,
		   uint32_t points)
{
	uint64_t begin = reader_now(), took = 0;
	int err = -EAGAIN, tries = 0;

	/* Who was held up himself has not tried for long. */
	for (; took < WAIT_NS || tries < LEAST || (took < LONG_WAIT_NS && is_ending(t));
	     took = reader_now() - begin, tries++) {
		err = take_with_points(t, points);
		if (!err)
			err = start(t, st, who, points);
		ctl_session_free(&t->s);
		/* EAGAIN: the one before writes the end of its records. */
		if (err != -ENOENT && err != -ESHUTDOWN && err != -EAGAIN)
			break;
		usleep(10000);
		fstat(t->fd, st);
	}
	/* No error of the file's. */
	return err == -EAGAIN || err == -ENOENT || err == -ESHUTDOWN ? -EBUSY : err;
}

static int set(struct ctl *ctl, struct facility_ask *ask, const struct facility_target *who)
{
	struct facility_trace t = {
		.ctl = ctl, .from_exec = ask->from_exec, .empty = ask->empty,
	};
	uint32_t points = ask->points;
	struct stat st;
	int err = leave_out(ctl, &points);

	if (err)
		return err;
	t.fd = facility_open(ask->file, &st);
	if (t.fd < 0)
		return t.fd;
	facility_name(t.name, &st);
	err = try_set(&t, &st, who, points);
	close(t.fd);
	ask->of_file = t.of_file;
	ask->left_out = t.left_out;
	ask->points_out = ask->points & ~points;
	return err;
}

/* No such process, not: one that is somebody else's. */
static int find(int ops, int pid, struct facility_target *who)
{
	*who = (struct facility_target){
		.kind = pid < 0 ? KTR_TARGET_PGRP : KTR_TARGET_PID,
		.id = pid < 0 ? -(unsigned int)pid : (unsigned int)pid,
		.flags = ops & KTRFLAG_DESCEND ? KTR_TARGET_F_DESCEND : 0,
	};
	return !pid || (kill(pid, 0) && errno == ESRCH) ? -ESRCH : 0;
}

static int apply(struct ctl *ctl, struct facility_ask *ask)
{
	int op = KTROP(ask->ops), err;
	struct facility_target who;

	if (op == KTROP_CLEARFILE)
		return ask->file ? facility_clear_file(ctl, ask->file) : -EFAULT;
	err = find(ask->ops, ask->pid, &who);
	if (err)
		return err;
	if (op == KTROP_CLEAR)
		return facility_clear(ctl, &who, ask->points);
	return ask->file ? set(ctl, ask, &who) : -EFAULT;
}

static bool is_sound(int ops, uint32_t points)
{
	if (ops & ~(3 | KTRFLAG_DESCEND) || KTROP(ops) > KTROP_CLEARFILE ||
	    points & ~(KTRFAC_ALL | KTRFAC_INHERIT))
		return false;
	return points || KTROP(ops) == KTROP_CLEARFILE;
}

/* A session that records nothing says whether any of those may be traced. */
static int try_targets(struct ctl *ctl, const struct facility_ask *ask)
{
	struct ctl_new n = { .mode = KTR_MODE_DISCARD, .buf_size = LEAST_BUFFER };
	struct facility_trace t = { .ctl = ctl };
	struct facility_target who;
	struct fault f;
	int err = find(ask->ops, ask->pid, &who);

	if (err)
		return err;
	/* Where this cannot be asked the trace itself tells: it needs no device. */
	n.fd = reader_device(&f);
	if (n.fd < 0)
		return 0;
	/* One more than he may have: the trace into the file may be there already. */
	if (!ctl_session_new(ctl, &n, &t.s)) {
		t.ref.id = t.s.id;
		err = add_target(&t, &who, 0);
		ctl_session_free(&t.s);
	}
	close(n.fd);
	return err;
}

int facility_try(const struct facility_ask *ask)
{
	struct ctl *ctl;
	int err = ctl_open(&ctl);

	if (err)
		return -ENOSYS;
	err = ask->pid ? try_targets(ctl, ask) : 0;
	ctl_close(ctl);
	return err;
}

int facility_apply(struct facility_ask *ask)
{
	struct ctl *ctl;
	int err;

	if (!is_sound(ask->ops, ask->points))
		return -EINVAL;
	/* Not there, or this is another kernel than it was made for. */
	err = ctl_open(&ctl);
	if (err)
		return err == -EMFILE || err == -ENFILE || err == -ENOMEM ? err : -ENOSYS;
	ask->left_out = ask->points_out = 0;
	ask->of_file = false;
	err = apply(ctl, ask);
	ctl_close(ctl);
	return err == -EOPNOTSUPP ? -ENOSYS : err;
}
