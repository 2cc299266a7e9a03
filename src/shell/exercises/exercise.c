#include "shell/exercises/exercise.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/text_file.h"

enum { MOST_FAULTS = 8 };

eb_code eb_exercise_read(const char *path, const char *what, char **out, eb_status *status)
{
    FILE *file;
    EB_TRY(eb_text_stream(path, path, what, EB_SETTINGS_BYTES, &file, status));
    char *text = malloc(EB_SETTINGS_BYTES + 1);
    const size_t size = text ? fread(text, 1, EB_SETTINGS_BYTES, file) : 0;
    (void)fclose(file);
    if (!text)
        return eb_fail_memory(status, "a text", EB_SETTINGS_BYTES + 1);
    text[size] = '\0';
    *out = text;
    return EB_OK;
}

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
