/* axes: the looks that all figures share, and a plot's axes with ticks, grid lines, titles and units. */
#pragma once

#include "core/report/report.h"
#include "draw/figure/sheet.h"
#include "draw/plots/plot.h"

/* ---- looks ---- */

#define EB_TEXT_SIZE 8.0
#define EB_SMALL_SIZE 7.5
#define EB_TITLE_SIZE 8.5
#define EB_CAPTION_SIZE 7.0
#define EB_LINE_HEIGHT 1.25 /* of the font's size */

enum { EB_BLACK = 0x000000, EB_DARK = 0x333333, EB_GREY = 0x666666, EB_PALE = 0xE3E3E3 };

/* Colours that differ for all people (Okabe and Ito), dashes and signs that differ in grey; k from 0, in turn. */
uint32_t eb_figure_colour(size_t k);
eb_dash eb_figure_dash(size_t k);
eb_sign eb_figure_sign(size_t k);

/* ---- a legend ---- */

typedef struct eb_legend_entry {
    const char *text;
    double sign_size; /* 0: no sign */
    eb_ink line;      /* width 0: no line */
    eb_ink sign_ink;
    eb_sign sign;
    bool box; /* a filled box in the ink `line` instead */
} eb_legend_entry;

/* Entries side by side, in as many rows as they need. The height in points; sheet NULL: only the height. */
double eb_figure_legend(const eb_sheet *sheet, eb_spot at, double width, const eb_legend_entry *entry, size_t count);

/* ---- axes ---- */

/* Numbers of one axis share a unit: 0.0012 s is 1.2 on an axis in ms. */
typedef struct eb_axis_unit {
    double factor;    /* from the report's unit to this one */
    const char *name; /* "": none */
} eb_axis_unit;
eb_axis_unit eb_axis_unit_of(eb_unit unit, double most);

typedef struct eb_axes {
    const eb_sheet *sheet;
    eb_axis x, y;
    eb_unit x_unit, y_unit;
    eb_box box; /* of the data; set by eb_axes_draw */
} eb_axes;

/* Draws grid lines, ticks, axes and titles inside `area` and sets axes->box. */
void eb_axes_draw(eb_axes *axes, eb_box area);

/* The same without a y axis: bars beside their names have one axis below them. The whole of `area` but for the axis is
 * the data's box. */
void eb_axes_draw_below(eb_axes *axes, eb_box area);

/* Begins clipping to the data's box, with a margin for lines along its edges; ends it. */
void eb_axes_clip(const eb_axes *axes);
void eb_axes_unclip(const eb_axes *axes);

/* The place of a pair of values; not finite where one cannot be drawn. */
eb_spot eb_axes_spot(const eb_axes *axes, double x, double y);

/* A tick's label as print has it: "1e6" becomes "10⁶", "20000" "20,000". Returns buffer. */
char *eb_figure_number(const char *label, char *buffer, size_t size);
