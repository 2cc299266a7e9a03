/* pictures: which items of a report are pictures, and what draws each. */
#include "draw/figure/picture.h"

#include <stddef.h>

typedef struct kind {
    double (*height)(const eb_picture *picture, double width);
    void (*draw)(const eb_sheet *sheet, const eb_picture *picture, eb_box area);
} kind;

/* NULL: the item is no picture. */
static const kind *kind_of(const eb_item *item)
{
    static const kind lines = {eb_lines_height, eb_lines_draw}, bins = {eb_bins_height, eb_bins_draw};
    if (item->kind != EB_SERIES || item->as.series.points == 0)
        return NULL;
    switch (item->as.series.shape) {
    case EB_LINE:
    case EB_POINTS: return &lines;
    case EB_BARS: return &bins;
    case EB_HEAT: return NULL;
    }
    return NULL;
}

bool eb_picture_at(const eb_report *report, size_t index, eb_picture *out)
{
    for (size_t k = 0; report && k < report->items; k++)
        if (kind_of(report->item[k]) && index-- == 0) {
            *out = (eb_picture){report, report->item[k]};
            return true;
        }
    return false;
}

double eb_picture_height(const eb_picture *picture, double width)
{
    return kind_of(picture->item)->height(picture, width);
}

void eb_picture_draw(const eb_sheet *sheet, const eb_picture *picture, eb_box area)
{
    kind_of(picture->item)->draw(sheet, picture, area);
}
