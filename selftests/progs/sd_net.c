// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interfaces as ioctl asks for them and changes them, in a network of its own;
 * performance counters; options of sockets.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const unsigned long asks[] = {
	SIOCGIFFLAGS, SIOCGIFADDR, SIOCGIFDSTADDR, SIOCGIFBRDADDR,
	SIOCGIFNETMASK, SIOCGIFMETRIC, SIOCGIFMEM, SIOCGIFMTU, SIOCGIFHWADDR,
	SIOCGIFINDEX, SIOCGIFPFLAGS, SIOCGIFCOUNT, SIOCGIFTXQLEN, SIOCGIFMAP,
	SIOCGIFBR, SIOCGIFSLAVE, SIOCGIFENCAP, SIOCETHTOOL, SIOCGMIIPHY,
	SIOCGMIIREG, SIOCGARP, SIOCGRARP, SIOCATMARK, SIOCGPGRP, FIOGETOWN,
	SIOCINQ, SIOCOUTQ, SIOCOUTQNSD, SIOCGIFNAME,
};

static const unsigned long changes[] = {
	SIOCSIFNAME, SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFDSTADDR, SIOCSIFBRDADDR,
	SIOCSIFNETMASK, SIOCSIFMETRIC, SIOCSIFMEM, SIOCSIFMTU, SIOCSIFHWADDR,
	SIOCSIFHWBROADCAST, SIOCSIFMAP, SIOCSIFTXQLEN, SIOCSIFSLAVE,
	SIOCADDMULTI, SIOCDELMULTI, SIOCSIFLINK, SIOCSIFENCAP, SIOCSIFBR,
	SIOCSIFPFLAGS, SIOCBRADDIF, SIOCBRDELIF, SIOCDARP, SIOCDRARP,
	SIOCADDRT, SIOCDELRT, SIOCBRDELBR, SIOCSPGRP, SIOCDIFADDR,
	SIOCADDDLCI, SIOCDELDLCI, SIOCSARP, SIOCSRARP,
};

static void one(int s, unsigned long cmd, const char *name, int word)
{
	struct ifreq r;

	memset(&r, 0, sizeof(r));
	strcpy(r.ifr_name, name);
	r.ifr_ifindex = word;
	ioctl(s, cmd, &r);
}

static void interfaces(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct ifconf c;
	struct ifreq r[4];
	unsigned int i;

	for (i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		one(s, asks[i], "lo", 1);
		one(s, asks[i], "nosuch", 0x1234);
		ioctl(s, asks[i], NULL);
		ioctl(s, asks[i], 8);
	}
	memset(&c, 0, sizeof(c));
	ioctl(s, SIOCGIFCONF, &c);
	c.ifc_len = 10;
	c.ifc_req = r;
	ioctl(s, SIOCGIFCONF, &c);
	c.ifc_len = 100;
	ioctl(-1, SIOCGIFCONF, &c);
	ioctl(s, SIOCGIFCONF, NULL);
	close(s);
	/* From here on something may happen: not outside of a network of one's own. */
	if (unshare(CLONE_NEWNET))
		return;
	s = socket(AF_INET, SOCK_STREAM, 0);
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		one(s, changes[i], "nosuch", 0);
		one(s, changes[i], "nosuch", 0x1234);
		one(s, changes[i], "nosuch", ARPHRD_IEEE80211);
		ioctl(s, changes[i], NULL);
	}
	one(s, SIOCSIFFLAGS, "lo", IFF_UP);
	one(s, SIOCGIFFLAGS, "lo", 0);
	ioctl(s, SIOCBRADDBR, "lo");
	close(s);
}

static void socket_options(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct tcp_info info;
	socklen_t len = sizeof(info);

	getsockopt(s, SOL_TCP, TCP_INFO, &info, &len);
	len = 8;
	getsockopt(s, SOL_TCP, TCP_INFO, &info, &len);
	len = 104;
	getsockopt(s, SOL_TCP, TCP_INFO, NULL, &len);
	close(s);
}

static void counter(void *attr, unsigned long flags)
{
	syscall(SYS_perf_event_open, attr, -1, -1, -1, flags);
}

/* Of no process and no processor: refused, whatever it is. */
static void counters(void)
{
	struct perf_event_attr a;
	unsigned int type, k;

	for (type = 0; type < 8; type++)
		for (k = 0; k < 12; k++) {
			memset(&a, 0, sizeof(a));
			a.type = type;
			a.size = sizeof(a);
			a.config = k;
			if (type == PERF_TYPE_HW_CACHE)
				a.config |= k << 8 | (k & 3) << 16;
			counter(&a, 0);
		}
	for (k = 0; k < 40; k++) {
		memset(&a, 0, sizeof(a));
		a.size = k < 8 ? 64 + 8 * k : sizeof(a);
		a.sample_type = 1ull << k;
		a.read_format = 1ull << k % 6;
		a.sample_period = 100 + k;
		((unsigned long long *)&a)[5] = 1ull << k;
		a.wakeup_events = k;
		a.bp_type = k % 5;
		a.bp_addr = k;
		a.config2 = k;
		a.branch_sample_type = 1ull << k % 20;
		a.sample_regs_user = k;
		a.sample_stack_user = k;
		a.clockid = k % 12;
		a.aux_watermark = k;
		a.sample_max_stack = k;
		counter(&a, 1ul << k % 5);
	}
	memset(&a, 0, sizeof(a));
	a.type = PERF_TYPE_BREAKPOINT;
	a.size = sizeof(a);
	a.bp_type = 3;
	a.bp_addr = 0x1000;
	a.bp_len = 4;
	a.precise_ip = 2;
	a.freq = 1;
	a.sample_freq = 99;
	a.watermark = 1;
	a.wakeup_watermark = 7;
	a.disabled = 1;
	a.sample_type = ~0ull;
	a.branch_sample_type = ~0ull;
	counter(&a, PERF_FLAG_FD_CLOEXEC);
	a.size = 0;
	counter(&a, 0);
	counter(NULL, 0);
	counter((void *)8, 0);
}

int main(void)
{
	interfaces();
	socket_options();
	counters();
	return 0;
}
