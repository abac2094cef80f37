// SPDX-License-Identifier: GPL-2.0-or-later
/* What a session counted, over netlink. */
#include <errno.h>
#include <string.h>

#include "ctl_wire.h"

struct rows {
	ctl_sum_fn fn;
	void *arg;
};

static int parse_row(struct nlmsghdr *h, struct nlattr **tb, void *arg)
{
	struct nlattr *a = tb[KTR_A_SUM_ROW];
	uint64_t hist[KTR_SUM_BUCKETS];
	struct ktr_sum_row row;
	struct rows *rows = arg;
	bool has_hist;

	(void)h;
	if (!a)
		return 0;
	if ((size_t)nla_len(a) < sizeof(row))
		return -EBADMSG;
	memcpy(&row, nla_data(a), sizeof(row));
	has_hist = (size_t)nla_len(a) >= sizeof(row) + sizeof(hist);
	if (has_hist)
		memcpy(hist, (char *)nla_data(a) + sizeof(row), sizeof(hist));
	return rows->fn(rows->arg, &row, has_hist ? hist : NULL);
}

int ctl_summary_get(struct ctl *ctl, struct ctl_ref ref, ctl_sum_fn fn,
		    void *arg)
{
	struct rows rows = { fn, arg };

	return ctl_simple(ctl, KTR_CMD_SUMMARY_GET, NLM_F_DUMP, ref, parse_row,
			  &rows);
}
