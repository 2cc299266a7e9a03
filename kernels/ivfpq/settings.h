/* settings: the settings that ivfpq's options stand for, and ivfpq's opened problem: pairs within ε by an inverted file
 * of product-quantised points (core/inverted/inverted.h). The index is made of all right points; a left point is a
 * query (kernels/inverted/cpu/search.h).
 *
 * A pair's s is the query's answer: the FP32 sum of the table for the other point's codes if that point is in one of
 * the query's nprobe nearest lists, otherwise the pair is not found. Asked from j to i the answer may differ. In a
 * self-join the point with the smaller index is the query, and its answer counts for the pair. So there is one look-up
 * for each pair, as in a range search over two sets: no pair is computed twice, and the cost of a table format is not
 * hidden by asking twice.
 */
#pragma once

#include "kernels/inverted/cpu/search.h"
#include "kernels/inverted/cuda.h"
#include "kernels/walk/collect.h"

/* The options' meaning for these points. */
typedef struct eb_ivfpq_settings {
    eb_inverted_request request;
    eb_inverted_question question; /* k is 1, and ignored for pairs within ε */
} eb_ivfpq_settings;

/* index: replaces the options' own request for an index; NULL: does not. */
eb_ivfpq_settings eb_ivfpq_settings_of(const eb_options *options, eb_device_kind on, const eb_dataset *points,
                                       const eb_inverted_request *index);

/* EB_USAGE for options that no points allow. */
eb_code eb_ivfpq_check_options(const eb_options *options, eb_device_kind on, eb_status *status);

/* An opened problem. */
typedef struct eb_ivfpq {
    eb_finder finder; /* first */
    eb_inverted_question question;
    eb_index_got got;
    const eb_inverted_search *by;   /* the search, by host threads or on a GPU */
    void *searching;                /* its state */
    eb_inverted_searcher *searcher; /* the host's; with a GPU NULL until distances are asked for */
    double unit;                    /* unscaled s = unit · s of the file; a power of two */
    float *queries;                 /* [asked_end − asked_begin × d] left points of the last nearest question */
    size_t asked_begin, asked_end;
    char description[224];
} eb_ivfpq;

static inline bool eb_ivfpq_on_gpu(const eb_ivfpq *engine) { return engine->by != &eb_inverted_search_cpu; }

/* Answer the two questions: pairs within ε, and the k nearest. */
eb_code eb_ivfpq_find(void *state, const eb_question *question, const eb_collector *to, eb_status *status);

eb_code eb_ivfpq_nearest(void *state, const eb_nearest_question *question, size_t first, size_t count, uint32_t *rows,
                         double *distances, eb_status *status);

/* Makes the engine's line for notes, with the memory that a GPU's last question took. */
void eb_ivfpq_describe(eb_ivfpq *engine);

/* The limit for the file's s that corresponds to a limit for the unscaled s, with a margin. */
float eb_ivfpq_limit(const eb_ivfpq *engine, double limit);

eb_code eb_ivfpq_explain(const eb_dataset *points, size_t i, size_t j, double eps, const eb_options *options,
                         struct eb_report *report, eb_status *status);
