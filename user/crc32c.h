/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CRC-32C (Castagnoli), by the processor's instruction where it has one. */
#ifndef KTR_CRC32C_H
#define KTR_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(uint32_t crc, const void *p, size_t n);
/* The same without the instruction, for tests. */
uint32_t crc32c_plain(uint32_t crc, const void *p, size_t n);

#endif
