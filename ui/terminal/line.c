#include "ui/terminal/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "draw/utf8.h"
#include "shell/editor.h"

/* Bytes of one key that readline has still to read. */
static unsigned char waiting[64];
static size_t first, count;

static char *typed;
static bool ended;
static FILE *nowhere; /* /dev/null, for readline's own output */
static char *offers;

static int waiting_byte(bool pasting)
{
    (void)pasting;
    return first < count ? waiting[first++] : EOF;
}

static int next_byte(FILE *stream)
{
    (void)stream;
    return eb_editor_byte(waiting_byte);
}

static int any_byte(void) { return first < count; }

static void draw_nothing(void) {}

static void take_line(char *line)
{
    typed = line;
    ended = true;
    rl_callback_handler_remove();
}

/* Keeps completion's matches as eb_line_offers returns them. matches[0] is their common prefix; the names of files are
 * kept without their folder. */
static void keep_offers(char **matches, int number, int longest)
{
    (void)longest;
    size_t room = 1, used = 0;
    bool told = false;
    for (int k = 1; k <= number; k++) {
        const char *about = eb_editor_about(matches[k]);
        room += strlen(matches[k]) + (about ? strlen(about) : 0) + 2;
        told = told || about;
    }
    free(offers);
    offers = malloc(room);
    for (int k = 1; offers && k <= number; k++) {
        const char *slash = rl_filename_completion_desired ? strrchr(matches[k], '/') : NULL;
        const char *name = slash && slash[1] ? slash + 1 : matches[k];
        const char *about = eb_editor_about(matches[k]);
        used += told ? (size_t)sprintf(offers + used, "%s%s\t%s", k > 1 ? "\n" : "", name, about ? about : "")
                     : (size_t)sprintf(offers + used, "%s%s", k > 1 ? "  " : "", name);
    }
}

eb_code eb_line_open(eb_status *status)
{
    eb_code unusable = eb_editor_open(status);
    nowhere = fopen("/dev/null", "w");
    if (nowhere)
        rl_outstream = nowhere;
    rl_prep_term_function = NULL; /* the screen sets the terminal's modes */
    rl_deprep_term_function = NULL;
    rl_getc_function = next_byte;
    rl_input_available_hook = any_byte;
    rl_redisplay_function = draw_nothing;
    rl_completion_display_matches_hook = keep_offers;
    rl_completion_query_items = 0; /* readline would ask before it lists many matches, and wait */
    (void)rl_variable_bind("bell-style", "none");
    (void)rl_variable_bind("show-all-if-ambiguous", "on");
    return unusable;
}

void eb_line_close(void)
{
    rl_callback_handler_remove();
    eb_editor_close();
    free(typed);
    free(offers);
    typed = offers = NULL;
    rl_outstream = stdout;
    if (nowhere)
        (void)fclose(nowhere);
    nowhere = NULL;
}

void eb_line_begin(const char *prompt, const char *text)
{
    ended = false;
    typed = NULL;
    rl_callback_handler_install(prompt, take_line);
    if (text)
        (void)rl_insert_text(text);
}

void eb_line_insert(const char *text) { (void)rl_insert_text(text); }

void eb_line_prompt(const char *prompt) { (void)rl_set_prompt(prompt); }

static void feed(const char *bytes, size_t length)
{
    memcpy(waiting, bytes, length);
    count = length;
    first = 0;
    while (first < count && !ended) {
        eb_editor_key();
        rl_callback_read_char();
    }
}

/* Ends an incremental search by Ctrl-J before a key that begins a longer sequence, such as Esc or Ctrl-X: readline's
 * callback interface fails if such a key ends the search. */
static void end_search(unsigned char first_byte)
{
    if (RL_ISSTATE(RL_STATE_ISEARCH) && rl_get_keymap()[first_byte].type == ISKMAP)
        feed("\n", 1);
}

bool eb_line_key(eb_key key, char **finished)
{
    char bytes[16];
    size_t length = eb_key_bytes(key, bytes);
    end_search((unsigned char)bytes[0]);
    if (!ended)
        feed(bytes, length);
    if (!ended)
        return false;
    *finished = typed;
    typed = NULL;
    return true;
}

bool eb_line_empty(void)
{
    return rl_end == 0 && !RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG | RL_STATE_MULTIKEY);
}

void eb_line_clear(void)
{
    rl_free_line_state();
    rl_callback_sigcleanup();
    rl_replace_line("", 1);
    rl_point = rl_end = rl_mark = 0;
}

char *eb_line_offers(void)
{
    char *given = offers;
    offers = NULL;
    return given;
}

/* ---- drawing ---- */

static const char *shown_prompt(void) { return rl_display_prompt ? rl_display_prompt : ""; }

static int columns_of(const char *text, size_t bytes) { return (int)eb_utf8_columns(text, bytes); }

int eb_line_columns(void)
{
    const char *prompt = shown_prompt();
    /* + 1: the cursor after the last character. */
    return columns_of(prompt, strlen(prompt)) + columns_of(rl_line_buffer ? rl_line_buffer : "", (size_t)rl_end) + 1;
}

/* Draws text over rows of area.width columns, from `column` on, which counts through all rows. The first `skip` rows
 * are not shown. Returns the column after the text. */
static int draw_text(eb_canvas *canvas, eb_rect area, int skip, int column, eb_role role, const char *text,
                     size_t length)
{
    size_t bytes;
    for (size_t k = 0; k < length; k += bytes) {
        char one[8] = "";
        (void)eb_utf8_next(text + k, &bytes);
        if (bytes == 0)
            break;
        memcpy(one, text + k, bytes < sizeof one ? bytes : sizeof one - 1);
        int width = columns_of(text + k, bytes);
        if (width == 2 && column % area.width == area.width - 1)
            column++; /* a wide character is not broken over two rows */
        int row = column / area.width - skip;
        if (row >= 0 && row < area.height && one[0] == '\n')
            eb_put_cell(canvas, area, area.x + column % area.width, area.y + row, EB_ROLE_DIM, 0x23CE, '|');
        else if (row >= 0 && row < area.height)
            (void)eb_put(canvas, area, area.x + column % area.width, area.y + row, role, one);
        column += width;
    }
    return column;
}

void eb_line_draw(eb_canvas *canvas, eb_rect area, int *cursor_x, int *cursor_y)
{
    const char *prompt = shown_prompt(), *text = rl_line_buffer ? rl_line_buffer : "";
    *cursor_x = *cursor_y = -1;
    if (eb_rect_empty(area))
        return;
    int before = columns_of(prompt, strlen(prompt)), cursor = before + columns_of(text, (size_t)rl_point);
    int skip = cursor / area.width - (area.height - 1);
    skip = skip < 0 ? 0 : skip;
    int column = draw_text(canvas, area, skip, 0, EB_ROLE_PROMPT, prompt, strlen(prompt));
    (void)draw_text(canvas, area, skip, column, EB_ROLE_TEXT, text, (size_t)rl_end);
    *cursor_x = area.x + cursor % area.width;
    *cursor_y = area.y + cursor / area.width - skip;
}
