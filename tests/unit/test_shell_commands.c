/* The command table is consistent; command lines run, stop and fail as specified. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>

#include "core/base/clock.h"
#include "core/base/pool.h"
#include "core/engine/spec.h"
#include "shell/background/progress.h"
#include "shell/dispatch.h"
#include "shell/history.h"
#include "shell/language/manual.h"
#include "shell/language/values.h"
#include "shell/repl.h"
#include "shell/script.h"
#include "tests/unit/test.h"

/* ---- the table ---- */

TEST(promised_prefixes_are_unique)
{
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k), *found;
        assert_memory_equal(command->name, command->abbreviation, strlen(command->abbreviation));
        for (size_t length = strlen(command->abbreviation); length <= strlen(command->name); length++) {
            char prefix[32];
            (void)snprintf(prefix, sizeof prefix, "%.*s", (int)length, command->name);
            assert_int_equal(eb_command_find(prefix, &found, NULL), EB_OK);
            assert_ptr_equal(found, command);
        }
    }
}

TEST(every_command_is_described)
{
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        size_t length = strlen(command->summary);
        assert_non_null(command->handler);
        if (command->detail && command->detail[0]) /* complete sentences */
            assert_true(command->detail[strlen(command->detail) - 1] == '.');
        assert_true(length > 0 && length <= 60 && command->summary[length - 1] != '.');
        bool seen_optional = false, seen_rest = false;
        for (const eb_argument *argument = command->argument; argument->name; argument++) {
            assert_true(argument < command->argument + EB_MAX_ARGUMENTS - 1); /* the last slot terminates the list */
            assert_non_null(argument->help);
            assert_false(seen_rest);
            seen_rest = argument->type == EB_ARG_REST;
            if (argument->positional)
                assert_false(argument->required && seen_optional);
            seen_optional |= argument->positional && !argument->required;
            bool chosen =
                argument->type == EB_ARG_CHOICE || argument->type == EB_ARG_OPTION || argument->type == EB_ARG_LESSON;
            if (argument->type != EB_ARG_REST && argument->type != EB_ARG_FILE) /* may have choices, for completion */
                assert_true(chosen == (argument->choices != NULL));
            char beyond[32];
            assert_false(argument->choices && eb_choice_at(argument->choices, EB_MOST_CHOICES, beyond, sizeof beyond));
        }
    }
}

/* An argument of type EB_ARG_OPTION names an existing option of an engine, and the option is a choice. */
TEST(arguments_for_options_name_options_there_are)
{
    size_t found = 0;
    for (size_t k = 0; k < eb_command_count(); k++)
        for (const eb_argument *argument = eb_command_at(k)->argument; argument->name; argument++) {
            const eb_engine *engine = NULL;
            if (argument->type != EB_ARG_OPTION)
                continue;
            const eb_option *option = eb_argument_option(argument, &engine);
            assert_non_null(option);
            assert_non_null(option->choices);
            assert_ptr_equal(eb_option_find(&engine->options, option->name), option);
            found++;
        }
    assert_true(found > 0);
}

/* Only the last positional argument may repeat. */
TEST(repeated_arguments_come_last)
{
    for (size_t k = 0; k < eb_command_count(); k++) {
        bool seen_repeated = false;
        for (const eb_argument *argument = eb_command_at(k)->argument; argument->name; argument++) {
            assert_false(seen_repeated && argument->positional);
            assert_true(argument->positional || !argument->repeated);
            seen_repeated |= argument->repeated;
        }
    }
}

/* Commands of a group are adjacent, so that help prints each group once. */
TEST(groups_stand_together)
{
    for (size_t k = 1; k < eb_command_count(); k++)
        for (size_t j = 0; strcmp(eb_command_at(k)->group, eb_command_at(k - 1)->group) != 0 && j < k; j++)
            assert_string_not_equal(eb_command_at(j)->group, eb_command_at(k)->group);
}

TEST(every_example_parses_and_shows_its_command)
{
    for (size_t k = 0; k < eb_command_count(); k++) {
        bool shown = false;
        for (const char *at = eb_command_at(k)->examples; *at;) {
            eb_call *call;
            eb_status status = {0};
            if (eb_parse(at, &at, &call, &status))
                fail_msg("example of %s: %s", eb_command_at(k)->name, status.message);
            shown |= call && call->command == eb_command_at(k);
            eb_call_free(call);
        }
        assert_true(shown);
    }
}

static void assert_fits_a_terminal(const char *page, const char *name)
{
    size_t column = 0;
    for (const char *c = page; *c && strncmp(c, "\nExample", 8) != 0; c++) { /* examples are not wrapped */
        column = *c == '\n' ? 0 : column + (((unsigned char)*c & 0xC0u) != 0x80u);
        if (column > 78)
            fail_msg("help %s is wider than 78 columns", name);
    }
}

TEST(pages_fit_a_terminal)
{
    for (size_t k = 0; k < eb_command_count(); k++) {
        const eb_command *command = eb_command_at(k);
        char *flow = eb_manual_page(command), *page = eb_manual_broken(flow);
        assert_non_null(page);
        for (const eb_argument *argument = command->argument; argument->name; argument++) {
            char line[64]; /* at least one blank before the text */
            (void)snprintf(line, sizeof line, "\n  %s ", argument->name);
            assert_non_null(strstr(page, line));
        }
        assert_fits_a_terminal(page, command->name);
        free(page);
        free(flow);
    }
}

/* An engine's page has a line for every option, and an example that parses. */
TEST(pages_of_engines_tell_their_options)
{
    for (size_t k = 0; k < eb_engine_count(); k++) {
        const eb_engine *engine = eb_engine_at(k);
        char *flow = eb_manual_engine_page(engine), *page = eb_manual_broken(flow), line[64];
        assert_non_null(page);
        assert_fits_a_terminal(page, engine->name);
        assert_non_null(strstr(page, engine->title));
        for (size_t o = 0; o < engine->options.count; o++) {
            (void)snprintf(line, sizeof line, "\n  %s ", engine->options.option[o].name);
            assert_non_null(strstr(page, line));
        }
        assert_non_null(strstr(page, "device=cpu"));
        const char *example = strstr(strstr(page, "\nExample"), "\n  ") + 3, *rest;
        eb_call *call = NULL;
        assert_int_equal(eb_parse(example, &rest, &call, NULL), EB_OK);
        eb_spec spec;
        assert_int_equal(eb_spec_parse(eb_call_text(call, "engine"), NULL, &spec, NULL), EB_OK);
        assert_ptr_equal(spec.engine, engine);
        eb_call_free(call);
        free(page);
        free(flow);
    }
}

TEST(the_manual_lists_every_engine_and_option)
{
    char *text = NULL, item[80];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    eb_manual_engines(out);
    assert_int_equal(fclose(out), 0);
    const char *at = text;
    for (size_t k = 0; k < eb_engine_count(); k++) {
        const eb_engine *engine = eb_engine_at(k);
        (void)snprintf(item, sizeof item, "\n.It Cm %s\n", engine->name);
        at = strstr(at, item);
        assert_non_null(at);
        for (size_t o = 0; o < engine->options.count; o++) {
            (void)snprintf(item, sizeof item, "\n.It Ar %s\n", engine->options.option[o].name);
            at = strstr(at, item);
            assert_non_null(at); /* listed under this engine, in order */
        }
    }
    free(text);
}

TEST(the_manual_lists_every_command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    eb_manual_commands(out);
    assert_int_equal(fclose(out), 0);
    assert_memory_equal(text, ".Ss Data\n", 9);
    for (size_t k = 0; k < eb_command_count(); k++) {
        char item[64];
        (void)snprintf(item, sizeof item, "\n.It Ic %s", eb_command_at(k)->name);
        assert_non_null(strstr(text, item));
    }
    free(text);
}

/* ---- running lines ---- */

typedef struct fixture {
    eb_shell shell;
    char *out_text, *err_text;
    size_t out_size, err_size;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f)
        return -1;
    f->shell = (eb_shell){.session = eb_session_new(), .signal_fd = -1};
    f->shell.out = open_memstream(&f->out_text, &f->out_size);
    f->shell.err = open_memstream(&f->err_text, &f->err_size);
    *state = f;
    return f->shell.session && f->shell.out && f->shell.err ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    eb_session_free(f->shell.session);
    (void)fclose(f->shell.out);
    (void)fclose(f->shell.err);
    free(f->out_text);
    free(f->err_text);
    free(f);
    return 0;
}

/* The output so far. */
static const char *output(fixture *f)
{
    (void)fflush(f->shell.out);
    return f->out_text;
}

static const char *errors(fixture *f)
{
    (void)fflush(f->shell.err);
    return f->err_text;
}

TEST_WITH(a_line_runs_all_its_commands, set_up, tear_down)
{
    fixture *f = *state;
    assert_int_equal(eb_shell_run(&f->shell, "set trials=7; set seed=5\n set threads 2", NULL), EB_OK);
    assert_int_equal(f->shell.session->settings.trials, 7);
    assert_int_equal(f->shell.session->settings.seed, 5);
    assert_int_equal(f->shell.session->settings.threads, 2);
    assert_string_equal(errors(f), "");
}

TEST_WITH(a_failure_stops_the_line, set_up, tear_down)
{
    fixture *f = *state;
    assert_int_equal(eb_shell_run(&f->shell, "set trials=0; set seed=5", NULL), EB_USAGE);
    assert_int_equal(f->shell.session->settings.seed, 42);
    assert_non_null(strstr(errors(f), "column 12: trials expects"));
}

TEST_WITH(keep_going_runs_the_rest_and_returns_the_first_failure, set_up, tear_down)
{
    fixture *f = *state;
    f->shell.keep_going = true;
    assert_int_equal(eb_shell_run(&f->shell, "info; set trials=0; set seed=5", NULL), EB_NO_DATASET);
    assert_int_equal(f->shell.session->settings.seed, 5);
}

TEST_WITH(a_command_without_its_dataset_says_what_to_do, set_up, tear_down)
{
    fixture *f = *state;
    eb_origin origin = {"demo.eb", 3};
    assert_int_equal(eb_shell_run(&f->shell, "tune S=64", &origin), EB_NO_DATASET);
    assert_non_null(strstr(errors(f), "demo.eb:3: no dataset is loaded; `load FILE`"));
}

/* Tables of a command's trials may leave gigabytes in the pool. */
TEST_WITH(a_command_that_ends_leaves_no_memory_in_the_pool, set_up, tear_down)
{
    fixture *f = *state;
    static const char *const lines[] = {"synth uniform 50 2", "set device=cuda:900"};
    for (size_t k = 0; k < 2; k++) {
        void *array = eb_pool_take(2 * EB_POOLED);
        assert_non_null(array);
        eb_pool_give(array);
        assert_int_equal(eb_pool_kept(), 2 * EB_POOLED);
        assert_int_equal(eb_shell_run(&f->shell, lines[k], NULL), k == 0 ? EB_OK : EB_NO_DEVICE);
        assert_int_equal(eb_pool_kept(), 0);
    }
}

TEST_WITH(quit_ends_the_line, set_up, tear_down)
{
    fixture *f = *state;
    static const char *const lines[] = {"quit; set seed=5", "exit; set seed=5", "\\q; set seed=5"};
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        f->shell.quitting = false;
        assert_int_equal(eb_shell_run(&f->shell, lines[k], NULL), EB_OK);
        assert_true(f->shell.quitting);
        assert_int_equal(f->shell.session->settings.seed, 42);
    }
    f->shell.quitting = false;
    assert_int_equal(eb_shell_run(&f->shell, "exi", NULL),
                     EB_USAGE); /* only `exit` itself is accepted: `ex` abbreviates export */
    assert_false(f->shell.quitting);
}

TEST_WITH(an_interrupt_stops_the_line, set_up, tear_down)
{
    fixture *f = *state;
    f->shell.interrupted = true;
    assert_int_equal(eb_shell_run(&f->shell, "set seed=5", NULL), EB_CANCELLED);
    assert_int_equal(f->shell.session->settings.seed, 42);
}

TEST_WITH(quiet_shows_errors_only, set_up, tear_down)
{
    fixture *f = *state;
    f->shell.quiet = true;
    assert_int_equal(eb_shell_run(&f->shell, "set seed=5", NULL), EB_OK);
    assert_string_equal(output(f), "");
    assert_int_equal(eb_shell_run(&f->shell, "set device=cuda:900", NULL), EB_NO_DEVICE);
    assert_string_not_equal(errors(f), "");
    assert_string_equal(f->shell.session->settings.device, "cpu"); /* unchanged */
}

TEST_WITH(watch_repeats, set_up, tear_down)
{
    fixture *f = *state;
    f->shell.session->settings.mode = EB_MODE_JSON;
    assert_int_equal(eb_shell_run(&f->shell, "watch times=3 0 timer", NULL), EB_OK);
    size_t times = 0;
    for (const char *at = output(f); (at = strstr(at, "\"command\":\"timer\"")) != NULL; at++)
        times++;
    assert_int_equal(times, 3);
    assert_int_equal(eb_shell_run(&f->shell, "watch times=3 0 info", NULL), EB_NO_DATASET); /* a failure ends watch */
}

TEST_WITH(watches_do_not_nest_for_ever, set_up, tear_down)
{
    fixture *f = *state;
    char line[512] = "";
    for (size_t k = 0; k < 20; k++)
        strcat(line, "watch times=1 0 ");
    strcat(line, "timer");
    assert_int_equal(eb_shell_run(&f->shell, line, NULL), EB_USAGE);
    assert_non_null(strstr(errors(f), "nested more than 8 deep"));
    assert_int_equal(f->shell.depth, 0);
}

TEST_WITH(the_timer_adds_its_line, set_up, tear_down)
{
    fixture *f = *state;
    f->shell.session->settings.mode = EB_MODE_JSON;
    assert_int_equal(eb_shell_run(&f->shell, "timer on", NULL), EB_OK);
    assert_non_null(strstr(output(f), "\"command_s\":"));
}

TEST_WITH(a_log_that_cannot_be_opened_warns_once, set_up, tear_down)
{
    fixture *f = *state;
    f->shell.logging = true;
    f->shell.log_path = "/dev/null/no/sessions.db";
    assert_int_equal(eb_shell_run(&f->shell, "set seed=5; set seed=6", NULL), EB_OK);
    const char *warning = strstr(errors(f), "epsbench: warning: ");
    assert_non_null(warning);
    assert_null(strstr(warning + 1, "epsbench: warning: "));
    assert_int_equal(f->shell.session->settings.seed, 6);
}

TEST(exit_statuses)
{
    assert_int_equal(eb_exit_status(EB_OK), 0);
    assert_int_equal(eb_exit_status(EB_IO), 1);
    assert_int_equal(eb_exit_status(EB_NO_DATASET), 1);
    assert_int_equal(eb_exit_status(EB_USAGE), 2);
    assert_int_equal(eb_exit_status(EB_NO_DEVICE), 3);
    assert_int_equal(eb_exit_status(EB_NO_ENGINE), 3);
    assert_int_equal(eb_exit_status(EB_CANCELLED), 130);
}

/* ---- scripts ---- */

static eb_code run_script(fixture *f, const char *bytes, size_t size)
{
    char path[] = "/tmp/epsbench-script-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    eb_code failed = eb_script_run(&f->shell, fd, "test.eb", eb_shell_run);
    (void)close(fd);
    (void)unlink(path);
    return failed;
}

TEST_WITH(scripts_are_read_by_the_line, set_up, tear_down)
{
    fixture *f = *state;
    const char text[] = "\xEF\xBB\xBFset seed=5 # five\n\n# nothing\r\nset trials=9;set threads=2\r\nset memory=1GiB";
    assert_int_equal(run_script(f, text, sizeof text - 1), EB_OK);
    assert_int_equal(f->shell.session->settings.seed, 5);
    assert_int_equal(f->shell.session->settings.trials, 9);
    assert_true(f->shell.session->settings.memory_limit == 1u << 30); /* without a final newline */
    assert_string_equal(errors(f), "");
}

TEST_WITH(a_script_says_where_it_failed, set_up, tear_down)
{
    fixture *f = *state;
    const char text[] = "set seed=5\n\n  set sed=6\nset seed=7\n";
    assert_int_equal(run_script(f, text, sizeof text - 1), EB_USAGE);
    assert_non_null(strstr(errors(f), "test.eb:3: column 7: no argument \"sed\"; did you mean seed?"));
    assert_int_equal(f->shell.session->settings.seed, 5);
}

TEST_WITH(a_script_is_text, set_up, tear_down)
{
    fixture *f = *state;
    const char text[] = "set seed=5\nset\0 seed=6\n";
    assert_int_equal(run_script(f, text, sizeof text - 1), EB_BAD_FORMAT);
    assert_non_null(strstr(errors(f), "test.eb:2: a NUL byte at column 4"));
    size_t size = 3u << 20;
    char *blanks = malloc(size);
    assert_non_null(blanks);
    memset(blanks, ' ', size);
    assert_int_equal(run_script(f, blanks, size), EB_BAD_FORMAT);
    memset(blanks, '\n', size);
    assert_int_equal(run_script(f, blanks, size), EB_OK);
    free(blanks);
    assert_int_equal(eb_script_run_file(&f->shell, "/nonexistent/x.eb", true, eb_shell_run), EB_IO);
    assert_non_null(strstr(errors(f), "cannot open /nonexistent/x.eb"));
}

/* ---- progress line, prompt, history ---- */

TEST(memory_is_told_where_it_is_much)
{
    char words[96];
    eb_progress p = {.announced_bytes = EB_WORTH_SAYING_BYTES - 1};
    assert_string_equal(eb_memory_words(&p, words, sizeof words), "");
    p.announced_bytes++;
    assert_string_equal(eb_memory_words(&p, words, sizeof words), "1.00 GiB of memory");
    p.announced_gpu_bytes = (uint64_t)5 << 29;
    assert_string_equal(eb_memory_words(&p, words, sizeof words), "1.00 GiB of memory, 2.50 GiB on the GPU");
}

TEST(progress_is_said_in_words)
{
    char text[128];
    eb_progress progress = {.phase = "ref64 trial", .done = 1, .total = 4, .elapsed_s = 40, .phase_s = 30};
    assert_string_equal(eb_progress_text(&progress, 0, text, sizeof text), "ref64 trial  25 %  1 min 30 s left");
    progress.done = 0;
    assert_string_equal(eb_progress_text(&progress, 0, text, sizeof text), "ref64 trial  0 %  40 s so far");
    progress.done = 9; /* more than total: stays at 100 % */
    assert_string_equal(eb_progress_text(&progress, 0, text, sizeof text), "ref64 trial  100 %  0 s left");
    progress.total = 0;
    assert_string_equal(eb_progress_text(&progress, 0, text, sizeof text), "ref64 trial  40 s");
    progress.phase = "sampling ε";
    assert_string_equal(eb_progress_text(&progress, 10, text, sizeof text),
                        "sampling "); /* cut before ε, not within its bytes */
    progress = (eb_progress){.phase = "x", .done = 1, .total = 100, .elapsed_s = 1e9, .phase_s = 1e9};
    assert_string_equal(eb_progress_text(&progress, 0, text, sizeof text), "x  1 %  more than 99 h left");
}

/* The progress line is about the whole command: its engine, its trial, and the time left for all of it. */
TEST(progress_is_of_the_whole_command)
{
    char text[128];
    eb_progress progress = {.phase = "trial",
                            .done = 9,
                            .total = 10,
                            .elapsed_s = 30,
                            .phase_s = 9,
                            .step = {{"engine", 1, 2}, {"trial", 4, 200}},
                            .foreseen = true,
                            .left_s = 90};
    assert_string_equal(eb_progress_text(&progress, 0, text, sizeof text),
                        "engine 1 of 2, trial 4 of 200  25 %  1 min 30 s left");
    progress.aside = "compiling fasted[paper,-swizzle] for sm_90, kernel 3 of 9"; /* time left unknown */
    assert_string_equal(eb_progress_text(&progress, 0, text, sizeof text),
                        "compiling fasted[paper,-swizzle] for sm_90, kernel 3 of 9  30 s");
    progress.aside = NULL;
    progress.step[1] = (eb_step){NULL, 0, 0};
    progress.phase = "warm-up";
    assert_string_equal(eb_progress_text(&progress, 0, text, sizeof text),
                        "engine 1 of 2, warm-up  25 %  1 min 30 s left");
    progress.step[0] = (eb_step){"run", 1, 1}; /* a single step is not numbered */
    progress.total = 0;
    assert_string_equal(eb_progress_text(&progress, 0, text, sizeof text), "warm-up  25 %  1 min 30 s left");
    progress.foreseen = false;
    assert_string_equal(eb_progress_text(&progress, 0, text, sizeof text), "warm-up  30 s");
}

TEST(progress_waits_two_seconds)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    eb_progress_line line = {.out = out};
    eb_progress progress = {.phase = "x", .elapsed_s = 1.9};
    eb_progress_draw(&line, &progress);
    eb_progress_clear(&line);
    assert_int_equal(fflush(out), 0);
    assert_int_equal(size, 0);
    progress.elapsed_s = 2.1;
    eb_progress_draw(&line, &progress);
    eb_progress_clear(&line);
    assert_int_equal(fclose(out), 0);
    assert_true(size > 0 && text[0] == '\r' && strcmp(text + size - 4, "\r\033[K") == 0);
    free(text);
}

TEST(the_prompt_says_where_one_is)
{
    char text[160], source[] = "/data/sets/a very long name of a file with points.fvecs";
    eb_dataset dataset = {.source = source};
    eb_session session = {.eps = NAN};
    assert_string_equal(eb_prompt(&session, true, text, sizeof text), "epsbench> ");
    session.dataset = &dataset;
    assert_string_equal(eb_prompt(&session, true, text, sizeof text), "a very long name of a file with ..> ");
    dataset.source = source + 50;
    session.eps = 1455.860570;
    assert_string_equal(eb_prompt(&session, true, text, sizeof text), "fvecs ε=1455.8606> ");
    assert_string_equal(eb_prompt(&session, false, text, sizeof text), "fvecs eps=1455.8606> ");
}

TEST(history_outlives_the_session)
{
    char folder[] = "/tmp/epsbench-history-XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("XDG_STATE_HOME", folder, 1), 0);
    assert_int_equal(eb_history_load(NULL), EB_OK);
    eb_history_add("info");
    eb_history_add("info");
    eb_history_add("  ");
    eb_history_add("tune S=64");
    assert_int_equal(history_length, 2);
    eb_history_save();
    clear_history();
    assert_int_equal(eb_history_load(NULL), EB_OK);
    assert_int_equal(history_length, 2);

    /* Another session saves its history while this session runs; the lines of both are kept. */
    (void)snprintf(path, sizeof path, "%s/epsbench/history", folder);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    assert_true(fputs("devices\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    for (int k = 0; k < EB_HISTORY_LINES + 5; k++) {
        char line[32];
        (void)snprintf(line, sizeof line, "show %d", k + 1);
        eb_history_add(line);
        if (k == 0) {
            eb_history_save();
            clear_history();
            assert_int_equal(eb_history_load(NULL), EB_OK);
            assert_int_equal(history_length, 4);
            assert_string_equal(history_get(history_base + 2)->line, "devices");
        }
    }
    eb_history_save();
    clear_history();
    assert_int_equal(eb_history_load(NULL), EB_OK);
    assert_int_equal(history_length, EB_HISTORY_LINES);
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 077, 0);
    clear_history();
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/epsbench", folder);
    assert_int_equal(rmdir(path), 0); /* no temporary file remains */
    assert_int_equal(rmdir(folder), 0);
}

RUN_TESTS
