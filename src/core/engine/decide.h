/* decide: the options `decide` and `type`, which several engines of papers share. `decide` chooses whether a pair is
 * within ε by the sums that the authors compute or by the exact FP64 sums, and so decides the engine's exactness.
 */
#pragma once

#include "core/engine/engine.h"

#define EB_OPTION_DECIDE(on_devices)                                                                                   \
    {                                                                                                                  \
        .name = "decide",                                                                                              \
        .type = EB_ARG_CHOICE,                                                                                         \
        .devices = (on_devices),                                                                                       \
        .choices = "authors|truth",                                                                                    \
        .fallback = "authors",                                                                                         \
        .help = "whose sums decide; truth: pairs and distances are the FP64 truth's, bit for bit",                     \
    }

/* The option `type` of engines that can compute in FP32 and in FP64. */
#define EB_OPTION_TYPE(on_devices, usual)                                                                              \
    {                                                                                                                  \
        .name = "type",                                                                                                \
        .type = EB_ARG_CHOICE,                                                                                         \
        .devices = (on_devices),                                                                                       \
        .choices = "f32|f64",                                                                                          \
        .fallback = (usual),                                                                                           \
        .help = "type of coordinates and sums; decide=truth needs f64",                                                \
    }

bool eb_truth_decides(const eb_options *options);
eb_exactness eb_decided_exactness(const eb_options *options); /* eb_engine.exactness_of */
bool eb_options_single(const eb_options *options);            /* type=f32; false for engines without the option */

/* EB_USAGE for decide=truth with type=f32: FP32 sums may leave out pairs that are within ε in FP64. */
eb_code eb_decide_check(const eb_options *options, eb_status *status);

/* EB_BAD_VALUE, with row and column, if a coordinate exceeds FP32's range. */
eb_code eb_single_check(const eb_dataset *points, eb_status *status);
