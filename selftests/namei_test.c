// SPDX-License-Identifier: GPL-2.0-or-later
/* Path lookups: the kernel's own copy of the name. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "ktr_test.h"

FIXTURE(namei) {
	struct ktr_session s;
	struct ktr_child child;
	pid_t pid;
	int status;
};

FIXTURE_SETUP(namei)
{
	KTR_NEED_MODULE();
	ASSERT_EQ(0, ktr_session_open(&self->s, &(struct ktr_setup){}));
	ASSERT_EQ(0, ktr_session_all_calls(&self->s));
	ASSERT_EQ(0, ktr_session_start(&self->s, KTR_BIT(namei) | KTR_BIT(syscall)));
}

FIXTURE_TEARDOWN(namei)
{
	KTR_EXPLAIN(&self->s);
	ktr_child_kill(&self->child);
	ktr_session_close(&self->s);
}

static int trace(FIXTURE_DATA(namei) *self, int (*fn)(void *), void *arg)
{
	int ret = ktr_child_traced(&self->child, &self->s, 0, fn, arg);

	if (ret)
		return ret;
	self->pid = self->child.pid;
	self->status = ktr_child_run(&self->child);
	return ktr_session_finish(&self->s);
}

/* How many lookups of this name, for what, in which call there were. */
static int count(FIXTURE_DATA(namei) *self, const char *name, __u32 what, int nr)
{
	const struct ktr_rec *rec;
	size_t at = 0;
	int n = 0;

	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_namei, self->pid))) {
		const struct ktr_ev_namei *ev = ktr_payload(rec);

		if (ev->what == what && ev->nr == nr && !ev->abi &&
		    !strcmp((const char *)(ev + 1), name))
			n++;
	}
	return n;
}

static int looks_up(void *arg)
{
	struct stat st;

	open("/no/such/file", O_RDONLY);
	syscall(SYS_access, "/no/such/link", 0);
	mkdir("/no/such/directory/new", 0700);
	return stat("/dev/null", &st);
}

TEST_F(namei, open_lookup_parent)
{
	ASSERT_EQ(0, trace(self, looks_up, NULL));
	EXPECT_EQ(1, count(self, "/no/such/file", KTR_NAMEI_OPEN, SYS_openat));
	EXPECT_EQ(1, count(self, "/no/such/link", KTR_NAMEI_LOOKUP, SYS_access));
	EXPECT_EQ(1, count(self, "/no/such/directory/new", KTR_NAMEI_PARENT,
			   SYS_mkdir));
}

#define SCRIPT "/tmp/ktracer-script"

static int runs_script(void *arg)
{
	char *argv[] = { SCRIPT, NULL };

	execv(SCRIPT, argv);
	return errno;
}

/* Case B-10: the name of the interpreter is in no argument. */
TEST_F(namei, missing_interpreter)
{
	static const char text[] = "#!/no/such/interpreter\n";
	int fd = open(SCRIPT, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	ASSERT_LE(0, fd);
	ASSERT_EQ(sizeof(text) - 1, write(fd, text, sizeof(text) - 1));
	close(fd);
	ASSERT_EQ(0, trace(self, runs_script, NULL));
	unlink(SCRIPT);
	EXPECT_EQ(ENOENT << 8, self->status);
	EXPECT_EQ(1, count(self, SCRIPT, KTR_NAMEI_OPEN, SYS_execve));
	EXPECT_EQ(1, count(self, "/no/such/interpreter", KTR_NAMEI_OPEN,
			   SYS_execve));
}

static int opens_untouched(void *arg)
{
	int fd = open(SCRIPT, O_RDONLY);
	char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	return syscall(SYS_openat, AT_FDCWD, map, O_RDONLY) < 0 ? errno : 0;
}

/* Case B-01, as the kernel has it. */
TEST_F(namei, name_in_an_untouched_page)
{
	int fd = open(SCRIPT, O_RDWR | O_CREAT | O_TRUNC, 0600);

	ASSERT_EQ(14, write(fd, "/no/such/late", 14));
	close(fd);
	ASSERT_EQ(0, trace(self, opens_untouched, NULL));
	unlink(SCRIPT);
	EXPECT_EQ(1, count(self, "/no/such/late", KTR_NAMEI_OPEN, SYS_openat));
}

static int opens_long(void *name)
{
	open(name, O_RDONLY);
	return 0;
}

TEST_F(namei, name_of_4095_bytes_is_whole)
{
	static char name[4096];
	int i;

	for (i = 0; i < 4095; i++)
		name[i] = i % 200 ? 'a' + i % 26 : '/';
	ASSERT_EQ(0, trace(self, opens_long, name));
	EXPECT_EQ(1, count(self, name, KTR_NAMEI_OPEN, SYS_openat));
}

#define OK	"/tmp/ktracer-ok"
#define SECRET	"/tmp/ktracer-secret"

struct race {
	int n;
	volatile bool begun, over;
	char path[32];
	ino_t ino[];		/* of each open, in order */
};

static void *flips(void *arg)
{
	struct race *r = arg;

	ktr_pin(1);
	r->begun = true;
	while (!r->over) {
		strcpy(r->path + 13, "secret");
		__asm__ volatile("" ::: "memory");
		strcpy(r->path + 13, "ok");
		__asm__ volatile("" ::: "memory");
	}
	return NULL;
}

static int opens_racing(void *arg)
{
	struct race *r = arg;
	struct stat st;
	pthread_t other;
	int i, fd;

	/* On one CPU the name would hardly ever change within a call. */
	ktr_pin(0);
	if (pthread_create(&other, NULL, flips, r))
		return 1;
	while (!r->begun)
		sched_yield();
	for (i = 0; i < r->n; i++) {
		fd = syscall(SYS_openat, AT_FDCWD, r->path, O_RDONLY);
		r->ino[i] = fd < 0 || fstat(fd, &st) ? 0 : st.st_ino;
		close(fd);
	}
	r->over = true;
	return pthread_join(other, NULL);
}

/* Case B-12: another thread changes the name; every open had the kernel's. */
TEST_F(namei, name_that_changes_meanwhile)
{
	static const struct ktr_op path = { .form = KTR_FORM_STR, .base_src = KTR_SRC_ARG,
					    .base_ref = 1, .max = 4096 };
	int n = ktr_scaled(100000), i = 0, both[2] = {}, other = 0;
	size_t len = sizeof(struct race) + n * sizeof(ino_t), at = 0, call = 0;
	struct race *r = mmap(NULL, len, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct ktr_section *sec;
	const struct ktr_rec *rec;
	struct ktr_rows rows = {};
	struct ktr_call_view v;
	struct stat ok, secret;
	ino_t ino;

	ASSERT_NE(MAP_FAILED, r);
	ktr_rows_add(&rows, KTR_ABI_NATIVE, SYS_openat, 6, -1, &path, 1);
	ASSERT_EQ(0, ktr_session_rows(&self->s, &rows, 0));
	close(open(OK, O_CREAT | O_RDWR, 0600));
	close(open(SECRET, O_CREAT | O_RDWR, 0600));
	ASSERT_EQ(0, stat(OK, &ok));
	ASSERT_EQ(0, stat(SECRET, &secret));
	r->n = n;
	strcpy(r->path, OK);
	ASSERT_EQ(0, trace(self, opens_racing, r));
	ASSERT_EQ(0, self->status);
	while ((rec = ktr_log_next(&self->s.log, &at, KTR_KIND_namei, self->pid))) {
		const struct ktr_ev_namei *ev = ktr_payload(rec);
		const char *name = (const char *)(ev + 1);

		if (ev->what != KTR_NAMEI_OPEN || strncmp(name, "/tmp/ktracer-", 13))
			continue;
		ASSERT_LT(i, n);
		/* Half of each is possible, and no file. */
		ino = !strcmp(name, OK) ? ok.st_ino :
		      !strcmp(name, SECRET) ? secret.st_ino : 0;
		ASSERT_EQ(ino, r->ino[i]);
		/* What the call was given, as it was seen a moment before. */
		ASSERT_EQ(0, ktr_log_call(&self->s.log, &call, SYS_openat, self->pid, &v));
		sec = ktr_call_section(&v, 0, 0);
		ASSERT_NE(NULL, sec);
		ASSERT_EQ(0, v.ret < 0 && ino);
		other += sec->head->len != strlen(name) ||
			 memcmp(sec->bytes, name, sec->head->len);
		both[!strcmp(name, OK)]++;
		i++;
	}
	unlink(OK);
	unlink(SECRET);
	EXPECT_EQ(n, i);
	/* Else nothing has been tried: the name did not change between these two. */
	EXPECT_LT(0, other);
	EXPECT_LT(0, both[0]);
	EXPECT_LT(0, both[1]);
}

/* Only while somebody wants them is the kernel hooked. */
TEST_F(namei, not_asked_for)
{
	ASSERT_EQ(0, ktr_session_set(&self->s, KTR_A_EVENTS, KTR_BIT(syscall)));
	EXPECT_FALSE(ktr_session_u64(&self->s, KTR_A_PROBES) & KTR_BIT(namei));
	ASSERT_EQ(0, trace(self, looks_up, NULL));
	EXPECT_EQ(0, ktr_log_count(&self->s.log, KTR_KIND_namei, 0));
}

TEST_HARNESS_MAIN
