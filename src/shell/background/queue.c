#include "shell/background/queue.h"

#include <stdlib.h>
#include <string.h>

const eb_waiting *eb_queue_add(eb_queue *queue, const char *text, const eb_settings *settings, eb_asker asker)
{
    size_t size = strlen(text) + 1;
    eb_waiting *line = malloc(sizeof *line + size), **end = &queue->first;
    if (!line)
        return NULL;
    if (!queue->first)
        queue->given = 0;
    *line = (eb_waiting){.number = ++queue->given, .asker = asker, .settings = *settings};
    memcpy(line->text, text, size);
    while (*end)
        end = &(*end)->next;
    *end = line;
    return line;
}

eb_waiting *eb_queue_take(eb_queue *queue)
{
    eb_waiting *first = queue->first;
    if (first)
        queue->first = first->next;
    return first;
}

bool eb_queue_drop(eb_queue *queue, unsigned number)
{
    eb_waiting **at = &queue->first;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    eb_waiting *found = *at;
    if (!found)
        return false;
    *at = found->next;
    free(found);
    return true;
}

size_t eb_queue_clear(eb_queue *queue)
{
    size_t count = 0;
    for (eb_waiting *line; (line = eb_queue_take(queue)); count++)
        free(line);
    return count;
}

bool eb_queue_is_missed(const eb_queue *queue)
{
    const eb_waiting *line = queue->first;
    while (line && line->asker == EB_BY_PANEL)
        line = line->next;
    return line != NULL;
}

size_t eb_queue_count(const eb_queue *queue)
{
    size_t count = 0;
    for (const eb_waiting *line = queue->first; line; line = line->next)
        count++;
    return count;
}

#define FOLLOW(member)                                                                                                 \
    do {                                                                                                               \
        if (settings->member == before->member)                                                                        \
            settings->member = after->member;                                                                          \
    } while (0)

static void follow_text(char *text, const char *before, const char *after, size_t size)
{
    if (strcmp(text, before) == 0)
        memcpy(text, after, size);
}

void eb_settings_follow(eb_settings *settings, const eb_settings *before, const eb_settings *after)
{
    follow_text(settings->device, before->device, after->device, sizeof after->device);
    follow_text(settings->log_columns, before->log_columns, after->log_columns, sizeof after->log_columns);
    for (size_t k = 0; k < EB_MOST_ENGINES; k++)
        follow_text(settings->engines.items[k], before->engines.items[k], after->engines.items[k],
                    sizeof after->engines.items[k]);
    FOLLOW(threads);
    FOLLOW(trials);
    FOLLOW(seed);
    FOLLOW(memory_limit);
    FOLLOW(gpu_memory_limit);
    FOLLOW(holding);
    FOLLOW(mode);
    FOLLOW(timer);
    FOLLOW(theme);
}

void eb_queue_follow(eb_queue *queue, const eb_settings *before, const eb_settings *after)
{
    for (eb_waiting *line = queue->first; line; line = line->next)
        eb_settings_follow(&line->settings, before, after);
}
