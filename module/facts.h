/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be known of a session that runs, as records. */
#ifndef _KTR_FACTS_H
#define _KTR_FACTS_H

#include <linux/types.h>

struct ktr_session;

/*
 * Whole records, as of @time; the caller's, for kvfree(). Takes the session's lock.
 * Return: -ENOMEM as a pointer.
 */
void *ktr_session_facts(struct ktr_session *s, u64 time, u32 *len);

#endif
