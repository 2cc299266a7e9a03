/* The panels together: each is there once, every command's panel is among them, and what an empty one advises can be
 * typed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/language/command.h"
#include "ui/panels/panel.h"

static size_t panels_named(const char *name)
{
    size_t count = 0;
    for (size_t k = 0; k < eb_panel_count(); k++)
        count += strcmp(eb_panel_at(k)->name, name) == 0;
    return count;
}

static void every_panel_has_a_name_of_its_own(void **state)
{
    (void)state;
    assert_true(eb_panel_count() > 0);
    for (size_t k = 0; k < eb_panel_count(); k++)
        assert_int_equal(panels_named(eb_panel_at(k)->name), 1);
}

static void a_command_names_a_panel_that_exists(void **state)
{
    (void)state;
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

static void every_panel_shows_some_command(void **state)
{
    (void)state;
    for (size_t k = 0; k < eb_panel_count(); k++)
        if (!shows_a_command(eb_panel_at(k)->name))
            fail_msg("no command's reports are shown in %s", eb_panel_at(k)->name);
}

/* A word alone only names a command. */
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

/* The commands in `backquotes`. */
static void what_an_empty_panel_advises_can_be_typed(void **state)
{
    char line[256];
    size_t advised = 0;
    (void)state;
    for (size_t k = 0; k < eb_panel_count(); k++)
        for (const char *at = eb_panel_at(k)->empty; (at = strchr(at, '`')); advised++) {
            const char *end = strchr(++at, '`');
            assert_non_null(end);
            (void)snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
            expect_command(line);
            at = end + 1;
        }
    assert_true(advised >= eb_panel_count());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_panel_has_a_name_of_its_own),
        cmocka_unit_test(a_command_names_a_panel_that_exists),
        cmocka_unit_test(every_panel_shows_some_command),
        cmocka_unit_test(what_an_empty_panel_advises_can_be_typed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
