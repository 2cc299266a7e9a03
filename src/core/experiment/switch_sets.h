/* switch_sets: which of an engine's switches an ablation leaves out or adds, one row of its table each.
 *
 * They are the flags that the setup's preset adds (option.h) and that matter on its device. The baseline has all of
 * them on, and sets of them are left out, with what needs these; or it has all of them off, the bare kernel, and sets
 * are added, with what these need. Sets that come to the same options run once.
 */
#pragma once

#include "core/engine/spec.h"

/* The baseline and one for every flag. */
#define EB_MOST_VARIANTS (EB_MOST_OPTIONS + 1)

/* Switches whose subsets may all be run: 2⁵ with the empty one, which is the baseline. */
#define EB_MOST_FACTORS 5u

typedef enum eb_ablation_way {
    EB_ONE_AT_A_TIME,     /* each alone: leave-one-out, add-one-in */
    EB_ONE_AFTER_ANOTHER, /* each beside those before it */
    EB_ALL_SUBSETS,
    EB_NAMED_SUBSETS,
} eb_ablation_way;

typedef struct eb_ablation_plan {
    eb_ablation_way way;
    bool from_bare;    /* the baseline has the switches off, and sets are added to it */
    const char *names; /* of switches, "pipeline,swizzle", NULL: all; EB_NAMED_SUBSETS: "pipeline+swizzle,alignment" */
} eb_ablation_plan;

/* Plans as they are asked for, each with its usual baseline: leave-one-out everything on, NULL too; add-one-in the bare
 * kernel, one-after-another too; all-subsets and "subsets", the named ones, everything on. */
#define EB_ABLATIONS "leave-one-out|add-one-in|one-after-another|all-subsets"
eb_ablation_plan eb_ablation_of(const char *name);
const char *eb_ablation_name(eb_ablation_way way, bool from_bare);

typedef struct eb_switch_set {
    uint32_t named; /* bit k: the list's k-th option; 0: the baseline. One after another: the one that comes anew */
    eb_options options;
} eb_switch_set;

typedef struct eb_switch_sets {
    size_t count;
    eb_switch_set set[EB_MOST_VARIANTS]; /* the baseline first */
} eb_switch_sets;

/* Single ones and subsets in the order of the engine's list, what comes one after another and named sets as they are
 * named. EB_NO_ENGINE: there are no switches; EB_USAGE: a name that is none of them, or more sets than there is room
 * for. */
eb_code eb_choose_switch_sets(const eb_setup *setup, const eb_ablation_plan *plan, eb_switch_sets *out,
                              eb_status *status);

/* The flags that are on in `from` and off in `to`, as bits. */
uint32_t eb_flags_lost(const eb_options *from, const eb_options *to);

/* The names of these options, `between` them; "" for none. Returns buffer, cut when it is too small. */
const char *eb_flag_names(const eb_option_list *list, uint32_t flags, const char *between, char *buffer, size_t size);
