/* verdict: what a person should do: the cheapest rung that is enough, why nothing cheaper is, what preparation gained.
 */
#include <math.h>
#include <string.h>

#include "shell/conclude/words.h"
#include "shell/precision/report.h"
#include "shell/precision/speeds.h"

/* 1 − overlap ≈ LOSS·D·σ/ε for errors without a bias. */
#define LOSS 0.8

#define CLEARLY 0.95 /* of a time: less is faster */

static const char *title_of(const eb_trying *t, size_t k) { return t->rung[k].rung->title; }

static const char *keeps(const eb_trying *t, size_t k) { return eb_trying_accuracy(t, k) ? "keeps" : "should keep"; }

static double spread_of(const eb_trying *t, size_t k)
{
    const eb_accuracy *a = eb_trying_accuracy(t, k);
    return a ? a->error_std / t->eps : t->rung[k].prediction.spread;
}

/* Why the best rung with fewer bytes is not enough. */
static void tell_why_not_cheaper(const eb_trying *t, size_t enough, eb_report *report)
{
    const size_t k = eb_trying_cheaper(t, enough);
    if (k == t->rungs)
        return;
    const double allowed = (1 - t->want) / (LOSS * t->slope), overlap = eb_trying_overlap(t, k);
    if (isnan(t->slope) || !(spread_of(t, k) > allowed))
        eb_report_note(report, "in fewer bytes, %s %s only %s", title_of(t, k), keeps(t, k), EB_SHARE(overlap));
    else
        eb_report_note(report,
                       "in fewer bytes, %s %s only %s: it moves distances by %s of ε, where %s would keep %s of the "
                       "pairs",
                       title_of(t, k), keeps(t, k), EB_SHARE(overlap), EB_SHARE(spread_of(t, k)), EB_SHARE(allowed),
                       EB_SHARE(t->want));
}

/* The switch that gains most for the type whose losses are told. */
static void tell_preparation(const eb_trying *t, eb_report *report)
{
    const eb_tried_switch *best = NULL;
    for (size_t k = 0; k < t->switches; k++) {
        const eb_tried_switch *s = &t->prepared[k];
        if (t->hurt == t->rungs || strcmp(s->of->type, t->rung[t->hurt].rung->type) != 0)
            continue;
        if (s->prepared > s->raw && (!best || s->prepared - s->raw > best->prepared - best->raw))
            best = s;
    }
    if (best && best->prepared - best->raw > 0.1 * (1 - best->raw))
        eb_report_note(report, "of its preparations %s gains most: with it alone %s should keep %s, with none %s",
                       best->of->name, best->of->title, EB_SHARE(best->prepared), EB_SHARE(best->raw));
}

/* The type of fewest bytes need not be the fastest that is enough. */
static void tell_fastest(const eb_trying *t, size_t enough, eb_report *report)
{
    size_t fastest = enough;
    for (size_t k = 0; k < t->rungs; k++)
        if (eb_trying_overlap(t, k) >= t->want && eb_speed_of(t, k).kernel_s < eb_speed_of(t, fastest).kernel_s)
            fastest = k;
    const double own_s = eb_speed_of(t, enough).kernel_s, least_s = eb_speed_of(t, fastest).kernel_s;
    if (least_s < CLEARLY * own_s)
        eb_report_note(report, "of the types that are enough, %s is the fastest: its kernels take %s, those of %s %s",
                       title_of(t, fastest), EB_TIME(least_s), title_of(t, enough), EB_TIME(own_s));
}

void eb_conclude_trying(const eb_trying *t, eb_report *report)
{
    const size_t k = eb_trying_cheapest(t), best = eb_trying_best(t);
    if (best == t->rungs)
        return;
    if (k == t->rungs) {
        eb_report_conclude(report, "No type tried reaches an overlap of %s: the best, %s, %s %s", EB_SHARE(t->want),
                           title_of(t, best), keeps(t, best), EB_SHARE(eb_trying_overlap(t, best)));
    } else {
        eb_report_conclude(report, "%s is enough for an overlap of %s: it %s %s, in %s a coordinate", title_of(t, k),
                           EB_SHARE(t->want), keeps(t, k), EB_SHARE(eb_trying_overlap(t, k)),
                           EB_COUNT(t->rung[k].rung->bytes, "byte", "bytes"));
        tell_why_not_cheaper(t, k, report);
        tell_fastest(t, k, report);
    }
    tell_preparation(t, report);
}
