#include "io/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REVERSE(bits)                                                                                                  \
    for (size_t k = 0; k < count; k++) {                                                                               \
        uint##bits##_t x;                                                                                              \
        memcpy(&x, src + k * sizeof x, sizeof x);                                                                      \
        x = __builtin_bswap##bits(x);                                                                                  \
        memcpy(dst + k * sizeof x, &x, sizeof x);                                                                      \
    }                                                                                                                  \
    break

void eb_copy_reversed(unsigned char *dst, const unsigned char *src, size_t count, size_t size)
{
    switch (size) {
    case 2: REVERSE(16);
    case 4: REVERSE(32);
    case 8: REVERSE(64);
    default: memcpy(dst, src, count * size); break;
    }
}
#undef REVERSE

char *eb_show_bytes(char buffer[EB_SHOWN_SIZE], const void *bytes, size_t size)
{
    const unsigned char *data = bytes;
    static const char hex[] = "0123456789abcdef";
    if (size == 0) {
        (void)snprintf(buffer, EB_SHOWN_SIZE, "the end");
        return buffer;
    }
    size_t shown = size < EB_SHOWN_BYTES ? size : EB_SHOWN_BYTES;
    char *at = buffer;
    *at++ = '"';
    for (size_t k = 0; k < shown; k++) {
        if (data[k] >= 0x20 && data[k] < 0x7f) {
            *at++ = (char)data[k];
        } else {
            *at++ = '\\';
            *at++ = 'x';
            *at++ = hex[data[k] >> 4];
            *at++ = hex[data[k] & 15];
        }
    }
    *at++ = '"';
    if (shown < size) {
        memcpy(at, "...", 3);
        at += 3;
    }
    *at = 0;
    return buffer;
}

bool eb_read_digits(const char *text, size_t length, uint64_t *out)
{
    uint64_t value = 0;
    if (length == 0 || length > 18)
        return false;
    for (size_t k = 0; k < length; k++) {
        char c = text[k];
        if (c < '0' || c > '9')
            return false;
        value = 10 * value + (uint64_t)(c - '0');
    }
    *out = value;
    return true;
}

void eb_make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e)
            *text = '?';
}

void eb_list_name(char *list, size_t size, const char *name)
{
    size_t used = strlen(list);
    (void)snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
    eb_make_printable(list + used);
}

uint64_t eb_available_memory(void)
{
    static const char key[] = "MemAvailable:";
    FILE *file = fopen("/proc/meminfo", "re");
    if (!file)
        return UINT64_MAX;
    uint64_t kib = 0;
    char line[128];
    while (kib == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, sizeof key - 1) == 0)
            kib = strtoull(line + sizeof key - 1, NULL, 10);
    (void)fclose(file);
    return kib ? kib * 1024 : UINT64_MAX;
}

/* Works in squares, so that source and destination stay in the cache. */
void eb_transpose(unsigned char *dst, const unsigned char *src, size_t n, size_t d, size_t size)
{
    enum { SIDE = 32 };
    for (size_t i0 = 0; i0 < n; i0 += SIDE)
        for (size_t k0 = 0; k0 < d; k0 += SIDE)
            for (size_t k = k0; k < d && k < k0 + SIDE; k++)
                for (size_t i = i0; i < n && i < i0 + SIDE; i++)
                    memcpy(dst + (i * d + k) * size, src + (k * n + i) * size, size);
}

/* ---- types that no engine computes with ---- */

eb_dtype eb_foreign_become(eb_foreign kind)
{
    return kind == EB_U16 ? EB_I32 : kind == EB_FOREIGN_BF16 ? EB_F32 : EB_F64;
}

eb_dtype eb_foreign_width(eb_foreign kind)
{
    return kind == EB_U16 || kind == EB_FOREIGN_BF16 ? EB_I16 : kind == EB_U32 ? EB_I32 : EB_F64;
}

static uint32_t short_at(const unsigned char *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }

static uint64_t integer_at(eb_foreign kind, const unsigned char *p)
{
    if (kind == EB_U16)
        return short_at(p);
    return kind == EB_U32 ? eb_le32(p) : (uint64_t)eb_le32(p) | (uint64_t)eb_le32(p + 4) << 32;
}

/* A bfloat16 is the upper half of an FP32 value. */
static void widen_bf16(const unsigned char *from, size_t count, unsigned char *to)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t bits = short_at(from + 2 * k) << 16;
        memcpy(to + 4 * k, &bits, sizeof bits);
    }
}

/* True if FP64's 53 bits hold all bits from the highest set one to the lowest set one. */
static bool is_exact(uint64_t magnitude)
{
    uint64_t lowest = magnitude & (~magnitude + 1);
    return magnitude >> 53 == 0 || magnitude / lowest >> 53 == 0;
}

eb_code eb_take_foreign(const char *name, eb_foreign kind, const unsigned char *from, size_t first, size_t count,
                        size_t d, unsigned char *to, eb_status *status)
{
    size_t width = eb_dtype_size(eb_foreign_width(kind)), becomes = eb_dtype_size(eb_foreign_become(kind));
    if (kind == EB_FOREIGN_BF16) {
        widen_bf16(from, count, to);
        return EB_OK;
    }
    for (size_t k = 0; k < count; k++, from += width, to += becomes) {
        uint64_t bits = integer_at(kind, from);
        bool negative = kind == EB_I64 && bits >> 63;
        uint64_t magnitude = negative ? ~bits + 1 : bits;
        double x = negative ? -(double)magnitude : (double)magnitude;
        int32_t narrow = (int32_t)bits;
        if (!is_exact(magnitude))
            return eb_fail(status, EB_BAD_VALUE, "%s: row %zu, column %zu is %s%llu, which FP64 does not hold exactly",
                           name, first + k / d, k % d, negative ? "-" : "", (unsigned long long)magnitude);
        if (kind == EB_U16)
            memcpy(to, &narrow, sizeof narrow);
        else
            memcpy(to, &x, sizeof x);
    }
    return EB_OK;
}
