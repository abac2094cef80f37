// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols of the running kernel, kept from one run to the next. The file is
 * root's own and bears the mark of the boot and of the modules loaded then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ksyms.h"

#define CACHE_DIR	"/run/ktracer"
#define CACHE_FILE	CACHE_DIR "/symbols"
#define CACHE_MAGIC	0x31304d5953524b54ULL

struct cache_head {
	uint64_t magic;
	uint64_t mark;
	uint64_t nsyms;
	uint64_t nbytes;	/* of names */
};

static uint64_t mix(uint64_t h, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n--)
		h = (h ^ *p++) * 0x100000001b3ULL;
	return h;
}

static uint64_t mix_boot(uint64_t h)
{
	char id[64];
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f)
		return 0;
	if (!fgets(id, sizeof(id), f))
		h = 0;
	else
		h = mix(h, id, strlen(id));
	fclose(f);
	return h;
}

/* A module that was taken out and put back has another folder. */
static uint64_t mix_module(uint64_t h, const char *name)
{
	struct stat st = { 0 };
	char path[320];

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	stat(path, &st);
	h = mix(h, name, strlen(name) + 1);
	return mix(h, &st.st_ino, sizeof(st.st_ino));
}

/* 0: cannot be told. */
static uint64_t mark_now(void)
{
	FILE *f = fopen("/proc/modules", "re");
	uint64_t h = mix_boot(0xcbf29ce484222325ULL);
	char name[256];

	if (!f)
		return h;	/* a kernel without modules */
	while (h && fscanf(f, "%255s%*[^\n]", name) == 1)
		h = mix_module(h, name);
	fclose(f);
	return h;
}

static bool read_all(int fd, void *p, size_t n)
{
	ssize_t got = 0;

	for (; n; n -= got, p = (char *)p + got) {
		got = read(fd, p, n);
		if (got <= 0)
			return false;
	}
	return true;
}

static bool is_ours(int fd, const struct cache_head *h)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == 0 &&
	       !(st.st_mode & 077) && h->nsyms && h->nbytes < UINT32_MAX &&
	       st.st_size >= (off_t)sizeof(*h) &&
	       h->nsyms < (uint64_t)st.st_size &&
	       (uint64_t)st.st_size == sizeof(*h) +
			h->nsyms * sizeof(struct ksym) + h->nbytes;
}

/* Offsets lead into the names, and these end. */
static bool is_sound(const struct ksyms *ks)
{
	size_t i;

	for (i = 0; i < ks->n; i++)
		if (ks->syms[i].name >= ks->names.len ||
		    ks->syms[i].module >= ks->names.len)
			return false;
	return ks->names.len && !ks->names.p[ks->names.len - 1];
}

static bool take(struct ksyms *ks, int fd, const struct cache_head *h)
{
	struct ksyms new;

	ksyms_init(&new);
	buf_reset(&new.names);
	new.syms = malloc(h->nsyms * sizeof(*new.syms));
	if (!new.syms)
		return false;
	new.n = new.alloc = h->nsyms;
	new.sorted = new.loaded = true;
	new.lazy = ks->lazy;
	new.mark = ks->mark;
	if (!read_all(fd, new.syms, h->nsyms * sizeof(*new.syms)) ||
	    !read_all(fd, buf_room(&new.names, h->nbytes), h->nbytes))
		goto err_free;
	new.names.len = h->nbytes;
	if (!is_sound(&new))
		goto err_free;
	ksyms_free(ks);
	*ks = new;
	return true;

err_free:
	ksyms_free(&new);
	return false;
}

bool ksyms_cache_read(struct ksyms *ks)
{
	struct cache_head h;
	bool good;
	int fd;

	if (ks->n || geteuid())
		return false;
	ks->mark = mark_now();
	fd = open(CACHE_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	good = read_all(fd, &h, sizeof(h)) && h.magic == CACHE_MAGIC &&
	       is_ours(fd, &h) && h.mark && h.mark == ks->mark &&
	       take(ks, fd, &h);
	close(fd);
	return good;
}

static bool put(FILE *f, const struct cache_head *h, const struct ksyms *ks)
{
	return fwrite(h, sizeof(*h), 1, f) == 1 &&
	       fwrite(ks->syms, sizeof(*ks->syms), ks->n, f) == ks->n &&
	       fwrite(ks->names.p, 1, ks->names.len, f) == ks->names.len &&
	       !fflush(f);
}

/*
 * Quietly nothing where it cannot be: it only saves time. Nor where a module
 * came or went while the symbols were read.
 */
void ksyms_cache_write(struct ksyms *ks)
{
	struct cache_head h = {
		.magic = CACHE_MAGIC, .nsyms = ks->n,
		.nbytes = ks->names.len, .mark = ks->mark,
	};
	char tmp[] = CACHE_DIR "/symbols.XXXXXX";
	FILE *f;
	int fd;

	if (geteuid() || !h.mark || h.mark != mark_now() ||
	    (mkdir(CACHE_DIR, 0700) && errno != EEXIST))
		return;
	ksyms_sort(ks);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return;
	f = fdopen(fd, "w");
	if (!f || !put(f, &h, ks) || rename(tmp, CACHE_FILE))
		unlink(tmp);
	if (f)
		fclose(f);
	else
		close(fd);
}
