/* command_rows: a row a command, in the order of `help` and of the manual: ROW(name, shortest prefix promised, group,
 * panel, flags, the rest of eb_command). Its handler is eb_cmd_NAME. Included where ROW says what is made of it.
 */
ROW(load, "lo", "Data", "data", 0, .summary = "Load a dataset",
    .detail =
        "Reads what `formats` lists, each also as .gz: .fvecs .bvecs .ivecs, .fbin .u8bin .i8bin .ibin, .npy (64-bit "
        "integers where FP64 holds them exactly), .npz, HDF5 and MATLAB (FILE:/path names what is inside), CSV, TSV, "
        "Parquet and Arrow (by the pyarrow package), LIBSVM and IDX. demo is 4000 pictures of clothes in 784 "
        "dimensions, demo:stars is 100000 star positions on the unit sphere; both are in the program. `load - "
        "format=F` reads the standard input, where that is neither the terminal nor where commands come from. Points "
        "keep their stored type; NaN and infinities are refused. Once the file changes, commands that read the points "
        "refuse, until it is loaded again. Of a table, columns= says which columns are coordinates, by name or counted "
        "from 0 (columns=0..3,7), and label= which one says what the points are called; it is shown with them and "
        "saved with their neighbours. A value is missing where a cell is empty or NA, N/A, #N/A, NaN, null, none, ?, - "
        "or a dot: missing=refuse, the default, names the first; drop leaves its row out, so that points are counted "
        "without it; mean fills in the mean of its column. scale= brings coordinates to one size, as scikit-learn "
        "does: standard, less the mean and over the deviation; minmax, from 0 to 1; a constant one becomes 0. queries= "
        "loads a query set beside the points, of their d and type, and truth= its true neighbours: big-ann-benchmarks' "
        ".ibin or .bin (queries, k, ids, and distances where there are any), or a matrix of ids, .ivecs, .npy, "
        "x.hdf5:/neighbors. Ids are rows counted from 0; FP64 verifies that each neighbour is as far as the one before "
        "it or farther, and as far as stated, squared or not, within what sums in FP32 may be off. ann-benchmarks' "
        "HDF5 files bring test and neighbors along by themselves, where their distance is Euclid's; FILE:/train loads "
        "the points alone. What is chosen so is part of the dataset's name in the log, and its hash is that of the "
        "points that come of it.",
    .example = "load demo:stars",
    .argument = {OPERAND("what", EB_ARG_DATASET, .required = true, .help = "what to load"),
                 ARGUMENT("header", EB_ARG_CHOICE, .choices = "yes|no", .fallback = "yes where it has no number in it",
                          .help = "whether a text's first line is one of names"),
                 ARGUMENT("format", EB_ARG_FORMAT, .fallback = "by the name's end",
                          .help = "what the file is, as csv; `formats` lists them"),
                 ARGUMENT("columns", EB_ARG_COLUMNS, .fallback = "all but the label",
                          .help = "a table's columns that are coordinates, as 0..3,7 or x,y"),
                 ARGUMENT("label", EB_ARG_COLUMN, .fallback = "none", .help = "the column of what points are called"),
                 ARGUMENT("missing", EB_ARG_CHOICE, .choices = "refuse|drop|mean", .fallback = "refuse",
                          .help = "what becomes of a row with a missing value"),
                 ARGUMENT("scale", EB_ARG_CHOICE, .choices = "none|standard|minmax", .fallback = "none",
                          .help = "what brings coordinates to one size"),
                 ARGUMENT("queries", EB_ARG_DATASET, .fallback = "what ann-benchmarks' files have",
                          .help = "a query set, beside the points"),
                 ARGUMENT("truth", EB_ARG_FILE, .fallback = "what ann-benchmarks' files have",
                          .help = "the queries' true neighbours, rows of the points, nearest first")})
ROW(synth, "sy", "Data", "data", 0, .summary = "Make a synthetic dataset",
    .detail =
        "n points in d dimensions. Coordinates drawn one by one: uniform on [0,1), exponential with rate 40, gaussian "
        "with mean 0 and variance 1; with type=f64 the first two are what TED-Join's Tables I and II are made of, none "
        "of their coordinates beyond 1. Points that lie as measured ones do: clusters around 256 centres; a sphere, "
        "like stars; a coast, closed curves over a globe's degrees; a terrain, whole numbers measured on four maps. "
        "The same seed gives the same points everywhere; those in FP32 are those in FP64, rounded.",
    .example = "synth uniform 2000 16 7",
    .argument =
        {OPERAND("kind", EB_ARG_CHOICE, .required = true, .choices = EB_SYNTH_CHOICES, .help = "how the points lie"),
         OPERAND("n", EB_ARG_INTEGER, .required = true, .min = 1, .max = EB_MAX_POINTS, .help = "number of points"),
         OPERAND("d", EB_ARG_INTEGER, .required = true, .min = 1, .max = EB_MAX_DIMENSIONS, .help = "dimensions"),
         OPERAND("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .fallback = "as set", .help = "seed of the generator"),
         ARGUMENT("type", EB_ARG_CHOICE, .choices = "f32|f64", .fallback = "f32", .help = "of the coordinates")})
ROW(info, "i", "Data", "data", EB_NEEDS_DATASET, .summary = "Describe the dataset",
    .detail = "Shape, type, range, norms, duplicates, whether FP16 holds the points (overflow, subnormals, rounding), "
              "the memory each engine needs, and how often values occur.",
    .example = "info")
ROW(project, "pr", "Data", "data", EB_NEEDS_DATASET, .summary = "Draw the points along their first two principal axes",
    .detail = "The axes in which an evenly spaced sample of at most 4096 points differs most, fewer where there are "
              "thousands of dimensions, and the share of the variance along each.",
    .example = "project points=500",
    .argument = {ARGUMENT("points", EB_ARG_INTEGER, .min = 1, .max = EB_PROJECTION_POINTS,
                          .fallback = "as many as are cheap", .help = "points to sample, at most")})
ROW(files, "f", "Data", "data", EB_UNLOGGED, .summary = "List the files of a folder that load could read",
    .detail = "By the ends of their names; shape and type where a header tells them at no cost, and why load would "
              "refuse a file as far as the header shows. At most 1000.",
    .example = "files",
    .argument = {OPERAND("folder", EB_ARG_FILE, .fallback = "the working folder", .help = "folder to look into")})
ROW(formats, "fo", "Data", NULL, EB_UNLOGGED, .summary = "List the formats that load reads",
    .detail =
        "By the ends of names; each also as .gz. What has things with names inside is loaded as FILE:/NAME; a table "
        "has columns=, label= and missing=. Why not: the library that is missing, and how to get it.",
    .example = "formats")
ROW(datasets, "da", "Data", "data", EB_UNLOGGED, .summary = "List what could be loaded: built in, here, used lately",
    .detail =
        "The built-in sets, the files of the working folder and of its folder examples that load, and the sets of "
        "the log's newest runs, each with the line that loads it. A table of which some columns are text is "
        "loaded with the first of them as label=.",
    .example = "datasets")
ROW(engines, "en", "Data", NULL, EB_UNLOGGED, .summary = "List the engines, and why some cannot run here",
    .example = "engines")
ROW(devices, "de", "Data", NULL, EB_UNLOGGED, .summary = "List the devices engines can run on",
    .detail = "Of a GPU also the limits: what its tensor and FP64 units, its memory and its link to the host reach at "
              "best. They are measured when the GPU is first the device that is set, and kept in the log; measure "
              "does it anew, for all GPUs. Reports show rates as a share of their limit.",
    .example = "devices", .argument = {ARGUMENT("measure", EB_ARG_FLAG, .help = "measure the limits of every GPU now")})
ROW(tune, "tu", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Find the ε that gives each wanted selectivity",
    .detail = "Samples the S(ε) curve, brackets every target, then makes one exact pass for all of them: the answer "
              "is the smallest ε with S(ε) ≥ target. A bracket that misses costs a second pass. The last target's ε "
              "becomes the default of join, compare and accuracy. Other targets, one kind at a time: pairs, the least "
              "|R|; elbow, where the k-distance curve bends (`kdistance`), sampled; noise, the smallest ε, to a "
              "thousandth, at which DBSCAN leaves at most this share of the points as noise, counted exactly.",
    .example = "tune S=64,128",
    .argument = {OPERAND("S", EB_ARG_NUMBERS, .above = true, .max = EB_MAX_POINTS,
                         .help = "wanted mean numbers of other points within ε"),
                 ARGUMENT("pairs", EB_ARG_NUMBERS, .above = true, .max = 1e15,
                          .help = "wanted numbers of pairs |R|, self pairs among them"),
                 ARGUMENT("elbow", EB_ARG_FLAG, .help = "ε at the elbow of the k-distance curve, k = minpts"),
                 ARGUMENT("noise", EB_ARG_SHARE, .max = 1, .help = "greatest share of noise, as 5%"),
                 MIN_POINTS_ARGUMENT, TRUTH_ENGINE_ARGUMENT, QUERIES_ARGUMENT})
ROW(curve, "cu", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Sample the S(ε) curve, without an exact pass",
    .detail = "The distances of some points to all others give S(ε) with its 95 % interval. Points are asked more "
              "often where it is crowded; a note says where few of them carry S, so that the interval may be too "
              "narrow. tune and sweep use the same curve; it is sampled once for a dataset, and anew when queries is "
              "given.",
    .example = "curve queries=200", .argument = {QUERIES_ARGUMENT, TRUTH_ENGINE_ARGUMENT})
ROW(sweep, "sw", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Compute the exact S(ε) curve over a range",
    .detail =
        "Give either a range of ε or a range of S. Points are spaced evenly in log ε; one exact pass counts them all.",
    .example = "sweep S=16..128 points=9",
    .argument = {ARGUMENT("eps", EB_ARG_RANGE, .max = DBL_MAX, .help = "from ε to ε"),
                 ARGUMENT("S", EB_ARG_RANGE, .max = EB_MAX_POINTS, .help = "from selectivity to selectivity"),
                 ARGUMENT("points", EB_ARG_INTEGER, .min = 2, .max = 10000, .fallback = "17",
                          .help = "points of the curve, both ends included"),
                 TRUTH_ENGINE_ARGUMENT})
ROW(kdistance, "k", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Draw the k-distance curve with its elbow",
    .detail = "For some points, sampled as the S(ε) curve's are, the ε from which on they are core: minpts points, the "
              "point itself among them, within ε. Sorted, they bend where a crowd ends: the elbow is where the curve, "
              "both axes brought to 0 to 1, is farthest below the line from end to end (Kneedle). `tune elbow` takes "
              "that ε.",
    .example = "kdistance minpts=8", .argument = {MIN_POINTS_ARGUMENT, QUERIES_ARGUMENT, TRUTH_ENGINE_ARGUMENT})
ROW(clusters, "cl", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Count clusters and noise along a range of ε",
    .detail = "At each ε of a grid, spaced evenly in log ε, what DBSCAN finds with this minpts: clusters, core points, "
              "noise, and the connected components of all that lies within ε. Exact; the pairs of two joins, one for "
              "minpts up to 2, stream through and are not kept. Where the count stays the same for long, the answer "
              "does not hang on ε. Without a range: from where 2 % of the points are core to beyond where 98 % are, "
              "sampled.",
    .example = "synth clusters 2000 4; clusters eps=0.05..0.5 minpts=5 points=9",
    .argument = {ARGUMENT("eps", EB_ARG_RANGE, .max = DBL_MAX, .fallback = "where the k-distances are",
                          .help = "from ε to ε"),
                 MIN_POINTS_ARGUMENT,
                 ARGUMENT("points", EB_ARG_INTEGER, .min = 2, .max = 1000, .fallback = "25",
                          .help = "points of the grid, both ends included"),
                 TRUTH_ENGINE_ARGUMENT})
ROW(dbscan, "db", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Label the points by DBSCAN at one ε",
    .detail = "Core points have minpts points, themselves counted, within ε, as scikit-learn's min_samples; clusters "
              "are numbered by their first core point, and a border point goes to the first cluster that reaches it: "
              "the labels are scikit-learn's to the point. Two joins stream through, nothing of the neighbour table "
              "is kept. A file gets the labels: .npy (int32, noise is -1) or .csv.",
    .example = "synth clusters 2000 4; dbscan eps=0.2 minpts=5 labels.npy",
    .argument = {OPERAND("file", EB_ARG_FILE, .written = true, .help = "file for the labels: .npy .csv"), EPS_ARGUMENT,
                 S_ARGUMENT, MIN_POINTS_ARGUMENT, TRUTH_ENGINE_ARGUMENT, FORCE_ARGUMENT})
ROW(neighbours, "ne", "Radius", "tune", EB_NEEDS_DATASET,
    .summary = "List a point's neighbours, or count every point's",
    .detail =
        "Of one point: its neighbours within ε, nearest first (of equal squared distances the smaller number), with "
        "their labels where the dataset has some, the point itself left out. Without a point: how many points have how "
        "many neighbours, exactly, as a histogram.",
    .example = "neighbours 17 eps=1500",
    .argument = {OPERAND("point", EB_ARG_INTEGER, .max = EB_MAX_POINTS, .fallback = "all: a histogram",
                         .help = "the point, counted from 0"),
                 EPS_ARGUMENT, S_ARGUMENT,
                 ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_POINTS, .fallback = "20",
                          .help = "how many to list"),
                 TRUTH_ENGINE_ARGUMENT})
ROW(knn, "kn", "Radius", NULL, EB_NEEDS_DATASET, .summary = "Find the k nearest of a point, of some, of all",
    .detail =
        "Exact by the distances of the engine that finds them, " EB_SURE " where none is named; of points "
        "with equal squared distances the smaller number is nearer. Without a point all are looked for, none its own "
        "neighbour; queries=N "
        "draws rows and takes them out, as `recall` does. Where a query set was loaded it is that which is looked for, "
        "all of it or its first queries=; the recall is of true neighbours loaded with it, k or more of each, and an "
        "engine that is the truth tells whether they are the nearest. Each gets a radius, from a sample and from a few "
        "whose distances to all points are computed; groups of like radii are joined, and those that found fewer than "
        "k are asked again. Of an engine that is no truth the recall is told: which share of what it found, of some "
        "queries, is as near as the truth's k-th. A file gets them all: .ivecs (ids), .ibin (big-ann's ground truth: "
        "ids, and distances, not squares, in FP32) or .csv. A query may have fewer than k where the engine finds no "
        "more at any ε: an index of lists looks at some of them only, and a distance that overflows is none. A note "
        "says how many have fewer; a file keeps k places a query, with the id -1 and the distance inf (.csv: empty "
        "cells) in those "
        "that are left; JSON has null.",
    .example = "knn 17 k=5; knn queries=100",
    .argument = {OPERAND("engine", EB_ARG_ENGINE, .fallback = EB_SURE, .help = "engine whose distances decide"),
                 OPERAND("point", EB_ARG_INTEGER, .max = EB_MAX_POINTS, .fallback = "all",
                         .help = "the point whose nearest are wanted, counted from 0"),
                 ARGUMENT("k", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_POINTS, .fallback = "10",
                          .help = "how many nearest"),
                 ARGUMENT("queries", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_POINTS,
                          .fallback = "all points, or all of a query set",
                          .help = "rows to take out and look for; of a loaded query set, its first"),
                 ARGUMENT("rows", EB_ARG_FLAG, .help = "look for rows though a query set was loaded"),
                 ARGUMENT("check", EB_ARG_INTEGER, .max = EB_MAX_POINTS, .fallback = "100 of an approximate engine's",
                          .help = "queries whose nearest are held against the truth's"),
                 ARGUMENT("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .fallback = "as set",
                          .help = "seed of queries and sample"),
                 ARGUMENT("save", EB_ARG_FILE, .written = true, .help = "file for the nearest: .ivecs .ibin .csv"),
                 FORCE_ARGUMENT})
ROW(join, "j", "Runs", "compare", EB_NEEDS_DATASET, .summary = "Run one engine: every pair within ε",
    .detail =
        "Warms up, with a whole pass where that takes half a second or less, else with a quarter of a second of "
        "one, as a note then says; runs the trials, end to end each, and keeps every one in the log. The neighbour "
        "table is built too unless count is given; one larger than the memory limit goes to the file in batches, or "
        "is counted only. Told as well: by how much rounding to FP16 moves the points, with a warning from an "
        "eighth of ε on; and, by a whole warm-up, how many pairs FP64 itself cannot decide, found and left out, "
        "because the bound on its own rounding reaches across ε. distances=none keeps who is near and not how "
        "near, a third of the table; undecided pairs are not told then. " EB_TIMES_LONG EB_PUBLISHED_LONG,
    .example = "join " EB_TRUE " S=64 trials=1",
    .argument = {OPERAND("engine", EB_ARG_ENGINE, .required = true, .help = "engine to run"), EPS_ARGUMENT, S_ARGUMENT,
                 TRIALS_ARGUMENT, WARM_UP_ARGUMENT,
                 ARGUMENT("count", EB_ARG_FLAG, .help = "count the pairs, build no table"), DISTANCES_ARGUMENT,
                 ARGUMENT("save", EB_ARG_FILE, .written = true,
                          .help = "write the neighbour table: .npz .ivecs .csv .h5 .range"),
                 FORCE_ARGUMENT})
ROW(save, "sa", "Runs", NULL, EB_NEEDS_DATASET, .summary = "Write the last join's neighbour table",
    .detail =
        "The format follows the name: .npz (scipy CSR), .ivecs, .csv, .h5 or .hdf5, .range (big-ann range ground "
        "truth). .npz, .h5 and .csv say where the table comes from (program, command, ε, engine and options, the "
        "dataset and its hash: the member provenance, attributes, comments) and keep labels; in .csv control "
        "characters "
        "in a label become U+FFFD, and one that a spreadsheet would run (=1+1) gets an apostrophe before it. A table "
        "that did not fit "
        "in memory is computed again and written as it comes. The file appears only when it is complete. A file that "
        "is there already and that this session did not write is replaced when you say so: y to the question, or "
        "force; in a script, force. The loaded dataset's own file never is. A link is followed: the file it leads to "
        "is replaced, and keeps its mode.",
    .example = "synth uniform 500 8; join " EB_TRUE " S=8 trials=1; save neighbours.npz",
    .argument = {OPERAND("file", EB_ARG_FILE, .required = true, .written = true, .help = "file to write"),
                 FORCE_ARGUMENT})
ROW(compare, "com", "Runs", "compare", EB_NEEDS_DATASET,
    .summary = "Run engines side by side: a fast one beside the truth",
    .detail = "Times, rates and pairs side by side; overlap of the results (FASTED, Eq. 3), distance error, its "
              "histogram, and the pairs nearest to ε with both verdicts. Each engine is measured against the most "
              "exact one: the truth, else a certified one, among equals the last. Where all that are named are "
              "approximate, " EB_SURE
              " runs as well. With distances=f32 the tables of engines whose own are FP32 keep them as FP32. "
              "An engine that is emulated on the CPU is measured once unless trials is given: its time is not a GPU's. "
              "Warnings and undecided pairs as with `join`. Times: " EB_TIMES_BRIEF ".",
    .example = "synth gaussian 1000 64; compare " EB_FAST " " EB_TRUE " S=16",
    .argument = {OPERAND("fast", EB_ARG_ENGINE, .fallback = EB_FAST, .help = "engine under test"),
                 OPERAND("truth", EB_ARG_ENGINE, .fallback = "in the list before, or " EB_SURE,
                         .help = "engine it is measured against"),
                 OPERAND("more", EB_ARG_ENGINE, .repeated = true, .help = "further engines"), EPS_ARGUMENT, S_ARGUMENT,
                 TRIALS_ARGUMENT, WARM_UP_ARGUMENT, DISTANCES_ARGUMENT, SELF_ARGUMENT("out")})
ROW(accuracy, "ac", "Runs", "accuracy", 0, .summary = "Show overlap and distance error of the last comparison",
    .detail = "With self=in as in FASTED's Tables 7 and 8: every point is its own neighbour, errors are over ordered "
              "pairs, (i, i) among them, and a distance to oneself is what the engine's arithmetic gives: FASTED's "
              "s + s - 2a need not be 0, below 0 it is 0. The authors printed distances with 6 digits; here none are "
              "lost.",
    .example = "synth gaussian 1000 64; compare " EB_FAST " " EB_TRUE " S=16 trials=1; accuracy self=in",
    .argument = {COMPARED_ARGUMENT, SELF_ARGUMENT("as compared")})
ROW(hist, "hi", "Runs", "accuracy", 0, .summary = "Draw the distance errors of the last comparison",
    .example = "synth gaussian 1000 64; compare " EB_FAST " " EB_TRUE " S=16 trials=1; hist bins=100 log",
    .argument = {ARGUMENT("bins", EB_ARG_INTEGER, .min = 10, .max = 100000, .fallback = "200",
                          .help = "bins of the histogram"),
                 ARGUMENT("log", EB_ARG_FLAG, .help = "draw the counts on a logarithmic axis"), COMPARED_ARGUMENT,
                 SELF_ARGUMENT("as compared")})
#include "shell/language/lab_rows.h"

ROW(runs, "ru", "Log", "log", EB_BACKGROUND | EB_UNLOGGED, .summary = "List the runs in the log, newest first",
    .example = "join " EB_TRUE " eps=1000 trials=1 count; runs engine=" EB_TRUE " limit=5",
    .argument = {OPERAND("text", EB_ARG_TEXT, .help = "only runs whose dataset, engine, command or note contains this"),
                 ARGUMENT("session", RUN_NUMBER, .help = "only this session's"),
                 ARGUMENT("engine", EB_ARG_ENGINE, .elsewhere = true, .help = "only this engine's, or this spec's"),
                 ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50", .help = "how many")})
ROW(sessions, "ses", "Log", "log", EB_BACKGROUND | EB_UNLOGGED, .summary = "List the sessions in the log, newest first",
    .example = "sessions",
    .argument = {ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50", .help = "how many")})
ROW(targets, "targ", "Log", NULL, EB_BACKGROUND | EB_UNLOGGED, .summary = "List every ε that was tuned, newest first",
    .detail = "What the log remembers: the S that was wanted, its ε, exact and as it was sampled, of every dataset.",
    .example = "tune S=16; targets demo limit=5",
    .argument = {OPERAND("text", EB_ARG_TEXT,
                         .help = "only of datasets whose name contains this, or whose hash begins so"),
                 ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50", .help = "how many")})
ROW(recalls, "recalls", "Log", "lab", EB_BACKGROUND | EB_UNLOGGED,
    .summary = "List the recall measured, show one again, compare two",
    .detail = "Every point of `recall` goes into the log as it ends, with all its trials. Without a number lists the "
              "experiments, newest first; with one shows all that the log knows of it, as the curve it was; with two "
              "compares the points that both have, by their trials, as `diff` compares runs.",
    .example = "recall lut=f32,e5m3 nprobe=1,4 queries=50 trials=1; recalls 1",
    .argument = {OPERAND("baseline", RUN_NUMBER, .help = "the experiment to show, or to compare with"),
                 OPERAND("experiment", RUN_NUMBER, .help = "the experiment to judge"),
                 ARGUMENT("text", EB_ARG_TEXT,
                          .help = "only those whose dataset, command or implementation contains this"),
                 ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "50", .help = "how many")})
ROW(show, "sh", "Log", "log", EB_BACKGROUND | EB_UNLOGGED, .summary = "Show all that the log knows of a run",
    .example = "join " EB_TRUE " eps=1000 trials=1 count; show 1",
    .argument = {OPERAND("run", RUN_NUMBER, .required = true, .help = "number of the run")})
ROW(diff, "di", "Log", "log", EB_BACKGROUND | EB_UNLOGGED, .summary = "Compare a run with a baseline run",
    .detail =
        "Says SAME, FASTER, SLOWER or UNCLEAR from the trials of both, and warns when dataset, ε or device differ. "
        "Where the machine is as fast in one run as in the next, less than one pair of equal runs in a hundred is "
        "called different; UNCLEAR means that more trials would tell, from five on much sooner.",
    .example = "join " EB_TRUE " eps=900 count; join " EB_TRUE " eps=1000 count; diff 1 2",
    .argument = {OPERAND("baseline", RUN_NUMBER, .required = true, .help = "run to compare with"),
                 OPERAND("run", RUN_NUMBER, .required = true, .help = "run to judge")})
ROW(note, "n", "Log", NULL, EB_BACKGROUND, .summary = "Write a note into the log",
    .detail = "The note belongs to the session, or to a run with run=N before the text.",
    .example = "note the demo, on battery",
    .argument = {ARGUMENT("run", RUN_NUMBER, .help = "run the note is about"),
                 OPERAND("text", EB_ARG_REST, .required = true, .help = "the note")})
ROW(export, "ex", "Log", NULL, EB_UNLOGGED, .summary = "Write the log, or one session of it, to a file",
    .detail = "By extension: .csv (one row per trial), .json, .sql, or .eb (the session's commands, a script for "
              "epsbench -f). What is there already is replaced as save does it.",
    .example = "export session.json",
    .argument = {OPERAND("file", EB_ARG_FILE, .required = true, .written = true, .help = "file to write"),
                 ARGUMENT("session", RUN_NUMBER, .fallback = "the whole log; for .eb this session",
                          .help = "number of the session"),
                 FORCE_ARGUMENT})
ROW(sql, "sq", "Log", NULL, EB_UNLOGGED, .summary = "Ask the log with a SELECT of SQLite",
    .detail =
        "The log is only read. Its views, v_runs first, are explained in epsbench-log(5). As in SQLite's own shell, "
        ".tables names the views and tables, .schema NAME shows how one is defined, .schema all of them.",
    .example = "join " EB_TRUE " eps=1000 trials=1 count; sql SELECT engine, count(*) FROM v_runs GROUP BY engine",
    .argument = {ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "1000", .help = "rows at most"),
                 OPERAND("select", EB_ARG_REST, .required = true, .choices = ".tables|.schema",
                         .help = "one SELECT, or WITH; or .tables, .schema [NAME]")})
ROW(replay, "re", "Log", NULL, EB_UNLOGGED, .summary = "Run a session's successful commands again",
    .detail = "They go into the log as part of this session. Replaying stops at the first failure.",
    .example = "replay 1",
    .argument = {OPERAND("session", RUN_NUMBER, .required = true, .help = "number of the session")})
ROW(set, "set", "Shell", NULL, EB_BACKGROUND, .summary = "Show or change the settings",
    .detail = "Without arguments shows them all. NAME VALUE and NAME=VALUE are the same. With keep they are what the "
              "workbench and the prompt begin with from now on: lines of $XDG_CONFIG_HOME/epsbench/config.",
    .example = "set trials=5 tensor=sm_80",
    .argument = {
        ARGUMENT("device", EB_ARG_DEVICE, .help = "where engines run"),
        ARGUMENT("threads", EB_ARG_INTEGER, .min = 1, .max = 1024, .help = "host threads"),
        ARGUMENT("trials", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_TRIALS, .help = "measured repetitions of a run"),
        ARGUMENT("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .help = "seed of synth and of sampling"),
        ARGUMENT("tensor", EB_ARG_OPTION, .choices = EB_FAST ".tensor",
                 .help = "short for " EB_FAST ".tensor: the tensor core emulated on the CPU"),
        ARGUMENT("preset", EB_ARG_OPTION, .choices = EB_FAST ".preset",
                 .help = "short for " EB_FAST ".preset: its optimisations on a GPU, then +switch or -switch"),
        ARGUMENT("memory", EB_ARG_SIZE, .min = 1 << 20, .max = 1e18, .unit = "bytes",
                 .help = "limit of neighbour tables and, on the CPU, the engine's points, together, as 512M or 4GiB"),
        ARGUMENT("gpu_memory", EB_ARG_SIZE, .max = 1e18, .unit = "bytes", .fallback = "what is free there",
                 .help = "limit of what engines take on a GPU; a dataset beyond it is streamed by blocks; 0: none"),
        ARGUMENT("log_columns", EB_ARG_TEXT,
                 .help = "what the workbench lists of a run, in that order, as run,dataset,engine,kernels"),
        ARGUMENT("theme", EB_ARG_CHOICE, .choices = EB_THEMES,
                 .help = "the workbench's colours: for a dark or a light background, mono: none, auto: as the terminal "
                         "says"),
        ARGUMENT("keep", EB_ARG_FLAG, .help = "in the config file, too, for the next time"),
        OPERAND("default", EB_ARG_DEFAULT, .repeated = true,
                .help = "ENGINE.OPTION=VALUE: what an engine is given when nothing else is said, as " EB_FAST
                        ".preset=paper")})
ROW(source, "so", "Shell", NULL, EB_IMMEDIATE | EB_UNLOGGED, .summary = "Run the commands of a file",
    .detail =
        "As epsbench -f does, in this session: they go into the log one by one. Stops at the first failure. The file "
        "is a regular one of at most 64 MiB; pipes are for -f. With step each line is shown and waits: Enter runs it, "
        "c the rest, q stops; meanwhile one may look around.",
    .example = "note for the script; export commands.eb; source commands.eb",
    .argument = {OPERAND("file", EB_ARG_FILE, .required = true, .help = "file of commands, a line each"),
                 ARGUMENT("step", EB_ARG_FLAG, .help = "line by line, where there is somebody to go on")})
ROW(pause, "pau", "Shell", NULL, EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Wait for the person, for scripts that show something",
    .detail =
        "In the workbench and at the prompt: Enter goes on, q stops the script; meanwhile one may look around. Where "
        "there is nobody it does nothing.",
    .example = "pause now look at the histogram",
    .argument = {OPERAND("text", EB_ARG_REST, .fallback = "paused", .help = "what to say meanwhile")})
ROW(timer, "ti", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Show how long each command takes", .example = "timer on; info; timer off",
    .argument = {
        OPERAND("state", EB_ARG_CHOICE, .choices = "on|off", .fallback = "shows the state", .help = "on or off")})
ROW(watch, "w", "Shell", NULL, EB_IMMEDIATE | EB_UNLOGGED, .summary = "Repeat a command until Ctrl-C",
    .detail = "Waits SECONDS after each end. Quote the command to repeat several: watch 5 'runs; devices'. Stops at "
              "the first failure. times=N stops after N repetitions.",
    .example = "watch times=2 0.1 devices",
    .argument = {OPERAND("seconds", EB_ARG_NUMBER, .required = true, .max = 86400, .unit = "seconds",
                         .help = "pause between two runs"),
                 ARGUMENT("times", EB_ARG_INTEGER, .min = 1, .max = 1e9, .fallback = "until Ctrl-C",
                          .help = "how often"),
                 OPERAND("command", EB_ARG_REST, .required = true, .help = "what to repeat")})
ROW(mode, "mode", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Choose how reports are printed",
    .detail = "In csv control characters in a text become U+FFFD, and a text that a spreadsheet would run (=1+1, @SUM) "
              "gets an apostrophe before it; numbers stay as they are.",
    .example = "mode markdown; info; mode text",
    .argument = {OPERAND("form", EB_ARG_CHOICE, .choices = "text|json|csv|markdown", .fallback = "shows the mode",
                         .help = "text, or for programs json, csv, markdown")})
ROW(echo, "ec", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Print a text, for scripts that explain themselves",
    .detail = "In double quotes, \\n begins a new line.", .example = "echo now the stars; load demo:stars",
    .argument = {OPERAND("text", EB_ARG_REST, .required = true, .help = "what to print")})
ROW(panel, "pan", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Bring a panel of the workbench to the front",
    .detail = "So do F2 to F9. The plain prompt has no panels.", .example = "panel tune",
    .argument = {OPERAND("name", EB_ARG_CHOICE, .required = true,
                         .choices = "data|tune|compare|accuracy|counters|lab|log|lesson", .help = "which one")})
ROW(dump, "du", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Write the workbench's screen as text or as a picture",
    .detail =
        "A file called .svg gets a picture in colours, in which a walk that is in sight plays, any other one text. The "
        "plain prompt has no screen. What is "
        "there already is replaced as save does it.",
    .example = "dump screen.txt",
    .argument = {OPERAND("file", EB_ARG_FILE, .required = true, .written = true, .help = "file to write"),
                 FORCE_ARGUMENT})
ROW(queue, "que", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "List the lines that wait while a command runs, or drop some",
    .detail =
        "In the workbench a line entered while a command runs waits its turn, and keeps the settings of the moment "
        "it was entered. help, info, runs, sessions, show, diff, note, set, messages, dump and what else needs "
        "no engine is answered at once. Ctrl-C stops what runs, then asks whether what waits goes on.",
    .example = "queue",
    .argument = {ARGUMENT("drop", EB_ARG_INTEGER, .min = 1, .max = 1e9, .help = "number of a line to drop"),
                 ARGUMENT("clear", EB_ARG_FLAG, .help = "drop them all")})
ROW(messages, "me", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Show what was said: errors, warnings, notes, in full",
    .detail = "The newest first; the workbench's message line has room for the beginning of one.",
    .example = "messages limit=5",
    .argument = {ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = 500, .fallback = "50", .help = "how many")})
ROW(help, "he", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "List the commands, explain one, an engine, a term, or search",
    .detail =
        "Every word on a screen that is not plain is a term: `help ties`, `help derived rate`; `help terms` "
        "explains them all, and ? in the workbench those of the panel. Any other words are searched for in all that "
        "help can explain, lessons too.",
    .example = "help tune",
    .argument = {OPERAND("topic", EB_ARG_TOPIC, .help = "command, engine or term to explain, or words to search for")})
ROW(quit, "q", "Shell", NULL, EB_IMMEDIATE | EB_UNLOGGED, .also = "exit|\\q", .summary = "Leave",
    .detail = "So do exit, \\q and Ctrl-D.", .example = "quit")
