/* cells: projects points onto a few lines and splits them there, across the widest gap near the middle, until each cell
 * has few points. Used by strata only.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

#define EB_LINES 8u   /* most dimensions of the projection */
#define EB_NEAREST 2u /* rank of the neighbour whose distance is kept for each point */

typedef struct eb_node {
    float radius; /* root mean square distance of two of its points, on the lines */
    uint32_t size, parent;
} eb_node;

typedef struct eb_place {
    float on[EB_LINES];
    uint32_t row;
} eb_place;

/* A cell that was not split: its points and its node. */
typedef struct eb_leaf {
    uint32_t begin, end, node;
} eb_leaf;

typedef struct eb_cells {
    size_t n;
    eb_place *place; /* [n], points of a cell together */
    float *near; /* [n] distance to the EB_NEAREST-th neighbour in the leaf; the leaf's radius if it has fewer points */
    eb_node *node; /* [2n] a cell split at place m is node 2m − 1, a leaf from place b node 2b */
    eb_node *root;
    eb_leaf *leaf; /* [leaves], in the order of their points */
    size_t leaves;
} eb_cells;

/* Frees *out on failure. The same dataset and seed give the same cells on every machine. */
eb_code eb_cells_make(const eb_dataset *ds, uint64_t seed, eb_cells *out, eb_job *job, eb_status *status);
void eb_cells_free(eb_cells *cells);
