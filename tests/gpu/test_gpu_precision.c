/* Tests of engine tensor on a GPU: tables, counts, row ranges and distances have the bits of the CPU's emulation, in
 * every number type, by both instructions, with and without promotion, parts and preparations, on hostile points. Each
 * spec is a test. Needs a GPU with sm_80 or sm_90. */
#include "gpu_points.h"
#include "tests/unit/hostile_points.h"

static const char *const specs[] = {
    /* wgmma, or mma.sync where that is all */
    "type=f16",
    "type=bf16",
    "type=tf32",
    "type=s8",
    "type=f64",
    "type=e4m3",
    "type=e5m2",
    "type=e4m3,promote=0",
    "type=e5m2,promote=0",
    "type=e5m2,promote=32",
    "type=e4m3,promote=64",
    "type=e4m3,promote=96",
    "type=e4m3,promote=256",
    "type=e4m3,promote=512",
    "type=f16,promote=32",
    "type=f16,promote=64",
    "type=bf16,promote=64",
    "type=tf32,promote=32",
    "type=bf16,promote=96",
    "type=tf32,promote=64",
    "type=f16,sums=f16",
    "type=f16,sums=f16,promote=64",
    "type=e4m3,sums=f16",
    "type=e5m2,sums=f16,promote=96",
    /* mma.sync */
    "type=f16,path=mma",
    "type=bf16,path=mma,promote=64",
    "type=tf32,path=mma",
    "type=s8,path=mma",
    "type=e4m3,path=mma",
    "type=e5m2,path=mma,promote=128",
    "type=f16,sums=f16,path=mma",
    "type=e4m3,sums=f16,path=mma,promote=32",
    "type=s8,path=mma,parts=2",
    "type=s8,path=mma,step=point",
    /* parts */
    "type=f16,parts=2,exponent=max",
    "type=f16,parts=2,promote=64,exponent=max",
    "type=bf16,parts=3",
    "type=tf32,parts=2,path=mma",
    "type=s8,parts=2",
    "type=s8,parts=2,step=point",
    /* preparations */
    "type=f16,centre=mean,exponent=max",
    "type=bf16,centre=mean,rotate=hadamard,exponent=auto",
    "type=e4m3,centre=mean,exponent=max,debias=on",
    "type=e5m2,exponent=auto,rotate=hadamard",
    "type=f16,sums=f16,centre=mean,exponent=max",
    "type=s8,centre=mean,rotate=hadamard",
    "type=s8,step=point,centre=mean",
    "type=s8,debias=on",
    "type=s8,step=point,debias=on",
    "type=s8,parts=2,debias=on",
    "type=f64,centre=mean,exponent=max,rotate=hadamard",
};

static bool is_sm90(void) { return strcmp(gpus[0].architecture, "sm_90") == 0; }

/* The spec for the GPU, and the same for the CPU. False: the GPU has no such type. */
static bool name_specs(const char *items, char gpu[128], char emulated[160])
{
    const bool fp8 = strstr(items, "type=e") != NULL;
    if (fp8 && !is_sm90())
        return false;
    (void)snprintf(gpu, 128, "tensor[%s]", items);
    (void)snprintf(emulated, 160, "tensor[%s,core=%s,device=cpu]", items, is_sm90() ? "sm_90" : "sm_80");
    return true;
}

/* Opens both, or neither if the points overflow the type: then both say the same. */
static bool open_both(asked *gpu, asked *cpu_side, const char *one, const char *two, const eb_problem *problem)
{
    eb_status first = {.message = ""}, second = {.message = ""};
    gpu->setup = setup_of(one);
    cpu_side->setup = setup_of(two);
    const eb_code a = eb_problem_open(&gpu->setup, problem, NULL, &gpu->opened, &first),
                  b = eb_problem_open(&cpu_side->setup, problem, NULL, &cpu_side->opened, &second);
    if (a == EB_OK && b == EB_OK)
        return true;
    const bool same_words = strncmp(one, "fasted", 6) == 0 || strcmp(first.message, second.message) == 0;
    if (a != b || !same_words)
        fail_msg("%s: on the GPU \"%s\", on the CPU \"%s\"", one, first.message, second.message);
    return false;
}

static void compare_distances(asked *a, asked *b, const char *what)
{
    const size_t columns = a->opened.problem.right->n, left = a->opened.problem.left->n, m = left < 5 ? left : 5;
    const uint32_t rows[5] = {(uint32_t)(left - 1), 0, (uint32_t)(left / 2), (uint32_t)(left / 3),
                              (uint32_t)(left / 5)};
    double *one = malloc(m * columns * sizeof *one), *two = malloc(m * columns * sizeof *two);
    eb_status status = {.message = ""};
    assert_true(one && two);
    if (eb_ask_distances(&a->opened, rows, m, one, &status) || eb_ask_distances(&b->opened, rows, m, two, &status))
        fail_msg("%s: %s", what, status.message);
    for (size_t k = 0; k < m * columns; k++)
        if (memcmp(&one[k], &two[k], sizeof(double)) != 0 && !(isnan(one[k]) && isnan(two[k])))
            fail_msg("%s: squared distance of %u and %zu: %.17g against %.17g", what, rows[k / columns], k % columns,
                     one[k], two[k]);
    free(one);
    free(two);
}

static void compare_selves(asked *a, asked *b, const char *what)
{
    const size_t n = a->opened.problem.left->n;
    double *one = malloc(n * sizeof *one), *two = malloc(n * sizeof *two);
    eb_status status = {.message = ""};
    assert_true(one && two);
    if (a->setup.run->self(a->opened.state, one, &status) || b->setup.run->self(b->opened.state, two, &status))
        fail_msg("%s: %s", what, status.message);
    for (size_t k = 0; k < n; k++)
        if (memcmp(&one[k], &two[k], sizeof(double)) != 0 && !(isnan(one[k]) && isnan(two[k])))
            fail_msg("%s: point %zu with itself: %.17g against %.17g", what, k, one[k], two[k]);
    free(one);
    free(two);
}

static void hostile_points_have_the_bits_of_the_emulation(void **state)
{
    static const struct {
        size_t n, d;
    } sizes[] = {{1, 1}, {33, 3}, {300, 70}, {257, 17}, {270, 130}, {140, 390}};
    static const eb_dtype dtypes[] = {EB_F32, EB_F64, EB_U8, EB_F16, EB_I8, EB_I16, EB_F32};
    char gpu[128], emulated[160], what[300];
    size_t done = 0;
    if (!name_specs(*state, gpu, emulated))
        skip();
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f += small ? 4 : 1)
        for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z += small ? 2 : 1) {
            const eb_dtype dtype = dtypes[(f + z) % (sizeof dtypes / sizeof dtypes[0])];
            uint64_t key = f * 100 + z, seed = key;
            eb_dataset *ds = hostile_points(f, dtype, sizes[z].n, sizes[z].d, key);
            const eb_problem problem = eb_self_join(ds);
            asked a, b;
            (void)snprintf(what, sizeof what, "%s: %s, %s, %zu × %zu", gpu, hostile_name(f), eb_dtype_name(dtype),
                           sizes[z].n, sizes[z].d);
            if (open_both(&a, &b, gpu, emulated, &problem)) {
                for (unsigned r = 0; r < HOSTILE_RADII; r += sizes[z].d > 50 || small ? 3 : 2) {
                    const double eps = hostile_eps(ds, r, &seed);
                    assert_same_table(table_of(&a, eps), table_of(&b, eps), what);
                    done++;
                }
                compare_distances(&a, &b, what);
                if (z % 2 == 0)
                    compare_selves(&a, &b, what);
                close_problem(&a);
                close_problem(&b);
            }
            eb_dataset_free(ds);
        }
    assert_true(done > 0);
}

/* Two sets, ranges of rows, and points that do not fit. */
static void parts_of_the_work_have_the_bits_of_the_emulation(void **state)
{
    char gpu[128], emulated[160];
    if (!name_specs(*state, gpu, emulated))
        skip();
    eb_dataset *left = hostile_points(HOSTILE_CLUSTERS, EB_F32, 300, 70, 5),
               *right = hostile_points(HOSTILE_CLUSTERS, EB_F32, 420, 70, 6);
    uint64_t seed = 9;
    const double eps = hostile_eps(left, 5, &seed);
    const eb_problem two = {.left = left, .right = right}, one = eb_self_join(left);
    asked a, b, streamed;
    if (open_both(&a, &b, gpu, emulated, &two)) {
        assert_same_table(table_of(&a, eps), table_of(&b, eps), "two sets");
        compare_distances(&a, &b, "two sets");
        close_problem(&a);
        close_problem(&b);
    }
    if (open_both(&a, &b, gpu, emulated, &one)) {
        open_problem(&streamed, gpu, &one, strstr(gpu, "parts=") ? 2900 * 1024 : 700 * 1024);
        assert_same_table(rows_of(&a, eps, 100, 219), rows_of(&b, eps, 100, 219), "a range of rows");
        assert_same_table(table_of(&streamed, eps), table_of(&b, eps), "streamed");
        close_problem(&streamed);
        close_problem(&a);
        close_problem(&b);
    }
    eb_dataset_free(left);
    eb_dataset_free(right);
}

/* Large enough for strips and for an order by norms: counts, against a table's, those of row ranges, which have
 * neither, and those of mma.sync where it has the same bits. */
static void large_joins_count_the_same(void **state)
{
    const char *type = *state;
    const sample s = {"large", small ? 20000 : 270000, 24, 0.35, clustered};
    eb_dataset ds;
    char one[64], two[64];
    asked a, b;
    if (!is_sm90())
        skip();
    float *rows = make(&s, &ds);
    (void)snprintf(one, sizeof one, "tensor[%s]", type);
    (void)snprintf(two, sizeof two, "tensor[%s,path=mma]", type);
    open_points(&a, one, &ds);
    const eb_question question = {.eps = 0.01};
    const eb_share whole = eb_share_rows(0, ds.n), first = eb_share_rows(0, 1), rest = eb_share_rows(1, ds.n);
    const uint64_t all = count_of(&a, &question, &whole), most = count_of(&a, &question, &rest);
    assert_true(all > ds.n);
    assert_int_equal(all, count_of(&a, &question, &first) + most);
    eb_neighbours_free(table_of(&a, question.eps));
    if (!strstr(type, "type=e")) {
        open_points(&b, two, &ds);
        assert_int_equal(all, count_of(&b, &question, &whole));
        assert_int_equal(most, count_of(&b, &question, &rest));
        close_problem(&b);
    }
    close_problem(&a);
    free(rows);
}

static const char *const large_specs[] =
    {"type=bf16", "type=s8", "type=f16", "type=tf32", "type=e4m3,promote=0", "type=e5m2,promote=0"};
static const char *const fasted_specs[] = {"centre=mean", "exponent=max", "centre=mean,exponent=auto,norms=fp64"};

static void fasted_prepares_points_as_its_emulation(void **state)
{
    char gpu[128], emulated[160];
    if (!is_sm90())
        skip();
    (void)snprintf(gpu, sizeof gpu, "fasted[%s]", (const char *)*state);
    (void)snprintf(emulated, sizeof emulated, "fasted[%s,device=cpu]", (const char *)*state);
    for (hostile_family f = 0; f < HOSTILE_FAMILIES; f++) {
        uint64_t seed = f;
        eb_dataset *ds = hostile_points(f, f % 2 ? EB_F32 : EB_F64, 300, 70, f);
        const eb_problem problem = eb_self_join(ds);
        asked a, b;
        if (open_both(&a, &b, gpu, emulated, &problem)) {
            const double eps = hostile_eps(ds, 5, &seed);
            assert_same_table(table_of(&a, eps), table_of(&b, eps), hostile_name(f));
            compare_distances(&a, &b, hostile_name(f));
            close_problem(&a);
            close_problem(&b);
        }
        eb_dataset_free(ds);
    }
}

static void add_all(test_list *list)
{
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++)
        add_test(list, "hostile_points_have_the_bits_of_the_emulation", specs[k],
                 hostile_points_have_the_bits_of_the_emulation, specs[k]);
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k += 3)
        add_test(list, "parts_of_the_work_have_the_bits_of_the_emulation", specs[k],
                 parts_of_the_work_have_the_bits_of_the_emulation, specs[k]);
    for (size_t k = 0; k < sizeof fasted_specs / sizeof fasted_specs[0]; k++)
        add_test(list, "fasted_prepares_points_as_its_emulation", fasted_specs[k],
                 fasted_prepares_points_as_its_emulation, fasted_specs[k]);
    for (size_t k = 0; k < sizeof large_specs / sizeof large_specs[0]; k++)
        add_test(list, "large_joins_count_the_same", large_specs[k], large_joins_count_the_same, large_specs[k]);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "precision", add_all); }
