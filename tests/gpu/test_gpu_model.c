/* Tests of the machine model against the GPU: registers, shared memory and occupancy are exact, conflicts and L2 hits
 * agree with the counters. Skipped on a GPU that the model's table lacks; the counters also need the privilege to read
 * them. Needs a GPU (gpu_suite.h). */
#include "core/model/predict.h"
#include "gpu_points.h"
#include "kernels/device/counters.h"

/* Defined in model_probe.cu. */
extern eb_code test_kernel_facts(uint32_t switches, unsigned sms, unsigned *registers, unsigned *shared_bytes,
                                 unsigned *workers, eb_status *status);

static eb_machine *machines;

/* The model's entry for the first GPU; skips the test if there is none. */
static const eb_machine *machine_here(void)
{
    eb_status status;
    size_t count;
    free(machines);
    assert_int_equal(eb_machines(NULL, &machines, &count, &status), EB_OK);
    const eb_machine *machine = eb_machine_find(machines, count, gpus[0].model);
    if (!machine)
        skip();
    return machine;
}

static eb_prediction predict(const char *text, size_t n, size_t d, eb_kernel_plan *plan)
{
    eb_status status = {.message = ""};
    eb_prediction of = {0};
    const eb_machine *machine = machine_here();
    const eb_setup setup = setup_of(text);
    if (setup.engine->plan(&setup.options, n, d, machine, plan, &status) ||
        eb_predict(plan, machine, 0, NULL, &of, &status))
        fail_msg("%s: %s", text, status.message);
    return of;
}

/* ---- against the driver ---- */

static const char *const kernels[] = {
    "fasted[paper]",
    "fasted[paper,-tile-order]",
    "fasted[paper,-block-tile]",
    "fasted[paper,-async-copy,-pipeline]",
    "fasted[paper,-pipeline]",
    "fasted[paper,-residency]",
    "fasted[paper,-warp-tile,-register-reuse]",
    "fasted[paper,-swizzle]",
    "fasted[paper,-alignment]",
    "fasted[paper,-register-reuse]",
    "fasted[paper,-swizzle,-alignment,-pipeline]",
    "fasted[paper,-warp-tile,-register-reuse,-block-tile,-residency]",
    "fasted[paper,-tile-order,-block-tile,-async-copy,-pipeline,-residency,-warp-tile,-register-reuse,-swizzle,"
    "-alignment]",
    "fasted[-warpgroup]",
    "fasted[-warpgroup,-symmetric]",
    "fasted[-warpgroup,-striding,-run-ahead]",
    "fasted[-warpgroup,-candidate-queue,-spare-warps]",
    "fasted[-warpgroup,-aggregate]",
    "fasted",
    "fasted[-symmetric]",
    "fasted[-spare-warps]",
};

/* *state: the kernel. */
static void kernels_take_what_the_model_says(void **state)
{
    eb_status status = {.message = ""};
    eb_kernel_plan plan;
    unsigned registers, shared_bytes, workers;
    static const size_t shape[][2] = {{1000, 128}, {1000000, 128}, {1000000, 64}}; /* strips from the second on, then
                                                                                      four groups */
    for (size_t k = 0; k < sizeof shape / sizeof shape[0]; k++) {
        const eb_prediction p = predict(*state, shape[k][0], shape[k][1], &plan);
        assert_true(plan.compiled);
        if (test_kernel_facts((uint32_t)plan.variant, gpus[0].units, &registers, &shared_bytes, &workers, &status))
            fail_msg("%s", status.message);
        assert_int_equal((plan.registers + 7) / 8, (registers + 7) / 8); /* an SM allots them by eights */
        assert_int_equal(plan.shared_bytes, shared_bytes);
        assert_int_equal(p.occupancy.workers, workers);
    }
}

/* ---- against the counters ---- */

typedef struct counting {
    eb_opened opened;
    double eps;
} counting;

static eb_code count_once(void *context, eb_status *status)
{
    const counting *c = context;
    const eb_question question = {.eps = c->eps};
    const eb_share whole = eb_share_whole(&c->opened.problem);
    uint64_t pairs;
    return eb_ask_count(&c->opened, &question, &whole, &pairs, status);
}

static double counter_of(const double *values, const char *key)
{
    for (size_t k = 0; k < eb_counter_count(); k++)
        if (strcmp(eb_counter_at(k)->key, key) == 0)
            return values[k];
    return NAN;
}

/* Reads counters of a join that finds almost nothing; skips if counters cannot be read. */
static void read_counters(const char *text, size_t n, size_t d, double *conflicts, double *l2)
{
    eb_status status = {.message = ""};
    const sample s = {"few pairs", n, d, 1e-3, uniform};
    const eb_setup setup = setup_of(text);
    eb_dataset ds;
    float *rows = make(&s, &ds);
    const eb_problem problem = {.left = &ds, .right = &ds};
    counting c = {.eps = s.eps};
    double *values = calloc(eb_counter_count(), sizeof *values);
    size_t passes;
    assert_non_null(values);
    assert_int_equal(eb_problem_open(&setup, &problem, NULL, &c.opened, &status), EB_OK);
    assert_int_equal(count_once(&c, &status), EB_OK);
    const eb_code failed = eb_counters_collect(gpus[0].index, count_once, &c, values, &passes, &status);
    *conflicts = counter_of(values, "ldmatrix_conflicts");
    *l2 = counter_of(values, "l2_hit_rate");
    eb_problem_close(&c.opened);
    free(values);
    free(rows);
    if (failed == EB_NO_DEVICE)
        skip();
    if (failed)
        fail_msg("%s", status.message);
}

/* ldmatrix's conflicts are exact. Other instructions also have conflicts at a tile's end, and with copies that arrive
 * meanwhile. */
static void counters_see_the_conflicts(void **state)
{
    (void)state;
    static const char *const specs[] = {"fasted[paper]", "fasted[paper,-swizzle]", "fasted[paper,-alignment]",
                                        "fasted[-warpgroup]"};
    eb_kernel_plan plan;
    double conflicts, l2;
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        const eb_prediction p = predict(specs[k], small ? 1000 : 20000, 256, &plan);
        read_counters(specs[k], small ? 1000 : 20000, 256, &conflicts, &l2);
        const double by_model = (double)p.matrix.conflicts / (double)p.matrix.wavefronts;
        if (!(fabs(conflicts - by_model) < 1e-6))
            fail_msg("%s: counted %.6f, by the model %.6f", specs[k], conflicts, by_model);
    }
}

/* Kernels that take tiles from a queue: with fixed shares, workers drift apart at random. */
static void counters_see_the_hits(void **state)
{
    (void)state;
    static const char *const specs[] = {"fasted[paper]", "fasted[-warpgroup,-striding,-run-ahead]", "ted"};
    eb_kernel_plan plan;
    double conflicts, l2;
    if (small || machine_here()->measured == 0)
        skip();
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++)
        for (size_t d = 256; d <= 1024; d *= 2) {
            const eb_prediction p = predict(specs[k], 100000, d, &plan);
            read_counters(specs[k], 100000, d, &conflicts, &l2);
            if (!(fabs(l2 - p.cache.hit_rate) < 0.05))
                fail_msg("%s, d = %zu: counted %.3f, by the model %.3f", specs[k], d, l2, p.cache.hit_rate);
        }
}

static void add_all(test_list *list)
{
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
        add_test(list, "kernels", kernels[k], kernels_take_what_the_model_says, kernels[k]);
    ADD_TEST(list, counters_see_the_conflicts);
    ADD_TEST(list, counters_see_the_hits);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_model", add_all); }
