#include "core/engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

eb_timing eb_timing_none(void)
{
    return (eb_timing){.upload_s = NAN,
                       .convert_s = NAN,
                       .norms_s = NAN,
                       .kernel_s = NAN,
                       .download_s = NAN,
                       .table_s = NAN,
                       .total_s = NAN,
                       .energy_j = NAN,
                       .sm_clock_hz = NAN};
}

void eb_timing_add(double *part, double seconds) { *part = isnan(*part) ? seconds : *part + seconds; }

const char *eb_throttle_words(uint64_t throttle, char *buffer, size_t size)
{
    static const struct {
        uint64_t bit;
        const char *words;
    } reasons[] = {{0x4, "power cap"},
                   {0x8, "hardware slowdown"},
                   {0x20, "thermal slowdown"},
                   {0x40, "thermal slowdown by hardware"},
                   {0x80, "power brake"}};
    uint64_t named = 0;
    size_t used = 0;
    (void)snprintf(buffer, size, "%s", throttle ? "" : "none");
    for (size_t k = 0; k < sizeof reasons / sizeof reasons[0]; k++) {
        named |= reasons[k].bit;
        if (throttle & reasons[k].bit) {
            (void)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "", reasons[k].words);
            used = strlen(buffer);
        }
    }
    if (throttle & ~named)
        (void)snprintf(buffer + used, size - used, "%sother reasons (0x%llx)", used ? ", " : "",
                       (unsigned long long)(throttle & ~named));
    return buffer;
}
