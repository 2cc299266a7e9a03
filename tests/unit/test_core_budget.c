/* budget: one limit of host memory for an engine's points and the tables. */

#include "core/engine/budget.h"
#include "tests/unit/test.h"

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

TEST(tables_get_what_points_leave)
{
    static const struct {
        uint64_t limit, points, tables;
    } cases[] = {
        {0, 0, 0},                           /* no limit */
        {5000, 1000, 4000},                  /* both fit */
        {1001, 1000, 1},    {1000, 1000, 1}, /* not 0, which means no limit */
        {999, 0, 999},                       /* the engine works without, or refuses to open */
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

TEST(engines_on_a_gpu_take_nothing_of_the_host)
{
    const eb_setup setup = {.run = &ten, .device.kind = EB_DEVICE_CUDA};
    eb_budget b = eb_budget_of(&setup, 1, &points, 5000);
    assert_true(b.points == 0 && b.tables == 5000);
}

/* The engines are open one after another, so only the largest demand counts. */
TEST(the_one_that_takes_most_counts)
{
    const eb_setup setups[] = {{.run = &four, .device.kind = EB_DEVICE_CPU},
                               {.run = &ten, .device.kind = EB_DEVICE_CPU}};
    eb_budget b = eb_budget_of(setups, 2, &points, 5000);
    assert_true(b.points == 1000 && b.tables == 4000);
    b = eb_budget_of(setups, 2, &points, 900); /* the other engine gets nothing */
    assert_true(b.points == 400 && b.tables == 500);
}

TEST(the_words_name_both_parts)
{
    char words[120];
    const eb_budget shared = {10, 4, 6}, alone = {10, 0, 10};
    assert_string_equal(eb_budget_words(&shared, words, sizeof words),
                        "the limit is 10, of which the engine's points take 4");
    assert_string_equal(eb_budget_words(&alone, words, sizeof words), "the limit is 10");
}

RUN_TESTS
