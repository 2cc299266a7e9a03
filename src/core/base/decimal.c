#include "core/base/decimal.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Powers of ten that FP64 holds exactly. */
static const double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { MAX_EXACT_POWER = 22, MAX_SLOW_LENGTH = 1023, MAX_EXPONENT = 100000 };

/* The number read so far: value · 10^exponent. */
typedef struct digits {
    uint64_t value;
    int exponent;
    bool any, exact; /* any: there was a digit; exact: value holds all digits and fits the 53 bits of an FP64 */
} digits;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *take_digits(const char *at, const char *end, bool fraction, digits *out)
{
    for (; at < end && is_digit(*at); at++) {
        out->any = true;
        if (out->value > (((uint64_t)1 << 53) - 9) / 10 || out->exponent < -MAX_EXPONENT)
            out->exact = false;
        if (!out->exact)
            continue;
        out->value = 10 * out->value + (uint64_t)(*at - '0');
        out->exponent -= fraction;
    }
    return at;
}

static const char *take_exponent(const char *at, const char *end, digits *out)
{
    if (at == end || (*at != 'e' && *at != 'E'))
        return at;
    const char *start = at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || !is_digit(*at))
        return start;
    int exponent = 0;
    for (; at < end && is_digit(*at); at++)
        if (exponent < MAX_EXPONENT)
            exponent = 10 * exponent + (*at - '0');
    out->exponent += negative ? -exponent : exponent;
    return at;
}

static bool is_word(const char *begin, const char *end, const char *word)
{
    return (size_t)(end - begin) == strlen(word) && strncasecmp(begin, word, strlen(word)) == 0;
}

static locale_t c_locale;

static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* strtod needs a terminator, and a cell in a mapped file has none, so the text is copied. */
static bool read_slowly(const char *begin, const char *end, double *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char text[MAX_SLOW_LENGTH + 1];
    size_t length = (size_t)(end - begin);
    if (length > MAX_SLOW_LENGTH)
        return false;
    memcpy(text, begin, length);
    text[length] = 0;
    char *stop;
    (void)pthread_once(&once, make_c_locale);
    *out = c_locale ? strtod_l(text, &stop, c_locale) : strtod(text, &stop);
    return stop == text + length;
}

bool eb_read_decimal(const char *begin, const char *end, double *out)
{
    const char *at = begin;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at < end && !is_digit(*at) && *at != '.') {
        if (is_word(at, end, "nan"))
            *out = (double)NAN;
        else if (is_word(at, end, "inf") || is_word(at, end, "infinity"))
            *out = negative ? -(double)INFINITY : (double)INFINITY;
        else
            return false;
        return true;
    }
    digits number = {.exact = true};
    at = take_digits(at, end, false, &number);
    if (at < end && *at == '.')
        at = take_digits(at + 1, end, true, &number);
    if (!number.any)
        return false;
    at = take_exponent(at, end, &number);
    if (at != end)
        return false;
    /* An exact integer times or divided by an exact power of ten rounds only once, so it is correctly rounded. All
     * other numbers, a few per cent of usual data, are left to strtod. */
    if (!number.exact || number.exponent > MAX_EXACT_POWER || number.exponent < -MAX_EXACT_POWER)
        return read_slowly(begin, end, out);
    double value = (double)number.value;
    value = number.exponent < 0 ? value / exact_power[-number.exponent] : value * exact_power[number.exponent];
    *out = negative ? -value : value;
    return true;
}

char *eb_format_exact(char *buffer, size_t size, double x)
{
    for (int precision = 15; precision <= 17; precision++) {
        (void)snprintf(buffer, size, "%.*g", precision, x);
        if (strtod(buffer, NULL) == x)
            break;
    }
    return buffer;
}
