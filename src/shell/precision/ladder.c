#include "shell/precision/ladder.h"

#include <string.h>

#include "shell/defaults.h"

#define TWO_WAYS(options) EB_RUNGS "[" options "]", EB_RUNGS "[" options ",centre=mean]"
#define ONE_WAY(options) EB_RUNGS "[" options "]", NULL
static const eb_ladder_rung rungs[EB_MOST_RUNGS] = {
    {"s8", "INT8 by point", TWO_WAYS("type=s8,step=point"), 1, true},
    {"s8", "INT8 one step", TWO_WAYS("type=s8"), 1, true},
    {"e4m3", "FP8 E4M3", TWO_WAYS("type=e4m3,exponent=max"), 1, true},
    {"e5m2", "FP8 E5M2", TWO_WAYS("type=e5m2,exponent=max"), 1, true},
    {"bf16", "BF16", TWO_WAYS("type=bf16"), 2, true},
    {"f16", "FP16", TWO_WAYS("type=f16,exponent=auto"), 2, true},
    {"f16", "FP16, FP16 sums", TWO_WAYS("type=f16,sums=f16,exponent=auto"), 2, false},
    {"s8", "two INT8", TWO_WAYS("type=s8,parts=2"), 2, false},
    {"tf32", "TF32", TWO_WAYS("type=tf32"), 4, false},
    {"f16", "two FP16", ONE_WAY("type=f16,parts=2,exponent=max,promote=64"), 4, true},
    {"bf16", "three BF16", ONE_WAY("type=bf16,parts=3"), 6, false},
    {"tf32", "two TF32", ONE_WAY("type=tf32,parts=2"), 8, false},
    {"f64", "FP64", ONE_WAY("type=f64"), 8, false},
};

#define SWITCH(type, title, name, raw) {type, title, name, EB_RUNGS "[" raw "]", EB_RUNGS "[" raw "," name "]"}
static const eb_ladder_switch switches[EB_MOST_SWITCHES] = {
    SWITCH("s8", "INT8", "centre=mean", "type=s8"),
    SWITCH("s8", "INT8", "step=point", "type=s8"),
    SWITCH("s8", "INT8", "rotate=hadamard", "type=s8"),
    SWITCH("s8", "INT8", "debias=on", "type=s8"),
    SWITCH("e4m3", "FP8 E4M3", "centre=mean", "type=e4m3"),
    SWITCH("e4m3", "FP8 E4M3", "exponent=max", "type=e4m3"),
    SWITCH("e4m3", "FP8 E4M3", "rotate=hadamard", "type=e4m3"),
    SWITCH("e4m3", "FP8 E4M3", "debias=on", "type=e4m3"),
    SWITCH("e5m2", "FP8 E5M2", "centre=mean", "type=e5m2"),
    SWITCH("e5m2", "FP8 E5M2", "exponent=max", "type=e5m2"),
    SWITCH("e5m2", "FP8 E5M2", "rotate=hadamard", "type=e5m2"),
    SWITCH("e5m2", "FP8 E5M2", "debias=on", "type=e5m2"),
    SWITCH("bf16", "BF16", "centre=mean", "type=bf16"),
    SWITCH("bf16", "BF16", "rotate=hadamard", "type=bf16"),
    SWITCH("bf16", "BF16", "debias=on", "type=bf16"),
    SWITCH("f16", "FP16", "centre=mean", "type=f16"),
    SWITCH("f16", "FP16", "exponent=max", "type=f16"),
    SWITCH("tf32", "TF32", "centre=mean", "type=tf32"),
};

const eb_ladder_rung *eb_ladder_at(size_t index) { return index < EB_MOST_RUNGS ? &rungs[index] : NULL; }

const eb_ladder_switch *eb_ladder_switch_at(size_t index) { return index < EB_MOST_SWITCHES ? &switches[index] : NULL; }

bool eb_ladder_names(const char *list, const char *type, bool usual)
{
    const size_t length = strlen(type);
    if (!list)
        return usual;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, type, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

eb_code eb_ladder_check(const char *list, eb_status *status)
{
    for (const char *at = list; at;) {
        const char *comma = strchr(at, ',');
        const size_t length = comma ? (size_t)(comma - at) : strlen(at);
        bool known = false;
        for (size_t k = 0; k < EB_MOST_RUNGS; k++)
            known |= strlen(rungs[k].type) == length && strncmp(rungs[k].type, at, length) == 0;
        if (!known)
            return eb_fail(status, EB_USAGE,
                           "types=: \"%.*s\" is no number type; there are: s8, e4m3, e5m2, bf16, f16, tf32, f64",
                           (int)length, at);
        at = comma ? comma + 1 : NULL;
    }
    return EB_OK;
}
