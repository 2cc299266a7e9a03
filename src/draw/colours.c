#include "draw/colours.h"

#include <math.h>
#include <stddef.h>

enum { BOLD = EB_STYLE_BOLD, DIM = EB_STYLE_DIM, REVERSE = EB_STYLE_REVERSE, LINE = EB_STYLE_UNDERLINE };

static const unsigned mono[EB_ROLES] = {
    [EB_ROLE_TITLE] = BOLD,    [EB_ROLE_FOCUS] = BOLD,       [EB_ROLE_STATUS] = REVERSE,     [EB_ROLE_KEY] = BOLD,
    [EB_ROLE_HEADER] = LINE,   [EB_ROLE_SELECTED] = REVERSE, [EB_ROLE_MARKED] = BOLD | LINE, [EB_ROLE_BAD] = BOLD,
    [EB_ROLE_WARNING] = BOLD,  [EB_ROLE_BAND] = DIM,         [EB_ROLE_CURSOR] = BOLD,        [EB_ROLE_PROMPT] = BOLD,
    [EB_ROLE_HEAT + 3] = BOLD, [EB_ROLE_HEAT + 4] = BOLD,    [EB_ROLE_HEAT + 5] = BOLD,
};

/* One column for each scheme: 8, 16 and 256 colours. The 256-colour series colours can be told apart by colour-blind
 * people (after Okabe and Ito). A map's shades grow away from the background. 8 colours have too few legible ones, so
 * bold, an underline or a background tells roles apart there. */
typedef struct row {
    eb_style with8, with16, with256;
} row;

static const row on_dark[EB_ROLES] = {
    [EB_ROLE_TEXT] = {{-1, -1, 0}, {-1, -1, 0}, {-1, -1, 0}},
    [EB_ROLE_DIM] = {{-1, -1, 0}, {8, -1, 0}, {245, -1, 0}},
    [EB_ROLE_TITLE] = {{-1, -1, BOLD}, {15, -1, BOLD}, {255, -1, BOLD}},
    [EB_ROLE_FRAME] = {{-1, -1, 0}, {8, -1, 0}, {242, -1, 0}},
    [EB_ROLE_FOCUS] = {{6, -1, BOLD}, {14, -1, BOLD}, {80, -1, BOLD}},
    [EB_ROLE_STATUS] = {{-1, -1, REVERSE}, {15, 4, 0}, {252, 236, 0}},
    [EB_ROLE_HINT] = {{-1, -1, 0}, {8, -1, 0}, {245, -1, 0}},
    [EB_ROLE_KEY] = {{6, -1, BOLD}, {14, -1, 0}, {80, -1, BOLD}},
    [EB_ROLE_HEADER] = {{-1, -1, BOLD}, {15, -1, BOLD}, {252, -1, BOLD}},
    [EB_ROLE_SELECTED] = {{-1, -1, REVERSE}, {-1, -1, REVERSE}, {255, 24, 0}},
    [EB_ROLE_MARKED] = {{3, -1, BOLD}, {11, -1, BOLD}, {221, -1, BOLD}},
    [EB_ROLE_GOOD] = {{2, -1, 0}, {10, -1, 0}, {114, -1, 0}},
    [EB_ROLE_BAD] = {{7, 1, BOLD}, {9, -1, BOLD}, {203, -1, BOLD}},
    [EB_ROLE_WARNING] = {{3, -1, BOLD}, {11, -1, 0}, {221, -1, 0}},
    [EB_ROLE_AXIS] = {{-1, -1, 0}, {8, -1, 0}, {245, -1, 0}},
    [EB_ROLE_BAND] = {{5, -1, 0}, {12, -1, 0}, {61, -1, 0}},
    [EB_ROLE_TARGET] = {{3, -1, 0}, {11, -1, 0}, {221, -1, 0}},
    [EB_ROLE_CURSOR] = {{7, -1, BOLD}, {15, -1, BOLD}, {231, -1, BOLD}},
    [EB_ROLE_PROMPT] = {{6, -1, BOLD}, {14, -1, BOLD}, {80, -1, BOLD}},
    [EB_ROLE_SERIES] = {{6, -1, 0}, {14, -1, 0}, {74, -1, 0}},
    [EB_ROLE_SERIES + 1] = {{3, -1, 0}, {11, -1, 0}, {214, -1, 0}},
    [EB_ROLE_SERIES + 2] = {{2, -1, 0}, {10, -1, 0}, {72, -1, 0}},
    [EB_ROLE_SERIES + 3] = {{7, -1, 0}, {13, -1, 0}, {175, -1, 0}},
    [EB_ROLE_SERIES + 4] = {{6, -1, BOLD}, {7, -1, 0}, {33, -1, 0}},
    [EB_ROLE_SERIES + 5] = {{3, -1, BOLD}, {9, -1, 0}, {167, -1, 0}},
    [EB_ROLE_HEAT] = {{-1, -1, 0}, {7, -1, 0}, {252, 17, 0}},
    [EB_ROLE_HEAT + 1] = {{7, 4, 0}, {15, 4, 0}, {255, 24, 0}},
    [EB_ROLE_HEAT + 2] = {{7, 1, 0}, {15, 5, 0}, {231, 29, 0}},
    [EB_ROLE_HEAT + 3] = {{0, 2, 0}, {0, 6, 0}, {16, 72, BOLD}},
    [EB_ROLE_HEAT + 4] = {{0, 6, 0}, {0, 10, 0}, {16, 149, BOLD}},
    [EB_ROLE_HEAT + 5] = {{0, 3, 0}, {0, 11, 0}, {16, 227, BOLD}},
};

static const row on_light[EB_ROLES] = {
    [EB_ROLE_TEXT] = {{-1, -1, 0}, {-1, -1, 0}, {-1, -1, 0}},
    [EB_ROLE_DIM] = {{-1, -1, 0}, {-1, -1, 0}, {242, -1, 0}},
    [EB_ROLE_TITLE] = {{-1, -1, BOLD}, {-1, -1, BOLD}, {16, -1, BOLD}},
    [EB_ROLE_FRAME] = {{-1, -1, 0}, {8, -1, 0}, {245, -1, 0}},
    [EB_ROLE_FOCUS] = {{4, -1, BOLD}, {4, -1, BOLD}, {25, -1, BOLD}},
    [EB_ROLE_STATUS] = {{-1, -1, REVERSE}, {15, 4, 0}, {236, 252, 0}},
    [EB_ROLE_HINT] = {{-1, -1, 0}, {-1, -1, 0}, {242, -1, 0}},
    [EB_ROLE_KEY] = {{4, -1, BOLD}, {4, -1, 0}, {25, -1, BOLD}},
    [EB_ROLE_HEADER] = {{-1, -1, BOLD}, {-1, -1, BOLD}, {235, -1, BOLD}},
    [EB_ROLE_SELECTED] = {{-1, -1, REVERSE}, {-1, -1, REVERSE}, {231, 24, 0}},
    [EB_ROLE_MARKED] = {{5, -1, LINE}, {5, -1, LINE}, {94, -1, BOLD}},
    [EB_ROLE_GOOD] = {{4, -1, 0}, {4, -1, 0}, {22, -1, 0}},
    [EB_ROLE_BAD] = {{1, -1, 0}, {1, -1, 0}, {160, -1, BOLD}},
    [EB_ROLE_WARNING] = {{5, -1, 0}, {5, -1, 0}, {94, -1, 0}},
    [EB_ROLE_AXIS] = {{-1, -1, 0}, {-1, -1, 0}, {242, -1, 0}},
    [EB_ROLE_BAND] = {{5, -1, 0}, {8, -1, 0}, {67, -1, 0}},
    [EB_ROLE_TARGET] = {{5, -1, 0}, {5, -1, 0}, {94, -1, 0}},
    [EB_ROLE_CURSOR] = {{-1, -1, BOLD}, {-1, -1, BOLD}, {16, -1, BOLD}},
    [EB_ROLE_PROMPT] = {{4, -1, BOLD}, {4, -1, BOLD}, {25, -1, BOLD}},
    [EB_ROLE_SERIES] = {{4, -1, 0}, {4, -1, 0}, {25, -1, 0}},
    [EB_ROLE_SERIES + 1] = {{1, -1, 0}, {1, -1, 0}, {130, -1, 0}},
    [EB_ROLE_SERIES + 2] = {{5, -1, 0}, {5, -1, 0}, {28, -1, 0}},
    [EB_ROLE_SERIES + 3] = {{0, -1, 0}, {0, -1, 0}, {127, -1, 0}},
    [EB_ROLE_SERIES + 4] = {{4, -1, BOLD}, {12, -1, 0}, {57, -1, 0}},
    [EB_ROLE_SERIES + 5] = {{1, -1, LINE}, {1, -1, LINE}, {160, -1, 0}},
    [EB_ROLE_HEAT] = {{-1, -1, 0}, {-1, -1, 0}, {16, 195, 0}},
    [EB_ROLE_HEAT + 1] = {{0, 7, 0}, {0, 11, 0}, {16, 152, 0}},
    [EB_ROLE_HEAT + 2] = {{0, 3, 0}, {0, 14, 0}, {16, 74, 0}},
    [EB_ROLE_HEAT + 3] = {{0, 6, 0}, {0, 6, 0}, {16, 31, BOLD}},
    [EB_ROLE_HEAT + 4] = {{7, 1, 0}, {15, 1, 0}, {231, 25, BOLD}},
    [EB_ROLE_HEAT + 5] = {{7, 4, 0}, {15, 4, 0}, {231, 17, BOLD}},
};

eb_scheme eb_scheme_for(int colours, const char *no_color)
{
    if ((no_color && *no_color) || colours < 8)
        return EB_SCHEME_MONO;
    return colours >= 256 ? EB_SCHEME_256 : colours >= 16 ? EB_SCHEME_16 : EB_SCHEME_8;
}

eb_style eb_style_of(eb_role role, eb_scheme scheme, bool light)
{
    const eb_role known = role < EB_ROLES ? role : EB_ROLE_TEXT;
    const row *r = light ? &on_light[known] : &on_dark[known];
    switch (scheme) {
    case EB_SCHEME_8: return r->with8;
    case EB_SCHEME_16: return r->with16;
    case EB_SCHEME_256: return r->with256;
    case EB_SCHEME_MONO: break;
    }
    return (eb_style){-1, -1, mono[known]};
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

/* ---- contrast ---- */

static double luminance(uint32_t rgb)
{
    static const double weight[3] = {0.0722, 0.7152, 0.2126}; /* blue, green, red */
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double part = (rgb >> 8 * k & 0xFF) / 255.0;
        sum += weight[k] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

double eb_contrast(uint32_t a, uint32_t b)
{
    double first = luminance(a), second = luminance(b);
    return (fmax(first, second) + 0.05) / (fmin(first, second) + 0.05);
}

bool eb_is_light(uint32_t rgb) { return eb_contrast(rgb, 0x000000) > eb_contrast(rgb, 0xFFFFFF); }
