/* report: recall against throughput as tables, curves and notes. */
#pragma once

#include "core/experiment/recall.h"
#include "core/experiment/statistics.h"
#include "core/inverted/question.h"
#include "core/report/report.h"

/* What was loaded. */
typedef struct eb_recall_given {
    const char *queries; /* source; NULL: rows were drawn */
    const char *truth;   /* source; NULL: it was computed */
    size_t k; /* neighbours that were loaded of each, too few to be the truth; 0: they are, or there are none */
    size_t checked, agreed; /* queries for which it was computed as well; as far as given */
} eb_recall_given;

/* One format at one nprobe: its recall, and seconds that a pass over all queries took. */
typedef struct eb_recall_cell {
    eb_table_format lut;
    size_t nprobe;
    eb_recall recall;
    eb_summary pass_s;
    eb_inverted_work work;        /* of one pass */
    double wavefronts, occupancy; /* of a look-up, of warps: counted; NAN: not known */
} eb_recall_cell;

typedef struct eb_recall_study {
    const eb_recall_truth *nearest;
    const eb_inverted_file *file;
    const eb_device *device;
    eb_recall_given given;
    unsigned threads;
    bool kept; /* the index was there: build_s is what it took then */
    double truth_s, build_s;
    bool f16_sums;
    double scale;
    eb_table_layout layout;
    bool pad;
    bool counters;                                     /* were asked for */
    char no_counters[sizeof((eb_status *)0)->message]; /* why there are none; "": there are */
    size_t refine;                                     /* how many by codes FP64 distances choose among; 0: none */
    size_t luts, nprobes;
    eb_recall_cell *cell; /* [nprobes × luts] all formats of an nprobe together */
    size_t done;          /* of them, from the first one on */
} eb_recall_study;

void eb_report_recall(eb_report *report, const eb_recall_study *study);
