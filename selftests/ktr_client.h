/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands to ktracer over raw generic netlink, for the tests. */
#ifndef _KTR_CLIENT_H
#define _KTR_CLIENT_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include "ktracer.h"

#define KTR_MSG_MAX	65536

struct ktr_client {
	int fd;
	__u16 family;
	__u32 notices;		/* number of the multicast group */
	__u32 seq;
	bool no_address;	/* send() instead of sendto(): the kernel tells them apart */
	char text[256];		/* of the last ack; empty: it had none */
};

/* A command under construction. */
struct ktr_msg {
	size_t len;
	union {
		struct nlmsghdr head;
		char buf[KTR_MSG_MAX];
	};
};

/* What came back: attributes by number, inside buf. */
struct ktr_answer {
	__u8 cmd;
	const struct nlattr *attr[KTR_A_MAX + 1];
	const struct nlattr *first;	/* KTR_A_CPU comes many times */
	size_t len;			/* bytes of attributes from first on */
	union {
		struct nlmsghdr head;
		char buf[KTR_MSG_MAX];
	};
};

/* All return 0 or -errno. -ENOENT from the first: the module is not loaded. */
int ktr_client_open(struct ktr_client *c);
void ktr_client_close(struct ktr_client *c);

void ktr_msg_init(struct ktr_msg *m, __u8 cmd);
void ktr_msg_put(struct ktr_msg *m, int attr, const void *data, size_t len);
void ktr_msg_u32(struct ktr_msg *m, int attr, __u32 val);
void ktr_msg_u64(struct ktr_msg *m, int attr, __u64 val);
void ktr_msg_str(struct ktr_msg *m, int attr, const char *val);

/* Send and wait for the ack; @answer may be NULL. */
int ktr_client_call(struct ktr_client *c, struct ktr_msg *m,
		    struct ktr_answer *answer);
/*
 * A field of KTR_CMD_INFO, asked by @c, or (NULL) by a socket of its own. All ones:
 * there is no answer.
 */
__u64 ktr_info_u64(struct ktr_client *c, int attr);
__u32 ktr_info_u32(struct ktr_client *c, int attr);
/* The same for a dump: @each sees every part; not 0 stops it (read on anyway). */
int ktr_client_dump(struct ktr_client *c, struct ktr_msg *m,
		    int (*each)(const struct ktr_answer *part, void *arg),
		    void *arg);
/*
 * Send without waiting; then wait for the ack, if it was asked for, or take in
 * one message if there is one.
 */
int ktr_client_send(struct ktr_client *c, struct ktr_msg *m);
int ktr_client_wait(struct ktr_client *c, struct ktr_answer *answer);
int ktr_client_receive(struct ktr_client *c, struct ktr_answer *answer);
/* Listen to the notices; ktr_client_receive() then brings them. */
int ktr_client_listen(struct ktr_client *c);

/* 0 or NULL if it is not there. */
__u32 ktr_answer_u32(const struct ktr_answer *a, int attr);
__u64 ktr_answer_u64(const struct ktr_answer *a, int attr);
const char *ktr_answer_str(const struct ktr_answer *a, int attr);
const void *ktr_attr_data(const struct nlattr *attr);
size_t ktr_attr_len(const struct nlattr *attr);
/* The next attribute of *len bytes at @attr; NULL: no more. */
const struct nlattr *ktr_attr_next(const struct nlattr *attr, size_t *len);

#endif
