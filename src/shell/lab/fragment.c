/* fragment: the command `fragment`: shows which lane of a warp holds which elements of the matrices that tensor cores
 * multiply. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/parts/fragment_map.h"
#include "shell/commands/commands.h"

enum { CELL = 32 };

static eb_code list_fragments(eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(fragments), "Fragments", EB_F(instruction), EB_F(operand), EB_F(rows),
                               EB_F(columns), EB_F(lanes), EB_F(elements), EB_F(bytes_a_lane));
    for (size_t k = 0; k < eb_fragment_count(); k++) {
        const eb_fragment *f = eb_fragment_at(k);
        const char operand[] = {f->operand, '\0'};
        EB_ROW(table, eb_text(f->instruction), eb_text(operand), eb_int(f->rows), eb_int(f->columns), eb_int(f->lanes),
               eb_int(f->elements), eb_int(f->elements * f->bytes));
    }
    eb_report_note(report,
                   "`fragment INSTRUCTION OPERAND` draws one: which lane of the warp holds what, and as which of its "
                   "elements");
    return EB_OK;
}

/* Table "places": every element with its row, column and lane; data output only. */
static void put_places(const eb_fragment *f, eb_report *report)
{
    eb_table *table =
        EB_TABLE(report, EB_F(places), NULL, EB_HIDDEN(row), EB_F(column), EB_HIDDEN(lane), EB_F(element));
    for (int lane = 0; lane < f->lanes; lane++)
        for (int e = 0; e < f->elements; e++)
            EB_ROW(table, eb_int(f->row(lane, e)), eb_int(f->column(lane, e)), eb_int(lane), eb_int(e));
}

/* Writes a matrix row to cell[columns] as "lane.element". */
static void fill_row(const eb_fragment *f, int row, char (*cell)[CELL])
{
    for (int lane = 0; lane < f->lanes; lane++)
        for (int e = 0; e < f->elements; e++)
            if (f->row(lane, e) == row)
                (void)snprintf(cell[f->column(lane, e)], CELL, "%d.%d", lane, e);
}

static eb_code put_matrix(const eb_fragment *f, eb_report *report, eb_status *status)
{
    const size_t columns = (size_t)f->columns;
    char(*cell)[CELL] = calloc(columns, sizeof *cell), title[96];
    eb_value *value = calloc(columns + 1, sizeof *value);
    if (!cell || !value) {
        free(cell);
        free(value);
        return eb_fail_memory(status, "a picture", columns * CELL);
    }
    (void)snprintf(title, sizeof title, "%c of %s: lane.element of each row and column", f->operand, f->instruction);
    eb_table *table = eb_report_table(report, EB_F(matrix), title);
    eb_table_column(table, EB_F(row));
    for (size_t c = 0; c < columns; c++) {
        (void)snprintf(cell[0], CELL, "%zu", c);
        eb_table_column(table, &(eb_column){cell[0], cell[0], EB_IDENTITY});
    }
    for (int row = 0; row < f->rows; row++) {
        fill_row(f, row, cell);
        value[0] = eb_int(row);
        for (size_t c = 0; c < columns; c++)
            value[c + 1] = eb_text(cell[c]);
        eb_table_row(table, value, columns + 1);
    }
    free(cell);
    free(value);
    return EB_OK;
}

static const eb_fragment *find_fragment(const char *instruction, char operand)
{
    for (size_t k = 0; k < eb_fragment_count(); k++)
        if (strcmp(eb_fragment_at(k)->instruction, instruction) == 0 && eb_fragment_at(k)->operand == operand)
            return eb_fragment_at(k);
    return NULL;
}

eb_code eb_cmd_fragment(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const char *instruction = eb_call_text(call, "instruction"), *operand = eb_call_text(call, "operand");
    (void)session, (void)job;
    if (!instruction)
        return list_fragments(report);
    const eb_fragment *f = find_fragment(instruction, operand ? operand[0] : 'C');
    if (!f)
        return eb_fail(status, EB_NOT_FOUND, "%s has no fragment of %s in registers: it is read from shared memory",
                       instruction, operand);
    EB_FIELDS(report, {EB_F(instruction), eb_text(f->instruction)}, {EB_F(lanes), eb_int(f->lanes)},
              {EB_F(elements), eb_int(f->elements)});
    put_places(f, report);
    return put_matrix(f, report, status);
}
