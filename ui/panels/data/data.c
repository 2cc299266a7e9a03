/* The panel Data: shape, values and norms of the points and what FP16 would change; the histogram of values; the points
 * along their first two principal axes. It also has the list of files to load. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/format.h"
#include "draw/plots/plot.h"
#include "draw/utf8.h"
#include "shell/language/load_line.h"
#include "ui/panels/data/invitation.h"
#include "ui/widgets/list_view.h"
#include "ui/widgets/report_view.h"

enum {
    BESIDE = 64,       /* from this width on, text and plots stand side by side */
    BOTH_PLOTS = 14,   /* least rows of two plots, one below the other */
    BOTH_BESIDE = 110, /* least columns of two plots side by side */
    PLOT_ROWS = 6,     /* least rows of a plot */
    TEXT_LEAST = 30,
    TEXT_MOST = 60,
    FEW_VALUES = 1 << 22, /* up to this many values `info` runs without a key: it takes less than half a second */
};

typedef enum shown { SHOW_BOTH, SHOW_VALUES, SHOW_POINTS, SHOWN } shown;

typedef struct data_state {
    int top; /* first line of the text shown */
    shown plots;
    bool log_counts;
    bool files; /* the list of files is shown */
    eb_list list;
    unsigned long asked;               /* serial of the dataset for which the panel asked for info and project */
    unsigned long listed, told, drawn; /* reports of files, info and project seen so far */
    unsigned long known;               /* serial of the dataset of which both info and project were there */
    eb_invitation invitation;
} data_state;

/* ---- reports ---- */

/* The command's last report; NULL if it is of another dataset. */
static const eb_report *current(const eb_desk *desk, const char *command)
{
    bool mine = eb_desk_report_serial(desk, command) == eb_desk_facts(desk)->dataset_serial;
    return mine ? eb_desk_report(desk, command) : NULL;
}

static const eb_table *files_of(const eb_desk *desk)
{
    return eb_report_find_table(eb_desk_report(desk, "files"), EB_F(files));
}

static void follow(data_state *state, const eb_desk *desk)
{
    unsigned long listed = eb_desk_report_count(desk, "files"), told = eb_desk_report_count(desk, "info");
    unsigned long drawn = eb_desk_report_count(desk, "project");
    eb_list_follow(&state->list, files_of(desk), listed);
    bool again = state->known == eb_desk_facts(desk)->dataset_serial; /* the first reports come unasked */
    if (state->listed != listed)
        state->files = true;
    else if (again && (state->told != told || state->drawn != drawn))
        state->files = false;
    if (again && state->drawn != drawn && state->plots == SHOW_VALUES)
        state->plots = SHOW_BOTH;
    if (current(desk, "info") && current(desk, "project"))
        state->known = eb_desk_facts(desk)->dataset_serial;
    state->listed = listed;
    state->told = told;
    state->drawn = drawn;
}

/* ---- drawing ---- */

/* Draws the facts that are known before `info` has read every value. */
static void draw_facts(eb_canvas *canvas, eb_rect area, const eb_facts *facts)
{
    eb_report *report = eb_report_new("info");
    int top = 0;
    EB_FIELDS(report, {EB_F(source_dataset), eb_text(facts->dataset)}, {EB_F(n), eb_uint(facts->n)},
              {EB_F(d), eb_uint(facts->d)}, {EB_F(dtype), eb_text(facts->dtype)});
    (void)eb_draw_report(canvas, area, report, EB_PARTS_TEXT, &top);
    eb_report_free(report);
}

static bool is_long_source(const eb_item *item, int width)
{
    return item->kind == EB_FIELD && strcmp(item->key, "source") == 0 && item->as.field.value.kind == EB_TEXT &&
           eb_text_width(item->as.field.value.as.text) > width * 3 / 2;
}

/* Draws the report with a long path at its end, so that the verdict on FP16 is visible at once; the status line has the
 * file's name. */
static void draw_info(eb_canvas *canvas, eb_rect area, const eb_report *info, int *top)
{
    eb_report ordered = *info;
    eb_item *last = NULL;
    size_t count = 0;
    ordered.item = calloc(info->items + 1, sizeof(eb_item *));
    for (size_t k = 0; ordered.item && k < info->items; k++)
        if (is_long_source(info->item[k], area.width))
            last = info->item[k];
        else
            ordered.item[count++] = info->item[k];
    if (last)
        ordered.item[count] = last;
    (void)eb_draw_report(canvas, area, ordered.item ? &ordered : info, EB_PARTS_TEXT, top);
    free(ordered.item);
}

static void draw_text(data_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    const eb_report *info = current(desk, "info");
    if (info)
        draw_info(canvas, area, info, &state->top);
    else
        draw_facts(canvas, area, eb_desk_facts(desk));
}

/* Draws a title; returns the area below it. */
static eb_rect titled(eb_canvas *canvas, eb_rect area, const char *title)
{
    (void)eb_put_short(canvas, area, area.x, area.y, EB_ROLE_TITLE, title);
    return (eb_rect){area.x, area.y + 1, area.width, area.height - 1};
}

static void draw_missing(const eb_desk *desk, eb_canvas *canvas, eb_rect area, const char *command)
{
    bool coming = strncmp(eb_desk_running(desk), command, strlen(command)) == 0;
    (void)eb_putf(canvas, area, area.x, area.y, EB_ROLE_DIM, coming ? "being computed" : "Enter: `%s` shows it",
                  command);
}

static void draw_values(const data_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    const eb_histogram_view view = {.low = NAN, .high = NAN, .log = state->log_counts};
    const eb_series *values = eb_report_find_series(current(desk, "info"), EB_F(values));
    eb_rect body = titled(canvas, area, "Values");
    if (values)
        eb_draw_histogram(canvas, body, values, &view);
    else
        draw_missing(desk, canvas, body, "info");
}

/* Draws "a setosa  b versicolor  …", as many labels as fit. */
static void draw_legend(const eb_table *labels, eb_canvas *canvas, eb_rect row)
{
    int x = row.x;
    for (size_t k = 0; labels && k < labels->rows; k++) {
        const char *mark = eb_text_at(labels, k, EB_F(mark));
        const char *label = eb_text_at(labels, k, EB_F(label));
        int width = 2 + eb_text_width(label);
        int sign = k + 1 < labels->rows ? 3 : 0; /* columns for the sign that there are more */
        if (x + width + sign > row.x + row.width) {
            eb_put_cell(canvas, row, x, row.y, EB_ROLE_DIM, 0x2026, '~');
            return;
        }
        (void)eb_putf(canvas, row, x, row.y, eb_mark_role(mark[0]), "%s %s", mark, label);
        x += width + 2;
    }
}

static void draw_points(const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    const eb_report *report = current(desk, "project");
    const eb_series *points = eb_report_find_series(report, EB_F(projection));
    eb_rect body = titled(canvas, area, "Principal axes");
    if (!points) {
        draw_missing(desk, canvas, body, "project");
        return;
    }
    char first[32], second[32], shares[96];
    (void)eb_format_value(first, sizeof first, eb_report_find_field(report, EB_F(first_share)), EB_PERCENT);
    (void)eb_format_value(second, sizeof second, eb_report_find_field(report, EB_F(second_share)), EB_PERCENT);
    int x = area.x + (int)sizeof "Principal axes";
    (void)snprintf(shares, sizeof shares, "%s + %s of variance", first, second);
    (void)eb_put_short(canvas, (eb_rect){area.x, area.y, area.width, 1}, x, area.y, EB_ROLE_DIM, shares);
    if (points->mark && body.height > PLOT_ROWS) {
        draw_legend(eb_report_find_table(report, EB_F(labels)), canvas, (eb_rect){body.x, body.y, body.width, 1});
        body.y++;
        body.height--;
    }
    eb_draw_series(canvas, body, points);
}

static void draw_plots(const data_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    eb_rect first = area, second = area;
    bool beside = area.width >= BOTH_BESIDE, both = state->plots == SHOW_BOTH && (beside || area.height >= BOTH_PLOTS);
    if (eb_rect_empty(area))
        return;
    if (both && beside) {
        first.width = (area.width - 2) / 2;
        second.x += first.width + 2;
        second.width -= first.width + 2;
    } else if (both) {
        first.height = area.height / 2;
        second.y += first.height;
        second.height -= first.height;
    }
    if (both || state->plots != SHOW_POINTS)
        draw_values(state, desk, canvas, first);
    if (both || state->plots == SHOW_POINTS)
        draw_points(desk, canvas, second);
}

static void draw_dataset(data_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area)
{
    eb_rect text = area, plots = area;
    if (area.width >= BESIDE) {
        int wanted = area.width * 2 / 5;
        text.width = wanted < TEXT_LEAST ? TEXT_LEAST : wanted < TEXT_MOST ? wanted : TEXT_MOST;
        plots.x += text.width + 2;
        plots.width -= text.width + 2;
    } else {
        text.height = area.height >= 2 * PLOT_ROWS ? area.height / 2 : area.height;
        plots.y += text.height;
        plots.height -= text.height;
    }
    draw_text(state, desk, canvas, text);
    draw_plots(state, desk, canvas, plots);
}

static void draw_files(data_state *state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    char title[512] = "Files";
    eb_value folder = eb_report_find_field(eb_desk_report(desk, "files"), EB_F(folder));
    if (!state->list.table) {
        draw_missing(desk, canvas, area, "files");
        return;
    }
    const eb_item *item = eb_report_find(eb_desk_report(desk, "files"), EB_TABLE, EB_F(files));
    if (folder.kind == EB_TEXT) /* the table's title says how the command has arranged it */
        (void)snprintf(title, sizeof title, "Files of %s%s%s", folder.as.text, item->title[0] ? " " : "", item->title);
    if (state->list.table->rows == 0)
        (void)eb_put_wrapped(canvas, titled(canvas, area, title), EB_ROLE_DIM,
                             "no file here that `load` knows by its name");
    else
        eb_list_draw(&state->list, canvas, area, title, focused);
}

static void data_draw(void *panel_state, const eb_desk *desk, eb_canvas *canvas, eb_rect area, bool focused)
{
    data_state *state = panel_state;
    follow(state, desk);
    if (eb_rect_empty(area))
        return;
    if (state->files)
        draw_files(state, desk, canvas, area, focused);
    else if (eb_desk_facts(desk)->has_dataset)
        draw_dataset(state, desk, canvas, area);
    else
        eb_invitation_draw(&state->invitation, desk, canvas, area);
}

/* ---- keys ---- */

/* Loads file `name` of the folder; false if the path is too long. */
static bool load_path(eb_desk *desk, const char *folder, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s%s", folder, strcmp(folder, "/") == 0 || !folder[0] ? "" : "/", name);
    char *line = length >= 0 && (size_t)length < sizeof path ? eb_load_line(path) : NULL;
    bool said = line != NULL;
    if (said)
        eb_desk_run(desk, "%s", line);
    free(line);
    return said;
}

static void load_file(data_state *state, eb_desk *desk)
{
    if (!state->list.table)
        return;
    size_t row = eb_list_row(&state->list);
    const char *name = eb_text_at(state->list.table, row, EB_F(name));
    const char *reason = eb_text_at(state->list.table, row, EB_F(reason));
    const char *folder = eb_text_of(eb_desk_report(desk, "files"), EB_F(folder));
    if (row == EB_NO_TABLE_ROW || !name[0])
        return;
    if (reason[0])
        eb_desk_say(desk, EB_TONE_WARNING, "%s cannot be loaded: %s", name, reason);
    else if (load_path(desk, folder, name))
        state->files = false;
    else
        eb_desk_say(desk, EB_TONE_ERROR, "the path of %s is too long", name);
}

static void show_files(data_state *state, eb_desk *desk)
{
    state->files = !state->files;
    state->list.typing = EB_LIST_MOVES;
    if (!state->files)
        return;
    eb_desk_run(desk, "files"); /* lists the folder anew each time */
}

static bool files_key(data_state *state, eb_desk *desk, eb_key key, eb_rect area)
{
    if (eb_list_key(&state->list, key, area))
        return true;
    if (eb_key_is(key, EB_ENTER))
        load_file(state, desk);
    else if (eb_key_closes(key))
        state->files = false;
    else
        return false;
    return true;
}

static bool scroll(data_state *state, eb_key key, eb_rect area)
{
    int page = area.height > 2 ? area.height - 1 : 1;
    switch (key.code) {
    case EB_KEY_UP: state->top -= 1; break;
    case EB_KEY_DOWN: state->top += 1; break;
    case EB_KEY_WHEEL_UP: state->top -= 3; break;
    case EB_KEY_WHEEL_DOWN: state->top += 3; break;
    case EB_KEY_PAGE_UP: state->top -= page; break;
    case EB_KEY_PAGE_DOWN: state->top += page; break;
    case EB_KEY_HOME: state->top = 0; break;
    default: return false;
    }
    state->top = state->top < 0 ? 0 : state->top; /* drawing limits it to the last line */
    return true;
}

/* Runs info and project where their reports are missing; false if none is missing. */
static bool ask_for_missing(eb_desk *desk)
{
    static const char *const commands[] = {"info", "project"};
    bool any = false;
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++)
        if (!current(desk, commands[k])) {
            eb_desk_run(desk, "%s", commands[k]);
            any = true;
        }
    return any;
}

static bool data_key(void *panel_state, eb_desk *desk, eb_key key, eb_rect area)
{
    data_state *state = panel_state;
    follow(state, desk);
    if (state->files && files_key(state, desk, key, area))
        return true;
    if (eb_key_is(key, 'f'))
        show_files(state, desk);
    else if (state->files)
        return false;
    else if (!eb_desk_facts(desk)->has_dataset)
        return eb_invitation_key(&state->invitation, desk, key, area);
    else if (eb_key_is(key, EB_ENTER))
        return !eb_desk_busy(desk) && ask_for_missing(desk);
    else if (eb_key_is(key, 'v'))
        state->plots = (shown)((state->plots + 1) % SHOWN);
    else if (eb_key_is(key, 'l'))
        state->log_counts = !state->log_counts;
    else
        return scroll(state, key, area);
    return true;
}

static bool data_typing(const void *panel_state)
{
    const data_state *state = panel_state;
    return (state->files && state->list.typing) || state->invitation.list.typing;
}

static bool data_invites(const void *panel_state, const eb_desk *desk)
{
    const data_state *state = panel_state;
    return !eb_desk_facts(desk)->has_dataset || state->files;
}

/* ---- the panel ---- */

static void data_shown(void *panel_state, eb_desk *desk)
{
    data_state *state = panel_state;
    const eb_facts *facts = eb_desk_facts(desk);
    follow(state, desk);
    if (!facts->has_dataset)
        eb_invitation_shown(&state->invitation, desk);
    if (!facts->has_dataset || eb_desk_busy(desk) || state->asked == facts->dataset_serial)
        return;
    state->asked = facts->dataset_serial;
    state->top = 0;
    if (facts->n > FEW_VALUES / (facts->d > 0 ? facts->d : 1))
        return; /* too many values: the person presses Enter */
    if (!current(desk, "info"))
        eb_desk_ask(desk, "info");
    if (!current(desk, "project"))
        eb_desk_ask(desk, "project");
}

static const eb_hint *data_hints(const void *panel_state)
{
    static const eb_hint files[] = {{"Enter", "load"}, EB_LIST_HINTS, {"f", "back"}, {NULL, NULL}};
    return ((const data_state *)panel_state)->files ? files : NULL;
}

static const char *data_column(void *panel_state, const eb_desk *desk)
{
    data_state *state = panel_state;
    follow(state, desk);
    return state->files ? eb_list_sorted_by(&state->list) : NULL;
}

static void *data_create(void)
{
    data_state *state = calloc(1, sizeof *state);
    if (state) {
        eb_list_init(&state->list, NULL);
        eb_list_init(&state->invitation.list, NULL);
    }
    return state;
}

static void data_destroy(void *panel_state)
{
    data_state *state = panel_state;
    if (state) {
        eb_list_free(&state->list);
        eb_list_free(&state->invitation.list);
    }
    free(state);
}

static const char *data_pictured(void *panel_state, const eb_desk *desk)
{
    static const char *const of[SHOWN] = {"info|project", "info", "project"};
    return eb_desk_newest(desk, of[((const data_state *)panel_state)->plots]);
}

const eb_panel eb_panel_data = {
    .name = "data",
    .title = "Data",
    .about = "The points: shape, values, norms, what FP16 makes of them, and how they lie along their first two "
             "principal axes.",
    .empty = "No dataset yet: choose one, or `load FILE`; f lists the files here.",
    .hint = {{"f", "files"},
             {"↑/↓", "scroll"},
             {"v", "other plot"},
             {"l", "log scale"},
             {"Enter", "load the chosen file"},
             EB_LIST_HINTS},
    .create = data_create,
    .destroy = data_destroy,
    .shown = data_shown,
    .draw = data_draw,
    .key = data_key,
    .pictured = data_pictured,
    .typing = data_typing,
    .invites = data_invites,
    .takes = "load it",
    .hints = data_hints,
    .column = data_column,
};
