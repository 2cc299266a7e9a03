/* Tests of FASTED on the CPU: the emulation's fast copies against the definition, lane by lane, and the engine against
 * a naive loop over the definition. */
#include <math.h>

#include "core/accuracy/self_pairs.h"
#include "core/join/join.h"
#include "kernels/fasted/cpu/kernels.h"
#include "kernels/fasted/cpu/norms.h"
#include "kernels/walk/isa.h"
#include "tests/unit/cpu_engines.h"
#include "tests/unit/half_blocks.h"
#include "tests/unit/test.h"

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* FP16 bits of several kinds, never NaN or infinity. */
#define KINDS 9u
static uint16_t hostile_half(size_t kind, uint64_t random)
{
    uint16_t bits = (uint16_t)random;
    switch (kind) {
    case 0: return (uint16_t)((bits & 0x83ffu) | 0x3800u);                                /* one binade */
    case 1: return (bits & 0x7c00u) == 0x7c00u ? 0x7bff : bits;                           /* all exponents */
    case 2: return (uint16_t)(bits & 0x83ffu);                                            /* subnormals and zeros */
    case 3: return random >> 20 & 3 ? 0 : (uint16_t)(bits & 0xbfffu);                     /* mostly zero */
    case 4: return (uint16_t)((bits & 0x8001u) | (random >> 17 & 1 ? 0x7bfeu : 0x0000u)); /* largest beside smallest */
    case 5: return (uint16_t)((random >> 33 & 1 ? 0x8000u : 0) | 0x5640u);                /* ±100: cancels exactly */
    case 6: return eb_half_from_double((double)(bits & 255u) / 64); /* d = 784: some pairs round, others do not */
    case 7: return eb_half_from_double((double)(bits & 255u) - 128);
    default: return random >> 40 & 63 ? 0x7bff : 0x7bfe; /* the largest sums possible */
    }
}

static uint16_t *hostile_halves(size_t n, size_t d, size_t kind)
{
    uint16_t *halves = malloc(n * d * sizeof *halves);
    assert_non_null(halves);
    for (size_t x = 0; x < n * d; x++)
        halves[x] = hostile_half(kind, mix(x * 7919 + kind * 1000003 + d));
    return halves;
}

/* ---- the fast copy: the product's bits ---- */

static const struct {
    const char *name;
    eb_isa isa;
    eb_fasted_products products;
} copies[] = {
    {"base", EB_ISA_BASE, eb_fasted_products_base},
#if defined(__x86_64__)
    {"avx2", EB_ISA_AVX2, eb_fasted_products_avx2},
    {"avx512", EB_ISA_AVX512, eb_fasted_products_avx512},
#endif
};
#define COPIES (sizeof copies / sizeof copies[0])

static bool runs_here(size_t copy)
{
    assert_int_equal(setenv("EPSBENCH_ISA", copies[copy].name, 1), 0);
    bool here = eb_cpu_isa() == copies[copy].isa;
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
    return here;
}

static size_t pad(size_t x) { return (x + 15) / 16 * 16; }

/* Panels laid out as in fasted_kernels.h. exact_below selects how products are computed. */
static eb_fasted_points make_panels(const uint16_t *halves, size_t n, size_t d, eb_core tensor, double exact_below)
{
    eb_fasted_points p = {.n = n, .d = d, .d_padded = pad(d), .exact_below = exact_below, .adder = half_adder(tensor)};
    p.half = calloc(n * p.d_padded, sizeof *p.half);
    p.values = calloc(pad(n) * p.d_padded, sizeof *p.values);
    p.exponents = calloc(pad(n) * p.d_padded, sizeof *p.exponents);
    p.norms = calloc(pad(n), sizeof *p.norms);
    assert_true(p.half && p.values && p.exponents && p.norms);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < d; k++) {
            uint16_t half = halves[i * d + k];
            size_t place = (i / 16 * p.d_padded + k) * 16 + i % 16;
            int exponent = half >> 10 & 31;
            p.half[i * p.d_padded + k] = half;
            p.values[place] = eb_half_to_float(half);
            p.exponents[place] = half & 0x7fffu ? (uint8_t)((exponent ? exponent : 1) - 15 + EB_FASTED_EXPONENT) : 0;
        }
        p.norms[i] = 1;
    }
    return p;
}

static void free_panels(eb_fasted_points *p)
{
    free(p->half);
    free(p->values);
    free(p->exponents);
    free(p->norms);
}

/* Every pair of n points, in tiles that begin at any place and are ragged at the end. */
static void check_products(size_t copy, const uint16_t *halves, const eb_fasted_points *p)
{
    static float products[7 * EB_FASTED_COLUMNS];
    for (size_t j0 = 0; j0 < p->n; j0 += EB_FASTED_COLUMNS) {
        size_t nj = p->n - j0 < EB_FASTED_COLUMNS ? p->n - j0 : EB_FASTED_COLUMNS;
        for (size_t i0 = 0; i0 < p->n; i0 += 7) {
            size_t ni = p->n - i0 < 7 ? p->n - i0 : 7;
            copies[copy].products(p, i0, ni, j0, nj, products);
            for (size_t r = 0; r < ni; r++) {
                for (size_t c = 0; c < nj; c++) {
                    const uint16_t *a = halves + (i0 + r) * p->d, *b = halves + (j0 + c) * p->d;
                    float expected = half_dot(&p->adder, a, b, p->d), found = products[r * EB_FASTED_COLUMNS + c];
                    if (memcmp(&expected, &found, sizeof expected) != 0)
                        fail_msg("%s, blocks of %u, d = %zu, pair (%zu, %zu): %a, expected %a", copies[copy].name,
                                 p->adder.block, p->d, i0 + r, j0 + c, (double)found, (double)expected);
                }
            }
        }
    }
}

static const size_t shapes[][2] = {{70, 16}, {33, 1}, {17, 7}, {40, 65}, {65, 24}, {20, 300}, {1, 8}, {150, 48}};
#define SHAPES (sizeof shapes / sizeof shapes[0])

TEST(every_lane_equals_the_definition)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        for (size_t x = 0; x < SHAPES; x++) {
            size_t n = shapes[x][0], d = shapes[x][1];
            uint16_t *halves = hostile_halves(n, d, kind);
            for (eb_core tensor = EB_CORE_SM80; tensor <= EB_CORE_SM90; tensor += 2) {
                eb_fasted_points p = make_panels(halves, n, d, tensor, 0);
                for (size_t copy = 0; copy < COPIES; copy++)
                    if (runs_here(copy))
                        check_products(copy, halves, &p);
                free_panels(&p);
            }
            free(halves);
        }
    }
}

/* ±100 and integers up to 128 in few dimensions: no sum rounds, so plain arithmetic gives the same bits. */
TEST(plain_arithmetic_is_the_same_where_nothing_rounds)
{
    for (size_t kind = 5; kind <= 7; kind += 2) {
        for (size_t x = 0; x < SHAPES; x++) {
            size_t n = shapes[x][0], d = shapes[x][1];
            uint16_t *halves = hostile_halves(n, d, kind);
            for (eb_core tensor = EB_CORE_SM80; tensor <= EB_CORE_SM90; tensor += 2) {
                eb_fasted_points p = make_panels(halves, n, d, tensor, INFINITY);
                for (size_t copy = 0; copy < COPIES; copy++)
                    if (runs_here(copy))
                        check_products(copy, halves, &p);
                free_panels(&p);
            }
            free(halves);
        }
    }
}

/* ---- the engine ---- */

typedef struct opened {
    asked a;
    eb_dataset ds;
    void *rows;
    size_t n;
    double *s; /* [n][n], as the engine's `distances` returns them */
} opened;

static eb_code try_rows(void *rows, size_t n, size_t d, eb_dtype dtype, eb_core tensor, opened *o, eb_status *status)
{
    const cpu_variant variant = {&eb_engine_fasted, tensor == EB_CORE_SM80 ? "tensor=sm_80" : "tensor=sm_90"};
    *o = (opened){.a.setup = setup_of(&variant, 2), .rows = rows, .n = n};
    o->ds = (eb_dataset){.n = n, .d = d, .dtype = dtype, .rows = rows, .stride = d * eb_dtype_size(dtype)};
    const eb_problem problem = eb_self_join(&o->ds);
    return eb_problem_open(&o->a.setup, &problem, NULL, &o->a.opened, status);
}

static void open_rows(void *rows, size_t n, size_t d, eb_dtype dtype, eb_core tensor, opened *o)
{
    eb_status status = {.message = ""};
    if (try_rows(rows, n, d, dtype, tensor, o, &status))
        fail_msg("%s", status.message);
}

static void ask_distances(opened *o)
{
    eb_status status;
    uint32_t *queries = malloc(o->n * sizeof *queries);
    o->s = malloc(o->n * o->n * sizeof *o->s);
    assert_true(queries && o->s);
    for (size_t i = 0; i < o->n; i++)
        queries[i] = (uint32_t)i;
    assert_int_equal(eb_fasted_cpu.distances(o->a.opened.state, queries, o->n, o->s, &status), EB_OK);
    free(queries);
}

static const char *description(const opened *o) { return eb_fasted_cpu.describe(o->a.opened.state); }

static void close_opened(opened *o)
{
    close_problem(&o->a);
    free(o->rows);
    free(o->s);
}

static float square(const uint16_t *p, size_t k, size_t d)
{
    return k < d ? eb_half_to_float(p[k]) * eb_half_to_float(p[k]) : 0;
}

/* The norm in the summation order of FASTED's authors. */
static float norm_of(const uint16_t *p, size_t d)
{
    float norm = 0;
    for (size_t k = 0; k < d; k += 2)
        norm = eb_add_toward_zero(norm, eb_add_toward_zero(square(p, k, d), square(p, k + 1, d)));
    return norm;
}

static double naive_distance(const uint16_t *p, const uint16_t *q, size_t d, eb_core tensor)
{
    float sum = norm_of(p, d) + norm_of(q, d);
    const eb_adder adder = half_adder(tensor);
    float s = sum - 2 * half_dot(&adder, p, q, d);
    return s > 0 ? (double)s : 0;
}

static void check_engine(size_t n, size_t d, size_t kind, eb_core tensor)
{
    uint16_t *halves = hostile_halves(n, d, kind);
    uint16_t *rows = malloc(n * d * sizeof *rows);
    assert_non_null(rows);
    memcpy(rows, halves, n * d * sizeof *rows);
    opened o;
    open_rows(rows, n, d, EB_F16, tensor, &o);
    ask_distances(&o);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double expected = i == j ? 0 : naive_distance(halves + i * d, halves + j * d, d, tensor);
            if (memcmp(&expected, &o.s[i * n + j], sizeof expected) != 0)
                fail_msg("kind %zu, %zu × %zu, pair (%zu, %zu): %.17g, expected %.17g", kind, n, d, i, j,
                         o.s[i * n + j], expected);
        }
    }
    close_opened(&o);
    free(halves);
}

TEST(the_engine_equals_a_naive_loop)
{
    for (size_t copy = 0; copy < COPIES; copy++) {
        assert_int_equal(setenv("EPSBENCH_ISA", copies[copy].name, 1), 0);
        for (size_t kind = 0; kind < KINDS; kind++) {
            for (eb_core tensor = EB_CORE_SM80; tensor <= EB_CORE_SM90; tensor += 2) {
                check_engine(40, 33, kind, tensor);
                check_engine(68, 5, kind, tensor);
                check_engine(1, 1, kind, tensor);
            }
        }
        check_engine(66, 784, 6, EB_CORE_SM80);
        check_engine(66, 784, 6, EB_CORE_SM90);
    }
    assert_int_equal(unsetenv("EPSBENCH_ISA"), 0);
}

TEST(stored_values_round_to_fp16_once)
{
    /* 1 + 2^-11 + 2^-40 lies above the midpoint of 1 and 1 + 2^-10. Rounded to FP32 first, it would be the midpoint and
     * then round to 1. */
    double *rows = malloc(2 * sizeof *rows);
    assert_non_null(rows);
    rows[0] = 1 + 0x1p-11 + 0x1p-40;
    rows[1] = 1;
    opened o;
    open_rows(rows, 2, 1, EB_F64, EB_CORE_SM90, &o);
    ask_distances(&o);
    assert_true(o.s[1] == 0x1p-20);
    assert_string_equal(description(&o), "sm_90 tensor cores, bit by bit");
    close_opened(&o);
}

TEST(the_description_says_what_rounds)
{
    const struct {
        size_t d, kind;
        const char *text;
    } cases[] = {
        {128, 7, "sm_80 tensor cores, bit by bit; FP16 holds every coordinate exactly, no product's sum rounds"},
        {128, 1, "sm_80 tensor cores, bit by bit; FP16 holds every coordinate exactly"},
    };
    for (size_t x = 0; x < 2; x++) {
        opened o;
        open_rows(hostile_halves(20, cases[x].d, cases[x].kind), 20, cases[x].d, EB_F16, EB_CORE_SM80, &o);
        assert_string_equal(description(&o), cases[x].text);
        close_opened(&o);
    }
}

static eb_code keep_table(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    *(eb_neighbours **)context = batch;
    return EB_OK;
}

/* Number of ordered pairs within ε, self pairs included. */
static uint64_t within(const opened *o, double eps)
{
    uint64_t pairs = 0;
    for (size_t k = 0; k < o->n * o->n; k++)
        pairs += o->s[k] <= eb_squared_threshold(eps);
    return pairs;
}

static void check_join(opened *o, double eps)
{
    eb_neighbours *table = NULL;
    const eb_join_plan plan = {.question.eps = eps, .distances = EB_DISTANCES_F64, .whole = true};
    eb_join_result result;
    eb_status status;
    assert_int_equal(eb_join_run(&o->a.opened, &plan, keep_table, &table, &result, &status), EB_OK);
    assert_int_equal(result.pairs, within(o, eps));
    for (size_t i = 0; i < o->n; i++)
        for (uint64_t k = table->offsets[i]; k < table->offsets[i + 1]; k++)
            assert_true(table->distances[k] == sqrt(o->s[i * o->n + table->columns[k]]));
    eb_neighbours_free(table);
}

static void check_histogram(const opened *o, double eps)
{
    double edges[3] = {eps / 2, eps, eps * 2};
    bool keep[3] = {false, true, false};
    uint64_t pairs[3];
    double *kept[3];
    eb_distance_pass pass = {.edges = 3, .eps = edges, .keep = keep, .pairs = pairs, .kept = kept};
    eb_status status;
    assert_int_equal(eb_fasted_cpu.histogram(o->a.opened.state, &pass, &status), EB_OK);
    uint64_t below = o->n; /* the self pairs */
    for (size_t k = 0; k < 3; k++) {
        below += 2 * pairs[k];
        assert_int_equal(below, within(o, edges[k]));
    }
    double largest = 0;
    for (uint64_t k = 0; k < pairs[1]; k++) {
        assert_true(kept[1][k] > eb_squared_threshold(edges[0]) && kept[1][k] <= eb_squared_threshold(eps));
        largest = fmax(largest, kept[1][k]);
    }
    assert_true(eb_smallest_eps(largest) == eps);
    free(kept[1]);
}

TEST(count_join_histogram_and_distances_agree)
{
    opened o;
    open_rows(hostile_halves(300, 24, 0), 300, 24, EB_F16, EB_CORE_SM90, &o);
    ask_distances(&o);
    double eps = eb_smallest_eps(o.s[5 * 300 + 77]); /* a pair exactly at ε counts */
    assert_int_equal(count_all(&o.a, eps), within(&o, eps));
    assert_true(count_all(&o.a, nextafter(eps, 0)) < within(&o, eps));
    check_join(&o, eps);
    check_histogram(&o, eps);
    close_opened(&o);
}

TEST(overflow_is_refused_with_its_place)
{
    opened o;
    eb_status status;
    float *rows = calloc(40 * 10, sizeof *rows);
    assert_non_null(rows);
    rows[33 * 10 + 4] = 65519; /* the largest integer that rounds to 65504 */
    assert_int_equal(try_rows(rows, 40, 10, EB_F32, EB_CORE_SM90, &o, &status), EB_OK);
    close_problem(&o.a);
    rows[33 * 10 + 4] = -65520;
    assert_int_equal(try_rows(rows, 40, 10, EB_F32, EB_CORE_SM90, &o, &status), EB_BAD_VALUE);
    assert_string_equal(status.message, "row 33, column 4: -65520 exceeds FP16's largest finite value, 65504; `set "
                                        "fasted.exponent=max` lets it scale the points");
    assert_null(o.a.opened.state);
    free(rows);
}

/* The message names the point by its row, wherever the order places it. */
TEST(overflow_is_named_by_its_point_in_another_order)
{
    static const uint32_t point[] = {2, 3, 0, 1}, first[] = {0, 4};
    static const float rows[] = {1, 2, 3, 70000};
    const eb_order order = {.n = 4, .point = point, .leaves = 1, .first = first};
    const eb_dataset ds = {.n = 4, .d = 1, .dtype = EB_F32, .rows = (const unsigned char *)rows, .stride = 4};
    const eb_problem problem = {.left = &ds, .right = &ds, .order = &order};
    const cpu_variant variant = {&eb_engine_fasted, ""};
    const eb_setup setup = setup_of(&variant, 1);
    eb_opened refused;
    eb_status status;
    assert_int_equal(eb_problem_open(&setup, &problem, NULL, &refused, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "row 3, column 0: 70000 "));
}

/* One of the two points is 0, so s is the other's norm, worked by hand. 4096² = 2^24, where FP32 has a spacing of 2. */
TEST(norms_are_summed_in_the_order_that_is_asked_for)
{
    static const struct {
        float row[6];
        double authors, chain, fp64;
    } cases[] = {
        {{4096, 0, 1, 1, 0, 0}, 0x1p24 + 2, 0x1p24, 0x1p24 + 2}, /* 1 + 1 is summed first and survives */
        {{4096, 0, 1, 0, 1, 0}, 0x1p24, 0x1p24, 0x1p24 + 2},     /* added one at a time, both are lost */
        {{4096, 1, 1, 1, 1, 1}, 0x1p24 + 4, 0x1p24, 0x1p24 + 4}, /* 2^24 + 1 is cut to 2^24, then 2 and 2; 5 rounds to
                                                                    even */
        {{4096, 1, 1, 1, 1, 0}, 0x1p24 + 2, 0x1p24, 0x1p24 + 4}, {{1, 2, 3, 4, 5, 6}, 91, 91, 91},
    };
    static const char *const items[] = {"", "norms=authors", "chain", "fp64"};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (size_t v = 0; v < sizeof items / sizeof items[0]; v++) {
            const double expected = v < 2 ? cases[k].authors : v == 2 ? cases[k].chain : cases[k].fp64;
            float rows[12] = {0};
            memcpy(rows, cases[k].row, sizeof cases[k].row);
            const eb_dataset ds = {.n = 2, .d = 6, .dtype = EB_F32, .rows = (const unsigned char *)rows, .stride = 24};
            const eb_problem problem = eb_self_join(&ds);
            const cpu_variant variant = {&eb_engine_fasted, items[v]};
            const uint32_t query = 0;
            double s[2];
            eb_status status;
            asked a;
            open_problem(&a, &variant, &problem, 1);
            assert_int_equal(eb_fasted_cpu.distances(a.opened.state, &query, 1, s, &status), EB_OK);
            assert_true(s[1] == expected);
            close_problem(&a);
        }
}

/* A self distance is s_i + s_i − 2a_ii, never below 0: in all blocks, the ragged last one included, and with norms
 * summed in another order. */
TEST(a_point_is_as_far_from_itself_as_the_arithmetic_has_it)
{
    enum { N = 300, D = 50 }; /* three blocks */
    static double s[N];
    eb_status status = {.message = ""};
    for (size_t kind = 0; kind < 2; kind++) {
        uint16_t *halves = hostile_halves(N, D, kind);
        const eb_dataset ds = {.n = N, .d = D, .dtype = EB_F16, .rows = (void *)halves, .stride = D * sizeof *halves};
        for (eb_core tensor = EB_CORE_SM80; tensor <= EB_CORE_SM90; tensor += 2) {
            const cpu_variant by_authors = {&eb_engine_fasted, tensor == EB_CORE_SM80 ? "sm_80" : "sm_90"};
            const eb_setup setup = setup_of(&by_authors, 2);
            assert_int_equal(eb_self_distances(&setup, &ds, 1e9, NULL, s, &status), EB_OK);
            for (size_t i = 0; i < N; i++)
                assert_true(s[i] == sqrt(naive_distance(halves + i * D, halves + i * D, D, tensor)));
        }
        const cpu_variant nearest = {&eb_engine_fasted, "fp64"};
        const eb_setup setup = setup_of(&nearest, 2);
        size_t apart = 0;
        assert_int_equal(eb_self_distances(&setup, &ds, 1e9, NULL, s, &status), EB_OK);
        for (size_t i = 0; i < N; i++)
            apart += s[i] > 0; /* the tensor core truncates its sums, the norms round */
        assert_true(apart > N / 10);
        assert_int_equal(eb_self_distances(&setup, &ds, 0, NULL, s, &status), EB_OK);
        size_t beyond = 0;
        for (size_t i = 0; i < N; i++)
            beyond += isinf(s[i]) ? 1 : 0;
        assert_int_equal(beyond, apart);
        free(halves);
    }
    const cpu_variant truth = {&eb_engine_ref64, ""};
    const eb_setup setup = setup_of(&truth, 1);
    const eb_dataset any = {.n = N};
    assert_int_equal(eb_self_distances(&setup, &any, 1e9, NULL, s, &status), EB_OK);
    for (size_t i = 0; i < N; i++)
        assert_true(s[i] == 0);
}

TEST(an_eps_that_is_no_distance_is_refused)
{
    static const double wrong[] = {-1, NAN};
    opened o;
    open_rows(hostile_halves(4, 2, 0), 4, 2, EB_F16, EB_CORE_SM90, &o);
    const eb_share whole = eb_share_rows(0, 4);
    for (size_t k = 0; k < 2; k++) {
        const eb_question question = {.eps = wrong[k]};
        eb_status status;
        uint64_t entries;
        assert_int_equal(eb_fasted_cpu.count(o.a.opened.state, &question, &whole, &entries, &status), EB_USAGE);
    }
    close_opened(&o);
}

RUN_TESTS
