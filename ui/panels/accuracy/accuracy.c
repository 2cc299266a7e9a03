/* The panel Accuracy: the last comparison's distance errors, its overlap of neighbours, and the pairs nearest to ε. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/report/find.h"
#include "draw/format.h"
#include "draw/utf8.h"
#include "shell/defaults.h"
#include "ui/panels/accuracy/scene.h"
#include "ui/panels/exactness.h"
#include "ui/panels/panel.h"
#include "ui/widgets/histogram_zoom.h"
#include "ui/widgets/list_view.h"

enum {
    BESIDE = 100, /* from this width on, overlaps stand beside errors */
    BELOW = 20,   /* from this height on, overlaps stand below errors */
    NUMBER = 48,
    FEW_PAIRS = 3,  /* pairs nearest to ε shown below the plots … */
    PLOT_LEAST = 9, /* … if these keep this many rows */
};

typedef enum view { VIEW_ERRORS, VIEW_OVERLAPS, VIEW_PAIRS } view;

typedef struct accuracy_state {
    view view;
    eb_histogram_view
        shown; /* of the errors: at first zoomed to nearly all, on a log scale, which shows rare errors too */
    unsigned long errors; /* stamp of the errors last drawn: new errors reset the zoom */
    eb_list pairs;
} accuracy_state;

/* The present scene; new reports reset the zoom and update the list. */
static eb_accuracy_scene look_at(accuracy_state *state, const eb_desk *desk)
{
    eb_accuracy_scene s = eb_accuracy_scene_of(desk);
    if (s.errors_stamp != state->errors) {
        eb_histogram_zoom_to_mass(&state->shown, s.errors);
    }
    state->errors = s.errors_stamp;
    eb_list_follow(&state->pairs, s.pairs, s.pairs_stamp);
    return s;
}

/* ---- drawing ---- */

/* Draws title and value if there is room for both. */
static int put_figure(eb_canvas *canvas, eb_rect row, int x, const char *title, eb_value value, eb_unit unit)
{
    char text[NUMBER];
    (void)eb_format_value(text, sizeof text, value, unit);
    if (value.kind == EB_NA || x + eb_text_width(title) + 1 + eb_text_width(text) > row.x + row.width)
        return x;
    x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "%s ", title);
    return x + eb_putf(canvas, row, x, row.y, EB_ROLE_TEXT, "%s  ", text);
}

/* Draws a value between two texts if there is room for all three. */
static int put_words(eb_canvas *canvas, eb_rect row, int x, const char *before, eb_value value, eb_unit unit,
                     const char *after)
{
    char text[NUMBER];
    (void)eb_format_value(text, sizeof text, value, unit);
    const int width = eb_text_width(before) + eb_text_width(text) + eb_text_width(after);
    if (value.kind == EB_NA || x + width > row.x + row.width)
        return x;
    x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "%s", before);
    x += eb_putf(canvas, row, x, row.y, EB_ROLE_TEXT, "%s", text);
    return x + eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "%s", after);
}

/* " (95 %: 99.1 % to 100 %)" of a sample, if there is room. */
static int put_band(eb_canvas *canvas, eb_rect row, int x, const eb_record *f)
{
    const eb_value low = eb_record_find(f, EB_F(overlap_from));
    char from[NUMBER], to[NUMBER], text[2 * NUMBER + 16];
    (void)snprintf(text, sizeof text, " (95 %%: %s to %s)", eb_format_value(from, sizeof from, low, EB_PERCENT),
                   eb_format_value(to, sizeof to, eb_record_find(f, EB_F(overlap_to)), EB_PERCENT));
    if (low.kind == EB_NA || x + eb_text_width(text) > row.x + row.width)
        return x;
    return x + eb_put(canvas, row, x, row.y, EB_ROLE_DIM, text);
}

/* "17 false, 23 missed; 99.971 % of neighbours kept on average, 87.5 % at worst" */
static void draw_overlap(eb_canvas *canvas, eb_rect row, const eb_record *f, bool truth)
{
    int x = put_words(canvas, row, row.x, "", eb_record_find(f, EB_F(only_fast)), EB_PLAIN,
                      truth ? " false, " : " only here, ");
    x = put_words(canvas, row, x, "", eb_record_find(f, EB_F(only_true)), EB_PLAIN, truth ? " missed" : " only there");
    const int average =
        put_words(canvas, row, x, "; ", eb_record_find(f, EB_F(overlap)), EB_PERCENT, " of neighbours kept on average");
    if (average == x)
        return;
    x = put_band(canvas, row, average, f);
    (void)put_words(canvas, row, x, ", ", eb_record_find(f, EB_F(overlap_min)), EB_PERCENT, " at worst");
}

static void draw_names(eb_canvas *canvas, eb_rect row, const eb_accuracy_scene *s)
{
    char eps[NUMBER], sample[NUMBER], n[NUMBER];
    int x = row.x;
    if (s->fast[0] && s->truth[0])
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_TITLE, "%s against %s", s->fast, s->truth);
    if (!isnan(s->eps))
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_DIM, "  ε = %s",
                     eb_format_value(eps, sizeof eps, eb_real(s->eps), EB_PLAIN));
    if (!isnan(s->sample))
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_TITLE, "  %s of %s points",
                     eb_format_value(sample, sizeof sample, eb_real(s->sample), EB_PLAIN),
                     eb_format_value(n, sizeof n, eb_real(s->n), EB_PLAIN));
    if (s->fast[0] && s->truth[0])
        x += eb_put_exactness(canvas, row, x, 2, (const char *[]){s->fast, s->truth}, " against ");
    if (s->stale)
        (void)eb_put(canvas, row, x, row.y, EB_ROLE_WARNING, "  of another dataset");
}

/* Rows of the figures at the top. */
static int figure_rows(eb_rect area, const eb_accuracy_scene *s) { return area.height < 8 ? 1 : s->warning ? 4 : 3; }

/* The area below them. */
static eb_rect rest_of(eb_rect area, const eb_accuracy_scene *s)
{
    int rows = figure_rows(area, s) + (area.height >= 20);
    return (eb_rect){area.x, area.y + rows, area.width, area.height - rows};
}

static void draw_figures(eb_canvas *canvas, eb_rect area, const eb_accuracy_scene *s)
{
    const eb_record *f = s->figures;
    eb_rect row = {area.x, area.y, area.width, 1}, next = {area.x, area.y + 1, area.width, 1};
    draw_names(canvas, row, s);
    if (figure_rows(area, s) == 1)
        return;
    if (s->warning)
        (void)eb_put_short(canvas, next, next.x, next.y, EB_ROLE_WARNING, s->warning);
    next.y += s->warning != NULL;
    const bool truth = eb_record_find(f, EB_F(difference_mean)).kind == EB_NA;
    draw_overlap(canvas, next, f, truth);
    next.y++;
    int x = put_figure(canvas, next, next.x, truth ? "error mean" : "difference mean",
                       eb_record_find(f, truth ? EB_F(error_mean) : EB_F(difference_mean)), EB_PLAIN);
    x = put_figure(canvas, next, x, "deviation", eb_record_find(f, truth ? EB_F(error_std) : EB_F(difference_std)),
                   EB_PLAIN);
    x = put_figure(canvas, next, x, "greatest", eb_record_find(f, truth ? EB_F(error_max) : EB_F(difference_max)),
                   EB_PLAIN);
    x = put_figure(canvas, next, x, "self pairs", eb_record_find(f, EB_F(self_pairs)), EB_PLAIN);
    x = put_figure(canvas, next, x, "NaN", eb_record_find(f, EB_F(error_nan)), EB_PLAIN);
    double undecided = eb_value_number(eb_record_find(s->undecided, EB_F(undecided_found))) +
                       eb_value_number(eb_record_find(s->undecided, EB_F(undecided_missed)));
    if (undecided > 0)
        (void)put_figure(canvas, next, x, "undecided by the truth", eb_real(undecided), EB_PLAIN);
}

static void draw_plot(eb_canvas *canvas, eb_rect area, const eb_series *series, const char *title, const char *missing,
                      const eb_histogram_view *shown)
{
    if (eb_rect_empty(area))
        return;
    eb_rect body = {area.x, area.y + 1, area.width, area.height - 1};
    int x =
        area.x + eb_put_short(canvas, (eb_rect){area.x, area.y, area.width, 1}, area.x, area.y, EB_ROLE_TITLE, title);
    if (shown->log)
        (void)eb_put(canvas, area, x, area.y, EB_ROLE_DIM, ", log scale");
    if (series)
        eb_draw_histogram(canvas, body, series, shown);
    else
        (void)eb_put_wrapped(canvas, body, EB_ROLE_DIM, missing);
}

static void draw_errors(const accuracy_state *state, eb_canvas *canvas, eb_rect area, const eb_accuracy_scene *s)
{
    draw_plot(canvas, area, s->errors, s->errors_title,
              s->several || s->sample_chosen ? "`hist` draws them."
              : s->self_chosen               ? "`hist self=in` or `hist self=out` draws them."
              : s->other                     ? "`hist` draws them when this engine is named to it."
                         : "No pair is in both results, or no comparison was finished: there is no error to draw.",
              &state->shown);
}

static void draw_overlaps(const accuracy_state *state, eb_canvas *canvas, eb_rect area, const eb_accuracy_scene *s)
{
    eb_histogram_view most = {NAN, NAN, state->shown.log};
    eb_histogram_zoom_to_mass(&most, s->overlaps);
    draw_plot(canvas, area, s->overlaps, "Points by their overlap",
              "Enter: how the overlap is distributed; the same as `accuracy`.", &most);
}

/* Draws both plots if there is room; otherwise the chosen one. */
static void draw_plots(const accuracy_state *state, eb_canvas *canvas, eb_rect area, const eb_accuracy_scene *s)
{
    eb_rect first = area, second = area;
    if (area.width >= BESIDE) {
        first.width = area.width * 3 / 5 - 1;
        second.x += first.width + 2;
        second.width -= first.width + 2;
    } else if (area.height >= BELOW) {
        first.height = area.height * 3 / 5;
        second.y += first.height;
        second.height -= first.height;
    } else {
        if (state->view == VIEW_OVERLAPS)
            draw_overlaps(state, canvas, area, s);
        else
            draw_errors(state, canvas, area, s);
        return;
    }
    draw_errors(state, canvas, first, s);
    draw_overlaps(state, canvas, second, s);
}

static size_t disagreements(const eb_table *pairs)
{
    size_t count = 0;
    for (size_t row = 0; row < pairs->rows; row++) {
        eb_value fast = eb_table_value(pairs, row, EB_F(in_fast)), truth = eb_table_value(pairs, row, EB_F(in_true));
        count += fast.kind == EB_BOOL && truth.kind == EB_BOOL && fast.as.boolean != truth.as.boolean;
    }
    return count;
}

static void say_pairs(const eb_table *pairs, char *title, size_t size)
{
    size_t differ = disagreements(pairs);
    (void)snprintf(title, size,
                   differ == 0 ? "The %zu pairs nearest to ε: both verdicts agree"
                               : "The %zu pairs nearest to ε: the verdicts differ on %zu",
                   pairs->rows, differ);
}

/* Draws the pairs nearest to ε below the plots; returns the rows used. */
static int draw_nearest(eb_canvas *canvas, eb_rect area, const eb_accuracy_scene *s)
{
    char title[96];
    eb_table_view table_view;
    if (!s->pairs || s->pairs->rows == 0)
        return 0;
    int few = s->pairs->rows < FEW_PAIRS ? (int)s->pairs->rows : FEW_PAIRS, rows = few + 2;
    if (area.height > 4 * rows)
        rows = area.height / 4 < (int)s->pairs->rows + 2 ? area.height / 4 : (int)s->pairs->rows + 2;
    if (area.height - rows < PLOT_LEAST)
        return 0;
    eb_rect here = {area.x, area.y + area.height - rows, area.width, 1};
    eb_rect table = {area.x, here.y + 1, area.width, rows - 1};
    say_pairs(s->pairs, title, sizeof title);
    int x = here.x + eb_put_short(canvas, here, here.x, here.y, EB_ROLE_TITLE, title);
    (void)eb_put(canvas, here, x, here.y, EB_ROLE_DIM, ", b: all");
    eb_table_view_init(&table_view);
    table_view.still = true;
    eb_table_view_update(&table_view, s->pairs);
    eb_draw_table(canvas, table, &table_view, false);
    eb_table_view_free(&table_view);
    return rows;
}

static void draw_pairs(accuracy_state *state, eb_canvas *canvas, eb_rect area, const eb_accuracy_scene *s, bool focused)
{
    char title[96];
    if (!s->pairs || s->pairs->rows == 0) {
        (void)eb_put_wrapped(canvas, area, EB_ROLE_DIM, "No pairs near ε are known.");
        return;
    }
    say_pairs(s->pairs, title, sizeof title);
    eb_list_draw(&state->pairs, canvas, area, title, focused);
}

static void accuracy_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    accuracy_state *state = panel_state;
    eb_accuracy_scene s = look_at(state, desk);
    if (eb_rect_empty(area))
        return;
    if (!s.any) {
        eb_draw_empty_panel(&eb_panel_accuracy, desk, canvas, area);
        return;
    }
    draw_figures(canvas, area, &s);
    eb_rect rest = rest_of(area, &s);
    if (state->view == VIEW_PAIRS) {
        draw_pairs(state, canvas, rest, &s, focused);
        return;
    }
    rest.height -= draw_nearest(canvas, rest, &s);
    draw_plots(state, canvas, rest, &s);
}

/* ---- keys ---- */

/* Keys for the errors' histogram. */
static bool zoom_key(accuracy_state *state, const eb_accuracy_scene *s, eb_key key)
{
    double part = key.modifiers & EB_SHIFT ? 0.5 : 0.125;
    if (eb_key_is(key, '+') || eb_key_is(key, '=') || key.code == EB_KEY_WHEEL_UP)
        eb_histogram_zoom(&state->shown, s->errors, 0.5);
    else if (eb_key_is(key, '-') || key.code == EB_KEY_WHEEL_DOWN)
        eb_histogram_zoom(&state->shown, s->errors, 2);
    else if (key.code == EB_KEY_LEFT)
        eb_histogram_move(&state->shown, s->errors, -part);
    else if (key.code == EB_KEY_RIGHT)
        eb_histogram_move(&state->shown, s->errors, part);
    else if (eb_key_is(key, '0') || (eb_key_is(key, EB_ESCAPE) && !isnan(state->shown.low)))
        state->shown.low = state->shown.high = NAN;
    else
        return false;
    return true;
}

enum { WHICH = 512 };

/* The arguments with which `accuracy` and `hist` describe the shown comparison: " self=in fasted[paper]", mostly "". */
static const char *say_which(const eb_accuracy_scene *s, char buffer[WHICH])
{
    (void)snprintf(buffer, WHICH, "%s%s%s%s", s->self_chosen ? " self=" : "", s->self_chosen ? s->self : "",
                   s->other ? " " : "", s->other ? s->fast : "");
    return buffer;
}

/* Asks for a finer histogram, in which the visible part has as many bins as the whole has now. */
static void ask_finer(const accuracy_state *state, eb_desk *desk, const eb_accuracy_scene *s)
{
    enum { MOST_BINS = 100000 };
    double share = eb_histogram_share(&state->shown, s->errors);
    if (isnan(share)) {
        eb_desk_say(desk, EB_TONE_NOTE, "there are no errors to draw finer");
        return;
    }
    double bins = fmin((double)s->errors->points / (share < 1 ? share : 0.5), MOST_BINS);
    char which[WHICH];
    eb_desk_run(desk, "hist bins=%.0f%s", bins, say_which(s, which));
}

/* Asks for the same comparison with self pairs counted, or no longer counted. */
static void ask_about_self(eb_desk *desk, eb_accuracy_scene s)
{
    char which[WHICH];
    s.self = strcmp(s.self, "in") == 0 ? "out" : "in";
    s.self_chosen = true;
    eb_desk_run(desk, "accuracy%s", say_which(&s, which));
    eb_desk_run(desk, "hist%s", say_which(&s, which));
}

/* Asks `accuracy` about the shown engine: unlike `compare`, it reports the distribution of the overlap and more pairs,
 * for any of the compared engines. */
static void ask_about_overlap(eb_desk *desk, const eb_accuracy_scene *s)
{
    char which[WHICH];
    eb_desk_run(desk, "accuracy%s", say_which(s, which));
}

/* Explains the pair at the cursor, or the pair nearest to ε. */
static void explain_pair(const accuracy_state *state, eb_desk *desk, const eb_accuracy_scene *s)
{
    char eps[32];
    const size_t row = state->view == VIEW_PAIRS ? eb_list_row(&state->pairs) : 0;
    if (!s->pairs || row >= s->pairs->rows || s->stale || isnan(s->eps)) {
        eb_desk_say(desk, EB_TONE_NOTE, "there is no pair to explain");
        return;
    }
    eb_desk_show(desk, "explain %.0f %.0f %s eps=%s", eb_number_at(s->pairs, row, EB_F(i)),
                 eb_number_at(s->pairs, row, EB_F(j)), s->fast, eb_format_exact(eps, sizeof eps, s->eps));
}

static bool accuracy_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    accuracy_state *state = panel_state;
    eb_accuracy_scene s = look_at(state, desk);
    bool pairs = state->view == VIEW_PAIRS;
    if (!s.any) {
        if (eb_key_is(key, EB_ENTER))
            eb_type_first_step(&eb_panel_accuracy, desk);
        return eb_key_is(key, EB_ENTER);
    }
    if (pairs && state->pairs.typing && eb_list_key(&state->pairs, key, rest_of(area, &s)))
        return true;
    if (eb_key_is(key, 'b') || (eb_key_closes(key) && pairs && !eb_list_is_arranged(&state->pairs)))
        state->view = pairs ? VIEW_ERRORS : VIEW_PAIRS;
    else if (eb_key_is(key, 'o'))
        state->view = state->view == VIEW_OVERLAPS ? VIEW_ERRORS : VIEW_OVERLAPS;
    else if (eb_key_is(key, 'x') || (eb_key_is(key, EB_ENTER) && pairs))
        explain_pair(state, desk, &s);
    else if (eb_key_is(key, EB_ENTER))
        ask_about_overlap(desk, &s);
    else if (pairs)
        return eb_list_key(&state->pairs, key, rest_of(area, &s));
    else if (eb_key_is(key, 'l')) {
        state->shown.log = !state->shown.log;
    } else if (eb_key_is(key, 'h'))
        ask_finer(state, desk, &s);
    else if (eb_key_is(key, 'i'))
        ask_about_self(desk, s);
    else
        return zoom_key(state, &s, key);
    return true;
}

static bool accuracy_typing(const void *panel_state)
{
    const accuracy_state *state = panel_state;
    return state->view == VIEW_PAIRS && state->pairs.typing;
}

/* ---- the panel ---- */

static const eb_hint *accuracy_hints(const void *panel_state)
{
    static const eb_hint pairs[] = {{"Enter", "explain"}, EB_LIST_HINTS, {"Esc", "all, then plots"}, {NULL, NULL}};
    return ((const accuracy_state *)panel_state)->view == VIEW_PAIRS ? pairs : NULL;
}

static const char *accuracy_column(void *panel_state, const eb_desk *desk)
{
    accuracy_state *state = panel_state;
    (void)look_at(state, desk);
    return eb_list_sorted_by(&state->pairs);
}

static void *accuracy_create(void)
{
    accuracy_state *state = calloc(1, sizeof *state);
    if (state) {
        state->shown = (eb_histogram_view){.low = NAN, .high = NAN, .log = true};
        eb_list_init(&state->pairs, NULL);
    }
    return state;
}

static void accuracy_destroy(void *panel_state)
{
    accuracy_state *state = panel_state;
    if (state)
        eb_list_free(&state->pairs);
    free(state);
}

static const char *accuracy_pictured(void *panel_state, const eb_desk *desk)
{
    (void)panel_state;
    return eb_desk_newest(desk, "compare|hist");
}

const eb_panel eb_panel_accuracy = {
    .name = "accuracy",
    .title = "Accuracy",
    .about = "The last comparison: how far distances are off, how far the neighbours agree, which pairs ε divides "
             "differently.",
    .empty = "Nothing compared yet. What a comparison finds is drawn here: the errors of the distances, the overlap of "
             "the neighbours with the true ones, the pairs nearest to ε.",
    .begin = {{"compare " EB_FAST " " EB_TRUE " S=64", "FASTED's FP16 distances beside the FP64 truth"},
              {"Enter", "puts that on the command line"}},
    .of_points = true,
    .hint = {{"Enter", "overlaps"},
             {"+/-", "zoom"},
             {"←/→", "move"},
             {"0", "all"},
             {"l", "log scale"},
             {"h", "finer bins"},
             {"o", "overlap"},
             {"i", "self pairs"},
             {"b", "pairs"},
             {"x", "explain"},
             EB_LIST_HINTS},
    .create = accuracy_create,
    .destroy = accuracy_destroy,
    .draw = accuracy_draw,
    .key = accuracy_key,
    .pictured = accuracy_pictured,
    .typing = accuracy_typing,
    .hints = accuracy_hints,
    .column = accuracy_column,
};
