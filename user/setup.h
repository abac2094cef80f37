/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a selection to a session of the module. */
#ifndef KTR_SETUP_H
#define KTR_SETUP_H

#include "ctl.h"
#include "fnsig.h"
#include "funcs.h"
#include "ksyms.h"
#include "select.h"
#include "view.h"

/* The module's answer as a fault; what: the thing that was tried. */
int setup_fault(const struct ctl *ctl, int err, const char *what,
		struct fault *f);
/* Connect and check the version; the faults say whether the module is there. */
int setup_open(struct ctl **ctl, struct fault *f);

/* To be asked before names are looked up: to such a user the kernel shows no addresses. */
int setup_funcs_permitted(const struct ctl *ctl, struct fault *f);

/*
 * datasize: bytes of buffers to keep beyond what is shown (record); SETUP_BARE:
 * capture nothing, whatever the rows say.
 */
#define SETUP_BARE ~0u
int setup_calls(struct ctl *ctl, struct ctl_ref ref, const struct sysset *set,
		const struct view *view, unsigned int datasize,
		unsigned int flags, struct fault *f);
int setup_calls_del(struct ctl *ctl, struct ctl_ref ref,
		    const struct sysset *set, struct fault *f);
/* Whether it is a value of --args; raw: `raw` is in it. */
int args_check(const char *list, bool *raw, struct fault *f);
/*
 * Signatures of the set into *sigs; with want->args the module captures what they
 * show. Without, results alone, as far as they can be known.
 */
int setup_args(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks,
	       const struct args_wanted *want, const struct funcset *set,
	       struct fnsigs *sigs, struct fault *f);
/* Signatures of what a session traces already. */
void setup_sigs(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks, struct fnsigs *sigs);
/*
 * Add or take away what the pattern means, all or nothing; SIGINT and its kind
 * end the adding half way, with nothing done. *set: what was meant, to be freed.
 */
int setup_funcs(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks,
		const char *pattern, const struct funcs_wanted *want, struct funcset *set,
		struct fnsigs *sigs, struct fault *f);
/*
 * The same for functions that graphs begin with. All others that can be traced, but for
 * want->exclude, are hooked to be seen below them. *notes: modules that are not there yet.
 */
int setup_graph(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks,
		const char *pattern, const struct funcs_wanted *want, struct funcset *set,
		struct buf *notes, struct fault *f);
/* A list of patterns as one. */
void setup_pattern(struct buf *b, const char *const *list, size_t n);
int setup_funcs_del(struct ctl *ctl, struct ctl_ref ref, struct ksyms *ks,
		    const char *pattern, struct funcset *set, struct fault *f);

/* All of a new session: calls, functions, events, signals, filter. Stopped. */
int setup_session(struct ctl *ctl, struct ctl_ref ref, const struct select *sel,
		  const struct view *view, unsigned int datasize,
		  struct ksyms *ks, struct fnsigs *sigs, struct fault *f);
int setup_state(struct ctl *ctl, struct ctl_ref ref, unsigned int state,
		struct fault *f);

/*
 * Attach all of the lists; one will do. said: f is NULL where it worked, and tells
 * besides who was left out of it; what: the process or processes; pid: 0 if that is
 * not one.
 */
typedef void (*setup_said_fn)(void *arg, uint32_t pid, const char *what,
			      unsigned int threads, const struct fault *f);
int setup_targets(struct ctl *ctl, struct ctl_ref ref,
		  const struct select *sel, unsigned int kind,
		  unsigned int flags, setup_said_fn said, void *arg,
		  struct fault *f);

/* `2 CPUs x 4 MiB = 8 MiB` */
void setup_size(struct buf *b, const struct ctl_session *s);

#endif
