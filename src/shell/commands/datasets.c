/* What one could begin with: the built-in sets, what was worked on last, the files here. */
#include <stdio.h>
#include <string.h>

#include "io/files/folder.h"
#include "shell/commands/commands.h"

enum { MOST_RECENT = 6, MOST_FILES = 50 };

static void add_built_in(eb_table *table)
{
    EB_ROW(table, eb_text("built in"), eb_text("demo:stars"), eb_uint(100000), eb_uint(3),
           eb_text("FP16 errs: 13,000 pairs on the wrong side at S = 64 (stars on the unit sphere)"));
    EB_ROW(table, eb_text("built in"), eb_text("demo"), eb_uint(4000), eb_uint(784),
           eb_text("FP16 is exact: pictures of clothes, bytes"));
    EB_ROW(table, eb_text("made"), eb_text("synth gaussian 10000 64"), eb_uint(10000), eb_uint(64),
           eb_text("a cloud of points; `help synth` knows others"));
}

static eb_code add_files(eb_table *table, eb_job *job, eb_status *status)
{
    eb_folder folder;
    EB_TRY(eb_folder_list(".", MOST_FILES, job, &folder, status));
    for (size_t k = 0; k < folder.count; k++) {
        const eb_folder_file *file = &folder.file[k];
        if (file->reason[0] == '\0')
            EB_ROW(table, eb_text("here"), eb_text(file->name), file->n > 0 ? eb_uint(file->n) : eb_na(),
                   file->n > 0 ? eb_uint(file->d) : eb_na(), eb_text(file->format));
    }
    eb_folder_free(&folder);
    return EB_OK;
}

eb_code eb_cmd_datasets(eb_session *session, const eb_call *call, eb_report *report, eb_job *job, eb_status *status)
{
    (void)call;
    eb_table *table = eb_report_table(report, "datasets", "To begin with");
    EB_COLUMNS(table, {"from", "", EB_PLAIN}, {"dataset", "dataset", EB_PLAIN}, {"n", "n", EB_PLAIN},
               {"d", "d", EB_PLAIN}, {"about", "about", EB_PLAIN});
    add_built_in(table);
    if (session->store)
        EB_TRY(eb_store_recent(session->store, MOST_RECENT, table, status));
    eb_status unread;
    (void)add_files(table, job, &unread); /* a folder that cannot be read has nothing to begin with */
    return EB_OK;
}
