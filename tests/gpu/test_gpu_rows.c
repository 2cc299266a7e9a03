/* Tests of how rows travel from a GPU into the table: rows of every length, in one chunk and in many, in little memory,
 * into fresh and reused memory, by one thread and by many; and of joins that stop midway. Needs a GPU (gpu_suite.h). */
#include "core/base/clock.h"
#include "core/base/pool.h"
#include "gpu_points.h"

static const char *const variants[] = {"ref64", "fasted"};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* ---- points in crowds: at ε = 1 a point's neighbours are its crowd, for any arithmetic ---- */

enum { CROWDS = 7 };

typedef struct crowds {
    size_t size[CROWDS], n;
    float *rows;     /* n × 2: the crowd, and a step for the member's number modulo 4 */
    uint32_t *point; /* row of the k-th point, crowd by crowd, members ascending */
    eb_dataset ds;
} crowds;

static int ascending(const void *a, const void *b)
{
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

static const float quarters[4] = {0, 0.25f, 0.5f, 0.75f};

/* Spreads the crowds over the set, and so the columns of each row. */
static void make_crowds_of(crowds *c, const size_t *size, const float *steps)
{
    size_t at = 0;
    c->n = 0;
    for (size_t k = 0; k < CROWDS; k++)
        c->n += c->size[k] = size[k];
    c->rows = malloc(c->n * 2 * sizeof *c->rows);
    c->point = malloc(c->n * sizeof *c->point);
    assert_true(c->rows && c->point);
    for (size_t k = 0; k < c->n; k++)
        c->point[k] = (uint32_t)k;
    for (size_t k = c->n; k > 1; k--) {
        size_t other = mix(k) % k;
        uint32_t held = c->point[k - 1];
        c->point[k - 1] = c->point[other];
        c->point[other] = held;
    }
    for (size_t k = 0; k < CROWDS; at += c->size[k++]) {
        qsort(c->point + at, c->size[k], sizeof *c->point, ascending);
        for (size_t m = at; m < at + c->size[k]; m++) {
            c->rows[2 * c->point[m]] = 100 * (float)k;
            c->rows[2 * c->point[m] + 1] = steps[c->point[m] % 4];
        }
    }
    c->ds = (eb_dataset){.n = c->n,
                         .d = 2,
                         .dtype = EB_F32,
                         .rows = (const unsigned char *)c->rows,
                         .stride = 2 * sizeof(float),
                         .source = (char *)(uintptr_t) "crowds"};
}

static void make_crowds(crowds *c, const size_t *size) { make_crowds_of(c, size, quarters); }

static void free_crowds(crowds *c)
{
    free(c->rows);
    free(c->point);
}

/* Checks rows [table->first_row, …) of `left` against all of `right`. Frees the table. */
static void assert_crowds(eb_neighbours *table, const crowds *left, const crowds *right, eb_distances kept)
{
    size_t begin[CROWDS + 1] = {0};
    for (size_t k = 0; k < CROWDS; k++)
        begin[k + 1] = begin[k] + right->size[k];
    assert_int_equal(table->kept, kept);
    for (size_t r = 0; r < table->rows; r++) {
        const float *at = left->rows + 2 * (table->first_row + r);
        size_t crowd = (size_t)(at[0] / 100), count = right->size[crowd];
        uint64_t first = table->offsets[r];
        if (table->offsets[r + 1] - first != count)
            fail_msg("row %zu has %llu entries of %zu", r, (unsigned long long)(table->offsets[r + 1] - first), count);
        assert_memory_equal(table->columns + first, right->point + begin[crowd], count * sizeof *table->columns);
        for (size_t k = 0; kept && k < count; k++) {
            double apart = (double)at[1] - (double)right->rows[2 * table->columns[first + k] + 1];
            if (eb_neighbours_distance(table, first + k) != fabs(apart))
                fail_msg("row %zu, entry %zu: %.17g", r, k, eb_neighbours_distance(table, first + k));
        }
    }
    eb_neighbours_free(table);
}

static eb_neighbours *join_kept(asked *a, eb_distances kept)
{
    eb_status status = {.message = ""};
    const eb_join_plan plan = {.question.eps = 1, .distances = kept, .whole = true};
    eb_join_result result;
    eb_neighbours *table = NULL;
    if (eb_join_run(&a->opened, &plan, keep_table, &table, &result, &status))
        fail_msg("%s: %s", a->setup.spec, status.message);
    return table;
}

static void open_with(asked *a, const char *spec, const eb_problem *problem, unsigned threads, uint64_t limit)
{
    open_problem(a, spec, problem, limit);
    a->opened.context.threads = threads;
}

/* ---- lengths ---- */

static void rows_of_every_length_arrive(void **state)
{
    (void)state;
    static const size_t few[CROWDS] = {2, 1, 3, 3, 2, 4, 1}, many[CROWDS] = {0, 1, 31, 33, 5000, 70000, 32},
                        less[CROWDS] = {0, 1, 31, 33, 300, 1100, 32};
    crowds left, right;
    make_crowds(&left, few);
    make_crowds(&right, small ? less : many);
    const eb_problem crossed = {.left = &left.ds, .right = &right.ds};
    for (size_t v = 0; v < VARIANTS; v++) {
        asked a;
        open_with(&a, variants[v], &crossed, 3, 0);
        for (int kept = EB_DISTANCES_NONE; kept <= EB_DISTANCES_F32; kept++)
            assert_crowds(join_kept(&a, (eb_distances)kept), &left, &right, (eb_distances)kept);
        close_problem(&a);
    }
    free_crowds(&left);
    free_crowds(&right);
}

/* ---- chunks, memory, threads ---- */

/* 9.3 million entries: more than the first chunk holds. */
static const size_t crowded[CROWDS] = {1, 2, 31, 33, 600, 1000, 2800}, sparse[CROWDS] = {1, 2, 31, 33, 60, 100, 70};

static void tables_of_several_chunks_are_whole(void **state)
{
    (void)state;
    crowds c;
    make_crowds(&c, small ? sparse : crowded);
    const eb_problem problem = eb_self_join(&c.ds);
    for (unsigned threads = 1; threads <= 32; threads *= 2) {
        asked a;
        for (size_t v = 0; v < VARIANTS; v++) {
            open_with(&a, variants[v], &problem, threads, 0);
            eb_pool_empty();
            for (int again = 0; again < 3; again++) /* into fresh memory, then into reused memory */
                assert_crowds(join_kept(&a, EB_DISTANCES_F64), &c, &c, EB_DISTANCES_F64);
            assert_crowds(join_kept(&a, EB_DISTANCES_F32), &c, &c, EB_DISTANCES_F32);
            assert_crowds(join_kept(&a, EB_DISTANCES_NONE), &c, &c, EB_DISTANCES_NONE);
            close_problem(&a);
        }
    }
    free_crowds(&c);
    eb_pool_empty();
}

/* Eight threads and more unpack rows (rows/packed.h): distances of 10⁻⁹ beside 0.75 do not fit 7 bytes; columns below
 * and above 2¹⁶ have different forms. */
static void packed_rows_arrive_as_they_are(void **state)
{
    (void)state;
    static const float far_apart[4] = {0, 1e-9f, 0.5f, 0.75f};
    static const char *const engines[] = {"ref64", "exact[way=boxes]"};
    static const size_t dense[CROWDS] = {1, 2, 31, 33, 600, 1000, 2800},
                        wide[CROWDS] = {0, 70000, 31, 33, 600, 1000, 2800}; /* the large crowd asks with one point */
    for (int is_wide = 0; is_wide < 2; is_wide++)
        for (size_t e = 0; e < 2; e++) {
            crowds left, right;
            asked a;
            make_crowds_of(&left, dense, is_wide ? quarters : far_apart);
            make_crowds_of(&right, small ? sparse : is_wide ? wide : dense, is_wide ? quarters : far_apart);
            const eb_problem problem =
                is_wide ? (eb_problem){.left = &left.ds, .right = &right.ds} : eb_self_join(&left.ds);
            if (is_wide && e == 1) { /* boxes are for self-joins */
                free_crowds(&left);
                free_crowds(&right);
                continue;
            }
            open_with(&a, engines[e], &problem, 12, 0);
            for (int again = 0; again < 2; again++)
                assert_crowds(join_kept(&a, EB_DISTANCES_F64), &left, is_wide ? &right : &left, EB_DISTANCES_F64);
            assert_crowds(join_kept(&a, EB_DISTANCES_NONE), &left, is_wide ? &right : &left, EB_DISTANCES_NONE);
            close_problem(&a);
            free_crowds(&left);
            free_crowds(&right);
        }
}

static void little_memory_makes_small_chunks(void **state)
{
    (void)state;
    crowds c;
    make_crowds(&c, small ? sparse : crowded);
    const eb_problem problem = eb_self_join(&c.ds);
    for (size_t v = 0; v < VARIANTS; v++) {
        asked a;
        uint64_t points = setup_of(variants[v]).run->memory_needed(c.n, 2, EB_F32), pairs = small ? 100000 : 9300000;
        open_with(&a, variants[v], &problem, 4, points + pairs * 12);
        assert_crowds(join_kept(&a, EB_DISTANCES_F64), &c, &c, EB_DISTANCES_F64);
        assert_crowds(rows_of(&a, 1, 7, 290), &c, &c, EB_DISTANCES_F64);
        close_problem(&a);
    }
    free_crowds(&c);
}

/* ---- stopping ---- */

typedef struct stopping_sink {
    eb_sink sink; /* the builder's sink */
    eb_job *job;  /* cancelled once the rows have places; NULL: the sink refuses the places */
    unsigned placed;
} stopping_sink;

static eb_code place_and_stop(void *context, size_t first_row, size_t rows, const uint64_t *offsets, eb_row_places *out,
                              eb_status *status)
{
    stopping_sink *s = context;
    if (!s->job)
        return eb_fail(status, EB_NO_MEMORY, "no places today");
    eb_job_cancel(s->job);
    return s->sink.place(s->sink.context, first_row, rows, offsets, out, status);
}

static eb_code count_placed(void *context, eb_status *status)
{
    stopping_sink *s = context;
    s->placed++;
    return s->sink.placed(s->sink.context, status);
}

typedef struct stopping {
    asked *a;
    const crowds *c;
    bool cancelled;
    unsigned placed;
    double seconds;
} stopping;

static eb_code join_and_stop(eb_job *job, void *argument, eb_status *status)
{
    stopping *w = argument;
    const eb_question question = {.eps = 1};
    const eb_share whole = eb_share_rows(0, w->c->n);
    eb_neighbours_builder *builder = new_builder(&w->a->opened.problem, 0, w->c->n);
    stopping_sink s = {.sink = eb_neighbours_builder_sink(builder), .job = w->cancelled ? job : NULL};
    const eb_sink sink = {.context = &s, .place = place_and_stop, .placed = count_placed};
    w->a->opened.context.job = job;
    double start = eb_now_s();
    eb_code failed = w->a->setup.run->join(w->a->opened.state, &question, &whole, &sink, status);
    w->seconds = eb_now_s() - start;
    w->a->opened.context.job = NULL;
    w->placed = s.placed;
    eb_neighbours_builder_free(builder);
    return failed;
}

static void a_delivery_that_is_stopped_leaves_the_engine_well(void **state)
{
    (void)state;
    crowds c;
    make_crowds(&c, small ? sparse : crowded);
    const eb_problem problem = eb_self_join(&c.ds);
    for (size_t v = 0; v < VARIANTS; v++) {
        asked a;
        open_with(&a, variants[v], &problem, 4, 0);
        for (int cancelled = 0; cancelled <= 1; cancelled++) {
            eb_job *job;
            eb_status status = {.message = ""};
            stopping w = {.a = &a, .c = &c, .cancelled = cancelled};
            assert_int_equal(eb_job_start(join_and_stop, &w, &job, &status), EB_OK);
            assert_int_equal(eb_job_finish(job, &status), cancelled ? EB_CANCELLED : EB_NO_MEMORY);
            assert_true(cancelled || strcmp(status.message, "no places today") == 0);
            assert_int_equal(w.placed, cancelled);
            assert_true(small || w.seconds < 1);
        }
        assert_crowds(join_kept(&a, EB_DISTANCES_F64), &c, &c, EB_DISTANCES_F64);
        close_problem(&a);
    }
    free_crowds(&c);
}

static void add_all(test_list *list)
{
    ADD_TEST(list, rows_of_every_length_arrive);
    ADD_TEST(list, tables_of_several_chunks_are_whole);
    ADD_TEST(list, packed_rows_arrive_as_they_are);
    ADD_TEST(list, little_memory_makes_small_chunks);
    ADD_TEST(list, a_delivery_that_is_stopped_leaves_the_engine_well);
}

int main(int argc, char **argv) { return run_suite(argc, argv, "gpu_rows", add_all); }
