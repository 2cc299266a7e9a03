/* What a GPU recorded for the lessons: hostile files, values as they come back, what a record takes from a lesson. */

#include <stdio.h>
#include <unistd.h>

#include "shell/lessons/code.h"
#include "shell/lessons/recorded.h"
#include "shell/lessons/unattended.h"
#include "tests/unit/test.h"

static eb_recorded parsed(const char *text)
{
    eb_recorded r;
    eb_status status = {0};
    if (eb_recorded_parse("recorded.tsv", text, &r, &status))
        fail_msg("%s", status.message);
    return r;
}

TEST(values_are_found_by_lesson_step_and_name)
{
    char by[200];
    eb_recorded r = parsed("# device: NVIDIA H200\n# date: 2026-11-26\n# commit: 0a1b\n\n# other: x\n"
                           "tiling\t1\thits\t0.299\r\ntiling\t2\thits\t7\ntiling\t1\tsaid\tnot read\ntiling\t1\te\t");
    assert_string_equal(eb_recorded_by(&r, by, sizeof by), "NVIDIA H200, 2026-11-26, commit 0a1b");
    assert_int_equal(eb_recorded_find(&r, "tiling", 1, "hits").kind, EB_REAL);
    assert_float_equal(eb_recorded_find(&r, "tiling", 1, "hits").as.real, 0.299, 0);
    assert_int_equal(eb_recorded_find(&r, "tiling", 2, "hits").as.integer, 7);
    assert_string_equal(eb_recorded_find(&r, "tiling", 1, "said").as.text, "not read");
    assert_string_equal(eb_recorded_find(&r, "tiling", 1, "e").as.text, "");
    assert_int_equal(eb_recorded_find(&r, "tiling", 3, "hits").kind, EB_NA);
    assert_int_equal(eb_recorded_find(&r, "swizzle", 1, "hits").kind, EB_NA);
    eb_recorded_free(&r);
    r = parsed("");
    assert_string_equal(eb_recorded_by(&r, by, sizeof by), "no GPU yet");
    eb_recorded_free(&r);
}

TEST(a_wrong_line_is_named)
{
    static const char *const wrong[] =
        {"x\n",         "a\t1\tb\n",   "a\t0\tb\t1\n",    "a\t-1\tb\t1\n", "a\tone\tb\t1\n",
         "a\t1\t\t1\n", "\t1\tb\t1\n", "a\t1\tb\t1\t2\n", "a\t1x\tb\t1\n", "a\t99999999999999999999\tb\t1"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        eb_recorded r;
        eb_status status = {0};
        char text[100];
        (void)snprintf(text, sizeof text, "# date: x\n%s", wrong[k]);
        assert_int_equal(eb_recorded_parse("r.tsv", text, &r, &status), EB_USAGE);
        if (strncmp(status.message, "r.tsv:2: expected a lesson, a step from 1, a name and a value", 60) != 0)
            fail_msg("\"%s\" says \"%s\"", wrong[k], status.message);
        eb_recorded_free(&r);
    }
}

TEST(what_is_written_is_read_again)
{
    eb_recorded r = {.device = "GPU", .date = "2026-01-01", .commit = "c"}, again;
    eb_status status = {0};
    char path[] = "/tmp/epsbench-recorded-XXXXXX", beside[100];
    assert_non_null(mkdtemp(path));
    assert_int_equal(eb_recorded_add(&r, "a", 1, "x", eb_real(3), &status), EB_OK);
    assert_int_equal(eb_recorded_add(&r, "a", 1, "x", eb_real(4), &status), EB_OK);
    assert_int_equal(eb_recorded_add(&r, "a", 1, "n", eb_na(), &status), EB_OK);
    assert_int_equal(eb_recorded_add(&r, "a", 2, "t", eb_text("one\ttwo\nthree"), &status), EB_OK);
    assert_int_equal(eb_recorded_add(&r, "b", 1, "u", eb_uint(UINT64_C(5000000000)), &status), EB_OK);
    (void)snprintf(beside, sizeof beside, "%s/recorded.tsv", path);
    assert_int_equal(eb_recorded_write(&r, beside, &status), EB_OK);
    (void)snprintf(beside, sizeof beside, "%s/a.lesson", path);
    assert_int_equal(eb_recorded_read(beside, &again, &status), EB_OK);
    assert_int_equal(again.rows, 3);
    assert_int_equal(eb_recorded_find(&again, "a", 1, "x").kind, EB_REAL);
    assert_float_equal(eb_recorded_find(&again, "a", 1, "x").as.real, 4, 0);
    assert_string_equal(eb_recorded_find(&again, "a", 2, "t").as.text, "one two three");
    assert_int_equal(eb_recorded_find(&again, "b", 1, "u").as.integer, 5000000000);
    assert_string_equal(again.device, "GPU");
    eb_recorded_free(&again);
    eb_recorded_free(&r);
    (void)snprintf(beside, sizeof beside, "%s/recorded.tsv", path);
    assert_int_equal(unlink(beside), 0);
    (void)snprintf(beside, sizeof beside, "%s/a.lesson", path);
    assert_int_equal(eb_recorded_read(beside, &again, &status), EB_OK);
    assert_int_equal(again.rows, 0);
    assert_int_equal(rmdir(path), 0);
}

/* A lesson whose `gpu` lines also run here, as if the session had a GPU. */
static const char recorded_lesson[] =
    "title T\nabout A\nstep One\nask Q\ngpu run synth uniform 30 2; info\ngpu take n = SELECT n FROM report\n"
    "gpu take none = NULL\ntake other = 5\nright 1\nexplain x\n";

TEST(a_record_takes_the_values_of_gpu_lines)
{
    eb_session *session = eb_session_new();
    eb_report *report = eb_report_new("lesson");
    eb_lesson *lesson;
    eb_play *play;
    eb_outcome outcome;
    eb_recorded r = {0};
    eb_status status = {0};
    assert_int_equal(eb_lesson_parse("mine.lesson", recorded_lesson, &lesson, &status), EB_OK);
    assert_int_equal(eb_play_new(session, lesson, &play, &status), EB_OK);
    play->where = EB_LESSON_ON_GPU;
    play->recording = &r;
    if (eb_play_ask(play, session, 0, NULL, report, NULL, &status) ||
        eb_play_answer(play, session, NULL, report, &outcome, NULL, &status))
        fail_msg("%s", status.message);
    assert_int_equal(r.rows, 1);
    assert_int_equal(eb_recorded_find(&r, "mine", 1, "n").as.integer, 30);
    eb_recorded_free(&r);
    eb_play_free(play);
    eb_report_free(report);
    eb_session_free(session);
}

/* ---- code of kernels ---- */

static const char kernel[] = "/* A page. */\n#pragma once\nnamespace parts {\nstatic_assert(1 == 1);\n\n/* Adds. */\n"
                             "template <int n>\n__device__ int add(int a,\n                   int b)\n{\n    if (a) {\n"
                             "        return b;\n    }\n    return add(a);\n}\n\n__device__ int one() { return 1; }\n\n"
                             "void declared(int);\n\n__global__ __launch_bounds__(128) void last(int x)\n{\n}\n";

static void check_code(const char *function, unsigned first, unsigned last)
{
    eb_report *report = eb_report_new("lesson");
    eb_status status = {0};
    if (eb_code_show_text(kernel, "k.cuh", function, NULL, report, &status))
        fail_msg("%s", status.message);
    const eb_table *table = &report->item[0]->as.table;
    assert_int_equal(table->cell[0].as.u64, first);
    assert_int_equal(table->rows, last - first + 1);
    eb_report_free(report);
}

TEST(a_function_is_shown_with_the_comment_above_it)
{
    check_code("add", 6, 15);
    check_code("one", 17, 17);
    check_code("last", 21, 23);
}

TEST(no_such_function_is_said)
{
    eb_report *report = eb_report_new("lesson");
    eb_status status = {0};
    assert_int_equal(eb_code_show_text(kernel, "k.cuh", "declared", NULL, report, &status), EB_USAGE);
    assert_string_equal(status.message, "k.cuh has no function \"declared\"; it has add, one, last");
    assert_int_equal(eb_code_show_text("", "k.cuh", "x", NULL, report, &status), EB_USAGE);
    assert_string_equal(status.message, "k.cuh has no function \"x\"; it has none");
    eb_report_free(report);
}

RUN_TESTS
