/* search: an inverted file searched by a CPU's threads (core/inverted/question.h). */
#ifndef EB_CPU_INVERTED_SEARCH_H
#define EB_CPU_INVERTED_SEARCH_H

#include "core/inverted/question.h"

extern const eb_inverted_search eb_inverted_search_cpu;

/* A file made ready for searching: may be used by one caller at a time, and outlives no file. */
typedef struct eb_inverted_searcher eb_inverted_searcher;
eb_code eb_inverted_open(const eb_inverted_file *file, unsigned threads, eb_inverted_searcher **out, eb_status *status);
void eb_inverted_close(eb_inverted_searcher *searcher); /* NULL is fine */

/* Which instructions a searcher has here: "base", "avx2", "avx512", "avx512 vbmi". */
const char *eb_inverted_instructions(void);

eb_code eb_inverted_find(eb_inverted_searcher *searcher, const eb_inverted_question *question, const float *queries,
                         size_t count, uint32_t *rows, double *distances, eb_job *job, eb_status *status);

/* For tests and for what explains: the table of one query for one list. table->entry: room for m × 256 entries and
 * EB_TABLE_PADDING. */
eb_code eb_inverted_table(eb_inverted_searcher *searcher, const eb_inverted_question *question, const float *query,
                          size_t list, eb_lookup_table *table, eb_status *status);

#endif
