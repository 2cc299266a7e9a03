/* Programs in a process of their own: how they end is told, limits hold, a cancel kills them. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "io/subprocess/program.h"
#include "tests/unit/own_folder.h"
#include "tests/unit/test.h"

static eb_program_end run(const char *script, eb_program limits)
{
    const char *const argument[] = {"sh", "-c", script, NULL};
    eb_program program = limits;
    eb_program_end end;
    eb_status status = {0};
    program.what = "test";
    program.argument = argument;
    program.folder = ".";
    program.printed = "printed";
    if (eb_program_run(&program, &end, &status))
        fail_msg("%s", status.message);
    return end;
}

static const eb_program usual = {.cpu_seconds = 10, .seconds = 10, .file_bytes = 1 << 20};

TEST(its_exit_status_and_its_text_are_told)
{
    char text[32] = "";
    const eb_program_end end = run("echo out; echo err >&2; read x; exit 7", usual);
    assert_int_equal(end.signal, 0);
    assert_int_equal(end.status, 7);
    assert_false(end.late);
    FILE *file = fopen("printed", "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 8);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, "out\nerr\n");
}

TEST(a_program_that_is_missing_is_told)
{
    static const char *const argument[] = {"no-such-program-at-all", NULL};
    eb_program program = usual;
    eb_program_end end;
    eb_status status = {0};
    program.what = "test";
    program.argument = argument;
    program.folder = ".";
    program.printed = "printed";
    assert_int_equal(eb_program_run(&program, &end, &status), EB_OK);
    assert_int_equal(end.status, EB_PROGRAM_MISSING);
}

TEST(a_signal_is_told)
{
    assert_int_equal(run("kill -SEGV $$", usual).signal, SIGSEGV);
    /* the whole group, which is the program's alone */
    assert_int_equal(run("kill -TERM 0; sleep 5", usual).signal, SIGTERM);
}

TEST(the_limits_hold)
{
    eb_program limits = usual;
    limits.cpu_seconds = 1;
    assert_int_equal(run("while :; do :; done", limits).signal, SIGXCPU);
    limits = usual;
    limits.seconds = 1;
    const eb_program_end late = run("sleep 60", limits);
    assert_true(late.late);
    limits = usual;
    limits.file_bytes = 1 << 16;
    assert_int_not_equal(run("exec head -c 1000000 /dev/zero", limits).signal, 0);
}

/* What a program leaves running is killed with it. */
TEST(its_children_end_with_it)
{
    char text[32] = "";
    (void)run("sleep 600 & echo $!", usual);
    FILE *file = fopen("printed", "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 1);
    assert_int_equal(fclose(file), 0);
    const pid_t child = (pid_t)strtol(text, NULL, 10);
    const double last_s = eb_now_s() + 10;
    char name[64], doing = 'R';
    (void)snprintf(name, sizeof name, "/proc/%d/stat", (int)child);
    while (doing != 'Z' && doing != 'X' && eb_now_s() < last_s) { /* gone, or dead and not yet reaped */
        FILE *stat = fopen(name, "r");
        if (!stat || fscanf(stat, "%*d %*s %c", &doing) != 1)
            doing = 'X';
        if (stat)
            (void)fclose(stat);
    }
    assert_true(doing == 'Z' || doing == 'X');
}

static eb_code run_until_cancelled(eb_job *job, void *argument, eb_status *status)
{
    static const char *const sleeps[] = {"sleep", "60", NULL};
    eb_program program = usual;
    eb_program_end end;
    (void)argument;
    program.what = "test";
    program.argument = sleeps;
    program.folder = ".";
    program.printed = "printed";
    program.seconds = 60;
    program.job = job;
    return eb_program_run(&program, &end, status);
}

TEST(a_cancel_kills_it)
{
    eb_job *job;
    eb_status status = {0};
    const double start_s = eb_now_s();
    assert_int_equal(eb_job_start(run_until_cancelled, NULL, &job, &status), EB_OK);
    eb_job_cancel(job);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    assert_true(eb_now_s() - start_s < 30);
}

static int remove_all(void **state)
{
    (void)remove("printed");
    return remove_folder(state);
}

RUN_TESTS_WITH(make_folder, remove_all)
