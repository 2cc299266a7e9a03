/* target: a wanted selectivity and the ε that tune finds for it (tune.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct eb_target {
    double wanted;      /* S requested */
    double eps;         /* result: smallest ε with S(ε) ≥ wanted */
    double selectivity; /* S(eps), exact, ≥ wanted */
    uint64_t pairs;     /* |R| at eps */
    uint64_t ties;      /* unordered pairs that enter at exactly this ε and at no smaller one */
    uint64_t near;      /* pairs whose distance equals ε to 2^-40; 0: not counted */
    double beyond;      /* next distance after those, or 5/4 ε if there is none up to there; NAN: not searched */
    double sampled_eps; /* ε by the curve; NAN: beyond its end */
    double bracket_low, bracket_high; /* the last bracket searched: (low, high] */
    unsigned passes;                  /* exact passes for this target: 1, or 2 when the bracket missed */
    bool reached_at_zero;             /* duplicates alone reach the target: eps = 0 */
} eb_target;
