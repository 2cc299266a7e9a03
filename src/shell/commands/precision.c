/* precision: the command `precision`: how much of the truth's result each number type of tensor cores keeps, predicted
 * from a sample and measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/accuracy/prediction.h"
#include "draw/plots/pareto.h"
#include "shell/commands/accuracy_report.h"
#include "shell/commands/commands.h"
#include "shell/commands/run_report.h"
#include "shell/conclude/words.h"
#include "shell/defaults.h"

/* A way to keep coordinates. */
typedef struct rung {
    const char *type, *title, *spec;
    unsigned bytes;
    bool usual; /* tried unless types= names others */
} rung;

/* The cheapest first; at most EB_MOST_COMPARED − 1 usual ones. */
static const rung rungs[] = {
    {"s8", "INT8, point steps", EB_RUNGS "[type=s8,centre=mean,step=point]", 1, true},
    {"s8", "INT8, one step", EB_RUNGS "[type=s8,centre=mean]", 1, true},
    {"e4m3", "FP8 E4M3", EB_RUNGS "[type=e4m3,centre=mean,exponent=max]", 1, true},
    {"e5m2", "FP8 E5M2", EB_RUNGS "[type=e5m2,centre=mean,exponent=max]", 1, true},
    {"bf16", "BF16", EB_RUNGS "[type=bf16]", 2, true},
    {"f16", "FP16", EB_RUNGS "[type=f16,exponent=auto]", 2, true},
    {"tf32", "TF32", EB_RUNGS "[type=tf32]", 4, false},
    {"f16", "two FP16", EB_RUNGS "[type=f16,parts=2,exponent=max]", 4, true},
};
enum { RUNGS = sizeof rungs / sizeof rungs[0], MOST_TRIED = EB_MOST_COMPARED - 1 };

typedef struct trying {
    const eb_session *session;
    const rung *rung[MOST_TRIED];
    eb_setup setup[EB_MOST_COMPARED]; /* of the rungs, then of the truth */
    size_t count;                     /* of rungs */
    eb_overlap_prediction prediction[MOST_TRIED];
    eb_comparison *measured; /* NULL: predicted only */
    size_t run[MOST_TRIED];  /* the measured run of each rung; SIZE_MAX: none, its result would be useless */
    double eps, want;
    bool predict; /* only */
} trying;

/* ---- which ---- */

static bool names(const char *list, const char *type)
{
    const size_t length = strlen(type);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, type, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static eb_code check_types(const char *list, eb_status *status)
{
    for (const char *at = list; at;) {
        const char *comma = strchr(at, ',');
        const int length = comma ? (int)(comma - at) : (int)strlen(at);
        bool known = false;
        for (size_t k = 0; k < RUNGS; k++)
            known |= (int)strlen(rungs[k].type) == length && strncmp(rungs[k].type, at, (size_t)length) == 0;
        if (!known)
            return eb_fail(status, EB_USAGE,
                           "types=: \"%.*s\" is no number type; there are: s8, e4m3, e5m2, bf16, tf32, f16", length,
                           at);
        at = comma ? comma + 1 : NULL;
    }
    return EB_OK;
}

static eb_code choose(eb_session *session, const char *types, trying *t, eb_status *status)
{
    EB_TRY(check_types(types, status));
    for (size_t k = 0; k < RUNGS && t->count < MOST_TRIED; k++) {
        if (types ? !names(types, rungs[k].type) : !rungs[k].usual)
            continue;
        EB_TRY(eb_session_setup(session, rungs[k].spec, &t->setup[t->count], status));
        t->rung[t->count++] = &rungs[k];
    }
    return eb_session_truth(session, &t->setup[t->count], status);
}

/* ---- predicting and measuring ---- */

static eb_code predict(eb_session *session, trying *t, eb_report *report, eb_job *job, eb_status *status)
{
    eb_near_pairs pairs;
    eb_code failed =
        eb_near_pairs_find(session->dataset, t->eps, &t->setup[t->count], session->settings.seed, job, &pairs, status);
    for (size_t k = 0; k < t->count && !failed; k++)
        failed = eb_overlap_predict(&pairs, &t->setup[k], job, &t->prediction[k], status);
    if (!failed && isnan(pairs.slope))
        eb_report_note(report, "no prediction: too few pairs of %zu sampled points have a distance near ε",
                       pairs.queries);
    else if (!failed)
        eb_report_note(report, "predicted from %s near ε of %zu sampled points; S grows as ε to the power %.3g there",
                       EB_COUNT(pairs.count, "pair", "pairs"), pairs.queries, pairs.slope);
    eb_near_pairs_free(&pairs);
    return failed;
}

/* Rungs whose result is predicted to be useless are not joined: such a join looks at nearly all pairs. */
static eb_code measure(eb_session *session, trying *t, eb_job *job, eb_status *status)
{
    eb_setup setup[EB_MOST_COMPARED];
    size_t count = 0;
    for (size_t k = 0; k < t->count; k++) {
        t->run[k] = t->prediction[k].useless ? SIZE_MAX : count;
        if (!t->prediction[k].useless)
            setup[count++] = t->setup[k];
    }
    if (count == 0)
        return EB_OK;
    setup[count++] = t->setup[t->count];
    const eb_compare_request request = {.setup = setup,
                                        .count = count,
                                        .dataset = session->dataset,
                                        .eps = t->eps,
                                        .trials = 1,
                                        .memory_limit = session->settings.memory_limit,
                                        .distances = EB_DISTANCES_F64,
                                        .threads = session->settings.threads};
    const eb_run_observer observer = eb_session_observer(session);
    EB_TRY(eb_compare_check(&request, status));
    t->measured = calloc(1, sizeof *t->measured);
    if (!t->measured)
        return eb_fail_memory(status, "a comparison", sizeof *t->measured);
    eb_session_drop_neighbours(session);
    const eb_code failed = eb_compare(&request, &observer, job, t->measured, status);
    for (size_t k = 0; k < t->measured->count; k++)
        if (t->measured->compared[k])
            eb_accuracy_log(session, t->measured, k);
    eb_comparison_drop_neighbours(t->measured);
    return failed;
}

/* ---- the report ---- */

static const eb_accuracy *accuracy_of(const trying *t, size_t k)
{
    const size_t run = t->run[k];
    return t->measured && run < t->measured->count && t->measured->compared[run] ? &t->measured->accuracy[run] : NULL;
}

static double share(uint64_t part, uint64_t rest) { return part + rest > 0 ? (double)part / (double)(part + rest) : 1; }

/* The overlap of pairs, which the prediction is about. */
static double overlap_of_pairs(const eb_accuracy *a) { return share(a->common, a->only_fast + a->only_true); }

static const char *word_of(const eb_overlap_prediction *p, const eb_accuracy *a)
{
    if (isnan(p->overlap))
        return NULL;
    if (p->exact && (!a || a->only_fast + a->only_true == 0))
        return "exact";
    if (p->useless)
        return "useless";
    if (!a)
        return NULL;
    /* The number of wrong pairs scatters by its root. */
    const double wrong = (double)(a->only_fast + a->only_true),
                 room = 2 * sqrt(wrong + 1) / ((double)a->common + wrong);
    const double measured = overlap_of_pairs(a);
    return measured >= p->low - room && measured <= p->high + room ? "held" : "missed";
}

static void report_rungs(const trying *t, eb_report *report)
{
    eb_table *table =
        EB_TABLE(report, EB_F(rungs), "How much of the truth's result each number type keeps", EB_F(rung),
                 EB_F(rung_bytes), EB_F(overlap_predicted), EB_HIDDEN(overlap_low), EB_HIDDEN(overlap_high),
                 EB_F(overlap), EB_F(worst_overlap), EB_HIDDEN(pairs_kept), EB_HIDDEN(pairs_right), EB_F(error_of_eps),
                 EB_HIDDEN(error_most_of_eps), EB_F(prediction), EB_HIDDEN(spec));
    for (size_t k = 0; k < t->count; k++) {
        const eb_overlap_prediction *p = &t->prediction[k];
        const eb_accuracy *a = accuracy_of(t, k);
        EB_ROW(table, eb_text(t->rung[k]->title), eb_uint(t->rung[k]->bytes), eb_real(p->overlap), eb_real(p->low),
               eb_real(p->high), a ? eb_real(a->overlap) : eb_na(), a ? eb_real(a->overlap_min) : eb_na(),
               a ? eb_real(share(a->common, a->only_true)) : eb_na(),
               a ? eb_real(share(a->common, a->only_fast)) : eb_na(), eb_real(a ? a->error_std / t->eps : p->spread),
               a ? eb_real(a->error_max / t->eps) : eb_na(), eb_text(word_of(p, a)), eb_text(t->setup[k].spec));
    }
}

/* ---- the log ---- */

static void log_rungs(eb_session *session, const trying *t)
{
    eb_status failure;
    eb_code failed = EB_OK;
    for (size_t k = 0; k < t->count && !failed && eb_session_logs(session); k++) {
        const eb_overlap_prediction *p = &t->prediction[k];
        const eb_accuracy *a = accuracy_of(t, k);
        eb_rung_record r = eb_rung_unknown();
        r.title = t->rung[k]->title;
        r.spec = t->setup[k].spec;
        r.reference = t->setup[t->count].spec;
        r.eps = t->eps;
        r.want = t->want;
        r.coordinate_bytes = t->rung[k]->bytes;
        r.overlap_predicted = p->overlap;
        r.overlap_low = p->low;
        r.overlap_high = p->high;
        r.prediction = word_of(p, a);
        if (a) {
            r.overlap = a->overlap;
            r.overlap_min = a->overlap_min;
            r.pairs_kept = share(a->common, a->only_true);
            r.pairs_right = share(a->common, a->only_fast);
            r.error_of_eps = a->error_std / t->eps;
            r.error_most_of_eps = a->error_max / t->eps;
            r.selectivity = eb_selectivity(a->pairs_true, a->n);
        }
        failed = eb_store_rung(session->store, session->command_row, session->dataset_row,
                               a ? t->measured->run[t->run[k]].row : 0, &r, &failure);
    }
    if (failed)
        eb_session_log_failed(session, &failure);
}

/* ---- the conclusion ---- */

/* The overlap that the answer rests on: measured, else predicted. */
static double overlap_at(const trying *t, size_t k)
{
    const eb_accuracy *a = accuracy_of(t, k);
    return a ? a->overlap : t->prediction[k].overlap;
}

/* The best of the rungs with the fewest bytes among those that have what is wanted; t->count: none has. */
static size_t cheapest(const trying *t)
{
    size_t best = t->count;
    for (size_t k = 0; k < t->count; k++) {
        const bool enough = overlap_at(t, k) >= t->want;
        if (enough &&
            (best == t->count || (t->rung[k]->bytes == t->rung[best]->bytes && overlap_at(t, k) > overlap_at(t, best))))
            best = k;
    }
    return best;
}

static size_t best_of(const trying *t)
{
    size_t best = 0;
    for (size_t k = 1; k < t->count; k++)
        if (overlap_at(t, k) > overlap_at(t, best))
            best = k;
    return best;
}

static void conclude(const trying *t, eb_report *report)
{
    const size_t k = cheapest(t), best = best_of(t);
    const char *verb = accuracy_of(t, best) ? "keeps" : "should keep";
    if (isnan(overlap_at(t, best)))
        return;
    if (k < t->count)
        eb_report_conclude(report, "%s is enough for an overlap of %s: it %s %s, in %s a coordinate", t->rung[k]->title,
                           EB_SHARE(t->want), verb, EB_SHARE(overlap_at(t, k)),
                           EB_COUNT(t->rung[k]->bytes, "byte", "bytes"));
    else
        eb_report_conclude(report, "No type tried reaches an overlap of %s: the best, %s, %s %s", EB_SHARE(t->want),
                           t->rung[best]->title, verb, EB_SHARE(overlap_at(t, best)));
}

/* What is known so far: the predictions, then also what is measured. */
static void report_known(void *context, eb_report *report)
{
    const trying *t = context;
    const eb_dataset *ds = t->session->dataset;
    EB_FIELDS(report, {EB_F(n), eb_uint(ds->n)}, {EB_F(d), eb_uint(ds->d)}, {EB_F(eps), eb_real(t->eps)},
              {EB_F(want), eb_real(t->want)}, {EB_F(reference), eb_text(t->setup[t->count].spec)});
    report_rungs(t, report);
    eb_report_pareto(report);
}

static void report_all(trying *t, eb_report *report)
{
    report_known(t, report);
    bool useless = false;
    for (size_t k = 0; k < t->count; k++)
        useless |= t->prediction[k].useless;
    if (t->predict)
        eb_report_note(report, "nothing is measured: without predict, the joins run too");
    else if (useless)
        eb_report_note(report, "types that would lose more than 30 %% are not joined");
    conclude(t, report);
}

/* ---- precision ---- */

/* The session keeps a comparison that has an accuracy, for `accuracy` and `hist`. */
static void hand_over(eb_session *session, trying *t)
{
    bool any = false;
    for (size_t k = 0; t->measured && k < t->measured->count; k++)
        any |= t->measured->compared[k];
    if (any) {
        eb_comparison_keep(session, t->measured);
        return;
    }
    if (t->measured)
        eb_comparison_free(t->measured);
    free(t->measured);
}

eb_code eb_cmd_precision(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    trying t = {.session = session, .want = eb_call_number(call, "want", 0.999)};
    EB_TRY(choose(session, eb_call_text(call, "types"), &t, status));
    EB_TRY(eb_session_resolve_eps(session, call, report, &t.eps, job, status));
    EB_TRY(predict(session, &t, report, job, status));
    t.predict = eb_call_flag(call, "predict");
    eb_live_tell(session->live, report_known, &t);
    eb_live_changed(session->live);
    const eb_code failed = t.predict ? EB_OK : measure(session, &t, job, status);
    eb_live_tell(session->live, NULL, NULL);
    report_all(&t, report);
    log_rungs(session, &t);
    hand_over(session, &t);
    return failed;
}
