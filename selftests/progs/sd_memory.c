// SPDX-License-Identifier: GPL-2.0-or-later
/* Mappings of all kinds, good and bad ones. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096

static void files(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *p;

	if (ftruncate(fd, 4 * PAGE))
		_exit(1);
	p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memset(p, 'x', 2 * PAGE);
	msync(p, 2 * PAGE, MS_ASYNC);
	msync(p, PAGE, MS_SYNC | MS_INVALIDATE);
	madvise(p, PAGE, MADV_WILLNEED);
	madvise(p, PAGE, 12345);
	posix_fadvise(fd, 0, PAGE, POSIX_FADV_RANDOM);
	readahead(fd, 0, PAGE);
	mmap(p + PAGE, PAGE, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, PAGE);
	mmap(NULL, PAGE, PROT_READ, MAP_SHARED_VALIDATE | MAP_SYNC, fd, 0);
	syscall(SYS_mmap, 0, 0, PROT_READ, MAP_PRIVATE, fd, 0);
	munmap(p, 4 * PAGE);
	close(fd);
}

static void anonymous(void)
{
	char *p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned char seen[8];

	p[0] = 1;
	mincore(p, 2 * PAGE, seen);
	mprotect(p, PAGE, PROT_READ | PROT_EXEC);
	mprotect(p + 1, PAGE, PROT_READ);
	mlock(p, PAGE);
	munlock(p, PAGE);
	syscall(SYS_mlock2, p, PAGE, MLOCK_ONFAULT);
	mlockall(MCL_CURRENT | MCL_ONFAULT);
	munlockall();
	p = mremap(p, 8 * PAGE, 16 * PAGE, MREMAP_MAYMOVE);
	mremap(p, 16 * PAGE, 4 * PAGE, 0);
	mremap(p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, p + 2 * PAGE);
	munmap(p, 0);
	brk(0);
}

static void policies(void)
{
	unsigned long nodes = 1;
	int mode;

	syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0);
	syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 8);
	syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
	syscall(SYS_membarrier, 0, 0, 0);
}

static void others(void)
{
	char from[] = "from here", to[16];
	struct iovec l = { to, sizeof(from) }, r = { from, sizeof(from) };
	int fd = memfd_create("memory", MFD_ALLOW_SEALING);

	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	fcntl(fd, F_GET_SEALS);
	process_vm_readv(getpid(), &l, 1, &r, 1, 0);
	process_vm_writev(getpid(), &l, 1, &r, 1, 0);
	close(fd);
}

/* Lists that end where memory does, before their own end. */
static void lists(void)
{
	char *end = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + PAGE;
	char **args = (void *)(end - 2 * sizeof(*args));
	struct iovec *iov = (void *)(end - 2 * sizeof(*iov));
	struct mmsghdr *two = (void *)(end - sizeof(*two));
	struct pollfd *polls = (void *)(end - 2 * sizeof(*polls));
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 3 };
	unsigned int i;

	munmap(end, PAGE);
	args[0] = args[1] = "x";
	syscall(SYS_execve, "/nosuch", args, args);
	args[1] = NULL;
	syscall(SYS_execve, "/nosuch", args, args);
	for (i = 0; i < 2; i++)
		iov[i] = (struct iovec){ "ab", 2 };
	syscall(SYS_writev, -1, iov, 3);
	syscall(SYS_readv, -1, iov, 3);
	syscall(SYS_writev, -1, iov, 2);
	syscall(SYS_sendmsg, -1, &msg, 0);
	*two = (struct mmsghdr){ .msg_hdr.msg_namelen = 0 };
	syscall(SYS_sendmmsg, -1, two, 2, 0);
	for (i = 0; i < 2; i++)
		polls[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	syscall(SYS_poll, polls, 3, 0);
	syscall(SYS_setgroups, 3, end - 8);
	syscall(SYS_io_submit, 0, 2, end - 8);
	syscall(SYS_semtimedop, -1, end - 12, 3, 0);
}

int main(void)
{
	files();
	anonymous();
	policies();
	others();
	lists();
	return 0;
}
