#include "draw/slide_flow.h"

#include <stdlib.h>
#include <string.h>

#include "draw/format.h"
#include "draw/plots/heat_map.h"
#include "draw/plots/plot.h"
#include "draw/plots/table_picture.h"
#include "draw/table.h"
#include "draw/utf8.h"

enum { PLOT_ROWS = 12, MOST_PLOT_ROWS = 24, LEAST_ROWS = 3, MOST_PICKS = 64 };

static void next_page(eb_flow *flow)
{
    flow->at++;
    flow->y = flow->gap = 0;
}

/* Takes `rows` rows of one page, the next page where this one has no room. *own: their rectangle on the canvas. False
 * if they are not on the page being drawn. */
static bool take_rows(eb_flow *flow, int rows, eb_rect *own)
{
    if (flow->y > 0 && flow->y + rows > flow->area.height)
        next_page(flow);
    *own = (eb_rect){flow->area.x, flow->area.y + flow->y, flow->area.width, rows};
    *own = eb_rect_cut(*own, flow->area);
    flow->y += rows;
    return flow->canvas && flow->at == flow->page;
}

void eb_flow_gap(eb_flow *flow)
{
    if (flow->y > 0 && flow->y != flow->gap)
        flow->gap = ++flow->y;
}

void eb_flow_keep(eb_flow *flow, int rows)
{
    if (flow->y > 0 && flow->y + rows > flow->area.height)
        next_page(flow);
}

/* ---- text ---- */

/* The next line of *text, at most `columns` wide. Heap. */
static char *cut_line(const char **text, int columns)
{
    const char *begin = *text;
    const size_t bytes = eb_utf8_line(text, columns > 0 ? (size_t)columns : 1);
    return strndup(begin, bytes);
}

void eb_flow_text(eb_flow *flow, eb_role role, int x, const char *mark, eb_role mark_role, const char *text)
{
    eb_rect own;
    char *shown = eb_utf8_shown(text, !flow->unicode);
    for (const char *at = shown; at && *at;) {
        const bool first = at == shown;
        char *line = cut_line(&at, flow->area.width - x);
        if (take_rows(flow, 1, &own) && line)
            (void)eb_put(flow->canvas, own, own.x + x, own.y, role, line);
        if (first && mark && flow->canvas && flow->at == flow->page)
            (void)eb_put(flow->canvas, own, own.x, own.y, mark_role, mark);
        free(line);
    }
    free(shown);
}

/* Cuts as many words off *text as fit in large letters, at least one. */
static char *cut_large(const char **text, eb_large size, bool unicode, int columns)
{
    char *line = NULL;
    const size_t most = eb_utf8_columns(*text, strlen(*text));
    for (size_t width = most > 0 ? most : 1; width > 0; width--) {
        const char *rest = *text;
        free(line);
        line = cut_line(&rest, (int)width);
        if (!line || width == 1 || eb_large_columns(size, unicode, line) <= columns) {
            *text = rest;
            return line;
        }
    }
    return line;
}

int eb_flow_large_lines(const eb_flow *flow, eb_large size, const char *text)
{
    char *shown = eb_utf8_shown(text, false);
    int lines = 0;
    for (const char *at = shown; at && *at; lines++)
        free(cut_large(&at, size, flow->unicode, flow->area.width));
    free(shown);
    return lines;
}

void eb_flow_large(eb_flow *flow, eb_role role, eb_large size, const char *text)
{
    eb_rect own;
    char *shown = eb_utf8_shown(text, false);
    for (const char *at = shown ? shown : ""; *at;) {
        char *line = cut_large(&at, size, flow->unicode, flow->area.width);
        if (take_rows(flow, eb_large_rows(size, flow->unicode), &own) && line)
            eb_put_large(flow->canvas, own, own.x, own.y, role, size, line);
        if (*at)
            eb_flow_gap(flow);
        free(line);
    }
    free(shown);
}

void eb_flow_field(eb_flow *flow, const eb_field *field)
{
    char value[64];
    const bool text = field->value.kind == EB_TEXT;
    if (!field->title)
        return;
    eb_flow_text(flow, EB_ROLE_TEXT, eb_text_width(field->title) + 2, field->title, EB_ROLE_DIM,
                 text ? field->value.as.text : eb_format_value(value, sizeof value, field->value, field->unit));
}

/* ---- tables ---- */

/* A table made of some columns and rows of another table. It borrows that table's names and values. */
typedef struct part {
    eb_table table;
    size_t *pick; /* [picks] indices of visible columns */
    size_t picks;
} part;

static bool part_make(part *p, const eb_table *whole)
{
    *p = (part){.table = {.turned = whole->turned}};
    p->table.column = calloc(whole->columns, sizeof *p->table.column);
    p->table.cell = calloc(whole->columns * (whole->rows + 1), sizeof *p->table.cell);
    p->pick = calloc(whole->columns, sizeof *p->pick);
    return p->table.column && p->table.cell && p->pick;
}

static void part_free(part *p)
{
    free(p->table.column);
    free(p->table.cell);
    free(p->pick);
}

static const eb_table *part_of(part *p, const eb_table *whole, size_t first, size_t end)
{
    p->table.columns = p->picks;
    p->table.rows = end - first;
    for (size_t c = 0; c < p->picks; c++) {
        p->table.column[c] = whole->column[p->pick[c]];
        for (size_t r = first; r < end; r++)
            p->table.cell[(r - first) * p->picks + c] = whole->cell[r * whole->columns + p->pick[c]];
    }
    return &p->table;
}

static void put_rows(eb_flow *flow, part *p, const eb_table *whole)
{
    size_t end;
    eb_rect own;
    for (size_t first = 0; first < whole->rows || first == 0; first = end) {
        const size_t left = whole->rows - first;
        if (flow->area.height - flow->y < (left < LEAST_ROWS ? (int)left : LEAST_ROWS) + 1 && flow->y > 0)
            next_page(flow);
        const size_t room = flow->area.height - flow->y > 2 ? (size_t)(flow->area.height - flow->y - 1) : 1;
        end = first + (left < room ? left : room);
        const eb_table *table = part_of(p, whole, first, end);
        if (take_rows(flow, (int)table->rows + 1, &own))
            (void)eb_draw_plain_table(flow->canvas, own, table);
        if (left == 0)
            return;
    }
}

/* Each column of a turned table is a line. Lines are split over pages; the first one, which names the rows, is
 * repeated. */
static void put_turned(eb_flow *flow, part *p, const eb_table *whole)
{
    const size_t seen = p->picks;
    size_t *all = p->pick, pick[MOST_PICKS], done = 1;
    eb_rect own;
    pick[0] = all[0];
    p->pick = pick;
    while (done < seen) {
        if (flow->area.height - flow->y < LEAST_ROWS && flow->y > 0)
            next_page(flow);
        const int room = flow->area.height - flow->y;
        for (p->picks = 1; done < seen && p->picks < MOST_PICKS && (int)p->picks < (room > 2 ? room : 2); p->picks++)
            pick[p->picks] = all[done++];
        if (take_rows(flow, (int)p->picks, &own))
            (void)eb_draw_plain_table(flow->canvas, own, part_of(p, whole, 0, whole->rows));
    }
    p->pick = all;
}

static bool fits(part *p, const eb_table *whole, const eb_flow *flow)
{
    return eb_plain_table_columns(part_of(p, whole, 0, whole->rows), !flow->unicode) <= flow->area.width;
}

/* Picks the first visible column and as many columns from `next` on as fit, at least one. Returns the index after the
 * last one picked. */
static size_t pick_strip(eb_flow *flow, part *p, const eb_table *whole, size_t next)
{
    const size_t least = next == 0 ? 1 : 2;
    for (p->picks = next == 0 ? 0 : 1; next < whole->columns; next++) {
        if (!whole->column[next].title)
            continue;
        p->pick[p->picks++] = next;
        if (p->picks > least && !fits(p, whole, flow)) {
            p->picks--;
            return next;
        }
    }
    return next;
}

/* Draws as many lines of a program on a page as fit, and the others on the next pages. */
static void put_listing(eb_flow *flow, const eb_table *table)
{
    eb_table lines = *table;
    eb_rect own;
    for (size_t done = 0; done < table->rows; done += lines.rows) {
        const int room = flow->area.height - flow->y > LEAST_ROWS ? flow->area.height - flow->y : flow->area.height;
        lines.cell = table->cell + done * table->columns;
        for (lines.rows = table->rows - done; lines.rows > 1 && eb_table_picture_rows(&lines, flow->area.width) > room;)
            lines.rows--;
        if (take_rows(flow, eb_table_picture_rows(&lines, flow->area.width), &own))
            eb_draw_table_picture(flow->canvas, own, &lines);
    }
}

static void put_picture(eb_flow *flow, const eb_table *table)
{
    eb_rect own;
    if (table->look == EB_AS_CODE) {
        put_listing(flow, table);
        return;
    }
    const int rows = eb_table_picture_rows(table, flow->area.width);
    if (take_rows(flow, rows < flow->area.height ? rows : flow->area.height, &own))
        eb_draw_table_picture(flow->canvas, own, table);
}

void eb_flow_table(eb_flow *flow, const eb_table *table)
{
    part p;
    if (table->look != EB_AS_TABLE && table->rows > 0) {
        put_picture(flow, table);
        return;
    }
    if (!part_make(&p, table)) {
        part_free(&p);
        return;
    }
    if (table->turned) {
        for (size_t c = 0; c < table->columns; c++)
            if (table->column[c].title)
                p.pick[p.picks++] = c;
        put_turned(flow, &p, table);
    } else {
        size_t next = 0;
        while (next < table->columns) {
            const bool first = next == 0;
            next = pick_strip(flow, &p, table, next);
            if (!first && p.picks == 1) /* no visible column is left */
                break;
            if (!first)
                eb_flow_gap(flow);
            put_rows(flow, &p, table);
        }
    }
    part_free(&p);
}

/* ---- pictures ---- */

void eb_flow_series(eb_flow *flow, const eb_series *series)
{
    const bool map = series->shape == EB_HEAT;
    int rows = map ? eb_heat_map_rows(series) : PLOT_ROWS, room = flow->area.height - flow->y;
    eb_rect own;
    if (room < rows && flow->y > 0)
        room = flow->area.height;
    if (!map && room > rows)
        rows = room < MOST_PLOT_ROWS ? room : MOST_PLOT_ROWS;
    rows = rows < flow->area.height ? rows : flow->area.height;
    if (take_rows(flow, rows, &own))
        eb_draw_series(flow->canvas, own, series);
}
