#include "core/order/leaves.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/pool.h"
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

/* The making of leaves. */
typedef struct ordering {
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

    eb_leaves *out;
    uint32_t *point, *first; /* of out->order */
} ordering;

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

static void cut_cells(ordering *o, const eb_block *sample)
{
    for (size_t node = 1, width = o->cells; width > 1; width /= 2) {
        const size_t end = 2 * node, length = sample->room / (o->cells / width);
        for (size_t from = 0; node < end; node++, from += length)
            o->cut[node] = eb_bisect(sample, from, from + length / 2, from + length);
    }
}

static eb_code make_tree(ordering *o, eb_status *status)
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

static size_t cell_of(const ordering *o, const double *row)
{
    size_t node = 1;
    while (node < o->cells)
        node = 2 * node + (row[o->cut[node].dimension] >= o->cut[node].value);
    return node - o->cells;
}

static eb_code find_cells(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const ordering *o = context;
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

static void place_cells(ordering *o)
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
    const ordering *o = context;
    const size_t begin = (size_t)task * o->rows_a_task, end = smaller(o->points->n, begin + o->rows_a_task);
    uint32_t *place = o->counts + task * o->cells;
    for (size_t i = begin; i < end; i++)
        o->point[place[o->cell[i]]++] = (uint32_t)i;
    return EB_OK;
}

/* ---- dividing a cell into leaves ---- */

static eb_code load_cell(const ordering *o, size_t cell, cell_room *room, eb_status *status)
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

static void set_bounds(const eb_leaves *l, uint32_t level, size_t box, size_t k, double low, double high)
{
    double *bounds = l->level[level].bounds + (box / EB_SIBLINGS * l->d + k) * 2 * EB_SIBLINGS;
    bounds[box % EB_SIBLINGS] = low;
    bounds[EB_SIBLINGS + box % EB_SIBLINGS] = high;
}

/* Stores a leaf: its first place, its coordinates and its box. */
static void end_leaf(const ordering *o, size_t cell, const eb_block *block, const stretch *s)
{
    const eb_leaves *l = o->out;
    const uint32_t *at = block->at + s->begin;
    const size_t count = s->end - s->begin;
    o->first[s->leaf] = (uint32_t)(o->begin[cell] + s->begin);
    for (size_t k = 0; k < l->d; k++) {
        double *to = l->values + ((size_t)s->leaf * l->d + k) * EB_LEAF, low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            const double x = block->values[k * block->room + at[i]];
            to[i] = x;
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        for (size_t i = count; i < EB_LEAF; i++)
            to[i] = (double)NAN;
        set_bounds(l, 0, s->leaf, k, low, high);
    }
}

static void cut_leaves(const ordering *o, size_t cell, const eb_block *block)
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
static void arrange(const ordering *o, size_t cell, const eb_block *block)
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
    const ordering *o = context;
    const size_t cell = (size_t)task;
    cell_room *room = &o->rooms[thread];
    if (o->begin[cell] == o->begin[cell + 1])
        return EB_OK;
    EB_TRY(load_cell(o, cell, room, status));
    cut_leaves(o, cell, &room->block);
    arrange(o, cell, &room->block);
    return EB_OK;
}

/* ---- boxes ---- */

static size_t families_of(size_t boxes) { return (boxes + EB_SIBLINGS - 1) / EB_SIBLINGS; }

/* Computes the boxes of a level from the families of the level below. */
static void wrap(const eb_leaves *l, uint32_t level)
{
    const size_t below = l->level[level - 1].boxes;
    for (size_t box = 0; box < l->level[level].boxes; box++)
        for (size_t k = 0; k < l->d; k++) {
            const double *bounds = eb_family_bounds(l, level - 1, box, k);
            double low = INFINITY, high = -INFINITY;
            for (size_t c = 0; c < EB_SIBLINGS && box * EB_SIBLINGS + c < below; c++) {
                low = bounds[c] < low ? bounds[c] : low;
                high = bounds[EB_SIBLINGS + c] > high ? bounds[EB_SIBLINGS + c] : high;
            }
            set_bounds(l, level, box, k, low, high);
        }
}

static eb_code allocate_levels(eb_leaves *l, eb_status *status)
{
    size_t boxes = l->order.leaves;
    for (;; boxes = families_of(boxes)) {
        const size_t bytes = families_of(boxes) * l->d * 2 * EB_SIBLINGS * sizeof(double);
        double *bounds = aligned_alloc(64, bytes);
        if (!bounds)
            return eb_fail_memory(status, "boxes around the points", bytes);
        l->level[l->levels++] = (eb_box_level){.boxes = boxes, .bounds = bounds};
        memset(bounds + (families_of(boxes) - 1) * l->d * 2 * EB_SIBLINGS, 0, l->d * 2 * EB_SIBLINGS * sizeof(double));
        if (boxes <= EB_SIBLINGS)
            return EB_OK;
    }
}

/* ---- making all leaves ---- */

static eb_code allocate_cells(ordering *o, eb_status *status)
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

static eb_code allocate(ordering *o, eb_leaves *l, size_t leaves, eb_status *status)
{
    const size_t n = o->points->n, bytes = leaves * EB_LEAF * (l->d * sizeof(double) + sizeof(uint32_t));
    o->point = malloc(n * sizeof *o->point);
    o->first = malloc((leaves + 1) * sizeof *o->first);
    l->order = (eb_order){.n = n, .point = o->point, .leaves = leaves, .first = o->first};
    l->point = malloc(leaves * EB_LEAF * sizeof *l->point);
    l->values = eb_pool_take(leaves * l->d * EB_LEAF * sizeof *l->values);
    if (!o->point || !o->first || !l->point || !l->values)
        return eb_fail_memory(status, "the points in leaves", bytes);
    return allocate_levels(l, status);
}

/* Copies the order with a stride of EB_LEAF per leaf, so that readers need not load where a leaf begins. */
static void spread_points(const eb_leaves *l)
{
    for (size_t leaf = 0; leaf < l->order.leaves; leaf++)
        for (size_t i = 0, count = eb_leaf_count(l, leaf); i < EB_LEAF; i++)
            l->point[leaf * EB_LEAF + i] = i < count ? l->order.point[l->order.first[leaf] + i] : 0;
}

/* Assigns points to cells, which determines the number of leaves, then makes the leaves of each cell. */
static eb_code fill(ordering *o, eb_leaves *out, eb_status *status)
{
    EB_TRY(allocate_cells(o, status));
    EB_TRY(make_tree(o, status));
    EB_TRY(eb_parallel(o->threads, o->tasks, find_cells, o, o->job, status));
    place_cells(o);
    const size_t leaves = o->first_leaf[o->cells];
    assert(leaves > 0); /* a dataset has points */
    EB_TRY(allocate(o, out, leaves, status));
    o->first[leaves] = (uint32_t)o->points->n;
    EB_TRY(eb_parallel(o->threads, o->tasks, fill_cells, o, o->job, status));
    EB_TRY(eb_parallel(o->threads, o->cells, order_cell, o, o->job, status));
    for (uint32_t level = 1; level < out->levels; level++)
        wrap(out, level);
    spread_points(out);
    return EB_OK;
}

static void free_cells(ordering *o)
{
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
}

eb_code eb_leaves_make(const eb_dataset *points, unsigned threads, eb_job *job, eb_leaves *out, eb_status *status)
{
    ordering o = {.points = points, .threads = threads, .job = job, .cells = cells_for(points->n), .out = out};
    o.rows_a_task = smaller(ROWS_A_TASK, (points->n + LEAST_TASKS - 1) / LEAST_TASKS);
    o.tasks = (points->n + o.rows_a_task - 1) / o.rows_a_task;
    *out = (eb_leaves){.d = points->d};
    const eb_code failed = fill(&o, out, status);
    free_cells(&o);
    if (failed)
        eb_leaves_free(out);
    return failed;
}

void eb_leaves_free(eb_leaves *l)
{
    for (uint32_t level = 0; level < l->levels; level++)
        free(l->level[level].bounds);
    free((void *)(uintptr_t)l->order.point);
    free((void *)(uintptr_t)l->order.first);
    free(l->point);
    eb_pool_give(l->values);
    *l = (eb_leaves){.d = 0};
}

/* An upper bound. At most one leaf in forty is not full, because cells have many leaves; the boxes of all levels are a
 * thirtieth more than those of the leaves. */
uint64_t eb_leaves_bytes(size_t n, size_t d)
{
    const uint64_t padded = (uint64_t)n + n / 32 + 2 * (uint64_t)EB_LEAF, leaves = padded / EB_LEAF + 1;
    return padded * (8 * (uint64_t)d + 12) + leaves * (18 * (uint64_t)d + 4) + EB_SIBLINGS * 16 * (uint64_t)d;
}
