#include "shell/repl.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
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
    const char *source = eb_dataset_name(session->dataset);
    int shown = 32;
    bool cut = strlen(source) > (size_t)shown;
    while (cut && shown > 0 && ((unsigned char)source[shown] & 0xC0u) == 0x80u)
        shown--; /* not inside a UTF-8 character */
    (void)snprintf(buffer, size, "%.*s%s%s> ", shown, source, cut ? ".." : "", eps);
    return buffer;
}

/* ---- the line editor ----
 *
 * readline's bytes come from a function that waits with eb_shell_wait, so that signals are handled. Its callback mode
 * is not used: editing commands that read keys themselves crash there. */

static const double PASTE_PAUSE_S = 1.0; /* longer than any pause of a terminal within a paste */

enum { MOST_NEWLINES = 16 };

static eb_shell *reading; /* the shell, because readline's functions have no argument for it */
static unsigned newlines; /* bytes passed to readline to end the interrupted line */

/* Sets the terminal's modes as readline does, but with VMIN = 0, so that read never blocks: Ctrl-C may discard typed
 * bytes after poll has reported them. */
static void prepare(int meta)
{
    struct termios modes;
    rl_prep_terminal(meta);
    if (tcgetattr(STDIN_FILENO, &modes) != 0)
        return;
    modes.c_cc[VMIN] = 0;
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &modes);
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

/* The next key that makes readline return: Ctrl-G ends a command of several keys, then Enter ends the line. EOF after
 * MOST_NEWLINES, in case the keys are bound to other functions. */
static int next_leaving(void)
{
    if (newlines == 0 && !reading->quitting)
        (void)fputs("^C", rl_outstream);
    if (newlines >= MOST_NEWLINES)
        return EOF;
    return newlines++ == 0 && RL_ISSTATE(RL_STATE_MOREINPUT) ? 'G' & 31 : '\n';
}

static bool try_again(ssize_t got, const struct pollfd *input)
{
    if (got == 0)
        return (input->revents & POLLHUP) == 0 && isatty(STDIN_FILENO); /* discarded by Ctrl-C, see prepare */
    return got < 0 && (errno == EINTR || errno == EAGAIN);
}

/* Waits for a byte. EOF: a pause within a paste, a signal, or the terminal is gone. */
static int read_byte(bool pasting)
{
    unsigned char byte;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t got = -1;
    do {
        if (!eb_shell_wait(reading, STDIN_FILENO, pasting ? PASTE_PAUSE_S : -1.0) ||
            (poll(&input, 1, 0) == 0 && pasting))
            return EOF;
        got = read(STDIN_FILENO, &byte, 1);
    } while (try_again(got, &input));
    return got == 1 ? byte : EOF;
}

/* The next byte that the person typed: a terminal's late answers are left out. */
static int wait_for_byte(bool pasting)
{
    enum { AT_ONCE_MS = 50 };
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    eb_answers *answers = &reading->answers;
    for (int typed;;) {
        if (eb_answers_open(answers) && poll(&input, 1, AT_ONCE_MS) == 0)
            eb_answers_close(answers);
        if ((typed = eb_answers_typed(answers)) >= 0)
            return typed;
        const int byte = read_byte(pasting);
        if (byte == EOF)
            return EOF;
        eb_answers_take(answers, (unsigned char)byte);
    }
}

static int next_byte(FILE *stream)
{
    (void)stream;
    int byte = reading->interrupted && newlines > 0 ? EOF : eb_editor_byte(wait_for_byte);
    return byte == EOF && reading->interrupted ? next_leaving() : byte;
}

/* A line, heap; NULL: the program is to end. */
static char *read_line(eb_shell *shell)
{
    static const eb_terminal terminal = {suspend, resume, rl_resize_terminal};
    char prompt[160], *line;
    bool interrupted;
    do {
        newlines = 0;
        shell->terminal = &terminal;
        line = readline(eb_prompt(shell->session, shell->unicode, prompt, sizeof prompt));
        shell->terminal = NULL;
        interrupted = shell->interrupted;
        if (interrupted || shell->quitting) {
            free(line);
            line = NULL;
        }
        shell->interrupted = shell->ended_by != 0;
    } while (interrupted && !shell->quitting);
    return line;
}

static bool is_yes(const char *answer) { return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0; }

/* Reads a line in the terminal's normal mode, without readline, cut to size. False: Ctrl-C or Ctrl-D. */
static bool read_answer(eb_shell *shell, char *answer, size_t size)
{
    size_t length = 0;
    answer[0] = '\0';
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
            return true;
        if (length + 1 < size)
            answer[length++] = byte;
        answer[length] = '\0';
    }
    return false;
}

/* Prints the text and what can be answered, then reads the answer. False: Ctrl-C or Ctrl-D. */
static bool put_question(eb_shell *shell, const char *text, const char *choices, char *answer, size_t size)
{
    char *shown = eb_utf8_shown(text, !shell->unicode);
    (void)fprintf(rl_outstream, "%s%s ", shown ? shown : "out of memory", choices);
    (void)fflush(rl_outstream);
    free(shown);
    return read_answer(shell, answer, size);
}

static bool ask(eb_shell *shell, const char *question)
{
    char answer[8];
    return put_question(shell, question, " y/N", answer, sizeof answer) && is_yes(answer);
}

static eb_pace pause_for(eb_shell *shell, const char *sentence)
{
    char answer[8];
    if (!put_question(shell, sentence, "\n(Enter: go on, c: without pauses, q: stop)", answer, sizeof answer) ||
        answer[0] == 'q')
        return EB_PACE_STOP;
    return answer[0] == 'c' ? EB_PACE_REST : EB_PACE_NEXT;
}

void eb_repl(eb_shell *shell)
{
    rl_outstream = isatty(STDOUT_FILENO) ? stdout : stderr;
    shell->ask = ask;
    shell->pause = pause_for;
    shell->pages = true;
    eb_status unusable;
    if (eb_editor_open(&unusable))
        eb_complain(shell->err, "warning", unusable.message);
    reading = shell;
    rl_getc_function = next_byte;
    rl_prep_term_function = prepare;
    for (char *line; !shell->quitting && (line = read_line(shell)) != NULL;) {
        eb_history_add(line);
        (void)eb_shell_run(shell, line, NULL);
        shell->interrupted = shell->ended_by != 0; /* Ctrl-C ended only that line */
        free(line);
    }
    if (!shell->quitting || shell->ended_by) { /* the calling shell's prompt begins on a new line */
        (void)fputc('\n', rl_outstream);
        (void)fflush(rl_outstream);
    }
    eb_editor_close();
    shell->pages = false;
    shell->ask = NULL;
    shell->pause = NULL;
}
