#include "core/order/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/order/bisect.h"

enum {
    CELL = 1024,         /* least mean number of points per cell */
    MOST_CUTS = 12,      /* there are at most 2^MOST_CUTS cells */
    SAMPLED_A_CELL = 16, /* sampled points per cell */
    ROWS_A_TASK = 65536,
    LEAST_TASKS = 32,
    WAITING = 64, /* depth of the stack: one stretch per bisection, and stretches halve */
};

/* One thread's buffers for a cell. */
typedef struct cell_room {
    eb_block block;
    size_t keys; /* capacity in points */
    double *row;
} cell_room;

struct eb_orderer {
    const eb_dataset *points;
    unsigned threads;
    eb_job *job;
    size_t cells, tasks, rows_a_task;
    eb_cut *cut;          /* [cells] a binary tree with root 1; the children of k are 2k and 2k + 1 */
    uint16_t *cell;       /* [n] the cell of each point */
    uint32_t *counts;     /* [tasks][cells] number of points; then the place of the task's next point */
    uint32_t *begin;      /* [cells + 1] first place of each cell */
    uint32_t *first_leaf; /* [cells + 1] */
    cell_room *rooms;     /* [threads] */

    uint32_t *point, *first; /* output of eb_orderer_run */
    eb_leaf_callback callback;
    void *context;
};

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* ---- the tree of cells ---- */

static size_t cells_for(size_t n)
{
    size_t cells = 1;
    while (cells < (size_t)1 << MOST_CUTS && n / cells >= 2 * (size_t)CELL)
        cells *= 2;
    return cells;
}

static void free_block(eb_block *block)
{
    free(block->values);
    free(block->at);
    free(block->keys);
    *block = (eb_block){.d = block->d};
}

static eb_code new_block(eb_block *block, size_t d, size_t room, eb_status *status)
{
    free_block(block);
    *block = (eb_block){.d = d, .room = room};
    block->values = malloc(d * room * sizeof *block->values);
    block->at = malloc(room * sizeof *block->at);
    block->keys = malloc(room * sizeof *block->keys);
    if (block->values && block->at && block->keys)
        return EB_OK;
    free_block(block);
    return eb_fail_memory(status, "a cell of points", room * (d * sizeof(double) + 20));
}

static void load(const eb_dataset *points, size_t i, const eb_block *block, size_t at, double *row)
{
    eb_to_f64(points->dtype, eb_row(points, i), block->d, row);
    for (size_t k = 0; k < block->d; k++)
        block->values[k * block->room + at] = row[k];
    block->at[at] = (uint32_t)at;
}

static void cut_cells(eb_orderer *o, const eb_block *sample)
{
    for (size_t node = 1, width = o->cells; width > 1; width /= 2) {
        const size_t end = 2 * node, length = sample->room / (o->cells / width);
        for (size_t from = 0; node < end; node++, from += length)
            o->cut[node] = eb_bisect(sample, from, from + length / 2, from + length);
    }
}

static eb_code make_tree(eb_orderer *o, eb_status *status)
{
    const eb_dataset *points = o->points;
    const size_t sampled = o->cells * SAMPLED_A_CELL;
    eb_block sample = {0};
    double *row = malloc(points->d * sizeof *row);
    eb_code failed = row ? new_block(&sample, points->d, sampled, status)
                         : eb_fail_memory(status, "a point", points->d * sizeof *row);
    for (size_t i = 0; i < sampled && !failed; i++)
        load(points, (size_t)((double)i * ((double)points->n / (double)sampled)), &sample, i, row);
    if (!failed)
        cut_cells(o, &sample);
    free_block(&sample);
    free(row);
    return failed;
}

/* ---- assigning points to cells ---- */

static size_t cell_of(const eb_orderer *o, const double *row)
{
    size_t node = 1;
    while (node < o->cells)
        node = 2 * node + (row[o->cut[node].dimension] >= o->cut[node].value);
    return node - o->cells;
}

static eb_code find_cells(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const eb_orderer *o = context;
    const size_t begin = (size_t)task * o->rows_a_task, end = smaller(o->points->n, begin + o->rows_a_task);
    uint32_t *counts = o->counts + task * o->cells;
    double *row = o->rooms[thread].row;
    for (size_t i = begin; i < end; i++) {
        eb_to_f64(o->points->dtype, eb_row(o->points, i), o->points->d, row);
        const size_t cell = cell_of(o, row);
        o->cell[i] = (uint16_t)cell;
        counts[cell]++;
    }
    return EB_OK;
}

static void place_cells(eb_orderer *o)
{
    uint32_t place = 0, leaf = 0;
    for (size_t c = 0; c < o->cells; c++) {
        o->begin[c] = place;
        o->first_leaf[c] = leaf;
        for (size_t t = 0; t < o->tasks; t++) {
            const uint32_t count = o->counts[t * o->cells + c];
            o->counts[t * o->cells + c] = place;
            place += count;
        }
        leaf += (place - o->begin[c] + EB_LEAF - 1) / EB_LEAF;
    }
    o->begin[o->cells] = place;
    o->first_leaf[o->cells] = leaf;
}

static eb_code fill_cells(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread, (void)status;
    const eb_orderer *o = context;
    const size_t begin = (size_t)task * o->rows_a_task, end = smaller(o->points->n, begin + o->rows_a_task);
    uint32_t *place = o->counts + task * o->cells;
    for (size_t i = begin; i < end; i++)
        o->point[place[o->cell[i]]++] = (uint32_t)i;
    return EB_OK;
}

/* ---- dividing a cell into leaves ---- */

static eb_code load_cell(const eb_orderer *o, size_t cell, cell_room *room, eb_status *status)
{
    const size_t begin = o->begin[cell], count = o->begin[cell + 1] - begin;
    if (count > room->keys) {
        room->keys = 0;
        EB_TRY(new_block(&room->block, o->points->d, count, status));
        room->keys = count;
    }
    for (size_t i = 0; i < count; i++)
        load(o->points, o->point[begin + i], &room->block, i, room->row);
    return EB_OK;
}

/* Points begin … end − 1 of the cell, which make up the leaves from `leaf` on; only the last may be smaller. */
typedef struct stretch {
    size_t begin, end;
    uint32_t leaf;
} stretch;

static void end_leaf(const eb_orderer *o, size_t cell, const eb_block *block, const stretch *s)
{
    o->first[s->leaf] = (uint32_t)(o->begin[cell] + s->begin);
    o->callback(o->context, s->leaf, block->at + s->begin, s->end - s->begin, block->values, block->room);
}

static void cut_leaves(const eb_orderer *o, size_t cell, const eb_block *block)
{
    stretch waiting[WAITING] = {{0, o->begin[cell + 1] - o->begin[cell], o->first_leaf[cell]}};
    size_t count = 1;
    while (count > 0) {
        const stretch s = waiting[--count];
        const size_t leaves = (s.end - s.begin + EB_LEAF - 1) / EB_LEAF;
        if (leaves <= 1) {
            end_leaf(o, cell, block, &s);
            continue;
        }
        const size_t middle = s.begin + leaves / 2 * EB_LEAF;
        (void)eb_bisect(block, s.begin, middle, s.end);
        waiting[count++] = (stretch){middle, s.end, s.leaf + (uint32_t)(leaves / 2)};
        waiting[count++] = (stretch){s.begin, middle, s.leaf};
    }
}

/* Permutes the cell's part of o->point as `at` says; the coordinates stay. */
static void arrange(const eb_orderer *o, size_t cell, const eb_block *block)
{
    uint32_t *point = o->point + o->begin[cell];
    const size_t count = o->begin[cell + 1] - o->begin[cell];
    uint32_t *sorted = (void *)block->keys;
    for (size_t i = 0; i < count; i++)
        sorted[i] = point[block->at[i]];
    memcpy(point, sorted, count * sizeof *point);
}

static eb_code order_cell(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    const eb_orderer *o = context;
    const size_t cell = (size_t)task;
    cell_room *room = &o->rooms[thread];
    if (o->begin[cell] == o->begin[cell + 1])
        return EB_OK;
    EB_TRY(load_cell(o, cell, room, status));
    cut_leaves(o, cell, &room->block);
    arrange(o, cell, &room->block);
    return EB_OK;
}

/* ---- making the whole order ---- */

static eb_code allocate(eb_orderer *o, eb_status *status)
{
    const size_t n = o->points->n, d = o->points->d;
    o->cut = malloc(o->cells * sizeof *o->cut);
    o->cell = malloc(n * sizeof *o->cell);
    o->counts = calloc(o->tasks * o->cells, sizeof *o->counts);
    o->begin = malloc((o->cells + 1) * sizeof *o->begin);
    o->first_leaf = malloc((o->cells + 1) * sizeof *o->first_leaf);
    o->rooms = calloc(o->threads, sizeof *o->rooms);
    if (!o->cut || !o->cell || !o->counts || !o->begin || !o->first_leaf || !o->rooms)
        return eb_fail_memory(status, "an order of the points", n * sizeof *o->cell);
    for (unsigned t = 0; t < o->threads; t++) {
        o->rooms[t].row = malloc(d * sizeof(double));
        if (!o->rooms[t].row)
            return eb_fail_memory(status, "a point", d * sizeof(double));
    }
    return EB_OK;
}

eb_code eb_orderer_new(const eb_dataset *points, unsigned threads, eb_job *job, eb_orderer **out, size_t *leaves,
                       eb_status *status)
{
    eb_orderer *o = calloc(1, sizeof *o);
    if (!o)
        return eb_fail_memory(status, "an order of the points", sizeof *o);
    *o = (eb_orderer){.points = points, .threads = threads, .job = job, .cells = cells_for(points->n)};
    o->rows_a_task = smaller(ROWS_A_TASK, (points->n + LEAST_TASKS - 1) / LEAST_TASKS);
    o->tasks = (points->n + o->rows_a_task - 1) / o->rows_a_task;
    eb_code failed = allocate(o, status);
    if (!failed)
        failed = make_tree(o, status);
    if (!failed)
        failed = eb_parallel(threads, o->tasks, find_cells, o, job, status);
    if (failed) {
        eb_orderer_free(o);
        return failed;
    }
    place_cells(o);
    *leaves = o->first_leaf[o->cells];
    *out = o;
    return EB_OK;
}

eb_code eb_orderer_run(eb_orderer *o, uint32_t *point, uint32_t *first, eb_leaf_callback callback, void *context,
                       eb_status *status)
{
    o->point = point;
    o->first = first;
    o->callback = callback;
    o->context = context;
    first[o->first_leaf[o->cells]] = (uint32_t)o->points->n;
    EB_TRY(eb_parallel(o->threads, o->tasks, fill_cells, o, o->job, status));
    return eb_parallel(o->threads, o->cells, order_cell, o, o->job, status);
}

void eb_orderer_free(eb_orderer *o)
{
    if (!o)
        return;
    for (unsigned t = 0; o->rooms && t < o->threads; t++) {
        free_block(&o->rooms[t].block);
        free(o->rooms[t].row);
    }
    free(o->rooms);
    free(o->cut);
    free(o->cell);
    free(o->counts);
    free(o->begin);
    free(o->first_leaf);
    free(o);
}
