// SPDX-License-Identifier: GPL-2.0-only
/* The module's one function that ftrace knows: what a graph's fprobe stands on. */
#include <linux/compiler.h>
#include "graph.h"

noinline void ktr_graph_anchor(void)
{
	barrier();
}
