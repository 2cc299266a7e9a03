/* command_rows: the commands, in the order of `help all` and of the manual: ROW(name, shortest prefix promised, group,
 * panel, flags, the rest of eb_command). The handler is eb_cmd_NAME. The including file defines ROW.
 */
ROW(load, "lo", "Data", "data", 0, .summary = "Load a dataset",
    .detail =
        "Reads .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin, .ibin, .npy, .npz, HDF5, MATLAB, .safetensors, "
        "Parquet, Arrow, CSV, TSV, .jsonl, .json, LIBSVM and IDX, each also as .gz. `formats` describes them. "
        "FILE:/NAME "
        "loads a dataset inside a "
        "file. `load - format=F` reads the standard input, unless that is the terminal or gives the "
        "commands.\n\n"
        "Two datasets are part of the program. demo is 4,000 pictures of clothes in 784 dimensions. demo:stars "
        "is 100,000 star positions on the unit sphere.\n\n"
        "Points keep their stored type. 64-bit integers are read if FP64 holds them exactly. bfloat16 becomes FP32, "
        "exactly; dtype=bf16 says that a .npy file holds it. NaN and infinities are refused. If the file changes "
        "later, commands that read the points fail until it is loaded again.\n\n"
        "In a table (CSV, TSV, Parquet, Arrow), columns= chooses the coordinates, by name or by number from 0. "
        "label= chooses the column with the names of the points; reports and saved neighbours show them. A cell "
        "is missing if it is empty or NA, N/A, #N/A, NaN, null, none, ?, - or a dot.\n\n"
        "A column of lists (Parquet, Arrow) holds a point in each row. Without columns=, the only such column is the "
        "coordinates.\n\n"
        "A text with semicolons between cells may have decimal commas, as R's write.csv2 and Excel write them. "
        "Where a text could be read in two ways, separator= and decimal= decide; they also allow thousands as in "
        "1.234,5. A first column without a name that counts the rows is left out, unless columns= names it.\n\n"
        "missing=refuse says where the first missing value is. missing=drop leaves its row out, and rows of another "
        "number of cells; points are numbered without them. missing=mean puts in the mean of the column.\n\n"
        "scale= works as in scikit-learn. standard subtracts the mean and divides by the standard deviation. "
        "minmax maps each coordinate to 0 to 1. A constant coordinate becomes 0.\n\n"
        "queries= loads a query set; its dimensions and type must be those of the points. truth= loads its true "
        "neighbours: an .ibin or "
        ".bin file of big-ann-benchmarks (queries, k, ids, perhaps distances), or a matrix of ids (.ivecs, .npy, "
        "x.hdf5:/neighbors). Ids are row numbers from 0.\n\n"
        "FP64 verifies the true neighbours. Each must be at least as far as the one before it. Stated distances, "
        "squared or not, must be right within the error of FP32 sums. A Euclidean HDF5 file of ann-benchmarks "
        "also loads its arrays test and neighbors; FILE:/train loads the points alone.\n\n"
        "These choices are part of the dataset's name in the log. Its hash is that of the resulting points.\n\n"
        "A folder in which `save` wrote a table in parts gives that table back as the last one, after its checksums "
        "are "
        "compared. The points it was made of must be loaded.",
    .examples = "load demo:stars\n"
                "load demo scale=standard",
    .argument = {OPERAND("what", EB_ARG_DATASET, .required = true, .help = "dataset to load"),
                 ARGUMENT("header", EB_ARG_CHOICE, .choices = "yes|no", .fallback = "yes if it has no number",
                          .help = "whether the first line of a text holds names"),
                 ARGUMENT("separator", EB_ARG_CHOICE, .choices = "comma|semicolon|tab|blank",
                          .fallback = "that of the header", .help = "what separates the cells of a text"),
                 ARGUMENT("decimal", EB_ARG_CHOICE, .choices = "point|comma", .fallback = "point, or as found after ;",
                          .help = "the sign before the decimals of a number in a text"),
                 ARGUMENT("format", EB_ARG_FORMAT, .fallback = "by the end of the name",
                          .help = "format of the file, such as csv; `formats` lists them"),
                 ARGUMENT("columns", EB_ARG_COLUMNS, .fallback = "all but the label",
                          .help = "columns of a table that are coordinates, such as 0..3,7 or x,y"),
                 ARGUMENT("label", EB_ARG_COLUMN, .fallback = "none", .help = "column with the names of the points"),
                 ARGUMENT("missing", EB_ARG_CHOICE, .choices = "refuse|drop|mean", .fallback = "refuse",
                          .help = "what to do with a row that lacks a value"),
                 ARGUMENT("scale", EB_ARG_CHOICE, .choices = "none|standard|minmax", .fallback = "none",
                          .help = "how to bring all coordinates to one scale"),
                 ARGUMENT("queries", EB_ARG_DATASET, .fallback = "test of an ann-benchmarks file",
                          .help = "query set to load beside the points"),
                 ARGUMENT("truth", EB_ARG_FILE, .fallback = "neighbors of an ann-benchmarks file",
                          .help = "true neighbours of the queries: rows of the points, nearest first"),
                 ARGUMENT("dtype", EB_ARG_CHOICE, .choices = "bf16", .fallback = "as the file says",
                          .help = "how two-byte values of .npy are read")})
ROW(synth, "sy", "Data", "data", 0, .summary = "Make a synthetic dataset",
    .detail = "uniform, exponential and gaussian draw each coordinate by itself: on [0,1), with rate 40, with mean 0 "
              "and variance 1. With type=f64, uniform and exponential are the datasets of TED-Join's Tables I and II; "
              "no coordinate is above 1.\n\n"
              "The other kinds resemble measured data. clusters has 256 centres. sphere lies on a sphere, like stars. "
              "coast is closed curves in degrees of a globe. terrain is whole numbers measured on four maps.\n\n"
              "The same seed gives the same points on every machine. FP32 points are the FP64 points, rounded.\n\n"
              "With type=u8, uniform draws whole numbers from 0 to 255, as descriptors of photographs have.\n\n"
              "save= makes the points in a file and loads that. So they need not fit in memory.",
    .examples = "synth uniform 2000 16 7\n"
                "synth clusters 5000 8\n"
                "synth uniform 2000 128 type=u8",
    .argument =
        {OPERAND("kind", EB_ARG_CHOICE, .required = true, .choices = EB_SYNTH_CHOICES, .help = "distribution"),
         OPERAND("n", EB_ARG_INTEGER, .required = true, .min = 1, .max = EB_MAX_POINTS, .help = "number of points"),
         OPERAND("d", EB_ARG_INTEGER, .required = true, .min = 1, .max = EB_MAX_DIMENSIONS, .help = "dimensions"),
         OPERAND("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .fallback = "as set", .help = "seed of the generator"),
         ARGUMENT("type", EB_ARG_CHOICE, .choices = "f32|f64|u8", .fallback = "f32", .help = "type of the coordinates"),
         ARGUMENT("save", EB_ARG_FILE, .written = true, .help = "file for the points: .npy, .fbin or .u8bin"),
         FORCE_ARGUMENT})
ROW(info, "i", "Data", "data", EB_NEEDS_DATASET, .summary = "Describe the dataset",
    .detail = "Shows shape, type, range, norms, duplicates and how often values occur. Says whether FP16 holds the "
              "points: overflow, subnormal numbers, rounding. Lists the memory that each engine needs.",
    .examples = "info")
ROW(project, "pr", "Data", "data", EB_NEEDS_DATASET, .summary = "Draw the points along their first two principal axes",
    .detail = "The axes are those along which a sample of the points differs most. The sample is evenly spaced and has "
              "at most 4096 points, fewer in thousands of dimensions. The share of the variance along each axis is "
              "shown.",
    .examples = "project\n"
                "project points=500",
    .argument = {ARGUMENT("points", EB_ARG_INTEGER, .min = 1, .max = EB_PROJECTION_POINTS,
                          .fallback = "as many as are cheap", .help = "largest number of points in the sample")})
ROW(files, "f", "Data", "data", EB_UNLOGGED, .summary = "List the files of a folder that load could read",
    .detail =
        "Lists at most 1000 files, chosen by the end of their names. Shows shape and type if a header gives them at no "
        "cost. If the header shows that load would refuse a file, the reason is shown.",
    .examples = "files\n"
                "files ..",
    .argument = {OPERAND("folder", EB_ARG_FILE, .fallback = "the working folder", .help = "folder to list")})
ROW(formats, "fo", "Data", NULL, EB_UNLOGGED, .summary = "List the formats that load reads",
    .detail = "The end of a file's name decides its format; .gz may follow. A dataset inside a file is loaded as "
              "FILE:/NAME. Tables take columns=, label= and missing=. For a format that cannot be read here, the "
              "missing library is named, and how to get it.",
    .examples = "formats")
ROW(datasets, "da", "Data", "data", EB_UNLOGGED, .summary = "List what could be loaded: built in, here, used lately",
    .detail =
        "Lists the built-in datasets, files of the working folder and of its folder examples, and the datasets of "
        "the newest runs in the log. Each row has the line that loads the dataset. For a table with columns of "
        "text, that line takes the first of them as label=.",
    .examples = "datasets")
ROW(engines, "en", "Data", NULL, EB_UNLOGGED, .summary = "List the engines, and why some cannot run here",
    .detail = "`help ENGINE` explains an engine and its options.", .examples = "engines")
ROW(devices, "de", "Data", NULL, EB_UNLOGGED, .summary = "List the devices engines can run on",
    .detail =
        "A GPU has measured limits: the highest rates of its tensor cores, its FP64 units, its memory and its link "
        "to the host. Reports show rates as a share of them. The limits are measured when a GPU is first set as "
        "the device, and kept for later sessions.\n\n"
        "Started by mpirun or srun, epsbench is several processes (ranks) that share each question; they are listed "
        "too.",
    .examples = "devices\n"
                "devices measure",
    .argument = {ARGUMENT("measure", EB_ARG_FLAG, .help = "measure the limits of every GPU again")})
#include "shell/language/rows/radius_rows.h"

ROW(knn, "kn", "Radius", NULL, EB_NEEDS_DATASET, .summary = "Find the k nearest of a point, of some, of all",
    .detail =
        "The distances of the engine decide. Of two points at the same squared distance, the one with the smaller "
        "number is nearer. No point is its own neighbour.\n\n"
        "The queries are one point or all points. queries=N draws rows and takes them out of the dataset, as "
        "`recall` does. If a query set is loaded, its points are the queries: all, or the first queries=.\n\n"
        "On the CPU `exact` needs no radii in up to 8 dimensions, nor for few queries where the CPU multiplies bytes. "
        "Elsewhere each query gets a radius from a sample and from a few queries whose distances to all points are "
        "computed. Queries with similar radii are joined together. A query that found fewer than k is searched "
        "again.\n\n"
        "For an engine that is not the truth, the recall of some queries is reported: the share of the points "
        "found that are as near as the true k-th. If true neighbours are loaded, k or more for each query, recall is "
        "measured by them. An engine that is the truth checks whether they are the nearest.\n\n"
        "An engine may find fewer than k at every ε: an index of lists reads only some lists, and distances that "
        "overflow are left out. A note counts these queries. Files keep k places for each query: the empty ones "
        "have id -1 and distance inf (.csv: empty cells). JSON has null.\n\n"
        "save= writes .ivecs (ids), .ibin (ground truth of big-ann: ids and FP32 distances, not squared) or "
        ".csv.",
    .examples = "knn 17 k=5\n"
                "knn queries=100\n"
                "synth gaussian 1000 8; knn k=3 save=nearest.ivecs",
    .argument = {OPERAND("engine", EB_ARG_ENGINE, .fallback = EB_SURE, .help = "engine whose distances decide"),
                 OPERAND("point", EB_ARG_INTEGER, .max = EB_MAX_POINTS, .fallback = "all",
                         .help = "the only query: number of a point, from 0"),
                 ARGUMENT("k", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_POINTS, .fallback = "10",
                          .help = "number of nearest points"),
                 ARGUMENT("queries", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_POINTS,
                          .fallback = "all points, or all of a query set",
                          .help = "number of rows to take out as queries, or of first points of the query set"),
                 ARGUMENT("rows", EB_ARG_FLAG, .help = "take rows as queries although a query set is loaded"),
                 ARGUMENT("check", EB_ARG_INTEGER, .max = EB_MAX_POINTS, .fallback = "100 if it is approximate",
                          .help = "number of queries whose nearest are compared with the truth's"),
                 ARGUMENT("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .fallback = "as set",
                          .help = "seed of queries and sample"),
                 ARGUMENT("save", EB_ARG_FILE, .written = true, .help = "file for the nearest: .ivecs .ibin .csv"),
                 FORCE_ARGUMENT})
ROW(join, "j", "Runs", "compare", EB_NEEDS_DATASET, .summary = "Run one engine: every pair within ε",
    .detail =
        "Warms up, runs the trials and logs each of them. The warm-up is a whole pass if that takes half a second "
        "or less. Otherwise it is a quarter of a second of a pass, and a note says so.\n\n"
        "The neighbour table is built unless count is given. A table larger than the memory limit goes to the "
        "file in batches; without a file, the pairs are only counted. distances=none keeps the neighbours "
        "without distances, in a third of the memory.\n\n"
        "A name that ends with / is a folder of parts. Such a join runs once, untimed, part by part. If it is "
        "interrupted or killed, the same command joins the missing parts only. Points that take an engine on the CPU "
        "more than half of the memory limit are cut into slabs, each with the points within ε of it; only engines "
        "that give the truth are cut.\n\n"
        "count with save=FOLDER/ counts in equal parts of the work. Each part is on the disk when it is counted, so "
        "the same command goes on after an interruption. most=1 counts one part and tells what it lets expect of "
        "all.\n\n"
        "The report says how far FP16 moves points. From an eighth of ε on it warns and names a line to type. "
        "After a whole warm-up it also counts the undecided pairs: found or left out, but closer to ε than "
        "FP64's own rounding error. distances=none leaves out that count.\n\n"
        "On several devices, as after `set device=cpu,cpu`, a table shows the work, times and energy of "
        "each.\n\n" EB_TIMES_LONG "\n\n" EB_PUBLISHED_LONG,
    .examples = "join " EB_SURE " eps=1000 save=pairs.npz\n"
                "join " EB_SURE " eps=1000 count save=counted/ parts=20 most=2\n"
                "synth gaussian 1000 64; join " EB_FAST " S=16 trials=1 count",
    .argument = {OPERAND("engine", EB_ARG_ENGINE, .required = true, .help = "engine to run"), EPS_ARGUMENT, S_ARGUMENT,
                 TRIALS_ARGUMENT, WARM_UP_ARGUMENT,
                 ARGUMENT("count", EB_ARG_FLAG, .help = "count the pairs, build no table"), DISTANCES_ARGUMENT,
                 ARGUMENT("save", EB_ARG_FILE, .written = true,
                          .help = "file for the neighbour table: .npz .ivecs .csv .h5 .range, or a folder/; of a count "
                                  "a folder/"),
                 PARTS_ARGUMENT, CUT_ARGUMENT, MOST_ARGUMENT, FORCE_ARGUMENT})
ROW(save, "sa", "Runs", NULL, EB_NEEDS_DATASET, .summary = "Write the last join's neighbour table",
    .detail =
        "The format follows the name: .npz (CSR matrix of scipy), .ivecs, .csv, .h5 or .hdf5, .range (range ground "
        "truth of big-ann). A table that did not fit in memory is computed again and written as it comes. The "
        "file appears only when it is complete.\n\n"
        "A name that ends with / is a folder of parts: arrays that NumPy maps, and index.json, which names them with "
        "their SHA-256. `load` reads such a folder.\n\n"
        ".npz, .h5 and .csv keep labels and say where the table comes from: program, command, ε, engine, options, "
        "dataset and its hash. This is the member provenance in .npz, attributes in .h5 and comments in .csv. In "
        ".csv, control characters of a label become U+FFFD, and a label that a spreadsheet would run (=1+1) gets "
        "an apostrophe before it.\n\n"
        "A file that this session did not write is replaced only if you agree: y to the question, or force. "
        "Scripts need force. The file of the loaded dataset is never replaced. For a link, the file it leads to "
        "is replaced and keeps its mode.",
    .examples = "synth uniform 500 8; join " EB_TRUE " S=8 trials=1; save neighbours.npz\n"
                "synth uniform 500 8; join " EB_TRUE " S=8 trials=1; save neighbours/ parts=4\n"
                "synth uniform 500 8; join " EB_TRUE " S=8 trials=1; save neighbours.csv force",
    .argument = {OPERAND("file", EB_ARG_FILE, .required = true, .written = true, .help = "file to write, or a folder/"),
                 PARTS_ARGUMENT, FORCE_ARGUMENT})
#include "shell/language/rows/accuracy_rows.h"
#include "shell/language/rows/lab_rows.h"

ROW(runs, "ru", "Log", "log", EB_BACKGROUND | EB_UNLOGGED, .summary = "List the runs in the log, newest first",
    .examples = "runs\n"
                "join " EB_TRUE " eps=1000 trials=1 count; runs engine=" EB_TRUE " limit=5",
    .argument = {OPERAND("text", EB_ARG_TEXT, .help = "only runs whose dataset, engine, command or note contains this"),
                 ARGUMENT("session", RUN_NUMBER, .help = "only runs of this session"),
                 ARGUMENT("engine", EB_ARG_ENGINE, .elsewhere = true, .help = "only runs of this engine, or this spec"),
                 ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50", .help = "longest list")})
ROW(sessions, "ses", "Log", "log", EB_BACKGROUND | EB_UNLOGGED, .summary = "List the sessions in the log, newest first",
    .examples = "sessions\n"
                "sessions limit=5",
    .argument = {ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50", .help = "longest list")})
ROW(targets, "targ", "Log", NULL, EB_BACKGROUND | EB_UNLOGGED, .summary = "List every ε that was tuned, newest first",
    .detail = "The log keeps, for every dataset, each wanted S with its exact ε and its sampled ε.",
    .examples = "tune S=16; targets\n"
                "tune S=16; targets demo limit=5",
    .argument = {OPERAND("text", EB_ARG_TEXT,
                         .help = "only datasets whose name contains this, or whose hash begins with it"),
                 ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50", .help = "longest list")})
ROW(recalls, "recalls", "Log", "lab", EB_BACKGROUND | EB_UNLOGGED,
    .summary = "List recall experiments, show one again, compare two",
    .detail = "The log keeps each experiment of `recall`: every point of its curve, with all trials. Without a number, "
              "lists the "
              "experiments, newest first. With one number, shows that experiment and its curve. With two, compares the "
              "points that both have, by their trials, as `diff` compares runs.",
    .examples = "recall lut=f32,e5m3 nprobe=1,4 queries=50 trials=1; recalls 1\n"
                "synth uniform 1000 8; recall nprobe=2; recall nprobe=2; recalls 1 2",
    .argument = {OPERAND("baseline", RUN_NUMBER, .help = "experiment to show, or to compare with"),
                 OPERAND("experiment", RUN_NUMBER, .help = "experiment to judge"),
                 ARGUMENT("text", EB_ARG_TEXT,
                          .help = "only experiments whose dataset, command or implementation contains this"),
                 ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50", .help = "longest list")})
ROW(precisions, "precisions", "Log", NULL, EB_BACKGROUND | EB_UNLOGGED,
    .summary = "Show which number types were enough for which points",
    .detail =
        "The log keeps each line that `precision` reported. First, for every dataset and ε: the cheapest type that "
        "reached the wanted overlap, and the best of those that cost less. Then all types tried, newest first.\n\n"
        "With rung=, both tables are of types whose name or spec contains it: one type over all datasets and S.",
    .examples = "precision predict S=16; precisions\n"
                "precision predict S=16; precisions rung=INT8 sort=-overlap_predicted",
    .argument = {ARGUMENT("dataset", EB_ARG_TEXT, .elsewhere = true,
                          .help = "only datasets whose name contains this, or whose hash begins with it"),
                 ARGUMENT("rung", EB_ARG_TEXT, .elsewhere = true,
                          .help = "only number types whose name or spec contains this"),
                 ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50", .help = "longest list")})
ROW(show, "sh", "Log", "log", EB_BACKGROUND | EB_UNLOGGED, .summary = "Show all that the log knows of a run",
    .examples = "join " EB_TRUE " eps=1000 trials=1 count; show 1\n"
                "synth uniform 500 8; join " EB_TRUE " S=8 trials=2; show 1",
    .argument = {OPERAND("run", RUN_NUMBER, .required = true, .help = "number of the run, as `runs` lists it")})
ROW(diff, "di", "Log", "log", EB_BACKGROUND | EB_UNLOGGED, .summary = "Compare a run with a baseline run",
    .detail =
        "The trials of both runs give the verdict: SAME, FASTER, SLOWER or UNCLEAR. A warning says if dataset, ε, "
        "device or number of devices differ.\n\n"
        "If the machine's speed is the same in both runs, fewer than one pair of equal runs in a hundred is "
        "called different. UNCLEAR means that more trials would decide; five trials or more decide much sooner.",
    .examples = "join " EB_TRUE " eps=900 count; join " EB_TRUE " eps=1000 count; diff 1 2\n"
                "synth uniform 500 8; join " EB_TRUE " S=8; join " EB_SURE " S=8; diff 1 2",
    .argument = {OPERAND("baseline", RUN_NUMBER, .required = true, .help = "run to compare with"),
                 OPERAND("run", RUN_NUMBER, .required = true, .help = "run to judge")})
ROW(note, "n", "Log", NULL, EB_BACKGROUND, .summary = "Write a note into the log",
    .detail = "The note belongs to the session. With run=N before the text, it belongs to that run.",
    .examples = "note the demo, on battery\n"
                "join " EB_TRUE " eps=1000 trials=1 count; note run=1 with the fan off",
    .argument = {ARGUMENT("run", RUN_NUMBER, .help = "run that the note is about"),
                 OPERAND("text", EB_ARG_REST, .required = true, .help = "the note")})
ROW(export, "ex", "Log", NULL, EB_UNLOGGED, .summary = "Write the log, or a session's report, to a file",
    .detail = "The end of the name decides. .html and .md: a session's report to hand on, with machine, data, answers, "
              "tables and pictures; the page needs no network. .csv (a row per trial), .json, .sql: the log. .eb: a "
              "session's commands as a script for epsbench -f. `save` says when an existing file is replaced.",
    .examples = "tune S=64; export report.html\n"
                "export runs.csv session=1\n"
                "export commands.eb",
    .argument = {OPERAND("file", EB_ARG_FILE, .required = true, .written = true, .help = "file to write"),
                 ARGUMENT("session", RUN_NUMBER, .fallback = "the whole log; for .html, .md, .eb this session",
                          .help = "number of the session"),
                 FORCE_ARGUMENT})
ROW(sql, "sq", "Log", NULL, EB_UNLOGGED, .summary = "Ask the log with a SELECT of SQLite",
    .detail = "The log is only read. epsbench-log(5) explains its views; begin with v_runs. As in SQLite's shell, "
              ".tables lists views and tables, .schema NAME shows the definition of one, and .schema those of all.",
    .examples = "sql .tables\n"
                "sql limit=5 SELECT * FROM v_runs\n"
                "sql SELECT engine, count(*) FROM v_runs GROUP BY engine",
    .argument = {ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "1000", .help = "most rows"),
                 OPERAND("select", EB_ARG_REST, .required = true, .choices = ".tables|.schema",
                         .help = "one SELECT, or WITH; or .tables, .schema [NAME]")})
ROW(replay, "re", "Log", NULL, EB_UNLOGGED, .summary = "Run a session's successful commands again",
    .detail = "The commands are logged as part of this session. The first failure ends the replay.",
    .examples = "replay 1\n"
                "note a line to repeat; replay session=1",
    .argument = {
        OPERAND("session", RUN_NUMBER, .required = true, .help = "number of the session, as `sessions` lists it")})
ROW(set, "set", "Shell", NULL, EB_BACKGROUND, .summary = "Show or change the settings",
    .detail = "Without arguments, shows all settings. NAME VALUE and NAME=VALUE are the same. With keep, the settings "
              "are also written to $XDG_CONFIG_HOME/epsbench/config, from which the workbench and the prompt start.",
    .examples = "set\n"
                "set trials=5 threads=2\n"
                "set " EB_FAST ".preset=paper",
    .argument =
        {ARGUMENT("device", EB_ARG_DEVICE,
                  .help = "device that engines run on; several GPUs as one: cuda:0,1 or cuda:all"),
         ARGUMENT("threads", EB_ARG_INTEGER, .min = 1, .max = 1024, .help = "host threads"),
         ARGUMENT("trials", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_TRIALS, .help = "measured repetitions of a run"),
         ARGUMENT("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .help = "seed of synth and of sampling"),
         ARGUMENT("tensor", EB_ARG_OPTION, .choices = EB_FAST ".tensor",
                  .help = "short for " EB_FAST ".tensor: tensor core to emulate on the CPU"),
         ARGUMENT("preset", EB_ARG_OPTION, .choices = EB_FAST ".preset",
                  .help = "short for " EB_FAST ".preset: switches of " EB_FAST " on a GPU"),
         ARGUMENT("memory", EB_ARG_SIZE, .min = 1 << 20, .max = 1e18,
                  .help = "limit of host memory for neighbour tables and, on the CPU, the engine's points together"),
         ARGUMENT("gpu_memory", EB_ARG_SIZE, .max = 1e18, .fallback = "the memory that is free there",
                  .help = "limit of an engine's memory on a GPU; larger datasets are streamed by blocks; 0: no limit"),
         ARGUMENT(
             "ranks_hold", EB_ARG_CHOICE, .choices = EB_HOLDINGS,
             .help = "points in each of several ranks: all, or a block of them; auto: a block if all exceed memory"),
         ARGUMENT("log_columns", EB_ARG_TEXT,
                  .help = "columns of the workbench's list of runs, such as run,dataset,engine,kernels"),
         ARGUMENT(
             "theme", EB_ARG_CHOICE, .choices = EB_THEMES,
             .help = "colours of the workbench: for a dark or a light background; mono: none; auto: ask the terminal"),
         ARGUMENT("keep", EB_ARG_FLAG, .help = "also write these settings to the config file"),
         OPERAND("default", EB_ARG_DEFAULT, .repeated = true,
                 .help = "default for an option of an engine, such as " EB_FAST ".preset=paper")})
ROW(source, "so", "Shell", NULL, EB_IMMEDIATE | EB_UNLOGGED, .summary = "Run the commands of a file",
    .detail = "Works like epsbench -f, in this session: each command is logged, and the first failure stops. The file "
              "must be a regular file of at most 64 MiB; for pipes there is -f.\n\n"
              "With step, each line is shown and waits. Enter runs it, c runs the rest, q stops. Meanwhile other "
              "commands can be typed.",
    .examples = "note for the script; export commands.eb; source commands.eb\n"
                "note for the script; export commands.eb; source commands.eb step",
    .argument = {OPERAND("file", EB_ARG_FILE, .required = true, .help = "file of commands, one per line"),
                 ARGUMENT("step", EB_ARG_FLAG, .help = "wait for Enter before each line, on a terminal")})
ROW(pause, "pau", "Shell", NULL, EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Wait for Enter, for scripts that show something",
    .detail =
        "In the workbench and at the prompt, Enter goes on and q stops the script. Meanwhile other commands can be "
        "typed. Without a terminal, the command does nothing.",
    .examples = "pause\n"
                "pause now look at the histogram",
    .argument = {OPERAND("text", EB_ARG_REST, .fallback = "paused", .help = "text to show meanwhile")})
ROW(timer, "ti", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Show how long each command takes",
    .examples = "timer\n"
                "timer on; info; timer off",
    .argument = {
        OPERAND("state", EB_ARG_CHOICE, .choices = "on|off", .fallback = "shows the state", .help = "new state")})
ROW(watch, "w", "Shell", NULL, EB_IMMEDIATE | EB_UNLOGGED, .summary = "Repeat a command until Ctrl-C",
    .detail = "Waits SECONDS after each end. The first failure stops the repetition. Quotes hold several commands "
              "together.",
    .examples = "watch times=2 0.1 devices\n"
                "watch times=2 0.1 'runs; devices'",
    .argument = {OPERAND("seconds", EB_ARG_NUMBER, .required = true, .max = 86400, .unit = "seconds",
                         .help = "pause between two repetitions"),
                 ARGUMENT("times", EB_ARG_INTEGER, .min = 1, .max = 1e9, .fallback = "until Ctrl-C",
                          .help = "number of repetitions"),
                 OPERAND("command", EB_ARG_REST, .required = true, .help = "command to repeat")})
ROW(mode, "mode", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Choose how reports are printed",
    .detail = "json, csv and markdown are for programs. In csv, control characters in a text become U+FFFD, and a text "
              "that a spreadsheet would run (=1+1, @SUM) gets an apostrophe before it. Numbers stay as they are.",
    .examples = "mode\n"
                "mode markdown; info; mode text",
    .argument = {OPERAND("form", EB_ARG_CHOICE, .choices = "text|json|csv|markdown", .fallback = "shows the mode",
                         .help = "form of the reports")})
ROW(echo, "ec", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Print a text, for scripts that explain themselves",
    .detail = "In double quotes, \\n begins a new line.",
    .examples = "echo now the stars; load demo:stars\n"
                "echo \"one line\\nanother line\"",
    .argument = {OPERAND("text", EB_ARG_REST, .required = true, .help = "text to print")})
ROW(panel, "pan", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Bring a panel of the workbench to the front",
    .detail = "The keys F2 to F10 do the same. The plain prompt has no panels.",
    .examples = "panel tune\n"
                "panel log",
    .argument = {OPERAND("name", EB_ARG_CHOICE, .required = true,
                         .choices = "data|tune|compare|accuracy|precision|counters|lab|log|lesson",
                         .help = "panel to show")})
ROW(dump, "du", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Write the workbench's screen as text or as a picture",
    .detail = "A file whose name ends in .svg gets a picture in colours, in which the order of the tiles, if visible, "
              "is animated. Any other file "
              "gets text. The plain prompt has no screen. An existing file is replaced under the same conditions as in "
              "`save`.",
    .examples = "dump screen.txt\n"
                "dump screen.svg force",
    .argument = {OPERAND("file", EB_ARG_FILE, .required = true, .written = true, .help = "file to write"),
                 FORCE_ARGUMENT})
#include "shell/language/rows/picture_rows.h"
ROW(queue, "que", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "List the lines that wait while a command runs, or drop some",
    .detail =
        "In the workbench, a line that is entered while a command runs waits. It keeps the settings of the moment "
        "it was entered. Commands that need no engine are answered at once, such as help, info, runs, sessions, "
        "show, diff, note, set, messages and dump. Ctrl-C stops the running command; then the workbench asks "
        "whether the waiting lines shall run.",
    .examples = "queue\n"
                "queue clear",
    .argument = {ARGUMENT("drop", EB_ARG_INTEGER, .min = 1, .max = 1e9, .help = "number of a line to drop"),
                 ARGUMENT("clear", EB_ARG_FLAG, .help = "drop all lines")})
ROW(messages, "me", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Show what was said: errors, warnings, notes, in full",
    .detail = "The newest message comes first. The workbench's message line shows only the beginning of a message.",
    .examples = "messages\n"
                "messages limit=5",
    .argument = {ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 500, .fallback = "50", .help = "longest list")})
ROW(help, "he", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "List the commands, explain one, an engine, a term, or search",
    .detail = "Without a topic, shows the commands to begin with. `help all` lists every command with a line on each. "
              "`help terms` explains all words on the screens; ? in the workbench explains those of the panel. Any "
              "other words are searched for in commands, engines, formats, terms and lessons.",
    .examples = "help tune\n"
                "help derived rate\n"
                "help histogram",
    .argument = {OPERAND("topic", EB_ARG_TOPIC, .help = "command, engine or term to explain, or words to search for")})
ROW(quit, "q", "Shell", NULL, EB_IMMEDIATE | EB_UNLOGGED, .also = "exit|\\q", .summary = "Leave",
    .detail = "exit, \\q and Ctrl-D do the same.", .examples = "quit")
