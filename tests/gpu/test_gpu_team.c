/* Tests of teams on GPUs: an engine on several GPUs, or several times on one, gives the table that it gives on one, bit
 * for bit; no tile is computed twice; a member that is lost is replaced by the others. With one GPU its teams have it
 * twice and three times; with several also all of them. */
#include "gpu_points.h"

#include "core/team/team.h"

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

/* *state: the spec. Any member's join or count fails once. */
static void a_lost_member_is_replaced(void **state)
{
    const char *spec = *state;
    const sample s = plenty();
    char team[64], text[200];
    eb_dataset ds;
    float *rows = make(&s, &ds);
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
            assert_same_table(table_of(&alone, s.eps), table_of(&together, s.eps), text);
            close_problem(&alone);
            close_problem(&together);
        }
    free(rows);
}

static void add_all(test_list *list)
{
    static const char *const lost[] = {"fasted", "exact", "gds", "exact[way=boxes]"};
    for (size_t k = 0; k < sizeof engines / sizeof engines[0]; k++)
        add_test(list, "team", engines[k], a_team_gives_the_table_of_one_gpu, engines[k]);
    ADD_TEST(list, a_team_joins_two_sets);
    for (size_t k = 0; k < sizeof lost / sizeof lost[0]; k++)
        add_test(list, "lost_member", lost[k], a_lost_member_is_replaced, lost[k]);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "teams of GPUs", add_all); }
