/* Levels of memory one above the other, what passes between them, and how much of the most that could. */
#include <math.h>
#include <stdio.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/plot.h"
#include "draw/plots/table_picture.h"
#include "draw/table.h"

enum {
    BOX = 16, /* columns, its sides too */
    BESIDE = BOX + 2,
    BYTES = 9,
    RATE = 11,
    METER = 12,
    SHARE = 8,
    LEAST_WITH_METER = BESIDE + BYTES + RATE + METER + SHARE + 16,
    TEXT = 64,
};

typedef struct level {
    const char *title, *source, *written_source, *hit_source; /* "": unknown */
    double bytes, rate, peak, written, written_rate, hit_rate;
} level;

static const char *text_at(const eb_table *table, size_t row, const char *key)
{
    const eb_value value = eb_table_value(table, row, key);
    return value.kind == EB_TEXT ? value.as.text : "";
}

static double number_at(const eb_table *table, size_t row, const char *key)
{
    return eb_value_number(eb_table_value(table, row, key));
}

static level level_at(const eb_table *table, size_t row)
{
    return (level){.title = text_at(table, row, "title"),
                   .source = text_at(table, row, "source"),
                   .written_source = text_at(table, row, "written_source"),
                   .hit_source = text_at(table, row, "hit_source"),
                   .bytes = number_at(table, row, "bytes"),
                   .rate = number_at(table, row, "bytes_s"),
                   .peak = number_at(table, row, "peak_bytes_s"),
                   .written = number_at(table, row, "written_bytes"),
                   .written_rate = number_at(table, row, "written_bytes_s"),
                   .hit_rate = number_at(table, row, "hit_rate")};
}

static const char *bytes_of(double bytes, char *buffer)
{
    return eb_format_value(buffer, TEXT, eb_real(bytes), EB_BYTES);
}

/* "1.64 TiB/s" */
static const char *rate_of(double rate, char *buffer)
{
    char bytes[TEXT - 3];
    (void)snprintf(buffer, TEXT, isnan(rate) ? "%s" : "%s/s",
                   eb_format_value(bytes, sizeof bytes, eb_real(rate), EB_BYTES));
    return buffer;
}

/* ---- boxes ---- */

/* `ends`: the left and right piece. */
static void draw_edge(eb_canvas *canvas, eb_rect area, int y, uint32_t left, uint32_t right)
{
    eb_put_cell(canvas, area, area.x, y, EB_ROLE_FRAME, left, '+');
    for (int x = 1; x < BOX - 1; x++)
        eb_put_cell(canvas, area, area.x + x, y, EB_ROLE_FRAME, 0x2500, '-'); /* ─ */
    eb_put_cell(canvas, area, area.x + BOX - 1, y, EB_ROLE_FRAME, right, '+');
}

static void draw_box(eb_canvas *canvas, eb_rect area, int y, const char *title)
{
    const int width = eb_text_width(title);
    eb_put_cell(canvas, area, area.x, y, EB_ROLE_FRAME, 0x2502, '|');           /* │ */
    eb_put_cell(canvas, area, area.x + BOX - 1, y, EB_ROLE_FRAME, 0x2502, '|'); /* │ */
    (void)eb_put(canvas, area, area.x + (BOX - width) / 2, y, EB_ROLE_TITLE, title);
}

/* ---- beside them ---- */

/* The edge that a level shares with the one above: up what is read, down what is written. */
static void draw_read(eb_canvas *canvas, eb_rect area, int y, const level *l)
{
    char bytes[TEXT], rate[TEXT], share[TEXT];
    const bool both = isfinite(l->written);
    int x = area.x + BESIDE;
    if (!isfinite(l->bytes))
        return;
    eb_put_cell(canvas, area, area.x + (both ? BOX / 3 : BOX / 2), y, EB_ROLE_SERIES, 0x25B2, '^'); /* ▲ */
    if (both)
        eb_put_cell(canvas, area, area.x + BOX - 1 - BOX / 3, y, EB_ROLE_SERIES + 1, 0x25BC, 'v'); /* ▼ */
    (void)eb_put_right(canvas, area, x + BYTES, y, EB_ROLE_TEXT, bytes_of(l->bytes, bytes));
    x += BYTES + 1;
    (void)eb_put_right(canvas, area, x + RATE, y, EB_ROLE_TEXT, rate_of(l->rate, rate));
    x += RATE + 2;
    if (isfinite(l->rate / l->peak) && area.width >= LEAST_WITH_METER) {
        eb_draw_meter(canvas, eb_rect_cut((eb_rect){x, y, METER, 1}, area), EB_ROLE_SERIES, l->rate / l->peak);
        x += METER + 1;
        (void)eb_put_right(canvas, area, x + SHARE, y, EB_ROLE_TEXT,
                           eb_format_value(share, sizeof share, eb_real(l->rate / l->peak), EB_PERCENT));
        x += SHARE + 2;
    }
    (void)eb_put_short(canvas, area, x, y, EB_ROLE_DIM, l->source);
}

static void draw_own(eb_canvas *canvas, eb_rect area, int y, const level *l)
{
    char bytes[TEXT], rate[TEXT], share[TEXT];
    int x = area.x + BESIDE;
    if (isfinite(l->hit_rate))
        x += eb_putf(canvas, area, x, y, EB_ROLE_DIM, "hits %s, %s",
                     eb_format_value(share, sizeof share, eb_real(l->hit_rate), EB_PERCENT), l->hit_source) +
             2;
    if (isfinite(l->written))
        (void)eb_putf(canvas, area, x, y, EB_ROLE_DIM, "written %s, %s, %s", bytes_of(l->written, bytes),
                      rate_of(l->written_rate, rate), l->written_source);
}

int eb_memory_chart_rows(const eb_table *table) { return 2 * (int)table->rows + 1; }

void eb_draw_memory_chart(eb_canvas *canvas, eb_rect area, const eb_table *table)
{
    int y = area.y;
    draw_edge(canvas, area, y++, 0x250C, 0x2510); /* ┌ ┐ */
    for (size_t r = 0; r < table->rows; r++) {
        const level l = level_at(table, r);
        if (r > 0) {
            draw_edge(canvas, area, y, 0x251C, 0x2524); /* ├ ┤ */
            draw_read(canvas, area, y++, &l);
        }
        draw_box(canvas, area, y, l.title);
        draw_own(canvas, area, y++, &l);
    }
    draw_edge(canvas, area, y, 0x2514, 0x2518); /* └ ┘ */
}
