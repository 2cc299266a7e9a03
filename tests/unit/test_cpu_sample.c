/* Tests of comparisons of a sample: the drawn points have the neighbours and distances, bit for bit, that they have in
 * the whole self-join; accuracy is that of these rows; refusals name rows of the dataset. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/experiment/compare.h"
#include "core/experiment/compare_sample.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

/* What depends on all points: the mean, a power of two, one step, the mean error of near points. */
static const cpu_variant variants[] = {
    {&eb_engine_fasted, ""},
    {&eb_engine_tensor, "type=f16,centre=mean,exponent=auto"},
    {&eb_engine_tensor, "type=e4m3,exponent=max,centre=mean"},
    {&eb_engine_tensor, "type=e4m3,exponent=max,debias=on"},
    {&eb_engine_tensor, "type=s8,centre=mean,rotate=hadamard"},
    {&eb_engine_tensor, "type=s8,step=point,parts=2,debias=on,centre=mean"},
    {&eb_engine_ref64, "-integers"},
    {&eb_engine_exact, ""},
};
enum { VARIANTS = sizeof variants / sizeof variants[0], N = 230, D = 21, DRAWN = 40 };

static void setups_of(eb_setup setup[VARIANTS])
{
    for (size_t k = 0; k < VARIANTS; k++)
        setup[k] = setup_of(&variants[k], 2);
}

static eb_compare_request request_of(const eb_setup *setup, size_t count, const eb_dataset *ds, double eps)
{
    return (eb_compare_request){.setup = setup,
                                .count = count,
                                .dataset = ds,
                                .eps = eps,
                                .trials = 1,
                                .distances = EB_DISTANCES_F64,
                                .threads = 2,
                                .seed = 7};
}

static void compare(const eb_compare_request *request, eb_comparison *out)
{
    eb_status status = {.message = ""};
    if (eb_compare(request, NULL, NULL, out, &status))
        fail_msg("%s", status.message);
}

/* ---- rows ---- */

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void assert_same_row(const eb_neighbours *whole, const eb_neighbours *sample, size_t row, uint32_t point,
                            const char *what)
{
    uint64_t w = whole->offsets[point], s = sample->offsets[row];
    for (;; w++, s++) {
        w += w < whole->offsets[point + 1] && whole->columns[w] == point;
        s += s < sample->offsets[row + 1] && sample->columns[s] == point;
        const bool more = w < whole->offsets[point + 1];
        if (more != (s < sample->offsets[row + 1]))
            fail_msg("%s: point %u has another number of neighbours", what, point);
        if (!more)
            return;
        if (whole->columns[w] != sample->columns[s] || !same_bits(whole->distances[w], sample->distances[s]))
            fail_msg("%s: point %u: neighbour %u at %a, not %u at %a", what, point, sample->columns[s],
                     sample->distances[s], whole->columns[w], whole->distances[w]);
    }
}

/* ---- accuracy ---- */

typedef struct expected {
    uint64_t common, only_fast, only_true;
    double overlap, error;
} expected;

/* Adds up the rows of the whole tables that were drawn. */
static expected add_up(const eb_comparison *whole, size_t k, const eb_sampled_rows *rows)
{
    const eb_neighbours *fast = whole->run[k].table, *truth = whole->run[whole->reference].table;
    expected e = {.overlap = 0};
    for (size_t r = 0; r < rows->count; r++) {
        const eb_point_overlap *p = &whole->accuracy[k].points[rows->row[r]];
        const uint64_t begin = truth->offsets[rows->row[r]], end = truth->offsets[rows->row[r] + 1];
        e.common += p->common;
        e.only_fast += fast->offsets[rows->row[r] + 1] - fast->offsets[rows->row[r]] - 1 - p->common;
        e.only_true += end - begin - 1 - p->common;
        e.overlap += p->either ? (double)p->common / p->either : 1;
        for (uint64_t t = begin; t < end; t++)
            for (uint64_t f = fast->offsets[rows->row[r]]; f < fast->offsets[rows->row[r] + 1]; f++)
                if (fast->columns[f] == truth->columns[t])
                    e.error += fast->distances[f] - truth->distances[t];
    }
    e.overlap /= (double)rows->count;
    e.error /= (double)e.common;
    return e;
}

static void assert_accuracy(const eb_comparison *whole, const eb_comparison *sample, size_t k)
{
    const eb_accuracy *a = &sample->accuracy[k];
    const expected e = add_up(whole, k, &sample->rows);
    assert_int_equal(a->n, DRAWN);
    assert_int_equal(a->of, N);
    assert_int_equal(a->common, e.common);
    assert_int_equal(a->only_fast, e.only_fast);
    assert_int_equal(a->only_true, e.only_true);
    assert_int_equal(a->pairs_fast, e.common + e.only_fast + DRAWN);
    assert_int_equal(sample->run[k].pairs, a->pairs_fast);
    assert_true(fabs(a->overlap - e.overlap) < 1e-12);
    assert_true(e.common == 0 || fabs(a->error_mean - e.error) <= 1e-9 * (fabs(e.error) + a->eps));
    assert_true(a->overlap_in.low <= a->overlap && a->overlap <= a->overlap_in.high);
    assert_true(isnan(whole->accuracy[k].overlap_in.low) && isnan(whole->accuracy[k].error_in.low));
    for (size_t r = 0; r < DRAWN; r++)
        assert_memory_equal(&a->points[r], &whole->accuracy[k].points[sample->rows.row[r]], sizeof *a->points);
    for (size_t p = 0; p < a->boundary_count; p++) {
        const eb_boundary_pair *pair = &a->boundary[p];
        assert_true(pair->i < pair->j &&
                    (eb_rows_have(&sample->rows, pair->i) || eb_rows_have(&sample->rows, pair->j)));
        for (size_t q = 0; q < p; q++)
            assert_false(a->boundary[q].i == pair->i && a->boundary[q].j == pair->j);
    }
}

TEST(drawn_points_have_the_neighbours_of_the_whole)
{
    uint64_t seed = 11;
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++) {
        if (family == HOSTILE_OUTLIER || family == HOSTILE_MIXED || left_out(family))
            continue;
        eb_setup setup[VARIANTS];
        setups_of(setup);
        eb_dataset *ds = hostile_points(family, family == HOSTILE_FAR ? EB_F16 : EB_F32, N, D, naive_random(&seed));
        const double s = eb_truth_distance2(ds, naive_random(&seed) % N, naive_random(&seed) % N);
        eb_compare_request request = request_of(setup, VARIANTS, ds, eb_smallest_eps(s));
        eb_comparison whole, sample;
        compare(&request, &whole);
        request.sample = DRAWN;
        compare(&request, &sample);
        assert_int_equal(sample.rows.count, DRAWN);
        assert_int_equal(sample.run[0].n, DRAWN);
        assert_int_equal(sample.run[0].others, N);
        for (size_t k = 0; k < VARIANTS; k++) {
            char what[EB_SPEC_TEXT + 64];
            (void)snprintf(what, sizeof what, "%s, %s", setup[k].spec, hostile_name(family));
            for (size_t r = 0; r < DRAWN; r++)
                assert_same_row(whole.run[k].table, sample.run[k].table, r, sample.rows.row[r], what);
            if (k != sample.reference)
                assert_accuracy(&whole, &sample, k);
        }
        eb_comparison_free(&whole);
        eb_comparison_free(&sample);
        eb_dataset_free(ds);
    }
}

TEST(self_pairs_of_a_sample_have_the_engines_own_distances)
{
    eb_setup setup[] = {setup_of(&variants[0], 1), setup_of(&variants[VARIANTS - 1], 1)};
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, N, D, 3);
    eb_compare_request request = request_of(setup, 2, ds, 2.5);
    eb_status status = {.message = ""};
    eb_comparison whole, sample;
    eb_accuracy of_whole, of_sample;
    compare(&request, &whole);
    request.sample = DRAWN;
    compare(&request, &sample);
    assert_int_equal(eb_comparison_with_self(&whole, 0, ds, NULL, &of_whole, &status), EB_OK);
    assert_int_equal(eb_comparison_with_self(&sample, 0, ds, NULL, &of_sample, &status), EB_OK);
    for (size_t r = 0; r < DRAWN; r++) {
        assert_true(same_bits(sample.self[0][r], whole.self[0][sample.rows.row[r]]));
        assert_true(sample.self[1][r] == 0);
    }
    assert_int_equal(of_sample.self_common, DRAWN);
    uint64_t binned = of_sample.errors.under + of_sample.errors.over;
    for (size_t k = 0; k < of_sample.errors.bins; k++)
        binned += of_sample.errors.count[k];
    assert_int_equal(binned, of_sample.common + DRAWN); /* pairs of a sample are ordered already */
    assert_true(isnan(of_sample.error_in.low));
    eb_accuracy_free(&of_whole);
    eb_accuracy_free(&of_sample);
    eb_comparison_free(&whole);
    eb_comparison_free(&sample);
    eb_dataset_free(ds);
}

/* ---- which points ---- */

TEST(a_seed_draws_the_same_points)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, N, 3, 3);
    eb_sampled_rows a, b, other;
    eb_status status;
    assert_int_equal(eb_rows_draw(ds, DRAWN, 5, &a, &status), EB_OK);
    assert_int_equal(eb_rows_draw(ds, DRAWN, 5, &b, &status), EB_OK);
    assert_int_equal(eb_rows_draw(ds, DRAWN, 6, &other, &status), EB_OK);
    assert_memory_equal(a.row, b.row, DRAWN * sizeof *a.row);
    assert_memory_not_equal(a.row, other.row, DRAWN * sizeof *a.row);
    for (size_t r = 0; r < DRAWN; r++) {
        assert_true(r == 0 || a.row[r - 1] < a.row[r]);
        assert_memory_equal(eb_row(&a.points, r), eb_row(ds, a.row[r]), 3 * sizeof(float));
        assert_true(eb_rows_have(&a, a.row[r]));
        assert_true(a.row[r] + 1 == (r + 1 < DRAWN ? a.row[r + 1] : N) || !eb_rows_have(&a, a.row[r] + 1));
    }
    eb_rows_free(&a);
    eb_rows_free(&b);
    eb_rows_free(&other);
    eb_dataset_free(ds);
}

/* 2,000 of 400,000 points cost 1 % of the whole, which looks at each pair once. */
TEST(a_sample_is_as_large_as_the_time_allows)
{
    assert_int_equal(eb_sample_for(400000, 9.9), 0);
    assert_int_equal(eb_sample_for(400000, (double)NAN), 0);
    assert_int_equal(eb_sample_for(400000, 10.1), 2000);
    assert_int_equal(eb_sample_for(400000, 1000), 2000);
    assert_int_equal(eb_sample_for(400000, 2100), 900); /* 952 would take ten seconds */
    assert_int_equal(eb_sample_for(400000, 1e9), EB_LEAST_SAMPLE);
    assert_int_equal(eb_sample_for(2000, 20), 500); /* a quarter of the points */
    assert_int_equal(eb_sample_for(50, 20), 0);
}

TEST(few_points_are_never_sampled_unasked)
{
    const eb_setup setup[] = {setup_of(&variants[0], 1), setup_of(&variants[VARIANTS - 1], 1)};
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, N, D, 3);
    eb_compare_request request = request_of(setup, 2, ds, 2.5);
    static const size_t wanted[] = {0, N, N - 1}, drawn[] = {0, 0, N - 1};
    for (size_t k = 0; k < 3; k++) {
        eb_comparison c;
        request.may_sample = true;
        request.sample = wanted[k];
        compare(&request, &c);
        assert_int_equal(c.rows.count, drawn[k]);
        assert_int_equal(c.run[0].n, drawn[k] ? drawn[k] : N);
        assert_true(isnan(c.whole_s));
        eb_comparison_free(&c);
    }
    eb_dataset_free(ds);
}

TEST(nearly_all_points_leave_no_doubt)
{
    const eb_setup setup[] = {setup_of(&variants[2], 1), setup_of(&variants[VARIANTS - 1], 1)};
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, N, D, 3);
    eb_compare_request request = request_of(setup, 2, ds, 3);
    eb_comparison few, most;
    request.sample = DRAWN;
    compare(&request, &few);
    request.sample = N - 1;
    compare(&request, &most);
    const eb_band wide = few.accuracy[0].overlap_in, narrow = most.accuracy[0].overlap_in;
    assert_true(few.accuracy[0].overlap < 1);
    assert_true(narrow.high - narrow.low < 0.1 * (wide.high - wide.low));
    const eb_band error = few.accuracy[0].error_in;
    assert_true(error.low < few.accuracy[0].error_mean && few.accuracy[0].error_mean < error.high);
    eb_comparison_free(&few);
    eb_comparison_free(&most);
    eb_dataset_free(ds);
}

TEST(a_refusal_names_the_row_of_the_dataset)
{
    const eb_setup setup[] = {setup_of(&variants[0], 1), setup_of(&variants[VARIANTS - 1], 1)};
    float *values = calloc(N * D, sizeof *values);
    assert_non_null(values);
    values[123 * D + 4] = 1e6f;
    eb_dataset ds = {.n = N,
                     .d = D,
                     .dtype = EB_F32,
                     .rows = (const unsigned char *)values,
                     .stride = D * sizeof *values};
    eb_compare_request request = request_of(setup, 2, &ds, 3);
    request.sample = N - 1; /* row 123 is among them */
    eb_comparison c;
    eb_status status = {.message = ""};
    assert_int_equal(eb_compare(&request, NULL, NULL, &c, &status), EB_BAD_VALUE);
    assert_true(eb_rows_have(&c.rows, 123));
    if (!strstr(status.message, "row 123, column 4"))
        fail_msg("%s", status.message);
    eb_comparison_free(&c);
    free(values);
}

RUN_TESTS
