/* cell: writing CSV cells that a spreadsheet does not execute. A spreadsheet treats text that begins with = + - @, a
 * tab or CR as a formula, unless an apostrophe precedes it. A signed number is no formula.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/report/report.h"

bool eb_is_formula(const char *text);

/* Write one cell of a CSV file (RFC 4180). An unknown value gives an empty cell, never 0. */
void eb_put_csv_text(FILE *out, const char *text);
void eb_put_csv_value(FILE *out, eb_value value);

/* Length in bytes of the control character at text; 0 if there is none. Control characters could change a terminal's
 * state; line ends and tabs do not count. */
size_t eb_control_bytes(const char *text);
