/* The first dimensions' cells go into one 64-bit key, as many of them as it holds, and keys are sorted by their digits;
 * the few points whose keys are the same are then told apart by the other dimensions. */
#include "kernels/grid_order/sort.h"

#include <stdlib.h>

enum { DIGIT = 11, DIGITS = 1 << DIGIT, KEY = 64 };

typedef struct keyed {
    uint64_t key;
    uint32_t point;
} keyed;

typedef struct packing {
    const int32_t *cells;
    size_t d, packed; /* dimensions [0, packed) are in the key */
    int32_t *low;     /* [d] */
    unsigned *bits;   /* [d] */
    unsigned key_bits;
} packing;

static void find_range(const packing *p, size_t n, size_t k, int32_t *low, int32_t *high)
{
    *low = *high = p->cells[k];
    for (size_t i = 1; i < n; i++) {
        const int32_t cell = p->cells[i * p->d + k];
        *low = cell < *low ? cell : *low;
        *high = cell > *high ? cell : *high;
    }
}

static void plan(packing *p, size_t n)
{
    for (p->packed = 0; p->packed < p->d; p->packed++) {
        const size_t k = p->packed;
        int32_t high;
        find_range(p, n, k, &p->low[k], &high);
        const uint64_t range = (uint64_t)((int64_t)high - p->low[k]);
        p->bits[k] = range ? KEY - (unsigned)__builtin_clzll(range) : 0;
        if (p->key_bits + p->bits[k] > KEY)
            return;
        p->key_bits += p->bits[k];
    }
}

static uint64_t key_of(const packing *p, size_t i)
{
    uint64_t key = 0;
    for (size_t k = 0; k < p->packed; k++)
        if (p->bits[k])
            key = key << p->bits[k] | (uint64_t)((int64_t)p->cells[i * p->d + k] - p->low[k]);
    return key;
}

static void sort_digit(const keyed *from, size_t n, unsigned shift, keyed *to)
{
    size_t at[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        at[from[i].key >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const size_t here = at[digit];
        at[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < n; i++)
        to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

static int by_rest(const void *a, const void *b, void *context)
{
    const packing *p = context;
    const uint32_t i = ((const keyed *)a)->point, j = ((const keyed *)b)->point;
    for (size_t k = p->packed; k < p->d; k++) {
        const int32_t x = p->cells[i * p->d + k], y = p->cells[j * p->d + k];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (i > j) - (i < j);
}

static void sort_rest(packing *p, keyed *items, size_t n)
{
    for (size_t begin = 0, end; begin < n && p->packed < p->d; begin = end) {
        for (end = begin + 1; end < n && items[end].key == items[begin].key;)
            end++;
        if (end - begin > 1)
            qsort_r(items + begin, end - begin, sizeof *items, by_rest, p);
    }
}

static void sort_items(packing *p, keyed *items, keyed *other, size_t n, uint32_t *order)
{
    plan(p, n);
    for (size_t i = 0; i < n; i++)
        items[i] = (keyed){key_of(p, i), (uint32_t)i};
    for (unsigned shift = 0; shift < p->key_bits; shift += DIGIT) {
        sort_digit(items, n, shift, other);
        keyed *swapped = items;
        items = other;
        other = swapped;
    }
    sort_rest(p, items, n);
    for (size_t i = 0; i < n; i++)
        order[i] = items[i].point;
}

eb_code eb_eps_grid_sort(const int32_t *cells, size_t n, size_t d, uint32_t *order, eb_status *status)
{
    packing p = {.cells = cells, .d = d, .low = malloc(d * sizeof *p.low), .bits = malloc(d * sizeof *p.bits)};
    keyed *items = calloc(2 * n, sizeof *items);
    const bool room = p.low && p.bits && items;
    if (room)
        sort_items(&p, items, items + n, n, order);
    free(items);
    free(p.bits);
    free(p.low);
    return room ? EB_OK : eb_fail_memory(status, "cells to be sorted", 2 * n * sizeof *items);
}
