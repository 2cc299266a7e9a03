#include "draw/plots/table_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/listing.h"
#include "draw/plots/plot.h"
#include "draw/table.h"

/* ---- a timeline ---- */

/* Bars in time, one line for each lane. */

enum {
    GAP = 1,
    LEAST_TIME = 16, /* columns */
    BELOW = 3,       /* rows: the axis, its labels, the legend */
    A_TICK = 12,     /* columns that a tick should have */
    MOST_STAGES = 8, /* stages that a legend names */
};

/* A timeline on a canvas. */
typedef struct timeline {
    eb_timeline of;
    int label; /* columns */
    eb_rect time;
} timeline;

static uint64_t count_of(const eb_table *table, size_t row, const eb_column *key)
{
    const double value = eb_number_at(table, row, key);
    return value > 0 ? (uint64_t)value : 0;
}

eb_timeline_bar eb_timeline_bar_at(const eb_table *table, size_t row)
{
    return (eb_timeline_bar){.block = count_of(table, row, EB_F(block)),
                             .slice = count_of(table, row, EB_F(slice)),
                             .stage = count_of(table, row, EB_F(stage)),
                             .name = eb_text_at(table, row, EB_F(lane)),
                             .begin = eb_number_at(table, row, EB_F(begin_clocks)),
                             .end = eb_number_at(table, row, EB_F(end_clocks))};
}

size_t eb_timeline_line(const eb_timeline *t, const eb_timeline_bar *b)
{
    size_t k = 0;
    while (k < t->lines && (t->line[k].block != b->block || strcmp(t->line[k].name, b->name) != 0))
        k++;
    return k;
}

eb_timeline eb_timeline_of(const eb_table *table)
{
    eb_timeline t = {.lines = 0};
    for (size_t r = 0; r < table->rows; r++) {
        const eb_timeline_bar b = eb_timeline_bar_at(table, r);
        if (eb_timeline_line(&t, &b) == t.lines && t.lines < EB_MOST_LANES)
            t.line[t.lines++] = (struct eb_lane){b.block, b.name};
        t.blocks = b.block >= t.blocks ? (unsigned)b.block + 1 : t.blocks;
        t.stages = b.stage >= t.stages ? (unsigned)b.stage + 1 : t.stages;
        t.end = fmax(t.end, b.end);
    }
    return t;
}

bool eb_timeline_begins_block(const eb_timeline *t, size_t line)
{
    return line == 0 || t->line[line - 1].block != t->line[line].block;
}

/* Each lane of a block has its own colour, the same in every block. */
static eb_role role_of(const eb_timeline *t, size_t line)
{
    size_t before = 0;
    for (; !eb_timeline_begins_block(t, line); line--)
        before++;
    return (eb_role)(EB_ROLE_SERIES + before % EB_SERIES_ROLES);
}

/* Fillings of successive stages differ most. */
static eb_filling filling_of(uint64_t stage)
{
    static const size_t part[] = {0, 2, 1, 3};
    return eb_filling_of(part[stage % (sizeof part / sizeof part[0])]);
}

/* The block's number stands in the block's first line. */
static const char *label_of(const eb_timeline *t, size_t line, char *buffer, size_t size)
{
    char block[32] = "";
    if (eb_timeline_begins_block(t, line))
        (void)snprintf(block, sizeof block, "block %u", (unsigned)t->line[line].block);
    (void)snprintf(buffer, size, "%-8s %s", block, t->line[line].name);
    return buffer;
}

static int column_of(const timeline *t, double clocks)
{
    return t->of.end > 0 ? (int)(clocks / t->of.end * t->time.width + 0.5) : 0;
}

/* Every bar takes at least one cell. */
static void draw_bar(eb_canvas *canvas, const timeline *t, const eb_timeline_bar *b)
{
    char number[32];
    const size_t line = eb_timeline_line(&t->of, b);
    const eb_filling filling = filling_of(b->stage);
    if (line >= t->of.lines || !isfinite(b->begin) || !isfinite(b->end))
        return;
    int from = column_of(t, b->begin), to = column_of(t, b->end);
    from = from < t->time.width ? from : t->time.width - 1;
    to = to > from ? to : from + 1;
    const eb_rect cells = {t->time.x + from, t->time.y + (int)line, to - from, 1};
    const eb_role role = role_of(&t->of, line);
    for (int x = 0; x < cells.width; x++)
        eb_put_cell(canvas, t->time, cells.x + x, cells.y, role, filling.block, filling.ascii);
    (void)snprintf(number, sizeof number, "%u", (unsigned)b->slice);
    if (eb_text_width(number) < cells.width)
        (void)eb_put(canvas, eb_rect_cut(cells, t->time), cells.x, cells.y, EB_ROLE_TEXT, number);
}

static void draw_axis(eb_canvas *canvas, eb_rect area, const timeline *t)
{
    eb_ticks ticks;
    const eb_span span = {.low = 0, .high = t->of.end > 0 ? t->of.end : 1};
    const int y = t->time.y + t->time.height;
    int used = area.x - 1;
    eb_ticks_find(&span, (size_t)(t->time.width / A_TICK) + 1, &ticks);
    eb_put_cell(canvas, area, t->time.x - 1, y, EB_ROLE_AXIS, 0x2514, '+'); /* └ */
    for (int x = 0; x < t->time.width; x++)
        eb_put_cell(canvas, area, t->time.x + x, y, EB_ROLE_AXIS, 0x2500, '-'); /* ─ */
    for (size_t k = 0; k < ticks.count; k++) {
        const int at = t->time.x + (int)(ticks.share[k] * (t->time.width - 1) + 0.5);
        const int width = (int)strlen(ticks.label[k]), most = t->time.x + t->time.width - width;
        const int x = at - width / 2 < most ? at - width / 2 : most;
        eb_put_cell(canvas, area, at, y, EB_ROLE_AXIS, 0x252C, '+'); /* ┬ */
        if (x > used + 1)
            used = x + eb_put(canvas, area, x, y + 1, EB_ROLE_AXIS, ticks.label[k]);
    }
    const eb_rect beside = {area.x, y + 1, t->label, 1};
    (void)eb_put(canvas, eb_rect_cut(beside, area), area.x, y + 1, EB_ROLE_DIM, "clocks");
}

static void draw_legend(eb_canvas *canvas, eb_rect area, const timeline *t)
{
    const eb_rect row = eb_rect_cut((eb_rect){area.x, t->time.y + t->time.height + 2, area.width, 1}, area);
    if (eb_rect_empty(row))
        return;
    int x = row.x + eb_put(canvas, row, row.x, row.y, EB_ROLE_DIM, "numbers: slices; filled by stage:");
    for (unsigned s = 0; s < t->of.stages && s < MOST_STAGES; s++) {
        const eb_filling filling = filling_of(s);
        eb_put_cell(canvas, row, x + 1, row.y, EB_ROLE_SERIES, filling.block, filling.ascii);
        x += 2 + eb_putf(canvas, row, x + 2, row.y, EB_ROLE_DIM, " %u ", s);
    }
}

static int timeline_rows(const eb_table *table) { return (int)eb_timeline_of(table).lines + BELOW; }

static void draw_timeline(eb_canvas *canvas, eb_rect area, const eb_table *table)
{
    timeline t = {.of = eb_timeline_of(table)};
    char label[80];
    for (size_t k = 0; k < t.of.lines; k++)
        t.label = eb_wider(t.label, label_of(&t.of, k, label, sizeof label));
    t.time = (eb_rect){area.x + t.label + GAP + 1, area.y, area.width - t.label - GAP - 1, (int)t.of.lines};
    if (t.of.lines == 0 || t.time.width < LEAST_TIME || area.height < 1) {
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_DIM,
                           t.of.lines == 0 ? "(none)" : "(too small for a timeline)");
        return;
    }
    t.time = eb_rect_cut(t.time, area);
    for (int k = 0; k < t.time.height; k++) {
        (void)eb_put(canvas, area, area.x, area.y + k, EB_ROLE_TEXT, label_of(&t.of, (size_t)k, label, sizeof label));
        eb_put_cell(canvas, area, t.time.x - 1, area.y + k, EB_ROLE_AXIS, 0x2502, '|'); /* │ */
    }
    for (size_t r = 0; r < table->rows; r++) {
        const eb_timeline_bar b = eb_timeline_bar_at(table, r);
        draw_bar(canvas, &t, &b);
    }
    draw_axis(canvas, area, &t);
    draw_legend(canvas, area, &t);
}

/* ---- levels of memory ---- */

/* Levels of memory one above the other, the traffic between them, and its share of the peak. */

enum {
    BOX = 16, /* columns, sides included */
    BESIDE = BOX + 2,
    BYTES = 9,
    RATE = 11,
    METER = 12,
    SHARE = 8,
    LEAST_WITH_METER = BESIDE + BYTES + RATE + METER + SHARE + 16,
    TEXT = 64,
};

eb_memory_level eb_memory_level_at(const eb_table *table, size_t row)
{
    return (eb_memory_level){.title = eb_text_at(table, row, EB_F(title)),
                             .source = eb_text_at(table, row, EB_F(source)),
                             .written_source = eb_text_at(table, row, EB_F(written_source)),
                             .hit_source = eb_text_at(table, row, EB_F(hit_source)),
                             .bytes = eb_number_at(table, row, EB_F(bytes)),
                             .rate = eb_number_at(table, row, EB_F(bytes_s)),
                             .peak = eb_number_at(table, row, EB_F(peak_bytes_s)),
                             .written = eb_number_at(table, row, EB_F(written_bytes)),
                             .written_rate = eb_number_at(table, row, EB_F(written_bytes_s)),
                             .hit_rate = eb_number_at(table, row, EB_F(hit_rate))};
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

/* left, right: the end pieces of the edge. */
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

/* ---- beside the boxes ---- */

/* Draws the edge that a level shares with the level above: bytes read go up, bytes written go down. */
static void draw_read(eb_canvas *canvas, eb_rect area, int y, const eb_memory_level *l)
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

static void draw_own(eb_canvas *canvas, eb_rect area, int y, const eb_memory_level *l)
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

static int memory_chart_rows(const eb_table *table) { return 2 * (int)table->rows + 1; }

static void draw_memory_chart(eb_canvas *canvas, eb_rect area, const eb_table *table)
{
    int y = area.y;
    draw_edge(canvas, area, y++, 0x250C, 0x2510); /* ┌ ┐ */
    for (size_t r = 0; r < table->rows; r++) {
        const eb_memory_level l = eb_memory_level_at(table, r);
        if (r > 0) {
            draw_edge(canvas, area, y, 0x251C, 0x2524); /* ├ ┤ */
            draw_read(canvas, area, y++, &l);
        }
        draw_box(canvas, area, y, l.title);
        draw_own(canvas, area, y++, &l);
    }
    draw_edge(canvas, area, y, 0x2514, 0x2518); /* └ ┘ */
}

/* ---- either ---- */

int eb_table_picture_rows(const eb_table *table, int width)
{
    return table->look == EB_AS_TIMELINE ? timeline_rows(table)
           : table->look == EB_AS_CODE   ? eb_listing_rows(table, width)
                                         : memory_chart_rows(table);
}

int eb_table_picture_columns(const eb_table *table)
{
    return table->look == EB_AS_CODE ? eb_listing_columns(table) : 0;
}

void eb_draw_table_picture(eb_canvas *canvas, eb_rect area, const eb_table *table)
{
    if (eb_rect_empty(area))
        return;
    if (table->look == EB_AS_TIMELINE)
        draw_timeline(canvas, area, table);
    else if (table->look == EB_AS_CODE)
        eb_draw_listing(canvas, area, table);
    else
        draw_memory_chart(canvas, area, table);
}
