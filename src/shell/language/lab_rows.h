/* lab_rows: the rows of command_rows.h whose commands say why: explain, ablate, model … and of the lessons. */

ROW(explain, "expl", "Runs", NULL, 0, .summary = "Take one pair apart bit by bit, or a run: what limited it",
    .detail =
        "explain I J: what FASTED does with two points, bit by bit, beside FP64: the FP16 numbers they become, norms, "
        "the tensor "
        "core's sums block by block, and, of the block that loses most, the integers that it adds up. Then where "
        "the two distances part, and what a certificate says: a filter on FP16 with a proven bound rules the pair "
        "out, knows that it is within ε, or leaves it to FP64. With an engine of IVFPQ: which list either point is in, "
        "whether the other one looks there, and the table's entries that are added. explain run N: what limited a run "
        "in the log, explain run: the last one, in "
        "sentences, worth most first: rules over its times and, where `counters` made it, the hardware's counters; "
        "each says why its threshold is there, and what to try. On a GPU also the memory chart, counted where it was, "
        "else by the machine model.",
    .example = "load demo:stars; explain 0 1 " EB_FAST "[tensor=sm_80] eps=0.1; join " EB_TRUE " trials=1; explain run",
    .argument = {OPERAND("i", EB_ARG_INTEGER, .max = EB_MAX_POINTS, .help = "a point, counted from 0"),
                 OPERAND("j", EB_ARG_INTEGER, .max = EB_MAX_POINTS, .help = "and another"),
                 OPERAND("engine", EB_ARG_ENGINE, .fallback = EB_FAST, .help = "engine that tells what it does"),
                 EPS_ARGUMENT, S_ARGUMENT,
                 ARGUMENT("run", EB_ARG_INTEGER, .max = 9e15, .alone = "0",
                          .help = "a run instead, as `runs` counts them; run alone, or 0: the last one")})
ROW(ablate, "ab", "Runs", "lab", 0, .summary = "Measure what each of an engine's optimisations is worth",
    .detail =
        "Counts with all on, then without each of them and what needs it: kernel time, rates, slowdown with its 90 % "
        "interval, beside the machine model's and the figures of the paper that has some (FASTED, Table 5). Every "
        "variant must find the same neighbours and the same distances to the last bit. Of an engine with presets, what "
        "the preset adds is left out: preset=best leaves out what best adds to paper. by=add-one-in begins with the "
        "bare kernel, none of them on, and adds each alone with what it needs: speed-up. by=one-after-another adds "
        "each to those before it, in the order of only=; by=all-subsets runs every subset of at most five that only= "
        "names; subsets= runs the sets that it names. Sets are left out of all, or with from=bare added to the bare "
        "kernel; two that come to the same, because one switch needs another, run once. What cannot run here is "
        "refused before anything is measured. `ablate list` shows the switches, with no GPU, and with by=, only=, "
        "subsets= or from= "
        "what the model says of those sets. " EB_PUBLISHED_LONG,
    .example = "ablate list",
    .argument = {OPERAND("engine", EB_ARG_ENGINE, .elsewhere = true, .fallback = EB_ABLATED,
                         .help = "engine, with what is on to begin with"),
                 ARGUMENT("preset", EB_ARG_OPTION, .choices = EB_FAST ".preset", .fallback = "paper",
                          .help = "what is on to begin with"),
                 ARGUMENT("by", EB_ARG_CHOICE, .choices = EB_ABLATIONS, .fallback = "leave-one-out",
                          .help = "which sets of switches are left out or added"),
                 ARGUMENT("only", EB_ARG_TEXT, .fallback = "all that the preset allows",
                          .help = "switches to leave out or add, as pipeline,swizzle"),
                 ARGUMENT("subsets", EB_ARG_TEXT, .help = "sets of switches instead, as pipeline+swizzle,alignment"),
                 ARGUMENT("from", EB_ARG_CHOICE, .choices = "all|bare", .fallback = "as by= says, for subsets all",
                          .help = "the baseline: all switches on, or none"),
                 EPS_ARGUMENT, S_ARGUMENT, TRIALS_ARGUMENT, WARM_UP_ARGUMENT,
                 ARGUMENT("list", EB_ARG_FLAG, .help = "show the switches, run nothing")})
ROW(model, "model", "Runs", NULL, 0, .summary = "Predict a kernel: conflicts, occupancy, L2, roofline, time",
    .detail =
        "What an engine's kernel would do with n points in d dimensions on a GPU, here or not: conflicts in shared "
        "memory, computed from the very functions that the kernel takes its addresses from; blocks an SM, and what is "
        "used up first; L2's hit rate, by replaying the order of tiles; how often a byte is used, FLOP a byte, the "
        "roofline, and the time. Any switches and any misalignment, whether such a kernel is compiled or not. Where "
        "the log has a run of the same engine and shape on such a GPU, and its counters, they stand beside. Pictures "
        "come first: the memory chart; an SM's blocks in time, which copy slices from L2, load fragments and multiply; "
        "the walk of the tiles, which in the workbench Space plays; banks; the roofline. GPUs are those of `model "
        "devices`, and those described in ~/.config/epsbench/gpus: lines as name = mine, like = h200, sms = 114. The "
        "clock is the measured run's, else the highest: under long loads a power limit holds it lower.",
    .example = "model " EB_FAST "[paper,-swizzle] n=1e5 d=4096 on=h200",
    .argument = {OPERAND("engine", EB_ARG_ENGINE, .elsewhere = true, .fallback = EB_FAST,
                         .help = "engine, with its switches"),
                 ARGUMENT("n", EB_ARG_INTEGER, .min = 2, .max = EB_MAX_POINTS, .fallback = "the dataset's, or 100000",
                          .help = "number of points"),
                 ARGUMENT("d", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_DIMENSIONS, .fallback = "the dataset's, or 128",
                          .help = "dimensions"),
                 ARGUMENT("on", EB_ARG_TEXT, .fallback = "the GPU that is set, or h200",
                          .help = "which GPU, as a100-sxm"),
                 ARGUMENT("misaligned", EB_ARG_INTEGER, .max = 65536, .fallback = "as the switches say",
                          .help = "bytes that shared memory begins off, multiples of 16; wgmma: 1024"),
                 ARGUMENT("clock", EB_ARG_NUMBER, .min = 1, .max = 10000, .fallback = "as measured, or the highest",
                          .help = "of the SMs, in MHz"),
                 ARGUMENT("S", EB_ARG_NUMBER, .min = 0, .max = EB_MAX_POINTS, .fallback = "as measured, or 64",
                          .help = "selectivity: a tile's end takes longer the more it finds"),
                 ARGUMENT("pictures", EB_ARG_FLAG, .help = "without the tables"),
                 ARGUMENT("tables", EB_ARG_FLAG, .help = "without the pictures"),
                 ARGUMENT("devices", EB_ARG_FLAG, .help = "list the GPUs, predict nothing")})
ROW(grid, "gr", "Runs", "lab", 0, .summary = "Measure rates over n × d: a heat map, curves, limits",
    .detail = "Counts the pairs of uniform points (synth, FP32) of each n and d, S = 64 or eps=, and draws the derived "
              "rate as a heat map (FASTED, Fig. 8) and the executed rate over d with the device's limits (Fig. 9). "
              "n and d are lists, as 1000,5000, or ranges: n=1e3..1e6 goes by factors of √10, two shapes a decade, "
              "d=64..4096 by factors of 2, n=1e3..1e6*10 by factors of 10. A cell that a look at a part of it "
              "foresees to take longer than limit, all its trials together, is left out, and so are those of as many "
              "points and dimensions or more. ε is sampled for each shape, which is not exact: the S found is told. "
              "Each cell is a run in the log, and one that this build has measured there already, on the same device "
              "with the same seed, S or ε and warm-up, as many trials or more, is taken from it: an interrupted grid "
              "goes on where it was when it is asked for again. The loaded dataset stays. " EB_PUBLISHED_LONG,
    .example = "grid " EB_TRUE " n=100..1000 d=16,64 trials=1",
    .argument = {OPERAND("engines", EB_ARG_ENGINE, .fallback = EB_FAST, .help = "engines, with commas between"),
                 ARGUMENT("n", EB_ARG_STEPS, .min = 2, .max = EB_MAX_POINTS, .step = EB_GRID_N_STEP,
                          .fallback = "1e3..1e6", .help = "numbers of points"),
                 ARGUMENT("d", EB_ARG_STEPS, .min = 1, .max = EB_MAX_DIMENSIONS, .step = EB_GRID_D_STEP,
                          .fallback = "64..4096", .help = "dimensions"),
                 ARGUMENT("S", EB_ARG_NUMBER, .above = true, .max = EB_MAX_POINTS, .fallback = "64",
                          .help = "selectivity that ε is sampled for"),
                 ARGUMENT("eps", EB_ARG_NUMBER, .max = DBL_MAX, .fallback = "sampled",
                          .help = "radius ε, the same for all shapes"),
                 ARGUMENT("limit", EB_ARG_NUMBER, .above = true, .max = 1e6, .unit = "seconds", .fallback = "10",
                          .help = "longest time that a cell may take"),
                 ARGUMENT("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .fallback = "as set",
                          .help = "seed of the points"),
                 TRIALS_ARGUMENT, WARM_UP_ARGUMENT,
                 ARGUMENT("fresh", EB_ARG_FLAG, .help = "measure all cells, take none from the log")})
ROW(recall, "rec", "Runs", "lab", EB_NEEDS_DATASET, .summary = "Recall against throughput of an inverted file (IVFPQ)",
    .detail =
        "The k nearest of queries by product-quantised codes (Jégou, Douze, Schmid 2011), with look-up tables in FP32, "
        "FP16, the 8-bit floats that `formats8` shows, or u8: what smaller tables cost in recall and give in queries a "
        "second. Queries are rows of the dataset, drawn with the seed and taken out of it before anything is trained, "
        "so that none finds itself; the truth is FP64's. Where a query set was loaded it is that which is looked for, "
        "all of it or its first queries=, and nothing is taken out; neighbours loaded with it are the truth, k of "
        "each, after the first few were held against computed ones. The index has the same bits for the same seed, and "
        "one that is kept is used again (`index`); a CPU and a GPU (`set device=cuda:0`) give the same answers. On a "
        "GPU "
        "tables lie in shared memory: plain, one for each query and list, as the FP8 paper has them; packed, those of "
        "four queries (two of FP16) that look at one list side by side in 32 bits, so that one look-up serves all of "
        "them; pad gives a block as much shared memory as FP32 tables take, to tell occupancy and bank conflicts "
        "apart. With refine, FP64 distances choose the k among so many by codes. Entries are scaled by a power of two "
        "so that a table's largest is at most scale; scale=0 leaves them as they are, for which E4M4 and FP16 are too "
        "narrow where distances are large. The workbench draws the curve in its panel Lab while it grows, where `dump "
        "FILE.svg` keeps it as a picture; every point goes into the log, where `recalls` finds it. `lesson eight-bits` "
        "asks why 8 bits do.",
    .example = "recall lut=f32,e5m3 nprobe=1,4 queries=50 trials=1",
    .argument = {ARGUMENT("k", EB_ARG_INTEGER, .min = 1, .max = 10000, .fallback = "10", .help = "how many nearest"),
                 ARGUMENT("nprobe", EB_ARG_STEPS, .min = 1, .max = 1 << 20, .step = 2, .fallback = "1..128",
                          .help = "lists that a query looks at"),
                 ARGUMENT("lut", EB_ARG_TEXT, .fallback = "f32,f16,e5m3,e4m4",
                          .help = "formats of the look-up tables: f32, f16, e5m3, e4m4, e4m3, e5m2, u8"),
                 ARGUMENT("nlist", EB_ARG_INTEGER, .min = 1, .max = 1 << 20, .fallback = "near √n, a power of two",
                          .help = "lists that points are put into"),
                 ARGUMENT("m", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_DIMENSIONS,
                          .fallback = "d up to 16, else at most 64, of two coordinates or more",
                          .help = "pieces that a point is coded by, a byte each; divides d"),
                 ARGUMENT("queries", EB_ARG_INTEGER, .min = 1, .max = 1e6,
                          .fallback = "a tenth, at most 1000; all of a query set",
                          .help = "rows to take out and look for; of a loaded query set, its first"),
                 ARGUMENT("rows", EB_ARG_FLAG, .help = "draw rows though a query set was loaded"),
                 ARGUMENT("accumulate", EB_ARG_CHOICE, .choices = "f32|f16", .fallback = "f32",
                          .help = "what sums are rounded to"),
                 ARGUMENT("scale", EB_ARG_NUMBER, .max = 1e30, .fallback = "200",
                          .help = "bound of a table's largest entry; 0: none"),
                 ARGUMENT("refine", EB_ARG_INTEGER, .min = 1, .max = 10000, .fallback = "none",
                          .help = "how many by codes FP64 chooses among"),
                 ARGUMENT("layout", EB_ARG_CHOICE, .choices = "usual|plain|packed", .fallback = "usual",
                          .help = "tables in a GPU's shared memory; usual: packed where that can be"),
                 ARGUMENT("pad", EB_ARG_FLAG, .help = "tables take what FP32's take of a GPU's shared memory"),
                 ARGUMENT("counters", EB_ARG_FLAG,
                          .help = "count bank conflicts and occupancy on a GPU, before the trials"),
                 ARGUMENT("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .fallback = "as set",
                          .help = "seed of queries and training"),
                 ARGUMENT("rounds", EB_ARG_INTEGER, .min = 1, .max = 1000, .fallback = "25",
                          .help = "rounds of k-means: more find more, and take longer to build"),
                 TRIALS_ARGUMENT})
ROW(index, "ind", "Runs", NULL, EB_NEEDS_DATASET,
    .summary = "Show the inverted file that is kept, build, save or load it",
    .detail =
        "recall, and engines that search an inverted file (IVFPQ), build one of the dataset and keep it; whoever "
        "asks next for one of the same points, lists, pieces, rounds and seed gets the same. The last three are "
        "kept. Shown is the one used last: how even its lists are (imbalance: how many times more is scanned "
        "than of equally long ones), and how much of a point's distance to its centroid its code loses. `index "
        "build` makes one of all points; `index save` writes the one used last to a file, whole or not at all, "
        "with what it was made of and a checksum; `index load FILE` takes it back, for these points and no others.",
    .example = "index build nlist=16; index save demo.ivf; index load demo.ivf",
    .argument = {OPERAND("action", EB_ARG_CHOICE, .choices = "build|save|load", .fallback = "shows it",
                         .help = "what to do first"),
                 OPERAND("file", EB_ARG_FILE, .written = true, .writes_when = "save",
                         .help = "of save and load: the index's file"),
                 ARGUMENT("nlist", EB_ARG_INTEGER, .min = 1, .max = 1 << 20, .fallback = "near √n, a power of two",
                          .help = "of build: lists that points are put into"),
                 ARGUMENT("m", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_DIMENSIONS,
                          .fallback = "d up to 16, else at most 64, of two coordinates or more",
                          .help = "of build: pieces that a point is coded by, a byte each; divides d"),
                 ARGUMENT("rounds", EB_ARG_INTEGER, .min = 1, .max = 1000, .fallback = "25",
                          .help = "of build: rounds of k-means"),
                 ARGUMENT("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .fallback = "as set",
                          .help = "of build: seed of training"),
                 FORCE_ARGUMENT})
ROW(counters, "cou", "Runs", "counters", EB_NEEDS_DATASET,
    .summary = "Count what the hardware did: pipes, caches, conflicts",
    .detail = "Runs the trials as join does, counting the pairs only; then counts once more for each pass of the "
              "profiler, untimed. Every value names its source: cupti (hardware counters), nvml (the driver), model "
              "(operations over measured time). Without counters, as on the CPU, says why and shows the rest.",
    .example = "synth gaussian 1000 64; counters " EB_FAST " S=16 trials=1",
    .argument = {OPERAND("engines", EB_ARG_ENGINE, .fallback = EB_FAST "," EB_TRUE,
                         .help = "engines to profile, with commas between"),
                 EPS_ARGUMENT, S_ARGUMENT, TRIALS_ARGUMENT, WARM_UP_ARGUMENT})
ROW(lesson, "le", "Lessons", "lesson", EB_BESIDE_ALONE, .summary = "Learn by predicting: list lessons, begin one",
    .detail =
        "A lesson asks before it runs: predict with `answer`, `hint` helps, then the commands run in a session of the "
        "lesson's own, and their numbers show what is so and why. Answers are kept in the log; `lesson wrong` lists "
        "those that were not right. Every number a lesson states is computed. `lesson all answers` and `lesson NAME "
        "answers` go through unattended. `lesson NAME slides` is for a class: in the workbench a sequence on the whole "
        "screen, in large letters; else text, a page for each slide. A lesson of your own is a text, NAME.lesson, in "
        "$XDG_DATA_HOME/epsbench/lessons; `lesson check FILE` goes through it and names the line that is wrong, or "
        "says too much for a slide.",
    .example = "lesson",
    .argument = {OPERAND("what", EB_ARG_LESSON, .choices = "all|check|wrong", .fallback = "lists them",
                         .help = "a lesson's name; all, check or wrong"),
                 OPERAND("file", EB_ARG_FILE, .help = "of check: a lesson's file"),
                 ARGUMENT("answers", EB_ARG_FLAG, .help = "go through with the right answers"),
                 ARGUMENT("slides", EB_ARG_FLAG,
                          .help = "for a class: a question, what ran, what it means, a screen each"),
                 ARGUMENT("step", EB_ARG_INTEGER, .min = 1, .max = 1000, .fallback = "1", .help = "where to begin")})
ROW(answer, "an", "Lessons", "lesson", 0, .summary = "Answer a lesson's question, then see",
    .detail = "Without an answer the step is run and explained all the same: so a class is led through a lesson, and "
              "nothing is "
              "logged.",
    .example = "lesson rounding; answer a",
    .argument = {OPERAND("answer", EB_ARG_TEXT, .fallback = "tells what is right, and keeps no score",
                         .help = "a choice's letter, or a number")})
ROW(hint, "hin", "Lessons", "lesson", EB_UNLOGGED, .summary = "Show a lesson's hint for the question it asks",
    .example = "lesson rounding; hint")
ROW(fragment, "fr", "Lessons", NULL, EB_BACKGROUND | EB_UNLOGGED,
    .summary = "Draw which lane of a warp holds what of a matrix",
    .detail = "Of each instruction that multiplies matrices on tensor cores here, which lane holds which elements of "
              "A, B and "
              "C, as the kernels' own functions have it.",
    .example = "fragment m16n8k16.f16 C",
    .argument = {OPERAND("instruction", EB_ARG_CHOICE,
                         .choices = "m16n8k16.f16|wgmma.m64n8k16.f16|m16n8k32.i8|m8n8k4.f64", .fallback = "lists them",
                         .help = "which instruction"),
                 OPERAND("operand", EB_ARG_CHOICE, .choices = "A|B|C", .fallback = "C", .help = "which matrix")})
ROW(formats8, "formats8", "Lessons", NULL, EB_BACKGROUND | EB_UNLOGGED,
    .summary = "Show floats of 8 bits: with and without a sign and a zero",
    .detail =
        "E5M3 and E4M4 are the FP8 of look-up tables: squared distances are never negative, so the sign's bit goes to "
        "the fraction, and there is no zero: decoding is a shift and an addition, code 0 is the least number. E4M3 and "
        "E5M2 are OCP's. A bit of exponent doubles the octaves that are there, a bit of fraction halves the error in "
        "each. With a format, all its numbers, eight codes in a row. `formats8 tables` tells by the machine model what "
        "look-up tables of 4, 2 and 1 bytes an entry cost in shared memory: bank conflicts of 32 lanes with codes of "
        "their own, and how many blocks have room on an SM. What that is worth, and what it costs in recall, `recall` "
        "measures; `lesson eight-bits` asks why.",
    .example = "formats8; formats8 e5m3; formats8 tables m=64 on=h200",
    .argument = {OPERAND("format", EB_ARG_CHOICE, .choices = "e5m3|e4m4|e4m3|e5m2|tables",
                         .fallback = "all side by side", .help = "which one, code by code; or look-up tables of them"),
                 ARGUMENT("m", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_DIMENSIONS, .fallback = "64",
                          .help = "pieces that a point is coded by, of tables"),
                 ARGUMENT("threads", EB_ARG_INTEGER, .min = 32, .max = 1024, .fallback = "256",
                          .help = "threads a block, of tables"),
                 ARGUMENT("on", EB_ARG_TEXT, .fallback = "the GPU that is set, or h200",
                          .help = "which GPU, as a100-sxm, of tables")})
