/* Tests of the FP64 engines at every small number of dimensions, where ref64 has a kernel for each and ted a shorter
 * last slice. ref64 is compared with the CPU's and ted with wmma, which pads to whole slices, bit for bit: tables of
 * all rows and of some, counts, distances from queries. Needs a GPU. Every kind of points is a separate test
 * (gpu_suite.h). */
#include "gpu_points.h"

static const size_t dimensions[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 31, 33, 100};
static const size_t sizes[] = {1, 127, 129, 1000};

/* FP64 points, and an ε that contains some pairs and excludes others for any d. */
typedef struct kind {
    const char *name;
    double (*value)(size_t i, size_t k);
    double (*eps)(size_t d);
} kind;

static double in_a_cube(size_t i, size_t k) { return (double)uniform(i, k); }
static double some_of_a_cube(size_t d) { return 0.36 * sqrt((double)d); }

/* Whole numbers: many pairs at exactly ε. */
static double on_a_lattice(size_t i, size_t k) { return (double)(mix(i * 131 + k) % 4); }
static double tied(size_t d) { return floor(sqrt(2.5 * (double)d)); }

static double one_of_ten(size_t i, size_t k) { return (double)uniform(i % 10, k); }
static double zero(size_t d)
{
    (void)d;
    return 0;
}

static double huge(size_t i, size_t k) { return 1e150 * (double)uniform(i, k); }
static double some_of_the_huge(size_t d) { return 1e150 * some_of_a_cube(d); }
static double subnormal(size_t i, size_t k) { return 0x1p-1040 * (double)uniform(i, k); }
static double some_of_the_subnormal(size_t d) { return 0x1p-1040 * some_of_a_cube(d); }
static double everything(size_t d) { return 10 * (double)d; }

static const kind kinds[] = {
    {"random", in_a_cube, some_of_a_cube},
    {"tied", on_a_lattice, tied},
    {"equal", one_of_ten, zero},
    {"huge", huge, some_of_the_huge},
    {"subnormal", subnormal, some_of_the_subnormal},
    {"everything", in_a_cube, everything},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* The caller frees the rows. */
static double *make_points(const kind *of, size_t n, size_t d, eb_dataset *ds)
{
    eb_status status = {.message = ""};
    double *rows = malloc(n * d * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            rows[i * d + k] = of->value(i, k);
    *ds = (eb_dataset){.n = n,
                       .d = d,
                       .dtype = EB_F64,
                       .rows = (const unsigned char *)rows,
                       .stride = d * sizeof *rows,
                       .source = (char *)(uintptr_t)of->name};
    if (eb_dataset_seal(ds, &status))
        fail_msg("%s: %s", of->name, status.message);
    return rows;
}

static void compare_queries(asked *a, asked *b, size_t n, const char *what)
{
    const uint32_t queries[] = {0, (uint32_t)(n / 2), (uint32_t)(n - 1)};
    eb_status status;
    double *one = malloc(3 * n * sizeof *one), *two = malloc(3 * n * sizeof *two);
    assert_true(one && two);
    assert_int_equal(a->setup.run->distances(a->opened.state, queries, 3, one, &status), EB_OK);
    assert_int_equal(b->setup.run->distances(b->opened.state, queries, 3, two, &status), EB_OK);
    if (memcmp(one, two, 3 * n * sizeof *one) != 0)
        fail_msg("%s: distances from queries differ", what);
    free(one);
    free(two);
}

static void compare(const char *one, const char *two, const kind *of, size_t n, size_t d)
{
    char what[100];
    eb_dataset ds;
    asked a, b;
    const double eps = of->eps(d);
    const eb_question question = {.eps = eps};
    const eb_share share = eb_share_rows(n / 3, n);
    double *rows = make_points(of, n, d, &ds);
    (void)snprintf(what, sizeof what, "%s and %s, %zu × %zu", one, two, n, d);
    open_points(&a, one, &ds);
    open_points(&b, two, &ds);
    assert_same_table(table_of(&a, eps), table_of(&b, eps), what);
    assert_same_table(rows_of(&a, eps, share.row_begin, n), rows_of(&b, eps, share.row_begin, n), what);
    assert_int_equal(count_of(&a, &question, &share), count_of(&b, &question, &share));
    compare_queries(&a, &b, n, what);
    close_problem(&a);
    close_problem(&b);
    free(rows);
}

static void compare_everywhere(const char *one, const char *two, const kind *of)
{
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t k = 0; k < sizeof dimensions / sizeof dimensions[0]; k++)
            if (!small || (sizes[s] == 129 && dimensions[k] % 5 < 3))
                compare(one, two, of, sizes[s], dimensions[k]);
}

static void ref64_is_the_truth_whatever_d(void **state) { compare_everywhere("ref64", "ref64[device=cpu]", *state); }
static void ted_equals_wmma_whatever_d(void **state) { compare_everywhere("ted", "wmma", *state); }

static void add_all(test_list *list)
{
    for (size_t k = 0; k < KINDS; k++) {
        add_test(list, "ref64_whatever_d", kinds[k].name, ref64_is_the_truth_whatever_d, &kinds[k]);
        add_test(list, "ted_whatever_d", kinds[k].name, ted_equals_wmma_whatever_d, &kinds[k]);
    }
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_dimensions", add_all); }
