/* text: exports the log as CSV, a row for each trial, or a session's commands as a script. */
#include <stdlib.h>
#include <string.h>

#include "core/files/cell.h"
#include "store/export/export.h"

/* ---- CSV ---- */

/* Writes a line: the values of the current row, or the columns' names. */
static void put_line(FILE *file, const eb_query *query, bool names)
{
    for (int k = 0; k < sqlite3_column_count(query->statement); k++) {
        if (k > 0)
            (void)fputc(',', file);
        if (names)
            eb_put_csv_text(file, sqlite3_column_name(query->statement, k));
        else
            eb_put_csv_value(file, eb_sql_value(query, k));
    }
    (void)fputs("\r\n", file);
}

/* A run without a finished trial has one row, with empty cells for the trial. */
eb_code eb_export_csv(eb_export *export, eb_status *status)
{
    static const char text[] =
        "SELECT r.run, r.session, c.text AS command, r.started, r.state, r.engine, r.device, r.device_model, "
        "r.dataset, r.sha256, r.n, r.d, r.dtype, r.eps, r.selectivity, r.pairs, r.mode, r.distances, r.threads, "
        "r.tensor, r.switches, r.spec, r.options, r.memory_limit_bytes, r.version, r.commit_hash, t.trial, t.ended, "
        "t.upload_s, t.convert_s, t.norms_s, t.kernel_s, t.download_s, t.table_s, t.total_s, "
        "2.0 * coalesce(r.sampled, r.n) * r.n * r.d / t.kernel_s / 1e12 AS tflops_derived, "
        "t.energy_j, t.sm_clock_hz, t.throttle_reasons FROM v_runs AS r JOIN command AS c ON c.id = r.command "
        "LEFT JOIN v_trials AS t ON t.run = r.run WHERE ?1 = 0 OR r.session = ?1 ORDER BY r.run, t.trial";
    int64_t last = 0;
    eb_query query = eb_sql_rows(export->store, text, EB_VALUES(eb_int(export->session)), status);
    if (!query.failed)
        put_line(export->file, &query, true);
    while (eb_sql_next(&query)) {
        put_line(export->file, &query, false);
        export->rows += eb_sql_int(&query, 0) != last;
        last = eb_sql_int(&query, 0);
        query.failed = eb_export_check(export, status);
    }
    return eb_sql_done(&query);
}

/* ---- a script ---- */

static eb_code put_heading(eb_export *export, eb_status *status)
{
    static const char text[] = "SELECT started, version, commit_hash FROM v_sessions WHERE session = ?";
    eb_query query = eb_sql_rows(export->store, text, EB_VALUES(eb_int(export->session)), status);
    if (eb_sql_next(&query))
        (void)fprintf(export->file, "# session %lld of %s, epsbench %s (%s)\n", (long long)export->session,
                      eb_sql_text(&query, 0), eb_sql_text(&query, 1), eb_sql_text(&query, 2));
    return eb_sql_done(&query);
}

static eb_code put_commands(eb_export *export, eb_status *status)
{
    static const char text[] = "SELECT text FROM command WHERE session_id = ? AND outcome = 'ok' ORDER BY id";
    eb_query query = eb_sql_rows(export->store, text, EB_VALUES(eb_int(export->session)), status);
    while (eb_sql_next(&query)) {
        (void)fprintf(export->file, "%s\n", eb_sql_text(&query, 0));
        export->rows++;
        query.failed = eb_export_check(export, status);
    }
    return eb_sql_done(&query);
}

eb_code eb_export_script(eb_export *export, eb_status *status)
{
    static const char newest[] = "SELECT max(id) FROM session";
    if (export->session == 0)
        EB_TRY(eb_sql_integer(export->store, newest, EB_NO_VALUES, 0, &export->session, status));
    if (export->session == 0)
        return eb_fail(status, EB_NOT_FOUND, "the log has no sessions yet: there is no script to write");
    EB_TRY(put_heading(export, status));
    return put_commands(export, status);
}
