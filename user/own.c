// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plain user shows the module an open /proc/PID/mem: the kernel opens it to
 * those who may trace the process, whatever decides that on this machine.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own.h"
#include "parent.h"
#include "setup.h"

/* Programs that a process may run through while we attach to it. */
#define TRIES 20

static int yama_scope(void)
{
	FILE *in = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (!in)
		return 0;
	if (fscanf(in, "%d", &scope) != 1)
		scope = 0;
	fclose(in);
	return scope;
}

static int explain_open(int err, const char *what, struct fault *f)
{
	int scope = yama_scope();

	if (err == ESRCH)
		return fault_set(f, ST_USAGE, "%s: no such process", what);
	if (err != EACCES && err != EPERM)
		return fault_set(f, ST_USAGE, "%s: cannot open its /proc/PID/mem: %s", what,
				 strerror(err));
	if (scope)
		return fault_set(f, ST_DENIED, "%s: not permitted: it is not yours, or runs a set-id program, or kernel.yama.ptrace_scope=%d protects it: run as root, or start it with `ktrctl trace -- CMD`",
				 what, scope);
	return fault_set(f, ST_DENIED, "%s: not permitted: it is not yours, or runs a set-id program or one that you may not read: run as root or with CAP_PERFMON",
			 what);
}

/* Return: a descriptor or -errno. */
static int open_mem(uint32_t pid)
{
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	/* What is left of one that has ended belongs to root. */
	return errno == ENOENT || (errno == EACCES && is_zombie(pid)) ? -ESRCH : -errno;
}

static int try_attach(struct ctl *ctl, struct ctl_ref ref, unsigned int kind,
		      uint32_t id, unsigned int flags, int *mem)
{
	int err;

	*mem = open_mem(id);
	if (*mem < 0)
		return *mem;
	err = ctl_target_add(ctl, ref, kind, id, flags, *mem, NULL);
	close(*mem);
	return err;
}

static int attach_one(struct ctl *ctl, struct ctl_ref ref, const struct own *o,
		      unsigned int kind, uint32_t id, struct fault *f)
{
	unsigned int flags = o->flags & ~KTR_TARGET_F_DESCEND;
	int err, mem, tries = 0;

	do {
		err = try_attach(ctl, ref, kind, id, flags, &mem);
	} while (err == -ESTALE && ++tries < TRIES);
	if (!err || err == -EEXIST)
		return 0;
	if (mem < 0)
		explain_open(-err, o->what, f);
	else
		setup_fault(ctl, err, o->what, f);
	return err;
}

/* Processes that are meant, as they are found. */
struct family {
	uint32_t *pid;
	size_t n;
	uint32_t pgrp;		/* its members; 0: of none */
	bool descend;		/* and children of those that are in */
};

static bool has(const struct family *fam, uint32_t pid)
{
	size_t i;

	for (i = 0; i < fam->n; i++)
		if (fam->pid[i] == pid)
			return true;
	return false;
}

static int grow(struct family *fam, uint32_t pid)
{
	uint32_t *p = realloc(fam->pid, (fam->n + 1) * sizeof(*p));

	if (!p)
		return -ENOMEM;
	fam->pid = p;
	p[fam->n++] = pid;
	return 0;
}

static bool belongs(const struct family *fam, uint32_t pid)
{
	return (fam->pgrp && getpgid(pid) == (pid_t)fam->pgrp) ||
	       (fam->descend && has(fam, parent_of(pid)));
}

/* Those that belong to it; *found: some were not in. */
static int look_for_more(struct family *fam, bool *found)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	int err = 0;

	if (!proc)
		return -errno;
	while (!err && (d = readdir(proc))) {
		uint32_t pid = atoi(d->d_name);

		if (!pid || has(fam, pid) || !belongs(fam, pid))
			continue;
		err = grow(fam, pid);
		*found = true;
	}
	closedir(proc);
	return err;
}

/* This process is left out for another reason: it reads the trace. */
static bool is_refused(uint32_t pid, int err)
{
	return (err == -EACCES || err == -EPERM) && pid != (uint32_t)getpid();
}

/*
 * The module takes one process at a time from a plain user. A child made by one that
 * is attached is followed, if that is asked for; the look goes on until there is no
 * other. Those that are not his are left out, and counted; one that has ended is none.
 * Return: 0 once one was attached, or why the first was not.
 */
static int attach_all(struct ctl *ctl, struct ctl_ref ref, struct own *o, struct family *fam,
		      struct fault *f)
{
	unsigned int kind = o->kind == KTR_TARGET_TID ? KTR_TARGET_TID : KTR_TARGET_PID;
	bool found, good = false;
	int one, err, why = 0;
	struct fault other;
	size_t done = 0;

	do {
		found = false;
		err = look_for_more(fam, &found);
		for (; !err && done < fam->n; done++) {
			one = attach_one(ctl, ref, o, kind, fam->pid[done], done ? &other : f);
			kind = KTR_TARGET_PID;
			o->left_out += is_refused(fam->pid[done], one);
			good |= !one;
			why = done ? why : one;
		}
	} while (!err && found);
	if (err || !fam->n)
		fault_set(f, ST_USAGE, "%s: %s", o->what, strerror(err ? -err : ESRCH));
	return err ?: fam->n ? (good ? 0 : why) : -ESRCH;
}

static int begin_family(struct family *fam, const struct own *o)
{
	*fam = (struct family){ .descend = o->flags & KTR_TARGET_F_DESCEND };
	if (o->kind != KTR_TARGET_PGRP)
		return grow(fam, o->id);
	fam->pgrp = o->id;
	return 0;
}

int own_may(const struct own *o)
{
	struct family fam;
	bool found = true;
	int fd = -ESRCH, one, err = begin_family(&fam, o);
	size_t done = 0;

	while (!err && found && fd < 0) {
		found = false;
		err = look_for_more(&fam, &found);
		for (; !err && done < fam.n && fd < 0; done++) {
			one = open_mem(fam.pid[done]);
			fd = one == -ESRCH ? fd : one;
		}
	}
	free(fam.pid);
	if (fd >= 0)
		close(fd);
	return err ?: fd >= 0 ? 0 : fd == -ESRCH ? -ESRCH : -EPERM;
}

static int attach_family(struct ctl *ctl, struct ctl_ref ref, struct own *o, struct fault *f)
{
	struct family fam;
	int err = begin_family(&fam, o);

	if (!err)
		err = attach_all(ctl, ref, o, &fam, f);
	free(fam.pid);
	return err;
}

static int attach_plain(struct ctl *ctl, struct ctl_ref ref, struct own *o, struct fault *f)
{
	if (o->kind > KTR_TARGET_PGRP)
		return fault_set(f, ST_DENIED, "%s: not permitted: without privilege processes are traced one by one (-p): run as root or with CAP_PERFMON",
				 o->what);
	if (o->kind == KTR_TARGET_PGRP || o->flags & KTR_TARGET_F_DESCEND)
		return attach_family(ctl, ref, o, f);
	return attach_one(ctl, ref, o, o->kind, o->id, f);
}

int own_attach(struct ctl *ctl, struct ctl_ref ref, struct own *o, struct fault *f)
{
	struct ctl_session s = { 0 };
	int err = ctl_session_get(ctl, ref, &s);
	bool plain = s.plain;

	ctl_session_free(&s);
	o->left_out = 0;
	if (!err && plain)
		return attach_plain(ctl, ref, o, f);
	if (!err)
		err = ctl_target_add(ctl, ref, o->kind, o->id, o->flags, -1, NULL);
	if (!err || err == -EEXIST)
		return 0;
	setup_fault(ctl, err, o->what, f);
	return err;
}
