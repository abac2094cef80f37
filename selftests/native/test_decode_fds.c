// SPDX-License-Identifier: GPL-2.0-or-later
/* What descriptors refer to, in text, from records made by hand. */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "fmt.h"
#include "sys.h"
#include "tap.h"
#include "decode/made.h"

/* A section of one descriptor. */
static void cap_fd(struct made *m, unsigned int op, unsigned int flags,
		   struct ktr_fd e, const struct ktr_fd_sock *s,
		   const char *name, size_t n)
{
	unsigned char bytes[256];
	size_t len = sizeof(e);

	e.len = n;
	memcpy(bytes, &e, sizeof(e));
	if (s)
		memcpy(bytes + len, s, sizeof(*s));
	len += s ? sizeof(*s) : 0;
	memcpy(bytes + len, name, n);
	cap(m, op, flags, bytes, len + n);
}

/* At exit the number means something else than at entry. */
static void descriptors(void)
{
	static const uint64_t args[] = { 3, 4 };
	struct view v = VIEW_DEFAULT;
	struct made m;

	make(&m, 0, SYS_dup2, 4, 2, args);
	cap_fd(&m, 0, 0, (struct ktr_fd){ .fd = 3, .kind = KTR_FD_FILE,
	       .mode = S_IFREG, .flags = KTR_FD_F_DELETED }, NULL, "/a<", 3);
	cap_fd(&m, 1, 0, (struct ktr_fd){ .fd = 4, .kind = KTR_FD_FILE,
	       .mode = S_IFCHR, .rdev = 1 << 20 | 3 }, NULL, "/dev/null", 9);
	cap_fd(&m, 2, KTR_CAP_F_EXIT, (struct ktr_fd){ .fd = 4,
	       .kind = KTR_FD_FILE, .mode = S_IFREG }, NULL, "/a<", 3);
	line_as(&m, &v);
	is("dup2(3, 4) = 4", "without -y");
	v.decode_fds = VIEW_FD_PATH;
	line_as(&m, &v);
	is("dup2(3</a\\74>(deleted), 4</dev/null>) = 4</a\\74>", "-y");
	v.decode_fds = VIEW_FD_ALL;
	line_as(&m, &v);
	is("dup2(3</a\\74>(deleted), 4</dev/null<char 1:3>>) = 4</a\\74>",
	   "-yy");
}

static void sockets(void)
{
	static const uint64_t args[] = { 3 };
	struct ktr_fd_sock s = { .family = AF_INET, .proto = "TCP",
		.src = { 127, 0, 0, 1 }, .sport = htons(80) };
	struct ktr_fd e = { .fd = 3, .kind = KTR_FD_SOCKET,
		.mode = S_IFSOCK, .ino = 7 };
	struct view v = VIEW_DEFAULT;
	struct made m;

	v.decode_fds = VIEW_FD_ALL;
	make(&m, 0, SYS_close, 0, 1, args);
	cap_fd(&m, 0, 0, e, &s, "", 0);
	line_as(&m, &v);
	is("close(3<TCP:[127.0.0.1:80]>) = 0", "bound");
	s.dst[0] = 10;
	s.dport = htons(9);
	make(&m, 0, SYS_close, 0, 1, args);
	cap_fd(&m, 0, 0, e, &s, "", 0);
	line_as(&m, &v);
	is("close(3<TCP:[127.0.0.1:80->10.0.0.0:9]>) = 0", "connected");
	v.decode_fds = VIEW_FD_PATH;
	line_as(&m, &v);
	is("close(3<socket:[7]>) = 0", "-y");
	v.decode_fds = VIEW_FD_ALL;
	s = (struct ktr_fd_sock){ .family = AF_UNIX, .proto = "UNIX-STREAM",
				  .peer = 8 };
	make(&m, 0, SYS_close, 0, 1, args);
	cap_fd(&m, 0, 0, e, &s, "\0x\"", 3);
	line_as(&m, &v);
	is("close(3<UNIX-STREAM:[7->8,@\"x\\\"\"]>) = 0", "abstract");
}

int main(void)
{
	RUN(descriptors);
	RUN(sockets);
	return tap_done();
}
