/* arrow: reads Parquet, Feather and Arrow files with Arrow's own library, the Python package pyarrow. A child process
 * (subprocess.h) starts Python (python.h) and talks to it over pipes; arrow.py defines the messages. Columns are chosen
 * here, as for any table. A column of lists is a matrix; without columns= the only such column is the coordinates. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/arrow/python.h"
#include "io/bytes.h"
#include "io/columns.h"
#include "io/load_line.h"
#include "io/reader.h"
#include "io/subprocess/child.h"
#include "io/subprocess/subprocess.h"

extern const char eb_arrow_script[];

enum { SECONDS = 600, FILE_DESCRIPTOR = 3 };

/* A conversation with Python: its pipes, the last line, the columns. */
typedef struct talk {
    const eb_subprocess_request *request;
    eb_subprocess_reply *reply;
    FILE *from, *to;
    char *line;
    size_t room;
    bool ahead;          /* listen_to has not returned the last line yet */
    char **kind, **name; /* [count], one for each column */
    size_t count;
    eb_columns columns; /* the chosen ones */
} talk;

/* ---- Python ---- */

static _Noreturn void be_python(const char *path, int file, int in, int out, const char *format)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        (file == FILE_DESCRIPTOR ? fcntl(file, F_SETFD, 0) : dup2(file, FILE_DESCRIPTOR)) < 0)
        _exit(126);
    (void)execlp(path, path, "-c", eb_arrow_script, format, (char *)NULL);
    _exit(127);
}

static bool start(talk *t, const char *path, const char *format)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return false;
    /* The new descriptors must not be FILE_DESCRIPTOR. */
    int in = fcntl(to[0], F_DUPFD_CLOEXEC, 10), out = fcntl(from[1], F_DUPFD_CLOEXEC, 10);
    int file = fcntl(t->request->file, F_DUPFD_CLOEXEC, 10);
    pid_t process = in < 0 || out < 0 || file < 0 ? -1 : fork();
    if (process == 0)
        be_python(path, file, in, out, format);
    (void)close(in);
    (void)close(out);
    (void)close(file);
    (void)close(to[0]);
    (void)close(from[1]);
    t->to = fdopen(to[1], "we");
    t->from = fdopen(from[0], "re");
    return process > 0 && t->to && t->from;
}

/* Writes "; LINE leaves such rows out, LINE fills in the column's mean". lists: the mean is for numbers only. */
static void advise_on_gap(const talk *t, bool lists, char advice[EB_ADVICE])
{
    char drop[200], mean[200];
    const eb_bytes *bytes = t->request->bytes;
    eb_reading how = bytes->how;
    how.missing = EB_MISSING_DROPPED;
    (void)eb_line_to_type(drop, sizeof drop, bytes->path, &how);
    how.missing = EB_MISSING_MEAN;
    (void)eb_line_to_type(mean, sizeof mean, bytes->path, &how);
    (void)snprintf(advice, EB_ADVICE, "; %s leaves such rows out%s%s%s", drop, lists ? "" : ", ", lists ? "" : mean,
                   lists ? "" : " fills in the column's mean");
}

/* Passes on a refusal of arrow.py, "no CODE SENTENCE", of which `said` is the part after "no ". */
static void pass_refusal(talk *t, const char *said)
{
    enum { GAP, LIST_GAP };
    static const struct {
        const char *name;
        eb_code code;
    } codes[] = {[GAP] = {"gap ", EB_BAD_VALUE},
                 [LIST_GAP] = {"list-gap ", EB_BAD_VALUE},
                 {"value ", EB_BAD_VALUE},
                 {"memory ", EB_NO_MEMORY},
                 {"format ", EB_BAD_FORMAT}};
    char advice[EB_ADVICE] = "";
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
        if (strncmp(said, codes[k].name, strlen(codes[k].name)) == 0) {
            if (k <= LIST_GAP)
                advise_on_gap(t, k == LIST_GAP, advice);
            eb_subprocess_refuse(t->reply, t->request, "%.400s%s", said + strlen(codes[k].name), advice);
            t->reply->status.code = codes[k].code;
            return;
        }
    eb_subprocess_refuse(t->reply, t->request, "pyarrow gives up on this file; it is likely damaged");
}

/* Starts the first Python that has pyarrow, and reads its first line. */
static bool start_python(talk *t, const char *format)
{
    char path[PATH_MAX];
    for (size_t k = 0; k < EB_PYTHONS; k++) {
        if (!eb_python_path(k, path, sizeof path))
            continue;
        if (!start(t, path, format)) {
            eb_subprocess_refuse(t->reply, t->request, "cannot start %.200s, which reads it with the pyarrow package",
                                 path);
            return false;
        }
        t->ahead = getline(&t->line, &t->room, t->from) > 0;
        if (t->ahead && strncmp(t->line, "no library ", strlen("no library ")) != 0)
            return true;
        int ended = 0;
        (void)fclose(t->to);
        (void)fclose(t->from);
        (void)wait(&ended);
        if (!t->ahead && !(WIFEXITED(ended) && WEXITSTATUS(ended) == 127)) {
            eb_subprocess_refuse(t->reply, t->request, "pyarrow gives up on this file; it is likely damaged");
            return false;
        }
    }
    eb_subprocess_refuse(t->reply, t->request, EB_PYTHON_ADVICE);
    t->reply->status.code = EB_USAGE;
    return false;
}

/* The next line without its line end; NULL if Python has refused or ended. */
static const char *listen_to(talk *t)
{
    if (!t->ahead && getline(&t->line, &t->room, t->from) <= 0) {
        eb_subprocess_refuse(t->reply, t->request, "pyarrow gives up on this file; it is likely damaged");
        return NULL;
    }
    t->ahead = false;
    t->line[strcspn(t->line, "\n")] = 0;
    for (char *p = t->line; *p; p++)
        *p = (unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p;
    if (strncmp(t->line, "no ", 3) != 0)
        return t->line;
    pass_refusal(t, t->line + 3);
    return NULL;
}

/* Reads "WORD N N …" with exactly `count` numbers. */
static bool read_numbers(const char *said, const char *word, unsigned long long *out, size_t count)
{
    size_t length = strlen(word);
    char *at = (char *)(uintptr_t)said + length;
    if (strncmp(said, word, length) != 0)
        return false;
    for (size_t k = 0; k < count; k++) {
        if (at[0] != ' ' || at[1] < '0' || at[1] > '9')
            return false;
        out[k] = strtoull(at, &at, 10);
    }
    return *at == 0;
}

/* ---- columns ---- */

static bool take_names(talk *t)
{
    unsigned long long count = 0;
    const char *said = listen_to(t);
    if (!said)
        return false;
    if (!read_numbers(said, "columns", &count, 1) || count == 0 || count > 1000000) {
        eb_subprocess_refuse(t->reply, t->request, "expected a table with columns, found none");
        return false;
    }
    t->kind = calloc((size_t)count, sizeof *t->kind);
    t->name = calloc((size_t)count, sizeof *t->name);
    for (; t->kind && t->name && t->count < count; t->count++) {
        said = listen_to(t);
        if (!said)
            return false;
        size_t length = strcspn(said, " ");
        t->kind[t->count] = strndup(said, length);
        t->name[t->count] = strdup(said + length + (said[length] == ' '));
        if (!t->kind[t->count] || !t->name[t->count])
            break;
    }
    if (t->count < count)
        (void)eb_fail_memory(&t->reply->status, "columns", count);
    return t->count == count;
}

static bool is_numbers(const char *kind) { return kind && strcmp(kind, "n") == 0; }
static bool is_lists(const char *kind) { return kind && *kind >= '0' && *kind <= '9'; }

/* Refuses with the sentence `said` and the line that loads `column`, a column of lists, alone. */
static void refuse_with_line(const talk *t, const char *said, size_t column)
{
    char number[24], line[300];
    eb_reading how = t->request->bytes->how;
    how.columns = eb_column_word(t->name, column, number, sizeof number);
    (void)eb_line_to_type(line, sizeof line, t->request->bytes->path, &how);
    eb_subprocess_refuse(t->reply, t->request, "%s: %s", said, line);
}

/* The columns of lists among which to choose: those of floats, or all if there are none. */
static bool is_choice(const talk *t, size_t k, size_t label, bool floats)
{
    return k != label && is_lists(t->kind[k]) && (!floats || !strchr(t->kind[k], '_'));
}

static size_t count_choices(const talk *t, size_t label, bool floats, size_t *first)
{
    size_t found = 0;
    for (size_t k = t->count; k-- > 0;)
        if (is_choice(t, k, label, floats)) {
            *first = k;
            found++;
        }
    return found;
}

/* Without columns=, takes the only column of lists as the coordinates and says so; refuses if there are several. */
static bool take_lists(talk *t, eb_columns *columns)
{
    enum { MOST_LISTED = 3 };
    char listed[320] = "", said[400];
    size_t first = 0, used = 0, shown = 0;
    const bool floats = count_choices(t, columns->label, true, &first) > 0;
    const size_t found = count_choices(t, columns->label, floats, &first);
    for (size_t k = 0; k < t->count && found > 1 && shown < MOST_LISTED; k++)
        if (is_choice(t, k, columns->label, floats) && shown++ < MOST_LISTED)
            used += (size_t)snprintf(listed + used, sizeof listed - used, "%s\"%.60s\" (%.20s)", used ? ", " : "",
                                     t->name[k], t->kind[k]);
    if (found > 1) {
        (void)snprintf(said, sizeof said, "%zu columns are lists of numbers, %s%s; choose one", found, listed,
                       found > MOST_LISTED ? ", …" : "");
        refuse_with_line(t, said, first);
    } else if (found == 1) {
        for (size_t k = 0; k < t->count; k++)
            columns->coordinate[k] = k == first ? 0 : EB_NO_COLUMN;
        columns->d = 1;
        (void)snprintf(t->reply->remark, sizeof t->reply->remark, "columns: %.80s, a list of %.*s", t->name[first],
                       (int)strcspn(t->kind[first], "_"), t->kind[first]);
    }
    return found <= 1;
}

/* Asks arrow.py whether one of the columns has a gap. */
static bool has_gaps(talk *t, const bool *wanted)
{
    unsigned long long gaps = 0;
    const char *between = "";
    (void)fputs("gaps -1 refuse ", t->to);
    for (size_t k = 0; k < t->count; k++)
        if (wanted[k]) {
            (void)fprintf(t->to, "%s%zu", between, k);
            between = ",";
        }
    (void)fputc('\n', t->to);
    (void)fflush(t->to);
    const char *said = *between ? listen_to(t) : NULL;
    return said && read_numbers(said, "gaps", &gaps, 1) && gaps > 0;
}

/* Refuses columns of text among the coordinates, with the lines that leave them out and keep one as the label. */
static void refuse_texts(talk *t, const bool *text, const bool *number, size_t first)
{
    char texts[96], others[96], advice[640] = "", without[200], with[200], label[24];
    const eb_bytes *bytes = t->request->bytes;
    const char *it = "it", *kept = bytes->how.label ? "" : with;
    eb_reading how = bytes->how;
    size_t count = 0;
    for (size_t k = 0; k < t->count; k++)
        count += text[k];
    (void)eb_columns_words(texts, sizeof texts, text, t->count);
    how.columns = eb_columns_words(others, sizeof others, number, t->count);
    if (how.missing == EB_MISSING_REFUSED && has_gaps(t, number))
        how.missing = EB_MISSING_DROPPED;
    (void)eb_line_to_type(without, sizeof without, bytes->path, &how);
    how.label = eb_column_word(t->name, first, label, sizeof label);
    (void)eb_line_to_type(with, sizeof with, bytes->path, &how);
    if (count > 1)
        it = "them";
    if (!others[0])
        (void)snprintf(advice, sizeof advice, "no column that is asked for holds any");
    else
        (void)snprintf(advice, sizeof advice, "%s%s%s%s leaves %s out%s%s%s", count > 1 ? "columns " : "",
                       count > 1 ? texts : "", count > 1 ? " hold none: " : "", without, it, kept[0] ? ", " : "", kept,
                       !kept[0]    ? ""
                       : count > 1 ? " keeps one as labels"
                                   : " keeps it as labels");
    eb_subprocess_refuse(t->reply, t->request, "column %zu \"%.60s\" holds %.60s; expected numbers; %s", first,
                         t->name[first], t->kind[first], advice);
}

/* Accepts columns of numbers, or a single column of lists. Otherwise refuses, and suggests columns=. */
static bool check_kinds(talk *t, const eb_columns *columns)
{
    bool *text = calloc(2 * t->count, sizeof *text), *number = text ? text + t->count : NULL;
    size_t first = SIZE_MAX, lists = SIZE_MAX;
    for (size_t k = 0; text && k < t->count; k++) {
        if (columns->coordinate[k] == EB_NO_COLUMN)
            continue;
        number[k] = is_numbers(t->kind[k]) && (t->request->bytes->how.columns || !eb_is_id(t->name[k]));
        text[k] = !is_numbers(t->kind[k]) && !is_lists(t->kind[k]);
        first = text[k] && first == SIZE_MAX ? k : first;
        lists = is_lists(t->kind[k]) && lists == SIZE_MAX ? k : lists;
    }
    const bool alone = lists == SIZE_MAX || columns->d == 1;
    if (text && !alone) {
        char said[160];
        (void)snprintf(said, sizeof said, "column %zu \"%.60s\" holds lists of %.20s; expected it alone", lists,
                       t->name[lists], t->kind[lists]);
        refuse_with_line(t, said, lists);
    } else if (text && first != SIZE_MAX) {
        refuse_texts(t, text, number, first);
    }
    free(text);
    return text && alone && first == SIZE_MAX;
}

/* Sends the request to arrow.py: "read LABEL POLICY K,K,…". */
static void ask(const talk *t, const char *mode, const eb_columns *columns)
{
    static const char *const policy[] = {"refuse", "drop", "mean"};
    long long label = columns->label == SIZE_MAX ? -1 : (long long)columns->label;
    (void)fprintf(t->to, "%s %lld %s ", mode, label, policy[t->request->bytes->how.missing]);
    for (uint32_t c = 0; c < columns->d; c++)
        for (size_t k = 0; k < t->count; k++)
            if (columns->coordinate[k] == c)
                (void)fprintf(t->to, "%s%zu", c ? "," : "", k);
    (void)fputc('\n', t->to);
    (void)fflush(t->to);
}

/* ---- in both children ---- */

/* Receives the shape of the points. */
static bool take_shape(talk *t, bool *by_columns)
{
    enum { N, D, WIDTH, LEFT_OUT, FILLED, BY_COLUMNS, MORE, NUMBERS };
    unsigned long long said[NUMBERS];
    const char *line = listen_to(t);
    if (!line)
        return false;
    if (!read_numbers(line, "points", said, NUMBERS)) {
        eb_subprocess_refuse(t->reply, t->request, "pyarrow gives up on this file; it is likely damaged");
        return false;
    }
    eb_subprocess_reply *r = t->reply;
    r->n = said[N];
    r->d = said[D];
    r->dtype = said[WIDTH] == 2 ? EB_F16 : said[WIDTH] == sizeof(float) ? EB_F32 : EB_F64;
    r->left_out = said[LEFT_OUT];
    r->filled = said[FILLED];
    r->more = said[MORE];
    *by_columns = said[BY_COLUMNS] != 0;
    return eb_dataset_check_shape(t->request->bytes->name, r->n, r->d, r->dtype, &r->status) == EB_OK;
}

static bool ask_for_points(talk *t, const char *mode)
{
    eb_columns *columns = &t->columns;
    if (eb_columns_choose(t->request->bytes, t->count, t->name, columns, &t->reply->status))
        return false;
    bool sound = (t->request->bytes->how.columns || take_lists(t, columns)) && check_kinds(t, columns);
    if (sound && columns->label != SIZE_MAX)
        (void)snprintf(t->reply->object, sizeof t->reply->object, "%s", t->name[columns->label]);
    if (sound)
        ask(t, mode, columns);
    return sound;
}

/* Runs the conversation up to the points themselves. *by_columns: the points will come column by column. */
static bool converse(talk *t, const char *mode, bool *by_columns)
{
    const eb_bytes *bytes = t->request->bytes;
    bool parquet = bytes->size >= 4 && memcmp(bytes->data, "PAR1", 4) == 0;
    return start_python(t, parquet ? "parquet" : "arrow") && take_names(t) && ask_for_points(t, mode) &&
           take_shape(t, by_columns);
}

static void forget(talk *t)
{
    for (size_t k = 0; k < t->count; k++) {
        free(t->kind[k]);
        free(t->name[k]);
    }
    free(t->kind);
    free(t->name);
    free(t->line);
    eb_columns_free(&t->columns);
}

static void probe(const eb_subprocess_request *request, eb_subprocess_reply *reply)
{
    talk t = {.request = request, .reply = reply};
    bool by_columns;
    (void)converse(&t, "probe", &by_columns);
    forget(&t);
}

/* Receives the rows, and the labels behind them. */
static void receive(const talk *t, const eb_subprocess_reply *shape, bool by_columns, unsigned char *rows)
{
    size_t size = (size_t)(shape->n * shape->d) * eb_dtype_size(shape->dtype), more = (size_t)shape->more;
    unsigned char *columns = by_columns ? malloc(size + 1) : rows;
    if (!columns)
        (void)eb_fail_memory(&t->reply->status, t->request->bytes->name, size);
    else if (fread(columns, 1, size, t->from) != size || fread(rows + size, 1, more, t->from) != more)
        eb_subprocess_refuse(t->reply, t->request,
                             "pyarrow ended before all points had come; most likely memory is short");
    else if (by_columns)
        eb_transpose(rows, columns, (size_t)shape->n, (size_t)shape->d, eb_dtype_size(shape->dtype));
    if (by_columns)
        free(columns);
}

static void remark(const talk *t, const eb_subprocess_reply *shape, const unsigned char *rows)
{
    const eb_points points = {.n = (size_t)shape->n,
                              .d = (size_t)shape->d,
                              .dtype = shape->dtype,
                              .rows = rows,
                              .stride = (size_t)shape->d * eb_dtype_size(shape->dtype)};
    if (t->columns.d == shape->d) /* otherwise a column of lists */
        eb_columns_remark(t->request->bytes, &t->columns, t->name, &points, t->reply->remark, sizeof t->reply->remark);
}

static void read_values(const eb_subprocess_request *request, const eb_subprocess_reply *shape, unsigned char *rows,
                        _Atomic uint64_t *done, eb_subprocess_reply *reply)
{
    talk t = {.request = request, .reply = reply};
    bool by_columns = false;
    if (converse(&t, "read", &by_columns)) {
        if (reply->n != shape->n || reply->d != shape->d || reply->dtype != shape->dtype || reply->more != shape->more)
            eb_subprocess_refuse(reply, request, "the file changed while it was read");
        else
            receive(&t, shape, by_columns, rows);
        remark(&t, shape, rows);
    }
    forget(&t);
    atomic_fetch_add(done, shape->n);
}

/* ---- in the parent ---- */

static const eb_subprocess pyarrow = {.library = "pyarrow",
                                      .phase = "reading Arrow",
                                      .seconds = SECONDS,
                                      .by_name = true,
                                      .probe = probe,
                                      .read = read_values};

eb_code eb_read_arrow(const eb_bytes *bytes, eb_points *out, eb_status *status)
{
    eb_bytes whole = *bytes;
    whole.object = "its table"; /* for messages: its table has no name */
    return eb_subprocess_read(&pyarrow, &whole, false, out, status);
}

/* ---- is pyarrow installed? ---- */

static void look_for_package(void *context, void *reply)
{
    static const char find[] = "import sys; sys.path[:1] = []; import importlib.util as u; "
                               "sys.exit(u.find_spec('pyarrow') is None)";
    const char *path = context;
    (void)reply;
    (void)execlp(path, path, "-c", find, (char *)NULL);
    _exit(127);
}

/* Checks that a Python finds pyarrow, not that pyarrow works. A positive answer is remembered. */
eb_code eb_check_arrow(eb_status *status)
{
    static _Atomic bool found;
    char nothing, path[PATH_MAX];
    eb_child_end end = {.replied = false};
    const eb_child child = {.what = "look for pyarrow",
                            .context = path,
                            .work = look_for_package,
                            .reply_bytes = 1,
                            .seconds = 20};
    for (size_t k = 0; k < EB_PYTHONS && !atomic_load(&found); k++) {
        if (!eb_python_path(k, path, sizeof path))
            continue;
        EB_TRY(eb_child_run(&child, &nothing, &end, status));
        atomic_store(&found, end.signal == 0 && end.status == 0);
    }
    return atomic_load(&found) ? EB_OK : eb_fail(status, EB_USAGE, EB_PYTHON_ADVICE);
}
