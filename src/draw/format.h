/* format: numbers as people read them. */
#pragma once

#include "core/report/report.h"

/* A value as people read it: "12.3 ms", "1,048,576", "99.971 %", "1.23×", "n/a". Returns buffer, cut when it is too
 * small. */
char *eb_format_value(char *buffer, size_t size, eb_value value, eb_unit unit);

/* The same for a sentence: three digits of a number that is no count, a count from a million on as "6.5 M". */
char *eb_format_brief(char *buffer, size_t size, eb_value value, eb_unit unit);

/* "1 pair", "6,538 pairs": a count as eb_format_brief has it, and its noun. */
char *eb_format_counted(char *buffer, size_t size, uint64_t count, const char *one, const char *many);

/* A number for a plot's axis, in about so many digits. */
char *eb_format_tick(char *buffer, size_t size, double x, int digits);
