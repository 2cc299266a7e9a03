/* grid: the command `grid`: rates over n × d. A repeated call takes known cells from the log and measures the rest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/argument.h"
#include "core/experiment/experiment.h"
#include "core/experiment/time_words.h"
#include "core/report/find.h"
#include "draw/format.h"
#include "io/load.h"
#include "shell/commands/commands.h"
#include "shell/commands/run_report.h"
#include "shell/defaults.h"

enum { MOST_LINES = 6, MOST_LIMITS = 6 };

/* Numbers of the cell's run; all unknown if it has no finished run. */
static eb_run_numbers numbers_of(const eb_experiment_cell *cell)
{
    static const eb_run none;
    return eb_run_numbers_of(eb_cell_has(cell) ? &cell->run : &none);
}

static double limit_of(const eb_experiment_cell *cell)
{
    return eb_cell_has(cell) ? eb_run_summary(&cell->run, EB_F(limit_flops)->key).median : NAN;
}

/* ---- the cells ---- */

static void add_cell(eb_table *table, const eb_experiment_cell *cell)
{
    const eb_run_numbers f = numbers_of(cell);
    const bool has = eb_cell_has(cell);
    EB_ROW(table, eb_text(cell->setup->engine->name), eb_text(cell->setup->spec), eb_text(cell->setup->device.name),
           eb_uint(cell->n), eb_uint(cell->d), has ? eb_real(cell->run.eps) : eb_na(), f.selectivity, f.pairs,
           eb_real(f.kernel.median), eb_real(f.kernel.cov), eb_real(f.total.median), eb_real(f.tflops_derived),
           eb_real(f.tflops_executed), eb_real(f.limit_share), has ? eb_uint(cell->run.trials_done) : eb_na(),
           eb_text(eb_cell_state_name(cell->state)), eb_real(cell->forecast_s),
           cell->run.row ? eb_int(cell->run.row) : eb_na(), cell->why[0] ? eb_text(cell->why) : eb_na());
}

static bool any_limit(const eb_experiment *e)
{
    bool any = false;
    for (size_t k = 0; k < e->cells; k++)
        any |= limit_of(&e->cell[k]) > 0;
    return any;
}

static void report_cells(eb_report *report, const eb_experiment *e)
{
    const eb_experiment_request *q = e->request;
    eb_table *table = EB_TABLE(report, EB_F(cells), "Cells", EB_HIDDEN(engine), EB_F_IF(q->setups > 1, spec),
                               EB_HIDDEN(device), EB_F(n), EB_F(d), EB_HIDDEN(eps), EB_F(selectivity_brief),
                               EB_HIDDEN(pairs), EB_F(kernel_median_s), EB_F(kernel_cov), EB_F(total_s),
                               EB_F(tflops_derived), EB_F(tflops_executed), EB_F_IF(any_limit(e), limit_share),
                               EB_HIDDEN(trials), EB_F(state), EB_F(forecast_s), EB_HIDDEN(run), EB_HIDDEN(reason));
    for (size_t k = 0; k < q->setups; k++)
        for (size_t c = k; c < e->cells; c += q->setups)
            add_cell(table, &e->cell[c]);
}

/* ---- the maps ---- */

static void report_map(eb_report *report, const eb_experiment *e, size_t setup)
{
    static const char mark_of[] = {[EB_CELL_WAITING] = '.',
                                   [EB_CELL_MEASURED] = 'm',
                                   [EB_CELL_KNOWN] = 'k',
                                   [EB_CELL_LONG] = '>',
                                   [EB_CELL_REFUSED] = 'x'};
    const eb_experiment_request *q = e->request;
    char key[EB_SPEC_TEXT + 8], title[EB_SPEC_TEXT + EB_DEVICE_NAME + 8];
    (void)snprintf(key, sizeof key, "map_%s", q->setup[setup].spec);
    (void)snprintf(title, sizeof title, "%s on %s", q->setup[setup].spec, q->setup[setup].device.name);
    eb_series *series = eb_report_dots(report, &(eb_column){.key = key}, title, EB_HEAT);
    eb_series_axes(series, EB_F(n), true, EB_F(d), true);
    eb_series_heat(series, EB_F(tflops_derived));
    for (const eb_experiment_cell *k = e->cell + setup; k < e->cell + e->cells; k += q->setups)
        eb_series_add(series, (double)k->n, (double)k->d, numbers_of(k).tflops_derived, mark_of[k->state]);
}

/* ---- the curves ---- */

/* Curves under construction. Lower-case marks are engines, upper-case marks are limits. */
typedef struct curves {
    const eb_experiment *e;
    eb_report *report;
    eb_series *series;
    eb_table *lines;
    int engines, limits;
} curves;

static void begin_curves(curves *c)
{
    c->series = eb_report_dots(c->report, EB_F(curves), "Executed rate over d in TFLOPS, and its limits", EB_LINE);
    eb_series_axes(c->series, EB_F(d), true, EB_F(tflops_executed), true);
    c->lines = EB_TABLE(c->report, EB_F(lines), "Lines", EB_F(mark), EB_F(spec), EB_F(device), EB_F(n), EB_F(what),
                        EB_F(tflops_greatest));
}

/* Adds an engine's executed rate over d; false: no cell of that n has a rate. */
static bool add_line(curves *c, size_t n, size_t setup)
{
    const eb_experiment_axis *d = &c->e->request->axis[1];
    const eb_experiment_cell *first = eb_experiment_at(c->e, (size_t[]){n, 0}, setup);
    double rate[EB_MOST_STEPS], most = NAN;
    for (size_t j = 0; j < d->steps; j++) {
        rate[j] = numbers_of(eb_experiment_at(c->e, (size_t[]){n, j}, setup)).tflops_executed;
        most = fmax(most, rate[j]); /* fmax leaves NAN out */
    }
    if (isnan(most))
        return false;
    if (c->engines == 0)
        begin_curves(c);
    const char mark[] = {(char)('a' + c->engines++), '\0'};
    char name[EB_SPEC_TEXT + 32];
    EB_ROW(c->lines, eb_text(mark), eb_text(first->setup->spec), eb_text(first->setup->device.name), eb_uint(first->n),
           eb_text("executed rate"), eb_real(most));
    (void)snprintf(name, sizeof name, "%s, n = %zu", first->setup->spec, (size_t)first->n);
    eb_series_name(c->series, mark[0], name);
    for (size_t j = 0; j < d->steps; j++)
        eb_series_add(c->series, d->step[j], rate[j], 0, mark[0]);
    return true;
}

/* Adds lines of each engine for its largest n, MOST_LINES in all. */
static void add_lines(curves *c)
{
    const eb_experiment_request *q = c->e->request;
    for (size_t k = 0; k < q->setups; k++) {
        size_t left = MOST_LINES / q->setups;
        for (size_t n = q->axis[0].steps; n > 0 && left > 0; n--)
            left -= add_line(c, n - 1, k);
    }
}

static const char *limit_title(const eb_setup *setup, double flops)
{
    for (eb_limit k = 0; k < EB_LIMITS; k++)
        if (setup->device.limit[k] == flops)
            return eb_limit_name_of(k)->field->title;
    return "limit when it was measured"; /* a run from the log; the limit was measured again since */
}

/* Adds a limit, unless it has a line already. */
static void add_limit(curves *c, const eb_setup *setup, double flops)
{
    const eb_experiment_axis *d = &c->e->request->axis[1];
    const double tflops = flops / 1e12;
    for (size_t k = (size_t)c->engines; k < c->lines->rows; k++)
        if (eb_number_at(c->lines, k, EB_F(tflops_greatest)) == tflops)
            return;
    const char mark[] = {(char)('A' + c->limits++), '\0'};
    EB_ROW(c->lines, eb_text(mark), eb_na(), eb_text(setup->device.name), eb_na(), eb_text(limit_title(setup, flops)),
           eb_real(tflops));
    eb_series_name(c->series, mark[0], limit_title(setup, flops));
    eb_series_add(c->series, d->step[0], tflops, 0, mark[0]);
    eb_series_add(c->series, d->step[d->steps - 1], tflops, 0, mark[0]);
}

static void report_curves(eb_report *report, const eb_experiment *e)
{
    curves c = {.e = e, .report = report};
    add_lines(&c);
    for (size_t k = 0; c.lines && k < e->cells && c.limits < MOST_LIMITS; k++)
        if (limit_of(&e->cell[k]) > 0)
            add_limit(&c, e->cell[k].setup, limit_of(&e->cell[k]));
}

/* ---- notes ---- */

static size_t count_of(const eb_experiment *e, eb_cell_state state)
{
    size_t count = 0;
    for (size_t k = 0; k < e->cells; k++)
        count += e->cell[k].state == state;
    return count;
}

static void note_states(eb_report *report, const eb_experiment *e)
{
    const eb_experiment_request *q = e->request;
    char limit[48];
    size_t known = count_of(e, EB_CELL_KNOWN), too_long = count_of(e, EB_CELL_LONG);
    size_t waiting = count_of(e, EB_CELL_WAITING);
    if (known > 0)
        eb_report_note(report, "%zu of %zu cells are from the log; `fresh` measures them anew", known, e->cells);
    if (too_long > 0)
        eb_report_note(report,
                       "%zu of %zu cells would take longer than %s each, with all trials, and are left out; limit= "
                       "says how long they may take",
                       too_long, e->cells, eb_format_value(limit, sizeof limit, eb_real(q->limit_s), EB_SECONDS));
    if (waiting > 0)
        eb_report_note(report,
                       "%zu of %zu cells are still to come; what was measured is in the log, and the same line "
                       "goes on from there",
                       waiting, e->cells);
}

/* Notes the first refusal of each engine, with its shape. */
static void note_refusals(eb_report *report, const eb_experiment *e)
{
    for (size_t k = 0; k < e->cells; k++) {
        const eb_experiment_cell *cell = &e->cell[k];
        bool told = cell->state != EB_CELL_REFUSED;
        for (size_t j = 0; j < k && !told; j++)
            told = e->cell[j].state == EB_CELL_REFUSED && e->cell[j].setup == cell->setup;
        if (!told)
            eb_report_note(report, "%s refused %zu × %zu: %s", cell->setup->spec, cell->n, cell->d, cell->why);
    }
}

static void report_notes(eb_report *report, const eb_experiment *e)
{
    const eb_experiment_request *q = e->request;
    for (size_t k = 0; k < q->setups; k++)
        if (q->setup[k].note[0] != '\0')
            eb_report_note(report, "%s", q->setup[k].note);
    for (size_t k = 0; k < q->setups; k++)
        (void)eb_note_emulation(report, &q->setup[k]);
    note_states(report, e);
    note_refusals(report, e);
    if (isnan(q->eps))
        eb_report_note(report, "ε is sampled for S = %g on each shape; S is what was found", q->selectivity);
    eb_report_note(report, EB_PUBLISHED_BRIEF);
}

/* Reports an experiment over the axes n and d, also while cells are still missing. */
static void report_rates(eb_report *report, const eb_experiment *e)
{
    const eb_experiment_request *q = e->request;
    EB_FIELDS(report, {EB_F(data), eb_text("uniform on [0, 1), FP32")}, {EB_F(seed), eb_uint(q->seed)});
    if (isnan(q->eps))
        eb_report_field(report, EB_F(wanted_selectivity), eb_real(q->selectivity));
    else
        eb_report_field(report, EB_F(eps), eb_real(q->eps));
    EB_FIELDS(report, {EB_F(trials), eb_uint(q->trials)}, {EB_F(limit_s), eb_real(q->limit_s)});
    for (size_t k = 0; k < q->setups; k++)
        report_map(report, e, k);
    report_curves(report, e);
    report_cells(report, e);
    report_notes(report, e);
}

/* ---- the experiment ---- */

enum { MOST_RATED = 6 }; /* engines */

/* Context of the experiment's callbacks. */
typedef struct grid {
    eb_session *session;
    const eb_experiment_request *request;
    eb_experiment e;
    bool fresh;
    eb_dataset *points; /* the cell's points, which stand in for the session's dataset during the experiment */
} grid;

/* ---- points ---- */

static void drop_points(grid *g)
{
    eb_dataset_free(g->points);
    g->points = g->session->dataset = NULL;
    g->session->dataset_row = 0;
}

static eb_code make_points(void *context, size_t n, size_t d, eb_job *job, const eb_dataset **out, eb_status *status)
{
    grid *g = context;
    drop_points(g);
    EB_TRY(eb_synth(EB_SYNTH_UNIFORM, n, d, g->request->seed, job, &g->points, status));
    *out = g->session->dataset = g->points;
    return EB_OK;
}

/* ---- the log ---- */

static void log_sampled(void *context, const eb_experiment_cell *cell, double eps, double error)
{
    const grid *g = context;
    eb_session_log_sweep(g->session, g->request->truth->spec, 1, &eps, &cell->selectivity, &error, NULL);
}

/* True if the logged command line is a `grid` with this warm-up; the log keeps the line, not the warm-up. */
static bool warmed_up_so(const char *command, eb_warm_up warm_up)
{
    const char *rest;
    eb_call *call = NULL;
    eb_status status;
    bool known = eb_parse(command, &rest, &call, &status) == EB_OK && call && call->command->handler == eb_cmd_grid;
    bool same = known && eb_warm_up_of(eb_call_text(call, "warmup")) == warm_up;
    eb_call_free(call);
    return same;
}

static bool find_logged(void *context, eb_experiment_cell *cell)
{
    const grid *g = context;
    const eb_experiment_request *q = g->request;
    eb_run known = cell->run;
    char *command = NULL;
    eb_status failure;
    if (g->fresh || !g->session->store)
        return false;
    char *source = eb_synth_line(EB_F32, EB_SYNTH_UNIFORM, cell->n, cell->d, q->seed);
    if (source && eb_store_find_rate(g->session->store, g->session->session_row, source, cell->eps, cell->selectivity,
                                     q->trials, &known, &command, &failure))
        eb_session_log_failed(g->session, &failure);
    bool found = command && warmed_up_so(command, q->warm_up);
    if (found)
        cell->run = known;
    else
        eb_run_free(&known);
    free(command);
    free(source);
    return found;
}

/* ---- the live report ---- */

static void report_so_far(void *context, eb_report *report) { report_rates(report, &((const grid *)context)->e); }

static void cell_changed(void *context, eb_experiment_cell *cell)
{
    const grid *g = context;
    if (cell && cell->state == EB_CELL_MEASURED)
        cell->run.row = eb_session_log_number(g->session, cell->run.row);
    eb_live_changed(g->session->live);
}

/* ---- the command ---- */

static eb_experiment_axis axis_of(const eb_call *call, const eb_column *field, double from, double to, double factor,
                                  double otherwise[EB_MOST_STEPS])
{
    eb_experiment_axis axis = {.field = field, .step = otherwise};
    const double *given;
    axis.steps = eb_call_numbers(call, field->key, &given);
    if (axis.steps > 0)
        axis.step = given;
    else
        axis.steps = eb_steps_by_factor(from, to, factor, otherwise);
    return axis;
}

/* Runs are logged under the session's dataset, so a cell's points take its place while the grid is measured. */
static eb_code measure(grid *g, const eb_experiment_request *request, eb_report *report, eb_job *job, eb_status *status)
{
    eb_dataset *own = g->session->dataset;
    const int64_t own_row = g->session->dataset_row;
    g->request = request;
    drop_points(g);
    eb_live_tell(g->session->live, report_so_far, g);
    eb_code failed = eb_experiment_run(request, job, &g->e, status);
    eb_live_tell(g->session->live, NULL, NULL);
    if (failed != EB_UNREACHABLE && g->e.cells > 0) /* finished cells are reported even after an interruption */
        report_rates(report, &g->e);
    drop_points(g);
    g->session->dataset = own;
    g->session->dataset_row = own_row;
    eb_experiment_free(&g->e);
    return failed;
}

eb_code eb_cmd_grid(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *list = eb_call_text(call, "engines");
    const eb_run_observer observer = eb_session_observer(session);
    eb_setup setup[MOST_RATED], sampler;
    char spec[EB_SPEC_TEXT];
    double n[EB_MOST_STEPS], d[EB_MOST_STEPS];
    grid g = {.session = session, .fresh = eb_call_flag(call, "fresh")};
    eb_experiment_request request = {.what = "cell",
                                     .setup = setup,
                                     .axis = {axis_of(call, EB_F(n), EB_GRID_N_FROM, EB_GRID_N_TO, EB_GRID_N_STEP, n),
                                              axis_of(call, EB_F(d), EB_GRID_D_FROM, EB_GRID_D_TO, EB_GRID_D_STEP, d)},
                                     .axes = 2,
                                     .eps = eb_call_number(call, "eps", NAN),
                                     .selectivity = eb_call_number(call, "S", EB_GRID_S),
                                     .truth = &sampler,
                                     .seed = (uint64_t)eb_call_integer(call, "seed", (int64_t)session->settings.seed),
                                     .mode = EB_RUN_COUNT,
                                     .trials = (unsigned)eb_call_integer(call, "trials", session->settings.trials),
                                     .warm_up = eb_warm_up_of(eb_call_text(call, "warmup")),
                                     .goes_on = true,
                                     .limit_s = eb_call_number(call, "limit", EB_GRID_LIMIT_S),
                                     .host = {&g, make_points, find_logged, log_sampled, NULL, cell_changed,
                                              &observer}};
    if (eb_call_has(call, "eps") && eb_call_has(call, "S"))
        return eb_fail(status, EB_USAGE, "eps and S are both given; S would sample ε, so give one of them");
    EB_TRY(eb_engine_list(session, list ? list : EB_FAST, setup, MOST_RATED, &request.setups, job, status));
    /* ε is sampled on the first engine's device by EB_TRUE, which is always available. */
    (void)snprintf(spec, sizeof spec, EB_TRUE "[device=%s]", setup[0].device.name);
    EB_TRY(eb_session_setup(session, spec, &sampler, status));
    return measure(&g, &request, report, job, status);
}
