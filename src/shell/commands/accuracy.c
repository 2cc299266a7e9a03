/* accuracy: the commands `accuracy` and `hist`, which report on the last comparison. */
#include <stdio.h>
#include <string.h>

#include "shell/commands/accuracy_report.h"
#include "shell/commands/commands.h"
#include "shell/commands/run_report.h"
#include "shell/commands/sample_report.h"
#include "shell/conclude/conclude.h"
#include "shell/defaults.h"

enum { SHOWN_BOUNDARY_PAIRS = 20 };

typedef enum likeness { NOT_MEANT, ITS_ENGINE, ITS_SPEC } likeness;

/* How `name` matches a run's setup: by spec, in any spelling, or by engine name. NULL matches every setup. */
static likeness is_meant(const eb_session *session, const char *name, const eb_setup *setup)
{
    eb_spec spec;
    if (!name || strcmp(name, setup->spec) == 0)
        return ITS_SPEC;
    if (eb_spec_parse(name, &session->settings.engines, &spec, NULL) || spec.engine != setup->engine)
        return NOT_MEANT;
    if (memcmp(spec.options.value, setup->options.value, sizeof spec.options.value) == 0)
        return ITS_SPEC;
    return strchr(name, '[') ? NOT_MEANT : ITS_ENGINE;
}

/* Index of the run that argument "engine" means: the first match by spec, else the first match by engine. */
static eb_code find_compared(const eb_session *session, const eb_call *call, size_t *index, eb_status *status)
{
    const eb_comparison *c = session->comparison;
    const char *name = eb_call_text(call, "engine");
    char there[EB_MOST_COMPARED * (EB_SPEC_TEXT + 2)] = "";
    size_t used = 0;
    likeness best = NOT_MEANT;
    if (!c)
        return eb_fail(status, EB_NOT_FOUND, "nothing is compared yet; `compare " EB_FAST " " EB_TRUE " S=64` does it");
    for (size_t k = 0; k < c->count; k++) {
        likeness like = c->compared[k] ? is_meant(session, name, &c->run[k].setup) : NOT_MEANT;
        if (like > best)
            *index = k;
        best = like > best ? like : best;
        if (c->compared[k])
            used += (size_t)snprintf(there + used, sizeof there - used, "%s%s", used ? ", " : "", c->run[k].setup.spec);
    }
    if (best == NOT_MEANT)
        return eb_fail(status, EB_NOT_FOUND, "%.80s was not compared with %s; there are: %s", name,
                       c->run[c->reference].setup.spec, there);
    return EB_OK;
}

static void describe(const eb_comparison *c, size_t k, eb_report *report)
{
    EB_FIELDS(report, {EB_F(fast), eb_text(c->run[k].setup.spec)},
              {eb_has_truth(c) ? EB_F(truth) : EB_F(truth_other), eb_text(c->run[c->reference].setup.spec)},
              {EB_F_IF(c->run[k].distances == EB_DISTANCES_F32, distances),
               eb_text(eb_distances_name(c->run[k].distances))});
    eb_warn_of_run(report, &c->run[k]);
    eb_warn_of_run(report, &c->run[c->reference]);
}

/* The last comparison, with or without self pairs: as argument "self" says, else as `compare` had it. */
static eb_code view_of(eb_session *session, const eb_call *call, eb_comparison *view, size_t *k, eb_job *job,
                       eb_status *status)
{
    EB_TRY(find_compared(session, call, k, status));
    const char *self = eb_call_text(call, "self");
    bool in = self ? strcmp(self, eb_self_words(true)) == 0 : session->comparison->self_pairs;
    eb_code failed = eb_view_make(session->comparison, in, session->dataset, job, view, status);
    if (failed)
        eb_view_free(view);
    return failed;
}

eb_code eb_cmd_accuracy(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    size_t k;
    eb_comparison view, *c = &view;
    EB_TRY(find_compared(session, call, &k, status));
    EB_TRY(eb_compare_again(session, call, job, status));
    EB_TRY(view_of(session, call, &view, &k, job, status));
    const eb_accuracy *a = &c->accuracy[k];
    const eb_dataset *ds = session->dataset;
    describe(c, k, report);
    if (ds)
        eb_report_dataset(report, eb_dataset_name(ds));
    eb_report_field(report, EB_F(n), eb_uint(a->of));
    eb_report_sample(report, c);
    EB_FIELDS(report, {EB_F(eps), eb_real(a->eps)}, {EB_F(pairs_fast), eb_uint(a->pairs_fast)},
              {eb_has_truth(c) ? EB_F(pairs_true) : EB_F(pairs_other), eb_uint(a->pairs_true)});
    eb_report_accuracy(report, "Accuracy", c, k);
    eb_report_accuracies(report, c);
    eb_report_undecided(report, c);
    eb_report_overlaps(report, c, k);
    eb_report_boundary(report, c, ds ? ds->labels : NULL, k, SHOWN_BOUNDARY_PAIRS);
    if (a->boundary_count > 0 && strcmp(c->run[k].setup.engine->name, EB_FAST) == 0)
        eb_report_note(report, "`explain %u %u` takes the pair nearest to ε apart, from its bytes to both verdicts",
                       (unsigned)a->boundary[0].i, (unsigned)a->boundary[0].j);
    eb_report_note(report, c->self_pairs ? "overlap: neighbours in both results over neighbours in either (FASTED, Eq. "
                                           "3), errors over ordered pairs; a point is its own neighbour in both"
                                         : "overlap: neighbours in both results over neighbours in either, self left "
                                           "out (FASTED, Eq. 3)");
    eb_note_ties(report, c, k);
    eb_conclude_comparison(report, c, k, true);
    eb_view_free(&view);
    return EB_OK;
}

eb_code eb_cmd_hist(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    size_t k, wanted = (size_t)eb_call_integer(call, "bins", EB_SHOWN_BINS), bins = eb_possible_bins(wanted);
    eb_comparison view, *c = &view;
    EB_TRY(view_of(session, call, &view, &k, job, status));
    const eb_accuracy *a = &c->accuracy[k];
    const eb_dataset *ds = session->dataset;
    describe(c, k, report);
    if (ds)
        eb_report_dataset(report, eb_dataset_name(ds));
    eb_report_sample(report, c);
    EB_FIELDS(report, {EB_F(eps), eb_real(a->eps)}, {EB_F(common), eb_uint(a->common)});
    eb_report_moments(report, c, k);
    EB_FIELDS(report, {EB_F(bins), eb_uint(bins)}, {EB_F(low), eb_real(a->errors.low)},
              {EB_F(high), eb_real(a->errors.high)});
    if (bins != wanted)
        eb_report_note(report, "%zu bins, the number nearest to %zu that divides the %u that are kept", bins, wanted,
                       EB_FINE_BINS);
    eb_code failed = eb_report_errors(report, c, k, bins, eb_call_flag(call, "log"), status);
    eb_view_free(&view);
    return failed;
}
