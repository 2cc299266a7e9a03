/* The panel Lab: ablation beside the paper, the roofline, the keys, any size. */
#include "tests/unit/ui_panel.h"
#include "tests/unit/ui_run_reports.h"
#include "ui/panels/lab/roofline.h"

static ui_panel opened(bool gpu)
{
    ui_panel p = ui_open(&eb_panel_lab);
    eb_facts facts = rr_facts(gpu);
    eb_desk_set_facts(p.desk, &facts);
    return p;
}

static void columns(eb_table *t, size_t count, const char *const *keys)
{
    for (size_t k = 0; k < count; k++)
        eb_table_column(t, keys[k], keys[k], EB_PLAIN);
}

static eb_report *list_report(void)
{
    static const char *const keys[] = {"switch", "summary", "published_tflops", "published_slowdown"};
    eb_report *r = eb_report_new("ablate");
    eb_table *t = eb_report_table(r, "switches", "FASTED's optimisations");
    columns(t, 4, keys);
    eb_table_row(t, (eb_value[]){eb_text("tile-order"), eb_text("in squares"), eb_real(133), eb_real(1.158)}, 4);
    eb_table_row(t, (eb_value[]){eb_text("symmetric"), eb_text("i < j only"), eb_na(), eb_na()}, 4);
    eb_report_field(r, "published_tflops", "published, everything on", EB_TERAFLOPS, eb_real(154));
    eb_report_note(r, "published: on an A100 at d = 4096");
    return r;
}

static eb_report *variants_report(const char *results)
{
    static const char *const keys[] = {"switch",           "tflops_derived",     "slowdown", "verdict",
                                       "published_tflops", "published_slowdown", "results"};
    eb_report *r = eb_report_new("ablate");
    eb_report_field(r, "engine", "engine", EB_PLAIN, eb_text("fasted"));
    eb_report_field(r, "device", "device", EB_PLAIN, eb_text("cuda:0"));
    eb_report_field(r, "preset", "preset", EB_PLAIN, eb_text("paper"));
    eb_report_field(r, "n", "points n", EB_PLAIN, eb_uint(100000));
    eb_report_field(r, "d", "dimensions d", EB_PLAIN, eb_uint(4096));
    eb_table *t = eb_report_table(r, "variants", "Without each switch");
    columns(t, 7, keys);
    eb_table_row(t,
                 (eb_value[]){eb_text("(all on)"), eb_real(300), eb_real(1), eb_na(), eb_real(154), eb_real(1),
                              eb_text("identical")},
                 7);
    eb_table_row(t,
                 (eb_value[]){eb_text("tile-order"), eb_real(240), eb_real(1.25), eb_text("SLOWER"), eb_real(133),
                              eb_real(1.158), eb_text(results)},
                 7);
    eb_table_row(t,
                 (eb_value[]){eb_text("pipeline"), eb_real(330), eb_real(0.91), eb_text("FASTER"), eb_real(145),
                              eb_real(1.062), eb_text("identical")},
                 7);
    return r;
}

/* Trials that scatter: whiskers, and with room the interval in words. From the bare kernel these are speed-ups. */
static eb_report *intervals_report(bool bare)
{
    const char *const keys[] = {"switch",
                                "tflops_derived",
                                bare ? "speedup" : "slowdown",
                                bare ? "speedup_low" : "slowdown_low",
                                bare ? "speedup_high" : "slowdown_high",
                                "verdict",
                                bare ? "model_speedup" : "model_slowdown",
                                "published_tflops",
                                "published_slowdown",
                                "results"};
    const double here[] = {100, bare ? 200 : 50, bare ? 101 : 99}, low[] = {(double)NAN, 1.6, 0.97},
                 high[] = {(double)NAN, 2.5, 1.04}, ratio[] = {1, 2, 1.01}, model[] = {1, 2.2, 1};
    static const char *const names[][3] = {{"(all on)", "block-tile", "tile-order"},
                                           {"(bare)", "warp-tile + swizzle", "pipeline"}};
    static const char *const verdicts[] = {NULL, "SLOWER", "SAME", NULL, "FASTER", "SAME"};
    eb_report *r = eb_report_new("ablate");
    eb_report_field(r, "engine", "engine", EB_PLAIN, eb_text("fasted"));
    eb_report_field(r, "device", "device", EB_PLAIN, eb_text("cuda:0"));
    eb_report_field(r, "preset", "preset", EB_PLAIN, bare ? eb_na() : eb_text("paper"));
    eb_report_field(r, "n", "points n", EB_PLAIN, eb_uint(100000));
    eb_report_field(r, "d", "dimensions d", EB_PLAIN, eb_uint(4096));
    eb_table *t = eb_report_table(r, "variants", bare ? "With these switches" : "Without each switch");
    columns(t, 10, keys);
    for (size_t k = 0; k < 3; k++)
        eb_table_row(t,
                     (eb_value[]){eb_text(names[bare][k]), eb_real(here[k]), eb_real(ratio[k]), eb_real(low[k]),
                                  eb_real(high[k]), eb_text(verdicts[(size_t)bare * 3 + k]), eb_real(model[k]), eb_na(),
                                  eb_na(), eb_text("identical")},
                     10);
    return r;
}

static eb_report *devices_report(void)
{
    static const char *const keys[] = {"device",     "tensor_f16_tflops", "wgmma_f16_tflops", "tensor_f64_tflops",
                                       "f64_tflops", "copy_bytes_per_s"};
    eb_report *r = eb_report_new("devices");
    eb_table *t = eb_report_table(r, "limits", "Limits, measured");
    columns(t, 6, keys);
    eb_table_row(t, (eb_value[]){eb_text("cuda:1"), eb_real(1), eb_na(), eb_na(), eb_na(), eb_real(1e12)}, 6);
    eb_table_row(t,
                 (eb_value[]){eb_text("cuda:0"), eb_real(620), eb_real(780), eb_real(61), eb_real(30), eb_real(4e12)},
                 6);
    return r;
}

/* Looking at the panel begins nothing; Enter asks for what is missing of what is seen. */
static void asks_for_the_list_and_the_devices_when_told_to(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    ui_expect_seen(&p, 78, 17, "`ablate list`");
    eb_desk_set_running(p.desk, "tune S=64");
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    assert_false(ui_wants(&p, "<Enter>")); /* it would wait behind what runs */
    eb_desk_set_running(p.desk, NULL);
    ui_look(&p);
    ui_expect_commands(&p, NULL);
    ui_press(&p, "<Enter>");
    ui_expect_commands(&p, "ablate list", NULL);
    ui_press(&p, "v<Enter>");
    ui_expect_commands(&p, "devices", NULL);
    ui_close(&p);
    p = opened(true);
    ui_take(&p, variants_report("identical"));
    ui_take(&p, devices_report());
    assert_false(ui_wants(&p, "<Enter>"));
    ui_expect_commands(&p, NULL);
    ui_close(&p);
}

/* Variant by variant while ablate runs; what was there before comes back when it ends without a report. */
static void follows_an_ablation(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, list_report());
    eb_desk_set_running(p.desk, "ablate");
    ui_expect_seen(&p, 78, 17, "in squares");
    eb_desk_take_live(p.desk, variants_report("identical"));
    ui_expect_seen(&p, 78, 17, "1.25×");
    ui_expect_unseen(&p, 78, 17, "in squares");
    eb_desk_set_running(p.desk, NULL);
    ui_expect_seen(&p, 78, 17, "in squares");
    ui_close(&p);
}

static void draws_the_papers_table(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    ui_take(&p, list_report());
    ui_expect_screen(&p, "lab-list", 78, 17, true);
    ui_expect_seen(&p, 78, 17, "FASTED's optimisations  published: on an A100 at d = 4096");
    ui_expect_seen(&p, 78, 17, "every switch of the paper");
    ui_expect_seen(&p, 78, 17, "133 TFLOPS  1.16× time");
    ui_expect_seen(&p, 78, 17, "not in the paper");
    ui_expect_inside(&p);
    ui_press(&p, "v");
    ui_expect_seen(&p, 78, 17, "`devices measure`");
    ui_expect_inside(&p);
    ui_close(&p);
}

static void draws_an_ablation_beside_the_paper(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, variants_report("identical"));
    ui_take(&p, devices_report());
    ui_take(&p, rr_compare(true));
    ui_expect_screens(&p, "lab");
    ui_expect_screen(&p, "lab-ascii", 60, 16, false);
    ui_expect_seen(&p, 118, 17, "fasted (paper) without each switch  100,000 × 4,096 on cuda:0, beside the published");
    ui_expect_seen(&p, 78, 17, "240 TFLOPS  1.25× time  SLOWER");
    ui_expect_seen(&p, 78, 17, "133 TFLOPS  1.16× time");
    ui_expect_inside(&p);
    ui_press(&p, "v");
    ui_expect_screen(&p, "lab-roofline", 78, 17, true);
    ui_expect_inside(&p);
    ui_close(&p);
}

/* An engine with switches of its own, no presets, of which nobody published anything. */
static eb_report *own_list_report(void)
{
    static const char *const keys[] = {"switch", "summary", "published_tflops", "published_slowdown"};
    eb_report *r = eb_report_new("ablate");
    eb_table *t = eb_report_table(r, "switches", "Metric tree's optimisations");
    columns(t, 4, keys);
    eb_table_row(t, (eb_value[]){eb_text("prune"), eb_text("leaves out far leaves"), eb_na(), eb_na()}, 4);
    eb_report_field(r, "published_tflops", "published, everything on", EB_TERAFLOPS, eb_na());
    return r;
}

static eb_report *own_variants_report(void)
{
    static const char *const keys[] = {"switch",           "tflops_derived",     "slowdown", "verdict",
                                       "published_tflops", "published_slowdown", "results"};
    eb_report *r = eb_report_new("ablate");
    eb_report_field(r, "engine", "engine", EB_PLAIN, eb_text("tree"));
    eb_report_field(r, "device", "device", EB_PLAIN, eb_text("cpu"));
    eb_report_field(r, "preset", "preset", EB_PLAIN, eb_na());
    eb_report_field(r, "n", "points n", EB_PLAIN, eb_uint(1000));
    eb_report_field(r, "d", "dimensions d", EB_PLAIN, eb_uint(16));
    eb_table *t = eb_report_table(r, "variants", "Without each switch");
    columns(t, 7, keys);
    eb_table_row(t,
                 (eb_value[]){eb_text("(all on)"), eb_real(0.3), eb_real(1), eb_na(), eb_na(), eb_na(),
                              eb_text("identical")},
                 7);
    eb_table_row(t,
                 (eb_value[]){eb_text("prune"), eb_real(0.1), eb_real(3), eb_text("SLOWER"), eb_na(), eb_na(),
                              eb_text("identical")},
                 7);
    return r;
}

static void an_engine_of_which_nothing_is_published_stands_alone(void **state)
{
    (void)state;
    ui_panel p = opened(false);
    ui_take(&p, own_list_report());
    ui_expect_seen(&p, 78, 17, "Metric tree's optimisations");
    ui_expect_seen(&p, 78, 17, "everything on");
    ui_expect_seen(&p, 78, 17, "leaves out far leaves");
    ui_expect_unseen(&p, 78, 17, "paper");
    ui_expect_unseen(&p, 78, 17, "FASTED");
    ui_expect_inside(&p);
    ui_take(&p, own_variants_report());
    ui_expect_screen(&p, "lab-own", 78, 17, true);
    ui_expect_seen(&p, 78, 17, "tree without each switch  1,000 × 16 on cpu");
    ui_expect_seen(&p, 78, 17, "100 GFLOPS  3.00× time  SLOWER");
    ui_expect_unseen(&p, 78, 17, "published");
    ui_expect_unseen(&p, 78, 17, "paper");
    ui_expect_unseen(&p, 78, 17, "()");
    ui_expect_seen(&p, 78, 3, "prune"); /* a line for each: both fit below the title */
    ui_press(&p, "<End>");
    ui_expect_seen(&p, 78, 3, "(all on)");
    ui_expect_inside(&p);
    ui_close(&p);
}

static void bars_have_whiskers(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, intervals_report(false));
    ui_expect_screen(&p, "lab-whiskers", 78, 17, true);
    ui_expect_screen(&p, "lab-whiskers-ascii", 78, 17, false);
    ui_expect_seen(&p, 78, 17, "fasted (paper) without each switch");
    ui_expect_seen(&p, 78, 17, "50.0 TFLOPS  2.00× time  model 2.20×  SLOWER"); /* the bar goes first */
    ui_expect_seen(&p, 118, 17, "50.0 TFLOPS  2.00× time (1.60× to 2.50×)  model 2.20×  SLOWER");
    ui_expect_unseen(&p, 118, 17, "n/a");
    ui_expect_inside(&p);
    ui_close(&p);
}

static void from_the_bare_kernel_are_speed_ups(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, intervals_report(true));
    ui_expect_screen(&p, "lab-bare", 118, 17, true);
    ui_expect_seen(&p, 118, 17, "fasted with these switches  100,000 × 4,096 on cuda:0");
    ui_expect_seen(&p, 118, 17, "200 TFLOPS  2.00× speed (1.60× to 2.50×)  model 2.20×  FASTER");
    ui_expect_unseen(&p, 118, 17, "paper");
    ui_expect_inside(&p);
    ui_close(&p);
}

static void different_results_are_bad(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    eb_canvas canvas = {.unicode = true};
    eb_status status = {0};
    bool bad = false;
    ui_take(&p, variants_report("DIFFERENT"));
    ui_expect_seen(&p, 78, 17, "DIFFERENT results"); /* not by colour only */
    assert_int_equal(eb_canvas_resize(&canvas, 78, 17, &status), EB_OK);
    p.panel->draw(p.state, p.desk, &canvas, eb_canvas_rect(&canvas), true);
    for (int k = 0; k < canvas.width * canvas.height; k++)
        bad |= canvas.cell[k].role == EB_ROLE_BAD;
    assert_true(bad);
    eb_canvas_free(&canvas);
    ui_close(&p);
}

static void the_roofline_is_the_set_devices(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    eb_roofline r = eb_roofline_of(p.desk);
    assert_int_equal(r.roofs, 0);
    assert_true(isnan(r.bytes_per_s));
    ui_take(&p, devices_report());
    ui_take(&p, rr_compare(false)); /* the CPU's runs have no place under a GPU's roofs */
    r = eb_roofline_of(p.desk);
    assert_true(r.bytes_per_s == 4e12);
    assert_int_equal(r.roofs, 4);
    for (size_t k = 1; k < r.roofs; k++)
        assert_true(r.roof[k - 1].tflops > r.roof[k].tflops);
    assert_string_equal(r.roof[0].name, "FP16 wgmma");
    assert_int_equal(r.points, 0);
    ui_take(&p, rr_compare(true));
    r = eb_roofline_of(p.desk);
    assert_int_equal(r.points, 2);
    assert_false(r.point[0].counted);
    /* FLOP executed over n · d coordinates of two bytes, read once. */
    assert_true(fabs(r.point[0].intensity / (225.8e12 * 0.0125 / (60000.0 * 784 * 2)) - 1) < 1e-12);
    assert_true(fabs(r.point[1].intensity / (11.3e12 * 0.25 / (60000.0 * 784 * 8)) - 1) < 1e-12);
    ui_close(&p);
}

/* Each engine tells how many bytes it keeps of a coordinate; one that does not has no place. */
static void an_engine_says_what_a_coordinate_takes(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    eb_report *join = eb_report_new("join");
    ui_take(&p, devices_report());
    ui_take(&p, rr_compare_of(true, RR_ALL));
    eb_roofline r = eb_roofline_of(p.desk);
    assert_int_equal(r.points, RR_ALL);
    for (size_t k = 0; k < r.points; k++) {
        const rr_engine *e = &rr_engines[k];
        double bytes = 60000.0 * 784 * e->coordinate_bytes;
        assert_string_equal(r.point[k].engine, e->spec);
        assert_true(fabs(r.point[k].intensity / (e->executed * 1e12 * e->kernel_s / bytes) - 1) < 1e-12);
    }
    rr_head(join);
    eb_report_field(join, "engine", "engine", EB_PLAIN, eb_text("new"));
    eb_report_field(join, "device", "device", EB_PLAIN, eb_text("cuda:0"));
    eb_report_field(join, "tflops_executed", "executed rate", EB_TERAFLOPS, eb_real(30));
    eb_report_field(join, "kernel_s", "kernels", EB_SECONDS, eb_real(0.1));
    ui_take(&p, join);
    r = eb_roofline_of(p.desk);
    assert_int_equal(r.points, RR_ALL);
    eb_report_field(join, "coordinate_bytes", "a coordinate takes", EB_BYTES, eb_uint(1));
    r = eb_roofline_of(p.desk);
    assert_int_equal(r.points, RR_ALL + 1);
    assert_true(fabs(r.point[RR_ALL].intensity / (30e12 * 0.1 / (60000.0 * 784)) - 1) < 1e-12);
    ui_close(&p);
}

static void counters_tell_where_an_engine_lies(void **state)
{
    (void)state;
    static const char *const keys[] = {"metric", "fasted"};
    ui_panel p = opened(true);
    eb_report *counters = eb_report_new("counters");
    rr_head(counters);
    rr_runs(counters, true, 0, 1);
    eb_table *t = eb_report_table(counters, "counters", "Counters");
    columns(t, 2, keys);
    eb_table_row(t, (eb_value[]){eb_text("dram_throughput"), eb_real(0.1)}, 2);
    ui_take(&p, devices_report());
    ui_take(&p, counters);
    ui_take(&p, rr_compare(true));
    eb_roofline r = eb_roofline_of(p.desk);
    assert_int_equal(r.points, 2); /* fasted once */
    assert_true(r.point[0].counted);
    assert_true(fabs(r.point[0].intensity / (225.8e12 / 4e11) - 1) < 1e-12);
    assert_false(r.point[1].counted);
    ui_close(&p);
}

/* The same engine twice: columns go by specs then. */
static void counters_of_one_engine_twice_are_told_apart(void **state)
{
    (void)state;
    static const char *const keys[] = {"metric", "fasted", "ref64", "fasted[paper]"};
    ui_panel p = opened(true);
    eb_report *counters = eb_report_new("counters");
    rr_head(counters);
    rr_runs(counters, true, 0, 3);
    eb_table *t = eb_report_table(counters, "counters", "Counters");
    columns(t, 4, keys);
    eb_table_row(t, (eb_value[]){eb_text("dram_throughput"), eb_real(0.1), eb_na(), eb_real(0.2)}, 4);
    ui_take(&p, devices_report());
    ui_take(&p, counters);
    eb_roofline r = eb_roofline_of(p.desk);
    assert_int_equal(r.points, 3);
    assert_true(fabs(r.point[0].intensity / (225.8e12 / 4e11) - 1) < 1e-12);
    assert_false(r.point[1].counted);
    assert_string_equal(r.point[2].engine, "fasted[paper]");
    assert_true(r.point[2].counted);
    assert_true(fabs(r.point[2].intensity / (140e12 / 8e11) - 1) < 1e-12);
    ui_close(&p);
}

static void keys_ask_for_commands(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_press(&p, "cm");
    ui_expect_commands(&p, "ablate", "devices measure", NULL);
    ui_press(&p, "u");
    ui_expect_commands(&p, "ablate by=add-one-in", NULL);
    ui_press(&p, "t");
    ui_expect_typed(&p, "ablate S=");
    ui_press(&p, "p");
    ui_expect_typed(&p, "ablate preset=best ");
    eb_facts facts = rr_facts(true);
    facts.eps = NAN;
    eb_desk_set_facts(p.desk, &facts);
    ui_press(&p, "c");
    ui_expect_typed(&p, "ablate S=");
    ui_press(&p, "u");
    ui_expect_typed(&p, "ablate by=add-one-in S=");
    facts.has_dataset = false;
    eb_desk_set_facts(p.desk, &facts);
    ui_press(&p, "c");
    ui_expect_commands(&p, NULL);
    facts = rr_facts(false);
    eb_desk_set_facts(p.desk, &facts);
    ui_press(&p, "c");
    ui_expect_commands(&p, "ablate list", NULL);
    assert_false(ui_wants(&p, "z"));
    assert_false(ui_wants(&p, "<Down>"));
    ui_close(&p);
}

static void long_lists_are_scrolled(void **state)
{
    (void)state;
    ui_panel p = opened(true);
    ui_take(&p, variants_report("identical"));
    ui_expect_seen(&p, 78, 4, "(all on)");
    ui_press(&p, "<End>");
    ui_expect_unseen(&p, 78, 4, "(all on)");
    ui_expect_seen(&p, 78, 4, "pipeline");
    ui_press(&p, "<PageUp><PageUp><PageUp><PageUp>");
    ui_expect_seen(&p, 78, 4, "(all on)");
    ui_close(&p);
}

static void reports_with_parts_missing_are_drawn(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        ui_panel p = opened(true);
        eb_report *r = eb_report_new("ablate"), *devices = eb_report_new("devices");
        if (k > 0) {
            (void)eb_report_table(devices, "limits", "");
            eb_table *t = eb_report_table(r, k == 1 ? "variants" : "switches", "");
            eb_table_column(t, "switch", "switch", EB_PLAIN);
            eb_table_row(t, (eb_value[]){eb_na()}, 1);
        }
        ui_take(&p, r);
        ui_take(&p, devices);
        ui_expect_inside(&p);
        ui_press(&p, "v");
        ui_expect_inside(&p);
        ui_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_for_the_list_and_the_devices_when_told_to),
        cmocka_unit_test(follows_an_ablation),
        cmocka_unit_test(draws_the_papers_table),
        cmocka_unit_test(draws_an_ablation_beside_the_paper),
        cmocka_unit_test(an_engine_of_which_nothing_is_published_stands_alone),
        cmocka_unit_test(bars_have_whiskers),
        cmocka_unit_test(from_the_bare_kernel_are_speed_ups),
        cmocka_unit_test(different_results_are_bad),
        cmocka_unit_test(the_roofline_is_the_set_devices),
        cmocka_unit_test(an_engine_says_what_a_coordinate_takes),
        cmocka_unit_test(counters_tell_where_an_engine_lies),
        cmocka_unit_test(counters_of_one_engine_twice_are_told_apart),
        cmocka_unit_test(keys_ask_for_commands),
        cmocka_unit_test(long_lists_are_scrolled),
        cmocka_unit_test(reports_with_parts_missing_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
