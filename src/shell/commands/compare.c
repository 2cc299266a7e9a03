/* compare: the command `compare`: engines side by side, with times, rates, pairs, and how far the results agree with
 * the most exact engine's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/experiment/compare_sample.h"
#include "core/experiment/time_words.h"
#include "shell/commands/accuracy_report.h"
#include "shell/commands/commands.h"
#include "shell/commands/compare_several.h"
#include "shell/commands/members_report.h"
#include "shell/commands/run_report.h"
#include "shell/commands/sample_report.h"
#include "shell/conclude/conclude.h"
#include "shell/defaults.h"

enum { MOST_BESIDE = 8, SHOWN_BOUNDARY_PAIRS = 10, KEPT_BOUNDARY_PAIRS = 20 };

/* ---- the report ---- */

/* The first run that is not the reference. Parts of the report that show only one run show this run. */
static size_t first_of(const eb_comparison *c) { return c->reference == 0 ? 1 : 0; }

static eb_judgement judge(const eb_comparison *c, size_t k, const char *key)
{
    return eb_judge_runs(&c->run[c->reference], &c->run[k], key);
}

static eb_value word_of(const eb_judgement *j) { return eb_text(eb_verdict_name(j->verdict)); }

/* The first engine's verdict as a record, all engines' verdicts as a table. People see the record if two engines were
 * compared, else the table. */
static void report_verdicts(eb_report *report, const eb_comparison *c)
{
    char title[2 * EB_SPEC_TEXT + 32];
    size_t first = first_of(c);
    bool several = c->count > 2;
    (void)snprintf(title, sizeof title, "%s against %s", c->run[first].setup.spec, c->run[c->reference].setup.spec);
    eb_record *record = eb_report_record(report, EB_F(verdict), several ? NULL : title);
    eb_judgement kernels = judge(c, first, eb_figure_kernel.key), total = judge(c, first, eb_figure_total.key);
    EB_RECORD_FIELDS(record, {EB_F(kernel_verdict), word_of(&kernels)}, {EB_F(kernel_ratio), eb_real(kernels.ratio)},
                     {EB_F(kernel_reason), eb_text(kernels.reason)}, {EB_F(total), word_of(&total)},
                     {EB_F(total_ratio), eb_real(total.ratio)}, {EB_F(total_reason), eb_text(total.reason)});
    (void)snprintf(title, sizeof title, "Against %s", c->run[c->reference].setup.spec);
    eb_table *table = eb_report_table(report, EB_F(verdicts), several ? title : NULL);
    eb_table_turn(table);
    EB_COLUMNS(table, EB_F(spec), EB_F(kernel_verdict), EB_F(kernel_ratio), EB_HIDDEN(kernel_reason), EB_F(total),
               EB_F(total_ratio), EB_HIDDEN(total_reason));
    for (size_t k = 0; k < c->count; k++) {
        if (k == c->reference)
            continue;
        kernels = judge(c, k, eb_figure_kernel.key);
        total = judge(c, k, eb_figure_total.key);
        EB_ROW(table, eb_text(c->run[k].setup.spec), word_of(&kernels), eb_real(kernels.ratio), eb_text(kernels.reason),
               word_of(&total), eb_real(total.ratio), eb_text(total.reason));
        if (several)
            eb_report_note(report, "%s: kernels %s, %s; end to end %s, %s", c->run[k].setup.spec,
                           eb_verdict_name(kernels.verdict), kernels.reason, eb_verdict_name(total.verdict),
                           total.reason);
    }
}

static void note_emulations(eb_report *report, const eb_comparison *c)
{
    for (size_t k = 0; k < c->count; k++)
        if (eb_note_emulation(report, &c->run[k].setup)) {
            eb_report_field(report, EB_F(emulated), eb_text(c->run[k].setup.spec));
            return;
        }
}

static void report_notes(eb_report *report, const eb_comparison *c)
{
    bool all_done = c->count == c->wanted, missing = false;
    for (size_t k = 0; k < c->count; k++) {
        eb_note_run(report, &c->run[k]);
        all_done &= c->run[k].state == EB_RUN_DONE;
        missing |= k != c->reference && !c->compared[k];
    }
    if (all_done && missing)
        eb_report_note(report,
                       "accuracy is n/a: %s neighbour tables must be in memory together, and they are not; "
                       "`set memory=SIZE` raises the limit, a smaller ε makes them smaller",
                       c->wanted == 2 ? "both" : "all");
    if (c->count > 2 && c->compared[first_of(c)])
        eb_report_note(report,
                       "histogram and pairs are those of %s; `hist ENGINE` and `accuracy ENGINE` show another's",
                       c->run[first_of(c)].setup.spec);
    if (!eb_has_truth(c))
        eb_report_note(report, "%s is approximate: overlap and differences are relative to its result",
                       c->run[c->reference].setup.spec);
    eb_report_note(report, EB_TIMES_BRIEF);
}

/* Title of the table of times. It names an emulated engine, whose time is not a GPU's. */
static const char *title_of(const eb_comparison *c, char *buffer, size_t size)
{
    char sample[EB_SAMPLE_WORDS];
    (void)snprintf(buffer, size, "Side by side%s", eb_sample_words(c, sample));
    for (size_t k = 0; k < c->count; k++)
        if (eb_is_emulation(&c->run[k].setup)) {
            (void)snprintf(buffer, size, "Side by side%s; %s is emulated: its time is not a GPU's", sample,
                           c->run[k].setup.spec);
            break;
        }
    return buffer;
}

static eb_code report_comparison(eb_report *report, const eb_comparison *c, const eb_labels *labels, eb_status *status)
{
    const eb_run *runs[EB_MOST_COMPARED];
    size_t first = first_of(c);
    char title[EB_SPEC_TEXT + 64 + EB_SAMPLE_WORDS];
    eb_code failed = EB_OK;
    for (size_t k = 0; k < c->count; k++)
        runs[k] = &c->run[k];
    EB_FIELDS(report, {EB_F(n), eb_uint(eb_run_right(&c->run[0]))}, {EB_F(d), eb_uint(c->run[0].d)},
              {EB_F(eps), eb_real(c->run[0].eps)},
              {EB_F_IF(c->wanted > 2, reference), eb_text(c->run[c->reference].setup.spec)});
    eb_report_sample(report, c);
    eb_report_runs(report, title_of(c, title, sizeof title), runs, c->count);
    eb_report_splits(report, runs, c->count);
    eb_report_members(report, runs, c->count);
    if (c->count > first && c->count > c->reference && c->run[c->reference].trials_done > 0)
        report_verdicts(report, c);
    if (c->count > first)
        eb_report_accuracy(report, c->count > 2 ? NULL : "Accuracy", c, first);
    eb_report_accuracies(report, c);
    if (c->count > c->reference)
        eb_report_undecided(report, c);
    if (c->count > first && c->compared[first]) {
        failed = eb_report_errors(report, c, first, EB_SHOWN_BINS, false, status);
        eb_report_boundary(report, c, labels, first, SHOWN_BOUNDARY_PAIRS);
    }
    note_emulations(report, c);
    report_notes(report, c);
    if (c->count > first) {
        eb_note_ties(report, c, first);
        eb_conclude_comparison(report, c, first, false);
    }
    return failed;
}

/* ---- compare ---- */

/* Adds the session's truth to setup if all the engines named are approximate and there is room for one more. */
static eb_code add_truth(eb_session *session, eb_setup *setup, size_t *count, eb_report *report, eb_job *job,
                         eb_status *status)
{
    for (size_t k = 0; k < *count; k++)
        if (eb_setup_exactness(&setup[k]) != EB_APPROXIMATE)
            return EB_OK;
    if (*count == MOST_BESIDE)
        return EB_OK;
    EB_TRY(eb_session_truth(session, &setup[*count], status));
    eb_limits_ensure(session, &setup[*count].device, job);
    eb_report_note(report, "%s runs as well: the engines named are approximate, and are measured against the truth",
                   setup[*count].spec);
    ++*count;
    return EB_OK;
}

static eb_code make_setups(eb_session *session, const eb_call *call, eb_setup *setup, size_t *count, eb_report *report,
                           eb_job *job, eb_status *status)
{
    const char *fast = eb_call_text(call, "fast"), *truth = eb_call_text(call, "truth"),
               *more = eb_call_text(call, "more");
    const char *const lists[] = {fast ? fast : EB_FAST, fast || truth || more ? truth : EB_SURE, more};
    char spec[EB_SPEC_TEXT], usage[400];
    *count = 0;
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        for (const char *list = lists[k]; list; ++*count) {
            EB_TRY(eb_spec_next(&list, spec, sizeof spec, status));
            if (*count == MOST_BESIDE)
                return eb_fail(status, EB_USAGE, "at most %d engines fit beside each other", MOST_BESIDE);
            EB_TRY(eb_session_setup_rated(session, spec, &setup[*count], job, status));
        }
    EB_TRY(add_truth(session, setup, count, report, job, status));
    if (*count < 2)
        return eb_fail(status, EB_USAGE, "compare takes two engines or more, found %s alone; usage: %s", setup->spec,
                       eb_command_usage(call->command, usage, sizeof usage));
    return EB_OK;
}

static eb_code measure_and_report(eb_session *session, const eb_compare_request *request, bool self_pairs,
                                  eb_comparison *c, eb_report *report, eb_job *job, eb_status *status)
{
    eb_status unreported;
    const eb_run_observer observer = eb_session_observer(session);
    eb_session_drop_neighbours(session);
    eb_code failed = eb_compare(request, &observer, job, c, status);
    eb_comparison view;
    c->self_pairs = self_pairs;
    eb_code unseen = eb_view_make(c, self_pairs, session->dataset, job, &view, failed ? &unreported : status);
    failed = failed ? failed : unseen;
    for (size_t k = 0; k < view.count; k++)
        if (view.compared[k])
            eb_accuracy_log(session, &view, k);
    /* Finished trials are reported even if the command was interrupted. */
    if (view.count > 0 && view.run[0].trials_done > 0) {
        eb_code unfinished = report_comparison(report, &view, session->dataset->labels, failed ? &unreported : status);
        failed = failed ? failed : unfinished;
    }
    eb_view_free(&view);
    return failed;
}

/* The default is one trial if an engine is emulated: its time means little, and its result is the same each time. */
static unsigned trials_of(const eb_session *session, const eb_call *call, const eb_setup *setup, size_t count)
{
    bool emulated = false;
    for (size_t k = 0; k < count; k++)
        emulated |= eb_is_emulation(&setup[k]);
    return (unsigned)eb_call_integer(call, "trials", emulated ? 1 : session->settings.trials);
}

/* Compares, and keeps what is compared. report NULL: none. */
static eb_code compare_and_keep(eb_session *session, const eb_compare_request *request, bool self_pairs,
                                eb_report *report, eb_job *job, eb_status *status)
{
    eb_comparison *c = calloc(1, sizeof *c);
    if (!c)
        return eb_fail_memory(status, "a comparison", sizeof *c);
    eb_code failed = measure_and_report(session, request, self_pairs, c, report, job, status);
    bool any = false;
    eb_comparison_drop_neighbours(c);
    for (size_t k = 0; k < c->count; k++)
        any |= c->compared[k];
    if (any) {
        eb_comparison_keep(session, c);
        return failed;
    }
    if (!failed)
        eb_comparison_keep(session, NULL);
    eb_comparison_free(c);
    free(c);
    return failed;
}

static eb_compare_request request_of(const eb_session *session, const eb_setup *setup)
{
    return (eb_compare_request){.setup = setup,
                                .dataset = session->dataset,
                                .memory_limit = session->settings.memory_limit,
                                .bins = EB_FINE_BINS,
                                .boundary = KEPT_BOUNDARY_PAIRS,
                                .threads = session->settings.threads,
                                .seed = session->settings.seed};
}

eb_code eb_compare_again(eb_session *session, const eb_call *call, eb_job *job, eb_status *status)
{
    const eb_comparison *c = session->comparison;
    eb_setup setup[EB_MOST_COMPARED];
    eb_compare_request request = request_of(session, setup);
    EB_TRY(eb_read_sample(call, &request, status));
    if (request.may_sample)
        return EB_OK;
    EB_TRY(eb_session_check_dataset(session, status));
    const size_t drawn = request.sample < session->dataset->n ? request.sample : 0;
    if (drawn == c->rows.count)
        return EB_OK;
    request.count = c->count;
    request.eps = c->run[0].eps;
    request.trials = 1;
    request.warm_up = EB_WARM_UP_NONE;
    request.distances = EB_DISTANCES_F64;
    for (size_t k = 0; k < c->count; k++) {
        setup[k] = c->run[k].setup;
        request.distances = c->run[k].distances == EB_DISTANCES_F32 ? EB_DISTANCES_F32 : request.distances;
    }
    return compare_and_keep(session, &request, c->self_pairs, NULL, job, status);
}

/* A comparison that may be of a sample needs no ε that takes longer to count. Small datasets are always counted. */
static double patience_of(const eb_session *session, const eb_compare_request *request)
{
    const eb_problem whole = eb_self_join(session->dataset);
    const bool all = !request->may_sample && request->sample >= session->dataset->n;
    return all || eb_warm_up_is_small(&whole) ? 0 : EB_LONG_COMPARISON_S;
}

eb_code eb_cmd_compare(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup[EB_MOST_COMPARED];
    eb_targets targets;
    eb_compare_request request = request_of(session, setup);
    request.warm_up = eb_warm_up_of(eb_call_text(call, "warmup"));
    request.distances = eb_distances_find(eb_call_text(call, "distances"));
    EB_TRY(make_setups(session, call, setup, &request.count, report, job, status));
    request.trials = trials_of(session, call, setup, request.count);
    EB_TRY(eb_read_sample(call, &request, status));
    EB_TRY(eb_compare_check(&request, status));
    EB_TRY(eb_resolve_targets(session, call, NAN, patience_of(session, &request), report, &targets, job, status));
    const char *self = eb_call_text(call, "self");
    bool self_pairs = self && strcmp(self, eb_self_words(true)) == 0;
    if (targets.count > 1)
        return eb_compare_several(session, &request, &targets, self_pairs, report, job, status);
    request.eps = targets.target[0].eps;
    return compare_and_keep(session, &request, self_pairs, report, job, status);
}
