// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults, at handle_mm_fault(): what the processor could not do by itself,
 * and what the kernel does on behalf of a task, reading its memory. An address
 * in no mapping does not come here; its SIGSEGV tells it.
 *
 * It is called in task context; the memory map is locked, in part or in whole.
 * Plain users may not have these events: see permit.c.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include "call.h"
#include "hooked.h"
#include "targets.h"

struct fault {
	u64 start;
	u64 address;
	u32 access;		/* enum ktr_fault_access */
	u32 flags;		/* KTR_FAULT_F_* */
};

static void look(struct fault *f, const KTR_HOOK_REGS *regs)
{
	unsigned int flags = ktr_hook_argument(regs, 2);

	f->start = ktr_clock_ns();
	f->address = ktr_hook_argument(regs, 1);
	f->access = flags & FAULT_FLAG_INSTRUCTION ? KTR_FAULT_EXEC :
		    flags & FAULT_FLAG_WRITE ? KTR_FAULT_WRITE : KTR_FAULT_READ;
	f->flags = (flags & FAULT_FLAG_USER ? KTR_FAULT_F_USER : 0) |
		   (flags & FAULT_FLAG_REMOTE ? KTR_FAULT_F_REMOTE : 0) |
		   (flags & FAULT_FLAG_TRIED ? KTR_FAULT_F_TRIED : 0);
}

static void begun(struct ktr_target *t, const struct fault *f)
{
	struct ktr_ev_fault *ev;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_fault, task_pid_nr(t->task),
			     sizeof(*ev));
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->address = f->address;
	ev->access = f->access;
	ev->flags = f->flags;
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

static bool entered(const KTR_HOOK_REGS *regs, void *data)
{
	struct fault *f = data;
	struct ktr_target *t;
	bool wanted = false;

	/* Most tasks are no targets: this is all they pay. */
	if (likely(hlist_empty(ktr_target_bucket(current))))
		return false;
	look(f, regs);
	ktr_for_each_privileged(t, current) {
		if (ktr_call_too_early(t))
			continue;
		if (ktr_wants(t->stream, KTR_KIND_fault))
			begun(t, f);
		wanted |= ktr_wants(t->stream, KTR_KIND_fault_end);
	}
	return wanted;
}

/* The kernel's own bits, as an answer. One that is to be tried again is none yet. */
static enum ktr_fault_result result_of(vm_fault_t bits)
{
	if (bits & VM_FAULT_OOM)
		return KTR_FAULT_OOM;
	if (bits & (VM_FAULT_SIGBUS | VM_FAULT_HWPOISON | VM_FAULT_HWPOISON_LARGE))
		return KTR_FAULT_SIGBUS;
	if (bits & VM_FAULT_SIGSEGV)
		return KTR_FAULT_SIGSEGV;
	return bits & VM_FAULT_RETRY ? KTR_FAULT_RETRY : KTR_FAULT_OK;
}

static void ended(struct ktr_target *t, const struct fault *f, vm_fault_t bits)
{
	bool major = bits & VM_FAULT_MAJOR || f->flags & KTR_FAULT_F_TRIED;
	struct ktr_ev_fault_end *ev;
	struct ktr_rec *rec;

	rec = ktr_emit_begin(t->stream, KTR_RING_DATA, KTR_KIND_fault_end,
			     task_pid_nr(t->task), sizeof(*ev));
	if (!ktr_target_count(t, rec))
		return;
	ev = (void *)(rec + 1);
	ev->address = f->address;
	ev->result = result_of(bits);
	ev->flags = f->flags | (major ? KTR_FAULT_F_MAJOR : 0);
	ev->start = f->start;
	ktr_emit_end(t->stream, KTR_RING_DATA);
}

static void left(unsigned long value, void *data)
{
	struct ktr_target *t;

	ktr_for_each_privileged(t, current)
		if (!ktr_target_armed(t) && ktr_wants(t->stream, KTR_KIND_fault_end))
			ended(t, data, (__force vm_fault_t)value);
}

struct ktr_hook ktr_hook_fault = {
	.name = "handle_mm_fault",
	.entered = entered,
	.left = left,
	.data_size = sizeof(struct fault),
};
