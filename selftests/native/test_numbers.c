// SPDX-License-Identifier: GPL-2.0-or-later
/* Case K-12: calls and their numbers in both ABIs are those that libseccomp knows. */
#include <seccomp.h>

#include "sys.h"
#include "tap.h"

#define NUMBERS	600	/* beyond all of them */

static void same(unsigned int abi, uint32_t arch)
{
	unsigned int known = 0;
	char *theirs, tmp[32];
	int nr;

	for (nr = 0; nr < NUMBERS; nr++) {
		theirs = seccomp_syscall_resolve_num_arch(arch, nr);
		if (!theirs)
			continue;
		known++;
		if (!CHECK(!strcmp(theirs, sys_name(abi, nr, tmp))))
			printf("# %d: %s here, %s there\n", nr, sys_name(abi, nr, tmp), theirs);
		CHECK_EQ(sys_number(abi, theirs), nr);
		CHECK(sys_lookup(abi, nr) != NULL);
		free(theirs);
	}
	CHECK(known > 300);
	CHECK(sys_limit(abi) < NUMBERS);
}

static void of_64_bits(void)
{
	same(KTR_ABI_NATIVE, SCMP_ARCH_X86_64);
}

static void of_32_bits(void)
{
	same(KTR_ABI_COMPAT, SCMP_ARCH_X86);
}

int main(void)
{
	RUN(of_64_bits);
	RUN(of_32_bits);
	return tap_done();
}
