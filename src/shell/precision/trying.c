#include "shell/precision/trying.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/model/rate.h"
#include "shell/commands/accuracy_report.h"
#include "shell/defaults.h"
#include "shell/precision/predicting.h"

static void tell(const eb_trying *t)
{
    if (t->changed)
        t->changed(t->context);
}

/* ---- which ---- */

static bool runs_on_gpu(const eb_setup *setup) { return setup->device.kind == EB_DEVICE_CUDA; }

/* The setups of a rung by a spec. One that the session's GPU refuses gets the CPU's setup. */
static eb_code set_up(eb_session *session, eb_trying *t, size_t k, const char *spec, eb_status *status)
{
    eb_status why;
    EB_TRY(eb_emulation_setup(session, t->core, spec, &t->emulation[k], status));
    const eb_code failed = eb_session_setup(session, spec, &t->setup[k], &why);
    if (failed && failed != EB_NO_ENGINE && failed != EB_NO_DEVICE)
        return eb_fail(status, failed, "%s", why.message);
    t->rung[k].lacking = failed != EB_OK;
    if (failed)
        (void)snprintf(t->lacks, sizeof t->lacks, "%s", why.message);
    if (failed || !runs_on_gpu(&t->setup[k]))
        t->setup[k] = t->emulation[k];
    return EB_OK;
}

/* Where no rung runs on the GPU, the CPU joins all of them. */
static void choose_joins(eb_trying *t)
{
    for (size_t k = 0; k < t->rungs; k++)
        t->on_gpu |= runs_on_gpu(&t->setup[k]);
    for (size_t k = 0; k < t->rungs; k++)
        t->rung[k].lacking &= t->on_gpu;
}

eb_code eb_trying_choose(eb_session *session, const char *types, eb_trying *t, eb_status *status)
{
    EB_TRY(eb_ladder_check(types, status));
    const eb_ladder_rung *rung;
    const eb_ladder_switch *one;
    eb_device device;
    EB_TRY(eb_session_device(session, &device, status));
    (void)eb_core_of(&device, t->core);
    for (size_t k = 0; (rung = eb_ladder_at(k)); k++)
        if (eb_ladder_names(types, rung->type, rung->usual)) {
            t->rung[t->rungs] = (eb_tried_rung){.rung = rung, .run = SIZE_MAX, .rate = (double)NAN};
            EB_TRY(set_up(session, t, t->rungs++, rung->spec, status));
        }
    for (size_t k = 0; (one = eb_ladder_switch_at(k)); k++)
        if (eb_ladder_names(types, one->type, strcmp(one->type, "tf32") != 0))
            t->prepared[t->switches++] = (eb_tried_switch){one, (double)NAN, (double)NAN};
    t->hurt = t->rungs;
    choose_joins(t);
    return eb_session_truth(session, &t->setup[t->rungs], status);
}

/* ---- predicting ---- */

/* The rate of a join at the number of neighbours that the sampled points have. */
static eb_code predict_rates(const eb_session *session, eb_trying *t, eb_status *status)
{
    const double selectivity = t->queries > 0 ? t->neighbours : 0;
    for (size_t k = 0; k < t->rungs; k++) {
        double flops;
        EB_TRY(eb_model_rate(t->setup[k].engine, &t->setup[k].options, session->dataset->n, session->dataset->d,
                             selectivity, t->machine, &flops, status));
        t->rung[k].rate = 1e-12 * flops;
    }
    return EB_OK;
}

static eb_code add_all(eb_session *session, const eb_trying *t, eb_predictions *p, eb_status *status)
{
    for (size_t k = 0; k < t->rungs; k++) {
        EB_TRY(eb_predictions_add(session, p, t->rung[k].rung->spec, status));
        EB_TRY(eb_predictions_add(session, p, t->rung[k].rung->other, status));
    }
    for (size_t k = 0; k < t->switches; k++) {
        EB_TRY(eb_predictions_add(session, p, t->prepared[k].of->raw, status));
        EB_TRY(eb_predictions_add(session, p, t->prepared[k].of->prepared, status));
    }
    return EB_OK;
}

/* Of two ways to prepare the points the better one becomes the rung's. */
static eb_code take_rung(eb_session *session, eb_trying *t, size_t k, const eb_predictions *p, eb_status *status)
{
    eb_tried_rung *tried = &t->rung[k];
    const eb_predicted *own, *other;
    EB_TRY(eb_predictions_take(p, tried->rung->spec, &own, status));
    tried->prediction = own->overlap;
    if (!tried->rung->other || own->overlap.exact)
        return EB_OK;
    EB_TRY(eb_predictions_take(p, tried->rung->other, &other, status));
    if (!(other->overlap.overlap > own->overlap.overlap))
        return EB_OK;
    tried->prediction = other->overlap;
    return set_up(session, t, k, tried->rung->other, status);
}

/* NAN for points that the type refuses, as they overflow it. */
static eb_code take_overlap(const eb_predictions *p, const char *spec, double *overlap, eb_status *status)
{
    const eb_predicted *one;
    const eb_code failed = eb_predictions_take(p, spec, &one, status);
    *overlap = failed ? (double)NAN : one->overlap.overlap;
    return failed == EB_BAD_VALUE ? EB_OK : failed;
}

static eb_code predict_all(eb_session *session, eb_trying *t, eb_predictions *p, eb_job *job, eb_status *status)
{
    EB_TRY(add_all(session, t, p, status));
    EB_TRY(eb_predictions_run(p, session->settings.threads, job, status));
    for (size_t k = 0; k < t->rungs; k++)
        EB_TRY(take_rung(session, t, k, p, status));
    choose_joins(t);
    for (size_t k = 0; k < t->switches; k++) {
        EB_TRY(take_overlap(p, t->prepared[k].of->raw, &t->prepared[k].raw, status));
        EB_TRY(take_overlap(p, t->prepared[k].of->prepared, &t->prepared[k].prepared, status));
    }
    return predict_rates(session, t, status);
}

static eb_code predict(eb_session *session, eb_trying *t, const eb_near_pairs *sample, eb_job *job, eb_status *status)
{
    t->queries = sample->queries;
    t->pairs = sample->count;
    t->slope = sample->slope;
    t->neighbours = (double)sample->within / (double)sample->queries;
    eb_predictions *p = calloc(1, sizeof *p);
    if (!p)
        return eb_fail_memory(status, "predictions", sizeof *p);
    p->sample = sample;
    p->core = t->core;
    const eb_code failed = predict_all(session, t, p, job, status);
    free(p);
    tell(t);
    return failed;
}

/* ---- measuring ---- */

static void told(void *context, const eb_comparison *c, size_t k)
{
    (void)c, (void)k;
    tell(context);
}

/* A device's limits, which are measured if they are unknown: once, as all setups on a GPU are on the same. */
static void rate(eb_session *session, eb_setup *setup, size_t count, eb_job *job)
{
    const eb_device *first = NULL;
    for (size_t k = 0; k < count; k++) {
        eb_device *device = &setup[k].device;
        if (first && strcmp(first->name, device->name) == 0)
            memcpy(device->limit, first->limit, sizeof device->limit);
        else
            eb_limits_ensure(session, device, job);
        first = runs_on_gpu(&setup[k]) ? device : first;
    }
}

/* The truth runs first, so that each rung is compared as it ends. */
static eb_code compare(eb_session *session, eb_trying *t, eb_job *job, eb_status *status)
{
    eb_setup setup[EB_MOST_RUNGS + 1] = {t->setup[t->rungs]};
    eb_compare_request request = t->sample;
    size_t count = 1;
    for (size_t k = 0; k < t->rungs; k++)
        if (!t->rung[k].prediction.useless && !t->rung[k].lacking) {
            t->rung[k].run = count;
            setup[count++] = t->setup[k];
        }
    if (count == 1)
        return EB_OK;
    rate(session, setup, count, job);
    request.setup = setup;
    request.count = count;
    request.dataset = session->dataset;
    request.eps = t->eps;
    request.trials = 1;
    request.memory_limit = session->settings.memory_limit;
    request.distances = EB_DISTANCES_F64;
    request.bins = EB_FINE_BINS;
    request.threads = session->settings.threads;
    request.seed = session->settings.seed;
    request.brief = true;
    request.compared = told;
    request.context = t;
    const eb_run_observer observer = eb_session_observer(session);
    EB_TRY(eb_compare_check(&request, status));
    t->measured = calloc(1, sizeof *t->measured);
    if (!t->measured)
        return eb_fail_memory(status, "a comparison", sizeof *t->measured);
    eb_session_drop_neighbours(session);
    const eb_code failed = eb_compare(&request, &observer, job, t->measured, status);
    for (size_t k = 0; k < t->measured->count; k++)
        if (t->measured->compared[k])
            eb_accuracy_log(session, t->measured, k);
    eb_comparison_drop_neighbours(t->measured);
    tell(t);
    return failed;
}

typedef struct ranking {
    eb_trying *t;
    const eb_near_pairs *sample;
} ranking;

static eb_code rank_rung(void *context, uint64_t rung, unsigned thread, eb_status *status)
{
    const ranking *r = context;
    eb_tried_rung *tried = &r->t->rung[rung];
    (void)thread;
    if (tried->run == SIZE_MAX)
        return EB_OK;
    EB_TRY(eb_ranks_measure(r->sample, &r->t->emulation[rung], r->t->k, NULL, &tried->ranks, status));
    tried->ranked = true;
    return EB_OK;
}

static eb_code rank(eb_trying *t, const eb_near_pairs *sample, unsigned threads, eb_job *job, eb_status *status)
{
    ranking r = {t, sample};
    EB_TRY(eb_parallel(threads, t->rungs, rank_rung, &r, job, status));
    tell(t);
    return EB_OK;
}

/* Losses are told of the best rung that is too cheap, or of the cheapest one if that is enough. */
static eb_code look_where_it_hurts(eb_trying *t, const eb_near_pairs *sample, eb_job *job, eb_status *status)
{
    const size_t cheapest = eb_trying_cheapest(t), cheaper = eb_trying_cheaper(t, cheapest);
    const size_t hurt = cheaper < t->rungs ? cheaper : cheapest < t->rungs ? cheapest : eb_trying_best(t);
    if (hurt == t->rungs || isnan(t->slope))
        return EB_OK;
    t->dimension = malloc(sample->dataset->d * sizeof *t->dimension);
    if (!t->dimension)
        return eb_fail_memory(status, "shares of dimensions", sample->dataset->d * sizeof *t->dimension);
    EB_TRY(eb_dimension_errors(sample, &t->emulation[hurt], job, t->dimension, status));
    t->hurt = hurt;
    return EB_OK;
}

eb_code eb_trying_run(eb_session *session, eb_trying *t, eb_job *job, eb_status *status)
{
    eb_near_pairs sample;
    t->begun = true;
    t->slope = (double)NAN;
    eb_code failed =
        eb_near_pairs_find(session->dataset, t->eps, &t->setup[t->rungs], session->settings.seed, job, &sample, status);
    if (!failed)
        failed = predict(session, t, &sample, job, status);
    if (!failed && !t->predict)
        failed = compare(session, t, job, status);
    if (!failed && !t->predict)
        failed = rank(t, &sample, session->settings.threads, job, status);
    if (!failed)
        failed = look_where_it_hurts(t, &sample, job, status);
    eb_near_pairs_free(&sample);
    return failed;
}

void eb_trying_free(eb_trying *t)
{
    if (t->measured)
        eb_comparison_free(t->measured);
    free(t->measured);
    free(t->dimension);
    t->measured = NULL;
    t->dimension = NULL;
}

/* ---- which is enough ---- */

const eb_accuracy *eb_trying_accuracy(const eb_trying *t, size_t rung)
{
    const size_t run = t->rung[rung].run;
    return t->measured && run < t->measured->count && t->measured->compared[run] ? &t->measured->accuracy[run] : NULL;
}

const eb_run *eb_trying_run_of(const eb_trying *t, size_t rung)
{
    const size_t at = rung == t->rungs ? 0 : t->rung[rung].run;
    const eb_run *run = t->on_gpu && t->measured && at < t->measured->count ? &t->measured->run[at] : NULL;
    return run && runs_on_gpu(&run->setup) && run->trials_done > 0 ? run : NULL;
}

double eb_trying_overlap(const eb_trying *t, size_t rung)
{
    const eb_accuracy *a = eb_trying_accuracy(t, rung);
    return a ? a->overlap : t->rung[rung].prediction.overlap;
}

static unsigned bytes_of(const eb_trying *t, size_t rung) { return t->rung[rung].rung->bytes; }

size_t eb_trying_cheapest(const eb_trying *t)
{
    size_t best = t->rungs;
    for (size_t k = 0; k < t->rungs; k++) {
        const double overlap = eb_trying_overlap(t, k);
        if (overlap >= t->want &&
            (best == t->rungs || (bytes_of(t, k) == bytes_of(t, best) && overlap > eb_trying_overlap(t, best))))
            best = k;
    }
    return best;
}

size_t eb_trying_cheaper(const eb_trying *t, size_t rung)
{
    size_t best = t->rungs;
    for (size_t k = 0; k < t->rungs && rung < t->rungs; k++)
        if (bytes_of(t, k) < bytes_of(t, rung) && !isnan(eb_trying_overlap(t, k)) &&
            (best == t->rungs || eb_trying_overlap(t, k) > eb_trying_overlap(t, best)))
            best = k;
    return best;
}

size_t eb_trying_best(const eb_trying *t)
{
    size_t best = t->rungs;
    for (size_t k = 0; k < t->rungs; k++)
        if (!isnan(eb_trying_overlap(t, k)) &&
            (best == t->rungs || eb_trying_overlap(t, k) > eb_trying_overlap(t, best)))
            best = k;
    return best;
}
