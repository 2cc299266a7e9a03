/* budget: an engine's points and tables share one limit of the host's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/engine/budget.h"

static uint64_t ten_a_point(size_t n, size_t d, eb_dtype dtype)
{
    (void)d, (void)dtype;
    return 10 * (uint64_t)n;
}

static uint64_t four_a_point(size_t n, size_t d, eb_dtype dtype)
{
    (void)d, (void)dtype;
    return 4 * (uint64_t)n;
}

static const eb_implementation ten = {.memory_needed = ten_a_point}, four = {.memory_needed = four_a_point};
static const eb_dataset points = {.n = 100, .d = 3};

static void tables_get_what_points_leave(void **state)
{
    (void)state;
    static const struct {
        uint64_t limit, points, tables;
    } cases[] = {
        {0, 0, 0},                           /* no limit */
        {5000, 1000, 4000},                  /* both fit */
        {1001, 1000, 1},    {1000, 1000, 1}, /* 0 would be no limit */
        {999, 0, 999},                       /* the engine does without, or refuses */
        {1, 0, 1},
    };
    const eb_setup setup = {.run = &ten, .device.kind = EB_DEVICE_CPU};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        eb_budget b = eb_budget_of(&setup, 1, &points, cases[k].limit);
        assert_int_equal(b.limit, cases[k].limit);
        assert_int_equal(b.points, cases[k].points);
        assert_int_equal(b.tables, cases[k].tables);
    }
}

static void engines_on_a_gpu_take_nothing_of_the_host(void **state)
{
    (void)state;
    const eb_setup setup = {.run = &ten, .device.kind = EB_DEVICE_CUDA};
    eb_budget b = eb_budget_of(&setup, 1, &points, 5000);
    assert_true(b.points == 0 && b.tables == 5000);
}

/* One after another: the largest counts, once. */
static void the_one_that_takes_most_counts(void **state)
{
    (void)state;
    const eb_setup setups[] = {{.run = &four, .device.kind = EB_DEVICE_CPU},
                               {.run = &ten, .device.kind = EB_DEVICE_CPU}};
    eb_budget b = eb_budget_of(setups, 2, &points, 5000);
    assert_true(b.points == 1000 && b.tables == 4000);
    b = eb_budget_of(setups, 2, &points, 900); /* the other one does without */
    assert_true(b.points == 400 && b.tables == 500);
}

static void the_words_name_both_parts(void **state)
{
    (void)state;
    char words[120];
    const eb_budget shared = {10, 4, 6}, alone = {10, 0, 10};
    assert_string_equal(eb_budget_words(&shared, words, sizeof words),
                        "the limit is 10, of which the engine's points take 4");
    assert_string_equal(eb_budget_words(&alone, words, sizeof words), "the limit is 10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_get_what_points_leave),
        cmocka_unit_test(engines_on_a_gpu_take_nothing_of_the_host),
        cmocka_unit_test(the_one_that_takes_most_counts),
        cmocka_unit_test(the_words_name_both_parts),
    };
    return cmocka_run_group_tests_name("core: budget", tests, NULL, NULL);
}
