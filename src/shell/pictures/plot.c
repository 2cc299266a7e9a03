/* plot: the command `plot`: finds a picture by name, and writes it to a file or asks the shell to show it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/files/new_file.h"
#include "core/report/find.h"
#include "draw/figure/figure.h"
#include "shell/commands/commands.h"
#include "shell/pictures/shelf.h"

/* ---- finding a picture ---- */

typedef struct target {
    const eb_report *report;
    size_t picture;
} target;

static const eb_report *report_of(const eb_session *session, const char *command)
{
    return session->gallery.of ? session->gallery.of(session->gallery.context, command) : NULL;
}

static const eb_report *front_of(const eb_session *session)
{
    return session->gallery.front ? session->gallery.front(session->gallery.context) : NULL;
}

/* True if the report has a picture of that name, or is the last report of a command of that name. */
static bool has_picture(const eb_report *report, const char *name, target *out)
{
    const char *own;
    for (size_t k = 0; (own = eb_figure_name(report, k)) != NULL; k++)
        if (strcmp(own, name) == 0) {
            *out = (target){report, k};
            return true;
        }
    *out = (target){report, EB_ALL_PICTURES};
    return eb_figure_count(report) > 0 && strcmp(report->command, name) == 0;
}

/* The names of all pictures there are, "curve, values, noise"; cut to fit. */
static void list_names(const eb_session *session, char *list, size_t size)
{
    const char *name;
    size_t used = 0;
    list[0] = '\0';
    for (size_t c = 0; c < eb_command_count(); c++) {
        const eb_report *report = report_of(session, eb_command_at(c)->name);
        for (size_t k = 0; used < size && (name = eb_figure_name(report, k)) != NULL; k++)
            used += (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    }
}

static eb_code fail_unknown(const eb_session *session, const char *name, eb_status *status)
{
    char list[400];
    list_names(session, list, sizeof list);
    return eb_fail(status, EB_NOT_FOUND, "there is no picture %.60s; there %s %s", name,
                   list[0] == '\0' ? "is none yet: `curve` draws one" : "are:", list);
}

/* A picture of the report in front comes before those of other commands' reports. */
static eb_code find_target(const eb_session *session, const char *name, target *out, eb_status *status)
{
    const eb_report *front = front_of(session);
    *out = (target){front, EB_ALL_PICTURES};
    if (!name)
        return eb_figure_count(front) > 0 ? EB_OK
                                          : eb_fail(status, EB_NOT_FOUND,
                                                    "there is no picture yet; `curve`, `info`, `project` and `compare "
                                                    "fasted ref64 S=64` draw some");
    if (front && has_picture(front, name, out))
        return EB_OK;
    for (int pass = 0; pass < 2; pass++) /* commands first, then pictures */
        for (size_t c = 0; c < eb_command_count(); c++) {
            const eb_report *report = report_of(session, eb_command_at(c)->name);
            const bool own = strcmp(eb_command_at(c)->name, name) == 0;
            if (report && (pass == 1 || own) && has_picture(report, name, out))
                return EB_OK;
        }
    return fail_unknown(session, name, status);
}

/* ---- writing ---- */

static eb_code write_file(const target *t, const char *path, const eb_figure_request *request, eb_status *status)
{
    eb_new_file *file;
    EB_TRY(eb_new_file_open(path, &file, status));
    FILE *out = eb_new_file_stream(file);
    eb_code failed = eb_figure_write(t->report, request, out, status);
    if (!failed && (fflush(out) != 0 || ferror(out)))
        failed = eb_fail_writing(path, errno, status);
    if (!failed)
        return eb_new_file_commit(file, status);
    eb_new_file_abandon(file);
    return failed;
}

static void list_pictures(const target *t, eb_report *report)
{
    const char *name;
    eb_table *table = EB_TABLE(report, EB_F(pictures), "Pictures", EB_F(name), EB_F(title));
    for (size_t k = 0; (name = eb_figure_name(t->report, k)) != NULL; k++)
        if (t->picture == EB_ALL_PICTURES || t->picture == k)
            EB_ROW(table, eb_text(name), eb_text(eb_figure_title(t->report, k)));
}

static eb_code plot_file(const target *t, const eb_call *call, const char *path, eb_report *report, eb_status *status)
{
    eb_figure_request request = {.picture = t->picture,
                                 .width = eb_call_flag(call, "wide") ? EB_PAGE_WIDTH : EB_COLUMN_WIDTH,
                                 .dots = EB_PNG_DOTS};
    struct stat about;
    EB_TRY(eb_figure_form_of(path, &request.form, status));
    EB_TRY(write_file(t, path, &request, status));
    EB_FIELDS(report, {EB_F(file), eb_text(path)},
              {EB_F(file_bytes), stat(path, &about) == 0 ? eb_uint((uint64_t)about.st_size) : eb_na()});
    list_pictures(t, report);
    return EB_OK;
}

/* `plot roofline`: a word without a file's ending is the name of a picture. */
static bool is_name(const char *path) { return !strchr(path, '.') && !strchr(path, '/'); }

eb_code eb_cmd_plot(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)job;
    const char *path = eb_call_text(call, "file"), *which = eb_call_text(call, "which");
    eb_figure_form form;
    target t;
    if (path && !which && is_name(path)) {
        which = path;
        path = NULL;
    }
    if (path)
        EB_TRY(eb_figure_form_of(path, &form, status));
    EB_TRY(find_target(session, which, &t, status));
    if (path)
        return plot_file(&t, call, path, report, status);
    list_pictures(&t, report);
    return EB_OK;
}
