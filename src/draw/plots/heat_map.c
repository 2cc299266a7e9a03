#include "draw/plots/heat_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/format.h"
#include "draw/utf8.h"

enum {
    NUMBERED = 5, /* columns of a cell with a number */
    BARRED = 6,   /* columns of a cell with a number and a bar */
    WIDEST = 12,
    HIGHEST = 3,
    TITLES = 3, /* rows: the title, the columns' labels, the legend */
};

/* The block for each shade, and the sign in ASCII. */
static const struct {
    uint32_t block;
    char ascii;
} bars[EB_HEAT_ROLES] = {{0x2581, '.'}, {0x2582, ':'}, {0x2583, '-'}, {0x2585, '='}, {0x2586, '*'}, {0x2588, '#'}};

typedef struct map {
    eb_canvas *canvas;
    const eb_series *series;
    eb_heat_axis x, y;
    eb_rect cells; /* the rectangle of all cells */
    int width, height;
    bool fits, titled; /* there is room for the cells; for titles as well */
    double most;       /* the greatest z; NAN: none is known */
    double turn;       /* cells up to this turn are shown; NAN: all are */
    bool whole;        /* all z are counts */
    const char *unit;  /* unit of all numbers; "": none */
    double scale;      /* factor from z to the unit */
} map;

/* ---- the data ---- */

void eb_heat_axis_take(eb_heat_axis *a, double value)
{
    size_t at = a->count;
    while (at > 0 && a->value[at - 1] > value)
        at--;
    if (isnan(value) || a->count == EB_MOST_HEAT_STEPS || (at > 0 && a->value[at - 1] == value))
        return;
    memmove(&a->value[at + 1], &a->value[at], (a->count - at) * sizeof *a->value);
    a->value[at] = value;
    a->count++;
}

size_t eb_heat_axis_place(const eb_heat_axis *a, double value)
{
    size_t at = 0;
    while (at < a->count && a->value[at] != value)
        at++;
    return at;
}

/* Chooses one unit for all numbers: the one in which the greatest is 1 or more. */
static void choose_unit(map *m)
{
    static const char *const flops[] = {"TFLOPS", "GFLOPS", "MFLOPS", "kFLOPS"};
    const size_t units = sizeof flops / sizeof flops[0];
    size_t k = 0;
    m->scale = 1;
    m->unit = "";
    if (m->series->z_unit != EB_TERAFLOPS)
        return;
    for (; k + 1 < units && m->most * m->scale < 0.9995; k++)
        m->scale *= 1000;
    m->unit = flops[k];
}

static bool find_out(map *m)
{
    const eb_series *s = m->series;
    m->most = NAN;
    m->whole = s->z_unit == EB_PLAIN || s->z_unit == EB_IDENTITY;
    for (size_t k = 0; s->z && k < s->points; k++) {
        eb_heat_axis_take(&m->x, s->x[k]);
        eb_heat_axis_take(&m->y, s->y[k]);
        m->most = fmax(m->most, s->z[k]); /* fmax ignores NAN */
        m->whole = m->whole && (isnan(s->z[k]) || s->z[k] == floor(s->z[k]));
    }
    choose_unit(m);
    return m->x.count > 0 && m->y.count > 0;
}

/* ---- numbers as text ---- */

/* At most four characters: 0.12, 1.23, 12.3, 123. A tiny number must not print as 0. */
const char *eb_heat_number(double z, bool whole, char *buffer, size_t size)
{
    int decimals = whole ? 0 : z < 9.995 ? 2 : z < 99.95 ? 1 : 0;
    if (z > 0 && z < 0.005)
        (void)snprintf(buffer, size, "<.01");
    else
        (void)snprintf(buffer, size, "%.*f", decimals, z);
    return buffer;
}

/* 512, 1k, 31.6k, 1M. */
const char *eb_short_count(double x, char *buffer, size_t size)
{
    static const char *const letters[] = {"", "k", "M", "G"};
    size_t k = 0;
    for (; x >= 999.5 && k < 3; k++)
        x /= 1000;
    (void)snprintf(buffer, size, "%.3g%s", x, letters[k]);
    return buffer;
}

static const char *y_label(double y, char *buffer, size_t size)
{
    if (y >= 100000)
        return eb_short_count(y, buffer, size);
    (void)snprintf(buffer, size, "%.6g", y);
    return buffer;
}

static int label_width(const map *m)
{
    char label[32];
    int widest = 0;
    for (size_t k = 0; k < m->y.count; k++)
        widest = eb_wider(widest, y_label(m->y.value[k], label, sizeof label));
    return widest + 1;
}

/* ---- cells ---- */

static int at_most(int a, int b) { return a < b ? a : b; }

static bool lay_out(map *m, eb_rect area, bool titles)
{
    const int left = label_width(m), columns = (int)m->x.count, rows = (int)m->y.count;
    m->width = at_most((area.width - left) / columns, WIDEST);
    m->height = at_most((area.height - (titles ? TITLES : 0)) / rows, HIGHEST);
    m->cells = (eb_rect){area.x + left, area.y + titles, m->width * columns, m->height * rows};
    return m->width >= 1 && m->height >= 1;
}

static size_t shade_of(const map *m, double z)
{
    double share = m->most > 0 ? z / m->most : 0;
    size_t shade = share > 0 ? (size_t)(share * EB_HEAT_ROLES) : 0;
    return shade < EB_HEAT_ROLES ? shade : EB_HEAT_ROLES - 1;
}

static void put_bar(const map *m, eb_rect cell, int x, int y, eb_role role, size_t shade)
{
    eb_put_cell(m->canvas, cell, x, y, role, bars[shade].block, bars[shade].ascii);
}

static void draw_number(const map *m, eb_rect cell, double z, eb_role role)
{
    char number[32];
    const int y = cell.y + cell.height / 2;
    if (cell.width < NUMBERED) {
        put_bar(m, cell, cell.x + cell.width - 1, y, role, shade_of(m, z)); /* above its column's label */
        return;
    }
    if (cell.width >= BARRED)
        put_bar(m, cell, cell.x, y, role, shade_of(m, z));
    (void)eb_put_right(m->canvas, cell, cell.x + cell.width - 1, y, role,
                       eb_heat_number(z * m->scale, m->whole, number, sizeof number));
}

/* The rectangle of a point's cell; empty if the point has none. */
static eb_rect cell_of(const map *m, size_t point)
{
    const size_t column = eb_heat_axis_place(&m->x, m->series->x[point]),
                 row = eb_heat_axis_place(&m->y, m->series->y[point]);
    if (column == m->x.count || row == m->y.count)
        return (eb_rect){0};
    return (eb_rect){m->cells.x + (int)column * m->width, m->cells.y + (int)(m->y.count - 1 - row) * m->height,
                     m->width, m->height};
}

static void draw_cell(const map *m, size_t point, bool chosen)
{
    const eb_series *s = m->series;
    const eb_rect cell = cell_of(m, point);
    if (eb_rect_empty(cell) || s->z[point] > m->turn)
        return;
    const bool known = isfinite(s->z[point]);
    const eb_role role = chosen  ? EB_ROLE_SELECTED
                         : known ? (eb_role)(EB_ROLE_HEAT + shade_of(m, s->z[point]))
                                 : EB_ROLE_DIM;
    eb_fill(m->canvas, cell, role);
    if (known) {
        draw_number(m, cell, s->z[point], role);
        if (s->z[point] == m->turn && cell.width > 1 && cell.width < NUMBERED) /* visible without colours */
            eb_put_cell(m->canvas, cell, cell.x, cell.y + cell.height / 2, role, 0x25B8, '>');
        return;
    }
    const char mark[] = {s->mark ? s->mark[point] : '-', '\0'};
    (void)eb_put_right(m->canvas, cell, cell.x + cell.width - (cell.width >= NUMBERED), cell.y + cell.height / 2, role,
                       mark);
}

/* ---- labels and titles ---- */

static void draw_labels(const map *m, eb_rect area)
{
    char label[32];
    int used = area.x;
    const int y = m->cells.y + m->cells.height;
    for (size_t k = 0; k < m->y.count; k++)
        (void)eb_put_right(m->canvas, area, m->cells.x - 1,
                           m->cells.y + (int)(m->y.count - 1 - k) * m->height + m->height / 2, EB_ROLE_AXIS,
                           y_label(m->y.value[k], label, sizeof label));
    for (size_t k = 0; k < m->x.count; k++) {
        const int width = (int)strlen(eb_short_count(m->x.value[k], label, sizeof label));
        const int right = m->cells.x + (int)(k + 1) * m->width - (m->width >= NUMBERED);
        if (right - width < used)
            continue; /* it would touch its neighbour */
        (void)eb_put_right(m->canvas, area, right, y, EB_ROLE_AXIS, label);
        used = right + 1;
    }
}

const char *eb_heat_mark(char mark)
{
    return mark == '>' ? "too long" : mark == 'x' ? "refused" : mark == '.' ? "to come" : mark == '-' ? "never" : NULL;
}

static int draw_marks(const map *m, eb_rect row, int x)
{
    for (const char *mark = EB_HEAT_MARKS; *mark; mark++) {
        bool there = false;
        for (size_t p = 0; m->series->mark && p < m->series->points; p++)
            there |= m->series->mark[p] == *mark && !isfinite(m->series->z[p]);
        if (there)
            x += eb_putf(m->canvas, row, x, row.y, EB_ROLE_DIM, "  %c %s", *mark, eb_heat_mark(*mark));
    }
    return x;
}

static void draw_titles(const map *m, eb_rect area)
{
    const eb_series *s = m->series;
    char number[32];
    const eb_rect top = {area.x, area.y, area.width, 1};
    const eb_rect bottom = {area.x, m->cells.y + m->cells.height + 1, area.width, 1};
    (void)eb_putf(m->canvas, top, area.x, area.y, EB_ROLE_DIM, "%s, upwards; across: %s", s->y_title, s->x_title);
    int x = bottom.x + eb_putf(m->canvas, bottom, bottom.x, bottom.y, EB_ROLE_DIM, "%s%s%s  ", s->z_title,
                               m->unit[0] ? ", " : "", m->unit);
    if (!isnan(m->most)) {
        x += eb_put(m->canvas, bottom, x, bottom.y, EB_ROLE_DIM, "0 ");
        for (size_t k = 0; k < EB_HEAT_ROLES; k++)
            put_bar(m, bottom, x++, bottom.y, (eb_role)(EB_ROLE_HEAT + k), k);
        x += eb_putf(m->canvas, bottom, x, bottom.y, EB_ROLE_DIM, " %s",
                     eb_heat_number(m->most * m->scale, m->whole, number, sizeof number));
    }
    if (!isnan(m->turn))
        x += eb_putf(m->canvas, bottom, x, bottom.y, EB_ROLE_TEXT, "  now %.0f", m->turn);
    (void)draw_marks(m, bottom, x);
}

int eb_heat_map_rows(const eb_series *series)
{
    eb_heat_axis y = {.count = 0};
    for (size_t k = 0; k < series->points; k++)
        eb_heat_axis_take(&y, series->y[k]);
    return (int)y.count + TITLES;
}

/* NULL: out of memory, or the area is empty. */
static map *make_map(eb_canvas *canvas, eb_rect area, const eb_series *series, double turn)
{
    map *m = eb_rect_empty(area) ? NULL : calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->canvas = canvas;
    m->series = series;
    m->turn = turn;
    bool there = find_out(m);
    m->titled = there && lay_out(m, area, true);
    m->fits = m->titled || (there && lay_out(m, area, false));
    return m;
}

/* The point `at` and the point whose turn it is stand out. */
static void draw_map(eb_canvas *canvas, eb_rect area, const eb_series *series, double turn, size_t at)
{
    map *m = make_map(canvas, area, series, turn);
    for (size_t k = 0; m && m->fits && k < series->points; k++)
        draw_cell(m, k, k == at || series->z[k] == m->turn);
    if (m && m->titled) {
        draw_labels(m, area);
        draw_titles(m, area);
    }
    if (m && !m->fits)
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_DIM,
                           m->x.count > 0 ? "(too small for a map)" : "(no points)");
    free(m);
}

void eb_draw_heat_map(eb_canvas *canvas, eb_rect area, const eb_series *series, size_t at)
{
    draw_map(canvas, area, series, NAN, at);
}

void eb_draw_turns(eb_canvas *canvas, eb_rect area, const eb_series *series, double turn)
{
    draw_map(canvas, area, series, turn, SIZE_MAX);
}

double eb_last_turn(const eb_series *series)
{
    double last = 0;
    for (size_t k = 0; series->z && k < series->points; k++)
        last = fmax(last, series->z[k]); /* fmax ignores NAN */
    return last;
}

size_t eb_heat_map_at(eb_rect area, const eb_series *series, int x, int y)
{
    size_t found = SIZE_MAX;
    map *m = make_map(NULL, area, series, NAN);
    for (size_t k = 0; m && m->fits && k < series->points; k++)
        if (eb_rect_has(cell_of(m, k), x, y))
            found = k;
    free(m);
    return found;
}
