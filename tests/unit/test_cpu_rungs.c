/* Tests of engine tensor on the host (kernels/tensor): a join finds the pairs that the rung's own distances say, though
 * it computes only candidates; the rung without preparation has FASTED's bits; distances are those of points rounded
 * here by other means; options that exclude each other are refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/shared_pairs.h"
#include "core/experiment/compare.h"
#include "kernels/walk/emulated.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/rungs.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

/* ---- a join is what all distances say ---- */

static size_t within(const double *s, size_t count, double eps)
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        found += s[k] <= eb_squared_threshold(eps);
    return found;
}

/* The engine's own ε at which its table changes: at a distance that it computed, and just below it. */
static void check_radii(const asked *a, const double *s, size_t count, const char *what, uint64_t *seed)
{
    for (unsigned which = 0; which < 6; which++) {
        const double of = s[naive_random(seed) % count], tie = isfinite(of) ? eb_smallest_eps(of) : 1;
        const double radii[] = {tie, nextafter(tie, 0), 0.5 * tie, 2 * tie, 0, 1e150};
        const eb_question question = {.eps = radii[which]};
        const eb_share whole = eb_share_whole(&a->opened.problem);
        const uint64_t counted = count_of(a, &question, &whole);
        if (counted != within(s, count, radii[which]))
            fail_msg("%s, %s, eps %a: %llu pairs, not %zu", a->setup.spec, what, radii[which],
                     (unsigned long long)counted, within(s, count, radii[which]));
    }
}

TEST(a_join_finds_what_all_distances_say)
{
    static const size_t dimensions[] = {1, 7, 33, 130};
    uint64_t seed = 5;
    size_t opened = 0;
    for (size_t r = 0; r < RUNGS; r++)
        for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++) {
            if (left_out(r + family))
                continue;
            const size_t d = dimensions[naive_random(&seed) % 4], n = 40 + naive_random(&seed) % 60;
            eb_dataset *ds =
                hostile_points(family, naive_random(&seed) % 2 ? EB_F64 : EB_F32, n, d, naive_random(&seed));
            const eb_problem problem = eb_self_join(ds);
            asked a;
            if (opens(&a, rungs[r], &problem)) {
                double *s = all_distances(&a);
                check_radii(&a, s, n * n, hostile_name(family), &seed);
                free(s);
                close_problem(&a);
                opened++;
            }
            eb_dataset_free(ds);
        }
    assert_true(opened > (EB_SANITIZED ? RUNGS * HOSTILE_FAMILIES / 4 : RUNGS * HOSTILE_FAMILIES * 3 / 4));
}

TEST(two_sets_too)
{
    uint64_t seed = 6;
    for (size_t r = 0; r < RUNGS; r++) {
        eb_dataset *left = hostile_points(HOSTILE_CLUSTERS, EB_F32, 37, 20, 3),
                   *right = hostile_points(HOSTILE_RANDOM, EB_F32, 51, 20, 4);
        const eb_problem problem = {.left = left, .right = right};
        asked a;
        assert_true(opens(&a, rungs[r], &problem));
        double *s = all_distances(&a);
        check_radii(&a, s, left->n * right->n, "two sets", &seed);
        free(s);
        close_problem(&a);
        eb_dataset_free(left);
        eb_dataset_free(right);
    }
}

/* The whole, and rows and parts that make it up; `shared`: whether the whole rests on shared candidates. */
static void check_shares(const asked *a, double eps, size_t expected, bool *shared)
{
    const eb_question question = {.eps = eps};
    const size_t n = a->opened.problem.left->n;
    const eb_share whole = eb_share_whole(&a->opened.problem), first = eb_share_rows(0, n / 3),
                   second = eb_share_rows(n / 3, n), half = {0, n, 0, 2, NULL}, other = {0, n, 1, 2, NULL};
    assert_int_equal(count_of(a, &question, &whole), expected);
    *shared = ((const eb_emulated *)a->opened.state)->shared;
    assert_int_equal(count_of(a, &question, &first) + count_of(a, &question, &second), expected);
    assert_int_equal(count_of(a, &question, &half) + count_of(a, &question, &other), expected);
}

static size_t check_shared(eb_problem *problem, uint64_t *seed)
{
    const cpu_variant truth = {&eb_engine_tensor, "type=f64"};
    eb_setup setup[RUNGS];
    const eb_setup *setups[RUNGS];
    eb_shared_pairs pairs;
    eb_status status;
    asked a;
    size_t used = 0;
    open_problem(&a, &truth, problem, 2);
    double *s = all_distances(&a);
    const double eps = eb_smallest_eps(s[naive_random(seed) % (problem->left->n * problem->right->n)]);
    free(s);
    close_problem(&a);
    for (size_t r = 0; r < RUNGS; r++) {
        const cpu_variant variant = {&eb_engine_tensor, rungs[r]};
        setup[r] = setup_of(&variant, 2);
        setups[r] = &setup[r];
    }
    assert_int_equal(eb_shared_plan(setups, RUNGS, problem, eps, 0, NULL, &pairs, &status), EB_OK);
    problem->shared = &pairs;
    for (size_t r = 0; r < RUNGS; r++) {
        bool shared;
        if (!opens(&a, rungs[r], problem))
            continue;
        s = all_distances(&a);
        for (int k = 0; k < 3; k++) {
            const double radius = k == 0 ? eps : k == 1 ? eps / 2 : 4 * eps;
            check_shares(&a, radius, within(s, problem->left->n * problem->right->n, radius), &shared);
            used += shared;
        }
        free(s);
        close_problem(&a);
    }
    eb_shared_free(&pairs);
    problem->shared = NULL;
    return used;
}

TEST(engines_that_share_candidates_find_what_they_find_alone)
{
    uint64_t seed = 11;
    size_t used = 0, families = 0;
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++) {
        if (left_out(family))
            continue;
        eb_dataset *ds = hostile_points(family, EB_F32, 50, 9, 21 + family),
                   *other = hostile_points(HOSTILE_CLUSTERS, EB_F32, 30, 9, 22);
        eb_problem self = eb_self_join(ds), two = {.left = other, .right = ds};
        used += check_shared(&self, &seed) + check_shared(&two, &seed);
        families++;
        eb_dataset_free(ds);
        eb_dataset_free(other);
    }
    assert_true(used > families * RUNGS); /* of six questions to a rung */
}

TEST(a_comparison_finds_candidates_once)
{
    static const cpu_variant variants[] = {{&eb_engine_tensor, "type=bf16"},
                                           {&eb_engine_fasted, ""},
                                           {&eb_engine_exact, ""}};
    eb_dataset *ds = hostile_points(HOSTILE_CLUSTERS, EB_F32, 200, 8, 3);
    eb_setup setup[3];
    for (size_t k = 0; k < 3; k++)
        setup[k] = setup_of(&variants[k], 2);
    const eb_compare_request request = {.setup = setup,
                                        .count = 3,
                                        .dataset = ds,
                                        .eps = 0.5,
                                        .trials = 1,
                                        .distances = EB_DISTANCES_F64,
                                        .threads = 2};
    static eb_comparison c;
    eb_status status;
    assert_int_equal(eb_compare(&request, NULL, NULL, &c, &status), EB_OK);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(eb_figures_find(&c.run[k].trials[0], "candidates_s") != NULL, k == 0);
        assert_int_equal(strstr(c.run[k].note, EB_SHARED_NOTE) != NULL, k < 2); /* the truth finds its own pairs */
    }
    eb_comparison_free(&c);
    eb_dataset_free(ds);
}

/* Candidates beyond the limit are not kept: the narrower reach is taken, or none, and the answers stay. */
TEST(too_many_candidates_are_not_kept)
{
    eb_dataset *ds = hostile_points(HOSTILE_CLUSTERS, EB_F32, 300, 9, 3);
    eb_problem problem = eb_self_join(ds);
    asked a;
    assert_true(opens(&a, "type=bf16", &problem));
    double *s = all_distances(&a);
    const double eps = eb_smallest_eps(s[17]);
    const size_t expected = within(s, ds->n * ds->n, eps);
    close_problem(&a);
    free(s);
    for (uint64_t most = 1; most < 100000; most *= 40) {
        bool shared;
        eb_shared_pairs pairs = {.reach = {1e6, 2 * eps}, .reaches = 2, .most = most, .within = -1};
        problem.shared = &pairs;
        assert_true(opens(&a, "type=bf16", &problem));
        check_shares(&a, eps, expected, &shared);
        assert_true(shared == (pairs.within > 0) && pairs.found <= most);
        assert_true(shared || pairs.refused);
        close_problem(&a);
        eb_shared_free(&pairs);
    }
    eb_dataset_free(ds);
}

/* An outlier that moves far must not widen the search for all others. */
TEST(points_that_move_far_are_left_out_of_the_search)
{
    eb_dataset *ds = hostile_points(HOSTILE_OUTLIER, EB_F32, 2000, 4, 1);
    const eb_problem problem = eb_self_join(ds);
    eb_emulated_reach reach;
    eb_status status;
    asked a;
    assert_true(opens(&a, "type=bf16", &problem));
    assert_int_equal(eb_emulated_reach_of(a.opened.state, 0.1, &reach, &status), EB_OK);
    assert_in_range(reach.left_out, 1, 2); /* at most one in a thousand */
    assert_true(reach.eps > 0.1 && reach.eps < 0.13);
    /* A part computes its own of these points' pairs. */
    const eb_question question = {.eps = 0.1};
    eb_share share = eb_share_whole(&problem);
    const uint64_t whole = count_of(&a, &question, &share);
    uint64_t parts = 0;
    for (share.parts = 7; share.part < share.parts; share.part++)
        parts += count_of(&a, &question, &share);
    assert_int_equal(parts, whole);
    close_problem(&a);
    eb_dataset_free(ds);
}

/* ---- bits ---- */

/* Asks for all distances, for a join within one of them and for distances of points to themselves. */
TEST(fasted_is_the_rung_of_fp16)
{
    static const struct {
        const char *tensor, *fasted;
    } same[] = {{"type=f16", "tensor=sm_90"},
                {"type=f16,core=sm_80", "tensor=sm_80"},
                {"type=f16,centre=mean", "centre=mean"},
                {"type=f16,exponent=max", "exponent=max"},
                {"type=f16,core=sm_80,exponent=auto", "tensor=sm_80,exponent=auto"},
                {"type=f16,centre=mean,exponent=max", "centre=mean,exponent=max"}};
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++)
        for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++) {
            eb_dataset *ds = hostile_points(family, k < 2 ? EB_F16 : EB_F32, 60, 50, 7 + family);
            const eb_problem problem = eb_self_join(ds);
            asked refused;
            if (!opens(&refused, same[k].tensor, &problem)) {
                eb_dataset_free(ds);
                continue;
            }
            close_problem(&refused);
            const cpu_variant tensor = {&eb_engine_tensor, same[k].tensor},
                              fasted = {&eb_engine_fasted, same[k].fasted};
            asked a, b;
            open_problem(&a, &tensor, &problem, 2);
            open_problem(&b, &fasted, &problem, 2);
            double *of_tensor = all_distances(&a), *of_fasted = all_distances(&b);
            assert_memory_equal(of_tensor, of_fasted, 60 * 60 * sizeof *of_tensor);
            const eb_question question = {.eps = isfinite(of_tensor[7]) ? eb_smallest_eps(of_tensor[7]) : 1};
            const eb_share whole = eb_share_whole(&problem);
            assert_int_equal(count_of(&a, &question, &whole), count_of(&b, &question, &whole));
            double self[2][60];
            assert_int_equal(a.setup.run->self(a.opened.state, self[0], NULL), EB_OK);
            assert_int_equal(b.setup.run->self(b.opened.state, self[1], NULL), EB_OK);
            assert_memory_equal(self[0], self[1], sizeof self[0]);
            free(of_tensor);
            free(of_fasted);
            close_problem(&a);
            close_problem(&b);
            eb_dataset_free(ds);
        }
}

/* Distances of points rounded here, in FP64, as far as the rung's sums allow. */
typedef struct rounding_case {
    const char *items;
    double unit;     /* numbers near 1 are multiples of this */
    double relative; /* allowed error of ‖ŷ_i‖² + ‖ŷ_j‖² − 2⟨ŷ_i, ŷ_j⟩, of the sum of squares */
} rounding_case;

TEST(distances_are_those_of_rounded_points)
{
    static const rounding_case cases[] = {{"type=f16", 0x1p-11, 1e-5},  {"type=bf16", 0x1p-8, 1e-5},
                                          {"type=tf32", 0x1p-11, 1e-5}, {"type=e4m3", 0x1p-4, 5e-3},
                                          {"type=e5m2", 0x1p-3, 5e-3},  {"type=s8", 0, 1e-12},
                                          {"type=f64", 0x1p-53, 1e-12}};
    enum { N = 30, D = 40 };
    double x[N][D], near[N][D], greatest = 0;
    uint64_t seed = 9;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < D; k++) {
            x[i][k] = 0.5 + 0.5 * hostile_unit(&seed); /* 0.5 … 1: numbers are multiples of one unit */
            greatest = fmax(greatest, x[i][k]);
        }
    eb_dataset ds = {.n = N, .d = D, .dtype = EB_F64, .rows = (const unsigned char *)x, .stride = sizeof x[0]};
    const eb_problem problem = eb_self_join(&ds);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const double unit = cases[c].unit > 0 ? cases[c].unit : greatest / 127;
        const cpu_variant variant = {&eb_engine_tensor, cases[c].items};
        asked a;
        open_problem(&a, &variant, &problem, 1);
        double *s = all_distances(&a);
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < D; k++)
                near[i][k] = nearbyint(x[i][k] / unit) * unit;
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                double exact = 0, size = 0;
                for (size_t k = 0; k < D; k++) {
                    exact += (near[i][k] - near[j][k]) * (near[i][k] - near[j][k]);
                    size += near[i][k] * near[i][k] + near[j][k] * near[j][k];
                }
                assert_true(fabs(s[i * N + j] - exact) <= cases[c].relative * size);
            }
        free(s);
        close_problem(&a);
    }
}

/* ---- options ---- */

static void refuses(const char *items, const char *words)
{
    eb_setup setup = {.engine = &eb_engine_tensor, .run = eb_engine_tensor.on[EB_DEVICE_CPU].run};
    eb_status status = {.message = ""};
    eb_device_cpu(&setup.device);
    eb_options_default(&eb_engine_tensor.options, &setup.options);
    assert_int_equal(eb_options_take(&setup.options, items, &status), EB_OK);
    assert_int_equal(setup.run->probe(&setup.device, &setup.options, &status), EB_USAGE);
    if (!strstr(status.message, words))
        fail_msg("%s: %s", items, status.message);
}

/* Also where the left set alone has a greater step. */
TEST(whole_levels_stay_exact)
{
    static const struct {
        const char *items;
        float unit, most;
    } cases[] = {{"type=s8", 1, 100}, {"type=s8", 0.25F, 127}, {"type=s8", 3, 125}};
    enum { N = 30, D = 5 };
    uint64_t seed = 7;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        float x[N * D];
        for (size_t k = 0; k < (size_t)N * D; k++)
            x[k] = cases[c].unit *
                   (float)((int64_t)(naive_random(&seed) % (uint64_t)(2 * cases[c].most)) - (int64_t)cases[c].most);
        for (size_t k = 0; k < D; k++)
            x[k] = 2 * cases[c].unit * (float)k;
        eb_dataset all = {.n = N, .d = D, .dtype = EB_F32, .rows = (const unsigned char *)x, .stride = 4 * D};
        eb_dataset first = all;
        first.n = 1;
        for (int two = 0; two < 2; two++) {
            const eb_problem problem = {.left = two ? &first : &all, .right = &all};
            asked a;
            assert_true(opens(&a, cases[c].items, &problem));
            double *s = all_distances(&a);
            for (size_t i = 0; i < problem.left->n; i++)
                for (size_t j = 0; j < N; j++) {
                    double truth = 0;
                    for (size_t k = 0; k < D; k++)
                        truth += ((double)x[i * D + k] - (double)x[j * D + k]) *
                                 ((double)x[i * D + k] - (double)x[j * D + k]);
                    if (s[i * N + j] != truth)
                        fail_msg("%s, pair (%zu, %zu): %a, not %a", cases[c].items, i, j, s[i * N + j], truth);
                }
            free(s);
            close_problem(&a);
        }
    }
}

TEST(options_that_exclude_each_other_are_refused)
{
    refuses("type=s8,exponent=max", "leave out exponent=");
    refuses("type=bf16,step=point", "step=point is for type=s8");
    refuses("type=e4m3,parts=2", "have one part");
    refuses("type=s8,parts=3", "take parts=2");
    refuses("type=f64,sums=f16", "leave out sums=");
    refuses("type=s8,promote=64", "leave out promote=");
    refuses("type=f16,promote=33", "expected a multiple of 32");
    refuses("type=bf16,sums=f16", "in FP32 only");
    refuses("type=e4m3,core=sm_80", "has no tensor core for E4M3");
}

TEST(values_beyond_the_type_are_refused_with_their_place)
{
    const float x[4] = {1, 2, 3, 70000};
    eb_dataset ds = {.n = 2, .d = 2, .dtype = EB_F32, .rows = (const unsigned char *)x, .stride = 8};
    const eb_problem problem = eb_self_join(&ds);
    const cpu_variant variant = {&eb_engine_tensor, "type=f16"};
    eb_setup setup = setup_of(&variant, 1);
    eb_opened opened;
    eb_status status;
    assert_int_equal(eb_problem_open(&setup, &problem, NULL, &opened, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "row 1, column 1"));
    assert_non_null(strstr(status.message, "exponent=max"));
    asked a;
    assert_true(opens(&a, "type=f16,exponent=max", &problem));
    close_problem(&a);
}

RUN_TESTS
