/* arrange: a problem's points in one array, for engines that need that: a self-join's points in the problem's order, or
 * the left points followed by the right ones. Points are copied only if they have to move.
 */
#pragma once

#include "core/engine/engine.h"

typedef struct eb_arranged {
    const eb_dataset *points; /* the points of all places: the left dataset itself, or &copy */
    size_t rows;              /* left points: places [0, rows) */
    size_t first_column;      /* right points: places [first_column, points->n); 0 in a self-join */
    const uint32_t *point;    /* [rows] the point at each place; NULL: place k holds point k */
    eb_dataset copy;          /* the moved points, if any */
} eb_arranged;

eb_code eb_arrange(const eb_problem *problem, unsigned threads, eb_job *job, eb_arranged *out, eb_status *status);
void eb_arranged_free(eb_arranged *arranged); /* frees the copy, not the struct */

static inline bool eb_arranged_self(const eb_arranged *a) { return a->first_column == 0; }

/* The index of the point at a place, in the left or the right dataset. */
static inline uint32_t eb_point_at(const eb_arranged *a, size_t place)
{
    if (a->point)
        return a->point[place];
    return (uint32_t)(place < a->rows ? place : place - a->first_column);
}
