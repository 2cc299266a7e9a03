/* queue: the lines that wait while a command runs, oldest first, each with the settings of the moment it was entered.
 * The terminal's thread's.
 */
#pragma once

#include "shell/session.h"

/* Who asked for a line: somebody who typed it; a key; a panel that shows what it shows, and nobody would miss it. */
typedef enum eb_asker { EB_TYPED, EB_BY_KEY, EB_BY_PANEL } eb_asker;

typedef struct eb_waiting {
    struct eb_waiting *next;
    unsigned number; /* from 1, in the order in which lines came */
    eb_asker asker;
    eb_settings settings;
    char text[];
} eb_waiting;

struct eb_queue {
    eb_waiting *first;
    unsigned given; /* numbers so far; begins anew with an empty queue */
};

/* The line is put behind the others; NULL: out of memory. */
const eb_waiting *eb_queue_add(eb_queue *queue, const char *text, const eb_settings *settings, eb_asker asker);
eb_waiting *eb_queue_take(eb_queue *queue);           /* the oldest, the caller's to free; NULL: none waits */
bool eb_queue_drop(eb_queue *queue, unsigned number); /* false: there is none */
size_t eb_queue_clear(eb_queue *queue);               /* how many waited */
size_t eb_queue_count(const eb_queue *queue);
bool eb_queue_is_missed(const eb_queue *queue); /* somebody asked for a line that waits */

/* A line changed its settings from `before` to `after`: so do the lines that wait behind it, but for what was set
 * otherwise meanwhile. */
void eb_queue_follow(eb_queue *queue, const eb_settings *before, const eb_settings *after);

/* The same for one set of settings. */
void eb_settings_follow(eb_settings *settings, const eb_settings *before, const eb_settings *after);
