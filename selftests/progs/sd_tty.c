// SPDX-License-Identifier: GPL-2.0-or-later
/* ioctl: a pseudo-terminal, pipes, sockets, files, and what is no terminal. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/rtc.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

static void terminal(void)
{
	struct winsize ws = { 24, 80, 0, 0 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave, n, unlock = 0;
	struct termios tio;

	ioctl(master, TIOCSPTLCK, &unlock);
	ioctl(master, TIOCGPTN, &n);
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	tcgetattr(slave, &tio);
	cfmakeraw(&tio);
	tcsetattr(slave, TCSANOW, &tio);
	tcsetattr(slave, TCSADRAIN, &tio);
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
	network();
	return 0;
}
