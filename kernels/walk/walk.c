#include "kernels/walk/tiles.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "kernels/walk/isa.h"

/* Tiles in one task: enough that a column's points, once in cache, are used several times; few enough that the last
 * tasks of a walk end at about the same time. */
#define STRIP 4u

/* Marked pairs: their places and squared distances. */
#define BATCH 1024u
typedef struct marked_pairs {
    size_t count;
    uint32_t row[BATCH], column[BATCH];
    double s[BATCH];
} marked_pairs;

/* One thread's buffers, parts of one aligned block. */
typedef struct workspace {
    double *tile;   /* [tile_rows · tile_columns], for a kernel without `select` */
    uint64_t *bits; /* [tile_rows · words] */
    marked_pairs *pairs;
    void *scratch;
    void *block; /* the allocation */
} workspace;

typedef struct tour {
    const eb_walk *walk;
    const eb_tiled *tiled;
    size_t row_begin, row_end, places;
    bool self;
    eb_tile_mark mark;
    eb_tile_counter count;
    const eb_collector *to;
    bool counts; /* only the number of entries is wanted, and either places are rows or all rows are wanted */
    size_t row_blocks, first_block, column_blocks; /* columns of tiles begin with first_block */
    uint64_t *first_task;                          /* [column_blocks + 1] tasks before each column; NULL with a list */
    uint64_t tasks, begin;                         /* tasks of all parts; the first task of this part */
    _Atomic uint64_t done;                         /* tasks done, counting those before `begin` */
    workspace *workspaces;                         /* [threads] */
} tour;

/* Indexed by eb_isa, the instruction set. */
static const eb_tile_mark marks[] = {eb_tile_mark_base, eb_tile_mark_avx2, eb_tile_mark_avx512};
static const eb_tile_counter counters[] = {eb_tile_count_base, eb_tile_count_avx2, eb_tile_count_avx512};

static size_t rounded_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

static eb_code make_workspace(const eb_tiled *tiled, workspace *w, eb_status *status)
{
    size_t tile = tiled->select ? 0 : rounded_up(tiled->tile_rows * tiled->tile_columns * sizeof *w->tile);
    size_t bits = rounded_up(tiled->tile_rows * eb_tile_words(tiled->tile_columns) * sizeof *w->bits);
    size_t pairs = rounded_up(sizeof *w->pairs);
    size_t scratch = rounded_up(tiled->scratch_bytes);
    size_t total = tile + bits + pairs + scratch;
    unsigned char *block = aligned_alloc(64, total);
    if (!block)
        return eb_fail_memory(status, "a thread's tile", total);
    *w = (workspace){.block = block};
    w->tile = (void *)block;
    w->bits = (void *)(block + tile);
    w->pairs = (void *)(block + tile + bits);
    w->pairs->count = 0;
    w->scratch = block + tile + bits + pairs;
    memset(w->scratch, 0, scratch);
    return EB_OK;
}

/* Clears bits [from, to) of a row. */
static void clear_bits(uint64_t *bits, size_t from, size_t to)
{
    for (size_t at = from; at < to;) {
        size_t stop = (at / 64 + 1) * 64 < to ? (at / 64 + 1) * 64 : to;
        uint64_t ones = stop - at == 64 ? ~(uint64_t)0 : (((uint64_t)1 << (stop - at)) - 1) << (at % 64);
        bits[at / 64] &= ~ones;
        at = stop;
    }
}

/* Clears the bits of pairs that another row has. A self-join's pair inside the row range belongs to its smaller end: in
 * row i the columns row_begin … i are the self pair or pairs of other rows. With two sets the places before the right
 * set's are not columns. */
static void clear_unwanted(const tour *t, size_t i0, size_t ni, size_t j0, size_t nj, uint64_t *bits)
{
    size_t begin = t->self ? t->row_begin : 0, from = j0 > begin ? j0 : begin;
    size_t last = t->self ? i0 + ni : t->tiled->points->first_column;
    if (last <= from || from >= j0 + nj)
        return;
    for (size_t r = 0; r < ni; r++) {
        size_t end = t->self ? i0 + r + 1 : last, to = end < j0 + nj ? end : j0 + nj;
        if (to > from)
            clear_bits(bits + r * eb_tile_words(nj), from - j0, to - j0);
    }
}

/* Table entries that the marked pairs make: two if both ends are rows of the range. Clears bits. */
static uint64_t entries_of_bits(const tour *t, size_t ni, size_t j0, size_t nj, uint64_t *bits)
{
    size_t words = eb_tile_words(nj);
    uint64_t pairs = t->count(bits, ni * words);
    if (!t->self || j0 >= t->row_end || j0 + nj <= t->row_begin)
        return pairs;
    if (j0 >= t->row_begin && j0 + nj <= t->row_end)
        return 2 * pairs;
    for (size_t r = 0; r < ni; r++) {
        if (j0 < t->row_begin)
            clear_bits(bits + r * words, 0, t->row_begin - j0);
        if (j0 + nj > t->row_end)
            clear_bits(bits + r * words, t->row_end - j0, nj);
    }
    return pairs + t->count(bits, ni * words);
}

/* Computes the batch's distances if `select` marked it, and passes the pairs within the limit to the collector. */
static eb_code finish_batch(const tour *t, unsigned thread, eb_status *status)
{
    const eb_tiled *tiled = t->tiled;
    marked_pairs *pairs = t->workspaces[thread].pairs;
    const size_t count = pairs->count;
    pairs->count = 0;
    if (count && tiled->select)
        tiled->exact(tiled->state, pairs->row, pairs->column, count, pairs->s);
    if (t->to->pass) {
        size_t within = 0;
        for (size_t k = 0; k < count; k++) {
            pairs->s[within] = pairs->s[k];
            within += pairs->s[k] <= t->walk->limit;
        }
        return eb_collect_distances(t->to, thread, pairs->s, within, status);
    }
    for (size_t k = 0; k < count; k++) {
        const eb_hit hit = {.i = eb_point_at(tiled->points, pairs->row[k]),
                            .j = eb_point_at(tiled->points, pairs->column[k]),
                            .s = pairs->s[k]};
        if (hit.s <= t->walk->limit)
            EB_TRY(eb_collect(t->to, thread, hit, status));
    }
    return EB_OK;
}

/* Lists the marked pairs of one row of a tile. */
static eb_code gather_row(const tour *t, unsigned thread, size_t i, const uint64_t *bits, const double *s, size_t j0,
                          size_t nj, eb_status *status)
{
    marked_pairs *pairs = t->workspaces[thread].pairs;
    for (size_t w = 0; w < eb_tile_words(nj); w++)
        for (uint64_t word = bits[w]; word; word &= word - 1) {
            size_t j = w * 64 + (size_t)__builtin_ctzll(word);
            pairs->row[pairs->count] = (uint32_t)i;
            pairs->column[pairs->count] = (uint32_t)(j0 + j);
            if (s)
                pairs->s[pairs->count] = s[j];
            if (++pairs->count < BATCH)
                continue;
            EB_TRY(finish_batch(t, thread, status));
        }
    return EB_OK;
}

static eb_code visit_tile(const tour *t, unsigned thread, eb_tile at, eb_status *status)
{
    const eb_tiled *tiled = t->tiled;
    const workspace *own = &t->workspaces[thread];
    double limit = t->walk->limit;
    size_t i0 = t->row_begin + at.row * tiled->tile_rows, j0 = at.column * tiled->tile_columns;
    size_t ni = t->row_end - i0 < tiled->tile_rows ? t->row_end - i0 : tiled->tile_rows;
    size_t nj = t->places - j0 < tiled->tile_columns ? t->places - j0 : tiled->tile_columns;
    size_t words = eb_tile_words(nj);
    bool decided = true;
    if (tiled->select) {
        bool upper = t->self && !t->walk->all && j0 >= t->row_begin;
        decided = tiled->select(tiled->state, i0, ni, j0, nj, upper, limit, own->bits, own->scratch);
    } else {
        tiled->tile(tiled->state, i0, ni, j0, nj, limit, own->tile, own->scratch);
        for (size_t r = 0; r < ni; r++)
            t->mark(own->tile + r * nj, nj, limit, own->bits + r * words);
    }
    clear_unwanted(t, i0, ni, j0, nj, own->bits);
    if (t->counts && decided) {
        eb_collect_entries(t->to, thread, entries_of_bits(t, ni, j0, nj, own->bits));
        return EB_OK;
    }
    for (size_t r = 0; r < ni; r++) {
        const double *s = tiled->select ? NULL : own->tile + r * nj;
        EB_TRY(gather_row(t, thread, i0 + r, own->bits + r * words, s, j0, nj, status));
    }
    return finish_batch(t, thread, status);
}

/* ---- the tiles of a task ---- */

/* Number of row tiles, counted from the first, that have wanted pairs in a column of tiles: all of them if the column
 * begins before the row range. */
static size_t row_tiles_of(const tour *t, size_t column)
{
    const eb_tiled *tiled = t->tiled;
    size_t j0 = column * tiled->tile_columns;
    size_t last = t->places - j0 < tiled->tile_columns ? t->places - 1 : j0 + tiled->tile_columns - 1;
    if (!t->self || t->walk->all || j0 < t->row_begin)
        return t->row_blocks;
    if (last <= t->row_begin)
        return 0;
    size_t tiles = (last - t->row_begin - 1) / tiled->tile_rows + 1; /* those whose first row is before `last` */
    return tiles < t->row_blocks ? tiles : t->row_blocks;
}

/* Progress units after `tasks` tasks. The differences that all parts report add up to `progress` exactly. */
static uint64_t rows_of(const tour *t, uint64_t tasks)
{
    return (uint64_t)((double)t->walk->progress * ((double)tasks / (double)t->tasks));
}

static size_t column_of(const tour *t, uint64_t task)
{
    size_t low = 0, high = t->column_blocks - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->first_task[middle + 1] > task)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The tiles of a task: a strip down one column, or consecutive tiles of the list. Returns their number. */
static size_t tiles_of(const tour *t, uint64_t task, eb_tile tile[STRIP])
{
    const eb_tile_list *list = t->walk->list;
    size_t count = 0;
    if (list) {
        uint64_t first = task * STRIP;
        for (; count < STRIP && first + count < list->count; count++)
            tile[count] = list->tile[first + count];
        return count;
    }
    size_t c = column_of(t, task), column = t->first_block + c;
    size_t first = (size_t)(task - t->first_task[c]) * STRIP, rows = row_tiles_of(t, column);
    for (; count < STRIP && first + count < rows; count++)
        tile[count] = (eb_tile){.row = (uint32_t)(first + count), .column = (uint32_t)column};
    return count;
}

static eb_code run_task(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    tour *t = context;
    eb_tile tile[STRIP];
    size_t count = tiles_of(t, t->begin + task, tile);
    for (size_t k = 0; k < count; k++) {
        EB_TRY(eb_job_check(t->walk->job, status));
        EB_TRY(visit_tile(t, thread, tile[k], status));
    }
    uint64_t before = atomic_fetch_add(&t->done, 1);
    eb_job_advance(t->walk->job, rows_of(t, before + 1) - rows_of(t, before));
    return EB_OK;
}

/* ---- the whole ---- */

static eb_code plan_columns(tour *t, eb_status *status)
{
    t->first_task = malloc((t->column_blocks + 1) * sizeof *t->first_task);
    if (!t->first_task)
        return eb_fail_memory(status, "the list of tiles", (t->column_blocks + 1) * sizeof *t->first_task);
    t->first_task[0] = 0;
    for (size_t c = 0; c < t->column_blocks; c++) {
        size_t tiles = row_tiles_of(t, t->first_block + c);
        t->first_task[c + 1] = t->first_task[c] + (tiles + STRIP - 1) / STRIP;
    }
    t->tasks = t->first_task[t->column_blocks];
    return EB_OK;
}

static eb_code plan(tour *t, eb_status *status)
{
    const eb_tiled *tiled = t->tiled;
    t->row_blocks = (t->row_end - t->row_begin + tiled->tile_rows - 1) / tiled->tile_rows;
    t->first_block = tiled->points->first_column / tiled->tile_columns;
    t->column_blocks = (t->places + tiled->tile_columns - 1) / tiled->tile_columns - t->first_block;
    eb_code failed = t->walk->list ? EB_OK : plan_columns(t, status);
    if (t->walk->list)
        t->tasks = (t->walk->list->count + STRIP - 1) / STRIP;
    if (failed)
        return failed;
    t->workspaces = calloc(tiled->threads, sizeof *t->workspaces);
    if (!t->workspaces)
        return eb_fail_memory(status, "threads' buffers", tiled->threads * sizeof *t->workspaces);
    for (unsigned k = 0; k < tiled->threads && !failed; k++)
        failed = make_workspace(tiled, &t->workspaces[k], status);
    return failed;
}

eb_code eb_walk_tiles(const eb_walk *walk, const eb_collector *to, eb_status *status)
{
    const eb_share *share = &walk->share;
    tour t = {.walk = walk,
              .tiled = walk->tiled,
              .to = to,
              .self = eb_arranged_self(walk->tiled->points),
              .mark = marks[eb_cpu_isa()],
              .count = counters[eb_cpu_isa()],
              .places = walk->tiled->points->points->n,
              .row_begin = share->row_begin,
              .row_end = share->row_end};
    if (t.row_begin >= t.row_end)
        return EB_OK;
    t.counts = eb_only_counts(to) && (!to->some_rows || !walk->tiled->points->point);
    eb_code failed = plan(&t, status);
    t.begin = t.tasks * share->part / share->parts;
    atomic_store(&t.done, t.begin);
    uint64_t end = t.tasks * (share->part + 1) / share->parts;
    if (!failed)
        failed = eb_parallel(t.tiled->threads, end - t.begin, run_task, &t, walk->job, status);
    if (!failed && t.tasks == 0 && share->part == 0) /* no pair to visit, as with a single point: the rows are done */
        eb_job_advance(walk->job, walk->progress);
    for (unsigned k = 0; t.workspaces && k < t.tiled->threads; k++)
        free(t.workspaces[k].block);
    free(t.workspaces);
    free(t.first_task);
    return failed;
}
