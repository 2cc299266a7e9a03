/* Tests of the pipeline's timeline: which step waits for which, which steps never overlap, and that the speed is the
 * model's. */
#include <math.h>

#include "core/engine/spec.h"
#include "core/model/pipeline.h"
#include "tests/unit/test.h"

enum { SLICES = 400 };

typedef struct timeline {
    eb_prediction prediction;
    eb_pipeline pipeline;
    eb_slice_time *time;
} timeline;

static timeline timeline_of(const char *spec, const char *on)
{
    eb_status status = {.message = ""};
    eb_spec parsed;
    eb_kernel_plan plan;
    eb_machine *machines;
    size_t count;
    timeline t;
    assert_int_equal(eb_machines(NULL, &machines, &count, &status), EB_OK);
    const eb_machine *machine = eb_machine_find(machines, count, on);
    assert_int_equal(eb_spec_parse(spec, NULL, &parsed, &status), EB_OK);
    assert_int_equal(parsed.engine->plan(&parsed.options, 20000, 1024, machine, &plan, &status), EB_OK);
    assert_int_equal(eb_predict(&plan, machine, 0, NULL, &t.prediction, &status), EB_OK);
    t.pipeline = eb_pipeline_of(&plan, machine, &t.prediction);
    t.time = calloc((size_t)SLICES * t.pipeline.blocks, sizeof *t.time);
    assert_non_null(t.time);
    eb_pipeline_run(&t.pipeline, SLICES, t.time);
    free(machines);
    return t;
}

static const eb_slice_time *at(const timeline *t, size_t slice, size_t block)
{
    return &t->time[slice * t->pipeline.blocks + block];
}

static const struct {
    const char *spec, *on;
    unsigned blocks, stages;
} kernels[] = {
    {"fasted[paper]", "h200", 2, 2},
    {"fasted[paper,-pipeline]", "h200", 2, 1},
    {"fasted[paper,-pipeline,-async-copy]", "h200", 2, 1},
    {"fasted[paper,-residency]", "h200", 1, 2},
    {"fasted[paper,-residency,-pipeline]", "h200", 1, 1},
    {"fasted[paper,-swizzle,-pipeline]", "h200", 2, 1},
    {"fasted[paper,-swizzle,-residency,-pipeline]", "h200", 1, 1},
    {"fasted[paper,-block-tile]", "h200", 0, 2},
    {"fasted[paper,-warp-tile,-register-reuse]", "h200", 0, 2},
    {"fasted[paper]", "rtx3090", 1, 2},
    {"fasted", "h200", 1, 4},
    {"fasted", "a100-sxm", 0, 2},
    {"ted", "h200", 2, 4},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static void check_order(const timeline *t, size_t k, size_t b)
{
    const eb_slice_time *now = at(t, k, b);
    const eb_pipeline *p = &t->pipeline;
    assert_true(now->load.begin >= now->copy.end);              /* a slice is loaded after its copy */
    assert_true(now->multiply.begin >= now->load.begin - 1e-6); /* and multiplied after its load */
    assert_true(now->load.end <= now->multiply.end + 1e-6);
    assert_true(fabs(now->multiply.end - now->load.begin - p->work) < 1e-6);
    if (k >= p->stages)
        assert_true(now->copy.begin >= at(t, k - p->stages, b)->multiply.end); /* the stage becomes free only then */
    if (b > 0)
        assert_true(now->load.begin >= at(t, k, b - 1)->multiply.end); /* one block at a time */
    else if (k > 0)
        assert_true(now->load.begin >= at(t, k - 1, p->blocks - 1)->multiply.end);
}

TEST(test_order)
{
    for (size_t s = 0; s < KERNELS; s++) {
        timeline t = timeline_of(kernels[s].spec, kernels[s].on);
        assert_int_equal(t.pipeline.stages, kernels[s].stages);
        if (kernels[s].blocks > 0)
            assert_int_equal(t.pipeline.blocks, kernels[s].blocks);
        for (size_t k = 0; k < SLICES; k++)
            for (size_t b = 0; b < t.pipeline.blocks; b++)
                check_order(&t, k, b);
        free(t.time);
    }
}

/* On average a slice takes as long as in the model. */
TEST(test_speed)
{
    for (size_t s = 0; s < KERNELS; s++) {
        timeline t = timeline_of(kernels[s].spec, kernels[s].on);
        const size_t half = SLICES / 2, of = (SLICES - half) * t.pipeline.blocks;
        const double clocks = at(&t, SLICES - 1, 0)->multiply.end - at(&t, half - 1, 0)->multiply.end;
        if (fabs(clocks / (double)of / t.pipeline.slice - 1) > 1e-9)
            fail_msg("%s on %s: %.3f clocks a slice, the model's %.3f", kernels[s].spec, kernels[s].on,
                     clocks / (double)of, t.pipeline.slice);
        assert_true(t.pipeline.slice == fmax(t.prediction.slice_clocks, t.pipeline.copy));
        free(t.time);
    }
}

/* A block's copies, from the second slice on, never overlap its own products with one stage. With more stages all
 * overlap, unless copies are the bottleneck. */
TEST(test_overlap)
{
    for (size_t s = 0; s < KERNELS; s++) {
        timeline t = timeline_of(kernels[s].spec, kernels[s].on);
        for (size_t k = 1; k < SLICES; k++) {
            const bool overlaps = at(&t, k, 0)->copy.begin < at(&t, k - 1, 0)->multiply.end;
            if (t.pipeline.stages == 1)
                assert_false(overlaps);
            else if (t.pipeline.copy < t.pipeline.work)
                assert_true(overlaps);
        }
        free(t.time);
    }
}

/* By hand: 128 + 128 points of 128 bytes at 5600 bytes a clock for 132 SMs; 128 fragments of A of 4 wavefronts each,
 * and as many of B; 128 · 128 · 64 products at 1363 a clock; plus 0.41 of the shorter of these, and 768 wavefronts. */
TEST(test_clocks_by_hand)
{
    timeline t = timeline_of("fasted[paper]", "h200");
    const double products = 128. * 128 * 64 / 1363;
    assert_true(fabs(t.pipeline.copy / (256 * 128 / (5600. / 132)) - 1) < 1e-6);
    assert_true(t.pipeline.load == 512);
    assert_true(fabs(t.pipeline.multiply - products) < 1e-6);
    assert_true(fabs(t.pipeline.work - (products + 0.41 * 768)) < 1e-6);
    free(t.time);
    t = timeline_of("fasted[paper,-residency,-pipeline]", "h200");
    assert_true(fabs(t.pipeline.copy + t.pipeline.work - t.prediction.slice_clocks) < 1e-6);
    free(t.time);
}

RUN_TESTS
