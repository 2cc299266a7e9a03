/* switch_sets: chooses which of an engine's switches an ablation leaves out or adds, one set for each row of its table.
 *
 * The switches are the flags that the setup's preset adds (option.h) and that matter on its device. With the baseline
 * "everything on", a set is left out together with the options that need it. With the baseline "bare kernel", a set is
 * added together with the options that it needs. Sets that lead to the same options run once.
 */
#pragma once

#include "core/engine/spec.h"

/* the baseline, and one for each flag */
#define EB_MOST_VARIANTS (EB_MOST_OPTIONS + 1)

/* Most switches whose subsets may all be run: 2⁵ variants, the empty set being the baseline. */
#define EB_MOST_FACTORS 5u

typedef enum eb_ablation_way {
    EB_ONE_AT_A_TIME,     /* each alone: leave-one-out, add-one-in */
    EB_ONE_AFTER_ANOTHER, /* each in addition to those before it */
    EB_ALL_SUBSETS,
    EB_NAMED_SUBSETS,
} eb_ablation_way;

typedef struct eb_ablation_plan {
    eb_ablation_way way;
    bool from_bare;    /* true: the baseline has the switches off, and sets are added */
    const char *names; /* switches, "pipeline,swizzle"; NULL: all; for EB_NAMED_SUBSETS "pipeline+swizzle,alignment" */
} eb_ablation_plan;

/* The plan of this name with its usual baseline. Everything on: leave-one-out (also for NULL), all-subsets and
 * "subsets" (named ones). The bare kernel: add-one-in and one-after-another. */
#define EB_ABLATIONS "leave-one-out|add-one-in|one-after-another|all-subsets"
eb_ablation_plan eb_ablation_of(const char *name);
const char *eb_ablation_name(eb_ablation_way way, bool from_bare);

typedef struct eb_switch_set {
    uint64_t named; /* bit k: the list's k-th option; 0: the baseline. EB_ONE_AFTER_ANOTHER: the option added last */
    eb_options options;
} eb_switch_set;

typedef struct eb_switch_sets {
    size_t count;
    eb_switch_set set[EB_MOST_VARIANTS]; /* first the baseline */
} eb_switch_sets;

/* Single switches and subsets are in the order of the engine's list, EB_ONE_AFTER_ANOTHER and named sets in the order
 * named. EB_NO_ENGINE if the setup has no switches. EB_USAGE for an unknown name, or for more sets than
 * EB_MOST_VARIANTS. */
eb_code eb_choose_switch_sets(const eb_setup *setup, const eb_ablation_plan *plan, eb_switch_sets *out,
                              eb_status *status);

/* The flags that are on in `from` and off in `to`, one bit per option. */
uint64_t eb_flags_lost(const eb_options *from, const eb_options *to);

/* Names of these options, separated by `between`; "" for none. Returns buffer; a longer text is cut. */
const char *eb_flag_names(const eb_option_list *list, uint64_t flags, const char *between, char *buffer, size_t size);
