/* search: an inverted file searched by a CPU's threads (core/inverted/question.h). */
#ifndef EB_KERNELS_INVERTED_CPU_SEARCH_H
#define EB_KERNELS_INVERTED_CPU_SEARCH_H

#include "core/base/job.h"
#include "core/inverted/question.h"
#include "core/knn/best.h"

/* A file made ready for searching: may be used by one caller at a time, and outlives no file. points: whose rows the
 * file has, for refining; NULL: nobody will ask for it. */
typedef struct eb_inverted_searcher eb_inverted_searcher;
eb_code eb_inverted_open(const eb_inverted_file *file, const eb_dataset *points, unsigned threads,
                         eb_inverted_searcher **out, eb_status *status);
void eb_inverted_close(eb_inverted_searcher *searcher); /* NULL is fine */

/* Which instructions a searcher has here: "base", "avx2", "avx512", "avx512 vbmi". */
const char *eb_inverted_instructions(void);

/* The k nearest. queries: count × d, as eb_inverted_row makes them. rows, distances: [count × k], nearest first, of
 * equally near ones the smaller row; distances are the points' own. Where the lists hold fewer than k, EB_NO_POINT at
 * infinity fills up. Progress: one unit a query, the phase is the caller's. */
eb_code eb_inverted_find(eb_inverted_searcher *searcher, const eb_inverted_question *question, const float *queries,
                         size_t count, uint32_t *rows, double *distances, eb_job *job, eb_status *status);

/* For those who look at a query's lists themselves, one thread of the searcher's each. nprobe lists at most, the
 * nearest first, each with its number in `row`; *lists is the thread's until it asks again. */
size_t eb_inverted_probe(eb_inverted_searcher *searcher, unsigned thread, const float *query, size_t nprobe,
                         const eb_near_row **lists);

typedef struct eb_inverted_rows {
    size_t begin, end;
} eb_inverted_rows;

typedef struct eb_inverted_seen {
    size_t found, looked; /* points within the limit; points whose sums were made */
} eb_inverted_seen;

/* Of one list's points in these rows those with s ≤ limit (`far`, an FP32 value), rows ascending. near: room for
 * eb_inverted_longest. A list without such rows costs nothing. */
eb_inverted_seen eb_inverted_look(eb_inverted_searcher *searcher, const eb_inverted_question *question, unsigned thread,
                                  const float *query, size_t list, eb_inverted_rows rows, float limit,
                                  eb_near_row *near);
size_t eb_inverted_longest(const eb_inverted_searcher *searcher);

/* For tests and for what explains: the table of one query for one list. table->entry: room for m × 256 entries and
 * EB_TABLE_PADDING. */
eb_code eb_inverted_table(eb_inverted_searcher *searcher, const eb_inverted_question *question, const float *query,
                          size_t list, eb_lookup_table *table, eb_status *status);

#endif
