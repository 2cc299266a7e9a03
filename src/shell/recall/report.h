/* report: reports recall and throughput of an inverted file as tables, curves and notes. */
#pragma once

#include "core/experiment/statistics.h"
#include "store/store.h"

/* The sources of the queries and of the true neighbours. */
typedef struct eb_recall_given {
    const char *queries;    /* source; NULL: rows of the dataset were drawn */
    const char *truth;      /* source; NULL: the true neighbours were computed */
    size_t k;               /* true neighbours loaded for each query, if fewer than k; 0: enough, or none loaded */
    size_t checked, agreed; /* queries whose true neighbours were also computed; those that agreed */
} eb_recall_given;

/* One format at one nprobe: the values that the log keeps, and the seconds of a pass over all queries. */
typedef struct eb_recall_cell {
    eb_recall_point p;
    eb_summary pass_s;
} eb_recall_cell;

typedef struct eb_recall_study {
    eb_recall_experiment e;
    const eb_recall_truth *nearest;
    const eb_inverted_file *file;
    eb_recall_given given;
    bool kept; /* the index existed already; e.build_s is from when it was built */
    eb_table_layout layout;
    bool pad;
    bool counters;                                     /* requested */
    char no_counters[sizeof((eb_status *)0)->message]; /* why there are no counters; "": no error */
    size_t luts, nprobes;
    eb_recall_cell *cell; /* [nprobes × luts], the formats of an nprobe adjacent */
    size_t done;          /* cells finished, from the first on */
} eb_recall_study;

void eb_report_recall(eb_report *report, const eb_recall_study *study);
