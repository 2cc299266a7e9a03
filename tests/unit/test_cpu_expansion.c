/* Tests of hilbert with its authors' sums. Pairs, squared distances and verdicts equal, bit for bit, those of a plain
 * loop over the formulas in expansion.h: for all instruction sets, walks and numbers of stripes, for one set and two,
 * wherever the points lie. A distance compared with ε gives the same verdict. */
#include <float.h>

#include "kernels/grid_order/cells.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/join_entries.h"
#include "tests/unit/test.h"

extern const eb_engine eb_engine_hilbert;

static const char *const isas[] = {"base", "avx2", "avx512"};
static const char *const walks[] = {"order=hilbert", "order=canonic", "stripes=1", "stripes=2"};

/* ---- the plain loop ---- */

enum { MOST_D = 24 };

typedef struct model {
    const eb_dataset *left, *right;
    bool f32;
    double eps, reach;
    size_t order[MOST_D];
} model;

static double in_type(const model *m, double x) { return m->f32 ? (double)(float)x : x; }

static double times_add(const model *m, double a, double b, double c)
{
    return m->f32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static double add(const model *m, double a, double b) { return m->f32 ? (double)((float)a + (float)b) : a + b; }

static double value(const model *m, const eb_dataset *ds, size_t i, size_t k)
{
    double row[MOST_D];
    eb_to_f64(ds->dtype, eb_row(ds, i), ds->d, row);
    return in_type(m, row[k]);
}

/* Number of pairs of left points whose cells in dimension k are equal or adjacent. */
static uint64_t pairs_in_cells(const model *m, size_t k)
{
    const double side = m->eps > 0 ? m->eps : eb_cell_side(0, m->f32);
    int32_t cells[256];
    uint64_t pairs = 0;
    for (size_t i = 0; i < m->left->n; i++) {
        cells[i] = eb_cell_of(value(m, m->left, i, k), side);
        for (size_t j = 0; j < i; j++)
            pairs += !eb_cells_apart(cells[i], cells[i], cells[j], cells[j]);
    }
    return pairs;
}

static void order_dimensions(model *m)
{
    uint64_t pairs[MOST_D];
    for (size_t k = 0; k < m->left->d; k++) {
        size_t at = k;
        const uint64_t mine = pairs_in_cells(m, k);
        for (; at > 0 && pairs[at - 1] > mine; at--) {
            pairs[at] = pairs[at - 1];
            m->order[at] = m->order[at - 1];
        }
        pairs[at] = mine;
        m->order[at] = k;
    }
}

static model model_of(const eb_problem *problem, double eps, bool f32)
{
    model m = {.left = problem->left, .right = problem->right, .f32 = f32, .eps = eps, .reach = eps * eps};
    if (f32) {
        const float near = (float)fmin(m.reach, FLT_MAX);
        m.reach = (double)near > m.reach ? (double)nextafterf(near, 0) : (double)near;
    }
    order_dimensions(&m);
    return m;
}

/* Half of ε² − Σ x², or of −Σ x² for a further part, over coordinates begin … end − 1. */
static double half(const model *m, const eb_dataset *ds, size_t i, size_t begin, size_t end)
{
    double h = begin ? 0 : m->reach / 2;
    for (size_t k = begin; k < end; k++) {
        const double x = value(m, ds, i, m->order[k]);
        h = times_add(m, -x, x, h);
    }
    return in_type(m, h / 2);
}

/* Returns s. *within: the verdict. */
static double expanded(const model *m, size_t i, size_t j, bool *within)
{
    double sum = 0;
    for (size_t begin = 0, end; begin < m->left->d; begin = end) {
        end = begin ? begin + 4 : 8;
        end = end < m->left->d ? end : m->left->d;
        const double both = add(m, half(m, m->left, i, begin, end), half(m, m->right, j, begin, end));
        sum = begin ? add(m, sum, both) : both;
        for (size_t k = begin; k < end; k++)
            sum = times_add(m, value(m, m->left, i, m->order[k]), value(m, m->right, j, m->order[k]), sum);
    }
    *within = !isnan(sum) && !signbit(sum);
    return isnan(sum) ? (double)INFINITY : fmax(0, times_add(m, -2, sum, m->reach));
}

static join_entries entries_of_model(const model *m)
{
    join_entries e = {.entry = NULL};
    for (uint32_t i = 0; i < m->left->n; i++)
        for (uint32_t j = 0; j < m->right->n; j++) {
            bool within;
            const double s = expanded(m, i, j, &within);
            if (within && (i != j || m->left != m->right))
                add_entry(&e, i, j, s);
        }
    return e;
}

/* ---- the engine against the plain loop ---- */

static void expect_distances(const asked *a, const model *m)
{
    const uint32_t rows[] = {0, (uint32_t)m->left->n - 1};
    const bool self = m->left == m->right;
    double *out = malloc(2 * m->right->n * sizeof *out);
    assert_non_null(out);
    assert_int_equal(a->setup.run->distances(a->opened.state, rows, 2, out, NULL), EB_OK);
    for (size_t q = 0; q < 2; q++)
        for (size_t j = 0; j < m->right->n; j++) {
            const double found = out[q * m->right->n + j];
            bool within = true;
            const double s = self && j == rows[q] ? 0 : expanded(m, rows[q], j, &within);
            if (within ? found != s : found < s)
                fail_msg("%s: s of %u and %zu is %a, expected %a", a->setup.spec, rows[q], j, found, s);
            assert_true((found <= eb_squared_threshold(m->eps)) == within);
        }
    free(out);
}

static void expect_model(const eb_problem *problem, double eps, size_t round, const char *what)
{
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(problem);
    for (unsigned f32 = 0; f32 < 2; f32++) {
        char items[64];
        (void)snprintf(items, sizeof items, "type=%s,%s", f32 ? "f32" : "f64", walks[round % 4]);
        const cpu_variant variant = {&eb_engine_hilbert, items};
        const model m = model_of(problem, eps, f32);
        join_entries expected = entries_of_model(&m);
        for (size_t isa = 0; isa < 3; isa++) {
            asked a;
            assert_int_equal(setenv("EPSBENCH_ISA", isas[isa], 1), 0);
            open_problem(&a, &variant, problem, 1 + (unsigned)isa);
            if (a.opened.scaling.exponent == 0) { /* else the engine's points are scaled */
                join_entries found = entries_of(&a.opened, &question, &whole);
                assert_same_entries(&found, &expected, a.setup.spec, what);
                assert_int_equal(count_all(&a, eps),
                                 expected.count + (problem->left == problem->right ? problem->left->n : 0));
                expect_distances(&a, &m);
                free_entries(&found);
            }
            close_problem(&a);
        }
        free_entries(&expected);
    }
}

TEST(pairs_and_distances_are_the_authors)
{
    static const size_t sizes[][2] = {{1, 1}, {150, 3}, {33, 8}, {100, 9}, {70, 12}, {64, 17}, {40, 24}};
    size_t round = 0;
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f++)
        for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++) {
            uint64_t seed = f * 100 + z;
            eb_dataset *ds = hostile_points(f, z % 2 ? EB_F32 : EB_F64, sizes[z][0], sizes[z][1], seed);
            const eb_problem problem = eb_self_join(ds);
            for (unsigned r = 0; r < HOSTILE_RADII; r++)
                expect_model(&problem, hostile_eps(ds, r, &seed), round++, hostile_name(f));
            eb_dataset_free(ds);
        }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

TEST(two_sets_too)
{
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f++) {
        uint64_t seed = f;
        eb_dataset *ds = hostile_points(f, EB_F64, 75, 10, 7), *other = hostile_points(f, EB_F64, 50, 10, 7);
        const eb_problem problem = {.left = ds, .right = other};
        for (unsigned r = 0; r < HOSTILE_RADII; r++)
            expect_model(&problem, hostile_eps(ds, r, &seed), r, hostile_name(f));
        eb_dataset_free(ds);
        eb_dataset_free(other);
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

/* Two points whose sums are only rounding error: a sum that is negative before a further part may end positive. */
TEST(sums_that_rounding_brings_back)
{
    for (uint64_t key = 0; key < 400; key++) {
        eb_dataset *ds = hostile_points(key % 2 ? HOSTILE_FAR : HOSTILE_EQUAL, EB_F64, 2, 9 + key % 12, key);
        const eb_problem problem = eb_self_join(ds);
        expect_model(&problem, key % 4 < 2 ? 0 : sqrt(eb_truth_distance2(ds, 0, 1)), key, "two points");
        eb_dataset_free(ds);
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

/* Before the first question ε is 0, so s is −2·sum. */
TEST(distances_before_a_question)
{
    const cpu_variant variant = {&eb_engine_hilbert, ""};
    const uint32_t row = 5;
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F64, 100, 10, 1);
    const eb_problem problem = eb_self_join(ds);
    model m = {.left = ds, .right = ds};
    double out[100];
    asked a;
    for (size_t k = 0; k < ds->d; k++)
        m.order[k] = k;
    open_problem(&a, &variant, &problem, 2);
    assert_int_equal(a.setup.run->distances(a.opened.state, &row, 1, out, NULL), EB_OK);
    for (size_t j = 0; j < 100; j++) {
        bool within;
        assert_true(out[j] == (j == row ? 0 : expanded(&m, row, j, &within)));
    }
    assert_int_equal(count_all(&a, (double)INFINITY), 100 * 100);
    close_problem(&a);
    eb_dataset_free(ds);
}

RUN_TESTS
