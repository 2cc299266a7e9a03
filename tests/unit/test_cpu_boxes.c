/* Tests of the boxes engine on the CPU. Its tables equal the exact ones bit for bit: for all kinds of points,
 * instruction sets and numbers of threads, and for rows, parts and batches. test_exact_truth.c tests all ways on more
 * points. */
#include <float.h>
#include <math.h>

#include "core/join/join.h"
#include "kernels/boxes/cpu/boxes.h"
#include "kernels/walk/isa.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/join_entries.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

static const eb_engine boxes_engine = {.name = "boxes",
                                       .exactness = EB_TRUTH,
                                       .on = {[EB_DEVICE_CPU] = {"boxes", &eb_boxes_cpu}}};
static const cpu_variant boxes_variant = {&boxes_engine, ""}, ref64_variant = {&eb_engine_ref64, ""};

static const char *const isas[] = {"base", "avx2", "avx512"};

/* ---- points ---- */

static uint64_t seed = 1;

static double uniform(void) { return (double)(naive_random(&seed) >> 11) * 0x1p-53; }

/* Coordinate k of point i of n. */
typedef double (*maker)(size_t i, size_t k, size_t n);

static double even(size_t i, size_t k, size_t n) { return (void)i, (void)k, (void)n, uniform(); }
static double clustered(size_t i, size_t k, size_t n)
{
    return (void)n, (double)((i % 5 * 7 + k) % 11) + 0.01 * uniform();
}
static double duplicated(size_t i, size_t k, size_t n) { return (void)n, (double)((i % 7 * 31 + k * 17) % 13) / 7; }
static double nearly_duplicated(size_t i, size_t k, size_t n)
{
    return (void)n, nextafter((double)((i % 7 * 31 + k * 17) % 13) / 7, uniform() < 0.5 ? 9 : -9);
}
static double far_off(size_t i, size_t k, size_t n) { return (void)i, (void)n, 1e6 * (double)(k + 1) + uniform(); }
static double mixed(size_t i, size_t k, size_t n)
{
    return (void)i, (void)n, (uniform() - 0.5) * ldexp(1, (int)(k % 5) * 40 - 80);
}
static double subnormal(size_t i, size_t k, size_t n) { return (void)i, (void)k, (void)n, ldexp(uniform(), -1060); }
static double small(size_t i, size_t k, size_t n) { return (void)i, (void)k, (void)n, ldexp(uniform(), -540); }
static double whole(size_t i, size_t k, size_t n)
{
    return (void)i, (void)k, (void)n, (double)(naive_random(&seed) % 20);
}
static double outlier(size_t i, size_t k, size_t n) { return i == n / 2 ? (k % 2 ? 1e30 : -1e30) : uniform(); }
static double equal(size_t i, size_t k, size_t n) { return (void)i, (void)n, (double)k + 0.1; }
static double huge(size_t i, size_t k, size_t n) { return (void)i, (void)k, (void)n, (uniform() - 0.5) * 3e300; }
static double on_a_line(size_t i, size_t k, size_t n) { return (double)i / (double)n * (double)(k + 1); }

static const struct {
    const char *name;
    maker make;
} families[] = {
    {"even", even},
    {"clustered", clustered},
    {"duplicated", duplicated},
    {"nearly duplicated", nearly_duplicated},
    {"far off", far_off},
    {"mixed", mixed},
    {"subnormal", subnormal},
    {"small", small},
    {"whole", whole},
    {"outlier", outlier},
    {"equal", equal},
    {"huge", huge},
    {"on a line", on_a_line},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static eb_dataset *points_of(maker make, size_t n, size_t d)
{
    eb_dataset *ds = calloc(1, sizeof *ds);
    double *values = malloc(n * d * sizeof *values);
    eb_status status = {.message = ""};
    assert_true(ds && values);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            values[i * d + k] = make(i, k, n);
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = EB_F64,
                       .rows = (void *)values,
                       .stride = d * sizeof *values,
                       .release = naive_release,
                       .owner = values};
    if (eb_dataset_seal(ds, &status))
        fail_msg("%s", status.message);
    return ds;
}

/* ---- tables ---- */

typedef struct joined {
    size_t rows, batches;
    uint64_t entries;
    uint64_t *length;
    uint32_t *columns;
    double *distances;
} joined;

static eb_code append_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    joined *j = context;
    const uint64_t more = batch->offsets[batch->rows];
    j->length = realloc(j->length, (j->rows + batch->rows) * sizeof *j->length);
    j->columns = realloc(j->columns, (j->entries + more + 1) * sizeof *j->columns);
    j->distances = realloc(j->distances, (j->entries + more + 1) * sizeof *j->distances);
    assert_true(j->length && j->columns && j->distances);
    assert_int_equal(batch->first_row, j->rows);
    for (size_t r = 0; r < batch->rows; r++)
        j->length[j->rows + r] = batch->offsets[r + 1] - batch->offsets[r];
    memcpy(j->columns + j->entries, batch->columns, more * sizeof *j->columns);
    for (uint64_t k = 0; k < more; k++)
        j->distances[j->entries + k] = batch->kept ? eb_neighbours_distance(batch, k) : 0;
    j->rows += batch->rows;
    j->entries += more;
    j->batches++;
    eb_neighbours_free(batch);
    return EB_OK;
}

typedef struct asking {
    const cpu_variant *variant;
    unsigned threads;
    uint64_t table_limit, engine_limit;
    eb_distances distances;
} asking;

static joined join_of(const asking *how, const eb_dataset *ds, double eps)
{
    const eb_problem problem = eb_self_join(ds);
    eb_setup setup = setup_of(how->variant, how->threads);
    const eb_join_plan plan = {.question = {.eps = eps}, .distances = how->distances, .memory_limit = how->table_limit};
    joined j = {.rows = 0};
    eb_join_result result;
    eb_status status = {.message = ""};
    asked a;
    setup.resources.memory_limit = how->engine_limit;
    open_setup(&a, &setup, &problem);
    if (eb_join_run(&a.opened, &plan, append_batch, &j, &result, &status))
        fail_msg("%s: %s", setup.spec, status.message);
    close_problem(&a);
    return j;
}

static void free_joined(joined *j)
{
    free(j->length);
    free(j->columns);
    free(j->distances);
}

static bool same(const joined *a, const joined *b)
{
    return a->rows == b->rows && a->entries == b->entries &&
           memcmp(a->length, b->length, a->rows * sizeof *a->length) == 0 &&
           memcmp(a->columns, b->columns, a->entries * sizeof *a->columns) == 0 &&
           memcmp(a->distances, b->distances, a->entries * sizeof *a->distances) == 0;
}

static const asking boxes_alone = {.variant = &boxes_variant, .threads = 1, .distances = EB_DISTANCES_F64},
                    ref64_alone = {.variant = &ref64_variant, .threads = 1, .distances = EB_DISTANCES_F64};

static void expect_table(const asking *how, const eb_dataset *ds, double eps, const joined *truth, const char *what)
{
    joined found = join_of(how, ds, eps);
    if (!same(&found, truth))
        fail_msg("%s, %zu x %zu, eps %a, %u threads, %s: %llu entries in %zu batches, expected %llu", what, ds->n,
                 ds->d, eps, how->threads, eb_isa_name(eb_cpu_isa()), (unsigned long long)found.entries, found.batches,
                 (unsigned long long)truth->entries);
    free_joined(&found);
}

static void expect_count(const eb_dataset *ds, double eps, uint64_t entries)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = eps};
    const eb_share all = eb_share_rows(0, ds->n);
    uint64_t found = 0;
    asked a;
    open_problem(&a, &boxes_variant, &problem, 2);
    assert_int_equal(eb_ask_count(&a.opened, &question, &all, &found, NULL), EB_OK);
    assert_int_equal(found, entries);
    close_problem(&a);
}

/* Fills eps with distances of pairs, the next smaller number of each, 0, and an ε larger than all distances. */
enum { MOST_EPS = 8 };
static size_t pick_eps(const eb_dataset *ds, double *eps)
{
    size_t count = 0;
    for (size_t q = 0; q < 3; q++) {
        const size_t i = naive_random(&seed) % ds->n, j = naive_random(&seed) % ds->n;
        const double distance = eb_truth_distance(ds, i, j);
        eps[count++] = distance;
        eps[count++] = distance > 0 ? nextafter(distance, 0) : 0;
    }
    eps[count++] = 0;
    double far = 0;
    for (size_t i = 0; i < ds->n; i++)
        far = fmax(far, eb_truth_distance(ds, 0, i));
    eps[count++] = fmin(2.5 * far, DBL_MAX);
    return count;
}

/* True if ref64 and boxes both refuse an ε too small for the scaled points. */
static bool is_refused(const eb_dataset *ds, double eps)
{
    const eb_problem problem = eb_self_join(ds);
    asked a;
    open_problem(&a, &ref64_variant, &problem, 1);
    const bool refused = eb_check_eps_reach(&a.opened, eps, NULL) != EB_OK;
    close_problem(&a);
    return refused;
}

static void for_each_isa(void (*body)(void))
{
    for (size_t isa = 0; isa < sizeof isas / sizeof isas[0]; isa++) {
        assert_int_equal(setenv("EPSBENCH_ISA", isas[isa], 1), 0);
        if (strcmp(eb_isa_name(eb_cpu_isa()), isas[isa]) == 0)
            body();
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

static void expect_truth(const char *name, maker make, size_t n, size_t d, unsigned threads)
{
    eb_dataset *ds = points_of(make, n, d);
    double eps[MOST_EPS];
    const size_t count = pick_eps(ds, eps);
    asking how = boxes_alone;
    how.threads = threads;
    for (size_t e = 0; e < count; e++) {
        if (is_refused(ds, eps[e]))
            continue;
        joined truth = join_of(&ref64_alone, ds, eps[e]);
        expect_table(&how, ds, eps[e], &truth, name);
        expect_count(ds, eps[e], truth.entries);
        free_joined(&truth);
    }
    eb_dataset_free(ds);
}

static void join_families(void)
{
    static const size_t shapes[][2] = {{1, 1}, {2, 3}, {33, 1}, {300, 2}, {600, 3}, {130, 5}, {100, 17}, {40, 130}};
    static const unsigned threads[] = {1, 2, 5};
    for (size_t f = 0; f < FAMILIES; f++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            if (!left_out(f + 2 * s))
                expect_truth(families[f].name, families[f].make, shapes[s][0], shapes[s][1], threads[(f + s / 3) % 3]);
}

TEST(points_of_every_kind) { for_each_isa(join_families); }

TEST(many_small_sets)
{
    for (size_t k = 0; k < cases_of(3000, 500); k++) {
        const size_t n = 1 + naive_random(&seed) % (k % 50 ? 70 : 600), d = 1 + naive_random(&seed) % 9;
        assert_int_equal(setenv("EPSBENCH_ISA", isas[k % 3], 1), 0);
        eb_dataset *ds = points_of(families[k % FAMILIES].make, n, d);
        double eps = eb_truth_distance(ds, naive_random(&seed) % n, naive_random(&seed) % n);
        eps = eps > 0 && k % 4 == 0 ? nextafter(eps, 0) : eps;
        if (!is_refused(ds, eps)) {
            joined truth = join_of(&ref64_alone, ds, eps);
            expect_table(&boxes_alone, ds, eps, &truth, families[k % FAMILIES].name);
            free_joined(&truth);
        }
        eb_dataset_free(ds);
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

/* Enough points for cells, several levels of boxes, and rows long enough for buckets and crowds. */
static void many_points(void)
{
    eb_dataset *ds = points_of(even, 9000, 3);
    asking how = boxes_alone;
    how.threads = 2;
    for (double eps = 0.02; eps < 1; eps *= 10) {
        joined truth = join_of(&ref64_alone, ds, eps);
        expect_table(&how, ds, eps, &truth, "many");
        expect_count(ds, eps, truth.entries);
        free_joined(&truth);
    }
    eb_dataset_free(ds);
}

TEST(sets_of_many_points) { for_each_isa(many_points); }

/* The neighbours have consecutive numbers, so that all of them fall into a few of the buckets. */
static double in_sequence(size_t i, size_t k, size_t n)
{
    return (void)k, i < n / 40 ? 0.001 * uniform() : 10 + (double)i;
}

TEST(rows_whose_columns_crowd)
{
    eb_dataset *ds = points_of(in_sequence, 48000, 1);
    joined truth = join_of(&ref64_alone, ds, 1);
    static const eb_distances kept[] = {EB_DISTANCES_F64, EB_DISTANCES_NONE};
    for (size_t k = 0; k < 2; k++) {
        asking how = boxes_alone;
        how.distances = kept[k];
        if (!kept[k])
            memset(truth.distances, 0, truth.entries * sizeof *truth.distances);
        expect_table(&how, ds, 1, &truth, "in sequence");
    }
    free_joined(&truth);
    eb_dataset_free(ds);
}

TEST(tables_in_batches)
{
    eb_dataset *ds = points_of(clustered, 3000, 3);
    joined truth = join_of(&ref64_alone, ds, 0.5);
    const uint64_t points = eb_boxes_cpu.memory_needed(ds->n, ds->d, EB_F64);
    const uint64_t limits[][2] = {{400000, points}, {0, points + 20000}, {0, points}, {100000, 0}};
    for (size_t k = 0; k < cases_of(sizeof limits / sizeof limits[0], 2); k++) {
        asking how = boxes_alone;
        how.threads = 2;
        how.table_limit = limits[k][0];
        how.engine_limit = limits[k][1];
        expect_table(&how, ds, 0.5, &truth, "in batches");
    }
    free_joined(&truth);
    eb_dataset_free(ds);
}

TEST(too_little_memory_is_refused)
{
    eb_dataset *ds = points_of(even, 3000, 3);
    const eb_problem problem = eb_self_join(ds);
    eb_setup setup = setup_of(&boxes_variant, 1);
    eb_opened opened;
    setup.resources.memory_limit = 1000;
    assert_int_equal(eb_problem_open(&setup, &problem, NULL, &opened, NULL), EB_NO_MEMORY);
    eb_dataset_free(ds);
}

/* Compares single hits of parts and rows with ref64's hits of all rows. */
TEST(hits_of_rows_and_parts)
{
    eb_dataset *ds = points_of(clustered, 1200, 4);
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = 0.9};
    static const size_t ranges[][2] = {{0, 1200}, {0, 400}, {399, 400}, {700, 1200}, {5, 5}};
    asked boxes, ref64;
    open_problem(&boxes, &boxes_variant, &problem, 3);
    open_problem(&ref64, &ref64_variant, &problem, 3);
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++)
        for (unsigned parts = 1; parts < 4; parts += 2) {
            const eb_share rows = eb_share_rows(ranges[k][0], ranges[k][1]);
            join_entries found = {.entry = NULL}, expected = entries_of(&ref64.opened, &question, &rows);
            uint64_t counted = 0;
            for (unsigned part = 0; part < parts; part++) {
                const eb_share share = {rows.row_begin, rows.row_end, part, parts, NULL};
                add_share(&boxes.opened, &question, &share, &found);
                counted += count_of(&boxes, &question, &share);
            }
            finish_entries(&found);
            assert_same_entries(&found, &expected, "boxes", "rows and parts");
            assert_int_equal(counted, expected.count + rows.row_end - rows.row_begin);
            free_entries(&found);
            free_entries(&expected);
        }
    close_problem(&boxes);
    close_problem(&ref64);
    eb_dataset_free(ds);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

TEST(passes_of_intervals)
{
    eb_dataset *ds = points_of(whole, 900, 3);
    const eb_problem problem = eb_self_join(ds);
    const double edges[] = {1, 2.5, 3, 6};
    const bool keep[] = {true, false, true, false};
    const cpu_variant *variants[] = {&boxes_variant, &ref64_variant};
    uint64_t pairs[2][4];
    double *kept[2][4];
    for (size_t v = 0; v < 2; v++) {
        eb_distance_pass pass = {.edges = 4, .eps = edges, .keep = keep, .pairs = pairs[v], .kept = kept[v]};
        asked a;
        open_problem(&a, variants[v], &problem, 2);
        assert_int_equal(a.setup.run->histogram(a.opened.state, &pass, NULL), EB_OK);
        close_problem(&a);
    }
    assert_memory_equal(pairs[0], pairs[1], sizeof pairs[0]);
    for (size_t e = 0; e < 4; e++) {
        assert_int_equal(kept[0][e] != NULL, keep[e]);
        for (size_t v = 0; v < 2 && keep[e]; v++)
            qsort(kept[v][e], pairs[v][e], sizeof(double), ascending);
        if (keep[e])
            assert_memory_equal(kept[0][e], kept[1][e], pairs[0][e] * sizeof(double));
        free(kept[0][e]);
        free(kept[1][e]);
    }
    eb_dataset_free(ds);
}

TEST(distances_of_queries)
{
    eb_dataset *ds = points_of(mixed, 777, 6);
    const eb_problem problem = eb_self_join(ds);
    const uint32_t rows[] = {0, 776, 300};
    double *out = malloc(3 * ds->n * sizeof *out);
    asked a;
    assert_non_null(out);
    open_problem(&a, &boxes_variant, &problem, 2);
    assert_int_equal(a.setup.run->distances(a.opened.state, rows, 3, out, NULL), EB_OK);
    for (size_t q = 0; q < 3; q++)
        for (size_t j = 0; j < ds->n; j++)
            assert_true(out[q * ds->n + j] == (rows[q] == j ? 0 : eb_truth_distance2(ds, rows[q], j)));
    close_problem(&a);
    free(out);
    eb_dataset_free(ds);
}

TEST(what_it_does_not_do_is_refused)
{
    eb_dataset *left = points_of(even, 50, 2), *right = points_of(even, 60, 2);
    static uint32_t point[50];
    for (uint32_t k = 0; k < 50; k++)
        point[k] = k;
    const uint32_t first[] = {0, 50};
    const eb_order order = {.n = 50, .point = point, .leaves = 1, .first = first};
    const eb_problem two = {.left = left, .right = right}, ordered = {.left = left, .right = left, .order = &order};
    const eb_setup setup = setup_of(&boxes_variant, 1);
    eb_status status;
    eb_opened opened;
    assert_int_equal(eb_problem_open(&setup, &two, NULL, &opened, &status), EB_NO_ENGINE);
    assert_non_null(strstr(status.message, "expected one set"));
    assert_int_equal(eb_problem_open(&setup, &ordered, NULL, &opened, &status), EB_NO_ENGINE);
    assert_non_null(strstr(status.message, "order of their own"));
    eb_dataset_free(left);
    eb_dataset_free(right);
}

static eb_code cancel_and_join(eb_job *job, void *argument, eb_status *status)
{
    asked *a = argument;
    const eb_question question = {.eps = 0.1};
    const eb_share all = eb_share_rows(0, a->opened.problem.left->n);
    uint64_t entries;
    a->opened.context.job = job;
    eb_job_phase(job, "join", all.row_end);
    assert_int_equal(eb_ask_count(&a->opened, &question, &all, &entries, status), EB_OK);
    assert_int_equal(eb_job_progress(job).done, all.row_end);
    eb_job_cancel(job);
    return eb_ask_count(&a->opened, &question, &all, &entries, status);
}

TEST(a_cancel_is_heard)
{
    eb_dataset *ds = points_of(even, 2000, 2);
    const eb_problem problem = eb_self_join(ds);
    eb_job *job = NULL;
    asked a;
    open_problem(&a, &boxes_variant, &problem, 2);
    assert_int_equal(eb_job_start(cancel_and_join, &a, &job, NULL), EB_OK);
    assert_int_equal(eb_job_finish(job, NULL), EB_CANCELLED);
    a.opened.context.job = NULL;
    assert_true(eb_figures_value(&a.opened.figures, "leaf_pairs") > 0);
    assert_true(eb_figures_value(&a.opened.figures, "candidates") > 0);
    assert_true(eb_figures_value(&a.opened.figures, "order_s") > 0);
    close_problem(&a);
    eb_dataset_free(ds);
}

/* The estimated time grows with ε. Estimating adds nothing to the figures that a run reports. */
TEST(what_it_costs_is_told)
{
    eb_dataset *ds = points_of(even, 4000, 3);
    const eb_problem problem = eb_self_join(ds);
    double before = 0;
    asked a;
    open_problem(&a, &boxes_variant, &problem, 2);
    for (double eps = 0.01; eps < 3; eps *= 4) {
        const eb_question question = {.eps = eps};
        double seconds = -1;
        assert_int_equal(eb_way_boxes_cpu.look(a.opened.state, &question, &seconds, NULL), EB_OK);
        assert_true(seconds > before && seconds < 10);
        before = seconds;
    }
    assert_false(eb_figures_value(&a.opened.figures, "candidates") > 0);
    close_problem(&a);
    eb_dataset_free(ds);
}

RUN_TESTS
