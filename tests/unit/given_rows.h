/* given_rows: passes a test's rows on the host to a sink, like an engine that builds rows itself. Header-only. */
#pragma once

#include <string.h>

#include "core/data/scaling.h"
#include "core/engine/engine.h"

static inline void fill_places(const eb_row_places *places, const uint64_t *offsets, size_t rows,
                               const uint32_t *columns, const double *s)
{
    memcpy(places->columns, columns, offsets[rows] * sizeof *columns);
    for (uint64_t k = 0; k < offsets[rows]; k++) {
        double distance = places->unit > 0 ? eb_distance_of(s[k], places->unit) : s[k];
        if (places->distance_bytes == sizeof(double))
            ((double *)places->distances)[k] = distance;
        else if (places->distance_bytes)
            ((float *)places->distances)[k] = (float)distance;
    }
}

static inline eb_code give_rows(const eb_sink *sink, size_t first_row, size_t rows, const uint64_t *offsets,
                                const uint32_t *columns, const double *s, eb_status *status)
{
    eb_row_places places;
    EB_TRY(sink->place(sink->context, first_row, rows, offsets, &places, status));
    fill_places(&places, offsets, rows, columns, s);
    return sink->placed(sink->context, status);
}
