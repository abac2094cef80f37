#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Attach ktrctl twenty times to a process that calls getppid all the time.

usage: latency.py PID MILLISECONDS

Prints the time from the start of ktrctl to the first record, and to its line.
Exit status: 0 if the median of the first is below the limit.
"""
import json
import subprocess
import sys
import time

ROUNDS = 20
COMMAND = ["ktrctl", "trace", "--json", "-e", "trace=getppid", "-p"]


def attach(pid):
    start = time.monotonic_ns()
    tracer = subprocess.Popen(COMMAND + [pid], stderr=subprocess.PIPE, text=True)
    first = next(line for line in tracer.stderr
                 if line.startswith('{"event":"syscall",'))
    end = time.monotonic_ns()
    tracer.kill()
    tracer.communicate()
    return (json.loads(first)["time"] - start) / 1e6, (end - start) / 1e6


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return (values[middle - 1] + values[middle]) / 2


def main(pid, limit):
    times = [attach(pid) for _ in range(ROUNDS)]
    record = median([t[0] for t in times])
    print("median of %d: first record after %.1f ms, its line after %.1f ms" %
          (ROUNDS, record, median([t[1] for t in times])))
    return 0 if record < limit else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
