/* ego: Super-EGO (D. Kalashnikov, Super-EGO: fast multi-dimensional similarity join, VLDB Journal 22(4), 2013). It
 * joins two ranges of the epsilon grid order by halving both, until a pair of ranges is pruned or both are leaves.
 *
 * A pair of ranges is pruned if their cells are not neighbours in some dimension up to the first one where either range
 * has more than one cell. Both ranges are sorted up to that dimension. */
#include "core/engine/engine.h"
#include "kernels/grid_order/cells.h"
#include "kernels/grid_order/ranges.h"

typedef struct halving {
    const eb_eps_grid *grid;
    uint32_t leaf; /* blocks */
    eb_ranges *tasks;
} halving;

static bool is_pruned(const eb_eps_grid *grid, eb_ranges *r)
{
    const eb_eps_grid_side *left = &grid->side[0], *right = eb_eps_grid_right(grid);
    const size_t d = grid->d;
    const int32_t *low_a = left->first + r->a * d, *high_a = left->last + (r->a_end - 1) * d;
    const int32_t *low_b = right->first + r->b * d, *high_b = right->last + (r->b_end - 1) * d;
    for (size_t k = r->state; k < d; k++) {
        if (eb_cells_apart(low_a[k], high_a[k], low_b[k], high_b[k]))
            return true;
        if (low_a[k] < high_a[k] || low_b[k] < high_b[k])
            break;
        r->state++; /* both ranges are one cell in dimension k, and so are their halves */
    }
    return false;
}

static size_t halve(const void *walk, eb_ranges *r, eb_ranges out[EB_MOST_HALVES])
{
    const halving *h = walk;
    const uint32_t a = r->a_end - r->a, b = r->b_end - r->b;
    const uint32_t middle[2] = {r->a + (a > h->leaf ? a / 2 : a), r->b + (b > h->leaf ? b / 2 : b)};
    const eb_ranges whole = *r;
    size_t count = 0;
    if (is_pruned(h->grid, r))
        return 0;
    if (a <= h->leaf && b <= h->leaf) {
        out[0] = whole;
        return 1;
    }
    for (unsigned half = 0; half < EB_MOST_HALVES; half++) {
        const eb_ranges part = {.a = half < 2 ? r->a : middle[0],
                                .a_end = half < 2 ? middle[0] : r->a_end,
                                .b = half % 2 ? middle[1] : r->b,
                                .b_end = half % 2 ? r->b_end : middle[1],
                                .state = r->state};
        const bool empty = part.a == part.a_end || part.b == part.b_end;
        if (!empty && !(h->grid->self && part.b < part.a)) /* a pair of halves of one range is joined once */
            out[count++] = part;
    }
    return count;
}

static void free_walk(void *walk)
{
    halving *h = walk;
    if (h)
        free(h->tasks);
    free(h);
}

static eb_code make_walk(const eb_eps_grid *grid, const eb_options *options, void **out, uint64_t *tasks,
                         eb_status *status)
{
    halving *h = calloc(1, sizeof *h);
    if (!h)
        return eb_fail_memory(status, "Super-EGO", sizeof *h);
    *h = (halving){.grid = grid, .leaf = (uint32_t)eb_option_number(options, "leaf") / EB_EPS_GRID_BLOCK};
    const eb_ranges all = {.a_end = (uint32_t)grid->side[0].blocks, .b_end = (uint32_t)eb_eps_grid_right(grid)->blocks};
    const eb_code failed = eb_ranges_begin(h, halve, all, &h->tasks, tasks, status);
    if (failed)
        free_walk(h);
    else
        *out = h;
    return failed;
}

/* Joins a leaf of a self-join's range with itself: only the pairs of blocks a ≤ b. */
typedef struct triangle {
    bool self;
    eb_block_callback callback;
    void *context;
} triangle;

static eb_code take_once(void *context, size_t a, size_t b, eb_status *status)
{
    const triangle *t = context;
    return t->self && b < a ? EB_OK : t->callback(t->context, a, b, status);
}

static eb_code run_walk(const void *walk, uint64_t task, eb_block_callback callback, void *context,
                        eb_walk_effort *effort, eb_status *status)
{
    const halving *h = walk;
    triangle t = {.self = h->grid->self, .callback = callback, .context = context};
    return eb_ranges_run(h, halve, h->tasks[task], take_once, &t, effort, status);
}

static const eb_eps_grid_walk walk = {.dimensions = EB_DIMENSIONS_APART,
                                      .make = make_walk,
                                      .run = run_walk,
                                      .free = free_walk};

static eb_code open_ego(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    return eb_eps_grid_open(&walk, "Super-EGO", problem, context, state, status);
}

static const eb_implementation ego_cpu = EB_EPS_GRID_IMPLEMENTATION(open_ego, eb_eps_grid_memory);

static const eb_option options[] = {
    {
        .name = "reorder",
        .type = EB_ARG_FLAG,
        .devices = EB_ON_CPU,
        .fallback = "on",
        .help = "put the dimensions first along which random points are farther apart",
    },
    {
        .name = "leaf",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_CPU,
        .fallback = "64",
        .min = EB_EPS_GRID_BLOCK,
        .max = 65536,
        .help = "points up to which a range is not halved",
    },
    EB_OPTION_TYPE(EB_ON_CPU, "f32"),
    EB_OPTION_DECIDE(EB_ON_CPU),
};

const eb_engine eb_engine_ego = {
    .name = "ego",
    .title = "Super-EGO",
    .exactness = EB_APPROXIMATE,
    .exactness_of = eb_decided_exactness,
    .options = EB_OPTIONS(options),
    .on = {[EB_DEVICE_CPU] = {"epsilon grid order, ranges halved and pruned by their cells, short-circuit sums",
                              &ego_cpu}},
    .about =
        "After Kalashnikov 2013 and his code, written anew. His are the order of dimensions (by the mean distance of "
        "2,000 random pairs), the order of cells, pruning, the type (f32) and the sums of squared differences.\n\n"
        "This engine differs as follows. Its cells are floors of x/ε, also below 0, and a little wider than ε; his "
        "truncate toward 0, for coordinates in [0, 1]. A leaf's sums begin with the first dimension, his with the "
        "first one that the ranges leave open. ε² is FP64, his is rounded to FP32. Ranges are whole blocks of 32 "
        "points, and a leaf has 64; his has 24.\n\n"
        "Any d and n, two sets, values below 0 and ε = 0 are accepted. Beyond 2^31 cells from 0, points share a cell. "
        "FP32 sums overflow at distances above 1.8e19. With decide=truth the engine computes the FP64 truth.",
};
