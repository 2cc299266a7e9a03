/* labels: what the points are called, from a column of their file that is no coordinate. They take no part in a join,
 * nor in the points' hash; they are shown where points are, and go with saved tables.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct eb_labels {
    char *column;  /* what the file calls them: "species", "4" */
    size_t points; /* that have one: all, in the end */
    uint32_t *of;  /* [points]: which of the names */
    size_t names;
    char **name; /* [names], each once, in the order in which they first come */

    size_t point_capacity, name_capacity;
    uint32_t *slot; /* [slots] 1 + a name's index, 0: free; a power of two of them */
    size_t slots;
} eb_labels;

/* NULL: out of memory, here and below. */
eb_labels *eb_labels_new(const char *column);
void eb_labels_free(eb_labels *labels); /* NULL is fine */

/* The next point's label, `length` bytes of text, cut at a NUL. False: out of memory. */
bool eb_labels_add(eb_labels *labels, const char *text, size_t length);

/* What point i is called. */
static inline const char *eb_label(const eb_labels *labels, size_t i) { return labels->name[labels->of[i]]; }
static inline const char *eb_label_if_any(const eb_labels *labels, size_t i) /* NULL where points have none */
{
    return labels ? eb_label(labels, i) : NULL;
}

/* Bytes of the longest name, at least 1. */
size_t eb_labels_longest(const eb_labels *labels);
