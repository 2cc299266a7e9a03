/* lab: conclusions of explain, ablate, model, grid, recall, index and counters. */
#include <string.h>

#include "shell/conclude/words.h"

/* The row with the greatest number in a column; table->rows if no row has a number. */
static size_t greatest(const eb_table *table, const eb_column *key)
{
    size_t best = table->rows;
    for (size_t k = 0; k < table->rows; k++)
        if (!isnan(eb_number_at(table, k, key)) &&
            (best == table->rows || eb_number_at(table, k, key) > eb_number_at(table, best, key)))
            best = k;
    return best;
}

/* ---- explain ---- */

static void conclude_run(eb_report *report, double run)
{
    for (size_t k = 0; k < report->items; k++) {
        const eb_item *item = report->item[k];
        if (item->kind != EB_RECORD || eb_record_find(&item->as.record, EB_F(says)).kind != EB_TEXT)
            continue;
        const double worth = eb_value_number(eb_record_find(&item->as.record, EB_F(worth)));
        eb_report_conclude(report, "The largest bottleneck of run %.0f is \"%s\": at most %s of its time", run,
                           item->key, EB_SHARE(worth));
        return; /* findings are sorted by worth */
    }
    eb_report_conclude(report, "No check found a bottleneck in run %.0f", run);
}

void eb_conclude_explain(eb_report *report)
{
    const eb_table *verdicts = eb_report_find_table(report, EB_F(verdicts));
    const eb_table *directions = eb_report_find_table(report, EB_F(directions));
    const double run = eb_number_of(report, EB_F(run));
    if (run > 0) {
        conclude_run(report, run);
    } else if (verdicts && verdicts->rows > 1) {
        const char *fast = eb_text_at(verdicts, 0, EB_F(verdict)), *truth = eb_text_at(verdicts, 1, EB_F(verdict));
        if (strcmp(fast, truth) == 0)
            eb_report_conclude(report, "%s and FP64 agree: the pair is %s", eb_text_at(verdicts, 0, EB_F(by)), fast);
        else
            eb_report_conclude(report, "%s says that the pair is %s, FP64 that it is %s",
                               eb_text_at(verdicts, 0, EB_F(by)), fast, truth);
    } else if (directions && directions->rows > 0) {
        eb_report_conclude(report, "By FP64 the pair is %s", eb_text_of(report, EB_F(truth_verdict)));
    }
}

/* ---- ablate ---- */

void eb_conclude_ablate(eb_report *report)
{
    const eb_table *variants = eb_report_find_table(report, EB_F(variants));
    const eb_table *switches = eb_report_find_table(report, EB_F(switches));
    if (!variants && switches && switches->rows > 0)
        eb_report_conclude(report, "%s can be left out", EB_COUNT(switches->rows, "switch", "switches"));
    if (!variants)
        return;
    const bool bare = eb_table_find_column(variants, EB_F(speedup)) >= 0;
    const size_t best = greatest(variants, bare ? EB_F(speedup) : EB_F(slowdown));
    if (best == 0 || best == variants->rows) {
        if (variants->rows > 1)
            eb_report_conclude(report, "No switch %s",
                               bare ? "makes kernels faster by itself" : "makes kernels slower when it is turned off");
        return;
    }
    const bool unclear = strcmp(eb_text_at(variants, best, EB_F(verdict)), "UNCLEAR") == 0;
    eb_report_conclude(report, "%s %s worth most%s: kernels take %s the time %s it",
                       eb_text_at(variants, best, EB_F(switch)), unclear ? "may be" : "is",
                       unclear ? ", which the trials leave open" : "",
                       EB_BRIEF(eb_real(bare ? 1 / eb_number_at(variants, best, EB_F(speedup))
                                             : eb_number_at(variants, best, EB_F(slowdown))),
                                EB_RATIO),
                       bare ? "with" : "without");
}

/* ---- model, grid ---- */

void eb_conclude_model(eb_report *report)
{
    const eb_table *predicted = eb_report_find_table(report, EB_F(predicted));
    double kernel_s = NAN, rate = NAN;
    for (size_t k = 0; predicted && k < predicted->rows; k++) {
        if (strcmp(eb_text_at(predicted, k, EB_F(metric)), "kernel_s") == 0)
            kernel_s = eb_number_at(predicted, k, EB_F(model));
        else if (strcmp(eb_text_at(predicted, k, EB_F(metric)), "tflops_derived") == 0)
            rate = eb_number_at(predicted, k, EB_F(model));
    }
    if (kernel_s >= 0)
        eb_report_conclude(report, "The model expects kernels to take %s, at %s", EB_TIME(kernel_s),
                           EB_BRIEF(eb_real(rate), EB_TERAFLOPS));
}

void eb_conclude_grid(eb_report *report)
{
    const eb_table *cells = eb_report_find_table(report, EB_F(cells));
    const size_t best = cells ? greatest(cells, EB_F(tflops_derived)) : 0;
    if (cells && best < cells->rows)
        eb_report_conclude(report, "%s has the highest rate, %s, at n = %s and d = %s",
                           eb_text_at(cells, best, EB_F(spec)),
                           EB_BRIEF(eb_table_value(cells, best, EB_F(tflops_derived)), EB_TERAFLOPS),
                           EB_NUMBER(eb_number_at(cells, best, EB_F(n))),
                           EB_NUMBER(eb_number_at(cells, best, EB_F(d))));
}

/* ---- the inverted file ---- */

void eb_conclude_recall(eb_report *report)
{
    const eb_table *cells = eb_report_find_table(report, EB_F(cells));
    const size_t best = cells ? greatest(cells, EB_F(recall)) : 0;
    if (cells && best < cells->rows)
        eb_report_conclude(report, "Tables of %s have the highest recall, %s, at nprobe = %s",
                           eb_text_at(cells, best, EB_F(lut)), EB_SHARE(eb_number_at(cells, best, EB_F(recall))),
                           EB_NUMBER(eb_number_at(cells, best, EB_F(nprobe))));
}

void eb_conclude_index(eb_report *report)
{
    const double lists = eb_number_of(report, EB_F(nlist)), n = eb_number_of(report, EB_F(n));
    if (lists > 0 && n > 0)
        eb_report_conclude(report, "The index holds %s in %s and takes %s", EB_COUNT((uint64_t)n, "point", "points"),
                           EB_COUNT((uint64_t)lists, "list", "lists"),
                           EB_BRIEF(eb_report_find_field(report, EB_F(bytes)), EB_BYTES));
}

/* ---- counters ---- */

void eb_conclude_counters(eb_report *report)
{
    const eb_table *counters = eb_report_find_table(report, EB_F(counters));
    const double passes = eb_number_of(report, EB_F(passes));
    if (counters && passes > 0)
        eb_report_conclude(report, "The hardware's counters were read in %s",
                           EB_COUNT((uint64_t)passes, "pass", "passes"));
    else if (counters && eb_text_of(report, EB_F(modelled_gpu))[0])
        eb_report_conclude(report,
                           "The hardware's counters cannot be read on %s; the machine model predicts them for one %s",
                           eb_text_of(report, EB_F(device)), eb_text_of(report, EB_F(modelled_gpu)));
    else if (counters)
        eb_report_conclude(report, "The hardware's counters cannot be read on %s", eb_text_of(report, EB_F(device)));
}
