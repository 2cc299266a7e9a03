#include "core/base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *eb_code_name(eb_code code)
{
    switch (code) {
    case EB_OK: return "ok";
    case EB_USAGE: return "usage";
    case EB_BAD_FORMAT: return "bad-format";
    case EB_BAD_VALUE: return "bad-value";
    case EB_IO: return "io";
    case EB_EXISTS: return "exists";
    case EB_NO_MEMORY: return "no-memory";
    case EB_TOO_LARGE: return "too-large";
    case EB_NO_DATASET: return "no-dataset";
    case EB_NO_DEVICE: return "no-device";
    case EB_NO_ENGINE: return "no-engine";
    case EB_UNREACHABLE: return "unreachable";
    case EB_NOT_FOUND: return "not-found";
    case EB_CANCELLED: return "cancelled";
    case EB_CHANGED: return "changed";
    case EB_LOG: return "log";
    case EB_INTERNAL: return "internal";
    }
    return "internal";
}

void eb_status_set(eb_status *status, eb_code code, const char *format, ...)
{
    if (!status)
        return;
    eb_status set = {.code = code}; /* a copy, because status->message may be among the arguments */
    va_list args;
    va_start(args, format);
    (void)vsnprintf(set.message, sizeof set.message, format, args);
    va_end(args);
    *status = set;
}

void eb_status_set_memory(eb_status *status, const char *what, unsigned long long bytes)
{
    eb_status_set(status, EB_NO_MEMORY, "out of memory: %s needs %llu bytes", what, bytes);
}
