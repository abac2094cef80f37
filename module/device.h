/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/ktracer: where records come out and markers go in. */
#ifndef _KTR_DEVICE_H
#define _KTR_DEVICE_H

struct ktr_session;

int ktr_device_init(void);
void ktr_device_exit(void);

/*
 * Bind the caller's descriptor @fd to a new anonymous session, as its reader;
 * the session ends with the descriptor. -EBADF, -EBUSY.
 */
int ktr_device_adopt(int fd, struct ktr_session *s);

#endif
