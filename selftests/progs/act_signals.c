// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals from everywhere, a kind per word:
 *
 *	victim		from itself, a timer, the kernel; then SIGTERM and SIGUSR1
 *			from others; ends by SIGKILL only
 *	queue PID N	sends SIGUSR1 with a value
 *	sleep		nanosleep broken off by a timer, then held up by a stop; prints
 *			when each was called and when it returned, in ns
 *	nap		the same, shorter, by the clock
 *	vfork N		that many children by vfork, each becomes /bin/true
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t terms, users;

static void handler(int sig)
{
	if (sig == SIGSEGV)
		siglongjmp(back, 1);
	terms += sig == SIGTERM;
	users += sig == SIGUSR1;
}

static void handle(int sig)
{
	struct sigaction sa = { .sa_handler = handler };

	sigaction(sig, &sa, NULL);
}

static void by_timer(int ms)
{
	struct itimerval it = { .it_value.tv_usec = ms * 1000 };

	setitimer(ITIMER_REAL, &it, NULL);
}

static int victim(void)
{
	static const int sigs[] = {
		SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGSEGV, SIGPIPE,
	};
	int *volatile bad = (int *)8;
	int p[2];

	for (unsigned int i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		handle(sigs[i]);
	pthread_kill(pthread_self(), SIGUSR2);
	by_timer(10);
	pause();
	if (!sigsetjmp(back, 1))
		*bad = 1;
	if (pipe(p))
		return 1;
	close(p[0]);
	if (write(p[1], "x", 1) >= 0)
		return 2;
	raise(SIGWINCH);	/* ignored */
	puts("ready");
	fflush(stdout);
	while (!terms || !users)
		pause();
	puts("both");
	fflush(stdout);
	for (;;)
		pause();
}

static int queue(const char *pid, const char *value)
{
	return sigqueue(atoi(pid), SIGUSR1,
			(union sigval){ .sival_int = atoi(value) }) != 0;
}

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Until it sleeps, or is stopped. */
static void await_state(pid_t pid, char want)
{
	char path[32], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	while (state != want) {
		usleep(10000);
		f = fopen(path, "r");
		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			_exit(1);
		fclose(f);
	}
}

/* Who is traced by ptrace does not look stopped. */
static void stop_it(pid_t pid, bool look)
{
	if (look)
		await_state(pid, 'S');
	else
		usleep(50000);
	kill(pid, SIGSTOP);
	if (look)
		await_state(pid, 'T');
	usleep(50000);
	kill(pid, SIGCONT);
}

/*
 * Both sleeps are longer than any delay of what is to happen in them, if that is looked
 * for; if not, the calls are always the same.
 */
static int sleeps(bool look)
{
	struct timespec first = { 20, 0 }, second = { look ? 2 : 0, look ? 0 : 250000000 };
	pid_t parent = getpid(), pid;
	long long at[4];
	int status;

	handle(SIGALRM);
	at[0] = now_ns();
	by_timer(50);
	if (nanosleep(&first, NULL) == 0 || errno != EINTR)
		return 1;
	at[1] = now_ns();
	pid = fork();
	if (!pid) {
		stop_it(parent, look);
		_exit(0);
	}
	at[2] = now_ns();
	if (nanosleep(&second, NULL))
		return 2;
	at[3] = now_ns();
	printf("%lld %lld %lld %lld\n", at[0], at[1], at[2], at[3]);
	return waitpid(pid, &status, 0) != pid || status;
}

static int vfork_true(void)
{
	pid_t pid = vfork();
	int status;

	if (!pid) {
		usleep(2000);	/* the parent gets there, and waits */
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) != pid || status;
}

static int vforks(int n)
{
	while (n--)
		if (vfork_true())
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "victim"))
		return victim();
	if (argc > 3 && !strcmp(argv[1], "queue"))
		return queue(argv[2], argv[3]);
	if (argc > 1 && !strcmp(argv[1], "sleep"))
		return sleeps(true);
	if (argc > 1 && !strcmp(argv[1], "nap"))
		return sleeps(false);
	if (argc > 2 && !strcmp(argv[1], "vfork"))
		return vforks(atoi(argv[2]));
	return 2;
}
