/* rungs: the report of `precisions`: which number type was enough where, and every rung. */
#include "store/read/read.h"

#define WANTED                                                                                                         \
    "(?1 IS NULL OR instr(lower(dataset), lower(?1)) > 0 OR instr(sha256, lower(?1)) = 1) "                            \
    "AND (?2 IS NULL OR instr(lower(title), lower(?2)) > 0 OR instr(lower(spec), lower(?2)) > 0)"

/* ---- which was enough where ---- */

/* Of each dataset and ε the rungs of the newest command that measured any, else of the newest. share: measured, else
 * predicted. */
#define NEWEST                                                                                                         \
    "WITH newest AS (SELECT *, coalesce(overlap, overlap_predicted) AS share, coalesce(coordinate_bytes, 1e9) AS "     \
    "cost, coalesce(max(iif(overlap IS NULL, NULL, command)) OVER place, max(command) OVER place) AS last "            \
    "FROM v_rungs WHERE " WANTED " WINDOW place AS (PARTITION BY sha256, eps)), "                                      \
    "kept AS (SELECT * FROM newest WHERE command = last), "

/* Rungs that reach what is wanted, the cheapest first, of equal bytes the best; rungs that cost less than the first of
 * these, or all where none reaches it, the best first. */
#define RANKED                                                                                                         \
    "enough AS (SELECT *, row_number() OVER (PARTITION BY command, eps ORDER BY cost, share DESC) AS place FROM kept " \
    "WHERE share >= want), "                                                                                           \
    "short AS (SELECT k.*, row_number() OVER (PARTITION BY k.command, k.eps ORDER BY k.share DESC, k.cost) AS place "  \
    "FROM kept AS k LEFT JOIN enough AS e ON e.command = k.command AND e.eps = k.eps AND e.place = 1 "                 \
    "WHERE e.rung IS NULL OR k.cost < e.cost) "

static eb_code read_enough(eb_store *store, const eb_rung_filter *filter, eb_report *report, eb_status *status)
{
    static const eb_column *const columns[] =
        EB_LIST(EB_F(dataset), EB_F(n_brief), EB_F(d_brief), EB_F(selectivity_brief), EB_HIDDEN(eps), EB_F(want),
                EB_F(rung_enough), EB_F(rung_bytes), EB_F(overlap), EB_F(rung_short), EB_F(overlap_short),
                EB_F(overlap_basis));
    static const char text[] = NEWEST RANKED
        "SELECT k.dataset, k.n, k.d, k.selectivity, k.eps, k.want, e.title, e.coordinate_bytes, e.share, s.title, "
        "s.share, iif(coalesce(e.overlap, s.overlap) IS NULL, 'predicted', 'measured') FROM kept AS k "
        "LEFT JOIN enough AS e ON e.command = k.command AND e.eps = k.eps AND e.place = 1 "
        "LEFT JOIN short AS s ON s.command = k.command AND s.eps = k.eps AND s.place = 1 "
        "GROUP BY k.command, k.eps ORDER BY k.command DESC, k.eps LIMIT ?3";
    return eb_read_table(store, report, EB_F(enough), "The cheapest type that was enough", EB_SHOWN(columns), text,
                         EB_VALUES(eb_text(filter->dataset), eb_text(filter->rung),
                                   eb_int(eb_list_limit(filter->limit))),
                         NULL, status);
}

/* ---- every rung ---- */

/* What a GPU measured of its run; an emulation's times are not those of hardware. */
#define MEASURED "r.tflops_derived, 1e12 * r.tflops_executed / r.limit_flops, r.kernel_s, r.total_s"

static eb_code read_rungs(eb_store *store, const eb_rung_filter *filter, size_t *shown, eb_report *report,
                          eb_status *status)
{
    static const eb_column *const columns[] =
        EB_LIST(EB_F(command), EB_HIDDEN(session), EB_HIDDEN(recorded), EB_F(dataset), EB_F(n_brief), EB_F(d_brief),
                EB_HIDDEN(eps), EB_F(selectivity_brief), EB_F(rung), EB_F(rung_bytes), EB_F(overlap_predicted),
                EB_F(overlap), EB_F(worst_overlap), EB_F(error_of_eps), EB_F(knn_recall), EB_HIDDEN(kendall_tau),
                EB_HIDDEN(complete_eps), EB_HIDDEN(complete_price), EB_HIDDEN(rescore), EB_F(rate_model),
                EB_HIDDEN(gpu), EB_HIDDEN(tflops_derived), EB_HIDDEN(limit_share), EB_HIDDEN(kernel_s),
                EB_HIDDEN(total_s), EB_F(prediction), EB_HIDDEN(sampled), EB_HIDDEN(spec));
    static const char text[] =
        "WITH wanted AS (SELECT * FROM v_rungs WHERE " WANTED " ORDER BY command DESC, eps, rung LIMIT ?3) "
        "SELECT w.command, w.session, substr(recorded, 1, 19) || 'Z', w.dataset, w.n, w.d, w.eps, w.selectivity, "
        "title, coordinate_bytes, overlap_predicted, overlap, overlap_min, error_of_eps, knn_recall, kendall_tau, "
        "complete_eps, complete_price, rescore, rate_tflops, rate_gpu, " MEASURED
        ", prediction, w.sampled, w.spec FROM wanted AS w LEFT JOIN v_runs AS r ON r.run = w.run AND r.device NOT LIKE "
        "'cpu%' "
        "ORDER BY w.command DESC, w.eps, w.rung";
    return eb_read_table(store, report, EB_F(rungs), "Number types tried, newest first", EB_SHOWN(columns), text,
                         EB_VALUES(eb_text(filter->dataset), eb_text(filter->rung),
                                   eb_int(eb_list_limit(filter->limit))),
                         shown, status);
}

static eb_code read_all(eb_store *store, const eb_rung_filter *filter, eb_report *report, eb_status *status)
{
    static const char count[] = "SELECT count(*) FROM v_rungs WHERE " WANTED;
    size_t shown;
    int64_t all;
    EB_TRY(eb_sql_integer(store, count, EB_VALUES(eb_text(filter->dataset), eb_text(filter->rung)), 0, &all, status));
    if (all > 0)
        EB_TRY(read_enough(store, filter, report, status));
    EB_TRY(read_rungs(store, filter, &shown, report, status));
    eb_note_cut(report, "rows", shown, all);
    if (all == 0)
        eb_report_note(report, filter->dataset || filter->rung ? "no rung matches"
                                                               : "no number type was tried yet; `precision S=64` does");
    return EB_OK;
}

eb_code eb_store_precisions(eb_store *store, const eb_rung_filter *filter, eb_report *report, eb_status *status)
{
    EB_TRY(eb_sql_begin_reading(store, status));
    return eb_sql_end(store, read_all(store, filter, report, status), status);
}
