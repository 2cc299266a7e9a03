/* array: room at the end of an array on the heap. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more behind `count` elements of `size` bytes: where there is none the array doubles, from `first`
 * elements on. `array` is the pointer's address. False: out of memory, and nothing is changed. */
static inline bool eb_array_grow(void *array, size_t count, size_t *room, size_t size, size_t first)
{
    void *old;
    if (count < *room)
        return true;
    memcpy(&old, array, sizeof old); /* its type is the caller's */
    const size_t wanted = *room ? 2 * *room : first;
    void *grown = realloc(old, wanted * size);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    /* cppcheck-suppress memleak ; the caller's pointer has it */
    return true;
}
