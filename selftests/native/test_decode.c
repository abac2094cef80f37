// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder's tables and texts, without a kernel: names and numbers, capture
 * programs, layouts, escapes, and that JSON is what a strict parser takes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include "fmt.h"
#include "fmt_signal.h"
#include "json.h"
#include "sys.h"
#include "tap.h"
#include "decode/made.h"

static void line(struct made *m)
{
	struct view v = VIEW_DEFAULT;

	line_as(m, &v);
}

/* What the module checks, and that no operation uses one behind it. */
static void check_op(const struct ktr_op *op, unsigned int i,
		     unsigned int nargs)
{
	CHECK(!(op->flags & ~KTR_OP_F__ALL));
	CHECK(op->form < __KTR_FORM_LAST && op->max <= KTR_CAP_MAX &&
	      op->total <= KTR_CAP_MAX);
	if (op->base_src == KTR_SRC_ARG)
		CHECK(op->base_ref < nargs);
	else if (op->base_src == KTR_SRC_WORD ||
		 (op->form == KTR_FORM_FD && op->base_src == KTR_SRC_U32))
		CHECK(op->base_ref < i);
	else if (op->form == KTR_FORM_FD)
		CHECK(op->base_src == KTR_SRC_RET && op->flags & KTR_OP_F_EXIT);
	else
		CHECK(op->base_src == KTR_SRC_STACK);
	if (op->len_src == KTR_SRC_ARG)
		CHECK(op->len_ref < nargs);
	else if (op->len_src == KTR_SRC_WORD || op->len_src == KTR_SRC_U32)
		CHECK(op->len_ref < i);
	if (op->len_src == KTR_SRC_RET)
		CHECK(op->flags & KTR_OP_F_EXIT);
}

static void programs(void)
{
	static const unsigned int sizes[][2] = {
		{ 32, 0 }, { 32, 33 }, { 0, 0 }, { 1000000, 4000000 },
	};
	static const struct io_limits io = { 100, { 0, 4096, 65536, IO_UNSET,
						    IO_UNSET, IO_UNSET } };
	static const struct sys_more more[] = {
		{ 0 }, { .fds = true }, { .io = &io }, { true, &io },
	};
	struct ktr_op op[KTR_OPS_MAX];
	struct ktr_row row;

	for (unsigned int abi = 0; abi < __KTR_ABI_LAST; abi++)
		for (int nr = 0; nr < KTR_SYSCALLS_MAX; nr++)
			for (int s = 0; s < 4; s++) {
				int n = sys_program(abi, nr, sizes[s][0],
						    sizes[s][1], &more[s],
						    &row, op);

				CHECK(n >= 0 && n <= KTR_OPS_MAX);
				CHECK(row.nops == n && row.nr == nr);
				CHECK(row.fd_arg == 255 ||
				      row.fd_arg < row.nargs);
				for (int i = 0; i < n; i++)
					check_op(&op[i], i, row.nargs);
			}
	CHECK_EQ(sys_program(0, -1, 32, 0, NULL, &row, op), -EINVAL);
	CHECK_EQ(sys_program(0, KTR_SYSCALLS_MAX, 32, 0, NULL, &row, op), -EINVAL);
	CHECK_EQ(sys_program(2, 0, 32, 0, NULL, &row, op), -EINVAL);
	CHECK_EQ(sys_program(0, SYS_openat, 32, 0, NULL, &row, op), 1);
	CHECK_EQ(op[0].max, 4096);
	/* With -v the arguments are whole, as the environment is. */
	CHECK_EQ(sys_program(0, SYS_execve, 32, 33, NULL, &row, op), 3);
	CHECK(op[1].form == KTR_FORM_STRV && op[1].len >= 4096);
	CHECK_EQ(op[1].len, op[2].len);
	CHECK_EQ(sys_program(0, SYS_openat, 32, 0, &more[1], &row, op), 3);
	CHECK(op[1].form == KTR_FORM_FD && op[1].base_src == KTR_SRC_ARG);
	CHECK(op[2].form == KTR_FORM_FD && op[2].base_src == KTR_SRC_RET);
	CHECK_EQ(row.nargs, 4);
	CHECK_EQ(row.fd_arg, 0);
}

/* Our structs are the kernel's, as far as the C library has the same. */
static void layouts(void)
{
	CHECK_EQ(layout_stat.size[0], sizeof(struct stat));
	CHECK_EQ(layout_statfs.size[0], sizeof(struct statfs));
	CHECK_EQ(layout_statx.size[0], sizeof(struct statx));
	CHECK_EQ(layout_statx.size[1], sizeof(struct statx));
	CHECK_EQ(layout_timex.size[0], sizeof(struct timex));
	CHECK_EQ(layout_rusage.size[0], sizeof(struct rusage));
	CHECK_EQ(layout_sysinfo.size[0], sizeof(struct sysinfo));
	CHECK_EQ(layout_utsname.size[0], sizeof(struct utsname));
	CHECK_EQ(layout_msghdr.size[0], sizeof(struct msghdr));
	CHECK_EQ(layout_mmsghdr.size[0], sizeof(struct mmsghdr));
	CHECK_EQ(layout_tms.size[0], sizeof(struct tms));
	CHECK_EQ(layout_pollfd.size[0], sizeof(struct pollfd));
	CHECK_EQ(layout_epoll_event.size[0], sizeof(struct epoll_event));
	CHECK_EQ(layout_epoll_event.size[1], 12);
	CHECK_EQ(layout_sigevent.size[0], sizeof(struct sigevent));
	/* i386, from its calling convention */
	CHECK_EQ(layout_stat.size[1], 64);
	CHECK_EQ(layout_stat64.size[1], 96);
	CHECK_EQ(layout_statfs64.size[1], 84);
	CHECK_EQ(layout_msghdr.size[1], 28);
	CHECK_EQ(layout_timespec.size[1], 8);
	CHECK_EQ(layout_timespec64.size[1], 16);
	CHECK_EQ(layout_sigaction.size[1], 20);
	CHECK_EQ(layout_rusage.size[1], 72);
	CHECK_EQ(layout_flock64.size[1], 24);
}

static void strings(void)
{
	struct view v = VIEW_DEFAULT;

	fmt_quote(&out, &v, "a\"\\\n\t\r\v\f\b", 9);
	is("\"a\\\"\\\\\\n\\t\\r\\v\\f\\10\"", "escapes");
	fmt_quote(&out, &v, "\0011\0018\1a\377" "7\0", 9);
	is("\"\\0011\\18\\1a\\3777\\0\"", "octal");
	v.hexstr = 1;
	fmt_quote(&out, &v, "plain\n", 6);
	is("\"plain\\n\"", "-x, plain");
	fmt_quote(&out, &v, "a\1", 2);
	is("\"\\x61\\x01\"", "-x, odd");
	v.hexstr = 2;
	fmt_quote(&out, &v, "ab", 2);
	is("\"\\x61\\x62\"", "-xx");
}

/* Whatever the value, what is printed adds up to it. */
static void flags_lose_nothing(void)
{
	struct view v = VIEW_DEFAULT;

	for (int i = 0; i < 20000; i++) {
		uint64_t want = tap_random() & tap_random() & 0xffffffff;
		const struct sys_arg *a = &sys_lookup(0, SYS_open)->args[1];
		const struct xlat *x = a->tab;
		uint64_t sum = 0;
		char *word, *save;

		fmt_xlat_flags(&out, &v, x, want);
		for (word = strtok_r((char *)text(), "|", &save); word;
		     word = strtok_r(NULL, "|", &save)) {
			uint64_t bits = 0;

			if (!xlat_value(x, word, &bits) &&
			    !xlat_value(x->head, word, &bits))
				bits = strtoull(word, NULL, 0);
			CHECK(!(sum & bits) || !(~sum & bits));
			sum |= bits;
		}
		CHECK_EQ(sum, want);
		buf_reset(&out);
	}
	fmt_xlat_flags(&out, &v,
		       sys_lookup(0, SYS_open)->args[1].tab, 0x8000000);
	is("O_RDONLY|0x8000000", "an unknown bit");
}

static void results(void)
{
	static const uint64_t args[] = { 0, 0, 0 };
	static const struct {
		int64_t ret;
		const char *want;
	} rows[] = {
		{ 5, "close(0) = 5" },
		{ -9, "close(0) = -1 EBADF (Bad file descriptor)" },
		{ -512, "close(0) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)" },
		{ -513, "close(0) = ? ERESTARTNOINTR (To be restarted)" },
		{ -514, "close(0) = ? ERESTARTNOHAND (To be restarted if no handler)" },
		{ -516, "close(0) = ? ERESTART_RESTARTBLOCK (Interrupted by signal)" },
		{ -4000, "close(0) = -1 (errno 4000)" },
		{ -4096, "close(0) = -4096" },
	};
	struct made m;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make(&m, 0, SYS_close, rows[i].ret, 1, args);
		line(&m);
		is(rows[i].want, "result");
	}
	make(&m, 0, SYS_exit_group, 0, 1, args);
	m.e->flags = KTR_SYS_F_NO_EXIT;
	line(&m);
	is("exit_group(0) = ?", "no exit");
	make(&m, 0, SYS_read, 0, 3, args);
	m.e->flags = KTR_SYS_F_NO_EXIT;
	line(&m);
	is("read(0,  <unfinished ...>) = ?", "killed inside");
	make(&m, KTR_ABI_COMPAT, 6, 0xfffffff7, 1, args);
	line(&m);
	is("close(0) = -1 EBADF (Bad file descriptor)", "i386");
	make(&m, 0, 999, -ENOSYS, 3, (uint64_t[]){ 1, 0, 0xff });
	line(&m);
	is("syscall_0x3e7(0x1, 0, 0xff) = -1 ENOSYS (Function not implemented)",
	   "unknown");
}

static void restarted(void)
{
	struct view v = VIEW_DEFAULT;
	struct sys_rec r;
	struct made m;

	make(&m, 0, SYS_restart_syscall, 0, 0, (uint64_t[]){ 0 });
	line(&m);
	is("restart_syscall(<... resuming interrupted system call ...>) = 0",
	   "unknown call");
	CHECK_EQ(sys_parse((void *)m.bytes, &r), 0);
	r.resumed = SYS_nanosleep;
	fmt_syscall_entry(&out, &v, &r);
	is("restart_syscall(<... resuming interrupted nanosleep ...>",
	   "known call");
}

/* What could not be read is never an empty string. */
static void unread(void)
{
	static const uint64_t args[] = { 1, 0x1000, 5 };
	static const uint64_t bad[] = { 8 };
	struct made m;

	make(&m, 0, SYS_write, 5, 3, args);
	cap(&m, 0, KTR_CAP_F_UNREADABLE, "", 0);
	line(&m);
	is("write(1, 0x1000 /* unreadable */, 5) = 5", "a call that succeeds");
	make(&m, 0, SYS_write, -EFAULT, 3, args);
	cap(&m, 0, KTR_CAP_F_UNREADABLE, "", 0);
	line(&m);
	is("write(1, 0x1000, 5) = -1 EFAULT (Bad address)", "one that fails");
	make(&m, 0, SYS_write, 5, 3, args);
	line(&m);
	is("write(1, 0x1000, 5) = 5", "no section");
	make(&m, 0, SYS_write, 5, 3, args);
	cap(&m, 0, 0, "ab", 2);
	line(&m);
	is("write(1, \"ab\"..., 5) = 5", "part of it");
	make(&m, 0, SYS_write, 5, 3, args);
	cap(&m, 0, KTR_CAP_F_UNREADABLE, "", 0);
	cap(&m, 0, KTR_CAP_F_LATE | KTR_CAP_F_EXIT, "abcde", 5);
	line(&m);
	is("write(1, \"abcde\", 5) = 5", "read late");
	make(&m, 0, SYS_rmdir, 0, 1, args);
	cap(&m, 0, KTR_CAP_F_UNREADABLE, "", 0);
	cap(&m, 0, KTR_CAP_F_LATE | KTR_CAP_F_EXIT, "", 0);
	line(&m);
	is("rmdir(\"\") = 0", "an empty string read late");
	make(&m, 0, SYS_unlink, -EFAULT, 1, bad);
	cap(&m, 0, KTR_CAP_F_UNREADABLE, "", 0);
	line(&m);
	is("unlink(0x8) = -1 EFAULT (Bad address)", "a path");
	make(&m, 0, SYS_stat, 0, 2, args);
	cap(&m, 0, 0, "x", 1);
	cap(&m, 1, KTR_CAP_F_EXIT, "short", 5);
	line(&m);
	is("stat(\"x\", 0x1000 /* unreadable */) = 0", "half a struct");
	make(&m, 0, SYS_openat, 3, 2, args);
	cap(&m, 0, 0, "x", 1);
	line(&m);
	is("openat(1, \"x\", ?" "?" "?) = 3", "arguments that are not there");
}

static void views(void)
{
	static const uint64_t args[] = { -100, 0x1000, 0x80002, 0 };
	struct view v = VIEW_DEFAULT;
	struct made m;

	make(&m, 0, SYS_openat, -ENOENT, 4, args);
	cap(&m, 0, 0, "/etc/\1", 6);
	line_as(&m, &v);
	is("openat(AT_FDCWD, \"/etc/\\1\", O_RDWR|O_CLOEXEC) = -1 ENOENT (No such file or directory)", "abbreviated");
	v.xlat = VIEW_RAW;
	line_as(&m, &v);
	is("openat(-100, \"/etc/\\1\", 0x80002) = -1 ENOENT (No such file or directory)", "raw");
	v.xlat = VIEW_VERBOSE;
	line_as(&m, &v);
	is("openat(-100 /* AT_FDCWD */, \"/etc/\\1\", 0x80002 /* O_RDWR|O_CLOEXEC */) = -1 ENOENT (No such file or directory)", "verbose");
}

static struct json_object *parsed(const struct made *m)
{
	enum json_tokener_error err = json_tokener_error_depth;
	struct json_tokener *tok = json_tokener_new_ex(64);
	struct view v = VIEW_DEFAULT;
	struct json_object *o = NULL;
	struct sys_rec r;

	buf_reset(&out);
	buf_putc(&out, '{');
	if (CHECK_EQ(sys_parse((void *)m->bytes, &r), 0))
		json_syscall(&out, &v, &r);
	buf_putc(&out, '}');
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT |
				    JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text(), out.len + 1);
	err = json_tokener_get_error(tok);
	if (err != json_tokener_success &&
	    tap.complaints++ < TAP_COMPLAINTS_MAX)
		printf("# %s: %s\n", json_tokener_error_desc(err), text());
	json_tokener_free(tok);
	return o;
}

static struct json_object *member(struct json_object *o, const char *name)
{
	struct json_object *at = NULL;

	json_object_object_get_ex(o, name, &at);
	return at;
}

static const char *str(struct json_object *o)
{
	return o ? json_object_get_string(o) : "(none)";
}

static void json(void)
{
	static const uint64_t args[] = { 1, 0x1000, 9 };
	struct json_object *o, *a;
	struct made m;

	make(&m, 0, SYS_write, 9, 3, args);
	cap(&m, 0, KTR_CAP_F_CUT | KTR_CAP_F_LATE, "a\"\n\303\244", 5);
	o = parsed(&m);
	a = member(o, "args");
	CHECK(!strcmp(str(member(o, "name")), "write"));
	CHECK_EQ(json_object_get_int64(member(o, "ret")), 9);
	CHECK_EQ(json_object_get_int64(member(o, "dur")), 250);
	CHECK_EQ(json_object_get_int64(member(a, "fd")), 1);
	CHECK(!strcmp(str(member(member(a, "buf"), "value")),
		      "a\"\n\303\244"));
	CHECK(json_object_get_boolean(member(member(a, "buf"), "cut")));
	CHECK(json_object_get_boolean(member(member(a, "buf"), "late")));
	CHECK_EQ(json_object_get_int64(member(member(a, "buf"), "len")), 9);
	json_object_put(o);
	make(&m, 0, SYS_write, 2, 3, (uint64_t[]){ 1, 0x1000, 2 });
	cap(&m, 0, 0, "\377\0", 2);
	o = parsed(&m);
	CHECK(!strcmp(str(member(member(member(o, "args"), "buf"), "hex")),
		      "ff00"));
	json_object_put(o);
	make(&m, 0, SYS_write, -EFAULT, 3, args);
	o = parsed(&m);
	CHECK(!strcmp(str(member(o, "errno")), "EFAULT"));
	json_object_put(o);
}

/* Any call with any contents is a JSON object, and a line of text. */
static size_t put_elem(unsigned char *p, uint64_t addr, unsigned int flags, const char *s)
{
	struct ktr_elem e = { .addr = addr, .flags = flags, .len = strlen(s) };

	memcpy(p, &e, sizeof(e));
	memcpy(p + sizeof(e), s, e.len);
	return sizeof(e) + ((e.len + 7) & ~7u);
}

static void cap_list(struct made *m, unsigned int op, unsigned int count, const void *p,
		     size_t n)
{
	struct ktr_cap *h = (void *)(m->bytes + m->n);

	cap(m, op, KTR_CAP_F_CUT, p, n);
	h->count = count;
}

/* Strings of an execve for which there was no room, and an empty one. */
static void without_room(void)
{
	static const struct view whole = { .strsize = 32, .verbose = true };
	static const uint64_t args[] = { 0x1000, 0x2000, 0x3000 };
	struct json_object *all, *argv, *o;
	unsigned char list[200] = { 0 };
	struct made m;
	size_t n;

	n = put_elem(list, 0x10, 0, "a");
	n += put_elem(list + n, 0x18, 0, "");
	n += put_elem(list + n, 0x20, KTR_CAP_F_CUT, "b");
	n += put_elem(list + n, 0x28, KTR_CAP_F_CUT, "");
	make(&m, 0, SYS_execve, 0, 3, args);
	cap(&m, 0, 0, "x", 1);
	cap_list(&m, 1, 5, list, n);
	cap_list(&m, 2, 7, list, 0);
	line_as(&m, &whole);
	is("execve(\"x\", [\"a\", \"\", \"b\"..., ...], 0x3000 /* 7 vars */) = 0",
	   "no empty string for one that was not read");
	all = parsed(&m);
	argv = member(member(all, "args"), "argv");
	CHECK_EQ(json_object_array_length(argv), 4);
	o = json_object_array_get_idx(argv, 3);
	CHECK(!strcmp(str(member(o, "addr")), "0x28"));
	CHECK(json_object_get_boolean(member(o, "cut")) && !member(o, "value"));
	json_object_put(all);
}

static void json_of_anything(void)
{
	for (int i = 0; i < 40000; i++) {
		unsigned int abi = tap_below(2), n = tap_below(7);
		int nr = tap_below(sys_limit(abi) + 5);
		unsigned char data[200];
		uint64_t args[6];
		struct made m;

		for (int k = 0; k < 6; k++)
			args[k] = tap_random() >> tap_below(64);
		make(&m, abi, nr, tap_below(3) ? tap_below(100) :
					   -(int64_t)tap_below(600), n, args);
		for (unsigned int k = tap_below(8); k; k--) {
			for (size_t j = 0; j < sizeof(data); j++)
				data[j] = tap_random() >> tap_below(8);
			cap(&m, tap_below(KTR_OPS_MAX), tap_random() & 63,
			    data, tap_below(sizeof(data)));
		}
		json_object_put(parsed(&m));
		line(&m);
		CHECK(out.len > 4);
	}
}

/* Every length that a damaged record could claim. */
static void damaged(void)
{
	static const uint64_t args[] = { 1, 0x1000, 5 };
	struct sys_rec r;
	struct made m;

	make(&m, 0, SYS_write, 5, 3, args);
	cap(&m, 0, 0, "hello", 5);
	for (unsigned int len8 = 0; len8 < m.n / 8; len8++) {
		((struct ktr_rec *)m.bytes)->len8 = len8;
		CHECK_EQ(sys_parse((void *)m.bytes, &r), -EBADMSG);
	}
	((struct ktr_rec *)m.bytes)->len8 = m.n / 8;
	CHECK_EQ(sys_parse((void *)m.bytes, &r), 0);
	m.e->nargs = 7;
	CHECK_EQ(sys_parse((void *)m.bytes, &r), -EBADMSG);
	m.e->nargs = 3;
	m.e->abi = 2;
	CHECK_EQ(sys_parse((void *)m.bytes, &r), -EBADMSG);
	m.e->abi = 0;
	((struct ktr_rec *)m.bytes)->kind = KTR_KIND_exit;
	CHECK_EQ(sys_parse((void *)m.bytes, &r), -EBADMSG);
}

int main(void)
{
	RUN(programs);
	RUN(layouts);
	RUN(strings);
	RUN(flags_lose_nothing);
	RUN(results);
	RUN(restarted);
	RUN(unread);
	RUN(views);
	RUN(json);
	RUN(without_room);
	RUN(json_of_anything);
	RUN(damaged);
	buf_free(&out);
	return tap_done();
}
