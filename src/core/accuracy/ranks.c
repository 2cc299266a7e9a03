#include "core/accuracy/ranks.h"

#include <math.h>
#include <stdlib.h>

#define KEPT_SHARE 0.999 /* of the truth's nearest, for `rescore` */

typedef struct ranking {
    const eb_near_pairs *sample;
    const eb_opened *opened;
    eb_ranks *out;
    size_t k;
    double unit;
    double *s;        /* [n] of one query's points, as computed */
    uint32_t *column; /* [n] their rows; only these are computed */
    uint32_t *query;  /* [n] the query's row, repeated */
    uint32_t *rank;   /* [queries × k] points that the engine finds nearer than each of the truth's k nearest */
    double recall, tau;
    size_t ordered; /* queries that have a tau */
    uint64_t found; /* pairs at complete_eps */
} ranking;

/* ---- one query ---- */

/* The engine's distances of one query and the first `count` of its columns, left in r->s. */
static eb_code ask(ranking *r, size_t q, size_t count, eb_status *status)
{
    for (size_t c = 0; c < count; c++)
        r->query[c] = r->sample->row[q];
    EB_TRY(eb_ask_pairs(r->opened, r->query, r->column, count, r->s, status));
    for (size_t c = 0; c < count; c++)
        r->s[c] = eb_distance_of(r->s[c], r->unit);
    return EB_OK;
}

/* The columns within `reach` by the truth, from the points kept if these are enough, else all. */
static size_t columns_within(ranking *r, size_t q, double reach)
{
    const eb_near_pairs *sample = r->sample;
    const eb_near_row *near = sample->nearest + q * sample->kept;
    const size_t n = sample->dataset->n;
    size_t count = 0;
    if (sample->kept == n - 1 || reach < near[sample->kept - 1].far) {
        for (; count < sample->kept && near[count].far <= reach; count++)
            r->column[count] = near[count].row;
        return count;
    }
    for (size_t j = 0; j < n; j++)
        if (j != sample->row[q])
            r->column[count++] = (uint32_t)j;
    return count;
}

static int by_distance(const void *a, const void *b)
{
    const eb_near_row x = *(const eb_near_row *)a, y = *(const eb_near_row *)b;
    return eb_nearer(x, y) ? -1 : eb_nearer(y, x);
}

/* Number of sorted[0 … k) that are nearer than `one`. */
static size_t below(const eb_near_row *sorted, size_t k, eb_near_row one)
{
    size_t low = 0;
    for (size_t high = k; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (eb_nearer(sorted[middle], one))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The ranks of the truth's k nearest among the `count` columns computed. mine: [k] as the engine has them, sorted. */
static void take_ranks(ranking *r, size_t q, const eb_near_row *mine, size_t count)
{
    uint32_t more[EB_RANKS_MOST_K + 1] = {0}, nearer = 0; /* more[c]: columns before which c of `mine` are nearer */
    for (size_t c = 0; c < count; c++)
        more[below(mine, r->k, (eb_near_row){r->s[c], r->column[c]})]++;
    size_t kept = 0;
    for (size_t c = 0; c < r->k; c++) {
        nearer += more[c]; /* those with at most c of `mine` nearer, and so nearer than mine[c], or mine[c] itself */
        r->rank[q * r->k + c] = nearer - 1;
        kept += nearer - 1 < r->k;
    }
    r->recall += (double)kept / (double)r->k;
}

/* own[k]: the engine's distances of the truth's k nearest, in the truth's order. */
static void take_tau(ranking *r, size_t q, const double *own)
{
    const eb_near_row *near = r->sample->nearest + q * r->sample->kept;
    int64_t same = 0, pairs = 0;
    for (size_t a = 0; a < r->k; a++)
        for (size_t b = a + 1; b < r->k; b++) {
            if (!(near[a].far < near[b].far))
                continue;
            pairs++;
            same += (own[a] < own[b]) - (own[a] > own[b]);
        }
    if (pairs == 0)
        return;
    r->tau += (double)same / (double)pairs;
    r->ordered++;
}

static eb_code rank_query(ranking *r, size_t q, eb_status *status)
{
    const eb_near_row *near = r->sample->nearest + q * r->sample->kept;
    const double complete = r->out->complete_eps;
    eb_near_row mine[EB_RANKS_MOST_K];
    double own[EB_RANKS_MOST_K], farthest = 0;
    for (size_t c = 0; c < r->k; c++)
        r->column[c] = near[c].row;
    EB_TRY(ask(r, q, r->k, status));
    for (size_t c = 0; c < r->k; c++) {
        own[c] = isnan(r->s[c]) ? INFINITY : r->s[c];
        mine[c] = (eb_near_row){own[c], near[c].row};
        farthest = fmax(farthest, own[c]);
    }
    take_tau(r, q, own);
    qsort(mine, r->k, sizeof *mine, by_distance);
    const double most = isfinite(complete) ? fmax(farthest, complete) : farthest;
    const size_t count = columns_within(r, q, isfinite(most) ? eb_reach_eps(r->opened, most) : INFINITY);
    EB_TRY(ask(r, q, count, status));
    for (size_t c = 0; c < count; c++) {
        r->s[c] = isnan(r->s[c]) ? INFINITY : r->s[c];
        r->found += isfinite(complete) && r->s[c] <= complete;
    }
    take_ranks(r, q, mine, count);
    return EB_OK;
}

/* ---- all queries ---- */

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static double rescored(ranking *r)
{
    const size_t all = r->sample->queries * r->k;
    qsort(r->rank, all, sizeof *r->rank, ascending);
    const size_t last = (size_t)ceil(KEPT_SHARE * (double)all) - 1;
    return fmax(1, ((double)r->rank[last] + 1) / (double)r->k);
}

static eb_code rank_all(ranking *r, eb_status *status)
{
    const eb_near_pairs *sample = r->sample;
    eb_ranks *out = r->out;
    eb_job_phase(r->opened->context.job, "order of neighbours", sample->queries);
    out->complete_eps = eb_complete_eps(r->opened, sample->eps);
    for (size_t q = 0; q < sample->queries; q++) {
        EB_TRY(rank_query(r, q, status));
        eb_job_advance(r->opened->context.job, 1);
    }
    out->recall = r->recall / (double)sample->queries;
    out->tau = r->ordered ? r->tau / (double)r->ordered : (double)NAN;
    out->rescore = rescored(r);
    out->price =
        isfinite(out->complete_eps) && sample->within > 0 ? (double)r->found / (double)sample->within : (double)NAN;
    return EB_OK;
}

eb_code eb_ranks_measure(const eb_near_pairs *sample, const eb_setup *setup, size_t k, eb_job *job, eb_ranks *out,
                         eb_status *status)
{
    const eb_problem problem = eb_self_join(sample->dataset);
    const size_t n = sample->dataset->n, used = k < sample->kept ? k : sample->kept;
    eb_opened opened;
    *out = (eb_ranks){.queries = sample->queries,
                      .k = used,
                      .recall = (double)NAN,
                      .tau = (double)NAN,
                      .rescore = (double)NAN,
                      .complete_eps = INFINITY,
                      .price = (double)NAN};
    if (used == 0)
        return EB_OK;
    EB_TRY(eb_problem_open(setup, &problem, job, &opened, status));
    ranking r = {.sample = sample,
                 .opened = &opened,
                 .out = out,
                 .k = used,
                 .unit = ldexp(1, -opened.scaling.exponent),
                 .s = malloc(n * sizeof *r.s),
                 .column = malloc(n * sizeof *r.column),
                 .query = malloc(n * sizeof *r.query),
                 .rank = malloc(sample->queries * used * sizeof *r.rank)};
    const bool room = r.s && r.column && r.query && r.rank;
    const eb_code failed = room ? rank_all(&r, status) : eb_fail_memory(status, "ranks", n * 16);
    free(r.s);
    free(r.column);
    free(r.query);
    free(r.rank);
    eb_problem_close(&opened);
    return failed;
}
