#include "draw/svg.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "draw/colours.h"
#include "draw/figure/xml.h"

/* A cell's size is a multiple of eight in both directions, so that eighths of blocks and the 2 × 4 dots of braille lie
 * on whole pixels. */
enum { CELL = 8, ROW = 16, MARGIN = 8, BASELINE = 12 };

typedef enum kind { KIND_BLANK, KIND_TEXT, KIND_BLOCK, KIND_BRAILLE, KIND_FRAME } kind;

static kind kind_of(uint32_t c)
{
    return c == ' '                     ? KIND_BLANK
           : c >= 0x2580 && c <= 0x259F ? KIND_BLOCK
           : c >= 0x2800 && c <= 0x28FF ? KIND_BRAILLE
           : c >= 0x2500 && c <= 0x253C ? KIND_FRAME
                                        : KIND_TEXT;
}

/* Cells [from, end) of a row that are drawn as one element. */
typedef struct run {
    const eb_canvas *canvas;
    int from, end, row;
    eb_role role;
} run;

static int left_of(int column) { return MARGIN + CELL * column; }
static int top_of(int row) { return MARGIN + ROW * row; }

/* ---- colours ---- */

static uint32_t colour_of(short number, uint32_t otherwise)
{
    return number < 0 ? otherwise : eb_colour_rgb((unsigned)number);
}

static uint32_t ground_of(bool light) { return light ? EB_LIGHT_GROUND : EB_DARK_GROUND; }

static bool has_ground(eb_style style) { return style.background >= 0 || style.attributes & EB_STYLE_REVERSE; }

static void put_styles(FILE *out, bool light)
{
    for (int role = 0; role < EB_ROLES; role++) {
        eb_style style = eb_style_of((eb_role)role, EB_SCHEME_256, light);
        uint32_t ink = colour_of(style.foreground, light ? EB_LIGHT_INK : EB_DARK_INK);
        uint32_t ground = colour_of(style.background, ground_of(light));
        if (style.attributes & EB_STYLE_REVERSE) {
            uint32_t swapped = ink;
            ink = ground;
            ground = swapped;
        }
        (void)fprintf(out, ".r%d{fill:#%06X%s%s}.s%d{stroke:#%06X}", role, (unsigned)ink,
                      style.attributes & EB_STYLE_BOLD ? ";font-weight:bold" : "",
                      style.attributes & EB_STYLE_UNDERLINE ? ";text-decoration:underline" : "", role, (unsigned)ink);
        if (has_ground(style))
            (void)fprintf(out, ".g%d{fill:#%06X}", role, (unsigned)ground);
    }
}

/* ---- text ---- */

static void put_text(FILE *out, const run *r)
{
    (void)fprintf(out, "<text class=\"r%d\" x=\"%d\" y=\"%d\" textLength=\"%d\">", (int)r->role, left_of(r->from),
                  top_of(r->row) + BASELINE, CELL * (r->end - r->from));
    for (int x = r->from; x < r->end; x++) {
        const eb_cell *cell = eb_cell_at(r->canvas, x, r->row);
        if (cell->character)
            eb_xml_character(out, cell->character);
        if (cell->combining)
            eb_xml_character(out, cell->combining);
    }
    (void)fputs("</text>\n", out);
}

/* ---- shapes ---- */

static void put_rectangle(FILE *out, const run *r, int x, int y, int width, int height, int percent)
{
    (void)fprintf(out, "<rect class=\"r%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", (int)r->role, x, y, width,
                  height);
    if (percent < 100)
        (void)fprintf(out, " opacity=\".%d\"", percent);
    (void)fputs("/>\n", out);
}

/* Bits for U+2596 … U+259F: upper left 1, upper right 2, lower left 4, lower right 8. */
static void put_quadrants(FILE *out, const run *r, uint32_t c)
{
    static const unsigned quadrants[] = {4, 8, 1, 13, 9, 7, 11, 2, 6, 14};
    for (int x = r->from; x < r->end; x++)
        for (int q = 0; q < 4; q++)
            if (quadrants[c - 0x2596] >> q & 1)
                put_rectangle(out, r, left_of(x) + q % 2 * (CELL / 2), top_of(r->row) + q / 2 * (ROW / 2), CELL / 2,
                              ROW / 2, 100);
}

/* All cells of the run have the same block. */
static void put_blocks(FILE *out, const run *r)
{
    uint32_t c = eb_cell_at(r->canvas, r->from, r->row)->character;
    int x = left_of(r->from), y = top_of(r->row), width = CELL * (r->end - r->from), eighth = ROW / 8;
    if (c == 0x2580)
        put_rectangle(out, r, x, y, width, ROW / 2, 100);
    else if (c <= 0x2588)
        put_rectangle(out, r, x, y + ROW - (int)(c - 0x2580) * eighth, width, (int)(c - 0x2580) * eighth, 100);
    else if (c >= 0x2591 && c <= 0x2593)
        put_rectangle(out, r, x, y, width, ROW, 30 + 20 * (int)(c - 0x2590)); /* between dots and full */
    else if (c == 0x2594)
        put_rectangle(out, r, x, y, width, eighth, 100);
    else if (c >= 0x2596)
        put_quadrants(out, r, c);
    else
        for (int k = r->from; k < r->end; k++) {
            int part = c == 0x2590 ? CELL / 2 : c == 0x2595 ? CELL / 8 : (int)(0x2590 - c) * CELL / 8;
            bool right = c == 0x2590 || c == 0x2595;
            put_rectangle(out, r, left_of(k) + (right ? CELL - part : 0), y, part, ROW, 100);
        }
}

static void put_braille(FILE *out, const run *r)
{
    static const int column[8] = {0, 0, 0, 1, 1, 1, 0, 1}, row[8] = {0, 1, 2, 0, 1, 2, 3, 3};
    (void)fprintf(out, "<path class=\"d s%d\" d=\"", (int)r->role);
    for (int x = r->from; x < r->end; x++)
        for (int dot = 0; dot < 8; dot++)
            if (eb_cell_at(r->canvas, x, r->row)->character >> dot & 1)
                (void)fprintf(out, "M%d %dh0", left_of(x) + 2 + 4 * column[dot], top_of(r->row) + 2 + 4 * row[dot]);
    (void)fputs("\"/>\n", out);
}

/* The arms of a frame character: up 1, right 2, down 4, left 8. 0 for characters that are drawn as text. */
static unsigned arms_of(uint32_t c)
{
    switch (c) {
    case 0x2500: return 10; /* ─ */
    case 0x2502: return 5;  /* │ */
    case 0x250C: return 6;  /* ┌ */
    case 0x2510: return 12; /* ┐ */
    case 0x2514: return 3;  /* └ */
    case 0x2518: return 9;  /* ┘ */
    case 0x251C: return 7;  /* ├ */
    case 0x2524: return 13; /* ┤ */
    case 0x252C: return 14; /* ┬ */
    case 0x2534: return 11; /* ┴ */
    case 0x253C: return 15; /* ┼ */
    default: return 0;
    }
}

/* Number of cells from `from` on that make one horizontal line. */
static int straight(const run *r, int from)
{
    int x = from;
    while (x < r->end && arms_of(eb_cell_at(r->canvas, x, r->row)->character) == 10)
        x++;
    return x - from;
}

static void put_frame(FILE *out, const run *r)
{
    static const int across[4] = {0, CELL / 2, 0, -CELL / 2}, down[4] = {-ROW / 2, 0, ROW / 2, 0};
    int centre = top_of(r->row) + ROW / 2;
    (void)fprintf(out, "<path class=\"l s%d\" d=\"", (int)r->role);
    for (int x = r->from, cells; x < r->end; x += cells > 0 ? cells : 1) {
        cells = straight(r, x);
        if (cells > 0) {
            (void)fprintf(out, "M%d %dh%d", left_of(x), centre, CELL * cells);
            continue;
        }
        unsigned arms = arms_of(eb_cell_at(r->canvas, x, r->row)->character);
        for (int k = 0; k < 4; k++)
            if (arms >> k & 1)
                (void)fprintf(out, "M%d %dl%d %d", left_of(x) + CELL / 2, centre, across[k], down[k]);
    }
    (void)fputs("\"/>\n", out);
}

/* ---- the picture ---- */

static kind kind_at(const eb_canvas *canvas, int x, int y)
{
    const eb_cell *cell = eb_cell_at(canvas, x, y);
    kind k = cell->combining ? KIND_TEXT : kind_of(cell->character);
    return k == KIND_FRAME && arms_of(cell->character) == 0 ? KIND_TEXT : k;
}

/* True if the next cell joins the run. Text joins over single blanks, so that the words of a sentence stay together;
 * blocks join only equal blocks. */
static bool goes_on(const run *r, kind k)
{
    const eb_cell *first = eb_cell_at(r->canvas, r->from, r->row), *next = eb_cell_at(r->canvas, r->end, r->row);
    kind n = kind_at(r->canvas, r->end, r->row);
    bool more = r->end + 1 < r->canvas->width && kind_at(r->canvas, r->end + 1, r->row) == KIND_TEXT &&
                eb_cell_at(r->canvas, r->end + 1, r->row)->role == r->role;
    if (next->role != r->role)
        return false;
    if (k == KIND_TEXT && n == KIND_BLANK)
        return more;
    return n == k && (k != KIND_BLOCK || next->character == first->character);
}

static void put_run(FILE *out, const run *r, kind k)
{
    switch (k) {
    case KIND_TEXT: put_text(out, r); break;
    case KIND_BLOCK: put_blocks(out, r); break;
    case KIND_BRAILLE: put_braille(out, r); break;
    case KIND_FRAME: put_frame(out, r); break;
    case KIND_BLANK: break;
    }
}

/* Draws the backgrounds of columns [from, end). */
static void put_ground(const eb_canvas *canvas, bool light, FILE *out, int y, int from, int end)
{
    for (int x = from, next; x < end; x = next) {
        uint8_t role = eb_cell_at(canvas, x, y)->role;
        for (next = x + 1; next < end && eb_cell_at(canvas, next, y)->role == role; next++)
            ;
        if (has_ground(eb_style_of((eb_role)role, EB_SCHEME_256, light)))
            (void)fprintf(out, "<rect class=\"g%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", role, left_of(x),
                          top_of(y), CELL * (next - x), ROW);
    }
}

static void put_cells(const eb_canvas *canvas, bool light, FILE *out, int y, int from, int end)
{
    put_ground(canvas, light, out, y, from, end);
    for (int x = from; x < end;) {
        kind k = kind_at(canvas, x, y);
        run r = {canvas, x, x + 1, y, (eb_role)eb_cell_at(canvas, x, y)->role};
        while (r.end < end && goes_on(&r, k))
            r.end++;
        put_run(out, &r, k);
        x = r.end;
    }
}

static void put_beginning(const eb_canvas *canvas, bool light, FILE *out)
{
    int width = CELL * canvas->width + 2 * MARGIN, height = ROW * canvas->height + 2 * MARGIN;
    (void)
        fprintf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n<style>",
                width, height, width, height);
    (void)fputs("text{font:13px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre}"
                ".d{fill:none;stroke-width:3;stroke-linecap:round}.l{fill:none;stroke-width:1}",
                out);
    put_styles(out, light);
    (void)fprintf(out, "</style>\n<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#%06X\"/>\n", width, height,
                  (unsigned)ground_of(light));
    for (int y = 0; y < canvas->height; y++)
        put_cells(canvas, light, out, y, 0, canvas->width);
}

static eb_code put_end(FILE *out, eb_status *status)
{
    (void)fputs("</svg>\n", out);
    return ferror(out) ? eb_fail(status, EB_IO, "the picture could not be written") : EB_OK;
}

eb_code eb_canvas_svg(const eb_canvas *canvas, bool light, FILE *out, eb_status *status)
{
    put_beginning(canvas, light, out);
    return put_end(out, status);
}

/* ---- the film ---- */

static bool differs(const eb_canvas *canvas, const eb_cell *before, int x, int y)
{
    const eb_cell *a = eb_cell_at(canvas, x, y), *b = &before[(size_t)y * (size_t)canvas->width + (size_t)x];
    return a->character != b->character || a->combining != b->combining || a->role != b->role;
}

/* Draws the changed cells over the previous frame. */
static void put_differences(const eb_canvas *canvas, const eb_cell *before, bool light, FILE *out, int y)
{
    for (int x = 0, end; x < canvas->width; x = end + 1) {
        for (end = x; end < canvas->width && differs(canvas, before, end, y); end++)
            ;
        if (end == x)
            continue;
        (void)fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06X\"/>\n", left_of(x),
                      top_of(y), CELL * (end - x), ROW, (unsigned)ground_of(light));
        put_cells(canvas, light, out, y, x, end);
    }
}

static void put_film_frame(const eb_canvas *canvas, const eb_cell *before, bool light, double begin_s, FILE *out)
{
    (void)fprintf(out, "<g visibility=\"hidden\"><set attributeName=\"visibility\" to=\"visible\" begin=\"%.3fs\"/>\n",
                  begin_s);
    for (int y = 0; y < canvas->height; y++)
        put_differences(canvas, before, light, out, y);
    (void)fputs("</g>\n", out);
}

eb_code eb_canvas_film(const eb_canvas *canvas, const eb_film *film, bool light, FILE *out, eb_status *status)
{
    const size_t cells = (size_t)canvas->width * (size_t)canvas->height;
    eb_cell *before = malloc(cells * sizeof *before);
    if (!before)
        return eb_fail_memory(status, "a picture's frame", cells * sizeof *before);
    film->draw(film->context, film->frames - 1);
    put_beginning(canvas, light, out);
    for (size_t frame = 0; frame < film->frames; frame++) {
        memcpy(before, canvas->cell, cells * sizeof *before);
        film->draw(film->context, frame);
        put_film_frame(canvas, before, light, (double)frame * film->frame_s, out);
    }
    free(before);
    return put_end(out, status);
}
