/* unit: what a number counts. */
#pragma once

/* How a number is drawn for people; data always keeps the base unit. */
typedef enum eb_unit {
    EB_PLAIN,   /* as it is: counts, ε, S */
    EB_SECONDS, /* 0.0123 s → 12.3 ms */
    EB_BYTES,   /* 1048576 → 1.00 MiB */
    EB_HERTZ,
    EB_TERAFLOPS, /* data in TFLOPS; drawn as GFLOPS below 1 */
    EB_PERCENT,   /* data 0–1, drawn 0–100 % */
    EB_RATIO,     /* drawn "1.23×" */
    EB_JOULES,
    EB_WATTS,
    EB_IDENTITY, /* a number that names something (run 12): never grouped or scaled */
} eb_unit;
/* "s", "J", "byte", …: the base unit as the log writes it; "" for a plain number. */
const char *eb_unit_symbol(eb_unit unit);
