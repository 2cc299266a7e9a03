/* check_bins: compares an engine's bins with those of its distances. Include after cmocka.h. */
#pragma once

#include <math.h>

#include "core/engine/problem.h"
#include "tests/unit/test.h"

/* Returns the number of distances > 0, so that a caller can require some. */
static inline uint64_t check_bins(const eb_opened *opened, const uint32_t *queries, size_t m)
{
    size_t n = opened->problem.right->n;
    double *s = malloc((m ? m : 1) * n * sizeof *s);
    uint32_t *count = malloc(EB_BINS * sizeof *count);
    eb_bins bins;
    eb_status status;
    uint64_t all = 0;
    assert_true(s && count);
    if (eb_ask_distances(opened, queries, m, s, &status) || eb_ask_bins(opened, queries, m, &bins, &status))
        fail_msg("%s", status.message);
    assert_int_equal(bins.queries, m);
    for (size_t q = 0; q < m; q++) {
        uint32_t zeros = 0;
        memset(count, 0, EB_BINS * sizeof *count);
        for (size_t j = 0; j < n; j++) {
            double x = s[q * n + j];
            if (j == queries[q] && eb_is_self_join(&opened->problem))
                continue;
            if (x > 0 && x < (double)INFINITY)
                count[eb_bin_of(x)]++;
            else
                zeros += x <= 0;
        }
        assert_int_equal(bins.zeros[q], zeros);
        for (uint32_t bin = 0; bin < EB_BINS; bin++) {
            bool inside = bin >= bins.low && bin <= bins.high;
            assert_int_equal(inside ? bins.count[q * eb_bins_width(&bins) + (bin - bins.low)] : 0, count[bin]);
            all += count[bin];
        }
    }
    eb_bins_free(&bins);
    free(s);
    free(count);
    return all;
}
