// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "ktr_targets.h"

#define ROOM ((int)(sizeof(all->v) / sizeof(all->v[0])))

static int add(const struct ktr_answer *part, void *arg)
{
	struct ktr_targets *all = arg;
	typeof(all->v[0]) *t = &all->v[all->n];

	if (all->n == ROOM || !part->attr[KTR_A_TARGET_ID])
		return 1;
	t->tid = ktr_answer_u32(part, KTR_A_TARGET_ID);
	t->tgid = ktr_answer_u32(part, KTR_A_TGID);
	t->flags = ktr_answer_u32(part, KTR_A_FLAGS);
	t->recorded = ktr_answer_u64(part, KTR_A_RECORDED);
	strncpy(t->comm, ktr_answer_str(part, KTR_A_COMM) ?: "",
		sizeof(t->comm) - 1);
	all->n++;
	return 0;
}

int ktr_targets_get(struct ktr_session *s, struct ktr_targets *all)
{
	struct ktr_msg m;

	memset(all, 0, sizeof(*all));
	ktr_session_msg(s, &m, KTR_CMD_TARGET_GET);
	return ktr_client_dump(&s->client, &m, add, all);
}

bool ktr_targets_has(const struct ktr_targets *all, pid_t tid)
{
	int i;

	for (i = 0; i < all->n; i++)
		if (all->v[i].tid == (__u32)tid)
			return true;
	return false;
}
