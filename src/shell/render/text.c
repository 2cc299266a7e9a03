/* text: renders a report as text for people: aligned and wrapped at the terminal's width; nothing is cut off. */
#include <stdlib.h>
#include <string.h>

#include "draw/utf8.h"
#include "shell/render/render.h"

enum { INDENT = 2, GAP = 2, NARROW_GAP = 1, NARROWEST_TEXT = 14, MOST_RULE = 80 };

typedef struct sheet {
    FILE *out;
    size_t width; /* SIZE_MAX: unlimited */
    bool ascii, colour;
    eb_font font; /* of plots */
    bool begun;   /* something was written; an empty line precedes the next section */
} sheet;

static const char BOLD[] = "\x1b[1m", DIM[] = "\x1b[2m", NORMAL[] = "\x1b[0m";

static void put_styled(const sheet *page, const char *style, const char *text, size_t length)
{
    bool styled = page->colour && style[0] != '\0';
    if (styled)
        (void)fputs(style, page->out);
    (void)fwrite(text, 1, length, page->out);
    if (styled)
        (void)fputs(NORMAL, page->out);
}

static void put_blanks(const sheet *page, size_t count)
{
    for (; count > 0; count--)
        (void)fputc(' ', page->out);
}

static void set_off(sheet *page)
{
    if (page->begun)
        (void)fputc('\n', page->out);
    page->begun = true;
}

static eb_code put_heading(sheet *page, const char *title, eb_status *status)
{
    set_off(page);
    if (title[0] == '\0')
        return EB_OK;
    char *shown = eb_utf8_shown(title, page->ascii);
    if (!shown)
        return eb_fail_memory(status, "a heading", strlen(title));
    put_styled(page, BOLD, shown, strlen(shown));
    (void)fputc('\n', page->out);
    free(shown);
    return EB_OK;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Writes wrapped text; all lines but the first are indented to `column`. */
static void put_wrapped(const sheet *page, const char *style, const char *text, size_t column)
{
    size_t room = page->width == SIZE_MAX ? SIZE_MAX : page->width > column + 10 ? page->width - column : 10;
    for (bool first = true; first || *text; first = false) {
        const char *line = text;
        size_t length = eb_utf8_line(&text, room);
        if (!first)
            put_blanks(page, column);
        put_styled(page, length ? style : "", line, length);
        (void)fputc('\n', page->out);
    }
}

/* Writes `before`, then wrapped text with unshowable characters replaced. */
static eb_code put_text(const sheet *page, const char *before, const char *style, const char *text, eb_status *status)
{
    char *shown = eb_utf8_shown(text, page->ascii);
    if (!shown)
        return eb_fail_memory(status, "a text", strlen(text));
    (void)fputs(before, page->out);
    put_wrapped(page, style, shown, eb_utf8_columns(before, SIZE_MAX));
    free(shown);
    return EB_OK;
}

/* ---- fields ---- */

static eb_code put_fields(sheet *page, const eb_field *fields, size_t count, eb_status *status)
{
    eb_grid grid;
    EB_TRY(eb_grid_of_fields(fields, count, page->ascii, &grid, status));
    size_t widest = 0;
    for (size_t k = 0; k < grid.rows; k++) {
        size_t columns = eb_utf8_columns(eb_grid_text(&grid, k, 0), SIZE_MAX);
        widest = columns > widest ? columns : widest;
    }
    for (size_t k = 0; k < grid.rows; k++) {
        const char *title = eb_grid_text(&grid, k, 0);
        put_blanks(page, INDENT);
        (void)fputs(title, page->out);
        put_blanks(page, widest - eb_utf8_columns(title, SIZE_MAX) + GAP);
        put_wrapped(page, "", eb_grid_text(&grid, k, 1), INDENT + widest + GAP);
    }
    eb_grid_free(&grid);
    return EB_OK;
}

/* ---- tables ---- */

/* Columns [first, end) of a grid, drawn below each other if the table is wider than the page. If first > 0, column 0 is
 * drawn too, so that every strip has the names of the rows. */
typedef struct strip {
    const eb_grid *grid;
    size_t *width; /* [grid->columns], as drawn */
    size_t gap;    /* blanks between columns */
    size_t first, end;
} strip;

static size_t natural_width(const eb_grid *grid, size_t column)
{
    size_t widest = 1;
    for (size_t r = 0; r < grid->rows; r++) {
        size_t columns = eb_utf8_columns(eb_grid_text(grid, r, column), SIZE_MAX);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static size_t total_width(const strip *s)
{
    size_t total = INDENT;
    for (size_t c = 0; c < s->grid->columns; c++)
        total += s->width[c] + (c > 0 ? s->gap : 0);
    return total;
}

/* Narrows the widest text columns until the table fits or all have NARROWEST_TEXT columns. True if it fits. */
static bool squeeze(const sheet *page, const strip *s)
{
    const eb_grid *grid = s->grid;
    for (size_t c = 0; c < grid->columns; c++)
        s->width[c] = natural_width(grid, c);
    for (size_t total = total_width(s); total > page->width; total--) {
        size_t widest = grid->columns;
        for (size_t c = 0; c < grid->columns; c++)
            if (!grid->right[c] && s->width[c] > NARROWEST_TEXT &&
                (widest == grid->columns || s->width[c] > s->width[widest]))
                widest = c;
        if (widest == grid->columns)
            return false;
        s->width[widest]--;
    }
    return true;
}

/* For a table that will be split in any case: gives each column its natural width, at most that of the page. */
static void widen(const sheet *page, strip *s)
{
    s->gap = GAP;
    for (size_t c = 0; c < s->grid->columns; c++) {
        size_t before = INDENT + (c > 0 ? s->width[0] + s->gap : 0);
        size_t room = page->width > before + NARROWEST_TEXT ? page->width - before : NARROWEST_TEXT;
        size_t natural = natural_width(s->grid, c);
        s->width[c] = s->grid->right[c] ? natural : smaller(natural, room);
    }
}

/* True if column c is drawn in this strip. */
static bool in_strip(const strip *s, size_t c) { return (c == 0 && s->first > 0) || (c >= s->first && c < s->end); }

/* Writes one line of a row: the next piece of each cell. True while a cell has more text. */
static bool put_line(const sheet *page, const strip *s, const char **rest, const char *style)
{
    bool more = false;
    size_t behind = 0; /* blanks to write before the next text, so that no line ends with blanks */
    for (size_t c = 0; c < s->grid->columns; c++) {
        if (!in_strip(s, c))
            continue;
        const char *piece = rest[c];
        size_t length = eb_utf8_line(&rest[c], s->width[c]);
        size_t pad = s->width[c] - smaller(s->width[c], eb_utf8_columns(piece, length));
        behind += c == 0 ? INDENT : s->gap;
        if (s->grid->right[c])
            behind += pad;
        if (length > 0) {
            put_blanks(page, behind);
            put_styled(page, style, piece, length);
            behind = 0;
        }
        if (!s->grid->right[c])
            behind += pad;
        more |= *rest[c] != '\0';
    }
    (void)fputc('\n', page->out);
    return more;
}

static void put_row(const sheet *page, const strip *s, size_t row, const char **rest)
{
    for (size_t c = 0; c < s->grid->columns; c++)
        rest[c] = eb_grid_text(s->grid, row, c);
    while (put_line(page, s, rest, row == 0 ? BOLD : ""))
        continue;
}

static void put_line_of(const sheet *page, size_t length)
{
    for (; length > 0; length--)
        (void)fputs(page->ascii ? "-" : "─", page->out);
}

static void put_rule(const sheet *page, const strip *s)
{
    put_blanks(page, INDENT);
    if (page->colour)
        (void)fputs(DIM, page->out);
    size_t length = 0;
    for (size_t c = 0; c < s->grid->columns; c++)
        if (in_strip(s, c))
            length += s->width[c] + (length > 0 ? s->gap : 0);
    put_line_of(page, length);
    if (page->colour)
        (void)fputs(NORMAL, page->out);
    (void)fputc('\n', page->out);
}

/* Extends the strip from s->first to as many columns as fit on the page, at least one. */
static void extend_strip(const sheet *page, strip *s)
{
    size_t used = INDENT + (s->first > 0 ? s->width[0] + s->gap : 0) + s->width[s->first];
    s->end = s->first + 1;
    while (s->end < s->grid->columns && used + s->gap + s->width[s->end] <= page->width)
        used += s->gap + s->width[s->end++];
}

static void put_grid(const sheet *page, const eb_grid *grid, size_t *width, const char **rest)
{
    strip s = {.grid = grid, .width = width, .gap = GAP};
    if (!squeeze(page, &s)) {
        s.gap = NARROW_GAP;
        if (!squeeze(page, &s))
            widen(page, &s);
    }
    for (s.first = 0; s.first < grid->columns; s.first = s.end) {
        extend_strip(page, &s);
        if (s.end == 1 && grid->columns > 1)
            continue; /* only the names, which every later strip repeats */
        if (s.first > 1)
            (void)fputc('\n', page->out);
        put_row(page, &s, 0, rest);
        put_rule(page, &s);
        for (size_t r = 1; r < grid->rows; r++)
            put_row(page, &s, r, rest);
    }
}

static eb_code put_table(sheet *page, const eb_table *table, eb_status *status)
{
    eb_grid grid;
    if (table->rows == 0 || table->columns == 0) {
        (void)fprintf(page->out, "%*s(none)\n", (int)INDENT, "");
        return EB_OK;
    }
    EB_TRY(eb_grid_of_table(table, page->ascii, &grid, status));
    eb_code failed = EB_OK;
    size_t *width = calloc(grid.columns, sizeof *width);
    const char **rest = calloc(grid.columns, sizeof *rest);
    if (width && rest)
        put_grid(page, &grid, width, rest);
    else
        failed = eb_fail_memory(status, "a table's layout", grid.columns * sizeof *width);
    free(width);
    free(rest);
    eb_grid_free(&grid);
    return failed;
}

/* ---- the page ---- */

static void put_page_rule(sheet *page)
{
    set_off(page);
    put_line_of(page, smaller(page->width, MOST_RULE));
    (void)fputc('\n', page->out);
    page->begun = false;
}

static eb_code put_item(sheet *page, const eb_item *item, eb_status *status)
{
    const unsigned width = page->width < 1000 ? (unsigned)page->width : EB_PLOT_WIDTH;
    if (item->page)
        put_page_rule(page);
    if (!item->title)
        return EB_OK;
    EB_TRY(put_heading(page, item->title, status));
    if (eb_is_drawn(item))
        return eb_put_drawing(page->out, item, width, page->font, status);
    return item->kind == EB_RECORD ? put_fields(page, item->as.record.field, item->as.record.fields, status)
                                   : put_table(page, &item->as.table, status);
}

/* Writes consecutive fields, aligned with each other. Returns the index of the item after them. */
static size_t put_field_run(sheet *page, const eb_report *report, size_t first, eb_code *failed, eb_status *status)
{
    size_t end = first, count = 0;
    while (end < report->items && report->item[end]->kind == EB_FIELD)
        end++;
    eb_field *fields = calloc(end - first, sizeof *fields);
    if (!fields) {
        *failed = eb_fail_memory(status, "fields to show", (end - first) * sizeof *fields);
        return end;
    }
    for (size_t k = first; k < end; k++)
        if (report->item[k]->title)
            fields[count++] = report->item[k]->as.field;
    if (count > 0)
        set_off(page);
    *failed = put_fields(page, fields, count, status);
    free(fields);
    return end;
}

/* Writes text whose line breaks are kept. */
static eb_code put_raw(const sheet *page, const char *raw, eb_status *status)
{
    while (*raw) {
        size_t length = strcspn(raw, "\n");
        char *line = strndup(raw, length), *shown = line ? eb_utf8_shown(line, page->ascii) : NULL;
        if (shown)
            (void)fprintf(page->out, "%s\n", shown);
        free(line);
        free(shown);
        if (!shown)
            return eb_fail_memory(status, "a line of text", length);
        raw += length + (raw[length] == '\n');
    }
    return EB_OK;
}

eb_code eb_render_text(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status)
{
    sheet page = {.out = out,
                  .width = options->width ? options->width : SIZE_MAX,
                  .ascii = !options->unicode,
                  .font = !options->unicode  ? EB_FONT_ASCII
                          : options->console ? EB_FONT_CONSOLE
                                             : EB_FONT_UNICODE,
                  .colour = options->colour};
    eb_code failed = EB_OK;
    for (size_t k = 0; k < report->items && !failed;) {
        if (report->item[k]->kind == EB_FIELD)
            k = put_field_run(&page, report, k, &failed, status);
        else
            failed = put_item(&page, report->item[k++], status);
    }
    if (report->raw && !failed) {
        set_off(&page);
        failed = put_raw(&page, report->raw, status);
    }
    if (report->notes > 0 && !failed)
        set_off(&page);
    for (size_t k = 0; k < report->notes && !failed; k++)
        failed = put_text(&page, page.ascii ? "* " : "• ", DIM, report->note[k], status);
    if (report->conclusion && !failed) {
        set_off(&page);
        failed = put_text(&page, "", BOLD, report->conclusion, status);
    }
    if (page.begun) /* an empty line before the next report or the prompt */
        (void)fputc('\n', out);
    return failed;
}
