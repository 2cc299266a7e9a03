/* glossary_rows: a row a term, in the order of `help terms`, the panels' help and the manual's GLOSSARY: TERM(name,
 * other words for it, panels, what it means). Included where TERM says what is made of it.
 */

/* ---- the question ---- */

TERM("ε", "eps;radius;eps from now on", "tune;compare;accuracy;counters;lab;log",
     "The radius: points are neighbours when the distance between them is at most ε. A distance, never its square.")
TERM("S", "selectivity", "tune;compare;counters;lab;log",
     "Selectivity: how many other points a point has within ε on average, (|R| - n) / n.")
TERM("|R|", "R;result;pairs", "tune;compare;accuracy;counters;lab;log",
     "The result: how many ordered pairs (p, q) lie within ε of each other, each point's pair with itself among them.")
TERM("points n", NULL, "data;tune;compare;accuracy;counters;lab;log", "How many points the dataset has.")
TERM("dimensions d", "dimensions", "data;tune;compare;counters;lab;log", "How many coordinates a point has.")
TERM("self pairs", "self", "compare;accuracy;log",
     "A point's pair with itself, at distance 0. Counted in |R|, never in S; overlap and error leave them out, but "
     "with self=in, as FASTED's authors have it.")
TERM("norms", NULL, "data;compare;lab;log",
     "The length of points as vectors, and in a run's time the part in which their squares are summed.")

TERM("metric",
     "metrics;cosine;cosine similarity;angular;inner product;dot "
     "product;Jaccard;Hamming;Manhattan;L1;Euclidean;Euclid;distance function",
     "data",
     "The distance here is Euclid's, and no other: not cosine, inner product, Jaccard, Hamming or Manhattan. For "
     "cosine divide each row by its norm before loading: two rows of norm 1 have the cosine 1 - ε²/2 at distance ε. Of "
     "rows of 0 and 1 the squared distance is the Hamming distance.")

/* ---- datasets ---- */

TERM("sha256", "hash", "data;log", "The hash of the points: what tells two datasets of one name apart in the log.")
TERM("duplicates", NULL, "data", "Points whose coordinates are all the same as those of a point before them.")
TERM("overflow", NULL, "data", "Values too large for FP16, whose greatest is 65504: they would become infinite.")
TERM("subnormal", NULL, "data", "Values so small that FP16 keeps few of their bits, or none: below 6.1e-5.")
TERM("BF16", "bfloat16;TF32;FP4;half precision", "data",
     "No engine computes in BF16, TF32 or FP4. Tensor cores multiply FP16, FP64 or bytes here: `engines` says which "
     "engine. Look-up tables of 8 bits are `formats8`.")
TERM("rounding", "a point moves by", "data",
     "What FP16 makes of coordinates: the share of them that it cannot hold as they are, and how far that moves a "
     "point.")
TERM("variance", NULL, "data",
     "How much of the points' spread lies along a principal axis: where the two shown hold little, the picture tells "
     "little.")
TERM("query set", NULL, "data;lab",
     "A set of points of their own, loaded beside the dataset, whose neighbours among its points are looked for.")
TERM("true neighbours", "ground truth", "data;lab",
     "The points nearest to each query, nearest first, as a file says and FP64 verifies: what recall is measured by.")

/* ---- tune and curve ---- */

TERM("sampled ε", "sampled eps", "tune;log",
     "The ε that a sample of the points suggests for the wanted S, before exact passes decide.")
TERM("queries", NULL, "tune", "The points of the sample: their distances to all others make the sampled curve.")
TERM("95 % from", "band;confidence band", "tune",
     "The interval that holds the true ε for the wanted S in 95 of 100 samples.")
TERM("bracket", "from;to", "tune", "The ε from and to which exact passes looked: the one wanted is between them.")
TERM("passes", NULL, "tune;counters;log",
     "Times that all pairs were computed, by an engine or, of a profile, by the profiler.")
TERM("ties", NULL, "tune;log",
     "Unordered pairs at exactly this ε. They enter together, so |R| can be missed by as many: no ε lies between them.")

/* ---- density ---- */

TERM("minPts", "minpts;min points", "tune",
     "How many points, itself counted, must lie within ε of a point to make it a core point.")
TERM("core points", "core", "tune", "Points with at least minPts points within ε, themselves counted.")
TERM("border", NULL, "tune", "A point that is not core but within ε of one that is: it belongs to that one's cluster.")
TERM("noise", NULL, "tune", "Points that are neither core nor within ε of a core point.")
TERM("cluster", "clusters found", "tune",
     "Core points that hang together by steps of at most ε, with their border points; DBSCAN finds them.")
TERM("components", NULL, "tune",
     "The parts that hang together by steps of at most ε, whether points are core or not; a lone point is one too.")
TERM("k-distance", "core distance;share of the points;ε from which on they are core", "tune",
     "A point's distance to its k-th nearest, itself counted: from that ε on it is core for minPts = k.")
TERM("elbow", "eps at the elbow", "tune",
     "Where the curve of sorted k-distances bends most: a usual choice of ε for DBSCAN.")
TERM("neighbours", NULL, "tune", "The other points within ε of a point.")

/* ---- engines, and how exact they are ---- */

TERM(
    "engine", NULL, "data;tune;compare;accuracy;counters;lab;log",
    "An implementation of the join; in brackets the options that differ from its defaults. `help ENGINE` explains one.")
TERM("exactness", NULL, "data", "Whether an engine is the truth, certified or approximate.")
TERM("truth", NULL, "data;compare;accuracy",
     "An engine that computes the FP64 definition bit for bit: pairs are within ε where its rounded sum of squares is "
     "at most ε².")
TERM("certified", NULL, "data;compare;accuracy",
     "An engine that finds exactly the truth's pairs by another arithmetic, with a proven bound on its error.")
TERM("approximate", NULL, "data;compare;accuracy",
     "An engine whose distances round, as FP16's do: pairs near ε may differ from the truth's.")
TERM("epsilon grid order",
     "candidates a point;distances saved by pruning;pairs of ranges pruned;dimensions until short-circuit, mean",
     "compare;log",
     "Points sorted by their cells of side ε, dimension by dimension: neighbours are in neighbouring cells. Of a run: "
     "pairs computed a point, the share of all pairs that never were, the share of range pairs left at once, and after "
     "how many dimensions a sum was given up.")
TERM("preset", NULL, "lab", "A named set of an engine's switches, as the paper's or the best there is.")
TERM("switch", "optimisations;also off", "lab;log",
     "An optimisation of an engine that can be left out, or added to the bare kernel, to see what it is worth.")
TERM("ablation", "leave-one-out;add-one-in;one-after-another;all-subsets;subsets", "lab",
     "Running an engine without some of its switches, to see what they are worth: each left out of all, each added "
     "alone to the bare kernel, one after another, or sets of them.")
TERM("results", NULL, "lab",
     "Whether a variant found what the baseline did: identical to the last bit of every distance, or the same count "
     "only.")
TERM("bare kernel", "bare", "lab",
     "The engine with all switches off that the preset allows: what by=add-one-in adds to.")
TERM(
    "tensor path", "tensor", "counters;log",
    "Which instructions of the tensor cores ran, as the profiler counted them; of an emulation, whose sums it follows.")
TERM("way", "choosing the way", "compare;lab;log",
     "How an engine that has several comes to its one answer: a sample of the points tells which is cheapest.")
TERM("trials", "trials done", "compare;counters;lab;log",
     "Measured repetitions of a run, each end to end and each in the log.")
TERM("warm-up", "warmup", "compare;counters;log",
     "What runs before the trials and is not measured: a whole pass, where that takes long a part of its tiles.")
TERM("run", "about run", "compare;log",
     "One engine on one dataset at one ε, all its trials; it has a number in the log.")
TERM("session", NULL, "log", "From the program's start to its end: what the log keeps runs and commands under.")
TERM("state", NULL, "compare;counters;lab;log", "Whether a run was finished, interrupted or failed.")

/* ---- times ---- */

TERM("end to end", "total", "compare;counters;lab;log",
     "A whole trial, from the points as loaded to the finished table, all parts included; reading a file never is.")
TERM("kernels", NULL, "compare;counters;lab;log",
     "The time in which distances are computed and hits found: on a GPU the join's kernels by its own clock, on the "
     "CPU the walk over tiles.")
TERM("upload", NULL, "compare;log", "The time in which points are copied to the device.")
TERM("conversion", "convert", "compare;log",
     "The time in which points become what the engine computes with, as FP16 or integers; on the CPU norms are in it.")
TERM("download", NULL, "compare;log", "The time in which what was found is copied from the device.")
TERM("choosing lists", NULL, "compare;log",
     "The time in which a GPU finds each query's nearest lists of an inverted file, and groups the queries of a list.")
TERM("taking pairs", NULL, "compare;log",
     "The time in which the host's threads look through the points that a GPU found, for pairs of the table.")
TERM("neighbour table", "table", "compare;log",
     "For each point its neighbours and, unless asked not to, their distances; the time of it is that of making it.")
TERM("setting up", NULL, "compare;log", "The time in which memory is taken and given back.")
TERM("ordering", "order and boxes;listing pairs of leaves", "compare;log",
     "The time in which points are put into leaves of near ones, and the leaves that may hold pairs are listed.")
TERM("all else", NULL, "compare;log", "What is left of end to end without the parts that are named.")
TERM("CoV", NULL, "compare;counters;lab;log",
     "Coefficient of variation: the trials' standard deviation as a share of their mean; n/a for a single trial.")
TERM("median", NULL, "tune;compare;counters;lab;log", "The middle of the trials: what a run is judged by.")
TERM("verdict", NULL, "data;compare;lab;log",
     "SAME, FASTER, SLOWER or UNCLEAR: what the trials of two runs say; of a dataset, whether FP16 holds it.")
TERM("baseline", "baseline run", "lab;log",
     "What is compared with: in `ablate` everything on or the bare kernel, in `diff` the run that is named first.")
TERM("SAME", NULL, "compare;lab;log",
     "The interval of the ratio of two runs' times leaves no difference that would matter.")
TERM("FASTER", "SLOWER", "compare;lab;log",
     "The times differ by more than runs of the same thing do: the interval of their ratio lies to one side of 1.")
TERM("UNCLEAR", NULL, "compare;lab;log", "Too few or too noisy trials to tell; more trials would.")
TERM("time taken", NULL, "compare;log",
     "The median as a ratio to the reference's or the baseline's: 2× takes twice as long.")
TERM("slowdown", NULL, "lab", "How much longer it takes without the switch: time without over time with.")
TERM("speed-up", NULL, "lab",
     "How much faster than the bare kernel it is with the switch: time without over time with.")
TERM("90 % interval", NULL, "compare;lab;log",
     "Between which bounds a ratio of two runs' times lies, as far as their trials tell; whiskers of a bar. Three "
     "trials a side are the least.")
TERM("published", NULL, "lab", "What the engine's paper tells for this switch, on its authors' machine and data.")

/* ---- rates, and what the machine did ---- */

TERM("derived rate", NULL, "compare;counters;lab;log",
     "2·n²·d over the time of the kernels: what computing every pair in full would take. Symmetry and pairs that are "
     "passed over make it larger than any device's peak.")
TERM("executed rate", "executed", "compare;counters;lab;log",
     "Floating-point operations that were really done, over the time of the kernels.")
TERM("of limit", "limit", "compare;counters;lab;log",
     "The executed rate as a share of what this device was measured to reach with the same instructions.")
TERM(
    "heat map", "map;fastest", "lab",
    "`grid`'s rates over n × d: each cell with its number, on a shade of its share of the greatest, and a bar as high.")
TERM("line", "lines", "lab",
     "What a letter in `grid`'s plot stands for: a small one for an engine at one n, a capital for a limit of its "
     "device.")
TERM("limit of a cell", "cell;cells;too long;refused;to come;from the log", "lab",
     "How long a shape of `grid` may take, all trials together. What is foreseen to take longer is left out, and all "
     "that is larger; what the log has already is taken from there.")
TERM("machine model", "predicted", "lab",
     "What `model` computes of a kernel from its shape and a GPU's figures alone, to be held against counters and "
     "times; verified where that was done.")
TERM("bank conflict", NULL, "counters;lab",
     "Lanes of a phase that want different words of one of shared memory's 32 banks wait for each other: each wait is "
     "a wavefront more.")
TERM("wavefront", NULL, "counters;lab",
     "What shared memory serves at a time, a word of each bank; a phase of an access, 8 lanes of 16 bytes, takes one "
     "where nothing conflicts. Asynchronous copies and wgmma are none of those that counters see.")
TERM("occupancy", "blocks", "lab",
     "How many blocks of a kernel an SM holds at a time, and which resource is used up first; a worker is a block, or "
     "a cluster of them.")
TERM("L2 hit rate", NULL, "counters;lab",
     "What L2 has of what it is asked for. The model replays the order of tiles; workers that are not in step with "
     "each other find less.")
TERM("reuse", "of a column's", "lab",
     "How often a value that was read once is multiplied: by each point on the other side of its tile.")
TERM("intensity", "roofline;products", "lab",
     "Executed operations for each byte that passes a level; times its bytes a second they are the roof that it sets.")
TERM("a slice", NULL, "lab",
     "128 bytes of every point of a tile: clocks that an SM needs for it, for its products alone, and for the whole "
     "tile; those of its copy from L2, and in the long run the longer of the two.")
TERM("stage", "pipeline;copy", "lab",
     "Room in shared memory for a slice. With one stage a block copies and multiplies by turns, with more it copies "
     "meanwhile; the timeline of `model` numbers the slices and fills them by their stage.")
TERM("energy", "energy of the kernels", "compare;counters;log", "Joules that the device took while kernels ran.")
TERM("SM clock", NULL, "compare;counters;log", "The clock of the GPU's processors while kernels ran, on average.")
TERM("clock held down by", "throttle", "compare;counters;log",
     "Throttle: why the GPU ran below its clock, as power or heat; times with it are not the device's best.")
TERM("leaf pairs", "leaf pairs looked at;pairs of leaves looked at", "compare;log",
     "Pairs of leaves, groups of 32 near points, whose boxes are near enough to hold pairs within ε.")
TERM("candidates", "distances computed", "compare;log",
     "Pairs that a cheaper test leaves: their distances are computed in full.")
TERM("groups", "near tiles;tiles that can hold pairs", "compare;log",
     "Points around pivots: tiles of groups that lie too far apart for ε are passed over.")

/* ---- how results agree ---- */

TERM("overlap", "overlap, self counted;overlap, self left out", "compare;accuracy;log",
     "Of the neighbours that either engine finds for a point, the share that both find; the mean over the points.")
TERM("pairs in both results", "common;in both", "compare;accuracy;log", "Unordered pairs that both engines find.")
TERM("wrong side", "pairs only this one has;pairs it lacks;only fast;only true;only other", "compare;accuracy;log",
     "Unordered pairs that one engine finds and the other does not: rounding put them on the wrong side of ε.")
TERM("distance error", "error mean;error;difference", "compare;accuracy;log",
     "The engine's distance less the truth's, over the pairs that both find; a difference where neither is the truth.")
TERM("margin", "true - eps;fast - eps;other - eps", "compare;accuracy",
     "How far a pair's distance is from ε: not above 0 is within.")
TERM("distances kept", "its distances kept", "compare;accuracy;log",
     "Whether the neighbour table has distances, and whether in FP32 or FP64.")
TERM("FP16 shift", "which is of eps", "compare;accuracy;counters;log",
     "How far rounding to FP16 moves a point, at most: from an eighth of ε on, neighbours are no longer the points' "
     "own.")
TERM("undecided",
     "undecided by the bound;own error of a distance;pairs found that near to eps;pairs left out that near to eps",
     "compare;accuracy;log",
     "Pairs so near to ε that the arithmetic's own error reaches across it: FP64's, or a filter's proven bound.")
TERM("rechecked", "decided by FP64;pairs decided by FP64", "compare;log",
     "Pairs that a filter's bound left open or let pass, and that the FP64 definition decided.")
TERM("bound's share", "the bound's worst observed share", "compare;log",
     "The largest error met, as a share of the bound that was proven: above 1 the proof would be wrong.")
TERM("a coordinate takes", NULL, "compare;log", "Bytes that the engine computes with for each coordinate.")

/* ---- the k nearest ---- */

TERM("k nearest", "nearest wanted;queries, all points", "tune;lab",
     "The k points that are nearest to a query, itself left out; of equally far ones those of smaller numbers. Queries "
     "that are taken out are nobody's neighbours.")
TERM(
    "radius of a query", NULL, "tune",
    "Within it a join looks for the query's nearest: as far as some nearest of a sample are, times a factor that a few "
    "queries tell whose distances to all points are computed. Where it holds fewer than k the next round's is larger.")
TERM("recall", "recall@k;rows looked for;recall, of the truth's nearest", "lab",
     "Of a query's k nearest points the share that a search finds, the mean over the queries, and its 95 % interval.")
TERM("throughput", "throughput, queries a second", "lab", "Queries answered a second, by all threads together.")
TERM(
    "nlist", "lists;inverted file;index was built in", "lab",
    "The lists of an inverted file: points lie in the list of the nearest of so many centroids, in whole blocks of 32.")
TERM("nprobe", "lists scanned;lists scanned a point", "compare;lab;log",
     "How many lists a query looks at, the nearest first: more find more, and take longer.")
TERM("m", "pieces;subspaces;of them codes;product quantiser", "compare;lab;log",
     "The pieces that a point's residual, what it is away from its list's centroid, is cut into; each is coded by a "
     "byte.")
TERM("kept index", "of rows", "lab",
     "The inverted file that is kept of a dataset, and what it was made of: who asks for the same again gets the same.")
TERM("imbalance", "least points", "lab",
     "How many times more points a query scans, in lists that are not equally long, than it would in lists that are.")
TERM(
    "of it lost", NULL, "lab",
    "What quantising loses: of a point's squared distance to its list's centroid the part that its code does not tell.")
TERM("look-up table", "lut", "lab",
     "A query's squared distances to the 256 entries of each piece's book, for one list; a point's is the sum of m of "
     "them.")

/* ---- the screen ---- */

TERM("theme", "colours;background", "log",
     "The workbench's colours: dark or light for a terminal's background, mono for none, auto for what the terminal "
     "says when it is asked. `set theme=light` chooses, `set keep theme=light` for the next time, too.")
