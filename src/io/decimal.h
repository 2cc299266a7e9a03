/* decimal: numbers as people write them, to FP64, correctly rounded, whatever the locale. Pure. */
#ifndef EB_IO_DECIMAL_H
#define EB_IO_DECIMAL_H

#include <locale.h>
#include <stdbool.h>

/* [begin, end) as sign, digits, ".", digits, exponent; or nan, inf, infinity with a sign, in any case. False when it is
 * anything else. `c_locale`: the "C" locale, from newlocale. */
bool eb_read_decimal(const char *begin, const char *end, locale_t c_locale, double *out);

#endif
