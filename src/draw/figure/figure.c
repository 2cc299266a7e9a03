/* figure: lays pictures out in a document: title, picture, caption. */
#include "draw/figure/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/report/find.h"
#include "draw/figure/axes.h"
#include "draw/figure/picture.h"
#include "draw/figure/sheet_cairo.h"
#include "draw/format.h"

enum { TITLE = 256, CAPTION = 512 };

static const double margin = 6, after = 10; /* points: around the document, after a picture */

/* ---- words ---- */

/* A series without a title belongs to the item before it: the table with the same points. */
static const char *own_title(const eb_picture *p)
{
    const eb_item *before = NULL;
    for (size_t k = 0; k < p->report->items && p->report->item[k] != p->item; k++)
        before = p->report->item[k];
    const eb_item *titled = p->item->title && p->item->title[0] ? p->item : before;
    return titled && titled->title ? titled->title : "";
}

/* A legend names the lines, so that a title leaves out "…: a E5M3, b E4M4". */
static void title_of(const eb_picture *p, char *title)
{
    const char *text = own_title(p);
    const bool named = p->item->kind == EB_SERIES && p->item->as.series.names;
    (void)snprintf(title, TITLE, "%.*s", named ? (int)strcspn(text, ":") : TITLE, text);
}

static void add(char *caption, const char *separator, const char *text)
{
    const size_t used = strlen(caption);
    if (used < CAPTION && text[0] != '\0')
        (void)snprintf(caption + used, CAPTION - used, "%s%s", used > 0 ? separator : "", text);
}

static void add_number(char *caption, const eb_report *report, const eb_column *key, const char *format)
{
    char number[64], text[96];
    const eb_value value = eb_report_find_field(report, key);
    if (value.kind == EB_NA)
        return;
    (void)snprintf(text, sizeof text, format, eb_format_value(number, sizeof number, value, key->unit));
    add(caption, ", ", text);
}

/* "cuda:0", where all runs of the report were; "" if they differ, or are none. */
static const char *device_of_runs(const eb_report *report)
{
    const eb_table *runs = eb_report_find_table(report, EB_F(runs));
    const char *device = runs && runs->rows > 0 ? eb_text_at(runs, 0, EB_F(device)) : "";
    for (size_t k = 1; runs && k < runs->rows; k++)
        if (strcmp(eb_text_at(runs, k, EB_F(device)), device) != 0)
            return "";
    return device;
}

/* "demo:stars, 100,000 points, 3 dimensions, engine exact on cuda:0 (NVIDIA H200), ε = 0.05" */
static void caption_of(const eb_report *report, char *caption)
{
    char text[160];
    const char *spec = eb_text_of(report, EB_F(spec)), *device = eb_text_of(report, EB_F(device));
    const char *engine = spec[0] ? spec : eb_text_of(report, EB_F(engine));
    const char *model = eb_text_of(report, EB_F(device_model)), *gpu = eb_text_of(report, EB_F(gpu));
    caption[0] = '\0';
    add(caption, ", ", report->dataset ? report->dataset : eb_text_of(report, EB_F(dataset)));
    add_number(caption, report, EB_F(n), "n = %s");
    add_number(caption, report, EB_F(d), "d = %s");
    add_number(caption, report, EB_F(eps), "ε = %s");
    if (engine[0]) {
        (void)snprintf(text, sizeof text, "%s%s%.40s%s%.60s%s", engine, device[0] ? " on " : "", device,
                       model[0] ? " (" : "", model, model[0] ? ")" : "");
        add(caption, ", ", text);
    }
    add(caption, ", on ", gpu);
    if (!engine[0])
        add(caption, ", on ", device_of_runs(report));
}

size_t eb_figure_count(const eb_report *report)
{
    eb_picture picture;
    size_t count = 0;
    while (eb_picture_at(report, count, &picture))
        count++;
    return count;
}

const char *eb_figure_name(const eb_report *report, size_t picture)
{
    eb_picture found;
    return eb_picture_at(report, picture, &found) ? found.item->key : NULL;
}

const char *eb_figure_title(const eb_report *report, size_t picture)
{
    eb_picture found;
    return eb_picture_at(report, picture, &found) ? own_title(&found) : "";
}

const eb_item *eb_figure_item(const eb_report *report, size_t picture)
{
    eb_picture found;
    return eb_picture_at(report, picture, &found) ? found.item : NULL;
}

/* ---- layout ---- */

static const eb_lettering title_type = {.size = EB_TITLE_SIZE, .colour = EB_BLACK, .bold = true},
                          caption_type = {.size = EB_CAPTION_SIZE, .colour = EB_GREY};

static double words_height(const eb_lettering *type, double width, const char *text)
{
    return (double)eb_sheet_words(NULL, (eb_spot){0}, width, type, text) * type->size * EB_LINE_HEIGHT;
}

static double picture_height(const eb_picture *p, double width)
{
    char title[TITLE];
    title_of(p, title);
    return words_height(&title_type, width, title) + 2 + eb_picture_height(p, width);
}

/* Returns the height used. */
static double draw_picture(const eb_sheet *sheet, const eb_picture *p, eb_spot at, double width)
{
    char title[TITLE];
    title_of(p, title);
    (void)eb_sheet_words(sheet, (eb_spot){at.x, at.y + title_type.size}, width, &title_type, title);
    const double above = words_height(&title_type, width, title) + 2, height = eb_picture_height(p, width);
    eb_picture_draw(sheet, p, (eb_box){at.x, at.y + above, width, height});
    return above + height;
}

/* The pictures drawn: [first, end). */
typedef struct selection {
    const eb_report *report;
    size_t first, end;
} selection;

static eb_code choose(const eb_report *report, size_t picture, selection *out, eb_status *status)
{
    const size_t count = eb_figure_count(report);
    const bool all = picture == EB_ALL_PICTURES;
    if (count == 0 || (!all && picture >= count))
        return eb_fail(status, EB_NOT_FOUND, "the report has no picture %zu, it has %zu", all ? 1 : picture + 1, count);
    *out = (selection){report, all ? 0 : picture, all ? count : picture + 1};
    return EB_OK;
}

static double whole_height(const selection *s, double width)
{
    char caption[CAPTION];
    eb_picture p;
    double height = 2 * margin;
    for (size_t k = s->first; k < s->end && eb_picture_at(s->report, k, &p); k++)
        height += picture_height(&p, width) + (k + 1 < s->end ? after : 0);
    caption_of(s->report, caption);
    return height + words_height(&caption_type, width, caption) + 4;
}

static void draw_all(const eb_sheet *sheet, const selection *s, double width)
{
    char caption[CAPTION];
    eb_picture p;
    double y = margin;
    for (size_t k = s->first; k < s->end && eb_picture_at(s->report, k, &p); k++)
        y += draw_picture(sheet, &p, (eb_spot){margin, y}, width) + (k + 1 < s->end ? after : 0);
    caption_of(s->report, caption);
    (void)eb_sheet_words(sheet, (eb_spot){margin, y + 4 + caption_type.size}, width, &caption_type, caption);
}

/* ---- documents ---- */

eb_code eb_figure_form_of(const char *path, eb_figure_form *out, eb_status *status)
{
    static const char *const ending[] = {".svg", ".png", ".pdf"};
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof ending / sizeof ending[0]; k++)
        if (strcasecmp(dot, ending[k]) == 0) {
            *out = (eb_figure_form)k;
            return EB_OK;
        }
    return eb_fail(status, EB_USAGE, "%s: expected a name that ends in .svg, .png or .pdf, found %s", path,
                   dot && !strchr(dot, '/') ? dot : "no such ending");
}

typedef struct document {
    selection s;
    double width, height; /* of the paper */
    double dots;
} document;

static eb_code write_svg(const document *d, FILE *out)
{
    eb_picture first;
    char title[TITLE];
    const char *conclusion = eb_report_conclusion(d->s.report);
    (void)eb_picture_at(d->s.report, d->s.first, &first);
    title_of(&first, title);
    const eb_sheet sheet = eb_svg_begin(out, d->width, d->height, title, conclusion ? conclusion : "");
    draw_all(&sheet, &d->s, d->width - 2 * margin);
    eb_svg_end(out);
    return EB_OK;
}

static eb_code write_pdf(const document *d, FILE *out, eb_status *status)
{
    eb_cairo_sheet cairo;
    EB_TRY(eb_cairo_pdf(d->width, d->height, out, &cairo, status));
    const eb_sheet sheet = eb_cairo_sheet_of(&cairo);
    draw_all(&sheet, &d->s, d->width - 2 * margin);
    return eb_cairo_close(&cairo, status);
}

static eb_code draw_dots(const document *d, eb_cairo_sheet *cairo, eb_status *status)
{
    EB_TRY(eb_cairo_picture(d->width, d->height, d->dots, cairo, status));
    const eb_sheet sheet = eb_cairo_sheet_of(cairo);
    draw_all(&sheet, &d->s, d->width - 2 * margin);
    return EB_OK;
}

static eb_code write_png(const document *d, FILE *out, eb_status *status)
{
    eb_cairo_sheet cairo;
    EB_TRY(draw_dots(d, &cairo, status));
    const eb_code failed = eb_cairo_write_png(&cairo, out, status), unclosed = eb_cairo_close(&cairo, NULL);
    return failed ? failed : unclosed;
}

static eb_code lay_out(const eb_report *report, const eb_figure_request *request, document *out, eb_status *status)
{
    *out = (document){.width = request->width, .dots = request->dots};
    EB_TRY(choose(report, request->picture, &out->s, status));
    out->height = whole_height(&out->s, out->width - 2 * margin);
    return EB_OK;
}

eb_code eb_figure_write(const eb_report *report, const eb_figure_request *request, FILE *out, eb_status *status)
{
    document d;
    EB_TRY(lay_out(report, request, &d, status));
    switch (request->form) {
    case EB_FIGURE_SVG: return write_svg(&d, out);
    case EB_FIGURE_PNG: return write_png(&d, out, status);
    case EB_FIGURE_PDF: return write_pdf(&d, out, status);
    }
    return eb_fail(status, EB_INTERNAL, "no such form of a figure");
}

eb_code eb_figure_pixels(const eb_report *report, const eb_figure_request *request, eb_pixels *out, eb_status *status)
{
    document d;
    eb_cairo_sheet cairo;
    EB_TRY(lay_out(report, request, &d, status));
    EB_TRY(draw_dots(&d, &cairo, status));
    *out = (eb_pixels){.columns = (size_t)cairo.columns, .rows = (size_t)cairo.rows};
    out->pixel = malloc(out->columns * out->rows * sizeof *out->pixel);
    if (out->pixel)
        eb_cairo_read(&cairo, out->pixel);
    (void)eb_cairo_close(&cairo, NULL);
    return out->pixel ? EB_OK : eb_fail_memory(status, "a picture", out->columns * out->rows * sizeof *out->pixel);
}

eb_code eb_figure_svg(const eb_report *report, size_t picture, FILE *out, eb_status *status)
{
    const eb_figure_request request = {picture, EB_FIGURE_SVG, EB_COLUMN_WIDTH, EB_PNG_DOTS};
    return eb_figure_write(report, &request, out, status);
}
