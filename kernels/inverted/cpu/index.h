/* index: an inverted file that is kept, or built and kept (core/inverted/index_cache.h). */
#ifndef EB_KERNELS_INVERTED_CPU_INDEX_H
#define EB_KERNELS_INVERTED_CPU_INDEX_H

#include "core/inverted/index_cache.h"
#include "kernels/inverted/cpu/build.h"

typedef struct eb_index_got {
    eb_index *index; /* held: eb_index_release */
    bool kept;       /* it was there; else it was built just now */
} eb_index_got;

/* request->rows may be NULL: all rows, n of them. EB_NO_MEMORY where building takes more than memory_limit (0: none).
 */
eb_code eb_index_get(const eb_inverted_request *request, uint64_t memory_limit, unsigned threads, eb_job *job,
                     eb_index_got *out, eb_status *status);

/* EB_NO_MEMORY, in a sentence; for those who have to do something else first. */
eb_code eb_index_check_memory(const eb_inverted_request *request, uint64_t limit, eb_status *status);

/* Of what this request's file would be made. */
eb_code eb_index_request_origin(const eb_inverted_request *request, unsigned threads, eb_job *job, eb_index_origin *out,
                                eb_status *status);

#endif
