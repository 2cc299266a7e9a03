/* metrics: what `diagnose` shows of a kernel: its time and counters, counted or by the machine model. */
#pragma once

#include <math.h>

#include "core/base/status.h"
#include "core/report/report.h"

/* X(name, its key, title, unit, value of that unit, the least value that matters) */
#define EB_METRICS_LIST(X)                                                                                             \
    X(EB_METRIC_TIME, "kernel_s", "kernel time", "ms", 1e-3, 0)                                                        \
    X(EB_METRIC_L2_HITS, "l2_hit_rate", "L2 hit rate", "ratio", 1, 0)                                                  \
    X(EB_METRIC_CONFLICTS, "bank_conflicts", "bank conflicts a wavefront", "ratio", 1, 0.2)                            \
    X(EB_METRIC_LDMATRIX, "ldmatrix_conflicts", "those of ldmatrix", "ratio", 1, 0.2)                                  \
    X(EB_METRIC_OCCUPANCY, "occupancy", "warps of those possible", "ratio", 1, 0)                                      \
    X(EB_METRIC_SHARED, "shared_bytes", "bytes from shared memory", "GB", 1e9, 0)                                      \
    X(EB_METRIC_L2, "l2_to_l1_bytes", "bytes from L2", "GB", 1e9, 0)                                                   \
    X(EB_METRIC_DRAM, "dram_to_l2_bytes", "bytes from DRAM", "GB", 1e9, 2e9)

#define EB_METRIC_ENTRY(name, ...) name,
typedef enum eb_metric { EB_METRICS_LIST(EB_METRIC_ENTRY) EB_METRIC_COUNT } eb_metric;
#undef EB_METRIC_ENTRY

typedef struct eb_metrics {
    double value[EB_METRIC_COUNT]; /* NAN: unknown */
    bool counted[EB_METRIC_COUNT]; /* false: by the machine model */
} eb_metrics;

typedef struct eb_metric_about {
    const char *key, *title, *unit;
    double scale, least; /* of the unit; ratios of smaller values are near 1 */
} eb_metric_about;
extern const eb_metric_about eb_metric_list[EB_METRIC_COUNT];

/* EB_METRIC_COUNT: no such metric. */
eb_metric eb_metric_find(const char *key);

/* kernel / full, after `least` was added to both. */
double eb_metric_ratio(eb_metric metric, const eb_metrics *kernel, const eb_metrics *full);

/* "53.9 ms", "0.855". Returns buffer. */
char *eb_metric_text(eb_metric metric, double value, char *buffer, size_t size);

/* Table "counters": a kernel beside the full one. `by`: who counted: "H200". */
void eb_report_metrics(eb_report *report, const eb_metrics *kernel, const eb_metrics *full, const char *by);
