#include "core/accuracy/uncertainty.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"

#define SIZEABLE_PART 8.0 /* rounding must move a point by less than ε over this */

/* ---- whether FP64 rounds at all ---- */

#define ROWS_A_TASK 256u
#define FRACTION 52
#define BIAS 1075 /* a double is fraction · 2^(exponent − 1075), with the fraction's first bit included */

typedef struct looking {
    const eb_dataset *ds;
    double *row;         /* [threads][d] */
    _Atomic int top;     /* all |x| < 2^top */
    _Atomic int unit;    /* all are multiples of 2^unit */
    _Atomic bool rounds; /* set as soon as a row shows it */
} looking;

/* Differences are below 2^(top + 1) and multiples of 2^unit. True if their squares and sums fit FP64's fraction. */
static bool has_room(int top, int unit, size_t d)
{
    int terms = 0;
    while (((size_t)1 << terms) < d)
        terms++;
    return 2 * (top + 1) + terms - 2 * unit <= FRACTION + 1;
}

static void look_at(double x, int *top, int *unit)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << FRACTION) - 1);
    int exponent = (int)(bits >> FRACTION & 2047u);
    if (x == 0)
        return;
    fraction |= exponent ? (uint64_t)1 << FRACTION : 0;
    exponent = exponent ? exponent : 1;
    int first = exponent - BIAS + FRACTION + 1, last = exponent - BIAS + __builtin_ctzll(fraction);
    *top = first > *top ? first : *top;
    *unit = last < *unit ? last : *unit;
}

static void widen(looking *l, int top, int unit)
{
    int before = l->top;
    while (top > before && !atomic_compare_exchange_weak(&l->top, &before, top))
        ;
    before = l->unit;
    while (unit < before && !atomic_compare_exchange_weak(&l->unit, &before, unit))
        ;
    if (!has_room(l->top, l->unit, l->ds->d))
        l->rounds = true;
}

static eb_code look_at_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    looking *l = context;
    const eb_dataset *ds = l->ds;
    double *row = l->row + thread * ds->d;
    size_t begin = (size_t)task * ROWS_A_TASK, end = ds->n - begin < ROWS_A_TASK ? ds->n : begin + ROWS_A_TASK;
    for (size_t i = begin; i < end && !l->rounds; i++) {
        int top = l->top, unit = l->unit;
        eb_to_f64(ds->dtype, eb_row(ds, i), ds->d, row);
        for (size_t k = 0; k < ds->d; k++)
            look_at(row[k], &top, &unit);
        widen(l, top, unit);
    }
    return EB_OK;
}

/* One pass that ends as soon as rounding is certain, usually after the first row. */
static eb_code look_for_rounding(looking *l, const eb_dataset *ds, unsigned threads, eb_job *job, eb_status *status)
{
    l->ds = ds;
    l->row = malloc(threads * ds->d * sizeof *l->row);
    if (!l->row)
        return eb_fail_memory(status, "looking at the points", threads * ds->d * sizeof *l->row);
    uint64_t tasks = (ds->n + ROWS_A_TASK - 1) / ROWS_A_TASK;
    eb_code failed = eb_parallel(threads, tasks, look_at_rows, l, job, status);
    free(l->row);
    return failed;
}

static eb_code find_error(const eb_problem *problem, unsigned threads, eb_job *job, double *error, eb_status *status)
{
    looking l = {.top = -(1 << 12), .unit = 1 << 12};
    EB_TRY(look_for_rounding(&l, problem->left, threads, job, status));
    if (!eb_is_self_join(problem))
        EB_TRY(look_for_rounding(&l, problem->right, threads, job, status));
    *error = l.rounds ? ((double)problem->left->d + 8) * 0x1p-54 : 0;
    return EB_OK;
}

/* ---- the uncertainty of a run ---- */

static eb_code find_moved(const eb_setup *setup, const eb_problem *problem, unsigned threads, eb_job *job,
                          eb_uncertainty *out, eb_status *status)
{
    const double far = out->eps / SIZEABLE_PART;
    eb_rounded found;
    EB_TRY(eb_engine_moves(setup->engine, &setup->options, problem, far, threads, job, &found, status));
    out->points = problem->left->n + (out->self ? 0 : problem->right->n);
    out->moved = found.moved;
    out->most = found.moved_most;
    return out->moved > 0 ? eb_advice_find(setup, problem, out->eps, far, job, &out->advice, status) : EB_OK;
}

eb_code eb_uncertainty_find(const eb_setup *setup, const eb_problem *problem, double eps, eb_job *job,
                            eb_uncertainty *out, eb_status *status)
{
    unsigned threads = setup->resources.threads ? setup->resources.threads : 1;
    *out = (eb_uncertainty){.eps = eps, .self = eb_is_self_join(problem), .error = NAN};
    if (eb_setup_exactness(setup) == EB_TRUTH)
        EB_TRY(find_error(problem, threads, job, &out->error, status));
    out->rounding = setup->engine->rounding;
    return out->rounding ? find_moved(setup, problem, threads, job, out, status) : EB_OK;
}

/* True if no pair is undecided: either no sum rounds, or ε = 0, where only s = 0 is within ε and only D = 0 gives s =
 * 0. */
static bool nothing_undecided(const eb_uncertainty *u) { return u->error == 0 || (u->eps == 0 && u->error > 0); }

/* True where ε(1 ± e) can be computed accurately enough. */
static bool can_tell(const eb_uncertainty *u) { return u->error > 0 && u->eps >= 0x1p-960 && u->eps <= 0x1p1022; }

double eb_uncertainty_wide_eps(const eb_uncertainty *u) { return can_tell(u) ? fma(u->eps, u->error, u->eps) : u->eps; }

typedef struct counting {
    const eb_neighbours *table;
    double low;
    _Atomic uint64_t near;
} counting;

static eb_code count_near(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread, (void)status;
    counting *c = context;
    uint64_t entries = c->table->offsets[c->table->rows], begin = task * EB_ENTRIES_A_TASK, near = 0;
    uint64_t end = entries - begin < EB_ENTRIES_A_TASK ? entries : begin + EB_ENTRIES_A_TASK;
    for (uint64_t k = begin; k < end; k++)
        near += eb_neighbours_distance(c->table, k) >= c->low;
    c->near += near;
    return EB_OK;
}

eb_code eb_uncertainty_count(eb_uncertainty *u, const eb_neighbours *table, unsigned threads, eb_job *job,
                             eb_status *status)
{
    if (!can_tell(u) || !table || !table->kept)
        return EB_OK;
    counting c = {.table = table, .low = fma(-u->eps, u->error, u->eps)};
    uint64_t entries = table->offsets[table->rows], tasks = (entries + EB_ENTRIES_A_TASK - 1) / EB_ENTRIES_A_TASK;
    EB_TRY(eb_parallel(threads, tasks, count_near, &c, job, status));
    u->wide = entries;
    u->near = c.near;
    u->known = true;
    return EB_OK;
}

void eb_uncertainty_figures(const eb_uncertainty *u, uint64_t pairs, eb_figures *figures)
{
    if (u->most > 0) {
        const eb_rounding *r = u->rounding;
        eb_figures_set(figures, r->moved, u->most);
        if (u->eps > 0)
            eb_figures_set(figures, r->moved_of_eps, u->most / u->eps);
    }
    if (isnan(u->error))
        return;
    eb_figures_set(figures, &eb_figure_truth_error, u->error);
    bool none = nothing_undecided(u);
    if (!none && !u->known)
        return;
    double missed = none ? 0 : (double)(u->wide - pairs), entries = u->self ? 2 : 1;
    double found = none ? 0 : (double)u->near - missed;
    eb_figures_set(figures, &eb_figure_undecided_found, found / entries);
    eb_figures_set(figures, &eb_figure_undecided_missed, missed / entries);
}

void eb_uncertainty_warning(const eb_uncertainty *u, char *buffer, size_t size)
{
    char most[48];
    buffer[0] = '\0';
    if (u->moved == 0)
        return;
    if (u->eps > 0)
        (void)snprintf(most, sizeof most, "%.3g ε", u->most / u->eps);
    else
        (void)snprintf(most, sizeof most, "%.3g", u->most);
    (void)snprintf(buffer, size,
                   "rounding to %s moves %llu of %zu points by ε/%g or more, up to %s: pairs may be wrong%s%s",
                   u->rounding->name, (unsigned long long)u->moved, u->points, SIZEABLE_PART, most,
                   u->advice.text[0] ? "; " : "", u->advice.text);
}
