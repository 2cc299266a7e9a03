/* target: an ε that is looked for, by the selectivity it is to have (tune.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct eb_target {
    double wanted;      /* S asked for */
    double eps;         /* the answer */
    double selectivity; /* S(eps), exact, ≥ wanted */
    uint64_t pairs;     /* |R| at eps */
    uint64_t ties;      /* unordered pairs that enter at exactly this ε: none of them at the next smaller one */
    uint64_t near;      /* pairs whose distance is ε to 2^-40 of it; 0: nobody looked */
    double beyond;      /* the next distance behind those, or 5/4 ε where there is none up to there; NAN: likewise */
    double sampled_eps; /* the curve's guess; NAN: beyond its end */
    double bracket_low, bracket_high; /* the last one looked into: (low, high] */
    unsigned passes;                  /* exact passes this target took part in: 1, or 2 when the bracket missed */
    bool reached_at_zero;             /* duplicates alone reach the target: eps = 0 */
} eb_target;
