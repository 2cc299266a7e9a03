/* accuracy_rows: the commands that compare engines and number types; a part of command_rows.h. */
ROW(compare, "com", "Runs", "compare", EB_NEEDS_DATASET,
    .summary = "Run engines side by side: a fast one beside the truth",
    .detail =
        "Shows times, rates and pairs side by side, the overlap of the results (FASTED, Eq. 3), the distance error "
        "with its histogram, and the pairs nearest to ε with both verdicts.\n\n"
        "Each engine is compared with the most exact engine named: one that computes the truth, else a certified one; "
        "of several, the last. If all named engines are approximate, " EB_SURE
        " runs as well. An engine that is emulated on the "
        "CPU is measured once unless trials= is given: its time is not a GPU's.\n\n"
        "Several S or eps, as in S=64,128,256, give a row for each and each engine, and curves of time and overlap "
        "over "
        "S; the ε are found together.\n\n"
        "sample=2000 draws 2000 points with the seed that is set and compares each with all points; overlap and mean "
        "error get 95 % intervals. The drawn points have exactly the neighbours that they have in the whole result. On "
        "a CPU, a comparison forecast to take over ten seconds draws such a sample by itself; sample=all compares all "
        "points.\n\n"
        "With distances=f32, engines that compute FP32 distances keep FP32 in their tables. Warnings and "
        "undecided pairs are as in `join`. Times: " EB_TIMES_BRIEF ".",
    .examples = "synth gaussian 1000 64; compare " EB_FAST " " EB_TRUE " S=16\n"
                "synth gaussian 1000 64; compare " EB_FAST "[tensor=sm_80] " EB_TRUE " S=16 trials=1\n"
                "synth gaussian 1000 64; compare " EB_FAST " S=16,64 sample=100",
    .argument = {OPERAND("fast", EB_ARG_ENGINE, .fallback = EB_FAST, .help = "engine under test"),
                 OPERAND("truth", EB_ARG_ENGINE, .fallback = EB_SURE ", unless an engine named is exact",
                         .help = "engine to measure it against"),
                 OPERAND("more", EB_ARG_ENGINE, .repeated = true, .help = "further engines"), EPS_LIST_ARGUMENT,
                 S_LIST_ARGUMENT, TRIALS_ARGUMENT, WARM_UP_ARGUMENT, DISTANCES_ARGUMENT, SELF_ARGUMENT("out"),
                 SAMPLE_ARGUMENT("all, or up to 2000 where all would take long on a CPU")})
ROW(precision, "prec", "Runs", "precision", EB_NEEDS_DATASET,
    .summary = "Say which number type is enough for these points",
    .detail =
        "Joins the points at ε in INT8, FP8, BF16 and FP16, with the tensor core's own bits, and says what share of "
        "the exact result each keeps. The first table has a line for each type: the bytes of a coordinate, the overlap "
        "that a sample of pairs near ε predicts, and the overlap of the join. least is that of the worst point, which "
        "may have one neighbour only. error is that of distances. knn is the share of the k nearest points that stay "
        "the k nearest. check says whether the prediction held.\n\n"
        "The second table says what it takes to lose nothing. At the complete ε a join in that type is proven to find "
        "every pair of the truth, with so many more pairs. To rescore says how many candidates, for each neighbour "
        "wanted, must be looked at again. tau is 1 if neighbours keep their order.\n\n"
        "On a GPU a table says how fast each join was. The derived rate counts each pair as 2·d operations. of limit "
        "is the share of what this GPU reaches in that type. end to end is the time from the points to the table of "
        "neighbours. In the plot, circles are the model's. A CPU emulates the tensor cores, so that only the model's "
        "rates are told.\n\n"
        "Of two ways to prepare the points, centred or not, the better is taken; `columns=rung,spec` shows which. A "
        "table predicts what each preparation alone would keep. The last ones say which points and dimensions "
        "lose most.\n\n"
        "predict leaves out the joins and takes about a second once ε is known. A prediction is right within a quarter "
        "of the share that is lost, within a half where distances err by a twentieth of ε. If more than 30 % is lost, "
        "it says no more than that. sample= is as in `compare`. types= also adds types that are left out otherwise, "
        "such as two INT8: a coordinate as the sum of two numbers.\n\n"
        "Several radii, such as S=64,128 or S=16..1024, show where each type breaks down. Without eps, S or an earlier "
        "ε, S is 64.\n\n"
        "`help " EB_RUNGS "` explains each choice; `compare " EB_RUNGS "[type=bf16,centre=mean] " EB_SURE
        "` tries another.",
    .examples = "synth gaussian 1000 64; precision S=16\n"
                "precision predict S=16 want=99%\n"
                "synth gaussian 1000 64; precision S=4..64 types=bf16,s8",
    .argument = {ARGUMENT("eps", EB_ARG_NUMBERS, .max = DBL_MAX, .help = "radii, ascending"),
                 ARGUMENT("S", EB_ARG_STEPS, .min = 1, .max = EB_MAX_POINTS, .step = 2,
                          .fallback = "the last ε, else 64", .help = "selectivities to tune ε to; S=16..1024 doubles"),
                 ARGUMENT("types", EB_ARG_TEXT, .fallback = "all but tf32 and f64",
                          .help = "number types to try: s8, e4m3, e5m2, bf16, f16, tf32, f64, separated by commas"),
                 ARGUMENT("k", EB_ARG_INTEGER, .min = 1, .max = 1000, .fallback = "10",
                          .help = "nearest neighbours whose order is compared"),
                 ARGUMENT("want", EB_ARG_SHARE, .min = 0, .max = 1, .fallback = "99.9%",
                          .help = "the overlap that is enough"),
                 SAMPLE_ARGUMENT("all, or up to 2000 where all would take long on a CPU"),
                 ARGUMENT("on", EB_ARG_TEXT, .fallback = "this machine's, else h200",
                          .help = "GPU whose rates are predicted; `model devices` lists them"),
                 ARGUMENT("predict", EB_ARG_FLAG, .help = "predict only, run no joins")})
ROW(accuracy, "ac", "Runs", "accuracy", 0, .summary = "Show overlap and distance error of the last comparison",
    .detail = "self=in counts as FASTED's Tables 7 and 8 do. Every point is its own neighbour, and errors are over "
              "ordered pairs, (i, i) included. The distance of a point to itself is what the engine computes: FASTED's "
              "s + s - 2a need not be 0, and a negative value becomes 0.\n\n"
              "The authors printed distances with 6 digits; here all digits count.\n\n"
              "If sample= asks for other points than were compared, the engines run again at the same ε.",
    .examples = "synth gaussian 1000 64; compare " EB_FAST " " EB_TRUE " S=16 trials=1; accuracy\n"
                "synth gaussian 1000 64; compare " EB_FAST " " EB_TRUE " S=16 trials=1; accuracy self=in\n"
                "synth gaussian 1000 64; compare " EB_FAST " " EB_TRUE " S=16 trials=1; accuracy sample=100",
    .argument = {COMPARED_ARGUMENT, SELF_ARGUMENT("as compared"), SAMPLE_ARGUMENT("as compared")})
ROW(hist, "hi", "Runs", "accuracy", 0, .summary = "Draw the distance errors of the last comparison",
    .examples = "synth gaussian 1000 64; compare " EB_FAST " " EB_TRUE " S=16 trials=1; hist\n"
                "synth gaussian 1000 64; compare " EB_FAST " " EB_TRUE " S=16 trials=1; hist log",
    .argument = {ARGUMENT("bins", EB_ARG_INTEGER, .min = 10, .max = 100000, .fallback = "200",
                          .help = "bins of the histogram"),
                 ARGUMENT("log", EB_ARG_FLAG, .help = "draw the counts on a logarithmic axis"), COMPARED_ARGUMENT,
                 SELF_ARGUMENT("as compared")})
