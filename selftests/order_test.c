// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of several CPUs, merged by time, tell what happened when. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include "ktr_test.h"

#define FULL 100000	/* turns at KTR_SCALE=1 */

enum { PING, PONG };

/* What a pair of processes does, and what was recorded of it. */
struct game {
	long turns;
	int there[2], back[2];
	struct track {
		pid_t pid;
		long n;
		struct { __u64 start, end; } *call;
	} writes[2], reads[2];
};

FIXTURE(order) {
	struct ktr_session s;
	struct ktr_child child[2];
	struct game game;
	__u64 cut;		/* live: all before this time has been seen */
	__u64 late;		/* records that came after such a time */
};

static int play(struct game *g, int who)
{
	int in = who == PING ? g->back[0] : g->there[0];
	int out = who == PING ? g->there[1] : g->back[1];
	char c = 'x';
	long i;

	ktr_pin(who % get_nprocs());
	for (i = 0; i < g->turns; i++) {
		if (who == PING && syscall(SYS_write, out, &c, 1) != 1)
			return 1;
		if (syscall(SYS_read, in, &c, 1) != 1)
			return 1;
		if (who == PONG && syscall(SYS_write, out, &c, 1) != 1)
			return 1;
	}
	return 0;
}

static int ping(void *arg)
{
	return play(arg, PING);
}

static int pong(void *arg)
{
	return play(arg, PONG);
}

static void new_track(struct track *t, pid_t pid, long n)
{
	t->pid = pid;
	t->call = calloc(n, sizeof(*t->call));
}

FIXTURE_SETUP(order)
{
	static const int nrs[] = { SYS_read, SYS_write, -1 };
	struct game *g = &self->game;
	int i;

	KTR_NEED_MODULE();
	g->turns = ktr_scaled(FULL);
	ASSERT_EQ(0, pipe(g->there));
	ASSERT_EQ(0, pipe(g->back));
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){
			.buf_size = 16 << 20 }));
	ASSERT_EQ(0, ktr_session_calls(&self->s, nrs));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(syscall)));
	for (i = PING; i <= PONG; i++) {
		ASSERT_EQ(0, ktr_child_traced(&self->child[i], &self->s, 0,
					      i == PING ? ping : pong, g));
		/* One more would be one too many, and seen. */
		new_track(&g->writes[i], self->child[i].pid, g->turns + 1);
		new_track(&g->reads[i], self->child[i].pid, g->turns + 1);
	}
}

FIXTURE_TEARDOWN(order)
{
	ktr_child_kill(&self->child[PING]);
	ktr_child_kill(&self->child[PONG]);
	ktr_session_close(&self->s);
}

static bool is_of_game(const struct game *g, const struct ktr_call_view *v)
{
	int fd = v->args[0];

	return v->nr == SYS_read ? fd == g->there[0] || fd == g->back[0] :
				   fd == g->there[1] || fd == g->back[1];
}

/* The next record in the merged order. */
static void track_call(FIXTURE_DATA(order) *self, const struct ktr_rec *rec)
{
	struct game *g = &self->game;
	struct ktr_call_view v;
	int who;

	if (rec->kind != KTR_KIND_syscall || ktr_call_parse(rec, &v) ||
	    !is_of_game(g, &v))
		return;
	for (who = PING; who <= PONG; who++) {
		struct track *t = v.nr == SYS_read ? &g->reads[who] :
						     &g->writes[who];

		if (rec->tid != (__u32)t->pid || t->n > g->turns)
			continue;
		t->call[t->n].start = v.start;
		t->call[t->n++].end = rec->time;
	}
}

static int take(void *arg, __u32 cpu, int ring, __u64 pos,
		const struct ktr_rec *rec)
{
	FIXTURE_DATA(order) *self = arg;

	if (rec->time < self->cut)
		self->late++;
	return ktr_log_add(&self->s.log, cpu, ring, pos, rec);
}

/* All that is older than the cut goes on; the rest waits for the next round. */
static void give_out(FIXTURE_DATA(order) *self)
{
	struct ktr_log *log = &self->s.log, rest = {};
	size_t i;

	ktr_log_sort(log);
	for (i = 0; i < log->n; i++) {
		const struct ktr_entry *e = &log->v[i];

		if (e->rec->time < self->cut)
			track_call(self, e->rec);
		else
			ktr_log_add(&rest, e->cpu, e->ring, e->pos, e->rec);
	}
	ktr_log_clear(log);
	*log = rest;
}

/*
 * One round of a live reader, as the header describes it: what is older than
 * self->cut when it returns has been seen.
 */
static int live_round(FIXTURE_DATA(order) *self)
{
	struct ktr_reader *r = &self->s.reader;
	__u64 now = ktr_now();
	__u32 i;
	int ret;

	for (i = 0; i < r->ncpus * __KTR_RING_LAST; i++)
		r->map[i].shared = __atomic_load_n(&r->map[i].prod->reserved,
						   __ATOMIC_ACQUIRE);
	for (i = 0; i < r->ncpus * __KTR_RING_LAST; i++)
		while (__atomic_load_n(&r->map[i].prod->committed,
				       __ATOMIC_ACQUIRE) < r->map[i].shared)
			sched_yield();
	ret = ktr_reader_round(r, take, self);
	self->cut = now;
	give_out(self);
	return ret;
}

TEST_F(order, ping_pong_is_in_order_live_too)
{
	struct game *g = &self->game;
	long i;

	if (get_nprocs() < 2)
		SKIP(return, "this needs two CPUs");
	ktr_child_go(&self->child[PONG]);
	ktr_child_go(&self->child[PING]);
	while (ktr_task_state(self->child[PING].pid) != 'Z') {
		ASSERT_EQ(0, live_round(self));
		usleep(500);
	}
	ASSERT_EQ(0, ktr_child_wait(&self->child[PING]));
	ASSERT_EQ(0, ktr_child_wait(&self->child[PONG]));
	ASSERT_EQ(0, live_round(self));
	EXPECT_EQ(0, self->late);

	ASSERT_EQ(g->turns, g->writes[PING].n);
	ASSERT_EQ(g->turns, g->reads[PING].n);
	ASSERT_EQ(g->turns, g->writes[PONG].n);
	ASSERT_EQ(g->turns, g->reads[PONG].n);
	for (i = 0; i < g->turns; i++) {
		ASSERT_LT(g->writes[PING].call[i].start,
			  g->reads[PONG].call[i].end);
		ASSERT_LT(g->reads[PONG].call[i].end,
			  g->writes[PONG].call[i].start);
		ASSERT_LT(g->writes[PONG].call[i].start,
			  g->reads[PING].call[i].end);
		if (i)
			ASSERT_LT(g->reads[PING].call[i - 1].end,
				  g->writes[PING].call[i].start);
	}
}

/* The clock of the records is the one user space reads. */
TEST_F(order, times_are_those_of_the_monotonic_clock)
{
	struct game *g = &self->game;
	__u64 before = ktr_now(), after;

	g->turns = 1;
	/* The children have the old number; they end with their pipes. */
	ktr_child_kill(&self->child[PING]);
	ktr_child_kill(&self->child[PONG]);
	g->writes[PING].n = g->reads[PING].n = 0;
	ASSERT_EQ(0, ktr_child_traced(&self->child[PONG], &self->s, 0, pong, g));
	ASSERT_EQ(0, ktr_child_traced(&self->child[PING], &self->s, 0, ping, g));
	g->writes[PING].pid = g->reads[PING].pid = self->child[PING].pid;
	ktr_child_go(&self->child[PONG]);
	ASSERT_EQ(0, ktr_child_run(&self->child[PING]));
	ASSERT_EQ(0, ktr_child_wait(&self->child[PONG]));
	after = ktr_now();
	ASSERT_EQ(0, live_round(self));
	ASSERT_EQ(1, g->writes[PING].n);
	EXPECT_LT(before, g->writes[PING].call[0].start);
	EXPECT_LT(g->writes[PING].call[0].end, after);
}

TEST_HARNESS_MAIN
