/* rates: the steps of an axis that grows by a factor. */
#ifndef EB_CORE_EXPERIMENT_RATES_H
#define EB_CORE_EXPERIMENT_RATES_H

#include <stddef.h>

#define EB_MOST_STEPS 64u /* of an axis */

/* A, A·F, A·F² … B as whole numbers, the last step perhaps smaller than the others. 0: more than EB_MOST_STEPS, steps
 * of less than one, or no A < B. */
size_t eb_rate_steps(double from, double to, double factor, double out[EB_MOST_STEPS]);

#endif
