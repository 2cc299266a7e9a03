/* plot: the command `plot`: finds a picture by name, and writes it to a file or asks the shell to show it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/files/new_file.h"
#include "draw/figure/figure.h"
#include "draw/plots/roofline.h"
#include "shell/commands/commands.h"
#include "shell/defaults.h"

/* ---- finding a picture ---- */

/* The picture to draw, or EB_ALL_PICTURES, of a report. */
typedef struct target {
    const eb_report *report;
    size_t picture;
    eb_report *own; /* the report, if it was made for this; else NULL */
} target;

static const char roofline[] = "roofline";

static const eb_report *report_of(const eb_session *session, const char *command)
{
    return session->gallery.of ? session->gallery.of(session->gallery.context, command) : NULL;
}

static const char *front_of(const eb_session *session)
{
    return session->gallery.front ? session->gallery.front(session->gallery.context) : NULL;
}

/* True if the report has a picture of that name. */
static bool has_picture(const eb_report *report, const char *name, target *out)
{
    const char *own;
    for (size_t k = 0; (own = eb_figure_name(report, k)) != NULL; k++)
        if (strcmp(own, name) == 0) {
            *out = (target){report, k, NULL};
            return true;
        }
    return false;
}

/* True if the report of a command of that name has pictures. */
static bool has_pictures(const eb_report *report, target *out)
{
    *out = (target){report, EB_ALL_PICTURES, NULL};
    return eb_figure_count(report) > 0;
}

/* The names of all pictures there are, "curve, values, noise"; cut to fit. */
static const char *list_names(const eb_session *session, char *list, size_t size)
{
    const char *name;
    size_t used = 0;
    list[0] = '\0';
    for (size_t c = 0; c < eb_command_count(); c++) {
        const eb_report *report = report_of(session, eb_command_at(c)->name);
        for (size_t k = 0; used < size && (name = eb_figure_name(report, k)) != NULL; k++)
            used += (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    }
    return list;
}

static eb_code fail_unknown(const eb_session *session, const char *name, eb_status *status)
{
    char list[400];
    if (list_names(session, list, sizeof list)[0] == '\0')
        return eb_fail(status, EB_NOT_FOUND,
                       "there is no picture yet; `curve`, `info`, `project` and `compare " EB_FAST " " EB_TRUE
                       " S=64` draw some");
    return eb_fail(status, EB_NOT_FOUND, "no picture here is called %.60s; there are: %s", name, list);
}

static eb_code make_roofline(const eb_session *session, target *out, eb_status *status)
{
    const eb_roofline r = session->gallery.of
                              ? eb_roofline_of(session->gallery.of, session->gallery.context, session->settings.device)
                              : (eb_roofline){.roofs = 0};
    if (r.roofs == 0)
        return eb_fail(status, EB_NO_DEVICE,
                       "the roofline needs a GPU's limits, which `devices` shows where they are known and `devices "
                       "measure` measures; the machine model's is a picture of `model`");
    eb_report *report = eb_roofline_report(&r);
    if (!report || !eb_report_ok(report)) {
        eb_report_free(report);
        return eb_fail_memory(status, "the roofline", sizeof *report);
    }
    *out = (target){report, EB_ALL_PICTURES, report};
    return EB_OK;
}

/* A picture of the report in front comes first, then commands, then pictures of other commands' reports. */
static eb_code find_target(const eb_session *session, const char *name, target *out, eb_status *status)
{
    const char *front = front_of(session);
    if (!name && front)
        return strcmp(front, roofline) == 0                   ? make_roofline(session, out, status)
               : has_pictures(report_of(session, front), out) ? EB_OK
                                                              : fail_unknown(session, front, status);
    if (!name)
        return fail_unknown(session, "", status);
    if ((front && has_picture(report_of(session, front), name, out)) || has_pictures(report_of(session, name), out))
        return EB_OK;
    if (strcmp(name, roofline) == 0)
        return make_roofline(session, out, status);
    for (size_t c = 0; c < eb_command_count(); c++)
        if (has_picture(report_of(session, eb_command_at(c)->name), name, out))
            return EB_OK;
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

static void conclude(const target *t, const char *path, eb_report *report)
{
    const size_t count = t->picture == EB_ALL_PICTURES ? eb_figure_count(t->report) : 1;
    if (!t->report)
        return;
    if (count > 1)
        eb_report_conclude(report, "%s has %zu pictures of %s", path, count, t->report->command);
    else
        eb_report_conclude(report, "%s has the picture %s of %s", path,
                           eb_figure_name(t->report, t->picture == EB_ALL_PICTURES ? 0 : t->picture),
                           t->report->command);
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
    conclude(t, path, report);
    return EB_OK;
}

/* Asks the shell to show the picture; a program gets the list of pictures. The workbench shows them already. */
static eb_code plot_here(eb_session *session, target *t, eb_report *report, eb_status *status)
{
    if (session->settings.mode != EB_MODE_TEXT) {
        list_pictures(t, report);
        return EB_OK;
    }
    if (session->gallery.shown)
        return eb_fail(status, EB_USAGE, "the workbench shows its pictures already; `plot picture.svg` writes one");
    session->request.drawn = (eb_drawn){t->report, t->picture, t->own};
    t->own = NULL;
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
    const eb_code failed = path ? plot_file(&t, call, path, report, status) : plot_here(session, &t, report, status);
    eb_report_free(t.own);
    return failed;
}
