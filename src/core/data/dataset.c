#include "core/data/dataset.h"

#include <float.h>
#include <math.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEALED_AT_ONCE ((size_t)1 << 20) /* bytes */
#define BESIDE_ROOT 4u                   /* bit patterns on either side of a rounded root */

eb_code eb_dataset_check_shape(const char *where, unsigned long long n, unsigned long long d, eb_dtype dtype,
                               eb_status *status)
{
    if (n == 0 || d == 0)
        return eb_fail(status, EB_BAD_FORMAT, "%s: no points: %llu rows of %llu dimensions", where, n, d);
    if (d > EB_MAX_DIMENSIONS)
        return eb_fail(status, EB_TOO_LARGE, "%s: %llu dimensions; at most %u are supported", where, d,
                       EB_MAX_DIMENSIONS);
    if (n > EB_MAX_POINTS)
        return eb_fail(status, EB_TOO_LARGE, "%s: %llu points; at most %u are supported", where, n, EB_MAX_POINTS);
    if (n > SIZE_MAX / (d * eb_dtype_size(dtype) + 8)) /* 8: the per-row headers of the vecs formats */
        return eb_fail(status, EB_TOO_LARGE, "%s: %llu × %llu %s values do not fit the address space", where, n, d,
                       eb_dtype_name(dtype));
    return EB_OK;
}

/* Fails with the first value of the row that is not finite. */
static eb_code fail_not_finite(const eb_dataset *ds, size_t row, eb_status *status)
{
    size_t size = eb_dtype_size(ds->dtype);
    for (size_t k = 0; k < ds->d; k++) {
        double x;
        eb_to_f64(ds->dtype, eb_row(ds, row) + k * size, 1, &x);
        if (!isfinite(x))
            return eb_fail(status, EB_BAD_VALUE, "%s: row %zu, column %zu is %s; expected a finite number", ds->source,
                           row, k,
                           isnan(x) ? "NaN"
                           : x > 0  ? "Inf"
                                    : "-Inf");
    }
    return EB_INTERNAL;
}

/* All exponent bits set means NaN or Inf; they are in the upper 16 bits of an element of `size` bytes. An OR over the
 * whole row keeps the scan at memory speed; only a row that fails is tested value by value. */
static inline bool are_finite(const unsigned char *row, size_t d, size_t size, unsigned exponent)
{
    unsigned bad = 0;
    for (size_t k = 0; k < d; k++) {
        uint16_t top;
        memcpy(&top, row + (k + 1) * size - sizeof top, sizeof top);
        bad |= (top & exponent) == exponent;
    }
    return !bad;
}

static bool row_is_finite(const eb_dataset *ds, size_t row)
{
    switch (ds->dtype) {
    case EB_F16: return are_finite(eb_row(ds, row), ds->d, 2, 0x7c00u);
    case EB_F32: return are_finite(eb_row(ds, row), ds->d, 4, 0x7f80u);
    case EB_F64: return are_finite(eb_row(ds, row), ds->d, 8, 0x7ff0u);
    default: return true;
    }
}

eb_code eb_dataset_check_finite(const eb_dataset *ds, eb_status *status)
{
    for (size_t i = 0; eb_dtype_is_float(ds->dtype) && i < ds->n; i++)
        if (!row_is_finite(ds, i))
            return fail_not_finite(ds, i, status);
    return EB_OK;
}

static void look_at_range(eb_dataset *ds, size_t row)
{
    const unsigned char *p = eb_row(ds, row);
    double greatest = ds->greatest, least = ds->least > 0 ? ds->least : DBL_MAX;
    for (size_t k = 0; k < ds->d; k++) {
        double x;
        memcpy(&x, p + k * sizeof x, sizeof x);
        x = fabs(x);
        greatest = x > greatest ? x : greatest;
        least = x > 0 && x < least ? x : least;
    }
    ds->greatest = greatest;
    ds->least = greatest > 0 ? least : 0;
}

/* Checks and hashes rows begin … end − 1. */
static eb_code seal_rows(eb_dataset *ds, struct sha256_ctx *sha, size_t begin, size_t end, eb_status *status)
{
    const size_t row_bytes = ds->d * eb_dtype_size(ds->dtype);
    for (size_t i = begin; i < end; i++) {
        if (eb_dtype_is_float(ds->dtype) && !row_is_finite(ds, i))
            return fail_not_finite(ds, i, status);
        if (ds->dtype == EB_F64)
            look_at_range(ds, i);
        if (ds->stride != row_bytes)
            sha256_update(sha, row_bytes, eb_row(ds, i));
    }
    if (ds->stride == row_bytes)
        sha256_update(sha, (end - begin) * row_bytes, eb_row(ds, begin));
    return EB_OK;
}

eb_code eb_dataset_seal_in(eb_dataset *ds, eb_job *job, eb_status *status)
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    char head[64];
    int length = snprintf(head, sizeof head, "%s %zu %zu\n", eb_dtype_name(ds->dtype), ds->n, ds->d);
    sha256_update(&sha, (size_t)length, (const uint8_t *)head);
    const size_t fit = SEALED_AT_ONCE / (ds->d * eb_dtype_size(ds->dtype)), most = fit < 1 ? 1 : fit;
    ds->greatest = ds->least = 0;
    eb_job_phase(job, "checking points", ds->n);
    for (size_t i = 0; i < ds->n; i += most) {
        const size_t end = ds->n - i < most ? ds->n : i + most;
        EB_TRY(eb_job_check(job, status));
        EB_TRY(seal_rows(ds, &sha, i, end, status));
        eb_dataset_passed(ds, i, end - i);
        eb_job_advance(job, end - i);
    }
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(&sha, sizeof digest, digest);
    for (size_t k = 0; k < sizeof digest; k++)
        (void)snprintf(ds->sha256 + 2 * k, 3, "%02x", digest[k]);
    return eb_job_check(job, status);
}

void eb_dataset_passed(const eb_dataset *ds, size_t first, size_t rows)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)eb_row(ds, first);
    const uintptr_t begin = (at + page - 1) / page * page, end = (at + rows * ds->stride) / page * page;
    const uintptr_t file = (uintptr_t)ds->mapped;
    if (ds->mapped && begin < end && begin >= file && end <= file + ds->mapped_bytes)
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED); /* they are read again from the file */
}

eb_code eb_dataset_check(const eb_dataset *ds, eb_status *status)
{
    return ds->check ? ds->check(ds->owner, status) : EB_OK;
}

void eb_dataset_free(eb_dataset *ds)
{
    if (!ds)
        return;
    if (ds->release)
        ds->release(ds->owner);
    eb_labels_free(ds->labels);
    free(ds->source);
    free(ds);
}

double eb_truth_distance2_between(const eb_dataset *left, size_t i, const eb_dataset *right, size_t j, int exponent)
{
    const double factor = ldexp(1, exponent);
    const unsigned char *p = eb_row(left, i), *q = eb_row(right, j);
    const size_t left_size = eb_dtype_size(left->dtype), right_size = eb_dtype_size(right->dtype);
    double s = 0;
    for (size_t k = 0; k < left->d; k++) {
        double x, y;
        eb_to_f64(left->dtype, p + k * left_size, 1, &x);
        eb_to_f64(right->dtype, q + k * right_size, 1, &y);
        double t = x * factor - y * factor;
        s = fma(t, t, s);
    }
    return s;
}

double eb_scaled_eps(double eps, int exponent)
{
    double scaled = exponent ? ldexp(eps, exponent) : eps;
    return exponent && scaled > DBL_MAX ? DBL_MAX : scaled;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Whether ε, given by its bits, includes pairs of squared distance s. */
static bool includes(uint64_t eps, double s, int exponent)
{
    return eb_squared_threshold(eb_scaled_eps(double_of(eps), exponent)) >= s;
}

/* fl(ε·ε) grows with ε, and non-negative doubles are ordered like their bit patterns, so the patterns are bisected:
 * first those beside the rounded root, where the answer nearly always is. (Stepping ulp by ulp from √s would take for
 * ever where ε·ε is subnormal and many ε have the same square.) */
double eb_smallest_eps_scaled(double s, int exponent)
{
    const uint64_t most = 0x7fefffffffffffffu; /* the largest finite double */
    const double root = fmin(ldexp(sqrt(s), -exponent), DBL_MAX);
    uint64_t near, low = 0, high = most;
    memcpy(&near, &root, sizeof near);
    const uint64_t below = near < BESIDE_ROOT ? 0 : near - BESIDE_ROOT,
                   above = most - near < BESIDE_ROOT ? most : near + BESIDE_ROOT;
    if (includes(above, s, exponent))
        high = above;
    if (below > 0 && !includes(below, s, exponent))
        low = below;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (includes(middle, s, exponent))
            high = middle;
        else
            low = middle + 1;
    }
    return double_of(low);
}
