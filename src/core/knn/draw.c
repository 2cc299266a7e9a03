#include "core/knn/draw.h"

#include <stdlib.h>

#include "core/base/random.h"

/* The first of a shuffle. */
eb_code eb_knn_draw(size_t n, size_t queries, uint64_t seed, uint32_t *rows, eb_status *status)
{
    unsigned char *drawn = calloc(n ? n : 1, 1);
    if (!drawn)
        return eb_fail_memory(status, "queries", n);
    for (size_t i = 0; i < n; i++)
        rows[i] = (uint32_t)i;
    for (size_t i = 0; i < queries && i < n; i++) {
        const size_t at = i + eb_random_below(&seed, n - i);
        const uint32_t row = rows[at];
        rows[at] = rows[i];
        rows[i] = row;
        drawn[row] = 1;
    }
    size_t query = 0, other = queries;
    for (size_t i = 0; i < n; i++)
        rows[drawn[i] ? query++ : other++] = (uint32_t)i;
    free(drawn);
    return EB_OK;
}
