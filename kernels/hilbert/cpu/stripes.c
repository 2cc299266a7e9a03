#include "kernels/hilbert/cpu/stripes.h"

typedef struct target {
    int64_t cell[EB_STRIPED];
} target;

static int compare(const int32_t *cells, const target *t, size_t k)
{
    for (size_t c = 0; c < k; c++)
        if (cells[c] != t->cell[c])
            return cells[c] < t->cell[c] ? -1 : 1;
    return 0;
}

/* A block's cells with a stripe's offsets, and `last` in the last dimension. */
static target target_of(const int32_t *cells, size_t k, size_t stripe, int last)
{
    target t = {{0}};
    t.cell[k - 1] = (int64_t)cells[k - 1] + last;
    for (size_t c = k - 1; c-- > 0; stripe /= 3)
        t.cell[c] = (int64_t)cells[c] + (int)(stripe % 3) - 1;
    return t;
}

/* The first of the blocks whose cells (of their first or last points) are not below the target, or beyond it. */
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

static void fill(const eb_eps_grid *grid, size_t k, eb_stripes *out)
{
    const eb_eps_grid_side *left = &grid->side[0], *right = eb_eps_grid_right(grid);
    const size_t d = grid->d;
    for (size_t stripe = 0; stripe < out->count; stripe++)
        for (size_t row = 0; row < out->rows; row++) {
            const target low = target_of(left->first + row * d, k, stripe, -1);
            const target high = target_of(left->last + row * d, k, stripe, 1);
            out->stretch[stripe * out->rows + row] =
                (eb_stretch){first_block(right->last, right->blocks, d, &low, k, false),
                             first_block(right->first, right->blocks, d, &high, k, true)};
        }
}

eb_code eb_stripes_make(const eb_eps_grid *grid, size_t dimensions, eb_stripes *out, eb_status *status)
{
    const size_t k = grid->d < dimensions ? grid->d : dimensions;
    *out = (eb_stripes){.count = 1, .rows = grid->side[0].blocks};
    for (size_t c = 1; c < k; c++)
        out->count *= 3;
    out->stretch = malloc(out->count * out->rows * sizeof *out->stretch);
    if (!out->stretch)
        return eb_fail_memory(status, "stripes", out->count * out->rows * sizeof *out->stretch);
    fill(grid, k, out);
    return EB_OK;
}

void eb_stripes_free(eb_stripes *stripes) { free(stripes->stretch); }

bool eb_stripes_meet(const eb_stripes *stripes, const eb_ranges *ranges)
{
    if (ranges->a >= stripes->rows)
        return false;
    const size_t last = (ranges->a_end < stripes->rows ? ranges->a_end : stripes->rows) - 1;
    for (size_t s = 0; s < stripes->count; s++)
        if (eb_stripe_of(stripes, s, ranges->a).begin < ranges->b_end && eb_stripe_of(stripes, s, last).end > ranges->b)
            return true;
    return false;
}
