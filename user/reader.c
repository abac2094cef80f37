// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/major.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "reader.h"

#define SCRATCH_SIZE (1024u << 10)
#define SETTLE_TRIES 200
#define SETTLE_NS 50000

_Static_assert(SCRATCH_SIZE > KTR_REC_MAX + RING_LOST_LEN, "a record must fit");

uint64_t reader_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The number of the device, if there is one: /dev may lack its node. */
static bool misc_minor(unsigned int *minor)
{
	FILE *list = fopen("/proc/misc", "re");
	bool found = false;
	char name[32];

	if (!list)
		return false;
	while (!found && fscanf(list, "%u %31s", minor, name) == 2)
		found = !strcmp(name, KTR_GENL_NAME);
	fclose(list);
	return found;
}

int reader_device(struct fault *f)
{
	int fd = open(KTR_DEVICE, O_RDWR | O_CLOEXEC);
	int err = errno;
	unsigned int minor;

	if (fd >= 0)
		return fd;
	if (err == EACCES || err == EPERM)
		return fault_set(f, ST_DENIED, "%s: %s: run as root or with CAP_PERFMON",
				 KTR_DEVICE, strerror(err));
	if (err == ENOENT && misc_minor(&minor))
		return fault_set(f, ST_ABSENT, "%s is missing, though the module is loaded: mknod -m 666 %s c %u %u",
				 KTR_DEVICE, KTR_DEVICE, MISC_MAJOR, minor);
	return fault_set(f, ST_ABSENT, "%s: %s: load the module: modprobe ktracer",
			 KTR_DEVICE, strerror(err));
}

static int map_ring(struct reader *r, unsigned int cpu, unsigned int ring,
		    uint64_t size, struct fault *f)
{
	struct ring_read *rr = &r->rings[r->nrings];
	char *cons, *data;
	int err;

	cons = mmap(NULL, KTR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		    KTR_MMAP_CONS(cpu, ring));
	if (cons == MAP_FAILED)
		return fault_set(f, ST_ABSENT, "cannot map ring %u of CPU %u: %s",
				 ring, cpu, strerror(errno));
	data = mmap(NULL, KTR_PAGE + 2 * size, PROT_READ, MAP_SHARED, r->fd,
		    KTR_MMAP_DATA(cpu, ring));
	if (data == MAP_FAILED) {
		munmap(cons, KTR_PAGE);
		return fault_set(f, ST_ABSENT, "cannot map ring %u of CPU %u: %s",
				 ring, cpu, strerror(errno));
	}
	err = ring_read_init(rr, (void *)data, cons,
			     (unsigned char *)data + KTR_PAGE, size, cpu, ring);
	if (err) {
		munmap(cons, KTR_PAGE);
		munmap(data, KTR_PAGE + 2 * size);
		return fault_set(f, ST_ABSENT, "ring of CPU %u has another layout: module and ktrctl are of different versions",
				 cpu);
	}
	r->nrings++;
	return 0;
}

/*
 * A gap right at the start of a ring begins where somebody last read it, or when the
 * session did: the first record of the control rings tells, which keep their oldest.
 */
static void begin_gaps(struct reader *r)
{
	uint64_t first, begin = reader_now();
	unsigned int i;

	for (i = 0; i < r->nrings; i++) {
		first = r->rings[i].last_time ?: ring_first_time(&r->rings[i]);
		if (first && first < begin)
			begin = first;
	}
	for (i = 0; i < r->nrings; i++)
		if (!r->rings[i].last_time)
			r->rings[i].last_time = begin;
}

int reader_open(struct reader *r, int fd, unsigned int ncpus, uint64_t buf_size,
		uint64_t ctl_size, struct fault *f)
{
	unsigned int cpu;
	int err;

	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->rings = calloc(ncpus * 2, sizeof(*r->rings));
	r->scratch = malloc(SCRATCH_SIZE);
	if (!r->rings || !r->scratch) {
		err = fault_set(f, ST_ABSENT, "out of memory");
		goto err_close;
	}
	for (cpu = 0; cpu < ncpus; cpu++) {
		err = map_ring(r, cpu, KTR_RING_DATA, buf_size, f);
		if (err)
			goto err_close;
		err = map_ring(r, cpu, KTR_RING_CONTROL, ctl_size, f);
		if (err)
			goto err_close;
	}
	begin_gaps(r);
	return 0;

err_close:
	reader_close(r);
	return err;
}

static int bind_fault(const char *name, int err, struct fault *f)
{
	switch (err) {
	case ENOENT:
		return fault_set(f, ST_USAGE, "no session named %s: `ktrctl list` shows those there are",
				 name);
	case EBUSY:
		return fault_set(f, ST_USAGE, "session %s has a reader already: end it first",
				 name);
	case EPERM:
		return fault_set(f, ST_DENIED, "session %s: not permitted: run as root or with CAP_PERFMON",
				 name);
	}
	return fault_set(f, ST_ABSENT, "session %s: cannot bind: %s", name,
			 strerror(err));
}

int reader_bind(struct reader *r, const char *name, struct fault *f)
{
	struct ktr_bind b = { .size = sizeof(b) };
	int fd;

	if (strlen(name) >= sizeof(b.name))
		return fault_set(f, ST_USAGE, "session name %s is too long: at most %d bytes",
				 name, KTR_NAME_MAX - 1);
	strcpy(b.name, name);
	fd = reader_device(f);
	if (fd < 0)
		return fd;
	if (ioctl(fd, KTR_IOC_BIND, &b)) {
		int err = errno;

		close(fd);
		return bind_fault(name, err, f);
	}
	return reader_open(r, fd, b.ncpus, b.buf_size, b.ctl_size, f);
}

void reader_close(struct reader *r)
{
	unsigned int i;

	for (i = 0; i < r->nrings; i++) {
		munmap(r->rings[i].cons, KTR_PAGE);
		munmap((void *)r->rings[i].prod,
		       KTR_PAGE + 2 * r->rings[i].size);
	}
	free(r->rings);
	free(r->scratch);
	if (r->fd >= 0)
		close(r->fd);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

/*
 * A producer that holds a reservation runs with preemption off, so it is done
 * in microseconds, except where a hypervisor takes its CPU away: then the old
 * horizon stays for this round.
 */
static bool settle(struct ring_read *rr)
{
	struct timespec ts = { .tv_nsec = SETTLE_NS };
	unsigned int i;

	for (i = 0; !ring_settled(rr); i++) {
		if (i == SETTLE_TRIES)
			return false;
		nanosleep(&ts, NULL);
	}
	return true;
}

static int take_all(struct reader *r, struct ring_read *rr, reader_span_fn fn,
		    void *arg)
{
	const unsigned char *p;
	int err = 0;
	size_t n;

	while (!err && (n = ring_take(rr, r->scratch, SCRATCH_SIZE, &p))) {
		err = fn(arg, rr, p, n);
		ring_done(rr);
	}
	return err;
}

int reader_round(struct reader *r, reader_span_fn fn, void *arg)
{
	uint64_t now = reader_now();
	unsigned int i;
	int err = 0;

	for (i = 0; i < r->nrings; i++)
		ring_snapshot(&r->rings[i]);
	for (i = 0; i < r->nrings; i++)
		if (!settle(&r->rings[i]))
			now = r->horizon;
	for (i = 0; i < r->nrings && !err; i++)
		err = take_all(r, &r->rings[i], fn, arg);
	r->horizon = now;
	return err;
}

int reader_trailing(struct reader *r, bool over, reader_span_fn fn, void *arg)
{
	unsigned char rec[RING_LOST_LEN] __attribute__((aligned(8)));
	uint64_t now = reader_now();
	unsigned int i;
	int err = 0;

	for (i = 0; i < r->nrings && !err; i++)
		if (ring_trailing(&r->rings[i], over, now, rec))
			err = fn(arg, &r->rings[i], rec, sizeof(rec));
	return err;
}

uint64_t reader_lost(const struct reader *r)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < r->nrings; i++)
		n += ring_lost(&r->rings[i]);
	return n;
}

uint64_t reader_records(const struct reader *r)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < r->nrings; i++)
		n += r->rings[i].records;
	return n;
}

void reader_told(struct reader *r)
{
	unsigned int i;

	for (i = 0; i < r->nrings; i++)
		ring_told(&r->rings[i]);
}
