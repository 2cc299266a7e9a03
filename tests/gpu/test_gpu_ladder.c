/* Tests of the ladder's kernels: each gives the exact result where FP16 represents it, and those with FASTED's
 * arithmetic give FASTED's pairs. Needs a GPU and NVRTC (gpu_suite.h). */
#include "gpu_points.h"
#include "kernels/ladder/ladder.h"

static eb_dataset f32_points(const float *rows, size_t n, size_t d)
{
    return (eb_dataset){.n = n,
                        .d = d,
                        .dtype = EB_F32,
                        .rows = (const unsigned char *)rows,
                        .stride = d * sizeof *rows,
                        .source = (char *)(uintptr_t) "test"};
}

static bool runs_here(const eb_rung *rung)
{
    return rung->architecture == 80 || strcmp(gpus[0].architecture, "sm_90") == 0;
}

static eb_climb climb(const eb_rung *rung, const eb_dataset *ds, double eps, uint32_t *neighbours)
{
    eb_status status = {.message = ""};
    eb_climb out;
    if (eb_ladder_climb(rung, &gpus[0], ds, eps, 1, neighbours, &out, &status))
        fail_msg("%s: %s", rung->name, status.message);
    return out;
}

/* Small whole numbers: coordinates, products and sums are exact, and every squared distance is a tie with some ε. */
static void every_rung_finds_the_truth(void **state)
{
    static const size_t shapes[][2] = {{1, 1}, {130, 3}, {257, 65}, {300, 128}, {1025, 64}, {1400, 200}};
    (void)state;
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        const size_t n = shapes[shape][0], d = shapes[shape][1];
        float *rows = malloc(n * d * sizeof *rows);
        uint32_t *truth = malloc(n * sizeof *truth), *found = malloc(n * sizeof *found);
        assert_true(rows && truth && found);
        for (size_t k = 0; k < n * d; k++)
            rows[k] = (float)(mix(k + shape) % 8) - 3;
        const eb_dataset ds = f32_points(rows, n, d);
        for (double s = 0; s <= 21.0 * (double)d; s = s == 0 ? 9.0 * (double)d : s + 6.0 * (double)d) {
            for (size_t i = 0; i < n; i++) {
                truth[i] = 0;
                for (size_t j = 0; j < n; j++) {
                    double sum = 0;
                    for (size_t k = 0; k < d; k++)
                        sum += (rows[i * d + k] - rows[j * d + k]) * (rows[i * d + k] - rows[j * d + k]);
                    truth[i] += sum <= sqrt(s) * sqrt(s);
                }
            }
            for (size_t r = 0; r < EB_RUNGS; r++) {
                if (!runs_here(&eb_ladder[r]))
                    continue;
                (void)climb(&eb_ladder[r], &ds, sqrt(s), found);
                for (size_t i = 0; i < n; i++)
                    if (found[i] != truth[i])
                        fail_msg("%s, %zu × %zu, s = %g: point %zu has %u neighbours, found %u", eb_ladder[r].name, n,
                                 d, s, i, truth[i], found[i]);
            }
        }
        free(rows);
        free(truth);
        free(found);
    }
}

static void rungs_on_tensor_cores_are_fasted_bit_for_bit(void **state)
{
    static const double eps[] = {2.5, 3.0, 3.2};
    (void)state;
    const size_t n = small ? 500 : 20000, d = 70;
    float *rows = malloc(n * d * sizeof *rows);
    assert_non_null(rows);
    for (size_t k = 0; k < n * d; k++)
        rows[k] = uniform(k / d, k % d);
    const eb_dataset ds = f32_points(rows, n, d);
    for (size_t e = 0; e < sizeof eps / sizeof eps[0]; e++) {
        asked a;
        open_points(&a, "fasted", &ds);
        const uint64_t pairs = count_all(&a, eps[e]);
        close_problem(&a);
        for (size_t r = 2; r < EB_RUNGS; r++)
            if (runs_here(&eb_ladder[r]))
                assert_int_equal(climb(&eb_ladder[r], &ds, eps[e], NULL).pairs, pairs);
    }
    free(rows);
}

static void what_fp16_cannot_hold_is_refused(void **state)
{
    static const float rows[] = {1, 2, 3, 1e6f};
    (void)state;
    const eb_dataset ds = f32_points(rows, 2, 2);
    eb_status status = {.message = ""};
    eb_climb out;
    assert_int_equal(eb_ladder_climb(&eb_ladder[0], &gpus[0], &ds, 1, 1, NULL, &out, &status), EB_BAD_VALUE);
    assert_non_null(strstr(status.message, "row 1, column 1: 1e+06 exceeds FP16's largest finite value, 65504"));
}

static void add_all(test_list *list)
{
    ADD_TEST(list, every_rung_finds_the_truth);
    ADD_TEST(list, rungs_on_tensor_cores_are_fasted_bit_for_bit);
    ADD_TEST(list, what_fp16_cannot_hold_is_refused);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_ladder", add_all); }
