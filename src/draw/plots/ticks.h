/* ticks: round numbers along an axis, and what is written beside them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { EB_MOST_TICKS = 12, EB_TICK_LABEL = 24 };

/* What an axis shows, from end to end as drawn: log10 of the values where it is logarithmic. */
typedef struct eb_span {
    double low, high; /* low < high, their difference finite */
    bool log;
} eb_span;

/* A value as drawn: NAN where it cannot be (no number; on a log axis, not above 0). Beyond ±1e300 it is that, so that
 * differences do not overflow. */
double eb_span_drawn(const eb_span *span, double value);

/* The span of all the values that can be drawn; of a single one a little around it, of none
 * 0 … 1 (1 … 10 where log). */
eb_span eb_span_of(size_t count, const double *values, bool log);

/* Where a value lies between the ends, 0 … 1 (outside: beyond); NAN where it cannot be drawn. */
double eb_span_share(const eb_span *span, double value);

typedef struct eb_ticks {
    size_t count;
    double share[EB_MOST_TICKS];              /* ascending */
    char label[EB_MOST_TICKS][EB_TICK_LABEL]; /* ASCII; neighbours differ */
} eb_ticks;

/* About `most` ticks (2 to EB_MOST_TICKS): 1, 2, 5 × 10^k evenly, or decades where the span is
 * logarithmic and has any. */
void eb_ticks_find(const eb_span *span, size_t most, eb_ticks *out);
