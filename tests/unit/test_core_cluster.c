/* cluster: DBSCAN's labels and the results on a grid of ε, compared with the definition, from single hits and from
 * whole rows. */
#include <math.h>

#include "core/cluster/dbscan.h"
#include "core/cluster/density.h"
#include "core/cluster/k_distance.h"
#include "core/cluster/stream.h"
#include "tests/unit/given_rows.h"
#include "tests/unit/naive_engine.h"
#include "tests/unit/test.h"

/* ---- an engine that gives whole rows, a few at a time ---- */

static size_t rows_at_a_time = 7;
static bool forget_a_pair; /* of its last row */

static eb_code give_some(const eb_problem *problem, double limit, size_t first, size_t rows, const eb_sink *sink,
                         eb_status *status)
{
    size_t n = problem->left->n;
    uint64_t *offsets = calloc(rows + 1, sizeof *offsets);
    uint32_t *columns = calloc(rows * n, sizeof *columns);
    double *s = calloc(rows * n, sizeof *s);
    for (size_t r = 0; r < rows; r++) {
        offsets[r + 1] = offsets[r];
        for (size_t j = 0; j < n; j++) {
            double between = eb_truth_distance2(problem->left, first + r, j);
            if (between > limit || (forget_a_pair && first + r == n - 1 && j != n - 1))
                continue;
            columns[offsets[r + 1]] = (uint32_t)j;
            s[offsets[r + 1]++] = between;
        }
    }
    eb_code failed = give_rows(sink, first, rows, offsets, columns, s, status);
    free(offsets);
    free(columns);
    free(s);
    return failed;
}

static eb_code rows_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                         eb_status *status)
{
    const naive_state *naive = state;
    naive_trouble.joins++;
    for (size_t first = share->row_begin; first < share->row_end; first += rows_at_a_time) {
        size_t left = share->row_end - first;
        EB_TRY(give_some(naive->problem, eb_squared_threshold(question->eps), first,
                         left < rows_at_a_time ? left : rows_at_a_time, sink, status));
    }
    return EB_OK;
}

static eb_implementation rows_cpu;
static eb_setup setups[2]; /* gives hits, gives rows */

static int prepare(void **state)
{
    (void)state;
    rows_cpu = naive_cpu;
    rows_cpu.join = rows_join;
    setups[0] = setups[1] = naive_setup;
    setups[1].run = &rows_cpu;
    setups[1].resources.threads = 3;
    return 0;
}

static void open_points(const eb_dataset *ds, size_t kind, eb_opened *opened)
{
    eb_status status;
    const eb_problem problem = eb_self_join(ds);
    if (eb_problem_open(&setups[kind], &problem, NULL, opened, &status))
        fail_msg("%s", status.message);
}

/* ---- the definition ---- */

typedef struct expected {
    size_t n, clusters, core, noise, components, largest;
    uint64_t pairs;
    bool *is_core;
    int32_t *label;
} expected;

static bool near(const eb_dataset *ds, size_t i, size_t j, double eps)
{
    return eb_truth_distance2(ds, i, j) <= eb_squared_threshold(eps);
}

/* Labels all points that can be reached from i by steps within ε; by core points only if `core` is given. */
static size_t spread(const eb_dataset *ds, double eps, const bool *core, size_t i, int32_t number, int32_t *label)
{
    size_t count = 1;
    label[i] = number;
    for (size_t j = 0; j < ds->n; j++)
        if (label[j] == EB_NOISE && (!core || core[j]) && near(ds, i, j, eps))
            count += spread(ds, eps, core, j, number, label);
    return count;
}

static void forget(int32_t *label, size_t n)
{
    for (size_t i = 0; i < n; i++)
        label[i] = EB_NOISE;
}

static expected expect(const eb_dataset *ds, double eps, size_t min_points)
{
    expected e = {.n = ds->n, .is_core = calloc(ds->n, sizeof(bool)), .label = calloc(ds->n, sizeof(int32_t))};
    for (size_t i = 0; i < ds->n; i++) {
        size_t within = 0;
        for (size_t j = 0; j < ds->n; j++)
            within += near(ds, i, j, eps);
        e.pairs += within;
        e.is_core[i] = within >= min_points;
        e.core += e.is_core[i];
    }
    forget(e.label, ds->n);
    for (size_t i = 0; i < ds->n; i++)
        if (e.label[i] == EB_NOISE)
            (void)spread(ds, eps, NULL, i, (int32_t)e.components++, e.label);
    forget(e.label, ds->n);
    for (size_t i = 0; i < ds->n; i++)
        if (e.is_core[i] && e.label[i] == EB_NOISE) {
            size_t members = spread(ds, eps, e.is_core, i, (int32_t)e.clusters++, e.label);
            e.largest = members > e.largest ? members : e.largest;
        }
    for (size_t i = 0; i < ds->n; i++) {
        for (size_t j = 0; j < ds->n && !e.is_core[i]; j++)
            if (e.is_core[j] && near(ds, i, j, eps) && (e.label[i] == EB_NOISE || e.label[j] < e.label[i]))
                e.label[i] = e.label[j];
        e.noise += e.label[i] == EB_NOISE;
    }
    return e;
}

static void free_expected(expected *e)
{
    free(e->is_core);
    free(e->label);
}

/* ---- comparison with the definition ---- */

static void check_labels(eb_opened *opened, double eps, size_t min_points)
{
    const eb_dataset *ds = opened->problem.left;
    eb_dbscan found;
    eb_status status;
    expected e = expect(ds, eps, min_points);
    if (eb_dbscan_find(opened, eps, min_points, 0, &found, &status))
        fail_msg("%s", status.message);
    assert_int_equal(found.pairs, e.pairs);
    assert_int_equal(found.clusters, e.clusters);
    assert_int_equal(found.core, e.core);
    assert_int_equal(found.noise, e.noise);
    assert_int_equal(found.core + found.border + found.noise, ds->n);
    for (size_t i = 0; i < ds->n; i++) {
        assert_int_equal(found.label[i], e.label[i]);
        assert_int_equal(eb_dbscan_is_core(&found, i), e.is_core[i]);
    }
    eb_dbscan_free(&found);
    free_expected(&e);
}

static void check_grid(eb_opened *opened, const double *eps, size_t levels, size_t min_points)
{
    eb_density found[16];
    eb_status status;
    unsigned passes;
    if (eb_density_find(opened, eps, levels, min_points, found, &passes, &status))
        fail_msg("%s", status.message);
    assert_int_equal(passes, min_points > 2 ? 2 : 1);
    for (size_t k = 0; k < levels; k++) {
        expected e = expect(opened->problem.left, eps[k], min_points);
        assert_true(found[k].eps == eps[k]);
        assert_int_equal(found[k].pairs, e.pairs);
        assert_int_equal(found[k].components, e.components);
        assert_int_equal(found[k].clusters, e.clusters);
        assert_int_equal(found[k].largest, e.largest);
        assert_int_equal(found[k].core, e.core);
        assert_int_equal(found[k].noise, e.noise);
        free_expected(&e);
    }
}

/* Whole coordinates: distances are roots of a few whole numbers, so ε equals many of them. */
TEST(labels_and_grids_are_the_definition)
{
    const double eps[] = {0, 1, sqrt(2), 1.7, sqrt(5), 3, sqrt(13), 6};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        eb_dataset *ds = naive_points(1 + seed * 3 % 80, 1 + seed % 3, seed % 2 ? 9 : 25, seed);
        for (size_t kind = 0; kind < 2; kind++) {
            eb_opened opened;
            rows_at_a_time = 1 + seed % 30;
            open_points(ds, kind, &opened);
            for (size_t min_points = 1; min_points <= 6; min_points++) {
                check_labels(&opened, eps[(seed + min_points) % 8], min_points);
                check_grid(&opened, eps, 8, min_points);
            }
            eb_problem_close(&opened);
        }
        eb_dataset_free(ds);
    }
}

/* √s is exactly an ε of the grid, but s is beyond fl(ε·ε). */
TEST(a_rounded_root_does_not_decide)
{
    double eps[2] = {0, 4}, s = 0;
    for (unsigned k = 2; k < 1000 && !(s > 0); k++)
        if (k > eb_squared_threshold(sqrt(k)))
            s = k;
    assert_true(s > 0);
    eb_dataset *ds = naive_points(2, (size_t)s, 1, 1);
    for (size_t k = 0; k < ds->d; k++)
        ((float *)ds->owner)[k] = 1; /* opposite corners of a cube: s = d */
    eps[0] = sqrt(s);
    eps[1] = nextafter(eps[0], INFINITY);
    for (size_t kind = 0; kind < 2; kind++) {
        eb_opened opened;
        open_points(ds, kind, &opened);
        check_grid(&opened, eps, 2, 2);
        eb_problem_close(&opened);
    }
    eb_dataset_free(ds);
}

/* ---- limited memory ---- */

static void count_links(void *context, unsigned thread, const eb_link *links, size_t count)
{
    _Atomic uint64_t *seen = context;
    (void)thread;
    (void)links;
    *seen += count;
}

/* Rows that need more memory than `room` come in ranges, and none comes twice. */
TEST(room_is_kept_to)
{
    eb_dataset *ds = naive_points(60, 2, 30, 3);
    const double eps[] = {1, 4};
    for (size_t k = 80; k < 120; k++)
        ((float *)ds->owner)[k] = 7; /* the last rows are long: rows before them are passed on when these do not fit */
    for (rows_at_a_time = 1; rows_at_a_time <= 60; rows_at_a_time += 11)
        for (uint64_t room = 1; room <= 64 << 10; room *= 4) {
            eb_opened opened;
            eb_status status;
            _Atomic uint64_t seen = 0;
            const eb_stream stream =
                {.eps = eps, .levels = 2, .phase = "testing", .consumer = count_links, .context = &seen, .room = room};
            open_points(ds, 1, &opened);
            naive_trouble.joins = 0;
            if (eb_stream_run(&opened, &stream, &status))
                fail_msg("%s", status.message);
            assert_int_equal(2 * seen + ds->n, naive_pairs(ds, 4));
            assert_true(room > 1 || rows_at_a_time == 1 || naive_trouble.joins >= ds->n);
            eb_problem_close(&opened);
        }
    eb_dataset_free(ds);
}

TEST(broken_promises_are_found_out)
{
    eb_dataset *ds = naive_points(30, 2, 4, 3);
    eb_opened opened;
    eb_status status;
    eb_dbscan found;
    eb_density density[2];
    unsigned passes;
    forget_a_pair = true;
    open_points(ds, 1, &opened);
    assert_int_equal(eb_dbscan_find(&opened, 2, 3, 0, &found, &status), EB_INTERNAL);
    forget_a_pair = false;
    assert_int_equal(eb_dbscan_find(&opened, 1, 0, 0, &found, &status), EB_USAGE);
    assert_int_equal(eb_dbscan_find(&opened, -1, 2, 0, &found, &status), EB_USAGE);
    assert_int_equal(eb_dbscan_find(&opened, 1, 30, 8, &found, &status), EB_NO_MEMORY);
    assert_non_null(strstr(status.message, "minpts=30"));
    assert_int_equal(eb_density_find(&opened, (const double[]){1, 1}, 2, 3, density, &passes, &status), EB_USAGE);
    assert_int_equal(eb_density_find(&opened, (const double[]){1, 2}, 2, 0, density, &passes, &status), EB_USAGE);
    eb_problem_close(&opened);
    eb_dataset_free(ds);
}

/* ---- k-distances ---- */

TEST(core_distances_are_exact_where_all_are_asked)
{
    eb_dataset *ds = naive_points(90, 2, 30, 5);
    for (size_t min_points = 1; min_points <= 90; min_points += 8) {
        eb_k_distance curve;
        eb_status status;
        const eb_k_distance_request request = {.setup = &setups[min_points % 2],
                                               .points = ds,
                                               .min_points = min_points,
                                               .seed = 1};
        if (eb_k_distance_find(&request, NULL, &curve, &status))
            fail_msg("%s", status.message);
        assert_int_equal(curve.queries, ds->n);
        for (size_t k = 0; k < curve.queries; k += 5) {
            expected e = expect(ds, curve.eps[k], min_points);
            size_t last = k;
            while (last + 1 < curve.queries && curve.eps[last + 1] <= curve.eps[k])
                last++;
            assert_int_equal(e.core, last + 1);
            assert_true(fabs(curve.share[k] - (double)(k + 1) / (double)ds->n) < 1e-12);
            free_expected(&e);
        }
        assert_true(eb_k_distance_at(&curve, 1) == curve.eps[curve.queries - 1]);
        eb_k_distance_free(&curve);
    }
    eb_dataset_free(ds);
}

/* A dense line of points and a few far away: the elbow separates them. */
TEST(the_elbow_parts_the_crowd_from_the_rest)
{
    eb_dataset *ds = naive_points(100, 1, 2, 5);
    float *x = ds->owner;
    for (size_t i = 0; i < 100; i++)
        x[i] = i < 90 ? (float)i : 1000 * (float)(i - 80);
    eb_k_distance curve;
    eb_status status;
    const eb_k_distance_request request = {.setup = &setups[0], .points = ds, .min_points = 3, .seed = 1};
    assert_int_equal(eb_k_distance_find(&request, NULL, &curve, &status), EB_OK);
    assert_true(curve.eps[curve.elbow] >= 1 && curve.eps[curve.elbow] <= 2);
    assert_true(curve.share[curve.elbow] > 0.85 && curve.share[curve.elbow] <= 0.9 + 1e-9);
    eb_k_distance_free(&curve);
    eb_dataset_free(ds);
}

RUN_TESTS_WITH(prepare, NULL)
