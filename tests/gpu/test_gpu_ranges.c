/* Tests of joins in ranges of rows on a GPU: the rows are those of the whole table, whatever is asked in between, and
 * ranges one after the other compute no pair twice. Needs a GPU (gpu_suite.h). */
#include "gpu_points.h"

static const char *const specs[] = {"ref64", "ref64[-filter,-integers]", "fasted",
                                    "exact", "exact[way=fp16]",          "exact[way=integers]"};
enum { SPECS = sizeof specs / sizeof specs[0], PAIRED = 1 }; /* PAIRED: computes pairs alone, in FP64 */

typedef struct rows_joined {
    uint64_t offset; /* entries before the first row */
    const eb_neighbours *whole;
    size_t rows;
} rows_joined;

static eb_code compare_rows(void *context, eb_neighbours *batch, eb_status *status)
{
    rows_joined *j = context;
    (void)status;
    for (size_t r = 0; r < batch->rows; r++) {
        const size_t row = batch->first_row + r;
        const uint64_t here = batch->offsets[r], there = j->whole->offsets[row],
                       count = j->whole->offsets[row + 1] - there;
        if (batch->offsets[r + 1] - here != count)
            fail_msg("row %zu has %llu entries of %llu", row, (unsigned long long)(batch->offsets[r + 1] - here),
                     (unsigned long long)count);
        assert_memory_equal(batch->columns + here, j->whole->columns + there, count * sizeof *batch->columns);
        for (uint64_t k = 0; k < count; k++)
            assert_true(eb_neighbours_distance(batch, here + k) == eb_neighbours_distance(j->whole, there + k));
    }
    j->rows += batch->rows;
    eb_neighbours_free(batch);
    return EB_OK;
}

static void join_rows(asked *a, const eb_neighbours *whole, double eps, size_t first, size_t end)
{
    eb_status status = {.message = ""};
    eb_join_result result;
    rows_joined joined = {.whole = whole};
    const eb_join_plan plan = {.question.eps = eps, .row_begin = first, .row_end = end, .distances = EB_DISTANCES_F64};
    if (eb_join_run(&a->opened, &plan, compare_rows, &joined, &result, &status))
        fail_msg("%s, rows %zu to %zu: %s", a->setup.spec, first, end, status.message);
    assert_int_equal(joined.rows, end - first);
}

static double flops_of(asked *a)
{
    const double flops = eb_figures_value(&a->opened.figures, "executed_flops");
    a->opened.figures = (eb_figures){.count = 0};
    return flops;
}

static void ranges_are_the_table_and_compute_no_pair_twice(void **state)
{
    (void)state;
    const sample *const of[] = {&samples[0], &samples[10]};
    for (size_t s = 0; s < sizeof of / sizeof of[0]; s++)
        for (size_t k = 0; k < SPECS; k++) {
            if (!used(of[s]) && small)
                continue;
            if (strstr(specs[k], "way=integers") && of[s]->value != integers)
                continue;
            eb_dataset ds;
            asked a;
            float *rows = make(of[s], &ds);
            const size_t n = ds.n, cut[] = {0, 1, 100, 227, 256, n - 1, n};
            const eb_question question = {.eps = of[s]->eps};
            open_points(&a, specs[k], &ds);
            eb_neighbours *whole = table_of_question(&a, &question);
            for (size_t c = 0; c + 1 < sizeof cut / sizeof cut[0]; c++)
                join_rows(&a, whole, question.eps, cut[c], cut[c + 1]);

            /* not from the first row on; again; with other questions in between; not in order */
            join_rows(&a, whole, question.eps, 100, 227);
            join_rows(&a, whole, question.eps, 227, 300);
            join_rows(&a, whole, question.eps, 227, 300);
            (void)count_all(&a, question.eps);
            join_rows(&a, whole, question.eps, 300, n);
            join_rows(&a, whole, question.eps, 256, n);
            join_rows(&a, whole, question.eps, 0, 100);
            eb_neighbours_free(whole);
            whole = table_of_question(&a, &question);
            join_rows(&a, whole, question.eps, 100, 200);
            eb_neighbours_free(whole);
            close_problem(&a);
            free(rows);
        }
}

/* Work over ranges is that of the whole, for a kernel that computes pairs alone. */
static void ranges_cost_what_the_whole_costs(void **state)
{
    (void)state;
    const sample s = {"many", small ? 1024 : 4096, 64, 2.4, uniform};
    eb_dataset ds;
    asked a;
    float *rows = make(&s, &ds);
    const eb_question question = {.eps = s.eps};
    open_points(&a, specs[PAIRED], &ds);
    eb_neighbours *whole = table_of_question(&a, &question);
    const eb_share all = eb_share_whole(&a.opened.problem);
    (void)flops_of(&a);
    (void)count_of(&a, &question, &all);
    const double once = flops_of(&a);
    for (size_t first = 0; first < s.n; first += s.n / 8)
        join_rows(&a, whole, s.eps, first, first + s.n / 8);
    const double ranges = flops_of(&a);
    (void)fprintf(stderr, "8 ranges: %.4f of the operations of the whole\n", ranges / once);
    assert_true(fabs(ranges / once - 1) < 0.001);
    for (size_t first = s.n / 2; first < s.n; first += s.n / 8)
        join_rows(&a, whole, s.eps, first, first + s.n / 8);
    assert_true(fabs(flops_of(&a) / once - 0.75) < 0.001); /* the later half with itself, and with the first half */
    eb_neighbours_free(whole);
    close_problem(&a);
    free(rows);
}

/* Points are streamed in blocks that rows' ranges do not match. */
static void ranges_of_streamed_points_are_the_table(void **state)
{
    (void)state;
    const sample s = {"streamed", 3000, 32, 1.2, uniform};
    eb_dataset ds;
    float *rows = make(&s, &ds);
    const eb_problem problem = eb_self_join(&ds);
    const eb_question question = {.eps = s.eps};
    static const char *const of[] = {"ref64", "fasted"};
    for (size_t k = 0; k < 2; k++) {
        asked roomy, tight;
        open_points(&roomy, of[k], &ds);
        eb_neighbours *whole = table_of_question(&roomy, &question);
        const uint64_t points = roomy.setup.run->memory_needed(ds.n, ds.d, ds.dtype);
        close_problem(&roomy);
        open_problem(&tight, of[k], &problem, points / 2 + 500000);
        for (size_t first = 0; first < s.n; first += 500)
            join_rows(&tight, whole, s.eps, first, first + 500);
        eb_neighbours_free(whole);
        close_problem(&tight);
    }
    free(rows);
}

static void add_tests(test_list *list)
{
    ADD_TEST(list, ranges_are_the_table_and_compute_no_pair_twice);
    ADD_TEST(list, ranges_cost_what_the_whole_costs);
    ADD_TEST(list, ranges_of_streamed_points_are_the_table);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_ranges", add_tests); }
