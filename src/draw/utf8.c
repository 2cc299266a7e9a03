#include "draw/utf8.h"

#include <stdlib.h>
#include <string.h>

#define REPLACEMENT 0xFFFDu

uint32_t eb_utf8_next(const char *text, size_t *length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* a shorter form would have done: not UTF-8 */
    unsigned char first = (unsigned char)text[0];
    *length = first != 0;
    if (first < 0x80)
        return first;
    size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4)
        return REPLACEMENT;
    uint32_t c = first & (0x7Fu >> bytes);
    for (size_t k = 1; k < bytes; k++) {
        unsigned char next = (unsigned char)text[k];
        if ((next & 0xC0u) != 0x80u)
            return REPLACEMENT;
        c = c << 6 | (next & 0x3Fu);
    }
    if (c < least[bytes] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return REPLACEMENT;
    *length = bytes;
    return c;
}

/* ---- columns ---- */

typedef struct range {
    uint32_t first, last;
} range;

static const range without_width[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};

static const range wide[] = {
    {0x1100, 0x115F}, {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

static bool within(const range *ranges, size_t count, uint32_t c)
{
    for (size_t k = 0; k < count && c >= ranges[k].first; k++)
        if (c <= ranges[k].last)
            return true;
    return false;
}

static size_t columns_of(uint32_t c)
{
    if (c < 0x300)
        return 1;
    if (within(without_width, sizeof without_width / sizeof without_width[0], c))
        return 0;
    return within(wide, sizeof wide / sizeof wide[0], c) ? 2 : 1;
}

size_t eb_utf8_columns(const char *text, size_t length)
{
    size_t columns = 0, bytes;
    for (size_t k = 0; k < length && text[k]; k += bytes)
        columns += columns_of(eb_utf8_next(text + k, &bytes));
    return columns;
}

/* ---- copies ---- */

typedef struct stand_in {
    uint32_t c;
    const char *ascii;
} stand_in;

static const stand_in stand_ins[] = {
    {0x00A0, " "},    {0x00B0, "deg "}, {0x00B1, "+-"},    {0x00B2, "^2"},  {0x00B5, "u"},      {0x00B7, "*"},
    {0x00D7, "x"},    {0x00F6, "oe"},   {0x03B1, "alpha"}, {0x03B5, "eps"}, {0x03BB, "lambda"}, {0x03C3, "sigma"},
    {0x2013, "-"},    {0x2014, "-"},    {0x2016, "||"},    {0x2018, "'"},   {0x2019, "'"},      {0x201C, "\""},
    {0x201D, "\""},   {0x2022, "*"},    {0x2026, "..."},   {0x2190, "<-"},  {0x2191, "up"},     {0x2192, "->"},
    {0x2193, "down"}, {0x2194, "<->"},  {0x2208, " in "},  {0x2212, "-"},   {0x221A, "sqrt "},  {0x2229, "&"},
    {0x222A, "|"},    {0x2248, "~"},    {0x2260, "!="},    {0x2264, "<="},  {0x2265, ">="},     {0x27E8, "<"},
    {0x27E9, ">"},
};

static const char *ascii_of(uint32_t c)
{
    for (size_t k = 0; k < sizeof stand_ins / sizeof stand_ins[0]; k++)
        if (stand_ins[k].c == c)
            return stand_ins[k].ascii;
    return "?";
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

char *eb_utf8_shown(const char *text, bool ascii)
{
    /* No stand-in has more than three times its character's bytes; U+FFFD has three for one. */
    size_t room = 3 * strlen(text) + 1, used = 0, bytes;
    char *copy = malloc(room);
    if (!copy)
        return NULL;
    for (; *text; text += bytes) {
        uint32_t c = eb_utf8_next(text, &bytes);
        const char *piece = text;
        size_t length = bytes;
        if (c == '\n' || c == '\r' || c == '\t')
            piece = " ", length = 1;
        else if (is_control(c) || c == REPLACEMENT)
            piece = ascii ? "?" : "\xEF\xBF\xBD", length = strlen(piece);
        else if (ascii && c >= 0x80)
            piece = ascii_of(c), length = strlen(piece);
        memcpy(copy + used, piece, length);
        used += length;
    }
    copy[used] = '\0';
    return copy;
}

char *eb_utf8_valid(const char *text)
{
    size_t used = 0, bytes;
    char *copy = malloc(3 * strlen(text) + 1);
    if (!copy)
        return NULL;
    for (; *text; text += bytes) {
        bool bad = eb_utf8_next(text, &bytes) == REPLACEMENT;
        memcpy(copy + used, bad ? "\xEF\xBF\xBD" : text, bad ? 3 : bytes);
        used += bad ? 3 : bytes;
    }
    copy[used] = '\0';
    return copy;
}

/* ---- lines ---- */

size_t eb_utf8_line(const char **text, size_t columns)
{
    const char *start = *text;
    size_t length = 0, used = 0, blank = 0, bytes;
    bool broken = false;
    while (start[length]) {
        size_t width = columns_of(eb_utf8_next(start + length, &bytes));
        if (start[length] == ' ')
            blank = length;
        if (used + width > columns && length > 0) {
            broken = true;
            break;
        }
        used += width;
        length += bytes;
    }
    if (broken && blank > 0)
        length = blank;
    *text = start + length;
    if (broken)
        *text += strspn(*text, " ");
    while (broken && length > 0 && start[length - 1] == ' ')
        length--;
    return length;
}
