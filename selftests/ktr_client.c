// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "ktr_client.h"

#define HEAD_LEN (NLMSG_HDRLEN + GENL_HDRLEN)

const void *ktr_attr_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

size_t ktr_attr_len(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

static bool attr_fits(const struct nlattr *attr, size_t len)
{
	return len >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN &&
	       attr->nla_len <= len;
}

const struct nlattr *ktr_attr_next(const struct nlattr *attr, size_t *len)
{
	size_t step = NLA_ALIGN(attr->nla_len);

	if (step >= *len)
		return NULL;
	*len -= step;
	attr = (const void *)((const char *)attr + step);
	return attr_fits(attr, *len) ? attr : NULL;
}

static void begin(struct ktr_msg *m, __u16 type, __u8 cmd, __u8 version)
{
	struct genlmsghdr genl = { .cmd = cmd, .version = version };

	memset(&m->head, 0, sizeof(m->head));
	m->head.nlmsg_type = type;
	memcpy(m->buf + NLMSG_HDRLEN, &genl, sizeof(genl));
	m->len = HEAD_LEN;
}

void ktr_msg_init(struct ktr_msg *m, __u8 cmd)
{
	/* The family's number is filled in when it is sent. */
	begin(m, 0, cmd, KTR_GENL_VERSION);
}

void ktr_msg_put(struct ktr_msg *m, int attr, const void *data, size_t len)
{
	struct nlattr head = { .nla_type = attr, .nla_len = NLA_HDRLEN + len };
	size_t room = NLA_ALIGN(head.nla_len);

	if (len > KTR_MSG_MAX - 64 || m->len + room > sizeof(m->buf)) {
		m->len = sizeof(m->buf) + 1;	/* told when it is sent */
		return;
	}
	memset(m->buf + m->len, 0, room);
	memcpy(m->buf + m->len, &head, sizeof(head));
	if (len)
		memcpy(m->buf + m->len + NLA_HDRLEN, data, len);
	m->len += room;
}

void ktr_msg_u32(struct ktr_msg *m, int attr, __u32 val)
{
	ktr_msg_put(m, attr, &val, sizeof(val));
}

void ktr_msg_u64(struct ktr_msg *m, int attr, __u64 val)
{
	ktr_msg_put(m, attr, &val, sizeof(val));
}

void ktr_msg_str(struct ktr_msg *m, int attr, const char *val)
{
	ktr_msg_put(m, attr, val, strlen(val) + 1);
}

__u32 ktr_answer_u32(const struct ktr_answer *a, int attr)
{
	__u32 val = 0;

	if (a->attr[attr] && ktr_attr_len(a->attr[attr]) == sizeof(val))
		memcpy(&val, ktr_attr_data(a->attr[attr]), sizeof(val));
	return val;
}

__u64 ktr_answer_u64(const struct ktr_answer *a, int attr)
{
	__u64 val = 0;

	if (a->attr[attr] && ktr_attr_len(a->attr[attr]) == sizeof(val))
		memcpy(&val, ktr_attr_data(a->attr[attr]), sizeof(val));
	return val;
}

const char *ktr_answer_str(const struct ktr_answer *a, int attr)
{
	return a->attr[attr] ? ktr_attr_data(a->attr[attr]) : NULL;
}

/* Attributes of the message at @nlh, behind @skip bytes of it. */
static void parse(const struct nlmsghdr *nlh, size_t skip, struct ktr_answer *a)
{
	const struct nlattr *attr = (const void *)((const char *)nlh + skip);
	size_t len = nlh->nlmsg_len > skip ? nlh->nlmsg_len - skip : 0;

	memset(a->attr, 0, sizeof(a->attr));
	a->first = NULL;
	a->len = 0;
	if (!attr_fits(attr, len))
		return;
	a->first = attr;
	a->len = len;
	for (; attr; attr = ktr_attr_next(attr, &len)) {
		int type = attr->nla_type & NLA_TYPE_MASK;

		if (type <= KTR_A_MAX)
			a->attr[type] = attr;
	}
}

/* The words that come with an ack, into c->text. */
static void parse_text(struct ktr_client *c, const struct nlmsghdr *nlh,
		       const struct nlmsgerr *err)
{
	const struct nlattr *attr;
	size_t skip = NLMSG_HDRLEN + sizeof(*err), len;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (nlh->nlmsg_len <= skip)
		return;
	attr = (const void *)((const char *)nlh + skip);
	len = nlh->nlmsg_len - skip;
	if (!attr_fits(attr, len))
		return;
	for (; attr; attr = ktr_attr_next(attr, &len))
		if ((attr->nla_type & NLA_TYPE_MASK) == NLMSGERR_ATTR_MSG)
			strncpy(c->text, ktr_attr_data(attr),
				sizeof(c->text) - 1);
}

int ktr_client_send(struct ktr_client *c, struct ktr_msg *m)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	socklen_t len = c->no_address ? 0 : sizeof(to);

	if (m->len > sizeof(m->buf))
		return -EMSGSIZE;
	if (!m->head.nlmsg_type)
		m->head.nlmsg_type = c->family;
	m->head.nlmsg_len = m->len;
	m->head.nlmsg_flags |= NLM_F_REQUEST;
	m->head.nlmsg_seq = ++c->seq;
	if (sendto(c->fd, m->buf, m->len, 0, len ? (void *)&to : NULL, len) < 0)
		return -errno;
	return 0;
}

/*
 * Go through the messages of one datagram. Return: 1 there is more to come, 0
 * or -errno as the ack says.
 */
static int datagram(struct ktr_client *c, struct ktr_answer *a, ssize_t got,
		    int (*each)(const struct ktr_answer *part, void *arg),
		    void *arg)
{
	const struct nlmsghdr *nlh = &a->head;
	int left = got;

	for (; NLMSG_OK(nlh, left); nlh = NLMSG_NEXT(nlh, left)) {
		const struct nlmsgerr *err = NLMSG_DATA(nlh);

		if (nlh->nlmsg_seq != c->seq)
			continue;
		if (nlh->nlmsg_type == NLMSG_DONE)
			return *(const int *)err;
		if (nlh->nlmsg_type == NLMSG_ERROR) {
			parse_text(c, nlh, err);
			return err->error;
		}
		a->cmd = ((const struct genlmsghdr *)err)->cmd;
		parse(nlh, HEAD_LEN, a);
		if (each && each(a, arg))
			each = NULL;
	}
	return 1;
}

/* @each may make calls of its own: the room for what comes is not shared. */
static int receive_all(struct ktr_client *c, struct ktr_answer *a,
		       struct ktr_answer *scrap,
		       int (*each)(const struct ktr_answer *part, void *arg),
		       void *arg)
{
	struct ktr_answer *to = a ?: scrap;
	int ret;

	do {
		ssize_t got = recv(c->fd, to->buf, sizeof(to->buf), 0);

		ret = 1;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		ret = datagram(c, to, got, each, arg);
		/* The last one holds the ack alone and must not spoil the answer. */
		if (a && a->first)
			to = scrap;
	} while (ret > 0);
	return ret;
}

static int wait_for_end(struct ktr_client *c, struct ktr_answer *a,
			int (*each)(const struct ktr_answer *part, void *arg),
			void *arg)
{
	struct ktr_answer *scrap = malloc(sizeof(*scrap));
	int ret;

	if (!scrap)
		return -ENOMEM;
	c->text[0] = 0;
	if (a) {
		memset(a->attr, 0, sizeof(a->attr));
		a->first = NULL;
	}
	ret = receive_all(c, a, scrap, each, arg);
	free(scrap);
	return ret;
}

int ktr_client_wait(struct ktr_client *c, struct ktr_answer *answer)
{
	return wait_for_end(c, answer, NULL, NULL);
}

int ktr_client_call(struct ktr_client *c, struct ktr_msg *m,
		    struct ktr_answer *answer)
{
	m->head.nlmsg_flags = NLM_F_ACK;
	return ktr_client_send(c, m) ?: ktr_client_wait(c, answer);
}

int ktr_client_dump(struct ktr_client *c, struct ktr_msg *m,
		    int (*each)(const struct ktr_answer *part, void *arg),
		    void *arg)
{
	m->head.nlmsg_flags = NLM_F_DUMP;
	return ktr_client_send(c, m) ?: wait_for_end(c, NULL, each, arg);
}

int ktr_client_receive(struct ktr_client *c, struct ktr_answer *answer)
{
	ssize_t got = recv(c->fd, answer->buf, sizeof(answer->buf),
			   MSG_DONTWAIT);
	const struct genlmsghdr *genl = NLMSG_DATA(&answer->head);

	if (got < 0)
		return -errno;
	if (got < (ssize_t)HEAD_LEN || answer->head.nlmsg_len > got)
		return -EBADMSG;
	answer->cmd = answer->head.nlmsg_type == c->family ? genl->cmd : 0;
	parse(&answer->head, HEAD_LEN, answer);
	return 0;
}

/* The only group's number: attributes inside attributes, three deep. */
static __u32 group_of(const struct nlattr *groups)
{
	const struct nlattr *one = ktr_attr_data(groups), *attr;
	size_t len = ktr_attr_len(groups), inner;

	if (!attr_fits(one, len))
		return 0;
	attr = ktr_attr_data(one);
	inner = ktr_attr_len(one);
	for (; attr; attr = ktr_attr_next(attr, &inner))
		if (attr->nla_type == CTRL_ATTR_MCAST_GRP_ID)
			return *(const __u32 *)ktr_attr_data(attr);
	return 0;
}

static int resolve(struct ktr_client *c)
{
	static __thread struct ktr_answer a;
	struct ktr_msg m;
	int ret;

	begin(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	ktr_msg_str(&m, CTRL_ATTR_FAMILY_NAME, KTR_GENL_NAME);
	ret = ktr_client_call(c, &m, &a);
	if (ret)
		return ret;
	if (!a.attr[CTRL_ATTR_FAMILY_ID] || !a.attr[CTRL_ATTR_MCAST_GROUPS])
		return -EBADMSG;
	c->family = *(const __u16 *)ktr_attr_data(a.attr[CTRL_ATTR_FAMILY_ID]);
	c->notices = group_of(a.attr[CTRL_ATTR_MCAST_GROUPS]);
	return c->notices ? 0 : -EBADMSG;
}

int ktr_client_open(struct ktr_client *c)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int one = 1, ret;

	memset(c, 0, sizeof(*c));
	c->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (c->fd < 0)
		return -errno;
	ret = -EINVAL;
	if (bind(c->fd, (void *)&addr, sizeof(addr)) ||
	    setsockopt(c->fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)))
		goto err_close;
	ret = resolve(c);
	if (ret)
		goto err_close;
	return 0;

err_close:
	ktr_client_close(c);
	return ret;
}

int ktr_client_listen(struct ktr_client *c)
{
	if (setsockopt(c->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &c->notices,
		       sizeof(c->notices)))
		return -errno;
	return 0;
}

void ktr_client_close(struct ktr_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static int info(struct ktr_client *c, struct ktr_answer *a)
{
	struct ktr_client own;
	struct ktr_msg m;
	int ret;

	ktr_msg_init(&m, KTR_CMD_INFO);
	if (c)
		return ktr_client_call(c, &m, a);
	ret = ktr_client_open(&own);
	if (ret)
		return ret;
	ret = ktr_client_call(&own, &m, a);
	ktr_client_close(&own);
	return ret;
}

__u64 ktr_info_u64(struct ktr_client *c, int attr)
{
	struct ktr_answer a;

	return info(c, &a) ? ~0ULL : ktr_answer_u64(&a, attr);
}

__u32 ktr_info_u32(struct ktr_client *c, int attr)
{
	struct ktr_answer a;

	return info(c, &a) ? ~0U : ktr_answer_u32(&a, attr);
}
