#include "shell/lab/plan_report.h"

#include <math.h>
#include <stdio.h>

#include "draw/format.h"

enum { WORD = 64, SHAPES = 32 };

/* Texts like "12.3 ms", valid until the end of the block. */
#define BRIEF(x, unit) eb_format_brief((char[WORD]){0}, WORD, eb_real(x), (unit))
#define TIME(x) BRIEF(x, EB_SECONDS)
#define BYTES(x) BRIEF(x, EB_BYTES)

typedef struct shape {
    eb_fleet fleet;
    eb_fleet_cost cost;
} shape;

static bool has_gpus(const eb_planned *p) { return p->fleet.machine != NULL; }

static double shares_of(const eb_planned *p, const eb_fleet *f)
{
    return has_gpus(p) ? (double)f->hosts * f->gpus : f->hosts;
}

static shape shape_of(const eb_planned *p, unsigned hosts, unsigned gpus)
{
    shape s = {.fleet = p->fleet};
    s.fleet.hosts = hosts;
    s.fleet.gpus = gpus;
    eb_fleet_predict(&p->work, &s.fleet, &eb_fleet_usual, &s.cost);
    return s;
}

/* "8 hosts of 8 GPUs", "one GPU". Returns buffer. */
static const char *shape_words(const eb_planned *p, const eb_fleet *f, char *buffer, size_t size)
{
    char gpus[WORD] = "";
    if (has_gpus(p))
        (void)snprintf(gpus, sizeof gpus, f->gpus == 1 ? "one GPU" : "%u GPUs", f->gpus);
    if (f->hosts == 1)
        (void)snprintf(buffer, size, "%s", has_gpus(p) ? gpus : "one host");
    else
        (void)snprintf(buffer, size, "%u hosts%s%s", f->hosts, has_gpus(p) ? " of " : "", gpus);
    return buffer;
}

/* ---- the plan: one share beside the asked shape ---- */

/* A part that neither shape has is for programs only. */
static const eb_column *seen(const eb_column *with_title, bool any) { return any ? with_title : with_title + 1; }
#define SEEN(field, part) seen(EB_F(field), one->cost.part > 0 || asked->cost.part > 0)
#define SECONDS_OF(field, part) SEEN(field, seconds[part])
#define BYTES_OF(field, part) SEEN(field, bytes[part])

static eb_value whole(double x) { return eb_uint((uint64_t)round(x)); }

static void add_shape(eb_table *table, const eb_planned *p, const shape *one, const shape *s)
{
    const eb_fleet_cost *c = &s->cost;
    char words[2 * WORD];
    EB_ROW(table, eb_text(shape_words(p, &s->fleet, words, sizeof words)), eb_uint(s->fleet.hosts),
           has_gpus(p) ? eb_uint(s->fleet.gpus) : eb_na(), eb_real(c->seconds[EB_FLEET_START]),
           eb_real(c->seconds[EB_FLEET_POINTS]), eb_real(c->seconds[EB_FLEET_BLOCKS]),
           eb_real(c->seconds[EB_FLEET_UPLOAD]), eb_real(c->seconds[EB_FLEET_KERNELS]),
           eb_real(c->seconds[EB_FLEET_DECIDE]), eb_real(c->seconds[EB_FLEET_PAIRS]),
           eb_real(c->seconds[EB_FLEET_EXCHANGE]), eb_real(c->seconds[EB_FLEET_ORDER]),
           eb_real(c->seconds[EB_FLEET_ROWS]), eb_real(c->seconds[EB_FLEET_DOWNLOAD]),
           eb_real(c->seconds[EB_FLEET_DISK]), eb_real(c->total_s), eb_real(one->cost.total_s / c->total_s),
           eb_text(eb_fleet_limit(c)), whole(c->bytes[EB_FLEET_POINTS]), whole(c->bytes[EB_FLEET_BLOCKS]),
           whole(c->bytes[EB_FLEET_UPLOAD]), whole(c->bytes[EB_FLEET_PAIRS]), whole(c->bytes[EB_FLEET_EXCHANGE]),
           whole(c->bytes[EB_FLEET_DOWNLOAD]), whole(c->bytes[EB_FLEET_DISK]), whole(c->rank_bytes),
           has_gpus(p) ? whole(c->gpu_bytes) : eb_na(), has_gpus(p) ? whole(c->points_bytes) : eb_na(),
           has_gpus(p) ? whole(c->pairs_bytes) : eb_na(), whole(c->blocks), whole(c->rounds));
}

static void report_shapes(eb_report *report, const eb_planned *p, const shape *one, const shape *asked)
{
    char words[2 * WORD], title[4 * WORD];
    const bool alone = shares_of(p, &asked->fleet) == 1;
    (void)snprintf(title, sizeof title, "The join on %s%s%s", has_gpus(p) ? "one GPU" : "one host",
                   alone ? "" : ", and on ", alone ? "" : shape_words(p, &asked->fleet, words, sizeof words));
    eb_table *table =
        EB_TABLE(report, EB_F(plan), title, EB_F(shape), EB_HIDDEN(hosts), EB_HIDDEN(gpus),
                 SECONDS_OF(start_s, EB_FLEET_START), SECONDS_OF(points_s, EB_FLEET_POINTS),
                 SECONDS_OF(blocks_s, EB_FLEET_BLOCKS), SECONDS_OF(upload_s, EB_FLEET_UPLOAD), EB_F(kernel_s),
                 SECONDS_OF(recheck_s, EB_FLEET_DECIDE), SECONDS_OF(pairs_s, EB_FLEET_PAIRS),
                 SECONDS_OF(exchange_s, EB_FLEET_EXCHANGE), SECONDS_OF(place_s, EB_FLEET_ORDER),
                 SECONDS_OF(rows_s, EB_FLEET_ROWS), SECONDS_OF(download_s, EB_FLEET_DOWNLOAD),
                 SECONDS_OF(disk_s, EB_FLEET_DISK), EB_F(plan_total_s), EB_F(speedup), EB_F(limited_by),
                 BYTES_OF(points_sent_bytes, EB_FLEET_POINTS), BYTES_OF(blocks_sent_bytes, EB_FLEET_BLOCKS),
                 BYTES_OF(uploaded_bytes, EB_FLEET_UPLOAD), BYTES_OF(pairs_sent_bytes, EB_FLEET_PAIRS),
                 BYTES_OF(exchanged_bytes, EB_FLEET_EXCHANGE), BYTES_OF(downloaded_bytes, EB_FLEET_DOWNLOAD),
                 BYTES_OF(disk_bytes, EB_FLEET_DISK), EB_F(rank_bytes), SEEN(gpu_bytes, gpu_bytes),
                 SEEN(gpu_points_bytes, points_bytes), SEEN(gpu_pairs_bytes, pairs_bytes),
                 seen(EB_F(point_blocks), one->cost.blocks > 1),
                 seen(EB_F(row_ranges), one->cost.rounds > 1 || asked->cost.rounds > 1));
    add_shape(table, p, one, one);
    if (!alone)
        add_shape(table, p, one, asked);
    eb_table_turn(table);
}

/* ---- how it scales ---- */

/* A share, then twice as many GPUs again and again up to the host's, then twice as many hosts. Returns the number. */
static size_t make_shapes(const eb_planned *p, shape out[SHAPES])
{
    const unsigned most_gpus = has_gpus(p) ? p->fleet.gpus : 1, most = p->fleet.hosts;
    size_t count = 0;
    for (unsigned gpus = 1; gpus < most_gpus; gpus *= 2)
        out[count++] = shape_of(p, 1, gpus);
    for (unsigned hosts = 1; hosts < most; hosts *= 2)
        out[count++] = shape_of(p, hosts, most_gpus);
    out[count++] = shape_of(p, most, most_gpus);
    return count;
}

static void report_scaling(eb_report *report, const eb_planned *p, const shape *shapes, size_t count)
{
    eb_table *table = EB_TABLE(report, EB_F(scaling), "How it scales", EB_F(hosts), EB_F_IF(has_gpus(p), gpus),
                               EB_F(shares), EB_F(plan_total_s), EB_F(speedup), EB_F(efficiency), EB_F(limited_by));
    for (size_t k = 0; k < count; k++) {
        const eb_fleet_cost *c = &shapes[k].cost;
        const double shares = shares_of(p, &shapes[k].fleet), speedup = shapes[0].cost.total_s / c->total_s;
        EB_ROW(table, eb_uint(shapes[k].fleet.hosts), has_gpus(p) ? eb_uint(shapes[k].fleet.gpus) : eb_na(),
               whole(shares), eb_real(c->total_s), eb_real(speedup), eb_real(speedup / shares),
               eb_text(eb_fleet_limit(c)));
    }
}

/* The least gain of twice as many shares that is worth a note. */
static const double poor_gain = 1.25;

/* Notes from which shape on more shares gain little, if any do. */
static void note_end_of_scaling(eb_report *report, const eb_planned *p, const shape *shapes, size_t count)
{
    char words[2 * WORD];
    size_t last = count - 1;
    while (last > 0) {
        const double more = shares_of(p, &shapes[last].fleet) / shares_of(p, &shapes[last - 1].fleet),
                     gain = shapes[last - 1].cost.total_s / shapes[last].cost.total_s;
        if (pow(gain, log(2) / log(more)) >= poor_gain)
            break;
        last--;
    }
    if (last < count - 1)
        eb_report_note(report, "from %s on, twice as many are less than %.2f times as fast: %s takes longest then",
                       shape_words(p, &shapes[last].fleet, words, sizeof words), poor_gain,
                       eb_fleet_limit(&shapes[last + 1].cost));
}

/* ---- what is assumed ---- */

static void note_kernels(eb_report *report, const eb_planned *p)
{
    const eb_earlier *e = &p->earlier;
    if (e->run > 0 && e->n == (size_t)p->work.n)
        eb_report_note(report, "kernels as measured in run %lld, divided by the number of shares", (long long)e->run);
    else if (e->run > 0)
        eb_report_note(report,
                       "times of run %lld, of %zu points: kernels grow as n², an upper bound for an index; the table "
                       "as n",
                       (long long)e->run, e->n);
    else
        eb_report_note(report,
                       "kernels by the machine model (`model %s n=%.0f d=%.0f on=%s`), divided by the number "
                       "of shares",
                       p->modelled, p->work.n, p->work.d, p->fleet.machine->name);
    if (p->way)
        eb_report_note(report, "assumed: %s", p->way);
    if (p->assumes && e->run == 0)
        eb_report_note(report, "assumed: %s", p->assumes);
    if (p->work.filter_bytes > 0)
        eb_report_note(report, "FP64's decisions take what those of uniform points took; other points leave more pairs "
                               "open, or fewer");
    if (has_gpus(p) && !(p->fleet.machine->measured > 0))
        eb_report_note(
            report,
            "no run on such a GPU was compared with the model: its rates are from data sheets and other GPUs "
            "(`model devices on=%s`)",
            p->fleet.machine->name);
}

static void note_links(eb_report *report, const eb_planned *p, const eb_fleet_cost *c)
{
    const double read_s = p->work.n * p->work.d * p->work.value_bytes / p->fleet.disk_bytes_s;
    if (p->fleet.hosts > 1 && !p->link_given)
        eb_report_note(report, "link= is not given: %.0f Gbit/s between hosts is assumed, one way",
                       8e-9 * p->fleet.link_bytes_s);
    if (c->written && !p->disk_given)
        eb_report_note(report, "disk= is not given: %.0f GB/s for each host is assumed", 1e-9 * p->fleet.disk_bytes_s);
    if (c->written)
        eb_report_note(report, "the rows of each host are written to its own disk while they are made");
    if (p->fleet.hosts > 1 || c->written)
        eb_report_note(report, "loading is not in the time: reading the points at the disk's rate takes %s",
                       TIME(read_s));
}

static void note_memory(eb_report *report, const eb_planned *p, const eb_fleet_cost *one, const eb_fleet_cost *c)
{
    if (one->rounds > 1 && c->rounds == 1)
        eb_report_note(report,
                       "on one %s the result does not fit: each pair is computed from both sides, and kernels "
                       "take twice as long as where it fits",
                       has_gpus(p) ? "GPU" : "host");
    if (c->blocks > 1)
        eb_report_note(report,
                       "the points take %s on a GPU of %s: they stream through it in %.0f blocks, uploaded "
                       "again for each pair of blocks",
                       BYTES(p->work.n * p->work.stored_bytes), BYTES(p->fleet.machine->capacity_bytes), c->blocks);
    if (c->rounds > 1)
        eb_report_note(report,
                       "the result does not fit: %.0f ranges of rows come in turn, each pair is computed from "
                       "both sides, and kernels take twice as long",
                       c->rounds);
    if (c->in_blocks && c->rank_holds_the_points)
        eb_report_note(report,
                       "the points take %s, and a host has memory=%s: each rank holds a block of them, and others "
                       "pass by",
                       BYTES(p->work.n * p->work.d * p->work.value_bytes), BYTES(p->fleet.memory_bytes));
    if (!c->rank_holds_the_points)
        eb_report_warn(report, "the points take %s, and a host has memory=%s: it cannot hold them",
                       BYTES(p->work.n * p->work.d * p->work.value_bytes), BYTES(p->fleet.memory_bytes));
}

static void note_defaults(eb_report *report, const eb_planned *p)
{
    if (!p->S_given)
        eb_report_note(report, "S= is not given: %g neighbours a point are assumed", p->work.selectivity);
    if (!p->gpu_given && has_gpus(p))
        eb_report_note(report, "gpu= is not given: %s is assumed; gpu=cpu plans with processors alone",
                       p->fleet.machine->title);
    if (!p->type_given)
        eb_report_note(report, "type= is not given: coordinates of %.0f bytes (%s) are assumed", p->work.value_bytes,
                       p->dtype);
}

static void conclude(eb_report *report, const eb_planned *p, const shape *one, const shape *asked)
{
    char words[2 * WORD];
    const char *limit = eb_fleet_limit(&asked->cost);
    const char *verb = asked->cost.longest == EB_FLEET_KERNELS ? "limit" : "limits";
    (void)shape_words(p, &asked->fleet, words, sizeof words);
    if (shares_of(p, &asked->fleet) == 1)
        eb_report_conclude(report, "%c%s takes %s: %s %s", words[0] - 'a' + 'A', words + 1, TIME(asked->cost.total_s),
                           limit, verb);
    else
        eb_report_conclude(report, "%s take %s, %s as fast as %s: %s %s", words, TIME(asked->cost.total_s),
                           BRIEF(one->cost.total_s / asked->cost.total_s, EB_RATIO),
                           has_gpus(p) ? "one GPU" : "one host", limit, verb);
}

void eb_report_plan(eb_report *report, const eb_planned *p)
{
    shape shapes[SHAPES];
    const size_t count = make_shapes(p, shapes);
    const shape *one = &shapes[0], *asked = &shapes[count - 1];
    EB_FIELDS(report, {EB_F(engine), eb_text(p->spec)}, {EB_F(device), eb_text(p->device)},
              {EB_F(n), eb_uint((uint64_t)p->work.n)}, {EB_F(d), eb_uint((uint64_t)p->work.d)},
              {EB_F(dtype), eb_text(p->dtype)}, {EB_F(selectivity_brief), eb_real(p->work.selectivity)},
              {EB_F(pairs), whole(p->work.n * (p->work.selectivity + 1))});
    report_shapes(report, p, one, asked);
    if (count > 1)
        report_scaling(report, p, shapes, count);
    note_end_of_scaling(report, p, shapes, count);
    note_memory(report, p, &one->cost, &asked->cost);
    note_kernels(report, p);
    note_links(report, p, &asked->cost);
    note_defaults(report, p);
    conclude(report, p, one, asked);
}
