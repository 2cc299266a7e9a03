/* slabs: cuts a self-join whose points do not fit memory into joins that do.
 *
 * Points are cut along one dimension. Slab k owns the points with edge[k] ≤ x < edge[k + 1] in that dimension; its halo
 * is the other points that may be within ε of an owned one: those up to `reach` beyond its edges. The join of a slab's
 * points (owned ones and halo) therefore finds, for each owned point, all of its pairs. Each point is owned by one
 * slab, so the rows of the owned points make up the whole table, and a pair across an edge is found from both sides.
 *
 * Only the truth is cut (EB_TRUTH): its answer for a pair depends on nothing but these two points, so the table has the
 * same bits as in one piece. The pair test bounds |x − y| in every dimension by ε, rounded; `reach` is that bound with
 * a margin for all roundings. A slab has the whole set's scaling (core/data/scaling.h).
 *
 * Three passes over the rows: a sample chooses the dimension (that with the fewest points in halos) and possible edges;
 * a count of the points between them chooses the edges; the last copies each slab's points, with their row numbers, to
 * a file. The plan depends on the points, ε and the room only, so it can be made again.
 */
#pragma once

#include "core/engine/spec.h"
#include "core/join/neighbours.h"

#define EB_MOST_SLABS 4096u

/* The memory for the points of one slab, as stored and in the engine. */
typedef struct eb_slab_room {
    uint64_t bytes;
    uint64_t (*memory_needed)(size_t n, size_t d, eb_dtype dtype); /* the engine's (engine.h) */
    size_t most_own; /* points that a slab should own, unless they are too near each other; 0: no limit */
} eb_slab_room;

typedef struct eb_slab_plan {
    size_t axis;            /* dimension */
    double reach;           /* ≥ ε */
    size_t slabs;           /* ≥ 1 */
    double *edge;           /* [slabs + 1], −∞ … ∞, ascending */
    size_t *own;            /* [slabs] points owned, ≥ 1 */
    size_t *halo;           /* [slabs] upper bound of the points of the halo */
    size_t halos;           /* after scattering: points in the halos of the slabs that were wanted */
    uint64_t read, written; /* bytes of points, so far */
} eb_slab_plan;

/* EB_NO_MEMORY if no cut along any dimension leaves slabs that fit the room: the message says what would help. Free
 * with eb_slabs_free. */
eb_code eb_slabs_plan(const eb_dataset *ds, double eps, const eb_slab_room *room, unsigned threads, eb_job *job,
                      eb_slab_plan *out, eb_status *status);
void eb_slabs_free(eb_slab_plan *plan);

/* One line that is equal for equal cuts only: "8 slabs along dimension 2, edges 0123456789abcdef". Returns buffer. */
char *eb_slabs_words(const eb_slab_plan *plan, char *buffer, size_t size);

/* The slabs' points in a file without a name, which the caller opens for reading and writing and closes. */
typedef struct eb_slab_file {
    int fd;
    const char *path; /* beside which the file is: for messages */
    uint64_t *offset; /* [slabs] of each slab's rows; its row numbers follow */
    size_t *halo;     /* [slabs] points of the halo */
} eb_slab_file;

/* Copies the points of the slabs that wanted() wants into the file. Free *out with eb_slab_file_free. */
eb_code eb_slabs_scatter(eb_slab_plan *plan, const eb_dataset *ds, bool (*wanted)(const void *context, size_t slab),
                         const void *context, int fd, const char *path, eb_job *job, eb_slab_file *out,
                         eb_status *status);
void eb_slab_file_free(eb_slab_file *file); /* does not close it */

/* The points of one slab in memory: owned ones first, then the halo, each ascending by row. */
typedef struct eb_slab {
    eb_dataset points; /* rows on the heap; source and labels are those of the whole set, borrowed */
    size_t own;
    uint32_t *row; /* [points.n] in the whole set */
} eb_slab;

eb_code eb_slab_load(eb_slab_plan *plan, const eb_slab_file *file, const eb_dataset *ds, size_t slab, eb_slab *out,
                     eb_status *status);
void eb_slab_free(eb_slab *slab);

/* Turns a table of the slab's rows into one of the whole set's n points: columns become rows of the whole set and are
 * sorted, with their distances. first_row stays the slab's. */
eb_code eb_slab_translate(const eb_slab *slab, size_t n, eb_neighbours *table, unsigned threads, eb_job *job,
                          eb_status *status);
