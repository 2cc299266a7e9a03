#include "core/engine/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

enum { SQUARE = 8 };

/* ---- checks ---- */

eb_code eb_order_check(const eb_order *order, size_t n, eb_status *status)
{
    if (order->n != n || order->leaves == 0 || order->first[0] != 0 || order->first[order->leaves] != n)
        return eb_fail(status, EB_INTERNAL, "an order of %zu points in %zu leaves for %zu points", order->n,
                       order->leaves, n);
    for (size_t k = 0; k < order->leaves; k++)
        if (order->first[k] > order->first[k + 1])
            return eb_fail(status, EB_INTERNAL, "leaf %zu begins at place %u, the next at %u", k, order->first[k],
                           order->first[k + 1]);
    unsigned char *seen = calloc(n / 8 + 1, 1);
    if (!seen)
        return eb_fail_memory(status, "an order's check", n / 8 + 1);
    eb_code failed = EB_OK;
    for (size_t k = 0; k < n && !failed; k++) {
        uint32_t p = order->point[k];
        if (p >= n || (seen[p / 8] & 1u << p % 8))
            failed = eb_fail(status, EB_INTERNAL, "place %zu of the order holds point %u, which %s", k, p,
                             p >= n ? "there is none of" : "stands elsewhere too");
        else
            seen[p / 8] |= (unsigned char)(1u << p % 8);
    }
    free(seen);
    return failed;
}

static bool ascend(const eb_leaf_pair *x, const eb_leaf_pair *y)
{
    return x->a < y->a || (x->a == y->a && x->b < y->b);
}

eb_code eb_schedule_check(const eb_schedule *schedule, const eb_order *order, eb_status *status)
{
    if (schedule->kind != EB_SCHEDULE_LIST)
        return EB_OK;
    if (!order)
        return eb_fail(status, EB_INTERNAL, "a list of pairs of leaves without an order");
    for (size_t k = 0; k < schedule->pairs; k++) {
        const eb_leaf_pair *pair = &schedule->pair[k];
        if (pair->a > pair->b || pair->b >= order->leaves || (k > 0 && !ascend(pair - 1, pair)))
            return eb_fail(status, EB_INTERNAL, "pair %zu of the list is leaves %u and %u of %zu, or out of order", k,
                           pair->a, pair->b, order->leaves);
    }
    return EB_OK;
}

/* ---- tiles of a list ---- */

typedef struct maker {
    const eb_schedule *schedule;
    const eb_order *order;
    size_t rows, columns; /* of a tile */
    uint64_t *bits;       /* [words] a bit per column of tiles: needed in the present row of tiles */
    size_t words, tile_columns;
    eb_tile_list *out;
    size_t room;
} maker;

/* Marks the columns of tiles that hold a pair of places i < j of a listed pair of leaves, with i in [begin, end). Pairs
 * of leaves before `from` end before `begin`. Returns `from` for the next row of tiles. */
static size_t mark_columns(maker *m, size_t begin, size_t end, size_t from)
{
    const uint32_t *first = m->order->first;
    const eb_leaf_pair *pair = m->schedule->pair;
    while (from < m->schedule->pairs && first[pair[from].a + 1] <= begin)
        from++;
    for (size_t k = from; k < m->schedule->pairs && first[pair[k].a] < end; k++) {
        uint32_t a = pair[k].a, b = pair[k].b;
        size_t i = first[a] > begin ? first[a] : begin, place = first[b] > i ? first[b] : i + 1, last = first[b + 1];
        if (first[a] == first[a + 1] || place >= last)
            continue;
        for (size_t c = place / m->columns; c <= (last - 1) / m->columns; c++)
            m->bits[c / 64] |= (uint64_t)1 << c % 64;
    }
    return from;
}

static eb_code add_tile(maker *m, uint32_t row, uint32_t column, eb_status *status)
{
    eb_tile_list *list = m->out;
    if (!eb_array_grow(&list->tile, list->count, &m->room, sizeof *list->tile, 1024))
        return eb_fail_memory(status, "a list of tiles", 2 * m->room * sizeof *list->tile);
    list->tile[list->count++] = (eb_tile){.row = row, .column = column};
    return EB_OK;
}

/* Makes the list row by row, columns ascending. */
static eb_code make_rows(maker *m, eb_status *status)
{
    size_t n = m->order->n, from = 0;
    eb_code failed = EB_OK;
    for (size_t row = 0; row * m->rows < n && !failed; row++) {
        size_t begin = row * m->rows, end = n - begin < m->rows ? n : begin + m->rows;
        memset(m->bits, 0, m->words * sizeof *m->bits);
        from = mark_columns(m, begin, end, from);
        for (size_t w = 0; w < m->words && !failed; w++)
            for (uint64_t word = m->bits[w]; word && !failed; word &= word - 1) {
                size_t column = w * 64 + (size_t)__builtin_ctzll(word);
                failed = add_tile(m, (uint32_t)row, (uint32_t)column, status);
            }
    }
    return failed;
}

/* Sorts tiles [begin, end) by column / width, stably, by counting. */
static void sort_by_column(const maker *m, uint64_t begin, uint64_t end, size_t width, eb_tile *to, uint64_t *start)
{
    const eb_tile *tile = m->out->tile;
    size_t groups = m->tile_columns / width + 1;
    memset(start, 0, (groups + 1) * sizeof *start);
    for (uint64_t k = begin; k < end; k++)
        start[tile[k].column / width + 1]++;
    for (size_t g = 0; g < groups; g++)
        start[g + 1] += start[g];
    for (uint64_t k = begin; k < end; k++)
        to[begin + start[tile[k].column / width]++] = tile[k];
}

/* Sorts by column all tiles at once, or for squares the tiles of eight rows of tiles at a time. */
static eb_code rearrange(const maker *m, eb_tile_sequence sequence, eb_status *status)
{
    eb_tile_list *list = m->out;
    size_t side = sequence == EB_TILES_IN_SQUARES ? SQUARE : 1;
    eb_tile *sorted = malloc((size_t)(list->count ? list->count : 1) * sizeof *sorted);
    uint64_t *start = malloc((m->tile_columns + 3) * sizeof *start);
    if (!sorted || !start) {
        free(sorted);
        free(start);
        return eb_fail_memory(status, "a list of tiles", list->count * sizeof *sorted);
    }
    for (uint64_t begin = 0, end; begin < list->count; begin = end) {
        for (end = begin; end < list->count; end++)
            if (side > 1 && list->tile[end].row / side != list->tile[begin].row / side)
                break;
        sort_by_column(m, begin, end, side, sorted, start);
    }
    free(start);
    free(list->tile);
    list->tile = sorted;
    return EB_OK;
}

eb_code eb_tile_list_make(const eb_schedule *schedule, const eb_order *order, size_t rows, size_t columns,
                          eb_tile_sequence sequence, eb_tile_list *out, eb_status *status)
{
    *out = (eb_tile_list){.count = 0};
    maker m = {.schedule = schedule, .order = order, .rows = rows, .columns = columns, .out = out};
    m.tile_columns = (order->n + columns - 1) / columns;
    m.words = m.tile_columns / 64 + 1;
    m.bits = malloc(m.words * sizeof *m.bits);
    if (!m.bits)
        return eb_fail_memory(status, "a list of tiles", m.words * sizeof *m.bits);
    eb_code failed = make_rows(&m, status);
    free(m.bits);
    if (!failed)
        failed = rearrange(&m, sequence, status);
    if (failed)
        eb_tile_list_free(out);
    return failed;
}

void eb_tile_list_free(eb_tile_list *list)
{
    free(list->tile);
    *list = (eb_tile_list){.count = 0};
}
