/* radius_rows: the rows of command_rows.h for the commands that relate ε to the selectivity S and to clusters. */

ROW(tune, "tu", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Find the ε that gives each wanted selectivity",
    .detail =
        "Samples the curve S(ε), brackets each target, and counts all targets in one exact pass. The answer is the "
        "smallest ε with S(ε) ≥ target. A bracket that misses its target costs a second pass. The ε of the last "
        "target becomes the default of join, compare and accuracy.\n\n"
        "within=2% needs no exact pass. It samples until the 95 % band of S at ε is within ± 2 % of the target. If "
        "that "
        "takes more than an eighth of the points as queries, the exact pass is made and the report says so. basis is "
        "sampled or exact.\n\n"
        "Ctrl-C during the exact pass keeps the sampled ε and its band. `tune S=64 background` sets the sampled ε at "
        "once; the exact pass goes on behind it, and stands still while other commands run. The workbench does the "
        "same "
        "if a pass takes more than 5 s. `tune wait` waits for the pass, `tune stop` leaves it.\n\n"
        "There are other targets, one kind at a time. pairs= sets the least |R|. elbow takes the ε where the "
        "sampled k-distance curve bends (`kdistance`). noise= finds the smallest ε, to a thousandth, at which "
        "DBSCAN leaves at most this share of the points as noise, counted exactly.",
    .examples = "tune S=64,128\n"
                "tune S=64 within=20%\n"
                "synth clusters 2000 4; tune noise=5%",
    .argument = {OPERAND("S", EB_ARG_NUMBERS, .above = true, .max = EB_MAX_POINTS,
                         .help = "wanted mean numbers of other points within ε"),
                 ARGUMENT("pairs", EB_ARG_NUMBERS, .above = true, .max = 1e15,
                          .help = "wanted numbers of pairs |R|, self pairs included"),
                 ARGUMENT("within", EB_ARG_SHARE, .above = true, .max = 1,
                          .help = "half the width of the 95 % band of S at which sampling ends"),
                 ARGUMENT("background", EB_ARG_FLAG, .help = "set the sampled ε, count exactly in the background"),
                 ARGUMENT("elbow", EB_ARG_FLAG, .help = "ε at the elbow of the k-distance curve, k = minpts"),
                 ARGUMENT("noise", EB_ARG_SHARE, .max = 1, .help = "greatest share of noise"), MIN_POINTS_ARGUMENT,
                 TRUTH_ENGINE_ARGUMENT, QUERIES_ARGUMENT,
                 ARGUMENT("wait", EB_ARG_FLAG, .help = "wait for the exact pass in the background"),
                 ARGUMENT("stop", EB_ARG_FLAG, .help = "leave the exact pass in the background")})
ROW(curve, "cu", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Sample the S(ε) curve, without an exact pass",
    .detail = "The distances of some points to all others give S(ε) with its 95 % interval. Points in crowded regions "
              "are drawn more often. A note says where few points carry S, so that the interval may be too narrow.\n\n"
              "tune and sweep use the same curve. It is sampled once for each dataset, and again if queries= is given.",
    .examples = "curve\n"
                "curve queries=200",
    .argument = {QUERIES_ARGUMENT, TRUTH_ENGINE_ARGUMENT})
ROW(sweep, "sw", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Compute the exact S(ε) curve over a range",
    .detail = "Takes a range of ε or a range of S. The points of the curve are evenly spaced in log ε. One exact pass "
              "counts them all.",
    .examples = "sweep S=16..128 points=9\n"
                "sweep eps=500..1500 points=5",
    .argument = {ARGUMENT("eps", EB_ARG_RANGE, .max = DBL_MAX, .help = "from ε to ε"),
                 ARGUMENT("S", EB_ARG_RANGE, .max = EB_MAX_POINTS, .help = "from selectivity to selectivity"),
                 ARGUMENT("points", EB_ARG_INTEGER, .min = 2, .max = 10000, .fallback = "17",
                          .help = "points of the curve, both ends included"),
                 TRUTH_ENGINE_ARGUMENT})

ROW(kdistance, "k", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Draw the k-distance curve with its elbow",
    .detail = "The k-distance of a point is the ε from which on it is a core point: minpts points, itself counted, lie "
              "within ε. The points are sampled as for the curve S(ε); with queries= at n or more, every point is "
              "one, and the curve is exact. The search of knn finds the distances.\n\n"
              "Sorted k-distances bend where crowded regions end. The elbow is where the curve, both axes scaled to 0 "
              "to 1, is farthest below the line between its ends (Kneedle). `tune elbow` takes that ε.",
    .examples = "kdistance\n"
                "kdistance minpts=8\n"
                "kdistance queries=4000",
    .argument = {MIN_POINTS_ARGUMENT, QUERIES_ARGUMENT, TRUTH_ENGINE_ARGUMENT})
ROW(clusters, "cl", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Count clusters and noise along a range of ε",
    .detail =
        "For each ε of a grid, evenly spaced in log ε, counts what DBSCAN finds: clusters, core points and noise. "
        "Also counts the connected components of all points within ε. If the number of clusters is the same over "
        "a long range, the choice of ε matters little.\n\n"
        "The counts are exact. Two joins (for minpts up to 2, one) produce the pairs, which are not stored. Without "
        "eps=, a sample finds the range: from 2 % core points to more than 98 %.",
    .examples = "synth clusters 2000 4; clusters eps=0.05..0.5 minpts=5 points=9\n"
                "synth clusters 2000 4; clusters points=7",
    .argument = {ARGUMENT("eps", EB_ARG_RANGE, .max = DBL_MAX, .fallback = "where the k-distances are",
                          .help = "from ε to ε"),
                 MIN_POINTS_ARGUMENT,
                 ARGUMENT("points", EB_ARG_INTEGER, .min = 2, .max = 1000, .fallback = "25",
                          .help = "points of the grid, both ends included"),
                 TRUTH_ENGINE_ARGUMENT})
ROW(dbscan, "db", "Radius", "tune", EB_NEEDS_DATASET, .summary = "Label the points by DBSCAN at one ε",
    .detail =
        "A core point has minpts points within ε, itself counted, as with scikit-learn's min_samples. Clusters are "
        "numbered by their first core point. A border point belongs to the first cluster that reaches it. Every "
        "label equals scikit-learn's.\n\n"
        "The pairs of two joins are read as they come; no neighbour table is stored. The file gets a label for "
        "each point: .npy (int32, noise is -1) or .csv.",
    .examples = "synth clusters 2000 4; dbscan eps=0.2 minpts=5 labels.npy\n"
                "synth clusters 2000 4; dbscan S=16",
    .argument = {OPERAND("file", EB_ARG_FILE, .written = true, .help = "file for the labels: .npy .csv"), EPS_ARGUMENT,
                 S_ARGUMENT, MIN_POINTS_ARGUMENT, TRUTH_ENGINE_ARGUMENT, FORCE_ARGUMENT})
ROW(neighbours, "ne", "Radius", "tune", EB_NEEDS_DATASET,
    .summary = "List a point's neighbours, or count every point's",
    .detail =
        "With a point, lists its neighbours within ε, nearest first, with their labels. Of two at the same squared "
        "distance, the smaller number comes first. The point itself is left out.\n\n"
        "Without a point, counts exactly how many points have how many neighbours, and draws a histogram.",
    .examples = "neighbours 17 eps=1500\n"
                "neighbours S=16",
    .argument = {OPERAND("point", EB_ARG_INTEGER, .max = EB_MAX_POINTS, .fallback = "all: a histogram",
                         .help = "number of the point, from 0"),
                 EPS_ARGUMENT, S_ARGUMENT,
                 ARGUMENT("limit", EB_ARG_INTEGER, .min = 1, .max = EB_MAX_POINTS, .fallback = "20",
                          .help = "longest list"),
                 TRUTH_ENGINE_ARGUMENT})
