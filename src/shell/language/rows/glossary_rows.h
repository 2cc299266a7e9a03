/* glossary_rows: the terms, in the order of `help terms`, of the panels' help and of the manual's GLOSSARY: TERM(name,
 * other words for it, panels, meaning). The including file defines TERM.
 */

/* ---- the question ---- */

TERM("ε", "eps;radius;eps from now on", "tune;compare;accuracy;counters;lab;log",
     "The radius: two points are neighbours if their distance is at most ε. It is a distance, never its square.")
TERM("S", "selectivity", "tune;compare;counters;lab;log",
     "Selectivity: the mean number of other points within ε of a point, (|R| - n) / n.")
TERM("|R|", "R;result;pairs", "tune;compare;accuracy;counters;lab;log",
     "The result: the number of ordered pairs (p, q) within ε of each other, the pair of each point with itself "
     "included.")
TERM("points n", NULL, "data;tune;compare;accuracy;counters;lab;log", "The number of points of the dataset.")
TERM("dimensions d", "dimensions", "data;tune;compare;counters;lab;log", "The number of coordinates of a point.")
TERM("self pairs", "self", "compare;accuracy;log",
     "The pair of a point with itself, at distance 0. |R| counts self pairs, S never does. Overlap and error leave "
     "them out; with self=in they count, as in the FASTED paper.")
TERM("norms", NULL, "data;compare;lab;log",
     "The lengths of the points as vectors. As a part of a run's time: the time in which their squares are summed.")

TERM("metric",
     "metrics;cosine;cosine similarity;angular;inner product;dot "
     "product;Jaccard;Hamming;Manhattan;L1;Euclidean;Euclid;distance function",
     "data",
     "The only distance here is the Euclidean one: not cosine, inner product, Jaccard, Hamming or Manhattan. For "
     "cosine, divide each row by its norm before loading: two rows of norm 1 at distance ε have the cosine 1 - ε²/2. "
     "For rows of 0 and 1, the squared distance is the Hamming distance.")

/* ---- datasets ---- */

TERM("sha256", "hash", "data;log", "The hash of the points. It distinguishes datasets of the same name in the log.")
TERM("duplicates", NULL, "data", "Points with the same coordinates as a point before them.")
TERM("overflow", NULL, "data", "Values too large for FP16, whose greatest value is 65504: they would become infinite.")
TERM("subnormal", NULL, "data",
     "Values below 6.1e-5, so small that FP16 keeps few of their bits, or none. In `numbers`: values that become 0.")
TERM(
    "BF16", "bfloat16;TF32;FP8;E4M3;E5M2;INT8;FP4;half precision;number format", "data",
    "A number type of 16 bits with FP32's exponent and 8 binary digits. `numbers` shows it beside the other types that "
    "tensor cores multiply: TF32, FP16, FP8, INT8. `precision` says how much of a join's result each keeps, and "
    "`" EB_RUNGS "[type=bf16]` computes in it, bit by bit. No engine computes in FP6 or FP4.")
TERM("block scale", "microscaling;MX;MXFP8;MXFP6;MXFP4;NVFP4;E8M0", "data",
     "A scale that 16 or 32 neighbouring numbers share, so that each needs few bits. E8M0 is a power of two; NVFP4's "
     "scales are E4M3, times an FP32 for all.")
TERM("rounding", "a point moves by", "data",
     "The rounding of coordinates to FP16: the share of coordinates that change, and how far a point moves.")
TERM("variance", NULL, "data",
     "The share of the points' variance along a principal axis. If the two axes of the picture have a small share, the "
     "picture shows little of the data.")
TERM("query set", NULL, "data;lab",
     "Points that are loaded beside the dataset. `knn` and `recall` search their neighbours among the points of the "
     "dataset.")
TERM("true neighbours", "ground truth", "data;lab",
     "The points nearest to each query, nearest first, as given by a file and verified by FP64. Recall is measured by "
     "them.")

/* ---- tune and curve ---- */

TERM("sampled ε", "sampled eps", "tune;log",
     "The ε for the wanted S as estimated from a sample of the points, before exact passes.")
TERM("queries", NULL, "tune", "The points of the sample. Their distances to all others give the sampled curve.")
TERM("95 % from", "band;confidence band", "tune",
     "The interval that holds the true ε for the wanted S in 95 of 100 samples.")
TERM("band of S", NULL, "tune", "The interval that holds the true S at this ε in 95 of 100 samples.")
TERM("basis", "ε rests on", "tune",
     "What an ε of tune rests on. exact: all pairs were counted. sampled: the distances of some points to all others; "
     "S is "
     "then known up to its band.")
TERM("ε in the gap", "gap;eps_middle", "tune",
     "The middle between ε and the distance of the next pair. It gives the same pairs, even if an engine rounds their "
     "distances a little.")
TERM("bracket", "from;to", "tune", "The range of ε that an exact pass counted; the wanted ε lies in it.")
TERM("passes", NULL, "tune;counters;log",
     "The number of times that all pairs were computed: by an engine, or by the profiler.")
TERM("ties", NULL, "tune;log",
     "Unordered pairs at exactly this ε. No ε separates them, so all are found or none, and |R| can exceed its target.")

/* ---- density ---- */

TERM("minPts", "minpts;min points", "tune",
     "The number of points, itself counted, that must lie within ε of a core point.")
TERM("core points", "core", "tune", "Points with at least minPts points within ε, themselves counted.")
TERM("border", NULL, "tune",
     "A point that is not a core point but within ε of one. It belongs to the cluster of that core point.")
TERM("noise", NULL, "tune", "Points that are neither core points nor within ε of one.")
TERM("cluster", "clusters found", "tune",
     "Core points connected by steps of at most ε, with their border points. DBSCAN finds clusters.")
TERM("components", NULL, "tune",
     "Points connected by steps of at most ε, core points or not. A lone point is a component too.")
TERM("k-distance", "core distance;share of the points;ε from which on they are core", "tune",
     "The distance of a point to its k-th nearest point, itself counted. From that ε on, the point is a core point for "
     "minPts = k.")
TERM("elbow", "eps at the elbow", "tune",
     "The place where the curve of sorted k-distances bends most: a usual ε for DBSCAN.")
TERM("neighbours", NULL, "tune", "The other points within ε of a point.")

/* ---- engines, and how exact they are ---- */

TERM("engine", NULL, "data;tune;compare;accuracy;counters;lab;log",
     "An implementation of the join. Brackets hold the options that differ from its defaults. `help ENGINE` explains "
     "one.")
TERM("exactness", NULL, "data", "Whether an engine is the truth, certified or approximate.")
TERM("truth", NULL, "data;compare;accuracy",
     "An engine that computes the FP64 definition bit for bit: a pair is within ε if its rounded sum of squares is at "
     "most ε².")
TERM("certified", NULL, "data;compare;accuracy",
     "An engine that finds exactly the truth's pairs by other arithmetic, with a proven bound on its error.")
TERM("approximate", NULL, "data;compare;accuracy",
     "An engine whose distances are rounded, for example to FP16: pairs near ε may differ from the truth's.")
TERM("epsilon grid order",
     "candidates a point;distances saved by pruning;pairs of ranges pruned;dimensions until short-circuit, mean",
     "compare;log",
     "Points sorted by their cells of side ε, dimension by dimension, so that neighbours are in neighbouring cells. "
     "A run shows the pairs computed per point and the share of all pairs that were never computed. It also shows the "
     "share of pairs of ranges that were dropped at once, and after how many dimensions a sum was stopped.")
TERM("preset", NULL, "lab",
     "A named set of an engine's switches: paper has those published, best the fastest ones. For `ablate`, bare has "
     "none.")
TERM("switch", "optimisations;also off", "lab;log",
     "An optimisation of an engine that can be left out, or added to the bare kernel, to measure what it is worth.")
TERM("ablation", "leave-one-out;add-one-in;one-after-another;all-subsets;subsets", "lab",
     "Running an engine without some of its switches, to measure what they are worth. A switch, or a set of switches, "
     "is left out of all, added to the bare kernel, or added to those before it.")
TERM("results", NULL, "lab",
     "Whether a variant found what the baseline found: identical to the last bit of every distance, or only the same "
     "count.")
TERM("bare kernel", "bare", "lab", "The engine with all switches of the preset off. by=add-one-in adds to it.")
TERM("tensor path", "tensor", "counters;log",
     "The tensor-core instructions that ran, as the profiler counted them; for an emulation, the instructions whose "
     "sums it computes.")
TERM("way", "choosing the way", "compare;lab;log",
     "The method that an engine with several of them chose. A sample of the points decides which is cheapest; all give "
     "the same result.")
TERM("trials", "trials done", "compare;counters;lab;log",
     "Measured repetitions of a run. Each is timed end to end and logged.")
TERM("warm-up", "warmup", "compare;counters;log",
     "The unmeasured work before the trials: a whole pass, or a part of its tiles if a pass takes long.")
TERM("run", "about run", "compare;log",
     "One engine on one dataset at one ε, with all its trials. It has a number in the log.")
TERM("session", NULL, "log",
     "The time from the program's start to its end. The log stores each run and each command with its session.")
TERM("state", NULL, "compare;counters;lab;log", "Whether a run was finished, interrupted or failed.")

/* ---- times ---- */

TERM("end to end", "total", "compare;counters;lab;log",
     "The time of a whole trial, from the loaded points to the finished table. Reading a file is never included.")
TERM("kernels", NULL, "compare;counters;lab;log",
     "The time in which distances are computed and hits found: on a GPU the join's kernels by the GPU's clock, on the "
     "CPU the walk over tiles.")
TERM("upload", "upload beside other work", "compare;log",
     "The time that a run waits for points on their way to the device. From 64 MiB of points on, kernels work on those "
     "that are there while others arrive, and only what they wait for counts.")
TERM(
    "conversion", "convert", "compare;log",
    "The time in which points are converted to the engine's type, such as FP16 or integers. On the CPU it includes the "
    "norms.")
TERM("download", NULL, "compare;log",
     "The time in which results are copied from the device. Large tables that reuse memory travel packed; threads of "
     "the host unpack them.")
TERM("choosing lists", NULL, "compare;log",
     "The time in which a GPU finds the nearest lists of each query in an inverted file, and groups the queries of "
     "each list.")
TERM("taking pairs", NULL, "compare;log",
     "The time in which host threads search the points found by a GPU for pairs of the table.")
TERM("neighbour table", "table", "compare;log",
     "The neighbours of each point and, unless left out, their distances. Its time is the time of building it.")
TERM("setting up", NULL, "compare;log", "The time in which memory is allocated and freed.")
TERM("ordering", "order and boxes;listing pairs of leaves", "compare;log",
     "The time in which near points are grouped into leaves, and the pairs of leaves that may hold hits are listed.")
TERM("all else", NULL, "compare;log", "The rest of end to end, without the parts that are named.")
TERM("CoV", NULL, "compare;counters;lab;log",
     "Coefficient of variation: the standard deviation of the trials as a share of their mean; n/a for a single trial.")
TERM("median", NULL, "tune;compare;counters;lab;log", "The middle one of the trials' times. A run is judged by it.")
TERM(
    "verdict", NULL, "data;compare;lab;log",
    "The judgement of two runs by their trials: SAME, FASTER, SLOWER or UNCLEAR. For a dataset: whether FP16 holds it.")
TERM("baseline", "baseline run", "lab;log",
     "The run or variant to compare with: in `ablate` all switches on or the bare kernel, in `diff` the run named "
     "first.")
TERM("SAME", NULL, "compare;lab;log",
     "The times of two runs do not differ enough to matter: the interval of their ratio is close to 1.")
TERM("FASTER", "SLOWER", "compare;lab;log",
     "The times differ by more than equal runs do: the interval of their ratio lies on one side of 1.")
TERM("UNCLEAR", NULL, "compare;lab;log", "The trials are too few or too noisy to decide; more trials would.")
TERM("time taken", NULL, "compare;log",
     "The median divided by that of the reference or the baseline: 2× takes twice as long.")
TERM("slowdown", NULL, "lab", "The time without the switch divided by the time with it.")
TERM("speed-up", NULL, "lab",
     "The speed with the switch relative to the bare kernel: the time without it divided by the time with it.")
TERM("90 % interval", NULL, "compare;lab;log",
     "The interval that holds the ratio of two runs' times with 90 % confidence; drawn as whiskers of a bar. Each side "
     "needs three trials.")
TERM("published", NULL, "lab", "The figure of the engine's paper for this switch, on its authors' machine and data.")

/* ---- rates, and what the machine did ---- */

TERM("derived rate", NULL, "compare;counters;lab;log",
     "2·n²·d divided by the time of the kernels: the rate if every pair were computed in full. Symmetry and skipped "
     "pairs can make it exceed any device's peak.")
TERM("executed rate", "executed", "compare;counters;lab;log",
     "Floating-point operations that were really done, divided by the time of the kernels.")
TERM("of limit", "limit", "compare;counters;lab;log",
     "The executed rate as a share of the rate that this device reached with the same instructions in a measurement.")
TERM("heat map", "map;fastest", "lab",
     "The rates of `grid` over n × d. Each cell has its number and a bar, on a shade that shows its share of the "
     "greatest rate.")
TERM("line", "lines", "lab",
     "A letter in the plot of `grid`: a small one is an engine at one n, a capital one a limit of its device.")
TERM("limit of a cell", "cell;cells;too long;refused;to come;from the log", "lab",
     "The longest time of a cell of `grid`, all trials together. A cell that is predicted to take longer is left out, "
     "with all larger ones. The result of a cell that the log has already is taken from the log.")
TERM("machine model", "predicted", "counters;lab",
     "The prediction of `model` for a kernel, from its shape and a GPU's figures alone. Counters and times are "
     "compared with it. A prediction for a GPU on which that was done is marked as verified.")
TERM(
    "shares P", "share;shares;rank;ranks", "lab",
    "Parts of a join that run at the same time, one on each GPU, or on each host without GPUs. A share finds the pairs "
    "of 1/P of the tiles and then makes 1/P of the rows. A rank is the part of a join that one host computes.")
TERM("rate kept up", "kept up;sustained rate", "lab",
     "The rate of products that a GPU holds for seconds. The power limit keeps it below what the highest clock allows.")
TERM(
    "source of a limit", "limit from;data sheet", "lab",
    "Where a GPU's limit in `model` is from: measured on such a GPU, fitted to its runs, NVIDIA's data sheet, a paper, "
    "another GPU with the same parts, or a guess in proportion to other GPUs.")
TERM("bank conflict", NULL, "counters;lab",
     "Lanes of a phase that need different words of one of shared memory's 32 banks wait for each other. Each wait "
     "costs one more wavefront.")
TERM("wavefront", NULL, "counters;lab",
     "One access cycle of shared memory: at most one word from each bank. A phase (8 lanes of 16 bytes) takes one "
     "wavefront if nothing conflicts. Counters do not see asynchronous copies and wgmma.")
TERM("occupancy", "blocks", "lab",
     "The number of blocks of a kernel that an SM holds at a time, and the resource that is used up first. A worker is "
     "a block, or a cluster of blocks.")
TERM("L2 hit rate", NULL, "counters;lab",
     "The share of requests that L2 answers itself. The model replays the order of tiles; workers that run out of step "
     "find less.")
TERM(
    "reuse", "of a column's", "lab",
    "The number of times that a value is multiplied after one read: once for each point on the other side of its tile.")
TERM("intensity", "roofline;products", "lab",
     "Executed operations for each byte that passes a level. Multiplied by the level's bytes a second, intensity is "
     "the highest possible rate.")
TERM("a slice", NULL, "lab",
     "128 bytes of every point of a tile. The model gives an SM's clocks for it: for the products, for the copy from "
     "L2, and in the long run for the longer of the two; and the clocks of the whole tile.")
TERM("stage", "pipeline;copy", "lab",
     "Room in shared memory for a slice. With one stage, a block copies and multiplies in turn; with more, it does "
     "both at once. The timeline of `model` numbers the slices and fills them by their stage.")
TERM("energy", "energy of the kernels", "compare;counters;log",
     "The energy in joules that the device used while kernels ran.")
TERM("SM clock", NULL, "compare;counters;log", "The mean clock of the GPU's processors while kernels ran.")
TERM("clock held down by", "throttle", "compare;counters;log",
     "Throttle: the reason why the GPU ran below its clock, such as power or heat. Throttled times are not the "
     "device's best.")
TERM("leaf pairs", "leaf pairs looked at;pairs of leaves looked at", "compare;log",
     "Pairs of leaves whose boxes are near enough to hold pairs within ε. A leaf is a group of 32 near points.")
TERM("candidates", "distances computed", "compare;log",
     "Pairs that pass a cheaper test. Their distances are computed in full.")
TERM("groups", "near tiles;tiles that can hold pairs", "compare;log",
     "Groups of points around pivots. Tiles of groups that are too far apart for ε are skipped.")

/* ---- how results agree ---- */

TERM("overlap", "overlap, self counted;overlap, self left out", "compare;accuracy;log",
     "The share of a point's neighbours, found by either engine, that both engines find; as a mean over the points.")
TERM("pairs in both results", "common;in both", "compare;accuracy;log", "Unordered pairs that both engines find.")
TERM("sample", "points compared;sampled points;drawn points", "compare;accuracy",
     "Points drawn at random, each compared with all points. Overlap and mean error of all points lie within the 95 % "
     "interval for 95 of 100 samples; the least overlap and the greatest error are those of the drawn points.")
TERM("wrong side", "pairs only this one has;pairs it lacks;only fast;only true;only other", "compare;accuracy;log",
     "Unordered pairs that one engine finds and the other does not: rounding put these pairs on the wrong side of ε.")
TERM("distance error", "error mean;error;difference", "compare;accuracy;log",
     "The engine's distance less the truth's, over the pairs that both find. If neither engine is the truth, it is "
     "called a difference.")
TERM("check", "held;missed;useless", "compare;log",
     "What became of a prediction. held: the measured overlap is in its band. missed: it is outside. exact: the type "
     "holds the values, and no pair is wrong. useless: most would be lost, so that no join was run.")
TERM("complete ε", "epsilon that misses none;pairs at it", "compare;log",
     "The radius at which a join in this number type is proven to find every pair that the truth has within ε. Beside "
     "it: "
     "the pairs that it finds there, over the truth's.")
TERM("Kendall's tau", "tau;rank order", "compare;log",
     "How alike two orders of the same neighbours are: 1 for the same order, 0 for unrelated ones, -1 for the reverse.")
TERM("rescoring", "to rescore", "compare;log",
     "Looking at candidates again with exact distances. The figure is how many candidates for each wanted neighbour "
     "keep "
     "99.9 % of the truth's neighbours.")
TERM("preparation", "preparations", "compare;log",
     "What is done to points before they are rounded: the mean subtracted, a power of two, a step for each point, a "
     "rotation.")
TERM("rung", "number type;ladder of types", "compare;log",
     "A number type of tensor cores together with its sums and its preparation: one line of `precision`.")
TERM("margin", "true - eps;fast - eps;other - eps", "compare;accuracy",
     "A pair's distance less ε. A pair is within ε if its margin is not above 0.")
TERM("distances kept", "its distances kept", "compare;accuracy;log",
     "Whether the neighbour table has distances, and whether they are FP32 or FP64.")
TERM("FP16 shift", "which is of eps", "compare;accuracy;counters;log",
     "The greatest distance by which rounding to FP16 moves a point. From an eighth of ε on, epsbench warns: many "
     "neighbours may differ from those of the original points. The warning names a line to type whose engine moves "
     "the points less.")
TERM("undecided",
     "undecided by the bound;own error of a distance;pairs found that near to eps;pairs left out that near to eps",
     "compare;accuracy;log",
     "Pairs closer to ε than the error of the arithmetic: FP64's own, or a filter's proven bound.")
TERM("rechecked", "decided by FP64;pairs decided by FP64", "compare;log",
     "Pairs that a filter's bound did not rule out, and that the FP64 definition decided.")
TERM("second look", "looked at again in FP16", "compare;log",
     "What happens to pairs that the 8-bit filter leaves open, if they are many: FP16 copies of their points rule most "
     "of them out or in before FP64 decides the rest.")
TERM("bound's share", "the bound's worst observed share", "compare;log",
     "The largest error that was met, as a share of the proven bound. Above 1, the proof would be wrong.")
TERM("a coordinate takes", NULL, "compare;log", "The bytes of a coordinate in the engine's type.")

/* ---- the k nearest ---- */

TERM("k nearest", "nearest wanted;queries, all points", "tune;lab",
     "The k points nearest to a query, without the query itself. Of equally far points, those with smaller numbers are "
     "nearer. Queries that are taken out are no point's neighbours.")
TERM("radius of a query", NULL, "tune",
     "The radius within which a join searches the nearest points of a query. A sample gives it, times a factor from a "
     "few queries whose distances to all points are computed. If fewer than k points lie within it, the next round's "
     "radius is larger.")
TERM("recall", "recall@k;rows looked for;recall, of the truth's nearest", "lab",
     "The share of a query's k nearest points that a search finds, as a mean over the queries with its 95 % interval.")
TERM("throughput", "throughput, queries a second", "lab", "Queries answered a second, by all threads together.")
TERM("nlist", "lists;inverted file;index was built in", "lab",
     "The number of lists of an inverted file. A point is in the list of its nearest centroid; lists are stored in "
     "whole blocks of 32.")
TERM("nprobe", "lists scanned;lists scanned a point", "compare;lab;log",
     "The number of lists that a query scans, the nearest first. More lists find more and take longer.")
TERM(
    "m", "pieces;subspaces;of them codes;product quantiser", "compare;lab;log",
    "The number of pieces of a point's residual, its difference to its list's centroid. Each piece is coded by a byte.")
TERM(
    "kept index", "of rows", "lab",
    "The inverted file that is kept of a dataset, with its parameters. Commands with the same parameters use it again. "
    "Building it trains lists and books on samples of the rows, then finds each row's list and codes.")
TERM("imbalance", "least points", "lab",
     "The number of points that a query scans, divided by the number with lists of equal length.")
TERM("of it lost", NULL, "lab", "The share of a point's squared distance to its list's centroid that its code loses.")
TERM("look-up table", "lut", "lab",
     "A query's squared distances to the 256 entries of each piece's codebook, for one list. The distance of a point "
     "is the sum of m of them.")

/* ---- the screen ---- */

TERM("theme", "colours;background", "log",
     "The workbench's colours: dark or light for a terminal's background, mono for none, auto for what the terminal "
     "answers. `set theme=light` chooses; `set keep theme=light` also keeps it for the next time.")

/* ---- lists ---- */

TERM("sorting", "sort=;where=;filter;filtering;sort and filter", "data;tune;compare;accuracy;counters;lab;log",
     "Every table can be arranged: `neighbours 17 eps=1900 where=distance<1850 sort=-distance`. where= keeps the rows "
     "that fulfil all comparisons: = != < <= > >=, ~ (contains), !~ (does not); without a comparison, rows with that "
     "text. - before a name sorts downwards. columns= chooses columns. Names are the keys of JSON or one-word titles. "
     "n/a is a missing value and comes last. In the workbench, T lists a panel's tables; / < > r C arrange them, Esc "
     "shows all.")
