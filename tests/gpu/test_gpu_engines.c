/* The CUDA engines against the CPU's: ref64 bit for bit, FASTED in every compiled variant bit for bit with every other
 * and with the emulation of the same chip, ted and wmma-ref within rounding of the truth and bit for bit with each
 * other; counts, joins, row ranges, histograms and distances agree. Needs a GPU.
 *
 *     test_gpu_engines [--list] [NAME…]     all tests, or those whose names contain a NAME; --list names them, runs
 * none
 *
 * Every engine and every variant is a test of its own. With EPSBENCH_GPU_SMALL set they use small datasets only, so
 * that one test under compute-sanitizer takes seconds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/parallel.h"
#include "core/join/join.h"
#include "core/study/ablate.h"
#include "kernels/device/cuda.h"

static eb_device gpu, cpu;
static bool small; /* EPSBENCH_GPU_SMALL */

/* ---- datasets ---- */

typedef struct sample {
    const char *name;
    size_t n, d;
    double eps;
    float (*value)(size_t i, size_t k);
} sample;

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static float uniform(size_t i, size_t k) { return (float)(mix(i * 65537 + k + 1) >> 40) * 0x1p-24f; }
static float clustered(size_t i, size_t k) { return uniform(i % 7, k) + 0.01f * uniform(i, k + 1000); }
static float duplicated(size_t i, size_t k) { return uniform(i % 50, k); }
static float mixed(size_t i, size_t k) { return (uniform(i, k) - 0.5f) * ldexpf(1, (int)(mix(i + k) % 24) - 16); }
static float tiny(size_t i, size_t k) { return (uniform(i, k) - 0.5f) * 0x1p-16f; }
static float integers(size_t i, size_t k) { return (float)(mix(i * 131 + k) % 256); }

static const sample samples[] = {
    {"random", 700, 96, 3.8, uniform},
    {"clustered", 515, 33, 0.05, clustered},
    {"duplicated", 400, 20, 0, duplicated},
    {"one point", 1, 1, 1, uniform},
    {"two points", 2, 3, 0.7, uniform},
    {"one dimension", 300, 1, 0.01, uniform},
    {"ragged", 257, 65, 3, uniform},
    {"whole tiles", 256, 64, 2.9, uniform},
    {"signs and magnitudes", 300, 70, 60, mixed},
    {"FP16 subnormals", 200, 40, 0x1p-15, tiny},
    {"integers", 390, 128, 1100, integers},
    {"everything", 200, 16, 100, uniform},
    {"deep", 150, 800, 11, uniform},
    {"nothing", 300, 16, 1e-9, uniform},
    {"deep and ragged", 700, 530, 9.2, uniform},
    {"deep, whole tiles", 512, 448, 8.5, uniform},
    {"deep clusters", 600, 400, 0.0816, clustered},
    {"deep magnitudes", 300, 390, 160, mixed},
    {"deep duplicates", 300, 384, 0, duplicated},
    {"deep, everything", 270, 400, 100, uniform},
    {"one deep point", 1, 400, 1, uniform},
};
#define SAMPLES (sizeof samples / sizeof samples[0])

/* Small: what still has several tiles and several slices of dimensions, and little of both. */
static bool used(const sample *s) { return !small || (s->n > 200 && s->n <= 300 && s->d > 60 && s->d <= 400); }

/* A sample with many hits in 96 dimensions. */
static sample plenty(void)
{
    sample s = samples[0];
    s.n = small ? 300 : s.n;
    return s;
}

static float *make(const sample *s, eb_dataset *ds)
{
    float *rows = malloc(s->n * s->d * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->d; k++)
            rows[i * s->d + k] = s->value(i, k);
    *ds = (eb_dataset){.n = s->n,
                       .d = s->d,
                       .dtype = EB_F32,
                       .rows = (const unsigned char *)rows,
                       .stride = s->d * sizeof(float),
                       .source = (char *)(uintptr_t)s->name};
    return rows;
}

/* ---- running an engine ---- */

static void *open_engine(const eb_engine *engine, const eb_dataset *ds, uint32_t switches)
{
    eb_status status = {.message = ""};
    eb_timing timing = eb_timing_none();
    eb_engine_options options = {.threads = 2, .tensor = EB_TENSOR_SM90, .switches = switches};
    void *state = NULL;
    eb_code code =
        engine->open(engine->device_kind == EB_DEVICE_CPU ? &cpu : &gpu, ds, &options, NULL, &timing, &state, &status);
    if (code != EB_OK)
        fail_msg("%s on %s: %s", engine->name, ds->source, status.message);
    return state;
}

static eb_code keep_table(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    *(eb_neighbours **)context = batch;
    return EB_OK;
}

static eb_neighbours *table_of(const eb_engine *engine, void *state, const eb_dataset *ds, double eps)
{
    eb_status status = {.message = ""};
    eb_timing timing = eb_timing_none();
    eb_engine_options options = {.threads = 2};
    eb_join_plan plan = {.eps = eps, .distances = true, .whole = true};
    eb_join_result result;
    eb_neighbours *table = NULL;
    uint64_t counted = 0;
    eb_code code =
        eb_join_run(engine, state, ds->n, &options, &plan, keep_table, &table, NULL, &timing, &result, &status);
    if (code != EB_OK)
        fail_msg("%s on %s: %s", engine->name, ds->source, status.message);
    assert_int_equal(engine->count(state, eps, NULL, &timing, &counted, &status), EB_OK);
    assert_int_equal(counted, result.pairs);
    assert_int_equal(table->offsets[ds->n], result.pairs);
    return table;
}

static void assert_same_table(const eb_neighbours *a, const eb_neighbours *b, const char *what)
{
    uint64_t entries = a->offsets[a->rows];
    if (entries != b->offsets[b->rows])
        fail_msg("%s: %llu entries against %llu", what, (unsigned long long)entries,
                 (unsigned long long)b->offsets[b->rows]);
    assert_memory_equal(a->offsets, b->offsets, (a->rows + 1) * sizeof *a->offsets);
    assert_memory_equal(a->columns, b->columns, entries * sizeof *a->columns);
    for (uint64_t k = 0; k < entries; k++)
        if (memcmp(&a->distances[k], &b->distances[k], sizeof(double)) != 0)
            fail_msg("%s: entry %llu: distance %.17g against %.17g", what, (unsigned long long)k, a->distances[k],
                     b->distances[k]);
}

static const eb_engine *engine_named(const char *name, eb_device_kind kind)
{
    const eb_engine *engine = NULL;
    eb_status status;
    assert_int_equal(eb_engine_find(name, kind, &engine, &status), EB_OK);
    return engine;
}

/* ---- the tests ---- */

static void compare_on_every_sample(const char *name, uint32_t switches)
{
    const eb_engine *on_gpu = engine_named(name, EB_DEVICE_CUDA), *on_cpu = engine_named(name, EB_DEVICE_CPU);
    for (size_t k = 0; k < SAMPLES; k++) {
        if (!used(&samples[k]))
            continue;
        eb_dataset ds;
        float *rows = make(&samples[k], &ds);
        void *a = open_engine(on_gpu, &ds, switches), *b = open_engine(on_cpu, &ds, switches);
        eb_neighbours *gpu_table = table_of(on_gpu, a, &ds, samples[k].eps),
                      *cpu_table = table_of(on_cpu, b, &ds, samples[k].eps);
        assert_same_table(gpu_table, cpu_table, samples[k].name);
        eb_neighbours_free(gpu_table);
        eb_neighbours_free(cpu_table);
        on_gpu->close(a);
        on_cpu->close(b);
        free(rows);
    }
}

static void ref64_is_the_truth_bit_for_bit(void **state)
{
    (void)state;
    compare_on_every_sample("ref64", 0);
}

static void fasted_equals_its_emulation_bit_for_bit(void **state)
{
    (void)state;
    if (strcmp(gpu.architecture, "sm_90") != 0)
        skip(); /* the emulation of other chips is another row of the table */
    compare_on_every_sample("fasted", EB_PRESET_BEST);
}

/* *state: the variant's switches. All are held to the paper preset, and that to the best. */
static void a_variant_of_fasted_agrees_bit_for_bit(void **state)
{
    const eb_engine *fasted = engine_named("fasted", EB_DEVICE_CUDA);
    uint32_t set = *(const uint32_t *)*state;
    char what[320];
    eb_switches_format(set, what, sizeof what);
    for (size_t k = 0; k < SAMPLES; k++) {
        if (!used(&samples[k]))
            continue;
        eb_dataset ds;
        float *rows = make(&samples[k], &ds);
        void *other = open_engine(fasted, &ds, set == EB_PRESET_PAPER ? EB_PRESET_BEST : EB_PRESET_PAPER);
        void *variant = open_engine(fasted, &ds, set);
        eb_neighbours *expected = table_of(fasted, other, &ds, samples[k].eps);
        eb_neighbours *found = table_of(fasted, variant, &ds, samples[k].eps);
        assert_same_table(found, expected, what);
        eb_neighbours_free(found);
        eb_neighbours_free(expected);
        fasted->close(variant);
        fasted->close(other);
        free(rows);
    }
}

/* *state: the preset. The command's own measuring, which compares results too. */
static void ablation_finds_the_same_results(void **state)
{
    uint32_t preset = *(const uint32_t *)*state;
    eb_dataset ds;
    const sample s = plenty();
    float *rows = make(&s, &ds);
    eb_measure_request q = {.engine = engine_named("fasted", EB_DEVICE_CUDA),
                            .device = &gpu,
                            .dataset = &ds,
                            .options = {.threads = 2},
                            .eps = s.eps,
                            .trials = 1};
    eb_status status = {.message = ""};
    eb_ablation a;
    if (eb_ablate(&q, preset, eb_ablation_switches(preset), NULL, NULL, &a, &status) != EB_OK)
        fail_msg("%s", status.message);
    assert_true(a.done == a.wanted && a.done > 3);
    for (size_t k = 0; k < a.done; k++) {
        assert_int_equal(a.variant[k].sameness, EB_IDENTICAL);
        assert_true(a.variant[k].run.pairs > ds.n && a.variant[k].run.trials[0].kernel_s > 0);
    }
    eb_ablation_free(&a);
    free(rows);
}

/* s from a query to every point, within what the expansion may lose. */
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

static void check_expansion(const char *name)
{
    const eb_engine *engine = engine_named(name, EB_DEVICE_CUDA);
    for (size_t k = 0; k < SAMPLES; k++) {
        if (!used(&samples[k]))
            continue;
        eb_dataset ds;
        float *rows = make(&samples[k], &ds);
        void *opened = open_engine(engine, &ds, 0);
        double *s = malloc(ds.n * sizeof *s);
        assert_non_null(s);
        eb_status status;
        uint32_t query = (uint32_t)(ds.n / 2);
        assert_int_equal(engine->distances(opened, &query, 1, s, NULL, &status), EB_OK);
        assert_close_to_the_truth(&ds, rows, query, s);
        eb_neighbours_free(table_of(engine, opened, &ds, samples[k].eps));
        free(s);
        engine->close(opened);
        free(rows);
    }
}

static void ted_is_close_to_the_truth(void **state)
{
    (void)state;
    check_expansion("ted");
}

static void wmma_ref_is_close_to_the_truth(void **state)
{
    (void)state;
    check_expansion("wmma-ref");
}

/* The same sums in the same order, whatever the shape of the instruction. */
static void wmma_ref_equals_ted_bit_for_bit(void **state)
{
    (void)state;
    const eb_engine *ted = engine_named("ted", EB_DEVICE_CUDA), *wmma = engine_named("wmma-ref", EB_DEVICE_CUDA);
    for (size_t k = 0; k < SAMPLES; k++) {
        if (!used(&samples[k]))
            continue;
        eb_dataset ds;
        float *rows = make(&samples[k], &ds);
        void *a = open_engine(wmma, &ds, 0), *b = open_engine(ted, &ds, 0);
        eb_neighbours *found = table_of(wmma, a, &ds, samples[k].eps),
                      *expected = table_of(ted, b, &ds, samples[k].eps);
        assert_same_table(found, expected, samples[k].name);
        eb_neighbours_free(found);
        eb_neighbours_free(expected);
        wmma->close(a);
        ted->close(b);
        free(rows);
    }
}

static void compare_distances(const eb_engine *one, void *a, const eb_engine *two, void *b, const eb_dataset *ds)
{
    uint32_t queries[200];
    eb_status status;
    size_t m = (ds->n - 1) / 3 < 200 ? (ds->n - 1) / 3 : 200;
    for (uint32_t q = 0; q < m; q++)
        queries[q] = q * 3 + 1;
    double *from_one = malloc(m * ds->n * sizeof(double)), *from_two = malloc(m * ds->n * sizeof(double));
    assert_true(from_one && from_two);
    assert_int_equal(one->distances(a, queries, m, from_one, NULL, &status), EB_OK);
    assert_int_equal(two->distances(b, queries, m, from_two, NULL, &status), EB_OK);
    assert_memory_equal(from_one, from_two, m * ds->n * sizeof(double));
    free(from_one);
    free(from_two);
}

static void compare_histograms(const eb_engine *one, void *a, const eb_engine *two, void *b)
{
    const double eps[] = {0, 2.5, 3.2, 3.5, 3.8, 4};
    const bool keep[] = {true, false, false, true, false, true};
    uint64_t pairs[2][6];
    double *kept[2][6] = {{NULL}};
    eb_status status;
    eb_timing timing = eb_timing_none();
    eb_distance_pass p = {.edges = 6, .eps = eps, .keep = keep, .pairs = pairs[0], .kept = kept[0]};
    eb_distance_pass q = {.edges = 6, .eps = eps, .keep = keep, .pairs = pairs[1], .kept = kept[1]};
    assert_int_equal(one->histogram(a, &p, NULL, &timing, &status), EB_OK);
    assert_int_equal(two->histogram(b, &q, NULL, &timing, &status), EB_OK);
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

static void compare_passes(const eb_engine *one, const eb_engine *two)
{
    const sample s = plenty();
    eb_dataset ds;
    float *rows = make(&s, &ds);
    void *a = open_engine(one, &ds, EB_PRESET_BEST), *b = open_engine(two, &ds, EB_PRESET_BEST);
    compare_distances(one, a, two, b, &ds);
    compare_histograms(one, a, two, b);
    one->close(a);
    two->close(b);
    free(rows);
}

static void passes_of_ref64_agree_with_the_cpu(void **state)
{
    (void)state;
    compare_passes(engine_named("ref64", EB_DEVICE_CUDA), engine_named("ref64", EB_DEVICE_CPU));
}

static void passes_of_fasted_agree_with_the_cpu(void **state)
{
    (void)state;
    if (strcmp(gpu.architecture, "sm_90") != 0)
        skip();
    compare_passes(engine_named("fasted", EB_DEVICE_CUDA), engine_named("fasted", EB_DEVICE_CPU));
}

static void passes_of_wmma_ref_agree_with_ted(void **state)
{
    (void)state;
    compare_passes(engine_named("wmma-ref", EB_DEVICE_CUDA), engine_named("ted", EB_DEVICE_CUDA));
}

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
    const eb_engine *engine = engine_named(*state, EB_DEVICE_CUDA);
    const sample s = plenty();
    eb_dataset ds;
    float *rows = make(&s, &ds);
    void *opened = open_engine(engine, &ds, EB_PRESET_BEST);
    eb_status status = {.message = ""};
    eb_timing timing = eb_timing_none();
    eb_engine_options options = {.threads = 2};
    eb_join_result result;
    uint64_t entries = 0, counted = 0;
    assert_int_equal(engine->count(opened, s.eps, NULL, &timing, &counted, &status), EB_OK);
    eb_join_plan plan = {.eps = s.eps, .memory_limit = eb_neighbours_build_bytes(ds.n, counted, false) / 4};
    eb_code code =
        eb_join_run(engine, opened, ds.n, &options, &plan, add_rows, &entries, NULL, &timing, &result, &status);
    if (code != EB_OK)
        fail_msg("%s: %s", engine->name, status.message);
    assert_int_equal(entries, counted);
    assert_true(result.batches > 1);
    engine->close(opened);
    free(rows);
}

static void what_fp16_cannot_hold_is_refused(void **state)
{
    (void)state;
    const eb_engine *fasted = engine_named("fasted", EB_DEVICE_CUDA);
    eb_dataset ds;
    float *rows = make(&samples[0], &ds);
    rows[5 * ds.d + 7] = 70000;
    rows[9 * ds.d] = -1e30f;
    eb_engine_options options = {.threads = 1, .switches = EB_PRESET_BEST};
    eb_timing timing = eb_timing_none();
    eb_status status;
    void *opened = NULL;
    assert_int_equal(fasted->open(&gpu, &ds, &options, NULL, &timing, &opened, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "row 5, column 7: 70000"));
    fasted->close(opened);
    rows[5 * ds.d + 7] = 65519.99f; /* rounds to 65504 */
    rows[9 * ds.d] = 0;
    fasted->close(open_engine(fasted, &ds, EB_PRESET_BEST));
    free(rows);
}

/* ---- the list of tests, and which of them run ---- */

typedef struct test_list {
    struct CMUnitTest test[64];
    char name[64][320]; /* of tests made for a parameter */
    size_t count;
} test_list;

/* parameter NULL: the test is called `what`; else it is "what:of". */
static void add_test(test_list *list, const char *what, const char *of, CMUnitTestFunction function,
                     const void *parameter)
{
    size_t k = list->count++;
    if (k >= sizeof list->test / sizeof list->test[0])
        abort();
    (void)snprintf(list->name[k], sizeof list->name[k], "%s%s%s", what, of ? ":" : "", of ? of : "");
    list->test[k] = (struct CMUnitTest){.name = list->name[k],
                                        .test_func = function,
                                        .initial_state = (void *)(uintptr_t)parameter};
}

static void add_variants(test_list *list)
{
    static uint32_t sets[32] = {EB_PRESET_PAPER};
    size_t count = 1;
    for (size_t k = 0; k < eb_switch_count() && count < sizeof sets / sizeof sets[0]; k++) {
        uint32_t bit = eb_switch_at(k)->bit;
        sets[count++] = eb_without(bit & EB_PRESET_PAPER ? EB_PRESET_PAPER : EB_PRESET_BEST, bit);
    }
    for (size_t k = 0; k < count; k++) {
        char text[256];
        eb_switches_format(sets[k], text, sizeof text);
        add_test(list, "fasted", text, a_variant_of_fasted_agrees_bit_for_bit, &sets[k]);
    }
}

#define ADD_TEST(list, function) add_test(list, #function, NULL, function, NULL)

static void add_all(test_list *list)
{
    static const char *const engines[] = {"ref64", "fasted", "ted", "wmma-ref"};
    static const uint32_t presets[] = {EB_PRESET_PAPER, EB_PRESET_BEST};
    ADD_TEST(list, ref64_is_the_truth_bit_for_bit);
    ADD_TEST(list, fasted_equals_its_emulation_bit_for_bit);
    add_variants(list);
    add_test(list, "ablation", "paper", ablation_finds_the_same_results, &presets[0]);
    add_test(list, "ablation", "best", ablation_finds_the_same_results, &presets[1]);
    ADD_TEST(list, ted_is_close_to_the_truth);
    ADD_TEST(list, wmma_ref_is_close_to_the_truth);
    ADD_TEST(list, wmma_ref_equals_ted_bit_for_bit);
    ADD_TEST(list, passes_of_ref64_agree_with_the_cpu);
    ADD_TEST(list, passes_of_fasted_agree_with_the_cpu);
    ADD_TEST(list, passes_of_wmma_ref_agree_with_ted);
    for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++)
        add_test(list, "small_memory", engines[e], small_memory_means_more_batches_not_fewer_results, engines[e]);
    ADD_TEST(list, what_fp16_cannot_hold_is_refused);
}

/* Keeps the tests whose names contain one of the words, or are it where a test is called exactly so; all when there is
 * none. */
static void keep_wanted(test_list *list, char *const *words, int count)
{
    size_t kept = 0;
    for (size_t k = 0; k < list->count; k++) {
        bool wanted = count == 0;
        for (int w = 0; w < count && !wanted; w++) {
            bool exact = false;
            for (size_t other = 0; other < list->count; other++)
                exact |= strcmp(list->name[other], words[w]) == 0;
            wanted = exact ? strcmp(list->name[k], words[w]) == 0 : strstr(list->name[k], words[w]) != NULL;
        }
        if (wanted)
            list->test[kept++] = list->test[k];
    }
    list->count = kept;
}

int main(int argc, char **argv)
{
    static test_list list;
    eb_status status;
    size_t count = 0;
    bool only_list = argc > 1 && strcmp(argv[1], "--list") == 0;
    const char *wish = getenv("EPSBENCH_GPU_SMALL");
    small = wish && wish[0] != '\0';
    add_all(&list);
    keep_wanted(&list, argv + 1 + only_list, argc - 1 - only_list);
    for (size_t k = 0; only_list && k < list.count; k++)
        (void)puts(list.test[k].name);
    if (list.count == 0) {
        (void)fprintf(stderr, "test_gpu_engines: no test has such a name; --list shows them\n");
        return 2;
    }
    if (only_list)
        return 0;
    eb_device_cpu(&cpu);
    if (eb_cuda_devices(&gpu, 1, &count, &status) != EB_OK) {
        (void)fprintf(stderr, "test_gpu_engines: %s\n", status.message);
        return 3;
    }
    return _cmocka_run_group_tests("gpu_engines", list.test, list.count, NULL, NULL);
}
