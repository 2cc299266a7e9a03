/* Tests of the model of FASTED's kernels: conflicts, L2 hits and time against measurements on an H200
 * (tests/bench/gpu.md), and properties that follow from shapes alone. */
#include <math.h>

#include "tests/unit/machines.h"
#include "tests/unit/sanitized.h"

static eb_kernel_plan plan_of(const char *spec, size_t n, size_t d, const char *on)
{
    eb_status status;
    eb_spec parsed;
    eb_kernel_plan plan;
    assert_int_equal(eb_spec_parse(spec, NULL, &parsed, &status), EB_OK);
    assert_int_equal(parsed.engine->plan(&parsed.options, n, d, eb_machine_find(machines, machine_count, on), &plan,
                                         &status),
                     EB_OK);
    return plan;
}

static eb_prediction predict(const char *spec, size_t n, size_t d, double mhz)
{
    eb_status status;
    eb_prediction p;
    const eb_kernel_plan plan = plan_of(spec, n, d, "h200");
    assert_int_equal(eb_predict(&plan, eb_machine_find(machines, machine_count, "h200"), mhz * 1e6, NULL, &p, &status),
                     EB_OK);
    return p;
}

/* The hardware counter includes wavefronts of the tests at a tile's end; they matter less for longer points: 0.871 and
 * 0.0018 at d = 4096. */
TEST(test_conflicts)
{
    assert_true(predict("fasted[paper]", 50000, 4096, 0).conflicts_a_wavefront == 0);
    assert_true(predict("fasted[paper,-alignment]", 50000, 4096, 0).conflicts_a_wavefront == 0);
    assert_true(fabs(predict("fasted[paper,-swizzle]", 50000, 4096, 0).conflicts_a_wavefront - 0.871) < 0.005);
    assert_true(predict("fasted[-warpgroup]", 50000, 128, 0).conflicts_a_wavefront == 0);
    assert_true(predict("fasted", 50000, 128, 0).banks.conflicts == 0);
    assert_int_equal(predict("fasted[paper,-swizzle]", 50000, 64, 0).counted.worst, 8);
}

/* Wherever shared memory begins, the swizzle leaves no conflicts; without it their number is constant. */
TEST(test_misaligned)
{
    for (unsigned off = 0; off < 256; off += 16) {
        eb_kernel_plan swizzled = plan_of("fasted[paper]", 1000, 64, "h200"),
                       plain = plan_of("fasted[paper,-swizzle]", 1000, 64, "a100-pcie");
        swizzled.misaligned = plain.misaligned = off;
        assert_int_equal(eb_slice_use(&swizzled, EB_ALL_ACCESSES).conflicts, 0);
        assert_int_equal(eb_slice_use(&plain, EB_ALL_ACCESSES).conflicts, 3584);
    }
}

/* Every byte of a stage is written once, and every row of each fragment is read. */
TEST(test_bytes)
{
    static const char *const specs[] = {"fasted[paper]",
                                        "fasted[paper,-swizzle]",
                                        "fasted[-warpgroup]",
                                        "fasted[paper,-block-tile]",
                                        "fasted[paper,-warp-tile,-register-reuse]",
                                        "ted",
                                        "ref64"};
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
        static unsigned char written[65536];
        const eb_kernel_plan plan = plan_of(specs[s], 1000, 64, "h200");
        const size_t bytes = (plan.rows + plan.columns) * 128;
        uint32_t address[EB_WARP];
        memset(written, 0, sizeof written);
        for (size_t k = 0; k < plan.access[0].instances; k++) {
            plan.access[0].addresses(&plan, k, address);
            for (unsigned lane = 0; lane < EB_WARP; lane++)
                for (unsigned b = 0; b < 16; b++)
                    written[address[lane] + b]++;
        }
        for (size_t b = 0; b < bytes; b++)
            assert_int_equal(written[b], 1);
        for (size_t a = 1; a < plan.accesses; a++)
            for (size_t k = 0; k < plan.access[a].instances; k++) {
                plan.access[a].addresses(&plan, k, address);
                for (unsigned lane = 0; lane < plan.access[a].lanes; lane++)
                    assert_true((written[address[lane]] |= 2) & 1);
            }
        for (size_t b = 0; b < bytes; b += 16)
            assert_int_equal(written[b], 3);
    }
}

/* Every tile of the matrix, or of its upper triangle, has a unique number. */
TEST(test_tiles)
{
    static const char *const specs[] = {"fasted",
                                        "fasted[-symmetric]",
                                        "fasted[-bands]",
                                        "fasted[-warpgroup]",
                                        "fasted[paper]",
                                        "fasted[paper,-tile-order]",
                                        "fasted[paper,+symmetric]",
                                        "ted",
                                        "ted[paper]",
                                        "ref64",
                                        "wmma",
                                        "wmma-ref",
                                        "gds",
                                        "exact[way=integers]"};
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        static unsigned char seen[200 * 200];
        const eb_kernel_plan plan = plan_of(specs[k], 4990, 64, "h200");
        const uint32_t rows = (4990 + plan.rows - 1) / plan.rows, columns = (4990 + plan.columns - 1) / plan.columns;
        double tiles = 0;
        memset(seen, 0, sizeof seen);
        for (uint64_t number = 0; number < plan.numbers; number++) {
            const eb_worker_run run = plan.run(&plan, number);
            for (uint32_t c = 0; c < run.count; c++) {
                assert_true(run.row < rows && run.column + c < columns);
                assert_int_equal(seen[run.row * columns + run.column + c]++, 0);
                assert_true(!plan.symmetric || run.row <= run.column + c);
                tiles++;
            }
        }
        assert_true(tiles == eb_tiles_inside(&plan));
    }
}

TEST(test_occupancy)
{
    static const struct {
        const char *spec;
        unsigned blocks, workers;
        const char *limit;
    } wanted[] = {{"fasted", 1, 66, "shared memory"},
                  {"fasted[-warpgroup]", 2, 264, "shared memory"},
                  {"fasted[paper]", 2, 264, "registers"},
                  {"fasted[paper,-residency]", 1, 132, "shared memory"}};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        const eb_prediction p = predict(wanted[k].spec, 100000, 128, 0);
        assert_int_equal(p.occupancy.blocks, wanted[k].blocks);
        assert_int_equal(p.occupancy.workers, wanted[k].workers);
        assert_string_equal(p.occupancy.limit, wanted[k].limit);
    }
}

/* Within 4 percentage points of the counters, at n = 100,000 and, with S = 0, 500,000. At d = 4096 the model is 11
 * points too low. */
TEST(test_l2)
{
    static const struct {
        size_t n, d;
        double hits;
    } measured[] = {{100000, 128, 1.0},
                    {500000, 128, 0.974},
                    {100000, 512, 0.880},
                    {100000, 1024, 0.723},
                    {100000, 2048, 0.583}};
    for (size_t k = 0; k < sizeof measured / sizeof measured[0]; k++)
        assert_true(fabs(predict("fasted[-in-step]", measured[k].n, measured[k].d, 0).cache.hit_rate -
                         measured[k].hits) < 0.04);
}

/* ---- counters of an H200 ---- */

typedef struct counted {
    char spec[120];
    size_t d;
    double clock_hz, kernel_s, l2_hit_rate, conflicts, matrix, occupancy; /* NAN: not measured */
} counted;

static double number_or_nan(const char *text) { return strcmp(text, "n/a") == 0 ? NAN : strtod(text, NULL); }

/* Reads the next row of the table; false at its end. */
static bool next_counted(FILE *table, counted *out)
{
    char line[400], matrix[16], occupancy[16];
    while (fgets(line, sizeof line, table))
        if (sscanf(line, "%119[^\t]\t%zu\t%lf\t%lf\t%lf\t%lf\t%15s\t%15s", out->spec, &out->d, &out->clock_hz,
                   &out->kernel_s, &out->l2_hit_rate, &out->conflicts, matrix, occupancy) == 8) {
            out->matrix = number_or_nan(matrix);
            out->occupancy = number_or_nan(occupancy);
            return true;
        }
    return false;
}

static eb_prediction predict_counted(const counted *of)
{
    eb_status status;
    eb_prediction p;
    eb_kernel_plan plan = plan_of(of->spec, 100000, of->d, "h200");
    plan.selectivity = 0;
    assert_int_equal(eb_predict(&plan, eb_machine_find(machines, machine_count, "h200"), 0, NULL, &p, &status), EB_OK);
    return p;
}

/* What the model was not fitted to (machine_rows.h). */
static bool held_out(const counted *of) { return of->d == 256 || of->d == 512 || of->d == 1024 || of->d == 2048; }

static void check_row(const counted *row, const eb_prediction *p)
{
    const double matrix = (double)p->matrix.conflicts / (double)p->matrix.wavefronts;
    if (!(fabs(p->kernel_s / row->kernel_s - 1) < 0.25))
        fail_msg("%s at d = %zu: %.2f ms, measured %.2f", row->spec, row->d, 1e3 * p->kernel_s, 1e3 * row->kernel_s);
    if (!isnan(row->matrix) && fabs(matrix - row->matrix) > 1e-4)
        fail_msg("%s at d = %zu: conflicts %.4f, counted %.4f", row->spec, row->d, matrix, row->matrix);
    if (!isnan(row->occupancy) &&
        !(row->occupancy < 1.03 * p->occupancy.share && row->occupancy > 0.85 * p->occupancy.share))
        fail_msg("%s at d = %zu: occupancy %.4f, counted %.4f", row->spec, row->d, p->occupancy.share, row->occupancy);
    if (!(fabs(p->cache.hit_rate - row->l2_hit_rate) < 0.2))
        fail_msg("%s at d = %zu: L2 hits %.3f, counted %.3f", row->spec, row->d, p->cache.hit_rate, row->l2_hit_rate);
    if (row->kernel_s > 5e-3 && !(fabs(p->clock_hz / row->clock_hz - 1) < 0.1))
        fail_msg("%s at d = %zu: clock %.0f MHz, counted %.0f", row->spec, row->d, 1e-6 * p->clock_hz,
                 1e-6 * row->clock_hz);
}

/* The clock is predicted, not given. Of the 113 times 110 are within 10 %, the three others are of kernels that hardly
 * multiply, at d = 64 and 128; of the 35 that nothing was fitted to all are. ldmatrix's conflicts are exact. Active
 * warps are those that fit, less the idle ones at a kernel's end. Clocks of kernels below 5 ms are those of a pass that
 * begins at rest. L2 is wrong for kernels with fixed shares, whose workers drift apart at random: three kernels that
 * read alike hit 0.483, 0.424 and 0.363 at d = 4096, and fasted[-symmetric] 0.573 in one run and 0.692 in the next. */
TEST(test_counters)
{
    if (EB_SANITIZED)
        skip(); /* replays take a minute; the next test runs some of them */
    enum { ROWS = 113, TIMES = 109, HELD_OUT = 34, IN_BAND = 98, HITS = 97 };
    FILE *table = fopen("tests/bench/counters_h200.tsv", "r");
    counted row;
    unsigned rows = 0, times = 0, times_held_out = 0, in_band = 0, hits = 0;
    assert_non_null(table);
    for (; next_counted(table, &row); rows++) {
        const eb_prediction p = predict_counted(&row);
        const bool near = fabs(p.kernel_s / row.kernel_s - 1) < 0.1;
        check_row(&row, &p);
        times += near;
        times_held_out += near && held_out(&row);
        in_band += p.kernel.low <= row.kernel_s && row.kernel_s <= p.kernel.high;
        hits += fabs(p.cache.hit_rate - row.l2_hit_rate) < 0.05;
    }
    assert_int_equal(fclose(table), 0);
    assert_int_equal(rows, ROWS);
    if (times < TIMES || times_held_out < HELD_OUT || in_band < IN_BAND || hits < HITS)
        fail_msg("times within 10 %%: %u, of the held-out %u; within their band: %u; L2 within 5 points: %u", times,
                 times_held_out, in_band, hits);
}

/* Kernel milliseconds at n = 100,000, S = 64, at the measured clock if known, else at the predicted one. */
typedef struct timed {
    const char *spec;
    size_t d;
    double mhz, ms;
} timed;

static void check_times(const timed *measured, size_t count, double within)
{
    for (size_t k = 0; k < count; k++) {
        const timed *m = &measured[k];
        const double ms = 1e3 * predict(m->spec, 100000, m->d, m->mhz).kernel_s;
        if (!(fabs(ms / m->ms - 1) < within))
            fail_msg("%s at d = %zu: %.2f ms, measured %.2f", m->spec, m->d, ms, m->ms);
    }
}

TEST(test_times)
{
    static const timed measured[] = {
        {"fasted[paper]", 128, 0, 22.0},
        {"fasted[paper]", 1024, 0, 57.7},
        {"fasted[paper]", 4096, 0, 203},
        {"fasted[paper,-tile-order]", 128, 0, 22.0},
        {"fasted[paper,-tile-order]", 4096, 0, 233},
        {"fasted[paper,-block-tile]", 4096, 0, 270},
        {"fasted[paper,-async-copy,-pipeline]", 128, 0, 23.8},
        {"fasted[paper,-async-copy,-pipeline]", 4096, 0, 248},
        {"fasted[paper,-pipeline]", 128, 0, 22.0},
        {"fasted[paper,-pipeline]", 4096, 0, 210},
        {"fasted[paper,-residency]", 128, 0, 40.7},
        {"fasted[paper,-swizzle]", 128, 0, 42.3},
        {"fasted[paper,-swizzle]", 4096, 0, 722},
        {"fasted[paper,-register-reuse]", 128, 0, 38.3},
        {"fasted[paper,-register-reuse]", 4096, 0, 766},
        {"fasted[-warpgroup]", 64, 0, 2.89},
        {"fasted[-warpgroup]", 128, 0, 4.27},
        {"fasted[-warpgroup]", 256, 0, 7.07},
        {"fasted[-warpgroup]", 512, 0, 13.00},
        {"fasted", 128, 1815, 2.364}, /* from the clock rates beside the counters */
        {"fasted", 512, 1688, 7.126},
        {"fasted", 1024, 1582, 13.71},
        {"fasted", 2048, 1499, 27.60},
        {"fasted", 4096, 1413, 57.09},
    };
    check_times(measured, sizeof measured / sizeof measured[0], 0.2);
}

/* Rows of one slice and their padding, by four groups and, of 256 bytes, by two; next to no pairs, and 64 or more a
 * point. The times are in tests/bench/gpu.md. */
TEST(test_padding)
{
    static const struct {
        const char *spec;
        size_t n, d;
        double selectivity, s;
    } measured[] = {
        {"fasted", 1000000, 16, 0, 47.6e-3},
        {"fasted", 1000000, 16, 72.4, 60.8e-3},
        {"fasted", 1000000, 32, 0, 60.3e-3},
        {"fasted", 500000, 64, 0, 20.8e-3},
        {"fasted", 500000, 64, 117, 28.1e-3},
        {"fasted[-four-groups]", 1000000, 16, 0, 64.8e-3},
        {"fasted[-four-groups]", 1000000, 32, 0, 75.5e-3},
        {"fasted[-four-groups]", 500000, 64, 0, 25.9e-3},
        {"fasted", 500000, 128, 0, 40.5e-3},
        {"fasted", 500000, 128, 64, 48.0e-3},
        {"exact[way=integers]", 1000000, 16, 0, 46.0e-3},
        {"exact[way=integers]", 1000000, 16, 35.8, 53.4e-3},
        {"exact[way=integers]", 400000, 128, 0, 11.4e-3},
        {"exact[way=integers]", 400000, 128, 63.9, 16.4e-3},
    };
    eb_status status;
    for (size_t k = 0; k < sizeof measured / sizeof measured[0]; k++) {
        eb_kernel_plan plan = plan_of(measured[k].spec, measured[k].n, measured[k].d, "h200");
        eb_prediction p;
        plan.selectivity = measured[k].selectivity;
        assert_int_equal(eb_predict(&plan, eb_machine_find(machines, machine_count, "h200"), 0, NULL, &p, &status),
                         EB_OK);
        if (!(fabs(p.kernel_s / measured[k].s - 1) < 0.15))
            fail_msg("%s at d = %zu, S = %g: %.4f s, measured %.4f", measured[k].spec, measured[k].d,
                     measured[k].selectivity, p.kernel_s, measured[k].s);
    }
    const double half = predict("fasted", 10000, 32, 0).executed_flops;
    assert_true(half == predict("fasted", 10000, 64, 0).executed_flops / 2);
    assert_true(half == 2 * predict("fasted", 10000, 16, 0).executed_flops);
    assert_true(half == predict("exact[way=integers]", 10000, 32, 0).executed_flops);
    assert_true(2 * half == predict("fasted[-bands]", 10000, 32, 0).executed_flops); /* compiled for whole slices */
    assert_int_equal(plan_of("fasted", 1000, 784, "h200").d_multiplied, 784);
    assert_int_equal(plan_of("fasted", 1000, 790, "h200").d_multiplied, 800);
}

/* FP64 tiles, 200,000 points: seconds for 10¹² ordered pairs. */
TEST(test_times_in_f64)
{
    static const struct {
        size_t d;
        double s;
    } measured[] = {{4, 0.417}, {16, 0.598}, {32, 0.893}, {64, 1.407}, {128, 2.564}};
    for (size_t k = 0; k < sizeof measured / sizeof measured[0]; k++) {
        const double s = predict("ted", 200000, measured[k].d, 0).kernel_s * 25;
        if (!(fabs(s / measured[k].s - 1) < 0.2))
            fail_msg("d = %zu: %.3f s, measured %.3f", measured[k].d, s, measured[k].s);
    }
    assert_int_equal(predict("ted", 200000, 64, 0).banks.conflicts, 0);
    assert_int_equal(predict("ted", 200000, 64, 0).occupancy.blocks, 2);
}

/* A plan says whether its variant is compiled, and with which registers and options. */
TEST(test_variants)
{
    assert_true(plan_of("fasted", 1000, 64, "h200").compiled);
    assert_true(plan_of("fasted[paper,-swizzle]", 1000, 64, "a100-sxm").compiled);
    assert_true(plan_of("fasted[paper,-swizzle,-alignment,-residency]", 1000, 64, "h200").compiled);
    assert_false(plan_of("fasted[-striding,-run-ahead,-warpgroup,-symmetric]", 1000, 64, "h200").compiled);
    assert_int_equal(plan_of("fasted", 1000, 64, "a100-sxm").registers, 244);
    assert_true(plan_of("fasted", 500000, 128, "h200").keeps_rows);
    assert_false(plan_of("fasted", 100000, 128, "h200").keeps_rows);
}

RUN_TESTS_WITH(begin, end)
