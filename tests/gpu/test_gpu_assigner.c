/* Tests of the assigner on a GPU: nearest vectors, their distances and codes have the CPU's bits, with ties, duplicates
 * and numbers of all sizes, whether tensor cores or FP32 decide. Needs a GPU (gpu_suite.h). */
#include <math.h>

#include "gpu_suite.h"
#include "kernels/inverted/cpu/kernels.h"
#include "kernels/inverted/cuda.h"
#include "tests/unit/hostile_points.h"

typedef struct problem {
    eb_assigner gpu;
    hostile_family family;
    size_t count, d, k;
    float *points, *vectors; /* side by side */
    uint32_t *place;         /* [2 × count] the CPU's, the GPU's */
    float *s;                /* likewise */
} problem;

static problem problem_of(hostile_family family, size_t count, size_t d, size_t k)
{
    problem p = {.family = family,
                 .count = count,
                 .d = d,
                 .k = k,
                 .points = malloc((count + k) * d * sizeof(float)),
                 .place = malloc(2 * count * sizeof(uint32_t)),
                 .s = malloc(2 * count * sizeof(float))};
    eb_status status = {.message = ""};
    if (eb_assigner_cuda_open(&gpus[0], 4, &p.gpu, &status))
        fail_msg("%s", status.message);
    eb_dataset *ds = hostile_points(family, EB_F32, count + k, d, 19);
    p.vectors = p.points + count * d;
    for (size_t i = 0; i < count + k; i++)
        memcpy(p.points + i * d, eb_row(ds, i), d * sizeof(float));
    eb_dataset_free(ds);
    return p;
}

static void free_problem(problem *p)
{
    eb_assigner_cuda_close(&p->gpu);
    free(p->points);
    free(p->place);
    free(p->s);
}

/* Every third vector repeats an earlier one, and some points are vectors. */
static void repeat_vectors(problem *p)
{
    for (size_t c = 3; c < p->k; c += 3)
        memcpy(p->vectors + c * p->d, p->vectors + c / 2 * p->d, p->d * sizeof(float));
    for (size_t i = 0; i < p->count; i += 7)
        memcpy(p->points + i * p->d, p->vectors + i % p->k * p->d, p->d * sizeof(float));
}

static void resize(float *x, size_t count, int exponent)
{
    for (size_t k = 0; k < count; k++)
        x[k] = ldexpf(x[k], exponent);
}

static void find_here(const problem *p)
{
    eb_panels panels;
    assert_int_equal(eb_panels_make(p->k, p->d, &panels, NULL), EB_OK);
    eb_panels_fill(&panels, p->vectors);
    eb_inverted_kernels_here().nearest(&panels, p->points, p->d, p->count, p->place, p->s);
    eb_panels_free(&panels);
}

static void expect_same_nearest(const problem *p, bool with_s)
{
    eb_status status = {.message = ""};
    uint32_t *place = p->place + p->count;
    float *s = p->s + p->count;
    find_here(p);
    if (p->gpu.find(p->gpu.state, p->vectors, p->k, place, with_s ? s : NULL, &status))
        fail_msg("%s", status.message);
    for (size_t i = 0; i < p->count; i++)
        if (place[i] != p->place[i] || (with_s && memcmp(&s[i], &p->s[i], sizeof *s) != 0))
            fail_msg("%s, %zu × %zu, %zu vectors, point %zu: vector %u at %.9g on the CPU, %u at %.9g on the GPU",
                     hostile_name(p->family), p->count, p->d, p->k, i, p->place[i], (double)p->s[i], place[i],
                     with_s ? (double)s[i] : 0.0);
}

static void take_points(const problem *p)
{
    eb_status status = {.message = ""};
    if (p->gpu.take(p->gpu.state, p->points, p->count, p->d, &status))
        fail_msg("%s", status.message);
}

/* Vectors that move between calls, as in k-means. */
static void expect_same_rounds(const problem *p)
{
    take_points(p);
    expect_same_nearest(p, true);
    for (size_t c = 0; c < p->k; c++)
        memcpy(p->vectors + c * p->d, p->points + c % p->count * p->d, p->d * sizeof(float));
    expect_same_nearest(p, true);
    resize(p->vectors, p->k * p->d, -1);
    expect_same_nearest(p, false);
}

static const size_t shapes[][3] = {{300, 1, 70},    {500, 16, 64},  {700, 17, 129}, {1000, 128, 300}, {257, 129, 63},
                                   {333, 784, 128}, {64, 64, 1000}, {1, 16, 64},    {131, 4096, 200}};

static void nearest_vectors_are_the_cpus(void **state)
{
    (void)state;
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes - (small ? 1 : 0); k++) {
            problem p = problem_of(family, shapes[k][0], shapes[k][1], shapes[k][2]);
            expect_same_rounds(&p);
            free_problem(&p);
        }
}

static void of_equally_near_vectors_the_first_is_taken(void **state)
{
    (void)state;
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++) {
        problem p = problem_of(family, 900, 48, 260);
        repeat_vectors(&p);
        take_points(&p);
        expect_same_nearest(&p, true);
        free_problem(&p);
    }
}

/* Points and vectors of very different sizes, down to numbers that vanish and up to distances that overflow. */
static void sizes_do_not_matter(void **state)
{
    static const int exponents[][2] = {{60, 60}, {-70, -70}, {-140, -140}, {40, -40}, {-60, 60}, {0, -149}, {126, 126}};
    (void)state;
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++)
        for (hostile_family family = HOSTILE_RANDOM; family <= HOSTILE_DUPLICATES; family++) {
            problem p = problem_of(family, 400, 80, 150);
            resize(p.points, p.count * p.d, exponents[k][0]);
            resize(p.vectors, p.k * p.d, exponents[k][1]);
            take_points(&p);
            expect_same_nearest(&p, true);
            free_problem(&p);
        }
}

/* Most points are decided by products, many by FP32, over many tiles. */
static void many_points_are_assigned_alike(void **state)
{
    problem p = problem_of(HOSTILE_RANDOM, small ? 3000 : 60000, 96, small ? 500 : 2050);
    (void)state;
    take_points(&p);
    expect_same_nearest(&p, true);
    for (size_t c = 1; c < p.k; c += 2) /* pairs of near vectors */
        for (size_t t = 0; t < p.d; t++)
            p.vectors[c * p.d + t] = nextafterf(p.vectors[(c - 1) * p.d + t], INFINITY);
    expect_same_nearest(&p, true);
    free_problem(&p);
}

/* ---- codes ---- */

static void expect_same_codes(const problem *p, size_t m, const float *books)
{
    const size_t piece = p->d / m;
    uint8_t *codes = malloc(p->count * m);
    float *residual = malloc(p->count * p->d * sizeof *residual);
    eb_panels panels;
    eb_status status = {.message = ""};
    take_points(p);
    expect_same_nearest(p, false);
    if (p->gpu.encode(p->gpu.state, books, m, codes, &status))
        fail_msg("%s", status.message);
    for (size_t i = 0; i < p->count * p->d; i++)
        residual[i] = p->points[i] - p->vectors[p->place[i / p->d] * p->d + i % p->d];
    assert_int_equal(eb_panels_make(EB_BOOK_ENTRIES, piece, &panels, NULL), EB_OK);
    for (size_t j = 0; j < m; j++) {
        eb_panels_fill(&panels, books + j * EB_BOOK_ENTRIES * piece);
        eb_inverted_kernels_here().nearest(&panels, residual + j * piece, p->d, p->count, p->place + p->count, p->s);
        for (size_t i = 0; i < p->count; i++)
            if (codes[i * m + j] != p->place[p->count + i])
                fail_msg("%s, d = %zu, m = %zu, point %zu, piece %zu: code %u on the CPU, %u on the GPU",
                         hostile_name(p->family), p->d, m, i, j, p->place[p->count + i], codes[i * m + j]);
    }
    eb_panels_free(&panels);
    free(residual);
    free(codes);
}

static void codes_are_the_cpus(void **state)
{
    static const size_t ways[][2] = {{1, 1},   {64, 64},  {64, 32}, {64, 16}, {63, 21},
                                     {60, 12}, {128, 16}, {130, 2}, {777, 1}, {4096, 4096}};
    (void)state;
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways - (small ? 1 : 0); k++) {
            const size_t d = ways[k][0];
            problem p = problem_of(family, 200, d, 70);
            eb_dataset *books = hostile_points(family, EB_F32, EB_BOOK_ENTRIES, d, 5);
            assert_true(books->stride == d * sizeof(float));
            expect_same_codes(&p, ways[k][1], (const float *)(const void *)books->rows);
            eb_dataset_free(books);
            free_problem(&p);
        }
}

static void add_all(test_list *list)
{
    ADD_TEST(list, nearest_vectors_are_the_cpus);
    ADD_TEST(list, of_equally_near_vectors_the_first_is_taken);
    ADD_TEST(list, sizes_do_not_matter);
    ADD_TEST(list, many_points_are_assigned_alike);
    ADD_TEST(list, codes_are_the_cpus);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_assigner", add_all); }
