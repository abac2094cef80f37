// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, numbers and classes of calls; that every call has a row. */
#include <seccomp.h>
#include <string.h>
#include <sys/syscall.h>
#include "sys.h"
#include "tap.h"

/* All that the headers and our own list number, and as libseccomp names it. */
static void every_number_has_one(void)
{
	static const uint32_t archs[] = { SCMP_ARCH_X86_64, SCMP_ARCH_X86 };

#define KTR_NR(abi, nr, name, row)
#define KTR_BARE(abi, nr, name) \
	printf("# no row for %s (%d, %s)\n", #name, nr, #abi); \
	tap.complaints++;
#include "sysnr.h"
	for (unsigned int abi = 0; abi < __KTR_ABI_LAST; abi++)
		for (int nr = 0; nr < 1024; nr++) {
			char tmp[32], *name = seccomp_syscall_resolve_num_arch(
				archs[abi], nr);

			if (name)
				CHECK(!strcmp(sys_name(abi, nr, tmp), name));
			free(name);
		}
	CHECK_EQ(sys_number(KTR_ABI_NATIVE, "cachestat"), 451);
	CHECK_EQ(sys_number(KTR_ABI_COMPAT, "uretprobe"), -1);
}

static void names_and_numbers(void)
{
	static const unsigned int least[] = { 330, 380 };
	char tmp[32];

	for (unsigned int abi = 0; abi < __KTR_ABI_LAST; abi++) {
		unsigned int named = 0;

		for (int nr = 0; nr < sys_limit(abi); nr++) {
			if (!sys_lookup(abi, nr))
				continue;
			named++;
			CHECK_EQ(sys_number(abi, sys_name(abi, nr, tmp)), nr);
			CHECK(sys_nargs(abi, nr) <= 6);
		}
		CHECK(named > least[abi]);
	}
	CHECK_EQ(sys_number(KTR_ABI_NATIVE, "getppid"), SYS_getppid);
	CHECK_EQ(sys_number(KTR_ABI_NATIVE, "openat"), SYS_openat);
	CHECK_EQ(sys_number(KTR_ABI_COMPAT, "getppid"), 64);
	CHECK_EQ(sys_number(KTR_ABI_NATIVE, "nosuchcall"), -1);
	CHECK_EQ(sys_number(KTR_ABI_NATIVE, "syscall_0x270f"), -1);
	CHECK_EQ(sys_number(KTR_ABI_NATIVE, "syscall_0x3ff"), 0x3ff);
	CHECK(!sys_lookup(KTR_ABI_NATIVE, 9999) && !sys_lookup(2, 0) &&
	      !sys_lookup(KTR_ABI_NATIVE, -1));
	CHECK(!strcmp(sys_name(0, 0x270f, tmp), "syscall_0x270f"));
}

static void classes(void)
{
	const struct sys_desc *d = sys_lookup(0, SYS_openat);

	CHECK(sys_classes(d) & sys_class_bit("file"));
	CHECK(sys_classes(d) & sys_class_bit("desc"));
	CHECK(!(sys_classes(d) & sys_class_bit("network")));
	CHECK(!sys_class_bit("nosuchclass") && !sys_classes(NULL));
	for (unsigned int i = 0; sys_class_name(i); i++)
		CHECK(sys_class_bit(sys_class_name(i)));
}

int main(void)
{
	RUN(names_and_numbers);
	RUN(classes);
	RUN(every_number_has_one);
	return tap_done();
}
