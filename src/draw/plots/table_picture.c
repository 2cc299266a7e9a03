#include "draw/plots/table_picture.h"

int eb_table_picture_rows(const eb_table *table)
{
    return table->look == EB_AS_TIMELINE ? eb_timeline_rows(table) : eb_memory_chart_rows(table);
}

void eb_draw_table_picture(eb_canvas *canvas, eb_rect area, const eb_table *table)
{
    if (eb_rect_empty(area))
        return;
    if (table->look == EB_AS_TIMELINE)
        eb_draw_timeline(canvas, area, table);
    else
        eb_draw_memory_chart(canvas, area, table);
}
