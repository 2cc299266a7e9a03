#include "kernels/walk/tally.h"

#include <stdlib.h>
#include <string.h>

typedef struct value_list {
    double *values;
    size_t count, capacity;
} value_list;

typedef struct thread_tally {
    uint64_t *pairs;  /* [edges] */
    value_list *kept; /* [edges] */
} thread_tally;

struct eb_tally {
    const eb_distance_pass *pass;
    unsigned threads;
    double *thresholds;    /* [edges] fl(ε·ε) of each edge */
    thread_tally *tallies; /* [threads] */
};

static eb_code append(value_list *list, double value, eb_status *status)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        double *values = realloc(list->values, capacity * sizeof *values);
        if (!values)
            return eb_fail_memory(status, "the distances inside the brackets", capacity * sizeof *values);
        list->values = values;
        list->capacity = capacity;
    }
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

eb_code eb_tally_take(eb_tally *tally, unsigned thread, const double *s, size_t count, eb_status *status)
{
    const eb_distance_pass *pass = tally->pass;
    thread_tally *mine = &tally->tallies[thread];
    for (size_t k = 0; k < count; k++) {
        size_t interval = interval_of(tally->thresholds, pass->edges, s[k]);
        mine->pairs[interval]++;
        if (pass->keep[interval])
            EB_TRY(append(&mine->kept[interval], s[k], status));
    }
    return EB_OK;
}

static eb_code allocate(eb_tally *tally, eb_status *status)
{
    size_t edges = tally->pass->edges;
    tally->thresholds = calloc(edges, sizeof *tally->thresholds);
    tally->tallies = calloc(tally->threads, sizeof *tally->tallies);
    if (!tally->thresholds || !tally->tallies)
        return eb_fail_memory(status, "the histogram's edges", edges * sizeof *tally->thresholds);
    for (unsigned t = 0; t < tally->threads; t++) {
        thread_tally *of = &tally->tallies[t];
        of->pairs = calloc(edges, sizeof *of->pairs);
        of->kept = calloc(edges, sizeof *of->kept);
        if (!of->pairs || !of->kept)
            return eb_fail_memory(status, "a thread's histogram", edges * sizeof *of->kept);
    }
    for (size_t k = 0; k < edges; k++)
        tally->thresholds[k] = eb_squared_threshold(tally->pass->eps[k]);
    return EB_OK;
}

eb_code eb_tally_new(const eb_distance_pass *pass, unsigned threads, eb_tally **out, eb_status *status)
{
    eb_tally *tally = calloc(1, sizeof *tally);
    if (!tally)
        return eb_fail_memory(status, "a histogram", sizeof *tally);
    *tally = (eb_tally){.pass = pass, .threads = threads};
    eb_code failed = allocate(tally, status);
    if (failed)
        eb_tally_free(tally);
    else
        *out = tally;
    return failed;
}

/* Adds up one interval over the threads; their lists are freed as they are copied, so that both exist for one interval
 * at a time only. */
static eb_code collect(const eb_tally *tally, size_t interval, eb_distance_pass *pass, eb_status *status)
{
    uint64_t pairs = 0;
    for (unsigned t = 0; t < tally->threads; t++)
        pairs += tally->tallies[t].pairs[interval];
    pass->pairs[interval] = pairs;
    if (!pass->keep[interval])
        return EB_OK;
    double *values = malloc((pairs ? pairs : 1) * sizeof *values);
    if (!values)
        return eb_fail_memory(status, "the distances inside the brackets", pairs * sizeof *values);
    size_t at = 0;
    for (unsigned t = 0; t < tally->threads; t++) {
        value_list *list = &tally->tallies[t].kept[interval];
        if (list->count)
            memcpy(values + at, list->values, list->count * sizeof *values);
        at += list->count;
        free(list->values);
        *list = (value_list){.values = NULL};
    }
    pass->kept[interval] = values;
    return EB_OK;
}

eb_code eb_tally_finish(eb_tally *tally, eb_distance_pass *pass, eb_status *status)
{
    eb_code failed = EB_OK;
    for (size_t k = 0; k < pass->edges; k++)
        pass->kept[k] = NULL;
    for (size_t k = 0; k < pass->edges && !failed; k++)
        failed = collect(tally, k, pass, status);
    for (size_t k = 0; k < pass->edges && failed; k++) {
        free(pass->kept[k]);
        pass->kept[k] = NULL;
    }
    return failed;
}

void eb_tally_free(eb_tally *tally)
{
    if (!tally)
        return;
    for (unsigned t = 0; tally->tallies && t < tally->threads; t++) {
        for (size_t k = 0; tally->tallies[t].kept && k < tally->pass->edges; k++)
            free(tally->tallies[t].kept[k].values);
        free(tally->tallies[t].kept);
        free(tally->tallies[t].pairs);
    }
    free(tally->tallies);
    free(tally->thresholds);
    free(tally);
}
