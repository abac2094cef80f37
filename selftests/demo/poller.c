// SPDX-License-Identifier: GPL-2.0-or-later
/* The running process of the demo: it waits in poll(), a fifth of a second at a time. */
#include <poll.h>
#include <stddef.h>

int main(void)
{
	for (;;)
		poll(NULL, 0, 200);
}
