// SPDX-License-Identifier: GPL-2.0-only
/* Session commands: attributes are parsed into a struct first, then applied. */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/slab.h>
#include "device.h"
#include "failures.h"
#include "netlink.h"
#include "permit.h"
#include "probes.h"
#include "session.h"
#include "stack.h"

static int put_u64(struct sk_buff *msg, int attr, u64 val)
{
	return nla_put_u64_64bit(msg, attr, val, KTR_A_PAD);
}

static bool good_name(const char *name)
{
	if (!*name)
		return false;
	for (; *name; name++)
		if (*name == '/' || iscntrl(*name))
			return false;
	return true;
}

static int parse_flags(struct nlattr *attr, u32 all, u32 *flags, struct netlink_ext_ack *ack)
{
	*flags = attr ? nla_get_u32(attr) : 0;
	if (!(*flags & ~all))
		return 0;
	NL_SET_ERR_MSG_ATTR(ack, attr, "unknown flag");
	return -EOPNOTSUPP;
}

static int parse_new(struct genl_info *info, struct ktr_session_opts *o)
{
	struct nlattr **a = info->attrs;

	if (!a[KTR_A_NAME] == !a[KTR_A_FD]) {
		NL_SET_ERR_MSG_MOD(info->extack, "a session has a name or a descriptor, just one");
		return -EINVAL;
	}
	if (a[KTR_A_NAME]) {
		o->name = nla_data(a[KTR_A_NAME]);
		if (!good_name(o->name)) {
			NL_SET_ERR_MSG_ATTR(info->extack, a[KTR_A_NAME],
					    "a name is not empty and has no '/' and no control character");
			return -EINVAL;
		}
	}
	o->channel.mode = a[KTR_A_MODE] ? nla_get_u32(a[KTR_A_MODE]) : KTR_MODE_DISCARD;
	o->channel.buf_size = a[KTR_A_BUF_SIZE] ? nla_get_u64(a[KTR_A_BUF_SIZE]) :
						  KTR_BUF_DEFAULT;
	o->channel.ctl_size = a[KTR_A_CTL_SIZE] ? nla_get_u64(a[KTR_A_CTL_SIZE]) :
						  KTR_CTL_DEFAULT;
	o->channel.watermark = a[KTR_A_WATERMARK] ? nla_get_u64(a[KTR_A_WATERMARK]) : 0;
	o->channel.flush_ms = a[KTR_A_FLUSH_MS] ? nla_get_u32(a[KTR_A_FLUSH_MS]) : 100;
	if (parse_flags(a[KTR_A_FLAGS], KTR_SESSION_F__ALL, &o->flags, info->extack))
		return -EOPNOTSUPP;
	o->channel.big = o->flags & KTR_SESSION_F_BIG;
	if (!o->plain || !o->channel.big)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, a[KTR_A_FLAGS], "the big flag needs CAP_SYS_ADMIN or CAP_PERFMON");
	return -EPERM;
}

/* The (ring, kind, reason) counts that are not zero; at most @room of them. */
static int collect_loss(const struct ktr_cpu *c, struct ktr_loss_count *v, int room)
{
	int ring, kind, why, n = 0;

	for (ring = 0; ring < __KTR_RING_LAST; ring++)
		for (kind = 0; kind < 64; kind++)
			for (why = 0; why < __KTR_LOSS_LAST; why++)
				if (READ_ONCE(c->loss[ring][kind][why]) && n < room)
					v[n++] = (struct ktr_loss_count){
						.ring = ring, .kind = kind, .reason = why,
						.count = READ_ONCE(c->loss[ring][kind][why]),
					};
	return n;
}

#define LOSS_ROOM 32

static int put_one_cpu(struct sk_buff *msg, const struct ktr_cpu *c)
{
	struct ktr_loss_count loss[LOSS_ROOM];
	u64 records = 0, bytes = 0, unread = 0, evicted = 0;
	struct nlattr *nest;
	int i, n;

	for (i = 0; i < __KTR_RING_LAST; i++) {
		const struct ktr_ring_prod *p = c->ring[i].prod;

		records += READ_ONCE(p->records);
		bytes += READ_ONCE(p->committed);
		evicted += READ_ONCE(p->evicted);
		unread += READ_ONCE(p->committed) -
			  max(ktr_ring_consumed(&c->ring[i]), READ_ONCE(p->tail));
	}
	nest = nla_nest_start(msg, KTR_A_CPU);
	if (!nest)
		return -EMSGSIZE;
	n = collect_loss(c, loss, LOSS_ROOM);
	if (nla_put_u32(msg, KTR_A_CPU_NR, c->cpu) ||
	    put_u64(msg, KTR_A_CPU_RECORDED, records) ||
	    put_u64(msg, KTR_A_CPU_BYTES, bytes) ||
	    put_u64(msg, KTR_A_CPU_UNREAD, unread) ||
	    put_u64(msg, KTR_A_CPU_EVICTED, evicted) ||
	    (n && nla_put(msg, KTR_A_LOSS, n * sizeof(loss[0]), loss))) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

static int put_state(struct sk_buff *msg, const struct ktr_session *s)
{
	const struct ktr_table *t = rcu_dereference_protected(s->stream.table, 1);

	return put_u64(msg, KTR_A_EVENTS, s->events) ||
	       put_u64(msg, KTR_A_SIGNALS, s->stream.signals) ||
	       put_u64(msg, KTR_A_PROBES, s->cred ? 0 : ktr_probes_attached()) ||
	       put_u64(msg, KTR_A_NOT_FOLLOWED, atomic64_read(&s->stream.not_followed)) ||
	       put_u64(msg, KTR_A_LABEL, s->label) ||
	       put_u64(msg, KTR_A_REFUSED, atomic64_read(&s->stream.refused)) ||
	       nla_put_u32(msg, KTR_A_STATE, s->state) ||
	       nla_put_u32(msg, KTR_A_GENERATION, s->generation) ||
	       nla_put_u32(msg, KTR_A_NTARGETS, READ_ONCE(s->targets.count)) ||
	       nla_put_u32(msg, KTR_A_NSYSCALLS, t->nrows) ||
	       nla_put_u32(msg, KTR_A_NFUNCS, ktr_functions_count(&s->functions)) ||
	       nla_put_u32(msg, KTR_A_NRETS, s->functions.returns.n) ||
	       put_u64(msg, KTR_A_RETS_MISSED, ktr_returns_missed(&s->functions.returns)) ||
	       put_u64(msg, KTR_A_RETS_INSIDE, ktr_returns_inside(&s->functions.returns)) ||
	       put_u64(msg, KTR_A_HOOKS_MISSED, ktr_probes_missed(&s->probes)) ||
	       nla_put_u32(msg, KTR_A_NGRAPHS, ktr_graph_count(&s->functions.graph)) ||
	       nla_put_u32(msg, KTR_A_NWAITS, s->waits.n) ||
	       nla_put_u32(msg, KTR_A_NBELOW, s->functions.graph.n) ||
	       put_u64(msg, KTR_A_GRAPH_MISSED, ktr_graph_missed(&s->functions.graph)) ||
	       nla_put_u32(msg, KTR_A_FILTER_LEN, s->filter_len) ||
	       nla_put_u32(msg, KTR_A_READER, s->reader);
}

static int put_fixed(struct sk_buff *msg, const struct ktr_session *s)
{
	const struct ktr_channel *ch = &s->channel;

	return nla_put_u32(msg, KTR_A_SESSION, s->id) ||
	       (s->name[0] && nla_put_string(msg, KTR_A_NAME, s->name)) ||
	       nla_put_u32(msg, KTR_A_MODE, ch->mode) ||
	       put_u64(msg, KTR_A_BUF_SIZE, ch->size[KTR_RING_DATA]) ||
	       put_u64(msg, KTR_A_CTL_SIZE, ch->size[KTR_RING_CONTROL]) ||
	       put_u64(msg, KTR_A_WATERMARK, ch->watermark) ||
	       put_u64(msg, KTR_A_TOTAL_BYTES, ch->bytes) ||
	       nla_put_u32(msg, KTR_A_FLUSH_MS, ch->flush_ms) ||
	       nla_put_u32(msg, KTR_A_FLAGS, s->flags) ||
	       nla_put_u32(msg, KTR_A_NCPUS, num_possible_cpus()) ||
	       nla_put_u32(msg, KTR_A_OWNER, from_kuid_munged(current_user_ns(), s->owner)) ||
	       nla_put_u32(msg, KTR_A_PRIVILEGED, !s->cred);
}

static int put_stack(struct sk_buff *msg, const struct ktr_session *s)
{
	const struct ktr_stack_want *want = &s->stream.stack;

	return want->kinds ? nla_put(msg, KTR_A_STACK, sizeof(*want), want) : 0;
}

static int put_file(struct sk_buff *msg, const struct ktr_session *s)
{
	struct ktr_writer_state w = ktr_writer_state(s->writer);
	int ret;

	ret = put_u64(msg, KTR_A_FILE_BYTES, w.bytes) ||
	      nla_put_string(msg, KTR_A_FILE_NAME, w.path ?: "") ||
	      nla_put_u32(msg, KTR_A_FILE_ERROR, w.error) ||
	      put_u64(msg, KTR_A_FILE_MISSING, w.missing);
	kfree(w.path);
	return ret;
}

static int put_saved(struct sk_buff *msg, const struct ktr_session *s)
{
	return s->saved ? nla_put_string(msg, KTR_A_FILE_NAME, s->saved) : 0;
}

static int put_summary(struct sk_buff *msg, const struct ktr_summary *sum)
{
	return nla_put_u32(msg, KTR_A_SUMMARY, sum->flags) ||
	       nla_put_u32(msg, KTR_A_SUM_SLOTS, 1u << sum->bits) ||
	       put_u64(msg, KTR_A_SUM_MISSED, ktr_summary_missed(sum));
}

static int put_session(struct sk_buff *msg, struct ktr_session *s)
{
	int cpu, ret;

	mutex_lock(&s->lock);
	ret = put_fixed(msg, s) || put_state(msg, s) || put_stack(msg, s) ||
	      (s->stream.summary && put_summary(msg, s->stream.summary)) ||
	      (s->writer ? put_file(msg, s) : put_saved(msg, s)) ? -EMSGSIZE : 0;
	for_each_possible_cpu(cpu)
		ret = ret ?: put_one_cpu(msg, per_cpu_ptr(s->channel.cpu, cpu));
	mutex_unlock(&s->lock);
	return ret;
}

/* Bytes that put_session() may need. */
size_t ktr_nl_session_size(void)
{
	return 1024 + PATH_MAX + num_possible_cpus() * (128 + LOSS_ROOM * sizeof(struct ktr_loss_count));
}

/* An answer without its attributes. */
static struct sk_buff *session_msg(struct genl_info *info, void **head)
{
	struct sk_buff *msg = genlmsg_new(ktr_nl_session_size(), GFP_KERNEL);

	*head = msg ? ktr_nl_reply_head(msg, info) : NULL;
	if (*head)
		return msg;
	nlmsg_free(msg);
	return NULL;
}

/* Sends @msg, or frees it. */
static int reply_session(struct genl_info *info, struct sk_buff *msg, void *head,
			 struct ktr_session *s)
{
	int ret = put_session(msg, s);

	if (!ret)
		return ktr_nl_send(msg, head, info);
	nlmsg_free(msg);
	return ret;
}

/* The counting that a new session is to do, if any. */
static int parse_summary(struct genl_info *info, struct ktr_session_opts *o)
{
	struct nlattr **a = info->attrs;
	u32 flags, slots = KTR_SUM_SLOTS_DEFAULT;

	if (a[KTR_A_SUM_SLOTS])
		slots = nla_get_u32(a[KTR_A_SUM_SLOTS]);
	if (!a[KTR_A_SUMMARY]) {
		if (!a[KTR_A_SUM_SLOTS])
			return 0;
		NL_SET_ERR_MSG_MOD(info->extack, "slots of a summary that is not asked for");
		return -EINVAL;
	}
	if (parse_flags(a[KTR_A_SUMMARY], KTR_SUM_F__ALL, &flags, info->extack))
		return -EOPNOTSUPP;
	o->summary = ktr_summary_new(flags, slots, o->channel.big, o->channel.user);
	return PTR_ERR_OR_ZERO(o->summary);
}

static int explain_new(int ret, bool plain, struct netlink_ext_ack *ack)
{
	if (ret == -EEXIST)
		NL_SET_ERR_MSG_MOD(ack, "a session of that name exists");
	else if (ret == -EDQUOT && plain)
		NL_SET_ERR_MSG_MOD(ack, "more memory than the sessions of plain users may take (parameter user_mib)");
	else if (ret == -EDQUOT)
		NL_SET_ERR_MSG_MOD(ack, "more memory than all sessions may take (parameter max_mib, and half of the machine's)");
	else if (ret == -EUSERS)
		NL_SET_ERR_MSG_MOD(ack, "as many sessions as plain users may have (parameter user_sessions)");
	else if (ret == -ENFILE)
		NL_SET_ERR_MSG_MOD(ack, "too many sessions");
	else if (ret == -EBUSY)
		NL_SET_ERR_MSG_MOD(ack, "the descriptor is bound already");
	else if (ret == -EBADF)
		NL_SET_ERR_MSG_MOD(ack, "not an open descriptor of /dev/ktracer");
	return ret;
}

/* A descriptor cannot be unbound: what can fail comes before it is bound. */
static int session_new(struct genl_info *info, struct ktr_session_opts *o)
{
	struct ktr_session *s;
	struct sk_buff *msg;
	void *head;
	int ret;

	ret = parse_new(info, o) ?: parse_summary(info, o);
	if (ret)
		return ret;
	ret = -ENOMEM;
	msg = session_msg(info, &head);
	if (!msg)
		goto err_free_summary;
	s = ktr_session_new(o);
	ret = PTR_ERR_OR_ZERO(s);
	if (ret)
		goto err_free_msg;
	o->summary = NULL;	/* the session's now */
	if (info->attrs[KTR_A_FD])
		ret = ktr_device_adopt(nla_get_u32(info->attrs[KTR_A_FD]), s);
	if (ret)
		goto err_end;
	ret = reply_session(info, msg, head, s);
	if (ret)
		ktr_session_end(s);
	ktr_session_put(s);
	return ret;

err_end:
	ktr_session_end(s);
	ktr_session_put(s);
err_free_msg:
	nlmsg_free(msg);
err_free_summary:
	ktr_summary_free(o->summary);
	return ret;
}

int ktr_nl_session_new(struct sk_buff *skb, struct genl_info *info)
{
	struct ktr_session_opts o = {};
	struct ktr_who who;
	int ret;

	ret = ktr_netlink_who(skb, &who, info->extack);
	if (ret)
		return ret;
	o.plain = !who.privileged;
	o.maker = (struct ktr_maker){ genl_info_net(info), info->snd_portid };
	if (o.plain)
		o.channel.user = ktr_user_get(who.cred);
	if (IS_ERR(o.channel.user))
		return PTR_ERR(o.channel.user);
	ret = session_new(info, &o);
	ktr_user_put(o.channel.user);
	/* Whoever uses the name again knows what became of the one before. */
	if (!ret && o.name)
		ktr_failures_drop(0, o.name, &who);
	return explain_new(ret, o.plain, info->extack);
}

int ktr_nl_session_del(struct sk_buff *skb, struct genl_info *info)
{
	struct ktr_session *s = ktr_netlink_session(skb, info->attrs, info->extack);
	bool told;
	int ret;

	if (IS_ERR(s))
		return PTR_ERR(s) == -ENOENT ? ktr_nl_drop_failure(skb, info) : PTR_ERR(s);
	told = ktr_session_has_failed(s);
	ret = ktr_session_end_killable(s);
	if (!ret && told)
		ktr_nl_drop_failure(skb, info);
	ktr_session_put(s);
	return ret;
}

static u64 get_u64(struct nlattr *attr)
{
	return attr ? nla_get_u64(attr) : 0;
}

/* @asked: kinds that are to be recorded, or not any more. */
static int check_kinds(const struct ktr_session *s, u64 asked, struct netlink_ext_ack *ack)
{
	if (asked & ~ktr_probes_kinds()) {
		NL_SET_ERR_MSG_MOD(ack, "no such kind of event");
		return -EOPNOTSUPP;
	}
	if (!(asked & ~ktr_session_kinds(s)))
		return 0;
	NL_SET_ERR_MSG_MOD(ack, "a kind of event that needs CAP_SYS_ADMIN or CAP_PERFMON");
	return -EPERM;
}

static int parse_stack(const struct ktr_session *s, const struct nlattr *attr,
		       struct ktr_session_change *c, struct netlink_ext_ack *ack)
{
	c->has_stack = attr;
	if (!attr)
		return 0;
	memcpy(&c->stack, nla_data(attr), sizeof(c->stack));
	return ktr_stack_check(&c->stack, s->cred, ack) ?: ktr_stack_prepare();
}

static int parse_change(const struct ktr_session *s, struct genl_info *info,
			struct ktr_session_change *c)
{
	struct nlattr **a = info->attrs;
	int ret;

	c->has_state = a[KTR_A_STATE];
	c->state = a[KTR_A_STATE] ? nla_get_u32(a[KTR_A_STATE]) : 0;
	c->has_events = a[KTR_A_EVENTS];
	c->events = get_u64(a[KTR_A_EVENTS]);
	c->events_add = get_u64(a[KTR_A_EVENTS_ADD]);
	c->events_del = get_u64(a[KTR_A_EVENTS_DEL]);
	c->has_signals = a[KTR_A_SIGNALS];
	c->signals = get_u64(a[KTR_A_SIGNALS]);
	c->signals_add = get_u64(a[KTR_A_SIGNALS_ADD]);
	c->signals_del = get_u64(a[KTR_A_SIGNALS_DEL]);
	c->has_label = a[KTR_A_LABEL];
	c->label = get_u64(a[KTR_A_LABEL]);
	c->saved = a[KTR_A_FILE_NAME] ? nla_data(a[KTR_A_FILE_NAME]) : NULL;
	c->drain = a[KTR_A_DRAIN] && nla_get_u32(a[KTR_A_DRAIN]);
	ret = check_kinds(s, c->events | c->events_add | c->events_del, info->extack) ?:
	      parse_stack(s, a[KTR_A_STACK], c, info->extack);
	if (ret)
		return ret;
	if (a[KTR_A_PATHS] && (!a[KTR_A_FILTER] || !nla_len(a[KTR_A_FILTER]))) {
		NL_SET_ERR_MSG_ATTR(info->extack, a[KTR_A_PATHS], "paths: no filter comes with them");
		return -EINVAL;
	}
	if (!a[KTR_A_FILTER])
		return 0;
	if (a[KTR_A_PATHS]) {
		c->paths = nla_data(a[KTR_A_PATHS]);
		c->paths_len = nla_len(a[KTR_A_PATHS]);
	}
	if (nla_len(a[KTR_A_FILTER]) % sizeof(struct ktr_pred)) {
		NL_SET_ERR_MSG_ATTR(info->extack, a[KTR_A_FILTER], "filter: an element is cut off");
		return -EINVAL;
	}
	c->has_filter = true;
	c->npreds = nla_len(a[KTR_A_FILTER]) / sizeof(struct ktr_pred);
	/* An attribute is aligned to 4 bytes, an element to 8. */
	c->preds = kmemdup(nla_data(a[KTR_A_FILTER]), nla_len(a[KTR_A_FILTER]), GFP_KERNEL);
	return c->preds || !c->npreds ? 0 : -ENOMEM;
}

int ktr_nl_session_set(struct sk_buff *skb, struct genl_info *info)
{
	struct ktr_session_change c = {};
	struct ktr_session *s;
	int ret;

	s = ktr_netlink_session(skb, info->attrs, info->extack);
	if (IS_ERR(s))
		return PTR_ERR(s);
	ret = parse_change(s, info, &c);
	if (!ret)
		ret = ktr_session_change(s, &c, info->extack);
	kfree(c.preds);
	ktr_session_put(s);
	return ret;
}

int ktr_nl_session_get(struct sk_buff *skb, struct genl_info *info)
{
	struct ktr_session *s;
	struct sk_buff *msg;
	void *head;
	int ret;

	s = ktr_netlink_session(skb, info->attrs, info->extack);
	if (IS_ERR(s))
		return PTR_ERR(s);
	msg = session_msg(info, &head);
	ret = msg ? reply_session(info, msg, head, s) : -ENOMEM;
	ktr_session_put(s);
	return ret;
}

/* Its message, or that of one that has failed and is no more; 1: there is none. */
static int dump_one(struct sk_buff *skb, struct netlink_callback *cb, const struct ktr_who *who)
{
	struct ktr_session *s = ktr_session_next(cb->args[0], who);
	struct ktr_failure_facts f = {};
	bool failed;
	void *head;
	int ret;

	/* After the sessions: one that leaves them is there already. */
	failed = ktr_failures_next(cb->args[0], who, &f) && (!s || f.id < s->id);
	if (!s && !failed)
		return 1;
	head = ktr_nl_dump_head(skb, cb, KTR_CMD_SESSION_GET);
	ret = !head ? -EMSGSIZE : failed ? ktr_nl_put_failure(skb, &f) : put_session(skb, s);
	if (!ret) {
		genlmsg_end(skb, head);
		cb->args[0] = (long)(failed ? f.id : s->id) + 1;
	} else if (head) {
		genlmsg_cancel(skb, head);
	}
	kfree(f.file);
	ktr_session_put(s);
	return ret;
}

/* cb->args[0]: number of the next session. */
int ktr_nl_session_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ktr_who who;
	int ret = ktr_netlink_who(cb->skb, &who, cb->extack);

	while (!ret)
		ret = dump_one(skb, cb, &who);
	return skb->len || ret > 0 ? skb->len : ret;
}
