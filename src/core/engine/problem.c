#include "core/engine/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "core/team/team.h"

eb_code eb_problem_check(const eb_problem *problem, eb_status *status)
{
    const eb_dataset *left = problem->left, *right = problem->right;
    if (eb_is_self_join(problem))
        return EB_OK;
    if (left->d != right->d)
        return eb_fail(status, EB_USAGE, "a join needs points of equal dimension; the left have %zu, the right %zu",
                       left->d, right->d);
    if (left->dtype != right->dtype)
        return eb_fail(status, EB_USAGE, "a join needs points of one type; the left are %s, the right %s",
                       eb_dtype_name(left->dtype), eb_dtype_name(right->dtype));
    if (left->n > EB_MAX_POINTS - right->n)
        return eb_fail(status, EB_TOO_LARGE, "%zu and %zu points; two sets may have %u together", left->n, right->n,
                       EB_MAX_POINTS);
    if (problem->order)
        return eb_fail(status, EB_INTERNAL, "an order for a join of two sets");
    return EB_OK;
}

static void free_scaled(eb_opened *opened)
{
    for (size_t k = 0; k < 2; k++) {
        free((void *)(uintptr_t)opened->scaled[k].rows);
        opened->scaled[k].rows = NULL;
    }
}

/* Scales the points if necessary. The problem stays a self-join: both sides get the same copy. */
static eb_code scale_points(eb_opened *out, const eb_problem *problem, eb_status *status)
{
    const eb_context *context = &out->context;
    out->scaling = eb_scaling_of(problem->left, problem->right);
    if (out->scaling.exponent == 0)
        return EB_OK;
    out->problem.shared = NULL; /* they are pairs of the points as stored */
    double start = eb_now_s();
    const eb_dataset *const side[] = {problem->left, problem->right};
    for (size_t k = 0; k < (eb_is_self_join(problem) ? 1u : 2u); k++)
        EB_TRY(
            eb_dataset_scale(side[k], out->scaling.exponent, context->threads, context->job, &out->scaled[k], status));
    out->problem.left = &out->scaled[0];
    out->problem.right = &out->scaled[eb_is_self_join(problem) ? 0 : 1];
    eb_figures_add(&out->figures, &eb_figure_convert, eb_now_s() - start);
    return EB_OK;
}

static eb_code open_engine(eb_opened *out, eb_status *status)
{
    if (!eb_is_team(out->context.device))
        return out->run->open(&out->problem, &out->context, &out->state, status);
    return eb_team_open(out->run, &out->problem, &out->context, &out->run, &out->state, status);
}

eb_context eb_context_of(const eb_setup *setup, eb_job *job, eb_figures *figures)
{
    const eb_resources *resources = &setup->resources;
    const unsigned least = eb_is_team(&setup->device) ? setup->device.members : 1; /* each member needs a thread */
    return (eb_context){.device = &setup->device,
                        .devices = 1,
                        .threads = resources->threads > least ? resources->threads : least,
                        .deciding = resources->deciding,
                        .memory_limit = resources->memory_limit,
                        .options = setup->options,
                        .index = setup->index,
                        .job = job,
                        .figures = figures};
}

eb_code eb_problem_open_here(const eb_setup *setup, const eb_problem *problem, eb_job *job, eb_opened *out,
                             eb_status *status)
{
    double start = eb_now_s();
    *out = (eb_opened){.setup = setup, .run = setup->run, .problem = *problem};
    out->context = eb_context_of(setup, job, &out->figures);
    eb_code failed = eb_problem_check(problem, status);
    if (!failed && problem->order)
        failed = eb_order_check(problem->order, problem->left->n, status);
    if (!failed && !setup->engine->rounding && !setup->index)
        failed = scale_points(out, problem, status);
    if (!failed)
        failed = open_engine(out, status);
    if (failed) {
        out->state = NULL;
        free_scaled(out);
    }
    out->setup_s = eb_now_s() - start - eb_figures_parts(&out->figures);
    return failed;
}

/* ---- with other processes ---- */

static const eb_sharing *sharing;

void eb_problem_set_sharing(const eb_sharing *with) { sharing = with; }

bool eb_problem_answered_whole(const eb_setup *setup) { return !sharing && !eb_is_team(&setup->device); }

eb_code eb_problem_open(const eb_setup *setup, const eb_problem *problem, eb_job *job, eb_opened *out,
                        eb_status *status)
{
    return sharing ? sharing->open(sharing->context, setup, problem, job, out, status)
                   : eb_problem_open_here(setup, problem, job, out, status);
}

void eb_problem_close(eb_opened *opened)
{
    double start = eb_now_s();
    opened->run->close(opened->state);
    opened->run = opened->setup->run; /* a team's functions are gone with it */
    opened->state = NULL;
    free_scaled(opened);
    double taken = opened->setup_s + (eb_now_s() - start);
    eb_figures_add(&opened->figures, &eb_figure_setup, taken > 0 ? taken : 0);
}

/* ---- questions ---- */

eb_code eb_check_eps_reach(const eb_opened *opened, double eps, eb_status *status)
{
    double least = opened->scaling.least_eps;
    if (!(eps < least))
        return EB_OK;
    return eb_fail(status, EB_BAD_VALUE,
                   "ε = %g is too small for these points: FP64 cannot hold its square beside those of coordinates "
                   "as far apart; ε must be %.3g or more",
                   eps, least);
}

static eb_code scale_question(const eb_opened *opened, const eb_question *question, eb_question *out, eb_status *status)
{
    *out = *question;
    out->eps = eb_scaled_eps(question->eps, opened->scaling.exponent);
    return eb_check_eps_reach(opened, question->eps, status);
}

eb_code eb_ask_count(const eb_opened *opened, const eb_question *question, const eb_share *share, uint64_t *entries,
                     eb_status *status)
{
    eb_question scaled;
    EB_TRY(scale_question(opened, question, &scaled, status));
    return opened->run->count(opened->state, &scaled, share, entries, status);
}

eb_code eb_ask_join(const eb_opened *opened, const eb_question *question, const eb_share *share, const eb_sink *sink,
                    eb_status *status)
{
    eb_question scaled;
    EB_TRY(scale_question(opened, question, &scaled, status));
    return opened->run->join(opened->state, &scaled, share, sink, status);
}

eb_code eb_ask_histogram(const eb_opened *opened, eb_distance_pass *pass, eb_status *status)
{
    eb_distance_pass scaled = *pass;
    if (opened->scaling.exponent == 0)
        return opened->run->histogram(opened->state, pass, status);
    double *eps = malloc((pass->edges ? pass->edges : 1) * sizeof *eps);
    if (!eps)
        return eb_fail_memory(status, "the edges of a pass", pass->edges * sizeof *eps);
    for (size_t k = 0; k < pass->edges; k++)
        eps[k] = eb_scaled_eps(pass->eps[k], opened->scaling.exponent);
    scaled.eps = eps;
    eb_code failed = opened->run->histogram(opened->state, &scaled, status);
    free(eps);
    return failed;
}

eb_code eb_ask_nearest(const eb_opened *opened, const eb_nearest_question *question, size_t first, size_t count,
                       uint32_t *rows, double *distances, eb_status *status)
{
    const int exponent = opened->scaling.exponent;
    EB_TRY(opened->run->nearest(opened->state, question, first, count, rows, distances, status));
    for (size_t k = 0; exponent != 0 && k < count * question->k; k++)
        distances[k] = ldexp(distances[k], -exponent);
    return EB_OK;
}

eb_code eb_ask_distances(const eb_opened *opened, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    return opened->run->distances(opened->state, rows, m, out, status);
}

/* Without `pairs`, all distances of each row. */
static eb_code pairs_of_distances(const eb_opened *opened, const uint32_t *rows, const uint32_t *columns, size_t count,
                                  double *s, eb_status *status)
{
    const size_t n = opened->problem.right->n;
    double *all = calloc(n, sizeof *all);
    if (!all)
        return eb_fail_memory(status, "a point's distances", n * sizeof *all);
    eb_code failed = EB_OK;
    for (size_t k = 0; k < count && !failed; k++) {
        if (k == 0 || rows[k] != rows[k - 1])
            failed = eb_ask_distances(opened, rows + k, 1, all, status);
        s[k] = all[columns[k]];
    }
    free(all);
    return failed;
}

eb_code eb_ask_pairs(const eb_opened *opened, const uint32_t *rows, const uint32_t *columns, size_t count, double *s,
                     eb_status *status)
{
    if (!opened->run->pairs)
        return pairs_of_distances(opened, rows, columns, count, s, status);
    return opened->run->pairs(opened->state, rows, columns, count, s, status);
}

/* ---- rounding ---- */

bool eb_tells_rounded(const eb_opened *opened) { return opened->run->rounded != NULL; }

eb_code eb_ask_rounded(const eb_opened *opened, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    const int exponent = opened->scaling.exponent;
    EB_TRY(opened->run->rounded(opened->state, rows, m, out, status));
    for (size_t k = 0; exponent != 0 && k < m * opened->problem.left->d; k++)
        out[k] = ldexp(out[k], -exponent);
    return EB_OK;
}

/* Asks in the unit of the engine's points. */
static double bound_at(const eb_opened *opened, double (*bound)(const void *, double), double eps)
{
    const int exponent = opened->scaling.exponent;
    return bound ? ldexp(bound(opened->state, eb_scaled_eps(eps, exponent)), -exponent) : INFINITY;
}

double eb_complete_eps(const eb_opened *opened, double eps) { return bound_at(opened, opened->run->complete_eps, eps); }

double eb_reach_eps(const eb_opened *opened, double eps) { return bound_at(opened, opened->run->reach_eps, eps); }

/* ---- bins ---- */

#define BATCH_BYTES ((size_t)160 << 20) /* of distances, for engines that do not count bins themselves */

typedef struct counting {
    const eb_tally *tally;
    double *s; /* [queries][n] */
    size_t first, queries, n;
    const uint32_t *self; /* [queries] the query's own row, which does not count; NULL: join of two sets */
} counting;

static eb_code count_queries(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)status;
    const counting *c = context;
    const double *row[EB_TALLY_AT_ONCE];
    const size_t first = task * EB_TALLY_AT_ONCE, left = c->queries - first,
                 m = left < EB_TALLY_AT_ONCE ? left : EB_TALLY_AT_ONCE;
    for (size_t q = 0; q < m; q++) {
        double *s = c->s + (first + q) * c->n;
        if (c->self)
            s[c->self[first + q]] = (double)NAN; /* counts nowhere */
        row[q] = s;
    }
    eb_tally_rows(c->tally, thread, c->first + first, m, row, c->n);
    return EB_OK;
}

static eb_code count_all(const eb_opened *opened, const uint32_t *rows, const eb_tally *tally, eb_status *status)
{
    const size_t n = opened->problem.right->n, m = tally->queries, bytes = n * sizeof(double);
    const size_t fitting = bytes < BATCH_BYTES ? BATCH_BYTES / bytes : 1, batch = fitting < m ? fitting : m;
    double *s = calloc(batch ? batch : 1, bytes);
    if (!s)
        return eb_fail_memory(status, "the queries' distances", batch * bytes);
    eb_code failed = EB_OK;
    for (size_t first = 0; first < m && !failed; first += batch) {
        const size_t queries = m - first < batch ? m - first : batch;
        counting c = {tally, s, first, queries, n, eb_is_self_join(&opened->problem) ? rows + first : NULL};
        failed = eb_ask_distances(opened, rows + first, queries, s, status);
        if (!failed)
            failed = eb_parallel(tally->threads, (queries + EB_TALLY_AT_ONCE - 1) / EB_TALLY_AT_ONCE, count_queries, &c,
                                 opened->context.job, status);
    }
    free(s);
    return failed;
}

static eb_code bins_of_distances(const eb_opened *opened, const uint32_t *rows, size_t m, eb_bins *out,
                                 eb_status *status)
{
    eb_tally tally;
    EB_TRY(eb_tally_make(opened->context.threads, m, &tally, status));
    eb_code failed = count_all(opened, rows, &tally, status);
    if (!failed)
        failed = eb_tally_bins(&tally, out, status);
    eb_tally_free(&tally);
    return failed;
}

eb_code eb_ask_bins(const eb_opened *opened, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
{
    *out = (eb_bins){.low = 1};
    eb_code failed = opened->run->bins ? opened->run->bins(opened->state, rows, m, out, status)
                                       : bins_of_distances(opened, rows, m, out, status);
    if (failed)
        eb_bins_free(out);
    return failed;
}

eb_code eb_question_check(const eb_question *question, const eb_share *share, const eb_problem *problem,
                          eb_status *status)
{
    size_t n = problem->left->n;
    if (!(question->eps >= 0)) /* NaN too */
        return eb_fail(status, EB_USAGE, "ε must be a distance, 0 or more; found %g", question->eps);
    if (share->row_begin > share->row_end || share->row_end > n || share->part >= share->parts)
        return eb_fail(status, EB_INTERNAL, "part %u of %u of rows %zu to %zu of %zu points", share->part, share->parts,
                       share->row_begin, share->row_end, n);
    return eb_schedule_check(&question->schedule, problem->order, status);
}
