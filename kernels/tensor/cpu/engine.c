/* tensor on the CPU: the distances of a tensor core's arithmetic, bit by bit, in the number types of rung.h.
 *
 * distance.h has the steps of a distance. s = q divided by the square of the frame's power of two; S8 with one step: q
 * times its square.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "kernels/tensor/cpu/distance.h"
#include "kernels/tensor/cpu/engine.h"
#include "kernels/tensor/cpu/state.h"
#include "kernels/walk/engine.h"
#include "kernels/walk/isa.h"

extern const eb_engine eb_engine_exact;

enum { ROWS = 64 /* points of a task */ };

typedef eb_tensor_state tensor;

/* ---- distances ---- */

static void float_distances(const tensor *t, const uint32_t *rows, const uint32_t *columns, size_t count, double *s)
{
    float products[EB_EMULATED_BATCH];
    t->products(&t->chained, rows, columns, count, products);
    for (size_t k = 0; k < count; k++)
        s[k] = eb_at_least_0(eb_q_of_f32(t->norm[rows[k]], t->norm[columns[k]], products[k])) * t->unit;
}

static void f64_distances(const tensor *t, const uint32_t *rows, const uint32_t *columns, size_t count, double *s)
{
    const size_t d = t->frame.d;
    for (size_t k = 0; k < count; k++) {
        const double product = t->dot_f64(t->values + rows[k] * d, t->values + columns[k] * d, d);
        s[k] = eb_at_least_0(eb_q_of_f64(t->square[rows[k]], t->square[columns[k]], product)) * t->unit;
    }
}

/* The product of two points' levels, without that of two lower slices. */
static int64_t level_product(const tensor *t, size_t row, size_t column)
{
    const size_t d = t->frame.d, length = d * t->rung.parts;
    const int8_t *a = t->levels + row * length, *b = t->levels + column * length;
    const int64_t upper = t->dot_s8(a, b, d);
    if (t->rung.parts == 1)
        return upper;
    return EB_SLICE * (EB_SLICE * upper + t->dot_s8(a, b + d, d) + t->dot_s8(a + d, b, d));
}

static void s8_distances(const tensor *t, const uint32_t *rows, const uint32_t *columns, size_t count, double *s)
{
    for (size_t k = 0; k < count; k++) {
        const size_t i = rows[k], j = columns[k];
        const int64_t a = level_product(t, i, j);
        if (t->rung.step_a_point) {
            const float product = eb_stepped_product(t->step[i], t->step[j], a);
            s[k] = eb_at_least_0(eb_q_of_f32(t->norm[i], t->norm[j], product)) * t->unit;
        } else {
            s[k] = eb_at_least_0(eb_q_of_f64(t->square[i], t->square[j], (double)a)) * t->unit;
        }
    }
}

static void squared(const void *state, const uint32_t *rows, const uint32_t *columns, size_t count, double *s)
{
    const tensor *t = state;
    if (t->rung.number == EB_F64_NUMBER)
        f64_distances(t, rows, columns, count, s);
    else if (t->rung.number == EB_S8)
        s8_distances(t, rows, columns, count, s);
    else
        float_distances(t, rows, columns, count, s);
}

/* ---- points ---- */

typedef struct preparation {
    tensor *t;
    const eb_problem *problem;
    eb_rounding_row *row; /* [threads] */
} preparation;

static bool has_subnormal(const tensor *t, const float *value)
{
    bool any = false;
    if (t->rung.parts == 1 && t->frame.least >= (double)t->chained.least)
        return false;
    for (size_t k = 0; k < t->chain.length; k++)
        any |= value[k] != 0 && fabsf(value[k]) < t->chained.least;
    return any;
}

static void keep_operands(tensor *t, size_t place, const eb_rounding_row *row)
{
    const size_t at = place * t->chain.length;
    const double *parts[EB_MOST_PARTS] = {row->part[0], row->part[1], row->part[2]};
    if (t->chained.value)
        eb_chain_fill_values(&t->chain, parts, t->frame.d, t->chained.value + at);
    else
        eb_chain_fill(&t->chain, t->rung.number, parts, t->frame.d, t->chained.significand + at,
                      t->chained.exponent + at);
    if (t->chained.value && !t->subnormal && has_subnormal(t, t->chained.value + at))
        t->subnormal = true;
}

static void keep(tensor *t, size_t place, const eb_rounding_row *row)
{
    const size_t d = t->frame.d;
    const double norm = eb_norm_of(&t->rung, t->debias, row, d);
    if (eb_rung_is_float(&t->rung))
        keep_operands(t, place, row);
    else if (t->rung.number == EB_F64_NUMBER)
        memcpy(t->values + place * d, row->y, d * sizeof *row->y);
    for (unsigned p = 0; t->levels && p < t->rung.parts; p++)
        for (size_t k = 0; k < d; k++)
            t->levels[(place * t->rung.parts + p) * d + k] = (int8_t)row->part[p][k];
    if (t->step)
        t->step[place] = (float)row->step;
    if (t->square)
        t->square[place] = norm;
    else
        t->norm[place] = (float)norm;
}

static double width_of(const tensor *t, const eb_rounded_point *point)
{
    const double d = (double)t->frame.d;
    return t->rung.number == EB_S8           ? eb_tensor_width_s8(&t->rung, point)
           : t->rung.number == EB_F64_NUMBER ? eb_tensor_width_f64(d, point)
                                             : eb_tensor_width_float(&t->rung, (double)t->chain.length, d, point);
}

/* Bounds in the unit of the stored points (kernels/walk/emulated.h). */
static void keep_bounds(tensor *t, size_t place, const eb_rounding_row *row)
{
    const double d = (double)t->frame.d, unit = ldexp(1, -t->frame.power);
    const double length = sqrt(row->point.square) + sqrt(row->moved2);
    const double rounding = eb_frame_error(&t->frame) + (d + 16) * 0x1p-52;
    const double moved =
        EB_TENSOR_MOVED * sqrt(row->moved2) * (1 + rounding) + rounding * (length + t->frame.centre_length / unit);
    eb_rounded_point upward = row->point; /* bound.h, step 5 */
    upward.debias = -upward.debias;
    t->join.moved[place] = moved * unit;
    t->join.width[place] = width_of(t, &row->point) * unit * unit;
    t->above[place] = width_of(t, &upward) * unit * unit;
    if (t->edge)
        t->edge[place] = eb_tensor_edge(t, place, row->point.square);
}

static eb_code prepare_point(preparation *p, size_t place, eb_rounding_row *row, eb_status *status)
{
    tensor *t = p->t;
    size_t at;
    const eb_dataset *set = eb_tensor_set_of(t, p->problem, place, &at);
    eb_frame_apply(&t->frame, set, at, row->y);
    eb_round_row(&t->frame, row);
    if (row->beyond > 0 && !eb_number_type_of(t->rung.number)->saturates)
        return eb_round_refuse(&t->frame, "tensor", set, at, row->y, status);
    row->point.debias = -t->debias * row->moved2;
    atomic_fetch_add_explicit(&t->beyond, row->beyond, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->inexact, row->moved2 > 0, memory_order_relaxed);
    keep(t, place, row);
    keep_bounds(t, place, row);
    return EB_OK;
}

static eb_code prepare_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    preparation *p = context;
    const size_t begin = (size_t)task * ROWS;
    for (size_t place = begin; place < begin + ROWS && place < p->t->join.places; place++)
        EB_TRY(prepare_point(p, place, &p->row[thread], status));
    return EB_OK;
}

/* ---- opening ---- */

static bool values_suffice(const tensor *t)
{
    return eb_rung_is_float(&t->rung) &&
           eb_values_suffice(&t->rung.adder, t->rung.number, t->rung.parts, t->frame.least, t->frame.greatest);
}

static uint64_t bytes_of(const tensor *t)
{
    const uint64_t places = t->join.places, d = t->frame.d;
    if (t->rung.number == EB_S8)
        return places * (d * t->rung.parts + 2 * sizeof(double));
    if (t->rung.number == EB_F64_NUMBER)
        return places * (d + 1) * sizeof(double);
    if (values_suffice(t))
        return places * (t->chain.length * sizeof(float) + 2 * sizeof(double) + sizeof(float));
    return places * (t->chain.length * (sizeof(float) + sizeof(int16_t)) + sizeof(float));
}

static bool allocate_values(tensor *t)
{
    const size_t operands = t->join.places * t->chain.length;
    t->chained.value = calloc(operands + EB_VALUES_BEHIND, sizeof *t->chained.value);
    t->chained.least = (float)ldexp(1, eb_number_type_of(t->rung.number)->least_exponent);
    t->edge = t->rung.parts == 1 ? malloc(t->join.places * sizeof *t->edge) : NULL;
    t->join.near = t->edge ? eb_tensor_near : NULL;
    return t->chained.value && (t->edge || t->rung.parts > 1);
}

static bool allocate_operands(tensor *t)
{
    const size_t operands = t->join.places * t->chain.length;
    t->chained.significand = malloc(operands * sizeof *t->chained.significand);
    t->chained.exponent = malloc(operands * sizeof *t->chained.exponent);
    return t->chained.significand && t->chained.exponent;
}

static bool allocate(tensor *t)
{
    const size_t places = t->join.places, coordinates = places * t->frame.d;
    const bool s8 = t->rung.number == EB_S8, f64 = t->rung.number == EB_F64_NUMBER;
    const bool wide = f64 || (s8 && !t->rung.step_a_point);
    t->norm = calloc(places, sizeof *t->norm);
    t->above = calloc(places, sizeof *t->above);
    t->square = wide ? calloc(places, sizeof *t->square) : NULL;
    t->step = t->rung.step_a_point ? calloc(places, sizeof *t->step) : NULL;
    t->levels = s8 ? malloc(coordinates * t->rung.parts) : NULL;
    t->values = f64 ? malloc(coordinates * sizeof *t->values) : NULL;
    t->chained = (eb_chained){.chain = &t->chain};
    if (eb_rung_is_float(&t->rung) && !(values_suffice(t) ? allocate_values(t) : allocate_operands(t)))
        return false;
    return t->norm && t->above && (!wide || t->square) && (!t->rung.step_a_point || t->step) && (!s8 || t->levels) &&
           (!f64 || t->values);
}

static void choose_kernels(tensor *t)
{
    t->products = eb_chain_products_here(t->chained.value != NULL);
    t->dot_f32 = eb_dot_f32_base;
    t->dot_f64 = eb_dot_f64_base;
    t->dot_s8 = eb_dot_s8_base;
#if defined(__x86_64__)
    if (eb_cpu_isa() == EB_ISA_AVX512) {
        t->dot_f32 = eb_dot_f32_avx512;
        t->dot_f64 = eb_dot_f64_avx512;
        t->dot_s8 = eb_dot_s8_avx512;
    } else if (eb_cpu_isa() == EB_ISA_AVX2) {
        t->dot_f32 = eb_dot_f32_avx2;
        t->dot_f64 = eb_dot_f64_avx2;
        t->dot_s8 = eb_dot_s8_avx2;
    }
#endif
}

static void describe_arithmetic(tensor *t)
{
    const eb_number_type *type = eb_number_type_of(t->rung.number);
    const double coordinates = (double)t->join.places * (double)t->frame.d;
    char saturated[64] = "", power[EB_FRAME_TEXT];
    if (t->beyond > 0)
        (void)snprintf(saturated, sizeof saturated, "; %.3g %% of coordinates saturate",
                       100 * (double)t->beyond / coordinates);
    (void)eb_frame_text(&t->frame, power);
    for (int shared = 0; shared < 2; shared++)
        (void)snprintf(t->description[shared], sizeof t->description[shared], "%s, bit by bit%s%s%s%s%s", type->title,
                       eb_rung_is_float(&t->rung) && !t->rung.adder.confirmed ? ", not held to this hardware yet" : "",
                       power, t->inexact == 0 ? "; the type holds every coordinate exactly" : "", saturated,
                       shared ? EB_SHARED_NOTE : "");
}

static eb_code prepare_points(preparation *p, const eb_context *context, eb_status *status)
{
    tensor *t = p->t;
    p->row = calloc(context->threads, sizeof *p->row);
    if (!p->row)
        return eb_fail_memory(status, "threads' rows", context->threads * sizeof *p->row);
    eb_code failed = EB_OK;
    for (unsigned k = 0; k < context->threads && !failed; k++)
        failed = eb_rounding_row_make(t->frame.d, &p->row[k], status);
    if (!failed)
        failed =
            eb_parallel(context->threads, (t->join.places + ROWS - 1) / ROWS, prepare_block, p, context->job, status);
    for (unsigned k = 0; k < context->threads; k++)
        free(p->row[k].y);
    free(p->row);
    return failed;
}

static eb_code open_points(tensor *t, const eb_problem *problem, const eb_context *context, eb_status *status)
{
    const eb_dataset *right = eb_is_self_join(problem) ? NULL : problem->right;
    EB_TRY(eb_emulated_open(&t->join, &eb_engine_exact, problem, context, status));
    EB_TRY(eb_frame_find(&t->rung, problem->left, right, context->threads, context->job, &t->frame, status));
    if (t->rung.debiased)
        EB_TRY(eb_debias_factor(&t->frame, problem->right, &t->debias, status));
    if (eb_rung_is_float(&t->rung))
        t->chain = eb_chain_of(&t->rung.adder, t->rung.promote, t->rung.parts, t->frame.d);
    if (context->memory_limit && bytes_of(t) > context->memory_limit)
        return eb_fail(status, EB_NO_MEMORY, "tensor's points need %llu bytes; the limit is %llu",
                       (unsigned long long)bytes_of(t), (unsigned long long)context->memory_limit);
    if (!allocate(t))
        return eb_fail_memory(status, "tensor's points", bytes_of(t));
    choose_kernels(t);
    t->unit = eb_rounding_unit(&t->frame);
    preparation p = {.t = t, .problem = problem};
    EB_TRY(prepare_points(&p, context, status));
    t->chained.subnormal = t->subnormal;
    describe_arithmetic(t);
    return EB_OK;
}

static void close_state(void *opened)
{
    tensor *t = opened;
    if (!t)
        return;
    eb_emulated_close(&t->join);
    eb_frame_free(&t->frame);
    free(t->chained.significand);
    free(t->chained.exponent);
    free(t->chained.value);
    free(t->edge);
    free(t->values);
    free(t->levels);
    free(t->norm);
    free(t->above);
    free(t->square);
    free(t->step);
    free(t);
}

eb_code eb_tensor_open(const eb_rung *rung, const eb_problem *problem, const eb_context *context, void **state,
                       eb_status *status)
{
    const double start = eb_now_s();
    tensor *t = calloc(1, sizeof *t);
    if (!t)
        return eb_fail_memory(status, "tensor", sizeof *t);
    t->rung = *rung;
    t->join.squared = squared;
    const eb_code failed = open_points(t, problem, context, status);
    if (failed) {
        close_state(t);
        return failed;
    }
    *state = t;
    eb_figures_add(context->figures, &eb_figure_convert, eb_now_s() - start);
    return EB_OK;
}

static eb_code open_state(const eb_problem *problem, const eb_context *context, void **state, eb_status *status)
{
    eb_rung rung;
    EB_TRY(eb_rung_of(&context->options, &rung, status));
    return eb_tensor_open(&rung, problem, context, state, status);
}

/* ---- the implementation ---- */

static eb_code probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    eb_rung rung;
    EB_TRY(eb_host_probe(device, options, status));
    return eb_rung_of(options, &rung, status);
}

/* An operand of every type but FP64 and S8, which need 8 bytes and 1. */
static uint64_t memory_needed(size_t n, size_t d, eb_dtype dtype)
{
    (void)dtype;
    return (uint64_t)n * (d + EB_MOST_BLOCK) * (sizeof(float) + sizeof(int16_t));
}

static eb_code self(void *opened, double *s, eb_status *status)
{
    (void)status;
    const tensor *t = opened;
    for (size_t place = 0; place < t->join.places; place++)
        squared(t, &(uint32_t){(uint32_t)place}, &(uint32_t){(uint32_t)place}, 1, s + place);
    return EB_OK;
}

static const char *describe(const void *opened)
{
    const tensor *t = opened;
    return t->description[t->join.shared];
}

const eb_implementation eb_tensor_cpu = {
    .probe = probe,
    .memory_needed = memory_needed,
    .open = open_state,
    .count = eb_collect_count,
    .join = eb_collect_join,
    .histogram = eb_collect_histogram,
    .distances = eb_emulated_distances,
    .pairs = eb_emulated_pairs,
    .rounded = eb_tensor_rounded,
    .complete_eps = eb_tensor_complete_eps,
    .reach_eps = eb_emulated_reach_eps,
    .close = close_state,
    .describe = describe,
    .self = self,
    .search_eps = eb_emulated_search_eps,
};
