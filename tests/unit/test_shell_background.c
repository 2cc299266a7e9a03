/* Background commands: lines that are answered while another command runs. A background session of their own runs them
 * and writes to the same log. */
#include <unistd.h>

#include "core/report/find.h"
#include "shell/background/background.h"
#include "shell/background/live.h"
#include "tests/unit/named.h"
#include "tests/unit/test.h"

typedef struct scene {
    eb_shell shell;
    const char *const *lines; /* entered while the job runs */
    bool answered[16], stops;
    size_t entered;
    char said[4096]; /* commands that reported, and error messages */
    unsigned trials; /* in the report of the last `set` */
} scene;

static void tell(scene *s, const char *what)
{
    size_t used = strlen(s->said);
    (void)snprintf(s->said + used, sizeof s->said - used, "[%s]", what);
}

static void begins(void *context, const eb_call *call) { (void)context, (void)call; }

static void ends(void *context, const eb_call *call, eb_code outcome, double seconds)
{
    (void)context, (void)call, (void)outcome, (void)seconds;
}

static void report(void *context, eb_report *shown, bool partial)
{
    scene *s = context;
    (void)partial;
    tell(s, shown->command);
    eb_value trials = eb_report_find_field(shown, EB_KEY("trials"));
    if (strcmp(shown->command, "set") == 0)
        s->trials = (unsigned)trials.as.u64;
    eb_report_free(shown);
}

static void error(void *context, const char *command, const eb_status *failure)
{
    (void)command;
    tell(context, failure->message);
}

static void warning(void *context, const char *sentence) { tell(context, sentence); }
static void input(void *context) { (void)context; }

/* Enters all lines at the first progress report of the job, then stops the job if the scene says so. */
static void progress(void *context, const eb_progress *now, eb_report *live)
{
    scene *s = context;
    (void)now;
    eb_report_free(live);
    for (; s->lines[s->entered]; s->entered++)
        s->answered[s->entered] = eb_shell_background(&s->shell, s->lines[s->entered]);
    s->shell.interrupted = s->stops;
}

static eb_code dump(void *context, const char *path, eb_status *status)
{
    (void)status;
    tell(context, path);
    return EB_OK;
}

static eb_code panel(void *context, const char *name, eb_status *status)
{
    (void)status;
    tell(context, name);
    return EB_OK;
}

static const char log_path[] = "beside.db";

static void open_scene(scene *s, eb_display *display, bool logging)
{
    *s = (scene){.shell = {.signal_fd = -1, .logging = logging, .log_path = log_path}};
    s->shell.build = (eb_build){"1", "c", "f", "gcc"};
    *display = (eb_display){.context = s,
                            .input_fd = -1,
                            .begins = begins,
                            .ends = ends,
                            .report = report,
                            .error = error,
                            .warning = warning,
                            .input = input,
                            .progress = progress,
                            .dump = dump,
                            .panel = panel};
    s->shell.session = eb_session_new();
    s->shell.live = eb_live_new();
    s->shell.background = eb_background_new(s->shell.session);
    static const char *const nothing[] = {NULL};
    s->lines = nothing;
    s->shell.display = display;
    assert_int_equal(eb_shell_run(&s->shell, "synth uniform 3000 8", NULL), EB_OK);
}

static void close_scene(scene *s)
{
    eb_shell_end(&s->shell);
    eb_background_free(s->shell.background);
    eb_session_free(s->shell.session);
    eb_live_free(s->shell.live);
    (void)unlink(log_path);
    (void)unlink("beside.db-wal");
    (void)unlink("beside.db-shm");
}

static void during(scene *s, const char *command, const char *const *lines)
{
    s->lines = lines;
    s->entered = 0;
    s->stops = lines[0] != NULL;
    s->said[0] = '\0';
    (void)eb_shell_run(&s->shell, command, NULL);
    s->shell.interrupted = false;
}

#define LONG "join ref64 eps=0.5 trials=1000 count"

TEST(what_needs_no_engine_is_answered)
{
    scene s;
    eb_display display;
    static const char *const lines[] = {"set trials=77",
                                        "help tune",
                                        "join ref64 eps=0.5",
                                        "set trials=5; info",
                                        "jion",
                                        "set",
                                        "panel log",
                                        "echo a; echo b",
                                        "note elsewhere",
                                        "runs",
                                        "lesson", /* lists the lessons without beginning one */
                                        "lesson swizzle",
                                        NULL};
    static const bool answered[] = {true, true, false, false, true, true, true, true, true, true, true, false};
    open_scene(&s, &display, false);
    unsigned before = s.shell.session->settings.trials;
    during(&s, LONG, lines);
    assert_int_equal(s.entered, 12);
    for (size_t k = 0; k < s.entered; k++)
        if (s.answered[k] != answered[k])
            fail_msg("%s: %d", lines[k], s.answered[k]);
    assert_int_equal(s.trials, 77); /* `set trials=5; info` was not answered, so it set nothing */
    assert_int_equal(s.shell.session->settings.trials, before);
    assert_int_equal(s.shell.background->settings.trials, 77);
    assert_non_null(strstr(s.said, "[set][help]["));
    assert_non_null(strstr(s.said, "did you mean join?"));
    assert_non_null(strstr(s.said, "[log][echo][echo]"));
    assert_non_null(strstr(s.said, "there is no session log"));
    close_scene(&s);
}

TEST(the_log_is_read_and_written)
{
    scene s;
    eb_display display;
    static const char *const lines[] = {"note in between", "runs", "show 1", "sessions", "diff 1 1", NULL};
    open_scene(&s, &display, true);
    during(&s, "join ref64 eps=0.1 trials=1 count", (const char *const[]){NULL});
    during(&s, LONG, lines);
    for (size_t k = 0; k < 5; k++)
        assert_true(s.answered[k]);
    assert_non_null(strstr(s.said, "[note][runs][show][sessions]"));
    assert_true(s.shell.background->session_row == s.shell.session->session_row);
    close_scene(&s);
}

/* A background command may be the first one of its session to be logged. */
TEST(the_two_are_one_session_in_the_log)
{
    scene s;
    eb_display display;
    open_scene(&s, &display, true);
    int64_t first = s.shell.session->session_row;
    s.shell.session->session_row = 0;
    during(&s, "runs", (const char *const[]){"note first", NULL});
    assert_true(s.entered == 0 || s.shell.session->session_row > first);
    close_scene(&s);
}

/* A background command neither overwrites the loaded file nor asks before it overwrites a file of the foreground
 * session. */
TEST(files_are_guarded_as_ever)
{
    scene s;
    eb_display display;
    open_scene(&s, &display, false);
    s.shell.display = NULL;
    FILE *sink = tmpfile();
    s.shell.out = s.shell.err = sink;
    s.shell.quiet = true;
    assert_int_equal(eb_shell_run(&s.shell, "join ref64 eps=0.1 trials=1 save=beside.csv force", NULL), EB_OK);
    FILE *points = fopen("beside_points.csv", "w");
    assert_non_null(points);
    for (int k = 0; k < 3000; k++)
        (void)fprintf(points, "%d,%d\n", k, k * 7 % 13);
    assert_int_equal(fclose(points), 0);
    assert_int_equal(eb_shell_run(&s.shell, "load beside_points.csv", NULL), EB_OK);
    s.shell.quiet = false;
    s.shell.display = &display;
    during(&s, "join ref64 eps=5 trials=1000 count",
           (const char *const[]){"dump beside_points.csv force", "dump beside.csv", NULL});
    assert_int_equal(s.entered, 2);
    assert_non_null(strstr(s.said, "it is never written over"));
    assert_non_null(strstr(s.said, "[beside.csv]"));
    (void)fclose(sink);
    (void)unlink("beside.csv");
    (void)unlink("beside_points.csv");
    close_scene(&s);
}

RUN_TESTS
