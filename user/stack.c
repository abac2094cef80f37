// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "events.h"
#include "frames.h"
#include "json.h"
#include "out.h"
#include "out_generic.h"
#include "stack.h"

static void take(uint64_t *to, unsigned int n, const unsigned char **p)
{
	memcpy(to, *p, n * 8);
	*p += n * 8;
}

bool stack_of(const struct ktr_rec *rec, struct stack *s)
{
	size_t n = ev_stack_len(rec);
	struct ktr_stack_end end;
	const unsigned char *p;

	if (!n)
		return false;
	p = (const unsigned char *)rec + rec->len8 * 8u;
	memcpy(&end, p - sizeof(end), sizeof(end));
	p -= n;
	s->nkernel = end.kernel;
	s->nuser = end.user;
	s->flags = end.flags;
	take(s->kernel, end.kernel, &p);
	take(s->user, end.user, &p);
	s->nregs = end.regs;
	take(s->regs, end.regs, &p);
	s->ncopied = end.copied;
	s->copied = p;
	return true;
}

/* How functions begin that call whoever looks at tracepoints and functions. */
static bool is_machinery(const char *name)
{
	static const char *const starts[] = {
		"__traceiter_", "ftrace_", "arch_ftrace_", "fprobe_", "rethook_", "arch_rethook_",
		"kretprobe_", "__kretprobe_", "kprobe_", "aggr_", "opt_", "optimized_callback",
		"function_graph_", "return_to_handler", "__ftrace_", "trampoline_handler",
	};
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* The function that the record is of: 0 if it is of none. */
static uint64_t function_of(const struct ktr_rec *rec)
{
	const struct ktr_ev_function *in = EV_AS(function, rec);

	return in ? in->ip : 0;
}

/* Bytes behind the place where ftrace is called that its return address may lie. */
#define CALL_MAX 16

unsigned int stack_machinery(struct out *o, const struct ktr_rec *rec, const struct stack *s)
{
	uint64_t ip = function_of(rec);
	const struct ksym *sym;
	unsigned int i;

	/* A trampoline of ftrace's has no name: what it was called from is known. */
	for (i = 0; ip && i < s->nkernel; i++)
		if (s->kernel[i] - ip <= CALL_MAX)
			return i;
	for (i = 0; i < s->nkernel; i++) {
		sym = ksyms_find(&o->syms, s->kernel[i]);
		if (!sym || !is_machinery(ksyms_name(&o->syms, sym)))
			return i;
	}
	/* All of them? Rather too many than none. */
	return 0;
}

static void kernel_text(struct out *o, struct buf *b, const struct ktr_rec *rec,
			const struct stack *s)
{
	unsigned int i;

	for (i = stack_machinery(o, rec, s); i < s->nkernel; i++) {
		buf_puts(b, " > ");
		ksyms_format(&o->syms, b, s->kernel[i]);
		buf_putc(b, '\n');
	}
	if (s->flags & KTR_STACK_F_KERNEL_CUT)
		buf_puts(b, " > ...\n");
}

static uint32_t tgid_of(struct out *o, const struct ktr_rec *rec)
{
	const struct proc *p = procs_find(&o->procs, rec->tid);

	return p && p->tgid ? p->tgid : rec->tid;
}

/* As strace: ` > /usr/bin/ls(main+0x1c) [0x11ba]`, the place in the file. */
static void frame_text(struct buf *b, const struct frame *f)
{
	buf_puts(b, " > ");
	if (!f->image) {
		buf_printf(b, "? [0x%llx]\n", (unsigned long long)f->addr);
		return;
	}
	buf_puts(b, image_path(f->image));
	if (f->name)
		buf_printf(b, "(%s+0x%llx)", f->name, (unsigned long long)f->into);
	else
		buf_puts(b, f->replaced ? "(another file by now)" : "()");
	buf_printf(b, " [0x%llx]\n", (unsigned long long)f->offset);
}

static void user_text(struct out *o, struct buf *b, const struct ktr_rec *rec, struct stack *s)
{
	struct frame f[FRAMES_MAX];
	unsigned int i, n = frames_of(&o->spaces, tgid_of(o, rec), s, f);

	for (i = 0; i < n; i++)
		frame_text(b, &f[i]);
	if (s->flags & KTR_STACK_F_USER_CUT)
		buf_puts(b, " > ...\n");
	if (s->flags & KTR_STACK_F_USER_BAD)
		buf_puts(b, " > ?\n");
}

void stack_text(struct out *o, struct sink *to, const struct ktr_rec *rec)
{
	struct stack s;

	if (!stack_of(rec, &s))
		return;
	kernel_text(o, &to->b, rec, &s);
	if (s.nuser || s.nregs)
		user_text(o, &to->b, rec, &s);
}

static void kernel_json(struct out *o, struct buf *b, const struct ktr_rec *rec,
			const struct stack *s)
{
	unsigned int i;

	json_name(b, "kstack");
	buf_putc(b, '[');
	for (i = stack_machinery(o, rec, s); i < s->nkernel; i++) {
		json_sep(b);
		generic_json_sym(b, o, s->kernel[i]);
	}
	buf_putc(b, ']');
	if (s->flags & KTR_STACK_F_KERNEL_CUT)
		json_udec(b, "kstack_cut", 1);
}

static void frame_json(struct buf *b, const struct frame *f)
{
	const char *path = f->image ? image_path(f->image) : NULL;

	json_sep(b);
	buf_putc(b, '{');
	json_hex(b, "addr", f->addr);
	if (path) {
		json_name(b, "file");
		json_bytes(b, path, strlen(path));
		json_hex(b, "offset", f->offset);
	}
	if (f->name) {
		json_name(b, "func");
		json_bytes(b, f->name, strlen(f->name));
		json_udec(b, "into", f->into);
	}
	if (f->replaced)
		json_udec(b, "replaced", 1);
	buf_putc(b, '}');
}

static void user_json(struct out *o, struct buf *b, const struct ktr_rec *rec, struct stack *s)
{
	struct frame f[FRAMES_MAX];
	unsigned int i, n = frames_of(&o->spaces, tgid_of(o, rec), s, f);

	json_name(b, "ustack");
	buf_putc(b, '[');
	for (i = 0; i < n; i++)
		frame_json(b, &f[i]);
	buf_putc(b, ']');
	if (s->flags & KTR_STACK_F_USER_CUT)
		json_udec(b, "ustack_cut", 1);
	if (s->flags & KTR_STACK_F_USER_BAD)
		json_udec(b, "ustack_broken", 1);
}

void stack_json(struct buf *b, struct out *o, const struct ktr_rec *rec)
{
	struct stack s;

	if (!stack_of(rec, &s))
		return;
	if (s.nkernel)
		kernel_json(o, b, rec, &s);
	if (s.nuser || s.nregs)
		user_json(o, b, rec, &s);
}
