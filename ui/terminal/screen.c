#include "ui/terminal/screen.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/clock.h"
#include "draw/colours.h"
#include "ui/terminal/crash.h"
#include "ui/terminal/terminfo.h"

/* Numbers that no key of ours has. */
enum { PASTE_BEGINS = KEY_F(60), PASTE_ENDS = KEY_F(61) };

static SCREEN *terminal;
static eb_scheme scheme;

/* ---- start and end ---- */

static eb_code check_terminal(char *leave, size_t size, eb_status *status)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return eb_fail(status, EB_NO_DEVICE, "the standard input and output are no terminal");
    return eb_terminfo_read(leave, size, status);
}

/* ---- colours ---- */

static void make_pairs(void)
{
    const char *no_color = getenv("NO_COLOR");
    scheme = EB_SCHEME_MONO;
    if (no_color && *no_color) /* start_color() would paint white on black */
        return;
    scheme = has_colors() && start_color() == OK && COLOR_PAIRS > EB_ROLES ? eb_scheme_for(COLORS, no_color)
                                                                           : EB_SCHEME_MONO;
    if (scheme == EB_SCHEME_MONO)
        return;
    bool own = use_default_colors() == OK;
    for (int role = 0; role < EB_ROLES; role++) {
        eb_style style = eb_style_of((eb_role)role, scheme);
        short foreground = style.foreground < 0 && !own ? COLOR_WHITE : style.foreground;
        short background = style.background < 0 && !own ? COLOR_BLACK : style.background;
        (void)init_pair((short)(role + 1), foreground, background);
    }
}

static void take_modes(void)
{
    (void)raw(); /* Ctrl-C and Ctrl-Z come as keys: no key is acted on before those typed earlier */
    (void)noecho();
    (void)nonl();
    (void)nodelay(stdscr, TRUE);
    (void)keypad(stdscr, TRUE);
    (void)leaveok(stdscr, FALSE);
    (void)mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    (void)mouseinterval(0);
    (void)define_key(EB_PASTE_BEGINS, PASTE_BEGINS);
    (void)define_key(EB_PASTE_ENDS, PASTE_ENDS);
    eb_terminfo_mark_pastes(true);
}

/* curses sets SIGTSTP to be ignored while it draws, unless somebody else handles it: and that throws away one that
 * waits in the signals' descriptor. */
static void never_runs(int number) { (void)number; }

eb_code eb_screen_open(eb_status *status)
{
    char leave[256];
    struct termios modes;
    EB_TRY(check_terminal(leave, sizeof leave, status));
    if (tcgetattr(STDIN_FILENO, &modes) == 0)
        eb_crash_terminal(STDIN_FILENO, &modes, leave);
    (void)signal(SIGTSTP, never_runs);
    (void)set_escdelay(25);
    terminal = newterm(NULL, stdout, stdin);
    if (!terminal)
        return eb_fail(status, EB_NO_DEVICE, "the terminal could not be set up for a full screen");
    (void)set_term(terminal);
    take_modes();
    make_pairs();
    return EB_OK;
}

void eb_screen_close(void)
{
    if (!terminal)
        return;
    eb_terminfo_mark_pastes(false);
    (void)endwin();
    delscreen(terminal);
    terminal = NULL;
    eb_crash_terminal(-1, NULL, "");
}

/* All that curses writes between begin and end comes from here, so that no frame is cut by what we do next. */
static void write_frame(void)
{
    eb_terminfo_frame(true);
    (void)refresh();
    eb_terminfo_frame(false);
}

void eb_screen_suspend(void)
{
    eb_terminfo_frame(false);
    eb_terminfo_mark_pastes(false);
    (void)endwin();
}

void eb_screen_resume(void)
{
    take_modes();
    (void)clearok(curscr, TRUE);
    write_frame();
    eb_screen_resize();
}

void eb_screen_size(int *columns, int *rows)
{
    *columns = COLS > 0 ? COLS : 1;
    *rows = LINES > 0 ? LINES : 1;
}

void eb_screen_resize(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        (void)resizeterm(size.ws_row, size.ws_col);
    (void)clearok(curscr, TRUE);
}

bool eb_screen_gone(void)
{
    struct pollfd polled = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&polled, 1, 0) > 0 && (polled.revents & (POLLHUP | POLLERR | POLLNVAL)))
        return true;
    return !isatty(STDIN_FILENO);
}

/* ---- drawing ---- */

static void show_cell(const eb_cell *cell, int x, int y)
{
    wchar_t text[3] = {(wchar_t)cell->character, (wchar_t)cell->combining, L'\0'};
    unsigned wanted = eb_style_of((eb_role)cell->role, scheme).attributes;
    attr_t attributes = (wanted & EB_STYLE_BOLD ? A_BOLD : 0) | (wanted & EB_STYLE_DIM ? A_DIM : 0) |
                        (wanted & EB_STYLE_REVERSE ? A_REVERSE : 0) | (wanted & EB_STYLE_UNDERLINE ? A_UNDERLINE : 0);
    short pair = scheme == EB_SCHEME_MONO ? 0 : (short)(cell->role + 1);
    cchar_t shown;
    if (setcchar(&shown, text, attributes, pair, NULL) == OK)
        (void)mvadd_wch(y, x, &shown);
}

void eb_screen_show(const eb_canvas *canvas, int x, int y)
{
    for (int row = 0; row < canvas->height && row < LINES; row++)
        for (int column = 0; column < canvas->width && column < COLS; column++) {
            const eb_cell *cell = &canvas->cell[(size_t)row * (size_t)canvas->width + (size_t)column];
            if (cell->character != 0)
                show_cell(cell, column, row);
        }
    (void)curs_set(x >= 0 && x < COLS && y >= 0 && y < LINES);
    if (x >= 0)
        (void)move(y < LINES ? y : LINES - 1, x < COLS ? x : COLS - 1);
    write_frame();
}

/* ---- keys ---- */

static const struct {
    int curses;
    eb_key_code code;
    unsigned modifiers;
} curses_keys[] = {
    {KEY_UP, EB_KEY_UP, 0},
    {KEY_DOWN, EB_KEY_DOWN, 0},
    {KEY_LEFT, EB_KEY_LEFT, 0},
    {KEY_RIGHT, EB_KEY_RIGHT, 0},
    {KEY_HOME, EB_KEY_HOME, 0},
    {KEY_END, EB_KEY_END, 0},
    {KEY_PPAGE, EB_KEY_PAGE_UP, 0},
    {KEY_NPAGE, EB_KEY_PAGE_DOWN, 0},
    {KEY_IC, EB_KEY_INSERT, 0},
    {KEY_DC, EB_KEY_DELETE, 0},
    {KEY_BACKSPACE, EB_KEY_BACKSPACE, 0},
    {KEY_BTAB, EB_KEY_BACK_TAB, 0},
    {KEY_SLEFT, EB_KEY_LEFT, EB_SHIFT},
    {KEY_SRIGHT, EB_KEY_RIGHT, EB_SHIFT},
    {KEY_SR, EB_KEY_UP, EB_SHIFT},
    {KEY_SF, EB_KEY_DOWN, EB_SHIFT},
    {KEY_SHOME, EB_KEY_HOME, EB_SHIFT},
    {KEY_SEND, EB_KEY_END, EB_SHIFT},
    {KEY_SPREVIOUS, EB_KEY_PAGE_UP, EB_SHIFT},
    {KEY_SNEXT, EB_KEY_PAGE_DOWN, EB_SHIFT},
    {KEY_SDC, EB_KEY_DELETE, EB_SHIFT},
    {KEY_A1, EB_KEY_HOME, 0},
    {KEY_C1, EB_KEY_END, 0},
    {KEY_A3, EB_KEY_PAGE_UP, 0},
    {KEY_C3, EB_KEY_PAGE_DOWN, 0},
};

/* Keys with Ctrl or Alt have no number of their own; terminfo's extended names tell: kLFT5 is Ctrl-Left, 3 Alt, 2
 * Shift. */
static bool extended_key(int code, eb_key *out)
{
    static const struct {
        const char *name;
        eb_key_code code;
    } names[] = {{"kLFT", EB_KEY_LEFT},  {"kRIT", EB_KEY_RIGHT},   {"kUP", EB_KEY_UP},
                 {"kDN", EB_KEY_DOWN},   {"kHOM", EB_KEY_HOME},    {"kEND", EB_KEY_END},
                 {"kDC", EB_KEY_DELETE}, {"kPRV", EB_KEY_PAGE_UP}, {"kNXT", EB_KEY_PAGE_DOWN}};
    const char *name = keyname(code);
    for (size_t k = 0; name && k < sizeof names / sizeof names[0]; k++) {
        size_t length = strlen(names[k].name);
        if (strncmp(name, names[k].name, length) != 0)
            continue;
        char number = name[length];
        int xterm = number >= '2' && number <= '8' ? number - '1' : 1; /* kUP without a number is Shift-Up */
        out->code = names[k].code;
        out->modifiers = (xterm & 1 ? EB_SHIFT : 0u) | (xterm & 2 ? EB_META : 0u) | (xterm & 4 ? EB_CONTROL : 0u);
        return true;
    }
    return false;
}

static bool mouse_key(eb_key *out)
{
    MEVENT event;
    if (getmouse(&event) != OK)
        return false;
    if (event.bstate & BUTTON4_PRESSED)
        out->code = EB_KEY_WHEEL_UP;
    else if (event.bstate & BUTTON5_PRESSED)
        out->code = EB_KEY_WHEEL_DOWN;
    else if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
        out->code = EB_KEY_CLICK;
    else
        return false;
    out->x = event.x;
    out->y = event.y;
    return true;
}

/* Between the marks of a paste. A person types behind a pause only: an end that was lost on the way is made up for
 * then, or no key would ever be one again. */
static bool pasting;
static double key_s; /* when the last one came */

static bool paste_mark(bool begins, eb_key *out)
{
    pasting = begins;
    out->code = begins ? EB_KEY_PASTE : EB_KEY_PASTE_END;
    return true;
}

static bool lost_paste_end(void)
{
    const double pause_s = 2;
    return pasting && eb_now_s() - key_s > pause_s;
}

/* A key that curses knows by a number; false for one that means nothing here. */
static bool named_key(int code, eb_key *out)
{
    if (code == KEY_MOUSE)
        return mouse_key(out);
    if (code == PASTE_BEGINS || code == PASTE_ENDS)
        return paste_mark(code == PASTE_BEGINS, out);
    if (code == KEY_ENTER) {
        out->character = EB_ENTER;
        return true;
    }
    if (code > KEY_F0 && code <= KEY_F(12)) {
        out->code = EB_KEY_FUNCTION;
        out->character = (uint32_t)(code - KEY_F0);
        return true;
    }
    for (size_t k = 0; k < sizeof curses_keys / sizeof curses_keys[0]; k++)
        if (curses_keys[k].curses == code) {
            out->code = curses_keys[k].code;
            out->modifiers = curses_keys[k].modifiers;
            return true;
        }
    return extended_key(code, out);
}

/* The rest of a key may be on its way still. Nobody waits for the answer to Esc in a paste, nor where a number has
 * begun (`sure`): that was no person, and may be the mark of a paste. */
static int rest_of_key(wint_t *code, bool sure)
{
    enum { PATIENCE_MS = 50, SURE_MS = 500 };
    struct pollfd polled = {.fd = STDIN_FILENO, .events = POLLIN};
    int kind = get_wch(code);
    if (kind == ERR && poll(&polled, 1, sure || pasting ? SURE_MS : PATIENCE_MS) > 0)
        kind = get_wch(code);
    return kind;
}

/* Up to BEL or Esc \\: what a terminal answers, or was to be told. */
static void drop_string(wint_t code)
{
    wint_t before = 0;
    for (int kind = OK; kind == OK && code != 7 && !(before == EB_ESCAPE && code == '\\');) {
        before = code;
        kind = rest_of_key(&code, false);
    }
}

/* Behind Esc and one of these: what terminfo does not know, dropped whole, or it would type itself (ECMA-48:
 * parameters, then one byte from @ to ~; strings up to their end), but for a paste's mark that came in pieces, which is
 * in out. False: there is nothing more, it was Alt and the character. */
static const char introducers[] = "[O]P^_";

static bool drop_sequence(wint_t introducer, eb_key *out)
{
    wint_t code;
    char given[5] = "";
    int kind = rest_of_key(&code, false);
    if (kind == ERR)
        return false;
    if (introducer != '[' && introducer != 'O') {
        drop_string(code);
        return true;
    }
    for (size_t length = 0; kind == OK && code >= ' ' && code < '@'; kind = rest_of_key(&code, true))
        if (length + 1 < sizeof given)
            given[length++] = (char)code;
    bool begins = strcmp(given, "200") == 0;
    if (introducer == '[' && kind == OK && code == '~' && (begins || strcmp(given, "201") == 0))
        (void)paste_mark(begins, out);
    return true;
}

static bool introduces(wint_t code) { return code > 0 && code < 128 && strchr(introducers, (int)code); }

bool eb_screen_key(eb_key *out)
{
    wint_t code;
    if (lost_paste_end())
        return paste_mark(false, out);
    for (;;) {
        int kind = get_wch(&code);
        if (kind == ERR)
            return false;
        key_s = eb_now_s();
        *out = (eb_key){.code = EB_KEY_CHARACTER, .character = (uint32_t)code};
        if (kind == KEY_CODE_YES) {
            if (named_key((int)code, out))
                return true;
            continue;
        }
        if (code == 127 || code == 8) {
            out->code = EB_KEY_BACKSPACE;
            out->character = 0;
            return true;
        }
        if (code != EB_ESCAPE)
            return true;
        /* Alt and a key is Esc and the key at once. */
        kind = pasting ? rest_of_key(&code, true) : get_wch(&code);
        if (kind == OK && introduces(code) && drop_sequence(code, out)) {
            if (out->code != EB_KEY_CHARACTER)
                return true;
            continue;
        }
        if (kind == OK && code != EB_ESCAPE) {
            out->character = (uint32_t)code;
            out->modifiers = EB_META;
        } else if (kind == KEY_CODE_YES && named_key((int)code, out)) {
            out->modifiers |= EB_META;
        }
        return true;
    }
}
