// SPDX-License-Identifier: GPL-2.0-only
/*
 * Path lookups: the functions that are handed the kernel's copy of a name,
 * entered through ftrace. No other thread can change that copy, and the
 * interpreters that an exec looks for come by here too, whose names are in no
 * argument of any call.
 *
 * The copy is the running task's (of an io_uring worker: of the request it
 * works on) until the function returns, so it is read as it is.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "call.h"
#include "hooked.h"
#include "targets.h"

static void looked_up(struct ktr_target *t, enum ktr_namei what, s32 dirfd, const char *name)
{
	u32 len = strnlen(name, PATH_MAX - 1), room = round_up(len + 1, 8);
	struct ktr_ev_namei *ev;
	struct ktr_rec *rec;
	char *text;

	if (!ktr_wants(t->stream, KTR_KIND_namei) || ktr_call_too_early(t))
		return;
	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_namei, task_pid_nr(t->task),
			     sizeof(*ev) + room);
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->what = what;
	ev->dirfd = dirfd;
	ev->nr = t->state & KTR_T_ACTIVE ? t->call.ev.nr : -1;
	ev->abi = t->call.ev.abi;
	text = (char *)(ev + 1);
	memcpy(text, name, len);
	memset(text + len, 0, room - len);
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

static void entered(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		    struct ftrace_regs *fregs);

/* All take the directory first and the name second. */
static struct hook {
	struct ftrace_ops ops;
	const char *name;
	enum ktr_namei what;
} hooks[] = {
	{ { .func = entered }, "filename_lookup", KTR_NAMEI_LOOKUP },
	{ { .func = entered }, "__filename_parentat", KTR_NAMEI_PARENT },
	{ { .func = entered }, KTR_OPEN_FUNCTION, KTR_NAMEI_OPEN },
};

static void entered(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		    struct ftrace_regs *fregs)
{
	const struct hook *h = container_of(ops, struct hook, ops);
	const struct filename *name;
	struct ktr_target *t;

	/* Most tasks are no targets: this is all they pay. */
	if (likely(hlist_empty(ktr_target_bucket(current))))
		return;
	name = (const struct filename *)ftrace_regs_get_argument(fregs, 1);
	/* What could not be copied in comes as an error. */
	if (IS_ERR_OR_NULL(name))
		return;
	guard(preempt_notrace)();
	ktr_for_each_target(t, current)
		if (!t->stream->owner || !current->in_execve)
			looked_up(t, h->what, ftrace_regs_get_argument(fregs, 0), name->name);
}

/* ftrace frees a filter but goes on pointing at it: leave a fresh ops behind. */
static void unhook(struct hook *h)
{
	/* Waits for callbacks, also those preempted in a trampoline. */
	unregister_ftrace_function(&h->ops);
	ftrace_free_filter(&h->ops);
	h->ops = (struct ftrace_ops){ .func = entered };
}

static int hook(struct hook *h)
{
	int ret = ftrace_set_filter(&h->ops, (unsigned char *)h->name, strlen(h->name), 0);

	if (!ret)
		ret = register_ftrace_function(&h->ops);
	if (!ret)
		return 0;
	ftrace_free_filter(&h->ops);
	h->ops = (struct ftrace_ops){ .func = entered };
	pr_err_once("cannot hook %s (%d): no path lookups\n", h->name, ret);
	return ret == -ENOMEM ? ret : -EOPNOTSUPP;
}

int ktr_namei_hook(void)
{
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		ret = hook(&hooks[i]);
		if (ret)
			goto err_unhook;
	}
	return 0;

err_unhook:
	while (--i >= 0)
		unhook(&hooks[i]);
	return ret;
}

void ktr_namei_unhook(void)
{
	int i = ARRAY_SIZE(hooks);

	while (--i >= 0)
		unhook(&hooks[i]);
}
