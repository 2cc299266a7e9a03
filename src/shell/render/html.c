/* html: renders a report as a part of an HTML page: tables that scroll, pictures as inline SVG, notes as a list. What a
 * report holds is text to HTML, never markup. */
#include <stdlib.h>
#include <string.h>

#include "draw/figure/figure.h"
#include "draw/utf8.h"
#include "shell/render/render.h"

typedef struct sheet {
    FILE *out;
    unsigned level; /* of headings */
    size_t picture; /* the report's next picture (figure.h) */
} sheet;

void eb_put_html_text(FILE *out, const char *text)
{
    char *shown = eb_utf8_harmless(text);
    for (const char *at = shown ? shown : "out of memory"; *at; at++)
        switch (*at) {
        case '<': (void)fputs("&lt;", out); break;
        case '>': (void)fputs("&gt;", out); break;
        case '&': (void)fputs("&amp;", out); break;
        case '"': (void)fputs("&quot;", out); break;
        default: (void)fputc(*at, out);
        }
    free(shown);
}

static void put_element(FILE *out, const char *tag, const char *class, const char *text)
{
    (void)fprintf(out, class[0] ? "<%s class=\"%s\">" : "<%s>", tag, class);
    eb_put_html_text(out, text);
    (void)fprintf(out, "</%s>", tag);
}

static void put_heading(const sheet *page, const char *title)
{
    const char tag[] = {'h', (char)('0' + page->level), '\0'};
    if (title[0] == '\0')
        return;
    put_element(page->out, tag, "", title);
    (void)fputc('\n', page->out);
}

void eb_put_html_code(FILE *out, const char *line) { put_element(out, "code", "", line); }

/* ---- tables ---- */

enum { LONG = 40 }; /* bytes of a text that may break into lines */

static const char *class_of(const eb_grid *grid, size_t row, size_t column)
{
    return strlen(eb_grid_text(grid, row, column)) > LONG ? "long" : grid->right[column] ? "r" : "";
}

static void put_grid_row(FILE *out, const eb_grid *grid, size_t row, bool heading, bool named)
{
    (void)fputs("<tr>", out);
    for (size_t c = 0; c < grid->columns; c++)
        put_element(out, heading || (named && c == 0) ? "th" : "td", class_of(grid, row, c),
                    eb_grid_text(grid, row, c));
    (void)fputs("</tr>\n", out);
}

/* titles: row 0 has the columns' titles; named: column 0 has the rows'. */
static void put_grid(FILE *out, const eb_grid *grid, bool titles, bool named)
{
    (void)fputs("<div class=\"scroll\"><table>\n", out);
    if (titles) {
        (void)fputs("<thead>", out);
        put_grid_row(out, grid, 0, true, named);
        (void)fputs("</thead>\n", out);
    }
    (void)fputs("<tbody>\n", out);
    for (size_t r = titles ? 1 : 0; r < grid->rows; r++)
        put_grid_row(out, grid, r, false, named);
    (void)fputs("</tbody></table></div>\n", out);
}

static eb_code put_fields(const sheet *page, const eb_field *fields, size_t count, eb_status *status)
{
    eb_grid grid;
    EB_TRY(eb_grid_of_fields(fields, count, false, &grid, status));
    if (grid.rows > 0)
        put_grid(page->out, &grid, false, true);
    eb_grid_free(&grid);
    return EB_OK;
}

static eb_code put_table(const sheet *page, const eb_table *table, eb_status *status)
{
    eb_grid grid;
    if (table->rows == 0 || table->columns == 0) {
        (void)fputs("<p>(none)</p>\n", page->out);
        return EB_OK;
    }
    EB_TRY(eb_grid_of_table(table, false, &grid, status));
    eb_grid_lift_units(&grid, table->turned);
    put_grid(page->out, &grid, true, table->turned);
    eb_grid_free(&grid);
    return EB_OK;
}

/* ---- pictures ---- */

/* A picture of characters, where there are no vector graphics. */
static eb_code put_characters(const sheet *page, const eb_item *item, eb_status *status)
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return eb_fail_memory(status, "a picture", 1);
    eb_code failed = eb_put_drawing(memory, item, EB_PLOT_WIDTH, EB_FONT_UNICODE, status);
    if (fclose(memory) != 0 && !failed)
        failed = eb_fail_memory(status, "a picture", length);
    if (!failed) {
        put_element(page->out, "pre", "scroll", text);
        (void)fputc('\n', page->out);
    }
    free(text);
    return failed;
}

/* True if the item is the report's next picture in vector graphics. Pictures follow the order of the items. */
static bool is_figure(const sheet *page, const eb_report *report, const eb_item *item)
{
    const bool may = item->kind == EB_SERIES || item->kind == EB_TABLE; /* a record may have the same key */
    const char *name = may ? eb_figure_name(report, page->picture) : NULL;
    return name && strcmp(name, item->key) == 0;
}

static eb_code put_figure(sheet *page, const eb_report *report, eb_status *status)
{
    (void)fputs("<figure>", page->out);
    EB_TRY(eb_figure_svg(report, page->picture++, page->out, status));
    (void)fputs("</figure>\n", page->out);
    return EB_OK;
}

/* ---- the report ---- */

/* Consecutive fields are one table. Returns the index of the item after them. */
static size_t put_field_run(const sheet *page, const eb_report *report, size_t first, eb_code *failed,
                            eb_status *status)
{
    size_t end = first;
    while (end < report->items && report->item[end]->kind == EB_FIELD)
        end++;
    eb_field *fields = calloc(end - first, sizeof *fields);
    for (size_t k = first; fields && k < end; k++)
        fields[k - first] = report->item[k]->as.field;
    *failed = fields ? put_fields(page, fields, end - first, status)
                     : eb_fail_memory(status, "fields to show", (end - first) * sizeof *fields);
    free(fields);
    return end;
}

static eb_code put_item(sheet *page, const eb_report *report, const eb_item *item, eb_status *status)
{
    const bool figure = is_figure(page, report, item);
    if (figure)
        EB_TRY(put_figure(page, report, status)); /* has the title */
    if (!item->title || (figure && eb_is_drawn(item)))
        return EB_OK;
    if (!figure)
        put_heading(page, item->title);
    if (eb_is_drawn(item))
        return put_characters(page, item, status);
    return item->kind == EB_RECORD ? put_fields(page, item->as.record.field, item->as.record.fields, status)
                                   : put_table(page, &item->as.table, status);
}

static void put_notes(const sheet *page, const eb_report *report)
{
    if (report->notes == 0)
        return;
    (void)fputs("<ul class=\"notes\">\n", page->out);
    for (size_t k = 0; k < report->notes; k++) {
        (void)fputs(eb_is_warning(report->note[k]) ? "<li class=\"warning\">" : "<li>", page->out);
        eb_put_sentence(page->out, report->note[k], eb_put_html_text, eb_put_html_code);
        (void)fputs("</li>\n", page->out);
    }
    (void)fputs("</ul>\n", page->out);
}

eb_code eb_render_html_part(FILE *out, const eb_report *report, unsigned level, eb_status *status)
{
    sheet page = {.out = out, .level = level};
    eb_code failed = EB_OK;
    for (size_t k = 0; k < report->items && !failed;) {
        if (report->item[k]->kind == EB_FIELD)
            k = put_field_run(&page, report, k, &failed, status);
        else
            failed = put_item(&page, report, report->item[k++], status);
    }
    if (report->raw && !failed) {
        put_element(out, "pre", "scroll", report->raw);
        (void)fputc('\n', out);
    }
    if (!failed)
        put_notes(&page, report);
    return failed;
}
