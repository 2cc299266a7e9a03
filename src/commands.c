/* commands: the table of all commands, built from the rows in shell/language/command_rows.h. */
#include "commands.h"

#include <float.h>

#include "core/data/projection.h"
#include "core/experiment/measure.h"
#include "core/experiment/switch_sets.h"
#include "core/experiment/time_words.h"
#include "io/load.h"
#include "shell/commands/commands.h"
#include "shell/defaults.h"

#define ARGUMENT(name_, ...) {.name = (name_), .type = __VA_ARGS__}
#define OPERAND(name_, ...) {.name = (name_), .positional = true, .type = __VA_ARGS__}

/* The ε of a run: given by eps=, tuned for S=, or the session's last one. */
#define EPS_ARGUMENT                                                                                                   \
    ARGUMENT("eps", EB_ARG_NUMBER, .max = DBL_MAX, .fallback = "the last ε used or found",                             \
             .help = "radius ε: a distance, never its square")
#define S_ARGUMENT                                                                                                     \
    ARGUMENT("S", EB_ARG_NUMBER, .above = true, .max = EB_MAX_POINTS,                                                  \
             .help = "selectivity: tunes ε exactly for it first")
#define TRIALS_ARGUMENT                                                                                                \
    ARGUMENT("trials", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_TRIALS, .fallback = "as set",                           \
             .help = "measured repetitions after the warm-up")
#define WARM_UP_ARGUMENT                                                                                               \
    ARGUMENT("warmup", EB_ARG_CHOICE, .choices = EB_WARM_UPS, .fallback = "full up to half a second, else part",       \
             .help = "before the trials: a pass, a part of its tiles, or nothing")
#define TRUTH_ENGINE_ARGUMENT                                                                                          \
    ARGUMENT("engine", EB_ARG_ENGINE, .fallback = EB_SURE, .help = "engine that makes the exact passes")
#define MIN_POINTS_ARGUMENT                                                                                            \
    ARGUMENT("minpts", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_POINTS, .fallback = "5",                                \
             .help = "points within ε, itself counted, that make a point core")
#define COMPARED_ARGUMENT                                                                                              \
    OPERAND("engine", EB_ARG_ENGINE, .fallback = "the first", .help = "which of the engines compared")
#define SELF_ARGUMENT(otherwise)                                                                                       \
    ARGUMENT("self", EB_ARG_CHOICE, .choices = "out|in", .fallback = (otherwise),                                      \
             .help = "whether a point is among its own neighbours, as FASTED's authors count")
#define QUERIES_ARGUMENT                                                                                               \
    ARGUMENT("queries", EB_ARG_INTEGER, .min = 2, .max = EB_MAX_POINTS, .fallback = "a few per cent of a pass",        \
             .help = "points whose distances make the sampled curve")
#define DISTANCES_ARGUMENT                                                                                             \
    ARGUMENT("distances", EB_ARG_CHOICE, .choices = EB_DISTANCES_CHOICES, .fallback = "f64",                           \
             .help = "which the neighbour table keeps; f32 where the engine's own are FP32, as " EB_FAST "'s")
#define FORCE_ARGUMENT ARGUMENT("force", EB_ARG_FLAG, .help = "replace a file that this session did not write")
#define RUN_NUMBER EB_ARG_INTEGER, .min = 1, .max = 9e15

#define ROW(name_, abbreviation_, group_, panel_, flags_, ...)                                                         \
    {.name = #name_,                                                                                                   \
     .abbreviation = (abbreviation_),                                                                                  \
     .group = (group_),                                                                                                \
     .panel = (panel_),                                                                                                \
     .flags = (flags_),                                                                                                \
     .handler = eb_cmd_##name_,                                                                                        \
     __VA_ARGS__},
static const eb_command commands[] = {
#include "shell/language/command_rows.h"
};

void eb_register_commands(void) { eb_commands_set(commands, sizeof commands / sizeof commands[0]); }
