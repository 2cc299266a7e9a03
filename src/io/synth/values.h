/* values: numbers of a counter-based generator: value i depends on (key, i) alone, so threads can make any part of a
 * dataset in any order. Only IEEE operations that round the same everywhere: + − × ÷ √ and no libm.
 */
#ifndef EB_IO_SYNTH_VALUES_H
#define EB_IO_SYNTH_VALUES_H

#include <stdint.h>

double eb_synth_uniform(uint64_t key, uint64_t i); /* in [0, 1), 53 bits */
double eb_synth_above_0(uint64_t key, uint64_t i); /* in (0, 1] */

/* N(0, 1), Box and Muller: values i and i + 1, i even. */
void eb_synth_gaussian_pair(uint64_t key, uint64_t i, double out[2]);

double eb_synth_logarithm(double x);                          /* of x in (0, 1] */
void eb_synth_circle(double u, double *cosine, double *sine); /* of 2πu, u in [0, 1) */

#endif
