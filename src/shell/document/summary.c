/* summary: a session in a few sentences, from its facts. */
#include <stdio.h>
#include <string.h>

#include "core/report/find.h"
#include "shell/conclude/words.h"
#include "shell/document/document.h"

enum { MOST_NAMED = 6, MOST_TARGETS = 3 };

size_t eb_question_of(const eb_table *runs, size_t row)
{
    size_t k = 0;
    while (k < row && !(strcmp(eb_text_at(runs, k, EB_F(sha256)), eb_text_at(runs, row, EB_F(sha256))) == 0 &&
                        strcmp(eb_text_at(runs, k, EB_F(mode)), eb_text_at(runs, row, EB_F(mode))) == 0 &&
                        eb_number_at(runs, k, EB_F(eps)) == eb_number_at(runs, row, EB_F(eps))))
        k++;
    return k;
}

/* ", " or " and " before item k of `count`; nothing before the first. */
static const char *before(size_t k, size_t count) { return k == 0 ? "" : k + 1 == count ? " and " : ", "; }

/* ---- points and ε ---- */

static void say_points(FILE *out, const eb_report *facts)
{
    const eb_table *datasets = eb_report_find_table(facts, EB_F(datasets));
    if (!datasets) {
        (void)fputs("No points were loaded.", out);
        return;
    }
    if (datasets->rows > 1)
        (void)fprintf(out, "The session used %zu datasets, first ", datasets->rows);
    else
        (void)fputs("The session loaded ", out);
    (void)fprintf(out, "%s: %s in %s, %s.", eb_text_at(datasets, 0, EB_F(dataset)),
                  EB_COUNT((uint64_t)eb_number_at(datasets, 0, EB_F(n)), "point", "points"),
                  EB_COUNT((uint64_t)eb_number_at(datasets, 0, EB_F(d)), "dimension", "dimensions"),
                  eb_text_at(datasets, 0, EB_F(dtype)));
}

/* True if an earlier row has ε for the same S and points. */
static bool is_again(const eb_table *targets, size_t row)
{
    for (size_t k = 0; k < row; k++)
        if (eb_number_at(targets, k, EB_F(wanted)) == eb_number_at(targets, row, EB_F(wanted)) &&
            strcmp(eb_text_at(targets, k, EB_F(sha256)), eb_text_at(targets, row, EB_F(sha256))) == 0)
            return true;
    return false;
}

static void say_targets(FILE *out, const eb_report *facts)
{
    const eb_table *targets = eb_report_find_table(facts, EB_F(targets));
    size_t count = 0, said = 0;
    for (size_t k = 0; targets && k < targets->rows; k++)
        count += !is_again(targets, k);
    if (count == 0)
        return;
    const size_t most = count > MOST_TARGETS ? MOST_TARGETS + 1 : count;
    (void)fputs(" It tuned ", out);
    for (size_t k = 0; k < targets->rows && said < MOST_TARGETS; k++)
        if (!is_again(targets, k)) {
            (void)fprintf(out, "%sε = %s for S = %s", before(said, most),
                          EB_NUMBER(eb_number_at(targets, k, EB_F(eps))),
                          EB_NUMBER(eb_number_at(targets, k, EB_F(wanted))));
            said++;
        }
    if (count > said)
        (void)fprintf(out, " and %zu more", count - said);
    (void)fputc('.', out);
}

/* ---- runs ---- */

static const char *spec_at(const eb_table *table, size_t row) { return eb_text_at(table, row, EB_F(spec)); }

static bool named_before(const eb_table *runs, size_t row)
{
    for (size_t k = 0; k < row; k++)
        if (strcmp(spec_at(runs, k), spec_at(runs, row)) == 0)
            return true;
    return false;
}

static void say_runs(FILE *out, const eb_table *runs)
{
    size_t count = 0, said = 0;
    for (size_t k = 0; k < runs->rows; k++)
        count += !named_before(runs, k);
    const size_t most = count > MOST_NAMED ? MOST_NAMED + 1 : count;
    (void)fputs(" It ran ", out);
    for (size_t k = 0; k < runs->rows && said < MOST_NAMED; k++)
        if (!named_before(runs, k)) {
            (void)fprintf(out, "%s%s", before(said, most), spec_at(runs, k));
            said++;
        }
    if (count > said)
        (void)fprintf(out, " and %zu more", count - said);
    (void)fprintf(out, ": %s.", EB_COUNT(runs->rows, "run", "runs"));
}

/* Seconds from loaded points to the result; where the log has none, of the kernels; NAN: unknown. */
static double time_of(const eb_table *runs, size_t row)
{
    const double total = eb_number_at(runs, row, EB_F(total_median_s));
    return total > 0 ? total : eb_number_at(runs, row, EB_F(kernel_median_s));
}

static bool is_exact(const eb_table *runs, size_t row)
{
    const char *exactness = eb_text_at(runs, row, EB_F(exactness));
    return (strcmp(exactness, "truth") == 0 || strcmp(exactness, "certified") == 0) && time_of(runs, row) > 0;
}

/* Number of different exact specs that answered the question of this row. */
static size_t exact_engines(const eb_table *runs, size_t question)
{
    size_t count = 0;
    for (size_t k = 0; k < runs->rows; k++) {
        bool again = !is_exact(runs, k) || eb_question_of(runs, k) != question;
        for (size_t j = 0; j < k && !again; j++)
            again = is_exact(runs, j) && eb_question_of(runs, j) == question &&
                    strcmp(spec_at(runs, j), spec_at(runs, k)) == 0;
        count += !again;
    }
    return count;
}

/* Names the fastest exact engine on the question that most exact engines answered; if several questions did, on the
 * last of those with the most points. */
static void say_fastest(FILE *out, const eb_table *runs)
{
    size_t question = 0, most = 0, fastest = runs->rows;
    for (size_t k = 0; k < runs->rows; k++) {
        const size_t engines = eb_question_of(runs, k) == k ? exact_engines(runs, k) : 0;
        const bool larger = eb_number_at(runs, k, EB_F(n)) >= eb_number_at(runs, question, EB_F(n));
        if (engines > most || (engines > 0 && engines == most && larger)) {
            question = k;
            most = engines;
        }
    }
    for (size_t k = 0; most > 0 && k < runs->rows; k++)
        if (is_exact(runs, k) && eb_question_of(runs, k) == question &&
            (fastest == runs->rows || time_of(runs, k) < time_of(runs, fastest)))
            fastest = k;
    if (fastest == runs->rows)
        return;
    const char *eps = EB_NUMBER(eb_number_at(runs, fastest, EB_F(eps))), *time = EB_TIME(time_of(runs, fastest));
    if (most == 1)
        (void)fprintf(out, " The only exact engine was %s, which took %s at ε = %s.", spec_at(runs, fastest), time,
                      eps);
    else
        (void)fprintf(out, " The fastest of %zu exact engines at ε = %s was %s, which took %s.", most, eps,
                      spec_at(runs, fastest), time);
}

static void say_accuracy(FILE *out, const eb_report *facts)
{
    const eb_table *table = eb_report_find_table(facts, EB_F(accuracies));
    size_t best = 0, engines = 0;
    for (size_t k = 0; table && k < table->rows; k++) {
        const double overlap = eb_number_at(table, k, EB_F(overlap));
        if (strcmp(eb_text_at(table, k, EB_F(exactness)), "approximate") != 0 || !(overlap >= 0))
            continue;
        const bool other =
            engines == 0 || strcmp(eb_text_at(table, k, EB_F(fast)), eb_text_at(table, best, EB_F(fast))) != 0;
        if (engines == 0 || overlap > eb_number_at(table, best, EB_F(overlap)))
            best = k;
        engines += other;
    }
    if (engines > 0)
        (void)fprintf(out, " The %s fast engine was %s, whose overlap with %s was %s.",
                      engines == 1 ? "only" : "most accurate", eb_text_at(table, best, EB_F(fast)),
                      eb_text_at(table, best, EB_F(truth)), EB_SHARE(eb_number_at(table, best, EB_F(overlap))));
}

char *eb_document_summary(const eb_report *facts)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    const eb_table *runs = eb_report_find_table(facts, EB_F(runs));
    const double failed = eb_number_of(facts, EB_F(failed));
    if (!out)
        return NULL;
    say_points(out, facts);
    say_targets(out, facts);
    if (runs) {
        say_runs(out, runs);
        say_fastest(out, runs);
        say_accuracy(out, facts);
    }
    if (failed > 0)
        (void)fprintf(out, " %s failed.", EB_COUNT((uint64_t)failed, "command", "commands"));
    return fclose(out) == 0 ? text : NULL;
}
