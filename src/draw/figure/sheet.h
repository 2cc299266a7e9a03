/* sheet: a page of vector graphics, drawn by one of several writers: SVG (sheet_svg.c), or PNG and PDF by the library
 * cairo (sheet_cairo.c). Lengths are points (1/72 inch); x goes right and y down from the upper left. A spot with a
 * coordinate that is not finite is a gap in a line and no sign elsewhere. Colours are 0xRRGGBB.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/status.h"

typedef struct eb_spot {
    double x, y;
} eb_spot;

typedef struct eb_box {
    double x, y, width, height;
} eb_box;

typedef enum eb_dash { EB_DASH_SOLID, EB_DASH_LONG, EB_DASH_DOT, EB_DASH_DASH_DOT, EB_DASH_SHORT, EB_DASHES } eb_dash;

typedef struct eb_ink {
    uint32_t colour;
    double opacity; /* 0 … 1; 0 means 1, so that an ink may leave it out */
    double width;   /* of a line; 0: an area is filled */
    eb_dash dash;
} eb_ink;

typedef enum eb_sign {
    EB_SIGN_DISC,
    EB_SIGN_SQUARE,
    EB_SIGN_UP,
    EB_SIGN_DIAMOND,
    EB_SIGN_CROSS, /* of two lines, as EB_SIGN_PLUS */
    EB_SIGN_DOWN,
    EB_SIGN_PLUS,
    EB_SIGN_RING,
    EB_SIGNS
} eb_sign;

typedef enum eb_anchor { EB_ANCHOR_START, EB_ANCHOR_MIDDLE, EB_ANCHOR_END } eb_anchor;

typedef struct eb_lettering {
    double size; /* points */
    uint32_t colour;
    eb_anchor anchor;
    bool bold, upwards; /* upwards: turned by 90°, read from below */
} eb_lettering;

/* What a writer offers. Arguments are checked and finite. */
typedef struct eb_sheet_writer {
    void (*line)(void *context, size_t count, const eb_spot *spot, bool closed, const eb_ink *ink);
    void (*signs)(void *context, size_t count, const eb_spot *spot, eb_sign sign, double size, const eb_ink *ink);
    void (*text)(void *context, eb_spot at, const eb_lettering *lettering, const char *text);
    void (*clip)(void *context, const eb_box *box); /* NULL: the clipping ends */
} eb_sheet_writer;

typedef struct eb_sheet {
    const eb_sheet_writer *writer;
    void *context;
} eb_sheet;

/* ---- drawing (sheet.c) ---- */

void eb_sheet_line(const eb_sheet *sheet, size_t count, const eb_spot *spot, const eb_ink *ink);
void eb_sheet_rule(const eb_sheet *sheet, eb_spot from, eb_spot to, const eb_ink *ink); /* a straight line */
void eb_sheet_area(const eb_sheet *sheet, size_t count, const eb_spot *spot, const eb_ink *ink);
void eb_sheet_box(const eb_sheet *sheet, eb_box box,
                  const eb_ink *ink); /* filled, or drawn where the ink has a width */
void eb_sheet_signs(const eb_sheet *sheet, size_t count, const eb_spot *spot, eb_sign sign, double size,
                    const eb_ink *ink);
void eb_sheet_text(const eb_sheet *sheet, double x, double y, const eb_lettering *lettering, const char *text);

/* Draws text broken at blanks into lines of at most `width`; y is the first line's baseline. Returns the number of
 * lines. sheet NULL: only counts them. */
size_t eb_sheet_words(const eb_sheet *sheet, eb_spot at, double width, const eb_lettering *lettering, const char *text);

/* The outline of a sign of size 1 around (0, 0): its corners. 0 corners: a circle. */
size_t eb_sign_corners(eb_sign sign, const eb_spot **corner);
bool eb_sign_is_lines(eb_sign sign); /* pairs of corners are lines; nothing is filled */

/* The dashes of a line of width 1: lengths of lines and gaps in turn. Returns their number; 0: a solid line. */
size_t eb_dash_lengths(eb_dash dash, const double **length);

/* The width of text in points, as wide as the widest usual font draws it (DejaVu Sans). */
double eb_lettering_width(const eb_lettering *lettering, const char *text);

/* ---- writers ---- */

/* Begins an SVG document of the given size, with a title and a description for people who do not see it. */
eb_sheet eb_svg_begin(FILE *out, double width, double height, const char *title, const char *description);
void eb_svg_end(FILE *out);
