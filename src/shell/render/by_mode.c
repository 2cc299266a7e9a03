/* by_mode: calls the renderer of the chosen mode. */
#include "shell/render/render.h"

#include <errno.h>
#include <string.h>

#include "draw/utf8.h"

eb_code eb_render(FILE *out, const eb_report *report, const eb_render_options *options, eb_status *status)
{
    eb_code failed = EB_OK;
    errno = 0;
    switch (options->mode) {
    case EB_MODE_TEXT: failed = eb_render_text(out, report, options, status); break;
    case EB_MODE_JSON: failed = eb_render_json(out, report, options->failure, status); break;
    case EB_MODE_CSV: eb_render_csv(out, report); break;
    case EB_MODE_MARKDOWN: failed = eb_render_markdown(out, report, status); break;
    }
    if (!failed && ferror(out))
        failed =
            eb_fail(status, EB_IO, "cannot write the output: %s", errno ? strerror(errno) : "an earlier write failed");
    return failed;
}

void eb_render_error(FILE *out, FILE *err, const char *command, const eb_status *failure, eb_mode mode)
{
    if (mode == EB_MODE_JSON)
        eb_render_json_error(out, command, failure);
    else
        eb_complain(err, command, failure->message);
}
