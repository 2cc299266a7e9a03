/* make: makes a grid: orders its dimensions, finds cells, sorts points and fills blocks. */
#include "kernels/grid_order/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "kernels/grid_order/cells.h"
#include "kernels/grid_order/expansion.h"
#include "kernels/grid_order/kernels.h"

/* ---- sorting points by their cells ---- */

enum { DIGIT = 11, DIGITS = 1 << DIGIT, KEY = 64 };

typedef struct keyed {
    uint64_t key;
    uint32_t point;
} keyed;

typedef struct packing {
    const int32_t *cells;
    size_t d, packed; /* the key has dimensions [0, packed) */
    int32_t *low;     /* [d] */
    unsigned *bits;   /* [d] */
    unsigned key_bits;
} packing;

static void find_range(const packing *p, size_t n, size_t k, int32_t *low, int32_t *high)
{
    *low = *high = p->cells[k];
    for (size_t i = 1; i < n; i++) {
        const int32_t cell = p->cells[i * p->d + k];
        *low = cell < *low ? cell : *low;
        *high = cell > *high ? cell : *high;
    }
}

static void plan(packing *p, size_t n)
{
    for (p->packed = 0; p->packed < p->d; p->packed++) {
        const size_t k = p->packed;
        int32_t high;
        find_range(p, n, k, &p->low[k], &high);
        const uint64_t range = (uint64_t)((int64_t)high - p->low[k]);
        p->bits[k] = range ? KEY - (unsigned)__builtin_clzll(range) : 0;
        if (p->key_bits + p->bits[k] > KEY)
            return;
        p->key_bits += p->bits[k];
    }
}

static uint64_t key_of(const packing *p, size_t i)
{
    uint64_t key = 0;
    for (size_t k = 0; k < p->packed; k++)
        if (p->bits[k])
            key = key << p->bits[k] | (uint64_t)((int64_t)p->cells[i * p->d + k] - p->low[k]);
    return key;
}

static void sort_digit(const keyed *from, size_t n, unsigned shift, keyed *to)
{
    size_t at[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        at[from[i].key >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const size_t here = at[digit];
        at[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < n; i++)
        to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

static int by_rest(const void *a, const void *b, void *context)
{
    const packing *p = context;
    const uint32_t i = ((const keyed *)a)->point, j = ((const keyed *)b)->point;
    for (size_t k = p->packed; k < p->d; k++) {
        const int32_t x = p->cells[i * p->d + k], y = p->cells[j * p->d + k];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (i > j) - (i < j);
}

static void sort_rest(packing *p, keyed *items, size_t n)
{
    for (size_t begin = 0, end; begin < n && p->packed < p->d; begin = end) {
        for (end = begin + 1; end < n && items[end].key == items[begin].key;)
            end++;
        if (end - begin > 1)
            qsort_r(items + begin, end - begin, sizeof *items, by_rest, p);
    }
}

static void sort_items(packing *p, keyed *items, keyed *other, size_t n, uint32_t *order)
{
    plan(p, n);
    for (size_t i = 0; i < n; i++)
        items[i] = (keyed){key_of(p, i), (uint32_t)i};
    for (unsigned shift = 0; shift < p->key_bits; shift += DIGIT) {
        sort_digit(items, n, shift, other);
        keyed *swapped = items;
        items = other;
        other = swapped;
    }
    sort_rest(p, items, n);
    for (size_t i = 0; i < n; i++)
        order[i] = items[i].point;
}

/* Writes the points to order [n], least cells first; points in equal cells stay in stored order. cells: n × d. */
static eb_code eps_grid_sort(const int32_t *cells, size_t n, size_t d, uint32_t *order, eb_status *status)
{
    packing p = {.cells = cells, .d = d, .low = malloc(d * sizeof *p.low), .bits = malloc(d * sizeof *p.bits)};
    keyed *items = calloc(2 * n, sizeof *items);
    const bool room = p.low && p.bits && items;
    if (room)
        sort_items(&p, items, items + n, n, order);
    free(items);
    free(p.bits);
    free(p.low);
    return room ? EB_OK : eb_fail_memory(status, "cells to be sorted", 2 * n * sizeof *items);
}

/* ---- expansion: width of the cells, halves ---- */

enum { EXPANDED_POINTS = 4096, EXPANDED_BLOCKS = EXPANDED_POINTS / EB_EPS_GRID_BLOCK };

typedef struct farthest {
    const eb_dataset *points;
    double *rows;  /* [threads][d] */
    double *norms; /* [threads] the largest squared norms */
} farthest;

static eb_code find_farthest(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const farthest *f = context;
    const size_t d = f->points->d;
    double *row = f->rows + thread * d;
    for (size_t i = task * EXPANDED_POINTS; i < (task + 1) * EXPANDED_POINTS && i < f->points->n; i++) {
        double norm = 0;
        eb_to_f64(f->points->dtype, eb_row(f->points, i), d, row);
        for (size_t k = 0; k < d; k++)
            norm += row[k] * row[k];
        f->norms[thread] = norm > f->norms[thread] ? norm : f->norms[thread];
    }
    return EB_OK;
}

/* The ε for cells: no pair that the sums take for within ε is further apart along any dimension. */
static eb_code expansion_cells(const eb_eps_grid_request *request, double *eps, eb_status *status)
{
    const eb_dataset *sides[] = {request->left, request->right};
    const size_t d = request->left->d;
    farthest f = {.rows = malloc(request->threads * d * sizeof *f.rows),
                  .norms = calloc(request->threads, sizeof *f.norms)};
    double norm = 0;
    eb_code failed = f.rows && f.norms ? EB_OK : eb_fail_memory(status, "norms", request->threads * d * sizeof *f.rows);
    for (size_t side = 0; side < 1 + (size_t)(request->left != request->right) && !failed; side++) {
        f.points = sides[side];
        const uint64_t tasks = (f.points->n + EXPANDED_POINTS - 1) / EXPANDED_POINTS;
        failed = eb_parallel(request->threads, tasks, find_farthest, &f, request->job, status);
    }
    for (unsigned t = 0; t < request->threads && !failed; t++)
        norm = f.norms[t] > norm ? f.norms[t] : norm;
    free(f.rows);
    free(f.norms);
    const double square = request->eps * request->eps;
    /* The last factor covers the rounding of this formula. */
    *eps = sqrt(square + EB_EXPANSION_WIDTH * eb_expansion_loss(square + 2 * norm, d, request->type)) * (1 + 0x1p-40);
    return failed;
}

typedef struct halving {
    const eb_eps_grid *grid;
    eb_eps_grid_side *side;
    const eb_pair_kernels *kernels;
} halving;

static eb_code make_halves(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const halving *h = context;
    eb_eps_grid_side *side = h->side;
    for (size_t block = task * EXPANDED_BLOCKS; block < (task + 1) * EXPANDED_BLOCKS && block < side->blocks; block++)
        side->norm[block] = h->kernels->halves(h->grid, side, block);
    return EB_OK;
}

/* Makes a side's halves and norms from its values. */
static eb_code expansion_make(const eb_eps_grid_request *request, const eb_eps_grid *grid, eb_eps_grid_side *side,
                              eb_status *status)
{
    const size_t places = side->blocks * EB_EPS_GRID_BLOCK;
    const size_t bytes = places * eb_expansion_parts(grid->d) * eb_eps_grid_value_bytes(grid->type);
    halving h = {.grid = grid, .side = side, .kernels = eb_pair_kernels_here()};
    side->halves = aligned_alloc(64, bytes);
    side->norm = malloc(side->blocks * sizeof *side->norm);
    if (!side->halves || !side->norm)
        return eb_fail_memory(status, "halves of norms", bytes);
    return eb_parallel(request->threads, (side->blocks + EXPANDED_BLOCKS - 1) / EXPANDED_BLOCKS, make_halves, &h,
                       request->job, status);
}

/* ---- a grid ---- */

enum { POINTS_A_TASK = 2048, BLOCKS_A_TASK = POINTS_A_TASK / EB_EPS_GRID_BLOCK };

/* The state while one side is made. */
typedef struct making {
    const eb_eps_grid_request *request;
    const eb_dataset *points;
    const eb_eps_grid *grid;
    eb_eps_grid_side *side;
    double cell;     /* side of a cell */
    double *rows;    /* [threads][d] a point as it is stored */
    int32_t *cells;  /* [n][d] */
    uint32_t *order; /* [n] */
} making;

uint64_t eb_eps_grid_bytes(size_t n, size_t d, bool expands)
{
    const uint64_t blocks = (n + EB_EPS_GRID_BLOCK - 1) / EB_EPS_GRID_BLOCK, places = blocks * EB_EPS_GRID_BLOCK;
    const uint64_t values = d + (expands ? eb_expansion_parts(d) : 0);
    const uint64_t kept = places * (values * sizeof(double) + sizeof(uint32_t)) + 2 * blocks * d * sizeof(int32_t);
    const uint64_t sorting = n * 2 * 16; /* two arrays of keys, freed before blocks are filled */
    return kept + (expands ? blocks * sizeof(double) : 0) + n * (d * sizeof(int32_t) + sizeof(uint32_t)) + sorting;
}

/* A coordinate rounded to the grid's type. */
static double typed(const eb_eps_grid *grid, double x) { return grid->type == EB_EPS_GRID_F32 ? (double)(float)x : x; }

static eb_code find_cells(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const making *m = context;
    const eb_eps_grid *grid = m->grid;
    double *row = m->rows + thread * grid->d;
    for (size_t i = task * POINTS_A_TASK; i < (task + 1) * POINTS_A_TASK && i < m->points->n; i++) {
        eb_to_f64(m->points->dtype, eb_row(m->points, i), grid->d, row);
        for (size_t k = 0; k < grid->d; k++)
            m->cells[i * grid->d + k] = eb_cell_of(typed(grid, row[grid->dimension[k]]), m->cell);
    }
    return EB_OK;
}

static void put_f64(const eb_eps_grid *grid, const double *row, double *to)
{
    for (size_t k = 0; k < grid->d; k++)
        to[k * EB_EPS_GRID_BLOCK] = row ? row[grid->dimension[k]] : grid->expands ? 0 : NAN;
}

static void put_f32(const eb_eps_grid *grid, const double *row, uint32_t *to)
{
    for (size_t k = 0; k < grid->d; k++) {
        const float x = row ? (float)row[grid->dimension[k]] : grid->expands ? 0 : NAN;
        memcpy(to + k * EB_EPS_GRID_BLOCK, &x, sizeof x);
    }
}

static void fill_block(const making *m, size_t block, double *row)
{
    const eb_eps_grid *grid = m->grid;
    void *values = (char *)m->side->values + block * grid->d * EB_EPS_GRID_BLOCK * eb_eps_grid_value_bytes(grid->type);
    for (size_t lane = 0; lane < EB_EPS_GRID_BLOCK; lane++) {
        const size_t at = block * EB_EPS_GRID_BLOCK + lane;
        const double *known = at < m->side->n ? row : NULL;
        m->side->point[at] = known ? m->order[at] : 0;
        if (known)
            eb_to_f64(m->points->dtype, eb_row(m->points, m->order[at]), grid->d, row);
        if (grid->type == EB_EPS_GRID_F32)
            put_f32(grid, known, (uint32_t *)values + lane);
        else
            put_f64(grid, known, (double *)values + lane);
    }
}

static eb_code fill_blocks(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const making *m = context;
    const size_t d = m->grid->d;
    for (size_t block = task * BLOCKS_A_TASK; block < (task + 1) * BLOCKS_A_TASK && block < m->side->blocks; block++) {
        const size_t first = block * EB_EPS_GRID_BLOCK, last = first + eb_eps_grid_block_count(m->side, block) - 1;
        fill_block(m, block, m->rows + thread * d);
        memcpy(m->side->first + block * d, m->cells + m->order[first] * d, d * sizeof *m->cells);
        memcpy(m->side->last + block * d, m->cells + m->order[last] * d, d * sizeof *m->cells);
    }
    return EB_OK;
}

static eb_code room_for_side(const making *m, eb_status *status)
{
    eb_eps_grid_side *side = m->side;
    const size_t places = side->blocks * EB_EPS_GRID_BLOCK, d = m->grid->d;
    side->point = malloc(places * sizeof *side->point);
    side->values = aligned_alloc(64, places * d * eb_eps_grid_value_bytes(m->grid->type));
    side->first = malloc(side->blocks * d * sizeof *side->first);
    side->last = malloc(side->blocks * d * sizeof *side->last);
    if (side->point && side->values && side->first && side->last)
        return EB_OK;
    return eb_fail_memory(status, "points in epsilon grid order", eb_eps_grid_bytes(side->n, d, m->grid->expands));
}

static eb_code run(making *m, eb_status *status)
{
    const eb_eps_grid_request *q = m->request;
    const size_t n = m->points->n, d = m->grid->d;
    const uint64_t tasks = (n + POINTS_A_TASK - 1) / POINTS_A_TASK;
    m->rows = malloc(q->threads * d * sizeof *m->rows);
    m->cells = malloc(n * d * sizeof *m->cells);
    m->order = malloc(n * sizeof *m->order);
    if (!m->rows || !m->cells || !m->order)
        return eb_fail_memory(status, "cells of points", n * (d * sizeof *m->cells + sizeof *m->order));
    EB_TRY(eb_parallel(q->threads, tasks, find_cells, m, q->job, status));
    EB_TRY(eps_grid_sort(m->cells, n, d, m->order, status));
    EB_TRY(room_for_side(m, status));
    return eb_parallel(q->threads, tasks, fill_blocks, m, q->job, status);
}

/* Makes a side with cells for pairs up to `eps` apart. */
static eb_code make_side(const eb_eps_grid_request *request, const eb_dataset *points, double eps, eb_eps_grid *grid,
                         eb_eps_grid_side *side, eb_status *status)
{
    making m = {.request = request, .points = points, .grid = grid, .side = side};
    m.cell = eb_cell_side(eps, grid->type == EB_EPS_GRID_F32);
    side->n = points->n;
    side->blocks = (points->n + EB_EPS_GRID_BLOCK - 1) / EB_EPS_GRID_BLOCK;
    const eb_code failed = run(&m, status);
    free(m.order);
    free(m.cells);
    free(m.rows);
    return failed || !grid->expands ? failed : expansion_make(request, grid, side, status);
}

static eb_code make(const eb_eps_grid_request *q, eb_eps_grid *grid, eb_status *status)
{
    double eps = q->eps;
    grid->dimension = malloc(grid->d * sizeof *grid->dimension);
    grid->place = malloc(grid->d * sizeof *grid->place);
    if (!grid->dimension || !grid->place)
        return eb_fail_memory(status, "the order of dimensions", 2 * grid->d * sizeof *grid->place);
    EB_TRY(eb_eps_grid_order_dimensions(q, grid->dimension, status));
    for (uint32_t k = 0; k < grid->d; k++)
        grid->place[grid->dimension[k]] = k;
    if (grid->expands && isfinite(q->eps))
        EB_TRY(expansion_cells(q, &eps, status));
    EB_TRY(make_side(q, q->left, eps, grid, &grid->side[0], status));
    return grid->self ? EB_OK : make_side(q, q->right, eps, grid, &grid->side[1], status);
}

eb_code eb_eps_grid_make(const eb_eps_grid_request *request, eb_eps_grid *out, eb_status *status)
{
    *out = (eb_eps_grid){.eps = request->eps,
                         .type = request->type,
                         .d = request->left->d,
                         .self = request->left == request->right,
                         .expands = request->expand,
                         .reach = eb_expansion_reach(request->eps, request->type)};
    const eb_code failed = make(request, out, status);
    if (failed)
        eb_eps_grid_free(out);
    return failed;
}

void eb_eps_grid_free(eb_eps_grid *grid)
{
    for (size_t k = 0; k < 2; k++) {
        free(grid->side[k].point);
        free(grid->side[k].values);
        free(grid->side[k].halves);
        free(grid->side[k].norm);
        free(grid->side[k].first);
        free(grid->side[k].last);
    }
    free(grid->dimension);
    free(grid->place);
    *grid = (eb_eps_grid){.d = 0};
}
