#include "draw/large.h"

#include <stdlib.h>
#include <string.h>

#include "draw/large_font.h"
#include "draw/utf8.h"

enum { BLANK = 3, GAP = 1 }; /* dots of a blank, and between letters */

static const eb_glyph *find_glyph(uint32_t character)
{
    for (size_t k = 0; k < sizeof eb_glyphs / sizeof *eb_glyphs; k++)
        if (eb_glyphs[k].character == character)
            return &eb_glyphs[k];
    return NULL;
}

static int glyph_width(const eb_glyph *glyph) { return (int)strlen(glyph->row[0]); }

/* ---- dots ---- */

/* A line of text as dots; `at` is the column of the next letter. With `dot` NULL the line is only measured. */
typedef struct dots {
    char *dot; /* [EB_GLYPH_ROWS × width], row-major; 1: set */
    int width, at;
} dots;

static void put_glyph(dots *d, const eb_glyph *glyph)
{
    for (int y = 0; d->dot && y < EB_GLYPH_ROWS && glyph->row[y]; y++)
        for (int x = 0; glyph->row[y][x]; x++)
            d->dot[y * d->width + d->at + x] = glyph->row[y][x] == 'X';
    d->at += glyph_width(glyph) + GAP;
}

static void put_character(dots *d, const char *text, size_t bytes)
{
    const eb_glyph *glyph = find_glyph(eb_utf8_next(text, &bytes));
    if (text[0] == ' ') {
        d->at += BLANK + GAP;
        return;
    }
    if (glyph) {
        put_glyph(d, glyph);
        return;
    }
    char *one = strndup(text, bytes), *shown = one ? eb_utf8_shown(one, true) : NULL;
    for (const char *letter = shown; letter && *letter; letter++)
        put_glyph(d, find_glyph((unsigned char)*letter) ? find_glyph((unsigned char)*letter) : find_glyph('?'));
    free(one);
    free(shown);
}

static void put_text(dots *d, const char *text)
{
    size_t bytes;
    for (d->at = 0; *text; text += bytes) {
        (void)eb_utf8_next(text, &bytes);
        put_character(d, text, bytes);
    }
}

static int dots_wide(const char *text)
{
    dots d = {0};
    put_text(&d, text);
    return d.at > GAP ? d.at - GAP : 0;
}

/* ---- cells ---- */

/* Dots in a cell across and down. A dot of EB_LARGE_WIDE takes two cells. */
static int dots_across(eb_large size, bool unicode) { return size == EB_LARGE_NARROW && unicode ? 2 : 1; }
static int dots_down(eb_large size, bool unicode) { return size != EB_LARGE_WIDE && unicode ? 2 : 1; }

int eb_large_rows(eb_large size, bool unicode) { return EB_GLYPH_ROWS / dots_down(size, unicode); }

int eb_large_columns(eb_large size, bool unicode, const char *text)
{
    const int across = dots_across(size, unicode), wide = dots_wide(text);
    return size == EB_LARGE_WIDE ? 2 * wide : (wide + across - 1) / across;
}

static unsigned dot_at(const dots *d, int x, int y) { return x < d->width && d->dot[y * d->width + x] ? 1 : 0; }

/* Bits of the result: upper left 1, upper right 2, lower left 4, lower right 8. */
static unsigned dots_of_cell(const dots *d, int x, int y, int across, int down)
{
    unsigned set = dot_at(d, x, y) | dot_at(d, x + across - 1, y) << 1;
    return set | dot_at(d, x, y + down - 1) << 2 | dot_at(d, x + across - 1, y + down - 1) << 3;
}

static const uint32_t quarters[16] = {' ',    0x2598, 0x259D, 0x2580, 0x2596, 0x258C, 0x259E, 0x259B,
                                      0x2597, 0x259A, 0x2590, 0x259C, 0x2584, 0x2599, 0x259F, 0x2588};

static void put_cells(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, eb_large size, const dots *d)
{
    const int across = dots_across(size, canvas->unicode), down = dots_down(size, canvas->unicode);
    const int wide = size == EB_LARGE_WIDE ? 2 : 1;
    for (int row = 0; row < EB_GLYPH_ROWS / down; row++)
        for (int column = 0; column * across < d->width; column++) {
            const unsigned set = dots_of_cell(d, column * across, row * down, across, down);
            for (int k = 0; set && k < wide; k++)
                eb_put_cell(canvas, clip, x + column * wide + k, y + row, role, quarters[set], '#');
        }
}

void eb_put_large(eb_canvas *canvas, eb_rect clip, int x, int y, eb_role role, eb_large size, const char *text)
{
    dots d = {.width = dots_wide(text)};
    d.dot = calloc((size_t)(d.width + 1) * EB_GLYPH_ROWS, 1);
    if (!d.dot)
        return;
    put_text(&d, text);
    put_cells(canvas, clip, x, y, role, size, &d);
    free(d.dot);
}
