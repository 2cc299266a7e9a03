/* decimal: numbers as people write them, to FP64, correctly rounded, whatever the locale. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* [begin, end) as sign, digits, ".", digits, exponent; or nan, inf, infinity with a sign, in any case. False when it is
 * anything else. */
bool eb_read_decimal(const char *begin, const char *end, double *out);

/* The shortest decimal number that reads back as x. Returns buffer. */
char *eb_format_exact(char *buffer, size_t size, double x);
