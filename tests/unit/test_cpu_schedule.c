/* Tests of all CPU engines, in all their ways to compute, on schedules: the triangle as a list of leaves, lists that
 * leave pairs out, reordered points, two sets. */

#include "tests/unit/cpu_points.h"
#include "tests/unit/leaf_orders.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/test.h"

/* ---- orders and lists ---- */

static void check_full_lists(const sample *s, const eb_dataset *ds, const cpu_variant *variant,
                             const join_entries *expected, uint64_t *seed)
{
    for (unsigned threads = 1; threads <= GATHERING_THREADS; threads++) {
        leaf_order l = grow_leaves(s->n, leaf_shapes[naive_random(seed) % LEAF_SHAPES], seed);
        const eb_problem problem = {.left = ds, .right = ds, .order = &l.order};
        asked a;
        list_leaves(&l, 100, seed);
        open_problem(&a, variant, &problem, threads);
        expect_whole(&a, s->eps, l.list, expected, s->name);
        close_problem(&a);
        free_leaves(&l);
    }
}

TEST(a_list_of_all_leaf_pairs_is_the_triangle)
{
    uint64_t seed = 1;
    for (size_t k = 0; k < SAMPLES; k++) {
        const sample *s = &samples[k];
        eb_dataset *ds = make(s);
        join_entries truth = triangle_of(&cpu_variants[0], ds, s->eps);
        assert_int_equal(truth.count + s->n, naive_pairs(ds, s->eps));
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            const cpu_variant *variant = &cpu_variants[v];
            if (left_out(k + v))
                continue;
            join_entries expected = triangle_of(variant, ds, s->eps);
            if (variant->engine->exactness == EB_TRUTH)
                assert_same_entries(&expected, &truth, variant->items, s->name);
            check_full_lists(s, ds, variant, &expected, &seed);
            free_entries(&expected);
        }
        free_entries(&truth);
        eb_dataset_free(ds);
    }
}

/* Returns the number of entries not found; fails if a pair in listed leaves is missing. */
static size_t check_list(const asked *a, double eps, const leaf_order *l, const join_entries *expected)
{
    join_entries found = whole_of(a, eps, l->list);
    size_t at = 0, unfound = expected->count - found.count;
    for (size_t k = 0; k < expected->count; k++) {
        const join_entry *e = &expected->entry[k];
        bool here = at < found.count && memcmp(&found.entry[at], e, sizeof *e) == 0;
        if (!here && is_listed(l, e->i, e->j))
            fail_msg("%s: points %u and %u are listed, and not found", a->setup.spec, e->i, e->j);
        at += here;
    }
    if (at < found.count)
        fail_msg("%s: points %u and %u are found, and no neighbours", a->setup.spec, found.entry[at].i,
                 found.entry[at].j);
    free_entries(&found);
    return unfound;
}

TEST(a_list_finds_the_pairs_of_its_leaves)
{
    uint64_t seed = 2;
    for (size_t k = 0; k < LARGE; k++) {
        eb_dataset *ds = make(&large[k]);
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            size_t unfound = 0;
            if (left_out(k + v))
                continue;
            join_entries expected = triangle_of(&cpu_variants[v], ds, large[k].eps);
            for (size_t cut = 0; cut < LEAF_SHAPES; cut++) {
                leaf_order l = grow_leaves(ds->n, leaf_shapes[cut], &seed);
                const eb_problem problem = {.left = ds, .right = ds, .order = &l.order};
                asked a;
                if (cut % 2)
                    list_next_leaves(&l);
                else
                    list_leaves(&l, 20, &seed);
                open_problem(&a, &cpu_variants[v], &problem, 1 + (unsigned)cut % 3);
                unfound += check_list(&a, large[k].eps, &l, &expected);
                l.list.pairs = 0;
                expect_whole(&a, large[k].eps, l.list, &(join_entries){.count = 0}, "an empty list");
                close_problem(&a);
                free_leaves(&l);
            }
            assert_true(unfound > 0); /* else lists save nothing */
            free_entries(&expected);
        }
        eb_dataset_free(ds);
    }
}

/* ---- order alone ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distances up to ε in ascending order. */
static double *distances_within(const asked *a, double eps, uint64_t *count)
{
    bool keep = true;
    double *kept = NULL;
    eb_distance_pass pass = {.edges = 1, .eps = &eps, .keep = &keep, .pairs = count, .kept = &kept};
    assert_int_equal(a->setup.run->histogram(a->opened.state, &pass, NULL), EB_OK);
    qsort(kept, *count, sizeof *kept, ascending);
    return kept;
}

static double *some_distances(const asked *a)
{
    size_t n = a->opened.problem.left->n;
    const uint32_t rows[] = {(uint32_t)n - 1, 0, (uint32_t)n / 2};
    double *out = malloc(3 * n * sizeof *out);
    assert_non_null(out);
    assert_int_equal(a->setup.run->distances(a->opened.state, rows, 3, out, NULL), EB_OK);
    return out;
}

static void expect_same_distances(const asked *ordered, const asked *stored, double eps)
{
    uint64_t count = 0, expected_count = 0;
    double *kept = distances_within(ordered, eps, &count), *expected = distances_within(stored, eps, &expected_count);
    assert_int_equal(count, expected_count);
    assert_memory_equal(kept, expected, count * sizeof *kept);
    free(kept);
    free(expected);
    kept = some_distances(ordered);
    expected = some_distances(stored);
    assert_memory_equal(kept, expected, 3 * stored->opened.problem.left->n * sizeof *kept);
    free(kept);
    free(expected);
}

TEST(an_order_alone_changes_nothing)
{
    uint64_t seed = 3;
    for (size_t k = 0; k < SAMPLES; k++)
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            const sample *s = &samples[k];
            if (left_out(k + v))
                continue;
            eb_dataset *ds = make(s);
            leaf_order l = grow_leaves(s->n, leaf_shapes[0], &seed);
            const eb_problem problem = eb_self_join(ds), in_order = {.left = ds, .right = ds, .order = &l.order};
            asked stored, ordered;
            open_problem(&stored, &cpu_variants[v], &problem, 2);
            open_problem(&ordered, &cpu_variants[v], &in_order, 3);
            join_entries expected = whole_of(&stored, s->eps, usual);
            expect_whole(&ordered, s->eps, usual, &expected, s->name);
            expect_whole(&ordered, s->eps, all, &expected, s->name);
            expect_whole(&ordered, s->eps, triangle, &expected, s->name);
            expect_same_distances(&ordered, &stored, s->eps);
            free_entries(&expected);
            close_problem(&stored);
            close_problem(&ordered);
            free_leaves(&l);
            eb_dataset_free(ds);
        }
}

/* ---- two sets ---- */

/* The entries of left against right, or the reverse, taken from the self-join of both sets together. */
static join_entries entries_between(const join_entries *both, size_t left, bool swapped)
{
    join_entries out = {.entry = NULL};
    for (size_t k = 0; k < both->count; k++) {
        join_entry e = both->entry[k];
        if ((e.i < left) == swapped || (e.j < left) != swapped)
            continue;
        add_entry(&out, e.i - (swapped ? (uint32_t)left : 0), e.j - (swapped ? 0 : (uint32_t)left), e.s);
    }
    return out;
}

/* But for engines that centre: their centre is that of the right set, here not that of the union. */
TEST(two_sets_find_what_their_union_finds)
{
    for (size_t k = 0; k < SAMPLES; k++)
        for (size_t v = 0; v < CPU_VARIANTS && samples[k].n > 1; v++) {
            const sample *s = &samples[k];
            if (left_out(k + v) || strstr(cpu_variants[v].items, "centre=mean"))
                continue;
            eb_dataset *ds = make(s);
            const size_t lefts[] = {1, s->n / 2, s->n - 1};
            join_entries both = triangle_of(&cpu_variants[v], ds, s->eps);
            for (size_t way = 0; way < 6; way++) {
                const eb_dataset one = slice(ds, 0, lefts[way / 2]), two = slice(ds, lefts[way / 2], s->n);
                const eb_problem problem = {.left = way % 2 ? &two : &one, .right = way % 2 ? &one : &two};
                join_entries expected = entries_between(&both, one.n, way % 2);
                asked a;
                open_problem(&a, &cpu_variants[v], &problem, 1 + (unsigned)way % 3);
                expect_whole(&a, s->eps, way < 3 ? usual : all, &expected, s->name);
                free_entries(&expected);
                close_problem(&a);
            }
            free_entries(&both);
            eb_dataset_free(ds);
        }
}

/* ---- instruction sets ---- */

TEST(every_instruction_set_walks_lists_alike)
{
    static const char *const names[] = {"base", "avx2", "avx512"};
    static const char *const some[] = {"ties exactly at ε", "bytes", "121 deep points"};
    uint64_t seed = 5;
    for (size_t k = 0; k < sizeof some / sizeof some[0]; k++)
        for (size_t v = 0; v < CPU_VARIANTS; v++) {
            const sample *s = sample_called(some[k]);
            eb_dataset *ds = make(s);
            join_entries expected = triangle_of(&cpu_variants[v], ds, s->eps);
            for (size_t isa = 0; isa < 3; isa++) {
                assert_int_equal(setenv("EPSBENCH_ISA", names[isa], 1), 0);
                check_full_lists(s, ds, &cpu_variants[v], &expected, &seed);
                assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
            }
            free_entries(&expected);
            eb_dataset_free(ds);
        }
}

RUN_TESTS
