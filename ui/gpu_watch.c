#include "ui/gpu_watch.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/thread.h"
#include "draw/format.h"
#include "draw/utf8.h"

struct eb_gpu_watch {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    eb_gpu_sampler sampler;
    int device;
    bool asked, found, ended;
    eb_gpu_sample sample;
};

static void destroy(eb_gpu_watch *watch)
{
    (void)pthread_cond_destroy(&watch->changed);
    (void)pthread_mutex_destroy(&watch->lock);
    free(watch);
}

/* The thread is detached, so that leaving the workbench never waits for the driver; the thread itself frees the watch.
 */
static void *answer(void *context)
{
    eb_gpu_watch *watch = context;
    (void)pthread_mutex_lock(&watch->lock);
    for (;;) {
        while (!watch->asked && !watch->ended)
            (void)pthread_cond_wait(&watch->changed, &watch->lock);
        if (watch->ended)
            break;
        int device = watch->device;
        (void)pthread_mutex_unlock(&watch->lock);
        eb_gpu_sample sample = watch->sampler(device);
        (void)pthread_mutex_lock(&watch->lock);
        watch->sample = sample;
        watch->asked = false;
        watch->found = true;
    }
    (void)pthread_mutex_unlock(&watch->lock);
    destroy(watch);
    return NULL;
}

static bool start(eb_gpu_watch *watch)
{
    pthread_t thread;
    int failed = eb_thread_start(&thread, answer, watch);
    if (!failed)
        (void)pthread_detach(thread);
    return !failed;
}

eb_gpu_watch *eb_gpu_watch_new(eb_gpu_sampler sampler)
{
    eb_gpu_watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return NULL;
    watch->sampler = sampler;
    (void)pthread_mutex_init(&watch->lock, NULL);
    (void)pthread_cond_init(&watch->changed, NULL);
    if (start(watch))
        return watch;
    destroy(watch);
    return NULL;
}

void eb_gpu_watch_free(eb_gpu_watch *watch)
{
    if (!watch)
        return;
    (void)pthread_mutex_lock(&watch->lock);
    watch->ended = true;
    (void)pthread_cond_signal(&watch->changed);
    (void)pthread_mutex_unlock(&watch->lock);
}

bool eb_gpu_watch_take(eb_gpu_watch *watch, int device, eb_gpu_sample *out)
{
    (void)pthread_mutex_lock(&watch->lock);
    bool found = watch->found && watch->device == device;
    if (found)
        *out = watch->sample;
    if (!watch->asked) {
        watch->found = false;
        watch->asked = true;
        watch->device = device;
        (void)pthread_cond_signal(&watch->changed);
    }
    (void)pthread_mutex_unlock(&watch->lock);
    return found;
}

/* ---- as text ---- */

enum { VALUE = 40, VALUES = 4 };

static void put_value(char *text, double value, eb_unit unit)
{
    text[0] = '\0';
    if (isfinite(value))
        (void)eb_format_value(text, VALUE, eb_real(value), unit);
}

const char *eb_gpu_words(const eb_gpu_now *gpu, const eb_gpu_memory *memory, int columns, char *buffer, size_t size)
{
    char value[VALUES][2 * VALUE + 8], used[VALUE], all[VALUE];
    put_value(value[0], gpu->sm_clock_hz, EB_HERTZ);
    put_value(value[1], gpu->power_w, EB_WATTS);
    value[2][0] = value[3][0] = '\0';
    put_value(used, memory->used_bytes, EB_BYTES);
    put_value(all, memory->all_bytes, EB_BYTES);
    if (isfinite(gpu->temperature_c))
        (void)snprintf(value[2], sizeof value[2], "%.0f °C", gpu->temperature_c);
    if (used[0] && all[0])
        (void)snprintf(value[3], sizeof value[3], "%s of %s", used, all);
    size_t length = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < VALUES; k++) {
        int wanted = eb_text_width(buffer) + (length > 0 ? 2 : 0) + eb_text_width(value[k]);
        if (!value[k][0] || wanted > columns || length + strlen(value[k]) + 3 > size)
            continue;
        length += (size_t)snprintf(buffer + length, size - length, "%s%s", length > 0 ? "  " : "", value[k]);
    }
    return buffer;
}
