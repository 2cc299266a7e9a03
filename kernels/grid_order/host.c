#include "kernels/grid_order/host.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/parallel.h"
#include "kernels/grid_order/make.h"
#include "kernels/walk/engine.h"
#include "kernels/walk/isa.h"

static const eb_figure index_s = {"index_s", "epsilon grid order", EB_SECONDS, EB_FIGURE_PART, 0};

/* ---- opening ---- */

static eb_eps_grid_type type_of(const eb_options *options)
{
    return eb_options_single(options) ? EB_EPS_GRID_F32 : EB_EPS_GRID_F64;
}

eb_code eb_eps_grid_probe(const eb_device *device, const eb_options *options, eb_status *status)
{
    EB_TRY(eb_decide_check(options, status));
    return eb_host_probe(device, options, status);
}

uint64_t eb_eps_grid_memory(size_t n, size_t d, eb_dtype dtype)
{
    (void)dtype;
    return eb_eps_grid_bytes(n, d, false);
}

uint64_t eb_eps_grid_memory_expanded(size_t n, size_t d, eb_dtype dtype)
{
    (void)dtype;
    return eb_eps_grid_bytes(n, d, true);
}

static eb_code check_limit(const eb_problem *problem, const eb_context *context, bool expands, eb_status *status)
{
    const size_t d = problem->left->d;
    const uint64_t limit = context->memory_limit;
    uint64_t needed = eb_eps_grid_bytes(problem->left->n, d, expands);
    if (!eb_is_self_join(problem))
        needed += eb_eps_grid_bytes(problem->right->n, d, expands);
    if (limit == 0 || needed <= limit)
        return EB_OK;
    return eb_fail(status, EB_NO_MEMORY, "points in epsilon grid order need %llu bytes, of which there are %llu",
                   (unsigned long long)needed, (unsigned long long)limit);
}

static eb_code check(const eb_problem *problem, const eb_context *context, bool expands, eb_status *status)
{
    if (problem->order)
        return eb_fail(status, EB_NO_ENGINE, "epsilon grid order is an order; expected points as they are stored");
    EB_TRY(check_limit(problem, context, expands, status));
    if (type_of(&context->options) == EB_EPS_GRID_F64)
        return EB_OK;
    EB_TRY(eb_single_check(problem->left, status));
    return eb_is_self_join(problem) ? EB_OK : eb_single_check(problem->right, status);
}

eb_code eb_eps_grid_open(const eb_eps_grid_walk *walk, const char *what, const eb_problem *problem,
                         const eb_context *context, void **state, eb_status *status)
{
    const bool truth = eb_truth_decides(&context->options);
    EB_TRY(check(problem, context, walk->expands && !truth, status));
    eb_eps_grid_host *host = calloc(1, sizeof *host);
    if (!host)
        return eb_fail_memory(status, what, sizeof *host);
    *host = (eb_eps_grid_host){.finder = {problem, context, eb_eps_grid_find},
                               .how = walk,
                               .kernels = eb_pair_kernels_here(),
                               .type = type_of(&context->options),
                               .truth = truth};
    (void)snprintf(host->description, sizeof host->description, "%s in %s, decided by %s (%s)", what,
                   host->type == EB_EPS_GRID_F32 ? "FP32" : "FP64",
                   host->truth ? "the truth's sums" : "the authors' sums", eb_isa_name(eb_cpu_isa()));
    *state = host;
    return EB_OK;
}

static void drop_index(eb_eps_grid_host *host)
{
    if (!host->made)
        return;
    host->how->free(host->walk);
    eb_eps_grid_free(&host->grid);
    host->walk = NULL;
    host->made = false;
}

void eb_eps_grid_close(void *state)
{
    if (state)
        drop_index(state);
    free(state);
}

const char *eb_eps_grid_describe(const void *state) { return ((const eb_eps_grid_host *)state)->description; }

/* ---- the index ---- */

eb_code eb_eps_grid_index(eb_eps_grid_host *host, double eps, eb_status *status)
{
    const eb_context *context = host->finder.context;
    const double start = eb_now_s();
    if (host->made && host->grid.eps == eps)
        return EB_OK;
    drop_index(host);
    const eb_option *reorder = eb_option_find(context->options.list, "reorder");
    const bool ordered = !reorder || eb_option_on(&context->options, "reorder");
    const eb_eps_grid_request request = {.left = host->finder.problem->left,
                                         .right = host->finder.problem->right,
                                         .eps = eps,
                                         .type = host->type,
                                         .dimensions = ordered ? host->how->dimensions : EB_DIMENSIONS_STORED,
                                         .expand = host->how->expands && !host->truth,
                                         .threads = context->threads,
                                         .job = context->job};
    EB_TRY(eb_eps_grid_make(&request, &host->grid, status));
    const eb_code failed = host->how->make(&host->grid, &context->options, &host->walk, &host->tasks, status);
    if (failed)
        eb_eps_grid_free(&host->grid);
    host->made = !failed;
    eb_figures_add(context->figures, &index_s, eb_now_s() - start);
    return failed;
}

/* ---- distances ---- */

typedef struct measuring {
    const eb_eps_grid_host *host;
    const uint32_t *at; /* [m] where queries stand */
    double *out;
} measuring;

static eb_code measure_query(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    (void)thread;
    const measuring *m = context;
    const eb_eps_grid *grid = &m->host->grid;
    const eb_eps_grid_side *left = &grid->side[0], *right = eb_eps_grid_right(grid);
    const size_t at = m->at[task];
    double *out = m->out + task * right->n;
    for (size_t b = 0; b < right->blocks; b++) {
        double s[EB_EPS_GRID_BLOCK];
        if (b % 1024 == 0)
            EB_TRY(eb_job_check(m->host->finder.context->job, status));
        eb_eps_grid_sums(m->host, at, b, ~0u, s);
        for (size_t lane = 0; lane < eb_eps_grid_block_count(right, b); lane++)
            out[right->point[b * EB_EPS_GRID_BLOCK + lane]] = s[lane];
    }
    if (grid->self)
        out[left->point[at]] = 0;
    eb_job_advance(m->host->finder.context->job, 1);
    return EB_OK;
}

static eb_code find_places(const eb_eps_grid_host *host, const uint32_t *rows, size_t m, uint32_t *at,
                           eb_status *status)
{
    const eb_eps_grid_side *left = &host->grid.side[0];
    uint32_t *place = malloc(left->n * sizeof *place);
    eb_code failed = place ? EB_OK : eb_fail_memory(status, "the points' places", left->n * sizeof *place);
    for (size_t k = 0; k < left->n && !failed; k++)
        place[left->point[k]] = (uint32_t)k;
    for (size_t q = 0; q < m && !failed; q++)
        if (rows[q] < left->n)
            at[q] = place[rows[q]];
        else
            failed = eb_fail(status, EB_INTERNAL, "distances from point %u of %zu", rows[q], left->n);
    free(place);
    return failed;
}

eb_code eb_eps_grid_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    eb_eps_grid_host *host = state;
    const eb_context *context = host->finder.context;
    if (!host->made)
        EB_TRY(eb_eps_grid_index(host, (double)INFINITY, status));
    const double start = eb_now_s();
    uint32_t *at = malloc((m ? m : 1) * sizeof *at);
    if (!at)
        return eb_fail_memory(status, "the queries", m * sizeof *at);
    measuring w = {.host = host, .at = at, .out = out};
    eb_code failed = find_places(host, rows, m, at, status);
    if (!failed)
        failed = eb_parallel(context->threads, m, measure_query, &w, context->job, status);
    free(at);
    eb_figures_add(context->figures, &eb_figure_kernel, eb_now_s() - start);
    return failed;
}
