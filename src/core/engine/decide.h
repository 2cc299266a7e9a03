/* decide: whose verdict it is whether a pair of an approximate engine is within ε: its own sums' or the truth's.
 * Engines that offer both have this option, and say by it how exact they are.
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

/* For engines that can compute in FP32 and in FP64. */
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
bool eb_options_single(const eb_options *options);            /* type=f32; without the option it is not */

/* EB_USAGE: FP32 sums may leave out pairs that the truth takes in. */
eb_code eb_decide_check(const eb_options *options, eb_status *status);

/* EB_BAD_VALUE, row and column: FP32 does not hold a coordinate. */
eb_code eb_single_check(const eb_dataset *points, eb_status *status);
