// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of sessions: who is in it can be found by number and by name. One that
 * is ending is seen in it until all of it is done, but found no more.
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include "session.h"

static DEFINE_MUTEX(sessions_lock);
static LIST_HEAD(sessions);		/* by number, ascending */
static u32 last_id;			/* sessions_lock */
static u32 nsessions;			/* sessions_lock */

bool ktr_session_is_his(const struct ktr_session *s, const struct ktr_who *who)
{
	return who->privileged || (s->cred && ktr_permit_same_user(s->cred, who->cred));
}

/* @cred: whose names, as in struct ktr_session. */
static struct ktr_session *find_name(const char *name, const struct cred *cred)
{
	struct ktr_session *s;

	lockdep_assert_held(&sessions_lock);
	list_for_each_entry(s, &sessions, node)
		if (!s->ending && !strcmp(s->name, name) && !s->cred == !cred &&
		    (!cred || ktr_permit_same_user(s->cred, cred)))
			return s;
	return NULL;
}

static struct ktr_session *find_id(u32 id, const struct ktr_who *who)
{
	struct ktr_session *s;

	lockdep_assert_held(&sessions_lock);
	list_for_each_entry(s, &sessions, node)
		if (!s->ending && s->id == id)
			return ktr_session_is_his(s, who) ? s : NULL;
	return NULL;
}

struct ktr_session *ktr_session_find(u32 id, const char *name, const struct ktr_who *who)
{
	struct ktr_session *s;

	mutex_lock(&sessions_lock);
	s = name ? find_name(name, who->privileged ? NULL : who->cred) : find_id(id, who);
	if (s)
		kref_get(&s->ref);
	mutex_unlock(&sessions_lock);
	return s;
}

struct ktr_session *ktr_session_next(u32 id, const struct ktr_who *who)
{
	struct ktr_session *s, *found = NULL;

	mutex_lock(&sessions_lock);
	list_for_each_entry(s, &sessions, node) {
		if (s->id < id || (who && !ktr_session_is_his(s, who)))
			continue;
		found = s;
		kref_get(&s->ref);
		break;
	}
	mutex_unlock(&sessions_lock);
	return found;
}

int ktr_sessions_add(struct ktr_session *s)
{
	int ret = 0;

	mutex_lock(&sessions_lock);
	if (nsessions >= KTR_SESSIONS_MAX || last_id == U32_MAX) {
		ret = -ENFILE;
	} else if (s->name[0] && find_name(s->name, s->cred)) {
		ret = -EEXIST;
	} else {
		s->id = ++last_id;
		list_add_tail(&s->node, &sessions);
		nsessions++;
		kref_get(&s->ref);	/* the list's */
	}
	mutex_unlock(&sessions_lock);
	return ret;
}

bool ktr_sessions_claim(struct ktr_session *s)
{
	bool ours;

	mutex_lock(&sessions_lock);
	ours = !s->ending;
	s->ending = true;
	mutex_unlock(&sessions_lock);
	return ours;
}

int ktr_session_end_killable(struct ktr_session *s)
{
	int ret;

	/* Before it is queued: whoever runs the work then sees it. */
	WRITE_ONCE(s->end_asked, true);
	ktr_session_end_soon(s);
	ret = wait_for_completion_killable(&s->ended);
	/* Its reference, too: the memory goes with the last, which is the caller's now. */
	if (!ret)
		flush_work(&s->end_work);
	return ret;
}

void ktr_sessions_maker_gone(const struct ktr_maker *maker)
{
	struct ktr_session *s;

	mutex_lock(&sessions_lock);
	list_for_each_entry(s, &sessions, node)
		if (s->flags & KTR_SESSION_F_UNTIL_IDLE && !s->ending &&
		    s->maker.net == maker->net && s->maker.port == maker->port)
			ktr_session_end_soon(s);
	mutex_unlock(&sessions_lock);
}

void ktr_sessions_remove(struct ktr_session *s)
{
	mutex_lock(&sessions_lock);
	list_del(&s->node);
	nsessions--;
	mutex_unlock(&sessions_lock);
}
