/* comparison: the conclusion of commands that compare engines: which pairs differ and which engine was faster. */
#include "shell/conclude/conclude.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/data/scaling.h"
#include "shell/commands/accuracy_report.h"
#include "shell/commands/run_report.h"
#include "shell/commands/sample_report.h"
#include "shell/conclude/words.h"

static const char *spec_of(const eb_comparison *c, size_t k) { return c->run[k].setup.spec; }

/* Compared with the truth alone, an engine that rounds is called by its number type. */
static const char *name_of(const eb_comparison *c, size_t k)
{
    const eb_rounding *rounding = c->run[k].setup.engine->rounding;
    return rounding && c->count == 2 && eb_has_truth(c) ? rounding->name : spec_of(c, k);
}

/* "; SPEC was 3.1× as fast, end to end"; "" if unclear, or if times mean little: of an emulation, of a sample. */
static void who_was_faster(const eb_comparison *c, size_t k, char *buffer, size_t size)
{
    static const struct {
        const eb_figure *figure;
        const char *where;
    } by[] = {{&eb_figure_total, "end to end"}, {&eb_figure_kernel, "in its kernels"}};
    buffer[0] = '\0';
    if (eb_is_emulation(&c->run[k].setup) || eb_is_emulation(&c->run[c->reference].setup) || c->rows.count > 0)
        return;
    for (size_t f = 0; f < sizeof by / sizeof by[0]; f++) {
        eb_judgement j = eb_judge_runs(&c->run[c->reference], &c->run[k], by[f].figure->key);
        if (j.verdict != EB_FASTER && j.verdict != EB_SLOWER)
            continue;
        bool won = j.verdict == EB_FASTER;
        (void)snprintf(buffer, size, "; %s was %s as fast, %s", spec_of(c, won ? k : c->reference),
                       EB_BRIEF(eb_real(won ? 1 / j.ratio : j.ratio), EB_RATIO), by[f].where);
        return;
    }
}

static double share_kept(const eb_accuracy *a)
{
    uint64_t wanted = a->common + a->only_true;
    return wanted > 0 ? (double)a->common / (double)wanted : 1;
}

/* An ε between pairs that tie at ε and the next distance, further from both than the largest error; "": none. */
static const char *beyond_ties(const eb_accuracy *a, char *buffer, size_t size)
{
    const double between = strtod(eb_middle(buffer, size, a->eps, a->beyond), NULL);
    if (!(a->ties > 1 && a->error_max < fmin(between - a->eps, a->beyond - between)))
        buffer[0] = '\0';
    return buffer;
}

/* " of 2,000 of 400,000 points" after a word; "" if all points were compared. */
static const char *of_points(const eb_comparison *c, const char *word, char buffer[EB_SAMPLE_WORDS + 16])
{
    char words[EB_SAMPLE_WORDS];
    const char *sample = eb_sample_words(c, words);
    (void)snprintf(buffer, EB_SAMPLE_WORDS + 16, "%s%s", sample[0] ? word : "", sample[0] ? sample + 1 : "");
    return buffer;
}

/* Where the wrong pairs lie: "within 0.0007 of ε", or "among 12 that tie at ε". */
static const char *how_near(const eb_comparison *c, size_t k, char *buffer, size_t size)
{
    const eb_accuracy *a = &c->accuracy[k];
    char ties[EB_WORD], other[EB_WORD];
    (void)eb_format_brief(ties, sizeof ties, eb_uint(a->ties), EB_PLAIN);
    if (!eb_has_truth(c) || a->ties < 2 || a->wrong_gap > a->eps * EB_TIE)
        (void)snprintf(buffer, size, a->wrong_gap > 0 ? "within %s of ε" : "at ε itself", EB_AT_MOST(a->wrong_gap));
    else if (beyond_ties(a, other, sizeof other)[0])
        (void)snprintf(buffer, size, "among %s that tie at ε: `compare %s %s eps=%s` avoids them", ties, spec_of(c, k),
                       spec_of(c, c->reference), other);
    else
        (void)snprintf(buffer, size, "among %s that tie at ε", ties);
    return buffer;
}

static void conclude_one(eb_report *report, const eb_comparison *c, size_t k)
{
    const eb_accuracy *a = &c->accuracy[k];
    char faster[2 * EB_SPEC_TEXT], near[3 * EB_SPEC_TEXT], points[EB_SAMPLE_WORDS + 16];
    uint64_t wrong = a->only_fast + a->only_true;
    who_was_faster(c, k, faster, sizeof faster);
    (void)of_points(c, wrong == 0 ? " for" : " of", points);
    if (wrong == 0)
        eb_report_conclude(report, "%s found the same %s as %s%s%s", name_of(c, k),
                           EB_COUNT(a->common, "pair", "pairs"), spec_of(c, c->reference), points, faster);
    else if (wrong == 1)
        eb_report_conclude(report, "%s kept %s of the pairs%s: 1 %s, %s%s", name_of(c, k),
                           EB_BRIEF(eb_real(share_kept(a)), EB_PERCENT), points, a->only_fast ? "false" : "missed",
                           how_near(c, k, near, sizeof near), faster);
    else
        eb_report_conclude(report, "%s kept %s of the pairs%s: %s false, %s missed, all %s%s", name_of(c, k),
                           EB_BRIEF(eb_real(share_kept(a)), EB_PERCENT), points,
                           EB_BRIEF(eb_uint(a->only_fast), EB_PLAIN), EB_BRIEF(eb_uint(a->only_true), EB_PLAIN),
                           how_near(c, k, near, sizeof near), faster);
}

/* "fasted kept 99.6 % of the pairs of exact, ivfpq 97.1 %" */
static void conclude_all(eb_report *report, const eb_comparison *c)
{
    char text[EB_MOST_COMPARED * (EB_SPEC_TEXT + EB_WORD)];
    size_t used = 0;
    for (size_t k = 0; k < c->count; k++) {
        if (!c->compared[k])
            continue;
        const char *share = EB_BRIEF(eb_real(share_kept(&c->accuracy[k])), EB_PERCENT);
        if (used == 0)
            used = (size_t)snprintf(text, sizeof text, "%s kept %s of the pairs of %s", spec_of(c, k), share,
                                    spec_of(c, c->reference));
        else
            used += (size_t)snprintf(text + used, sizeof text - used, ", %s %s", spec_of(c, k), share);
    }
    char points[EB_SAMPLE_WORDS + 16];
    eb_report_conclude(report, "%s%s", text, of_points(c, ", for", points));
}

void eb_conclude_comparison(eb_report *report, const eb_comparison *c, size_t k, bool alone)
{
    if (c->compared[k] && (alone || c->count == 2))
        conclude_one(report, c, k);
    else if (c->compared[k])
        conclude_all(report, c);
    else if (c->count > c->reference && c->run[c->reference].trials_done > 0 && c->run[k].trials_done > 0)
        eb_report_conclude(report, "%s found %s, %s %s%s", spec_of(c, k), EB_COUNT(c->run[k].pairs, "pair", "pairs"),
                           spec_of(c, c->reference), EB_BRIEF(eb_uint(c->run[c->reference].pairs), EB_PLAIN),
                           of_points(c, ", for", (char[EB_SAMPLE_WORDS + 16]){0}));
}

void eb_note_ties(eb_report *report, const eb_comparison *c, size_t k)
{
    const eb_accuracy *a = &c->accuracy[k];
    if (!c->compared[k] || !eb_has_truth(c) || a->ties < 2 || a->only_fast + a->only_true == 0)
        return;
    char other[EB_WORD];
    if (beyond_ties(a, other, sizeof other)[0])
        eb_report_note(report,
                       "%s lie at ε = %s, and none between it and %s: with `compare %s %s eps=%s` rounding decides no "
                       "pair",
                       EB_COUNT(a->ties, "pair", "pairs"), EB_NUMBER(a->eps), EB_NUMBER(a->beyond), spec_of(c, k),
                       spec_of(c, c->reference), other);
    else
        eb_report_note(report, "%s lie at ε = %s: rounding decides which of them are found",
                       EB_COUNT(a->ties, "pair", "pairs"), EB_NUMBER(a->eps));
}
