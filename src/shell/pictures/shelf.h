/* shelf: the last report of each command that has pictures, for `plot`; and the gallery, which is where `plot` finds
 * them: the shelf of a prompt or script, or the reports on the workbench's desk.
 */
#pragma once

#include "core/report/report.h"

typedef struct eb_gallery {
    const void *context;
    bool shown; /* the pictures are on the screen already: the workbench's */
    /* The command whose picture is drawn without a name, or "roofline"; NULL: nothing has a picture yet. */
    const char *(*front)(const void *context);
    const eb_report *(*of)(const void *context, const char *command); /* the command's last report; NULL: none */
} eb_gallery;

typedef struct eb_shelf eb_shelf;

eb_shelf *eb_shelf_new(void); /* NULL: out of memory */
void eb_shelf_free(eb_shelf *shelf);

/* Takes ownership: keeps reports with a picture and those that a roofline is made of, and frees all others. shelf NULL:
 * frees. */
void eb_shelf_put(eb_shelf *shelf, eb_report *report);

eb_gallery eb_shelf_gallery(const eb_shelf *shelf);
