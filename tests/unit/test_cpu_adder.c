/* Tests of the tensor cores' arithmetic (kernels/tensor/adder.h): against MMA-Sim's answers in
 * tests/data/tensor_blocks.bin and an H100's in tests/data/tensor_sm90.bin, and the fast kernels of each instruction
 * set against the definition. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/dtype.h"
#include "kernels/tensor/cpu/points.h"
#include "kernels/walk/isa.h"
#include "tests/unit/test.h"

/* ---- answers of MMA-Sim and of an H100 ---- */

typedef struct path_header {
    char name[24]; /* "sm_90 wgmma f16 f32" */
    uint32_t operand_bytes, sum_bytes, length, count;
} path_header;

static float of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float of_small_bits(uint32_t bits, unsigned exponent_bits, unsigned fraction_bits)
{
    const uint32_t field = bits >> fraction_bits & ((1u << exponent_bits) - 1),
                   fraction = bits & ((1u << fraction_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const bool last = field == (1u << exponent_bits) - 1, has_infinity = exponent_bits != 4;
    float x = ldexpf((float)(fraction + (field ? 1u << fraction_bits : 0)),
                     (int)(field ? field : 1) - bias - (int)fraction_bits);
    if (last && has_infinity)
        x = fraction ? NAN : INFINITY;
    if (last && !has_infinity && fraction == 7)
        x = NAN;
    return bits >> (exponent_bits + fraction_bits) & 1 ? -x : x;
}

static float operand_value(eb_number number, uint32_t bits)
{
    switch (number) {
    case EB_TF32: return of_bits(bits & ~0x1fffu);
    case EB_BF16: return of_bits(bits << 16);
    case EB_F16_NUMBER: return eb_half_to_float((uint16_t)bits);
    case EB_E4M3_NUMBER: return of_small_bits(bits, 4, 3);
    default: return of_small_bits(bits, 5, 2);
    }
}

static eb_number number_of(const char *name)
{
    for (int k = 0; k < EB_NUMBERS; k++)
        if (strcmp(eb_number_type_of((eb_number)k)->name, name) == 0)
            return (eb_number)k;
    fail_msg("no number type %s", name);
    return EB_NUMBERS;
}

static eb_core core_of(const char *name)
{
    static const char *const names[] = {"sm_80", "sm_89", "sm_90", "sm_100"};
    for (int k = 0; k < 4; k++)
        if (strcmp(names[k], name) == 0)
            return (eb_core)k;
    fail_msg("no core %s", name);
    return EB_CORE_SM80;
}

static uint32_t sum_bits(float x, bool half)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (!half)
        return bits;
    return isnan(x) ? 0x7fff : eb_half_from_double((double)x);
}

/* Where the k-th operand of a step stands in the instruction: a halved adder takes those with k mod 4 < 2 first. */
static unsigned source(const eb_adder *adder, unsigned k)
{
    const unsigned in = k % 32;
    return adder->halved ? k - in + in % 16 / 2 * 4 + in % 2 + (in < 16 ? 0 : 2) : k;
}

/* Checks the records of one path; returns the bytes that it took. */
static size_t check_path(const unsigned char *file, const char *who, size_t *records)
{
    path_header header;
    char core[16], path[16], type[16], sums[16];
    eb_adder adder;
    eb_status status;
    memcpy(&header, file, sizeof header);
    assert_int_equal(sscanf(header.name, "%15s %15s %15s %15s", core, path, type, sums), 4);
    const bool half = header.sum_bytes == 2;
    const eb_number number = number_of(type);
    assert_int_equal(eb_adder_of(number, half ? EB_SUMS_F16 : EB_SUMS_F32,
                                 strcmp(path, "wgmma") == 0 ? EB_PATH_WGMMA : EB_PATH_MMA, core_of(core), &adder,
                                 &status),
                     EB_OK);
    const unsigned length = adder.halved ? 2 * adder.block : adder.block;
    assert_true(header.length % length == 0 && header.length <= 2 * EB_MOST_BLOCK);
    const unsigned char *at = file + sizeof header;
    for (uint32_t r = 0; r < header.count; r++) {
        eb_operand operand[2][2 * EB_MOST_BLOCK];
        uint32_t sum[2] = {0};
        for (uint32_t side = 0; side < 2; side++)
            for (uint32_t k = 0; k < header.length; k++) {
                uint32_t bits = 0;
                memcpy(&bits, at + (side * header.length + source(&adder, k)) * header.operand_bytes,
                       header.operand_bytes);
                operand[side][k] = eb_operand_of(number, operand_value(number, bits));
            }
        at += 2 * header.length * header.operand_bytes;
        for (int k = 0; k < 2; k++, at += header.sum_bytes)
            memcpy(&sum[k], at, header.sum_bytes);
        float c = half ? eb_half_to_float((uint16_t)sum[0]) : of_bits(sum[0]);
        for (unsigned k = 0; k < header.length; k += length)
            c = eb_adder_step(&adder, c, operand[0] + k, operand[1] + k);
        if (sum_bits(c, half) != sum[1])
            fail_msg("%s, record %u: %#x, %s has %#x", header.name, r, sum_bits(c, half), who, sum[1]);
        ++*records;
    }
    return (size_t)(at - file);
}

static void check_file(const char *path, const char *who, size_t expected)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    static unsigned char file[1 << 20];
    const size_t size = fread(file, 1, sizeof file, in);
    size_t at = 0, records = 0;
    (void)fclose(in);
    while (at < size)
        at += check_path(file + at, who, &records);
    assert_int_equal(at, size);
    assert_int_equal(records, expected);
}

TEST(every_path_has_the_bits_of_mma_sim) { check_file("tests/data/tensor_blocks.bin", "MMA-Sim", 20 * 8 * 16); }

TEST(every_path_of_sm_90_has_the_bits_of_an_h100)
{
    check_file("tests/data/tensor_sm90.bin", "the H100", 16 * 12 * 16);
}

/* ---- what no tensor core has ---- */

static void refuses(eb_number number, eb_sums sums, eb_path path, eb_core core, const char *words)
{
    eb_adder adder;
    eb_status status;
    assert_int_equal(eb_adder_of(number, sums, path, core, &adder, &status), EB_USAGE);
    assert_non_null(strstr(status.message, words));
}

TEST(adders_that_do_not_exist_are_refused)
{
    refuses(EB_F16_NUMBER, EB_SUMS_F32, EB_PATH_WGMMA, EB_CORE_SM80, "only sm_90 has wgmma");
    refuses(EB_E4M3_NUMBER, EB_SUMS_F32, EB_PATH_AUTO, EB_CORE_SM80, "sm_80 has no tensor core for E4M3");
    refuses(EB_BF16, EB_SUMS_F16, EB_PATH_AUTO, EB_CORE_SM90, "BF16 in FP32 only");
}

/* ---- the fast kernels ---- */

static uint64_t seed = 1;

static uint64_t next(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number of the type: zero, near 1, subnormal, near the greatest, or of any exponent. */
static double hostile(const eb_number_type *type, unsigned family)
{
    const int least = type->least_exponent - (int)type->digits + 1, most = ilogb(type->greatest);
    const double sign = next() & 1 ? 1 : -1, fraction = 1 + (double)(next() >> 11) * 0x1p-53;
    double x = 0;
    switch (family % 5) {
    case 0: x = ldexp(fraction, (int)(next() % 3) - 1); break;
    case 1: x = next() % 3 ? 0 : ldexp(fraction, (int)(next() % 3)); break;
    case 2: x = ldexp(fraction, type->least_exponent - (int)(next() % 3)); break;
    case 3: x = ldexp(fraction, most - (int)(next() % 2) - (type->digits > 4 ? (int)(next() % 4) : 0)); break;
    default: x = ldexp(fraction, least + (int)(next() % (uint64_t)(most - least))); break;
    }
    x = fmin(x, type->greatest) * sign;
    (void)eb_numbers_round(type, &x, 1, &x);
    return x;
}

/* With an exponent of −40 … 40. */
static double narrowed(double x)
{
    int exponent;
    const double fraction = frexp(x, &exponent);
    return x == 0 ? 0 : ldexp(fraction, exponent % 41);
}

enum { POINTS = 24, DIMENSIONS = 75 };

typedef struct sample {
    double part[POINTS][EB_MOST_PARTS][DIMENSIONS];
    eb_chain chain;
    float *significand;
    int16_t *exponent;
    float *value;
    bool subnormal;
} sample;

static void keep_values(sample *s, const double *const *part, const eb_number_type *type, unsigned point)
{
    float *value = s->value + point * s->chain.length;
    eb_chain_fill_values(&s->chain, part, DIMENSIONS, value);
    for (size_t k = 0; k < s->chain.length; k++)
        s->subnormal |= value[k] != 0 && fabsf(value[k]) < (float)ldexp(1, type->least_exponent);
}

static void make(sample *s, eb_number number, const eb_adder *adder, unsigned promote, unsigned parts, bool narrow)
{
    s->chain = eb_chain_of(adder, promote, parts, DIMENSIONS);
    s->significand = malloc(POINTS * s->chain.length * sizeof *s->significand);
    s->exponent = malloc(POINTS * s->chain.length * sizeof *s->exponent);
    s->value = calloc(POINTS * s->chain.length + EB_VALUES_BEHIND, sizeof *s->value);
    assert_true(s->significand && s->exponent && s->value);
    s->subnormal = false;
    for (unsigned i = 0; i < POINTS; i++) {
        const double *part[EB_MOST_PARTS];
        for (unsigned p = 0; p < EB_MOST_PARTS; p++) {
            part[p] = s->part[i][p];
            for (unsigned k = 0; k < DIMENSIONS; k++)
                s->part[i][p][k] = hostile(eb_number_type_of(number), i / 4);
            for (unsigned k = 0; k < DIMENSIONS && narrow; k++)
                s->part[i][p][k] = narrowed(s->part[i][p][k]);
        }
        if (i % 4 == 1) /* sums with the point before cancel */
            for (unsigned k = 0; k < DIMENSIONS; k++)
                s->part[i][0][k] = k % 2 ? s->part[i - 1][0][k] : -s->part[i - 1][0][k];
        eb_chain_fill(&s->chain, number, part, DIMENSIONS, s->significand + i * s->chain.length,
                      s->exponent + i * s->chain.length);
        keep_values(s, part, eb_number_type_of(number), i);
    }
}

/* The operands of a point, written down from the parts as points.h says. */
static void operands(const sample *s, eb_number number, unsigned point, bool column, eb_operand *out)
{
    const eb_adder *adder = &s->chain.adder;
    const unsigned half = adder->block / 2;
    for (size_t at = 0; at < s->chain.length; at++)
        out[at] = (eb_operand){0, 0};
    for (unsigned n = 0; n < s->chain.sections; n++) {
        const eb_section *section = &s->chain.section[n];
        for (size_t k = 0; k < section->length; k++) {
            size_t from = k, part = section->part;
            if (section->part != section->with) {
                const bool second = k % adder->block >= half;
                from = k / adder->block * half + k % half;
                part = second != column ? section->with : section->part;
            } else if (adder->halved) { /* blocks of k mod 4 < 2, then of the others */
                const size_t in = k % 32 % 16;
                from = k / 32 * 32 + in / 2 * 4 + in % 2 + (k % 32 < 16 ? 0 : 2);
            }
            if (from < DIMENSIONS)
                out[section->begin + k] = eb_operand_of(number, (float)s->part[point][part][from]);
        }
    }
}

static bool same(float a, float b) { return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)); }

static void check_kernel(const sample *s, eb_number number, eb_chain_products kernel, const char *what)
{
    const eb_chained points = {.chain = &s->chain,
                               .significand = s->significand,
                               .exponent = s->exponent,
                               .value = s->value,
                               .least = (float)ldexp(1, eb_number_type_of(number)->least_exponent),
                               .subnormal = s->subnormal};
    uint32_t rows[POINTS * POINTS], columns[POINTS * POINTS];
    float products[POINTS * POINTS];
    static eb_operand a[1024], b[1024];
    for (uint32_t k = 0; k < POINTS * POINTS; k++) {
        rows[k] = k / POINTS;
        columns[k] = k % POINTS;
    }
    kernel(&points, rows, columns, POINTS * POINTS, products);
    for (uint32_t k = 0; k < POINTS * POINTS; k++) {
        operands(s, number, rows[k], false, a);
        operands(s, number, columns[k], true, b);
        const float expected = eb_adder_dot(&s->chain.adder, s->chain.promote, a, b, s->chain.length);
        if (!same(products[k], expected))
            fail_msg("%s, pair (%u, %u): %a, not %a", what, rows[k], columns[k], (double)products[k], (double)expected);
        assert_true(same(products[k], products[columns[k] * POINTS + rows[k]])); /* the same from both ends */
    }
}

#if defined(__x86_64__)
#define AVX(name) name##_avx2, name##_avx512
#else
#define AVX(name) NULL, NULL
#endif

static void check_kernels(const sample *s, eb_number number, const char *what, const eb_chain_products kernel[3])
{
    for (eb_isa isa = EB_ISA_BASE; isa <= eb_cpu_isa(); isa++)
        check_kernel(s, number, kernel[isa], what);
}

static void check_adder(eb_number number, eb_sums sums, eb_path path, eb_core core, unsigned promote, unsigned parts)
{
    static const eb_chain_products of_operands[] = {eb_chain_products_base, AVX(eb_chain_products)},
                                   of_values[] = {eb_value_products_base, AVX(eb_value_products)};
    eb_adder adder;
    eb_status status;
    char what[64];
    static sample s;
    if (eb_adder_of(number, sums, path, core, &adder, &status) != EB_OK)
        return;
    (void)snprintf(what, sizeof what, "%s core %d path %d sums %d, %u parts", eb_number_type_of(number)->name,
                   (int)core, (int)path, (int)sums, parts);
    for (int narrow = 0; narrow < 2; narrow++) {
        make(&s, number, &adder, promote, parts, narrow);
        check_kernels(&s, number, what, of_operands);
        if (narrow && sums == EB_SUMS_F32)
            check_kernels(&s, number, what, of_values);
        free(s.significand);
        free(s.exponent);
        free(s.value);
    }
}

TEST(fast_kernels_have_the_bits_of_the_definition)
{
    for (int number = EB_TF32; number <= EB_E5M2_NUMBER; number++)
        for (int core = EB_CORE_SM80; core <= EB_CORE_SM100; core++)
            for (int path = EB_PATH_WGMMA; path <= EB_PATH_MMA; path++)
                for (int sums = EB_SUMS_F32; sums <= EB_SUMS_F16; sums++) {
                    check_adder((eb_number)number, (eb_sums)sums, (eb_path)path, (eb_core)core, 0, 1);
                    check_adder((eb_number)number, (eb_sums)sums, (eb_path)path, (eb_core)core, 64, 1);
                }
}

TEST(parts_have_the_bits_of_the_definition)
{
    for (unsigned parts = 2; parts <= EB_MOST_PARTS; parts++) {
        check_adder(EB_F16_NUMBER, EB_SUMS_F32, EB_PATH_WGMMA, EB_CORE_SM90, 64, parts);
        check_adder(EB_BF16, EB_SUMS_F32, EB_PATH_MMA, EB_CORE_SM80, 0, parts);
        check_adder(EB_TF32, EB_SUMS_F32, EB_PATH_WGMMA, EB_CORE_SM90, 0, parts);
    }
}

RUN_TESTS
