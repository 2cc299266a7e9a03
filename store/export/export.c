#include "store/export/export.h"

#include <errno.h>
#include <stdlib.h>

#include "core/files/new_file.h"

eb_code eb_export_check(const eb_export *export, eb_status *status)
{
    if (!ferror(export->file))
        return EB_OK;
    return eb_fail_writing(export->path, errno, status);
}

void eb_export_real(FILE *file, double x)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    (void)fputs(text, file);
}
