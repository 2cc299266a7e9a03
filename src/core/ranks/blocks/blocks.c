#include "core/ranks/blocks/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "core/ranks/blocks/visits.h"

/* ---- counts ---- */

/* The question to one problem, which has its part of the entries that are expected. */
static eb_question question_to(const eb_visits *v, const eb_opened *opened, const eb_question *question)
{
    const eb_problem *problem = &opened->problem;
    const double all = (double)v->deal.n * (double)v->deal.others;
    eb_question part = *question;
    part.expected =
        (uint64_t)((double)question->expected * ((double)problem->left->n * (double)problem->right->n / all));
    return part;
}

typedef struct counting {
    const eb_question *question;
    uint64_t entries;
} counting;

static eb_code visit_count(eb_visits *v, const eb_opened *opened, const eb_share *share, const eb_rectangle *of,
                           eb_status *status)
{
    counting *c = v->answer;
    const eb_question question = question_to(v, opened, c->question);
    uint64_t entries;
    EB_TRY(opened->run->count(opened->state, &question, share, &entries, status));
    c->entries += of ? of->ends * entries : entries;
    return EB_OK;
}

static eb_code count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                     eb_status *status)
{
    counting c = {.question = question};
    eb_visits v = {.visit = visit_count, .answer = &c};
    EB_TRY(eb_visit_all(state, share, &v, status));
    *entries = c.entries;
    return EB_OK;
}

/* ---- joins ---- */

typedef struct joining {
    const eb_question *question;
    const eb_sink *to;
    uint32_t left, right; /* the first rows of the sets that are joined now */
    bool turned;
} joining;

enum { HITS = 256 };

static eb_code pass_hits(void *context, unsigned thread, const eb_hit *hits, size_t number, eb_status *status)
{
    const joining *j = context;
    eb_hit moved[HITS];
    for (size_t done = 0; done < number;) {
        const size_t now = number - done < HITS ? number - done : HITS;
        for (size_t k = 0; k < now; k++) {
            const eb_hit *hit = &hits[done + k];
            const uint32_t i = hit->i + j->left, other = hit->j + j->right;
            moved[k] = (eb_hit){j->turned ? other : i, j->turned ? i : other, hit->s};
        }
        EB_TRY(j->to->hits(j->to->context, thread, moved, now, status));
        done += now;
    }
    return EB_OK;
}

static eb_code visit_join(eb_visits *v, const eb_opened *opened, const eb_share *share, const eb_rectangle *of,
                          eb_status *status)
{
    joining *j = v->answer;
    const eb_question question = question_to(v, opened, j->question);
    const eb_sink sink = {.context = j, .hits = pass_hits};
    j->left = (uint32_t)(of ? of->left.begin : v->b->own.begin);
    j->right = (uint32_t)(of ? of->right.begin : v->b->own.begin);
    j->turned = of && of->turned;
    return opened->run->join(opened->state, &question, share, &sink, status);
}

static eb_code join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                    eb_status *status)
{
    joining j = {.question = question, .to = sink};
    eb_visits v = {.visit = visit_join, .answer = &j};
    return eb_visit_all(state, share, &v, status);
}

/* ---- distance passes ---- */

static eb_code append(eb_distance_pass *to, size_t k, const double *more, uint64_t number, eb_status *status)
{
    const size_t room = (size_t)(to->pairs[k] + number);
    double *all = realloc(to->kept[k], (room ? room : 1) * sizeof *all);
    if (!all)
        return eb_fail_memory(status, "the distances inside the brackets", room * sizeof *all);
    if (number)
        memcpy(all + to->pairs[k], more, (size_t)number * sizeof *all);
    to->kept[k] = all;
    return EB_OK;
}

static eb_code visit_histogram(eb_visits *v, const eb_opened *opened, const eb_share *share, const eb_rectangle *of,
                               eb_status *status)
{
    eb_distance_pass *to = v->answer, pass = *to;
    (void)of;
    pass.part = share->part;
    pass.parts = share->parts;
    pass.pairs = calloc(to->edges, sizeof *pass.pairs);
    pass.kept = calloc(to->edges, sizeof *pass.kept);
    eb_code failed = pass.pairs && pass.kept
                         ? opened->run->histogram(opened->state, &pass, status)
                         : eb_fail_memory(status, "a pass's intervals", to->edges * sizeof *pass.kept);
    for (size_t k = 0; k < to->edges && pass.pairs && pass.kept; k++) {
        if (!failed && to->keep[k])
            failed = append(to, k, pass.kept[k], pass.pairs[k], status);
        to->pairs[k] += pass.pairs[k];
        free(pass.kept[k]);
    }
    free(pass.pairs);
    free(pass.kept);
    return failed;
}

static eb_code histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    eb_blocks *b = state;
    const eb_share share = eb_pass_share(pass, b->request.problem.left->n);
    eb_visits v = {.visit = visit_histogram, .answer = pass};
    for (size_t k = 0; k < pass->edges; k++) {
        pass->kept[k] = NULL;
        pass->pairs[k] = 0;
    }
    if (pass->edges == 0)
        return EB_OK;
    const eb_code failed = eb_visit_all(b, &share, &v, status);
    for (size_t k = 0; k < pass->edges && failed; k++) {
        free(pass->kept[k]);
        pass->kept[k] = NULL;
    }
    return failed;
}

/* ---- few points, in rank 0: it has all of them ---- */

static eb_code gather(const eb_dataset *points, const uint32_t *rows, size_t m, eb_dataset *out, eb_status *status)
{
    const size_t row_bytes = eb_row_bytes(points);
    unsigned char *copy = malloc(m * row_bytes);
    if (!copy)
        return eb_fail_memory(status, "the queries", m * row_bytes);
    *out = *points;
    out->n = m;
    out->rows = copy;
    out->stride = row_bytes;
    for (size_t q = 0; q < m; q++) {
        if (rows[q] >= points->n) {
            free(copy);
            return eb_fail(status, EB_INTERNAL, "distances from point %u of %zu", rows[q], points->n);
        }
        memcpy(copy + q * row_bytes, eb_row(points, rows[q]), row_bytes);
    }
    return EB_OK;
}

typedef struct measuring {
    size_t m, columns; /* queries; right points */
    eb_rows block;
    double *out; /* [m × columns] */
} measuring;

static eb_code visit_distances(eb_visits *v, const eb_opened *opened, const eb_share *share, const eb_rectangle *of,
                               eb_status *status)
{
    const measuring *m = v->answer;
    const size_t width = m->block.end - m->block.begin;
    uint32_t *row = malloc(m->m * sizeof *row);
    double *s = malloc(m->m * width * sizeof *s);
    (void)share, (void)of;
    for (size_t q = 0; q < m->m && row; q++)
        row[q] = (uint32_t)q;
    const eb_code failed = row && s ? opened->run->distances(opened->state, row, m->m, s, status)
                                    : eb_fail_memory(status, "the queries' distances", m->m * width * sizeof *s);
    for (size_t q = 0; q < m->m && !failed; q++)
        memcpy(m->out + q * m->columns + m->block.begin, s + q * width, width * sizeof *s);
    free(row);
    free(s);
    return failed;
}

/* The queries against one block after the other. A point's distance to itself is 0 as it is for any equal points. */
static eb_code distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    eb_blocks *b = state;
    const eb_dataset *right = b->request.problem.right;
    eb_job *job = b->opened->context.job;
    const unsigned ranks = eb_blocks_ranks(b);
    measuring to = {.m = m, .columns = right->n, .out = out};
    eb_visits v = {.b = b, .parts = 1, .visit = visit_distances, .answer = &to};
    eb_dataset queries;
    eb_code failed = EB_OK;
    if (m == 0)
        return EB_OK;
    EB_TRY(gather(b->request.problem.left, rows, m, &queries, status));
    eb_job_divide(job, ranks);
    for (unsigned r = 0; r < ranks && !failed; r++) {
        to.block = eb_block_of(right->n, r, ranks);
        const eb_dataset block = eb_blocks_slice(right, to.block.begin, to.block.end - to.block.begin);
        const eb_problem problem = {.left = &queries, .right = &block};
        if (block.n > 0)
            failed = eb_visit_problem(&v, &problem, (eb_rows){0, m}, NULL, status);
    }
    eb_job_divide(job, 1);
    free((void *)(uintptr_t)queries.rows);
    return failed;
}

static eb_code pairs(void *state, const uint32_t *rows, const uint32_t *columns, size_t number, double *s,
                     eb_status *status)
{
    const eb_blocks *b = state;
    const eb_problem *problem = &b->request.problem;
    (void)status;
    for (size_t k = 0; k < number; k++)
        s[k] =
            eb_truth_distance2_between(problem->left, rows[k], problem->right, columns[k], b->opened->scaling.exponent);
    return EB_OK;
}

/* ---- opening and closing ---- */

static const char *describe(const void *state) { return ((const eb_blocks *)state)->description; }

static void close_blocks(void *state) { free(state); }

static eb_implementation functions_of(const eb_implementation *engine)
{
    return (eb_implementation){.probe = engine->probe,
                               .memory_needed = engine->memory_needed,
                               .open = engine->open,
                               .count = count,
                               .join = join,
                               .histogram = histogram,
                               .distances = distances,
                               .close = close_blocks,
                               .describe = describe,
                               .prepare = engine->prepare,
                               .pairs = pairs};
}

void eb_blocks_number(eb_opened *opened, uint64_t number)
{
    if (opened->run->count == count)
        ((eb_blocks *)opened->state)->number = number;
}

eb_code eb_blocks_open(const eb_blocks_request *request, eb_job *job, eb_opened *out, eb_status *status)
{
    const eb_setup *setup = request->setup;
    const eb_problem *problem = &request->problem;
    EB_TRY(eb_problem_check(problem, status));
    eb_blocks *b = calloc(1, sizeof *b);
    if (!b)
        return eb_fail_memory(status, "a problem", sizeof *b);
    b->run = functions_of(setup->run);
    b->request = *request;
    b->opened = out;
    b->own = eb_block_of(problem->left->n, eb_blocks_rank(b), eb_blocks_ranks(b));
    *out = (eb_opened){.setup = setup, .run = &b->run, .problem = *problem, .state = b};
    out->scaling = eb_scaling_of(problem->left, problem->right);
    out->context = eb_context_of(setup, job, &out->figures);
    return EB_OK;
}
