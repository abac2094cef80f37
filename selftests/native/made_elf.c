// SPDX-License-Identifier: GPL-2.0-or-later
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "made_elf.h"

static const char names[] = "\0.eh_frame\0.shstrtab";

static void add(Elf *e, unsigned int name, unsigned int type, uint64_t addr, uint64_t at,
		const void *p, size_t n)
{
	Elf_Scn *scn = elf_newscn(e);
	Elf_Data *data = elf_newdata(scn);
	GElf_Shdr sh;

	data->d_buf = (void *)p;
	data->d_size = n;
	data->d_align = 1;
	gelf_getshdr(scn, &sh);
	sh.sh_name = name;
	sh.sh_type = type;
	sh.sh_addr = addr;
	sh.sh_offset = at;
	sh.sh_size = n;
	sh.sh_addralign = 1;
	gelf_update_shdr(scn, &sh);
}

static void write_elf(Elf *e, bool wide, const void *table, size_t n)
{
	GElf_Phdr ph = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = MADE_TEXT,
		.p_vaddr = MADE_TEXT, .p_filesz = MADE_END - MADE_TEXT,
		.p_memsz = MADE_END - MADE_TEXT, .p_align = 0x1000,
	};
	GElf_Ehdr eh;

	gelf_newehdr(e, wide ? ELFCLASS64 : ELFCLASS32);
	gelf_getehdr(e, &eh);
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_type = ET_DYN;
	eh.e_machine = wide ? EM_X86_64 : EM_386;
	eh.e_version = EV_CURRENT;
	eh.e_phoff = 0x100;
	eh.e_shoff = 0x200;
	eh.e_shstrndx = 2;
	gelf_update_ehdr(e, &eh);
	gelf_newphdr(e, 1);
	gelf_update_phdr(e, 0, &ph);
	add(e, 1, SHT_PROGBITS, MADE_TABLE, MADE_TABLE, table, n);
	add(e, 11, SHT_STRTAB, 0, 0x400, names, sizeof(names));
	elf_flagelf(e, ELF_C_SET, ELF_F_LAYOUT);
}

int made_elf(bool wide, const void *table, size_t n)
{
	int fd = memfd_create("made", MFD_CLOEXEC);
	Elf *e;

	elf_version(EV_CURRENT);
	e = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!e)
		abort();
	write_elf(e, wide, table, n);
	if (elf_update(e, ELF_C_WRITE) < 0)
		abort();
	elf_end(e);
	if (lseek(fd, 0, SEEK_END) < MADE_END && ftruncate(fd, MADE_END))
		abort();
	return fd;
}

void made_mapped(struct spaces *ss, uint32_t tgid, int fd, uint64_t start)
{
	char line[160];

	snprintf(line, sizeof(line), "%" PRIx32 " %" PRIx64 " %" PRIx64 " %x 0 0 /proc/self/fd/%d\n",
		 tgid, start, start + MADE_END - MADE_TEXT, MADE_TEXT, fd);
	spaces_take(ss, line);
}
