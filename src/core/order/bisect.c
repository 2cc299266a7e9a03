#include "core/order/bisect.h"

#include <math.h>

static double spread_of(const eb_block *block, size_t k, size_t begin, size_t end)
{
    const double *values = block->values + k * block->room;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = begin; i < end; i++) {
        const double x = values[block->at[i]];
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    return high - low;
}

static uint32_t widest(const eb_block *block, size_t begin, size_t end, double *spread)
{
    uint32_t dimension = 0;
    *spread = -1;
    for (size_t k = 0; k < block->d; k++) {
        const double here = spread_of(block, k, begin, end);
        if (here > *spread) {
            *spread = here;
            dimension = (uint32_t)k;
        }
    }
    return dimension;
}

static double middle_of(double a, double b, double c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

/* Hoare's partition: both ends move inwards past keys on their own side. Keys equal to the pivot are exchanged too, so
 * that many equal keys are divided evenly. */
static size_t partition(eb_keyed *keys, size_t begin, size_t end)
{
    const double pivot = middle_of(keys[begin].key, keys[begin + (end - begin) / 2].key, keys[end - 1].key);
    size_t low = begin, high = end - 1;
    for (;;) {
        while (keys[low].key < pivot)
            low++;
        while (keys[high].key > pivot)
            high--;
        if (low >= high)
            return high + 1;
        const eb_keyed swapped = keys[low];
        keys[low++] = keys[high];
        keys[high--] = swapped;
    }
}

/* Quickselect. A partition leaves at least one key on either side. */
static void select_least(eb_keyed *keys, size_t count, size_t middle)
{
    size_t begin = 0, end = count;
    while (end - begin > 1) {
        size_t cut = partition(keys, begin, end);
        if (cut == end)
            cut = end - 1; /* the last key is the greatest, and at its place */
        if (middle < cut)
            end = cut;
        else
            begin = cut;
    }
}

eb_cut eb_bisect(const eb_block *block, size_t begin, size_t middle, size_t end)
{
    double spread;
    eb_cut cut = {.dimension = widest(block, begin, end, &spread)};
    const double *values = block->values + cut.dimension * block->room;
    if (spread > 0) {
        for (size_t i = begin; i < end; i++)
            block->keys[i - begin] = (eb_keyed){values[block->at[i]], block->at[i]};
        select_least(block->keys, end - begin, middle - begin);
        for (size_t i = begin; i < end; i++)
            block->at[i] = block->keys[i - begin].at;
    }
    cut.value = values[block->at[middle]];
    return cut;
}
