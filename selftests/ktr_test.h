/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every test program starts with. */
#ifndef _KTR_TEST_H
#define _KTR_TEST_H

#include "../kselftest_harness.h"
#include "ktr_child.h"
#include "ktr_session.h"
#include "ktr_wait.h"

/* Not the usual 30 s: how long a program may take is for run.sh to say. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 14400

/* In a fixture's setup or at the start of a test: skip if it is not loaded. */
#define KTR_NEED_MODULE() do {						\
	struct ktr_client ktr_probe;					\
									\
	if (ktr_client_open(&ktr_probe) == -ENOENT)			\
		SKIP(return, "the module ktracer is not loaded");	\
	ktr_client_close(&ktr_probe);					\
} while (0)

/* Print the log of a session if the test has failed by now. */
#define KTR_EXPLAIN(session) do {					\
	if (_metadata->exit_code == KSFT_FAIL)				\
		ktr_log_print(&(session)->log);				\
} while (0)

#endif
