/* fragment: checks a function that tells which element of C a lane holds after mma.m16n8k16. */
#include <stdio.h>
#include <string.h>

#include "kernels/parts/fragment_map.h"
#include "shell/exercises/exercise.h"

enum { ROWS = 16, COLUMNS = 8, ELEMENTS = 4, CELL = 40 };

static const eb_fragment *truth_of(void)
{
    for (size_t k = 0; k < eb_fragment_count(); k++)
        if (strcmp(eb_fragment_at(k)->instruction, "m16n8k16.f16") == 0 && eb_fragment_at(k)->operand == 'C')
            return eb_fragment_at(k);
    return NULL;
}

static void find_element(uint32_t said, const eb_fragment *truth, int lane, int e, eb_faults *f)
{
    const int row = truth->row(lane, e), column = truth->column(lane, e);
    if (said >= ROWS * COLUMNS)
        eb_fault(f, "fragment(%d, %d) is %u, but C has the elements 0 to 127", lane, e, said);
    else if (said != (uint32_t)(row * COLUMNS + column))
        eb_fault(f, "lane %d, element %d: you say row %u, column %u; it is row %d, column %d", lane, e, said / COLUMNS,
                 said % COLUMNS, row, column);
}

/* Writes to cell[COLUMNS] which lanes and elements the function puts there: "5.2"; "5.2!" if it is another element. */
static void fill_row(const uint32_t *value, const eb_fragment *truth, unsigned row, char (*cell)[CELL])
{
    for (unsigned c = 0; c < COLUMNS; c++) {
        size_t used = 0;
        cell[c][0] = '\0';
        for (int k = 0; k < truth->lanes * ELEMENTS && used < CELL; k++) {
            const int lane = k / ELEMENTS, e = k % ELEMENTS;
            if (value[k] != row * COLUMNS + c)
                continue;
            const bool right = truth->row(lane, e) == (int)row && truth->column(lane, e) == (int)c;
            used +=
                (size_t)snprintf(cell[c] + used, CELL - used, "%s%d.%d%s", used ? " " : "", lane, e, right ? "" : "!");
        }
    }
}

/* Table "matrix", as `fragment` draws it. */
static void draw_matrix(const uint32_t *value, const eb_fragment *truth, eb_report *report)
{
    eb_table *table =
        eb_report_table(report, EB_F(matrix), "C by your function: lane.element of each row and column; !: wrong");
    char cell[COLUMNS][CELL];
    eb_table_column(table, EB_F(row));
    for (unsigned c = 0; c < COLUMNS; c++) {
        (void)snprintf(cell[0], CELL, "%u", c);
        eb_table_column(table, &(eb_column){cell[0], cell[0], EB_IDENTITY});
    }
    for (unsigned row = 0; row < ROWS; row++) {
        eb_value line[COLUMNS + 1] = {eb_uint(row)};
        fill_row(value, truth, row, cell);
        for (unsigned c = 0; c < COLUMNS; c++)
            line[c + 1] = eb_text(cell[c]);
        eb_table_row(table, line, COLUMNS + 1);
    }
}

static eb_code check(const eb_exercise *exercise, const uint32_t *value, eb_report *report, eb_faults *f,
                     eb_status *status)
{
    const eb_fragment *truth = truth_of();
    if (!truth || (size_t)truth->lanes * ELEMENTS != exercise->values)
        return eb_fail(status, EB_INTERNAL, "the fragment of C that the exercise asks for is not known");
    for (int k = 0; k < truth->lanes * ELEMENTS; k++)
        find_element(value[k], truth, k / ELEMENTS, k % ELEMENTS, f);
    draw_matrix(value, truth, report);
    if (f->count == 0)
        eb_report_conclude(report, "Your fragment is right: all 128 elements of C are where the tensor core has them");
    return EB_OK;
}

const eb_exercise eb_exercise_fragment = {.name = "fragment",
                                          .form = "unsigned fragment(unsigned lane, unsigned element)",
                                          .values = (size_t)ROWS * COLUMNS,
                                          .side = ELEMENTS,
                                          .more = "",
                                          .check = check};
