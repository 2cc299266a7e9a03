/* Tests of inverted files on a GPU: building and searching give the CPU's bits for all table formats and layouts,
 * points and questions. Needs a GPU (gpu_suite.h). */
#include <math.h>

#include "core/base/random.h"
#include "gpu_suite.h"
#include "kernels/inverted/cpu/build.h"
#include "kernels/inverted/cpu/search.h"
#include "kernels/inverted/cuda.h"
#include "tests/unit/hostile_points.h"

enum { QUERIES = 100, K = 10 };

/* ---- files ---- */

typedef struct base_set {
    eb_dataset *ds;
    uint32_t *rows; /* all but the first QUERIES */
} base_set;

static base_set base_of(eb_dataset *ds)
{
    base_set base = {ds, malloc(ds->n * sizeof(uint32_t))};
    for (size_t i = QUERIES; i < ds->n; i++)
        base.rows[i - QUERIES] = (uint32_t)i;
    return base;
}

static void free_base(base_set *base)
{
    eb_dataset_free(base->ds);
    free(base->rows);
}

static eb_inverted_file build(const base_set *base, size_t nlist, size_t m, const eb_assigner *assigner)
{
    const eb_inverted_request q = {.points = base->ds,
                                   .rows = base->rows,
                                   .n = base->ds->n - QUERIES,
                                   .shape = {nlist, m},
                                   .rounds = 3,
                                   .seed = 5};
    eb_inverted_file file;
    eb_status status = {.message = ""};
    if (eb_inverted_build(&q, assigner, 4, NULL, &file, NULL, &status))
        fail_msg("%s", status.message);
    return file;
}

static void a_file_built_on_a_gpu_has_the_same_bits(void **state)
{
    static const size_t shapes[][3] = {{1, 1, 1}, {12, 19, 4}, {128, 130, 64}, {131, 300, 131}};
    (void)state;
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++)
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
            const size_t d = shapes[k][0], nlist = shapes[k][1], m = shapes[k][2];
            base_set base = base_of(hostile_points(family, EB_F32, small ? 500 : 1500, d, 31));
            eb_assigner assigner;
            eb_status status = {.message = ""};
            assert_int_equal(eb_assigner_cuda_open(&gpus[0], 4, &assigner, &status), EB_OK);
            eb_inverted_file here = build(&base, nlist, m, NULL), there = build(&base, nlist, m, &assigner);
            eb_assigner_cuda_close(&assigner);
            assert_memory_equal(here.centroids, there.centroids, nlist * d * sizeof(float));
            assert_memory_equal(here.books, there.books, EB_BOOK_ENTRIES * d * sizeof(float));
            assert_memory_equal(here.blocks, there.blocks, (nlist + 1) * sizeof(uint64_t));
            assert_memory_equal(here.row, there.row, here.blocks[nlist] * EB_LIST_BLOCK * sizeof(uint32_t));
            assert_memory_equal(here.codes, there.codes, here.blocks[nlist] * EB_LIST_BLOCK * m);
            eb_inverted_free(&here);
            eb_inverted_free(&there);
            free_base(&base);
        }
}

/* ---- answers ---- */

typedef struct asking {
    const eb_inverted_file *file;
    float *queries; /* QUERIES × d */
    eb_inverted_searcher *here;
    void *there;
} asking;

static asking open_both(const base_set *base, const eb_inverted_file *file)
{
    asking a = {.file = file, .queries = malloc(QUERIES * file->d * sizeof(float))};
    double *wide = malloc(file->d * sizeof *wide);
    const eb_inverted_context with = {&gpus[0], base->ds, 4, 0};
    eb_status status = {.message = ""};
    for (size_t i = 0; i < QUERIES; i++)
        eb_inverted_row(file, base->ds, i, wide, a.queries + i * file->d);
    free(wide);
    if (eb_inverted_open(file, base->ds, 4, &a.here, &status) || eb_inverted_cuda_open(file, &with, &a.there, &status))
        fail_msg("%s", status.message);
    return a;
}

static void close_both(asking *a)
{
    eb_inverted_close(a->here);
    eb_inverted_search_cuda.close(a->there);
    free(a->queries);
}

static void expect_same_answers(const asking *a, const eb_inverted_question *q)
{
    eb_inverted_question usual = *q;
    eb_status status = {.message = ""};
    const size_t count = QUERIES * q->k;
    uint32_t *rows = malloc(2 * count * sizeof *rows);
    double *distances = malloc(2 * count * sizeof *distances);
    usual.layout = EB_LAYOUT_USUAL, usual.pad = false;
    if (eb_inverted_find(a->here, &usual, a->queries, QUERIES, rows, distances, NULL, &status) ||
        eb_inverted_search_cuda.find(a->there, q, a->queries, QUERIES, rows + count, distances + count, NULL, &status))
        fail_msg("%s %s: %s", eb_table_format_name(q->lut), eb_table_layout_name(q->layout), status.message);
    for (size_t i = 0; i < count; i++)
        if (rows[i] != rows[count + i] || distances[i] != distances[count + i])
            fail_msg("%s %s k=%zu nprobe=%zu, query %zu, place %zu: row %u at %.17g on the CPU, %u at %.17g on the GPU",
                     eb_table_format_name(q->lut), eb_table_layout_name(q->layout), q->k, q->nprobe, i / q->k, i % q->k,
                     rows[i], distances[i], rows[count + i], distances[count + i]);
    free(rows);
    free(distances);
}

static void ask_every_way(const asking *a, size_t k, size_t nprobe, double scale)
{
    for (unsigned lut = 0; lut < EB_TABLE_FORMATS; lut++)
        for (unsigned layout = 0; layout < EB_TABLE_LAYOUTS; layout++)
            for (unsigned f16 = 0; f16 < 2; f16++) {
                eb_inverted_question q = {.k = k,
                                          .nprobe = nprobe,
                                          .lut = (eb_table_format)lut,
                                          .f16_sums = f16 == 1,
                                          .scale = scale,
                                          .layout = (eb_table_layout)layout,
                                          .pad = layout != EB_LAYOUT_USUAL};
                eb_status ignored;
                if (eb_inverted_check_question(&q, a->file->shape.nlist, EB_DEVICE_CUDA, &ignored) == EB_OK)
                    expect_same_answers(a, &q);
            }
}

static void ask_of(eb_dataset *ds, size_t nlist, size_t m, size_t k, double scale)
{
    base_set base = base_of(ds);
    eb_inverted_file file = build(&base, nlist, m, NULL);
    asking a = open_both(&base, &file);
    ask_every_way(&a, k, 1, scale);
    ask_every_way(&a, k, nlist < 7 ? nlist : 7, scale);
    ask_every_way(&a, k, nlist, scale);
    close_both(&a);
    eb_inverted_free(&file);
    free_base(&base);
}

static void hostile_points_are_found_alike(void **state)
{
    (void)state;
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++)
        ask_of(hostile_points(family, EB_F32, small ? 400 : 1100, 12, 17), 19, 4, K, EB_TABLE_SCALE);
}

/* Pieces of one, two, three and many coordinates; some m are no multiple of what a lane loads at once. */
static void every_shape_is_searched(void **state)
{
    static const size_t shapes[][3] = {{1, 1, 1},   {64, 5, 64},   {128, 40, 64}, {51, 8, 17},
                                       {96, 12, 4}, {160, 9, 160}, {257, 3, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0] - (small ? 3 : 0); k++)
        ask_of(hostile_points(0, EB_F32, small ? 400 : 3000, shapes[k][0], 23), shapes[k][1], shapes[k][2], K,
               EB_TABLE_SCALE);
}

/* Scales with most entries below the format's least value, with entries at its greatest, and without either; k of one,
 * of many, and beyond the number of points. */
static void every_scale_and_k_is_answered(void **state)
{
    static const double scales[] = {0, 1e-3, 1, EB_PACKED_SCALE, 6e4, 1e9};
    static const size_t ks[] = {1, 33, 700, 5000};
    (void)state;
    for (size_t k = 0; k < sizeof scales / sizeof scales[0]; k++)
        ask_of(hostile_points(0, EB_F32, 900, 32, 3), 11, 16, K, scales[k]);
    for (size_t k = 0; k < sizeof ks / sizeof ks[0]; k++)
        ask_of(hostile_points(0, EB_F32, 900, 32, 3), 11, 16, ks[k], EB_TABLE_SCALE);
}

/* FP64 refines the answers found by codes, for points of every type. */
static void the_nearest_are_refined_alike(void **state)
{
    static const eb_dtype types[] = {EB_F16, EB_F32, EB_F64, EB_U8, EB_I8, EB_I16, EB_I32};
    static const size_t among[] = {1, 10, 77, 2000};
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (hostile_family family = 0; family < HOSTILE_FAMILIES; family += small ? 4 : 1) {
            base_set base = base_of(hostile_points(family, types[t], 700, 21, 29));
            eb_inverted_file file = build(&base, 9, 7, NULL);
            asking a = open_both(&base, &file);
            for (size_t r = 0; r < sizeof among / sizeof among[0]; r++) {
                const eb_inverted_question q = {.k = among[r] < K ? among[r] : K,
                                                .refine = among[r],
                                                .nprobe = 5,
                                                .lut = EB_TABLE_E5M3,
                                                .scale = EB_TABLE_SCALE};
                expect_same_answers(&a, &q);
            }
            close_both(&a);
            eb_inverted_free(&file);
            free_base(&base);
        }
}

static eb_dataset *dataset_of(float *value, size_t n)
{
    eb_dataset *ds = calloc(1, sizeof *ds);
    *ds = (eb_dataset){.n = n,
                       .d = 4,
                       .dtype = EB_F32,
                       .rows = (const unsigned char *)value,
                       .stride = 16,
                       .release = free,
                       .owner = value};
    return ds;
}

/* The lists are longer than the part read for a first bound, and all points are alike, so that more are near than fit
 * the buffer. */
static void batches_without_room_are_halved(void **state)
{
    const size_t n = small ? 6000 : 250000;
    float *value = calloc(n * 4, sizeof *value);
    (void)state;
    for (size_t i = 0; i < n; i++)
        value[4 * i] = i % 5 == 0 ? 1 : 0;
    ask_of(dataset_of(value, n), 2, 2, K, EB_TABLE_SCALE);
}

/* Nine of ten points are one point far away, where one query is too. That query finds more than fits the buffer, and is
 * asked again; the others' look-ups are not repeated. */
static void queries_that_lacked_room_are_asked_again_alone(void **state)
{
    const size_t n = small ? 6000 : 250000;
    float *value = malloc(n * 4 * sizeof *value);
    uint64_t random = 11;
    (void)state;
    for (size_t i = 0; i < 4 * n; i++) {
        const size_t row = i / 4;
        const bool far = row == 7 || (row >= QUERIES && row % 10 != 0);
        value[i] = far ? 100 : (float)eb_random_below(&random, 1000) / 1000;
    }
    base_set base = base_of(dataset_of(value, n));
    eb_inverted_file file = build(&base, 8, 2, NULL);
    asking a = open_both(&base, &file);
    const eb_inverted_question q = {.k = K,
                                    .nprobe = 8,
                                    .lut = EB_TABLE_E5M3,
                                    .scale = EB_TABLE_SCALE,
                                    .layout = EB_LAYOUT_PLAIN};
    expect_same_answers(&a, &q);
    const uint64_t once = QUERIES * file.blocks[8] * 2, lookups = eb_inverted_search_cuda.work(a.there).lookups;
    assert_in_range(lookups, once, once + once / 5);
    close_both(&a);
    eb_inverted_free(&file);
    free_base(&base);
}

/* ---- refusals and reports ---- */

static void what_has_no_room_is_refused(void **state)
{
    base_set base = base_of(hostile_points(0, EB_F32, 600, 512, 9));
    eb_inverted_file file = build(&base, 4, 512, NULL);
    asking a = open_both(&base, &file);
    const eb_inverted_question wide = {.k = 1, .nprobe = 1, .lut = EB_TABLE_F32, .scale = EB_TABLE_SCALE},
                               narrow = {.k = 1, .nprobe = 1, .lut = EB_TABLE_E5M3, .scale = EB_TABLE_SCALE};
    uint32_t rows[QUERIES];
    double distances[QUERIES];
    eb_status status = {.message = ""};
    (void)state;
    assert_int_equal(eb_inverted_search_cuda.find(a.there, &wide, a.queries, QUERIES, rows, distances, NULL, &status),
                     EB_USAGE);
    assert_non_null(strstr(status.message, "f32 tables of m = 512"));
    expect_same_answers(&a, &narrow);
    close_both(&a);
    const eb_inverted_context little = {&gpus[0], NULL, 1, 1 << 20};
    void *none = NULL;
    assert_int_equal(eb_inverted_cuda_open(&file, &little, &none, &status), EB_NO_MEMORY);
    assert_null(none);
    eb_inverted_free(&file);
    free_base(&base);
}

static void look_ups_are_counted(void **state)
{
    base_set base = base_of(hostile_points(0, EB_F32, 1000, 32, 3));
    eb_inverted_file file = build(&base, 8, 16, NULL);
    asking a = open_both(&base, &file);
    const eb_inverted_question q = {.k = K,
                                    .nprobe = 8,
                                    .lut = EB_TABLE_F32,
                                    .scale = EB_TABLE_SCALE,
                                    .layout = EB_LAYOUT_PLAIN};
    (void)state;
    expect_same_answers(&a, &q);
    const eb_inverted_work work = eb_inverted_search_cuda.work(a.there);
    assert_int_equal(work.lookups, QUERIES * file.blocks[8] * 16); /* all lists, each once */
    assert_int_equal(work.side_by_side, 1);
    assert_true(work.blocks >= 1 && work.kernel_s > 0 && work.shared_bytes >= 16 * 1024);
    close_both(&a);
    eb_inverted_free(&file);
    free_base(&base);
}

static void add_all(test_list *list)
{
    ADD_TEST(list, a_file_built_on_a_gpu_has_the_same_bits);
    ADD_TEST(list, hostile_points_are_found_alike);
    ADD_TEST(list, every_shape_is_searched);
    ADD_TEST(list, every_scale_and_k_is_answered);
    ADD_TEST(list, the_nearest_are_refined_alike);
    ADD_TEST(list, batches_without_room_are_halved);
    ADD_TEST(list, queries_that_lacked_room_are_asked_again_alone);
    ADD_TEST(list, what_has_no_room_is_refused);
    ADD_TEST(list, look_ups_are_counted);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_inverted", add_all); }
