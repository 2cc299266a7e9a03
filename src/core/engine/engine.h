/* engine: the interface of all join algorithms, and their registry.
 *
 * An engine describes itself (name, exactness, options) and has an implementation for each kind of device it runs on.
 * An implementation opens a problem in a context, answers questions about it for a share of the work, and is closed.
 * Distances are squared distances s as the engine computed them, widened to FP64. In an FP64 engine s is exact by
 * definition (eb_truth_distance2); in FASTED it is an FP32 value.
 *
 * The pair test is s ≤ fl(ε·ε) in every engine. Engines with FP32 s compare exactly, which is the same as comparing
 * with the largest FP32 value not above ε·ε. In a self-join every point is within ε of itself; the n self pairs count
 * without being computed. Pairs are counted as entries of the neighbour table: in a self-join the ordered pairs with
 * self pairs (|R|), as the papers count; in a join of two sets the pairs (left, right).
 *
 * Adding an engine changes its own folder and one line of src/engines.c.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/bins.h"
#include "core/data/rounding.h"
#include "core/engine/device.h"
#include "core/engine/figure.h"
#include "core/engine/option.h"
#include "core/engine/schedule.h"

/* ---- problems and questions ---- */

/* The points to join: left against right. If both are the same dataset, the join is a self-join. Two sets have the same
 * d and element type. The datasets must outlive the opened problem. */
typedef struct eb_problem {
    const eb_dataset *left, *right;
    const eb_order *order;          /* self-joins: the order of the points in the engine; NULL: as stored */
    struct eb_shared_pairs *shared; /* near pairs that several engines share (shared_pairs.h); NULL: none */
} eb_problem;

static inline bool eb_is_self_join(const eb_problem *problem) { return problem->left == problem->right; }

/* The resources and options of an opened engine, which it must outlive. The caller may change job and figures between
 * calls. */
typedef struct eb_context {
    const eb_device *device; /* [devices] of one kind; engines use the first one unless they support several */
    unsigned devices;
    unsigned threads;      /* host threads, ≥ 1 */
    unsigned deciding;     /* threads by which an engine predicts the costs of its ways: the same in all processes that
                            * share the work, since they must cut it alike; 0: `threads` */
    uint64_t memory_limit; /* bytes the engine may allocate on its device; 0: no limit */
    eb_options options;
    const struct eb_inverted_request *index; /* how engines with inverted lists build them; NULL: from the right points,
                                              * by the engine's options */
    eb_job *job;                             /* NULL: no progress, cannot be cancelled */
    eb_figures *figures;                     /* engines add figures here; NULL: none are kept */
    const void *team; /* the same for all members of a team (core/team/team.h), which share uploads; NULL: none */
    unsigned team_member, team_members;
} eb_context;

static inline unsigned eb_deciding_threads(const eb_context *context)
{
    return context->deciding ? context->deciding : context->threads;
}

/* The question for all pairs within ε. */
typedef struct eb_question {
    double eps;
    eb_schedule schedule; /* zeroed: the engine's default */
    uint64_t expected;    /* number of entries of all rows, so that memory is reserved once; 0: unknown */
    bool pairs_alone;     /* the s of pairs are not needed and may have any value */
    unsigned choice;      /* what an implementation's `choose` gave for it; 0: the engine chooses */
    bool ascending; /* of a join: the next question will be the same about the rows that follow. An engine may keep
                     * the pairs that these rows have with earlier ones, and not compute them again. */
} eb_question;

/* The question for the k nearest right points of left points. */
typedef struct eb_nearest_question {
    size_t k;
    const struct eb_inverted_question *lists; /* how engines with inverted lists search them; NULL: by their options */
    struct eb_inverted_work *work;            /* out: the work that such an engine did; NULL: not needed */
} eb_nearest_question;

/* The question for the k nearest right points of some left points: of a self-join, or of two sets. */
typedef struct eb_nearest_rows {
    size_t k, queries;
    const uint32_t *rows;  /* [queries] left points; NULL: query q is left point q */
    size_t taken;          /* the first `taken` of `rows`, which may be more than the queries, are no neighbours */
    const uint32_t *query; /* the same by points, for CPUs: [left] which query it is; EB_NO_POINT: none */
    const unsigned char *nobody; /* [right] 1: the point is never a neighbour; NULL: every point may be one */
    double most;                 /* a larger s is no neighbour's */
    struct eb_near_row *near;    /* out: [queries × k] heaps by s (core/knn/best.h); from EB_LARGE_PAGE bytes on it has
                                  * whole large pages (core/base/pages.h) */
    uint32_t *count;             /* out: [queries] entries of each heap */
} eb_nearest_rows;

/* A part of the work: a range of rows (left points), and of its tiles the part-th of `parts` equal parts. Shares that
 * make up the whole may be computed in any order. */
typedef struct eb_share {
    size_t row_begin, row_end;
    unsigned part, parts;
    struct eb_meeting *meeting; /* of the team that computes all parts at once, part k being member k's
                                 * (core/team/meeting.h); NULL: none */
} eb_share;

static inline eb_share eb_share_rows(size_t begin, size_t end)
{
    eb_share share = {begin, end, 0, 1, NULL};
    return share;
}

/* A self-join's self pairs in a share, which count without being computed. Parts have rows in turn. */
static inline uint64_t eb_self_pairs_of(const eb_share *share)
{
    const uint64_t before = share->row_begin + share->parts - 1 - share->part;
    const uint64_t behind = share->row_end + share->parts - 1 - share->part;
    return behind / share->parts - before / share->parts;
}

/* ---- answers ---- */

/* One pair within ε: left point i, right point j. In a self-join each pair i ≠ j occurs once, as (i, j) or (j, i). */
typedef struct eb_hit {
    uint32_t i, j;
    double s; /* squared distance as the engine computed it */
} eb_hit;

/* Memory of the table for some rows' entries, row after row. */
typedef struct eb_row_places {
    uint32_t *columns;
    void *distances;       /* to be filled with eb_distance_of(s, unit), bit for bit (scaling.h); unit 0: with s */
    size_t distance_bytes; /* 8: FP64; 4: rounded to FP32; 0: no distances */
    double unit;
    bool fresh; /* the large pages are not yet populated, and the engine should do that (pages.h) */
} eb_row_places;

/* The distances of rows, as in eb_row_places, and the bytes that making them may take; 0: no limit. */
typedef struct eb_row_kind {
    size_t distance_bytes;
    double unit;
    uint64_t memory_limit;
} eb_row_kind;

/* The receiver of a join's results. An engine either passes single hits, or it makes complete CSR rows (on a GPU) and
 * writes them into the table.
 *
 * hits(): may be called from all of the engine's threads at once, with thread < context.threads, and never twice at
 * once for one thread. A share with parts > 1 must use hits, unless its members exchange their pairs in its meeting and
 * each makes whole rows.
 *
 * place(): gives the memory for rows first_row … first_row + rows − 1; offsets[0] = 0. The engine fills it from any
 * threads and calls placed() once for each place(), before the same thread's next place() or the end. It guarantees
 * that columns ascend, contain the point itself in a self-join and are below the number of right points. Rows may come
 * in any order, but none twice. */
typedef struct eb_sink {
    const struct eb_row_kind *kind; /* what place() will give, so that rows may be made elsewhere first; NULL: single
                                     * hits are better */
    void *context;
    eb_code (*hits)(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status);
    eb_code (*place)(void *context, size_t first_row, size_t rows, const uint64_t *offsets, eb_row_places *out,
                     eb_status *status);
    eb_code (*placed)(void *context, eb_status *status);
} eb_sink;

/* One exact pass over a self-join's pairs i < j, for tune and sweep, or over all pairs of two sets. It counts the pairs
 * in each interval of ε, and keeps all squared distances of the intervals marked keep. Interval 0 is [0, eps[0]],
 * interval k is (eps[k−1], eps[k]]; pairs beyond the last edge are ignored. The engine allocates kept[k] (malloc); the
 * caller frees it. */
typedef struct eb_distance_pass {
    unsigned part, parts; /* of the pairs, as in eb_share; zeroed: all */
    unsigned choice;      /* as in eb_question */
    size_t edges;
    const double *eps; /* [edges], strictly ascending, ≥ 0 */
    const bool *keep;  /* [edges] */
    uint64_t *pairs;   /* [edges] out: pairs in interval k; of a self-join unordered ones, i < j */
    double **kept;     /* [edges] out: [pairs[k]] their s, unsorted, if keep[k]; otherwise NULL */
} eb_distance_pass;

static inline eb_share eb_pass_share(const eb_distance_pass *pass, size_t n)
{
    eb_share share = {0, n, pass->part, pass->parts ? pass->parts : 1, NULL};
    return share;
}

/* ---- engines ---- */

struct eb_setup; /* spec.h */

/* A kernel in the sources that are part of the program (kernels/jit/nvrtc.h): its file and its C++ name. */
typedef struct eb_kernel_source {
    char file[64], name[160];
} eb_kernel_source;

typedef struct eb_implementation {
    /* Checks that the engine can run on this device with these options. EB_NO_ENGINE or EB_NO_DEVICE with the reason if
     * not. */
    eb_code (*probe)(const eb_device *device, const eb_options *options, eb_status *status);

    /* Bytes that the engine allocates on its device for n × d points of dtype, without results. If the context's memory
     * limit is lower, the engine manages with that limit or refuses to open (EB_NO_MEMORY). */
    uint64_t (*memory_needed)(size_t n, size_t d, eb_dtype dtype);

    /* Prepares the points. close frees *state. Refuses points that the engine cannot compute correctly, such as a value
     * that overflows, with row and column. */
    eb_code (*open)(const eb_problem *problem, const eb_context *context, void **state, eb_status *status);

    /* The number of entries in the share; for the whole problem |R|. */
    eb_code (*count)(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                     eb_status *status);

    /* Passes every pair within ε that has an end in the share's rows to the sink, without self pairs. In a self-join a
     * pair with both ends in the rows is passed once, as (i, j) or (j, i); a pair with one end in the rows is passed
     * once, with i that end. Progress: one unit a row; the caller sets the phase. */
    eb_code (*join)(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                    eb_status *status);

    /* Computes an eb_distance_pass. */
    eb_code (*histogram)(void *state, eb_distance_pass *pass, eb_status *status);

    /* s between each of m left points (rows[0…m)) and all right points: out is m × n, row-major; in a self-join
     * out[q][rows[q]] = 0. ∞ marks pairs that the engine finds at no ε. */
    eb_code (*distances)(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);

    void (*close)(void *state); /* NULL state is fine */

    /* One line for notes on how this state computed its last answer: "integers, exact". NULL: no such line. */
    const char *(*describe)(const void *state);

    /* Bins the s of `distances` on the device, without copying them to the host. NULL: eb_ask_bins calls `distances`.
     */
    eb_code (*bins)(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status);

    /* For self-joins: s of each point with itself, computed like that of a pair; out: [n]. NULL: the value does not
     * depend on the other points; core/accuracy/self_pairs.h computes it from two copies of a block of points. */
    eb_code (*self)(void *state, double *out, eb_status *status);

    /* Compiles the kernels that these setups need at run time; all are of this implementation and one device. Called
     * before measurements, so that no measured time includes it; otherwise `open` does it. Shows its work as the job's
     * aside. NULL: nothing to compile. */
    eb_code (*prepare)(const struct eb_setup *const *setups, size_t count, eb_job *job, eb_status *status);

    /* For two sets: the k nearest right points of left points first … first + count − 1. rows, distances: [count × k],
     * nearest first, the smaller row first among equals; EB_NO_POINT and ∞ where fewer are found. Distances are not
     * squared. They are between the points as the engine has stored them. Progress: one unit a point; the caller sets
     * the phase. count 0: only reports what it would refuse, and makes `describe` valid. NULL: found by joins
     * (core/knn/knn.h). */
    eb_code (*nearest)(void *state, const eb_nearest_question *question, size_t first, size_t count, uint32_t *rows,
                       double *distances, eb_status *status);

    /* The k nearest of some points, by s and, among equals, by the smaller row; of a self-join not the point itself. On
     * a CPU only self-joins are asked.
     * Progress: one unit a query. EB_NO_ENGINE: joins are faster; `near` and `count` then say nothing. NULL: found by
     * joins. */
    eb_code (*nearest_rows)(void *state, const eb_nearest_rows *question, eb_status *status);

    /* s[k] of the pair of left point rows[k] and right point columns[k]. NULL: eb_ask_pairs calls `distances`. */
    eb_code (*pairs)(void *state, const uint32_t *rows, const uint32_t *columns, size_t count, double *s,
                     eb_status *status);

    /* Coordinates of left points as the engine has rounded them, in the frame of the points that it got: out is m × d,
     * row-major. NULL: the engine does not round coordinates, or does not tell. */
    eb_code (*rounded)(const void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);

    /* The ε at which the engine is proven to find every pair that the truth has within `eps`; INFINITY: none is known.
     * NULL: not known. */
    double (*complete_eps)(const void *state, double eps);

    /* The distance of stored points above which the engine is proven to find no pair at `eps`; INFINITY: none is known.
     * NULL: not known. */
    double (*reach_eps)(const void *state, double eps);

    /* Chooses how to answer the question, where an engine has several ways: a number above 0. Members that compute
     * parts of one question are given the first one's choice in eb_question.choice, since parts are of one way. NULL:
     * there is one way. */
    eb_code (*choose)(void *state, const eb_question *question, unsigned *choice, eb_status *status);

    /* The distance within which the engine looks for pairs at `eps` instead of computing all: reach_eps without a few
     * points, all of whose pairs it computes. INFINITY: it computes all. NULL: it always does. An engine that tells it
     * uses the problem's shared pairs. */
    eb_code (*search_eps)(void *state, double eps, double *out, eb_status *status);
} eb_implementation;

/* Exactness of results. Truth: pairs and distances of FP64, bit for bit. Certified: the same pairs, computed in another
 * way. Approximate: neither. */
typedef enum eb_exactness { EB_TRUTH, EB_CERTIFIED, EB_APPROXIMATE } eb_exactness;
const char *eb_exactness_name(eb_exactness exactness); /* "truth", "certified", "approximate" */

/* A spec that may move points less: ITEM,… of an engine by name; NULL: of the engine itself, over its options. */
typedef struct eb_remedy {
    const char *engine, *items; /* items NULL: ends a list */
} eb_remedy;

typedef struct eb_published_why {
    const char *option, *why; /* option NULL: ends a list; "": the rates of all flags on */
} eb_published_why;

struct eb_report;
struct eb_machine;
struct eb_kernel_plan;

typedef struct eb_engine {
    const char *name;       /* "ref64" */
    const char *title;      /* "FP64 reference" */
    eb_exactness exactness; /* with its default options */
    eb_option_list options;
    /* A paper's published rate with all flags on, for leave-one-out; 0 and NULL: none. */
    double published_tflops;
    const char *published_note;
    const eb_published_why *published_why; /* a list: why the model has other figures; NULL: none */
    struct {
        const char *summary;          /* one line for `engines`; NULL: the engine does not run on this kind of device */
        const eb_implementation *run; /* NULL: not in this build */
    } on[EB_DEVICE_KINDS];
    /* The type that the engine rounds points to. Points that overflow it are refused; reports state how far rounding
     * moves points (core/accuracy/uncertainty.h). NULL: the engine needs points in FP64's range, and points may be
     * scaled into it (problem.h). */
    const eb_rounding *rounding;
    const eb_remedy *remedies; /* what a warning about rounding suggests, the first that helps; the last is an exact
                                * engine by name, which always does; NULL: nothing */
    const char *fits;          /* items with which no point overflows the type; NULL: none */

    /* Finds how far the engine moves points that it prepares and rounds as the options say: *out has `overflow`,
     * `moved` and `moved_most` (core/data/rounding.h), of both sets together. NULL: as `rounding` moves them
     * unprepared; nothing if that is NULL too. */
    eb_code (*moves)(const eb_options *options, const eb_problem *problem, double far, unsigned threads, eb_job *job,
                     eb_rounded *out, eb_status *status);
    bool f32_distances; /* s are FP32 values, so a table may keep distances in FP32 */
    const char *about;  /* further sentences for help and manual; NULL: none */
    eb_exactness (*exactness_of)(const eb_options *options); /* NULL: the exactness depends on no option */

    /* Reports how the engine computes one pair at ε, step by step, beside the exact computation. NULL: not available.
     */
    eb_code (*explain)(const eb_dataset *points, size_t i, size_t j, double eps, const eb_options *options,
                       struct eb_report *report, eb_status *status);

    /* Describes the kernel that the engine would run for n × d points on a GPU (core/model/kernel.h). NULL: not
     * available. */
    eb_code (*plan)(const eb_options *options, size_t n, size_t d, const struct eb_machine *machine,
                    struct eb_kernel_plan *out, eb_status *status);

    /* For an engine that chooses by the points how it computes: names in *options what the choice is taken to be for
     * points of this type, so that `plan` describes it, and returns a sentence on that for the person. NULL, and the
     * options as they were: they name it already. The member NULL: the engine does not choose. */
    const char *(*assume)(eb_options *options, eb_dtype dtype);

    /* The source of the kernel that `plan` describes. NULL: not available. */
    void (*source)(const struct eb_kernel_plan *plan, eb_kernel_source *out);
} eb_engine;

/* Why the model has other figures than the paper for the kernel without the option ("": with all); NULL: it has not. */
const char *eb_published_why_of(const eb_engine *engine, const char *option);

static inline eb_exactness eb_exactness_of(const eb_engine *engine, const eb_options *options)
{
    return engine->exactness_of ? engine->exactness_of(options) : engine->exactness;
}

/* An implementation that needs nvcc; NULL in builds without it. */
#ifdef EB_HAVE_CUDA
#define EB_CUDA_PART(implementation) (&(implementation))
#else
#define EB_CUDA_PART(implementation) NULL
#endif

/* Sets the program's engines, in display order: once, before any lookup. The array is not copied. src/engines.c has the
 * list; core knows no engine. */
void eb_registry_set(const eb_engine *const *engines, size_t count);
size_t eb_engine_count(void);
const eb_engine *eb_engine_at(size_t index);

/* Returns one engine for each type that engines round points to, by index. NULL: there are no more types. */
const eb_engine *eb_rounding_engine(size_t index);

/* For engines: fails with EB_BAD_VALUE, as the value overflows the type on this kind of device. Names a line to type
 * that makes the points fit, if an engine of the type has `fits`. */
eb_code eb_rounding_refuse(const eb_rounding *rounding, eb_device_kind kind, size_t row, size_t column, double value,
                           eb_status *status);

/* For engines: `moves` of points that are rounded as they are. */
eb_code eb_rounding_moves(const eb_rounding *rounding, const eb_problem *problem, double far, unsigned threads,
                          eb_job *job, eb_rounded *out, eb_status *status);

/* How far the engine moves the points, by `moves` or `rounding`. */
eb_code eb_engine_moves(const eb_engine *engine, const eb_options *options, const eb_problem *problem, double far,
                        unsigned threads, eb_job *job, eb_rounded *out, eb_status *status);

/* Finds an engine by name or unique prefix. EB_NO_ENGINE: the message suggests a name or lists all. */
eb_code eb_engine_find(const char *name, size_t length, const eb_engine **out, eb_status *status);
