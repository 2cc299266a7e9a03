/* sheet_cairo: a sheet that the library cairo draws: a picture of dots, which becomes a PNG, or a PDF. */
#pragma once

#include "draw/figure/cairo.h"
#include "draw/figure/sheet.h"

typedef struct eb_cairo_sheet {
    const eb_cairo *cairo;
    eb_cairo_surface *surface;
    eb_cairo_pen *pen;
    int columns, rows; /* dots; 0: a PDF */
} eb_cairo_sheet;

/* A white picture with `dots` dots a point. EB_NO_ENGINE: the library is missing; the sentence names the package.
 * EB_TOO_LARGE: a picture of more than 32767 rows. */
eb_code eb_cairo_picture(double width, double height, double dots, eb_cairo_sheet *out, eb_status *status);

/* A PDF, which eb_cairo_close writes to `out`. */
eb_code eb_cairo_pdf(double width, double height, FILE *file, eb_cairo_sheet *out, eb_status *status);

eb_sheet eb_cairo_sheet_of(eb_cairo_sheet *sheet);

eb_code eb_cairo_write_png(const eb_cairo_sheet *sheet, FILE *out, eb_status *status);

/* Copies the dots of a picture: 0xRRGGBB, row by row. */
void eb_cairo_read(const eb_cairo_sheet *sheet, uint32_t *pixel);

/* Ends the drawing and frees it. EB_IO if a PDF could not be written. */
eb_code eb_cairo_close(eb_cairo_sheet *sheet, eb_status *status);
