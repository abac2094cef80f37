// SPDX-License-Identifier: GPL-2.0-only
/*
 * Order of birth and death, and nothing else: the doors open last and close
 * first.
 */
#include <linux/build_bug.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include "channel.h"
#include "clock.h"
#include "device.h"
#include "failures.h"
#include "kmods.h"
#include "netlink.h"
#include "permit.h"
#include "probes.h"
#include "session.h"
#include "stack.h"
#include "targets.h"
#include "tunables.h"

static int __init ktr_init(void)
{
	int ret;

	ktr_wq = alloc_workqueue("ktracer", WQ_UNBOUND, 0);
	if (!ktr_wq)
		return -ENOMEM;
	ktr_clock_init();
	ktr_permit_init();
	ret = ktr_targets_init();
	if (ret)
		goto err_exit_clock;
	ret = ktr_probes_init();
	if (ret)
		goto err_exit_targets;
	ret = ktr_device_init();
	if (ret)
		goto err_exit_probes;
	ret = ktr_tunables_init();
	if (ret)
		goto err_exit_device;
	ret = ktr_kmods_init();
	if (ret)
		goto err_exit_tunables;
	ret = ktr_netlink_init();
	if (ret)
		goto err_exit_kmods;
	return 0;

err_exit_kmods:
	ktr_kmods_exit();
err_exit_tunables:
	ktr_tunables_exit();
err_exit_device:
	ktr_device_exit();
err_exit_probes:
	ktr_probes_exit();
err_exit_targets:
	ktr_targets_exit();
err_exit_clock:
	ktr_clock_exit();
	destroy_workqueue(ktr_wq);
	return ret;
}

/*
 * No descriptor is open (it would hold the module). The family goes first, so
 * that nobody makes a session while the last ones end.
 */
static void __exit ktr_exit(void)
{
	ktr_netlink_exit();
	ktr_kmods_exit();
	ktr_tunables_exit();
	ktr_device_exit();
	ktr_session_end_all();
	/* Sessions that were about to end by themselves. */
	flush_workqueue(ktr_wq);
	ktr_failures_exit();
	ktr_probes_exit();
	ktr_targets_exit();
	ktr_stack_exit();
	ktr_clock_exit();
	destroy_workqueue(ktr_wq);
	/* Frees that wait for a grace period run code of this module. */
	rcu_barrier();
}

module_init(ktr_init);
module_exit(ktr_exit);

MODULE_DESCRIPTION("One cheap stream of what chosen processes do");
MODULE_AUTHOR("The ktracer authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(KTR_RELEASE);
