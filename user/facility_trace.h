/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What setting and clearing of traces into files have in common. */
#ifndef KTR_FACILITY_TRACE_H
#define KTR_FACILITY_TRACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "ctl.h"
#include "facility.h"

#define FACILITY_TRIES 200	/* for a session that is just ending, 10 ms each */

struct facility_target {
	unsigned int kind;	/* enum ktr_target_kind */
	uint32_t id;
	unsigned int flags;	/* KTR_TARGET_F_DESCEND or 0 */
};

struct facility_trace {
	struct ctl *ctl;
	struct ctl_session s;
	struct ctl_ref ref;
	char name[KTR_NAME_MAX];
	int fd;
	bool made;		/* the session is new */
	bool from_exec, empty, of_file;	/* as in struct facility_ask */
	unsigned int left_out;	/* the same */
};

/* The trace file, open for appending, and for reading by who may. Return: or -errno. */
int facility_open(const char *path, struct stat *st);
/* The session's name that goes with it. */
void facility_name(char name[KTR_NAME_MAX], const struct stat *st);
/* Put the session's trace points in force. */
int facility_set_points(struct facility_trace *t, uint32_t points);

int facility_clear_file(struct ctl *ctl, const char *file);
int facility_clear(struct ctl *ctl, const struct facility_target *who, uint32_t points);

#endif
