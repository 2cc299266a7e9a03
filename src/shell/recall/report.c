#include "shell/recall/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/model/lookup.h"

static size_t places_of(const eb_inverted_file *f) { return (size_t)f->blocks[f->shape.nlist] * EB_LIST_BLOCK; }

static void report_file(eb_report *report, const eb_recall_study *s)
{
    const eb_inverted_file *f = s->file;
    const size_t places = places_of(f);
    eb_report_field(report, "k", "nearest wanted", EB_PLAIN, eb_uint(s->nearest->k));
    eb_report_field(report, "queries", s->given.queries ? "queries looked for" : "rows looked for", EB_PLAIN,
                    eb_uint(s->nearest->queries));
    eb_report_field(report, "n", "points n", EB_PLAIN, eb_uint(f->n));
    eb_report_field(report, "d", NULL, EB_PLAIN, eb_uint(f->d));
    eb_report_field(report, "nlist", "nlist", EB_PLAIN, eb_uint(f->shape.nlist));
    eb_report_field(report, "m", "m", EB_PLAIN, eb_uint(f->shape.m));
    eb_report_field(report, "codes_bytes", "codes take", EB_BYTES, eb_uint(places * f->shape.m));
    eb_report_field(report, "padding", "padding of lists", EB_PERCENT,
                    eb_real((double)(places - f->n) / (double)places));
    eb_report_field(report, "accumulate", NULL, EB_PLAIN, eb_text(s->f16_sums ? "f16" : "f32"));
    eb_report_field(report, "scale", NULL, EB_PLAIN, eb_real(s->scale));
    if (s->refine)
        eb_report_field(report, "refine", "FP64 chooses among", EB_PLAIN, eb_uint(s->refine));
    eb_report_field(report, "device", NULL, EB_PLAIN, eb_text(s->device->name));
    if (s->device->kind != EB_DEVICE_CPU) {
        eb_report_field(report, "layout", NULL, EB_PLAIN, eb_text(eb_table_layout_name(s->layout)));
        eb_report_field(report, "pad", NULL, EB_PLAIN, eb_bool(s->pad));
    }
    eb_report_field(report, "threads", "threads", EB_PLAIN, eb_uint(s->threads));
    eb_report_field(report, "index_kept", "kept index", EB_PLAIN, eb_bool(s->kept));
    eb_report_field(report, "build_s", s->kept ? "index was built in" : "index built in", EB_SECONDS,
                    eb_real(s->build_s));
    eb_report_field(report, "truth_s", "truth found in", EB_SECONDS, eb_real(s->truth_s));
    eb_report_given(report, &s->given);
}

static double rate_of(const eb_recall_study *s, double pass_s) { return (double)s->nearest->queries / pass_s; }

/* Of a word, where queries lie side by side. */
static double modelled_wavefronts(const eb_recall_cell *cell)
{
    return eb_lookup_wavefronts(cell->work.side_by_side > 1 ? 4 : (unsigned)eb_table_entry_bytes(cell->lut));
}

static void report_cells(eb_report *report, const eb_recall_study *s)
{
    char loss[48], speed[48];
    const char *first = eb_table_format_name(s->cell[0].lut);
    (void)snprintf(loss, sizeof loss, "recall, to %s", first);
    (void)snprintf(speed, sizeof speed, "throughput, to %s", first);
    const bool several = s->luts > 1, on_gpu = s->device->kind != EB_DEVICE_CPU;
    eb_table *table = eb_report_table(report, "cells", "Recall and throughput");
    EB_COLUMNS(table, {"lut", "look-up table", EB_IDENTITY}, {"table_bytes", "a table takes", EB_BYTES},
               {"nprobe", "nprobe", EB_PLAIN}, {"recall", "recall", EB_PLAIN}, {"recall_low", "recall from", EB_PLAIN},
               {"recall_high", "recall to", EB_PLAIN}, {"recall_difference", several ? loss : NULL, EB_PLAIN},
               {"queries_per_s", "throughput", EB_PLAIN}, {"pass_s", NULL, EB_SECONDS}, {"cov", "CoV", EB_PERCENT},
               {"speed", several ? speed : NULL, EB_RATIO}, {"trials", NULL, EB_PLAIN},
               {"kernel_s", on_gpu ? "look-ups' kernel" : NULL, EB_SECONDS},
               {"queries_per_lookup", on_gpu ? "queries a look-up" : NULL, EB_PLAIN}, {"lookups", NULL, EB_PLAIN},
               {"blocks_per_sm", on_gpu ? "blocks an SM" : NULL, EB_PLAIN}, {"shared_bytes", NULL, EB_BYTES},
               {"wavefronts", s->counters ? "wavefronts a look-up" : NULL, EB_PLAIN},
               {"wavefronts_model", s->counters ? "model" : NULL, EB_PLAIN},
               {"occupancy", s->counters ? "warps of those possible" : NULL, EB_PERCENT});
    for (size_t k = 0; k < s->luts; k++)
        for (size_t c = k; c < s->done; c += s->luts) {
            const eb_recall_cell *cell = &s->cell[c], *base = &s->cell[c - k];
            EB_ROW(table, eb_text(eb_table_format_name(cell->lut)),
                   eb_uint(s->file->shape.m * EB_BOOK_ENTRIES * eb_table_entry_bytes(cell->lut)), eb_uint(cell->nprobe),
                   eb_real(cell->recall.mean), eb_real(cell->recall.low), eb_real(cell->recall.high),
                   eb_real(cell->recall.mean - base->recall.mean), eb_real(rate_of(s, cell->pass_s.median)),
                   eb_real(cell->pass_s.median), eb_real(cell->pass_s.cov),
                   eb_real(base->pass_s.median / cell->pass_s.median), eb_uint(cell->pass_s.count),
                   on_gpu ? eb_real(cell->work.kernel_s) : eb_na(), on_gpu ? eb_uint(cell->work.side_by_side) : eb_na(),
                   on_gpu ? eb_uint(cell->work.lookups) : eb_na(), on_gpu ? eb_uint(cell->work.blocks) : eb_na(),
                   on_gpu ? eb_uint(cell->work.shared_bytes) : eb_na(),
                   s->counters ? eb_real(cell->wavefronts) : eb_na(),
                   on_gpu ? eb_real(modelled_wavefronts(cell)) : eb_na(),
                   s->counters ? eb_real(cell->occupancy) : eb_na());
        }
}

/* A line for each format, with the least and the most of its trials beside it. */
static void draw_cells(eb_report *report, const eb_recall_study *s)
{
    char title[160];
    size_t points = 0;
    double *x = malloc(4 * s->done * sizeof *x);
    char *mark = malloc(s->done);
    if (!x || !mark) {
        report->out_of_memory = true;
        free(x);
        free(mark);
        return;
    }
    double *y = x + s->done, *low = y + s->done, *high = low + s->done;
    int used = snprintf(title, sizeof title, "Throughput against recall:");
    for (size_t k = 0; k < s->luts; k++) {
        used += snprintf(title + used, sizeof title - (size_t)used, " %c %s", (char)('a' + (int)k),
                         eb_table_format_name(s->cell[k].lut));
        for (size_t c = k; c < s->done; c += s->luts, points++) {
            x[points] = s->cell[c].recall.mean;
            y[points] = rate_of(s, s->cell[c].pass_s.median);
            low[points] = rate_of(s, s->cell[c].pass_s.max);
            high[points] = rate_of(s, s->cell[c].pass_s.min);
            mark[points] = (char)('a' + (int)k);
        }
    }
    eb_series *series = eb_report_series(report, "curve", title, EB_LINE, points, x, y, low, high);
    eb_series_axes(series, "recall", "recall", false, "queries_per_s", "throughput", true);
    eb_series_marks(series, mark);
    free(x);
    free(mark);
}

void eb_report_recall(eb_report *report, const eb_recall_study *s)
{
    report_file(report, s);
    if (s->done == 0)
        return;
    report_cells(report, s);
    draw_cells(report, s);
    if (s->counters && s->no_counters[0])
        eb_report_note(report, "no counters: %s", s->no_counters);
    else if (s->counters)
        eb_report_note(report,
                       "wavefronts are those of loads from shared memory, less one for each that is no look-up; "
                       "the model's are of 32 codes that are all equally likely");
    eb_report_note(report, "throughput is queries a second by all threads, tables and choice of lists included; a "
                           "found point counts where it is as near as the k-th nearest by FP64");
}
