#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a program under ktrctl trace once and under strace three times, compare.

usage: strace_diff.py [--known FILE] [--stderr] [--mask-reads] [--drop REGEX]
                      [--setup SH] [--keep DIR] [--uncounted] [OPTION...]
                      -- CMD [ARG...]

Lines are compared per process as multisets, the halves of interrupted lines
joined. One differs if ktrctl wrote it more often than any run of strace did, or
less often than each of them. What changes from run to run is masked: process
ids by their order, addresses, times, inode numbers, random bytes.

FILE lists exceptions: a side (ktrctl, strace), a tab, a regular expression that
matches whole masked lines, a tab, the reason, and perhaps a tab and an expression
that is searched in the options; "counts" is for strace_counts.py.
Exit status: 0 the same, 1 not.
"""
import collections
import ctypes
import glob
import os
import re
import shutil
import socket
import subprocess
import sys

RUNS = 3
TOOLS = {
    "strace": ["strace"],
    "ktrctl": ["ktrctl", "trace"],
    "summary": ["ktrctl", "summary"],
}
LIMIT = 120
WORK = "/tmp/strace_diff"
# A folder too: programs look at /tmp.
OUT = "/tmp/strace_diff.out"
ADDR_NO_RANDOMIZE = 0x0040000
# Process ids that no other number looks like.
PID_BASE = 3100000
PID_STEP = 1000
PID = re.compile(r"\b31\d{5}\b")

PREFIX = re.compile(r"^(?:\[pid +(\d+)\] |(\d{7}) +)?(.*)$", re.S)
PREFIXED = re.compile(r"^\[pid +(\d+)\] ", re.M)
ENDS = re.compile(r"\+\+\+ (?:exited with|killed by) .* \+\+\+$")
# How the rest of a line begins that a message came into.
REST = (", ", ")")
# What -n puts before the call, and -T after it.
PARTS = re.compile(r"^(\[ *\d+\] |\[\?+\] |)(.*?)( <\d+\.\d{6}>|)$", re.S)
MASKED_PARTS = re.compile(r"^\[ *[\dN?]+\] | <T>$")
# When a child ends is chance, and so is what its parent is doing then.
CHILD_ENDS = "--- SIGCHLD "
STAMP = re.compile(r"^(?:\d\d:\d\d:\d\d(?:\.\d{6})? |\d{9,}\.\d{6} | *\d+\.\d{6} )")
UNFINISHED = " <unfinished ...>"
# The same, if no other line came between: on two CPUs that is chance.
CHANGED = re.compile(r" <pid changed to \d+ \.\.\.>$")
ATTACHED = re.compile(r"^(.*?)(?:strace|ktrctl): (Process \d+ attached)$", re.S)
RESUMED = re.compile(r"^(.*?)<\.\.\. (\S+) resumed>(.*)$", re.S)

MASKS = [(re.compile(pattern), text) for pattern, text in (
    (r"\b(si_[us]time|tms_c?[us]time)=(?:0\b(?! /\*)|[1-9]\d*(?: /\* [\d.]+ s \*/)?)", r"\1=N"),
    (r"\b(ru_[us]time)=\{[^}]*\}", r"\1={T}"),
    (r"\btv_sec=\d{9,}", "tv_sec=T"),
    (r"\btv_([nu])sec=\d*[1-9]\d{0,2}\b(?<!000)", r"tv_\1sec=T"),
    (r"\b(st_[amc]time)=\d+ /\* [-+0-9T:.]+ \*/", r"\1=T"),
    (r"\b(st_[amc]time_nsec)=\d+", r"\1=T"),
    (r"/\* \d{4}-\d\d-\d\dT[-+0-9:.]+ \*/", "/* T */"),
    (r"\bst_ino=\d+", "st_ino=N"),
    (r"\b(d_ino|d_off)=\d+", r"\1=N"),
    (r"\b(stx_ino)=\d+", r"\1=N"),
    (r"\b(pipe|socket|anon_inode):\[\d+\]", r"\1:[N]"),
    (r'^getrandom\("[^"]*"', 'getrandom("R"'),
    # The register that the handler interrupted.
    (r"^(rt_sigreturn\(.*\)) += \d+$", r"\1 = N"),
    (r"\b0x[0-9a-f]{6,}\b", "0xA"),
    (r"\bsed[A-Za-z0-9]{6}\b", "sedR"),
    # The same in hex.
    (r"\\x73\\x65\\x64(?:\\x[0-9a-f]{2}){6}(?=\")", "sedR"),
    (r"\bnl_pid=-?\d{6,}", "nl_pid=N"),
    (r"\b(nlmsg_(?:seq|pid)|[cr]?stamp|[rt]x_[a-z_]+|multicast)=-?\d+", r"\1=N"),
    (r"^time\(NULL\) += .*", "time(NULL) = T"),
    (r"^(times\(.*\)) += \d+$", r"\1 = N"),
    (r"^(sched_getaffinity\(\d+, \d+, )\[[\d ]*\]", r"\1[CPUS]"),
    (r"^((?:shm|sem|msg)(?:ctl|at|op|timedop|snd|rcv)\()\d+", r"\1ID"),
    (r"^((?:shm|sem|msg)get\(.*\)) += \d+$", r"\1 = ID"),
    (r"\b((?:shm|msg)_[adsrc]time)=\d+", r"\1=T"),
    (r"\b(sem_[oc]time)=\d+", r"\1=T"),
    # Keys have random numbers.
    (r"^(keyctl\([^,]+, )[1-9]\d{5,}\b", r"\1KEY"),
    (r"^((?:add_key|keyctl)\(.*\) += )\d{5,}$", r"\1KEY"),
    # bpf: numbers of programs, which nobody gets twice.
    (r"\b(next_id=\d+ => |prog_id=)[1-9]\d*", r"\1N"),
    (r"\bprog_ids=\[[\d, ]+\]", lambda m: re.sub(r"[1-9]\d*", "N", m.group())),
    # Newer than the strace that is compared with.
    (r"\[(?:6 /\* ICMP6_MIB_(?:\?{3}|RATELIMITHOST) \*/|ICMP6_MIB_RATELIMITHOST)\]",
     "[ICMP6_MIB_RATELIMITHOST]"),
    (r"\[(?:(?:58|0x3a) /\* DEVCONF_(?:\?{3}|ACCEPT_RA_MIN_LFT) \*/|"
     r"DEVCONF_ACCEPT_RA_MIN_LFT)\]", "[DEVCONF_ACCEPT_RA_MIN_LFT]"),
    (r"/tmp/(\w*)\.?[A-Za-z0-9]{6,10}\b", r"/tmp/\1.R"),
)]
# strace looks names of interfaces up when it prints; ktrctl shows the numbers.
INTERFACE = re.compile(r'(?:\b(\d+) /\* )?\bif_nametoindex\("([^"]*)"\)(?(1) \*/)')
# Calls that tell of the machine's present state.
STATE = re.compile(r"^(?:sysinfo|times|getrusage|clock_gettime(?:64)?|clock_adjtime|"
                   r"statfs(?:64)?|fstatfs(?:64)?)\(")
READS = re.compile(r'^(p?read(?:64)?)\((\d+), ".*"(?:\.\.\.)?, (.*) = \d+$')


def index_of(match):
    """The number of an interface by its name, quoted as it may be."""
    if match.group(1):
        return match.group(1)
    name = re.sub(r"\\x([0-9a-f]{2})", lambda m: chr(int(m.group(1), 16)),
                  match.group(2))
    try:
        return str(socket.if_nametoindex(name))
    except OSError:
        return match.group()


def prepare(tool):
    """In the child. Emulated CPUs take long to wake each other for ptrace."""
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)
    if tool == "strace":
        os.sched_setaffinity(0, [0])


def set_file(path, value):
    with open(path, "w") as f:
        f.write(str(value))


class Trace:
    """What one run printed: lines per process, and how often each."""

    def __init__(self, text, tool, opts):
        self.text = text
        self.tool = tool
        self.opts = opts
        self.pids = {}
        self.prefixed = []
        self.ended = set()
        self.broken = None
        self.lines = collections.Counter()
        self.whole = collections.defaultdict(set)
        self.prefix = False
        self.parse()

    def mask(self, line):
        number, call, time = PARTS.match(line).groups()
        if number and call.startswith(CHILD_ENDS):
            number = "[N] "
        return number + self.mask_call(call) + (" <T>" if time else "")

    def mask_call(self, line):
        line = INTERFACE.sub(index_of, line)
        for pattern, text in MASKS:
            line = pattern.sub(text, line)
        if STATE.match(line):
            line = re.sub(r"(?<==)\d+|(?<=[\[ ])\d+(?=[,\]])", "N", line)
        if self.opts.mask_reads:
            line = READS.sub(r"\1(\2, STRING, \3 = N", line)
        return PID.sub(lambda m: self.pids[m.group()], line)

    def add(self, pid, line, joined):
        if self.opts.stderr:
            pid = ""
        stamp = STAMP.match(line)
        if stamp:
            line = line[stamp.end():]
        masked = self.mask(line)
        # A line in two parts has its result where the second one put it.
        key = (pid, re.sub(r"\) +(= |<unfin)", r") \1", masked))
        self.lines[key] += 1
        if not joined and masked == line:
            self.whole[key, self.prefix].add(line)

    def owner(self, pid, line):
        """Whose line it is. On a terminal one that is alone has no prefix.

        The first of them is alone until it has children; of those that have had
        prefixes, it is who outlived the others. What is left of a line that a
        message came into has no prefix either.
        """
        if not pid and self.broken and line.startswith(REST):
            return self.broken
        if not pid:
            pid = next((p for p in self.prefixed if p not in self.ended), None)
        elif ENDS.search(line):
            self.ended.add(pid)
        return self.pids.get(pid, "main")

    def take(self, pid, line, pending):
        # What is left of a line that a message came into.
        if line == UNFINISHED:
            return
        if pid in pending and line.startswith(REST):
            self.add(pid, pending.pop(pid) + line, True)
            return
        resumed = RESUMED.match(line)
        if resumed and pid in pending:
            begun = pending.pop(pid)
            self.add(pid, begun + resumed.group(3), True)
        elif line.endswith(UNFINISHED):
            pending[pid] = line[:-len(UNFINISHED)]
        else:
            self.add(pid, line, False)

    def is_dropped(self, line):
        return not line or self.opts.drop and self.opts.drop.search(line)

    def name_pids(self):
        """In what is compared: other data has numbers that look like them."""
        kept = [line for line in self.text.split("\n") if not self.is_dropped(line)]
        for i, pid in enumerate(sorted(set(PID.findall("\n".join(kept))))):
            self.pids[pid] = "PID%d" % i

    def parse(self):
        pending = {}
        self.name_pids()
        self.prefixed = sorted(set(PREFIXED.findall(self.text)))
        for line in self.text.split("\n"):
            if self.is_dropped(line):
                continue
            m = PREFIX.match(line)
            line = CHANGED.sub(UNFINISHED, m.group(3))
            pid = m.group(1) or m.group(2)
            # It moves what stands behind, and who is alone by then is chance.
            self.prefix = bool(pid)
            pid = self.owner(pid, line)
            attached = ATTACHED.match(line)
            if attached:
                self.add("", attached.group(2), False)
                line = attached.group(1)
                if line:
                    pending[pid] = line
                    self.broken = pid
            else:
                self.take(pid, line, pending)
        for pid, begun in pending.items():
            self.add(pid, begun + UNFINISHED, True)


class Options:
    def __init__(self, argv):
        self.known = None
        self.stderr = False
        self.mask_reads = False
        self.uncounted = False
        self.keep = None
        self.setup = ":"
        self.drop = None
        self.tracer = []
        i = 0
        while argv[i] != "--":
            name = argv[i]
            if name in ("--known", "--keep", "--setup", "--drop"):
                i += 1
                setattr(self, name[2:], argv[i])
            elif name in ("--stderr", "--mask-reads", "--uncounted"):
                setattr(self, name[2:].replace("-", "_"), True)
            else:
                self.tracer.append(name)
            i += 1
        if self.drop:
            self.drop = re.compile(self.drop)
        self.command = argv[i + 1:]


def collect(out):
    """What was written to a file, or to one for each process."""
    text = b""
    for path in sorted(glob.glob(out + "*")):
        with open(path, "rb") as f:
            lines = f.read()
        os.unlink(path)
        if path != out:
            lines = re.sub(rb"(?m)^(?=.)", path[len(out) + 1:].encode() + b" ",
                           lines)
        text += lines
    return text


def run_tool(opts, tool, number):
    """One run in a fresh folder. Return what it wrote and the exit status."""
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    os.makedirs(OUT, exist_ok=True)
    out = OUT + "/trace"
    env = {"PATH": os.environ["PATH"], "HOME": "/root", "LC_ALL": "C",
           "PYTHONHASHSEED": "0", "TZ": "UTC"}
    subprocess.run(["sh", "-ec", opts.setup], cwd=WORK, env=env, check=True)
    argv = TOOLS[tool] + opts.tracer
    if not opts.stderr:
        argv += ["-o", out]
    set_file("/proc/sys/kernel/ns_last_pid", PID_BASE + PID_STEP * number)
    done = subprocess.run(argv + ["--"] + opts.command, cwd=WORK, env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LIMIT,
                          preexec_fn=lambda: prepare(tool))
    text = done.stderr
    if not opts.stderr:
        text = collect(out)
    status = done.returncode
    text = text.decode("utf-8", "backslashreplace")
    if opts.keep:
        set_file("%s/%s.%d" % (opts.keep, tool, number), text)
    if tool == "ktrctl" and not opts.stderr and done.stderr:
        print("ktrctl's messages:", done.stderr.decode(errors="replace"))
    return text, 128 - status if status < 0 else status


def run_once(opts, tool, number):
    text, status = run_tool(opts, tool, number)
    return Trace(text, tool, opts), status


def read_known(path, options):
    known = {"ktrctl": [], "strace": [], "counts": []}
    if not path:
        return known
    with open(path) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                side, pattern, _reason, *only = line.rstrip("\n").split("\t")
                if not only or re.search(only[0], " ".join(options)):
                    known[side].append(re.compile(pattern))
    return known


def compare(straces, ours, known):
    """Return what differs, a line of text each."""
    bad = []
    keys = set(ours.lines)
    for trace in straces:
        keys |= set(trace.lines)
    for key in sorted(keys):
        counts = [trace.lines[key] for trace in straces]
        n = ours.lines[key]
        if min(counts) <= n <= max(counts):
            continue
        side = "ktrctl" if n > max(counts) else "strace"
        call = MASKED_PARTS.sub("", key[1])
        if any(p.fullmatch(call) for p in known[side]):
            continue
        bad.append("%s only: %s: %s (%d, strace %s)" %
                   (side, key[0], key[1], n, counts))
    return bad


def compare_layout(straces, ours):
    """Lines that nothing was masked in are the same to the blank."""
    bad = []
    for key, lines in sorted(ours.whole.items()):
        theirs = set().union(*(trace.whole[key] for trace in straces))
        bad += ["layout: ktrctl: %s\n        strace: %s" %
                (line, "\n        strace: ".join(sorted(theirs)))
                for line in lines if theirs and line not in theirs]
    return bad


def differences(argv):
    """Compare: what differs, a line of text each, and how much was compared."""
    opts = Options(argv)
    set_file("/proc/sys/kernel/pid_max", 4194304)
    if opts.keep:
        os.makedirs(opts.keep, exist_ok=True)
    known = read_known(opts.known, opts.tracer)
    ours, status = run_once(opts, "ktrctl", RUNS)
    straces, statuses = [], []
    # Another run of strace can only make fewer lines differ.
    for i in range(RUNS):
        trace, theirs = run_once(opts, "strace", i)
        straces.append(trace)
        statuses.append(theirs)
        bad = compare(straces, ours, known) + compare_layout(straces, ours)
        if status not in statuses:
            bad.append("exit status: ktrctl %d, strace %s" % (status, statuses))
        if not bad:
            break
    if not ours.lines:
        bad.append("ktrctl printed nothing")
    return bad, "%d lines, %d differ from %d runs of strace" % (
        sum(ours.lines.values()), len(bad), len(straces))


def main(argv):
    if "--" not in argv or argv[-1] == "--":
        sys.exit(__doc__)
    bad, note = differences(argv)
    print("\n".join(bad + [note]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
