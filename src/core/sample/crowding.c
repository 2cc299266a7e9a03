#include "core/sample/crowding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/sample/cells.h"

#define SCALES 16u /* number of scales at which neighbours are estimated */

static int compare_floats(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* log₂ and 2^y, linear between powers of two: an FP32's bits read as a whole number. Unlike libm's, the results are the
 * same on every machine. x is normal or 0 (giving −127); y ≥ −126. */
static float rough_log2(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (float)bits * 0x1p-23F - 127;
}

static float rough_exp2(float y)
{
    uint32_t bits = (uint32_t)((y + 127) * 0x1p23F);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Estimates the neighbours within each scale. Goes from the point's leaf outwards through the cells that contain it;
 * between cells the estimate is linear in log ε and log count. scale: log₂ ε, ascending. */
static void guess_neighbours(const eb_cells *t, const eb_leaf *in, float near, const float *scale, float *out)
{
    const eb_node *cell = &t->node[in->node];
    bool together = !(near > 0);
    float from = together ? -INFINITY : rough_log2(near), from_count = rough_log2(together ? (float)cell->size : 3);
    float to = from, to_count = from_count;
    for (size_t k = 0; k < SCALES; k++) {
        while (cell != t->root && scale[k] > to) {
            cell = &t->node[cell->parent];
            from = to;
            from_count = to_count;
            to = cell->radius > 0 ? fmaxf(rough_log2(cell->radius), from) : from;
            to_count = fmaxf(rough_log2((float)cell->size), from_count);
        }
        float count = to_count;
        if (scale[k] < from)
            count = from_count + 3 * (scale[k] - from);
        else if (scale[k] < to)
            count =
                isfinite(from) ? from_count + (to_count - from_count) * (scale[k] - from) / (to - from) : from_count;
        out[k] = rough_exp2(fmaxf(count, -100));
    }
}

/* Scales from the smallest neighbour distances of a sample to beyond the largest distance, evenly spaced in the
 * logarithm. False if all points coincide. */
static bool choose_scales(const eb_cells *t, float *scale)
{
    float sample[1024] = {0};
    size_t count = t->n < 1024 ? t->n : 1024, first = 0;
    for (size_t k = 0; k < count; k++)
        sample[k] = t->near[k * t->n / count];
    qsort(sample, count, sizeof *sample, compare_floats);
    while (first < count && !(sample[first] > 0))
        first++;
    if (!(t->root->radius > 0))
        return false;
    float high = rough_log2(t->root->radius) + 2, low = first < count ? rough_log2(sample[first]) : high - SCALES;
    for (size_t k = 0; k < SCALES; k++)
        scale[k] = low + (high - low) * (float)k / (float)(SCALES - 1);
    return high > low;
}

typedef struct guess {
    const eb_cells *cells;
    float scale[SCALES];
    double s[SCALES];       /* S at each scale */
    double (*part)[SCALES]; /* [tasks] contributions to s */
    float *out;
} guess;

#define GUESS_LEAVES 512u

static size_t task_end(const guess *g, uint64_t task)
{
    size_t begin = (size_t)task * GUESS_LEAVES, leaves = g->cells->leaves;
    return leaves - begin < GUESS_LEAVES ? leaves : begin + GUESS_LEAVES;
}

/* One point stands for all of its leaf. */
static eb_code guess_selectivity(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    guess *g = context;
    float count[SCALES];
    for (size_t l = (size_t)task * GUESS_LEAVES; l < task_end(g, task); l++) {
        const eb_leaf *at = &g->cells->leaf[l];
        guess_neighbours(g->cells, at, g->cells->near[at->begin], g->scale, count);
        for (size_t k = 0; k < SCALES; k++)
            g->part[task][k] += (double)count[k] * (double)(at->end - at->begin) / (double)g->cells->n;
    }
    return EB_OK;
}

static eb_code guess_shares(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    (void)status;
    const guess *g = context;
    const eb_cells *t = g->cells;
    float count[SCALES];
    for (size_t l = (size_t)task * GUESS_LEAVES; l < task_end(g, task); l++)
        for (size_t i = t->leaf[l].begin; i < t->leaf[l].end; i++) {
            double share = 0;
            guess_neighbours(t, &t->leaf[l], t->near[i], g->scale, count);
            for (size_t k = 0; k < SCALES; k++)
                if (g->s[k] >= 0.5)
                    share += (double)count[k] / g->s[k];
            g->out[t->place[i].row] = (float)share;
        }
    return EB_OK;
}

static eb_code guess_all(guess *g, eb_job *job, eb_status *status)
{
    uint64_t tasks = (g->cells->leaves + GUESS_LEAVES - 1) / GUESS_LEAVES;
    unsigned threads = eb_cpu_count();
    g->part = calloc(tasks, sizeof *g->part);
    if (!g->part)
        return eb_fail_memory(status, "the scales", tasks * sizeof *g->part);
    eb_code failed = eb_parallel(threads, tasks, guess_selectivity, g, job, status);
    for (uint64_t task = 0; task < tasks; task++) /* fixed order: the same sum on any number of threads */
        for (size_t k = 0; k < SCALES; k++)
            g->s[k] += g->part[task][k];
    free(g->part);
    return failed ? failed : eb_parallel(threads, tasks, guess_shares, g, job, status);
}

static void make_mean_one(float *out, size_t n)
{
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += (double)out[i];
    for (size_t i = 0; i < n; i++)
        out[i] = all > 0 ? (float)((double)out[i] * (double)n / all) : 1;
}

static eb_code guess_crowding(const eb_cells *t, float *out, eb_job *job, eb_status *status)
{
    guess g = {.cells = t, .out = out};
    memset(out, 0, t->n * sizeof *out);
    if (choose_scales(t, g.scale)) {
        EB_TRY(guess_all(&g, job, status));
    }
    make_mean_one(out, t->n);
    return EB_OK;
}

eb_code eb_crowding(const eb_dataset *ds, uint64_t seed, float *out, eb_job *job, eb_status *status)
{
    eb_cells cells;
    EB_TRY(eb_cells_make(ds, seed, &cells, job, status));
    eb_code failed = guess_crowding(&cells, out, job, status);
    eb_cells_free(&cells);
    return failed;
}
