#include "shell/editor.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "core/files/text_file.h"
#include "draw/utf8.h"
#include "io/files/files.h"
#include "io/formats.h"
#include "shell/history.h"
#include "shell/language/candidates.h"

static eb_candidates candidates;

/* Returns one match per call, heap: names from the command table first, then files where the argument is a file. */
static char *next_match(const char *text, int state)
{
    static size_t index;
    static int file_state;
    if (state == 0) {
        index = 0;
        file_state = 0;
    }
    while (index < candidates.count) {
        const char *name = candidates.candidate[index++].name;
        if (strncmp(name, text, strlen(text)) == 0)
            return strdup(name);
    }
    for (char *file; candidates.files && (file = rl_filename_completion_function(text, file_state++)); free(file))
        if (!candidates.datasets || eb_could_be_loaded(file))
            return file;
    return NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start;
    rl_attempted_completion_over = 1; /* no fallback to file names */
    eb_candidates_free(&candidates);
    if (!eb_complete(rl_line_buffer, (size_t)end, &candidates))
        return NULL;
    rl_filename_completion_desired = candidates.files;
    char **matches = rl_completion_matches(text, next_match);
    /* readline must not append a blank to "eps=", which its value follows. */
    if (matches && matches[0] &&
        (candidates.open || (matches[0][0] != '\0' && matches[0][strlen(matches[0]) - 1] == '=')))
        rl_completion_suppress_append = 1;
    return matches;
}

const char *eb_editor_about(const char *match)
{
    for (size_t k = 0; k < candidates.count; k++)
        if (strcmp(candidates.candidate[k].name, match) == 0)
            return candidates.candidate[k].about;
    return NULL;
}

/* Prints a match and its description on one line, cut at the screen's edge. */
static void put_match(const char *match, int width, int columns)
{
    const char *about = eb_editor_about(match);
    char *shown = eb_utf8_shown(about ? about : "", strcmp(nl_langinfo(CODESET), "UTF-8") != 0);
    const char *rest = shown;
    int room = columns - width - 3;
    size_t bytes = shown && room > 0 ? eb_utf8_line(&rest, (size_t)room) : 0;
    (void)fprintf(rl_outstream, "%-*s  %.*s\n", width, match, (int)bytes, shown ? shown : "");
    free(shown);
}

/* Lists matches at the plain prompt, one a line. Uses readline's own list if no match has a description or if the list
 * is longer than the screen. */
static void list_matches(char **matches, int number, int longest)
{
    int rows = 24, columns = 80, width = 0, told = 0;
    rl_get_screen_size(&rows, &columns);
    for (int k = 1; k <= number; k++) {
        int own = (int)strlen(matches[k]);
        width = own > width ? own : width;
        told += eb_editor_about(matches[k]) != NULL;
    }
    if (told == 0 || number >= rows - 1) {
        rl_display_match_list(matches, number, longest);
    } else {
        (void)fputc('\n', rl_outstream);
        for (int k = 1; k <= number; k++)
            put_match(matches[k], width, columns);
    }
    rl_forced_update_display();
}

/* ---- key bindings ---- */

/* Functions that crash readline 8.2. The first two do so in callback mode if the key that they wait for has more than
 * one byte; the others leave the line with the undo list of another line. */
static bool crashes(rl_command_func_t *function)
{
    return function == rl_char_search || function == rl_backward_char_search || function == rl_noninc_forward_search ||
           function == rl_noninc_reverse_search || function == rl_noninc_forward_search_again ||
           function == rl_noninc_reverse_search_again;
}

static int read_init_file(int count, int key);

/* Unbinds these functions in a keymap and in all keymaps that it leads to. */
static void unbind_in(Keymap map)
{
    for (int k = 0; k < KEYMAP_SIZE; k++) {
        KEYMAP_ENTRY *entry = &map[k];
        Keymap further; /* entries of type ISKMAP store a keymap in `function` */
        memcpy(&further, &entry->function, sizeof entry->function);
        if (entry->type == ISKMAP && further)
            unbind_in(further);
        else if (entry->type == ISFUNC && crashes(entry->function))
            entry->function = NULL;
        else if (entry->type == ISFUNC && entry->function == rl_re_read_init_file)
            entry->function = read_init_file;
    }
}

static void unbind(void)
{
    static const char *const maps[] = {"emacs-standard", "emacs-meta", "emacs-ctlx", "vi-move", "vi-insert"};
    for (size_t k = 0; k < sizeof maps / sizeof maps[0]; k++)
        unbind_in(rl_get_keymap_by_name(maps[k]));
}

/* Checks the person's inputrc and disables it if it is no regular text file; readline would wait for ever on a pipe. */
static eb_code check_init_file(eb_status *status)
{
    const char *chosen = getenv("INPUTRC");
    char *path = chosen && *chosen ? strdup(chosen) : eb_expand_home("~/.inputrc");
    eb_code failed = path ? eb_text_check(path, path, "settings of the line editor", EB_SETTINGS_BYTES, status)
                          : eb_fail_memory(status, "a path", 1);
    if (failed)
        (void)setenv("INPUTRC", "/dev/null", 1);
    free(path);
    return failed;
}

static int read_init_file(int count, int key)
{
    (void)check_init_file(NULL);
    int failed = rl_re_read_init_file(count, key);
    unbind(); /* the file may have bound them again */
    return failed;
}

/* ---- bracketed pastes ---- */

static const char paste_begins[] = "\033[200~", paste_ends[] = "\033[201~";
enum { MARK = sizeof paste_begins - 1 };

static char last[MARK]; /* the last bytes that readline received */
static bool pasting;
static size_t ended; /* bytes of paste_ends passed to readline because the terminal never sent them */

void eb_editor_key(void)
{
    pasting = false;
    ended = 0;
}

int eb_editor_byte(int (*next)(bool pasting))
{
    int byte = ended > 0 ? EOF : next(pasting);
    if (byte == EOF && pasting)
        byte = (unsigned char)paste_ends[ended++];
    if (byte == EOF)
        return EOF;
    memmove(last, last + 1, MARK - 1);
    last[MARK - 1] = (char)byte;
    if (memcmp(last, paste_begins, MARK) == 0)
        pasting = true;
    else if (memcmp(last, paste_ends, MARK) == 0)
        eb_editor_key();
    return byte;
}

/* ---- open, close ---- */

eb_code eb_editor_open(eb_status *status)
{
    eb_code unread = check_init_file(status);
    rl_readline_name = "epsbench";
    rl_catch_signals = 0; /* signals.h handles them */
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_attempted_completion_function = complete;
    rl_completion_display_matches_hook = list_matches;
    rl_basic_word_break_characters = " \t\n;=";
    rl_completer_word_break_characters = " \t\n;=";
    rl_completer_quote_characters = "\"'";
    rl_filename_quote_characters = " \t;#\"'";
    (void)rl_initialize(); /* reads ~/.inputrc, once */
    unbind();
    eb_code forgotten = eb_history_load(unread ? NULL : status);
    return unread ? unread : forgotten;
}

void eb_editor_close(void)
{
    eb_history_save();
    eb_candidates_free(&candidates);
}
