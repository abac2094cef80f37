// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs the command with pipes for its input and output and carries them over
 * the port; or, for a shell, on the second serial line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define TERMINAL "/dev/ttyS1"
#define CHUNK 32768

struct frame {
	uint8_t kind;
	uint8_t length[4];
	char data[CHUNK];
};

#define FRAME_HEAD (sizeof(struct frame) - CHUNK)

/* What is still to be written to the command's standard input. */
struct input {
	int fd;			/* -1 when closed */
	bool ending;		/* close when all is written */
	size_t begin, end;	/* of data */
	uint8_t head[FRAME_HEAD];
	size_t head_size;
	size_t missing;		/* of the payload of the frame being read */
	char data[CHUNK];
};

static int port = -1;

void agent_open(void)
{
	port = open(GUEST_PORT, O_RDWR | O_CLOEXEC);
	if (port < 0) {
		perror("vm/guest: " GUEST_PORT);
		power_off();
	}
}

static void send_frame(struct frame *frame, enum frame_kind kind, size_t size)
{
	const char *from = (const char *)frame;
	size_t left = FRAME_HEAD + size;
	ssize_t n;
	int i;

	frame->kind = kind;
	for (i = 0; i < 4; i++)
		frame->length[i] = size >> (8 * i);
	while (left) {
		n = write(port, from, left);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			power_off();
		if (n > 0) {
			from += n;
			left -= n;
		}
	}
}

static void __attribute__((noreturn)) wait_for_end(void)
{
	for (;;)
		pause();
}

void agent_ready(void)
{
	struct frame frame;

	send_frame(&frame, FRAME_READY, 0);
}

void agent_finish(int status)
{
	struct frame frame;

	frame.data[0] = status;
	send_frame(&frame, FRAME_STATUS, 1);
	wait_for_end();
}

void agent_fail(const char *format, ...)
{
	struct frame frame;
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(frame.data, 200, format, args);
	va_end(args);
	send_frame(&frame, FRAME_FAILED, size < 200 ? size : 199);
	wait_for_end();
}

static void run_shell(const char *command, const char *term)
{
	char setting[80];

	setsid();
	snprintf(setting, sizeof(setting), "TERM=%s", term);
	putenv(setting);
	putenv("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin");
	putenv("HOME=/root");
	putenv("USER=root");
	putenv("LOGNAME=root");
	putenv("SHELL=/bin/bash");
	putenv("LC_ALL=C.UTF-8");
	if (chdir("/root"))
		_exit(126);
	if (command)
		execl("/bin/sh", "sh", "-c", command, NULL);
	else
		execl("/bin/bash", "bash", "-l", NULL);
	_exit(127);
}

/* In the child: signals as a program expects them, then the command. */
static void run_command(const struct guest_config *config, const char *term)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	run_shell(config->command, term);
}

static int status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

/* Reap everything that ended; true once the command has, with its status. */
static bool reap(pid_t command, int *status)
{
	bool ended = false;
	int one;
	pid_t pid;

	while ((pid = waitpid(-1, &one, WNOHANG)) > 0) {
		if (pid == command) {
			*status = status_of(one);
			ended = true;
		}
	}
	return ended;
}

/* Send on what a pipe holds; false at its end, or when it holds nothing. */
static bool forward(int *fd, enum frame_kind kind)
{
	struct frame frame;
	ssize_t n = read(*fd, frame.data, sizeof(frame.data));

	if (n > 0) {
		send_frame(&frame, kind, n);
		return true;
	}
	if (n == 0 || errno != EAGAIN) {
		close(*fd);
		*fd = -1;
	}
	return false;
}

static void close_input(struct input *input)
{
	close(input->fd);
	input->fd = -1;
}

static void start_frame(struct input *input)
{
	int i;

	input->head_size = 0;
	for (i = 0; i < 4; i++)
		input->missing |= (size_t)input->head[1 + i] << (8 * i);
	if (!input->missing)
		input->ending = true;
}

/* Take from the port either a frame's head or some of its payload. */
static void receive(struct input *input)
{
	ssize_t n;

	if (!input->missing) {
		n = read(port, input->head + input->head_size,
			 FRAME_HEAD - input->head_size);
		input->head_size += n > 0 ? n : 0;
		if (input->head_size == FRAME_HEAD)
			start_frame(input);
		return;
	}
	n = read(port, input->data, input->missing < CHUNK ?
		 input->missing : CHUNK);
	if (n > 0) {
		input->missing -= n;
		input->begin = 0;
		input->end = n;
	}
}

/* A command that reads no more loses the rest, as at the end of any pipe. */
static void feed(struct input *input)
{
	ssize_t n = write(input->fd, input->data + input->begin,
			  input->end - input->begin);

	if (n > 0)
		input->begin += n;
	else if (errno != EAGAIN)
		close_input(input);
}

static void step_input(struct input *input, short port_events)
{
	if (input->fd < 0)
		return;
	if (input->begin < input->end)
		feed(input);
	else if (port_events & POLLIN)
		receive(input);
	if (input->fd >= 0 && input->ending && input->begin == input->end)
		close_input(input);
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void pump(pid_t command, struct input *input, int out, int err,
		 int signals, int *status)
{
	struct signalfd_siginfo info;
	bool ended = false;

	while (!ended) {
		bool full = input->begin < input->end;
		struct pollfd fds[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = out, .events = POLLIN },
			{ .fd = err, .events = POLLIN },
			{ .fd = input->fd, .events = full ? POLLOUT : 0 },
			{ .fd = input->fd < 0 || full ? -1 : port,
			  .events = POLLIN },
		};

		poll(fds, 5, -1);
		if (fds[0].revents) {
			while (read(signals, &info, sizeof(info)) > 0)
				;
			ended = reap(command, status);
		}
		if (fds[1].revents)
			forward(&out, FRAME_STDOUT);
		if (fds[2].revents)
			forward(&err, FRAME_STDERR);
		if (fds[3].revents & POLLERR)
			close_input(input);
		step_input(input, fds[4].revents);
	}
	/* What it wrote is in the pipes, even if a child holds them open. */
	while (out >= 0 && forward(&out, FRAME_STDOUT))
		;
	while (err >= 0 && forward(&err, FRAME_STDERR))
		;
}

static void nonblocking(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static int run_on_pipes(const struct guest_config *config, int signals)
{
	static struct input input;
	int in[2], out[2], err[2], status = 0;
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) ||
	    pipe2(err, O_CLOEXEC))
		agent_fail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		agent_fail("fork: %s", strerror(errno));
	if (!pid) {
		signal(SIGPIPE, SIG_DFL);
		dup2(in[0], 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		run_command(config, "dumb");
	}
	close(in[0]);
	close(out[1]);
	close(err[1]);
	nonblocking(in[1]);
	nonblocking(out[0]);
	nonblocking(err[0]);
	input.fd = in[1];
	pump(pid, &input, out[0], err[0], signals, &status);
	return status;
}

static void open_terminal(const struct winsize *size)
{
	int fd;

	setsid();
	fd = open(TERMINAL, O_RDWR);
	if (fd < 0 || ioctl(fd, TIOCSCTTY, 0))
		_exit(126);
	ioctl(fd, TIOCSWINSZ, size);
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
}

static int run_on_terminal(const struct guest_config *config)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	char term[40] = "linux";
	int status = 0;
	pid_t pid;

	if (sscanf(config->terminal, "%hu %hu %39s", &size.ws_row, &size.ws_col,
		   term) != 3)
		agent_fail("no terminal described: %s", config->terminal);
	pid = fork();
	if (pid < 0)
		agent_fail("fork: %s", strerror(errno));
	if (!pid) {
		signal(SIGPIPE, SIG_DFL);
		open_terminal(&size);
		run_command(config, term);
	}
	while (!reap(pid, &status))
		waitid(P_ALL, 0, NULL, WEXITED | WNOWAIT);
	return status;
}

int agent_run(const struct guest_config *config)
{
	int signals = open_signals();

	if (*config->terminal)
		return run_on_terminal(config);
	return run_on_pipes(config, signals);
}
