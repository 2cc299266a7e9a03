/* `diagnose`: its texts on hostile data, and its cases: each can be told, and follows from seed and number alone. */
#include <math.h>
#include <string.h>

#include "shell/diagnosis/round.h"
#include "tests/unit/test.h"

#define HEAD "# A GPU, CUDA 1, 2026-01-02, more\nengine\td\tsm_clock_hz\tkernel_s\tnew\n"

TEST(recorded_counters_are_read)
{
    static const char text[] = HEAD "a[x,y]\t64\t1e9\t0.5\t7\n# a comment\n\na[x,y]\t128\tn/a\tn/a\tn/a\n";
    eb_counted counted;
    eb_status status = {0};
    if (eb_counted_parse("c.tsv", text, &counted, &status))
        fail_msg("%s", status.message);
    assert_string_equal(counted.gpu, "A GPU");
    assert_string_equal(counted.date, "2026-01-02");
    assert_int_equal(counted.rows, 2);
    const eb_counted_row *row = eb_counted_find(&counted, "a[x,y]", 64);
    assert_non_null(row);
    assert_true(row->metrics.value[EB_METRIC_TIME] == 0.5 && row->metrics.counted[EB_METRIC_TIME]);
    assert_true(isnan(row->metrics.value[EB_METRIC_L2]) && !row->metrics.counted[EB_METRIC_L2]);
    assert_true(isnan(eb_counted_find(&counted, "a[x,y]", 128)->clock_hz));
    assert_null(eb_counted_find(&counted, "a[x,y]", 65));
    eb_counted_free(&counted);
}

TEST(a_wrong_line_of_recorded_counters_is_named)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"engine\td\n", "c.tsv:1: expected columns engine, d and sm_clock_hz"},
        {HEAD "a\t64\t1e9\t0.5\n", "c.tsv:3: expected as many cells as columns"},
        {HEAD "a\t64\t1e9\t0.5\t7\t8\n", "c.tsv:3: expected as many cells as columns"},
        {HEAD "a\tmany\t1e9\t0.5\t7\n", "c.tsv:3: expected a number or n/a, found \"many\""},
        {HEAD "a\t64\t1e9\t0.5x\t7\n", "c.tsv:3: expected a number or n/a, found \"0.5x\""},
        {HEAD "a\t64\tnan\t0.5\t7\n", "c.tsv:3: expected a number or n/a, found \"nan\""},
        {HEAD "a\t64\t1e9\t\t7\n", "c.tsv:3: expected a number or n/a, found \"\""},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        eb_counted counted;
        eb_status status = {0};
        assert_int_equal(eb_counted_parse("c.tsv", wrong[k].text, &counted, &status), EB_USAGE);
        if (!strstr(status.message, wrong[k].sentence))
            fail_msg("\"%s\" says \"%s\"", wrong[k].text, status.message);
        eb_counted_free(&counted);
    }
}

TEST(a_wrong_line_of_the_clues_is_named)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"clue kernel_s 2\n", "s.text:1: expected switch, then clue or one off, found \"clue\""},
        {"switch\n", "s.text:1: expected switch NAME"},
        {"switch a\nclue warmth 2\n", "s.text:2: expected clue METRIC FACTOR with a metric that is known"},
        {"switch a\nclue kernel_s\n", "s.text:2: expected clue METRIC FACTOR, at most 4"},
        {"switch a\nclue kernel_s 1\n", "s.text:2: expected clue METRIC FACTOR, at most 4"},
        {"switch a\nclue kernel_s -3\n", "s.text:2: expected clue METRIC FACTOR, at most 4"},
        {"switch a\noff b\noff c\n", "s.text:3: expected switch, then clue or one off"},
        {"switch a\noff b\n", "s.text: expected a clue and an off for switch a"},
        {"switch a\nclue kernel_s 2\n", "s.text: expected a clue and an off for switch a"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        eb_clues clues;
        eb_status status = {0};
        assert_int_equal(eb_clues_parse("s.text", wrong[k].text, &clues, &status), EB_USAGE);
        if (!strstr(status.message, wrong[k].sentence))
            fail_msg("\"%s\" says \"%s\"", wrong[k].text, status.message);
        eb_clues_free(&clues);
    }
}

TEST(a_clue_holds_above_or_below_its_factor)
{
    eb_clues clues;
    eb_status status = {0};
    assert_int_equal(eb_clues_parse("s", "switch a\nclue kernel_s 2\nclue occupancy 0.6\noff b\n", &clues, &status), 0);
    eb_metrics full = {.value = {[EB_METRIC_TIME] = 1, [EB_METRIC_OCCUPANCY] = 0.5}}, kernel = full;
    assert_null(eb_clue_that_holds(&clues.told[0], &kernel, &full));
    kernel.value[EB_METRIC_OCCUPANCY] = 0.25;
    assert_int_equal(eb_clue_that_holds(&clues.told[0], &kernel, &full)->metric, EB_METRIC_OCCUPANCY);
    kernel.value[EB_METRIC_TIME] = 2;
    assert_int_equal(eb_clue_that_holds(&clues.told[0], &kernel, &full)->metric, EB_METRIC_TIME);
    kernel.value[EB_METRIC_TIME] = kernel.value[EB_METRIC_OCCUPANCY] = NAN;
    assert_null(eb_clue_that_holds(&clues.told[0], &kernel, &full));
    eb_clues_free(&clues);
}

/* Checks a case: the right answer's clues hold, every other answer differs in a figure, and no text names the spec. */
static void check_case(const eb_case *c, const eb_clues *clues, size_t *pairs)
{
    eb_lesson *lesson;
    eb_status status = {0};
    const eb_variant *right = &c->choice[c->right];
    assert_in_range(c->choices, 3, EB_CASE_CHOICES);
    for (size_t k = 0; k < right->count; k++)
        assert_non_null(
            eb_clue_that_holds(eb_clues_find(clues, right->off[k]), &c->evidence[c->right].metrics, &c->full.metrics));
    for (size_t k = 0; k < c->choices; k++) {
        const eb_metric m = eb_case_refutes(c, clues, k);
        const double ratio = eb_metric_ratio(m, &c->evidence[k].metrics, &c->evidence[c->right].metrics);
        assert_true(k == c->right || ratio > 1.2 || ratio < 1 / 1.2);
    }
    *pairs += right->count > 1;
    if (eb_round_lesson(c, clues, "a GPU", &lesson, &status))
        fail_msg("%s", status.message);
    for (size_t k = 0; k < lesson->lines; k++)
        assert_null(strstr(lesson->line[k].text, c->evidence[c->right].spec));
    eb_lesson_free(lesson);
}

TEST(every_case_can_be_told)
{
    enum { CASES = 24 };
    static eb_case c, again;
    eb_session *session = eb_session_new();
    eb_witness witness;
    eb_clues clues;
    eb_status status = {0};
    size_t pairs = 0;
    assert_int_equal(eb_witness_open(session, &witness, &status), 0);
    assert_int_equal(eb_clues_read(&clues, &status), 0);
    assert_int_equal(clues.count, 9);
    for (uint64_t number = 1; number <= CASES; number++) {
        if (eb_case_make(&witness, &clues, 42, number, &c, NULL, &status))
            fail_msg("%s", status.message);
        check_case(&c, &clues, &pairs);
    }
    assert_in_range(pairs, 1, CASES / 2);
    assert_int_equal(eb_case_make(&witness, &clues, 42, CASES, &again, NULL, &status), 0);
    assert_string_equal(again.evidence[again.right].spec, c.evidence[c.right].spec);
    assert_int_equal(again.right, c.right);
    eb_clues_free(&clues);
    eb_witness_close(&witness);
    eb_session_free(session);
}

RUN_TESTS
