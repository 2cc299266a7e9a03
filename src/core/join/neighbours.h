/* neighbours: the neighbour table, a join's result in CSR form, and the sink that builds it.
 *
 * Row r of a table holds the neighbours of point first_row + r: columns ascending, self included (distance 0), so the
 * entries of a full table number exactly |R|. A table of two sets has the right points for columns and no self pairs.
 * Distances are √s as the engine computed s, in the points' own unit, kept in FP64, or in FP32, or not at all; in FP32
 * each is the FP64 one rounded once. (Where s is an FP32 value and the points are not scaled, that is its correctly
 * rounded FP32 root.)
 *
 * Building: hits are buffered per thread without locks, then counted, placed and sorted in parallel; of a self-join, a
 * pair inside the row range is stored under both its ends. Rows and hits may come from several shares of the work, in
 * any order. Whatever breaks the engine's promise (a pair twice, outside the range, a row missing) is EB_INTERNAL, not
 * a table.
 */
#pragma once

#include <math.h>

#include "core/engine/engine.h"

/* Which distances a neighbour table keeps: those of the engine in FP64, in FP32, or none. FP32 only where
 * the engine computes in FP32 itself, so that nobody takes a rounded truth for the truth.
 */

typedef enum eb_distances { EB_DISTANCES_NONE, EB_DISTANCES_F64, EB_DISTANCES_F32 } eb_distances;

#define EB_DISTANCES_CHOICES "none|f32|f64"

const char *eb_distances_name(eb_distances kept);

/* The kind of this name, one of the choices; NULL: EB_DISTANCES_F64. */
eb_distances eb_distances_find(const char *name);

static inline size_t eb_distances_width(eb_distances kept) /* bytes an entry */
{
    return kept == EB_DISTANCES_NONE ? 0 : kept == EB_DISTANCES_F64 ? sizeof(double) : sizeof(float);
}

/* EB_USAGE: FP32 of an engine whose own distances are FP64. */
eb_code eb_distances_check(eb_distances kept, const eb_engine *engine, eb_status *status);

/* What the engine's table can keep of it: FP64 where it has no FP32 distances. */
static inline eb_distances eb_distances_of(eb_distances wanted, const eb_engine *engine)
{
    return wanted == EB_DISTANCES_F32 && !engine->f32_distances ? EB_DISTANCES_F64 : wanted;
}

typedef struct eb_neighbours {
    size_t n;      /* left points */
    size_t others; /* right points: columns are below it */
    bool self;     /* a self-join: others = n, and every row holds itself */
    size_t first_row, rows;
    uint64_t *offsets; /* [rows + 1], offsets[0] = 0 */
    uint32_t *columns; /* [offsets[rows]] */
    eb_distances kept;
    union { /* [offsets[rows]], as `kept` says; NULL: none */
        double *distances;
        float *distances32;
        void *any_distances;
    };
} eb_neighbours;

/* Of entry k; NAN where none are kept. */
static inline double eb_neighbours_distance(const eb_neighbours *table, uint64_t k)
{
    return table->kept == EB_DISTANCES_F64   ? table->distances[k]
           : table->kept == EB_DISTANCES_F32 ? (double)table->distances32[k]
                                             : (double)NAN;
}

/* Where the distances from entry k on lie; NULL where none are kept. */
static inline void *eb_neighbours_distances_from(const eb_neighbours *table, uint64_t k)
{
    return table->kept ? (char *)table->any_distances + k * eb_distances_width(table->kept) : NULL;
}

/* Keeps it as the table does. */
static inline void eb_neighbours_set_distance(eb_neighbours *table, uint64_t k, double distance)
{
    if (table->kept == EB_DISTANCES_F64)
        table->distances[k] = distance;
    else if (table->kept == EB_DISTANCES_F32)
        table->distances32[k] = (float)distance;
}

/* Entries that one thread fills at a time: 2 MB of distances, so that where a table's memory is touched for the first
 * time, threads stay out of each other's large pages. */
#define EB_ENTRIES_A_TASK ((uint64_t)1 << 18)

/* A self-join's table with its arrays allocated, offsets[0] = 0, the rest not filled. */
eb_code eb_neighbours_new(size_t n, size_t first_row, size_t rows, uint64_t entries, eb_distances kept,
                          eb_neighbours **out, eb_status *status);
void eb_neighbours_free(eb_neighbours *table); /* NULL is fine */

/* Bytes a table of `entries` entries needs, and the most that building it takes at once, the table included (beside
 * some KiB per thread). UINT64_MAX when the number is beyond that. */
uint64_t eb_neighbours_bytes(size_t rows, uint64_t entries, eb_distances kept);
uint64_t eb_neighbours_build_bytes(size_t rows, uint64_t entries, eb_distances kept);

typedef struct eb_neighbours_builder eb_neighbours_builder;

typedef struct eb_neighbours_request {
    size_t n, others; /* left and right points */
    bool self;
    size_t row_begin, row_end;
    unsigned threads; /* that feed single hits, and that build */
    eb_distances distances;
    int exponent;          /* the points' scaling (scaling.h): distances are those of the points as they were */
    uint64_t memory_limit; /* bytes, 0: none: holds for everything the builder allocates, the finished table included: a
                              hit that would exceed it fails with EB_NO_MEMORY, and the caller halves the row range */
} eb_neighbours_request;

eb_code eb_neighbours_builder_new(const eb_neighbours_request *request, eb_neighbours_builder **out, eb_status *status);

/* Takes single hits, or whole rows; not both in one table. Rows from any thread: those before which others are missing
 * wait. */
eb_sink eb_neighbours_builder_sink(eb_neighbours_builder *builder);

/* Entries received so far, self pairs of the range included. */
uint64_t eb_neighbours_builder_found(const eb_neighbours_builder *builder);

/* Builds the table (threads in parallel), once; EB_INTERNAL when stored and found counts differ. The builder must still
 * be freed. */
eb_code eb_neighbours_builder_finish(eb_neighbours_builder *builder, eb_job *job, eb_neighbours **out,
                                     eb_status *status);
void eb_neighbours_builder_free(eb_neighbours_builder *builder); /* NULL is fine */
