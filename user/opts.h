/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: one table of options, each command takes some classes. */
#ifndef KTR_OPTS_H
#define KTR_OPTS_H

#include <stdbool.h>

#include "fault.h"
#include "out.h"
#include "select.h"
#include "view.h"

/* Classes of options. */
#define OC_SELECT	(1u << 0)	/* what is recorded */
#define OC_ATTACH	(1u << 1)	/* -p, -f, --descend */
#define OC_BUFFER	(1u << 2)	/* --buffer, --mode */
#define OC_VIEW		(1u << 3)	/* how it is shown */
#define OC_OUT		(1u << 4)	/* -o, -A, -ff */
#define OC_STRACE	(1u << 5)	/* -s, -f as strace's */
#define OC_SESSION	(1u << 6)	/* -s NAME */
#define OC_SESSIONS	(1u << 7)	/* --mine, --all */
#define OC_TAIL		(1u << 8)	/* read -f */
#define OC_JSON		(1u << 9)	/* --json alone */
#define OC_LIMITS	(1u << 10)	/* --for, --limit, --fail-on-loss */
#define OC_CHILD	(1u << 11)	/* -E */
#define OC_REST		(1u << 12)	/* a command follows */
#define OC_PID		(1u << 13)	/* --pid of add-*, many at once */
#define OC_SUM		(1u << 14)	/* -c and what goes with it */
#define OC_FUNC		(1u << 15)	/* --ret of add-func */
#define OC_RECORD	(1u << 16)	/* record alone */
#define OC_MAKE		(1u << 17)	/* of a session that add-* makes */
#define OC_FILTER	(1u << 18)	/* start: another filter */

struct opts {
	struct select sel;
	struct view view;
	struct out_opts out;
	const char *detach;		/* record: the module writes, in this session */
	const char *session;		/* -s; NULL: default */
	bool mine, all;
	bool tail;			/* read -f */
	bool ignored;			/* accepted for strace's sake */
	bool help, version;
	unsigned int nfollow;		/* how often -f was given */
	unsigned int nstamp, nquiet;	/* -t, -q */
	char spelled[32];		/* the option that is being looked at */
	bool long_stamp;		/* --absolute-timestamps */
	bool long_quiet;		/* -e quiet=, --quiet */
	bool short_hex, long_hex;	/* -x, --strings-in-hex */
	bool short_fds, long_fds;	/* -y, --decode-fds */
	unsigned int ndaemon;		/* -D, -DD, -DDD */
	unsigned int interruptible;	/* -I; 0: not given */
	const char *user;		/* -u */
	/* -e raw=, abbrev=, verbose=: the view points to those given. */
	struct sysset raw, abbrev, structs;
	const char **env;		/* -E, in order */
	unsigned int nenv;
	bool dashes;			/* "--" stood in front of what is left */
	int argc;			/* what is left */
	char **argv;
};

void opts_init(struct opts *o);
void opts_free(struct opts *o);

/*
 * argv[0] is the command's name. Return: 0, or -EINVAL and the fault.
 */
int opts_parse(struct opts *o, unsigned int classes, int argc, char **argv,
	       struct fault *f);

/* Help on the options of these classes, a line each. */
void opts_help(struct buf *b, unsigned int classes);

/* Every option's spellings in turn, for completion: "-f" or "--follow-forks". */
void opts_each(unsigned int classes, void (*fn)(void *arg, const char *word),
	       void *arg);

#endif
