#include "draw/console.h"

#include <stddef.h>
#include <string.h>

#include "draw/plots/plot.h"

enum {
    UPPER_HALF = 0x2580,
    LOWER_HALF = 0x2584,
    FULL = 0x2588,
    LEFT_HALF = 0x258C,
    RIGHT_HALF = 0x2590,
    SHADE = 0x2591
};

bool eb_is_dumb(const char *terminal) { return !terminal || !*terminal || strcmp(terminal, "dumb") == 0; }

bool eb_is_console(const char *terminal)
{
    return terminal && (strcmp(terminal, "linux") == 0 || strncmp(terminal, "linux-", 6) == 0);
}

static bool is_braille(uint32_t character) { return character > EB_BRAILLE && character < EB_BRAILLE + 256; }

/* The half block that covers all the dots, or the full block. */
static uint32_t half_of(uint32_t dots)
{
    enum { UPPER = 0x1B, LOWER = 0xE4, LEFT = 0x47, RIGHT = 0xB8 };
    if (!(dots & LOWER))
        return UPPER_HALF;
    if (!(dots & UPPER))
        return LOWER_HALF;
    return !(dots & RIGHT) ? LEFT_HALF : !(dots & LEFT) ? RIGHT_HALF : FULL;
}

uint32_t eb_console_character(uint32_t character)
{
    static const struct {
        uint32_t from, to; /* a range of characters */
        uint32_t shown;    /* the substitute in the font */
    } others[] = {
        {0x2506, 0x2506, 0x2502},                                  /* a dashed line: │ */
        {0x2581, 0x2585, LOWER_HALF}, {0x2586, 0x2587, FULL},      /* ▁ … ▅, ▆ ▇ */
        {0x2589, 0x258A, FULL},       {0x258B, 0x258F, LEFT_HALF}, /* ▉ ▊, ▋ … ▏ */
        {0x2596, 0x259F, 0x25A0},                                  /* quadrants: ■ */
        {0x25B4, 0x25B4, 0x25B2},     {0x25BE, 0x25BE, 0x25BC},    /* ▴ ▾: ▲ ▼ */
        {0x25B8, 0x25B8, 0x25BA},     {0x25C2, 0x25C2, 0x25C4},    /* ▸ ◂: ► ◄ */
    };
    if (is_braille(character))
        return half_of(character - EB_BRAILLE);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (character >= others[k].from && character <= others[k].to)
            return others[k].shown;
    return character;
}

void eb_canvas_to_console(eb_canvas *canvas)
{
    for (size_t k = 0; k < (size_t)canvas->width * (size_t)canvas->height; k++) {
        eb_cell *cell = &canvas->cell[k];
        bool band = cell->role == EB_ROLE_BAND && is_braille(cell->character);
        cell->character = band ? SHADE : eb_console_character(cell->character);
    }
}
