#include "kernels/integers/bytes.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "kernels/parts/byte_levels.h"

#define ROWS_A_TASK 256u

/* Values converted to FP64 at a time. */
enum { AT_ONCE = 256 };

/* A pass over the values of one set. Each thread keeps its own range. */
typedef struct look {
    const eb_dataset *ds;
    double *low, *high;        /* [threads] */
    _Atomic uint64_t fraction; /* index of the first value that is not an integer, or `none` */
} look;

static const uint64_t none = UINT64_MAX;

/* Numbers beyond 2^52 are integers, but are not accepted. */
static bool is_integer(double x) { return fabs(x) <= 0x1p52 && rint(x) == x; }

/* The column of the row's first value that is not an integer; d if all are. */
static size_t look_at_row(const eb_dataset *ds, size_t row, double *low, double *high)
{
    double x[AT_ONCE];
    for (size_t first = 0; first < ds->d; first += AT_ONCE) {
        const size_t count = ds->d - first < AT_ONCE ? ds->d - first : AT_ONCE;
        eb_to_f64(ds->dtype, eb_row(ds, row) + first * eb_dtype_size(ds->dtype), count, x);
        bool integers = true;
        for (size_t k = 0; k < count; k++) {
            *low = x[k] < *low ? x[k] : *low;
            *high = x[k] > *high ? x[k] : *high;
            integers &= is_integer(x[k]);
        }
        for (size_t k = 0; !integers && k < count; k++)
            if (!is_integer(x[k]))
                return first + k;
    }
    return ds->d;
}

static void keep_least(_Atomic uint64_t *least, uint64_t value)
{
    uint64_t before = atomic_load(least);
    while (value < before && !atomic_compare_exchange_weak(least, &before, value))
        ;
}

static eb_code look_at_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    look *l = context;
    const size_t first = (size_t)task * ROWS_A_TASK;
    const size_t end = l->ds->n - first < ROWS_A_TASK ? l->ds->n : first + ROWS_A_TASK;
    for (size_t i = first; i < end && atomic_load_explicit(&l->fraction, memory_order_relaxed) > i * l->ds->d; i++) {
        const size_t k = look_at_row(l->ds, i, l->low + thread, l->high + thread);
        if (k < l->ds->d)
            keep_least(&l->fraction, (uint64_t)i * l->ds->d + k);
    }
    return EB_OK;
}

static eb_code fail_fraction(const eb_dataset *ds, uint64_t at, eb_status *status)
{
    double x = 0;
    const size_t row = at / ds->d, column = at % ds->d;
    eb_to_f64(ds->dtype, eb_row(ds, row) + column * eb_dtype_size(ds->dtype), 1, &x);
    return eb_fail(status, EB_NO_ENGINE, "integers: row %zu, column %zu is %.17g; all values must be integers", row,
                   column, x);
}

/* Widens *low … *high to hold the values of one set. */
static eb_code find_range(const eb_dataset *ds, unsigned threads, eb_job *job, double *low, double *high,
                          eb_status *status)
{
    double *const ends = malloc(2 * threads * sizeof *ends);
    if (!ends)
        return eb_fail_memory(status, "the range of the values", 2 * threads * sizeof *ends);
    look l = {.ds = ds, .low = ends, .high = ends + threads, .fraction = none};
    for (unsigned t = 0; t < threads; t++) {
        l.low[t] = INFINITY;
        l.high[t] = -INFINITY;
    }
    const uint64_t tasks = (ds->n + ROWS_A_TASK - 1) / ROWS_A_TASK;
    eb_code failed = eb_parallel(threads, tasks, look_at_rows, &l, job, status);
    for (unsigned t = 0; t < threads; t++) {
        *low = fmin(*low, l.low[t]);
        *high = fmax(*high, l.high[t]);
    }
    free(ends);
    if (!failed && atomic_load(&l.fraction) != none)
        failed = fail_fraction(ds, atomic_load(&l.fraction), status);
    return failed;
}

eb_code eb_bytes_suit(const eb_problem *problem, const eb_context *context, eb_status *status)
{
    (void)context;
    const eb_dataset *ds = problem->left;
    double low = INFINITY, high = -INFINITY;
    if (ds->d > EB_BYTES_MOST_D)
        return eb_fail(status, EB_NO_ENGINE,
                       "integers: %zu dimensions; a squared distance fits 31 bits up to %u of them", ds->d,
                       EB_BYTES_MOST_D);
    if (ds->dtype == EB_U8 || ds->dtype == EB_I8)
        return EB_OK;
    const size_t column = look_at_row(ds, 0, &low, &high);
    return column < ds->d ? fail_fraction(ds, column, status) : EB_OK;
}

eb_code eb_byte_form_find(const eb_problem *problem, unsigned threads, eb_job *job, eb_byte_form *out,
                          eb_status *status)
{
    double low = INFINITY, high = -INFINITY;
    EB_TRY(eb_bytes_suit(problem, NULL, status));
    *out = (eb_byte_form){.is_signed = problem->left->dtype == EB_I8};
    if (problem->left->dtype == EB_U8 || problem->left->dtype == EB_I8)
        return EB_OK;
    EB_TRY(find_range(problem->left, threads, job, &low, &high, status));
    if (!eb_is_self_join(problem))
        EB_TRY(find_range(problem->right, threads, job, &low, &high, status));
    if (high - low > 255)
        return eb_fail(status, EB_NO_ENGINE,
                       "integers: values from %.17g to %.17g; they fit 8 bits where they span at most 255", low, high);
    out->is_signed = low < 0 && low >= -128 && high <= 127;
    out->shift = out->is_signed || (low >= 0 && high <= 255) ? 0 : (int64_t)low;
    return EB_OK;
}
