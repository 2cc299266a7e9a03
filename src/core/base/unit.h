/* unit: the units of numbers in reports. */
#pragma once

/* Decides how a number is shown to people. JSON, CSV and the log always have the base unit. */
typedef enum eb_unit {
    EB_PLAIN,   /* no unit: counts, ε, S */
    EB_SECONDS, /* 0.0123 s → 12.3 ms */
    EB_BYTES,   /* 1048576 → 1.00 MiB */
    EB_HERTZ,
    EB_TERAFLOPS, /* TFLOPS; below 1 shown as GFLOPS */
    EB_PERCENT,   /* 0–1, shown as 0–100 % */
    EB_RATIO,     /* shown as "1.23×" */
    EB_JOULES,
    EB_WATTS,
    EB_IDENTITY, /* a number that names something (run 12): never grouped or scaled */
} eb_unit;
