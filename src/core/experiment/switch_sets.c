#include "core/experiment/switch_sets.h"

#include <stdio.h>
#include <string.h>

/* ---- plans by name ---- */

static const struct {
    const char *name;
    eb_ablation_way way;
    bool from_bare;
} plans[] = {
    {"leave-one-out", EB_ONE_AT_A_TIME, false},
    {"add-one-in", EB_ONE_AT_A_TIME, true},
    {"one-after-another", EB_ONE_AFTER_ANOTHER, true},
    {"all-subsets", EB_ALL_SUBSETS, false},
    {"subsets", EB_NAMED_SUBSETS, false},
};

enum { PLANS = sizeof plans / sizeof plans[0] };

eb_ablation_plan eb_ablation_of(const char *name)
{
    size_t k = 0;
    while (name && k < PLANS && strcmp(plans[k].name, name) != 0)
        k++;
    k = k < PLANS ? k : 0;
    return (eb_ablation_plan){.way = plans[k].way, .from_bare = plans[k].from_bare};
}

const char *eb_ablation_name(eb_ablation_way way, bool from_bare)
{
    size_t k = 0;
    while (k + 1 < PLANS && (plans[k].way != way || (way == EB_ONE_AT_A_TIME && plans[k].from_bare != from_bare)))
        k++;
    return plans[k].name;
}

/* ---- flags as bits ---- */

_Static_assert(EB_MOST_OPTIONS <= 64, "a bit for each");

static uint64_t bit_of(size_t option) { return UINT64_C(1) << option; }

uint64_t eb_flags_lost(const eb_options *from, const eb_options *to)
{
    uint64_t lost = 0;
    for (size_t k = 0; k < from->list->count; k++)
        if (from->list->option[k].type == EB_ARG_FLAG && from->value[k] && !to->value[k])
            lost |= bit_of(k);
    return lost;
}

const char *eb_flag_names(const eb_option_list *list, uint64_t flags, const char *between, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < list->count && used < size; k++) {
        if (!(flags & bit_of(k)))
            continue;
        (void)snprintf(buffer + used, size - used, "%s%s", used ? between : "", list->option[k].name);
        used = strlen(buffer);
    }
    return buffer;
}

/* ---- the setup's switches, and the sets named ---- */

typedef struct choice {
    const eb_setup *setup;
    const eb_ablation_plan *plan;
    uint64_t possible;
    uint64_t named[EB_MOST_VARIANTS]; /* sets in the order named */
    size_t count;
} choice;

static uint64_t possible_switches(const eb_setup *setup)
{
    const eb_option_list *list = setup->options.list;
    uint64_t possible = 0;
    for (size_t k = 0; k < list->count; k++)
        if ((list->option[k].devices & 1u << setup->device.kind) &&
            eb_option_is_added(&setup->options, &list->option[k]))
            possible |= bit_of(k);
    return possible;
}

static eb_code fail_name(const choice *c, const char *name, size_t length, eb_status *status)
{
    char possible[EB_OPTIONS_TEXT];
    const int shown = (int)(length < 80 ? length : 80);
    (void)eb_flag_names(c->setup->options.list, c->possible, ", ", possible, sizeof possible);
    if (length == 0)
        return eb_fail(status, EB_USAGE, "the name of a switch is missing in \"%s\"; %s has %s", c->plan->names,
                       c->setup->spec, possible);
    return eb_fail(status, EB_USAGE,
                   c->plan->from_bare ? "%.*s cannot be added to the bare kernel of %s, only %s"
                                      : "%.*s cannot be left out of %s, only %s",
                   shown, name, c->setup->spec, possible);
}

/* Adds the switch of this name to *set. */
static eb_code take_name(const choice *c, const char *name, size_t length, uint64_t *set, eb_status *status)
{
    const eb_option_list *list = c->setup->options.list;
    for (size_t k = 0; k < list->count; k++)
        if ((c->possible & bit_of(k)) && strlen(list->option[k].name) == length &&
            strncmp(list->option[k].name, name, length) == 0) {
            *set |= bit_of(k);
            return EB_OK;
        }
    return fail_name(c, name, length, status);
}

/* Reads one set up to the comma: NAME, or NAME+NAME+… for named subsets. */
static eb_code take_set(const choice *c, const char *text, size_t length, uint64_t *set, eb_status *status)
{
    const char *joints = c->plan->way == EB_NAMED_SUBSETS ? "+," : ",";
    for (const char *at = text;; at++) {
        const size_t name = strcspn(at, joints);
        EB_TRY(take_name(c, at, name, set, status));
        at += name;
        if (at >= text + length)
            return EB_OK;
    }
}

static bool is_named(const choice *c, uint64_t set)
{
    for (size_t k = 0; k < c->count; k++)
        if (c->named[k] == set)
            return true;
    return false;
}

static eb_code take_names(choice *c, eb_status *status)
{
    for (const char *at = c->plan->names; at;) {
        const size_t length = strcspn(at, ",");
        uint64_t set = 0;
        EB_TRY(take_set(c, at, length, &set, status));
        if (!is_named(c, set)) {
            if (c->count + 1 == EB_MOST_VARIANTS)
                return eb_fail(status, EB_USAGE, "at most %u sets of switches run at once; more are named",
                               EB_MOST_VARIANTS - 1);
            c->named[c->count++] = set;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return EB_OK;
}

/* Makes a set of every named switch, or of every possible one if none is named, in the order of the engine's list. */
static void sort_names(choice *c)
{
    uint64_t wanted = c->count ? 0 : c->possible;
    for (size_t k = 0; k < c->count; k++)
        wanted |= c->named[k];
    c->count = 0;
    for (size_t k = 0; k < EB_MOST_OPTIONS; k++)
        if (wanted & bit_of(k))
            c->named[c->count++] = bit_of(k);
}

/* In binary order: a, b, ab, c, ac, bc, abc. */
static eb_code name_all_subsets(choice *c, eb_status *status)
{
    uint64_t factor[EB_MOST_FACTORS];
    const size_t factors = c->count;
    if (factors > EB_MOST_FACTORS)
        return eb_fail(status, EB_USAGE,
                       "%zu switches have %llu subsets; all subsets run for at most %u switches, which have %u: name "
                       "those that matter",
                       factors, 1ULL << factors, EB_MOST_FACTORS, 1u << EB_MOST_FACTORS);
    memcpy(factor, c->named, factors * sizeof *factor);
    c->count = 0;
    for (uint64_t subset = 1; subset < bit_of(factors); subset++, c->count++) {
        c->named[c->count] = 0;
        for (size_t k = 0; k < factors; k++)
            c->named[c->count] |= subset & bit_of(k) ? factor[k] : 0;
    }
    return EB_OK;
}

/* ---- sets of options ---- */

static void turn(eb_options *options, uint64_t switches, bool on)
{
    for (size_t k = 0; k < options->list->count; k++)
        if (switches & bit_of(k))
            (on ? eb_options_put_in : eb_options_leave_out)(options, &options->list->option[k]);
}

/* Skips a set of options that is in the list already. */
static void add_set(eb_switch_sets *sets, uint64_t named, eb_options options)
{
    eb_options_name_preset(&options);
    for (size_t k = 0; k < sets->count; k++)
        if (memcmp(sets->set[k].options.value, options.value, sizeof options.value) == 0)
            return;
    sets->set[sets->count++] = (eb_switch_set){.named = named, .options = options};
}

static void make_sets(const choice *c, eb_switch_sets *out)
{
    eb_options baseline = c->setup->options;
    out->count = 0;
    if (c->plan->from_bare)
        turn(&baseline, c->possible, false);
    add_set(out, 0, baseline);
    eb_options options = baseline;
    for (size_t k = 0; k < c->count; k++) {
        if (c->plan->way != EB_ONE_AFTER_ANOTHER)
            options = baseline;
        turn(&options, c->named[k], c->plan->from_bare);
        add_set(out, c->named[k], options);
    }
}

eb_code eb_choose_switch_sets(const eb_setup *setup, const eb_ablation_plan *plan, eb_switch_sets *out,
                              eb_status *status)
{
    choice c = {.setup = setup, .plan = plan, .possible = possible_switches(setup)};
    if (!c.possible)
        return eb_fail(status, EB_NO_ENGINE, "%s has no switches to leave out on %s", setup->spec, setup->device.name);
    EB_TRY(take_names(&c, status));
    if (plan->way == EB_ONE_AT_A_TIME || plan->way == EB_ALL_SUBSETS || !plan->names)
        sort_names(&c);
    if (plan->way == EB_ALL_SUBSETS)
        EB_TRY(name_all_subsets(&c, status));
    make_sets(&c, out);
    return EB_OK;
}
