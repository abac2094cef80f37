#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare summaries of calls.

usage: sums.py strace FILE FILE      two tables: the same calls and errors
       sums.py trace FILE            JSON with records and their summary agree
       sums.py files FILE FILE       two JSON summaries: the same rows
"""
import collections
import re
import sys

import events


def table(path):
    """{call: (calls, errors)} of a table as strace prints it."""
    rows, mode = {}, ""
    for line in open(path):
        if line.startswith("System call usage summary for"):
            mode = line.split()[-3] + "/"
        words = line.split()
        if len(words) < 5 or not re.fullmatch(r"[0-9.]+", words[0]):
            continue
        errors = int(words[4]) if len(words) > 5 else 0
        rows[mode + words[-1]] = (int(words[3]), errors)
    return rows


def objects(path):
    return list(events.read(open(path, "rb")))


def key(e):
    return (e.tgid, e.tid, e.abi, e.nr)


def rows(path):
    return {key(e): e for e in objects(path) if e.event == "syscall_summary"}


def from_records(records, of):
    """What a summary of the records would say: every sum, per key."""
    sums = collections.defaultdict(lambda: [0, 0, 0, None, 0, 0])
    abis = {"x86-64": 0, "i386": 1}
    for e in records:
        if e.event != "syscall" or e.flags & 2 or e.flags & 96 == 32:
            continue
        who = (e.tgid if of.tgid else None, e.tid if of.tid else None,
               abis.get(e.abi, 0), e.nr)
        s = sums[who]
        s[0] += 1
        s[1] += e.errno is not None
        s[2] += e.dur
        s[3] = e.dur if s[3] is None else min(s[3], e.dur)
        s[4] = max(s[4], e.dur)
        s[5] += e.dur - (e.blocked or 0) - (e.runnable or 0)
    return dict(sums)


def trace(path):
    everything = objects(path)
    told = [e for e in everything if e.event == "syscall_summary"]
    mine = from_records(everything, told[0])
    theirs = {key(e): [e.calls, e.errors, e.dur, e.dur_min, e.dur_max,
                       e.cpu_time] for e in told}
    return differences(mine, theirs)


def differences(a, b):
    bad = 0
    for k in sorted(set(a) | set(b), key=str):
        if a.get(k) != b.get(k):
            bad += 1
            print("differs:", k, a.get(k), b.get(k))
    if not a:
        print("there is nothing to compare")
    return 1 if bad or not a else 0


def main(argv):
    if argv[0] == "strace":
        return differences(table(argv[1]), table(argv[2]))
    if argv[0] == "trace":
        return trace(argv[1])
    return differences(rows(argv[1]), rows(argv[2]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
