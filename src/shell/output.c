#include "shell/output.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/find.h"
#include "draw/utf8.h"
#include "shell/background/messages.h"
#include "shell/background/progress.h"
#include "shell/foreground/pager.h"
#include "shell/render/render.h"

static eb_render_options render_options(const eb_shell *shell)
{
    unsigned width = eb_terminal_width(shell->out);
    return (eb_render_options){
        .mode = shell->session->settings.mode,
        .width = width,
        .unicode = shell->unicode,
        .console = shell->console && width > 0, /* output to a file is not limited to the console's font */
        .colour = shell->colour,
    };
}

/* Flushes the output. If the reader of a pipe has gone away (head, less), the program ends without a message; any other
 * failure to write is reported. */
static eb_code flush_output(eb_shell *shell, eb_status *status)
{
    errno = 0;
    if (fflush(shell->out) == 0 && !ferror(shell->out))
        return EB_OK;
    int why = errno;
    struct pollfd reader = {.fd = fileno(shell->out)};
    shell->quitting = true;
    if (poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR)) /* no reader; an earlier write may have set errno */
        return eb_fail(status, EB_IO, "%s", "");
    return eb_fail(status, EB_IO, "cannot write the output: %s", why ? strerror(why) : "an earlier write failed");
}

/* Shows a long report through the pager if a person is at the prompt. True: shown. */
static bool page_report(eb_shell *shell, const eb_report *report, const eb_render_options *options)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = shell->pages && shell->depth == 0 ? open_memstream(&text, &length) : NULL;
    if (!memory)
        return false;
    bool written = eb_render(memory, report, options, NULL) == EB_OK;
    written = fclose(memory) == 0 && written;
    bool shown = written && eb_pager_show(shell, text, length);
    free(text);
    return shown;
}

static eb_code write_report(eb_shell *shell, const eb_report *report, eb_status *failure, eb_status *status)
{
    eb_render_options options = render_options(shell);
    options.failure = failure;
    if (page_report(shell, report, &options))
        return EB_OK;
    eb_code failed = eb_render(shell->out, report, &options, status);
    eb_code unwritten = flush_output(shell, status); /* its message is more exact when both failed */
    failed = unwritten ? unwritten : failed;
    if (!failed && failure && options.mode == EB_MODE_JSON)
        failure->message[0] = '\0';
    return failed;
}

static bool has_content(const eb_report *report)
{
    return report->items > 0 || report->notes > 0 || report->raw || report->conclusion;
}

/* Keeps a message for the command `messages`. A display keeps its own. */
static void remember(const eb_shell *shell, const char *kind, const char *command, const char *sentence)
{
    char text[1024];
    static const char prefix[] = "warning: ";
    sentence += eb_is_warning(sentence) ? sizeof prefix - 1 : 0;
    (void)snprintf(text, sizeof text, "%s: %s", command, sentence);
    eb_messages_add(shell->session->messages, kind, text);
}

eb_code eb_output_report(eb_shell *shell, eb_report *report, eb_status *failure, eb_status *status)
{
    eb_code failed = EB_OK;
    bool json = !shell->display && shell->session->settings.mode == EB_MODE_JSON;
    bool shown = !shell->quiet && (has_content(report) || json);
    if (shown && shell->display) {
        shell->display->report(shell->display->context, report, failure != NULL);
        return EB_OK;
    }
    if (shown)
        failed = write_report(shell, report, failure, status);
    for (size_t k = 0; shown && k < report->notes; k++)
        remember(shell, eb_is_warning(report->note[k]) ? "warning" : "note", report->command, report->note[k]);
    eb_shelf_put(shell->session->shelf, report);
    return failed;
}

void eb_output_error(eb_shell *shell, const char *command, const eb_status *failure)
{
    if (failure->message[0] == '\0')
        return;
    if (shell->display) {
        shell->display->error(shell->display->context, command, failure);
        return;
    }
    remember(shell, "error", command, failure->message);
    /* If `out` is broken, a JSON document with the error cannot be written there either. */
    if (ferror(shell->out))
        eb_complain(shell->err, command, failure->message);
    else
        eb_render_error(shell->out, shell->err, command, failure, shell->session->settings.mode);
    (void)fflush(shell->out);
}

void eb_output_log_warning(eb_shell *shell)
{
    char *warning = shell->session->log_warning;
    char sentence[sizeof shell->session->log_warning];
    eb_session_log_catch_up(shell->session, 0);
    if (warning[0] == '\0')
        return;
    memcpy(sentence, warning, sizeof sentence);
    warning[0] = '\0';
    if (shell->display) {
        shell->display->warning(shell->display->context, sentence);
        return;
    }
    remember(shell, "warning", "log", sentence);
    eb_complain(shell->err, "warning", sentence);
}
