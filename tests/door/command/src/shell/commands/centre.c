/* Sample command `centre`: the mean of the points. */
#include <stdlib.h>

#include "shell/commands/commands.h"

eb_code eb_cmd_centre(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    const eb_dataset *ds = session->dataset;
    size_t shown = (size_t)eb_call_integer(call, "shown", 4);
    double *row = calloc(2 * ds->d, sizeof *row), *sum = row ? row + ds->d : NULL;
    if (!row)
        return eb_fail_memory(status, "the centre", 2 * ds->d * sizeof *row);
    eb_code failed = EB_OK;
    for (size_t i = 0; i < ds->n && !failed; i++) {
        eb_to_f64(ds->dtype, eb_row(ds, i), ds->d, row);
        for (size_t k = 0; k < ds->d; k++)
            sum[k] += row[k];
        failed = i % 4096 == 0 ? eb_job_check(job, status) : EB_OK;
    }
    eb_table *table = eb_report_table(report, EB_F(centre), "Mean of the points");
    EB_COLUMNS(table, EB_F(dimension), EB_F(mean));
    for (size_t k = 0; k < ds->d && k < shown && !failed; k++)
        EB_ROW(table, eb_uint(k), eb_real(sum[k] / (double)ds->n));
    free(row);
    return failed;
}
