// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * act_paths DIR N: opens N files under DIR/a, 20 under DIR/b/c, 5 under DIR/bb,
 * made by the caller or not.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void opens(const char *dir, const char *sub, int n)
{
	char path[4096];
	int i;

	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s/%d", dir, sub, i % 100);
		close(open(path, O_RDONLY | O_CREAT, 0600));
	}
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	opens(argv[1], "a", atoi(argv[2]));
	opens(argv[1], "b/c", 20);
	opens(argv[1], "bb", 5);
	return 0;
}
