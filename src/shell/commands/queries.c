/* queries: loads and reports the query set that belongs to the loaded points, and its true neighbours. */
#include "shell/commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/ground_truth/ground_truth.h"
#include "io/load.h"

/* ---- loading ---- */

static eb_code check_fits(const eb_dataset *queries, const eb_dataset *ds, eb_status *status)
{
    if (queries->d == ds->d && queries->dtype == ds->dtype)
        return EB_OK;
    return eb_fail(status, EB_BAD_VALUE,
                   "%s: expected queries of %zu dimensions in %s as the points of %s are, found %zu in %s",
                   queries->source, ds->d, eb_dtype_name(ds->dtype), ds->source, queries->d,
                   eb_dtype_name(queries->dtype));
}

/* Paths of the files to load; NULL: not given. */
typedef struct asked {
    const char *queries, *truth, *distances;
} asked;

static eb_code load_set(const eb_session *session, const asked *names, const eb_dataset *ds, eb_job *job,
                        eb_query_set *out, eb_status *status)
{
    EB_TRY(eb_load(names->queries, job, &out->points, status));
    EB_TRY(check_fits(out->points, ds, status));
    if (!names->truth)
        return EB_OK;
    EB_TRY(eb_load_ground_truth(names->truth, job, &out->truth, status));
    if (names->distances)
        EB_TRY(eb_load_stated(out->truth, names->distances, job, status));
    return eb_ground_truth_verify(out->truth, ds, out->points, session->settings.threads, job, status);
}

/* Loads those of PATH:/test, PATH:/neighbors and PATH:/distances that the file has. */
static eb_code load_companions(const eb_session *session, const char *what, const eb_dataset *ds, eb_job *job,
                               eb_query_set *out, eb_status *status)
{
    static const char *const object[] = {"test", "neighbors", "distances"};
    char *path[3] = {NULL};
    for (size_t k = 0; k < 3; k++)
        if ((ds->companions & 1U << k) != 0 && asprintf(&path[k], "%s:/%s", what, object[k]) < 0)
            path[k] = NULL;
    const asked names = {path[0], path[1], path[2]};
    eb_code failed =
        path[0] ? load_set(session, &names, ds, job, out, status) : eb_fail_memory(status, what, strlen(what));
    for (size_t k = 0; k < 3; k++)
        free(path[k]);
    return failed;
}

static eb_code load_any(const eb_session *session, const eb_call *call, const eb_dataset *ds, eb_job *job,
                        eb_query_set *out, eb_status *status)
{
    const asked names = {.queries = eb_call_text(call, "queries"), .truth = eb_call_text(call, "truth")};
    const bool scaled = eb_call_has(call, "scale") && strcmp(eb_call_text(call, "scale"), "none") != 0;
    if (names.truth && !names.queries)
        return eb_fail(status, EB_USAGE, "truth= tells the neighbours of queries; expected queries=FILE beside it");
    if (names.queries && (scaled || ds->left_out))
        return eb_fail(status, EB_USAGE,
                       "queries= are read as they are stored, so the points must be as well; leave out %s",
                       scaled ? "scale=" : "missing=drop");
    if (names.queries)
        return load_set(session, &names, ds, job, out, status);
    return ds->companions && !scaled ? load_companions(session, eb_call_text(call, "what"), ds, job, out, status)
                                     : EB_OK;
}

eb_code eb_load_query_set(const eb_session *session, const eb_call *call, const eb_dataset *ds, eb_job *job,
                          eb_query_set *out, eb_status *status)
{
    *out = (eb_query_set){NULL, NULL};
    eb_code failed = load_any(session, call, ds, job, out, status);
    if (failed) {
        eb_dataset_free(out->points);
        eb_ground_truth_free(out->truth);
        *out = (eb_query_set){NULL, NULL};
    }
    return failed;
}

/* ---- queries of a command ---- */

eb_code eb_asked_queries(const eb_session *session, const eb_call *call, eb_dataset *out, eb_status *status)
{
    *out = (eb_dataset){.n = 0};
    if (!session->queries || eb_call_flag(call, "rows"))
        return EB_OK;
    const size_t all = session->queries->n, count = (size_t)eb_call_integer(call, "queries", (int64_t)all);
    if (count > all)
        return eb_fail(status, EB_USAGE, "queries=%zu: %s has %zu; the word rows draws them from the dataset", count,
                       session->queries->source, all);
    *out = *session->queries;
    out->n = count;
    return EB_OK;
}

/* ---- report ---- */

static void report_truth(const eb_ground_truth *truth, eb_report *report)
{
    static const char *const stated[] =
        {[EB_STATED_NOT] = "none", [EB_STATED_PLAIN] = "as they are", [EB_STATED_SQUARED] = "squared"};
    eb_record *record = eb_report_record(report, EB_F(truth), "True neighbours");
    EB_RECORD_FIELDS(record, {EB_F(source), eb_text(truth->source)}, {EB_F(k), eb_uint(truth->k)},
                     {EB_F(truth_distances), eb_text(stated[truth->stated])});
}

void eb_report_query_set(const eb_session *session, eb_report *report)
{
    const eb_dataset *queries = session->queries;
    if (!queries)
        return;
    eb_record *record = eb_report_record(report, EB_F(query_set), "Query set");
    EB_RECORD_FIELDS(record, {EB_F(source), eb_text(queries->source)}, {EB_F(format), eb_text(queries->format)},
                     {EB_F(queries_given), eb_uint(queries->n)}, {EB_F(sha256), eb_text(queries->sha256)});
    if (session->truth)
        report_truth(session->truth, report);
}
