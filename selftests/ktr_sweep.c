// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "ktr_sweep.h"
#include "ktr_wait.h"

#define say(fmt, ...)	fprintf(stderr, "# " fmt "\n", ##__VA_ARGS__)

int ktr_sweep_open(struct ktr_sweep *w, const char *session, void *arg)
{
	struct timeval patience = { .tv_sec = 120 };
	int ret = ktr_fault_open(&w->nth);

	w->session = session;
	w->arg = arg;
	w->client.fd = -1;
	if (ret)
		return ret;
	ret = ktr_client_open(&w->client);
	if (ret)
		return ret;
	/* No answer at all is an answer too. */
	return setsockopt(w->client.fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
			  sizeof(patience)) ? -errno : 0;
}

void ktr_sweep_close(struct ktr_sweep *w)
{
	ktr_client_close(&w->client);
	ktr_fault_close(&w->nth);
}

int ktr_sweep_next(int n)
{
	return n + (n < 20 ? 1 : 1000 / ktr_scaled(1000));
}

/* Try it while the @n-th allocation fails. *hit: one has. */
static int once(struct ktr_sweep *w, const struct ktr_operation *op, int n,
		bool *hit)
{
	int ret = op->ready ? op->ready(w->arg) : 0, fault;
	static struct ktr_msg m;

	*hit = false;
	if (ret)
		return ret;
	if (op->put) {
		op->put(w->arg, &m);
		m.head.nlmsg_flags = NLM_F_ACK;
	}
	ret = ktr_fault_arm(&w->nth, n);
	if (ret)
		return ret;
	ret = op->put ? ktr_client_send(&w->client, &m) : op->call(w->arg);
	fault = ktr_fault_disarm(&w->nth);
	if (!ret && op->put)
		ret = ktr_client_wait(&w->client, NULL);
	*hit = fault == 1;
	return fault < 0 ? fault : ret;
}

static bool is_shortage(int ret)
{
	return ret == -ENOMEM || ret == -ENOBUFS || ret == -EFAULT;
}

static int undo(struct ktr_sweep *w, const struct ktr_operation *op,
		const struct ktr_look *before)
{
	int ret = op->undo ? op->undo(w->arg) : 0;

	if (ret)
		return ret;
	return ktr_look_becomes(&w->client, w->session, before) ? 0 : -EILSEQ;
}

/*
 * What a try that ended with @ret has left behind. One that ended with ENOBUFS
 * may have been done, only the ack failed; but nothing lies between.
 */
static int judge(struct ktr_sweep *w, const struct ktr_operation *op, int ret,
		 const struct ktr_look *before, const struct ktr_look *after)
{
	struct ktr_look now;

	if (ret && ret != op->also && !is_shortage(ret))
		return ret;
	if (ret == -ENOBUFS && !op->unseen &&
	    !ktr_look(&w->client, w->session, &now) && ktr_look_same(&now, after))
		ret = 0;
	if (!ktr_look_becomes(&w->client, w->session, ret ? before : after))
		return -EILSEQ;
	return ret ? 0 : undo(w, op, before);
}

/* It works, and what it does shows; and can be undone. */
static int without(struct ktr_sweep *w, const struct ktr_operation *op,
		   struct ktr_look *before, struct ktr_look *after)
{
	bool hit;
	int ret = ktr_look(&w->client, w->session, before) ?:
		  once(w, op, 0, &hit) ?:
		  ktr_look(&w->client, w->session, after);

	if (ret)
		return ret;
	if (op->unseen != ktr_look_same(before, after))
		return -ENOMSG;
	return undo(w, op, before);
}

int ktr_sweep(struct ktr_sweep *w, const struct ktr_operation *op)
{
	struct ktr_look before, after;
	int n = 0, ret, bad, tries = 0, failed = 0;
	bool hit;

	bad = without(w, op, &before, &after);
	for (hit = true; !bad && hit; tries++) {
		n = ktr_sweep_next(n);
		ret = once(w, op, n, &hit);
		failed += ret != 0;
		bad = judge(w, op, ret, &before, &after);
	}
	if (!bad && (ret || !failed))
		bad = ret ?: -ENOMSG;
	if (bad)
		say("%s: at the %d-th: %s", op->name, n, strerror(-bad));
	else
		say("%s: up to the %d-th: %d tries, %d failed", op->name, n - 1,
		    tries, failed);
	return bad;
}
