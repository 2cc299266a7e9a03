/* Panels, tested by tests/unit/cases/panel-*: given the desk (facts, reports, the running job) and keys, a case expects
 * the screen, the commands requested, and the text typed, said and offered. */
#include <math.h>

#include "draw/plots/roofline.h"
#include "tests/unit/report_cases.h"
#include "tests/unit/ui_panel.h"
#include "ui/panels/compare/scene.h"
#include "ui/panels/counters/scene.h"

static ui_panel p;
static char *drawn; /* by the last `draw` */

static int number_at(const case_step *s, size_t k) { return (int)strtol(s->field[k], NULL, 10); }
static bool unicode_at(const case_step *s, size_t k) { return s->fields <= k || strcmp(s->field[k], "ascii") != 0; }

static void close_panel(void)
{
    if (p.panel)
        ui_close(&p);
    free(drawn);
    drawn = NULL;
    p.panel = NULL;
}

static void open_panel(const case_step *s)
{
    close_panel();
    for (size_t k = 0; k < eb_panel_count(); k++)
        if (strcmp(eb_panel_at(k)->name, s->field[0]) == 0)
            p = ui_open(eb_panel_at(k));
    assert_non_null(p.panel);
}

static void set_text(char *to, size_t size, const char *text) { (void)snprintf(to, size, "%s", text); }

static void set_fact(eb_facts *f, const char *name, const char *value)
{
    if (strcmp(name, "has_dataset") == 0)
        f->has_dataset = true;
    else if (strcmp(name, "n") == 0)
        f->n = strtoull(value, NULL, 10);
    else if (strcmp(name, "d") == 0)
        f->d = strtoull(value, NULL, 10);
    else if (strcmp(name, "serial") == 0)
        f->dataset_serial = strtoul(value, NULL, 10);
    else if (strcmp(name, "eps") == 0)
        f->eps = strtod(value, NULL);
    else if (strcmp(name, "dataset") == 0)
        set_text(f->dataset, sizeof f->dataset, value);
    else if (strcmp(name, "dtype") == 0)
        set_text(f->dtype, sizeof f->dtype, value);
    else if (strcmp(name, "device") == 0)
        set_text(f->device, sizeof f->device, value);
    else if (strcmp(name, "log_columns") == 0)
        set_text(f->log_columns, sizeof f->log_columns, value);
    else
        fail_msg("no fact \"%s\"", name);
}

static void facts(const case_step *s)
{
    eb_facts now = {0};
    for (size_t k = 0; k < s->fields; k++) {
        char name[32], *value = strchr(s->field[k], '=');
        assert_non_null(value);
        (void)snprintf(name, sizeof name, "%.*s", (int)(value - s->field[k]), s->field[k]);
        set_fact(&now, name, value + 1);
    }
    eb_desk_set_facts(p.desk, &now);
}

static void take(const case_step *s) { ui_take(&p, report_named(s->field[0])); }
static void live(const case_step *s) { eb_desk_take_live(p.desk, report_named(s->field[0])); }
static void running(const case_step *s) { eb_desk_set_running(p.desk, report_text(s->field[0])); }

/* Step `progress PHASE DONE TOTAL ELAPSED PHASE_S`, with GPU values of the moment. */
static void progress(const case_step *s)
{
    const eb_progress now = {.phase = s->field[0],
                             .done = strtoull(s->field[1], NULL, 10),
                             .total = strtoull(s->field[2], NULL, 10),
                             .elapsed_s = strtod(s->field[3], NULL),
                             .phase_s = strtod(s->field[4], NULL)};
    const eb_gpu_now gpu = {.sm_clock_hz = 1.98e9, .power_w = 512, .temperature_c = 61, .busy = 0.97};
    eb_desk_set_progress(p.desk, &now);
    eb_desk_set_gpu(p.desk, &gpu);
}

static void look(const case_step *s) { (void)s, ui_look(&p); }
static void inside(const case_step *s) { (void)s, ui_expect_inside(&p); }
static void typed(const case_step *s) { ui_expect_typed(&p, s->field[0]); }
static void refuses(const case_step *s) { assert_false(ui_wants(&p, s->field[0])); }

/* Step `joins FIRST STEP COUNT S`: COUNT reports of joins, at one ε after another. */
static void joins(const case_step *s)
{
    for (int k = 0; k < number_at(s, 2); k++) {
        double selectivity = strtod(s->field[3], NULL);
        eb_report *report = eb_report_new("join");
        eb_report_field(report, EB_F(engine), eb_text("ref64"));
        eb_report_field(report, EB_F(eps), eb_real(strtod(s->field[0], NULL) + k * strtod(s->field[1], NULL)));
        eb_report_field(report, EB_F(selectivity), eb_real(selectivity));
        eb_report_field(report, EB_F(pairs), eb_uint((uint64_t)(1000 * (selectivity + 1))));
        ui_take(&p, report);
        ui_look(&p);
    }
}

static void press(const case_step *s)
{
    for (int k = 0; k < (s->fields > 1 ? number_at(s, 1) : 1); k++)
        ui_press(&p, s->field[0]);
}

/* The commands requested since the last check; no others. */
static void commands(const case_step *s)
{
    for (size_t k = 0; k <= s->fields; k++) {
        char *found = eb_desk_next_command(p.desk);
        const char *expected = k < s->fields ? s->field[k] : "(none)";
        assert_string_equal(found ? found : "(none)", expected);
        free(found);
    }
}

static void draw(const case_step *s)
{
    free(drawn);
    drawn = ui_screen(&p, number_at(s, 0), number_at(s, 1), unicode_at(s, 2));
}

static void same(const case_step *s)
{
    char *now = ui_screen(&p, number_at(s, 0), number_at(s, 1), true);
    assert_non_null(drawn);
    assert_string_equal(now, drawn);
    free(now);
}

static void seen(const case_step *s) { ui_expect_seen(&p, number_at(s, 0), number_at(s, 1), s->field[2]); }
static void unseen(const case_step *s) { ui_expect_unseen(&p, number_at(s, 0), number_at(s, 1), s->field[2]); }

static void screen(const case_step *s)
{
    ui_expect_screen(&p, s->field[0], number_at(s, 1), number_at(s, 2), unicode_at(s, 3));
}

static void message(const case_step *s)
{
    eb_tone tone;
    assert_string_equal(eb_desk_message(p.desk, &tone), s->field[0]);
}

static bool yes_at(const case_step *s)
{
    assert_true(strcmp(s->field[0], "yes") == 0 || strcmp(s->field[0], "no") == 0);
    return s->field[0][0] == 'y';
}

static void typing(const case_step *s) { assert_int_equal(p.panel->typing(p.state), yes_at(s)); }
static void invites(const case_step *s) { assert_int_equal(p.panel->invites(p.state, p.desk), yes_at(s)); }

static void column(const case_step *s)
{
    const char *found = p.panel->column(p.state, p.desk);
    assert_string_equal(found ? found : "~", s->field[0]);
}

/* The screen marks bad values by a role as well as by words. */
static void has_bad(const case_step *s)
{
    (void)s;
    eb_canvas canvas = {.unicode = true};
    bool bad = false;
    assert_int_equal(eb_canvas_resize(&canvas, 78, 17, NULL), EB_OK);
    p.panel->draw(p.state, p.desk, &canvas, eb_canvas_rect(&canvas), true);
    for (int k = 0; k < canvas.width * canvas.height; k++)
        bad |= canvas.cell[k].role == EB_ROLE_BAD;
    assert_true(bad);
    eb_canvas_free(&canvas);
}

/* At every width the legend shows as many labels as fit, and says that there are more. */
static void legend(const case_step *s)
{
    for (int width = 20; width <= 118; width++) {
        char *text = ui_screen(&p, width, 60, true);
        int told = 0;
        for (size_t k = 0; k < s->fields; k++)
            told += strstr(text, s->field[k]) != NULL;
        if (told != 1)
            fail_msg("the legend at %d columns:\n%s", width, text);
        free(text);
    }
}

/* ---- data before it is drawn: the roofline, the sides of a comparison, rows of counters ---- */

static void expect_text(const case_step *s, void (*write)(const case_step *s, FILE *out))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write(s, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, s->text ? s->text : "");
    free(text);
}

static const eb_report *on_desk(const void *context, const char *command) { return eb_desk_report(context, command); }

static void write_roofline(const case_step *s, FILE *out)
{
    (void)s;
    eb_roofline r = eb_roofline_of(on_desk, p.desk, eb_desk_facts(p.desk)->device);
    fprintf(out, "bytes/s %.9g\n", r.bytes_per_s);
    for (size_t k = 0; k < r.roofs; k++)
        fprintf(out, "roof %s, %.9g\n", r.roof[k].name, r.roof[k].tflops);
    for (size_t k = 0; k < r.points; k++)
        fprintf(out, "point %s, %.9g at %.9g%s\n", r.point[k].engine, r.point[k].tflops, r.point[k].intensity,
                r.point[k].counted ? ", counted" : "");
}

static void write_sides(const case_step *s, FILE *out)
{
    (void)s;
    eb_compare_scene scene = eb_compare_scene_of(p.desk);
    for (size_t k = 0; k < scene.sides; k++)
        fprintf(out, "%s%s", k ? " beside " : "", scene.side[k].engine);
    for (size_t part = 0; part < scene.parts; part++) {
        fprintf(out, "\n%s:", scene.part[part]);
        for (size_t k = 0; k < scene.sides; k++)
            fprintf(out, " %.9g", scene.seconds[k * scene.parts + part]);
    }
    fprintf(out, "\n");
}

static void write_lanes(const case_step *s, FILE *out)
{
    (void)s;
    eb_compare_scene scene = eb_compare_scene_of(p.desk);
    for (size_t k = 0; k < scene.lanes; k++) {
        const eb_lane *lane = &scene.lane[k];
        fprintf(out, "%s on %s, ", scene.side[lane->side].engine, lane->device);
        if (lane->lost)
            fprintf(out, "lost:");
        else
            fprintf(out, "%.9g of the work:", lane->work);
        for (size_t part = 0; part < scene.parts; part++)
            fprintf(out, " %.9g", lane->seconds[part]);
        fprintf(out, "\n");
    }
}

static void write_rows(const case_step *s, FILE *out)
{
    eb_report *report = report_named(s->field[0]);
    const eb_baseline none = {.run = -1};
    eb_counter_row row;
    for (size_t k = 0; eb_counter_engine(report, k); k++)
        fprintf(out, "%s%s", k ? " beside " : "", eb_counter_engine(report, k));
    for (size_t k = 0; eb_counter_row_at(report, &none, k, &row); k++) {
        fprintf(out, "\n%s:", row.title);
        for (size_t engine = 0; engine < row.engines; engine++)
            fprintf(out, " %.9g", row.value[engine]);
    }
    fprintf(out, "\n");
    eb_report_free(report);
}

static void roofline(const case_step *s) { expect_text(s, write_roofline); }
static void sides(const case_step *s) { expect_text(s, write_sides); }
static void lanes(const case_step *s) { expect_text(s, write_lanes); }
static void rows(const case_step *s) { expect_text(s, write_rows); }

static void difference(const case_step *s)
{
    char text[64];
    (void)eb_counter_difference(text, sizeof text, strtod(s->field[0], NULL), strtod(s->field[1], NULL),
                                report_unit(s->field[2]));
    assert_string_equal(text, s->field[3]);
}

static const case_verb verbs[] = {
    {"open", 1, open_panel},
    {"facts", 0, facts},
    {"take", 1, take},
    {"live", 1, live},
    {"running", 1, running},
    {"look", 0, look},
    {"inside", 0, inside},
    {"typed", 1, typed},
    {"refuses", 1, refuses},
    {"joins", 4, joins},
    {"press", 1, press},
    {"commands", 0, commands},
    {"draw", 2, draw},
    {"same", 2, same},
    {"seen", 3, seen},
    {"unseen", 3, unseen},
    {"screen", 3, screen},
    {"message", 1, message},
    {"typing", 1, typing},
    {"invites", 1, invites},
    {"progress", 5, progress},
    {"column", 1, column},
    {"has-bad", 0, has_bad},
    {"legend", 1, legend},
    {"roofline", 0, roofline},
    {"sides", 0, sides},
    {"lanes", 0, lanes},
    {"rows", 1, rows},
    {"difference", 4, difference},
};

int main(void)
{
    static const char *const files[] = {"panel-accuracy",  "panel-compare", "panel-counters", "panel-data",
                                        "panel-density",   "panel-lab",     "panel-lesson",   "panel-log",
                                        "panel-precision", "panel-rates",   "panel-recall",   "panel-tune"};
    int failed = 0;
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
        failed += CASE_RUN_ALL(files[k], verbs, NULL, close_panel);
    return failed;
}
