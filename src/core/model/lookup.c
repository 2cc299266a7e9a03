/* lookup: computes the expected wavefronts of a look-up exactly. A bank delivers words of 4 bytes. The w = 256·bytes/4
 * words are equally likely, w/32 of them in each bank; lanes that want the same word share it. A look-up takes as many
 * wavefronts as the bank with the most different words.
 *
 * The probability that no bank delivers more than t of its c words: onto functions from x lanes to j words have the
 * exponential generating function (e^z − 1)^j. So a bank's function is Σ_{j≤t} C(c, j)·(e^z − 1)^j, and that of all
 * banks its 32nd power. The probability is 32!·[z^32] of that over w^32. No term is negative, so nothing cancels.
 */
#include "core/model/lookup.h"

#include <math.h>

#include "core/model/banks.h"

enum { CODES = 256, WORD_BYTES = 4, TERMS = EB_WARP + 1 };

typedef struct series {
    double term[TERMS]; /* coefficients of z^0 … z^32 */
} series;

static series times(const series *a, const series *b)
{
    series product = {{0}};
    for (unsigned i = 0; i < TERMS; i++)
        for (unsigned j = 0; i + j < TERMS; j++)
            product.term[i + j] += a->term[i] * b->term[j];
    return product;
}

static double choose(unsigned n, unsigned k)
{
    double ways = 1;
    for (unsigned i = 0; i < k; i++)
        ways = ways * (n - i) / (i + 1);
    return ways;
}

/* Generating function of a bank that delivers at most t of its c words. */
static series bank(unsigned c, unsigned t)
{
    series sum = {{1}}, power = {{1}}, once = {{0}};
    double factorial = 1;
    for (unsigned k = 1; k < TERMS; k++) {
        factorial *= k;
        once.term[k] = 1 / factorial;
    }
    for (unsigned j = 1; j <= t; j++) {
        power = times(&power, &once);
        for (unsigned k = 0; k < TERMS; k++)
            sum.term[k] += choose(c, j) * power.term[k];
    }
    return sum;
}

/* Probability that no bank delivers more than t words: the 32nd power, by 5 squarings, with each lane scaled by 1/w. */
static double at_most(unsigned words, unsigned t)
{
    series all = bank(words / EB_BANKS, t);
    double scale = 1;
    for (unsigned k = 0; k < TERMS; k++) {
        all.term[k] *= scale;
        scale /= words;
    }
    for (unsigned power = 1; power < EB_BANKS; power *= 2)
        all = times(&all, &all);
    return all.term[EB_WARP] * tgamma(EB_WARP + 1);
}

double eb_lookup_wavefronts(unsigned entry_bytes)
{
    const unsigned words = CODES * entry_bytes / WORD_BYTES;
    double mean = 1; /* at least one */
    for (unsigned t = 1; t < words / EB_BANKS; t++)
        mean += 1 - at_most(words, t);
    return mean;
}

eb_occupancy eb_lookup_occupancy(const eb_machine *machine, unsigned m, unsigned entry_bytes, unsigned threads)
{
    const eb_kernel_plan plan = {.blocks = 1, .threads = threads, .shared_bytes = m * CODES * entry_bytes};
    return eb_occupancy_of(&plan, machine);
}
