/* log_rows: the rows of command_rows.h for the commands of the session log. */

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
ROW(show, "sh", "Log", "log", EB_BACKGROUND | EB_UNLOGGED, .summary = "Show all that the log knows of a run",
    .examples = "join " EB_TRUE " eps=1000 trials=1 count; show 1\n"
                "synth uniform 500 8; join " EB_TRUE " S=8 trials=2; show 1",
    .argument = {OPERAND("run", RUN_NUMBER, .required = true, .help = "number of the run, as `runs` lists it")})
ROW(diff, "di", "Log", "log", EB_BACKGROUND | EB_UNLOGGED, .summary = "Compare a run with a baseline run",
    .detail =
        "The trials of both runs give the verdict: SAME, FASTER, SLOWER or UNCLEAR. A warning says if dataset, ε or "
        "device differ.\n\n"
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
