/* Holds the model of sm_90's tensor cores (kernels/tensor/adder.h) to the hardware, bit for bit: every instruction and
 * type, alone and four chained, over hostile operands made on the fly. Needs an H100 or H200.
 *
 *     test_gpu_tensor [--write FILE] [--times N] [NAME…]
 *
 * Names choose paths, such as wgmma or e4m3. Each path computes N times 1.9 million results. Prints a line a path, a
 * line for each kind of operands that differs, the bits of the first block that does, and at the end "N passed, N
 * failed", of paths.
 * --write: records for tests without a GPU, in the form of tests/data/tensor_blocks.bin: 24 bytes of name, then bytes
 * of an operand, bytes of a sum, operands a side, records, each uint32; a record is a, b, c, d. The d are the
 * hardware's.
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/dtype.h"
#include "core/data/number_format.h"
#include "kernels/tensor/adder.h"
#include "tests/gpu/tensor_probe.h"

enum {
    RESULTS = 1 << 17, /* of each kind, unchained */
    MOST_ROWS = 64,
    MOST_LENGTH = 32,
    MOST_THREADS = 64,
    WRITTEN = 16, /* records of each kind in the file */
    SHOWN_NAME = 24
};

/* ---- paths ---- */

typedef enum sum_type { SUM_F32, SUM_F16, SUM_S32, SUM_F64 } sum_type;

typedef struct tensor_path {
    const char *name, *format;
    sum_type sums;
    eb_probe probe;
} tensor_path;

static const tensor_path paths[] = {
    {"sm_90 mma f16 f32", "f16", SUM_F32, EB_MMA_F16_F32},
    {"sm_90 mma bf16 f32", "bf16", SUM_F32, EB_MMA_BF16},
    {"sm_90 mma tf32 f32", "tf32", SUM_F32, EB_MMA_TF32},
    {"sm_90 mma e4m3 f32", "e4m3", SUM_F32, EB_MMA_E4M3_F32},
    {"sm_90 mma e5m2 f32", "e5m2", SUM_F32, EB_MMA_E5M2_F32},
    {"sm_90 mma f16 f16", "f16", SUM_F16, EB_MMA_F16_F16},
    {"sm_90 mma e4m3 f16", "e4m3", SUM_F16, EB_MMA_E4M3_F16},
    {"sm_90 mma e5m2 f16", "e5m2", SUM_F16, EB_MMA_E5M2_F16},
    {"sm_90 mma s8 s32", "s8", SUM_S32, EB_MMA_S8},
    {"sm_90 mma f64 f64", "f64", SUM_F64, EB_MMA_F64},
    {"sm_90 wgmma f16 f32", "f16", SUM_F32, EB_WGMMA_F16_F32},
    {"sm_90 wgmma bf16 f32", "bf16", SUM_F32, EB_WGMMA_BF16},
    {"sm_90 wgmma tf32 f32", "tf32", SUM_F32, EB_WGMMA_TF32},
    {"sm_90 wgmma e4m3 f32", "e4m3", SUM_F32, EB_WGMMA_E4M3_F32},
    {"sm_90 wgmma e5m2 f32", "e5m2", SUM_F32, EB_WGMMA_E5M2_F32},
    {"sm_90 wgmma f16 f16", "f16", SUM_F16, EB_WGMMA_F16_F16},
    {"sm_90 wgmma e4m3 f16", "e4m3", SUM_F16, EB_WGMMA_E4M3_F16},
    {"sm_90 wgmma e5m2 f16", "e5m2", SUM_F16, EB_WGMMA_E5M2_F16},
    {"sm_90 wgmma s8 s32", "s8", SUM_S32, EB_WGMMA_S8},
};
enum { PATHS = sizeof paths / sizeof paths[0] };

/* A path with what follows from it. */
typedef struct plan {
    const tensor_path *path;
    const eb_number_format *format;
    eb_number number;
    eb_adder adder; /* floating-point types but FP64 */
    size_t rows, length, operand_bytes, sum_bytes;
} plan;

static void stop(const char *what)
{
    (void)fprintf(stderr, "test_gpu_tensor: %s\n", what);
    exit(3);
}

static eb_number number_of(const char *name)
{
    int k = 0;
    while (strcmp(eb_number_type_of((eb_number)k)->name, name) != 0)
        k++;
    return (eb_number)k;
}

static plan plan_of(const tensor_path *path)
{
    static const size_t sum_bytes[] = {4, 2, 4, 8};
    plan p = {.path = path, .format = eb_number_format_named(path->format), .number = number_of(path->format)};
    const bool wgmma = path->probe >= EB_WGMMA_F16_F32;
    eb_status status = {.message = ""};
    p.operand_bytes = eb_number_type_of(p.number)->bytes;
    p.sum_bytes = sum_bytes[path->sums];
    p.rows = wgmma ? 64 : 16;
    p.length = path->sums == SUM_F64 ? 16 : 32 / p.operand_bytes;
    if (path->sums <= SUM_F16 &&
        eb_adder_of(p.number, path->sums == SUM_F16 ? EB_SUMS_F16 : EB_SUMS_F32, wgmma ? EB_PATH_WGMMA : EB_PATH_MMA,
                    EB_CORE_SM90, &p.adder, &status) != EB_OK)
        stop(status.message);
    return p;
}

/* ---- operands ---- */

#define KINDS(X)                                                                                                       \
    X(ONE_BINADE, "one binade")                                                                                        \
    X(TWELVE_BINADES, "twelve binades")                                                                                \
    X(WHOLE_RANGE, "whole range")                                                                                      \
    X(CANCELLING, "cancelling")                                                                                        \
    X(SUBNORMAL, "subnormal")                                                                                          \
    X(LARGEST, "saturating")                                                                                           \
    X(INFINITE, "infinities")                                                                                          \
    X(NANS, "NaN")                                                                                                     \
    X(MIXED, "mixed exponents")                                                                                        \
    X(ZEROS, "zeros")                                                                                                  \
    X(NEAR_E0, "near e0")                                                                                              \
    X(ANY_BITS, "any bits")
#define KIND(name, title) name,
typedef enum operand_kind { KINDS(KIND) COUNT } operand_kind;
#undef KIND
#define KIND(name, title) title,
static const char *const kind_names[] = {KINDS(KIND)};
#undef KIND

static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t low(unsigned bits) { return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX; }

static int most_field(const eb_number_format *f) { return (int)low(f->exponent) - (f->kind == EB_CODES_IEEE); }

/* A finite number of exponent field `field`, which is kept in range; sign and fraction are random. */
static uint64_t number_at(const eb_number_format *f, int field, uint64_t r)
{
    const int most = most_field(f), kept = field < 0 ? 0 : field > most ? most : field;
    uint64_t code = (uint64_t)kept << f->fraction | (r & low(f->fraction));
    if (isnan(eb_number_decode(f, code)))
        code ^= 1;
    return code | (r >> 63) << (f->bits - 1);
}

static uint64_t between(const eb_number_format *f, int from, int to, uint64_t r)
{
    return number_at(f, from + (int)(mix(r) % (uint64_t)(to - from + 1)), r);
}

static uint64_t whole(const eb_number_format *f, uint64_t r) { return between(f, 0, most_field(f), r); }

/* The numbers that e0 decides about: their products are far below the least sum, beside terms that are 0 or not. The
 * first product is half a unit of the least sum, or a few units; the second is about where e0 cuts. */
static uint64_t near_e0(const eb_number_format *f, bool column, unsigned k, uint64_t r, bool empty)
{
    const bool wide = f->exponent == 8;
    const double tiny = wide ? 0x1p-80 : eb_number_least(f), odd = (double)(1 + 2 * (r & 3));
    double x = (r >> 62 & 1 ? -tiny : tiny) * (column ? 1 : (double)(1u << (r >> 50 & 3)));
    if (k == 0)
        x = wide ? (column ? 0x1p-79 : odd * 0x1p-70) : f->bits == 16 ? (column ? 0x1p-12 : odd * 0x1p-13) : odd * tiny;
    else if (k > 1 && empty)
        x = 0;
    return eb_number_encode(f, x);
}

/* How far below 1 the k-th products of an instruction are, in binades: about where adders cut. */
static int depth(uint64_t instruction, unsigned k)
{
    static const int depths[] = {0, 0, 1, 11, 12, 13, 14, 15, 23, 24, 25, 26, 27};
    return depths[mix(instruction * 64 + k) % (sizeof depths / sizeof depths[0])];
}

/* Element k of a row of A, or of a column of B. */
static uint64_t float_operand(const eb_number_format *f, operand_kind kind, uint64_t instruction, bool column,
                              size_t row, unsigned k, unsigned length)
{
    const uint64_t line = mix(mix(instruction) + 2 * row + column), r = mix(line + 64 * k),
                   pair = mix(line + 64 * (k / 2));
    const int one = f->bias;
    switch (kind) {
    case ONE_BINADE: return number_at(f, one, r);
    case TWELVE_BINADES: return between(f, one - 6, one + 5, r);
    case CANCELLING:
        if (k + 2 >= length)
            return between(f, one - 12, one - 4, r);
        return between(f, one - 2, one + 2, pair) ^ (column && k % 2 ? (uint64_t)1 << (f->bits - 1) : 0);
    case SUBNORMAL: return number_at(f, r >> 40 & 7 ? 0 : 1, r);
    case LARGEST: return between(f, most_field(f) - 1, most_field(f), r);
    case INFINITE:
        if (f->kind == EB_CODES_IEEE && (r >> 40 & 15) == 0)
            return low(f->exponent) << f->fraction | (r >> 63) << (f->bits - 1);
        return whole(f, r);
    case NANS: return (r >> 40 & 63) == 0 ? low(f->bits - 1) | (r >> 63) << (f->bits - 1) : whole(f, r);
    case MIXED: return number_at(f, one - (depth(instruction, k) + !column) / 2, r);
    case ZEROS: return r >> 40 & 7 ? (r >> 63) << (f->bits - 1) : whole(f, r);
    case NEAR_E0: return near_e0(f, column, k, r, row % 2 == 0);
    case ANY_BITS: return r & low(f->bits);
    default: return whole(f, r);
    }
}

static uint64_t integer_operand(operand_kind kind, uint64_t r)
{
    switch (kind) {
    case ONE_BINADE: return r & 3;
    case LARGEST: return r & 1 ? 127 : 128;
    case ZEROS: return r >> 40 & 7 ? 0 : r & 255;
    default: return r & 255;
    }
}

/* The words of the instruction: TF32's are FP32's, with 13 bits that it must not see. */
static uint64_t operand_bits(const plan *p, operand_kind kind, uint64_t instruction, bool column, size_t row,
                             unsigned k)
{
    const uint64_t r = mix(mix(instruction ^ 0x5555) + 128 * row + 2 * k + column);
    if (p->path->sums == SUM_S32)
        return integer_operand(kind, r);
    const uint64_t code = float_operand(p->format, kind, instruction, column, row, k, (unsigned)p->length);
    if (p->number != EB_TF32)
        return code;
    return code << 13 | (kind == TWELVE_BINADES || kind == ANY_BITS ? r & 0x1fff : 0);
}

/* The format of sums: FP32, FP16 or FP64. */
static const eb_number_format *sum_format(const plan *p)
{
    static const char *const names[] = {"f32", "f16", "", "f64"};
    return eb_number_format_named(names[p->path->sums]);
}

/* c: 0 in a quarter of all results; otherwise about as large as the products, or of any size. */
static uint64_t sum_bits(const plan *p, operand_kind kind, uint64_t instruction, size_t at)
{
    const uint64_t r = mix(mix(instruction ^ 0x77777) + at);
    if ((r >> 48 & 3) == 0)
        return 0;
    if (p->path->sums == SUM_S32)
        return kind == LARGEST ? 0x7fffffff - (r & 0xfffff) * (r >> 32 & 1) + (r >> 33 & 1) : (uint32_t)r;
    const eb_number_format *f = sum_format(p), *of = p->format;
    const int one = f->bias, largest = 2 * (most_field(of) - of->bias), least = 2 * (1 - of->bias);
    switch (kind) {
    case ONE_BINADE:
    case TWELVE_BINADES: return between(f, one - 14, one + 14, r);
    case CANCELLING: return between(f, one - 30, one + 2, r);
    case SUBNORMAL: return between(f, one + least - 30, one + least + 12, r);
    case LARGEST: return between(f, one + largest - 12, one + largest + 4, r);
    case INFINITE: return r >> 50 & 7 ? whole(f, r) : low(f->exponent) << f->fraction | (r >> 63) << (f->bits - 1);
    case NANS: return r >> 50 & 7 ? whole(f, r) : low(f->bits - 1) - (r & 1);
    case MIXED: return between(f, one - 28, one + 28, r);
    case NEAR_E0: return r >> 50 & 1 ? 0 : between(f, 0, 1, r);
    case ANY_BITS: return r & low(f->bits);
    default: return whole(f, r);
    }
}

/* ---- the definition ---- */

static float float_of(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A side's operands of one row, as the model takes them. */
typedef struct line {
    uint64_t bits[MOST_LENGTH];
    eb_operand operand[MOST_LENGTH];
} line;

/* FP8 by mma.sync: FP16 blocks of the coordinates with k mod 4 < 2, then of the others. */
static unsigned source(const plan *p, unsigned at)
{
    if (!p->adder.halved)
        return at;
    return at % 16 / 2 * 4 + at % 2 + (at < 16 ? 0 : 2);
}

static void prepare(const plan *p, line *l)
{
    for (unsigned at = 0; at < p->length && p->path->sums <= SUM_F16; at++) {
        const uint64_t bits = l->bits[source(p, at)];
        const double x = eb_number_decode(p->format, p->number == EB_TF32 ? bits >> 13 : bits);
        l->operand[at] = eb_operand_of(p->number, (float)x);
    }
}

static uint64_t bits_of_sum(const plan *p, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (p->path->sums == SUM_F16)
        return isnan(x) ? 0x7fff : eb_half_from_double((double)x);
    return isnan(x) ? 0x7fffffff : bits;
}

static uint64_t float_result(const plan *p, uint64_t c, const line *a, const line *b)
{
    const float sum = p->path->sums == SUM_F16 ? eb_half_to_float((uint16_t)c) : float_of(c);
    return bits_of_sum(p, eb_adder_step(&p->adder, sum, a->operand, b->operand));
}

static uint64_t result(const plan *p, uint64_t c, const line *a, const line *b)
{
    if (p->path->sums <= SUM_F16)
        return float_result(p, c, a, b);
    if (p->path->sums == SUM_S32) {
        uint32_t sum = (uint32_t)c;
        for (unsigned k = 0; k < p->length; k++)
            sum += (uint32_t)((int8_t)a->bits[k] * (int8_t)b->bits[k]);
        return sum;
    }
    double sum = double_of(c);
    for (unsigned k = 0; k < p->length; k++)
        sum = fma(double_of(a->bits[k]), double_of(b->bits[k]), sum);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

/* FP64's NaN has bits that the definition leaves open. */
static bool agree(const plan *p, uint64_t expected, uint64_t found)
{
    return expected == found || (p->path->sums == SUM_F64 && isnan(double_of(expected)) && isnan(double_of(found)));
}

/* ---- a run of one kind ---- */

typedef struct run {
    const plan *plan;
    operand_kind kind;
    bool chained;
    size_t groups;
    uint64_t seed;
    unsigned char *a, *b, *c, *d;
    atomic_size_t next, wrong, compared;
    pthread_mutex_t lock;
    size_t first; /* the first result that differs, in order of groups; SIZE_MAX: none */
    uint64_t expected;
} run;

static uint64_t load(const unsigned char *from, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    return value;
}

static void make_instruction(const run *r, size_t x)
{
    const plan *p = r->plan;
    const uint64_t instruction = r->seed + x;
    for (int side = 0; side < 2; side++) {
        const size_t rows = side ? EB_PROBE_COLUMNS : p->rows;
        unsigned char *at = (side ? r->b : r->a) + x * rows * p->length * p->operand_bytes;
        for (size_t row = 0; row < rows; row++)
            for (unsigned k = 0; k < p->length; k++, at += p->operand_bytes) {
                const uint64_t bits = operand_bits(p, r->kind, instruction, side == 1, row, k);
                memcpy(at, &bits, p->operand_bytes);
            }
    }
    unsigned char *c = r->c + x * p->rows * EB_PROBE_COLUMNS * p->sum_bytes;
    for (size_t at = 0; at < p->rows * EB_PROBE_COLUMNS; at++, c += p->sum_bytes) {
        const uint64_t bits = sum_bits(p, r->kind, instruction, at);
        memcpy(c, &bits, p->sum_bytes);
    }
}

static void read_line(const plan *p, const unsigned char *side, size_t row, line *out)
{
    for (unsigned k = 0; k < p->length; k++)
        out->bits[k] = load(side + (row * p->length + k) * p->operand_bytes, p->operand_bytes);
    prepare(p, out);
}

static void differ(run *r, size_t at, uint64_t expected)
{
    atomic_fetch_add(&r->wrong, 1);
    (void)pthread_mutex_lock(&r->lock);
    if (at < r->first) {
        r->first = at;
        r->expected = expected;
    }
    (void)pthread_mutex_unlock(&r->lock);
}

/* Compares instruction x, or the chain that begins there. */
static void check_instruction(run *r, size_t x)
{
    const plan *p = r->plan;
    const size_t steps = r->chained ? EB_PROBE_GROUP : 1, results = p->rows * EB_PROBE_COLUMNS;
    line a[EB_PROBE_GROUP], b[EB_PROBE_GROUP][EB_PROBE_COLUMNS];
    const size_t bytes_a = p->rows * p->length * p->operand_bytes,
                 bytes_b = EB_PROBE_COLUMNS * p->length * p->operand_bytes;
    for (size_t s = 0; s < steps; s++)
        for (size_t column = 0; column < EB_PROBE_COLUMNS; column++)
            read_line(p, r->b + (x + s) * bytes_b, column, &b[s][column]);
    for (size_t row = 0; row < p->rows; row++) {
        for (size_t s = 0; s < steps; s++)
            read_line(p, r->a + (x + s) * bytes_a, row, &a[s]);
        for (size_t column = 0; column < EB_PROBE_COLUMNS; column++) {
            const size_t at = x * results + row * EB_PROBE_COLUMNS + column;
            uint64_t sum = load(r->c + at * p->sum_bytes, p->sum_bytes);
            for (size_t s = 0; s < steps; s++)
                sum = result(p, sum, &a[s], &b[s][column]);
            if (!agree(p, sum, load(r->d + at * p->sum_bytes, p->sum_bytes)))
                differ(r, at, sum);
        }
    }
    atomic_fetch_add(&r->compared, results);
}

typedef struct work {
    run *run;
    bool makes;
} work;

static void *help(void *argument)
{
    const work *w = argument;
    run *r = w->run;
    for (size_t g = atomic_fetch_add(&r->next, 1); g < r->groups; g = atomic_fetch_add(&r->next, 1))
        for (size_t s = 0; s < EB_PROBE_GROUP; s++) {
            if (w->makes)
                make_instruction(r, g * EB_PROBE_GROUP + s);
            else if (!r->chained || s == 0)
                check_instruction(r, g * EB_PROBE_GROUP + s);
        }
    return NULL;
}

static void in_parallel(run *r, bool makes)
{
    pthread_t thread[MOST_THREADS];
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const long threads = cpus < 1 ? 1 : cpus < MOST_THREADS ? cpus : MOST_THREADS;
    work w = {r, makes};
    long started = 0;
    atomic_store(&r->next, 0);
    while (started < threads && pthread_create(&thread[started], NULL, help, &w) == 0)
        started++;
    if (started == 0)
        (void)help(&w);
    while (started > 0)
        (void)pthread_join(thread[--started], NULL);
}

/* ---- telling ---- */

static void show_line(const char *name, const plan *p, const unsigned char *side, size_t row)
{
    printf("      %s ", name);
    for (unsigned k = 0; k < p->length; k++)
        printf(" %0*" PRIx64, (int)(2 * p->operand_bytes),
               load(side + (row * p->length + k) * p->operand_bytes, p->operand_bytes));
    printf("\n");
}

/* Of a kind that differs: how often; of a path's first one also the first block, with all its bits. */
static void show_differing(const run *r, bool block)
{
    const plan *p = r->plan;
    const size_t results = p->rows * EB_PROBE_COLUMNS, x = r->first / results, row = r->first % results / 8,
                 column = r->first % 8, steps = r->chained ? EB_PROBE_GROUP : 1;
    const int digits = (int)(2 * p->sum_bytes);
    printf("    %s%s: %zu of %zu differ\n", kind_names[r->kind], r->chained ? ", chained" : "", (size_t)r->wrong,
           (size_t)r->compared);
    if (!block)
        return;
    printf("      the first is row %zu, column %zu of instruction %zu:\n", row, column, x);
    for (size_t s = 0; s < steps; s++) {
        show_line("a", p, r->a + (x + s) * p->rows * p->length * p->operand_bytes, row);
        show_line("b", p, r->b + (x + s) * EB_PROBE_COLUMNS * p->length * p->operand_bytes, column);
    }
    printf("      c %0*" PRIx64 "  hardware %0*" PRIx64 "  model %0*" PRIx64 "\n", digits,
           load(r->c + r->first * p->sum_bytes, p->sum_bytes), digits,
           load(r->d + r->first * p->sum_bytes, p->sum_bytes), digits, r->expected);
}

/* ---- a file of results ---- */

typedef struct path_header {
    char name[SHOWN_NAME];
    uint32_t operand_bytes, sum_bytes, length, count;
} path_header;

static void put(FILE *file, const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, file) != size)
        stop("the file cannot be written");
}

static void write_header(FILE *file, const plan *p)
{
    path_header header = {"", (uint32_t)p->operand_bytes, (uint32_t)p->sum_bytes, (uint32_t)p->length, WRITTEN * COUNT};
    (void)snprintf(header.name, sizeof header.name, "%s", p->path->name);
    put(file, &header, sizeof header);
}

/* Results far apart, of different rows and columns. */
static void write_records(FILE *file, const run *r)
{
    const plan *p = r->plan;
    const size_t results = p->rows * EB_PROBE_COLUMNS, all = r->groups * EB_PROBE_GROUP * results,
                 side = p->length * p->operand_bytes;
    for (size_t k = 0; k < WRITTEN; k++) {
        const size_t at = mix(k + 1) % all, x = at / results, row = at % results / EB_PROBE_COLUMNS,
                     column = at % EB_PROBE_COLUMNS;
        put(file, r->a + (x * p->rows + row) * side, side);
        put(file, r->b + (x * EB_PROBE_COLUMNS + column) * side, side);
        put(file, r->c + at * p->sum_bytes, p->sum_bytes);
        put(file, r->d + at * p->sum_bytes, p->sum_bytes);
    }
}

/* ---- all kinds of a path ---- */

static run make_run(const plan *p, size_t groups)
{
    const size_t instructions = groups * EB_PROBE_GROUP,
                 sums = instructions * p->rows * EB_PROBE_COLUMNS * p->sum_bytes;
    run r = {.plan = p, .groups = groups, .lock = PTHREAD_MUTEX_INITIALIZER};
    r.a = malloc(instructions * p->rows * p->length * p->operand_bytes);
    r.b = malloc(instructions * EB_PROBE_COLUMNS * p->length * p->operand_bytes);
    r.c = malloc(sums);
    r.d = malloc(sums);
    if (!r.a || !r.b || !r.c || !r.d)
        stop("out of memory");
    return r;
}

static void run_on_gpu(const run *r)
{
    const plan *p = r->plan;
    const size_t instructions = r->groups * EB_PROBE_GROUP;
    const eb_probe_sizes bytes = {instructions * p->rows * p->length * p->operand_bytes,
                                  instructions * EB_PROBE_COLUMNS * p->length * p->operand_bytes,
                                  instructions * p->rows * EB_PROBE_COLUMNS * p->sum_bytes};
    memset(r->d, 0xa5, bytes.c);
    const char *why = test_tensor_run(p->path->probe, &bytes, r->a, r->b, r->c, r->d, r->groups, r->chained);
    if (why)
        stop(why);
}

/* Returns whether all results agree. */
static bool check_path(const plan *p, size_t times, FILE *file)
{
    const size_t groups = times * RESULTS / (EB_PROBE_GROUP * p->rows * EB_PROBE_COLUMNS);
    size_t wrong = 0, compared = 0;
    run r = make_run(p, groups);
    if (file)
        write_header(file, p);
    printf("%-24s", p->path->name);
    (void)fflush(stdout);
    bool told = false;
    for (operand_kind k = 0; k < COUNT; k++) {
        r.kind = k;
        r.seed = mix((uint64_t)p->path->probe * 64 + k);
        in_parallel(&r, true);
        for (int chained = 0; chained < 2; chained++) {
            r.chained = chained == 1;
            r.first = SIZE_MAX;
            atomic_store(&r.wrong, 0);
            atomic_store(&r.compared, 0);
            run_on_gpu(&r);
            in_parallel(&r, false);
            wrong += r.wrong;
            compared += r.compared;
            if (file && !r.chained)
                write_records(file, &r);
            if (r.wrong > 0 && !told)
                printf("\n");
            if (r.wrong > 0)
                show_differing(&r, !told);
            told |= r.wrong > 0;
        }
    }
    printf("%s%10zu results %10zu differ\n", told ? "                        " : "", compared, wrong);
    free(r.a);
    free(r.b);
    free(r.c);
    free(r.d);
    return wrong == 0;
}

static bool is_chosen(const tensor_path *path, char **names, int count)
{
    for (int k = 0; k < count; k++)
        if (strstr(path->name, names[k]))
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    const char *written = NULL;
    size_t times = 1, passed = 0, failed = 0;
    char device[64] = "";
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--write") == 0)
            written = argv[at + 1];
        else if (strcmp(argv[at], "--times") == 0)
            times = strtoul(argv[at + 1], NULL, 10);
        else
            stop("usage: test_gpu_tensor [--write FILE] [--times N] [NAME…]");
    }
    bool is_sm90 = false;
    const char *why = test_tensor_device(device, sizeof device, &is_sm90);
    if (why)
        stop(why);
    if (!is_sm90) {
        printf("%s is no sm_90, whose instructions this test holds to its model\n0 passed, 0 failed\n", device);
        return 0;
    }
    FILE *file = written ? fopen(written, "wb") : NULL;
    if (written && !file)
        stop("the file cannot be written");
    printf("%s: results of each path, and how many differ from kernels/tensor/adder.h\n", device);
    for (size_t k = 0; k < PATHS; k++) {
        if (!is_chosen(&paths[k], argv + at, argc - at))
            continue;
        const plan p = plan_of(&paths[k]);
        if (check_path(&p, times > 0 ? times : 1, file))
            passed++;
        else
            failed++;
    }
    if (file && fclose(file) != 0)
        stop("the file cannot be written");
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
