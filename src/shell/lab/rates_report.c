#include "shell/lab/rates_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/experiment/rates.h"
#include "core/experiment/time_words.h"
#include "draw/format.h"
#include "shell/commands/run_report.h"

enum { MOST_LINES = 6, MOST_LIMITS = 6, MOST_POINTS = MOST_LINES * EB_MOST_STEPS + 2 * MOST_LIMITS };

/* All unknown where the cell has no finished run. */
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
    static const char mark_of[] = EB_RATE_MARKS;
    const eb_experiment_request *q = e->request;
    char key[EB_SPEC_TEXT + 8], title[EB_SPEC_TEXT + 64];
    const size_t points = e->cells / q->setups;
    double *x = malloc(3 * points * sizeof *x), *y = x ? x + points : NULL, *z = x ? y + points : NULL;
    char *mark = malloc(points);
    for (size_t k = 0; x && mark && k < points; k++) {
        const eb_experiment_cell *cell = &e->cell[k * q->setups + setup];
        x[k] = (double)cell->n;
        y[k] = (double)cell->d;
        z[k] = numbers_of(cell).tflops_derived;
        mark[k] = mark_of[cell->state];
    }
    if (x && mark) {
        (void)snprintf(key, sizeof key, "map_%s", q->setup[setup].spec);
        (void)snprintf(title, sizeof title, "%s on %s", q->setup[setup].spec, q->setup[setup].device.name);
        eb_series *series =
            eb_report_series(report, &(eb_column){.key = key}, title, EB_HEAT, points, x, y, NULL, NULL);
        eb_series_axes(series, EB_F(n), true, EB_F(d), true);
        eb_series_heat(series, EB_F(tflops_derived), z);
        eb_series_marks(series, mark);
    } else {
        report->out_of_memory = true;
    }
    free(x);
    free(mark);
}

/* ---- the curves ---- */

typedef struct line {
    char mark;                        /* small: of an engine; capital: a limit */
    const char *spec, *device, *what; /* spec NULL: a limit */
    size_t n;                         /* 0: a limit */
    double tflops;                    /* its greatest */
} line;

typedef struct curves {
    const eb_experiment *e;
    double d[MOST_POINTS], tflops[MOST_POINTS];
    char mark[MOST_POINTS];
    size_t points;
    line line[MOST_LINES + MOST_LIMITS];
    size_t lines, limits; /* limits: of the lines */
} curves;

static void add_point(curves *c, size_t d, double tflops)
{
    c->d[c->points] = c->e->request->axis[1].step[d];
    c->tflops[c->points] = tflops;
    c->mark[c->points++] = c->line[c->lines - 1].mark;
}

/* False: nothing is known of that n. */
static bool add_line(curves *c, size_t n, size_t setup)
{
    const eb_experiment_request *q = c->e->request;
    double rate[EB_MOST_STEPS], most = NAN;
    for (size_t j = 0; j < q->axis[1].steps; j++) {
        rate[j] = numbers_of(eb_experiment_at(c->e, (size_t[]){n, j}, setup)).tflops_executed;
        most = fmax(most, rate[j]); /* fmax leaves NAN out */
    }
    if (isnan(most))
        return false;
    c->line[c->lines] = (line){.mark = (char)('a' + c->lines),
                               .spec = q->setup[setup].spec,
                               .device = q->setup[setup].device.name,
                               .what = "executed rate",
                               .n = (size_t)q->axis[0].step[n],
                               .tflops = most};
    c->lines++;
    for (size_t j = 0; j < q->axis[1].steps; j++)
        add_point(c, j, rate[j]);
    return true;
}

/* Of each engine the largest n, as many as there is room for. */
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
    return "limit when it was measured"; /* of a run from the log: since then measured anew */
}

static void add_limit(curves *c, const eb_setup *setup, double flops)
{
    const double tflops = flops / 1e12;
    for (size_t k = c->lines - c->limits; k < c->lines; k++)
        if (c->line[k].tflops == tflops)
            return;
    c->line[c->lines++] = (line){.mark = (char)('A' + c->limits++),
                                 .device = setup->device.name,
                                 .what = limit_title(setup, flops),
                                 .tflops = tflops};
    add_point(c, 0, tflops);
    add_point(c, c->e->request->axis[1].steps - 1, tflops);
}

static void add_limits(curves *c)
{
    for (size_t k = 0; k < c->e->cells && c->limits < MOST_LIMITS; k++) {
        const double flops = limit_of(&c->e->cell[k]);
        if (flops > 0)
            add_limit(c, c->e->cell[k].setup, flops);
    }
}

static void put_curves(eb_report *report, const curves *c)
{
    eb_series *series = eb_report_series(report, EB_F(curves), "Executed rate over d in TFLOPS, and its limits",
                                         EB_LINE, c->points, c->d, c->tflops, NULL, NULL);
    eb_series_axes(series, EB_F(d), true, EB_F(tflops_executed), true);
    eb_series_marks(series, c->mark);
    eb_table *table = EB_TABLE(report, EB_F(lines), "Lines", EB_F(mark), EB_F(spec), EB_F(device), EB_F(n), EB_F(what),
                               EB_F(tflops_greatest));
    for (size_t k = 0; k < c->lines; k++) {
        const line *l = &c->line[k];
        const char letter[] = {l->mark, '\0'};
        EB_ROW(table, eb_text(letter), eb_text(l->spec), eb_text(l->device), l->n ? eb_uint(l->n) : eb_na(),
               eb_text(l->what), eb_real(l->tflops));
    }
}

static void report_curves(eb_report *report, const eb_experiment *e)
{
    curves *c = calloc(1, sizeof *c);
    if (!c) {
        report->out_of_memory = true;
        return;
    }
    c->e = e;
    add_lines(c);
    if (c->lines > 0) {
        add_limits(c);
        put_curves(report, c);
    }
    free(c);
}

/* ---- what is to be said ---- */

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

/* Each refusal once: the first shape it came of. */
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

void eb_report_rates(eb_report *report, const eb_experiment *e)
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
