/* labels: chooses where the labels of a plot's marks go. A pure function without a canvas. */
#include "draw/plots/plot.h"

enum { FORBIDDEN = 1 << 20, FARTHER = 2 };

typedef struct board {
    const eb_plot_label *label;
    size_t count;
    eb_rect area;
    eb_ground ground;
    const void *context;
} board;

/* True if a mark or a placed label stands in the cell. */
static bool is_taken(const board *b, int x, int y)
{
    for (size_t k = 0; k < b->count; k++) {
        const eb_plot_label *l = &b->label[k];
        if (l->x == x && l->y == y && eb_rect_has(b->area, x, y))
            return true;
        if (l->placed && l->at_y == y && x >= l->at_x && x < l->at_x + l->width)
            return true;
    }
    return false;
}

static int cost_at(const board *b, int x, int y, int width)
{
    int cost = 0;
    if (!eb_rect_has(b->area, x, y) || !eb_rect_has(b->area, x + width - 1, y))
        return FORBIDDEN;
    for (int k = -1; k <= width; k++) {
        const bool inside = eb_rect_has(b->area, x + k, y);
        const int ground = inside ? b->ground(b->context, x + k, y) : 0;
        if (ground < 0 || (inside && is_taken(b, x + k, y)))
            return FORBIDDEN;
        cost += k >= 0 && k < width ? ground : 0;
    }
    return cost;
}

static bool try_at(const board *b, eb_plot_label *label, int *least, int x, int y, int farther)
{
    const int cost = cost_at(b, x, y, label->width);
    if (cost >= FORBIDDEN || cost + farther >= *least)
        return false;
    *least = cost + farther;
    label->at_x = x;
    label->at_y = y;
    return true;
}

/* Tries near places first; a farther place wins only if it costs less. Above and below the mark, the left is tried
 * first: the labels of targets along a curve are placed from left to right. */
static void place(const board *b, eb_plot_label *label)
{
    static const int rows[] = {0, -1, 1, -2, 2};
    int least = FORBIDDEN;
    bool found = false;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const int farther = rows[k] < 0 ? -rows[k] * FARTHER : rows[k] * FARTHER, y = label->y + rows[k];
        if (rows[k] == 0)
            found |= try_at(b, label, &least, label->x + 2, y, farther);
        found |= try_at(b, label, &least, label->x - 1 - label->width, y, farther);
        if (rows[k] != 0)
            found |= try_at(b, label, &least, label->x - label->width / 2, y, farther);
        if (rows[k] != 0)
            found |= try_at(b, label, &least, label->x + 2, y, farther);
    }
    label->placed = found;
}

void eb_place_labels(eb_plot_label *labels, size_t count, eb_rect area, eb_ground ground, const void *context)
{
    const board b = {labels, count, area, ground, context};
    for (size_t k = 0; k < count; k++)
        labels[k].placed = false;
    for (size_t k = 0; k < count; k++)
        if (labels[k].width > 0 && eb_rect_has(area, labels[k].x, labels[k].y))
            place(&b, &labels[k]);
}
