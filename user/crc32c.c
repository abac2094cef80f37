// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "crc32c.h"

/* The remainders of all half bytes by the polynomial, bits reversed. */
static const uint32_t nibble[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
	0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c_plain(uint32_t crc, const void *p, size_t n)
{
	const unsigned char *b = p;

	crc = ~crc;
	while (n--) {
		crc ^= *b++;
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2")))
static uint32_t crc32c_sse(uint32_t crc, const void *p, size_t n)
{
	const unsigned char *b = p;
	uint64_t c = (uint32_t)~crc, w;

	for (; n >= 8; n -= 8, b += 8) {
		memcpy(&w, b, 8);
		c = __builtin_ia32_crc32di(c, w);
	}
	while (n--)
		c = __builtin_ia32_crc32qi(c, *b++);
	return ~(uint32_t)c;
}

uint32_t crc32c(uint32_t crc, const void *p, size_t n)
{
	return __builtin_cpu_supports("sse4.2") ? crc32c_sse(crc, p, n) :
						  crc32c_plain(crc, p, n);
}
#else
uint32_t crc32c(uint32_t crc, const void *p, size_t n)
{
	return crc32c_plain(crc, p, n);
}
#endif
