#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/report/find.h"
#include "draw/format.h"

typedef struct scale {
    double at_least; /* in the base unit */
    const char *unit;
} scale;

/* Formats three significant digits and keeps trailing zeros: 1.00, 12.3, 123. */
static void three_digits(char *buffer, size_t size, double x)
{
    double magnitude = fabs(x);
    int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
    (void)snprintf(buffer, size, "%.*f", decimals, x);
}

/* Formats x in the largest unit that leaves at least 1 before the point. Scales descend; the last one takes all smaller
 * numbers. */
static void scaled(char *buffer, size_t size, double x, const scale *scales, size_t count)
{
    size_t k = 0;
    /* 999.6 ms would print as 1000 ms; print it as 1.00 s. */
    while (k + 1 < count && fabs(x) < 0.9995 * scales[k].at_least)
        k++;
    char digits[40];
    three_digits(digits, sizeof digits, x / scales[k].at_least);
    (void)snprintf(buffer, size, "%s %s", digits, scales[k].unit);
}

#define SCALED(buffer, size, x, scales) scaled(buffer, size, x, scales, sizeof(scales) / sizeof(scales)[0])

static void format_seconds(char *buffer, size_t size, double s)
{
    static const scale scales[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    double whole = round(fabs(s));
    const char *sign = s < 0 ? "-" : "";
    if (s == 0)
        (void)snprintf(buffer, size, "0 s");
    else if (whole < 120)
        SCALED(buffer, size, s, scales);
    else if (whole < 7200)
        (void)snprintf(buffer, size, "%s%.0f min %.0f s", sign, floor(whole / 60), fmod(whole, 60));
    else
        (void)snprintf(buffer, size, "%s%.0f h %.0f min", sign, floor(whole / 3600), floor(fmod(whole, 3600) / 60));
}

static void format_bytes(char *buffer, size_t size, double bytes)
{
    static const scale scales[] = {{0x1p50, "PiB"}, {0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}};
    if (fabs(bytes) < 1024)
        (void)snprintf(buffer, size, "%.0f B", bytes);
    else
        SCALED(buffer, size, bytes, scales);
}

static void format_share(char *buffer, size_t size, double share)
{
    double percent = 100 * share;
    if (share == 0 || share == 1) {
        (void)snprintf(buffer, size, "%.0f %%", percent);
        return;
    }
    if (fabs(percent) < 90) {
        (void)snprintf(buffer, size, "%.3g %%", percent);
        return;
    }
    if (fabs(percent) > 101) {
        (void)snprintf(buffer, size, fabs(percent) < 1000 ? "%.4g %%" : "%.0f %%", percent);
        return;
    }
    /* 99.99996 % must not print as 100 %: use as many digits as tell them apart. */
    for (int decimals = 3; decimals <= 13; decimals++) {
        (void)snprintf(buffer, size, "%.*f", decimals, percent);
        if (strtod(buffer, NULL) != 100)
            break;
    }
    size_t used = strlen(buffer);
    (void)snprintf(buffer + used, size - used, " %%");
}

/* Separates groups of three digits: 1,048,576. */
static void group_digits(char *buffer, size_t size, bool negative, uint64_t magnitude)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)magnitude);
    size_t used = 0;
    if (negative && used + 1 < size)
        buffer[used++] = '-';
    for (int k = 0; k < length && used + 2 < size; k++) {
        if (k > 0 && (length - k) % 3 == 0)
            buffer[used++] = ',';
        buffer[used++] = digits[k];
    }
    if (size > 0)
        buffer[used] = '\0';
}

/* "1.2e-05" → "1.2e-5". */
static void shorten_exponent(char *text)
{
    char *e = strchr(text, 'e');
    if (!e)
        return;
    char *to = e + 1, *from = e + 1;
    if (*from == '-')
        *to++ = *from;
    from += *from == '-' || *from == '+';
    from += strspn(from, "0");
    memmove(to, from, strlen(from) + 1);
}

static void format_plain(char *buffer, size_t size, double x)
{
    /* A whole number stored as a real is printed like a count. */
    if (x == floor(x) && fabs(x) < 1e15) {
        group_digits(buffer, size, x < 0, (uint64_t)fabs(x));
        return;
    }
    (void)snprintf(buffer, size, "%.6g", x);
    shorten_exponent(buffer);
}

static void format_ratio(char *buffer, size_t size, double ratio)
{
    char digits[40];
    if (fabs(ratio) >= 999.5 && fabs(ratio) < 1e15)
        group_digits(digits, sizeof digits, ratio < 0, (uint64_t)round(fabs(ratio)));
    else if (ratio == 0 || (fabs(ratio) >= 0.0995 && fabs(ratio) < 999.5))
        three_digits(digits, sizeof digits, ratio);
    else if (fabs(ratio) < 0.0995 && fabs(ratio) >= 0.0001)
        (void)snprintf(digits, sizeof digits, "%.2g", ratio);
    else
        (void)snprintf(digits, sizeof digits, "%.2e", ratio);
    shorten_exponent(digits);
    (void)snprintf(buffer, size, "%s×", digits);
}

static void format_real(char *buffer, size_t size, double x, eb_unit unit)
{
    static const scale hertz[] = {{1e9, "GHz"}, {1e6, "MHz"}, {1e3, "kHz"}, {1, "Hz"}};
    static const scale flops[] = {{1, "TFLOPS"}, {1e-3, "GFLOPS"}, {1e-6, "MFLOPS"}, {1e-9, "kFLOPS"}};
    static const scale joules[] = {{1e6, "MJ"}, {1e3, "kJ"}, {1, "J"}, {1e-3, "mJ"}, {1e-6, "µJ"}};
    static const scale watts[] = {{1e3, "kW"}, {1, "W"}, {1e-3, "mW"}};
    switch (unit) {
    case EB_PLAIN: format_plain(buffer, size, x); break;
    case EB_SECONDS: format_seconds(buffer, size, x); break;
    case EB_BYTES: format_bytes(buffer, size, x); break;
    case EB_HERTZ: SCALED(buffer, size, x, hertz); break;
    case EB_TERAFLOPS: SCALED(buffer, size, x, flops); break;
    case EB_PERCENT: format_share(buffer, size, x); break;
    case EB_RATIO: format_ratio(buffer, size, x); break;
    case EB_JOULES: SCALED(buffer, size, x, joules); break;
    case EB_WATTS: SCALED(buffer, size, x, watts); break;
    case EB_IDENTITY: (void)eb_format_exact(buffer, size, x); break;
    }
}

char *eb_format_value(char *buffer, size_t size, eb_value value, eb_unit unit)
{
    bool negative = value.kind == EB_INTEGER && value.as.integer < 0;
    switch (value.kind) {
    case EB_NA: (void)snprintf(buffer, size, "n/a"); break;
    case EB_BOOL: (void)snprintf(buffer, size, "%s", value.as.boolean ? "yes" : "no"); break;
    case EB_TEXT: (void)snprintf(buffer, size, "%s", value.as.text); break;
    case EB_INTEGER:
    case EB_UNSIGNED: {
        uint64_t magnitude = negative ? 0 - (uint64_t)value.as.integer : value.as.u64;
        if (unit == EB_PLAIN)
            group_digits(buffer, size, negative, magnitude);
        else if (unit == EB_IDENTITY)
            (void)snprintf(buffer, size, "%s%llu", negative ? "-" : "", (unsigned long long)magnitude);
        else
            format_real(buffer, size, negative ? -(double)magnitude : (double)magnitude, unit);
        break;
    }
    case EB_REAL:
        if (isfinite(value.as.real))
            format_real(buffer, size, value.as.real, unit);
        else
            (void)snprintf(buffer, size, "n/a");
        break;
    }
    return buffer;
}

/* ---- in a sentence ---- */

static void brief_count(char *buffer, size_t size, double count)
{
    static const struct {
        double least, unit;
        char letter;
    } scales[] = {{999.5e9, 1e12, 'T'}, {999.5e6, 1e9, 'G'}, {1e6, 1e6, 'M'}};
    size_t k = 0, scale_count = sizeof scales / sizeof scales[0];
    while (k < scale_count && (fabs(count) < scales[k].least || fabs(count) >= 999.5e12))
        k++;
    if (k == scale_count)
        format_plain(buffer, size, count);
    else
        (void)snprintf(buffer, size, "%.3g %c", count / scales[k].unit, scales[k].letter);
    shorten_exponent(buffer);
}

static void brief_real(char *buffer, size_t size, double x)
{
    if (fabs(x) >= 999.5 && fabs(x) < 1e15) {
        format_plain(buffer, size, round(x));
        return;
    }
    (void)snprintf(buffer, size, "%.3g", x);
    shorten_exponent(buffer);
}

/* 99.96 % must not print as 100 %: use as many digits as tell them apart. */
static void brief_share(char *buffer, size_t size, double share)
{
    double percent = 100 * share;
    (void)snprintf(buffer, size, "%.3g", percent);
    for (int digits = 4; digits <= 15 && percent != 100 && strtod(buffer, NULL) == 100; digits++)
        (void)snprintf(buffer, size, "%.*g", digits, percent);
    size_t used = strlen(buffer);
    (void)snprintf(buffer + used, size - used, " %%");
}

char *eb_format_brief(char *buffer, size_t size, eb_value value, eb_unit unit)
{
    double x = eb_value_number(value);
    if (!isfinite(x) || (unit != EB_PLAIN && unit != EB_PERCENT))
        return eb_format_value(buffer, size, value, unit);
    if (unit == EB_PERCENT)
        brief_share(buffer, size, x);
    else if (x == floor(x))
        brief_count(buffer, size, x);
    else
        brief_real(buffer, size, x);
    return buffer;
}

char *eb_format_counted(char *buffer, size_t size, uint64_t count, const char *one, const char *many)
{
    (void)eb_format_brief(buffer, size, eb_uint(count), EB_PLAIN);
    size_t used = strlen(buffer);
    if (used < size)
        (void)snprintf(buffer + used, size - used, " %s", count == 1 ? one : many);
    return buffer;
}

char *eb_format_tick(char *buffer, size_t size, double x, int digits)
{
    double magnitude = fabs(x);
    if (x == floor(x) && magnitude >= 1e4 && magnitude < 1e6)
        (void)snprintf(buffer, size, "%.0f", x);
    else
        (void)snprintf(buffer, size, "%.*g", digits, x);
    shorten_exponent(buffer);
    return buffer;
}
