/* origin: of what an inverted file was made: all that its bits depend on, so that two files of one origin are the same.
 */
#ifndef EB_CORE_INVERTED_ORIGIN_H
#define EB_CORE_INVERTED_ORIGIN_H

#include "core/base/job.h"
#include "core/inverted/inverted.h"

enum { EB_SHA256_TEXT = 65 };

typedef struct eb_index_origin {
    char sha256[EB_SHA256_TEXT]; /* of the dataset */
    char rows[EB_SHA256_TEXT];   /* of the rows' numbers (uint32, ascending); "": all of them */
    uint64_t points;             /* rows that the dataset has */
    uint64_t fingerprint;        /* of the points in memory: parts and scaled copies of a dataset have its sha256 too */
    eb_inverted_shape shape;
    unsigned rounds;                   /* of k-means */
    uint64_t list_sample, book_sample; /* rows trained on, at most */
    uint64_t seed;
} eb_index_origin;

bool eb_same_origin(const eb_index_origin *a, const eb_index_origin *b);

/* Of some of a dataset's rows (NULL: all); what else it is the caller fills in. One pass over the points. */
eb_code eb_index_origin_of(const eb_dataset *points, const uint32_t *rows, size_t n, unsigned threads, eb_job *job,
                           eb_index_origin *out, eb_status *status);

#endif
