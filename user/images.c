// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files are anybody's: they are opened without waiting, must be regular, and are
 * read, not mapped, so that nobody can cut them off under us.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "bound.h"
#include "cfi.h"
#include "images.h"

#define ID_MAX 64		/* bytes of a build-id */
#define BACK_MAX 32		/* symbols in front that may cover an address */

struct sym {
	uint64_t addr;
	uint64_t size;
	const char *name;
	int rank;		/* of names for the same address the least is shown */
};

struct image {
	struct image *next;
	char *path;
	uint32_t dev;
	uint64_t ino;
	bool opened;
	bool replaced;
	int fd;
	Elf *elf;
	bool looked;		/* for its table: */
	struct cfi table;
	Elf *table_elf;		/* libdw's, of that */
	Dwarf_CFI *cfi;
	char *id;
	struct sym *syms;
	size_t nsyms;
};

struct image_id {
	struct image_id *next;
	char *path;
	uint32_t dev;
	uint64_t ino;
	char *id;
};

void image_close(struct image *img)
{
	free(img->syms);
	img->syms = NULL;
	img->nsyms = 0;
	if (img->elf)
		elf_end(img->elf);
	img->elf = NULL;
	if (img->fd >= 0)
		close(img->fd);
	img->fd = -1;
}

static void free_image(struct image *img)
{
	image_close(img);
	if (img->cfi)
		dwarf_cfi_end(img->cfi);
	if (img->table_elf)
		elf_end(img->table_elf);
	cfi_end(&img->table);
	free(img->id);
	free(img->path);
	free(img);
}

void images_free(struct images *is)
{
	struct image_id *id;
	struct image *img;

	while ((img = is->first)) {
		is->first = img->next;
		free_image(img);
	}
	while ((id = is->ids)) {
		is->ids = id->next;
		free(id->path);
		free(id->id);
		free(id);
	}
}

struct image *images_get(struct images *is, const char *path, uint32_t dev, uint64_t ino)
{
	struct image *img;

	for (img = is->first; img; img = img->next)
		if (img->ino == ino && img->dev == dev && !strcmp(img->path, path))
			return img;
	img = calloc(1, sizeof(*img));
	if (!img)
		abort();
	img->path = strdup(path);
	if (!img->path)
		abort();
	img->dev = dev;
	img->ino = ino;
	img->fd = -1;
	img->table.fd = -1;
	img->next = is->first;
	is->first = img;
	return img;
}

static const char *expected(const struct images *is, const struct image *img)
{
	const struct image_id *id;

	for (id = is->ids; id; id = id->next)
		if (id->ino == img->ino && id->dev == img->dev && !strcmp(id->path, img->path))
			return id->id;
	return NULL;
}

void images_expect(struct images *is, const char *path, uint32_t dev, uint64_t ino, const char *id)
{
	struct image *img = images_get(is, path, dev, ino);
	struct image_id *one;

	if (expected(is, img))
		return;
	one = calloc(1, sizeof(*one));
	if (!one)
		return;
	*one = (struct image_id){
		.next = is->ids, .path = strdup(path), .dev = dev, .ino = ino, .id = strdup(id),
	};
	if (!one->path || !one->id)
		abort();
	is->ids = one;
	is->nids++;
}

static char *read_id(Elf *elf)
{
	const unsigned char *p;
	ssize_t n = dwelf_elf_gnu_build_id(elf, (const void **)&p), i;
	char *id;

	if (n <= 0 || n > ID_MAX)
		return NULL;
	id = malloc(2 * n + 1);
	for (i = 0; id && i < n; i++)
		sprintf(id + 2 * i, "%02x", p[i]);
	return id;
}

/* Another filesystem than the mapping's need not be another file: overlays show so. */
static bool is_other(const struct image *img, const struct stat *st)
{
	uint32_t dev = major(st->st_dev) << 20 | minor(st->st_dev);

	return img->ino && dev == img->dev && st->st_ino != img->ino;
}

static Elf *begin_elf(const struct image *img)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	return elf_begin(img->fd, ELF_C_READ, NULL);
}

static bool open_image(struct image *img)
{
	struct stat st;

	if (img->opened)
		return img->elf && !img->replaced;
	img->opened = true;
	if (img->path[0] != '/')
		return false;
	img->fd = open(img->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (img->fd < 0 || fstat(img->fd, &st) || !S_ISREG(st.st_mode))
		return false;
	img->replaced = is_other(img, &st);
	img->elf = begin_elf(img);
	if (!img->elf || elf_kind(img->elf) != ELF_K_ELF)
		return false;
	img->id = read_id(img->elf);
	return !img->replaced;
}

/* With what a capture file has noted, which counts for more than the inode. */
static bool ready(struct images *is, struct image *img)
{
	const char *id = expected(is, img);
	bool good = open_image(img);

	if (!id)
		return good;
	img->replaced = img->elf && (!img->id || strcmp(img->id, id));
	return img->elf && !img->replaced;
}

const char *image_path(const struct image *img)
{
	return img->path;
}

const char *image_build_id(struct image *img)
{
	return open_image(img) ? img->id : NULL;
}

bool image_replaced(struct images *is, struct image *img)
{
	ready(is, img);
	return img->replaced;
}

static int rank_of(const GElf_Sym *s, const char *name)
{
	int bind = GELF_ST_BIND(s->st_info);

	return 4 * strspn(name, "_") + (bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2);
}

static void add_symbol(struct image *img, const GElf_Sym *s, const char *name, size_t *room)
{
	struct sym *p;

	if (img->nsyms == *room) {
		*room = *room ? *room * 2 : 1024;
		p = realloc(img->syms, *room * sizeof(*p));
		if (!p)
			abort();
		img->syms = p;
	}
	img->syms[img->nsyms++] = (struct sym){
		.addr = s->st_value, .size = s->st_size, .name = name, .rank = rank_of(s, name),
	};
}

static void read_table(struct image *img, Elf_Scn *scn, const GElf_Shdr *sh, size_t *room)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t i, n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	const char *name;
	GElf_Sym s;
	int type;

	for (i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getsym(data, i, &s))
			break;
		type = GELF_ST_TYPE(s.st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || s.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(img->elf, sh->sh_link, s.st_name);
		if (name && *name)
			add_symbol(img, &s, name, room);
	}
}

static int by_address(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return y->rank - x->rank;	/* the best one last */
}

static void read_symbols(struct image *img)
{
	Elf_Scn *scn = NULL;
	size_t room = 0;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(img->elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			read_table(img, scn, &sh, &room);
	if (img->nsyms)
		qsort(img->syms, img->nsyms, sizeof(*img->syms), by_address);
}

/* The address that the file itself has for the place at @offset. */
static bool to_address(struct image *img, uint64_t offset, uint64_t *addr)
{
	size_t i, n;
	GElf_Phdr ph;

	if (elf_getphdrnum(img->elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(img->elf, i, &ph) || ph.p_type != PT_LOAD ||
		    offset < ph.p_offset || offset - ph.p_offset >= ph.p_filesz)
			continue;
		*addr = offset - ph.p_offset + ph.p_vaddr;
		return true;
	}
	return false;
}

/* How many symbols begin at or below the address. */
static size_t count_below(const struct image *img, uint64_t addr)
{
	return img->nsyms ? bound_above(&img->syms->addr, img->nsyms, sizeof(*img->syms), addr) : 0;
}

/* One without a size reaches to the next. */
static const struct sym *find(const struct image *img, uint64_t addr)
{
	size_t end = count_below(img, addr), i;

	for (i = end; i-- > 0 && end - i <= BACK_MAX;) {
		const struct sym *s = &img->syms[i];

		if (addr - s->addr < s->size || (!s->size && i + 1 == end))
			return s;
	}
	return NULL;
}

bool image_symbol(struct images *is, struct image *img, uint64_t offset, const char **name,
		  uint64_t *into)
{
	const struct sym *s;
	uint64_t addr;

	if (!ready(is, img) || !to_address(img, offset, &addr))
		return false;
	if (!img->syms)
		read_symbols(img);
	s = find(img, addr);
	if (!s)
		return false;
	*name = s->name;
	*into = addr - s->addr;
	return true;
}

/* The word there is above the return address: the frame is that address alone. */
static bool is_bare(Dwarf_Frame *frame, bool wide)
{
	Dwarf_Op *ops;
	size_t n;

	return !dwarf_frame_cfa(frame, &ops, &n) && n == 1 && ops[0].atom == DW_OP_bregx &&
	       ops[0].number == (wide ? 7 : 4) && ops[0].number2 == (wide ? 8 : 4);
}

const struct cfi *image_cfi(struct images *is, struct image *img, uint64_t offset,
			    uint64_t *addr)
{
	if (!ready(is, img) || !to_address(img, offset, addr))
		return NULL;
	if (!img->looked)
		cfi_begin(&img->table, img->elf);
	img->looked = true;
	return img->table.fd >= 0 ? &img->table : NULL;
}

bool image_read(struct images *is, struct image *img, uint64_t offset, void *to, size_t n)
{
	return ready(is, img) && offset <= INT64_MAX &&
	       pread(img->fd, to, n, offset) == (ssize_t)n;
}

bool image_returns_to_top(struct images *is, struct image *img, uint64_t offset)
{
	uint64_t addr;
	const struct cfi *table = image_cfi(is, img, offset, &addr);
	Dwarf_Frame *frame = NULL;
	bool bare;

	if (!table)
		return false;
	if (!img->table_elf)
		img->table_elf = cfi_elf(table);
	if (img->table_elf && !img->cfi)
		img->cfi = dwarf_getcfi_elf(img->table_elf);
	if (!img->cfi || dwarf_cfi_addrframe(img->cfi, addr, &frame))
		return false;
	bare = is_bare(frame, gelf_getclass(img->elf) == ELFCLASS64);
	free(frame);
	return bare;
}
