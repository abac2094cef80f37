#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Read ktrctl's JSON lines strictly, and hold expressions against them.

usage: events.py FILE|- [NAME=VALUE...] -- EXPRESSION...

Each expression, in Python, has to be true. They see E, the list of records as
objects whose members are attributes (None if absent); head and tail, the header
and the summary; calls(name), the whole calls of that name (all without one), of
a thread with tid=N; kind(event), the records of that kind; each NAME.
"""
import json
import sys


class Record(dict):
    def __getattr__(self, name):
        return self.get(name)


def no_duplicates(pairs):
    record = Record(pairs)
    if len(record) != len(pairs):
        raise ValueError("a member occurs twice: %r" % (pairs,))
    return record


def no_constant(name):
    raise ValueError("%s is not JSON" % name)


DECODER = json.JSONDecoder(object_pairs_hook=no_duplicates,
                           parse_constant=no_constant, strict=True)


def read(stream):
    """Yield the objects of a stream of lines, every line ended and whole."""
    for line in stream:
        if not line.endswith(b"\n"):
            raise ValueError("the last line is cut: %r" % line)
        yield DECODER.decode(line.decode("utf-8")[:-1])


def names(records):
    """What expressions see."""
    records = list(records)
    head, tail = records[0], records[-1]
    if head.event != "header" or tail.event != "summary":
        raise ValueError("no header or no summary")
    events = records[1:-1]

    def kind(event):
        return [e for e in events if e.event == event]

    def calls(name=None, tid=None):
        return [e for e in events if e.event == "syscall" and
                name in (None, e.name) and tid in (None, e.tid)]

    return {"E": events, "head": head, "tail": tail, "kind": kind,
            "calls": calls}


def main(argv):
    split = argv.index("--")
    if argv[0] == "-":
        scope = names(read(sys.stdin.buffer))
    else:
        with open(argv[0], "rb") as f:
            scope = names(read(f))
    for arg in argv[1:split]:
        name, value = arg.split("=", 1)
        scope[name] = int(value) if value.lstrip("-").isdigit() else value
    bad = 0
    for expression in argv[split + 1:]:
        expression = " ".join(expression.split())
        result = eval(expression, scope)
        if not result:
            bad += 1
            print("not true: %s" % expression)
            for part in expression.split(" == ")[:2]:
                try:
                    print("  %s is %.300r" % (part, eval(part, scope)))
                except (SyntaxError, NameError):
                    pass
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
