/* accuracy_scene: what the panel Accuracy has to draw, out of the reports on the desk. Nothing is drawn here. */
#pragma once

#include "ui/desk.h"

typedef struct eb_accuracy_scene {
    bool any;                           /* there is something */
    bool stale;                         /* of another dataset */
    const eb_series *errors, *overlaps; /* NULL: unknown, as the next four */
    const eb_record *figures, *undecided;
    const eb_table *pairs;
    unsigned long errors_stamp, pairs_stamp; /* of the reports they are in (desk.h) */
    const char *errors_title;
    const char *warning;      /* NULL: none */
    const char *fast, *truth; /* "" when unknown */
    const char *self;         /* self pairs "in" or "out" of all of it; "" when unknown */
    bool self_chosen;         /* it is not as `compare` had it */
    bool other;               /* fast is not the engine that `compare` itself tells most of */
    double eps;
} eb_accuracy_scene;

/* The newest comparison, and what `accuracy` and `hist` said of it since. Pointers are into the desk's reports: good
 * until the next one. */
eb_accuracy_scene eb_accuracy_scene_of(const eb_desk *desk);
