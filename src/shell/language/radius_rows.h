/* radius_rows: the rows of command_rows.h for the commands that relate ε to the selectivity S. */

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
