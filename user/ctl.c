// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generic netlink to the module. One request at a time: build, send, receive
 * until the acknowledgement. Answers go through a parse callback into plain
 * structs; the kernel's words of refusal are kept for the user.
 */
#include <errno.h>
#include <limits.h>
#include <netlink/genl/ctrl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "ctl_wire.h"
#include "ktracer_file.h"

#define BUFFER	(256 << 10)	/* bytes of a socket, each way */

struct ctl {
	struct nl_sock *sk;
	int family;
	char reason[256];
	bool plain;		/* as ctl_info() told last */
};

/* One exchange: what to do with answers, and how it ended. */
struct exchange {
	struct ctl *ctl;
	ctl_parse_fn parse;
	void *arg;
	int err;
	bool done;
};

static int from_nl(int nle)
{
	switch (nle < 0 ? -nle : nle) {
	case 0:
		return 0;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_MSGSIZE:
	case NLE_MSG_OVERFLOW:
		return -EMSGSIZE;
	case NLE_AGAIN:
		return -EAGAIN;
	default:
		return -EIO;
	}
}

int ctl_open(struct ctl **out)
{
	struct ctl *ctl = calloc(1, sizeof(*ctl));
	int err, one = 1;

	if (!ctl)
		return -ENOMEM;
	ctl->sk = nl_socket_alloc();
	if (!ctl->sk) {
		free(ctl);
		return -ENOMEM;
	}
	errno = 0;
	err = from_nl(genl_connect(ctl->sk));
	/* libnl has no word for a lack of descriptors. */
	if (err == -EIO && (errno == EMFILE || errno == ENFILE))
		err = -errno;
	if (err)
		goto err_free;
	/* The kernel drops what finds no room, and the longest answers take 64 KiB each. */
	nl_socket_set_buffer_size(ctl->sk, BUFFER, BUFFER);
	/* Words of refusal; a kernel that cannot give them still works. */
	setsockopt(nl_socket_get_fd(ctl->sk), SOL_NETLINK, NETLINK_EXT_ACK,
		   &one, sizeof(one));
	setsockopt(nl_socket_get_fd(ctl->sk), SOL_NETLINK, NETLINK_CAP_ACK,
		   &one, sizeof(one));
	nl_socket_enable_msg_peek(ctl->sk);
	nl_socket_disable_seq_check(ctl->sk);
	ctl->family = genl_ctrl_resolve(ctl->sk, KTR_GENL_NAME);
	if (ctl->family < 0) {
		err = from_nl(ctl->family);
		goto err_free;
	}
	*out = ctl;
	return 0;

err_free:
	ctl_close(ctl);
	return err;
}

void ctl_close(struct ctl *ctl)
{
	if (!ctl)
		return;
	nl_socket_free(ctl->sk);
	free(ctl);
}

const char *ctl_reason(const struct ctl *ctl)
{
	return ctl->reason;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;
	struct nlattr *tb[KTR_A_MAX + 1];
	int err;

	if (!x->parse || x->err)
		return NL_OK;
	err = genlmsg_parse(nlmsg_hdr(msg), 0, tb, KTR_A_MAX, NULL);
	x->err = err < 0 ? -EBADMSG : x->parse(nlmsg_hdr(msg), tb, x->arg);
	return NL_OK;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	(void)msg;
	((struct exchange *)arg)->done = true;
	return NL_STOP;
}

/* The end of a dump carries its error. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;
	struct nlmsghdr *h = nlmsg_hdr(msg);

	if (nlmsg_datalen(h) >= (int)sizeof(int) && !x->err)
		x->err = *(int *)nlmsg_data(h);
	x->done = true;
	return NL_STOP;
}

/* Find the text among the attributes behind the error. */
static void keep_reason(struct ctl *ctl, struct nlmsgerr *e)
{
	struct nlmsghdr *h = (struct nlmsghdr *)((char *)e - NLMSG_HDRLEN);
	int skip = sizeof(*e);
	struct nlattr *a;
	int rem;

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
	skip = NLMSG_ALIGN(skip);
	rem = (int)h->nlmsg_len - NLMSG_HDRLEN - skip;
	if (rem <= 0)
		return;
	nla_for_each_attr(a, (struct nlattr *)((char *)e + skip), rem, rem)
		if (nla_type(a) == NLMSGERR_ATTR_MSG)
			nla_strlcpy(ctl->reason, a, sizeof(ctl->reason));
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct exchange *x = arg;

	(void)from;
	x->err = e->error;
	x->done = true;
	keep_reason(x->ctl, e);
	return NL_STOP;
}

struct nl_msg *ctl_request(struct ctl *ctl, int cmd, int flags, size_t room)
{
	struct nl_msg *msg = nlmsg_alloc_size(room + 512);

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, ctl->family, 0,
				flags, cmd, KTR_GENL_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

/*
 * Something was lost. What is left would be taken for the answer to the next
 * request, and as long as the socket is full no other answer comes in.
 */
static void throw_away(struct ctl *ctl)
{
	int fd = nl_socket_get_fd(ctl->sk);
	char byte;

	while (recv(fd, &byte, 1, MSG_DONTWAIT) >= 0 || errno == ENOBUFS)
		;
}

/* Sends and frees the message. */
static int transact(struct ctl *ctl, struct nl_msg *msg, ctl_parse_fn parse,
		    void *arg)
{
	struct exchange x = { .ctl = ctl, .parse = parse, .arg = arg };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err;

	ctl->reason[0] = '\0';
	if (!cb) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, &x);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, &x);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, &x);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, &x);
	err = nl_send_auto(ctl->sk, msg);
	nlmsg_free(msg);
	while (err >= 0 && !x.done)
		err = nl_recvmsgs(ctl->sk, cb);
	nl_cb_put(cb);
	if (!x.done)
		throw_away(ctl);
	if (x.err)
		return x.err;
	return x.done ? 0 : from_nl(err);
}

int ctl_put_ref(struct nl_msg *msg, struct ctl_ref ref)
{
	if (ref.name)
		return nla_put_string(msg, KTR_A_NAME, ref.name);
	return nla_put_u32(msg, KTR_A_SESSION, ref.id);
}

int ctl_finish(struct ctl *ctl, struct nl_msg *msg, int puterr,
	       ctl_parse_fn parse, void *arg)
{
	if (puterr) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return transact(ctl, msg, parse, arg);
}

uint32_t ctl_u32(struct nlattr **tb, int a)
{
	return tb[a] && nla_len(tb[a]) >= 4 ? nla_get_u32(tb[a]) : 0;
}

uint64_t ctl_u64(struct nlattr **tb, int a)
{
	return tb[a] && nla_len(tb[a]) >= 8 ? nla_get_u64(tb[a]) : 0;
}

void ctl_str(struct nlattr **tb, int a, char *dst, size_t size)
{
	dst[0] = '\0';
	if (tb[a])
		nla_strlcpy(dst, tb[a], size);
}

static int parse_info(struct nlmsghdr *h, struct nlattr **tb, void *arg)
{
	struct ctl_info *info = arg;

	(void)h;
	info->version = ctl_u32(tb, KTR_A_VERSION);
	ctl_str(tb, KTR_A_RELEASE, info->release, sizeof(info->release));
	info->events = ctl_u64(tb, KTR_A_EVENTS);
	info->max_bytes = ctl_u64(tb, KTR_A_MAX_BYTES);
	info->used_bytes = ctl_u64(tb, KTR_A_USED_BYTES);
	info->genio_size = ctl_u32(tb, KTR_A_GENIO_SIZE);
	info->request_pool = ctl_u32(tb, KTR_A_REQUEST_POOL);
	info->narrow = ctl_u32(tb, KTR_A_NARROW);
	info->ncpus = ctl_u32(tb, KTR_A_NCPUS);
	info->privileged = ctl_u32(tb, KTR_A_PRIVILEGED);
	return 0;
}

int ctl_info(struct ctl *ctl, struct ctl_info *info)
{
	struct nl_msg *msg = ctl_request(ctl, KTR_CMD_INFO, NLM_F_ACK, 0);
	int err = msg ? 0 : -ENOMEM;

	memset(info, 0, sizeof(*info));
	if (!err)
		err = transact(ctl, msg, parse_info, info);
	ctl->plain = !err && !info->privileged;
	return err;
}

bool ctl_plain(const struct ctl *ctl)
{
	return ctl->plain;
}

static int parse_cpu(struct nlattr *nest, struct ctl_session *s)
{
	struct nlattr *tb[KTR_A_MAX + 1];
	struct ctl_cpu *c;

	if (nla_parse_nested(tb, KTR_A_MAX, nest, NULL) < 0)
		return -EBADMSG;
	c = realloc(s->cpu, (s->ncpu + 1) * sizeof(*c));
	if (!c)
		return -ENOMEM;
	s->cpu = c;
	c += s->ncpu++;
	memset(c, 0, sizeof(*c));
	c->nr = ctl_u32(tb, KTR_A_CPU_NR);
	c->recorded = ctl_u64(tb, KTR_A_CPU_RECORDED);
	c->bytes = ctl_u64(tb, KTR_A_CPU_BYTES);
	c->unread = ctl_u64(tb, KTR_A_CPU_UNREAD);
	c->evicted = ctl_u64(tb, KTR_A_CPU_EVICTED);
	if (!tb[KTR_A_LOSS] || nla_len(tb[KTR_A_LOSS]) < (int)sizeof(*c->loss))
		return 0;
	c->nloss = nla_len(tb[KTR_A_LOSS]) / sizeof(*c->loss);
	c->loss = malloc(c->nloss * sizeof(*c->loss));
	if (!c->loss) {
		c->nloss = 0;
		return -ENOMEM;
	}
	memcpy(c->loss, nla_data(tb[KTR_A_LOSS]), c->nloss * sizeof(*c->loss));
	return 0;
}

static void parse_facts(struct nlattr **tb, struct ctl_session *s)
{
	s->id = ctl_u32(tb, KTR_A_SESSION);
	ctl_str(tb, KTR_A_NAME, s->name, sizeof(s->name));
	s->state = ctl_u32(tb, KTR_A_STATE);
	s->mode = ctl_u32(tb, KTR_A_MODE);
	s->buf_size = ctl_u64(tb, KTR_A_BUF_SIZE);
	s->ctl_size = ctl_u64(tb, KTR_A_CTL_SIZE);
	s->watermark = ctl_u64(tb, KTR_A_WATERMARK);
	s->flush_ms = ctl_u32(tb, KTR_A_FLUSH_MS);
	s->flags = ctl_u32(tb, KTR_A_FLAGS);
	s->ncpus = ctl_u32(tb, KTR_A_NCPUS);
	s->total_bytes = ctl_u64(tb, KTR_A_TOTAL_BYTES);
	s->events = ctl_u64(tb, KTR_A_EVENTS);
	s->signals = ctl_u64(tb, KTR_A_SIGNALS);
	s->generation = ctl_u32(tb, KTR_A_GENERATION);
	s->owner = ctl_u32(tb, KTR_A_OWNER);
	s->plain = !ctl_u32(tb, KTR_A_PRIVILEGED);
	s->ntargets = ctl_u32(tb, KTR_A_NTARGETS);
	s->nsyscalls = ctl_u32(tb, KTR_A_NSYSCALLS);
	s->nfuncs = ctl_u32(tb, KTR_A_NFUNCS);
	s->nrets = ctl_u32(tb, KTR_A_NRETS);
	s->rets_missed = ctl_u64(tb, KTR_A_RETS_MISSED);
	s->rets_inside = ctl_u64(tb, KTR_A_RETS_INSIDE);
	s->hooks_missed = ctl_u64(tb, KTR_A_HOOKS_MISSED);
	s->ngraphs = ctl_u32(tb, KTR_A_NGRAPHS);
	s->nwaits = ctl_u32(tb, KTR_A_NWAITS);
	s->nbelow = ctl_u32(tb, KTR_A_NBELOW);
	s->graph_missed = ctl_u64(tb, KTR_A_GRAPH_MISSED);
	s->filter_len = ctl_u32(tb, KTR_A_FILTER_LEN);
	s->reader = ctl_u32(tb, KTR_A_READER);
	s->probes = ctl_u64(tb, KTR_A_PROBES);
	s->not_followed = ctl_u64(tb, KTR_A_NOT_FOLLOWED);
	s->refused = ctl_u64(tb, KTR_A_REFUSED);
	s->counts = tb[KTR_A_SUMMARY];
	s->sum_missed = ctl_u64(tb, KTR_A_SUM_MISSED);
	s->label = ctl_u64(tb, KTR_A_LABEL);
	s->written = tb[KTR_A_FILE_BYTES];
	s->file_bytes = ctl_u64(tb, KTR_A_FILE_BYTES);
	s->file_error = ctl_u32(tb, KTR_A_FILE_ERROR);
	s->file_missing = ctl_u64(tb, KTR_A_FILE_MISSING);
	s->file_name = tb[KTR_A_FILE_NAME] ? nla_strdup(tb[KTR_A_FILE_NAME]) : NULL;
}

static int parse_session(struct nlmsghdr *h, struct nlattr **tb, void *arg)
{
	struct ctl_session *s = arg;
	struct nlattr *a;
	int rem, err;

	parse_facts(tb, s);
	/* One attribute per CPU: more than a table by type can hold. */
	nla_for_each_attr(a, genlmsg_attrdata(genlmsg_hdr(h), 0),
			  genlmsg_attrlen(genlmsg_hdr(h), 0), rem) {
		if (nla_type(a) != KTR_A_CPU)
			continue;
		err = parse_cpu(a, s);
		if (err)
			return err;
	}
	return 0;
}

static int put_new(struct nl_msg *msg, const struct ctl_new *n)
{
	int err = nla_put_u32(msg, KTR_A_MODE, n->mode);

	if (n->name)
		err |= nla_put_string(msg, KTR_A_NAME, n->name);
	else
		err |= nla_put_u32(msg, KTR_A_FD, n->fd);
	if (n->buf_size)
		err |= nla_put_u64(msg, KTR_A_BUF_SIZE, n->buf_size);
	if (n->ctl_size)
		err |= nla_put_u64(msg, KTR_A_CTL_SIZE, n->ctl_size);
	if (n->watermark)
		err |= nla_put_u64(msg, KTR_A_WATERMARK, n->watermark);
	if (n->flush_ms)
		err |= nla_put_u32(msg, KTR_A_FLUSH_MS, n->flush_ms);
	if (n->flags)
		err |= nla_put_u32(msg, KTR_A_FLAGS, n->flags);
	if (n->count)
		err |= nla_put_u32(msg, KTR_A_SUMMARY, n->sum_flags);
	if (n->sum_slots)
		err |= nla_put_u32(msg, KTR_A_SUM_SLOTS, n->sum_slots);
	return err;
}

int ctl_session_new(struct ctl *ctl, const struct ctl_new *n,
		    struct ctl_session *s)
{
	struct nl_msg *msg = ctl_request(ctl, KTR_CMD_SESSION_NEW, NLM_F_ACK, 0);

	memset(s, 0, sizeof(*s));
	if (!msg)
		return -ENOMEM;
	return ctl_finish(ctl, msg, put_new(msg, n), parse_session, s);
}

int ctl_simple(struct ctl *ctl, int cmd, int flags, struct ctl_ref ref,
	       ctl_parse_fn parse, void *arg)
{
	struct nl_msg *msg = ctl_request(ctl, cmd, flags, 0);

	if (!msg)
		return -ENOMEM;
	return ctl_finish(ctl, msg, ctl_put_ref(msg, ref), parse, arg);
}

int ctl_session_get(struct ctl *ctl, struct ctl_ref ref, struct ctl_session *s)
{
	memset(s, 0, sizeof(*s));
	return ctl_simple(ctl, KTR_CMD_SESSION_GET, NLM_F_ACK, ref, parse_session,
			  s);
}

void ctl_session_free(struct ctl_session *s)
{
	unsigned int i;

	for (i = 0; i < s->ncpu; i++)
		free(s->cpu[i].loss);
	free(s->cpu);
	free(s->file_name);
	s->file_name = NULL;
	s->cpu = NULL;
	s->ncpu = 0;
}

void *ctl_list_add(struct ctl_list *l, size_t count)
{
	char *p = realloc(l->p, (l->n + count) * l->size);

	if (!p)
		return NULL;
	l->p = p;
	p += l->n * l->size;
	memset(p, 0, count * l->size);
	l->n += count;
	return p;
}

/*
 * A session of very many CPUs may be told in several messages: parts with the
 * same number belong together.
 */
static int parse_session_list(struct nlmsghdr *h, struct nlattr **tb, void *arg)
{
	struct ctl_list *l = arg;
	struct ctl_session *s = (struct ctl_session *)l->p;

	if (l->n && s[l->n - 1].id == ctl_u32(tb, KTR_A_SESSION))
		s += l->n - 1;
	else
		s = ctl_list_add(l, 1);
	return s ? parse_session(h, tb, s) : -ENOMEM;
}

int ctl_session_list(struct ctl *ctl, struct ctl_session **out, size_t *n)
{
	struct ctl_list l = { .size = sizeof(struct ctl_session) };
	struct nl_msg *msg;
	int err;

	*out = NULL;
	*n = 0;
	msg = ctl_request(ctl, KTR_CMD_SESSION_GET, NLM_F_DUMP, 0);
	if (!msg)
		return -ENOMEM;
	err = transact(ctl, msg, parse_session_list, &l);
	*out = (struct ctl_session *)l.p;
	*n = l.n;
	if (err) {
		ctl_session_list_free(*out, *n);
		*out = NULL;
		*n = 0;
	}
	return err;
}

void ctl_session_list_free(struct ctl_session *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		ctl_session_free(&list[i]);
	free(list);
}

static int give_file(struct ctl *ctl, struct ctl_ref ref, int fd, uint32_t flags)
{
	struct nl_msg *msg = ctl_request(ctl, KTR_CMD_FILE, NLM_F_ACK, 0);

	if (!msg)
		return -ENOMEM;
	return ctl_finish(ctl, msg,
			  ctl_put_ref(msg, ref) ?: nla_put_u32(msg, KTR_A_FD, fd) ?:
			  nla_put_u32(msg, KTR_A_FLAGS, flags),
			  NULL, NULL);
}

int ctl_file_try(struct ctl *ctl, struct ctl_ref ref, int fd)
{
	return give_file(ctl, ref, fd, KTR_FILE_F_TRY);
}

int ctl_file(struct ctl *ctl, struct ctl_ref ref, int fd)
{
	return give_file(ctl, ref, fd, 0);
}

int ctl_session_del(struct ctl *ctl, struct ctl_ref ref)
{
	return ctl_simple(ctl, KTR_CMD_SESSION_DEL, NLM_F_ACK, ref, NULL, NULL);
}

static int put_set(struct nl_msg *msg, const struct ctl_set *s)
{
	int err = 0;

	if (s->set & CTL_SET_STATE)
		err |= nla_put_u32(msg, KTR_A_STATE, s->state);
	if (s->set & CTL_SET_EVENTS)
		err |= nla_put_u64(msg, KTR_A_EVENTS, s->events);
	if (s->set & CTL_SET_EVENTS_ADD)
		err |= nla_put_u64(msg, KTR_A_EVENTS_ADD, s->events_add);
	if (s->set & CTL_SET_EVENTS_DEL)
		err |= nla_put_u64(msg, KTR_A_EVENTS_DEL, s->events_del);
	if (s->set & CTL_SET_SIGNALS)
		err |= nla_put_u64(msg, KTR_A_SIGNALS, s->signals);
	if (s->set & CTL_SET_SIGNALS_ADD)
		err |= nla_put_u64(msg, KTR_A_SIGNALS_ADD, s->signals_add);
	if (s->set & CTL_SET_SIGNALS_DEL)
		err |= nla_put_u64(msg, KTR_A_SIGNALS_DEL, s->signals_del);
	if (s->set & CTL_SET_FILTER)
		err |= nla_put(msg, KTR_A_FILTER,
			       s->nfilter * sizeof(*s->filter), s->filter);
	if (s->set & CTL_SET_PATHS)
		err |= nla_put(msg, KTR_A_PATHS, s->paths_len, s->paths);
	if (s->set & CTL_SET_LABEL)
		err |= nla_put_u64(msg, KTR_A_LABEL, s->label);
	if (s->set & CTL_SET_STACK)
		err |= nla_put(msg, KTR_A_STACK, sizeof(s->stack), &s->stack);
	if (s->set & CTL_SET_SAVED)
		err |= nla_put_string(msg, KTR_A_FILE_NAME, s->saved);
	if (s->set & CTL_SET_DRAIN)
		err |= nla_put_u32(msg, KTR_A_DRAIN, 1);
	return err;
}

int ctl_session_set(struct ctl *ctl, struct ctl_ref ref,
		    const struct ctl_set *set)
{
	struct nl_msg *msg = ctl_request(ctl, KTR_CMD_SESSION_SET, NLM_F_ACK,
					 set->nfilter * sizeof(*set->filter) +
					 set->paths_len + PATH_MAX);

	if (!msg)
		return -ENOMEM;
	return ctl_finish(ctl, msg, ctl_put_ref(msg, ref) | put_set(msg, set), NULL,
			  NULL);
}
