/* expansion_type: halves, within and sums by expansion (expansion.h) for one type. pairs_simd.c includes this file
 * twice and defines NAME(x), VALUE in memory, VECTOR of LANES, and their operations. A block's halves are [parts][32].
 */

#define PARTS (EB_EPS_GRID_BLOCK / LANES)
#define LINES (PARTS < 4u ? PARTS : 4u)
#if defined(__AVX512F__)
#define TOGETHER 4u /* queries: 4 × 4 sums, and as many registers again for their operands */
#elif defined(__AVX2__)
#define TOGETHER 2u
#else
#define TOGETHER 1u
#endif

_Static_assert(EB_EPS_GRID_BLOCK % TOGETHER == 0 && PARTS % LINES == 0, "a block is whole stretches");

typedef struct NAME(expanded) {
    const VALUE *values, *halves; /* of a block */
} NAME(expanded);

/* h ← h − x·x over coordinates [k, end) of the lanes from `at` on. Adds the squares to *norm, and returns h/2. */
EB_INLINE VECTOR NAME(take_off)(VECTOR h, const VALUE *values, size_t k, size_t end, size_t at, VECTOR *norm)
{
    for (; k < end; k++) {
        const VECTOR x = LOAD(values + k * EB_EPS_GRID_BLOCK + at);
        h = TIMES_ADD(TIMES(x, ALL(MINUS_ONE)), x, h);
        *norm = TIMES_ADD(x, x, *norm);
    }
    return TIMES(h, ALL(HALF));
}

static void NAME(halves_of)(const VALUE *values, size_t d, VECTOR reach, VALUE *halves, VALUE *norms)
{
    const size_t parts = eb_expansion_parts(d);
    for (size_t at = 0; at < EB_EPS_GRID_BLOCK; at += LANES) {
        VECTOR norm = ALL(0);
        for (size_t part = 0, k = 0, end; part < parts; part++, k = end) {
            end = EB_EXPANSION_FIRST + part * EB_EXPANSION_PART;
            end = end < d ? end : d;
            const VECTOR from = part ? ALL(0) : TIMES(reach, ALL(HALF));
            STORE(halves + part * EB_EPS_GRID_BLOCK + at, NAME(take_off)(from, values, k, end, at, &norm));
        }
        STORE(norms + at, norm);
    }
}

/* Adds the products of coordinates [k, end) of TOGETHER queries and LINES vectors to the sums. */
EB_INLINE void NAME(take_products)(const VALUE *a, const VALUE *b, size_t k, size_t end, VECTOR sums[TOGETHER][LINES])
{
    for (; k < end; k++)
#pragma GCC unroll 4
        for (size_t q = 0; q < TOGETHER; q++)
#pragma GCC unroll 4
            for (size_t p = 0; p < LINES; p++)
                sums[q][p] = PRODUCT_ADD(ALL(a[k * EB_EPS_GRID_BLOCK + q]), LOAD(b + k * EB_EPS_GRID_BLOCK + p * LANES),
                                         sums[q][p]);
}

EB_INLINE void NAME(take_halves)(const VALUE *a, const VALUE *b, bool first, VECTOR sums[TOGETHER][LINES])
{
#pragma GCC unroll 4
    for (size_t q = 0; q < TOGETHER; q++)
#pragma GCC unroll 4
        for (size_t p = 0; p < LINES; p++) {
            const VECTOR both = ADD(ALL(a[q]), LOAD(b + p * LANES));
            sums[q][p] = first ? both : ADD(sums[q][p], both);
        }
}

EB_INLINE bool NAME(all_lost)(VECTOR sums[TOGETHER][LINES], VECTOR lost)
{
    unsigned all = (unsigned)((1ull << LANES) - 1);
#pragma GCC unroll 4
    for (size_t q = 0; q < TOGETHER; q++)
#pragma GCC unroll 4
        for (size_t p = 0; p < LINES; p++)
            all &= NOT_ABOVE(sums[q][p], lost);
    return all == (unsigned)((1ull << LANES) - 1);
}

/* Returns the lanes that are within ε, or, without FMA, the lanes that may be. */
EB_INLINE unsigned NAME(let_through)(VECTOR sum, VECTOR lost)
{
    return EB_V64_FMA ? NOT_NEGATIVE(sum) : ~NOT_ABOVE(sum, lost) & (unsigned)((1ull << LANES) - 1);
}

/* Sets the bits from `at` on in the lanes of TOGETHER queries from q on. Returns the number of coordinates computed. */
EB_INLINE size_t NAME(expanded_stretch)(const NAME(expanded) * a, const NAME(expanded) * b, size_t q, size_t at,
                                        size_t d, VECTOR lost, uint32_t *lanes)
{
    VECTOR sums[TOGETHER][LINES];
    size_t k = d < EB_EXPANSION_FIRST ? d : EB_EXPANSION_FIRST;
    NAME(take_halves)(a->halves + q, b->halves + at, true, sums);
    NAME(take_products)(a->values + q, b->values + at, 0, k, sums);
    for (size_t part = 1; k < d; part++) {
        const size_t end = k + EB_EXPANSION_PART < d ? k + EB_EXPANSION_PART : d;
        if (NAME(all_lost)(sums, lost))
            return k;
        const size_t row = part * EB_EPS_GRID_BLOCK;
        NAME(take_halves)(a->halves + row + q, b->halves + row + at, false, sums);
        NAME(take_products)(a->values + q, b->values + at, k, end, sums);
        k = end;
    }
#pragma GCC unroll 4
    for (size_t r = 0; r < TOGETHER; r++)
#pragma GCC unroll 4
        for (size_t p = 0; p < LINES; p++)
            lanes[q + r] |= (uint32_t)NAME(let_through)(sums[r][p], lost) << (at + p * LANES);
    return k;
}

EB_INLINE uint64_t NAME(expanded_within)(const NAME(expanded) * a, size_t queries, const NAME(expanded) * b, size_t d,
                                         VECTOR lost, uint32_t *lanes)
{
    uint64_t looked = 0;
    memset(lanes, 0, EB_EPS_GRID_BLOCK * sizeof *lanes);
    for (size_t q = 0; q < queries; q += TOGETHER)
        for (size_t at = 0; at < EB_EPS_GRID_BLOCK; at += LINES * LANES)
            looked += NAME(expanded_stretch)(a, b, q, at, d, lost, lanes) * TOGETHER * LINES;
    return looked / PARTS;
}

static uint64_t NAME(expanded_within_of)(const NAME(expanded) * a, size_t queries, const NAME(expanded) * b, size_t d,
                                         VECTOR lost, uint32_t *lanes)
{
    switch (d) { /* with a constant d the compiler unrolls the loops */
    case 1: return NAME(expanded_within)(a, queries, b, 1, lost, lanes);
    case 2: return NAME(expanded_within)(a, queries, b, 2, lost, lanes);
    case 3: return NAME(expanded_within)(a, queries, b, 3, lost, lanes);
    case 4: return NAME(expanded_within)(a, queries, b, 4, lost, lanes);
    default: return NAME(expanded_within)(a, queries, b, d, lost, lanes);
    }
}

/* Computes the sums of query q of its block with the given lanes. */
static void NAME(expanded_sums_of)(const NAME(expanded) * a, size_t q, const NAME(expanded) * b, size_t d,
                                   uint32_t lanes, VALUE *to)
{
    for (size_t at = 0; at < EB_EPS_GRID_BLOCK && lanes >> at; at += LANES) {
        if (!(lanes >> at & (uint32_t)((1ull << LANES) - 1)))
            continue;
        VECTOR sum = ALL(0);
        for (size_t part = 0, k = 0; k < d; part++) {
            size_t end = EB_EXPANSION_FIRST + part * EB_EXPANSION_PART;
            end = end < d ? end : d;
            const VECTOR both =
                ADD(ALL(a->halves[part * EB_EPS_GRID_BLOCK + q]), LOAD(b->halves + part * EB_EPS_GRID_BLOCK + at));
            sum = part ? ADD(sum, both) : both;
            for (; k < end; k++)
                sum = TIMES_ADD(ALL(a->values[k * EB_EPS_GRID_BLOCK + q]), LOAD(b->values + k * EB_EPS_GRID_BLOCK + at),
                                sum);
        }
        STORE(to + at, sum);
    }
}

#undef PARTS
#undef LINES
#undef TOGETHER
