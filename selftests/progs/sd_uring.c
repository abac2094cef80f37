// SPDX-License-Identifier: GPL-2.0-or-later
/* io_uring set up by hand: rings, registered things, a request that does nothing. */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ENTRIES 4

static int registered(int fd, unsigned int op, void *arg, unsigned int n)
{
	return syscall(SYS_io_uring_register, fd, op, arg, n);
}

static void things(int fd)
{
	static char bytes[4096];
	struct iovec iov = { bytes, sizeof(bytes) };
	int fds[2] = { 0, -1 };
	int event = eventfd(0, 0);

	registered(fd, IORING_REGISTER_BUFFERS, &iov, 1);
	registered(fd, IORING_UNREGISTER_BUFFERS, NULL, 0);
	registered(fd, IORING_REGISTER_FILES, fds, 2);
	registered(fd, IORING_UNREGISTER_FILES, NULL, 0);
	registered(fd, IORING_REGISTER_EVENTFD, &event, 1);
	registered(fd, IORING_UNREGISTER_EVENTFD, NULL, 0);
	registered(fd, IORING_REGISTER_PERSONALITY, NULL, 0);
	registered(fd, 77, NULL, 5);
	close(event);
}

int main(void)
{
	struct io_uring_params p = { 0 };
	struct io_uring_sqe *sqe;
	unsigned int *ring;
	int fd;

	p.flags = IORING_SETUP_CQSIZE;
	p.cq_entries = 2 * ENTRIES;
	fd = syscall(SYS_io_uring_setup, ENTRIES, &p);
	if (fd < 0)
		return 0;	/* not here: the refusal is compared */
	syscall(SYS_io_uring_setup, 0, &p);
	syscall(SYS_io_uring_setup, ENTRIES, 8);
	ring = mmap(NULL, p.sq_off.array + ENTRIES * 4, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, ENTRIES * sizeof(*sqe), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || sqe == MAP_FAILED)
		return 1;
	things(fd);
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_NOP;
	ring[p.sq_off.array / 4] = 0;
	__atomic_store_n(&ring[p.sq_off.tail / 4], 1, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 8);
	syscall(SYS_io_uring_enter, fd, 0, 0, 0, NULL, 0);
	return close(fd);
}
