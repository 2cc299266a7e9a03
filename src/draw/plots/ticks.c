/* ticks: round numbers along an axis, and their labels. */
#include "draw/plots/plot.h"

#include <math.h>
#include <stdlib.h>

#include "draw/format.h"

#define MOST 1e300

double eb_span_drawn(const eb_span *span, double value)
{
    if (!span->log)
        return isnan(value) ? NAN : fmin(fmax(value, -MOST), MOST);
    return value > 0 ? log10(fmin(value, MOST)) : NAN;
}

eb_span eb_span_of(size_t count, const double *values, bool log)
{
    eb_span span = {.low = INFINITY, .high = -INFINITY, .log = log};
    for (size_t k = 0; k < count; k++) {
        double at = eb_span_drawn(&span, values[k]);
        if (!isnan(at)) {
            span.low = fmin(span.low, at);
            span.high = fmax(span.high, at);
        }
    }
    if (!(span.low <= span.high))
        span.low = 0, span.high = 1;
    if (span.low == span.high) {
        double half = log ? 0.1 : span.low == 0 ? 1 : 0.1 * fabs(span.low);
        half = half > 0 ? half : 1; /* 0.1 of the smallest double is 0 */
        span.low -= half;
        span.high += half;
    }
    return span;
}

double eb_span_share(const eb_span *span, double value)
{
    return (eb_span_drawn(span, value) - span->low) / (span->high - span->low);
}

/* ---- ticks ---- */

typedef struct marks {
    const eb_span *span;
    size_t count;
    double value[EB_MOST_TICKS];
} marks;

static bool is_inside(const eb_span *span, double value)
{
    double share = eb_span_share(span, value);
    if (fabs(value) > MOST * (1 + 1e-9)) /* is drawn as MOST */
        return false;
    return share >= -1e-9 && share <= 1 + 1e-9;
}

static void add_mark(marks *m, double value)
{
    if (m->count < EB_MOST_TICKS && is_inside(m->span, value))
        m->value[m->count++] = value;
}

static void mark_evenly(marks *m, size_t most)
{
    const eb_span *span = m->span;
    double low = span->log ? pow(10, span->low) : span->low, high = span->log ? pow(10, span->high) : span->high;
    double rough = (high - low) / (double)most, magnitude = pow(10, floor(log10(rough)));
    double step = magnitude * (rough <= magnitude ? 1 : rough <= 2 * magnitude ? 2 : rough <= 5 * magnitude ? 5 : 10);
    double first = ceil(low / step - 1e-9);
    for (int k = 0; k < 2 * EB_MOST_TICKS; k++)
        add_mark(m, (first + k) * step + 0.0); /* avoids -0 */
}

/* Marks 1 2 5 10 …, 1 10 100 …, every other decade and so on: the densest of these with at most `most` marks. */
static bool mark_decades(marks *m, size_t most)
{
    static const double fine[] = {1, 2, 5};
    const eb_span *span = m->span;
    for (int step = 0; step <= 64; step++) {
        int each = step == 0 ? 1 : step, parts = step == 0 ? 3 : 1;
        m->count = 0;
        size_t wanted = 0;
        for (int decade = (int)floor(span->low / each) * each; decade <= span->high; decade += each)
            for (int p = 0; p < parts; p++) {
                double value = fine[p] * pow(10, decade);
                wanted += is_inside(span, value);
                add_mark(m, value);
            }
        if (wanted <= most)
            break;
    }
    return m->count >= 2;
}

/* Writes labels with as few digits as tell neighbours apart, at least four where the numbers have them. */
static void write_labels(const marks *m, eb_ticks *out)
{
    bool alike = true;
    for (int digits = 4; alike && digits <= 15; digits++) {
        alike = false;
        for (size_t k = 0; k < m->count; k++) {
            (void)eb_format_tick(out->label[k], EB_TICK_LABEL, m->value[k], digits);
            alike |= k > 0 && strtod(out->label[k], NULL) == strtod(out->label[k - 1], NULL);
        }
    }
}

void eb_ticks_find(const eb_span *span, size_t most, eb_ticks *out)
{
    marks m = {.span = span};
    most = most < 2 ? 2 : most > EB_MOST_TICKS ? EB_MOST_TICKS : most;
    /* Within one decade even steps are more readable. */
    if (!(span->log && span->high - span->low >= 1 && mark_decades(&m, most))) {
        m.count = 0;
        mark_evenly(&m, most);
    }
    *out = (eb_ticks){.count = m.count};
    for (size_t k = 0; k < m.count; k++)
        out->share[k] = fmin(fmax(eb_span_share(span, m.value[k]), 0), 1);
    write_labels(&m, out);
}
