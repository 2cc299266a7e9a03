/* marks: names points beside them: those of a curve that its report tells, the ε of wanted selectivities or the elbow,
 * and points that have a letter of their own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/figure/picture.h"
#include "draw/format.h"

enum { MOST_MARKS = 48, NAME = 64 };

static const double ring = 4.5, apart = 4;

typedef struct mark {
    double x, y;
    bool sign; /* has a sign already; else a ring is drawn */
    char name[NAME];
} mark;

typedef struct marks {
    size_t count;
    mark of[MOST_MARKS];
    eb_box placed[MOST_MARKS]; /* the places of names and rings */
} marks;

static void add(marks *m, double x, double y, const char *format, const char *a)
{
    if (m->count == MOST_MARKS || !isfinite(x) || !isfinite(y))
        return;
    mark *at = &m->of[m->count++];
    *at = (mark){.x = x, .y = y};
    (void)snprintf(at->name, NAME, format, a);
}

static void add_targets(marks *m, const eb_report *report)
{
    char number[NAME - 8];
    const eb_table *t = eb_report_find_table(report, EB_F(targets));
    for (size_t k = 0; t && k < t->rows; k++) {
        const double eps = eb_number_at(t, k, EB_F(eps)), sampled = eb_number_at(t, k, EB_F(sampled_eps)),
                     s = eb_number_at(t, k, EB_F(selectivity)), wanted = eb_number_at(t, k, EB_F(wanted));
        const eb_value told = eb_real(isnan(wanted) ? s : wanted);
        add(m, isnan(eps) ? sampled : eps, isnan(s) ? wanted : s, "S = %s",
            eb_format_brief(number, sizeof number, told, EB_PLAIN));
    }
}

static void add_named(marks *m, const eb_series *s)
{
    char name[NAME];
    size_t beside;
    for (size_t k = 0; s->mark && s->names && s->points <= MOST_MARKS && k < s->points; k++)
        if (!(eb_series_is_model(s, k, &beside) && beside != SIZE_MAX) && strchr(s->mark, s->mark[k]) == s->mark + k &&
            strrchr(s->mark, s->mark[k]) == s->mark + k)
            add(m, s->x[k], s->y[k], "%s", eb_series_letter(s, s->mark[k], name, sizeof name));
    for (size_t k = 0; k < m->count; k++)
        m->of[k].sign = true;
}

static marks marks_of(const eb_picture *p)
{
    char number[NAME - 16];
    marks m = {.count = 0};
    const eb_value elbow = eb_report_find_field(p->report, EB_F(elbow));
    if (strcmp(p->item->key, EB_F(curve)->key) == 0)
        add_targets(&m, p->report);
    else if (strcmp(p->item->key, EB_F(kdistance)->key) == 0)
        add(&m, eb_number_of(p->report, EB_F(elbow_share)), eb_value_number(elbow), "elbow, ε = %s",
            eb_format_brief(number, sizeof number, elbow, EB_PLAIN));
    else if (p->item->as.series.shape == EB_POINTS)
        add_named(&m, &p->item->as.series);
    return m;
}

/* ---- places of names ---- */

static bool overlap(eb_box a, eb_box b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

static bool is_inside(eb_box a, eb_box b)
{
    return a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height;
}

static bool touches_curve(const eb_axes *f, const eb_series *s, eb_box box)
{
    for (size_t k = 0; k < s->points; k++) {
        const eb_spot at = eb_axes_spot(f, s->x[k], s->y[k]);
        if (overlap(box, (eb_box){at.x - 1, at.y - 1, 2, 2}))
            return true;
    }
    return false;
}

/* Tries the places around the ring; false: none is free. */
static bool place(const eb_axes *f, const eb_series *s, const marks *m, size_t named, eb_spot at, eb_box *out)
{
    const eb_lettering type = {.size = EB_SMALL_SIZE};
    const double width = eb_lettering_width(&type, m->of[named].name), height = EB_SMALL_SIZE, far = ring / 2 + apart;
    const double left = at.x - far - width, right = at.x + far;
    const eb_spot corner[] = {{left, at.y - height},
                              {right, at.y},
                              {left, at.y - height / 2},
                              {right, at.y - height / 2},
                              {at.x - width / 2, at.y - far - height},
                              {at.x - width / 2, at.y + far},
                              {right, at.y - height},
                              {left, at.y},
                              {right, at.y - 1.6 * height},
                              {right, at.y + 0.6 * height},
                              {left, at.y - 1.6 * height},
                              {left, at.y + 0.6 * height},
                              {right, at.y + 1.1 * height},
                              {left, at.y + 1.1 * height},
                              {right, at.y - 2.1 * height},
                              {left, at.y - 2.1 * height}};
    const eb_box room = {f->box.x, f->box.y - apart / 2, f->box.width, f->box.height + apart / 2};
    for (int strict = 1; strict >= 0; strict--)
        for (size_t k = 0; k < sizeof corner / sizeof corner[0]; k++) {
            *out = (eb_box){corner[k].x, corner[k].y, width, height};
            bool free = is_inside(*out, room) && !(strict && touches_curve(f, s, *out));
            for (size_t j = 0; j < named; j++)
                free = free && !overlap(*out, m->placed[j]);
            if (free)
                return true;
        }
    return false;
}

void eb_marks_draw(const eb_axes *f, const eb_picture *picture)
{
    marks m = marks_of(picture);
    const eb_ink ink = {.colour = EB_BLACK, .width = 0.9};
    const eb_lettering type = {.size = EB_SMALL_SIZE, .colour = EB_BLACK};
    for (size_t k = 0; k < m.count; k++) {
        const eb_spot at = eb_axes_spot(f, m.of[k].x, m.of[k].y);
        eb_box box;
        if (!is_inside((eb_box){at.x, at.y, 0, 0}, f->box))
            continue;
        if (!m.of[k].sign)
            eb_sheet_signs(f->sheet, 1, &at, EB_SIGN_RING, ring, &ink);
        if (!place(f, &picture->item->as.series, &m, k, at, &box))
            continue;
        m.placed[k] = box;
        eb_sheet_text(f->sheet, box.x, box.y + 0.8 * EB_SMALL_SIZE, &type, m.of[k].name);
    }
}
