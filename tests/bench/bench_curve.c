/* bench_curve: does the 95 % band of the sampled S(ε) hold S in 95 % of samples? usage: bench_curve [SEEDS] [QUERIES]
 * [thin]; thin: among a fifth of the points, drawn anew for each sample, as very many points are sampled
 * (core/tune/tune_thin.h).
 *
 * For each kind of data SEEDS samples (20 unless said) of QUERIES queries (0: as many as `curve` takes by itself). At
 * each ε where the exact curve has an edge and S ≥ 1, it is counted in how many samples the band holds the exact S,
 * which comes from a census: every point a query. Prints Markdown: covered, in the mean over ε; the same where S < 16;
 * the least of any ε; the band's width and the error of S, relative to S, in the mean over ε.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/engine/problem.h"
#include "core/sample/rows.h"
#include "core/tune/tune.h"
#include "core/tune/tune_thin.h"
#include "engines.h"
#include "io/load.h"
#include "tests/bench/bench_host.h"
#include "tests/unit/uneven_points.h"

/* Means over ε, or sums before the division. */
typedef struct score {
    double covered, width, error;
    size_t edges;
} score;

typedef struct result {
    score all, few; /* few: only ε with S < 16 */
    double least;   /* covered at the worst ε */
    double seconds; /* mean time of a sample */
    size_t queries;
} result;

static bool thin;

static void sample_thinned(const eb_opened *opened, size_t queries, uint64_t seed, eb_curve *out)
{
    const eb_dataset *all = opened->problem.left;
    eb_status status = {.code = EB_OK};
    eb_sampled_rows few;
    eb_opened among;
    if (eb_rows_scatter(all, all->n / 5, seed, &few, &status) != EB_OK)
        die("drawing points", &status);
    const eb_problem problem = eb_self_join(&few.points);
    if (eb_problem_open(opened->setup, &problem, NULL, &among, &status) != EB_OK ||
        eb_curve_sample(&among, queries, seed, out, &status) != EB_OK)
        die("sampling", &status);
    eb_thin_curve(out, all->n);
    eb_problem_close(&among);
    eb_rows_free(&few);
}

static void sample(eb_opened *opened, size_t queries, uint64_t seed, eb_curve *out)
{
    eb_status status = {.code = EB_OK};
    if (thin && queries < opened->problem.left->n)
        sample_thinned(opened, queries, seed, out);
    else if (eb_curve_sample(opened, queries, seed, out, &status) != EB_OK)
        die("sampling", &status);
}

static void add_edge(score *s, double covered, double width, double error)
{
    s->covered += covered;
    s->width += width;
    s->error += error;
    s->edges++;
}

static score mean_of(score s)
{
    double edges = (double)s.edges;
    return (score){.covered = s.covered / edges, .width = s.width / edges, .error = s.error / edges, .edges = s.edges};
}

static void add_sample(const eb_curve *curve, const eb_curve *exact, double *covered, double *width, double *squares)
{
    for (size_t k = 0; k < exact->points; k++) {
        double low, high, truth = exact->s[k], s = eb_curve_selectivity(curve, exact->eps[k], &low, &high);
        covered[k] += low <= truth * (1 + 1e-12) && high >= truth * (1 - 1e-12);
        width[k] += (high - low) / truth;
        squares[k] += (s - truth) * (s - truth) / (truth * truth);
    }
}

static result measure(eb_opened *opened, size_t queries, unsigned seeds)
{
    result out = {.least = 1};
    eb_curve exact;
    sample(opened, opened->problem.left->n, 0, &exact);
    double *covered = calloc(3 * exact.points, sizeof *covered), *width = covered + exact.points;
    double *squares = width + exact.points;
    if (!covered)
        die("measuring", NULL);
    double start = eb_now_s();
    for (unsigned seed = 1; seed <= seeds; seed++) {
        eb_curve curve;
        sample(opened, queries, 7919 * seed, &curve);
        out.queries = curve.queries;
        add_sample(&curve, &exact, covered, width, squares);
        eb_curve_free(&curve);
    }
    out.seconds = (eb_now_s() - start) / seeds;
    for (size_t k = 0; k < exact.points; k++) {
        double rate = covered[k] / seeds;
        if (exact.s[k] < 1)
            continue;
        out.least = fmin(out.least, rate);
        add_edge(&out.all, rate, width[k] / seeds, sqrt(squares[k] / seeds));
        if (exact.s[k] < 16)
            add_edge(&out.few, rate, width[k] / seeds, sqrt(squares[k] / seeds));
    }
    out.all = mean_of(out.all);
    out.few = mean_of(out.few);
    free(covered);
    eb_curve_free(&exact);
    return out;
}

static void print_share(double x) { isnan(x) ? printf(" n/a |") : printf(" %.3f |", x); }

static void print_row(const char *name, const eb_dataset *ds, const result *r)
{
    printf("| %s | %zu × %zu | %zu |", name, ds->n, ds->d, r->queries);
    print_share(r->all.covered);
    print_share(r->few.covered);
    print_share(r->least);
    print_share(r->all.width);
    print_share(r->few.width);
    print_share(r->all.error);
    printf(" %.1f |\n", 1e3 * r->seconds);
    (void)fflush(stdout);
}

/* Frees the dataset. */
static result bench(const char *name, eb_dataset *ds, size_t queries, unsigned seeds)
{
    static eb_setup setup;
    eb_status status = {.code = EB_OK};
    eb_problem problem = eb_self_join(ds);
    eb_opened opened;
    setup = setup_of("ref64", 0);
    if (eb_problem_open(&setup, &problem, NULL, &opened, &status) != EB_OK)
        die(name, &status);
    result r = measure(&opened, queries, seeds);
    print_row(name, ds, &r);
    eb_problem_close(&opened);
    eb_dataset_free(ds);
    return r;
}

/* loaded_too: with demo and demo:stars, which have their own n. */
static void bench_all(size_t n, bool loaded_too, size_t queries, unsigned seeds)
{
    double covered = 0, worst = 1, width = 0, error = 0;
    size_t kinds = 0;
    printf("\n| data | points | queries | covered | S < 16 | least | width | S < 16 | error | ms |\n"
           "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t k = 0; k < UNEVEN_KINDS + (loaded_too ? 2 : 0); k++) {
        static const char *const loaded[] = {"demo", "demo:stars"};
        eb_status status = {.code = EB_OK};
        eb_dataset *ds;
        if (k < UNEVEN_KINDS)
            ds = uneven_points(&uneven_kinds[k], n, k + 1);
        else if (eb_load(loaded[k - UNEVEN_KINDS], NULL, &ds, &status) != EB_OK)
            die(loaded[k - UNEVEN_KINDS], &status);
        result r = bench(k < UNEVEN_KINDS ? uneven_kinds[k].name : loaded[k - UNEVEN_KINDS], ds, queries, seeds);
        covered += r.all.covered;
        width += r.all.width;
        error += r.all.error;
        worst = fmin(worst, r.all.covered);
        kinds++;
    }
    printf("| **mean of all** | | | **%.3f** | | | %.3f | | %.3f | |\n\nLeast covered of a kind: %.3f.\n",
           covered / (double)kinds, width / (double)kinds, error / (double)kinds, worst);
}

int main(int argc, char **argv)
{
    unsigned seeds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20;
    size_t queries = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    thin = argc > 3 && strcmp(argv[3], "thin") == 0;
    if (seeds == 0 || (argc > 3 && !thin)) {
        fprintf(stderr, "usage: bench_curve [SEEDS] [QUERIES] [thin]\n");
        return 2;
    }
    eb_register_engines();
    bench_all(4000, true, queries, seeds);
    bench_all(20000, false, queries, seeds);
    return 0;
}
