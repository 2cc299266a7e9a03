#include "kernels/inverted/cpu/kernels.h"
#include "kernels/walk/vector.h"

/* Several points are compared with a panel at a time, so that its loads serve all of them: as many as registers hold.
 */
#if EB_LANES32 == 16
enum { AT_ONCE = 8 };
#else
enum { AT_ONCE = 4 };
#endif

EB_INLINE eb_v32 all_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return eb_v32_all(bits);
}

EB_INLINE eb_v32 load_f32(const float *p) { return eb_v32_load((const uint32_t *)(const void *)p); }

EB_INLINE void sums_of(const float *panel, size_t d, const float *points, size_t stride, size_t count, eb_v32 *sum)
{
    for (size_t q = 0; q < count; q++)
        sum[q] = eb_v32_all(0);
    for (size_t t = 0; t < d; t++) {
        const eb_v32 c = load_f32(panel + t * EB_PANEL);
        for (size_t q = 0; q < count; q++)
            sum[q] = eb_v32_square_add_f32(eb_v32_sub_f32(all_f32(points[q * stride + t]), c), sum[q]);
    }
}

/* Finds the lane with the least distance; of equal distances the one of the first vector. */
static void least_lane(eb_v32 best, eb_v32 where, uint32_t *place, float *s)
{
    uint32_t bits[EB_LANES32], at[EB_LANES32];
    float value[EB_LANES32];
    eb_v32_store(bits, best);
    eb_v32_store(at, where);
    memcpy(value, bits, sizeof value);
    *place = at[0];
    *s = value[0];
    for (size_t lane = 1; lane < EB_LANES32; lane++)
        if (value[lane] < *s || (value[lane] == *s && at[lane] < *place)) {
            *place = at[lane];
            *s = value[lane];
        }
}

EB_INLINE void nearest_of(const eb_panels *p, const float *points, size_t stride, size_t count, uint32_t *place,
                          float *s)
{
    const size_t panels = eb_panels_count(p->k);
    uint32_t lane[EB_LANES32];
    eb_v32 best[AT_ONCE], where[AT_ONCE], sum[AT_ONCE];
    for (uint32_t k = 0; k < EB_LANES32; k++)
        lane[k] = k;
    eb_v32 at = eb_v32_load(lane);
    for (size_t q = 0; q < count; q++) {
        best[q] = all_f32(INFINITY);
        where[q] = at;
    }
    for (size_t k = 0; k < panels; k++)
        for (size_t l = 0; l < EB_PANEL; l += EB_LANES32) {
            sums_of(p->value + k * p->d * EB_PANEL + l, p->d, points, stride, count, sum);
            for (size_t q = 0; q < count; q++)
                eb_v32_take_less_f32(&best[q], &where[q], sum[q], at);
            at = eb_v32_add(at, eb_v32_all(EB_LANES32));
        }
    for (size_t q = 0; q < count; q++)
        least_lane(best[q], where[q], &place[q], &s[q]);
}

void EB_FOR_ISA(eb_inverted_nearest)(const eb_panels *panels, const float *points, size_t stride, size_t count,
                                     uint32_t *place, float *s)
{
    size_t i = 0;
    for (; i + AT_ONCE <= count; i += AT_ONCE)
        nearest_of(panels, points + i * stride, stride, AT_ONCE, place + i, s + i);
    for (; i < count; i++)
        nearest_of(panels, points + i * stride, stride, 1, place + i, s + i);
}

void EB_FOR_ISA(eb_inverted_distances)(const eb_panels *p, const float *point, float *out)
{
    const size_t panels = eb_panels_count(p->k);
    for (size_t k = 0; k < panels; k++)
        for (size_t l = 0; l < EB_PANEL; l += EB_LANES32) {
            eb_v32 sum;
            sums_of(p->value + k * p->d * EB_PANEL + l, p->d, point, 0, 1, &sum);
            eb_v32_store((uint32_t *)(void *)(out + k * EB_PANEL + l), sum);
        }
}
