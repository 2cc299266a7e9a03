/* Tests of `exact` on the CPU: every way gives the exact result bit for bit, on hostile points of every type and size
 * and on many small random cases. EPSBENCH_CASES sets the number of random cases. */

#include "kernels/exact/choose.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

static const eb_dtype dtypes[] = {EB_F32, EB_F64, EB_U8, EB_F16, EB_I8, EB_I16, EB_I32};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0], MOST_SETUPS = EB_MOST_WAYS + 1 };

/* The automatic choice, then each way by name. */
static size_t setups_here(eb_setup *setup, unsigned threads)
{
    static char items[MOST_SETUPS][24];
    size_t count = 0;
    for (;; count++) {
        const eb_way *way = count ? eb_way_at(EB_DEVICE_CPU, count - 1) : NULL;
        if (count && !way)
            return count;
        (void)snprintf(items[count], sizeof items[count], "way=%s", way ? way->name : "auto");
        const cpu_variant variant = {&eb_engine_exact, items[count]};
        setup[count] = setup_of(&variant, threads);
    }
}

/* Returns the number of setups that joined these points; only the automatic choice must not refuse. */
static size_t expect_truth(const eb_setup *setup, size_t setups, const eb_dataset *ds, double eps,
                           eb_distances distances, hostile_family family, uint64_t key)
{
    eb_status status = {.message = ""};
    size_t done = 0;
    for (size_t k = 0; k < setups; k++) {
        bool refused = false;
        const bool holds = hostile_holds(&setup[k], ds, eps, distances, NULL, &refused, &status);
        if (!holds && !(refused && (k > 0 || status.code == EB_BAD_VALUE)))
            fail_msg("%s: %s, %s, %zu × %zu, key %llu, ε = %.17g: %s", setup[k].spec, hostile_name(family),
                     eb_dtype_name(ds->dtype), ds->n, ds->d, (unsigned long long)key, eps, status.message);
        done += holds;
    }
    return done;
}

TEST(hostile_points_of_all_types)
{
    static const struct {
        size_t n, d;
    } sizes[] = {{1, 1}, {2, 3}, {33, 1}, {70, 2}, {97, 3}, {130, 5}, {64, 17}, {65, 40}};
    eb_setup setup[MOST_SETUPS];
    const size_t setups = setups_here(setup, 2);
    size_t done = 0, wanted = 0;
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f++)
        for (size_t t = 0; t < DTYPES; t++)
            for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++) {
                uint64_t key = f * 1000 + t * 100 + z, seed = key;
                if (left_out(f + t + z))
                    continue;
                eb_dataset *ds = hostile_points(f, dtypes[t], sizes[z].n, sizes[z].d, key);
                for (unsigned r = 0; r < HOSTILE_RADII; r++, wanted += setups)
                    done += expect_truth(setup, setups, ds, hostile_eps(ds, r, &seed), EB_DISTANCES_F64, f, key);
                eb_dataset_free(ds);
            }
    assert_true(done > wanted / 2);
}

TEST(small_cases_at_random)
{
    const char *text = getenv("EPSBENCH_CASES");
    const unsigned long cases = text ? strtoul(text, NULL, 10) : cases_of(20000, 4000);
    eb_setup setup[MOST_SETUPS];
    const size_t setups = setups_here(setup, 1);
    uint64_t seed = 1;
    size_t done = 0;
    for (unsigned long c = 0; c < cases; c++) {
        const hostile_family f = naive_random(&seed) % HOSTILE_FAMILIES;
        const eb_dtype dtype = dtypes[naive_random(&seed) % DTYPES];
        const size_t n = 1 + naive_random(&seed) % (c % 16 == 0 ? 150 : 24);
        const size_t d = 1 + naive_random(&seed) % (c % 8 == 0 ? 40 : 6);
        const uint64_t key = naive_random(&seed);
        eb_dataset *ds = hostile_points(f, dtype, n, d, key);
        const double eps = hostile_eps(ds, (unsigned)(naive_random(&seed) % HOSTILE_RADII), &seed);
        done += expect_truth(setup, setups, ds, eps, c % 3 ? EB_DISTANCES_F64 : EB_DISTANCES_NONE, f, key);
        eb_dataset_free(ds);
    }
    assert_true(done > cases);
}

RUN_TESTS
