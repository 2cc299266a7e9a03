/* runs: conclusions of join, save, hist, show, diff, export and precisions. */
#include <stdio.h>
#include <string.h>

#include "core/engine/engine.h"
#include "shell/conclude/words.h"

/* True if the run emulated a GPU engine on the CPU: its time says nothing about the engine. */
static bool is_emulated(const eb_report *report)
{
    const eb_engine *engine = NULL;
    const char *name = eb_text_of(report, EB_F(engine)), *device = eb_text_of(report, EB_F(device));
    return eb_device_named_cpu(device) && !eb_engine_find(name, strlen(name), &engine, NULL) &&
           engine->published_tflops > 0;
}

/* " in 384 ms"; "" if unknown or an emulation. */
static void time_taken(const eb_report *report, char *buffer, size_t size)
{
    const double total_s = eb_number_of(report, EB_F(total_s));
    buffer[0] = '\0';
    if (total_s >= 0 && !is_emulated(report))
        (void)snprintf(buffer, size, " in %s", EB_TIME(total_s));
}

void eb_conclude_join(eb_report *report)
{
    char took[EB_WORD];
    const double pairs = eb_number_of(report, EB_F(pairs)), s = eb_number_of(report, EB_F(selectivity)),
                 expected = eb_number_of(report, EB_F(expected_pairs)); /* of a count of which parts are counted */
    time_taken(report, took, sizeof took);
    if (expected >= 0)
        eb_report_conclude(report, "%s of the work is counted; some %s pairs are expected in all",
                           EB_SHARE(eb_number_of(report, EB_F(counted_share))), EB_NUMBER(expected));
    else if (pairs >= 0)
        eb_report_conclude(report, "%s found %s%s, %s %s a point", eb_text_of(report, EB_F(spec)),
                           EB_COUNT((uint64_t)pairs, "pair", "pairs"), took, EB_NUMBER(s), eb_neighbour_word(s));
}

void eb_conclude_save(eb_report *report)
{
    const double pairs = eb_number_of(report, EB_F(file_pairs));
    if (pairs >= 0)
        eb_report_conclude(report, "%s holds %s (%s)", eb_text_of(report, EB_F(file)),
                           EB_COUNT((uint64_t)pairs, "pair", "pairs"),
                           EB_BRIEF(eb_report_find_field(report, EB_F(file_bytes)), EB_BYTES));
}

void eb_conclude_hist(eb_report *report)
{
    const double error = eb_number_of(report, EB_F(error_max)),
                 most = error >= 0 ? error : eb_number_of(report, EB_F(difference_max)),
                 drawn = eb_number_of(report, EB_F(sample));
    char points[EB_WORD + 32] = "";
    if (drawn > 0)
        (void)snprintf(points, sizeof points, " from %s drawn points", EB_BRIEF(eb_real(drawn), EB_PLAIN));
    if (most >= 0)
        eb_report_conclude(report, "Distances of %s%s %s by at most %s", eb_text_of(report, EB_F(fast)), points,
                           error >= 0 ? "are off" : "differ", EB_AT_MOST(most));
}

void eb_conclude_show(eb_report *report)
{
    char took[EB_WORD];
    const double pairs = eb_number_of(report, EB_F(pairs));
    time_taken(report, took, sizeof took);
    if (pairs >= 0)
        eb_report_conclude(report, "Run %.0f found %s%s", eb_number_of(report, EB_F(run)),
                           EB_COUNT((uint64_t)pairs, "pair", "pairs"), took);
}

/* Judges the end-to-end time only. */
void eb_conclude_diff(eb_report *report)
{
    const eb_table *times = eb_report_find_table(report, EB_F(times));
    const double run = eb_number_of(report, EB_F(run)), baseline = eb_number_of(report, EB_F(baseline));
    for (size_t k = 0; times && k < times->rows; k++) {
        const char *verdict = eb_text_at(times, k, EB_F(verdict));
        const double ratio = eb_number_at(times, k, EB_F(ratio));
        if (strcmp(eb_text_at(times, k, EB_F(part)), EB_F(total_s)->key) != 0 || !verdict[0])
            continue;
        if (strcmp(verdict, "UNCLEAR") == 0)
            eb_report_conclude(report, "It is unclear whether run %.0f is faster than run %.0f: %s", run, baseline,
                               eb_value_text_or(eb_table_value(times, k, EB_F(reason)), "too little is known"));
        else
            eb_report_conclude(report, "Run %.0f takes %s the time of run %.0f, end to end", run,
                               EB_BRIEF(eb_real(ratio), EB_RATIO), baseline);
    }
}

void eb_conclude_export(eb_report *report)
{
    const double rows = eb_number_of(report, EB_F(rows));
    if (rows >= 0)
        eb_report_conclude(report, "%s holds %s of the log", eb_text_of(report, EB_F(file)),
                           EB_COUNT((uint64_t)rows, "row", "rows"));
}

/* ---- precisions ---- */

/* Rows for which so many bytes a coordinate, or fewer, are enough. */
static size_t enough_with(const eb_table *enough, double bytes)
{
    size_t count = 0;
    for (size_t k = 0; k < enough->rows; k++)
        count += eb_number_at(enough, k, EB_F(rung_bytes)) <= bytes;
    return count;
}

void eb_conclude_precisions(eb_report *report)
{
    const eb_table *enough = eb_report_find_table(report, EB_F(enough));
    if (!enough || enough->rows == 0)
        return;
    const char *type = eb_text_at(enough, 0, EB_F(rung_enough)), *dataset = eb_text_at(enough, 0, EB_F(dataset)),
               *best = eb_text_at(enough, 0, EB_F(rung_short)),
               *verb = strcmp(eb_text_at(enough, 0, EB_F(overlap_basis)), "measured") == 0 ? "keeps" : "should keep";
    if (enough->rows > 1)
        eb_report_conclude(report, "One byte a coordinate is enough in %zu of %zu cases, two bytes are in %zu",
                           enough_with(enough, 1), enough->rows, enough_with(enough, 2));
    else if (type[0])
        eb_report_conclude(report, "%s is enough for %s: it %s %s", type, dataset, verb,
                           EB_SHARE(eb_number_at(enough, 0, EB_F(overlap))));
    else if (best[0])
        eb_report_conclude(report, "No type tried is enough for %s: the best, %s, %s %s", dataset, best, verb,
                           EB_SHARE(eb_number_at(enough, 0, EB_F(overlap_short))));
}
