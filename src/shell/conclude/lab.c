/* The commands that say why: what limits a run, what a switch is worth, what a model expects. */
#include <string.h>

#include "shell/conclude/sentences.h"
#include "shell/conclude/words.h"

static const char *text_at(const eb_table *table, size_t row, const char *key)
{
    const eb_value value = eb_table_value(table, row, key);
    return value.kind == EB_TEXT ? value.as.text : "";
}

/* The row of the greatest number, rows without one left out; `rows` where there is none. */
static size_t greatest(const eb_table *table, const char *key)
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
        const eb_value says = item->kind == EB_RECORD ? eb_record_find(&item->as.record, "says") : eb_na();
        const double worth = item->kind == EB_RECORD ? eb_value_number(eb_record_find(&item->as.record, "worth")) : NAN;
        if (says.kind == EB_TEXT) { /* the first is worth most */
            eb_report_conclude(report, "The rule \"%s\" is worth up to %s of run %.0f", item->key, EB_SHARE(worth),
                               run);
            return;
        }
    }
    eb_report_conclude(report, "No rule found what limited run %.0f", run);
}

void eb_conclude_explain(eb_report *report)
{
    const eb_table *verdicts = eb_report_find_table(report, "verdicts");
    const eb_table *directions = eb_report_find_table(report, "directions");
    const double run = eb_number_of(report, "run");
    if (run > 0) {
        conclude_run(report, run);
    } else if (verdicts && verdicts->rows > 1) {
        const char *fast = text_at(verdicts, 0, "verdict"), *truth = text_at(verdicts, 1, "verdict");
        if (strcmp(fast, truth) == 0)
            eb_report_conclude(report, "%s and FP64 agree: the pair is %s", text_at(verdicts, 0, "by"), fast);
        else
            eb_report_conclude(report, "%s says that the pair is %s, FP64 that it is %s", text_at(verdicts, 0, "by"),
                               fast, truth);
    } else if (directions && directions->rows > 0) {
        eb_report_conclude(report, "The pair is %s by the truth", eb_text_of(report, "truth_verdict"));
    }
}

/* ---- ablate ---- */

static void conclude_list(eb_report *report, const eb_table *switches)
{
    eb_report_conclude(report, "%s can be left out", EB_COUNT(switches->rows, "switch", "switches"));
}

void eb_conclude_ablate(eb_report *report)
{
    const eb_table *variants = eb_report_find_table(report, "variants");
    const eb_table *switches = eb_report_find_table(report, "switches");
    if (!variants && switches && switches->rows > 0)
        conclude_list(report, switches);
    if (!variants)
        return;
    const bool bare = eb_table_find_column(variants, "speedup") >= 0;
    const size_t best = greatest(variants, bare ? "speedup" : "slowdown");
    if (best < variants->rows && best > 0)
        eb_report_conclude(report, "%s is worth most: kernels take %s the time %s it",
                           text_at(variants, best, "switch"),
                           EB_BRIEF(eb_real(bare ? 1 / eb_number_at(variants, best, "speedup")
                                                 : eb_number_at(variants, best, "slowdown")),
                                    EB_RATIO),
                           bare ? "with" : "without");
}

/* ---- model, grid ---- */

void eb_conclude_model(eb_report *report)
{
    const eb_table *predicted = eb_report_find_table(report, "predicted");
    double kernel_s = NAN, rate = NAN;
    for (size_t k = 0; predicted && k < predicted->rows; k++) {
        if (strcmp(text_at(predicted, k, "metric"), "kernel_s") == 0)
            kernel_s = eb_number_at(predicted, k, "model");
        else if (strcmp(text_at(predicted, k, "metric"), "tflops_derived") == 0)
            rate = eb_number_at(predicted, k, "model");
    }
    if (kernel_s >= 0)
        eb_report_conclude(report, "The model expects kernels to take %s, at %s", EB_TIME(kernel_s),
                           EB_BRIEF(eb_real(rate), EB_TERAFLOPS));
}

void eb_conclude_grid(eb_report *report)
{
    const eb_table *cells = eb_report_find_table(report, "cells");
    const size_t best = cells ? greatest(cells, "tflops_derived") : 0;
    if (cells && best < cells->rows)
        eb_report_conclude(report, "%s reaches most, %s, at n = %s and d = %s", text_at(cells, best, "spec"),
                           EB_BRIEF(eb_table_value(cells, best, "tflops_derived"), EB_TERAFLOPS),
                           EB_NUMBER(eb_number_at(cells, best, "n")), EB_NUMBER(eb_number_at(cells, best, "d")));
}

/* ---- the inverted file ---- */

void eb_conclude_recall(eb_report *report)
{
    const eb_table *cells = eb_report_find_table(report, "cells");
    const size_t best = cells ? greatest(cells, "recall") : 0;
    if (cells && best < cells->rows)
        eb_report_conclude(report, "Tables of %s find most, %s of the true nearest, at nprobe = %s",
                           text_at(cells, best, "lut"), EB_SHARE(eb_number_at(cells, best, "recall")),
                           EB_NUMBER(eb_number_at(cells, best, "nprobe")));
}

void eb_conclude_index(eb_report *report)
{
    const double lists = eb_number_of(report, "nlist"), n = eb_number_of(report, "n");
    if (lists > 0 && n > 0)
        eb_report_conclude(report, "The index holds %s in %s and takes %s", EB_COUNT((uint64_t)n, "point", "points"),
                           EB_COUNT((uint64_t)lists, "list", "lists"),
                           EB_BRIEF(eb_report_find_field(report, "bytes"), EB_BYTES));
}

/* ---- counters ---- */

void eb_conclude_counters(eb_report *report)
{
    const eb_table *counters = eb_report_find_table(report, "counters");
    const double passes = eb_number_of(report, "passes");
    if (counters && passes > 0)
        eb_report_conclude(report, "The hardware's counters were read in %s",
                           EB_COUNT((uint64_t)passes, "pass", "passes"));
    else if (counters)
        eb_report_conclude(report, "The hardware's counters cannot be read on %s", eb_text_of(report, "device"));
}
