#include "shell/precision/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tune/order_statistic.h"
#include "shell/commands/accuracy_report.h"
#include "shell/commands/sample_report.h"
#include "shell/conclude/words.h"
#include "shell/precision/speeds.h"

enum { SHOWN_LOSSES = 5 };
#define SUMS_TOLD 0.99 /* the sums are told of if less of the error comes of rounding points */

static double share(uint64_t part, uint64_t rest) { return part + rest > 0 ? (double)part / (double)(part + rest) : 1; }

/* ---- one rung ---- */

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

/* The dataset's row of a compared point. */
static size_t row_of(const eb_trying *t, size_t point)
{
    return t->measured && t->measured->rows.count > 0 ? t->measured->rows.row[point] : point;
}

static size_t worst_point(const eb_accuracy *a)
{
    size_t worst = 0;
    for (size_t i = 1; i < a->n; i++) {
        const eb_point_overlap p = a->points[i], w = a->points[worst];
        const uint64_t left = (uint64_t)p.common * (w.either ? w.either : 1),
                       right = (uint64_t)(w.either ? w.common : 1) * (p.either ? p.either : 1);
        if (p.either > 0 && (left < right || (left == right && p.either > w.either)))
            worst = i;
    }
    return worst;
}

/* The overlap that all but one in a hundred points reach; NAN: no memory. */
static double overlap_of_most(const eb_accuracy *a)
{
    double *overlap = malloc((a->n ? a->n : 1) * sizeof *overlap), found = (double)NAN;
    for (size_t i = 0; i < a->n && overlap; i++)
        overlap[i] = a->points[i].either > 0 ? (double)a->points[i].common / (double)a->points[i].either : 1;
    if (overlap && a->n > 0)
        found = eb_order_statistic(overlap, a->n, a->n / 100 + 1);
    free(overlap);
    return found;
}

/* The |error| that 99.9 % of the common pairs stay below, from the histogram; NAN: no errors. */
static double error_of_most(const eb_accuracy *a)
{
    const eb_histogram *h = &a->errors;
    const double width = (h->high - h->low) / (double)h->bins;
    uint64_t all = h->under + h->over, beyond = all;
    for (size_t k = 0; k < h->bins; k++)
        all += h->count[k];
    if (all == 0)
        return NAN;
    for (size_t k = 0; k < h->bins / 2; k++) {
        const uint64_t outer = h->count[k] + h->count[h->bins - 1 - k];
        if ((double)(beyond + outer) > 0.001 * (double)all)
            return fmin(h->high - (double)k * width, a->error_max);
        beyond += outer;
    }
    return 0;
}

/* ---- the table of rungs ---- */

eb_table *eb_rungs_table(eb_report *report, const char *title)
{
    return EB_TABLE(report, EB_F(rungs), title, EB_F(rung), EB_F(rung_bytes), EB_HIDDEN(point_bytes),
                    EB_F(overlap_predicted), EB_HIDDEN(overlap_low), EB_HIDDEN(overlap_high), EB_F(overlap),
                    EB_HIDDEN(overlap_from), EB_HIDDEN(overlap_to), EB_HIDDEN(overlap_p01), EB_F(worst_overlap),
                    EB_HIDDEN(worst_point), EB_HIDDEN(pairs_kept), EB_HIDDEN(pairs_right), EB_F(error_of_eps),
                    EB_HIDDEN(error_p999_of_eps), EB_HIDDEN(error_most_of_eps), EB_HIDDEN(error_bias_of_eps),
                    EB_HIDDEN(inputs_share), EB_F(knn_recall), EB_HIDDEN(kendall_tau), EB_HIDDEN(complete_eps),
                    EB_HIDDEN(complete_price), EB_HIDDEN(rescore), EB_HIDDEN(rate_model), EB_HIDDEN(tflops_derived),
                    EB_HIDDEN(limit_share), EB_HIDDEN(kernel_s), EB_HIDDEN(total_s), EB_F(prediction), EB_HIDDEN(eps),
                    EB_HIDDEN(wanted_selectivity), EB_HIDDEN(spec));
}

static eb_value if_known(bool known, double x) { return known ? eb_real(x) : eb_na(); }

static void add_rung(const eb_session *session, const eb_trying *t, size_t k, eb_table *table)
{
    const eb_tried_rung *r = &t->rung[k];
    const eb_overlap_prediction *p = &r->prediction;
    const eb_ranks *ranks = &r->ranks;
    const eb_accuracy *a = eb_trying_accuracy(t, k);
    const eb_speed speed = eb_speed_of(t, k);
    const bool known = !isnan(p->overlap), has = a != NULL;
    EB_ROW(table, eb_text(r->rung->title), eb_uint(r->rung->bytes),
           eb_uint((uint64_t)r->rung->bytes * session->dataset->d), eb_real(p->overlap), eb_real(p->low),
           eb_real(p->high), if_known(has, has ? a->overlap : 0), if_known(has, has ? a->overlap_in.low : 0),
           if_known(has, has ? a->overlap_in.high : 0), if_known(has, has ? overlap_of_most(a) : 0),
           if_known(has, has ? a->overlap_min : 0), has ? eb_uint(row_of(t, worst_point(a))) : eb_na(),
           if_known(has, has ? share(a->common, a->only_true) : 0),
           if_known(has, has ? share(a->common, a->only_fast) : 0),
           if_known(has || known, has ? a->error_std / t->eps : p->spread),
           if_known(has, has ? error_of_most(a) / t->eps : 0), if_known(has, has ? a->error_max / t->eps : 0),
           if_known(has || known, has ? a->error_mean / t->eps : p->bias), if_known(known, p->inputs),
           if_known(r->ranked, ranks->recall), if_known(r->ranked, ranks->tau),
           if_known(r->ranked, ranks->complete_eps), if_known(r->ranked, ranks->price),
           if_known(r->ranked, ranks->rescore), eb_real(r->rate), eb_real(speed.tflops), eb_real(speed.limit_share),
           eb_real(speed.kernel_s), eb_real(speed.total_s), eb_text(word_of(p, a)), eb_real(t->eps),
           eb_real(t->selectivity), eb_text(t->setup[k].spec));
}

void eb_rungs_add(const eb_session *session, const eb_trying *t, eb_table *table)
{
    for (size_t k = 0; k < t->rungs; k++)
        add_rung(session, t, k, table);
}

/* The second part of the rows for people, who see 80 columns. */
static void report_costs(const eb_trying *t, eb_report *report)
{
    const bool joined = !t->predict, timed = eb_speeds_known(t);
    eb_table *table =
        EB_TABLE(report, EB_F(costs),
                 timed    ? "What each takes to miss nothing"
                 : joined ? "What each takes to miss nothing, and how fast it is"
                          : "How fast each is",
                 EB_F(rung), EB_F_IF(joined, complete_eps), EB_F_IF(joined, complete_price), EB_F_IF(joined, rescore),
                 EB_F_IF(joined, kendall_tau), EB_F_IF(!joined, inputs_share), EB_F_IF(!timed, rate_model));
    for (size_t k = 0; k < t->rungs; k++) {
        const eb_tried_rung *r = &t->rung[k];
        const bool known = r->ranked;
        EB_ROW(table, eb_text(r->rung->title), known ? eb_real(r->ranks.complete_eps) : eb_na(),
               known ? eb_real(r->ranks.price) : eb_na(), known ? eb_real(r->ranks.rescore) : eb_na(),
               known ? eb_real(r->ranks.tau) : eb_na(), eb_real(r->prediction.inputs), eb_real(r->rate));
    }
}

/* ---- preparation ---- */

static const struct {
    const char *name;
    size_t column;
} switch_columns[] = {{"centre=mean", 2},
                      {"exponent=max", 3},
                      {"step=point", 4},
                      {"rotate=hadamard", 5},
                      {"debias=on", 6}};
enum { SWITCH_COLUMNS = 7 };

static size_t column_of(const char *name)
{
    for (size_t k = 0; k < sizeof switch_columns / sizeof switch_columns[0]; k++)
        if (strcmp(switch_columns[k].name, name) == 0)
            return switch_columns[k].column;
    return 0;
}

/* A row for each type, a column for each switch. */
static void report_prepared(const eb_trying *t, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(prepared), "What each preparation alone would keep, predicted", EB_F(rung),
                               EB_F(overlap_raw), EB_F(kept_centre), EB_F(kept_exponent), EB_F(kept_step),
                               EB_F(kept_rotate), EB_F(kept_debias));
    for (size_t k = 0; k < t->switches;) {
        const char *raw = t->prepared[k].of->raw;
        eb_value value[SWITCH_COLUMNS] = {eb_text(t->prepared[k].of->title), eb_real(t->prepared[k].raw)};
        for (; k < t->switches && strcmp(t->prepared[k].of->raw, raw) == 0; k++)
            value[column_of(t->prepared[k].of->name)] = eb_real(t->prepared[k].prepared);
        eb_table_row(table, value, SWITCH_COLUMNS);
    }
}

/* The same, a row for each switch, for programs. */
static void report_switches(const eb_trying *t, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(preparations), NULL, EB_HIDDEN(rung), EB_HIDDEN(preparation),
                               EB_HIDDEN(overlap_raw), EB_HIDDEN(overlap_prepared), EB_HIDDEN(spec));
    for (size_t k = 0; k < t->switches; k++) {
        const eb_tried_switch *s = &t->prepared[k];
        EB_ROW(table, eb_text(s->of->title), eb_text(s->of->name), eb_real(s->raw), eb_real(s->prepared),
               eb_text(s->of->prepared));
    }
}

/* ---- where it hurts ---- */

static void report_lossy_points(const eb_session *session, const eb_trying *t, eb_report *report)
{
    const eb_accuracy *a = eb_trying_accuracy(t, t->hurt);
    const eb_labels *labels = session->dataset->labels;
    char title[128];
    if (!a || a->overlap_min >= 1)
        return;
    size_t at[SHOWN_LOSSES], count = 0;
    for (size_t i = 0; i < a->n; i++) {
        const uint32_t lost = a->points[i].either - a->points[i].common;
        size_t place = count < SHOWN_LOSSES ? count++ : SHOWN_LOSSES;
        while (place > 0 && a->points[at[place - 1]].either - a->points[at[place - 1]].common < lost) {
            if (place < SHOWN_LOSSES)
                at[place] = at[place - 1];
            place--;
        }
        if (place < SHOWN_LOSSES)
            at[place] = i;
    }
    (void)snprintf(title, sizeof title, "%s: points with the most wrong neighbours", t->rung[t->hurt].rung->title);
    eb_table *table = EB_TABLE(report, EB_F(hurt_points), title, EB_F(point), EB_F_IF(labels, label),
                               EB_F(found_by_either), EB_F(wrong_neighbours), EB_F(overlap));
    for (size_t k = 0; k < count; k++) {
        const eb_point_overlap p = a->points[at[k]];
        if (p.either > p.common)
            EB_ROW(table, eb_uint(row_of(t, at[k])), eb_text(eb_label_if_any(labels, row_of(t, at[k]))),
                   eb_uint(p.either), eb_uint(p.either - p.common), eb_real(share(p.common, p.either - p.common)));
    }
}

static void report_lossy_dimensions(const eb_session *session, const eb_trying *t, eb_report *report)
{
    const size_t d = session->dataset->d;
    char title[128];
    size_t at[SHOWN_LOSSES] = {0}, count = 0;
    if (!t->dimension || isnan(t->dimension[0]) || d < 2)
        return;
    for (size_t k = 0; k < d; k++) {
        size_t place = count < SHOWN_LOSSES ? count++ : SHOWN_LOSSES;
        while (place > 0 && t->dimension[at[place - 1]] < t->dimension[k]) {
            if (place < SHOWN_LOSSES)
                at[place] = at[place - 1];
            place--;
        }
        if (place < SHOWN_LOSSES)
            at[place] = k;
    }
    (void)snprintf(title, sizeof title, "%s: dimensions in which rounding moves points most",
                   t->rung[t->hurt].rung->title);
    eb_table *table = EB_TABLE(report, EB_F(hurt_dimensions), title, EB_F(dimension), EB_F(dimension_share));
    for (size_t k = 0; k < count; k++)
        EB_ROW(table, eb_uint(at[k]), eb_real(t->dimension[at[k]]));
}

/* ---- all of it ---- */

static void note_sample(const eb_trying *t, eb_report *report)
{
    if (isnan(t->slope)) {
        eb_report_note(report, "no prediction: too few pairs of %zu sampled points have a distance near ε", t->queries);
        return;
    }
    eb_report_note(report,
                   "predicted from %zu pairs near ε of %zu sampled points; S grows as ε to the power %.3g there",
                   t->pairs, t->queries, t->slope);
    for (size_t k = 0; k < t->rungs; k++)
        if (t->rung[k].ranked) {
            eb_report_note(report, "knn, tau and to rescore: the %zu nearest of %zu sampled points", t->rung[k].ranks.k,
                           t->rung[k].ranks.queries);
            return;
        }
}

static void note_joins(const eb_trying *t, eb_report *report)
{
    bool useless = false, missed = false, rough = false;
    for (size_t k = 0; k < t->rungs; k++) {
        const eb_accuracy *a = eb_trying_accuracy(t, k);
        const char *word = word_of(&t->rung[k].prediction, a);
        useless |= t->rung[k].prediction.useless;
        rough |= !t->rung[k].prediction.useless && t->rung[k].prediction.spread > EB_PREDICTION_NARROW;
        missed |= word && strcmp(word, "missed") == 0;
    }
    eb_note_speeds(t, report);
    if (t->predict)
        eb_report_note(report, "nothing is measured: without predict, the joins run too");
    else if (useless)
        eb_report_note(report, "types that would lose more than 30 %% are not joined");
    for (size_t k = 0; k < t->rungs; k++)
        if (t->rung[k].prediction.inputs < SUMS_TOLD && eb_trying_overlap(t, k) < t->want)
            eb_report_note(report, "%s: %s of the error comes of rounding points, the rest of the tensor core's sums",
                           t->rung[k].rung->title, EB_SHARE(t->rung[k].prediction.inputs));
    if (missed)
        eb_report_note(report, "missed: the measured loss is outside the band of the prediction");
    if (rough)
        eb_report_note(report, "where errors exceed a twentieth of ε, the predicted loss is right within a half only");
}

void eb_report_trying(const eb_session *session, const eb_trying *t, eb_report *report)
{
    EB_FIELDS(report, {EB_F(n), eb_uint(session->dataset->n)}, {EB_F(d), eb_uint(session->dataset->d)},
              {EB_F(eps), eb_real(t->eps)}, {EB_HIDDEN(want), eb_real(t->want)},
              {EB_F(reference), eb_text(t->setup[t->rungs].spec)});
    eb_rungs_add(session, t, eb_rungs_table(report, "How much of the truth's result each number type keeps"));
    report_costs(t, report);
    eb_report_speeds(t, report);
    if (!isnan(t->slope)) {
        report_prepared(t, report);
        report_switches(t, report);
        eb_report_pareto(session, t, report);
    }
    if (t->hurt < t->rungs) {
        report_lossy_points(session, t, report);
        report_lossy_dimensions(session, t, report);
    }
    if (t->held && t->held[0])
        eb_report_note(report, "exact: %s, so that rounding moves no point", t->held);
    note_sample(t, report);
    if (t->measured)
        eb_report_sample(report, t->measured);
    note_joins(t, report);
}
