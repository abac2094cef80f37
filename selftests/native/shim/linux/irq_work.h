/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_IRQ_WORK_H
#define SHIM_LINUX_IRQ_WORK_H

struct irq_work {
	int unused;
};

#endif
