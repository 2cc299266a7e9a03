#include "core/files/cell.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"

static bool is_number(const char *text)
{
    if (text[strspn(text, "+-.0123456789eE")] != '\0')
        return false;
    char *end;
    (void)strtod(text, &end);
    return *end == '\0';
}

bool eb_is_formula(const char *text)
{
    return text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL && !is_number(text);
}

void eb_put_csv_text(FILE *out, const char *text)
{
    bool quoted = text[strcspn(text, ",\"\r\n")] != '\0';
    (void)fputs(quoted ? "\"" : "", out);
    (void)fputs(eb_is_formula(text) ? "'" : "", out);
    for (; *text; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputs(quoted ? "\"" : "", out);
}

void eb_put_csv_value(FILE *out, eb_value value)
{
    char number[64] = "";
    switch (value.kind) {
    case EB_NA: break;
    case EB_BOOL: (void)fputs(value.as.boolean ? "true" : "false", out); break;
    case EB_INTEGER: (void)snprintf(number, sizeof number, "%lld", (long long)value.as.integer); break;
    case EB_UNSIGNED: (void)snprintf(number, sizeof number, "%llu", (unsigned long long)value.as.u64); break;
    case EB_REAL: (void)eb_format_exact(number, sizeof number, value.as.real); break;
    case EB_TEXT: eb_put_csv_text(out, value.as.text); break;
    }
    (void)fputs(number, out);
}

/* Control characters are those below U+0020 and DEL, U+0080 to U+009F, and those that change the writing direction. */
size_t eb_control_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x20)
        return c[0] != '\0' && c[0] != '\n' && c[0] != '\t';
    if (c[0] == 0x7F)
        return 1;
    if (c[0] == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0)
        return 2;
    const bool turns = c[0] == 0xE2 && ((c[1] == 0x80 && c[2] >= 0xAA && c[2] <= 0xAE) ||
                                        (c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9));
    return turns ? 3 : 0;
}
