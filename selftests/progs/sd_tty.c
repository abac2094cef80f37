// SPDX-License-Identifier: GPL-2.0-or-later
/* ioctl: a pseudo-terminal, pipes, sockets, files, and what is no terminal. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/nsfs.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <linux/rtc.h>
#include <net/if.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

/* System V's, of which libc has no more than the name. */
struct old_termio {
	unsigned short flags[4];
	unsigned char line, cc[8];
};

static void terminal(void)
{
	struct winsize ws = { 24, 80, 0, 0 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave, n, unlock = 0;
	struct termios tio;
	struct old_termio old = { 0 };

	ioctl(master, TIOCSPTLCK, &unlock);
	ioctl(master, TIOCGPTN, &n);
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	tcgetattr(slave, &tio);
	cfmakeraw(&tio);
	tcsetattr(slave, TCSANOW, &tio);
	tcsetattr(slave, TCSADRAIN, &tio);
	tio.c_iflag = tio.c_oflag = tio.c_lflag = 0;
	cfsetospeed(&tio, B9600);
	tcsetattr(slave, TCSANOW, &tio);
	ioctl(slave, TCGETA, &old);
	ioctl(slave, TCSETAW, &old);
	ioctl(slave, TCSETSW, ~0ul);
	ioctl(slave, TIOCGETD, &n);
	ioctl(slave, TIOCGEXCL, &n);
	ioctl(slave, TIOCMGET, &n);
	ioctl(slave, TIOCMBIS, &(int){ TIOCM_DTR | TIOCM_RTS });
	ioctl(master, TIOCPKT, &unlock);
	ioctl(slave, TIOCSWINSZ, &ws);
	ioctl(master, TIOCGWINSZ, &ws);
	ioctl(slave, TIOCGPGRP, &n);
	ioctl(slave, FIONREAD, &n);
	ioctl(slave, TIOCOUTQ, &n);
	tcflush(slave, TCIOFLUSH);
	tcflow(slave, TCOON);
	ioctl(slave, TCSBRK, 1);
	close(slave);
	close(master);
}

static void not_terminals(void)
{
	int p[2], on = 1, n, fd = open("plain", O_RDWR | O_CREAT, 0600);

	if (pipe(p) || write(p[1], "abc", 3) != 3)
		_exit(1);
	ioctl(p[0], FIONREAD, &n);
	ioctl(p[0], FIONBIO, &on);
	ioctl(p[0], FIOCLEX);
	ioctl(fd, TCGETS, p);
	ioctl(fd, FS_IOC_GETFLAGS, &n);
	ioctl(fd, FICLONE, p[0]);
	ioctl(fd, FIGETBSZ, &n);
	ioctl(fd, 0x12345678, &n);
	ioctl(fd, _IOWR('z', 200, int), 8);
	ioctl(-1, TIOCGWINSZ, NULL);
	ioctl(fd, RTC_UIE_ON, 0);
	ioctl(fd, RTC_AIE_OFF, 0);
	fcntl(fd, F_SETLEASE, F_RDLCK);
	fcntl(fd, F_SETSIG, 10);
	fcntl(fd, 4444, 1);
	close(fd);
}

/* Most of them fail; what goes in is shown. */
static void devices(void)
{
	int fd = open("plain", O_RDWR), ns = open("/proc/self/ns/net", O_RDONLY), n = 1;
	int random = open("/dev/urandom", O_RDONLY);
	uint64_t range[2] = { 4096, 8192 }, size;
	struct fstrim_range trim = { 4096, -1, 512 };
	struct rtc_wkalrm alarm = { .enabled = 1, .time = { .tm_hour = 7, .tm_year = 126 } };
	struct fsxattr attr = { .fsx_xflags = FS_XFLAG_NOATIME, .fsx_projid = 5 };
	struct file_clone_range part = { fd, 0, 4096, 8192 };

	ioctl(fd, FITRIM, &trim);
	ioctl(fd, FICLONERANGE, &part);
	ioctl(fd, FS_IOC_FSSETXATTR, &attr);
	ioctl(fd, FS_IOC_FSSETXATTR, 16);
	ioctl(fd, BLKDISCARD, range);
	ioctl(fd, BLKGETSIZE64, &size);
	ioctl(fd, BLKRASET, 256);
	ioctl(fd, BLKROSET, &n);
	ioctl(fd, BLKFLSBUF);
	ioctl(fd, RTC_RD_TIME, &alarm.time);
	ioctl(fd, RTC_ALM_SET, &alarm.time);
	ioctl(fd, RTC_WKALM_SET, &alarm);
	ioctl(fd, LOOP_SET_FD, fd);
	ioctl(fd, LOOP_CLR_FD, 0);
	ioctl(fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	ioctl(fd, PERF_EVENT_IOC_PERIOD, range);
	ioctl(ns, NS_GET_NSTYPE);
	ioctl(ns, NS_GET_OWNER_UID, &n);
	close(ioctl(ns, NS_GET_USERNS));
	ioctl(random, RNDGETENTCNT, &n);
	close(random);
	close(ns);
	close(fd);
}

static void network(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq ifr;

	memset(&ifr, 0, sizeof(ifr));
	strcpy(ifr.ifr_name, "lo");
	ioctl(fd, SIOCGIFFLAGS, &ifr);
	ioctl(fd, SIOCGIFINDEX, &ifr);
	ioctl(fd, SIOCGIFMTU, &ifr);
	ioctl(fd, SIOCGIFADDR, &ifr);
	ioctl(fd, SIOCGIFNETMASK, &ifr);
	ioctl(fd, SIOCGIFTXQLEN, &ifr);
	strcpy(ifr.ifr_name, "none");
	ioctl(fd, SIOCGIFFLAGS, &ifr);
	close(fd);
}

int main(void)
{
	terminal();
	not_terminals();
	devices();
	network();
	return 0;
}
