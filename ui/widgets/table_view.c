#include "ui/widgets/table_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/table.h"
#include "draw/utf8.h"

enum { MARKS = 2 }; /* columns for the cursor's sign and the mark, before the table's first */

void eb_table_view_init(eb_table_view *view)
{
    *view = (eb_table_view){.sort_column = -1, .marked = {EB_NO_TABLE_ROW, EB_NO_TABLE_ROW}};
}

void eb_table_view_free(eb_table_view *view)
{
    free(view->order);
    view->order = NULL;
    view->lines = 0;
}

/* ---- filter ---- */

static bool row_has(const eb_table *table, size_t row, const char *text)
{
    char number[64];
    for (size_t c = 0; c < table->columns; c++) {
        eb_value value = table->cell[row * table->columns + c];
        const char *cell = value.kind == EB_TEXT ? value.as.text
                                                 : eb_format_value(number, sizeof number, value, table->column[c].unit);
        if (strcasestr(cell, text))
            return true;
    }
    return false;
}

/* ---- sorting ---- */

static int compare_values(eb_value a, eb_value b)
{
    if (a.kind == EB_TEXT && b.kind == EB_TEXT)
        return strcasecmp(a.as.text, b.as.text);
    double x = eb_value_number(a), y = eb_value_number(b);
    if (isnan(x) || isnan(y)) /* numbers before words */
        return (int)isnan(x) - (int)isnan(y);
    return (x > y) - (x < y);
}

typedef struct sorting {
    const eb_table *table;
    size_t column;
    bool descending;
} sorting;

/* Unknown values come last in either direction; equal rows keep the table's order. */
static int compare_rows(const void *a, const void *b, void *context)
{
    const sorting *s = context;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    eb_value x = s->table->cell[i * s->table->columns + s->column],
             y = s->table->cell[j * s->table->columns + s->column];
    if ((x.kind == EB_NA) != (y.kind == EB_NA))
        return x.kind == EB_NA ? 1 : -1;
    int order = compare_values(x, y);
    if (order != 0)
        return s->descending ? -order : order;
    return (i > j) - (i < j);
}

void eb_table_view_update(eb_table_view *view, const eb_table *table)
{
    size_t *order = realloc(view->order, (table->rows ? table->rows : 1) * sizeof *order);
    if (!order) {
        view->lines = 0; /* out of memory: show no rows rather than wrong ones */
        return;
    }
    view->order = order;
    view->lines = 0;
    for (size_t r = 0; r < table->rows; r++)
        if (view->filter[0] == '\0' || row_has(table, r, view->filter))
            order[view->lines++] = r;
    if (view->sort_column >= (int)table->columns)
        view->sort_column = -1;
    sorting s = {table, (size_t)(view->sort_column < 0 ? 0 : view->sort_column), view->descending};
    if (view->sort_column >= 0)
        qsort_r(order, view->lines, sizeof *order, compare_rows, &s);
    if (view->cursor >= view->lines)
        view->cursor = view->lines ? view->lines - 1 : 0;
    if (view->top >= view->lines)
        view->top = view->lines ? view->lines - 1 : 0;
    if (view->left >= table->columns)
        view->left = 0;
}

size_t eb_table_view_row(const eb_table_view *view)
{
    return view->cursor < view->lines ? view->order[view->cursor] : EB_NO_TABLE_ROW;
}

/* ---- moving ---- */

/* Moves top so that the cursor is among the `rows` visible lines. */
static void show_cursor(eb_table_view *view, int rows)
{
    size_t shown = rows > 0 ? (size_t)rows : 1;
    if (view->cursor < view->top)
        view->top = view->cursor;
    if (view->cursor >= view->top + shown)
        view->top = view->cursor - shown + 1;
    if (view->lines >= shown && view->top > view->lines - shown)
        view->top = view->lines - shown;
    if (view->lines < shown)
        view->top = 0;
}

static void move_by(eb_table_view *view, long lines)
{
    long to = (long)view->cursor + lines, last = (long)view->lines - 1;
    view->cursor = (size_t)(to < 0 ? 0 : to > last ? last < 0 ? 0 : last : to);
}

static void sort_by(eb_table_view *view, const eb_table *table, int column)
{
    view->descending = view->sort_column == column && !view->descending;
    view->sort_column = column;
    eb_table_view_update(view, table);
}

/* The column whose title is drawn at x, −1: none. *whole: all columns fit. */
static int column_at(const eb_table_view *view, const eb_table *table, int x, eb_rect area, bool *whole)
{
    eb_grid grid;
    eb_status ignored;
    eb_table straight = *table;
    straight.turned = false;
    *whole = true;
    if (eb_grid_of_table(&straight, view->ascii, &grid, &ignored))
        return -1;
    int *width = eb_grid_widths(&grid), found = -1, at = area.x + MARKS;
    for (size_t c = 0; width && *whole && c < grid.columns; c = eb_table_next(c, view->left)) {
        int room = area.x + area.width - 1 - at;
        *whole = room >= width[c];
        if (eb_table_fits(c, width[c], room) && x >= at && x < at + width[c] + EB_TABLE_GAP)
            found = (int)c;
        at += width[c] + EB_TABLE_GAP;
    }
    free(width);
    eb_grid_free(&grid);
    return found;
}

/* Scrolls by one column while some do not fit at the right. Column 0 always stays. */
static void scroll_right(eb_table_view *view, const eb_table *table, eb_rect area)
{
    bool whole;
    size_t next = view->left > 1 ? view->left + 1 : 2;
    (void)column_at(view, table, area.x, area, &whole);
    if (!whole && next < table->columns)
        view->left = next;
}

static bool clicked(eb_table_view *view, const eb_table *table, eb_key key, eb_rect area)
{
    if (!eb_rect_has(area, key.x, key.y))
        return false;
    if (key.y == area.y) {
        bool whole;
        int column = column_at(view, table, key.x, area, &whole);
        if (column >= 0)
            sort_by(view, table, column);
        return true;
    }
    size_t line = view->top + (size_t)(key.y - area.y - 1);
    if (line < view->lines)
        view->cursor = line;
    return true;
}

bool eb_table_view_key(eb_table_view *view, const eb_table *table, eb_key key, eb_rect area)
{
    long page = area.height > 2 ? area.height - 2 : 1;
    if (key.modifiers)
        return false;
    switch (key.code) {
    case EB_KEY_UP: move_by(view, -1); return true;
    case EB_KEY_DOWN: move_by(view, 1); return true;
    case EB_KEY_PAGE_UP: move_by(view, -page); return true;
    case EB_KEY_PAGE_DOWN: move_by(view, page); return true;
    case EB_KEY_HOME: view->cursor = 0; return true;
    case EB_KEY_END: move_by(view, (long)view->lines); return true;
    case EB_KEY_LEFT: view->left = view->left > 2 ? view->left - 1 : 0; return true;
    case EB_KEY_RIGHT: scroll_right(view, table, area); return true;
    case EB_KEY_WHEEL_UP: move_by(view, -3); return true;
    case EB_KEY_WHEEL_DOWN: move_by(view, 3); return true;
    case EB_KEY_CLICK: return clicked(view, table, key, area);
    default: return false;
    }
}

/* ---- drawing ---- */

static void draw_scroll(eb_canvas *canvas, eb_rect area, size_t top, size_t lines)
{
    int rows = area.height - 1, x = area.x + area.width - 1;
    if (rows < 2 || lines <= (size_t)rows)
        return;
    int thumb = (int)((double)rows * (double)rows / (double)lines);
    thumb = thumb < 1 ? 1 : thumb;
    int from = (int)((double)(rows - thumb) * (double)top / (double)(lines - (size_t)rows) + 0.5);
    for (int k = 0; k < rows; k++) {
        bool inside = k >= from && k < from + thumb;
        eb_put_cell(canvas, area, x, area.y + 1 + k, inside ? EB_ROLE_FOCUS : EB_ROLE_FRAME, inside ? 0x2588 : 0x2502,
                    inside ? '#' : '|');
    }
}

/* Draws the titles; an arrow marks the column that the table is sorted by. */
static void draw_titles(eb_canvas *canvas, eb_rect line, const eb_grid *grid, const int *width,
                        const eb_table_view *view)
{
    bool more = eb_put_grid_row(canvas, line, grid, width, 0, view->left, EB_ROLE_HEADER);
    int x = line.x;
    eb_rect with_marks = {line.x - 1, line.y, line.width + 1, 1};
    for (size_t c = 0; view->sort_column >= 0 && c < grid->columns; c = eb_table_next(c, view->left)) {
        if (!eb_table_fits(c, width[c], line.x + line.width - x))
            break;
        if ((int)c == view->sort_column)
            eb_put_cell(canvas, with_marks, grid->right[c] ? x - 1 : x + eb_text_width(eb_grid_text(grid, 0, c)),
                        line.y, EB_ROLE_FOCUS, view->descending ? 0x25BE : 0x25B4, view->descending ? 'v' : '^');
        x += width[c] + EB_TABLE_GAP;
    }
    if (more)
        eb_put_cell(canvas, line, line.x + line.width - 1, line.y, EB_ROLE_FOCUS, 0x25B8, '>');
}

static void draw_line(eb_canvas *canvas, eb_rect area, const eb_grid *grid, const int *width, const eb_table_view *view,
                      size_t line, int y, bool focused)
{
    size_t row = view->order[line];
    bool cursor = line == view->cursor && !view->still, marked = row == view->marked[0] || row == view->marked[1];
    eb_rect whole = {area.x, y, area.width - 1, 1}, cells = {area.x + MARKS, y, area.width - MARKS - 1, 1};
    (void)eb_put_grid_row(canvas, cells, grid, width, row + 1, view->left, marked ? EB_ROLE_MARKED : EB_ROLE_TEXT);
    if (marked)
        eb_put_cell(canvas, area, area.x + 1, y, EB_ROLE_MARKED, 0x25CF, '*');
    if (cursor) {
        eb_put_cell(canvas, area, area.x, y, EB_ROLE_FOCUS, 0x25B8, '>');
        if (focused)
            eb_recolour(canvas, whole, EB_ROLE_SELECTED);
    }
}

void eb_draw_table(eb_canvas *canvas, eb_rect area, const eb_table *table, eb_table_view *view, bool focused)
{
    eb_grid grid;
    eb_status ignored;
    eb_table straight = *table;
    straight.turned = false;
    area = eb_rect_cut(area, eb_canvas_rect(canvas));
    if (eb_rect_empty(area) || eb_grid_of_table(&straight, !canvas->unicode, &grid, &ignored))
        return;
    int *width = eb_grid_widths(&grid);
    view->ascii = !canvas->unicode;
    show_cursor(view, area.height - 1);
    if (width) {
        draw_titles(canvas, (eb_rect){area.x + MARKS, area.y, area.width - MARKS - 1, 1}, &grid, width, view);
        for (int k = 0; k < area.height - 1 && view->top + (size_t)k < view->lines; k++)
            draw_line(canvas, area, &grid, width, view, view->top + (size_t)k, area.y + 1 + k, focused);
        if (view->lines == 0 && area.height > 1)
            (void)eb_put_short(canvas, area, area.x + MARKS, area.y + 1, EB_ROLE_DIM,
                               table->rows ? "nothing has this text" : "nothing here yet");
        draw_scroll(canvas, area, view->top, view->lines);
    }
    free(width);
    eb_grid_free(&grid);
}
