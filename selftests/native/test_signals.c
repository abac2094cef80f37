// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals and errors by name, and what a siginfo says. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "fmt_signal.h"
#include "tap.h"

static struct buf out;

static void is(const char *want, const char *what)
{
	if (strcmp(buf_str(&out), want) && tap.complaints++ < TAP_COMPLAINTS_MAX)
		printf("# %s: %s, not %s\n", what, buf_str(&out), want);
	buf_reset(&out);
}

static void signals_and_errors(void)
{
	char tmp[16];

	for (int sig = 1; sig <= 64; sig++)
		CHECK_EQ(sig_number(sig_name(sig, tmp)), sig);
	CHECK(!strcmp(sig_name(37, tmp), "SIGRT_5"));
	CHECK(!strcmp(sig_name(65, tmp), "65"));
	CHECK_EQ(sig_number("int"), SIGINT);
	CHECK_EQ(sig_number("9"), 9);
	CHECK_EQ(sig_number("SIGNOTHING"), -1);
	for (int err = 1; err < 134; err++)
		if (strcmp(errno_name(err, tmp), strerrorname_np(err) ?: ""))
			CHECK(!strerrorname_np(err) || err == ENOTSUP);
	CHECK_EQ(errno_number("ENOENT"), ENOENT);
	CHECK_EQ(errno_number("ERESTARTSYS"), 512);
	CHECK_EQ(errno_number("ENOTHING"), -1);
}

static void siginfos(void)
{
	siginfo_t si = { .si_signo = SIGCHLD, .si_code = CLD_EXITED };
	struct view v = VIEW_DEFAULT;

	si.si_pid = 12;
	si.si_status = 3;
	fmt_siginfo(&out, &v, &si, 48);
	is("{si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=12, si_uid=0, si_status=3, si_utime=0, si_stime=0}", "CLD_EXITED");
	memset(&si, 0, sizeof(si));
	si.si_signo = SIGSEGV;
	si.si_code = SEGV_MAPERR;
	si.si_addr = (void *)8;
	fmt_siginfo(&out, &v, &si, 48);
	is("{si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=0x8}", "SIGSEGV");
	memset(&si, 0, sizeof(si));
	si.si_signo = SIGUSR1;
	si.si_code = SI_QUEUE;
	si.si_pid = 1;
	si.si_int = 5;
	fmt_siginfo(&out, &v, &si, 48);
	is("{si_signo=SIGUSR1, si_code=SI_QUEUE, si_pid=1, si_uid=0, si_int=5, si_ptr=0x5}", "SI_QUEUE");
}

int main(void)
{
	RUN(signals_and_errors);
	RUN(siginfos);
	buf_free(&out);
	return tap_done();
}
