#include "shell/exercises/exercise.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FAULTS = 8 };

const char *eb_exercise_call(const eb_exercise *exercise, size_t k, char *buffer, size_t size)
{
    (void)snprintf(buffer, size, "%s(%zu, %zu%s)", exercise->name, k / exercise->side, k % exercise->side,
                   exercise->more);
    return buffer;
}

void eb_fault(eb_faults *faults, const char *format, ...)
{
    char text[sizeof faults->first];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (faults->count == 0)
        (void)snprintf(faults->first, sizeof faults->first, "%s", text);
    if (faults->count++ < MOST_FAULTS)
        EB_ROW(faults->table, eb_text(text));
}
