/* picture: one picture of a report, as figures draw it below its title. Each kind tells how high it is for a width, and
 * draws itself into a box of that size. */
#pragma once

#include "core/report/report.h"
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
