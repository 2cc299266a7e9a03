/* counter_table: the hardware counters that epsbench can collect. Builds without nvcc have the table, too. */
#pragma once

#include <stddef.h>

/* One row of the counter table (Table 6 of the FASTED paper): a metric, or the share first/(first + second). */
typedef struct eb_counter {
    const char *key; /* "dram_throughput", as in JSON */
    const char *title;
    const char *unit;   /* "ratio": 0–1; "count"; "hertz"; "seconds" */
    const char *first;  /* CUPTI metric */
    const char *second; /* NULL: the value is first · scale; else the share above, or first/second when `quotient` */
    double scale;
    int quotient;
} eb_counter;

size_t eb_counter_count(void);
const eb_counter *eb_counter_at(size_t index);

/* Writes which tensor-core instructions ran, from collected values: "8-bit integers by wgmma (igmma)", or "none: CUDA
 * cores only". */
void eb_counters_tensor_path(const double *values, char *words, size_t size);
