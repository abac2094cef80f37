#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare programs under sets of options, as a table says; print TAP.

usage: strace_matrix.py [--only REGEX] [--all] [--keep DIR] TABLE KNOWN SETUP

Without --all: the pairs that the table names, on kernels other than 6.12 those
with a star; so it is with --all where strace is newer than the table. REGEX is
searched in "program, options". Each program that has a star, with --all every one,
is also compared by "counts", as -c counts calls.
"""
import argparse
import os
import re
import shlex
import subprocess

import strace_counts
import strace_diff

FULL_KERNEL = "6.12."
# Their strace is the one that the table was written for.
ALL_KERNELS = ("6.1.", FULL_KERNEL)
COUNTS = "counts"
# Stands for nothing in a column.
NONE = "-"


def read_table(path):
    """Return the sets of options by name, and the rows of the programs."""
    sets, programs = {}, []
    with open(path) as f:
        for line in f:
            cells = line.rstrip("\n").split("\t")
            if not line.strip() or line.startswith("#"):
                continue
            if cells[0] == "options" and len(cells) == 3:
                sets[cells[1]] = [] if cells[2] == NONE else cells[2].split()
            elif cells[0] == "program" and len(cells) == 5:
                programs.append(cells[1:])
            else:
                raise SystemExit("%s: cannot read this line: %s" % (path, line))
    return sets, programs


def pairs(sets, programs, everything, release):
    """The names of a program's row and a set that are to be compared."""
    full = release.startswith(FULL_KERNEL)
    everything = everything and release.startswith(ALL_KERNELS)
    for program in programs:
        named = [] if program[2] == NONE else program[2].split(",")
        stars = {name.lstrip("*"): name.startswith("*") for name in named}
        for name in stars:
            if name not in sets:
                raise SystemExit("no set of options %s" % name)
        for name in sets:
            if everything or name in stars and (full or stars[name]):
                yield program, name
        if "--uncounted" not in program[1] and (
                everything or any(stars.values())):
            yield program, COUNTS


def arguments(args, program, options):
    """What strace_diff is called with."""
    name, how, _, command = program
    here = os.getcwd()
    argv = ["--known", args.known, "--setup", args.setup]
    if args.keep:
        folder = re.sub(r"\W+", "_", "%s %s" % (name, " ".join(options)))
        argv += ["--keep", os.path.join(args.keep, folder)]
    if how != NONE:
        argv += how.split()
    return argv + options + ["--"] + shlex.split(command.replace("{here}", here))


def compare(argv, how):
    try:
        if how == COUNTS:
            return strace_counts.differences(argv)
        return strace_diff.differences(argv)
    except (OSError, subprocess.SubprocessError) as error:
        return [str(error)], "not compared"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("table")
    parser.add_argument("known")
    parser.add_argument("setup")
    args = parser.parse_args()
    sets, programs = read_table(args.table)
    number = failed = 0
    for program, options in pairs(sets, programs, args.all or bool(args.only),
                                  os.uname().release):
        name = "%s, %s" % (program[0], options)
        if not re.search(args.only, name):
            continue
        number += 1
        argv = arguments(args, program, sets.get(options, []))
        bad, note = compare(argv, options)
        if bad:
            # Two children that end at once are one SIGCHLD or two: chance, if
            # it is gone when all is run again.
            for line in bad:
                print("# at first: " + line.replace("\n", "\n# "))
            bad, note = compare(argv, options)
        for line in bad + [note]:
            print("# " + line.replace("\n", "\n# "))
        print("%sok %d %s" % ("not " if bad else "", number, name), flush=True)
        failed += bool(bad)
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
