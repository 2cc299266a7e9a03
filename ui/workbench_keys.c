/* Whose key is it: the overlay's, the panel's or the command line's. */
#include <stdlib.h>
#include <string.h>

#include "shell/history.h"
#include "ui/terminal/line.h"
#include "ui/terminal/screen.h"
#include "ui/workbench_parts.h"

size_t eb_bench_panel_named(const char *name)
{
    size_t k = 0;
    while (k < eb_panel_count() && strcmp(eb_panel_at(k)->name, name) != 0)
        k++;
    return k;
}

void eb_bench_bring(eb_bench *bench, size_t panel)
{
    if (panel >= eb_panel_count())
        return;
    if (panel == bench->beside)
        bench->beside = bench->front;
    bench->front = panel;
    bench->stale = true;
}

/* ---- the command line ---- */

static void end_line(eb_bench *bench, char *line)
{
    bool said = line && line[strspn(line, " \t")] != '\0';
    if (said)
        eb_history_add(line); /* before the next line begins: that is where it looks back from */
    eb_line_begin(bench->prompt, NULL);
    if (said) {
        eb_bench_type(bench, line);
    } else if (!line) { /* Ctrl-D */
        bench->shell->quitting = !bench->runs;
        if (bench->runs)
            eb_bench_type(bench, "quit");
    }
    free(line);
}

static void line_key(eb_bench *bench, eb_key key)
{
    char *line;
    if (eb_line_key(key, &line))
        end_line(bench, line);
    char *offers = eb_line_offers();
    if (offers)
        eb_overlay_text(&bench->overlay, "It may go on with", offers);
    else if (bench->overlay.kind == EB_OVERLAY_TEXT)
        eb_overlay_close(&bench->overlay);
}

/* ---- panels ---- */

static eb_rect area_of(const eb_bench *bench, size_t panel)
{
    return eb_rect_inside(panel == bench->front ? bench->layout.panel : bench->layout.second);
}

static bool panel_key(eb_bench *bench, eb_key key)
{
    const eb_panel *panel = eb_panel_at(bench->front);
    return bench->view[bench->front] &&
           panel->key(bench->view[bench->front], bench->desk, key, area_of(bench, bench->front));
}

static bool panel_types(const eb_bench *bench)
{
    const eb_panel *panel = eb_panel_at(bench->front);
    return panel->typing && bench->view[bench->front] && panel->typing(bench->view[bench->front]);
}

/* Keys that choose a panel, whatever has the focus. */
static bool chooses_panel(eb_bench *bench, eb_key key)
{
    size_t wanted = eb_panel_count();
    if (key.code == EB_KEY_FUNCTION && key.character >= 2)
        wanted = key.character - 2;
    else if (key.code == EB_KEY_CHARACTER && key.modifiers == EB_META && key.character >= '1' && key.character <= '9')
        wanted = key.character - '1';
    if (wanted >= eb_panel_count())
        return false;
    eb_overlay_close(&bench->overlay);
    eb_bench_bring(bench, wanted);
    return true;
}

static void next_panel(eb_bench *bench, size_t step)
{
    eb_bench_bring(bench, (bench->front + step) % eb_panel_count());
}

/* What the panel did not want, in panel focus. */
static void leftover_key(eb_bench *bench, eb_key key)
{
    bool character = key.code == EB_KEY_CHARACTER && key.modifiers == 0;
    if (character && key.character >= '1' && key.character < '1' + eb_panel_count()) {
        eb_bench_bring(bench, key.character - '1');
    } else if (eb_key_is(key, EB_TAB)) {
        next_panel(bench, 1);
    } else if (key.code == EB_KEY_BACK_TAB) {
        next_panel(bench, eb_panel_count() - 1);
    } else if (eb_key_is(key, 'W' & 31)) {
        bench->two = !bench->two;
        if (bench->two && bench->beside == bench->front)
            bench->beside = (bench->front + 1) % eb_panel_count();
        if (bench->two && bench->layout.panel.width < EB_WIDE)
            eb_desk_say(bench->desk, EB_TONE_NOTE, "two panels side by side need %d columns", (int)EB_WIDE);
    } else if (eb_key_is(key, '?')) {
        eb_overlay_help(&bench->overlay);
    } else if (eb_key_is(key, EB_ESCAPE)) {
        /* nothing left to let go of */
    } else {
        bench->focus = EB_FOCUS_LINE;
        if (!(character && (key.character == ':' || key.character == EB_ENTER)))
            line_key(bench, key);
    }
}

/* On an empty line these have nothing to do there: they are the panel's. */
static bool line_lends(eb_key key)
{
    switch (key.code) {
    case EB_KEY_LEFT:
    case EB_KEY_RIGHT:
    case EB_KEY_HOME:
    case EB_KEY_END: return (key.modifiers & EB_META) == 0;
    case EB_KEY_CHARACTER: return eb_key_is(key, EB_ENTER);
    default: return false;
    }
}

/* ---- mouse ---- */

static void tab_clicked(eb_bench *bench, int x)
{
    int column = bench->layout.tabs.x;
    for (size_t k = 0; k < eb_panel_count(); k++) {
        char text[64];
        int width = eb_bench_tab(bench, k, text, sizeof text);
        if (x >= column && x < column + width) {
            eb_overlay_close(&bench->overlay);
            eb_bench_bring(bench, k);
        }
        column += width;
    }
}

static void mouse_key(eb_bench *bench, eb_key key)
{
    const eb_layout *l = &bench->layout;
    if (bench->overlay.kind != EB_OVERLAY_NONE && eb_rect_has(l->panel, key.x, key.y)) {
        if (key.code == EB_KEY_CLICK)
            eb_overlay_close(&bench->overlay);
        else
            (void)eb_overlay_key(&bench->overlay, key, l->panel);
    } else if (key.code == EB_KEY_CLICK && eb_rect_has(l->tabs, key.x, key.y)) {
        tab_clicked(bench, key.x);
    } else if (key.code == EB_KEY_CLICK && eb_rect_has(l->line, key.x, key.y)) {
        bench->focus = EB_FOCUS_LINE;
    } else if (eb_rect_has(l->second, key.x, key.y)) {
        eb_bench_bring(bench, bench->beside);
        bench->focus = EB_FOCUS_PANEL;
    } else if (eb_rect_has(l->panel, key.x, key.y)) {
        if (key.code == EB_KEY_CLICK)
            bench->focus = EB_FOCUS_PANEL;
        (void)panel_key(bench, key);
    }
}

/* ---- all ---- */

static void stop_what_runs(eb_bench *bench)
{
    if (bench->runs) {
        bench->shell->interrupted = true;
        eb_desk_say(bench->desk, EB_TONE_WARNING, "stopping %s", eb_desk_running(bench->desk));
    }
    eb_desk_forget_commands(bench->desk);
    while (bench->typed) {
        eb_typed *next = bench->typed->next;
        free(bench->typed);
        bench->typed = next;
    }
    if (!bench->runs)
        eb_line_clear();
    eb_overlay_close(&bench->overlay);
}

/* The overlay's own keys. What is typed goes on to the command line: one may read and type; and what completion offers
 * goes away as typing goes on. */
static bool overlay_key(eb_bench *bench, eb_key key)
{
    bool character = key.code == EB_KEY_CHARACTER && !eb_key_is(key, EB_ESCAPE);
    bool line = bench->focus == EB_FOCUS_LINE;
    if (bench->overlay.kind == EB_OVERLAY_NONE ||
        (line && bench->overlay.kind == EB_OVERLAY_TEXT && !eb_key_is(key, EB_ESCAPE)))
        return false;
    if (line && character && !(eb_line_empty() && eb_key_is(key, EB_ENTER)))
        return false;
    return eb_overlay_key(&bench->overlay, key, bench->layout.panel);
}

static bool asks_for_help(eb_bench *bench, eb_key key)
{
    bool f1 = key.code == EB_KEY_FUNCTION && key.character == 1;
    if (!f1 && !(bench->focus == EB_FOCUS_LINE && eb_line_empty() && eb_key_is(key, '?')))
        return key.code == EB_KEY_FUNCTION; /* the other function keys mean nothing */
    eb_overlay_help(&bench->overlay);
    return true;
}

static void focused_panel_key(eb_bench *bench, eb_key key)
{
    if (!panel_key(bench, key) && !panel_types(bench))
        leftover_key(bench, key);
}

static void focused_line_key(eb_bench *bench, eb_key key)
{
    bool page = key.code == EB_KEY_PAGE_UP || key.code == EB_KEY_PAGE_DOWN;
    if (eb_key_is(key, EB_ESCAPE))
        bench->focus = EB_FOCUS_PANEL;
    else if (page || (eb_line_empty() && line_lends(key)))
        (void)panel_key(bench, key);
    else
        line_key(bench, key);
}

void eb_bench_key(eb_bench *bench, eb_key key)
{
    bench->stale = true;
    if (eb_key_is(key, 'C' & 31))
        stop_what_runs(bench);
    else if (eb_key_is(key, 'L' & 31) && !bench->in_memory)
        eb_screen_resize(); /* everything is drawn anew */
    else if (key.code == EB_KEY_CLICK || key.code == EB_KEY_WHEEL_UP || key.code == EB_KEY_WHEEL_DOWN)
        mouse_key(bench, key);
    else if (!chooses_panel(bench, key) && !asks_for_help(bench, key) && !overlay_key(bench, key)) {
        if (bench->focus == EB_FOCUS_PANEL)
            focused_panel_key(bench, key);
        else
            focused_line_key(bench, key);
    }
    char *text = eb_desk_typed(bench->desk);
    if (text) { /* a panel begins a line for the person */
        eb_line_clear();
        eb_line_begin(bench->prompt, text);
        bench->focus = EB_FOCUS_LINE;
        free(text);
    }
}
