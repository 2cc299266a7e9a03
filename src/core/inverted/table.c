#include "core/inverted/table.h"

const char *eb_table_format_name(eb_table_format format)
{
    static const char *const names[EB_TABLE_FORMATS] =
        {[EB_TABLE_F32] = "f32",   [EB_TABLE_F16] = "f16",   [EB_TABLE_E5M3] = "e5m3", [EB_TABLE_E4M4] = "e4m4",
         [EB_TABLE_E4M3] = "e4m3", [EB_TABLE_E5M2] = "e5m2", [EB_TABLE_U8] = "u8"};
    return names[format];
}

size_t eb_table_entry_bytes(eb_table_format format)
{
    return format == EB_TABLE_F32 ? sizeof(float) : format == EB_TABLE_F16 ? sizeof(uint16_t) : 1;
}
