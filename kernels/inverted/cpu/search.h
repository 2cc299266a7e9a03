/* search: searches an inverted file (core/inverted/question.h). eb_inverted_search is the interface for host threads
 * and GPUs; the functions below it are for host threads alone. */
#pragma once

#include "core/base/job.h"
#include "core/inverted/question.h"
#include "core/knn/best.h"

typedef struct eb_inverted_rows {
    size_t begin, end;
} eb_inverted_rows;

/* A point of a list and its s by the file. The layout is that of a GPU kernel's 64-bit key, with the row in the low
 * bits.
 */
typedef struct eb_near_point {
    uint32_t row;
    float s;
} eb_near_point;

/* Receives the points that a query found, once for each query, on any thread (never two calls on one thread at once).
 * Points are unordered and valid during the call. rows: the rows that a query is about; others may be passed too. */
typedef struct eb_inverted_callback {
    void *context;
    eb_inverted_rows (*rows)(void *context, size_t query);
    eb_code (*take)(void *context, size_t query, unsigned thread, const eb_near_point *near, size_t count,
                    eb_status *status);
} eb_inverted_callback;

/* A search by host threads or on a GPU. An open search serves one caller at a time; the file must outlive it. EB_USAGE
 * as eb_inverted_check_question, and for tables that the device has no room for. queries: count × d, as eb_inverted_row
 * makes them. */
typedef struct eb_inverted_search {
    /* The k nearest: rows, distances: [count × k], nearest first, among equally near ones the smaller row; distances
     * are unscaled. If the lists hold fewer than k points, EB_NO_POINT at infinity fills up. Progress: one unit per
     * query, in the caller's phase. */
    eb_code (*find)(void *state, const eb_inverted_question *question, const float *queries, size_t count,
                    uint32_t *rows, double *distances, eb_job *job, eb_status *status);
    /* All points of the nprobe nearest lists with s ≤ limit, s being the FP32 sum of the file's table; k is ignored.
     * The callback reports progress. */
    eb_code (*within)(void *state, const eb_inverted_question *question, const float *queries, size_t count,
                      float limit, const eb_inverted_callback *callback, eb_job *job, eb_status *status);
    eb_inverted_work (*work)(const void *state);
    void (*close)(void *state); /* NULL is fine */
} eb_inverted_search;

/* The search by host threads: its state is an eb_inverted_searcher. points: the dataset of the file's rows, for
 * refining; NULL: refining will not be asked for. */
typedef struct eb_inverted_searcher eb_inverted_searcher;
eb_code eb_inverted_open(const eb_inverted_file *file, const eb_dataset *points, unsigned threads,
                         eb_inverted_searcher **out, eb_status *status);
eb_code eb_inverted_find(void *searcher, const eb_inverted_question *question, const float *queries, size_t count,
                         uint32_t *rows, double *distances, eb_job *job, eb_status *status);
void eb_inverted_close(void *searcher);
extern const eb_inverted_search eb_inverted_search_cpu;

/* The instruction set of searchers on this CPU: "base", "avx2", "avx512", "avx512 vbmi". */
const char *eb_inverted_instructions(void);

/* Finds a query's nearest lists, at most nprobe, nearest first, each with its number in `row`. For callers that scan
 * the lists themselves, on one of the searcher's threads. *lists is valid until the thread's next call. */
size_t eb_inverted_probe(eb_inverted_searcher *searcher, unsigned thread, const float *query, size_t nprobe,
                         const eb_near_row **lists);

typedef struct eb_inverted_seen {
    size_t found, looked; /* points within the limit; points whose sums were computed */
} eb_inverted_seen;

/* Finds the points of one list and these rows with s ≤ limit, rows ascending. near: room for eb_inverted_longest
 * points. A list without such rows costs nothing. */
eb_inverted_seen eb_inverted_look(eb_inverted_searcher *searcher, const eb_inverted_question *question, unsigned thread,
                                  const float *query, size_t list, eb_inverted_rows rows, float limit,
                                  eb_near_point *near);
size_t eb_inverted_longest(const eb_inverted_searcher *searcher);

/* For tests and for `explain`: the table of one query for one list. table->entry: room for m × 256 entries and
 * EB_TABLE_PADDING. */
eb_code eb_inverted_table(eb_inverted_searcher *searcher, const eb_inverted_question *question, const float *query,
                          size_t list, eb_lookup_table *table, eb_status *status);
