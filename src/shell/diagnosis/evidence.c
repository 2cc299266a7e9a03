#include "shell/diagnosis/evidence.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "shell/commands/commands.h"
#include "shell/defaults.h"
#include "shell/lab/memory_report.h"
#include "shell/lab/model_report.h"

eb_code eb_witness_open(const eb_session *session, eb_witness *out, eb_status *status)
{
    eb_device device;
    *out = (eb_witness){.session = session};
    EB_TRY(eb_counted_read(&out->counted, status));
    EB_TRY(eb_session_device(session, &device, status));
    return eb_model_gpu(session, device.kind == EB_DEVICE_CUDA ? NULL : out->counted.gpu, &out->machine, status);
}

void eb_witness_close(eb_witness *witness)
{
    eb_counted_free(&witness->counted);
    *witness = (eb_witness){.session = NULL};
}

/* ---- recorded, or by the model ---- */

static eb_code make_plan(const eb_witness *w, const eb_variant *variant, eb_evidence *e, eb_status *status)
{
    eb_spec spec;
    EB_TRY(eb_spec_parse(EB_ABLATED, NULL, &spec, status));
    for (size_t k = 0; k < variant->count; k++) {
        const eb_option *flag = eb_option_find(spec.options.list, variant->off[k]);
        if (!flag)
            return eb_fail(status, EB_USAGE, EB_ABLATED " has no switch %.80s", variant->off[k]);
        eb_options_leave_out(&spec.options, flag);
    }
    (void)eb_spec_text(&spec, e->spec, sizeof e->spec);
    return spec.engine->plan(&spec.options, EB_COUNTED_N, e->d, &w->machine, &e->plan, status);
}

/* Of the replay of L2 only the first tiles run, some hundred for each worker, since a case asks for several variants.
 * The time and the bytes remain those of all tiles. */
static void shorten(eb_kernel_plan *plan)
{
    enum { REPLAYED_TILES = 1 << 15 };
    const double tiles = eb_tiles_inside(plan);
    if (tiles > REPLAYED_TILES)
        plan->numbers = (uint64_t)ceil((double)plan->numbers * REPLAYED_TILES / tiles);
}

static void take_prediction(const eb_witness *w, eb_evidence *e)
{
    const eb_prediction *p = &e->prediction;
    const eb_memory memory = eb_memory_of_model(&e->plan, &w->machine, p);
    e->metrics = (eb_metrics){
        .value = {[EB_METRIC_TIME] = p->kernel_s,
                  [EB_METRIC_L2_HITS] = p->cache.hit_rate,
                  [EB_METRIC_CONFLICTS] = p->conflicts_a_wavefront,
                  [EB_METRIC_LDMATRIX] =
                      p->matrix.wavefronts ? (double)p->matrix.conflicts / (double)p->matrix.wavefronts : NAN,
                  [EB_METRIC_OCCUPANCY] = p->occupancy.share,
                  [EB_METRIC_SHARED] = memory.read[EB_SHARED].value,
                  [EB_METRIC_L2] = p->cache.l2_bytes,
                  [EB_METRIC_DRAM] = p->cache.dram_bytes}};
}

/* Replaces what was counted. */
static void take_counted(eb_metrics *metrics, const eb_metrics *counted)
{
    for (eb_metric m = 0; m < EB_METRIC_COUNT; m++)
        if (!isnan(counted->value[m])) {
            metrics->value[m] = counted->value[m];
            metrics->counted[m] = true;
        }
}

eb_code eb_evidence_of(const eb_witness *witness, const eb_variant *variant, size_t d, bool recorded, eb_evidence *out,
                       eb_job *job, eb_status *status)
{
    *out = (eb_evidence){.d = d};
    EB_TRY(make_plan(witness, variant, out, status));
    shorten(&out->plan);
    const eb_counted_row *row = recorded ? eb_counted_find(&witness->counted, out->spec, d) : NULL;
    EB_TRY(eb_predict(&out->plan, &witness->machine, row && !isnan(row->clock_hz) ? row->clock_hz : 0, job,
                      &out->prediction, status));
    take_prediction(witness, out);
    out->counted = row != NULL;
    if (row)
        take_counted(&out->metrics, &row->metrics);
    return EB_OK;
}

/* ---- counted now ---- */

/* A handler that runs as a job of its own, so that its progress, which names the variant, is not shown. */
typedef struct quiet {
    eb_session *session;
    const eb_call *call;
    eb_report *report;
} quiet;

static eb_code work_quietly(eb_job *job, void *argument, eb_status *status)
{
    const quiet *q = argument;
    return q->call->command->handler(q->session, q->call, q->report, job, status);
}

static eb_code run_quietly(quiet *q, const char *line, eb_job *outer, eb_status *status)
{
    const char *rest;
    eb_call *call = NULL;
    eb_job *job;
    EB_TRY(eb_parse(line, &rest, &call, status));
    q->call = call;
    eb_code failed = eb_job_start(work_quietly, q, &job, status);
    while (!failed && !eb_job_progress(job).finished) {
        struct pollfd event = {.fd = eb_job_event_fd(job), .events = POLLIN};
        (void)poll(&event, 1, 50);
        if (eb_job_cancelled(outer))
            eb_job_cancel(job);
    }
    if (!failed)
        failed = eb_job_finish(job, status);
    eb_call_free(call);
    return failed;
}

/* The values of one engine in table "counters": columns value and source for each engine after the first three. */
static void read_column(const eb_table *table, size_t engine, size_t d, eb_metrics *out)
{
    enum { FIRST = 3 };
    for (eb_metric m = 0; m < EB_METRIC_COUNT; m++)
        out->value[m] = NAN;
    for (size_t r = 0; r < table->rows; r++) {
        const eb_value *cell = &table->cell[r * table->columns];
        const char *key = eb_value_text(cell[0]);
        const double value = eb_value_number(cell[FIRST + 2 * engine]);
        const bool counted = strcmp(eb_value_text(cell[FIRST + 2 * engine + 1]), "cupti") == 0;
        const eb_metric m = eb_metric_find(key);
        if (m < EB_METRIC_COUNT && counted)
            out->value[m] = value;
        if (strcmp(key, "tflops_derived") == 0)
            out->value[EB_METRIC_TIME] = 2.0 * EB_COUNTED_N * EB_COUNTED_N * (double)d / (value * 1e12);
    }
}

static eb_code count_both(eb_session *session, eb_evidence *one, eb_evidence *other, bool *counted, eb_job *job,
                          eb_status *status)
{
    char line[2 * EB_SPEC_TEXT + 80];
    quiet q = {.session = session, .report = eb_report_new("counters")};
    if (!q.report)
        return eb_fail_memory(status, "a report", sizeof *q.report);
    eb_job_phase(job, "counting", 0);
    (void)snprintf(line, sizeof line, "synth uniform %d %zu", EB_COUNTED_N, one->d);
    eb_code failed = run_quietly(&q, line, job, status);
    (void)snprintf(line, sizeof line, "counters %s,%s eps=0.001 trials=3", one->spec, other->spec);
    if (!failed)
        failed = run_quietly(&q, line, job, status);
    const eb_table *table = failed ? NULL : eb_report_find_table(q.report, EB_F(counters));
    if (table) {
        eb_metrics values[2];
        read_column(table, 0, one->d, &values[0]);
        read_column(table, 1, other->d, &values[1]);
        *counted = !isnan(values[0].value[EB_METRIC_L2]) && !isnan(values[1].value[EB_METRIC_L2]);
        if (*counted) {
            take_counted(&one->metrics, &values[0]);
            take_counted(&other->metrics, &values[1]);
        }
    }
    eb_report_free(q.report);
    return failed;
}

eb_code eb_evidence_count(const eb_witness *witness, eb_evidence *one, eb_evidence *other, bool *counted, eb_job *job,
                          eb_status *status)
{
    eb_session *session = eb_session_beside(witness->session);
    *counted = false;
    if (!session)
        return eb_fail_memory(status, "a session", sizeof *session);
    const eb_code failed = count_both(session, one, other, counted, job, status);
    one->counted = one->counted || *counted;
    other->counted = other->counted || *counted;
    eb_session_free(session);
    return failed;
}
