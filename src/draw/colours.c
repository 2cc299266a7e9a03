#include "draw/colours.h"

#include <stddef.h>

enum { BOLD = EB_STYLE_BOLD, DIM = EB_STYLE_DIM, REVERSE = EB_STYLE_REVERSE, LINE = EB_STYLE_UNDERLINE };

/* A column for each scheme: mono's attributes; 8 colours and 16 colours, each with attributes; 256 colours. Series
 * colours of 256 keep apart for the colour-blind (after Okabe and Ito); a map's shades go from dark to light. */
typedef struct row {
    unsigned mono;
    eb_style with8, with16, with256;
} row;

static const row rows[EB_ROLES] = {
    [EB_ROLE_TEXT] = {0, {-1, -1, 0}, {-1, -1, 0}, {-1, -1, 0}},
    [EB_ROLE_DIM] = {0, {-1, -1, 0}, {8, -1, 0}, {245, -1, 0}},
    [EB_ROLE_TITLE] = {BOLD, {-1, -1, BOLD}, {15, -1, BOLD}, {255, -1, BOLD}},
    [EB_ROLE_FRAME] = {0, {-1, -1, 0}, {8, -1, 0}, {240, -1, 0}},
    [EB_ROLE_FOCUS] = {BOLD, {6, -1, BOLD}, {14, -1, BOLD}, {80, -1, BOLD}},
    [EB_ROLE_STATUS] = {REVERSE, {-1, -1, REVERSE}, {15, 4, 0}, {252, 236, 0}},
    [EB_ROLE_HINT] = {0, {-1, -1, 0}, {8, -1, 0}, {245, -1, 0}},
    [EB_ROLE_KEY] = {BOLD, {6, -1, BOLD}, {14, -1, 0}, {80, -1, BOLD}},
    [EB_ROLE_HEADER] = {LINE, {-1, -1, BOLD}, {15, -1, BOLD}, {252, -1, BOLD}},
    [EB_ROLE_SELECTED] = {REVERSE, {-1, -1, REVERSE}, {-1, -1, REVERSE}, {255, 24, 0}},
    [EB_ROLE_MARKED] = {BOLD | LINE, {3, -1, BOLD}, {11, -1, BOLD}, {221, -1, BOLD}},
    [EB_ROLE_GOOD] = {0, {2, -1, 0}, {10, -1, 0}, {114, -1, 0}},
    [EB_ROLE_BAD] = {BOLD, {1, -1, BOLD}, {9, -1, BOLD}, {203, -1, BOLD}},
    [EB_ROLE_WARNING] = {BOLD, {3, -1, BOLD}, {11, -1, 0}, {221, -1, 0}},
    [EB_ROLE_AXIS] = {0, {-1, -1, 0}, {8, -1, 0}, {245, -1, 0}},
    [EB_ROLE_BAND] = {DIM, {4, -1, 0}, {4, -1, 0}, {60, -1, 0}},
    [EB_ROLE_TARGET] = {0, {3, -1, 0}, {11, -1, 0}, {221, -1, 0}},
    [EB_ROLE_CURSOR] = {BOLD, {7, -1, BOLD}, {15, -1, BOLD}, {231, -1, BOLD}},
    [EB_ROLE_PROMPT] = {BOLD, {6, -1, BOLD}, {14, -1, BOLD}, {80, -1, BOLD}},
    [EB_ROLE_SERIES] = {0, {6, -1, 0}, {14, -1, 0}, {74, -1, 0}},
    [EB_ROLE_SERIES + 1] = {0, {3, -1, 0}, {11, -1, 0}, {214, -1, 0}},
    [EB_ROLE_SERIES + 2] = {0, {2, -1, 0}, {10, -1, 0}, {72, -1, 0}},
    [EB_ROLE_SERIES + 3] = {0, {5, -1, 0}, {13, -1, 0}, {175, -1, 0}},
    [EB_ROLE_SERIES + 4] = {0, {4, -1, 0}, {12, -1, 0}, {32, -1, 0}},
    [EB_ROLE_SERIES + 5] = {0, {1, -1, 0}, {9, -1, 0}, {167, -1, 0}},
    [EB_ROLE_HEAT] = {0, {-1, -1, 0}, {7, -1, 0}, {252, 17, 0}},
    [EB_ROLE_HEAT + 1] = {0, {7, 4, 0}, {15, 4, 0}, {255, 24, 0}},
    [EB_ROLE_HEAT + 2] = {0, {7, 5, 0}, {15, 5, 0}, {231, 30, 0}},
    [EB_ROLE_HEAT + 3] = {BOLD, {0, 6, 0}, {0, 6, 0}, {16, 72, 0}},
    [EB_ROLE_HEAT + 4] = {BOLD, {0, 2, 0}, {0, 10, 0}, {16, 149, 0}},
    [EB_ROLE_HEAT + 5] = {BOLD, {0, 3, 0}, {0, 11, 0}, {16, 227, 0}},
};

eb_scheme eb_scheme_for(int colours, const char *no_color)
{
    if ((no_color && *no_color) || colours < 8)
        return EB_SCHEME_MONO;
    return colours >= 256 ? EB_SCHEME_256 : colours >= 16 ? EB_SCHEME_16 : EB_SCHEME_8;
}

eb_style eb_style_of(eb_role role, eb_scheme scheme)
{
    const row *r = &rows[role < EB_ROLES ? role : EB_ROLE_TEXT];
    switch (scheme) {
    case EB_SCHEME_8: return r->with8;
    case EB_SCHEME_16: return r->with16;
    case EB_SCHEME_256: return r->with256;
    case EB_SCHEME_MONO: break;
    }
    return (eb_style){-1, -1, r->mono};
}

uint32_t eb_colour_rgb(unsigned colour)
{
    static const uint32_t first[16] = {0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
                                       0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF};
    static const uint32_t level[6] = {0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF};
    if (colour < 16)
        return first[colour];
    if (colour >= 232) {
        uint32_t grey = 8 + 10 * ((colour & 0xFF) - 232);
        return grey << 16 | grey << 8 | grey;
    }
    unsigned cube = colour - 16;
    return level[cube / 36] << 16 | level[cube / 6 % 6] << 8 | level[cube % 6];
}
