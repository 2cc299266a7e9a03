/* saving: a table that is being written in parts; shared by parts.c, which cuts it by rows, and slabs.c. Private to
 * shell/saving. */
#pragma once

#include "core/slabs/slabs.h"
#include "io/parts/parts.h"
#include "shell/saving/request.h"

typedef struct saving {
    const eb_session *session;
    const eb_parts_request *request;
    eb_slab_plan cut; /* slabs 0: parts have consecutive rows */
    eb_parts *parts;
    eb_part *part; /* being written */
    eb_job *job;
    size_t rows_a_part, batches, written; /* written: parts */
} saving;

/* Completes the part unless it failed, or its points have changed meanwhile. Returns the failure. */
eb_code eb_saving_end_part(saving *s, eb_code failed, eb_status *status);

/* Cuts into slabs if the request asks for that, or if the engine's points take more than half of the memory limit and
 * can be cut. Otherwise s->cut stays empty. */
eb_code eb_saving_plan_slabs(saving *s, eb_report *report, eb_status *status);

/* Writes a part for each slab that has none. */
eb_code eb_saving_join_slabs(saving *s, eb_status *status);

void eb_saving_report_slabs(const saving *s, eb_report *report);
