#include "core/data/number_format.h"

#include <math.h>
#include <string.h>

#include "core/data/number.h"
#include "core/formats8/format8.h"

static const eb_number_format formats[EB_NUMBER_FORMATS] = {
    {"f64", "FP64", EB_CODES_IEEE, 64, 11, 52, 1023, "80, 90 up"},
    {"f32", "FP32", EB_CODES_IEEE, 32, 8, 23, 127, ""},
    {"tf32", "TF32", EB_CODES_IEEE, 19, 8, 10, 127, "80 up"},
    {"bf16", "BF16", EB_CODES_IEEE, 16, 8, 7, 127, "80 up"},
    {"f16", "FP16", EB_CODES_IEEE, 16, 5, 10, 15, "80 up"},
    {"e4m3", "E4M3", EB_CODES_E4M3, 8, 4, 3, 7, "89 up"},
    {"e5m2", "E5M2", EB_CODES_IEEE, 8, 5, 2, 15, "89 up"},
    {"s8", "INT8", EB_CODES_WHOLE, 8, 0, 7, 0, "80 up"},
    {"e5m3", "E5M3", EB_CODES_UNSIGNED, 8, 5, 3, 15, ""},
    {"e4m4", "E4M4", EB_CODES_UNSIGNED, 8, 4, 4, 7, ""},
};

static const eb_block_format blocks[EB_BLOCK_FORMATS] = {
    {"MXFP8", "E4M3", "E8M0", 8, 32, 0x1p-9, 448, 4, "100 up"},
    {"MXFP8", "E5M2", "E8M0", 8, 32, 0x1p-16, 57344, 3, "100 up"},
    {"MXFP6", "E2M3", "E8M0", 6, 32, 0x1p-3, 7.5, 4, "100 up"},
    {"MXFP6", "E3M2", "E8M0", 6, 32, 0x1p-4, 28, 3, "100 up"},
    {"MXFP4", "E2M1", "E8M0", 4, 32, 0x1p-1, 6, 2, "100 up"},
    {"NVFP4", "E2M1", "E4M3", 4, 16, 0x1p-1, 6, 2, "100 up"},
};

const eb_number_format *eb_number_format_at(size_t index) { return &formats[index]; }

const eb_number_format *eb_number_format_named(const char *name)
{
    for (size_t k = 0; k < EB_NUMBER_FORMATS; k++)
        if (strcmp(formats[k].name, name) == 0)
            return &formats[k];
    return NULL;
}

const eb_block_format *eb_block_format_at(size_t index) { return &blocks[index]; }

/* ---- codes ---- */

static uint64_t low_bits(unsigned count) { return ((uint64_t)1 << count) - 1; }

static bool has_sign(const eb_number_format *f) { return f->kind != EB_CODES_UNSIGNED; }

/* Codes of numbers ≥ 0 ascend with the number. */
static uint64_t greatest_code(const eb_number_format *f)
{
    switch (f->kind) {
    case EB_CODES_IEEE: return (low_bits(f->exponent) << f->fraction) - 1;
    case EB_CODES_E4M3: return low_bits(f->bits - 1) - 1;
    default: return low_bits(f->exponent + f->fraction);
    }
}

static double magnitude(const eb_number_format *f, uint64_t code)
{
    const uint64_t field = code >> f->fraction & low_bits(f->exponent), fraction = code & low_bits(f->fraction);
    const bool is_normal = field > 0 || !has_sign(f);
    if (has_sign(f) && code > greatest_code(f))
        return f->kind == EB_CODES_IEEE && fraction == 0 ? INFINITY : NAN;
    return ldexp((double)(fraction | (is_normal ? (uint64_t)1 << f->fraction : 0)),
                 (is_normal ? (int)field : 1) - f->bias - (int)f->fraction);
}

double eb_number_decode(const eb_number_format *f, uint64_t code)
{
    if (f->kind == EB_CODES_WHOLE)
        return (double)(int8_t)code;
    if (!has_sign(f))
        return magnitude(f, code);
    const double size = magnitude(f, code & low_bits(f->bits - 1));
    return code >> (f->bits - 1) ? -size : size;
}

/* The number nearest to x. */
static double nearest(const eb_number_format *f, double x)
{
    for (int k = 0; k < EB_NUMBERS; k++)
        if (strcmp(eb_number_type_of((eb_number)k)->name, f->name) == 0) {
            (void)eb_numbers_round(eb_number_type_of((eb_number)k), &x, 1, &x);
            return x;
        }
    return (double)(float)x; /* FP32 is no type of tensor cores */
}

/* The code of a number that the format has, or of ∞, without its sign. */
static uint64_t code_of(const eb_number_format *f, double size)
{
    if (isinf(size))
        return low_bits(f->exponent) << f->fraction;
    const int field = size > 0 && ilogb(size) + f->bias > 1 ? ilogb(size) + f->bias : 1;
    const uint64_t units = (uint64_t)ldexp(size, (int)f->fraction + f->bias - field);
    return units + ((uint64_t)(field - 1) << f->fraction); /* the hidden bit adds 1 to the exponent */
}

uint64_t eb_number_encode(const eb_number_format *f, double x)
{
    if (!has_sign(f))
        return eb_format8_encode(f->fraction == 3 ? EB_E5M3 : EB_E4M4, x);
    const double number = nearest(f, x);
    if (f->kind == EB_CODES_WHOLE)
        return (uint8_t)(int8_t)number;
    return code_of(f, fabs(number)) | (signbit(x) ? (uint64_t)1 << (f->bits - 1) : 0);
}

/* ---- neighbours ---- */

/* Numbers in ascending order have ascending ranks: 0 has 0, −least has −1. */
static int64_t rank_of(const eb_number_format *f, double number)
{
    if (f->kind == EB_CODES_WHOLE)
        return (int64_t)number;
    const int64_t size = (int64_t)(has_sign(f) ? code_of(f, fabs(number)) : eb_number_encode(f, number));
    return number < 0 ? -size : size;
}

static double of_rank(const eb_number_format *f, int64_t rank)
{
    const int64_t most = (int64_t)greatest_code(f);
    if (rank > most || rank < (has_sign(f) ? -most : 0))
        return NAN;
    if (f->kind == EB_CODES_WHOLE)
        return (double)rank;
    return rank < 0 ? -magnitude(f, (uint64_t)-rank) : magnitude(f, (uint64_t)rank);
}

/* The number beside x, in the direction `step`, 1 or −1. */
static double beside(const eb_number_format *f, double x, int step)
{
    const double near = eb_number_decode(f, eb_number_encode(f, x));
    if (step > 0 ? near > x : near < x)
        return isinf(near) ? NAN : near;
    if (isinf(near))
        return of_rank(f, step < 0 ? (int64_t)greatest_code(f) : -(int64_t)greatest_code(f));
    return of_rank(f, rank_of(f, near) + step);
}

double eb_number_below(const eb_number_format *f, double x) { return beside(f, x, -1); }
double eb_number_above(const eb_number_format *f, double x) { return beside(f, x, 1); }

/* ---- facts ---- */

double eb_number_least(const eb_number_format *f) { return eb_number_decode(f, has_sign(f) ? 1 : 0); }

double eb_number_normal(const eb_number_format *f)
{
    return f->kind == EB_CODES_WHOLE || !has_sign(f) ? eb_number_least(f) : ldexp(1, 1 - f->bias);
}

double eb_number_greatest(const eb_number_format *f) { return of_rank(f, (int64_t)greatest_code(f)); }

double eb_number_digits(const eb_number_format *f) { return f->fraction + (f->kind == EB_CODES_WHOLE ? 0 : 1); }

double eb_number_error(const eb_number_format *f)
{
    const double half = ldexp(1, -(int)eb_number_digits(f)); /* half a unit of the last digit, over a power of two */
    return half / (1 + half);
}

char *eb_number_bits(const eb_number_format *f, uint64_t code, char out[EB_NUMBER_BITS])
{
    size_t at = 0;
    for (unsigned bit = f->bits; bit-- > 0;) {
        out[at++] = code >> bit & 1 ? '1' : '0';
        if (f->kind != EB_CODES_WHOLE && ((has_sign(f) && bit + 1 == f->bits) || bit == f->fraction))
            out[at++] = '.';
    }
    out[at] = '\0';
    return out;
}
