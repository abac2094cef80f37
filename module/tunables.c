// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel.ktrace.genio_size     bytes of the data of one transfer that are kept
 * kernel.ktrace.request_pool   events that may wait in a data ring to be read, 0:
 *                              as many as it has room for
 */
#include <linux/errno.h>
#include <linux/sysctl.h>
#include "capture.h"
#include "channel.h"
#include "session.h"
#include "tunables.h"

#define POOL_MAX (KTR_BUF_MAX / KTR_REQUEST_BYTES)

static unsigned int genio_max = KTR_CAP_MAX;
static unsigned int pool_max = POOL_MAX;

/* New sessions look at it themselves, before they can be found here. */
static int change_pool(KTR_CTL_TABLE *table, int write, void *buf, size_t *len, loff_t *pos)
{
	int ret = proc_douintvec_minmax(table, write, buf, len, pos);
	struct ktr_session *s;
	u32 id = 0;

	if (ret || !write)
		return ret;
	while ((s = ktr_session_next(id, NULL))) {
		id = s->id + 1;
		ktr_channel_pool(&s->channel);
		ktr_session_put(s);
	}
	return 0;
}

static struct ctl_table tunables[] = {
	{
		.procname = "genio_size", .data = &ktr_genio_size, .maxlen = sizeof(unsigned int),
		.mode = 0644, .proc_handler = proc_douintvec_minmax, .extra2 = &genio_max,
	},
	{
		.procname = "request_pool", .data = &ktr_request_pool,
		.maxlen = sizeof(unsigned int), .mode = 0644, .proc_handler = change_pool,
		.extra2 = &pool_max,
	},
	KTR_CTL_TABLE_END
};

static struct ctl_table_header *header;

int ktr_tunables_init(void)
{
	header = register_sysctl("kernel/ktrace", tunables);
	return header ? 0 : -ENOMEM;
}

/* Waits for those who read or write just now. */
void ktr_tunables_exit(void)
{
	unregister_sysctl_table(header);
}
