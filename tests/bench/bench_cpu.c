/* bench_cpu: the CPU engines, measured. usage: bench_cpu [lists | limits] [THREADS]
 *
 * The products per second and core of fasted's emulation. Then what a schedule that lists every tile of the triangle
 * costs beside the triangle, in rounds of one and the other, so that a machine that slows down slows both. Prints
 * Markdown. lists: the last table alone. limits: this CPU's limits alone (limits.h), for tests/bench/beside.py, which
 * measures engines beside other programs.
 *
 * A trial of fasted is end to end: open (conversion, norms), count, close; of lists the question alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/problem.h"
#include "core/experiment/statistics.h"
#include "engines.h"
#include "io/load.h"
#include "tests/bench/bench_host.h"
#include "tests/bench/limits.h"

#define TRIALS 3u

static void must_agree(const char *what, const char *one, uint64_t pairs, const char *other, uint64_t other_pairs)
{
    eb_status status;
    if (pairs == other_pairs)
        return;
    (void)eb_fail(&status, EB_INTERNAL, "%s finds %llu pairs, %s %llu", one, (unsigned long long)pairs, other,
                  (unsigned long long)other_pairs);
    die(what, &status);
}

/* ---- a join into memory: every hit kept, unsorted ---- */

typedef struct hit_store {
    eb_hit *hits;
    size_t count, capacity;
} hit_store;

static eb_code keep_hits(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status)
{
    hit_store *store = (hit_store *)context + thread;
    if (store->count + count > store->capacity) {
        size_t capacity = 2 * (store->count + count);
        eb_hit *larger = realloc(store->hits, capacity * sizeof *larger);
        if (!larger)
            return eb_fail_memory(status, "hits", capacity * sizeof *larger);
        store->hits = larger;
        store->capacity = capacity;
    }
    memcpy(store->hits + store->count, hits, count * sizeof *hits);
    store->count += count;
    return EB_OK;
}

/* Answers the question once and returns the number of entries. */
static uint64_t answer(const eb_opened *opened, const eb_question *question, bool into_memory)
{
    eb_status status = {.code = EB_OK};
    const eb_implementation *run = opened->run;
    const eb_share whole = eb_share_whole(&opened->problem);
    uint64_t entries = opened->problem.left->n;
    if (!into_memory) {
        if (run->count(opened->state, question, &whole, &entries, &status) != EB_OK)
            die("count", &status);
        return entries;
    }
    hit_store *stores = calloc(opened->context.threads, sizeof *stores);
    if (!stores)
        die("join", NULL);
    eb_sink sink = {.context = stores, .hits = keep_hits};
    if (run->join(opened->state, question, &whole, &sink, &status) != EB_OK)
        die("join", &status);
    for (unsigned t = 0; t < opened->context.threads; t++) {
        entries += 2 * stores[t].count;
        free(stores[t].hits);
    }
    free(stores);
    return entries;
}

static void open_or_die(const eb_setup *setup, const eb_problem *problem, eb_opened *opened)
{
    eb_status status = {.code = EB_OK};
    if (eb_problem_open(setup, problem, NULL, opened, &status) != EB_OK)
        die(setup->spec, &status);
}

static double count_s(const eb_setup *setup, const eb_dataset *ds, double eps)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = eps};
    eb_opened opened;
    const double start = eb_now_s();
    open_or_die(setup, &problem, &opened);
    (void)answer(&opened, &question, false);
    const double seconds = eb_now_s() - start;
    eb_problem_close(&opened);
    return seconds;
}

/* ---- data ---- */

static eb_dataset *load(const char *what)
{
    eb_status status = {.code = EB_OK};
    eb_dataset *ds = NULL;
    if (eb_load(what, NULL, &ds, &status) != EB_OK)
        die(what, &status);
    return ds;
}

/* n × 128 FP32 points around 200 centres, clustered like image descriptors. */
static eb_dataset *clusters(size_t n)
{
    eb_dataset *ds = NULL, *centres = NULL;
    eb_status status = {.code = EB_OK};
    if (eb_synth(EB_SYNTH_GAUSSIAN, n, 128, 1, NULL, &ds, &status) != EB_OK ||
        eb_synth(EB_SYNTH_GAUSSIAN, 200, 128, 2, NULL, &centres, &status) != EB_OK)
        die("synth", &status);
    float *values = malloc(ds->n * ds->d * sizeof *values);
    if (!values)
        die("synth", NULL);
    for (size_t i = 0; i < ds->n; i++)
        for (size_t k = 0; k < ds->d; k++) {
            float noise, centre;
            memcpy(&noise, eb_row(ds, i) + k * sizeof noise, sizeof noise);
            memcpy(&centre, eb_row(centres, i % centres->n) + k * sizeof centre, sizeof centre);
            values[i * ds->d + k] = 0.3f * noise + centre;
        }
    eb_dataset_free(centres);
    eb_dataset_free(ds);
    ds = calloc(1, sizeof *ds);
    if (!ds)
        die("synth", NULL);
    *ds = (eb_dataset){.n = n,
                       .d = 128,
                       .dtype = EB_F32,
                       .rows = (unsigned char *)values,
                       .stride = 512,
                       .source = strdup("clusters"),
                       .format = "synth",
                       .release = free,
                       .owner = values};
    return ds;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* An ε with S ≈ 64, from the distances of 200 queries. */
static double sampled_eps(const eb_setup *setup, const eb_dataset *ds)
{
    enum { QUERIES = 200 };
    uint32_t rows[QUERIES];
    for (uint32_t q = 0; q < QUERIES; q++)
        rows[q] = (uint32_t)(q * (ds->n / QUERIES));
    double *s = malloc(QUERIES * ds->n * sizeof *s);
    const eb_problem problem = eb_self_join(ds);
    eb_status status = {.code = EB_OK};
    eb_opened opened;
    if (!s)
        die("sample", NULL);
    open_or_die(setup, &problem, &opened);
    if (setup->run->distances(opened.state, rows, QUERIES, s, &status) != EB_OK)
        die("sample", &status);
    eb_problem_close(&opened);
    qsort(s, QUERIES * ds->n, sizeof *s, ascending);
    double eps = eb_smallest_eps(s[(size_t)QUERIES * 65 - 1]); /* 64 others and the point itself */
    free(s);
    return eps;
}

/* ---- the tables ---- */

static void measure_fasted(unsigned threads)
{
    static const char *const chips[] = {"sm_80", "sm_90"};
    eb_dataset *ds = load("demo");
    printf("\n| fasted, emulated chip | seconds | products / s / core |\n|---|---:|---:|\n");
    for (size_t c = 0; c < sizeof chips / sizeof chips[0]; c++) {
        char spec[64];
        (void)snprintf(spec, sizeof spec, "fasted[tensor=%s]", chips[c]);
        const eb_setup setup = setup_of(spec, threads);
        double seconds[TRIALS];
        for (unsigned k = 0; k < TRIALS; k++)
            seconds[k] = count_s(&setup, ds, eb_smallest_eps(2119530));
        double median = eb_summarise(seconds, TRIALS).median, n = (double)ds->n;
        printf("| %s | %.3f | %.2f·10⁹ |\n", chips[c], median,
               n * (n - 1) / 2 * (double)ds->d / median / threads * 1e-9);
    }
    eb_dataset_free(ds);
}

/* ---- the triangle as a list of tiles ---- */

enum { LIST_ROUNDS = 11, LIST_POINTS = 8000, LEAF = 100, LEAVES = LIST_POINTS / LEAF };

/* All pairs of leaves of 100 points, with the points in stored order. */
static void list_all(eb_order *order, eb_schedule *list)
{
    static uint32_t point[LIST_POINTS], first[LEAVES + 1];
    static eb_leaf_pair pair[LEAVES * (LEAVES + 1) / 2];
    size_t pairs = 0;
    for (uint32_t k = 0; k < LIST_POINTS; k++)
        point[k] = k;
    for (uint32_t k = 0; k <= LEAVES; k++)
        first[k] = k * LEAF;
    for (uint32_t a = 0; a < LEAVES; a++)
        for (uint32_t b = a; b < LEAVES; b++)
            pair[pairs++] = (eb_leaf_pair){a, b};
    *order = (eb_order){.n = LIST_POINTS, .point = point, .leaves = LEAVES, .first = first};
    *list = (eb_schedule){.kind = EB_SCHEDULE_LIST, .pairs = pairs, .pair = pair};
}

/* The ratio is the median of the ratios of rounds: a slow phase of the machine slows both measurements of a round. */
static void measure_list(const eb_setup *setup, const eb_dataset *ds, double eps, bool into_memory)
{
    eb_order order;
    eb_question triangle = {.eps = eps, .schedule = {.kind = EB_SCHEDULE_TRIANGLE}}, listed = {.eps = eps};
    list_all(&order, &listed.schedule);
    const eb_problem problem = eb_self_join(ds), in_order = {.left = ds, .right = ds, .order = &order};
    double triangle_s[LIST_ROUNDS], list_s[LIST_ROUNDS], ratio[LIST_ROUNDS];
    eb_opened stored, ordered;
    open_or_die(setup, &problem, &stored);
    open_or_die(setup, &in_order, &ordered);
    (void)answer(&stored, &triangle, into_memory); /* warm-up */
    for (unsigned k = 0; k < LIST_ROUNDS; k++) {
        double start = eb_now_s();
        uint64_t pairs = answer(&stored, &triangle, into_memory);
        double middle = eb_now_s();
        must_agree(setup->spec, "the triangle", pairs, "the list", answer(&ordered, &listed, into_memory));
        list_s[k] = eb_now_s() - middle;
        triangle_s[k] = middle - start;
        ratio[k] = list_s[k] / triangle_s[k];
    }
    printf("| %s %s | %.4f | %.4f | %.3f |\n", setup->spec, into_memory ? "join" : "count",
           eb_summarise(triangle_s, LIST_ROUNDS).median, eb_summarise(list_s, LIST_ROUNDS).median,
           eb_summarise(ratio, LIST_ROUNDS).median);
    fflush(stdout);
    eb_problem_close(&stored);
    eb_problem_close(&ordered);
}

static void measure_lists(unsigned threads)
{
    static const char *const specs[] = {"ref64", "ref64[-filter]", "fasted"};
    const eb_setup ref64 = setup_of("ref64", threads);
    eb_dataset *ds = clusters(LIST_POINTS);
    double eps = sampled_eps(&ref64, ds);
    printf("\n| triangle as a list of tiles ÷ triangle | triangle s | list s | ratio |\n|---|---:|---:|---:|\n");
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        const eb_setup setup = setup_of(specs[k], threads);
        measure_list(&setup, ds, eps, false);
        measure_list(&setup, ds, eps, true);
    }
    eb_dataset_free(ds);
}

int main(int argc, char **argv)
{
    eb_register_engines();
    const char *part = argc > 1 && argv[1][0] == 'l' ? argv[1] : "", *count = argv[1 + (part[0] != '\0')];
    const bool lists = strcmp(part, "lists") == 0, limits = strcmp(part, "limits") == 0;
    unsigned threads = count ? (unsigned)strtoul(count, NULL, 10) : eb_cpu_count();
    if (threads == 0 || (part[0] != '\0' && !lists && !limits)) {
        fprintf(stderr, "usage: bench_cpu [lists | limits] [THREADS]\n");
        return 2;
    }
    if (limits) {
        measure_limits(threads);
        return 0;
    }
    if (!lists)
        measure_fasted(threads);
    measure_lists(threads);
    return 0;
}
