#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option that `strace --help` names, tried on ktrctl called as strace.

usage: options.py STRACE-HELP KTRCTL-AS-STRACE
"""
import re
import subprocess
import sys

# A value for each option that takes one; those not here take none.
VALUES = {
    "-E": "A=b", "--env": "A=b", "-u": "root", "--user": "root",
    "-b": "execve", "--detach-on": "execve", "-I": "1",
    "--interruptible": "waiting", "-e": "trace=all", "--trace": "all",
    "--signal": "all", "--status": "successful", "-P": "/etc",
    "--trace-path": "/etc", "-a": "20", "--columns": "20",
    "--abbrev": "none", "--verbose": "none", "--raw": "all", "--read": "1",
    "--write": "1", "--quiet": "exit", "--kvm": "vcpu", "--decode-fds": "all",
    "-o": "/dev/null", "--output": "/dev/null", "-s": "9",
    "--string-limit": "9", "-X": "raw", "--const-print-style": "raw",
    "--absolute-timestamps": "unix,us", "--relative-timestamps": "ns",
    "--syscall-times": "ns", "--strings-in-hex": "all",
    "--decode-pids": "comm", "-O": "1us",
    "--summary-syscall-overhead": "1us", "-S": "calls",
    "--summary-sort-by": "calls", "-U": "calls", "--summary-columns": "calls",
    "--inject": "getpid:error=EPERM", "--fault": "getpid",
    "--daemonize": "grandchild", "--tips": "none",
}
# What must not be refused: everything else may be, in one line that names it.
REFUSED = {"--inject", "--fault", "--kvm", "-d",
           "--debug", "--read", "--write"}
# These want another; these have a test of their own.
WITH = {"-w": ["-c"], "--summary-wall-clock": ["-c"], "-U": ["-c"],
        "--summary-columns": ["-c"], "-A": ["-o", "/dev/null"],
        "--output-append-mode": ["-o", "/dev/null"],
        "--output-separately": ["-f", "-o", "/tmp/options.out"]}
ELSEWHERE = {"-p", "--attach"}
EXPRESSIONS = ["abbrev=all", "verbose=all", "raw=none", "signal=SIGINT",
               "status=failed", "quiet=exit", "silent=exit", "t=read", "q=all",
               "s=none", "x=read", "v=read", "a=read"]
REFUSED_EXPRESSIONS = ["inject=getpid:error=EPERM", "fault=getpid", "kvm=vcpu"]


def options(text):
    found = []
    for line in open(text):
        if not re.match(r" {2,3}-", line):
            continue
        head = line.split(" or ")[0]
        for word in re.findall(r"(?<![\w=\[])(--[a-z-]+|-[A-Za-z])(?![\w-])", head):
            if word not in found:
                found.append(word)
    return found


def run(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)


def try_one(program, option, words, bad, may_refuse):
    got = run([program] + words + ["true"])
    lines = got.stderr.splitlines()
    if got.returncode == 0:
        return
    name = option.lstrip("-").split("=")[0]
    if not may_refuse:
        bad.append("%s: status %d: %s" % (option, got.returncode, lines[:3]))
    elif got.returncode != 2 or len(lines) != 1 or \
            not re.search(r"\b%s\b" % re.escape(name), lines[0]):
        bad.append("%s is not refused in one line that names it: %s" %
                   (option, lines[:3]))


def main(text, program):
    bad = []
    found = options(text)
    if len(found) < 80:
        bad.append("only %d options in the help: %s" % (len(found), found))
    for option in found:
        if option in ELSEWHERE:
            continue
        words = WITH.get(option, []) + [option]
        if option in VALUES and option.startswith("--"):
            words[-1] += "=" + VALUES[option]
        elif option in VALUES:
            words.append(VALUES[option])
        try_one(program, option, words, bad, option in REFUSED)
    for e in EXPRESSIONS:
        try_one(program, e, ["-e", e], bad, False)
    for e in REFUSED_EXPRESSIONS:
        try_one(program, e, ["-e", e], bad, True)
        if run([program, "-e", e, "true"]).returncode != 2:
            bad.append("%s is not refused" % e)
    print("%d options tried" % len(found))
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
