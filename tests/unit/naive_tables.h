/* naive_tables: makes a neighbour-table builder in one line, and compares its table with the exact one. Header-only. */
#pragma once

#include "core/join/neighbours.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

static inline void assert_is_truth(const eb_neighbours *table, const eb_dataset *ds, double eps)
{
    uint64_t at = 0;
    assert_int_equal(table->n, ds->n);
    assert_int_equal(table->offsets[0], 0);
    for (size_t r = 0; r < table->rows; r++) {
        size_t i = table->first_row + r;
        for (size_t j = 0; j < ds->n; j++) {
            double s = eb_truth_distance2(ds, i, j);
            if (!(s <= eb_squared_threshold(eps)))
                continue;
            assert_true(at < table->offsets[r + 1]);
            assert_int_equal(table->columns[at], j);
            if (table->kept == EB_DISTANCES_F64)
                assert_true(table->distances[at] == sqrt(s));
            else if (table->kept == EB_DISTANCES_F32)
                assert_true(table->distances32[at] == (float)sqrt(s));
            at++;
        }
        assert_int_equal(table->offsets[r + 1], at);
    }
}

/* A builder for a self-join's rows. */
static inline eb_code new_builder(size_t n, size_t begin, size_t end, unsigned threads, eb_distances distances,
                                  uint64_t limit, eb_neighbours_builder **out, eb_status *status)
{
    eb_neighbours_request request = {.n = n,
                                     .others = n,
                                     .self = true,
                                     .row_begin = begin,
                                     .row_end = end,
                                     .threads = threads,
                                     .distances = distances,
                                     .memory_limit = limit};
    return eb_neighbours_builder_new(&request, out, status);
}
