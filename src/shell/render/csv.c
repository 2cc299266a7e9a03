/* csv: renders a report as CSV (RFC 4180); render.h describes the layout. */
#include <stdlib.h>
#include <string.h>

#include "core/files/cell.h"
#include "draw/utf8.h"
#include "shell/render/render.h"

static void put_text(FILE *out, const char *text)
{
    char *harmless = eb_utf8_harmless(text);
    eb_put_csv_text(out, harmless ? harmless : "out of memory");
    free(harmless);
}

static void end_row(FILE *out) { (void)fputs("\r\n", out); }

static void put_value(FILE *out, eb_value value)
{
    if (value.kind == EB_TEXT)
        put_text(out, value.as.text);
    else
        eb_put_csv_value(out, value);
}

static void put_pair(FILE *out, const char *record, const char *key, eb_value value)
{
    if (record)
        (void)fprintf(out, "%s.", record);
    put_text(out, key);
    (void)fputc(',', out);
    put_value(out, value);
    end_row(out);
}

static void put_table(FILE *out, const eb_table *table)
{
    for (size_t c = 0; c < table->columns; c++) {
        (void)fputs(c > 0 ? "," : "", out);
        put_text(out, table->column[c].key);
    }
    end_row(out);
    for (size_t k = 0; k < table->rows * table->columns; k++) {
        put_value(out, table->cell[k]);
        if ((k + 1) % table->columns == 0)
            end_row(out);
        else
            (void)fputc(',', out);
    }
}

static void put_series(FILE *out, const eb_series *series)
{
    put_text(out, series->x_key);
    (void)fputc(',', out);
    put_text(out, series->y_key);
    (void)fputs(series->low ? ",low" : "", out);
    (void)fputs(series->high ? ",high" : "", out);
    if (series->z)
        (void)fprintf(out, ",%s", series->z_key);
    (void)fputs(series->mark ? ",mark" : "", out);
    end_row(out);
    for (size_t k = 0; k < series->points; k++) {
        const double *const columns[] = {series->x, series->y, series->low, series->high, series->z};
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
            if (columns[c]) {
                (void)fputs(c > 0 ? "," : "", out);
                put_value(out, eb_real(columns[c][k]));
            }
        if (series->mark)
            (void)fprintf(out, ",%c", series->mark[k]);
        end_row(out);
    }
}

/* Number of key,value lines: fields, members of records, raw text and notes. */
static size_t count_pairs(const eb_report *report)
{
    size_t pairs = report->notes + (report->raw != NULL);
    for (size_t k = 0; k < report->items; k++) {
        const eb_item *item = report->item[k];
        pairs += item->kind == EB_FIELD ? 1 : item->kind == EB_RECORD ? item->as.record.fields : 0;
    }
    return pairs;
}

static void put_pairs(FILE *out, const eb_report *report)
{
    (void)fputs("key,value", out);
    end_row(out);
    for (size_t k = 0; k < report->items; k++) {
        const eb_item *item = report->item[k];
        if (item->kind == EB_FIELD)
            put_pair(out, NULL, item->key, item->as.field.value);
        else if (item->kind == EB_RECORD)
            for (size_t f = 0; f < item->as.record.fields; f++)
                put_pair(out, item->key, item->as.record.field[f].key, item->as.record.field[f].value);
        else if (item->kind == EB_SERIES && item->as.series.shape == EB_BARS) {
            put_pair(out, item->key, "under", eb_real(item->as.series.under));
            put_pair(out, item->key, "over", eb_real(item->as.series.over));
        }
    }
    if (report->raw)
        put_pair(out, NULL, "text", eb_text(report->raw));
    for (size_t k = 0; k < report->notes; k++)
        put_pair(out, NULL, "note", eb_text(report->note[k]));
}

static bool is_section(const eb_item *item) { return item->kind == EB_TABLE || item->kind == EB_SERIES; }

static void put_section(FILE *out, const eb_item *item)
{
    if (item->kind == EB_TABLE)
        put_table(out, &item->as.table);
    else
        put_series(out, &item->as.series);
}

void eb_render_csv(FILE *out, const eb_report *report)
{
    size_t sections = 0;
    for (size_t k = 0; k < report->items; k++)
        sections += is_section(report->item[k]);
    if (sections == 1 && report->items == 1) {
        put_section(out, report->item[0]); /* without notes, so that a spreadsheet can open the file */
        return;
    }
    bool begun = count_pairs(report) > 0;
    if (begun)
        put_pairs(out, report);
    for (size_t k = 0; k < report->items; k++) {
        if (!is_section(report->item[k]))
            continue;
        if (begun)
            end_row(out);
        begun = true;
        put_text(out, report->item[k]->key);
        end_row(out);
        put_section(out, report->item[k]);
    }
}
