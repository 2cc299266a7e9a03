/* knn: the command `knn`: the k nearest of one point, of a query set, of rows taken out, or of all points. */
#include <math.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/experiment/recall.h"
#include "core/knn/knn.h"
#include "core/knn/request.h"
#include "core/tune/order_statistic.h"
#include "draw/format.h"
#include "io/save/save.h"
#include "shell/commands/commands.h"
#include "shell/radius/radius.h"
#include "shell/session.h"

/* ---- recall of a query set ---- */

static bool has_truth(const eb_session *session, size_t k) { return session->truth && session->truth->k >= k; }

/* True neighbours of the queries in `few`, loaded or computed. *out refers to `few`. */
static eb_code find_right(eb_session *session, const eb_knn_request *request, const eb_dataset *few, eb_job *job,
                          eb_recall_truth *out, eb_status *status)
{
    eb_setup truth;
    if (has_truth(session, request->k))
        return eb_recall_truth_given(session->truth, request->base, few, request->k, job, out, status);
    EB_TRY(eb_session_truth(session, &truth, status));
    return eb_recall_truth_find(&truth, request->base, few, few->n, request->k, request->seed, job, out, status);
}

static eb_code recall_of(const eb_recall_truth *right, const eb_dataset *base, const eb_knn *found, double *recall,
                         eb_status *status)
{
    const size_t count = right->queries * found->k;
    uint32_t *rows = malloc(count * sizeof *rows);
    if (!rows)
        return eb_fail_memory(status, "neighbours", count * sizeof *rows);
    for (size_t j = 0; j < count; j++)
        rows[j] = found->near[j].row;
    *recall = eb_recall_of(right, base, rows).mean;
    free(rows);
    return EB_OK;
}

/* Tests the loaded true neighbours against those that an exact engine found. */
static void judge_given(const eb_recall_truth *right, const eb_knn *found, eb_report *report)
{
    size_t agreed = 0;
    for (size_t q = 0; q < right->queries; q++)
        agreed += right->reach[q] == found->near[(q + 1) * found->k - 1].far;
    eb_report_field(report, EB_F(truth_agreed), eb_uint(agreed));
    if (agreed < right->queries)
        eb_report_note(
            report,
            "warning: of %zu queries %zu have nearer neighbours than those loaded as true: the loaded ones are not "
            "the nearest of these points",
            right->queries, right->queries - agreed);
}

/* Reports recall, measured against the loaded true neighbours of all queries if there are at least k of them, else
 * against computed neighbours of the first `checked` queries (0: not measured). With an exact engine the loaded
 * neighbours are tested too. */
static eb_code report_set_recall(eb_session *session, const eb_knn_request *request, const eb_knn *found,
                                 size_t checked, eb_job *job, eb_report *report, eb_status *status)
{
    const bool given = has_truth(session, request->k);
    eb_dataset few = *request->queries;
    eb_recall_truth right;
    double recall = 0;
    few.n = given || checked > few.n ? few.n : checked;
    if (few.n == 0)
        return EB_OK;
    EB_TRY(find_right(session, request, &few, job, &right, status));
    eb_code failed = recall_of(&right, request->base, found, &recall, status);
    if (!failed) {
        if (given)
            eb_report_field(report, EB_F(truth_source), eb_text(session->truth->source));
        EB_FIELDS(report, {EB_F(checked), eb_uint(few.n)}, {EB_F(recall), eb_real(recall)});
    }
    if (!failed && given && eb_setup_exactness(request->setup) == EB_TRUTH)
        judge_given(&right, found, report);
    eb_recall_truth_free(&right);
    return failed;
}

enum { USUAL_K = 10, SHOWN = 5, USUAL_CHECKED = 100 };

typedef struct knn {
    eb_session *session;
    eb_job *job;
    eb_setup setup;
    eb_knn_request request;
    eb_dataset asked; /* view of the loaded query set or its first queries; n 0: queries are rows of the dataset */
    uint32_t *rows;   /* [n] rows of the dataset, queries first; NULL: one point, all points or a query set */
    uint32_t one;
    eb_knn found;
    double took_s;
} knn;

/* ---- arguments ---- */

static eb_code read_one(const eb_call *call, knn *w, eb_status *status)
{
    const size_t n = w->session->dataset->n, point = (size_t)eb_call_integer(call, "point", 0);
    if (eb_call_has(call, "queries"))
        return eb_fail(status, EB_USAGE, "a point and queries= are both given; give one of them");
    if (point >= n)
        return eb_fail(status, EB_USAGE, "there is no point %zu: the dataset's points are 0 to %zu", point, n - 1);
    w->one = (uint32_t)point;
    w->request.rows = &w->one;
    w->request.count = 1;
    return EB_OK;
}

static eb_code read_queries(const eb_call *call, knn *w, eb_status *status)
{
    const size_t n = w->session->dataset->n, queries = (size_t)eb_call_integer(call, "queries", 0);
    if (queries >= n)
        return eb_fail(status, EB_USAGE, "%zu queries taken out leave no neighbours: the dataset has %zu points",
                       queries, n);
    w->rows = malloc(n * sizeof *w->rows);
    if (!w->rows)
        return eb_fail_memory(status, "queries", n * sizeof *w->rows);
    w->request.rows = w->rows;
    w->request.count = w->request.taken_out = queries;
    return eb_knn_draw(n, queries, eb_random_of(w->request.seed), w->rows, status);
}

static eb_code check_memory(const knn *w, eb_status *status)
{
    const uint64_t needed = eb_knn_bytes(&w->request), limit = w->session->settings.memory_limit;
    if (needed <= limit)
        return EB_OK;
    return eb_fail(status, EB_NO_MEMORY,
                   "the nearest, and the points in the order of their radii, take %llu bytes; the memory limit is %llu",
                   (unsigned long long)needed, (unsigned long long)limit);
}

static eb_code read_call(const eb_call *call, knn *w, eb_status *status)
{
    w->request = (eb_knn_request){.setup = &w->setup,
                                  .base = w->session->dataset,
                                  .k = (size_t)eb_call_integer(call, "k", USUAL_K),
                                  .seed = (uint64_t)eb_call_integer(call, "seed", (int64_t)w->session->settings.seed)};
    if (eb_call_has(call, "point"))
        EB_TRY(read_one(call, w, status));
    else
        EB_TRY(eb_asked_queries(w->session, call, &w->asked, status));
    if (w->asked.n > 0)
        w->request.queries = &w->asked;
    else if (eb_call_has(call, "queries"))
        EB_TRY(read_queries(call, w, status));
    EB_TRY(eb_knn_check(&w->request, status));
    return check_memory(w, status);
}

/* ---- recall ---- */

/* Recall for `checked` evenly spread queries, which the truth answers again. A found neighbour counts as a hit if it is
 * no farther than the truth's k-th. */
static eb_code find_recall(knn *w, size_t checked, double *recall, eb_status *status)
{
    const eb_knn_request *asked = &w->request;
    const size_t queries = w->found.queries, k = asked->k, n = asked->base->n;
    eb_setup truth;
    eb_knn right;
    uint32_t *rows = calloc(n, sizeof *rows);
    if (!rows)
        return eb_fail_memory(status, "queries", n * sizeof *rows);
    for (size_t q = 0; q < queries; q++)
        rows[q] = asked->rows ? asked->rows[q] : (uint32_t)q;
    for (size_t c = 0; c < checked; c++) { /* swapped to the front; the rows after them stay taken out */
        const size_t q = c * queries / checked;
        const uint32_t row = rows[q];
        rows[q] = rows[c];
        rows[c] = row;
    }
    eb_knn_request again = *asked;
    again.setup = &truth;
    again.rows = rows;
    again.count = checked;
    eb_code failed = eb_session_truth(w->session, &truth, status);
    failed = failed ? failed : eb_knn_find(&again, w->job, &right, status);
    size_t hits = 0;
    for (size_t c = 0; c < checked && !failed; c++) {
        const eb_near_row *found = w->found.near + c * queries / checked * k;
        for (size_t r = 0; r < k && found[r].row != EB_NO_POINT; r++)
            hits += eb_truth_distance(asked->base, rows[c], found[r].row) <= right.near[c * k + k - 1].far;
    }
    free(rows);
    if (failed)
        return failed;
    eb_knn_free(&right);
    *recall = (double)hits / (double)(checked * k);
    return EB_OK;
}

static eb_code report_recall(const eb_call *call, knn *w, eb_report *report, eb_status *status)
{
    const bool approximate = eb_setup_exactness(&w->setup) == EB_APPROXIMATE;
    size_t checked = (size_t)eb_call_integer(call, "check", approximate ? USUAL_CHECKED : 0);
    double recall;
    checked = checked < w->found.queries ? checked : w->found.queries;
    if (approximate && checked > 0)
        eb_report_note(report, "distances are %s's, not the truth's", w->setup.spec);
    if (w->request.queries)
        return report_set_recall(w->session, &w->request, &w->found, checked, w->job, report, status);
    if (checked == 0)
        return EB_OK;
    EB_TRY(find_recall(w, checked, &recall, status));
    EB_FIELDS(report, {EB_F(checked), eb_uint(checked)}, {EB_F(recall), eb_real(recall)});
    return EB_OK;
}

/* ---- report ---- */

static void report_one(const knn *w, eb_report *report)
{
    const eb_labels *labels = w->request.base->labels;
    eb_report_point(report, w->request.base, w->one);
    eb_table *table =
        EB_TABLE(report, EB_F(nearest), "Its nearest", EB_F(rank), EB_F(point), EB_F_IF(labels, label), EB_F(distance));
    for (size_t k = 0; k < w->found.least; k++) {
        const eb_near_row *one = &w->found.near[k];
        EB_ROW(table, eb_uint(k + 1), eb_uint(one->row), eb_text(eb_label_if_any(labels, one->row)), eb_real(one->far));
    }
}

/* Distances of the neighbours of one rank, over the queries that have such a neighbour. */
static void report_rank(const knn *w, size_t rank, double *far, eb_table *table)
{
    size_t count = 0;
    double least = INFINITY, most = 0;
    for (size_t q = 0; q < w->found.queries; q++) {
        const eb_near_row *one = &w->found.near[q * w->found.k + rank];
        if (one->row == EB_NO_POINT)
            continue;
        far[count++] = one->far;
        least = fmin(least, one->far);
        most = fmax(most, one->far);
    }
    if (count == 0)
        EB_ROW(table, eb_uint(rank + 1), eb_na(), eb_na(), eb_na());
    else
        EB_ROW(table, eb_uint(rank + 1), eb_real(least), eb_real(eb_order_statistic(far, count, (count + 1) / 2)),
               eb_real(most));
}

static eb_code report_distances(const knn *w, eb_report *report, eb_status *status)
{
    const size_t bytes = w->found.queries * sizeof(double);
    double *far = calloc(w->found.queries, sizeof *far);
    if (!far)
        return eb_fail_memory(status, "distances", bytes);
    eb_table *table =
        EB_TABLE(report, EB_F(distances), "How far the nearest are", EB_F(rank), EB_F(least), EB_F(median), EB_F(most));
    report_rank(w, 0, far, table);
    if (w->found.k > 1)
        report_rank(w, w->found.k - 1, far, table);
    free(far);
    return EB_OK;
}

static eb_value row_of(const eb_near_row *one) { return one->row == EB_NO_POINT ? eb_na() : eb_uint(one->row); }
static eb_value far_of(const eb_near_row *one) { return one->row == EB_NO_POINT ? eb_na() : eb_real(one->far); }

static eb_value label_of(const eb_labels *labels, const eb_near_row *one)
{
    return one->row == EB_NO_POINT ? eb_na() : eb_text(eb_label_if_any(labels, one->row));
}

static void report_first(const knn *w, eb_report *report)
{
    const eb_labels *labels = w->request.base->labels, *of_queries = w->request.queries ? NULL : labels;
    eb_table *table =
        EB_TABLE(report, EB_F(nearest), "The first queries", EB_F(query), EB_F_IF(of_queries, label),
                 EB_F(nearest_point), EB_F_IF(labels, label_nearest), EB_F(distance), EB_F(last), EB_F(last_distance));
    for (size_t q = 0; q < w->found.queries && q < SHOWN; q++) {
        const eb_near_row *first = w->found.near + q * w->found.k, *last = first + w->found.k - 1;
        const size_t query = w->request.rows ? w->request.rows[q] : q;
        EB_ROW(table, eb_uint(query), eb_text(eb_label_if_any(of_queries, query)), row_of(first),
               label_of(labels, first), far_of(first), row_of(last), far_of(last));
    }
}

static void report_timing(const knn *w, eb_report *report)
{
    const eb_figures *figures = &w->found.figures;
    eb_table *table =
        EB_TABLE(report, EB_F(timing), "Where the time went", EB_F(part), EB_F(took_s), EB_F(share), EB_HIDDEN(metric));
    double rest_s = w->took_s;
    for (size_t k = 0; k < figures->count; k++) {
        const eb_figure *part = &figures->figure[k];
        EB_ROW(table, eb_text(part->title), eb_real(part->value), eb_real(part->value / w->took_s), eb_text(part->key));
        rest_s -= part->value;
    }
    if (rest_s > 0)
        EB_ROW(table, eb_text("all else"), eb_real(rest_s), eb_real(rest_s / w->took_s), eb_na());
}

static void report_effort(const knn *w, eb_report *report)
{
    const eb_knn_effort *effort = &w->found.effort;
    const double queries = (double)w->found.queries;
    EB_FIELDS(report, {EB_F(knn_s), eb_real(w->took_s)}, {EB_F(queries_per_s), eb_real(queries / w->took_s)});
    if (effort->joins == 0 && effort->measured == 0) {
        eb_report_note(report, "%s searched for each query's neighbours by itself: no radius was guessed",
                       w->setup.engine->name);
        if (w->setup.device.kind != EB_DEVICE_CPU)
            report_timing(w, report);
        return;
    }
    EB_FIELDS(report, {EB_F(guess_s), eb_real(effort->guess_s)}, {EB_F(measure_s), eb_real(effort->measure_s)},
              {EB_F(join_s), eb_real(effort->join_s)}, {EB_F(measured_queries), eb_uint(effort->measured)},
              {EB_F(joins), eb_uint(effort->joins)}, {EB_F(rounds), eb_uint(effort->rounds)},
              {EB_F(pairs_a_query), eb_real((double)effort->pairs / queries)});
}

static void report_lacking(const knn *w, eb_report *report)
{
    const eb_knn *found = &w->found;
    const bool truth = eb_setup_exactness(&w->setup) == EB_TRUTH;
    const char *no_more = truth ? "finds no more at a distance that FP64 holds" : "finds no more";
    char lacking[32], queries[32], least[32], k[32];
    if (found->lacking == 0)
        return;
    (void)eb_format_value(lacking, sizeof lacking, eb_uint(found->lacking), EB_PLAIN);
    (void)eb_format_value(queries, sizeof queries, eb_uint(found->queries), EB_PLAIN);
    (void)eb_format_value(least, sizeof least, eb_uint(found->least), EB_PLAIN);
    (void)eb_format_value(k, sizeof k, eb_uint(found->k), EB_PLAIN);
    EB_FIELDS(report, {EB_F(lacking), eb_uint(found->lacking)}, {EB_F(least_found), eb_uint(found->least)});
    if (w->request.rows == &w->one)
        eb_report_note(report, "point %u has %s neighbours, fewer than %s: %s %s", w->one, least, k,
                       w->setup.engine->name, no_more);
    else
        eb_report_note(report, "%s of %s %s have fewer than %s neighbours: %s %s (least: %s)", lacking, queries,
                       w->request.queries ? "queries" : "points", k, w->setup.engine->name, no_more, least);
}

static eb_code report_nearest(const eb_call *call, knn *w, eb_report *report, eb_status *status)
{
    eb_report_field(report, EB_F(k), eb_uint(w->found.k));
    report_lacking(w, report);
    if (eb_call_has(call, "point")) {
        report_one(w, report);
        eb_report_field(report, EB_F(knn_s), eb_real(w->took_s));
        return report_recall(call, w, report, status);
    }
    eb_report_field(report, w->request.taken_out ? EB_F(queries_taken_out) : EB_F(queries), eb_uint(w->found.queries));
    if (w->request.queries)
        eb_report_field(report, EB_F(query_set_source), eb_text(w->asked.source));
    report_effort(w, report);
    EB_TRY(report_recall(call, w, report, status));
    EB_TRY(report_distances(w, report, status));
    report_first(w, report);
    return EB_OK;
}

/* ---- the command ---- */

/* Writes the neighbours, unless the dataset changed since it was searched. Takes *file and sets it to NULL. */
static eb_code write_nearest(const knn *w, eb_nearest_file **file, const char *path, eb_report *report,
                             eb_status *status)
{
    EB_TRY(eb_session_check_dataset(w->session, status));
    eb_nearest_file *writing = *file;
    *file = NULL;
    EB_TRY(eb_nearest_file_write(writing, &w->found, w->request.rows, w->job, status));
    eb_report_field(report, EB_F(file), eb_text(path));
    return EB_OK;
}

static eb_code find(const eb_call *call, knn *w, eb_report *report, eb_status *status)
{
    eb_nearest_file *file = NULL;
    const char *path = eb_call_text(call, "save");
    /* The file is opened before the work, so that a bad name is refused at once. */
    eb_code failed = path ? eb_nearest_file_open(path, &file, status) : EB_OK;
    const double start_s = eb_now_s();
    if (!failed)
        failed = eb_knn_find(&w->request, w->job, &w->found, status);
    w->took_s = eb_now_s() - start_s;
    if (!failed)
        failed = report_nearest(call, w, report, status);
    if (!failed && path)
        failed = write_nearest(w, &file, path, report, status);
    eb_nearest_file_abandon(file);
    return failed;
}

eb_code eb_cmd_knn(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    knn w = {.session = session, .job = job};
    EB_TRY(eb_pass_engine(session, call, &w.setup, report, status));
    eb_code failed = read_call(call, &w, status);
    if (!failed)
        failed = find(call, &w, report, status);
    eb_knn_free(&w.found);
    free(w.rows);
    return failed;
}
