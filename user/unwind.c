// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * By libdwfl, which is told what the record and the mappings tell, and asks nobody
 * else: memory is the copied stack, and the code of the files; files are the copies of
 * their tables that cfi.c makes. Debug information is not looked for anywhere.
 */
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "cfi.h"
#include "unwind.h"

#define MODULES_MAX	1024
#define KEPT_MAX	8

#define REGS		17	/* DWARF's numbers of x86-64; the last is where it goes on */
#define REGS32		9
#define FP		6
#define SP		7
#define FP32		5
#define SP32		4
#define PC32		8
#define PC		16
#define NULL_PAGE	4096
#define THREAD		1	/* whichever it is, there is one */

/* For processes that have the same mapped. */
struct unwinder {
	struct unwinder *next;
	uint64_t version;
	uint64_t ids;			/* of the files, that were known then */
	bool compat;
	Dwfl *dwfl;
	Elf *machine;
	union {
		Elf64_Ehdr wide;
		Elf32_Ehdr small;
	} header;
	/* What is unwound just now. */
	struct spaces *ss;
	uint32_t tgid;
	struct stack *s;
	uint64_t base;			/* of the copy */
	bool partial;			/* of the registers only those of i386's frames are known */
	bool fp_known;			/* of the last frame */
	Dwarf_Word fp, sp;
	bool short_of;			/* something that was not copied */
	bool failed;			/* to read for the last step */
};

static int find_elf(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
		    char **path, Elf **elf)
{
	(void)mod;
	(void)name;
	(void)base;
	(void)path;
	*elf = cfi_elf(*data);
	return -1;
}

static int find_no_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
			     const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)mod;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)path;
	return -1;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	struct unwinder *u = arg;
	bool first = !*thread;

	(void)dwfl;
	*thread = u;
	return first ? THREAD : 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = arg;
	return true;
}

/* What programs have to read there does not change. */
static bool read_code(struct unwinder *u, uint64_t addr, void *to, size_t n)
{
	const struct mapping *m = spaces_find(u->ss, u->tgid, addr);

	return m && m->image && m->end - addr >= n &&
	       image_read(&u->ss->images, m->image, addr - m->start + m->offset, to, n);
}

/*
 * After the first word that was not copied nothing more is read: what is then found
 * by other ways is no caller.
 */
static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *word, void *arg)
{
	struct unwinder *u = arg;
	size_t n = u->compat ? 4 : 8, size = u->s->ncopied * 8ULL;
	uint64_t at = addr - u->base;

	(void)dwfl;
	*word = 0;
	if (u->short_of)
		return false;
	if (at < size && size - at >= n) {
		memcpy(word, u->s->copied + at, n);
		return true;
	}
	if (read_code(u, addr, word, n))
		return true;
	u->short_of = at < KTR_STACK_COPY_MAX * 1024ULL;
	/* A null frame pointer is how programs begin. */
	u->failed = addr >= NULL_PAGE;
	return false;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	/* Of i386's numbers those of x86-64. */
	static const unsigned char as[REGS32] = { 0, 2, 1, 3, 7, 6, 4, 5, PC };
	struct unwinder *u = arg;
	Dwarf_Word small[REGS32];
	unsigned int i;

	if (!u->compat)
		return dwfl_thread_state_registers(thread, 0, REGS, u->s->regs);
	for (i = 0; i < REGS32; i++)
		small[i] = (uint32_t)u->s->regs[as[i]];
	if (u->partial)
		return dwfl_thread_state_registers(thread, SP32, 2, &small[SP32]) &&
		       dwfl_thread_state_registers(thread, PC32, 1, &small[PC32]);
	return dwfl_thread_state_registers(thread, 0, REGS32, small);
}

static const Dwfl_Callbacks files = {
	.find_elf = find_elf,
	.find_debuginfo = find_no_debuginfo,
};

static const Dwfl_Thread_Callbacks threads = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* A file of nothing but its header: it says which machine's registers those are. */
static Elf *machine_of(struct unwinder *u)
{
	unsigned char *ident = u->header.wide.e_ident;

	memcpy(ident, ELFMAG, SELFMAG);
	ident[EI_CLASS] = u->compat ? ELFCLASS32 : ELFCLASS64;
	ident[EI_DATA] = ELFDATA2LSB;
	ident[EI_VERSION] = EV_CURRENT;
	if (u->compat) {
		u->header.small.e_type = ET_DYN;
		u->header.small.e_machine = EM_386;
		u->header.small.e_version = EV_CURRENT;
		u->header.small.e_ehsize = sizeof(u->header.small);
		return elf_memory((char *)&u->header, sizeof(u->header.small));
	}
	u->header.wide.e_type = ET_DYN;
	u->header.wide.e_machine = EM_X86_64;
	u->header.wide.e_version = EV_CURRENT;
	u->header.wide.e_ehsize = sizeof(u->header.wide);
	return elf_memory((char *)&u->header, sizeof(u->header.wide));
}

/* A file's mappings are a module together, where its own addresses have come to lie. */
static bool report(struct unwinder *u, const struct mapping *m, uint64_t *last)
{
	uint64_t addr, start;
	const struct cfi *c = image_cfi(&u->ss->images, m->image, m->offset, &addr);
	Dwfl_Module *mod;
	void **data;

	if (!c || c->machine != (u->compat ? EM_386 : EM_X86_64))
		return false;
	start = m->start - addr + c->low;
	if (start == *last || start + (c->high - c->low) <= start)
		return false;
	*last = start;
	mod = dwfl_report_module(u->dwfl, image_path(m->image), start,
				 start + (c->high - c->low));
	if (!mod || !dwfl_module_info(mod, &data, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	*data = (void *)c;
	return true;
}

static void report_all(struct unwinder *u)
{
	size_t n, i, reported = 0;
	const struct mapping *m = spaces_all(u->ss, u->tgid, &n);
	uint64_t last = UINT64_MAX;

	dwfl_report_begin(u->dwfl);
	for (i = 0; i < n && reported < MODULES_MAX; i++)
		if (m[i].image)
			reported += report(u, &m[i], &last);
	dwfl_report_end(u->dwfl, NULL, NULL);
}

static void end(struct unwinder *u)
{
	if (u->dwfl)
		dwfl_end(u->dwfl);
	if (u->machine)
		elf_end(u->machine);
	free(u);
}

void unwind_free(struct unwinder *first)
{
	struct unwinder *u;

	while ((u = first)) {
		first = u->next;
		end(u);
	}
}

static struct unwinder *begin(struct spaces *ss, uint32_t tgid, bool compat)
{
	struct unwinder *u = calloc(1, sizeof(*u));

	if (!u)
		abort();
	*u = (struct unwinder){
		.version = spaces_version(ss, tgid), .ids = ss->images.nids, .compat = compat,
		.ss = ss, .tgid = tgid,
	};
	elf_version(EV_CURRENT);
	u->machine = machine_of(u);
	u->dwfl = dwfl_begin(&files);
	if (u->machine && u->dwfl) {
		report_all(u);
		if (dwfl_attach_state(u->dwfl, u->machine, THREAD, &threads, u))
			return u;
	}
	end(u);
	return NULL;
}

/* The one that has been used longest ago goes. */
static void keep(struct spaces *ss, struct unwinder *u)
{
	struct unwinder **p = &ss->unwinders;
	unsigned int n;

	u->next = ss->unwinders;
	ss->unwinders = u;
	for (n = 0; *p && n < KEPT_MAX; n++)
		p = &(*p)->next;
	unwind_free(*p);
	*p = NULL;
}

static struct unwinder *get(struct spaces *ss, uint32_t tgid, bool compat)
{
	uint64_t version = spaces_version(ss, tgid);
	struct unwinder **p = &ss->unwinders, *u;

	while ((u = *p) && (u->version != version || u->ids != ss->images.nids ||
			    u->compat != compat))
		p = &u->next;
	if (u)
		*p = u->next;
	else
		u = begin(ss, tgid, compat);
	if (u)
		keep(ss, u);
	return u;
}

static int frame(Dwfl_Frame *at, void *arg)
{
	struct unwinder *u = arg;
	struct stack *s = u->s;
	Dwarf_Addr pc;

	u->failed = false;
	if (!dwfl_frame_pc(at, &pc, NULL))
		return DWARF_CB_ABORT;
	if (s->nuser == KTR_STACK_FRAMES_MAX) {
		s->flags |= KTR_STACK_F_USER_CUT;
		return DWARF_CB_ABORT;
	}
	s->user[s->nuser++] = pc;
	u->fp_known = !dwfl_frame_reg(at, u->compat ? FP32 : FP, &u->fp) &&
		      !dwfl_frame_reg(at, u->compat ? SP32 : SP, &u->sp);
	return DWARF_CB_OK;
}

/*
 * Where a file has no table libdwfl follows frame pointers on x86-64 alone. Of i386 it
 * begins anew at the caller. True: it can.
 */
static bool up_by_pointer(struct unwinder *u)
{
	Dwarf_Word next, pc, fp = u->fp;

	if (!u->compat || u->short_of || u->failed || u->s->flags & KTR_STACK_F_USER_CUT ||
	    !u->fp_known || !fp || fp < u->sp || !read_memory(NULL, fp, &next, u) ||
	    !read_memory(NULL, fp + 4, &pc, u))
		return false;
	u->fp = pc ? next : 0;
	u->sp = fp + 8;
	u->s->regs[FP] = next;
	u->s->regs[SP] = u->sp;
	u->s->regs[PC] = pc;
	u->partial = true;
	return pc;
}

bool unwind(struct spaces *ss, uint32_t tgid, struct stack *s)
{
	struct unwinder *u;
	int ret;

	if (s->nregs != REGS)
		return false;
	u = get(ss, tgid, s->flags & KTR_STACK_F_COMPAT);
	if (!u)
		return false;
	u->tgid = tgid;
	u->s = s;
	u->base = s->regs[SP] & ~7ULL;
	u->partial = u->fp_known = u->short_of = u->failed = false;
	s->flags &= ~(KTR_STACK_F_TOP | KTR_STACK_F_USER_CUT | KTR_STACK_F_USER_BAD);
	s->nuser = 0;
	do
		ret = dwfl_getthread_frames(u->dwfl, THREAD, frame, u);
	while (ret && up_by_pointer(u));
	/* A null frame pointer is an end as good as one that a table tells. */
	if (u->short_of)
		s->flags |= KTR_STACK_F_USER_CUT;
	else if (!(s->flags & KTR_STACK_F_USER_CUT) &&
		 (u->failed || (ret && (!u->fp_known || u->fp))))
		s->flags |= KTR_STACK_F_USER_BAD;
	if (!s->nuser)
		s->user[s->nuser++] = s->regs[PC];
	return true;
}
