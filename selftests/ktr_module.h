/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading and unloading ktracer.ko from a test. */
#ifndef _KTR_MODULE_H
#define _KTR_MODULE_H

#include <stdbool.h>

/* The file: KTR_MODULE of the environment, or where the runner puts it. */
const char *ktr_module_path(void);
bool ktr_module_loaded(void);
/* 0 or -errno; the first also if it is loaded already. */
int ktr_module_load(void);
int ktr_module_unload(void);

#endif
