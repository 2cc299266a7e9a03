/* values: eb_adder_dot (kernels/tensor/adder.h) for many pairs, one vector lane a pair, of coordinates kept as FP32
 * values. For points of which eb_values_suffice is true.
 *
 * Why each step is exact: coordinates have at most 11 digits and exponents of −48 … 47, so FP32 holds their products,
 * which are not below 2^-96, and the product of two powers of two. Scaled by 2^(F − η) a product is below 2^(F + 2) ≤
 * 2^27, so that 16 of them fit 32 bits; conversion truncates toward zero, which is the hardware's alignment. A sum c is
 * a multiple of 2^-121, or 0: no number is subnormal. An η below −100 can be −100: aligning to a finer unit loses
 * nothing that 24 bits of c have.
 */
#include "kernels/fasted/cpu/vector.h"
#include "kernels/tensor/cpu/points.h"

#define NAME_(name, isa) name##_##isa
#define NAME(name, isa) NAME_(name, isa)

#define LEAST_POWER 0x1p-100f

/* One group's operands, and what the adder needs. */
typedef struct group {
    const float *a[EB_LANES], *b[EB_LANES];
    int fraction;
    int64_t keep; /* bits of an FP64 sum that the adder's rounding keeps */
    float least;  /* power of two of the least normal number of the type */
} group;

EB_INLINE eb_floats power_of(eb_floats x, float least, bool subnormal)
{
    return subnormal ? eb_operand_power(x, least) : eb_power_part(x);
}

EB_INLINE eb_floats block(const group *g, eb_floats c, const eb_floats *a, const eb_floats *b, const unsigned size,
                          const bool crossed, const bool subnormal)
{
    const unsigned half = crossed ? size / 2 : 0;
    eb_floats most[2] = {eb_floats_all(LEAST_POWER), eb_floats_all(LEAST_POWER)}, product[EB_MOST_BLOCK];
    eb_ints q[2] = {eb_ints_all(0), eb_ints_all(0)};
    for (unsigned k = 0; k < size; k++) {
        const eb_floats x = a[k], y = b[(k + half) % size];
        const eb_floats power = eb_multiply(power_of(x, g->least, subnormal), power_of(y, g->least, subnormal));
        most[k % 2] = eb_larger(most[k % 2], power);
        product[k] = eb_multiply(x, y);
    }
    const eb_ints field = eb_ints_larger(eb_exponent_field(eb_larger(most[0], most[1])), eb_exponent_field(c));
    const eb_floats scale = eb_power(eb_ints_subtract(eb_ints_all(127 + 127 + g->fraction), field)); /* 2^(F − η) */
    for (unsigned k = 0; k < size; k++)
        q[k % 2] = eb_ints_add(q[k % 2], eb_truncate(eb_multiply(product[k], scale)));
    const eb_floats sum = eb_kept_sum(q[0], q[1], eb_truncate(eb_multiply(c, scale)), g->keep);
    return eb_multiply(sum, eb_power(eb_ints_subtract(field, eb_ints_all(g->fraction))));
}

EB_INLINE eb_floats section(const group *g, const eb_chain *chain, const eb_section *s, eb_floats c, eb_floats *total,
                            const unsigned size, const bool crossed, const bool subnormal)
{
    const unsigned span = size > EB_LANES ? size : EB_LANES;
    const size_t end = s->begin + s->length;
    eb_floats a[EB_MOST_BLOCK], b[EB_MOST_BLOCK], own = eb_floats_all(0);
    for (size_t first = s->begin; first < end; first += span) {
        for (unsigned k = 0; k < span; k += EB_LANES) {
            eb_transpose(g->a, first + k, a + k);
            eb_transpose(g->b, first + k, b + k);
        }
        for (unsigned k = 0; k < span && first + k < end; k += size) {
            const size_t at = first + k;
            if (chain->promote && at > 0 && at % chain->promote == 0) {
                *total = eb_add(*total, c);
                c = eb_floats_all(0);
            }
            if (!chain->adder.halved) {
                c = block(g, c, a + k, b + k, size, crossed, subnormal);
            } else { /* two blocks from 0, whose sum is added */
                const bool second = at / size % 2 == 1;
                own = block(g, second ? own : eb_floats_all(0), a + k, b + k, size, crossed, subnormal);
                c = second ? eb_add(c, own) : c;
            }
        }
    }
    return c;
}

EB_INLINE void chains(const group *g, const eb_chain *chain, float *products, const unsigned size, const bool subnormal)
{
    eb_floats total = eb_floats_all(0), c = eb_floats_all(0);
    for (unsigned s = 0; s < chain->sections; s++) {
        const eb_section *of = &chain->section[s];
        c = of->part == of->with ? section(g, chain, of, c, &total, size, false, subnormal)
                                 : section(g, chain, of, c, &total, size, true, subnormal);
    }
    eb_floats_store(products, chain->promote ? eb_add(total, c) : c);
}

#define CHAINS_OF(size)                                                                                                \
    static void chains_##size(const group *g, const eb_chain *chain, bool subnormal, float *products)                  \
    {                                                                                                                  \
        if (subnormal)                                                                                                 \
            chains(g, chain, products, size, true);                                                                    \
        else                                                                                                           \
            chains(g, chain, products, size, false);                                                                   \
    }
CHAINS_OF(4)
CHAINS_OF(8)
CHAINS_OF(16)
CHAINS_OF(32)

void NAME(eb_value_products, EB_ISA)(const eb_chained *points, const uint32_t *rows, const uint32_t *columns,
                                     size_t count, float *products)
{
    const eb_chain *chain = points->chain;
    const unsigned size = chain->adder.block, kept = chain->adder.rounding == EB_SUM_F32 ? 23 : 13;
    group g = {.fraction = (int)chain->adder.fraction, .keep = -(INT64_C(1) << (52 - kept)), .least = points->least};
    for (size_t k = 0; k < count; k += EB_LANES) {
        const size_t some = count - k < EB_LANES ? count - k : EB_LANES;
        float found[EB_LANES];
        for (size_t t = 0; t < EB_LANES; t++) {
            const size_t from = k + (t < some ? t : 0);
            g.a[t] = points->value + rows[from] * chain->length;
            g.b[t] = points->value + columns[from] * chain->length;
        }
        (size == 4    ? chains_4
         : size == 8  ? chains_8
         : size == 16 ? chains_16
                      : chains_32)(&g, chain, points->subnormal, found);
        memcpy(products + k, found, some * sizeof *found);
    }
}
