/* rungs: rungs of engine tensor that tests go through: every type, sums, path, number of parts and preparation.
 * Header-only. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "tests/unit/cpu_engines.h"

static const char *const rungs[] = {
    "type=f16",
    "type=f16,exponent=max",
    "type=f16,core=sm_80,centre=mean,exponent=auto",
    "type=f16,sums=f16,exponent=auto",
    "type=f16,parts=2,exponent=max,promote=64",
    "type=bf16",
    "type=bf16,parts=3",
    "type=tf32,centre=mean",
    "type=tf32,parts=2,core=sm_80",
    "type=e4m3,exponent=max",
    "type=e4m3,path=mma,exponent=max,centre=mean",
    "type=e5m2,path=mma,sums=f16,exponent=auto",
    "type=e4m3,promote=0,exponent=max",
    "type=e4m3,sums=f16,exponent=auto",
    "type=e5m2,core=sm_100,exponent=auto",
    "type=e5m2,core=sm_89,exponent=max,rotate=hadamard",
    "type=e4m3,exponent=max,debias=on",
    "type=s8",
    "type=s8,step=point,centre=mean",
    "type=s8,parts=2,rotate=hadamard",
    "type=s8,debias=on",
    "type=s8,step=point,parts=2,debias=on",
    "type=f64",
    "type=f64,centre=mean,rotate=hadamard",
};
enum { RUNGS = sizeof rungs / sizeof rungs[0] };

/* Opens a rung; false if it refuses the points because a coordinate is beyond its type. */
static inline bool opens(asked *a, const char *items, const eb_problem *problem)
{
    const cpu_variant variant = {&eb_engine_tensor, items};
    eb_status status = {.message = ""};
    a->setup = setup_of(&variant, 2);
    const eb_code failed = eb_problem_open(&a->setup, problem, NULL, &a->opened, &status);
    if (failed && (failed != EB_BAD_VALUE || !strstr(status.message, "beyond the greatest number")))
        fail_msg("%s: %s", a->setup.spec, status.message);
    return !failed;
}

/* s of all pairs, row-major; the caller frees. */
static inline double *all_distances(const asked *a)
{
    const size_t n = a->opened.problem.left->n, m = a->opened.problem.right->n;
    uint32_t *rows = malloc(n * sizeof *rows);
    double *s = malloc(n * m * sizeof *s);
    eb_status status = {.message = ""};
    assert_true(rows && s);
    for (size_t i = 0; i < n; i++)
        rows[i] = (uint32_t)i;
    if (a->setup.run->distances(a->opened.state, rows, n, s, &status))
        fail_msg("%s: %s", a->setup.spec, status.message);
    free(rows);
    return s;
}
