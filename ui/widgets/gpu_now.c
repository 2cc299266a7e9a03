#include "ui/widgets/gpu_now.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/format.h"
#include "draw/utf8.h"

enum { VALUE = 40, VALUES = 4 };

static void put_value(char *text, double value, eb_unit unit)
{
    text[0] = '\0';
    if (isfinite(value))
        (void)eb_format_value(text, VALUE, eb_real(value), unit);
}

const char *eb_gpu_words(const eb_gpu_now *gpu, const eb_gpu_memory *memory, int columns, char *buffer, size_t size)
{
    char value[VALUES][2 * VALUE + 8], used[VALUE], all[VALUE];
    put_value(value[0], gpu->sm_clock_hz, EB_HERTZ);
    put_value(value[1], gpu->power_w, EB_WATTS);
    value[2][0] = value[3][0] = '\0';
    put_value(used, memory->used_bytes, EB_BYTES);
    put_value(all, memory->all_bytes, EB_BYTES);
    if (isfinite(gpu->temperature_c))
        (void)snprintf(value[2], sizeof value[2], "%.0f °C", gpu->temperature_c);
    if (used[0] && all[0])
        (void)snprintf(value[3], sizeof value[3], "%s of %s", used, all);
    size_t length = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < VALUES; k++) {
        int wanted = eb_text_width(buffer) + (length > 0 ? 2 : 0) + eb_text_width(value[k]);
        if (!value[k][0] || wanted > columns || length + strlen(value[k]) + 3 > size)
            continue;
        length += (size_t)snprintf(buffer + length, size - length, "%s%s", length > 0 ? "  " : "", value[k]);
    }
    return buffer;
}
