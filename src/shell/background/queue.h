/* queue: the lines that wait while a command runs, oldest first, each with the settings in force when it was entered.
 * Used on the terminal's thread only.
 */
#pragma once

#include "shell/session.h"

/* The source of a line: it was typed, a key entered it, or a panel entered it to refresh its contents. */
typedef enum eb_asker { EB_TYPED, EB_BY_KEY, EB_BY_PANEL } eb_asker;

typedef struct eb_waiting {
    struct eb_waiting *next;
    unsigned number; /* from 1, in order of entry */
    eb_asker asker;
    eb_settings settings;
    char text[];
} eb_waiting;

struct eb_queue {
    eb_waiting *first;
    unsigned given; /* the last number given to a line; restarts when the queue is empty */
};

/* Appends a copy of the line; NULL: out of memory. */
const eb_waiting *eb_queue_add(eb_queue *queue, const char *text, const eb_settings *settings, eb_asker asker);
eb_waiting *eb_queue_take(eb_queue *queue);           /* removes the oldest, which the caller frees; NULL: none */
bool eb_queue_drop(eb_queue *queue, unsigned number); /* false: no line has this number */
size_t eb_queue_clear(eb_queue *queue);               /* returns the number of lines removed */
size_t eb_queue_count(const eb_queue *queue);
bool eb_queue_is_missed(const eb_queue *queue); /* true if a waiting line was typed or comes from a key */

/* A command changed the settings from `before` to `after`: makes the same changes for the lines that wait, except where
 * a line's setting already differs from `before`. */
void eb_queue_follow(eb_queue *queue, const eb_settings *before, const eb_settings *after);

/* Does what eb_queue_follow does to a line, for one set of settings. */
void eb_settings_follow(eb_settings *settings, const eb_settings *before, const eb_settings *after);
