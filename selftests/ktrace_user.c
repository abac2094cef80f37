// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A user of libktrace, written from ktrace(3) alone:
 *
 *	ktrace_user trace FILE		traces a child that does known things
 *	ktrace_user read FILE		prints the records of a trace file
 *	ktrace_user errors FOLDER	tries what has to fail, prints what does not
 *	ktrace_user leave FILE PID	sets a trace and goes
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ktracer/ktrace.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_child[2], to_parent[2];

static void handler(int sig)
{
}

static void step(int fd_out, int fd_in)
{
	char c = 'x';

	if (write(fd_out, &c, 1) != 1 || read(fd_in, &c, 1) != 1)
		_exit(99);
}

static void deeds(const char *mark)
{
	struct stat st;
	char buf[64];
	volatile char *page;
	int fd;

	fd = open("/proc/sys/kernel/ostype", O_RDONLY);
	if (fd < 0 || read(fd, buf, sizeof(buf)) < 1)
		_exit(98);
	close(fd);
	stat("/no/such/file", &st);
	fstat(0, &st);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*page = 1;
	syscall(SYS_sethostname, "", -1);
	kill(getpid(), SIGUSR1);
	utrace(mark, strlen(mark));
	if (!fork())
		_exit(7);
	wait(NULL);
}

static int child(void)
{
	signal(SIGUSR1, handler);
	step(to_parent[1], to_child[0]);
	deeds("first");
	step(to_parent[1], to_child[0]);
	deeds("second");
	step(to_parent[1], to_child[0]);
	deeds("third");
	return 0;
}

static int must(const char *what, int result)
{
	if (!result)
		return 0;
	printf("%s: %s\n", what, strerror(errno));
	return 1;
}

static int trace(const char *file)
{
	pid_t pid;
	int status;
	char c;

	close(open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600));
	if (pipe(to_child) || pipe(to_parent))
		return 1;
	pid = fork();
	if (!pid)
		_exit(child());
	if (read(to_parent[0], &c, 1) != 1 ||
	    must("set", ktrace(file, KTROP_SET, KTRFAC_ALL | KTRFAC_INHERIT, pid)))
		return 1;
	step(to_child[1], to_parent[0]);
	if (must("clear two", ktrace(NULL, KTROP_CLEAR, KTRFAC_PSIG | KTRFAC_USER, pid)))
		return 1;
	step(to_child[1], to_parent[0]);
	if (must("clear the file", ktrace(file, KTROP_CLEARFILE, 0, 0)))
		return 1;
	if (write(to_child[1], &c, 1) != 1 || waitpid(pid, &status, 0) != pid)
		return 1;
	printf("%d\n", pid);
	return status;
}

static const char *const types[] = {
	[KTR_SYSCALL] = "CALL", [KTR_SYSRET] = "RET", [KTR_NAMEI] = "NAMI",
	[KTR_GENIO] = "GIO", [KTR_PSIG] = "PSIG", [KTR_CSW] = "CSW", [KTR_USER] = "USER",
	[KTR_STRUCT] = "STRU", [KTR_SYSCTL] = "SCTL", [KTR_PROCCTOR] = "PCTR",
	[KTR_PROCDTOR] = "PDTR", [KTR_CAPFAIL] = "CAP", [KTR_FAULT] = "PFLT",
	[KTR_FAULTEND] = "PRET", [KTR_STRUCT_ARRAY] = "SARR",
};

static void print_array(const struct ktr_struct_array *a, size_t len)
{
	const char *name = (const char *)(a + 1);

	len -= sizeof(*a) + strlen(name) + 1;
	printf(" %s %zu of %zu", name, len / a->struct_size, a->struct_size);
}

static void print(const struct ktr_header *h, const void *p)
{
	const struct ktr_syscall *call = p;
	const struct ktr_sysret *ret = p;
	const struct ktr_sysctl *ctl = p;
	const struct ktr_psig *sig = p;
	const struct ktr_genio *io = p;
	const struct ktr_csw *csw = p;
	const struct ktr_proc_ctor *ctor = p;
	/* The flag is the sign of a short. */
	short type = h->ktr_type & ~KTR_DROP;

	printf("%d %ld %s %lld %s%s", h->ktr_pid, h->ktr_tid, h->ktr_comm,
	       (long long)h->ktr_time.tv_sec, h->ktr_type & KTR_DROP ? "DROP " : "", types[type]);
	switch (type) {
	case KTR_SYSCALL:
		printf(" %d %d", call->ktr_code, call->ktr_narg);
		break;
	case KTR_SYSRET:
		printf(" %d %ld %d", ret->ktr_code, ret->ktr_retval, ret->ktr_error);
		break;
	case KTR_NAMEI:
	case KTR_USER:
		printf(" %.*s", h->ktr_len, (const char *)p);
		break;
	case KTR_STRUCT:
		printf(" %s", (const char *)p);
		break;
	case KTR_STRUCT_ARRAY:
		print_array(p, h->ktr_len);
		break;
	case KTR_SYSCTL:
		printf(" %s %.*s", ctl->name, h->ktr_len - (int)sizeof(*ctl),
		       (const char *)(ctl + 1));
		break;
	case KTR_PSIG:
		printf(" %d", sig->signo);
		break;
	case KTR_GENIO:
		printf(" %d %d %ld", io->ktr_fd, io->ktr_rw, io->ktr_moved);
		break;
	case KTR_CSW:
		printf(" %d %d %s", csw->out, csw->user, csw->wait);
		break;
	case KTR_PROCCTOR:
		printf(" %d %d %d", ctor->child, ctor->parent, ctor->abi);
		break;
	}
	putchar('\n');
}

static int list(const char *path)
{
	struct ktr_file *file = ktr_open(path);
	struct ktr_header h;
	const void *record;
	int more;

	if (!file)
		return must("open", -1);
	while ((more = ktr_read(file, &h, &record)) > 0)
		print(&h, record);
	if (more)
		must("read", more);
	ktr_close(file);
	return more;
}

static int wrong;

static void expect(const char *what, int err, int result)
{
	int got = result ? errno : 0;

	if (got == err)
		return;
	wrong = 1;
	printf("%s: %s, not %s\n", what, strerror(got), strerror(err));
}

static int set(const char *file)
{
	return ktrace(file, KTROP_SET, KTRFAC_SYSCALL, getpid());
}

/* One that has ended, and whose end nobody has asked for yet. */
static pid_t ended(void)
{
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	return pid;
}

/* Not: that there is no module. */
static int set_without_descriptors(const char *file)
{
	struct rlimit old, none;
	int ret;

	if (getrlimit(RLIMIT_NOFILE, &old))
		return 0;
	none = old;
	none.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &none);
	ret = set(file);
	setrlimit(RLIMIT_NOFILE, &old);
	return ret;
}

static int errors(const char *folder)
{
	char name[300];
	int fd;

	if (chdir(folder))
		return 1;
	close(open("file", O_WRONLY | O_CREAT, 0600));
	fd = open("text", O_WRONLY | O_CREAT, 0600);
	write(fd, "text\n", 5);
	close(fd);
	symlink("file", "link");
	symlink("loop", "loop");
	mkfifo("fifo", 0600);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	expect("ENOENT", ENOENT, set("none"));
	expect("ENOTDIR", ENOTDIR, set("file/file"));
	expect("ENAMETOOLONG", ENAMETOOLONG, set(name));
	expect("a loop", ELOOP, set("loop/file"));
	expect("a symbolic link", ELOOP, set("link"));
	expect("a FIFO", EACCES, set("fifo"));
	expect("a directory", EACCES, set("."));
	expect("a file of procfs", EACCES, set("/proc/self/oom_score_adj"));
	expect("something else", EUCLEAN, set("text"));
	expect("no trace points", EINVAL, ktrace("file", KTROP_SET, 0, getpid()));
	expect("an unknown trace point", EINVAL, ktrace("file", KTROP_SET, 1, getpid()));
	expect("an unknown operation", EINVAL, ktrace("file", 3, KTRFAC_ALL, getpid()));
	expect("no such process", ESRCH, ktrace("file", KTROP_SET, KTRFAC_ALL, 999999));
	expect("one that has ended", ESRCH, ktrace("file", KTROP_SET, KTRFAC_ALL, ended()));
	expect("no such group", ESRCH, ktrace("file", KTROP_SET, KTRFAC_ALL, -999999));
	expect("no descriptor", EMFILE, set_without_descriptors("file"));
	expect("nothing to clear", 0, ktrace(NULL, KTROP_CLEAR, KTRFAC_ALL, getpid()));
	expect("a file without traces", 0, ktrace("file", KTROP_CLEARFILE, 0, 0));
	expect("an untraced marker", 0, utrace("x", 1));
	expect("an empty marker", 0, utrace(NULL, 0));
	expect("a marker that is too long", EINVAL, utrace(name, 2049));
	return wrong;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "trace"))
		return trace(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "read"))
		return list(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "errors"))
		return errors(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "leave"))
		return must("set", ktrace(argv[2], KTROP_SET, KTRFAC_ALL, atoi(argv[3])));
	if (argc == 2 && !strcmp(argv[1], "set"))
		return set("ktrace.out") ? errno : 0;
	return 2;
}
