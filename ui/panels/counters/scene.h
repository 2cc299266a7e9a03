/* counters_scene: what the panel Counters has to draw: the counters of the newest report, beside those of an earlier
 * run. Nothing is drawn here. */
#pragma once

#include "ui/desk.h"

enum { EB_MOST_PROFILED = 8, EB_MOST_COUNTERS = 40 };

/* What is kept of an earlier run: `show` reports of another one soon. */
typedef struct eb_baseline {
    int64_t run; /* −1: none */
    char engine[32];
    size_t count;
    struct eb_baseline_value {
        char metric[40], source[12];
        double value;
    } value[EB_MOST_COUNTERS];
} eb_baseline;

/* The counters in a report of `show`, and the rates that it has of every run. False: it is no report of a run. */
bool eb_baseline_take(eb_baseline *baseline, const eb_report *show);

typedef struct eb_counter_row {
    const char *title;
    eb_unit unit; /* to show it in */
    size_t engines;
    double value[EB_MOST_PROFILED];       /* NAN: unknown */
    const char *source[EB_MOST_PROFILED]; /* "cupti", "nvml", "model"; "" when unknown */
    double baseline;                      /* NAN: there is none, or it does not know */
    const char *baseline_source;
    double most; /* what the longest bar stands for; NAN: nothing is known */
} eb_counter_row;

/* Row `index` of the report's counters; false beyond the last. baseline->run −1: none. */
bool eb_counter_row_at(const eb_report *counters, const eb_baseline *baseline, size_t index, eb_counter_row *out);

/* The engines of the report in their order; NULL beyond the last. */
const char *eb_counter_engine(const eb_report *counters, size_t index);

/* "+12.3 %" of the baseline, or "+1.2 points" of shares; "" where one of them is unknown. Returns buffer. */
char *eb_counter_difference(char *buffer, size_t size, double value, double baseline, eb_unit unit);
