#include "core/cluster/neighbour_histogram.h"

#include <stdlib.h>
#include <string.h>

#include "core/tune/order_statistic.h"

eb_code eb_neighbour_histogram_of(const uint32_t *counts, size_t n, eb_neighbour_histogram *out, eb_status *status)
{
    uint32_t *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return eb_fail_memory(status, "the points' neighbours, sorted", n * sizeof *sorted);
    memcpy(sorted, counts, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, eb_compare_u32);
    const uint32_t shown = sorted[n - 1 - n / 50], most = sorted[n - 1];
    const uint32_t end = most / 2 > shown ? shown : most;
    *out = (eb_neighbour_histogram){.least = sorted[0],
                                    .median = sorted[n / 2],
                                    .most = most,
                                    .width = end / EB_NEIGHBOUR_BINS + 1};
    out->bins = end / out->width + 1;
    for (size_t k = 0; k < out->bins; k++)
        out->centre[k] = (double)out->width * (double)k + (double)(out->width - 1) / 2;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        size_t bin = sorted[i] / out->width;
        sum += sorted[i];
        out->alone += sorted[i] == 0;
        if (bin < out->bins)
            out->points[bin]++;
        else
            out->over++;
    }
    out->mean = sum / (double)n;
    free(sorted);
    return EB_OK;
}
