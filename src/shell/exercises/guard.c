/* guard: checks a function that chooses the pairs which a kernel computes, so that each comes once. */
#include <stdio.h>

#include "shell/exercises/exercise.h"

/* n is no multiple of a tile's side. */
enum { TILE = 8, TILES = 6, SIDE = TILE * TILES, N = 44, LEAST_TILES = TILES * (TILES + 1) / 2 };

static void find_pair(const uint32_t *guard, unsigned i, unsigned j, eb_faults *f)
{
    const bool upper = guard[i * SIDE + j] != 0, lower = guard[j * SIDE + i] != 0;
    if (j >= N && (upper || lower))
        eb_fault(f, "the guard lets row %u, column %u pass, but point %u does not exist: n is %d", upper ? i : j,
                 upper ? j : i, j, N);
    else if (i == j && upper)
        eb_fault(f, "the guard lets row %u, column %u pass: a point and itself is no pair", i, i);
    else if (i != j && j < N && upper && lower)
        eb_fault(f, "pair %u, %u is computed twice: at row %u, column %u and at row %u, column %u", i, j, i, j, j, i);
    else if (i != j && j < N && !upper && !lower)
        eb_fault(f, "pair %u, %u is missing", i, j);
}

/* Map "guarded": number of pairs computed in each tile. Returns the number of tiles that are not skipped. */
static unsigned draw_tiles(const uint32_t *guard, eb_report *report)
{
    unsigned computed = 0;
    eb_series *series =
        eb_report_dots(report, EB_F(guarded), "Pairs that your guard lets pass in each block tile", EB_HEAT);
    eb_series_axes(series, EB_F(tile_column), false, EB_F(tile_row), false);
    eb_series_heat(series, EB_F(passed));
    for (unsigned tile = 0; tile < TILES * TILES; tile++) {
        const unsigned row = tile / TILES, column = tile % TILES;
        unsigned pairs = 0;
        for (unsigned k = 0; k < TILE * TILE; k++)
            pairs += guard[(row * TILE + k / TILE) * SIDE + column * TILE + k % TILE] != 0;
        computed += pairs > 0;
        eb_series_add(series, column, row, pairs, 0);
    }
    return computed;
}

static eb_code check(const eb_exercise *exercise, const uint32_t *guard, eb_report *report, eb_faults *f,
                     eb_status *status)
{
    (void)exercise, (void)status;
    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = i; j < SIDE; j++)
            find_pair(guard, i, j, f);
    const unsigned tiles = draw_tiles(guard, report);
    EB_FIELDS(report, {EB_F(work_share), eb_real((double)tiles / (TILES * TILES))},
              {EB_F(least_work_share), eb_real((double)LEAST_TILES / (TILES * TILES))});
    if (f->count == 0 && tiles > LEAST_TILES)
        eb_fault(f, "each pair comes once, but %u of %d tiles are computed; %d are enough", tiles, TILES * TILES,
                 LEAST_TILES);
    if (f->count == 0)
        eb_report_conclude(report, "Your guard is right: each pair comes once, in %u of %d tiles", tiles,
                           TILES * TILES);
    return EB_OK;
}

const eb_exercise eb_exercise_guard = {.name = "guard",
                                       .form = "unsigned guard(unsigned row, unsigned column, unsigned n)",
                                       .values = (size_t)SIDE * SIDE,
                                       .side = SIDE,
                                       .more = ", 44",
                                       .check = check};
