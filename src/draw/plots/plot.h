/* draw_plot: curves, bands, points, histograms and stacked bars on a canvas. Braille dots (2 × 4 a cell) for lines and
 * points, eighths of blocks for bars; '*', '.', '#' on an ASCII canvas. NAN is a gap.
 */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"
#include "draw/plots/dots.h"
#include "draw/plots/ticks.h"
#include "draw/utf8.h"

typedef struct eb_axis {
    double low, high; /* low < high; > 0 when log */
    bool log;
    const char *title; /* NULL: none */
} eb_axis;

typedef struct eb_plot {
    eb_axis x, y;
    eb_rect area; /* out of eb_plot_frame: where the data go, axes excluded */
} eb_plot;

/* An axis that holds all the finite (and, when log, positive) values, a little wider; one value or none gives a
 * harmless one. */
eb_axis eb_axis_of(size_t count, const double *values, bool log, const char *title);

/* Axes with ticks at round numbers (1, 2, 5 × 10^k; decades when log), labels and titles. False: too small, nothing
 * drawn. */
bool eb_plot_frame(eb_canvas *canvas, eb_rect area, eb_plot *plot);

/* Lines between neighbouring points, clipped to the plot. */
void eb_plot_line(eb_canvas *canvas, const eb_plot *plot, size_t count, const double *x, const double *y, eb_role role);
/* The area between low and high, as light dots under what is drawn after. */
void eb_plot_band(eb_canvas *canvas, const eb_plot *plot, size_t count, const double *x, const double *low,
                  const double *high, eb_role role);
void eb_plot_points(eb_canvas *canvas, const eb_plot *plot, size_t count, const double *x, const double *y,
                    eb_role role);
/* A vertical line through the plot, its label at the end where there is room. */
void eb_plot_vertical(eb_canvas *canvas, const eb_plot *plot, double x, eb_role role, const char *label);
/* One sign at a place, with a label beside it. */
void eb_plot_mark(eb_canvas *canvas, const eb_plot *plot, double x, double y, eb_role role, uint32_t sign, char ascii,
                  const char *label);
/* Several signs, each with a label or NULL: no label stands on a sign or on another label, and none is cut
 * (labels.h). */
typedef struct eb_mark {
    double x, y;
    eb_role role;
    uint32_t sign;
    char ascii;
    const char *label;
} eb_mark;
enum { EB_MOST_MARKS = 64 }; /* more are drawn without labels */
void eb_plot_marks(eb_canvas *canvas, const eb_plot *plot, const eb_mark *marks, size_t count);
/* The value at a column of the canvas (its middle), and the column of a value (−1: outside). */
double eb_plot_x_at(const eb_plot *plot, int column);
int eb_plot_column(const eb_plot *plot, double x);

/* A histogram (EB_BARS series) with vertical bars: the bins between low and high of its x axis fill the area's width,
 * several bins a column or several columns a bin. Says how much lies under and over the axis, and outside the zoom. */
typedef struct eb_histogram_view {
    double low, high; /* the part of the axis shown; NAN: all */
    bool log;         /* counts on a log scale */
} eb_histogram_view;
void eb_draw_histogram(eb_canvas *canvas, eb_rect area, const eb_series *series, const eb_histogram_view *view);

/* A report's series as it usually is drawn: curves with their band, points, histograms. */
void eb_draw_series(eb_canvas *canvas, eb_rect area, const eb_series *series);

/* How a point's mark (series->mark) is drawn: letters take turns with the roles of series. */
eb_role eb_mark_role(char mark);

/* Horizontal bars one below the other, each of `parts` pieces in series roles: label, bar, its total formatted in
 * `unit`. All bars share one scale. value: [bars × parts], NAN: 0. A legend names the parts. Returns the rows taken,
 * cut or not. */
int eb_draw_stacked(eb_canvas *canvas, eb_rect area, size_t bars, const char *const *labels, size_t parts,
                    const char *const *part_names, const double *value, eb_unit unit);

/* An axis as it is drawn (ticks.h). */
eb_span eb_axis_span(const eb_axis *axis);

/* The cell of the plot, from its left or lower end, that holds the place of a share, in braille dots as all that is
 * drawn. */
int eb_plot_cell_across(const eb_plot *plot, double share);
int eb_plot_cell_up(const eb_plot *plot, double share);

/* What parts of a bar are filled with: they differ in that, not in colour only. */
typedef struct eb_filling {
    uint32_t block;
    char ascii;
} eb_filling;
eb_filling eb_filling_of(size_t part);

/* What stands in a cell of the canvas; NULL outside the canvas or the plot. */
const eb_cell *eb_plot_cell(const eb_canvas *canvas, const eb_plot *plot, int x, int y);
