/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - what the user wants to see; filled by the option parser */
#ifndef KTR_VIEW_H
#define KTR_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fdset.h"
#include "iolimit.h"

enum view_xlat {
	VIEW_ABBREV,		/* O_RDONLY */
	VIEW_RAW,		/* 0 */
	VIEW_VERBOSE,		/* 0 / * O_RDONLY * / */
};

/* Of strings: -x, -xx. */
enum view_hex {
	VIEW_HEX_NONE,
	VIEW_HEX_ODD,		/* strings with odd bytes */
	VIEW_HEX_ALL,
	VIEW_HEX_CHARS,		/* odd bytes alone */
};

struct procs;
struct sysset;

struct view {
	unsigned int strsize;	/* -s, 32: bytes of a string or buffer that are printed */
	bool verbose;		/* -v: structs, argv, envp whole */
	unsigned int hexstr;	/* enum view_hex */
	enum view_xlat xlat;	/* -X */
	unsigned int decode_fds; /* VIEW_FD_*; -y: PATH, -yy: all */
	bool comms;		/* -Y: names behind process ids */
	struct procs *procs;	/* who has them; NULL: nobody */
	bool interfaces;	/* indices are this machine's, now: by name */
	bool ip;		/* -i: where the call was made */
	struct io_limits io;	/* bytes of I/O that are kept */
	struct fdset dump_read;	/* -e read=: below the line */
	struct fdset dump_write;
	unsigned int col;	/* -a, 40: column of the result */
	/* Calls, NULL: not given. */
	const struct sysset *raw; /* -e raw=: arguments as numbers */
	const struct sysset *abbrev; /* -e abbrev=: others as with -v */
	const struct sysset *structs; /* -e verbose=: of others addresses alone */
	bool addresses;		/* of the call at hand: no structs */
};

/* What is shown of a descriptor, if the record has it. */
#define VIEW_FD_PATH	1u	/* 3</etc/passwd> */
#define VIEW_FD_SOCKET	2u	/* 3<TCP:[127.0.0.1:80]> */
#define VIEW_FD_DEV	4u	/* 3</dev/null<char 1:3>> */
#define VIEW_FD_PIDFD	8u	/* 3<pid:1> */
#define VIEW_FD_ALL	15u
#define VIEW_FD_ASKED	16u	/* recorded, not shown */

#define VIEW_DEFAULT { .strsize = 32, .col = 40, .io = IO_LIMITS_NONE }

#endif
