#include "kernels/tensor/cpu/frame.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/data/numbers_held.h"

enum { BLOCK = 256 }; /* rows of a task */

/* Coordinates are scaled to at most this, so that sums of products stay far from FP32's range. */
#define MOST_SCALED 0x1p15
/* Products of two points stay below this if sums are FP16. */
#define MOST_HALF_SUM 0x1p15

/* ---- rotation: blocks of a power of two of coordinates, the largest first ---- */

double eb_frame_sign(size_t k)
{
    uint64_t z = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return (z ^ z >> 27) >> 63 ? -1 : 1;
}

/* Multiplies by a Hadamard matrix of `size`, a power of two. */
static void hadamard(double *y, size_t size)
{
    for (size_t half = 1; half < size; half *= 2)
        for (size_t first = 0; first < size; first += 2 * half)
            for (size_t k = first; k < first + half; k++) {
                const double a = y[k], b = y[k + half];
                y[k] = a + b;
                y[k + half] = a - b;
            }
    const double length = 1 / sqrt((double)size);
    for (size_t k = 0; k < size; k++)
        y[k] *= length;
}

static void change_signs(double *y, size_t d)
{
    for (size_t k = 0; k < d; k++)
        y[k] *= eb_frame_sign(k);
}

static void mix(double *y, size_t d) /* its own inverse */
{
    for (size_t begin = 0; begin < d;) {
        size_t size = 1;
        while (2 * size <= d - begin)
            size *= 2;
        hadamard(y + begin, size);
        begin += size;
    }
}

static void rotate(double *y, size_t d)
{
    change_signs(y, d);
    mix(y, d);
}

/* ---- one point ---- */

static void unscaled(const eb_frame *frame, const eb_dataset *points, size_t row, double *y)
{
    eb_to_f64(points->dtype, eb_row(points, row), frame->d, y);
    for (size_t k = 0; frame->centre && k < frame->d; k++)
        y[k] -= frame->centre[k];
    if (frame->rung->rotated)
        rotate(y, frame->d);
}

void eb_frame_apply(const eb_frame *frame, const eb_dataset *points, size_t row, double *y)
{
    unscaled(frame, points, row, y);
    const bool in_range = abs(frame->power) < 1000; /* then the power is a number, and the product as exact as ldexp */
    const double power = ldexp(1, in_range ? frame->power : 0);
    for (size_t k = 0; frame->power && k < frame->d; k++)
        y[k] = in_range ? y[k] * power : ldexp(y[k], frame->power);
}

void eb_frame_undo(const eb_frame *frame, double *y)
{
    for (size_t k = 0; frame->power && k < frame->d; k++)
        y[k] = ldexp(y[k], -frame->power);
    if (frame->rung->rotated) {
        mix(y, frame->d);
        change_signs(y, frame->d);
    }
    for (size_t k = 0; frame->centre && k < frame->d; k++)
        y[k] += frame->centre[k];
}

char *eb_frame_text(const eb_frame *frame, char buffer[EB_FRAME_TEXT])
{
    buffer[0] = '\0';
    if (frame->power != 0)
        (void)snprintf(buffer, EB_FRAME_TEXT, "; coordinates times 2^%d", frame->power);
    return buffer;
}

double eb_frame_error(const eb_frame *frame)
{
    const double steps = (frame->centre ? 1 : 0) + (frame->rung->rotated ? 2 * log2((double)frame->d + 1) + 4 : 0);
    return steps * 0x1p-52;
}

/* ---- the centre ---- */

typedef struct finding {
    eb_frame *frame;
    const eb_dataset *set[2];           /* left, right; of one set the second is NULL */
    double *greatest, *least, *longest; /* [blocks of rows] |y|: greatest, least above 0; the greatest ‖y‖ */
    size_t blocks;                      /* of the left set */
    double *rows;                       /* [threads × d] */
} finding;

/* The means of one block of dimensions, row after row: the same sum for any number of threads. */
static eb_code find_means(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const finding *f = context;
    double *row = f->rows + thread * f->frame->d;
    const size_t begin = (size_t)task * BLOCK, end = begin + BLOCK < f->frame->d ? begin + BLOCK : f->frame->d;
    const eb_dataset *set = f->set[1] ? f->set[1] : f->set[0];
    for (size_t i = 0; i < set->n; i++) {
        eb_to_f64(set->dtype, eb_row(set, i) + begin * eb_dtype_size(set->dtype), end - begin, row);
        for (size_t k = begin; k < end; k++)
            f->frame->centre[k] += row[k - begin];
    }
    for (size_t k = begin; k < end; k++)
        f->frame->centre[k] /= (double)set->n;
    return EB_OK;
}

/* ---- the power of two ---- */

static double length_of(const double *y, size_t d)
{
    double square = 0;
    for (size_t k = 0; k < d; k++)
        square += y[k] * y[k];
    return sqrt(square);
}

static eb_code find_sizes(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const finding *f = context;
    const eb_dataset *set = f->set[task >= f->blocks];
    double *y = f->rows + thread * f->frame->d, greatest = 0, least = INFINITY, longest = 0;
    const size_t begin = (size_t)(task >= f->blocks ? task - f->blocks : task) * BLOCK;
    for (size_t i = begin; i < begin + BLOCK && i < set->n; i++) {
        unscaled(f->frame, set, i, y);
        for (size_t k = 0; k < f->frame->d; k++) {
            const double size = fabs(y[k]);
            greatest = size > greatest ? size : greatest;
            least = size > 0 && size < least ? size : least;
        }
        if (f->frame->rung->adder.rounding == EB_SUM_F16) /* only these need it */
            longest = fmax(longest, length_of(y, f->frame->d));
    }
    f->greatest[task] = greatest;
    f->least[task] = least;
    f->longest[task] = longest;
    return EB_OK;
}

/* The greatest power of two that keeps coordinates within the type, and FP16 sums within FP16. */
static int most_power(const eb_rung *rung, double greatest, double longest)
{
    const double room = fmin(eb_number_type_of(rung->number)->greatest, MOST_SCALED);
    int power = greatest > 0 ? (int)floor(log2(room / greatest)) : 0;
    if (rung->adder.rounding == EB_SUM_F16 && longest > 0)
        power = (int)fmin(power, floor(0.5 * log2(MOST_HALF_SUM / (longest * longest))));
    return power;
}

/* True if the points lose something for want of a power: a coordinate overflows, or is below the normal numbers. */
static bool needs_power(const eb_rung *rung, double greatest, double least, double longest)
{
    const eb_number_type *type = eb_number_type_of(rung->number);
    const double normal = ldexp(1, type->least_exponent + (int)((rung->parts - 1) * type->digits));
    return greatest > type->greatest || least < normal ||
           (rung->adder.rounding == EB_SUM_F16 && longest * longest > MOST_HALF_SUM);
}

void eb_frame_scale(eb_frame *frame, double greatest, double least, double longest)
{
    const eb_rung *rung = frame->rung;
    if (rung->exponent == EB_EXPONENT_MAX ||
        (rung->exponent == EB_EXPONENT_AUTO && needs_power(rung, greatest, least, longest)))
        frame->power = most_power(rung, greatest, longest);
    frame->greatest = ldexp(greatest, frame->power);
    frame->least = ldexp(least, frame->power);
    frame->centre_length = frame->centre ? length_of(frame->centre, frame->d) : 0;
}

static void choose_power(finding *f, size_t tasks)
{
    double greatest = 0, least = INFINITY, longest = 0;
    for (size_t k = 0; k < tasks; k++) {
        greatest = fmax(greatest, f->greatest[k]);
        least = fmin(least, f->least[k]);
        longest = fmax(longest, f->longest[k]);
    }
    eb_frame_scale(f->frame, greatest, least, longest);
}

/* ---- the step ---- */

enum { LEVELS = 127 };

/* Points that are moved first have no such step; of two slices the lower ones' product would be lost. */
eb_code eb_frame_widen(eb_frame *frame, const eb_dataset *left, const eb_dataset *right, unsigned threads, eb_job *job,
                       eb_status *status)
{
    const eb_rung *rung = frame->rung;
    const eb_dataset *const sets[] = {left, right};
    double step = 0;
    if (rung->number == EB_S8 && !rung->step_a_point && rung->parts == 1 && !eb_rung_prepares(rung))
        EB_TRY(eb_numbers_step(sets, right ? 2 : 1, LEVELS, threads, job, &step, status));
    if (step > 0 && frame->greatest > 0)
        frame->greatest = step * LEVELS;
    return EB_OK;
}

/* ---- both ---- */

static eb_code find_all(finding *f, unsigned threads, eb_job *job, eb_status *status)
{
    eb_frame *frame = f->frame;
    if (frame->centre)
        EB_TRY(eb_parallel(threads, (frame->d + BLOCK - 1) / BLOCK, find_means, f, job, status));
    f->blocks = (f->set[0]->n + BLOCK - 1) / BLOCK;
    const size_t tasks = f->blocks + (f->set[1] ? (f->set[1]->n + BLOCK - 1) / BLOCK : 0);
    f->greatest = malloc(3 * tasks * sizeof *f->greatest);
    if (!f->greatest)
        return eb_fail_memory(status, "sizes of coordinates", 3 * tasks * sizeof *f->greatest);
    f->least = f->greatest + tasks;
    f->longest = f->least + tasks;
    EB_TRY(eb_parallel(threads, tasks, find_sizes, f, job, status));
    choose_power(f, tasks);
    return eb_frame_widen(frame, f->set[0], f->set[1], threads, job, status);
}

eb_code eb_frame_find(const eb_rung *rung, const eb_dataset *left, const eb_dataset *right, unsigned threads,
                      eb_job *job, eb_frame *out, eb_status *status)
{
    const size_t d = left->d;
    *out = (eb_frame){.d = d, .rung = rung, .centre = rung->centred ? calloc(d, sizeof *out->centre) : NULL};
    finding f = {.frame = out, .set = {left, right}, .rows = malloc(threads * d * sizeof *f.rows)};
    eb_code failed = EB_OK;
    if (!f.rows || (rung->centred && !out->centre))
        failed = eb_fail_memory(status, "rows of points", threads * d * sizeof *f.rows);
    if (!failed)
        failed = find_all(&f, threads, job, status);
    free(f.rows);
    free(f.greatest);
    if (failed)
        eb_frame_free(out);
    return failed;
}

void eb_frame_free(eb_frame *frame)
{
    free(frame->centre);
    frame->centre = NULL;
}
