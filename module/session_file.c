// SPDX-License-Identifier: GPL-2.0-only
/* The file that the module writes a session to. */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include "facts.h"
#include "probes.h"
#include "session.h"

/* In the writer's thread; a session that ends waits for it. */
static void writer_halt(void *arg)
{
	struct ktr_session *s = arg;

	mutex_lock(&s->lock);
	s->file_failed = true;
	ktr_session_halt(s);
	mutex_unlock(&s->lock);
	ktr_probes_wait();
}

static void writer_failed(void *arg, int error, u64 missing)
{
	const struct ktr_session *s = arg;

	/* Plain users may have this said. */
	pr_warn_ratelimited("session %u%s%s: cannot write to its file: %pe, it is stopped; %llu records are missing there\n",
			    s->id, s->name[0] ? " " : "", s->name, ERR_PTR(-error), missing);
}

static void *writer_facts(void *arg, u64 time, u32 *len)
{
	return ktr_session_facts(arg, time, len);
}

static const struct ktr_writer_ops writer_ops = {
	.halt = writer_halt, .failed = writer_failed, .facts = writer_facts,
};

static int check(const struct ktr_session *s, const struct file *file)
{
	int ret = 0;

	if (s->state == KTR_STATE_ENDED)
		return -ESHUTDOWN;
	if (s->reader)
		return -EBUSY;
	if (s->channel.mode != KTR_MODE_DISCARD)
		return -EOPNOTSUPP;
	if (s->cred)
		ret = ktr_permit_file(s->cred, file);
	return ret ?: ktr_writer_check(file);
}

int ktr_session_write(struct ktr_session *s, struct file *file, bool just_try)
{
	struct ktr_writer *w;
	int ret;

	mutex_lock(&s->lock);
	ret = check(s, file);
	/* Who asks is about to write its beginning himself. */
	if (!ret && just_try && ktr_writer_has(file))
		ret = -ETXTBSY;
	if (ret || just_try)
		goto out;
	w = ktr_writer_new(&s->channel, file, &writer_ops, s);
	if (IS_ERR(w)) {
		ret = PTR_ERR(w);
		goto out;
	}
	s->writer = w;
	s->reader = true;
out:
	mutex_unlock(&s->lock);
	return ret;
}

bool ktr_session_has_failed(struct ktr_session *s)
{
	bool failed;

	mutex_lock(&s->lock);
	failed = ktr_writer_error(s->writer);
	mutex_unlock(&s->lock);
	return failed;
}
