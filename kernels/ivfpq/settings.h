/* settings: what the options of ivfpq mean, and a problem it has opened: pairs within ε by an inverted file of
 * product-quantised points (core/inverted/inverted.h). The index is made of the right points, all of them; a left point
 * asks it as a query (kernels/inverted/cpu/search.h).
 *
 * A pair's s is what its query finds: in one of its nprobe nearest lists the table's sum for the other's codes, FP32;
 * in another list nothing. From j to i it would be another number, or found where it was not. Of a self-join's pair the
 * point with the smaller index is the query, and its answer is the pair's: one look-up a pair, as a range search makes
 * for each left point of two sets, so that what a format of tables costs is not hidden by asking twice; and no pair is
 * computed twice.
 */
#pragma once

#include "kernels/inverted/cpu/search.h"
#include "kernels/inverted/cuda.h"
#include "kernels/walk/collect.h"

/* What options mean for these points. */
typedef struct eb_ivfpq_settings {
    eb_inverted_request request;
    eb_inverted_question question; /* k is 1: pairs within ε have no use for it */
} eb_ivfpq_settings;

/* index: what is asked for in the place of the options' own; NULL: nothing is. */
eb_ivfpq_settings eb_ivfpq_settings_of(const eb_options *options, eb_device_kind on, const eb_dataset *points,
                                       const eb_inverted_request *index);

/* EB_USAGE, whatever the points. */
eb_code eb_ivfpq_check_options(const eb_options *options, eb_device_kind on, eb_status *status);

/* An opened problem. */
typedef struct eb_ivfpq {
    eb_finder finder; /* first */
    eb_inverted_question question;
    eb_index_got got;
    const eb_inverted_search *by;   /* who searches */
    void *searching;                /* its state */
    eb_inverted_searcher *searcher; /* the threads', the same or, with a GPU, NULL until it is asked for distances */
    double unit;                    /* the points' own s for one of the file's: a power of two */
    float *queries;                 /* [asked_end − asked_begin × d] left points whose nearest were asked for last */
    size_t asked_begin, asked_end;
    char description[224];
} eb_ivfpq;

static inline bool eb_ivfpq_on_gpu(const eb_ivfpq *engine) { return engine->by != &eb_inverted_search_cpu; }

/* Pairs within ε, and the k nearest. */
eb_code eb_ivfpq_find(void *state, const eb_question *question, const eb_collector *to, eb_status *status);

eb_code eb_ivfpq_nearest(void *state, const eb_nearest_question *question, size_t first, size_t count, uint32_t *rows,
                         double *distances, eb_status *status);

/* The line for notes, with what a GPU's last question took of it. */
void eb_ivfpq_describe(eb_ivfpq *engine);

/* What s of the file's own may be where the points' may be so much; a little more. */
float eb_ivfpq_limit(const eb_ivfpq *engine, double limit);

eb_code eb_ivfpq_explain(const eb_dataset *points, size_t i, size_t j, double eps, const eb_options *options,
                         struct eb_report *report, eb_status *status);
