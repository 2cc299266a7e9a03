#include "core/engine.h"

#include <math.h>

eb_timing eb_timing_none(void)
{
    return (eb_timing){.upload_s = NAN, .convert_s = NAN, .norms_s = NAN, .kernel_s = NAN, .download_s = NAN,
                       .table_s = NAN, .total_s = NAN, .energy_j = NAN, .sm_clock_hz = NAN};
}

void eb_timing_add(double *part, double seconds) { *part = isnan(*part) ? seconds : *part + seconds; }
