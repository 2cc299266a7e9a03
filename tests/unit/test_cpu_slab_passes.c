/* Tests of passes over slabs: pairs and distances are those of one piece, whatever the cut; a target found under a
 * memory limit is the target found without one. */
#include "core/slabs/passes.h"
#include "core/slabs/slabs.h"
#include "core/tune/tune.h"
#include "tests/unit/cpu_points.h"
#include "tests/unit/passed.h"

/* ---- passes ---- */

/* bytes 0: in one piece. */
static passed pass_over(const eb_setup *setup, const eb_problem *problem, double eps, uint64_t bytes)
{
    eb_status status = {.message = ""};
    eb_opened opened;
    const eb_code failed = bytes ? eb_slabs_open(setup, problem, bytes, NULL, &opened, &status)
                                 : eb_problem_open(setup, problem, NULL, &opened, &status);
    if (failed)
        fail_msg("%s: %s", setup->spec, status.message);
    const passed found = pass_of(&opened, eps);
    eb_problem_close(&opened);
    return found;
}

/* The slabs that so many bytes leave; 0: the points cannot be cut. */
static size_t slabs_within(const eb_setup *setup, const eb_dataset *ds, double eps, uint64_t bytes)
{
    const eb_slab_room room = {.bytes = bytes, .memory_needed = setup->run->memory_needed};
    eb_slab_plan plan;
    if (eb_slabs_plan(ds, eps, &room, 2, NULL, &plan, NULL))
        return 0;
    const size_t slabs = plan.slabs;
    eb_slabs_free(&plan);
    return slabs;
}

/* The room for `points` of the sample's points. */
static uint64_t room_for(const eb_setup *setup, const eb_dataset *ds, size_t points)
{
    return setup->run->memory_needed(points, ds->d, ds->dtype) +
           points * (ds->d * eb_dtype_size(ds->dtype) + sizeof(uint32_t));
}

/* Fewer and fewer points fit; whole coordinates make points on edges, and pairs exactly as far as the edges. Returns
 * the most slabs that there were. */
static size_t cut_finer(const sample *s, const cpu_variant *variant)
{
    eb_dataset *ds = make(s);
    const eb_problem problem = eb_self_join(ds);
    const eb_setup setup = setup_of(variant, 3);
    passed expected = pass_over(&setup, &problem, s->eps, 0);
    size_t most = 0;
    for (size_t fit = s->n; fit > 8; fit = fit * 2 / 3) {
        const uint64_t bytes = room_for(&setup, ds, fit);
        const size_t slabs = slabs_within(&setup, ds, s->eps, bytes);
        passed found = pass_over(&setup, &problem, s->eps, bytes);
        assert_same_passes(&expected, &found, s->name);
        most = slabs > most ? slabs : most;
        free_passed(&found);
    }
    free_passed(&expected);
    eb_dataset_free(ds);
    return most;
}

static const sample cuttable[] = {
    {"integers with ties", 900, 2, EB_F32, 60, 1, 5},
    {"bytes with ties", 900, 2, EB_U8, 60, 1, 5},
    {"duplicates", 900, 1, EB_F32, 40, 0.25f, 1},
    {"a cube", 1300, 3, FINE, 0.08},
};

TEST(slabs_have_the_pairs_of_one_piece)
{
    static const cpu_variant truths[] = {{&eb_engine_ref64, ""}, {&eb_engine_exact, ""}};
    for (size_t k = 0; k < sizeof cuttable / sizeof cuttable[0]; k++)
        for (size_t v = 0; v < sizeof truths / sizeof truths[0]; v++)
            assert_true(cut_finer(&cuttable[k], &truths[v]) >= 4);
}

/* All points are near each other: no cut helps, and the pass is made in one piece. */
TEST(points_that_cannot_be_cut_go_in_one_piece)
{
    const sample near = {"near", 300, 4, FINE, 10};
    eb_dataset *ds = make(&near);
    const eb_problem problem = eb_self_join(ds);
    const eb_setup setup = setup_of(&(cpu_variant){&eb_engine_exact, ""}, 2);
    passed expected = pass_over(&setup, &problem, near.eps, 0);
    const uint64_t bytes = room_for(&setup, ds, 100);
    passed found = pass_over(&setup, &problem, near.eps, bytes);
    assert_int_equal(slabs_within(&setup, ds, near.eps, 2 * bytes), 0);
    assert_same_passes(&expected, &found, near.name);
    free_passed(&expected);
    free_passed(&found);
    eb_dataset_free(ds);
}

/* Doubles whose squares FP64 cannot hold are scaled, in each slab as in the whole. */
TEST(slabs_are_scaled_like_the_whole)
{
    const sample s = cuttable[3];
    eb_dataset *fine = make(&s);
    double *values = malloc(s.n * s.d * sizeof *values);
    assert_non_null(values);
    eb_dataset ds = *fine;
    for (size_t k = 0; k < s.n * s.d; k++)
        values[k] = (double)((const float *)fine->owner)[k] * 0x1p600;
    ds.dtype = EB_F64;
    ds.rows = (const unsigned char *)values;
    ds.stride = s.d * sizeof *values;
    assert_int_equal(eb_dataset_seal(&ds, NULL), EB_OK);
    const eb_problem problem = eb_self_join(&ds);
    const eb_setup setup = setup_of(&(cpu_variant){&eb_engine_exact, ""}, 2);
    passed expected = pass_over(&setup, &problem, s.eps * 0x1p600, 0);
    const uint64_t bytes = room_for(&setup, &ds, 400);
    passed found = pass_over(&setup, &problem, s.eps * 0x1p600, bytes);
    assert_true(expected.pairs[2] > 0 && slabs_within(&setup, &ds, s.eps * 0x1p600, bytes) > 2);
    assert_same_passes(&expected, &found, "scaled");
    free_passed(&expected);
    free_passed(&found);
    free(values);
    eb_dataset_free(fine);
}

/* ---- targets ---- */

static eb_target tuned(eb_dataset *ds, uint64_t limit, double wanted)
{
    eb_setup setup = setup_of(&(cpu_variant){&eb_engine_exact, ""}, 2);
    eb_curve curve = {.points = 0};
    eb_target target = {.wanted = wanted};
    eb_status status = {.message = ""};
    unsigned passes;
    setup.resources.memory_limit = limit;
    if (eb_tune_dataset(&setup, ds, 0, 42, &curve, &target, 1, &passes, NULL, &status))
        fail_msg("limit %llu: %s", (unsigned long long)limit, status.message);
    assert_int_equal(curve.n, ds->n);
    eb_curve_free(&curve);
    return target;
}

TEST(a_limit_changes_no_target)
{
    const sample s = {"many", 60000, 3, FINE, 0.02};
    eb_dataset *ds = make(&s);
    const double wanted[] = {0.01, 1, 40};
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        const eb_target whole = tuned(ds, 0, wanted[k]), few = tuned(ds, 5000000, wanted[k]);
        assert_true(whole.eps == few.eps);
        assert_int_equal(whole.pairs, few.pairs);
        assert_int_equal(whole.ties, few.ties);
        assert_true(!few.sampled);
        assert_true(whole.sampled_eps != few.sampled_eps); /* the curve was of fewer points */
    }
    eb_dataset_free(ds);
}

RUN_TESTS
