#include "core/engine/bins.h"

#include <stdlib.h>

eb_code eb_bins_make(size_t queries, uint32_t low, uint32_t high, eb_bins *out, eb_status *status)
{
    *out = (eb_bins){.queries = queries, .low = low, .high = high};
    size_t counts = queries * eb_bins_width(out);
    out->zeros = calloc(queries ? queries : 1, sizeof *out->zeros);
    out->count = counts ? calloc(counts, sizeof *out->count) : NULL;
    if (out->zeros && (out->count || counts == 0))
        return EB_OK;
    eb_bins_free(out);
    return eb_fail_memory(status, "the queries' bins", (queries + counts) * sizeof *out->count);
}

void eb_bins_free(eb_bins *bins)
{
    free(bins->zeros);
    free(bins->count);
    *bins = (eb_bins){.low = 1};
}
