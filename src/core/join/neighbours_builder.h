/* neighbours_builder: the private part of the table builder, for the sink that collects hits (neighbours_sink.c), the
 * build from hits (neighbours_build.c) and the build from whole rows (neighbours_rows.c). streaming.c uses
 * eb_row_piece.
 */
#pragma once

#include <math.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "core/data/scaling.h"
#include "core/join/neighbours.h"

typedef struct eb_pair {
    uint32_t i, j;
} eb_pair;

/* A buffer of one thread's hits. Pairs and squared distances follow the struct in the same allocation. */
typedef struct eb_hit_chunk {
    struct eb_hit_chunk *next;
    size_t count, capacity;
    eb_pair *pairs; /* [capacity] */
    double *s;      /* [capacity], NULL without distances */
} eb_hit_chunk;

/* The hits of one engine thread, on cache lines of its own. */
typedef struct eb_hit_list {
    alignas(64) eb_hit_chunk *first;
    eb_hit_chunk *last;
    uint64_t hits;
    size_t chunks;
} eb_hit_list;

typedef enum eb_feed { EB_FEED_NONE, EB_FEED_HITS, EB_FEED_ROWS } eb_feed;

/* Whole rows in arrays of their own, not in a table. */
typedef struct eb_row_piece {
    struct eb_row_piece *next;
    size_t first_row, rows, bytes;
    uint64_t *offsets; /* [rows + 1] */
    uint32_t *columns;
    void *distances; /* NULL: not kept */
} eb_row_piece;

struct eb_neighbours_builder {
    size_t n, others, row_begin, rows;
    bool self;
    unsigned threads;
    eb_distances distances;
    double unit;              /* of distances (scaling.h) */
    eb_row_kind kind;         /* of the sink */
    uint64_t memory_limit;    /* bytes; 0: no limit */
    _Atomic eb_feed feed;     /* the form of the engine's results */
    _Atomic uint64_t entries; /* received entries; with EB_FEED_HITS without self pairs */
    _Atomic uint64_t chunk_bytes;
    eb_hit_list *lists; /* [threads] */

    /* EB_FEED_ROWS: the growing table, guarded by the lock. */
    pthread_mutex_t lock;
    pthread_cond_t quiet;   /* filling became 0, so the arrays may move */
    unsigned filling;       /* calls of place() without their placed() */
    eb_neighbours *growing; /* NULL before the first rows */
    size_t rows_done;       /* rows with a place in the table */
    uint64_t capacity;      /* entries that the arrays have room for */
    eb_row_piece *early;    /* rows that came before their predecessors, by first_row */
    uint64_t early_bytes;
};

static inline bool eb_builder_has_row(const eb_neighbours_builder *builder, uint32_t row)
{
    return (size_t)row - builder->row_begin < builder->rows; /* a row before the range wraps round */
}

/* Number of table entries of a pair: one for two sets or if one end is outside the rows, otherwise two. */
static inline unsigned eb_builder_ends(const eb_neighbours_builder *builder, eb_pair pair)
{
    return (unsigned)eb_builder_has_row(builder, pair.i) + (builder->self && eb_builder_has_row(builder, pair.j));
}

/* The first call sets the feed; EB_INTERNAL if a later one differs. */
eb_code eb_builder_agree_on_feed(eb_neighbours_builder *builder, eb_feed feed, eb_status *status);

eb_code eb_builder_fail_limit(const eb_neighbours_builder *builder, uint64_t needed, eb_status *status);

/* EB_INTERNAL unless the row's columns ascend strictly and, in a self-join, contain the point itself. All readers of
 * tables rely on this. */
eb_code eb_builder_check_row(const eb_neighbours *table, size_t r, eb_status *status);

/* Allocates a table for the builder's rows. */
eb_code eb_builder_new_table(const eb_neighbours_builder *builder, uint64_t entries, eb_neighbours **out,
                             eb_status *status);

/* The sink's hits(), place() and placed(), and the completion of a build from rows. */
eb_code eb_builder_take_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status);
eb_code eb_builder_place(void *context, size_t first_row, size_t rows, const uint64_t *offsets, eb_row_places *out,
                         eb_status *status);
eb_code eb_builder_placed(void *context, eb_status *status);
eb_code eb_builder_finish_rows(eb_neighbours_builder *builder, eb_neighbours **out, eb_status *status);

/* Copies the offsets and allocates the entries; `width`: bytes of a distance, 0: none; `bytes`: what the piece counts
 * for in a memory limit. */
eb_code eb_row_piece_new(size_t first_row, size_t rows, const uint64_t *offsets, size_t width, size_t bytes,
                         eb_row_piece **out, eb_status *status);
void eb_row_piece_free(eb_row_piece *piece);
