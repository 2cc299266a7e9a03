#include "shell/diagnosis/cases.h"

#include <stdio.h>
#include <string.h>

#include "core/base/random.h"

enum { TRIES = 200, MOST_D_ON_GPU = 1024 };
static const double apart = 0.2; /* a choice is refuted by a metric whose ratios differ by this much, as a logarithm */

const eb_told_switch *eb_clues_find(const eb_clues *clues, const char *name)
{
    for (size_t k = 0; k < clues->count; k++)
        if (strcmp(clues->told[k].name, name) == 0)
            return &clues->told[k];
    return NULL;
}

const char *eb_variant_name(const eb_variant *variant, char *buffer, size_t size)
{
    (void)snprintf(buffer, size, "%s%s%s", variant->off[0], variant->count > 1 ? " and " : "",
                   variant->count > 1 ? variant->off[1] : "");
    return buffer;
}

/* ---- which answers can be told apart ---- */

static double distance(eb_metric m, const eb_evidence *a, const eb_evidence *b)
{
    const double ratio = eb_metric_ratio(m, &a->metrics, &b->metrics);
    return isnan(ratio) || ratio <= 0 ? 0 : fabs(log(ratio));
}

eb_metric eb_case_refutes(const eb_case *c, const eb_clues *clues, size_t wrong)
{
    const eb_evidence *shown = &c->evidence[c->right], *other = &c->evidence[wrong];
    eb_metric best = EB_METRIC_TIME;
    for (size_t s = 0; s < c->choice[wrong].count; s++) {
        const eb_told_switch *told = eb_clues_find(clues, c->choice[wrong].off[s]);
        for (size_t k = 0; told && k < told->clues; k++)
            if (distance(told->clue[k].metric, other, shown) > distance(best, other, shown))
                best = told->clue[k].metric;
    }
    if (distance(best, other, shown) > apart)
        return best;
    for (eb_metric m = 0; m < EB_METRIC_COUNT; m++)
        if (distance(m, other, shown) > distance(best, other, shown))
            best = m;
    return best;
}

/* ---- the right answer ---- */

/* A clue holds for each switch, each in another metric. */
static bool is_told(const eb_clues *clues, const eb_variant *variant, const eb_evidence *e, const eb_evidence *full)
{
    eb_metric seen = EB_METRIC_COUNT;
    for (size_t s = 0; s < variant->count; s++) {
        const eb_told_switch *told = eb_clues_find(clues, variant->off[s]);
        const eb_clue *clue = told ? eb_clue_that_holds(told, &e->metrics, &full->metrics) : NULL;
        if (!clue || clue->metric == seen)
            return false;
        seen = clue->metric;
    }
    return true;
}

typedef struct making {
    const eb_witness *witness;
    const eb_clues *clues;
    eb_case *c;
    uint64_t state; /* of the random numbers */
    eb_job *job;
    eb_status *status;
} making;

static bool on_gpu(const making *m) { return !eb_device_named_cpu(m->witness->session->settings.device); }

/* One switch at a d at which it was recorded. */
static eb_code try_one(making *m, bool *made)
{
    const eb_counted *counted = &m->witness->counted;
    const size_t d = counted->row[eb_random_below(&m->state, counted->rows)].d;
    eb_case *c = m->c;
    c->choice[0] = (eb_variant){{m->clues->told[eb_random_below(&m->state, m->clues->count)].name}, 1};
    *made = false;
    if (on_gpu(m) && d > MOST_D_ON_GPU)
        return EB_OK;
    EB_TRY(eb_evidence_of(m->witness, &(eb_variant){.count = 0}, d, true, &c->full, m->job, m->status));
    if (!c->full.counted)
        return EB_OK;
    EB_TRY(eb_evidence_of(m->witness, &c->choice[0], d, true, &c->evidence[0], m->job, m->status));
    *made = c->evidence[0].counted && is_told(m->clues, &c->choice[0], &c->evidence[0], &c->full);
    return EB_OK;
}

/* Two switches of which none needs the other, by the model. */
static eb_code try_two(making *m, bool *made)
{
    static const size_t d[] = {512, 784, 1024};
    const size_t count = m->clues->count, a = eb_random_below(&m->state, count), b = eb_random_below(&m->state, count),
                 at = d[eb_random_below(&m->state, sizeof d / sizeof d[0])];
    eb_case *c = m->c;
    *made = false;
    if (a >= b)
        return EB_OK;
    c->choice[0] = (eb_variant){{m->clues->told[a].name, m->clues->told[b].name}, 2};
    EB_TRY(eb_evidence_of(m->witness, &(eb_variant){.count = 0}, at, false, &c->full, m->job, m->status));
    EB_TRY(eb_evidence_of(m->witness, &c->choice[0], at, false, &c->evidence[0], m->job, m->status));
    *made = is_told(m->clues, &c->choice[0], &c->evidence[0], &c->full);
    return EB_OK;
}

static eb_code choose_right(making *m)
{
    enum { ONE_IN = 5 }; /* one case in five has two switches off */
    const bool two = eb_random_below(&m->state, ONE_IN) == 0;
    bool made = false;
    for (int k = 0; k < TRIES && !made; k++)
        EB_TRY(two && k < TRIES / 2 ? try_two(m, &made) : try_one(m, &made));
    return made ? EB_OK : eb_fail(m->status, EB_INTERNAL, "no variant of the kernel can be told by its counters");
}

/* ---- the other answers ---- */

/* All names are those of the clues. */
static bool is_same(const eb_variant *a, const eb_variant *b)
{
    return a->count == b->count && a->off[0] == b->off[0] && a->off[1] == b->off[1];
}

/* Adds a wrong answer if it is new and its evidence differs from what is shown. */
static eb_code offer(making *m, const eb_variant *variant)
{
    eb_case *c = m->c;
    eb_evidence *e = &c->evidence[c->choices];
    for (size_t k = 0; k < c->choices; k++)
        if (is_same(&c->choice[k], variant))
            return EB_OK;
    EB_TRY(eb_evidence_of(m->witness, variant, c->full.d, c->evidence[0].counted, e, m->job, m->status));
    if (strcmp(e->spec, c->evidence[0].spec) == 0)
        return EB_OK;
    c->choice[c->choices++] = *variant;
    if (distance(eb_case_refutes(c, m->clues, c->choices - 1), e, &c->evidence[0]) <= apart)
        c->choices--;
    return EB_OK;
}

static eb_code offer_others(making *m)
{
    eb_case *c = m->c;
    const eb_variant right = c->choice[0];
    for (size_t k = 0; k < right.count && right.count > 1; k++)
        EB_TRY(offer(m, &(eb_variant){{right.off[k]}, 1}));
    for (int k = 0; k < TRIES && c->choices < EB_CASE_CHOICES; k++) {
        const char *other = m->clues->told[eb_random_below(&m->state, m->clues->count)].name;
        eb_variant variant = {{other}, 1};
        if (c->choices == EB_CASE_CHOICES - 1 && k < TRIES / 2) /* the last one: another pair */
            variant = (eb_variant){{right.off[0], other}, 2};
        if (variant.count == 1 || strcmp(right.off[0], other) != 0)
            EB_TRY(offer(m, &variant));
    }
    return EB_OK;
}

/* Puts the right answer at a random place. */
static void place_right(making *m)
{
    eb_case *c = m->c;
    c->right = eb_random_below(&m->state, c->choices);
    const eb_variant variant = c->choice[0];
    const eb_evidence evidence = c->evidence[0];
    c->choice[0] = c->choice[c->right];
    c->evidence[0] = c->evidence[c->right];
    c->choice[c->right] = variant;
    c->evidence[c->right] = evidence;
}

eb_code eb_case_make(const eb_witness *witness, const eb_clues *clues, uint64_t seed, uint64_t number, eb_case *out,
                     eb_job *job, eb_status *status)
{
    making m = {witness, clues, out, eb_random_of(seed) ^ eb_random_of(~number), job, status};
    *out = (eb_case){.number = number, .choices = 1};
    EB_TRY(choose_right(&m));
    EB_TRY(offer_others(&m));
    place_right(&m);
    return EB_OK;
}
