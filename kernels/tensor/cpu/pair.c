#include "kernels/tensor/cpu/pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/scaling.h"

/* ---- the points ---- */

/* Writes the operands of an end. Columns of crossed sections have the halves of each block exchanged. */
static void fill_operands(const eb_pair *pair, const eb_rounding_row *row, bool column, eb_operand *out)
{
    for (unsigned s = 0; s < pair->chain.sections; s++) {
        const eb_section *section = &pair->chain.section[s];
        for (size_t at = section->begin; at < section->begin + section->length; at++) {
            const eb_chain_term term = eb_chain_term_at(&pair->chain, section, at);
            const double value = term.dimension < pair->d ? row->part[term.part[column]][term.dimension] : 0;
            out[at] = eb_operand_of(pair->rung.number, (float)value);
        }
    }
}

static eb_code take_end(eb_pair *pair, const char *engine, const eb_dataset *ds, bool column, eb_status *status)
{
    eb_pair_end *end = &pair->end[column];
    eb_frame_apply(&pair->frame, ds, end->point, end->row.y);
    eb_round_row(&pair->frame, &end->row);
    if (end->row.beyond > 0 && !eb_number_type_of(pair->rung.number)->saturates)
        return eb_round_refuse(&pair->frame, engine, ds, end->point, end->row.y, status);
    end->row.point.debias = -pair->debias * end->row.moved2;
    end->norm = eb_norm_of(&pair->rung, pair->debias, &end->row, pair->d);
    end->moved = ldexp(sqrt(end->row.moved2), -pair->frame.power);
    end->exact = end->row.point.square;
    if (pair->rung.number == EB_S8 && !pair->rung.step_a_point) /* in squares of the step */
        end->exact = end->norm - (end->row.step > 0 ? end->row.point.debias / (end->row.step * end->row.step) : 0);
    if (eb_rung_is_float(&pair->rung))
        fill_operands(pair, &end->row, column, end->operand);
    return EB_OK;
}

/* ---- the tensor core ---- */

static double exact_term(const eb_operand *a, const eb_operand *b)
{
    return ldexp((double)a->significand * (double)b->significand, a->exponent + b->exponent);
}

/* The blocks' losses: `cut` is the sum of all terms less that of their aligned values. */
static float add_block(eb_pair *pair, const eb_section *section, size_t at, float c)
{
    const eb_adder *adder = &pair->chain.adder;
    const eb_operand *a = pair->end[0].operand + at, *b = pair->end[1].operand + at;
    eb_pair_block *block = &pair->block[pair->blocks++];
    *block = (eb_pair_block){.section = section, .place = at, .before = c, .outside = NAN};
    block->steps = eb_adder_steps_of(adder, c, a, b);
    const double unit = ldexp(1, block->steps.largest - (int)adder->fraction);
    block->cut = (double)c - (double)block->steps.aligned[adder->block] * unit;
    for (unsigned k = 0; k < adder->block; k++)
        block->cut += exact_term(a + k, b + k) - (double)block->steps.aligned[k] * unit;
    block->rounded = (double)block->steps.sum * unit - (double)block->steps.result;
    const eb_pair_block *worst = &pair->block[pair->worst];
    if (fabs(block->cut) + fabs(block->rounded) > fabs(worst->cut) + fabs(worst->rounded))
        pair->worst = pair->blocks - 1;
    return block->steps.result;
}

/* A sum made outside the tensor core, after the last block. */
static float add_outside(eb_pair *pair, float sum)
{
    pair->block[pair->blocks - 1].outside = (double)sum;
    return sum;
}

static float add_step(eb_pair *pair, const eb_section *section, size_t at, float c)
{
    if (!pair->chain.adder.halved)
        return add_block(pair, section, at, c);
    const float p = add_block(pair, section, at, 0);
    const float both = add_block(pair, section, at + pair->chain.adder.block, p);
    return add_outside(pair, eb_adder_add(&pair->chain.adder, c, both));
}

static float multiply(eb_pair *pair)
{
    const eb_chain *chain = &pair->chain;
    const size_t step = chain->adder.halved ? 2 * chain->adder.block : chain->adder.block;
    float total = 0, c = 0;
    for (unsigned s = 0; s < chain->sections; s++) {
        const eb_section *section = &chain->section[s];
        for (size_t at = section->begin; at < section->begin + section->length; at += step) {
            if (chain->promote && at > 0 && at % chain->promote == 0) {
                total = add_outside(pair, total + c);
                c = 0;
            }
            c = add_step(pair, section, at, c);
        }
    }
    return chain->promote ? add_outside(pair, total + c) : c;
}

/* ---- sums in FP64 ---- */

static double sum_of_products(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum = fma(a[k], b[k], sum);
    return sum;
}

static double product_of_parts(const eb_pair *pair, unsigned part, unsigned with)
{
    return sum_of_products(pair->end[0].row.part[part], pair->end[1].row.part[with], pair->d);
}

static void multiply_levels(eb_pair *pair)
{
    const eb_rounding_row *a = &pair->end[0].row, *b = &pair->end[1].row;
    const bool two = pair->rung.parts == 2;
    for (unsigned k = 0; k < (two ? 4 : 1); k++)
        pair->slices[k] = (int64_t)product_of_parts(pair, k / 2, k % 2);
    const int64_t taken =
        two ? EB_SLICE * (EB_SLICE * pair->slices[0] + pair->slices[1] + pair->slices[2]) : pair->slices[0];
    const double steps = pair->rung.step_a_point ? a->step * b->step : 1;
    pair->dot =
        pair->rung.step_a_point ? (double)eb_stepped_product((float)a->step, (float)b->step, taken) : (double)taken;
    pair->taken = steps * (double)taken;
    pair->all = steps * (double)(taken + pair->slices[3]);
}

static void multiply_floats(eb_pair *pair)
{
    pair->dot = (double)multiply(pair);
    for (unsigned part = 0; part < pair->rung.parts; part++)
        for (unsigned with = 0; with < pair->rung.parts; with++) {
            const double product = product_of_parts(pair, part, with);
            pair->all += product;
            pair->taken += part + with < pair->rung.parts ? product : 0;
        }
}

static double rounded_distance2(const eb_pair *pair)
{
    double sum = 0;
    for (size_t k = 0; k < pair->d; k++) {
        const double off =
            eb_rounded_at(&pair->rung, &pair->end[0].row, k) - eb_rounded_at(&pair->rung, &pair->end[1].row, k);
        sum = fma(off, off, sum);
    }
    return ldexp(sum, -2 * pair->frame.power);
}

static void finish(eb_pair *pair, const eb_dataset *ds)
{
    const double n[2] = {pair->end[0].norm, pair->end[1].norm};
    const bool f32 = eb_rung_is_float(&pair->rung) || pair->rung.step_a_point;
    if (pair->rung.number == EB_S8)
        multiply_levels(pair);
    else if (pair->rung.number == EB_F64_NUMBER)
        pair->dot = pair->taken = pair->all = sum_of_products(pair->end[0].row.y, pair->end[1].row.y, pair->d);
    else
        multiply_floats(pair);
    pair->q = f32 ? eb_q_of_f32((float)n[0], (float)n[1], (float)pair->dot) : eb_q_of_f64(n[0], n[1], pair->dot);
    pair->s = eb_at_least_0(pair->q) * pair->scale;
    pair->rounded2 = rounded_distance2(pair);
    pair->truth2 = eb_truth_distance2(ds, pair->end[0].point, pair->end[1].point);
    pair->near = pair->s <= eb_squared_threshold(pair->eps);
    pair->near_truth = pair->truth2 <= eb_squared_threshold(pair->eps);
}

/* ---- the whole pair ---- */

static eb_code find_frame(eb_pair *pair, const eb_dataset *ds, eb_status *status)
{
    pair->frame = (eb_frame){.d = pair->d, .rung = &pair->rung};
    if (eb_rung_prepares(&pair->rung) || pair->rung.number == EB_S8)
        EB_TRY(eb_frame_find(&pair->rung, ds, NULL, 1, NULL, &pair->frame, status));
    if (pair->rung.debiased)
        EB_TRY(eb_debias_factor(&pair->frame, ds, &pair->debias, status));
    pair->scale = eb_rounding_unit(&pair->frame);
    return EB_OK;
}

static eb_code allocate(eb_pair *pair, eb_status *status)
{
    const size_t length = pair->chain.length, blocks = length / (length ? pair->chain.adder.block : 1);
    pair->block = calloc(blocks + 1, sizeof *pair->block);
    for (size_t e = 0; e < 2; e++) {
        pair->end[e].operand = calloc(length + 1, sizeof(eb_operand));
        EB_TRY(eb_rounding_row_make(pair->d, &pair->end[e].row, status));
    }
    return pair->block && pair->end[0].operand && pair->end[1].operand
               ? EB_OK
               : eb_fail_memory(status, "a pair's blocks", blocks * sizeof *pair->block);
}

eb_code eb_pair_explain(const eb_rung *rung, const char *engine, const eb_dataset *ds, size_t i, size_t j, double eps,
                        eb_pair *out, eb_status *status)
{
    *out = (eb_pair){.d = ds->d, .eps = eps, .rung = *rung, .end = {{.point = i}, {.point = j}}};
    if (eb_scaling_of(ds, ds).exponent != 0)
        return eb_fail(status, EB_BAD_VALUE,
                       "squares of these points exceed FP64's range, so engines scale the points; pairs of scaled "
                       "points cannot be explained");
    if (eb_rung_is_float(rung))
        out->chain = eb_chain_of(&rung->adder, rung->promote, rung->parts, ds->d);
    EB_TRY(find_frame(out, ds, status));
    EB_TRY(allocate(out, status));
    for (unsigned e = 0; e < 2; e++)
        EB_TRY(take_end(out, engine, ds, e, status));
    finish(out, ds);
    return EB_OK;
}

void eb_pair_free(eb_pair *pair)
{
    eb_frame_free(&pair->frame);
    free(pair->block);
    for (size_t e = 0; e < 2; e++) {
        free(pair->end[e].operand);
        free(pair->end[e].row.y);
    }
    *pair = (eb_pair){.d = 0};
}

eb_pair_parts eb_pair_parts_of(const eb_pair *pair)
{
    const bool steps = pair->rung.number == EB_S8 && !pair->rung.step_a_point;
    const double norms = pair->end[0].norm + pair->end[1].norm, step = steps ? pair->end[0].row.step : 1;
    const double added = pair->end[0].row.point.debias + pair->end[1].row.point.debias;
    const double debias = step > 0 ? added / (step * step) : 0;
    const double parts = norms - (pair->end[0].exact + pair->end[1].exact) - debias;
    return (eb_pair_parts){.points = pair->rounded2 - pair->truth2,
                           .debias = debias * pair->scale,
                           .norms = parts * pair->scale,
                           .left_out = 2 * (pair->all - pair->taken) * pair->scale,
                           .products = 2 * (pair->taken - pair->dot) * pair->scale,
                           .subtraction = pair->s - (norms - 2 * pair->dot) * pair->scale,
                           .whole = pair->s - pair->truth2};
}
