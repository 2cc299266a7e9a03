/* saving: a table that is being written in parts; shared by parts.c, which cuts it by rows, and slabs.c. Private to
 * shell/saving. */
#pragma once

#include "core/slabs/slabs.h"
#include "io/parts/parts.h"
#include "shell/saving/request.h"

/* What the kernels of the joins took, as far as they tell. */
typedef struct eb_joined_work {
    double kernel_s, flops;
} eb_joined_work;

void eb_joined_work_add(eb_joined_work *work, const eb_opened *opened);
void eb_joined_work_report(const eb_joined_work *work, eb_report *report); /* nothing if there was none */

typedef struct saving {
    const eb_session *session;
    const eb_parts_request *request;
    eb_slab_plan cut; /* slabs 0: parts have consecutive rows */
    eb_parts *parts;
    eb_part *part; /* being written */
    eb_job *job;
    size_t rows_a_part, batches, written; /* written: parts */
    eb_joined_work work;
    unsigned ranks; /* that wrote parts; 0 or 1: this process alone */
    double sent;    /* bytes that they have sent each other */
} saving;

/* What the request's table is, without how it is cut. */
void eb_saving_describe(const eb_dataset *ds, const eb_parts_request *request, eb_parts_table *out);

/* Completes the part unless it failed, or its points have changed meanwhile. Returns the failure. */
eb_code eb_saving_end_part(saving *s, eb_code failed, eb_status *status);

/* Joins the rows that are missing with all ranks that have the problem open. Each writes the rows that it makes as a
 * part of its own, a round of parts after the other, so that finished parts are left after an interruption. */
eb_code eb_saving_join_by_ranks(saving *s, eb_opened *opened, const eb_budget *budget, eb_status *status);

/* Cuts into slabs if the request asks for that, or if the engine's points take more than half of the memory limit and
 * can be cut. Otherwise s->cut stays empty. */
eb_code eb_saving_plan_slabs(saving *s, eb_report *report, eb_status *status);

/* Writes a part for each slab that has none. */
eb_code eb_saving_join_slabs(saving *s, eb_status *status);

void eb_saving_report_slabs(const saving *s, eb_report *report);
