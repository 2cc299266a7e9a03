#include "core/experiment/ablate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the digest of a neighbour table ---- */

typedef struct digest {
    bool known; /* false: the table did not fit in memory */
    uint64_t value;
} digest;

/* The multiplication by an odd number spreads each bit upwards, the shift brings the high bits down. Both steps are
 * bijections, so two tables that differ in exactly one word have different digests. */
static uint64_t stir(uint64_t value, uint64_t word)
{
    value = (value ^ word) * 0x9e3779b97f4a7c15u;
    return value ^ value >> 32;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static eb_code take_table(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    digest *d = context;
    for (size_t r = 0; r < batch->rows; r++) {
        d->value = stir(d->value, batch->offsets[r + 1] - batch->offsets[r]);
        for (uint64_t k = batch->offsets[r]; k < batch->offsets[r + 1]; k++)
            d->value = stir(stir(d->value, batch->columns[k]), bits_of(eb_neighbours_distance(batch, k)));
    }
    eb_neighbours_free(batch);
    return EB_OK;
}

/* Makes the table in one piece, because a join in batches may run another variant's kernel (a row range has no
 * symmetric half). */
static eb_code digest_of(const eb_measure_request *q, uint64_t pairs, eb_job *job, digest *out, eb_status *status)
{
    eb_opened opened;
    eb_join_result result = {.pairs = 0};
    eb_join_plan plan = {.question.eps = q->eps,
                         .distances = EB_DISTANCES_F64,
                         .whole = true,
                         .memory_limit = q->memory.tables,
                         .expected_pairs = pairs,
                         .phase = "comparing results"};
    *out = (digest){.known = false};
    eb_job_phase(job, plan.phase, q->problem.left->n);
    EB_TRY(eb_problem_open(q->setup, &q->problem, job, &opened, status));
    eb_code failed = eb_join_run(&opened, &plan, take_table, out, &result, status);
    eb_problem_close(&opened);
    if (!failed && result.pairs != pairs)
        failed = eb_fail(status, EB_INTERNAL, "%s counted %llu pairs and found %llu", q->setup->spec,
                         (unsigned long long)pairs, (unsigned long long)result.pairs);
    out->known = !failed;
    return failed == EB_NO_MEMORY ? EB_OK : failed;
}

/* ---- variants ---- */

/* Context of check(). */
typedef struct comparing {
    eb_ablation *ablation;
    digest baseline;
} comparing;

/* Writes "without swizzle" or "with swizzle, pipeline". */
static const char *describe(const eb_ablation *a, const eb_experiment_cell *cell, char *buffer, size_t size)
{
    const eb_options *baseline = &a->setup[0].options, *own = &cell->setup->options;
    char names[EB_OPTIONS_TEXT];
    const uint64_t changed = a->from_bare ? eb_flags_lost(own, baseline) : eb_flags_lost(baseline, own);
    (void)eb_flag_names(own->list, changed, ", ", names, sizeof names);
    (void)snprintf(buffer, size, "%s %s", a->from_bare ? "with" : "without", names);
    return buffer;
}

static eb_code fail_different(const eb_ablation *a, const eb_experiment_cell *cell, eb_status *status)
{
    char how[EB_OPTIONS_TEXT + 16];
    const char *engine = cell->setup->engine->name, *baseline = a->from_bare ? "every switch off" : "everything on";
    unsigned long long found = cell->run.pairs, expected = a->e.cell[0].run.pairs;
    (void)describe(a, cell, how, sizeof how);
    if (found != expected)
        return eb_fail(status, EB_INTERNAL,
                       "%s %s found %llu pairs, and %llu with %s; the switches must not change results", engine, how,
                       found, expected, baseline);
    return eb_fail(status, EB_INTERNAL,
                   "%s %s found the same number of pairs as with %s, but other neighbours or distances; the switches "
                   "must not change results",
                   engine, how, baseline);
}

static eb_code check(void *context, eb_experiment_cell *cell, const eb_measure_request *ask, eb_job *job,
                     eb_status *status)
{
    comparing *c = context;
    const eb_experiment_cell *baseline = &c->ablation->e.cell[0];
    digest found;
    EB_TRY(digest_of(ask, cell->run.pairs, job, &found, status));
    if (cell == baseline)
        c->baseline = found;
    const bool known = c->baseline.known && found.known;
    const bool same = cell->run.pairs == baseline->run.pairs && (!known || found.value == c->baseline.value);
    cell->sameness = !same ? EB_DIFFERENT : known ? EB_IDENTICAL : EB_SAME_COUNT;
    return same ? EB_OK : fail_different(c->ablation, cell, status);
}

eb_code eb_ablate(const eb_measure_request *q, const eb_ablation_plan *plan, const eb_run_observer *observer,
                  eb_job *job, eb_ablation *out, eb_status *status)
{
    eb_switch_sets sets;
    comparing c = {.ablation = out};
    *out = (eb_ablation){.way = plan->way, .from_bare = plan->from_bare};
    EB_TRY(eb_choose_switch_sets(q->setup, plan, &sets, status));
    for (size_t k = 0; k < sets.count; k++) {
        out->named[k] = sets.set[k].named;
        out->setup[k] = *q->setup;
        EB_TRY(eb_setup_change(&out->setup[k], &sets.set[k].options, status));
    }
    out->request = (eb_experiment_request){.what = "variant",
                                           .setup = out->setup,
                                           .setups = sets.count,
                                           .points = q->problem.left,
                                           .eps = q->eps,
                                           .mode = EB_RUN_COUNT,
                                           .distances = q->distances,
                                           .trials = q->trials,
                                           .warm_up = q->warm_up,
                                           .memory = q->memory,
                                           .looks = 1,
                                           .limit_s = INFINITY,
                                           .host = {.context = &c, .check = check, .observer = observer}};
    return eb_experiment_run(&out->request, job, &out->e, status);
}

void eb_ablation_free(eb_ablation *ablation) { eb_experiment_free(&ablation->e); }
