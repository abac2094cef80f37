// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "json.h"
#include "sesspids.h"

#define PIDS_SHOWN 8	/* in a line of list */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Processes of a session, each once, in the order of the numbers. Return: how many;
 * none also if they cannot be had: it may have ended just now.
 */
static size_t list_pids(struct ctl *ctl, const struct ctl_session *s, uint32_t **pids)
{
	struct ctl_ref ref = { .id = s->id };
	struct ctl_target *list = NULL;
	size_t i, k, n = 0;

	*pids = NULL;
	if (!s->ntargets || ctl_target_list(ctl, ref, &list, &n))
		return 0;
	*pids = calloc(n + 1, sizeof(**pids));
	for (i = 0; *pids && i < n; i++)
		(*pids)[i] = list[i].tgid;
	free(list);
	if (!*pids)
		return 0;
	qsort(*pids, n, sizeof(**pids), by_number);
	for (i = k = 0; i < n; i++)
		if (!k || (*pids)[k - 1] != (*pids)[i])
			(*pids)[k++] = (*pids)[i];
	return k;
}

void sesspids_json(struct buf *b, struct ctl *ctl, const struct ctl_session *s)
{
	uint32_t *pids;
	size_t i, n = list_pids(ctl, s, &pids);

	json_name(b, "pids");
	buf_putc(b, '[');
	for (i = 0; i < n; i++) {
		json_sep(b);
		buf_udec(b, pids[i]);
	}
	buf_putc(b, ']');
	free(pids);
}

void sesspids_text(struct buf *b, struct ctl *ctl, const struct ctl_session *s)
{
	uint32_t *pids;
	size_t i, n = list_pids(ctl, s, &pids);

	for (i = 0; i < n && i < PIDS_SHOWN; i++)
		buf_printf(b, "%s%u", i ? " " : n == 1 ? ", process " : ", processes ", pids[i]);
	if (n > PIDS_SHOWN)
		buf_printf(b, " and %zu more", n - PIDS_SHOWN);
	free(pids);
}
