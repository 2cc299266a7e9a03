/* near: selects the nearest points of queries on the device: from distances to all points of a sample, or from the rows
 * that pairs make (row_maker.cuh). A warp takes a query; the k-th smallest is found bit by bit. */
#pragma once

#include "kernels/rows/row_maker.cuh"

extern "C" {
#include "core/knn/best.h"
}

namespace eb {

/* Which points are no neighbours of a query. */
struct near_rule {
    const uint32_t *own;         /* [queries] the point that the query is; nullptr: none is */
    const unsigned char *nobody; /* [points] 1: the point is nobody's neighbour; nullptr: none is such */
    const uint32_t *point;       /* the point of each column; nullptr: column c is point c */
    double most;                 /* nor is a point with a larger s */
    uint32_t k;
};

/* reach[q] = the k-th smallest of s[q · columns … + columns − 1]; INFINITY if there are fewer neighbours. */
template <class squared_type>
eb_code reach_of_all(const squared_type *s, size_t queries, size_t columns, const near_rule &rule, double *reach,
                     cudaStream_t stream, eb_status *status);

/* Gives pairs their columns' points for columns, and the s of the truth, which is infinite, or for integers ~0, where
 * the point is no neighbour. Query q has the number first_query + q, column c first_column + c. Whole numbers were
 * threshold − reach[q] too large. */
template <class squared_type>
eb_code correct_pairs(const hit_buffer<squared_type> &pairs, uint64_t count, uint32_t first_query,
                      uint32_t first_column, const near_rule &rule, squared_type threshold, const double *reach,
                      cudaStream_t stream, eb_status *status);

/* The rows of queries first … end − 1 as made in a row maker's buffer, s in FP64. */
struct near_rows {
    const unsigned long long *offset; /* [queries + 1] of all rows */
    const uint32_t *column;           /* of the range, ascending in each row */
    const double *s;
    size_t first, end;
};

/* reach[q] as above, of the queries in the range; it stays where a row has fewer than k neighbours. */
eb_code reach_of_rows(const near_rows &rows, const near_rule &rule, double *reach, cudaStream_t stream,
                      eb_status *status);

/* near: [queries × k] heaps (core/knn/best.h) by s, of columns; count: [queries] entries of each. room: [k · rows of
 * the range] */
eb_code select_near(const near_rows &rows, const near_rule &rule, eb_near_row *near, uint32_t *count, eb_near_row *room,
                    cudaStream_t stream, eb_status *status);

/* marked: [points] 1 for those listed, else 0. */
eb_code mark_points(const uint32_t *point, size_t count, size_t points, unsigned char *marked, cudaStream_t stream,
                    eb_status *status);

/* out: one random entry from each of `count` equal stretches of point[0 … n − 1]; the same each time. */
eb_code draw_points(const uint32_t *point, size_t n, size_t count, uint32_t *out, cudaStream_t stream,
                    eb_status *status);

/* *greatest, on the host: the greatest of values ≥ 0. room: on the device. */
eb_code greatest_of(const double *value, size_t count, unsigned long long *room, double *greatest, cudaStream_t stream,
                    eb_status *status);

} // namespace eb
