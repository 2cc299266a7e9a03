#include "ui/gpu_watch.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/base/thread.h"

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

/* Detached: who ends the workbench does not wait for the driver either. The last one to know of it frees it. */
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
