/* commands: the table of all commands, built from the rows in shell/language/rows/command_rows.h. */
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
             .help = "selectivity; the exact ε for it is found first")
#define EPS_LIST_ARGUMENT                                                                                              \
    ARGUMENT("eps", EB_ARG_NUMBERS, .max = DBL_MAX, .fallback = "the last ε used or found",                            \
             .help = "radius ε, or several: distances, never their squares")
#define S_LIST_ARGUMENT                                                                                                \
    ARGUMENT("S", EB_ARG_NUMBERS, .above = true, .max = EB_MAX_POINTS,                                                 \
             .help = "selectivity, or several; the exact ε are found first")
#define TRIALS_ARGUMENT                                                                                                \
    ARGUMENT("trials", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_TRIALS, .fallback = "as set",                           \
             .help = "measured repetitions after the warm-up")
#define WARM_UP_ARGUMENT                                                                                               \
    ARGUMENT("warmup", EB_ARG_CHOICE, .choices = EB_WARM_UPS,                                                          \
             .fallback = "full if it takes half a second or less, else part",                                          \
             .help = "unmeasured work before the trials: a pass, a part, or nothing")
#define TRUTH_ENGINE_ARGUMENT                                                                                          \
    ARGUMENT("engine", EB_ARG_ENGINE, .fallback = EB_SURE, .help = "engine that computes the distances")
#define MIN_POINTS_ARGUMENT                                                                                            \
    ARGUMENT("minpts", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_POINTS, .fallback = "5",                                \
             .help = "least number of points within ε of a core point, itself counted")
#define COMPARED_ARGUMENT                                                                                              \
    OPERAND("engine", EB_ARG_ENGINE, .fallback = "the first", .help = "one of the compared engines")
#define SELF_ARGUMENT(otherwise)                                                                                       \
    ARGUMENT("self", EB_ARG_CHOICE, .choices = "out|in", .fallback = (otherwise),                                      \
             .help = "whether a point is its own neighbour, as FASTED's authors count")
#define SAMPLE_ARGUMENT(otherwise)                                                                                     \
    ARGUMENT("sample", EB_ARG_TEXT, .fallback = (otherwise),                                                           \
             .help = "number of points to draw and to compare with all points, or all")
#define QUERIES_ARGUMENT                                                                                               \
    ARGUMENT("queries", EB_ARG_INTEGER, .min = 2, .max = EB_MAX_POINTS, .fallback = "a few per cent of a pass",        \
             .help = "number of points whose distances give the sampled curve")
#define DISTANCES_ARGUMENT                                                                                             \
    ARGUMENT("distances", EB_ARG_CHOICE, .choices = EB_DISTANCES_CHOICES, .fallback = "f64",                           \
             .help = "distances to keep; f32 is for engines with FP32 distances")
/* Arguments that describe an inverted file. */
#define NLIST_ARGUMENT                                                                                                 \
    ARGUMENT("nlist", EB_ARG_INTEGER, .min = 1, .max = 1 << 20, .fallback = "near √n, a power of two",                 \
             .help = "number of lists of the index")
#define PIECES_ARGUMENT                                                                                                \
    ARGUMENT("m", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_DIMENSIONS,                                                  \
             .fallback = "d up to 16, else at most 64, of two coordinates or more",                                    \
             .help = "pieces that code a point, a byte each; divides d")
#define ROUNDS_ARGUMENT                                                                                                \
    ARGUMENT("rounds", EB_ARG_INTEGER, .min = 1, .max = 1000, .fallback = "25",                                        \
             .help = "rounds of k-means: more find more, and take longer to build")
#define PARTS_ARGUMENT                                                                                                 \
    ARGUMENT("parts", EB_ARG_INTEGER, .min = 1, .max = 10000, .fallback = "8, more above 33 million points",           \
             .help = "parts of a folder/, of equally many rows; of a count, 100 if not given")
#define MOST_ARGUMENT                                                                                                  \
    ARGUMENT("most", EB_ARG_INTEGER, .min = 1, .max = 10000, .fallback = "all", .help = "parts of a count to count now")
#define CUT_ARGUMENT                                                                                                   \
    ARGUMENT("cut", EB_ARG_CHOICE, .choices = "rows|slabs",                                                            \
             .fallback = "rows; slabs if the points take more than half of the memory",                                \
             .help = "how rows are chosen for the parts of a folder/")
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
#include "shell/language/rows/command_rows.h"
};

void eb_register_commands(void) { eb_commands_set(commands, sizeof commands / sizeof commands[0]); }
