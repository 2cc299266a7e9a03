/* order_statistic: the k-th smallest of many numbers, in time proportional to how many there are, whatever they are. */
#pragma once

#include <stdint.h>

/* The rank-th smallest, rank from 1 to count. Reorders values; no NaN among them. */
double eb_order_statistic(double *values, uint64_t count, uint64_t rank);
