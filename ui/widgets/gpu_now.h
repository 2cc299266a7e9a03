/* gpu_now: what a GPU does just now, in the header's words: "1.98 GHz  512 W  61 °C  12.4 GiB of 140 GiB".
 */
#ifndef EB_UI_WIDGETS_GPU_NOW_H
#define EB_UI_WIDGETS_GPU_NOW_H

#include "core/engine/device.h"
#include "draw/canvas.h"
#include "kernels/device/cuda.h"

/* What is known of it, as much as has room in so many columns, each value whole; "" when nothing is. Returns buffer. */
const char *eb_gpu_words(const eb_gpu_now *gpu, const eb_gpu_memory *memory, int columns, char *buffer, size_t size);

#endif
