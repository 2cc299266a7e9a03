/* schedule: which pairs of points an engine tests, and the order of the points meanwhile. Both are independent of
 * engines and their tiles: an index makes an order once and a schedule for each ε, and every engine converts them to
 * tiles of its own shape.
 *
 * An order is a permutation of the points, divided into leaves. Place k holds point order.point[k]. A schedule is all
 * pairs, the triangle i < j, or a list of pairs of leaves; pairs of points in no listed pair of leaves need not be
 * tested. Tiles are cut from places without regard to leaves, so that only the last tile can be smaller. All pairs of a
 * tile are tested, so pairs that share a tile with listed ones are found too. If the leaves are multiples of the tile,
 * there are no such pairs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"

typedef struct eb_order {
    size_t n;
    const uint32_t *point; /* [n] a permutation */
    size_t leaves;
    const uint32_t *first; /* [leaves + 1] the place where each leaf begins; first[leaves] = n */
} eb_order;

typedef struct eb_leaf_pair {
    uint32_t a, b; /* a ≤ b */
} eb_leaf_pair;

typedef enum eb_schedule_kind {
    EB_SCHEDULE_USUAL,    /* TRIANGLE if the engine supports it, otherwise ALL */
    EB_SCHEDULE_ALL,      /* every pair twice, from both ends */
    EB_SCHEDULE_TRIANGLE, /* every pair once */
    EB_SCHEDULE_LIST,     /* every listed pair once */
} eb_schedule_kind;

typedef struct eb_schedule {
    eb_schedule_kind kind;
    size_t pairs;
    const eb_leaf_pair *pair; /* LIST: [pairs] of the problem's order, ascending by a, then b, none twice */
} eb_schedule;

/* EB_INTERNAL unless the order is a valid order of n points (called when a problem is opened) and the list a valid list
 * of its leaves (called for each question). */
eb_code eb_order_check(const eb_order *order, size_t n, eb_status *status);
eb_code eb_schedule_check(const eb_schedule *schedule, const eb_order *order, eb_status *status);

/* ---- for engines: a list converted to tiles ---- */

/* Places from row · rows on against places from column · columns on; a tile has rows × columns pairs. */
typedef struct eb_tile {
    uint32_t row, column;
} eb_tile;

typedef enum eb_tile_sequence {
    EB_TILES_BY_COLUMN,  /* column by column of tiles, downwards: the column's points stay in a CPU's cache */
    EB_TILES_IN_SQUARES, /* 8 × 8 tiles together: their points stay in a GPU's L2 */
} eb_tile_sequence;

typedef struct eb_tile_list {
    uint64_t count;
    eb_tile *tile; /* [count] */
} eb_tile_list;

/* Lists once each tile that holds places i < j of a listed pair of leaves, i in its rows. */
eb_code eb_tile_list_make(const eb_schedule *schedule, const eb_order *order, size_t rows, size_t columns,
                          eb_tile_sequence sequence, eb_tile_list *out, eb_status *status);
void eb_tile_list_free(eb_tile_list *list); /* frees the tiles, not the struct */
