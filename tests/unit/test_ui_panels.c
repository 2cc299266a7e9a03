/* All panels: each exists once, every command's panel exists, and commands advised by an empty panel can be typed. */

#include "shell/language/command.h"
#include "tests/unit/test.h"
#include "ui/panels/panel.h"

static size_t panels_named(const char *name)
{
    size_t count = 0;
    for (size_t k = 0; k < eb_panel_count(); k++)
        count += strcmp(eb_panel_at(k)->name, name) == 0;
    return count;
}

TEST(every_panel_has_a_name_of_its_own)
{
    assert_true(eb_panel_count() > 0);
    for (size_t k = 0; k < eb_panel_count(); k++)
        assert_int_equal(panels_named(eb_panel_at(k)->name), 1);
}

TEST(a_command_names_a_panel_that_exists)
{
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        if (command->panel && panels_named(command->panel) == 0)
            fail_msg("%s: there is no panel %s", command->name, command->panel);
    }
}

static bool shows_a_command(const char *panel)
{
    for (size_t k = 0; k < eb_command_count(); k++)
        if (eb_command_at(k)->panel && strcmp(eb_command_at(k)->panel, panel) == 0)
            return true;
    return false;
}

TEST(every_panel_shows_some_command)
{
    for (size_t k = 0; k < eb_panel_count(); k++)
        if (!shows_a_command(eb_panel_at(k)->name))
            fail_msg("no command's reports are shown in %s", eb_panel_at(k)->name);
}

/* A single word needs only to name a command. */
static void expect_command(const char *line)
{
    const char *rest;
    const eb_command *command;
    eb_status status = {0};
    eb_call *call = NULL;
    eb_code failed =
        strchr(line, ' ') ? eb_parse(line, &rest, &call, &status) : eb_command_find(line, &command, &status);
    if (failed)
        fail_msg("%s: %s", line, status.message);
    eb_call_free(call);
}

/* Checks the commands in `backquotes` and returns their number. */
static size_t expect_quoted_commands(const char *text)
{
    char line[256];
    size_t advised = 0;
    for (const char *at = text; (at = strchr(at, '`')); advised++) {
        const char *end = strchr(++at, '`');
        assert_non_null(end);
        (void)snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        expect_command(line);
        at = end + 1;
    }
    return advised;
}

TEST(what_an_empty_panel_advises_can_be_typed)
{
    for (size_t k = 0; k < eb_panel_count(); k++) {
        const eb_panel *panel = eb_panel_at(k);
        size_t advised = expect_quoted_commands(panel->empty);
        for (size_t step = 0; step < EB_MAX_BEGIN && panel->begin[step].keys; step++, advised++) {
            if (strcmp(panel->begin[step].keys, "Enter") != 0)
                expect_command(panel->begin[step].keys);
            (void)expect_quoted_commands(panel->begin[step].does);
        }
        if (advised == 0)
            fail_msg("%s does not say what to do while it is empty", panel->name);
    }
}

/* Without points a panel first says how to load some, and omits what Enter would do with them. */
TEST(an_empty_panel_says_what_to_do)
{
    for (size_t k = 0; k < eb_panel_count(); k++)
        for (int loaded = 0; loaded < 2; loaded++) {
            eb_canvas canvas = {.unicode = true};
            eb_status status;
            char *text = NULL;
            size_t size = 0;
            eb_desk *desk = eb_desk_new();
            const eb_panel *panel = eb_panel_at(k);
            assert_non_null(desk);
            eb_desk_set_facts(desk, &(eb_facts){.has_dataset = loaded, .dataset_serial = 1, .n = 100000});
            assert_int_equal(eb_canvas_resize(&canvas, 78, 17, &status), EB_OK);
            eb_draw_empty_panel(panel, desk, &canvas, eb_canvas_rect(&canvas));
            FILE *out = open_memstream(&text, &size);
            assert_non_null(out);
            assert_int_equal(eb_canvas_dump(&canvas, out, &status), EB_OK);
            (void)fclose(out);
            assert_int_equal(strstr(text, "load demo:stars") != NULL, panel->of_points && !loaded);
            for (size_t step = 0; step < EB_MAX_BEGIN && panel->begin[step].keys; step++)
                if (strcmp(panel->begin[step].keys, "Enter") != 0 || loaded || !panel->of_points)
                    assert_non_null(strstr(text, panel->begin[step].keys));
            free(text);
            eb_canvas_free(&canvas);
            eb_desk_free(desk);
        }
}

/* The text of the empty panel over n points; the caller frees it. */
static char *said_over(const eb_panel *panel, uint64_t n)
{
    eb_canvas canvas = {.unicode = true};
    eb_status status;
    char *text = NULL;
    size_t size = 0;
    eb_desk *desk = eb_desk_new();
    FILE *out = open_memstream(&text, &size);
    assert_true(desk && out);
    eb_desk_set_facts(desk, &(eb_facts){.has_dataset = true, .dataset_serial = 1, .n = n});
    assert_int_equal(eb_canvas_resize(&canvas, 118, 33, &status), EB_OK);
    eb_draw_empty_panel(panel, desk, &canvas, eb_canvas_rect(&canvas));
    assert_int_equal(eb_canvas_dump(&canvas, out, &status), EB_OK);
    (void)fclose(out);
    eb_canvas_free(&canvas);
    eb_desk_free(desk);
    return text;
}

static void expect_said(const eb_panel *panel, uint64_t n, const char *wanted)
{
    char *text = said_over(panel, n);
    if (!strstr(text, wanted))
        fail_msg("no \"%s\" over %llu points in\n%s", wanted, (unsigned long long)n, text);
    free(text);
}

/* With 40 points no point has 64 neighbours. */
TEST(an_empty_panel_advises_what_so_many_points_can_have)
{
    expect_said(&eb_panel_tune, 100000, "tune S=64 ");
    expect_said(&eb_panel_tune, 100000, "sweep S=16..256 ");
    expect_said(&eb_panel_tune, 150, "tune S=32 ");
    expect_said(&eb_panel_tune, 150, "the ε at which S is 32, exactly");
    expect_said(&eb_panel_tune, 150, "sweep S=2..32 ");
    expect_said(&eb_panel_tune, 40, "tune S=8 ");
    expect_said(&eb_panel_tune, 40, "sweep S=0.5..8 ");
    expect_said(&eb_panel_compare, 40, "compare fasted ref64 S=8 ");
    expect_said(&eb_panel_compare, 40, "join fasted S=8 ");
    expect_said(&eb_panel_accuracy, 2, "compare fasted ref64 S=1 ");
    expect_said(&eb_panel_counters, 2, "counters fasted,ref64 S=1 ");
    expect_said(&eb_panel_lab, 2, "ablate by=add-one-in S=1 ");

    eb_desk *desk = eb_desk_new();
    assert_non_null(desk);
    eb_desk_set_facts(desk, &(eb_facts){.has_dataset = true, .dataset_serial = 1, .n = 40});
    eb_type_first_step(&eb_panel_compare, desk);
    char *typed = eb_desk_typed(desk);
    assert_string_equal(typed, "compare fasted ref64 S=8");
    free(typed);
    eb_desk_free(desk);
}

/* A row of hints as text; the caller frees it. */
static char *hints_at(const eb_panel *panel, int width)
{
    eb_canvas canvas = {.unicode = true};
    eb_status status;
    assert_int_equal(eb_canvas_resize(&canvas, width, 1, &status), EB_OK);
    eb_put_panel_hints(&canvas, eb_canvas_rect(&canvas), panel->hint, false);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(eb_canvas_dump(&canvas, out, &status), EB_OK);
    (void)fclose(out);
    eb_canvas_free(&canvas);
    return text;
}

/* True if the text begins with the hint; advances past it. */
static bool takes_hint(const char **at, const char *keys, const char *does)
{
    char hint[128];
    int length = snprintf(hint, sizeof hint, "%s %s", keys, does);
    if (strncmp(*at, hint, (size_t)length) != 0)
        return false;
    *at += length;
    *at += strspn(*at, " ");
    return true;
}

/* Each hint is complete or absent; if some are absent, the last hints lead back and list all keys. */
TEST(hints_are_never_cut)
{
    for (size_t k = 0; k < eb_panel_count(); k++)
        for (int width = 40; width <= 200; width++) {
            const eb_panel *panel = eb_panel_at(k);
            char *text = hints_at(panel, width);
            const char *at = text;
            size_t shown = 0;
            while (shown < EB_MAX_HINTS && panel->hint[shown].keys &&
                   takes_hint(&at, panel->hint[shown].keys, panel->hint[shown].does))
                shown++;
            bool all = shown == EB_MAX_HINTS || !panel->hint[shown].keys;
            bool line = all && takes_hint(&at, ":", "command line");
            if (!line && !takes_hint(&at, ":", "prompt"))
                fail_msg("%s at %d columns shows no way back: %s", panel->name, width, text);
            if (!takes_hint(&at, "?", line && at[0] == '?' && strstr(at, "? help") ? "help" : "all keys") ||
                at[strspn(at, " \n")] != '\0')
                fail_msg("%s at %d columns: %s", panel->name, width, text);
            free(text);
        }
}

RUN_TESTS
