// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"
#include "stdfds.h"

int main(int argc, char **argv)
{
	stdfds_hold();
	return cmd_main(argc, argv);
}
