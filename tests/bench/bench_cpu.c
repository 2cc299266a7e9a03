/* bench_cpu: the CPU engines, measured. usage: bench_cpu [lists] [THREADS]     lists: the last table alone
 *
 * ref64 at S = 64, counting and joining into memory, beside FAISS (tests/bench/faiss_range.py) where it is installed:
 * same points, same number of threads, rounds of one and the other in turn, so that a machine that slows down slows
 * both. Then the products per second and core of fasted's emulation. Last what a schedule that lists every tile of the
 * triangle costs beside the triangle, in rounds of one and the other too. Prints Markdown.
 *
 * A trial is end to end: open (conversion, norms), count or join, close; of lists the question alone. Environment:
 * EPSBENCH_DATA, a folder with more datasets; EPSBENCH_FAISS, the Python that has FAISS (tests/bench/run finds it),
 * without which there is no comparison.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/problem.h"
#include "core/experiment/statistics.h"
#include "engines.h"
#include "io/load.h"
#include "tests/bench/bench_host.h"

#define ROUNDS 3u
#define TRIALS 3u /* of each kind in a round */
#define ALL_TRIALS (ROUNDS * TRIALS)

typedef struct subject {
    const char *what; /* as typed to `load`; NULL: generated here */
    const char *file; /* inside EPSBENCH_DATA; NULL: always available */
    double squared;   /* ε² if it is an integer, else 0 */
    double eps;       /* 0: estimated from a sample */
} subject;

static const subject subjects[] = {
    {"demo", NULL, 2119530, 0},
    {NULL, NULL, 0, 0},
    {"demo:stars", NULL, 0, 0.0476},
    {NULL, "bigann10k.u8bin", 114528, 0},
    {NULL, "cifar25k_gist512.fvecs", 0, 0.573214971092},
    {NULL, "lonlat_100000x2.csv", 0, 0.395152},
};

typedef struct timings {
    double count_s[ALL_TRIALS], join_s[ALL_TRIALS], faiss_s[ALL_TRIALS];
    size_t counts, joins, faiss;
    uint64_t pairs, joined, faiss_pairs;
    char how[128];
} timings;

static void must_agree(const char *what, const char *one, uint64_t pairs, const char *other, uint64_t other_pairs)
{
    eb_status status;
    if (pairs == other_pairs)
        return;
    (void)eb_fail(&status, EB_INTERNAL, "%s finds %llu pairs, %s %llu", one, (unsigned long long)pairs, other,
                  (unsigned long long)other_pairs);
    die(what, &status);
}

/* ---- a join into memory, as FAISS leaves its result: every hit kept, unsorted ---- */

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

/* how: the engine's description of its method; may be NULL. */
static double trial(const eb_setup *setup, const eb_dataset *ds, double eps, bool into_memory, uint64_t *pairs,
                    char *how, size_t how_size)
{
    const eb_problem problem = eb_self_join(ds);
    const eb_question question = {.eps = eps};
    eb_opened opened;
    double start = eb_now_s();
    open_or_die(setup, &problem, &opened);
    *pairs = answer(&opened, &question, into_memory);
    double seconds = eb_now_s() - start;
    if (how)
        (void)snprintf(how, how_size, "%s", setup->run->describe(opened.state));
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

/* Writes the points in a format that FAISS's script reads: u8 unchanged, others as FP32. */
static bool write_points(const eb_dataset *ds, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    uint32_t head[2] = {(uint32_t)ds->n, (uint32_t)ds->d};
    bool good = fwrite(head, sizeof head, 1, file) == 1;
    double *wide = malloc(ds->d * sizeof *wide);
    float *narrow = malloc(ds->d * sizeof *narrow);
    for (size_t i = 0; i < ds->n && good && wide && narrow; i++) {
        if (ds->dtype == EB_U8) {
            good = fwrite(eb_row(ds, i), ds->d, 1, file) == 1;
            continue;
        }
        eb_to_f64(ds->dtype, eb_row(ds, i), ds->d, wide);
        for (size_t k = 0; k < ds->d; k++)
            narrow[k] = (float)wide[k];
        good = fwrite(narrow, ds->d * sizeof *narrow, 1, file) == 1;
    }
    good = good && wide && narrow;
    free(wide);
    free(narrow);
    return fclose(file) == 0 && good;
}

/* Adds a round of FAISS trials and returns true if another round may follow. False: FAISS failed or is not installed,
 * or `once`: with many points of few dimensions a trial takes half a minute, so one trial without warm-up must do. */
static bool faiss_round(const char *path, double eps, unsigned threads, bool once, timings *t)
{
    const char *python = getenv("EPSBENCH_FAISS");
    if (!python || python[0] == '\0')
        return false;
    char command[4096];
    (void)snprintf(command, sizeof command,
                   "OMP_NUM_THREADS=%u OPENBLAS_NUM_THREADS=%u '%s' tests/bench/faiss_range.py '%s' %.17g %u %u %u",
                   threads, threads, python, path, eps, threads, once ? 0 : 1, once ? 1 : TRIALS);
    FILE *answer = popen(command, "r");
    if (!answer)
        return false;
    unsigned long long pairs;
    bool good = fscanf(answer, "%llu", &pairs) == 1;
    double seconds;
    while (good && t->faiss < ALL_TRIALS && fscanf(answer, "%lf", &seconds) == 1)
        t->faiss_s[t->faiss++] = seconds;
    if (pclose(answer) != 0 || !good)
        return false;
    t->faiss_pairs = pairs;
    return !once;
}

/* ---- the tables ---- */

static void print_row(const eb_dataset *ds, const char *name, double eps, const timings *t)
{
    double count = eb_summarise(t->count_s, t->counts).median, join = eb_summarise(t->join_s, t->joins).median;
    printf("| %s | %zu × %zu %s | %.9g | %llu | %.4f | %.4f | ", name, ds->n, ds->d, eb_dtype_name(ds->dtype), eps,
           (unsigned long long)t->pairs, count, join);
    if (t->faiss) {
        double faiss = eb_summarise(t->faiss_s, t->faiss).median;
        printf("%.4f | %+lld | %.2f | %.2f |", faiss, (long long)(t->faiss_pairs - t->pairs), faiss / count,
               faiss / join);
    } else {
        printf("n/a | n/a | n/a | n/a |");
    }
    printf(" %s |\n", t->how);
    fflush(stdout);
}

static void measure_subject(const subject *s, const eb_setup *ref64, const char *folder)
{
    char where[1024], path[1024];
    const char *data = getenv("EPSBENCH_DATA"), *what = s->what;
    if (s->file) {
        (void)snprintf(where, sizeof where, "%s/%s", data ? data : "", s->file);
        if (!data || access(where, R_OK) != 0)
            return;
        what = where;
    }
    eb_dataset *ds = what ? load(what) : clusters(20000);
    const char *name = s->file ? s->file : s->what ? s->what : "clusters";
    double eps = s->squared > 0 ? eb_smallest_eps(s->squared) : s->eps > 0 ? s->eps : sampled_eps(ref64, ds);
    (void)snprintf(path, sizeof path, "%s/points.%s", folder, ds->dtype == EB_U8 ? "u8bin" : "fbin");
    bool faiss = write_points(ds, path);
    timings t = {.counts = 0};
    (void)trial(ref64, ds, eps, false, &t.pairs, t.how, sizeof t.how); /* warm-up */
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned k = 0; k < TRIALS; k++)
            t.count_s[t.counts++] = trial(ref64, ds, eps, false, &t.pairs, NULL, 0);
        for (unsigned k = 0; k < TRIALS; k++)
            t.join_s[t.joins++] = trial(ref64, ds, eps, true, &t.joined, NULL, 0);
        faiss = faiss && faiss_round(path, eps, ref64->resources.threads, ds->n > 50000, &t);
    }
    must_agree(name, "count", t.pairs, "join", t.joined);
    print_row(ds, name, eps, &t);
    (void)unlink(path);
    eb_dataset_free(ds);
}

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
        uint64_t pairs;
        for (unsigned k = 0; k < TRIALS; k++)
            seconds[k] = trial(&setup, ds, eb_smallest_eps(2119530), false, &pairs, NULL, 0);
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

static void measure_subjects(unsigned threads)
{
    const eb_setup ref64 = setup_of("ref64", threads);
    char folder[] = "/tmp/epsbench-bench-XXXXXX";
    if (!mkdtemp(folder)) {
        fprintf(stderr, "bench_cpu: cannot make a folder in /tmp\n");
        exit(1);
    }
    printf("%s, %u threads; medians of %u trials (one of FAISS from 50000 points on), seconds end to end.\n\n",
           ref64.device.model, threads, ALL_TRIALS);
    printf(
        "| dataset | points | ε | \\|R\\| | ref64 count | ref64 join | FAISS | FAISS's \\|R\\| − ref64's | "
        "FAISS / count | FAISS / join | ref64 computes by |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t k = 0; k < sizeof subjects / sizeof subjects[0]; k++)
        measure_subject(&subjects[k], &ref64, folder);
    (void)rmdir(folder);
}

int main(int argc, char **argv)
{
    eb_register_engines();
    bool only_lists = argc > 1 && strcmp(argv[1], "lists") == 0;
    const char *count = argv[1 + only_lists];
    unsigned threads = count ? (unsigned)strtoul(count, NULL, 10) : eb_cpu_count();
    if (threads == 0) {
        fprintf(stderr, "usage: bench_cpu [lists] [THREADS]\n");
        return 2;
    }
    if (!only_lists) {
        measure_subjects(threads);
        measure_fasted(threads);
    }
    measure_lists(threads);
    return 0;
}
