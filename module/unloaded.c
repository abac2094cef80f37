// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of a kernel module that is taken out leave the sessions that have them.
 *
 * ftrace forgets the places, but a filter keeps their addresses, and would hook what
 * is there when another module comes to stand where this one stood.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include "session.h"
#include "unloaded.h"

/* Those of @s in @mod: *addr, to be freed. Return: how many. */
static u32 pick(struct ktr_session *s, const struct module *mod, u64 **addr)
{
	const struct ktr_functions *f = &s->functions;
	u32 n, at = 0, i, k = 0;
	u64 *all;

	mutex_lock(&s->lock);
	n = ktr_functions_count(f);
	all = n ? kvmalloc_array(n, sizeof(*all), GFP_KERNEL | __GFP_NOFAIL) : NULL;
	for (i = 0; i < f->n && at < n; i++)
		all[at++] = f->addr[i];
	at += ktr_returns_list(&f->returns, 0, all + at, n - at);
	at += ktr_graph_list(&f->graph, 0, all + at, n - at);
	mutex_unlock(&s->lock);
	for (i = 0; i < at; i++)
		if (within_module(all[i], mod))
			all[k++] = all[i];
	*addr = all;
	return k;
}

static void leave(struct ktr_session *s, const struct module *mod)
{
	struct ktr_functions_ask ask = { .op = KTR_FUNCTIONS_DEL };
	u64 *addr;
	u32 n = pick(s, mod, &addr);

	/* Without memory for it none stay: better than somebody else's. */
	if (n && ktr_session_functions(s, addr, n, &ask) == -ENOMEM)
		ktr_session_functions(s, NULL, 0, &ask);
	kvfree(addr);
}

/* Its functions are not called any more, and its text is still there. */
static int module_changes(struct notifier_block *nb, unsigned long what, void *data)
{
	struct ktr_session *s;
	u32 id = 0;

	if (what != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	while ((s = ktr_session_next(id, NULL))) {
		id = s->id + 1;
		leave(s, data);
		ktr_session_put(s);
	}
	return NOTIFY_DONE;
}

static struct notifier_block unloaded = {
	.notifier_call = module_changes,
	.priority = 1,			/* before kprobes and fprobes see to theirs */
};

int ktr_unloaded_init(void)
{
	return register_module_notifier(&unloaded);
}

void ktr_unloaded_exit(void)
{
	unregister_module_notifier(&unloaded);
}
