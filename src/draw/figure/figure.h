/* figure: draws the pictures of a report as vector graphics for a paper: curves, histograms, points, heat maps, bars,
 * timelines, levels of memory. They are the pictures that text and panels show with characters (draw/plots), with the
 * same ticks and axes, and with units, legends and a caption that says what was measured.
 *
 * Pictures of a report are numbered from 0 in the order of its items. A document is EB_COLUMN_WIDTH points wide unless
 * said otherwise, one column of a paper; its height follows. Text is 7 to 9 points high. Colours are told apart by
 * people with any colour vision; dashes and signs tell lines and groups apart in grey.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "core/base/status.h"
#include "core/report/report.h"

#define EB_COLUMN_WIDTH 252.0    /* points: 3.5 inches */
#define EB_PAGE_WIDTH 504.0      /* two columns */
#define EB_PNG_DOTS (300.0 / 72) /* a point: 300 dots an inch */
#define EB_ALL_PICTURES ((size_t) - 1)

/* The number of pictures; 0 also for NULL. */
size_t eb_figure_count(const eb_report *report);

/* A picture's name, as `plot FILE NAME` takes it: the key of its item, such as "curve". NULL: there is no such picture.
 */
const char *eb_figure_name(const eb_report *report, size_t picture);

/* A picture's title; "" if it has none. */
const char *eb_figure_title(const eb_report *report, size_t picture);

/* The series or table that is the picture; NULL: there is no such picture. */
const eb_item *eb_figure_item(const eb_report *report, size_t picture);

typedef enum eb_figure_form { EB_FIGURE_SVG, EB_FIGURE_PNG, EB_FIGURE_PDF } eb_figure_form;

/* The form that a file's name ends in. EB_USAGE: another ending, or none. */
eb_code eb_figure_form_of(const char *path, eb_figure_form *out, eb_status *status);

typedef struct eb_figure_request {
    size_t picture; /* or EB_ALL_PICTURES, one below another */
    eb_figure_form form;
    double width; /* points */
    double dots;  /* dots a point of a PNG */
} eb_figure_request;

/* Writes a complete document. EB_NOT_FOUND: there is no such picture; EB_NO_ENGINE: the library for PNG and PDF is
 * missing. Failures to write to `out` are for the caller to find. */
eb_code eb_figure_write(const eb_report *report, const eb_figure_request *request, FILE *out, eb_status *status);

/* A picture of dots, 0xRRGGBB, row by row from the upper left. */
typedef struct eb_pixels {
    size_t columns, rows;
    uint32_t *pixel; /* [rows × columns], heap */
} eb_pixels;

/* Draws what eb_figure_write would write as a PNG. */
eb_code eb_figure_pixels(const eb_report *report, const eb_figure_request *request, eb_pixels *out, eb_status *status);

/* Writes a picture for terminals that show sixel graphics: at most 256 colours, those that most dots have. */
eb_code eb_sixel_write(const eb_pixels *pixels, FILE *out, eb_status *status);

/* Writes one picture, or EB_ALL_PICTURES, as an SVG document in ASCII of one column's width. Its root may also stand
 * inside HTML. */
eb_code eb_figure_svg(const eb_report *report, size_t picture, FILE *out, eb_status *status);
