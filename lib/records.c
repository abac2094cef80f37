// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace file as records of ktrace(2). What the module writes of a call in one
 * record comes as several: the call, its paths, structs and data, its return.
 *
 * A round of the file is taken at a time, put in order, and waits in a queue.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "capfile.h"
#include "events.h"
#include "inorder.h"
#include "kdump.h"
#include "ktrace.h"
#include "kills.h"
#include "ksyms.h"
#include "merge.h"
#include "meta.h"
#include "procs.h"
#include "sys.h"
#include "waits.h"

struct ktr_file {
	struct cap_reader cap;
	struct merge mg;
	struct procs procs;
	struct ksyms syms;
	struct buf queue;	/* headers, each with its record, at multiples of 8 */
	size_t at;		/* of the next one */
	uint32_t points;	/* that were asked for; 0: all */
	uint64_t recorded;	/* kinds */
	uint64_t dropped;	/* how often losses were told */
	struct lost *lost;
	bool ended;
	bool told;		/* that it is damaged */
};

/* Threads whose next record has KTR_DROP. */
struct lost {
	struct lost *next;
	uint32_t tid;
	uint64_t count;		/* of losses, when it was told last */
};

struct ktr_file *ktr_open(const char *path)
{
	struct ktr_file *file = calloc(1, sizeof(*file));
	struct fault f;
	int err;

	if (!file)
		return NULL;
	errno = 0;
	if (cap_open(&file->cap, path, &f)) {
		err = errno ?: EUCLEAN;
		free(file);
		errno = err;
		return NULL;
	}
	merge_init(&file->mg);
	procs_init(&file->procs);
	ksyms_init(&file->syms);
	buf_init(&file->queue);
	return file;
}

void ktr_close(struct ktr_file *file)
{
	struct lost *l, *next;

	if (!file)
		return;
	for (l = file->lost; l; l = next) {
		next = l->next;
		free(l);
	}
	buf_free(&file->queue);
	ksyms_free(&file->syms);
	procs_free(&file->procs);
	merge_free(&file->mg);
	cap_close(&file->cap);
	free(file);
}

/* Whether something was lost since this thread's last record. */
static bool take_drop(struct ktr_file *file, uint32_t tid)
{
	struct lost *l;

	if (!file->dropped)
		return false;
	for (l = file->lost; l; l = l->next)
		if (l->tid == tid)
			break;
	if (!l) {
		l = calloc(1, sizeof(*l));
		if (!l)
			return true;
		l->tid = tid;
		l->next = file->lost;
		file->lost = l;
	}
	if (l->count == file->dropped)
		return false;
	l->count = file->dropped;
	return true;
}

/* One record into the queue: two parts, the second may be empty. */
static void put(struct ktr_file *file, const struct ktr_rec *rec, uint64_t time, int type,
		const void *p, size_t n, const void *more, size_t nmore)
{
	struct proc *who = procs_get(&file->procs, rec->tid);
	uint64_t wall = time + file->procs.wall;
	struct ktr_header h = {
		.ktr_len = n + nmore, .ktr_type = type, .ktr_tid = rec->tid,
		.ktr_pid = who->tgid ? who->tgid : rec->tid,
		.ktr_time = { .tv_sec = wall / 1000000000, .tv_usec = wall / 1000 % 1000000 },
	};

	if (file->points && !(file->points & 1u << type))
		return;
	if (take_drop(file, rec->tid))
		h.ktr_type |= KTR_DROP;
	memcpy(h.ktr_comm, procs_named(who, time), MAXCOMLEN);
	buf_write(&file->queue, &h, sizeof(h));
	buf_write(&file->queue, p, n);
	buf_write(&file->queue, more, nmore);
	buf_pad(&file->queue, '\0', -file->queue.len & 7);
}

#define PUT(file, rec, type, what) \
	put(file, rec, (rec)->time, type, &(what), sizeof(what), NULL, 0)

static void put_entry(struct ktr_file *file, const struct sys_rec *r)
{
	union {
		struct ktr_syscall call;
		long room[8 + sizeof(struct ktr_syscall) / sizeof(long)];
	} u = { .call = { .ktr_code = r->nr, .ktr_narg = r->nargs,
			  .ktr_abi = sys_is_x32(r->abi, r->nr) ? 2 : r->abi } };
	unsigned int i;

	for (i = 0; i < r->nargs && i < 6; i++)
		u.call.ktr_args[i] = r->args[i];
	put(file, r->rec, r->start, KTR_SYSCALL, &u,
	    sizeof(u.call) + r->nargs * sizeof(long), NULL, 0);
}

static void put_return(struct ktr_file *file, const struct sys_rec *r)
{
	bool failed = r->ret < 0 && r->ret >= -4095;
	struct ktr_sysret ret = {
		.ktr_code = r->nr, .ktr_error = failed ? -r->ret : 0,
		.ktr_retval = failed ? -1 : r->ret,
	};

	PUT(file, r->rec, KTR_SYSRET, ret);
}

struct item_arg {
	struct ktr_file *file;
	const struct sys_rec *r;
	uint64_t time;
};

/* Paths, structs and data of a call. */
static void put_item(void *arg, const struct kdump_item *it)
{
	struct item_arg *a = arg;
	struct ktr_genio io = { .ktr_fd = it->fd, .ktr_rw = it->wrote, .ktr_moved = it->moved };
	struct ktr_struct_array array = { .struct_size = it->size };
	struct buf b;

	switch (it->line) {
	case KD_NAMI:
		if (a->file->recorded & 1ULL << KTR_KIND_namei)
			return;
		put(a->file, a->r->rec, a->time, KTR_NAMEI, it->p, it->n, NULL, 0);
		return;
	case KD_GIO:
		put(a->file, a->r->rec, a->time, KTR_GENIO, &io, sizeof(io), it->p, it->n);
		return;
	default:
		buf_init(&b);
		if (it->size)
			buf_write(&b, &array, sizeof(array));
		buf_write(&b, it->name, strlen(it->name) + 1);
		put(a->file, a->r->rec, a->time, it->size ? KTR_STRUCT_ARRAY : KTR_STRUCT,
		    b.p, b.len, it->p, it->n);
		buf_free(&b);
	}
}

/* Each signal once, by the name that it was sent under. */
static void put_signal(struct ktr_file *file, const struct ktr_rec *rec)
{
	struct delivered d;
	struct ktr_psig sig;

	if (!kills_delivered(&file->procs, procs_get(&file->procs, rec->tid), rec, &d))
		return;
	sig = (struct ktr_psig){ .signo = d.sig, .code = d.code, .action = d.handler,
				 .mask = d.mask };
	PUT(file, rec, KTR_PSIG, sig);
}

static void put_switch(struct ktr_file *file, const struct ktr_rec *rec)
{
	struct proc *p = procs_get(&file->procs, rec->tid);
	const struct ktr_ev_sched_out *ev = EV_AS(sched_out, rec);
	struct ktr_csw csw = { .out = !!ev };
	const unsigned char *stack;
	size_t len;

	if (ev) {
		len = ev_tail(ev_by_kind(rec->kind), rec, &stack);
		p->preempted = ev_could_run_on(ev);
		p->waits_at = waits_at(&file->syms, stack, len);
	}
	csw.user = p->preempted;
	snprintf(csw.wait, sizeof(csw.wait), "%s", waits_name(&file->syms, p->waits_at));
	PUT(file, rec, KTR_CSW, csw);
}

static void put_user(struct ktr_file *file, const struct ktr_rec *rec)
{
	const struct ktr_ev_marker *ev = EV_AS(marker, rec);
	const unsigned char *text;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &text);

	if (ev)
		put(file, rec, rec->time, KTR_USER, text, ev->len < len ? ev->len : len, NULL, 0);
}

static void put_sysctl(struct ktr_file *file, const struct ktr_rec *rec)
{
	const struct ktr_ev_sysctl *ev = EV_AS(sysctl, rec);
	const unsigned char *value;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &value);
	struct ktr_sysctl ctl = { 0 };

	if (!ev)
		return;
	ctl.write = ev->what == KTR_SYSCTL_WRITE;
	ctl.error = ev->ret < 0 ? -ev->ret : 0;
	memcpy(ctl.name, ev->name, sizeof(ctl.name));
	put(file, rec, rec->time, KTR_SYSCTL, &ctl, sizeof(ctl), value,
	    ev->len < len ? ev->len : len);
}

static int abi_of_child(const struct ktr_rec *rec, const struct ktr_ev_task_new *ev)
{
	if (!ev_has_child_flags(rec))
		return -1;
	if (ev->flags & KTR_TASK_F_X32)
		return 2;
	return !!(ev->flags & KTR_TASK_F_COMPAT);
}

static void put_new(struct ktr_file *file, const struct ktr_rec *rec)
{
	struct ktr_ev_task_new room;
	const struct ktr_ev_task_new *ev = ev_task_new(rec, &room);
	struct ktr_proc_ctor ctor;

	if (!ev)
		return;
	ctor = (struct ktr_proc_ctor){ .child = ev->child, .parent = ev->parent_tgid,
				       .flags = ev->clone_flags,
				       .abi = abi_of_child(rec, ev) };
	PUT(file, rec, KTR_PROCCTOR, ctor);
}

static void put_exit(struct ktr_file *file, const struct ktr_rec *rec)
{
	struct ktr_ev_exit room;
	const struct ktr_ev_exit *ev = ev_exit(rec, &room);
	struct ktr_proc_dtor dtor;

	if (!ev)
		return;
	kills_exit(&file->procs, procs_get(&file->procs, rec->tid), ev);
	dtor.status = ev->code;
	PUT(file, rec, KTR_PROCDTOR, dtor);
}

static void put_refusal(struct ktr_file *file, const struct ktr_rec *rec)
{
	const struct ktr_ev_cap_fail *ev = EV_AS(cap_fail, rec);
	const struct ktr_ev_denied *no = EV_AS(denied, rec);
	struct ktr_cap_fail fail = { .cap = -1 };

	if (ev) {
		fail.cap = ev->cap;
		fail.code = ev->nr;
	} else if (no) {
		fail.code = no->nr;
		fail.error = no->err;
	}
	PUT(file, rec, KTR_CAPFAIL, fail);
}

static void put_fault(struct ktr_file *file, const struct ktr_rec *rec)
{
	static const int access[] = {
		[KTR_FAULT_READ] = PROT_READ, [KTR_FAULT_WRITE] = PROT_WRITE,
		[KTR_FAULT_EXEC] = PROT_EXEC,
	};
	const struct ktr_ev_fault *ev = EV_AS(fault, rec);
	struct ktr_fault fault;

	if (!ev || ev->access > KTR_FAULT_EXEC)
		return;
	fault = (struct ktr_fault){ .vaddr = ev->address, .type = access[ev->access],
				    .user = !!(ev->flags & KTR_FAULT_F_USER) };
	PUT(file, rec, KTR_FAULT, fault);
}

static void put_fault_end(struct ktr_file *file, const struct ktr_rec *rec)
{
	static const int results[] = {
		[KTR_FAULT_SIGSEGV] = SIGSEGV, [KTR_FAULT_SIGBUS] = SIGBUS,
		[KTR_FAULT_OOM] = SIGKILL,
	};
	const struct ktr_ev_fault_end *ev = EV_AS(fault_end, rec);
	struct ktr_faultend end;

	if (!ev || ev->result > KTR_FAULT_OOM)
		return;
	end = (struct ktr_faultend){ .result = results[ev->result],
				     .major = !!(ev->flags & KTR_FAULT_F_MAJOR),
				     .nsec = rec->time - ev->start };
	PUT(file, rec, KTR_FAULTEND, end);
}

static void put_namei(struct ktr_file *file, const struct ktr_rec *rec)
{
	const unsigned char *name;
	size_t len = ev_tail(ev_by_kind(rec->kind), rec, &name);

	put(file, rec, rec->time, KTR_NAMEI, name, strnlen((const char *)name, len), NULL, 0);
}

static void put_begin(void *arg, struct proc *p, const struct sys_rec *r, unsigned int cpu)
{
	struct item_arg a = { arg, r, r->start };

	(void)p;
	(void)cpu;
	put_entry(arg, r);
	kdump_items(r, false, put_item, &a);
}

static void put_end(void *arg, struct proc *p, const struct sys_rec *r, unsigned int cpu)
{
	struct item_arg a = { arg, r, r->rec->time };

	(void)p;
	(void)cpu;
	kdump_items(r, true, put_item, &a);
	put_return(arg, r);
}

static void note_change(struct ktr_file *file, const struct ktr_ev_change *ev)
{
	if (ev->what == KTR_CHANGE_START || ev->what == KTR_CHANGE_EVENTS)
		file->recorded = ev->value;
	else if (ev->what == KTR_CHANGE_LABEL)
		file->points = ev->value;
}

static void put_record(void *arg, struct proc *p, const struct ktr_rec *rec, unsigned int cpu)
{
	struct ktr_file *file = arg;

	(void)cpu;
	switch (rec->kind) {
	case KTR_KIND_change:
		if (EV_AS(change, rec))
			note_change(file, EV_AS(change, rec));
		break;
	case KTR_KIND_lost:
		file->dropped++;
		break;
	case KTR_KIND_signal_generate:
		kills_sent(p, rec);
		break;
	case KTR_KIND_signal_deliver:
		put_signal(file, rec);
		break;
	case KTR_KIND_marker:
		put_user(file, rec);
		break;
	case KTR_KIND_task_new:
		put_new(file, rec);
		break;
	case KTR_KIND_exit:
		put_exit(file, rec);
		break;
	case KTR_KIND_sched_out:
	case KTR_KIND_sched_in:
		put_switch(file, rec);
		break;
	case KTR_KIND_namei:
		put_namei(file, rec);
		break;
	case KTR_KIND_sysctl:
		put_sysctl(file, rec);
		break;
	case KTR_KIND_cap_fail:
	case KTR_KIND_denied:
		put_refusal(file, rec);
		break;
	case KTR_KIND_fault:
		put_fault(file, rec);
		break;
	case KTR_KIND_fault_end:
		put_fault_end(file, rec);
		break;
	}
}

static struct inorder inorder_of(struct ktr_file *file)
{
	static const struct inorder_fns fns = { put_begin, put_end, put_record };
	uint64_t silent = 1ULL << KTR_KIND_clock | 1ULL << KTR_KIND_change |
			  1ULL << KTR_KIND_task | 1ULL << KTR_KIND_exec |
			  1ULL << KTR_KIND_rename | 1ULL << KTR_KIND_signal_generate |
			  1ULL << KTR_KIND_module | 1ULL << KTR_KIND_module_text;

	return (struct inorder){ &file->procs, &file->recorded, silent, &fns, file };
}

static int take(void *arg, const struct ktr_rec *rec, unsigned int src)
{
	struct ktr_file *file = arg;
	struct inorder in = inorder_of(file);

	procs_note(&file->procs, rec);
	inorder_take(&in, rec, src / 2);
	procs_after(&file->procs, rec);
	return 0;
}

/* Nothing else will come. */
static void take_rest(struct ktr_file *file)
{
	struct inorder in = inorder_of(file);

	inorder_all(&in);
}

/* The module writes no names: those of the kernel that runs are the same. */
static void take_meta(struct ktr_file *file)
{
	char *text = strndup((const char *)file->cap.payload, file->cap.block.length);

	file->syms.lazy |= text && meta_is_of_this_boot(text);
	free(text);
}

/* Blocks until something is in the queue. Return: 0, or -errno. */
static int fill(struct ktr_file *file)
{
	const struct ktr_file_block *b = &file->cap.block;
	int more, err = 0;

	buf_reset(&file->queue);
	file->at = 0;
	while (!err && !file->queue.len && !file->ended) {
		more = cap_next(&file->cap);
		if (more < 0) {
			err = more;
		} else if (!more) {
			file->ended = true;
			err = merge_run(&file->mg, UINT64_MAX, take, file);
			take_rest(file);
		} else if (b->type == KTR_FILE_DATA && b->cpu < 16384 && b->ring < 2) {
			err = merge_add(&file->mg, b->cpu * 2 + b->ring, file->cap.payload,
					b->length) < 0 ? -ENOMEM : 0;
		} else if (b->type == KTR_FILE_META) {
			take_meta(file);
		} else if (b->type == KTR_FILE_ROUND) {
			err = merge_run(&file->mg, b->time, take, file);
		}
	}
	return err;
}

int ktr_read(struct ktr_file *file, struct ktr_header *header, const void **record)
{
	int err = file->at < file->queue.len ? 0 : fill(file);

	if (!err && file->cap.damaged && !file->told) {
		file->told = true;
		err = -EUCLEAN;
	}
	if (err) {
		errno = -err;
		return -1;
	}
	if (file->at == file->queue.len)
		return 0;
	memcpy(header, file->queue.p + file->at, sizeof(*header));
	*record = file->queue.p + file->at + sizeof(*header);
	file->at += (sizeof(*header) + header->ktr_len + 7) & ~(size_t)7;
	return 1;
}
