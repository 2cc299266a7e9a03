/* workbench_draw: draws the whole screen: status line, tabs, panels, message, hints, command line. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "draw/console.h"
#include "draw/format.h"
#include "draw/utf8.h"
#include "shell/background/progress.h"
#include "ui/desk.h"
#include "ui/gpu_watch.h"
#include "ui/terminal/line.h"
#include "ui/terminal/screen.h"
#include "ui/widgets/hints.h"
#include "ui/workbench_state.h"

/* ---- the suggested next step ---- */

/* A selectivity that n points can have: 64, or at most n / 4. */
static unsigned wanted_selectivity(uint64_t n)
{
    unsigned s = 64;
    while (s > 1 && s > n / 4)
        s /= 2;
    return s;
}

/* A hint without keys: no dataset is loaded, or every step has been done. */
static eb_hint next_step(const eb_desk *desk, const char *panel, char *buffer, size_t size)
{
    const eb_facts *facts = eb_desk_facts(desk);
    const bool compared = eb_desk_report_serial(desk, "compare") == facts->dataset_serial,
               tried = eb_desk_report_serial(desk, "precision") == facts->dataset_serial,
               of_types = strcmp(panel, "precision") == 0;
    if (!facts->has_dataset || facts->n < 2 || strcmp(panel, "lesson") == 0)
        return (eb_hint){NULL, NULL};
    if (isnan(facts->eps)) {
        (void)snprintf(buffer, size, "`tune S=%u`", wanted_selectivity(facts->n));
        return (eb_hint){buffer, "finds \xCE\xB5"};
    }
    if (of_types && tried)
        return (eb_hint){NULL, NULL};
    if (!compared && !of_types)
        return (eb_hint){"`compare`", "is FP16 enough?"};
    if (strcmp(panel, "accuracy") != 0 && !of_types)
        return (eb_hint){"F5", "how far off"};
    if (!tried)
        return (eb_hint){"`precision`", "which types are enough?"};
    return (eb_hint){NULL, NULL};
}

/* ---- status line ---- */

static int put_separator(eb_canvas *canvas, eb_rect row, int x)
{
    eb_put_cell(canvas, row, x + 1, row.y, EB_ROLE_STATUS, 0x2502, '|');
    return x + 3;
}

static int put_dataset(eb_canvas *canvas, eb_rect row, int x, const eb_facts *facts)
{
    char n[40], d[40];
    if (!facts->has_dataset)
        return x + eb_put(canvas, row, x, row.y, EB_ROLE_STATUS, "no dataset");
    return x + eb_putf(canvas, row, x, row.y, EB_ROLE_STATUS, "%s  %s × %s %s", facts->dataset,
                       eb_format_value(n, sizeof n, eb_uint(facts->n), EB_PLAIN),
                       eb_format_value(d, sizeof d, eb_uint(facts->d), EB_PLAIN), facts->dtype);
}

/* Draws GPU values from x on, as many as the row has room for. */
static int put_gpu(const eb_workbench *w, eb_canvas *canvas, eb_rect row, int x)
{
    char text[128];
    int room = row.x + row.width - x - 3;
    if (eb_gpu_words(eb_desk_gpu(w->desk), &w->gpu_memory, room, text, sizeof text)[0] == '\0')
        return x;
    x = put_separator(canvas, row, x);
    return x + eb_put(canvas, row, x, row.y, EB_ROLE_STATUS, text);
}

/* Draws preset, tensor core and trials of the next run (a shown run may have had others); a value without room is left
 * out. */
static int put_means(eb_canvas *canvas, eb_rect row, int x, const eb_facts *facts)
{
    char preset[96] = "", tensor[32] = "", trials[32];
    if (facts->preset[0])
        (void)snprintf(preset, sizeof preset, "preset %s", facts->preset);
    if (facts->tensor[0])
        (void)snprintf(tensor, sizeof tensor, "tensor core %s", facts->tensor);
    (void)snprintf(trials, sizeof trials, "%u %s", facts->trials, facts->trials == 1 ? "trial" : "trials");
    const char *const means[] = {preset, tensor, trials};
    static const char next[] = "next run uses: ";
    bool begun = false;
    for (size_t k = 0; k < sizeof means / sizeof means[0]; k++) {
        int before = begun ? 2 : 4 + (int)strlen(next);
        if (!means[k][0] || x + before + eb_text_width(means[k]) > row.x + row.width)
            continue;
        if (!begun)
            x = put_separator(canvas, row, x);
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_STATUS, "%s%s", begun ? ", " : next, means[k]);
        begun = true;
    }
    return x;
}

static void draw_status(eb_workbench *w)
{
    eb_canvas *canvas = &w->canvas;
    const eb_facts *facts = eb_desk_facts(w->desk);
    eb_rect row = w->layout.status;
    eb_fill(canvas, row, EB_ROLE_STATUS);
    eb_rect left = row;
    left.width -= (int)strlen(facts->log) + 2;
    int x = put_dataset(canvas, left, row.x + 1, facts);
    if (!isnan(facts->eps)) {
        x = put_separator(canvas, left, x);
        x += eb_putf(canvas, left, x, row.y, EB_ROLE_STATUS, "ε = %.8g", facts->eps);
    }
    x = put_separator(canvas, left, x);
    x += eb_put(canvas, left, x, row.y, EB_ROLE_STATUS, facts->device);
    if (facts->device_model[0])
        x += eb_putf(canvas, left, x + 1, row.y, EB_ROLE_STATUS, "%s", facts->device_model) + 1;
    x = put_gpu(w, canvas, left, x);
    (void)put_means(canvas, left, x, facts);
    (void)eb_put_right(canvas, row, row.x + row.width - 1, row.y, EB_ROLE_STATUS, facts->log);
}

/* ---- tabs, message, hints ---- */

enum { LONGEST_TITLE = 16 };

/* Columns of all names, those but the front one's cut to so many letters. */
static int names_width(const eb_workbench *w, int letters)
{
    int width = 0;
    for (size_t k = 0; k < eb_panel_count(); k++) {
        const int whole = (int)strlen(eb_panel_at(k)->title);
        width += whole < letters || k == w->front ? whole : letters;
    }
    return width;
}

/* A tab shows the key that opens its panel; brackets mark the panel in front, because colour is never the only signal.
 * " F2 Data  " is as wide as "[F2 Data] ". On a narrower screen tabs stand closer, "F2 Data "; on a narrower one still,
 * names but the front one's are cut to a few letters, "F4 Comp "; at last only the front panel's tab has its name. */
int eb_workbench_tab(const eb_workbench *w, size_t panel, char *text, size_t size)
{
    enum { WIDE = 6, CLOSE = 4, LEAST = 3, TEN = 8 }; /* columns beside a name; least letters; panels before F10 */
    const int count = (int)eb_panel_count(), tens = count > TEN ? count - TEN : 0, room = w->layout.tabs.width - tens;
    const bool front = panel == w->front;
    const char *title = eb_panel_at(panel)->title;
    if (names_width(w, INT_MAX) + WIDE * count <= room)
        return snprintf(text, size, front ? "[F%zu %s] " : " F%zu %s  ", panel + 2, title);
    for (int letters = LONGEST_TITLE; letters >= LEAST; letters--)
        if (names_width(w, letters) + CLOSE * count + 1 <= room)
            return front ? snprintf(text, size, "[F%zu %s] ", panel + 2, title)
                         : snprintf(text, size, "F%zu %.*s ", panel + 2, letters, title);
    return front ? snprintf(text, size, "[F%zu %s] ", panel + 2, title) : snprintf(text, size, " F%zu ", panel + 2);
}

static void draw_tabs(eb_workbench *w)
{
    eb_rect row = w->layout.tabs;
    int x = row.x;
    for (size_t k = 0; k < eb_panel_count(); k++) {
        char text[64];
        int width = eb_workbench_tab(w, k, text, sizeof text);
        (void)eb_put(&w->canvas, row, x, row.y, k == w->front ? EB_ROLE_FOCUS : EB_ROLE_DIM, text);
        x += width;
    }
}

enum { LEAST_OF_COMMAND = 16 };

static const char *turning_sign(const eb_workbench *w, double elapsed_s)
{
    static const char *const turning[] = {"⠋", "⠙", "⠸", "⠴", "⠦", "⠇"};
    static const char *const ascii[] = {"|", "/", "-", "\\"};
    size_t turn = w->in_memory ? 0 : (size_t)(elapsed_s * 8);
    return w->canvas.unicode ? turning[turn % 6] : ascii[turn % 4];
}

/* Draws the running command, shortened if necessary, its progress, and, where there is room, the predicted time of a
 * long command or the memory it needs. */
static void draw_progress(eb_workbench *w)
{
    eb_canvas *canvas = &w->canvas;
    eb_rect row = w->layout.message;
    const eb_progress *progress = eb_desk_progress(w->desk);
    const char *running = eb_desk_running(w->desk), stop[] = "Ctrl-C stops it";
    char text[256], takes[96], warning[112] = "";
    (void)eb_progress_text(progress, 0, text, sizeof text);
    if (progress->announced_s > EB_WORTH_SAYING_S)
        (void)snprintf(warning, sizeof warning, "takes about %s; ",
                       eb_duration_words(progress->announced_s, takes, sizeof takes));
    else if (eb_memory_words(progress, takes, sizeof takes)[0])
        (void)snprintf(warning, sizeof warning, "takes %s; ", takes);
    int x = row.x + eb_put(canvas, row, row.x, row.y, EB_ROLE_CURSOR, turning_sign(w, progress->elapsed_s)) + 1;
    int room = row.x + row.width - x - eb_text_width(text) - (int)sizeof stop - 3, whole = eb_text_width(running);
    int least = whole < LEAST_OF_COMMAND ? whole : LEAST_OF_COMMAND;
    bool warned = warning[0] && room - eb_text_width(warning) >= least;
    room -= warned ? eb_text_width(warning) : 0;
    room = room < least ? least : room < whole ? room : whole;
    (void)eb_put_short(canvas, eb_rect_cut((eb_rect){x, row.y, room, 1}, row), x, row.y, EB_ROLE_TITLE, running);
    x += room + 2;
    x += eb_put(canvas, row, x, row.y, EB_ROLE_TEXT, text) + 2;
    x += warned ? eb_put(canvas, row, x, row.y, EB_ROLE_WARNING, warning) : 0;
    (void)eb_put_short(canvas, row, x, row.y, EB_ROLE_DIM, stop);
}

/* Wraps the text at words. Where the area has too few rows, its last row ends with the command that shows all. */
static void draw_wrapped(eb_workbench *w, eb_rect area, eb_role role, const char *text)
{
    static const char more[] = "`messages` shows all";
    if (eb_put_wrapped(&w->canvas, area, role, text) <= area.height || eb_rect_empty(area))
        return;
    eb_rect hint = {area.x + area.width - (int)sizeof more, area.y + area.height - 1, (int)sizeof more, 1};
    if (hint.x < area.x)
        return;
    eb_fill(&w->canvas, hint, role);
    eb_put_cell(&w->canvas, hint, hint.x, hint.y, role, 0x2026, '~'); /* … */
    (void)eb_put(&w->canvas, hint, hint.x + 1, hint.y, EB_ROLE_KEY, more);
}

/* True if a message has come since the last key while a command runs; progress takes the message's first row then. */
static bool says_while_it_runs(const eb_workbench *w) { return w->runs && eb_desk_said(w->desk) != w->read; }

static void draw_sentence(eb_workbench *w, eb_rect area)
{
    static const eb_role roles[] = {EB_ROLE_DIM, EB_ROLE_GOOD, EB_ROLE_WARNING, EB_ROLE_BAD};
    eb_tone tone;
    const char *message = eb_desk_message(w->desk, &tone);
    if (eb_desk_said(w->desk) == w->echo)
        (void)eb_put_short(&w->canvas, area, area.x, area.y, roles[tone], message);
    else
        draw_wrapped(w, area, roles[tone], message);
}

static void draw_message(eb_workbench *w)
{
    eb_rect area = w->layout.message;
    if (w->question) {
        draw_wrapped(w, area, EB_ROLE_WARNING, w->question);
    } else if (eb_desk_busy(w->desk)) {
        draw_progress(w);
        if (says_while_it_runs(w) && area.height > 1)
            draw_sentence(w, (eb_rect){area.x, area.y + 1, area.width, area.height - 1});
    } else {
        draw_sentence(w, area);
    }
}

static int rows_of(eb_workbench *w, const char *text)
{
    return eb_put_wrapped(&w->canvas, (eb_rect){0, 0, w->canvas.width, 0}, EB_ROLE_TEXT, text);
}

/* While a command runs, a message of one row takes the place of the hints. */
static int message_rows(eb_workbench *w)
{
    if (w->question)
        return rows_of(w, w->question);
    const int rows = eb_desk_said(w->desk) == w->echo ? 1 : rows_of(w, eb_desk_message(w->desk, NULL));
    return !eb_desk_busy(w->desk) ? rows : says_while_it_runs(w) && rows > 1 ? rows + 1 : 1;
}

static void draw_queue(eb_workbench *w, eb_rect row)
{
    int x = eb_put_hint(&w->canvas, row, row.x, &(eb_hint){"queue", "lists what waits:"}) - 1;
    for (const eb_waiting *line = w->queue.first; line && x < row.x + row.width; line = line->next) {
        x += eb_putf(&w->canvas, row, x, row.y, EB_ROLE_KEY, "%u", line->number) + 1;
        x += eb_put_short(&w->canvas, row, x, row.y, EB_ROLE_TEXT, line->text) + 2;
    }
}

/* Draws what the keys do at this moment. */
static void draw_hints(eb_workbench *w)
{
    static const eb_hint line[] = {{"Enter", "run"},     {"Tab", "complete"},   {"F1", "help"},
                                   {"F2-F10", "panels"}, {"Esc", "panel keys"}, {"Ctrl-D", "quit"}};
    static const eb_hint pausing[] = {{"Enter", "go on"}, {"c", "without pauses"}, {"q", "stop"}, {"F2-F10", "panels"}};
    static const eb_hint asked[] = {{"y", "yes"}, {"N", "no, as any other key"}};
    const eb_panel *panel = eb_panel_at(w->front);
    eb_rect row = w->layout.hints;
    if (w->paused) {
        eb_put_hints(&w->canvas, row, pausing, sizeof pausing / sizeof *pausing, NULL);
    } else if (w->question) {
        eb_put_hints(&w->canvas, row, asked, sizeof asked / sizeof *asked, NULL);
    } else if (says_while_it_runs(w) && w->layout.message.height == 1) {
        draw_sentence(w, row);
    } else if (w->in_line && w->queue.first) {
        draw_queue(w, row);
    } else if (w->focus == EB_FOCUS_LINE) {
        const eb_hint choosing[] = {{"↑/↓", "choose"}, {"Enter", panel->takes}, {"Tab", "complete"},
                                    {"F1", "help"},    {"F2-F10", "panels"},    {"Ctrl-D", "quit"}};
        char next[24];
        const eb_hint going[] = {next_step(w->desk, panel->name, next, sizeof next),
                                 {"F1", "help"},
                                 {"F2-F10", "panels"},
                                 {"Esc", "panel keys"},
                                 {"Tab", "complete"},
                                 {"Ctrl-D", "quit"}};
        bool invites = eb_workbench_invites(w) && eb_line_empty(), goes_on = going[0].keys && eb_line_empty();
        eb_put_hints(&w->canvas, row, invites ? choosing : goes_on ? going : line, sizeof line / sizeof *line, NULL);
    } else {
        const eb_hint *now = panel->hints && w->view[w->front] ? panel->hints(w->view[w->front]) : NULL;
        eb_put_panel_hints(&w->canvas, row, now ? now : panel->hint, eb_panel_has_lists(w->desk, panel->name));
    }
}

/* ---- panels ---- */

static void draw_panel(eb_workbench *w, size_t index, eb_rect area, bool focused)
{
    const eb_panel *panel = eb_panel_at(index);
    if (eb_rect_empty(area))
        return;
    char title[64]; /* the focus is visible without colours too */
    (void)snprintf(title, sizeof title, focused ? "%s: keys" : "%s", panel->title);
    eb_frame(&w->canvas, area, focused ? EB_ROLE_FOCUS : EB_ROLE_FRAME, title);
    if (w->view[index])
        panel->draw(w->view[index], w->desk, &w->canvas, eb_rect_inside(area), focused);
    else
        (void)eb_put_wrapped(&w->canvas, eb_rect_inside(area), EB_ROLE_BAD, "out of memory");
}

static void draw_too_small(eb_workbench *w)
{
    char sentence[96];
    (void)snprintf(sentence, sizeof sentence, "terminal too small: %d × %d; epsbench needs %d × %d", w->canvas.width,
                   w->canvas.height, (int)EB_MIN_COLUMNS, (int)EB_MIN_ROWS);
    (void)eb_put_wrapped(&w->canvas, w->layout.panel, EB_ROLE_TEXT, sentence);
}

static bool has_cursor(const eb_workbench *w)
{
    return !w->question && (w->slides.report ? w->slides.types : w->focus == EB_FOCUS_LINE);
}

bool eb_workbench_in_slides(const eb_workbench *w) { return w->slides.report && !w->question; }

void eb_workbench_paint(eb_workbench *w)
{
    eb_canvas *canvas = &w->canvas;
    eb_layout_request request = {canvas->width, canvas->height, eb_line_columns(), w->two, message_rows(w)};
    w->layout = eb_layout_make(&request);
    w->cursor_x = w->cursor_y = -1;
    eb_canvas_clear(canvas);
    if (w->layout.too_small) {
        draw_too_small(w);
    } else if (eb_workbench_in_slides(w)) {
        eb_slide_show_draw(&w->slides, canvas);
        if (w->slides.types)
            eb_line_draw(canvas, eb_slide_show_line(canvas), &w->cursor_x, &w->cursor_y);
    } else {
        draw_status(w);
        draw_tabs(w);
        draw_panel(w, w->front, w->layout.panel, w->focus == EB_FOCUS_PANEL);
        draw_panel(w, w->beside, w->layout.second, false);
        eb_overlay_draw(&w->overlay, canvas, w->layout.panel, eb_panel_at(w->front));
        draw_message(w);
        draw_hints(w);
        eb_line_draw(canvas, w->layout.line, &w->cursor_x, &w->cursor_y);
    }
    if (w->shell->console)
        eb_canvas_to_console(canvas);
}

/* While a command runs, the person changes the settings of the background session. */
eb_theme eb_workbench_theme(const eb_workbench *w)
{
    return (w->runs ? w->shell->background : w->shell->session)->settings.theme;
}

void eb_workbench_draw(eb_workbench *w)
{
    eb_workbench_paint(w);
    if (!w->in_memory) {
        eb_screen_theme(eb_workbench_theme(w));
        eb_screen_show(&w->canvas, has_cursor(w) ? w->cursor_x : -1, w->cursor_y);
    }
    w->stale = false;
    w->drawn_s = eb_now_s();
}
