/* project: the commands `project`, which draws the dataset on two principal axes, and `formats` and `files`, which list
 * what can be loaded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/projection.h"
#include "io/files/folder.h"
#include "io/formats.h"
#include "shell/commands/commands.h"

/* ---- labels ---- */

enum { LETTERS = 26, LETTER_OTHERS = '.' };

/* A letter for each of the LETTERS labels with the most points; all other labels share a dot. */
typedef struct lettering {
    size_t *points; /* [names] points with that label */
    char *letter;   /* [names] */
} lettering;

static bool find_letters(const eb_labels *labels, lettering *out)
{
    *out = (lettering){calloc(labels->names, sizeof *out->points), malloc(labels->names)};
    if (!out->points || !out->letter)
        return false;
    for (size_t i = 0; i < labels->points; i++)
        out->points[labels->of[i]]++;
    memset(out->letter, LETTER_OTHERS, labels->names);
    for (int given = 0; given < LETTERS; given++) { /* to the label with the most points, the first of several */
        size_t most = labels->names;
        for (size_t k = 0; k < labels->names; k++)
            if (out->letter[k] == LETTER_OTHERS && (most == labels->names || out->points[k] > out->points[most]))
                most = k;
        if (most < labels->names)
            out->letter[most] = (char)('a' + given);
    }
    return true;
}

static void list_letters(const eb_labels *labels, const lettering *l, eb_series *series, eb_report *report)
{
    size_t others = 0, points = 0;
    eb_table *table = EB_TABLE(report, EB_F(labels), "Labels", EB_F(mark),
                               &(eb_column){EB_F(label)->key, labels->column, EB_PLAIN}, EB_F(points));
    for (int letter = 0; letter < LETTERS; letter++)
        for (size_t k = 0; k < labels->names; k++)
            if (l->letter[k] == 'a' + letter) {
                const char text[] = {l->letter[k], '\0'};
                EB_ROW(table, eb_text(text), eb_text(labels->name[k]), eb_uint(l->points[k]));
                eb_series_name(series, l->letter[k], labels->name[k]);
            }
    for (size_t k = 0; k < labels->names; k++)
        if (l->letter[k] == LETTER_OTHERS) {
            others++;
            points += l->points[k];
        }
    if (others)
        eb_report_note(report, "%zu more labels, of %zu points, are drawn as dots", others, points);
}

static eb_code describe_labels(const eb_dataset *ds, const eb_projection *p, eb_series *series, eb_report *report,
                               eb_status *status)
{
    lettering l;
    char *mark = malloc(p->points + 1);
    bool found = find_letters(ds->labels, &l) && mark;
    for (size_t i = 0; found && i < p->points; i++)
        mark[i] = l.letter[ds->labels->of[eb_projection_row(p, ds->n, i)]];
    if (found) {
        eb_series_marks(series, mark);
        list_letters(ds->labels, &l, series, report);
    }
    free(mark);
    free(l.points);
    free(l.letter);
    return found ? EB_OK : eb_fail_memory(status, "labels", ds->labels->names * sizeof *l.points);
}

/* ---- project ---- */

static eb_code describe_projection(const eb_dataset *ds, const eb_projection *p, eb_report *report, eb_status *status)
{
    EB_FIELDS(report, {EB_F(n), eb_uint(ds->n)}, {EB_F(d), eb_uint(ds->d)}, {EB_F(points), eb_uint(p->points)},
              {EB_F(first_share), eb_real(p->share[0])}, {EB_F(second_share), eb_real(p->share[1])});
    eb_series *series = eb_report_series(report, EB_F(projection), "First two principal axes", EB_POINTS, p->points,
                                         p->x, p->y, NULL, NULL);
    eb_series_axes(series, EB_F(first_axis), false, EB_F(second_axis), false);
    if (p->points < ds->n)
        eb_report_note(report, "axes and shares are those of %zu evenly spaced points", p->points);
    if (isnan(p->share[0]))
        eb_report_note(report, "all of these points are equal: there is no variance");
    else if (!p->settled)
        eb_report_note(report, "other directions carry nearly as much variance as these two");
    return ds->labels ? describe_labels(ds, p, series, report, status) : EB_OK;
}

eb_code eb_cmd_project(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    eb_projection projection;
    size_t points = (size_t)eb_call_integer(call, "points", 0);
    EB_TRY(eb_project(session->dataset, points, session->settings.threads, job, &projection, status));
    eb_code failed = describe_projection(session->dataset, &projection, report, status);
    eb_projection_free(&projection);
    return failed;
}

/* ---- files ---- */

eb_code eb_cmd_formats(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)session, (void)call, (void)job, (void)status;
    eb_table *table = EB_TABLE(report, EB_F(formats), "", EB_F(extension), EB_F(format), EB_F(about), EB_F(objects),
                               EB_F(columns), EB_F(why_not));
    for (size_t k = 0; k < eb_format_count(); k++) {
        const eb_format *format = eb_format_at(k);
        eb_status why = {.message = ""};
        (void)eb_format_check_library(format, &why);
        EB_ROW(table, eb_text(format->extension), eb_text(format->name), eb_text(format->about),
               eb_bool(format->has & EB_HAS_OBJECTS), eb_bool(format->has & EB_IS_TABLE), eb_text(why.message));
    }
    return EB_OK;
}

enum { MOST_FILES = 1000 };

static void add_file(eb_table *table, const eb_folder_file *file)
{
    bool known = file->n > 0;
    EB_ROW(table, eb_text(file->name), eb_text(file->format), eb_uint(file->bytes), known ? eb_uint(file->n) : eb_na(),
           known ? eb_uint(file->d) : eb_na(), known ? eb_text(eb_dtype_name(file->dtype)) : eb_na(),
           eb_text(file->reason));
}

eb_code eb_cmd_files(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)session;
    const char *folder = eb_call_text(call, "folder");
    eb_folder list;
    EB_TRY(eb_folder_list(folder ? folder : ".", MOST_FILES, job, &list, status));
    eb_report_field(report, EB_F(folder), eb_text(list.path));
    eb_table *table = EB_TABLE(report, EB_F(files), "", EB_F(name), EB_F(format), EB_F(bytes), EB_F(n), EB_F(d),
                               EB_F(dtype), EB_F(why_not));
    for (size_t k = 0; k < list.count; k++)
        add_file(table, &list.file[k]);
    if (list.found > list.count)
        eb_report_note(report, "%zu more files are not listed", list.found - list.count);
    eb_folder_free(&list);
    return EB_OK;
}
