#include "core/team/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/team/asking.h"
#include "core/team/passes.h"
#include "core/team/queries.h"
#include "core/team/sink.h"

typedef eb_members team;
typedef eb_member member;

eb_device eb_team_device(const eb_device *of, unsigned k)
{
    eb_device one = *of;
    const eb_device_named named = {.kind = of->kind, .members = 1, .member = {of->member[k]}};
    one.members = 0;
    one.index = of->member[k];
    (void)eb_device_name_write(&named, one.name);
    return one;
}

/* ---- parts of a count and of a join ---- */

typedef struct parting {
    eb_question question;
    const eb_share *share;
    uint64_t entries[EB_MOST_MEMBERS]; /* of a count */
    const eb_sink *sink;               /* of a join */
    eb_team_rows rows;                 /* what goes to the sink */
} parting;

static eb_share part_of(const eb_asking *a, unsigned k)
{
    const parting *p = a->question;
    eb_share part = *p->share;
    part.parts *= a->present;
    part.part = p->share->part * a->present + k;
    part.meeting = a->present > 1 ? a->meeting : NULL;
    return part;
}

static eb_code join_part(eb_asking *a, unsigned k, eb_status *why)
{
    parting *p = a->question;
    const member *m = a->member[k];
    const eb_share part = part_of(a, k);
    eb_team_sink own;
    const eb_sink sink = eb_team_sink_of(&p->rows, k, k * m->context.threads, &own);
    return a->team->engine->join(m->state, &p->question, &part, &sink, why);
}

static eb_code count_part(eb_asking *a, unsigned k, eb_status *why)
{
    parting *p = a->question;
    const eb_share part = part_of(a, k);
    return a->team->engine->count(a->member[k]->state, &p->question, &part, &p->entries[k], why);
}

static eb_code present_first(team *t, member **out, eb_status *status)
{
    for (unsigned k = 0; k < t->members; k++)
        if (!t->member[k].lost) {
            *out = &t->member[k];
            (*out)->context.job = t->context->job;
            (*out)->before = (*out)->figures;
            return EB_OK;
        }
    return eb_fail(status, EB_NO_DEVICE, "every device of the team is lost");
}

/* Returns the call's code, with its reason in *status. If the device is lost, the next member is asked. */
#define FIRST_ANSWERS(call)                                                                                            \
    team *t = state;                                                                                                   \
    for (;;) {                                                                                                         \
        eb_status why = {.code = EB_OK};                                                                               \
        member *first;                                                                                                 \
        EB_TRY(present_first(t, &first, status));                                                                      \
        const eb_code failed = t->engine->call;                                                                        \
        eb_member_add_figures(t, first);                                                                               \
        if (!failed)                                                                                                   \
            return EB_OK;                                                                                              \
        if (failed != EB_NO_DEVICE || eb_member_is_last(t, first))                                                     \
            return eb_fail(status, failed, "%s", why.message);                                                         \
        eb_member_lose(t, first, why.message);                                                                         \
    }

/* Parts of one question must be of one way, so the first member chooses it. */
static eb_code choose(void *state, const eb_question *question, unsigned *choice, eb_status *status)
{
    FIRST_ANSWERS(choose(first->state, question, choice, &why));
}

static eb_code ask_once(team *t, parting *p, eb_asking *a, eb_status *status)
{
    EB_TRY(eb_asking_begin(t, EB_MOST_MEMBERS, a, status));
    a->question = p;
    p->rows = (eb_team_rows){.to = p->sink, .meeting = a->meeting};
    return eb_asking_run(a, status);
}

/* If the way that was chosen refuses the points, another one is chosen. */
static eb_code ask_all(team *t, const eb_question *question, parting *p, eb_asking *a, eb_status *status)
{
    const bool chooses = t->engine->choose && question->choice == 0;
    t->was_lost = false; /* also if no way can be chosen: nobody asks again for ever */
    p->question = *question;
    EB_TRY(chooses ? choose(t, question, &p->question.choice, status) : EB_OK);
    for (;;) {
        eb_question other = *question;
        eb_status why = {.code = EB_OK}, ignored;
        const eb_code failed = ask_once(t, p, a, &why);
        if (!failed)
            return EB_OK;
        if (!chooses || (failed != EB_NO_ENGINE && failed != EB_NO_MEMORY) ||
            choose(t, question, &other.choice, &ignored) || other.choice == p->question.choice)
            return eb_fail(status, failed, "%s", why.message);
        p->question = other;
    }
}

static eb_code count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                     eb_status *status)
{
    team *t = state;
    parting p = {.share = share};
    eb_asking a = {.answer = count_part};
    eb_code failed;
    do
        failed = ask_all(t, question, &p, &a, status);
    while (failed && t->was_lost);
    *entries = 0;
    for (unsigned k = 0; k < a.present && !failed; k++)
        *entries += p.entries[k];
    return failed;
}

static eb_code join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                    eb_status *status)
{
    parting p = {.share = share, .sink = sink};
    eb_asking a = {.answer = join_part};
    return ask_all(state, question, &p, &a, status);
}

bool eb_team_can_ask_again(const eb_implementation *run, void *state)
{
    return run->join == join && ((team *)state)->was_lost;
}

const char *eb_team_losses(const eb_implementation *run, const void *state)
{
    return run->join == join ? ((const team *)state)->note : "";
}

/* ---- questions that the first member answers ---- */

static eb_code self(void *state, double *out, eb_status *status) { FIRST_ANSWERS(self(first->state, out, &why)); }

static eb_code nearest(void *state, const eb_nearest_question *question, size_t from, size_t count_of, uint32_t *rows,
                       double *distance, eb_status *status)
{
    FIRST_ANSWERS(nearest(first->state, question, from, count_of, rows, distance, &why));
}

static eb_code pairs(void *state, const uint32_t *rows, const uint32_t *columns, size_t count_of, double *s,
                     eb_status *status)
{
    FIRST_ANSWERS(pairs(first->state, rows, columns, count_of, s, &why));
}

/* The first member's state that is open, also if its device is lost: for functions of the host. */
static const void *first_state(const team *t)
{
    const member *m = t->member;
    while (!m->state)
        m++;
    return m->state;
}

static eb_code rounded(const void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    const team *t = state;
    return t->engine->rounded(first_state(t), rows, m, out, status);
}

static double complete_eps(const void *state, double eps)
{
    const team *t = state;
    return t->engine->complete_eps(first_state(t), eps);
}

static double reach_eps(const void *state, double eps)
{
    const team *t = state;
    return t->engine->reach_eps(first_state(t), eps);
}

static const char *describe(const void *state)
{
    team *t = (team *)(uintptr_t)state;
    const void *of = first_state(t);
    for (unsigned k = t->members; k-- > 0;)
        if (!t->member[k].lost)
            of = t->member[k].state;
    const char *how = t->engine->describe ? t->engine->describe(of) : "";
    if (t->note[0] == '\0')
        return how;
    (void)snprintf(t->description, sizeof t->description, "%s%s%s", how, how[0] ? "; " : "", t->note);
    return t->description;
}

/* ---- opening and closing ---- */

static void close_team(void *state)
{
    team *t = state;
    for (unsigned k = 0; t && k < t->members; k++)
        if (t->member[k].state)
            t->engine->close(t->member[k].state);
    if (t)
        free(t->member);
    free(t);
}

typedef struct opening {
    team *team;
    const eb_problem *problem;
    eb_status lost[EB_MOST_MEMBERS]; /* why the device can't be used; EB_OK: it can */
} opening;

static eb_code open_member(void *context, uint64_t task, unsigned thread, eb_status *status)
{
    opening *o = context;
    member *m = &o->team->member[task];
    eb_status why = {.code = EB_OK};
    (void)thread;
    const eb_code failed = o->team->engine->open(o->problem, &m->context, &m->state, &why);
    if (!failed)
        return EB_OK;
    m->state = NULL;
    if (failed == EB_NO_DEVICE) {
        o->lost[task] = why;
        return EB_OK;
    }
    return eb_fail(status, failed, "%s: %s", m->device.name, why.message);
}

/* A device that was lost in one join stays so for the process: the next join is the others'. */
static eb_code leave_out_lost(opening *o, eb_status *status)
{
    team *t = o->team;
    unsigned open = 0;
    for (unsigned k = 0; k < t->members; k++)
        open += o->lost[k].code == EB_OK;
    if (open == 0)
        return eb_fail(status, EB_NO_DEVICE, "%s: %s", t->member[0].device.name, o->lost[0].message);
    for (unsigned k = 0; k < t->members; k++)
        if (o->lost[k].code)
            eb_member_lose(t, &t->member[k], o->lost[k].message);
    return EB_OK;
}

/* Every function that the engine has; NULL stays NULL, since callers ask what an engine can do. */
static eb_implementation functions_of(const eb_implementation *engine)
{
    eb_implementation run = *engine;
    run.count = count;
    run.join = join;
    run.histogram = eb_team_histogram;
    run.distances = eb_team_distances;
    run.close = close_team;
    run.describe = describe;
    run.bins = engine->bins ? eb_team_bins : NULL;
    run.self = engine->self ? self : NULL;
    run.nearest = engine->nearest ? nearest : NULL;
    run.pairs = engine->pairs ? pairs : NULL;
    run.rounded = engine->rounded ? rounded : NULL;
    run.complete_eps = engine->complete_eps ? complete_eps : NULL;
    run.reach_eps = engine->reach_eps ? reach_eps : NULL;
    run.choose = engine->choose ? choose : NULL;
    run.search_eps = NULL; /* pairs are not shared: parts of them are a member's own */
    return run;
}

/* Divides the caller's threads, and the memory of devices that are in the team more than once. */
static void lend(team *t)
{
    const eb_context *all = t->context;
    for (unsigned k = 0; k < t->members; k++) {
        member *m = &t->member[k];
        unsigned same = 0;
        m->device = eb_team_device(all->device, k);
        for (unsigned other = 0; other < t->members; other++)
            same += all->device->member[other] == all->device->member[k];
        m->context = *all;
        m->context.device = &m->device;
        m->context.threads = all->threads > t->members ? all->threads / t->members : 1;
        m->context.memory_limit = all->memory_limit / same;
        m->context.figures = &m->figures;
        m->context.team = t;
        m->context.team_member = k;
        m->context.team_members = t->members;
    }
}

eb_code eb_team_open(const eb_implementation *engine, const eb_problem *problem, const eb_context *context,
                     const eb_implementation **run, void **state, eb_status *status)
{
    const unsigned members = context->device->members;
    team *t = calloc(1, sizeof *t);
    member *of = calloc(members, sizeof *of);
    if (!t || !of) {
        free(t);
        free(of);
        return eb_fail_memory(status, "a team of devices", sizeof *t + members * sizeof *of);
    }
    *t = (team){.run = functions_of(engine),
                .engine = engine,
                .problem = problem,
                .context = context,
                .members = members,
                .member = of};
    lend(t);
    opening o = {.team = t, .problem = problem};
    eb_code failed = eb_parallel(members, members, open_member, &o, NULL, status);
    failed = failed ? failed : leave_out_lost(&o, status);
    if (failed) {
        close_team(t);
        return failed;
    }
    eb_members_add_figures(t);
    *run = &t->run;
    *state = t;
    return EB_OK;
}

/* ---- what each member did ---- */

eb_team_work eb_team_work_of(const eb_implementation *run, const void *state)
{
    const team *t = state;
    eb_team_work work = {.members = 0};
    if (run->join != join || !(work.member = calloc(t->members, sizeof *work.member)))
        return work;
    work.members = t->members;
    for (unsigned k = 0; k < t->members; k++) {
        const member *m = &t->member[k];
        work.member[k] = (eb_team_member){.lost = m->lost, .figures = m->figures};
        (void)snprintf(work.member[k].device, sizeof work.member[k].device, "%.15s", m->device.name);
    }
    return work;
}

eb_team_work eb_team_work_copy(const eb_team_work *work)
{
    eb_team_work copy = {.members = 0};
    if (work->members == 0 || !(copy.member = malloc(work->members * sizeof *copy.member)))
        return copy;
    copy.members = work->members;
    memcpy(copy.member, work->member, work->members * sizeof *copy.member);
    return copy;
}

void eb_team_work_free(eb_team_work *work)
{
    free(work->member);
    *work = (eb_team_work){.members = 0};
}
