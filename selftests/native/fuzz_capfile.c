// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A capture file, from bytes. The first byte chooses text or JSON and whether
 * sums are made good, so that what lies behind them is reached.
 */
#include <stdlib.h>
#include <string.h>

#include "crc32c.h"
#include "report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_good(unsigned char *p, size_t size)
{
	struct ktr_file_header h;
	struct ktr_file_block b;
	size_t at = sizeof(h);

	if (size < sizeof(h))
		return;
	memcpy(&h, p, sizeof(h));
	memcpy(h.magic, KTR_FILE_MAGIC, sizeof(h.magic));
	h.endian = KTR_FILE_ENDIAN;
	h.version = KTR_FILE_VERSION;
	h.header_size = sizeof(h);
	h.wire = KTR_VERSION;
	h.features = 0;
	memcpy(p, &h, sizeof(h));
	while (size - at >= sizeof(b)) {
		memcpy(&b, p + at, sizeof(b));
		b.magic = KTR_FILE_BLOCK_MAGIC;
		b.length %= size - at - sizeof(b) + 1;
		b.payload_crc = crc32c(0, p + at + sizeof(b), b.length);
		b.header_crc = crc32c(0, &b, offsetof(struct ktr_file_block,
						      header_crc));
		memcpy(p + at, &b, sizeof(b));
		at += sizeof(b) + ((b.length + 7) & ~7ULL);
		if (at > size)
			break;
	}
}

static void report_bytes(unsigned char *p, size_t size, bool json)
{
	struct out_opts opts = { .file = "/dev/null", .json = json,
				 .stamp = STAMP_TIME, .stamp_digits = 6,
				 .duration = true, .duration_digits = 6 };
	static const struct view view = VIEW_DEFAULT;
	struct report r = { 0 };
	struct select sel;
	struct fault f;
	FILE *in = fmemopen(p, size, "r");

	if (!in)
		return;
	select_init(&sel);
	r.sel = &sel;
	if (cap_open_stream(&r.r, in, "input", &f) ||
	    out_open(&r.out, &opts, &view, &f)) {
		cap_close(&r.r);
	} else {
		report_run(&r);
		out_footer(&r.out, r.records, r.lost);
		report_free(&r);
	}
	select_free(&sel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *p;

	if (size < 2)
		return 0;
	p = malloc(size - 1);
	memcpy(p, data + 1, size - 1);
	if (data[0] & 1)
		make_good(p, size - 1);
	report_bytes(p, size - 1, data[0] & 2);
	free(p);
	return 0;
}
