/* neighbours_builder: the inside of a table builder, shared by the sink that collects hits (neighbours_sink.c), the
 * build that follows (neighbours_build.c), and the way of engines that give whole rows (neighbours_rows.c). Not for
 * others.
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

/* Hits as one thread got them. Pairs and squared distances lie behind the struct in the same block. */
typedef struct eb_hit_chunk {
    struct eb_hit_chunk *next;
    size_t count, capacity;
    eb_pair *pairs; /* [capacity] */
    double *s;      /* [capacity], NULL without distances */
} eb_hit_chunk;

/* One engine thread's hits; on cache lines of its own. */
typedef struct eb_hit_list {
    alignas(64) eb_hit_chunk *first;
    eb_hit_chunk *last;
    uint64_t hits;
    size_t chunks;
} eb_hit_list;

typedef enum eb_feed { EB_FEED_NONE, EB_FEED_HITS, EB_FEED_ROWS } eb_feed;

/* Rows that came before those that stand before them: in arrays of their own. */
typedef struct eb_early_rows {
    struct eb_early_rows *next; /* by first_row */
    size_t first_row, rows, bytes;
    uint64_t *offsets;
    uint32_t *columns;
    void *distances; /* NULL: none are kept */
} eb_early_rows;

struct eb_neighbours_builder {
    size_t n, others, row_begin, rows;
    bool self;
    unsigned threads;
    eb_distances distances;
    double unit;              /* of distances (scaling.h) */
    uint64_t memory_limit;    /* 0: none */
    _Atomic eb_feed feed;     /* which way the results come */
    _Atomic uint64_t entries; /* received; with EB_FEED_HITS the self pairs come on top */
    _Atomic uint64_t chunk_bytes;
    eb_hit_list *lists; /* [threads] */

    /* EB_FEED_ROWS: the table as it grows; behind the lock. */
    pthread_mutex_t lock;
    pthread_cond_t quiet;   /* nobody fills places: the arrays may move */
    unsigned filling;       /* calls of place() whose rows are being filled */
    eb_neighbours *growing; /* NULL before the first rows */
    size_t rows_done;       /* they have their places */
    uint64_t capacity;      /* entries its arrays have room for */
    eb_early_rows *early;
    uint64_t early_bytes;
};

static inline bool eb_builder_has_row(const eb_neighbours_builder *builder, uint32_t row)
{
    return (size_t)row - builder->row_begin < builder->rows; /* a row before the range wraps round */
}

/* How many entries a pair makes here: of two sets, or with one end outside the rows, one. */
static inline unsigned eb_builder_ends(const eb_neighbours_builder *builder, eb_pair pair)
{
    return (unsigned)eb_builder_has_row(builder, pair.i) + (builder->self && eb_builder_has_row(builder, pair.j));
}

/* The first call decides which way this join's results come. */
eb_code eb_builder_agree_on_feed(eb_neighbours_builder *builder, eb_feed feed, eb_status *status);

eb_code eb_builder_fail_limit(const eb_neighbours_builder *builder, uint64_t needed, eb_status *status);

/* Ascending columns, none twice, in a self-join self among them: what every reader of a table relies on. EB_INTERNAL
 * otherwise. */
eb_code eb_builder_check_row(const eb_neighbours *table, size_t r, eb_status *status);

/* An empty table of the builder's rows. */
eb_code eb_builder_new_table(const eb_neighbours_builder *builder, uint64_t entries, eb_neighbours **out,
                             eb_status *status);

/* The sink's hits(), place() and placed(), and the end of a build from rows. */
eb_code eb_builder_take_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status);
eb_code eb_builder_place(void *context, size_t first_row, size_t rows, const uint64_t *offsets, eb_row_places *out,
                         eb_status *status);
eb_code eb_builder_placed(void *context, eb_status *status);
eb_code eb_builder_finish_rows(eb_neighbours_builder *builder, eb_neighbours **out, eb_status *status);
void eb_early_rows_free(eb_early_rows *early);
