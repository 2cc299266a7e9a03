/* Tests of inverted files: equal bits for all numbers of threads and instruction sets, tables rounded to their formats,
 * sums and answers compared with FP64, and difficult points, lists and questions. */
#include <float.h>
#include <math.h>

#include "core/base/random.h"
#include "core/formats8/format8.h"
#include "kernels/inverted/cpu/build.h"
#include "kernels/inverted/cpu/kernels.h"
#include "kernels/inverted/cpu/search.h"
#include "kernels/walk/isa.h"
#include "tests/unit/hostile_points.h"
#include "tests/unit/test.h"

static const char *const isas[] = {"base", "avx2", "avx512"};
enum { ISAS = sizeof isas / sizeof isas[0] };

/* ---- files ---- */

typedef struct base_set {
    eb_dataset *ds;
    uint32_t *rows; /* all but every tenth; the others are queries */
    size_t n;
} base_set;

static base_set base_of(eb_dataset *ds)
{
    base_set base = {ds, malloc(ds->n * sizeof(uint32_t)), 0};
    for (size_t i = 0; i < ds->n; i++)
        if (i % 10 != 7)
            base.rows[base.n++] = (uint32_t)i;
    return base;
}

static void free_base(base_set *base)
{
    eb_dataset_free(base->ds);
    free(base->rows);
}

static eb_inverted_file build(const base_set *base, size_t nlist, size_t m, unsigned threads)
{
    const eb_inverted_request q =
        {.points = base->ds, .rows = base->rows, .n = base->n, .shape = {nlist, m}, .rounds = 4, .seed = 5};
    eb_inverted_file file;
    eb_status status = {.message = ""};
    if (eb_inverted_build(&q, NULL, threads, NULL, &file, NULL, &status))
        fail_msg("%s", status.message);
    return file;
}

static void expect_same_files(const eb_inverted_file *a, const eb_inverted_file *b)
{
    const size_t nlist = a->shape.nlist, m = a->shape.m;
    assert_memory_equal(a->centroids, b->centroids, nlist * a->d * sizeof(float));
    assert_memory_equal(a->books, b->books, EB_BOOK_ENTRIES * a->d * sizeof(float));
    assert_memory_equal(a->blocks, b->blocks, (nlist + 1) * sizeof(uint64_t));
    assert_memory_equal(a->row, b->row, a->blocks[nlist] * EB_LIST_BLOCK * sizeof(uint32_t));
    assert_memory_equal(a->codes, b->codes, a->blocks[nlist] * EB_LIST_BLOCK * m);
}

TEST(files_have_the_same_bits_everywhere)
{
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++) {
        base_set base = base_of(hostile_points(family, EB_F32, 700, 12, 31));
        setenv("EPSBENCH_ISA", "base", 1);
        eb_inverted_file one = build(&base, 19, 4, 1);
        for (size_t k = 0; k < ISAS; k++) {
            setenv("EPSBENCH_ISA", isas[k], 1);
            eb_inverted_file other = build(&base, 19, 4, 3);
            expect_same_files(&one, &other);
            eb_inverted_free(&other);
        }
        eb_inverted_free(&one);
        free_base(&base);
    }
    unsetenv("EPSBENCH_ISA");
}

TEST(every_row_is_in_the_nearest_list_once)
{
    base_set base = base_of(hostile_points(HOSTILE_CLUSTERS, EB_F32, 900, 6, 8));
    eb_inverted_file f = build(&base, 11, 3, 2);
    size_t found = 0;
    double x[6];
    float p[6];
    for (size_t l = 0; l < 11; l++)
        for (uint64_t place = f.blocks[l] * EB_LIST_BLOCK; place < f.blocks[l + 1] * EB_LIST_BLOCK; place++) {
            if (place - f.blocks[l] * EB_LIST_BLOCK >= f.count[l]) {
                assert_int_equal(f.row[place], EB_NO_POINT);
                continue;
            }
            assert_true(f.row[place] % 10 != 7 && f.row[place] < base.ds->n);
            assert_true(place == f.blocks[l] * EB_LIST_BLOCK || f.row[place] > f.row[place - 1]);
            found++;
            eb_inverted_row(&f, base.ds, f.row[place], x, p);
            double nearest = INFINITY, own = 0;
            for (size_t c = 0; c < 11; c++) {
                double s = 0;
                for (size_t t = 0; t < 6; t++)
                    s += pow((double)p[t] - (double)f.centroids[c * 6 + t], 2);
                nearest = fmin(nearest, s);
                own = c == l ? s : own;
            }
            assert_true(own <= nearest * (1 + 1e-5));
        }
    assert_int_equal(found, base.n);
    eb_inverted_free(&f);
    free_base(&base);
}

TEST(shapes_that_cannot_be_are_refused)
{
    static const eb_inverted_shape wrong[] = {{16, 5}, {16, 0}, {16, 24}, {0, 4}, {91, 4}};
    base_set base = base_of(hostile_points(HOSTILE_RANDOM, EB_F32, 100, 12, 1));
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        const eb_inverted_request q = {.points = base.ds, .rows = base.rows, .n = base.n, .shape = wrong[k]};
        eb_inverted_file file;
        eb_status status = {.message = ""};
        assert_int_equal(eb_inverted_build(&q, NULL, 1, NULL, &file, NULL, &status), EB_USAGE);
        assert_true(strlen(status.message) > 20);
    }
    free_base(&base);
}

/* ---- tables ---- */

enum { M = 5 };

static void random_entries(float *x, size_t count, uint64_t seed)
{
    for (size_t k = 0; k < count; k++) {
        const double size = ldexp((double)(eb_random(&seed) >> 11) * 0x1p-53, (int)eb_random_below(&seed, 40) - 22);
        x[k] = (float)size;
    }
    x[0] = 0;
    x[1] = 0x1p-140F;
    x[2] = 1e6F;
    x[3] = 0x1.08p0F; /* a tie at 4 bits; x[4]: a tie at 3 */
    x[4] = 0x1.1p0F;
}

static double rounded_as_it_should_be(eb_table_format format, double x)
{
    static const eb_format8 format8[EB_TABLE_FORMATS] =
        {[EB_TABLE_E5M3] = EB_E5M3, [EB_TABLE_E4M4] = EB_E4M4, [EB_TABLE_E4M3] = EB_E4M3, [EB_TABLE_E5M2] = EB_E5M2};
    switch (format) {
    case EB_TABLE_F32: return x;
    case EB_TABLE_F16: return (double)eb_half_to_float(eb_half_from_double(x));
    default: return (double)eb_format8_decode(format8[format], eb_format8_encode(format8[format], x));
    }
}

static eb_inverted_kernels kernels_of(const char *isa)
{
    setenv("EPSBENCH_ISA", isa, 1);
    const eb_inverted_kernels kernels = eb_inverted_kernels_here();
    unsetenv("EPSBENCH_ISA");
    return kernels;
}

/* Row j of the entries repeats one value, so that a block of codes 0 … 31 of one subspace shows the rounded entries. */
TEST(entries_are_rounded_as_the_formats_say)
{
    float x[EB_BOOK_ENTRIES], sums[EB_BOOK_ENTRIES], room[EB_BOOK_ENTRIES + 1];
    uint8_t codes[EB_BOOK_ENTRIES];
    random_entries(x, EB_BOOK_ENTRIES, 77);
    for (size_t c = 0; c < EB_BOOK_ENTRIES; c++)
        codes[c] = (uint8_t)c;
    for (size_t k = 0; k < ISAS; k++) {
        const eb_inverted_kernels kernels = kernels_of(isas[k]);
        for (eb_table_format f = 0; f < EB_TABLE_U8; f++) {
            const eb_lookup_table table = {.format = f, .m = 1, .entry = room};
            kernels.round(f, x, EB_BOOK_ENTRIES, 0.5F, room);
            kernels.scan(&table, codes, EB_BOOK_ENTRIES / EB_LIST_BLOCK, sums);
            for (size_t c = 0; c < EB_BOOK_ENTRIES; c++)
                if ((double)sums[c] != rounded_as_it_should_be(f, (double)x[c] * 0.5))
                    fail_msg("%s, %s: %g becomes %g", isas[k], eb_table_format_name(f), (double)x[c] * 0.5,
                             (double)sums[c]);
        }
    }
}

TEST(scans_have_the_same_bits_everywhere)
{
    enum { BLOCKS = 19, ENTRIES = M * (int)EB_BOOK_ENTRIES };
    static float x[ENTRIES], room[ENTRIES + 1], sums[BLOCKS * EB_LIST_BLOCK], other[BLOCKS * EB_LIST_BLOCK];
    uint8_t codes[BLOCKS * M * EB_LIST_BLOCK];
    uint64_t seed = 4;
    random_entries(x, ENTRIES, 12);
    for (size_t k = 0; k < sizeof codes; k++)
        codes[k] = (uint8_t)eb_random(&seed);
    for (eb_table_format f = 0; f < EB_TABLE_FORMATS; f++)
        for (int f16 = 0; f16 <= (f != EB_TABLE_U8); f16++) {
            const eb_lookup_table table = {.format = f, .f16_sums = f16, .m = M, .entry = room};
            const eb_inverted_kernels base = kernels_of("base");
            if (f == EB_TABLE_U8)
                base.affine(x, ENTRIES, 0, 0.001F, (uint8_t *)room);
            else
                base.round(f, x, ENTRIES, 2, room);
            base.scan(&table, codes, BLOCKS, sums);
            for (size_t k = 1; k < ISAS; k++) {
                kernels_of(isas[k]).scan(&table, codes, BLOCKS, other);
                assert_memory_equal(sums, other, sizeof sums);
            }
            if (eb_isa_check(NULL) == EB_OK &&
                eb_cpu_isa() == EB_ISA_AVX512) { /* also the AVX-512 scan that CPUs without VBMI use */
                eb_table_scan_avx512(&table, codes, BLOCKS, other);
                assert_memory_equal(sums, other, sizeof sums);
            }
        }
}

/* FP16 rounds each sum: 2048 + 1 stays 2048. */
TEST(sums_of_f16_are_rounded_each)
{
    float x[2 * EB_BOOK_ENTRIES] = {0}, room[2 * EB_BOOK_ENTRIES + 1], sums[EB_LIST_BLOCK];
    const uint8_t codes[2 * EB_LIST_BLOCK] = {0};
    x[0] = 2048;
    x[EB_BOOK_ENTRIES] = 1;
    for (size_t k = 0; k < ISAS; k++)
        for (int f16 = 0; f16 < 2; f16++) {
            const eb_lookup_table table = {.format = EB_TABLE_F32, .f16_sums = f16, .m = 2, .entry = room};
            const eb_inverted_kernels kernels = kernels_of(isas[k]);
            kernels.round(EB_TABLE_F32, x, 2 * EB_BOOK_ENTRIES, 1, room);
            kernels.scan(&table, codes, 1, sums);
            assert_true(sums[31] == (f16 ? 2048 : 2049));
        }
}

TEST(ranges_are_those_of_the_numbers)
{
    float x[EB_BOOK_ENTRIES], least, greatest;
    random_entries(x, EB_BOOK_ENTRIES, 5);
    for (size_t k = 0; k < ISAS; k++)
        for (size_t count = 1; count <= EB_BOOK_ENTRIES; count += 17) {
            kernels_of(isas[k]).range(x, count, &least, &greatest);
            for (size_t c = 0; c < count; c++)
                assert_true(least <= x[c] && x[c] <= greatest);
            assert_true(greatest == (count > 2 ? 1e6F : 0));
            assert_true(least == 0);
        }
}

TEST(u8_is_off_by_half_a_step)
{
    float x[EB_BOOK_ENTRIES];
    uint8_t code[EB_BOOK_ENTRIES];
    uint64_t seed = 6;
    for (size_t c = 0; c < EB_BOOK_ENTRIES; c++)
        x[c] = 3 + (float)eb_random_below(&seed, 100000) * 0x1p-8F;
    for (size_t k = 0; k < ISAS; k++) {
        kernels_of(isas[k]).affine(x, EB_BOOK_ENTRIES, 3, 255 / 400.0F, code);
        for (size_t c = 0; c < EB_BOOK_ENTRIES; c++)
            assert_true(fabs(3 + code[c] * 400.0 / 255 - (double)x[c]) <= 200.0 / 255 * (1 + 1e-5));
    }
}

/* ---- answers ---- */

typedef struct answers {
    size_t count, k;
    float *queries;
    uint32_t *rows;
    double *distances;
} answers;

static answers ask(const base_set *base, const eb_inverted_file *f, const eb_inverted_question *q, unsigned threads)
{
    answers a = {.count = base->ds->n / 10, .k = q->k};
    eb_inverted_searcher *searcher = NULL;
    eb_status status = {.message = ""};
    double *wide = malloc(f->d * sizeof *wide);
    a.queries = malloc(a.count * f->d * sizeof *a.queries);
    a.rows = malloc(a.count * q->k * sizeof *a.rows);
    a.distances = malloc(a.count * q->k * sizeof *a.distances);
    for (size_t i = 0; i < a.count; i++)
        eb_inverted_row(f, base->ds, 10 * i + 7, wide, a.queries + i * f->d);
    free(wide);
    if (eb_inverted_open(f, NULL, threads, &searcher, &status) ||
        eb_inverted_find(searcher, q, a.queries, a.count, a.rows, a.distances, NULL, &status))
        fail_msg("%s", status.message);
    eb_inverted_close(searcher);
    return a;
}

static void free_answers(answers *a)
{
    free(a->queries);
    free(a->rows);
    free(a->distances);
}

/* FP64 distance between a query and the point that a place's codes encode. */
static double quantised_distance(const eb_inverted_file *f, const float *query, size_t list, uint64_t place)
{
    double s = 0;
    for (size_t t = 0; t < f->d; t++) {
        const size_t j = t / f->piece;
        const uint8_t code = eb_block_codes(f, place / EB_LIST_BLOCK)[j * EB_LIST_BLOCK + place % EB_LIST_BLOCK];
        const double entry = (double)f->books[(j * EB_BOOK_ENTRIES + code) * f->piece + t % f->piece];
        const double off = (double)query[t] - (double)f->centroids[list * f->d + t] - entry;
        s += off * off;
    }
    return ldexp(sqrt(s), -f->exponent);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void expect_quantised_distances(hostile_family family)
{
    base_set base = base_of(hostile_points(family, EB_F32, 1200, 12, 2));
    eb_inverted_file f = build(&base, 60, 4, 2);
    const eb_inverted_question q = {.k = 10, .nprobe = 60, .lut = EB_TABLE_F32, .scale = EB_TABLE_SCALE};
    answers a = ask(&base, &f, &q, 2);
    double *all = malloc(base.n * sizeof *all);
    for (size_t i = 0; i < a.count; i++) {
        size_t found = 0;
        for (size_t l = 0; l < q.nprobe; l++)
            for (uint32_t k = 0; k < f.count[l]; k++)
                all[found++] = quantised_distance(&f, a.queries + i * f.d, l, f.blocks[l] * EB_LIST_BLOCK + k);
        qsort(all, found, sizeof *all, ascending);
        for (size_t k = 0; k < q.k; k++)
            assert_true(fabs(a.distances[i * q.k + k] - all[k]) <= 1e-5 * all[k] + 1e-6);
    }
    free(all);
    free_answers(&a);
    eb_inverted_free(&f);
    free_base(&base);
}

TEST(f32_tables_give_the_quantised_distances)
{
    expect_quantised_distances(HOSTILE_CLUSTERS);
    expect_quantised_distances(HOSTILE_RANDOM);
}

/* With four values a coordinate, a book of four entries loses nothing: answers are exact. */
TEST(where_codes_lose_nothing_the_answer_is_exact)
{
    base_set base = base_of(naive_points(600, 8, 4, 3));
    eb_inverted_file f = build(&base, 1, 8, 1);
    const eb_inverted_question q = {.k = 7, .nprobe = 1, .lut = EB_TABLE_F32};
    answers a = ask(&base, &f, &q, 1);
    for (size_t i = 0; i < a.count; i++)
        for (size_t k = 0; k < q.k; k++) {
            const uint32_t row = a.rows[i * q.k + k];
            const double truth = sqrt(eb_truth_distance2(base.ds, 10 * i + 7, row));
            size_t nearer = 0;
            for (size_t r = 0; r < base.n; r++)
                nearer += sqrt(eb_truth_distance2(base.ds, 10 * i + 7, base.rows[r])) < truth;
            assert_true(row % 10 != 7 && fabs(a.distances[i * q.k + k] - truth) < 1e-4 && nearer <= k);
        }
    free_answers(&a);
    eb_inverted_free(&f);
    free_base(&base);
}

TEST(answers_have_the_same_bits_everywhere)
{
    for (hostile_family family = 0; family < HOSTILE_FAMILIES; family++) {
        base_set base = base_of(hostile_points(family, EB_F32, 700, 12, 3));
        eb_inverted_file f = build(&base, 7, 6, 2);
        for (eb_table_format lut = 0; lut < EB_TABLE_FORMATS; lut++) {
            const eb_inverted_question q = {.k = 9, .nprobe = 4, .lut = lut, .scale = EB_TABLE_SCALE};
            setenv("EPSBENCH_ISA", "base", 1);
            answers one = ask(&base, &f, &q, 1);
            for (size_t k = 0; k < ISAS; k++) {
                setenv("EPSBENCH_ISA", isas[k], 1);
                answers other = ask(&base, &f, &q, 3);
                assert_memory_equal(one.rows, other.rows, one.count * q.k * sizeof(uint32_t));
                assert_memory_equal(one.distances, other.distances, one.count * q.k * sizeof(double));
                free_answers(&other);
            }
            for (size_t k = 0; k < one.count * q.k; k++)
                assert_true(one.distances[k] >= 0);
            free_answers(&one);
        }
        eb_inverted_free(&f);
        free_base(&base);
    }
    unsetenv("EPSBENCH_ISA");
}

/* Points whose squares FP32 cannot hold are scaled, and give the same answers. */
TEST(size_does_not_matter)
{
    const eb_inverted_question q = {.k = 5, .nprobe = 5, .lut = EB_TABLE_E5M3, .scale = EB_TABLE_SCALE};
    eb_dataset *plain = hostile_points(HOSTILE_CLUSTERS, EB_F64, 500, 8, 9);
    base_set base = base_of(plain);
    eb_inverted_file f = build(&base, 5, 4, 1);
    answers one = ask(&base, &f, &q, 1);
    for (int exponent = -900; exponent <= 900; exponent += 900) {
        eb_dataset *scaled = hostile_points(HOSTILE_CLUSTERS, EB_F64, 500, 8, 9);
        double *x = scaled->owner;
        for (size_t k = 0; k < 500 * 8; k++)
            x[k] = ldexp(x[k], exponent);
        scaled->greatest = ldexp(scaled->greatest, exponent);
        base_set far = base_of(scaled);
        eb_inverted_file g = build(&far, 5, 4, 1);
        answers other = ask(&far, &g, &q, 1);
        assert_memory_equal(one.rows, other.rows, one.count * q.k * sizeof(uint32_t));
        for (size_t k = 0; k < one.count * q.k; k++)
            assert_true(fabs(ldexp(other.distances[k], -exponent) - one.distances[k]) <= 1e-9);
        free_answers(&other);
        eb_inverted_free(&g);
        free_base(&far);
    }
    free_answers(&one);
    eb_inverted_free(&f);
    free_base(&base);
}

TEST(few_points_fill_up_with_none)
{
    base_set base = base_of(hostile_points(HOSTILE_EQUAL, EB_U8, 30, 6, 4));
    eb_inverted_file f = build(&base, 27, 6, 2);
    const eb_inverted_question q = {.k = 40, .nprobe = 27, .lut = EB_TABLE_E4M4, .scale = EB_TABLE_SCALE};
    answers a = ask(&base, &f, &q, 1);
    for (size_t i = 0; i < a.count; i++)
        for (size_t k = 0; k < q.k; k++) {
            const uint32_t row = a.rows[i * q.k + k];
            assert_int_equal(row == EB_NO_POINT, k >= 27);
            assert_int_equal(isinf(a.distances[i * q.k + k]) != 0, k >= 27);
            if (k < 27)
                assert_int_equal(row, base.rows[k]); /* equally near points come in order of their rows */
        }
    free_answers(&a);
    eb_inverted_free(&f);
    free_base(&base);
}

TEST(questions_that_make_no_sense_are_refused)
{
    static const eb_inverted_question wrong[] = {{.k = 0, .nprobe = 1},
                                                 {.k = 1, .nprobe = 0},
                                                 {.k = 1, .nprobe = 6},
                                                 {.k = 1, .nprobe = 1, .scale = -1},
                                                 {.k = 1, .nprobe = 1, .scale = (double)NAN},
                                                 {.k = 1, .nprobe = 1, .lut = EB_TABLE_U8, .f16_sums = true}};
    base_set base = base_of(hostile_points(HOSTILE_RANDOM, EB_F32, 100, 4, 1));
    eb_inverted_file f = build(&base, 5, 2, 1);
    eb_inverted_searcher *searcher;
    float query[4] = {0};
    uint32_t row[8];
    double distance[8];
    eb_status status = {.message = ""};
    assert_int_equal(eb_inverted_open(&f, NULL, 1, &searcher, &status), EB_OK);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_int_equal(eb_inverted_find(searcher, &wrong[k], query, 1, row, distance, NULL, &status), EB_USAGE);
    eb_inverted_close(searcher);
    eb_inverted_free(&f);
    free_base(&base);
}

static eb_code build_cancelled(eb_job *job, void *argument, eb_status *status)
{
    const base_set *base = argument;
    const eb_inverted_request q = {.points = base->ds, .rows = base->rows, .n = base->n, .shape = {8, 4}};
    eb_inverted_file file;
    eb_job_cancel(job);
    return eb_inverted_build(&q, NULL, 2, job, &file, NULL, status);
}

TEST(a_cancel_is_heard)
{
    base_set base = base_of(hostile_points(HOSTILE_RANDOM, EB_F32, 1000, 8, 1));
    eb_job *job;
    eb_status status = {.message = ""};
    assert_int_equal(eb_job_start(build_cancelled, &base, &job, &status), EB_OK);
    assert_int_equal(eb_job_finish(job, &status), EB_CANCELLED);
    free_base(&base);
}

static double exact_distance(const base_set *base, size_t query, uint32_t row)
{
    return sqrt(eb_truth_distance2(base->ds, query, row));
}

/* If refinement covers all points, FP64 finds the k nearest, however coarse the codes. If it covers a few, it finds the
 * nearest of those few. */
TEST(refined_answers_are_the_nearest_of_those_found)
{
    enum { N = 300, K = 7 };
    base_set base = base_of(hostile_points(HOSTILE_RANDOM, EB_F64, N, 6, 5));
    eb_inverted_file f = build(&base, 3, 1, 2);
    eb_status status = {.message = ""};
    eb_inverted_searcher *searcher = NULL;
    assert_int_equal(eb_inverted_open(&f, base.ds, 2, &searcher, &status), EB_OK);
    double wide[6] = {0};
    float query[6] = {0};
    eb_inverted_row(&f, base.ds, 7, wide, query);
    eb_inverted_question q = {.k = K, .refine = base.n, .nprobe = 3, .lut = EB_TABLE_E5M3, .scale = EB_TABLE_SCALE};
    uint32_t rows[K] = {0}, coarse[K] = {0};
    double far[K] = {0};
    assert_int_equal(eb_inverted_find(searcher, &q, query, 1, rows, far, NULL, &status), EB_OK);
    for (size_t k = 0; k < K; k++) {
        size_t nearer = 0;
        for (size_t i = 0; i < base.n; i++)
            nearer += exact_distance(&base, 7, base.rows[i]) < exact_distance(&base, 7, rows[k]);
        assert_int_equal(nearer, k);
        assert_true(fabs(far[k] - exact_distance(&base, 7, rows[k])) < 1e-6);
    }
    q.refine = K;
    assert_int_equal(eb_inverted_find(searcher, &q, query, 1, rows, far, NULL, &status), EB_OK);
    q.refine = 0;
    assert_int_equal(eb_inverted_find(searcher, &q, query, 1, coarse, far, NULL, &status), EB_OK);
    for (size_t k = 0; k < K; k++) {
        bool there = false;
        for (size_t i = 0; i < K; i++)
            there |= coarse[i] == rows[k];
        assert_true(there);
        assert_true(k == 0 || exact_distance(&base, 7, rows[k - 1]) <= exact_distance(&base, 7, rows[k]));
    }
    q.refine = K - 1;
    assert_int_equal(eb_inverted_find(searcher, &q, query, 1, rows, far, NULL, &status), EB_USAGE);
    eb_inverted_close(searcher);
    eb_inverted_free(&f);
    free_base(&base);
}

RUN_TESTS
