// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of a kernel module that is taken out leave the sessions that have them;
 * those of one that is loaded are added to the sessions that wait for it.
 *
 * ftrace forgets the places of one that goes, but a filter keeps their addresses, and
 * would hook what is there when another module comes to stand where this one stood.
 * So text that is about to be freed is noted as dead first, then swept from each
 * session under its lock: one that is added before is swept, later ones are refused.
 * Notes are dropped when a module comes to stand there, and the oldest when there are
 * more than fit: by then ftrace has long forgotten what they are about.
 *
 * Callbacks run in the context of who loads or unloads, may sleep, and hold the
 * notifier chain's lock, then a session's. Nobody who holds that changes the chain.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/spinlock.h>
#include "kmod_text.h"
#include "kmods.h"
#include "session.h"

static DEFINE_SPINLOCK(dead_lock);
static struct ktr_span dead[64];	/* dead_lock, as the next */
static u32 dead_next;

static void note_dead(const struct ktr_span *span)
{
	spin_lock(&dead_lock);
	dead[dead_next++ % ARRAY_SIZE(dead)] = *span;
	spin_unlock(&dead_lock);
}

static void note_alive(const struct ktr_span *span)
{
	u32 i;

	spin_lock(&dead_lock);
	for (i = 0; i < ARRAY_SIZE(dead); i++)
		if (dead[i].from < span->to && dead[i].to > span->from)
			dead[i] = (struct ktr_span){};
	spin_unlock(&dead_lock);
}

static bool is_dead(u64 addr)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(dead); i++)
		if (ktr_span_has(&dead[i], addr))
			return true;
	return false;
}

u64 ktr_kmods_find_dead(const u64 *addr, u32 n)
{
	u64 found = 0;
	u32 i;

	spin_lock(&dead_lock);
	for (i = 0; i < n && !found; i++)
		if (is_dead(addr[i]))
			found = addr[i];
	spin_unlock(&dead_lock);
	return found;
}

/* @name: the module that goes; NULL: it stays, but for these. */
static void sweep(const char *name, struct ktr_span span)
{
	struct ktr_session *s;
	u32 id = 0;

	if (span.from == span.to)
		return;
	note_dead(&span);
	while ((s = ktr_session_next(id, NULL))) {
		id = s->id + 1;
		ktr_session_module_goes(s, name, &span);
		ktr_session_put(s);
	}
}

/*
 * Of one that is live the init functions are over, and are freed next; of one that goes
 * no function is called any more. The text is still there.
 */
static int leaves(struct notifier_block *nb, unsigned long what, void *data)
{
	const struct module *mod = data;

	if (what != MODULE_STATE_LIVE && what != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	sweep(NULL, ktr_kmod_init(mod));
	if (what == MODULE_STATE_GOING)
		sweep(mod->name, ktr_kmod_core(mod));
	return NOTIFY_DONE;
}

static void add_to_all(const struct module *mod)
{
	struct ktr_kmod_text text;
	struct ktr_session *s;
	bool known = false;
	int ret = 0;
	u32 id = 0;

	while ((s = ktr_session_next(id, NULL))) {
		id = s->id + 1;
		if (!known && ktr_session_waits_for(s, mod->name)) {
			ret = ktr_kmod_text_get(&text, mod);
			known = true;
		}
		if (known)
			ktr_session_module_comes(s, mod->name, &text, ret);
		ktr_session_put(s);
	}
	if (known)
		ktr_kmod_text_put(&text);
}

/* ftrace knows its places, and none of its functions has been called. */
static int comes(struct notifier_block *nb, unsigned long what, void *data)
{
	const struct module *mod = data;
	struct ktr_span core = ktr_kmod_core(mod), init = ktr_kmod_init(mod);

	if (what != MODULE_STATE_COMING)
		return NOTIFY_DONE;
	note_alive(&core);
	note_alive(&init);
	add_to_all(mod);
	return NOTIFY_DONE;
}

static struct notifier_block going = {
	.notifier_call = leaves,
	.priority = 1,			/* before kprobes and fprobes see to theirs */
};

static struct notifier_block coming = {
	.notifier_call = comes,
	.priority = -1,			/* after kprobes have learned what is not for them */
};

int ktr_kmods_init(void)
{
	int ret = register_module_notifier(&going);

	if (ret)
		return ret;
	ret = register_module_notifier(&coming);
	if (ret)
		unregister_module_notifier(&going);
	return ret;
}

void ktr_kmods_exit(void)
{
	unregister_module_notifier(&coming);
	unregister_module_notifier(&going);
}
