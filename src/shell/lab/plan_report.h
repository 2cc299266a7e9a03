/* plan_report: the report of `plan`: one share beside the asked shape, shapes up to it, what limits and what is
 * assumed.
 */
#pragma once

#include "core/model/fleet.h"
#include "core/report/report.h"
#include "store/store.h"

typedef struct eb_planned {
    const char *spec, *device;   /* device: the GPU's or the processor's title */
    const char *dtype;           /* of coordinates as loaded */
    char modelled[EB_SPEC_TEXT]; /* the engine as the machine model was asked about it */
    eb_fleet_work work;
    eb_fleet fleet;
    eb_earlier earlier;        /* the run that kernels_s is from; run 0: from the model */
    const char *way, *assumes; /* what is assumed of an engine that chooses; of the points; NULL: nothing */
    bool link_given, disk_given;
    bool gpu_given, type_given, S_given;
} eb_planned;

void eb_report_plan(eb_report *report, const eb_planned *plan);
