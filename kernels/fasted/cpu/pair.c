#include "kernels/fasted/cpu/pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/scaling.h"
#include "core/engine/engine.h"
#include "kernels/certified/bound.h"
#include "kernels/certified/frame.h"

/* ---- FP16 ---- */

static eb_code read_point(const eb_dataset *ds, size_t point, double *x, eb_status *status)
{
    eb_to_f64(ds->dtype, eb_row(ds, point), ds->d, x);
    for (size_t k = 0; k < ds->d; k++)
        if (fabs(x[k]) >= 65520)
            return eb_rounding_refuse(&eb_rounding_fp16, EB_DEVICE_CPU, point, k, x[k], status);
    return EB_OK;
}

static void take_end(eb_pair_end *end, const double *x, size_t d, size_t d_padded, eb_fasted_norms norms)
{
    double moved = 0;
    for (size_t k = 0; k < d; k++) {
        end->half[k] = eb_half_from_double(x[k]);
        const double y = (double)eb_half_to_float(end->half[k]);
        end->exact = fma(y, y, end->exact);
        moved = fma(x[k] - y, x[k] - y, moved);
    }
    end->moved = sqrt(moved);
    end->norm = eb_fasted_norm(end->half, d_padded, norms);
}

/* ---- the tensor core ---- */

static double product_of(uint16_t a, uint16_t b) { return (double)eb_half_to_float(a) * (double)eb_half_to_float(b); }

/* Computes the block's losses: `cut` is the sum of all terms (products and the previous sum) − the sum of their aligned
 * values; `rounded` is the aligned sum − its FP32 value. */
static void weigh(eb_pair_block *block, const eb_tensor_model *model, const uint16_t *a, const uint16_t *b)
{
    const double unit = ldexp(1, block->steps.largest - (int)model->fraction);
    const double kept = (double)block->steps.sum * unit;
    double cut = (double)block->before - (double)block->steps.aligned[model->block] * unit;
    for (unsigned k = 0; k < block->terms; k++)
        cut += product_of(a[k], b[k]) - (double)block->steps.aligned[k] * unit;
    block->cut = block->steps.any ? cut : 0;
    block->rounded = kept - (double)block->after;
}

static void multiply(eb_pair *pair)
{
    const unsigned width = pair->model->block;
    double worst = -1;
    for (size_t x = 0; x < pair->blocks; x++) {
        const uint16_t *a = pair->end[0].half + x * width, *b = pair->end[1].half + x * width;
        eb_pair_block *block = &pair->block[x];
        block->first = x * width;
        block->terms = (unsigned)(pair->d - block->first < width ? pair->d - block->first : width);
        block->before = pair->dot;
        block->steps = eb_tensor_steps_of(pair->model, pair->dot, a, b);
        block->after = pair->dot = eb_tensor_block(pair->model, pair->dot, a, b);
        weigh(block, pair->model, a, b);
        for (unsigned k = 0; k < block->terms; k++)
            pair->dot16 = fma((double)eb_half_to_float(a[k]), (double)eb_half_to_float(b[k]), pair->dot16);
        const double lost = fabs(block->cut) + fabs(block->rounded);
        pair->worst = lost > worst ? x : pair->worst;
        worst = lost > worst ? lost : worst;
    }
}

static double rounded_distance2(const eb_pair *pair)
{
    double s = 0;
    for (size_t k = 0; k < pair->d; k++) {
        const double t =
            (double)eb_half_to_float(pair->end[0].half[k]) - (double)eb_half_to_float(pair->end[1].half[k]);
        s = fma(t, t, s);
    }
    return s;
}

/* ---- the certificate ---- */

static eb_certified_point place(const double *x, size_t d, const eb_certified_frame *frame, uint16_t *half)
{
    eb_certified_sums sums = {0};
    for (size_t k = 0; k < d; k++) {
        const double y = ldexp(x[k] - frame->centre[k], frame->exponent);
        half[k] = eb_half_from_double(eb_certified_inside(y));
        if (!eb_certified_keeps((double)eb_half_to_float(half[k])))
            half[k] = 0;
        eb_certified_add(&sums, y, (double)eb_half_to_float(half[k]));
    }
    return eb_certified_point_of(sums, (unsigned)d);
}

/* Repeats the certified filter's arithmetic with its tensor core. half: room for two points. */
static void certify(eb_pair *pair, const double *x[2], const eb_certified_frame *frame, uint16_t *half)
{
    const unsigned d = (unsigned)pair->d;
    const double scale = ldexp(1, frame->exponent);
    const eb_certified_bound bound = eb_certified_bound_of(pair->eps, scale, d, pair->model->block);
    eb_certified_point point[2];
    eb_certified_level level[2];
    for (size_t e = 0; e < 2; e++) {
        point[e] = place(x[e], pair->d, frame, half + e * pair->d_padded);
        level[e] = eb_certified_level_of(point[e], bound);
    }
    const float a = eb_tensor_dot(pair->model, half, half + pair->d_padded, pair->d_padded);
    const float q = (level[0].s + level[1].s) - 2 * a;
    const bool sure = eb_certified_surely(q, eb_certified_width(point[0], level[0].s, bound),
                                          eb_certified_width(point[1], level[1].s, bound), bound.surely);
    const float threshold = eb_certified_threshold(bound);
    pair->certified.least = (double)q / (scale * scale);
    pair->certified.threshold = (double)threshold / (scale * scale);
    pair->certified.moved = (point[0].moved + point[1].moved) / scale;
    pair->certified.verdict = q > threshold ? EB_PAIR_RULED_OUT : sure ? EB_PAIR_SURE : EB_PAIR_OPEN;
}

/* ---- the whole pair ---- */

static eb_code explain(const eb_dataset *ds, eb_fasted_norms norms, eb_pair *pair, double *x, eb_status *status)
{
    const double *of[2] = {x, x + pair->d};
    eb_certified_frame frame = {.centre = NULL};
    for (size_t e = 0; e < 2; e++) {
        EB_TRY(read_point(ds, pair->end[e].point, x + e * pair->d, status));
        take_end(&pair->end[e], of[e], pair->d, pair->d_padded, norms);
    }
    multiply(pair);
    const float sum = pair->end[0].norm + pair->end[1].norm, q = sum - 2 * pair->dot;
    pair->fasted2 = q > 0 ? q : 0;
    pair->rounded2 = rounded_distance2(pair);
    pair->truth2 = eb_truth_distance2(ds, pair->end[0].point, pair->end[1].point);
    pair->near_fasted = (double)pair->fasted2 <= eb_squared_threshold(pair->eps);
    pair->near_truth = pair->truth2 <= eb_squared_threshold(pair->eps);
    uint16_t *half = calloc(2 * pair->d_padded, sizeof *half);
    eb_code failed = half ? eb_certified_frame_make(ds, true, true, &frame, status)
                          : eb_fail_memory(status, "a pair's coordinates", 2 * pair->d_padded * sizeof *half);
    if (!failed)
        certify(pair, of, &frame, half);
    eb_certified_frame_free(&frame);
    free(half);
    return failed;
}

eb_code eb_pair_explain(const eb_dataset *ds, size_t i, size_t j, double eps, eb_tensor tensor, eb_fasted_norms norms,
                        eb_pair *out, eb_status *status)
{
    const eb_tensor_model *model = eb_tensor_model_of(tensor);
    const size_t d = ds->d, padded = (d + EB_TENSOR_BLOCK_MOST - 1) / EB_TENSOR_BLOCK_MOST * EB_TENSOR_BLOCK_MOST;
    *out = (eb_pair){.d = d,
                     .d_padded = padded,
                     .eps = eps,
                     .model = model,
                     .blocks = (d + model->block - 1) / model->block,
                     .end = {{.point = i}, {.point = j}}};
    if (eb_scaling_of(ds, ds).exponent != 0)
        return eb_fail(status, EB_BAD_VALUE,
                       "squares of these points exceed FP64's range, so engines scale the points; pairs of scaled "
                       "points cannot be "
                       "explained");
    double *x = calloc(2 * d, sizeof *x);
    out->block = calloc(out->blocks, sizeof *out->block);
    out->end[0].half = calloc(padded, sizeof(uint16_t));
    out->end[1].half = calloc(padded, sizeof(uint16_t));
    eb_code failed = EB_OK;
    if (!x || !out->block || !out->end[0].half || !out->end[1].half)
        failed = eb_fail_memory(status, "a pair's coordinates", 2 * d * sizeof *x + out->blocks * sizeof *out->block);
    if (!failed)
        failed = explain(ds, norms, out, x, status);
    free(x);
    return failed;
}

void eb_pair_free(eb_pair *pair)
{
    free(pair->block);
    free(pair->end[0].half);
    free(pair->end[1].half);
    *pair = (eb_pair){.d = 0};
}

eb_pair_parts eb_pair_parts_of(const eb_pair *pair)
{
    const double norms = (double)pair->end[0].norm + (double)pair->end[1].norm, dot = (double)pair->dot;
    const double exact = pair->end[0].exact + pair->end[1].exact;
    return (eb_pair_parts){.points = pair->rounded2 - pair->truth2,
                           .norms = norms - exact,
                           .products = 2 * (pair->dot16 - dot),
                           .subtraction = (double)pair->fasted2 - (norms - 2 * dot),
                           .whole = (double)pair->fasted2 - pair->truth2};
}
