/* Tests of IVFPQ as an engine. Its pairs, distances and other answers equal its definition, computed from the index's
 * codes (ivfpq_model.h), with the same bits for all instruction sets, threads and shares. Engines with equal index
 * options share one index. Unsupported requests are refused. */
#include <math.h>

#include "core/accuracy/self_pairs.h"
#include "core/knn/queries_first.h"
#include "kernels/ivfpq/settings.h"
#include "tests/unit/check_bins.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/ivfpq_model.h"
#include "tests/unit/join_entries.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

extern const eb_engine eb_engine_ivfpq;

static const char *const isas[] = {"base", "avx2", "avx512"};

static const cpu_variant variants[] = {
    {&eb_engine_ivfpq, "rounds=3"},
    {&eb_engine_ivfpq, "rounds=3,nprobe=1"},
    {&eb_engine_ivfpq, "rounds=3,nlist=5,nprobe=2,lut=f16"},
    {&eb_engine_ivfpq, "rounds=3,nlist=5,nprobe=3,lut=e5m3"},
    {&eb_engine_ivfpq, "rounds=3,nlist=5,nprobe=5,lut=e4m4"},
    {&eb_engine_ivfpq, "rounds=3,nlist=3,nprobe=2,lut=e4m3,accumulate=f16"},
    {&eb_engine_ivfpq, "rounds=3,nlist=2,nprobe=1,lut=e5m2"},
    {&eb_engine_ivfpq, "rounds=3,nlist=7,nprobe=4,lut=u8"},
    {&eb_engine_ivfpq, "rounds=3,nlist=4,nprobe=3,lut=e4m4,scale=0"},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static const eb_ivfpq *state_of(const asked *a) { return a->opened.state; }

/* ---- the definition ---- */

/* All s of an opened problem, left × right, by the definition. The point with the smaller index is the query of a
 * self-join's pair. */
static double *all_of(const asked *a)
{
    const eb_problem *p = &a->opened.problem;
    const eb_ivfpq *e = state_of(a);
    pq_model model = pq_model_of(&e->got.index->file, &e->question, p->right->n);
    double *s = malloc(p->left->n * p->right->n * sizeof *s), *wide = malloc(p->left->d * sizeof *wide);
    float *query = malloc(p->left->d * sizeof *query);
    assert_true(s && wide && query);
    for (size_t i = 0; i < p->left->n; i++) {
        eb_inverted_row(model.file, p->left, i, wide, query);
        pq_distances(&model, query, s + i * p->right->n);
    }
    free(wide);
    free(query);
    pq_model_free(&model);
    return s;
}

static join_entries within(const asked *a, const double *s, double eps)
{
    const size_t n = a->opened.problem.left->n, m = a->opened.problem.right->n;
    const bool self = eb_is_self_join(&a->opened.problem);
    const double limit = eb_squared_threshold(eb_scaled_eps(eps, a->opened.scaling.exponent));
    join_entries e = {.entry = NULL};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            const double pair = s[self && j < i ? j * m + i : i * m + j];
            if (!(self && i == j) && pair <= limit)
                add_entry(&e, (uint32_t)i, (uint32_t)j, pair);
        }
    return e;
}

/* An ε at a pair's distance, just below it, with no pairs, with all pairs, or at 0.7 of a distance. */
static double some_eps(const asked *a, const double *s, unsigned which, uint64_t *seed)
{
    const size_t pairs = a->opened.problem.left->n * a->opened.problem.right->n;
    double one = (double)INFINITY;
    for (size_t k = 0; k < 40 && isinf(one); k++)
        one = s[naive_random(seed) % pairs];
    const double tie = isinf(one) ? 1 : eb_smallest_eps_scaled(one, a->opened.scaling.exponent);
    const double eps[] = {tie, nextafter(tie, 0), 0, 1e150, tie * 0.7};
    return eps[which];
}
enum { RADII = 5 };

static void expect_answers(const asked *a, const double *s, double eps, const char *what)
{
    const eb_question question = {.eps = eb_scaled_eps(eps, a->opened.scaling.exponent)};
    const eb_share whole = eb_share_whole(&a->opened.problem);
    join_entries expected = within(a, s, eps), found = entries_of(&a->opened, &question, &whole);
    const size_t selves = eb_is_self_join(&a->opened.problem) ? whole.row_end : 0;
    assert_same_entries(&found, &expected, a->setup.spec, what);
    assert_int_equal(count_of(a, &question, &whole), expected.count + selves);
    free_entries(&found);
    free_entries(&expected);
}

static void expect_distances(const asked *a, const double *s)
{
    const size_t n = a->opened.problem.left->n, m = a->opened.problem.right->n;
    const uint32_t rows[] = {(uint32_t)n - 1, 0, (uint32_t)n / 2};
    double *out = malloc(3 * m * sizeof *out);
    assert_non_null(out);
    assert_int_equal(a->setup.run->distances(a->opened.state, rows, 3, out, NULL), EB_OK);
    for (size_t q = 0; q < 3; q++)
        for (size_t j = 0; j < m; j++) {
            const double expected = eb_is_self_join(&a->opened.problem) && j == rows[q] ? 0 : s[rows[q] * m + j];
            assert_memory_equal(&out[q * m + j], &expected, sizeof expected);
        }
    free(out);
    (void)check_bins(&a->opened, rows, 3);
}

TEST(answers_are_those_of_the_definition)
{
    static const size_t sizes[][2] = {{8, 1}, {9, 6}, {97, 4}, {260, 12}};
    static const eb_dtype dtypes[] = {EB_F32, EB_U8, EB_F64, EB_I8};
    uint64_t seed = 1;
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f++)
        for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++) {
            if (left_out(f + z))
                continue;
            eb_dataset *ds = hostile_points(f, dtypes[(f + z) % 4], sizes[z][0], sizes[z][1], f * 10 + z);
            const eb_problem problem = eb_self_join(ds);
            for (size_t v = z % 2; v < VARIANTS; v += 2) {
                asked a;
                assert_int_equal(setenv("EPSBENCH_ISA", isas[v % 3], 1), 0);
                open_problem(&a, &variants[v], &problem, 1 + (unsigned)v % 3);
                double *s = all_of(&a);
                for (unsigned r = 0; r < RADII; r++)
                    expect_answers(&a, s, some_eps(&a, s, r, &seed), hostile_name(f));
                expect_distances(&a, s);
                free(s);
                close_problem(&a);
            }
            eb_dataset_free(ds);
        }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

TEST(of_two_sets_each_left_point_asks)
{
    uint64_t seed = 2;
    eb_dataset *left = hostile_points(HOSTILE_CLUSTERS, EB_F32, 70, 8, 3);
    eb_dataset *right = hostile_points(HOSTILE_RANDOM, EB_F32, 150, 8, 4);
    const eb_problem problems[] = {{.left = left, .right = right}, {.left = right, .right = left}};
    for (size_t p = 0; p < 2; p++)
        for (size_t v = 0; v < VARIANTS; v++) {
            asked a;
            open_problem(&a, &variants[v], &problems[p], 2);
            double *s = all_of(&a);
            for (unsigned r = 0; r < RADII; r++)
                expect_answers(&a, s, some_eps(&a, s, r, &seed), "two sets");
            expect_distances(&a, s);
            free(s);
            close_problem(&a);
        }
    eb_dataset_free(left);
    eb_dataset_free(right);
}

/* With all lists and FP32 tables, s is the distance to the point that the codes encode, and most true pairs are
 * found. */
TEST(with_all_lists_and_fp32_it_is_the_distance_of_codes)
{
    static const cpu_variant best = {&eb_engine_ivfpq, "nlist=16,nprobe=16,m=8,rounds=10"},
                             truth = {&eb_engine_ref64, ""};
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 1500, 8, 9);
    const eb_problem problem = eb_self_join(ds);
    const double eps = 1.2;
    asked a, t;
    open_problem(&a, &best, &problem, 3);
    open_problem(&t, &truth, &problem, 3);
    const eb_question question = {.eps = eps};
    const eb_share whole = eb_share_whole(&problem);
    join_entries found = entries_of(&a.opened, &question, &whole), expected = entries_of(&t.opened, &question, &whole);
    size_t both = 0;
    for (size_t k = 0, at = 0; k < found.count; k++) {
        while (at < expected.count && by_row_and_column(&expected.entry[at], &found.entry[k]) < 0)
            at++;
        both += at < expected.count && by_row_and_column(&expected.entry[at], &found.entry[k]) == 0;
    }
    assert_true(expected.count > 10000);
    assert_true((double)both / (double)(found.count + expected.count - both) > 0.95); /* one code byte per coordinate */
    free_entries(&found);
    free_entries(&expected);
    close_problem(&a);
    close_problem(&t);
    eb_dataset_free(ds);
}

/* ---- equal bits from threads and instruction sets ---- */

TEST(threads_and_instruction_sets_change_nothing)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 900, 16, 5);
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = 2.4};
    const eb_share whole = eb_share_whole(&problem);
    for (size_t v = 0; v < VARIANTS; v++) {
        join_entries first = {.entry = NULL};
        for (unsigned way = 0; way < 6; way++) {
            asked a;
            assert_int_equal(setenv("EPSBENCH_ISA", isas[way % 3], 1), 0);
            open_problem(&a, &variants[v], &problem, 1 + way / 2);
            join_entries found = entries_of(&a.opened, &question, &whole);
            if (way == 0) {
                first = found;
            } else {
                assert_same_entries(&found, &first, a.setup.spec, isas[way % 3]);
                free_entries(&found);
            }
            close_problem(&a);
        }
        assert_true(first.count > 1000);
        free_entries(&first);
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
    eb_dataset_free(ds);
}

static void expect_shares(const asked *a, const eb_question *question, size_t cut, unsigned parts)
{
    const size_t n = a->opened.problem.left->n, edge[] = {0, cut, cut + 1, n};
    const eb_share whole = eb_share_whole(&a->opened.problem);
    join_entries found = {.entry = NULL}, expected = entries_of(&a->opened, question, &whole);
    uint64_t counted = 0;
    for (size_t k = 0; k < 3; k++)
        for (unsigned part = 0; part < parts; part++) {
            const eb_share share = {edge[k], edge[k + 1], part, parts, NULL};
            add_share(&a->opened, question, &share, &found);
            counted += count_of(a, question, &share);
        }
    finish_entries(&found);
    assert_same_entries(&found, &expected, a->setup.spec, "shares");
    assert_int_equal(counted, count_of(a, question, &whole));
    free_entries(&found);
    free_entries(&expected);
}

TEST(shares_add_up_to_the_whole)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 300, 6, 5);
    const eb_dataset *other = hostile_points(HOSTILE_RANDOM, EB_F32, 110, 6, 6);
    const eb_problem problems[] = {eb_self_join(ds), {.left = ds, .right = other}};
    const eb_question question = {.eps = 0.9};
    for (size_t p = 0; p < 2; p++)
        for (size_t v = 0; v < VARIANTS; v++) {
            asked a;
            open_problem(&a, &variants[v], &problems[p], 3);
            expect_shares(&a, &question, 100, 1);
            expect_shares(&a, &question, 0, 3);
            expect_shares(&a, &question, 299, 500); /* more parts than queries */
            close_problem(&a);
        }
    eb_dataset_free(ds);
    eb_dataset_free((eb_dataset *)(uintptr_t)other);
}

/* ---- passes and self distances ---- */

TEST(passes_count_the_pairs_of_the_definition)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 200, 8, 7);
    const eb_problem problem = eb_self_join(ds);
    for (size_t v = 0; v < VARIANTS; v++) {
        asked a;
        open_problem(&a, &variants[v], &problem, 3);
        double *s = all_of(&a);
        const double edges[] = {0.2, 0.9, 1.1, 3};
        const bool keep[] = {true, false, true, false};
        uint64_t pairs[4], expected[4] = {0};
        double *kept[4], sums[2] = {0};
        eb_distance_pass pass = {.edges = 4, .eps = edges, .keep = keep, .pairs = pairs, .kept = kept};
        assert_int_equal(a.setup.run->histogram(a.opened.state, &pass, NULL), EB_OK);
        for (size_t i = 0; i < ds->n; i++)
            for (size_t j = i + 1; j < ds->n; j++)
                for (size_t e = 0; e < 4; e++)
                    if (s[i * ds->n + j] <= edges[e] * edges[e]) {
                        expected[e]++;
                        sums[0] += e == 2 ? s[i * ds->n + j] : 0;
                        break;
                    }
        assert_memory_equal(pairs, expected, sizeof pairs);
        for (size_t k = 0; k < pairs[2]; k++)
            sums[1] += kept[2][k];
        assert_true(pairs[2] > 0 && fabs(sums[0] - sums[1]) <= 1e-9 * sums[0]);
        free(kept[0]);
        free(kept[2]);
        free(s);
        close_problem(&a);
    }
    eb_dataset_free(ds);
}

TEST(a_point_is_as_far_from_itself_as_its_code_is)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 600, 8, 7); /* more than one block of self_pairs.h */
    const eb_problem problem = eb_self_join(ds);
    double *distance = malloc(ds->n * sizeof *distance);
    eb_status status;
    assert_non_null(distance);
    for (size_t v = 0; v < VARIANTS; v++) {
        const eb_setup setup = setup_of(&variants[v], 2);
        asked a;
        open_setup(&a, &setup, &problem);
        double *s = all_of(&a);
        const double eps = sqrt(s[17 * ds->n + 17]);
        assert_int_equal(eb_self_distances(&setup, ds, eps, NULL, distance, &status), EB_OK);
        for (size_t i = 0; i < ds->n; i++) {
            const double own = s[i * ds->n + i];
            assert_true(own <= eps * eps ? distance[i] == sqrt(own) : isinf(distance[i]));
        }
        free(s);
        close_problem(&a);
    }
    free(distance);
    eb_dataset_free(ds);
}

/* ---- nearest neighbours ---- */

typedef struct near_one {
    double s;
    uint32_t row;
} near_one;

static int nearer(const void *a, const void *b)
{
    const near_one *x = a, *y = b;
    return x->s != y->s ? (x->s > y->s) - (x->s < y->s) : (x->row > y->row) - (x->row < y->row);
}

static void ask_nearest(const asked *a, const eb_nearest_question *question, size_t first, size_t count, uint32_t *rows,
                        double *far)
{
    eb_status status = {.message = ""};
    if (eb_ask_nearest(&a->opened, question, first, count, rows, far, &status))
        fail_msg("%s: %s", a->setup.spec, status.message);
}

static void expect_nearest(const asked *a, const double *s, size_t k, size_t first, size_t count)
{
    const size_t n = a->opened.problem.right->n;
    const eb_nearest_question question = {.k = k};
    uint32_t *rows = malloc(count * k * sizeof *rows);
    double *far = malloc(count * k * sizeof *far);
    near_one *all = malloc(n * sizeof *all);
    assert_true(rows && far && all);
    ask_nearest(a, &question, first, count, rows, far);
    for (size_t q = 0; q < count; q++) {
        for (size_t j = 0; j < n; j++)
            all[j] = (near_one){s[(first + q) * n + j], (uint32_t)j};
        qsort(all, n, sizeof *all, nearer);
        for (size_t j = 0; j < k; j++) {
            const bool there = j < n && !isinf(all[j].s);
            const double expected = there ? eb_distance_of(all[j].s, ldexp(1, -a->opened.scaling.exponent)) : INFINITY;
            if (rows[q * k + j] != (there ? all[j].row : EB_NO_POINT) || far[q * k + j] != expected)
                fail_msg("%s: query %zu, neighbour %zu: row %u at %.17g", a->setup.spec, first + q, j, rows[q * k + j],
                         far[q * k + j]);
        }
    }
    free(rows);
    free(far);
    free(all);
}

TEST(the_nearest_are_those_of_the_definition)
{
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f++) {
        eb_dataset *base = hostile_points(f, EB_F64, 120, 6, 3), *queries = hostile_points(f, EB_F64, 40, 6, 4);
        const eb_problem problem = {.left = queries, .right = base};
        for (size_t v = 0; v < VARIANTS; v++) {
            asked a;
            open_problem(&a, &variants[v], &problem, 2);
            double *s = all_of(&a);
            expect_nearest(&a, s, 4, 0, 40);
            expect_nearest(&a, s, 130, 17, 9); /* another k, and a k larger than the number of points */
            expect_nearest(&a, s, 1, 0, 40);
            free(s);
            close_problem(&a);
        }
        eb_dataset_free(base);
        eb_dataset_free(queries);
    }
}

/* An index of some rows equals the index of a dataset of these rows. A question may override the engine's options. */
TEST(an_index_of_some_rows_is_asked_for_by_itself)
{
    enum { N = 200, SOME = 67, QUERIES = 30, K = 5 };
    static const cpu_variant plain = {&eb_engine_ivfpq, ""},
                             alike = {&eb_engine_ivfpq, "nlist=6,m=3,rounds=3,seed=7,nprobe=2,lut=e5m3"};
    eb_dataset *ds = hostile_points(HOSTILE_CLUSTERS, EB_F32, N, 6, 5), some, queries;
    uint32_t row[SOME], asks[QUERIES], found[2][QUERIES * K];
    double far[2][QUERIES * K];
    eb_status status;
    for (uint32_t i = 0; i < SOME; i++)
        row[i] = 3 * i;
    for (uint32_t i = 0; i < QUERIES; i++)
        asks[i] = 3 * i + 1;
    assert_int_equal(eb_pick_rows(ds, row, SOME, 1, NULL, &some, &status), EB_OK);
    assert_int_equal(eb_pick_rows(ds, asks, QUERIES, 1, NULL, &queries, &status), EB_OK);
    const eb_inverted_request request = {.points = ds, .rows = row, .n = SOME, .shape = {6, 3}, .rounds = 3, .seed = 7};
    const eb_inverted_question lists = {.nprobe = 2, .lut = EB_TABLE_E5M3, .scale = EB_TABLE_SCALE};
    eb_inverted_question refined = lists, wrong = lists;
    eb_nearest_question question = {.k = K, .lists = &lists};
    eb_setup setup = setup_of(&plain, 2);
    setup.index = &request;
    asked a, b;
    open_setup(&a, &setup, &(eb_problem){.left = &queries, .right = ds});
    open_problem(&b, &alike, &(eb_problem){.left = &queries, .right = &some}, 1);
    ask_nearest(&a, &question, 0, QUERIES, found[0], far[0]);
    ask_nearest(&b, &(eb_nearest_question){.k = K}, 0, QUERIES, found[1], far[1]);
    for (size_t k = 0; k < QUERIES * K; k++)
        assert_true(found[0][k] == row[found[1][k]] && far[0][k] == far[1][k]);
    refined.refine = SOME, refined.nprobe = 6;
    question.lists = &refined;
    ask_nearest(&a, &question, 0, QUERIES, found[0], far[0]);
    for (size_t q = 0; q < QUERIES; q++)
        for (size_t i = 0; i < SOME; i++)
            assert_true(eb_truth_distance(ds, asks[q], row[i]) >= far[0][q * K] * (1 - 1e-12));
    wrong.nprobe = 7;
    question.lists = &wrong;
    assert_int_equal(eb_ask_nearest(&a.opened, &question, 0, 0, NULL, NULL, &status), EB_USAGE);
    question.lists = &lists;
    ask_nearest(&a, &question, 0, 0, NULL, NULL);
    assert_non_null(strstr(a.setup.run->describe(a.opened.state), "host threads"));
    close_problem(&a);
    close_problem(&b);
    open_problem(&a, &alike, &(eb_problem){.left = ds, .right = ds},
                 1); /* a self-join gives one answer per pair, not one per query */
    assert_int_equal(eb_ask_nearest(&a.opened, &question, 0, 1, found[0], far[0], &status), EB_NO_ENGINE);
    close_problem(&a);
    free((void *)(uintptr_t)some.rows);
    free((void *)(uintptr_t)queries.rows);
    eb_dataset_free(ds);
}

/* ---- the index ---- */

static bool is_kept(const asked *a) { return state_of(a)->got.kept; }

TEST(engines_that_agree_share_an_index)
{
    static const cpu_variant one = {&eb_engine_ivfpq, "nlist=9,rounds=2,lut=f16"},
                             two = {&eb_engine_ivfpq, "nlist=9,rounds=2,lut=e5m3,nprobe=3"},
                             others[] = {{&eb_engine_ivfpq, "nlist=9,rounds=2,seed=43"},
                                         {&eb_engine_ivfpq, "nlist=9,rounds=3"},
                                         {&eb_engine_ivfpq, "nlist=9,rounds=2,m=4"},
                                         {&eb_engine_ivfpq, "nlist=8,rounds=2"}};
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 400, 8, 21);
    const eb_problem problem = eb_self_join(ds);
    asked a, b;
    open_problem(&a, &one, &problem, 2);
    open_problem(&b, &two, &problem, 1);
    assert_true(!is_kept(&a) && is_kept(&b));
    assert_ptr_equal(state_of(&a)->got.index, state_of(&b)->got.index);
    close_problem(&b);
    for (size_t k = 0; k < 4; k++) {
        open_problem(&b, &others[k], &problem, 1);
        assert_false(is_kept(&b));
        assert_ptr_not_equal(state_of(&a)->got.index, state_of(&b)->got.index);
        close_problem(&b);
    }
    assert_true(count_all(&a, 1) > ds->n); /* evicted from the cache, but still in use by the engine */
    open_problem(&b, &two, &problem, 1);
    assert_false(is_kept(&b));
    close_problem(&a);
    close_problem(&b);
    eb_dataset_free(ds);
}

/* Parts of a dataset share its sha256, but have different points. */
TEST(parts_of_a_dataset_have_indexes_of_their_own)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 200, 4, 22);
    const cpu_variant *variant = &variants[2];
    eb_dataset half[2] = {*ds, *ds};
    half[0].n = half[1].n = 100;
    half[1].rows = eb_row(ds, 100);
    asked a[2];
    for (size_t k = 0; k < 2; k++) {
        const eb_problem problem = eb_self_join(&half[k]);
        open_problem(&a[k], variant, &problem, 1);
        assert_false(is_kept(&a[k]));
    }
    close_problem(&a[0]);
    close_problem(&a[1]);
    eb_index *latest = eb_index_latest(&half[1]), *all[EB_CACHED_INDEXES];
    assert_non_null(latest);
    eb_index_release(latest);
    assert_null(eb_index_latest(ds)); /* no index covers all its points */
    const size_t count = eb_index_all(&half[0], all);
    assert_int_equal(count, 2);
    eb_index_release(all[0]);
    eb_index_release(all[1]);
    eb_dataset_free(ds);
}

/* ---- refusals and cancelling ---- */

static eb_code try_open(const char *items, const eb_problem *problem, uint64_t memory, eb_status *status)
{
    const cpu_variant variant = {&eb_engine_ivfpq, items};
    eb_setup setup = setup_of(&variant, 1);
    eb_opened opened;
    setup.resources.memory_limit = memory;
    EB_TRY(setup.run->probe(&setup.device, &setup.options, status));
    EB_TRY(eb_problem_open(&setup, problem, NULL, &opened, status));
    eb_problem_close(&opened);
    return EB_OK;
}

TEST(what_it_cannot_do_is_refused)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 50, 6, 1);
    float far[] = {1e30F, 0, 0, 0, 0, 0};
    const eb_dataset away = {.n = 1, .d = 6, .dtype = EB_F32, .rows = (void *)far, .stride = sizeof far};
    const eb_problem self = eb_self_join(ds), beyond = {.left = &away, .right = ds},
                     reaching = {.left = ds, .right = &away};
    static const uint32_t order_of[50] = {0};
    const eb_order order = {.point = order_of};
    eb_problem ordered = self;
    eb_status status;
    ordered.order = &order;
    assert_int_equal(try_open("nlist=51", &self, 0, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "51 lists need as many points; there are 50"));
    assert_int_equal(try_open("m=4", &self, 0, &status), EB_USAGE);
    assert_int_equal(try_open("nlist=4,nprobe=5", &self, 0, &status), EB_USAGE);
    assert_int_equal(try_open("lut=u8,accumulate=f16", &self, 0, &status), EB_USAGE);
    assert_int_equal(try_open("seed=77", &self, 1000, &status), EB_NO_MEMORY);
    assert_int_equal(try_open("", &beyond, 0, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "reach 1e+30"));
    assert_int_equal(try_open("", &reaching, 0, &status), EB_OK); /* an index may have one point */
    assert_int_not_equal(try_open("", &ordered, 0, &status), EB_OK);
    eb_dataset_free(ds);
}

static eb_code count_as_job(eb_job *job, void *argument, eb_status *status)
{
    asked *a = argument;
    const eb_question question = {.eps = 1};
    const eb_share whole = eb_share_whole(&a->opened.problem);
    uint64_t entries;
    a->opened.context.job = job;
    eb_job_phase(job, "counting", a->opened.problem.left->n);
    for (unsigned part = 0; part < 7; part++) {
        const eb_share share = {0, whole.row_end, part, 7, NULL};
        EB_TRY(a->setup.run->count(a->opened.state, &question, &share, &entries, status));
    }
    if (eb_job_progress(job).done != whole.row_end)
        return eb_fail(status, EB_INTERNAL, "%llu rows", (unsigned long long)eb_job_progress(job).done);
    eb_job_cancel(job);
    return a->setup.run->count(a->opened.state, &question, &whole, &entries, status);
}

TEST(progress_adds_up_and_a_cancel_is_heard)
{
    eb_dataset *ds = hostile_points(HOSTILE_RANDOM, EB_F32, 333, 6, 1);
    const eb_problem problem = eb_self_join(ds);
    eb_status status = {.message = ""};
    eb_job *job;
    asked a;
    open_problem(&a, &variants[0], &problem, 2);
    assert_int_equal(eb_job_start(count_as_job, &a, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    a.opened.context.job = NULL;
    assert_true(count_all(&a, 1) > ds->n);
    close_problem(&a);
    eb_dataset_free(ds);
}

RUN_TESTS
