// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "ktr_crew.h"
#include "ktr_wait.h"

struct ktr_crew_board {
	int order;		/* changes with every order */
	int done;		/* threads that have done it */
	long calls;
	pid_t tid[KTR_CREW_MAX];
};

struct place {
	struct ktr_crew_board *board;
	int nr;
};

static void *work(void *arg)
{
	struct place *at = arg;
	struct ktr_crew_board *b = at->board;
	int seen = 0, order;
	long i;

	ktr_pin(at->nr % sysconf(_SC_NPROCESSORS_ONLN));
	__atomic_store_n(&b->tid[at->nr], gettid(), __ATOMIC_RELEASE);
	for (;;) {
		while ((order = __atomic_load_n(&b->order, __ATOMIC_ACQUIRE)) ==
		       seen)
			syscall(SYS_futex, &b->order, FUTEX_WAIT, seen, NULL);
		seen = order;
		for (i = b->calls; i > 0; i--)
			syscall(SYS_getppid);
		__atomic_add_fetch(&b->done, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void crew_main(struct ktr_crew_board *board, int n)
{
	static struct place place[KTR_CREW_MAX];
	pthread_t t;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < n; i++)
		place[i] = (struct place){ board, i };
	for (i = 1; i < n; i++)
		if (pthread_create(&t, NULL, work, &place[i]))
			_exit(1);
	work(&place[0]);
}

static bool all_there(const struct ktr_crew *c)
{
	int i;

	for (i = 0; i < c->n; i++)
		if (!__atomic_load_n(&c->board->tid[i], __ATOMIC_ACQUIRE))
			return false;
	return true;
}

int ktr_crew_start(struct ktr_crew *c, int n)
{
	memset(c, 0, sizeof(*c));
	c->n = n;
	c->board = mmap(NULL, sizeof(*c->board), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->board == MAP_FAILED)
		return -errno;
	c->pid = fork();
	if (c->pid < 0)
		return -errno;
	if (!c->pid)
		crew_main(c->board, n);
	if (!ktr_wait_for(all_there(c)))
		return -ETIME;
	memcpy(c->tid, c->board->tid, sizeof(c->tid));
	return 0;
}

bool ktr_crew_work(struct ktr_crew *c, long calls)
{
	struct ktr_crew_board *b = c->board;

	b->calls = calls;
	b->done = 0;
	__atomic_add_fetch(&b->order, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &b->order, FUTEX_WAKE, c->n);
	return ktr_wait_for(__atomic_load_n(&b->done, __ATOMIC_ACQUIRE) == c->n);
}

void ktr_crew_end(struct ktr_crew *c)
{
	if (c->pid <= 0)
		return;
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	munmap(c->board, sizeof(*c->board));
	c->pid = 0;
}
