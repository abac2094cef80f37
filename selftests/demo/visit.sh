#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The program that the demo traces: it forks, runs other programs, opens, reads
# and writes files, gets a signal from itself, and fails.

trap 'echo "visit: USR1 came"' USR1

grep -c sh /etc/passwd >/tmp/count
read -r shells </tmp/count
echo "visit: $shells users with a shell"
kill -USR1 $$
cat /no/such/file
exit 3
