/* cpu_points: points that are difficult for a CPU engine by kind or number, and the pairs an engine finds among them.
 * Header-only. */
#pragma once

#include "tests/unit/cpu_engines.h"
#include "tests/unit/join_entries.h"
#include "tests/unit/naive_points.h"
#include "tests/unit/test.h"

/* ---- points ---- */

/* Coordinates are 0 … spread − 1 units; a small spread makes duplicates and ties. */
typedef struct sample {
    const char *name;
    size_t n, d;
    eb_dtype dtype;
    unsigned spread;
    float unit;
    double eps;
} sample;

#define FINE EB_F32, 1u << 24, 0x1p-24f /* no ties, all in [0, 1) */

/* fasted's tiles are 64 × 64. ref64's have 480 rows and 1024 columns up to 16 dimensions; from 256 on 120 rows and 256
 * columns, more for bytes. */
static const sample samples[] = {
    {"one point", 1, 1, EB_F32, 5, 1, 1},
    {"two points", 2, 3, FINE, 1},
    {"two bytes", 2, 1, EB_U8, 2, 1, 0},
    {"zeros", 130, 4, EB_F32, 1, 1, 0},
    {"zero bytes", 70, 5, EB_U8, 1, 1, 0},
    {"duplicates", 300, 2, EB_F32, 9, 0.25f, 0},
    {"ties exactly at ε", 300, 2, EB_F32, 12, 0.25f, 1.25}, /* 3, 4 and 5 quarters */
    {"integers with ties", 257, 2, EB_F32, 30, 1, 5},
    {"bytes with ties", 257, 2, EB_U8, 30, 1, 5},
    {"bytes", 385, 33, EB_U8, 256, 1, 520},
    {"everything", 150, 3, FINE, 100},
    {"nothing", 300, 16, FINE, 1e-9},
    {"one dimension", 1025, 1, FINE, 0.004},
    {"63 points", 63, 20, FINE, 1.5},
    {"64 points", 64, 20, FINE, 1.5},
    {"65 points", 65, 20, FINE, 1.5},
    {"119 deep points", 119, 300, FINE, 6.8},
    {"121 deep points", 121, 300, FINE, 6.8},
    {"255 deep points", 255, 300, FINE, 6.8},
    {"256 deep points", 256, 300, FINE, 6.8},
    {"257 deep points", 257, 300, FINE, 6.8},
    {"479 points", 479, 3, FINE, 0.15},
    {"481 points", 481, 3, FINE, 0.15},
    {"1024 points", 1024, 3, FINE, 0.1},
    {"1025 points", 1025, 3, FINE, 0.1},
};
#define SAMPLES (sizeof samples / sizeof samples[0])

/* Several tiles of every engine; less than a fifth of the pairs are within ε. */
static const sample large[] = {
    {"deep", 520, 300, FINE, 6.7},
    {"deep ties", 520, 310, EB_F32, 2, 0.25f, 3}, /* 144 sixteenths are 9 */
    {"deep bytes", 520, 600, EB_U8, 256, 1, 2470},
    {"shallow", 1300, 3, FINE, 0.08},
};
#define LARGE (sizeof large / sizeof large[0])

static inline const sample *sample_called(const char *name)
{
    size_t k = 0;
    while (strcmp(samples[k].name, name) != 0)
        assert_true(++k < SAMPLES);
    return &samples[k];
}

static inline eb_dataset *make(const sample *s)
{
    eb_dataset *ds = naive_points(s->n, s->d, s->spread, s->n);
    float *values = ds->owner;
    unsigned char *bytes = ds->owner;
    for (size_t k = 0; k < s->n * s->d; k++)
        if (s->dtype == EB_U8)
            bytes[k] = (unsigned char)values[k]; /* never overwrites a value not yet read */
        else
            values[k] *= s->unit;
    ds->dtype = s->dtype;
    ds->stride = s->d * eb_dtype_size(s->dtype);
    return ds;
}

/* Points [begin, end) of a set. */
static inline eb_dataset slice(const eb_dataset *ds, size_t begin, size_t end)
{
    eb_dataset part = *ds;
    part.rows = eb_row(ds, begin);
    part.n = end - begin;
    return part;
}

/* ---- an answer, joined and counted ---- */

static const eb_schedule usual = {.kind = EB_SCHEDULE_USUAL}, all = {.kind = EB_SCHEDULE_ALL},
                         triangle = {.kind = EB_SCHEDULE_TRIANGLE};

static inline join_entries whole_of(const asked *a, double eps, eb_schedule schedule)
{
    const eb_question question = {.eps = eps, .schedule = schedule};
    const eb_share whole = eb_share_whole(&a->opened.problem);
    join_entries found = entries_of(&a->opened, &question, &whole);
    size_t selves = eb_is_self_join(&a->opened.problem) ? whole.row_end : 0;
    assert_int_equal(count_of(a, &question, &whole), found.count + selves);
    return found;
}

static inline void expect_whole(const asked *a, double eps, eb_schedule schedule, const join_entries *expected,
                                const char *what)
{
    join_entries found = whole_of(a, eps, schedule);
    assert_same_entries(&found, expected, a->setup.spec, what);
    free_entries(&found);
}

/* The triangle with points in stored order: the reference for the other schedules. */
static inline join_entries triangle_of(const cpu_variant *variant, const eb_dataset *ds, double eps)
{
    const eb_problem problem = eb_self_join(ds);
    asked a;
    open_problem(&a, variant, &problem, 2);
    join_entries found = whole_of(&a, eps, triangle);
    close_problem(&a);
    return found;
}
