/* arrange: a problem's points as one run of places, for engines that want one array: a self-join's in its order, or
 * left's and then right's. Only what must be copied is copied.
 */
#pragma once

#include "core/engine/engine.h"

typedef struct eb_arranged {
    const eb_dataset *points; /* every place's point: the left dataset itself where nothing had to move */
    size_t rows;              /* left points: places [0, rows) */
    size_t first_column;      /* right points: places [first_column, points->n); 0 in a self-join */
    const uint32_t *point;    /* [rows] which point stands at a place; NULL: place k holds point k */
    eb_dataset copy;          /* rows of its own, when they are */
} eb_arranged;

eb_code eb_arrange(const eb_problem *problem, unsigned threads, eb_job *job, eb_arranged *out, eb_status *status);
void eb_arranged_free(eb_arranged *arranged); /* frees what it holds */

static inline bool eb_arranged_self(const eb_arranged *a) { return a->first_column == 0; }

/* The point at a place, numbered as its own side numbers it. */
static inline uint32_t eb_point_at(const eb_arranged *a, size_t place)
{
    if (a->point)
        return a->point[place];
    return (uint32_t)(place < a->rows ? place : place - a->first_column);
}
