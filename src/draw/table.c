#include "draw/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/format.h"
#include "draw/utf8.h"

enum { GAP = EB_TABLE_GAP };

/* ---- columns ---- */

int *eb_grid_widths(const eb_grid *grid)
{
    int *width = calloc(grid->columns ? grid->columns : 1, sizeof *width);
    for (size_t c = 0; width && c < grid->columns; c++)
        for (size_t r = 0; r < grid->rows; r++)
            width[c] = eb_wider(width[c], eb_grid_text(grid, r, c));
    return width;
}

eb_role eb_role_of_word(const char *text, eb_role usual)
{
    if (strcmp(text, "FASTER") == 0)
        return EB_ROLE_GOOD;
    if (strcmp(text, "SLOWER") == 0 || strcmp(text, "failed") == 0)
        return EB_ROLE_BAD;
    if (strcmp(text, "UNCLEAR") == 0 || strcmp(text, "partial") == 0)
        return EB_ROLE_WARNING;
    return strcmp(text, "SAME") == 0 || strcmp(text, "n/a") == 0 ? EB_ROLE_DIM : usual;
}

static void put_cell(eb_canvas *canvas, eb_rect clip, int x, int y, int width, bool right, eb_role role,
                     const char *text)
{
    eb_rect own = eb_rect_cut((eb_rect){x, y, width, 1}, clip);
    if (eb_rect_empty(own))
        return;
    if (right && eb_text_width(text) <= width)
        (void)eb_put(canvas, own, x + width - eb_text_width(text), y, role, text);
    else
        (void)eb_put_short(canvas, own, x, y, role, text);
}

static bool put_row(eb_canvas *canvas, eb_rect line, const eb_grid *grid, const int *width, int gap, size_t row,
                    size_t first, eb_role role)
{
    int x = line.x;
    for (size_t c = 0; c < grid->columns; c = eb_table_next(c, first)) {
        int room = line.x + line.width - x;
        if (!eb_table_fits(c, width[c], room))
            return true;
        const char *text = eb_grid_text(grid, row, c);
        put_cell(canvas, line, x, line.y, width[c] < room ? width[c] : room, grid->right[c],
                 eb_role_of_word(text, role), text);
        if (width[c] > room)
            return true;
        x += width[c] + gap;
    }
    return false;
}

bool eb_put_grid_row(eb_canvas *canvas, eb_rect line, const eb_grid *grid, const int *width, size_t row, size_t first,
                     eb_role role)
{
    return put_row(canvas, line, grid, width, GAP, row, first, role);
}

static int columns_of(const eb_grid *grid, const int *width, int gap)
{
    int columns = 0;
    for (size_t c = 0; c < grid->columns; c++)
        columns += width[c] + (c > 0 ? gap : 0);
    return columns;
}

/* ---- tables and records to read ---- */

int eb_draw_plain_table(eb_canvas *canvas, eb_rect area, const eb_table *table)
{
    eb_grid grid;
    eb_status ignored;
    if (eb_grid_of_table(table, !canvas->unicode, &grid, &ignored))
        return 0;
    int *width = eb_grid_widths(&grid), lines = (int)grid.rows;
    /* Narrow the gaps before cutting a column. */
    const int gap = width && columns_of(&grid, width, GAP) > area.width ? 1 : GAP;
    for (size_t r = 0; width && r < grid.rows && (int)r < area.height; r++) {
        eb_rect line = {area.x, area.y + (int)r, area.width, 1};
        if (put_row(canvas, line, &grid, width, gap, r, 0, r == 0 ? EB_ROLE_HEADER : EB_ROLE_TEXT))
            eb_put_cell(canvas, line, line.x + line.width - 1, line.y, EB_ROLE_FOCUS, 0x25B8, '>');
    }
    free(width);
    eb_grid_free(&grid);
    return lines;
}

int eb_plain_table_columns(const eb_table *table, bool ascii)
{
    eb_grid grid;
    eb_status ignored;
    if (eb_grid_of_table(table, ascii, &grid, &ignored))
        return 0;
    int *width = eb_grid_widths(&grid), columns = width ? columns_of(&grid, width, GAP) : 0;
    free(width);
    eb_grid_free(&grid);
    return columns;
}

void eb_draw_meter(eb_canvas *canvas, eb_rect area, eb_role role, double share)
{
    area.height = area.height > 1 ? 1 : area.height;
    if (eb_rect_empty(area))
        return;
    if (isnan(share)) {
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_DIM, "n/a");
        return;
    }
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    int eighths = (int)(share * 8 * area.width + 0.5);
    if (!canvas->unicode)
        eighths = (eighths + 4) / 8 * 8;
    if (eighths == 0 && share > 0)
        eighths = canvas->unicode ? 1 : 8; /* a share above 0 must be visible */
    for (int x = 0; x < area.width; x++, eighths -= 8) {
        if (eighths >= 8)
            eb_put_cell(canvas, area, area.x + x, area.y, role, 0x2588, '#');
        else if (eighths > 0)
            eb_put_cell(canvas, area, area.x + x, area.y, role, (uint32_t)(0x2590 - eighths), '#');
        else
            eb_put_cell(canvas, area, area.x + x, area.y, EB_ROLE_FRAME, 0x00B7, '.');
    }
}
