/* neighbours: the neighbour table, a join's result in CSR form, and the builder that makes it from an engine's results.
 *
 * Row r of a table holds the neighbours of point first_row + r: columns ascending, the point itself included (distance
 * 0), so a full table has exactly |R| entries. In a table of two sets, columns are right points and there are no self
 * pairs. Distances are √s with the engine's s, in the unit of the original points, kept in FP64, in FP32 or not at all.
 * In FP32 each is the FP64 distance rounded once. (If s is an FP32 value and the points are not scaled, that is the
 * correctly rounded FP32 root of s.)
 *
 * Building: hits are buffered per thread without locks, then counted, placed and sorted in parallel. In a self-join, a
 * pair inside the row range is stored under both ends. Rows and hits may come from several shares of the work, in any
 * order. If the engine violates its contract (a pair twice or outside the range, a missing row), the result is
 * EB_INTERNAL, not a table.
 */
#pragma once

#include <math.h>

#include "core/engine/engine.h"

/* The distances that a neighbour table keeps: the engine's in FP64, in FP32, or none. FP32 is only allowed for engines
 * that compute in FP32, so that rounded distances are not taken for exact ones. */
typedef enum eb_distances { EB_DISTANCES_NONE, EB_DISTANCES_F64, EB_DISTANCES_F32 } eb_distances;

#define EB_DISTANCES_CHOICES "none|f32|f64"

const char *eb_distances_name(eb_distances kept);

/* The kind with this name; for NULL or an unknown name EB_DISTANCES_F64. */
eb_distances eb_distances_find(const char *name);

static inline size_t eb_distances_width(eb_distances kept) /* bytes an entry */
{
    return kept == EB_DISTANCES_NONE ? 0 : kept == EB_DISTANCES_F64 ? sizeof(double) : sizeof(float);
}

/* EB_USAGE for FP32 if the engine's distances are FP64. */
eb_code eb_distances_check(eb_distances kept, const eb_engine *engine, eb_status *status);

/* The wanted kind; FP64 instead of FP32 if the engine's distances are FP64. */
static inline eb_distances eb_distances_of(eb_distances wanted, const eb_engine *engine)
{
    return wanted == EB_DISTANCES_F32 && !engine->f32_distances ? EB_DISTANCES_F64 : wanted;
}

typedef struct eb_neighbours {
    size_t n;      /* left points */
    size_t others; /* right points; columns are below this */
    bool self;     /* self-join: others = n, and every row contains its own point */
    size_t first_row, rows;
    uint64_t *offsets; /* [rows + 1], offsets[0] = 0 */
    uint32_t *columns; /* [offsets[rows]] */
    eb_distances kept;
    union { /* [offsets[rows]] of the kind `kept`; NULL: none */
        double *distances;
        float *distances32;
        void *any_distances;
    };
} eb_neighbours;

/* The distance of entry k; NAN if none are kept. */
static inline double eb_neighbours_distance(const eb_neighbours *table, uint64_t k)
{
    return table->kept == EB_DISTANCES_F64   ? table->distances[k]
           : table->kept == EB_DISTANCES_F32 ? (double)table->distances32[k]
                                             : (double)NAN;
}

/* The address of the distances from entry k on; NULL if none are kept. */
static inline void *eb_neighbours_distances_from(const eb_neighbours *table, uint64_t k)
{
    return table->kept ? (char *)table->any_distances + k * eb_distances_width(table->kept) : NULL;
}

static inline void eb_neighbours_set_distance(eb_neighbours *table, uint64_t k, double distance)
{
    if (table->kept == EB_DISTANCES_F64)
        table->distances[k] = distance;
    else if (table->kept == EB_DISTANCES_F32)
        table->distances32[k] = (float)distance;
}

/* Entries that one thread fills at a time: 2 MiB of distances, so that threads populate different large pages. */
#define EB_ENTRIES_A_TASK ((uint64_t)1 << 18)

/* Allocates a self-join's table. Only offsets[0] = 0 is filled. */
eb_code eb_neighbours_new(size_t n, size_t first_row, size_t rows, uint64_t entries, eb_distances kept,
                          eb_neighbours **out, eb_status *status);
void eb_neighbours_free(eb_neighbours *table); /* NULL is fine */

/* Bytes of a table with `entries` entries, and the peak of building it, table included, without some KiB per thread.
 * UINT64_MAX on overflow. */
uint64_t eb_neighbours_bytes(size_t rows, uint64_t entries, eb_distances kept);
uint64_t eb_neighbours_build_bytes(size_t rows, uint64_t entries, eb_distances kept);

typedef struct eb_neighbours_builder eb_neighbours_builder;

typedef struct eb_neighbours_request {
    size_t n, others; /* left and right points */
    bool self;
    size_t row_begin, row_end;
    unsigned threads; /* threads that pass hits and that build */
    eb_distances distances;
    int exponent;          /* the points' scaling (scaling.h), which the distances undo */
    uint64_t memory_limit; /* bytes for all that the builder allocates, the finished table included; 0: no limit. A hit
                              beyond the limit fails with EB_NO_MEMORY, and the caller halves the row range */
} eb_neighbours_request;

eb_code eb_neighbours_builder_new(const eb_neighbours_request *request, eb_neighbours_builder **out, eb_status *status);

/* The sink for an engine: accepts either single hits or whole rows in one table. Rows may come from any thread in any
 * order; early rows wait for the missing ones before them. */
eb_sink eb_neighbours_builder_sink(eb_neighbours_builder *builder);

/* Entries received so far, self pairs of the range included. */
uint64_t eb_neighbours_builder_found(const eb_neighbours_builder *builder);

/* Builds the table in parallel; may be called once. EB_INTERNAL if the numbers of stored and found entries differ. The
 * builder must still be freed. */
eb_code eb_neighbours_builder_finish(eb_neighbours_builder *builder, eb_job *job, eb_neighbours **out,
                                     eb_status *status);
void eb_neighbours_builder_free(eb_neighbours_builder *builder); /* NULL is fine */
