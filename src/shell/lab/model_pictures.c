#include "shell/lab/model_pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- banks ---- */

const eb_shared_access *eb_first_load(const eb_kernel_plan *plan)
{
    const eb_shared_access *access = plan->access;
    while (!access->loads)
        access++;
    return access;
}

enum { PHASES = 8 };

void eb_picture_banks(eb_report *report, const eb_kernel_plan *plan)
{
    const eb_shared_access *access = eb_first_load(plan);
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

/* ---- the pipeline ---- */

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

void eb_picture_pipeline(eb_report *report, const eb_kernel_plan *plan, const eb_machine *machine,
                         const eb_prediction *prediction)
{
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

/* ---- the order of tiles ---- */

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

void eb_picture_walk(eb_report *report, const eb_kernel_plan *plan)
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

/* ---- the roofline ---- */

/* Adds a roofline: a slope of bytes_s up to the ceiling, and the ceiling up to intensity `most`. */
static void add_roof(eb_series *series, char mark, double bytes_s, double ceiling, double most)
{
    const double ridge = ceiling / bytes_s;
    eb_series_add(series, 1, bytes_s * 1e-12, 0, mark);
    eb_series_add(series, ridge, ceiling * 1e-12, 0, mark);
    eb_series_add(series, ridge > most ? ridge : most, ceiling * 1e-12, 0, mark);
}

void eb_picture_roofline(eb_report *report, const eb_machine *machine, const eb_prediction *p)
{
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
}
