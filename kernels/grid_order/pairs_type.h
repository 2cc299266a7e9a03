/* pairs_type: within and sums by squared differences for one type. pairs_simd.c includes this file twice and defines
 * NAME(x), VALUE in memory, VECTOR of LANES, and their operations. */

#define PARTS (EB_EPS_GRID_BLOCK / LANES)
#if defined(__AVX2__)
#define LINES PARTS
#else
#define LINES (PARTS < 4u ? PARTS : 4u) /* sums that fit the registers */
#endif

_Static_assert(PARTS % LINES == 0, "a block is whole stretches");

/* The lanes of LINES vectors of a block that are within the limit. Adds to *looked the dimensions computed. */
EB_INLINE uint32_t NAME(stretch)(const VALUE *query, const VALUE *b, size_t d, VECTOR limit, uint64_t *looked)
{
    VECTOR sums[LINES];
    uint32_t lanes = 0;
    size_t k = 0;
#pragma GCC unroll 16
    for (size_t p = 0; p < LINES; p++)
        sums[p] = ALL(0);
    while (k < d) {
        const size_t end = d - k < LOOK ? d : k + LOOK;
        for (; k < end; k++) {
            const VECTOR x = ALL(query[k * EB_EPS_GRID_BLOCK]);
#pragma GCC unroll 16
            for (size_t p = 0; p < LINES; p++)
                sums[p] = SQUARE_ADD(SUB(x, LOAD(b + k * EB_EPS_GRID_BLOCK + p * LANES)), sums[p]);
        }
        lanes = 0;
#pragma GCC unroll 16
        for (size_t p = 0; p < LINES; p++)
            lanes |= (uint32_t)NOT_ABOVE(sums[p], limit) << (p * LANES);
        if (!lanes)
            break;
    }
    *looked += k * LINES;
    return lanes;
}

EB_INLINE uint64_t NAME(within)(const VALUE *a, size_t queries, const VALUE *b, size_t d, VECTOR limit, uint32_t *lanes)
{
    uint64_t looked = 0;
    for (size_t q = 0; q < queries; q++) {
        lanes[q] = 0;
        for (size_t p = 0; p < PARTS; p += LINES)
            lanes[q] |= NAME(stretch)(a + q, b + p * LANES, d, limit, &looked) << (p * LANES);
    }
    return looked / PARTS;
}

static uint64_t NAME(within_of)(const VALUE *a, size_t queries, const VALUE *b, size_t d, VECTOR limit, uint32_t *lanes)
{
    switch (d) { /* with a constant d the compiler unrolls the loops */
    case 1: return NAME(within)(a, queries, b, 1, limit, lanes);
    case 2: return NAME(within)(a, queries, b, 2, limit, lanes);
    case 3: return NAME(within)(a, queries, b, 3, limit, lanes);
    case 4: return NAME(within)(a, queries, b, 4, limit, lanes);
    default: return NAME(within)(a, queries, b, d, limit, lanes);
    }
}

static void NAME(sums_of)(const VALUE *query, const VALUE *b, size_t d, uint32_t lanes, VALUE *s)
{
    for (size_t p = 0; p < PARTS && lanes >> (p * LANES); p++) {
        VECTOR sum = ALL(0);
        if (!(lanes >> (p * LANES) & (uint32_t)((1ull << LANES) - 1)))
            continue;
        for (size_t k = 0; k < d; k++)
            sum = SQUARE_ADD(SUB(ALL(query[k * EB_EPS_GRID_BLOCK]), LOAD(b + k * EB_EPS_GRID_BLOCK + p * LANES)), sum);
        STORE(s + p * LANES, sum);
    }
}

#undef PARTS
#undef LINES
