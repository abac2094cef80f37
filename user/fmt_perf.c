// SPDX-License-Identifier: GPL-2.0-or-later
/* fmt_perf.c - what perf_event_open is to count: struct perf_event_attr */
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include "consts.h"
#include "fmt.h"

/* The last member that is shown; what is behind it is only told of. */
#define KNOWN_SIZE (offsetof(struct perf_event_attr, sig_data) + 8)
#define BITS_OFF (offsetof(struct perf_event_attr, read_format) + 8)

#define PRECISE_BIT 15

/* In the order of the word; precise_ip takes two. */
static const char *const bits[] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user",
	"exclude_kernel", "exclude_hv", "exclude_idle", "mmap", "comm", "freq",
	"inherit_stat", "enable_on_exec", "task", "watermark", "precise_ip",
	NULL, "mmap_data", "sample_id_all", "exclude_host", "exclude_guest",
	"exclude_callchain_kernel", "exclude_callchain_user", "mmap2",
	"comm_exec", "use_clockid", "context_switch", "write_backward",
	"namespaces", "ksymbol", "bpf_event", "aux_output", "cgroup",
	"text_poke", "build_id", "inherit_thread", "remove_on_exec", "sigtrap",
};

#define NBITS (sizeof(bits) / sizeof(bits[0]))

static void put_cache(struct fmt *f, uint64_t v)
{
	size_t from = fmt_text_begin(f);

	if (v >> 32)
		buf_printf(f->b, "%#llx<<32|", (unsigned long long)v >> 32);
	if (v >> 24 & 0xff)
		buf_printf(f->b, "%#x<<24|", (unsigned int)(v >> 24) & 0xff);
	fmt_xlat_enum(f->b, f->v, &xlat_perf_cache_results, v >> 16 & 0xff);
	buf_puts(f->b, "<<16|");
	fmt_xlat_enum(f->b, f->v, &xlat_perf_cache_ops, v >> 8 & 0xff);
	buf_puts(f->b, "<<8|");
	fmt_xlat_enum(f->b, f->v, &xlat_perf_caches, v & 0xff);
	fmt_text_end(f, from);
}

/* What is counted is told by the type. */
static void put_config(struct fmt *f, uint32_t type, uint64_t config)
{
	fmt_name(f, "config");
	switch (type) {
	case PERF_TYPE_HARDWARE:
		return fmt_enum(f, &xlat_perf_hw, config);
	case PERF_TYPE_SOFTWARE:
		return fmt_enum(f, &xlat_perf_sw, config);
	case PERF_TYPE_TRACEPOINT:
		return fmt_udec(f, config);
	case PERF_TYPE_HW_CACHE:
		return put_cache(f, config);
	default:
		return fmt_hex(f, config);
	}
}

static void put_precise(struct fmt *f, unsigned int v)
{
	static const char *const skids[] = {
		"arbitrary skid", "constant skid", "requested to have 0 skid",
		"must have 0 skid",
	};

	fmt_name(f, "precise_ip");
	fmt_udec(f, v);
	if (!f->json)
		buf_printf(f->b, " /* %s */", skids[v]);
}

/* Without -v only those that are set, and how precise it is to be. */
static void put_bits(struct fmt *f, uint64_t v)
{
	for (unsigned int i = 0; i < NBITS; i++) {
		if (i == PRECISE_BIT)
			put_precise(f, v >> i & 3);
		if (i == PRECISE_BIT || !bits[i] ||
		    (!f->v->verbose && !(v >> i & 1)))
			continue;
		fmt_name(f, bits[i]);
		fmt_udec(f, v >> i & 1);
	}
	if (!(v >> NBITS))
		return;
	fmt_name(f, "__reserved_1");
	fmt_hex(f, v >> NBITS);
	if (!f->json)
		buf_printf(f->b, " /* Bits 63..%u */", (unsigned int)NBITS);
}

/* A member that the struct, of so many bytes, still has. */
struct attr {
	const struct perf_event_attr *p;
	size_t size;
};

#define HAS(a, member) \
	((a)->size >= offsetof(struct perf_event_attr, member) + \
	 sizeof((a)->p->member))

static void put_where(struct fmt *f, const struct attr *a)
{
	bool breakpoint = a->p->type == PERF_TYPE_BREAKPOINT;

	if (breakpoint) {
		fmt_name(f, "bp_type");
		fmt_enum(f, &xlat_perf_bp_types, a->p->bp_type);
	}
	fmt_name(f, breakpoint ? "bp_addr" : "config1");
	fmt_hex(f, a->p->config1);
	if (!HAS(a, config2))
		return;
	fmt_name(f, breakpoint ? "bp_len" : "config2");
	if (breakpoint)
		fmt_udec(f, a->p->bp_len);
	else
		fmt_hex(f, a->p->config2);
}

static void put_samples(struct fmt *f, const struct attr *a)
{
	if (HAS(a, branch_sample_type) &&
	    a->p->sample_type & PERF_SAMPLE_BRANCH_STACK) {
		fmt_name(f, "branch_sample_type");
		fmt_flags(f, &xlat_perf_branches, a->p->branch_sample_type);
	}
	if (HAS(a, sample_regs_user)) {
		fmt_name(f, "sample_regs_user");
		fmt_hex(f, a->p->sample_regs_user);
	}
	if (HAS(a, sample_stack_user) &&
	    a->p->sample_type & PERF_SAMPLE_STACK_USER) {
		fmt_name(f, "sample_stack_user");
		fmt_hex(f, a->p->sample_stack_user);
	}
	if (HAS(a, clockid) && a->p->use_clockid) {
		fmt_name(f, "clockid");
		fmt_word(f, K_CLOCKID, NULL, (uint32_t)a->p->clockid, 4);
	}
	if (HAS(a, sample_regs_intr)) {
		fmt_name(f, "sample_regs_intr");
		fmt_hex(f, a->p->sample_regs_intr);
	}
}

static void put_newer(struct fmt *f, const struct attr *a)
{
	if (HAS(a, aux_watermark)) {
		fmt_name(f, "aux_watermark");
		fmt_udec(f, a->p->aux_watermark);
	}
	if (HAS(a, sample_max_stack)) {
		fmt_name(f, "sample_max_stack");
		fmt_udec(f, a->p->sample_max_stack);
	}
	if (HAS(a, aux_sample_size)) {
		fmt_name(f, "aux_sample_size");
		fmt_udec(f, a->p->aux_sample_size);
	}
	if (HAS(a, sig_data)) {
		fmt_name(f, "sig_data");
		fmt_hex(f, a->p->sig_data);
	}
}

void fmt_perf_attr(struct fmt *f, const struct mem *m, uint64_t addr)
{
	struct perf_event_attr p = { 0 };
	struct attr a = { .p = &p };
	uint64_t flags;

	memcpy(&p, m->p, m->len < sizeof(p) ? m->len : sizeof(p));
	a.size = p.size ?: PERF_ATTR_SIZE_VER0;
	if (a.size < PERF_ATTR_SIZE_VER0 ||
	    m->len < (a.size < KNOWN_SIZE ? a.size : KNOWN_SIZE))
		return fmt_addr(f, addr);
	memcpy(&flags, m->p + BITS_OFF, sizeof(flags));
	fmt_open(f, '{');
	fmt_name(f, "type");
	fmt_enum(f, &xlat_perf_types, p.type);
	fmt_name(f, "size");
	fmt_enum(f, &xlat_perf_attr_sizes, p.size);
	put_config(f, p.type, p.config);
	fmt_name(f, p.freq ? "sample_freq" : "sample_period");
	fmt_udec(f, p.sample_period);
	fmt_name(f, "sample_type");
	fmt_flags(f, &xlat_perf_samples, p.sample_type);
	fmt_name(f, "read_format");
	fmt_flags(f, &xlat_perf_read_formats, p.read_format);
	put_bits(f, flags);
	if (f->v->verbose) {
		fmt_name(f, p.watermark ? "wakeup_watermark" : "wakeup_events");
		fmt_udec(f, p.wakeup_events);
		put_where(f, &a);
		put_samples(f, &a);
		put_newer(f, &a);
	}
	if (!f->v->verbose || a.size > KNOWN_SIZE)
		fmt_more(f);
	fmt_close(f, '}');
}
