/* format: numbers as text that people read. */
#pragma once

#include "core/report/report.h"

/* Formats a value with its unit: "12.3 ms", "1,048,576", "99.971 %", "1.23×", "n/a". Returns buffer; the text is cut if
 * the buffer is too small. */
char *eb_format_value(char *buffer, size_t size, eb_value value, eb_unit unit);

/* eb_format_value in the short form for a sentence: three significant digits, and counts from a million up as "6.5
 * M". */
char *eb_format_brief(char *buffer, size_t size, eb_value value, eb_unit unit);

/* Formats a count with its noun: "1 pair", "6,538 pairs". The count is as eb_format_brief prints it. */
char *eb_format_counted(char *buffer, size_t size, uint64_t count, const char *one, const char *many);

/* Formats a number for a plot's axis with about `digits` digits. */
char *eb_format_tick(char *buffer, size_t size, double x, int digits);
