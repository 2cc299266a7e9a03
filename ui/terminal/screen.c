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
#include "ui/terminal/background.h"
#include "ui/terminal/crash.h"
#include "ui/terminal/terminfo.h"

/* Key numbers that curses uses for no other key. */
enum { PASTE_BEGINS = KEY_F(60), PASTE_ENDS = KEY_F(61) };

static SCREEN *terminal;
static eb_scheme offered, scheme; /* the scheme that the terminal can show, and the one in use */
static bool own_colours;          /* the terminal's default colours can be kept */
static eb_theme chosen;
static bool light, recoloured;

/* Keys that arrived while the terminal's answer was awaited. */
static struct {
    eb_key key[64];
    size_t count, next;
} early;

/* ---- start and end ---- */

static eb_code check_terminal(char *leave, size_t size, eb_status *status)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return eb_fail(status, EB_NO_DEVICE, "the standard input and output are no terminal");
    return eb_terminfo_read(leave, size, status);
}

/* ---- colours ---- */

static void find_scheme(void)
{
    const char *no_color = getenv("NO_COLOR");
    offered = EB_SCHEME_MONO;
    if (no_color && *no_color) /* start_color() would paint white on black */
        return;
    if (has_colors() && start_color() == OK && COLOR_PAIRS > EB_ROLES)
        offered = eb_scheme_for(COLORS, no_color);
    own_colours = offered != EB_SCHEME_MONO && use_default_colors() == OK;
}

static void make_pairs(void)
{
    const eb_theme theme = chosen == EB_THEME_AUTO ? eb_background_theme() : chosen;
    const short ink = theme == EB_THEME_LIGHT ? COLOR_BLACK : COLOR_WHITE;
    const short ground = theme == EB_THEME_LIGHT ? COLOR_WHITE : COLOR_BLACK;
    light = theme == EB_THEME_LIGHT;
    scheme = theme == EB_THEME_MONO ? EB_SCHEME_MONO : offered;
    recoloured = true;
    for (int role = 0; scheme != EB_SCHEME_MONO && role < EB_ROLES; role++) {
        eb_style style = eb_style_of((eb_role)role, scheme, light);
        short foreground = style.foreground < 0 && !own_colours ? ink : style.foreground;
        short background = style.background < 0 && !own_colours ? ground : style.background;
        (void)init_pair((short)(role + 1), foreground, background);
    }
}

bool eb_screen_recoloured(void)
{
    bool was = recoloured;
    recoloured = false;
    return was;
}

static bool ask_background(void)
{
    bool asks = chosen == EB_THEME_AUTO && eb_background_is_asked(getenv("TERM"), offered);
    if (asks)
        eb_background_ask();
    return asks;
}

void eb_screen_theme(eb_theme theme)
{
    if (theme == chosen)
        return;
    chosen = theme;
    (void)ask_background(); /* the answer arrives among the keys */
    make_pairs();
}

static void take_modes(void)
{
    (void)raw(); /* Ctrl-C and Ctrl-Z arrive as keys, in the order in which they were typed */
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

/* A handler for SIGTSTP. Without one curses ignores the signal while it draws, and a SIGTSTP pending in the signals'
 * descriptor would be lost. */
static void never_runs(int number) { (void)number; }

static bool read_key(eb_key *out);

/* Collects keys until the terminal has answered, or until patience_s after it was asked. */
static void await_background(double patience_s)
{
    struct pollfd polled = {.fd = STDIN_FILENO, .events = POLLIN};
    const size_t most = sizeof early.key / sizeof early.key[0];
    while (early.count < most && eb_background_awaited(patience_s) && poll(&polled, 1, 10) >= 0 &&
           !(polled.revents & ~POLLIN))
        early.count += read_key(&early.key[early.count]);
}

/* Waits for a late answer: without the wait it would appear as typed text in the shell. */
static void outwait_answer(void)
{
    const double patience_s = 0.5;
    early.count = early.next = 0;
    await_background(patience_s);
}

eb_code eb_screen_open(eb_theme theme, eb_status *status)
{
    const double patience_s = 0.1;
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
    find_scheme();
    chosen = theme;
    early.count = early.next = 0;
    if (ask_background())
        await_background(patience_s);
    make_pairs();
    return EB_OK;
}

void eb_screen_close(void)
{
    if (!terminal)
        return;
    outwait_answer();
    eb_terminfo_mark_pastes(false);
    (void)endwin();
    delscreen(terminal);
    terminal = NULL;
    eb_crash_terminal(-1, NULL, "");
}

/* The only place where curses writes a frame. Marks before and after the frame make the terminal show it whole. */
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
    unsigned wanted = eb_style_of((eb_role)cell->role, scheme, light).attributes;
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

/* Keys with Ctrl or Alt have no curses number. Their extended terminfo names end with the modifiers: kLFT5 is
 * Ctrl-Left; 3 is Alt, 2 Shift. */
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

/* True between the marks of a paste. If the end mark is lost, a pause of 2 s before a key ends the paste: keys typed by
 * a person follow a pause, and without this rule no later key would count as a key. */
static bool pasting;
static double key_s; /* when the last key arrived */

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

/* Translates a key that curses knows by number; false if the key has no meaning here. */
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

/* Reads the next part of a key, which may still be on its way. Within a paste, or after a number has begun (`sure`),
 * the sequence cannot come from a person's Esc, and the wait may be longer. */
static int rest_of_key(wint_t *code, bool sure)
{
    enum { PATIENCE_MS = 50, SURE_MS = 500 };
    struct pollfd polled = {.fd = STDIN_FILENO, .events = POLLIN};
    int kind = get_wch(code);
    if (kind == ERR && poll(&polled, 1, sure || pasting ? SURE_MS : PATIENCE_MS) > 0)
        kind = get_wch(code);
    return kind;
}

static void take_answer(const char *text)
{
    eb_theme before = eb_background_theme();
    eb_background_take_string(text);
    if (terminal && eb_background_theme() != before && chosen == EB_THEME_AUTO)
        make_pairs();
}

/* Reads a string up to BEL or Esc \\: a terminal's answer, or another control string. A person's Alt-] is not followed
 * by a number. */
static void drop_string(wint_t introducer, wint_t code)
{
    char text[64];
    size_t length = 0;
    wint_t before = 0;
    const bool sure = code >= '0' && code <= '9';
    for (int kind = OK; kind == OK && code != 7 && !(before == EB_ESCAPE && code == '\\');) {
        if (length + 1 < sizeof text && code != EB_ESCAPE)
            text[length++] = code < 128 ? (char)code : '?';
        before = code;
        kind = rest_of_key(&code, sure);
    }
    text[length] = '\0';
    if (introducer == ']')
        take_answer(text);
}

/* Esc and one of these characters introduce a sequence that terminfo does not know. The sequence is dropped as a whole,
 * so that it is not typed (ECMA-48: parameters, then one byte from @ to ~; strings up to their end). A paste's mark
 * that arrived in pieces is recognised and returned in *out. False: nothing follows, so the key was Alt and the
 * character. */
static const char introducers[] = "[O]P^_";

static bool drop_sequence(wint_t introducer, eb_key *out)
{
    wint_t code;
    char given[5] = "";
    int kind = rest_of_key(&code, false);
    if (kind == ERR)
        return false;
    if (introducer != '[' && introducer != 'O') {
        drop_string(introducer, code);
        return true;
    }
    for (size_t length = 0; kind == OK && code >= ' ' && code < '@'; kind = rest_of_key(&code, true))
        if (length + 1 < sizeof given)
            given[length++] = (char)code;
    if (introducer == '[' && given[0] == '?' && kind == OK && code == 'c')
        eb_background_take_kind();
    bool begins = strcmp(given, "200") == 0;
    if (introducer == '[' && kind == OK && code == '~' && (begins || strcmp(given, "201") == 0))
        (void)paste_mark(begins, out);
    return true;
}

static bool introduces(wint_t code) { return code > 0 && code < 128 && strchr(introducers, (int)code); }

/* True if an Esc may begin an answer of the terminal or a paste's mark. */
static bool waits_behind_escape(void)
{
    const double patience_s = 2;
    return pasting || eb_background_awaited(patience_s);
}

static bool read_key(eb_key *out)
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
        /* Alt with a key arrives as Esc and the key together. */
        kind = waits_behind_escape() ? rest_of_key(&code, pasting) : get_wch(&code);
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

bool eb_screen_key(eb_key *out)
{
    if (early.next == early.count)
        return read_key(out);
    *out = early.key[early.next++];
    return true;
}
