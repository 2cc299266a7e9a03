/* select_f64: computes squared distances by their definition, s ← fma(t, t, s) with t = p − q in FP64, k ascending, one
 * lane per pair, and marks those within the limit. measure_f64 writes them instead, for rows from anywhere.
 *
 * The tile's columns are packed into panels of 8 points, k-major, directly from the points as stored. They stay packed
 * while the walk goes down the rows of one column block. A coordinate takes a subtraction and an FMA, which use
 * different ports on most machines, so the FMA's rate is the limit: 8 coordinates a cycle on Zen 3 with AVX2.
 */
#include "kernels/ref64/cpu/kernels.h"
#include "kernels/walk/vector.h"

/* Rows of a register tile. AVX2 has 16 registers: 8 sums, the panel's 2 vectors, a broadcast value and differences.
 * AVX-512 has 32 registers, and a panel is one vector. */
#if defined(__AVX512F__)
#define GROUP 12u
#elif defined(__AVX2__)
#define GROUP 4u
#else
#define GROUP 2u
#endif
#define PANEL 8u
#define PARTS (PANEL / EB_LANES64)

_Static_assert(GROUP <= EB_GROUP_MOST, "scratch is laid out for EB_GROUP_MOST rows");

/* The head of scratch: the columns and the slice that are packed after it. In zeroed scratch count is 0, so that no
 * columns are packed. */
typedef struct packed {
    size_t j0, count, first, steps;
} packed;

_Static_assert(sizeof(packed) <= 64, "scratch has one line for it");

typedef struct tile {
    const eb_dataset *ds;
    double limit;
    const eb_place *place;
    uint64_t *bits;
    const uint32_t *anywhere; /* [ni] measure_f64: the rows' points, NULL: i0, i0 + 1 … */
    double *const *s;         /* [ni] measure_f64: where each row's distances go */
    packed *head;
    double *columns; /* [panels][steps][PANEL] */
    double *rows;    /* [steps][GROUP] */
    double *sums;    /* [ni rounded up to GROUP][panels][PANEL] */
} tile;

/* Writes one point's slice with a distance of `apart` elements between coordinates. */
static void spread(const eb_dataset *ds, size_t point, size_t first, size_t steps, size_t apart, double *to)
{
    double values[EB_SLICE_F64];
    eb_to_f64(ds->dtype, eb_row(ds, point) + first * eb_dtype_size(ds->dtype), steps, values);
    for (size_t k = 0; k < steps; k++)
        to[k * apart] = values[k];
}

/* Lanes past the last column repeat that column; their marks are cleared later. */
static void pack_columns(const tile *t, size_t first, size_t steps)
{
    const eb_place *at = t->place;
    packed wanted = {.j0 = at->j0, .count = at->nj, .first = first, .steps = steps};
    if (t->head->j0 == wanted.j0 && t->head->count == wanted.count && t->head->first == first &&
        t->head->steps == steps)
        return;
    for (size_t j = 0; j < (at->nj + PANEL - 1) / PANEL * PANEL; j++)
        spread(t->ds, at->j0 + (j < at->nj ? j : at->nj - 1), first, steps, PANEL,
               t->columns + j / PANEL * steps * PANEL + j % PANEL);
    *t->head = wanted;
}

EB_INLINE void accumulate(const double *rows, const double *panel, size_t steps, eb_v64 sums[GROUP][PARTS])
{
    for (size_t k = 0; k < steps; k++) {
        eb_v64 line[PARTS];
#pragma GCC unroll 16
        for (size_t p = 0; p < PARTS; p++)
            line[p] = eb_v64_load(panel + k * PANEL + p * EB_LANES64);
#pragma GCC unroll 16
        for (size_t r = 0; r < GROUP; r++) {
            eb_v64 row = eb_v64_all(rows[k * GROUP + r]);
#pragma GCC unroll 16
            for (size_t p = 0; p < PARTS; p++)
                sums[r][p] = eb_v64_square_add(eb_v64_sub(row, line[p]), sums[r][p]);
        }
    }
}

static size_t point_of(const tile *t, size_t row) { return t->anywhere ? t->anywhere[row] : t->place->i0 + row; }

static void mark(const tile *t, size_t r0, size_t count, size_t p, eb_v64 sums[GROUP][PARTS])
{
    const size_t words = eb_tile_words(t->place->nj);
    const eb_v64 limit = eb_v64_all(t->limit);
    uint64_t *word = t->bits + r0 * words + p * PANEL / 64;
#pragma GCC unroll 16
    for (size_t r = 0; r < GROUP; r++) {
        uint64_t marks = 0;
#pragma GCC unroll 16
        for (size_t v = 0; v < PARTS; v++)
            marks |= (uint64_t)eb_v64_not_above(sums[r][v], limit) << (v * EB_LANES64);
        if (r < count)
            word[r * words] |= marks << (p * PANEL % 64);
    }
}

static void write_out(const tile *t, size_t r0, size_t count, size_t p, eb_v64 sums[GROUP][PARTS])
{
    for (size_t r = 0; r < count; r++)
        for (size_t v = 0; v < PARTS; v++)
            eb_v64_store(t->s[r0 + r] + p * PANEL + v * EB_LANES64, sums[r][v]);
}

static void slice_of_group(const tile *t, size_t r0, size_t count, size_t first, size_t steps)
{
    const eb_place *at = t->place;
    size_t i = at->i0 + r0, panels = (at->nj + PANEL - 1) / PANEL;
    bool starts = first == 0, ends = first + steps == t->ds->d;
    for (size_t r = 0; r < GROUP; r++)
        spread(t->ds, point_of(t, r0 + (r < count ? r : count - 1)), first, steps, GROUP, t->rows + r);
    size_t p = at->upper && i + 1 > at->j0 ? (i + 1 - at->j0) / PANEL : 0;
    for (; p < panels; p++) {
        double *waiting = t->sums + (r0 * panels + p * GROUP) * PANEL;
        eb_v64 sums[GROUP][PARTS];
#pragma GCC unroll 16
        for (size_t r = 0; r < GROUP; r++)
#pragma GCC unroll 16
            for (size_t v = 0; v < PARTS; v++)
                sums[r][v] = starts ? eb_v64_all(0) : eb_v64_load(waiting + r * PANEL + v * EB_LANES64);
        accumulate(t->rows, t->columns + p * steps * PANEL, steps, sums);
        if (!ends) {
#pragma GCC unroll 16
            for (size_t r = 0; r < GROUP; r++)
#pragma GCC unroll 16
                for (size_t v = 0; v < PARTS; v++)
                    eb_v64_store(waiting + r * PANEL + v * EB_LANES64, sums[r][v]);
            continue;
        }
        if (t->s)
            write_out(t, r0, count, p, sums);
        else
            mark(t, r0, count, p, sums);
    }
}

static tile tile_in(const eb_dataset *ds, const eb_place *at, void *scratch)
{
    const size_t words = eb_tile_words(at->nj), slice = ds->d < EB_SLICE_F64 ? ds->d : EB_SLICE_F64;
    tile t = {.ds = ds, .place = at, .head = scratch};
    t.columns = (double *)scratch + 64 / sizeof(double);
    t.rows = t.columns + words * 64 * slice;
    t.sums = t.rows + (slice * EB_GROUP_MOST + 7) / 8 * 8;
    return t;
}

static void compute(const tile *t)
{
    const eb_place *at = t->place;
    const size_t d = t->ds->d, slices = (d + EB_SLICE_F64 - 1) / EB_SLICE_F64;
    for (size_t k = 0; k < slices; k++) {
        size_t first = d * k / slices, end = d * (k + 1) / slices;
        pack_columns(t, first, end - first);
        for (size_t r = 0; r < at->ni; r += GROUP) {
            if (at->upper && at->i0 + r + 1 >= at->j0 + at->nj)
                break; /* below the diagonal from here on */
            slice_of_group(t, r, at->ni - r < GROUP ? at->ni - r : GROUP, first, end - first);
        }
    }
}

void EB_FOR_ISA(eb_ref64_select_f64)(const eb_dataset *ds, double limit, const eb_place *at, uint64_t *bits,
                                     void *scratch)
{
    const size_t words = eb_tile_words(at->nj);
    tile t = tile_in(ds, at, scratch);
    t.limit = limit;
    t.bits = bits;
    memset(bits, 0, at->ni * words * sizeof *bits);
    compute(&t);
    if (at->nj % 64 != 0)
        for (size_t r = 0; r < at->ni; r++)
            bits[r * words + words - 1] &= ((uint64_t)1 << (at->nj % 64)) - 1;
}

void EB_FOR_ISA(eb_ref64_measure_f64)(const eb_dataset *ds, const uint32_t *rows, size_t m, size_t j0, size_t nj,
                                      double *const *s, void *scratch)
{
    const eb_place at = {.ni = m, .j0 = j0, .nj = nj};
    tile t = tile_in(ds, &at, scratch);
    t.anywhere = rows;
    t.s = s;
    compute(&t);
}
