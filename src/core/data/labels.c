#include "core/data/labels.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

eb_labels *eb_labels_new(const char *column)
{
    eb_labels *labels = calloc(1, sizeof *labels);
    if (labels && !(labels->column = strdup(column))) {
        free(labels);
        labels = NULL;
    }
    return labels;
}

void eb_labels_free(eb_labels *labels)
{
    if (!labels)
        return;
    for (size_t k = 0; k < labels->names; k++)
        free(labels->name[k]);
    free(labels->name);
    free(labels->of);
    free(labels->slot);
    free(labels->column);
    free(labels);
}

/* FNV-1a. */
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t k = 0; k < length; k++)
        hash = (hash ^ (unsigned char)text[k]) * 1099511628211u;
    return hash ^ hash >> 32;
}

/* The slot of the name, or the free slot where it belongs. */
static uint32_t *find_slot(const eb_labels *labels, const char *text, size_t length)
{
    size_t at = (size_t)hash_of(text, length) & (labels->slots - 1);
    for (;; at = (at + 1) & (labels->slots - 1)) {
        uint32_t *slot = &labels->slot[at];
        if (*slot == 0)
            return slot;
        const char *name = labels->name[*slot - 1];
        if (strlen(name) == length && memcmp(name, text, length) == 0)
            return slot;
    }
}

/* Makes sure that there will be at least twice as many slots as names after one name is added. */
static bool reserve_slots(eb_labels *labels)
{
    if (2 * (labels->names + 1) <= labels->slots)
        return true;
    size_t slots = labels->slots ? 2 * labels->slots : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(labels->slot);
    labels->slot = slot;
    labels->slots = slots;
    for (size_t k = 0; k < labels->names; k++)
        *find_slot(labels, labels->name[k], strlen(labels->name[k])) = (uint32_t)k + 1;
    return true;
}

static bool add_name(eb_labels *labels, const char *text, size_t length, uint32_t *slot)
{
    if (!eb_array_grow(&labels->name, labels->names, &labels->name_capacity, sizeof *labels->name, 16))
        return false;
    labels->name[labels->names] = strndup(text, length);
    if (!labels->name[labels->names])
        return false;
    *slot = (uint32_t)++labels->names;
    return true;
}

bool eb_labels_add(eb_labels *labels, const char *text, size_t length)
{
    length = strnlen(text, length);
    if (!eb_array_grow(&labels->of, labels->points, &labels->point_capacity, sizeof *labels->of, 256) ||
        !reserve_slots(labels))
        return false;
    uint32_t *slot = find_slot(labels, text, length);
    if (*slot == 0 && !add_name(labels, text, length, slot))
        return false;
    labels->of[labels->points++] = *slot - 1;
    return true;
}

size_t eb_labels_longest(const eb_labels *labels)
{
    size_t longest = 1;
    for (size_t k = 0; k < labels->names; k++) {
        size_t length = strlen(labels->name[k]);
        longest = length > longest ? length : longest;
    }
    return longest;
}
