/* radius: conclusions of tune, curve, sweep, kdistance, clusters, dbscan, neighbours and knn. */
#include "shell/conclude/words.h"

static void conclude_sampled(eb_report *report, const eb_table *targets, size_t last)
{
    const double s = eb_number_at(targets, last, EB_F(selectivity));
    eb_report_conclude(report, "ε ≈ %s gives about %s %s a point (95 %%: %s to %s), by a sample of %s",
                       EB_NUMBER(eb_number_at(targets, last, EB_F(eps))), EB_NUMBER(s), eb_neighbour_word(s),
                       EB_NUMBER(eb_number_at(targets, last, EB_F(band_low))),
                       EB_NUMBER(eb_number_at(targets, last, EB_F(band_high))),
                       EB_COUNT((uint64_t)eb_number_of(report, EB_F(sampled_queries)), "point", "points"));
}

/* After an exact pass in the background: whether its ε is now the session's. */
static const char *what_became_of(const eb_report *report, double eps)
{
    if (isnan(eb_number_of(report, EB_F(eps_before))))
        return "";
    return eb_number_of(report, EB_F(eps_set)) == eps ? "; it replaces the sampled ε"
                                                      : "; the session keeps the ε that was set meanwhile";
}

/* About the last target, because its ε becomes the session's. */
void eb_conclude_tune(eb_report *report)
{
    const eb_table *targets = eb_report_find_table(report, EB_F(targets));
    if (!targets || targets->rows == 0 || eb_table_find_column(targets, EB_F(pairs)) < 0)
        return;
    const size_t last = targets->rows - 1;
    const double s = eb_number_at(targets, last, EB_F(selectivity)), eps = eb_number_at(targets, last, EB_F(eps)),
                 pairs = eb_number_at(targets, last, EB_F(pairs));
    if (isnan(pairs)) {
        conclude_sampled(report, targets, last);
        return;
    }
    eb_report_conclude(report, "ε = %s gives %s %s a point (%s)%s", EB_NUMBER(eps), EB_NUMBER(s), eb_neighbour_word(s),
                       EB_COUNT((uint64_t)pairs, "pair", "pairs"), what_became_of(report, eps));
}

void eb_conclude_curve(eb_report *report)
{
    const eb_series *curve = eb_report_find_series(report, EB_F(curve));
    if (!curve || curve->points == 0)
        return;
    const size_t last = curve->points - 1;
    eb_report_conclude(report, "S rises from about %s at ε = %s to %s at ε = %s", EB_NUMBER(curve->y[0]),
                       EB_NUMBER(curve->x[0]), EB_NUMBER(curve->y[last]), EB_NUMBER(curve->x[last]));
}

void eb_conclude_sweep(eb_report *report)
{
    const eb_table *points = eb_report_find_table(report, EB_F(points));
    if (!points || points->rows == 0)
        return;
    const size_t last = points->rows - 1;
    eb_report_conclude(report, "S rises from %s at ε = %s to %s at ε = %s",
                       EB_NUMBER(eb_number_at(points, 0, EB_F(selectivity))),
                       EB_NUMBER(eb_number_at(points, 0, EB_F(eps))),
                       EB_NUMBER(eb_number_at(points, last, EB_F(selectivity))),
                       EB_NUMBER(eb_number_at(points, last, EB_F(eps))));
}

void eb_conclude_kdistance(eb_report *report)
{
    const double elbow = eb_number_of(report, EB_F(elbow));
    if (elbow >= 0)
        eb_report_conclude(report, "The curve bends at ε = %s, where %s of the points are core", EB_NUMBER(elbow),
                           EB_SHARE(eb_number_of(report, EB_F(elbow_share))));
}

void eb_conclude_clusters(eb_report *report)
{
    const eb_table *levels = eb_report_find_table(report, EB_F(levels));
    const double stable = eb_number_of(report, EB_F(stable_clusters));
    size_t most = 0;
    if (!levels || levels->rows == 0)
        return;
    for (size_t k = 1; k < levels->rows; k++)
        if (eb_number_at(levels, k, EB_F(clusters)) > eb_number_at(levels, most, EB_F(clusters)))
            most = k;
    if (stable > 0)
        eb_report_conclude(report, "DBSCAN finds %s from ε = %s to %s, the widest range with the same number",
                           EB_COUNT((uint64_t)stable, "cluster", "clusters"),
                           EB_NUMBER(eb_number_of(report, EB_F(stable_low))),
                           EB_NUMBER(eb_number_of(report, EB_F(stable_high))));
    else
        eb_report_conclude(report, "DBSCAN finds the most clusters, %s, at ε = %s",
                           EB_NUMBER(eb_number_at(levels, most, EB_F(clusters))),
                           EB_NUMBER(eb_number_at(levels, most, EB_F(eps))));
}

void eb_conclude_dbscan(eb_report *report)
{
    const double clusters = eb_number_of(report, EB_F(clusters_found)), noise = eb_number_of(report, EB_F(noise));
    if (clusters >= 0 && noise >= 0)
        eb_report_conclude(report, "DBSCAN finds %s and leaves %s as noise (%s)",
                           EB_COUNT((uint64_t)clusters, "cluster", "clusters"),
                           EB_COUNT((uint64_t)noise, "point", "points"),
                           EB_SHARE(eb_number_of(report, EB_F(noise_share))));
}

void eb_conclude_neighbours(eb_report *report)
{
    const eb_record *all = eb_report_find_record(report, EB_F(neighbours));
    const double count = eb_number_of(report, EB_F(count));
    if (count >= 0) {
        eb_report_conclude(report, "Point %.0f has %s within ε = %s", eb_number_of(report, EB_F(point)),
                           EB_COUNT((uint64_t)count, "neighbour", "neighbours"),
                           EB_NUMBER(eb_number_of(report, EB_F(eps))));
    } else if (all) {
        const double mean = eb_value_number(eb_record_find(all, EB_F(mean)));
        const double alone = eb_value_number(eb_record_find(all, EB_F(alone)));
        eb_report_conclude(report, "A point has %s %s on average, and %s %s none", EB_NUMBER(mean),
                           eb_neighbour_word(mean), EB_COUNT((uint64_t)alone, "point", "points"),
                           alone == 1 ? "has" : "have");
    }
}

void eb_conclude_knn(eb_report *report)
{
    const eb_table *nearest = eb_report_find_table(report, EB_F(nearest));
    const eb_table *distances = eb_report_find_table(report, EB_F(distances));
    const double recall = eb_number_of(report, EB_F(recall)), point = eb_number_of(report, EB_F(point));
    if (recall >= 0)
        eb_report_conclude(report, "%s found %s of the true nearest neighbours", eb_text_of(report, EB_F(spec)),
                           EB_SHARE(recall));
    else if (point >= 0 && nearest && nearest->rows > 0)
        eb_report_conclude(report, "Point %.0f is the nearest to point %.0f, at a distance of %s",
                           eb_number_at(nearest, 0, EB_F(point)), point,
                           EB_NUMBER(eb_number_at(nearest, 0, EB_F(distance))));
    else if (distances && distances->rows > 0)
        eb_report_conclude(report, "Half of the queries have their nearest neighbour within %s, all within %s",
                           EB_NUMBER(eb_number_at(distances, 0, EB_F(median))),
                           EB_AT_MOST(eb_number_at(distances, 0, EB_F(most))));
}
