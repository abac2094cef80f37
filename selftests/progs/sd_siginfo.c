// SPDX-License-Identifier: GPL-2.0-or-later
/* All that a siginfo may say: a process sends itself every code of some signals. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void handler(int sig)
{
	(void)sig;
}

static void send(int sig, int code)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = sig;
	info.si_code = code;
	info.si_errno = code == 3 ? 5 : 0;
	memset((char *)&info + 16, 0x11, 16);
	memset((char *)&info + 32, 0x22, 16);
	syscall(SYS_rt_sigqueueinfo, getpid(), sig, &info);
}

int main(void)
{
	static const int sigs[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGIO, SIGSYS,
		SIGUSR1, SIGCHLD, SIGTERM, 40,
	};
	struct sigaction sa = { .sa_handler = handler };

	for (unsigned int i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		sigaction(sigs[i], &sa, NULL);
		for (int code = -8; code < 17; code++)
			send(sigs[i], code);
		send(sigs[i], SI_KERNEL);
		send(sigs[i], -60);
	}
	return 0;
}
