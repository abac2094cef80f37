# SPDX-License-Identifier: GPL-2.0-or-later
# TAP of one test in, its points renumbered from "first" and prefixed with the
# test's name out; all else becomes a comment. What was seen goes to "counts".

function point(line, result) {
	sub(/^(not )?ok */, "", line)
	sub(/^[0-9]+ */, "", line)
	sub(/^- */, "", line)
	if (line ~ /^# *(SKIP|TODO|XFAIL)/)
		line = "point" points + 1 " " line
	print result, first + points, test "." line
	points++
}

# Only the outermost level counts: nested points are indented.
/^ok([ \t]|$)/ {
	if ($0 ~ /# *SKIP/)
		skipped++
	point($0, "ok")
	fflush()
	next
}
/^not ok([ \t]|$)/ {
	failed++
	point($0, "not ok")
	fflush()
	next
}
/^1\.\.[0-9]+/ {
	planned = substr($1, 4)
	has_plan = 1
	if ($0 ~ /# *SKIP/)
		all_skipped = 1
	sub(/^1\.\./, "# planned ")
	print
	next
}
/^Bail out!/ {
	failed++
	print "not ok", first + points++, test "." $0
	next
}
/^TAP version/ { next }
/^#/ { print; fflush(); next }
{ print "# " $0; fflush() }

END {
	printf "SEEN=%d FAILED=%d SKIPPED=%d PLANNED=%d ALL_SKIPPED=%d\n",
		points, failed, skipped,
		has_plan ? planned : points, all_skipped > counts
}
