#include "shell/commands/compare_several.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/experiment/compare_sample.h"
#include "core/experiment/time_words.h"
#include "shell/commands/accuracy_report.h"
#include "shell/commands/members_report.h"
#include "shell/commands/run_report.h"
#include "shell/commands/sample_report.h"
#include "shell/conclude/words.h"

/* What the curves need of one engine at one ε; NAN: not measured. */
typedef struct spot {
    double s, total_s, overlap;
} spot;

typedef struct several {
    eb_session *session;
    const eb_targets *targets;
    eb_compare_request request;
    bool self_pairs, truth; /* truth: the reference is exact */
    double whole_s;         /* forecast for all points, if a sample is drawn for it; else NAN */
    eb_report *report;
    eb_table *table;
    size_t done, finished; /* targets with a row; those compared to the end */
    spot spot[EB_MOST_TARGETS][EB_MOST_COMPARED];
} several;

/* ---- the rows ---- */

static void begin(several *v, const eb_comparison *c)
{
    char words[EB_SAMPLE_WORDS], title[EB_SAMPLE_WORDS + 48];
    const bool truth = v->truth = eb_has_truth(c);
    EB_FIELDS(v->report, {EB_F(n), eb_uint(eb_run_right(&c->run[0]))}, {EB_F(d), eb_uint(c->run[0].d)},
              {EB_F(reference), eb_text(c->run[c->reference].setup.spec)});
    eb_report_sample(v->report, c);
    (void)snprintf(title, sizeof title, "Side by side at each ε%s", eb_sample_words(c, words));
    const bool tuned = v->targets->tuned;
    v->table =
        EB_TABLE(v->report, EB_F(targets), title, EB_F_IF(tuned, wanted), EB_F(eps), EB_F_IF(!tuned, selectivity_brief),
                 EB_F(spec), EB_F(pairs), EB_F(kernel_s), EB_F(total_s), EB_F(tflops_derived), EB_F(overlap),
                 EB_F_IF(c->rows.count, overlap_from), EB_F_IF(c->rows.count, overlap_to), EB_F(worst_overlap),
                 truth ? EB_F(error_average) : EB_F(difference_average),
                 truth ? EB_HIDDEN(error_max) : EB_HIDDEN(difference_max), EB_HIDDEN(trials), EB_HIDDEN(state),
                 EB_HIDDEN(evenness), EB_HIDDEN(self_pairs), EB_HIDDEN(only_fast), EB_HIDDEN(only_true));
}

static void add_run(several *v, const eb_target *target, const eb_comparison *c, size_t k)
{
    const eb_run_numbers f = eb_run_numbers_of(&c->run[k]);
    const eb_accuracy *a = c->compared[k] ? &c->accuracy[k] : NULL;
    const eb_value none = eb_na();
    v->spot[v->done][k] = (spot){eb_value_number(f.selectivity), f.total.median, a ? a->overlap : NAN};
    EB_ROW(v->table, eb_real(target->wanted), eb_real(target->eps), f.selectivity, eb_text(c->run[k].setup.spec),
           f.pairs, eb_real(f.kernel.median), eb_real(f.total.median), eb_real(f.tflops_derived),
           a ? eb_real(a->overlap) : none, a ? eb_real(a->overlap_in.low) : none,
           a ? eb_real(a->overlap_in.high) : none, a ? eb_real(a->overlap_min) : none,
           a ? eb_real(a->error_mean) : none, a ? eb_real(a->error_max) : none, eb_uint(c->run[k].trials_done),
           eb_text(eb_run_state_name(c->run[k].state)), eb_real(eb_run_evenness(&c->run[k])),
           eb_text(eb_self_words(c->self_pairs)), a ? eb_uint(a->only_fast) : none, a ? eb_uint(a->only_true) : none);
}

static void add_rows(several *v, const eb_comparison *c)
{
    if (c->count == 0 || c->run[0].trials_done == 0)
        return;
    if (v->done == 0)
        begin(v, c);
    for (size_t k = 0; k < v->request.count; k++)
        v->spot[v->done][k] = (spot){NAN, NAN, NAN};
    for (size_t k = 0; k < c->count; k++)
        if (c->run[k].trials_done > 0)
            add_run(v, &v->targets->target[v->done], c, k);
    const double s = v->spot[v->done][c->reference].s;
    for (size_t k = 0; k < c->count && !isnan(s); k++) /* engines stand above each other */
        v->spot[v->done][k].s = s;
    v->done++;
}

/* ---- the curves ---- */

static void add_line(several *v, eb_series *series, size_t k, bool overlap)
{
    const char mark = (char)('a' + k);
    eb_series_name(series, mark, v->request.setup[k].spec);
    for (size_t t = 0; t < v->done; t++) {
        const spot *at = &v->spot[t][k];
        if (!isnan(overlap ? at->overlap : at->total_s))
            eb_series_add(series, at->s, overlap ? at->overlap : at->total_s, 0, mark);
    }
}

static bool any_overlap(const several *v, size_t k)
{
    bool any = false;
    for (size_t t = 0; t < v->done; t++)
        any |= !isnan(v->spot[t][k].overlap);
    return any;
}

static void add_curves(several *v, const eb_comparison *c)
{
    char words[EB_SAMPLE_WORDS], title[EB_SAMPLE_WORDS + 48];
    (void)snprintf(title, sizeof title, "Overlap over S%s", eb_sample_words(c, words));
    eb_series *overlaps = NULL;
    for (size_t k = 0; k < v->request.count; k++)
        if (any_overlap(v, k)) {
            overlaps = overlaps ? overlaps : eb_report_dots(v->report, EB_F(overlap_curve), title, EB_LINE);
            add_line(v, overlaps, k, true);
        }
    eb_series_axes(overlaps, EB_F(selectivity), true, EB_F(overlap), false);
    (void)snprintf(title, sizeof title, "Time end to end over S%s", words);
    eb_series *times = eb_report_dots(v->report, EB_F(time_curve), title, EB_LINE);
    for (size_t k = 0; k < v->request.count; k++)
        add_line(v, times, k, false);
    eb_series_axes(times, EB_F(selectivity), true, EB_F(total_s), true);
}

/* ---- the end of the report ---- */

/* What each device of a team did at the last ε. For programs, and for the panel Accuracy: that ε's first engine, as the
 * report of one comparison has it. */
static void add_last(several *v, eb_comparison *last, eb_job *job)
{
    const size_t k = last->reference == 0 ? 1 : 0;
    const eb_run *runs[EB_MOST_COMPARED];
    eb_comparison view;
    for (size_t r = 0; r < last->count; r++)
        runs[r] = &last->run[r];
    eb_report_members(v->report, runs, last->count);
    if (!last->compared[k])
        return;
    if (!eb_view_make(last, v->self_pairs, v->request.dataset, job, &view, NULL)) {
        EB_FIELDS(v->report, {EB_HIDDEN(fast), eb_text(last->run[k].setup.spec)},
                  {EB_HIDDEN(eps), eb_real(last->run[k].eps)});
        eb_report_accuracy(v->report, NULL, &view, k);
    }
    eb_view_free(&view);
}

static void add_notes(several *v, const eb_comparison *c)
{
    for (size_t k = 0; k < c->count; k++) {
        eb_warn_of_run(v->report, &c->run[k]);
        (void)eb_note_emulation(v->report, &c->run[k].setup);
    }
    if (!v->truth)
        eb_report_note(v->report, "%s is approximate: overlap and differences are relative to its result",
                       c->run[c->reference].setup.spec);
    eb_report_note(v->report, EB_TIMES_BRIEF);
    eb_report_note(v->report, "`accuracy` and `hist` show more of the last ε");
}

/* "Overlap of fasted with exact: 99.98 % at S = 64, 99.99 % at S = 256": the first engine, first and last S. */
static void conclude(const several *v, const eb_comparison *c)
{
    const size_t k = c->reference == 0 ? 1 : 0, last = v->done - 1;
    const spot *first = &v->spot[0][k], *final = &v->spot[last][k];
    char more[2 * EB_WORD + 16] = "", words[EB_SAMPLE_WORDS];
    if (isnan(first->overlap))
        return;
    if (last > 0 && !isnan(final->overlap))
        (void)snprintf(more, sizeof more, ", %s at S = %s", EB_SHARE(final->overlap), EB_NUMBER(final->s));
    eb_report_conclude(v->report, "Overlap of %s with %s: %s at S = %s%s%s", v->request.setup[k].spec,
                       v->request.setup[c->reference].spec, EB_SHARE(first->overlap), EB_NUMBER(first->s), more,
                       eb_sample_words(c, words));
}

/* ---- comparing ---- */

/* The sample of all targets: as for one comparison that takes as long as all together. */
static eb_code choose_sample(several *v, eb_job *job, eb_status *status)
{
    eb_compare_request *q = &v->request;
    const eb_target *last = &v->targets->target[v->targets->count - 1];
    v->whole_s = NAN;
    if (q->sample > 0 || !q->may_sample)
        return EB_OK;
    q->may_sample = false;
    const double all_s =
        (double)v->targets->count * eb_comparison_forecast(q->setup, q->count, q->dataset, last->eps, q->trials, job);
    q->sample = eb_sample_for(q->dataset->n, all_s);
    v->whole_s = q->sample > 0 ? all_s : NAN;
    return eb_job_check(job, status);
}

/* Compares at a target, and adds what it finds to the report. */
static eb_code compare_at(several *v, const eb_target *target, eb_comparison *c, eb_job *job, eb_status *status)
{
    const eb_run_observer observer = eb_session_observer(v->session);
    eb_status unreported;
    eb_comparison view;
    v->request.eps = target->eps;
    eb_code failed = eb_compare(&v->request, &observer, job, c, status);
    c->self_pairs = v->self_pairs;
    c->whole_s = v->whole_s;
    const eb_code unseen =
        eb_view_make(c, v->self_pairs, v->request.dataset, job, &view, failed ? &unreported : status);
    for (size_t k = 0; k < view.count; k++)
        if (view.compared[k])
            eb_accuracy_log(v->session, &view, k);
    add_rows(v, &view);
    v->finished += !failed;
    eb_view_free(&view);
    eb_comparison_drop_neighbours(c);
    return failed ? failed : unseen;
}

static bool any_compared(const eb_comparison *c)
{
    bool any = false;
    for (size_t k = 0; k < c->count; k++)
        any |= c->compared[k];
    return any;
}

/* *last: the comparison that the session keeps, or NULL. */
static eb_code compare_all(several *v, eb_comparison **last, eb_job *job, eb_status *status)
{
    eb_code failed = choose_sample(v, job, status);
    for (size_t t = 0; t < v->targets->count && !failed; t++) {
        eb_comparison *c = calloc(1, sizeof *c);
        if (!c)
            return eb_fail_memory(status, "a comparison", sizeof *c);
        failed = compare_at(v, &v->targets->target[t], c, job, status);
        if (any_compared(c)) {
            eb_comparison_keep(v->session, c);
            *last = c;
        } else {
            eb_comparison_free(c);
            free(c);
        }
    }
    return failed;
}

eb_code eb_compare_several(eb_session *session, const eb_compare_request *request, const eb_targets *targets,
                           bool self_pairs, eb_report *report, eb_job *job, eb_status *status)
{
    several *v = calloc(1, sizeof *v);
    eb_comparison *last = NULL;
    if (!v)
        return eb_fail_memory(status, "comparisons", sizeof *v);
    *v = (several){.session = session,
                   .targets = targets,
                   .request = *request,
                   .self_pairs = self_pairs,
                   .report = report};
    eb_session_drop_neighbours(session);
    const eb_code failed = compare_all(v, &last, job, status);
    if (v->done > 0 && last) {
        add_last(v, last, job);
        add_curves(v, last);
        add_notes(v, last);
        conclude(v, last);
    }
    if (v->done > 0 && v->finished < targets->count)
        eb_report_note(report, "%zu of %zu ε were compared to the end", v->finished, targets->count);
    free(v);
    return failed;
}
