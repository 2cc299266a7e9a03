/* question: the k nearest of queries by an inverted file, as far as its codes tell: approximate. Who answers is a CPU's
 * threads (kernels/inverted/cpu) or a GPU (kernels/inverted/cuda), with the same bits.
 *
 * A query's nprobe nearest lists are scanned with a table each (table.h). Equal distances go to the smaller row, so the
 * answer depends on no order of lists, threads, or instruction set.
 */
#ifndef EB_CORE_INVERTED_QUESTION_H
#define EB_CORE_INVERTED_QUESTION_H

#include "core/base/job.h"
#include "core/engine/device.h"
#include "core/inverted/inverted.h"
#include "core/inverted/table.h"

/* How a GPU has tables in shared memory: one for each query and list, as the FP8 paper has them; those of several
 * queries that look at one list side by side in words of 32 bits (four of 8 bits, two of FP16), so that one look-up
 * serves all of them. Usual: the second, where there is more than one entry in a word. */
typedef enum eb_table_layout { EB_LAYOUT_USUAL, EB_LAYOUT_PLAIN, EB_LAYOUT_PACKED, EB_TABLE_LAYOUTS } eb_table_layout;
const char *eb_table_layout_name(eb_table_layout layout); /* "usual", "plain", "packed" */

typedef struct eb_inverted_question {
    size_t k, nprobe;
    size_t refine; /* so many are found by codes, of which FP64 distances choose the k; 0: codes alone */
    eb_table_format lut;
    bool f16_sums; /* not of u8, whose sums are of integers */
    double scale;  /* bound of a table's largest entry (table.h): EB_TABLE_SCALE usually; 0: as they are */
    /* of a GPU; no answer depends on them */
    eb_table_layout layout;
    bool pad; /* a block takes as much shared memory as with FP32 tables: as many blocks an SM then */
} eb_inverted_question;

/* EB_USAGE for k = 0, fewer to refine than k, nprobe = 0 or beyond nlist, u8 with f16_sums, a scale that is none, a
 * layout of GPUs elsewhere.
 */
eb_code eb_inverted_check_question(const eb_inverted_question *question, size_t nlist, eb_device_kind on,
                                   eb_status *status);

/* What a searcher may use. The device, where it is no CPU, outlives it. */
typedef struct eb_inverted_context {
    const eb_device *device;
    const eb_dataset *points; /* whose rows the file has, for refining; NULL: nobody will ask for it */
    unsigned threads;
    uint64_t memory_limit; /* bytes on a GPU; 0: what is free */
} eb_inverted_context;

/* What answering took of a GPU, all of it since it was opened; zeros of a CPU. */
typedef struct eb_inverted_work {
    uint64_t lookups;    /* of warps: 32 points, one subspace; packed ones serve several queries */
    double kernel_s;     /* of the look-ups' kernel, tables included */
    unsigned blocks;     /* an SM holds at once */
    size_t shared_bytes; /* a block takes */
    size_t side_by_side; /* queries whose entries share a word */
    /* of `within` alone */
    uint64_t lists, points; /* scanned: lists, each for a query; the points in them */
    double copy_s, take_s;  /* by the host's clock: what was found, packed and copied; taken by the callback */
} eb_inverted_work;

/* A point of a list, and the file's own s of it. As a GPU's kernels have both in 64 bits, the row in the low ones. */
typedef struct eb_near_point {
    uint32_t row;
    float s;
} eb_near_point;

/* Who is told what a query found, once for each query, from any thread (one never runs two calls at once). Points come
 * in no order, and stay as long as the call. */
typedef struct eb_inverted_callback {
    void *context;
    eb_code (*take)(void *context, size_t query, unsigned thread, const eb_near_point *near, size_t count,
                    eb_status *status);
} eb_inverted_callback;

/* Who searches. What is open serves one caller at a time, and outlives no file. */
typedef struct eb_inverted_search {
    const char *name; /* as a run's implementation is told */
    eb_code (*open)(const eb_inverted_file *file, const eb_inverted_context *means, void **out, eb_status *status);
    /* queries: count × d, as eb_inverted_row makes them. rows, distances: [count × k], nearest first; distances are the
     * points' own. Where the lists hold fewer than k, EB_NO_ROW at infinity fills up. EB_USAGE by
     * eb_inverted_check_question, and for tables that the device has no room for. Progress: one unit a query, the phase
     * is the caller's. */
    eb_code (*find)(void *state, const eb_inverted_question *question, const float *queries, size_t count,
                    uint32_t *rows, double *distances, eb_job *job, eb_status *status);
    eb_inverted_work (*work)(const void *state);
    void (*close)(void *state); /* NULL is fine */
    /* All points of the nprobe nearest lists with s ≤ limit, s FP32 as the file's table has it. queries as above; k is
     * of no use. Progress is the callback's. NULL: who wants them looks at the lists itself
     * (kernels/inverted/cpu/search.h).
     */
    eb_code (*within)(void *state, const eb_inverted_question *question, const float *queries, size_t count,
                      float limit, const eb_inverted_callback *callback, eb_job *job, eb_status *status);
} eb_inverted_search;

#endif
