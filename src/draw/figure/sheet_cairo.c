#include "draw/figure/sheet_cairo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/utf8.h"

enum { MOST_DOTS = 32767 };

static const double pi = 3.14159265358979323846;

/* ---- drawing ---- */

static void take_ink(const eb_cairo_sheet *s, const eb_ink *ink)
{
    const double *length;
    double dash[4];
    const size_t lengths = eb_dash_lengths(ink->dash, &length);
    for (size_t k = 0; k < lengths; k++)
        dash[k] = length[k] * ink->width;
    s->cairo->set_source_rgba(s->pen, (ink->colour >> 16 & 255) / 255.0, (ink->colour >> 8 & 255) / 255.0,
                              (ink->colour & 255) / 255.0, ink->opacity > 0 ? ink->opacity : 1);
    s->cairo->set_line_width(s->pen, ink->width);
    s->cairo->set_line_cap(s->pen, EB_CAIRO_BUTT);
    s->cairo->set_dash(s->pen, dash, (int)lengths, 0);
}

static void draw(const eb_cairo_sheet *s, const eb_ink *ink)
{
    take_ink(s, ink);
    (ink->width > 0 ? s->cairo->stroke : s->cairo->fill)(s->pen);
}

static void cairo_line(void *context, size_t count, const eb_spot *spot, bool closed, const eb_ink *ink)
{
    const eb_cairo_sheet *s = context;
    s->cairo->move_to(s->pen, spot[0].x, spot[0].y);
    for (size_t k = 1; k < count; k++)
        s->cairo->line_to(s->pen, spot[k].x, spot[k].y);
    if (closed)
        s->cairo->close_path(s->pen);
    draw(s, ink);
}

static void put_corners(const eb_cairo_sheet *s, eb_spot at, eb_sign sign, double size)
{
    const eb_spot *corner;
    const size_t corners = eb_sign_corners(sign, &corner);
    const bool lines = eb_sign_is_lines(sign);
    for (size_t k = 0; k < corners; k++) {
        const double x = at.x + size * corner[k].x, y = at.y + size * corner[k].y;
        (k == 0 || (lines && k % 2 == 0) ? s->cairo->move_to : s->cairo->line_to)(s->pen, x, y);
    }
    if (!lines)
        s->cairo->close_path(s->pen);
}

/* Every sign is drawn by itself: overlapping signs show through each other as in SVG. */
static void cairo_signs(void *context, size_t count, const eb_spot *spot, eb_sign sign, double size, const eb_ink *ink)
{
    const eb_cairo_sheet *s = context;
    const eb_spot *corner;
    const bool round = eb_sign_corners(sign, &corner) == 0;
    for (size_t k = 0; k < count; k++) {
        s->cairo->new_sub_path(s->pen); /* text before it leaves a place that the sign would be joined to */
        if (round)
            s->cairo->arc(s->pen, spot[k].x, spot[k].y, size / 2, 0, 2 * pi);
        else
            put_corners(s, spot[k], sign, size);
        draw(s, ink);
    }
}

/* cairo refuses text that is not UTF-8. */
static void show_text(const eb_cairo_sheet *s, eb_anchor anchor, const char *text)
{
    eb_cairo_extents extents;
    char *shown = eb_utf8_shown(text, false);
    if (!shown)
        return; /* the picture lacks the text */
    s->cairo->text_extents(s->pen, shown, &extents);
    s->cairo->move_to(s->pen, -extents.x_advance * (anchor == EB_ANCHOR_MIDDLE ? 0.5 : anchor == EB_ANCHOR_END), 0);
    s->cairo->show_text(s->pen, shown);
    free(shown);
}

static void cairo_text(void *context, eb_spot at, const eb_lettering *lettering, const char *text)
{
    const eb_cairo_sheet *s = context;
    const eb_ink ink = {.colour = lettering->colour};
    s->cairo->save(s->pen);
    s->cairo->translate(s->pen, at.x, at.y);
    s->cairo->rotate(s->pen, lettering->upwards ? -pi / 2 : 0);
    s->cairo->select_font_face(s->pen, "Helvetica", 0, lettering->bold);
    s->cairo->set_font_size(s->pen, lettering->size);
    take_ink(s, &ink);
    show_text(s, lettering->anchor, text);
    s->cairo->restore(s->pen);
}

static void cairo_clip(void *context, const eb_box *box)
{
    const eb_cairo_sheet *s = context;
    if (!box) {
        s->cairo->restore(s->pen);
        return;
    }
    s->cairo->save(s->pen);
    s->cairo->rectangle(s->pen, box->x, box->y, box->width, box->height);
    s->cairo->clip(s->pen);
}

eb_sheet eb_cairo_sheet_of(eb_cairo_sheet *sheet)
{
    static const eb_sheet_writer writer = {cairo_line, cairo_signs, cairo_text, cairo_clip};
    return (eb_sheet){&writer, sheet};
}

/* ---- documents ---- */

static eb_code find_library(eb_cairo_sheet *out, eb_status *status)
{
    *out = (eb_cairo_sheet){.cairo = eb_cairo_open()};
    return out->cairo
               ? EB_OK
               : eb_fail(status, EB_NO_ENGINE,
                         "PNG and PDF are drawn by the library cairo, which is missing here: install the package "
                         "libcairo2, or give a name that ends in .svg");
}

/* Begins the drawing on the surface, white. */
static eb_code begin(eb_cairo_sheet *s, double dots, eb_status *status)
{
    const eb_ink white = {.colour = 0xFFFFFF};
    s->pen = s->cairo->create(s->surface);
    if (s->cairo->status(s->pen) != 0) {
        s->cairo->destroy(s->pen);
        s->cairo->surface_destroy(s->surface);
        return eb_fail_memory(status, "a picture", (unsigned long long)s->columns * (unsigned long long)s->rows * 4);
    }
    s->cairo->scale(s->pen, dots, dots);
    s->cairo->set_line_join(s->pen, EB_CAIRO_ROUND);
    take_ink(s, &white);
    s->cairo->paint(s->pen);
    return EB_OK;
}

eb_code eb_cairo_picture(double width, double height, double dots, eb_cairo_sheet *out, eb_status *status)
{
    EB_TRY(find_library(out, status));
    if (width * dots > MOST_DOTS || height * dots > MOST_DOTS)
        return eb_fail(status, EB_TOO_LARGE, "the picture would be %.0f × %.0f dots, the most is %d each way",
                       width * dots, height * dots, (int)MOST_DOTS);
    out->columns = (int)ceil(width * dots);
    out->rows = (int)ceil(height * dots);
    out->surface = out->cairo->image_surface_create(EB_CAIRO_ARGB32, out->columns, out->rows);
    return begin(out, dots, status);
}

static int write_bytes(void *closure, const unsigned char *data, unsigned length)
{
    return fwrite(data, 1, length, closure) == length ? 0 : EB_CAIRO_WRITE_ERROR;
}

eb_code eb_cairo_pdf(double width, double height, FILE *file, eb_cairo_sheet *out, eb_status *status)
{
    EB_TRY(find_library(out, status));
    out->surface = out->cairo->pdf_surface_create_for_stream(write_bytes, file, width, height);
    return begin(out, 1, status);
}

eb_code eb_cairo_write_png(const eb_cairo_sheet *sheet, FILE *out, eb_status *status)
{
    return sheet->cairo->surface_write_to_png_stream(sheet->surface, write_bytes, out) == 0
               ? EB_OK
               : eb_fail(status, EB_IO, "the picture could not be written");
}

void eb_cairo_read(const eb_cairo_sheet *sheet, uint32_t *pixel)
{
    sheet->cairo->surface_flush(sheet->surface);
    const unsigned char *data = sheet->cairo->image_surface_get_data(sheet->surface);
    const size_t stride = (size_t)sheet->cairo->image_surface_get_stride(sheet->surface),
                 columns = (size_t)sheet->columns;
    for (size_t row = 0; row < (size_t)sheet->rows; row++)
        memcpy(pixel + row * columns, data + row * stride, columns * sizeof *pixel);
    for (size_t k = 0; k < columns * (size_t)sheet->rows; k++)
        pixel[k] &= 0xFFFFFF; /* all dots are opaque */
}

eb_code eb_cairo_close(eb_cairo_sheet *sheet, eb_status *status)
{
    const eb_cairo *cairo = sheet->cairo;
    cairo->destroy(sheet->pen);
    cairo->surface_finish(sheet->surface);
    const bool done = cairo->surface_status(sheet->surface) == 0;
    cairo->surface_destroy(sheet->surface);
    return done ? EB_OK : eb_fail(status, EB_IO, "the picture could not be written");
}
