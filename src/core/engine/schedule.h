/* schedule: which pairs of points are looked at, and in which order the points lie meanwhile. Independent of engines
 * and of their tiles: an index makes an order once and a schedule for an ε; every engine turns both into tiles of its
 * shape.
 *
 * An order is a permutation of the points cut into leaves. A schedule is all pairs, the triangle i < j, or a list of
 * pairs of leaves: pairs of points that lie in no listed pair of leaves need not be looked at. Points stand at places:
 * place k holds point order.point[k]. Tiles are cut from places without regard to leaves, so that no kernel meets a
 * ragged one but the last, and a tile is looked at whole: pairs that share one with listed pairs are found too. An
 * order whose leaves are multiples of the tile loses nothing by it.
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
    EB_SCHEDULE_USUAL,    /* the triangle where the engine makes use of it, else all */
    EB_SCHEDULE_ALL,      /* every pair from both its ends */
    EB_SCHEDULE_TRIANGLE, /* every pair once */
    EB_SCHEDULE_LIST,     /* once, those listed */
} eb_schedule_kind;

typedef struct eb_schedule {
    eb_schedule_kind kind;
    size_t pairs;
    const eb_leaf_pair *pair; /* LIST: [pairs], ascending by a, then b, none twice; of the problem's order */
} eb_schedule;

/* EB_INTERNAL unless the order is one of n points (opening a problem asks), and the list one of its leaves (questions
 * do). */
eb_code eb_order_check(const eb_order *order, size_t n, eb_status *status);
eb_code eb_schedule_check(const eb_schedule *schedule, const eb_order *order, eb_status *status);

/* ---- for engines: a list as tiles ---- */

/* Rows [row · rows, …) against columns [column · columns, …) of the places. */
typedef struct eb_tile {
    uint32_t row, column;
} eb_tile;

typedef enum eb_tile_sequence {
    EB_TILES_BY_COLUMN,  /* a column of tiles downwards, then the next: its points stay in a CPU's cache */
    EB_TILES_IN_SQUARES, /* 8 × 8 tiles together: their points stay in a GPU's L2 */
} eb_tile_sequence;

typedef struct eb_tile_list {
    uint64_t count;
    eb_tile *tile; /* [count] */
} eb_tile_list;

/* Every tile that holds places i < j of a listed pair of leaves, once, i its row's. */
eb_code eb_tile_list_make(const eb_schedule *schedule, const eb_order *order, size_t rows, size_t columns,
                          eb_tile_sequence sequence, eb_tile_list *out, eb_status *status);
void eb_tile_list_free(eb_tile_list *list); /* frees what it holds */
