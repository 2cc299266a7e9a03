/* sheet_svg: writes a sheet as an SVG document in ASCII: text stays text, in the reader's own sans-serif font. */
#include <math.h>

#include "draw/figure/sheet.h"
#include "draw/figure/xml.h"

static FILE *stream(void *context) { return context; }

/* A hundredth of a point is finer than any printer. */
static void put_number(FILE *out, double x)
{
    const double rounded = round(x * 100) / 100;
    (void)fprintf(out, "%.10g", rounded == 0 ? 0 : rounded); /* no -0 */
}

static void put_attribute(FILE *out, const char *name, double value)
{
    (void)fprintf(out, " %s=\"", name);
    put_number(out, value);
    (void)fputc('"', out);
}

static void put_spot(FILE *out, char letter, eb_spot s)
{
    (void)fputc(letter, out);
    put_number(out, s.x);
    (void)fputc(' ', out);
    put_number(out, s.y);
}

static void put_ink(FILE *out, const eb_ink *ink)
{
    const double *length;
    const size_t lengths = eb_dash_lengths(ink->dash, &length);
    if (ink->width > 0) {
        (void)fprintf(out, " fill=\"none\" stroke=\"#%06X\"", (unsigned)ink->colour);
        put_attribute(out, "stroke-width", ink->width);
    } else {
        (void)fprintf(out, " fill=\"#%06X\"", (unsigned)ink->colour);
    }
    if (ink->opacity > 0 && ink->opacity < 1)
        put_attribute(out, "opacity", ink->opacity);
    if (ink->width > 0 && lengths > 0) {
        (void)fputs(" stroke-dasharray=\"", out);
        for (size_t k = 0; k < lengths; k++) {
            put_number(out, length[k] * ink->width);
            (void)fputc(k + 1 < lengths ? ' ' : '"', out);
        }
    }
}

static void svg_line(void *context, size_t count, const eb_spot *spot, bool closed, const eb_ink *ink)
{
    FILE *out = stream(context);
    (void)fputs("<path d=\"", out);
    for (size_t k = 0; k < count; k++)
        put_spot(out, k == 0 ? 'M' : 'L', spot[k]);
    (void)fputs(closed ? "Z\"" : "\"", out);
    put_ink(out, ink);
    (void)fputs("/>\n", out);
}

/* Draws discs as lines without length, whose round ends are the discs. */
static void put_discs(FILE *out, size_t count, const eb_spot *spot, double size, const eb_ink *ink)
{
    const eb_ink round = {.colour = ink->colour, .opacity = ink->opacity, .width = size};
    (void)fputs("<path d=\"", out);
    for (size_t k = 0; k < count; k++) {
        put_spot(out, 'M', spot[k]);
        (void)fputs("h0", out);
    }
    (void)fputc('"', out);
    put_ink(out, &round);
    (void)fputs(" stroke-linecap=\"round\"/>\n", out);
}

static void put_rings(FILE *out, size_t count, const eb_spot *spot, double size, const eb_ink *ink)
{
    for (size_t k = 0; k < count; k++) {
        (void)fputs("<circle", out);
        put_attribute(out, "cx", spot[k].x);
        put_attribute(out, "cy", spot[k].y);
        put_attribute(out, "r", size / 2);
        put_ink(out, ink);
        (void)fputs("/>\n", out);
    }
}

static void put_corners(FILE *out, eb_spot at, eb_sign sign, double size)
{
    const eb_spot *corner;
    const size_t corners = eb_sign_corners(sign, &corner);
    const bool lines = eb_sign_is_lines(sign);
    for (size_t k = 0; k < corners; k++)
        put_spot(out, k == 0 || (lines && k % 2 == 0) ? 'M' : 'L',
                 (eb_spot){at.x + size * corner[k].x, at.y + size * corner[k].y});
    (void)fputs(lines ? "" : "Z", out);
}

static void svg_signs(void *context, size_t count, const eb_spot *spot, eb_sign sign, double size, const eb_ink *ink)
{
    FILE *out = stream(context);
    if (sign == EB_SIGN_DISC || sign == EB_SIGN_RING) {
        (sign == EB_SIGN_DISC ? put_discs : put_rings)(out, count, spot, size, ink);
        return;
    }
    (void)fputs("<path d=\"", out);
    for (size_t k = 0; k < count; k++)
        put_corners(out, spot[k], sign, size);
    (void)fputc('"', out);
    put_ink(out, ink);
    (void)fputs("/>\n", out);
}

static void svg_text(void *context, eb_spot at, const eb_lettering *lettering, const char *text)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    FILE *out = stream(context);
    (void)fputs("<text", out);
    if (lettering->upwards) {
        (void)fputs(" transform=\"translate(", out);
        put_number(out, at.x);
        (void)fputc(' ', out);
        put_number(out, at.y);
        (void)fputs(") rotate(-90)\"", out);
    } else {
        put_attribute(out, "x", at.x);
        put_attribute(out, "y", at.y);
    }
    put_attribute(out, "font-size", lettering->size);
    (void)fprintf(out, "%s%s fill=\"#%06X\">", anchors[lettering->anchor],
                  lettering->bold ? " font-weight=\"bold\"" : "", (unsigned)lettering->colour);
    eb_xml_text(out, text);
    (void)fputs("</text>\n", out);
}

/* Clips by a nested drawing, which needs no identifier that another figure in the same HTML page may have as well. */
static void svg_clip(void *context, const eb_box *box)
{
    FILE *out = stream(context);
    if (!box) {
        (void)fputs("</svg>\n", out);
        return;
    }
    (void)fputs("<svg", out);
    put_attribute(out, "x", box->x);
    put_attribute(out, "y", box->y);
    put_attribute(out, "width", box->width);
    put_attribute(out, "height", box->height);
    (void)fputs(" viewBox=\"", out);
    const double part[] = {box->x, box->y, box->width, box->height};
    for (size_t k = 0; k < 4; k++) {
        put_number(out, part[k]);
        (void)fputc(k < 3 ? ' ' : '"', out);
    }
    (void)fputs(">\n", out);
}

eb_sheet eb_svg_begin(FILE *out, double width, double height, const char *title, const char *description)
{
    static const eb_sheet_writer writer = {svg_line, svg_signs, svg_text, svg_clip};
    (void)
        fprintf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%.2fpt\" height=\"%.2fpt\" "
                "viewBox=\"0 0 %.2f %.2f\" font-family=\"Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif\" "
                "stroke-linejoin=\"round\">\n<title>",
                width, height, width, height);
    eb_xml_text(out, title);
    (void)fputs("</title>\n<desc>", out);
    eb_xml_text(out, description);
    (void)fputs("</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n", out);
    return (eb_sheet){&writer, out};
}

void eb_svg_end(FILE *out) { (void)fputs("</svg>\n", out); }
