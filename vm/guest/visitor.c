// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: a kernel module that comes and goes, which the debug kernel has none of.
 * It runs functions of its own when it is loaded, when its parameter is read, and
 * when it goes.
 */
#include <linux/compiler.h>
#include <linux/module.h>

/* Arguments and results that the compiler cannot foresee keep functions as they are. */
static int steps;

static noinline int visitor_step(int n)
{
	barrier();
	return READ_ONCE(steps) + n;
}

static noinline int visitor_get_one(int n)
{
	WRITE_ONCE(steps, visitor_step(n));
	return READ_ONCE(steps);
}

static noinline int visitor_get_two(int n)
{
	return visitor_get_one(n) + visitor_step(n);
}

static int visitor_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", visitor_get_two(READ_ONCE(steps) + 1));
}

static const struct kernel_param_ops visitor_ops = { .get = visitor_get };
module_param_cb(steps, &visitor_ops, NULL, 0444);
MODULE_PARM_DESC(steps, "reading it calls functions of the module");

static int __init visitor_begin(void)
{
	return visitor_get_one(READ_ONCE(steps)) < 0 ? -EINVAL : 0;
}

static void __exit visitor_end(void)
{
	WRITE_ONCE(steps, visitor_step(READ_ONCE(steps)));
}

module_init(visitor_begin);
module_exit(visitor_end);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A module that comes and goes, for tests");
