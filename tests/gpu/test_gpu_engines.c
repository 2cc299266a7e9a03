/* Tests of the CUDA engines against the CPU's. ref64 agrees bit for bit; FASTED in every compiled variant agrees bit
 * for bit with all others and with the emulation of the same chip; ted and wmma are within rounding of the exact result
 * and agree bit for bit. Counts, joins, row ranges, histograms and distances agree. Needs a GPU. Every engine and every
 * variant is a separate test (gpu_suite.h). */
#include "gpu_points.h"

#include "core/experiment/ablate.h"
#include "tests/unit/check_bins.h"

/* ---- against another engine, on every sample ---- */

static void compare_on_every_sample(const char *one, const char *two)
{
    for (size_t k = 0; k < SAMPLES; k++) {
        if (!used(&samples[k]))
            continue;
        eb_dataset ds;
        asked a, b;
        float *rows = make(&samples[k], &ds);
        open_points(&a, one, &ds);
        open_points(&b, two, &ds);
        assert_same_table(table_of(&a, samples[k].eps), table_of(&b, samples[k].eps), samples[k].name);
        close_problem(&a);
        close_problem(&b);
        free(rows);
    }
}

static void ref64_is_the_truth_bit_for_bit(void **state)
{
    (void)state;
    compare_on_every_sample("ref64", "ref64[device=cpu]");
}

static void fasted_equals_its_emulation_bit_for_bit(void **state)
{
    (void)state;
    if (strcmp(gpus[0].architecture, "sm_90") != 0)
        skip(); /* the emulation of another chip has other results */
    compare_on_every_sample("fasted", "fasted[device=cpu]");
}

/* Both add the same terms in the same order, whatever the shape of the instruction. */
static void wmma_equals_ted_bit_for_bit(void **state)
{
    (void)state;
    compare_on_every_sample("wmma", "ted");
}

/* *state: the variant's spec. Each variant is compared with the paper preset, and the paper preset with the best. */
static void a_variant_of_fasted_agrees_bit_for_bit(void **state)
{
    const char *variant = *state;
    compare_on_every_sample(variant, strcmp(variant, "fasted[paper]") == 0 ? "fasted" : "fasted[paper]");
}

/* Ablates as the command does, which compares results too. */
static void ablate_and_check(const char *spec, eb_ablation_plan plan)
{
    static eb_ablation a;
    eb_dataset ds;
    const sample s = plenty();
    float *rows = make(&s, &ds);
    const eb_setup setup = setup_of(spec);
    const eb_measure_request q = {.setup = &setup, .problem = eb_self_join(&ds), .eps = s.eps, .trials = 1};
    eb_status status = {.message = ""};
    if (eb_ablate(&q, &plan, NULL, NULL, &a, &status))
        fail_msg("%s", status.message);
    assert_true(a.e.begun == a.e.cells && a.e.begun > 3);
    for (size_t k = 0; k < a.e.begun; k++) {
        assert_int_equal(a.e.cell[k].sameness, EB_IDENTICAL);
        assert_true(a.e.cell[k].run.pairs > ds.n);
        assert_true(eb_figures_value(&a.e.cell[k].run.trials[0], "kernel_s") > 0);
        assert_true(eb_figures_value(&a.e.cell[k].run.trials[0], "executed_flops") > 0);
    }
    eb_ablation_free(&a);
    free(rows);
}

/* *state: a spec. */
static void ablation_finds_the_same_results(void **state) { ablate_and_check(*state, eb_ablation_of("leave-one-out")); }

/* Switches are added one by one, then one after another in both directions, then in all subsets of three; of five with
 * EPSBENCH_ALL_SUBSETS=1. Kernels are compiled at run time. */
static void any_subset_finds_the_same_results(void **state)
{
    static const char *const few[] = {"tile-order,residency,swizzle", "block-tile,async-copy,warp-tile"},
                             *const many[] = {"tile-order,block-tile,residency,swizzle,alignment",
                                              "block-tile,async-copy,pipeline,warp-tile,register-reuse"};
    const char *const *names = getenv("EPSBENCH_ALL_SUBSETS") ? many : few;
    (void)state;
    ablate_and_check("fasted[paper]", eb_ablation_of("add-one-in"));
    ablate_and_check("fasted[paper]", eb_ablation_of("one-after-another"));
    ablate_and_check("fasted[paper]", (eb_ablation_plan){.way = EB_ONE_AFTER_ANOTHER});
    for (size_t k = 0; k < 2; k++)
        for (int bare = 0; bare < 2; bare++)
            ablate_and_check("fasted[paper]", (eb_ablation_plan){EB_ALL_SUBSETS, bare, names[k]});
}

/* ---- near the exact result ---- */

/* Checks s from a query to every point, within the error of the expansion. */
static void assert_close_to_the_truth(const eb_dataset *ds, const float *rows, uint32_t query, const double *s)
{
    double norm2 = 0;
    for (size_t c = 0; c < ds->d; c++)
        norm2 += (double)rows[query * ds->d + c] * (double)rows[query * ds->d + c];
    for (size_t j = 0; j < ds->n; j++) {
        double truth = eb_truth_distance2(ds, query, j), other = 0;
        for (size_t c = 0; c < ds->d; c++)
            other += (double)rows[j * ds->d + c] * (double)rows[j * ds->d + c];
        /* Each of the three sums of d terms loses at most d half ulps of its size. */
        double bound = 4 * (double)(ds->d + 4) * 0x1p-53 * (norm2 + other);
        if (!(fabs(s[j] - truth) <= bound))
            fail_msg("%s: pair (%u, %zu): %.17g against %.17g", ds->source, query, j, s[j], truth);
    }
}

/* *state: the engine. */
static void an_expansion_is_close_to_the_truth(void **state)
{
    for (size_t k = 0; k < SAMPLES; k++) {
        if (!used(&samples[k]))
            continue;
        eb_dataset ds;
        asked a;
        float *rows = make(&samples[k], &ds);
        open_points(&a, *state, &ds);
        double *s = malloc(ds.n * sizeof *s);
        assert_non_null(s);
        eb_status status;
        uint32_t query = (uint32_t)(ds.n / 2);
        assert_int_equal(a.setup.run->distances(a.opened.state, &query, 1, s, &status), EB_OK);
        assert_close_to_the_truth(&ds, rows, query, s);
        eb_neighbours_free(table_of(&a, samples[k].eps));
        free(s);
        close_problem(&a);
        free(rows);
    }
}

/* The first sample times 2^exponent, in FP64. The caller frees it. */
static double *far_points(int exponent, eb_dataset *ds)
{
    const sample *s = &samples[0];
    eb_status status = {.message = ""};
    double *rows = malloc(s->n * s->d * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->d; k++)
            rows[i * s->d + k] = ldexp((double)s->value(i, k), exponent);
    *ds = (eb_dataset){.n = s->n,
                       .d = s->d,
                       .dtype = EB_F64,
                       .rows = (const unsigned char *)rows,
                       .stride = s->d * sizeof *rows,
                       .source = (char *)(uintptr_t)s->name};
    assert_int_equal(eb_dataset_seal(ds, &status), EB_OK);
    return rows;
}

/* Points whose squares FP64 cannot hold give the same pairs, and distances with another exponent. *state: the
 * engine. */
static void far_points_are_joined_as_near_ones(void **state)
{
    static const int exponents[] = {664, 1000, -565, -900};
    for (size_t x = 0; x < sizeof exponents / sizeof exponents[0]; x++) {
        eb_dataset near, far;
        asked a, b;
        double *near_rows = far_points(0, &near), *far_rows = far_points(exponents[x], &far);
        open_points(&a, *state, &near);
        open_points(&b, *state, &far);
        eb_neighbours *expected = table_of(&a, samples[0].eps);
        eb_neighbours *found = table_of(&b, ldexp(samples[0].eps, exponents[x]));
        assert_true(expected->offsets[near.n] > near.n);
        for (uint64_t k = 0; k < found->offsets[far.n]; k++)
            found->distances[k] = ldexp(found->distances[k], -exponents[x]);
        assert_same_table(expected, found, *state);
        close_problem(&a);
        close_problem(&b);
        free(near_rows);
        free(far_rows);
    }
}

/* ---- distances and passes ---- */

static void compare_distances(asked *a, asked *b, size_t n)
{
    uint32_t queries[200];
    eb_status status;
    size_t m = (n - 1) / 3 < 200 ? (n - 1) / 3 : 200;
    for (uint32_t q = 0; q < m; q++)
        queries[q] = q * 3 + 1;
    double *one = malloc(m * n * sizeof(double)), *two = malloc(m * n * sizeof(double));
    assert_true(one && two);
    assert_int_equal(a->setup.run->distances(a->opened.state, queries, m, one, &status), EB_OK);
    assert_int_equal(b->setup.run->distances(b->opened.state, queries, m, two, &status), EB_OK);
    assert_memory_equal(one, two, m * n * sizeof(double));
    assert_true(check_bins(&a->opened, queries, m) > 0);
    free(one);
    free(two);
}

/* More intervals than one block of threads counts. */
static void compare_fine_histograms(asked *a, asked *b)
{
    enum { EDGES = 20000 };
    double *eps = malloc(EDGES * sizeof *eps);
    uint64_t *pairs[2] = {malloc(EDGES * sizeof *pairs[0]), malloc(EDGES * sizeof *pairs[1])};
    bool *keep = calloc(EDGES, sizeof *keep);
    double **kept = calloc(EDGES, sizeof *kept);
    eb_status status;
    assert_true(eps && pairs[0] && pairs[1] && keep && kept);
    for (size_t k = 0; k < EDGES; k++)
        eps[k] = 4.0 * (double)k / EDGES;
    for (size_t x = 0; x < 2; x++) {
        asked *asks = x ? b : a;
        eb_distance_pass pass = {.edges = EDGES, .eps = eps, .keep = keep, .pairs = pairs[x], .kept = kept};
        assert_int_equal(asks->setup.run->histogram(asks->opened.state, &pass, &status), EB_OK);
    }
    assert_memory_equal(pairs[0], pairs[1], EDGES * sizeof *pairs[0]);
    free(eps);
    free(pairs[0]);
    free(pairs[1]);
    free(keep);
    free(kept);
}

static void compare_histograms(asked *a, asked *b)
{
    const double eps[] = {0, 2.5, 3.2, 3.5, 3.8, 4};
    const bool keep[] = {true, false, false, true, false, true};
    uint64_t pairs[2][6];
    double *kept[2][6] = {{NULL}};
    eb_status status;
    eb_distance_pass p = {.edges = 6, .eps = eps, .keep = keep, .pairs = pairs[0], .kept = kept[0]};
    eb_distance_pass q = {.edges = 6, .eps = eps, .keep = keep, .pairs = pairs[1], .kept = kept[1]};
    assert_int_equal(a->setup.run->histogram(a->opened.state, &p, &status), EB_OK);
    assert_int_equal(b->setup.run->histogram(b->opened.state, &q, &status), EB_OK);
    assert_memory_equal(pairs[0], pairs[1], sizeof pairs[0]);
    assert_true(pairs[0][3] > 0);
    for (size_t k = 0; k < 6; k++) {
        double sums[2] = {0, 0};
        for (uint64_t x = 0; keep[k] && x < pairs[0][k]; x++) {
            sums[0] += kept[0][k][x];
            sums[1] += kept[1][k][x];
        }
        assert_true(fabs(sums[0] - sums[1]) <= 1e-9 * fabs(sums[1]));
        free(kept[0][k]);
        free(kept[1][k]);
    }
}

static void compare_passes(const char *one, const char *two)
{
    const sample s = plenty();
    eb_dataset ds;
    asked a, b;
    float *rows = make(&s, &ds);
    open_points(&a, one, &ds);
    open_points(&b, two, &ds);
    compare_distances(&a, &b, ds.n);
    compare_histograms(&a, &b);
    compare_fine_histograms(&a, &b);
    close_problem(&a);
    close_problem(&b);
    free(rows);
}

static void passes_of_ref64_agree_with_the_cpu(void **state)
{
    (void)state;
    compare_passes("ref64", "ref64[device=cpu]");
}

static void passes_of_fasted_agree_with_the_cpu(void **state)
{
    (void)state;
    if (strcmp(gpus[0].architecture, "sm_90") != 0)
        skip();
    compare_passes("fasted", "fasted[device=cpu]");
}

static void passes_of_wmma_agree_with_ted(void **state)
{
    (void)state;
    compare_passes("wmma", "ted");
}

/* ---- limits ---- */

static eb_code add_rows(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    *(uint64_t *)context += batch->offsets[batch->rows];
    eb_neighbours_free(batch);
    return EB_OK;
}

/* *state: the engine's name. */
static void small_memory_means_more_batches_not_fewer_results(void **state)
{
    const sample s = plenty();
    eb_dataset ds;
    asked a;
    float *rows = make(&s, &ds);
    open_points(&a, *state, &ds);
    eb_status status = {.message = ""};
    eb_join_result result;
    uint64_t entries = 0, counted = count_all(&a, s.eps);
    const eb_join_plan plan = {.question.eps = s.eps,
                               .memory_limit = eb_neighbours_build_bytes(ds.n, counted, EB_DISTANCES_NONE) / 4};
    if (eb_join_run(&a.opened, &plan, add_rows, &entries, &result, &status))
        fail_msg("%s: %s", a.setup.spec, status.message);
    assert_int_equal(entries, counted);
    assert_true(result.batches > 1);
    close_problem(&a);
    free(rows);
}

static void what_fp16_cannot_hold_is_refused(void **state)
{
    (void)state;
    eb_dataset ds;
    asked a;
    float *rows = make(&samples[0], &ds);
    rows[5 * ds.d + 7] = 70000;
    rows[9 * ds.d] = -1e30f;
    const eb_problem problem = eb_self_join(&ds);
    eb_status status;
    a.setup = setup_of("fasted");
    assert_int_equal(eb_problem_open(&a.setup, &problem, NULL, &a.opened, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "row 5, column 7: 70000"));
    rows[5 * ds.d + 7] = 65519.99f; /* rounds to 65504 */
    rows[9 * ds.d] = 0;
    open_points(&a, "fasted", &ds);
    close_problem(&a);
    free(rows);
}

/* ---- list of tests ---- */

/* Adds the paper preset, and each switch left out of the first preset that has it. */
static void add_variants(test_list *list)
{
    static char spec[EB_MOST_OPTIONS + 1][EB_SPEC_TEXT];
    const eb_engine *fasted = NULL;
    size_t count = 0;
    assert_int_equal(eb_engine_find("fasted", 6, &fasted, NULL), EB_OK);
    (void)snprintf(spec[count++], EB_SPEC_TEXT, "fasted[paper]");
    for (size_t k = 0; k < fasted->options.count; k++) {
        const eb_option *flag = &fasted->options.option[k];
        char items[EB_OPTIONS_TEXT];
        eb_options options;
        if (flag->type != EB_ARG_FLAG)
            continue;
        eb_options_default(&fasted->options, &options);
        if (strncmp(flag->presets, "paper", 5) == 0)
            assert_int_equal(eb_options_take(&options, "paper", NULL), EB_OK);
        eb_options_leave_out(&options, flag);
        (void)snprintf(spec[count++], EB_SPEC_TEXT, "fasted[%s]", eb_options_text(&options, items, sizeof items));
    }
    for (size_t k = 0; k < count; k++)
        add_test(list, "variant", spec[k], a_variant_of_fasted_agrees_bit_for_bit, spec[k]);
}

static void add_all(test_list *list)
{
    static const char *const engines[] = {"ref64", "fasted", "ted", "wmma"};
    ADD_TEST(list, ref64_is_the_truth_bit_for_bit);
    ADD_TEST(list, fasted_equals_its_emulation_bit_for_bit);
    add_variants(list);
    add_test(list, "ablation", "paper", ablation_finds_the_same_results, "fasted[paper]");
    add_test(list, "ablation", "best", ablation_finds_the_same_results, "fasted");
    add_test(list, "ablation", "mma.sync", ablation_finds_the_same_results, "fasted[-warpgroup]");
    ADD_TEST(list, any_subset_finds_the_same_results);
    add_test(list, "close_to_the_truth", "ted", an_expansion_is_close_to_the_truth, "ted");
    add_test(list, "close_to_the_truth", "wmma", an_expansion_is_close_to_the_truth, "wmma");
    ADD_TEST(list, wmma_equals_ted_bit_for_bit);
    add_test(list, "far_points", "ref64", far_points_are_joined_as_near_ones, "ref64");
    add_test(list, "far_points", "ted", far_points_are_joined_as_near_ones, "ted");
    add_test(list, "far_points", "wmma", far_points_are_joined_as_near_ones, "wmma");
    ADD_TEST(list, passes_of_ref64_agree_with_the_cpu);
    ADD_TEST(list, passes_of_fasted_agree_with_the_cpu);
    ADD_TEST(list, passes_of_wmma_agree_with_ted);
    for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++)
        add_test(list, "small_memory", engines[e], small_memory_means_more_batches_not_fewer_results, engines[e]);
    ADD_TEST(list, what_fp16_cannot_hold_is_refused);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_engines", add_all); }
