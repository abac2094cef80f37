// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Of the file libdw is given a copy of the table, in a file that nobody else can
 * change: what has been looked at is what is used, and there is no debug information
 * to be unpacked, no other file to be looked for.
 */
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cfi.h"

#define TABLE_MAX (64u << 20)

static const char names[] = "\0.eh_frame\0.shstrtab";

#define NAME_TABLE	1
#define NAME_NAMES	11

static Elf_Data *find_table(Elf *file, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	const char *name;
	size_t strings;

	if (elf_getshdrstrndx(file, &strings))
		return NULL;
	while ((scn = elf_nextscn(file, scn))) {
		if (!gelf_getshdr(scn, sh))
			continue;
		name = elf_strptr(file, strings, sh->sh_name);
		if (!name || strcmp(name, ".eh_frame"))
			continue;
		if (sh->sh_type == SHT_NOBITS || sh->sh_flags & SHF_COMPRESSED ||
		    sh->sh_size > TABLE_MAX)
			return NULL;
		return elf_rawdata(scn, NULL);
	}
	return NULL;
}

/* From the first to the last thing that is loaded. */
static bool find_range(struct cfi *c, Elf *file)
{
	GElf_Phdr ph;
	size_t i, n;

	c->low = UINT64_MAX;
	if (elf_getphdrnum(file, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(file, i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (ph.p_vaddr + ph.p_memsz < ph.p_vaddr)
			return false;
		if (ph.p_vaddr < c->low)
			c->low = ph.p_vaddr;
		if (ph.p_vaddr + ph.p_memsz > c->high)
			c->high = ph.p_vaddr + ph.p_memsz;
	}
	return c->low < c->high;
}

static bool add_section(Elf *to, GElf_Shdr like, const void *p, size_t n)
{
	Elf_Scn *scn = elf_newscn(to);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr sh;

	if (!data || !gelf_getshdr(scn, &sh))
		return false;
	data->d_buf = (void *)p;
	data->d_size = n;
	data->d_align = 8;
	data->d_type = ELF_T_BYTE;
	sh.sh_name = like.sh_name;
	sh.sh_type = like.sh_type;
	sh.sh_flags = like.sh_flags;
	sh.sh_addr = like.sh_addr;
	return gelf_update_shdr(scn, &sh);
}

static bool add_headers(const struct cfi *c, Elf *to)
{
	GElf_Phdr ph = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = c->low,
		.p_memsz = c->high - c->low, .p_align = 1,
	};
	GElf_Ehdr eh;

	if (!gelf_newehdr(to, c->wide ? ELFCLASS64 : ELFCLASS32) || !gelf_getehdr(to, &eh))
		return false;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_type = ET_DYN;
	eh.e_machine = c->machine;
	eh.e_version = EV_CURRENT;
	eh.e_shstrndx = 2;
	return gelf_update_ehdr(to, &eh) && gelf_newphdr(to, 1) && gelf_update_phdr(to, 0, &ph);
}

static bool write_copy(const struct cfi *c, const GElf_Shdr *sh, const Elf_Data *table)
{
	const GElf_Shdr own = {
		.sh_name = NAME_TABLE, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC,
		.sh_addr = sh->sh_addr,
	};
	const GElf_Shdr strings = { .sh_name = NAME_NAMES, .sh_type = SHT_STRTAB };
	Elf *to = elf_begin(c->fd, ELF_C_WRITE, NULL);
	bool good;

	if (!to)
		return false;
	good = add_headers(c, to) && add_section(to, own, table->d_buf, table->d_size) &&
	       add_section(to, strings, names, sizeof(names)) &&
	       elf_update(to, ELF_C_WRITE) >= 0;
	elf_end(to);
	return good;
}

bool cfi_begin(struct cfi *c, Elf *file)
{
	Elf_Data *table;
	GElf_Ehdr eh;
	GElf_Shdr sh;

	memset(c, 0, sizeof(*c));
	c->fd = -1;
	if (!gelf_getehdr(file, &eh) || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (eh.e_machine != EM_X86_64 && eh.e_machine != EM_386))
		return false;
	c->machine = eh.e_machine;
	c->wide = gelf_getclass(file) == ELFCLASS64;
	table = find_table(file, &sh);
	if (!table || !table->d_size || !find_range(c, file) ||
	    !cfi_is_sound(eh.e_ident, c->machine, table))
		return false;
	c->fd = memfd_create("eh_frame", MFD_CLOEXEC);
	if (c->fd >= 0 && write_copy(c, &sh, table))
		return true;
	cfi_end(c);
	return false;
}

void cfi_end(struct cfi *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

Elf *cfi_elf(const struct cfi *c)
{
	return elf_begin(c->fd, ELF_C_READ, NULL);
}
