#include "shell/rules/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "shell/lessons/texts.h"

enum { NAME, WHEN, WORTH, SAYS, LIMIT, ADVICE, PARTS };
static const char *const words[PARTS] = {"rule", "when", "worth", "says", "limit", "try"};

typedef struct reading {
    eb_evaluator *values;
    eb_findings *out;
    char *part[PARTS];      /* of the rule being read, heap; NULL: not read yet */
    size_t line, rule_line; /* line of the file for error messages; line of the rule's name */
    eb_job *job;
    eb_status *status;
} reading;

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

static char *take_part(reading *r, size_t which)
{
    char *text = r->part[which];
    r->part[which] = NULL;
    return text;
}

static eb_code add_finding(reading *r, double worth)
{
    eb_findings *out = r->out;
    eb_finding *grown = realloc(out->finding, (out->count + 1) * sizeof *grown);
    if (!grown)
        return eb_fail_memory(r->status, "findings", sizeof *grown);
    out->finding = grown;
    eb_finding f = {.worth = worth};
    EB_TRY(eb_fill_in_text(r->values, r->part[SAYS], &f.says, r->job, r->status));
    f.rule = take_part(r, NAME);
    f.limit = take_part(r, LIMIT);
    f.advice = take_part(r, ADVICE);
    grown[out->count++] = f;
    return EB_OK;
}

static eb_code try_rule(reading *r)
{
    eb_value holds, worth;
    if (!r->part[NAME])
        return EB_OK;
    for (size_t k = 0; k < PARTS; k++)
        if (!r->part[k])
            return eb_fail(r->status, EB_USAGE, "rule %s needs when, worth, says, limit and try", r->part[NAME]);
    r->out->rules++;
    EB_TRY(eb_evaluator_get(r->values, r->part[WHEN], &holds, r->job, r->status));
    if (!is_true(holds))
        return EB_OK;
    EB_TRY(eb_evaluator_get(r->values, r->part[WORTH], &worth, r->job, r->status));
    const double share = eb_value_number(worth);
    if (!(share >= 0 && share <= 1.5)) /* above 1 is possible: means of parts are divided by the median of the total */
        return eb_fail(r->status, EB_USAGE, "rule %s is worth no share of the time: %s", r->part[NAME], r->part[WORTH]);
    return add_finding(r, fmin(share, 1));
}

static void drop_rule(reading *r)
{
    for (size_t k = 0; k < PARTS; k++)
        free(take_part(r, k));
}

static eb_code end_rule(reading *r)
{
    r->line = r->rule_line;
    eb_code failed = try_rule(r);
    drop_rule(r);
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

static eb_code read_line(reading *r, char *text, size_t line)
{
    const char *word = eb_keyed_cut(&text);
    size_t which = 0;
    if (strcmp(word, "know") == 0)
        return know(r, text);
    while (which < PARTS && strcmp(word, words[which]) != 0)
        which++;
    if (which == NAME) {
        EB_TRY(end_rule(r));
        r->rule_line = r->line = line;
    }
    if (which == PARTS || (which != NAME && !r->part[NAME]) || r->part[which] || text[0] == '\0')
        return eb_fail(r->status, EB_USAGE,
                       "expected know, rule, and when, worth, says, limit, try once in each, found %s", word);
    r->part[which] = strdup(text);
    return r->part[which] ? EB_OK : eb_fail_memory(r->status, "a rule", strlen(text));
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
    drop_rule(r);
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
