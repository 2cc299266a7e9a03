#include "shell/rules/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "shell/lessons/fill.h"
#include "shell/lessons/keyed.h"

typedef struct rule {
    char *name, *when, *worth, *says, *limit, *advice;
    size_t line;
} rule;

typedef struct reading {
    eb_evaluator *values;
    eb_findings *out;
    rule rule;   /* the rule being read */
    size_t line; /* line of the file for error messages */
    eb_job *job;
    eb_status *status;
} reading;

static void drop_rule(rule *r)
{
    free(r->name);
    free(r->when);
    free(r->worth);
    free(r->says);
    free(r->limit);
    free(r->advice);
    *r = (rule){0};
}

/* Puts the line's number before the error's message. */
static eb_code at_line(const reading *r, eb_code failed)
{
    if (!failed || failed == EB_CANCELLED || !r->status)
        return failed;
    return eb_fail(r->status, failed, "rules:%zu: %.700s", r->line, r->status->message);
}

/* ---- a complete rule ---- */

static bool is_true(eb_value value)
{
    const double number = eb_value_number(value);
    return number < 0 || number > 0;
}

static eb_code add_finding(reading *r, double worth)
{
    eb_findings *out = r->out;
    eb_finding *grown = realloc(out->finding, (out->count + 1) * sizeof *grown);
    if (!grown)
        return eb_fail_memory(r->status, "findings", sizeof *grown);
    out->finding = grown;
    eb_finding *f = &grown[out->count];
    *f = (eb_finding){.worth = worth};
    EB_TRY(eb_fill_in_text(r->values, r->rule.says, &f->says, r->job, r->status));
    f->rule = r->rule.name;
    f->limit = r->rule.limit;
    f->advice = r->rule.advice;
    r->rule.name = r->rule.limit = r->rule.advice = NULL;
    out->count++;
    return EB_OK;
}

static eb_code try_rule(reading *r)
{
    const rule *the = &r->rule;
    eb_value holds, worth;
    if (!the->name)
        return EB_OK;
    if (!the->when || !the->worth || !the->says || !the->limit || !the->advice)
        return eb_fail(r->status, EB_USAGE, "rule %s needs when, worth, says, limit and try", the->name);
    r->out->rules++;
    EB_TRY(eb_evaluator_get(r->values, the->when, &holds, r->job, r->status));
    if (!is_true(holds))
        return EB_OK;
    EB_TRY(eb_evaluator_get(r->values, the->worth, &worth, r->job, r->status));
    const double share = eb_value_number(worth);
    if (!(share >= 0 && share <= 1.5)) /* above 1 is possible: means of parts are divided by the median of the total */
        return eb_fail(r->status, EB_USAGE, "rule %s is worth no share of the time: %s", the->name, the->worth);
    return add_finding(r, fmin(share, 1));
}

static eb_code end_rule(reading *r)
{
    r->line = r->rule.line;
    eb_code failed = try_rule(r);
    drop_rule(&r->rule);
    return failed;
}

/* ---- lines ---- */

static eb_code know(const reading *r, char *text)
{
    const char *name = eb_keyed_cut(&text);
    eb_value value;
    if (strcmp(eb_keyed_cut(&text), "=") != 0)
        return eb_fail(r->status, EB_USAGE, "expected know NAME = SQL, found \"%.40s\"", name);
    EB_TRY(eb_evaluator_get(r->values, text, &value, r->job, r->status));
    return eb_evaluator_set(r->values, name, value, r->status);
}

static eb_code keep(const reading *r, char **place, const char *word, const char *text)
{
    if (!place || *place || text[0] == '\0')
        return eb_fail(r->status, EB_USAGE,
                       "expected know, rule, and when, worth, says, limit, try once in each, found %s", word);
    *place = strdup(text);
    return *place ? EB_OK : eb_fail_memory(r->status, "a rule", strlen(text));
}

static eb_code read_line(reading *r, char *text, size_t line)
{
    const char *word = eb_keyed_cut(&text);
    rule *the = &r->rule;
    if (strcmp(word, "know") == 0)
        return know(r, text);
    if (strcmp(word, "rule") == 0) {
        EB_TRY(end_rule(r));
        the->line = r->line = line;
        return keep(r, &the->name, word, text);
    }
    char **place = !the->name                   ? NULL
                   : strcmp(word, "when") == 0  ? &the->when
                   : strcmp(word, "worth") == 0 ? &the->worth
                   : strcmp(word, "says") == 0  ? &the->says
                   : strcmp(word, "limit") == 0 ? &the->limit
                   : strcmp(word, "try") == 0   ? &the->advice
                                                : NULL;
    return keep(r, place, word, text);
}

static eb_code read_rules(reading *r, const char *rules)
{
    eb_keyed_reader lines = {.at = rules};
    char *text;
    eb_code failed = eb_keyed_next(&lines, &text, r->status);
    while (!failed && text) {
        r->line = lines.number;
        failed = read_line(r, text, lines.number);
        if (!failed)
            failed = eb_keyed_next(&lines, &text, r->status);
    }
    eb_keyed_end(&lines);
    if (!failed)
        failed = end_rule(r);
    drop_rule(&r->rule);
    return at_line(r, failed);
}

/* ---- all rules ---- */

/* Adds the tables that a run may lack, empty, so that rules need not test whether they exist. */
static void add_missing(eb_report *shown)
{
    if (!eb_report_find_table(shown, EB_F(counters)))
        (void)EB_TABLE(shown, EB_F(counters), NULL, EB_HIDDEN(metric), EB_HIDDEN(value), EB_HIDDEN(source));
    if (!eb_report_find_table(shown, EB_F(figures)))
        (void)EB_TABLE(shown, EB_F(figures), NULL, EB_HIDDEN(figure), EB_HIDDEN(mean), EB_HIDDEN(unit));
}

static int by_worth(const void *a, const void *b)
{
    const double one = ((const eb_finding *)a)->worth, other = ((const eb_finding *)b)->worth;
    return (one < other) - (one > other);
}

eb_code eb_findings_make(const char *rules, eb_report *shown, eb_findings *out, eb_job *job, eb_status *status)
{
    reading r = {.out = out, .job = job, .status = status};
    *out = (eb_findings){0};
    EB_TRY(eb_evaluator_new(&r.values, status));
    add_missing(shown);
    eb_code failed = eb_evaluator_take(r.values, shown, status);
    if (!failed)
        failed = read_rules(&r, rules);
    eb_evaluator_free(r.values);
    if (failed)
        eb_findings_free(out);
    else if (out->count > 1)
        qsort(out->finding, out->count, sizeof *out->finding, by_worth);
    return failed;
}

void eb_findings_free(eb_findings *findings)
{
    for (size_t k = 0; k < findings->count; k++) {
        eb_finding *f = &findings->finding[k];
        free(f->rule);
        free(f->says);
        free(f->limit);
        free(f->advice);
    }
    free(findings->finding);
    *findings = (eb_findings){0};
}
