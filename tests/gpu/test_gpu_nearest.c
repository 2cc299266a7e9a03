/* Tests of the k nearest on a GPU (kernels/tiled/nearest.cuh): neighbours and distances are those of ref64 on the CPU,
 * bit for bit, of hostile points of every type: of all points, of some of them with and without each other, and of
 * another set. Needs a GPU (gpu_suite.h). */
#include <math.h>

#include "core/knn/knn.h"
#include "gpu_suite.h"
#include "tests/unit/hostile_points.h"

static const char *const specs[] = {"exact", "exact[way=fp16]", "exact[way=integers]"};
enum { SPECS = sizeof specs / sizeof specs[0] };
static const eb_dtype dtypes[] = {EB_F32, EB_U8, EB_F64, EB_F16, EB_I8, EB_I16, EB_I32};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

static eb_setup on_cpu(void)
{
    eb_status status;
    eb_setup setup = {.device = cpu, .spec = "ref64"};
    assert_int_equal(eb_engine_find("ref64", strlen("ref64"), &setup.engine, &status), EB_OK);
    setup.run = setup.engine->on[EB_DEVICE_CPU].run;
    eb_options_default(&setup.engine->options, &setup.options);
    setup.resources.threads = 4;
    return setup;
}

static void expect_same(const eb_knn_request *r, const eb_knn *got, const eb_knn *right, const char *what)
{
    for (size_t x = 0; x < right->queries * right->k; x++) {
        const eb_near_row *a = &got->near[x], *b = &right->near[x];
        if (a->row != b->row || memcmp(&a->far, &b->far, sizeof a->far) != 0)
            fail_msg("%s, %s, %s, %zu × %zu, query %zu: neighbour %zu is row %u at %.17g, found %u at %.17g",
                     r->setup->spec, what, eb_dtype_name(r->base->dtype), r->base->n, r->base->d, x / right->k,
                     x % right->k, b->row, b->far, a->row, a->far);
    }
}

static void expect_reach(eb_knn_request r, const eb_knn *right)
{
    eb_status status = {.message = ""};
    eb_knn got;
    r.reach = true;
    if (eb_knn_find(&r, NULL, &got, &status))
        fail_msg("%s: %s", r.setup->spec, status.message);
    for (size_t q = 0; q < right->queries; q++) {
        const double last = right->near[q * right->k + right->k - 1].far;
        assert_true(last == INFINITY ||
                    (last <= got.reach[q] && got.reach[q] <= nextafter(nextafter(last, INFINITY), INFINITY)));
    }
    eb_knn_free(&got);
}

/* Returns how many of the ways searched without joins. */
static size_t holds(eb_knn_request r, const char *what)
{
    const eb_setup truth = on_cpu();
    eb_status status = {.message = ""};
    eb_knn right, got;
    size_t searched = 0;
    r.setup = &truth;
    const eb_code failed = eb_knn_find(&r, NULL, &right, &status);
    if (failed == EB_BAD_VALUE)
        return 0;
    if (failed)
        fail_msg("%s: %s", what, status.message);
    for (size_t k = 0; k < SPECS; k++) {
        eb_setup setup = setup_of(specs[k]);
        setup.resources.threads = 4;
        r.setup = &setup;
        const eb_code refused = eb_knn_find(&r, NULL, &got, &status);
        if (refused == EB_NO_ENGINE && k > 0)
            continue;
        if (refused)
            fail_msg("%s, %s: %s", specs[k], what, status.message);
        expect_same(&r, &got, &right, what);
        searched += got.effort.rounds == 1 && got.effort.joins == 0;
        eb_knn_free(&got);
        if (k == 0)
            expect_reach(r, &right);
    }
    eb_knn_free(&right);
    return searched;
}

static void of_hostile_points(void **state)
{
    static const struct {
        size_t n, d, k;
    } sizes[] = {{1100, 17, 5}, {3000, 65, 10}, {1500, 129, 1}, {2100, 10, 40}};
    size_t searched = 0;
    (void)state;
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f += small ? 4 : 1)
        for (size_t t = 0; t < DTYPES; t += small ? 3 : 1)
            for (size_t z = 0; z < (small ? 1 : sizeof sizes / sizeof sizes[0]); z++) {
                if ((f + t + z) % 3 != 0 && !small)
                    continue;
                uint32_t rows[200];
                eb_dataset *ds = hostile_points(f, dtypes[t], sizes[z].n, sizes[z].d, f * 100 + t),
                           *others = hostile_points(f, dtypes[t], 150, sizes[z].d, f * 100 + t + 50);
                for (uint32_t q = 0; q < 200; q++)
                    rows[q] = (uint32_t)(sizes[z].n - 2) - 5 * q;
                eb_knn_request r = {.base = ds, .k = sizes[z].k};
                searched += holds(r, hostile_name(f));
                r.rows = rows;
                r.count = 200;
                searched += holds(r, "some rows");
                r.taken_out = 200;
                searched += holds(r, "some rows, without each other");
                searched += holds((eb_knn_request){.base = ds, .queries = others, .k = sizes[z].k}, "another set");
                eb_dataset_free(ds);
                eb_dataset_free(others);
            }
    assert_true(searched > (small ? 10 : 200));
}

/* Several samples, of 40,000 points: a sample's nearest is in every seventeenth case nearer than any of the next
 * sample; duplicates of one point fill a batch of pairs. */
static void of_many_points(void **state)
{
    (void)state;
    static const hostile_family families[] = {HOSTILE_CLUSTERS, HOSTILE_WHOLE, HOSTILE_DUPLICATES};
    for (size_t t = 0; t < 3 && !small; t++) {
        eb_dataset *ds = hostile_points(families[t], dtypes[t % 2], 40000, 33, 9 + t);
        uint32_t rows[3000];
        for (uint32_t q = 0; q < 3000; q++)
            rows[q] = 13 * q;
        assert_true(holds((eb_knn_request){.base = ds, .rows = rows, .count = 3000, .k = 10}, "many points") >= 2);
        assert_true(holds((eb_knn_request){.base = ds, .rows = rows, .count = 3000, .k = 1}, "many points") >= 2);
        eb_dataset_free(ds);
    }
}

static void add_all(test_list *list)
{
    ADD_TEST(list, of_hostile_points);
    ADD_TEST(list, of_many_points);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_nearest", add_all); }
