// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_mode & 0111;
}

static int find_in_path(struct child *c, const char *name)
{
	const char *dir = getenv("PATH"), *end;

	if (!dir)
		dir = "/usr/local/bin:/usr/bin:/bin";
	for (;; dir = end + 1) {
		end = strchrnul(dir, ':');
		/* An empty entry is the working directory. */
		if ((size_t)snprintf(c->path, sizeof(c->path), "%.*s%s%s",
				     (int)(end - dir), dir,
				     end == dir ? "./" : "/", name) <
		    sizeof(c->path) && is_program(c->path))
			return 0;
		if (!*end)
			return -ENOENT;
	}
}

int child_find(struct child *c, const char *name, struct fault *f)
{
	struct stat st;

	memset(c, 0, sizeof(*c));
	c->go = -1;
	if (!strchr(name, '/')) {
		if (!*name || find_in_path(c, name))
			return fault_set(f, ST_USAGE, "Can't stat '%s': %s: it is not in PATH",
					 name, strerror(ENOENT));
		return 0;
	}
	if (strlen(name) >= sizeof(c->path))
		return fault_set(f, ST_USAGE, "the command's path is too long");
	strcpy(c->path, name);
	if (stat(name, &st))
		return fault_set(f, ST_USAGE, "Can't stat '%s': %s", name,
				 strerror(errno));
	return 0;
}

static void set_env(const char *const *env, unsigned int n)
{
	const char *eq;
	unsigned int i;
	char *name;

	for (i = 0; i < n; i++) {
		eq = strchr(env[i], '=');
		if (!eq) {
			unsetenv(env[i]);
			continue;
		}
		name = strndup(env[i], eq - env[i]);
		if (name)
			setenv(name, eq + 1, 1);
		free(name);
	}
}

/* We hear of them from what fails; the command finds them as we did. */
static const int ignored[] = { SIGPIPE, SIGXFSZ };
#define NIGNORED (sizeof(ignored) / sizeof(ignored[0]))
static void (*found[NIGNORED])(int);

void child_ignore(void)
{
	size_t i;

	for (i = 0; i < NIGNORED; i++)
		found[i] = signal(ignored[i], SIG_IGN);
}

static void give_back_ignored(void)
{
	size_t i;

	for (i = 0; i < NIGNORED; i++)
		signal(ignored[i], found[i]);
}

/*
 * The tracer's end closes without a byte if it fails: then nothing is run. From the
 * execve on we are traced: that it failed is told without a call.
 */
static void wait_and_exec(struct child *c, int wait_fd, char *const argv[],
			  const sigset_t *mask)
{
	char byte;

	if (read(wait_fd, &byte, 1) != 1)
		_exit(127);
	close(wait_fd);
	if (c->user && (initgroups(c->user, c->gid) ||
			setregid(c->gid, c->gid) || setreuid(c->uid, c->uid))) {
		dprintf(STDERR_FILENO, "ktrctl: cannot become %s: %s\n",
			c->user, strerror(errno));
		_exit(126);
	}
	give_back_ignored();
	sigprocmask(SIG_SETMASK, mask, NULL);
	execv(c->path, argv);
	*c->failed = errno;
	_exit(errno == ENOENT ? 127 : 126);
}

int child_as(struct child *c, const char *user, struct fault *f)
{
	const struct passwd *pw = getpwnam(user);

	if (!pw)
		return fault_set(f, ST_USAGE, "Cannot find user '%s': use the name of one there is",
				 user);
	c->user = user;
	c->uid = pw->pw_uid;
	c->gid = pw->pw_gid;
	return 0;
}

/*
 * Go on in a grandchild, so that nobody who waits for his children meets us.
 * Return: 0 in the process that was, its number in the grandchild.
 */
static pid_t fork_tracer(unsigned int daemon)
{
	pid_t me = getpid(), pid = fork();

	if (pid < 0)
		return pid;
	if (pid) {
		waitpid(pid, NULL, 0);
		return 0;
	}
	pid = fork();
	if (pid)
		_exit(pid < 0);
	if (daemon == 2)
		setpgid(0, 0);
	else if (daemon == 3)
		setsid();
	return me;
}

int child_start(struct child *c, char *const argv[], const char *const *env,
		unsigned int nenv, const sigset_t *mask, struct fault *f)
{
	int p[2];

	c->failed = mmap(NULL, sizeof(*c->failed), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->failed == MAP_FAILED) {
		c->failed = NULL;
		return fault_set(f, ST_ABSENT, "out of memory");
	}
	if (pipe2(p, O_CLOEXEC))
		return fault_set(f, ST_ABSENT, "cannot make a pipe: %s",
				 strerror(errno));
	c->pid = c->daemon ? fork_tracer(c->daemon) : fork();
	if (!c->pid) {
		close(p[1]);
		set_env(env, nenv);
		wait_and_exec(c, p[0], argv, mask);
	}
	close(p[0]);
	c->go = p[1];
	if (c->pid > 0)
		return 0;
	c->pid = 0;
	child_cancel(c);
	return fault_set(f, ST_USAGE, "cannot fork: %s", strerror(errno));
}

void child_go(struct child *c)
{
	ssize_t n;

	do {
		n = write(c->go, "", 1);
	} while (n < 0 && errno == EINTR);
	close(c->go);
	c->go = -1;
}

void child_cancel(struct child *c)
{
	if (c->go >= 0)
		close(c->go);
	c->go = -1;
	if (c->pid > 0)
		waitpid(c->pid, NULL, 0);
	c->pid = 0;
}

int child_failed(const struct child *c)
{
	return c->failed ? *c->failed : 0;
}

int child_status(int wstatus)
{
	return WIFSIGNALED(wstatus) ? 128 + WTERMSIG(wstatus) :
				      WEXITSTATUS(wstatus);
}
