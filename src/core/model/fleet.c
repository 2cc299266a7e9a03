#include "core/model/fleet.h"

#include <math.h>

const eb_fleet_rates eb_fleet_usual = {
#define RATE(name, value, unit, what, source) .name = (value),
#include "core/model/fleet_rows.h"
#undef RATE
};

/* PAIR: its two numbers. HIT: a pair with FP64's squared distance, as engines hand it to the host (engine.h). */
enum { COLUMN = 4, PAIR = 8, HIT = 16, OFFSET = 8 };

/* Entries of a chunk of rows (kernels/rows/made_rows.cuh), of which two are on the GPU. */
static const double chunk_entries = 1 << 25;

/* The shares of a GPU's memory that the engines on tiles give to points (kernels/tiled/points.cu). */
static const double resident_share = 0.75, block_share = 1.0 / 3;

/* From how many bytes on kernels begin while points arrive, and the part that they wait for at a time
 * (kernels/tiled/points.cuh, runs.cuh). */
static const double arriving_bytes = 64 << 20, arriving_together = 256 << 20, arriving_step = 1.0 / 16;

typedef struct sizes {
    double shares, points, entries, ends; /* points: bytes as loaded; ends: of pairs, two a pair */
    bool alone, gpus;                     /* one host; shares are of GPUs */
} sizes;

static sizes sizes_of(const eb_fleet_work *w, const eb_fleet *f)
{
    const double ends = w->counts ? 0 : w->n * w->selectivity;
    return (sizes){.shares = (double)f->hosts * (f->machine ? f->gpus : 1),
                   .points = w->n * w->d * w->value_bytes,
                   .entries = w->counts ? 0 : ends + w->n,
                   .ends = ends,
                   .alone = f->hosts == 1,
                   .gpus = f->machine != NULL};
}

void eb_fleet_take_kernel(eb_fleet_work *work, const eb_engine *engine, const eb_kernel_plan *kernel)
{
    const double loaded = work->d * work->value_bytes, point = (double)kernel->point_bytes,
                 bytes = eb_number_type_of(kernel->number)->bytes;
    const bool keeps_loaded = kernel->filters && bytes < work->value_bytes, /* for FP64 (kernels/tiled/points.cuh) */
        integers = engine->exactness != EB_APPROXIMATE && kernel->number != EB_F64_NUMBER && !kernel->filters;
    work->stored_bytes = point + (keeps_loaded ? loaded : 0);
    work->copied_bytes = keeps_loaded ? loaded : point;
    work->filter_bytes = kernel->filters ? bytes : 0;
    work->arrives = kernel->arrives;
    work->squared_bytes = engine->f32_distances || integers ? 4 : 8;
}

static double smaller(double a, double b) { return a < b ? a : b; }

/* Sets a part: bytes of all hosts, and the seconds of the busiest link. */
static void take(eb_fleet_cost *c, eb_fleet_part part, double bytes, double seconds)
{
    c->bytes[part] = bytes;
    c->seconds[part] = seconds;
}

/* ---- memory ---- */

static void predict_gpu_memory(const eb_fleet_work *w, const eb_fleet *f, const sizes *s, eb_fleet_cost *c)
{
    const double all = f->machine->capacity_bytes, points = w->n * w->stored_bytes, pair = PAIR + w->squared_bytes,
                 got = s->alone && s->shares > 1 ? s->ends / s->shares : 0,
                 rows =
                     s->alone ? 2 * smaller(chunk_entries, s->entries / s->shares) * (COLUMN + w->distance_bytes) : 0;
    c->blocks = points <= resident_share * all ? 1 : ceil(points / (block_share * all));
    c->points_bytes = c->blocks > 1 ? 2 * block_share * all : points;
    const double pairs = (s->ends / 2 / s->shares + got) * pair, room = all - c->points_bytes - rows;
    c->pairs_bytes = smaller(pairs, room);
    c->gpu_bytes = c->points_bytes + c->pairs_bytes + rows;
    if (s->alone && pairs > room) /* in a range of rows each pair has one end, and all ends of its share come in turn */
        c->rounds = fmax(c->rounds, ceil(fmax(pairs, s->ends / s->shares * pair) / room));
}

/* Bytes of a host's rows. */
static double rows_bytes(const eb_fleet_work *w, const eb_fleet *f, const sizes *s)
{
    return w->counts ? 0 : (s->entries * (COLUMN + w->distance_bytes) + OFFSET * w->n) / f->hosts;
}

/* A block, and two that pass by. */
static double blocks_bytes(const eb_fleet *f, const sizes *s) { return s->points * smaller(3, f->hosts) / f->hosts; }

static void predict_rank_memory(const eb_fleet_work *w, const eb_fleet *f, const sizes *s, eb_fleet_cost *c)
{
    const bool limited = f->memory_bytes > 0;
    c->in_blocks = limited && s->points >= f->memory_bytes && w->truth && !s->alone;
    const double pairs = s->alone ? 0 : s->ends / f->hosts * HIT, rows = rows_bytes(w, f, s),
                 held = c->in_blocks ? blocks_bytes(f, s) : s->points, needed = held + pairs + rows;
    const bool fits = !limited || needed <= f->memory_bytes;
    c->rank_holds_the_points = !limited || held < f->memory_bytes;
    c->written = !w->counts && (w->written || !fits);
    c->rank_bytes = fits ? needed : f->memory_bytes;
    if (s->alone && !fits && c->rank_holds_the_points)
        c->rounds = ceil(rows / (f->memory_bytes - s->points));
}

/* ---- time ---- */

/* For a coordinate of a pair. */
static double decision_s(const eb_fleet_work *w, const eb_fleet_rates *r)
{
    const double decide = w->filter_bytes < 2 ? r->decide_8_s : r->decide_s;
    return decide + (!w->counts && w->distance_bytes > 0 ? r->distance_s : 0);
}

/* What an upload adds to kernels that begin while points arrive. */
static double waited_s(double upload_s, double kernels_s)
{
    const double most = 1 - arriving_step, at = kernels_s > 0 ? upload_s / 2 / kernels_s : most;
    return at < most ? arriving_step * upload_s + upload_s * at / 2 : upload_s - most * most * kernels_s;
}

static void predict_gpu(const eb_fleet_work *w, const eb_fleet *f, const eb_fleet_rates *r, const sizes *s,
                        eb_fleet_cost *c)
{
    const eb_machine *m = f->machine;
    /* A share of 1/P of the pairs of blocks uploads each block that it needs, and no less than all once. */
    const double uploads = fmax(1, (c->blocks + 1) / 2 / s->shares), uploaded = s->points * uploads,
                 by_link = uploaded / (m->host_bytes_s * r->upload_share), link_s = m->peer_bytes_s * r->peer_share;
    /* Each uploads a part and copies the others', as stored if kernels run meanwhile. */
    const bool together = s->alone && s->shares > 1 && c->blocks == 1;
    const bool beside =
        w->arrives && s->alone && c->blocks == 1 && s->points >= (together ? arriving_together : arriving_bytes);
    const double copied = together ? (beside ? s->points : w->n * w->copied_bytes) * (f->gpus - 1) : 0,
                 copying_s = beside ? 0 : copied / f->gpus / link_s,
                 by_host = fmax(by_link / s->shares, s->points / r->packed_bytes_s);
    const double upload_s = r->upload_s + (together ? by_host : by_link);
    take(c, EB_FLEET_UPLOAD, together ? s->points : uploaded * s->shares,
         beside ? r->arriving_s + waited_s(upload_s, w->kernels_s / s->shares) : upload_s);
    take(c, EB_FLEET_EXCHANGE, copied, copying_s);
    if (w->filter_bytes > 0)
        take(c, EB_FLEET_DECIDE, 0, w->n * w->selectivity / 2 * w->d * decision_s(w, r) / s->shares);
    if (w->counts)
        return;
    if (!s->alone) {
        const double hits = s->ends / 2 * HIT;
        take(c, EB_FLEET_DOWNLOAD, hits, hits / s->shares / (m->host_bytes_s * r->download_share));
        return;
    }
    /* Each reads all pairs that the others found. */
    const double mine = s->entries / s->shares, table = s->entries * (COLUMN + w->distance_bytes),
                 sent = s->ends / 2 * (PAIR + w->squared_bytes) * (f->gpus - 1);
    take(c, EB_FLEET_EXCHANGE, copied + sent, copying_s + sent / f->gpus / link_s);
    take(c, EB_FLEET_ORDER, 0, r->rows_s + mine * r->degree_s);
    take(c, EB_FLEET_ROWS, 0, mine * r->fill_s);
    const double download = table / s->shares / (m->host_bytes_s * r->download_share), fill = table / r->fresh_bytes_s;
    c->fills = fill > download;
    take(c, EB_FLEET_DOWNLOAD, table, fmax(download, fill));
}

/* Of the blocks half way round, every rank gets each; where two ranks meet at the end, one gets half of the other's. */
static void predict_blocks(const eb_fleet *f, const sizes *s, eb_fleet_cost *c)
{
    const double others = f->hosts - 1, passing = s->points * (floor(others / 2) + (f->hosts % 2 == 0 ? 0.75 : 0)),
                 first = s->points * others / f->hosts;
    take(c, EB_FLEET_POINTS, first, first / f->link_bytes_s);
    take(c, EB_FLEET_BLOCKS, passing, passing / f->hosts / f->link_bytes_s);
}

static void predict_hosts(const eb_fleet_work *w, const eb_fleet *f, const eb_fleet_rates *r, const sizes *s,
                          eb_fleet_cost *c)
{
    /* Where ranks hold blocks, who finds a pair of two blocks owns one of its ends. */
    const double others = f->hosts - 1, sent = s->ends * HIT * others / f->hosts / (c->in_blocks ? 2 : 1),
                 threads = f->threads > 0 ? f->threads : r->host_threads * f->gpus;
    if (c->written)
        take(c, EB_FLEET_DISK, rows_bytes(w, f, s) * f->hosts, rows_bytes(w, f, s) / f->disk_bytes_s);
    if (s->alone)
        return;
    if (c->in_blocks)
        predict_blocks(f, s, c);
    else
        take(c, EB_FLEET_POINTS, s->points * others, s->points / f->link_bytes_s);
    if (w->counts)
        return;
    take(c, EB_FLEET_PAIRS, sent, sent / f->hosts / f->link_bytes_s);
    take(c, EB_FLEET_ROWS, 0, s->entries / f->hosts * r->host_entry_s / threads);
}

/* Parts of the same stage go on at the same time. */
enum { STAGES = EB_FLEET_PARTS };
static unsigned stage_of(eb_fleet_part part, bool alone)
{
    if (part == EB_FLEET_PAIRS || part == EB_FLEET_BLOCKS || (part == EB_FLEET_DOWNLOAD && !alone))
        return EB_FLEET_KERNELS;
    return part == EB_FLEET_DOWNLOAD || part == EB_FLEET_DISK ? EB_FLEET_ROWS : part;
}

static void add_up(eb_fleet_cost *c, bool alone)
{
    double stage[STAGES] = {0};
    for (unsigned k = 0; k < EB_FLEET_PARTS; k++) {
        double *of = &stage[stage_of((eb_fleet_part)k, alone)];
        *of = fmax(*of, c->seconds[k]);
        if (c->seconds[k] > c->seconds[c->longest])
            c->longest = (eb_fleet_part)k;
    }
    for (unsigned k = 0; k < STAGES; k++)
        c->total_s += stage[k];
}

void eb_fleet_predict(const eb_fleet_work *work, const eb_fleet *fleet, const eb_fleet_rates *rates, eb_fleet_cost *out)
{
    const sizes s = sizes_of(work, fleet);
    *out = (eb_fleet_cost){.blocks = 1, .rounds = 1, .gpus = s.gpus};
    const double choice_s = work->chooses ? rates->choice_s + work->d * rates->sampled_s : 0;
    take(out, EB_FLEET_START, 0, s.gpus ? rates->start_s + choice_s : 0);
    predict_rank_memory(work, fleet, &s, out);
    if (s.gpus) {
        predict_gpu_memory(work, fleet, &s, out);
        predict_gpu(work, fleet, rates, &s, out);
    } else if (s.alone) {
        take(out, EB_FLEET_ROWS, 0, work->table_s);
    }
    predict_hosts(work, fleet, rates, &s, out);
    take(out, EB_FLEET_KERNELS, 0, work->kernels_s / s.shares * (out->rounds > 1 ? 2 : 1));
    add_up(out, s.alone);
}

const char *eb_fleet_limit(const eb_fleet_cost *cost)
{
    static const char *const of[] = {[EB_FLEET_START] = "opening the engine",
                                     [EB_FLEET_POINTS] = "the link between hosts for points",
                                     [EB_FLEET_BLOCKS] = "the link between hosts for blocks",
                                     [EB_FLEET_UPLOAD] = "the upload to the GPUs",
                                     [EB_FLEET_KERNELS] = "the kernels",
                                     [EB_FLEET_DECIDE] = "FP64's decisions",
                                     [EB_FLEET_PAIRS] = "the link between hosts for pairs",
                                     [EB_FLEET_EXCHANGE] = "the link between GPUs",
                                     [EB_FLEET_ORDER] = "placing rows",
                                     [EB_FLEET_ROWS] = "making rows",
                                     [EB_FLEET_DOWNLOAD] = "the download from the GPUs",
                                     [EB_FLEET_DISK] = "the disk"};
    return cost->longest == EB_FLEET_KERNELS && !cost->gpus    ? "the processors"
           : cost->longest == EB_FLEET_DOWNLOAD && cost->fills ? "the host's memory for the table"
                                                               : of[cost->longest];
}
