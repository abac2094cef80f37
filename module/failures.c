// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "failures.h"
#include "session.h"

#define KEPT 16		/* of one user; of all who are privileged together */
#define KEPT_ALL 1024	/* who has many user ids has no more */

struct failure {
	struct list_head node;		/* failures_lock; by number, ascending */
	struct ktr_failure_facts facts;
	const struct cred *cred;	/* as in struct ktr_session */
	struct ktr_user *user;
};

static DEFINE_MUTEX(failures_lock);
static LIST_HEAD(failures);

static void forget(struct failure *f)
{
	list_del(&f->node);
	ktr_user_put(f->user);
	kfree(f->facts.file);
	if (f->cred)
		put_cred(f->cred);
	kfree(f);
}

static bool is_his(const struct failure *f, const struct ktr_who *who)
{
	return who->privileged || (f->cred && ktr_permit_same_user(f->cred, who->cred));
}

/* One's own names are meant, as ktr_session_find() does. */
static bool is_named(const struct failure *f, const char *name, const struct ktr_who *who)
{
	return !strcmp(f->facts.name, name) && !f->cred == who->privileged && is_his(f, who);
}

static struct failure *make(const struct ktr_session *s, const struct ktr_writer_state *w)
{
	struct failure *f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);

	if (!f)
		return NULL;
	f->facts.id = s->id;
	strscpy(f->facts.name, s->name, sizeof(f->facts.name));
	f->facts.file = w->path ? kstrdup(w->path, GFP_KERNEL_ACCOUNT) : NULL;
	f->facts.owner = s->owner;
	f->facts.privileged = !s->cred;
	f->facts.bytes = w->bytes;
	f->facts.missing = w->missing;
	f->facts.error = w->error;
	f->cred = s->cred ? get_cred(s->cred) : NULL;
	f->user = ktr_user_ref(s->user);
	return f;
}

/* Sessions do not end in the order in which they were made. */
static void insert(struct failure *f)
{
	struct failure *after;

	list_for_each_entry(after, &failures, node)
		if (after->facts.id > f->facts.id)
			break;
	list_add_tail(&f->node, &after->node);
}

void ktr_failures_keep(const struct ktr_session *s, const struct ktr_writer_state *w)
{
	struct failure *f = make(s, w), *other, *oldest = NULL;
	int n = 0, all = 0;

	if (!f)
		return;	/* the kernel's log has it */
	mutex_lock(&failures_lock);
	insert(f);
	list_for_each_entry(other, &failures, node) {
		all++;
		if (other->user != f->user)
			continue;
		oldest = oldest ?: other;
		n++;
	}
	/* Where there are too many in all it is his own that goes, if need be the new one. */
	if (n > KEPT || all > KEPT_ALL)
		forget(oldest);
	mutex_unlock(&failures_lock);
}

bool ktr_failures_next(u32 id, const struct ktr_who *who, struct ktr_failure_facts *facts)
{
	struct failure *f;
	bool found = false;

	mutex_lock(&failures_lock);
	list_for_each_entry(f, &failures, node) {
		if (f->facts.id < id || !is_his(f, who))
			continue;
		*facts = f->facts;
		facts->file = f->facts.file ? kstrdup(f->facts.file, GFP_KERNEL) : NULL;
		found = true;
		break;
	}
	mutex_unlock(&failures_lock);
	return found;
}

bool ktr_failures_drop(u32 id, const char *name, const struct ktr_who *who)
{
	struct failure *f, *next;
	bool found = false;

	mutex_lock(&failures_lock);
	list_for_each_entry_safe(f, next, &failures, node) {
		if (name ? !is_named(f, name, who) : f->facts.id != id || !is_his(f, who))
			continue;
		forget(f);
		found = true;
	}
	mutex_unlock(&failures_lock);
	return found;
}

void ktr_failures_exit(void)
{
	struct failure *f, *next;

	list_for_each_entry_safe(f, next, &failures, node)
		forget(f);
}
