/* k_distance: the command `kdistance`, and `tune` by density: ε at the elbow of the k-distance curve, or for a share of
 * noise. */
#include <math.h>
#include <stdio.h>

#include "core/cluster/noise.h"
#include "core/engine/budget.h"
#include "shell/commands/commands.h"
#include "shell/radius/radius.h"

eb_code eb_find_k_distance(const eb_session *session, const eb_setup *setup, size_t min_points, size_t queries,
                           const eb_strata_order *order, eb_k_distance *out, eb_job *job, eb_status *status)
{
    const uint64_t limit = session->settings.memory_limit;
    const eb_k_distance_request request = {.setup = setup,
                                           .points = session->dataset,
                                           .min_points = min_points,
                                           .queries = queries,
                                           .seed = session->settings.seed,
                                           .memory_limit = eb_budget_of(setup, 1, session->dataset, limit).tables,
                                           .order = order};
    return eb_k_distance_find(&request, job, out, status);
}

static eb_code find_curve(const eb_session *session, const eb_call *call, const eb_setup *setup,
                          const eb_strata_order *order, eb_k_distance *curve, eb_report *report, eb_job *job,
                          eb_status *status)
{
    const size_t min_points = (size_t)eb_call_integer(call, "minpts", EB_MIN_POINTS);
    const size_t queries = (size_t)eb_call_integer(call, "queries", 0);
    EB_TRY(eb_find_k_distance(session, setup, min_points, queries, order, curve, job, status));
    EB_FIELDS(report, {EB_F(minpts), eb_uint(min_points)}, {EB_F(sampled_queries), eb_uint(curve->queries)});
    return EB_OK;
}

eb_code eb_cmd_kdistance(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup;
    eb_k_distance curve;
    EB_TRY(eb_pass_engine(session, call, &setup, report, status));
    EB_TRY(find_curve(session, call, &setup, NULL, &curve, report, job, status));
    eb_report_k_distance(report, &curve);
    eb_k_distance_free(&curve);
    return EB_OK;
}

/* ---- tune by density ---- */

/* Reports the ε found, in a table like that of `tune S=…`. */
static void show_found(const eb_session *session, const char *what, const eb_target *t, unsigned passes,
                       eb_report *report)
{
    EB_FIELDS(report, {EB_F(target), eb_text(what)}, {EB_F(passes), eb_uint(passes)},
              {EB_F(eps_set), eb_real(session->eps)}, {EB_HIDDEN(basis), eb_text(t->sampled ? "sampled" : "exact")});
    eb_table *table = EB_TABLE(report, EB_F(targets), "ε found", EB_HIDDEN(wanted), EB_F(eps), EB_F(selectivity_brief),
                               EB_F(pairs), EB_F(sampled_eps), EB_F(passes));
    EB_ROW(table, eb_na(), eb_real(t->eps), eb_real(t->selectivity), eb_uint(t->pairs), eb_real(t->sampled_eps),
           eb_uint(passes));
}

static eb_code find_noise(eb_opened *opened, const eb_k_distance *curve, double share, eb_target *target,
                          unsigned *passes, eb_report *report, eb_status *status)
{
    eb_density found;
    EB_TRY(eb_noise_find(opened, curve, share, &found, passes, status));
    target->eps = found.eps;
    target->pairs = found.pairs;
    EB_FIELDS(report, {EB_F(clusters_found), eb_uint(found.clusters)}, {EB_F(noise), eb_uint(found.noise)},
              {EB_F(noise_share), eb_real((double)found.noise / (double)curve->n)});
    eb_report_note(report, "the noise is exact; an ε smaller by a factor of %g leaves more", EB_NOISE_STEP);
    return EB_OK;
}

static eb_code find_target(eb_session *session, const eb_call *call, const eb_setup *setup, eb_opened *opened,
                           const eb_k_distance *curve, eb_report *report, eb_status *status)
{
    eb_target target = {.wanted = NAN,
                        .sampled_eps = curve->eps[curve->elbow],
                        .bracket_low = NAN,
                        .bracket_high = NAN};
    unsigned passes = 0;
    char what[96];
    if (eb_call_flag(call, "elbow")) {
        target.eps = target.sampled_eps;
        target.sampled = true; /* its S is counted */
        EB_TRY(eb_sweep(opened, &target.eps, 1, &target.pairs, status));
        passes = 1;
        (void)snprintf(what, sizeof what, "the elbow at minPts = %zu", curve->min_points);
    } else {
        double share = eb_call_number(call, "noise", NAN);
        target.sampled_eps = eb_k_distance_at(curve, 1 - share);
        EB_TRY(find_noise(opened, curve, share, &target, &passes, report, status));
        (void)snprintf(what, sizeof what, "at most %.6g %% noise at minPts = %zu", 100 * share, curve->min_points);
    }
    target.passes = passes;
    target.wanted = target.selectivity = eb_selectivity(target.pairs, curve->n);
    session->eps = target.eps;
    eb_session_log_target(session, setup->spec, &target);
    show_found(session, what, &target, passes, report);
    return EB_OK;
}

static eb_code tune_opened(eb_session *session, const eb_call *call, const eb_setup *setup,
                           const eb_strata_order *order, const eb_k_distance *curve, eb_report *report, eb_job *job,
                           eb_status *status)
{
    eb_opened opened;
    const eb_problem problem = eb_self_join(session->dataset);
    eb_code failed = EB_OK;
    EB_TRY(eb_problem_open(setup, &problem, job, &opened, status));
    if (session->curve.points == 0)
        failed = eb_curve_sample_ordered(&opened, 0, session->settings.seed, order, NULL, &session->curve, status);
    if (!failed)
        failed = find_target(session, call, setup, &opened, curve, report, status);
    eb_problem_close(&opened);
    return failed;
}

static eb_code tune_ordered(eb_session *session, const eb_call *call, const eb_setup *setup,
                            const eb_strata_order *order, eb_report *report, eb_job *job, eb_status *status)
{
    eb_k_distance curve;
    EB_TRY(find_curve(session, call, setup, order, &curve, report, job, status));
    const eb_code failed = tune_opened(session, call, setup, order, &curve, report, job, status);
    if (!failed) {
        eb_report_k_distance(report, &curve);
        eb_report_curve(&session->curve, report);
    }
    eb_k_distance_free(&curve);
    return failed;
}

/* Both sampled curves are drawn from one order of the points. */
eb_code eb_tune_for_density(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_setup setup;
    eb_strata_order order;
    EB_TRY(eb_pass_engine(session, call, &setup, report, status));
    eb_job_phase(job, "ordering the points", 0);
    EB_TRY(eb_curve_order_make(session->dataset, 0, session->settings.seed, job, &order, status));
    const eb_code failed = tune_ordered(session, call, &setup, &order, report, job, status);
    eb_strata_order_free(&order);
    return failed;
}
