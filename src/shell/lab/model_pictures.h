/* model_pictures: what the machine model computes, as pictures: the pipeline in time, banks × phases, the walk of
 * tiles, the roofline. */
#pragma once

#include "core/model/pipeline.h"
#include "core/report/report.h"

/* The first access that loads. */
const eb_shared_access *eb_first_load(const eb_kernel_plan *plan);

/* A table "pipeline", seen as a timeline: the first slices of a tile, of the first blocks on an SM. */
void eb_picture_pipeline(eb_report *report, const eb_kernel_plan *plan, const eb_machine *machine,
                         const eb_prediction *prediction);

/* A map "bank_map": how many words the first phases of the first load want of each bank. */
void eb_picture_banks(eb_report *report, const eb_kernel_plan *plan);

/* A map "walk": when each of the first tiles of the matrix has its turn. */
void eb_picture_walk(eb_report *report, const eb_kernel_plan *plan);

/* Lines "roofline": what L2 (l) and DRAM (d) would feed, up to what the products reach, and the kernel's rate at each
 * intensity (L, D). */
void eb_picture_roofline(eb_report *report, const eb_machine *machine, const eb_prediction *prediction);
