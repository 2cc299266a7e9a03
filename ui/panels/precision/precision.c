/* The panel Precision: what each number type loses against what it costs, as a plot with its rows beside it, rung by
 * rung while they are measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/plot.h"
#include "draw/table.h"
#include "ui/panels/panel.h"
#include "ui/panels/precision/scene.h"

enum {
    NUMBER = 48,
    WORDS = 2000,
    BESIDE = 72,     /* from this width on, the rows stand beside the plot */
    LEAST_PLOT = 10, /* least rows of a plot with the rows below it */
    MOST_NAME = 20,  /* columns of a rung's name */
    NAMED = 60,      /* from this width of a plot on, dots have names */
    TOLD = 12,       /* from this height on, the chosen rung is told in words */
    CONCLUDED = 24,  /* from this height on, the conclusion is above, too; the workbench's message has it anyway */
};

/* ---- rows ---- */

typedef struct shown_column {
    const eb_column *key;
    const char *title;
    int width;
} shown_column;

/* In the order of importance: as many as there is room for. */
#define COLUMNS                                                                                                        \
    {                                                                                                                  \
        {EB_F(overlap), "overlap", 9}, {EB_F(rung_bytes), "B", 3}, {EB_F(prediction), "check", 7},                     \
            {EB_F(tflops_derived), "rate", 11}, {EB_F(limit_share), "of limit", 8}, {EB_F(kernel_s), "kernels", 9},    \
            {EB_F(overlap_predicted), "predicted", 9}, {EB_F(worst_overlap), "least", 8},                              \
            {EB_F(error_of_eps), "error/ε", 11}, {EB_F(knn_recall), "knn", 8}, {EB_F(kendall_tau), "tau", 6},          \
            {EB_F(rescore), "rescore", 7}, {EB_F(complete_price), "price", 7},                                         \
        {                                                                                                              \
            EB_F(rate_model), "model's rate", 12                                                                       \
        }                                                                                                              \
    }

static bool is_known(const eb_precision_scene *s, const eb_column *key)
{
    bool known = false;
    for (size_t k = 0; k < s->pareto.dots; k++)
        known |= eb_table_value(s->rungs, s->pareto.dot[k].row, key).kind != EB_NA;
    return known;
}

static int name_width(const eb_precision_scene *s)
{
    int widest = 4;
    for (size_t k = 0; k < s->pareto.dots; k++)
        widest = eb_wider(widest, s->pareto.dot[k].name);
    return widest < MOST_NAME ? widest : MOST_NAME;
}

/* The cell's text. Where nothing is measured, the overlap is the predicted one, "~99.7 %". */
static const char *cell_of(const eb_precision_scene *s, const eb_rung_dot *dot, const eb_column *key, char *text)
{
    eb_value value = eb_table_value(s->rungs, dot->row, key);
    const bool instead = key == EB_F(overlap) && value.kind == EB_NA;
    if (instead)
        value = eb_table_value(s->rungs, dot->row, EB_F(overlap_predicted));
    text[0] = '~';
    (void)eb_format_value(text + instead, NUMBER - 1, value, key->unit);
    return value.kind == EB_NA ? "" : text;
}

static void draw_row(const eb_precision_scene *s, size_t k, eb_canvas *canvas, eb_rect row, int name)
{
    static const shown_column columns[] = COLUMNS;
    char text[NUMBER];
    const eb_rung_dot *dot = &s->pareto.dot[k];
    const bool chosen = k == s->chosen;
    const eb_role role = chosen ? EB_ROLE_CURSOR : EB_ROLE_TEXT;
    const eb_rect name_area = {row.x, row.y, name + 4, 1};
    int x = row.x;
    x += eb_putf(canvas, row, x, row.y, role, "%c", chosen ? '>' : ' ');
    x += eb_putf(canvas, row, x, row.y, chosen ? EB_ROLE_CURSOR : eb_mark_role(dot->mark), "%c ", dot->mark);
    (void)eb_put_short(canvas, eb_rect_cut(name_area, row), x, row.y, role, dot->name);
    x = row.x + 4 + name;
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        if (!is_known(s, columns[c].key) && columns[c].key != EB_F(overlap))
            continue;
        if (x + columns[c].width > row.x + row.width)
            return;
        x += columns[c].width;
        (void)eb_put_right(canvas, row, x, row.y, role, cell_of(s, dot, columns[c].key, text));
        x++;
    }
}

static void draw_titles(const eb_precision_scene *s, eb_canvas *canvas, eb_rect row, int name)
{
    static const shown_column columns[] = COLUMNS;
    int x = row.x + 4 + name;
    (void)eb_put(canvas, row, row.x + 3, row.y, EB_ROLE_TITLE, "type");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        if (!is_known(s, columns[c].key) && columns[c].key != EB_F(overlap))
            continue;
        if (x + columns[c].width > row.x + row.width)
            return;
        x += columns[c].width;
        (void)eb_put_right(canvas, row, x, row.y, EB_ROLE_TITLE, columns[c].title);
        x++;
    }
}

/* Draws as many rows as there is room for, the chosen one among them. */
static void draw_rows(const eb_precision_scene *s, eb_canvas *canvas, eb_rect area)
{
    const int room = area.height - 1, name = name_width(s);
    if (room < 1)
        return;
    draw_titles(s, canvas, (eb_rect){area.x, area.y, area.width, 1}, name);
    const size_t dots = s->pareto.dots, rows = (size_t)room < dots ? (size_t)room : dots;
    size_t first = s->chosen >= rows / 2 ? s->chosen - rows / 2 : 0;
    first = first + rows > dots ? dots - rows : first;
    for (size_t k = 0; k < rows; k++)
        draw_row(s, first + k, canvas, (eb_rect){area.x, area.y + 1 + (int)k, area.width, 1}, name);
}

/* Columns of rows with names, the overlap, bytes and check. */
static int least_rows_width(const eb_precision_scene *s) { return 4 + name_width(s) + 9 + 1 + 3 + 1 + 7; }

/* ---- the head and the foot ---- */

/* S of the shown ε: measured, or as asked for. */
static eb_value selectivity_of(const eb_precision_scene *s)
{
    const size_t row = s->pareto.dot[0].row;
    const eb_value found[] = {eb_table_value(s->rungs, row, EB_F(selectivity)),
                              eb_table_value(s->rungs, row, EB_F(wanted_selectivity)),
                              eb_report_find_field(s->report, EB_F(selectivity))};
    for (size_t k = 0; k < 3; k++)
        if (found[k].kind != EB_NA)
            return found[k];
    return eb_na();
}

static void draw_title(const eb_precision_scene *s, eb_canvas *canvas, eb_rect row)
{
    char n[NUMBER], d[NUMBER], eps[NUMBER], selectivity[NUMBER];
    const eb_value at = eb_report_find_field(s->report, EB_F(eps)), of = selectivity_of(s);
    int x = row.x + eb_put(canvas, row, row.x, row.y, EB_ROLE_TITLE, "Which type is enough?");
    x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "  %s × %s, ε = %s",
                 eb_format_value(n, sizeof n, eb_report_find_field(s->report, EB_F(n)), EB_PLAIN),
                 eb_format_value(d, sizeof d, eb_report_find_field(s->report, EB_F(d)), EB_PLAIN),
                 eb_format_value(eps, sizeof eps, isnan(s->eps[s->at]) ? at : eb_real(s->eps[s->at]), EB_PLAIN));
    if (of.kind != EB_NA)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, ", S = %s",
                     eb_format_value(selectivity, sizeof selectivity, of, EB_PLAIN));
    if (s->eps_count > 1)
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, " (%zu of %zu)", s->at + 1, s->eps_count);
    if (s->stale)
        (void)eb_put(canvas, row, x, row.y, EB_ROLE_WARNING, "  of another dataset");
}

/* The conclusion, or how far the measuring is. Returns the rows used. */
static int draw_conclusion(const eb_precision_scene *s, eb_canvas *canvas, eb_rect area)
{
    char text[96];
    const char *conclusion = eb_report_conclusion(s->report), *warning = eb_report_warning(s->report);
    (void)snprintf(text, sizeof text, "%zu of %zu types are measured; the others are predicted", s->measured,
                   s->pareto.dots);
    if (area.height < 1)
        return 0;
    const eb_role role = warning && !s->live ? EB_ROLE_WARNING : s->live ? EB_ROLE_PROMPT : EB_ROLE_TEXT;
    const char *told = s->live ? text : warning ? warning : conclusion;
    const int rows = told ? eb_put_wrapped(canvas, area, role, told) : 0;
    return rows < area.height ? rows : area.height;
}

/* ---- the panel's areas ---- */

static void draw_picture(const eb_precision_view *view, const eb_precision_scene *s, eb_canvas *canvas, eb_rect area)
{
    const eb_series *lines = eb_report_find_series(s->report, EB_F(breakdown));
    if (eb_rect_empty(area))
        return;
    if (view->look == EB_RUNGS_OVER_S && lines)
        eb_draw_series(canvas, area, lines);
    else
        eb_draw_pareto(canvas, area, &s->pareto, s->chosen, area.width >= NAMED);
}

static void draw_middle(const eb_precision_view *view, const eb_precision_scene *s, eb_canvas *canvas, eb_rect area)
{
    eb_rect plot = area, rows = area;
    const int needed = (int)s->pareto.dots + 1, least = least_rows_width(s);
    if (area.width >= BESIDE) {
        rows.width = area.width / 2 > least ? area.width / 2 : least;
        plot.width = area.width - rows.width - 2;
        rows.x += plot.width + 2;
    } else if (area.height >= needed + LEAST_PLOT) {
        plot.height -= needed;
        rows.y += plot.height;
        rows.height = needed;
    } else if (view->look == EB_RUNGS_ROWS) {
        plot.width = 0;
    } else {
        rows.height = 0;
    }
    draw_picture(view, s, canvas, plot);
    draw_rows(s, canvas, rows);
}

static void draw_scene(const eb_precision_view *view, const eb_precision_scene *s, eb_canvas *canvas, eb_rect area)
{
    char words[WORDS];
    eb_rect rest = {area.x, area.y + 1, area.width, area.height - 1};
    draw_title(s, canvas, (eb_rect){area.x, area.y, area.width, 1});
    if (area.height >= CONCLUDED || s->live) {
        const int above = draw_conclusion(s, canvas, (eb_rect){rest.x, rest.y, rest.width, area.height > 1 ? 2 : 0});
        rest.y += above;
        rest.height -= above;
    }
    if (area.height >= TOLD) {
        const eb_rect nowhere = {rest.x, rest.y, rest.width, 0};
        const int needed = eb_put_wrapped(canvas, nowhere, EB_ROLE_TEXT, eb_precision_words(s, words, sizeof words)),
                  most = area.height / 5; /* 3 rows at 80 × 24 */
        const int below = needed < most ? needed : most;
        rest.height -= below;
        (void)eb_put_wrapped(canvas, (eb_rect){rest.x, rest.y + rest.height, rest.width, below}, EB_ROLE_TEXT, words);
    }
    draw_middle(view, s, canvas, rest);
}

static void precision_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    (void)focused;
    const eb_precision_view *view = panel_state;
    const eb_precision_scene s = eb_precision_scene_of(desk, view);
    if (eb_rect_empty(area))
        return;
    if (s.report)
        draw_scene(view, &s, canvas, area);
    else
        eb_draw_empty_panel(&eb_panel_precision, desk, canvas, area);
}

/* ---- keys ---- */

static void choose(eb_precision_view *view, const eb_precision_scene *s, size_t dot)
{
    const size_t last = s->pareto.dots - 1;
    (void)snprintf(view->rung, sizeof view->rung, "%s", s->pareto.dot[dot < last ? dot : last].name);
}

static bool choice_key(eb_precision_view *view, const eb_precision_scene *s, eb_key key)
{
    const size_t at = s->chosen;
    switch (key.code) {
    case EB_KEY_WHEEL_UP:
    case EB_KEY_UP: choose(view, s, at > 0 ? at - 1 : 0); break;
    case EB_KEY_WHEEL_DOWN:
    case EB_KEY_DOWN: choose(view, s, at + 1); break;
    case EB_KEY_HOME: choose(view, s, 0); break;
    case EB_KEY_END: choose(view, s, s->pareto.dots); break;
    case EB_KEY_LEFT: view->eps = s->eps[s->at > 0 ? s->at - 1 : 0]; break;
    case EB_KEY_RIGHT: view->eps = s->eps[s->at + 1 < s->eps_count ? s->at + 1 : s->at]; break;
    default: return false;
    }
    return true;
}

static void open_accuracy(eb_desk *desk, const eb_precision_scene *s)
{
    const eb_rung_dot *dot = &s->pareto.dot[s->chosen];
    if (!dot->measured || !dot->spec[0])
        eb_desk_say(desk, EB_TONE_NOTE, "%s is only predicted; `precision` without `predict` measures it", dot->name);
    else
        eb_desk_run(desk, "accuracy %s", dot->spec);
}

static void turn_axis(eb_precision_view *view, eb_desk *desk, const eb_precision_scene *s)
{
    if (s->rates)
        view->by_bytes = !view->by_bytes;
    else
        eb_desk_say(desk, EB_TONE_NOTE, "no rates are known: `precision on=h200` predicts them");
}

/* The next look; one that would show nothing else is left out. */
static void turn_look(eb_precision_view *view, eb_desk *desk, const eb_precision_scene *s, eb_rect area)
{
    const bool lines = s->eps_count > 1, rows = area.width < BESIDE;
    do
        view->look = (view->look + 1) % EB_RUNGS_LOOKS;
    while ((view->look == EB_RUNGS_OVER_S && !lines) || (view->look == EB_RUNGS_ROWS && !rows));
    if (!lines && !rows)
        eb_desk_say(desk, EB_TONE_NOTE, "there is one ε only: `precision S=16..256` shows where types break down");
}

/* Keys about what is shown. */
static bool report_key(eb_precision_view *view, eb_desk *desk, const eb_precision_scene *s, eb_key key, eb_rect area)
{
    if (eb_key_is(key, EB_ENTER))
        open_accuracy(desk, s);
    else if (eb_key_is(key, 'y'))
        turn_axis(view, desk, s);
    else if (eb_key_is(key, 'v'))
        turn_look(view, desk, s, area);
    else
        return choice_key(view, s, key);
    return true;
}

static bool precision_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    eb_precision_view *view = panel_state;
    const eb_precision_scene s = eb_precision_scene_of(desk, view);
    if (eb_key_is(key, 'c'))
        eb_run_at_eps(desk, "precision", "precision S=", "try number types");
    else if (eb_key_is(key, 't'))
        eb_desk_type(desk, "precision S=");
    else if (s.report)
        return report_key(view, desk, &s, key, area);
    else if (eb_key_is(key, EB_ENTER) && !eb_desk_busy(desk))
        eb_type_first_step(&eb_panel_precision, desk);
    else
        return false;
    return true;
}

/* ---- the panel ---- */

static void *precision_create(void)
{
    eb_precision_view *view = calloc(1, sizeof *view);
    if (view)
        view->eps = NAN;
    return view;
}

static const char *precision_pictured(void *panel_state, const eb_desk *desk)
{
    (void)panel_state;
    return eb_desk_newest(desk, "precision");
}

const eb_panel eb_panel_precision = {
    .name = "precision",
    .title = "Precision",
    .about = "Which number types of tensor cores are accurate enough for these points: what each loses against what it "
             "costs. A full dot is measured; an empty one is predicted, or stands at the model's rate. Dots between "
             "are the prediction's band; an arrow "
             "leads from the points as they are to the prepared ones.",
    .empty = "No number type was tried yet. Are INT8, FP8, BF16 or FP16 accurate enough for these points? Each is "
             "predicted within a second, then measured with the tensor core's own bits.",
    .begin = {{"precision S=64", "predicts, then measures: what each type keeps of the neighbours within ε"},
              {"precision predict S=64", "predicts only, from a sample"},
              {"precisions", "lists what the log has of other points"},
              {"Enter", "puts the first of these on the command line"}},
    .of_points = true,
    .hint = {{"Enter", "accuracy"},
             {"↑/↓", "type"},
             {"y", "bytes/rate"},
             {"c", "measure"},
             {"t", "precision S"},
             {"v", "other plot"},
             {"←/→", "S"}},
    .create = precision_create,
    .destroy = free,
    .draw = precision_draw,
    .key = precision_key,
    .pictured = precision_pictured,
};
