/* What does not fit the GPU: datasets streamed by blocks give what resident ones give, bit for bit; a limit too small
 * for two blocks is refused; a cancelled join stops within 200 ms. Needs a GPU. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/join/join.h"
#include "core/study/ablation.h"
#include "kernels/device/cuda.h"

static eb_device gpu;

static float *random_points(size_t n, size_t d, eb_dataset *ds)
{
    float *rows = malloc(n * d * sizeof *rows);
    assert_non_null(rows);
    uint64_t z = n * 31 + d;
    for (size_t x = 0; x < n * d; x++) {
        z = z * 6364136223846793005u + 1442695040888963407u;
        rows[x] = (float)(z >> 40) * 0x1p-24f;
    }
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = EB_F32,
                       .rows = (const unsigned char *)rows,
                       .stride = d * sizeof(float),
                       .source = (char *)(uintptr_t) "random"};
    return rows;
}

static const eb_engine *engine_named(const char *name)
{
    const eb_engine *engine = NULL;
    eb_status status;
    assert_int_equal(eb_engine_find(name, EB_DEVICE_CUDA, &engine, &status), EB_OK);
    return engine;
}

static void *open_within(const eb_engine *engine, const eb_dataset *ds, uint32_t switches, uint64_t limit)
{
    eb_status status = {.message = ""};
    eb_timing timing = eb_timing_none();
    eb_engine_options options = {.threads = 2, .switches = switches, .memory_limit = limit};
    void *state = NULL;
    if (engine->open(&gpu, ds, &options, NULL, &timing, &state, &status) != EB_OK)
        fail_msg("%s: %s", engine->name, status.message);
    return state;
}

typedef struct rows_found {
    eb_neighbours *batch[64];
    size_t batches;
} rows_found;

static eb_code keep_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    rows_found *found = context;
    (void)status;
    found->batch[found->batches++] = batch;
    return EB_OK;
}

/* Rows [begin, end) by the engine's own join, as one table. */
static eb_neighbours *rows_of(const eb_engine *engine, void *state, const eb_dataset *ds, double eps, size_t begin,
                              size_t end)
{
    eb_table_builder *builder;
    eb_neighbours *table = NULL;
    eb_status status = {.message = ""};
    eb_timing timing = eb_timing_none();
    assert_int_equal(eb_table_builder_new(ds->n, begin, end, 2, true, 0, &builder, &status), EB_OK);
    eb_sink sink = eb_table_builder_sink(builder);
    if (engine->join(state, eps, begin, end, &sink, NULL, &timing, &status) != EB_OK)
        fail_msg("%s: %s", engine->name, status.message);
    assert_int_equal(eb_table_builder_finish(builder, NULL, &table, &status), EB_OK);
    eb_table_builder_free(builder);
    return table;
}

static void assert_same_rows(const eb_neighbours *a, const eb_neighbours *b)
{
    uint64_t entries = a->offsets[a->rows];
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(entries, b->offsets[b->rows]);
    assert_memory_equal(a->offsets, b->offsets, (a->rows + 1) * sizeof *a->offsets);
    assert_memory_equal(a->columns, b->columns, entries * sizeof *a->columns);
    assert_memory_equal(a->distances, b->distances, entries * sizeof *a->distances);
}

typedef struct variant {
    const char *engine;
    uint32_t switches;
} variant;
static const variant variants[] = {{"ref64", 0}, {"ted", 0}, {"fasted", EB_PRESET_BEST}, {"fasted", EB_PRESET_PAPER}};

static void compare_streamed(const variant *v, const eb_dataset *ds, uint64_t limit, double eps)
{
    const eb_engine *engine = engine_named(v->engine);
    void *resident = open_within(engine, ds, v->switches, 0), *streamed = open_within(engine, ds, v->switches, limit);
    assert_null(strstr(engine->describe(resident), "streamed"));
    assert_non_null(strstr(engine->describe(streamed), "streamed in"));
    eb_status status;
    eb_timing timing = eb_timing_none();

    uint64_t counted[2];
    assert_int_equal(engine->count(resident, eps, NULL, &timing, &counted[0], &status), EB_OK);
    assert_int_equal(engine->count(streamed, eps, NULL, &timing, &counted[1], &status), EB_OK);
    assert_int_equal(counted[0], counted[1]);
    assert_true(counted[0] > ds->n);

    const size_t ranges[][2] = {{0, ds->n}, {130, 1001}, {ds->n - 1, ds->n}};
    for (size_t k = 0; k < 3; k++) {
        eb_neighbours *a = rows_of(engine, resident, ds, eps, ranges[k][0], ranges[k][1]);
        eb_neighbours *b = rows_of(engine, streamed, ds, eps, ranges[k][0], ranges[k][1]);
        assert_same_rows(a, b);
        eb_neighbours_free(a);
        eb_neighbours_free(b);
    }

    const double edges[] = {eps / 2, eps};
    const bool keep[] = {false, true};
    uint64_t pairs[2][2];
    double *kept[2][2] = {{NULL}};
    for (int s = 0; s < 2; s++) {
        eb_distance_pass pass = {.edges = 2, .eps = edges, .keep = keep, .pairs = pairs[s], .kept = kept[s]};
        assert_int_equal(engine->histogram(s ? streamed : resident, &pass, NULL, &timing, &status), EB_OK);
        assert_int_equal(2 * (pairs[s][0] + pairs[s][1]) + ds->n, counted[0]);
        free(kept[s][1]);
    }
    assert_memory_equal(pairs[0], pairs[1], sizeof pairs[0]);

    const uint32_t queries[] = {0, 7, 999, (uint32_t)ds->n - 1};
    double *s[2] = {malloc(4 * ds->n * sizeof(double)), malloc(4 * ds->n * sizeof(double))};
    assert_int_equal(engine->distances(resident, queries, 4, s[0], NULL, &status), EB_OK);
    assert_int_equal(engine->distances(streamed, queries, 4, s[1], NULL, &status), EB_OK);
    assert_memory_equal(s[0], s[1], 4 * ds->n * sizeof(double));
    free(s[0]);
    free(s[1]);
    engine->close(resident);
    engine->close(streamed);
}

static void streamed_blocks_give_what_resident_points_give(void **state)
{
    (void)state;
    eb_dataset ds;
    float *rows = random_points(1500, 70, &ds);
    for (size_t k = 0; k < sizeof variants / sizeof variants[0]; k++) {
        const eb_engine *engine = engine_named(variants[k].engine);
        uint64_t row_bytes = engine->memory_needed(100000, ds.d, EB_F32) / 100000;
        compare_streamed(&variants[k], &ds, 3 * row_bytes * (256 + 300), 2.35); /* blocks of 256 points */
    }
    free(rows);
}

static void a_limit_too_small_is_refused(void **state)
{
    (void)state;
    eb_dataset ds;
    float *rows = random_points(1500, 70, &ds);
    const eb_engine *engine = engine_named("fasted");
    eb_engine_options options = {.threads = 1, .switches = EB_PRESET_BEST, .memory_limit = 20000};
    eb_timing timing = eb_timing_none();
    eb_status status;
    void *opened = NULL;
    assert_int_equal(engine->open(&gpu, &ds, &options, NULL, &timing, &opened, &status), EB_NO_MEMORY);
    assert_non_null(strstr(status.message, "it has room for 20000"));
    engine->close(opened);
    free(rows);
}

/* A limit on the GPU that holds the points but not all results at once: the rows come in
 * batches, and all of them come. */
static void results_beyond_the_limit_come_in_batches(void **state)
{
    (void)state;
    eb_dataset ds;
    float *rows = random_points(3000, 20, &ds);
    for (size_t k = 0; k < sizeof variants / sizeof variants[0]; k++) {
        const eb_engine *engine = engine_named(variants[k].engine);
        uint64_t points = engine->memory_needed(ds.n, ds.d, EB_F32), counted = 0, entries = 0;
        void *opened = open_within(engine, &ds, variants[k].switches, points + points / 2 + 400000);
        eb_status status = {.message = ""};
        eb_timing timing = eb_timing_none();
        eb_engine_options options = {.threads = 2};
        eb_join_plan plan = {.eps = 1.5, .distances = true};
        eb_join_result result;
        rows_found found = {.batches = 0};
        if (eb_join_run(engine, opened, ds.n, &options, &plan, keep_batch, &found, NULL, &timing, &result, &status) !=
            EB_OK)
            fail_msg("%s: %s", engine->name, status.message);
        assert_int_equal(engine->count(opened, 1.5, NULL, &timing, &counted, &status), EB_OK);
        for (size_t b = 0; b < found.batches; b++) {
            entries += found.batch[b]->offsets[found.batch[b]->rows];
            eb_neighbours_free(found.batch[b]);
        }
        assert_int_equal(entries, counted);
        assert_true(found.batches > 1);
        engine->close(opened);
    }
    free(rows);
}

/* ---- cancel ---- */

typedef struct endless {
    const eb_engine *engine;
    void *opened;
} endless;

static eb_code count_for_ever(eb_job *job, void *argument, eb_status *status)
{
    endless *e = argument;
    eb_timing timing = eb_timing_none();
    uint64_t pairs;
    eb_code code;
    while ((code = e->engine->count(e->opened, 1, job, &timing, &pairs, status)) == EB_OK)
        ;
    return code;
}

static void a_cancelled_count_stops_within_200_ms(void **state)
{
    (void)state;
    eb_dataset ds;
    float *rows = random_points(60000, 512, &ds);
    for (size_t k = 0; k < sizeof variants / sizeof variants[0]; k++) {
        endless e = {.engine = engine_named(variants[k].engine)};
        e.opened = open_within(e.engine, &ds, variants[k].switches, 0);
        eb_job *job;
        eb_status status;
        assert_int_equal(eb_job_start(count_for_ever, &e, &job, &status), EB_OK);
        (void)nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL); /* well into it */
        double asked = eb_now_s();
        eb_job_cancel(job);
        assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
        double waited = eb_now_s() - asked;
        (void)fprintf(stderr, "%s: %.0f ms from cancel to end\n", variants[k].engine, 1e3 * waited);
        assert_true(waited < 0.2);
        e.engine->close(e.opened);
    }
    free(rows);
}

int main(void)
{
    eb_status status;
    size_t count = 0;
    if (eb_cuda_devices(&gpu, 1, &count, &status) != EB_OK) {
        (void)fprintf(stderr, "test_gpu_memory: %s\n", status.message);
        return 3;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streamed_blocks_give_what_resident_points_give),
        cmocka_unit_test(a_limit_too_small_is_refused),
        cmocka_unit_test(results_beyond_the_limit_come_in_batches),
        cmocka_unit_test(a_cancelled_count_stops_within_200_ms),
    };
    return cmocka_run_group_tests_name("gpu_memory", tests, NULL, NULL);
}
