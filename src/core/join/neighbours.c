#include "core/join/neighbours.h"

#include <stdlib.h>

#include "core/base/lookup.h"
#include "core/base/pool.h"

/* Sizes are only compared with limits, so a size that overflows becomes UINT64_MAX. */
static uint64_t saturating_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static uint64_t saturating_multiply(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

uint64_t eb_neighbours_bytes(size_t rows, uint64_t entries, eb_distances kept)
{
    uint64_t entry = sizeof(uint32_t) + eb_distances_width(kept);
    uint64_t offsets = saturating_multiply((uint64_t)rows + 1, sizeof(uint64_t));
    return saturating_add(sizeof(eb_neighbours), saturating_add(offsets, saturating_multiply(entries, entry)));
}

/* Adds to the table a counter per row, and at worst one buffered hit per entry, in chunks that are up to an eighth too
 * large. (In a whole self-join a hit makes two entries.) Sorting, after the hits are freed, needs less. */
uint64_t eb_neighbours_build_bytes(size_t rows, uint64_t entries, eb_distances kept)
{
    uint64_t buffered = saturating_multiply(entries, kept ? 18 : 9); /* hits hold FP64 */
    uint64_t counters = saturating_multiply(rows, sizeof(uint32_t));
    return saturating_add(eb_neighbours_bytes(rows, entries, kept), saturating_add(counters, buffered));
}

eb_code eb_neighbours_new(size_t n, size_t first_row, size_t rows, uint64_t entries, eb_distances kept,
                          eb_neighbours **out, eb_status *status)
{
    uint64_t bytes = eb_neighbours_bytes(rows, entries, kept);
    if (bytes > PTRDIFF_MAX) /* no array can be that long */
        return eb_fail_memory(status, "the neighbour table", bytes);
    eb_neighbours *table = calloc(1, sizeof *table);
    if (!table)
        return eb_fail_memory(status, "the neighbour table", bytes);
    size_t places = entries ? (size_t)entries : 1; /* an empty table has arrays too, so no code has to test for NULL */
    table->n = table->others = n;
    table->self = true;
    table->first_row = first_row;
    table->rows = rows;
    table->offsets = eb_pool_take((rows + 1) * sizeof *table->offsets);
    table->columns = eb_pool_take(places * sizeof *table->columns);
    table->kept = kept;
    table->any_distances = kept ? eb_pool_take(places * eb_distances_width(kept)) : NULL;
    if (!table->offsets || !table->columns || (kept && !table->any_distances)) {
        eb_neighbours_free(table);
        return eb_fail_memory(status, "the neighbour table", bytes);
    }
    table->offsets[0] = 0;
    *out = table;
    return EB_OK;
}

void eb_neighbours_free(eb_neighbours *table)
{
    if (!table)
        return;
    eb_pool_give(table->offsets);
    eb_pool_give(table->columns);
    eb_pool_give(table->any_distances);
    free(table);
}

/* ---- the kind of distances ---- */

static const char *const names[] =
    {[EB_DISTANCES_NONE] = "none", [EB_DISTANCES_F64] = "f64", [EB_DISTANCES_F32] = "f32"};

const char *eb_distances_name(eb_distances kept) { return names[kept]; }

eb_distances eb_distances_find(const char *name)
{
    return (eb_distances)eb_index_of_name(names, sizeof names / sizeof names[0], name, EB_DISTANCES_F64);
}

eb_code eb_distances_check(eb_distances kept, const eb_engine *engine, eb_status *status)
{
    if (kept != EB_DISTANCES_F32 || engine->f32_distances)
        return EB_OK;
    return eb_fail(
        status, EB_USAGE,
        "%s computes distances in FP64, and keeping them in FP32 would round them: distances must be none or "
        "f64; found f32",
        engine->name);
}
