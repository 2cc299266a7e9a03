/* Recall of an inverted file against its throughput, as the FP8 paper draws it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/lookup.h"
#include "kernels/inverted/cpu/search.h"
#include "kernels/inverted/cuda.h"
#include "shell/commands/commands.h"
#include "shell/commands/queries.h"
#include "shell/recall/counters.h"
#include "shell/recall/log.h"
#include "shell/recall/queries.h"
#include "shell/recall/report.h"
#include "shell/recall/session_index.h"

enum { USUAL_K = 10, MOST_QUERIES = 1000, NPROBES = 64 };
#define SHORTEST_TRIAL_S 0.05

typedef struct recall {
    eb_session *session;
    eb_job *job;
    eb_recall_study study;
    eb_dataset asked; /* the loaded queries that are looked for; n 0: rows are drawn */
    eb_recall_truth nearest;
    eb_index_got got;
    eb_inverted_shape shape;
    eb_table_format lut[EB_TABLE_FORMATS];
    size_t nprobe[NPROBES];
    unsigned trials, rounds;
    uint64_t seed;
    eb_device device;
    const eb_inverted_search *search;
    void *searcher;
    float *queries;    /* queries × d */
    uint32_t *found;   /* queries × k */
    double *distances; /* queries × k */
    eb_recall_log log;
} recall;

/* ---- what was typed ---- */

static const char *format_name(const void *context, size_t index)
{
    (void)context;
    return eb_table_format_name((eb_table_format)index);
}

static eb_code read_formats(const char *text, recall *r, eb_status *status)
{
    const eb_names names = {"look-up table", EB_TABLE_FORMATS, format_name, NULL, NULL};
    for (const char *at = text; *at; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        size_t index;
        EB_TRY(eb_lookup(&names, at, length, &index, status));
        for (size_t k = 0; k < r->study.luts; k++)
            if (r->lut[k] == (eb_table_format)index)
                return eb_fail(status, EB_USAGE, "lut names %s twice", eb_table_format_name(r->lut[k]));
        r->lut[r->study.luts++] = (eb_table_format)index;
        at += length;
    }
    return EB_OK;
}

/* As asked for, or 1, 2, 4 … as far as there are lists, 128 at most. */
static void read_nprobes(const eb_call *call, recall *r)
{
    const double *given;
    const size_t count = eb_call_numbers(call, "nprobe", &given);
    for (size_t k = 0; k < count; k++)
        r->nprobe[r->study.nprobes++] = (size_t)given[k];
    for (size_t p = 1; count == 0 && p <= 128 && p <= r->shape.nlist; p *= 2)
        r->nprobe[r->study.nprobes++] = p;
}

static eb_inverted_question question_of(const recall *r, eb_table_format lut, size_t nprobe)
{
    return (eb_inverted_question){.k = r->nearest.k,
                                  .refine = r->study.refine,
                                  .nprobe = nprobe,
                                  .lut = lut,
                                  .f16_sums = r->study.f16_sums,
                                  .scale = r->study.scale,
                                  .layout = r->study.layout,
                                  .pad = r->study.pad};
}

/* Before anything is computed. The last nprobe is the largest. */
static eb_code check_questions(const recall *r, eb_status *status)
{
    for (size_t k = 0; k < r->study.luts; k++) {
        const eb_inverted_question q = question_of(r, r->lut[k], r->nprobe[r->study.nprobes - 1]);
        EB_TRY(eb_inverted_check_question(&q, r->shape.nlist, r->device.kind, status));
    }
    return EB_OK;
}

static eb_code check_memory(const recall *r, size_t n, eb_status *status)
{
    const eb_inverted_request ask = {.points = r->session->dataset, .n = n, .shape = r->shape};
    return eb_session_index_memory(r->session, &r->device, &ask, r->study.refine > 0, r->job, status);
}

static eb_table_layout layout_of(const char *name)
{
    unsigned layout = EB_LAYOUT_USUAL;
    for (unsigned k = 0; name && k < EB_TABLE_LAYOUTS; k++)
        layout = strcmp(name, eb_table_layout_name(k)) == 0 ? k : layout;
    return layout;
}

static eb_code read_device(const eb_call *call, recall *r, eb_status *status)
{
    EB_TRY(eb_session_device(r->session, &r->device, status));
    r->search = r->device.kind == EB_DEVICE_CUDA ? &eb_inverted_search_cuda : &eb_inverted_search_cpu;
    r->study.device = &r->device;
    r->study.layout = layout_of(eb_call_text(call, "layout"));
    r->study.pad = eb_call_has(call, "pad");
    r->study.counters = eb_call_has(call, "counters");
    if (r->study.counters && r->device.kind == EB_DEVICE_CPU)
        return eb_fail(status, EB_USAGE,
                       "counters are read on NVIDIA GPUs, and the device is %s; `set device=cuda:0` where there is one",
                       r->device.name);
    r->study.refine = (size_t)eb_call_integer(call, "refine", 0);
    return EB_OK;
}

/* How many are looked for among how many points. */
static eb_code read_queries(const eb_call *call, recall *r, eb_status *status)
{
    const size_t n = r->session->dataset->n, usual = n / 10 < MOST_QUERIES ? n / 10 : MOST_QUERIES;
    r->nearest.k = (size_t)eb_call_integer(call, "k", USUAL_K);
    EB_TRY(eb_asked_queries(r->session, call, &r->asked, status));
    r->nearest.queries =
        r->asked.n > 0 ? r->asked.n : (size_t)eb_call_integer(call, "queries", usual > 0 ? (int64_t)usual : 1);
    r->nearest.n = n - (r->asked.n > 0 ? 0 : r->nearest.queries);
    return eb_recall_check(n + r->asked.n, r->nearest.queries, r->nearest.k, status);
}

static eb_code read_call(const eb_call *call, recall *r, eb_status *status)
{
    const eb_dataset *ds = r->session->dataset;
    const char *formats = eb_call_text(call, "lut");
    EB_TRY(read_queries(call, r, status));
    const size_t n = r->nearest.n;
    const eb_inverted_shape shape = eb_usual_shape(n, ds->d);
    r->shape.nlist = (size_t)eb_call_integer(call, "nlist", (int64_t)shape.nlist);
    r->shape.m = (size_t)eb_call_integer(call, "m", (int64_t)shape.m);
    r->seed = (uint64_t)eb_call_integer(call, "seed", (int64_t)r->session->settings.seed);
    r->rounds = (unsigned)eb_call_integer(call, "rounds", EB_INVERTED_ROUNDS);
    r->trials = (unsigned)eb_call_integer(call, "trials", r->session->settings.trials);
    r->study.f16_sums = eb_call_has(call, "accumulate") && strcmp(eb_call_text(call, "accumulate"), "f16") == 0;
    r->study.scale = eb_call_number(call, "scale", EB_TABLE_SCALE);
    EB_TRY(read_device(call, r, status));
    EB_TRY(read_formats(formats ? formats : "f32,f16,e5m3,e4m4", r, status));
    EB_TRY(eb_inverted_check(&r->shape, n, ds->d, status));
    EB_TRY(check_memory(r, n, status));
    read_nprobes(call, r);
    return check_questions(r, status);
}

/* ---- the experiment ---- */

static eb_code find_truth(recall *r, eb_status *status)
{
    eb_setup truth;
    const double begin_s = eb_now_s();
    EB_TRY(eb_session_truth(r->session, &truth, status));
    EB_TRY(r->asked.n > 0 ? eb_recall_find_set(&truth, r->session, &r->asked, r->nearest.k, r->seed, r->job,
                                               &r->study.given, &r->nearest, status)
                          : eb_recall_truth_find(&truth, r->session->dataset, NULL, r->nearest.queries, r->nearest.k,
                                                 r->seed, r->job, &r->nearest, status));
    r->study.truth_s = eb_now_s() - begin_s;
    return EB_OK;
}

static eb_code build_file(recall *r, eb_status *status)
{
    eb_inverted_request ask = {.points = r->session->dataset,
                               .rows = r->nearest.base,
                               .n = r->nearest.n,
                               .shape = r->shape,
                               .rounds = r->rounds,
                               .seed = r->seed};
    EB_TRY(eb_session_index(r->session, &r->device, &ask, r->job, &r->got, status));
    r->study.file = &r->got.index->file;
    r->study.build_s = r->got.index->build_s;
    r->study.kept = r->got.kept;
    return EB_OK;
}

static eb_code open_searcher(recall *r, eb_status *status)
{
    const eb_inverted_context means = {&r->device, r->session->dataset, r->study.threads,
                                       r->session->settings.gpu_memory_limit};
    return r->search->open(r->study.file, &means, &r->searcher, status);
}

static eb_code load_queries(recall *r, eb_status *status)
{
    const eb_dataset *ds = r->asked.n > 0 ? &r->asked : r->session->dataset;
    const size_t count = r->nearest.queries, answers = count * r->nearest.k, cells = r->study.luts * r->study.nprobes;
    double *wide = malloc(ds->d * sizeof *wide);
    r->queries = malloc(count * ds->d * sizeof *r->queries);
    r->found = malloc(answers * sizeof *r->found);
    r->distances = malloc(answers * sizeof *r->distances);
    r->study.cell = calloc(cells, sizeof *r->study.cell);
    const bool made = wide && r->queries && r->found && r->distances && r->study.cell;
    for (size_t q = 0; made && q < count; q++)
        eb_inverted_row(r->study.file, ds, r->nearest.query[q], wide, r->queries + q * ds->d);
    free(wide);
    return made ? EB_OK : eb_fail_memory(status, "queries", (count * ds->d + 3 * answers) * sizeof *r->queries);
}

static eb_code search(recall *r, const eb_recall_cell *cell, eb_job *job, eb_status *status)
{
    const eb_inverted_question q = question_of(r, cell->lut, cell->nprobe);
    return r->search->find(r->searcher, &q, r->queries, r->nearest.queries, r->found, r->distances, job, status);
}

/* ---- the log ---- */

static void log_experiment(recall *r)
{
    const bool on_gpu = r->device.kind != EB_DEVICE_CPU;
    char implementation[64], layout[32] = "";
    (void)snprintf(implementation, sizeof implementation, "%s%s%s", r->search->name, on_gpu ? "" : ", ",
                   on_gpu ? "" : eb_inverted_instructions());
    if (on_gpu)
        (void)snprintf(layout, sizeof layout, "%s%s", eb_table_layout_name(r->study.layout),
                       r->study.pad ? ", padded" : "");
    eb_recall_log_begin(&r->log, r->session,
                        &(eb_recall_experiment){.device = &r->device,
                                                .implementation = implementation,
                                                .layout = layout,
                                                .threads = r->study.threads,
                                                .queries = r->nearest.queries,
                                                .queries_source = r->asked.n > 0 ? r->asked.source : NULL,
                                                .k = r->nearest.k,
                                                .n = r->nearest.n,
                                                .nlist = r->shape.nlist,
                                                .m = r->shape.m,
                                                .rounds = r->rounds,
                                                .seed = r->seed,
                                                .f16_sums = r->study.f16_sums,
                                                .scale = r->study.scale,
                                                .refine = r->study.refine,
                                                .points_wanted = r->study.luts * r->study.nprobes,
                                                .trials_wanted = r->trials,
                                                .build_s = r->study.build_s,
                                                .truth_s = r->study.truth_s});
}

static void log_point(recall *r, const eb_recall_cell *cell)
{
    eb_recall_log_point(&r->log, &(eb_recall_point){.lut = eb_table_format_name(cell->lut),
                                                    .entry_bytes = eb_table_entry_bytes(cell->lut),
                                                    .nprobe = cell->nprobe,
                                                    .recall = cell->recall.mean,
                                                    .low = cell->recall.low,
                                                    .high = cell->recall.high,
                                                    .work = cell->work,
                                                    .lookup_conflicts = cell->wavefronts - 1,
                                                    .occupancy = cell->occupancy});
}

/* ---- counters ---- */

typedef struct counted_work {
    recall *of;
    const eb_recall_cell *cell;
} counted_work;

static eb_code search_again(void *context, eb_status *status)
{
    const counted_work *w = context;
    return search(w->of, w->cell, NULL, status);
}

static eb_code count_cell(recall *r, eb_recall_cell *cell, eb_status *status)
{
    counted_work work = {r, cell};
    cell->wavefronts = cell->occupancy = NAN;
    if (!r->study.counters || r->study.no_counters[0] != '\0')
        return EB_OK;
    return eb_recall_count(r->device.index, search_again, &work, cell, r->study.no_counters, status);
}

/* ---- point by point ---- */

/* What was timed last found what the warm-up did. */
static eb_code check_again(const recall *r, const eb_recall_cell *cell, eb_status *status)
{
    const eb_recall last = eb_recall_of(&r->nearest, r->session->dataset, r->found);
    if (last.mean == cell->recall.mean)
        return EB_OK;
    return eb_fail(status, EB_INTERNAL, "the last trial of %s at nprobe %zu has a recall of %g, the warm-up had %g",
                   eb_table_format_name(cell->lut), cell->nprobe, last.mean, cell->recall.mean);
}

/* The warm-up gives the recall, and tells how many passes make a trial that can be timed; such a trial needs no ear of
 * its own for a cancel. */
static eb_code measure_cell(recall *r, eb_recall_cell *cell, eb_status *status)
{
    double pass_s[EB_MAX_TRIALS];
    eb_job_phase(r->job, "searching", r->nearest.queries * (1 + r->trials));
    const eb_inverted_work before = r->search->work(r->searcher);
    double begin_s = eb_now_s();
    EB_TRY(search(r, cell, r->job, status));
    cell->work = r->search->work(r->searcher);
    cell->work.lookups -= before.lookups;
    cell->work.kernel_s -= before.kernel_s;
    const unsigned passes = (unsigned)fmin(ceil(SHORTEST_TRIAL_S / fmax(eb_now_s() - begin_s, 1e-6)), 1000);
    cell->recall = eb_recall_of(&r->nearest, r->session->dataset, r->found);
    EB_TRY(count_cell(r, cell, status));
    log_point(r, cell);
    for (unsigned t = 0; t < r->trials; t++) {
        begin_s = eb_now_s();
        for (unsigned p = 0; p < passes; p++)
            EB_TRY(search(r, cell, passes > 1 ? NULL : r->job, status));
        pass_s[t] = (eb_now_s() - begin_s) / passes;
        eb_recall_log_trial(&r->log, t, passes, pass_s[t]);
        EB_TRY(eb_job_check(r->job, status));
    }
    cell->pass_s = eb_summarise(pass_s, r->trials);
    return check_again(r, cell, status);
}

static void show_live(const recall *r)
{
    eb_report *report = r->session->live ? eb_report_new("recall") : NULL;
    if (report)
        eb_report_recall(report, &r->study);
    eb_live_show(r->session->live, report);
}

static eb_code measure_cells(recall *r, eb_status *status)
{
    const size_t luts = r->study.luts, cells = luts * r->study.nprobes;
    for (size_t c = 0; c < cells; c++) {
        r->study.cell[c].lut = r->lut[c % luts];
        r->study.cell[c].nprobe = r->nprobe[c / luts];
        eb_job_step(r->job, 0, "point", (unsigned)c + 1, (unsigned)cells);
        EB_TRY(measure_cell(r, &r->study.cell[c], status));
        r->study.done++;
        show_live(r);
    }
    return EB_OK;
}

static eb_code study_recall(recall *r, eb_status *status)
{
    EB_TRY(find_truth(r, status));
    EB_TRY(build_file(r, status));
    EB_TRY(open_searcher(r, status));
    EB_TRY(load_queries(r, status));
    log_experiment(r);
    return measure_cells(r, status);
}

static void free_recall(recall *r)
{
    if (r->search)
        r->search->close(r->searcher);
    eb_index_release(r->got.index);
    eb_recall_truth_free(&r->nearest);
    free(r->study.cell);
    free(r->queries);
    free(r->found);
    free(r->distances);
}

/* What was finished is shown, interrupted or not. */
eb_code eb_cmd_recall(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    recall *r = calloc(1, sizeof *r);
    if (!r)
        return eb_fail_memory(status, "an experiment", sizeof *r);
    r->session = session;
    r->job = job;
    r->study.nearest = &r->nearest;
    r->study.threads = session->settings.threads;
    eb_code failed = read_call(call, r, status);
    if (!failed)
        failed = study_recall(r, status);
    if (!failed || r->study.done > 0)
        eb_report_recall(report, &r->study);
    free_recall(r);
    free(r);
    return failed;
}
