/* order_statistic: the k-th smallest of many numbers, in linear time for any input; and sorting numbers. */
#pragma once

#include <stdint.h>

/* The rank-th smallest value, rank from 1 to count. Reorders values; none may be NaN. */
double eb_order_statistic(double *values, uint64_t count, uint64_t rank);

/* A comparator for qsort, ascending. */
int eb_compare_doubles(const void *a, const void *b);
int eb_compare_u32(const void *a, const void *b);
