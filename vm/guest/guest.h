/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process 1 of the virtual machine. init.c makes a usable system, agent.c runs
 * the command and talks to vm/mux on the host.
 *
 * They share one virtio port, a stream of frames in both directions: kind (one
 * byte), length (four bytes, little endian), then as many bytes of payload. One
 * stream for everything keeps the order: when the status arrives, all output
 * has arrived.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>

#define GUEST_PORT "/dev/vport0p1"

enum frame_kind {
	FRAME_READY = 'r',	/* to host: the command starts; no payload */
	FRAME_STDOUT = 'o',	/* to host: bytes */
	FRAME_STDERR = 'e',	/* to host: bytes */
	FRAME_STATUS = 's',	/* to host: exit status, one byte; the last */
	FRAME_FAILED = 'f',	/* to host: why there is no status; the last */
	FRAME_STDIN = 'i',	/* to guest: bytes; empty at end of file */
};

/* What vm/run wrote into /vm of the initial file system. */
struct guest_config {
	char module[64];	/* path to load, or "" */
	char terminal[64];	/* "ROWS COLUMNS TERM" for a shell, or "" */
	char *command;		/* for sh -c */
};

void agent_open(void);
void agent_ready(void);

/* The exit status of the command, to be sent by agent_finish(). */
int agent_run(const struct guest_config *config);

/*
 * Both send the last frame and then wait for the host to stop the machine: it
 * does so when it has read the frame, so nothing can be lost on the way.
 */
void agent_finish(int status) __attribute__((noreturn));
void agent_fail(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

void power_off(void) __attribute__((noreturn));

#endif
