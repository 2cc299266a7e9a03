#include "core/model/cache.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/random.h"

#define NOBODY UINT32_MAX
enum { MOST_PARTS = 2 };

/* Tiles that workers drift apart, and the share of L2 that a worker's drift may ask for. */
static const double drift_tiles = 15, drift_of_l2 = 0.14;

/* ---- one part: units, last used first, as a list through arrays ---- */

typedef struct part {
    uint32_t *newer, *older; /* [units]; NOBODY: the end */
    bool *here;              /* [units] */
    uint32_t newest, oldest, count, room;
} part;

static void unlink_unit(part *of, uint32_t unit)
{
    const uint32_t newer = of->newer[unit], older = of->older[unit];
    *(newer == NOBODY ? &of->newest : &of->older[newer]) = older;
    *(older == NOBODY ? &of->oldest : &of->newer[older]) = newer;
}

static void make_newest(part *of, uint32_t unit)
{
    of->newer[unit] = NOBODY;
    of->older[unit] = of->newest;
    *(of->newest == NOBODY ? &of->oldest : &of->newer[of->newest]) = unit;
    of->newest = unit;
}

/* Whether it was there; it is afterwards. */
static bool touch(part *of, uint32_t unit)
{
    const bool hit = of->here[unit];
    if (hit) {
        unlink_unit(of, unit);
    } else if (of->count == of->room) {
        const uint32_t last = of->oldest;
        unlink_unit(of, last);
        of->here[last] = false;
    } else {
        of->count++;
    }
    make_newest(of, unit);
    of->here[unit] = true;
    return hit;
}

/* ---- the replay ---- */

typedef struct worker {
    uint64_t number; /* of its run */
    eb_worker_run run;
    uint32_t done; /* tiles of it */
    unsigned late; /* ticks before it begins */
    double within; /* of a tick */
} worker;

typedef struct replay {
    const eb_kernel_plan *plan;
    uint64_t end;
    unsigned workers, parts;
    worker *worker; /* [workers] in the order in which they come in a tick */
    part part[MOST_PARTS];
    uint32_t points; /* of a panel */
    double lookups, hits, asked, missed, tiles;
} replay;

static double drift_of(const eb_kernel_plan *plan, const eb_machine *machine, double panel_bytes)
{
    if (plan->in_step)
        return 1;
    return fmin(drift_tiles, drift_of_l2 * machine->l2_bytes / panel_bytes);
}

static int by_time(const void *a, const void *b)
{
    const double x = ((const worker *)a)->within, y = ((const worker *)b)->within;
    return (x > y) - (x < y);
}

static eb_code begin_part(part *of, uint32_t units, uint32_t room, eb_status *status)
{
    *of = (part){.newest = NOBODY, .oldest = NOBODY, .room = room > 0 ? room : 1};
    of->newer = malloc(units * sizeof *of->newer);
    of->older = malloc(units * sizeof *of->older);
    of->here = calloc(units, sizeof *of->here);
    return of->newer && of->older && of->here
               ? EB_OK
               : eb_fail_memory(status, "a cache's units", units * (2 * sizeof *of->newer + sizeof *of->here));
}

static eb_code begin_replay(replay *r, const eb_machine *machine, double *drift, eb_status *status)
{
    const eb_kernel_plan *plan = r->plan;
    r->points = plan->rows > plan->columns ? plan->rows : plan->columns;
    r->parts = machine->l2_parts > 1 ? 2 : 1;
    r->end = plan->numbers < EB_MOST_REPLAYED ? plan->numbers : EB_MOST_REPLAYED;
    const double panel_bytes = (double)r->points * (double)plan->point_bytes;
    *drift = drift_of(plan, machine, panel_bytes);
    r->worker = calloc(r->workers, sizeof *r->worker);
    if (!r->worker)
        return eb_fail_memory(status, "workers", r->workers * sizeof *r->worker);
    uint64_t random = 1;
    for (unsigned w = 0; w < r->workers; w++) {
        const double late = (double)eb_random_below(&random, 1u << 20) / (1u << 20) * *drift;
        r->worker[w] = (worker){.number = w, .late = (unsigned)late, .within = late - floor(late)};
    }
    for (unsigned w = 0; w < r->workers; w++)
        r->worker[w].run = r->worker[w].number < r->end ? plan->run(plan, r->worker[w].number) : (eb_worker_run){0};
    qsort(r->worker, r->workers, sizeof *r->worker, by_time);
    const uint32_t units = (uint32_t)(2 * (plan->n / r->points + 1));
    for (unsigned p = 0; p < r->parts; p++)
        EB_TRY(begin_part(&r->part[p], units, (uint32_t)fmin(machine->l2_bytes / r->parts / (panel_bytes / 2), units),
                          status));
    return EB_OK;
}

static void end_replay(replay *r)
{
    for (unsigned p = 0; p < MOST_PARTS; p++) {
        free(r->part[p].newer);
        free(r->part[p].older);
        free(r->part[p].here);
    }
    free(r->worker);
}

/* A worker beside part `near` asks for one side of its tile: `points` of them from row or column `tile` of tiles. */
static void ask(replay *r, unsigned near, uint32_t tile, uint32_t points)
{
    const uint32_t panel = (uint32_t)((uint64_t)tile * points / r->points);
    const double weight = (double)points / (double)r->points;
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t unit = 2 * panel + half, home = half % r->parts;
        bool hit = touch(&r->part[near], unit);
        r->asked += weight;
        r->lookups += weight;
        if (!hit && home != near) {
            hit = touch(&r->part[home], unit);
            r->lookups += weight;
        }
        r->hits += hit ? weight : 0;
        r->missed += hit ? 0 : weight;
    }
}

static void take_tile(replay *r, worker *of)
{
    const eb_kernel_plan *plan = r->plan;
    const unsigned near = (unsigned)(of->number % r->workers) % r->parts;
    if (of->done == 0 || !plan->keeps_rows)
        ask(r, near, of->run.row, plan->rows);
    ask(r, near, of->run.column + of->done, plan->columns);
    r->tiles++;
    of->done++;
}

/* A worker's next tile, if it has one left. A number outside the matrix takes a tick as well: else workers that meet
 * more of those would run away, which waiting for L2 prevents. */
static bool step(replay *r, worker *of)
{
    if (of->done == of->run.count) {
        of->number += r->workers;
        if (of->number >= r->end)
            return false;
        of->run = r->plan->run(r->plan, of->number);
        of->done = 0;
    }
    if (of->run.count > 0)
        take_tile(r, of);
    return true;
}

static eb_code run_ticks(replay *r, eb_job *job, eb_status *status)
{
    bool more = true;
    for (unsigned tick = 0; more; tick++) {
        more = false;
        for (unsigned w = 0; w < r->workers; w++)
            more |= tick < r->worker[w].late || step(r, &r->worker[w]);
        EB_TRY(eb_job_check(job, status));
    }
    return EB_OK;
}

double eb_tiles_inside(const eb_kernel_plan *plan)
{
    const double rows = ceil((double)plan->n / plan->rows), columns = ceil((double)plan->n / plan->columns);
    const double side = plan->rows > plan->columns ? plan->rows : plan->columns, squares = ceil((double)plan->n / side);
    return plan->symmetric ? squares * (squares + 1) / 2 * (side / plan->rows) * (side / plan->columns)
                           : rows * columns;
}

eb_code eb_cache_replay(const eb_kernel_plan *plan, const eb_machine *machine, unsigned workers, eb_job *job,
                        eb_cache_use *out, eb_status *status)
{
    replay r = {.plan = plan, .workers = workers};
    double drift = 0;
    eb_code failed = begin_replay(&r, machine, &drift, status);
    if (!failed)
        failed = run_ticks(&r, job, status);
    end_replay(&r);
    const double tiles = eb_tiles_inside(plan), half_bytes = (double)r.points * (double)plan->point_bytes / 2;
    const double more = r.tiles > 0 ? tiles / r.tiles : NAN;
    *out = (eb_cache_use){.hit_rate = r.hits / r.lookups,
                          .dram_share = r.missed / r.asked,
                          .l2_bytes = r.asked * half_bytes * more,
                          .dram_bytes = r.missed * half_bytes * more,
                          .replayed = 1 / more,
                          .drift = drift};
    return failed;
}
