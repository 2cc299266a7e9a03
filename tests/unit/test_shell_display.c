/* A shell's display: it gets events in order and running results in between, and keys are handled meanwhile. */
#include <unistd.h>

#include "core/report/find.h"
#include "shell/background/live.h"
#include "shell/dispatch.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

typedef struct seen {
    eb_shell shell;
    char story[4096];
    int keyboard[2];
    unsigned inputs, live_reports, live_trials, live_curves, live_targets;
    bool running, cancel_when_live;
} seen;

static void tell(seen *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(seen *s, const char *format, ...)
{
    size_t used = strlen(s->story);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(s->story + used, sizeof s->story - used, format, arguments);
    va_end(arguments);
}

static void begins(void *context, const eb_call *call)
{
    seen *s = context;
    assert_false(s->running);
    s->running = true;
    tell(s, "<%s|", call->text);
}

static void ends(void *context, const eb_call *call, eb_code outcome, double seconds)
{
    seen *s = context;
    assert_true(s->running && seconds >= 0);
    s->running = false;
    tell(s, "%s>", outcome ? eb_code_name(outcome) : call->command->name);
}

static void report(void *context, eb_report *shown, bool partial)
{
    seen *s = context;
    assert_false(s->running);
    tell(s, "(%s%s)", partial ? "part of " : "", shown->command);
    eb_report_free(shown);
}

static void error(void *context, const char *command, const eb_status *failure)
{
    tell(context, "[%s: %s]", command, failure->message);
}

static void warning(void *context, const char *sentence) { tell(context, "{%s}", sentence); }

static void input(void *context)
{
    seen *s = context;
    char byte;
    assert_int_equal(read(s->keyboard[0], &byte, 1), 1);
    s->inputs++;
    if (byte == 'c')
        s->shell.interrupted = true;
}

static void progress(void *context, const eb_progress *now, eb_report *live)
{
    seen *s = context;
    assert_true(s->running);
    assert_non_null(now->phase);
    if (!live)
        return;
    s->live_reports++;
    s->live_curves += eb_report_find_series(live, EB_KEY("curve")) != NULL;
    s->live_targets += eb_report_find_table(live, EB_KEY("targets")) != NULL;
    for (size_t k = 0; k < live->items; k++) {
        const eb_item *item = live->item[k];
        if (item->kind == EB_FIELD && strcmp(item->key, "trials") == 0 && item->as.field.value.as.u64 > s->live_trials)
            s->live_trials = (unsigned)item->as.field.value.as.u64;
    }
    if (s->live_trials > 0 && s->cancel_when_live)
        assert_int_equal(write(s->keyboard[1], "c", 1), 1);
    s->cancel_when_live &= s->live_trials == 0;
    eb_report_free(live);
}

static eb_code dump(void *context, const char *path, eb_status *status)
{
    tell(context, "dump %s", path);
    return strcmp(path, "refused") == 0 ? eb_fail(status, EB_IO, "no") : EB_OK;
}

static eb_code panel(void *context, const char *name, eb_status *status)
{
    (void)status;
    tell(context, "panel %s", name);
    return EB_OK;
}

static void with_display(void (*test)(seen *))
{
    seen s = {.shell = {.signal_fd = -1}};
    const eb_display display = {.context = &s,
                                .begins = begins,
                                .ends = ends,
                                .report = report,
                                .error = error,
                                .warning = warning,
                                .input = input,
                                .progress = progress,
                                .dump = dump,
                                .panel = panel};
    eb_display mine = display;
    assert_int_equal(pipe(s.keyboard), 0);
    mine.input_fd = s.keyboard[0];
    s.shell.session = eb_session_new();
    s.shell.display = &mine;
    s.shell.live = eb_live_new();
    assert_non_null(s.shell.session);
    assert_non_null(s.shell.live);
    test(&s);
    eb_live_free(s.shell.live);
    eb_session_free(s.shell.session);
    (void)close(s.keyboard[0]);
    (void)close(s.keyboard[1]);
}

static void run_in_order(seen *s)
{
    assert_int_equal(eb_shell_run(&s->shell, "synth uniform 40 3; timer; panel log; dump a.txt", NULL), EB_OK);
    assert_string_equal(s->story, "<synth uniform 40 3|synth>(synth)<timer|timer>(timer)<panel log|panel>panel log"
                                  "<dump a.txt|dump>dump a.txt");
    s->story[0] = '\0';
    assert_int_equal(eb_shell_run(&s->shell, "dump refused; info", NULL), EB_IO);
    assert_string_equal(s->story, "<dump refused|dump>dump refused[dump: no]");
    s->story[0] = '\0';
    assert_int_equal(eb_shell_run(&s->shell, "jion", NULL), EB_USAGE);
    assert_non_null(strstr(s->story, "did you mean join"));
    s->story[0] = '\0';
    assert_int_equal(eb_shell_run(&s->shell, "watch times=2 0 timer", NULL), EB_OK);
    assert_string_equal(s->story, "<watch times=2 0 timer|watch><timer|timer>(timer)<timer|timer>(timer)");
}

static void cancelled(seen *s)
{
    assert_int_equal(eb_shell_run(&s->shell, "synth uniform 2000 8", NULL), EB_OK);
    s->story[0] = '\0';
    s->cancel_when_live = true;
    assert_int_equal(eb_shell_run(&s->shell, "join ref64 eps=0.3 trials=1000; info", NULL), EB_CANCELLED);
    assert_string_equal(s->story, "<join ref64 eps=0.3 trials=1000|cancelled>(part of join)[join: interrupted]");
    assert_true(s->live_reports >= 1);
    assert_int_equal(s->inputs, 1);
    s->shell.interrupted = false;
    assert_int_equal(eb_shell_run(&s->shell, "timer", NULL), EB_OK); /* the next command runs normally */
}

/* A curve of few queries is shown before the command's own report. */
static void curve_comes_early(seen *s)
{
    assert_int_equal(eb_shell_run(&s->shell, "synth uniform 20000 8", NULL), EB_OK);
    assert_int_equal(eb_shell_run(&s->shell, "tune S=16 queries=1000", NULL), EB_OK);
    assert_true(s->live_curves >= 1);
    assert_true(s->live_targets >= 1);
}

static void heard_while_waiting(seen *s)
{
    assert_int_equal(write(s->keyboard[1], "xx", 2), 2);
    assert_true(eb_shell_wait(&s->shell, -1, 0.01));
    assert_int_equal(s->inputs, 2);
    assert_int_equal(write(s->keyboard[1], "x", 1), 1);
    assert_true(eb_shell_wait(&s->shell, s->keyboard[0],
                              -1)); /* eb_shell_wait() on the keyboard leaves reading to its caller */
    assert_int_equal(s->inputs, 2);
    assert_int_equal(write(s->keyboard[1], "c", 1), 1);
    assert_false(eb_shell_wait(&s->shell, -1, 1000));
}

TEST(commands_are_told_in_order) { with_display(run_in_order); }

TEST(a_key_cancels_and_the_rest_is_shown) { with_display(cancelled); }

TEST(a_curve_is_shown_before_the_pass) { with_display(curve_comes_early); }

TEST(the_keyboard_is_heard_while_the_shell_waits) { with_display(heard_while_waiting); }

TEST(without_a_display_there_is_no_screen)
{
    FILE *sink = tmpfile();
    assert_non_null(sink);
    eb_shell shell = {.session = eb_session_new(), .signal_fd = -1, .out = sink, .err = sink};
    assert_non_null(shell.session);
    assert_int_equal(eb_shell_run(&shell, "dump x", NULL), EB_NOT_FOUND);
    assert_int_equal(eb_shell_run(&shell, "panel tune", NULL), EB_NOT_FOUND);
    eb_session_free(shell.session);
    (void)fclose(sink);
}

RUN_TESTS
