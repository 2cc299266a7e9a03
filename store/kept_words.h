/* kept_words: the words of kept reports, in the order of the enums that they stand for. */
#pragma once

#include <assert.h>

#include "core/report/report.h"

static const char *const eb_kept_kinds[] = {"field", "record", "table", "series"};
static const char *const eb_kept_shapes[] = {"line", "bars", "points", "heat"};
static const char *const eb_kept_looks[] = {"table", "timeline", "memory", "code"};
static const char *const eb_kept_units[] = {"plain",   "seconds", "bytes",  "hertz", "teraflops",
                                            "percent", "ratio",   "joules", "watts", "identity"};

static_assert(sizeof eb_kept_looks / sizeof eb_kept_looks[0] == EB_AS_CODE + 1, "each look has its word");
