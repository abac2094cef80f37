// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * No memory. Every command is made to fail at its first allocation, its second,
 * and so on, until it gets through; see ktr_sweep.h.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "ktr_crew.h"
#include "ktr_ksyms.h"
#include "ktr_sweep.h"
#include "ktr_test.h"

#define NAME	"fault"
#define THREADS	4
#define RING	(64ULL << 10)

struct world {
	struct ktr_session s;		/* of that name, with its reader */
	struct ktr_crew crew;
	__u64 function[3];
	int fd;				/* of the device */
	void *map;
};

FIXTURE(fault) {
	struct ktr_sweep sweep;
	struct ktr_look start;
	struct world world;
};

FIXTURE_SETUP(fault)
{
	static const char *const names[] = { "do_sys_poll", "vfs_read", "vfs_write" };
	struct world *w = &self->world;
	int ret, i;

	KTR_NEED_MODULE();
	w->fd = w->s.fd = w->s.client.fd = -1;
	ret = ktr_sweep_open(&self->sweep, NAME, w);
	if (ret == -ENOENT)
		SKIP(return, "this kernel cannot make allocations fail");
	ASSERT_EQ(0, ret);
	for (i = 0; i < 3; i++)
		w->function[i] = ktr_ksym_addr(names[i]);
	ASSERT_EQ(0, ktr_crew_start(&w->crew, THREADS));
	ASSERT_EQ(0, ktr_look(&self->sweep.client, NAME, &self->start));
	ASSERT_EQ(0, self->start.fact[KTR_SESSIONS]);
}

/* Nothing of it all is left: memory, hooks, the state of who pays. */
FIXTURE_TEARDOWN(fault)
{
	struct world *w = &self->world;

	if (w->s.id)
		ktr_session_close(&w->s);
	if (w->fd >= 0)
		close(w->fd);
	EXPECT_TRUE(ktr_look_becomes(&self->sweep.client, NAME, &self->start));
	ktr_crew_end(&w->crew);
	ktr_sweep_close(&self->sweep);
}

/* Fails and undoes @call or the message of @put. */
#define SWEEP(name_, ...)						\
	ASSERT_EQ(0, ktr_sweep(&self->sweep, &(struct ktr_operation){	\
		.name = name_, ##__VA_ARGS__ }))

static void begin(struct ktr_msg *m, __u8 cmd)
{
	ktr_msg_init(m, cmd);
	ktr_msg_str(m, KTR_A_NAME, NAME);
}

static int send(struct world *w, void (*put)(void *arg, struct ktr_msg *m))
{
	struct ktr_msg m;

	put(w, &m);
	return ktr_client_call(&w->s.client, &m, NULL);
}

/* Sessions, and their readers. */

static void put_new(void *arg, struct ktr_msg *m)
{
	begin(m, KTR_CMD_SESSION_NEW);
	ktr_msg_u64(m, KTR_A_BUF_SIZE, RING);
	ktr_msg_u64(m, KTR_A_CTL_SIZE, RING);
}

static void put_delete(void *arg, struct ktr_msg *m)
{
	begin(m, KTR_CMD_SESSION_DEL);
}

static int end_session(void *arg)
{
	return send(arg, put_delete);
}

TEST_F(fault, new_session_with_a_name)
{
	ASSERT_EQ(0, ktr_client_open(&self->world.s.client));
	SWEEP("new session", .put = put_new, .undo = end_session);
	ktr_client_close(&self->world.s.client);
}

static void put_new_anonymous(void *arg, struct ktr_msg *m)
{
	struct world *w = arg;

	ktr_msg_init(m, KTR_CMD_SESSION_NEW);
	ktr_msg_u64(m, KTR_A_BUF_SIZE, RING);
	ktr_msg_u32(m, KTR_A_FD, w->fd);
}

static int call_open(void *arg)
{
	struct world *w = arg;

	w->fd = open(KTR_DEVICE, O_RDWR);
	return w->fd < 0 ? -errno : 0;
}

static int undo_open(void *arg)
{
	struct world *w = arg;
	int ret = close(w->fd) ? -errno : 0;

	w->fd = -1;
	return ret;
}

static int reopen(void *arg)
{
	return undo_open(arg) ?: call_open(arg);
}

/* The descriptor is another one only after success: it must stay usable. */
TEST_F(fault, new_session_of_a_descriptor)
{
	ASSERT_EQ(0, call_open(&self->world));
	SWEEP("new anonymous session", .put = put_new_anonymous, .undo = reopen);
}

static int call_bind(void *arg)
{
	struct ktr_bind b = { .size = sizeof(b), .name = NAME };
	struct world *w = arg;

	return ioctl(w->fd, KTR_IOC_BIND, &b) ? -errno : 0;
}

static int map(struct world *w, size_t len, int prot, __u64 off)
{
	w->map = mmap(NULL, len, prot, MAP_SHARED, w->fd, off);
	return w->map == MAP_FAILED ? -errno : 0;
}

static int call_map_data(void *arg)
{
	return map(arg, KTR_PAGE + 2 * RING, PROT_READ, KTR_MMAP_DATA(0, 0));
}

static int undo_map_data(void *arg)
{
	struct world *w = arg;

	return munmap(w->map, KTR_PAGE + 2 * RING) ? -errno : 0;
}

static int call_map_position(void *arg)
{
	return map(arg, KTR_PAGE, PROT_READ | PROT_WRITE, KTR_MMAP_CONS(0, 0));
}

static int undo_map_position(void *arg)
{
	struct world *w = arg;

	return munmap(w->map, KTR_PAGE) ? -errno : 0;
}

TEST_F(fault, reader)
{
	struct world *w = &self->world;

	ASSERT_EQ(0, ktr_session_new(&w->s, &(struct ktr_setup){
			.name = NAME, .buf_size = RING, .ctl_size = RING }));
	SWEEP("open", .call = call_open, .undo = undo_open, .unseen = true);
	ASSERT_EQ(0, call_open(w));
	SWEEP("bind", .call = call_bind, .undo = reopen);
	ASSERT_EQ(0, call_bind(w));
	SWEEP("map data", .call = call_map_data, .undo = undo_map_data,
	      .unseen = true);
	SWEEP("map position", .call = call_map_position,
	      .undo = undo_map_position, .unseen = true);
}

/* What a session selects. */

static int open_session(struct world *w)
{
	return ktr_session_open(&w->s, &(struct ktr_setup){
			.name = NAME, .buf_size = RING, .ctl_size = RING });
}

static void put_target(void *arg, struct ktr_msg *m)
{
	struct world *w = arg;

	begin(m, KTR_CMD_TARGET_ADD);
	ktr_msg_u32(m, KTR_A_TARGET_KIND, KTR_TARGET_PID);
	ktr_msg_u32(m, KTR_A_TARGET_ID, w->crew.pid);
	ktr_msg_u32(m, KTR_A_FLAGS, KTR_TARGET_F_FOLLOW);
}

static void put_no_target(void *arg, struct ktr_msg *m)
{
	begin(m, KTR_CMD_TARGET_DEL);
}

static int attach(void *arg)
{
	struct world *w = arg;
	int n = ktr_session_attach(&w->s, KTR_TARGET_PID, w->crew.pid,
				   KTR_TARGET_F_FOLLOW);

	return n < 0 ? n : n == THREADS ? 0 : -ESRCH;
}

static int detach(void *arg)
{
	return send(arg, put_no_target);
}

TEST_F(fault, targets)
{
	struct world *w = &self->world;

	ASSERT_EQ(0, open_session(w));
	SWEEP("attach", .put = put_target, .undo = detach);
	ASSERT_EQ(0, attach(w));
	SWEEP("detach", .put = put_no_target, .undo = attach);
	ASSERT_EQ(0, detach(w));
	/* Now the calls they sleep in are looked at, too. */
	ASSERT_EQ(0, ktr_session_all_calls(&w->s));
	ASSERT_EQ(0, ktr_session_start(&w->s, KTR_BIT(syscall)));
	SWEEP("attach while it runs", .put = put_target, .undo = detach);
}

static void put_row(struct ktr_msg *m, int nr, __u32 max, __u32 flags)
{
	struct ktr_op op = { .form = KTR_FORM_BYTES, .base_src = KTR_SRC_ARG,
			     .base_ref = 1, .len = max, .max = max };
	struct ktr_rows rows = {};

	begin(m, KTR_CMD_SYSCALL_ADD);
	ktr_rows_add(&rows, KTR_ABI_NATIVE, nr, 6, -1, &op, 1);
	ktr_msg_put(m, KTR_A_ROWS, rows.buf, rows.len);
	ktr_msg_u32(m, KTR_A_FLAGS, flags);
}

static void put_first_row(void *arg, struct ktr_msg *m)
{
	put_row(m, SYS_read, 64, KTR_ROWS_F_BEGIN | KTR_ROWS_F_EMPTY);
}

static void put_next_row(void *arg, struct ktr_msg *m)
{
	put_row(m, SYS_write, 4096, 0);
}

static void put_last_row(void *arg, struct ktr_msg *m)
{
	put_row(m, SYS_getppid, 64, KTR_ROWS_F_COMMIT);
}

static int first_row(void *arg)
{
	return send(arg, put_first_row);
}

static int two_rows(void *arg)
{
	return first_row(arg) ?: send(arg, put_next_row);
}

/* The table that was in force when a test began. */
static int old_rows(void *arg)
{
	struct world *w = arg;

	return ktr_session_calls(&w->s, (int[]){ SYS_getppid, -1 });
}

/* What a session is for: of each thread each call comes through. */
static bool records_calls(struct world *w, size_t calls)
{
	struct ktr_call_view v;
	size_t at, n;
	int i;

	ktr_log_clear(&w->s.log);
	if (!ktr_crew_work(&w->crew, calls))
		return false;
	for (i = 0; i < THREADS; i++) {
		if (ktr_session_await(&w->s, KTR_KIND_syscall, w->crew.tid[i],
				      calls))
			return false;
		for (at = n = 0; !ktr_log_call(&w->s.log, &at, SYS_getppid,
					       w->crew.tid[i], &v); n++)
			;
		if (n != calls)
			return false;
	}
	return true;
}

TEST_F(fault, rows)
{
	struct world *w = &self->world;

	ASSERT_EQ(0, open_session(w));
	ASSERT_EQ(0, old_rows(w));
	ASSERT_EQ(0, attach(w));
	ASSERT_EQ(0, ktr_session_start(&w->s, KTR_BIT(syscall)));
	SWEEP("first row", .put = put_first_row, .unseen = true);
	SWEEP("next row", .ready = first_row, .put = put_next_row,
	      .unseen = true);
	SWEEP("last row", .ready = two_rows, .put = put_last_row,
	      .undo = old_rows);
	EXPECT_TRUE(records_calls(w, 3));
}

static void put_filter(void *arg, struct ktr_msg *m)
{
	static const struct ktr_pred preds[] = {
		{ .op = KTR_PRED_GE, .field = KTR_FIELD_RET },
		{ .op = KTR_PRED_EQ, .field = KTR_FIELD_NR, .value = SYS_getppid },
		{ .op = KTR_PRED_AND },
	};

	begin(m, KTR_CMD_SESSION_SET);
	ktr_msg_put(m, KTR_A_FILTER, preds, sizeof(preds));
}

static int no_filter(void *arg)
{
	struct world *w = arg;

	return ktr_session_filter(&w->s, NULL, 0);
}

TEST_F(fault, filter)
{
	struct world *w = &self->world;

	ASSERT_EQ(0, open_session(w));
	ASSERT_EQ(0, ktr_session_all_calls(&w->s));
	ASSERT_EQ(0, attach(w));
	ASSERT_EQ(0, ktr_session_start(&w->s, KTR_BIT(syscall)));
	/* The kernel's JIT does not say that it had no memory. */
	SWEEP("filter", .put = put_filter, .undo = no_filter,
	      .also = -EOPNOTSUPP);
	ASSERT_EQ(0, send(w, put_filter));
	EXPECT_TRUE(records_calls(w, 3));
}

static void put_functions(struct ktr_msg *m, __u8 cmd, const __u64 *addr, int n)
{
	begin(m, cmd);
	ktr_msg_put(m, KTR_A_ADDRS, addr, n * sizeof(*addr));
}

static void put_two_functions(void *arg, struct ktr_msg *m)
{
	struct world *w = arg;

	put_functions(m, KTR_CMD_FUNC_ADD, w->function, 2);
}

static void put_third_function(void *arg, struct ktr_msg *m)
{
	struct world *w = arg;

	put_functions(m, KTR_CMD_FUNC_ADD, &w->function[2], 1);
}

static void put_no_third_function(void *arg, struct ktr_msg *m)
{
	struct world *w = arg;

	put_functions(m, KTR_CMD_FUNC_DEL, &w->function[2], 1);
}

static void put_no_functions(void *arg, struct ktr_msg *m)
{
	begin(m, KTR_CMD_FUNC_DEL);
}

static int no_functions(void *arg)
{
	return send(arg, put_no_functions);
}

static int third_function(void *arg)
{
	return send(arg, put_third_function);
}

static int no_third_function(void *arg)
{
	return send(arg, put_no_third_function);
}

TEST_F(fault, functions)
{
	struct world *w = &self->world;

	ASSERT_EQ(0, open_session(w));
	ASSERT_EQ(0, attach(w));
	SWEEP("functions", .put = put_two_functions, .undo = no_functions);
	ASSERT_EQ(0, send(w, put_two_functions));
	SWEEP("a function more", .put = put_third_function,
	      .undo = no_third_function);
	ASSERT_EQ(0, third_function(w));
	SWEEP("a function less", .put = put_no_third_function,
	      .undo = third_function);
}

/* What a session does. */

#define MANY	(KTR_BIT(syscall) | KTR_BIT(signal_deliver) | \
		 KTR_BIT(signal_generate) | KTR_BIT(sched_in))

static void put_events(void *arg, struct ktr_msg *m)
{
	begin(m, KTR_CMD_SESSION_SET);
	ktr_msg_u64(m, KTR_A_EVENTS_ADD, MANY);
}

static void put_no_events(void *arg, struct ktr_msg *m)
{
	begin(m, KTR_CMD_SESSION_SET);
	ktr_msg_u64(m, KTR_A_EVENTS_DEL, MANY);
}

static int events(void *arg)
{
	return send(arg, put_events);
}

static int no_events(void *arg)
{
	return send(arg, put_no_events);
}

TEST_F(fault, events)
{
	struct world *w = &self->world;

	ASSERT_EQ(0, open_session(w));
	ASSERT_EQ(0, old_rows(w));
	ASSERT_EQ(0, attach(w));
	ASSERT_EQ(0, ktr_session_start(&w->s, 0));
	SWEEP("events", .put = put_events, .undo = no_events);
	ASSERT_EQ(0, events(w));
	SWEEP("no events", .put = put_no_events, .undo = events);
	EXPECT_TRUE(records_calls(w, 3));
}

static void put_start(void *arg, struct ktr_msg *m)
{
	begin(m, KTR_CMD_SESSION_SET);
	ktr_msg_u32(m, KTR_A_STATE, KTR_STATE_RUNNING);
}

static void put_stop(void *arg, struct ktr_msg *m)
{
	begin(m, KTR_CMD_SESSION_SET);
	ktr_msg_u32(m, KTR_A_STATE, KTR_STATE_STOPPED);
}

static int start(void *arg)
{
	return send(arg, put_start);
}

static int stop(void *arg)
{
	return send(arg, put_stop);
}

TEST_F(fault, start_and_stop)
{
	struct world *w = &self->world;

	ASSERT_EQ(0, open_session(w));
	ASSERT_EQ(0, old_rows(w));
	ASSERT_EQ(0, attach(w));
	ASSERT_EQ(0, events(w));
	SWEEP("start", .put = put_start, .undo = stop);
	ASSERT_EQ(0, start(w));
	EXPECT_TRUE(records_calls(w, 3));
	SWEEP("stop", .put = put_stop, .undo = start);
	EXPECT_TRUE(records_calls(w, 3));
}

/* One with everything: it is read, runs, has targets, rows and functions. */
static int whole_session(void *arg)
{
	struct world *w = arg;

	if (w->s.id)
		ktr_session_close(&w->s);
	return open_session(w) ?: two_rows(w) ?: send(w, put_last_row) ?:
	       send(w, put_filter) ?: send(w, put_two_functions) ?:
	       attach(w) ?: events(w) ?: start(w);
}

TEST_F(fault, delete)
{
	struct world *w = &self->world;

	ASSERT_EQ(0, whole_session(w));
	SWEEP("delete", .put = put_delete, .undo = whole_session);
	EXPECT_TRUE(records_calls(w, 3));
}

TEST_HARNESS_MAIN
