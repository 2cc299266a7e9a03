#include "shell/recall/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/model/lookup.h"

static void report_given(eb_report *report, const eb_recall_given *given)
{
    if (given->queries)
        eb_report_field(report, EB_F(query_set_source), eb_text(given->queries));
    if (given->k > 0)
        eb_report_note(report, "the true neighbours were computed: the file has only %zu for each query, fewer than k",
                       given->k);
    if (!given->truth)
        return;
    EB_FIELDS(report, {EB_F(truth_source), eb_text(given->truth)}, {EB_F(truth_checked), eb_uint(given->checked)},
              {EB_HIDDEN(truth_agreed), eb_uint(given->agreed)});
    if (given->agreed < given->checked)
        eb_report_note(
            report,
            "warning: of the first %zu queries, which were also computed, %zu have nearer neighbours than the "
            "file says, so that recall is reported too high",
            given->checked, given->checked - given->agreed);
    else
        eb_report_note(report,
                       "the true neighbours are the file's; for the first %zu queries they were also computed, "
                       "and are as far away",
                       given->checked);
}

static size_t places_of(const eb_inverted_file *f) { return (size_t)f->blocks[f->shape.nlist] * EB_LIST_BLOCK; }

static void report_file(eb_report *report, const eb_recall_study *s)
{
    const eb_inverted_file *f = s->file;
    const size_t places = places_of(f);
    EB_FIELDS(report, {EB_F(k), eb_uint(s->nearest->k)}, {EB_F(queries_looked_for), eb_uint(s->nearest->queries)},
              {EB_F(n), eb_uint(f->n)}, {EB_HIDDEN(d), eb_uint(f->d)}, {EB_F(nlist), eb_uint(f->shape.nlist)},
              {EB_F(m), eb_uint(f->shape.m)}, {EB_F(codes_bytes), eb_uint(places * f->shape.m)},
              {EB_F(padding), eb_real((double)(places - f->n) / (double)places)},
              {EB_HIDDEN(accumulate), eb_text(s->e.f16_sums ? "f16" : "f32")}, {EB_HIDDEN(scale), eb_real(s->e.scale)});
    if (s->e.refine)
        eb_report_field(report, EB_F(refine), eb_uint(s->e.refine));
    eb_report_field(report, EB_HIDDEN(device), eb_text(s->e.device->name));
    if (s->e.device->kind != EB_DEVICE_CPU) {
        EB_FIELDS(report, {EB_HIDDEN(layout), eb_text(eb_table_layout_name(s->layout))}, {EB_F(pad), eb_bool(s->pad)});
    }
    EB_FIELDS(report, {EB_F(threads), eb_uint(s->e.threads)}, {EB_F(index_kept), eb_bool(s->kept)},
              {EB_F(build_s), eb_real(s->e.build_s)}, {EB_F(truth_s), eb_real(s->e.truth_s)});
    report_given(report, &s->given);
}

static double rate_of(const eb_recall_study *s, double pass_s) { return (double)s->nearest->queries / pass_s; }

/* Modelled wavefronts of a look-up. Entries of several queries side by side are read as one 4-byte word. */
static double modelled_wavefronts(const eb_recall_cell *cell)
{
    return eb_lookup_wavefronts(cell->p.work.side_by_side > 1 ? 4 : (unsigned)eb_table_entry_bytes(cell->p.lut));
}

static void report_cells(eb_report *report, const eb_recall_study *s)
{
    char loss[48], speed[48];
    const char *first = eb_table_format_name(s->cell[0].p.lut);
    (void)snprintf(loss, sizeof loss, "recall, to %s", first);
    (void)snprintf(speed, sizeof speed, "throughput, to %s", first);
    const bool several = s->luts > 1, on_gpu = s->e.device->kind != EB_DEVICE_CPU;
    eb_table *table =
        EB_TABLE(report, EB_F(cells), "Recall and throughput", EB_F(lut), EB_F(table_bytes), EB_F(nprobe), EB_F(recall),
                 EB_F(recall_low), EB_F(recall_high), EB_F_IF(several, recall_difference), EB_F(queries_per_s),
                 EB_HIDDEN(pass_s), EB_F(cov), EB_F_IF(several, speed), EB_HIDDEN(trials),
                 EB_F_IF(on_gpu, lookup_kernel_s), EB_F_IF(on_gpu, queries_per_lookup), EB_HIDDEN(lookups),
                 EB_F_IF(on_gpu, blocks_per_sm), EB_HIDDEN(shared_bytes), EB_F_IF(s->counters, lookup_wavefronts),
                 EB_F_IF(s->counters, wavefronts_model), EB_F_IF(s->counters, occupancy));
    for (size_t k = 0; k < s->luts; k++)
        for (size_t c = k; c < s->done; c += s->luts) {
            const eb_recall_cell *cell = &s->cell[c], *base = &s->cell[c - k];
            EB_ROW(table, eb_text(eb_table_format_name(cell->p.lut)),
                   eb_uint(s->file->shape.m * EB_BOOK_ENTRIES * eb_table_entry_bytes(cell->p.lut)),
                   eb_uint(cell->p.nprobe), eb_real(cell->p.recall.mean), eb_real(cell->p.recall.low),
                   eb_real(cell->p.recall.high), eb_real(cell->p.recall.mean - base->p.recall.mean),
                   eb_real(rate_of(s, cell->pass_s.median)), eb_real(cell->pass_s.median), eb_real(cell->pass_s.cov),
                   eb_real(base->pass_s.median / cell->pass_s.median), eb_uint(cell->pass_s.count),
                   on_gpu ? eb_real(cell->p.work.kernel_s) : eb_na(),
                   on_gpu ? eb_uint(cell->p.work.side_by_side) : eb_na(),
                   on_gpu ? eb_uint(cell->p.work.lookups) : eb_na(), on_gpu ? eb_uint(cell->p.work.blocks) : eb_na(),
                   on_gpu ? eb_uint(cell->p.work.shared_bytes) : eb_na(),
                   s->counters ? eb_real(cell->p.wavefronts) : eb_na(),
                   on_gpu ? eb_real(modelled_wavefronts(cell)) : eb_na(),
                   s->counters ? eb_real(cell->p.occupancy) : eb_na());
        }
}

/* A curve for each format, with the range of its trials. */
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
                         eb_table_format_name(s->cell[k].p.lut));
        for (size_t c = k; c < s->done; c += s->luts, points++) {
            x[points] = s->cell[c].p.recall.mean;
            y[points] = rate_of(s, s->cell[c].pass_s.median);
            low[points] = rate_of(s, s->cell[c].pass_s.max);
            high[points] = rate_of(s, s->cell[c].pass_s.min);
            mark[points] = (char)('a' + (int)k);
        }
    }
    eb_series *series = eb_report_series(report, EB_F(curve), title, EB_LINE, points, x, y, low, high);
    eb_series_axes(series, EB_F(recall), false, EB_F(queries_per_s), true);
    eb_series_marks(series, mark);
    for (size_t k = 0; k < s->luts; k++)
        eb_series_name(series, (char)('a' + (int)k), eb_table_format_name(s->cell[k].p.lut));
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
