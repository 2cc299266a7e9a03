#include "ui/colours.h"

#include <curses.h>

/* One line a role: its colours of 256, of the first 16, of 8 (−1: the terminal's own), what it is with colour and without, and in
 * pictures. */
typedef struct scheme {
    short f256, b256, f16, b16, f8, b8;
    unsigned long with, without;
    unsigned paint, ground;
} scheme;

#define GROUND 0x101418u /* of pictures */
#define SAME -1

static const scheme schemes[EB_ROLES] = {
    [EB_ROLE_TEXT] = {SAME, SAME, SAME, SAME, SAME, SAME, 0, 0, 0xd8dee9, GROUND},
    [EB_ROLE_DIM] = {245, SAME, 8, SAME, SAME, SAME, 0, A_DIM, 0x8a8f98, GROUND},
    [EB_ROLE_TITLE] = {SAME, SAME, SAME, SAME, SAME, SAME, A_BOLD, A_BOLD, 0xffffff, GROUND},
    [EB_ROLE_FRAME] = {240, SAME, 8, SAME, SAME, SAME, 0, 0, 0x585e68, GROUND},
    [EB_ROLE_FOCUS] = {80, SAME, 14, SAME, COLOR_CYAN, SAME, A_BOLD, A_BOLD, 0x5fd7d7, GROUND},
    [EB_ROLE_STATUS] = {252, 237, 15, 4, COLOR_WHITE, COLOR_BLUE, 0, A_REVERSE, 0xe4e4e4, 0x2a3038},
    [EB_ROLE_HINT] = {245, SAME, 7, SAME, SAME, SAME, 0, 0, 0x8a8f98, GROUND},
    [EB_ROLE_KEY] = {80, SAME, 14, SAME, COLOR_CYAN, SAME, 0, A_BOLD, 0x5fd7d7, GROUND},
    [EB_ROLE_HEADER] = {111, SAME, 12, SAME, COLOR_CYAN, SAME, A_BOLD, A_UNDERLINE, 0x87afff, GROUND},
    [EB_ROLE_SELECTED] = {16, 80, 0, 14, COLOR_BLACK, COLOR_CYAN, 0, A_REVERSE, 0x000000, 0x5fd7d7},
    [EB_ROLE_MARKED] = {222, SAME, 11, SAME, COLOR_YELLOW, SAME, A_BOLD, A_BOLD | A_UNDERLINE, 0xffd787, GROUND},
    [EB_ROLE_GOOD] = {114, SAME, 10, SAME, COLOR_GREEN, SAME, 0, A_BOLD, 0x87d787, GROUND},
    [EB_ROLE_BAD] = {203, SAME, 9, SAME, COLOR_RED, SAME, A_BOLD, A_REVERSE, 0xff5f5f, GROUND},
    [EB_ROLE_WARNING] = {221, SAME, 11, SAME, COLOR_YELLOW, SAME, 0, A_BOLD, 0xffd75f, GROUND},
    [EB_ROLE_AXIS] = {244, SAME, 8, SAME, SAME, SAME, 0, 0, 0x808890, GROUND},
    [EB_ROLE_BAND] = {67, SAME, 4, SAME, COLOR_BLUE, SAME, 0, A_DIM, 0x4a708f, GROUND},
    [EB_ROLE_TARGET] = {222, SAME, 11, SAME, COLOR_YELLOW, SAME, 0, A_BOLD, 0xffd787, GROUND},
    [EB_ROLE_CURSOR] = {213, SAME, 13, SAME, COLOR_MAGENTA, SAME, A_BOLD, A_BOLD, 0xff87ff, GROUND},
    [EB_ROLE_PROMPT] = {80, SAME, 14, SAME, COLOR_CYAN, SAME, A_BOLD, A_BOLD, 0x5fd7d7, GROUND},
    [EB_ROLE_SERIES] = {75, SAME, 12, SAME, COLOR_BLUE, SAME, 0, 0, 0x5fafff, GROUND},
    [EB_ROLE_SERIES + 1] = {215, SAME, 11, SAME, COLOR_YELLOW, SAME, 0, A_BOLD, 0xffaf5f, GROUND},
    [EB_ROLE_SERIES + 2] = {114, SAME, 10, SAME, COLOR_GREEN, SAME, 0, A_DIM, 0x87d787, GROUND},
    [EB_ROLE_SERIES + 3] = {176, SAME, 13, SAME, COLOR_MAGENTA, SAME, 0, A_UNDERLINE, 0xd787d7, GROUND},
    [EB_ROLE_SERIES + 4] = {80, SAME, 14, SAME, COLOR_CYAN, SAME, 0, A_REVERSE, 0x5fd7d7, GROUND},
    [EB_ROLE_SERIES + 5] = {203, SAME, 9, SAME, COLOR_RED, SAME, 0, A_BOLD | A_UNDERLINE, 0xff5f5f, GROUND},
};

static bool in_colour;

void eb_colours_start(bool colour)
{
    in_colour = colour && has_colors() && start_color() == OK && COLOR_PAIRS > EB_ROLES;
    if (!in_colour)
        return;
    short own = use_default_colors() == OK ? SAME : COLOR_BLACK, text = own == SAME ? SAME : COLOR_WHITE;
    for (short role = 0; role < EB_ROLES; role++) {
        const scheme *s = &schemes[role];
        short foreground = COLORS >= 256 ? s->f256 : COLORS >= 16 ? s->f16 : s->f8;
        short background = COLORS >= 256 ? s->b256 : COLORS >= 16 ? s->b16 : s->b8;
        (void)init_pair((short)(role + 1), foreground == SAME ? text : foreground, background == SAME ? own : background);
    }
}

eb_look eb_look_of(eb_role role)
{
    const scheme *s = &schemes[role];
    return in_colour ? (eb_look){s->with, (short)(role + 1)} : (eb_look){s->without, 0};
}

eb_paint eb_paint_of(eb_role role)
{
    return (eb_paint){schemes[role].paint, schemes[role].ground, (schemes[role].with & A_BOLD) != 0};
}
