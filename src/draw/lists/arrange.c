#include "draw/lists/arrange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/report/find.h"

static bool given(const char *part) { return part && part[0]; }

static eb_column_set columns_of(const eb_table *table) { return (eb_column_set){table->columns, table->column}; }

/* ---- an arrangement read for a table ---- */

typedef struct plan {
    eb_named_column *sort, *columns; /* heap; NULL: none */
    size_t sorts, chosen;
    eb_filter filter;
} plan;

static void free_plan(plan *p)
{
    free(p->sort);
    free(p->columns);
    eb_filter_free(&p->filter);
}

static eb_code read_parts(const eb_arrangement *wanted, eb_column_set set, plan *p, eb_status *status)
{
    if (given(wanted->where))
        EB_TRY(eb_filter_read(set, wanted->where, &p->filter, status));
    if (given(wanted->sort))
        EB_TRY(eb_columns_read(set, wanted->sort, true, &p->sort, &p->sorts, status));
    if (given(wanted->columns))
        EB_TRY(eb_columns_read(set, wanted->columns, false, &p->columns, &p->chosen, status));
    return EB_OK;
}

static eb_code read_plan(const eb_arrangement *wanted, eb_column_set set, plan *p, eb_status *status)
{
    *p = (plan){.sorts = 0};
    const eb_code failed = read_parts(wanted, set, p, status);
    if (failed)
        free_plan(p);
    return failed;
}

eb_code eb_arrangement_check(const eb_arrangement *wanted, eb_column_set set, eb_status *status)
{
    plan p;
    EB_TRY(read_plan(wanted, set, &p, status));
    free_plan(&p);
    return EB_OK;
}

/* ---- rows ---- */

static int compare_values(eb_value a, eb_value b)
{
    if (a.kind == EB_TEXT && b.kind == EB_TEXT)
        return strcasecmp(a.as.text, b.as.text);
    const double x = a.kind == EB_BOOL ? a.as.boolean : eb_value_number(a),
                 y = b.kind == EB_BOOL ? b.as.boolean : eb_value_number(b);
    if (isnan(x) || isnan(y)) /* numbers before words */
        return (int)isnan(x) - (int)isnan(y);
    return (x > y) - (x < y);
}

typedef struct sorting {
    const eb_table *table;
    const plan *plan;
} sorting;

static int compare_cells(eb_value x, eb_value y, bool descending)
{
    const bool no_x = eb_value_missing(x), no_y = eb_value_missing(y);
    if (no_x || no_y)
        return (int)no_x - (int)no_y;
    const int order = compare_values(x, y);
    return descending ? -order : order;
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const sorting *s = context;
    const size_t i = *(const size_t *)a, j = *(const size_t *)b, columns = s->table->columns;
    for (size_t k = 0; k < s->plan->sorts; k++) {
        const eb_named_column by = s->plan->sort[k];
        const int order = compare_cells(s->table->cell[i * columns + by.column],
                                        s->table->cell[j * columns + by.column], by.descending);
        if (order != 0)
            return order;
    }
    return (i > j) - (i < j);
}

static void choose_rows(const eb_table *table, const plan *p, eb_arranged_table *out)
{
    sorting s = {table, p};
    for (size_t row = 0; row < table->rows; row++)
        if (eb_filter_takes(&p->filter, table, row))
            out->row[out->table.rows++] = row;
    if (p->sorts > 0)
        qsort_r(out->row, out->table.rows, sizeof *out->row, compare_rows, &s);
}

/* ---- the arranged table ---- */

static void choose_columns(const eb_table *table, const plan *p, eb_arranged_table *out)
{
    out->table.columns = p->chosen > 0 ? p->chosen : table->columns;
    for (size_t k = 0; k < out->table.columns; k++) {
        out->column[k] = p->chosen > 0 ? p->columns[k].column : k;
        out->table.column[k] = table->column[out->column[k]];
        if (p->chosen > 0 && !out->table.column[k].title)
            out->table.column[k].title = out->table.column[k].key;
    }
}

static void copy_cells(const eb_table *table, eb_arranged_table *out)
{
    for (size_t r = 0; r < out->table.rows; r++)
        for (size_t c = 0; c < out->table.columns; c++)
            out->table.cell[r * out->table.columns + c] = table->cell[out->row[r] * table->columns + out->column[c]];
}

void eb_arranged_table_free(eb_arranged_table *arranged)
{
    free(arranged->table.column);
    free(arranged->table.cell);
    free(arranged->row);
    free(arranged->column);
    *arranged = (eb_arranged_table){.sorted_by = EB_NOT_SORTED};
}

static eb_code fill(const eb_table *table, const plan *p, eb_arranged_table *out, eb_status *status)
{
    EB_TRY(eb_filter_check(&p->filter, table, status));
    const size_t cells = table->rows * table->columns;
    out->row = calloc(table->rows + 1, sizeof *out->row);
    out->column = calloc(table->columns + 1, sizeof *out->column);
    out->table.column = calloc(table->columns + 1, sizeof *out->table.column);
    out->table.cell = calloc(cells + 1, sizeof *out->table.cell);
    if (!out->row || !out->column || !out->table.column || !out->table.cell)
        return eb_fail_memory(status, "a list", cells * sizeof *out->table.cell);
    choose_rows(table, p, out);
    choose_columns(table, p, out);
    copy_cells(table, out);
    if (p->sorts > 0) {
        out->sorted_by = p->sort[0].column;
        out->descending = p->sort[0].descending;
    }
    return EB_OK;
}

eb_code eb_table_arrange(const eb_table *table, const eb_arrangement *wanted, eb_arranged_table *out, eb_status *status)
{
    plan p;
    *out = (eb_arranged_table){.sorted_by = EB_NOT_SORTED, .table = {.turned = table->turned, .look = table->look}};
    EB_TRY(read_plan(wanted, columns_of(table), &p, status));
    const eb_code failed = fill(table, &p, out, status);
    if (failed)
        eb_arranged_table_free(out);
    free_plan(&p);
    return failed;
}

/* ---- words ---- */

char *eb_arrangement_words(const eb_arrangement *wanted, size_t shown, size_t all, char *buffer, size_t size)
{
    const char *const parts[][2] = {{"where", wanted->where}, {"sort", wanted->sort}, {"columns", wanted->columns}};
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && used < size; k++)
        if (given(parts[k][1]))
            used +=
                (size_t)snprintf(buffer + used, size - used, "%s%s=%s", used > 0 ? " " : "", parts[k][0], parts[k][1]);
    if (shown < all && used < size)
        (void)snprintf(buffer + used, size - used, "%s%zu of %zu rows", used > 0 ? ": " : "", shown, all);
    return buffer;
}

/* ---- reports ---- */

static bool is_list(const eb_item *item) { return item->kind == EB_TABLE && item->as.table.look == EB_AS_TABLE; }

/* Frees the parts of the table that the arranged one leaves out, and gives it the others. */
static eb_code replace(eb_table *table, eb_arranged_table *arranged, eb_status *status)
{
    const size_t cells = table->rows * table->columns, columns = arranged->table.columns;
    bool *kept = calloc(cells + table->columns + 1, sizeof *kept);
    if (!kept)
        return eb_fail_memory(status, "a list", cells);
    bool *column_kept = kept + cells;
    for (size_t c = 0; c < columns; c++) {
        eb_column *column = &arranged->table.column[c];
        column_kept[arranged->column[c]] = true;
        if (column->title == column->key) /* the report frees both */
            column->title = strdup(column->key);
        for (size_t r = 0; r < arranged->table.rows; r++)
            kept[arranged->row[r] * table->columns + arranged->column[c]] = true;
    }
    for (size_t k = 0; k < cells; k++)
        if (!kept[k] && table->cell[k].kind == EB_TEXT)
            free((void *)table->cell[k].as.text);
    for (size_t c = 0; c < table->columns; c++)
        if (!column_kept[c]) {
            free((void *)table->column[c].key);
            free((void *)table->column[c].title);
        }
    free(kept);
    free(table->cell);
    free(table->column);
    table->cell = arranged->table.cell;
    table->column = arranged->table.column;
    table->rows = table->row_capacity = arranged->table.rows;
    table->columns = columns;
    arranged->table = (eb_table){0};
    return EB_OK;
}

/* Adds the arrangement to the title: "Runs [sort=-kernel_s: 5 of 9 rows]". A list without a title stands in the
 * report's text, whose place it takes. */
static eb_code retitle(eb_report *report, eb_item *item, const char *words, eb_status *status)
{
    char *title = NULL;
    const char *before = item->title ? item->title : "";
    if (!item->title && !report->raw)
        return EB_OK;
    if (asprintf(&title, "%s%s[%s]", before, before[0] ? " " : "", words) < 0)
        return eb_fail_memory(status, "a title", strlen(words));
    free(item->title);
    item->title = title;
    free(report->raw);
    free(report->flow);
    report->raw = report->flow = NULL;
    return EB_OK;
}

static eb_code arrange_item(eb_report *report, eb_item *item, const eb_arrangement *wanted, size_t limit,
                            eb_status *status)
{
    char words[400];
    eb_arranged_table arranged;
    const size_t all = item->as.table.rows;
    EB_TRY(eb_table_arrange(&item->as.table, wanted, &arranged, status));
    if (limit > 0 && arranged.table.rows > limit)
        arranged.table.rows = limit;
    (void)eb_arrangement_words(wanted, arranged.table.rows, all, words, sizeof words);
    eb_code failed = replace(&item->as.table, &arranged, status);
    eb_arranged_table_free(&arranged);
    return failed ? failed : retitle(report, item, words, status);
}

/* All columns of all lists of the report. Heap: set->column. */
static bool gather(const eb_report *report, eb_column_set *set)
{
    eb_column *all = NULL;
    *set = (eb_column_set){0};
    for (size_t k = 0; k < report->items; k++) {
        const eb_table *table = &report->item[k]->as.table;
        if (!is_list(report->item[k]) || table->columns == 0)
            continue;
        eb_column *grown = realloc(all, (set->count + table->columns) * sizeof *all);
        if (!grown) {
            free(all);
            return false;
        }
        all = grown;
        memcpy(all + set->count, table->column, table->columns * sizeof *all);
        set->count += table->columns;
    }
    set->column = all;
    return true;
}

/* Why no list of the report can be arranged so. */
static eb_code refuse(const eb_report *report, const eb_arrangement *wanted, eb_status *status)
{
    eb_column_set set;
    if (!gather(report, &set))
        return eb_fail_memory(status, "a list", 1);
    eb_code failed = set.count == 0 ? eb_fail(status, EB_USAGE, "there is no list to arrange in this report")
                                    : eb_arrangement_check(wanted, set, status);
    free((void *)set.column);
    return failed ? failed : eb_fail(status, EB_USAGE, "no list of this report has all of these columns");
}

eb_code eb_report_arrange(eb_report *report, const eb_arrangement *wanted, size_t limit, eb_status *status)
{
    bool any = false;
    for (size_t k = 0; k < report->items; k++) {
        eb_item *item = report->item[k];
        if (!is_list(item) || eb_arrangement_check(wanted, columns_of(&item->as.table), NULL))
            continue;
        EB_TRY(arrange_item(report, item, wanted, limit, status));
        any = true;
    }
    return any ? EB_OK : refuse(report, wanted, status);
}
