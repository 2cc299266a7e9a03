/* cluster: the commands `neighbours`, `dbscan` and `clusters`: neighbours within an ε, and the clusters that DBSCAN
 * finds at one ε or over a range. */
#include <math.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/cluster/dbscan.h"
#include "core/cluster/density.h"
#include "core/cluster/neighbour_histogram.h"
#include "core/engine/budget.h"
#include "core/ranks/ranks.h"
#include "io/save/save.h"
#include "shell/commands/commands.h"
#include "shell/radius/radius.h"
#include "shell/radius/resolve.h"

enum { CLUSTERS_SHOWN = 20, GRID = 25 };

static size_t min_points_of(const eb_call *call) { return (size_t)eb_call_integer(call, "minpts", EB_MIN_POINTS); }

/* ---- neighbours ---- */

static void report_histogram(eb_report *report, const eb_neighbour_histogram *h)
{
    eb_series *series = eb_report_series(report, EB_F(neighbours), "Points by how many others are within ε", EB_BARS,
                                         h->bins, h->centre, h->points, NULL, NULL);
    eb_series_axes(series, EB_F(neighbours), false, EB_F(points), false);
    if (series && h->over > 0) {
        series->under = 0;
        series->over = h->over;
    }
    eb_record *record = eb_report_record(report, EB_F(neighbours), "Neighbours a point");
    EB_RECORD_FIELDS(record, {EB_F(least), eb_uint(h->least)}, {EB_F(median), eb_uint(h->median)},
                     {EB_F(mean), eb_real(h->mean)}, {EB_F(most), eb_uint(h->most)}, {EB_F(alone), eb_uint(h->alone)});
}

static eb_code count_all(eb_opened *opened, double eps, eb_report *report, eb_status *status)
{
    size_t n = opened->problem.left->n;
    eb_neighbour_histogram histogram;
    uint32_t *counts = calloc(n, sizeof *counts);
    if (!counts)
        return eb_fail_memory(status, "the points' neighbours", n * sizeof *counts);
    eb_code failed = eb_neighbour_counts(opened, eps, counts, status);
    if (!failed)
        failed = eb_neighbour_histogram_of(counts, n, &histogram, status);
    free(counts);
    if (!failed)
        report_histogram(report, &histogram);
    return failed;
}

typedef struct neighbour {
    double s;
    uint32_t point;
} neighbour;

static int nearest_first(const void *a, const void *b)
{
    const neighbour *x = a, *y = b;
    if (x->s < y->s || x->s > y->s)
        return x->s < y->s ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static void list_neighbours(neighbour *found, size_t count, const eb_opened *opened, size_t limit, eb_report *report)
{
    const eb_labels *labels = opened->problem.left->labels;
    const double unit = ldexp(1, -opened->scaling.exponent);
    qsort(found, count, sizeof *found, nearest_first);
    eb_report_field(report, EB_F(count), eb_uint(count));
    eb_table *table = EB_TABLE(report, EB_F(neighbours), "Its neighbours, nearest first", EB_F(point),
                               EB_F_IF(labels, label), EB_F(distance));
    for (size_t k = 0; k < count && k < limit; k++)
        EB_ROW(table, eb_uint(found[k].point), eb_text(eb_label_if_any(labels, found[k].point)),
               eb_real(eb_distance_of(found[k].s, unit)));
    if (count > limit)
        eb_report_note(report, "%zu more are farther away; limit=%zu shows them all", count - limit, count);
}

static eb_code list_one(eb_opened *opened, double eps, size_t point, size_t limit, eb_report *report, eb_status *status)
{
    size_t n = opened->problem.left->n, count = 0;
    const uint32_t row = (uint32_t)point;
    const double threshold = eb_squared_threshold(eb_scaled_eps(eps, opened->scaling.exponent));
    double *s = calloc(n, sizeof *s);
    neighbour *found = calloc(n, sizeof *found);
    eb_job_phase(opened->context.job, "looking around", 1);
    eb_code failed = s && found ? eb_check_eps_reach(opened, eps, status)
                                : eb_fail_memory(status, "a point's distances", n * (sizeof *s + sizeof *found));
    if (!failed)
        failed = eb_ask_distances(opened, &row, 1, s, status);
    for (size_t j = 0; j < n && !failed; j++)
        if (j != point && s[j] <= threshold)
            found[count++] = (neighbour){s[j], (uint32_t)j};
    if (!failed)
        list_neighbours(found, count, opened, limit, report);
    free(s);
    free(found);
    return failed;
}

eb_code eb_cmd_neighbours(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup;
    eb_opened opened;
    double eps = NAN;
    const bool one = eb_call_has(call, "point");
    const size_t n = session->dataset->n, point = (size_t)eb_call_integer(call, "point", 0);
    const eb_problem problem = eb_self_join(session->dataset);
    if (one && point >= n)
        return eb_fail(status, EB_USAGE, "there is no point %zu: the dataset's points are 0 to %zu", point, n - 1);
    EB_TRY(eb_pass_engine(session, call, &setup, report, status));
    EB_TRY(eb_resolve_eps(session, call, report, &eps, job, status));
    eb_report_field(report, EB_F(eps), eb_real(eps));
    if (one)
        eb_report_point(report, session->dataset, point);
    EB_TRY(eb_problem_open(&setup, &problem, job, &opened, status));
    eb_code failed = one ? list_one(&opened, eps, point, (size_t)eb_call_integer(call, "limit", 20), report, status)
                         : count_all(&opened, eps, report, status);
    eb_problem_close(&opened);
    return failed;
}

/* ---- dbscan ---- */

typedef struct cluster {
    size_t number, points, core;
} cluster;

static int largest_first(const void *a, const void *b)
{
    const cluster *x = a, *y = b;
    if (x->points != y->points)
        return x->points > y->points ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void show_clusters(const eb_dbscan *found, const cluster *sorted, eb_report *report)
{
    eb_table *table = EB_TABLE(report, EB_F(clusters), "Clusters, the largest first", EB_F(cluster), EB_F(points),
                               EB_F(core), EB_F(share_of_points));
    for (size_t k = 0; k < found->clusters && k < CLUSTERS_SHOWN; k++)
        EB_ROW(table, eb_uint(sorted[k].number), eb_uint(sorted[k].points), eb_uint(sorted[k].core),
               eb_real((double)sorted[k].points / (double)found->n));
    if (found->clusters > CLUSTERS_SHOWN)
        eb_report_note(report, "%zu more clusters are smaller; a file of labels has them all",
                       found->clusters - CLUSTERS_SHOWN);
}

static eb_code report_clusters(const eb_dbscan *found, eb_report *report, eb_status *status)
{
    cluster *clusters = calloc(found->clusters ? found->clusters : 1, sizeof *clusters);
    if (!clusters)
        return eb_fail_memory(status, "the clusters", found->clusters * sizeof *clusters);
    for (size_t k = 0; k < found->clusters; k++)
        clusters[k].number = k;
    for (size_t i = 0; i < found->n; i++)
        if (found->label[i] != EB_NOISE) {
            clusters[found->label[i]].points++;
            clusters[found->label[i]].core += eb_dbscan_is_core(found, i);
        }
    qsort(clusters, found->clusters, sizeof *clusters, largest_first);
    show_clusters(found, clusters, report);
    free(clusters);
    return EB_OK;
}

static eb_code report_labels(const eb_dbscan *found, double taken_s, eb_report *report, eb_status *status)
{
    eb_neighbour_histogram histogram;
    const double n = (double)found->n;
    EB_FIELDS(report, {EB_F(eps), eb_real(found->eps)}, {EB_F(minpts), eb_uint(found->min_points)},
              {EB_F(selectivity), eb_real(eb_selectivity(found->pairs, found->n))},
              {EB_F(pairs), eb_uint(found->pairs)}, {EB_F(clusters_found), eb_uint(found->clusters)},
              {EB_F(core), eb_uint(found->core)}, {EB_F(border), eb_uint(found->border)},
              {EB_F(noise), eb_uint(found->noise)}, {EB_F(noise_share), eb_real((double)found->noise / n)},
              {EB_F(passes), eb_uint(found->passes)}, {EB_F(dbscan_s), eb_real(taken_s)});
    EB_TRY(report_clusters(found, report, status));
    EB_TRY(eb_neighbour_histogram_of(found->neighbours, found->n, &histogram, status));
    report_histogram(report, &histogram);
    return EB_OK;
}

/* Bytes that ranks have sent each other for the problem; NAN: there is one process. */
static double sent_of(const eb_opened *opened)
{
    return eb_ranks_of(opened) > 1 ? eb_figures_value(&opened->figures, eb_figure_sent.key) : NAN;
}

static void report_sent(double sent, eb_report *report)
{
    if (sent >= 0)
        eb_report_field(report, EB_F(sent_bytes), eb_uint((uint64_t)sent));
}

/* Writes the labels, unless the dataset changed since it was joined. Takes *file and sets it to NULL. */
static eb_code write_labels(const eb_session *session, eb_label_file **file, const char *path, const eb_dbscan *found,
                            eb_report *report, eb_status *status)
{
    EB_TRY(eb_session_check_dataset(session, status));
    eb_label_file *writing = *file;
    *file = NULL;
    EB_TRY(eb_label_file_write(writing, found, status));
    eb_report_field(report, EB_F(file), eb_text(path));
    return EB_OK;
}

static eb_code find_labels(eb_session *session, const eb_call *call, const eb_setup *setup, eb_dbscan *found,
                           eb_report *report, eb_job *job, eb_status *status)
{
    eb_opened opened;
    double eps = NAN;
    const eb_problem problem = eb_self_join(session->dataset);
    const eb_budget budget = eb_budget_of(setup, 1, session->dataset, session->settings.memory_limit);
    EB_TRY(eb_resolve_eps(session, call, report, &eps, job, status));
    const double start_s = eb_now_s();
    EB_TRY(eb_problem_open(setup, &problem, job, &opened, status));
    eb_code failed = eb_dbscan_find(&opened, eps, min_points_of(call), budget.tables, found, status);
    const double sent = sent_of(&opened);
    eb_problem_close(&opened);
    if (!failed)
        failed = report_labels(found, eb_now_s() - start_s, report, status);
    if (!failed)
        report_sent(sent, report);
    return failed;
}

eb_code eb_cmd_dbscan(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup;
    eb_dbscan found = {.n = 0};
    eb_label_file *file = NULL;
    const char *path = eb_call_text(call, "file");
    EB_TRY(eb_pass_engine(session, call, &setup, report, status));
    /* The file is opened before the work, so that a bad name is refused at once. */
    eb_code failed = path ? eb_label_file_open(path, &file, status) : EB_OK;
    if (!failed)
        failed = find_labels(session, call, &setup, &found, report, job, status);
    if (!failed && path)
        failed = write_labels(session, &file, path, &found, report, status);
    eb_label_file_abandon(file);
    eb_dbscan_free(&found);
    return failed;
}

/* ---- a range of ε ---- */

static void lay_out(double low, double high, double *eps, size_t *levels)
{
    size_t wanted = *levels, count = 0;
    for (size_t k = 0; k < wanted; k++) {
        double share = (double)k / (double)(wanted - 1);
        double at = k == 0            ? low
                    : k == wanted - 1 ? high
                    : low > 0         ? low * pow(high / low, share)
                                      : low + (high - low) * share;
        if (count == 0 || at > eps[count - 1])
            eps[count++] = at;
    }
    *levels = count;
}

/* Default range of ε: from few core points (2 %) to nearly all (98 %). */
static eb_code usual_range(const eb_session *session, const eb_setup *setup, size_t min_points, double *low,
                           double *high, eb_job *job, eb_status *status)
{
    eb_k_distance curve;
    EB_TRY(eb_find_k_distance(session, setup, min_points < 2 ? 2 : min_points, 0, NULL, &curve, job, status));
    *low = eb_k_distance_at(&curve, 0.02);
    *high = 1.25 * eb_k_distance_at(&curve, 0.98);
    if (!(*low > 0))
        *low = *high / 100;
    eb_k_distance_free(&curve);
    return *low < *high
               ? EB_OK
               : eb_fail(status, EB_UNREACHABLE,
                         "every point sampled has %zu points at distance 0: give a range as eps=0.1..0.5", min_points);
}

/* Reports the longest stretch of the grid, in log ε, with a constant number of clusters, at least two. */
static void report_stretch(const eb_density *grid, size_t levels, eb_report *report)
{
    size_t begin = 0, end = 0;
    double longest = 0;
    for (size_t k = 0, next; k < levels; k = next) {
        for (next = k + 1; next < levels && grid[next].clusters == grid[k].clusters; next++)
            ;
        double length = grid[k].eps > 0 ? log(grid[next - 1].eps / grid[k].eps) : 0;
        if (grid[k].clusters > 1 && length > longest) {
            longest = length;
            begin = k;
            end = next - 1;
        }
    }
    bool any = longest > 0;
    EB_FIELDS(report, {EB_F_IF(any, stable_clusters), any ? eb_uint(grid[begin].clusters) : eb_na()},
              {EB_F_IF(any, stable_low), any ? eb_real(grid[begin].eps) : eb_na()},
              {EB_F_IF(any, stable_high), any ? eb_real(grid[end].eps) : eb_na()});
}

static void report_grid(const eb_density *grid, size_t levels, size_t n, eb_report *report)
{
    eb_table *table =
        EB_TABLE(report, EB_F(levels), "What DBSCAN finds at each ε", EB_F(eps), EB_F(selectivity_brief),
                 EB_F(clusters), EB_F(largest_share), EB_F(core), EB_F(noise), EB_F(noise_share), EB_F(components));
    for (size_t k = 0; k < levels; k++)
        EB_ROW(table, eb_real(grid[k].eps), eb_real(eb_selectivity(grid[k].pairs, n)), eb_uint(grid[k].clusters),
               eb_real((double)grid[k].largest / (double)n), eb_uint(grid[k].core), eb_uint(grid[k].noise),
               eb_real((double)grid[k].noise / (double)n), eb_uint(grid[k].components));
}

static void report_lines(const eb_density *grid, size_t levels, eb_report *report)
{
    static const eb_column *const key[] = EB_LIST(EB_F(clusters), EB_F(noise), EB_F(components));
    static const char *const title[] = {"Clusters", "Noise points", "Connected components, lone points among them"};
    for (size_t which = 0; which < 3; which++) {
        eb_series *series = eb_report_dots(report, key[which], title[which], EB_LINE);
        eb_series_axes(series, EB_F(eps), grid[0].eps > 0, key[which], false);
        for (size_t k = 0; k < levels; k++)
            eb_series_add(series, grid[k].eps,
                          (double)(const size_t[]){grid[k].clusters, grid[k].noise, grid[k].components}[which], 0, 0);
    }
}

/* Before the points are opened for the joins, since the search for k-distances opens them too. */
static eb_code choose_range(const eb_session *session, const eb_call *call, const eb_setup *setup, double *eps,
                            size_t *levels, eb_job *job, eb_status *status)
{
    const double *ends;
    double low = NAN, high = NAN;
    if (eb_call_numbers(call, "eps", &ends) == 2) {
        low = ends[0];
        high = ends[1];
    } else {
        EB_TRY(usual_range(session, setup, min_points_of(call), &low, &high, job, status));
    }
    lay_out(low, high, eps, levels);
    return EB_OK;
}

static eb_code sweep_clusters(eb_session *session, const eb_call *call, const eb_setup *setup, double *eps,
                              eb_density *grid, size_t levels, eb_report *report, eb_job *job, eb_status *status)
{
    eb_opened opened;
    unsigned passes;
    const size_t min_points = min_points_of(call);
    const eb_problem problem = eb_self_join(session->dataset);
    EB_TRY(choose_range(session, call, setup, eps, &levels, job, status));
    EB_TRY(eb_problem_open(setup, &problem, job, &opened, status));
    const eb_code failed = eb_density_find(&opened, eps, levels, min_points, grid, &passes, status);
    const double sent = sent_of(&opened);
    eb_problem_close(&opened);
    if (failed)
        return failed;
    EB_FIELDS(report, {EB_F(minpts), eb_uint(min_points)}, {EB_F(passes), eb_uint(passes)});
    report_sent(sent, report);
    report_stretch(grid, levels, report);
    report_grid(grid, levels, session->dataset->n, report);
    report_lines(grid, levels, report);
    return EB_OK;
}

/* Each rank has the whole grid; the ranks of a host divide the limit. */
static eb_code check_memory(const eb_session *session, const eb_setup *setup, size_t levels, eb_status *status)
{
    const unsigned ranks = eb_ranks_on_a_host(session->ranks);
    const eb_budget budget = eb_budget_of(setup, 1, session->dataset, session->settings.memory_limit / ranks);
    const uint64_t needed = eb_density_bytes(session->dataset->n, levels);
    char words[120];
    if (budget.tables == 0 || needed <= budget.tables)
        return EB_OK;
    return eb_fail(status, EB_NO_MEMORY,
                   "a grid of %zu ε takes %llu bytes for these points, and %s%s; give fewer points=", levels,
                   (unsigned long long)needed, ranks > 1 ? "in each rank " : "",
                   eb_budget_words(&budget, words, sizeof words));
}

eb_code eb_cmd_clusters(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup;
    const size_t levels = (size_t)eb_call_integer(call, "points", GRID);
    EB_TRY(eb_pass_engine(session, call, &setup, report, status));
    EB_TRY(check_memory(session, &setup, levels, status));
    double *eps = calloc(levels, sizeof *eps);
    eb_density *grid = calloc(levels, sizeof *grid);
    eb_code failed = eps && grid ? sweep_clusters(session, call, &setup, eps, grid, levels, report, job, status)
                                 : eb_fail_memory(status, "the grid's points", levels * sizeof *grid);
    free(eps);
    free(grid);
    return failed;
}
