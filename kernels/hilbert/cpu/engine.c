/* hilbert: FGF-Hilbert (M. Perdacher, C. Plant, C. Böhm, Cache-oblivious High-performance Similarity Join, SIGMOD
 * 2019). In epsilon grid order the points within ε of a block of rows are in a few stretches of the columns, the
 * stripes. The squares (row block, column block) of the stripes are visited along a Hilbert curve, which jumps over
 * gaps.
 */
#include "core/engine/engine.h"
#include "kernels/grid_order/ranges.h"

/* ---- stripes ---- */

/* The stripes of a block of rows are the stretches of the columns' epsilon grid order that can hold points within ε.
 *
 * A stripe has one offset, −1, 0 or 1, in each of the first k − 1 dimensions, and all offsets −1 … 1 in dimension k.
 * These cells are one stretch of the lexicographic order. A row block's stretch begins where its first point's stretch
 * begins, and ends where its last point's stretch ends. Both ends grow with the row block, so that two look-ups also
 * give the stretch of several consecutive row blocks. */
#define STRIPED 4 /* dimensions at most: 27 stripes as published, of which a self-join's triangle has 14 */

typedef struct stretch {
    uint32_t begin, end; /* column blocks */
} stretch;

typedef struct stripe_set {
    size_t count, rows; /* 3^(k−1) stripes, row blocks */
    stretch *stretch;   /* [count][rows]; both ends ascend with the row block */
} stripe_set;

static stretch stripe_of(const stripe_set *stripes, size_t stripe, size_t row)
{
    return stripes->stretch[stripe * stripes->rows + row];
}

typedef struct target {
    int64_t cell[STRIPED];
} target;

static int compare(const int32_t *cells, const target *t, size_t k)
{
    for (size_t c = 0; c < k; c++)
        if (cells[c] != t->cell[c])
            return cells[c] < t->cell[c] ? -1 : 1;
    return 0;
}

/* Moves a block's cells by a stripe's offsets, and by `last` in the last dimension. */
static target target_of(const int32_t *cells, size_t k, size_t stripe, int last)
{
    target t = {{0}};
    t.cell[k - 1] = (int64_t)cells[k - 1] + last;
    for (size_t c = k - 1; c-- > 0; stripe /= 3)
        t.cell[c] = (int64_t)cells[c] + (int)(stripe % 3) - 1;
    return t;
}

/* The first block whose cells are not below the target, or with `beyond` above it. cells: the cells of the blocks'
 * first or last points. */
static uint32_t first_block(const int32_t *cells, size_t blocks, size_t d, const target *t, size_t k, bool beyond)
{
    size_t low = 0, high = blocks;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = compare(cells + middle * d, t, k);
        if (beyond ? order > 0 : order >= 0)
            high = middle;
        else
            low = middle + 1;
    }
    return (uint32_t)low;
}

static void fill(const eb_eps_grid *grid, size_t k, stripe_set *out)
{
    const eb_eps_grid_side *left = &grid->side[0], *right = eb_eps_grid_right(grid);
    const size_t d = grid->d;
    for (size_t stripe = 0; stripe < out->count; stripe++)
        for (size_t row = 0; row < out->rows; row++) {
            const target low = target_of(left->first + row * d, k, stripe, -1);
            const target high = target_of(left->last + row * d, k, stripe, 1);
            out->stretch[stripe * out->rows + row] =
                (stretch){first_block(right->last, right->blocks, d, &low, k, false),
                          first_block(right->first, right->blocks, d, &high, k, true)};
        }
}

/* Makes stripes of the first `dimensions` (1 … STRIPED) dimensions, or of all if there are fewer. */
static eb_code make_stripes(const eb_eps_grid *grid, size_t dimensions, stripe_set *out, eb_status *status)
{
    const size_t k = grid->d < dimensions ? grid->d : dimensions;
    *out = (stripe_set){.count = 1, .rows = grid->side[0].blocks};
    for (size_t c = 1; c < k; c++)
        out->count *= 3;
    out->stretch = malloc(out->count * out->rows * sizeof *out->stretch);
    if (!out->stretch)
        return eb_fail_memory(status, "stripes", out->count * out->rows * sizeof *out->stretch);
    fill(grid, k, out);
    return EB_OK;
}

/* True if a stripe may have a column block of b … b_end for a row block of a … a_end. */
static bool stripes_meet(const stripe_set *stripes, const eb_ranges *ranges)
{
    if (ranges->a >= stripes->rows)
        return false;
    const size_t last = (ranges->a_end < stripes->rows ? ranges->a_end : stripes->rows) - 1;
    for (size_t s = 0; s < stripes->count; s++)
        if (stripe_of(stripes, s, ranges->a).begin < ranges->b_end && stripe_of(stripes, s, last).end > ranges->b)
            return true;
    return false;
}

/* ---- curves ---- */

typedef struct curve {
    const eb_eps_grid *grid;
    stripe_set stripes;
    bool canonic;
    eb_ranges *tasks; /* [count] for order=hilbert; NULL for order=canonic */
    uint64_t count;
} curve;

/* ---- order=hilbert: a square's quarters; `state` is its turn ---- */

enum { SWAPPED = 1, FLIPPED = 2 };

/* The curve visits a square's quarters in the order (0,0) (0,1) (1,1) (1,0). It is swapped in the first quarter,
 * swapped and flipped in the last. Turns are combined by exclusive or. */
static const struct {
    uint8_t x, y, turn;
} quarters[EB_MOST_HALVES] = {{0, 0, SWAPPED}, {0, 1, 0}, {1, 1, 0}, {1, 0, SWAPPED | FLIPPED}};

static size_t quarter(const void *walk, eb_ranges *r, eb_ranges out[EB_MOST_HALVES])
{
    const curve *c = walk;
    const uint32_t side = r->a_end - r->a;
    size_t count = 0;
    if ((c->grid->self && r->b_end <= r->a) || !stripes_meet(&c->stripes, r))
        return 0;
    if (side == 1) {
        out[0] = *r;
        return 1;
    }
    for (size_t q = 0; q < EB_MOST_HALVES; q++) {
        const uint32_t flip = r->state & FLIPPED ? 1 : 0, swap = r->state & SWAPPED;
        const uint32_t x = (swap ? quarters[q].y : quarters[q].x) ^ flip;
        const uint32_t y = (swap ? quarters[q].x : quarters[q].y) ^ flip;
        const uint32_t a = r->a + x * side / 2, b = r->b + y * side / 2;
        out[count++] = (eb_ranges){a, a + side / 2, b, b + side / 2, r->state ^ quarters[q].turn};
    }
    return count;
}

static eb_code begin_curve(curve *c, eb_status *status)
{
    const size_t rows = c->grid->side[0].blocks, columns = eb_eps_grid_right(c->grid)->blocks;
    uint32_t side = 1;
    while (side < rows || side < columns)
        side *= 2;
    return eb_ranges_begin(c, quarter, (eb_ranges){0, side, 0, side, 0}, &c->tasks, &c->count, status);
}

/* ---- order=canonic: row by row ---- */

static eb_code run_rows(const curve *c, uint64_t task, eb_block_callback callback, void *context,
                        eb_walk_effort *effort, eb_status *status)
{
    const size_t rows = c->grid->side[0].blocks;
    for (size_t a = rows * task / c->count; a < rows * (task + 1) / c->count; a++) {
        size_t done = c->grid->self ? a : 0;
        for (size_t s = 0; s < c->stripes.count; s++) {
            const stretch columns = stripe_of(&c->stripes, s, a);
            effort->looked++;
            effort->pruned += columns.end <= done;
            for (size_t b = columns.begin > done ? columns.begin : done; b < columns.end; b++)
                EB_TRY(callback(context, a, b, status));
            done = columns.end > done ? columns.end : done;
        }
    }
    return EB_OK;
}

/* ---- the walk ---- */

static void free_walk(void *walk)
{
    curve *c = walk;
    if (!c)
        return;
    free(c->stripes.stretch);
    free(c->tasks);
    free(c);
}

static eb_code make_walk(const eb_eps_grid *grid, const eb_options *options, void **out, uint64_t *tasks,
                         eb_status *status)
{
    curve *c = calloc(1, sizeof *c);
    if (!c)
        return eb_fail_memory(status, "FGF-Hilbert", sizeof *c);
    *c = (curve){.grid = grid, .canonic = eb_option_choice(options, "order") == 1};
    const size_t rows = grid->side[0].blocks;
    eb_code failed = make_stripes(grid, (size_t)eb_option_number(options, "stripes"), &c->stripes, status);
    if (!failed && !c->canonic)
        failed = begin_curve(c, status);
    else
        c->count = rows < EB_WALK_TASKS ? rows : EB_WALK_TASKS;
    if (failed)
        free_walk(c);
    else
        *out = c;
    *tasks = failed ? 0 : c->count;
    return failed;
}

static eb_code run_walk(const void *walk, uint64_t task, eb_block_callback callback, void *context,
                        eb_walk_effort *effort, eb_status *status)
{
    const curve *c = walk;
    if (c->canonic)
        return run_rows(c, task, callback, context, effort, status);
    return eb_ranges_run(c, quarter, c->tasks[task], callback, context, effort, status);
}

static const eb_eps_grid_walk walk = {.dimensions = EB_DIMENSIONS_CELLS,
                                      .expands = true,
                                      .make = make_walk,
                                      .run = run_walk,
                                      .free = free_walk};

static eb_code open_hilbert(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    return eb_eps_grid_open(&walk, "FGF-Hilbert", problem, context, state, status);
}

static const eb_implementation hilbert_cpu = EB_EPS_GRID_IMPLEMENTATION(open_hilbert, eb_eps_grid_memory_expanded);

static const eb_option options[] = {
    {
        .name = "order",
        .type = EB_ARG_CHOICE,
        .devices = EB_ON_CPU,
        .choices = "hilbert|canonic",
        .fallback = "hilbert",
        .help = "order in which blocks meet: along a Hilbert curve, or row by row",
    },
    {
        .name = "stripes",
        .type = EB_ARG_INTEGER,
        .devices = EB_ON_CPU,
        .fallback = "4",
        .min = 1,
        .max = STRIPED,
        .help = "dimensions k whose cells cut the columns into 3^(k-1) stripes, 27 as published",
    },
    EB_OPTION_TYPE(EB_ON_CPU, "f64"),
    EB_OPTION_DECIDE(EB_ON_CPU),
};

const eb_engine eb_engine_hilbert = {
    .name = "hilbert",
    .title = "FGF-Hilbert",
    .exactness = EB_APPROXIMATE,
    .exactness_of = eb_decided_exactness,
    .options = EB_OPTIONS(options),
    .on = {[EB_DEVICE_CPU] = {"epsilon grid order, stripes walked along a Hilbert curve, SIMD", &hilbert_cpu}},
    .about = "After Perdacher, Plant and Böhm 2019 and their code, written anew. The FP64 sum and the verdict, its "
             "sign, are theirs, bit for bit. The sum is half of ε² − |p − q|², multiplied out: halves of norms of the "
             "first 8 dimensions, then of each 4, products by FMA. A distance is ε² − 2·sum.\n\n"
             "The order of dimensions (by the pairs that cells leave; their sample is random), the stripes and the "
             "walk are theirs, too.\n\n"
             "This engine differs as follows. Norms are summed by FMA, as in their text; their compiler may reorder. "
             "Blocks have 32 points, theirs 8, and the last n mod 8 points are joined. A pair is left early only if "
             "rounding cannot bring it back; theirs is left once 8 × 8 sums are negative. Cells are wider than ε by "
             "the possible error of the sums.\n\n"
             "Any d and n, two sets, values below 0, ε = 0 and FP32 are accepted. Sums beyond the type's range are not "
             "pairs. With decide=truth the engine computes the FP64 truth, by squared differences.",
};
