/* format: numbers as people read them. */
#ifndef EB_DRAW_FORMAT_H
#define EB_DRAW_FORMAT_H

#include "core/report/report.h"

/* A value as people read it: "12.3 ms", "1,048,576", "99.971 %", "1.23×", "n/a". Returns buffer, cut when it is too
 * small. */
char *eb_format_value(char *buffer, size_t size, eb_value value, eb_unit unit);

/* The shortest decimal number that reads back as x. Returns buffer. */
char *eb_format_exact(char *buffer, size_t size, double x);

/* A number for a plot's axis, in about so many digits. */
char *eb_format_tick(char *buffer, size_t size, double x, int digits);

#endif
