/* LAPACK's SVD is not used: the system chooses the BLAS below it, and with OpenBLAS the bits of dgesdd depend on the
 * number of threads (measured with 1 to 4). */
#include "core/data/projection.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/random.h"

enum {
    AXES = 2,
    WIDTH = 8, /* vectors in the iteration; more than AXES make the first two converge sooner */
    MOST_ROUNDS = 40,
    ROWS = 64, /* rows a task */
    COLUMNS = 64,
};

#define SAMPLE_VALUES ((size_t)1 << 23) /* 64 MiB */
#define TOLERANCE 1e-5                  /* of ‖XᵀXv − λv‖, relative to the first λ */

typedef struct iteration {
    const eb_dataset *ds;
    size_t m, d, width; /* width ≤ WIDTH vectors */
    double *sample;     /* X: m × d, centred and scaled to at most about 1 */
    double scale;       /* sample · scale: the differences from the mean */
    double *vector;     /* V: d × WIDTH, orthonormal columns; columns beyond the sample's rank are 0 */
    double *image;      /* U = X·V: m × WIDTH */
    double *next;       /* Xᵀ·U: d × WIDTH */
    double ritz[WIDTH]; /* λ, descending */
    unsigned threads;
} iteration;

/* ---- the sample ---- */

static size_t sample_size(const eb_dataset *ds, size_t points)
{
    size_t room = SAMPLE_VALUES / ds->d; /* ≥ 128 */
    size_t most = points > 0 && points < EB_PROJECTION_POINTS ? points : EB_PROJECTION_POINTS;
    most = room < most ? room : most;
    return ds->n < most ? ds->n : most;
}

static double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(values[k]));
    return most;
}

static void divide(double *values, size_t count, double by)
{
    for (size_t k = 0; k < count; k++)
        values[k] /= by;
}

/* Subtracts row 0 from all rows, then the mean, so that constant columns become exactly 0. */
static void centre(iteration *it)
{
    size_t m = it->m, d = it->d;
    double *mean = it->next; /* [d], not yet in use */
    for (size_t k = 0; k < d; k++)
        mean[k] = 0;
    for (size_t i = m; i-- > 0;)
        for (size_t k = 0; k < d; k++) {
            it->sample[i * d + k] -= it->sample[k];
            mean[k] += it->sample[i * d + k] / (double)m;
        }
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < d; k++)
            it->sample[i * d + k] -= mean[k];
}

static void take_sample(iteration *it)
{
    const eb_dataset *ds = it->ds;
    size_t values = it->m * it->d;
    for (size_t i = 0; i < it->m; i++)
        eb_to_f64(ds->dtype, eb_row(ds, (size_t)((uint64_t)i * ds->n / it->m)), it->d, it->sample + i * it->d);
    double first = largest(it->sample, values);
    if (first > 0)
        divide(it->sample, values, first);
    centre(it);
    double second = largest(it->sample, values);
    if (second > 0)
        divide(it->sample, values, second);
    it->scale = first * second; /* second ≤ 2 */
}

/* ---- the iteration ---- */

/* Rows computed together, so that an element of the matrix is loaded once for all of them. */
enum { TOGETHER = 4 };

/* Computes rows of U = X·V. Rows beyond the last repeat the last one. */
static eb_code image_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread, (void)status;
    iteration *it = context;
    size_t end = (size_t)(task + 1) * ROWS < it->m ? (size_t)(task + 1) * ROWS : it->m;
    for (size_t i = (size_t)task * ROWS; i < end; i += TOGETHER) {
        double sum[TOGETHER][WIDTH] = {{0}};
        const double *row[TOGETHER];
        for (size_t r = 0; r < TOGETHER; r++)
            row[r] = it->sample + (i + r < end ? i + r : end - 1) * it->d;
        for (size_t k = 0; k < it->d; k++)
            for (size_t r = 0; r < TOGETHER; r++)
                for (size_t w = 0; w < WIDTH; w++)
                    sum[r][w] += row[r][k] * it->vector[k * WIDTH + w];
        for (size_t r = 0; r < TOGETHER && i + r < end; r++)
            memcpy(it->image + (i + r) * WIDTH, sum[r], sizeof sum[r]);
    }
    return EB_OK;
}

/* Adds the contribution of rows [i, end) to four rows of Xᵀ·U. */
static void add_columns(const iteration *it, size_t i, size_t end, const size_t column[TOGETHER],
                        double sum[TOGETHER][WIDTH])
{
    for (; i < end; i++)
        for (size_t c = 0; c < TOGETHER; c++)
            for (size_t w = 0; w < WIDTH; w++)
                sum[c][w] += it->sample[i * it->d + column[c]] * it->image[i * WIDTH + w];
}

/* Computes rows of Xᵀ·U from a block of X's columns, ROWS rows at a time, which fit the cache. Columns beyond the last
 * repeat the last one. */
static eb_code next_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread, (void)status;
    iteration *it = context;
    size_t begin = (size_t)task * COLUMNS, count = it->d - begin < COLUMNS ? it->d - begin : COLUMNS;
    double sum[COLUMNS / TOGETHER][TOGETHER][WIDTH] = {{{0}}};
    for (size_t i = 0; i < it->m; i += ROWS)
        for (size_t k = 0; k < count; k += TOGETHER) {
            size_t column[TOGETHER];
            for (size_t c = 0; c < TOGETHER; c++)
                column[c] = begin + (k + c < count ? k + c : count - 1);
            add_columns(it, i, it->m - i < ROWS ? it->m : i + ROWS, column, sum[k / TOGETHER]);
        }
    for (size_t k = 0; k < count; k++)
        memcpy(it->next + (begin + k) * WIDTH, sum[k / TOGETHER][k % TOGETHER], sizeof sum[0][0]);
    return EB_OK;
}

static double dot(const double *a, const double *b, size_t rows) /* dot product of two columns */
{
    double sum = 0;
    for (size_t k = 0; k < rows; k++)
        sum += a[k * WIDTH] * b[k * WIDTH];
    return sum;
}

typedef struct square {
    double at[WIDTH][WIDTH];
} square;

/* matrix ← matrix · by, row by row. */
static void multiply(double *matrix, size_t rows, const square *by)
{
    for (size_t k = 0; k < rows; k++) {
        double product[WIDTH] = {0}, *row = matrix + k * WIDTH;
        for (size_t p = 0; p < WIDTH; p++)
            for (size_t w = 0; w < WIDTH; w++)
                product[w] += row[p] * by->at[p][w];
        memcpy(row, product, sizeof product);
    }
}

static square gram_of(const double *matrix, size_t rows)
{
    square gram = {{{0}}};
    for (size_t k = 0; k < rows; k++)
        for (size_t p = 0; p < WIDTH; p++)
            for (size_t w = 0; w < WIDTH; w++)
                gram.at[p][w] += matrix[k * WIDTH + p] * matrix[k * WIDTH + w];
    return gram;
}

/* byₐᵀ · gram · by_b: the dot product of the vectors whose coefficients are columns a and b of `by`. */
static double product_of(const square *gram, const square *by, size_t a, size_t b)
{
    double sum = 0;
    for (size_t p = 0; p < WIDTH; p++)
        for (size_t q = 0; q < WIDTH; q++)
            sum += by->at[p][a] * gram->at[p][q] * by->at[q][b];
    return sum;
}

/* Gram–Schmidt on the Gram matrix, followed by one pass over the vectors. Both are done twice, since the Gram matrix
 * loses half the digits. A vector that depends linearly on the others becomes 0. */
static void orthonormalise(double *vector, size_t rows)
{
    for (int time = 0; time < 2; time++) {
        square gram = gram_of(vector, rows), by = {{{0}}};
        for (size_t w = 0; w < WIDTH; w++) {
            by.at[w][w] = 1;
            for (size_t p = 0; p < w; p++) {
                double along = product_of(&gram, &by, p, w);
                for (size_t k = 0; k < WIDTH; k++)
                    by.at[k][w] -= along * by.at[k][p];
            }
            double length2 = product_of(&gram, &by, w, w);
            bool gone = !(length2 > 1e-12 * gram.at[w][w]) || length2 < 1e-280;
            for (size_t k = 0; k < WIDTH; k++)
                by.at[k][w] = gone ? 0 : by.at[k][w] / sqrt(length2);
        }
        multiply(vector, rows, &by);
    }
}

/* Rotates columns p and q of a matrix by the angle with cosine c and sine s. */
static void turn(double *matrix, size_t rows, size_t p, size_t q, double c, double s)
{
    for (size_t k = 0; k < rows; k++) {
        double a = matrix[k * WIDTH + p], b = matrix[k * WIDTH + q];
        matrix[k * WIDTH + p] = c * a - s * b;
        matrix[k * WIDTH + q] = s * a + c * b;
    }
}

static void swap_columns(double *matrix, size_t rows, size_t p, size_t q)
{
    for (size_t k = 0; k < rows; k++) {
        double a = matrix[k * WIDTH + p];
        matrix[k * WIDTH + p] = matrix[k * WIDTH + q];
        matrix[k * WIDTH + q] = a;
    }
}

/* One sweep of one-sided Jacobi: rotates the columns of U towards orthogonality, and `by` alike. True: all columns were
 * orthogonal already. */
static bool turn_columns(iteration *it, square *by)
{
    bool done = true;
    for (size_t p = 0; p < it->width; p++)
        for (size_t q = p + 1; q < it->width; q++) {
            double a = dot(it->image + p, it->image + p, it->m), b = dot(it->image + q, it->image + q, it->m);
            double c = dot(it->image + p, it->image + q, it->m);
            if (!(fabs(c) > 1e-13 * sqrt(a * b)))
                continue;
            double zeta = (b - a) / (2 * c);
            double t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta)), cosine = 1 / hypot(1, t);
            turn(it->image, it->m, p, q, cosine, cosine * t);
            turn(by->at[0], WIDTH, p, q, cosine, cosine * t);
            done = false;
        }
    return done;
}

static void sort_columns(iteration *it, square *by)
{
    for (size_t w = 0; w < it->width; w++)
        it->ritz[w] = dot(it->image + w, it->image + w, it->m);
    for (size_t p = 0; p < it->width; p++)
        for (size_t q = p + 1; q < it->width; q++)
            if (it->ritz[q] > it->ritz[p]) {
                double smaller = it->ritz[p];
                it->ritz[p] = it->ritz[q];
                it->ritz[q] = smaller;
                swap_columns(it->image, it->m, p, q);
                swap_columns(by->at[0], WIDTH, p, q);
            }
}

/* Rayleigh–Ritz: replaces V by vectors of the same span whose images are orthogonal. The images' squared lengths are λ.
 */
static void rotate(iteration *it)
{
    square by = {{{0}}};
    for (size_t w = 0; w < WIDTH; w++)
        by.at[w][w] = 1;
    for (int sweep = 0; sweep < 30 && !turn_columns(it, &by); sweep++)
        continue;
    sort_columns(it, &by);
    multiply(it->vector, it->d, &by);
}

/* ‖XᵀXv − λv‖ of axis w; `next` must be computed. */
static double residual(const iteration *it, size_t w)
{
    double sum = 0;
    for (size_t k = 0; k < it->d; k++) {
        double left = it->next[k * WIDTH + w] - it->ritz[w] * it->vector[k * WIDTH + w];
        sum += left * left;
    }
    return sqrt(sum);
}

static bool is_settled(const iteration *it)
{
    for (size_t w = 0; w < AXES && w < it->width; w++)
        if (!(residual(it, w) <= TOLERANCE * it->ritz[0]))
            return false;
    return true;
}

static void begin(iteration *it)
{
    uint64_t seed = 0;
    for (size_t k = 0; k < it->d; k++)
        for (size_t w = 0; w < WIDTH; w++)
            it->vector[k * WIDTH + w] = w < it->width ? (double)(eb_random(&seed) >> 11) * 0x1p-52 - 1 : 0;
    orthonormalise(it->vector, it->d);
}

static eb_code iterate(iteration *it, eb_projection *out, eb_job *job, eb_status *status)
{
    eb_job_phase(job, "principal axes", MOST_ROUNDS);
    for (begin(it); !out->settled && out->rounds < MOST_ROUNDS; out->rounds++) {
        if (out->rounds > 0) {
            double *old = it->vector;
            it->vector = it->next;
            it->next = old;
            orthonormalise(it->vector, it->d);
        }
        EB_TRY(eb_parallel(it->threads, (it->m + ROWS - 1) / ROWS, image_rows, it, job, status));
        rotate(it);
        EB_TRY(eb_parallel(it->threads, (it->d + COLUMNS - 1) / COLUMNS, next_rows, it, job, status));
        out->settled = is_settled(it);
        eb_job_advance(job, 1);
    }
    return EB_OK;
}

/* ---- the result ---- */

/* The sign of an axis is arbitrary, so its largest component is made positive. */
static double sign_of(const iteration *it, size_t w)
{
    double most = 0;
    for (size_t k = 0; k < it->d; k++)
        if (fabs(it->vector[k * WIDTH + w]) > fabs(most))
            most = it->vector[k * WIDTH + w];
    return most < 0 ? -1 : 1;
}

static void finish(const iteration *it, eb_projection *out)
{
    double total = 0;
    for (size_t k = 0; k < it->m * it->d; k++)
        total += it->sample[k] * it->sample[k];
    for (size_t w = 0; w < AXES; w++) {
        double sign = sign_of(it, w), *to = w == 0 ? out->x : out->y;
        for (size_t i = 0; i < it->m; i++)
            to[i] = fmin(fmax(sign * it->image[i * WIDTH + w] * it->scale, -DBL_MAX), DBL_MAX) + 0.0; /* not -0 */
        out->share[w] = total > 0 ? fmin(it->ritz[w] / total, 1) : NAN;
    }
}

void eb_projection_free(eb_projection *projection)
{
    free(projection->x);
    free(projection->y);
    *projection = (eb_projection){.points = 0};
}

eb_code eb_project(const eb_dataset *ds, size_t points, unsigned threads, eb_job *job, eb_projection *out,
                   eb_status *status)
{
    size_t m = sample_size(ds, points), d = ds->d;
    iteration it = {.ds = ds, .m = m, .d = d, .width = d < WIDTH ? d : WIDTH, .threads = threads};
    *out = (eb_projection){.points = m, .x = calloc(m, sizeof(double)), .y = calloc(m, sizeof(double))};
    it.sample = calloc(m * d, sizeof *it.sample);
    it.vector = calloc(d * WIDTH, sizeof *it.vector);
    it.next = calloc(d * WIDTH, sizeof *it.next);
    it.image = calloc(m * WIDTH, sizeof *it.image);
    eb_code failed = EB_OK;
    if (out->x && out->y && it.sample && it.vector && it.next && it.image) {
        take_sample(&it);
        failed = iterate(&it, out, job, status);
    } else {
        failed = eb_fail_memory(status, "the sample to project", m * d * sizeof *it.sample);
    }
    if (failed)
        eb_projection_free(out);
    else
        finish(&it, out);
    free(it.sample);
    free(it.vector);
    free(it.next);
    free(it.image);
    return failed;
}
