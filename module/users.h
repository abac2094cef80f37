/* SPDX-License-Identifier: GPL-2.0-only */
/* What plain users take: memory, sessions, targets; each bounded. */
#ifndef _KTR_USERS_H
#define _KTR_USERS_H

#include <linux/types.h>

struct cred;

/* One who has something. All below take NULL: privileged, and not bounded. */
struct ktr_user;

/* @cred's, referenced; or ERR_PTR(-ENOMEM). */
struct ktr_user *ktr_user_get(const struct cred *cred);
struct ktr_user *ktr_user_ref(struct ktr_user *u);
void ktr_user_put(struct ktr_user *u);

/* -EDQUOT: he has as much as he may. */
int ktr_user_charge(struct ktr_user *u, u64 bytes);
void ktr_user_uncharge(struct ktr_user *u, u64 bytes);
u64 ktr_user_bytes(struct ktr_user *u);
u64 ktr_user_max_bytes(void);

/* One more; false: he has as many as he may. */
bool ktr_user_add_session(struct ktr_user *u);
void ktr_user_del_session(struct ktr_user *u);
bool ktr_user_add_target(struct ktr_user *u);
void ktr_user_del_target(struct ktr_user *u);

#endif
