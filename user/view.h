/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - what the user wants to see; filled by the option parser */
#ifndef KTR_VIEW_H
#define KTR_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum view_xlat {
	VIEW_ABBREV,		/* O_RDONLY */
	VIEW_RAW,		/* 0 */
	VIEW_VERBOSE,		/* 0 / * O_RDONLY * / */
};

struct view {
	unsigned int strsize;	/* -s, 32: bytes of a string or buffer that are printed */
	bool verbose;		/* -v: structs, argv, envp whole */
	int hexstr;		/* 0; 1 -x: strings with odd bytes in hex; 2 -xx: all */
	enum view_xlat xlat;	/* -X */
	bool decode_fds;	/* -y: 3</etc/passwd> */
	bool sockets;		/* -yy */
	unsigned int col;	/* -a, 40: column of the result */
	/*
	 * For -y: the name behind a descriptor (dirfd -100: the working
	 * directory) of a task at a time, or NULL. May be NULL itself.
	 */
	const char *(*fd_name)(void *ctx, uint32_t tid, int fd, uint64_t time);
	void *fd_ctx;
};

#define VIEW_DEFAULT { .strsize = 32, .col = 40 }

#endif
