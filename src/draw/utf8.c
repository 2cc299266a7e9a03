#include "draw/utf8.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "core/files/cell.h"

#define REPLACEMENT 0xFFFDu

uint32_t eb_utf8_next(const char *text, size_t *length)
{
    *length = text[0] != '\0';
    if ((unsigned char)text[0] < 0x80) /* the common case */
        return (unsigned char)text[0];
    utf8proc_int32_t c;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)strnlen(text, 4), &c);
    if (bytes < 0)
        return REPLACEMENT;
    *length = (size_t)bytes;
    return (uint32_t)c;
}

size_t eb_utf8_encode(uint32_t c, char out[4])
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)c, (utf8proc_uint8_t *)out);
}

static size_t columns_of(uint32_t c) { return c < 0x300 ? 1 : (size_t)utf8proc_charwidth((utf8proc_int32_t)c); }

size_t eb_utf8_columns(const char *text, size_t length)
{
    size_t columns = 0, bytes;
    for (size_t k = 0; k < length && text[k]; k += bytes)
        columns += columns_of(eb_utf8_next(text + k, &bytes));
    return columns;
}

int eb_text_width(const char *text) { return (int)eb_utf8_columns(text, SIZE_MAX); }

int eb_wider(int width, const char *text)
{
    int columns = eb_text_width(text);
    return columns > width ? columns : width;
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

/* Kinds of copies of a text. Each kind also makes the replacements of the kinds before it. */
typedef enum copying {
    VALID,    /* bytes that are not UTF-8 become U+FFFD */
    HARMLESS, /* control characters become U+FFFD */
    SHOWN,    /* line ends and tabs become blanks */
    ASCII     /* all else becomes ASCII */
} copying;

/* The text that stands for the character at `text`; NULL: the character itself. */
static const char *stand_in_for(const char *text, uint32_t c, copying how)
{
    if (how >= SHOWN && (c == '\n' || c == '\r' || c == '\t'))
        return " ";
    if (c == REPLACEMENT || (how >= HARMLESS && eb_control_bytes(text) > 0))
        return how == ASCII ? "?" : "\xEF\xBF\xBD";
    return how == ASCII && c >= 0x80 ? ascii_of(c) : NULL;
}

static char *copy_as(const char *text, copying how)
{
    /* No stand-in has more than three times its character's bytes; U+FFFD has three for one. */
    size_t used = 0, bytes;
    char *copy = malloc(3 * strlen(text) + 1);
    if (!copy)
        return NULL;
    for (; *text; text += bytes) {
        uint32_t c = eb_utf8_next(text, &bytes);
        const char *other = stand_in_for(text, c, how);
        size_t length = other ? strlen(other) : bytes;
        memcpy(copy + used, other ? other : text, length);
        used += length;
    }
    copy[used] = '\0';
    return copy;
}

char *eb_utf8_shown(const char *text, bool ascii) { return copy_as(text, ascii ? ASCII : SHOWN); }

char *eb_utf8_valid(const char *text) { return copy_as(text, VALID); }

char *eb_utf8_harmless(const char *text) { return copy_as(text, HARMLESS); }

void eb_complain(FILE *err, const char *who, const char *sentence)
{
    char *name = who ? eb_utf8_shown(who, false) : NULL, *shown = eb_utf8_shown(sentence, false);
    (void)fprintf(err, "epsbench: %s%s%s\n", name ? name : "", name ? ": " : "", shown ? shown : "out of memory");
    free(name);
    free(shown);
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

/* ---- case ---- */

static bool is_ascii(const char *text)
{
    while (*text > 0)
        text++;
    return *text == '\0';
}

/* A copy without differences of case; NULL: out of memory, or not UTF-8. */
static char *folded(const char *text)
{
    utf8proc_uint8_t *copy = NULL;
    const utf8proc_ssize_t length =
        utf8proc_map((const utf8proc_uint8_t *)text, 0, &copy,
                     UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
    return length < 0 ? NULL : (char *)copy;
}

static bool contains(const char *text, const char *other) { return strstr(text, other) != NULL; }
static bool is_equal(const char *text, const char *other) { return strcmp(text, other) == 0; }

static bool folded_are(bool (*related)(const char *, const char *), const char *text, const char *other)
{
    char *a = folded(text), *b = folded(other);
    const bool are = a && b && related(a, b);
    free(a);
    free(b);
    return are;
}

bool eb_utf8_contains(const char *text, const char *other)
{
    return strcasestr(text, other) || (!is_ascii(other) && folded_are(contains, text, other));
}

bool eb_utf8_alike(const char *text, const char *other)
{
    return strcasecmp(text, other) == 0 || (!is_ascii(other) && folded_are(is_equal, text, other));
}
