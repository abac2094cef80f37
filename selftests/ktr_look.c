// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "ktr_look.h"
#include "ktr_wait.h"

/* Of KTR_CMD_SESSION_GET. */
static const struct {
	const char *name;
	int attr;
} fact[KTR_FACTS] = {
	[KTR_SESSIONS]	= { "sessions" },
	[KTR_USED]	= { "bytes used" },
	[KTR_NARROW]	= { "narrow state" },
	[KTR_HOOKS]	= { "functions hooked" },
	[KTR_LISTS]	= { "targets, rows and functions" },
	[KTR_FACTS_OF_SESSION] = { "state", KTR_A_STATE },
	{ "events", KTR_A_EVENTS },
	{ "signals", KTR_A_SIGNALS },
	{ "probes", KTR_A_PROBES },
	{ "targets", KTR_A_NTARGETS },
	{ "rows", KTR_A_NSYSCALLS },
	{ "functions", KTR_A_NFUNCS },
	{ "filter", KTR_A_FILTER_LEN },
	{ "reader", KTR_A_READER },
	{ "bytes", KTR_A_TOTAL_BYTES },
};

/* An attribute of 4 or 8 bytes. */
static __u64 number(const struct nlattr *attr)
{
	size_t len = attr ? ktr_attr_len(attr) : 0;
	__u64 val = 0;

	if (len && len <= sizeof(val))
		memcpy(&val, ktr_attr_data(attr), len);
	return val;
}

static int look_at_session(const struct ktr_answer *part, void *arg)
{
	struct ktr_look *l = arg;
	int i;

	l->fact[KTR_SESSIONS]++;
	for (i = KTR_FACTS_OF_SESSION; i < KTR_FACTS; i++)
		l->fact[i] = number(part->attr[fact[i].attr]);
	return 0;
}

static __u64 hash(__u64 sum, const void *data, size_t len)
{
	const unsigned char *c = data;

	while (len--)
		sum = (sum ^ *c++) * 0x100000001b3ULL;
	return sum;
}

/* Parts of a list add up in any order; addresses too. */
static int look_at_list(const struct ktr_answer *part, void *arg)
{
	static const int attrs[] = { KTR_A_TARGET_ID, KTR_A_FLAGS, KTR_A_ROWS };
	const struct nlattr *addrs = part->attr[KTR_A_ADDRS];
	struct ktr_look *l = arg;
	size_t i;

	for (i = 0; i < 3; i++) {
		const struct nlattr *a = part->attr[attrs[i]];

		if (a)
			l->fact[KTR_LISTS] += hash(attrs[i], ktr_attr_data(a),
						   ktr_attr_len(a));
	}
	for (i = 0; addrs && i < ktr_attr_len(addrs) / 8; i++)
		l->fact[KTR_LISTS] += hash(KTR_A_ADDRS,
			(const char *)ktr_attr_data(addrs) + 8 * i, 8);
	return 0;
}

static int look_at_lists(struct ktr_client *c, const char *name,
			 struct ktr_look *l)
{
	static const __u8 lists[] = { KTR_CMD_TARGET_GET, KTR_CMD_SYSCALL_GET,
				      KTR_CMD_FUNC_GET };
	struct ktr_msg m;
	int ret = 0, i;

	for (i = 0; !ret && i < 3; i++) {
		ktr_msg_init(&m, lists[i]);
		ktr_msg_str(&m, KTR_A_NAME, name);
		ret = ktr_client_dump(c, &m, look_at_list, l);
	}
	return ret == -ENOENT ? 0 : ret;
}

__u64 ktr_look_hooks(void)
{
	FILE *f = fopen("/sys/kernel/tracing/enabled_functions", "re");
	char line[512];
	__u64 n = 0;

	while (f && fgets(line, sizeof(line), f))
		n++;
	if (f)
		fclose(f);
	return n;
}

int ktr_look(struct ktr_client *c, const char *name, struct ktr_look *l)
{
	struct ktr_answer a;
	struct ktr_msg m;
	int ret;

	memset(l, 0, sizeof(*l));
	ktr_msg_init(&m, KTR_CMD_INFO);
	ret = ktr_client_call(c, &m, &a);
	l->fact[KTR_USED] = number(a.attr[KTR_A_USED_BYTES]);
	l->fact[KTR_NARROW] = number(a.attr[KTR_A_NARROW]);
	l->fact[KTR_HOOKS] = ktr_look_hooks();
	ktr_msg_init(&m, KTR_CMD_SESSION_GET);
	ret = ret ?: ktr_client_dump(c, &m, look_at_session, l);
	return ret ?: look_at_lists(c, name, l);
}

bool ktr_look_same(const struct ktr_look *a, const struct ktr_look *b)
{
	return !memcmp(a, b, sizeof(*a));
}

bool ktr_look_becomes(struct ktr_client *c, const char *name,
		      const struct ktr_look *want)
{
	struct ktr_look now;
	int i;

	if (ktr_wait_for(!ktr_look(c, name, &now) && ktr_look_same(&now, want)))
		return true;
	for (i = 0; i < KTR_FACTS; i++)
		if (now.fact[i] != want->fact[i])
			fprintf(stderr, "# %s: %llu, not %llu\n", fact[i].name,
				now.fact[i], want->fact[i]);
	return false;
}
