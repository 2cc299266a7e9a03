#include "core/model/cache.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/base/random.h"
#include "core/model/banks.h"

#define NOBODY UINT32_MAX
#define ABSENT (UINT32_MAX - 1)
enum { MOST_PARTS = 2, PIECES = 8, CANCEL_EVERY = 1 << 16 };

/* Fitted constants, see cache.h; in clocks, except for speeds_apart and l2_kept. */
static const double speeds_apart = 0.0017, tile_apart = 8000, clusters_apart = 5000, begin_apart = 3000, held_up = 6;
static const double paced_slices = 8; /* paced workers are at most so many slices apart (fasted/cuda/pace.cuh) */
static const double l2_kept = 0.87;   /* share of L2 that keeps points as a list by last use would */

/* Clocks until data arrives: from DRAM, and in addition from the other part. */
static const double from_dram = 300, from_other = 100;

/* ---- one part of L2: a list of units, last used first ---- */

typedef struct cached {
    uint32_t newer, older; /* NOBODY: end of the list; newer is ABSENT if the unit is not in the part */
    double ready;          /* time at which the data arrives */
} cached;

typedef struct part {
    cached *unit; /* [units] */
    uint32_t newest, oldest, count, room;
} part;

static void unlink_unit(part *of, uint32_t k)
{
    const uint32_t newer = of->unit[k].newer, older = of->unit[k].older;
    *(newer == NOBODY ? &of->newest : &of->unit[newer].older) = older;
    *(older == NOBODY ? &of->oldest : &of->unit[older].newer) = newer;
}

static void make_newest(part *of, uint32_t k)
{
    of->unit[k].newer = NOBODY;
    of->unit[k].older = of->newest;
    *(of->newest == NOBODY ? &of->oldest : &of->unit[of->newest].newer) = k;
    of->newest = k;
}

/* Makes the unit the newest. Returns whether the part had it. */
static bool touch(part *of, uint32_t k)
{
    const bool hit = of->unit[k].newer != ABSENT;
    if (hit) {
        unlink_unit(of, k);
    } else if (of->count == of->room) {
        const uint32_t last = of->oldest;
        unlink_unit(of, last);
        of->unit[last].newer = ABSENT;
    } else {
        of->count++;
    }
    make_newest(of, k);
    return hit;
}

static eb_code begin_part(part *of, uint32_t units, uint32_t room, eb_status *status)
{
    *of = (part){.newest = NOBODY, .oldest = NOBODY, .room = room > 0 ? room : 1};
    of->unit = malloc(units * sizeof *of->unit);
    if (!of->unit)
        return eb_fail_memory(status, "a cache's units", units * sizeof *of->unit);
    for (uint32_t k = 0; k < units; k++)
        of->unit[k] = (cached){.newer = ABSENT};
    return EB_OK;
}

/* ---- workers and their turns ---- */

typedef struct worker {
    double time, speed; /* speed: factor on the worker's clocks for slices */
    unsigned id;
    uint64_t number; /* of its run */
    eb_worker_run run;
    uint32_t done, piece; /* tiles of the run; pieces of the tile */
    double tiles;         /* total */
} worker;

/* A worker and the time of its next piece. A replay spends most of its time ordering turns. */
typedef struct turn {
    double time;   /* HUGE_VAL: finished */
    size_t worker; /* index */
} turn;

/* A tournament tree: node k keeps the later of the two turns that met there; the earliest turn wins. The winner's next
 * turn plays again on the path to the root. `leaves` is a power of two and at least the number of workers. */
static turn play(turn *node, size_t leaves, turn next)
{
    for (size_t k = (leaves + next.worker) / 2; k > 0; k /= 2) {
        const turn other = node[k];
        const bool loses = other.time < next.time; /* a select, since a branch would be unpredictable */
        node[k].time = loses ? next.time : other.time;
        node[k].worker = loses ? next.worker : other.worker;
        next.time = loses ? other.time : next.time;
        next.worker = loses ? other.worker : next.worker;
    }
    return next;
}

/* ---- the replay ---- */

typedef struct replay {
    const eb_kernel_plan *plan;
    eb_pace pace;
    worker *worker; /* [workers] */
    turn *turns;    /* [leaves]: the tournament's nodes */
    size_t leaves;
    turn first; /* the winner */
    unsigned live, parts;
    uint64_t next, end, random; /* next: next number of a queue */
    part part[MOST_PARTS];
    uint32_t points, pieces; /* of a panel */
    double slices;           /* of a piece */
    double held_up;          /* clocks lost for a slice from DRAM */
    double lookups, hits, asked, missed, tiles, drift;
} replay;

static double random_share(replay *r) { return (double)eb_random_below(&r->random, 1u << 20) / (1u << 20); }

/* Gives the worker its next run after `number`; false: no run is left. */
static bool take_run(replay *r, worker *of, uint64_t number)
{
    for (;; number += r->pace.workers) {
        of->number = r->plan->queued ? r->next++ : number;
        if (of->number >= r->end)
            return false;
        of->run = r->plan->run(r->plan, of->number);
        of->done = of->piece = 0;
        if (of->run.count > 0)
            return true;
        if (r->plan->paced) /* it waits for as long as a tile takes */
            of->time += r->pieces * r->slices * r->pace.slice_clocks + r->pace.tile_clocks;
    }
}

static void begin_workers(replay *r)
{
    for (unsigned id = 0; id < r->pace.workers; id++) {
        const double begins = r->plan->paced ? paced_slices * r->pace.slice_clocks : begin_apart;
        worker w = {.id = id, .time = begins * random_share(r), .speed = 1};
        if (!r->plan->paced)
            w.speed += speeds_apart * random_share(r);
        if (take_run(r, &w, id))
            r->worker[r->live++] = w;
    }
    for (size_t k = 0; k < r->leaves; k++)
        r->turns[k] = (turn){-HUGE_VAL, 0}; /* loses to the first real turn */
    for (size_t k = 0; k < r->leaves; k++)
        r->first = play(r->turns, r->leaves, (turn){k < r->live ? r->worker[k].time : HUGE_VAL, k});
}

/* At least 1. */
static uint32_t common_divisor(uint32_t a, uint32_t b) { return b > 0 ? common_divisor(b, a % b) : a > 0 ? a : 1; }

static eb_code begin_parts(replay *r, double l2_bytes, eb_status *status)
{
    const eb_kernel_plan *plan = r->plan;
    const uint32_t side = plan->rows > plan->columns ? plan->rows : plan->columns; /* a tile's, which may exceed n */
    const uint32_t units = (uint32_t)((plan->n + side) / r->points + 1) * r->pieces;
    const double unit_bytes = (double)r->points * (double)plan->point_bytes / r->pieces;
    for (unsigned p = 0; p < r->parts; p++)
        EB_TRY(begin_part(&r->part[p], units, (uint32_t)fmin(l2_bytes / r->parts / unit_bytes, units), status));
    return EB_OK;
}

static eb_code begin_replay(replay *r, const eb_machine *machine, eb_status *status)
{
    const eb_kernel_plan *plan = r->plan;
    const double slices = ceil((double)plan->point_bytes / 128);
    r->points = common_divisor(plan->rows, plan->columns);
    r->parts = machine->l2_parts > 1 ? 2 : 1;
    r->end = plan->numbers < EB_MOST_REPLAYED ? plan->numbers : EB_MOST_REPLAYED;
    r->pieces = slices < PIECES ? (uint32_t)slices : PIECES;
    r->slices = slices / r->pieces;
    r->held_up = plan->paced ? 0 : plan->stages > 1 ? held_up : from_dram;
    r->random = 1;
    EB_TRY(begin_parts(r, l2_kept * machine->l2_bytes, status));
    for (r->leaves = 1; r->leaves < r->pace.workers;)
        r->leaves *= 2;
    r->worker = calloc(r->pace.workers, sizeof *r->worker);
    r->turns = calloc(r->leaves, sizeof *r->turns);
    if (!r->worker || !r->turns)
        return eb_fail_memory(status, "workers", r->pace.workers * sizeof *r->worker + r->leaves * sizeof *r->turns);
    begin_workers(r);
    return EB_OK;
}

static void end_replay(replay *r)
{
    for (unsigned p = 0; p < MOST_PARTS; p++)
        free(r->part[p].unit);
    free(r->worker);
    free(r->turns);
}

/* Looks the unit up in that part. Returns whether it is a hit: present and arrived. *asked_for: present. */
static bool look(replay *r, part *in, uint32_t unit, double now, bool *asked_for)
{
    *asked_for = touch(in, unit);
    const bool hit = *asked_for && in->unit[unit].ready <= now;
    r->lookups++;
    r->hits += hit;
    return hit;
}

/* Reads a unit. Returns 1 if it comes from DRAM, else 0. */
static double ask(replay *r, const worker *of, uint32_t unit)
{
    const unsigned near = of->id % r->parts, home = (unsigned)((unit * 2654435761u) >> 16) % r->parts;
    bool asked_for;
    r->asked++;
    look(r, &r->part[near], unit, of->time, &asked_for);
    if (asked_for)
        return 0;
    if (home != near) {
        look(r, &r->part[home], unit, of->time, &asked_for);
        const double there = asked_for ? fmax(r->part[home].unit[unit].ready, of->time) : of->time + from_dram;
        r->part[near].unit[unit].ready = there + from_other;
    }
    if (!asked_for)
        r->part[home].unit[unit].ready = of->time + from_dram;
    r->missed += !asked_for;
    return !asked_for;
}

/* Executes the worker's next piece; false: the worker is finished. */
static bool step(replay *r, worker *of)
{
    const eb_kernel_plan *plan = r->plan;
    const uint32_t rows = plan->rows / r->points, columns = plan->columns / r->points; /* panels of a tile's sides */
    const double apart = plan->warpgroups ? clusters_apart : tile_apart;
    double missed = 0;
    for (uint32_t k = 0; k < rows && (of->done == 0 || !plan->keeps_rows); k++)
        missed += ask(r, of, (of->run.row * rows + k) * r->pieces + of->piece) / rows;
    for (uint32_t k = 0; k < columns; k++)
        missed += ask(r, of, ((of->run.column + of->done) * columns + k) * r->pieces + of->piece) / columns;
    of->time += r->slices * (r->pace.slice_clocks * of->speed + r->held_up * missed);
    if (++of->piece < r->pieces)
        return true;
    of->time += r->pace.tile_clocks + (plan->paced ? 0 : apart * random_share(r));
    of->piece = 0;
    of->tiles++;
    r->tiles++;
    return ++of->done < of->run.count || take_run(r, of, of->number + r->pace.workers);
}

/* `first`: the first worker to finish. */
static void note_drift(replay *r, const worker *first)
{
    double least = first->tiles;
    for (unsigned k = 0; k < r->live; k++)
        least = fmin(least, r->worker[k].tiles);
    r->drift = first->tiles - least;
}

static eb_code run_all(replay *r, eb_job *job, eb_status *status)
{
    unsigned left = r->live;
    eb_code failed = EB_OK;
    for (uint64_t k = 0; left > 0 && !failed; k++) {
        worker *now = &r->worker[r->first.worker];
        const bool goes_on = step(r, now);
        if (!goes_on && left-- == r->live)
            note_drift(r, now);
        r->first = play(r->turns, r->leaves, (turn){goes_on ? now->time : HUGE_VAL, r->first.worker});
        if (k % CANCEL_EVERY == 0)
            failed = eb_job_check(job, status);
    }
    return failed;
}

double eb_tiles_inside(const eb_kernel_plan *plan)
{
    const double rows = ceil((double)plan->n / plan->rows), columns = ceil((double)plan->n / plan->columns);
    const double side = plan->rows > plan->columns ? plan->rows : plan->columns, squares = ceil((double)plan->n / side);
    return plan->symmetric ? squares * (squares + 1) / 2 * (side / plan->rows) * (side / plan->columns)
                           : rows * columns;
}

static eb_code replay_all(const eb_kernel_plan *plan, const eb_machine *machine, eb_pace pace, eb_job *job,
                          eb_cache_use *out, eb_status *status)
{
    replay r = {.plan = plan, .pace = pace};
    eb_code failed = begin_replay(&r, machine, status);
    if (!failed)
        failed = run_all(&r, job, status);
    end_replay(&r);
    const double tiles = eb_tiles_inside(plan), more = r.tiles > 0 ? tiles / r.tiles : NAN;
    const double piece_bytes = (double)r.points * (double)plan->point_bytes / r.pieces, asks = eb_asks_a_byte(plan);
    *out = (eb_cache_use){.hit_rate = (r.hits + (asks - 1) * r.asked) / (r.lookups + (asks - 1) * r.asked),
                          .dram_share = r.missed / (asks * r.asked),
                          .l2_bytes = asks * r.asked * piece_bytes * more,
                          .dram_bytes = r.missed * piece_bytes * more,
                          .replayed = 1 / more,
                          .drift = r.drift};
    return failed;
}

/* ---- recent replays ---- */

/* All inputs of a replay. */
typedef struct replay_key {
    eb_worker_run (*run)(const struct eb_kernel_plan *plan, uint64_t number);
    double part[17];
} replay_key;

typedef struct kept_replay {
    replay_key key;
    eb_cache_use use;
} kept_replay;

enum { KEPT = 64 };
static kept_replay kept[KEPT];
static size_t kept_count; /* total; the oldest is overwritten */
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

static replay_key key_of(const eb_kernel_plan *plan, const eb_machine *machine, eb_pace pace)
{
    return (replay_key){plan->run,
                        {(double)plan->variant, (double)plan->n, (double)plan->point_bytes, plan->rows, plan->columns,
                         plan->keeps_rows, plan->stages, plan->symmetric, (double)plan->numbers, plan->queued,
                         plan->paced, eb_asks_a_byte(plan), machine->l2_bytes, machine->l2_parts, pace.workers,
                         pace.slice_clocks, pace.tile_clocks}};
}

static bool same_key(const replay_key *a, const replay_key *b)
{
    bool same = a->run == b->run;
    for (size_t k = 0; k < sizeof a->part / sizeof a->part[0]; k++)
        same = same && a->part[k] == b->part[k];
    return same;
}

static bool find_kept(const replay_key *key, eb_cache_use *out)
{
    bool found = false;
    (void)pthread_mutex_lock(&kept_lock);
    for (size_t k = 0; k < KEPT && k < kept_count && !found; k++) {
        found = same_key(&kept[k].key, key);
        *out = found ? kept[k].use : *out;
    }
    (void)pthread_mutex_unlock(&kept_lock);
    return found;
}

static void keep(const replay_key *key, const eb_cache_use *use)
{
    (void)pthread_mutex_lock(&kept_lock);
    kept[kept_count++ % KEPT] = (kept_replay){*key, *use};
    (void)pthread_mutex_unlock(&kept_lock);
}

eb_code eb_cache_replay(const eb_kernel_plan *plan, const eb_machine *machine, eb_pace pace, eb_job *job,
                        eb_cache_use *out, eb_status *status)
{
    const replay_key key = key_of(plan, machine, pace);
    if (find_kept(&key, out))
        return EB_OK;
    EB_TRY(replay_all(plan, machine, pace, job, out, status));
    keep(&key, out);
    return EB_OK;
}
