// SPDX-License-Identifier: GPL-2.0-or-later
/* trace.c - a small strace on ptrace that prints with our decoder */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engine.h"
#include "fmt_signal.h"
#include "fmt_syscall.h"
#include "sys.h"
#include "trace.h"

#define TASKS 256

struct task {
	pid_t pid;
	FILE *out;
	bool inside;
	bool pretends;
	bool started;		/* its first stop is not a signal */
	struct engine *e;
};

static struct {
	struct task task[TASKS];
	unsigned int n;
	struct trace how;
	bool armed;		/* the first execve was seen */
	bool broken;
	struct buf line;
} t;

static struct task *find(pid_t pid)
{
	struct task *k;
	char path[256];

	for (unsigned int i = 0; i < t.n; i++)
		if (t.task[i].pid == pid)
			return &t.task[i];
	if (t.n == TASKS)
		return NULL;
	k = &t.task[t.n];
	*k = (struct task){ .pid = pid };
	snprintf(path, sizeof(path), "%s.%d", t.how.prefix, pid);
	k->e = malloc(sizeof(*k->e));
	k->out = fopen(path, "w");
	if (!k->out || !k->e)
		return NULL;
	t.n++;
	return k;
}

static void show(struct task *k, const struct ktr_rec *rec)
{
	struct sys_rec r;

	buf_reset(&t.line);
	if (sys_parse(rec, &r)) {
		t.broken = true;
		return;
	}
	if (t.how.json) {
		buf_putc(&t.line, '{');
		json_syscall(&t.line, &t.how.view, &r);
		buf_putc(&t.line, '}');
	} else {
		fmt_syscall_entry(&t.line, &t.how.view, &r);
		fmt_syscall_exit(&t.line, &t.how.view, &r);
		if (t.line.len < t.how.view.col - 1)
			buf_pad(&t.line, ' ', t.how.view.col - 1 - t.line.len);
		fmt_syscall_ret(&t.line, &t.how.view, &r);
	}
	fprintf(k->out, "%s\n", buf_str(&t.line));
}

static bool must_run(const char *name)
{
	return !strncmp(name, "exec", 4) || !strncmp(name, "exit", 4) ||
	       !strcmp(name, "seccomp");
}

static void set_reg(struct task *k, size_t off, long v)
{
	ptrace(PTRACE_POKEUSER, k->pid, off, v);
}

static void entry_stop(struct task *k, unsigned int abi, int nr,
		       const uint64_t args[6], uint64_t sp)
{
	unsigned int data = t.how.view.verbose ? t.how.view.strsize + 1 : 0;
	char tmp[32];
	const char *name = sys_name(abi, nr, tmp);

	engine_entry(k->e, k->pid, abi, nr, args, sp, t.how.view.strsize, data);
	k->inside = true;
	if (!strncmp(name, "exec", 4))
		t.armed = true;
	k->pretends = t.how.pretend && !must_run(name);
	if (k->pretends)
		set_reg(k, offsetof(struct user_regs_struct, orig_rax), -1);
}

static void exit_stop(struct task *k, long ret)
{
	k->inside = false;
	if (k->pretends) {
		ret = t.how.result;
		set_reg(k, offsetof(struct user_regs_struct, rax), ret);
	}
	if (t.armed)
		show(k, engine_exit(k->e, ret));
}

static void syscall_stop(struct task *k)
{
	struct __ptrace_syscall_info si;
	uint64_t args[6];

	if (ptrace(PTRACE_GET_SYSCALL_INFO, k->pid, sizeof(si), &si) < 0)
		return;
	if (si.op == PTRACE_SYSCALL_INFO_ENTRY) {
		memcpy(args, si.entry.args, sizeof(args));
		entry_stop(k, si.arch == AUDIT_ARCH_I386 ? KTR_ABI_COMPAT :
							   KTR_ABI_NATIVE,
			   si.entry.nr, args, si.stack_pointer);
	} else if (si.op == PTRACE_SYSCALL_INFO_EXIT && k->inside) {
		exit_stop(k, si.exit.rval);
	}
}

static int signal_stop(struct task *k, int sig)
{
	siginfo_t si;
	char tmp[16];

	if (ptrace(PTRACE_GETSIGINFO, k->pid, 0, &si) < 0)
		return 0;	/* a group stop */
	if (!k->started && sig == SIGSTOP) {
		k->started = true;
		return 0;
	}
	buf_reset(&t.line);
	fmt_siginfo(&t.line, &t.how.view, &si, 48);
	if (!t.how.json)
		fprintf(k->out, "--- %s %s ---\n", sig_name(sig, tmp),
			buf_str(&t.line));
	return sig;
}

static void ended(struct task *k, int status)
{
	char tmp[16];

	if (k->inside) {
		k->e->flags |= KTR_SYS_F_NO_EXIT;
		show(k, engine_exit(k->e, -EINTR));
	}
	if (t.how.json)
		;
	else if (WIFEXITED(status))
		fprintf(k->out, "+++ exited with %d +++\n",
			WEXITSTATUS(status));
	else
		fprintf(k->out, "+++ killed by %s%s +++\n",
			sig_name(WTERMSIG(status), tmp),
			WCOREDUMP(status) ? " (core dumped)" : "");
	fclose(k->out);
	free(k->e);
	k->pid = 0;
}

static void stopped(struct task *k, int status)
{
	int sig = WSTOPSIG(status);

	if (sig == (SIGTRAP | 0x80)) {
		k->started = true;
		syscall_stop(k);
		sig = 0;
	} else if (status >> 16) {
		sig = 0;
	} else {
		sig = signal_stop(k, sig);
	}
	ptrace(PTRACE_SYSCALL, k->pid, 0, sig);
}

static void follow(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		struct task *k = find(pid);

		if (!k) {
			t.broken = true;
			kill(pid, SIGKILL);
		} else if (WIFSTOPPED(status)) {
			stopped(k, status);
		} else {
			ended(k, status);
		}
	}
}

static void become(char *const argv[])
{
	if (t.how.quiet) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
	}
	if (t.how.pretend)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	ptrace(PTRACE_TRACEME);
	raise(SIGSTOP);
	execvp(argv[0], argv);
	_exit(127);
}

int trace_run(const struct trace *how, char *const argv[])
{
	struct task *k;
	pid_t pid;

	memset(&t, 0, sizeof(t));
	t.how = *how;
	pid = fork();
	if (!pid)
		become(argv);
	k = pid > 0 && waitpid(pid, NULL, 0) == pid ? find(pid) : NULL;
	if (!k || ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD |
			 PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK |
			 PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			 PTRACE_O_TRACEEXEC) < 0)
		return -1;
	k->started = true;
	ptrace(PTRACE_SYSCALL, pid, 0, 0);
	follow();
	buf_free(&t.line);
	return t.broken ? -1 : 0;
}
