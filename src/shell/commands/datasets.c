/* datasets: the command `datasets`: built-in datasets, files in this folder and recently used datasets, each with the
 * line that loads it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/report/find.h"
#include "io/files/files.h"
#include "io/files/folder.h"
#include "io/formats.h"
#include "shell/commands/commands.h"
#include "shell/language/load_line.h"

enum { MOST_RECENT = 6, MOST_FILES = 50, MOST_TABLES = 20 };

static void add_row(eb_table *table, const char *from, const char *dataset, const char *line, eb_value n, eb_value d,
                    const char *about)
{
    EB_ROW(table, eb_text(line), eb_text(from), eb_text(dataset), n, d, eb_text(about));
}

static void add_built_in(eb_table *table)
{
    add_row(table, "built in", "demo:stars", "load demo:stars", eb_uint(100000), eb_uint(3),
            "FP16 errs: 13,000 pairs on the wrong side at S = 64 (stars on the unit sphere)");
    add_row(table, "built in", "demo", "load demo", eb_uint(4000), eb_uint(784),
            "FP16 is exact: pictures of clothes, bytes");
    add_row(table, "made", "synth gaussian 10000 64", "synth gaussian 10000 64", eb_uint(10000), eb_uint(64),
            "a cloud of points; `help synth` knows others");
}

/* ---- files ---- */

/* State while a folder's files are added. Tables must be opened for their line, so only MOST_TABLES are listed. */
typedef struct adding {
    eb_table *table;
    const char *folder; /* prefix of the folder's paths: "" or "examples/" */
    size_t tables;
    const char *asked; /* format whose library was looked for last; looking may take long */
    bool can_read;
} adding;

static bool is_table(const char *format) { return strncmp(format, "csv", 3) == 0; }

static bool can_read(adding *to, const eb_format *format)
{
    if (!to->asked || strcmp(to->asked, format->name) != 0)
        to->can_read = eb_format_check_library(format, NULL) == EB_OK;
    to->asked = format->name;
    return to->can_read;
}

/* Adds a file with the line that loads it. A file that `load` would refuse, judging by its first bytes, is left out. */
static eb_code add_file(adding *to, const eb_folder_file *file, eb_status *status)
{
    char *path = NULL, *line = NULL;
    size_t n = (size_t)file->n, d = (size_t)file->d;
    bool gzip, whole = true;
    const eb_format *format = eb_format_of_name(file->name, &gzip);
    if (asprintf(&path, "%s%s", to->folder, file->name) < 0)
        return eb_fail_memory(status, "a path", strlen(file->name));
    if (is_table(file->format) && to->tables++ < MOST_TABLES)
        whole = eb_load_line_of_table(path, &line, &n, &d);
    else if (!is_table(file->format) && !file->reason[0] && can_read(to, format))
        whole = (line = eb_load_line(path)) != NULL;
    if (line)
        add_row(to->table, to->folder[0] ? to->folder : "here", path, line, n > 0 ? eb_uint(n) : eb_na(),
                d > 0 ? eb_uint(d) : eb_na(), file->format);
    free(line);
    free(path);
    return whole ? EB_OK : eb_fail_memory(status, "a line", strlen(file->name));
}

/* Adds a folder's files; a folder that cannot be read adds none and is not an error. */
static eb_code add_files(eb_table *table, const char *folder, const char *prefix, eb_job *job, eb_status *status)
{
    eb_folder files;
    eb_status unread;
    adding to = {.table = table, .folder = prefix};
    eb_code failed = EB_OK;
    if (eb_folder_glance(folder, MOST_FILES, job, &files, &unread))
        return EB_OK;
    for (size_t k = 0; k < files.count && !failed; k++)
        failed = add_file(&to, &files.file[k], status);
    eb_folder_free(&files);
    return failed;
}

/* ---- recently used datasets ---- */

/* Path relative to the current folder or to "~", if the file is below either; else as given. The caller frees the
 * text; NULL: out of memory. */
static char *shortened(const char *source)
{
    char *here = realpath(".", NULL), *shorter = NULL;
    const char *home = getenv("HOME");
    size_t from_here = here ? strlen(here) : 0, from_home = home ? strlen(home) : 0;
    if (from_here > 1 && strncmp(source, here, from_here) == 0 && source[from_here] == '/')
        shorter = strdup(source + from_here + 1);
    else if (from_home > 1 && strncmp(source, home, from_home) == 0 && source[from_home] == '/')
        (void)!asprintf(&shorter, "~%s", source + from_home);
    else
        shorter = strdup(source);
    free(here);
    return shorter;
}

/* True if the file that the line loads still exists and can be read. */
static bool is_there(const char *line)
{
    const char *rest;
    eb_call *call = NULL;
    if (eb_parse(line, &rest, &call, NULL) || !call)
        return false;
    const char *what = strcmp(call->command->name, "load") == 0 ? eb_call_text(call, "what") : NULL;
    char *path = what ? eb_expand_home(what) : NULL;
    if (path)
        (void)eb_split_object(path);
    bool there = !what || (path && access(path, R_OK) == 0 && eb_could_be_loaded(path));
    free(path);
    eb_call_free(call);
    return there;
}

static bool is_listed(const eb_table *table, const char *line)
{
    for (size_t row = 0; row < table->rows; row++)
        if (strcmp(eb_table_value(table, row, EB_F(line)).as.text, line) == 0)
            return true;
    return false;
}

static void add_used(eb_table *table, const eb_table *used, size_t row)
{
    eb_value source = eb_table_value(used, row, EB_F(dataset));
    char *shorter = source.kind == EB_TEXT ? shortened(source.as.text) : NULL;
    char *line = shorter ? eb_load_line(shorter) : NULL;
    if (line && is_there(line) && !is_listed(table, line))
        add_row(table, "used lately", source.as.text, line, eb_table_value(used, row, EB_F(n)),
                eb_table_value(used, row, EB_F(d)), eb_table_value(used, row, EB_F(about)).as.text);
    free(line);
    free(shorter);
}

static eb_code add_recent(eb_store *store, eb_table *table, eb_status *status)
{
    eb_report *scratch = eb_report_new("datasets");
    eb_table *used =
        EB_TABLE(scratch, EB_F(datasets), "", EB_F(from), EB_F(dataset), EB_F(n_brief), EB_F(d_brief), EB_F(about));
    eb_code failed = eb_store_recent(store, MOST_RECENT, used, status);
    for (size_t row = 0; !failed && row < used->rows; row++)
        add_used(table, used, row);
    eb_report_free(scratch);
    return failed;
}

eb_code eb_cmd_datasets(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)call;
    eb_table *table = EB_TABLE(report, EB_F(datasets), "To begin with", EB_F(line), EB_F(from), EB_HIDDEN(dataset),
                               EB_F(n_brief), EB_F(d_brief), EB_F(about));
    add_built_in(table);
    EB_TRY(add_files(table, ".", "", job, status));
    EB_TRY(add_files(table, "examples", "examples/", job, status));
    return session->store ? add_recent(session->store, table, status) : EB_OK;
}
