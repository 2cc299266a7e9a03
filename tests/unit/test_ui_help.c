/* The help overlay: all of its text can be reached, and the selected command shows its usage, at any size. */
#include <ctype.h>

#include "draw/utf8.h"
#include "shell/language/command.h"
#include "shell/language/glossary.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/ui_panel.h"
#include "ui/widgets/help.h"
#include "ui/widgets/overlay.h"
#include "ui/widgets/page.h"

static const eb_panel trial = {
    .name = "trial",
    .title = "Trial",
    .about = "A panel that is there to be explained.",
    .hint = {{"←/→", "move ε"},
             {"Enter", "count exactly"},
             {"x", "something that takes quite some words to be told in full"}},
};

typedef struct help {
    eb_canvas canvas;
    eb_rect area;
    eb_help_view view;
    int lines;
} help;

static void draw(help *h)
{
    eb_canvas_clear(&h->canvas);
    h->lines = eb_help_draw(&h->canvas, h->area, &h->view, &trial);
}

static help open_help(int width, int height, bool unicode)
{
    help h = {.canvas.unicode = unicode, .area = {0, 0, width, height}};
    eb_status status;
    assert_int_equal(eb_canvas_resize(&h.canvas, width, height, &status), EB_OK);
    eb_help_init(&h.view, false);
    draw(&h);
    return h;
}

static void press(help *h, const char *script)
{
    eb_key key;
    const char *error = NULL;
    while (eb_key_parse(script, &script, &key, &error))
        assert_true(eb_help_key(&h->view, key, h->area));
    assert_null(error);
    draw(h);
}

/* The text without blanks and line ends, so that wrapped text can be searched. The caller frees it. */
static char *dense(const char *text)
{
    char *out = malloc(strlen(text) + 1);
    size_t used = 0;
    assert_non_null(out);
    for (; *text; text++)
        if (!isspace((unsigned char)*text))
            out[used++] = *text;
    out[used] = '\0';
    return out;
}

static bool seen(const help *h, const char *text)
{
    char *screen = ui_dump(&h->canvas), *all = dense(screen), *part = dense(text);
    bool found = strstr(all, part) != NULL;
    free(screen);
    free(all);
    free(part);
    return found;
}

/* True if the line with the command's name is on the screen. */
static bool listed(const char *screen, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = screen; *line; line = strchr(line, '\n') + 1) {
        size_t sign = strncmp(line, "▸ ", 4) == 0 ? 4 : 2;
        if (strncmp(line, "  ", 2) != 0 && sign == 2)
            continue;
        if (strncmp(line + sign, name, length) == 0 && (line[sign + length] == ' ' || line[sign + length] == '\n'))
            return true;
    }
    return false;
}

/* The row of the only cursor mark; −1: none. */
static int cursor_row(const help *h)
{
    int row = -1;
    for (int y = 0; y < h->area.height; y++) {
        uint32_t c = h->canvas.cell[(size_t)y * (size_t)h->canvas.width].character;
        if (c == 0x25B8 || c == '>') {
            assert_int_equal(row, -1);
            row = y;
        }
    }
    return row;
}

TEST(all_keys_and_commands_are_in_it)
{
    help h = open_help(200, 300, true);
    assert_true(h.lines < 300);
    assert_true(seen(&h, trial.about) && seen(&h, trial.title));
    for (size_t k = 0; trial.hint[k].keys; k++)
        assert_true(seen(&h, trial.hint[k].keys) && seen(&h, trial.hint[k].does));
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        char line[300];
        (void)snprintf(line, sizeof line, "%s %s", command->name, command->summary);
        if (!seen(&h, line) || !seen(&h, command->group))
            fail_msg("%s is not in the help", command->name);
    }
    eb_canvas_free(&h.canvas);
}

/* Long texts are wrapped, not cut, also at 80 columns in ASCII. */
TEST(nothing_is_cut)
{
    help h = open_help(78, 300, true);
    char *screen = ui_dump(&h.canvas);
    assert_null(strstr(screen, "…\n"));
    assert_non_null(strstr(screen, "\n  ←/→                       move ε\n"));
    free(screen);
    eb_canvas_free(&h.canvas);
    h = open_help(40, 300, false);
    screen = ui_dump(&h.canvas);
    assert_non_null(strstr(screen, "\n  <-/->         move eps\n"));
    assert_non_null(strstr(screen, "  x             something that takes\n"
                                   "                quite some words to be\n"
                                   "                told in full\n"));
    free(screen);
    eb_canvas_free(&h.canvas);
}

static void assert_readable_in_ascii(const char *text)
{
    char *shown = eb_utf8_shown(text, true);
    assert_non_null(shown);
    if (strchr(shown, '?') && !strchr(text, '?'))
        fail_msg("%s becomes %s", text, shown);
    free(shown);
}

TEST(ascii_terminals_can_read_it)
{
    char usage[400];
    for (size_t k = 0; k < eb_panel_count(); k++) {
        const eb_panel *panel = eb_panel_at(k);
        assert_readable_in_ascii(panel->about);
        assert_readable_in_ascii(panel->empty);
        for (size_t i = 0; i < EB_MAX_HINTS && panel->hint[i].keys; i++) {
            assert_readable_in_ascii(panel->hint[i].keys);
            assert_readable_in_ascii(panel->hint[i].does);
        }
    }
    for (size_t k = 0; k < eb_command_count(); k++) {
        assert_readable_in_ascii(eb_command_at(k)->summary);
        assert_readable_in_ascii(eb_command_usage(eb_command_at(k), usage, sizeof usage));
    }
}

static const eb_panel *panel_called(const char *name)
{
    for (size_t k = 0; k < eb_panel_count(); k++)
        if (strcmp(eb_panel_at(k)->name, name) == 0)
            return eb_panel_at(k);
    fail_msg("no panel %s", name);
    return NULL;
}

/* Where a text begins in the panel's help, on a screen with room for all of it; −1: not there. */
static long place_of(const eb_panel *panel, bool words_first, const char *text)
{
    eb_canvas c = {.unicode = true};
    eb_status status;
    eb_help_view view;
    assert_int_equal(eb_canvas_resize(&c, 200, 400, &status), EB_OK);
    eb_help_init(&view, words_first);
    assert_true(eb_help_draw(&c, eb_canvas_rect(&c), &view, panel) < 400);
    char *screen = ui_dump(&c), *all = dense(screen), *part = dense(text), *at = strstr(all, part);
    long place = at ? at - all : -1;
    free(screen);
    free(all);
    free(part);
    eb_canvas_free(&c);
    return place;
}

/* Help explains exactly the panel's terms, after the panel's keys or at the end. */
TEST(words_on_the_panel_are_explained)
{
    const eb_panel *tune = panel_called("tune");
    for (size_t k = 0; k < eb_term_count(); k++) {
        char line[600];
        const eb_term *term = eb_term_at(k);
        (void)snprintf(line, sizeof line, "%s %s", term->name, term->means);
        assert_int_equal(place_of(tune, true, line) >= 0, eb_term_is_on(term, "tune"));
        assert_int_equal(place_of(tune, false, line) >= 0, eb_term_is_on(term, "tune"));
        assert_readable_in_ascii(term->name);
        assert_readable_in_ascii(term->means);
    }
    assert_true(place_of(tune, true, "Words on Tune") > place_of(tune, true, tune->about));
    assert_true(place_of(tune, true, "Words on Tune") < place_of(tune, true, "Everywhere"));
    assert_true(place_of(tune, false, "Words on Tune") > place_of(tune, false, "help COMMAND explains one"));
    assert_int_equal(place_of(&trial, true, "Words on"), -1);
}

TEST(a_column_is_explained_before_all_else)
{
    help h = open_help(80, 12, true);
    h.view.column = eb_term_find("selectivity S");
    draw(&h);
    assert_true(seen(&h, "The list is sorted by"));
    assert_true(seen(&h, h.view.column->means));
    eb_canvas_free(&h.canvas);
}

/* After the commands the page scrolls line by line; on the way back the cursor starts at the last command. */
TEST(words_behind_the_commands_are_reached)
{
    help h = open_help(60, 12, true);
    h.view.panel = panel_called("compare");
    for (int k = 0; k < 2000 && !(h.view.cursor == EB_NO_COMMAND && h.view.top > 100); k++) {
        eb_key key = {.code = EB_KEY_DOWN};
        assert_true(eb_help_key(&h.view, key, h.area));
        (void)eb_help_draw(&h.canvas, h.area, &h.view, panel_called("compare"));
    }
    assert_true(h.view.cursor == EB_NO_COMMAND);
    assert_true(seen(&h, "Words on Compare"));
    while (h.view.cursor == EB_NO_COMMAND)
        assert_true(eb_help_key(&h.view, (eb_key){.code = EB_KEY_UP}, h.area));
    assert_int_equal(h.view.cursor, eb_command_count() - 1);
    eb_canvas_free(&h.canvas);
}

TEST(the_cursor_shows_how_a_command_is_typed)
{
    help h = open_help(76, 15, true);
    char usage[400];
    size_t count = eb_command_count();
    assert_true(h.view.cursor == EB_NO_COMMAND); /* keys come first and fill the area */
    assert_int_equal(h.view.top, 0);
    for (int k = 0; h.view.cursor == EB_NO_COMMAND && k < 100; k++) {
        assert_int_equal(h.view.top, k);
        press(&h, "<Down>");
    }
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(h.view.cursor, k);
        if (k > 0) /* the first may be in sight alone */
            assert_true(seen(&h, eb_command_usage(eb_command_at(k), usage, sizeof usage)));
        assert_true(seen(&h, eb_command_at(k)->summary));
        assert_true(cursor_row(&h) >= 0);
        if (k + 1 < count)
            press(&h, "<Down>");
    }
    press(&h, "<Down><Down><Down><Down>");
    assert_int_equal(h.view.cursor, count - 1);
    assert_int_equal(h.view.top, h.lines - 15);
    for (size_t k = count; k-- > 0;) {
        assert_int_equal(h.view.cursor, k);
        assert_true(seen(&h, eb_command_usage(eb_command_at(k), usage, sizeof usage)));
        if (k > 0)
            press(&h, "<Up>");
    }
    for (int k = 0; k < 100; k++)
        press(&h, "<Up>");
    assert_int_equal(h.view.top, 0);
    assert_true(h.view.cursor == EB_NO_COMMAND);
    press(&h, "<End>");
    assert_int_equal(h.view.cursor, count - 1);
    assert_int_equal(h.view.top, h.lines - 15);
    press(&h, "<Home>");
    assert_int_equal(h.view.top, 0);
    eb_canvas_free(&h.canvas);
}

/* Paging down and up at any size shows every command's line. */
TEST(pages_leave_nothing_out)
{
    static const char *const ways[] = {"<PageDown>", "<Wheel-down 1 1>", "<Down>",
                                       "<PageUp>",   "<Wheel-up 1 1>",   "<Up>"};
    size_t count = eb_command_count();
    for (int width = 20; width <= 100; width += 16)
        for (int height = 1; height <= 33; height += 4)
            for (size_t way = 0; way < 6; way++) {
                if (left_out((size_t)(width / 16 + height / 4) + way))
                    continue;
                if (height < 3 && strstr(ways[way], "Wheel"))
                    continue; /* a wheel notch scrolls three lines */
                help h = open_help(width, height, true);
                bool met[256] = {false};
                assert_true(count <= 256);
                if (way >= 3)
                    press(&h, "<End>");
                for (int step = 0; step < 600; step++) {
                    char *screen = ui_dump(&h.canvas);
                    for (size_t k = 0; k < count; k++)
                        met[k] = met[k] || listed(screen, eb_command_at(k)->name);
                    free(screen);
                    int top = h.view.top;
                    size_t cursor = h.view.cursor;
                    press(&h, ways[way]);
                    if (top == h.view.top && cursor == h.view.cursor)
                        break;
                }
                if (way < 3 ? h.view.top + height != h.lines : h.view.top != 0)
                    fail_msg("%d x %d, %s: stuck at line %d of %d", width, height, ways[way], h.view.top, h.lines);
                for (size_t k = 0; k < count; k++)
                    if (!met[k])
                        fail_msg("%d x %d, %s: %s was never in sight", width, height, ways[way],
                                 eb_command_at(k)->name);
                eb_canvas_free(&h.canvas);
            }
}

/* Any sequence of keys, with the size changing in between. */
TEST(nothing_is_drawn_outside_and_the_cursor_stays_in_sight)
{
    static const char *const keys[] = {"<Down>", "<Down>",   "<PageDown>", "<Up>",
                                       "<End>",  "<PageUp>", "<Down>",     "<Wheel-up 1 1>"};
    eb_canvas c = {.unicode = true};
    eb_status status;
    eb_help_view view;
    eb_help_init(&view, false);
    assert_int_equal(eb_canvas_resize(&c, 90, 40, &status), EB_OK);
    for (int width = 0; width <= 82; width += width < 42 ? 1 : 8)
        for (int height = 0; height <= 34; height += height < 14 ? 1 : 5) {
            eb_rect area = {4, 3, width, height};
            const char *script = keys[(width * 5 + height) % 8], *error;
            eb_key key;
            c.unicode = (width + height) % 3 > 0;
            for (int k = 0; k < 90 * 40; k++)
                c.cell[k] = (eb_cell){.character = UI_SENTINEL, .role = EB_ROLE_BAD};
            eb_fill(&c, area, EB_ROLE_TEXT);
            assert_true(eb_key_parse(script, &script, &key, &error));
            assert_true(eb_help_key(&view, key, area));
            int lines = eb_help_draw(&c, area, &view, &trial), signs = 0;
            for (int k = 0; k < 90 * 40; k++) {
                bool inside = eb_rect_has(area, k % 90, k / 90);
                if (!inside && (c.cell[k].character != UI_SENTINEL || c.cell[k].role != EB_ROLE_BAD))
                    fail_msg("%d x %d: wrote at column %d, row %d", width, height, k % 90, k / 90);
                if (inside && !c.unicode)
                    assert_in_range(c.cell[k].character, 0x20, 0x7E);
                signs += inside && k % 90 == area.x && (c.cell[k].character == 0x25B8 || c.cell[k].character == '>');
            }
            if (eb_rect_empty(area))
                continue;
            assert_int_equal(signs, view.cursor == EB_NO_COMMAND ? 0 : 1);
            assert_true(view.top >= 0 && (view.top == 0 || view.top + height <= lines));
        }
    eb_canvas_free(&c);
}

TEST(the_cursor_stays_where_it_is_when_the_size_changes)
{
    help h = open_help(100, 40, true);
    press(&h, "<PageDown><Down><Down><Down>");
    size_t cursor = h.view.cursor;
    assert_true(cursor != EB_NO_COMMAND && cursor > 0);
    for (int k = 0; k < 200; k++) {
        h.area.width = 20 + k * 37 % 81;
        h.area.height = 1 + k * 11 % 40;
        draw(&h);
        assert_int_equal(h.view.cursor, cursor);
        assert_true(cursor_row(&h) >= 0);
    }
    eb_canvas_free(&h.canvas);
}

TEST(keys_of_others_are_left_alone)
{
    static const char *const others[] = {"<Esc>", "x", "<Enter>", "<Left>", "<S-Down>", "<F2>", "<Tab>", "<Click 2 2>"};
    help h = open_help(60, 10, true);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        const char *rest, *error;
        eb_key key;
        assert_true(eb_key_parse(others[k], &rest, &key, &error));
        assert_false(eb_help_key(&h.view, key, h.area));
    }
    eb_canvas_free(&h.canvas);
}

TEST(the_overlay_hands_keys_to_it)
{
    eb_overlay overlay = {.kind = EB_OVERLAY_NONE};
    eb_canvas c = {.unicode = true};
    eb_status status;
    eb_rect area = {0, 0, 80, 19};
    const char *script = "<PageDown><PageDown><Down>", *error;
    eb_key key;
    assert_int_equal(eb_canvas_resize(&c, 80, 19, &status), EB_OK);
    eb_overlay_help(&overlay, false);
    eb_overlay_draw(&overlay, &c, area, &trial);
    while (eb_key_parse(script, &script, &key, &error))
        assert_true(eb_overlay_key(&overlay, key, area));
    assert_true(overlay.help.cursor != EB_NO_COMMAND);
    size_t cursor = overlay.help.cursor;
    eb_overlay_draw(&overlay, &c, area, &trial);
    assert_int_equal(overlay.help.cursor, cursor);
    char *screen = ui_dump(&c);
    assert_non_null(strstr(screen, "│ ▸ "));
    assert_non_null(strstr(screen, "Esc closes, PageDown shows more"));
    free(screen);
    assert_true(eb_key_parse("q", &script, &key, &error));
    assert_true(eb_overlay_key(&overlay, key, area));
    assert_int_equal(overlay.kind, EB_OVERLAY_NONE);
    eb_canvas_free(&c);
}

/* ---- pages of text ---- */

static void assert_page(int top, const char *expected)
{
    eb_canvas c = {.unicode = true};
    eb_status status;
    assert_int_equal(eb_canvas_resize(&c, 10, 3, &status), EB_OK);
    eb_page page = {&c, false, eb_canvas_rect(&c), top, 0};
    eb_page_text(&page, EB_ROLE_TEXT, 1, "one 日本語 two e\xCC\x81nd ε");
    eb_page_text(&page, EB_ROLE_TEXT, 0, "last");
    char *found = ui_dump(&c);
    assert_string_equal(found, expected);
    assert_int_equal(page.line, 4);
    free(found);
    eb_canvas_free(&c);
}

TEST(pages_are_scrolled_by_lines)
{
    assert_page(0, " one\n 日本語\n two e\xCC\x81nd ε\n");
    assert_page(1, " 日本語\n two e\xCC\x81nd ε\nlast\n");
    assert_page(3, "last\n\n\n");
    assert_page(9, "\n\n\n");
    assert_page(-1, "\n one\n 日本語\n");
}

TEST(pairs_stand_side_by_side_where_there_is_room)
{
    eb_canvas c = {.unicode = true};
    eb_status status;
    assert_int_equal(eb_canvas_resize(&c, 24, 5, &status), EB_OK);
    eb_page page = {&c, false, eb_canvas_rect(&c), 0, 0};
    eb_page_pair(&page, EB_ROLE_KEY, 1, "key", 8, "words that go on and on");
    eb_page_pair(&page, EB_ROLE_KEY, 1, "a key of words", 8, "short");
    assert_int_equal(page.line, 5);
    char *found = ui_dump(&c);
    assert_string_equal(found, " key    words that go on\n        and on\n a key  short\n of\n words\n");
    free(found);
    eb_canvas_clear(&c);
    page.line = 0;
    eb_page_pair(&page, EB_ROLE_KEY, 1, "key", 14, "words");
    found = ui_dump(&c);
    assert_string_equal(found, " key\n   words\n\n\n\n");
    free(found);
    eb_canvas_free(&c);
}

RUN_TESTS
