/* cells: points dropped onto a few lines and split there, across the widest gap near the middle, until a handful is
 * left in each cell. The inside of crowding.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/dataset.h"

#define EB_LINES 8u   /* as many dimensions as the cells live in, at most */
#define EB_NEAREST 2u /* the neighbour whose distance is kept of each point */

typedef struct eb_node {
    float radius; /* root mean square distance of two of its points, on the lines */
    uint32_t size, parent;
} eb_node;

typedef struct eb_place {
    float on[EB_LINES];
    uint32_t row;
} eb_place;

/* A cell that was not split. */
typedef struct eb_leaf {
    uint32_t begin, end, node;
} eb_leaf;

typedef struct eb_cells {
    size_t n;
    eb_place *place; /* [n], a cell's points together */
    float *near;     /* [n] distance to the EB_NEAREST-th neighbour in the leaf; its radius where there are fewer */
    eb_node *node;   /* [2n] of a cell split at place m in 2m − 1, of a leaf from place b in 2b */
    eb_node *root;
    eb_leaf *leaf; /* [leaves], by their points */
    size_t leaves;
} eb_cells;

/* Frees what it holds when it fails. The same dataset and seed give the same everywhere. */
eb_code eb_cells_make(const eb_dataset *ds, uint64_t seed, eb_cells *out, eb_job *job, eb_status *status);
void eb_cells_free(eb_cells *cells);
