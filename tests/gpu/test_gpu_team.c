/* Tests of teams on GPUs: an engine on several GPUs, or several times on one, gives the table that it gives on one, bit
 * for bit; no tile is computed twice; a member that is lost is replaced by the others. With one GPU its teams have it
 * twice and three times; with several also all of them. */
#include "gpu_points.h"

#include "core/cluster/dbscan.h"
#include "core/team/team.h"
#include "core/tune/order_statistic.h"
#include "kernels/device/counters.h"

static const char *const engines[] = {"ref64",
                                      "fasted",
                                      "fasted[paper]",
                                      "tensor[type=bf16]",
                                      "tensor[type=e4m3]",
                                      "exact",
                                      "exact[way=boxes]",
                                      "exact[way=integers]",
                                      "exact[way=fp16]",
                                      "exact[way=int8]",
                                      "exact[way=int8,axes=127]",
                                      "ted",
                                      "gds",
                                      "mistic",
                                      "wmma"};

/* ---- specs ---- */

/* "0+0", "0+0+0", and all GPUs. False past the last. */
static bool team_at(size_t index, char *text, size_t size)
{
    size_t used = 0;
    if (index > 2 || (index == 2 && gpu_count < 2))
        return false;
    const size_t members = index < 2 ? index + 2 : gpu_count;
    for (size_t k = 0; k < members && k < EB_MOST_MEMBERS; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", k ? "+" : "", index == 2 ? gpus[k].index : 0);
    return true;
}

static void on_team(const char *spec, const char *team, char *out, size_t size)
{
    const size_t length = strlen(spec);
    if (spec[length - 1] == ']')
        (void)snprintf(out, size, "%.*s,device=cuda:%s]", (int)length - 1, spec, team);
    else
        (void)snprintf(out, size, "%s[device=cuda:%s]", spec, team);
}

/* ---- points for which an engine orders places, lists tiles or grows its lists ---- */

static float spread_in_clusters(size_t i, size_t k) { return 100 * uniform(i % 40, k) + uniform(i, k + 1000); }

static const sample large[] = {
    {"clusters of 64 dimensions", 9000, 64, 1.8, spread_in_clusters},
    {"uniform in 3 dimensions", 20000, 3, 0.06, uniform},
    {"uniform in 128 dimensions", 6000, 128, 4.0, uniform},
    {"all near", 3000, 20, 100, uniform},
};

/* Not an index of cells at ε = 0. */
static bool suits(const char *spec, const sample *s)
{
    const bool whole_numbers = strstr(spec, "integers") != NULL;
    return (!whole_numbers || strcmp(s->name, "integers") == 0) && (strcmp(spec, "gds") != 0 || s->eps > 0);
}

/* A run alone may refuse points; then the team must as well. */
static bool opens(asked *a, const char *spec, const eb_dataset *ds)
{
    eb_status status = {.message = ""};
    const eb_problem problem = eb_self_join(ds);
    a->setup = setup_of(spec);
    return eb_problem_open(&a->setup, &problem, NULL, &a->opened, &status) == EB_OK;
}

static double executed(asked *a) { return eb_figures_value(&a->opened.figures, "executed_flops"); }

static void compare_on(const char *spec, const sample *s)
{
    char team[64], text[200];
    eb_dataset ds;
    if (!suits(spec, s))
        return;
    float *rows = make(s, &ds);
    for (size_t t = 0; team_at(t, team, sizeof team); t++) {
        asked alone, together;
        on_team(spec, team, text, sizeof text);
        if (!opens(&alone, spec, &ds)) {
            assert_false(opens(&together, text, &ds));
            continue;
        }
        open_points(&together, text, &ds);
        eb_neighbours *expected = table_of(&alone, s->eps);
        assert_same_table(expected, table_of(&together, s->eps), text);
        /* boxes make all verdicts on every GPU, if that is faster */
        const bool by_boxes = strstr(together.opened.run->describe(together.opened.state), "boxes") != NULL;
        if (!by_boxes && executed(&alone) > 0 && fabs(executed(&together) / executed(&alone) - 1) > 1e-6)
            fail_msg("%s on %s: %.17g operations on one GPU, %.17g on the team", text, s->name, executed(&alone),
                     executed(&together));
        close_problem(&alone);
        close_problem(&together);
    }
    free(rows);
}

/* *state: the spec. */
static void a_team_gives_the_table_of_one_gpu(void **state)
{
    for (size_t k = 0; k < SAMPLES; k++)
        if (used(&samples[k]))
            compare_on(*state, &samples[k]);
    for (size_t k = 0; k < sizeof large / sizeof large[0] && !small; k++)
        compare_on(*state, &large[k]);
}

/* ---- points that arrive while kernels run: 256 MiB or more ---- */

static float bytes(size_t i, size_t k) { return floorf(256 * uniform(i, k)); }

static sample arriving(const char *spec)
{
    const size_t n = small ? 2000 : 70000;
    const sample whole = {"integers", n, 1024, 3132, bytes},
                 real = {"uniform in 1024 dimensions", n, 1024, 12.235, uniform};
    return strstr(spec, "integers") ? whole : real;
}

static void a_team_begins_while_points_arrive(void **state)
{
    const sample s = arriving(*state);
    compare_on(*state, &s);
}

/* ---- two sets ---- */

static void a_team_joins_two_sets(void **state)
{
    const sample s = plenty();
    char team[64], text[200];
    eb_dataset left, right;
    (void)state;
    float *one = make_from(&s, 0, s.n / 3, &left), *two = make_from(&s, s.n / 3, s.n - s.n / 3, &right);
    const eb_problem problem = {.left = &left, .right = &right};
    for (size_t e = 0; e < 3; e++)
        for (size_t t = 0; team_at(t, team, sizeof team); t++) {
            asked alone, together;
            on_team(engines[e], team, text, sizeof text);
            open_problem(&alone, engines[e], &problem, 0);
            open_problem(&together, text, &problem, 0);
            assert_same_table(table_of(&alone, s.eps), table_of(&together, s.eps), text);
            close_problem(&alone);
            close_problem(&together);
        }
    free(one);
    free(two);
}

/* ---- passes, and distances of many points ---- */

static uint64_t pass_of(const asked *a, double eps, double **kept)
{
    const bool keep = true;
    uint64_t pairs = 0;
    eb_status status = {.message = ""};
    eb_distance_pass pass = {.edges = 1, .eps = &eps, .keep = &keep, .pairs = &pairs, .kept = kept};
    if (eb_ask_histogram(&a->opened, &pass, &status))
        fail_msg("%s: %s", a->setup.spec, status.message);
    if (pairs)
        qsort(*kept, (size_t)pairs, sizeof(double), eb_compare_doubles);
    return pairs;
}

static void assert_same_bins(const asked *one, const asked *other, const uint32_t *row, size_t m)
{
    eb_status status = {.message = ""};
    eb_bins a, b;
    if (eb_ask_bins(&one->opened, row, m, &a, &status) || eb_ask_bins(&other->opened, row, m, &b, &status))
        fail_msg("%s: %s", other->setup.spec, status.message);
    assert_int_equal(a.queries, b.queries);
    assert_int_equal(a.low, b.low);
    assert_int_equal(a.high, b.high);
    assert_memory_equal(a.zeros, b.zeros, m * sizeof *a.zeros);
    assert_memory_equal(a.count, b.count, m * eb_bins_width(&a) * sizeof *a.count);
    eb_bins_free(&a);
    eb_bins_free(&b);
}

/* *state: the spec. The queries are so many that they are worth several GPUs. */
static void a_team_passes_over_distances_as_one(void **state)
{
    const char *spec = *state;
    const sample s = {"uniform in 128 dimensions", small ? 1000 : 20000, 128, 4.0, uniform};
    char team[64], text[200];
    eb_dataset ds;
    float *rows = make(&s, &ds);
    const size_t m = s.n / 10;
    uint32_t *row = malloc(m * sizeof *row);
    assert_non_null(row);
    for (uint32_t q = 0; q < m; q++)
        row[q] = (uint32_t)((q * 7919ull) % s.n);
    for (size_t t = 0; team_at(t, team, sizeof team); t++) {
        asked alone, together;
        double *expected = NULL, *found = NULL;
        on_team(spec, team, text, sizeof text);
        open_points(&alone, spec, &ds);
        open_points(&together, text, &ds);
        const uint64_t pairs = pass_of(&alone, s.eps, &expected);
        assert_true(pairs > 0);
        assert_int_equal(pass_of(&together, s.eps, &found), pairs);
        assert_memory_equal(found, expected, (size_t)pairs * sizeof *found);
        assert_same_bins(&alone, &together, row, m);
        free(expected);
        free(found);
        close_problem(&alone);
        close_problem(&together);
    }
    free(row);
    free(rows);
}

/* ---- lost members ---- */

static _Atomic int calls_left; /* until one fails */
static eb_implementation losing;
static const eb_implementation *sound;

static eb_code losing_join(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                           eb_status *status)
{
    if (calls_left-- == 0)
        return eb_fail(status, EB_NO_DEVICE, "the device fell off the bus");
    return sound->join(state, question, share, sink, status);
}

static eb_code losing_count(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                            eb_status *status)
{
    if (calls_left-- == 0)
        return eb_fail(status, EB_NO_DEVICE, "the device fell off the bus");
    return sound->count(state, question, share, entries, status);
}

/* Any member's join or count fails once. */
static void lose_members(const char *spec, const sample *s)
{
    char team[64], text[200];
    eb_dataset ds;
    float *rows = make(s, &ds);
    const eb_problem problem = eb_self_join(&ds);
    for (size_t t = 0; team_at(t, team, sizeof team); t++)
        for (int fails = 0; fails < 5; fails++) {
            asked alone, together;
            eb_status status = {.message = ""};
            on_team(spec, team, text, sizeof text);
            open_points(&alone, spec, &ds);
            together.setup = setup_of(text);
            sound = together.setup.run;
            losing = *sound;
            losing.join = losing_join;
            losing.count = losing_count;
            together.setup.run = &losing;
            calls_left = fails;
            if (eb_problem_open(&together.setup, &problem, NULL, &together.opened, &status))
                fail_msg("%s: %s", text, status.message);
            assert_same_table(table_of(&alone, s->eps), table_of(&together, s->eps), text);
            close_problem(&alone);
            close_problem(&together);
        }
    free(rows);
}

/* *state: the spec. */
static void a_lost_member_is_replaced(void **state)
{
    const sample s = plenty();
    lose_members(*state, &s);
}

static void a_member_is_lost_while_points_arrive(void **state)
{
    const sample s = arriving(*state);
    lose_members(*state, &s);
}

/* *state: the spec. A member's join fails once, before or after it has delivered its part: rows that have come are not
 * taken again, single hits come anew. */
static bool fails_late;

static eb_code losing_stream(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                             eb_status *status)
{
    const bool lost = calls_left-- == 0;
    if (!lost || fails_late)
        EB_TRY(sound->join(state, question, share, sink, status));
    return lost ? eb_fail(status, EB_NO_DEVICE, "the device fell off the bus") : EB_OK;
}

static void a_stream_is_asked_again(void **state)
{
    const char *spec = *state;
    const sample s = plenty();
    char team[64], text[200];
    eb_dataset ds;
    eb_status status = {.message = ""};
    float *rows = make(&s, &ds);
    const eb_problem problem = eb_self_join(&ds);
    eb_dbscan expected, found;
    asked alone;
    open_points(&alone, spec, &ds);
    if (eb_dbscan_find(&alone.opened, s.eps, 4, 0, &expected, &status))
        fail_msg("%s: %s", spec, status.message);
    close_problem(&alone);
    for (size_t t = 0; team_at(t, team, sizeof team); t++)
        for (int fails = 0; fails < 8; fails++) {
            asked together;
            on_team(spec, team, text, sizeof text);
            together.setup = setup_of(text);
            sound = together.setup.run;
            losing = *sound;
            losing.join = losing_stream;
            together.setup.run = &losing;
            calls_left = fails / 2;
            fails_late = fails % 2;
            if (eb_problem_open(&together.setup, &problem, NULL, &together.opened, &status) ||
                eb_dbscan_find(&together.opened, s.eps, 4, 0, &found, &status))
                fail_msg("%s, join %d fails %s: %s", text, fails / 2, fails_late ? "late" : "early", status.message);
            assert_int_equal(found.pairs, expected.pairs);
            assert_memory_equal(found.label, expected.label, ds.n * sizeof *found.label);
            eb_dbscan_free(&found);
            close_problem(&together);
        }
    eb_dbscan_free(&expected);
    free(rows);
}

/* ---- what each GPU did ---- */

static eb_team_work work_of(const asked *a) { return eb_team_work_of(a->opened.run, a->opened.state); }

/* Each member tells its kernels' time and its operations; all operations together are those of one GPU. */
static void members_tell_what_they_did(void **state)
{
    const char *spec = *state;
    const sample s = {"uniform in 128 dimensions", small ? 1000 : 6000, 128, 4.0, uniform};
    char team[64], text[200];
    eb_dataset ds;
    float *rows = make(&s, &ds);
    for (size_t t = 0; team_at(t, team, sizeof team); t++) {
        asked together;
        double operations = 0;
        on_team(spec, team, text, sizeof text);
        open_points(&together, text, &ds);
        eb_neighbours_free(table_of(&together, s.eps));
        eb_team_work work = work_of(&together);
        assert_true(work.members >= 2);
        for (unsigned k = 0; k < work.members; k++) {
            assert_true(strncmp(work.member[k].device, "cuda:", 5) == 0);
            assert_true(eb_figures_value(&work.member[k].figures, "kernel_s") > 0);
            operations += eb_figures_value(&work.member[k].figures, "executed_flops");
        }
        if (!(fabs(operations / executed(&together) - 1) < 1e-9))
            fail_msg("%s: members executed %.17g operations, the team %.17g", text, operations, executed(&together));
        eb_team_work_free(&work);
        close_problem(&together);
    }
    free(rows);
}

typedef struct counting {
    asked *asked;
    double eps;
    uint64_t pairs; /* of the first count; 0: none yet */
} counting;

static eb_code count_once(void *context, eb_status *status)
{
    counting *c = context;
    const eb_question question = {.eps = c->eps};
    const eb_share whole = eb_share_whole(&c->asked->opened.problem);
    uint64_t pairs = 0;
    EB_TRY(eb_ask_count(&c->asked->opened, &question, &whole, &pairs, status));
    if (c->pairs > 0 && pairs != c->pairs)
        return eb_fail(status, EB_INTERNAL, "%llu pairs while counted, %llu before", (unsigned long long)pairs,
                       (unsigned long long)c->pairs);
    c->pairs = pairs;
    return EB_OK;
}

static double counter_of(const double *values, const char *key)
{
    for (size_t k = 0; k < eb_counter_count(); k++)
        if (strcmp(eb_counter_at(k)->key, key) == 0)
            return values[k];
    return NAN;
}

/* The instructions of all GPUs together are those of one GPU that does all the work. */
static void counters_of_all_gpus_are_those_of_one(void **state)
{
    const char *spec = *state;
    static const char *const keys[] = {"hmma_instructions", "gmma_instructions"};
    const sample s = {"uniform in 256 dimensions", small ? 2000 : 20000, 256, 1e-3, uniform};
    char team[64], text[200];
    eb_dataset ds;
    float *rows = make(&s, &ds);
    double *one = calloc(eb_counter_count(), sizeof *one), *all = calloc(eb_counter_count(), sizeof *all);
    asked alone;
    eb_status status = {.message = ""};
    size_t passes;
    assert_true(one && all);
    open_points(&alone, spec, &ds);
    counting c = {.asked = &alone, .eps = s.eps};
    const eb_code failed = eb_counters_collect(gpus[0].index, count_once, &c, one, &passes, &status);
    close_problem(&alone);
    if (failed) {
        free(one);
        free(all);
        free(rows);
    }
    if (failed == EB_NO_DEVICE) {
        print_message("no counters: %s\n", status.message);
        skip();
    }
    if (failed)
        fail_msg("%s", status.message);
    for (size_t t = 0; team_at(t, team, sizeof team); t++) {
        asked together;
        eb_team_counters counters;
        on_team(spec, team, text, sizeof text);
        open_points(&together, text, &ds);
        counting of_team = {.asked = &together, .eps = s.eps};
        if (eb_team_counters_collect(&together.setup.device, eb_counters_collect, count_once, &of_team, &counters,
                                     &status))
            fail_msg("%s: %s", text, status.message);
        assert_int_equal(of_team.pairs, c.pairs);
        for (unsigned k = 0; k < counters.devices; k++)
            if (!counters.device[k].values)
                fail_msg("%s: %s: %s", text, counters.device[k].name, counters.device[k].why_not);
        assert_int_equal(counters.devices, t < 2 ? 1 : gpu_count);
        eb_team_counters_total(&counters, all);
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            const double wanted = counter_of(one, keys[k]), found = counter_of(all, keys[k]);
            if (wanted > 0 && !(fabs(found / wanted - 1) < 0.02))
                fail_msg("%s: %s %.17g, on one GPU %.17g", text, keys[k], found, wanted);
        }
        eb_team_counters_free(&counters);
        close_problem(&together);
    }
    free(one);
    free(all);
    free(rows);
}

static void add_all(test_list *list)
{
    static const char *const lost[] = {"fasted", "exact", "gds", "exact[way=boxes]"};
    static const char *const passing[] = {"ref64", "fasted", "exact", "gds", "exact[way=boxes]"};
    static const char *const arrive[] = {"fasted", "exact", "exact[way=fp16]", "exact[way=int8]",
                                         "exact[way=integers]"};
    static const char *const counted[] = {"fasted", "fasted[paper]"};
    for (size_t k = 0; k < sizeof engines / sizeof engines[0]; k++)
        add_test(list, "team", engines[k], a_team_gives_the_table_of_one_gpu, engines[k]);
    for (size_t k = 0; k < sizeof arrive / sizeof arrive[0]; k++)
        add_test(list, "arriving", arrive[k], a_team_begins_while_points_arrive, arrive[k]);
    for (size_t k = 0; k < 2; k++)
        add_test(list, "lost_arriving", arrive[k], a_member_is_lost_while_points_arrive, arrive[k]);
    ADD_TEST(list, a_team_joins_two_sets);
    for (size_t k = 0; k < sizeof passing / sizeof passing[0]; k++)
        add_test(list, "passes", passing[k], a_team_passes_over_distances_as_one, passing[k]);
    for (size_t k = 0; k < sizeof lost / sizeof lost[0]; k++)
        add_test(list, "lost_member", lost[k], a_lost_member_is_replaced, lost[k]);
    for (size_t k = 0; k < sizeof lost / sizeof lost[0]; k++)
        add_test(list, "lost_stream", lost[k], a_stream_is_asked_again, lost[k]);
    for (size_t k = 0; k < sizeof counted / sizeof counted[0]; k++) {
        add_test(list, "members", counted[k], members_tell_what_they_did, counted[k]);
        add_test(list, "counters", counted[k], counters_of_all_gpus_are_those_of_one, counted[k]);
    }
}

int main(int argc, char **argv) { return run_suite(argc, argv, "teams of GPUs", add_all); }
