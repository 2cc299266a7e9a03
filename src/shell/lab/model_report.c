#include "shell/lab/model_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/pipeline.h"
#include "shell/defaults.h"
#include "shell/lab/machine_report.h"
#include "shell/lab/memory_report.h"

/* ---- picture: banks ---- */

/* The plan's first access to shared memory that loads; NULL: it reads points through L1. */
static const eb_shared_access *first_load(const eb_kernel_plan *plan)
{
    for (size_t k = 0; k < plan->accesses; k++)
        if (plan->access[k].loads)
            return &plan->access[k];
    return NULL;
}

enum { PHASES = 8 };

/* Map "bank_map": how many words the first phases of the first load read from each bank. */
static void picture_banks(eb_report *report, const eb_kernel_plan *plan)
{
    const eb_shared_access *access = first_load(plan);
    if (!access)
        return;
    const unsigned together = eb_phase_lanes(access->bytes);
    unsigned words[EB_BANKS], phases = 0;
    char title[96];
    (void)snprintf(title, sizeof title, "Words read from each bank, the first phases of %s", access->title);
    eb_series *series = eb_report_dots(report, EB_F(bank_map), title, EB_HEAT);
    eb_series_axes(series, EB_F(bank), false, EB_F(phase), false);
    eb_series_heat(series, EB_F(words));
    for (size_t k = 0; k < access->instances && phases < PHASES; k++) {
        uint32_t address[EB_WARP] = {0};
        access->addresses(plan, k, address);
        for (unsigned first = 0; first + together <= access->lanes && phases < PHASES; first += together, phases++) {
            eb_bank_words(address + first, together, access->bytes, words);
            for (unsigned bank = 0; bank < EB_BANKS; bank++)
                eb_series_add(series, bank, phases, words[bank], 0);
        }
    }
}

/* ---- picture: the pipeline ---- */

enum { SHOWN_BLOCKS = 2, SHOWN_SLICES = 5 };

static void add_bar(eb_table *table, size_t block, size_t slice, size_t stage, const char *lane, eb_interval bar)
{
    EB_ROW(table, eb_uint(block), eb_text(lane), eb_uint(slice), eb_uint(stage), eb_real(bar.begin), eb_real(bar.end));
}

/* Adds a block's bars lane by lane, the order in which they are drawn. */
static void add_bars(eb_table *table, const eb_pipeline *p, size_t slices, size_t block, const eb_slice_time *time)
{
    static const char *const lane[] = {"copy", "load", "multiply"};
    for (size_t l = 0; l < sizeof lane / sizeof lane[0]; l++)
        for (size_t k = 0; k < slices; k++) {
            const eb_slice_time *t = &time[k * p->blocks + block];
            add_bar(table, block, k, k % p->stages, lane[l], l == 0 ? t->copy : l == 1 ? t->load : t->multiply);
        }
}

/* Table "pipeline", drawn as a timeline: the first k-slices of a tile, for the first blocks on an SM. */
static void picture_pipeline(eb_report *report, const eb_kernel_plan *plan, const eb_machine *machine,
                             const eb_prediction *prediction)
{
    if (!first_load(plan) || plan->through_l1)
        return;
    const eb_pipeline p = eb_pipeline_of(plan, machine, prediction);
    const size_t slices = prediction->slices < SHOWN_SLICES ? (size_t)prediction->slices : SHOWN_SLICES;
    eb_slice_time *time = calloc(slices * p.blocks, sizeof *time);
    char title[96];
    if (!time)
        return; /* out of memory: the report has no such picture */
    eb_pipeline_run(&p, slices, time);
    (void)snprintf(title, sizeof title, "The pipeline: a tile's first slices on an SM%s",
                   p.blocks > SHOWN_BLOCKS ? ", two of its blocks" : "");
    eb_table *table = EB_TABLE(report, EB_F(pipeline), title, EB_HIDDEN(block), EB_HIDDEN(lane), EB_HIDDEN(slice),
                               EB_F(stage), EB_F(begin_clocks), EB_F(end_clocks));
    for (size_t b = 0; b < p.blocks && b < SHOWN_BLOCKS; b++)
        add_bars(table, &p, slices, b, time);
    eb_table_draw(table, EB_AS_TIMELINE);
    free(time);
}

/* ---- picture: the order of tiles ---- */

enum { SIDE = 16, CORNER = SIDE * SIDE, MOST_TURNS = 1 << 16 };

/* Position, from 1, at which each tile of the corner is computed; NAN: not within MOST_TURNS runs of tiles. */
static void find_turns(const eb_kernel_plan *plan, double turn[CORNER])
{
    unsigned tiles = 0;
    for (size_t k = 0; k < CORNER; k++)
        turn[k] = NAN;
    for (uint64_t number = 0; number < plan->numbers && number < MOST_TURNS; number++) {
        const eb_worker_run run = plan->run(plan, number);
        for (uint32_t c = run.column; c < run.column + run.count && c < SIDE && run.row < SIDE; c++)
            turn[run.row * SIDE + c] = ++tiles;
    }
}

/* Map "walk": the order in which the tiles of a corner of the matrix are computed. */
static void picture_walk(eb_report *report, const eb_kernel_plan *plan)
{
    double turn[CORNER];
    find_turns(plan, turn);
    eb_series *series = eb_report_dots(report, EB_F(walk), "Order of the tiles in a corner of the matrix", EB_HEAT);
    eb_series_axes(series, EB_F(tile_column), false, EB_F(tile_row), false);
    eb_series_heat(series, EB_F(turn));
    eb_series_turns(series);
    for (int k = 0; k < CORNER; k++) {
        const int row = k / SIDE;
        eb_series_add(series, k % SIDE, row, turn[k], '-');
    }
}

/* ---- picture: the roofline ---- */

/* Adds a roofline: a slope of bytes_s up to the ceiling, and the ceiling up to intensity `most`. */
static void add_roof(eb_series *series, char mark, double bytes_s, double ceiling, double most)
{
    const double ridge = ceiling / bytes_s;
    eb_series_add(series, 1, bytes_s * 1e-12, 0, mark);
    eb_series_add(series, ridge, ceiling * 1e-12, 0, mark);
    eb_series_add(series, ridge > most ? ridge : most, ceiling * 1e-12, 0, mark);
}

/* Lines "roofline": the rates that L2 (l) and DRAM (d) allow, up to the peak of the products, and the kernel's rate at
 * both intensities (L, D). */
static void picture_roofline(eb_report *report, const eb_machine *machine, const eb_prediction *p)
{
    if (isnan(p->reuse.l2_intensity))
        return;
    const double most =
        p->reuse.dram_intensity > p->reuse.l2_intensity ? p->reuse.dram_intensity : p->reuse.l2_intensity;
    const double rate = p->executed_flops / p->kernel_s;
    eb_series *series = eb_report_dots(report, EB_F(roofline),
                                       "Roofline in TFLOPS: slopes of DRAM (d) and L2 (l), the kernel (D, L)", EB_LINE);
    eb_series_axes(series, EB_F(flops_a_byte), true, EB_F(tflops), true);
    add_roof(series, 'd', p->memory_roof_flops / p->reuse.dram_intensity, p->roof_flops, most);
    add_roof(series, 'l', machine->l2_bytes_clock * p->clock_hz, p->roof_flops, most);
    eb_series_add(series, p->reuse.dram_intensity, rate * 1e-12, 0, 'D');
    eb_series_add(series, p->reuse.l2_intensity, rate * 1e-12, 0, 'L');
    eb_series_name(series, 'd', "limit by DRAM");
    eb_series_name(series, 'l', "limit by L2");
    eb_series_name(series, 'D', "the kernel, bytes from DRAM");
    eb_series_name(series, 'L', "the kernel, bytes from L2");
}

/* Largest relative error of the time and largest error of the L2 hit rate that the report accepts; the tests require
 * the same. */
static const double time_within = 0.10, hits_within = 0.05;

/* ---- predicted beside measured ---- */

static eb_value measured_or_none(const eb_modelled *of, double value)
{
    return of->measured.run > 0 ? eb_real(value) : eb_na();
}

/* The tensor pipe's counter: each number type has one. */
static double measured_pipe(const eb_modelled *of)
{
    const eb_rate rate = eb_rate_of(of->plan.number);
    return rate == EB_RATE_F64  ? of->measured.tensor_f64_active
           : rate == EB_RATE_S8 ? of->measured.tensor_s8_active
                                : of->measured.tensor_f16_active;
}

/* A row without a band. */
static void predicted_row(eb_table *table, const eb_modelled *of, const char *metric, const char *title, eb_value model,
                          double measured)
{
    EB_ROW(table, eb_text(metric), eb_text(title), eb_text("ratio"), model, eb_na(), eb_na(),
           measured_or_none(of, measured));
}

/* Shares of peaks, under the keys of their counters: with the L2 hit rate and conflicts the paper's Table 6. */
static void report_throughputs(eb_table *table, const eb_modelled *of)
{
    const eb_prediction *p = &of->prediction;
    predicted_row(table, of, "dram_throughput", "DRAM, of its peak", eb_real(p->dram_share),
                  of->measured.dram_throughput);
    predicted_row(table, of, "shared_throughput", "shared memory, of its peak", eb_real(p->shared_share),
                  p->counted.wavefronts ? of->measured.shared_throughput : NAN);
    predicted_row(table, of, "tensor_active", "tensor pipe, of its peak", eb_real(p->tensor_share), measured_pipe(of));
}

static void report_background(eb_report *report, const eb_modelled *of)
{
    const eb_prediction *p = &of->prediction;
    const double measured_s = of->measured.kernel_s, tera = 1e-12 * p->derived_flops;
    eb_table *table = EB_TABLE(report, EB_F(predicted), "Predicted, beside measured", EB_HIDDEN(metric),
                               EB_F(figure_title), EB_F(unit), EB_F(model), EB_F(low), EB_F(high), EB_F(measured));
    EB_ROW(table, eb_text("kernel_s"), eb_text("kernels"), eb_text("seconds"), eb_real(p->kernel_s),
           eb_real(p->kernel.low), eb_real(p->kernel.high), measured_or_none(of, measured_s));
    EB_ROW(table, eb_text("tflops_derived"), eb_text("derived rate, 2·n²·d"), eb_text("TFLOPS"),
           eb_real(tera / p->kernel_s), eb_real(tera / p->kernel.high), eb_real(tera / p->kernel.low),
           measured_or_none(of, tera / measured_s));
    predicted_row(table, of, "bank_conflicts", "bank conflicts a wavefront",
                  p->banks.wavefronts ? eb_real(p->conflicts_a_wavefront) : eb_na(), of->measured.bank_conflicts);
    predicted_row(table, of, "ldmatrix_conflicts", "of ldmatrix alone",
                  p->matrix.wavefronts ? eb_real((double)p->matrix.conflicts / (double)p->matrix.wavefronts) : eb_na(),
                  of->measured.ldmatrix_conflicts);
    predicted_row(table, of, "occupancy", "warps of those possible", eb_real(p->occupancy.share),
                  of->measured.occupancy);
    predicted_row(table, of, "l2_hit_rate", "L2 hit rate", eb_real(p->cache.hit_rate), of->measured.l2_hit_rate);
    report_throughputs(table, of);
    EB_ROW(table, eb_text("sm_clock_hz"), eb_text("SM clock"), eb_text("hertz"), eb_real(p->clock_hz),
           eb_real(p->clock.low), eb_real(p->clock.high), measured_or_none(of, of->measured.sm_clock_hz));
}

/* ---- shared memory ---- */

static void access_row(eb_table *table, const char *key, const char *title, eb_bank_use use, eb_value counted)
{
    EB_ROW(table, eb_text(key), eb_text(title), eb_uint(use.phases), eb_uint(use.wavefronts), eb_uint(use.conflicts),
           eb_uint(use.worst), counted);
}

/* Addresses and banks of the lanes that the first load serves together first. */
static void report_first_phase(eb_report *report, const eb_modelled *of)
{
    const eb_shared_access *access = first_load(&of->plan);
    uint32_t address[EB_WARP] = {0};
    access->addresses(&of->plan, 0, address);
    eb_table *table = EB_TABLE(report, EB_F(first_phase), "The first phase of the first load", EB_F(lane),
                               EB_F(address), EB_F(first_bank), EB_F(last_bank));
    for (unsigned lane = 0; lane < access->lanes && lane < eb_phase_lanes(access->bytes); lane++)
        EB_ROW(table, eb_uint(lane), eb_uint(address[lane]), eb_uint(address[lane] / 4 % EB_BANKS),
               eb_uint((address[lane] + (access->bytes > 4 ? access->bytes - 4 : 0)) / 4 % EB_BANKS));
}

static void report_banks(eb_report *report, const eb_modelled *of)
{
    if (!first_load(&of->plan))
        return;
    eb_table *table =
        EB_TABLE(report, EB_F(conflicts), "Shared memory, a block and slice of 128 bytes a point", EB_HIDDEN(access),
                 EB_F(access_title), EB_F(phases), EB_F(wavefronts), EB_F(conflicts), EB_F(worst), EB_F(counted));
    for (size_t k = 0; k < of->plan.accesses; k++) {
        const eb_shared_access *access = &of->plan.access[k];
        access_row(table, access->key, access->title, eb_access_use(&of->plan, access), eb_bool(access->counted));
    }
    access_row(table, "all", "together", of->prediction.banks, eb_na());
    report_first_phase(report, of);
}

/* ---- occupancy ---- */

static void report_occupancy(eb_report *report, const eb_modelled *of)
{
    const eb_occupancy *o = &of->prediction.occupancy;
    const eb_kernel_plan *plan = &of->plan;
    const eb_machine *m = of->machine;
    eb_record *record = eb_report_record(report, EB_F(occupancy), "Occupancy");
    EB_RECORD_FIELDS(record, {EB_F(blocks), eb_uint(o->blocks)}, {EB_F(limit), eb_text(o->limit)},
                     {EB_F(share_of_warps), eb_real(o->share)}, {EB_F(workers), eb_uint(o->workers)});
    eb_table *table = EB_TABLE(report, EB_F(resources), "What a block takes of an SM", EB_F(resource), EB_F(block),
                               EB_F(sm), EB_F(blocks));
    EB_ROW(table, eb_text("registers"), eb_uint((uint64_t)plan->registers * plan->threads), eb_real(m->registers),
           eb_uint(o->by_registers));
    EB_ROW(table, eb_text("shared memory, bytes"), eb_real(plan->shared_bytes + m->reserved_bytes),
           eb_real(m->shared_bytes), eb_uint(o->by_shared));
    EB_ROW(table, eb_text("threads"), eb_uint(plan->threads), eb_real(m->threads), eb_uint(o->by_threads));
    EB_ROW(table, eb_text("blocks"), eb_uint(1), eb_real(m->blocks), eb_uint(o->by_blocks));
}

/* ---- L2, reuse, time ---- */

static void report_cache(eb_report *report, const eb_modelled *of)
{
    const eb_cache_use *c = &of->prediction.cache;
    eb_record *record = eb_report_record(report, EB_F(cache), "L2, by the order of tiles");
    EB_RECORD_FIELDS(record, {EB_F(hit_rate), eb_real(c->hit_rate)}, {EB_F(l2_traffic), eb_real(c->l2_bytes)},
                     {EB_F(dram_bytes), eb_real(c->dram_bytes)}, {EB_F(drift_tiles), eb_real(c->drift)},
                     {EB_F(replayed), eb_real(c->replayed)});
}

/* A level's row: uses of a value there, uses that products at their peak need of a value from there (FASTED's paper,
 * Box 1), and the roof by its bytes. */
static void reuse_row(eb_table *table, const eb_modelled *of, const char *level, const double uses[2], double intensity,
                      double bytes_s, eb_value from)
{
    const double value_bytes = (double)eb_number_type_of(of->plan.number)->bytes;
    EB_ROW(table, eb_text(level), uses ? eb_real(uses[0]) : eb_na(), uses ? eb_real(uses[1]) : eb_na(),
           eb_real(of->prediction.roof_flops * value_bytes / bytes_s), eb_real(intensity), eb_real(1e-12 * bytes_s),
           eb_real(1e-12 * bytes_s * intensity), from);
}

static void report_reuse(eb_report *report, const eb_modelled *of)
{
    const eb_prediction *p = &of->prediction;
    const eb_machine *m = of->machine;
    const double warp[] = {p->reuse.warp_rows, p->reuse.warp_columns},
                 block[] = {p->reuse.block_rows, p->reuse.block_columns};
    eb_table *table =
        EB_TABLE(report, EB_F(reuse), "Reuse and intensity", EB_F(level), EB_F(row_reuse), EB_F(column_reuse),
                 EB_F(needed_reuse), EB_F(flops_a_byte), EB_F(level_tb_s), EB_F(roof_tflops), EB_F(limit_from));
    reuse_row(table, of, "shared memory", warp, p->reuse.shared_intensity, eb_shared_bytes_s(m, p->clock_hz),
              eb_text(eb_source_name(EB_DATA_SHEET)));
    reuse_row(table, of, "L2", block, p->reuse.l2_intensity, m->l2_bytes_clock * p->clock_hz,
              eb_source_of(m, EB_MACHINE_L2));
    reuse_row(table, of, "DRAM", NULL, p->reuse.dram_intensity, m->memory_bytes_s, eb_source_of(m, EB_MACHINE_DRAM));
    EB_ROW(table, eb_text("products"), eb_na(), eb_na(), eb_na(), eb_na(), eb_na(), eb_real(p->roof_flops * 1e-12),
           eb_source_of(m, of->plan.warpgroups ? EB_MACHINE_WGMMA : EB_MACHINE_MMA));
}

static void report_time(eb_report *report, const eb_modelled *of)
{
    const eb_prediction *p = &of->prediction;
    const eb_pipeline pipeline = eb_pipeline_of(&of->plan, of->machine, p);
    eb_record *clocks = eb_report_record(report, EB_F(clocks), "Clocks of an SM, a tile of a block");
    EB_RECORD_FIELDS(clocks, {EB_F(products), eb_real(round(p->products_clocks))},
                     {EB_F(shared), p->banks.wavefronts ? eb_real(p->shared_clocks) : eb_na()},
                     {EB_F(slice), eb_real(round(p->slice_clocks))}, {EB_F(tile), eb_real(round(p->tile_clocks))},
                     {EB_F(copy), eb_real(round(pipeline.copy))}, {EB_F(long_run), eb_real(round(pipeline.slice))});
    eb_record *time = eb_report_record(report, EB_F(time), "Time, the longest of");
    EB_RECORD_FIELDS(time, {EB_F(sm_s), eb_real(p->sm_s)}, {EB_F(l2_s), eb_real(p->l2_s)},
                     {EB_F(dram_s), eb_real(p->dram_s)}, {EB_F(bound), eb_text(p->bound)});
}

/* ---- notes ---- */

static void note_failures(eb_report *report, const eb_modelled *of)
{
    const eb_prediction *p = &of->prediction;
    const eb_measured *m = &of->measured;
    const double off = p->kernel_s / m->kernel_s - 1, hits_off = p->cache.hit_rate - m->l2_hit_rate;
    if (m->run == 0)
        return;
    if (fabs(off) > time_within)
        eb_report_note(report, "the model fails here: its time is %+.0f %% off; at most %.0f %% is accepted", 100 * off,
                       100 * time_within);
    if (fabs(hits_off) > hits_within)
        eb_report_note(report, "the model fails here: its L2 hit rate is %+.0f points off; at most %.0f is accepted",
                       100 * hits_off, 100 * hits_within);
    if (fabs(p->conflicts_a_wavefront - m->bank_conflicts) > 0.005)
        eb_report_note(report, "the counter also counts conflicts outside the k-slices: tests, hits and norms at a "
                               "tile's end use shared memory, and arriving copies interfere");
}

/* Where the clock is from, and its band. */
static void note_clock(eb_report *report, const eb_modelled *of)
{
    const eb_prediction *p = &of->prediction;
    const eb_machine *m = of->machine;
    if (p->clock_given)
        eb_report_note(report, "at the clock that clock= gives");
    else if (!(m->power.limit_w > 0))
        eb_report_note(
            report,
            "at the highest clock, which a power limit may lower: what %s draws is not known; clock= sets another",
            m->title);
    else if (!(p->clock.low < p->clock.high) && eb_power_at(m, &p->load, p->clock_hz) > 0.999 * m->power.limit_w)
        eb_report_note(report, "the board's %.0f W hold the clock at %.2f GHz; clock= sets another", m->power.limit_w,
                       p->clock_hz * 1e-9);
    else if (p->clock.low < p->clock.high)
        eb_report_note(report,
                       "the board's %.0f W hold the clock at %.2f GHz: at %.2f when it has rested, at %.2f when it is "
                       "kept busy for long; clock= sets another",
                       m->power.limit_w, p->clock_hz * 1e-9, p->clock.high * 1e-9, p->clock.low * 1e-9);
    else
        eb_report_note(report, "at the highest clock: the kernel draws %.0f W of the board's %.0f; clock= sets another",
                       eb_power_at(m, &p->load, p->clock_hz), m->power.limit_w);
}

/* On the paper's GPU: where the model's figures part from those of its Box 1, and the published kernel's rates. */
static void note_paper(eb_report *report, const eb_modelled *of)
{
    const double clock_hz = of->prediction.clock_hz, l2 = of->machine->l2_bytes_clock * clock_hz;
    if (strcmp(of->machine->name, EB_PUBLISHED_GPU) != 0)
        return;
    eb_report_note(report,
                   "FASTED's paper (Box 1) has %.1f TB/s from shared memory and %.1f from L2, hence 35 and 98 uses; at "
                   "this clock %.0f SMs read %.1f and %.1f",
                   1e-12 * EB_PUBLISHED_SHARED, 1e-12 * EB_PUBLISHED_L2, of->machine->sms,
                   1e-12 * eb_shared_bytes_s(of->machine, clock_hz), 1e-12 * l2);
    if (of->published)
        eb_report_note(report, "%s", of->published);
}

static void note_model(eb_report *report, const eb_modelled *of)
{
    if (of->measured.run > 0)
        eb_report_note(report, "a model, not a measurement; the measured column is run %lld of the log",
                       (long long)of->measured.run);
    else
        eb_report_note(report, "a model, not a measurement: the log has no run of this engine and shape on such a GPU");
    note_clock(report, of);
    note_paper(report, of);
    if (!(of->machine->measured > 0))
        eb_report_note(report, "unverified: the model was checked against an H200, not against %s", of->machine->title);
    if (!of->plan.compiled)
        eb_report_note(report,
                       "the registers of such a kernel are not known: it is taken to use the most that one can");
    if (of->prediction.cache.replayed < 1)
        eb_report_note(report, "the L2 model replayed only the first %.3g %% of the tiles",
                       100 * of->prediction.cache.replayed);
}

/* What is taken for granted, and why some figures are n/a. */
static void note_assumptions(eb_report *report, const eb_modelled *of)
{
    const eb_kernel_plan *plan = &of->plan;
    if (of->candidates_given && plan->assumes_given)
        eb_report_note(report, "assumed: %.6g candidates a point, %s", plan->candidates, plan->assumes_given);
    else if (plan->assumes && plan->candidates > 0 && plan->candidates < (double)plan->n)
        eb_report_note(report, "assumed, hence %.6g candidates a point: %s", plan->candidates, plan->assumes);
    else if (plan->assumes)
        eb_report_note(report, "assumed: %s", plan->assumes);
    if (plan->filters)
        eb_report_note(report, "FP64's decisions of the pairs that the filter leaves open are not in the time; `plan` "
                               "estimates them");
    if (plan->unmeasured)
        eb_report_note(report, "counted, but not held to a measurement: no time was measured of %s", plan->unmeasured);
    if (plan->through_l1)
        eb_report_note(report,
                       "this kernel's warps read %s through L1, and each line of 128 bytes that they ask for takes "
                       "%.3g clocks; how much L1 keeps is not modelled, so L2 and DRAM are n/a",
                       plan->through_l1, EB_REQUEST_CLOCKS);
    if (of->prediction.pass_s > 0)
        eb_report_note(report, "the time includes %.3g ms of passes over memory beside the tiles",
                       1e3 * of->prediction.pass_s);
}

static void report_pictures(eb_report *report, const eb_modelled *of)
{
    const eb_memory memory = eb_memory_of_model(&of->plan, of->machine, &of->prediction);
    eb_report_memory(report, "Memory: what the level above reads, and the peak rate", &memory);
    picture_pipeline(report, &of->plan, of->machine, &of->prediction);
    picture_walk(report, &of->plan);
    picture_banks(report, &of->plan);
    picture_roofline(report, of->machine, &of->prediction);
}

static void report_tables(eb_report *report, const eb_modelled *of)
{
    report_banks(report, of);
    report_occupancy(report, of);
    report_cache(report, of);
    report_reuse(report, of);
    report_time(report, of);
}

void eb_report_model(eb_report *report, const eb_modelled *of, eb_model_parts parts)
{
    EB_FIELDS(report, {EB_F(engine), eb_text(of->spec)}, {EB_F(on), eb_text(of->machine->title)},
              {EB_F(n), eb_uint(of->plan.n)}, {EB_F(d), eb_uint(of->plan.d)},
              {EB_F(selectivity), eb_real(of->plan.selectivity)}, {EB_F(kernel), eb_text(of->plan.title)},
              {EB_F(tile_rows), eb_uint(of->plan.rows)}, {EB_F(tile_columns), eb_uint(of->plan.columns)},
              {EB_F(misaligned_bytes), eb_uint(of->plan.misaligned)},
              {EB_HIDDEN(verified), eb_bool(of->machine->measured > 0)});
    report_background(report, of);
    if (parts & EB_MODEL_PICTURES)
        report_pictures(report, of);
    if (parts & EB_MODEL_TABLES)
        report_tables(report, of);
    note_model(report, of);
    note_assumptions(report, of);
    note_failures(report, of);
}
