#include "ui/widgets/browser.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/report/find.h"
#include "shell/language/command.h"

enum { LINE = 256 };

/* ---- the tables ---- */

static bool is_listed(const eb_item *item)
{
    return item->kind == EB_TABLE && item->title && item->as.table.look == EB_AS_TABLE && item->as.table.rows > 0;
}

bool eb_has_lists(const eb_report *report)
{
    for (size_t k = 0; report && k < report->items; k++)
        if (is_listed(report->item[k]))
            return true;
    return false;
}

/* The panel's newest report that is older than the stamp; NULL: none. *stamp: its own. */
static const eb_report *older_report(const eb_desk *desk, const char *panel, unsigned long *stamp)
{
    const eb_report *found = NULL;
    unsigned long newest = 0;
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        const unsigned long own = eb_desk_report_stamp(desk, command->name);
        if (!command->panel || strcmp(command->panel, panel) != 0 || own >= *stamp || own <= newest)
            continue;
        newest = own;
        found = eb_desk_report(desk, command->name);
    }
    *stamp = newest;
    return found;
}

bool eb_panel_has_lists(const eb_desk *desk, const char *panel)
{
    unsigned long stamp = ULONG_MAX;
    for (const eb_report *report; (report = older_report(desk, panel, &stamp)) != NULL;)
        if (eb_has_lists(report))
            return true;
    return false;
}

/* One of the browser's tables. */
typedef struct place {
    const eb_report *report;
    const eb_item *item;
    size_t index; /* among all */
} place;

/* Calls `take` for each table until it returns true; the table is then in *p. */
static bool walk_report(const eb_report *report, place *p, bool (*take)(const place *, const void *),
                        const void *context)
{
    for (size_t k = 0; k < report->items; k++) {
        if (!is_listed(report->item[k]))
            continue;
        p->report = report;
        p->item = report->item[k];
        if (take(p, context))
            return true;
        p->index++;
    }
    return false;
}

static bool walk(const eb_browser *b, place *p, bool (*take)(const place *, const void *), const void *context)
{
    unsigned long stamp = ULONG_MAX;
    *p = (place){.index = 0};
    if (b->report)
        return walk_report(b->report, p, take, context);
    for (const eb_report *report; (report = older_report(b->desk, b->panel, &stamp)) != NULL;)
        if (walk_report(report, p, take, context))
            return true;
    return false;
}

static bool has_index(const place *p, const void *context) { return p->index == *(const size_t *)context; }

static bool is_shown(const place *p, const void *context)
{
    const eb_browser *b = context;
    return strcmp(p->report->command, b->command) == 0 && strcmp(p->item->key, b->table) == 0;
}

static bool is_never(const place *p, const void *context)
{
    (void)p;
    (void)context;
    return false;
}

static size_t count_tables(const eb_browser *b)
{
    place p;
    (void)walk(b, &p, is_never, NULL);
    return p.index;
}

static unsigned long count_of(const eb_browser *b, const place *p)
{
    return b->report ? 1 : eb_desk_report_count(b->desk, p->report->command);
}

static void show(eb_browser *b, const place *p)
{
    (void)snprintf(b->command, sizeof b->command, "%s", p->report->command);
    (void)snprintf(b->table, sizeof b->table, "%s", p->item->key);
    eb_list_free(&b->list);
    eb_list_init(&b->list, NULL);
    eb_list_follow(&b->list, &p->item->as.table, count_of(b, p));
}

/* The shown table as it is now; the first one if it is gone. False: there is none. */
static bool follow(eb_browser *b, place *p)
{
    const size_t first = 0;
    if (walk(b, p, is_shown, b)) {
        eb_list_follow(&b->list, &p->item->as.table, count_of(b, p));
        return true;
    }
    if (!walk(b, p, has_index, &first))
        return false;
    show(b, p);
    return true;
}

bool eb_browser_open(eb_browser *browser, eb_desk *desk, const char *panel, const eb_report *report)
{
    place p;
    *browser = (eb_browser){.desk = desk, .panel = panel, .report = report};
    eb_list_init(&browser->list, NULL);
    return follow(browser, &p);
}

void eb_browser_close(eb_browser *browser)
{
    eb_list_free(&browser->list);
    *browser = (eb_browser){.desk = NULL};
}

/* ---- arranging as asked at the prompt ---- */

typedef struct asked {
    const char *command;
    const eb_arrangement *wanted;
    eb_status *status;
    bool *checked; /* the status is of the command's first table */
} asked;

static bool can_be_arranged(const place *p, const void *context)
{
    const asked *a = context;
    const eb_table *table = &p->item->as.table;
    if (strcmp(p->report->command, a->command) != 0)
        return false;
    const eb_code failed =
        eb_arrangement_check(a->wanted, (eb_column_set){table->columns, table->column}, *a->checked ? NULL : a->status);
    *a->checked = true;
    return failed == EB_OK;
}

eb_code eb_browser_arrange(eb_browser *browser, const char *command, const eb_arrangement *wanted, eb_status *status)
{
    place p;
    bool checked = false;
    if (!walk(browser, &p, can_be_arranged, &(asked){command, wanted, status, &checked}))
        return checked ? status->code : eb_fail(status, EB_USAGE, "there is no list to arrange in this report");
    show(browser, &p);
    eb_list_arrange(&browser->list, wanted);
    return EB_OK;
}

/* ---- what a row offers ---- */

/* Lines for the rows of a table: {NAME} stands for the row's value, else for a field of the report. The first line
 * whose values are all known is offered. */
static const struct {
    const char *table, *line;
} lines[] = {
    {"boundary", "explain {i} {j} {fast} eps={eps}"},
    {"boundary", "explain {i} {j} eps={eps}"},
    {"cells", "show {run}"},
    {"datasets", "{line}"},
    {"devices", "set device={device}"},
    {"engines", "help {engine}"},
    {"lessons", "lesson {lesson}"},
    {"levels", "dbscan eps={eps} minpts={minpts}"},
    {"nearest", "knn {point}"},
    {"neighbours", "neighbours {point} eps={eps}"},
    {"points", "compare eps={eps}"},
    {"runs", "show {run}"},
    {"sessions", "runs session={session}"},
    {"targets", "compare eps={eps}"},
    {"waiting", "queue drop={number}"},
};

static bool put_value(const place *p, size_t row, const char *name, char *line, size_t *used)
{
    char number[32];
    const eb_column key = {.key = name};
    eb_value value = eb_table_value(&p->item->as.table, row, &key);
    if (eb_value_missing(value))
        value = eb_report_find_field(p->report, &key);
    const double x = eb_value_number(value);
    if (value.kind != EB_TEXT && isnan(x))
        return false;
    const char *text = value.kind == EB_TEXT ? value.as.text : eb_format_exact(number, sizeof number, x);
    const int written = snprintf(line + *used, LINE - *used, "%s", text);
    *used += written > 0 ? (size_t)written : 0;
    return *used < LINE;
}

/* Fills in the line; false: a value is not known. */
static bool fill_in(const place *p, size_t row, const char *form, char line[LINE])
{
    char name[32];
    size_t used = 0;
    for (const char *at = form; *at; at++) {
        if (*at != '{') {
            line[used++] = *at;
            continue;
        }
        const size_t length = strcspn(at, "}");
        (void)snprintf(name, sizeof name, "%.*s", (int)length - 1, at + 1);
        if (!put_value(p, row, name, line, &used))
            return false;
        at += length;
    }
    line[used] = '\0';
    return true;
}

/* The line that the row at the cursor offers; false: none. */
static bool offered(const eb_browser *b, const place *p, char line[LINE])
{
    const size_t row = eb_list_row(&b->list);
    for (size_t k = 0; row != EB_NO_TABLE_ROW && k < sizeof lines / sizeof lines[0]; k++)
        if (strcmp(lines[k].table, p->item->key) == 0 && fill_in(p, row, lines[k].line, line))
            return true;
    return false;
}

/* ---- drawing ---- */

static int put_keys(eb_canvas *canvas, eb_rect row, const eb_hint *keys, size_t count)
{
    int x = row.x + 1;
    for (size_t k = 0; k < count; k++)
        x = eb_put_hint(canvas, row, x, &keys[k]);
    return x;
}

/* Draws the keys, and then, where there is room, the command that the row offers. */
static void draw_hints(const eb_browser *b, const place *p, eb_canvas *canvas, eb_rect row)
{
    static const eb_hint typing[] = {{"Enter", "keeps it"}, {"Tab", "completes"}, {"Esc", "drops it"}};
    const eb_hint keys[] = {{"Esc", eb_list_is_arranged(&b->list) ? "all" : "closes"}, EB_LIST_HINTS, {"Tab", "next"}};
    const size_t count = sizeof keys / sizeof keys[0] - (count_tables(b) < 2);
    enum { LEAST = 14 };
    char line[LINE];
    eb_fill(canvas, row, EB_ROLE_HINT);
    if (b->list.typing) {
        (void)put_keys(canvas, row, typing, sizeof typing / sizeof typing[0]);
        return;
    }
    int x = put_keys(canvas, row, keys, count);
    if (row.x + row.width - x < LEAST || !offered(b, p, line))
        return;
    x += eb_put(canvas, row, x, row.y, EB_ROLE_KEY, "Enter") + 1;
    (void)eb_put_short(canvas, row, x, row.y, EB_ROLE_HINT, line);
}

void eb_browser_draw(eb_browser *browser, eb_canvas *canvas, eb_rect area, eb_rect hints)
{
    place p;
    char title[160];
    const size_t all = count_tables(browser);
    if (!follow(browser, &p))
        return;
    const char *own = p.item->title[0] ? p.item->title : p.report->command;
    if (all > 1)
        (void)snprintf(title, sizeof title, "%zu/%zu %s", p.index + 1, all, own);
    else
        (void)snprintf(title, sizeof title, "%s", own);
    eb_list_draw(&browser->list, canvas, area, title, true);
    draw_hints(browser, &p, canvas, hints);
}

/* ---- keys ---- */

static void next_table(eb_browser *b, const place *p, bool back)
{
    place next;
    const size_t all = count_tables(b), step = back ? all - 1 : 1, index = all > 0 ? (p->index + step) % all : 0;
    if (walk(b, &next, has_index, &index))
        show(b, &next);
}

eb_browsed eb_browser_key(eb_browser *browser, eb_key key, eb_rect area)
{
    place p;
    char line[LINE];
    if (!follow(browser, &p))
        return EB_BROWSE_LEAVE;
    if (eb_list_key(&browser->list, key, area))
        return EB_BROWSE_USED;
    if (eb_key_is(key, EB_TAB) || key.code == EB_KEY_BACK_TAB)
        next_table(browser, &p, key.code == EB_KEY_BACK_TAB);
    else if (eb_key_is(key, EB_ENTER) && offered(browser, &p, line))
        eb_desk_type(browser->desk, "%s", line);
    else
        return EB_BROWSE_UNUSED;
    return eb_key_is(key, EB_ENTER) ? EB_BROWSE_LEAVE : EB_BROWSE_USED;
}
