/* plot: curves, bands, points, histograms and stacked bars on a canvas. Lines and points are braille dots (2 × 4 a
 * cell), bars are eighths of blocks; an ASCII canvas gets '*', '.' and '#'. NAN is a gap. */
#pragma once

#include "core/report/report.h"
#include "draw/canvas.h"
#include "draw/utf8.h"

/* ---- dots.c: lines and points as dots ---- */

#define EB_BRAILLE 0x2800u /* U+2800 + the bits of the dots */
enum { EB_BRAILLE_ACROSS = 2, EB_BRAILLE_UP = 4 };

/* Bit of dot (i, j) in its braille character; i and j count from the plot's lower left. */
uint8_t eb_braille_bit(size_t i, size_t j);

/* A drawing tool for dots: a braille character has 2 × 4 of them. The dots go to a callback, one after another. */
typedef struct eb_pen {
    size_t across, up; /* dots of the whole plot; (0, 0) is the lower left */
    void (*dot)(void *context, size_t i, size_t j);
    void *context;
} eb_pen;

/* Places are shares of the plot, 0 … 1 from its lower left. Places outside, and NAN, leave no dots. */
void eb_pen_dot(const eb_pen *pen, double x, double y);
void eb_pen_line(const eb_pen *pen, double x0, double y0, double x1, double y1);

/* ---- plot.c: ticks, which are round numbers along an axis ---- */

enum { EB_MOST_TICKS = 12, EB_TICK_LABEL = 24 };

/* The range of an axis as drawn: log10 of the values on a log axis. */
typedef struct eb_span {
    double low, high; /* low < high, their difference finite */
    bool log;
} eb_span;

/* A value as drawn; NAN if it cannot be drawn (NAN; on a log axis, a value ≤ 0). Values beyond ±1e300 are cut to it, so
 * that differences do not overflow. */
double eb_span_drawn(const eb_span *span, double value);

/* The span of all values that can be drawn. A single value gets a small range around it; no value gives 0 … 1 (1 … 10
 * where log). */
eb_span eb_span_of(size_t count, const double *values, bool log);

/* The place of a value between the ends, 0 … 1 (outside: less or more); NAN if the value cannot be drawn. */
double eb_span_share(const eb_span *span, double value);

typedef struct eb_ticks {
    size_t count;
    double share[EB_MOST_TICKS];              /* ascending */
    char label[EB_MOST_TICKS][EB_TICK_LABEL]; /* ASCII; neighbours differ */
} eb_ticks;

/* Finds about `most` ticks (2 to EB_MOST_TICKS): even steps of 1, 2, 5 × 10^k, or decades if the span is logarithmic
 * and contains decades. */
void eb_ticks_find(const eb_span *span, size_t most, eb_ticks *out);

/* ---- plot.c: axes and the frame ---- */

typedef struct eb_axis {
    double low, high; /* low < high; > 0 when log */
    bool log;
    const char *title; /* NULL: none */
} eb_axis;

typedef struct eb_plot {
    eb_axis x, y;
    eb_rect area; /* set by eb_plot_frame: the rectangle of the data, without the axes */
} eb_plot;

/* An axis that holds all finite values (on a log axis: all positive ones) with a small margin. For one value or none
 * the axis is still valid. */
eb_axis eb_axis_of(size_t count, const double *values, bool log, const char *title);

/* Draws axes with labels, titles and ticks at round numbers (1, 2, 5 × 10^k; decades when log). False, and nothing
 * drawn, if the area is too small. */
bool eb_plot_frame(eb_canvas *canvas, eb_rect area, eb_plot *plot);

/* Draws lines between successive points, clipped to the plot. */
void eb_plot_line(eb_canvas *canvas, const eb_plot *plot, size_t count, const double *x, const double *y, eb_role role);
/* Fills the area between low and high with sparse dots; later drawing covers them. */
void eb_plot_band(eb_canvas *canvas, const eb_plot *plot, size_t count, const double *x, const double *low,
                  const double *high, eb_role role);
void eb_plot_points(eb_canvas *canvas, const eb_plot *plot, size_t count, const double *x, const double *y,
                    eb_role role);
/* Draws a vertical line through the plot, with a label at its end where there is room. */
void eb_plot_vertical(eb_canvas *canvas, const eb_plot *plot, double x, eb_role role, const char *label);
/* Draws one sign with a label beside it. */
void eb_plot_mark(eb_canvas *canvas, const eb_plot *plot, double x, double y, eb_role role, uint32_t sign, char ascii,
                  const char *label);
/* Draws several signs, each with a label or NULL. No label covers a sign or another label, and none is
 * cut. */
typedef struct eb_mark {
    double x, y;
    eb_role role;
    uint32_t sign;
    char ascii;
    const char *label;
} eb_mark;
enum { EB_MOST_MARKS = 64 }; /* further signs have no labels */
void eb_plot_marks(eb_canvas *canvas, const eb_plot *plot, const eb_mark *marks, size_t count);
/* The x value at the middle of a canvas column, and the canvas column of an x value; −1: outside the plot. */
double eb_plot_x_at(const eb_plot *plot, int column);
int eb_plot_column(const eb_plot *plot, double x);

/* Draws a histogram (an EB_BARS series) with vertical bars. The bins between low and high fill the area's width, with
 * several bins in a column or several columns for a bin. A note counts what lies under and over the axis, and outside
 * the zoom. */
typedef struct eb_histogram_view {
    double low, high; /* the part of the x axis shown; NAN: all */
    bool log;         /* counts on a log scale */
} eb_histogram_view;
void eb_draw_histogram(eb_canvas *canvas, eb_rect area, const eb_series *series, const eb_histogram_view *view);

/* Draws a report's series in its usual form: curves with their band, points, a histogram or a heat map. */
void eb_draw_series(eb_canvas *canvas, eb_rect area, const eb_series *series);

/* The role for a point's mark (series->mark): letters take the series roles in turn. */
eb_role eb_mark_role(char mark);

/* Draws horizontal bars one below the other, each with a label, `parts` pieces in series roles and its total in `unit`.
 * All bars share one scale. value: [bars × parts]; NAN counts as 0. A legend names the parts. Returns the number of
 * rows, cut or not. */
int eb_draw_stacked(eb_canvas *canvas, eb_rect area, size_t bars, const char *const *labels, size_t parts,
                    const char *const *part_names, const double *value, eb_unit unit);

/* The same with a text behind the total of each bar: [bars], each may be "". All are left out where bars would be too
 * short. */
int eb_draw_stacked_beside(eb_canvas *canvas, eb_rect area, size_t bars, const char *const *labels,
                           const char *const *beside, size_t parts, const char *const *part_names, const double *value,
                           eb_unit unit);

eb_span eb_axis_span(const eb_axis *axis);

/* The cell, counted from the plot's lower end, that holds the place of a share of its height. Places are rounded to
 * braille dots, as for everything drawn. */
int eb_plot_cell_up(const eb_plot *plot, double share);

/* The filling of a bar's part: parts differ by filling, not only by colour. */
typedef struct eb_filling {
    uint32_t block;
    char ascii;
} eb_filling;
eb_filling eb_filling_of(size_t part);

/* The canvas cell at (x, y); NULL outside the canvas or the plot. */
const eb_cell *eb_plot_cell(const eb_canvas *canvas, const eb_plot *plot, int x, int y);

/* ---- labels.c: the places of labels ---- */

typedef struct eb_plot_label {
    int x, y;       /* the mark's cell; outside the area: no mark */
    int width;      /* columns of the text; 0: none */
    int at_x, at_y; /* out: where the text begins */
    bool placed;    /* out: false if there is no room near the mark */
} eb_plot_label;

/* A cell's content before labels are drawn: 0: nothing, 1: something that a label may cover, −1: something that none
 * may touch. */
typedef int (*eb_ground)(const void *context, int x, int y);

/* Places each label beside its mark (right, then left), else one row above or below, else two. Earlier marks choose
 * first. No label covers a mark or another label, and labels avoid the curve where they can. */
void eb_place_labels(eb_plot_label *labels, size_t count, eb_rect area, eb_ground ground, const void *context);
