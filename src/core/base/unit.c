#include "core/base/unit.h"

const char *eb_unit_symbol(eb_unit unit)
{
    switch (unit) {
    case EB_SECONDS: return "s";
    case EB_BYTES: return "byte";
    case EB_HERTZ: return "Hz";
    case EB_TERAFLOPS: return "TFLOPS";
    case EB_JOULES: return "J";
    case EB_WATTS: return "W";
    case EB_PERCENT:
    case EB_RATIO:
    case EB_PLAIN:
    case EB_IDENTITY: break;
    }
    return "";
}
