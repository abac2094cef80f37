/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets that have to do with descriptors, as options spell them. */
#ifndef KTR_FDSET_H
#define KTR_FDSET_H

#include <stdbool.h>

#include "fault.h"

/* -e decode-fds=: path, socket, dev, pidfd, all, none; "!" in front: the rest. */
int fdkinds_parse(unsigned int *kinds, const char *set, struct fault *f);

#define FDSET_MAX 64

/* Numbers of descriptors. */
struct fdset {
	bool others;		/* all but those */
	unsigned int n;
	int fd[FDSET_MAX];
};

/* -e read=, write=: numbers with commas, all, none; "!" in front: the rest. */
int fdset_parse(struct fdset *s, const char *text, struct fault *f);
bool fdset_any(const struct fdset *s);
bool fdset_has(const struct fdset *s, int fd);

#endif
