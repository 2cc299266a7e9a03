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

void eb_table_view_free(eb_table_view *view) { eb_arranged_table_free(&view->shown); }

/* ---- arranging ---- */

/* Arranges by the parts that can be followed; view->wrong says why one cannot. */
static void arrange(eb_table_view *view, const eb_table *table)
{
    eb_arrangement wanted = {view->sort, view->where, view->columns};
    const char **const part[] = {&wanted.where, &wanted.columns, &wanted.sort};
    view->wrong = (eb_status){0};
    eb_arranged_table_free(&view->shown);
    for (size_t k = 0; eb_table_arrange(table, &wanted, &view->shown, view->wrong.code ? NULL : &view->wrong); k++) {
        if (k == sizeof part / sizeof part[0])
            return; /* out of memory: show no rows rather than wrong ones */
        *part[k] = "";
    }
}

/* Files are shown by their names, without folders. */
static void shorten_files(eb_table *table)
{
    const int column = eb_table_find_column(table, EB_F(dataset));
    for (size_t row = 0; column >= 0 && row < table->rows; row++) {
        eb_value *cell = &table->cell[row * table->columns + (size_t)column];
        const char *slash = cell->kind == EB_TEXT ? strrchr(cell->as.text, '/') : NULL;
        if (slash && slash[1])
            cell->as.text = slash + 1;
    }
}

/* Leaves out columns that only programs see, so that the shown columns are those of the grid. */
static void drop_hidden(eb_arranged_table *shown)
{
    eb_table *table = &shown->table;
    size_t columns = 0, to = 0;
    for (size_t k = 0; k < table->rows * table->columns; k++)
        if (table->column[k % table->columns].title)
            table->cell[to++] = table->cell[k];
    for (size_t c = 0; c < table->columns; c++)
        if (table->column[c].title) {
            shown->column[columns] = shown->column[c];
            table->column[columns++] = table->column[c];
        }
    table->columns = columns;
}

static int shown_column(const eb_arranged_table *shown, size_t column)
{
    for (size_t k = 0; k < shown->table.columns; k++)
        if (shown->column[k] == column)
            return (int)k;
    return -1;
}

void eb_table_view_update(eb_table_view *view, const eb_table *table)
{
    arrange(view, table);
    shorten_files(&view->shown.table);
    drop_hidden(&view->shown);
    const size_t lines = view->shown.table.rows;
    view->shown.table.turned = false;
    view->rows = table->rows;
    view->sort_column = shown_column(&view->shown, view->shown.sorted_by);
    if (view->cursor >= lines)
        view->cursor = lines ? lines - 1 : 0;
    if (view->top >= lines)
        view->top = lines ? lines - 1 : 0;
    if (view->left >= view->shown.table.columns)
        view->left = 0;
}

void eb_table_view_sort(eb_table_view *view, int column, bool descending)
{
    const eb_table *table = &view->shown.table;
    view->sort[0] = '\0';
    if (column >= 0 && (size_t)column < table->columns)
        (void)snprintf(view->sort, sizeof view->sort, "%s%s", descending ? "-" : "", table->column[column].key);
}

size_t eb_table_view_row(const eb_table_view *view)
{
    return view->cursor < view->shown.table.rows ? view->shown.row[view->cursor] : EB_NO_TABLE_ROW;
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
    if (view->shown.table.rows >= shown && view->top > view->shown.table.rows - shown)
        view->top = view->shown.table.rows - shown;
    if (view->shown.table.rows < shown)
        view->top = 0;
}

static void move_by(eb_table_view *view, long lines)
{
    long to = (long)view->cursor + lines, last = (long)view->shown.table.rows - 1;
    view->cursor = (size_t)(to < 0 ? 0 : to > last ? last < 0 ? 0 : last : to);
}

static void sort_by(eb_table_view *view, const eb_table *table, int column)
{
    eb_table_view_sort(view, column, view->sort_column == column && !view->shown.descending);
    eb_table_view_update(view, table);
}

/* The column whose title is drawn at x, −1: none. *whole: all columns fit. */
static int column_at(const eb_table_view *view, int x, eb_rect area, bool *whole)
{
    eb_grid grid;
    eb_status ignored;
    *whole = true;
    if (eb_grid_of_table(&view->shown.table, view->ascii, &grid, &ignored))
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
static void scroll_right(eb_table_view *view, eb_rect area)
{
    const size_t next = view->left > 1 ? view->left + 1 : 2;
    if (eb_table_view_is_cut(view, area.width) && next < view->shown.table.columns)
        view->left = next;
}

bool eb_table_view_is_cut(const eb_table_view *view, int width)
{
    bool whole;
    (void)column_at(view, -1, (eb_rect){0, 0, width, 1}, &whole);
    return !whole;
}

static bool clicked(eb_table_view *view, const eb_table *table, eb_key key, eb_rect area)
{
    if (!eb_rect_has(area, key.x, key.y))
        return false;
    if (key.y == area.y) {
        bool whole;
        int column = column_at(view, key.x, area, &whole);
        if (column >= 0)
            sort_by(view, table, column);
        return true;
    }
    size_t line = view->top + (size_t)(key.y - area.y - 1);
    if (line < view->shown.table.rows)
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
    case EB_KEY_END: move_by(view, (long)view->shown.table.rows); return true;
    case EB_KEY_LEFT: view->left = view->left > 2 ? view->left - 1 : 0; return true;
    case EB_KEY_RIGHT: scroll_right(view, area); return true;
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
                        line.y, EB_ROLE_FOCUS, view->shown.descending ? 0x25BE : 0x25B4,
                        view->shown.descending ? 'v' : '^');
        x += width[c] + EB_TABLE_GAP;
    }
    if (more)
        eb_put_cell(canvas, line, line.x + line.width - 1, line.y, EB_ROLE_FOCUS, 0x25B8, '>');
}

static void draw_line(eb_canvas *canvas, eb_rect area, const eb_grid *grid, const int *width, const eb_table_view *view,
                      size_t line, int y, bool focused)
{
    size_t row = view->shown.row[line];
    bool cursor = line == view->cursor && !view->still, marked = row == view->marked[0] || row == view->marked[1];
    eb_rect whole = {area.x, y, area.width - 1, 1}, cells = {area.x + MARKS, y, area.width - MARKS - 1, 1};
    (void)eb_put_grid_row(canvas, cells, grid, width, line + 1, view->left, marked ? EB_ROLE_MARKED : EB_ROLE_TEXT);
    if (marked)
        eb_put_cell(canvas, area, area.x + 1, y, EB_ROLE_MARKED, 0x25CF, '*');
    if (cursor) {
        eb_put_cell(canvas, area, area.x, y, EB_ROLE_FOCUS, 0x25B8, '>');
        if (focused)
            eb_recolour(canvas, whole, EB_ROLE_SELECTED);
    }
}

void eb_draw_table(eb_canvas *canvas, eb_rect area, eb_table_view *view, bool focused)
{
    eb_grid grid;
    eb_status ignored;
    area = eb_rect_cut(area, eb_canvas_rect(canvas));
    if (eb_rect_empty(area) || eb_grid_of_table(&view->shown.table, !canvas->unicode, &grid, &ignored))
        return;
    int *width = eb_grid_widths(&grid);
    view->ascii = !canvas->unicode;
    show_cursor(view, area.height - 1);
    if (width) {
        draw_titles(canvas, (eb_rect){area.x + MARKS, area.y, area.width - MARKS - 1, 1}, &grid, width, view);
        for (int k = 0; k < area.height - 1 && view->top + (size_t)k < view->shown.table.rows; k++)
            draw_line(canvas, area, &grid, width, view, view->top + (size_t)k, area.y + 1 + k, focused);
        if (view->shown.table.rows == 0 && area.height > 1)
            (void)eb_put_short(canvas, area, area.x + MARKS, area.y + 1, EB_ROLE_DIM,
                               view->rows ? "no row is as the filter says; Esc clears it" : "nothing here yet");
        draw_scroll(canvas, area, view->top, view->shown.table.rows);
    }
    free(width);
    eb_grid_free(&grid);
}
