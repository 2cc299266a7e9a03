/* search: the k nearest of queries by an inverted file, on the CPU, as far as its codes tell: approximate.
 *
 * A query's nprobe nearest lists are scanned with a table each (table.h). Equal distances go to the smaller row, so the
 * answer depends on no order of lists, threads, or instruction set.
 */
#ifndef EB_CPU_INVERTED_SEARCH_H
#define EB_CPU_INVERTED_SEARCH_H

#include "core/base/job.h"
#include "core/inverted/inverted.h"
#include "core/inverted/table.h"

typedef struct eb_inverted_question {
    size_t k, nprobe;
    eb_table_format lut;
    bool f16_sums; /* not of u8, whose sums are of integers */
    double scale;  /* bound of a table's largest entry (table.h): EB_TABLE_SCALE usually; 0: as they are */
} eb_inverted_question;

/* EB_USAGE for k = 0, nprobe = 0 or beyond nlist, u8 with f16_sums, a scale that is none. */
eb_code eb_inverted_check_question(const eb_inverted_question *question, size_t nlist, eb_status *status);

/* A file made ready for searching: may be used by one caller at a time, and outlives no file. */
typedef struct eb_inverted_searcher eb_inverted_searcher;
eb_code eb_inverted_open(const eb_inverted_file *file, unsigned threads, eb_inverted_searcher **out, eb_status *status);
void eb_inverted_close(eb_inverted_searcher *searcher); /* NULL is fine */

/* queries: count × d, as eb_inverted_row makes them. rows, distances: [count × k], nearest first; distances are the
 * points' own. Where the lists hold fewer than k, EB_NO_ROW at infinity fills up. EB_USAGE by
 * eb_inverted_check_question. Progress: one unit a query, the phase is the caller's. */
eb_code eb_inverted_find(eb_inverted_searcher *searcher, const eb_inverted_question *question, const float *queries,
                         size_t count, uint32_t *rows, double *distances, eb_job *job, eb_status *status);

/* For tests and for what explains: the table of one query for one list. table->entry: room for m × 256 entries and
 * EB_TABLE_PADDING. */
eb_code eb_inverted_table(eb_inverted_searcher *searcher, const eb_inverted_question *question, const float *query,
                          size_t list, eb_lookup_table *table, eb_status *status);

#endif
