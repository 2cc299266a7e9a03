/* markdown: renders a report as Markdown tables, with plots as fenced text. */
#include <stdlib.h>
#include <string.h>

#include "draw/utf8.h"
#include "shell/render/render.h"

typedef struct sheet {
    FILE *out;
    unsigned level; /* of headings */
    bool part;      /* of a document (render.h) */
    bool begun;
} sheet;

static void set_off(sheet *page)
{
    if (page->begun)
        (void)fputc('\n', page->out);
    page->begun = true;
}

/* Writes text with Markdown's special characters escaped. '_' is not: inside words it has no meaning, and keys and
 * paths contain many. */
static void put_text(FILE *out, const char *text)
{
    char *shown = eb_utf8_shown(text, false);
    for (const char *at = shown ? shown : "out of memory"; *at; at++) {
        if (strchr("|\\`*<>[]", *at))
            (void)fputc('\\', out);
        (void)fputc(*at, out);
    }
    free(shown);
}

static void put_grid_row(FILE *out, const eb_grid *grid, size_t row)
{
    (void)fputc('|', out);
    for (size_t c = 0; c < grid->columns; c++) {
        (void)fputc(' ', out);
        put_text(out, eb_grid_text(grid, row, c));
        (void)fputs(" |", out);
    }
    (void)fputc('\n', out);
}

static void put_rule(FILE *out, const eb_grid *grid)
{
    (void)fputc('|', out);
    for (size_t c = 0; c < grid->columns; c++)
        (void)fputs(grid->right[c] ? "---:|" : "---|", out);
    (void)fputc('\n', out);
}

static void put_heading(sheet *page, const char *title)
{
    if (title[0] == '\0')
        return;
    set_off(page);
    (void)fprintf(page->out, "%.*s ", (int)page->level, "######");
    put_text(page->out, title);
    (void)fputc('\n', page->out);
}

static eb_code put_fields(sheet *page, const eb_field *fields, size_t count, eb_status *status)
{
    eb_grid grid;
    if (count == 0)
        return EB_OK;
    EB_TRY(eb_grid_of_fields(fields, count, false, &grid, status));
    set_off(page);
    (void)fputs("| | |\n", page->out); /* Markdown tables need a header row */
    put_rule(page->out, &grid);
    for (size_t k = 0; k < grid.rows; k++)
        put_grid_row(page->out, &grid, k);
    eb_grid_free(&grid);
    return EB_OK;
}

static eb_code put_table(sheet *page, const eb_table *table, eb_status *status)
{
    eb_grid grid;
    set_off(page);
    if (table->rows == 0 || table->columns == 0) {
        (void)fputs("(none)\n", page->out);
        return EB_OK;
    }
    EB_TRY(eb_grid_of_table(table, false, &grid, status));
    if (page->part)
        eb_grid_lift_units(&grid, table->turned);
    put_grid_row(page->out, &grid, 0);
    put_rule(page->out, &grid);
    for (size_t r = 1; r < grid.rows; r++)
        put_grid_row(page->out, &grid, r);
    eb_grid_free(&grid);
    return EB_OK;
}

static eb_code put_drawing(sheet *page, const eb_item *item, eb_status *status)
{
    set_off(page);
    (void)fputs("```text\n", page->out);
    eb_code failed = eb_put_drawing(page->out, item, EB_PLOT_WIDTH, EB_FONT_UNICODE, status);
    (void)fputs("```\n", page->out);
    return failed;
}

/* Writes consecutive fields as one table. */
static eb_code put_field(sheet *page, const eb_report *report, size_t *k, eb_status *status)
{
    eb_field fields[64];
    size_t count = 0;
    for (; *k < report->items && report->item[*k]->kind == EB_FIELD && count < sizeof fields / sizeof fields[0]; ++*k)
        if (report->item[*k]->title)
            fields[count++] = report->item[*k]->as.field;
    return put_fields(page, fields, count, status);
}

static eb_code put_item(sheet *page, const eb_item *item, eb_status *status)
{
    if (!item->title)
        return EB_OK;
    if (item->page) {
        set_off(page);
        (void)fputs("---\n", page->out);
    }
    put_heading(page, item->title);
    if (eb_is_drawn(item))
        return put_drawing(page, item, status);
    return item->kind == EB_RECORD ? put_fields(page, item->as.record.field, item->as.record.fields, status)
                                   : put_table(page, &item->as.table, status);
}

static eb_code put_report(sheet *page, const eb_report *report, eb_status *status)
{
    eb_code failed = EB_OK;
    for (size_t k = 0; k < report->items && !failed;) {
        if (report->item[k]->kind == EB_FIELD)
            failed = put_field(page, report, &k, status);
        else
            failed = put_item(page, report->item[k++], status);
    }
    if (report->raw && !failed) {
        char *raw = eb_utf8_harmless(report->raw);
        size_t length = raw ? strlen(raw) : 0;
        set_off(page);
        (void)fprintf(page->out, "```text\n%s%s```\n", raw ? raw : "", length && raw[length - 1] == '\n' ? "" : "\n");
        free(raw);
    }
    if (report->notes > 0 && !failed)
        set_off(page);
    for (size_t k = 0; k < report->notes && !failed; k++) {
        (void)fputs("- ", page->out);
        if (page->part)
            eb_put_sentence(page->out, report->note[k], put_text, eb_put_markdown_code);
        else
            put_text(page->out, report->note[k]);
        (void)fputc('\n', page->out);
    }
    if (report->conclusion && !page->part && !failed) {
        set_off(page);
        put_text(page->out, report->conclusion);
        (void)fputc('\n', page->out);
    }
    if (page->begun) /* an empty line, so that the next report's table does not continue this one's */
        (void)fputc('\n', page->out);
    return failed;
}

eb_code eb_render_markdown(FILE *out, const eb_report *report, eb_status *status)
{
    return put_report(&(sheet){.out = out, .level = 3}, report, status);
}

eb_code eb_render_markdown_part(FILE *out, const eb_report *report, unsigned level, eb_status *status)
{
    return put_report(&(sheet){.out = out, .level = level, .part = true}, report, status);
}

void eb_put_markdown_text(FILE *out, const char *text) { put_text(out, text); }
