#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What ktrctl trace prints beside what strace prints: the programs and options of
# strace_diff.table. ONLY=REGEX chooses among all pairs, KEEP=DIR keeps what was
# printed.

set -u

SETUP='mkdir d d/e; seq 100 >d/one; echo hello >d/e/two; ln -s one d/link'
ALL=()
[ "${KTR_SCALE:-0.05}" != 1 ] || ALL=(--all)

exec python3 lib/strace_matrix.py "${ALL[@]}" ${ONLY:+--only "$ONLY"} \
	${KEEP:+--keep "$KEEP"} strace_diff.table strace_diff.known "$SETUP"
