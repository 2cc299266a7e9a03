/* lab_rows: the rows of command_rows.h for the commands that explain results (explain, ablate, model …) and for
 * lessons.
 */

ROW(explain, "expl", "Runs", NULL, 0, .summary = "Take a pair apart bit by bit, or a run: what limited it",
    .detail =
        "explain I J shows what FASTED computes for two points, bit by bit, beside FP64: the FP16 values, the norms "
        "and the tensor core's sums block by block. For the block that loses most, it shows the integers that are "
        "added. Then it shows which step makes the two distances differ. The engine for any number type shows the "
        "same steps in its type: the numbers of each part, the sums outside the tensor core, the slices of "
        "8-bit integers.\n\n"
        "For FP16 a certificate follows: a filter with a proven bound. It rules the pair out, proves that it is "
        "within ε, or leaves it to FP64. With an engine of IVFPQ, the report shows the list of each point, "
        "whether that list is scanned for the other point, and the table entries that are added.\n\n"
        "explain run N says in sentences what limited a run in the log, most important first; explain run takes "
        "the last run. The rules read its times and, if `counters` made it, hardware counters. Each rule gives "
        "the reason for its threshold and what to try. For a GPU, the memory chart shows counters if there are "
        "any, else the machine model.",
    .examples = "load demo:stars; explain 0 1 " EB_FAST "[tensor=sm_80] eps=0.1\n"
                "join " EB_TRUE " eps=1000 trials=1; explain run",
    .argument = {OPERAND("i", EB_ARG_INTEGER, .max = EB_MAX_POINTS, .help = "number of a point, from 0"),
                 OPERAND("j", EB_ARG_INTEGER, .max = EB_MAX_POINTS, .help = "number of another point"),
                 OPERAND("engine", EB_ARG_ENGINE, .fallback = EB_FAST, .help = "engine to explain"), EPS_ARGUMENT,
                 S_ARGUMENT,
                 ARGUMENT("run", EB_ARG_INTEGER, .max = 9e15, .alone = "0",
                          .help = "number of a run, instead of points; run alone, or 0: the last run")})
ROW(ablate, "ab", "Runs", "lab", 0, .summary = "Measure what each of an engine's optimisations is worth",
    .detail =
        "Counts pairs with all switches on, then without each switch and those that need it. Shows kernel time, "
        "rates and slowdown with its 90 % interval, beside the machine model and the paper's figures (FASTED, "
        "Table 5). Every variant must find the same neighbours and the same distances, to the last bit.\n\n"
        "For an engine with presets, preset=best leaves out one by one the switches that best adds to paper.\n\n"
        "by=add-one-in starts from the bare kernel, with all switches off, and adds each switch with those that it "
        "needs: the speed-up. by=one-after-another adds each switch to those before it, in the order of only=. "
        "by=all-subsets runs every subset of at most five switches of only=. subsets= runs the sets it names.\n\n"
        "A set is left out of all switches. With from=bare it is added to the bare kernel. If two sets are "
        "the same because one switch needs another, one of them runs. A variant that cannot run here is refused "
        "before anything is measured.\n\n"
        "`ablate list` shows the switches and needs no GPU. With by=, only=, subsets= or from= it also shows "
        "what the model predicts for these sets. " EB_PUBLISHED_LONG,
    .examples = "ablate list\n"
                "synth gaussian 1000 16; ablate " EB_TRUE " S=8 trials=1",
    .argument = {OPERAND("engine", EB_ARG_ENGINE, .elsewhere = true, .fallback = EB_ABLATED,
                         .help = "engine, with the switches that are on to begin with"),
                 ARGUMENT("preset", EB_ARG_OPTION, .choices = EB_FAST ".preset", .fallback = "paper",
                          .help = "preset whose switches are on to begin with"),
                 ARGUMENT("by", EB_ARG_CHOICE, .choices = EB_ABLATIONS, .fallback = "leave-one-out",
                          .help = "sets of switches to leave out or to add"),
                 ARGUMENT("only", EB_ARG_TEXT, .fallback = "all that the preset allows",
                          .help = "switches to leave out or to add, such as pipeline,swizzle"),
                 ARGUMENT("subsets", EB_ARG_TEXT,
                          .help = "sets of switches instead, such as pipeline+swizzle,alignment"),
                 ARGUMENT("from", EB_ARG_CHOICE, .choices = "all|bare", .fallback = "as by= says; for subsets= all",
                          .help = "baseline: all switches on, or all off"),
                 EPS_ARGUMENT, S_ARGUMENT, TRIALS_ARGUMENT, WARM_UP_ARGUMENT,
                 ARGUMENT("list", EB_ARG_FLAG, .help = "show the switches, run nothing")})
ROW(model, "model", "Runs", NULL, 0, .summary = "Predict a kernel: conflicts, occupancy, roofline, time",
    .detail =
        "Predicts how an engine's kernel runs with n points in d dimensions on a GPU, present or not. Bank "
        "conflicts come from the kernel's own address functions. The L2 hit rate comes from a replay of the order "
        "of tiles. Occupancy, reuse of bytes, FLOP per byte, roofline and time follow.\n\n"
        "Any switches and any misalignment can be given, even if no such kernel is compiled. If the log has a run "
        "of the same engine and shape on such a GPU, its measurements stand beside the prediction.\n\n"
        "Pictures come first: the memory chart, an SM's blocks over time, the order of the tiles, the banks and the "
        "roofline. The blocks copy slices from L2, load fragments and multiply. In the workbench, Space animates the "
        "order of the tiles.\n\n"
        "`model tensor[type=s8]` predicts the kernel in any number type of tensor cores; its registers are not "
        "known. The work of an engine with an index depends on the points: candidates= sets how many points each point "
        "is compared with: points in the lists that it scans, or distances that it computes. A run of the engine tells "
        "that number. The notes say what is assumed, and of what no time was measured.\n\n"
        "`model devices` lists the GPUs and where their limits are from, with on= the rates of one by number type. "
        "~/.config/epsbench/gpus describes others, in lines such as name = mine, like = h200, sms = 114.\n\n"
        "code=ptx and code=sass show what the compiler makes of the kernel with these switches. They count the "
        "instructions of its main loop, name the CUDA lines that they come from, and list the loop. NVRTC compiles the "
        "kernel; the GPU need not be there. SASS is listed by nvdisasm of the CUDA Toolkit.\n\n"
        "The clock is the highest at which the kernel's products and bytes take no more power than the board may "
        "draw. From and to are the times kept busy for long and after a rest, and 5 % beyond.",
    .examples = "model " EB_FAST "[paper,-swizzle] n=1e5 d=4096 on=h200\n"
                "model " EB_FAST " pictures on=a100-sxm\n"
                "model tensor[type=s8] d=128 on=h200",
    .argument = {OPERAND("engine", EB_ARG_ENGINE, .elsewhere = true, .fallback = EB_FAST,
                         .help = "engine, with its switches"),
                 ARGUMENT("n", EB_ARG_INTEGER, .min = 2, .max = EB_MAX_POINTS, .fallback = "the dataset's, or 100000",
                          .help = "number of points"),
                 ARGUMENT("d", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_DIMENSIONS, .fallback = "the dataset's, or 128",
                          .help = "dimensions"),
                 ARGUMENT("on", EB_ARG_TEXT, .fallback = "the GPU that is set, or h200",
                          .help = "name of the GPU, such as a100-sxm"),
                 ARGUMENT("misaligned", EB_ARG_INTEGER, .max = 65536, .fallback = "as the switches say",
                          .help = "bytes by which shared memory is misaligned: multiples of 16; wgmma: 1024"),
                 ARGUMENT("clock", EB_ARG_NUMBER, .min = 1, .max = 10000, .fallback = "as measured, or the highest",
                          .help = "clock of the SMs in MHz"),
                 ARGUMENT("S", EB_ARG_NUMBER, .min = 0, .max = EB_MAX_POINTS, .fallback = "as measured, or 64",
                          .help = "selectivity: the more hits, the longer the end of a tile takes"),
                 ARGUMENT("candidates", EB_ARG_NUMBER, .above = true, .max = EB_MAX_POINTS,
                          .fallback = "as the notes say", .help = "candidates of a point, for an engine with an index"),
                 ARGUMENT("pictures", EB_ARG_FLAG, .help = "show the pictures without the tables"),
                 ARGUMENT("tables", EB_ARG_FLAG, .help = "show the tables without the pictures"),
                 ARGUMENT("code", EB_ARG_CHOICE, .choices = "ptx|sass",
                          .help = "show the kernel's instructions instead"),
                 ARGUMENT("whole", EB_ARG_FLAG, .help = "code=: list the whole kernel, not its main loop alone"),
                 ARGUMENT("devices", EB_ARG_FLAG, .help = "list the GPUs, predict nothing")})
ROW(plan, "pla", "Runs", NULL, 0, .summary = "Plan a join on many GPUs: time, bytes, memory, what limits",
    .detail = "Says what a join takes on hosts × gpus GPUs, before anybody pays for them: the parts of the time, the "
              "bytes over each link, the memory of a host and of a GPU, and what limits. One GPU stands beside the "
              "asked shape. A table shows the shapes between, and a note says where more GPUs gain little.\n\n"
              "The points are the loaded ones, or as many as n, d and type say; nothing is loaded for that. S decides "
              "the table's size: n (S + 1) entries.\n\n"
              "Each GPU finds the pairs of its part of the tiles, and holds all points. In one host the GPUs exchange "
              "pairs, and each makes the rows of its points. Several hosts pass the points on, send each pair to the "
              "hosts of its two ends, and write their rows, each to its own disk. count leaves the table out.\n\n"
              "The machine model gives the kernels' time (`help model`), unless the log has a run of this engine and "
              "shape on such a GPU. " EB_SURE
              " on FP32 points is planned by its filter of FP16; `plan exact[way=int8]` plans "
              "that of 8 bits. Beside the kernels, pairs are sent. Rows are made, downloaded and written at the same "
              "time. All other parts follow each other.\n\n"
              "link= is the rate of a host's network in bits a second, one way; disk= that of its disk in bytes a "
              "second. Here letters are factors of 1000: 400G is 400e9. With memory= a table that does not fit a host "
              "is written as it comes, and hosts that cannot hold all points hold a block each.\n\n"
              "Processors have no model. gpu=cpu scales the nearest run of the log on this machine, of the same engine "
              "and dimensions.",
    .examples = "plan n=1e9 d=128 type=u8 hosts=8 gpus=8 gpu=h200 link=400G\n"
                "load demo; plan gpus=4 gpu=a100-sxm count\n"
                "synth uniform 2000 8; join " EB_SURE " S=8; plan n=1e6 d=8 S=8 hosts=4 gpu=cpu link=10G",
    .argument = {OPERAND("engine", EB_ARG_ENGINE, .elsewhere = true, .fallback = EB_SURE,
                         .help = "engine, with its options"),
                 ARGUMENT("n", EB_ARG_INTEGER, .min = 2, .max = EB_MAX_POINTS, .fallback = "the dataset's",
                          .help = "number of points"),
                 ARGUMENT("d", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_DIMENSIONS, .fallback = "the dataset's",
                          .help = "dimensions"),
                 ARGUMENT("S", EB_ARG_NUMBER, .min = 0, .max = EB_MAX_POINTS, .fallback = "64",
                          .help = "selectivity: mean number of neighbours"),
                 ARGUMENT("type", EB_ARG_CHOICE, .choices = "f32|f64|f16|u8|i8|i16|i32",
                          .fallback = "the dataset's, or f32", .help = "type of a coordinate as it is loaded"),
                 ARGUMENT("hosts", EB_ARG_INTEGER, .min = 1, .max = 65536, .fallback = "1", .help = "number of hosts"),
                 ARGUMENT("gpus", EB_ARG_INTEGER, .min = 1, .max = 64, .fallback = "1", .help = "GPUs of each host"),
                 ARGUMENT("gpu", EB_ARG_TEXT, .fallback = "the GPU that is set, or h200",
                          .help = "name of the GPU, such as a100-sxm, as `model devices` lists them; cpu: none"),
                 ARGUMENT("link", EB_ARG_RATE, .min = 1e6, .max = 1e17, .unit = "bits a second", .fallback = "400G",
                          .help = "network of a host, one way"),
                 ARGUMENT("disk", EB_ARG_RATE, .min = 1e3, .max = 1e16, .unit = "bytes a second",
                          .fallback = "2G; given, one host writes its rows too", .help = "disk of a host"),
                 ARGUMENT("memory", EB_ARG_SIZE, .min = 1 << 20, .max = 1e18, .fallback = "enough",
                          .help = "memory of a host"),
                 DISTANCES_ARGUMENT, ARGUMENT("count", EB_ARG_FLAG, .help = "count the pairs, make no table")})
ROW(grid, "gr", "Runs", "lab", 0, .summary = "Measure rates over n × d: a heat map, curves, limits",
    .detail = "Counts the pairs of uniform FP32 points (synth) for each n and d. Draws the derived rate as a heat map "
              "(FASTED, Fig. 8) and the executed rate over d with the device's limits (Fig. 9). The loaded dataset "
              "stays loaded.\n\n"
              "n and d are lists, as 1000,5000, or ranges. n=1e3..1e6 goes by factors of √10, two shapes a decade; "
              "d=64..4096 goes by factors of 2; n=1e3..1e6*10 goes by factors of 10. ε is sampled for each shape, so S "
              "is not exact; the S found is shown.\n\n"
              "A sample of each cell predicts the time of all its trials. A cell that would take longer than limit is "
              "left out, and so are all cells with as many points and dimensions or more.\n\n"
              "Each cell is a run in the log. A cell that the log already has is not measured again, so an interrupted "
              "grid goes on where it stopped. The logged run must have the same build, device, seed, warm-up and S or "
              "ε, and as many trials or more.\n\n" EB_PUBLISHED_LONG,
    .examples = "grid " EB_TRUE " n=100..1000 d=16,64 trials=1\n"
                "grid " EB_TRUE "," EB_SURE " n=500,1000 d=16 trials=1",
    .argument = {OPERAND("engines", EB_ARG_ENGINE, .fallback = EB_FAST, .help = "engines, with commas between"),
                 ARGUMENT("n", EB_ARG_STEPS, .min = 2, .max = EB_MAX_POINTS, .step = EB_GRID_N_STEP,
                          .fallback = "1e3..1e6", .help = "numbers of points"),
                 ARGUMENT("d", EB_ARG_STEPS, .min = 1, .max = EB_MAX_DIMENSIONS, .step = EB_GRID_D_STEP,
                          .fallback = "64..4096", .help = "dimensions"),
                 ARGUMENT("S", EB_ARG_NUMBER, .above = true, .max = EB_MAX_POINTS, .fallback = "64",
                          .help = "selectivity to sample ε for"),
                 ARGUMENT("eps", EB_ARG_NUMBER, .max = DBL_MAX, .fallback = "sampled",
                          .help = "radius ε, the same for all shapes"),
                 ARGUMENT("limit", EB_ARG_NUMBER, .above = true, .max = 1e6, .unit = "seconds", .fallback = "10",
                          .help = "longest time of a cell"),
                 ARGUMENT("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .fallback = "as set",
                          .help = "seed of the points"),
                 TRIALS_ARGUMENT, WARM_UP_ARGUMENT,
                 ARGUMENT("fresh", EB_ARG_FLAG, .help = "measure all cells, take none from the log")})
ROW(recall, "rec", "Runs", "lab", EB_NEEDS_DATASET, .summary = "Recall against throughput of an inverted file (IVFPQ)",
    .detail =
        "Finds the k nearest of queries by product-quantised codes (Jégou, Douze, Schmid 2011). The look-up tables are "
        "in FP32, FP16, the 8-bit floats of `numbers bytes`, or u8. The curve shows what smaller tables cost in recall "
        "and "
        "gain in queries a second. `lesson eight-bits` explains why 8 bits are enough.\n\n"
        "Queries are rows of the dataset, drawn with the seed. They are taken out before training, so no query finds "
        "itself. The truth is FP64's. If a query set is loaded, it gives the queries, all or the first queries=, and "
        "nothing is taken out. Its true neighbours, k for each query, are the truth; the first few are checked against "
        "computed ones.\n\n"
        "The same seed gives the same index, bit for bit. An index that is kept is used again (`index`). A CPU and a "
        "GPU (`set device=cuda:0`) give the same answers.\n\n"
        "On a GPU, tables lie in shared memory. layout=plain has one for each query and list, as in the FP8 paper. "
        "layout=packed puts the tables of four queries (two of FP16) that scan one list side by side in 32 bits, so "
        "one look-up serves all of them. pad gives each block the shared memory of FP32 tables, which separates the "
        "effects of occupancy and bank conflicts.\n\n"
        "With refine=N, FP64 distances choose the k among the N best by codes. A power of two scales the entries so "
        "that a table's largest is at most scale. scale=0 leaves them unscaled, and then E4M4 and FP16 are too narrow "
        "for large distances.\n\n"
        "In the workbench, the panel Lab draws the curve as it grows; there `dump FILE.svg` saves it as a picture. "
        "Every point goes into the log, where `recalls` finds it.",
    .examples = "recall lut=f32,e5m3 nprobe=1,4 queries=50 trials=1\n"
                "synth clusters 5000 16; recall k=5 nlist=16 nprobe=1..8 trials=1",
    .argument = {ARGUMENT("k", EB_ARG_INTEGER, .min = 1, .max = 10000, .fallback = "10",
                          .help = "number of nearest points"),
                 ARGUMENT("nprobe", EB_ARG_STEPS, .min = 1, .max = 1 << 20, .step = 2, .fallback = "1..128",
                          .help = "lists that a query scans"),
                 ARGUMENT("lut", EB_ARG_TEXT, .fallback = "f32,f16,e5m3,e4m4",
                          .help = "formats of the look-up tables: f32, f16, e5m3, e4m4, e4m3, e5m2, u8"),
                 NLIST_ARGUMENT, PIECES_ARGUMENT,
                 ARGUMENT("queries", EB_ARG_INTEGER, .min = 1, .max = 1e6,
                          .fallback = "a tenth, at most 1000; all of a query set",
                          .help = "number of rows to take out as queries, or of first points of the query set"),
                 ARGUMENT("rows", EB_ARG_FLAG, .help = "draw rows as queries although a query set is loaded"),
                 ARGUMENT("accumulate", EB_ARG_CHOICE, .choices = "f32|f16", .fallback = "f32",
                          .help = "format that sums are rounded to"),
                 ARGUMENT("scale", EB_ARG_NUMBER, .max = 1e30, .fallback = "200",
                          .help = "bound of a table's largest entry; 0: no scaling"),
                 ARGUMENT("refine", EB_ARG_INTEGER, .min = 1, .max = 10000, .fallback = "none",
                          .help = "number of candidates by codes among which FP64 chooses"),
                 ARGUMENT("layout", EB_ARG_CHOICE, .choices = "usual|plain|packed", .fallback = "usual",
                          .help = "tables in a GPU's shared memory; usual: packed where possible"),
                 ARGUMENT("pad", EB_ARG_FLAG, .help = "give tables the shared memory that FP32 tables take on a GPU"),
                 ARGUMENT("counters", EB_ARG_FLAG,
                          .help = "count bank conflicts and occupancy on a GPU before the trials"),
                 ARGUMENT("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .fallback = "as set",
                          .help = "seed of queries and training"),
                 ROUNDS_ARGUMENT, TRIALS_ARGUMENT})
ROW(index, "ind", "Runs", NULL, EB_NEEDS_DATASET,
    .summary = "Show, build, save or load the inverted file of the dataset",
    .detail =
        "`recall` and engines that search an inverted file (IVFPQ) build an index of the dataset. The last three "
        "indexes are kept. A request for the same points, lists, pieces, rounds and seed uses the kept index.\n\n"
        "`index` shows the index used last. Imbalance says how many times more points are scanned than with lists of "
        "equal length. The report also shows how much of a point's distance to its centroid its code loses.\n\n"
        "`index build` makes an index of all points. `index save` writes the index used last to a file, whole or not "
        "at all, with its parameters and a checksum. `index load` reads such a file, if it was built from the same "
        "points.",
    .examples = "index build nlist=16\n"
                "index build nlist=16; index save demo.ivf; index load demo.ivf",
    .argument = {OPERAND("action", EB_ARG_CHOICE, .choices = "build|save|load", .fallback = "shows the index",
                         .help = "what to do first"),
                 OPERAND("file", EB_ARG_FILE, .written = true, .writes_when = "save",
                         .help = "file to save to or to load"),
                 NLIST_ARGUMENT, PIECES_ARGUMENT, ROUNDS_ARGUMENT,
                 ARGUMENT("seed", EB_ARG_INTEGER, .min = 0, .max = 9e15, .fallback = "as set",
                          .help = "seed of the training"),
                 FORCE_ARGUMENT})
ROW(counters, "cou", "Runs", "counters", EB_NEEDS_DATASET,
    .summary = "Count what the hardware did: pipes, caches, conflicts",
    .detail =
        "Runs the trials as `join` does, but only counts the pairs. Then it runs once more, untimed, for each pass "
        "of the profiler, on several GPUs for each pass and each GPU; then a table has a column for each GPU.\n\n"
        "Every value names its source: cupti (hardware counters), nvml (the driver), time (operations over measured "
        "time) or model. Without a GPU the machine model predicts, as `model` does, what a GPU's counters would show "
        "of this run; on= names that GPU. A value that it does not know is n/a, and no predicted value is logged.",
    .examples = "synth gaussian 1000 64; counters " EB_FAST " S=16 trials=1\n"
                "synth gaussian 1000 64; counters " EB_FAST " S=16 trials=1 on=a100-sxm\n"
                "synth gaussian 1000 64; counters " EB_TRUE "," EB_SURE " S=16 trials=1",
    .argument = {OPERAND("engines", EB_ARG_ENGINE, .fallback = EB_FAST "," EB_TRUE,
                         .help = "engines to profile, with commas between"),
                 EPS_ARGUMENT, S_ARGUMENT, TRIALS_ARGUMENT, WARM_UP_ARGUMENT,
                 ARGUMENT("on", EB_ARG_TEXT, .fallback = "h200",
                          .help = "GPU that is modelled where there is none, such as a100-sxm")})
ROW(lesson, "le", "Lessons", "lesson", EB_BESIDE_ALONE, .summary = "Learn by predicting: list lessons, begin one",
    .detail =
        "A lesson asks before it runs. Predict with `answer`; `hint` helps. Then the commands run in the lesson's "
        "own session, and their numbers show what happens and why. Every number in a lesson is computed.\n\n"
        "Answers are logged, and so is the open question. `lesson next` goes on where you are, in another session "
        "too. `lesson wrong` lists wrong answers, `lesson results` all. With the logs of a class (anna.db ben.db, or "
        "*.db) it compares "
        "them: which question is missed most, and which wrong answer is given most.\n\n"
        "A step that shows CUDA lines is about a kernel of kernels/ladder. `lesson code=ptx` and `lesson code=sass` "
        "show what the compiler makes of it: instructions counted by what they do, the CUDA lines that they come "
        "from, and the main loop. `model code=sass` shows an engine's own kernel.\n\n"
        "`lesson all answers` and `lesson NAME answers` run lessons without a person.\n\n"
        "`lesson NAME slides` is for a class: full-screen slides in large letters in the workbench, otherwise a "
        "page of text for each slide.\n\n"
        "Your own lessons are text files NAME.lesson in $XDG_DATA_HOME/epsbench/lessons. `lesson check FILE` runs one "
        "and names any line that is wrong or too long for a slide.\n\n"
        "On a GPU, `lesson record FILE` writes what the lessons measure, for sessions without a GPU: recorded.tsv in "
        "the folder of the lessons.",
    .examples = "lesson\n"
                "lesson next\n"
                "lesson rounding answers",
    .argument = {OPERAND("what", EB_ARG_LESSON, .choices = "all|check|next|record|results|wrong",
                         .fallback = "lists the lessons", .help = "name of a lesson, or what to do"),
                 OPERAND("file", EB_ARG_FILE, .written = true, .writes_when = "record", .repeated = true,
                         .help = "file to check, to record in; logs of a class"),
                 ARGUMENT("answers", EB_ARG_FLAG, .help = "run with the right answers"),
                 ARGUMENT("slides", EB_ARG_FLAG, .help = "show slides: question, commands and meaning, a screen each"),
                 ARGUMENT("step", EB_ARG_INTEGER, .min = 1, .max = 1000, .fallback = "1", .help = "step to begin at"),
                 ARGUMENT("code", EB_ARG_CHOICE, .choices = "ptx|sass",
                          .help = "show what the compiler makes of the kernel that the step shows"),
                 ARGUMENT("whole", EB_ARG_FLAG, .help = "code=: list the whole kernel, not its main loop alone"),
                 ARGUMENT("students", EB_ARG_FLAG, .help = "results: a row for each log too"),
                 ARGUMENT("force", EB_ARG_FLAG, .help = "replace a file of another session")})
ROW(answer, "an", "Lessons", "lesson", 0, .summary = "Answer a lesson's question, then see why",
    .detail = "Without an answer, the step runs and is explained, and nothing is logged. So a teacher can lead a class "
              "through a lesson.",
    .examples = "lesson rounding; answer a\n"
                "lesson rounding; answer",
    .argument = {OPERAND("answer", EB_ARG_TEXT, .fallback = "shows the right answer, keeps no score",
                         .help = "letter of a choice, or a number")})
ROW(hint, "hin", "Lessons", "lesson", EB_UNLOGGED, .summary = "Show a lesson's hint for the question it asks",
    .examples = "lesson rounding; hint")
ROW(exercise, "exe", "Lessons", NULL, EB_BESIDE_ALONE, .summary = "Write a function of the kernel, and have it checked",
    .detail =
        "exercise NAME writes a file with one function of the kernel to edit: the swizzle of shared memory, the guard "
        "that computes each pair once, the element of C that a lane holds. A file that exists stays as it is. The "
        "comment in the file says what is asked, with shapes and units.\n\n"
        "exercise edit FILE opens the file in your editor, $VISUAL or else $EDITOR, and checks it when you leave the "
        "editor. It first writes swizzle.c, guard.c or fragment.c if that file is missing.\n\n"
        "exercise check FILE compiles the file and calls the function for all its arguments. The report says what is "
        "wrong and draws it: the bank conflicts, the pairs of each block tile, the fragment. On the CPU `cc` compiles "
        "the file as C. On a GPU (`set device=cuda:0`) NVRTC compiles the same file, and it runs there.\n\n"
        "The function runs in a process of its own, with limits: 2 s of CPU time, 256 MiB of memory, 64 KiB of "
        "printed text. A loop that never ends or a fault is told in a sentence, and the session goes on.",
    .examples = "exercise\n"
                "exercise swizzle; exercise check swizzle.c",
    .argument = {OPERAND("exercise", EB_ARG_CHOICE, .choices = "swizzle|guard|fragment|edit|check",
                         .fallback = "lists the exercises", .help = "exercise to begin; edit; check"),
                 OPERAND("file", EB_ARG_FILE, .fallback = "NAME.c", .help = "file to write, to edit or to check")})
ROW(diagnose, "diag", "Lessons", "lesson", 0, .summary = "Name the switch of a kernel that is off, by its counters",
    .detail =
        "A variant of FASTED's paper kernel, with one switch off or two, has joined 100,000 points. Its counters stand "
        "beside the full kernel's, with its memory chart and its pipeline. `answer` names the switch by its letter, "
        "`hint` helps. Then the counters that tell it are explained, and what each other switch would have shown. "
        "The next case follows.\n\n"
        "Without a GPU the counters are those that an H200 recorded; with two switches off they are the machine "
        "model's. On a GPU both kernels run and are counted.\n\n"
        "The same seed gives the same cases. Answers are logged as those of a lesson called which-switch.",
    .examples = "diagnose\n"
                "diagnose case=3; hint; answer a",
    .argument = {ARGUMENT("case", EB_ARG_INTEGER, .min = 1, .max = 1e6, .fallback = "the first one not answered",
                          .help = "number of a case")})
ROW(fragment, "fr", "Lessons", NULL, EB_BACKGROUND | EB_UNLOGGED,
    .summary = "Draw which lane of a warp holds which element of a matrix",
    .detail =
        "For each tensor-core instruction that the kernels use, shows which lane of the warp holds which elements "
        "of A, B and C. The kernels' own functions give the places.",
    .examples = "fragment\n"
                "fragment m16n8k16.f16 C\n"
                "fragment m8n8k4.f64 A",
    .argument = {OPERAND("instruction", EB_ARG_CHOICE,
                         .choices = "m16n8k16.f16|wgmma.m64n8k16.f16|m16n8k32.i8|m8n8k4.f64", .fallback = "lists them",
                         .help = "instruction to draw"),
                 OPERAND("operand", EB_ARG_CHOICE, .choices = "A|B|C", .fallback = "C", .help = "matrix to draw")})
ROW(numbers, "num", "Lessons", NULL, EB_UNLOGGED, .summary = "Show number formats, and what each does to the points",
    .detail =
        "Shows the formats that tensor cores multiply side by side, with FP32 and the FP8 of look-up tables: bits of "
        "sign, "
        "exponent and fraction, decimal digits, range, greatest relative error, and the tensor cores that multiply it. "
        "Formats in which a block of numbers shares a scale have a table of their own.\n\n"
        "With points loaded, shows how many coordinates each type changes and how far points move, as stored and "
        "prepared: "
        "the mean subtracted, times a power of two or divided by a step. Shares of ε if an ε is known.\n\n"
        "With a format, shows all its numbers if it has 8 bits, otherwise its ends; with a value, the numbers around "
        "it. "
        "`numbers bytes` compares FP8 with and without a sign. E5M3 and E4M4 are those of look-up tables: no sign, no "
        "zero, so that decoding is a shift and an addition.\n\n"
        "`numbers tables` shows, by the machine model, what look-up tables with 4, 2 and 1 bytes an entry cost in "
        "shared "
        "memory: bank conflicts of 32 lanes with codes of their own, and the blocks that fit on an SM. `lesson "
        "eight-bits` "
        "explains why 8 bits are enough.",
    .examples = "numbers\n"
                "numbers bf16 0.1\n"
                "numbers tables m=64 on=h200",
    .former = "formats8",
    .argument = {OPERAND("format", EB_ARG_CHOICE,
                         .choices = "f64|f32|tf32|bf16|f16|e4m3|e5m2|s8|e5m3|e4m4|bytes|tables",
                         .fallback = "all side by side", .help = "format to show; bytes, tables"),
                 OPERAND("value", EB_ARG_NUMBER, .fallback = "all numbers, or the ends",
                         .help = "value to round to the format"),
                 ARGUMENT("m", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_DIMENSIONS, .fallback = "64",
                          .help = "tables: pieces that code a point"),
                 ARGUMENT("threads", EB_ARG_INTEGER, .min = 32, .max = 1024, .fallback = "256",
                          .help = "tables: threads a block"),
                 ARGUMENT("on", EB_ARG_TEXT, .fallback = "the GPU that is set, or h200",
                          .help = "tables: name of the GPU, such as a100-sxm")})
