#include "draw/figure/xml.h"

#include <stddef.h>

#include "draw/utf8.h"

void eb_xml_character(FILE *out, uint32_t c)
{
    if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF)
        c = 0xFFFD;
    if (c > 0x7E || c == '<' || c == '>' || c == '&')
        (void)fprintf(out, "&#x%X;", (unsigned)c);
    else
        (void)fputc((int)c, out);
}

void eb_xml_text(FILE *out, const char *text)
{
    size_t length;
    for (uint32_t c; (c = eb_utf8_next(text, &length)) != 0; text += length)
        eb_xml_character(out, c);
}
