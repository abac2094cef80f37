// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_word.c - values that fit a register, by kind */
#include <arpa/inet.h>
#include <limits.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "consts.h"
#include "fmt.h"
#include "fmt_signal.h"
#include "procs.h"

#define IPC_64 0x100u	/* the kernel's; not all libraries' headers have it */

uint64_t fmt_sign(uint64_t v, unsigned int size)
{
	unsigned int shift = 64 - 8 * (size < 8 ? size : 8);

	return (uint64_t)((int64_t)(v << shift) >> shift);
}

static uint64_t cut(uint64_t v, unsigned int size)
{
	return size < 8 ? v & ((1ull << 8 * size) - 1) : v;
}

void fmt_time_comment(struct fmt *f, int64_t sec, int64_t nsec, int digits)
{
	time_t t = sec;
	char date[64], zone[16];
	struct tm tm;

	if (f->json || (!sec && !nsec) || !localtime_r(&t, &tm))
		return;
	strftime(date, sizeof(date), "%FT%T", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	if (nsec > 0 && nsec < 1000000000)
		buf_printf(f->b, " /* %s.%0*lld%s */", date, digits,
			   (long long)nsec / (digits == 6 ? 1000 : 1), zone);
	else
		buf_printf(f->b, " /* %s%s */", date, zone);
}

static void put_signo(struct fmt *f, int sig)
{
	const char *name = NULL;
	char tmp[16];

	if (sig > 0 && sig <= 64)
		name = sig_name(sig, tmp);
	if (!name || f->v->xlat != VIEW_ABBREV)
		buf_dec(f->b, sig);
	if (name && f->v->xlat == VIEW_ABBREV)
		buf_puts(f->b, name);
	else if (name && f->v->xlat == VIEW_VERBOSE)
		buf_printf(f->b, " /* %s */", name);
}

static void put_sighand(struct fmt *f, uint64_t v)
{
	static const char *const names[] = { "SIG_DFL", "SIG_IGN" };
	const char *name = v < 2 ? names[v] : NULL;

	if (v == ~0ull)
		name = "SIG_ERR";
	if (!name || f->v->xlat == VIEW_RAW) {
		buf_hex(f->b, v);
		return;
	}
	if (f->v->xlat == VIEW_VERBOSE) {
		buf_hex(f->b, v);
		buf_printf(f->b, " /* %s */", name);
	} else {
		buf_puts(f->b, name);
	}
}

static const char *file_type(unsigned int mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return "S_IFREG";
	case S_IFDIR: return "S_IFDIR";
	case S_IFLNK: return "S_IFLNK";
	case S_IFCHR: return "S_IFCHR";
	case S_IFBLK: return "S_IFBLK";
	case S_IFIFO: return "S_IFIFO";
	case S_IFSOCK: return "S_IFSOCK";
	default: return NULL;
	}
}

static void put_filemode_names(struct buf *b, const char *type,
			       unsigned int mode)
{
	buf_printf(b, "%s%s", type, *type ? "|" : "");
	if (mode & S_ISUID)
		buf_puts(b, "S_ISUID|");
	if (mode & S_ISGID)
		buf_puts(b, "S_ISGID|");
	if (mode & S_ISVTX)
		buf_puts(b, "S_ISVTX|");
	buf_oct(b, mode & ~(S_IFMT | S_ISUID | S_ISGID | S_ISVTX), 3);
}

static void put_filemode(struct fmt *f, unsigned int mode)
{
	const char *type = file_type(mode);

	if (!(mode & S_IFMT) && mode & (S_ISUID | S_ISGID | S_ISVTX))
		type = "";
	if (!type || f->v->xlat != VIEW_ABBREV)
		buf_oct(f->b, mode, 3);
	if (!type || f->v->xlat == VIEW_RAW)
		return;
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " /* ");
	put_filemode_names(f->b, type, mode);
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " */");
}

static void put_fd(struct fmt *f, int fd)
{
	buf_dec(f->b, fd);
	if (fd >= 0)
		fmt_fd_name(f, fd);
}

static void put_dirfd(struct fmt *f, int fd)
{
	size_t from = fmt_text_begin(f);

	if (fd != -100) {
		put_fd(f, fd);
		return;
	}
	if (f->v->xlat != VIEW_ABBREV)
		buf_puts(f->b, "-100");
	if (f->v->xlat == VIEW_ABBREV)
		buf_puts(f->b, "AT_FDCWD");
	else if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " /* AT_FDCWD */");
	fmt_fd_name(f, fd);
	fmt_text_end(f, from);
}

static void put_wstatus(struct buf *b, unsigned int st)
{
	unsigned int low = st & 0x7f, sig = st >> 8 & 0xff;
	const char *event;
	char tmp[16];

	if ((st & 0xffff) == 0xffff)
		buf_puts(b, "{WIFCONTINUED(s)}");
	else if ((st & 0xff) == 0x7f)
		buf_printf(b, "{WIFSTOPPED(s) && WSTOPSIG(s) == %s%s}",
			   sig_name(sig & 0x7f, tmp),
			   sig & 0x80 ? " | 0x80" : "");
	else if (low)
		buf_printf(b, "{WIFSIGNALED(s) && WTERMSIG(s) == %s%s}",
			   sig_name(low, tmp),
			   st & 0x80 ? " && WCOREDUMP(s)" : "");
	else
		buf_printf(b, "{WIFEXITED(s) && WEXITSTATUS(s) == %u}", sig);
	if (!(st >> 16))
		return;
	event = xlat_name(&xlat_ptrace_events, st >> 16);
	if (event)
		buf_printf(b, "|%s<<16", event);
	else
		buf_printf(b, "|%#x /* PTRACE_EVENT_??? */<<16", st >> 16);
	if (low && low != 0x7f && sig)
		buf_printf(b, "|%#x", sig << 8);
}

void fmt_wstatus(struct fmt *f, unsigned int st)
{
	size_t from = fmt_text_begin(f);

	put_wstatus(f->b, st);
	fmt_text_end(f, from);
}

static void put_sig_in_set(struct fmt *f, int sig)
{
	char tmp[16];
	const char *name = sig_name(sig, tmp) + 3;

	if (f->v->xlat != VIEW_ABBREV)
		buf_dec(f->b, sig);
	if (f->v->xlat == VIEW_VERBOSE)
		buf_printf(f->b, " /* %s */", name);
	else if (f->v->xlat == VIEW_ABBREV)
		buf_puts(f->b, name);
}

/* [INT USR1], or ~[..] of those that are not in it, if these are few. */
void fmt_sigset(struct fmt *f, uint64_t mask)
{
	size_t from = fmt_text_begin(f);
	bool first = true;

	if (__builtin_popcountll(mask) >= 64 * 2 / 3) {
		buf_putc(f->b, '~');
		mask = ~mask;
	}
	buf_putc(f->b, '[');
	for (int sig = 1; sig <= 64; sig++) {
		if (!(mask >> (sig - 1) & 1))
			continue;
		if (!first)
			buf_putc(f->b, ' ');
		first = false;
		put_sig_in_set(f, sig);
	}
	buf_putc(f->b, ']');
	fmt_text_end(f, from);
}

static void put_ipcflags(struct fmt *f, const struct xlat *x, uint32_t v)
{
	if (v & ~0777u) {
		fmt_xlat_flags(f->b, f->v, x, v & ~0777u);
		buf_putc(f->b, '|');
	}
	buf_oct(f->b, v & 0777, 3);
}

/* Text around a raw form: which of the two, or both, -X says. */
static bool begin_text(struct fmt *f)
{
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " /* ");
	return f->v->xlat != VIEW_RAW;
}

static void end_text(struct fmt *f)
{
	if (f->v->xlat == VIEW_VERBOSE)
		buf_puts(f->b, " */");
}

void fmt_ioprio(struct fmt *f, uint32_t v)
{
	buf_puts(f->b, "IOPRIO_PRIO_VALUE(");
	fmt_xlat_enum(f->b, f->v, &xlat_ioprio_classes, v >> 13);
	buf_printf(f->b, ", %u)", v & 0x1fff);
}

static void put_ioprio(struct fmt *f, uint32_t v)
{
	if (f->v->xlat != VIEW_ABBREV)
		buf_dec(f->b, (int32_t)v);
	if (!begin_text(f))
		return;
	fmt_ioprio(f, v);
	end_text(f);
}

/* Bytes as they lie in memory, "\x00\x50". */
void fmt_raw_bytes(struct fmt *f, const void *p, unsigned int n)
{
	struct view hex = *f->v;

	hex.hexstr = 2;
	fmt_quote(f->b, &hex, p, n);
}

static void put_net(struct fmt *f, unsigned int kind, uint64_t v,
		    unsigned int size)
{
	char text[INET_ADDRSTRLEN];
	uint32_t addr = v;

	if (f->v->xlat != VIEW_ABBREV)
		fmt_raw_bytes(f, &v, size);
	if (!begin_text(f))
		return;
	if (kind == K_PORT) {
		buf_printf(f->b, "htons(%u)", ntohs(v));
	} else if (kind == K_HTONL) {
		buf_printf(f->b, "htonl(%u)", ntohl(v));
	} else if (kind == K_HTONLX) {
		buf_printf(f->b, "htonl(%#x)", ntohl(v));
	} else {
		inet_ntop(AF_INET, &addr, text, sizeof(text));
		buf_puts(f->b, "inet_addr(");
		fmt_quote(f->b, f->v, text, strlen(text));
		buf_putc(f->b, ')');
	}
	end_text(f);
}

static void put_dev(struct fmt *f, uint64_t v)
{
	if (f->v->xlat != VIEW_ABBREV)
		buf_hex(f->b, v);
	if (!begin_text(f))
		return;
	buf_puts(f->b, "makedev(");
	buf_hex(f->b, major(v));
	buf_puts(f->b, ", ");
	buf_hex(f->b, minor(v));
	buf_putc(f->b, ')');
	end_text(f);
}

static void put_rlim(struct fmt *f, uint64_t v, unsigned int size)
{
	bool infinite = v == cut(~0ull, size);
	bool kilo = v > 1024 && v % 1024 == 0;

	if (f->v->xlat != VIEW_ABBREV || !(infinite || kilo))
		buf_udec(f->b, v);
	if (!(infinite || kilo) || !begin_text(f))
		return;
	if (infinite)
		buf_puts(f->b, size == 8 ? "RLIM64_INFINITY" : "RLIM_INFINITY");
	else
		buf_printf(f->b, "%llu*1024", (unsigned long long)v / 1024);
	end_text(f);
}

/* Where strace shows the number in decimal. */
static void put_named(struct buf *b, const struct view *v, const char *name,
		      int32_t number)
{
	if (name && v->xlat == VIEW_ABBREV)
		return buf_puts(b, name);
	buf_dec(b, number);
	if (name && v->xlat == VIEW_VERBOSE)
		buf_printf(b, " /* %s */", name);
}

static void put_kversion(struct buf *b, const struct view *v, uint32_t version)
{
	if (v->xlat != VIEW_ABBREV)
		buf_hex(b, version);
	if (v->xlat == VIEW_RAW)
		return;
	if (v->xlat == VIEW_VERBOSE)
		buf_puts(b, " /* ");
	buf_printf(b, "KERNEL_VERSION(%u, %u, %u)", version >> 16,
		   version >> 8 & 0xff, version & 0xff);
	if (v->xlat == VIEW_VERBOSE)
		buf_puts(b, " */");
}

/* Kinds that are text. */
static void put_text(struct fmt *f, unsigned int kind, const void *tab,
		     uint64_t v, unsigned int size)
{
	struct buf *b = f->b;

	switch (kind) {
	case K_HEX08:
		return buf_printf(b, "%#08llx", (unsigned long long)v);
	case K_OCT:
		return buf_oct(b, v, 3);
	case K_HEX16:
		return buf_printf(b, "%#0*llx", 2 * (int)size,
				  (unsigned long long)v);
	case K_AMBIENT:
		if (fmt_reg(f, 1) == PR_CAP_AMBIENT_CLEAR_ALL ||
		    !xlat_name(&xlat_cap_ambient, fmt_reg(f, 1)))
			return buf_hex(b, v);
		return fmt_xlat_enum(b, f->v, &xlat_caps, v);
	case K_PTRACER:
		if ((uint32_t)v == (uint32_t)PR_SET_PTRACER_ANY)
			return buf_puts(b, "PR_SET_PTRACER_ANY");
		return buf_dec(b, (int32_t)v);
	case K_KEYSERIAL:
		return put_named(b, f->v, xlat_name(&xlat_key_spec,
						    (int64_t)(int32_t)v), v);
	case K_IOPRIO:
		return put_ioprio(f, v);
	case K_MODE:
		return buf_oct(b, v & 0xffff, 3);
	case K_FILEMODE:
		return put_filemode(f, v & 0xffff);
	case K_SIGNO:
		if (size == 8 && v > INT_MAX)
			return buf_udec(b, v);
		return put_signo(f, v);
	case K_SIGHAND:
		return put_sighand(f, v);
	case K_DEV:
		return put_dev(f, v);
	case K_ENUM:
		return fmt_xlat_enum(b, f->v, tab, v);
	case K_PERSONA:		/* asks only */
		if (v == 0xffffffff)
			return buf_hex(b, v);
		return fmt_xlat_flags(b, f->v, &xlat_personality, v);
	case K_IPCFLAGS:
		return put_ipcflags(f, tab, v);
	case K_IPCCMD:
		if (v & IPC_64)
			buf_puts(b, "IPC_64|");
		return fmt_xlat_enum(b, f->v, tab, v & ~IPC_64);
	case K_PORT:
	case K_HTONL:
	case K_HTONLX:
	case K_INADDR:
		return put_net(f, kind, v, size);
	case K_ERRNO:
		return put_named(b, f->v, xlat_name(&xlat_errnos, v), v);
	case K_NEGERR:
		return fmt_negerr(b, v);
	case K_QUOTACMD:
		return fmt_quota_cmd(f, v);
	case K_CLONEFLAGS:
		return fmt_clone_flags(f, v);
	case K_SWAPFLAGS:
		return fmt_swap_flags(f, v);
	case K_KVERSION:
		return put_kversion(b, f->v, v);
	case K_SIGINT:
		return put_signo(f, v);
	case K_CLOCKID:
		return fmt_xlat_enum(b, f->v, &xlat_clocks, (uint32_t)v);
	case K_RLIM:
		return put_rlim(f, v, size);
	default:
		return buf_hex(b, v);
	}
}

static void put_time(struct fmt *f, unsigned int kind, int64_t v)
{
	fmt_dec(f, v);
	if (kind == K_TIMESTAMP)
		fmt_time_comment(f, v, 0, 9);
}

static void put_sigval(struct fmt *f, uint64_t v)
{
	fmt_open(f, '{');
	fmt_name(f, "sival_int");
	fmt_dec(f, (int32_t)v);
	fmt_name(f, "sival_ptr");
	fmt_addr(f, v);
	fmt_close(f, '}');
}

/* As strace, which asks /proc: the name as it is now. */
static void put_comm(struct fmt *f, uint32_t tid)
{
	const char *comm = f->v->procs && !f->json ? procs_comm(f->v->procs, tid) : NULL;

	if (!comm)
		return;
	buf_putc(f->b, '<');
	fmt_quote_name(f->b, f->v, comm, strlen(comm));
	buf_putc(f->b, '>');
}

/* True if it was one of the kinds that are numbers in JSON too. */
static bool put_number(struct fmt *f, unsigned int kind, uint64_t v,
		       unsigned int size)
{
	switch (kind) {
	case K_DEC:
	case K_LLONG:
	case K_LLPAIR:
	case K_LLSEEK:
		fmt_dec(f, fmt_sign(v, size));
		return true;
	case K_BOOL:
		fmt_udec(f, v & 1);
		return true;
	case K_PID:
		fmt_dec(f, (int32_t)v);
		put_comm(f, v);
		return true;
	case K_CLONETID:
		return put_number(f, fmt_reg(f, 0) & CLONE_PIDFD ? K_FD : K_PID, v, size);
	case K_INT:
		fmt_dec(f, (int32_t)v);
		return true;
	case K_UDEC:
	case K_ULLONG:
		fmt_udec(f, v);
		return true;
	case K_UINT:
		fmt_udec(f, (uint32_t)v);
		return true;
	case K_UID:
		fmt_dec(f, (uint32_t)v == ~0u ? -1 : (int64_t)(uint32_t)v);
		return true;
	case K_UID16:
		fmt_dec(f, (uint16_t)v == 0xffff ? -1 : (uint16_t)v);
		return true;
	case K_FD:
		put_fd(f, v);
		return true;
	case K_TICKS:
		fmt_udec(f, v);
		if (v && !f->json)
			buf_printf(f->b, " /* %.2Lf s */",
				   (long double)v / sysconf(_SC_CLK_TCK));
		return true;
	case K_TIMESTAMP:
	case K_FILETIME:
	case K_TIMESPEC:
		put_time(f, kind, fmt_sign(v, size));
		return true;
	default:
		return false;
	}
}

/* Flags with something else in the same word. */
static bool is_set(unsigned int kind)
{
	return kind == K_IPCFLAGS || kind == K_PERSONA || kind == K_SWAPFLAGS ||
	       kind == K_CLONEFLAGS;
}

static void put_set(struct fmt *f, unsigned int kind, const void *tab,
		    uint64_t v, unsigned int size)
{
	struct buf text, *was = f->b;

	buf_init(&text);
	f->b = &text;
	put_text(f, kind, tab, v, size);
	f->b = was;
	fmt_word_list(f, &text);
	buf_free(&text);
}

void fmt_word(struct fmt *f, unsigned int kind, const void *tab, uint64_t v,
	      unsigned int size)
{
	size_t from;

	v = cut(v, size);
	if (put_number(f, kind, v, size))
		return;
	switch (kind) {
	case K_ADDR:
		return fmt_addr(f, v);
	case K_DIRFD:
		return put_dirfd(f, v);
	case K_WSTATUS:
		return fmt_wstatus(f, v);
	case K_FUTEXOP:
		return fmt_futex_op(f, v);
	case K_WAKEOP:
		return fmt_wake_op(f, v);
	case K_IOCTL:
		return fmt_ioctl(f, v);
	case K_OLDSIGSET:
		return fmt_sigset(f, v);
	case K_FLAGS:
	case K_LLFLAGS:
		return fmt_flags(f, tab, v);
	case K_PROTO:
		return fmt_proto(f, v);
	case K_IFINDEX:
		return fmt_ifindex(f, v);
	case K_ETHPROTO:
		return fmt_eth_field(f, v);
	case K_OPTNAME:
		return fmt_optname(f, tab, v);
	case K_SIGVAL:
		return put_sigval(f, v);
	default:
		if (f->json && is_set(kind))
			return put_set(f, kind, tab, v, size);
		from = fmt_text_begin(f);
		put_text(f, kind, tab, v, size);
		fmt_text_end(f, from);
	}
}
