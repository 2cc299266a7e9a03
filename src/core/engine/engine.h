/* engine: the one interface every join algorithm implements, and the registry of all of them.
 *
 * An engine is an algorithm on a kind of device. Life: probe → open (converts the points, computes norms) → any number
 * of count / join / histogram / distances → close. Distances an engine reports are squared, `s`, as it computed them,
 * widened to FP64: an FP64 engine's s is the truth's (DESIGN, Conventions), FASTED's is an FP32 value.
 *
 * The pair test is s ≤ fl(ε·ε) in every engine; an engine with FP32 s compares exactly, which is the same as comparing
 * with the largest FP32 not above ε·ε. A point is always within ε of itself: the n self pairs count without being
 * computed. Pair counts below are ORDERED pairs including self (|R|), as the papers count.
 *
 * Adding an engine touches its own files and one line of src/engines.c.
 */
#ifndef EB_CORE_ENGINE_ENGINE_H
#define EB_CORE_ENGINE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/job.h"
#include "core/data/dataset.h"
#include "core/engine/device.h"

typedef enum eb_tensor { EB_TENSOR_SM80, EB_TENSOR_SM90 } eb_tensor; /* which chip's tensor core to emulate */

typedef struct eb_engine_options {
    unsigned threads;      /* host threads, ≥ 1 */
    eb_tensor tensor;      /* FASTED on the CPU: the chip emulated */
    uint64_t memory_limit; /* bytes the engine may allocate on its device; 0: no limit */
    uint32_t switches;     /* FASTED on CUDA: its optimisations (ablation.h) */
} eb_engine_options;

/* Where the time of one run went, seconds; NAN where a part does not exist (no upload on the CPU). Engines add to the
 * parts they own; the caller of the engine sets table_s and total_s. */
typedef struct eb_timing {
    double upload_s, convert_s, norms_s, kernel_s, download_s, table_s, total_s;
    /* What a GPU's management library said while the kernels ran; NAN and 0 where it says nothing. */
    double energy_j, sm_clock_hz;
    uint64_t throttle; /* clock-event reasons that held the clock down, NVML's bits */
} eb_timing;

/* "power cap, thermal slowdown"; "none" for 0. Returns buffer, cut when it is too small. */
const char *eb_throttle_words(uint64_t throttle, char *buffer, size_t size);

/* All NAN. */
eb_timing eb_timing_none(void);

/* *part += seconds, where NAN counts as 0. */
void eb_timing_add(double *part, double seconds);

/* One pair within ε, emitted once: i ≠ j. */
typedef struct eb_hit {
    uint32_t i, j;
    double s; /* squared distance as the engine computed it */
} eb_hit;

/* Where a join's results go. An engine uses hits() from any of its threads, `thread` < options.threads telling which
 * (one thread never runs two calls at once), or rows() when it builds CSR rows itself (a GPU): complete rows first_row
 * … first_row+rows−1 in ascending order of calls, columns ascending and including self, offsets[0] = 0, s per entry.
 * One that knows how many entries all its rows will have says so first, through expect(): the table is then made in one
 * piece. */
typedef struct eb_sink {
    void *context;
    eb_code (*hits)(void *context, unsigned thread, const eb_hit *hits, size_t count, eb_status *status);
    eb_code (*rows)(void *context, size_t first_row, size_t rows, const uint64_t *offsets, const uint32_t *columns,
                    const double *s, eb_status *status);
    eb_code (*expect)(void *context, uint64_t entries, eb_status *status); /* NULL: of no use to this sink */
} eb_sink;

/* One exact pass over all pairs i < j, for tune and sweep: how many lie in each interval of ε, and every squared
 * distance inside the intervals marked keep. Interval k is (eps[k−1], eps[k]], interval 0 is [0, eps[0]]; pairs beyond
 * the last edge are not looked at. The engine allocates kept[k] (malloc); the caller frees. */
typedef struct eb_distance_pass {
    size_t edges;
    const double *eps; /* [edges], strictly ascending, ≥ 0 */
    const bool *keep;  /* [edges] */
    uint64_t *pairs;   /* [edges] out: UNORDERED pairs i < j in interval k */
    double **kept;     /* [edges] out: their s, unsorted, pairs[k] of them where keep[k]; NULL elsewhere */
} eb_distance_pass;

typedef struct eb_engine eb_engine;
struct eb_engine {
    const char *name;    /* "ref64" */
    const char *summary; /* one line for `engines` */
    eb_device_kind device_kind;
    bool is_truth; /* results equal the FP64 truth bit for bit: others are measured against it */

    /* Can it run on this device, with these options? EB_NO_ENGINE/EB_NO_DEVICE and the reason if not. */
    eb_code (*probe)(const eb_device *device, eb_status *status);

    /* Bytes it would allocate on its device for n × d points of dtype, results apart. */
    uint64_t (*memory_needed)(size_t n, size_t d, eb_dtype dtype);

    /* Prepares the points. *state is freed by close. Refuses what it cannot compute rightly (FP16 overflow: row,
     * column). */
    eb_code (*open)(const eb_device *device, const eb_dataset *ds, const eb_engine_options *options, eb_job *job,
                    eb_timing *timing, void **state, eb_status *status);

    /* |R| for ε. */
    eb_code (*count)(void *state, double eps, eb_job *job, eb_timing *timing, uint64_t *pairs, eb_status *status);

    /* Every pair within ε that touches rows [row_begin, row_end), self pairs left out, into the sink. A pair with both
     * ends in the range comes once, either way round; one with a single end in the range comes once with i that end.
     * [0, n) is the whole join, each unordered pair once. Progress: one unit per row block, phase set by the caller. */
    eb_code (*join)(void *state, double eps, size_t row_begin, size_t row_end, const eb_sink *sink, eb_job *job,
                    eb_timing *timing, eb_status *status);

    /* The pass above. */
    eb_code (*histogram)(void *state, eb_distance_pass *pass, eb_job *job, eb_timing *timing, eb_status *status);

    /* s from each of m points (rows[0…m)) to all n: out is m × n, row-major; out[q][rows[q]] = 0. */
    eb_code (*distances)(void *state, const uint32_t *rows, size_t m, double *out, eb_job *job, eb_status *status);

    void (*close)(void *state); /* NULL state is fine */

    /* Optional (NULL: unknown). FLOPs actually executed by one full join over n × d, for tflops_executed. */
    double (*executed_flops)(size_t n, size_t d, const eb_engine_options *options);

    /* Optional. How this opened state computes, one line, for notes: "integers, exact", "FP32 filter, FP64 recheck". */
    const char *(*describe)(const void *state);

    /* Optional (EB_LIMIT_NONE: unknown). Which of the device's measured limits the executed rate cannot exceed. */
    eb_limit limit;
};

/* All engines of this build, in the order they are shown. */
size_t eb_engine_count(void);
const eb_engine *eb_engine_at(size_t index);

/* The engine called `name` (unique prefixes allowed) for devices of this kind. EB_NO_ENGINE
 * with the names there are. */
eb_code eb_engine_find(const char *name, eb_device_kind kind, const eb_engine **out, eb_status *status);

#endif
