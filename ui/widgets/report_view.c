#include "ui/widgets/report_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/heat_map.h"
#include "draw/plots/plot.h"
#include "draw/plots/table_picture.h"
#include "draw/table.h"
#include "draw/utf8.h"

enum {
    PLOT_ROWS = 14,
    MOST_LINES = 4096, /* of a canvas */
    MOST_COLUMNS = 1024,
    FIELDS_AT_ONCE = 64,
    GAP = 2,          /* columns between a title and its value */
    VALUE_LEAST = 16, /* least columns of a value, where the area has them */
    VALUE_SIZE = 64,  /* bytes of a formatted number */
};

static bool is_picture(const eb_item *item)
{
    return item->kind == EB_TABLE && item->as.table.look != EB_AS_TABLE && item->as.table.rows > 0;
}

static int plot_rows(const eb_item *item, int width)
{
    if (item->kind == EB_TABLE)
        return eb_table_picture_rows(&item->as.table, width);
    return item->as.series.shape == EB_HEAT ? eb_heat_map_rows(&item->as.series) : PLOT_ROWS;
}

/* ---- the page: the whole report is drawn first, then the visible part is copied ---- */

typedef struct page {
    eb_canvas canvas; /* as wide as the widest table, if tables are drawn in full width */
    int width;        /* columns of everything but tables */
    int y;            /* row where the next part begins */
    double turn;      /* turn, turns_from, turns_end: as in eb_report_place */
    int turns_from, turns_end;
} page;

static eb_rect rest_of(const page *p) { return (eb_rect){0, p->y, p->width, p->canvas.height - p->y}; }

static void put_title(page *p, const char *title)
{
    if (p->y > 0)
        p->y++;
    if (!title || !title[0])
        return;
    (void)eb_put_short(&p->canvas, rest_of(p), 0, p->y, EB_ROLE_TITLE, title);
    p->y++;
}

/* Draws a value and returns its lines. A hash is cut, its beginning is enough; other text is broken into lines. */
static int put_value(page *p, eb_rect area, const eb_field *field)
{
    char buffer[VALUE_SIZE];
    if (field->value.kind != EB_TEXT) {
        eb_role role = field->value.kind == EB_NA ? EB_ROLE_DIM : EB_ROLE_TEXT;
        return eb_put_wrapped(&p->canvas, area, role,
                              eb_format_value(buffer, sizeof buffer, field->value, field->unit));
    }
    if (strcmp(field->key, "sha256") != 0)
        return eb_put_wrapped(&p->canvas, area, EB_ROLE_TEXT, field->value.as.text);
    (void)eb_put_short(&p->canvas, area, area.x, area.y, EB_ROLE_TEXT, field->value.as.text);
    return 1;
}

/* Draws titles and values side by side; long ones are broken into lines. */
static void put_fields(page *p, const eb_field *field, size_t count)
{
    int width = p->width, most = width > 2 * VALUE_LEAST ? width - VALUE_LEAST : width / 2, left = 0;
    for (size_t k = 0; k < count; k++) {
        int columns = field[k].title ? eb_text_width(field[k].title) : 0;
        left = columns > left ? columns : left;
    }
    left = left < most ? left : most;
    for (size_t k = 0; k < count; k++) {
        if (!field[k].title)
            continue;
        eb_rect title = rest_of(p), value = title;
        title.width = left;
        value.x += left + GAP;
        value.width -= left + GAP;
        int lines = eb_put_wrapped(&p->canvas, title, EB_ROLE_DIM, field[k].title);
        int of_value = put_value(p, value, &field[k]);
        p->y += of_value > lines ? of_value : lines > 0 ? lines : 1;
    }
}

/* Draws consecutive fields with their values in one column. Returns the index of the item after them. */
static size_t put_run_of_fields(page *p, const eb_report *report, size_t first)
{
    eb_field field[FIELDS_AT_ONCE];
    size_t count = 0, end = first;
    for (; end < report->items && count < FIELDS_AT_ONCE && report->item[end]->kind == EB_FIELD; end++)
        if (report->item[end]->title)
            field[count++] = report->item[end]->as.field;
    if (count > 0 && p->y > 0 && report->item[first - 1]->kind != EB_FIELD)
        p->y++;
    put_fields(p, field, count);
    return end;
}

static void put_series(page *p, eb_rect area, const eb_series *series)
{
    if (series->in_turns && !isnan(p->turn))
        eb_draw_turns(&p->canvas, area, series, p->turn);
    else
        eb_draw_series(&p->canvas, area, series);
}

static void put_item(page *p, const eb_item *item, unsigned parts)
{
    bool plot = item->kind == EB_SERIES || is_picture(item);
    if (!item->title || !(parts & (plot ? EB_PARTS_PLOTS : EB_PARTS_TEXT)))
        return;
    const int before = p->y;
    put_title(p, item->title);
    if (plot) {
        eb_rect area = rest_of(p);
        const int rows = plot_rows(item, p->width);
        area.height = area.height < rows ? area.height : rows;
        if (item->kind == EB_TABLE)
            eb_draw_table_picture(&p->canvas, area, &item->as.table);
        else
            put_series(p, area, &item->as.series);
        p->y += rows;
        if (item->kind == EB_SERIES && item->as.series.in_turns) {
            p->turns_from = before;
            p->turns_end = p->y;
        }
    } else if (item->kind == EB_RECORD) {
        put_fields(p, item->as.record.field, item->as.record.fields);
    } else {
        eb_rect area = rest_of(p);
        area.width = p->canvas.width;
        p->y += eb_draw_plain_table(&p->canvas, area, &item->as.table);
    }
}

/* Draws a line; the text after its tab is wrapped in a column of its own, where there is room. */
static int put_line(page *p, char *line)
{
    char *tab = strchr(line, '\t');
    eb_rect rest = rest_of(p);
    if (tab)
        *tab = '\0';
    int left = tab ? eb_text_width(line) : 0;
    if (tab && rest.width - left >= VALUE_LEAST) {
        (void)eb_put(&p->canvas, rest, 0, p->y, EB_ROLE_TEXT, line);
        return eb_put_wrapped(&p->canvas, (eb_rect){left, p->y, rest.width - left, rest.height}, EB_ROLE_TEXT, tab + 1);
    }
    if (tab)
        memmove(tab, tab + 1, strlen(tab + 1) + 1);
    return eb_put_wrapped(&p->canvas, rest, EB_ROLE_TEXT, line);
}

/* Draws preformatted text, line by line. */
static void put_raw(page *p, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        int lines = line ? put_line(p, line) : 0;
        free(line);
        p->y += lines > 0 ? lines : 1;
        text += length + (text[length] == '\n');
    }
}

static void put_report(page *p, const eb_report *report, unsigned parts)
{
    for (size_t k = 0; k < report->items;) {
        if (report->item[k]->kind == EB_FIELD && (parts & EB_PARTS_TEXT))
            k = put_run_of_fields(p, report, k);
        else if (report->item[k]->kind == EB_FIELD)
            k++;
        else
            put_item(p, report->item[k++], parts);
    }
    if (!(parts & EB_PARTS_TEXT))
        return;
    if (report->raw)
        put_raw(p, report->flow ? report->flow : report->raw);
    for (size_t k = 0; k < report->notes; k++) {
        if (k == 0)
            put_title(p, NULL);
        p->y += eb_put_wrapped(&p->canvas, rest_of(p), eb_is_warning(report->note[k]) ? EB_ROLE_WARNING : EB_ROLE_DIM,
                               report->note[k]);
    }
    if (report->conclusion) {
        put_title(p, NULL);
        p->y += eb_put_wrapped(&p->canvas, rest_of(p), EB_ROLE_TITLE, report->conclusion);
    }
}

/* ---- how long a page must be ---- */

/* An upper bound of a text's lines: a title may take half a line, and a broken word the end of each line. */
static size_t lines_of_text(const char *text, size_t columns)
{
    size_t lines = 1 + eb_utf8_columns(text, SIZE_MAX) / (columns / 4 + 1);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    return lines;
}

static size_t lines_of_fields(const eb_field *fields, size_t count, size_t columns)
{
    size_t lines = 0;
    for (size_t k = 0; k < count; k++) {
        if (!fields[k].title)
            continue;
        lines += lines_of_text(fields[k].title, columns);
        lines += fields[k].value.kind == EB_TEXT ? lines_of_text(fields[k].value.as.text, columns)
                                                 : 1 + VALUE_SIZE / columns;
    }
    return lines;
}

static size_t lines_of_item(const eb_item *item, size_t columns)
{
    if (!item->title)
        return 0;
    switch (item->kind) {
    case EB_FIELD: return 2 + lines_of_fields(&item->as.field, 1, columns);
    case EB_RECORD: return 3 + lines_of_fields(item->as.record.field, item->as.record.fields, columns);
    case EB_TABLE:
        return 4 + (is_picture(item) ? (size_t)plot_rows(item, (int)columns)
                                     : item->as.table.rows + item->as.table.columns);
    case EB_SERIES: return 3 + (size_t)plot_rows(item, (int)columns);
    }
    return 0;
}

static int most_lines(const eb_report *report, int width)
{
    size_t lines = 2, columns = (size_t)width;
    for (size_t k = 0; k < report->items; k++)
        lines += lines_of_item(report->item[k], columns);
    for (size_t k = 0; k < report->notes; k++)
        lines += 1 + lines_of_text(report->note[k], columns);
    if (report->raw)
        lines += lines_of_text(report->raw, columns);
    if (report->conclusion)
        lines += 1 + lines_of_text(report->conclusion, columns);
    return lines < MOST_LINES ? (int)lines : MOST_LINES;
}

int eb_report_columns(const eb_report *report, bool ascii)
{
    int most = 0;
    for (size_t k = 0; k < report->items; k++) {
        const eb_item *item = report->item[k];
        int columns = item->kind == EB_TABLE && item->title && !is_picture(item)
                          ? eb_plain_table_columns(&item->as.table, ascii)
                          : 0;
        most = columns > most ? columns : most;
    }
    return most < MOST_COLUMNS ? most : MOST_COLUMNS;
}

/* ---- the visible part ---- */

/* True if the line has anything in columns [from, to). */
static bool goes_on(const page *p, int line, int from, int to)
{
    const eb_cell *cell = p->canvas.cell + (size_t)line * (size_t)p->canvas.width;
    for (int x = from; x < to && x < p->canvas.width; x++)
        if (cell[x].character != ' ')
            return true;
    return false;
}

static void copy_lines(eb_canvas *canvas, eb_rect area, const page *p, int top, int left)
{
    eb_rect own = {area.x, area.y, p->width, area.height}, seen = eb_rect_cut(own, eb_canvas_rect(canvas));
    for (int y = seen.y; y < seen.y + seen.height; y++) {
        int line = top + y - area.y;
        if (line >= p->canvas.height || line >= p->y || eb_rect_empty(seen))
            break;
        const eb_cell *from = p->canvas.cell + (size_t)line * (size_t)p->canvas.width + (left + seen.x - area.x);
        memcpy(canvas->cell + (size_t)y * (size_t)canvas->width + seen.x, from, (size_t)seen.width * sizeof *from);
        if (goes_on(p, line, 0, left))
            eb_put_cell(canvas, area, area.x, y, EB_ROLE_FOCUS, 0x25C2, '<'); /* ◂ */
        if (goes_on(p, line, left + p->width, p->canvas.width))
            eb_put_cell(canvas, area, area.x + area.width - 1, y, EB_ROLE_FOCUS, 0x25B8, '>'); /* ▸ */
    }
}

static void put_scroll_marks(eb_canvas *canvas, eb_rect area, int lines, int top)
{
    int right = area.x + area.width - 1, bottom = area.y + area.height - 1;
    if (top > 0)
        eb_put_cell(canvas, area, right, area.y, EB_ROLE_DIM, 0x25B2, '^'); /* ▲ */
    if (top + area.height < lines)
        eb_put_cell(canvas, area, right, bottom, EB_ROLE_DIM, 0x25BC, 'v'); /* ▼ */
}

static int clamp(int value, int most) { return value > most ? most > 0 ? most : 0 : value < 0 ? 0 : value; }

/* wide: tables are drawn in full width; otherwise they are cut. */
static int draw(eb_canvas *canvas, eb_rect area, const eb_report *report, unsigned parts, bool wide,
                eb_report_place *place)
{
    page p = {.canvas.unicode = canvas->unicode, .turn = place->turn};
    eb_status status;
    if (!report || eb_rect_empty(area))
        return 0;
    /* One column is left for scroll marks if the area is wide enough. */
    p.width = area.width > 20 ? area.width - 1 : area.width;
    p.width = p.width < MOST_LINES ? p.width : MOST_LINES;
    int width = wide ? eb_report_columns(report, !canvas->unicode) : 0;
    width = width > p.width ? width : p.width;
    if (eb_canvas_resize(&p.canvas, width, most_lines(report, p.width), &status)) {
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_BAD, status.message);
        return 1;
    }
    put_report(&p, report, parts);
    int lines = p.y < p.canvas.height ? p.y : p.canvas.height;
    place->top = clamp(place->top, lines - area.height);
    place->left = clamp(place->left, width - p.width);
    place->turns_from = p.turns_from;
    place->turns_end = p.turns_end;
    copy_lines(canvas, area, &p, place->top, place->left);
    put_scroll_marks(canvas, area, lines, place->top);
    eb_canvas_free(&p.canvas);
    return lines;
}

int eb_draw_wide_report(eb_canvas *canvas, eb_rect area, const eb_report *report, unsigned parts,
                        eb_report_place *place)
{
    return draw(canvas, area, report, parts, true, place);
}

int eb_draw_report(eb_canvas *canvas, eb_rect area, const eb_report *report, unsigned parts, int *top)
{
    eb_report_place place = {.top = *top, .turn = NAN};
    const int lines = draw(canvas, area, report, parts, false, &place);
    *top = place.top;
    return lines;
}
