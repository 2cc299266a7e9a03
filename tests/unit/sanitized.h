/* sanitized: reduces a test's cases under a sanitizer, which is ten times slower. The plain build in the same CI run
 * covers all cases; a sanitizer sees the same lines with fewer cases. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#if defined EB_SANITIZE_ADDRESS || defined EB_SANITIZE_THREAD
#define EB_SANITIZED true
#else
#define EB_SANITIZED false
#endif

/* True if case `number` is skipped: under a sanitizer two of three are. */
static inline bool left_out(size_t number) { return EB_SANITIZED && number % 3 != 0; }

/* `plain` cases, or `few` under a sanitizer. */
static inline size_t cases_of(size_t plain, size_t few) { return EB_SANITIZED ? few : plain; }
