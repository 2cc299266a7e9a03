/* kept_words: the words of kept reports, in the order of the enums that they stand for. */
#pragma once

static const char *const eb_kept_kinds[] = {"field", "record", "table", "series"};
static const char *const eb_kept_shapes[] = {"line", "bars", "points", "heat"};
static const char *const eb_kept_looks[] = {"table", "timeline", "memory"};
static const char *const eb_kept_units[] = {"plain",   "seconds", "bytes",  "hertz", "teraflops",
                                            "percent", "ratio",   "joules", "watts", "identity"};
