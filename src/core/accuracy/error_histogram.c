#include "core/accuracy/error_histogram.h"

#include <math.h>
#include <stdlib.h>

/* Rounds up to a readable number for the end of an axis. */
static double round_up(double x)
{
    static const double steps[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12};
    double power = pow(10, floor(log10(x)));
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++)
        if (steps[k] * power >= x)
            return steps[k] * power;
    return x; /* if the power of ten underflows */
}

double eb_error_range(double mean, double std, double largest, double eps)
{
    double reach = fmin(largest, fabs(mean) + 6 * std);
    if (reach > 0 && isfinite(reach))
        return round_up(reach);
    double unseen = eps * 0x1p-24; /* half an FP32 ulp */
    return unseen > 0 && isfinite(unseen) ? round_up(unseen) : 1e-9;
}

eb_code eb_histogram_new(size_t bins, double range, eb_histogram *out, eb_status *status)
{
    if (bins < EB_HISTOGRAM_MIN_BINS || bins > EB_HISTOGRAM_MAX_BINS)
        return eb_fail(status, EB_USAGE, "an error histogram has %u to %u bins; found %zu", EB_HISTOGRAM_MIN_BINS,
                       EB_HISTOGRAM_MAX_BINS, bins);
    *out = (eb_histogram){.bins = bins, .low = -range, .high = range, .count = calloc(bins, sizeof *out->count)};
    return out->count ? EB_OK : eb_fail_memory(status, "the error histogram", bins * sizeof *out->count);
}

static double bin_start(const eb_histogram *h, size_t bin)
{
    return h->low + (double)bin * ((h->high - h->low) / (double)h->bins);
}

void eb_histogram_add(eb_histogram *h, double error)
{
    if (error < h->low) {
        h->under++;
        return;
    }
    if (error > h->high) {
        h->over++;
        return;
    }
    size_t bin = (size_t)((error - h->low) / (h->high - h->low) * (double)h->bins);
    if (bin >= h->bins)
        bin = h->bins - 1;
    /* The quotient is rounded, so an error beside an edge is moved to the bin that the computed edges say. */
    while (bin > 0 && error < bin_start(h, bin))
        bin--;
    while (bin + 1 < h->bins && error >= bin_start(h, bin + 1))
        bin++;
    h->count[bin]++;
}

void eb_histogram_merge(eb_histogram *into, const eb_histogram *from)
{
    for (size_t k = 0; k < into->bins; k++)
        into->count[k] += from->count[k];
    into->under += from->under;
    into->over += from->over;
}
