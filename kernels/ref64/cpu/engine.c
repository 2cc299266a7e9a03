/* ref64 on the CPU: the FP64 reference, computed by the fastest path that gives the same bits as its definition, a
 * chain of FP64 FMAs for each pair (f64_simd.c).
 *
 * INTEGERS: every value is a small integer. Dot products of 16-bit integers, or of bytes where the CPU has an
 * instruction for them, give the squared distance; the FP64 chain would not round in any step, so its result is the
 * same integer.
 *
 * FILTER: FP32 dot products drop the pairs that are provably beyond ε (points.c), and the FP64 chain decides the rest.
 * Where the CPU multiplies bytes, 8-bit products are asked first (quantised.h). The FP32 copy is made only for a
 * question of which they leave too much open, by a sample of tiles, and then gets such tiles.
 *
 * DIRECT: the FP64 chain for every pair. It is used if the filter would drop few pairs of a tile, if FP32 cannot hold
 * the points' magnitudes, or if the memory limit leaves no room for a copy of the points.
 *
 * The dataset must outlive the state: exact distances are computed from the points as stored.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "kernels/ref64/cpu/nearest.h"
#include "kernels/ref64/cpu/points.h"
#include "kernels/ref64/cpu/quantised.h"
#include "kernels/walk/engine.h"
#include "kernels/walk/isa.h"

#define SET(isa, decides)                                                                                              \
    {                                                                                                                  \
        .select_i16 = eb_ref64_select_i16_##isa,                                                                       \
        .measure_i16 = eb_ref64_measure_i16_##isa,                                                                     \
        .select_f32 = eb_ref64_select_f32_##isa,                                                                       \
        .select_f64 = eb_ref64_select_f64_##isa,                                                                       \
        .measure_f64 = eb_ref64_measure_f64_##isa,                                                                     \
        .decides_f64 = (decides),                                                                                      \
        .exact = eb_ref64_exact_##isa,                                                                                 \
        .exact_bytes = eb_ref64_exact_bytes_##isa,                                                                     \
        .count = eb_tile_count_##isa,                                                                                  \
        .round_row = eb_ref64_round_row_##isa,                                                                         \
    }

/* Indexed by eb_isa, the instruction set. */
static const eb_ref64_kernels kernels[] = {SET(base, false), SET(avx2, true), SET(avx512, true)};

/* Rows of a tile: a multiple of every kernel's GROUP. Few dimensions get more rows, because a tile is little work; many
 * dimensions get fewer, because a person who cancels waits for the tile to end. */
static size_t tile_rows_for(size_t d) { return d <= 16 ? 480 : d <= 8192 ? 120 : 24; }

typedef enum ref64_path { INTEGERS, FILTER, DIRECT } ref64_path;

typedef struct ref64 {
    eb_host host; /* must be the first member */
    const eb_dataset *ds;
    const eb_ref64_kernels *kernels;
    ref64_path path;
    eb_point_range range;
    eb_integer_points integers;
    eb_float_points floats; /* made when a question needs them, if there are quantised points */
    eb_ref64_quantised quantised;
    _Atomic(struct ref64_call *) kept; /* the last call's, for another one with its limit; NULL: none, or in use */
    char description[128];
} ref64;

/* One question on an opened state: what depends on ε. */
typedef struct ref64_call {
    const ref64 *state;
    double limit;
    uint32_t *h;                        /* FILTER: thresholds (points.c); NULL: bytes alone */
    uint32_t *levels;                   /* FILTER by bytes: the rows' levels, then the columns'; NULL: FP32 alone */
    _Atomic uint32_t tiles, open_tiles; /* seen by bytes; those of which too much was left open */
    size_t direct_scratch;              /* offset in scratch of the FP64 kernel's part; 0 for DIRECT */
} ref64_call;

static size_t up_to(size_t x, size_t multiple) { return (x + multiple - 1) / multiple * multiple; }

static size_t padded(size_t n) { return eb_panel_count(n) * EB_PANEL; }

static uint64_t bytes_of(ref64_path path, size_t n, size_t d)
{
    switch (path) {
    case INTEGERS: return (uint64_t)padded(n) * ((d + 1) / 2 * 4 + 8);
    case FILTER: return (uint64_t)padded(n) * (4 * (uint64_t)d + 4) + 16 * (uint64_t)n;
    case DIRECT: break;
    }
    return 0;
}

static uint64_t memory_needed(size_t n, size_t d, eb_dtype dtype)
{
    return bytes_of(dtype == EB_U8 || dtype == EB_I8 ? INTEGERS : FILTER, n, d);
}

static ref64_path choose(const eb_dataset *ds, const eb_point_range *range, const eb_context *context)
{
    ref64_path path = DIRECT;
    if (eb_option_on(&context->options, "integers") && eb_points_fit_integers(range, ds->d))
        path = INTEGERS;
    else if (eb_option_on(&context->options, "filter") && eb_points_fit_floats(range, ds->d))
        path = FILTER;
    /* Direct needs no copy of the points. */
    return context->memory_limit && bytes_of(path, ds->n, ds->d) > context->memory_limit ? DIRECT : path;
}

/* The 8-bit points come beside the FP32 ones, where the memory limit leaves room. */
static bool quantises(const eb_dataset *ds, const eb_context *context)
{
    return eb_option_on(&context->options, "bytes") && eb_ref64_quantises(ds->d) &&
           (context->memory_limit == 0 ||
            bytes_of(FILTER, ds->n, ds->d) + eb_ref64_quantised_bytes(ds->n, ds->d) <= context->memory_limit);
}

static bool has_bytes(const ref64 *state) { return state->integers.bytes || state->quantised.panels.lanes != NULL; }

static const char *widths_of(const ref64 *state)
{
    if (state->path == DIRECT)
        return "";
    if (state->path == INTEGERS)
        return state->integers.bytes ? "8 bits, " : "16 bits, ";
    return !has_bytes(state) ? "FP32, " : state->floats.norm2 ? "8 bits and FP32, " : "8 bits, ";
}

/* The brackets have what depends on the CPU. */
static void describe_path(ref64 *state)
{
    static const char *const texts[] = {
        [INTEGERS] = "integers, exact",
        [FILTER] = "a filter with a proven bound, FP64 recheck",
        [DIRECT] = "FP64 for every pair",
    };
    (void)snprintf(state->description, sizeof state->description, "%s (%s%s)", texts[state->path], widths_of(state),
                   has_bytes(state) ? "vnni" : eb_isa_name(eb_cpu_isa()));
}

static void end_call(ref64_call *call)
{
    if (!call)
        return;
    free(call->h);
    free(call->levels);
    free(call);
}

static void close_state(void *opened)
{
    ref64 *state = opened;
    if (!state)
        return;
    end_call(atomic_load(&state->kept));
    eb_integer_points_free(&state->integers);
    eb_float_points_free(&state->floats);
    eb_ref64_quantised_free(&state->quantised);
    eb_point_range_free(&state->range);
    eb_host_close(&state->host);
    free(state);
}

/* ---- the walk ---- */

static bool select_integers(const void *context, size_t i0, size_t ni, size_t j0, size_t nj, bool upper, double limit,
                            uint64_t *bits, void *scratch)
{
    const ref64 *state = ((const ref64_call *)context)->state;
    eb_place place = {.i0 = i0, .ni = ni, .j0 = j0, .nj = nj, .upper = upper};
    uint32_t most = limit < 0x1p32 - 1 ? (uint32_t)limit : UINT32_MAX;
    (state->integers.bytes ? eb_ref64_select_i8_vnni : state->kernels->select_i16)(&state->integers, most, &place, bits,
                                                                                   scratch);
    return true;
}

static void measure_integers(const void *context, const uint32_t *rows, size_t m, size_t j0, size_t nj,
                             double *const *s, void *scratch)
{
    const ref64 *state = ((const ref64_call *)context)->state;
    (state->integers.bytes ? eb_ref64_measure_i8_vnni : state->kernels->measure_i16)(&state->integers, rows, m, j0, nj,
                                                                                     s, scratch);
}

/* Without an FMA instruction the kernel rounds t·t as well, and only marks candidates. With u = 2^-53 and D the real
 * distance, its sum is at most D²(1 + (d+3)u) + …, and the exact chain's at least D²(1 − (d+2)u) − d·2^-1075. The limit
 * is widened by more than both errors together. */
static bool select_direct(const void *context, size_t i0, size_t ni, size_t j0, size_t nj, bool upper, double limit,
                          uint64_t *bits, void *scratch)
{
    const ref64 *state = ((const ref64_call *)context)->state;
    eb_place place = {.i0 = i0, .ni = ni, .j0 = j0, .nj = nj, .upper = upper};
    double d = (double)state->ds->d;
    if (!state->kernels->decides_f64)
        limit = limit * (1 + (d + 8) * 0x1p-51) + d * 0x1p-1070;
    state->kernels->select_f64(state->ds, limit, &place, bits, scratch);
    return state->kernels->decides_f64;
}

/* True if deciding the candidates one by one costs more than the direct kernel for the whole tile. A candidate costs
 * about 0.6·d + 12 cycles, a pair of the direct kernel about 0.13·d + 0.5 (Zen 3, AVX2). */
static bool too_many_candidates(uint64_t candidates, size_t ni, size_t nj, size_t d)
{
    return (double)candidates * (0.6 * (double)d + 12) > (double)ni * (double)nj * (0.13 * (double)d + 0.5);
}

static bool filter_floats(const void *context, size_t i0, size_t ni, size_t j0, size_t nj, bool upper, double limit,
                          uint64_t *bits, void *scratch)
{
    const ref64_call *call = context;
    const ref64 *state = call->state;
    eb_place place = {.i0 = i0, .ni = ni, .j0 = j0, .nj = nj, .upper = upper};
    unsigned char *panel_scratch = scratch;
    state->kernels->select_f32(&state->floats.panels, call->h, &place, bits, panel_scratch);
    uint64_t candidates = state->kernels->count(bits, ni * eb_tile_words(nj));
    if (!too_many_candidates(candidates, ni, nj, state->ds->d))
        return false;
    return select_direct(context, i0, ni, j0, nj, upper, limit, bits, panel_scratch + call->direct_scratch);
}

/* Whether FP32 products cost less than deciding the candidates that bytes have left. A pair takes them about 0.06·d +
 * 0.3 cycles (Zen 4, AVX-512). */
static bool leave_too_much(uint64_t candidates, size_t ni, size_t nj, size_t d)
{
    return (double)candidates * (0.6 * (double)d + 12) > (double)ni * (double)nj * (0.06 * (double)d + 0.3);
}

enum { TILES_TO_JUDGE = 64 };

/* Bytes are not asked any more if they left too much of most tiles open. */
static bool bytes_help(const ref64_call *call)
{
    const uint32_t tiles = call->levels ? atomic_load_explicit(&call->tiles, memory_order_relaxed) : 0;
    return call->levels &&
           (tiles < TILES_TO_JUDGE || 2 * atomic_load_explicit(&call->open_tiles, memory_order_relaxed) < tiles);
}

static bool select_floats(const void *context, size_t i0, size_t ni, size_t j0, size_t nj, bool upper, double limit,
                          uint64_t *bits, void *scratch)
{
    ref64_call *call = (ref64_call *)(uintptr_t)context;
    const ref64 *state = call->state;
    if (bytes_help(call)) {
        const eb_place place = {.i0 = i0, .ni = ni, .j0 = j0, .nj = nj, .upper = upper};
        eb_ref64_filter_i8_vnni(&state->quantised.panels, NULL, call->levels, call->levels + padded(state->ds->n),
                                &place, bits, scratch);
        atomic_fetch_add_explicit(&call->tiles, 1, memory_order_relaxed);
        if (!leave_too_much(state->kernels->count(bits, ni * eb_tile_words(nj)), ni, nj, state->ds->d))
            return false;
        atomic_fetch_add_explicit(&call->open_tiles, 1, memory_order_relaxed);
    }
    if (!call->h)
        return select_direct(context, i0, ni, j0, nj, upper, limit, bits,
                             (unsigned char *)scratch + call->direct_scratch);
    return filter_floats(context, i0, ni, j0, nj, upper, limit, bits, scratch);
}

static void exact(const void *context, const uint32_t *rows, const uint32_t *columns, size_t count, double *s)
{
    const ref64 *state = ((const ref64_call *)context)->state;
    if (state->ds->dtype == EB_U8 || state->ds->dtype == EB_I8)
        state->kernels->exact_bytes(state->ds, rows, columns, count, s);
    else
        state->kernels->exact(state->ds, rows, columns, count, s);
}

static void measure(const void *context, const uint32_t *rows, size_t m, size_t j0, size_t nj, double *const *s,
                    void *scratch)
{
    const ref64_call *call = context;
    const ref64 *state = call->state;
    state->kernels->measure_f64(state->ds, rows, m, j0, nj, s, (unsigned char *)scratch + call->direct_scratch);
}

/* The number of columns, from 64 to 1024, whose slice fits 256 KiB, half of a usual L2 cache. */
static size_t columns_for(size_t bytes_per_point)
{
    size_t columns = (size_t)(256 * 1024) / bytes_per_point / 64 * 64;
    return columns < 64 ? 64 : columns > 1024 ? 1024 : columns;
}

/* Scratch has one group's rows of a slice, then the tile's sums if there are several slices. */
static size_t panel_scratch(size_t rows, size_t columns, size_t steps)
{
    size_t sums = steps > EB_SLICE ? (rows + EB_GROUP_MOST) * up_to(columns, 64) : 0;
    return (EB_SLICE * EB_GROUP_MOST + sums) * sizeof(uint32_t);
}

/* Scratch has a line that describes the packed columns, these columns, one group's rows, then the tile's sums if there
 * are several slices. */
static size_t f64_scratch(size_t rows, size_t columns, size_t d)
{
    size_t slice = d < EB_SLICE_F64 ? d : EB_SLICE_F64;
    size_t sums = d > EB_SLICE_F64 ? (rows + EB_GROUP_MOST) * up_to(columns, 64) : 0;
    return 64 + (up_to(columns, 64) * slice + up_to(slice * EB_GROUP_MOST, 8) + sums) * sizeof(double);
}

static void choose_tile(ref64_call *call, eb_tiled *walk)
{
    const ref64 *state = call->state;
    size_t d = state->ds->d;
    *walk = (eb_tiled){.state = call, .exact = exact, .tile_rows = tile_rows_for(d)};
    if (state->path == DIRECT) {
        walk->tile_columns = columns_for((d < EB_SLICE_F64 ? d : EB_SLICE_F64) * sizeof(double));
        walk->scratch_bytes = f64_scratch(walk->tile_rows, walk->tile_columns, d);
        walk->select = select_direct;
        walk->measure = state->kernels->decides_f64 ? measure : NULL;
        return;
    }
    const size_t steps = state->path == INTEGERS ? state->integers.panels.steps : d; /* the most of any filter */
    const size_t first = call->levels ? state->quantised.panels.steps : steps;       /* of the first filter */
    walk->tile_columns = columns_for((first < EB_SLICE ? first : EB_SLICE) * sizeof(uint32_t));
    walk->scratch_bytes = panel_scratch(walk->tile_rows, walk->tile_columns, steps);
    walk->select = select_integers;
    walk->measure = measure_integers;
    if (state->path == FILTER) {
        call->direct_scratch = (walk->scratch_bytes + 63) / 64 * 64;
        walk->scratch_bytes = call->direct_scratch + f64_scratch(walk->tile_rows, walk->tile_columns, d);
        walk->select = select_floats;
        walk->measure = state->kernels->decides_f64 ? measure : NULL;
    }
}

/* ---- the filters of a question ---- */

enum { SAMPLED_TILES = 16, SAMPLED_ROWS = 24 };

/* Asks bytes for tiles all over the matrix. */
static bool bytes_are_enough(const ref64_call *call, const eb_tiled *walk)
{
    const ref64 *state = call->state;
    const size_t n = state->ds->n, first = state->host.points.first_column, columns = walk->tile_columns,
                 rows = state->host.finder.problem->left->n, blocks = (n - first + columns - 1) / columns;
    uint64_t *bits = malloc(SAMPLED_ROWS * eb_tile_words(columns) * sizeof *bits), candidates = 0, pairs = 0;
    void *scratch = aligned_alloc(64, up_to(walk->scratch_bytes, 64));
    for (size_t k = 0; bits && scratch && k < SAMPLED_TILES; k++) {
        eb_place at = {.i0 = k * rows / SAMPLED_TILES,
                       .j0 = (first / columns + (5 * k + 3) % SAMPLED_TILES * blocks / SAMPLED_TILES) * columns};
        at.ni = rows - at.i0 < SAMPLED_ROWS ? rows - at.i0 : SAMPLED_ROWS;
        at.nj = n - at.j0 < columns ? n - at.j0 : columns;
        eb_ref64_filter_i8_vnni(&state->quantised.panels, NULL, call->levels, call->levels + padded(n), &at, bits,
                                scratch);
        candidates += state->kernels->count(bits, at.ni * eb_tile_words(at.nj));
        pairs += at.ni * at.nj;
    }
    free(bits);
    free(scratch);
    return pairs > 0 && !leave_too_much(candidates, 1, pairs, state->ds->d);
}

static eb_code make_floats(ref64 *state, eb_status *status)
{
    const eb_context *context = state->host.finder.context;
    if (state->floats.norm2)
        return EB_OK;
    return eb_float_points_make(state->ds, &state->range, state->kernels->round_row, context->threads, context->job,
                                &state->floats, status);
}

static eb_code make_levels(ref64_call *call, double limit, eb_status *status)
{
    const ref64 *state = call->state;
    const size_t lines = padded(state->ds->n);
    call->levels = malloc(2 * lines * sizeof *call->levels);
    if (!call->levels)
        return eb_fail_memory(status, "the filter's levels", 2 * lines * sizeof *call->levels);
    eb_ref64_quantised_levels(&state->quantised, state->ds->d, limit, call->levels, call->levels + lines);
    return EB_OK;
}

static eb_code make_thresholds(ref64_call *call, double limit, eb_status *status)
{
    const ref64 *state = call->state;
    call->h = malloc(padded(state->ds->n) * sizeof *call->h);
    if (!call->h)
        return eb_fail_memory(status, "the filter's thresholds", padded(state->ds->n) * sizeof *call->h);
    eb_filter_thresholds(&state->floats, state->ds->d, limit, call->h);
    return EB_OK;
}

static eb_code begin_call(ref64 *state, double limit, ref64_call *call, eb_tiled *walk, eb_status *status)
{
    const bool filters = state->path == FILTER && !isnan(limit);
    if (filters && state->quantised.panels.lanes)
        EB_TRY(make_levels(call, limit, status));
    choose_tile(call, walk);
    if (!filters || (call->levels && bytes_are_enough(call, walk)))
        return EB_OK;
    EB_TRY(make_floats(state, status));
    EB_TRY(make_thresholds(call, limit, status));
    describe_path(state);
    return EB_OK;
}

/* A count in parts has a call for each of them, all with one limit. */
static eb_code begin(void *opened, double limit, eb_tiled *walk, eb_status *status)
{
    ref64 *state = opened;
    const double start = eb_now_s();
    ref64_call *call = atomic_exchange(&state->kept, NULL);
    if (call && call->limit == limit) {
        choose_tile(call, walk);
        return EB_OK;
    }
    end_call(call);
    call = calloc(1, sizeof *call);
    if (!call)
        return eb_fail_memory(status, "ref64", sizeof *call);
    call->state = state;
    call->limit = limit;
    const eb_code failed = begin_call(state, limit, call, walk, status);
    if (failed)
        end_call(call);
    else
        eb_figures_add(state->host.finder.context->figures, &eb_figure_convert, eb_now_s() - start);
    return failed;
}

static void end(void *opened, eb_tiled *walk)
{
    ref64 *state = opened;
    end_call(atomic_exchange(&state->kept, (ref64_call *)(uintptr_t)walk->state));
}

static eb_code nearest_rows(void *opened, const eb_nearest_rows *question, eb_status *status)
{
    const ref64 *state = opened;
    const size_t steps = state->quantised.panels.steps;
    if (!state->quantised.panels.lanes || state->host.points.point || !eb_ref64_nearest_pays(state->ds, question))
        return eb_fail(status, EB_NO_ENGINE, "8-bit points do not pay");
    eb_ref64_search search = {.ds = state->ds,
                              .kernels = state->kernels,
                              .quantised = &state->quantised,
                              .context = state->host.finder.context};
    search.tile_columns = columns_for((steps < EB_SLICE ? steps : EB_SLICE) * sizeof(uint32_t));
    search.scratch_bytes = up_to(panel_scratch(EB_NEAREST_MOST, search.tile_columns, steps), 64);
    return eb_ref64_nearest(&search, question, status);
}

/* ---- opening ---- */

static eb_code prepare_points(ref64 *state, eb_status *status)
{
    const eb_context *context = state->host.finder.context;
    const eb_dataset *ds = state->ds;
    const eb_point_range *range = &state->range;
    EB_TRY(eb_point_range_find(ds, context->threads, context->job, &state->range, status));
    state->path = choose(ds, range, context);
    if (state->path == INTEGERS) {
        const bool bytes =
            eb_option_on(&context->options, "bytes") && eb_cpu_multiplies_bytes() && eb_points_fit_bytes(range, ds->d);
        EB_TRY(eb_integer_points_make(ds, range, bytes, context->threads, context->job, &state->integers, status));
    } else if (state->path == FILTER && quantises(ds, context)) {
        EB_TRY(eb_ref64_quantised_make(ds, context->threads, context->job, &state->quantised, status));
    } else if (state->path == FILTER) {
        EB_TRY(make_floats(state, status));
    }
    describe_path(state);
    return EB_OK;
}

static eb_code open_state(const eb_problem *problem, const eb_context *context, void **out, eb_status *status)
{
    double start = eb_now_s();
    ref64 *state = calloc(1, sizeof *state);
    if (!state)
        return eb_fail_memory(status, "ref64", sizeof *state);
    state->host.begin = begin;
    state->host.end = end;
    state->kernels = &kernels[eb_cpu_isa()];
    eb_code failed = eb_host_open(&state->host, problem, context, status);
    state->ds = state->host.points.points;
    if (!failed)
        failed = prepare_points(state, status);
    if (failed) {
        close_state(state);
        return failed;
    }
    *out = state;
    eb_figures_add(context->figures, &eb_figure_convert, eb_now_s() - start);
    return EB_OK;
}

static const char *describe(const void *opened) { return ((const ref64 *)opened)->description; }

const eb_implementation eb_ref64_cpu = {
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
    .nearest_rows = nearest_rows,
};
