/* picture: one picture of a report, as figures draw it below its title. Each kind tells how high it is for a width, and
 * draws itself into a box of that size. */
#pragma once

#include "core/report/report.h"
#include "draw/figure/axes.h"
#include "draw/figure/sheet.h"

typedef struct eb_picture {
    const eb_report *report;
    const eb_item *item; /* a series, or a table that is shown as a picture */
} eb_picture;

/* The picture with this number (figure.h); false beyond the last one. (pictures.c) */
bool eb_picture_at(const eb_report *report, size_t index, eb_picture *out);

double eb_picture_height(const eb_picture *picture, double width);
void eb_picture_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area);

/* ---- lines.c: EB_LINE, with bands or the range of trials, and what the report marks on it; EB_POINTS ---- */

double eb_lines_height(const eb_picture *picture, double width);
void eb_lines_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area);

/* ---- bins.c: EB_BARS ---- */

double eb_bins_height(const eb_picture *picture, double width);
void eb_bins_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area);

/* ---- heat.c: EB_HEAT ---- */

double eb_heat_height(const eb_picture *picture, double width);
void eb_heat_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area);

/* ---- tables.c: tables that screens show as pictures: EB_AS_TIMELINE, EB_AS_MEMORY ---- */

double eb_timeline_height(const eb_picture *picture, double width);
void eb_timeline_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area);
double eb_memory_height(const eb_picture *picture, double width);
void eb_memory_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area);

/* ---- chart.c: horizontal bars, made of tables that panels show as bars (charts.c) ---- */

enum { EB_CHART_ROWS = 48, EB_CHART_PARTS = 12, EB_CHART_NAME = 64 };

typedef struct eb_chart {
    size_t rows, parts;
    bool stacked; /* the parts of a row are one bar; otherwise bars one below another */
    const char *axis;
    eb_unit unit;
    double least; /* where bars begin */
    char row[EB_CHART_ROWS][EB_CHART_NAME];
    char part[EB_CHART_PARTS][EB_CHART_NAME];
    double value[EB_CHART_ROWS][EB_CHART_PARTS];                                    /* NAN: unknown */
    double low[EB_CHART_ROWS][EB_CHART_PARTS], high[EB_CHART_ROWS][EB_CHART_PARTS]; /* ranges of bars; NAN: unknown */
} eb_chart;

/* The chart that a report's table is; false: it is none. */
bool eb_chart_of(const eb_report *report, const eb_item *item, eb_chart *out);

double eb_chart_height(const eb_picture *picture, double width);
void eb_chart_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area);

/* ---- marks.c: points of a curve that its report tells, with their names: wanted selectivities, the elbow ---- */

void eb_marks_draw(const eb_axes *axes, const eb_picture *picture);
