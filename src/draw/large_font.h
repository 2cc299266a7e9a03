/* large_font: letters of five by seven dots and a row below the line, as they are drawn: X is a dot. What has fewer
 * columns is narrower; what has fewer rows ends above the line. Drawn for this program; nothing but data.
 */
#ifndef EB_DRAW_LARGE_FONT_H
#define EB_DRAW_LARGE_FONT_H

#include <stdint.h>

enum { EB_GLYPH_ROWS = 8 };

typedef struct eb_glyph {
    uint32_t character;
    const char *row[EB_GLYPH_ROWS]; /* of equal length; NULL: empty */
} eb_glyph;

/* clang-format off */
static const eb_glyph eb_glyphs[] = {
    {'!', {"X", "X", "X", "X", "X", " ", "X"}},
    {'"', {"X X", "X X"}},
    {'#', {" X X ", " X X ", "XXXXX", " X X ", "XXXXX", " X X ", " X X "}},
    {'$', {"  X  ", " XXXX", "X X  ", " XXX ", "  X X", "XXXX ", "  X  "}},
    {'%', {"XX   ", "XX  X", "   X ", "  X  ", " X   ", "X  XX", "   XX"}},
    {'&', {" XX  ", "X  X ", "X X  ", " X   ", "X X X", "X  X ", " XX X"}},
    {'\'', {"X", "X"}},
    {'(', {"  X", " X ", "X  ", "X  ", "X  ", " X ", "  X"}},
    {')', {"X  ", " X ", "  X", "  X", "  X", " X ", "X  "}},
    {'*', {"     ", "  X  ", "X X X", " XXX ", "X X X", "  X  "}},
    {'+', {"     ", "  X  ", "  X  ", "XXXXX", "  X  ", "  X  "}},
    {',', {"  ", "  ", "  ", "  ", "  ", " X", " X", "X "}},
    {'-', {"    ", "    ", "    ", "XXXX"}},
    {'.', {" ", " ", " ", " ", " ", " ", "X"}},
    {'/', {"    X", "    X", "   X ", "  X  ", " X   ", "X    ", "X    "}},
    {'0', {" XXX ", "X   X", "X  XX", "X X X", "XX  X", "X   X", " XXX "}},
    {'1', {" X ", "XX ", " X ", " X ", " X ", " X ", "XXX"}},
    {'2', {" XXX ", "X   X", "    X", "   X ", "  X  ", " X   ", "XXXXX"}},
    {'3', {"XXXXX", "   X ", "  X  ", "   X ", "    X", "X   X", " XXX "}},
    {'4', {"   X ", "  XX ", " X X ", "X  X ", "XXXXX", "   X ", "   X "}},
    {'5', {"XXXXX", "X    ", "XXXX ", "    X", "    X", "X   X", " XXX "}},
    {'6', {"  XX ", " X   ", "X    ", "XXXX ", "X   X", "X   X", " XXX "}},
    {'7', {"XXXXX", "    X", "   X ", "  X  ", " X   ", " X   ", " X   "}},
    {'8', {" XXX ", "X   X", "X   X", " XXX ", "X   X", "X   X", " XXX "}},
    {'9', {" XXX ", "X   X", "X   X", " XXXX", "    X", "   X ", " XX  "}},
    {':', {" ", " ", "X", " ", " ", "X"}},
    {';', {"  ", "  ", " X", "  ", "  ", " X", " X", "X "}},
    {'<', {"   X", "  X ", " X  ", "X   ", " X  ", "  X ", "   X"}},
    {'=', {"    ", "    ", "XXXX", "    ", "XXXX"}},
    {'>', {"X   ", " X  ", "  X ", "   X", "  X ", " X  ", "X   "}},
    {'?', {" XXX ", "X   X", "    X", "   X ", "  X  ", "     ", "  X  "}},
    {'@', {" XXX ", "X   X", "X XXX", "X X X", "X XXX", "X    ", " XXX "}},
    {'A', {" XXX ", "X   X", "X   X", "XXXXX", "X   X", "X   X", "X   X"}},
    {'B', {"XXXX ", "X   X", "X   X", "XXXX ", "X   X", "X   X", "XXXX "}},
    {'C', {" XXX ", "X   X", "X    ", "X    ", "X    ", "X   X", " XXX "}},
    {'D', {"XXXX ", "X   X", "X   X", "X   X", "X   X", "X   X", "XXXX "}},
    {'E', {"XXXXX", "X    ", "X    ", "XXXX ", "X    ", "X    ", "XXXXX"}},
    {'F', {"XXXXX", "X    ", "X    ", "XXXX ", "X    ", "X    ", "X    "}},
    {'G', {" XXX ", "X   X", "X    ", "X XXX", "X   X", "X   X", " XXXX"}},
    {'H', {"X   X", "X   X", "X   X", "XXXXX", "X   X", "X   X", "X   X"}},
    {'I', {"XXX", " X ", " X ", " X ", " X ", " X ", "XXX"}},
    {'J', {"  XXX", "   X ", "   X ", "   X ", "   X ", "X  X ", " XX  "}},
    {'K', {"X   X", "X  X ", "X X  ", "XX   ", "X X  ", "X  X ", "X   X"}},
    {'L', {"X    ", "X    ", "X    ", "X    ", "X    ", "X    ", "XXXXX"}},
    {'M', {"X   X", "XX XX", "X X X", "X X X", "X   X", "X   X", "X   X"}},
    {'N', {"X   X", "XX  X", "XX  X", "X X X", "X  XX", "X  XX", "X   X"}},
    {'O', {" XXX ", "X   X", "X   X", "X   X", "X   X", "X   X", " XXX "}},
    {'P', {"XXXX ", "X   X", "X   X", "XXXX ", "X    ", "X    ", "X    "}},
    {'Q', {" XXX ", "X   X", "X   X", "X   X", "X X X", "X  X ", " XX X"}},
    {'R', {"XXXX ", "X   X", "X   X", "XXXX ", "X X  ", "X  X ", "X   X"}},
    {'S', {" XXXX", "X    ", "X    ", " XXX ", "    X", "    X", "XXXX "}},
    {'T', {"XXXXX", "  X  ", "  X  ", "  X  ", "  X  ", "  X  ", "  X  "}},
    {'U', {"X   X", "X   X", "X   X", "X   X", "X   X", "X   X", " XXX "}},
    {'V', {"X   X", "X   X", "X   X", "X   X", " X X ", " X X ", "  X  "}},
    {'W', {"X   X", "X   X", "X   X", "X X X", "X X X", "XX XX", "X   X"}},
    {'X', {"X   X", "X   X", " X X ", "  X  ", " X X ", "X   X", "X   X"}},
    {'Y', {"X   X", "X   X", " X X ", "  X  ", "  X  ", "  X  ", "  X  "}},
    {'Z', {"XXXXX", "    X", "   X ", "  X  ", " X   ", "X    ", "XXXXX"}},
    {'[', {"XXX", "X  ", "X  ", "X  ", "X  ", "X  ", "XXX"}},
    {'\\', {"X    ", "X    ", " X   ", "  X  ", "   X ", "    X", "    X"}},
    {']', {"XXX", "  X", "  X", "  X", "  X", "  X", "XXX"}},
    {'^', {"  X  ", " X X ", "X   X"}},
    {'_', {"     ", "     ", "     ", "     ", "     ", "     ", "XXXXX"}},
    {'`', {"X ", " X"}},
    {'a', {"     ", "     ", " XXX ", "    X", " XXXX", "X   X", " XXXX"}},
    {'b', {"X    ", "X    ", "XXXX ", "X   X", "X   X", "X   X", "XXXX "}},
    {'c', {"    ", "    ", " XXX", "X   ", "X   ", "X   ", " XXX"}},
    {'d', {"    X", "    X", " XXXX", "X   X", "X   X", "X   X", " XXXX"}},
    {'e', {"     ", "     ", " XXX ", "X   X", "XXXXX", "X    ", " XXX "}},
    {'f', {"  XX", " X  ", "XXXX", " X  ", " X  ", " X  ", " X  "}},
    {'g', {"     ", "     ", " XXXX", "X   X", "X   X", " XXXX", "    X", " XXX "}},
    {'h', {"X    ", "X    ", "XXXX ", "X   X", "X   X", "X   X", "X   X"}},
    {'i', {"X", " ", "X", "X", "X", "X", "X"}},
    {'j', {"  X", "   ", "  X", "  X", "  X", "  X", "  X", "XX "}},
    {'k', {"X   ", "X   ", "X  X", "X X ", "XX  ", "X X ", "X  X"}},
    {'l', {"X ", "X ", "X ", "X ", "X ", "X ", " X"}},
    {'m', {"     ", "     ", "XXXX ", "X X X", "X X X", "X X X", "X X X"}},
    {'n', {"     ", "     ", "XXXX ", "X   X", "X   X", "X   X", "X   X"}},
    {'o', {"     ", "     ", " XXX ", "X   X", "X   X", "X   X", " XXX "}},
    {'p', {"     ", "     ", "XXXX ", "X   X", "X   X", "XXXX ", "X    ", "X    "}},
    {'q', {"     ", "     ", " XXXX", "X   X", "X   X", " XXXX", "    X", "    X"}},
    {'r', {"    ", "    ", "X XX", "XX  ", "X   ", "X   ", "X   "}},
    {'s', {"    ", "    ", " XXX", "X   ", " XX ", "   X", "XXX "}},
    {'t', {" X  ", " X  ", "XXXX", " X  ", " X  ", " X  ", "  XX"}},
    {'u', {"     ", "     ", "X   X", "X   X", "X   X", "X   X", " XXXX"}},
    {'v', {"     ", "     ", "X   X", "X   X", "X   X", " X X ", "  X  "}},
    {'w', {"     ", "     ", "X   X", "X X X", "X X X", "X X X", " X X "}},
    {'x', {"     ", "     ", "X   X", " X X ", "  X  ", " X X ", "X   X"}},
    {'y', {"     ", "     ", "X   X", "X   X", "X   X", " XXXX", "    X", " XXX "}},
    {'z', {"    ", "    ", "XXXX", "   X", " XX ", "X   ", "XXXX"}},
    {'{', {"  X", " X ", " X ", "X  ", " X ", " X ", "  X"}},
    {'|', {"X", "X", "X", "X", "X", "X", "X", "X"}},
    {'}', {"X  ", " X ", " X ", "  X", " X ", " X ", "X  "}},
    {'~', {"     ", "     ", " X   ", "X X X", "   X "}},
    {0x00B2, {"XX ", "  X", " X ", "XXX"}},                                     /* ² */
    {0x00B7, {" ", " ", " ", "X"}},                                              /* · */
    {0x00D7, {"     ", "X   X", " X X ", "  X  ", " X X ", "X   X"}},          /* × */
    {0x03B5, {"    ", "    ", " XXX", "X   ", " XX ", "X   ", " XXX"}},         /* ε */
};
/* clang-format on */

#endif
