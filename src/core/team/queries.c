#include "core/team/queries.h"

#include "core/team/asking.h"

/* Starting threads for members takes some 50 µs: a millisecond's work is shared, in coordinates of pairs. */
#define LEAST_COORDINATES_CPU 1e7
#define LEAST_COORDINATES_GPU 4e9

typedef struct queries {
    const uint32_t *rows;
    size_t m;
    double *out;                   /* of distances */
    eb_bins bins[EB_MOST_MEMBERS]; /* of bins */
} queries;

static unsigned most_members(const eb_members *team, size_t m)
{
    const eb_dataset *right = team->problem->right;
    const double least = team->context->device->kind == EB_DEVICE_CPU ? LEAST_COORDINATES_CPU : LEAST_COORDINATES_GPU;
    if ((double)m * (double)right->n * (double)right->d < least)
        return 1;
    return m < EB_MOST_MEMBERS ? (unsigned)m : EB_MOST_MEMBERS;
}

/* The first query of the k-th that is present; of the one behind the last: m. */
static size_t first_of(const eb_asking *a, unsigned k) { return ((const queries *)a->question)->m * k / a->present; }

static eb_code distances_part(eb_asking *a, unsigned k, eb_status *why)
{
    const queries *q = a->question;
    const size_t first = first_of(a, k), count = first_of(a, k + 1) - first;
    return a->team->engine->distances(a->member[k]->state, q->rows + first, count,
                                      q->out + first * a->team->problem->right->n, why);
}

static eb_code bins_part(eb_asking *a, unsigned k, eb_status *why)
{
    queries *q = a->question;
    const size_t first = first_of(a, k), count = first_of(a, k + 1) - first;
    return a->team->engine->bins(a->member[k]->state, q->rows + first, count, &q->bins[k], why);
}

eb_code eb_team_distances(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status)
{
    eb_members *team = state;
    queries q = {.rows = rows, .m = m, .out = out};
    eb_asking a = {.answer = distances_part, .question = &q};
    eb_code failed;
    do {
        EB_TRY(eb_asking_begin(team, most_members(team, m), &a, status));
        failed = eb_asking_run(&a, status);
    } while (failed && team->was_lost);
    return failed;
}

static eb_code bins_once(eb_members *team, queries *q, eb_bins *out, eb_status *status)
{
    eb_asking a = {.answer = bins_part, .question = q};
    EB_TRY(eb_asking_begin(team, most_members(team, q->m), &a, status));
    for (unsigned k = 0; k < a.present; k++)
        q->bins[k] = (eb_bins){.low = 1};
    eb_code failed = eb_asking_run(&a, status);
    if (!failed && a.present == 1) {
        *out = q->bins[0];
        return EB_OK;
    }
    failed = failed ? failed : eb_bins_join(q->bins, a.present, out, status);
    for (unsigned k = 0; k < a.present; k++)
        eb_bins_free(&q->bins[k]);
    return failed;
}

eb_code eb_team_bins(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status)
{
    eb_members *team = state;
    queries q = {.rows = rows, .m = m};
    eb_code failed;
    do
        failed = bins_once(team, &q, out, status);
    while (failed && team->was_lost);
    return failed;
}
