/* The panel Log: lists the runs of all sessions and the sessions; finds, compares and repeats them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "shell/defaults.h"
#include "store/notes.h"
#include "ui/panels/panel.h"
#include "ui/widgets/command_text.h"
#include "ui/widgets/list_view.h"
#include "ui/widgets/report_view.h"

enum {
    BESIDE = 120,    /* from this width on, a run's details stand beside the list */
    LIST_LEAST = 4,  /* rows that the list keeps above a run's details */
    MOST_RUNS = 1000 /* runs listed at once; the report says if there are more */
};

typedef enum detail { DETAIL_NONE, DETAIL_RUN, DETAIL_DIFF } detail;

typedef struct log_state {
    eb_list runs, sessions;
    bool show_sessions;
    detail detail;
    int top;                     /* first line of the details shown */
    unsigned long shows, diffs;  /* reports of `show` and `diff` seen so far */
    unsigned long lists, listed; /* reports of `sessions` and `runs` seen so far */
    bool own;                    /* the panel itself asked for the runs, as it does after each run */
    bool asked;                  /* the panel has asked for the runs … */
    unsigned long measured;      /* … after this many reports of commands that run engines */
    int64_t again;               /* the run to repeat as soon as `show` has described it; −1: none */
    unsigned long again_shows;   /* least count of reports of `show` that describes it */
} log_state;

static eb_list *list_of(log_state *state) { return state->show_sessions ? &state->sessions : &state->runs; }

/* Runs are shown with the columns that the person keeps, after the run's number. */
static void choose_columns(log_state *state, const eb_desk *desk)
{
    char names[EB_LIST_TEXT + 8];
    const char *kept = eb_desk_facts(desk)->log_columns;
    (void)snprintf(names, sizeof names, "run,%s", kept[0] ? kept : EB_LOG_COLUMNS);
    eb_list_usual_columns(&state->runs, names);
}

static void follow(log_state *state, const eb_desk *desk)
{
    unsigned long shows = eb_desk_report_count(desk, "show"), diffs = eb_desk_report_count(desk, "diff");
    choose_columns(state, desk);
    eb_list_follow(&state->runs, eb_report_find_table(eb_desk_report(desk, "runs"), EB_F(runs)),
                   eb_desk_report_count(desk, "runs"));
    eb_list_follow(&state->sessions, eb_report_find_table(eb_desk_report(desk, "sessions"), EB_F(sessions)),
                   eb_desk_report_count(desk, "sessions"));
    unsigned long lists = eb_desk_report_count(desk, "sessions");
    unsigned long listed = eb_desk_report_count(desk, "runs");
    if (lists != state->lists || (listed != state->listed && !state->own))
        state->show_sessions = lists != state->lists;
    state->own &= listed == state->listed;
    state->lists = lists;
    state->listed = listed;
    if (shows != state->shows || diffs != state->diffs) {
        state->show_sessions = false;
        state->detail =
            eb_desk_report_stamp(desk, "diff") > eb_desk_report_stamp(desk, "show") ? DETAIL_DIFF : DETAIL_RUN;
        state->top = 0;
    }
    state->shows = shows;
    state->diffs = diffs;
}

/* ---- drawing ---- */

static bool has_detail(const log_state *state) { return state->detail != DETAIL_NONE && !state->show_sessions; }

/* Divides the area between the list and the details, whose area is empty if none are shown. */
static void divide(const log_state *state, eb_rect area, eb_rect *list, eb_rect *about)
{
    *list = area;
    *about = (eb_rect){0};
    if (!has_detail(state))
        return;
    *about = area;
    if (area.width >= BESIDE) {
        list->width = area.width / 2 - 1;
        about->x += list->width + 2;
        about->width -= list->width + 2;
    } else if (area.height > 2 * LIST_LEAST) {
        int rows = area.height * 2 / 5;
        list->height = rows < LIST_LEAST ? LIST_LEAST : rows;
        about->y += list->height;
        about->height -= list->height;
    } else {
        list->height = 0; /* no room for both: details only */
    }
}

/* Draws the verdicts of `diff` beside its title; the report below gives their conditions. */
static void draw_verdicts(eb_canvas *canvas, eb_rect row, int x, const eb_report *report)
{
    const eb_table *times = eb_report_find_table(report, EB_F(times));
    for (size_t k = 0; times && k < times->rows; k++) {
        char ratio[48];
        eb_value part = eb_table_value(times, k, EB_F(part)), verdict = eb_table_value(times, k, EB_F(verdict));
        if (part.kind != EB_TEXT || verdict.kind != EB_TEXT)
            continue;
        bool kernels = strcmp(part.as.text, "kernel_s") == 0;
        x += eb_putf(canvas, row, x, row.y, EB_ROLE_TEXT, "  %s ", kernels ? "kernels" : "end to end");
        x += eb_putf(canvas, row, x, row.y, eb_role_of_word(verdict.as.text, EB_ROLE_TEXT), "%s %s", verdict.as.text,
                     eb_format_value(ratio, sizeof ratio, eb_table_value(times, k, EB_F(ratio)), EB_RATIO));
    }
}

static void draw_detail(log_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    bool run = state->detail == DETAIL_RUN;
    const eb_report *report = eb_desk_report(desk, run ? "show" : "diff");
    char a[32], b[32];
    if (eb_rect_empty(area) || !report)
        return;
    eb_rect row = {area.x, area.y, area.width, 1}, body = {area.x, area.y + 1, area.width, area.height - 1};
    (void)eb_format_value(a, sizeof a, eb_report_find_field(report, EB_F(run)), EB_IDENTITY);
    (void)eb_format_value(b, sizeof b, eb_report_find_field(report, EB_F(baseline)), EB_IDENTITY);
    if (run) {
        (void)eb_putf(canvas, row, row.x, row.y, EB_ROLE_TITLE, "Run %s", a);
    } else {
        int x = row.x + eb_putf(canvas, row, row.x, row.y, EB_ROLE_TITLE, "Run %s against %s", a, b);
        draw_verdicts(canvas, row, x, report);
    }
    (void)eb_draw_report(canvas, body, report, EB_PARTS_TEXT | EB_PARTS_PLOTS, &state->top);
}

/* Draws the report's first note: that the list is cut, or that nothing matches. */
static void draw_notes(eb_canvas *canvas, eb_rect *area, const eb_report *report, bool empty)
{
    if (!report || report->notes == 0 || area->height < 3)
        return;
    eb_rect row = {area->x, empty ? area->y + 1 : area->y + area->height - 1, area->width, 1};
    (void)eb_put_short(canvas, row, row.x, row.y, eb_is_warning(report->note[0]) ? EB_ROLE_WARNING : EB_ROLE_DIM,
                       report->note[0]);
    area->height -= !empty;
}

/* Draws the empty panel, or, if no log is kept, how to keep one. */
static void draw_nothing(const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    static const eb_hint steps[] = {
        {"--db FILE", "keeps one there, when epsbench is started; without --no-log it is kept by itself"},
        {NULL, NULL},
    };
    if (strcmp(eb_desk_facts(desk)->log, "no log") == 0)
        (void)eb_draw_steps(canvas, area, "No session log is kept: runs are not written down, and none can be listed.",
                            steps);
    else
        eb_draw_empty_panel(&eb_panel_log, desk, canvas, area);
}

static void draw_list(log_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    eb_list *list = list_of(state);
    const eb_report *report = eb_desk_report(desk, state->show_sessions ? "sessions" : "runs");
    const char *title = state->show_sessions ? "Sessions, newest first" : "Runs, newest first";
    if (eb_rect_empty(area))
        return;
    const bool none = report && report->notes > 0 && strcmp(report->note[0], EB_NO_RUNS) == 0;
    if (!list->table || none) {
        draw_nothing(desk, canvas, area);
        return;
    }
    draw_notes(canvas, &area, report, list->table->rows == 0);
    if (list->table->rows == 0)
        (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_TITLE, title);
    else
        eb_list_draw(list, canvas, area,
                     !list->view.sort[0]    ? title
                     : state->show_sessions ? "Sessions"
                                            : "Runs",
                     focused);
}

static void log_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    log_state *state = panel_state;
    eb_rect list, about;
    follow(state, desk);
    divide(state, area, &list, &about);
    draw_list(state, desk, canvas, list, focused);
    draw_detail(state, desk, canvas, about);
}

/* ---- repeating a run ---- */

/* The hash of the loaded points from a report on the desk; NULL: unknown. */
static const char *loaded_sha256(const eb_desk *desk)
{
    static const char *const tellers[] = {"info", "load", "synth"};
    const eb_facts *facts = eb_desk_facts(desk);
    for (size_t k = 0; facts->has_dataset && k < sizeof tellers / sizeof tellers[0]; k++) {
        eb_value sha256 = eb_report_find_field(eb_desk_report(desk, tellers[k]), EB_F(sha256));
        if (sha256.kind == EB_TEXT && eb_desk_report_serial(desk, tellers[k]) == facts->dataset_serial)
            return sha256.as.text;
    }
    return NULL;
}

/* Repeats the run `again` once `show` has described it; a report of `show` about another run cancels this. */
static void run_again(log_state *state, eb_desk *desk)
{
    const eb_report *show = eb_desk_report(desk, "show");
    if (state->again < 0 || !show || eb_desk_report_count(desk, "show") < state->again_shows)
        return;
    bool told = eb_number_of(show, EB_F(run)) == (double)state->again;
    char *line = told ? eb_rerun_line(show, loaded_sha256(desk)) : NULL;
    if (line)
        eb_desk_run(desk, "%s", line);
    else if (told)
        eb_desk_say(desk, EB_TONE_WARNING, "the log does not say how run %lld was made", (long long)state->again);
    free(line);
    state->again = -1;
}

static void begin_again(log_state *state, eb_desk *desk, int64_t run)
{
    const eb_report *show = eb_desk_report(desk, "show");
    bool told = eb_number_of(show, EB_F(run)) == (double)run;
    state->again = run;
    state->again_shows = eb_desk_report_count(desk, "show") + !told;
    if (told)
        run_again(state, desk);
    else
        eb_desk_run(desk, "show %lld", (long long)run);
}

/* ---- keys ---- */

static void diff_marked(const log_state *state, eb_desk *desk)
{
    int64_t baseline = state->runs.marked[0], run = state->runs.marked[1];
    if (baseline < 0)
        baseline = run, run = -1;
    if (run < 0)
        run = eb_list_at(&state->runs);
    if (baseline < 0 || run < 0 || baseline == run)
        eb_desk_say(desk, EB_TONE_NOTE,
                    "mark the baseline with the space bar, then the run to judge (or put the cursor on it)");
    else
        eb_desk_run(desk, "diff %lld %lld", (long long)baseline, (long long)run);
}

static void list_all(log_state *state, eb_desk *desk)
{
    state->show_sessions = false;
    eb_desk_run(desk, "runs limit=%d", MOST_RUNS);
}

static void toggle_sessions(log_state *state, eb_desk *desk)
{
    state->show_sessions = !state->show_sessions;
    eb_desk_look_away(desk);
    if (state->show_sessions)
        eb_desk_run(desk, "sessions");
}

/* Keys for the session at the cursor. */
static bool session_key(log_state *state, eb_desk *desk, eb_key key, long long at)
{
    if (eb_key_is(key, 'n')) {
        eb_desk_type(desk, "note ");
        return true;
    }
    if (at < 0)
        return false;
    if (eb_key_is(key, EB_ENTER)) {
        state->show_sessions = false;
        eb_desk_run(desk, "runs session=%lld limit=%d", at, MOST_RUNS);
    } else if (eb_key_is(key, 'R'))
        eb_desk_run(desk, "replay %lld", at);
    else if (eb_key_is(key, 'e'))
        eb_desk_type(desk, "export session=%lld ", at);
    else
        return false;
    return true;
}

/* Keys for the run at the cursor. */
static bool run_key(log_state *state, eb_desk *desk, eb_key key, long long at)
{
    if (eb_key_is(key, 'D')) {
        diff_marked(state, desk);
        return true;
    }
    if (at < 0)
        return false;
    if (eb_key_is(key, ' '))
        eb_list_mark(&state->runs);
    else if (eb_key_is(key, EB_ENTER))
        eb_desk_run(desk, "show %lld", at);
    else if (eb_key_is(key, 'R'))
        begin_again(state, desk, at);
    else if (eb_key_is(key, 'x'))
        eb_desk_show(desk, "explain run %lld", at);
    else if (eb_key_is(key, 'n'))
        eb_desk_type(desk, "note run=%lld ", at);
    else
        return false;
    return true;
}

static bool detail_key(log_state *state, eb_key key, eb_rect about)
{
    bool shift = (key.modifiers & EB_SHIFT) != 0, here = eb_rect_has(about, key.x, key.y);
    int page = about.height > 2 ? about.height - 2 : 1;
    if (eb_key_closes(key))
        state->detail = DETAIL_NONE;
    else if (eb_key_is(key, '['))
        state->top -= page;
    else if (eb_key_is(key, ']'))
        state->top += page;
    else if ((key.code == EB_KEY_UP && shift) || (key.code == EB_KEY_WHEEL_UP && here))
        state->top -= 1 + 2 * !shift;
    else if ((key.code == EB_KEY_DOWN && shift) || (key.code == EB_KEY_WHEEL_DOWN && here))
        state->top += 1 + 2 * !shift;
    else
        return false;
    return true; /* drawing limits top to the report */
}

static bool log_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    log_state *state = panel_state;
    eb_rect list, about;
    follow(state, desk);
    divide(state, area, &list, &about);
    long long at = eb_list_at(list_of(state));
    if (list_of(state)->typing && eb_list_key(list_of(state), key, list))
        return true;
    if (has_detail(state) && detail_key(state, key, about))
        return true;
    if (state->show_sessions ? session_key(state, desk, key, at) : run_key(state, desk, key, at))
        return true;
    bool leaves = eb_key_closes(key) && state->show_sessions && !eb_list_is_arranged(&state->sessions);
    if (eb_key_is(key, 'S') || leaves)
        toggle_sessions(state, desk);
    else if (eb_key_is(key, 'a'))
        list_all(state, desk);
    else if (eb_key_is(key, 'e'))
        eb_desk_type(desk, "export ");
    else if (eb_key_is(key, 'C') && !state->show_sessions)
        eb_desk_type(desk, "set keep log_columns=%s",
                     eb_desk_facts(desk)->log_columns[0] ? eb_desk_facts(desk)->log_columns : EB_LOG_COLUMNS);
    else
        return eb_list_key(list_of(state), key, list);
    return true;
}

static bool log_typing(const void *panel_state)
{
    const log_state *state = panel_state;
    return state->show_sessions ? state->sessions.typing : state->runs.typing;
}

static bool log_arrange(void *panel_state, const eb_desk *desk, const char *command, const eb_arrangement *wanted)
{
    log_state *state = panel_state;
    const bool runs = strcmp(command, "runs") == 0;
    follow(state, desk);
    if (!runs && strcmp(command, "sessions") != 0)
        return false;
    eb_list_arrange(runs ? &state->runs : &state->sessions, wanted);
    return true;
}

static const char *log_column(void *panel_state, const eb_desk *desk)
{
    follow(panel_state, desk);
    return eb_list_sorted_by(list_of(panel_state));
}

/* ---- the panel ---- */

static unsigned long measured(const eb_desk *desk)
{
    static const char *const runners[] = {"join", "compare", "ablate", "counters"};
    unsigned long count = 0;
    for (size_t k = 0; k < sizeof runners / sizeof runners[0]; k++)
        count += eb_desk_report_count(desk, runners[k]);
    return count;
}

static void log_shown(void *panel_state, eb_desk *desk)
{
    log_state *state = panel_state;
    unsigned long now = measured(desk);
    follow(state, desk);
    run_again(state, desk);
    if (strcmp(eb_desk_facts(desk)->log, "no log") == 0)
        return;
    bool listed = state->asked || eb_desk_report_count(desk, "runs") > 0;
    if ((listed && now == state->measured) || state->show_sessions)
        return;
    state->asked = true;
    state->measured = now;
    state->own = true;
    eb_desk_ask(desk, "runs limit=%d", MOST_RUNS);
}

static void *log_create(void)
{
    log_state *state = calloc(1, sizeof *state);
    if (state) {
        eb_list_init(&state->runs, EB_F(run));
        eb_list_init(&state->sessions, EB_F(session));
        state->again = -1;
    }
    return state;
}

static void log_destroy(void *panel_state)
{
    log_state *state = panel_state;
    if (state) {
        eb_list_free(&state->runs);
        eb_list_free(&state->sessions);
    }
    free(state);
}

const eb_panel eb_panel_log = {
    .name = "log",
    .title = "Log",
    .about = "Every run of every session: find it, look at it, compare it with another, run it again.",
    .empty = "No runs yet. Every run is kept in the session log with its trials, and is found again here.",
    .begin = {{"compare " EB_FAST " " EB_TRUE " S=64", "two runs: one of each engine"},
              {"runs", "lists them anew; `sessions` lists the sessions"}},
    .of_points = true,
    .hint = {{"Enter", "show"},
             {"x", "explain"},
             {"/", "filter"},
             {"< > r", "sort"},
             {"Space", "mark"},
             {"D", "diff"},
             {"R", "run again"},
             {"n", "note"},
             {"e", "export"},
             {"S", "sessions"},
             {"a", "all runs"},
             {"C", "columns"},
             {"[ ]", "scroll"}},
    .create = log_create,
    .destroy = log_destroy,
    .shown = log_shown,
    .draw = log_draw,
    .key = log_key,
    .typing = log_typing,
    .arrange = log_arrange,
    .column = log_column,
};
