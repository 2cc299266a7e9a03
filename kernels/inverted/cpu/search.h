/* search: an inverted file (core/inverted/question.h) searched: what is asked of threads and of a GPU alike, and what
 * threads alone are asked. */
#pragma once

#include "core/base/job.h"
#include "core/inverted/question.h"
#include "core/knn/best.h"

typedef struct eb_inverted_rows {
    size_t begin, end;
} eb_inverted_rows;

/* A point of a list, and the file's own s of it. As a GPU's kernels have both in 64 bits, the row in the low ones. */
typedef struct eb_near_point {
    uint32_t row;
    float s;
} eb_near_point;

/* Who is told what a query found, once for each query, from any thread (one never runs two calls at once). Points come
 * in no order, and stay as long as the call. rows: which points a query is about; others may come, too. */
typedef struct eb_inverted_callback {
    void *context;
    eb_inverted_rows (*rows)(void *context, size_t query);
    eb_code (*take)(void *context, size_t query, unsigned thread, const eb_near_point *near, size_t count,
                    eb_status *status);
} eb_inverted_callback;

/* Searching, by threads or on a GPU. What is open serves one caller at a time, and outlives no file. EB_USAGE by
 * eb_inverted_check_question, and for tables that the device has no room for. queries: count × d, as eb_inverted_row
 * makes them. */
typedef struct eb_inverted_search {
    /* The k nearest: rows, distances: [count × k], nearest first, of equally near ones the smaller row; distances are
     * the points' own. Where the lists hold fewer than k, EB_NO_POINT at infinity fills up. Progress: one unit a query,
     * the phase is the caller's. */
    eb_code (*find)(void *state, const eb_inverted_question *question, const float *queries, size_t count,
                    uint32_t *rows, double *distances, eb_job *job, eb_status *status);
    /* All points of the nprobe nearest lists with s ≤ limit, s FP32 as the file's table has it; k is of no use.
     * Progress is the callback's. */
    eb_code (*within)(void *state, const eb_inverted_question *question, const float *queries, size_t count,
                      float limit, const eb_inverted_callback *callback, eb_job *job, eb_status *status);
    eb_inverted_work (*work)(const void *state);
    void (*close)(void *state); /* NULL is fine */
} eb_inverted_search;

/* By threads: the state is an eb_inverted_searcher. points: whose rows the file has, for refining; NULL: nobody will
 * ask for it. */
typedef struct eb_inverted_searcher eb_inverted_searcher;
eb_code eb_inverted_open(const eb_inverted_file *file, const eb_dataset *points, unsigned threads,
                         eb_inverted_searcher **out, eb_status *status);
eb_code eb_inverted_find(void *searcher, const eb_inverted_question *question, const float *queries, size_t count,
                         uint32_t *rows, double *distances, eb_job *job, eb_status *status);
void eb_inverted_close(void *searcher);
extern const eb_inverted_search eb_inverted_search_cpu;

/* Which instructions a searcher has here: "base", "avx2", "avx512", "avx512 vbmi". */
const char *eb_inverted_instructions(void);

/* For those who look at a query's lists themselves, one thread of the searcher's each. nprobe lists at most, the
 * nearest first, each with its number in `row`; *lists is the thread's until it asks again. */
size_t eb_inverted_probe(eb_inverted_searcher *searcher, unsigned thread, const float *query, size_t nprobe,
                         const eb_near_row **lists);

typedef struct eb_inverted_seen {
    size_t found, looked; /* points within the limit; points whose sums were made */
} eb_inverted_seen;

/* Of one list's points in these rows those with s ≤ limit, rows ascending. near: room for
 * eb_inverted_longest. A list without such rows costs nothing. */
eb_inverted_seen eb_inverted_look(eb_inverted_searcher *searcher, const eb_inverted_question *question, unsigned thread,
                                  const float *query, size_t list, eb_inverted_rows rows, float limit,
                                  eb_near_point *near);
size_t eb_inverted_longest(const eb_inverted_searcher *searcher);

/* For tests and for what explains: the table of one query for one list. table->entry: room for m × 256 entries and
 * EB_TABLE_PADDING. */
eb_code eb_inverted_table(eb_inverted_searcher *searcher, const eb_inverted_question *question, const float *query,
                          size_t list, eb_lookup_table *table, eb_status *status);
