/* tables: draws the tables that screens show as pictures: a timeline of a kernel's pipeline, levels of memory. */
#include <math.h>
#include <stdio.h>

#include "draw/figure/picture.h"
#include "draw/format.h"
#include "draw/plots/table_picture.h"

enum { TEXT = 64 };

static const eb_lettering small = {.size = EB_SMALL_SIZE, .colour = EB_BLACK};

/* ---- a timeline ---- */

static const double lane_height = 10, bar_height = 8, under = 34;

/* The stages of a lane's buffer are told apart by how dark they are. */
static eb_ink stage_ink(size_t lane, uint64_t stage)
{
    return (eb_ink){.colour = eb_figure_colour(lane), .opacity = stage % 2 == 0 ? 1 : 0.55};
}

static size_t lane_in_block(const eb_timeline *t, size_t line)
{
    size_t before = 0;
    for (; !eb_timeline_begins_block(t, line); line--)
        before++;
    return before;
}

double eb_timeline_height(const eb_picture *picture, double width)
{
    (void)width;
    const eb_timeline t = eb_timeline_of(&picture->item->as.table);
    return (double)t.lines * lane_height + under + EB_CAPTION_SIZE * EB_LINE_HEIGHT;
}

static double label_lanes(const eb_sheet *sheet, const eb_timeline *t, eb_box area)
{
    double blocks = 0, names = 0;
    char block[TEXT];
    for (size_t k = 0; k < t->lines; k++) {
        (void)snprintf(block, sizeof block, "block %u", (unsigned)t->line[k].block);
        blocks = fmax(blocks, eb_lettering_width(&small, block));
        names = fmax(names, eb_lettering_width(&small, t->line[k].name));
    }
    for (size_t k = 0; k < t->lines; k++) {
        const double y = area.y + (double)k * lane_height + 0.75 * lane_height;
        (void)snprintf(block, sizeof block, "block %u", (unsigned)t->line[k].block);
        if (eb_timeline_begins_block(t, k))
            eb_sheet_text(sheet, area.x, y, &small, block);
        eb_sheet_text(sheet, area.x + blocks + 6, y, &small, t->line[k].name);
    }
    return blocks + 6 + names + 5;
}

static void draw_bar(const eb_axes *f, const eb_timeline *t, const eb_timeline_bar *b)
{
    char slice[TEXT];
    const size_t line = eb_timeline_line(t, b);
    if (line >= t->lines || !isfinite(b->begin) || !isfinite(b->end))
        return;
    const eb_ink ink = stage_ink(lane_in_block(t, line), b->stage);
    const double left = eb_axes_spot(f, b->begin, 0).x, right = eb_axes_spot(f, b->end, 0).x,
                 y = f->box.y + (double)line * lane_height;
    const eb_lettering text = {.size = 6,
                               .colour = b->stage % 2 == 0 ? 0xFFFFFF : EB_BLACK,
                               .anchor = EB_ANCHOR_MIDDLE};
    eb_sheet_box(f->sheet, (eb_box){left, y + 1, fmax(right - left, 0.5), bar_height}, &ink);
    (void)snprintf(slice, sizeof slice, "%u", (unsigned)b->slice);
    if (eb_lettering_width(&text, slice) + 1 < right - left)
        eb_sheet_text(f->sheet, (left + right) / 2, y + 1 + 0.78 * bar_height, &text, slice);
}

void eb_timeline_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area)
{
    const eb_table *table = &picture->item->as.table;
    const eb_timeline t = eb_timeline_of(table);
    const eb_lettering grey = {.size = EB_CAPTION_SIZE, .colour = EB_GREY};
    const double labels = label_lanes(sheet, &t, area), note = EB_CAPTION_SIZE * EB_LINE_HEIGHT;
    eb_axes f = {.sheet = sheet,
                 .x = {.low = 0, .high = t.end > 0 ? t.end : 1, .title = "clocks"},
                 .y = {.low = 0, .high = 1}};
    eb_axes_draw_below(&f, (eb_box){area.x + labels, area.y, area.width - labels - 6, area.height - note});
    for (size_t r = 0; r < table->rows; r++) {
        const eb_timeline_bar b = eb_timeline_bar_at(table, r);
        draw_bar(&f, &t, &b);
    }
    eb_sheet_text(sheet, area.x, area.y + area.height - 2, &grey,
                  t.stages > 1 ? "Numbers are slices; pale bars use the odd stages of the buffer."
                               : "Numbers are slices.");
}

/* ---- levels of memory ---- */

static const double level_height = 15, link_height = 20, level_width = 56;

double eb_memory_height(const eb_picture *picture, double width)
{
    (void)width;
    const double rows = (double)picture->item->as.table.rows;
    return rows * level_height + (rows > 0 ? rows - 1 : 0) * link_height + 4;
}

/* "1.64 TiB/s" */
static const char *rate_of(double rate, char *buffer)
{
    char bytes[TEXT - 3];
    (void)snprintf(buffer, TEXT, isnan(rate) ? "%s" : "%s/s",
                   eb_format_value(bytes, sizeof bytes, eb_real(rate), EB_BYTES));
    return buffer;
}

static void draw_arrow(const eb_sheet *sheet, double x, double from, double to)
{
    const eb_ink line = {.colour = EB_DARK, .width = 1}, head = {.colour = EB_DARK};
    const double back = to < from ? 3.5 : -3.5;
    eb_sheet_rule(sheet, (eb_spot){x, from}, (eb_spot){x, to + back}, &line);
    eb_sheet_area(sheet, 3, (const eb_spot[]){{x, to}, {x - 2.2, to + back}, {x + 2.2, to + back}}, &head);
}

/* A bar that is filled by the share of the peak. */
static double draw_meter(const eb_sheet *sheet, double x, double y, double share)
{
    const double width = 26, height = 6;
    char text[TEXT];
    const eb_ink edge = {.colour = EB_GREY, .width = 0.5}, fill = {.colour = eb_figure_colour(0)};
    if (!isfinite(share))
        return x;
    eb_sheet_box(sheet, (eb_box){x, y, width * fmin(share, 1), height}, &fill);
    eb_sheet_box(sheet, (eb_box){x, y, width, height}, &edge);
    eb_sheet_text(sheet, x + width + 3, y + height - 0.5, &small,
                  eb_format_brief(text, sizeof text, eb_real(share), EB_PERCENT));
    return x + width + 3 + eb_lettering_width(&small, text);
}

/* What the level above reads from this one, and writes to it. */
static void draw_link(const eb_sheet *sheet, double x, double y, const eb_memory_level *l)
{
    char bytes[TEXT], rate[TEXT], text[4 * TEXT];
    const double first = x + level_width + 8, middle = y + link_height / 2;
    const bool both = isfinite(l->written);
    if (!isfinite(l->bytes))
        return;
    draw_arrow(sheet, x + level_width * (both ? 0.35 : 0.5), y + link_height, y);
    (void)snprintf(text, sizeof text, "%s, %s (%s)", eb_format_value(bytes, sizeof bytes, eb_real(l->bytes), EB_BYTES),
                   rate_of(l->rate, rate), l->source);
    eb_sheet_text(sheet, first, middle + 0.36 * EB_SMALL_SIZE, &small, text);
    (void)draw_meter(sheet, first + 121, middle - 3, l->rate / l->peak);
    if (both)
        draw_arrow(sheet, x + level_width * 0.65, y, y + link_height);
}

static void draw_level(const eb_sheet *sheet, double x, double y, const eb_memory_level *l)
{
    char share[TEXT], bytes[TEXT], rate[TEXT], text[6 * TEXT] = "";
    const eb_ink fill = {.colour = 0xEEF3F7}, edge = {.colour = EB_DARK, .width = 0.7};
    const eb_lettering name = {.size = EB_TEXT_SIZE, .colour = EB_BLACK, .anchor = EB_ANCHOR_MIDDLE};
    const eb_box box = {x, y, level_width, level_height};
    int used = 0;
    eb_sheet_box(sheet, box, &fill);
    eb_sheet_box(sheet, box, &edge);
    eb_sheet_text(sheet, x + level_width / 2, y + level_height / 2 + 0.36 * EB_TEXT_SIZE, &name, l->title);
    if (isfinite(l->hit_rate))
        used = snprintf(text, sizeof text, "hits %s (%s)   ",
                        eb_format_value(share, sizeof share, eb_real(l->hit_rate), EB_PERCENT), l->hit_source);
    if (isfinite(l->written))
        (void)snprintf(text + used, sizeof text - (size_t)used, "written %s, %s (%s)",
                       eb_format_value(bytes, sizeof bytes, eb_real(l->written), EB_BYTES),
                       rate_of(l->written_rate, rate), l->written_source);
    eb_sheet_text(sheet, x + level_width + 8, y + level_height / 2 + 0.36 * EB_SMALL_SIZE, &small, text);
}

void eb_memory_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area)
{
    const eb_table *table = &picture->item->as.table;
    double y = area.y + 1;
    for (size_t r = 0; r < table->rows; r++) {
        const eb_memory_level l = eb_memory_level_at(table, r);
        if (r > 0) {
            draw_link(sheet, area.x, y, &l);
            y += link_height;
        }
        draw_level(sheet, area.x, y, &l);
        y += level_height;
    }
}
