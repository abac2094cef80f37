// SPDX-License-Identifier: GPL-2.0-only
/* What a session has counted, as it stands when the dump begins. */
#include <linux/err.h>
#include <linux/slab.h>
#include "netlink.h"
#include "session.h"

struct dump {
	struct ktr_sum_rows rows;
	u32 next;
};

/* cb->args[0]: the struct dump. */
static struct dump *dump_of(struct netlink_callback *cb)
{
	return (struct dump *)cb->args[0];
}

static int take_rows(struct ktr_session *s, struct dump *d, struct netlink_ext_ack *ack)
{
	int ret;

	if (!s->stream.summary) {
		NL_SET_ERR_MSG_MOD(ack, "the session does not count");
		return -EINVAL;
	}
	mutex_lock(&s->lock);
	ret = ktr_summary_rows(s->stream.summary, &d->rows);
	mutex_unlock(&s->lock);
	return ret;
}

int ktr_nl_summary_start(struct netlink_callback *cb)
{
	struct ktr_session *s;
	struct dump *d;
	int ret;

	s = ktr_netlink_session(cb->skb, ktr_dump_attrs(cb), cb->extack);
	if (IS_ERR(s))
		return PTR_ERR(s);
	d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
	ret = d ? take_rows(s, d, cb->extack) : -ENOMEM;
	ktr_session_put(s);
	if (ret)
		kfree(d);
	else
		cb->args[0] = (long)d;
	return ret;
}

static int put_row(struct sk_buff *skb, struct netlink_callback *cb, const struct dump *d)
{
	void *head = ktr_nl_dump_head(skb, cb, KTR_CMD_SUMMARY_GET);

	if (!head)
		return -EMSGSIZE;
	if (nla_put(skb, KTR_A_SUM_ROW, d->rows.size,
		    d->rows.row + (size_t)d->next * d->rows.size)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

int ktr_nl_summary_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *d = dump_of(cb);

	while (d->next < d->rows.n && !put_row(skb, cb, d))
		d->next++;
	return skb->len;
}

int ktr_nl_summary_done(struct netlink_callback *cb)
{
	struct dump *d = dump_of(cb);

	if (d)
		ktr_summary_rows_free(&d->rows);
	kfree(d);
	return 0;
}
