/* bench_index: exact's boxes on the CPU beside the indexes that others have. usage: bench_index [THREADS]
 *
 * The same points, ε and number of threads, rounds of one and the others in turn, so that a machine that slows down
 * slows all. A trial of ours is end to end: opening (order, boxes), the join into a sorted neighbour table with FP64
 * distances, closing; or counting alone. Others: tests/bench/index_peers.py, by the Python that EPSBENCH_PEERS names
 * (tests/bench/run finds it); a |R| that is not ours ends the program. EPSBENCH_DATA: a folder with more datasets.
 * Prints Markdown.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/experiment/statistics.h"
#include "core/join/join.h"
#include "engines.h"
#include "io/load.h"
#include "tests/bench/bench_host.h"

enum { ROUNDS = 3, TRIALS = 3, PEERS = 3, ALL_TRIALS = ROUNDS * TRIALS, MADE_POINTS = 100000, MADE_DIMENSIONS = 10 };

typedef struct subject {
    const char *what; /* as typed to `load`; NULL: a file, or generated here */
    const char *file; /* inside EPSBENCH_DATA; NULL: generated here */
    double eps;
} subject;

static const subject subjects[] = {
    {"demo:stars", NULL, 0.0476},
    {NULL, "tycho1m_3.fbin.gz", 0.015},
    {NULL, "lonlat_100000x2.csv", 1},
    {NULL, NULL, 0}, /* clusters, S = 64 */
};

typedef struct peer {
    char name[32], why_not[160];
    uint64_t pairs;
    double seconds[ALL_TRIALS];
    size_t count;
} peer;

typedef struct timings {
    double order_s[ALL_TRIALS], count_s[ALL_TRIALS], join_s[ALL_TRIALS];
    size_t trials;
    uint64_t pairs;
    peer peers[PEERS];
} timings;

static eb_code drop(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)context, (void)status;
    eb_neighbours_free(batch);
    return EB_OK;
}

static void open_or_die(const eb_setup *setup, const eb_problem *problem, eb_opened *opened)
{
    eb_status status;
    if (eb_problem_open(setup, problem, NULL, opened, &status) != EB_OK)
        die(setup->spec, &status);
}

static void one_trial(const eb_setup *setup, const eb_dataset *ds, double eps, timings *t)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = eps};
    const eb_join_plan plan = {.question = question, .distances = EB_DISTANCES_F64};
    const eb_share whole = eb_share_whole(&problem);
    uint64_t counted = 0;
    eb_join_result joined;
    eb_status status;
    eb_opened opened;
    double start = eb_now_s();
    open_or_die(setup, &problem, &opened);
    if (eb_ask_count(&opened, &question, &whole, &counted, &status) != EB_OK)
        die("count", &status);
    t->count_s[t->trials] = eb_now_s() - start;
    eb_problem_close(&opened);
    t->order_s[t->trials] = eb_figures_value(&opened.figures, "order_s");
    start = eb_now_s();
    open_or_die(setup, &problem, &opened);
    if (eb_join_run(&opened, &plan, drop, NULL, &joined, &status) != EB_OK)
        die("join", &status);
    eb_problem_close(&opened);
    t->join_s[t->trials++] = eb_now_s() - start;
    if (counted != joined.pairs)
        die("count and join differ", NULL);
    t->pairs = counted;
}

/* ---- other programs ---- */

static bool write_points(const eb_dataset *ds, const char *path)
{
    FILE *file = fopen(path, "wb");
    double *row = malloc(ds->d * sizeof *row);
    const uint64_t head[] = {ds->n, ds->d};
    bool good = file && row && fwrite(head, sizeof head, 1, file) == 1;
    for (size_t i = 0; i < ds->n && good; i++) {
        eb_to_f64(ds->dtype, eb_row(ds, i), ds->d, row);
        good = fwrite(row, ds->d * sizeof *row, 1, file) == 1;
    }
    free(row);
    return file && fclose(file) == 0 && good;
}

/* "scipy 6575980 0.27 0.28", or "scipy n/a not installed". */
static void take_line(const char *line, peer *p)
{
    int at = 0;
    unsigned long long pairs;
    if (sscanf(line, "%31s %n", p->name, &at) < 1)
        return;
    line += at;
    if (sscanf(line, "%llu%n", &pairs, &at) < 1) {
        (void)snprintf(p->why_not, sizeof p->why_not, "%.*s", (int)strcspn(line + 4, "\n"), line + 4);
        return;
    }
    p->pairs = pairs;
    for (line += at; p->count < ALL_TRIALS && sscanf(line, "%lf%n", &p->seconds[p->count], &at) == 1; line += at)
        p->count++;
}

static void ask_peers(const char *path, double eps, unsigned threads, timings *t)
{
    const char *python = getenv("EPSBENCH_PEERS");
    char command[4096], line[512];
    (void)snprintf(command, sizeof command, "'%s' tests/bench/index_peers.py '%s' %.17g %u %u",
                   python && python[0] ? python : "python3", path, eps, threads, 1u);
    FILE *answer = popen(command, "r");
    for (size_t k = 0; answer && k < PEERS && fgets(line, sizeof line, answer); k++)
        take_line(line, &t->peers[k]);
    if (!answer || pclose(answer) != 0)
        die(command, NULL);
}

/* ---- the table ---- */

static double median(const double *seconds, size_t count) { return eb_summarise(seconds, count).median; }

static void print_row(const eb_dataset *ds, const char *name, double eps, const timings *t)
{
    const double join = median(t->join_s, t->trials);
    printf("| %s | %zu × %zu %s | %.6g | %llu | %.4f | %.4f | %.4f |", name, ds->n, ds->d, eb_dtype_name(ds->dtype),
           eps, (unsigned long long)t->pairs, median(t->order_s, t->trials), median(t->count_s, t->trials), join);
    for (size_t k = 0; k < PEERS; k++) {
        const peer *p = &t->peers[k];
        if (p->count)
            printf(" %.4f (%.2f×, %+lld) |", median(p->seconds, p->count), median(p->seconds, p->count) / join,
                   (long long)(p->pairs - t->pairs));
        else
            printf(" n/a: %s |", p->why_not);
    }
    printf("\n");
    (void)fflush(stdout);
}

/* An ε with S ≈ 64 for generated points. */
static double sampled_eps(const eb_setup *setup, const eb_dataset *ds)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_share whole = eb_share_whole(&problem);
    eb_opened opened;
    double low = 0, high = 1e6;
    open_or_die(setup, &problem, &opened);
    for (unsigned k = 0; k < 40; k++) {
        const uint32_t rows = 100;
        const eb_share some = eb_share_rows(0, rows < ds->n ? rows : whole.row_end);
        const eb_question question = {.eps = (low + high) / 2};
        uint64_t entries;
        eb_status status;
        if (eb_ask_count(&opened, &question, &some, &entries, &status) != EB_OK)
            die("sample", &status);
        if (entries < 65ull * some.row_end)
            low = question.eps;
        else
            high = question.eps;
    }
    eb_problem_close(&opened);
    return high;
}

static void measure(const subject *s, const eb_setup *setup, const char *folder)
{
    const char *data = getenv("EPSBENCH_DATA");
    char where[1024], path[1024];
    eb_status status;
    eb_dataset *ds = NULL;
    (void)snprintf(where, sizeof where, "%s/%s", data ? data : "", s->file ? s->file : "");
    if (s->file && (!data || access(where, R_OK) != 0))
        return;
    const char *what = s->what ? s->what : s->file ? where : NULL, *name = s->file ? s->file : what;
    if ((what ? eb_load(what, NULL, &ds, &status)
              : eb_synth(EB_SYNTH_CLUSTERS, MADE_POINTS, MADE_DIMENSIONS, 1, NULL, &ds, &status)) != EB_OK)
        die(what ? what : "clusters", &status);
    (void)snprintf(path, sizeof path, "%s/points.f64", folder);
    if (!write_points(ds, path))
        die(path, NULL);
    const double eps = s->eps > 0 ? s->eps : sampled_eps(setup, ds);
    timings t = {.trials = 0};
    one_trial(setup, ds, eps, &t);
    t.trials = 0; /* discards the warm-up */
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned k = 0; k < TRIALS; k++)
            one_trial(setup, ds, eps, &t);
        ask_peers(path, eps, setup->resources.threads, &t);
    }
    print_row(ds, name ? name : "clusters", eps, &t);
    (void)unlink(path);
    eb_dataset_free(ds);
}

int main(int argc, char **argv)
{
    eb_register_engines();
    const unsigned threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : eb_cpu_count();
    char folder[] = "/tmp/epsbench-bench-XXXXXX";
    if (threads == 0 || !mkdtemp(folder)) {
        (void)fprintf(stderr, "usage: bench_index [THREADS], with room in /tmp\n");
        return 2;
    }
    const eb_setup setup = setup_of("exact[way=boxes]", threads);
    printf("\n%s, %u threads; medians of %u trials, of others %u, seconds end to end (× ours, |R| − ours).\n\n",
           setup.device.model, threads, (unsigned)ALL_TRIALS, (unsigned)ROUNDS);
    printf("| dataset | points | ε | \\|R\\| | order, boxes | + count | + table | scipy cKDTree + query_pairs | "
           "scikit-learn radius_neighbors_graph | pykdtree |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t k = 0; k < sizeof subjects / sizeof subjects[0]; k++)
        measure(&subjects[k], &setup, folder);
    (void)rmdir(folder);
    return 0;
}
