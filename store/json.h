/* json: values of the log as JSON. */
#pragma once

#include <jansson.h>

#include "core/report/report.h"

/* Bytes that are not UTF-8, as file names may have, become U+FFFD. NULL: out of memory. */
json_t *eb_json_text(const char *text);
json_t *eb_json_value(eb_value value);
