#include "core/sample/cells.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/random.h"

#define CELL 8u                    /* points: a cell of this size or less is not split */
#define DEPTH 64u                  /* deepest level: gaps may be found at the edge again and again */
#define LOOKED_AT 33u              /* points of a large cell that measure and split it */
#define PARTS 64u                  /* a cell of at most this share of the points is one thread's task … */
#define LEAST_PART 4096u           /* … or of at most this many points */
#define MOST_LARGE (PARTS * DEPTH) /* at each depth, fewer than PARTS cells are larger */
#define FARTHEST 1e18F             /* values are clamped there, so that squares stay finite */

/* ---- projection onto the lines ---- */

typedef struct dropping {
    const eb_dataset *ds;
    const unsigned char *line; /* [d] line of each coordinate, the top bit its sign; NULL: coordinate k is line k */
    double unit;               /* factor of the coordinates, a power of two */
    const double *origin;      /* [EB_LINES] projection of the first point */
    double *buffer;            /* [threads][d] */
    eb_place *place;
} dropping;

#define DROP_ROWS 512u

/* Adds each coordinate to one line or subtracts it there: distances are kept on average. */
static void drop(const dropping *p, const double *x, double on[EB_LINES])
{
    memset(on, 0, EB_LINES * sizeof *on);
    for (size_t k = 0; k < p->ds->d; k++) {
        if (!p->line)
            on[k] = p->unit * x[k];
        else if (p->line[k] & 0x80u)
            on[p->line[k] & 0x7fu] -= p->unit * x[k];
        else
            on[p->line[k]] += p->unit * x[k];
    }
}

/* Largest difference to a coordinate of the first point, in up to 1024 evenly spaced points. */
static double greatest_offset(const eb_dataset *ds, const double *first, double *x)
{
    size_t count = ds->n < 1024 ? ds->n : 1024;
    double most = 0;
    for (size_t c = 0; c < count; c++) {
        eb_to_f64(ds->dtype, eb_row(ds, c * ds->n / count), ds->d, x);
        for (size_t k = 0; k < ds->d; k++)
            most = fmax(most, fabs(x[k] - first[k]));
    }
    return fmin(most, DBL_MAX);
}

/* 1 if FP32 holds the offsets and their squares well; else the power of two that brings the largest near 1. */
static double choose_unit(double offset)
{
    int exponent;
    if (offset > 1e-12 && offset < 1e12)
        return 1;
    (void)frexp(offset, &exponent);
    return ldexp(1, exponent > -1000 ? -exponent : 1000);
}

static float within_reach(double x)
{
    if (!(x < (double)FARTHEST)) /* NaN too: sums may overflow */
        return FARTHEST;
    return x > -(double)FARTHEST ? (float)x : -FARTHEST;
}

static eb_code drop_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const dropping *p = context;
    size_t begin = (size_t)task * DROP_ROWS, end = p->ds->n - begin < DROP_ROWS ? p->ds->n : begin + DROP_ROWS;
    double *x = p->buffer + thread * p->ds->d, on[EB_LINES];
    for (size_t i = begin; i < end; i++) {
        eb_to_f64(p->ds->dtype, eb_row(p->ds, i), p->ds->d, x);
        drop(p, x, on);
        p->place[i].row = (uint32_t)i;
        for (size_t l = 0; l < EB_LINES; l++)
            p->place[i].on[l] = within_reach(on[l] - p->origin[l]);
    }
    return EB_OK;
}

static eb_code drop_points(const eb_dataset *ds, uint64_t seed, eb_place *out, eb_job *job, eb_status *status)
{
    unsigned threads = eb_cpu_count();
    size_t d = ds->d;
    unsigned char *line = malloc(d);
    double *buffer = malloc((threads + 1) * d * sizeof *buffer), origin[EB_LINES] = {0};
    eb_code failed = EB_OK;
    if (line && buffer) {
        for (size_t k = 0; k < d; k++) {
            uint64_t bits = eb_random(&seed);
            line[k] = (unsigned char)(bits % EB_LINES | (bits >> 63) << 7);
        }
        dropping p = {.ds = ds, .line = d > EB_LINES ? line : NULL, .origin = origin, .buffer = buffer, .place = out};
        double *first = buffer + threads * d;
        eb_to_f64(ds->dtype, eb_row(ds, 0), d, first);
        p.unit = choose_unit(greatest_offset(ds, first, buffer));
        drop(&p, first, origin);
        failed = eb_parallel(threads, (ds->n + DROP_ROWS - 1) / DROP_ROWS, drop_block, &p, job, status);
    } else {
        failed = eb_fail_memory(status, "the lines", d + (threads + 1) * d * sizeof *buffer);
    }
    free(line);
    free(buffer);
    return failed;
}

/* ---- cells ---- */

typedef struct extent {
    size_t widest; /* line with the largest extent */
    float low, high;
    float radius;
} extent;

/* Measures `count` of the cell's points, evenly spaced. */
static extent measure_points(const eb_cells *t, size_t begin, size_t end, size_t count)
{
    const float *first = t->place[begin].on;
    float low[EB_LINES], high[EB_LINES];
    double sum[EB_LINES] = {0}, squares[EB_LINES] = {0}, spread = 0;
    memcpy(low, first, sizeof low);
    memcpy(high, first, sizeof high);
    for (size_t k = 0; k < count; k++) {
        const float *on = t->place[begin + k * (end - begin) / count].on;
        for (size_t l = 0; l < EB_LINES; l++) {
            double off = (double)(on[l] - first[l]); /* relative to the first point, for less cancellation */
            low[l] = on[l] < low[l] ? on[l] : low[l];
            high[l] = on[l] > high[l] ? on[l] : high[l];
            sum[l] += off;
            squares[l] += off * off;
        }
    }
    extent out = {.widest = 0};
    for (size_t l = 0; l < EB_LINES; l++) {
        double variance = (squares[l] - sum[l] * sum[l] / (double)count) / (double)count;
        spread += variance > 0 ? variance : 0;
        if (high[l] - low[l] > out.high - out.low)
            out = (extent){.widest = l, .low = low[l], .high = high[l]};
    }
    out.radius = (float)sqrt(2 * spread);
    return out;
}

/* Measures all of the cell's points only if those sampled all coincide. */
static extent measure_cell(const eb_cells *t, size_t begin, size_t end)
{
    size_t size = end - begin, count = size < LOOKED_AT ? size : LOOKED_AT;
    extent seen = measure_points(t, begin, end, count);
    return seen.high > seen.low || count == size ? seen : measure_points(t, begin, end, size);
}

/* Shell's sort, by steps of 13, 4 and 1. */
static void sort_few(float *value, size_t count)
{
    for (size_t step = 13; step > 0; step /= 3)
        for (size_t k = step; k < count; k++) {
            float moved = value[k];
            size_t to = k;
            for (; to >= step && value[to - step] > moved; to -= step)
                value[to] = value[to - step];
            value[to] = moved;
        }
}

/* The middle of the widest gap between the first and the last quarter; the middle of the extent if all values between
 * are equal. */
static float find_gap(const eb_cells *t, size_t begin, size_t end, const extent *e)
{
    float value[LOOKED_AT] = {0}, widest = 0;
    size_t size = end - begin, count = size < LOOKED_AT ? size : LOOKED_AT;
    for (size_t k = 0; k < count; k++)
        value[k] = t->place[begin + k * size / count].on[e->widest];
    sort_few(value, count);
    float middle = e->low + (e->high - e->low) / 2;
    size_t from = count / 4 > 0 ? count / 4 : 1;
    for (size_t k = from; k <= count - from; k++) {
        float gap = value[k] - value[k - 1];
        if (gap <= widest)
            continue;
        widest = gap;
        middle = value[k - 1] + gap / 2;
    }
    return middle;
}

/* Moves points ≤ middle to the front; returns the begin of the others. */
static size_t split_cell(eb_cells *t, size_t begin, size_t end, size_t line, float middle)
{
    while (begin < end) {
        if (t->place[begin].on[line] <= middle) {
            begin++;
            continue;
        }
        end--;
        eb_place moved = t->place[begin];
        t->place[begin] = t->place[end];
        t->place[end] = moved;
    }
    return begin;
}

static float distance(const eb_cells *t, size_t i, size_t j)
{
    float sum = 0;
    for (size_t l = 0; l < EB_LINES; l++) {
        float off = t->place[i].on[l] - t->place[j].on[l];
        sum += off * off;
    }
    return sqrtf(sum);
}

static float near_distance(const eb_cells *t, size_t begin, size_t end, size_t i)
{
    float least[EB_NEAREST];
    for (size_t k = 0; k < EB_NEAREST; k++)
        least[k] = INFINITY;
    for (size_t j = begin; j < end; j++) {
        float far = j == i ? INFINITY : distance(t, i, j);
        for (size_t k = 0; k < EB_NEAREST; k++)
            if (far < least[k]) {
                float pushed = least[k];
                least[k] = far;
                far = pushed;
            }
    }
    return least[EB_NEAREST - 1];
}

typedef struct open_cell {
    size_t begin, end;
    uint32_t parent;
    unsigned depth;
} open_cell;

/* Cells still to be split. When a cell is split, its second half waits while the first is processed. */
typedef struct stack {
    open_cell cell[DEPTH + 1];
    size_t count;
} stack;

/* A cell and all its descendants, one thread's task. */
typedef struct part {
    open_cell cell, second; /* second: the other half, if the cell was just split */
    bool was_split, ready;  /* ready: small, or cannot be split */
    size_t leaves;          /* from leaf[cell.begin] on */
} part;

typedef struct splitting {
    eb_cells *cells;
    size_t large; /* cells larger than this are split before the parts are */
    size_t parts; /* so far */
    part *part;   /* [MOST_LARGE + 1], in the order of their points */
    eb_job *job;
} splitting;

/* The begin of the second half; 0: the cell must not be split. */
static size_t middle_of(eb_cells *t, const open_cell *c, const extent *e)
{
    if (c->end - c->begin <= CELL || c->depth >= DEPTH - 1 || !(e->high > e->low))
        return 0;
    size_t middle = split_cell(t, c->begin, c->end, e->widest, find_gap(t, c->begin, c->end, e));
    return middle == c->begin || middle == c->end ? 0 : middle;
}

/* Splits the cell and pushes its halves; returns its node. Each cell has a middle of its own and each leaf a begin of
 * its own. They number the nodes, so that the numbers do not depend on the threads. */
static uint32_t split_open(eb_cells *t, const open_cell *c, stack *waiting, bool *split)
{
    extent e = measure_cell(t, c->begin, c->end);
    size_t middle = middle_of(t, c, &e);
    uint32_t at = (uint32_t)(middle > 0 ? 2 * middle - 1 : 2 * c->begin);
    *split = middle > 0;
    t->node[at] = (eb_node){.radius = e.radius, .size = (uint32_t)(c->end - c->begin), .parent = c->parent};
    if (c->depth == 0)
        t->root = &t->node[at];
    if (middle > 0) {
        waiting->cell[waiting->count++] =
            (open_cell){.begin = middle, .end = c->end, .parent = at, .depth = c->depth + 1};
        waiting->cell[waiting->count++] =
            (open_cell){.begin = c->begin, .end = middle, .parent = at, .depth = c->depth + 1};
    }
    return at;
}

static void end_cell(eb_cells *t, const open_cell *c, uint32_t at, eb_leaf *out)
{
    float radius = t->node[at].radius;
    *out = (eb_leaf){.begin = (uint32_t)c->begin, .end = (uint32_t)c->end, .node = at};
    for (size_t i = c->begin; i < c->end; i++) {
        float near = c->end - c->begin <= CELL && radius > 0 ? near_distance(t, c->begin, c->end, i) : radius;
        t->near[i] = isfinite(near) ? near : radius;
    }
}

static eb_code split_part(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    const splitting *s = context;
    part *p = &s->part[task];
    stack waiting = {.cell = {p->cell}, .count = 1};
    while (waiting.count > 0) {
        open_cell c = waiting.cell[--waiting.count];
        bool split;
        EB_TRY(eb_job_check(s->job, status));
        uint32_t at = split_open(s->cells, &c, &waiting, &split);
        if (!split)
            end_cell(s->cells, &c, at, &s->cells->leaf[p->cell.begin + p->leaves++]);
    }
    return EB_OK;
}

/* A large cell that cannot be split stays a part, which is measured again. */
static eb_code halve_part(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    const splitting *s = context;
    part *p = &s->part[task];
    stack halves;
    halves.count = 0; /* only the count: the array is large */
    EB_TRY(eb_job_check(s->job, status));
    p->was_split = false;
    if (!p->ready && p->cell.end - p->cell.begin > s->large) {
        const open_cell c = p->cell;
        (void)split_open(s->cells, &c, &halves, &p->was_split);
    }
    p->ready = !p->was_split;
    if (p->was_split) {
        p->second = halves.cell[0];
        p->cell = halves.cell[1];
    }
    return EB_OK;
}

/* Puts second halves behind first ones; returns their number. */
static size_t line_up(splitting *s)
{
    size_t more = 0;
    for (size_t k = 0; k < s->parts; k++)
        more += s->part[k].was_split;
    for (size_t k = s->parts, to = s->parts + more; k-- > 0;) {
        const part p = s->part[k];
        if (p.was_split)
            s->part[--to] = (part){.cell = p.second};
        s->part[--to] = p;
    }
    s->parts += more;
    return more;
}

/* Splits down to parts, in rounds. The cells of a round are split side by side. */
static eb_code split_large(splitting *s, eb_status *status)
{
    s->part[s->parts++] = (part){.cell = {.end = s->cells->n}};
    do
        EB_TRY(eb_parallel(eb_cpu_count(), s->parts, halve_part, s, s->job, status));
    while (line_up(s) > 0);
    return EB_OK;
}

static eb_code split_all(eb_cells *t, eb_job *job, eb_status *status)
{
    splitting s = {.cells = t, .large = t->n / PARTS > LEAST_PART ? t->n / PARTS : LEAST_PART, .job = job};
    s.part = malloc((MOST_LARGE + 1) * sizeof *s.part);
    eb_code failed = s.part ? split_large(&s, status)
                            : eb_fail_memory(status, "the cells' parts", (MOST_LARGE + 1) * sizeof *s.part);
    if (!failed)
        failed = eb_parallel(eb_cpu_count(), s.parts, split_part, &s, job, status);
    for (size_t k = 0; k < s.parts && !failed; k++) { /* close the gaps between the parts' leaves */
        memmove(t->leaf + t->leaves, t->leaf + s.part[k].cell.begin, s.part[k].leaves * sizeof *t->leaf);
        t->leaves += s.part[k].leaves;
    }
    free(s.part);
    return failed;
}

eb_code eb_cells_make(const eb_dataset *ds, uint64_t seed, eb_cells *out, eb_job *job, eb_status *status)
{
    size_t n = ds->n;
    *out = (eb_cells){.n = n};
    out->place = malloc(n * sizeof *out->place);
    out->near = malloc(n * sizeof *out->near);
    out->node = malloc(2 * n * sizeof *out->node);
    out->leaf = malloc(n * sizeof *out->leaf);
    eb_code failed;
    if (out->place && out->near && out->node && out->leaf)
        failed = drop_points(ds, seed, out->place, job, status);
    else
        failed = eb_fail_memory(status, "the cells",
                                n * (sizeof(eb_place) + sizeof(float) + 2 * sizeof(eb_node) + sizeof(eb_leaf)));
    if (!failed)
        failed = split_all(out, job, status);
    if (failed)
        eb_cells_free(out);
    return failed;
}

void eb_cells_free(eb_cells *cells)
{
    free(cells->place);
    free(cells->near);
    free(cells->node);
    free(cells->leaf);
    *cells = (eb_cells){.n = 0};
}
