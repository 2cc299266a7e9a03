/* sanitized: how much a test does under a sanitizer, which takes ten times as long. The build without one does all of
 * it in the same CI run; a sanitizer sees the same lines in a part of the cases.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#if defined EB_SANITIZE_ADDRESS || defined EB_SANITIZE_THREAD
#define EB_SANITIZED true
#else
#define EB_SANITIZED false
#endif

/* Whether case number `number` is left out: under a sanitizer all but every third are. */
static inline bool left_out(size_t number) { return EB_SANITIZED && number % 3 != 0; }

/* `plain` cases, or `few` of them under a sanitizer. */
static inline size_t cases_of(size_t plain, size_t few) { return EB_SANITIZED ? few : plain; }
