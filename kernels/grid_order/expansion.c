#include "kernels/grid_order/expansion.h"

#include <stdlib.h>

#include "core/base/parallel.h"
#include "kernels/grid_order/kernels.h"

enum { POINTS_A_TASK = 4096, BLOCKS_A_TASK = POINTS_A_TASK / EB_EPS_GRID_BLOCK };

/* ---- cells ---- */

typedef struct farthest {
    const eb_dataset *points;
    double *rows;  /* [threads][d] */
    double *norms; /* [threads] the largest squared norms */
} farthest;

static eb_code find_farthest(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const farthest *f = context;
    const size_t d = f->points->d;
    double *row = f->rows + thread * d;
    for (size_t i = task * POINTS_A_TASK; i < (task + 1) * POINTS_A_TASK && i < f->points->n; i++) {
        double norm = 0;
        eb_to_f64(f->points->dtype, eb_row(f->points, i), d, row);
        for (size_t k = 0; k < d; k++)
            norm += row[k] * row[k];
        f->norms[thread] = norm > f->norms[thread] ? norm : f->norms[thread];
    }
    return EB_OK;
}

eb_code eb_expansion_cells(const eb_eps_grid_request *request, double *eps, eb_status *status)
{
    const eb_dataset *sides[] = {request->left, request->right};
    const size_t d = request->left->d;
    farthest f = {.rows = malloc(request->threads * d * sizeof *f.rows),
                  .norms = calloc(request->threads, sizeof *f.norms)};
    double norm = 0;
    eb_code failed = f.rows && f.norms ? EB_OK : eb_fail_memory(status, "norms", request->threads * d * sizeof *f.rows);
    for (size_t side = 0; side < 1 + (size_t)(request->left != request->right) && !failed; side++) {
        f.points = sides[side];
        const uint64_t tasks = (f.points->n + POINTS_A_TASK - 1) / POINTS_A_TASK;
        failed = eb_parallel(request->threads, tasks, find_farthest, &f, request->job, status);
    }
    for (unsigned t = 0; t < request->threads && !failed; t++)
        norm = f.norms[t] > norm ? f.norms[t] : norm;
    free(f.rows);
    free(f.norms);
    const double square = request->eps * request->eps;
    /* The last factor is for the rounding of all this. */
    *eps = sqrt(square + EB_EXPANSION_WIDTH * eb_expansion_loss(square + 2 * norm, d, request->type)) * (1 + 0x1p-40);
    return failed;
}

/* ---- halves ---- */

typedef struct halving {
    const eb_eps_grid *grid;
    eb_eps_grid_side *side;
    const eb_pair_kernels *kernels;
} halving;

static eb_code make_halves(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const halving *h = context;
    eb_eps_grid_side *side = h->side;
    for (size_t block = task * BLOCKS_A_TASK; block < (task + 1) * BLOCKS_A_TASK && block < side->blocks; block++)
        side->norm[block] = h->kernels->halves(h->grid, side, block);
    return EB_OK;
}

eb_code eb_expansion_make(const eb_eps_grid_request *request, const eb_eps_grid *grid, eb_eps_grid_side *side,
                          eb_status *status)
{
    const size_t places = side->blocks * EB_EPS_GRID_BLOCK;
    const size_t bytes = places * eb_expansion_parts(grid->d) * eb_eps_grid_value_bytes(grid->type);
    halving h = {.grid = grid, .side = side, .kernels = eb_pair_kernels_here()};
    side->halves = aligned_alloc(64, bytes);
    side->norm = malloc(side->blocks * sizeof *side->norm);
    if (!side->halves || !side->norm)
        return eb_fail_memory(status, "halves of norms", bytes);
    return eb_parallel(request->threads, (side->blocks + BLOCKS_A_TASK - 1) / BLOCKS_A_TASK, make_halves, &h,
                       request->job, status);
}
