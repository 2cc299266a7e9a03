/* ticks: round numbers along an axis, and their labels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { EB_MOST_TICKS = 12, EB_TICK_LABEL = 24 };

/* The range of an axis as drawn: log10 of the values on a log axis. */
typedef struct eb_span {
    double low, high; /* low < high, their difference finite */
    bool log;
} eb_span;

/* A value as drawn; NAN if it cannot be drawn (NAN; on a log axis, a value ≤ 0). Values beyond ±1e300 are cut to it, so
 * that differences do not overflow. */
double eb_span_drawn(const eb_span *span, double value);

/* The span of all values that can be drawn. A single value gets a small range around it; no value gives 0 … 1 (1 … 10
 * where log). */
eb_span eb_span_of(size_t count, const double *values, bool log);

/* The place of a value between the ends, 0 … 1 (outside: less or more); NAN if the value cannot be drawn. */
double eb_span_share(const eb_span *span, double value);

typedef struct eb_ticks {
    size_t count;
    double share[EB_MOST_TICKS];              /* ascending */
    char label[EB_MOST_TICKS][EB_TICK_LABEL]; /* ASCII; neighbours differ */
} eb_ticks;

/* Finds about `most` ticks (2 to EB_MOST_TICKS): even steps of 1, 2, 5 × 10^k, or decades if the span is logarithmic
 * and contains decades. */
void eb_ticks_find(const eb_span *span, size_t most, eb_ticks *out);
