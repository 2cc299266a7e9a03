/* cases: the cases of `diagnose`: which switches are off, at which d, and which answers are offered. A case follows
 * from the seed and its number alone. Only such cases come that the clues can tell. */
#pragma once

#include "shell/diagnosis/clues.h"
#include "shell/diagnosis/evidence.h"

enum { EB_CASE_CHOICES = 5 };

typedef struct eb_case {
    uint64_t number;  /* from 1 */
    eb_evidence full; /* the kernel with all switches on */
    size_t right, choices;
    eb_variant choice[EB_CASE_CHOICES];
    eb_evidence evidence[EB_CASE_CHOICES]; /* of each; [right]: what is shown */
} eb_case;

/* *out is about 40 KB. */
eb_code eb_case_make(const eb_witness *witness, const eb_clues *clues, uint64_t seed, uint64_t number, eb_case *out,
                     eb_job *job, eb_status *status);

/* The metric in which choice `wrong` differs most from what is shown; first among the clues of its switches. */
eb_metric eb_case_refutes(const eb_case *c, const eb_clues *clues, size_t wrong);

/* "swizzle", "swizzle and residency". Returns buffer. */
const char *eb_variant_name(const eb_variant *variant, char *buffer, size_t size);

const eb_told_switch *eb_clues_find(const eb_clues *clues, const char *name);
