#include "core/slabs/passes.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/engine/pass.h"
#include "core/slabs/slabs.h"
#include "core/tune/order_statistic.h"

enum { ROWS_A_TASK = 4096 };

typedef struct slabbed {
    eb_implementation run;
    const eb_opened *opened;
    uint64_t bytes;
} slabbed;

/* ---- the points of a slab ---- */

typedef struct gathering {
    const eb_dataset *ds;
    const eb_slab_plan *plan;
    size_t slab, row_bytes;
    double beyond;       /* the last value above the upper edge that is within reach */
    unsigned char *rows; /* own points first, then those above */
    size_t room;         /* for those above */
    _Atomic size_t own, above;
} gathering;

typedef struct chosen {
    uint32_t own[ROWS_A_TASK], above[ROWS_A_TASK];
    size_t owned, over;
} chosen;

static void choose_rows(const gathering *g, size_t begin, size_t end, chosen *c)
{
    const double low = g->plan->edge[g->slab], edge = g->plan->edge[g->slab + 1];
    const size_t size = eb_dtype_size(g->ds->dtype);
    c->owned = c->over = 0;
    for (size_t i = begin; i < end; i++) {
        double x;
        eb_to_f64(g->ds->dtype, eb_row(g->ds, i) + g->plan->axis * size, 1, &x);
        if (x >= low && x < edge)
            c->own[c->owned++] = (uint32_t)i;
        else if (x >= edge && x <= g->beyond)
            c->above[c->over++] = (uint32_t)i;
    }
}

static void copy_rows(const gathering *g, const uint32_t *row, size_t count, size_t to)
{
    for (size_t k = 0; k < count; k++)
        memcpy(g->rows + (to + k) * g->row_bytes, eb_row(g->ds, row[k]), g->row_bytes);
}

static eb_code gather_rows(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    gathering *g = context;
    const size_t begin = (size_t)task * ROWS_A_TASK, left = g->ds->n - begin,
                 rows = left < ROWS_A_TASK ? left : ROWS_A_TASK;
    chosen c;
    (void)thread;
    choose_rows(g, begin, begin + rows, &c);
    const size_t own = g->plan->own[g->slab];
    const size_t first = atomic_fetch_add(&g->own, c.owned), over = atomic_fetch_add(&g->above, c.over);
    if (first + c.owned > own || over + c.over > g->room)
        return eb_fail(status, EB_INTERNAL, "slab %zu has more points than were counted", g->slab);
    copy_rows(g, c.own, c.owned, first);
    copy_rows(g, c.above, c.over, own + over);
    eb_dataset_passed(g->ds, begin, rows);
    return EB_OK;
}

/* *out: the slab's own points, then those above; its rows are to be freed. */
static eb_code gather(const slabbed *s, const eb_slab_plan *plan, size_t slab, eb_dataset *out, eb_status *status)
{
    const eb_context *context = &s->opened->context;
    const eb_dataset *ds = s->opened->problem.left;
    const size_t own = plan->own[slab], room = plan->halo[slab], row_bytes = ds->d * eb_dtype_size(ds->dtype);
    gathering g = {.ds = ds,
                   .plan = plan,
                   .slab = slab,
                   .row_bytes = row_bytes,
                   .beyond = nextafter(plan->edge[slab + 1] + plan->reach, INFINITY),
                   .rows = malloc((own + room) * row_bytes),
                   .room = room};
    if (!g.rows)
        return eb_fail_memory(status, "the points of a slab", (own + room) * row_bytes);
    eb_code failed =
        eb_parallel(context->threads, (ds->n + ROWS_A_TASK - 1) / ROWS_A_TASK, gather_rows, &g, context->job, status);
    if (!failed && g.own != own)
        failed = eb_fail(status, EB_INTERNAL, "slab %zu owns %zu points; %zu were counted", slab, g.own, own);
    *out = *ds;
    out->n = own + g.above;
    out->rows = g.rows;
    out->stride = row_bytes;
    if (failed) {
        free(g.rows);
        out->rows = NULL;
    }
    return failed;
}

/* ---- a pass over a slab ---- */

/* The pass over some points in one piece; *out is freed with eb_pass_part_free, whatever happens. */
static eb_code pass_over(const slabbed *s, const eb_dataset *points, const eb_distance_pass *whole,
                         eb_distance_pass *out, eb_status *status)
{
    const eb_problem problem = eb_self_join(points);
    eb_opened opened;
    EB_TRY(eb_pass_part(whole, 0, 1, out, status));
    eb_job_phase(s->opened->context.job, "exact pass", points->n);
    EB_TRY(eb_problem_open_here(s->opened->setup, &problem, s->opened->context.job, &opened, status));
    const eb_code failed = opened.run->histogram(opened.state, out, status);
    eb_problem_close(&opened);
    return failed;
}

/* Takes the distances of `minus`, all of which are there, out of those of an interval. */
static eb_code take_out(const slabbed *s, size_t k, eb_distance_pass *from, eb_distance_pass *minus, eb_status *status)
{
    const eb_context *context = &s->opened->context;
    const size_t count = (size_t)from->pairs[k], less = (size_t)minus->pairs[k];
    double *all = from->kept[k], *taken = minus->kept[k];
    size_t left = 0, next = 0;
    EB_TRY(eb_parallel_sort(context->threads, all, count, sizeof *all, eb_compare_doubles, context->job, status));
    EB_TRY(eb_parallel_sort(context->threads, taken, less, sizeof *taken, eb_compare_doubles, context->job, status));
    for (size_t j = 0; j < count; j++)
        if (next < less && taken[next] == all[j])
            next++;
        else
            all[left++] = all[j];
    if (next < less)
        return eb_fail(status, EB_INTERNAL, "distances above a slab are none of the slab's");
    return EB_OK;
}

static eb_code subtract(const slabbed *s, eb_distance_pass *from, eb_distance_pass *minus, eb_status *status)
{
    for (size_t k = 0; k < from->edges; k++) {
        if (minus->pairs[k] > from->pairs[k])
            return eb_fail(status, EB_INTERNAL, "more pairs above a slab than with it");
        if (from->keep[k] && minus->pairs[k])
            EB_TRY(take_out(s, k, from, minus, status));
        from->pairs[k] -= minus->pairs[k];
    }
    return EB_OK;
}

static eb_code pass_over_slab(const slabbed *s, const eb_dataset *points, size_t own, eb_distance_pass *pass,
                              eb_status *status)
{
    eb_distance_pass all = {.edges = 0}, above = {.edges = 0};
    eb_dataset over = *points;
    over.n = points->n - own;
    over.rows = eb_row(points, own);
    eb_code failed = pass_over(s, points, pass, &all, status);
    if (!failed && over.n > 1) {
        failed = pass_over(s, &over, pass, &above, status);
        failed = failed ? failed : subtract(s, &all, &above, status);
    }
    failed = failed ? failed : eb_pass_add(pass, &all, status);
    eb_pass_part_free(&all);
    eb_pass_part_free(&above);
    return failed;
}

static eb_code pass_over_slabs(const slabbed *s, const eb_slab_plan *plan, eb_distance_pass *pass, eb_status *status)
{
    eb_job *job = s->opened->context.job;
    eb_code failed = EB_OK;
    for (size_t k = 0; k < plan->slabs && !failed; k++) {
        eb_dataset points;
        eb_job_step(job, 0, "slab", (unsigned)k + 1, (unsigned)plan->slabs);
        failed = gather(s, plan, k, &points, status);
        if (failed)
            break;
        failed = pass_over_slab(s, &points, plan->own[k], pass, status);
        free((void *)(uintptr_t)points.rows);
    }
    eb_job_step(job, 0, NULL, 0, 0);
    return failed;
}

static eb_code pass_in_one_piece(const slabbed *s, eb_distance_pass *pass, eb_status *status)
{
    eb_distance_pass all;
    eb_code failed = pass_over(s, s->opened->problem.left, pass, &all, status);
    failed = failed ? failed : eb_pass_add(pass, &all, status);
    eb_pass_part_free(&all);
    return failed;
}

/* The edges are in the unit of the scaled points; slabs are cut from the points as stored. */
static eb_code histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    const slabbed *s = state;
    const eb_context *context = &s->opened->context;
    eb_slab_room room = {.bytes = s->bytes, .memory_needed = s->opened->setup->run->memory_needed};
    eb_slab_plan plan;
    eb_status why = {.message = ""};
    eb_pass_clear(pass);
    if (pass->edges == 0)
        return EB_OK;
    const double eps = ldexp(pass->eps[pass->edges - 1], -s->opened->scaling.exponent);
    eb_code failed = EB_NO_MEMORY;
    for (unsigned tries = 0; failed == EB_NO_MEMORY && tries < 2; tries++, room.bytes *= 2)
        failed = eb_slabs_plan(s->opened->problem.left, eps, &room, context->threads, context->job, &plan, &why);
    if (failed == EB_NO_MEMORY) {
        failed = pass_in_one_piece(s, pass, status);
    } else if (failed) {
        return eb_fail(status, failed, "%s", why.message);
    } else {
        failed = pass_over_slabs(s, &plan, pass, status);
        eb_slabs_free(&plan);
    }
    if (failed)
        eb_pass_drop(pass);
    return failed;
}

/* ---- opening ---- */

static void close_slabbed(void *state) { free(state); }

eb_code eb_slabs_open(const eb_setup *setup, const eb_problem *problem, uint64_t bytes, eb_job *job, eb_opened *out,
                      eb_status *status)
{
    slabbed *s = calloc(1, sizeof *s);
    if (!s)
        return eb_fail_memory(status, "a problem", sizeof *s);
    s->run = (eb_implementation){.histogram = histogram, .close = close_slabbed};
    s->opened = out;
    s->bytes = bytes;
    *out = (eb_opened){.setup = setup, .run = &s->run, .problem = *problem, .state = s};
    out->scaling = eb_scaling_of(problem->left, problem->right);
    out->context = eb_context_of(setup, job, &out->figures);
    return EB_OK;
}
