#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The examples of a page, taken from the page and run as they are printed.

usage: examples.py PAGE             a line for each example: its commands
       examples.py PAGE NUMBER      run that one in this folder; 1: it failed

An example is what one .Dl or .Bd of the section EXAMPLES shows, or an indented
block of a README whose commands have the prompt "# ". All of its commands run in
one shell. A command of ours has to succeed, or to end as what is printed below
it says, and to print something if the page shows something.

A README may name a server and its number, "(here of `COMMAND`, process N, ...";
examples that use it run in a namespace of their own where it is that process,
and are asked for once after each command about it.
"""
import os
import re
import signal
import subprocess
import sys

PROMPT = "# "
TOOLS = ("ktrctl", "kdump", "ktrace")
OURS = re.compile(r"^(%s)\b" % "|".join(TOOLS))
SERVER = re.compile(r"\(here\s+of\s+`([^`]+)`,\s+process\s+(\d+),")
KILLED = re.compile(r"^\+\+\+ killed by (SIG\w+)", re.M)
PORT = 8000
LIMIT = 240
INTERRUPTED = "timeout --preserve-status --foreground -s INT 40"


class Command:
    def __init__(self, text):
        self.text = text
        self.printed = []

    def status(self):
        """What the tool hands on of the program."""
        killed = KILLED.search("\n".join(self.printed))
        return 128 + signal.Signals[killed.group(1)] if killed else 0


def commands(lines, prompts):
    """Lines with a prompt, or all of them; a backslash joins two."""
    found = []
    for line in lines:
        if found and found[-1].text.endswith("\\") and not found[-1].printed:
            found[-1].text += "\n" + line
        elif line.startswith(PROMPT):
            found.append(Command(line[len(PROMPT):]))
        elif prompts:
            if found:
                found[-1].printed.append(line)
        else:
            found.append(Command(line))
    return found


def plain(line):
    """What roff prints of a line."""
    return line.replace("\\e", "\\").replace("\\(aq", "'").replace("\\-", "-") \
        .replace("\\&", "")


def of_man_page(text):
    section = re.search(r"^\.Sh EXAMPLES\n(.*?)(?=^\.Sh |\Z)", text, re.M | re.S)
    blocks, block = [], None
    for line in section.group(1).split("\n") if section else []:
        if line.startswith(".Dl "):
            blocks.append([plain(line[4:])])
        elif line.startswith(".Bd"):
            block = []
        elif line.startswith(".Ed"):
            blocks.append(block)
            block = None
        elif block is not None:
            block.append(plain(line))
    return [commands(block, False) for block in blocks]


def of_readme(text):
    blocks = re.findall(r"(?:^    .*\n)+", text, re.M)
    blocks = [[line[4:] for line in block.splitlines()] for block in blocks]
    return [commands(block, True) for block in blocks
            if block[0].startswith(PROMPT)]


def until(command):
    """What a reader would do with one that goes on: he presses Ctrl-C."""
    if re.search(r" -p \d", command.text) and "--for" not in command.text:
        return INTERRUPTED
    return "command"


def shell(example, server):
    """The commands with what each printed and how it ended put into files."""
    script = ["%s() { $how %s \"$@\"; set -- $?; echo $1 >>ran.$at; return $1; }" %
              (name, name) for name in TOOLS]
    if server:
        script += ["echo %d >/proc/sys/kernel/ns_last_pid" % (server[1] - 1),
                   "(cd /etc && exec %s) >server 2>&1 &" % server[0],
                   "[ $! = %d ] || exit 9" % server[1],
                   "ask() { (exec 7<>/dev/tcp/127.0.0.1/%d &&" % PORT,
                   "printf 'GET /hostname HTTP/1.0\\r\\n\\r\\n' >&7 &&",
                   "cat <&7) >>asked 2>&1; }",
                   "until ask; do sleep 0.1; done"]
    for i, command in enumerate(example):
        script += ["at=%d" % i, "how='%s'" % until(command), "{ " + command.text,
                   "} >out.%d 2>err.%d" % (i, i)]
        if server and "--pid %d" % server[1] in command.text:
            script.append("ask")
    if server:
        script.append("kill %d" % server[1])
    return "\n".join(script) + "\n"


def contents(path):
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def judge(i, command):
    """What is wrong with a command that was run, in words, or None."""
    good = {str(command.status())}
    if until(command) == INTERRUPTED:
        good.add(str(128 + signal.SIGINT))
    if "| head" in command.text:
        good.add(str(128 + signal.SIGPIPE))
    statuses = contents("ran.%d" % i).split()
    if not OURS.search(command.text):
        return None
    if not statuses or set(statuses) - good:
        return "status %s, not %s" % (statuses, sorted(good))
    if command.printed and not contents("out.%d" % i) + contents("err.%d" % i):
        return "nothing was printed"
    return None


def run(example, server):
    uses = server and any("--pid %d" % server[1] in c.text or
                          ":%d/" % PORT in c.text for c in example)
    argv = ["bash", "-c", shell(example, server if uses else None)]
    if uses:
        argv = ["unshare", "--pid", "--fork", "--mount-proc",
                "--kill-child"] + argv
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, timeout=LIMIT)
    failed = done.returncode == 9
    if failed:
        print("the server did not get its number")
    for i, command in enumerate(example):
        wrong = judge(i, command)
        if wrong:
            failed = True
            print("%s: %s\n%s" % (command.text, wrong, contents("err.%d" % i)))
    return failed


def main(argv):
    if not 2 <= len(argv) <= 3:
        sys.exit(__doc__)
    text = contents(argv[1])
    readme = os.path.basename(argv[1]).startswith("README")
    examples = of_readme(text) if readme else of_man_page(text)
    if len(argv) == 2:
        for example in examples:
            print("; ".join(c.text.replace("\\\n", "") for c in example))
        return 0
    server = SERVER.search(text)
    server = server and (server.group(1), int(server.group(2)))
    return run(examples[int(argv[2])], server)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
