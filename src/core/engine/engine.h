/* engine: the one interface of every join algorithm, and the registry of all of them.
 *
 * An engine describes itself (name, exactness, options) and has an implementation for each kind of device it runs on.
 * An implementation opens a problem in a context, answers questions about it for a share of the work, and is closed.
 * Distances are squared, `s`, as the engine computed them, widened to FP64: an FP64 engine's s is the truth's (DESIGN,
 * Conventions), FASTED's is an FP32 value.
 *
 * The pair test is s ≤ fl(ε·ε) in every engine; one with FP32 s compares exactly, which is the same as comparing with
 * the largest FP32 not above ε·ε. In a self-join a point is always within ε of itself: the n self pairs count without
 * being computed. Pairs are counted as entries of the neighbour table: a self-join's ORDERED pairs including self
 * (|R|), as the papers count; of two sets the pairs (left, right).
 *
 * Adding an engine touches its own folder and one line of src/engines.c.
 */
#pragma once

#include "core/base/job.h"
#include "core/data/rounding.h"
#include "core/engine/bins.h"
#include "core/engine/device.h"
#include "core/engine/figure.h"
#include "core/engine/option.h"
#include "core/engine/schedule.h"

/* ---- what is asked ---- */

/* Left against right; the same dataset: a self-join. Two sets agree in d and element type. They outlive what is opened.
 */
typedef struct eb_problem {
    const eb_dataset *left, *right;
    const eb_order *order; /* self-joins: how the points are to lie while the engine works; NULL: as stored */
} eb_problem;

static inline bool eb_is_self_join(const eb_problem *problem) { return problem->left == problem->right; }

/* What an engine works with. It outlives what is opened; job and figures may be exchanged between calls. */
typedef struct eb_context {
    const eb_device *device; /* [devices] of one kind, the first one unless an engine says otherwise */
    unsigned devices;
    unsigned threads;      /* host threads, ≥ 1 */
    uint64_t memory_limit; /* bytes the engine may allocate on its device; 0: no limit */
    eb_options options;
    const struct eb_inverted_request *index; /* what an engine with lists makes them of; NULL: of the right points, by
                                              * its options */
    eb_job *job;                             /* NULL: nothing is reported, nothing cancels */
    eb_figures *figures;                     /* engines add to them; NULL: nobody wants to know */
} eb_context;

/* Two questions: pairs within ε, */
typedef struct eb_question {
    double eps;
    eb_schedule schedule; /* zeroed: as the engine usually does it */
    uint64_t expected;    /* entries that all rows have together, where it is known: there is room for them from the
                           * start; 0: not known */
    bool pairs_alone;     /* what comes with a pair as its s is not looked at */
} eb_question;

/* and the k nearest right points of left ones. */
typedef struct eb_nearest_question {
    size_t k;
    const struct eb_inverted_question *lists; /* how an engine with lists searches them; NULL: by its options */
    struct eb_inverted_work *work;            /* what such an engine took of a GPU for it; NULL: nobody wants to know */
} eb_nearest_question;

/* A part of the work: rows of the left points, and of their tiles the part-th of `parts` equal parts. Shares that
 * together make the whole may be asked for in any order. */
typedef struct eb_share {
    size_t row_begin, row_end;
    unsigned part, parts;
} eb_share;

static inline eb_share eb_share_rows(size_t begin, size_t end)
{
    eb_share share = {begin, end, 0, 1};
    return share;
}

/* ---- what is answered ---- */

/* One pair within ε: left point i, right point j. Of a self-join each pair i ≠ j comes once, either way round. */
typedef struct eb_hit {
    uint32_t i, j;
    double s; /* squared distance as the engine computed it */
} eb_hit;

/* Where rows lie in the table that is being built: their entries, one row behind the other. */
typedef struct eb_row_places {
    uint32_t *columns;
    void *distances;       /* eb_distance_of(s, unit), bit for bit (scaling.h); unit 0: s itself, no root */
    size_t distance_bytes; /* 8: as they are; 4: rounded to FP32; 0: none are kept */
    double unit;
    bool fresh; /* whole large pages that nobody has touched: they are to be made on the way (pages.h) */
} eb_row_places;

/* Where a join's results go: single hits from any of the engine's threads, `thread` < context.threads telling which
 * (one thread never runs two calls at once); or complete rows, by an engine that makes CSR rows itself (a GPU) and
 * writes them where they belong. place() tells where rows first_row … first_row + rows − 1 do, offsets[0] = 0; the
 * engine fills the places, by whatever threads, and says placed() once for each place() before it asks for others or
 * ends. It answers for what it writes: columns ascending, self among them, below the number of right points. Rows may
 * come in any order, none twice. A share of parts > 1 gives single hits. */
typedef struct eb_sink {
    void *context;
    eb_code (*hits)(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status);
    eb_code (*place)(void *context, size_t first_row, size_t rows, const uint64_t *offsets, eb_row_places *out,
                     eb_status *status);
    eb_code (*placed)(void *context, eb_status *status);
} eb_sink;

/* One exact pass over a self-join's pairs i < j, for tune and sweep: how many lie in each interval of ε, and every
 * squared distance inside the intervals marked keep. Interval k is (eps[k−1], eps[k]], interval 0 is [0, eps[0]]; pairs
 * beyond the last edge are not looked at. The engine allocates kept[k] (malloc); the caller frees. */
typedef struct eb_distance_pass {
    size_t edges;
    const double *eps; /* [edges], strictly ascending, ≥ 0 */
    const bool *keep;  /* [edges] */
    uint64_t *pairs;   /* [edges] out: UNORDERED pairs i < j in interval k */
    double **kept;     /* [edges] out: their s, unsorted, pairs[k] of them where keep[k]; NULL elsewhere */
} eb_distance_pass;

/* ---- who answers ---- */

struct eb_setup; /* spec.h */

typedef struct eb_implementation {
    /* Can it run on this device, with these options? EB_NO_ENGINE/EB_NO_DEVICE and the reason if not. */
    eb_code (*probe)(const eb_device *device, const eb_options *options, eb_status *status);

    /* Bytes it would allocate on its device for n × d points of dtype, results apart. An engine that is lent less does
     * without, or refuses to open (EB_NO_MEMORY). */
    uint64_t (*memory_needed)(size_t n, size_t d, eb_dtype dtype);

    /* Prepares the points. *state is freed by close. Refuses what it cannot compute rightly (a value that overflows:
     * row, column). */
    eb_code (*open)(const eb_problem *problem, const eb_context *context, void **state, eb_status *status);

    /* What the share adds to the number of entries; the whole share gives |R|. */
    eb_code (*count)(void *state, const eb_question *question, const eb_share *share, uint64_t *entries,
                     eb_status *status);

    /* Every pair within ε that touches the share's rows, self pairs left out, into the sink. Of a self-join a pair with
     * both ends in the rows comes once, either way round; one with a single end there comes once with i that end.
     * Progress: one unit a row, phase set by the caller. */
    eb_code (*join)(void *state, const eb_question *question, const eb_share *share, const eb_sink *sink,
                    eb_status *status);

    /* The pass above. */
    eb_code (*histogram)(void *state, eb_distance_pass *pass, eb_status *status);

    /* s from each of m left points (rows[0…m)) to all of the right: out is m × n, row-major; in a self-join
     * out[q][rows[q]] = 0. ∞: it finds the pair at no ε. */
    eb_code (*distances)(void *state, const uint32_t *rows, size_t m, double *out, eb_status *status);

    void (*close)(void *state); /* NULL state is fine */

    /* How this opened state computed what it was asked last, one line, for notes: "integers, exact". NULL: there is
     * nothing to say. */
    const char *(*describe)(const void *state);

    /* Bins of the s that `distances` gives, without them ever being on the host. NULL: by distances (eb_ask_bins). */
    eb_code (*bins)(void *state, const uint32_t *rows, size_t m, eb_bins *out, eb_status *status);

    /* Of a self-join: s of each point with itself, as it computes that of two; out: [n]. NULL: it is the same whatever
     * other points there are, and is asked of them block by block (core/accuracy/self_pairs.h). */
    eb_code (*self)(void *state, double *out, eb_status *status);

    /* Makes ready what these setups, all of this implementation on one device, need and a build does not hold: kernels
     * that are compiled at run time. Called ahead, so that no time that is measured holds it; `open` does it, too. What
     * is done is the job's aside. NULL: there is nothing to make. */
    eb_code (*prepare)(const struct eb_setup *const *setups, size_t count, eb_job *job, eb_status *status);

    /* Of left points first … first + count − 1, of two sets, the k nearest right points: rows, distances [count × k],
     * nearest first, of equally near ones the smaller row; EB_NO_POINT at infinity where it finds fewer. Distances are
     * those of the points it has, no squares. Progress: one unit a point, the phase is the caller's. count 0: refused
     * where it would refuse, and `describe` says how it computes. NULL: by joins (core/knn/knn.h). */
    eb_code (*nearest)(void *state, const eb_nearest_question *question, size_t first, size_t count, uint32_t *rows,
                       double *distances, eb_status *status);
} eb_implementation;

/* How exact the results are: the FP64 truth bit for bit; the truth's verdicts by another way; neither. */
typedef enum eb_exactness { EB_TRUTH, EB_CERTIFIED, EB_APPROXIMATE } eb_exactness;
const char *eb_exactness_name(eb_exactness exactness); /* "truth", "certified", "approximate" */

struct eb_report;
struct eb_machine;
struct eb_kernel_plan;

typedef struct eb_engine {
    const char *name;       /* "ref64" */
    const char *title;      /* "FP64 reference" */
    eb_exactness exactness; /* by its default options */
    eb_option_list options;
    /* What a paper published of the engine with all flags on, for leave-one-out; 0 and NULL: none. */
    double published_tflops;
    const char *published_note;
    struct {
        const char *summary;          /* one line for `engines`; NULL: it does not run on this kind of device */
        const eb_implementation *run; /* NULL: left out of this build */
    } on[EB_DEVICE_KINDS];
    /* Its result is that of the points rounded so, as they are: how far that moves them is told
     * (core/accuracy/uncertainty.h), what cannot be held is refused. NULL: it computes in FP64's range, and points may
     * be scaled into it (problem.h).
     */
    const eb_rounding *rounding;
    bool f32_distances; /* its s are FP32 values: a table may keep their roots in FP32 */
    const char *about;  /* what else to know of it, for help and manual: sentences; NULL: nothing */
    eb_exactness (*exactness_of)(const eb_options *options); /* where it depends on them; NULL: it does not */

    /* What it does with one pair of points at ε, step by step, beside the truth. NULL: it tells nothing of a pair. */
    eb_code (*explain)(const eb_dataset *points, size_t i, size_t j, double eps, const eb_options *options,
                       struct eb_report *report, eb_status *status);

    /* The kernel that it would run for n × d points on such a GPU (core/model/kernel.h). NULL: it tells nothing of its
     * kernels. */
    eb_code (*plan)(const eb_options *options, size_t n, size_t d, const struct eb_machine *machine,
                    struct eb_kernel_plan *out, eb_status *status);
} eb_engine;

/* With such options. */
static inline eb_exactness eb_exactness_of(const eb_engine *engine, const eb_options *options)
{
    return engine->exactness_of ? engine->exactness_of(options) : engine->exactness;
}

/* What needs nvcc is there only when the build had it. */
#ifdef EB_HAVE_CUDA
#define EB_CUDA_PART(implementation) (&(implementation))
#else
#define EB_CUDA_PART(implementation) NULL
#endif

/* The engines that the program has, in the order they are shown: set once, before anything asks for one, and not
 * copied. core knows no engine by itself; src/engines.c has the list. */
void eb_registry_set(const eb_engine *const *engines, size_t count);
size_t eb_engine_count(void);
const eb_engine *eb_engine_at(size_t index);

/* The first engine with the index-th of the types that engines round to. NULL: there are no more. */
const eb_engine *eb_rounding_engine(size_t index);

/* The engine called so (unique prefixes allowed). EB_NO_ENGINE with what was perhaps meant, or the
 * names there are. */
eb_code eb_engine_find(const char *name, size_t length, const eb_engine **out, eb_status *status);
