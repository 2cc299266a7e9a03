#include "core/experiment/ablate.h"

#include <stdio.h>
#include <string.h>

/* ---- the digest of a neighbour table ---- */

typedef struct digest {
    bool known; /* false: the table did not fit */
    uint64_t value;
} digest;

/* An odd multiplier carries every bit upwards, the shift brings them down again: each step is a bijection of the
 * digest, so that two tables that differ in one word only never end up alike. */
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

/* In one piece: a join in batches may run another variant's kernel (a row range has no symmetric half). */
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

/* ---- the variants ---- */

/* "without swizzle", "with swizzle, pipeline". */
static const char *describe(const eb_ablation *a, const eb_variant *v, char *buffer, size_t size)
{
    const eb_options *baseline = &a->variant[0].setup.options, *own = &v->setup.options;
    char names[EB_OPTIONS_TEXT];
    const uint32_t changed = a->from_bare ? eb_flags_lost(own, baseline) : eb_flags_lost(baseline, own);
    (void)eb_flag_names(own->list, changed, ", ", names, sizeof names);
    (void)snprintf(buffer, size, "%s %s", a->from_bare ? "with" : "without", names);
    return buffer;
}

static eb_code fail_different(const eb_ablation *a, const eb_variant *v, eb_status *status)
{
    char how[EB_OPTIONS_TEXT + 16];
    const char *engine = v->setup.engine->name, *baseline = a->from_bare ? "every switch off" : "everything on";
    unsigned long long found = v->run.pairs, expected = a->variant[0].run.pairs;
    (void)describe(a, v, how, sizeof how);
    if (found != expected)
        return eb_fail(status, EB_INTERNAL,
                       "%s %s found %llu pairs, and %llu with %s; the switches must not change results", engine, how,
                       found, expected, baseline);
    return eb_fail(status, EB_INTERNAL,
                   "%s %s found the same number of pairs as with %s, but other neighbours or distances; the switches "
                   "must not change results",
                   engine, how, baseline);
}

static eb_code compare(const eb_ablation *a, eb_variant *v, digest baseline, digest found, eb_status *status)
{
    if (v->run.pairs != a->variant[0].run.pairs || (baseline.known && found.known && found.value != baseline.value)) {
        v->sameness = EB_DIFFERENT;
        return fail_different(a, v, status);
    }
    v->sameness = baseline.known && found.known ? EB_IDENTICAL : EB_SAME_COUNT;
    return EB_OK;
}

/* Measures a->variant[a->done]. The first is the baseline. */
static eb_code run_variant(eb_ablation *a, eb_measure_request q, digest *baseline, const eb_run_observer *observer,
                           eb_job *job, eb_status *status)
{
    eb_forecast_run(q.forecast, a->done);
    eb_variant *v = &a->variant[a->done++];
    digest found = {.known = false};
    q.setup = &v->setup;
    q.mode = EB_RUN_COUNT;
    EB_TRY(eb_measure(&q, observer, job, &v->run, status));
    EB_TRY(digest_of(&q, v->run.pairs, job, &found, status));
    if (v == &a->variant[0])
        *baseline = found;
    return compare(a, v, *baseline, found, status);
}

static eb_code run_variants(eb_ablation *a, eb_measure_request q, const eb_run_observer *observer, eb_job *job,
                            eb_status *status)
{
    digest baseline = {.known = false};
    eb_forecast forecast;
    eb_code failed = EB_OK;
    q.forecast = &forecast;
    eb_forecast_begin(&forecast, job, "variant", a->wanted, q.trials);
    if (q.warm_up != EB_WARM_UP_NONE)
        eb_forecast_look(&forecast, 0, &a->variant[0].setup, &q.problem, q.eps);
    eb_forecast_announce(&forecast);
    for (size_t k = 0; k < a->wanted && !failed; k++)
        failed = run_variant(a, q, &baseline, observer, job, status);
    eb_forecast_end(&forecast);
    return failed;
}

/* All at once: several cores may work at it. */
static eb_code prepare(const eb_ablation *a, eb_job *job, eb_status *status)
{
    const eb_setup *setups[EB_MOST_VARIANTS];
    for (size_t k = 0; k < a->wanted; k++)
        setups[k] = &a->variant[k].setup;
    return eb_setups_prepare(setups, a->wanted, job, status);
}

eb_code eb_ablate(const eb_measure_request *request, const eb_ablation_plan *plan, const eb_run_observer *observer,
                  eb_job *job, eb_ablation *out, eb_status *status)
{
    eb_switch_sets sets;
    out->way = plan->way;
    out->from_bare = plan->from_bare;
    out->wanted = out->done = 0;
    EB_TRY(eb_choose_switch_sets(request->setup, plan, &sets, status));
    for (size_t k = 0; k < sets.count; k++) {
        out->variant[k] = (eb_variant){.named = sets.set[k].named, .setup = *request->setup};
        EB_TRY(eb_setup_change(&out->variant[k].setup, &sets.set[k].options, status));
    }
    out->wanted = sets.count;
    EB_TRY(prepare(out, job, status));
    return run_variants(out, *request, observer, job, status);
}

void eb_ablation_free(eb_ablation *ablation)
{
    for (size_t k = 0; k < ablation->done; k++)
        eb_run_free(&ablation->variant[k].run);
    ablation->done = 0;
}
