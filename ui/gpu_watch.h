/* gpu_watch: samples a GPU's clock, power and memory on a thread of its own, so that no key waits for a slow driver. */
#pragma once

#include <stdbool.h>

#include "core/engine/device.h"
#include "draw/canvas.h"
#include "kernels/device/cuda.h"

typedef struct eb_gpu_sample {
    eb_gpu_now now;
    eb_gpu_memory memory;
} eb_gpu_sample;

/* Called on the watch's thread; may take long. */
typedef eb_gpu_sample (*eb_gpu_sampler)(int device);

typedef struct eb_gpu_watch eb_gpu_watch;
eb_gpu_watch *eb_gpu_watch_new(eb_gpu_sampler sampler); /* NULL: out of memory, or no thread */
void eb_gpu_watch_free(eb_gpu_watch *watch);            /* waits for nothing; NULL is fine */

/* Returns the sample that arrived since the last call, and true; false if none did. Then asks for the next sample,
 * unless one is under way. Never waits. */
bool eb_gpu_watch_take(eb_gpu_watch *watch, int device, eb_gpu_sample *out);

/* The known values as text of at most `columns` columns; a value without room is left out; "" when none is known.
 * Returns buffer. */
const char *eb_gpu_words(const eb_gpu_now *gpu, const eb_gpu_memory *memory, int columns, char *buffer, size_t size);
