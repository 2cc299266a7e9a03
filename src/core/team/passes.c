#include "core/team/passes.h"

#include "core/engine/pass.h"
#include "core/team/asking.h"

typedef struct passing {
    eb_distance_pass whole; /* with the way that all parts are of */
    eb_distance_pass part[EB_MOST_MEMBERS];
} passing;

static eb_code pass_part(eb_asking *a, unsigned k, eb_status *why)
{
    passing *p = a->question;
    EB_TRY(eb_pass_part(&p->whole, k, a->present, &p->part[k], why));
    return a->team->engine->histogram(a->member[k]->state, &p->part[k], why);
}

static eb_code pass_once(eb_members *team, const eb_distance_pass *whole, eb_distance_pass *out, eb_status *status)
{
    passing p = {.whole = *whole};
    eb_asking a = {.answer = pass_part, .question = &p};
    EB_TRY(eb_asking_begin(team, EB_MOST_MEMBERS, &a, status));
    eb_code failed = eb_asking_run(&a, status);
    for (unsigned k = 0; k < a.present; k++) {
        failed = failed ? failed : eb_pass_add(out, &p.part[k], status);
        eb_pass_part_free(&p.part[k]);
    }
    return failed;
}

eb_code eb_team_histogram(void *state, eb_distance_pass *pass, eb_status *status)
{
    eb_members *team = state;
    eb_distance_pass whole = *pass;
    eb_code failed;
    eb_pass_clear(pass);
    if (pass->edges == 0)
        return EB_OK;
    if (team->engine->choose && pass->choice == 0) {
        const eb_question question = {.eps = pass->eps[pass->edges - 1]};
        EB_TRY(team->run.choose(team, &question, &whole.choice, status));
    }
    do
        failed = pass_once(team, &whole, pass, status);
    while (failed && team->was_lost);
    if (failed)
        eb_pass_drop(pass);
    return failed;
}
