/* fasted on the CPU: computes FASTED's distances bit by bit as a chosen chip's tensor cores do.
 *
 * q = fl(fl(s_i + s_j) − 2a) in FP32, rounded to nearest; 2a is exact. s: the norms (kernels/fasted/switches.h). A
 * negative q (cancellation) becomes 0, which changes no verdict. a_ij = a_ji, so half of the matrix is computed.
 * With a centre or an exponent the points are those of a frame (kernels/tensor/cpu/frame.h) before they are rounded,
 * and s = q divided by the square of the frame's power of two.
 */
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/data/scaling.h"
#include "kernels/fasted/cpu/kernels.h"
#include "kernels/fasted/cpu/norms.h"
#include "kernels/fasted/cpu/rung.h"
#include "kernels/fasted/switches.h"
#include "kernels/tensor/cpu/engine.h"
#include "kernels/tensor/cpu/frame.h"
#include "kernels/walk/emulated.h"
#include "kernels/walk/engine.h"
#include "kernels/walk/isa.h"

#define BLOCK_PANELS 16u
#define TILE_ROWS 64u

typedef struct fasted {
    eb_host host; /* must come first */
    eb_fasted_points points;
    eb_fasted_products products;
    eb_fasted_distances distances;
    eb_code (*of_tiles)(void *, const eb_question *, const eb_collector *, eb_status *); /* finds pairs tile by tile */
    eb_rung rung;
    eb_frame frame;           /* of the points, if they are prepared */
    double unit;              /* s = q · unit */
    void *emulated;           /* engine tensor's state with FASTED's arithmetic, for joins; NULL: not yet needed */
    char description[2][200]; /* of an answer by its own candidates or tiles, by shared candidates */
} fasted;

static void choose_kernels(fasted *f, eb_isa isa)
{
    f->products = eb_fasted_products_base;
    f->distances = eb_fasted_distances_base;
#if defined(__x86_64__)
    if (isa == EB_ISA_AVX512) {
        f->products = eb_fasted_products_avx512;
        f->distances = eb_fasted_distances_avx512;
    } else if (isa == EB_ISA_AVX2) {
        f->products = eb_fasted_products_avx2;
        f->distances = eb_fasted_distances_avx2;
    }
#else
    (void)isa;
#endif
}

static size_t pad(size_t value) { return (value + EB_FASTED_PANEL - 1) / EB_FASTED_PANEL * EB_FASTED_PANEL; }

static uint64_t memory_needed(size_t n, size_t d, eb_dtype dtype)
{
    (void)dtype;
    uint64_t rows = (uint64_t)n * pad(d) * sizeof(uint16_t), panels = (uint64_t)pad(n) * pad(d) * (sizeof(float) + 1);
    return rows + panels + pad(n) * sizeof(float);
}

/* ---- opening: FP16 points, panels, norms ---- */

typedef struct preparation {
    const eb_dataset *ds;
    fasted *f;
    double *y;           /* [threads × d] prepared points */
    _Atomic bool rounds; /* some coordinate is not an FP16 number */
    _Atomic int unit;    /* all coordinates are multiples of 2^unit */
} preparation;

#define NO_UNIT (-1000)

static uint8_t coded_exponent(uint16_t half)
{
    int field = half >> 10 & 31;
    if ((half & 0x7fffu) == 0)
        return 0;
    return (uint8_t)((field ? field : 1) - 15 + EB_FASTED_EXPONENT);
}

/* The largest u such that every value is a multiple of 2^u. NO_UNIT if there are subnormals: they are aligned by an
 * exponent above their own, so that a product can set η too high for its size. */
static int unit_of_row(const uint16_t *half, size_t d)
{
    int unit = INT_MAX;
    for (size_t k = 0; k < d; k++) {
        int field = half[k] >> 10 & 31;
        if ((half[k] & 0x7fffu) == 0)
            continue;
        if (field == 0)
            return NO_UNIT;
        int last_bit = field - 25 + __builtin_ctz((half[k] & 1023u) | 1024u);
        unit = last_bit < unit ? last_bit : unit;
    }
    return unit;
}

static void lower_unit(preparation *p, int unit)
{
    int before = p->unit;
    while (unit < before && !atomic_compare_exchange_weak(&p->unit, &before, unit))
        ;
}

static eb_code refuse_overflow(const eb_arranged *points, size_t row, const double *y, const uint16_t *half,
                               eb_status *status)
{
    for (size_t k = 0; k < points->points->d; k++)
        if ((half[k] & 0x7fffu) >= 0x7c00u)
            return eb_rounding_refuse(&eb_rounding_fp16, EB_DEVICE_CPU, eb_point_at(points, row), k, y[k], status);
    return EB_OK;
}

static bool row_rounds(const double *y, const uint16_t *half, size_t d)
{
    for (size_t k = 0; k < d; k++)
        if ((double)eb_half_to_float(half[k]) != y[k])
            return true;
    return false;
}

static eb_code prepare_row(preparation *p, size_t i, double *y, eb_status *status)
{
    eb_fasted_points *points = &p->f->points;
    uint16_t *half = points->half + i * points->d_padded;
    if (eb_rung_prepares(&p->f->rung))
        eb_frame_apply(&p->f->frame, p->ds, i, y);
    else
        eb_to_f64(p->ds->dtype, eb_row(p->ds, i), p->ds->d, y);
    for (size_t k = 0; k < p->ds->d; k++)
        half[k] = eb_half_from_double(y[k]);
    EB_TRY(refuse_overflow(&p->f->host.points, i, y, half, status));
    if (!p->rounds && row_rounds(y, half, p->ds->d))
        p->rounds = true;
    size_t start = i / EB_FASTED_PANEL * points->d_padded * EB_FASTED_PANEL + i % EB_FASTED_PANEL;
    for (size_t k = 0; k < points->d_padded; k++) {
        points->values[start + k * EB_FASTED_PANEL] = eb_half_to_float(half[k]);
        points->exponents[start + k * EB_FASTED_PANEL] = coded_exponent(half[k]);
    }
    for (size_t k = 0; k < p->ds->d; k++)
        y[k] = (double)eb_half_to_float(half[k]);
    points->norms[i] = eb_fasted_norm(y, p->ds->d, p->f->rung.norms);
    lower_unit(p, unit_of_row(half, p->ds->d));
    return EB_OK;
}

static eb_code prepare_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    preparation *p = context;
    double *y = p->y + thread * p->ds->d;
    size_t begin = (size_t)task * BLOCK_PANELS * EB_FASTED_PANEL, end = begin + BLOCK_PANELS * EB_FASTED_PANEL;
    for (size_t i = begin; i < end && i < p->ds->n; i++)
        EB_TRY(prepare_row(p, i, y, status));
    return EB_OK;
}

static void close_state(void *opened)
{
    fasted *f = opened;
    if (!f)
        return;
    if (f->emulated)
        eb_tensor_cpu.close(f->emulated);
    eb_frame_free(&f->frame);
    free(f->points.half);
    free(f->points.values);
    free(f->points.exponents);
    free(f->points.norms);
    eb_host_close(&f->host);
    free(f);
}

static eb_code allocate(fasted *f, size_t n, size_t d, eb_status *status)
{
    eb_fasted_points *p = &f->points;
    p->n = n;
    p->d = d;
    p->d_padded = pad(d);
    size_t lanes = pad(n) * p->d_padded; /* n·d·8 fits, padding multiplies each by ≤ 16: checked below */
    if (pad(n) > SIZE_MAX / (p->d_padded * sizeof(float)))
        return eb_fail(status, EB_TOO_LARGE, "%zu × %zu points do not fit the address space", n, d);
    p->half = calloc(n * p->d_padded, sizeof *p->half);
    p->values = calloc(lanes, sizeof *p->values);
    p->exponents = calloc(lanes, sizeof *p->exponents);
    p->norms = calloc(pad(n), sizeof *p->norms);
    if (!p->half || !p->values || !p->exponents || !p->norms)
        return eb_fail_memory(status, "fasted's points", memory_needed(n, d, EB_F32));
    return EB_OK;
}

/* Below this product of two norms nothing in ⟨p, q⟩ rounds: ‖p‖·‖q‖ < 2^24 units² keeps every partial sum exact in
 * FP32, and η − F at or below the unit, so that aligning loses nothing. The norms in memory may have lost up to 2^-23
 * of their size at each of d steps. */
static double exact_below(int unit, size_t d)
{
    double loss = 1 + (double)d * 0x1p-22;
    return unit == INT_MAX ? INFINITY : ldexp(1, 48 + 4 * unit) / (loss * loss);
}

static void describe_arithmetic(fasted *f, bool rounds)
{
    const eb_fasted_points *p = &f->points;
    double longest = 0;
    for (size_t i = 0; i < p->n; i++)
        longest = fmax(longest, (double)p->norms[i]);
    const char *sums = !rounds && longest * longest < p->exact_below ? ", no product's sum rounds" : "";
    char power[EB_FRAME_TEXT];
    (void)eb_frame_text(&f->frame, power);
    for (int shared = 0; shared < 2; shared++)
        (void)snprintf(f->description[shared], sizeof f->description[shared], "%s tensor cores, bit by bit%s%s%s%s",
                       p->adder.block == 16 ? "sm_90" : "sm_80", power,
                       rounds ? "" : "; FP16 holds every coordinate exactly", sums, shared ? EB_SHARED_NOTE : "");
}

static eb_code begin(void *opened, double limit, eb_tiled *walk, eb_status *status);
static eb_code find(void *opened, const eb_question *question, const eb_collector *to, eb_status *status);

static eb_code find_frame(fasted *f, eb_status *status)
{
    const eb_context *context = f->host.finder.context;
    const eb_problem *problem = f->host.finder.problem;
    const eb_dataset *right = eb_is_self_join(problem) ? NULL : problem->right;
    if (eb_scaling_of(problem->left, problem->right).exponent != 0)
        return eb_fail(status, EB_BAD_VALUE,
                       "squares of these points exceed FP64's range; centre= and exponent= need points within it");
    return eb_frame_find(&f->rung, problem->left, right, context->threads, context->job, &f->frame, status);
}

static eb_code prepare_rows(fasted *f, const eb_dataset *ds, eb_status *status)
{
    const eb_context *context = f->host.finder.context;
    preparation p = {.ds = ds, .f = f, .unit = INT_MAX, .y = malloc(context->threads * ds->d * sizeof *p.y)};
    const size_t rows = (size_t)BLOCK_PANELS * EB_FASTED_PANEL;
    if (!p.y)
        return eb_fail_memory(status, "rows of points", context->threads * ds->d * sizeof *p.y);
    const eb_code failed =
        eb_parallel(context->threads, (ds->n + rows - 1) / rows, prepare_block, &p, context->job, status);
    free(p.y);
    f->points.exact_below = exact_below(p.unit, ds->d);
    f->unit = ldexp(1, -2 * f->frame.power);
    describe_arithmetic(f, p.rounds);
    return failed;
}

static eb_code prepare_points(fasted *f, eb_status *status)
{
    const eb_context *context = f->host.finder.context;
    const eb_dataset *ds = f->host.points.points;
    uint64_t needs = memory_needed(ds->n, ds->d, ds->dtype), limit = context->memory_limit;
    if (limit && needs > limit)
        return eb_fail(status, EB_NO_MEMORY, "fasted's points need %llu bytes; the limit is %llu",
                       (unsigned long long)needs, (unsigned long long)limit);
    if (eb_rung_prepares(&f->rung))
        EB_TRY(find_frame(f, status));
    EB_TRY(allocate(f, ds->n, ds->d, status));
    return prepare_rows(f, ds, status);
}

static eb_code open_state(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    double start = eb_now_s();
    fasted *f = calloc(1, sizeof *f);
    if (!f)
        return eb_fail_memory(status, "fasted", sizeof *f);
    f->host.begin = begin;
    f->rung = eb_fasted_rung(&context->options);
    choose_kernels(f, eb_cpu_isa());
    f->points.adder = f->rung.adder;
    eb_code failed = eb_host_open(&f->host, problem, context, status);
    f->of_tiles = f->host.finder.find;
    f->host.finder.find = find;
    if (!failed)
        failed = prepare_points(f, status);
    if (failed) {
        close_state(f);
        return failed;
    }
    *state = f;
    eb_figures_add(context->figures, &eb_figure_convert, eb_now_s() - start); /* the same pass computes the norms */
    return EB_OK;
}

/* ---- running: products of a tile, then FP32 distances ---- */

static void tile(const void *opened, size_t i0, size_t ni, size_t j0, size_t nj, double limit, double *s, void *scratch)
{
    (void)limit;
    const fasted *f = opened;
    const float *norms = f->points.norms;
    float *products = scratch;
    f->products(&f->points, i0, ni, j0, nj, products);
    for (size_t r = 0; r < ni; r++)
        f->distances(norms[i0 + r], norms + j0, products + r * EB_FASTED_COLUMNS, nj, s + r * nj);
    for (size_t k = 0; k < ni * nj && f->unit != 1; k++)
        s[k] *= f->unit;
}

static eb_code begin(void *opened, double limit, eb_tiled *walk, eb_status *status)
{
    (void)limit, (void)status;
    *walk = (eb_tiled){.tile_rows = TILE_ROWS,
                       .tile_columns = EB_FASTED_COLUMNS,
                       .tile = tile,
                       .state = opened,
                       .scratch_bytes = TILE_ROWS * EB_FASTED_COLUMNS * sizeof(float)};
    return EB_OK;
}

/* ---- joins: candidates of the stored points, then FASTED's distances of these ---- */

/* Beyond this multiple of ε too many candidates are found: all pairs are computed, tile by tile, which costs a quarter
 * as much for each. */
#define WIDEST_REACH 1.5

static eb_code emulate(fasted *f, eb_status *status)
{
    return f->emulated ? EB_OK
                       : eb_tensor_open(&f->rung, f->host.finder.problem, f->host.finder.context, &f->emulated, status);
}

static eb_code search_eps(void *opened, double eps, double *out, eb_status *status)
{
    fasted *f = opened;
    EB_TRY(emulate(f, status));
    EB_TRY(eb_emulated_search_eps(f->emulated, eps, out, status));
    if (!(*out <= WIDEST_REACH * eps))
        *out = INFINITY;
    return EB_OK;
}

static eb_code find(void *opened, const eb_question *question, const eb_collector *to, eb_status *status)
{
    fasted *f = opened;
    double within;
    eb_status why = {.message = ""};
    const eb_code failed = search_eps(f, question->eps, &within, &why);
    if (failed && failed != EB_NO_MEMORY) /* within a memory limit there may be no room beside the tiles' points */
        return eb_fail(status, failed, "%s", why.message);
    if (failed || isinf(within))
        return f->of_tiles(f, question, to, status);
    const eb_finder *candidates = f->emulated;
    return candidates->find(f->emulated, question, to, status);
}

static eb_code self(void *opened, double *s, eb_status *status)
{
    fasted *f = opened;
    EB_TRY(emulate(f, status));
    return eb_tensor_cpu.self(f->emulated, s, status);
}

static const char *describe(const void *opened)
{
    const fasted *f = opened;
    const eb_emulated *emulated = f->emulated;
    return f->description[emulated && emulated->shared];
}

const eb_implementation eb_fasted_cpu = {
    .probe = eb_host_probe,
    .memory_needed = memory_needed,
    .open = open_state,
    .count = eb_collect_count,
    .join = eb_collect_join,
    .histogram = eb_collect_histogram,
    .distances = eb_host_distances,
    .bins = eb_host_bins,
    .close = close_state,
    .describe = describe,
    .self = self,
    .search_eps = search_eps,
};
