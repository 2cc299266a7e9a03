/* labels: the names of points, from a column of their file that is no coordinate. Labels affect neither joins nor the
 * dataset's hash. They are shown wherever points are shown, and saved with tables.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct eb_labels {
    char *column;  /* the column's name in the file: "species", "4" */
    size_t points; /* points that were given a label: in the end, all */
    uint32_t *of;  /* [points] index of the point's name */
    size_t names;
    char **name; /* [names] different names, in order of their first point */

    size_t point_capacity, name_capacity;
    uint32_t *slot; /* [slots] hash table: 1 + a name's index; 0: free */
    size_t slots;   /* a power of two */
} eb_labels;

/* NULL: out of memory, here and below. */
eb_labels *eb_labels_new(const char *column);
void eb_labels_free(eb_labels *labels); /* NULL is fine */

/* Adds the next point's label: `length` bytes of text, cut at a NUL. False: out of memory. */
bool eb_labels_add(eb_labels *labels, const char *text, size_t length);

static inline const char *eb_label(const eb_labels *labels, size_t i) { return labels->name[labels->of[i]]; }
static inline const char *eb_label_if_any(const eb_labels *labels, size_t i) /* NULL if the points have no labels */
{
    return labels ? eb_label(labels, i) : NULL;
}

/* Bytes of the longest name, at least 1. */
size_t eb_labels_longest(const eb_labels *labels);
