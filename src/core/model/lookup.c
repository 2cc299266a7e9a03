/* Words of 4 bytes are what a bank gives out: w = 256·bytes/4 of them, all equally likely, w/32 to a bank; lanes that
 * want the same word share it. A look-up takes as many wavefronts as the bank with the most different words.
 *
 * How 32 lanes fall onto the banks' words so that no bank gives more than t of its c: an onto function from x lanes to
 * j words has the exponential generating function (e^z − 1)^j, so that a bank's is Σ_{j≤t} C(c, j)·(e^z − 1)^j, that of
 * all banks its 32nd power, and the probability 32!·[z^32] of it over w^32. No term is negative: nothing cancels.
 */
#include "core/model/lookup.h"

#include <math.h>

#include "core/model/banks.h"

enum { CODES = 256, WORD_BYTES = 4, TERMS = EB_WARP + 1 };

typedef struct series {
    double term[TERMS]; /* of z^0 … z^32 */
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

/* Of one bank that gives at most t of its c words. */
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

/* That no bank gives more than t words: the 32nd power, as 5 squarings, of which the lanes scaled to 1/w each. */
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
    double mean = 1; /* one at least */
    for (unsigned t = 1; t < words / EB_BANKS; t++)
        mean += 1 - at_most(words, t);
    return mean;
}

eb_occupancy eb_lookup_occupancy(const eb_machine *machine, unsigned m, unsigned entry_bytes, unsigned threads)
{
    const eb_kernel_plan plan = {.blocks = 1, .threads = threads, .shared_bytes = m * CODES * entry_bytes};
    return eb_occupancy_of(&plan, machine);
}
