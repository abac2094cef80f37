/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings of one session behind a descriptor of /dev/ktracer. Nothing else
 * knows the mapping.
 */
#ifndef KTR_READER_H
#define KTR_READER_H

#include "fault.h"
#include "ring_read.h"

struct reader {
	int fd;
	unsigned int nrings;
	struct ring_read *rings;
	uint64_t horizon;	/* all older records were given out */
	unsigned char *scratch;
	bool hup;		/* the session is over: the last round */
};

/* Open the device. Failure: the fault says what to do. */
int reader_device(struct fault *f);

/* Map the rings of a bound descriptor; the reader owns it from then on. */
int reader_open(struct reader *r, int fd, unsigned int ncpus, uint64_t buf_size,
		uint64_t ctl_size, struct fault *f);
/* Bind to a session by name first. */
int reader_bind(struct reader *r, const char *name, struct fault *f);
void reader_close(struct reader *r);

/* A piece of one ring: whole records. */
typedef int (*reader_span_fn)(void *arg, const struct ring_read *ring,
			      const unsigned char *p, size_t len);

/*
 * Everything that is there, ring by ring, and then r->horizon is set. Returns
 * what the callback returned if that is not 0.
 */
int reader_round(struct reader *r, reader_span_fn fn, void *arg);

/* At the end: one lost record per ring for what no lost record told. */
int reader_trailing(struct reader *r, bool over, reader_span_fn fn, void *arg);

uint64_t reader_lost(const struct reader *r);
uint64_t reader_records(const struct reader *r);
void reader_told(struct reader *r);
uint64_t reader_now(void);	/* CLOCK_MONOTONIC, ns */

#endif
