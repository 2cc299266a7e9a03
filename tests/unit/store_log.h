/* store_log: for tests of the store: a folder for log files; a session, command, dataset and run to write; and queries
 * of a log and of reports. */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "core/report/report.h"
#include "store/sql.h"
#include "tests/unit/test.h"

#define SCHEMA "10" /* current schema version */

static char files_folder[64];

static inline int make_folder(void **state)
{
    (void)state;
    (void)snprintf(files_folder, sizeof files_folder, "/tmp/epsbench-test-XXXXXX");
    return mkdtemp(files_folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    DIR *folder = opendir(files_folder);
    if (!folder)
        return -1;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
    }
    return closedir(folder) || rmdir(files_folder);
}

/* A path in the folder, in one of four static buffers. */
static inline const char *in_folder(const char *name)
{
    static char paths[4][512];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", files_folder, name);
    return path;
}

typedef struct content {
    unsigned char *bytes;
    size_t size;
} content;

static inline content read_whole(const char *path)
{
    content c = {0};
    FILE *file = fopen(path, "rbe");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    c.size = (size_t)ftell(file);
    rewind(file);
    c.bytes = malloc(c.size + 1);
    assert_non_null(c.bytes);
    assert_int_equal(fread(c.bytes, 1, c.size, file), c.size);
    assert_int_equal(fclose(file), 0);
    return c;
}

static inline void write_whole(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wbe");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void copy_file(const char *from, const char *to)
{
    content whole = read_whole(from);
    write_whole(to, whole.bytes, whole.size);
    free(whole.bytes);
}

#define assert_ok(call, status)                                                                                        \
    do {                                                                                                               \
        if ((call) != EB_OK)                                                                                           \
            fail_msg("%s: %s", #call, (status).message);                                                               \
    } while (0)

#define assert_refused(call, expected, status)                                                                         \
    do {                                                                                                               \
        assert_int_equal((call), (expected));                                                                          \
        assert_int_equal((status).code, (expected));                                                                   \
    } while (0)

static inline void assert_says(const eb_status *status, const char *part)
{
    if (!strstr(status->message, part))
        fail_msg("\"%s\" does not say \"%s\"", status->message, part);
}

static inline eb_store *open_log(const char *name)
{
    eb_status status = {0};
    eb_store *store = NULL;
    assert_ok(eb_store_open(in_folder(name), &store, &status), status);
    return store;
}

/* ---- records to write ---- */

static const eb_build a_build = {.version = "0.1.0", .commit = "abc", .flags = "-O2", .compiler = "gcc 12"};

/* Fictitious engines: a fast one with presets, one that gives exact results, and one unknown to the store. */
static const eb_option fast_options[] = {
    {.name = "preset", .type = EB_ARG_PRESET, .devices = EB_ON_CUDA, .choices = "paper|best", .fallback = "best"},
    {.name = "swizzle", .type = EB_ARG_FLAG, .devices = EB_ON_CUDA, .presets = "paper|best"},
    {.name = "alignment", .type = EB_ARG_FLAG, .devices = EB_ON_CUDA, .presets = "paper|best"},
    {.name = "symmetric", .type = EB_ARG_FLAG, .devices = EB_ON_CUDA, .presets = "best"},
    {.name = "tensor", .type = EB_ARG_CHOICE, .devices = EB_ON_CPU, .choices = "sm_80|sm_90", .fallback = "sm_90"},
};
static const eb_option index_options[] = {
    {.name = "leaf", .type = EB_ARG_INTEGER, .devices = EB_ON_ALL, .fallback = "64", .min = 1, .max = 4096},
    {.name = "prune", .type = EB_ARG_FLAG, .devices = EB_ON_ALL, .fallback = "on"},
    {.name = "grow", .type = EB_ARG_FLAG, .devices = EB_ON_CUDA, .fallback = "off"},
};

static const eb_engine a_fast_engine = {.name = "fasted",
                                        .exactness = EB_APPROXIMATE,
                                        .options = EB_OPTIONS(fast_options)};
static const eb_engine a_true_engine = {.name = "ref64", .exactness = EB_TRUTH};
static const eb_engine an_index_engine = {.name = "tree",
                                          .exactness = EB_CERTIFIED,
                                          .options = EB_OPTIONS(index_options)};

/* Figures that only the unknown engine reports. */
static const eb_figure figure_build = {"build_s", "building the index", EB_SECONDS, EB_FIGURE_PART, 0};
static const eb_figure figure_pruned = {"pruned", "pairs of leaves left out", EB_PERCENT, EB_FIGURE_FACT, 0};

static inline eb_dataset a_dataset(void)
{
    static char source[] = "demo";
    eb_dataset ds = {.n = 100, .d = 16, .dtype = EB_U8, .source = source, .format = "u8bin"};
    memset(ds.sha256, 'a', 64);
    return ds;
}

/* items: as in NAME[ITEM,…]. */
static inline void take_options(eb_setup *setup, const char *items)
{
    char text[EB_OPTIONS_TEXT];
    eb_status status = {0};
    assert_ok(eb_options_take(&setup->options, items, &status), status);
    (void)eb_options_text(&setup->options, text, sizeof text);
    (void)snprintf(setup->spec, sizeof setup->spec, text[0] ? "%s[%s]" : "%s", setup->engine->name, text);
}

static inline eb_run a_run(const eb_engine *engine)
{
    eb_run run =
        {.eps = 12.5, .mode = EB_RUN_TABLE, .distances = EB_DISTANCES_F64, .n = 100, .d = 16, .trials_wanted = 3};
    run.setup.engine = engine;
    run.setup.resources = (eb_resources){.threads = 2, .memory_limit = 1 << 20};
    run.setup.device = (eb_device){.kind = EB_DEVICE_CPU,
                                   .name = "cpu",
                                   .model = "Some CPU",
                                   .architecture = "x86-64",
                                   .units = 2,
                                   .memory_bytes = (uint64_t)1 << 34};
    eb_options_default(&engine->options, &run.setup.options);
    take_options(&run.setup, "");
    return run;
}

/* The fast engine executes one operation where the paper counts two. */
static inline eb_figures a_trial(const eb_run *run, double kernel_s, double total_s)
{
    eb_figures trial = {.count = 0};
    eb_figures_set(&trial, &eb_figure_upload, NAN);
    eb_figures_set(&trial, &eb_figure_convert, 0.25);
    eb_figures_set(&trial, &eb_figure_kernel, kernel_s);
    eb_figures_set(&trial, &eb_figure_table, 0.125);
    eb_figures_set(&trial, &eb_figure_total, total_s);
    if (run->setup.engine == &a_fast_engine)
        eb_figures_set(&trial, &eb_figure_executed_flops, (double)(run->n * run->n * run->d));
    return trial;
}

/* Logs one more trial of a run. */
static inline eb_code log_trial(eb_store *store, int64_t id, const eb_run *run, unsigned trial,
                                const eb_figures *figures, eb_status *status)
{
    eb_run with = *run;
    with.trials = calloc((size_t)trial + 1, sizeof *with.trials);
    assert_non_null(with.trials);
    with.trials[trial] = *figures;
    eb_code failed = eb_store_trial(store, id, &with, trial, status);
    free(with.trials);
    return failed;
}

typedef struct written {
    int64_t session, command, dataset;
} written;

static inline written begin(eb_store *store, const char *text)
{
    eb_status status = {0};
    eb_dataset ds = a_dataset();
    written w;
    assert_ok(eb_store_session_begin(store, &a_build, &w.session, &status), status);
    assert_ok(eb_store_command_begin(store, w.session, text, &w.command, &status), status);
    assert_ok(eb_store_dataset(store, &ds, &w.dataset, &status), status);
    return w;
}

/* Adds a finished run with these kernel times; total times are twice as long. */
static inline int64_t add_run(eb_store *store, const written *w, const eb_engine *engine, uint64_t pairs,
                              const double *kernel_s, unsigned trials)
{
    eb_status status = {0};
    eb_run run = a_run(engine);
    int64_t id;
    assert_ok(eb_store_run_begin(store, w->command, w->dataset, &run, &id, &status), status);
    run.pairs = pairs;
    for (unsigned k = 0; k < trials; k++) {
        eb_figures trial = a_trial(&run, kernel_s[k], 2 * kernel_s[k]);
        assert_ok(log_trial(store, id, &run, k, &trial, &status), status);
    }
    run.trials_done = trials;
    run.batches = 1;
    run.state = EB_RUN_DONE;
    assert_ok(eb_store_run_end(store, id, &run, &status), status);
    return id;
}

/* Adds a run of the unknown engine: three trials, 1 to 3 ms of building; two trials report the pruned pairs. */
static inline int64_t add_index_run(eb_store *store, const written *w, const char *items, bool on_gpu)
{
    eb_status status = {0};
    const double kernel_s[] = {1.00, 1.01, 1.02};
    eb_run run = a_run(&an_index_engine);
    int64_t id;
    if (on_gpu)
        run.setup.device =
            (eb_device){.kind = EB_DEVICE_CUDA, .name = "cuda:0", .model = "Some GPU", .architecture = "sm_90"};
    take_options(&run.setup, items);
    assert_ok(eb_store_run_begin(store, w->command, w->dataset, &run, &id, &status), status);
    run.pairs = 6500;
    for (unsigned k = 0; k < 3; k++) {
        eb_figures trial = a_trial(&run, kernel_s[k], 2 * kernel_s[k]);
        eb_figures_set(&trial, &figure_build, 0.001 * (k + 1));
        eb_figures_set(&trial, &figure_pruned, k == 2 ? NAN : 0.1 * (k + 1));
        assert_ok(log_trial(store, id, &run, k, &trial, &status), status);
    }
    return id;
}

static inline void end(eb_store *store, const written *w)
{
    eb_status status = {0};
    assert_ok(eb_store_command_end(store, w->command, EB_OK, NULL, 0.5, &status), status);
    assert_ok(eb_store_session_end(store, w->session, &status), status);
}

/* ---- reading ---- */

/* The first value that SQL returns, as text: "NULL" for NULL. In one of four static buffers. */
static inline const char *look(eb_store *store, const char *sql)
{
    static char texts[4][1024];
    static unsigned turn;
    char *text = texts[turn++ % 4];
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(store->db));
    int result = sqlite3_step(statement);
    assert_true(result == SQLITE_ROW || result == SQLITE_DONE);
    const char *value = result == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : "no row";
    (void)snprintf(text, sizeof texts[0], "%s", value ? value : "NULL");
    (void)sqlite3_finalize(statement);
    return text;
}

static inline const eb_item *item_of(const eb_report *report, const char *key)
{
    for (size_t k = 0; k < report->items; k++)
        if (strcmp(report->item[k]->key, key) == 0)
            return report->item[k];
    return NULL;
}

static inline eb_value field_of(const eb_report *report, const char *key)
{
    const eb_item *item = item_of(report, key);
    assert_non_null(item);
    assert_int_equal(item->kind, EB_FIELD);
    return item->as.field.value;
}

static inline const eb_table *table_of(const eb_report *report, const char *key)
{
    const eb_item *item = item_of(report, key);
    assert_non_null(item);
    assert_int_equal(item->kind, EB_TABLE);
    return &item->as.table;
}

static inline eb_value cell_of(const eb_table *table, size_t row, const char *column)
{
    assert_true(row < table->rows);
    for (size_t k = 0; k < table->columns; k++)
        if (strcmp(table->column[k].key, column) == 0)
            return table->cell[row * table->columns + k];
    fail_msg("no column %s", column);
    return eb_na();
}

static inline void assert_text(eb_value value, const char *text)
{
    assert_int_equal(value.kind, EB_TEXT);
    assert_string_equal(value.as.text, text);
}

static inline void assert_integer(eb_value value, int64_t integer)
{
    assert_int_equal(value.kind, EB_INTEGER);
    assert_int_equal(value.as.integer, integer);
}

static inline void assert_real(eb_value value, double real)
{
    assert_int_equal(value.kind, EB_REAL);
    assert_true(fabs(value.as.real - real) <= 1e-12 * fabs(real));
}

static inline bool noted(const eb_report *report, const char *part)
{
    for (size_t k = 0; k < report->notes; k++)
        if (strstr(report->note[k], part))
            return true;
    return false;
}
