// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of calls that were written in two records, and when they come. */
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "out.h"
#include "tap.h"

static char path[] = "/tmp/test_text.XXXXXX";
static struct out out;

static void add(unsigned char *to, size_t *n, const void *p, size_t len)
{
	memcpy(to + *n, p, len);
	*n += (len + 7) & ~(size_t)7;
}

/* open(NAME), as it is known when it blocks, or whole. */
static void put(uint32_t tid, uint64_t time, bool begun, unsigned int flags,
		const char *name)
{
	static unsigned char bytes[512] __attribute__((aligned(8)));
	uint64_t args[3] = { 0x1000, O_RDONLY, 0 };
	struct ktr_cap cap = { .flags = flags, .len = name ? strlen(name) : 0 };
	struct ktr_rec *rec = (void *)bytes;
	struct ktr_ev_syscall ev = {
		.nr = SYS_open, .nargs = 3, .ncaps = !!(name || flags),
		.start = 1000, .ret = 3,
	};
	struct ktr_ev_syscall_begun early = {
		.nr = SYS_open, .nargs = 3, .ncaps = !!(name || flags),
		.start = 1000,
	};
	size_t n = sizeof(*rec);

	memset(bytes, 0, sizeof(bytes));
	if (begun)
		add(bytes, &n, &early, sizeof(early));
	else
		add(bytes, &n, &ev, sizeof(ev));
	add(bytes, &n, args, sizeof(args));
	if (name || flags)
		add(bytes, &n, &cap, sizeof(cap));
	if (name)
		add(bytes, &n, name, strlen(name));
	*rec = (struct ktr_rec){
		.len8 = n / 8, .tid = tid, .time = time,
		.kind = begun ? KTR_KIND_syscall_begun : KTR_KIND_syscall,
	};
	out_record(&out, rec, 0);
}

static bool begin(void)
{
	static const struct view view = VIEW_DEFAULT;
	struct out_opts opts = { .file = path, .follow = true };
	struct fault f;

	return CHECK_EQ(out_open(&out, &opts, &view, &f), 0);
}

static void end(const char *want)
{
	char text[1024] = "";
	int fd;

	out_footer(&out, 0, 0);
	out_flush(&out);
	out_close(&out);
	fd = open(path, O_RDONLY);
	CHECK(read(fd, text, sizeof(text) - 1) >= 0);
	close(fd);
	if (!CHECK(!strcmp(text, want)))
		printf("# %s", text);
}

static void whole_ones_are_shown_at_once(void)
{
	if (!begin())
		return;
	put(7, 2000, true, 0, "/etc/it");
	put(8, 3000, false, 0, "/etc/other");
	put(7, 4000, false, 0, "/etc/it");
	end("7     open(\"/etc/it\", O_RDONLY <unfinished ...>\n"
	    "8     open(\"/etc/other\", O_RDONLY)      = 3\n"
	    "7     <... open resumed>)               = 3\n");
}

/* The page of the name was not there, or there was no room for it. */
static void poor_ones_wait_for_the_end(void)
{
	static const unsigned int flags[] = { KTR_CAP_F_UNREADABLE, 0 };

	for (int i = 0; i < 2; i++) {
		if (!begin())
			return;
		put(7, 2000, true, flags[i], NULL);
		put(8, 3000, false, 0, "/etc/other");
		out_tick(&out, 3500);
		put(7, 4000, false, 0, "/etc/it");
		end("8     open(\"/etc/other\", O_RDONLY)      = 3\n"
		    "7     open(\"/etc/it\", O_RDONLY)         = 3\n");
	}
}

static void but_not_for_ever(void)
{
	if (!begin())
		return;
	put(7, 2000, true, KTR_CAP_F_UNREADABLE, NULL);
	out_tick(&out, 2000000000);
	put(8, 2100000000, false, 0, "/etc/other");
	put(7, 3000000000, false, 0, "/etc/it");
	end("7     open(0x1000, O_RDONLY <unfinished ...>\n"
	    "8     open(\"/etc/other\", O_RDONLY)      = 3\n"
	    "7     <... open resumed>)               = 3\n");
}

static void nor_are_they_forgotten(void)
{
	if (!begin())
		return;
	put(7, 2000, true, KTR_CAP_F_UNREADABLE, NULL);
	end("7     open(0x1000, O_RDONLY <detached ...>\n");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	RUN(whole_ones_are_shown_at_once);
	RUN(poor_ones_wait_for_the_end);
	RUN(but_not_for_ever);
	RUN(nor_are_they_forgotten);
	unlink(path);
	return tap_done();
}
