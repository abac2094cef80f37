// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is waited for is kept as it was asked for, command by command, since a later
 * one may want less of a module than an earlier one, or its returns too.
 */
#include <linux/bits.h>
#include <linux/glob.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../uapi/ktracer.h"
#include "waits.h"

void ktr_waits_init(struct ktr_waits *w)
{
	INIT_LIST_HEAD(&w->list);
	w->n = 0;
}

static struct ktr_wait *find(const struct ktr_waits *w, const char *name)
{
	struct ktr_wait *wait;

	list_for_each_entry(wait, &w->list, node)
		if (!strcmp(wait->name, name))
			return wait;
	return NULL;
}

const struct ktr_wait *ktr_waits_find(const struct ktr_waits *w, const char *name)
{
	return find(w, name);
}

static struct ktr_wait *get(struct ktr_waits *w, const char *name)
{
	struct ktr_wait *wait = find(w, name);

	if (wait)
		return wait;
	wait = kzalloc(sizeof(*wait), GFP_KERNEL_ACCOUNT);
	if (!wait)
		return NULL;
	INIT_LIST_HEAD(&wait->layers);
	strscpy(wait->name, name, sizeof(wait->name));
	list_add_tail(&wait->node, &w->list);
	w->n++;
	return wait;
}

static void drop_layer(struct ktr_wait *wait, struct ktr_wait_layer *l)
{
	list_del(&l->node);
	wait->n--;
	kvfree(l);
}

static void drop(struct ktr_waits *w, struct ktr_wait *wait)
{
	struct ktr_wait_layer *l, *next;

	list_for_each_entry_safe(l, next, &wait->layers, node)
		drop_layer(wait, l);
	list_del(&wait->node);
	w->n--;
	kfree(wait);
}

static struct ktr_wait_layer *last_of(const struct ktr_wait *wait)
{
	return list_empty(&wait->layers) ?
	       NULL : list_last_entry(&wait->layers, struct ktr_wait_layer, node);
}

static bool is_just(const struct ktr_wait_layer *l, const struct ktr_wait_ask *ask)
{
	return l && l->op == ask->op && l->len == ask->len &&
	       !memcmp(l->globs, ask->globs, l->len);
}

/* It asks for nothing that has not been asked for since something was taken away. */
static bool adds_nothing(const struct ktr_wait *wait, const struct ktr_wait_ask *ask)
{
	const struct ktr_wait_layer *l;

	list_for_each_entry_reverse(l, &wait->layers, node) {
		if (is_just(l, ask))
			return true;
		if (l->op == KTR_FUNCTIONS_DEL || ask->op == KTR_FUNCTIONS_DEL)
			return false;
	}
	return false;
}

static bool is_all(const struct ktr_wait_ask *ask)
{
	return ask->len == 2 && ask->globs[0] == '*';
}

static struct ktr_wait_layer *new_layer(const struct ktr_wait_ask *ask)
{
	struct ktr_wait_layer *l = kvmalloc(struct_size(l, globs, ask->len), GFP_KERNEL_ACCOUNT);

	if (!l)
		return NULL;
	l->op = ask->op;
	l->len = ask->len;
	memcpy(l->globs, ask->globs, ask->len);
	return l;
}

static int add(struct ktr_waits *w, const struct ktr_wait_ask *ask)
{
	struct ktr_wait *wait = find(w, ask->name);
	struct ktr_wait_layer *l;

	if (wait ? wait->n >= KTR_WAIT_LAYERS_MAX : w->n >= KTR_WAITS_MAX)
		return -E2BIG;
	l = new_layer(ask);
	if (!l)
		return -ENOMEM;
	wait = get(w, ask->name);
	if (!wait) {
		kvfree(l);
		return -ENOMEM;
	}
	list_add_tail(&l->node, &wait->layers);
	wait->n++;
	return 0;
}

static int undo(struct ktr_waits *w, struct ktr_wait *wait, const struct ktr_wait_ask *ask)
{
	if (!is_just(last_of(wait), ask))
		return -ENOENT;
	drop_layer(wait, last_of(wait));
	if (!wait->n)
		drop(w, wait);
	return 0;
}

int ktr_waits_change(struct ktr_waits *w, const struct ktr_wait_ask *ask)
{
	struct ktr_wait *wait = find(w, ask->name);

	if (!ask->name[0] || strlen(ask->name) >= MODULE_NAME_LEN || !ask->len ||
	    ask->globs[ask->len - 1])
		return -EINVAL;
	if (ask->undo)
		return wait ? undo(w, wait, ask) : -ENOENT;
	if (wait && adds_nothing(wait, ask))
		return -EEXIST;
	if (ask->op != KTR_FUNCTIONS_DEL)
		return add(w, ask);
	if (!wait)
		return -ENOENT;
	if (!is_all(ask))
		return add(w, ask);
	drop(w, wait);
	return 0;
}

/* The last glob that matches decides. */
static bool selects(const struct ktr_wait_layer *l, const char *function)
{
	const char *p, *end = l->globs + l->len;
	bool yes = false, minus;

	for (p = l->globs; p < end; p += strlen(p) + 1) {
		minus = *p == '!';
		if (glob_match(p + minus, function))
			yes = !minus;
	}
	return yes;
}

bool ktr_wait_wants(const struct ktr_wait *wait, const char *function, enum ktr_functions_op op)
{
	const struct ktr_wait_layer *l;
	unsigned long all = 0;

	/* What is taken away is shown below others, as before. */
	list_for_each_entry(l, &wait->layers, node)
		if (selects(l, function))
			all = l->op == KTR_FUNCTIONS_DEL ?
			      all & BIT(KTR_FUNCTIONS_ADD_BELOW) : all | BIT(l->op);
	/* Who asks for entries does not end returns. */
	if (all & BIT(KTR_FUNCTIONS_ADD_RETURNS))
		all &= ~BIT(KTR_FUNCTIONS_ADD);
	return all & BIT(op);
}

bool ktr_waits_for_graphs(const struct ktr_waits *w)
{
	const struct ktr_wait_layer *l;
	const struct ktr_wait *wait;

	list_for_each_entry(wait, &w->list, node)
		list_for_each_entry(l, &wait->layers, node)
			if (l->op == KTR_FUNCTIONS_ADD_GRAPHS)
				return true;
	return false;
}

const struct ktr_wait_layer *ktr_waits_nth(const struct ktr_waits *w, u32 index,
					   const struct ktr_wait **wait)
{
	const struct ktr_wait_layer *l;
	const struct ktr_wait *one;

	list_for_each_entry(one, &w->list, node)
		list_for_each_entry(l, &one->layers, node) {
			if (index--)
				continue;
			*wait = one;
			return l;
		}
	return NULL;
}

void ktr_waits_free(struct ktr_waits *w)
{
	struct ktr_wait *wait, *next;

	list_for_each_entry_safe(wait, next, &w->list, node)
		drop(w, wait);
}
