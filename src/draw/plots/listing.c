#include "draw/plots/listing.h"

#include <string.h>

#include "core/report/find.h"
#include "draw/utf8.h"

enum { NUMBER = 4, GAP = 2, LEAST = 16 };

typedef struct line {
    const char *text; /* without its indentation */
    int indent;       /* columns */
} line;

static line line_at(const eb_table *table, size_t row, int room)
{
    const char *text = eb_text_at(table, row, EB_F(text));
    const int indent = (int)strspn(text, " ");
    return (line){text + indent, indent <= room - LEAST ? indent : 0};
}

static int room_in(int width) { return width > NUMBER + GAP ? width - NUMBER - GAP : 1; }

static int rows_of(const line *l, int room)
{
    const char *rest = l->text;
    int rows = 0;
    do {
        (void)eb_utf8_line(&rest, (size_t)(room - l->indent));
        rows++;
    } while (*rest);
    return rows;
}

int eb_listing_rows(const eb_table *table, int width)
{
    const int room = room_in(width);
    int rows = 0;
    for (size_t r = 0; r < table->rows; r++) {
        const line l = line_at(table, r, room);
        rows += rows_of(&l, room);
    }
    return rows;
}

int eb_listing_columns(const eb_table *table)
{
    int widest = 0;
    for (size_t r = 0; r < table->rows; r++)
        widest = eb_wider(widest, eb_text_at(table, r, EB_F(text)));
    return NUMBER + GAP + widest;
}

void eb_draw_listing(eb_canvas *canvas, eb_rect area, const eb_table *table)
{
    const int room = room_in(area.width);
    bool comment = false;
    for (size_t r = 0; r < table->rows; r++) {
        const line l = line_at(table, r, room);
        const int rows = rows_of(&l, room), x = area.x + NUMBER + GAP + l.indent;
        const eb_value number = eb_table_value(table, r, EB_F(row));
        comment |= strncmp(l.text, "/*", 2) == 0;
        (void)eb_putf(canvas, area, area.x, area.y, EB_ROLE_DIM, "%*.0f", (int)NUMBER, eb_value_number(number));
        (void)eb_put_wrapped(canvas, eb_rect_cut((eb_rect){x, area.y, room - l.indent, rows}, area),
                             comment ? EB_ROLE_DIM : EB_ROLE_TEXT, l.text);
        comment &= strstr(l.text, "*/") == NULL;
        area.y += rows;
        area.height -= rows;
        if (area.height <= 0)
            return;
    }
}
