// SPDX-License-Identifier: GPL-2.0-only
/*
 * What plain users take, each bounded for himself, and all of them together so
 * that some is left to those who are privileged.
 *
 * Who makes a user namespace has many ids in it: all of them count as his.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include "../uapi/ktracer.h"
#include "channel.h"
#include "users.h"

static unsigned int user_mib = 16;
module_param(user_mib, uint, 0644);
MODULE_PARM_DESC(user_mib, "MiB for each CPU that sessions of a plain user may take together");

static unsigned int user_sessions = 16;
module_param(user_sessions, uint, 0644);
MODULE_PARM_DESC(user_sessions, "sessions that a plain user may have");

static unsigned int user_targets = 4096;
module_param(user_targets, uint, 0644);
MODULE_PARM_DESC(user_targets, "tasks that the sessions of a plain user may trace together");

struct ktr_user {
	struct list_head node;		/* users_lock */
	kuid_t uid;			/* fixed */
	u32 refs;			/* users_lock */
	/* By probes and commands of all his sessions. */
	atomic64_t bytes;
	atomic_t sessions, targets;
};

static DEFINE_MUTEX(users_lock);
static LIST_HEAD(users);
static atomic64_t all_bytes;
static atomic_t all_sessions;

static kuid_t accountable(const struct cred *cred)
{
	struct user_namespace *ns = cred->user_ns;

	if (!ns->level)
		return cred->euid;
	while (ns->level > 1)
		ns = ns->parent;
	return ns->owner;
}

static struct ktr_user *find_or_add(kuid_t uid)
{
	struct ktr_user *u;

	list_for_each_entry(u, &users, node)
		if (uid_eq(u->uid, uid))
			return u;
	u = kzalloc(sizeof(*u), GFP_KERNEL_ACCOUNT);
	if (!u)
		return NULL;
	u->uid = uid;
	list_add(&u->node, &users);
	return u;
}

struct ktr_user *ktr_user_get(const struct cred *cred)
{
	struct ktr_user *u;

	mutex_lock(&users_lock);
	u = find_or_add(accountable(cred));
	if (u)
		u->refs++;
	mutex_unlock(&users_lock);
	return u ?: ERR_PTR(-ENOMEM);
}

struct ktr_user *ktr_user_ref(struct ktr_user *u)
{
	if (!u)
		return NULL;
	mutex_lock(&users_lock);
	u->refs++;
	mutex_unlock(&users_lock);
	return u;
}

void ktr_user_put(struct ktr_user *u)
{
	if (!u)
		return;
	mutex_lock(&users_lock);
	if (!--u->refs) {
		list_del(&u->node);
		kfree(u);
	}
	mutex_unlock(&users_lock);
}

u64 ktr_user_max_bytes(void)
{
	u64 own = ((u64)READ_ONCE(user_mib) << 20) * num_possible_cpus();

	return min(own, ktr_channel_max_bytes() / 2);
}

u64 ktr_user_bytes(struct ktr_user *u)
{
	return u ? atomic64_read(&u->bytes) : 0;
}

int ktr_user_charge(struct ktr_user *u, u64 bytes)
{
	u64 his, all;

	if (!u)
		return 0;
	his = atomic64_add_return(bytes, &u->bytes);
	all = atomic64_add_return(bytes, &all_bytes);
	if (his <= ktr_user_max_bytes() && all <= ktr_channel_max_bytes() / 2)
		return 0;
	ktr_user_uncharge(u, bytes);
	return -EDQUOT;
}

void ktr_user_uncharge(struct ktr_user *u, u64 bytes)
{
	if (!u)
		return;
	atomic64_sub(bytes, &u->bytes);
	atomic64_sub(bytes, &all_bytes);
}

/* Return: false, and nothing was counted, if there are @max. */
static bool add(atomic_t *n, unsigned int max)
{
	if ((unsigned int)atomic_inc_return(n) <= max)
		return true;
	atomic_dec(n);
	return false;
}

bool ktr_user_add_session(struct ktr_user *u)
{
	if (!u)
		return true;
	if (!add(&u->sessions, READ_ONCE(user_sessions)))
		return false;
	if (add(&all_sessions, KTR_SESSIONS_MAX / 2))
		return true;
	atomic_dec(&u->sessions);
	return false;
}

void ktr_user_del_session(struct ktr_user *u)
{
	if (!u)
		return;
	atomic_dec(&u->sessions);
	atomic_dec(&all_sessions);
}

bool ktr_user_add_target(struct ktr_user *u)
{
	return !u || add(&u->targets, READ_ONCE(user_targets));
}

void ktr_user_del_target(struct ktr_user *u)
{
	if (u)
		atomic_dec(&u->targets);
}
