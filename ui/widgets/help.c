#include "ui/widgets/help.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "shell/language/command.h"
#include "shell/language/glossary.h"
#include "ui/widgets/page.h"

enum {
    INDENT = 2,
    WIDE = 60, /* from this width on, keys take KEYS_WIDE columns instead of KEYS */
    KEYS_WIDE = 28,
    KEYS = 16,
    NAMES = 14,        /* columns for the names of commands */
    FAR = INT_MAX / 2, /* more lines than the page has */
};

static const eb_hint everywhere[] = {
    {"F2 … F10, Alt-1 … Alt-9", "a panel; in panel keys also 1 … 9 and Tab"},
    {"Esc", "keys go to the panel, not the command line; in a panel: clears a filter or zoom"},
    {":", "keys go to the command line again"},
    {"F1, ? on an empty line", "this help; ? begins with the words on the panel"},
    {"PageUp, PageDown, wheel", "scroll the panel"},
    {"T", "in panel keys: the tables of the panel's reports as lists; Tab shows the next one"},
    {"/ < > r C Left Right",
     "in a list: filter (pairs>1000, engine~exact), sort, reverse, columns, more columns; Esc: all"},
    {"Space", "plays or pauses the order of tiles of `model`; . and , go a step on and back"},
    {"Tab", "on the command line: completes; Up, Down: earlier lines, Ctrl-R searches them"},
    {"Ctrl-C", "stops what runs, keeps what is finished, asks about what waits; clears the line"},
    {"Ctrl-W", "in panel keys: two panels side by side, on wide terminals"},
    {"P", "in panel keys: begins `plot`, which writes the panel's picture for a paper"},
    {"Ctrl-L", "draws the screen anew"},
};

/* ---- the page ---- */

/* The positions of the commands on the page. */
typedef struct sight {
    int lines;          /* of the whole page */
    int at, usage, end; /* of the cursor's command: its line, its usage's first, the next line; −1: no cursor */
    size_t first, last; /* the visible commands; EB_NO_COMMAND: none */
    bool cursor;        /* the cursor's line is visible */
} sight;

static void put_hints(eb_page *page, const char *title, const eb_hint *hints, size_t count, int column)
{
    eb_page_text(page, EB_ROLE_TITLE, 0, title);
    for (size_t k = 0; k < count && hints[k].keys; k++)
        eb_page_pair(page, EB_ROLE_KEY, INDENT, hints[k].keys, column, hints[k].does);
    page->line++;
}

static void put_usage(eb_page *page, const eb_command *command)
{
    char usage[400];
    (void)eb_command_usage(command, usage, sizeof usage);
    eb_page_text(page, EB_ROLE_HINT, page->area.width >= WIDE ? NAMES : 2 * INDENT, usage);
}

static void put_command(eb_page *page, const eb_help_view *view, size_t index, sight *s)
{
    const eb_command *command = eb_command_at(index);
    int row = eb_page_row(page, page->line);
    if (row >= 0) {
        s->first = s->first == EB_NO_COMMAND ? index : s->first;
        s->last = index;
    }
    int at = page->line;
    eb_page_pair(page, EB_ROLE_KEY, INDENT, command->name, NAMES, command->summary);
    if (index != view->cursor)
        return;
    s->cursor = row >= 0;
    s->at = at;
    s->usage = page->line;
    put_usage(page, command);
    s->end = page->line;
    if (row >= 0 && page->canvas) {
        eb_put_cell(page->canvas, page->area, page->area.x, row, EB_ROLE_FOCUS, 0x25B8, '>');
        eb_recolour(page->canvas, (eb_rect){page->area.x, row, page->area.width, 1}, EB_ROLE_SELECTED);
    }
}

static void put_words(eb_page *page, const eb_panel *panel, int column)
{
    char title[80];
    bool begun = false;
    (void)snprintf(title, sizeof title, "Words on %s", panel ? panel->title : "");
    for (size_t k = 0; panel && k < eb_term_count(); k++) {
        const eb_term *term = eb_term_at(k);
        if (!eb_term_is_on(term, panel->name))
            continue;
        if (!begun)
            eb_page_text(page, EB_ROLE_TITLE, 0, title);
        begun = true;
        eb_page_pair(page, EB_ROLE_KEY, INDENT, term->name, column, term->means);
    }
    page->line += begun;
}

static void put_column(eb_page *page, const eb_term *term, int column)
{
    eb_page_text(page, EB_ROLE_TITLE, 0, "The list is sorted by");
    eb_page_pair(page, EB_ROLE_KEY, INDENT, term->name, column, term->means);
    page->line++;
}

static void put_commands(eb_page *page, const eb_help_view *view, sight *s)
{
    const char *group = "";
    for (size_t k = 0; k < eb_command_count(); k++) {
        if (strcmp(group, eb_command_at(k)->group) != 0) {
            page->line += k > 0;
            group = eb_command_at(k)->group;
            eb_page_text(page, EB_ROLE_TITLE, 0, group);
        }
        put_command(page, view, k, s);
    }
    page->line++;
    eb_page_text(page, EB_ROLE_DIM, 0, "help COMMAND explains one, with its arguments and examples");
}

/* Draws the whole page, or, with canvas NULL, only finds out where everything is. */
static sight walk(eb_canvas *canvas, eb_rect area, const eb_help_view *view)
{
    eb_page page = {canvas, view->ascii, area, view->top, 0};
    sight s = {.at = -1, .usage = -1, .end = -1, .first = EB_NO_COMMAND, .last = EB_NO_COMMAND};
    int column = area.width >= WIDE ? KEYS_WIDE : KEYS;
    if (view->column)
        put_column(&page, view->column, column);
    if (view->panel) {
        eb_page_text(&page, EB_ROLE_DIM, 0, view->panel->about);
        page.line++;
        put_hints(&page, view->panel->title, view->panel->hint, EB_MAX_HINTS, column);
    }
    if (view->words_first)
        put_words(&page, view->panel, column);
    put_hints(&page, "Everywhere", everywhere, sizeof everywhere / sizeof everywhere[0], column);
    put_commands(&page, view, &s);
    if (!view->words_first) {
        page.line++;
        put_words(&page, view->panel, column);
        page.line--;
    }
    s.lines = page.line;
    return s;
}

/* ---- cursor and scrolling ---- */

static void keep_inside(eb_help_view *view, int lines, int rows)
{
    int last = lines > rows ? lines - rows : 0;
    view->top = view->top > last ? last : view->top < 0 ? 0 : view->top;
}

/* Moves the cursor to a visible command after the page was scrolled: the first visible one; after scrolling upwards,
 * and at the page's end, the last one, so that the usage that opens below it hides no command. */
static void follow(eb_help_view *view, eb_rect area, bool upwards)
{
    sight s = walk(NULL, area, view);
    keep_inside(view, s.lines, area.height);
    s = walk(NULL, area, view);
    if (s.cursor)
        return;
    /* The usage closes and the lines after it move up: top must stay on its line. */
    if (s.usage >= 0 && view->top > s.usage)
        view->top -= (view->top < s.end ? view->top : s.end) - s.usage;
    view->cursor = EB_NO_COMMAND;
    keep_inside(view, walk(NULL, area, view).lines, area.height);
    s = walk(NULL, area, view);
    bool at_end = view->top > 0 && view->top + area.height >= s.lines;
    view->cursor = upwards || at_end ? s.last : s.first;
}

/* Scrolls so that the cursor's line is visible and, where there is room, its whole usage. */
static void show_cursor(eb_help_view *view, eb_rect area)
{
    sight s = walk(NULL, area, view);
    if (s.end > view->top + area.height)
        view->top = s.end - area.height;
    if (s.at >= 0 && s.at < view->top)
        view->top = s.at;
    keep_inside(view, s.lines, area.height);
}

void eb_help_init(eb_help_view *view, bool words_first)
{
    *view = (eb_help_view){.cursor = EB_NO_COMMAND, .words_first = words_first};
}

int eb_help_draw(eb_canvas *canvas, eb_rect area, eb_help_view *view, const eb_panel *panel)
{
    view->panel = panel;
    view->ascii = !canvas->unicode;
    if (eb_rect_empty(area))
        return 0;
    if (view->cursor != EB_NO_COMMAND && (area.width != view->width || area.height != view->height))
        show_cursor(view, area);
    view->width = area.width;
    view->height = area.height;
    follow(view, area, false);
    return walk(canvas, area, view).lines;
}

/* ---- keys ---- */

static void scroll(eb_help_view *view, eb_rect area, int lines)
{
    view->top += lines;
    follow(view, area, lines < 0);
}

static void step_up(eb_help_view *view, eb_rect area)
{
    if (view->cursor == EB_NO_COMMAND || view->cursor == 0) {
        scroll(view, area, -1);
        return;
    }
    view->cursor--;
    show_cursor(view, area);
}

static void step_down(eb_help_view *view, eb_rect area)
{
    if (view->cursor == EB_NO_COMMAND || view->cursor + 1 >= eb_command_count()) {
        scroll(view, area, 1);
        return;
    }
    view->cursor++;
    show_cursor(view, area);
}

bool eb_help_key(eb_help_view *view, eb_key key, eb_rect area)
{
    int page = area.height > 2 ? area.height - 1 : 1;
    if (key.modifiers)
        return false;
    switch (key.code) {
    case EB_KEY_UP: step_up(view, area); return true;
    case EB_KEY_DOWN: step_down(view, area); return true;
    case EB_KEY_PAGE_UP: scroll(view, area, -page); return true;
    case EB_KEY_PAGE_DOWN: scroll(view, area, page); return true;
    case EB_KEY_WHEEL_UP: scroll(view, area, -3); return true;
    case EB_KEY_WHEEL_DOWN: scroll(view, area, 3); return true;
    case EB_KEY_HOME:
        view->top = 0;
        view->cursor = EB_NO_COMMAND;
        follow(view, area, false);
        return true;
    case EB_KEY_END:
        view->cursor = eb_command_count() - 1;
        scroll(view, area, FAR);
        return true;
    default: return false;
    }
}
