/* recall: the command `recall`: measures recall and throughput of an inverted file over table formats and nprobe, as
 * the FP8 paper plots them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/lookup.h"
#include "core/knn/queries_first.h"
#include "kernels/device/counters.h"
#include "shell/commands/commands.h"
#include "shell/recall/index.h"
#include "shell/recall/report.h"

enum { USUAL_K = 10, MOST_QUERIES = 1000, CHECKED = 16 };
#define SHORTEST_TRIAL_S 0.05

typedef struct recall {
    eb_session *session;
    eb_job *job;
    eb_recall_study study;
    eb_dataset asked; /* view of the loaded queries; n 0: rows of the dataset are drawn */
    eb_recall_truth nearest;
    eb_inverted_request request;
    eb_session_index index;
    eb_table_format lut[EB_TABLE_FORMATS];
    size_t nprobe[EB_MOST_STEPS];
    unsigned trials;
    eb_dataset queries;        /* queries for the engine: `asked`, or a copy of the drawn rows */
    uint32_t *found;           /* queries × k */
    double *distances;         /* queries × k */
    int64_t experiment, point; /* row numbers in the log; 0: not logged */
} recall;

/* ---- arguments ---- */

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

/* The nprobes given, or else 1, 2, 4 … up to the number of lists, at most 128. */
static void read_nprobes(const eb_call *call, recall *r)
{
    const double *given;
    const size_t count = eb_call_numbers(call, "nprobe", &given);
    for (size_t k = 0; k < count; k++)
        r->nprobe[r->study.nprobes++] = (size_t)given[k];
    for (size_t p = 1; count == 0 && p <= 128 && p <= r->request.shape.nlist; p *= 2)
        r->nprobe[r->study.nprobes++] = p;
}

static eb_inverted_question question_of(const recall *r, eb_table_format lut, size_t nprobe)
{
    return (eb_inverted_question){.k = r->nearest.k,
                                  .refine = r->study.e.refine,
                                  .nprobe = nprobe,
                                  .lut = lut,
                                  .f16_sums = r->study.e.f16_sums,
                                  .scale = r->study.e.scale,
                                  .layout = r->study.layout,
                                  .pad = r->study.pad};
}

/* Checks the questions before anything is computed. The last nprobe is the largest. */
static eb_code check_questions(const recall *r, eb_status *status)
{
    for (size_t k = 0; k < r->study.luts; k++) {
        const eb_inverted_question q = question_of(r, r->lut[k], r->nprobe[r->study.nprobes - 1]);
        EB_TRY(eb_inverted_check_question(&q, r->request.shape.nlist, r->index.setup.device.kind, status));
    }
    return EB_OK;
}

static eb_code read_tables(const eb_call *call, recall *r, eb_status *status)
{
    r->study.e.device = &r->index.setup.device;
    r->study.layout = (eb_table_layout)eb_call_choice(call, "layout", EB_LAYOUT_USUAL);
    r->study.pad = eb_call_has(call, "pad");
    r->study.counters = eb_call_has(call, "counters");
    if (r->study.counters && r->study.e.device->kind == EB_DEVICE_CPU)
        return eb_fail(status, EB_USAGE,
                       "counters are read on NVIDIA GPUs, and the device is %s; `set device=cuda:0` where there is one",
                       r->study.e.device->name);
    return EB_OK;
}

/* Reads k and the number of queries. Drawn queries are taken out of the points searched. */
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
    const eb_inverted_shape usual = eb_usual_shape(n, ds->d);
    r->request = (eb_inverted_request){
        .points = ds,
        .n = n,
        .shape = {(size_t)eb_call_integer(call, "nlist", (int64_t)usual.nlist),
                  (size_t)eb_call_integer(call, "m", (int64_t)usual.m)},
        .rounds = (unsigned)eb_call_integer(call, "rounds", EB_INVERTED_ROUNDS),
        .seed = (uint64_t)eb_call_integer(call, "seed", (int64_t)r->session->settings.seed),
    };
    r->trials = (unsigned)eb_call_integer(call, "trials", r->session->settings.trials);
    r->study.e.f16_sums = eb_call_has(call, "accumulate") && strcmp(eb_call_text(call, "accumulate"), "f16") == 0;
    r->study.e.scale = eb_call_number(call, "scale", EB_TABLE_SCALE);
    r->study.e.refine = (size_t)eb_call_integer(call, "refine", 0);
    EB_TRY(read_formats(formats ? formats : "f32,f16,e5m3,e4m4", r, status));
    EB_TRY(eb_inverted_check(&r->request.shape, n, ds->d, status));
    EB_TRY(eb_session_index_setup(r->session, &r->request, r->study.e.refine > 0, r->job, &r->index, status));
    EB_TRY(read_tables(call, r, status));
    read_nprobes(call, r);
    return check_questions(r, status);
}

/* ---- the experiment ---- */

/* Computes the true neighbours of the first CHECKED queries too: the file's neighbours may be sorted by distance and
 * yet not be the nearest. */
static eb_code check_given(recall *r, const eb_setup *truth, eb_status *status)
{
    eb_recall_truth computed;
    eb_dataset few = r->asked;
    few.n = few.n < CHECKED ? few.n : CHECKED;
    EB_TRY(eb_recall_truth_find(truth, r->request.points, &few, few.n, r->nearest.k, r->request.seed, r->job, &computed,
                                status));
    r->study.given.checked = few.n;
    r->study.given.agreed = eb_recall_truth_agree(&r->nearest, &computed);
    eb_recall_truth_free(&computed);
    return EB_OK;
}

/* The true k nearest: those loaded with the query set if they are at least k, else computed. */
static eb_code find_truth(recall *r, eb_status *status)
{
    const eb_ground_truth *loaded = r->asked.n > 0 ? r->session->truth : NULL;
    const eb_dataset *ds = r->request.points, *asked = r->asked.n > 0 ? &r->asked : NULL;
    const size_t k = r->nearest.k;
    eb_recall_given *given = &r->study.given;
    eb_setup truth;
    EB_TRY(eb_session_truth(r->session, &truth, status));
    given->queries = asked ? asked->source : NULL;
    given->k = loaded && loaded->k < k ? loaded->k : 0;
    if (!loaded || given->k > 0)
        return eb_recall_truth_find(&truth, ds, asked, r->nearest.queries, k, r->request.seed, r->job, &r->nearest,
                                    status);
    given->truth = loaded->source;
    EB_TRY(eb_recall_truth_given(loaded, ds, asked, k, r->job, &r->nearest, status));
    return check_given(r, &truth, status);
}

static eb_code open_index(recall *r, eb_status *status)
{
    const eb_recall_truth *t = &r->nearest;
    r->queries = r->asked;
    if (r->asked.n == 0)
        EB_TRY(eb_pick_rows(r->request.points, t->query, t->queries, r->study.e.threads, r->job, &r->queries, status));
    r->index.request.rows = t->base;
    EB_TRY(eb_session_index_open(&r->index, &r->queries, r->job, status));
    r->study.file = &r->index.index->file;
    r->study.e.build_s = r->index.index->build_s;
    r->study.kept = r->index.kept;
    return EB_OK;
}

static eb_code make_room(recall *r, eb_status *status)
{
    const size_t answers = r->nearest.queries * r->nearest.k, cells = r->study.luts * r->study.nprobes;
    r->found = malloc(answers * sizeof *r->found);
    r->distances = malloc(answers * sizeof *r->distances);
    r->study.cell = calloc(cells, sizeof *r->study.cell);
    return r->found && r->distances && r->study.cell
               ? EB_OK
               : eb_fail_memory(status, "answers", 3 * answers * sizeof *r->found);
}

/* Searches the first `queries` queries. *work (may be NULL): statistics of the search on a GPU. */
static eb_code search(recall *r, const eb_recall_cell *cell, size_t queries, eb_inverted_work *work, eb_job *job,
                      eb_status *status)
{
    const eb_inverted_question lists = question_of(r, cell->p.lut, cell->p.nprobe);
    const eb_nearest_question q = {.k = r->nearest.k, .lists = &lists, .work = work};
    r->index.opened.context.job = job;
    return eb_ask_nearest(&r->index.opened, &q, 0, queries, r->found, r->distances, status);
}

/* ---- the log ---- */

/* Logs the experiment; points and trials are logged as they end. If the log fails, the session closes it
 * (eb_session_log_failed) and the experiment continues. */
static void log_experiment(recall *r)
{
    eb_session *session = r->session;
    const eb_opened *opened = &r->index.opened;
    eb_recall_experiment e = r->study.e;
    eb_status failure;
    char layout[32] = "";
    if (e.device->kind != EB_DEVICE_CPU)
        (void)snprintf(layout, sizeof layout, "%s%s", eb_table_layout_name(r->study.layout),
                       r->study.pad ? ", padded" : "");
    e.implementation = opened->run->describe(opened->state);
    e.layout = layout;
    e.queries = r->nearest.queries;
    e.queries_source = r->study.given.queries;
    e.k = r->nearest.k;
    e.request = &r->request;
    e.points_wanted = r->study.luts * r->study.nprobes;
    e.trials_wanted = r->trials;
    if (!eb_session_logs(session))
        return;
    const int64_t dataset = eb_session_log_dataset(session);
    if (session->store && eb_store_recall(session->store, session->command_row, dataset, &e, &r->experiment, &failure))
        eb_session_log_failed(session, &failure);
}

static void log_point(recall *r, const eb_recall_cell *cell)
{
    eb_status failure;
    r->point = 0;
    if (r->experiment > 0 && eb_session_logs(r->session) &&
        eb_store_recall_point(r->session->store, r->experiment, &cell->p, &r->point, &failure))
        eb_session_log_failed(r->session, &failure);
}

static void log_trial(const recall *r, unsigned trial, unsigned passes, double pass_s)
{
    eb_status failure;
    if (r->point > 0 && eb_session_logs(r->session) &&
        eb_store_recall_trial(r->session->store, r->point, trial, passes, pass_s, &failure))
        eb_session_log_failed(r->session, &failure);
}

/* ---- counters ---- */

/* Loads other than look-ups read one address for all lanes and take one wavefront each, so they are subtracted. */
static void take_counters(const double *values, eb_recall_cell *cell)
{
    double loads = NAN, wavefronts = NAN;
    const double lookups = (double)cell->p.work.lookups;
    for (size_t k = 0; k < eb_counter_count(); k++) {
        const char *key = eb_counter_at(k)->key;
        if (strcmp(key, "shared_loads") == 0)
            loads = values[k];
        else if (strcmp(key, "shared_load_wavefronts") == 0)
            wavefronts = values[k];
        else if (strcmp(key, "occupancy") == 0)
            cell->p.occupancy = values[k];
    }
    cell->p.wavefronts = (wavefronts - (loads - lookups)) / lookups;
}

typedef struct counted_work {
    recall *of;
    const eb_recall_cell *cell;
} counted_work;

static eb_code search_again(void *context, eb_status *status)
{
    const counted_work *w = context;
    return search(w->of, w->cell, w->of->nearest.queries, NULL, NULL, status);
}

/* Reads the hardware's counters of a search: wavefronts of a look-up in shared memory, and occupancy. Missing counters
 * are not an error; no_counters then has the reason. */
static eb_code count_cell(recall *r, eb_recall_cell *cell, eb_status *status)
{
    eb_status why = {.message = ""};
    counted_work work = {r, cell};
    size_t passes;
    cell->p.wavefronts = cell->p.occupancy = NAN;
    if (!r->study.counters || r->study.no_counters[0] != '\0')
        return EB_OK;
    double *values = calloc(eb_counter_count(), sizeof *values);
    if (!values)
        return eb_fail_memory(status, "counters", eb_counter_count() * sizeof *values);
    const eb_code failed = eb_counters_collect(r->study.e.device->index, search_again, &work, values, &passes, &why);
    if (!failed)
        take_counters(values, cell);
    free(values);
    if (failed && failed != EB_NO_DEVICE)
        return eb_fail(status, failed, "%s", why.message);
    (void)snprintf(r->study.no_counters, sizeof r->study.no_counters, "%s", failed ? why.message : "");
    return EB_OK;
}

/* ---- measuring ---- */

/* Tests that the last trial found the same recall as the warm-up. */
static eb_code check_again(const recall *r, const eb_recall_cell *cell, eb_status *status)
{
    const eb_recall last = eb_recall_of(&r->nearest, r->session->dataset, r->found);
    if (last.mean == cell->p.recall.mean)
        return EB_OK;
    return eb_fail(status, EB_INTERNAL, "the last trial of %s at nprobe %zu has a recall of %g, the warm-up had %g",
                   eb_table_format_name(cell->p.lut), cell->p.nprobe, last.mean, cell->p.recall.mean);
}

/* Measures one format at one nprobe. The warm-up gives the recall, and the number of passes in a trial, such that a
 * trial takes SHORTEST_TRIAL_S or longer. Passes of a trial that has several are short, so they need no test for a
 * cancel. */
static eb_code measure_cell(recall *r, eb_recall_cell *cell, eb_status *status)
{
    const size_t queries = r->nearest.queries;
    double pass_s[EB_MAX_TRIALS];
    eb_job_phase(r->job, "searching", queries * (1 + r->trials));
    double begin_s = eb_now_s();
    EB_TRY(search(r, cell, queries, &cell->p.work, r->job, status));
    const unsigned passes = (unsigned)fmin(ceil(SHORTEST_TRIAL_S / fmax(eb_now_s() - begin_s, 1e-6)), 1000);
    cell->p.recall = eb_recall_of(&r->nearest, r->session->dataset, r->found);
    EB_TRY(count_cell(r, cell, status));
    log_point(r, cell);
    for (unsigned t = 0; t < r->trials; t++) {
        begin_s = eb_now_s();
        for (unsigned p = 0; p < passes; p++)
            EB_TRY(search(r, cell, queries, NULL, passes > 1 ? NULL : r->job, status));
        pass_s[t] = (eb_now_s() - begin_s) / passes;
        log_trial(r, t, passes, pass_s[t]);
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
        r->study.cell[c].p.lut = r->lut[c % luts];
        r->study.cell[c].p.nprobe = r->nprobe[c / luts];
        eb_job_step(r->job, 0, "point", (unsigned)c + 1, (unsigned)cells);
        EB_TRY(measure_cell(r, &r->study.cell[c], status));
        r->study.done++;
        show_live(r);
    }
    return EB_OK;
}

/* A search of 0 queries comes first: it fails if the index cannot be searched, and the engine then knows how it
 * computes, which the log records. */
static eb_code study_recall(recall *r, eb_status *status)
{
    const eb_recall_cell nobody = {.p = {.lut = r->lut[0], .nprobe = r->nprobe[0]}};
    const double begin_s = eb_now_s();
    EB_TRY(find_truth(r, status));
    r->study.e.truth_s = eb_now_s() - begin_s;
    EB_TRY(open_index(r, status));
    EB_TRY(make_room(r, status));
    EB_TRY(search(r, &nobody, 0, NULL, r->job, status));
    log_experiment(r);
    return measure_cells(r, status);
}

static void free_recall(recall *r)
{
    eb_session_index_close(&r->index);
    if (r->asked.n == 0)
        free((void *)(uintptr_t)r->queries.rows);
    eb_recall_truth_free(&r->nearest);
    free(r->study.cell);
    free(r->found);
    free(r->distances);
}

/* Finished points are reported even after an interruption. */
eb_code eb_cmd_recall(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    recall *r = calloc(1, sizeof *r);
    if (!r)
        return eb_fail_memory(status, "an experiment", sizeof *r);
    r->session = session;
    r->job = job;
    r->study.nearest = &r->nearest;
    r->study.e.threads = session->settings.threads;
    eb_code failed = read_call(call, r, status);
    if (!failed)
        failed = study_recall(r, status);
    if (!failed || r->study.done > 0)
        eb_report_recall(report, &r->study);
    free_recall(r);
    free(r);
    return failed;
}
