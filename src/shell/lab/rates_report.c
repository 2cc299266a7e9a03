#include "shell/lab/rates_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/experiment/time_words.h"
#include "draw/format.h"
#include "shell/commands/run_report.h"

enum { MOST_LINES = 6, MOST_LIMITS = 6, MOST_POINTS = MOST_LINES * EB_MOST_STEPS + 2 * MOST_LIMITS };

static double tera(double flops) { return flops / 1e12; }

static eb_value known_or_na(const eb_rate *rate, eb_value value) { return eb_rate_has(rate) ? value : eb_na(); }

/* ---- the cells ---- */

static void add_cell(eb_table *table, const eb_rate *rate)
{
    double executed = eb_rate_executed(rate);
    EB_ROW(table, eb_text(rate->setup->engine->name), eb_text(rate->setup->spec), eb_text(rate->setup->device.name),
           eb_uint(rate->n), eb_uint(rate->d), eb_real(rate->eps),
           known_or_na(rate, eb_real(eb_selectivity(rate->pairs, rate->n))), known_or_na(rate, eb_uint(rate->pairs)),
           eb_real(rate->kernel_s), eb_real(rate->kernel_cov), eb_real(rate->total_s),
           eb_real(tera(eb_rate_derived(rate))), eb_real(tera(executed)), eb_real(executed / rate->limit_flops),
           known_or_na(rate, eb_uint(rate->trials)), eb_text(eb_rate_state_name(rate->state)),
           eb_real(rate->forecast_s), rate->run ? eb_int(rate->run) : eb_na(),
           rate->why[0] ? eb_text(rate->why) : eb_na());
}

static bool any_limit(const eb_rates *rates)
{
    bool any = false;
    for (size_t k = 0; k < rates->cells; k++)
        any |= rates->cell[k].limit_flops > 0;
    return any;
}

static void report_cells(eb_report *report, const eb_rates *rates)
{
    const eb_rates_request *q = rates->request;
    eb_table *table = EB_TABLE(report, EB_F(cells), "Cells", EB_HIDDEN(engine), EB_F_IF(q->setups > 1, spec),
                               EB_HIDDEN(device), EB_F(n), EB_F(d), EB_HIDDEN(eps), EB_F(selectivity_brief),
                               EB_HIDDEN(pairs), EB_F(kernel_median_s), EB_F(kernel_cov), EB_F(total_s),
                               EB_F(tflops_derived), EB_F(tflops_executed), EB_F_IF(any_limit(rates), limit_share),
                               EB_HIDDEN(trials), EB_F(state), EB_F(forecast_s), EB_HIDDEN(run), EB_HIDDEN(reason));
    for (size_t k = 0; k < q->setups; k++)
        for (size_t c = k; c < rates->cells; c += q->setups)
            add_cell(table, &rates->cell[c]);
}

/* ---- the maps ---- */

static void report_map(eb_report *report, const eb_rates *rates, size_t setup)
{
    static const char mark_of[] = EB_RATE_MARKS;
    const eb_rates_request *q = rates->request;
    char key[EB_SPEC_TEXT + 8], title[EB_SPEC_TEXT + 64];
    size_t points = q->ns * q->ds;
    double *x = malloc(3 * points * sizeof *x), *y = x ? x + points : NULL, *z = x ? y + points : NULL;
    char *mark = malloc(points);
    for (size_t k = 0; x && mark && k < points; k++) {
        const eb_rate *rate = &rates->cell[k * q->setups + setup];
        x[k] = (double)rate->n;
        y[k] = (double)rate->d;
        z[k] = tera(eb_rate_derived(rate));
        mark[k] = mark_of[rate->state];
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
    const eb_rates *rates;
    double d[MOST_POINTS], tflops[MOST_POINTS];
    char mark[MOST_POINTS];
    size_t points;
    line line[MOST_LINES + MOST_LIMITS];
    size_t lines, limits; /* limits: of the lines */
} curves;

static void add_point(curves *c, size_t d, double tflops)
{
    c->d[c->points] = (double)c->rates->request->d[d];
    c->tflops[c->points] = tflops;
    c->mark[c->points++] = c->line[c->lines - 1].mark;
}

/* False: nothing is known of that n. */
static bool add_line(curves *c, size_t n, size_t setup)
{
    const eb_rates_request *q = c->rates->request;
    double rate[EB_MOST_STEPS], most = NAN;
    for (size_t j = 0; j < q->ds; j++) {
        rate[j] = tera(eb_rate_executed(eb_rates_at(c->rates, n, j, setup)));
        most = fmax(most, rate[j]); /* fmax leaves NAN out */
    }
    if (isnan(most))
        return false;
    c->line[c->lines] = (line){.mark = (char)('a' + c->lines),
                               .spec = q->setup[setup].spec,
                               .device = q->setup[setup].device.name,
                               .what = "executed rate",
                               .n = q->n[n],
                               .tflops = most};
    c->lines++;
    for (size_t j = 0; j < q->ds; j++)
        add_point(c, j, rate[j]);
    return true;
}

/* Of each engine the largest n, as many as there is room for. */
static void add_lines(curves *c)
{
    const eb_rates_request *q = c->rates->request;
    for (size_t k = 0; k < q->setups; k++) {
        size_t left = MOST_LINES / q->setups;
        for (size_t n = q->ns; n > 0 && left > 0; n--)
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

static void add_limit(curves *c, const eb_rate *rate)
{
    const double tflops = tera(rate->limit_flops);
    for (size_t k = c->lines - c->limits; k < c->lines; k++)
        if (c->line[k].tflops == tflops)
            return;
    c->line[c->lines++] = (line){.mark = (char)('A' + c->limits++),
                                 .device = rate->setup->device.name,
                                 .what = limit_title(rate->setup, rate->limit_flops),
                                 .tflops = tflops};
    add_point(c, 0, tflops);
    add_point(c, c->rates->request->ds - 1, tflops);
}

static void add_limits(curves *c)
{
    for (size_t k = 0; k < c->rates->cells && c->limits < MOST_LIMITS; k++)
        if (eb_rate_has(&c->rates->cell[k]) && c->rates->cell[k].limit_flops > 0)
            add_limit(c, &c->rates->cell[k]);
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

static void report_curves(eb_report *report, const eb_rates *rates)
{
    curves *c = calloc(1, sizeof *c);
    if (!c) {
        report->out_of_memory = true;
        return;
    }
    c->rates = rates;
    add_lines(c);
    if (c->lines > 0) {
        add_limits(c);
        put_curves(report, c);
    }
    free(c);
}

/* ---- what is to be said ---- */

static size_t count_of(const eb_rates *rates, eb_rate_state state)
{
    size_t count = 0;
    for (size_t k = 0; k < rates->cells; k++)
        count += rates->cell[k].state == state;
    return count;
}

static void note_states(eb_report *report, const eb_rates *rates)
{
    const eb_rates_request *q = rates->request;
    char limit[48];
    size_t known = count_of(rates, EB_RATE_KNOWN), too_long = count_of(rates, EB_RATE_LONG);
    size_t waiting = count_of(rates, EB_RATE_WAITING);
    if (known > 0)
        eb_report_note(report, "%zu of %zu cells are from the log; `fresh` measures them anew", known, rates->cells);
    if (too_long > 0)
        eb_report_note(report,
                       "%zu of %zu cells would take longer than %s each, with all trials, and are left out; limit= "
                       "says how long they may take",
                       too_long, rates->cells, eb_format_value(limit, sizeof limit, eb_real(q->limit_s), EB_SECONDS));
    if (waiting > 0)
        eb_report_note(report,
                       "%zu of %zu cells are still to come; what was measured is in the log, and the same line "
                       "goes on from there",
                       waiting, rates->cells);
}

/* Each refusal once: the first shape it came of. */
static void note_refusals(eb_report *report, const eb_rates *rates)
{
    for (size_t k = 0; k < rates->cells; k++) {
        const eb_rate *rate = &rates->cell[k];
        bool told = rate->state != EB_RATE_REFUSED;
        for (size_t j = 0; j < k && !told; j++)
            told = rates->cell[j].state == EB_RATE_REFUSED && rates->cell[j].setup == rate->setup;
        if (!told)
            eb_report_note(report, "%s refused %zu × %zu: %s", rate->setup->spec, rate->n, rate->d, rate->why);
    }
}

static void report_notes(eb_report *report, const eb_rates *rates)
{
    const eb_rates_request *q = rates->request;
    for (size_t k = 0; k < q->setups; k++)
        if (q->setup[k].note[0] != '\0')
            eb_report_note(report, "%s", q->setup[k].note);
    for (size_t k = 0; k < q->setups; k++)
        (void)eb_note_emulation(report, &q->setup[k]);
    note_states(report, rates);
    note_refusals(report, rates);
    if (isnan(q->eps))
        eb_report_note(report, "ε is sampled for S = %g on each shape; S is what was found", q->selectivity);
    eb_report_note(report, EB_PUBLISHED_BRIEF);
}

void eb_report_rates(eb_report *report, const eb_rates *rates)
{
    const eb_rates_request *q = rates->request;
    EB_FIELDS(report, {EB_F(data), eb_text("uniform on [0, 1), FP32")}, {EB_F(seed), eb_uint(q->seed)});
    if (isnan(q->eps))
        eb_report_field(report, EB_F(wanted_selectivity), eb_real(q->selectivity));
    else
        eb_report_field(report, EB_F(eps), eb_real(q->eps));
    EB_FIELDS(report, {EB_F(trials), eb_uint(q->trials)}, {EB_F(limit_s), eb_real(q->limit_s)});
    for (size_t k = 0; k < q->setups; k++)
        report_map(report, rates, k);
    report_curves(report, rates);
    report_cells(report, rates);
    report_notes(report, rates);
}
