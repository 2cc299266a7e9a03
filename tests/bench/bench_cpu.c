/* bench_cpu: the CPU engines, measured. usage: bench_cpu [THREADS]
 *
 * ref64 at S = 64, counting and joining into memory, beside FAISS (tests/bench/faiss_range.py) where it is installed:
 * same points, same number of threads, rounds of one and the other in turn, so that a machine that slows down slows
 * both. Then the products per second and core of fasted's emulation. Prints Markdown.
 *
 * A trial is end to end: open (conversion, norms), count or join, close. Environment: EPSBENCH_DATA, a folder with more
 * datasets; EPSBENCH_FAISS, the Python that has FAISS (tests/bench/run finds it), without which there is no comparison.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/engine/engine.h"
#include "core/study/statistics.h"
#include "io/load.h"

#define ROUNDS 3u
#define TRIALS 3u /* of each kind in a round */
#define ALL_TRIALS (ROUNDS * TRIALS)

typedef struct subject {
    const char *what; /* as typed to `load`; NULL: made here */
    const char *file; /* inside EPSBENCH_DATA; NULL: always there */
    double squared;   /* ε² where it is an integer, 0 otherwise */
    double eps;       /* 0: found by sampling */
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

static _Noreturn void die(const char *what, const eb_status *status)
{
    fprintf(stderr, "bench_cpu: %s: %s\n", what, status ? status->message : "out of memory");
    exit(1);
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

static void trial(const eb_engine *engine, const eb_device *cpu, const eb_dataset *ds, const eb_engine_options *options,
                  double eps, bool into_memory, double *seconds, uint64_t *pairs, char *how, size_t how_size)
{
    eb_status status = {.code = EB_OK};
    eb_timing timing = eb_timing_none();
    void *state = NULL;
    double start = eb_now_s();
    if (engine->open(cpu, ds, options, NULL, &timing, &state, &status) != EB_OK)
        die("open", &status);
    if (into_memory) {
        hit_store *stores = calloc(options->threads, sizeof *stores);
        if (!stores)
            die("join", NULL);
        eb_sink sink = {.context = stores, .hits = keep_hits};
        if (engine->join(state, eps, 0, ds->n, &sink, NULL, &timing, &status) != EB_OK)
            die("join", &status);
        *seconds = eb_now_s() - start;
        *pairs = ds->n;
        for (unsigned t = 0; t < options->threads; t++) {
            *pairs += 2 * stores[t].count;
            free(stores[t].hits);
        }
        free(stores);
    } else {
        if (engine->count(state, eps, NULL, &timing, pairs, &status) != EB_OK)
            die("count", &status);
        *seconds = eb_now_s() - start;
    }
    if (how)
        (void)snprintf(how, how_size, "%s", engine->describe ? engine->describe(state) : "");
    engine->close(state);
}

/* ---- data ---- */

/* 20000 × 128 FP32 points around 200 centres: neither all alike nor all apart, as image descriptors are. */
static eb_dataset *clusters(void)
{
    eb_dataset *ds = NULL, *centres = NULL;
    eb_status status = {.code = EB_OK};
    if (eb_synth(EB_SYNTH_GAUSSIAN, 20000, 128, 1, NULL, &ds, &status) != EB_OK ||
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
    *ds = (eb_dataset){.n = 20000,
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

/* An ε with S ≈ 64, from 200 points' distances. */
static double sampled_eps(const eb_engine *engine, const eb_device *cpu, const eb_dataset *ds,
                          const eb_engine_options *options)
{
    enum { QUERIES = 200 };
    uint32_t rows[QUERIES];
    for (uint32_t q = 0; q < QUERIES; q++)
        rows[q] = (uint32_t)(q * (ds->n / QUERIES));
    double *s = malloc(QUERIES * ds->n * sizeof *s);
    eb_status status = {.code = EB_OK};
    eb_timing timing = eb_timing_none();
    void *state = NULL;
    if (!s)
        die("sample", NULL);
    if (engine->open(cpu, ds, options, NULL, &timing, &state, &status) != EB_OK ||
        engine->distances(state, rows, QUERIES, s, NULL, &status) != EB_OK)
        die("sample", &status);
    qsort(s, QUERIES * ds->n, sizeof *s, ascending);
    double eps = eb_smallest_eps(s[(size_t)QUERIES * 65 - 1]); /* 64 others and the point itself */
    engine->close(state);
    free(s);
    return eps;
}

/* Writes the points where FAISS's script can read them: u8 as they are, others as FP32. */
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

/* Adds a round of FAISS trials; false: FAISS is not there, or enough of it: on many points of few dimensions it takes
 * half a minute, and once must do. */
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

static void measure_subject(const subject *s, const eb_engine *ref64, const eb_device *cpu,
                            const eb_engine_options *options, const char *folder)
{
    char where[1024];
    const char *data = getenv("EPSBENCH_DATA");
    eb_status status = {.code = EB_OK};
    eb_dataset *ds = NULL;
    if (s->file) {
        if (!data)
            return;
        (void)snprintf(where, sizeof where, "%s/%s", data, s->file);
        if (access(where, R_OK) != 0)
            return;
        if (eb_load(where, NULL, &ds, &status) != EB_OK)
            die(where, &status);
    } else if (s->what) {
        if (eb_load(s->what, NULL, &ds, &status) != EB_OK)
            die(s->what, &status);
    } else {
        ds = clusters();
    }
    const char *name = s->file ? s->file : s->what ? s->what : "clusters";
    double eps = s->squared > 0 ? eb_smallest_eps(s->squared)
                 : s->eps > 0   ? s->eps
                                : sampled_eps(ref64, cpu, ds, options);
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/points.%s", folder, ds->dtype == EB_U8 ? "u8bin" : "fbin");
    bool faiss = write_points(ds, path);
    timings t = {.counts = 0};
    double unused_s;
    trial(ref64, cpu, ds, options, eps, false, &unused_s, &t.pairs, t.how, sizeof t.how); /* warm-up */
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned k = 0; k < TRIALS; k++)
            trial(ref64, cpu, ds, options, eps, false, &t.count_s[t.counts++], &t.pairs, NULL, 0);
        for (unsigned k = 0; k < TRIALS; k++)
            trial(ref64, cpu, ds, options, eps, true, &t.join_s[t.joins++], &t.joined, NULL, 0);
        faiss = faiss && faiss_round(path, eps, options->threads, ds->n > 50000, &t);
    }
    if (t.joined != t.pairs) {
        (void)eb_fail(&status, EB_INTERNAL, "count finds %llu pairs, join %llu", (unsigned long long)t.pairs,
                      (unsigned long long)t.joined);
        die(name, &status);
    }
    print_row(ds, name, eps, &t);
    (void)unlink(path);
    eb_dataset_free(ds);
}

static void measure_fasted(const eb_device *cpu, unsigned threads)
{
    const eb_engine *fasted = NULL;
    eb_status status = {.code = EB_OK};
    eb_dataset *ds = NULL;
    if (eb_engine_find("fasted", EB_DEVICE_CPU, &fasted, &status) != EB_OK ||
        eb_load("demo", NULL, &ds, &status) != EB_OK)
        die("fasted", &status);
    printf("\n| fasted, emulated chip | seconds | products / s / core |\n|---|---:|---:|\n");
    const struct {
        eb_tensor tensor;
        const char *name;
    } chips[] = {{EB_TENSOR_SM80, "sm_80"}, {EB_TENSOR_SM90, "sm_90"}};
    for (size_t c = 0; c < 2; c++) {
        eb_engine_options options = {.threads = threads, .tensor = chips[c].tensor};
        double seconds[TRIALS];
        uint64_t pairs;
        for (unsigned k = 0; k < TRIALS; k++)
            trial(fasted, cpu, ds, &options, eb_smallest_eps(2119530), false, &seconds[k], &pairs, NULL, 0);
        double median = eb_summarise(seconds, TRIALS).median, n = (double)ds->n;
        printf("| %s | %.3f | %.2f·10⁹ |\n", chips[c].name, median,
               n * (n - 1) / 2 * (double)ds->d / median / threads * 1e-9);
    }
    eb_dataset_free(ds);
}

int main(int argc, char **argv)
{
    eb_engine_options options = {.threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : eb_cpu_count()};
    if (options.threads == 0) {
        fprintf(stderr, "usage: bench_cpu [THREADS]\n");
        return 2;
    }
    eb_device cpu;
    eb_device_cpu(&cpu);
    eb_status status = {.code = EB_OK};
    const eb_engine *ref64 = NULL;
    if (eb_engine_find("ref64", EB_DEVICE_CPU, &ref64, &status) != EB_OK)
        die("ref64", &status);
    char folder[] = "/tmp/epsbench-bench-XXXXXX";
    if (!mkdtemp(folder)) {
        fprintf(stderr, "bench_cpu: cannot make a folder in /tmp\n");
        return 1;
    }
    printf("%s, %u threads; medians of %u trials (one of FAISS from 50000 points on), seconds end to end.\n\n",
           cpu.model, options.threads, ALL_TRIALS);
    printf("| dataset | points | ε | \\|R\\| | ref64 count | ref64 join | FAISS | FAISS's \\|R\\| − ref64's | FAISS / "
           "count | "
           "FAISS / join | ref64 computes by |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t k = 0; k < sizeof subjects / sizeof subjects[0]; k++)
        measure_subject(&subjects[k], ref64, &cpu, &options, folder);
    (void)rmdir(folder);
    measure_fasted(&cpu, options.threads);
    return 0;
}
