/* dots: lines and points as dots. */
#include "draw/plots/plot.h"

#include <math.h>
#include <stdbool.h>

uint8_t eb_braille_bit(size_t i, size_t j)
{
    /* Braille dots 1-2-3-7 run down the left, 4-5-6-8 down the right. */
    static const uint8_t bit[EB_BRAILLE_UP][EB_BRAILLE_ACROSS] = {{0x40, 0x80},
                                                                  {0x04, 0x20},
                                                                  {0x02, 0x10},
                                                                  {0x01, 0x08}};
    return bit[j % EB_BRAILLE_UP][i % EB_BRAILLE_ACROSS];
}

void eb_pen_dot(const eb_pen *pen, double x, double y)
{
    if (pen->across == 0 || pen->up == 0 || !(x >= 0 && x <= 1 && y >= 0 && y <= 1))
        return;
    size_t i = (size_t)(x * (double)(pen->across - 1) + 0.5), j = (size_t)(y * (double)(pen->up - 1) + 0.5);
    pen->dot(pen->context, i, j);
}

/* Narrows [from, to], shares of a line, to those where start + step · share lies in 0 … 1. False if none is left. */
static bool cut(double start, double step, double *from, double *to)
{
    if (step == 0)
        return start >= 0 && start <= 1;
    double a = -start / step, b = (1 - start) / step;
    *from = fmax(*from, fmin(a, b));
    *to = fmin(*to, fmax(a, b));
    return *from <= *to;
}

/* Draws in steps of half a dot, so no dot is left out. The line is clipped first, so a line far outside the plot costs
 * no more. */
void eb_pen_line(const eb_pen *pen, double x0, double y0, double x1, double y1)
{
    double dx = x1 - x0, dy = y1 - y0, from = 0, to = 1;
    if (!isfinite(x0 + y0 + dx + dy) || !cut(x0, dx, &from, &to) || !cut(y0, dy, &from, &to))
        return;
    double length = 2 * (to - from) * fmax(fabs(dx) * (double)pen->across, fabs(dy) * (double)pen->up);
    size_t steps = (size_t)length + 1;
    for (size_t s = 0; s <= steps; s++) {
        double share = from + (to - from) * ((double)s / (double)steps);
        /* Rounding may put a place slightly outside; it belongs on the edge. */
        eb_pen_dot(pen, fmin(fmax(x0 + dx * share, 0), 1), fmin(fmax(y0 + dy * share, 0), 1));
    }
}
