/* products_simd: the tensor core's dot products, 16 pairs at a time, one vector lane per pair. Bit-identical to
 * eb_adder_dot (kernels/tensor/adder.h) for finite FP16.
 *
 * Why each step is exact: an FP16 product has 22 significant bits, so FP32 holds it. Scaling by 2^(F−η) is a power of
 * two within range (|exponents| ≤ 48). Conversion to int32 truncates toward zero, which is the hardware's alignment,
 * and |q| < 2^(F+2) ≤ 2^27, so that 16 of them stay below 2^31. The aligned c could exceed 32 bits, so it is added in
 * FP64. In a chain from 0, c is a multiple of 2^-48 and below 2^48: no subnormals, no overflow.
 *
 * If all points are multiples of one power of two (such as integers) and short enough, nothing is truncated: by Cauchy
 * and Schwarz every partial sum is below 2^24 of those units. Plain FP32 arithmetic then gives the same bits.
 */
#include "kernels/fasted/cpu/kernels.h"
#include "kernels/fasted/cpu/vector.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

#define PANEL EB_FASTED_PANEL
#define COLUMNS EB_FASTED_COLUMNS
#define VECTORS (PANEL / EB_LANES) /* per panel */
#define SLICE 64u /* dimensions at a time: the slices of four panels, 20 KB, fit the first-level cache */
/* Points at a time, limited by the number of registers. */
#define ROWS (EB_LANES == 16 ? 4u : EB_LANES == 8 ? 2u : 1u)

/* η is at least −48: the scale stays in range when all terms are zero, and no nonzero term is lower. */
#define LOWEST (2 * EB_FASTED_EXPONENT - 48)

/* A slice of one point: its values, and each exponent 16 times, to add to a panel's exponents. */
typedef struct slice {
    float values[SLICE];
    uint8_t exponents[SLICE * PANEL];
    float *products; /* the point's row of the tile */
} slice;

/* Converts FP16 to FP32: FP16's exponent bias is 112 below FP32's, and the product with 2^112 is exact, for subnormals,
 * too. */
static void take_values(const uint16_t *half, size_t count, slice *out)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t magnitude = (uint32_t)(half[k] & 0x7fffu) << 13, bits;
        float value;
        memcpy(&value, &magnitude, sizeof value);
        value *= 0x1p112f;
        memcpy(&bits, &value, sizeof bits);
        bits |= (uint32_t)(half[k] & 0x8000u) << 16;
        memcpy(out->values + k, &bits, sizeof bits);
    }
}

/* Computes the exponents by 16-bit arithmetic with masks, which compilers vectorise. */
static void take_exponents(const uint16_t *half, size_t count, slice *out)
{
    uint16_t coded[SLICE];
    for (size_t k = 0; k < count; k++) {
        uint16_t magnitude = half[k] & 0x7fffu, field = magnitude >> 10;
        uint16_t normal = (uint16_t) - (field > 0), nonzero = (uint16_t) - (magnitude > 0);
        coded[k] = (uint16_t)(((field & normal) | (1u & ~normal)) + EB_FASTED_EXPONENT - 15) & nonzero;
    }
    for (size_t k = 0; k < count; k++)
        memset(out->exponents + k * PANEL, coded[k], PANEL);
}

/* A slice of a panel. */
typedef struct panel {
    const float *values;
    const uint8_t *exponents;
} panel;

/* Finds η + 127 for each pair of a point and a panel: the largest exponent among the products and the sum so far. */
EB_INLINE void find_largest(const uint8_t *a, const uint8_t *b, size_t terms, const eb_floats *sum, eb_ints *field)
{
    eb_bytes most = eb_bytes_all(LOWEST);
    for (size_t k = 0; k < terms; k += EB_BYTE_ROWS)
        most = eb_bytes_larger_sum(most, a + k * PANEL, b + k * PANEL);
    uint8_t largest[PANEL];
    eb_bytes_fold(most, largest);
    for (unsigned v = 0; v < VECTORS; v++) {
        eb_ints coded = eb_ints_from_bytes(largest + v * EB_LANES);
        eb_ints of_products = eb_ints_subtract(coded, eb_ints_all(2 * EB_FASTED_EXPONENT - 127));
        field[v] = eb_ints_larger(of_products, eb_exponent_field(sum[v]));
    }
}

/* Adds one block, as adder.h defines it: `terms` ≤ K products from dimension k on (the others are zero) for
 * `rows` points. Works on several points at once, because a single chain mostly waits for its own previous step. */
EB_INLINE void add_block(const slice *a, unsigned rows, panel b, size_t k, size_t terms, int fraction, eb_floats *sum)
{
    eb_ints field[ROWS * VECTORS], q[ROWS * VECTORS];
    eb_floats scale[ROWS * VECTORS];
    for (unsigned r = 0; r < rows; r++)
        find_largest(a[r].exponents + k * PANEL, b.exponents + k * PANEL, terms, sum + r * VECTORS,
                     field + r * VECTORS);
    for (unsigned x = 0; x < rows * VECTORS; x++) {
        scale[x] = eb_power(eb_ints_subtract(eb_ints_all(127 + 127 + fraction), field[x])); /* 2^(F − η) */
        q[x] = eb_ints_all(0);
    }
    for (size_t end = k + terms; k < end; k++) {
        for (unsigned r = 0; r < rows; r++) {
            eb_floats of_a = eb_floats_all(a[r].values[k]);
            for (unsigned v = 0; v < VECTORS; v++) {
                unsigned x = r * VECTORS + v;
                eb_floats product = eb_multiply(of_a, eb_floats_load(b.values + k * PANEL + v * EB_LANES));
                q[x] = eb_ints_add(q[x], eb_truncate(eb_multiply(product, scale[x])));
            }
        }
    }
    for (unsigned x = 0; x < rows * VECTORS; x++) {
        eb_ints c = eb_truncate(eb_multiply(sum[x], scale[x]));
        eb_floats back = eb_power(eb_ints_subtract(field[x], eb_ints_all(fraction))); /* 2^(η − F) */
        sum[x] = eb_multiply(eb_round_sum(q[x], c), back);
    }
}

/* Adds a slice, block by block. Constant rows and block let the compiler unroll. */
EB_INLINE void add_blocks(const slice *a, unsigned rows, panel b, size_t column, size_t terms, unsigned block,
                          int fraction)
{
    eb_floats sum[ROWS * VECTORS];
    for (unsigned x = 0; x < rows * VECTORS; x++)
        sum[x] = eb_floats_load(a[x / VECTORS].products + column + x % VECTORS * EB_LANES);
    size_t k = 0;
    for (; k + block <= terms; k += block)
        add_block(a, rows, b, k, block, fraction, sum);
    if (k < terms)
        add_block(a, rows, b, k, terms - k, fraction, sum);
    for (unsigned x = 0; x < rows * VECTORS; x++)
        eb_floats_store(a[x / VECTORS].products + column + x % VECTORS * EB_LANES, sum[x]);
}

/* add_blocks for each length of blocks, for ROWS points and for one point. */
typedef void add_slices(const slice *a, panel b, size_t column, size_t terms, int fraction);
static void add_rows_8(const slice *a, panel b, size_t column, size_t terms, int fraction)
{
    add_blocks(a, ROWS, b, column, terms, 8, fraction);
}
static void add_row_8(const slice *a, panel b, size_t column, size_t terms, int fraction)
{
    add_blocks(a, 1, b, column, terms, 8, fraction);
}
static void add_rows_16(const slice *a, panel b, size_t column, size_t terms, int fraction)
{
    add_blocks(a, ROWS, b, column, terms, 16, fraction);
}
static void add_row_16(const slice *a, panel b, size_t column, size_t terms, int fraction)
{
    add_blocks(a, 1, b, column, terms, 16, fraction);
}

/* Adds a slice for some panels in plain FP32, where nothing rounds. */
EB_INLINE void add_plainly(const slice *a, const float *b, size_t panel_stride, unsigned panels, size_t terms,
                           float *products)
{
    eb_floats sum[COLUMNS / EB_LANES];
    for (unsigned v = 0; v < panels * VECTORS; v++)
        sum[v] = eb_floats_load(products + v * EB_LANES);
    for (size_t k = 0; k < terms; k++) {
        eb_floats of_a = eb_floats_all(a->values[k]);
        for (unsigned v = 0; v < panels * VECTORS; v++) {
            const float *of_b = b + v / VECTORS * panel_stride + k * PANEL + v % VECTORS * EB_LANES;
            sum[v] = eb_multiply_add(of_a, eb_floats_load(of_b), sum[v]);
        }
    }
    for (unsigned v = 0; v < panels * VECTORS; v++)
        eb_floats_store(products + v * EB_LANES, sum[v]);
}

/* ---- a tile: the slices of its columns stay in cache for all of its rows ---- */

typedef struct columns {
    const eb_fasted_points *points;
    size_t begin, panels;
    size_t k, terms; /* the slice's first dimension and length */
} columns;

static void run_plainly(const columns *t, const slice *a)
{
    size_t stride = t->points->d_padded * PANEL;
    const float *b = t->points->values + t->begin * t->points->d_padded + t->k * PANEL;
    if (t->panels == COLUMNS / PANEL) {
        add_plainly(a, b, stride, COLUMNS / PANEL, t->terms, a->products);
        return;
    }
    for (size_t x = 0; x < t->panels; x++)
        add_plainly(a, b + x * stride, stride, 1, t->terms, a->products + x * PANEL);
}

static void run_blocks(const columns *t, const slice *a, size_t rows)
{
    const bool long_blocks = t->points->adder.block == 16;
    const int fraction = (int)t->points->adder.fraction;
    add_slices *several = long_blocks ? add_rows_16 : add_rows_8, *single = long_blocks ? add_row_16 : add_row_8;
    for (size_t x = 0; x < t->panels; x++) {
        /* t->begin is a panel's number times 16 */
        size_t start = (t->begin + x * PANEL) * t->points->d_padded + t->k * PANEL;
        panel b = {t->points->values + start, t->points->exponents + start};
        if (rows == ROWS)
            several(a, b, x * PANEL, t->terms, fraction);
        else
            for (size_t r = 0; r < rows; r++)
                single(a + r, b, x * PANEL, t->terms, fraction);
    }
}

static double longest_norm(const eb_fasted_points *p, size_t j0, size_t nj)
{
    float longest = 0;
    for (size_t c = 0; c < nj; c++)
        longest = p->norms[j0 + c] > longest ? p->norms[j0 + c] : longest;
    return (double)longest;
}

/* Rows whose sums may round are processed in groups of ROWS. */
static void run_slice(const columns *t, size_t i0, size_t ni, double longest, float *products)
{
    const eb_fasted_points *p = t->points;
    size_t length = p->d_padded - t->k < SLICE ? p->d_padded - t->k : SLICE, waiting = 0;
    slice a[ROWS];
    for (size_t r = 0; r < ni; r++) {
        const uint16_t *half = p->half + (i0 + r) * p->d_padded + t->k;
        take_values(half, length, &a[waiting]);
        a[waiting].products = products + r * COLUMNS;
        if ((double)p->norms[i0 + r] * longest < p->exact_below) {
            run_plainly(t, &a[waiting]);
            continue;
        }
        take_exponents(half, length, &a[waiting]);
        if (++waiting < ROWS)
            continue;
        run_blocks(t, a, ROWS);
        waiting = 0;
    }
    run_blocks(t, a, waiting);
}

void JOIN(eb_fasted_products, EB_ISA)(const eb_fasted_points *p, size_t i0, size_t ni, size_t j0, size_t nj,
                                      float *products)
{
    columns t = {.points = p, .begin = j0, .panels = (nj + PANEL - 1) / PANEL};
    double longest = longest_norm(p, j0, nj);
    memset(products, 0, ni * COLUMNS * sizeof *products);
    for (; t.k < p->d; t.k += SLICE) {
        t.terms = p->d - t.k < SLICE ? p->d - t.k : SLICE;
        run_slice(&t, i0, ni, longest, products);
    }
}

/* Negative numbers become 0 by a test of the sign bit instead of a comparison: compilers vectorise this. */
void JOIN(eb_fasted_distances, EB_ISA)(float norm, const float *norms, const float *products, size_t count, double *s)
{
    for (size_t c = 0; c < count; c++) {
        float sum = norm + norms[c], q = sum - 2 * products[c];
        int32_t bits;
        memcpy(&bits, &q, sizeof bits);
        bits = bits < 0 ? 0 : bits;
        memcpy(&q, &bits, sizeof q);
        s[c] = (double)q;
    }
}
