#include "draw/plots/listing.h"

#include <string.h>

#include "core/report/find.h"
#include "draw/utf8.h"

enum { NUMBER = 4, GAP = 2, LEAST = 16 };

/* The columns of a listing: places of the lines, lines, and what the lines have become. */
typedef struct layout {
    int place, room;  /* widths of the first two, places with their gap */
    int made;         /* width; 0: nothing is said */
    bool beside;      /* what they have become stands in a third column; else below each line */
    bool has_sources; /* places are "mma.cuh:12"; else numbers */
} layout;

typedef struct line {
    const char *text; /* without its indentation */
    int indent;       /* columns */
    const char *made;
} line;

static int widest_of(const eb_table *table, const eb_column *column)
{
    int widest = 0;
    for (size_t r = 0; r < table->rows; r++)
        widest = eb_wider(widest, eb_text_at(table, r, column));
    return widest;
}

/* Width of the column of places with its gap; 0: none is known. */
static int places_in(const eb_table *table)
{
    const int source = widest_of(table, EB_F(source));
    const bool numbered = table->rows > 0 && eb_table_value(table, 0, EB_F(row)).kind != EB_NA;
    return source > 0 ? source + GAP : numbered ? NUMBER + GAP : 0;
}

static layout layout_in(const eb_table *table, int width)
{
    const int text = widest_of(table, EB_F(text));
    layout l = {.place = places_in(table),
                .made = widest_of(table, EB_F(made)),
                .has_sources = widest_of(table, EB_F(source)) > 0};
    const int left = width - l.place;
    l.beside = l.made > 0 && left >= text + GAP + l.made;
    l.room = l.beside ? text : left > 0 ? left : 1;
    return l;
}

static line line_at(const eb_table *table, size_t row, const layout *l)
{
    const char *text = eb_text_at(table, row, EB_F(text));
    const int indent = (int)strspn(text, " ");
    return (line){text + indent, l->beside || indent <= l->room - LEAST ? indent : 0,
                  l->made > 0 ? eb_text_at(table, row, EB_F(made)) : ""};
}

static int rows_of(const char *text, int room)
{
    int rows = 0;
    do {
        (void)eb_utf8_line(&text, (size_t)room);
        rows++;
    } while (*text);
    return rows;
}

/* Rows of a line, and of what it has become below it. */
static int rows_below(const line *of, const layout *l)
{
    return l->beside || !of->made[0] ? 0
                                     : rows_of(of->made, l->room - of->indent > GAP ? l->room - of->indent - GAP : 1);
}

int eb_listing_rows(const eb_table *table, int width)
{
    const layout l = layout_in(table, width);
    int rows = 0;
    for (size_t r = 0; r < table->rows; r++) {
        const line of = line_at(table, r, &l);
        rows += rows_of(of.text, l.room - of.indent) + rows_below(&of, &l);
    }
    return rows;
}

int eb_listing_columns(const eb_table *table) { return places_in(table) + widest_of(table, EB_F(text)); }

static void put_place(eb_canvas *canvas, eb_rect area, const eb_table *table, size_t row, const layout *l)
{
    if (l->has_sources)
        (void)eb_put(canvas, eb_rect_cut((eb_rect){area.x, area.y, l->place, 1}, area), area.x, area.y, EB_ROLE_DIM,
                     eb_text_at(table, row, EB_F(source)));
    else if (l->place > 0)
        (void)eb_putf(canvas, area, area.x, area.y, EB_ROLE_DIM, "%*.0f", (int)NUMBER,
                      eb_value_number(eb_table_value(table, row, EB_F(row))));
}

static void put_made(eb_canvas *canvas, eb_rect area, const line *of, const layout *l, int rows)
{
    const int x = area.x + l->place, below = rows_below(of, l);
    const eb_rect beside = {x + l->room + GAP, area.y, l->made, 1},
                  under = {x + of->indent + GAP, area.y + rows, l->room - of->indent - GAP, below};
    if (of->made[0] && (l->beside || below > 0))
        (void)eb_put_wrapped(canvas, eb_rect_cut(l->beside ? beside : under, area), EB_ROLE_TITLE, of->made);
}

void eb_draw_listing(eb_canvas *canvas, eb_rect area, const eb_table *table)
{
    const layout l = layout_in(table, area.width);
    bool comment = false;
    for (size_t r = 0; r < table->rows; r++) {
        const line of = line_at(table, r, &l);
        const int rows = rows_of(of.text, l.room - of.indent), x = area.x + l.place + of.indent;
        comment |= strncmp(of.text, "/*", 2) == 0;
        put_place(canvas, area, table, r, &l);
        (void)eb_put_wrapped(canvas, eb_rect_cut((eb_rect){x, area.y, l.room - of.indent, rows}, area),
                             comment ? EB_ROLE_DIM : EB_ROLE_TEXT, of.text);
        put_made(canvas, area, &of, &l, rows);
        comment &= strstr(of.text, "*/") == NULL;
        area.y += rows + rows_below(&of, &l);
        area.height -= rows + rows_below(&of, &l);
        if (area.height <= 0)
            return;
    }
}
