#include "kernels/tensor/cpu/round.h"

#include <stdlib.h>
#include <string.h>

eb_code eb_rounding_row_make(size_t d, eb_rounding_row *out, eb_status *status)
{
    *out = (eb_rounding_row){.y = malloc((1 + EB_MOST_PARTS) * d * sizeof *out->y)};
    if (!out->y)
        return eb_fail_memory(status, "a rounded point", (1 + EB_MOST_PARTS) * d * sizeof *out->y);
    for (unsigned p = 0; p < EB_MOST_PARTS; p++)
        out->part[p] = out->y + (1 + p) * d;
    return EB_OK;
}

double eb_rounded_at(const eb_rung *rung, const eb_rounding_row *row, size_t k)
{
    double sum = 0;
    if (rung->number == EB_S8 && rung->parts == 2)
        return (EB_SLICE * row->part[0][k] + row->part[1][k]) * row->step;
    for (unsigned p = rung->parts; p-- > 0;)
        sum += row->part[p][k];
    return sum * row->step;
}

/* ---- the types ---- */

static double greatest_of(const double *y, size_t d)
{
    double greatest = 0;
    for (size_t k = 0; k < d; k++)
        greatest = fabs(y[k]) > greatest ? fabs(y[k]) : greatest;
    return greatest;
}

double eb_greatest_level(const eb_rung *rung)
{
    return eb_number_type_of(EB_S8)->greatest * (rung->parts == 2 ? EB_SLICE : 1);
}

double eb_step_of(const eb_rung *rung, double greatest)
{
    const double step = greatest / eb_greatest_level(rung);
    return rung->step_a_point ? (double)nextafterf((float)step, INFINITY) : step;
}

double eb_rounding_unit(const eb_frame *frame)
{
    const bool one_step = frame->rung->number == EB_S8 && !frame->rung->step_a_point && frame->greatest > 0;
    const double step = one_step ? eb_step_of(frame->rung, frame->greatest) : 1;
    return ldexp(step * step, -2 * frame->power);
}

static void to_levels(const eb_rung *rung, eb_rounding_row *row, size_t d, double greatest)
{
    row->step = eb_step_of(rung, greatest);
    for (size_t k = 0; k < d; k++)
        row->part[0][k] = greatest > 0 ? row->y[k] / row->step : 0;
    if (rung->parts == 1) {
        row->beyond = eb_numbers_round(eb_number_type_of(EB_S8), row->part[0], d, row->part[0]);
        return;
    }
    for (size_t k = 0; k < d; k++) {
        const double level = nearbyint(row->part[0][k]), upper = nearbyint(level / EB_SLICE);
        row->part[0][k] = upper;
        row->part[1][k] = level - EB_SLICE * upper; /* −64 … 64 */
    }
}

/* Each part is the rest that the parts before leave, rounded. */
static void to_parts(const eb_rung *rung, eb_rounding_row *row, size_t d)
{
    row->step = 1;
    memcpy(row->part[0], row->y, d * sizeof *row->y);
    for (unsigned p = 0; p < rung->parts; p++) {
        const bool more = p + 1 < rung->parts;
        if (more)
            memcpy(row->part[p + 1], row->part[p], d * sizeof *row->y);
        row->beyond += eb_numbers_round(eb_number_type_of(rung->number), row->part[p], d, row->part[p]);
        for (size_t k = 0; more && k < d; k++)
            row->part[p + 1][k] -= row->part[p][k];
    }
}

/* ---- a point ---- */

/* measure for points of one part. */
static void measure_one(eb_rounding_row *row, size_t d)
{
    const double step = row->step, *y = row->y, *part = row->part[0];
    double moved2 = 0, square = 0;
    for (size_t k = 0; k < d; k++) {
        const double near = part[k] * step, off = y[k] - near;
        moved2 += off * off;
        square += near * near;
    }
    row->moved2 = moved2;
    row->point = (eb_rounded_point){.length = {sqrt(square) * (1 + 0x1p-30)}, .square = square};
}

static void measure(const eb_rung *rung, eb_rounding_row *row, size_t d)
{
    if (rung->parts == 1) {
        measure_one(row, d);
        return;
    }
    double square[EB_MOST_PARTS] = {0}, unit[EB_MOST_PARTS] = {row->step, row->step, row->step};
    if (rung->number == EB_S8 && rung->parts == 2)
        unit[0] *= EB_SLICE;
    row->moved2 = 0;
    row->point = (eb_rounded_point){.square = 0};
    for (size_t k = 0; k < d; k++) {
        const double near = eb_rounded_at(rung, row, k), off = row->y[k] - near;
        row->moved2 += off * off;
        row->point.square += near * near;
        for (unsigned p = 0; p < rung->parts; p++)
            square[p] += row->part[p][k] * unit[p] * (row->part[p][k] * unit[p]);
    }
    for (unsigned p = 0; p < rung->parts; p++)
        row->point.length[p] = sqrt(square[p]) * (1 + 0x1p-30);
}

void eb_round_row(const eb_frame *frame, eb_rounding_row *row)
{
    const eb_rung *rung = frame->rung;
    row->beyond = 0;
    if (rung->number == EB_S8)
        to_levels(rung, row, frame->d, rung->step_a_point ? greatest_of(row->y, frame->d) : frame->greatest);
    else
        to_parts(rung, row, frame->d);
    measure(rung, row, frame->d);
}

eb_code eb_round_refuse(const eb_frame *frame, const char *engine, const eb_dataset *points, size_t row,
                        const double *y, eb_status *status)
{
    const eb_number_type *type = eb_number_type_of(frame->rung->number);
    for (size_t k = 0; k < frame->d; k++)
        if (fabs(y[k]) > type->greatest)
            return eb_fail(status, EB_BAD_VALUE,
                           "row %zu, column %zu of %s: %.6g is beyond the greatest number of %s, %.6g; `set "
                           "%s.exponent=max` lets it scale the points",
                           row, k, points->source ? points->source : "the points", y[k], type->title, type->greatest,
                           engine);
    return EB_OK;
}
