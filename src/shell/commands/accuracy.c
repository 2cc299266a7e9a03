/* The last comparison. */
#include <string.h>

#include "shell/commands/accuracy_report.h"
#include "shell/commands/commands.h"
#include "shell/defaults.h"

enum { SHOWN_BOUNDARY_PAIRS = 20 };

/* By its spec, however that is typed, or by its engine; any when none is named. */
static bool is_meant(const eb_session *session, const char *name, const eb_setup *setup)
{
    eb_spec spec;
    if (!name || strcmp(name, setup->spec) == 0)
        return true;
    if (eb_spec_parse(name, &session->settings.engines, &spec, NULL) || spec.engine != setup->engine)
        return false;
    return !strchr(name, '[') || memcmp(spec.options.value, setup->options.value, sizeof spec.options.value) == 0;
}

/* Which of the runs compared is asked about: the first that is meant. */
static eb_code find_compared(const eb_session *session, const eb_call *call, size_t *index, eb_status *status)
{
    const eb_comparison *c = session->comparison;
    const char *name = eb_call_text(call, "engine");
    char found[EB_MOST_COMPARED * EB_SPEC_TEXT] = "";
    if (!c)
        return eb_fail(status, EB_NOT_FOUND, "nothing is compared yet; `compare " EB_FAST " " EB_TRUE " S=64` does it");
    for (size_t k = 0; k < c->count; k++) {
        const eb_setup *setup = &c->run[k].setup;
        if (!c->compared[k])
            continue;
        *index = k;
        if (is_meant(session, name, setup))
            return EB_OK;
        (void)strcat(strcat(found, found[0] ? ", " : ""), setup->spec);
    }
    return eb_fail(status, EB_NOT_FOUND, "%.80s was not compared with %s; there are: %s", name,
                   c->run[c->reference].setup.spec, found);
}

static void describe(const eb_comparison *c, size_t k, eb_report *report)
{
    eb_report_field(report, "fast", "fast engine", EB_PLAIN, eb_text(c->run[k].setup.spec));
    eb_report_field(report, "truth", eb_has_truth(c) ? "truth" : "other engine", EB_PLAIN,
                    eb_text(c->run[c->reference].setup.spec));
}

eb_code eb_cmd_accuracy(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    size_t k;
    EB_TRY(find_compared(session, call, &k, status));
    const eb_comparison *c = session->comparison;
    const eb_accuracy *a = &c->accuracy[k];
    describe(c, k, report);
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(a->n));
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(a->eps));
    eb_report_field(report, "pairs_fast", "pairs |R|, fast", EB_PLAIN, eb_uint(a->pairs_fast));
    eb_report_field(report, "pairs_true", eb_has_truth(c) ? "pairs |R|, true" : "pairs |R|, other", EB_PLAIN,
                    eb_uint(a->pairs_true));
    eb_report_accuracy(report, "Accuracy", c, k);
    eb_report_accuracies(report, c);
    eb_report_overlaps(report, a);
    eb_report_boundary(report, c, k, SHOWN_BOUNDARY_PAIRS);
    eb_report_note(report,
                   "overlap: neighbours in both results over neighbours in either, self left out (FASTED, Eq. 3)");
    return EB_OK;
}

eb_code eb_cmd_hist(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    size_t k, wanted = (size_t)eb_call_integer(call, "bins", EB_SHOWN_BINS), bins = eb_possible_bins(wanted);
    EB_TRY(find_compared(session, call, &k, status));
    const eb_comparison *c = session->comparison;
    const eb_accuracy *a = &c->accuracy[k];
    describe(c, k, report);
    eb_report_field(report, "eps", "ε", EB_PLAIN, eb_real(a->eps));
    eb_report_field(report, "common", "pairs in both results", EB_PLAIN, eb_uint(a->common));
    eb_report_moments(report, c, k);
    eb_report_field(report, "bins", "bins", EB_PLAIN, eb_uint(bins));
    eb_report_field(report, "low", "from", EB_PLAIN, eb_real(a->errors.low));
    eb_report_field(report, "high", "to", EB_PLAIN, eb_real(a->errors.high));
    if (bins != wanted)
        eb_report_note(report, "%zu bins, the number nearest to %zu that divides the %u that are kept", bins, wanted,
                       EB_FINE_BINS);
    return eb_report_errors(report, c, k, bins, eb_call_flag(call, "log"), status);
}
