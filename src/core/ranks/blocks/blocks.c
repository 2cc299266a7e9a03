#include "core/ranks/blocks/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/pass.h"
#include "core/ranks/blocks/queries.h"

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

static eb_code visit_histogram(eb_visits *v, const eb_opened *opened, const eb_share *share, const eb_rectangle *of,
                               eb_status *status)
{
    eb_distance_pass *to = v->answer, pass;
    (void)of;
    eb_code failed = eb_pass_part(to, 0, 1, &pass, status);
    pass.part = share->part;
    pass.parts = share->parts;
    failed = failed ? failed : opened->run->histogram(opened->state, &pass, status);
    failed = failed ? failed : eb_pass_add(to, &pass, status);
    eb_pass_part_free(&pass);
    return failed;
}

static eb_code histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    eb_blocks *b = state;
    const eb_share share = eb_pass_share(pass, b->request.problem.left->n);
    eb_visits v = {.visit = visit_histogram, .answer = pass};
    eb_pass_clear(pass);
    if (pass->edges == 0)
        return EB_OK;
    const eb_code failed = eb_visit_all(b, &share, &v, status);
    if (failed)
        eb_pass_drop(pass);
    return failed;
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
                               .distances = eb_blocks_distances,
                               .close = close_blocks,
                               .describe = describe,
                               .prepare = engine->prepare,
                               .pairs = eb_blocks_pairs};
}

bool eb_is_in_blocks(const eb_opened *opened) { return opened->run->count == count; }

void eb_blocks_number(eb_opened *opened, uint64_t number)
{
    if (eb_is_in_blocks(opened))
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
