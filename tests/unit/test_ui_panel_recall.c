/* The panel Lab's third part: recall against throughput, as it is reported while it grows, and out of the log. */
#include "shell/recall/report.h"
#include "tests/unit/ui_panel.h"
#include "tests/unit/ui_run_reports.h"

/* ---- an experiment that nobody made ---- */

static const eb_table_format lut[] = {EB_TABLE_F32, EB_TABLE_F16, EB_TABLE_E5M3, EB_TABLE_E4M4};
enum { LUTS = 4, NPROBES = 6, CELLS = LUTS * NPROBES, LISTS = 512 };

/* Recall rises with nprobe to what the codes can, a little less with coarser tables; rates fall as lists are many. */
static eb_recall_cell cell_of(size_t c)
{
    const size_t k = c % LUTS, nprobe = (size_t)1 << (c / LUTS);
    static const double loss[LUTS] = {0, 0, 0.006, 0.002}, speed[LUTS] = {1, 1.2, 1.6, 1.6};
    const double recall = 0.87 - 0.5 / (double)(nprobe + 1) - loss[k];
    const double pass_s = 0.002 * (double)(nprobe + 1) / speed[k], spread = k == 1 ? 0.3 : 0.02;
    return (eb_recall_cell){.lut = lut[k],
                            .nprobe = nprobe,
                            .recall = {.mean = recall, .low = recall - 0.02, .high = recall + 0.02},
                            .pass_s = {.count = 5,
                                       .min = pass_s * (1 - spread),
                                       .median = pass_s,
                                       .mean = pass_s,
                                       .max = pass_s * (1 + spread),
                                       .cov = spread / 2}};
}

/* done: of the points, in their order. */
static eb_report *recall_report(const char *command, size_t done)
{
    static uint64_t blocks[LISTS + 1];
    static eb_recall_cell cell[CELLS];
    const eb_recall_truth nearest = {.queries = 1000, .n = 399000, .k = 10};
    const eb_inverted_file file = {.n = 399000, .d = 128, .shape = {.nlist = LISTS, .m = 64}, .blocks = blocks};
    static const eb_device device = {.kind = EB_DEVICE_CPU, .name = "cpu"};
    const eb_recall_study study = {.nearest = &nearest,
                                   .device = &device,
                                   .file = &file,
                                   .threads = 8,
                                   .truth_s = 2,
                                   .build_s = 30,
                                   .scale = 200,
                                   .luts = LUTS,
                                   .nprobes = NPROBES,
                                   .cell = cell,
                                   .done = done};
    blocks[LISTS] = 399000 / EB_LIST_BLOCK + LISTS;
    for (size_t c = 0; c < CELLS; c++)
        cell[c] = cell_of(c);
    eb_report *report = eb_report_new(command);
    eb_report_recall(report, &study);
    return report;
}

static ui_panel opened(void)
{
    ui_panel p = ui_open(&eb_panel_lab);
    eb_facts facts = rr_facts(false);
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

static eb_report *list_report(void)
{
    eb_report *r = eb_report_new("recalls");
    eb_table *t = eb_report_table(r, "experiments", "Recall measured, newest first");
    eb_table_column(t, "experiment", "experiment", EB_PLAIN);
    for (int k = 40; k > 0; k--)
        eb_table_row(t, (eb_value[]){eb_int(k)}, 1);
    return r;
}

/* ---- what is seen ---- */

static void the_curve_is_seen_with_its_table(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_expect_unseen(&p, 78, 17, "Recall@10");
    ui_take(&p, recall_report("recall", CELLS));
    ui_expect_screens(&p, "recall");
    ui_expect_screen(&p, "recall-ascii", 78, 17, false);
    ui_expect_inside(&p);
    ui_press(&p, "v");
    ui_expect_screen(&p, "recall-table", 78, 17, true);
    ui_expect_inside(&p);
    ui_press(&p, "q"); /* back to the switches */
    ui_expect_unseen(&p, 78, 17, "Recall@10");
    ui_press(&p, "q");
    ui_expect_seen(&p, 78, 17, "Recall@10");
    ui_close(&p);
}

static void the_cursor_tells_of_a_point(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, recall_report("recall", CELLS));
    ui_expect_seen(&p, 118, 33, "best recall: b f16 at nprobe 32");
    ui_press(&p, "<Left><Left>");
    ui_expect_seen(&p, 118, 33, "b f16 at nprobe 8: recall 0.814 (0.794 to 0.834)");
    ui_press(&p, "<Down>");
    ui_expect_seen(&p, 118, 33, "c e5m3 at nprobe 8: recall 0.808");
    ui_expect_seen(&p, 118, 33, "1.60× of f32; a table takes 16.0 KiB;");
    ui_press(&p, "<Down><Down>"); /* no line below the last */
    ui_expect_seen(&p, 118, 33, "d e4m4 at nprobe 8");
    ui_press(&p, "<Right><Right><Right>");
    ui_expect_seen(&p, 118, 33, "d e4m4 at nprobe 32");
    ui_close(&p);
}

/* Formats lie one after the other: a point more of the first ones moves all others on, the cursor stays with its own.
 */
static void it_grows_point_by_point(void **state)
{
    (void)state;
    ui_panel p = opened();
    eb_desk_set_running(p.desk, "recall");
    for (size_t done = 1; done <= CELLS; done++) {
        eb_desk_take_live(p.desk, recall_report("recall", done));
        ui_expect_seen(&p, 78, 17, "Recall@10");
        if (done == LUTS)
            ui_press(&p, "<Down>");
        if (done >= LUTS)
            ui_expect_seen(&p, 78, 17, "c e5m3 at nprobe 1:");
    }
    ui_close(&p);
}

static void the_newest_experiment_is_shown(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_take(&p, recall_report("recall", CELLS));
    ui_expect_seen(&p, 78, 17, "Recall@10");
    ui_take(&p, variants_report());
    ui_expect_seen(&p, 78, 17, "tile-order");
    ui_take(&p, recall_report("recalls", LUTS)); /* out of the log */
    ui_expect_seen(&p, 78, 17, "at nprobe 1:");
    ui_take(&p, list_report());
    ui_expect_seen(&p, 78, 17, "Recall measured");
    ui_press(&p, "<Down>");
    ui_expect_inside(&p);
    ui_take(&p, recall_report("recall", CELLS));
    ui_expect_seen(&p, 78, 17, "at nprobe 32:");
    ui_close(&p);
}

static void keys_are_for_the_part_that_is_seen(void **state)
{
    (void)state;
    ui_panel p = opened();
    ui_press(&p, "q");
    ui_expect_seen(&p, 78, 17, "`recall` measures");
    assert_false(ui_wants(&p, "<Left>"));
    ui_press(&p, "ct");
    ui_expect_commands(&p, "recall", NULL);
    ui_expect_typed(&p, "recall ");
    ui_press(&p, "g"); /* to the rates, not beside them */
    ui_expect_unseen(&p, 78, 17, "`recall` measures");
    ui_expect_seen(&p, 78, 17, "`grid");
    ui_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_curve_is_seen_with_its_table),
        cmocka_unit_test(the_cursor_tells_of_a_point),
        cmocka_unit_test(it_grows_point_by_point),
        cmocka_unit_test(the_newest_experiment_is_shown),
        cmocka_unit_test(keys_are_for_the_part_that_is_seen),
    };
    return cmocka_run_group_tests_name("ui: recall in the lab", tests, NULL, NULL);
}
