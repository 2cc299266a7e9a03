#include "shell/repl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <readline/readline.h>

#include "draw/utf8.h"
#include "shell/editor.h"
#include "shell/history.h"

/* ---- the prompt ---- */

char *eb_prompt(const eb_session *session, bool unicode, char *buffer, size_t size)
{
    char eps[40] = "";
    if (!session->dataset) {
        (void)snprintf(buffer, size, "epsbench> ");
        return buffer;
    }
    if (!isnan(session->eps))
        (void)snprintf(eps, sizeof eps, " %s=%.8g", unicode ? "ε" : "eps", session->eps);
    const char *source = session->dataset->source ? session->dataset->source : "?";
    const char *slash = strrchr(source, '/');
    if (slash && slash[1] != '\0')
        source = slash + 1;
    int shown = 32;
    bool cut = strlen(source) > (size_t)shown;
    while (cut && shown > 0 && ((unsigned char)source[shown] & 0xC0u) == 0x80u)
        shown--; /* not inside a UTF-8 character */
    (void)snprintf(buffer, size, "%.*s%s%s> ", shown, source, cut ? ".." : "", eps);
    return buffer;
}

/* ---- the line editor ---- */

static char *typed_line;
static bool line_ended;

/* readline hands over a line, NULL at Ctrl-D. The terminal goes back to its usual modes while commands run. */
static void take_line(char *line)
{
    typed_line = line;
    line_ended = true;
    rl_callback_handler_remove();
}

static void suspend(void)
{
    if (rl_deprep_term_function)
        rl_deprep_term_function();
}

static void resume(void)
{
    if (rl_prep_term_function)
        rl_prep_term_function(1);
    rl_forced_update_display();
}

static void clear_line(void)
{
    rl_free_line_state();
    rl_callback_sigcleanup();
    (void)fputs("^C", rl_outstream);
    rl_crlf();
    rl_replace_line("", 1);
    rl_point = rl_end = rl_mark = 0;
    rl_on_new_line();
    rl_redisplay();
}

/* Waits for a whole line; false when the program is to end. */
static bool read_line(eb_shell *shell)
{
    static const eb_terminal terminal = {suspend, resume, rl_resize_terminal};
    char prompt[160];
    line_ended = false;
    typed_line = NULL;
    rl_callback_handler_install(eb_prompt(shell->session, shell->unicode, prompt, sizeof prompt), take_line);
    shell->terminal = &terminal;
    while (!line_ended && !shell->quitting) {
        if (eb_shell_wait(shell, STDIN_FILENO, -1.0)) {
            rl_callback_read_char();
        } else if (!shell->quitting) {
            shell->interrupted = false;
            clear_line();
        }
    }
    shell->terminal = NULL;
    if (!line_ended)
        rl_callback_handler_remove();
    return typed_line != NULL;
}

/* A line of the terminal as it usually is. */
static bool is_yes(const char *answer) { return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0; }

static bool ask(eb_shell *shell, const char *question)
{
    char answer[8] = "";
    size_t length = 0;
    char *shown = eb_utf8_shown(question, !shell->unicode);
    (void)fprintf(rl_outstream, "%s y/N ", shown ? shown : "Replace it?");
    (void)fflush(rl_outstream);
    free(shown);
    while (eb_shell_wait(shell, STDIN_FILENO, -1.0)) {
        char byte;
        ssize_t got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) { /* Ctrl-D */
            (void)fputc('\n', rl_outstream);
            return false;
        }
        if (byte == '\n')
            return is_yes(answer);
        if (length + 1 < sizeof answer)
            answer[length++] = byte;
    }
    return false;
}

void eb_repl(eb_shell *shell)
{
    rl_outstream = isatty(STDOUT_FILENO) ? stdout : stderr;
    shell->ask = ask;
    eb_editor_open();
    while (!shell->quitting && read_line(shell)) {
        eb_history_add(typed_line);
        (void)eb_shell_run(shell, typed_line, NULL);
        shell->interrupted = shell->ended_by != 0; /* Ctrl-C was for that line */
        free(typed_line);
        typed_line = NULL;
    }
    if (!shell->quitting || shell->ended_by) { /* the shell above gets a line of its own */
        (void)fputc('\n', rl_outstream);
        (void)fflush(rl_outstream);
    }
    eb_editor_close();
    shell->ask = NULL;
}
