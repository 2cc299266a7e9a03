/* gpu_watch: asks a GPU how it is on a thread of its own, so that no key waits for a driver that is slow to answer.
 */
#pragma once

#include <stdbool.h>

#include "core/engine/device.h"
#include "draw/canvas.h"
#include "kernels/device/cuda.h"

typedef struct eb_gpu_sample {
    eb_gpu_now now;
    eb_gpu_memory memory;
} eb_gpu_sample;

/* Called on that thread; may take as long as it likes. */
typedef eb_gpu_sample (*eb_gpu_sampler)(int device);

typedef struct eb_gpu_watch eb_gpu_watch;
eb_gpu_watch *eb_gpu_watch_new(eb_gpu_sampler sampler); /* NULL: out of memory, or no thread */
void eb_gpu_watch_free(eb_gpu_watch *watch);            /* waits for nothing; NULL is fine */

/* What was found since the last call, false: nothing; then asks anew, unless an answer is still to come. Never waits.
 */
bool eb_gpu_watch_take(eb_gpu_watch *watch, int device, eb_gpu_sample *out);

/* What is known of it, as much as has room in so many columns, each value whole; "" when nothing is. Returns buffer. */
const char *eb_gpu_words(const eb_gpu_now *gpu, const eb_gpu_memory *memory, int columns, char *buffer, size_t size);
