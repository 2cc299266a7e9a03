#include "ui/widgets/histogram_zoom.h"

#include <math.h>

enum { LEAST_BINS = 4 };

typedef struct ends {
    double low, high, bin;
} ends;

/* The ends of the axis. Bins are equally wide; x has their middles. */
static bool ends_of(const eb_series *series, ends *out)
{
    if (!series || series->points < 2)
        return false;
    double first = series->x[0], last = series->x[series->points - 1];
    out->bin = (last - first) / (double)(series->points - 1);
    out->low = first - out->bin / 2;
    out->high = last + out->bin / 2;
    return isfinite(out->low) && isfinite(out->high) && out->bin > 0;
}

static void show(eb_histogram_view *view, double low, double high, const ends *e)
{
    double width = high - low;
    if (width >= (e->high - e->low) * (1 - 1e-9)) {
        view->low = view->high = NAN;
        return;
    }
    if (low < e->low)
        low = e->low, high = low + width;
    if (high > e->high)
        high = e->high, low = high - width;
    view->low = low;
    view->high = high;
}

void eb_histogram_zoom(eb_histogram_view *view, const eb_series *series, double factor)
{
    ends e;
    if (!ends_of(series, &e))
        return;
    double low = isnan(view->low) ? e.low : view->low, high = isnan(view->high) ? e.high : view->high;
    double middle = (low + high) / 2, half = fmax((high - low) * factor, LEAST_BINS * e.bin) / 2;
    show(view, middle - half, middle + half, &e);
}

void eb_histogram_zoom_to_mass(eb_histogram_view *view, const eb_series *series)
{
    const double left_out = 1.0 / 1000, most = 0.8; /* shares: of the mass at each end; of the axis */
    ends e;
    double all = 0, below = 0, above = 0;
    view->low = view->high = NAN;
    if (!ends_of(series, &e))
        return;
    for (size_t k = 0; k < series->points; k++)
        all += series->y[k] > 0 ? series->y[k] : 0;
    size_t first = 0, last = series->points - 1;
    while (first < last && below + series->y[first] <= left_out * all)
        below += series->y[first++];
    while (last > first && above + series->y[last] <= left_out * all)
        above += series->y[last--];
    double low = series->x[first] - e.bin, high = series->x[last] + e.bin;
    if (high - low < LEAST_BINS * e.bin) {
        low -= 0.5 * LEAST_BINS * e.bin;
        high += 0.5 * LEAST_BINS * e.bin;
    }
    if (high - low < most * (e.high - e.low))
        show(view, low, high, &e);
}

void eb_histogram_move(eb_histogram_view *view, const eb_series *series, double part)
{
    ends e;
    if (!ends_of(series, &e) || isnan(view->low))
        return;
    double step = fmax((view->high - view->low) * fabs(part), e.bin) * (part < 0 ? -1 : 1);
    show(view, view->low + step, view->high + step, &e);
}

double eb_histogram_share(const eb_histogram_view *view, const eb_series *series)
{
    ends e;
    if (!ends_of(series, &e))
        return NAN;
    return isnan(view->low) ? 1 : (view->high - view->low) / (e.high - e.low);
}
