/* workbench_keys: sends each key to the overlay, the panel or the command line. */
#include <stdlib.h>
#include <string.h>

#include "draw/utf8.h"
#include "shell/history.h"
#include "ui/terminal/line.h"
#include "ui/terminal/screen.h"
#include "ui/workbench_state.h"

/* ---- the command line ---- */

/* Returns the focus to the panel whose key began the line that has ended. */
static void give_keys_back(eb_workbench *w)
{
    if (w->lent)
        w->focus = EB_FOCUS_PANEL;
    w->lent = false;
}

/* True if the panel in front keeps the line from running. */
static bool panel_holds(const eb_workbench *w, const char *line)
{
    const eb_panel *panel = eb_panel_at(w->front);
    return panel->holds && w->view[w->front] && panel->holds(w->view[w->front], w->desk, line);
}

static void end_line(eb_workbench *w, char *line)
{
    give_keys_back(w);
    bool said = line && line[strspn(line, " \t")] != '\0';
    if (said)
        eb_history_add(line); /* before eb_line_begin, which starts at the end of the history */
    eb_line_begin(w->prompt, NULL);
    if (said) {
        if (!panel_holds(w, line))
            eb_workbench_type(w, line);
    } else if (!line) { /* Ctrl-D */
        w->shell->quitting = !w->in_line;
        if (w->in_line)
            eb_workbench_ask_to_leave(w);
    }
    free(line);
}

static void line_key(eb_workbench *w, eb_key key)
{
    char *line;
    if (eb_line_key(key, &line))
        end_line(w, line);
    char *offers = eb_line_offers();
    if (offers)
        eb_overlay_text(&w->overlay, "Completions", offers);
    else if (w->overlay.kind == EB_OVERLAY_TEXT)
        eb_overlay_close(&w->overlay);
}

/* ---- panels ---- */

static eb_rect area_of(const eb_workbench *w, size_t panel)
{
    return eb_rect_inside(panel == w->front ? w->layout.panel : w->layout.second);
}

static bool panel_key(eb_workbench *w, eb_key key)
{
    const eb_panel *panel = eb_panel_at(w->front);
    return w->view[w->front] && panel->key(w->view[w->front], w->desk, key, area_of(w, w->front));
}

static bool panel_types(const eb_workbench *w)
{
    const eb_panel *panel = eb_panel_at(w->front);
    return panel->typing && w->view[w->front] && panel->typing(w->view[w->front]);
}

/* Clears the message: it belongs to the panel under which it was said. `messages` still lists it. */
static void choose_panel(eb_workbench *w, size_t panel)
{
    if (panel != w->front)
        eb_desk_say(w->desk, EB_TONE_NOTE, "%s", "");
    eb_workbench_bring(w, panel);
}

/* Handles keys that choose a panel, wherever the focus is. */
static bool chooses_panel(eb_workbench *w, eb_key key)
{
    size_t wanted = eb_panel_count();
    if (key.code == EB_KEY_FUNCTION && key.character >= 2)
        wanted = key.character - 2;
    else if (key.code == EB_KEY_CHARACTER && key.modifiers == EB_META && key.character >= '1' && key.character <= '9')
        wanted = key.character - '1';
    if (wanted >= eb_panel_count())
        return false;
    eb_overlay_close(&w->overlay);
    choose_panel(w, wanted);
    return true;
}

static void next_panel(eb_workbench *w, size_t step) { choose_panel(w, (w->front + step) % eb_panel_count()); }

/* A letter without a meaning in this panel is reported, not typed into the command line: in another panel the same
 * letter may be a key. */
static void say_no_key(eb_workbench *w, uint32_t character)
{
    char letter[8] = "";
    (void)eb_utf8_encode(character, letter);
    eb_desk_say(w->desk, EB_TONE_WARNING, "%s is no key of %s; `:` is the command line, `?` lists the keys",
                character == ' ' ? "Space" : letter, eb_panel_at(w->front)->title);
    w->no_key = eb_desk_said(w->desk);
}

/* Explains the words on the panel, beginning with the column that its list is sorted by. */
static void explain_panel(eb_workbench *w)
{
    const eb_panel *panel = eb_panel_at(w->front);
    const char *column = panel->column && w->view[w->front] ? panel->column(w->view[w->front], w->desk) : NULL;
    eb_overlay_help(&w->overlay, true);
    w->overlay.help.column = column ? eb_term_of_title(column) : NULL;
}

/* Shows the tables of the panel's reports as lists. */
static void show_lists(eb_workbench *w)
{
    const eb_panel *panel = eb_panel_at(w->front);
    if (!eb_overlay_lists(&w->overlay, w->desk, panel->name))
        eb_desk_say(w->desk, EB_TONE_NOTE, "no report of %s has a table yet", panel->title);
}

/* Handles a key that the focused panel did not use. */
static void leftover_key(eb_workbench *w, eb_key key)
{
    bool character = key.code == EB_KEY_CHARACTER && key.modifiers == 0;
    if (character && key.character >= '1' && key.character < '1' + eb_panel_count()) {
        choose_panel(w, key.character - '1');
    } else if (eb_key_is(key, EB_TAB)) {
        next_panel(w, 1);
    } else if (key.code == EB_KEY_BACK_TAB) {
        next_panel(w, eb_panel_count() - 1);
    } else if (eb_key_is(key, 'W' & 31)) {
        w->two = !w->two;
        if (w->two && w->beside == w->front)
            w->beside = (w->front + 1) % eb_panel_count();
        if (w->two && w->layout.panel.width < EB_WIDE)
            eb_desk_say(w->desk, EB_TONE_NOTE, "two panels side by side need %d columns", (int)EB_WIDE);
    } else if (eb_key_is(key, 'T')) {
        show_lists(w);
    } else if (eb_key_is(key, '?')) {
        explain_panel(w);
    } else if (eb_key_is(key, 'P')) {
        eb_workbench_type_plot(w);
    } else if (eb_key_is(key, EB_ESCAPE)) {
        /* nothing is open */
    } else if (character && key.character >= ' ' && key.character != ':') {
        say_no_key(w, key.character);
    } else {
        w->focus = EB_FOCUS_LINE;
        if (!(character && (key.character == ':' || key.character == EB_ENTER)))
            line_key(w, key);
    }
}

/* ↑ and ↓ choose in a panel that offers choices; elsewhere they recall earlier lines, as Ctrl-P always does. */
static bool arrow_chooses(const eb_workbench *w, eb_key key)
{
    return (key.code == EB_KEY_UP || key.code == EB_KEY_DOWN) && eb_workbench_invites(w);
}

/* Keys without a meaning on an empty command line, which go to the panel. */
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

static void tab_clicked(eb_workbench *w, int x)
{
    int column = w->layout.tabs.x;
    for (size_t k = 0; k < eb_panel_count(); k++) {
        char text[64];
        int width = eb_workbench_tab(w, k, text, sizeof text);
        if (x >= column && x < column + width) {
            eb_overlay_close(&w->overlay);
            choose_panel(w, k);
        }
        column += width;
    }
}

static void mouse_key(eb_workbench *w, eb_key key)
{
    const eb_layout *l = &w->layout;
    if (w->overlay.kind != EB_OVERLAY_NONE && eb_rect_has(l->panel, key.x, key.y)) {
        if (key.code == EB_KEY_CLICK && w->overlay.kind != EB_OVERLAY_LISTS)
            eb_overlay_close(&w->overlay);
        else
            (void)eb_overlay_key(&w->overlay, key, l->panel);
    } else if (key.code == EB_KEY_CLICK && eb_rect_has(l->tabs, key.x, key.y)) {
        tab_clicked(w, key.x);
    } else if (key.code == EB_KEY_CLICK && eb_rect_has(l->line, key.x, key.y)) {
        w->focus = EB_FOCUS_LINE;
    } else if (eb_rect_has(l->second, key.x, key.y)) {
        eb_workbench_bring(w, w->beside);
        w->focus = EB_FOCUS_PANEL;
    } else if (eb_rect_has(l->panel, key.x, key.y)) {
        if (key.code == EB_KEY_CLICK)
            w->focus = EB_FOCUS_PANEL;
        (void)panel_key(w, key);
    }
}

/* ---- interrupting, overlay, help ---- */

static void stop_what_runs(eb_workbench *w)
{
    if (w->in_line) {
        w->shell->interrupted = true;
        eb_desk_say(w->desk, EB_TONE_WARNING, "stopping %s", w->runs ? eb_desk_running(w->desk) : "");
    }
    eb_desk_forget_commands(w->desk);
    if (!w->in_line) {
        eb_line_clear();
        give_keys_back(w);
    }
    eb_overlay_close(&w->overlay);
}

/* Keys of a list that begin no command, so that they work while the command line is empty. */
static bool is_list_key(const eb_workbench *w, eb_key key)
{
    return w->overlay.kind == EB_OVERLAY_LISTS && (eb_key_is(key, '/') || eb_key_is(key, '<') || eb_key_is(key, '>') ||
                                                   eb_key_is(key, 'C') || eb_key_is(key, EB_TAB));
}

/* True if the overlay used the key: Esc closes it; Enter and q close it while the command line is empty. Other
 * characters go to the command line, so that a person can read and type; typing closes completion's list. */
static bool overlay_key(eb_workbench *w, eb_key key)
{
    bool character = key.code == EB_KEY_CHARACTER && !eb_key_is(key, EB_ESCAPE);
    bool line = w->focus == EB_FOCUS_LINE;
    if (w->overlay.kind == EB_OVERLAY_NONE ||
        (line && w->overlay.kind == EB_OVERLAY_TEXT && !eb_key_is(key, EB_ESCAPE)))
        return false;
    if (eb_overlay_types(&w->overlay))
        return eb_overlay_key(&w->overlay, key, w->layout.panel);
    if (eb_key_is(key, 'T') && w->overlay.kind == EB_OVERLAY_REPORT && (!line || eb_line_empty()))
        return eb_overlay_lists(&w->overlay, w->desk, NULL);
    const bool paces = (eb_overlay_has_turns(&w->overlay) && eb_overlay_is_pace(key)) || is_list_key(w, key);
    const bool closes = eb_key_is(key, EB_ENTER) || (eb_key_is(key, 'q') && w->overlay.kind != EB_OVERLAY_TEXT);
    if (line && character && !(eb_line_empty() && (closes || paces)))
        return false;
    if (line && !eb_line_empty() && (key.code == EB_KEY_LEFT || key.code == EB_KEY_RIGHT))
        return false; /* moves the cursor in the typed text */
    w->closed_by_q = line && eb_key_is(key, 'q');
    return eb_overlay_key(&w->overlay, key, w->layout.panel);
}

/* Types the q that closed an overlay if a u follows it: the person meant `quit` or `queue`. */
static void type_swallowed_q(eb_workbench *w, eb_key key)
{
    if (w->closed_by_q && eb_key_is(key, 'u') && w->focus == EB_FOCUS_LINE && eb_line_empty())
        eb_line_insert("q");
    w->closed_by_q = false;
}

static bool asks_for_help(eb_workbench *w, eb_key key)
{
    bool f1 = key.code == EB_KEY_FUNCTION && key.character == 1;
    if (!f1 && !(w->focus == EB_FOCUS_LINE && eb_line_empty() && eb_key_is(key, '?')))
        return key.code == EB_KEY_FUNCTION; /* other function keys are ignored */
    if (f1)
        eb_overlay_help(&w->overlay, false);
    else
        explain_panel(w);
    return true;
}

static void focused_panel_key(eb_workbench *w, eb_key key)
{
    if (!panel_key(w, key) && !panel_types(w))
        leftover_key(w, key);
}

static void focused_line_key(eb_workbench *w, eb_key key)
{
    bool page = key.code == EB_KEY_PAGE_UP || key.code == EB_KEY_PAGE_DOWN;
    if (eb_key_is(key, EB_ESCAPE))
        w->focus = EB_FOCUS_PANEL;
    else if (page || (eb_line_empty() && (line_lends(key) || arrow_chooses(w, key))))
        (void)panel_key(w, key);
    else
        line_key(w, key);
}

/* ---- pasting ---- */

/* Pasted text goes to the command line, wherever the focus is. Pasted lines are separate commands that run after Enter;
 * a newline is inserted only when more text follows it. */
static void pasted_key(eb_workbench *w, eb_key key)
{
    char text[8] = "";
    if (key.code != EB_KEY_CHARACTER || key.modifiers != 0)
        return;
    if (key.character == EB_ENTER || key.character == '\n') {
        w->pasted_newline = !eb_line_empty();
        return;
    }
    (void)eb_utf8_encode(key.character == EB_TAB ? ' ' : key.character, text);
    if (key.character != EB_TAB && key.character < ' ')
        return;
    if (w->pasted_newline)
        eb_line_insert("\n");
    w->pasted_newline = false;
    eb_line_insert(text);
}

/* True if the key was part of a paste. */
static bool pastes(eb_workbench *w, eb_key key)
{
    if (key.code == EB_KEY_PASTE || key.code == EB_KEY_PASTE_END) {
        w->pasting = key.code == EB_KEY_PASTE;
        w->pasted_newline = false;
        if (w->pasting) {
            eb_overlay_close(&w->overlay);
            w->focus = EB_FOCUS_LINE;
        }
        return true;
    }
    if (w->pasting)
        pasted_key(w, key);
    return w->pasting;
}

/* Handles a key of the line typed below the slides; the line's report replaces the slides (workbench.c). */
static void typing_key(eb_workbench *w, eb_key key)
{
    if (eb_key_is(key, EB_ESCAPE) || eb_key_is(key, 'C' & 31) || eb_key_is(key, EB_ENTER))
        w->slides.types = false;
    if (eb_key_is(key, 'C' & 31))
        eb_line_clear();
    else if (!eb_key_is(key, EB_ESCAPE))
        line_key(w, key);
}

/* The first Ctrl-C stops the running line, the next one closes the slides. */
static void slides_key(eb_workbench *w, eb_key key)
{
    if (w->slides.types)
        typing_key(w, key);
    else if (eb_key_is(key, 'C' & 31) && w->in_line)
        stop_what_runs(w);
    else if (eb_key_is(key, 'L' & 31) && !w->in_memory)
        eb_screen_resize();
    else
        eb_slide_show_key(&w->slides, key);
}

void eb_workbench_key(eb_workbench *w, eb_key key)
{
    w->stale = true;
    if (w->no_key > 0 && w->no_key == eb_desk_said(w->desk))
        eb_desk_say(w->desk, EB_TONE_NOTE, "%s", ""); /* the message was about the key before */
    w->no_key = 0;
    w->read = w->said_at_key = eb_desk_said(w->desk);
    if (eb_workbench_in_slides(w) && key.code != EB_KEY_PASTE && !w->pasting) {
        slides_key(w, key);
        return;
    }
    if (pastes(w, key))
        return;
    type_swallowed_q(w, key);
    if (eb_key_is(key, 'C' & 31))
        stop_what_runs(w);
    else if (eb_key_is(key, 'L' & 31) && !w->in_memory)
        eb_screen_resize(); /* draws the whole screen anew */
    else if (key.code == EB_KEY_CLICK || key.code == EB_KEY_WHEEL_UP || key.code == EB_KEY_WHEEL_DOWN)
        mouse_key(w, key);
    else if (!chooses_panel(w, key) && !asks_for_help(w, key) && !overlay_key(w, key)) {
        if (w->focus == EB_FOCUS_PANEL)
            focused_panel_key(w, key);
        else
            focused_line_key(w, key);
    }
    char *text = eb_desk_typed(w->desk);
    if (text) { /* a panel has begun a command line */
        eb_line_clear();
        eb_line_begin(w->prompt, text);
        w->lent = w->focus == EB_FOCUS_PANEL;
        w->focus = EB_FOCUS_LINE;
        free(text);
    }
}
