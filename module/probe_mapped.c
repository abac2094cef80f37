// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings with code, at perf_event_mmap(), which the kernel calls for every mapping
 * that is made or given other rights, whether perf wants it or not. It is called in
 * task context with the memory map locked and nothing that d_path() would wait for.
 *
 * Armed targets are told of too: the mappings of their execve are made before its
 * end, which is where their records start.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "hooked.h"
#include "targets.h"

#define FUNCTION	"perf_event_mmap"
#define NAME_MAX_LEN	1024
#define GONE		" (deleted)"

struct name {
	char text[NAME_MAX_LEN];
};

/* One a CPU: preemption is off, and only tasks come here. */
static struct name __percpu *names;

/* The file's path as the task's root shows it, in front of @room's end; NULL: too long. */
static const char *name_of(const struct vm_area_struct *vma, struct name *room, u32 *len, u32 *flags)
{
	const u32 gone = sizeof(GONE) - 1;
	const char *text;

	*len = 0;
	if (!vma->vm_file)
		return NULL;
	text = d_path(&vma->vm_file->f_path, room->text, sizeof(room->text));
	if (IS_ERR(text)) {
		*flags |= KTR_MAP_F_NO_NAME;
		return NULL;
	}
	*len = strlen(text);
	if (*len > gone && !memcmp(text + *len - gone, GONE, gone)) {
		*len -= gone;
		*flags |= KTR_MAP_F_DELETED;
	}
	return text;
}

static void emit(struct ktr_target *t, const struct ktr_ev_mapped *from, const char *name, u32 len)
{
	struct ktr_ev_mapped *ev;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_CONTROL, KTR_KIND_mapped, task_pid_nr(t->task),
			     sizeof(*ev) + round_up(len + 1, 8));
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	*ev = *from;
	memset(ev + 1, 0, round_up(len + 1, 8));
	memcpy(ev + 1, name, len);
	ktr_emit_end(t->stream, KTR_RING_CONTROL);
}

static void look(struct ktr_ev_mapped *ev, const struct vm_area_struct *vma)
{
	const struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;

	ev->start = vma->vm_start;
	ev->end = vma->vm_end;
	ev->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	ev->tgid = task_tgid_nr(current);
	/* The loader sets it once it has mapped the program. */
	if (!READ_ONCE(vma->vm_mm->start_code))
		ev->flags |= KTR_MAP_F_EXEC;
	if (!inode)
		return;
	ev->ino = inode->i_ino;
	ev->dev = MAJOR(inode->i_sb->s_dev) << 20 | MINOR(inode->i_sb->s_dev);
}

static bool wanted_by_any(void)
{
	struct ktr_target *t;

	ktr_for_each_any(t, current)
		if (ktr_wants(t->stream, KTR_KIND_mapped))
			return true;
	return false;
}

static void entered(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		    struct ftrace_regs *fregs)
{
	const struct vm_area_struct *vma;
	struct ktr_ev_mapped ev = {};
	struct ktr_target *t;
	const char *name;
	u32 len;

	/* Most tasks are no targets: this is all they pay. */
	if (likely(hlist_empty(ktr_target_bucket(current))))
		return;
	vma = (const struct vm_area_struct *)ftrace_regs_get_argument(fregs, 0);
	guard(preempt_notrace)();
	if (!(vma->vm_flags & VM_EXEC) || vma->vm_mm != current->mm || !wanted_by_any())
		return;
	look(&ev, vma);
	name = name_of(vma, this_cpu_ptr(names), &len, &ev.flags);
	ktr_for_each_target(t, current)
		if (ktr_wants(t->stream, KTR_KIND_mapped))
			emit(t, &ev, name, len);
}

static struct ftrace_ops hook = { .func = entered };

/* ftrace frees a filter but goes on pointing at it: leave a fresh ops behind. */
static void forget(void)
{
	ftrace_free_filter(&hook);
	hook = (struct ftrace_ops){ .func = entered };
	free_percpu(names);
	names = NULL;
}

int ktr_mapped_hook(void)
{
	int ret;

	names = alloc_percpu(struct name);
	if (!names)
		return -ENOMEM;
	ret = ftrace_set_filter(&hook, (unsigned char *)FUNCTION, strlen(FUNCTION), 0);
	if (!ret)
		ret = register_ftrace_function(&hook);
	if (!ret)
		return 0;
	forget();
	pr_err_once("cannot hook " FUNCTION " (%d): no mappings\n", ret);
	return ret == -ENOMEM ? ret : -EOPNOTSUPP;
}

void ktr_mapped_unhook(void)
{
	/* Waits for callbacks, also those preempted in a trampoline. */
	unregister_ftrace_function(&hook);
	forget();
}
