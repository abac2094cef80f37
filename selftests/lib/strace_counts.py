# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a program under strace -c, ktrctl trace -c and ktrctl summary, compare.

How often a call was made, and how often in vain, is to be what strace counted in
one of its runs, or between two of them. Exceptions match "call: what differs".
"""
import re

import strace_diff

COLUMNS = ["-c", "-U", "name,calls,errors"]
MODE = re.compile(r"System call usage summary for (.*) mode:")
ROW = re.compile(r"(\S+) +(\d+)(?: +(\d+))? *$")


def table(text, drop):
    """{call: (calls, errors)} of the tables; those of i386 have its name."""
    rows, mode = {}, ""
    for line in text.split("\n"):
        m = MODE.match(line)
        if m:
            mode = "" if "64" in m.group(1) else m.group(1) + " "
        m = ROW.match(line)
        if m and m.group(1) != "total" and not (drop and drop.search(m.group(1))):
            rows[mode + m.group(1)] = (int(m.group(2)), int(m.group(3) or 0))
    return rows


def compare(straces, ours, tool, known):
    bad = []
    for call in sorted(set(ours).union(*straces)):
        for i, what in enumerate(("calls", "errors")):
            theirs = [rows.get(call, (0, 0))[i] for rows in straces]
            n = ours.get(call, (0, 0))[i]
            line = "%s: %d %s, strace %s" % (call, n, what, theirs)
            if not min(theirs) <= n <= max(theirs) and not any(
                    p.fullmatch(line) for p in known["counts"]):
                bad.append("%s: %s" % (tool, line))
    return bad


def differences(argv):
    """As strace_diff.differences()."""
    opts = strace_diff.Options(argv)
    strace_diff.set_file("/proc/sys/kernel/pid_max", 4194304)
    known = strace_diff.read_known(opts.known, opts.tracer)
    opts.stderr = False
    # Every call counts, also where the lines are chosen.
    follow = [option for option in opts.tracer if option == "-f"]
    ours, straces, bad = {}, [], []
    for i, tool in enumerate(("ktrctl", "summary")):
        # The second one is nothing but a summary.
        opts.tracer = follow + COLUMNS[0 if tool == "ktrctl" else 1:]
        text, _ = strace_diff.run_tool(opts, tool, strace_diff.RUNS + i)
        ours[tool] = table(text, opts.drop)
    opts.tracer = follow + COLUMNS
    for i in range(strace_diff.RUNS):
        text, _ = strace_diff.run_tool(opts, "strace", i)
        straces.append(table(text, opts.drop))
        bad = sum((compare(straces, rows, tool, known)
                   for tool, rows in ours.items()), [])
        if not bad:
            break
    bad += ["%s printed no table" % tool for tool, rows in ours.items() if not rows]
    return bad, "%d calls, %d differ from %d runs of strace -c" % (
        len(ours["ktrctl"]), len(bad), len(straces))
