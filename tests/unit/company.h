/* company: ranks as threads of one process, and all answers to questions about a problem, to compare those of one rank
 * with those of several. Header-only. */
#pragma once

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "core/join/join.h"
#include "core/ranks/local.h"
#include "core/ranks/ranks.h"
#include "core/ranks/server/server.h"
#include "tests/unit/test.h"

enum { MOST_RANKS = 9 };

/* ---- ranks ---- */

typedef struct company {
    unsigned count;
    eb_transport transport[MOST_RANKS];
    eb_server_request request[MOST_RANKS];
    pthread_t thread[MOST_RANKS];
    eb_ranks *ranks;
} company;

static void (*company_prepare)(company *c); /* changes the transports before the ranks start; NULL: nothing to change */

static _Atomic unsigned refusing; /* the rank that finds no device; 0: none */

static const eb_device *company_gpu; /* the device of all ranks; NULL: the CPU */
static eb_holding company_holding;   /* the points that a rank holds */

static eb_row_keeper company_keeper; /* of all ranks; NULL: none */

static inline eb_code find_ours(void *context, const char *name, eb_device *out, eb_status *status)
{
    const eb_transport *transport = context;
    eb_device_cpu(out);
    if (company_gpu && strcmp(name, company_gpu->name) == 0)
        *out = *company_gpu;
    else if (strcmp(name, "cpu") != 0)
        return eb_fail(status, EB_NO_DEVICE, "no device %s", name);
    if (transport && transport->rank == atomic_load(&refusing) && transport->rank > 0)
        return eb_fail(status, EB_NO_DEVICE, "this rank has no device");
    return EB_OK;
}

static inline void *serve(void *argument)
{
    eb_status status;
    return eb_serve(argument, &status) == EB_OK ? argument : NULL;
}

static inline void begin_company(company *c, unsigned count)
{
    eb_status status = {.message = ""};
    c->count = count;
    assert_int_equal(eb_local_ranks(count, c->transport, &status), EB_OK);
    if (company_prepare)
        company_prepare(c);
    for (unsigned r = 1; r < count; r++) {
        c->request[r] = (eb_server_request){&c->transport[r], find_ours, &c->transport[r], company_keeper};
        assert_int_equal(pthread_create(&c->thread[r], NULL, serve, &c->request[r]), 0);
    }
    const eb_ranks_request request = {.transport = &c->transport[0], .eager = true};
    if (eb_ranks_start(&request, &c->ranks, &status))
        fail_msg("%s", status.message);
}

static inline void end_company(company *c)
{
    assert_true(eb_ranks_stop(c->ranks));
    for (unsigned r = 1; r < c->count; r++) {
        void *sound;
        assert_int_equal(pthread_join(c->thread[r], &sound), 0);
        assert_non_null(sound);
    }
    for (unsigned r = 0; r < c->count; r++)
        c->transport[r].close(c->transport[r].state);
}

/* ---- answers of one problem ---- */

enum { EDGES = 3, QUERIES = 7 };

typedef struct answers {
    uint64_t entries, part_entries;
    eb_neighbours *table;
    uint64_t pairs[EDGES];
    double *kept; /* of the second interval, ascending */
    double *distances;
    eb_bins bins;
    double flops;
} answers;

static inline bool setup_for(const char *text, unsigned threads, eb_setup *out)
{
    eb_spec spec;
    eb_status status = {.message = ""};
    if (eb_spec_parse(text, NULL, &spec, &status) ||
        eb_setup_make(&spec, company_gpu ? company_gpu->name : "cpu", find_ours, NULL, out, &status)) {
        fail_msg("%s: %s", text, status.message);
        return false;
    }
    out->resources.threads = threads;
    out->resources.holding = company_holding;
    return true;
}

#define EXPECT_OK(call)                                                                                                \
    do {                                                                                                               \
        eb_status status = {.message = ""};                                                                            \
        if (call)                                                                                                      \
            fail_msg("%s: %s", opened->setup->spec, status.message);                                                   \
    } while (0)

static inline eb_code keep_batch(void *context, eb_neighbours *batch, eb_status *status)
{
    (void)status;
    *(eb_neighbours **)context = batch;
    return EB_OK;
}

static inline int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void ask_pass(eb_opened *opened, double eps, answers *out)
{
    const double edges[EDGES] = {0.7 * eps, 0.9 * eps, eps};
    const bool keep[EDGES] = {false, true, false};
    double *kept[EDGES];
    eb_distance_pass pass = {.edges = EDGES, .eps = edges, .keep = keep, .pairs = out->pairs, .kept = kept};
    if (eps <= 0 || !eb_is_self_join(&opened->problem))
        return;
    EXPECT_OK(eb_ask_histogram(opened, &pass, &status));
    assert_null(kept[0]);
    out->kept = kept[1];
    qsort(out->kept, out->pairs[1], sizeof *out->kept, by_value);
}

static inline void ask_all(eb_opened *opened, double eps, answers *out)
{
    const eb_question question = {.eps = eps};
    const size_t n = opened->problem.left->n, others = opened->problem.right->n;
    const eb_share whole = eb_share_whole(&opened->problem), part = {n / 3, n, 1, 2, NULL},
                   rest = {n / 3, n, 0, 2, NULL};
    const eb_join_plan plan = {.question = question, .distances = EB_DISTANCES_F64};
    eb_join_result result;
    uint64_t half;
    uint32_t rows[QUERIES];
    *out = (answers){.entries = 0};
    EXPECT_OK(eb_ask_count(opened, &question, &whole, &out->entries, &status));
    const eb_figure *flops = eb_figures_find(&opened->figures, "executed_flops");
    out->flops = flops ? flops->value : 0;
    EXPECT_OK(eb_ask_count(opened, &question, &part, &half, &status));
    EXPECT_OK(eb_ask_count(opened, &question, &rest, &out->part_entries, &status));
    out->part_entries += half;
    EXPECT_OK(eb_join_run(opened, &plan, keep_batch, &out->table, &result, &status));
    ask_pass(opened, eps, out);
    for (size_t k = 0; k < QUERIES; k++)
        rows[k] = (uint32_t)((k * 131 + 1) % n);
    out->distances = malloc(QUERIES * others * sizeof *out->distances);
    EXPECT_OK(eb_ask_distances(opened, rows, QUERIES, out->distances, &status));
    EXPECT_OK(eb_ask_bins(opened, rows, QUERIES, &out->bins, &status));
}

static inline void free_answers(answers *a)
{
    eb_neighbours_free(a->table);
    free(a->kept);
    free(a->distances);
    eb_bins_free(&a->bins);
}

static inline void expect_same(const answers *a, const answers *b, const eb_problem *problem, const char *spec,
                               unsigned ranks)
{
    const size_t rows = problem->left->n;
    const uint64_t entries = a->table->offsets[rows];
    const size_t width = eb_bins_width(&a->bins);
    if (a->entries != b->entries || a->part_entries != b->part_entries || entries != b->table->offsets[rows])
        fail_msg("%s with %u ranks: %llu, %llu and %llu entries; expected %llu, %llu and %llu", spec, ranks,
                 (unsigned long long)b->entries, (unsigned long long)b->part_entries,
                 (unsigned long long)b->table->offsets[rows], (unsigned long long)a->entries,
                 (unsigned long long)a->part_entries, (unsigned long long)entries);
    assert_memory_equal(a->table->offsets, b->table->offsets, (rows + 1) * sizeof *a->table->offsets);
    if (entries) {
        assert_memory_equal(a->table->columns, b->table->columns, entries * sizeof *a->table->columns);
        assert_memory_equal(a->table->distances, b->table->distances, entries * sizeof *a->table->distances);
    }
    assert_memory_equal(a->pairs, b->pairs, sizeof a->pairs);
    if (a->kept && a->pairs[1])
        assert_memory_equal(a->kept, b->kept, a->pairs[1] * sizeof *a->kept);
    assert_memory_equal(a->distances, b->distances, QUERIES * problem->right->n * sizeof *a->distances);
    assert_int_equal(width, eb_bins_width(&b->bins));
    assert_memory_equal(a->bins.zeros, b->bins.zeros, QUERIES * sizeof *a->bins.zeros);
    if (width)
        assert_memory_equal(a->bins.count, b->bins.count, QUERIES * width * sizeof *a->bins.count);
}

static inline void ask_problem(const char *spec, const eb_problem *problem, double eps, answers *out)
{
    eb_setup setup;
    eb_opened held, *opened = &held;
    (void)setup_for(spec, 2, &setup);
    (void)snprintf(setup.note, sizeof setup.note, "-");
    eb_status status = {.message = ""};
    if (eb_problem_open(&setup, problem, NULL, opened, &status))
        fail_msg("%s: %s", spec, status.message);
    ask_all(opened, eps, out);
    eb_problem_close(opened);
}
