/* array: growing an array on the heap. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more element after `count` elements of `size` bytes. A full array doubles; an empty one gets
 * `first` elements. `array` is the address of the caller's pointer. False: out of memory, nothing is changed. */
static inline bool eb_array_grow(void *array, size_t count, size_t *room, size_t size, size_t first)
{
    void *old;
    if (count < *room)
        return true;
    memcpy(&old, array, sizeof old); /* the caller's pointer may have any type */
    const size_t wanted = *room ? 2 * *room : first;
    void *grown = realloc(old, wanted * size);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    /* cppcheck-suppress memleak ; the caller's pointer has it */
    return true;
}
