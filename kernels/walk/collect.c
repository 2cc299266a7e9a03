#include "kernels/walk/collect.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/engine/problem.h"

/* ---- a distance pass: each thread counts and keeps its own distances, without locks ---- */

typedef struct eb_value_list {
    double *values;
    size_t count, capacity;
} value_list;

static eb_code append(value_list *list, double value, eb_status *status)
{
    if (!eb_array_grow(&list->values, list->count, &list->capacity, sizeof value, 1024))
        return eb_fail_memory(status, "the distances inside the brackets", 2 * list->capacity * sizeof value);
    list->values[list->count++] = value;
    return EB_OK;
}

/* The first interval whose upper threshold is not below s. */
static size_t interval_of(const double *thresholds, size_t edges, double s)
{
    size_t base = 0;
    for (size_t length = edges; length > 1;) {
        size_t half = length / 2;
        base = thresholds[base + half - 1] < s ? base + half : base;
        length -= half;
    }
    return base;
}

eb_code eb_collect_distances(const eb_collector *c, unsigned thread, const double *s, size_t count, eb_status *status)
{
    const eb_distance_pass *pass = c->pass;
    eb_collected *mine = &c->thread[thread];
    for (size_t k = 0; k < count; k++) {
        size_t interval = interval_of(c->thresholds, pass->edges, s[k]);
        mine->pairs[interval]++;
        if (pass->keep[interval])
            EB_TRY(append(&mine->kept[interval], s[k], status));
    }
    return EB_OK;
}

/* Adds up one interval over the threads. A thread's list is freed once it is copied, so that list and copy exist
 * together for one interval only. */
static eb_code add_up(const eb_collector *c, size_t interval, eb_status *status)
{
    eb_distance_pass *pass = c->pass;
    uint64_t pairs = 0;
    for (unsigned t = 0; t < c->threads; t++)
        pairs += c->thread[t].pairs[interval];
    pass->pairs[interval] = pairs;
    if (!pass->keep[interval])
        return EB_OK;
    double *values = malloc((pairs ? pairs : 1) * sizeof *values);
    if (!values)
        return eb_fail_memory(status, "the distances inside the brackets", pairs * sizeof *values);
    size_t at = 0;
    for (unsigned t = 0; t < c->threads; t++) {
        value_list *list = &c->thread[t].kept[interval];
        if (list->count)
            memcpy(values + at, list->values, list->count * sizeof *values);
        at += list->count;
        free(list->values);
        *list = (value_list){.values = NULL};
    }
    pass->kept[interval] = values;
    return EB_OK;
}

/* On failure pass->kept has only NULL. */
static eb_code add_up_all(const eb_collector *c, eb_status *status)
{
    eb_distance_pass *pass = c->pass;
    eb_code failed = EB_OK;
    for (size_t k = 0; k < pass->edges && !failed; k++)
        failed = add_up(c, k, status);
    for (size_t k = 0; k < pass->edges && failed; k++) {
        free(pass->kept[k]);
        pass->kept[k] = NULL;
    }
    return failed;
}

/* ---- buffers ---- */

static eb_code make_intervals(eb_collector *c, eb_status *status)
{
    const size_t edges = c->pass->edges;
    c->thresholds = calloc(edges, sizeof *c->thresholds);
    if (!c->thresholds)
        return eb_fail_memory(status, "the histogram's edges", edges * sizeof *c->thresholds);
    for (size_t k = 0; k < edges; k++)
        c->thresholds[k] = eb_squared_threshold(c->pass->eps[k]);
    for (unsigned t = 0; t < c->threads; t++) {
        eb_collected *of = &c->thread[t];
        of->pairs = calloc(edges, sizeof *of->pairs);
        of->kept = calloc(edges, sizeof *of->kept);
        if (!of->pairs || !of->kept)
            return eb_fail_memory(status, "a thread's histogram", edges * sizeof *of->kept);
    }
    return EB_OK;
}

static eb_code make_room(eb_collector *c, eb_status *status)
{
    c->thread = aligned_alloc(64, c->threads * sizeof *c->thread);
    if (!c->thread)
        return eb_fail_memory(status, "threads' pairs", c->threads * sizeof *c->thread);
    memset(c->thread, 0, c->threads * sizeof *c->thread);
    for (unsigned t = 0; t < c->threads && !eb_only_counts(c); t++) {
        eb_collected *of = &c->thread[t];
        of->hits = c->sink ? malloc(EB_COLLECT_BATCH * sizeof *of->hits) : NULL;
        of->s = c->pass ? malloc(EB_COLLECT_BATCH * sizeof *of->s) : NULL;
        if (!of->hits && !of->s)
            return eb_fail_memory(status, "hit buffers", EB_COLLECT_BATCH * sizeof *of->hits);
    }
    return c->pass ? make_intervals(c, status) : EB_OK;
}

static void free_room(eb_collector *c)
{
    for (unsigned t = 0; c->thread && t < c->threads; t++) {
        eb_collected *of = &c->thread[t];
        for (size_t k = 0; of->kept && k < c->pass->edges; k++)
            free(of->kept[k].values);
        free(of->kept);
        free(of->pairs);
        free(of->hits);
        free(of->s);
    }
    free(c->thread);
    free(c->thresholds);
}

/* ---- a question ---- */

eb_code eb_collect_batch(const eb_collector *c, unsigned thread, eb_status *status)
{
    eb_collected *mine = &c->thread[thread];
    const size_t count = mine->count;
    mine->count = 0;
    if (count == 0)
        return EB_OK;
    if (c->pass)
        return eb_collect_distances(c, thread, mine->s, count, status);
    if (!c->sink->hits)
        return eb_fail(status, EB_INTERNAL, "the sink takes no single hits, which is all this engine gives");
    return c->sink->hits(c->sink->context, thread, mine->hits, count, status);
}

static eb_code find_all(void *state, const eb_question *question, eb_collector *c, eb_status *status)
{
    const eb_finder *finder = state;
    EB_TRY(eb_question_check(question, &c->share, finder->problem, status));
    c->self = eb_is_self_join(finder->problem);
    c->some_rows = c->share.row_begin > 0 || c->share.row_end < finder->problem->left->n;
    c->threads = finder->context->threads;
    EB_TRY(make_room(c, status));
    EB_TRY(finder->find(state, question, c, status));
    for (unsigned t = 0; t < c->threads; t++)
        EB_TRY(eb_collect_batch(c, t, status));
    return c->pass ? add_up_all(c, status) : EB_OK;
}

eb_code eb_collect_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                         eb_status *status)
{
    eb_collector c = {.share = *share};
    const eb_code failed = find_all(state, question, &c, status);
    *entries = failed || !c.self ? 0 : eb_self_pairs_of(share);
    for (unsigned t = 0; t < c.threads && !failed; t++)
        *entries += c.thread[t].entries;
    free_room(&c);
    return failed;
}

eb_code eb_collect_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                        eb_status *status)
{
    eb_collector c = {.share = *share, .sink = sink};
    const eb_code failed = find_all(state, question, &c, status);
    free_room(&c);
    return failed;
}

eb_code eb_collect_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    const eb_finder *finder = state;
    eb_collector c = {.share = eb_pass_share(pass, finder->problem->left->n), .pass = pass};
    for (size_t k = 0; k < pass->edges; k++)
        pass->kept[k] = NULL;
    if (pass->edges == 0)
        return EB_OK;
    const eb_question question = {.eps = pass->eps[pass->edges - 1]};
    const eb_code failed = find_all(state, &question, &c, status);
    free_room(&c);
    return failed;
}
