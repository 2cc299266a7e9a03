/* main: reads the program's options and starts a script, the plain prompt or the workbench. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "commands.h"
#include "core/base/thread.h"
#include "core/files/text_file.h"
#include "draw/console.h"
#include "draw/utf8.h"
#include "engines.h"
#include "kernels/device/cuda.h"
#include "kernels/jit/function.h"
#include "mpi/mpi.h"
#include "processes.h"
#include "shell/background/messages.h"
#include "shell/config.h"
#include "shell/dispatch.h"
#include "shell/language/manual.h"
#include "shell/language/values.h"
#include "shell/repl.h"
#include "shell/script.h"
#include "shell/signals.h"
#include "ui/terminal/crash.h"
#include "ui/workbench.h"

static const char usage_text[] =
    "usage: epsbench [OPTIONS] [DATASET]\n"
    "\n"
    "A workbench for the distance-similarity self-join: all pairs of points within \xCE\xB5.\n"
    "Opens the workbench on a terminal, else reads commands from the standard input.\n"
    "\n"
    "  -c COMMANDS        run commands and exit (repeatable)\n"
    "  -f FILE            run a script and exit (- is the standard input; repeatable)\n"
    "      --repl         plain line editor, no panels\n"
    "      --json, --csv, --markdown\n"
    "                     how reports are printed; JSON is one document per command\n"
    "      --db FILE      the session log (default $XDG_STATE_HOME/epsbench/sessions.db)\n"
    "      --no-log       keep no log\n"
    "      --device cpu|cuda:N|cuda:all, --threads N, --trials N, --seed N\n"
    "                     defaults for commands\n"
    "      --no-config    do not read $XDG_CONFIG_HOME/epsbench/config, the `set` lines that the\n"
    "                     workbench and the prompt run first\n"
    "  -k                 keep going after a failed command\n"
    "      --version, --help\n"
    "\n"
    "Exit status: 0 all commands succeeded, 1 one failed, 2 usage, 3 no such device or\n"
    "engine here, 130 interrupted.\n";

enum option_code {
    OPTION_REPL = 256,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_MARKDOWN,
    OPTION_DB,
    OPTION_NO_LOG,
    OPTION_NO_CONFIG,
    OPTION_DEVICE,
    OPTION_THREADS,
    OPTION_TRIALS,
    OPTION_SEED,
    OPTION_VERSION,
    OPTION_HELP,
    OPTION_MAN_COMMANDS,
    OPTION_MAN_ENGINES,
    OPTION_MAN_TERMS,
    OPTION_KEYS,
    OPTION_SCREEN,
};

static const struct option long_options[] = {
    {"repl", no_argument, NULL, OPTION_REPL},
    {"json", no_argument, NULL, OPTION_JSON},
    {"csv", no_argument, NULL, OPTION_CSV},
    {"markdown", no_argument, NULL, OPTION_MARKDOWN},
    {"db", required_argument, NULL, OPTION_DB},
    {"no-log", no_argument, NULL, OPTION_NO_LOG},
    {"no-config", no_argument, NULL, OPTION_NO_CONFIG},
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"trials", required_argument, NULL, OPTION_TRIALS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"version", no_argument, NULL, OPTION_VERSION},
    {"help", no_argument, NULL, OPTION_HELP},
    {"man-commands", no_argument, NULL, OPTION_MAN_COMMANDS}, /* for the build: the manual's COMMANDS section */
    {"man-engines", no_argument, NULL, OPTION_MAN_ENGINES},   /* for the build: its ENGINES section */
    {"man-terms", no_argument, NULL, OPTION_MAN_TERMS},       /* for the build: its GLOSSARY section */
    {"keys", required_argument, NULL, OPTION_KEYS}, /* for tests: the workbench with keys from a file, no terminal */
    {"screen", required_argument, NULL, OPTION_SCREEN}, /* for tests: the size of that workbench, as 80x24 */
    {NULL, 0, NULL, 0},
};

/* An argument of -c or -f. */
typedef struct source {
    bool is_file;
    const char *text;
} source;

typedef struct invocation {
    eb_mode mode;
    bool keep_going, no_log, no_config, version, help, man_commands, man_engines, man_terms, plain;
    const char *db, *dataset, *keys;
    int columns, rows;      /* of the screen for --keys; 0: the default */
    const char *setting[4]; /* device, threads, trials, seed as typed; NULL: not given */
    source *sources;
    size_t source_count;
} invocation;

static const char *const setting_names[] = {"device", "threads", "trials", "seed"};

static int usage_error(const char *message, const char *what)
{
    char sentence[600];
    (void)snprintf(sentence, sizeof sentence, "%s%.400s; see epsbench --help", message, what);
    if (eb_mpi_rank() == 0) /* once, of several processes */
        eb_complain(stderr, NULL, sentence);
    return 2;
}

/* Checks an option's value against the type of the same setting of the command `set`. */
static int check_setting(size_t which, const char *text)
{
    const eb_command *set;
    eb_status failure;
    if (eb_command_find("set", &set, &failure))
        return usage_error("", failure.message);
    for (const eb_argument *argument = set->argument; argument->name; argument++) {
        if (strcmp(argument->name, setting_names[which]) != 0)
            continue;
        eb_argument_value value = {0};
        eb_code failed = eb_value_read(argument, text, &value, &failure);
        eb_argument_value_clear(&value);
        return failed ? usage_error("--", failure.message) : 0;
    }
    return 0;
}

/* Reads "80x24". */
static bool read_size(const char *text, int *columns, int *rows)
{
    char *end;
    long wide = strtol(text, &end, 10);
    long high = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    *columns = (int)wide;
    *rows = (int)high;
    return *end == '\0' && wide >= 1 && high >= 1 && wide <= 4096 && high <= 4096;
}

static int take_option(invocation *run, int code, const char *typed)
{
    switch (code) {
    case 'c':
    case 'f': run->sources[run->source_count++] = (source){code == 'f', optarg}; return 0;
    case 'k': run->keep_going = true; return 0;
    case OPTION_REPL: run->plain = true; return 0;
    case OPTION_KEYS: run->keys = optarg; return 0;
    case OPTION_SCREEN:
        return read_size(optarg, &run->columns, &run->rows)
                   ? 0
                   : usage_error("--screen is COLUMNSxROWS, as 80x24; found ", optarg);
    case OPTION_JSON: run->mode = EB_MODE_JSON; return 0;
    case OPTION_CSV: run->mode = EB_MODE_CSV; return 0;
    case OPTION_MARKDOWN: run->mode = EB_MODE_MARKDOWN; return 0;
    case OPTION_DB: run->db = optarg; return 0;
    case OPTION_NO_LOG: run->no_log = true; return 0;
    case OPTION_NO_CONFIG: run->no_config = true; return 0;
    case OPTION_DEVICE:
    case OPTION_THREADS:
    case OPTION_TRIALS:
    case OPTION_SEED:
        run->setting[code - OPTION_DEVICE] = optarg;
        return check_setting((size_t)(code - OPTION_DEVICE), optarg);
    case OPTION_VERSION: run->version = true; return 0;
    case OPTION_HELP: run->help = true; return 0;
    case OPTION_MAN_COMMANDS: run->man_commands = true; return 0;
    case OPTION_MAN_ENGINES: run->man_engines = true; return 0;
    case OPTION_MAN_TERMS: run->man_terms = true; return 0;
    case ':': return usage_error("this option needs a value: ", typed);
    default: return usage_error("unknown or ambiguous option: ", typed);
    }
}

static int read_options(invocation *run, int argc, char **argv)
{
    /* With the leading colon getopt prints no messages of its own; those would show raw bytes of the argument. */
    for (int code; (code = getopt_long(argc, argv, ":c:f:k", long_options, NULL)) != -1;) {
        const char letter[] = {'-', (char)optopt, '\0'};
        int failed = take_option(run, code, optopt > 0 && optopt < 128 ? letter : argv[optind - 1]);
        if (failed)
            return failed;
    }
    if (argc - optind > 1)
        return usage_error("expected one DATASET at most, found also ", argv[optind + 1]);
    if (optind < argc)
        run->dataset = argv[optind];
    return 0;
}

/* BEFORE"TEXT", with TEXT escaped for the command parser; heap, NULL when out of memory. */
static char *quoted(const char *before, const char *text)
{
    char *line = malloc(strlen(before) + 2 * strlen(text) + 3), *at = line;
    if (!line)
        return NULL;
    at += sprintf(at, "%s\"", before);
    for (; *text; text++) {
        if (*text == '\n' || *text == '\t' || *text == '"' || *text == '\\')
            *at++ = '\\';
        *at++ = *text == '\n' ? 'n' : *text == '\t' ? 't' : *text;
    }
    *at++ = '"';
    *at = '\0';
    return line;
}

/* Runs before"text" as a command, so that the log contains it and a replay repeats it. */
static eb_code run_quoted(eb_shell *shell, const char *before, const char *text)
{
    char *line = quoted(before, text);
    if (!line) {
        (void)fputs("epsbench: out of memory\n", stderr);
        return EB_NO_MEMORY;
    }
    eb_code failed = eb_shell_run(shell, line, NULL);
    free(line);
    return failed;
}

static eb_code apply_settings(eb_shell *shell, const invocation *run)
{
    eb_code failed = EB_OK;
    shell->quiet = true;
    for (size_t k = 0; !failed && k < sizeof setting_names / sizeof setting_names[0]; k++) {
        char before[32];
        (void)snprintf(before, sizeof before, "set %s=", setting_names[k]);
        if (run->setting[k])
            failed = run_quoted(shell, before, run->setting[k]);
    }
    shell->quiet = false;
    return failed;
}

/* ---- the workbench ---- */

/* Returns false if the workbench cannot run on this terminal; the caller then continues with the plain prompt. */
static bool open_workbench(eb_shell *shell, const char *dataset)
{
    eb_status failure;
    char *first = dataset ? quoted("load ", dataset) : NULL;
    eb_code failed = eb_workbench_run(shell, first, &failure);
    free(first);
    if (failed)
        (void)fprintf(stderr, "epsbench: cannot open the workbench: %s; going on with the plain prompt (--repl)\n",
                      failure.message);
    return !failed;
}

/* Runs the person's config file. An error in it becomes the workbench's greeting, or a warning on stderr. */
static void apply_config(eb_shell *shell, const invocation *run, bool on_screen)
{
    char *wrong = run->no_config ? NULL : eb_config_run(shell);
    if (wrong && on_screen)
        shell->greeting = wrong;
    else if (wrong)
        eb_complain(shell->err, NULL, wrong);
    if (!on_screen)
        free(wrong);
}

/* Runs the workbench on a screen in memory, with keys from a file. */
static eb_code run_keys(eb_shell *shell, const invocation *run)
{
    char *script = NULL;
    size_t size = 0;
    eb_status failure;
    FILE *file;
    if (eb_text_stream(run->keys, run->keys, "keys", EB_SETTINGS_BYTES, &file, &failure)) {
        eb_complain(stderr, NULL, failure.message);
        return failure.code;
    }
    ssize_t length = getdelim(&script, &size, '\0', file);
    (void)fclose(file);
    if (length < 0) {
        (void)fprintf(stderr, "epsbench: %s has no keys to read\n", run->keys);
        free(script);
        return EB_IO;
    }
    eb_code failed =
        eb_workbench_script(shell, script, run->columns ? run->columns : 80, run->rows ? run->rows : 24, &failure);
    if (failed)
        eb_complain(stderr, run->keys, failure.message);
    free(script);
    return failed;
}

/* True if commands are read from the standard input and no person types there. */
static bool reads_script(const invocation *run)
{
    bool reads = run->source_count == 0 && !run->keys && !isatty(STDIN_FILENO);
    for (size_t k = 0; k < run->source_count; k++)
        reads |= run->sources[k].is_file && strcmp(run->sources[k].text, "-") == 0;
    return reads;
}

/* Applies the options, then runs what they name; if they name nothing, the terminal or the standard input. */
static eb_code run_all(eb_shell *shell, const invocation *run)
{
    bool interactive = run->source_count == 0 && isatty(STDIN_FILENO);
    shell->session->script_on_input = reads_script(run);
    bool workbench = run->keys || (interactive && !run->plain && shell->session->settings.mode == EB_MODE_TEXT);
    if (workbench || interactive)
        apply_config(shell, run, workbench);
    eb_code first = apply_settings(shell, run); /* after the config file: options override it */
    if (first)
        return first;
    if (run->keys)
        return run_keys(shell, run);
    if (workbench && open_workbench(shell, run->dataset))
        return EB_OK; /* the person has seen every failure already */
    if (run->dataset)
        first = run_quoted(shell, "load ", run->dataset);
    for (size_t k = 0; k < run->source_count; k++) {
        if (shell->quitting || shell->interrupted || (first && !shell->keep_going))
            return first;
        eb_code failed = run->sources[k].is_file ? eb_script_run_file(shell, run->sources[k].text, true, eb_shell_run)
                                                 : eb_shell_run(shell, run->sources[k].text, NULL);
        first = first ? first : failed;
    }
    if (interactive) {
        eb_repl(shell); /* the person has seen every failure already */
        return EB_OK;
    }
    if (run->source_count == 0 && !shell->quitting && !shell->interrupted && (!first || shell->keep_going)) {
        eb_code failed = eb_script_run(shell, STDIN_FILENO, "stdin", eb_shell_run);
        first = first ? first : failed;
    }
    return first;
}

static bool terminal_draws(void) { return isatty(STDERR_FILENO) && !eb_is_dumb(getenv("TERM")); }

static bool wants_colour(void)
{
    const char *none = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(none && *none) && !eb_is_dumb(getenv("TERM"));
}

/* Input and outcome of the terminal's thread. */
typedef struct task {
    const invocation *run;
    const eb_processes *processes;
    int signal_fd, ended; /* `ended` becomes readable when the thread has ended */
    int exit_status, ended_by;
} task;

static int work(task *t)
{
    const invocation *run = t->run;
    eb_session *session = eb_session_new();
    if (!session) {
        (void)fputs("epsbench: out of memory\n", stderr);
        return 1;
    }
    session->settings.mode = run->mode;
    session->ranks = t->processes->ranks;
    if (session->ranks)
        session->settings.threads = eb_ranks_at(session->ranks, 0)->place.cores;
    session->messages = eb_messages_new();
    session->shelf = eb_shelf_new();
    if (session->shelf)
        session->gallery = eb_shelf_gallery(session->shelf);
    session->program = "epsbench " EB_VERSION " (" EB_COMMIT ")";
    eb_shell shell = {
        .session = session,
        .out = stdout,
        .err = stderr,
        .signal_fd = t->signal_fd,
        .progress = terminal_draws(),
        .unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
        .colour = wants_colour(),
        .console = eb_is_console(getenv("TERM")),
        .keep_going = run->keep_going,
        .logging = !run->no_log,
        .log_path = run->db,
        .build = {.version = EB_VERSION, .commit = EB_COMMIT, .flags = EB_FLAGS, .compiler = __VERSION__},
    };
    eb_code outcome = run_all(&shell, run);
    eb_shell_end(&shell);
    free(shell.greeting);
    eb_cuda_stop();
    eb_messages_free(session->messages);
    eb_shelf_free(session->shelf);
    eb_session_free(session);
    t->ended_by = shell.ended_by;
    return shell.interrupted && outcome == EB_OK ? 130 : eb_exit_status(outcome);
}

static void *work_on_thread(void *argument)
{
    task *t = argument;
    uint64_t one = 1;
    t->exit_status = work(t);
    while (write(t->ended, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    return NULL;
}

/* Runs everything on a second thread: the first thread's stack has the size that `ulimit -s` sets, which may be small.
 * The first thread only guards signals. */
static int run_guarded(const invocation *run)
{
    eb_status failure;
    pthread_t thread;
    eb_processes processes;
    task t = {.run = run, .processes = &processes, .ended = eventfd(0, EFD_CLOEXEC), .exit_status = 1};
    if (eb_signals_open(&t.signal_fd, &failure)) {
        eb_complain(stderr, NULL, failure.message);
        return 1;
    }
    eb_crash_arm(EB_VERSION, EB_COMMIT);
    const int over = eb_processes_begin(&processes);
    if (over >= 0)
        return over;
    const bool started = t.ended >= 0 && (errno = eb_thread_start(&thread, work_on_thread, &t)) == 0;
    if (!started) {
        (void)fprintf(stderr, "epsbench: cannot start: expected %zu MiB for a stack, found: %s\n",
                      EB_THREAD_STACK >> 20, strerror(errno));
        return 1;
    }
    eb_signals_guard(t.signal_fd, t.ended, run->source_count > 0 || !isatty(STDIN_FILENO), eb_crash_give_back);
    (void)pthread_join(thread, NULL);
    eb_processes_end(&processes);
    (void)close(t.signal_fd);
    (void)close(t.ended);
    if (t.ended_by)
        eb_signals_end_by(t.ended_by);
    return t.exit_status;
}

/* Opens /dev/null on each standard descriptor that the parent closed, so that no other file gets its number. The mode
 * is the wrong one (write-only for stdin), so that using the descriptor is an error that is reported. */
static bool hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], EB_FUNCTION_ARGUMENT) == 0)
        return eb_function_main(argc, argv);
    if (!hold_standard_descriptors())
        return 1;
    /* The person's locale decides the character set; numbers always have a decimal point. */
    (void)setlocale(LC_ALL, "");
    (void)setlocale(LC_NUMERIC, "C");

    eb_register_engines();
    eb_register_commands();

    invocation run = {.mode = EB_MODE_TEXT};
    run.sources = calloc((size_t)argc + 1, sizeof *run.sources);
    if (!run.sources) {
        (void)fputs("epsbench: out of memory\n", stderr);
        return 1;
    }
    int status = read_options(&run, argc, argv);
    if (status == 0 && run.help)
        (void)fputs(usage_text, stdout);
    else if (status == 0 && run.version)
        (void)printf("epsbench %s (%s)\n", EB_VERSION, EB_COMMIT);
    else if (status == 0 && run.man_commands)
        eb_manual_commands(stdout);
    else if (status == 0 && run.man_engines)
        eb_manual_engines(stdout);
    else if (status == 0 && run.man_terms)
        eb_manual_terms(stdout);
    else if (status == 0)
        status = run_guarded(&run);
    free(run.sources);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == 0) {
        eb_complain(stderr, NULL, "cannot write the output");
        status = 1;
    }
    return status;
}
