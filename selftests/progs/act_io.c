// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes that are transferred: act_io WHAT */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static char text[1 << 20];

static void fill(void)
{
	size_t i;

	for (i = 0; i < sizeof(text); i++)
		text[i] = 'a' + i % 26;
}

/* Case I-03: large, odd, and of many pieces. */
static void large(void)
{
	int null = open("/dev/null", O_WRONLY), file, i;
	struct iovec v[1024];

	write(null, text, sizeof(text));
	write(null, text, 70000);
	file = open("/dev/null", O_WRONLY);
	for (i = 0; i < 1024; i++)
		v[i] = (struct iovec){ text + i * 50, 50 };
	writev(file, v, 1024);
	for (i = 0; i < 1024; i++)
		v[i].iov_len = 1;
	writev(file, v, 1024);
}

/* Case M-05: the same bytes to a socket and to a file. */
static void kinds(void)
{
	int sv[2], pipes[2], file;
	char buf[8192];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv) || pipe(pipes))
		exit(1);
	file = open("/tmp/act_io", O_RDWR | O_CREAT | O_TRUNC, 0600);
	write(sv[0], text, 8192);
	recv(sv[1], buf, 8192, MSG_WAITALL);
	write(file, text, 8192);
	pread(file, buf, 8192, 0);
	write(pipes[1], text, 8192);
	unlink("/tmp/act_io");
}

/* Case B-07: what was asked for, and what there was. */
static void lengths(void)
{
	int pipes[2];
	char buf[64];

	if (pipe2(pipes, O_NONBLOCK))
		exit(1);
	memset(buf, 'A', sizeof(buf));
	write(1, buf, 3);
	write(pipes[1], "xyz", 3);
	memset(buf, 'B', sizeof(buf));
	read(pipes[0], buf, sizeof(buf));
	write(pipes[1], text, 65530);
	write(pipes[1], text, 6);
	write(pipes[1], text, 100000);	/* some of it goes in, or none */
	fcntl(pipes[1], F_SETPIPE_SZ, 131072);
	write(pipes[1], text, 100000);
}

/* Each form of transfer once, for dumps. */
static void forms(void)
{
	struct iovec v[3] = { { text, 5 }, { text + 5, 20 }, { text, 16 } };
	char one[4], two[100];
	struct iovec in[2] = { { one, 4 }, { two, 100 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
	struct msghdr got = { .msg_iov = in, .msg_iovlen = 2 };
	int sv[2], file;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		exit(1);
	file = open("/tmp/act_io", O_RDWR | O_CREAT | O_TRUNC, 0600);
	write(file, "hello\n\0\177\200", 9);
	pwrite(file, text, 40, 9);
	writev(file, v, 3);
	lseek(file, 0, SEEK_SET);
	read(file, two, 17);
	pread(file, two, 16, 3);
	readv(file, in, 2);
	send(sv[0], text, 33, 0);
	recv(sv[1], two, sizeof(two), 0);
	sendmsg(sv[0], &m, 0);
	recvmsg(sv[1], &got, 0);
	write(file, "", 0);
	read(99, two, 5);
	unlink("/tmp/act_io");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} what[] = {
		{ "large", large }, { "kinds", kinds }, { "lengths", lengths },
		{ "forms", forms },
	};
	size_t i;

	fill();
	for (i = 0; argc > 1 && i < sizeof(what) / sizeof(what[0]); i++)
		if (!strcmp(argv[1], what[i].name))
			what[i].run();
	return 0;
}
