#include "core/study/ablation.h"

#include <stdio.h>
#include <string.h>

static const eb_switch switches[] = {
    {EB_TILE_ORDER, 0, "tile-order", "block tiles in 8 × 8 squares, so that running blocks share panels in L2", 133},
    {EB_BLOCK_TILE, 0, "block-tile", "four warps share one 128 × 128 tile in shared memory", 95.8},
    {EB_ASYNC_COPY, 0, "async-copy", "cp.async: global to shared memory without registers", 48.6},
    {EB_PIPELINE, EB_ASYNC_COPY, "pipeline", "copy the next slice while the tensor cores work on this one", 145},
    {EB_RESIDENCY, 0, "residency", "two blocks an SM hide each other's waits", 110.8},
    {EB_WARP_TILE, 0, "warp-tile", "fragments stay in registers for a whole 64 × 64 warp tile", 38.0},
    {EB_SWIZZLE, 0, "swizzle", "16-byte chunks XORed with the row: no bank conflicts", 120.8},
    {EB_ALIGNMENT, 0, "alignment", "shared memory aligned to 128 bytes", 120.7},
    {EB_SYMMETRIC, 0, "symmetric", "compute i < j only, write both orders", 0},
    {EB_EARLY_TEST, 0, "early-test", "one warp-wide any-hit test before looking at single pairs", 0},
    {EB_AGGREGATE, 0, "aggregate", "one atomic a warp instead of one a hit", 0},
    {EB_WARPGROUP, 0, "warpgroup", "Hopper: wgmma from shared memory, copies shared by a cluster of two blocks", 0},
};

size_t eb_switch_count(void) { return sizeof switches / sizeof switches[0]; }

const eb_switch *eb_switch_at(size_t index) { return &switches[index]; }

uint32_t eb_without(uint32_t set, uint32_t bit)
{
    set &= ~bit;
    for (size_t k = 0; k < eb_switch_count(); k++)
        if ((set & switches[k].bit) && (switches[k].needs & ~set))
            return eb_without(set, switches[k].bit);
    return set;
}

static const eb_switch *find(const char *name, size_t length)
{
    for (size_t k = 0; k < eb_switch_count(); k++)
        if (strlen(switches[k].name) == length && memcmp(switches[k].name, name, length) == 0)
            return &switches[k];
    return NULL;
}

static eb_code fail_unknown(const char *name, size_t length, eb_status *status)
{
    char names[256] = "";
    for (size_t k = 0; k < eb_switch_count(); k++) {
        (void)strncat(names, k ? ", " : "", sizeof names - strlen(names) - 1);
        (void)strncat(names, switches[k].name, sizeof names - strlen(names) - 1);
    }
    return eb_fail(status, EB_USAGE, "no switch \"%.*s\"; there are: %s", (int)length, name, names);
}

static eb_code check_needs(uint32_t set, eb_status *status)
{
    for (size_t k = 0; k < eb_switch_count(); k++) {
        uint32_t missing = switches[k].needs & ~set;
        if (!(set & switches[k].bit) || !missing)
            continue;
        for (size_t m = 0; m < eb_switch_count(); m++)
            if (missing & switches[m].bit)
                return eb_fail(status, EB_USAGE, "switch %s needs %s, which is off; take %s off too", switches[k].name,
                               switches[m].name, switches[k].name);
    }
    return EB_OK;
}

/* Switch names contain '-', so after '+' or '-' the longest name that fits is taken. */
static size_t name_length(const char *text)
{
    size_t best = 0;
    for (size_t k = 0; k < eb_switch_count(); k++) {
        size_t length = strlen(switches[k].name);
        char after = strncmp(text, switches[k].name, length) == 0 ? text[length] : 'x';
        if ((after == '\0' || after == '+' || after == '-') && length > best)
            best = length;
    }
    return best ? best : strcspn(text, "+");
}

eb_code eb_switches_parse(const char *text, uint32_t *out, eb_status *status)
{
    uint32_t set;
    if (strncmp(text, "paper", 5) == 0)
        set = EB_PRESET_PAPER, text += 5;
    else if (strncmp(text, "best", 4) == 0)
        set = EB_PRESET_BEST, text += 4;
    else
        return eb_fail(status, EB_USAGE, "no preset \"%s\"; expected paper or best, then +switch or -switch", text);
    while (*text) {
        char sign = *text;
        if (sign != '+' && sign != '-')
            return eb_fail(status, EB_USAGE, "expected +switch or -switch, found \"%s\"", text);
        size_t length = name_length(text + 1);
        const eb_switch *named = find(text + 1, length);
        if (!named)
            return fail_unknown(text + 1, length, status);
        set = sign == '+' ? set | named->bit : set & ~named->bit;
        text += 1 + length;
    }
    eb_code code = check_needs(set, status);
    if (code == EB_OK)
        *out = set;
    return code;
}

void eb_switches_format(uint32_t set, char *buffer, size_t size)
{
    unsigned from_paper = (unsigned)__builtin_popcount(set ^ EB_PRESET_PAPER);
    unsigned from_best = (unsigned)__builtin_popcount(set ^ EB_PRESET_BEST);
    uint32_t base = from_paper < from_best ? EB_PRESET_PAPER : EB_PRESET_BEST;
    int used = snprintf(buffer, size, "%s", base == EB_PRESET_PAPER ? "paper" : "best");
    for (size_t k = 0; k < eb_switch_count() && used > 0 && (size_t)used < size; k++)
        if ((set ^ base) & switches[k].bit)
            used += snprintf(buffer + used, size - (size_t)used, "%c%s", set & switches[k].bit ? '+' : '-',
                             switches[k].name);
}
