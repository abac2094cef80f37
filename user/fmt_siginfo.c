// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_siginfo.c - struct siginfo, which is many structs in one */
#include <asm/signal.h>
#include <linux/signal.h>
#include <string.h>
#include "consts.h"
#include "fmt.h"
#include "fmt_signal.h"

#define INFO_BYTES 128

/* siginfo, and where its parts lie: on i386 without padding behind si_code. */
struct info {
	unsigned char raw[INFO_BYTES];
	unsigned int base;	/* of the union */
	unsigned int word;
	int signo, err, code;
};

static uint64_t part(const struct info *s, unsigned int off, unsigned int size)
{
	return fmt_load(s->raw + s->base + off, size);
}

static const struct xlat *codes_of(int signo)
{
	switch (signo) {
	case SIGILL: return &xlat_sigill_codes;
	case SIGFPE: return &xlat_sigfpe_codes;
	case SIGSEGV: return &xlat_sigsegv_codes;
	case SIGBUS: return &xlat_sigbus_codes;
	case SIGTRAP: return &xlat_sigtrap_codes;
	case SIGCHLD: return &xlat_sigchld_codes;
	case SIGIO: return &xlat_sigpoll_codes;
	case SIGSYS: return &xlat_sigsys_codes;
	default: return NULL;
	}
}

static void put_code(struct fmt *f, const struct info *s)
{
	const struct xlat *own = codes_of(s->signo);
	const char *name = xlat_name(&xlat_si_codes, (int64_t)s->code);
	size_t from = fmt_text_begin(f);

	if (!name && own)
		name = xlat_name(own, (int64_t)s->code);
	if (!name || f->v->xlat != VIEW_ABBREV)
		buf_hex(f->b, (uint32_t)s->code);
	if (name && f->v->xlat == VIEW_ABBREV)
		buf_puts(f->b, name);
	else if (f->v->xlat != VIEW_RAW && name)
		buf_printf(f->b, " /* %s */", name);
	fmt_text_end(f, from);
}

void fmt_sigcode(struct buf *b, int sig, int code)
{
	const struct view v = VIEW_DEFAULT;
	struct fmt f = { .b = b, .v = &v };

	put_code(&f, &(struct info){ .signo = sig, .code = code });
}

static void put_sender(struct fmt *f, const struct info *s)
{
	fmt_name(f, "si_pid");
	fmt_word(f, K_PID, NULL, part(s, 0, 4), 4);
	fmt_name(f, "si_uid");
	fmt_word(f, K_UID, NULL, part(s, 4, 4), 4);
}

static void put_value(struct fmt *f, const struct info *s)
{
	fmt_name(f, "si_int");
	fmt_dec(f, (int32_t)part(s, 8, 4));
	fmt_name(f, "si_ptr");
	fmt_addr(f, part(s, 8, s->word));
}

/* Input or output is possible. */
static void put_band(struct fmt *f, const struct info *s)
{
	fmt_name(f, "si_band");
	fmt_dec(f, fmt_sign(part(s, 0, s->word), s->word));
	fmt_name(f, "si_fd");
	fmt_word(f, K_FD, NULL, part(s, s->word, 4), 4);
}

static void put_user(struct fmt *f, const struct info *s)
{
	if (s->code == SI_SIGIO)
		return put_band(f, s);
	if (s->code == SI_TIMER) {
		fmt_name(f, "si_timerid");
		fmt_hex(f, part(s, 0, 4));
		fmt_name(f, "si_overrun");
		fmt_dec(f, (int32_t)part(s, 4, 4));
		put_value(f, s);
		return;
	}
	put_sender(f, s);
	if (s->code != SI_USER && s->code != SI_TKILL && part(s, 8, s->word))
		put_value(f, s);
}

static void put_child(struct fmt *f, const struct info *s)
{
	unsigned int times = s->word == 8 ? 16 : 12;

	put_sender(f, s);
	fmt_name(f, "si_status");
	if (s->code == CLD_EXITED)
		fmt_dec(f, (int32_t)part(s, 8, 4));
	else
		fmt_word(f, K_SIGNO, NULL, part(s, 8, 4), 4);
	fmt_name(f, "si_utime");
	fmt_word(f, K_TICKS, NULL, part(s, times, s->word), s->word);
	fmt_name(f, "si_stime");
	fmt_word(f, K_TICKS, NULL, part(s, times + s->word, s->word), s->word);
}

static void put_sys(struct fmt *f, const struct info *s)
{
	uint32_t arch = part(s, s->word + 4, 4);
	unsigned int abi = arch == 0x40000003 ? KTR_ABI_COMPAT :
						KTR_ABI_NATIVE;
	int nr = part(s, s->word, 4);
	char tmp[32];
	size_t from;

	fmt_name(f, "si_call_addr");
	fmt_addr(f, part(s, 0, s->word));
	fmt_name(f, "si_syscall");
	from = fmt_text_begin(f);
	if (sys_lookup(abi, nr))
		buf_printf(f->b, "__NR_%s", sys_name(abi, nr, tmp));
	else
		buf_dec(f->b, nr);
	fmt_text_end(f, from);
	fmt_name(f, "si_arch");
	fmt_enum(f, &xlat_audit_archs, arch);
}

/* Where it happened; behind two words that are other things. */
static void put_fault(struct fmt *f, const struct info *s)
{
	unsigned int behind = 2 * s->word;

	fmt_name(f, "si_addr");
	fmt_addr(f, part(s, 0, s->word));
	if (s->signo == SIGSEGV && s->code == SEGV_BNDERR) {
		fmt_name(f, "si_lower");
		fmt_addr(f, part(s, behind, s->word));
		fmt_name(f, "si_upper");
		fmt_addr(f, part(s, behind + s->word, s->word));
	} else if (s->signo == SIGBUS && (s->code == BUS_MCEERR_AR ||
					  s->code == BUS_MCEERR_AO)) {
		fmt_name(f, "si_addr_lsb");
		fmt_hex(f, part(s, s->word, 2));
	} else if (s->signo == SIGSEGV && s->code == SEGV_PKUERR) {
		fmt_name(f, "si_pkey");
		fmt_udec(f, part(s, behind, 4));
	}
}

static void put_kernel(struct fmt *f, const struct info *s)
{
	switch (s->signo) {
	case SIGCHLD:
		return put_child(f, s);
	case SIGILL:
	case SIGFPE:
	case SIGSEGV:
	case SIGBUS:
	case SIGTRAP:
		return put_fault(f, s);
	case SIGIO:
		if (xlat_name(&xlat_sigpoll_codes, s->code))
			put_band(f, s);
		return;
	case SIGSYS:
		return put_sys(f, s);
	default:
		if (part(s, 0, 4) || part(s, 4, 4))
			put_sender(f, s);
		if (part(s, 8, s->word))
			put_value(f, s);
	}
}

static void put_errno(struct fmt *f, int err)
{
	size_t from = fmt_text_begin(f);
	char tmp[16];

	const char *name = xlat_name(&xlat_errnos, err) ?
			   errno_name(err, tmp) : NULL;

	if (!name || f->v->xlat != VIEW_ABBREV)
		buf_udec(f->b, (uint32_t)err);
	if (name && f->v->xlat == VIEW_ABBREV)
		buf_puts(f->b, name);
	else if (name && f->v->xlat == VIEW_VERBOSE)
		buf_printf(f->b, " /* %s */", name);
	fmt_text_end(f, from);
}

void fmt_siginfo_fields(struct fmt *f, const void *info, size_t len)
{
	struct info s = {
		.base = f->abi == KTR_ABI_COMPAT ? 12 : 16,
		.word = f->abi == KTR_ABI_COMPAT ? 4 : 8,
	};

	memcpy(s.raw, info, len < sizeof(s.raw) ? len : sizeof(s.raw));
	s.signo = fmt_load(s.raw, 4);
	s.err = fmt_load(s.raw + 4, 4);
	s.code = fmt_load(s.raw + 8, 4);
	fmt_open(f, '{');
	if (s.signo || f->json) {
		fmt_name(f, "si_signo");
		fmt_word(f, K_SIGNO, NULL, (uint32_t)s.signo, 4);
		fmt_name(f, "si_code");
		put_code(f, &s);
		if (s.err) {
			fmt_name(f, "si_errno");
			put_errno(f, s.err);
		}
		if (s.code <= 0)
			put_user(f, &s);
		else
			put_kernel(f, &s);
	}
	fmt_close(f, '}');
}

void fmt_siginfo(struct buf *b, const struct view *v, const void *info,
		 size_t len)
{
	struct fmt f = { .b = b, .v = v };

	fmt_siginfo_fields(&f, info, len);
}

void json_siginfo(struct buf *b, const struct view *v, const void *info,
		  size_t len)
{
	struct fmt f = { .b = b, .own = *v, .json = true };

	f.own.xlat = VIEW_ABBREV;
	f.v = &f.own;
	fmt_siginfo_fields(&f, info, len);
}
