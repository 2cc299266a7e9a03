#include "core/data/numbers_held.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"

#define BLOCK_ROWS 256u
#define PIECE 512u /* values converted at a time, few enough for the cache */

enum { FRACTION = 52, LOWEST = -1074 /* exponent of FP64's least number */, WIDEST = 11 /* digits below FP64's */ };
enum { WIDEST_STEPS = 21 }; /* digits of the greatest number of steps */

/* What the types are asked of the values so far. A value other than 0 is odd · 2^low, odd < 2^width. */
typedef struct reach {
    unsigned width;  /* greatest; 0: all values are 0 */
    int low;         /* least */
    uint64_t odd;    /* greatest common divisor; 0: all values are 0 */
    double greatest; /* largest |x| */
} reach;

static const reach nothing = {.low = INT32_MAX};

typedef struct pass {
    const eb_dataset *ds;
    unsigned widest;       /* digits; wider values without a common divisor rule everything out */
    reach *of;             /* [threads] */
    atomic_bool ruled_out; /* only FP64 holds the values, no step is common to them */
} pass;

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void look_at(reach *r, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= INT64_MAX;
    if (bits == 0)
        return;
    const unsigned field = (unsigned)(bits >> FRACTION);
    const uint64_t hidden = (uint64_t)1 << FRACTION, significand = (bits & (hidden - 1)) | (field ? hidden : 0);
    const int zeros = __builtin_ctzll(significand), low = LOWEST + (field ? (int)field - 1 : 0) + zeros;
    const unsigned width = 64u - (unsigned)__builtin_clzll(significand) - (unsigned)zeros;
    const double magnitude = fabs(value);
    r->width = width > r->width ? width : r->width;
    r->low = low < r->low ? low : r->low;
    r->greatest = magnitude > r->greatest ? magnitude : r->greatest;
    if (r->odd != 1)
        r->odd = common_divisor(significand >> zeros, r->odd);
}

static eb_code look_at_block(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    pass *p = context;
    reach r = p->of[thread]; /* a copy, because threads' reaches share cache lines */
    const eb_dataset *ds = p->ds;
    const size_t begin = (size_t)task * BLOCK_ROWS, size = eb_dtype_size(ds->dtype);
    const size_t end = ds->n - begin < BLOCK_ROWS ? ds->n : begin + BLOCK_ROWS;
    double x[PIECE];
    for (size_t i = begin; i < end && !atomic_load_explicit(&p->ruled_out, memory_order_relaxed); i++)
        for (size_t k = 0; k < ds->d; k += PIECE) {
            const size_t count = ds->d - k < PIECE ? ds->d - k : PIECE;
            eb_to_f64(ds->dtype, eb_row(ds, i) + k * size, count, x);
            for (size_t j = 0; j < count; j++)
                look_at(&r, x[j]);
            if (r.width > p->widest && r.odd == 1)
                atomic_store_explicit(&p->ruled_out, true, memory_order_relaxed);
        }
    p->of[thread] = r;
    return EB_OK;
}

static void join(reach *all, const reach *r)
{
    all->width = r->width > all->width ? r->width : all->width;
    all->low = r->low < all->low ? r->low : all->low;
    all->odd = common_divisor(all->odd, r->odd);
    all->greatest = fmax(all->greatest, r->greatest);
}

/* The greatest power p with greatest · 2^p ≤ most; greatest > 0. */
static int highest_power(double greatest, double most)
{
    int of_greatest, of_most;
    const double half = frexp(greatest, &of_greatest), half_most = frexp(most, &of_most);
    return of_most - of_greatest - (half > half_most ? 1 : 0);
}

/* Floating-point types: a number has at most `digits` bits, no bit below the least number's, and is at most the
 * greatest. */
static eb_held held_by(const eb_number_type *type, const reach *r)
{
    const int least = type->least_exponent + 1 - (int)type->digits - r->low,
              most = highest_power(r->greatest, type->greatest);
    const bool fits = r->width <= type->digits && least <= most;
    const int exponent = least > 0 ? least : most < 0 ? most : 0;
    return (eb_held){fits && exponent == 0, fits, fits ? exponent : 0, 1};
}

static eb_held held_by_levels(const eb_number_type *type, const reach *r)
{
    const double step = ldexp((double)r->odd, r->low); /* exact: odd divides a significand */
    const bool fits = r->greatest / step <= type->greatest;
    return (eb_held){r->low >= 0 && r->greatest <= type->greatest, fits, 0, fits ? step : 1};
}

static eb_held held(eb_number number, const reach *r, bool ruled_out)
{
    const eb_number_type *type = eb_number_type_of(number);
    if (r->odd == 0 || number == EB_F64_NUMBER)
        return (eb_held){true, true, 0, 1};
    if (ruled_out)
        return (eb_held){false, false, 0, 1};
    return number == EB_S8 ? held_by_levels(type, r) : held_by(type, r);
}

/* Joins the values' reach to *out. */
static eb_code look_at_all(pass *p, unsigned threads, eb_job *job, reach *out, eb_status *status)
{
    p->of = malloc(threads * sizeof *p->of);
    if (!p->of)
        return eb_fail_memory(status, "the bits of the values", threads * sizeof *p->of);
    for (unsigned t = 0; t < threads; t++)
        p->of[t] = nothing;
    const uint64_t blocks = (p->ds->n + BLOCK_ROWS - 1) / BLOCK_ROWS;
    const eb_code failed = eb_parallel(threads, blocks, look_at_block, p, job, status);
    for (unsigned t = 0; t < threads; t++)
        join(out, &p->of[t]);
    free(p->of);
    return failed;
}

eb_code eb_numbers_held(const eb_dataset *ds, unsigned threads, eb_job *job, eb_held out[EB_NUMBERS], eb_status *status)
{
    pass p = {.ds = ds, .widest = WIDEST};
    reach all = nothing;
    eb_job_phase(job, "looking at the bits of the values", (ds->n + BLOCK_ROWS - 1) / BLOCK_ROWS);
    const eb_code failed = look_at_all(&p, threads, job, &all, status);
    for (int k = 0; k < EB_NUMBERS; k++)
        out[k] = held((eb_number)k, &all, atomic_load(&p.ruled_out));
    return failed;
}

eb_code eb_numbers_step(const eb_dataset *const *sets, size_t count, unsigned levels, unsigned threads, eb_job *job,
                        double *out, eb_status *status)
{
    pass p = {.widest = WIDEST_STEPS};
    reach all = nothing;
    for (size_t k = 0; k < count; k++) {
        p.ds = sets[k];
        EB_TRY(look_at_all(&p, threads, job, &all, status));
    }
    const double step = all.odd == 0 ? 1 : ldexp((double)all.odd, all.low);
    *out = atomic_load(&p.ruled_out) || all.greatest / step > levels ? 0 : step;
    return EB_OK;
}
