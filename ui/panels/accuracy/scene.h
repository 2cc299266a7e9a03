/* accuracy_scene: everything that the panel Accuracy draws, collected from the reports on the desk. */
#pragma once

#include "ui/desk.h"

typedef struct eb_accuracy_scene {
    bool any;                           /* a comparison exists */
    bool stale;                         /* the comparison is of another dataset */
    const eb_series *errors, *overlaps; /* these and the next three: NULL if unknown */
    const eb_record *figures, *undecided;
    const eb_table *pairs;
    unsigned long errors_stamp, pairs_stamp; /* stamps of the reports that contain them (desk.h) */
    const char *errors_title;
    const char *warning;      /* NULL: none */
    const char *fast, *truth; /* "" when unknown */
    const char *self;         /* "in" or "out": self pairs are counted or not; "" when unknown */
    bool self_chosen;         /* `self` differs from that of `compare` */
    bool other;               /* `fast` is not the engine that the report of `compare` details */
    bool several;             /* `compare` had several ε; this is the last */
    double eps;
    double sample, n;   /* points compared, NAN: all; and all points, NAN: unknown */
    bool sample_chosen; /* `sample` differs from that of `compare` */
} eb_accuracy_scene;

/* The newest comparison, with later reports of `accuracy` and `hist` about it. Pointers are into the desk's reports and
 * valid until the next report. */
eb_accuracy_scene eb_accuracy_scene_of(const eb_desk *desk);
