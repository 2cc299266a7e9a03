/* model_pictures: draws results of the machine model: the pipeline over time, bank conflicts, the order of tiles and
 * the roofline. */
#pragma once

#include "core/model/pipeline.h"
#include "core/report/report.h"

/* The plan's first access to shared memory that loads; every plan has one. */
const eb_shared_access *eb_first_load(const eb_kernel_plan *plan);

/* Table "pipeline", drawn as a timeline: the first k-slices of a tile, for the first blocks on an SM. */
void eb_picture_pipeline(eb_report *report, const eb_kernel_plan *plan, const eb_machine *machine,
                         const eb_prediction *prediction);

/* Map "bank_map": how many words the first phases of the first load read from each bank. */
void eb_picture_banks(eb_report *report, const eb_kernel_plan *plan);

/* Map "walk": the order in which the tiles of a corner of the matrix are computed. */
void eb_picture_walk(eb_report *report, const eb_kernel_plan *plan);

/* Lines "roofline": the rates that L2 (l) and DRAM (d) allow, up to the peak of the products, and the kernel's rate at
 * both intensities (L, D). */
void eb_picture_roofline(eb_report *report, const eb_machine *machine, const eb_prediction *prediction);
