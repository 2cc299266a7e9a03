/* Tests of the papers' systems on the GPU. With verdicts by the exact distance they give ref64's pairs and distances
 * bit for bit, whatever is switched on or off. With their own sums they are within the error of their arithmetic. Needs
 * a GPU. */
#include "hostile_checks.h"
#include "way_checks.h"

extern const eb_engine eb_engine_gds, eb_engine_ted, eb_engine_ted_index, eb_engine_mistic;

/* ---- verdicts by the exact distance ---- */

static const char *const truthful[] = {
    "gds[f64,decide=truth]",
    "gds[f64,bare,decide=truth,k=2,queries=cell]",
    "gds[f64,bare,decide=truth,unidirectional,short-circuit,ilp=1,k=3]",
    "gds[f64,decide=truth,unidirectional,ilp=32,k=1]",
    "ted[paper,decide=truth]",
    "mistic[decide=truth,references=4,split=1]",
    "mistic[decide=truth,unidirectional,choice=spread,levels=3,references=3,-short-circuit,split=1]",
    "mistic[decide=truth,references=0,split=500,threads=8]",
    "mistic[decide=truth,references=5,coordinates=2,split=60,unidirectional,threads=1]",
    "ted[paper,-short-circuit,queries=3,decide=truth]",
    "ted-index[decide=truth]",
    "ted-index[bare,decide=truth,k=2,queries=5]",
    "ted-index[decide=truth,shape=16x8x16]",
    "ted[paper,decide=truth,shape=16x8x16,queries=11]",
    "ted[paper,decide=truth,shape=differences,queries=5]",
    "ted-index[decide=truth,shape=differences,k=2]",
};

/* An engine that decides by the exact distance by default, so that way_checks.h applies to it. */
typedef struct decided {
    eb_engine engine;
    eb_option option[EB_MOST_OPTIONS];
} decided;

static decided gds, ted, ted_index, mistic;

static void by_truth(decided *d, const eb_engine *engine)
{
    d->engine = *engine;
    for (size_t k = 0; k < engine->options.count; k++) {
        d->option[k] = engine->options.option[k];
        if (strcmp(d->option[k].name, "decide") == 0)
            d->option[k].fallback = "truth";
        if (strcmp(d->option[k].name, "kernel") == 0)
            d->option[k].fallback = "paper";
        if (strcmp(d->option[k].name, "type") == 0)
            d->option[k].fallback = "f64";
    }
    d->engine.options.option = d->option;
}

static double spread_out(size_t i, size_t k) { return uniform(i, k) * (k % 3 ? 1 : 4) - 0.5; }
static double crowded(size_t i, size_t k) { return clustered(i, k); }

static void rows_parts_passes_queries(void **state)
{
    static const struct {
        double (*value)(size_t, size_t);
        size_t n, d;
        double eps;
    } of[] = {{spread_out, 1500, 3, 0.2},
              {spread_out, 700, 10, 1.2},
              {crowded, 900, 33, 0.05},
              {crowded, 600, 5, 0.004}};
    const decided *engine = *state;
    for (size_t k = 0; k < sizeof of / sizeof of[0]; k++) {
        const double edges[PASS_EDGES] = {0.5 * of[k].eps, 0.8 * of[k].eps, of[k].eps};
        eb_dataset ds;
        unsigned char *rows = make_points(of[k].value, k % 2 ? EB_F64 : EB_F32, 0, small ? 300 : of[k].n, of[k].d, &ds);
        check_table(&engine->engine, &ds, of[k].eps, engine->engine.name);
        check_rows_and_parts(&engine->engine, &ds, of[k].eps);
        check_pass(&engine->engine, &ds, edges);
        check_queries(&engine->engine, &ds);
        free(rows);
    }
}

/* ---- own sums ---- */

typedef struct own_sums {
    const char *spec;
    double error; /* relative error of a distance */
} own_sums;

static const own_sums own[] = {{"gds[f64]", 1e-14},
                               {"gds[f64,bare,ilp=2]", 1e-14},
                               {"gds[f64,unidirectional,queries=cell,ilp=1]", 1e-14},
                               {"ted[paper]", 1e-10},
                               {"ted[paper,queries=2,-short-circuit]", 1e-10},
                               {"ted-index", 1e-10},
                               {"ted-index[bare,k=1]", 1e-10},
                               {"wmma-ref", 1e-10},
                               {"ted-index[shape=16x8x16]", 1e-10},
                               {"ted[paper,shape=differences]", 1e-14},
                               {"mistic", 1e-14},
                               {"mistic[choice=spread,unidirectional,levels=2,split=1]", 1e-14},
                               {"mistic[threads=2,split=1,ilp=8]", 1e-14},
                               {"mistic[type=f32]", 1e-5},
                               {"gds", 1e-5},
                               {"gds[type=f32,bare,k=2]", 1e-5}};

/* Pairs in only one of both tables lie near ε; distances of common pairs agree. */
static void compare_rows(const eb_neighbours *mine, const eb_neighbours *truth, double eps, const own_sums *by)
{
    for (size_t i = 0; i < mine->n; i++) {
        uint64_t a = mine->offsets[i], b = truth->offsets[i];
        while (a < mine->offsets[i + 1] || b < truth->offsets[i + 1]) {
            const uint32_t x = a < mine->offsets[i + 1] ? mine->columns[a] : UINT32_MAX;
            const uint32_t y = b < truth->offsets[i + 1] ? truth->columns[b] : UINT32_MAX;
            const double p = x <= y ? ((const double *)mine->distances)[a] : eps;
            const double q = y <= x ? ((const double *)truth->distances)[b] : eps;
            if (fabs(p - q) > by->error * q)
                fail_msg("%s: points %zu and %u: %.17g, the truth is %.17g", by->spec, i, x < y ? x : y, p, q);
            a += x <= y;
            b += y <= x;
        }
    }
}

static void own_sums_are_near_the_truth(void **state)
{
    const own_sums *by = *state;
    const double eps[] = {0.7, 3.3};
    for (size_t k = 0; k < 2; k++) {
        asked mine, truth;
        eb_dataset ds;
        unsigned char *rows = make_points(spread_out, EB_F32, 0, small ? 300 : 3000, k ? 20 : 4, &ds);
        const double at = eps[k];
        open_points(&mine, by->spec, &ds);
        open_points(&truth, "ref64", &ds);
        eb_neighbours *found = table_of(&mine, at), *right = table_of(&truth, at);
        assert_true(right->offsets[right->n] > 2 * right->n);
        compare_rows(found, right, at, by);
        assert_int_equal(count_all(&mine, at), found->offsets[found->n]);
        eb_neighbours_free(found);
        eb_neighbours_free(right);
        close_problem(&mine);
        close_problem(&truth);
        free(rows);
    }
}

/* ---- bit for bit with the arithmetic of the authors' codes ---- */

typedef struct authors_way {
    const char *spec;
    bool single, by_root;
    uint32_t group; /* dimensions in a group: the first square is added by an FMA, the others are rounded and added */
} authors_way;

static const authors_way authors[] = {{"gds", true, true, 8},
                                      {"gds[f64,ilp=4,-short-circuit]", false, true, 4},
                                      {"gds[k=1,ilp=1,queries=cell]", true, true, 1},
                                      {"mistic[split=1]", false, false, 4},
                                      {"mistic[f32,split=1,threads=4]", true, false, 4}};

enum { LATTICE_D = 19 };

/* Coordinates are steps of a tenth, over a wider range in some dimensions: many equal distances. */
static double lattice(size_t i, size_t k) { return floor(uniform(i, k) * (2 + (double)((k * 7) % LATTICE_D))) * 0.1; }

static double variance_along(const eb_dataset *ds, size_t k)
{
    double sum = 0, squares = 0, x;
    for (size_t i = 0; i < ds->n; i++) {
        eb_to_f64(ds->dtype, eb_row(ds, i) + k * eb_dtype_size(ds->dtype), 1, &x);
        sum += x;
        squares += x * x;
    }
    return squares - sum * sum / (double)ds->n;
}

static void order_by_variance(const eb_dataset *ds, size_t *order)
{
    double variance[LATTICE_D];
    for (size_t k = 0; k < ds->d; k++) {
        size_t at = k;
        variance[k] = variance_along(ds, k);
        for (; at > 0 && variance[order[at - 1]] < variance[k]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

static double add_as_published(const authors_way *way, const double *p, const double *q, size_t d, const size_t *order)
{
    double s = 0;
    float f = 0;
    for (size_t k = 0; k < d; k++) {
        const bool head = k % way->group == 0;
        const double t = p[order[k]] - q[order[k]];
        const float r = (float)p[order[k]] - (float)q[order[k]];
        volatile double square = t * t;
        volatile float square_f = r * r;
        s = head ? fma(t, t, s) : s + square;
        f = head ? fmaf(r, r, f) : f + square_f;
    }
    return way->single ? (double)f : s;
}

static bool near_as_published(const authors_way *way, double s, double eps)
{
    const float limit = (float)eps;
    volatile float squared = limit * limit;
    if (way->single)
        return way->by_root ? sqrtf((float)s) <= limit : (float)s <= squared;
    return way->by_root ? sqrt(s) <= eps : s <= eps * eps;
}

static void check_published(const authors_way *way, const eb_dataset *ds, double eps)
{
    asked a;
    size_t order[LATTICE_D];
    double *x = malloc(ds->n * ds->d * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < ds->n; i++)
        eb_to_f64(ds->dtype, eb_row(ds, i), ds->d, x + i * ds->d);
    order_by_variance(ds, order);
    open_points(&a, way->spec, ds);
    eb_neighbours *found = table_of(&a, eps);
    for (size_t i = 0; i < ds->n; i++) {
        uint64_t at = found->offsets[i];
        for (size_t j = 0; j < ds->n; j++) {
            const double s = add_as_published(way, x + i * ds->d, x + j * ds->d, ds->d, order);
            if (!near_as_published(way, s, eps))
                continue;
            if (at == found->offsets[i + 1] || found->columns[at] != j)
                fail_msg("%s: points %zu and %zu, s = %.17g, are left out at ε = %.17g", way->spec, i, j, s, eps);
            assert_true(((const double *)found->distances)[at] == sqrt(s));
            at++;
        }
        assert_int_equal(at, found->offsets[i + 1]);
    }
    eb_neighbours_free(found);
    close_problem(&a);
    free(x);
}

static void sums_and_verdicts_are_the_authors(void **state)
{
    const authors_way *way = *state;
    static const double eps[] = {0.3, 1.1, 0.1 * 1.7320508075688772, 2.3};
    for (size_t k = 0; k < 4; k++) {
        eb_dataset ds;
        unsigned char *rows = make_points(k == 3 ? spread_out : lattice, k % 2 ? EB_F32 : EB_F64, 0, small ? 150 : 800,
                                          k == 0 ? 3 : LATTICE_D, &ds);
        check_published(way, &ds, eps[k]);
        free(rows);
    }
}

/* ---- refusals ---- */

static void fp32_sums_cannot_serve_the_truth(void **state)
{
    (void)state;
    eb_status status = {.message = ""};
    eb_spec spec;
    eb_setup setup;
    assert_int_equal(eb_spec_parse("gds[type=f32,decide=truth]", NULL, &spec, &status), EB_OK);
    assert_int_equal(eb_setup_make(&spec, "cuda:0", find_test_device, NULL, &setup, &status), EB_USAGE);
    assert_non_null(strstr(status.message, "type=f64"));
}

static void little_memory(void **state)
{
    const decided *engine = *state;
    eb_status status = {.message = ""};
    asked a;
    eb_dataset ds;
    unsigned char *rows = make_points(spread_out, EB_F32, 0, 2000, 3, &ds);
    const eb_problem problem = eb_self_join(&ds);
    assert_int_equal(try_way(&a, &engine->engine, "", &problem, 1000, &status), EB_NO_MEMORY);
    free(rows);
}

static void add_all(test_list *list)
{
    by_truth(&gds, &eb_engine_gds);
    by_truth(&ted, &eb_engine_ted);
    by_truth(&ted_index, &eb_engine_ted_index);
    by_truth(&mistic, &eb_engine_mistic);
    for (size_t k = 0; k < sizeof truthful / sizeof truthful[0]; k++) {
        add_test(list, "hostile_points", truthful[k], hostile_points_of_all_types, truthful[k]);
        add_test(list, "small_cases", truthful[k], small_cases_at_random, truthful[k]);
    }
    add_test(list, "rows_parts_passes_queries", "gds", rows_parts_passes_queries, &gds);
    add_test(list, "rows_parts_passes_queries", "ted[paper]", rows_parts_passes_queries, &ted);
    add_test(list, "rows_parts_passes_queries", "ted-index", rows_parts_passes_queries, &ted_index);
    add_test(list, "rows_parts_passes_queries", "mistic", rows_parts_passes_queries, &mistic);
    add_test(list, "little_memory", "gds", little_memory, &gds);
    add_test(list, "little_memory", "mistic", little_memory, &mistic);
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
        add_test(list, "own_sums", own[k].spec, own_sums_are_near_the_truth, &own[k]);
    for (size_t k = 0; k < sizeof authors / sizeof authors[0]; k++)
        add_test(list, "as_published", authors[k].spec, sums_and_verdicts_are_the_authors, &authors[k]);
    ADD_TEST(list, fp32_sums_cannot_serve_the_truth);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "the papers' systems on the GPU", add_all); }
