/* pictures: which items of a report are pictures, and what draws each. */
#include "draw/figure/picture.h"

#include <stddef.h>

typedef struct kind {
    double (*height)(const eb_picture *picture, double width);
    void (*draw)(const eb_sheet *sheet, const eb_picture *picture, eb_box area);
} kind;

static const kind *kind_of_series(const eb_series *s)
{
    static const kind lines = {eb_lines_height, eb_lines_draw}, bins = {eb_bins_height, eb_bins_draw},
                      heat = {eb_heat_height, eb_heat_draw};
    if (s->points == 0)
        return NULL;
    return s->shape == EB_HEAT ? s->z ? &heat : NULL : s->shape == EB_BARS ? &bins : &lines;
}

static const kind *kind_of_table(const eb_report *report, const eb_item *item)
{
    static const kind timeline = {eb_timeline_height, eb_timeline_draw}, memory = {eb_memory_height, eb_memory_draw},
                      bars = {eb_chart_height, eb_chart_draw};
    eb_chart chart;
    if (item->as.table.rows == 0)
        return NULL;
    switch (item->as.table.look) {
    case EB_AS_TIMELINE: return &timeline;
    case EB_AS_MEMORY: return &memory;
    case EB_AS_CODE: return NULL;
    case EB_AS_TABLE: return eb_chart_of(report, item, &chart) ? &bars : NULL;
    }
    return NULL;
}

/* NULL: the item is no picture. */
static const kind *kind_of(const eb_report *report, const eb_item *item)
{
    return item->kind == EB_SERIES  ? kind_of_series(&item->as.series)
           : item->kind == EB_TABLE ? kind_of_table(report, item)
                                    : NULL;
}

bool eb_picture_at(const eb_report *report, size_t index, eb_picture *out)
{
    for (size_t k = 0; report && k < report->items; k++)
        if (kind_of(report, report->item[k]) && index-- == 0) {
            *out = (eb_picture){report, report->item[k]};
            return true;
        }
    return false;
}

double eb_picture_height(const eb_picture *picture, double width)
{
    return kind_of(picture->report, picture->item)->height(picture, width);
}

void eb_picture_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area)
{
    kind_of(picture->report, picture->item)->draw(sheet, picture, area);
}
