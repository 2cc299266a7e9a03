/* cell: text in a .csv that a spreadsheet must not run. It takes a text that begins with = + - @, a tab or CR for a
 * formula, unless an apostrophe comes before; a number with its sign is none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/report/report.h"

bool eb_is_formula(const char *text);

/* Cells of a .csv, RFC 4180; what is unknown is an empty one, never 0. */
void eb_put_csv_text(FILE *out, const char *text);
void eb_put_csv_value(FILE *out, eb_value value);

/* Bytes of the control character at text, which could steer a terminal; 0: it is none. Line ends and tabs are none. */
size_t eb_control_bytes(const char *text);
