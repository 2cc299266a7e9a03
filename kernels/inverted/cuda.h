/* inverted: an inverted file (core/inverted/inverted.h) on a GPU: who finds the nearest lists while one is built, and
 * who searches it. Both give the bits that the CPU's threads give. C-callable; without nvcc they say what is missing.
 */
#ifndef EB_KERNELS_INVERTED_CUDA_H
#define EB_KERNELS_INVERTED_CUDA_H

#include "core/engine/device.h"
#include "core/inverted/question.h"
#include "kernels/inverted/cpu/build.h"

/* What searching may use. The device outlives it. */
typedef struct eb_inverted_context {
    const eb_device *device;
    const eb_dataset *points; /* whose rows the file has, for refining */
    unsigned threads;
    uint64_t memory_limit; /* bytes of the device; 0: what is free */
} eb_inverted_context;

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

/* Searching on a device. What is open serves one caller at a time, and outlives no file. */
typedef struct eb_inverted_search {
    eb_code (*open)(const eb_inverted_file *file, const eb_inverted_context *with, void **out, eb_status *status);
    /* queries: count × d, as eb_inverted_row makes them. rows, distances: [count × k], nearest first; distances are the
     * points' own. Where the lists hold fewer than k, EB_NO_POINT at infinity fills up. EB_USAGE by
     * eb_inverted_check_question, and for tables that the device has no room for. Progress: one unit a query, the phase
     * is the caller's. */
    eb_code (*find)(void *state, const eb_inverted_question *question, const float *queries, size_t count,
                    uint32_t *rows, double *distances, eb_job *job, eb_status *status);
    eb_inverted_work (*work)(const void *state);
    void (*close)(void *state); /* NULL is fine */
    /* All points of the nprobe nearest lists with s ≤ limit, s FP32 as the file's table has it. queries as above; k is
     * of no use. Progress is the callback's. */
    eb_code (*within)(void *state, const eb_inverted_question *question, const float *queries, size_t count,
                      float limit, const eb_inverted_callback *callback, eb_job *job, eb_status *status);
} eb_inverted_search;

extern const eb_inverted_search eb_inverted_search_cuda;

/* EB_NO_ENGINE for a GPU that it cannot search on. */
eb_code eb_inverted_cuda_probe(const eb_device *device, eb_status *status);

/* *out may be used until it is closed. */
eb_code eb_assigner_cuda_open(const eb_device *device, eb_assigner *out, eb_status *status);
void eb_assigner_cuda_close(eb_assigner *nearest); /* a zeroed one is fine */

#endif
