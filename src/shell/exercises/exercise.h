/* exercise: the exercises "write the kernel". A person writes one function of the kernel in a small file, which is
 * plain C and CUDA C++ alike. try.h computes the function's values over its domain; the checks here compare them with
 * what the kernel needs, and say what is wrong.
 *
 * The texts are src/lessons/exercises/NAME.exercise, which are also the files that a person begins with. The first line
 * is a comment: "NAME: what it asks".
 */
#pragma once

#include "core/base/status.h"
#include "core/report/report.h"

typedef struct eb_exercise eb_exercise;

/* What a check finds wrong: rows of the table "faults", as far as it has room. */
typedef struct eb_faults {
    eb_table *table;
    size_t count;    /* of all faults */
    char first[200]; /* "": none */
} eb_faults;

struct eb_exercise {
    const char *name;    /* also the function's, and with .c that of the file that a person edits */
    const char *form;    /* "unsigned swizzle(unsigned row, unsigned chunk)" */
    size_t values, side; /* value k is the function's at (k / side, k mod side) */
    const char *more;    /* further arguments: ", 44" */

    /* Adds faults, and tables and pictures that show the function. Without faults the function is right, and the
     * conclusion says what it does. value: [values]. EB_NO_MEMORY. */
    eb_code (*check)(const eb_exercise *exercise, const uint32_t *value, eb_report *report, eb_faults *faults,
                     eb_status *status);
};

extern const eb_exercise eb_exercise_swizzle, eb_exercise_guard, eb_exercise_fragment;

/* Value k as a call: "swizzle(3, 5)". Returns buffer; 80 bytes suffice. */
const char *eb_exercise_call(const eb_exercise *exercise, size_t k, char *buffer, size_t size);

void eb_fault(eb_faults *faults, const char *format, ...) __attribute__((format(printf, 2, 3)));
