/* plan: the grid of GDS-Join (Gowanlock & Karsin) and TED-Join-Index: cells of side ε in the first k ≤ 6 indexed
 * dimensions. A cell's number is a mixed-radix number of its coordinates. The last coordinate is the lowest digit, so
 * that three consecutive cells along it are one range of numbers. Host and device share this file.
 *
 * Pairs within ε are in neighbouring cells. Let u = 2⁻⁵³. A sum of squares in FP64 or FP32 only grows, so that it is at
 * least the rounded square of each difference, and verdicts are within 2⁻²³ of s ≤ ε². A pair that any sum used here
 * takes for near (underflow apart), or that is within ε exactly, thus has |p − q| ≤ ε(1 + 2⁻²²) along every dimension.
 * A side is at least ε(1 + 2⁻²⁰), and at least a 2²⁵-th of the extent. So a quotient (p − low) / side is at most 2²⁵,
 * and its two roundings change it by less than 2²⁵·3u < 2⁻²⁶. Two quotients then differ by less than 1, and their
 * floors by at most 1. ε = 0 is not a special case: the extent gives the side.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/parts/both.h"

#define EB_GRID_MOST 6u /* indexed dimensions */

/* The relative amount by which a side exceeds ε. A build with less must fail its tests (tests/mutants). */
#ifndef EB_GRID_SLACK
#define EB_GRID_SLACK 0x1p-20
#endif

typedef struct eb_grid_axis {
    double low, side;
    uint64_t cells, stride; /* stride: difference of the numbers of neighbours */
} eb_grid_axis;

typedef struct eb_grid {
    uint32_t k; /* number of axes, ≥ 1: as many as requested, or fewer so that all numbers fit 62 bits */
    eb_grid_axis axis[EB_GRID_MOST];
    uint64_t numbers; /* every number is below */
} eb_grid;

EB_BOTH_AT_RUN_TIME uint64_t eb_grid_coordinate(const eb_grid_axis *axis, double x)
{
    const double at = floor((x - axis->low) / axis->side);
    return at > 0 ? (uint64_t)at : 0;
}

/* The number of the cell of a point's first k coordinates. Cell coordinates count from 1, so that neighbours beyond the
 * grid's edge have numbers that no cell has. */
EB_BOTH_AT_RUN_TIME uint64_t eb_grid_number(const eb_grid *grid, const double *x)
{
    uint64_t number = 0;
    for (uint32_t a = 0; a < grid->k; a++)
        number += (eb_grid_coordinate(&grid->axis[a], x[a]) + 1) * grid->axis[a].stride;
    return number;
}

/* A cell's neighbours are 3^(k − 1) rows of three cells along the last axis. */
EB_BOTH_AT_RUN_TIME uint32_t eb_grid_rows(const eb_grid *grid)
{
    uint32_t rows = 1;
    for (uint32_t a = 1; a < grid->k; a++)
        rows *= 3;
    return rows;
}

/* The number of a row's middle cell minus the number of the cell itself, in two's complement. */
EB_BOTH_AT_RUN_TIME uint64_t eb_grid_row_offset(const eb_grid *grid, uint32_t row)
{
    uint64_t offset = 0;
    for (uint32_t a = 0; a + 1 < grid->k; a++, row /= 3)
        offset += (uint64_t)((int64_t)(row % 3) - 1) * grid->axis[a].stride;
    return offset;
}

/* low, high: [k] extents of the indexed dimensions; k in 1 … EB_GRID_MOST. */
EB_BOTH_AT_RUN_TIME eb_grid eb_grid_plan(const double *low, const double *high, uint32_t k, double eps)
{
    eb_grid grid;
    const uint64_t most = (uint64_t)1 << 62;
    memset(&grid, 0, sizeof grid);
    grid.numbers = 1;
    for (uint32_t a = 0; a < k; a++) {
        const double extent = high[a] - low[a];
        eb_grid_axis axis = {low[a], 0, 0, 0};
        axis.side = fmax(eps * (1 + EB_GRID_SLACK), extent * 0x1p-25);
        if (!(axis.side > 0))
            axis.side = 1;
        axis.cells = eb_grid_coordinate(&axis, high[a]) + 1;
        if (grid.numbers > most / (axis.cells + 2))
            break;
        grid.numbers *= axis.cells + 2;
        grid.axis[grid.k++] = axis;
    }
    uint64_t stride = 1;
    for (uint32_t a = grid.k; a-- > 0;) {
        grid.axis[a].stride = stride;
        stride *= grid.axis[a].cells + 2;
    }
    return grid;
}
