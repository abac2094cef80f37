#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare what two tracers say of descriptors, line by line.

Numbers that differ from run to run (inodes, ports, pids, addresses) become
their order of first appearance among those of their kind, so that equal numbers
must stay equal; that an inode has a port's number is chance."""
import os
import re
import sys

NUMBERS = re.compile(r"(?P<inode>(?<=:\[)\d+(?![\d.])|(?<=->)\d+(?=[],])|"
                     r"(?<=st_ino=)\d+)|"
                     r"(?P<port>(?<=[\d\]]:)\d+|(?<=htons\()\d+)|"
                     r"(?P<pid>(?<=ROUTE:)\d+|(?<=pid:)\d+|(?<=pidfd_open\()\d+|"
                     r"(?<=getpid\(\) = )\d+)|"
                     r"(?P<address>0x7f[0-9a-f]+)")
START = re.compile(r"^chdir\(")
# Until 6.8 sock_diag tells nothing of a TCP socket that is bound and does not
# listen yet: strace has its inode alone, where we ask the socket.
UNTOLD = re.compile(r"^(listen\(\d+<TCP(?:v6)?:\[)inode#\d+(\]>.*)")
TOLD = re.compile(r"^(listen\(\d+<TCP(?:v6)?:\[)(?:127\.0\.0\.1|\[::1\]):port#\d+"
                  r"(\]>.*)")


def lines(name):
    seen = {}

    def masked(m):
        kind = seen.setdefault(m.lastgroup, {})
        return "%s#%d" % (m.lastgroup, kind.setdefault(m.group(0), len(kind)))

    out = []
    for line in open(name, errors="surrogateescape"):
        if out or START.match(line):
            out.append(NUMBERS.sub(masked, re.sub(r"\) += ", ") = ",
                                                  line.rstrip("\n"))))
    return [l for l in out if not re.match(r"(mmap|munmap|brk|mprotect|pread|"
                                           r"arch_prctl|set_|rseq|prlimit|getrandom)", l)]


def bound_untold():
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int(minor)) < (6, 8)


def same(want, got):
    if want == got:
        return True
    u, t = UNTOLD.match(want), TOLD.match(got)
    return bool(u and t and u.groups() == t.groups() and bound_untold())


def main():
    want, got = (lines(name) for name in sys.argv[1:3])
    bad = [(w, g) for w, g in zip(want, got) if not same(w, g)]
    for w, g in bad[:10]:
        print("- " + w)
        print("+ " + g)
    if len(want) != len(got):
        print("%d lines, not %d" % (len(got), len(want)))
    print("%d lines compared" % len(want))
    return 1 if bad or len(want) != len(got) or len(want) < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
