/* panels: computes the dot products of a tile, and compares them or writes distances as they leave the registers.
 *
 *            16 points of a panel, one 64-byte line per step
 *            ┌────────────────┐
 *   GROUP    │ sums in        │  per step: one line of the panel, GROUP broadcasts, GROUP × PARTS multiply-adds
 *   rows     │ registers      │
 *            └────────────────┘
 *
 * The group's rows stay in L1, the tile's panels stream from L2, and each byte from L2 is used GROUP times. The rate of
 * multiply-adds is the limit. On a machine with two of them per cycle (Zen 3, AVX2) it is 16 FP32 or 32 int16 products
 * a cycle.
 */
#pragma once

#include "kernels/ref64/cpu/kernels.h"
#include "kernels/walk/vector.h"

/* Rows of a register tile. 12 (AVX2) or 8 (SSE2) sums, the panel's line and a broadcast value fit 16 registers. AVX-512
 * has 32 registers; 12 sums hide its latency of 4 cycles at two multiply-adds a cycle. */
#if defined(__AVX512F__)
#define GROUP 12u
#elif defined(__AVX2__)
#define GROUP 6u
#else
#define GROUP 2u
#endif
#define PARTS (EB_PANEL / EB_LANES32)

_Static_assert(GROUP <= EB_GROUP_MOST, "scratch is laid out for EB_GROUP_MOST rows");

/* LEVELS: bytes too, but their products are compared with a level of the row plus one of the column. */
typedef enum lane_kind { INT16_PAIRS, BYTE_QUADS, LEVELS, FLOATS } lane_kind;

typedef struct tile {
    const eb_panels *points;
    const uint32_t *row_terms, *column_terms; /* each point's term of the test, as a row and as a column */
    uint32_t limit;                           /* integers only */
    const eb_place *place;
    const uint32_t *anywhere; /* [ni] the rows' points; NULL: i0, i0 + 1 … */
    uint64_t *bits;           /* the verdicts; NULL: distances are written */
    double *const *s;         /* [ni] where each row's distances go */
    uint32_t *rows;           /* [slice][GROUP] */
    uint32_t *sums;           /* [ni rounded up to GROUP][panels][16] */
    uint32_t terms[GROUP];    /* the group's row terms */
} tile;

/* Interleaves the group's lanes of one slice. Rows past the tile's end repeat the last; their sums are not used. */
EB_INLINE void pack_rows(lane_kind kind, tile *t, size_t r0, size_t count, size_t first, size_t steps)
{
    const uint32_t flip = kind == BYTE_QUADS || kind == LEVELS ? 0x80808080u : 0;
    for (size_t r = 0; r < GROUP; r++) {
        const size_t row = r0 + (r < count ? r : count - 1);
        const size_t point = t->anywhere ? t->anywhere[row] : t->place->i0 + row;
        t->terms[r] = t->row_terms[point];
        const uint32_t *from =
            t->points->lanes + (point / EB_PANEL * t->points->steps + first) * EB_PANEL + point % EB_PANEL;
        uint32_t *to = t->rows + r;
        for (size_t k = 0; k < steps; k++)
            to[k * GROUP] = from[k * EB_PANEL] ^ flip;
    }
}

EB_INLINE void accumulate(lane_kind kind, const uint32_t *rows, const uint32_t *panel, size_t steps,
                          eb_v32 sums[GROUP][PARTS])
{
    for (size_t k = 0; k < steps; k++) {
        eb_v32 line[PARTS];
#pragma GCC unroll 16
        for (size_t p = 0; p < PARTS; p++)
            line[p] = eb_v32_load(panel + k * EB_PANEL + p * EB_LANES32);
#pragma GCC unroll 16
        for (size_t r = 0; r < GROUP; r++) {
            eb_v32 row = eb_v32_all(rows[k * GROUP + r]);
#pragma GCC unroll 16
            for (size_t p = 0; p < PARTS; p++)
                sums[r][p] = kind == FLOATS        ? eb_v32_dot_f32(sums[r][p], row, line[p])
                             : kind == INT16_PAIRS ? eb_v32_dot_i16(sums[r][p], row, line[p])
                                                   : eb_v32_dot_i8(sums[r][p], row, line[p]);
        }
    }
}

/* 16 verdicts of one row. For integers bit 31 is flipped on both sides, so that a signed comparison orders unsigned
 * values. */
EB_INLINE uint64_t verdicts(lane_kind kind, uint32_t limit, uint32_t row_term, const uint32_t *column_terms,
                            const eb_v32 sums[PARTS])
{
    uint64_t marks = 0;
#pragma GCC unroll 16
    for (size_t p = 0; p < PARTS; p++) {
        eb_v32 columns = eb_v32_load(column_terms + p * EB_LANES32);
        unsigned some;
        if (kind == FLOATS) {
            some = eb_v32_reaches_sum(sums[p], eb_v32_all(row_term), columns);
        } else if (kind == LEVELS) {
            some = eb_v32_not_above(eb_v32_add(eb_v32_all(row_term), columns), sums[p]);
        } else {
            eb_v32 both = eb_v32_add(eb_v32_all(row_term ^ 0x80000000u), columns);
            eb_v32 squared = eb_v32_sub(both, eb_v32_add(sums[p], sums[p]));
            some = eb_v32_not_above(squared, eb_v32_all(limit ^ 0x80000000u));
        }
        marks |= (uint64_t)some << (p * EB_LANES32);
    }
    return marks;
}

/* Integers: the squared distances of one row to a panel. */
EB_INLINE void distances(uint32_t row_term, const uint32_t *column_terms, const eb_v32 sums[PARTS], double *to)
{
    uint32_t squared[EB_PANEL];
    for (size_t p = 0; p < PARTS; p++) {
        const eb_v32 both = eb_v32_add(eb_v32_all(row_term), eb_v32_load(column_terms + p * EB_LANES32));
        eb_v32_store(squared + p * EB_LANES32, eb_v32_sub(both, eb_v32_add(sums[p], sums[p])));
    }
    for (size_t k = 0; k < EB_PANEL; k++)
        to[k] = (double)squared[k];
}

/* One register tile: a group of rows against one panel, for one slice of the coordinates. The first slice begins with
 * sums of 0, each later one with the sums in `waiting`, where all but the last store them. */
EB_INLINE bool register_tile(lane_kind kind, const tile *t, size_t panel, size_t first, size_t steps, uint32_t *waiting,
                             eb_v32 sums[GROUP][PARTS])
{
    const size_t all_steps = t->points->steps;
#pragma GCC unroll 16
    for (size_t r = 0; r < GROUP; r++)
#pragma GCC unroll 16
        for (size_t v = 0; v < PARTS; v++)
            sums[r][v] = first == 0 ? eb_v32_all(0) : eb_v32_load(waiting + r * EB_PANEL + v * EB_LANES32);
    accumulate(kind, t->rows, t->points->lanes + (panel * all_steps + first) * EB_PANEL, steps, sums);
    if (first + steps == all_steps)
        return true;
#pragma GCC unroll 16
    for (size_t r = 0; r < GROUP; r++)
#pragma GCC unroll 16
        for (size_t v = 0; v < PARTS; v++)
            eb_v32_store(waiting + r * EB_PANEL + v * EB_LANES32, sums[r][v]);
    return false;
}

/* One group of rows against all panels of the tile. Four panels make a word of marks. */
EB_INLINE void slice_of_group(lane_kind kind, const tile *t, size_t r0, size_t count, size_t first, size_t steps)
{
    const eb_place *at = t->place;
    size_t i = at->i0 + r0, panels = (at->nj + EB_PANEL - 1) / EB_PANEL, words = eb_tile_words(at->nj);
    size_t p = at->upper && i + 1 > at->j0 ? (i + 1 - at->j0) / EB_PANEL : 0;
    while (p < panels) {
        uint64_t marks[GROUP] = {0};
        size_t word = p / 4, end = word * 4 + 4 < panels ? word * 4 + 4 : panels;
        for (; p < end; p++) {
            const size_t panel = at->j0 / EB_PANEL + p;
            const uint32_t *terms = t->column_terms + panel * EB_PANEL;
            eb_v32 sums[GROUP][PARTS];
            if (!register_tile(kind, t, panel, first, steps, t->sums + (r0 * panels + p * GROUP) * EB_PANEL, sums))
                continue;
            if (t->bits) {
#pragma GCC unroll 16
                for (size_t r = 0; r < GROUP; r++)
                    marks[r] |= verdicts(kind, t->limit, t->terms[r], terms, sums[r]) << p % 4 * EB_PANEL;
            } else {
                for (size_t r = 0; r < count; r++)
                    distances(t->terms[r], terms, sums[r], t->s[r0 + r] + p * EB_PANEL);
            }
        }
        for (size_t r = 0; t->bits && r < count; r++)
            t->bits[(r0 + r) * words + word] = marks[r];
    }
}

EB_INLINE void compute(lane_kind kind, tile *t)
{
    const eb_place *at = t->place;
    const size_t steps = t->points->steps, slices = (steps + EB_SLICE - 1) / EB_SLICE;
    for (size_t k = 0; k < slices; k++) { /* slices of nearly equal length, so that none is too short to pay */
        size_t first = steps * k / slices, end = steps * (k + 1) / slices;
        for (size_t r = 0; r < at->ni; r += GROUP) {
            size_t count = at->ni - r < GROUP ? at->ni - r : GROUP;
            if (at->upper && at->i0 + r + 1 >= at->j0 + at->nj)
                break; /* below the diagonal from here on */
            pack_rows(kind, t, r, count, first, end - first);
            slice_of_group(kind, t, r, count, first, end - first);
        }
    }
}

EB_INLINE void select_pairs(lane_kind kind, tile *t)
{
    const eb_place *at = t->place;
    const size_t words = eb_tile_words(at->nj);
    memset(t->bits, 0, at->ni * words * sizeof *t->bits);
    compute(kind, t);
    if (at->nj % 64 != 0) /* clear the marks of points past the tile's end */
        for (size_t r = 0; r < at->ni; r++)
            t->bits[r * words + words - 1] &= ((uint64_t)1 << (at->nj % 64)) - 1;
}

EB_INLINE tile tile_in(const eb_panels *points, const uint32_t *row_terms, const uint32_t *column_terms,
                       const eb_place *place, void *scratch)
{
    uint32_t *rows = scratch;
    return (tile){.points = points,
                  .row_terms = row_terms,
                  .column_terms = column_terms,
                  .place = place,
                  .rows = rows,
                  .sums = rows + EB_SLICE * EB_GROUP_MOST};
}

EB_INLINE void select_integers(lane_kind kind, const eb_integer_points *points, uint32_t limit, const eb_place *place,
                               uint64_t *bits, void *scratch)
{
    tile t = tile_in(&points->panels, points->row_terms, points->column_terms, place, scratch);
    t.limit = limit;
    t.bits = bits;
    select_pairs(kind, &t);
}

EB_INLINE void measure_integers(lane_kind kind, const eb_integer_points *points, const uint32_t *rows, size_t m,
                                size_t j0, size_t nj, double *const *s, void *scratch)
{
    const eb_place place = {.ni = m, .j0 = j0, .nj = nj};
    tile t = tile_in(&points->panels, points->row_terms, points->column_terms, &place, scratch);
    t.anywhere = rows;
    t.s = s;
    compute(kind, &t);
}
