/* fp32: sample engine that sums squared differences as ref64 does, but in FP32. */
#include <math.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "kernels/walk/engine.h"

typedef struct fp32 {
    eb_host host; /* must be the first member */
    float *value; /* [n × d], in the dataset's order (core/engine/arrange.h) */
} fp32;

/* A figure that only this engine reports. */
static const eb_figure copied = {"copied_bytes", "FP32 copy of the points", EB_BYTES, EB_FIGURE_FACT, 0};

static uint64_t memory_needed(size_t n, size_t d, eb_dtype dtype)
{
    (void)dtype;
    return (uint64_t)n * d * sizeof(float);
}

static void tile(const void *opened, size_t i0, size_t ni, size_t j0, size_t nj, double limit, double *s, void *scratch)
{
    const fp32 *state = opened;
    size_t d = state->host.points.points->d;
    (void)limit, (void)scratch;
    for (size_t r = 0; r < ni; r++)
        for (size_t c = 0; c < nj; c++) {
            const float *p = state->value + (i0 + r) * d, *q = state->value + (j0 + c) * d;
            float sum = 0;
            for (size_t k = 0; k < d; k++)
                sum += (p[k] - q[k]) * (p[k] - q[k]);
            s[r * nj + c] = (double)sum;
        }
}

static eb_code begin(void *opened, double limit, eb_tiled *walk, eb_status *status)
{
    const fp32 *state = opened;
    size_t side = (size_t)eb_option_number(&state->host.finder.context->options, "side");
    (void)limit, (void)status;
    *walk = (eb_tiled){.tile_rows = side, .tile_columns = side, .tile = tile, .state = state};
    return EB_OK;
}

static void close_state(void *opened)
{
    fp32 *state = opened;
    if (!state)
        return;
    eb_host_close(&state->host);
    free(state->value);
    free(state);
}

static eb_code convert(fp32 *state, eb_status *status)
{
    const eb_dataset *ds = state->host.points.points;
    double *row = malloc(ds->d * sizeof *row);
    state->value = malloc(ds->n * ds->d * sizeof *state->value);
    if (!row || !state->value) {
        free(row);
        return eb_fail_memory(status, "FP32 points", ds->n * ds->d * sizeof *state->value);
    }
    for (size_t i = 0; i < ds->n; i++) {
        eb_to_f64(ds->dtype, eb_row(ds, i), ds->d, row);
        for (size_t k = 0; k < ds->d; k++)
            state->value[i * ds->d + k] = (float)row[k];
    }
    free(row);
    eb_figures_set(state->host.finder.context->figures, &copied, (double)(ds->n * ds->d * sizeof *state->value));
    return EB_OK;
}

static eb_code open_state(const eb_problem *problem, const eb_context *context, void **out, eb_status *status)
{
    double start = eb_now_s();
    fp32 *state = calloc(1, sizeof *state);
    if (!state)
        return eb_fail_memory(status, "fp32", sizeof *state);
    state->host.begin = begin;
    eb_code failed = eb_host_open(&state->host, problem, context, status);
    if (!failed)
        failed = convert(state, status);
    if (failed) {
        close_state(state);
        return failed;
    }
    eb_figures_add(context->figures, &eb_figure_convert, eb_now_s() - start);
    *out = state;
    return EB_OK;
}

static const eb_implementation on_cpu = {
    .probe = eb_host_probe,
    .memory_needed = memory_needed,
    .open = open_state,
    .count = eb_collect_count,
    .join = eb_collect_join,
    .histogram = eb_collect_histogram,
    .distances = eb_host_distances,
    .close = close_state,
};

static const eb_option options[] = {
    {.name = "side",
     .type = EB_ARG_INTEGER,
     .devices = EB_ON_CPU,
     .fallback = "64",
     .min = 8,
     .max = 512,
     .help = "rows and columns of a tile"},
};

const eb_engine eb_engine_fp32 = {
    .name = "fp32",
    .title = "FP32 differences",
    .exactness = EB_APPROXIMATE,
    .f32_distances = true,
    .options = EB_OPTIONS(options),
    .on = {[EB_DEVICE_CPU] = {"the sum of squared differences in FP32", &on_cpu}},
};
