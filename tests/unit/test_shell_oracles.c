/* Oracles: ε and |R| that independent programs computed on real data are found exactly, each in one pass. The built-in
 * dataset is always tested, others only if EPSBENCH_DATA names their folder. */
#include <math.h>

#include "core/base/parallel.h"
#include "core/tune/tune.h"
#include "io/load.h"
#include "tests/unit/test.h"

/* A dataset, opened by the engine of the exact result. The struct must not move: `opened` points into it. */
typedef struct oracle {
    eb_dataset *ds;
    eb_setup setup;
    eb_opened opened;
} oracle;

static eb_code find_cpu(void *context, const char *name, eb_device *out, eb_status *status)
{
    (void)context, (void)status;
    assert_string_equal(name, "cpu");
    eb_device_cpu(out);
    return EB_OK;
}

static void open_data(const char *file, oracle *o)
{
    char path[4096];
    const char *what = file;
    if (file[0] == '/') {
        const char *folder = getenv("EPSBENCH_DATA");
        if (!folder)
            skip();
        (void)snprintf(path, sizeof path, "%s%s", folder, file);
        what = path;
    }
    eb_status status;
    if (eb_load(what, NULL, &o->ds, &status) != EB_OK ||
        eb_setup_truth("cpu", NULL, find_cpu, NULL, &o->setup, &status) != EB_OK)
        fail_msg("%s", status.message);
    o->setup.resources.threads = eb_cpu_count();
    const eb_problem problem = eb_self_join(o->ds);
    if (eb_problem_open(&o->setup, &problem, NULL, &o->opened, &status) != EB_OK)
        fail_msg("%s", status.message);
}

static void close_data(oracle *o)
{
    eb_problem_close(&o->opened);
    eb_dataset_free(o->ds);
}

/* Tunes all targets from a curve of this many queries (0: chosen by the curve). */
static unsigned tune(oracle *o, size_t queries, uint64_t seed, eb_target *targets, size_t count)
{
    eb_curve curve;
    eb_status status;
    unsigned passes = 0;
    if (eb_curve_sample(&o->opened, queries, seed, &curve, &status) != EB_OK ||
        eb_tune(&o->opened, &curve, targets, count, EB_TUNE_KEEP, &passes, &status) != EB_OK)
        fail_msg("%s", status.message);
    eb_curve_free(&curve);
    return passes;
}

/* Integer coordinates: ε is a square root, and a pair at exactly that distance is in |R|. */
static void check_squares(const char *file, const double *squared, const uint64_t *pairs)
{
    oracle o;
    open_data(file, &o);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        eb_target t[] = {{.wanted = 64}, {.wanted = 128}, {.wanted = 256}};
        assert_int_equal(tune(&o, 0, seed, t, 3), 1);
        for (size_t k = 0; k < 3; k++) {
            assert_true(t[k].eps == eb_smallest_eps(squared[k]) && fabs(t[k].eps - sqrt(squared[k])) < 1e-9);
            assert_int_equal(t[k].pairs, pairs[k]);
            assert_true(t[k].selectivity == (double)(pairs[k] - o.ds->n) / (double)o.ds->n);
            assert_true(t[k].ties > 0 && !t[k].reached_at_zero);
        }
    }
    close_data(&o);
}

static void check_counts(oracle *o, const double *eps, const uint64_t *expected, size_t count)
{
    uint64_t pairs[8];
    eb_status status;
    assert_int_equal(eb_sweep(&o->opened, eps, count, pairs, &status), EB_OK);
    for (size_t k = 0; k < count; k++)
        assert_int_equal(pairs[k], expected[k]);
}

TEST(demo)
{
    static const double squared[] = {2119530, 2616304, 3294078};
    static const uint64_t pairs[] = {260000, 516000, 1028000};
    check_squares("demo", squared, pairs);
}

TEST(demo_to_its_ends)
{
    oracle o;
    open_data("demo", &o);
    eb_target t[] = {{.wanted = 1e-6}, {.wanted = 3999}};
    assert_true(tune(&o, 0, 1, t, 2) <= 2);
    assert_int_equal(t[1].pairs, 16000000);
    assert_true(t[0].pairs >= 4002 && t[0].pairs == 4000 + 2 * t[0].ties);
    /* At the upper end all pairs are found, just below it all but its ties; just below the lower end only self pairs.
     */
    double around[] = {nextafter(t[0].eps, 0), t[0].eps, nextafter(t[1].eps, 0), t[1].eps};
    uint64_t expected[] = {4000, t[0].pairs, 16000000 - 2 * t[1].ties, 16000000};
    check_counts(&o, around, expected, 4);
    close_data(&o);
}

TEST(bigann10k)
{
    static const double squared[] = {114528, 133396, 153852};
    static const uint64_t pairs[] = {650006, 1290024, 2570040};
    check_squares("/bigann10k.u8bin", squared, pairs);
    static const double eps[] = {100, 200, 300, 350, 400};
    static const uint64_t counts[] = {10330, 27074, 250942, 872692, 3127756};
    oracle o;
    open_data("/bigann10k.u8bin", &o);
    check_counts(&o, eps, counts, 5);
    close_data(&o);
}

TEST(lonlat)
{
    static const double eps[] = {0.395152, 0.620874, 0.978226, 1.0};
    static const uint64_t counts[] = {6656704, 13303822, 26994684, 27982048};
    oracle o;
    open_data("/lonlat_100000x2.csv", &o);
    check_counts(&o, eps, counts, 4);
    eb_target t[4];
    for (size_t k = 0; k < 4; k++)
        t[k] = (eb_target){.wanted = (double)(counts[k] - 100000) / 100000};
    assert_int_equal(tune(&o, 0, 1, t, 4), 1);
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(t[k].pairs, counts[k]);
        assert_true(t[k].eps <= eps[k] && eps[k] - t[k].eps < 1e-6);
    }
    close_data(&o);
}

TEST(cifar25k)
{
    static const double eps[] = {0.573214971092, 0.607765023682, 0.644724435975};
    static const uint64_t pairs[] = {1625000, 3225000, 6425000};
    static const double round_eps[] = {0.5, 0.572841, 0.6, 0.65};
    static const uint64_t counts[] = {339134, 1612402, 2772670, 7062926};
    oracle o;
    open_data("/cifar25k_gist512.fvecs", &o);
    eb_target t[] = {{.wanted = 64}, {.wanted = 128}, {.wanted = 256}};
    assert_int_equal(tune(&o, 0, 1, t, 3), 1);
    for (size_t k = 0; k < 3; k++) {
        assert_true(fabs(t[k].eps - eps[k]) < 5e-13);
        assert_int_equal(t[k].pairs, pairs[k]);
    }
    check_counts(&o, round_eps, counts, 4);
    close_data(&o);
}

TEST(tycho100k)
{
    static const double eps[] = {0.0476, 0.0673, 0.0952};
    static const uint64_t counts[] = {6575980, 13021936, 25894840};
    oracle o;
    open_data("demo:stars", &o);
    check_counts(&o, eps, counts, 3);
    close_data(&o);
}

RUN_TESTS
