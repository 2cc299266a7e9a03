#include <string.h>

#include "kernels/tensor/cpu/points.h"
#include "kernels/walk/isa.h"

static size_t rounded_up(size_t x, size_t to) { return (x + to - 1) / to * to; }

/* Operands of a step of the chain: a block, or two of a halved adder. */
static size_t step_of(const eb_adder *adder) { return adder->halved ? 2 * adder->block : adder->block; }

static void add_section(eb_chain *chain, unsigned part, unsigned with, size_t d)
{
    const size_t step = step_of(&chain->adder);
    eb_section *section = &chain->section[chain->sections++];
    *section =
        (eb_section){part, with, chain->length, part == with ? rounded_up(d, step) : 2 * rounded_up(d, step / 2)};
    chain->length += section->length;
}

eb_chain eb_chain_of(const eb_adder *adder, unsigned promote, unsigned parts, size_t d)
{
    eb_chain chain = {.adder = *adder, .promote = promote};
    for (unsigned order = parts; order-- > 0;) /* parts whose indices add up to the order */
        for (unsigned part = 0; 2 * part <= order; part++)
            add_section(&chain, part, order - part, d);
    return chain;
}

/* Where coordinate k of a step of 32 stands if FP16 blocks sum FP8: first those with k mod 4 < 2. */
static size_t halved_place(size_t k) { return k / 4 * 2 + k % 2 + (k % 4 < 2 ? 0 : 16); }

/* Where coordinate k of a section stands in the chain; of a crossed one, in its first part or its second. */
static size_t place_of(const eb_chain *chain, const eb_section *section, size_t k, bool second)
{
    const size_t half = chain->adder.block / 2, step = step_of(&chain->adder);
    const size_t place = section->begin + (section->part == section->with ? k : k / half * 2 * half + k % half);
    return chain->adder.halved ? place / step * step + halved_place(place % step) : place + (second ? half : 0);
}

static unsigned parts_of(const eb_section *section) { return section->part == section->with ? 1 : 2; }

void eb_chain_fill(const eb_chain *chain, eb_number number, const double *const *part, size_t d, float *significand,
                   int16_t *exponent)
{
    memset(significand, 0, chain->length * sizeof *significand);
    memset(exponent, 0, chain->length * sizeof *exponent);
    for (const eb_section *s = chain->section; s < chain->section + chain->sections; s++)
        for (unsigned p = 0; p < parts_of(s); p++)
            for (size_t k = 0; k < d; k++) {
                const size_t at = place_of(chain, s, k, p == 1);
                const eb_operand operand = eb_operand_of(number, (float)part[p == 0 ? s->part : s->with][k]);
                significand[at] = operand.significand;
                exponent[at] = (int16_t)operand.exponent;
            }
}

void eb_chain_fill_values(const eb_chain *chain, const double *const *part, size_t d, float *value)
{
    memset(value, 0, chain->length * sizeof *value);
    for (const eb_section *s = chain->section; s < chain->section + chain->sections; s++)
        for (unsigned p = 0; p < parts_of(s); p++) {
            const double *from = part[p == 0 ? s->part : s->with];
            if (s->part == s->with && !chain->adder.halved)
                for (size_t k = 0; k < d; k++)
                    value[s->begin + k] = (float)from[k];
            else
                for (size_t k = 0; k < d; k++)
                    value[place_of(chain, s, k, p == 1)] = (float)from[k];
        }
}

/* FP16 and FP8 have no exponents beyond −24 and 15. A lower part of another type can have any. */
bool eb_values_suffice(const eb_adder *adder, eb_number number, unsigned parts, double least, double greatest)
{
    const bool narrow = number == EB_F16_NUMBER || number == EB_E4M3_NUMBER || number == EB_E5M2_NUMBER;
    return adder->rounding != EB_SUM_F16 && (narrow || (parts == 1 && least >= 0x1p-48 && greatest < 0x1p46));
}

eb_chain_products eb_chain_products_here(bool of_values)
{
#if defined(__x86_64__)
    switch (eb_cpu_isa()) {
    case EB_ISA_AVX512: return of_values ? eb_value_products_avx512 : eb_chain_products_avx512;
    case EB_ISA_AVX2: return of_values ? eb_value_products_avx2 : eb_chain_products_avx2;
    default: break;
    }
#endif
    return of_values ? eb_value_products_base : eb_chain_products_base;
}
