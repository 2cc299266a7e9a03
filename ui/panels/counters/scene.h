/* counters_scene: everything that the panel Counters draws: the newest report's counters and those of an earlier run.
 */
#pragma once

#include "ui/desk.h"

enum { EB_MOST_PROFILED = 8, EB_MOST_COUNTERS = 40 };

/* Counters of an earlier run, copied because the next report of `show` replaces theirs. */
typedef struct eb_baseline {
    int64_t run; /* −1: none */
    char engine[32];
    size_t count;
    struct eb_baseline_value {
        char metric[40], source[12];
        double value;
    } value[EB_MOST_COUNTERS];
} eb_baseline;

/* Copies counters and rates from a report of `show`. False if the report describes no run. */
bool eb_baseline_take(eb_baseline *baseline, const eb_report *show);

typedef struct eb_counter_row {
    const char *title;
    eb_unit unit; /* for display */
    size_t engines;
    double value[EB_MOST_PROFILED];       /* NAN: unknown */
    const char *source[EB_MOST_PROFILED]; /* "cupti", "nvml", "model"; "" when unknown */
    double baseline;                      /* NAN: no baseline, or unknown in it */
    const char *baseline_source;
    double most; /* the value of the longest bar; NAN: no value is known */
} eb_counter_row;

/* Row `index` of the report's counters; false beyond the last one. baseline->run −1: no baseline. */
bool eb_counter_row_at(const eb_report *counters, const eb_baseline *baseline, size_t index, eb_counter_row *out);

/* Name of the report's engine `index`; NULL beyond the last one. */
const char *eb_counter_engine(const eb_report *counters, size_t index);

/* The difference to the baseline: "+12.3 %", or for shares "+1.2 points"; "" if either is unknown. Returns buffer. */
char *eb_counter_difference(char *buffer, size_t size, double value, double baseline, eb_unit unit);
