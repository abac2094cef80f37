// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "capfile.h"
#include "crc32c.h"
#include "writelock.h"

#define DIRECT_BYTES 32768	/* payloads from here on are not copied */
#define GATHER_BYTES 262144
#define BLOCK_BYTES sizeof(struct ktr_file_block)
/* The footer, and the ends of the round that filled the file and of the last. */
#define END_BYTES (3 * BLOCK_BYTES + sizeof(struct ktr_file_footer))

static int write_all(struct cap_writer *w, struct iovec *v, int n)
{
	ssize_t done;

	while (n && !w->error) {
		done = writev(w->fd, v, n);
		if (done < 0) {
			if (errno != EINTR)
				w->error = errno;
			continue;
		}
		w->bytes += done;
		for (; n && (size_t)done >= v->iov_len; v++, n--)
			done -= v->iov_len;
		if (n) {
			v->iov_base = (char *)v->iov_base + done;
			v->iov_len -= done;
		}
	}
	return -w->error;
}

int cap_flush(struct cap_writer *w)
{
	struct iovec v = { w->b.p, w->b.len };
	int err = w->b.len ? write_all(w, &v, 1) : -w->error;

	buf_reset(&w->b);
	return err;
}

void cap_begin(struct cap_writer *w, int fd)
{
	struct ktr_file_header h = {
		.endian = KTR_FILE_ENDIAN, .version = KTR_FILE_VERSION,
		.header_size = sizeof(h), .wire = KTR_VERSION,
	};

	memset(w, 0, sizeof(*w));
	buf_init(&w->b);
	memcpy(h.magic, KTR_FILE_MAGIC, sizeof(h.magic));
	w->fd = fd;
	buf_write(&w->b, &h, sizeof(h));
}

/* A file that another writes is left as it is. */
static int empty(int fd, const char *path, struct fault *f)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	switch (writelock_take(fd)) {
	case -EAGAIN:
		return fault_set(f, ST_USAGE, "cannot write %s: another trace is being written there: choose another file, or end that first",
				 path);
	case -EDEADLK:
		return fault_set(f, ST_USAGE, "cannot write %s: a process that reads it has locked it (`lslocks` shows which): end that, or choose another file",
				 path);
	}
	if (ftruncate(fd, 0))
		return fault_set(f, ST_USAGE, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

/* For reading too where that may be: the module looks then how the file begins. */
static int open_to_write(const char *path, bool read_too)
{
	const int flags = O_CREAT | O_APPEND | O_CLOEXEC;
	int fd = read_too ? open(path, O_RDWR | flags, 0600) : -1;

	return fd < 0 ? open(path, O_WRONLY | flags, 0600) : fd;
}

int cap_create(struct cap_writer *w, const char *path, bool read_too, struct fault *f)
{
	cap_begin(w, STDOUT_FILENO);
	if (!strcmp(path, "-"))
		return 0;
	w->fd = open_to_write(path, read_too);
	if (w->fd < 0)
		return fault_set(f, ST_USAGE, "cannot write %s: %s", path, strerror(errno));
	w->own_fd = true;
	return empty(w->fd, path, f);
}

uint64_t cap_room(const struct cap_writer *w)
{
	uint64_t used = w->bytes + w->b.len + BLOCK_BYTES + END_BYTES;

	if (!w->max)
		return UINT64_MAX;
	return used < w->max ? (w->max - used) & ~7ull : 0;
}

static bool has_room(struct cap_writer *w, enum ktr_file_type type, size_t n)
{
	if (n > cap_room(w) || w->full)
		w->full = true;
	return !w->full || type == KTR_FILE_ROUND || type == KTR_FILE_FOOTER;
}

int cap_put(struct cap_writer *w, enum ktr_file_type type, unsigned int cpu,
	    unsigned int ring, uint64_t time, const void *p, size_t n)
{
	static const char fill[8];
	struct ktr_file_block h = {
		.magic = KTR_FILE_BLOCK_MAGIC, .type = type, .cpu = cpu,
		.ring = ring, .length = n, .time = time,
		.payload_crc = crc32c(0, p, n),
	};
	struct iovec v[4] = {
		{ NULL, 0 }, { &h, sizeof(h) }, { (void *)p, n },
		{ (void *)fill, -n & 7 },
	};
	int err;

	if (!has_room(w, type, n))
		return -w->error;
	h.header_crc = crc32c(0, &h, offsetof(struct ktr_file_block, header_crc));
	if (n < DIRECT_BYTES) {
		buf_write(&w->b, &h, sizeof(h));
		buf_write(&w->b, p, n);
		buf_write(&w->b, fill, -n & 7);
		return w->b.len < GATHER_BYTES ? -w->error : cap_flush(w);
	}
	v[0].iov_base = w->b.p;
	v[0].iov_len = w->b.len;
	err = write_all(w, v, 4);
	buf_reset(&w->b);
	return err;
}

void cap_abandon(struct cap_writer *w)
{
	buf_reset(&w->b);
	cap_finish(w);
}

int cap_finish(struct cap_writer *w)
{
	int err = cap_flush(w);

	if (w->own_fd && close(w->fd) && !err)
		err = -errno;
	buf_free(&w->b);
	w->fd = -1;
	w->own_fd = false;
	return err;
}
