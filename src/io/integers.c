#include "io/integers.h"

#include <inttypes.h>
#include <string.h>

#include "io/bytes.h"

eb_dtype eb_integers_become(eb_integers kind) { return kind == EB_U16 ? EB_I32 : EB_F64; }

eb_dtype eb_integers_width(eb_integers kind) { return kind == EB_U16 ? EB_I16 : kind == EB_U32 ? EB_I32 : EB_F64; }

static uint64_t le64(const unsigned char *p) { return (uint64_t)eb_le32(p) | (uint64_t)eb_le32(p + 4) << 32; }

/* True if FP64's 53 bits hold all bits from the highest set one to the lowest set one. */
static bool is_exact(uint64_t magnitude)
{
    uint64_t lowest = magnitude & (~magnitude + 1);
    return magnitude == 0 || magnitude / lowest < UINT64_C(1) << 53;
}

static bool to_double(eb_integers kind, const unsigned char *from, double *out)
{
    uint64_t bits = le64(from);
    bool negative = kind == EB_I64 && bits >> 63;
    uint64_t magnitude = negative ? ~bits + 1 : bits;
    *out = negative ? -(double)magnitude : (double)magnitude;
    return is_exact(magnitude);
}

static eb_code fail_inexact(const char *name, eb_integers kind, const unsigned char *from, size_t at, size_t d,
                            eb_status *status)
{
    static const char sentence[] = "%s: row %zu, column %zu is %s%" PRIu64 ", which FP64 does not hold exactly";
    uint64_t bits = le64(from);
    bool negative = kind == EB_I64 && bits >> 63;
    return eb_fail(status, EB_BAD_VALUE, sentence, name, at / d, at % d, negative ? "-" : "",
                   negative ? ~bits + 1 : bits);
}

static void take_short(eb_integers kind, const unsigned char *from, unsigned char *to)
{
    if (kind == EB_U16) {
        int32_t x = from[0] | from[1] << 8;
        memcpy(to, &x, sizeof x);
    } else {
        double x = eb_le32(from);
        memcpy(to, &x, sizeof x);
    }
}

eb_code eb_take_integers(const char *name, eb_integers kind, const unsigned char *from, size_t first, size_t count,
                         size_t d, unsigned char *to, eb_status *status)
{
    size_t width = eb_dtype_size(eb_integers_width(kind)), becomes = eb_dtype_size(eb_integers_become(kind));
    for (size_t k = 0; k < count; k++, from += width, to += becomes) {
        double x;
        if (kind == EB_U16 || kind == EB_U32) {
            take_short(kind, from, to);
            continue;
        }
        if (!to_double(kind, from, &x))
            return fail_inexact(name, kind, from, first * d + k, d, status);
        memcpy(to, &x, sizeof x);
    }
    return EB_OK;
}
