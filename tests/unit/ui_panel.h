/* ui_panel: a panel on a separate desk: key presses, the commands it requests, and screens compared with those in
 * tests/unit/screens. EPSBENCH_WRITE_SCREENS=1 rewrites the screens; review the difference. Header-only. */
#pragma once

#include <math.h>

#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"
#include "ui/panels/panel.h"

typedef struct ui_panel {
    const eb_panel *panel;
    void *state;
    eb_desk *desk;
    eb_rect area; /* of the last draw, as the workbench passes it to key */
} ui_panel;

static inline ui_panel ui_open(const eb_panel *panel)
{
    ui_panel p = {.panel = panel, .state = panel->create(), .desk = eb_desk_new(), .area = {0, 0, 78, 17}};
    assert_non_null(p.state);
    assert_non_null(p.desk);
    return p;
}

static inline void ui_close(ui_panel *p)
{
    p->panel->destroy(p->state);
    eb_desk_free(p->desk);
}

static inline void ui_take(ui_panel *p, eb_report *report)
{
    assert_true(eb_report_ok(report));
    eb_desk_take_report(p->desk, report);
}

static inline void ui_look(ui_panel *p)
{
    if (p->panel->shown)
        p->panel->shown(p->state, p->desk);
}

/* Presses a script of keys (keys.h); the panel must handle all of them. */
static inline void ui_press(ui_panel *p, const char *script)
{
    eb_key key;
    const char *error = NULL;
    while (eb_key_parse(script, &script, &key, &error))
        if (!p->panel->key(p->state, p->desk, key, p->area))
            fail_msg("a key before \"%s\" was not for the panel", script);
    assert_null(error);
}

static inline bool ui_wants(ui_panel *p, const char *script)
{
    eb_key key;
    const char *error = NULL;
    assert_true(eb_key_parse(script, &script, &key, &error));
    return p->panel->key(p->state, p->desk, key, p->area);
}

/* The commands requested since the last call, oldest first, NULL at the end. */
static inline void ui_expect_commands(ui_panel *p, ...)
{
    va_list list;
    va_start(list, p);
    for (const char *expected; (expected = va_arg(list, const char *));) {
        char *found = eb_desk_next_command(p->desk);
        if (!found)
            fail_msg("no command instead of \"%s\"", expected);
        assert_string_equal(found, expected);
        free(found);
    }
    va_end(list);
    char *more = eb_desk_next_command(p->desk);
    if (more)
        fail_msg("a command more: \"%s\"", more);
}

static inline void ui_expect_typed(ui_panel *p, const char *expected)
{
    char *typed = eb_desk_typed(p->desk);
    assert_non_null(typed);
    assert_string_equal(typed, expected);
    free(typed);
}

static inline char *ui_dump(const eb_canvas *canvas)
{
    char *text = NULL;
    size_t size = 0;
    eb_status status = {0};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_canvas_dump(canvas, out, &status), EB_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Returns, on the heap, the focused panel drawn on a full screen. */
static inline char *ui_screen(ui_panel *p, int width, int height, bool unicode)
{
    eb_canvas canvas = {.unicode = unicode};
    eb_status status = {0};
    assert_int_equal(eb_canvas_resize(&canvas, width, height, &status), EB_OK);
    p->area = eb_canvas_rect(&canvas);
    p->panel->draw(p->state, p->desk, &canvas, p->area, true);
    char *text = ui_dump(&canvas);
    eb_canvas_free(&canvas);
    return text;
}

static inline void ui_expect_seen(ui_panel *p, int width, int height, const char *part)
{
    char *text = ui_screen(p, width, height, true);
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in\n%s", part, text);
    free(text);
}

static inline void ui_expect_unseen(ui_panel *p, int width, int height, const char *part)
{
    char *text = ui_screen(p, width, height, true);
    if (strstr(text, part))
        fail_msg("\"%s\" is in\n%s", part, text);
    free(text);
}

static inline char *ui_read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    int c;
    FILE *in = fopen(path, "r"), *out = open_memstream(&text, &size);
    assert_non_null(out);
    while (in && (c = getc(in)) != EOF)
        (void)putc(c, out);
    assert_int_equal(fclose(out), 0);
    if (in)
        (void)fclose(in);
    return text;
}

/* Compares with the screen NAME-WxH.txt. */
static inline void ui_expect_screen(ui_panel *p, const char *name, int width, int height, bool unicode)
{
    char path[256];
    (void)snprintf(path, sizeof path, "tests/unit/screens/%s-%dx%d.txt", name, width, height);
    char *found = ui_screen(p, width, height, unicode);
    if (getenv("EPSBENCH_WRITE_SCREENS")) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        (void)fputs(found, out);
        assert_int_equal(fclose(out), 0);
    }
    char *expected = ui_read_file(path);
    if (strcmp(found, expected) != 0)
        fail_msg("%s: found\n%sexpected\n%s", path, found, expected);
    free(found);
    free(expected);
}

/* Compares at a panel's sizes on terminals of 80 × 24, 120 × 40 and 200 × 60. */
static inline void ui_expect_screens(ui_panel *p, const char *name)
{
    ui_expect_screen(p, name, 78, 17, true);
    ui_expect_screen(p, name, 118, 33, true);
    ui_expect_screen(p, name, 198, 53, true);
}

enum { UI_SENTINEL = 0x263A };

/* Draws at every size up to 100 × 40: only the panel's area changes, and ASCII mode draws only ASCII. */
static inline void ui_expect_inside(ui_panel *p)
{
    eb_canvas canvas = {.unicode = true};
    eb_status status = {0};
    assert_int_equal(eb_canvas_resize(&canvas, 106, 45, &status), EB_OK);
    for (int height = 0; height <= 40; height++)
        for (int width = 0; width <= 100; width++) {
            eb_rect area = {3, 2, width, height};
            if (left_out((size_t)(height * 101 + width)))
                continue;
            canvas.unicode = (width + height) % 2 == 0;
            for (int k = 0; k < canvas.width * canvas.height; k++)
                canvas.cell[k] = (eb_cell){.character = UI_SENTINEL, .role = EB_ROLE_TEXT};
            p->panel->draw(p->state, p->desk, &canvas, area, width % 2 == 0);
            for (int k = 0; k < canvas.width * canvas.height; k++) {
                eb_cell cell = canvas.cell[k];
                bool inside = eb_rect_has(area, k % canvas.width, k / canvas.width);
                if (!inside && (cell.character != UI_SENTINEL || cell.combining || cell.role != EB_ROLE_TEXT))
                    fail_msg("%d x %d: wrote at column %d, row %d", width, height, k % canvas.width, k / canvas.width);
                if (!canvas.unicode && cell.character > 126 && cell.character != UI_SENTINEL)
                    fail_msg("%d x %d: U+%04X on an ASCII canvas", width, height, (unsigned)cell.character);
                if (cell.role >= EB_ROLES)
                    fail_msg("%d x %d: role %d", width, height, cell.role);
            }
        }
    eb_canvas_free(&canvas);
}
