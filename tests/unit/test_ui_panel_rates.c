/* The other half of the panel Lab: rates over n × d, as they are reported: the map, the curves, the keys, any size. */
#include "shell/lab/rates_report.h"
#include "tests/unit/ui_panel.h"
#include "tests/unit/ui_run_reports.h"

/* ---- an experiment that nobody made ---- */

static const size_t ns[] = {1000, 3162, 10000, 31623, 100000, 316228, 1000000};
static const size_t ds[] = {64, 128, 256, 512, 1024, 2048, 4096};
enum { NS = sizeof ns / sizeof ns[0], DS = sizeof ds / sizeof ds[0], ENGINES = 2, CELLS = NS * DS * ENGINES };

static const eb_engine engine[ENGINES] = {{.name = "fasted"}, {.name = "ref64"}};
static eb_setup setup[ENGINES];
static eb_rate cell[CELLS];
static eb_rates_request request;

static void place_setup(size_t k, bool gpu, eb_limit limit, double flops)
{
    setup[k] = (eb_setup){.engine = &engine[k]};
    setup[k].device.kind = gpu ? EB_DEVICE_CUDA : EB_DEVICE_CPU;
    (void)snprintf(setup[k].device.name, sizeof setup[k].device.name, gpu ? "cuda:0" : "cpu");
    (void)snprintf(setup[k].spec, sizeof setup[k].spec, "%s", engine[k].name);
    setup[k].device.limit[limit] = gpu ? flops : 0;
}

/* Rises with n and d towards the engine's best; the second one's largest shapes are too long, or refused. */
static void place_rate(eb_rate *rate, size_t k, double best, bool gpu)
{
    const double n = (double)rate->n, d = (double)rate->d;
    const double executed = best * n / (n + 30000) * d / (d + 300);
    rate->kernel_s = n * n * d / executed;
    rate->kernel_cov = 0.01;
    rate->total_s = 2 * rate->kernel_s;
    rate->executed_flops = n * n * d;
    rate->limit_flops = gpu ? best * 1.5 : NAN;
    rate->eps = 5;
    rate->pairs = (uint64_t)(65.5 * n);
    rate->trials = 3;
    rate->state = k == 0 ? EB_RATE_MEASURED : EB_RATE_KNOWN;
    rate->run = (int64_t)(rate - cell) + 1;
}

/* done: of the cells, in their order. */
static eb_report *grid_report(bool gpu, size_t done)
{
    static const double best[ENGINES] = {400e12, 30e12};
    eb_report *report = eb_report_new("grid");
    eb_rates rates = {.request = &request, .cell = cell, .cells = CELLS};
    place_setup(0, gpu, EB_LIMIT_WGMMA_F16, best[0] * 1.5);
    place_setup(1, gpu, EB_LIMIT_MMA_F64, best[1] * 1.5);
    request = (eb_rates_request){.setup = setup,
                                 .setups = ENGINES,
                                 .n = ns,
                                 .d = ds,
                                 .ns = NS,
                                 .ds = DS,
                                 .eps = NAN,
                                 .selectivity = 64,
                                 .seed = 42,
                                 .trials = 3,
                                 .limit_s = 10};
    for (size_t i = 0; i < CELLS; i++) {
        const size_t k = i % ENGINES, shape = i / ENGINES;
        cell[i] = (eb_rate){.setup = &setup[k],
                            .n = ns[shape / DS],
                            .d = ds[shape % DS],
                            .eps = NAN,
                            .kernel_s = NAN,
                            .kernel_cov = NAN,
                            .total_s = NAN,
                            .executed_flops = NAN,
                            .limit_flops = NAN,
                            .forecast_s = NAN};
        if (k == 1 && i < done && cell[i].n * cell[i].d > 100000000) {
            cell[i].state = EB_RATE_LONG;
            cell[i].forecast_s = cell[i].n < 1000000 ? 12.5 : NAN;
        } else if (k == 1 && i < done && cell[i].n == 1000000 && cell[i].d < 128) {
            cell[i].state = EB_RATE_REFUSED;
            (void)snprintf(cell[i].why, sizeof cell[i].why, "it needs 8 GiB, and 4 are there");
        } else if (i < done) {
            place_rate(&cell[i], k, best[k], gpu);
        }
    }
    eb_report_rates(report, &rates);
    return report;
}

static ui_panel opened(bool gpu)
{
    ui_panel p = ui_open(&eb_panel_lab);
    eb_facts facts = rr_facts(gpu);
    eb_desk_set_facts(p.desk, &facts);
    return p;
}

static eb_report *variants_report(void)
{
    eb_report *r = eb_report_new("ablate");
    eb_table *t = eb_report_table(r, "variants", "Without each switch");
    eb_table_column(t, "switch", "left out", EB_PLAIN);
    eb_table_row(t, (eb_value[]){eb_text("tile-order")}, 1);
    return r;
}

/* ---- what is seen ---- */

static void a_grid_comes_to_the_front(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_expect_unseen(&p, 78, 17, "fasted on cuda:0");
    ui_take(&p, grid_report(true, CELLS));
    ui_expect_screens(&p, "rates");
    ui_expect_screen(&p, "rates-ascii", 78, 17, false);
    ui_expect_inside(&p);
    ui_press(&p, "v");
    ui_expect_screen(&p, "rates-curves", 78, 17, true);
    ui_expect_inside(&p);
    ui_press(&p, "g"); /* back to the switches */
    ui_expect_unseen(&p, 78, 17, "Executed rate over d");
    ui_press(&p, "g");
    ui_expect_seen(&p, 78, 17, "Executed rate over d");
    ui_close(&p);
}

/* The list of switches is asked for unasked; a new ablation is what one wants to see. */
static void the_newest_experiment_is_shown(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, grid_report(true, CELLS));
    ui_expect_seen(&p, 78, 17, "fasted on cuda:0");
    eb_report *list = eb_report_new("ablate");
    (void)eb_report_table(list, "switches", "FASTED's optimisations");
    ui_take(&p, list);
    ui_expect_seen(&p, 78, 17, "FASTED's optimisations"); /* nothing but a person asks for it */
    ui_take(&p, variants_report());
    ui_expect_seen(&p, 78, 17, "tile-order");
    ui_expect_unseen(&p, 78, 17, "fasted on cuda:0");
    ui_take(&p, grid_report(true, CELLS));
    ui_expect_seen(&p, 78, 17, "fasted on cuda:0");
    ui_close(&p);
}

static void it_fills_while_the_grid_runs(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    ui_take(&p, variants_report());
    eb_desk_set_running(p.desk, "grid fasted,ref64");
    ui_expect_seen(&p, 78, 17, "tile-order");
    eb_desk_take_live(p.desk, grid_report(false, 0));
    ui_expect_seen(&p, 78, 17, ". to come");
    ui_expect_unseen(&p, 78, 17, "fastest");
    ui_expect_inside(&p);
    ui_press(&p, "v");
    ui_expect_seen(&p, 78, 17, "No engine has told an executed rate yet.");
    ui_press(&p, "v");
    eb_desk_take_live(p.desk, grid_report(false, 20));
    ui_expect_seen(&p, 78, 17, "fastest: 3,162 × 256");
    ui_expect_seen(&p, 78, 17, ". to come");
    eb_desk_set_running(p.desk, NULL); /* it failed: nothing of it is left */
    ui_expect_seen(&p, 78, 17, "`grid fasted,ref64` measures");
    ui_close(&p);
}

/* ---- keys ---- */

static void arrows_move_the_cell(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    assert_false(ui_wants(&p, "<Left>"));
    ui_take(&p, grid_report(true, CELLS));
    ui_expect_seen(&p, 78, 17, "fastest: 1,000,000 × 4,096: 724 TFLOPS derived, 362 TFLOPS executed, of limit");
    ui_press(&p, "<Right><Up>"); /* it is the corner */
    ui_expect_seen(&p, 78, 17, "1,000,000 × 4,096: 724 TFLOPS");
    ui_expect_unseen(&p, 78, 17, "fastest");
    ui_press(&p, "<Left><Left><Down>");
    ui_expect_seen(&p, 78, 17, "100,000 × 2,048: 537 TFLOPS derived, 268 TFLOPS executed, of limit 44.7 %");
    ui_expect_seen(&p, 118, 30, "CoV 1 %, S 64.5, measured");
    ui_press(&p, "<Down><Down><Down><Down><Down><Down><Down><Left><Left><Left><Left><Left><Left>");
    ui_expect_seen(&p, 78, 17, "1,000 × 64: 4.54 TFLOPS derived");
    ui_press(&p, "<PageDown>"); /* the same shape of the other engine */
    ui_expect_seen(&p, 78, 17, "ref64 on cuda:0  2 of 2");
    ui_expect_seen(&p, 118, 30, "S 64.5, from the log");
    ui_press(&p, "<Right><Right><Right><Right><Right><Right>");
    ui_expect_seen(&p, 78, 17, "1,000,000 × 64: refused: it needs 8 GiB, and 4 are there");
    ui_press(&p, "<Up><Up>");
    ui_expect_seen(&p, 78, 17, "1,000,000 × 256: too long");
    ui_press(&p, "<Left><Up>");
    ui_expect_seen(&p, 78, 17, "316,228 × 512: too long: 12.5 s foreseen");
    ui_press(&p, "<PageUp><PageUp><PageUp>");
    ui_expect_seen(&p, 78, 17, "fasted on cuda:0  1 of 2");
    ui_close(&p);
}

static void a_click_chooses_a_cell(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, grid_report(true, CELLS));
    free(ui_screen(&p, 78, 17, true));
    assert_true(ui_wants(&p, "<Click 20 8>"));
    ui_expect_seen(&p, 78, 17, "3,162 × 256: 35.1 TFLOPS derived");
    assert_false(ui_wants(&p, "<Click 2 8>")); /* beside the cells */
    assert_false(ui_wants(&p, "<Click 20 13>"));
    ui_press(&p, "v");
    free(ui_screen(&p, 78, 17, true));
    assert_false(ui_wants(&p, "<Click 20 8>")); /* curves have none */
    ui_close(&p);
}

static void keys_ask_for_commands(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_press(&p, "g");
    ui_expect_seen(&p, 78, 17, "`grid fasted,ref64` measures");
    ui_press(&p, "cm");
    ui_expect_commands(&p, "grid", "devices measure", NULL);
    ui_press(&p, "t");
    ui_expect_typed(&p, "grid ");
    ui_press(&p, "p");
    ui_expect_typed(&p, "ablate preset=best ");
    assert_false(ui_wants(&p, "z"));
    assert_false(ui_wants(&p, "<Down>"));
    ui_close(&p);
}

/* Limits are lines of their own where they are known, and named. */
static void limits_are_lines(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, grid_report(true, CELLS));
    ui_expect_seen(&p, 198, 57, "A cuda:0 ");
    ui_expect_seen(&p, 198, 57, "B cuda:0 ");
    ui_take(&p, grid_report(false, CELLS));
    ui_expect_unseen(&p, 198, 57, "A cuda:0 ");
    ui_expect_unseen(&p, 198, 57, "of limit");
    ui_close(&p);
}

static void reports_with_parts_missing_are_drawn(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        ui_panel p = opened(true);
        eb_report *r = eb_report_new("grid");
        double one = 1;
        if (k > 0) {
            eb_series *s = eb_report_series(r, "map_x", "x", EB_HEAT, 1, &one, &one, NULL, NULL);
            if (k > 1)
                eb_series_heat(s, "z", "z", EB_PLAIN, &one);
            (void)eb_report_table(r, "cells", "Cells");
        }
        ui_take(&p, r);
        ui_expect_inside(&p);
        assert_int_equal(ui_wants(&p, "<Left>"), k == 2);
        ui_press(&p, "v");
        ui_expect_inside(&p);
        ui_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_comes_to_the_front),
        cmocka_unit_test(the_newest_experiment_is_shown),
        cmocka_unit_test(it_fills_while_the_grid_runs),
        cmocka_unit_test(arrows_move_the_cell),
        cmocka_unit_test(a_click_chooses_a_cell),
        cmocka_unit_test(keys_ask_for_commands),
        cmocka_unit_test(limits_are_lines),
        cmocka_unit_test(reports_with_parts_missing_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
