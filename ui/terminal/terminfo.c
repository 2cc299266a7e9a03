#include "ui/terminal/terminfo.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "draw/console.h"

static const char *capability(const char *name)
{
    const char *text = tigetstr(name);
    return text == (char *)-1 ? NULL : text;
}

/* Appends a capability's string without its padding times ("$<5>"). */
static void add(char *to, size_t size, const char *text)
{
    size_t used = strlen(to);
    while (text && *text && used + 1 < size) {
        const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end)
            text = end + 1;
        else
            to[used++] = *text++;
    }
    to[used] = '\0';
}

/* True if the terminal marks pastes. Not every terminfo database says so; terminals with a mouse do. */
static bool pastes;

void eb_terminfo_mark_pastes(bool marked)
{
    if (!pastes)
        return;
    (void)fputs(marked ? "\033[?2004h" : "\033[?2004l", stdout);
    (void)fflush(stdout);
}

/* Synchronised output (DEC private mode 2026): terminals that have it show a frame at once, others ignore it. It is not
 * sent to the Linux console, which has no such private modes. */
static const char frame_begins[] = "\033[?2026h", frame_ends[] = "\033[?2026l";
static bool synchronised;

void eb_terminfo_frame(bool begins)
{
    if (!synchronised)
        return;
    (void)fputs(begins ? frame_begins : frame_ends, stdout);
    (void)fflush(stdout);
}

static eb_code read_terminal(const char *name, char *leave, size_t size, eb_status *status)
{
    if (!capability("cup") || !capability("clear"))
        return eb_fail(status, EB_NO_DEVICE, "a terminal of the kind \"%.64s\" cannot place its cursor", name);
    leave[0] = '\0';
    pastes = capability("kmous") != NULL;
    synchronised = !eb_is_console(name) && !eb_is_dumb(name);
    if (synchronised)
        add(leave, size, frame_ends); /* a crash may happen in the middle of a frame */
    if (pastes)
        add(leave, size, "\033[?1006l\033[?1000l\033[?2004l");
    static const char *const endings[] = {"sgr0", "rmkx", "rmcup", "cnorm"};
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        add(leave, size, capability(endings[k]));
    return EB_OK;
}

eb_code eb_terminfo_read(char *leave, size_t size, eb_status *status)
{
    const char *name = getenv("TERM");
    int error;
    if (!name || !*name)
        return eb_fail(status, EB_NO_DEVICE, "TERM is not set");
    if (setupterm(name, STDOUT_FILENO, &error) != OK)
        return eb_fail(status, EB_NO_DEVICE, "no terminal of the kind \"%.64s\" is known here", name);
    eb_code failed = read_terminal(name, leave, size, status);
    (void)del_curterm(cur_term);
    return failed;
}
