/* The command table: every command, once. Order is the order of `help` and of the manual. */
#include <float.h>

#include "core/measure.h"
#include "core/projection.h"
#include "shell/commands.h"

/* ε for a run: given, tuned for, or the session's. */
#define EPS_ARGUMENT \
    {.name = "eps", .type = EB_ARG_NUMBER, .max = DBL_MAX, .fallback = "the last ε used or found", \
     .help = "radius ε: a distance, never its square"}
#define S_ARGUMENT \
    {.name = "S", .type = EB_ARG_NUMBER, .max = EB_MAX_POINTS, \
     .help = "selectivity: tunes ε exactly for it first"}
#define TRIALS_ARGUMENT \
    {.name = "trials", .type = EB_ARG_INTEGER, .min = 1, .max = EB_MAX_TRIALS, .fallback = "as set", \
     .help = "measured repetitions after the warm-up"}
#define TRUTH_ENGINE_ARGUMENT \
    {.name = "engine", .type = EB_ARG_ENGINE, .fallback = "ref64", .help = "engine that makes the exact passes"}
#define RUN_NUMBERS .type = EB_ARG_INTEGER, .min = 1, .max = 9e15

static const eb_command commands[] = {
    {
        .name = "load",
        .abbreviation = "lo",
        .group = "Data",
        .summary = "Load a dataset",
        .detail = "Reads .fvecs .bvecs .ivecs, .fbin .u8bin .i8bin, .npy, HDF5 (FILE:/path names the object), "
                  "CSV, TSV and "
                  "IDX, each also as .gz. demo is 4000 pictures of clothes in 784 dimensions, demo:stars is "
                  "100000 star "
                  "positions on the unit sphere; both are in the program. Points keep their stored type; NaN and "
                  "infinities are refused.",
        .example = "load demo:stars",
        .handler = eb_cmd_load,
        .argument = {{.name = "what", .type = EB_ARG_DATASET, .positional = true, .required = true,
                      .help = "what to load"}},
    },
    {
        .name = "synth",
        .abbreviation = "sy",
        .group = "Data",
        .summary = "Make a synthetic dataset",
        .detail = "n points in d dimensions, FP32: uniform on [0,1), exponential with rate 40, or gaussian with "
                  "mean 0 and "
                  "variance 1. The same seed gives the same points everywhere.",
        .example = "synth uniform 2000 16 7",
        .handler = eb_cmd_synth,
        .argument = {{.name = "kind", .type = EB_ARG_CHOICE, .positional = true, .required = true,
                      .choices = "uniform|exponential|gaussian", .help = "distribution of the coordinates"},
                     {.name = "n", .type = EB_ARG_INTEGER, .positional = true, .required = true, .min = 1,
                      .max = EB_MAX_POINTS, .help = "number of points"},
                     {.name = "d", .type = EB_ARG_INTEGER, .positional = true, .required = true, .min = 1,
                      .max = EB_MAX_DIMENSIONS, .help = "dimensions"},
                     {.name = "seed", .type = EB_ARG_INTEGER, .positional = true, .min = 0, .max = 9e15,
                      .fallback = "as set", .help = "seed of the generator"}},
    },
    {
        .name = "info",
        .abbreviation = "i",
        .group = "Data",
        .flags = EB_NEEDS_DATASET,
        .summary = "Describe the dataset",
        .detail = "Shape, type, range, norms, duplicates, whether FP16 holds the points (overflow, subnormals, "
                  "rounding), the memory each engine needs, and how often values occur.",
        .example = "info",
        .handler = eb_cmd_info,
    },
    {
        .name = "project",
        .abbreviation = "p",
        .group = "Data",
        .flags = EB_NEEDS_DATASET,
        .summary = "Draw the points along their first two principal axes",
        .detail = "The axes in which an evenly spaced sample of at most 4096 points differs most, fewer where there are "
                  "thousands of dimensions, and the share of the variance along each.",
        .example = "project points=500",
        .handler = eb_cmd_project,
        .argument = {{.name = "points", .type = EB_ARG_INTEGER, .min = 1, .max = EB_PROJECTION_POINTS,
                      .fallback = "as many as are cheap", .help = "points to sample, at most"}},
    },
    {
        .name = "files",
        .abbreviation = "f",
        .group = "Data",
        .flags = EB_UNLOGGED,
        .summary = "List the files of a folder that load could read",
        .detail = "By the ends of their names; shape and type where a header tells them at no cost, and why load would "
                  "refuse a file as far as the header shows. At most 1000.",
        .example = "files",
        .handler = eb_cmd_files,
        .argument = {{.name = "folder", .type = EB_ARG_FILE, .positional = true, .fallback = "the working folder",
                      .help = "folder to look into"}},
    },
    {
        .name = "engines",
        .abbreviation = "en",
        .group = "Data",
        .flags = EB_UNLOGGED,
        .summary = "List the engines, and why some cannot run here",
        .detail = "",
        .example = "engines",
        .handler = eb_cmd_engines,
    },
    {
        .name = "devices",
        .abbreviation = "de",
        .group = "Data",
        .flags = EB_UNLOGGED,
        .summary = "List the devices engines can run on",
        .detail = "Of a GPU also the limits: what its tensor and FP64 units, its memory and its link to the host reach "
                  "at best. They are measured when the GPU is first the device that is set, and kept in the log; "
                  "measure does it anew, for all GPUs. Reports show rates as a share of their limit.",
        .example = "devices",
        .handler = eb_cmd_devices,
        .argument = {{.name = "measure", .type = EB_ARG_FLAG, .help = "measure the limits of every GPU now"}},
    },
    {
        .name = "tune",
        .abbreviation = "tu",
        .group = "Radius",
        .flags = EB_NEEDS_DATASET,
        .summary = "Find the ε that gives each wanted selectivity",
        .detail = "Samples the S(ε) curve, brackets every target, then makes one exact pass for all of them: the "
                  "answer is "
                  "the smallest ε with S(ε) ≥ target. A bracket that misses costs a second pass. The last target's ε "
                  "becomes the default of join, compare and accuracy.",
        .example = "tune S=64,128",
        .handler = eb_cmd_tune,
        .argument = {{.name = "S", .type = EB_ARG_NUMBERS, .positional = true, .required = true, .max = EB_MAX_POINTS,
                      .help = "wanted mean numbers of other points within ε"},
                     TRUTH_ENGINE_ARGUMENT,
                     {.name = "queries", .type = EB_ARG_INTEGER, .min = 2, .max = EB_MAX_POINTS,
                      .fallback = "a few per cent of a pass", .help = "points whose distances make the sampled curve"}},
    },
    {
        .name = "curve",
        .abbreviation = "cu",
        .group = "Radius",
        .flags = EB_NEEDS_DATASET,
        .summary = "Sample the S(ε) curve, without an exact pass",
        .detail = "The distances of some points to all others give S(ε) with its 95 % interval. tune and sweep use the "
                  "same curve; it is sampled once for a dataset, and anew when queries is given.",
        .example = "curve queries=200",
        .handler = eb_cmd_curve,
        .argument = {{.name = "queries", .type = EB_ARG_INTEGER, .min = 2, .max = EB_MAX_POINTS,
                      .fallback = "a few per cent of a pass", .help = "points whose distances make the curve"},
                     TRUTH_ENGINE_ARGUMENT},
    },
    {
        .name = "sweep",
        .abbreviation = "sw",
        .group = "Radius",
        .flags = EB_NEEDS_DATASET,
        .summary = "Compute the exact S(ε) curve over a range",
        .detail = "Give either a range of ε or a range of S. Points are spaced evenly in log ε; one exact pass "
                  "counts them "
                  "all.",
        .example = "sweep S=16..128 points=9",
        .handler = eb_cmd_sweep,
        .argument = {{.name = "eps", .type = EB_ARG_RANGE, .max = DBL_MAX, .help = "from ε to ε"},
                     {.name = "S", .type = EB_ARG_RANGE, .max = EB_MAX_POINTS,
                      .help = "from selectivity to selectivity"},
                     {.name = "points", .type = EB_ARG_INTEGER, .min = 2, .max = 10000, .fallback = "17",
                      .help = "points of the curve, both ends included"},
                     TRUTH_ENGINE_ARGUMENT},
    },
    {
        .name = "join",
        .abbreviation = "j",
        .group = "Runs",
        .flags = EB_NEEDS_DATASET,
        .summary = "Run one engine: every pair within ε",
        .detail = "Runs a warm-up, then the trials, end to end each, and keeps every one in the log. The "
                  "neighbour table is "
                  "built too unless count is given; one larger than the memory limit goes to the file in "
                  "batches, or is "
                  "counted only.",
        .example = "join ref64 S=64 trials=1",
        .handler = eb_cmd_join,
        .argument = {{.name = "engine", .type = EB_ARG_ENGINE, .positional = true, .required = true,
                      .help = "engine to run"},
                     EPS_ARGUMENT, S_ARGUMENT, TRIALS_ARGUMENT,
                     {.name = "count", .type = EB_ARG_FLAG, .help = "count the pairs, build no table"},
                     {.name = "save", .type = EB_ARG_FILE,
                      .help = "write the neighbour table: .npz .ivecs .csv .h5 .range"}},
    },
    {
        .name = "save",
        .abbreviation = "sa",
        .group = "Runs",
        .flags = EB_NEEDS_DATASET,
        .summary = "Write the last join's neighbour table",
        .detail = "The format follows the name: .npz (scipy CSR), .ivecs, .csv, .h5 or .hdf5, .range (big-ann "
                  "range ground "
                  "truth). A table that did not fit in memory is computed again and written as it comes. The "
                  "file appears "
                  "only when it is complete.",
        .example = "synth uniform 500 8; join ref64 S=8 trials=1; save neighbours.npz",
        .handler = eb_cmd_save,
        .argument = {{.name = "file", .type = EB_ARG_FILE, .positional = true, .required = true,
                      .help = "file to write"}},
    },
    {
        .name = "compare",
        .abbreviation = "com",
        .group = "Runs",
        .flags = EB_NEEDS_DATASET,
        .summary = "Run a fast engine beside the truth",
        .detail = "Times, rates and pairs side by side; overlap of the two results (FASTED, Eq. 3), "
                  "distance error, "
                  "its histogram, and the pairs nearest to ε with both verdicts.",
        .example = "synth gaussian 1000 64; compare fasted ref64 S=16",
        .handler = eb_cmd_compare,
        .argument = {{.name = "fast", .type = EB_ARG_ENGINE, .positional = true, .required = true,
                      .help = "engine under test"},
                     {.name = "truth", .type = EB_ARG_ENGINE, .positional = true, .required = true,
                      .help = "engine it is measured against"},
                     EPS_ARGUMENT, S_ARGUMENT, TRIALS_ARGUMENT},
    },
    {
        .name = "accuracy",
        .abbreviation = "ac",
        .group = "Runs",
        .summary = "Show overlap and distance error of the last comparison",
        .detail = "",
        .example = "synth gaussian 1000 64; compare fasted ref64 S=16 trials=1; accuracy",
        .handler = eb_cmd_accuracy,
    },
    {
        .name = "hist",
        .abbreviation = "hi",
        .group = "Runs",
        .summary = "Draw the distance errors of the last comparison",
        .detail = "",
        .example = "synth gaussian 1000 64; compare fasted ref64 S=16 trials=1; hist bins=100 log",
        .handler = eb_cmd_hist,
        .argument = {{.name = "bins", .type = EB_ARG_INTEGER, .min = 10, .max = 100000, .fallback = "200",
                      .help = "bins of the histogram"},
                     {.name = "log", .type = EB_ARG_FLAG, .help = "draw the counts on a logarithmic axis"}},
    },
    {
        .name = "ablate",
        .abbreviation = "ab",
        .group = "Runs",
        .summary = "Leave out FASTED's optimisations one at a time",
        .detail = "Counts with every switch of the preset on, then without each of them and what needs it: kernel time, rates, "
                  "slowdown, beside the paper's Table 5. Every variant must find the same neighbours and the same distances to "
                  "the last bit. preset=best leaves out what best adds to paper. `ablate list` shows the switches, with no GPU.",
        .example = "ablate list",
        .handler = eb_cmd_ablate,
        .argument = {{.name = "preset", .type = EB_ARG_CHOICE, .choices = "paper|best", .fallback = "paper",
                      .help = "what is on to begin with"},
                     {.name = "only", .type = EB_ARG_TEXT, .fallback = "all that the preset allows",
                      .help = "switches to leave out, one after another, as pipeline,swizzle"},
                     EPS_ARGUMENT, S_ARGUMENT, TRIALS_ARGUMENT,
                     {.name = "list", .type = EB_ARG_FLAG, .help = "show the switches, run nothing"}},
    },
    {
        .name = "counters",
        .abbreviation = "cou",
        .group = "Runs",
        .flags = EB_NEEDS_DATASET,
        .summary = "Count what the hardware did: pipes, caches, conflicts",
        .detail = "Runs the trials as join does, counting the pairs only; then counts once more for each pass of the "
                  "profiler, untimed. Every value names its source: cupti (hardware counters), nvml (the driver), "
                  "model (operations over measured time). Without counters, as on the CPU, says why and shows the rest.",
        .example = "synth gaussian 1000 64; counters fasted S=16 trials=1",
        .handler = eb_cmd_counters,
        .argument = {{.name = "engines", .type = EB_ARG_ENGINE, .positional = true, .fallback = "fasted,ref64",
                      .help = "engines to profile, with commas between"},
                     EPS_ARGUMENT, S_ARGUMENT, TRIALS_ARGUMENT},
    },
    {
        .name = "runs",
        .abbreviation = "ru",
        .group = "Log",
        .flags = EB_UNLOGGED,
        .summary = "List the runs in the log, newest first",
        .detail = "",
        .example = "join ref64 eps=1000 trials=1 count; runs engine=ref64 limit=5",
        .handler = eb_cmd_runs,
        .argument = {{.name = "text", .type = EB_ARG_TEXT, .positional = true,
                      .help = "only runs whose dataset, engine, command or note contains this"},
                     {.name = "session", RUN_NUMBERS, .help = "only this session's"},
                     {.name = "engine", .type = EB_ARG_ENGINE, .help = "only this engine's"},
                     {.name = "limit", .type = EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50",
                      .help = "how many"}},
    },
    {
        .name = "sessions",
        .abbreviation = "ses",
        .group = "Log",
        .flags = EB_UNLOGGED,
        .summary = "List the sessions in the log, newest first",
        .detail = "",
        .example = "sessions",
        .handler = eb_cmd_sessions,
        .argument = {{.name = "limit", .type = EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50",
                      .help = "how many"}},
    },
    {
        .name = "show",
        .abbreviation = "sh",
        .group = "Log",
        .flags = EB_UNLOGGED,
        .summary = "Show all that the log knows of a run",
        .detail = "",
        .example = "join ref64 eps=1000 trials=1 count; show 1",
        .handler = eb_cmd_show,
        .argument = {{.name = "run", RUN_NUMBERS, .positional = true, .required = true, .help = "number of the run"}},
    },
    {
        .name = "diff",
        .abbreviation = "di",
        .group = "Log",
        .flags = EB_UNLOGGED,
        .summary = "Compare a run with a baseline run",
        .detail = "Says SAME, FASTER, SLOWER or UNCLEAR from the trials of both, and warns when dataset, ε or "
                  "device differ.",
        .example = "join ref64 eps=900 count; join ref64 eps=1000 count; diff 1 2",
        .handler = eb_cmd_diff,
        .argument = {{.name = "baseline", RUN_NUMBERS, .positional = true, .required = true,
                      .help = "run to compare with"},
                     {.name = "run", RUN_NUMBERS, .positional = true, .required = true, .help = "run to judge"}},
    },
    {
        .name = "note",
        .abbreviation = "n",
        .group = "Log",
        .summary = "Write a note into the log",
        .detail = "The note belongs to the session, or to a run with run=N before the text.",
        .example = "note the demo, on battery",
        .handler = eb_cmd_note,
        .argument = {{.name = "run", RUN_NUMBERS, .help = "run the note is about"},
                     {.name = "text", .type = EB_ARG_REST, .positional = true, .required = true, .help = "the note"}},
    },
    {
        .name = "export",
        .abbreviation = "ex",
        .group = "Log",
        .flags = EB_UNLOGGED,
        .summary = "Write the log, or one session of it, to a file",
        .detail = "By extension: .csv (one row per trial), .json, .sql, or .eb (the session's commands, a script for "
                  "epsbench -f).",
        .example = "export session.json",
        .handler = eb_cmd_export,
        .argument = {{.name = "file", .type = EB_ARG_FILE, .positional = true, .required = true,
                      .help = "file to write"},
                     {.name = "session", RUN_NUMBERS, .fallback = "the whole log; for .eb this session",
                      .help = "number of the session"}},
    },
    {
        .name = "replay",
        .abbreviation = "re",
        .group = "Log",
        .flags = EB_UNLOGGED,
        .summary = "Run a session's successful commands again",
        .detail = "They go into the log as part of this session. Replaying stops at the first failure.",
        .example = "replay 1",
        .handler = eb_cmd_replay,
        .argument = {{.name = "session", RUN_NUMBERS, .positional = true, .required = true,
                      .help = "number of the session"}},
    },
    {
        .name = "set",
        .abbreviation = "set",
        .group = "Shell",
        .summary = "Show or change the settings",
        .detail = "Without arguments shows them all. NAME VALUE and NAME=VALUE are the same.",
        .example = "set trials=5 tensor=sm_80",
        .handler = eb_cmd_set,
        .argument = {{.name = "device", .type = EB_ARG_DEVICE, .help = "where engines run"},
                     {.name = "threads", .type = EB_ARG_INTEGER, .min = 1, .max = 1024, .help = "host threads"},
                     {.name = "trials", .type = EB_ARG_INTEGER, .min = 1, .max = EB_MAX_TRIALS,
                      .help = "measured repetitions of a run"},
                     {.name = "seed", .type = EB_ARG_INTEGER, .min = 0, .max = 9e15,
                      .help = "seed of synth and of sampling"},
                     {.name = "tensor", .type = EB_ARG_CHOICE, .choices = "sm_80|sm_90",
                      .help = "tensor core that fasted emulates on the CPU"},
                     {.name = "preset", .type = EB_ARG_TEXT,
                      .help = "fasted's optimisations on a GPU: paper or best, then +switch or -switch"},
                     {.name = "memory", .type = EB_ARG_SIZE, .min = 1 << 20, .max = 1e18, .unit = "bytes",
                      .help = "limit of neighbour tables, as 512M or 4GiB"},
                     {.name = "gpu_memory", .type = EB_ARG_SIZE, .max = 1e18, .unit = "bytes",
                      .fallback = "what is free there",
                      .help = "limit of what engines take on a GPU; a dataset beyond it is streamed by blocks; 0: none"}},
    },
    {
        .name = "timer",
        .abbreviation = "ti",
        .group = "Shell",
        .flags = EB_IMMEDIATE | EB_UNLOGGED,
        .summary = "Show how long each command takes",
        .detail = "",
        .example = "timer on; info; timer off",
        .handler = eb_cmd_timer,
        .argument = {{.name = "state", .type = EB_ARG_CHOICE, .positional = true, .choices = "on|off",
                      .fallback = "shows the state", .help = "on or off"}},
    },
    {
        .name = "watch",
        .abbreviation = "w",
        .group = "Shell",
        .flags = EB_IMMEDIATE | EB_UNLOGGED,
        .summary = "Repeat a command until Ctrl-C",
        .detail = "Waits SECONDS after each end. Quote the command to repeat several: watch 5 'runs; devices'. "
                  "Stops at the "
                  "first failure. times=N stops after N repetitions.",
        .example = "watch times=2 0.1 devices",
        .handler = eb_cmd_watch,
        .argument = {{.name = "seconds", .type = EB_ARG_NUMBER, .positional = true, .required = true, .max = 86400,
                      .unit = "seconds", .help = "pause between two runs"},
                     {.name = "times", .type = EB_ARG_INTEGER, .min = 1, .max = 1e9, .fallback = "until Ctrl-C",
                      .help = "how often"},
                     {.name = "command", .type = EB_ARG_REST, .positional = true, .required = true,
                      .help = "what to repeat"}},
    },
    {
        .name = "mode",
        .abbreviation = "mode",
        .group = "Shell",
        .flags = EB_IMMEDIATE | EB_UNLOGGED,
        .summary = "Choose how reports are printed",
        .detail = "",
        .example = "mode markdown; info; mode text",
        .handler = eb_cmd_mode,
        .argument = {{.name = "form", .type = EB_ARG_CHOICE, .positional = true, .choices = "text|json|csv|markdown",
                      .fallback = "shows the mode", .help = "text, or for programs json, csv, markdown"}},
    },
    {
        .name = "echo",
        .abbreviation = "ec",
        .group = "Shell",
        .flags = EB_IMMEDIATE | EB_UNLOGGED,
        .summary = "Print a text, for scripts that explain themselves",
        .detail = "In double quotes, \\n begins a new line.",
        .example = "echo now the stars; load demo:stars",
        .handler = eb_cmd_echo,
        .argument = {{.name = "text", .type = EB_ARG_REST, .positional = true, .required = true,
                      .help = "what to print"}},
    },
    {
        .name = "help",
        .abbreviation = "he",
        .group = "Shell",
        .flags = EB_IMMEDIATE | EB_UNLOGGED,
        .summary = "List the commands, or explain one",
        .detail = "",
        .example = "help tune",
        .handler = eb_cmd_help,
        .argument = {{.name = "command", .type = EB_ARG_COMMAND, .positional = true, .help = "command to explain"}},
    },
    {
        .name = "quit",
        .abbreviation = "q",
        .group = "Shell",
        .flags = EB_IMMEDIATE | EB_UNLOGGED,
        .summary = "Leave",
        .detail = "So does Ctrl-D.",
        .example = "quit",
        .handler = eb_cmd_quit,
    },
};

size_t eb_command_count(void) { return sizeof commands / sizeof commands[0]; }

const eb_command *eb_command_at(size_t index) { return &commands[index]; }
