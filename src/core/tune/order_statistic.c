/* order_statistic: doubles sort like their bit patterns once negative ones are inverted. The range of the patterns is
 * cut into equal buckets, and the bucket that contains the rank is searched next. Each round shrinks the range by a
 * factor of 4096, so there are at most six rounds. Equal values cost nothing extra, and there is no bad input as for
 * quickselect. */
#include "core/tune/order_statistic.h"

#include <stddef.h>
#include <string.h>

#define BUCKET_BITS 12u
#define BUCKETS (1u << BUCKET_BITS)

static uint64_t key_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Moves the values of one bucket to the front; returns their number. */
static uint64_t gather(double *values, uint64_t count, uint64_t low, unsigned shift, uint64_t bucket)
{
    uint64_t found = 0;
    for (uint64_t k = 0; k < count; k++) {
        double x = values[k];
        if ((key_of(x) - low) >> shift != bucket)
            continue;
        values[k] = values[found];
        values[found++] = x;
    }
    return found;
}

double eb_order_statistic(double *values, uint64_t count, uint64_t rank)
{
    for (;;) {
        uint64_t low = UINT64_MAX, high = 0;
        for (uint64_t k = 0; k < count; k++) {
            uint64_t key = key_of(values[k]);
            low = key < low ? key : low;
            high = key > high ? key : high;
        }
        if (low == high)
            return value_of(low);
        unsigned shift = 0;
        while ((high - low) >> shift >= BUCKETS)
            shift++;
        uint64_t size[BUCKETS] = {0};
        for (uint64_t k = 0; k < count; k++)
            size[(key_of(values[k]) - low) >> shift]++;
        uint64_t bucket = 0;
        while (rank > size[bucket])
            rank -= size[bucket++];
        if (shift == 0)
            return value_of(low + bucket);
        count = gather(values, count, low, shift, bucket);
    }
}

int eb_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int eb_compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}
