#include "shell/editor.h"

#include <stdio.h>
#include <string.h>

#include <readline/readline.h>

#include "shell/history.h"
#include "shell/language/complete.h"

static eb_candidates candidates;

/* readline asks for one match after another: the table's names first, then files where they fit. */
static char *next_match(const char *text, int state)
{
    static size_t index;
    static int file_state;
    if (state == 0) {
        index = 0;
        file_state = 0;
    }
    while (index < candidates.count) {
        const char *name = candidates.name[index++];
        if (strncmp(name, text, strlen(text)) == 0)
            return strdup(name);
    }
    return candidates.files ? rl_filename_completion_function(text, file_state++) : NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start;
    rl_attempted_completion_over = 1; /* no file names where none belong */
    eb_candidates_free(&candidates);
    if (!eb_complete(rl_line_buffer, (size_t)end, &candidates))
        return NULL;
    rl_filename_completion_desired = candidates.files;
    char **matches = rl_completion_matches(text, next_match);
    /* "eps=" is followed by its value, not by a blank. */
    if (matches && matches[0] &&
        (candidates.open || (matches[0][0] != '\0' && matches[0][strlen(matches[0]) - 1] == '=')))
        rl_completion_suppress_append = 1;
    return matches;
}

void eb_editor_open(void)
{
    rl_readline_name = "epsbench";
    rl_catch_signals = 0; /* they come through signals.h */
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_attempted_completion_function = complete;
    rl_basic_word_break_characters = " \t\n;=";
    rl_completer_word_break_characters = " \t\n;=";
    rl_completer_quote_characters = "\"'";
    rl_filename_quote_characters = " \t;#\"'";
    eb_history_load();
}

void eb_editor_close(void)
{
    eb_history_save();
    eb_candidates_free(&candidates);
}
